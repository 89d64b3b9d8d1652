//! The files that a run will write, known before it starts, and what they must not replace.

use crate::error::Result;
use crate::machine::swmm::network::{LONGEST_PATH, too_long};
use crate::output::checkpoint::store;
use crate::output::features::FEATURES;
use crate::output::folder::{
    self, EXTENTS, PAGE, REPORT, RUN, SEWER_FILES, SEWER_REPORT, STATE, is_result,
};
use crate::output::format::USUAL;
use crate::output::guard;
use crate::output::layers::{ARRIVAL_ABOVE, Layer, TimeScope};
use crate::output::own_files::SIDECAR;
use crate::output::points::Points;
use crate::output::project::PROJECT;
use crate::output::results::style_of;
use crate::output::staging;
use crate::output::tables::Tables;
use crate::results::project;
use crate::scenario::Facts;
use crate::scenario::options::Options;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files that a run will write.
#[derive(Debug)]
pub struct Outputs {
    /// Names of the files that are written once.
    names: BTreeSet<String>,
    /// Layers that have a map for each time of a series.
    series: Vec<&'static Layer>,
}

impl Outputs {
    /// Lists the files of a run.
    pub fn of(options: &Options, facts: &Facts) -> Outputs {
        let mut names = BTreeSet::new();
        let keys = facts.layers.layers.iter().map(|layer| layer.key.to_string());
        let above =
            facts.layers.arrivals.iter().map(|depth| folder::above(ARRIVAL_ABOVE.key, *depth));
        for map in keys.chain(above) {
            names.extend([USUAL.file(&map), style_of(&map)]);
        }
        let has_series = facts.output_every.is_some();
        let stack = options.series.unwrap_or_default().file().filter(|_| has_series);
        let points = facts.points.iter().flat_map(|_| Points::names());
        let beside = [PROJECT, PAGE, REPORT]
            .into_iter()
            .chain(Tables::names(&facts.watched))
            .chain(options.keep_state.then_some(STATE))
            .chain(points)
            .chain((!facts.extents.is_empty()).then_some(EXTENTS))
            .chain(project::expects_features(options, facts).then_some(FEATURES))
            .chain(stack)
            .chain(facts.sewers.iter().flat_map(|_| SEWER_FILES));
        names.extend(beside.map(String::from));
        let now = |layer: &&Layer| has_series && layer.scope == TimeScope::Now;
        let series = facts.layers.layers.iter().copied().filter(now).collect();
        debug_assert!(names.iter().all(|name| is_result(name)), "{names:?}");
        Outputs { names, series }
    }

    /// Returns `true` if a file of this name may be among them, or may be a sidecar that GDAL
    /// associates with one of them.
    pub fn include(&self, name: &str) -> bool {
        let name = name.strip_suffix(SIDECAR).unwrap_or(name);
        let of_series = |layer: &&Layer| {
            name.strip_prefix(layer.key).is_some_and(|rest| rest.starts_with('_'))
                && is_result(name)
        };
        self.names.contains(name) || self.series.iter().any(of_series)
    }

    /// Checks that the run does not replace one of its inputs, or a file in its folder that no run
    /// made, and that SWMM accepts the paths of its files.
    /// `ours` are the files that it may replace.
    ///
    /// # Errors
    /// If it would, or SWMM does not.
    pub fn check(&self, out: &Path, ours: &[PathBuf], facts: &Facts) -> Result<()> {
        if facts.sewers.is_some() {
            let path = std::path::absolute(out).unwrap_or_else(|_| out.to_path_buf());
            let hidden = "_".repeat(staging::LONGEST_NAME);
            if path.join(hidden).join(SEWER_REPORT).as_os_str().len() > LONGEST_PATH {
                return Err(too_long(&path.join(SEWER_REPORT)).hint("choose a shorter out; SWMM writes into a hidden folder in it, whose name takes some bytes too"));
            }
        }
        let mut files: Vec<PathBuf> = self.names.iter().map(|name| out.join(name)).collect();
        files.extend_from_slice(ours);
        files.extend(store::found(out));
        guard::spare_inputs("out", "run", files, facts.input_paths())?;
        folder::spare_others(out, &RUN, ours, |name| self.include(name))
    }
}

//! Sources: inflow at points, from vector layers and from rasters.

use super::amounts::read_amounts;
use super::options::{Place, Placed, ValueOrFile};
use super::places::cell_of;
use super::source_facts::SourceFacts;
use super::water::{RateReader, Time};
use crate::engine::clock::TimeUnit;
use crate::engine::forcing::series::Series;
use crate::engine::forcing::{Account, Footprint, Share};
use crate::error::{Error, Result};
use crate::input::notice::Notice;
use crate::input::raster::layer::Cover;
use crate::input::tables::dialect::is_a_csv;
use crate::input::tables::series_table;
use crate::input::vector::named::NAMES;
use crate::input::vector::point_position::nearest_free;
use crate::input::vector::{self, Fields, Value};
use crate::measures;
use crate::measures::quantity::{FLOW, FLOW_PER_STEP};
use crate::output::watch::{Portion, SourceShare};
use crate::words::{counted, verb};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Fields of a vector layer of sources.
const FIELDS: Fields = Fields::or_table("flow", "hydrograph").with(&NAMES);

/// Features that share a cell: their indices among all sources, and the flow of each into the cell.
type Owners = (Vec<usize>, Vec<f64>);

const HOW: &str = "write a point source as x,y,Q: \"612300,4052100,20 m3/s\", or with the path of a hydrograph for Q";

impl RateReader<'_> {
    /// Reads one source: `x,y,Q`, `x,y,FILE`, a vector layer or a raster.
    pub(super) fn source(&mut self, placed: &Placed) -> Result<()> {
        match (&placed.place, &placed.value) {
            (None, ValueOrFile::File(path)) if is_a_csv(path) => {
                Err(Error::input(format!("source: '{placed}' is a table without a point"))
                    .hint(format!("name the point of the source: \"x,y,{placed}\"")))
            }
            (None, ValueOrFile::File(path)) if vector::is_vector(path) => self.source_layer(path),
            (None, ValueOrFile::File(path)) => self.source_raster(path),
            (Some(Place::Sides(_)), _) => {
                let side = placed.place_text();
                Err(Error::input(format!("source: '{side}' is not a coordinate")).hint(HOW))
            }
            (Some(Place::Point(x, y)), ValueOrFile::File(path)) => {
                let series = self.hydrograph(path)?;
                self.point_source(placed, (*x, *y), series)
            }
            (Some(Place::Point(x, y)), ValueOrFile::Value(text)) if !text.contains(',') => {
                let series = Series::constant(flow(text, &placed.to_string(), self.time)?);
                self.point_source(placed, (*x, *y), series)
            }
            _ => {
                Err(Error::input(format!("source: '{placed}' is neither a point nor a file"))
                    .hint(HOW))
            }
        }
    }

    /// Adds a source at a point.
    fn point_source(&mut self, placed: &Placed, (x, y): (f64, f64), series: Series) -> Result<()> {
        let text = placed.to_string();
        let (_, cell) =
            cell_of((x, y), &format!("source: the point ({x}, {y})"), None, self.ground)?;
        if series.total(self.time.end) == 0.0 && placed.value.file().is_none() {
            self.notices.warn(dry(&text));
        }
        self.note_source(text, &[(cell, 1.0)], &series, 1.0);
        let cells = vec![(cell, Share::WHOLE)];
        self.set_share(SourceShare::whole(self.read.forcing.rates.len(), &cells));
        let series = series.scaled(1.0 / self.ground.grid.cell_area());
        self.read.push(Account::Inflow, Footprint::Cells(cells), series);
        Ok(())
    }

    /// Records the facts of a source: `cells` have its shares, and its flow is `amount` times a
    /// series (m³ per second or step) per share.
    fn note_source(&mut self, name: String, cells: &[(usize, f64)], series: &Series, amount: f64) {
        let peak = series.range(self.time.end).1.max(0.0) * amount;
        let volume = series.total(self.time.end) * amount;
        self.warn_of_raised(&name, cells);
        let open_cells = &self.read.open_cells;
        let facts = SourceFacts::of(open_cells, self.ground.grid, name, cells, peak, volume);
        self.read.sources.push(facts);
        self.read.shares.push(SourceShare::default());
    }

    /// Warns if a source flows onto roofs or walls; `cells` have its shares.
    fn warn_of_raised(&mut self, name: &str, cells: &[(usize, f64)]) {
        let ground = self.ground;
        let raised = cells.iter().filter(|(cell, _)| ground.raised_by(*cell).is_some());
        let Some((first, _)) = raised.clone().next() else { return };
        let sum = |shares: &mut dyn Iterator<Item = f64>| shares.sum::<f64>();
        let part = sum(&mut raised.map(|(_, share)| *share))
            / sum(&mut cells.iter().map(|(_, share)| *share));
        let at = ground.grid.spot(*first);
        let what = format!(
            "puts {:.0} % of its flow onto {}, from where it runs down ({}); move it beside it{}",
            100.0 * part,
            ground.raised_by(*first).unwrap_or_default(),
            ground.place(*first),
            nearest_free((at.x, at.y), ground)
        );
        self.notices.warn(Notice::of("source", name, what));
    }

    /// Sets the share of the forcing of the last source.
    fn set_share(&mut self, share: SourceShare) {
        *self.read.shares.last_mut().expect("a source was noted") = share;
    }

    /// Reads a flow (m³ per second or step) over time from a CSV.
    fn hydrograph(&mut self, path: &Path) -> Result<Series> {
        let course = series_table::HYDROGRAPH.read(path, self.time.clock)?;
        let shown = path.to_string_lossy();
        self.time.check("source", &shown, course.per)?;
        self.time.note("source", path, &course, None, &mut self.notices)?;
        let (last, flow) = course.series.last();
        if course.series.total(self.time.end) == 0.0 {
            let notice = Notice::of("source", &shown, "brings no water during the run");
            self.notices.warn(notice.dry());
        } else if flow > 0.0 && last < self.time.end {
            let what = "ends with a flow above 0, which is kept to the end of the run; end it with a flow of 0 to stop it";
            self.notices.warn(Notice::of("source", &shown, what));
        }
        Ok(course.series)
    }

    /// Reads a vector layer: the flow of a feature is divided equally among the cells that it
    /// touches.
    fn source_layer(&mut self, path: &Path) -> Result<()> {
        let layer = self.notices.of(vector::read(path, "source", FIELDS, self.ground)?);
        let shown = path.display();
        // Features with the same hydrograph make one rate layer, so that many features do not slow
        // down the steps.
        let mut courses: BTreeMap<Option<PathBuf>, (Series, BTreeMap<usize, Owners>)> =
            BTreeMap::new();
        let first = self.read.sources.len();
        let mut named = Vec::new();
        for feature in &layer.features {
            let place = || format!("{shown}, feature {}", feature.id);
            let (key, amount) = match &feature.value {
                Value::Constant(text) => {
                    let flow = flow(text, &place(), self.time);
                    (None, flow.map_err(|error| error.at(place()))?)
                }
                Value::Table(file) => (Some(file.clone()), 1.0),
                Value::Other(_) | Value::Unsaid => unreachable!("flow or hydrograph"),
            };
            if !courses.contains_key(&key) {
                let series = match &key {
                    None => Series::constant(1.0),
                    Some(file) => self.hydrograph(file).map_err(|error| error.at(place()))?,
                };
                courses.insert(key.clone(), (series, BTreeMap::new()));
            }
            let (series, cells) = courses.get_mut(&key).expect("it was put there");
            let name = feature.more.iter().flatten().next().cloned();
            let name = name.unwrap_or_else(place);
            named.push((name, feature.cells.clone(), series.clone(), amount));
            let each = amount / feature.cells.len() as f64;
            let number = first + named.len() - 1;
            for cell in &feature.cells {
                let owners = cells.entry(*cell).or_default();
                owners.0.push(number);
                owners.1.push(each);
            }
        }
        for (name, cells, series, amount) in named {
            let cells: Vec<(usize, f64)> = cells.into_iter().map(|cell| (cell, 1.0)).collect();
            self.note_source(name, &cells, &series, amount);
        }
        let partly = layer.features.iter().filter(|feature| feature.partly).count();
        if partly > 0 {
            let who = counted(partly, "feature", "features");
            let extend = verb(partly, "extend");
            self.notices.warn(Notice::about(&format!("'{shown}'"), |shown| {
                format!("source: {who} of {shown} {extend} beyond the domain; their whole flow enters in the cells inside it")
            }));
        }
        for (series, cells) in courses.into_values() {
            let part = |owners: &Owners| owners.1.iter().fold(0.0, |sum, each| sum + each);
            let peak = cells.values().map(part).fold(0.0, f64::max);
            if peak > 0.0 {
                let mut shares = Vec::with_capacity(cells.len());
                for (cell, owners) in cells {
                    let share = Share::of(part(&owners) / peak);
                    let portions = Portion::split((cell, share), &owners.1);
                    for (&owner, portion) in owners.0.iter().zip(portions) {
                        self.read.shares[owner].layer = self.read.forcing.rates.len();
                        self.read.shares[owner].portions.push(portion);
                    }
                    shares.push((cell, share));
                }
                let series = series.scaled(peak / self.ground.grid.cell_area());
                self.read.push(Account::Inflow, Footprint::Cells(shares), series);
            } else {
                self.notices.warn(dry(&shown.to_string()));
            }
        }
        Ok(())
    }

    /// Reads a raster of m³/s (or m³ per step) per cell. From another grid, the flow per area is
    /// warped, and scaled so that the total over the DEM stays unchanged.
    fn source_raster(&mut self, path: &Path) -> Result<()> {
        let grid = self.ground.grid;
        let quantity = if self.time.unit == TimeUnit::Seconds { &FLOW } else { &FLOW_PER_STEP };
        let mut cells: Vec<(usize, f64)> = Vec::new();
        let report =
            read_amounts(path, "source", quantity, self.ground, Cover::Sparse, |cell, value| {
                if value > 0.0 {
                    cells.push((cell, value * grid.share(cell)));
                }
            })?;
        let unit = if self.time.unit == TimeUnit::Seconds { "m³/s" } else { "m³/step" };
        report.note("source", path, &mut self.notices)?;
        let shown = path.display();
        let own_area =
            if report.own_cell_area > 0.0 { report.own_cell_area } else { grid.cell_area() };
        let whole = report.before / own_area;
        let mut used = report.inside / grid.cell_area();
        if report.warped && report.after > 0.0 {
            let kept = whole * grid.cell_area() / report.after;
            cells.iter_mut().for_each(|(_, value)| *value *= kept);
            used *= kept;
        }
        if report.warped {
            let kept = if used < whole * (1.0 - 1e-9) {
                format!(
                    "of its {whole:.6} {unit} over the DEM's extent, {used:.6} {unit} are in the domain"
                )
            } else {
                format!("its total of {used:.6} {unit} is kept")
            };
            self.notices.note(format!("source: '{shown}' was warped to the DEM's grid: {kept}"));
        }
        if report.dropped > 0 {
            self.notices.warn(format!(
                "source: {} cells of '{shown}' are on NoData cells of the DEM and are ignored; {used:.6} of {whole:.6} {unit} remain",
                report.dropped
            ));
        }
        let peak = cells.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        let total = cells.iter().map(|(_, value)| *value).sum();
        self.note_source(shown.to_string(), &cells, &Series::constant(1.0), total);
        if peak > 0.0 {
            let shares: Vec<(usize, Share)> =
                cells.iter().map(|&(cell, value)| (cell, Share::of(value / peak))).collect();
            self.set_share(SourceShare::whole(self.read.forcing.rates.len(), &shares));
            let series = Series::constant(peak / grid.cell_area());
            self.read.push(Account::Inflow, Footprint::Cells(shares), series);
        } else {
            self.notices.warn(dry(&shown.to_string()));
        }
        Ok(())
    }
}

/// Creates the warning of a source without water.
fn dry(shown: &str) -> Notice {
    Notice::of("source", shown, "brings no water").dry()
}

/// Parses a flow (m³ per second, or per step if steps have no duration); `text` is for messages.
fn flow(written: &str, text: &str, time: Time) -> Result<f64> {
    let bare = written.parse::<f64>().is_ok();
    let flow = if bare && time.unit == TimeUnit::Steps {
        measures::parse_flow(&format!("{written} m3/step"))
    } else {
        measures::parse_flow(written)
    };
    let flow = flow.map_err(|error| error.of("source"))?;
    time.check("source", text, flow.per)?;
    Ok(flow.value)
}

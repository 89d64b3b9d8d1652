//! Subgrid topography: the DEM as read is a fine grid, and cells of several of its pixels have tables of these
//! ([`crate::engine::subgrid`]). Buildings, walls, roughness and water at the start are laid on the pixels; all else on the cells.

use super::asked::Asked;
use super::coarser::Coarser;
use super::depths::Depths;
use super::friction::Friction;
use super::kept_tables::{KeptTables, Origin};
use super::options::{DEFAULT_OUT, Options};
use super::terrain::Terrain;
use crate::engine::roughness::Roughness;
use crate::engine::subgrid::build::Builder;
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::Dem;
use crate::input::fine_ground::FineGround;
use crate::input::notice::Notices;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What becomes of the fine grid.
pub struct Subgrid {
    /// The tables of the cells.
    pub tables: Arc<Tables>,
    /// The ground that they are of.
    pub fine: Arc<FineGround>,
    /// Water at the start and the roughness, until they are taken.
    pub laid: Option<(Depths, Friction)>,
}

impl Subgrid {
    /// Makes the tables of the terrain, which is that of the coarse cells then; none if pixels are the cells. The pixels are kept on
    /// disk if `keeps` says so: for maps, gauges or points.
    pub fn lay(
        options: &Options,
        asked: &mut Asked,
        terrain: &mut Terrain,
        keeps: bool,
        said: &mut Notices,
    ) -> Result<Option<Subgrid>> {
        if asked.ratio == 1 {
            return Ok(None);
        }
        let Dem { grid, bed, .. } = &terrain.dem;
        if asked.ratio > grid.columns.min(grid.rows) {
            return Err(Error::input(format!(
                "subgrid: a cell of {0} × {0} pixels is larger than the DEM, which has {1} × {2} (columns × rows)",
                asked.ratio, grid.columns, grid.rows
            ))
            .hint("give a smaller number"));
        }
        let coarser = Coarser::new(grid, asked.ratio);
        let cover = asked.land_cover.take();
        let uneven = Friction::files(options, cover.as_ref())?;
        let is_rough = uneven.is_some();
        let kept = options
            .subgrid_tables
            .as_deref()
            .map(|path| KeptTables::open(path, Origin::of(asked.ratio, grid, &bed.levels, uneven)));
        let kept = kept.transpose()?;
        let found = kept.as_ref().and_then(|kept| kept.tables(said));
        let mut maker = Maker::new(&terrain.dem, coarser, is_rough, found.is_none());
        let friction = Friction::by_rows(options, cover, grid, bed, true, &mut |row| {
            maker.rough_row(row);
            Ok(())
        })?;
        let mut friction = said.of(friction);
        let mut depths = said.of(Depths::read(options, grid, bed, coarser)?);
        let made = maker.finish();
        if let (Some(kept), Some(made)) = (&kept, &made) {
            kept.keep(made, said)?;
        }
        drop(kept);
        let tables = made.or(found).expect("tables that were found, or made");
        if is_rough {
            friction.roughness = Roughness::Cells(tables.roughness.clone());
        }
        depths.lay_in_cells(coarser, &bed.levels, &tables);
        let place = keeps.then(|| folder(options));
        let mut fine = FineGround::new(grid.clone(), asked.ratio, place.as_deref())?;
        bed.levels.chunks(grid.columns * asked.ratio).try_for_each(|band| fine.band(band))?;
        said.note(format!(
            "subgrid: {0} × {0} pixels of the DEM make a cell of {1:.3} × {2:.3} m",
            asked.ratio,
            grid.dx * asked.ratio as f64,
            grid.dy * asked.ratio as f64
        ));
        terrain.make_coarser(coarser, &tables);
        Ok(Some(Subgrid {
            tables: Arc::new(tables),
            fine: Arc::new(fine.finish()),
            laid: Some((depths, friction)),
        }))
    }
}

/// Makes tables, band by band, as the rows of the roughness come if it differs.
struct Maker<'a> {
    levels: &'a [i32],
    columns: usize,
    ratio: usize,
    /// None if the tables are there.
    builder: Option<Builder>,
    /// Roughness of the rows of the band that is coming.
    roughness: Vec<f32>,
    is_rough: bool,
}

impl<'a> Maker<'a> {
    fn new(dem: &'a Dem, coarser: Coarser, is_rough: bool, makes: bool) -> Maker<'a> {
        let (columns, rows, ratio) = (dem.grid.columns, dem.grid.rows, coarser.ratio);
        let builder = makes.then(|| Builder::new(columns, rows, ratio, is_rough));
        let levels = &dem.bed.levels;
        Maker { levels, columns, ratio, builder, roughness: Vec::new(), is_rough }
    }

    /// Takes the next row of the roughness.
    fn rough_row(&mut self, row: &[f32]) {
        let Some(builder) = &mut self.builder else { return };
        self.roughness.extend_from_slice(row);
        if self.roughness.len() == self.columns * builder.rows_of_band() {
            let (band, rest) = self.levels.split_at(self.roughness.len());
            builder.band(band, Some(&self.roughness));
            self.levels = rest;
            self.roughness.clear();
        }
    }

    /// The tables, unless they are there.
    fn finish(self) -> Option<Tables> {
        let mut builder = self.builder?;
        if !self.is_rough {
            let bands = self.levels.chunks(self.columns * self.ratio);
            bands.for_each(|band| builder.band(band, None));
        }
        Some(builder.finish())
    }
}

/// Where the fine ground is kept while the run lasts: beside the results, where there is room for these.
fn folder(options: &Options) -> PathBuf {
    let out = options.out.clone().unwrap_or_else(|| DEFAULT_OUT.into());
    let there = |folder: &&Path| folder.is_dir() && tempfile::tempfile_in(folder).is_ok();
    let folder = out.ancestors().map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    let folder = folder.filter(|folder| folder.is_dir()).take(1).find(there);
    folder.map_or_else(std::env::temp_dir, Path::to_path_buf)
}

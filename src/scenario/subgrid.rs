//! Subgrid topography: the DEM is the fine grid, and coarse cells have tables of their pixels
//! ([`crate::engine::subgrid`]). Cells of one pixel also have tables if a narrower river runs
//! through them. Rivers, openings, buildings, walls, roughness and initial water are mapped onto
//! the pixels, everything else onto the cells.

use super::coarser::Coarser;
use super::depths::Depths;
use super::friction::Friction;

use super::kept_tables::{KeptTables, Origin, TableTerrain};
use super::losses::ParameterMeans;
use super::options::{DEFAULT_OUT, Options, Quantity};
use super::rivers::NarrowRivers;
use super::terrain::FineTerrain;
use super::thin_runoff;
use super::validated::ValidatedOptions;
use crate::engine::grid::{Bed, Grid};
use crate::engine::roughness::Roughness;
use crate::engine::subgrid::build::Builder;
use crate::engine::subgrid::channels::Channels;
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::dem::Dem;
use crate::input::dem::fine_ground::FineGround;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notices, Reading};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tables of the cells and the fine ground that they describe.
pub struct Subgrid {
    /// The tables of the cells.
    pub tables: Arc<Tables>,
    /// Fine ground of the tables.
    pub fine: Arc<FineGround>,
    /// Rivers narrower than a cell, which are in the tables.
    pub rivers: Option<NarrowRivers>,
}

/// Computational grid: its terrain and what is mapped onto the pixels of the DEM.
pub struct ComputationalGrid {
    pub dem: Dem,
    /// `None` if cells are pixels without narrow rivers.
    pub subgrid: Option<Subgrid>,
    /// Initial water, inflow cells and sinks.
    pub depths: Depths,
    pub friction: Friction,
    /// Loss parameters of cells with tables, from rasters.
    pub loss_means: Option<ParameterMeans>,
}

impl ComputationalGrid {
    /// Returns the tables of the cells, if they have some.
    pub fn tables(&self) -> Option<&Tables> {
        self.subgrid.as_ref().map(|subgrid| &*subgrid.tables)
    }

    /// Maps the terrain, the roughness and the initial water onto the computational grid. With
    /// `keeps`, the pixels are kept on disk for maps, gauges or points.
    pub fn read(
        options: &Options,
        validated: &ValidatedOptions,
        mut terrain: FineTerrain,
        keeps: bool,
        notices: &mut Notices,
    ) -> Result<ComputationalGrid> {
        if validated.ratio == 1 && terrain.narrow_rivers.is_none() {
            return ComputationalGrid::of_pixels(options, validated, terrain, notices);
        }
        let cover = validated.land_cover.as_ref();
        let FineTerrain { dem, river_roughness, narrow_rivers, .. } = &mut terrain;
        let Dem { grid, bed, .. } = dem;
        check_ratio(validated.ratio, grid)?;
        let coarser = Coarser::new(grid, validated.ratio);
        let files = Friction::files(options, cover)?;
        let is_rough = files.is_some() || !river_roughness.is_empty();
        let rivers =
            describe_rivers(options, narrow_rivers.as_ref(), river_roughness, files.is_some());
        let uneven = files.or(is_rough.then_some((String::new(), Vec::new())));
        let kept = options.subgrid_tables.as_deref().map(|path| {
            let origin = Origin::of(validated.ratio, grid, &bed.levels, uneven, rivers);
            KeptTables::open(path, origin, notices)
        });
        let mut kept = kept.transpose()?;
        let channels = narrow_rivers.as_mut().map(|rivers| std::mem::take(&mut rivers.channels));
        let channels = channels.unwrap_or_default();
        let ground = TableTerrain { coarser, grid, levels: &bed.levels, channels: &channels };
        let found = kept.as_ref().and_then(|kept| kept.tables(&ground, notices));
        if let (Some(kept), None) = (&mut kept, &found) {
            kept.prepare(notices)?;
        }
        let mut maker = Maker::new(grid, bed, coarser, is_rough, found.is_none(), channels);
        let mut rows = RoughRows { maker: &mut maker, rivers: river_roughness, done: 0 };
        let ground = Topography::new(grid, bed);
        let friction = Friction::by_rows(options, cover, ground, true, &mut |row| {
            rows.take(row);
            Ok(())
        })?;
        let mut friction = notices.of(friction);
        if let Roughness::Uniform(n) = friction.roughness {
            if is_rough {
                (0..grid.rows).for_each(|_| rows.take(&vec![n; grid.columns]));
            }
            maker.builder = maker.builder.map(|builder| builder.over_ground(n));
        }
        let made = maker.finish();
        let depths = read_depths(options, grid, bed, coarser, narrow_rivers.as_ref());
        let mut depths = notices.of(depths?);
        let losses = ParameterMeans::read(&options.losses, Topography::new(grid, bed), coarser);
        let loss_means = Some(notices.of(losses?));
        if let (Some(kept), Some(made)) = (&mut kept, &made) {
            kept.keep(made, notices)?;
        }
        drop(kept);
        let tables = made.or(found).expect("tables that were found, or made");
        if is_rough {
            friction.roughness = Roughness::Cells(tables.roughness.clone());
        }
        depths.lay_in_cells(coarser, &bed.levels, &tables);
        let rivers = narrow_rivers.take();
        if let Some(rivers) = &rivers {
            rivers.show(&mut bed.levels, |pixel| tables.bed[coarser.cell(pixel)]);
        }
        let place = keeps.then(|| folder(options));
        let fine = fine_ground(grid, bed, validated.ratio, place.as_deref())?;
        if validated.ratio > 1 {
            notices.note(describe_cells(validated.ratio, grid));
            if options.rain.is_some() {
                notices.warn_all(thin_runoff::check(coarser, &bed.levels, tables.bed.len()));
            }
        }
        let dem = terrain.coarser(coarser, &tables);
        let subgrid = Subgrid { tables: Arc::new(tables), fine: Arc::new(fine), rivers };
        Ok(ComputationalGrid { dem, subgrid: Some(subgrid), depths, friction, loss_means })
    }

    /// Maps onto cells that are the pixels of the DEM, without tables.
    fn of_pixels(
        options: &Options,
        validated: &ValidatedOptions,
        terrain: FineTerrain,
        notices: &mut Notices,
    ) -> Result<ComputationalGrid> {
        notices.warn_all(options.subgrid_tables.as_ref().map(|path| {
            let shown = path.display();
            format!("subgrid_tables: no river is narrower than a cell, so the run has no tables and does not use '{shown}'")
        }));
        let FineTerrain { dem, river_roughness, .. } = terrain;
        let pixels = Coarser::new(&dem.grid, 1);
        let depths = notices.of(Depths::read(options, dem.ground(), pixels)?);
        let timed = validated.solver.info.is_timed();
        let cover = validated.land_cover.as_ref();
        let mut friction = notices.of(Friction::read(options, cover, dem.ground(), timed)?);
        if timed {
            friction.lay_rivers(&river_roughness, dem.grid.cells());
        }
        Ok(ComputationalGrid { dem, subgrid: None, depths, friction, loss_means: None })
    }
}

/// Checks that a cell of `ratio` × `ratio` pixels fits into the DEM.
fn check_ratio(ratio: usize, grid: &Grid) -> Result<()> {
    if ratio <= grid.columns.min(grid.rows) {
        return Ok(());
    }
    Err(Error::input(format!(
        "subgrid: a cell of {ratio} × {ratio} pixels is larger than the DEM, which has {} × {} (columns × rows)",
        grid.columns, grid.rows
    ))
    .hint("give a smaller number"))
}

/// Describes the cells of `ratio` × `ratio` pixels.
fn describe_cells(ratio: usize, grid: &Grid) -> String {
    let side = ratio as f64;
    let (dx, dy) = (grid.dx * side, grid.dy * side);
    format!("subgrid: {ratio} × {ratio} pixels of the DEM make a cell of {dx:.3} × {dy:.3} m")
}

/// Reads the depths with the bed lowered along narrow rivers, because an initial level may put
/// water into a river only.
fn read_depths(
    options: &Options,
    grid: &Grid,
    bed: &mut Bed,
    coarser: Coarser,
    rivers: Option<&NarrowRivers>,
) -> Result<Reading<Depths>> {
    let raised = rivers.map(|rivers| rivers.lower(&mut bed.levels));
    let depths = Depths::read(options, Topography::new(grid, bed), coarser);
    raised.into_iter().flatten().for_each(|(pixel, level)| bed.levels[pixel] = level);
    depths
}

/// Returns the fine ground of cells of `ratio` × `ratio` pixels, kept on disk in `place`, if any.
fn fine_ground(grid: &Grid, bed: &Bed, ratio: usize, place: Option<&Path>) -> Result<FineGround> {
    let mut fine = FineGround::new(grid.clone(), ratio, place)?;
    bed.levels.chunks(grid.columns * ratio).try_for_each(|band| fine.band(band))?;
    Ok(fine.finish())
}

/// Builds tables band by band, as the rows of a non-uniform roughness arrive.
struct Maker<'a> {
    levels: &'a [i32],
    columns: usize,
    ratio: usize,
    /// `None` if the tables were read from a file.
    builder: Option<Builder>,
    /// Roughness of the rows in the current band.
    roughness: Vec<f32>,
    is_rough: bool,
}

/// Passes rows of roughness on, with the roughness of rivers.
struct RoughRows<'a, 'b> {
    maker: &'a mut Maker<'b>,
    rivers: &'a BTreeMap<usize, f32>,
    /// Number of rows passed on.
    done: usize,
}

impl RoughRows<'_, '_> {
    fn take(&mut self, row: &[f32]) {
        let first = self.done * row.len();
        self.done += 1;
        let mut rivers = self.rivers.range(first..first + row.len()).peekable();
        if rivers.peek().is_none() {
            return self.maker.rough_row(row);
        }
        let mut row = row.to_vec();
        rivers.for_each(|(pixel, &n)| row[pixel - first] = n);
        self.maker.rough_row(&row);
    }
}

/// Describes the rivers for the checksum of the tables, apart from the levels that they lower;
/// `None` without rivers. `is_uneven` means that the roughness of the ground has a checksum of its
/// own.
fn describe_rivers(
    options: &Options,
    narrow: Option<&NarrowRivers>,
    rough: &BTreeMap<usize, f32>,
    is_uneven: bool,
) -> Option<String> {
    if narrow.is_none() && rough.is_empty() {
        return None;
    }
    let even = !is_uneven && (!rough.is_empty() || narrow.is_some_and(NarrowRivers::are_rough));
    // As earlier versions wrote it, so that their tables stay valid.
    let ground = options.roughness.as_ref().map(|n| Quantity(n.to_string()));
    let ground = even.then_some(ground);
    Some(format!("{:?} {rough:?} {ground:?}", narrow.map(|rivers| rivers.channels.description())))
}

impl<'a> Maker<'a> {
    fn new(
        grid: &Grid,
        bed: &'a Bed,
        coarser: Coarser,
        is_rough: bool,
        makes: bool,
        channels: Channels,
    ) -> Maker<'a> {
        let (columns, rows, ratio) = (grid.columns, grid.rows, coarser.ratio);
        let builder = Builder::new([columns, rows], [grid.dx, grid.dy], ratio, is_rough);
        let builder = builder.with_channels(channels);
        let builder = makes.then_some(builder);
        Maker { levels: &bed.levels, columns, ratio, builder, roughness: Vec::new(), is_rough }
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

    /// Returns the tables, unless they were read from a file.
    fn finish(self) -> Option<Tables> {
        let mut builder = self.builder?;
        if !self.is_rough {
            let bands = self.levels.chunks(self.columns * self.ratio);
            bands.for_each(|band| builder.band(band, None));
        }
        Some(builder.finish())
    }
}

/// Returns the folder of the temporary file of the fine ground: the output folder or its nearest
/// existing parent, which has space for results.
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

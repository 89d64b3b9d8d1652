//! Terrain of a run: the DEM with rivers, openings, buildings and walls.

use super::coarser::Coarser;
use super::memory::least_bytes_per_cell;
use super::obstacles;
use super::options::Options;
use super::rivers::{NarrowRivers, Rivers};
use crate::engine::grid::Bed;
use crate::engine::solver::SolverInfo;
use crate::engine::subgrid::tables::Tables;
use crate::error::Result;
use crate::input::checksum;
use crate::input::dem::topography::RaisedCells;
use crate::input::dem::{self, Dem, DemOptions};
use crate::input::file::InputFile;
use crate::input::notice::Notices;
use std::collections::BTreeMap;
use std::path::Path;

/// Terrain on the DEM's grid.
pub struct FineTerrain {
    /// DEM with rivers, openings, buildings and walls.
    pub dem: Dem,
    /// Manning's n of pixels in a river that has its own value (s/m^⅓).
    pub river_roughness: BTreeMap<usize, f32>,
    /// Rivers narrower than a cell.
    pub narrow_rivers: Option<NarrowRivers>,
}

impl FineTerrain {
    /// Reads the terrain, and adds notices about it.
    pub fn read(
        options: &Options,
        path: &Path,
        solver: &SolverInfo,
        notices: &mut Notices,
    ) -> Result<FineTerrain> {
        let dem_options = DemOptions {
            nodata: options.nodata,
            height_unit: options.height_unit.clone(),
            accept_distortion: options.accept_distortion,
            local_metres: options.local_metres,
            bytes_per_cell: least_bytes_per_cell(options.subgrid.unwrap_or(1)),
        };
        // GDAL collects its messages globally, so companion files are found when nothing else is
        // being read.
        let (dem, sum) = rayon::join(|| dem::read(path, &dem_options), || checksum::begin(path));
        let mut dem = dem?;
        let mut about_rivers = Notices::default();
        let ratio = options.subgrid.unwrap_or(1);
        let mut rivers = Rivers::dig(options, &mut dem, ratio, &mut about_rivers)?;
        let obstacles = obstacles::build(options, &mut dem)?;
        let narrow_rivers = rivers.narrow(&dem.bed.levels, solver, &mut about_rivers)?;
        if let Some(file) = &options.scenario_file {
            notices.read("scenario", file)?;
        }
        notices.inputs.push(InputFile::begun("dem", path, sum?)?);
        notices.warn_all(std::mem::take(&mut dem.warnings));
        notices.note_all(dem.note.take());
        dem.assumed.take().into_iter().for_each(|assumed| notices.assume(assumed));
        notices.add(about_rivers);
        notices.add(obstacles);
        Ok(FineTerrain { dem, river_roughness: rivers.roughness, narrow_rivers })
    }

    /// Returns the grid and bed of coarse cells with these tables.
    pub fn coarser(self, coarser: Coarser, tables: &Tables) -> Dem {
        let mut dem = self.dem;
        let is_closed = |cell: &usize| tables.bed[*cell] == Bed::OUTSIDE;
        let blocked = dem.bed.blocked.iter().map(|&pixel| coarser.cell(pixel));
        let mut blocked: Vec<usize> = blocked.filter(is_closed).collect();
        blocked.sort_unstable();
        blocked.dedup();
        // A cell counts as raised if most of its pixels are.
        let mostly = |raised: &[usize]| {
            let mut pixels: BTreeMap<usize, usize> = BTreeMap::new();
            raised.iter().for_each(|&pixel| *pixels.entry(coarser.cell(pixel)).or_default() += 1);
            let is_most = |&(cell, pixels): &(usize, usize)| {
                2.0 * pixels as f64 * coarser.part() > tables.open_share(cell)
            };
            pixels.into_iter().filter(is_most).map(|(cell, _)| cell).collect()
        };
        dem.raised =
            RaisedCells { roofs: mostly(&dem.raised.roofs), walls: mostly(&dem.raised.walls) };
        dem.grid = dem.grid.coarser(coarser.ratio);
        dem.bed = Bed { levels: tables.bed.clone(), blocked, shut: Vec::new() };
        dem.domain_cells = dem.bed.domain_cells();
        dem
    }
}

//! Subgrid topography: the DEM as read is a fine grid, and cells of several of its pixels have tables of these
//! ([`crate::engine::subgrid`]). Buildings, walls, roughness and water at the start are laid on the pixels; all else on the cells.

use super::asked::Asked;
use super::coarser::Coarser;
use super::depths::Depths;
use super::friction::Friction;
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
    /// Makes the tables of the terrain, which is that of the coarse cells then; none if pixels are the cells.
    pub fn lay(
        options: &Options,
        asked: &mut Asked,
        terrain: &mut Terrain,
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
        let mut friction = said.of(Friction::read(options, cover, grid, bed, true)?);
        let mut depths = said.of(Depths::read(options, grid, bed, coarser)?);
        let (tables, fine) = make(&terrain.dem, coarser, &friction.roughness, &folder(options))?;
        depths.lay_in_cells(coarser, &bed.levels, &tables);
        if let Roughness::Cells(cells) = &mut friction.roughness {
            cells.clone_from(&tables.roughness);
        }
        said.note(format!(
            "subgrid: {0} × {0} pixels of the DEM make a cell of {1:.3} × {2:.3} m",
            asked.ratio,
            grid.dx * asked.ratio as f64,
            grid.dy * asked.ratio as f64
        ));
        terrain.make_coarser(coarser, &tables);
        Ok(Some(Subgrid {
            tables: Arc::new(tables),
            fine: Arc::new(fine),
            laid: Some((depths, friction)),
        }))
    }
}

/// Makes the tables, and puts the ground that they are of on the disk.
fn make(
    dem: &Dem,
    coarser: Coarser,
    roughness: &Roughness,
    folder: &Path,
) -> Result<(Tables, FineGround)> {
    let (ratio, columns) = (coarser.ratio, dem.grid.columns);
    let roughness = match roughness {
        Roughness::Uniform(_) => None,
        Roughness::Cells(cells) => Some(cells),
    };
    let mut builder = Builder::new(columns, dem.grid.rows, ratio, roughness.is_some());
    let mut fine = FineGround::new(dem.grid.clone(), ratio, folder)?;
    for (at, band) in dem.bed.levels.chunks(columns * ratio).enumerate() {
        let from = at * columns * ratio;
        builder.band(band, roughness.map(|cells| &cells[from..from + band.len()]));
        fine.band(band)?;
    }
    Ok((builder.finish(), fine.finish()))
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

//! Initial water and forcing of a run, in a common grain.

use super::coarser::Coarser;
use super::depths::Depths;
use super::friction::Friction;
use super::grain::{self, mean_depth};
use super::levels::Levels;
use super::links::{LinkFacts, LinkInput};
use super::open_sides::OpenRim;
use super::options::{GrainChoice, Options};
use super::rain::fall_on_open_pixels;
use super::ratings::Ratings;
use super::stage_sides::HeldRim;
use super::structures::StructureInput;
use super::subgrid::Subgrid;
use super::terrain::Terrain;
use super::validated::ValidatedOptions;
use super::water::{self, Rates, Time};
use crate::engine::boundary::OpenEdges;
use crate::engine::grains::Grain;
use crate::engine::time_step::FIRST;
use crate::error::Result;
use crate::input::notice::Notices;

/// Initial water and forcing.
pub struct BoundaryConditions {
    /// Rain, sources, levels and links.
    pub rates: Rates,
    /// Names of the stage boundaries, followed by the rating curves.
    pub holders: Vec<String>,
    /// Number of rating curves among them.
    pub ratings: usize,
    /// Pumps and culverts.
    pub links: Vec<LinkFacts>,
    /// Structures on the edges between cells; their engine input is in `rates`.
    pub structures: StructureInput,
    /// Initial water per cell (grains); empty if there is none.
    pub initial: Vec<i32>,
    /// Grain of the water.
    pub grain: Grain,
    /// Open sides, except sides closed by stage boundaries.
    pub open: OpenEdges,
    /// Roughness of the cells.
    pub friction: Friction,
}

impl BoundaryConditions {
    /// Reads initial water and forcing. The boundary of the raster is closed at cells of stage
    /// boundaries along open sides. `subgrid` provides initial water and roughness that were mapped
    /// onto the fine ground.
    pub fn read(
        options: &Options,
        asked: &mut ValidatedOptions,
        terrain: &mut Terrain,
        subgrid: Option<&mut Subgrid>,
        time: Time,
        said: &mut Notices,
    ) -> Result<BoundaryConditions> {
        let Terrain { dem, roofs, river_roughness, .. } = terrain;
        let (info, clock, end) = (asked.solver.0, &asked.clock, asked.clock.end());
        let tables = subgrid.as_ref().map(|subgrid| subgrid.tables.clone());
        let (depths, friction) =
            match subgrid.and_then(|subgrid| subgrid.depths_and_friction.take()) {
                Some((depths, friction)) => (depths, Some(friction)),
                None => {
                    let cells = Coarser::new(&dem.grid, 1);
                    (said.of(Depths::read(options, dem.ground(), cells)?), None)
                }
            };
        let mut rim = said.of(OpenRim::on(&asked.open, dem.ground())?);
        let ratings = said.of(Ratings::read(options, dem.ground(), time)?);
        said.warn_all(rim.leave_to_ratings(&ratings.cells().collect()));
        let mut rates = said.of(water::rates(options, rim, dem.ground(), roofs, time)?);
        if let Some(tables) = &tables {
            fall_on_open_pixels(&mut rates.forcing.rates, &dem.bed, tables);
        }
        let levels = said.of(Levels::read(&options.level, dem.ground(), time)?);
        let held_cells = levels.cells();
        let held_rim = said.of(HeldRim::close(&rates.rim, &held_cells, dem.ground()));
        dem.bed.shut = held_rim.shut;
        let links = said.of(LinkInput::read(options.links.as_deref(), dem.ground(), time)?);
        let forcing = &mut rates.forcing;
        let (path, ground) = (options.structures.as_deref(), dem.ground());
        let structures = StructureInput::read(path, ground, info, time, &mut forcing.tables)?;
        let mut structures = said.of(structures);
        forcing.structures = std::mem::take(&mut structures.structures);
        let mean = mean_depth(&forcing.rates, &dem.bed, end) + depths.mean(&dem.bed);
        // The inflow of a step must fit into a cell before it can flow on.
        let step = if info.is_timed() { f64::from(FIRST) } else { clock.longest_step() };
        let brought = forcing.rates.iter().map(|layer| layer.series.peak() * step);
        let deepest = depths
            .deepest(&dem.bed)
            .max(levels.deepest(&dem.bed, end))
            .max(asked.arrivals[0])
            .max(brought.fold(0.0, f64::max));
        let expected = deepest
            .max(grain::depth_at_the_bottom(&dem.bed, mean))
            .max(levels.deepest_fill(&dem.bed, end));
        let choice = options.grain.unwrap_or_default();
        let grain = grain::choose(choice, deepest, expected)?;
        grain::check_asked(deepest, dem.range.1 - dem.range.0)?;
        match grain::note(grain, expected) {
            Some((says, false)) => said.warn(says),
            Some((says, true)) if choice == GrainChoice::Auto => said.note(says),
            _ => {}
        }
        let initial = depths.initial_grains(grain, &dem.bed, tables.as_deref())?;
        forcing.top_up = depths.top_up_grains(grain)?;
        forcing.sinks = depths.sinks;
        let count = ratings.names().count();
        let holders = levels.holders.iter().map(String::as_str).chain(ratings.names());
        let holders: Vec<String> = holders.map(Into::into).collect();
        ratings.force(forcing, levels.holders.len(), dem.ground());
        let triggers = structures.triggers(dem.ground(), grain, &forcing.sites)?;
        forcing.sites.extend(triggers);
        levels.check_apart(forcing, &dem.grid)?;
        forcing.held = levels.held;
        forcing.links = links.links;
        let friction = match friction {
            Some(friction) => friction,
            None => {
                let cover = asked.land_cover.take();
                let timed = info.is_timed();
                let friction = Friction::read(options, cover, dem.ground(), timed)?;
                let mut friction = said.of(friction);
                if timed {
                    friction.lay_rivers(river_roughness, dem.grid.cells());
                }
                friction
            }
        };
        forcing.free = asked.slopes.cells(&dem.grid, &rates.rim, &friction.roughness);
        forcing.free.retain(|free| !held_cells.contains(&free.cell));
        Ok(BoundaryConditions {
            rates,
            holders,
            ratings: count,
            links: links.facts,
            structures,
            initial,
            grain,
            open: held_rim.open,
            friction,
        })
    }
}

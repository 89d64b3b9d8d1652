//! Initial water and forcing of a run, in a common grain.

use super::grain::{self, GrainNote, mean_depth};
use super::levels::StageBoundaries;
use super::links::{LinkFacts, LinkInput};
use super::open_sides::OpenBoundaryCells;
use super::options::{GrainChoice, Options};
use super::rain::fall_on_open_pixels;
use super::ratings::Ratings;
use super::sewers::Sewers;
use super::stage_sides::StageSides;
use super::start_from::Start;
use super::structures::StructureInput;
use super::subgrid::ComputationalGrid;
use super::validated::ValidatedOptions;
use super::water::{self, Rates, Time};
use crate::engine::boundary::OpenSides;
use crate::engine::grains::Grain;
use crate::engine::time_step::FIRST;
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::notice::Notices;

/// Initial water and forcing.
pub struct BoundaryConditions {
    /// Rain, sources, levels and links.
    pub rates: Rates,
    /// Names of the stage boundaries, followed by the rating curves.
    pub holders: Vec<String>,
    /// Number of rating curves among them.
    pub ratings: usize,
    /// Sewer network, if any.
    pub sewers: Option<Sewers>,
    /// Pumps and culverts.
    pub links: Vec<LinkFacts>,
    /// Structures on the edges between cells; their engine input is in `rates`.
    pub structures: StructureInput,
    /// Initial water per cell (grains); empty if there is none.
    pub initial: Vec<i32>,
    /// Cells along open sides that are closed ([`crate::engine::grid::Bed::shut`]).
    pub shut: Vec<usize>,
    /// Grain of the water.
    pub grain: Grain,
    /// Open sides, except sides closed by stage boundaries.
    pub open: OpenSides,
}

impl BoundaryConditions {
    /// Reads the forcing, and converts it and the initial water to a common grain. The boundary of
    /// the raster is closed at cells of stage boundaries along open sides.
    pub fn read(
        options: &Options,
        validated: &ValidatedOptions,
        ground: &ComputationalGrid,
        choice: GrainChoice,
        time: Time,
        notices: &mut Notices,
    ) -> Result<BoundaryConditions> {
        let ComputationalGrid { dem, depths, friction, .. } = ground;
        let (info, clock, end) = (validated.solver.info, &validated.clock, validated.clock.end());
        let tables = ground.tables();
        let sewers = Sewers::read(options, ground, info, time)?;
        let mut open_cells = notices.of(OpenBoundaryCells::on(&validated.open, dem.ground())?);
        let ratings = notices.of(Ratings::read(options, dem.ground(), time)?);
        notices.warn_all(open_cells.leave_to_ratings(&ratings.cells().collect()));
        let mut rates = notices.of(water::rates(options, open_cells, dem.ground(), time)?);
        if let Some(tables) = tables {
            fall_on_open_pixels(&mut rates.forcing.rates, &dem.bed, tables);
        }
        let levels = notices.of(StageBoundaries::read(&options.level, dem.ground(), time)?);
        let held_cells = levels.cells();
        let held_rim = notices.of(StageSides::close(&rates.open_cells, &held_cells, dem.ground()));
        let links = notices.of(LinkInput::read(options.links.as_deref(), dem.ground(), time)?);
        let forcing = &mut rates.forcing;
        let (path, ground) = (options.structures.as_deref(), dem.ground());
        let structures = StructureInput::read(path, ground, info, time, &mut forcing.tables)?;
        let mut structures = notices.of(structures);
        if let Some(tables) = tables {
            notices.warn_all(structures.beside_openings(tables, &dem.grid));
        }
        forcing.structures = std::mem::take(&mut structures.structures);
        let mean = mean_depth(&forcing.rates, &dem.bed, end) + depths.mean(&dem.bed);
        // The inflow of a step must fit into a cell before it can flow on.
        let step = if info.is_timed() { f64::from(FIRST) } else { clock.longest_step() };
        let brought = forcing.rates.iter().map(|layer| layer.series.peak() * step);
        let deepest = depths
            .deepest(&dem.bed)
            .max(levels.deepest(&dem.bed, end))
            .max(validated.arrivals[0])
            .max(brought.fold(0.0, f64::max));
        let expected = deepest
            .max(grain::depth_at_the_bottom(&dem.bed, mean))
            .max(levels.deepest_fill(&dem.bed, end));
        let grain = grain::choose(choice, deepest, expected)?;
        grain::check_asked(deepest, dem.range.1 - dem.range.0)?;
        match grain::note(grain, expected) {
            Some(GrainNote::TooDeep(text)) => notices.warn(text),
            Some(GrainNote::Fits(text)) if choice == GrainChoice::Auto => notices.note(text),
            _ => {}
        }
        let initial = depths.initial_grains(grain, &dem.bed, tables)?;
        forcing.top_up = depths.top_up_grains(grain)?;
        forcing.sinks = depths.sinks.clone();
        let count = ratings.names().count();
        let holders = levels.holders.iter().map(String::as_str).chain(ratings.names());
        let holders: Vec<String> = holders.map(Into::into).collect();
        ratings.force(forcing, levels.holders.len(), dem.ground());
        let first = holders.len();
        let triggers = structures.triggers(dem.ground(), grain, &forcing.sites)?;
        forcing.sites.extend(triggers);
        let mut sewers = sewers.map(|sewers| notices.of(sewers));
        if let Some(sewers) = &mut sewers {
            sewers.force(forcing, first, &dem.grid);
        }
        levels.check_apart(forcing, &dem.grid)?;
        forcing.stage_boundaries = levels.stage_boundaries;
        forcing.links = links.links;
        forcing.free = validated.slopes.cells(&dem.grid, &rates.open_cells, &friction.roughness);
        forcing.free.retain(|free| !held_cells.contains(&free.cell));
        Ok(BoundaryConditions {
            rates,
            holders,
            ratings: count,
            sewers,
            links: links.facts,
            structures,
            initial,
            shut: held_rim.shut,
            grain,
            open: held_rim.open,
        })
    }
    /// Continues the water, the running totals and the levels of the state that the run starts
    /// from.
    ///
    /// # Errors
    /// If the state does not fit the ground.
    pub fn go_on(&mut self, start: &mut Start, ground: Topography) -> Result<()> {
        self.initial = start.water(ground)?;
        start.carry_on(&mut self.rates.forcing.rates);
        start.continue_stages(&mut self.rates.forcing.stage_boundaries);
        if let Some(sewers) = &mut self.sewers {
            sewers.earlier = Some(start.sewers(&sewers.sum)?);
        }
        Ok(())
    }
}

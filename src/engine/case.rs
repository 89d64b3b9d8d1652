//! Builder that sets up a run in a few lines, for users of the engine as a library.
//!
//! ```
//! use inundate_engine::case::Case;
//! use inundate_engine::field::Field;
//! use inundate_engine::ledger::Term;
//!
//! // A valley of 40 x 20 cells of 10 m that falls eastward, with a brook and an open end.
//! let case = Case::new(40, 20, 10.0)
//!     .bed(|column, row| 20.0 - 0.05 * column as f64 + 0.1 * row.abs_diff(10) as f64)
//!     .roughness(0.04)
//!     .source(&[(2, 10)], 1.5)
//!     .open("east")?;
//! let mut run = case.start()?;
//! run.advance_to(600.0)?;
//!
//! // 1.5 m3/s for ten minutes, and not a grain is lost.
//! let volumes = case.volumes(&run);
//! assert!((volumes.of(Term::Inflow) - 900.0).abs() < 1e-3);
//! assert_eq!(volumes.error(), 0.0);
//! // Depths and velocities are slices, row by row.
//! let depths = case.depths(&run)?;
//! let eastward = run.floats(Field::VelocityEast)?;
//! assert!(depths[10 * 40 + 20] > 0.05 && eastward[10 * 41 + 20] > 0.3);
//! # Ok::<(), inundate_engine::error::Error>(())
//! ```

use crate::backend::open;
use crate::boundary::OpenSides;
use crate::clock::Clock;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::link::Link;
use crate::forcing::series::Series;
use crate::forcing::sites::trigger::Trigger;
use crate::forcing::structures::{NUMBERS, Structure, StructureKind};
use crate::forcing::{Account, Footprint, Forcing, RateLayer, Share, StageBoundary};
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::ledger::Volumes;
use crate::losses::Losses;
use crate::neighbourhood::Neighbourhood;
use crate::problem::Problem;
use crate::roughness::Roughness;
use crate::simulation::Simulation;
use crate::snapshot::Snapshot;
use crate::solver::{self, SolverInfo};
use crate::subgrid::build::Builder;
use crate::subgrid::tables::Tables;
use crate::units::{Metre, Second};
use std::sync::Arc;

/// Default solver of a case.
const SOLVER: &str = "shallow-water";

/// The longest step that a run takes (s).
const LONGEST: f32 = 60.0;

/// Builder for a run: flat, dry and closed by default. Columns count from the west, rows from the
/// north.
#[derive(Clone, Debug)]
pub struct Case {
    grid: Grid,
    /// Bed levels (m), row by row; NaN outside the domain.
    bed: Vec<f64>,
    /// Initial depths (m), row by row.
    water: Vec<f64>,
    solver: &'static SolverInfo,
    roughness: Roughness,
    open: OpenSides,
    forcing: Forcing,
    losses: Option<Losses>,
    gauges: Vec<usize>,
    device: Device,
    /// Pixels along a side of a cell, and their levels (m), row by row.
    fine: Option<(usize, Vec<f64>)>,
    /// Triggers of structures: two cells, and a level in them (m) or a time (s).
    begins: Vec<([usize; 2], Option<Metre>, Option<Second>)>,
}

impl Case {
    /// Creates a grid of square cells of `size` (m).
    pub fn new(columns: usize, rows: usize, size: f64) -> Case {
        Case {
            grid: Grid::plain(columns, rows, size),
            bed: vec![0.0; columns * rows],
            water: vec![0.0; columns * rows],
            solver: solver::find(SOLVER).expect("the solver is there"),
            roughness: Roughness::default(),
            open: OpenSides::CLOSED,
            forcing: Forcing::default(),
            losses: None,
            gauges: Vec::new(),
            device: Device::Cpu,
            fine: None,
            begins: Vec::new(),
        }
    }

    /// Sets levels (m) of finer ground within the cells, by column and row of pixels, with `ratio`
    /// pixels along a cell's side; NaN is outside the domain ([`crate::subgrid`]). The bed of a
    /// cell is then its lowest pixel, and its depth is the mean over the cell.
    pub fn subgrid(mut self, ratio: usize, level: impl Fn(usize, usize) -> f64) -> Case {
        let (columns, rows) = (self.grid.columns * ratio, self.grid.rows * ratio);
        let pixels = (0..columns * rows).map(|at| level(at % columns, at / columns));
        self.fine = Some((ratio, pixels.collect()));
        self
    }

    /// Sets bed levels (m) by column and row; NaN is outside the domain.
    pub fn bed(mut self, level: impl Fn(usize, usize) -> f64) -> Case {
        self.bed = self.each_cell(level);
        self
    }

    /// Sets initial water depths (m) by column and row.
    pub fn water(mut self, depth: impl Fn(usize, usize) -> f64) -> Case {
        self.water = self.each_cell(depth);
        self
    }

    /// Sets a uniform Manning's n (s/m^⅓).
    pub fn roughness(mut self, n: f32) -> Case {
        self.roughness = Roughness::Uniform(n);
        self
    }

    /// Sets Manning's n (s/m^⅓) by column and row.
    pub fn uneven_roughness(mut self, n: impl Fn(usize, usize) -> f32) -> Case {
        let columns = self.grid.columns;
        let cells = 0..self.grid.cells();
        self.roughness = Roughness::Cells(cells.map(|at| n(at % columns, at / columns)).collect());
        self
    }

    /// Sets the losses to ground, sewers and air.
    pub fn losses(mut self, losses: Losses) -> Case {
        self.losses = Some(losses);
        self
    }

    /// Adds a pump or culvert between two cells.
    pub fn link(mut self, link: Link) -> Case {
        self.forcing.links.push(link);
        self
    }

    /// Adds a structure (a weir, a levee's crest) on the edge between two neighbouring cells
    /// (column, row); it determines the flux across the edge instead of the solver. `numbers` are
    /// the parameters of its law, which may refer to [`Case::law_tables`] and [`Case::begins`].
    ///
    /// # Panics
    /// If a cell does not exist, or the two are not neighbours.
    pub fn structure(
        mut self,
        between: [(usize, usize); 2],
        kind: StructureKind,
        crest: f64,
        numbers: [f32; NUMBERS],
    ) -> Case {
        let cells = self.numbers(&between);
        let axis = match cells[1] - cells[0] {
            1 if between[0].1 == between[1].1 => 0,
            by if by == self.grid.columns => 1,
            _ => panic!("{between:?} are not neighbours"),
        };
        let (cell, detour) = (cells[0], 1.0);
        let structure = Structure { cell, axis, kind, crest, numbers, detour, waits: None };
        self.forcing.structures.push(structure);
        self
    }

    /// Returns the lookup tables of structure laws. Append a structure's tables
    /// ([`Gate::table`](crate::forcing::structures::gate::Gate::table), for example) before adding
    /// the structure.
    pub fn law_tables(&mut self) -> &mut Vec<f32> {
        &mut self.forcing.tables
    }

    /// Sets a trigger for all waiting structures added so far (such as breaches) that have none:
    /// the water level in either of two cells (column, row) exceeds `level` (m), or a `time` (s) is
    /// reached.
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn begins(
        mut self,
        cells: [(usize, usize); 2],
        level: Option<Metre>,
        time: Option<Second>,
    ) -> Case {
        let cells = self.numbers(&cells);
        let cells = [cells[0], cells[1]];
        let structures = self.forcing.structures.iter_mut();
        let waiting = structures.filter(|of| of.kind.info().waits && of.waits.is_none());
        waiting.for_each(|structure| structure.waits = Some(cells));
        self.begins.push((cells, level, time));
        self
    }

    /// Adds a gauge at a cell (column, row): its greatest depth and speed are recorded in every
    /// step (`run.backend.gauge_states()`).
    ///
    /// # Panics
    /// If the cell does not exist.
    pub fn gauge(mut self, cell: (usize, usize)) -> Case {
        self.gauges.extend(self.numbers(&[cell]));
        self
    }

    /// Selects the device, the CPU by default. Results do not depend on it.
    pub fn on(mut self, device: Device) -> Case {
        self.device = device;
        self
    }

    /// Selects a solver by name.
    ///
    /// # Errors
    /// If there is no such solver, or if its steps have no duration.
    pub fn solver(mut self, name: &str) -> Result<Case> {
        let timed = solver::find(name).filter(|solver| solver.is_timed());
        self.solver = timed.ok_or_else(|| {
            Error::input(format!("'{name}' is not a solver with physical time"))
                .hint(format!("the solvers: {}", solver::names().join(", ")))
        })?;
        Ok(self)
    }

    /// Opens sides by name: `east`, `north,west`, `all`.
    ///
    /// # Errors
    /// If a name is not a side.
    pub fn open(mut self, sides: &str) -> Result<Case> {
        self.open = OpenSides::parse(sides)?;
        Ok(self)
    }

    /// Adds constant rain everywhere (m/s) from the start.
    pub fn rain(self, rate: f64) -> Case {
        self.rain_over_time(Series::constant(rate))
    }

    /// Adds rain everywhere (m/s) as a series over time (s).
    pub fn rain_over_time(mut self, series: Series) -> Case {
        let (account, footprint) = (Account::Rain, Footprint::Everywhere);
        self.forcing.rates.push(RateLayer { account, footprint, series });
        self
    }

    /// Adds a constant discharge (m³/s) from the start, divided equally among cells (column, row).
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn source(self, cells: &[(usize, usize)], discharge: f64) -> Case {
        self.hydrograph(cells, &Series::constant(discharge))
    }

    /// Adds a discharge (m³/s) over time (s), divided equally among cells (column, row).
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn hydrograph(mut self, cells: &[(usize, usize)], discharge: &Series) -> Case {
        let into = self.numbers(cells).into_iter().map(|cell| (cell, Share::WHOLE)).collect();
        let area = cells.len().max(1) as f64 * self.grid.cell_area();
        let (account, footprint) = (Account::Inflow, Footprint::Cells(into));
        self.forcing.rates.push(RateLayer {
            account,
            footprint,
            series: discharge.scaled(1.0 / area),
        });
        self
    }

    /// Adds sinks: cells (column, row) that remove all water reaching them.
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn sink(mut self, cells: &[(usize, usize)]) -> Case {
        self.forcing.sinks.extend(self.numbers(cells));
        self.forcing.sinks.sort_unstable();
        self.forcing.sinks.dedup();
        self
    }

    /// Holds the water level of cells (column, row) at a constant `level` (m); a cell may be held
    /// only once.
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn constant_stage(self, cells: &[(usize, usize)], level: f64) -> Case {
        self.stage(cells, Series::constant(level))
    }

    /// Holds the water level (m) of cells (column, row) to a series over time (s); a cell may be
    /// held only once.
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn stage(mut self, cells: &[(usize, usize)], level: Series) -> Case {
        let cells = self.numbers(cells);
        let holders = vec![self.forcing.stage_boundaries.len() as u32; cells.len()];
        self.forcing.stage_boundaries.push(StageBoundary { cells, level, holders });
        self
    }

    /// Builds the engine's problem.
    ///
    /// # Errors
    /// If a level or a depth is out of range, or if there are subgrid levels and the solver does
    /// not support them.
    pub fn problem(&self) -> Result<Problem> {
        let cell = |at: usize| (at % self.grid.columns, at / self.grid.columns);
        let fine = self.fine.iter().flat_map(|(_, levels)| levels);
        if let Some(z) = fine.clone().find(|z| z.is_finite() && Bed::quantize(**z).is_none()) {
            return Err(Error::input(format!("subgrid: a level of {z} m is out of range"))
                .hint(format!("levels are within {} m", Bed::LIMIT)));
        }
        if let Some(at) = self.bed.iter().position(|z| z.is_finite() && Bed::quantize(*z).is_none())
        {
            return Err(Error::input(format!(
                "bed: {} m at {:?} is out of range",
                self.bed[at],
                cell(at)
            ))
            .hint(format!("levels are within {} m", Bed::LIMIT)));
        }
        let grains = |(at, depth): (usize, &f64)| grains(*depth, cell(at));
        let subgrid = self.fine.as_ref().map(|(ratio, fine)| self.tables(*ratio, fine));
        let bed = match &subgrid {
            Some(tables) => Bed { levels: tables.bed.clone(), ..Bed::default() },
            None => Bed::from_metres(self.bed.iter().copied()),
        };
        let mut forcing = self.forcing.clone();
        for (cells, level, time) in &self.begins {
            forcing.sites.extend(Trigger::at(*cells, *level, *time, &bed, Grain::Fine));
        }
        forcing.sites.sort_by_key(|site| site.cell);
        let problem = Problem {
            grid: self.grid.clone(),
            bed,
            subgrid: subgrid.map(Arc::new),
            initial: self.water.iter().enumerate().map(grains).collect::<Result<_>>()?,
            solver: self.solver.solver(Neighbourhood::VonNeumann, None),
            neighbourhood: Neighbourhood::VonNeumann,
            open: self.open,
            forcing,
            grain: Grain::Fine,
            arrival: Grain::Fine.from_depth(0.05).expect("a depth that fits"),
            roughness: self.roughness.clone(),
            losses: self.losses.clone(),
            cell_diagnostics: Vec::new(),
            gauges: self.gauges.clone(),
            keeps_discharge: true,
        };
        problem.check_solver()?;
        Ok(problem)
    }

    /// Builds the tables of the subgrid levels.
    fn tables(&self, ratio: usize, fine: &[f64]) -> Tables {
        let columns = self.grid.columns * ratio;
        let levels = Bed::from_metres(fine.iter().copied()).levels;
        let (size, cell) = ([columns, self.grid.rows * ratio], [self.grid.dx, self.grid.dy]);
        let mut builder = Builder::new(size, cell.map(|side| side / ratio as f64), ratio, false);
        levels.chunks(columns * ratio).for_each(|band| builder.band(band, None));
        builder.finish()
    }

    /// Starts the run, without taking a step; on a CPU it uses all threads of rayon's current pool.
    /// It has no end time: step it by [`Simulation::advance_to`].
    ///
    /// # Errors
    /// As [`Case::problem`], and if the device is not available.
    pub fn start(&self) -> Result<Simulation> {
        let problem = self.problem()?;
        let clock = Clock::adaptive(1e15, LONGEST, self.solver.safety());
        let backend = open::on(problem, self.device, None)?;
        Ok(Simulation::new(backend, clock))
    }

    /// Replaces a run's forcing by this case's. Sources and stages must be in the same cells; their
    /// series may differ. Costs no more than a step.
    ///
    /// # Errors
    /// As [`Case::problem`], and if the number of series differs from the run's.
    pub fn force(&self, run: &mut Simulation) -> Result<()> {
        run.force(self.problem()?.timeline())
    }

    /// Takes a snapshot of a run of this case.
    ///
    /// # Errors
    /// As [`Snapshot::of`].
    pub fn snapshot(&self, run: &Simulation) -> Result<Snapshot> {
        Snapshot::of(run, &self.problem()?)
    }

    /// Resumes this case from a snapshot, which may come from a run with other forcing.
    ///
    /// # Errors
    /// As [`Snapshot::go_on`].
    pub fn go_on(&self, from: &Snapshot) -> Result<Simulation> {
        from.go_on(self.problem()?, self.device)
    }

    /// Sets the water of cells, given as (column, row) and depth (m), in a snapshot of this case.
    ///
    /// # Errors
    /// As [`Snapshot::set_water`].
    ///
    /// # Panics
    /// If a cell does not exist.
    pub fn set_depths(&self, state: &mut Snapshot, depths: &[((usize, usize), f64)]) -> Result<()> {
        let set = |&(cell, depth)| Ok((self.numbers(&[cell])[0], grains(depth, cell)?));
        let cells = depths.iter().map(set).collect::<Result<Vec<_>>>()?;
        state.set_water(&self.problem()?, &cells)
    }

    /// Reads the current depths (m), row by row.
    ///
    /// # Errors
    /// If the device fails.
    pub fn depths(&self, run: &Simulation) -> Result<Vec<f32>> {
        let grains = run.bits(Field::Water)?;
        Ok(grains.into_iter().map(|grains| Grain::Fine.depth(grains as i32)).collect())
    }

    /// Reads the current water levels (m), row by row: bed level in dry cells, NaN outside the
    /// domain.
    ///
    /// # Errors
    /// As [`Case::problem`], and if the device fails.
    pub fn levels(&self, run: &Simulation) -> Result<Vec<f64>> {
        let problem = self.problem()?;
        let water = run.bits(Field::Water)?;
        let level = |(cell, &grains): (usize, &u32)| problem.level_of(cell, grains as i32);
        Ok(water.iter().enumerate().map(level).collect())
    }

    /// Returns the current ledger (m³).
    pub fn volumes(&self, run: &Simulation) -> Volumes {
        run.backend.ledger().volumes(Grain::Fine, self.grid.cell_area())
    }

    /// Returns the indices of cells (column, row), in ascending order.
    fn numbers(&self, cells: &[(usize, usize)]) -> Vec<usize> {
        let Grid { columns, rows, .. } = self.grid;
        let number = |&(column, row): &(usize, usize)| {
            assert!(column < columns && row < rows, "no cell ({column}, {row})");
            row * columns + column
        };
        let mut numbers: Vec<usize> = cells.iter().map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn each_cell(&self, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let columns = self.grid.columns;
        (0..self.grid.cells()).map(|cell| value(cell % columns, cell / columns)).collect()
    }
}

/// Converts a depth (m) in a cell (column, row) to grains.
fn grains(depth: f64, cell: (usize, usize)) -> Result<i32> {
    Grain::Fine.from_depth(depth).ok_or_else(|| {
        Error::input(format!("water: {depth} m at {cell:?} is out of range"))
            .hint(format!("depths are from 0 to {} m", Grain::Fine.deepest()))
    })
}

//! A plain implementation of the step of a solver with physical time: the whole grid at once, cell
//! by cell, each edge once, in f32. It shares only the solver's arithmetic and the forcing's series
//! with the engine: no vectors, tiles, halos, bands or skipping.

use super::Case;
use super::momentum::{self, Map};
use inundate_engine::backend::FluxStatistics;
use inundate_engine::forcing::normal_depth::NormalDepthOutflow;
use inundate_engine::forcing::ports::{self, BoundaryVolumes, Port};
use inundate_engine::forcing::sites::SiteKind;
use inundate_engine::forcing::{
    Account, Footprint, Forcing, Increment, RateLayer, Share, StageBoundary,
};
use inundate_engine::grains::phase;
use inundate_engine::grid::Bed;
use inundate_engine::ledger::Ledger;
use inundate_engine::run_diagnostics::{DEEP, Extremes, FAST, Maxima, Maximum, evaluates_flow};
use inundate_engine::solver::ROOT_G;
use inundate_engine::solver::edge::{
    Axis, DRY, Edge, EdgeField, EdgeSolver, FaceFlux, MAX_FACE_FLUX, open_of,
};
use inundate_engine::solver::momentum::MomentumSolver;
use inundate_engine::solver::{CellSolver, WithSolver};
use inundate_engine::time_step::Bound;
use std::collections::HashSet;

/// Margin of the grid on every side: the ghosts of open edges, and the cells that edges beside them
/// read.
const MARGIN: usize = 5;

/// Kind of ground at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ground {
    Wall,
    Ghost(i32),
    Cell(i32),
}

/// Flow across an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    grains: i64,
    cut: i64,
    discharge: f32,
    cfl_rate: f32,
    /// Level difference [m], depth of flow [m], velocity and speed of waves [m/s].
    difference: f32,
    depth: f32,
    velocity: f32,
    wave: f32,
    critical: bool,
}

/// Flow across the edges east and south of each place.
type Flows = [Vec<Flow>; 2];

/// Returns the bed of the ghost at a place (column, row) beside a cell: the bed of the cell minus
/// the median of the three drops behind it.
fn falls_on(bed: &Bed, [columns, rows]: [isize; 2], place: [isize; 2], cell: usize) -> i32 {
    let (mut column, mut row) = (cell as isize % columns, cell as isize / columns);
    let (right, down) = (place[0] - column, place[1] - row);
    let mut drops = Vec::new();
    let mut last = bed.levels[cell];
    while drops.len() < 3 {
        (column, row) = (column - right, row - down);
        let off = column < 0 || row < 0 || column >= columns || row >= rows;
        let next = if off { Bed::OUTSIDE } else { bed.levels[(row * columns + column) as usize] };
        let known = last != Bed::OUTSIDE && next != Bed::OUTSIDE;
        drops.push(if known { next - last } else { 0 });
        last = next;
    }
    let (least, most) = (drops.iter().min().unwrap(), drops.iter().max().unwrap());
    let median = drops.iter().sum::<i32>() - least - most;
    bed.levels[cell] - median.clamp(0, Bed::ROOM_BELOW)
}

/// A grid with plain steps.
pub struct Twin {
    case: Case,
    stride: usize,
    ground: Vec<Ground>,
    roughness: Vec<f32>,
    water: Vec<i32>,
    /// Discharge of the edges east and south of each place.
    discharge: [Vec<f32>; 2],
    /// Velocity of the edges east and south of each place.
    velocity: [Vec<f32>; 2],
    /// Water after it has moved, while velocities are updated.
    moved: Vec<i32>,
    most: Vec<i32>,
    arrival: Vec<f32>,
    pub ledger: Ledger,
    pub port_volumes: BoundaryVolumes,
    /// The side of each ghost.
    sides: Vec<Port>,
    pub crossed: FluxStatistics,
    pub extremes: Extremes,
    /// Maxima of the current step, by cells of the grid.
    maxima: Maxima,
    pub time: f64,
    pub number: u64,
    pub free: f32,
    pub rate: f32,
    /// Rate that limits the steps of the epoch, and number of its steps taken.
    pub epoch_rate: f32,
    pub epoch: u32,
    /// Limits of the step length due to the forcing.
    bounds: Vec<Bound>,
    /// Length of every step.
    pub steps: Vec<f32>,
}

impl Twin {
    /// Creates the case in its initial state.
    pub fn new(case: &Case) -> Twin {
        let bed = case.stored_bed();
        let (columns, rows) = (case.columns as isize, case.rows as isize);
        let stride = case.columns + 2 * MARGIN;
        let places = stride * (case.rows + 2 * MARGIN);
        let rim = case.open.boundary_ghosts(&bed, case.columns, case.rows);
        let mut twin = Twin {
            case: case.clone(),
            stride,
            ground: vec![Ground::Wall; places],
            roughness: vec![1.0; places],
            water: vec![0; places],
            discharge: [vec![0.0; places], vec![0.0; places]],
            velocity: [vec![0.0; places], vec![0.0; places]],
            moved: Vec::new(),
            most: vec![0; places],
            arrival: vec![-1.0; places],
            ledger: Ledger::default(),
            port_volumes: BoundaryVolumes::default(),
            sides: vec![0; places],
            crossed: FluxStatistics::default(),
            extremes: Extremes::default(),
            maxima: Maxima::default(),
            time: 0.0,
            number: 0,
            free: 0.0,
            rate: 0.0,
            epoch_rate: 0.0,
            epoch: 0,
            bounds: case.problem().timeline().bounds,
            steps: Vec::new(),
        };
        for place in 0..places {
            let column = (place % stride) as isize - MARGIN as isize;
            let row = (place / stride) as isize - MARGIN as isize;
            let (near_column, near_row) = (column.clamp(0, columns - 1), row.clamp(0, rows - 1));
            let cell = (near_row * columns + near_column) as usize;
            let on_grid = (near_column, near_row) == (column, row);
            // Ghosts are next to an open side, and diagonally between two open sides.
            let beyond = [
                case.open.west && column == -1 && near_row == row,
                case.open.east && column == columns && near_row == row,
                case.open.north && row == -1 && near_column == column,
                case.open.south && row == rows && near_column == column,
                case.open.north && case.open.west && row == -1 && column == -1,
                case.open.north && case.open.east && row == -1 && column == columns,
                case.open.south && case.open.west && row == rows && column == -1,
                case.open.south && case.open.east && row == rows && column == columns,
            ];
            let level = bed.levels[cell];
            let ghost_of = if on_grid {
                rim.iter().find(|&&(ghost, _)| ghost == cell).map(|&(_, of)| of)
            } else {
                let size = (case.columns, case.rows);
                beyond
                    .contains(&true)
                    .then(|| case.open.corner_beside(&bed, &rim, size, [column, row]))
                    .flatten()
            };
            let ghost = |of| Ground::Ghost(falls_on(&bed, [columns, rows], [column, row], of));
            twin.ground[place] = match (level == Bed::OUTSIDE, on_grid) {
                (false, true) => Ground::Cell(level),
                (false, false) if beyond.contains(&true) => ghost(cell),
                (true, _) => match ghost_of {
                    Some(of) => ghost(of),
                    None => Ground::Wall,
                },
                _ => Ground::Wall,
            };
            // Beyond the raster, the side is that of the raster, with corners to the north and
            // south; in a collar, it is given by the adjacent cell.
            let of = ghost_of.map_or([0, 0], |of| [of as isize % columns, of as isize / columns]);
            twin.sides[place] = if !on_grid {
                match (column, row) {
                    (_, row) if row < 0 => ports::NORTH,
                    (_, row) if row >= rows => ports::SOUTH,
                    (column, _) if column < 0 => ports::WEST,
                    _ => ports::EAST,
                }
            } else if row != of[1] {
                if row < of[1] { ports::NORTH } else { ports::SOUTH }
            } else if column < of[0] {
                ports::WEST
            } else {
                ports::EAST
            };
            let source = if level == Bed::OUTSIDE { ghost_of } else { None };
            twin.roughness[place] = case.roughness.of(source.unwrap_or(cell));
            if let Ground::Cell(_) = twin.ground[place] {
                let water = case.initial[cell];
                twin.water[place] = water;
                twin.most[place] = water;
                twin.ledger.initial += i128::from(water);
                if water > twin.threshold() {
                    twin.arrival[place] = 0.0;
                }
            }
        }
        twin
    }

    /// Returns the case.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Returns the water of the cells, row-major [grains].
    pub fn water(&self) -> Vec<i32> {
        self.cells(&self.water)
    }

    /// Returns the maximum water so far [grains].
    pub fn most(&self) -> Vec<i32> {
        self.cells(&self.most)
    }

    /// Returns the arrival times.
    pub fn arrival(&self) -> Vec<f32> {
        self.cells(&self.arrival)
    }

    /// Returns the state of a solver on the edges east (0) or south (1) of the cells [m²/s or m/s].
    /// Each line also has an edge before its first cell.
    pub fn edges(&self, field: EdgeField, axis: usize) -> Vec<f32> {
        let layer = match field {
            EdgeField::Discharge => &self.discharge[axis],
            EdgeField::Velocity => &self.velocity[axis],
        };
        let back = self.ahead(axis);
        let (columns, rows) = (self.case.columns + 1 - axis, self.case.rows + axis);
        let first = MARGIN * self.stride + MARGIN - back;
        let line = |row: usize| &layer[first + row * self.stride..][..columns];
        (0..rows).flat_map(|row| line(row).to_vec()).collect()
    }

    /// Takes a step.
    pub fn step(&mut self) {
        let solver = self.case.solver.solver(self.case.neighbourhood, None);
        solver.run(OneStep(self));
    }

    fn cells<T: Copy>(&self, layer: &[T]) -> Vec<T> {
        (0..self.case.bed.len()).map(|cell| layer[self.place(cell)]).collect()
    }

    fn place(&self, cell: usize) -> usize {
        let (column, row) = (cell % self.case.columns, cell / self.case.columns);
        (row + MARGIN) * self.stride + column + MARGIN
    }

    fn threshold(&self) -> i32 {
        self.case.grain.from_depth(self.case.arrival).expect("it fits")
    }

    fn is_cell(&self, place: usize) -> bool {
        matches!(self.ground[place], Ground::Cell(_))
    }

    /// Chooses the next step as documented: at most the length that the flow allowed when the epoch
    /// of 16 steps began (unless that is 1.3 times too long by now), 1.2 times the last step, the
    /// maximum, and the limit of the forcing; it ends at the next event.
    fn stride(&mut self) -> (f32, f64, f64) {
        let forcing = &self.case.forcing;
        let poured = forcing.rates.iter().filter(|layer| {
            layer.account == Account::Inflow || matches!(layer.footprint, Footprint::Cells(_))
        });
        let sources: Vec<_> = poured.map(|layer| &layer.series).collect();
        let levels: Vec<_> = forcing.stage_boundaries.iter().map(|held| &held.level).collect();
        let breaks = sources
            .iter()
            .chain(&levels)
            .flat_map(|series| series.pieces())
            .map(|piece| piece.time);
        let stop = breaks.filter(|&time| time > self.time).fold(f64::INFINITY, f64::min);
        let grown = if self.free == 0.0 { 0.05 } else { 1.2 * self.free };
        let safety = self.case.solver.safety();
        let most = self.bounded(grown.min(self.case.longest));
        let choose = |rate: f32| if rate > 0.0 { (safety / rate).min(most) } else { most };
        let too_long = choose(self.epoch_rate) * self.rate > 1.3 * safety;
        if self.free == 0.0 || self.epoch.is_multiple_of(16) || too_long {
            (self.epoch_rate, self.epoch) = (self.rate, 0);
        }
        self.epoch += 1;
        self.free = choose(self.epoch_rate);
        let left = stop - self.time;
        let (dt, end) = if left <= f64::from(self.free) {
            (left as f32, stop)
        } else {
            let free = f64::from(self.free);
            // The last steps before a stop are equal.
            let even = left < 64.0 * free;
            let dt = if even { (left / (left / free).ceil()) as f32 } else { self.free };
            (dt, self.time + f64::from(dt))
        };
        let start = std::mem::replace(&mut self.time, end);
        (dt, start, end)
    }

    /// Returns the step length limited by the bounds that apply within it, unless the step ends
    /// before a bound starts.
    fn bounded(&self, most: f32) -> f32 {
        let bounds = &self.bounds;
        let mut most = f64::from(most);
        for (at, bound) in bounds.iter().enumerate() {
            let ends = bounds.get(at + 1).map_or(f64::INFINITY, |next| next.time);
            let until = bound.time - self.time;
            if ends > self.time && until < most {
                most = most.min(until.max(bound.longest));
            }
        }
        most as f32
    }

    fn force(&mut self, dt: f32, start: f64, end: f64) {
        let grain = self.case.grain;
        let datum = self.case.stored_bed().datum();
        let forcing = self.case.forcing.clone();
        for layer in self.layers(false) {
            for (place, gain) in self.gains(&layer, start, end) {
                self.water[place] += gain as i32;
                match layer.account {
                    Account::Rain => self.ledger.rain += i128::from(gain),
                    Account::Inflow => self.ledger.inflow += i128::from(gain),
                    Account::Evaporation => unimplemented!("the twin has no losses"),
                }
            }
        }
        for &(cell, level) in &forcing.top_up {
            let place = self.place(cell);
            if self.is_cell(place) {
                let gain = (level - self.water[place]).max(0);
                self.water[place] += gain;
                self.ledger.inflow += i128::from(gain);
            }
        }
        for held in &forcing.stage_boundaries {
            let level = held.level.lowered(f64::from(datum) / Bed::PER_METRE).at(end);
            let level = (level * f64::from(grain.per_metre())).floor() as i64;
            for (&cell, &holder) in held.cells.iter().zip(&held.holders) {
                let place = self.place(cell);
                let Ground::Cell(bed) = self.ground[place] else { continue };
                let water = StageBoundary::water(level, bed - datum, grain);
                let gain = i64::from(water) - i64::from(self.water[place]);
                self.ledger.inflow += i128::from(gain.max(0));
                self.ledger.outflow += i128::from((-gain).max(0));
                self.book_gain(holder, gain);
                self.water[place] = water;
            }
        }
        // Without momentum, this happens after the flow.
        if self.case.solver.has_momentum() {
            self.let_in(&forcing);
            for (place, leaves, port) in self.runs_out(dt) {
                self.water[place] -= leaves;
                self.ledger.outflow += i128::from(leaves);
                self.port_volumes.add(port, 0, leaves as u64);
            }
        }
    }

    /// Sets the velocities behind stage boundaries that reach to the edge of the map to the discharge per
    /// width inside, divided by the depth of the boundary: in part beyond a Froude number of √(2/3) in the cell
    /// inside, and not at all if that is critical or has sites.
    fn let_in(&mut self, forcing: &Forcing) {
        let held: Vec<usize> =
            forcing.stage_boundaries.iter().flat_map(|held| held.cells.clone()).collect();
        let poured = forcing.rates.iter().filter_map(|layer| match &layer.footprint {
            Footprint::Cells(cells) => Some(cells.iter().map(|(cell, _)| *cell)),
            _ => None,
        });
        let others = forcing.sites.iter().filter(|site| site.given.kind != SiteKind::Trigger);
        let sites = held.iter().copied().chain(poured.flatten());
        let sites = sites.chain(forcing.top_up.iter().map(|at| at.0));
        let sites = sites.chain(forcing.free.iter().map(|free| free.cell));
        let sites = sites.chain(others.map(|site| site.cell));
        let sites: HashSet<usize> = sites.map(|cell| self.place(cell)).collect();
        let metres = self.case.grain.metres();
        let held_places: HashSet<usize> = held.iter().map(|&cell| self.place(cell)).collect();
        let flowing = held_places.iter().copied().filter(|place| self.is_section(forcing, *place));
        for place in flowing.collect::<Vec<_>>() {
            for (axis, inward) in [(0, 1), (0, -1), (1, 1), (1, -1)] {
                let step = self.ahead(axis) as isize * inward;
                let [outside, inside] = [-step, step].map(|by| place.wrapping_add_signed(by));
                let Ground::Cell(bed) = self.ground[place] else { continue };
                let Ground::Cell(bed_inside) = self.ground[inside] else { continue };
                let mut edge = outside;
                while held_places.contains(&edge) {
                    edge = edge.wrapping_add_signed(-step);
                }
                if !matches!(self.ground[edge], Ground::Wall) || sites.contains(&inside) {
                    continue;
                }
                let (beyond, entered) = if inward > 0 { (outside, place) } else { (place, inside) };
                let velocity = self.velocity[axis][entered] * inward as f32;
                let [depth, deep] = [place, inside].map(|at| self.water[at] as f32 * metres);
                let over = depth - ((bed_inside - bed) as f32 * Bed::STEP).max(0.0);
                let from_afar = (velocity * over.max(0.0)) / depth;
                let critical = 9.81 * deep;
                let part = 3.0 * ((critical - velocity * velocity) / critical);
                let enters = velocity > 0.0 && depth > 1e-5 && deep > 1e-5;
                let enters =
                    if enters { part.clamp(0.0, 1.0) * from_afar.min(velocity) } else { 0.0 };
                self.velocity[axis][beyond] = enters * inward as f32;
            }
        }
    }

    /// Returns whether the cells of the holder of a level at a place border on lower ground or open
    /// sides in one direction only.
    fn is_section(&self, forcing: &Forcing, place: usize) -> bool {
        let holders = forcing.stage_boundaries.iter();
        let holders = holders.flat_map(|stage| {
            let cells = stage.cells.iter().zip(&stage.holders);
            cells.map(move |(&cell, &holder)| (self.place(cell), holder, &stage.level))
        });
        let (_, own, series) = holders.clone().find(|(at, ..)| *at == place).expect("a stage cell");
        let cells: Vec<usize> =
            holders.filter(|(_, holder, _)| *holder == own).map(|(at, ..)| at).collect();
        let highest = series.pieces().iter().fold(f64::MIN, |most, piece| most.max(piece.value));
        let free = |step: isize| {
            cells.iter().any(|cell| {
                let beside = cell.wrapping_add_signed(step);
                match self.ground[beside] {
                    Ground::Wall => false,
                    Ground::Cell(bed) => {
                        let low = f64::from(bed) / Bed::PER_METRE < highest;
                        low && !cells.contains(&beside)
                    }
                    _ => true,
                }
            })
        };
        let [ahead, down] = [0, 1].map(|axis| self.ahead(axis) as isize);
        [-ahead, ahead, -down, down].into_iter().filter(|step| free(*step)).count() <= 1
    }

    /// Returns the layers whose water comes before the flow, or after it: inflow into single cells
    /// would raise the levels that drive the flow.
    fn layers(&self, after_flow: bool) -> Vec<RateLayer> {
        let momentum = self.case.solver.has_momentum();
        let after = |layer: &&RateLayer| {
            let cells = matches!(layer.footprint, Footprint::Cells(_));
            !momentum && cells && layer.account == Account::Inflow
        };
        let rates = self.case.forcing.rates.iter();
        rates.filter(|layer| after(layer) == after_flow).cloned().collect()
    }

    /// Returns what the places of cells gain from a layer between two times [s].
    fn gains(&self, layer: &RateLayer, start: f64, end: f64) -> Vec<(usize, u64)> {
        let [before, after] = [start, end].map(|time| layer.series.grains(time, self.case.grain));
        let share = |cell: usize| match &layer.footprint {
            Footprint::Everywhere => Some(Share::WHOLE),
            Footprint::Shares(shares) => Some(shares[cell]),
            Footprint::Zones(zoned) => Some(zoned.share(cell)),
            Footprint::Cells(cells) => {
                cells.iter().find(|(at, _)| *at == cell).map(|(_, share)| *share)
            }
        };
        let cells = (0..self.case.bed.len()).map(|cell| (self.place(cell), share(cell)));
        let cells = cells.filter(|&(place, _)| self.is_cell(place));
        cells
            .filter_map(|(place, share)| Some((place, share?.gains(Increment { before, after }))))
            .collect()
    }

    /// Books the gain or loss by a holder of a level [grains].
    fn book_gain(&mut self, holder: u32, gain: i64) {
        let (came, left) = (gain.max(0) as u64, (-gain).max(0) as u64);
        self.port_volumes.add(ports::of_holder(holder), came, left);
    }

    /// Returns the water that leaves cells at normal depth, and the ports, from the current water.
    fn runs_out(&self, dt: f32) -> Vec<(usize, i32, Port)> {
        let (grain, phase) = (self.case.grain, phase(self.number));
        let places = self.case.forcing.free.iter().map(|free| (self.place(free.cell), free));
        let cells = places.filter(|&(place, _)| self.is_cell(place));
        let leaves = |(place, free): (usize, &NormalDepthOutflow)| {
            let has = self.water[place];
            (place, NormalDepthOutflow::leaves(free.conveyance, has, dt, phase, grain), free.port)
        };
        cells.map(leaves).collect()
    }

    /// Returns level difference and depth of flow between two places [m]; `None` if one of them is
    /// a wall.
    fn levels(&self, a: usize, b: usize) -> Option<(f32, f32)> {
        let bed = |place: usize| match self.ground[place] {
            Ground::Wall => None,
            Ground::Ghost(level) | Ground::Cell(level) => Some(level),
        };
        let metres = self.case.grain.metres();
        let (water_a, water_b) = (self.water[a], self.water[b]);
        let fall = (bed(a)? - bed(b)?) as f32 / Bed::PER_METRE as f32;
        let difference = ((water_a - water_b) as f32).mul_add(metres, fall);
        let depth = if difference >= 0.0 {
            water_a as f32 * metres + fall.min(0.0)
        } else {
            water_b as f32 * metres - fall.max(0.0)
        };
        Some((difference, depth))
    }

    /// Returns the value of the edge from `a` to the place ahead of it that transverse edges use.
    fn face<R: EdgeSolver>(&self, solver: R, axis: usize, a: usize) -> f32 {
        if R::REMEMBERS {
            return self.discharge[axis][a];
        }
        match self.levels(a, a + self.ahead(axis)) {
            Some((difference, depth)) if depth > DRY => solver.face(difference),
            _ => 0.0,
        }
    }

    fn ahead(&self, axis: usize) -> usize {
        [1, self.stride][axis]
    }

    /// Returns the flow across the edge from `a` to the place ahead of it.
    fn flow<R: EdgeSolver>(&self, solver: R, axes: &[Axis; 2], axis: usize, a: usize) -> Flow {
        let (ahead, across) = (self.ahead(axis), self.ahead(1 - axis));
        let b = a + ahead;
        let Some((difference, depth)) = self.levels(a, b) else { return Flow::default() };
        if depth <= DRY {
            return Flow::default();
        }
        // The four edges that cross its ends.
        let mut beside =
            [a - across, b - across, a, b].map(|from| self.face(solver, 1 - axis, from));
        if R::REMEMBERS {
            beside = open_of(beside);
        }
        let transverse = if beside.iter().all(|&face| face > 0.0) {
            beside.into_iter().fold(f32::INFINITY, f32::min)
        } else if beside.iter().all(|&face| face < 0.0) {
            beside.into_iter().fold(f32::NEG_INFINITY, f32::max)
        } else {
            0.0
        };
        let donor = if difference > 0.0 { self.water[a] } else { self.water[b] };
        let metres = self.case.grain.metres();
        let memory = |place: usize| self.discharge[axis][place];
        let FaceFlux { grains, cut, discharge, velocity, wave, critical, cfl_rate } = solver.flux(
            solver.terms(axes[axis]),
            Edge {
                difference,
                depth,
                donor: donor as f32 * metres,
                roughness: 0.5 * (self.roughness[a] + self.roughness[b]),
                transverse,
                discharge: memory(a),
                behind: memory(a - ahead),
                ahead: memory(b),
            },
        );
        let mut whole = self.whole(grains).abs();
        let mut lost = 0;
        if R::CAPPED {
            let fall = (difference.abs() / metres).min(1e9) as i64;
            whole = whole.min(i64::from(donor) / 4).min(fall / 2);
            lost = cut.min(MAX_FACE_FLUX) as i64;
        }
        let sign = if grains < 0.0 { -1 } else { 1 };
        let (grains, cut, critical) = (sign * whole, lost, critical > 0.0);
        Flow { grains, cut, discharge, cfl_rate, difference, depth, velocity, wave, critical }
    }

    /// Returns the whole grains of a flow across an edge.
    fn whole(&self, grains: f32) -> i64 {
        let whole = (grains.abs() + phase(self.number)).min(MAX_FACE_FLUX) as i64;
        if grains < 0.0 { -whole } else { whole }
    }

    /// Returns the flow across the edge from `a` to the place ahead of it, for a solver with
    /// momentum.
    fn carried<R: MomentumSolver>(
        &self,
        solver: R,
        axes: &[Axis; 2],
        axis: usize,
        a: usize,
    ) -> Flow {
        let terms = axes[axis];
        let discharge = momentum::discharge(solver, solver.terms(terms), self, axis, a);
        let grains = discharge * (terms.dt * terms.inverse_length * terms.per_metre);
        let difference = self.slope(a, axis);
        Flow { grains: self.whole(grains), discharge, difference, ..Flow::default() }
    }

    /// Computes a value for every edge, except behind the outermost places, which have no
    /// neighbours.
    fn each_edge(&self, what: impl Fn(usize, usize) -> Flow) -> Flows {
        let last = self.water.len() / self.stride - 3;
        let inner = |place: usize| {
            (2..self.stride - 3).contains(&(place % self.stride))
                && (2..last).contains(&(place / self.stride))
        };
        let at = |axis, place| if inner(place) { what(axis, place) } else { Flow::default() };
        [0, 1].map(|axis| (0..self.water.len()).map(|place| at(axis, place)).collect())
    }

    fn slope(&self, from: usize, axis: usize) -> f32 {
        self.levels(from, from + self.ahead(axis)).map_or(0.0, |(difference, _)| difference)
    }

    /// Returns the outflow over the four edges of a place, before limiting, and the part cut by the
    /// solver.
    fn wishes(&self, flows: &Flows, place: usize) -> ([i64; 4], i64) {
        let mut gives = [0; 4];
        let mut cut = 0;
        for (k, give) in gives.iter_mut().enumerate() {
            let axis = k / 2;
            let (from, sign) = if k % 2 == 0 { (place, 1) } else { (place - self.ahead(axis), -1) };
            let flow = flows[axis][from];
            *give = (sign * flow.grains).max(0);
            cut += if sign as f32 * flow.difference > 0.0 { flow.cut } else { 0 };
        }
        (gives, cut)
    }

    /// Returns the outflow over the four edges of a place: east, west, south, north; at most its
    /// water.
    fn gives(&self, capped: bool, flows: &Flows, place: usize) -> ([i64; 4], i64) {
        let (gives, cut) = self.wishes(flows, place);
        let (sum, has) = (gives.iter().sum::<i64>(), i64::from(self.water[place]));
        if capped || sum <= has {
            return (gives, cut);
        }
        let kept = gives.map(|give| (i128::from(give) * i128::from(has) / i128::from(sum)) as i64);
        // A remembered flow from dry ground, or from a ghost, is zero.
        (kept, if has > 0 { sum - kept.iter().sum::<i64>() } else { 0 })
    }

    /// Returns the water of each place after the flow. Sinks and ghosts are emptied, and the water
    /// of held levels is restored.
    fn cross(&mut self, capped: bool, flows: &Flows) -> Vec<i32> {
        let mut next = self.water.clone();
        for place in self.stride..next.len() - self.stride {
            if self.ground[place] == Ground::Wall {
                continue;
            }
            let (gives, cut) = self.gives(capped, flows, place);
            let around = [place + 1, place - 1, place + self.stride, place - self.stride];
            let mut water = i64::from(self.water[place]) - gives.iter().sum::<i64>();
            for (k, &from) in around.iter().enumerate() {
                // The western outflow of the place to the east.
                water += self.gives(capped, flows, from).0[k ^ 1];
            }
            if let Ground::Ghost(_) = self.ground[place] {
                self.ledger.outflow += i128::from(water);
                self.port_volumes.add(self.sides[place], 0, water as u64);
                next[place] = 0;
                continue;
            }
            self.crossed.crossed += gives.iter().sum::<i64>() as u64;
            self.crossed.cut += cut as u64;
            next[place] = i32::try_from(water).expect("shallow water");
        }
        for cell in self.case.forcing.sinks.clone() {
            let place = self.place(cell);
            self.ledger.losses += i128::from(std::mem::take(&mut next[place]));
        }
        let held = self.case.forcing.stage_boundaries.clone();
        for (&cell, &holder) in held.iter().flat_map(|held| held.cells.iter().zip(&held.holders)) {
            let place = self.place(cell);
            if !self.is_cell(place) {
                continue;
            }
            let gain = i64::from(self.water[place]) - i64::from(next[place]);
            self.ledger.inflow += i128::from(gain.max(0));
            self.ledger.outflow += i128::from((-gain).max(0));
            self.book_gain(holder, gain);
            next[place] = self.water[place];
        }
        next
    }

    /// Returns the cell number of a place, if it is on the grid.
    fn on_grid(&self, place: usize) -> Option<usize> {
        let column = (place % self.stride).checked_sub(MARGIN)?;
        let row = (place / self.stride).checked_sub(MARGIN)?;
        let inside = column < self.case.columns && row < self.case.rows;
        inside.then_some(row * self.case.columns + column)
    }

    /// Counts the flow over an edge of a place.
    fn judge(&mut self, place: usize, flow: &Flow) {
        if self.on_grid(place).is_none() || flow.depth <= DEEP || !evaluates_flow(self.number) {
            return;
        }
        self.crossed.deep += 1;
        self.crossed.fast += u64::from(flow.velocity.abs() > FAST * flow.wave);
        self.crossed.critical += u64::from(flow.critical);
    }

    /// Records the speed of flow through wet places, with the velocities of edges.
    fn speeds(&mut self, water: &[i32]) {
        let wet = (0..water.len()).filter(|&place| water[place] > 0 && evaluates_flow(self.number));
        for place in wet {
            let depth = water[place] as f32 * self.case.grain.metres();
            let through = |axis: usize| {
                let velocity = &self.velocity[axis];
                0.5 * (velocity[place - self.ahead(axis)] + velocity[place])
            };
            let (along, across) = (through(0), through(1));
            let speed = (along * along + across * across).sqrt();
            let Some(cell) = self.on_grid(place).filter(|_| depth > DEEP && speed > 0.0) else {
                continue;
            };
            let [speed, froude] = [speed, speed / (ROOT_G * depth.sqrt())]
                .map(|value| Maximum::new(value.to_bits(), cell));
            self.maxima = self.maxima.with(Maxima { speed, froude, ..Maxima::default() });
        }
    }

    /// Records the rise of flowing water; it counts if it leads to a new maximum.
    fn rises(&mut self, next: &[i32]) {
        for place in 0..next.len() {
            let (now, was) = (next[place], self.water[place]);
            if now > self.most[place] && now > was {
                let cell = self.on_grid(place).expect("water lies on the grid");
                let rise = Maximum::new((now - was) as u32, cell);
                self.maxima = self.maxima.with(Maxima { rise, ..Maxima::default() });
            }
        }
    }

    /// Ends a step at a time [s] with the next water.
    fn end(&mut self, next: Vec<i32>, end: f64) {
        self.water = next;
        self.number += 1;
        let threshold = self.threshold();
        for place in 0..self.water.len() {
            let (now, most) = (self.water[place], self.most[place]);
            if now > threshold && most <= threshold {
                self.arrival[place] = end as f32;
            }
            self.most[place] = most.max(now);
        }
        self.ledger.stored = self.water.iter().map(|&water| i128::from(water)).sum();
        self.extremes.record(std::mem::take(&mut self.maxima), end);
    }

    /// Begins a step with forcing: returns the step's terms, and its start and end [s].
    fn begin(&mut self) -> ([Axis; 2], [f64; 2]) {
        let (dt, start, end) = self.stride();
        self.steps.push(dt);
        self.force(dt, start, end);
        let inverse = |length: f64| (1.0 / length) as f32;
        let (x, y) = (inverse(self.case.cell.0), inverse(self.case.cell.1));
        let per_metre = self.case.grain.per_metre();
        let axes = [
            Axis { dt, inverse_length: x, inverse_width: y, per_metre },
            Axis { dt, inverse_length: y, inverse_width: x, per_metre },
        ];
        (axes, [start, end])
    }
}

/// The twin as a map of edges.
impl Map for Twin {
    type At = usize;

    fn ahead(&self, axis: usize, at: usize) -> usize {
        at + Twin::ahead(self, axis)
    }

    fn behind(&self, axis: usize, at: usize) -> usize {
        at - Twin::ahead(self, axis)
    }

    fn bed(&self, at: usize) -> Option<i32> {
        match self.ground[at] {
            Ground::Wall => None,
            Ground::Ghost(level) | Ground::Cell(level) => Some(level),
        }
    }

    fn roughness(&self, at: usize) -> f32 {
        self.roughness[at]
    }

    fn metres(&self) -> f32 {
        self.case.grain.metres()
    }

    fn water(&self, at: usize) -> i32 {
        self.water[at]
    }

    fn moved(&self, at: usize) -> i32 {
        self.moved[at]
    }

    fn velocity(&self, axis: usize, at: usize) -> f32 {
        self.velocity[axis][at]
    }

    fn discharge(&self, axis: usize, at: usize) -> f32 {
        self.discharge[axis][at]
    }
}

struct OneStep<'a>(&'a mut Twin);

impl WithSolver for OneStep<'_> {
    type Output = ();

    fn cell<R: CellSolver>(self, _: R) {
        panic!("an automaton has no edges");
    }

    fn edge<R: EdgeSolver>(self, solver: R) {
        let twin = self.0;
        let (axes, [start, end]) = twin.begin();
        let flows = twin.each_edge(|axis, place| twin.flow(solver, &axes, axis, place));
        let mut next = twin.cross(R::CAPPED, &flows);
        twin.rises(&next);
        for layer in twin.layers(true) {
            for (place, gain) in twin.gains(&layer, start, end) {
                next[place] += gain as i32;
                twin.ledger.inflow += i128::from(gain);
            }
        }
        for (place, leaves, port) in twin.runs_out(axes[0].dt) {
            let leaves = leaves.min(next[place]);
            next[place] -= leaves;
            twin.ledger.outflow += i128::from(leaves);
            twin.port_volumes.add(port, 0, leaves as u64);
        }
        twin.rate = flows.iter().flatten().map(|flow| flow.cfl_rate).fold(0.0, f32::max);
        for (axis, flows) in flows.iter().enumerate() {
            twin.discharge[axis] = flows.iter().map(|flow| flow.discharge).collect();
            twin.velocity[axis] = flows.iter().map(|flow| flow.velocity).collect();
            flows.iter().enumerate().for_each(|(place, flow)| twin.judge(place, flow));
        }
        twin.speeds(&twin.water.clone());
        twin.end(next, end);
    }

    fn momentum<R: MomentumSolver>(self, solver: R) {
        let twin = self.0;
        let (axes, [_, end]) = twin.begin();
        let flows = twin.each_edge(|axis, place| twin.carried(solver, &axes, axis, place));
        twin.moved = twin.cross(false, &flows);
        twin.discharge = flows.map(|flows| flows.iter().map(|flow| flow.discharge).collect());
        twin.speeds(&twin.moved.clone());
        let flows = twin.each_edge(|axis, place| {
            let updated =
                momentum::updated_velocity(solver, solver.terms(axes[axis]), twin, axis, place);
            updated.map_or(Flow::default(), |updated| Flow {
                cfl_rate: updated.celerity * (axes[axis].inverse_length * (1.0 / R::COURANT)),
                velocity: updated.velocity,
                depth: updated.depth,
                wave: updated.wave,
                ..Flow::default()
            })
        });
        twin.rate = flows.iter().flatten().map(|flow| flow.cfl_rate).fold(0.0, f32::max);
        for (axis, flows) in flows.iter().enumerate() {
            twin.velocity[axis] = flows.iter().map(|flow| flow.velocity).collect();
            flows.iter().enumerate().for_each(|(place, flow)| twin.judge(place, flow));
        }
        let next = std::mem::take(&mut twin.moved);
        twin.rises(&next);
        twin.end(next, end);
    }
}

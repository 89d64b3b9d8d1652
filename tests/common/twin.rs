//! The step of a rule with physical time written out plainly: the whole grid at once, cell by cell, each edge
//! worked out anew for both of its cells, in f32. It shares the rule's `cross` and the forcing's series with
//! the engine, and nothing else: no lanes, no tiles, no halo, no bands, no skipping.

use super::Case;
use inundate::backend::Crossed;
use inundate::forcing::{Account, Footprint, HeldLevel, Increment, Share};
use inundate::grains::phase;
use inundate::grid::Bed;
use inundate::ledger::Ledger;
use inundate::rule::edge::{Axis, Crossing, DRY, Edge, EdgeRule, MOST_CROSSING};
use inundate::rule::{CellRule, WithRule};

/// Places off the grid on every side: the ghosts of open edges, and what edges beside them look at.
const MARGIN: usize = 3;

/// What lies at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ground {
    Wall,
    Ghost(i32),
    Cell(i32),
}

/// What crosses an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    grains: i64,
    cut: i64,
    discharge: f32,
    pace: f32,
}

/// A grid stepped plainly.
pub struct Twin {
    case: Case,
    stride: usize,
    ground: Vec<Ground>,
    roughness: Vec<f32>,
    water: Vec<i32>,
    /// Discharge of the edges east and south of each place.
    discharge: [Vec<f32>; 2],
    most: Vec<i32>,
    arrival: Vec<f32>,
    pub ledger: Ledger,
    pub crossed: Crossed,
    pub time: f64,
    pub number: u64,
    pub free: f32,
    pub rate: f32,
    /// Length of every step.
    pub steps: Vec<f32>,
}

impl Twin {
    /// The case at its start.
    pub fn new(case: &Case) -> Twin {
        let bed = case.stored_bed();
        let (columns, rows) = (case.columns as isize, case.rows as isize);
        let stride = case.columns + 2 * MARGIN;
        let places = stride * (case.rows + 2 * MARGIN);
        let rim = case.open.rim_ghosts(&bed, case.columns, case.rows);
        let mut twin = Twin {
            case: case.clone(),
            stride,
            ground: vec![Ground::Wall; places],
            roughness: vec![1.0; places],
            water: vec![0; places],
            discharge: [vec![0.0; places], vec![0.0; places]],
            most: vec![0; places],
            arrival: vec![-1.0; places],
            ledger: Ledger::default(),
            crossed: Crossed::default(),
            time: 0.0,
            number: 0,
            free: 0.0,
            rate: 0.0,
            steps: Vec::new(),
        };
        for place in 0..places {
            let column = (place % stride) as isize - MARGIN as isize;
            let row = (place / stride) as isize - MARGIN as isize;
            let (near_column, near_row) = (column.clamp(0, columns - 1), row.clamp(0, rows - 1));
            let cell = (near_row * columns + near_column) as usize;
            let on_grid = (near_column, near_row) == (column, row);
            // Ghosts lie right beyond an open side, and not across its corners.
            let beyond = [
                case.open.west && column == -1 && near_row == row,
                case.open.east && column == columns && near_row == row,
                case.open.north && row == -1 && near_column == column,
                case.open.south && row == rows && near_column == column,
            ];
            let level = bed.levels[cell];
            let ghost_of = rim.iter().find(|&&(ghost, _)| ghost == cell).map(|&(_, of)| of);
            twin.ground[place] = match (level == Bed::OUTSIDE, on_grid) {
                (false, true) => Ground::Cell(level),
                (false, false) if beyond.contains(&true) => Ground::Ghost(level),
                (true, true) => match ghost_of {
                    Some(of) => Ground::Ghost(bed.levels[of]),
                    None => Ground::Wall,
                },
                _ => Ground::Wall,
            };
            twin.roughness[place] = case.roughness.of(ghost_of.unwrap_or(cell));
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

    /// Water of the cells, row-major [grains].
    pub fn water(&self) -> Vec<i32> {
        self.cells(&self.water)
    }

    /// The most water so far [grains].
    pub fn most(&self) -> Vec<i32> {
        self.cells(&self.most)
    }

    /// Arrival times.
    pub fn arrival(&self) -> Vec<f32> {
        self.cells(&self.arrival)
    }

    /// Takes a step.
    pub fn step(&mut self) {
        let rule = self.case.rule.rule(self.case.neighbourhood, None);
        rule.run(OneStep(self));
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

    /// Chooses the next step as the docs say: no longer than the flow allows, than 1.2 times the last, than
    /// the longest; it lands on what happens next, and starts anew where something surges.
    fn stride(&mut self) -> (f32, f64, f64) {
        let forcing = &self.case.forcing;
        let poured = forcing.rates.iter().filter(|layer| {
            layer.account == Account::Inflow || matches!(layer.footprint, Footprint::Cells(_))
        });
        let sources: Vec<_> = poured.map(|layer| &layer.series).collect();
        let levels: Vec<_> = forcing.held.iter().map(|held| &held.level).collect();
        // A tenth of a source's peak at once, or a centimetre of a level.
        if sources.iter().any(|series| series.jump(self.time) > 0.1 * series.peak())
            || levels.iter().any(|series| series.jump(self.time) > 0.01)
        {
            self.free = 0.0;
        }
        let breaks = sources
            .iter()
            .chain(&levels)
            .flat_map(|series| series.pieces())
            .map(|piece| piece.time);
        let stop = breaks.filter(|&time| time > self.time).fold(f64::INFINITY, f64::min);
        let grown = if self.free == 0.0 { 0.05 } else { 1.2 * self.free };
        let allowed = self.case.rule.safety() / self.rate;
        self.free = if self.rate > 0.0 { allowed.min(grown) } else { grown }.min(self.case.longest);
        let left = stop - self.time;
        let (dt, end) = if left <= f64::from(self.free) {
            (left as f32, stop)
        } else {
            let free = f64::from(self.free);
            // The last steps before a stop are of one length.
            let even = left < 64.0 * free;
            let dt = if even { (left / (left / free).ceil()) as f32 } else { self.free };
            (dt, self.time + f64::from(dt))
        };
        let start = std::mem::replace(&mut self.time, end);
        (dt, start, end)
    }

    fn force(&mut self, start: f64, end: f64) {
        let grain = self.case.grain;
        let datum = self.case.stored_bed().datum();
        let forcing = self.case.forcing.clone();
        for layer in &forcing.rates {
            let increment = Increment {
                before: layer.series.grains(start, grain),
                after: layer.series.grains(end, grain),
            };
            let share = |cell: usize| match &layer.footprint {
                Footprint::Everywhere => Some(Share::WHOLE),
                Footprint::Shares(shares) => Some(shares[cell]),
                Footprint::Zones(zoned) => Some(zoned.share(cell)),
                Footprint::Cells(cells) => {
                    cells.iter().find(|(at, _)| *at == cell).map(|(_, share)| *share)
                }
            };
            for cell in 0..self.case.bed.len() {
                let place = self.place(cell);
                let Some(share) = share(cell).filter(|_| self.is_cell(place)) else { continue };
                let gain = share.gains(increment);
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
        for held in &forcing.held {
            let level = held.level.lowered(f64::from(datum) / Bed::PER_METRE).at(end);
            let level = (level * f64::from(grain.per_metre())).floor() as i64;
            for &cell in &held.cells {
                let place = self.place(cell);
                let Ground::Cell(bed) = self.ground[place] else { continue };
                let water = HeldLevel::water(level, bed - datum, grain);
                let gain = i128::from(water) - i128::from(self.water[place]);
                self.ledger.inflow += gain.max(0);
                self.ledger.outflow += (-gain).max(0);
                self.water[place] = water;
            }
        }
    }

    /// Level difference and depth of flow between two places [m]; none if one of them is a wall.
    fn levels(&self, a: usize, b: usize) -> Option<(f32, f32)> {
        let bed = |place: usize| match self.ground[place] {
            Ground::Wall => None,
            Ground::Ghost(level) | Ground::Cell(level) => Some(level),
        };
        let metres = self.case.grain.metres();
        let (water_a, water_b) = (self.water[a], self.water[b]);
        let fall = (bed(a)? - bed(b)?) as f32 / Bed::PER_METRE as f32;
        let difference = fall + (water_a - water_b) as f32 * metres;
        let depth = if difference >= 0.0 {
            water_a as f32 * metres + fall.min(0.0)
        } else {
            water_b as f32 * metres - fall.max(0.0)
        };
        Some((difference, depth))
    }

    /// What the edge from `a` to the place ahead of it is for the edges across its ends.
    fn face<R: EdgeRule>(&self, rule: R, axis: usize, a: usize) -> f32 {
        if R::REMEMBERS {
            return self.discharge[axis][a];
        }
        match self.levels(a, a + self.ahead(axis)) {
            Some((difference, depth)) if depth > DRY => rule.face(difference),
            _ => 0.0,
        }
    }

    fn ahead(&self, axis: usize) -> usize {
        [1, self.stride][axis]
    }

    /// What wants to cross the edge from `a` to the place ahead of it.
    fn flow<R: EdgeRule>(&self, rule: R, axes: &[Axis; 2], axis: usize, a: usize) -> Flow {
        let (ahead, across) = (self.ahead(axis), self.ahead(1 - axis));
        let b = a + ahead;
        let Some((difference, depth)) = self.levels(a, b) else { return Flow::default() };
        if depth <= DRY {
            return Flow::default();
        }
        // The four edges that cross its ends.
        let beside = [a - across, b - across, a, b].map(|from| self.face(rule, 1 - axis, from));
        let transverse = if beside.iter().all(|&face| face > 0.0) {
            beside.into_iter().fold(f32::INFINITY, f32::min)
        } else if beside.iter().all(|&face| face < 0.0) {
            beside.into_iter().fold(f32::NEG_INFINITY, f32::max)
        } else {
            0.0
        };
        let giver = if difference > 0.0 { self.water[a] } else { self.water[b] };
        let metres = self.case.grain.metres();
        let memory = |place: usize| self.discharge[axis][place];
        let Crossing { grains, cut, discharge, pace } = rule.cross(
            rule.terms(axes[axis]),
            Edge {
                difference,
                depth,
                giver: giver as f32 * metres,
                roughness: 0.5 * (self.roughness[a] + self.roughness[b]),
                transverse,
                discharge: memory(a),
                behind: memory(a - ahead),
                ahead: memory(b),
            },
        );
        let mut whole = (grains.abs() + phase(self.number)).min(MOST_CROSSING) as i64;
        let mut lost = 0;
        if R::CAPPED {
            let fall = (difference.abs() / metres).min(1e9) as i64;
            whole = whole.min(i64::from(giver) / 4).min(fall / 2);
            lost = cut.min(MOST_CROSSING) as i64;
        }
        let sign = if grains < 0.0 { -1 } else { 1 };
        Flow { grains: sign * whole, cut: lost, discharge, pace }
    }

    /// What a place wants to give over its four edges, and what is cut of it by the rule.
    fn wishes<R: EdgeRule>(&self, rule: R, axes: &[Axis; 2], place: usize) -> ([i64; 4], i64) {
        let mut gives = [0; 4];
        let mut cut = 0;
        for (k, give) in gives.iter_mut().enumerate() {
            let axis = k / 2;
            let (from, sign) = if k % 2 == 0 { (place, 1) } else { (place - self.ahead(axis), -1) };
            let flow = self.flow(rule, axes, axis, from);
            *give = (sign * flow.grains).max(0);
            let is_giver = sign as f32 * self.slope(from, axis) > 0.0;
            cut += if is_giver { flow.cut } else { 0 };
        }
        (gives, cut)
    }

    fn slope(&self, from: usize, axis: usize) -> f32 {
        self.levels(from, from + self.ahead(axis)).map_or(0.0, |(difference, _)| difference)
    }

    /// What a place gives over its four edges: east, west, south, north; no more than it has.
    fn gives<R: EdgeRule>(&self, rule: R, axes: &[Axis; 2], place: usize) -> ([i64; 4], i64) {
        let (gives, cut) = self.wishes(rule, axes, place);
        let (sum, has) = (gives.iter().sum::<i64>(), i64::from(self.water[place]));
        if R::CAPPED || sum <= has {
            return (gives, cut);
        }
        let kept = gives.map(|give| (i128::from(give) * i128::from(has) / i128::from(sum)) as i64);
        // Discharge that is remembered on an edge from dry ground, or from a ghost, is no flow.
        (kept, if has > 0 { sum - kept.iter().sum::<i64>() } else { 0 })
    }
}

struct OneStep<'a>(&'a mut Twin);

impl WithRule for OneStep<'_> {
    type Output = ();

    fn cell<R: CellRule>(self, _: R) {
        panic!("an automaton has no edges");
    }

    fn edge<R: EdgeRule>(self, rule: R) {
        let twin = self.0;
        let (dt, start, end) = twin.stride();
        twin.steps.push(dt);
        twin.force(start, end);
        let inverse = |length: f64| (1.0 / length) as f32;
        let (x, y) = (inverse(twin.case.cell.0), inverse(twin.case.cell.1));
        let per_metre = twin.case.grain.per_metre();
        let axes = [
            Axis { dt, inverse_length: x, inverse_width: y, per_metre },
            Axis { dt, inverse_length: y, inverse_width: x, per_metre },
        ];
        let mut next = twin.water.clone();
        let mut discharge = twin.discharge.clone();
        let mut rate = 0.0f32;
        for place in 0..next.len() {
            // Behind the outermost ring of places lies nothing to look at.
            let (column, row) = (place % twin.stride, place / twin.stride);
            let last = next.len() / twin.stride - 1;
            if !(1..twin.stride - 1).contains(&column) || !(1..last).contains(&row) {
                continue;
            }
            for axis in [0, 1] {
                let flow = twin.flow(rule, &axes, axis, place);
                discharge[axis][place] = flow.discharge;
                rate = rate.max(flow.pace);
            }
            if twin.ground[place] == Ground::Wall {
                continue;
            }
            let (gives, cut) = twin.gives(rule, &axes, place);
            let around = [place + 1, place - 1, place + twin.stride, place - twin.stride];
            let mut water = i64::from(twin.water[place]) - gives.iter().sum::<i64>();
            for (k, &from) in around.iter().enumerate() {
                // What is east of here gives to its west.
                water += twin.gives(rule, &axes, from).0[k ^ 1];
            }
            if let Ground::Ghost(_) = twin.ground[place] {
                twin.ledger.outflow += i128::from(water);
                next[place] = 0;
                continue;
            }
            twin.crossed.crossed += gives.iter().sum::<i64>() as u64;
            twin.crossed.cut += cut as u64;
            next[place] = i32::try_from(water).expect("shallow water");
        }
        for cell in twin.case.forcing.sinks.clone() {
            let place = twin.place(cell);
            twin.ledger.losses += i128::from(std::mem::take(&mut next[place]));
        }
        twin.water = next;
        twin.discharge = discharge;
        twin.rate = rate;
        twin.number += 1;
        let threshold = twin.threshold();
        for place in 0..twin.water.len() {
            if twin.water[place] > threshold && twin.most[place] <= threshold {
                twin.arrival[place] = end as f32;
            }
            twin.most[place] = twin.most[place].max(twin.water[place]);
        }
        twin.ledger.stored = twin.water.iter().map(|&water| i128::from(water)).sum();
    }
}

//! Case aj: culverts and pumps.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::metrics::{largest, mean};
use crate::setup::Setup;
use inundate::engine::forcing::culvert::{Culvert, CulvertSection};
use inundate::engine::forcing::link::{Link, LinkDriver, Rating};
use inundate::engine::grains::Grain;

pub const CASE: Case = Case {
    key: "aj",
    title: "Culverts and pumps",
    about: "Culverts between two lakes of 9 × 9 cells whose outermost ring of cells is held at a fixed level, in ten \
        states: inlet free and submerged, drowned outlet, long barrel, reverse flow; cells of 10, 5 and 2 m, and \
        subgrid tables. After two hours, when the initial waves have decayed, the volume carried in two minutes is \
        compared with the formulas, implemented here in f64, at the levels of the lakes. Inlet control is compared \
        with HDS-5 (FHWA 2001, 2nd edition): its equations with the constants of table 9 for each inlet, its example \
        4 of chapter III, and the example on chart 8B; HDS-5 states an accuracy of ± 10 % of the headwater. Ten \
        pumps empty sumps of one cell with a constant inflow for an hour; levels, switching times and volume follow \
        exactly from the start and stop depths (the rule).",
    solvers: &[(SHALLOW, 10.0), (SECOND, 15.0), (INERTIAL, 10.0)],
    plots: &[],
    quick: true,
    run,
};

const G: f64 = 9.81;
const FOOT: f64 = 0.3048;
/// Cells along and across a lake; both ends of a culvert are in the middle.
const WIDE: usize = 9;
/// Time until the waves of the start have decayed [s].
const END: f64 = 7200.0;
/// Interval [s] and number of samples. More would shorten the steps, on which limited flows depend.
const EVERY: f64 = 15.0;
const SAMPLES: usize = 8;

/// A barrel: a pipe, or a box if it has a width [m]. Its inlet has square edges unless named.
#[derive(Clone, Copy, PartialEq)]
struct Barrel {
    width: Option<f64>,
    height: f64,
    length: f64,
}

const BOX: Barrel = Barrel { width: Some(1.5), height: 1.0, length: 30.0 };
const PIPE: Barrel = Barrel { width: None, height: 1.2, length: 30.0 };
const LONG: Barrel = Barrel { width: None, height: 0.8, length: 120.0 };
const N: f64 = 0.013;

/// States: the barrel, and the levels of the lakes at its inlet and outlet over its invert [m].
const STATES: [(Barrel, [f64; 2]); 10] = [
    (BOX, [0.6, 0.2]),
    (BOX, [0.9, 0.8]),
    (BOX, [2.5, 0.5]),
    (BOX, [2.0, 1.2]),
    (BOX, [2.0, 1.9]),
    (PIPE, [0.8, 0.3]),
    (PIPE, [3.0, 1.0]),
    (PIPE, [1.1, 2.4]),
    (LONG, [2.0, 1.5]),
    (LONG, [1.0, 1.05]),
];

impl Barrel {
    fn culvert(self) -> Culvert {
        let section = match self.width {
            Some(width) => CulvertSection::Box(width, self.height),
            None => CulvertSection::Circle(self.height),
        };
        Culvert { section, inlet: section.inlets()[0], length: self.length, roughness: N }
    }

    /// Returns area [m²] and hydraulic radius [m] below a depth [m].
    fn filled(self, depth: f64) -> [f64; 2] {
        let depth = depth.min(self.height);
        let [area, wetted] = match self.width {
            Some(width) => {
                let roof = if depth < self.height { 0.0 } else { width };
                [width * depth, width + 2.0 * depth + roof]
            }
            None => {
                let radius = 0.5 * self.height;
                let half = ((radius - depth) / radius).clamp(-1.0, 1.0).acos();
                [radius * radius * (half - half.sin() * half.cos()), 2.0 * radius * half]
            }
        };
        [area, area / wetted]
    }

    /// Returns the discharge [m³/s] between levels over the invert [m].
    fn discharge(self, [up, down]: [f64; 2]) -> f64 {
        if up < down {
            return -self.discharge([down, up]);
        }
        let square = if self.width.is_some() { &INLETS[SQUARE_BOX] } else { &INLETS[0] };
        let inlet = bisect([0.0, 1e3], |flow| self.hds5(flow, square) >= up);
        let end = down.max((2.0 / 3.0 * up).min(self.height));
        let [area, radius] = self.filled(0.5 * (up + end));
        let losses = 1.5 + 2.0 * G * N * N * self.length / radius.powf(4.0 / 3.0);
        inlet.min(area * (2.0 * G * (up - end) / losses).sqrt())
    }
}

fn run(bench: &mut Bench) {
    let grids: &[(f64, bool)] = match (bench.full, bench.solver) {
        (false, INERTIAL) => &[],
        (false, _) => &[(10.0, false)],
        (true, SECOND) => &[(10.0, false), (5.0, false), (2.0, false)],
        (true, _) => &[(10.0, false), (5.0, false), (2.0, false), (10.0, true)],
    };
    for &(cell, tables) in grids {
        let on = if tables { ", on tables" } else { "" };
        let name = format!("culverts, {cell} m{on}");
        let full = bench.full;
        let chosen = STATES.iter().filter(|state| full || state.1 == [2.0, 1.2]);
        let (mut beside, mut lakes, mut ripple) = (Vec::new(), Vec::new(), Vec::new());
        for &(barrel, levels) in chosen {
            let flow = through(bench, &name, barrel, levels, cell, tables);
            beside.push(100.0 * (flow.mean / flow.beside - 1.0));
            lakes.push(100.0 * (flow.mean / barrel.discharge(levels) - 1.0));
            ripple.push(100.0 * flow.range / flow.mean.abs());
        }
        // The rating is tabulated, to 3 %. `inertial` evaluates it at the levels after its discharge,
        // which are not stored.
        if bench.solver != INERTIAL {
            spread(
                bench,
                format!(
                    "{name}: discharge, maximum deviation from the formula at the levels of the end cells [%]"
                ),
                &beside,
                Some(3.0),
            );
        }
        let limit = (cell > 2.0).then_some(5.0);
        spread(
            bench,
            format!(
                "{name}: discharge, maximum deviation from the formula at the levels of the lakes [%]"
            ),
            &lakes,
            limit,
        );
        bench.check(format!("{name}: ripple [%]"), largest(ripple), 1.0);
    }
    pumps(bench);
    if bench.full && bench.solver == SHALLOW {
        inlet_control(bench);
    }
}

/// Adds the largest of some errors, with their range.
fn spread(bench: &mut Bench, metric: String, errors: &[f64], limit: Option<f64>) {
    let [low, high] =
        [-1.0, 1.0].map(|sign| sign * largest(errors.iter().map(|error| sign * error)));
    bench.judge(metric, high.max(-low), limit).peers(format!("{low:+.1} to {high:+.1}"));
}

/// Flow through a culvert: its mean and range [m³/s] over the samples, and the mean of the formula at
/// the levels of its cells.
struct Flow {
    mean: f64,
    range: f64,
    beside: f64,
}

/// Runs a culvert between two lakes of given levels [m].
fn through(
    bench: &mut Bench,
    name: &str,
    barrel: Barrel,
    levels: [f64; 2],
    cell: f64,
    tables: bool,
) -> Flow {
    let middle = WIDE / 2;
    let mut setup = Setup::new(2 * WIDE + 1, WIDE, cell, 0.02)
        .with_bed(|column, _| if column == WIDE { f64::NAN } else { 0.0 });
    if tables {
        let fine = Setup::new(2 * setup.columns, 2 * setup.rows, cell / 2.0, 0.02)
            .with_bed(|column, _| if column / 2 == WIDE { f64::NAN } else { 0.0 });
        setup = fine.on_tables(2);
    }
    for (side, level) in levels.into_iter().enumerate() {
        let first = side * (WIDE + 1);
        let mut ring = Vec::new();
        for (column, row) in (0..WIDE).flat_map(|i| (0..WIDE).map(move |j| (i, j))) {
            let at = setup.cell(first + column, row);
            setup.depth[at] = level;
            if column.abs_diff(middle).max(row.abs_diff(middle)) == middle {
                ring.push(at);
            }
        }
        ring.sort_unstable();
        setup = setup.with_held(ring, vec![(0.0, level)]);
    }
    let ends = [0, 1].map(|side| setup.cell(side * (WIDE + 1) + middle, middle));
    setup.links.push(Link {
        name: "culvert".into(),
        inlet: ends[0],
        outlet: ends[1],
        drive: LinkDriver::Fall { crest: None, one_way: false },
        rating: barrel.culvert().rating(),
    });
    let mut run = bench.start(&setup);
    run.to(END);
    let per_cubic_metre = f64::from(Grain::Fine.per_metre()) / (cell * cell);
    let (mut moved, mut beside) = (vec![run.carried()[0]], Vec::new());
    for sample in 1..=SAMPLES {
        run.to(END + EVERY * sample as f64);
        let all = run.levels();
        beside.push(barrel.discharge(ends.map(|end| all[end])));
        moved.push(run.carried()[0]);
    }
    bench.finish(name, run);
    let flow = |grains: i64, seconds: f64| grains as f64 / per_cubic_metre / seconds;
    let flows = moved.windows(2).map(|two| flow(two[1] - two[0], EVERY));
    Flow {
        mean: flow(moved[SAMPLES] - moved[0], EVERY * SAMPLES as f64),
        range: largest(flows.clone()) + largest(flows.map(|flow| -flow)),
        beside: mean(beside),
    }
}

/// An inlet of HDS-5: what it is, its name and barrel, and the constants K, M, c and Y.
type Entrance = (&'static str, &'static str, Barrel, [f64; 4]);

/// Inlets of charts 1 to 3, 8 and 10. The last has an equation without the energy of critical flow.
const INLETS: [Entrance; 9] = [
    ("pipe, square edge in a headwall", "headwall", PIPE, [0.0098, 2.0, 0.0398, 0.67]),
    ("pipe, groove end in a headwall", "groove", PIPE, [0.0018, 2.0, 0.0292, 0.74]),
    ("pipe, ring bevelled at 45°", "bevelled", PIPE, [0.0018, 2.5, 0.0300, 0.74]),
    ("metal pipe, mitred to the slope", "mitred", PIPE, [0.0210, 1.33, 0.0463, 0.75]),
    ("metal pipe, projecting", "projecting", PIPE, [0.0340, 1.5, 0.0553, 0.54]),
    ("box, wingwalls at 30 to 75°", "wingwalls", BOX, [0.026, 1.0, 0.0347, 0.81]),
    ("box, wingwalls at 90 and 15°", "headwall", BOX, [0.061, 0.75, 0.0400, 0.80]),
    ("box, wingwalls in line with its sides", "parallel", BOX, [0.061, 0.75, 0.0423, 0.82]),
    ("box, bevelled at 45° in a headwall", "bevelled", BOX, [0.495, 0.667, 0.0314, 0.82]),
];
const SQUARE_BOX: usize = 6;
const BEVELLED_BOX: usize = 8;

/// Compares headwaters under inlet control with HDS-5.
fn inlet_control(bench: &mut Bench) {
    for inlet in &INLETS {
        let (about, name, barrel, _) = *inlet;
        let barrel = Barrel { length: 1.0, ..barrel };
        // Q/(A·D^½) in feet and seconds.
        let intensities = (2..=32).map(|quarter| 0.25 * f64::from(quarter));
        let off = intensities.map(|intensity| {
            let full = barrel.filled(barrel.height)[0];
            let flow = intensity * full * barrel.height.sqrt() / 1.811;
            100.0 * (barrel.headwater(name, flow) / barrel.hds5(flow, inlet) - 1.0)
        });
        let off: Vec<f64> = off.collect();
        spread(bench, format!("HDS-5, {about}: headwater, maximum deviation [%]"), &off, Some(3.0));
    }
    let square = Barrel { width: Some(2.134), height: 2.134, length: 60.96 };
    let levels =
        [(11.327, 32.96), (16.990, 33.93), (19.822, 34.71), (22.654, 35.52), (24.069, 35.81)];
    let chart = Barrel { width: Some(5.0 * FOOT), height: 2.0 * FOOT, length: 1.0 };
    let example = levels.map(|(flow, level)| (square, "headwall", flow, level - 30.48));
    let charted = [("wingwalls", 3.5), ("headwall", 3.8), ("parallel", 4.1)];
    let charted = charted.map(|(inlet, head)| (chart, inlet, 75.0 * FOOT.powi(3), head * FOOT));
    for (name, states) in [("example 4", &example[..]), ("chart 8B", &charted)] {
        let off = states.iter().map(|(barrel, inlet, flow, wanted)| {
            100.0 * (barrel.headwater(inlet, *flow) / wanted - 1.0)
        });
        let off: Vec<f64> = off.collect();
        let each: Vec<String> = off.iter().map(|off| format!("{off:+.1}")).collect();
        bench
            .check(
                format!("HDS-5, {name}: headwater, maximum deviation [%]"),
                largest(off.iter().map(|off| off.abs())),
                10.0,
            )
            .peers(each.join(", "));
    }
}

impl Barrel {
    /// Returns the head over the invert [m] that the program's rating needs for a discharge [m³/s]
    /// without tailwater.
    fn headwater(self, inlet: &str, flow: f64) -> f64 {
        let culvert = self.culvert();
        let mut known = culvert.section.inlets().iter();
        let inlet = *known.find(|known| known.name == inlet).expect("an inlet of the program");
        let rating = Culvert { inlet, ..culvert }.rating();
        bisect([0.0, 30.0], |head| rating.flow(head, head) >= flow)
    }

    /// Returns the headwater [m] by the equations of HDS-5 for a level barrel.
    fn hds5(self, flow: f64, inlet: &Entrance) -> f64 {
        let [k, m, c, y] = inlet.3;
        let per_intensity = self.filled(self.height)[0] * self.height.sqrt() / 1.811;
        let submerged = |intensity: f64| self.height * (c * intensity * intensity + y);
        let weir = |intensity: f64| {
            let flow = intensity * per_intensity;
            // Specific energy of critical flow.
            let energy = |depth: f64| depth + (flow / self.filled(depth)[0]).powi(2) / (2.0 * G);
            let rises = |depth: f64| energy(depth + 1e-6) >= energy(depth);
            let least = energy(bisect([1e-3, self.height - 1e-5], rises));
            let least = if inlet == &INLETS[BEVELLED_BOX] { 0.0 } else { least };
            least + self.height * k * intensity.powf(m)
        };
        match flow / per_intensity {
            low if low <= 3.5 => weir(low),
            high if high >= 4.0 => submerged(high),
            // A straight line connects both.
            between => {
                let ends = [weir(3.5), submerged(4.0)];
                ends[0] + (between - 3.5) / 0.5 * (ends[1] - ends[0])
            }
        }
    }
}

/// Returns where a condition begins to hold.
fn bisect([mut low, mut high]: [f64; 2], holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// A pump in a sump of one cell: inflow and capacity [m³/s], depths [m] at which it starts and stops,
/// and the depth at first.
#[derive(Clone, Copy)]
struct Pump {
    inflow: f64,
    capacity: f64,
    start: f64,
    stop: f64,
    depth: f64,
}

const fn pump(inflow: f64, capacity: f64, start: f64, stop: f64, depth: f64) -> Pump {
    Pump { inflow, capacity, start, stop, depth }
}

const PUMPS: [Pump; 10] = [
    pump(0.10, 0.25, 0.6, 0.2, 0.0),
    pump(0.05, 0.50, 1.0, 0.1, 0.0),
    pump(0.20, 0.30, 0.5, 0.3, 0.0),
    pump(0.04, 0.40, 0.35, 0.25, 0.3),
    pump(0.15, 0.60, 2.0, 0.5, 0.0),
    pump(0.50, 2.00, 1.5, 0.5, 1.0),
    // Water that comes faster than it is pumped, no inflow, the default of one depth, an empty sump.
    pump(0.30, 0.25, 0.5, 0.2, 0.0),
    pump(0.00, 0.20, 0.5, 0.1, 1.0),
    pump(0.10, 0.30, 0.5, 0.5, 0.0),
    pump(0.05, 0.20, 0.4, 0.0, 0.0),
];
/// Area of a sump [m²] and duration of the run of the pumps [s].
const SUMP: f64 = 100.0;
const HOUR: f64 = 3600.0;

impl Pump {
    /// Returns the volume [m³] that it has pumped after an hour, by its rule.
    fn pumped(self) -> f64 {
        let (mut time, mut depth, mut volume, mut on) =
            (0.0, self.depth, 0.0, self.depth > self.start);
        loop {
            let rate = (self.inflow - if on { self.capacity } else { 0.0 }) / SUMP;
            let goal = if on { self.stop } else { self.start };
            let left = HOUR - time;
            let wait = (goal - depth) / rate;
            let wait = if wait >= 0.0 && wait < left { wait } else { left };
            volume += if on { self.capacity * wait } else { 0.0 };
            (time, depth) = (time + wait, depth + rate * wait);
            on = !on;
            if time >= HOUR {
                return volume;
            }
            // It then passes what comes.
            if on && self.start == self.stop || !on && self.stop == 0.0 {
                return volume + self.inflow * (HOUR - time);
            }
        }
    }
}

fn pumps(bench: &mut Bench) {
    let columns = 2 * PUMPS.len() - 1;
    let mut setup = Setup::new(columns, 3, SUMP.sqrt(), 0.02)
        .with_bed(|column, row| if column % 2 == 1 || row == 1 { f64::NAN } else { 0.0 });
    setup.dt_max = 1.0;
    let cells = |i: usize| [2 * i, 2 * columns + 2 * i];
    for (i, pump) in PUMPS.into_iter().enumerate() {
        let [inlet, outlet] = cells(i);
        setup.depth[inlet] = pump.depth;
        setup = setup.with_inflow(vec![inlet], vec![(0.0, pump.inflow)]);
        let drive = LinkDriver::Pump { start: pump.start, stop: pump.stop };
        let rating = Rating::constant(pump.capacity);
        setup.links.push(Link { name: format!("{i}"), inlet, outlet, drive, rating });
    }
    let mut run = bench.start(&setup);
    let per_cubic_metre = f64::from(Grain::Fine.per_metre()) / SUMP;
    let mut moved = vec![run.carried()];
    let mut depths = vec![run.depths()];
    for second in 1..=HOUR as usize {
        run.to(second as f64);
        moved.push(run.carried());
        depths.push(run.depths());
    }
    let grains = run.grains();
    let (mut capacity, mut volume, mut lost, mut late) = (Vec::new(), Vec::new(), 0, Vec::new());
    for (i, pump) in PUMPS.into_iter().enumerate() {
        let [inlet, outlet] = cells(i);
        let total = moved[HOUR as usize][i];
        lost += (i64::from(grains[outlet]) - total).abs();
        volume.push(100.0 * (total as f64 / per_cubic_metre / pump.pumped() - 1.0).abs());
        let flows: Vec<f64> =
            moved.windows(2).map(|two| (two[1][i] - two[0][i]) as f64 / per_cubic_metre).collect();
        let runs = flows
            .windows(3)
            .filter(|three| pump.stop > 0.0 && three.iter().all(|flow| *flow > 0.0));
        capacity.extend(runs.map(|three| 100.0 * (three[1] / pump.capacity - 1.0).abs()));
        // From its first stop on.
        let starts = flows.iter().position(|flow| *flow > 0.0).unwrap_or(0);
        let stops = flows[starts..].iter().position(|flow| *flow == 0.0);
        let after = depths[stops.map_or(depths.len(), |stops| starts + stops + 1)..].iter();
        let beyond =
            after.map(|depths| (depths[inlet] - pump.start).max(pump.stop - depths[inlet]));
        late.extend(beyond.map(|beyond| 1000.0 * beyond));
    }
    bench.finish("pumps", run);
    bench.check(
        "pumps: discharge, maximum deviation from the capacity [%]",
        largest(capacity),
        0.01,
    );
    bench.check(
        "pumps: maximum excursion of the depth beyond the start and stop depths [mm]",
        largest(late),
        20.0,
    );
    bench.check("pumps: pumped volume, maximum deviation from the rule [%]", largest(volume), 2.0);
    bench.check("pumps: water that left a sump but did not arrive [grains]", lost as f64, 0.0);
}

//! Case al: reservoirs that empty through a breach or by a rating curve, through the command line.

use super::Case;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::cli_common::{CORNER, Raster, Workshop};
use crate::data;
use crate::metrics::{at, largest};

pub const CASE: Case = Case {
    key: "al",
    title: "Breach growth and rating curves",
    about: "The formulas of Froehlich (2008) for ten dams, among them the example of the HEC-RAS reference manual \
        (42.9 m, 357.98 million m³) and Teton (86.9 m, 310 million m³), are compared with `run.json`. A reservoir of \
        200 × 110 m, 6 m deep, empties through such a breach (overtopping, formation time 1222 s): hydrograph and \
        level are compared with a level pool, integrated here in f64 with the same law at the pool's level. An \
        outlet has the rating curve of a culvert and the road above it (HDS-5, 2nd edition, chapter III, example 4), \
        under ten steady inflows: level, and discharge of the curve at that level.",
    solvers: &[(SHALLOW, 30.0), (SECOND, 40.0), (INERTIAL, 20.0)],
    plots: &[],
    quick: true,
    run,
};

const G: f64 = 9.81;

/// Dams: height [m], volume above the bottom [m³], and whether they fail by overtopping.
const DAMS: [(f64, f64, bool); 10] = [
    (42.9, 357.98e6, true),
    (86.9, 310e6, false),
    (3.0, 14e3, true),
    (3.0, 14e3, false),
    (5.0, 50e3, true),
    (8.0, 1e6, false),
    (12.0, 250e3, true),
    (20.0, 20e6, false),
    (60.0, 660e6, true),
    (93.0, 5e6, false),
];

/// Reservoir: length, width and depth of the water [m]; the bed is at 0.
const LONG: f64 = 200.0;
const WIDE: f64 = 110.0;
const DEEP: f64 = 6.0;
const END: f64 = 3600.0;
/// Interval of the series [s].
const EVERY: f64 = 10.0;

/// Rating curve: level [m] and discharge [m³/s].
const CURVE: [(f64, f64); 6] = [
    (30.48, 0.0),
    (32.96, 11.327),
    (33.93, 16.990),
    (34.71, 19.822),
    (35.52, 28.454),
    (35.81, 53.769),
];
/// Inflows [m³/s], each for [`PLATEAU`].
const INFLOWS: [f64; 10] = [2.0, 6.0, 11.327, 14.0, 16.990, 18.5, 19.822, 24.0, 28.454, 50.0];
const PLATEAU: f64 = 3600.0;
/// Interval of its gauge [s].
const GAUGED: f64 = 60.0;
/// Columns of the levels of the first and the second gauge.
const LEVEL: usize = 3;
const UPSTREAM: usize = 8;

fn run(bench: &mut Bench) {
    if bench.solver == SHALLOW {
        froehlich(bench);
    }
    if bench.full || bench.solver == SHALLOW {
        rated(bench);
    }
    let cells: &[f64] = if bench.full { &[10.0, 5.0] } else { &[10.0] };
    for &cell in cells {
        breach(bench, cell);
    }
}

/// Returns the average width [m], the side slope and the formation time [s] of a dam's breach.
fn formulas((height, volume, overtopped): (f64, f64, bool)) -> [f64; 3] {
    let (factor, slope) = if overtopped { (1.3, 1.0) } else { (1.0, 0.7) };
    let width = 0.27 * factor * volume.powf(0.32) * height.powf(0.04);
    let formation = 63.2 * (volume / G).sqrt() / height;
    // Narrower breaches are triangles.
    [width, f64::min(slope, width / height), formation]
}

/// Compares the breaches that the program computes with the formulas.
fn froehlich(bench: &mut Bench) {
    let workshop = Workshop::with_dem(&Raster::new(30, 21, |_, _| 0.0));
    let mut table =
        String::from("x1,y1,x2,y2,kind,crest,bottom_level,reservoir_volume,failure,start\n");
    let (west, east) = (CORNER.0, CORNER.0 + 300.0);
    for (i, (height, volume, overtopped)) in DAMS.into_iter().enumerate() {
        let y = CORNER.1 - 20.0 * (i + 1) as f64;
        let failure = if overtopped { "overtopping" } else { "piping" };
        table += &format!("{west},{y},{east},{y},breach,{height},0,{volume} m3,{failure},1h\n");
    }
    workshop.file("structures.csv", table);
    workshop.run("--structures structures.csv --duration 10s --out dams").done();
    let report = workshop.report("dams");
    let off = DAMS.iter().enumerate().flat_map(|(i, dam)| {
        let breach = &report["structures"][i]["breach"];
        let of = |key: &str| breach[key].as_f64().unwrap_or(f64::NAN);
        let [width, slope, formation] = formulas(*dam);
        let bottom = width - slope * dam.0;
        [
            (of("bottom_width_m") - bottom).abs() / width,
            of("side_slope") / slope - 1.0,
            of("formation_s") / formation - 1.0,
        ]
    });
    let off = largest(off.map(|off| 100.0 * off.abs()));
    bench.check(
        "Froehlich: width, slope and time, maximum deviation from the formulas [%]",
        off,
        0.01,
    );
}

fn rated(bench: &mut Bench) {
    let workshop = Workshop::with_dem(&Raster::new(10, 2, |_, row| 30.48 + 0.5 * row as f64));
    let rows = |header: &str, rows: &[(f64, f64)]| {
        rows.iter().fold(format!("{header}\n"), |text, (a, b)| text + &format!("{a},{b}\n"))
    };
    workshop.file("rating.csv", rows("level [m],flow [m3/s]", &CURVE));
    let few = if bench.full { 1 } else { 4 };
    let inflows: Vec<f64> = INFLOWS.into_iter().step_by(few).collect();
    let plateaus = inflows.iter().enumerate().flat_map(|(i, &inflow)| {
        let from = i as f64 * PLATEAU;
        [(from + 1.0, inflow), (from + PLATEAU, inflow)]
    });
    let plateaus: Vec<(f64, f64)> = plateaus.collect();
    workshop.file("inflow.csv", rows("time [s],flow [m3/s]", &plateaus));
    let source = format!("{},{},inflow.csv", CORNER.0 + 5.0, CORNER.1 - 5.0);
    let gauge = |name: &str, x: f64| format!("{},{},{name}", CORNER.0 + x, CORNER.1 - 5.0);
    let end = format!("{} s", PLATEAU * inflows.len() as f64);
    let [outlet, upstream] = [gauge("outlet", 95.0), gauge("upstream", 55.0)];
    let options = bench.options();
    let arguments = format!(
        "--rating east,rating.csv --source {source} --gauges {outlet} --gauges {upstream} \
         --gauge-every 60s --duration '{end}' --out rated --device cpu --threads 1 {options}"
    );
    workshop.run(&arguments).done();
    let report = workshop.report("rated");
    bench.tally_volume(report["volume"]["error_m3"].as_f64().unwrap_or(f64::NAN));
    let table = data::table(&workshop.path("rated/gauges.csv")).expect("the gauges' course");
    let volume = |key: &str| report["volume"][key].as_f64().unwrap_or(f64::NAN);
    let left = report["ratings"][0]["outflow_m3"].as_f64().unwrap_or(f64::NAN);
    let unaccounted = volume("inflow_m3") - left - volume("stored_m3");
    bench.check(
        "rating: inflow minus outflow by the curve minus storage [m³]",
        unaccounted.abs(),
        0.0,
    );
    let inverse: Vec<(f64, f64)> = CURVE.iter().map(|&(level, flow)| (flow, level)).collect();
    let (mut levels, mut flows, mut upstream) = (Vec::new(), Vec::new(), f64::NAN);
    for (i, &inflow) in inflows.iter().enumerate() {
        let steady = (i + 1) as f64 * PLATEAU - GAUGED;
        let row = table.iter().find(|row| row[0] >= steady).expect("a row per minute");
        levels.push(1000.0 * (row[LEVEL] - at(&inverse, inflow)).abs());
        flows.push(100.0 * (at(&CURVE, row[LEVEL]) / inflow - 1.0).abs());
        upstream = 100.0 * (row[UPSTREAM] - at(&inverse, inflow)).abs();
    }
    let [level, flow] =
        bench.of([[Some(2.0), Some(0.1)], [Some(2.0), Some(0.1)], [None; 2], [None; 2]]);
    bench.judge(
        "rating: level at the outlet, maximum deviation from the curve [mm]",
        largest(levels),
        level,
    );
    bench.judge(
        "rating: discharge of the curve at that level, maximum deviation from the inflow [%]",
        largest(flows),
        flow,
    );
    let highest = inflows.last().expect("an inflow");
    bench.check(
        format!("rating: level 40 m upstream at {highest} m³/s, deviation from the curve [cm]"),
        upstream,
        2.0,
    );
}

/// A pool of one level with a breach that grows from its crest down to 0.
struct Pool {
    width: f64,
    slope: f64,
    formation: f64,
}

impl Pool {
    /// Returns the discharge [m³/s] at a level [m] and a time [s].
    fn discharge(&self, level: f64, time: f64) -> f64 {
        let grown = (time / self.formation).min(1.0);
        let head = (level - DEEP * (1.0 - grown)).max(0.0);
        1.7 * (grown * self.width * head.powf(1.5) + 0.8 * self.slope * head.powf(2.5))
    }

    /// Returns time [s], level [m] and discharge [m³/s] of a pool that is full at first.
    fn course(&self) -> Vec<[f64; 3]> {
        const STEPS: usize = 20;
        let (mut level, step) = (DEEP, EVERY / STEPS as f64);
        let falls = |level: f64, time: f64| self.discharge(level, time) / (LONG * WIDE);
        let mut course = vec![[0.0, DEEP, 0.0]];
        for i in 0..(END / EVERY) as usize * STEPS {
            let time = i as f64 * step;
            let a = falls(level, time);
            let b = falls(level - 0.5 * step * a, time + 0.5 * step);
            let c = falls(level - 0.5 * step * b, time + 0.5 * step);
            let d = falls(level - step * c, time + step);
            level -= step / 6.0 * (a + 2.0 * b + 2.0 * c + d);
            if (i + 1) % STEPS == 0 {
                course.push([time + step, level, self.discharge(level, time + step)]);
            }
        }
        course
    }
}

fn breach(bench: &mut Bench, cell: f64) {
    let (columns, rows) = ((LONG + 80.0) / cell, WIDE / cell);
    let inside = |column: usize| (column as f64) * cell < LONG;
    let raster = |value: &dyn Fn(usize) -> f64| {
        Raster::new(columns as usize, rows as usize, |column, _| value(column))
            .transform([CORNER.0, cell, 0.0, CORNER.1, 0.0, -cell])
    };
    let workshop = Workshop::with_dem(&raster(&|column| if inside(column) { 0.0 } else { -5.0 }));
    workshop.raster("depth.tif", &raster(&|column| if inside(column) { DEEP } else { 0.0 }));
    let (x, north) = (CORNER.0 + LONG, CORNER.1);
    let volume = LONG * WIDE * DEEP;
    workshop.file(
        "structures.csv",
        format!(
            "x1,y1,x2,y2,kind,name,crest,bottom_level,reservoir_volume,failure,start\n\
             {x},{north},{x},{},breach,dam,{DEEP},0,{volume} m3,overtopping,0s\n",
            north - WIDE
        ),
    );
    let gauge = format!("{},{},pool", CORNER.0 + 15.0, CORNER.1 - 0.5 * WIDE);
    let options = bench.options();
    let arguments = format!(
        "--structures structures.csv --initial-depth depth.tif --level 'east,-4 m' \
         --gauges {gauge} --gauge-every '{EVERY} s' --duration '{END} s' --out breach \
         --device cpu --threads 1 {options}"
    );
    workshop.run(&arguments).done();
    let report = workshop.report("breach");
    bench.tally_volume(report["volume"]["error_m3"].as_f64().unwrap_or(f64::NAN));
    let table = |name: &str| {
        data::table(&workshop.path("breach").join(name)).expect("the course of the pool")
    };
    let (sections, gauges) = (table("sections.csv"), table("gauges.csv"));
    let [average, slope, formation] = formulas((DEEP, volume, true));
    let pool = Pool { width: average - slope * DEEP, slope, formation };
    let course = pool.course();
    let pairs = |column: usize, ours: &[Vec<f64>], of: usize| -> f64 {
        largest(course.iter().zip(ours).map(|(theirs, row)| (row[of] - theirs[column]).abs()))
    };
    let peak = |flows: Vec<f64>| {
        let most = largest(flows.iter().copied());
        let when = flows.iter().position(|flow| *flow == most).unwrap_or_default();
        (most, when as f64 * EVERY)
    };
    let (most, when) = peak(sections.iter().map(|row| row[2]).collect());
    let (wanted, then) = peak(course.iter().map(|row| row[2]).collect());
    let name = format!("breach, {cell} m");
    let off = 100.0 * (most / wanted - 1.0);
    bench
        .check(format!("{name}: peak discharge, deviation from the level pool [%]"), off.abs(), 5.0)
        .peers(format!("{most:.1}, level pool {wanted:.1} m³/s"));
    bench.check(
        format!("{name}: peak time, deviation from the level pool [s]"),
        (when - then).abs(),
        EVERY,
    );
    let discharge = 100.0 * pairs(2, &sections, 2) / wanted;
    bench.note(format!("{name}: maximum difference of the discharge [% of the peak]"), discharge);
    let level = 100.0 * pairs(1, &gauges, LEVEL);
    bench.note(format!("{name}: maximum difference of the level far from the breach [cm]"), level);
}

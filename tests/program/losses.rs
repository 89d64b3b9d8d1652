//! Losses to the ground, sewers and the air, compared with closed forms, published worked examples
//! and hand-computed totals.

use crate::cli_common;
use crate::common;

use cli_common::{Raster, Workshop, pixels};
use common::{Case, every_timed};
use inundate::engine::backend::cpu::CpuOptions;
use inundate::engine::clock::Clock;
use inundate::engine::forcing::series::Series;
use inundate::engine::forcing::{Account, Footprint, RateLayer};
use inundate::engine::ledger::Ledger;
use inundate::engine::losses::{GroundLosses, Infiltration, Losses};
use inundate::input::tables::loss_table::{BUNDLED, LossTable};

const MM_PER_H: f64 = 1e-3 / 3600.0;
const CM_PER_H: f64 = 1e-2 / 3600.0;
const INCH: f64 = 0.0254;
const HOUR: f64 = 3600.0;

/// Chow, Maidment & Mays (1988), examples 4.3.1 to 4.4.2: silt loam at an effective saturation of
/// 30 %, K = 0.65 cm/h, ψ·Δθ = 16.7 cm · 0.340 = 5.68 cm.
const CONDUCTIVITY: f64 = 0.65 * CM_PER_H;
const SUCTION: f64 = 0.0568;

fn silt_loam() -> Infiltration {
    Infiltration::GreenAmpt { conductivity: CONDUCTIVITY as f32, suction: SUCTION as f32 }
}

fn constant(mm_per_h: f64) -> Infiltration {
    Infiltration::Constant { rate: (mm_per_h * MM_PER_H) as f32 }
}

/// Returns a single cell, so that flow does not limit its steps, and a large one, so that rain does
/// not, with `depth` [m] of water, and rain [m/s] from each time on.
fn basin(infiltration: Infiltration, depth: f64, rain: &[(f64, f64)]) -> Case {
    let variant = every_timed().next().expect("a solver with physical time");
    let mut case = Case::new(1, 1, variant).cell(1e4, 1e4).water(|_, _| depth);
    let ground = GroundLosses { infiltration, ..GroundLosses::default() };
    case.losses = Some(Losses { grounds: vec![ground], ..Losses::default() });
    if !rain.is_empty() {
        case.forcing.rates.push(RateLayer {
            account: Account::Rain,
            footprint: Footprint::Everywhere,
            series: Series::new(rain.to_vec()),
        });
    }
    case
}

/// Returns the mass balance at a time [s], with steps no longer than `longest` [s].
fn ledger(case: &Case, longest: f32, time: f64) -> Ledger {
    let mut simulation = case.start(CpuOptions::default());
    simulation.clock = Clock::adaptive(time, longest, case.solver.safety());
    simulation.run(&mut []).expect("shallow water");
    let ledger = simulation.backend.ledger();
    let (_, longest_taken) = simulation.clock.step_range().expect("steps with a duration");
    let requested = f64::from(longest).min(0.1 * time);
    assert!(longest_taken > 0.8 * requested, "{longest_taken} s is no long step");
    assert_eq!(ledger.error(), 0);
    ledger
}

/// Converts grains over the basin to a depth [m].
fn depth(case: &Case, grains: i128) -> f64 {
    grains as f64 * f64::from(case.grain.metres()) / case.domain_cells() as f64
}

/// Returns the infiltration until a time [m].
fn infiltrated(case: &Case, longest: f32, time: f64) -> f64 {
    depth(case, ledger(case, longest, time).infiltration)
}

#[track_caller]
fn near(what: &str, found: f64, expected: f64, tolerance: f64) {
    let off = found / expected - 1.0;
    println!("{what}: {found:.7} for {expected:.7}, {off:+.1e}");
    assert!(off.abs() <= tolerance, "{what}: {found} is {off:e} off {expected}");
}

/// Computes Green & Ampt's F(t) [m] on dry ground under ponding (1911; Chow et al. 1988, eq.
/// 4.3.8), by bisection.
fn green_ampt(time: f64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let needs = middle - SUCTION * (1.0 + middle / SUCTION).ln();
        if needs < CONDUCTIVITY * time { low = middle } else { high = middle }
    }
    low
}

#[test]
fn losses_are_taken_in_order_and_booked_separately() {
    // 0.1 m of water; 4 mm at once, then 36, 18 and 9 mm/h.
    let mut case = basin(constant(36.0), 0.1, &[]);
    let losses = case.losses.as_mut().unwrap();
    losses.grounds[0].initial = case.grain.from_depth(0.004).unwrap();
    losses.grounds[0].drainage = (18.0 * MM_PER_H) as f32;
    losses.evaporation = Some(0);
    case.forcing.rates.push(RateLayer {
        account: Account::Evaporation,
        footprint: Footprint::Everywhere,
        series: Series::constant(9.0 * MM_PER_H),
    });
    let taken = ledger(&case, 10.0, 0.5 * HOUR);
    assert_eq!(taken.initial_loss, i128::from(case.grain.from_depth(0.004).unwrap()));
    near("infiltration", depth(&case, taken.infiltration), 0.018, 1e-4);
    near("drainage", depth(&case, taken.drainage), 0.009, 1e-4);
    near("evaporation", depth(&case, taken.evaporation), 0.0045, 1e-4);
    near("stored", depth(&case, taken.stored), 0.0645, 1e-4);
    // When everything is gone, no more is removed.
    let all = ledger(&case, 10.0, 10.0 * HOUR);
    assert_eq!((all.stored, all.initial), (0, taken.initial));
    near("infiltration in the end", depth(&case, all.infiltration), 0.096 * 36.0 / 63.0, 1e-3);
}

#[test]
fn horton_follows_its_curve_under_ponding_for_any_step() {
    let (first, last, decay) = (75.0 * MM_PER_H, 12.0 * MM_PER_H, 4.0 / HOUR);
    let horton =
        Infiltration::Horton { first: first as f32, last: last as f32, decay: decay as f32 };
    let case = basin(horton, 1.0, &[]);
    for minutes in [10.0, 30.0, 60.0, 180.0] {
        let time = minutes * 60.0;
        let curve = last * time + (first - last) / decay * (1.0 - (-decay * time).exp());
        near(&format!("Horton, {minutes} min"), infiltrated(&case, 60.0, time), curve, 5e-4);
    }
    let [long, short] = [300.0, 150.0].map(|longest| infiltrated(&case, longest, HOUR));
    near("Horton with half the step", long, short, 5e-4);
    // Rain below the initial capacity depletes it more slowly: f depends on the infiltrated depth.
    let weak = basin(horton, 0.0, &[(0.0, 30.0 * MM_PER_H)]);
    let all = ledger(&weak, 10.0, 0.5 * HOUR);
    assert_eq!(all.infiltration, all.rain, "all of it infiltrates");
}

#[test]
fn green_ampt_matches_chow_maidment_and_mays() {
    // Example 4.3.1: ponded for an hour: F = 3.17 cm, f = 1.81 cm/h.
    let ponded = basin(silt_loam(), 1.0, &[]);
    let hour = infiltrated(&ponded, 60.0, HOUR);
    near("example 4.3.1, F [m]", hour, 0.0317, 2e-3);
    let [before, after] = [-30.0, 30.0].map(|by| infiltrated(&ponded, 10.0, HOUR + by));
    near("example 4.3.1, f [cm/h]", (after - before) / 60.0 / CM_PER_H, 1.81, 5e-3);
    // Example 4.4.1: ponding after 10.5 h of 1 cm/h, with 10.5 cm, and after 0.17 h of 5 cm/h, with
    // 0.85 cm.
    for (rain, time, sum) in [(1.0, 10.5, 10.5), (5.0, 0.17, 0.85)] {
        let case = basin(silt_loam(), 0.0, &[(0.0, rain * CM_PER_H)]);
        let mut simulation = case.start(CpuOptions::default());
        simulation.clock = Clock::adaptive(20.0 * HOUR, 2.0, case.solver.safety());
        // Rain that has just fallen, and infiltrates in less than a step, is not a pond.
        while depth(&case, simulation.backend.ledger().stored) < 2e-7 {
            simulation.advance(1).expect("shallow water");
        }
        let ledger = simulation.backend.ledger();
        near(
            &format!("example 4.4.1, {rain} cm/h, t [h]"),
            simulation.clock.now() / HOUR,
            time,
            0.016,
        );
        near(
            &format!("example 4.4.1, {rain} cm/h, F [cm]"),
            depth(&case, ledger.infiltration) * 100.0,
            sum,
            0.016,
        );
    }
    // Example 4.4.2: an hour of 5 cm/h: F = 3.02 cm.
    let case = basin(silt_loam(), 0.0, &[(0.0, 5.0 * CM_PER_H)]);
    near("example 4.4.2, F [m]", infiltrated(&case, 10.0, HOUR), 0.0302, 2e-3);
}

#[test]
fn green_ampt_solves_its_implicit_equation_for_any_step() {
    let ponded = basin(silt_loam(), 1.0, &[]);
    for minutes in [1.0, 5.0, 20.0, 60.0, 240.0] {
        let time = minutes * 60.0;
        near(
            &format!("ponded, {minutes} min"),
            infiltrated(&ponded, 60.0, time),
            green_ampt(time),
            5e-3,
        );
    }
    let [long, short] = [300.0, 150.0].map(|longest| infiltrated(&ponded, longest, HOUR));
    near("with half the step", long, short, 1e-3);
    // Rain, ponding at t_p with F_p, then as if it had started t₀ earlier (Mein & Larson 1973).
    let rain = 5.0 * CM_PER_H;
    let at_ponding = CONDUCTIVITY * SUCTION / (rain - CONDUCTIVITY);
    let virtual_start = at_ponding / rain
        - (at_ponding - SUCTION * (1.0 + at_ponding / SUCTION).ln()) / CONDUCTIVITY;
    let case = basin(silt_loam(), 0.0, &[(0.0, rain)]);
    for minutes in [20.0, 60.0, 180.0] {
        let time = minutes * 60.0;
        let exact = green_ampt(time - virtual_start);
        near(&format!("rain, {minutes} min"), infiltrated(&case, 60.0, time), exact, 5e-3);
    }
}

/// Returns the runoff of a curve number [inches] after rain [inches] at given rates per hour.
fn runoff(curve_number: f64, rain: &[(f64, f64)], until: f64, longest: f32) -> f64 {
    let retention = (1000.0 / curve_number - 10.0) * INCH;
    let how = Infiltration::CurveNumber { retention: retention as f32 };
    let rain: Vec<(f64, f64)> =
        rain.iter().map(|&(hour, rate)| (hour * HOUR, rate * INCH / HOUR)).collect();
    let mut case = basin(how, 0.0, &rain);
    let initial = case.grain.from_depth(0.2 * retention).unwrap();
    case.losses.as_mut().unwrap().grounds[0].initial = initial;
    depth(&case, ledger(&case, longest, until * HOUR).stored) / INCH
}

#[test]
fn curve_numbers_match_the_handbook_and_chow() {
    // TR-55 (USDA SCS 1986), worksheets of examples 2-1 and 2-2, and table 2-1: six inches of rain.
    for (curve_number, printed) in [(70.0, 2.81), (75.0, 3.28), (80.0, 3.78)] {
        let s = 1000.0 / curve_number - 10.0;
        let formula = (6.0f64 - 0.2 * s).powi(2) / (6.0 + 0.8 * s);
        for (hours, longest) in [(1.0, 60.0), (1.0, 30.0), (24.0, 60.0)] {
            let found = runoff(curve_number, &[(0.0, 6.0 / hours)], hours, longest);
            near(&format!("TR-55, CN {curve_number}, {hours} h"), found, formula, 1e-3);
            assert!((found - printed).abs() < 0.006, "{found} for {printed}");
        }
    }
    // Chow et al. (1988), example 5.5.1: CN 83.8, five inches: 3.25 in.
    let found = runoff(83.8, &[(0.0, 2.5)], 2.0, 60.0);
    near("Chow, example 5.5.1 [in]", found, 3.25, 2e-3);
    // Example 5.5.2: CN 80, rain summed up hour by hour, and its excess.
    let sums = [0.0, 0.20, 0.90, 1.27, 2.31, 4.65, 5.29, 5.36];
    let rates: Vec<(f64, f64)> =
        sums.windows(2).enumerate().map(|(hour, sum)| (hour as f64, sum[1] - sum[0])).collect();
    let excess = [0.0, 0.0, 0.06, 0.18, 0.76, 2.59, 3.15, 3.21];
    for (hour, printed) in excess.into_iter().enumerate().skip(1) {
        let found = runoff(80.0, &rates, hour as f64, 30.0);
        println!("Chow, example 5.5.2, hour {hour}: {found:.4} for {printed}");
        assert!((found - printed).abs() < 0.006, "hour {hour}: {found} for {printed}");
    }
}

/// A closed level basin of 12 × 8 cells of 100 m².
fn flat() -> Workshop {
    Workshop::with_dem(&Raster::new(12, 8, |_, _| 100.0))
}

const AREA: f64 = 9600.0;

#[track_caller]
fn volume_is(workshop: &Workshop, name: &str, mm: f64) {
    let found = workshop.volume("results", name) / AREA * 1e3;
    assert!((found - mm).abs() < 0.01, "{name}: {found} mm for {mm}");
}

#[test]
fn rain_minus_losses_is_stored() {
    // 40 mm/h for an hour: the first 5 mm are lost initially (7.5 min), then 12, 3 and 0.8 mm/h for
    // 52.5 min.
    let workshop = flat();
    let ran = workshop
        .run(
            "--rain '40 mm/h' --duration 1h --dt-max 1s --initial-loss '5 mm' \
             --infiltration '12 mm/h' --drainage '3 mm/h' --evaporation '19.2 mm/day'",
        )
        .done()
        .never_says("warning");
    for (name, mm) in [
        ("rain_m3", 40.0),
        ("initial_loss_m3", 5.0),
        ("infiltration_m3", 10.5),
        ("drainage_m3", 2.625),
        ("evaporation_m3", 0.7),
        ("stored_m3", 21.175),
    ] {
        volume_is(&workshop, name, mm);
    }
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
    assert!(pixels(workshop.path("results/depth.tif")).iter().all(|d| (d - 0.021175).abs() < 1e-5));
    for line in ["- initial loss", "- infiltration", "- drainage (sewers)", "- evaporation"] {
        assert!(ran.out.contains(line), "no {line:?} in {}", ran.out);
    }
    let losses = workshop.report("results")["losses"].clone();
    let keys: Vec<&str> =
        losses.as_array().unwrap().iter().map(|l| l["what"].as_str().unwrap()).collect();
    assert_eq!(keys, ["initial_loss", "infiltration", "drainage"]);
    // The same run with a calibrated step of 5 s.
    let step = ["--solver", "level-minimization", "--step", "5s", "--overwrite"];
    let run = ["--rain", "40 mm/h", "--duration", "1h", "--infiltration", "12 mm/h"];
    workshop.run(&[&run[..], &step].concat()).done();
    volume_is(&workshop, "infiltration_m3", 12.0);
    volume_is(&workshop, "stored_m3", 28.0);
    // Without losses, the summary does not list them.
    let ran = workshop.run("--rain '4 mm/h' --duration 1h --overwrite").done();
    assert!(!ran.out.contains("infiltration"), "{}", ran.out);
}

#[test]
fn accepts_rasters_and_models_from_the_command_line() {
    let workshop = flat();
    let run = ["--rain", "40 mm/h", "--duration", "1h", "--dt-max", "10s", "--overwrite"];
    let run = |arguments: &[&str]| workshop.run(&[&run, arguments].concat()).done();
    // Half the basin absorbs 10 mm/h and half 30 mm/h, of rain that exceeds both.
    workshop.raster("f.tif", &Raster::new(12, 8, |column, _| if column < 6 { 10.0 } else { 30.0 }));
    run(&["--infiltration", "f.tif"]);
    volume_is(&workshop, "infiltration_m3", 20.0);
    volume_is(&workshop, "stored_m3", 20.0);
    // Horton with rain that exceeds the initial capacity: 12 + (36 − 12)/4·(1 − e⁻⁴) mm.
    run(&["--horton-first", "36 mm/h", "--horton-last", "12 mm/h", "--horton-decay", "4 1/h"]);
    volume_is(&workshop, "infiltration_m3", 12.0 + 6.0 * (1.0 - (-4.0f64).exp()));
    // Chow's example 4.4.2, in other units.
    let soil = ["--green-ampt-conductivity", "6.5 mm/h", "--green-ampt-suction", "16.7 cm"];
    let arguments = [&soil[..], &["--green-ampt-deficit", "0.34"]].concat();
    let five = ["--rain", "50 mm/h", "--duration", "1h", "--dt-max", "10s", "--overwrite"];
    workshop.run(&[&five[..], &arguments].concat()).done();
    let found = workshop.volume("results", "infiltration_m3") / AREA * 100.0;
    assert!((found - 3.02).abs() < 0.01, "{found} cm");
    // TR-55: six inches on CN 80 leave 3.78; the initial loss is a fifth of S = 2.5 in.
    let six = "--rain '3 in/h' --duration 2h --curve-number 80 --overwrite";
    workshop.run(six).done();
    for (name, inches) in [("stored_m3", 30.25 / 8.0), ("initial_loss_m3", 0.5)] {
        let found = workshop.volume("results", name) / AREA / INCH;
        assert!((found / inches - 1.0).abs() < 1e-3, "{name}: {found} in");
    }
    workshop.run(&format!("{six} --curve-number-initial 0.05")).done();
    let found = workshop.volume("results", "stored_m3") / AREA / INCH;
    let expected = (6.0f64 - 0.125).powi(2) / (6.0 + 0.95 * 2.5);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
    // Curve number 100 is a roof.
    run(&["--curve-number", "100"]);
    volume_is(&workshop, "stored_m3", 40.0);
}

#[test]
fn evaporation_over_time_takes_from_wet_cells_only() {
    let workshop = flat();
    workshop.file("e.csv", "time [h],evaporation [mm/day]\n0,0\n1,12\n2,24\n3,0\n");
    let run = ["--duration", "4h", "--evaporation", "e.csv", "--overwrite"];
    workshop.run(&[&run[..], &["--initial-depth", "10 mm"]].concat()).done();
    volume_is(&workshop, "evaporation_m3", 1.5);
    workshop.run(&[&run[..], &["--initial-depth", "1 mm"]].concat()).done();
    volume_is(&workshop, "evaporation_m3", 1.0);
    volume_is(&workshop, "stored_m3", 0.0);
}

#[test]
fn a_table_by_class_matches_the_equivalent_rasters() {
    let workshop = Workshop::new();
    let class = |column: usize, row: usize| (column + 2 * row) % 3;
    let raster = |name: &str, values: [f64; 3]| {
        workshop.raster(name, &Raster::new(12, 8, |column, row| values[class(column, row)]));
    };
    raster("soil.tif", [4.0, 7.0, 9.0]);
    raster("k.tif", [1.0, 3.4, 10.9]);
    raster("s.tif", [208.8, 88.9, 110.1]);
    raster("i.tif", [1.0, 2.0, 0.0]);
    let run = ["--rain", "40 mm/h", "--duration", "10min", "--green-ampt-deficit", "0.25"];
    let run = |out: &str, arguments: &[&str]| {
        workshop.run(&[&run, arguments, &["--out", out, "--overwrite"]].concat()).done()
    };
    let rasters = [
        "--green-ampt-conductivity",
        "k.tif",
        "--green-ampt-suction",
        "s.tif",
        "--initial-loss",
        "i.tif",
    ];
    run("a", &rasters);
    let head = "class,green_ampt_conductivity_mm_h,green_ampt_suction_mm,initial_loss_mm\n";
    workshop.file("t.csv", format!("{head}4,1,208.8,1\n7,3.4,88.9,2\n9,10.9,110.1,\n"));
    let table = ["--loss-classes", "soil.tif", "--loss-table", "t.csv"];
    run("b", &table);
    let bits = |out: &str| -> Vec<u32> {
        pixels(workshop.path(out).join("depth.tif")).into_iter().map(f32::to_bits).collect()
    };
    assert_eq!(bits("a"), bits("b"));
    assert_eq!(workshop.report("a")["volume"], workshop.report("b")["volume"]);
    // The bundled table has these three soils; the initial loss is then the raster's.
    run(
        "c",
        &["--loss-classes", "soil.tif", "--loss-table", "usda-texture", "--initial-loss", "i.tif"],
    );
    assert_eq!(bits("a"), bits("c"));
    // A line's values override the options', and other losses change the map.
    run("d", &[&table[..], &["--initial-loss", "9 mm"]].concat());
    let lost = |out: &str| workshop.volume(out, "initial_loss_m3");
    assert!((lost("d") - (1.0 + 2.0 + 9.0) * 3.2).abs() > 1e-9 && lost("d") > lost("b"));
    assert_ne!(bits("a"), bits("d"));
    // With land cover for the roughness, its raster provides the losses too.
    workshop.file("n.csv", "class,n\n4,0.035\n7,0.035\n9,0.035\n");
    let cover =
        ["--land-cover", "soil.tif", "--land-cover-table", "n.csv", "--loss-table", "t.csv"];
    run("e", &cover);
    assert_eq!(bits("a"), bits("e"));
}

#[test]
fn classes_may_use_different_models() {
    // A lawn with a curve number, asphalt with an initial loss, a sandpit with a constant capacity.
    let workshop =
        Workshop::with_dem(&Raster::new(3, 1, |column, _| if column == 1 { 300.0 } else { 100.0 }));
    workshop.raster("c.tif", &Raster::new(3, 1, |column, _| 1.0 + column as f64));
    workshop.file(
        "t.csv",
        "class,name,curve_number,initial_loss_mm,infiltration_mm_h\n1,Lawn,80,,\n2,Asphalt,,2,\n3,Sandpit,,,200\n",
    );
    let run = [
        "--rain",
        "60 mm/h",
        "--duration",
        "1h",
        "--loss-classes",
        "c.tif",
        "--loss-table",
        "t.csv",
    ];
    let check = [&["check", "--dem", "dem.tif"], &run[..], &["--evaporation", "1 mm/day"]].concat();
    let out = workshop.inundate(&check).done().out;
    for line in [
        "losses      initial_loss 2 mm, 33.33 % of the domain\n",
        "            infiltration 200 mm/h, 33.33 % of the domain\n",
        "            curve_number 80, 33.33 % of the domain\n",
        "by the end at most, from wet cells\n",
    ] {
        assert!(out.contains(line), "no {line:?} in {out}");
    }
    workshop.run(&run).done().says(&[
        "warning: loss_table: 't.csv' has no infiltration_mm_h or curve_number for class 2 (Asphalt), ",
        "warning: loss_table: 't.csv' has no initial_loss_mm for class 3 (Sandpit), ",
    ]);
    // The lawn: of 60 mm, with S = 63.5 mm, first 12.7 and then 47.3·63.5/110.8; the rain on the
    // asphalt drains to both sides.
    let initial = workshop.volume("results", "initial_loss_m3") / 100.0 * 1e3;
    assert!((initial - 14.7).abs() < 0.01, "{initial} mm");
    let sandpit = workshop.volume("results", "infiltration_m3") / 100.0 * 1e3 - 47.3 * 63.5 / 110.8;
    assert!((60.0..60.0 + 58.0).contains(&sandpit), "{sandpit} mm");
    assert_eq!(workshop.volume("results", "error_m3"), 0.0);
}

#[test]
fn the_bundled_tables_are_sound() {
    for (name, _, text) in BUNDLED {
        let table = LossTable::parse(text.as_bytes(), name).unwrap();
        assert!(table.classes.iter().all(|line| line.name.is_some() && line.model.is_some()));
        let numbers: Vec<i64> = table.classes.iter().map(|line| line.class).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn water_that_seeps_away_is_not_released() {
    let workshop = Workshop::with_dem(&Raster::new(9, 9, |column, row| {
        if (3..6).contains(&column) && (3..6).contains(&row) { 98.0 } else { 100.0 }
    }));
    let released = |more: &str| {
        let flags = "--initial-level '99 m' --duration 10min --overwrite";
        workshop.run(&format!("{flags} {more}")).done();
        workshop.report("results")["released_m3"].clone()
    };
    assert_eq!(released(""), 0.0);
    let sink =
        |at: usize| Raster::new(9, 9, move |column, row| f64::from(column == at && row == 4));
    workshop.raster("beside.tif", &sink(8));
    assert_eq!(released("--sinks beside.tif"), 0.0);
    workshop.raster("within.tif", &sink(4));
    let losses = ["--infiltration 50mm/h", "--evaporation 50mm/h", "--drainage 50mm/h"];
    for losses in losses.into_iter().chain(["--sinks within.tif"]) {
        assert_eq!(released(losses), serde_json::Value::Null, "{losses}");
    }
}

//! The layers that a run can write: their values agree with each other and with a known flow.

use crate::cli_common;

use cli_common::{Raster, Workshop, pixels};

const NODATA: f32 = -9999.0;

/// Runs a plane with a slope of 1 % to the east, 40 × 5 cells of 10 m, with a steady inflow of 0.5
/// m²/s along its western side, until uniform flow has developed.
fn flowing(workshop: &Workshop, more: &[&str]) {
    let mut arguments = vec![
        "run",
        "--dem",
        "dem.tif",
        "--roughness",
        "0.03",
        "--duration",
        "30min",
        "--open",
        "east",
        "--out",
        "out",
    ];
    for source in ["5,5,5 m3/s", "5,15,5 m3/s", "5,25,5 m3/s", "5,35,5 m3/s", "5,45,5 m3/s"] {
        arguments.extend(["--source", source]);
    }
    arguments.extend(more);
    workshop.inundate(&arguments).done();
}

fn plane() -> Workshop {
    let transform = [0.0, 10.0, 0.0, 50.0, 0.0, -10.0];
    let plane = Raster::new(40, 5, |column, _| 100.0 - 0.1 * column as f64).transform(transform);
    Workshop::with_dem(&plane.epsg(32633))
}

fn read(workshop: &Workshop, layer: &str) -> Vec<f32> {
    pixels(workshop.path(&format!("out/{layer}.tif")))
}

fn near(value: f32, expected: f64, share: f64) -> bool {
    (f64::from(value) - expected).abs() <= share * expected.abs()
}

#[test]
fn uniform_flow_has_mannings_depth_speed_and_hazard() {
    let workshop = plane();
    flowing(&workshop, &["--layers", "all", "--solver", "aqua-manning"]);
    // Manning: q = h^(5/3) √S / n.
    let depth = (0.5 * 0.03 / 0.01f64.sqrt()).powf(0.6);
    let speed = 0.5 / depth;
    let hazard = depth * (speed + 0.5) + 1.0;
    // In the middle, away from the source and the boundary.
    for cell in (0..5).flat_map(|row| row * 40 + 15..row * 40 + 25) {
        let at = |layer: &str| read(&workshop, layer)[cell];
        assert!(near(at("depth"), depth, 0.01), "depth {} of {depth}", at("depth"));
        assert!(near(at("velocity"), speed, 0.01), "speed {} of {speed}", at("velocity"));
        assert!(near(at("velocity_x"), speed, 0.01), "to the east {}", at("velocity_x"));
        assert!(at("velocity_y").abs() < 1e-3, "to the north {}", at("velocity_y"));
        assert!(near(at("unit_discharge"), 0.5, 0.01), "{}", at("unit_discharge"));
        assert!(near(at("hazard"), hazard, 0.01), "{} of {hazard}", at("hazard"));
        // 0.32 m deep at 1.56 m/s: H2 by depth, H2 by the product of 0.5 m²/s.
        assert_eq!((at("aidr"), at("max_aidr") >= 2.0), (2.0, true));
        let bed = 100.0 - 0.1 * (cell % 40) as f32;
        assert!((at("level") - at("depth") - bed).abs() < 1e-4);
    }
}

#[test]
fn speeds_and_hazards_are_consistent_with_depths_and_discharges() {
    let workshop = plane();
    flowing(&workshop, &["--layers", "all"]);
    let layer = |name: &str| read(&workshop, name);
    let (depth, flow, speed) = (layer("depth"), layer("unit_discharge"), layer("velocity"));
    let (hazard, x, y) = (layer("hazard"), layer("velocity_x"), layer("velocity_y"));
    for cell in 0..200 {
        let (depth, speed) = (f64::from(depth[cell]), f64::from(speed[cell]));
        // The speed is that of the edges, whose depth of flow is the donor's: away from sources and
        // the boundary, that of the cell is about the same.
        let within = (15..25).contains(&(cell % 40));
        assert!(!within || near(flow[cell], depth * speed, 0.02), "{} {depth} {speed}", flow[cell]);
        assert!(near(
            hazard[cell],
            depth * (speed + 0.5) + if depth > 0.25 { 1.0 } else { 0.5 },
            1e-5
        ));
        assert!(near(x[cell].hypot(y[cell]), speed, 1e-5) && x[cell] > 0.0);
    }
    // Mean discharge, past the sources: the inflow is conveyed onwards, in waves.
    let mean = (0..5).flat_map(|row| row * 40 + 2..row * 40 + 39).map(|cell| f64::from(flow[cell]));
    assert!((mean.sum::<f64>() / 185.0 - 0.5).abs() < 0.02);
}

#[test]
fn run_maxima_are_consistent_with_the_final_state() {
    let workshop = plane();
    let noted = ["--layers", "all", "--arrival-depth", "0.05 m,0.2 m", "--output-every", "10min"];
    flowing(&workshop, &noted);
    let layer = |name: &str| read(&workshop, name);
    for [now, most] in [
        ["depth", "max_depth"],
        ["level", "max_level"],
        ["velocity", "max_velocity"],
        ["unit_discharge", "max_unit_discharge"],
        ["hazard", "max_hazard"],
        ["aidr", "max_aidr"],
    ] {
        let least = layer(&format!("{now}_000h10m00s")).into_iter().zip(layer(now));
        for ((then, now), most) in least.zip(layer(most)) {
            assert!(then.max(now) <= most, "{now} {then} {most}");
        }
    }
    let (early, late) = (layer("arrival_time"), layer("arrival_time_above_0.2m"));
    let (peak, wet) = (layer("time_of_max"), layer("duration"));
    for cell in 0..200 {
        assert!(0.0 < early[cell] && early[cell] < late[cell] && late[cell] <= peak[cell]);
        assert!(peak[cell] <= 0.5 + 1e-6);
        // It stays wet from its arrival on; the step of the arrival itself counts from its end.
        assert!(
            (f64::from(early[cell] + wet[cell]) - 0.5).abs() < 1e-4,
            "{} {}",
            early[cell],
            wet[cell]
        );
    }
    assert_eq!(
        workshop.names("out").iter().filter(|name| name.starts_with("velocity_000h")).count(),
        6
    );
}

#[test]
fn dry_cells_have_no_value() {
    let workshop = plane();
    let dry = "run --dem dem.tif --initial-depth dem_depth.tif --duration 1min";
    let pond = Raster::new(40, 5, |column, _| if column > 37 { 0.5 } else { 0.0 });
    let transform = [0.0, 10.0, 0.0, 50.0, 0.0, -10.0];
    workshop.raster("dem_depth.tif", &pond.transform(transform).epsg(32633));
    workshop
        .inundate(&format!("{dry} --layers level,max-level,time_of_max,duration,max_velocity"))
        .done();
    let read = |name: &str| pixels(workshop.path(&format!("results/{name}.tif")))[2 * 40 + 5];
    assert_eq!(["level", "max_level", "time_of_max"].map(read), [NODATA; 3]);
    assert_eq!(["duration", "max_velocity"].map(read), [0.0; 2]);
}

#[test]
fn refuses_unavailable_layers() {
    let workshop = plane();
    let head = ["run", "--dem", "dem.tif", "--rain", "9 mm/h"];
    let timed = [&head[..], &["--duration", "1min"]].concat();
    let refuses = |more: &[&str], says: &[&str]| {
        workshop.refuses(&[&timed[..], more].concat(), says);
    };
    refuses(&["--layers", "dept"], &["layers: there is no layer 'dept'", "did you mean 'depth'?"]);
    refuses(&["--layers", "infiltration"], &["'infiltration'", "no losses"]);
    refuses(&["--arrival-depth", "0.1 m,0.1 m"], &["arrival_depth: 0.1 m is given twice"]);
    refuses(&["--arrival-depth", "1,2,3,4,5,6,7"], &["7 depths are too many"]);
    let steps =
        [&head[..3], &["--rain", "0.1 mm/step", "--steps", "5", "--layers", "velocity"]].concat();
    workshop.refuses(&steps, &["layers: 'velocity': the solver has no physical time"]);
    let listed = workshop.inundate("layers --json").done();
    let listed = listed.json();
    assert!(listed.as_array().unwrap().iter().any(|layer| layer["name"] == "max_hazard"));
}

#[test]
fn a_film_of_rain_below_the_hazard_depth_is_no_hazard() {
    let workshop = plane();
    let how = "--duration 20min --open east --overwrite --out out";
    let rain = format!("--rain '60 mm/h' {how}");
    let hazards = |more: &str| {
        let layers = "--layers max_depth,hazard,max_hazard,aidr,max_aidr";
        workshop.run(&format!("{rain} {layers} {more}")).done();
        let deepest = read(&workshop, "max_depth").into_iter().fold(0.0, f32::max);
        assert!(0.005 < deepest && deepest < 0.05, "{deepest}");
        ["hazard", "max_hazard", "aidr", "max_aidr"].map(|name| {
            let values = read(&workshop, name);
            values.into_iter().filter(|value| *value > 0.0).count()
        })
    };
    assert_eq!(hazards(""), [0; 4]);
    let film = hazards("--hazard-depth '2 mm'");
    assert!(film.iter().all(|count| *count > 50), "{film:?}");
    let reported = &workshop.report("out")["hazard_depth_m"];
    assert_eq!(reported, 0.002);
    let idle = ["hazard_depth: has no effect, because no layer of hazards is chosen"];
    workshop.run(&format!("{rain} --hazard-depth '2 mm'")).done().says(&idle);
    let automaton = "--steps 3 --rain '1 mm/step' --hazard-depth '2 mm' --overwrite";
    workshop.run(automaton).done().says(&["the solver has no velocities"]);
}

#[test]
fn durations_of_years_are_counted() {
    let workshop = Workshop::with_dem(&Raster::new(3, 3, |_, _| 10.0));
    let lake = "--initial-depth '0.5 m' --step '1 d' --duration '1200 d'";
    workshop.run(&format!("{lake} --layers duration")).done();
    for hours in pixels(workshop.path("results/duration.tif")) {
        assert!((hours - 28_800.0).abs() < 0.1, "{hours} h");
    }
}

#[test]
fn unit_discharges_are_per_metre_of_wet_width() {
    // Every second row of pixels is a channel of 5 m, with 2.5 m³/s.
    let transform = [0.0, 5.0, 0.0, 20.0, 0.0, -5.0];
    let land = Raster::new(80, 4, |column, row| {
        100.0 - 0.05 * column as f64 + if row % 2 == 1 { 5.0 } else { 0.0 }
    });
    let workshop = Workshop::with_dem(&land.transform(transform).epsg(32633));
    let arguments = "run --dem dem.tif --roughness 0.03 --duration 30min";
    let sides = "--outflow-slope east,0.01 --source '5,17,2.5 m3/s'";
    let more = "--source '5,7,2.5 m3/s' --subgrid 2 --layers all --out out";
    workshop.inundate(&format!("{arguments} {sides} {more}")).done();
    for (layer, share) in [("unit_discharge", 0.03), ("max_unit_discharge", 0.1)] {
        let found = read(&workshop, layer);
        for pixel in (30..50).flat_map(|column| [column, 160 + column]) {
            assert!(near(found[pixel], 0.5, share), "{layer}: {} in pixel {pixel}", found[pixel]);
        }
        assert_eq!(found[80 + 40], 0.0, "{layer} on dry ground");
    }
}

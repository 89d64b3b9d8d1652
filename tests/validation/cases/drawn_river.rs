//! Case ad: a river drawn as a line, narrower than the cells.

use super::Case;
use super::fine_channel::{
    COLUMNS, Course, Known, MIDDLE, PIXEL, PLACES, RATIO, ROWS, SLOPE, STRAIGHT, WINDING, Wave,
    percent, wave_at,
};
use crate::bench::{Bench, INERTIAL, Pen, SHALLOW};
use crate::metrics::largest;
use crate::plot::Plot;
use crate::setup::Setup;
use inundate::engine::subgrid::river::{Banks, River, RiverBed};

pub const CASE: Case = Case {
    key: "ad",
    title: "A river drawn as a line",
    about: "The straight river of case aa, 10 m wide, drawn as a line through cells of 50 m, on 5 m pixels of \
        terrain without its channel and on cells with one level: along the grid, and at 30° and 45° to it in a plain \
        that is rotated with it. It is compared with the fine run of case aa at the same places along the river; its \
        banks are smooth, as on the cells of that run. The winding river of case aa, 20 m wide, is compared with a run on 2.5 m cells, with `--full`. `shallow-water`, \
        which advects momentum, has no limits where a river that crosses the cells from side to side overtops its \
        banks.",
    solvers: &[(SHALLOW, 40.0), (INERTIAL, 30.0)],
    plots: &[Plot {
        file: "ad_drawn_river",
        title: "ad. A wave in a river drawn as a line",
        x: "time [h]",
        y: "discharge [m³/s]",
    }],
    quick: true,
    run,
};

/// Cell size, length of the river, and width of the plain on each side of it [m].
const CELL: f64 = PIXEL * RATIO as f64;
const LENGTH: f64 = COLUMNS as f64 * CELL;
const ASIDE: f64 = 300.0;

/// Ratio of the pixels to the finer cells of the winding river's reference.
const FINER: usize = 2;

fn run(bench: &mut Bench) {
    let straight = STRAIGHT.fine.expect("what the fine run gives");
    let known = bench.of([straight[0], straight[0], straight[1], straight[1]]);
    let (from, to) = ([0.0, MIDDLE], [LENGTH, MIDDLE]);
    let line = line(&STRAIGHT, from, to);
    let ground = ground_of(&STRAIGHT);
    for (name, setup) in [
        ("along the grid, on pixels", ground.on_tables_with(RATIO, std::slice::from_ref(&line))),
        ("along the grid", ground.coarser(RATIO).on_tables_with(1, std::slice::from_ref(&line))),
    ] {
        let setup = Setup { runs_out: Some(SLOPE), ..setup };
        let setup = setup.with_inflow(STRAIGHT.head(RATIO), STRAIGHT.inflow());
        let wave = wave(bench, name, &setup, &line);
        judge(bench, name, &wave, known, [Some(0.05); 2]);
        if name == "along the grid" {
            show(bench, name, Pen::SolverThin(bench.solver), &wave);
        }
    }
    for (name, degrees, ratio) in [
        ("at 30°", 30f64, 1),
        ("at 30°, on pixels", 30.0, RATIO),
        ("at 45°", 45.0, 1),
        ("at 45°, on pixels", 45.0, RATIO),
    ] {
        let (setup, line) = turned(degrees.to_radians(), ratio);
        let wave = wave(bench, name, &setup, &line);
        // Where it crosses from one side of the cells to the other, solvers with momentum lose some
        // of it to the plain.
        let limits = bench.of([None, None, Some(0.05), Some(0.05)]);
        judge(bench, name, &wave, known, [Some(0.05), limits.filter(|_| ratio > 1)]);
        if name == "at 45°, on pixels" {
            show(bench, name, Pen::Solver(bench.solver), &wave);
        }
    }
    if bench.full {
        winding(bench);
    }
}

/// Returns the river of a course along a line.
fn line(course: &Course, from: [f64; 2], to: [f64; 2]) -> River {
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    let levels = vec![17.0, 17.0 - SLOPE * (x * x + y * y).sqrt()];
    River {
        points: vec![from, to],
        bed: RiverBed::Levels(levels),
        width: course.width,
        side_slope: 0.0,
        roughness: None,
        banks: Banks::Smooth,
    }
}

/// Returns the pixels of a course without its channel.
fn ground_of(course: &Course) -> Setup {
    let setup = course.setup();
    let level = |column: usize, row: usize| {
        let (x, y) = ((column as f64 + 0.5) * PIXEL, (row as f64 + 0.5) * PIXEL);
        20.0 - SLOPE * x + 0.005 * (y - MIDDLE).abs()
    };
    Setup { inflows: Vec::new(), ..setup.with_bed(level) }
}

/// Returns the straight river and its plain, rotated.
fn turned(angle: f64, ratio: usize) -> (Setup, River) {
    let pixel = CELL / ratio as f64;
    let (sin, cos) = angle.sin_cos();
    // The westernmost corner of the plain, and the northernmost one.
    let columns = ((LENGTH * cos + ASIDE * sin) / CELL).ceil() as usize;
    let start = [columns as f64 * CELL - LENGTH * cos, ASIDE * cos];
    let rows = ((start[1] + LENGTH * sin + ASIDE * cos) / CELL).ceil() as usize;
    let level = |column: usize, row: usize| {
        let [x, y] =
            [(column as f64 + 0.5) * pixel - start[0], (row as f64 + 0.5) * pixel - start[1]];
        let (along, aside) = (x * cos + y * sin, (y * cos - x * sin).abs());
        match along > 0.0 && aside < ASIDE {
            true => 20.0 - SLOPE * along + 0.005 * aside,
            false => f64::NAN,
        }
    };
    let plain = Setup::new(columns * ratio, rows * ratio, pixel, 0.035).with_bed(level);
    let end = [start[0] + LENGTH * cos, start[1] + LENGTH * sin];
    let line = line(&STRAIGHT, start, end);
    let setup = plain.on_tables_with(ratio, std::slice::from_ref(&line));
    let head = [start[0] + 0.5 * CELL * cos, start[1] + 0.5 * CELL * sin];
    let [column, row] = head.map(|at| (at / CELL) as usize);
    let head = vec![setup.cell(column, row)];
    let setup = Setup { runs_out: Some(SLOPE), ..setup }.with_inflow(head, STRAIGHT.inflow());
    (setup, line)
}

/// Returns the cells around a position along a straight line, with their weights: those whose
/// centres are before and behind it.
fn about(setup: &Setup, line: &River, along: f64) -> Vec<(usize, f64)> {
    let length = line.length(0);
    let [x, y] = line.way(0).map(|way| way / length);
    let mut cells: Vec<(f64, usize)> = Vec::new();
    for step in 0..length as usize {
        let [east, south] = line.point(0, step as f64 / length, 0.0);
        let (column, row) = ((east / setup.dx) as usize, (south / setup.dy) as usize);
        let [a, b] = [
            (column as f64 + 0.5) * setup.dx - line.points[0][0],
            (row as f64 + 0.5) * setup.dy - line.points[0][1],
        ];
        let cell = (a * x + b * y, setup.cell(column, row));
        if cells.last() != Some(&cell) {
            cells.push(cell);
        }
    }
    let next = cells.iter().position(|cell| cell.0 >= along).expect("a place within the line");
    let (before, after) = (cells[next - 1], cells[next]);
    let part = (along - before.0) / (after.0 - before.0);
    vec![(before.1, 1.0 - part), (after.1, part)]
}

fn wave(bench: &mut Bench, name: &str, setup: &Setup, line: &River) -> Wave {
    let places =
        PLACES.map(|column| about(setup, line, (column as f64 + 0.5) * CELL + 0.5 * PIXEL));
    wave_at(bench, name, &places.each_ref().map(|cells| &cells[..]), setup)
}

/// Compares a wave with known results, within limits of its levels (m): before it, and, if given,
/// when it has overtopped its banks; the time of its peak is then compared too.
fn judge(
    bench: &mut Bench,
    name: &str,
    wave: &Wave,
    (steady, highest, peak): Known,
    [steadily, highly]: [Option<f64>; 2],
) {
    let off = |ours: [f64; 5], theirs: [f64; 5]| -> f64 {
        largest((0..5).map(|at| (ours[at] - theirs[at]).abs()))
    };
    let metric = format!("{name}, steady flow: maximum error of the level [m]");
    bench.judge(metric, off(wave.steady, steady), steadily);
    let metric = format!("{name}, wave: maximum error of the peak level [m]");
    bench.judge(metric, off(wave.highest, highest), highly);
    let (when, most) = wave.peak();
    let metric = format!("{name}, wave: absolute error of the peak time [%]");
    bench.judge(metric, percent(when, peak.0).abs(), highly.map(|_| 2.0));
    let above = percent(most, peak.1);
    bench.note(format!("{name}, wave: error of the peak discharge [%]"), above);
    bench.note(format!("{name}: steps"), wave.steps);
}

fn show(bench: &mut Bench, name: &str, pen: Pen, wave: &Wave) {
    let label = format!("{}, {name}", bench.solver);
    let hours = wave.discharge.iter().map(|&(t, q)| (t / 3600.0, q)).collect();
    bench.curve("ad_drawn_river", label, pen, hours);
}

/// Compares the winding river of case aa with a run on finer cells.
fn winding(bench: &mut Bench) {
    let course = &WINDING;
    let middle = |x: f64| course.middle(x);
    let beside = |x: f64, y: f64| {
        let (middle, steep) = middle(x);
        (y - middle).abs() / (1.0 + steep * steep).sqrt()
    };
    let plain = |x: f64, y: f64| 20.0 - SLOPE * x + 0.005 * (y - MIDDLE).abs();
    let size = |by: usize| [COLUMNS, ROWS].map(|cells| cells * RATIO * by);
    let centre = |column: usize, row: usize, length: f64| {
        ((column as f64 + 0.5) * length, (row as f64 + 0.5) * length)
    };
    let half = 0.5 * course.width;

    let (fine, [columns, rows]) = (PIXEL / FINER as f64, size(FINER));
    let setup = Setup::new(columns, rows, fine, 0.035).with_bed(|column, row| {
        let (x, y) = centre(column, row, fine);
        if beside(x, y) < half { 17.0 - SLOPE * x } else { plain(x, y) }
    });
    let head = (0..rows).flat_map(|row| (0..RATIO * FINER).map(move |column| (column, row)));
    let head = head.filter(|&(column, row)| {
        let (x, y) = centre(column, row, fine);
        beside(x, y) < half
    });
    let head = head.map(|(column, row)| setup.cell(column, row)).collect();
    let setup = Setup { runs_out: Some(SLOPE), ..setup }.with_inflow(head, course.inflow());
    let known = of_winding(bench, "winding, fine", &setup);

    let points: Vec<[f64; 2]> = (0..=(LENGTH / PIXEL) as usize)
        .map(|at| at as f64 * PIXEL)
        .map(|x| [x, middle(x).0])
        .collect();
    let levels = points.iter().map(|[x, _]| 17.0 - SLOPE * x).collect();
    let (bed, width) = (RiverBed::Levels(levels), course.width);
    let line = River { points, bed, width, side_slope: 0.0, roughness: None, banks: Banks::Smooth };
    let [columns, rows] = size(1);
    let ground = Setup::new(columns, rows, PIXEL, 0.035).with_bed(|column, row| {
        let (x, y) = centre(column, row, PIXEL);
        plain(x, y)
    });
    let setup = ground.on_tables_with(RATIO, std::slice::from_ref(&line));
    let head = vec![setup.cell(0, (middle(0.5 * CELL).0 / CELL) as usize)];
    let setup = Setup { runs_out: Some(SLOPE), ..setup }.with_inflow(head, course.inflow());
    let name = "winding, on pixels";
    let wave = of_winding(bench, name, &setup);
    judge(bench, name, &wave, (known.steady, known.highest, known.peak()), [Some(0.1), None]);
}

/// Runs the winding river and samples its centre line.
fn of_winding(bench: &mut Bench, name: &str, setup: &Setup) -> Wave {
    let places = PLACES.map(|column| {
        let x = (column as f64 + 0.5) * CELL + 0.5 * PIXEL;
        let (y, _) = WINDING.middle(x);
        [(setup.cell((x / setup.dx) as usize, (y / setup.dy) as usize), 1.0)]
    });
    wave_at(bench, name, &places.each_ref().map(|cells| &cells[..]), setup)
}

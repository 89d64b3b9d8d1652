//! Case aa: a river narrower than the cells, resolved by tables.

use super::Case;
use crate::bench::{Bench, INERTIAL, Pen, SHALLOW};
use crate::metrics::largest;
use crate::plot::Plot;
use crate::setup::Setup;
use std::f64::consts::TAU;

pub const CASE: Case = Case {
    key: "aa",
    title: "A river narrower than the cells",
    about: "A channel 10 m wide and 3 m deep in a plain that rises from it by 1:200, 2 km long with a slope of \
        1:1000, n = 0.035, with outflow at normal depth: 20 m³/s for an hour, then a wave of 120 m³/s that overtops \
        the banks, 2.5 h; and one twice as wide, with twice the inflow, that winds by 70 m to each side with a \
        wavelength of 400 m. Cells of 50 m with tables of 5 m pixels, and cells of 50 m with the mean bed, are \
        compared with a run on 5 m cells (where the channel is straight, a run on 2.5 m cells agrees with it to 2 mm \
        and 0.2 %). Levels are compared at five places along the channel, and the discharge over the lower end.",
    solvers: &[(SHALLOW, 30.0), (INERTIAL, 20.0)],
    plots: &[Plot {
        file: "aa_fine_channel",
        title: "aa. A wave in a river narrower than the cells",
        x: "time [h]",
        y: "discharge [m³/s]",
    }],
    quick: true,
    run,
};

/// Pixel size [m], and pixels per cell along a side.
pub(super) const PIXEL: f64 = 5.0;
pub(super) const RATIO: usize = 10;
pub(super) const COLUMNS: usize = 40;
pub(super) const ROWS: usize = 12;
const END: f64 = 9000.0;
pub(super) const SLOPE: f64 = 0.001;
/// Centre of the row of cells in which the channel is, or around which it winds [m].
pub(super) const MIDDLE: f64 = 325.0;
/// Columns of cells at which levels are compared, and time of steady flow [s].
pub(super) const PLACES: [usize; 5] = [6, 12, 20, 26, 34];
const STEADY: f64 = 3500.0;
/// Interval of samples [s].
const EVERY: f64 = 20.0;

/// Results of a wave.
pub(super) struct Wave {
    /// Levels of the steady flow, and maximum levels [m].
    pub(super) steady: [f64; 5],
    pub(super) highest: [f64; 5],
    /// Discharge over the lower end over time.
    pub(super) discharge: Vec<(f64, f64)>,
    pub(super) steps: f64,
    wall: f64,
}

impl Wave {
    /// Returns the time of the peak discharge [s], and its size [m³/s].
    pub(super) fn peak(&self) -> (f64, f64) {
        let all = self.discharge.iter().copied();
        all.fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }
}

/// Levels of the steady flow and maximum levels (m), and the peak: its time (s) and discharge
/// (m³/s).
pub(super) type Known = ([f64; 5], [f64; 5], (f64, f64));

/// Course of a river, and the results on fine cells by solver: steady levels, maximum levels, time
/// and size of the peak.
pub(super) struct Course {
    name: &'static str,
    pub(super) width: f64,
    winds: f64,
    pub(super) fine: Option<[Known; 2]>,
    /// Limits of the errors of steady levels and maximum levels [m], and of the time of the peak
    /// and its discharge [%].
    limits: [Option<f64>; 4],
}

pub(super) const STRAIGHT: Course = Course {
    name: "straight",
    width: 10.0,
    winds: 0.0,
    fine: Some([
        (
            [18.2814, 17.9804, 17.5787, 17.2774, 16.8759],
            [20.1743, 19.7963, 19.3428, 19.0154, 18.5994],
            (7070.0, 72.88),
        ),
        (
            [18.2824, 17.9818, 17.5808, 17.2799, 16.8788],
            [20.1736, 19.8357, 19.3959, 19.0739, 18.6611],
            (7270.0, 78.24),
        ),
    ]),
    limits: [Some(0.05), Some(0.05), Some(2.0), Some(8.0)],
};

pub(super) const WINDING: Course =
    Course { name: "winding", width: 20.0, winds: 70.0, fine: None, limits: [None; 4] };

impl Course {
    /// Returns the position of the centre line, and its slope relative to the valley.
    pub(super) fn middle(&self, x: f64) -> (f64, f64) {
        let (turn, steep) = (x * TAU / 400.0).sin_cos();
        (MIDDLE + self.winds * turn, self.winds * TAU / 400.0 * steep)
    }

    /// Returns the distance of a pixel from the centre line [m].
    fn beside(&self, column: usize, row: usize) -> f64 {
        let (x, y) = ((column as f64 + 0.5) * PIXEL, (row as f64 + 0.5) * PIXEL);
        let (middle, steep) = self.middle(x);
        (y - middle).abs() / (1.0 + steep * steep).sqrt()
    }

    fn level(&self, column: usize, row: usize) -> f64 {
        let (x, y) = ((column as f64 + 0.5) * PIXEL, (row as f64 + 0.5) * PIXEL);
        let bank = 20.0 - SLOPE * x;
        match self.beside(column, row) < 0.5 * self.width {
            true => bank - 3.0,
            false => bank + 0.005 * (y - MIDDLE).abs(),
        }
    }

    /// Returns the setup on fine cells.
    pub(super) fn setup(&self) -> Setup {
        let setup = Setup {
            runs_out: Some(SLOPE),
            ..Setup::new(COLUMNS * RATIO, ROWS * RATIO, PIXEL, 0.035)
        };
        let setup = setup.with_bed(|column, row| self.level(column, row));
        setup.with_inflow(self.head(1), self.inflow())
    }

    /// Returns the cells of its first 50 m, for cells `by` pixels wide.
    pub(super) fn head(&self, by: usize) -> Vec<usize> {
        let pixels = (0..ROWS * RATIO).flat_map(|row| (0..RATIO).map(move |column| (column, row)));
        let pixels = pixels.filter(|&(column, row)| self.beside(column, row) < 0.5 * self.width);
        let cell = |(column, row): (usize, usize)| row / by * (COLUMNS * RATIO / by) + column / by;
        let mut cells: Vec<usize> = pixels.map(cell).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    pub(super) fn inflow(&self) -> Vec<(f64, f64)> {
        let points = [(0.0, 2.0), (3600.0, 2.0), (5000.0, 12.0), (7200.0, 2.0), (END, 2.0)];
        points.map(|(t, q)| (t, q * self.width)).to_vec()
    }
}

/// Runs a setup whose cells are `by` pixels wide.
fn wave(bench: &mut Bench, name: &str, course: &Course, setup: &Setup, by: usize) -> Wave {
    let cells = PLACES.map(|column| {
        let pixel = column * RATIO + RATIO / 2;
        let (middle, _) = course.middle((pixel as f64 + 0.5) * PIXEL);
        [(setup.cell(pixel / by, (middle / PIXEL) as usize / by), 1.0)]
    });
    wave_at(bench, name, &cells.each_ref().map(|cells| &cells[..]), setup)
}

/// Runs a setup and samples levels between cells, each with a weight.
pub(super) fn wave_at(
    bench: &mut Bench,
    name: &str,
    places: &[&[(usize, f64)]; 5],
    setup: &Setup,
) -> Wave {
    let mut run = bench.start(setup);
    let mut wave = Wave {
        steady: [0.0; 5],
        highest: [f64::NEG_INFINITY; 5],
        discharge: Vec::new(),
        steps: 0.0,
        wall: 0.0,
    };
    let mut gone = 0.0;
    for sample in 1..=(END / EVERY) as usize {
        run.to(sample as f64 * EVERY);
        let (levels, out) = (run.levels(), run.outflow());
        for (at, cells) in places.iter().enumerate() {
            let level = cells.iter().map(|&(cell, part)| part * levels[cell]).sum();
            wave.highest[at] = wave.highest[at].max(level);
            if sample as f64 * EVERY <= STEADY {
                wave.steady[at] = level;
            }
        }
        wave.discharge.push(((sample as f64 - 0.5) * EVERY, (out - gone) / EVERY));
        gone = out;
    }
    (wave.steps, wave.wall) = (run.steps() as f64, run.wall());
    bench.finish(name, run);
    wave
}

fn run(bench: &mut Bench) {
    down(bench, &STRAIGHT);
    if bench.full {
        down(bench, &WINDING);
    }
}

fn down(bench: &mut Bench, course: &Course) {
    let (name, [steadily, highly, late, more]) = (course.name, course.limits);
    let fine_setup = course.setup();
    let tables = wave(bench, "tables", course, &fine_setup.on_tables(RATIO), RATIO);
    let known = course.fine.map(|[first, other]| bench.of([first, first, other, other]));
    let (steady, highest, peak) = match known.filter(|_| !bench.full) {
        Some(known) => known,
        None => {
            let fine = wave(bench, "fine", course, &fine_setup, 1);
            bench.note(format!("{name}, fine cells: steps"), fine.steps);
            bench.note(format!("{name}, fine cells: wall time, one core [s]"), fine.wall);
            let times = fine.steps * (RATIO * RATIO) as f64 / tables.steps;
            bench.note(
                format!("{name}, fine cells: cell updates relative to the run with tables"),
                times,
            );
            show(bench, course, "cells of 5 m", Pen::SolverThin(bench.solver), &fine);
            (fine.steady, fine.highest, fine.peak())
        }
    };
    let off = |ours: [f64; 5], theirs: [f64; 5]| -> f64 {
        largest((0..5).map(|at| (ours[at] - theirs[at]).abs()))
    };
    let metric = format!("{name}, steady flow: maximum error of the level [m]");
    bench.judge(metric, off(tables.steady, steady), steadily);
    let metric = format!("{name}, wave: maximum error of the peak level [m]");
    bench.judge(metric, off(tables.highest, highest), highly);
    let (when, most) = tables.peak();
    let metric = format!("{name}, wave: absolute error of the peak time [%]");
    bench.judge(metric, percent(when, peak.0).abs(), late);
    let above = percent(most, peak.1);
    bench.judge(
        format!("{name}, wave: absolute error of the peak discharge [%]"),
        above.abs(),
        more,
    );
    bench.note(format!("{name}, wave: error of the peak discharge [%]"), above);
    bench.note(format!("{name}: steps"), tables.steps);
    bench.note(format!("{name}: wall time, one core [s]"), tables.wall);
    show(bench, course, "cells of 50 m with tables", Pen::Solver(bench.solver), &tables);
    if !bench.full {
        return;
    }
    if let Some(known) = known {
        let moved = off(steady, known.0).max(off(highest, known.1));
        let metric = format!("{name}: error of the reference stored for quick runs [m]");
        bench.check(metric, moved, 0.005);
    }
    let plain = fine_setup.coarser(RATIO).with_inflow(course.head(RATIO), course.inflow());
    let plain = Setup { runs_out: fine_setup.runs_out, ..plain };
    let plain = wave(bench, "mean bed", course, &plain, RATIO);
    let name = format!("{name}, mean bed");
    let metric = format!("{name}, steady flow: maximum error of the level [m]");
    bench.note(metric, off(plain.steady, steady));
    let metric = format!("{name}, wave: maximum error of the peak level [m]");
    bench.note(metric, off(plain.highest, highest));
    let (when, most) = plain.peak();
    bench.note(format!("{name}, wave: error of the peak time [%]"), percent(when, peak.0));
    let above = percent(most, peak.1);
    bench.note(format!("{name}, wave: error of the peak discharge [%]"), above);
}

/// Draws the discharge of the straight river.
fn show(bench: &mut Bench, course: &Course, cells: &str, pen: Pen, wave: &Wave) {
    if course.winds == 0.0 {
        let label = format!("{}, {cells}", bench.solver);
        bench.curve("aa_fine_channel", label, pen, hours(wave));
    }
}

fn hours(wave: &Wave) -> Vec<(f64, f64)> {
    wave.discharge.iter().map(|&(t, q)| (t / 3600.0, q)).collect()
}

pub(super) fn percent(ours: f64, theirs: f64) -> f64 {
    100.0 * (ours / theirs - 1.0)
}

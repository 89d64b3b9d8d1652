//! Case i: dam breaks, which these rules are not made for.

use super::Case;
use crate::analytic::dam_break::DamBreak;
use crate::bench::{Bench, INERTIAL, MANNING, Pen};
use crate::metrics::{falls_to, rmse};
use crate::plot::Plot;
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "i",
    title: "Dam breaks",
    about: "2 m of water let go onto dry ground (Ritter) and onto 0.2 m of water (Stoker); 5 m cells, n = 0.01, where the \
        solutions have no friction. Neither rule has the convective acceleration that such a front lives by: no \
        limit is set, the errors are shown. The front is where the depth is 1 cm (dry) or half way up the bore.",
    rules: &[(INERTIAL, 0.5), (MANNING, 30.0)],
    plots: &[
        Plot {
            file: "i_dry",
            title: "i. Dam break onto dry ground after 40 s",
            x: "distance from the dam [m]",
            y: "depth [m]",
        },
        Plot {
            file: "i_wet",
            title: "i. Dam break onto water after 40 s",
            x: "distance from the dam [m]",
            y: "depth [m]",
        },
    ],
    quick: false,
    run,
};

const DX: f64 = 5.0;
/// Half the channel's length [m]: more than any wave runs.
const HALF: f64 = 2000.0;
const TIMES: [f64; 5] = [10.0, 20.0, 40.0, 80.0, 160.0];
const DRAWN: f64 = 40.0;

fn run(bench: &mut Bench) {
    dam_break(bench, "dry", "i_dry", DamBreak { high: 2.0, low: 0.0 });
    dam_break(bench, "wet", "i_wet", DamBreak { high: 2.0, low: 0.2 });
}

fn dam_break(bench: &mut Bench, name: &str, plot: &'static str, dam: DamBreak) {
    let columns = 2 * (HALF / DX) as usize;
    let place = |column: usize| (column as f64 + 0.5) * DX - HALF;
    let mut setup = Setup::new(columns, 1, DX, 0.01);
    setup.depth = (0..columns).map(|i| if place(i) < 0.0 { dam.high } else { dam.low }).collect();
    let mut run = bench.start(&setup);
    for t in TIMES {
        run.to(t);
        let profile: Vec<(f64, f64)> =
            run.depths().iter().enumerate().map(|(column, h)| (place(column), *h)).collect();
        let solution: Vec<(f64, f64)> =
            profile.iter().map(|&(x, _)| (x, dam.depth(x, t))).collect();
        let bore = dam.depth(dam.front(t) - 1e-6, t);
        let depth = if dam.low == 0.0 { 0.01 } else { 0.5 * (bore + dam.low) };
        let theirs = if dam.low == 0.0 { falls_to(&solution, depth) } else { dam.front(t) };
        let front = falls_to(&profile, depth) / theirs - 1.0;
        bench.note(format!("{name}, {t} s: front ahead by [%]"), 100.0 * front);
        // Over the reach that the wave has touched.
        let touched = solution.iter().zip(&profile).filter(|(s, _)| s.0.abs() < dam.front(t));
        let error = rmse(touched.map(|(s, p)| (p.1, s.1)));
        bench.note(format!("{name}, {t} s: RMSE of depth [m]"), error);
        if t == DRAWN {
            let shown = |curve: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
                curve.into_iter().filter(|point| point.0.abs() < 1.3 * dam.front(t)).collect()
            };
            bench.curve(plot, bench.rule, Pen::Rule(bench.rule), shown(profile));
            bench.curve(plot, "solution", Pen::Reference, shown(solution));
        }
    }
    bench.note(format!("{name}: steps"), run.steps() as f64);
    bench.finish(name, run);
}

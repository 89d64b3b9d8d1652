//! Case k: dependence on step and cell size.

use super::{Case, radial};
use crate::bench::{Bench, INERTIAL, MANNING, SHALLOW};
use crate::metrics::largest;

pub const CASE: Case = Case {
    key: "k",
    title: "Dependence on step and cell",
    about: "Case f with a quarter of the steps' length: change of its radii. And how the errors of a, c and f fall \
        when cells are halved: first order gives one half; at most 0.75 is asked.",
    solvers: &[(SHALLOW, 10.0), (INERTIAL, 8.0), (MANNING, 30.0)],
    plots: &[],
    quick: false,
    run,
};

fn run(bench: &mut Bench) {
    let whole = radial::spread(bench, 10.0, 1.0);
    let quarter = radial::spread(bench, 10.0, 0.25);
    let change =
        |a: [f64; 2], b: [f64; 2]| largest([0, 1].map(|way: usize| (a[way] / b[way] - 1.0).abs()));
    bench.check("f: 1 cm radius, change with dt/4", change(whole.thin, quarter.thin), 1e-3);
    bench.check("f: 10 cm radius, change with dt/4", change(whole.thick, quarter.thick), 1e-3);
}

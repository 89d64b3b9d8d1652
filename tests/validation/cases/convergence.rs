//! Case k: dependence on step and cell size.

use super::{Case, radial};
use crate::bench::{Bench, INERTIAL, MANNING, SHALLOW};
use crate::metrics::largest;

pub const CASE: Case = Case {
    key: "k",
    title: "Dependence on time step and cell size",
    about: "Case f with a quarter of the time step: change of its radii. Also the ratios of the errors of cases a, c \
        and f when the cell size is halved: first order halves the error; the limit is 0.75.",
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
    bench.check("case f, radius at 1 cm: change with dt/4", change(whole.thin, quarter.thin), 1e-3);
    bench.check(
        "case f, radius at 10 cm: change with dt/4",
        change(whole.thick, quarter.thick),
        1e-3,
    );
}

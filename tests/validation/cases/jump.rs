//! Case o: moving hydraulic jumps.

use super::Case;
use crate::analytic::jump::MovingJump;
use crate::bench::{Bench, INERTIAL, SECOND, SHALLOW};
use crate::metrics::{at, largest, rises_to};
use crate::setup::Setup;

pub const CASE: Case = Case {
    key: "o",
    title: "Moving hydraulic jumps",
    about: "1 m of water flows against a wall at 1, 3 and 6 m/s without friction, 1 m cells. The jump that moves \
        back from the wall is compared with the Rankine–Hugoniot conditions. Its distance from the wall is where the \
        depth is halfway up; the overshoot is the maximum depth minus the exact depth behind the jump, over the \
        height of the jump.",
    solvers: &[(SHALLOW, 1.0), (SECOND, 1.0), (INERTIAL, 1.0)],
    plots: &[],
    quick: true,
    run,
};

const SPEEDS: [f64; 3] = [1.0, 3.0, 6.0];
/// Duration [s].
const END: f64 = 25.0;

fn run(bench: &mut Bench) {
    for (speed, second_overshoots) in SPEEDS.into_iter().zip([0.1, 0.66, 2.53]) {
        let jump = MovingJump { depth: 1.0, speed };
        let way = END * jump.celerity();
        // Long enough that the other end has no influence.
        let columns = (2.0 * way + END * (2.0 * speed + 9.81f64.sqrt())) as usize;
        let mut setup = Setup::new(columns, 1, 1.0, 0.0);
        setup.depth = vec![jump.depth; columns];
        setup.speed = [speed, 0.0];
        let mut run = bench.start(&setup);
        run.to(END);
        let (behind, depths) = (jump.behind(), run.depths());
        let height = behind - jump.depth;
        let near = columns - (1.5 * way) as usize..columns;
        let profile: Vec<(f64, f64)> =
            near.map(|i| ((columns - i) as f64 - 0.5, depths[i])).rev().collect();
        let approach: Vec<(f64, f64)> = profile.iter().rev().map(|&(x, h)| (-x, h)).collect();
        let run_to = -rises_to(&approach, jump.depth + 0.5 * height);
        let name = format!("approach at {speed} m/s");
        let limit = bench.of([Some(0.3), Some(0.3), None, None]);
        bench.judge(
            format!("{name}: distance, absolute error [%]"),
            100.0 * (run_to / way - 1.0).abs(),
            limit,
        );
        let middle = at(&profile, 0.5 * way);
        bench.note(
            format!("{name}: depth behind the jump, error [%]"),
            100.0 * (middle / behind - 1.0),
        );
        // Except for the cells at the wall, where the jump started.
        let over = largest(profile.iter().filter(|p| p.0 > 0.25 * way).map(|p| p.1 - behind));
        let limit = bench.of([Some(2.0), Some(second_overshoots), None, None]);
        bench.judge(
            format!("{name}: overshoot [% of the height of the jump]"),
            100.0 * over / height,
            limit,
        );
        bench.finish(&name, run);
    }
}

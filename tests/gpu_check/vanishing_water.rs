//! Water that vanishes between the update of velocities at its boundary and the flow must leave
//! nothing behind when more water arrives.

use super::common::{Case, Variant};
use inundate_engine::backend::cuda::frame::CHUNK_COLUMNS;
use inundate_engine::backend::cuda::listing::LISTED_COLUMNS;
use inundate_engine::losses::{GroundLosses, Infiltration, Losses};
use inundate_engine::tiling::subdomain::MARGIN;

/// Length of a step (s).
const STEP: f64 = 0.05;

/// Water beside chunks of either size changes the velocities of their edges, and infiltrates before
/// it flows over them. More water comes later, after an even and after an odd number of steps. Only
/// for solvers with momentum.
pub fn cases(variant: Variant) -> Vec<(String, Case)> {
    if !variant.0.has_momentum() {
        return Vec::new();
    }
    let columns = [CHUNK_COLUMNS, LISTED_COLUMNS].map(|columns| columns - MARGIN);
    let sinks_in = |steps: f64| {
        let water = |i: usize, _| {
            let wet = columns.iter().any(|first| (*first..first + 3).contains(&i));
            if wet { 7e-3 } else { 0.0 }
        };
        let mut case = Case::new(130, 12, variant)
            .cell(5.0, 5.0)
            .water(water)
            .source(&columns.map(|column| (column, 6)), &[(0.0, 0.0), (steps * STEP, 0.5)]);
        case.longest = STEP as f32;
        // Two steps remove all of it.
        let infiltration = Infiltration::Constant { rate: 0.1 };
        let grounds = vec![GroundLosses { infiltration, ..GroundLosses::default() }];
        case.losses = Some(Losses { grounds, ..Losses::default() });
        (format!("sinks in, {steps} steps"), case)
    };
    [4.0, 5.0].map(sinks_in).into()
}

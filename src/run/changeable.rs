//! Data needed to change a run between steps.

use super::processor::TakenProcessor;
use crate::engine::backend::Problem;
use std::collections::BTreeMap;

/// Data needed to change the state and the forcing of a run.
pub struct Changeable {
    /// The problem with its present forcing, without the initial water.
    pub(super) problem: Problem,
    /// Processor on which the run is restarted.
    pub(super) processor: TakenProcessor,
    /// Rate layer of rain set by the caller, once there is one.
    pub(super) own_rain: Option<usize>,
    /// Names of the changes, and how often each was made.
    pub(super) changed: BTreeMap<&'static str, u64>,
}

impl Changeable {
    /// Creates the data for changing a run on a processor.
    pub fn new(problem: &Problem, processor: TakenProcessor) -> Changeable {
        let problem = Problem { initial: Vec::new(), ..problem.clone() };
        Changeable { problem, processor, own_rain: None, changed: BTreeMap::new() }
    }
}

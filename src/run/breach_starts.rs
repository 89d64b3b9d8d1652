//! Times at which breaches began.

use crate::engine::field::Field;
use crate::engine::forcing::structures::Structure;
use crate::engine::simulation::Simulation;
use crate::error::Result;
use crate::scenario::StructureFacts;

/// Sets the time at which each breach that has opened began, from the state that the cells beside
/// its middle store.
pub fn record_beginnings(structures: &mut [StructureFacts], simulation: &Simulation) -> Result<()> {
    let backend = &simulation.backend;
    let columns = backend.shape().0;
    let mut line = vec![0; columns];
    for breach in structures.iter_mut().filter_map(|structure| structure.breach.as_mut()) {
        let mut states = [0; 2];
        for (state, cell) in states.iter_mut().zip(breach.cells) {
            backend.read(Field::SiteState, cell / columns, &mut line)?;
            *state = line[cell % columns];
        }
        let elapsed = simulation.timeline.elapsed;
        breach.began_s = Structure::began(states).map(|began| f64::from(began) - elapsed);
    }
    Ok(())
}

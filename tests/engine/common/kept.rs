//! A state as a checkpoint has it, in memory.

use super::Case;
use inundate_engine::backend::Crossed;
use inundate_engine::backend::saved::Resumed;
use inundate_engine::clock::Clock;
use inundate_engine::extremes::Extremes;
use inundate_engine::forcing::link::LinkState;
use inundate_engine::forcing::ports::Booked;
use inundate_engine::gauged::GaugeState;
use inundate_engine::ledger::Ledger;
use inundate_engine::simulation::Simulation;

/// A state of a case.
pub struct Kept {
    pub clock: Clock,
    ledger: Ledger,
    crossed: Crossed,
    watch: Extremes,
    links: Vec<LinkState>,
    booked: Booked,
    gauges: Vec<GaugeState>,
    lines: Vec<u32>,
}

impl Kept {
    pub fn of(case: &Case, simulation: &Simulation) -> Kept {
        let backend = &*simulation.backend;
        let mut lines = Vec::new();
        for field in case.problem().kept() {
            let (width, count) = field.shape((case.columns, case.rows));
            for line in 0..count {
                let mut bits = vec![0; width];
                backend.read(field, line, &mut bits).expect("a line");
                lines.extend(bits);
            }
        }
        let clock = simulation.clock.clone();
        let (ledger, crossed) = (backend.ledger(), backend.crossed());
        let (watch, links) = (backend.extremes(), backend.links().expect("links"));
        let gauges = backend.gauges().expect("gauges");
        let booked = backend.booked().expect("ports");
        Kept { clock, ledger, crossed, watch, links, booked, gauges, lines }
    }

    /// Hands it to something that reads every number of it.
    pub fn with<T>(&self, to: impl FnOnce(Resumed) -> T) -> T {
        let mut rest = &self.lines[..];
        let mut lines = |to: &mut [u32]| {
            let (line, after) = rest.split_at(to.len());
            to.copy_from_slice(line);
            rest = after;
            Ok(())
        };
        let &Kept { ledger, crossed, watch, ref links, ref gauges, .. } = self;
        let (links, gauges, booked) = (links.clone(), gauges.clone(), self.booked.clone());
        let done = to(Resumed { ledger, crossed, watch, links, booked, gauges, lines: &mut lines });
        assert!(rest.is_empty(), "{} numbers were not read", rest.len());
        done
    }
}

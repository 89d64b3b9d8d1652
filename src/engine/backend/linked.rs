//! Who looks after links where a grid is cut into subdomains.
//!
//! A link looks at the levels that each step begins with. Where no frame but a subdomain's own holds a cell of it, or of any link
//! of its chain, that subdomain steps it alone, as many steps a turn as it takes: what the link moves comes into no part of
//! another frame that counts in the turn, since that is what halos are as deep for. If that is not so of all links, all are looked
//! after between turns of a single step.

use crate::forcing::link::{Link, LinkState, Links, chains};
use crate::forcing::step::Step;
use crate::tiling::subdomain::{MARGIN, SubdomainPlan, on_canvas};
use serde::{Deserialize, Serialize};

/// The links of a run, shared out.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SharedLinks {
    /// Per subdomain those that it steps itself.
    pub local: Vec<Links>,
    /// Their numbers in the run.
    numbers: Vec<Vec<usize>>,
    /// Those that are looked after between turns: all or none.
    pub between: Links,
}

impl SharedLinks {
    /// Shares links out among the subdomains of a plan.
    pub fn new(links: Links, plan: &SubdomainPlan) -> SharedLinks {
        let mut numbers = vec![Vec::new(); plan.subdomains.len()];
        let owners = owners(links.fitted.iter().map(|fitted| &fitted.link), plan);
        for (number, &owner) in owners.iter().flatten().enumerate() {
            numbers[owner].push(number);
        }
        let local = numbers.iter().map(|numbers| links.only(numbers)).collect();
        let between = if owners.is_some() { Links::default() } else { links };
        SharedLinks { local, numbers, between }
    }

    /// Goes on from where links stood.
    pub fn go_on(&mut self, states: &[LinkState]) {
        for (links, numbers) in self.local.iter_mut().zip(&self.numbers) {
            links.states = numbers.iter().map(|&number| states[number]).collect();
        }
        if !self.between.is_empty() {
            self.between.states = states.to_vec();
        }
    }

    /// Whether subdomains step some themselves.
    pub fn any_local(&self) -> bool {
        self.local.iter().any(|links| !links.is_empty())
    }

    /// Where each link of the run stands, if those of the subdomains stand there.
    pub fn gathered(&self, local: &[Vec<LinkState>]) -> Vec<LinkState> {
        let mut all = self.between.states.clone();
        all.resize(
            all.len() + self.numbers.iter().map(Vec::len).sum::<usize>(),
            LinkState::default(),
        );
        for (numbers, states) in self.numbers.iter().zip(local) {
            numbers.iter().zip(states).for_each(|(&number, &state)| all[number] = state);
        }
        all
    }

    /// Whether links of a subdomain, which stand at `states`, stand elsewhere after steps in which all their cells are dry: a pump
    /// stops, or what is owed of a flow changes.
    pub fn stir(&mut self, subdomain: usize, states: &[LinkState], steps: &[Step]) -> bool {
        let links = &mut self.local[subdomain];
        links.states.copy_from_slice(states);
        steps.iter().for_each(|step| links.step(step.dt, |_, _| 0));
        links.states != states
    }
}

/// The subdomain that alone holds cells of each link's chain, if there is one for all links.
fn owners<'a>(
    links: impl Iterator<Item = &'a Link> + Clone,
    plan: &SubdomainPlan,
) -> Option<Vec<usize>> {
    let columns = plan.canvas.0 - 2 * MARGIN;
    let ends = links.clone().map(|link| [link.inlet, link.outlet]);
    let ends: Vec<_> = ends.map(|ends| ends.map(|cell| on_canvas(cell, columns))).collect();
    let mut owners = vec![0; ends.len()];
    for chain in chains(links) {
        let held = |number: &usize| {
            let frame = plan.subdomains[*number].frame;
            let cells = chain.iter().flat_map(|&link| ends[link]);
            cells.into_iter().any(|(column, row)| frame.holds(column, row))
        };
        let mut holders = (0..plan.subdomains.len()).filter(held);
        let (owner, None) = (holders.next()?, holders.next()) else { return None };
        chain.iter().for_each(|&link| owners[link] = owner);
    }
    Some(owners)
}

/// The plan that `plan` makes with as many steps a turn as may be: of no more than its argument, which is halved until subdomains
/// can step all links themselves.
pub(crate) fn plan_for(
    links: &[Link],
    plan: impl Fn(usize) -> Option<SubdomainPlan>,
) -> Option<SubdomainPlan> {
    let mut most = usize::MAX;
    loop {
        let found = plan(most)?;
        match found.steps {
            Some(steps) if steps > 1 && owners(links.iter(), &found).is_none() => most = steps / 2,
            _ => return Some(found),
        }
    }
}

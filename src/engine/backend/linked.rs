//! Assignment of links to subdomains.
//!
//! A link reads the levels at the start of each step, and a chain of links gives the right result
//! in any frame where the water of all its cells is valid. So each subdomain steps the chains
//! within its frame. If a plan keeps the cells of each chain together, the valid part of a frame
//! before a step contains all of them or none: then the chain's result is either right or no longer
//! relevant. One of the subdomains that step a link, its owner, has its state after a round of
//! steps, and the others receive it before the next.
//!
//! If a chain is too long for that, all links are handled centrally between rounds of a single
//! step.

use crate::forcing::Forcing;
use crate::forcing::link::{Link, LinkState, Links, chains};
use crate::forcing::step::Step;
use crate::forcing::structures::Structure;
use crate::tiling::rect::Rect;
use crate::tiling::subdomain::{MARGIN, Subdomain, SubdomainPlan, on_padded_grid};
use serde::{Deserialize, Serialize};

/// The links of a run, divided among subdomains.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SharedLinks {
    /// Links that each subdomain steps.
    pub local: Vec<Links>,
    /// Indices of the links in the run.
    numbers: Vec<Vec<usize>>,
    /// Owner of each link that subdomains step: the subdomain with its authoritative state.
    owners: Vec<usize>,
    /// Links handled between rounds: all or none.
    pub between: Links,
}

impl SharedLinks {
    /// Divides links among the subdomains of a plan.
    pub fn new(links: Links, plan: &SubdomainPlan) -> SharedLinks {
        let fitted = links.fitted.iter().map(|fitted| &fitted.link);
        let chains = chains_on(fitted, plan);
        let held = plan.subdomains.iter().map(|subdomain| held(subdomain, plan, &chains));
        let Some(numbers) = held.collect::<Option<Vec<_>>>() else {
            let none = vec![Vec::new(); plan.subdomains.len()];
            let local = vec![Links::default(); none.len()];
            return SharedLinks { local, numbers: none, owners: Vec::new(), between: links };
        };
        let mut owners = vec![0; links.fitted.len()];
        for (links, cells) in &chains {
            let owns = |subdomain: &Subdomain| subdomain.own.holds(cells[0].0, cells[0].1);
            let owner = plan.subdomains.iter().position(owns).expect("every cell is one's own");
            links.iter().for_each(|&link| owners[link] = owner);
        }
        let local = numbers.iter().map(|numbers| links.only(numbers)).collect();
        SharedLinks { local, numbers, owners, between: Links::default() }
    }

    /// Restores the states of the links.
    pub fn go_on(&mut self, states: &[LinkState]) {
        for (links, numbers) in self.local.iter_mut().zip(&self.numbers) {
            links.states = numbers.iter().map(|&number| states[number]).collect();
        }
        if !self.between.is_empty() {
            self.between.states = states.to_vec();
        }
    }

    /// Returns `true` if subdomains step any links.
    pub fn any_local(&self) -> bool {
        !self.owners.is_empty()
    }

    /// Returns `true` if several subdomains step the same link.
    pub fn are_shared(&self) -> bool {
        self.numbers.iter().map(Vec::len).sum::<usize>() > self.owners.len()
    }

    /// Collects the state of each link of the run from the subdomains' states.
    pub fn gathered(&self, local: &[Vec<LinkState>]) -> Vec<LinkState> {
        if !self.between.is_empty() {
            return self.between.states.clone();
        }
        let mut all = vec![LinkState::default(); self.owners.len()];
        for (subdomain, (numbers, states)) in self.numbers.iter().zip(local).enumerate() {
            let stood = numbers.iter().zip(states);
            let own = stood.filter(|(number, _)| self.owners[**number] == subdomain);
            own.for_each(|(&number, &state)| all[number] = state);
        }
        all
    }

    /// Overwrites the subdomains' copies of link states with the owners'.
    pub fn share(&self, local: &mut [Vec<LinkState>]) {
        let all = self.gathered(local);
        for (numbers, states) in self.numbers.iter().zip(local) {
            *states = numbers.iter().map(|&number| all[number]).collect();
        }
    }

    /// Returns `true` if the links of a subdomain, starting from `states`, change state in steps
    /// during which all their cells are dry: a pump stops, or the remainder of a flow changes.
    pub fn stir(&mut self, subdomain: usize, states: &[LinkState], steps: &[Step]) -> bool {
        let links = &mut self.local[subdomain];
        links.states.copy_from_slice(states);
        steps.iter().for_each(|step| links.step(step.dt, |_, _| 0));
        links.states != states
    }
}

/// A chain: its links, and its cells on the padded grid (column, row).
type Chain = (Vec<usize>, Vec<(usize, usize)>);

/// Finds the chains of links on the padded grid of a plan.
fn chains_on<'a>(
    links: impl Iterator<Item = &'a Link> + Clone,
    plan: &SubdomainPlan,
) -> Vec<Chain> {
    let columns = plan.padded_grid.0 - 2 * MARGIN;
    let ends = links.clone().map(|link| [link.inlet, link.outlet]);
    let ends: Vec<_> = ends.map(|ends| ends.map(|cell| on_padded_grid(cell, columns))).collect();
    let cells = |chain: &Vec<usize>| chain.iter().flat_map(|&link| ends[link]).collect();
    chains(links).into_iter().map(|chain| (chain.clone(), cells(&chain))).collect()
}

/// Returns the links of the chains in a subdomain's frame, in ascending order, if each chain has
/// all its cells or none in the valid part before every step.
fn held(subdomain: &Subdomain, plan: &SubdomainPlan, chains: &[Chain]) -> Option<Vec<usize>> {
    let has = |area: &Rect, (_, cells): &Chain| {
        let within = cells.iter().filter(|(column, row)| area.holds(*column, *row)).count();
        if within == 0 || within == cells.len() { Some(within > 0) } else { None }
    };
    let near = chains.iter().filter(|chain| has(&subdomain.extent, chain) != Some(false));
    let near: Vec<&Chain> = near.collect();
    if let (Some(steps), false) = (plan.steps, near.is_empty()) {
        let right = plan.right(subdomain, steps);
        let before = &right[..steps];
        if near.iter().any(|chain| before.iter().any(|area| has(area, chain).is_none())) {
            return None;
        }
    }
    let mut links: Vec<usize> = near.into_iter().flat_map(|(links, _)| links).copied().collect();
    links.sort_unstable();
    Some(links)
}

/// Enlarges the frames of a plan so that they hold chains of links together, and waiting structures
/// together with the cells that store their triggers.
pub fn keeping(links: &[Link], structures: &[Structure], plan: SubdomainPlan) -> SubdomainPlan {
    let chains = chains_on(links.iter(), &plan).into_iter().map(|(_, cells)| around(&cells));
    let together = chains.chain(waiting(structures, &plan)).collect();
    plan.keeping(together)
}

/// Returns the smallest rectangle that contains some cells.
fn around(cells: &[(usize, usize)]) -> Rect {
    let first = Rect { column: cells[0].0, row: cells[0].1, columns: 1, rows: 1 };
    cells.iter().fold(first, |area, &cell| area.with(cell))
}

/// Returns the areas (padded grid) of waiting structures, each including the cells that store its
/// trigger.
fn waiting(structures: &[Structure], plan: &SubdomainPlan) -> Vec<Rect> {
    let columns = plan.padded_grid.0 - 2 * MARGIN;
    let of = |structure: &Structure| {
        let [a, b] = structure.waits?.map(|cell| on_padded_grid(cell, columns));
        let (column, row) = on_padded_grid(structure.cell, columns);
        let ahead = (column + 1 - structure.axis, row + structure.axis);
        Some(around(&[(column, row), ahead, a, b]))
    };
    structures.iter().filter_map(of).collect()
}

/// Maximum growth of the largest frame, as a factor, to allow rounds of several steps.
const MOST_FOR_LINKS: f64 = 1.25;

/// Finds the plan with the most steps per round whose frames hold chains of links together without
/// growing much. `plan` creates a plan with at most the given number of steps, which is halved
/// until it fits. If none does, returns a plan of single steps, with the links handled between
/// rounds.
pub(crate) fn plan_for(
    Forcing { links, structures, .. }: &Forcing,
    plan: impl Fn(usize) -> Option<SubdomainPlan>,
) -> Option<SubdomainPlan> {
    let cells = |plan: &SubdomainPlan| {
        let (columns, rows) = plan.largest_frame();
        (columns * rows) as f64
    };
    let mut most = usize::MAX;
    loop {
        let found = plan(most)?;
        let kept = keeping(links, structures, found.clone());
        if cells(&kept) <= MOST_FOR_LINKS * cells(&found) {
            return Some(kept);
        }
        match found.steps {
            Some(steps) if steps > 1 => most = steps / 2,
            // Links can be handled between rounds; structures cannot.
            _ => return Some(keeping(&[], structures, found)),
        }
    }
}

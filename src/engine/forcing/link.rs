//! Links: pumps and culverts that carry water from one cell to another, regardless of the cells
//! between.
//!
//! At the start of each step, all links take the levels after the previous step. Then each moves
//! the discharge of its rating in whole grains, one after the other: one cell loses as much as the
//! other gains. A culvert resists a stored discharge, which the fall drives
//! (docs/decisions/0035-a-structure-is-a-resistance.md): on small cells the levels respond within a
//! step, and a discharge that followed them at once would oscillate.
//!
//! Only basic operations on f64 and integers are used, so that every processor moves the same
//! amount. `kernels/link.cu` is the GPU version.

use crate::forcing::structures::LEAST_DROP;
use crate::grains::{Grain, MAX_WATER};
use crate::grid::{Bed, Grid};
use crate::subgrid::lookup;
use crate::subgrid::tables::{CellWords, Tables};
use crate::units::Metre;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Discharge (m³/s) as a function of the head at the upper end and the level difference (m): linear
/// between knots, constant beyond the last knots.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Rating {
    /// Knots of the head (m), ascending.
    pub heads: Vec<f64>,
    /// Knots of the level difference (m), ascending.
    pub differences: Vec<f64>,
    /// Discharge at every difference for every head (m³/s).
    pub flows: Vec<f64>,
}

impl Rating {
    /// Creates a rating with a constant discharge (m³/s).
    pub fn constant(flow: f64) -> Rating {
        Rating { heads: vec![0.0], differences: vec![0.0], flows: vec![flow] }
    }

    /// Creates a rating that depends only on the level difference, from pairs of difference (m,
    /// ascending) and discharge (m³/s).
    pub fn of_difference(pairs: &[(f64, f64)]) -> Rating {
        Rating {
            heads: vec![0.0],
            differences: pairs.iter().map(|pair| pair.0).collect(),
            flows: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    /// Returns the rating of several equal barrels.
    pub fn times(mut self, barrels: u8) -> Rating {
        self.flows.iter_mut().for_each(|flow| *flow *= f64::from(barrels));
        self
    }

    /// Returns the discharge (m³/s) at a head and a level difference (m).
    pub fn flow(&self, head: f64, difference: f64) -> f64 {
        let (i, s) = find(&self.heads, head);
        let (j, t) = find(&self.differences, difference);
        let along = |i: usize| {
            let row = &self.flows[i * self.differences.len()..];
            if t > 0.0 { row[j] + t * (row[j + 1] - row[j]) } else { row[j] }
        };
        let low = along(i);
        if s > 0.0 { low + s * (along(i + 1) - low) } else { low }
    }
}

/// Returns the index of the knot at or before `x`, and the fraction of the distance to the next, 0
/// to 1; clamped to the first and last knot.
fn find(knots: &[f64], x: f64) -> (usize, f64) {
    let last = knots.len() - 1;
    if x <= knots[0] {
        return (0, 0.0);
    }
    if x >= knots[last] {
        return (last, 0.0);
    }
    let at = knots.partition_point(|&knot| knot <= x) - 1;
    (at, (x - knots[at]) / (knots[at + 1] - knots[at]))
}

/// Driver of the flow of a link.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub enum LinkDriver {
    /// A pump: from the inlet to the outlet, regardless of the levels.
    Pump {
        /// Inlet depth above which it starts (m).
        start: Metre,
        /// Inlet depth at or below which it stops (m).
        stop: Metre,
    },
    /// A culvert: from the higher level to the lower one.
    Fall {
        /// Higher invert (m above the DEM's zero), below which no water passes. Default: the higher
        /// bed of both cells.
        crest: Option<Metre>,
        /// Set if a flap gate prevents flow back to the inlet.
        one_way: bool,
    },
}

/// A link between two cells.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Link {
    /// Name of the link.
    pub name: String,
    /// Cell from which it takes water.
    pub inlet: usize,
    /// Cell to which it delivers water.
    pub outlet: usize,
    /// Driver of the flow.
    pub drive: LinkDriver,
    /// Rating of the discharge.
    pub rating: Rating,
}

/// A link in the units of a run: lengths in grains above the bed's datum.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Fitted {
    /// The link.
    pub link: Link,
    /// Bed levels at the inlet and the outlet (grains).
    pub beds: [i64; 2],
    /// Level below which nothing passes (grains).
    pub crest: i64,
    /// Subgrid tables of the inlet cell and the outlet cell, if they have any.
    pub tables: Option<[CellWords; 2]>,
    /// Set if the solver's flow in a step starts from the levels that the links leave behind. A
    /// culvert then evaluates the levels after the links' discharges, as the flow sees them.
    pub drawn: bool,
    /// Number of links at the end that has more of them.
    pub sharing: u32,
}

/// Water heights in the cells at both ends.
struct EndDepths {
    /// Height over the lowest ground of each cell (grains).
    over: [i64; 2],
    /// Rate at which the height rises with the water, for the cell where it rises faster; 1 if the
    /// beds of the cells are flat.
    rises: f32,
}

/// State of a link.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[repr(C)]
pub struct LinkState {
    /// Fraction of a grain that is carried over to the next step.
    pub carry: f64,
    /// Discharge in the last step (m³/s), negative from the outlet to the inlet.
    pub flow: f64,
    /// The same, if the cells have enough water and room for all links.
    pub wanted: f64,
    /// Total moved from the inlet to the outlet (grains).
    pub forward: u64,
    /// Total moved back (grains).
    pub back: u64,
    /// Set if the pump runs.
    pub on: bool,
}

/// Links of a run, or some of them, in the order in which they move water.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Links {
    /// The links, in the units of the run.
    pub fitted: Vec<Fitted>,
    /// State of each link.
    pub states: Vec<LinkState>,
    /// Metres per grain.
    pub metres: f64,
    /// Grains of a cell per cubic metre.
    pub per_cubic_metre: f64,
}

impl Links {
    /// Converts links to the units of a grid.
    pub fn new(links: &[Link], grid: &Grid, bed: &Bed, grain: Grain) -> Links {
        let per_metre = f64::from(grain.per_metre());
        let bed_step = grain.bed_step();
        let datum = i64::from(bed.datum());
        let mut at = BTreeMap::new();
        for cell in links.iter().flat_map(|link| [link.inlet, link.outlet]) {
            *at.entry(cell).or_insert(0) += 1;
        }
        let fit = |link: &Link| {
            let sharing = at[&link.inlet].max(at[&link.outlet]);
            let beds = [link.inlet, link.outlet]
                .map(|cell| (i64::from(bed.levels[cell]) - datum) * bed_step);
            let crest = match link.drive {
                LinkDriver::Fall { crest: Some(level), .. } => {
                    (level * per_metre).round() as i64 - datum * bed_step
                }
                _ => beds[0].max(beds[1]),
            };
            Fitted { link: link.clone(), beds, crest, tables: None, drawn: false, sharing }
        };
        Links {
            fitted: links.iter().map(fit).collect(),
            states: vec![LinkState::default(); links.len()],
            metres: f64::from(grain.metres()),
            per_cubic_metre: per_metre / grid.cell_area(),
        }
    }

    /// Adds the subgrid tables of the cells at the ends.
    pub fn on(mut self, tables: Option<&Tables>) -> Links {
        if let Some(tables) = tables {
            for fitted in &mut self.fitted {
                let ends = [fitted.link.inlet, fitted.link.outlet];
                fitted.tables = Some(ends.map(|cell| tables.words_of_cell(cell)));
            }
        }
        self
    }

    /// Sets whether the solver's flow in a step starts from the levels that the links leave behind,
    /// as it does without momentum.
    pub fn drawn(mut self, drawn: bool) -> Links {
        self.fitted.iter_mut().for_each(|fitted| fitted.drawn = drawn);
        self
    }

    /// Returns `true` if there are no links.
    pub fn is_empty(&self) -> bool {
        self.fitted.is_empty()
    }

    /// Returns the cells at the ends, without duplicates, in ascending order.
    pub fn ends(&self) -> Vec<usize> {
        let ends = self.fitted.iter().flat_map(|fitted| [fitted.link.inlet, fitted.link.outlet]);
        let mut ends: Vec<usize> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Returns the [`chains`] of the links.
    pub fn chains(&self) -> Vec<Vec<usize>> {
        chains(self.fitted.iter().map(|fitted| &fitted.link))
    }

    /// Selects links by their numbers.
    pub fn only(&self, numbers: &[usize]) -> Links {
        let fitted = numbers.iter().map(|&number| self.fitted[number].clone()).collect();
        let states = numbers.iter().map(|&number| self.states[number]).collect();
        Links { fitted, states, ..*self }
    }

    /// Moves the water of a step of `dt` (s). `change` changes the water of a cell by a number of
    /// grains, and returns its new water.
    pub fn step(&mut self, dt: f32, mut change: impl FnMut(usize, i32) -> i32) {
        let grains = f64::from(dt) * self.per_cubic_metre;
        let drawn = self.drawn_from();
        for (fitted, state) in self.fitted.iter().zip(&mut self.states) {
            let ends = [fitted.link.inlet, fitted.link.outlet];
            let drawn = ends.map(|cell| drawn.get(&cell).copied().unwrap_or_default());
            let water = ends.map(|cell| change(cell, 0));
            state.wanted = fitted.discharge(state, water, drawn, grains, self.metres);
        }
        for (fitted, state) in self.fitted.iter().zip(&mut self.states) {
            let Link { inlet, outlet, .. } = fitted.link;
            let water = [change(inlet, 0), change(outlet, 0)];
            let moved = moves(state, water, grains);
            if moved != 0 {
                change(inlet, -moved);
                change(outlet, moved);
            }
        }
    }

    /// Returns what all links took from each cell in the last step (m³/s), if it matters.
    fn drawn_from(&self) -> BTreeMap<usize, f64> {
        let mut drawn = BTreeMap::new();
        for (fitted, state) in self.fitted.iter().zip(&self.states).filter(|(of, _)| of.drawn) {
            *drawn.entry(fitted.link.inlet).or_default() += state.flow;
            *drawn.entry(fitted.link.outlet).or_default() -= state.flow;
        }
        drawn
    }
}

/// Groups links that share cells, directly or through other links. The results of links in
/// different groups do not depend on their order.
pub fn chains<'a>(links: impl IntoIterator<Item = &'a Link>) -> Vec<Vec<usize>> {
    // For each link, the number of an earlier or equal link of its chain; the first link of a chain
    // has its own number.
    let mut before: Vec<usize> = Vec::new();
    let find = |before: &[usize], mut at: usize| {
        while before[at] != at {
            at = before[at];
        }
        at
    };
    let mut of_cell = BTreeMap::new();
    for (number, link) in links.into_iter().enumerate() {
        before.push(number);
        for cell in [link.inlet, link.outlet] {
            let other = find(&before, *of_cell.entry(cell).or_insert(number));
            let mine = find(&before, number);
            before[mine.max(other)] = mine.min(other);
        }
    }
    let mut chains = BTreeMap::<usize, Vec<usize>>::new();
    for number in 0..before.len() {
        chains.entry(find(&before, number)).or_default().push(number);
    }
    chains.into_values().collect()
}

impl Fitted {
    /// Computes the height of `water` (grains) at both ends.
    fn heights(&self, water: [i32; 2], metres: f64) -> EndDepths {
        let Some(tables) = &self.tables else {
            return EndDepths { over: water.map(i64::from), rises: 1.0 };
        };
        let step = (1.0 / (metres * Bed::PER_METRE)) as i64;
        let [a, b] =
            [0, 1].map(|end| lookup::height_and_rise(&tables[end], water[end], metres as f32));
        EndDepths {
            over: [a, b].map(|(over, _)| i64::from(over) * step),
            rises: a.1.max(b.1).max(1.0),
        }
    }

    /// Returns the discharge in a step (m³/s), negative from the outlet to the inlet, for cells with
    /// `water` (grains), from which all links took `drawn` (m³/s) in the last step. One cubic metre
    /// per second is `grains` per step, and a grain is `metres` deep.
    fn discharge(
        &self,
        state: &mut LinkState,
        water: [i32; 2],
        drawn: [f64; 2],
        grains: f64,
        metres: f64,
    ) -> f64 {
        let EndDepths { over, rises } = self.heights(water, metres);
        let one_way = match self.link.drive {
            LinkDriver::Pump { start, stop } => {
                let depth = over[0] as f64 * metres;
                state.on = depth > if state.on { stop } else { start };
                return if state.on { self.link.rating.flow(0.0, 0.0) } else { 0.0 };
            }
            LinkDriver::Fall { one_way, .. } => one_way,
        };
        let levels = [0, 1].map(|end| self.beds[end] + over[end]);
        // Rise of the levels per unit discharge in the step (m per m³/s).
        let responds = grains * metres * f64::from(rises);
        let flow = self.culvert(levels, state.flow, drawn, responds, metres);
        let flow = if one_way && flow < 0.0 { 0.0 } else { flow };
        // Together, the links of a cell take at most half of its water above the crest.
        let most = (levels[usize::from(flow < 0.0)] - self.crest).max(0) >> 1;
        let most = if rises > 1.0 { (most as f32 / rises) as i64 } else { most };
        let most = most as f64 / (grains * f64::from(self.sharing));
        flow.abs().min(most).copysign(flow)
    }

    /// Returns the discharge of a culvert (m³/s) after a step, from its last discharge, for levels
    /// (grains above the datum) that fall by twice `responds` (m) for each m³/s in the step. The
    /// fall drives the discharge, and the resistance of the rating, fall per discharge, holds it
    /// back at the end of the step: steady flow has the discharge of the rating. Below
    /// [`LEAST_DROP`] it is proportional to the fall.
    fn culvert(
        &self,
        levels: [i64; 2],
        last: f64,
        drawn: [f64; 2],
        responds: f64,
        metres: f64,
    ) -> f64 {
        let datum = levels[0].min(levels[1]);
        let [here, there] =
            [0, 1].map(|end| (levels[end] - datum) as f64 * metres - drawn[end] * responds);
        let fall = here - there;
        let above = (datum - self.crest) as f64 * metres;
        let head = above + if fall < 0.0 { there } else { here };
        let drop = fall.abs().max(f64::from(LEAST_DROP));
        let rated = if head > 0.0 { self.link.rating.flow(head, drop.min(head)) } else { 0.0 };
        if !(rated > 0.0 && responds > 0.0) {
            return 0.0;
        }
        let push = 1.0 / (8.0 * responds * f64::from(self.sharing));
        (last + push * fall) / (1.0 + push * (drop / rated))
    }
}

/// Returns the water that goes from the inlet to the outlet, negative if it goes back (grains), of
/// the wanted discharge, for cells with `water` (grains). One cubic metre per second is `grains` per
/// step.
fn moves(state: &mut LinkState, water: [i32; 2], grains: f64) -> i32 {
    state.flow = state.wanted;
    let back = state.flow < 0.0;
    let [here, there] = water.map(i64::from);
    let (donor, receiver) = if back { (there, here) } else { (here, there) };
    let most = donor.min(i64::from(MAX_WATER) - receiver);
    let wanted = state.flow.abs() * grains + state.carry;
    let whole = wanted.min(f64::from(MAX_WATER)) as i64;
    // Cells beyond the valid part of a frame may contain more than the maximum of a cell.
    let moved = whole.min(most).max(0);
    state.carry = if moved == whole { wanted - whole as f64 } else { 0.0 };
    if moved < whole {
        state.flow = (moved as f64 / grains).copysign(state.flow);
    }
    if back {
        state.back += moved as u64;
        -(moved as i32)
    } else {
        state.forward += moved as u64;
        moved as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rating_is_straight_between_its_knots_and_level_beyond() {
        let rating = Rating {
            heads: vec![0.0, 2.0],
            differences: vec![0.0, 1.0, 3.0],
            flows: vec![0.0, 0.0, 0.0, 0.0, 4.0, 6.0],
        };
        for (head, difference, flow) in [
            (2.0, 0.5, 2.0),
            (2.0, 2.0, 5.0),
            (1.0, 2.0, 2.5),
            (9.0, 9.0, 6.0),
            (0.0, 9.0, 0.0),
            (9.0, -1.0, 0.0),
        ] {
            assert_eq!(rating.flow(head, difference), flow, "{head}, {difference}");
        }
    }

    #[test]
    fn links_that_share_cells_are_one_chain_in_their_order() {
        let link = |(inlet, outlet): (usize, usize)| Link {
            name: String::new(),
            inlet,
            outlet,
            drive: LinkDriver::Pump { start: 0.0, stop: 0.0 },
            rating: Rating::constant(1.0),
        };
        let links = [(1, 2), (3, 4), (5, 6), (2, 7), (4, 1), (8, 9), (6, 6)].map(link);
        assert_eq!(chains(&links), [vec![0, 1, 3, 4], vec![2, 6], vec![5]]);
    }

    #[test]
    fn a_small_flow_loses_nothing_to_rounding() {
        let grid = Grid::plain(2, 1, 10.0);
        let bed = Bed::from_metres([0.0, 5.0]);
        let drive = LinkDriver::Pump { start: 0.0, stop: 0.0 };
        // A third of a grain per step.
        let flow = 100.0 / 16_777_216.0 / 3.0;
        let link =
            Link { name: "p".into(), inlet: 0, outlet: 1, drive, rating: Rating::constant(flow) };
        let mut links = Links::new(&[link], &grid, &bed, Grain::Fine);
        let mut water = [1000, 0];
        for _ in 0..300 {
            links.step(1.0, |cell, by| {
                water[cell] += by;
                water[cell]
            });
        }
        assert!((99..=100).contains(&water[1]), "{water:?}");
        assert_eq!(water[0] + water[1], 1000);
        assert_eq!(links.states[0].forward, water[1] as u64);
    }
}

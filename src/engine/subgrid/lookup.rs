//! What tables say: the level of a cell that holds some water, and the section of an edge at a level. `kernels/subgrid.cuh` is the
//! twin.

use super::layout::{KNOTS, cell, edge};
use super::tables::{CellWords, Tables};
use crate::grains::MAX_WATER;
use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use crate::rule::edge::DRY;
use crate::rule::ground::{Crosses, Ground};

/// The most of its mean depth that a cell's water may have over an edge: cells on steep ground, whose water stands far below the
/// sections that their level would open, were empty after a step.
pub(crate) const THIN: f32 = 2.0;

/// 2⁻¹⁶.
pub(crate) const SHARE: f32 = 1.0 / 65536.0;

/// What a table's numbers between knots and after the first of them are worth.
const SQUARES: [f32; KNOTS] = [0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0];

/// 1 / (2k + 1), the reciprocals of how far knots lie apart.
const WIDTHS: [f32; KNOTS] =
    [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// The planes of the tables of cells, from one on.
#[derive(Clone, Copy, Debug)]
pub struct CellTables<'a>(pub [&'a [i32]; cell::WORDS]);

/// The planes of the tables of the edges of an axis, from the edge ahead of one cell on.
#[derive(Clone, Copy, Debug)]
pub struct EdgeTables<'a>(pub [&'a [i32]; edge::WORDS]);

/// Where a number lies among knots.
#[derive(Clone, Copy)]
struct Among<V> {
    lower: V,
    upper: V,
    /// Between them, 0 to 1.
    part: V,
    /// What of the way from the foot to the top, times KNOTS², a step between them is: its reciprocal.
    width: V,
}

/// Finds `y`, KNOTS² of the way from the foot to the top, among a table's knots.
#[inline(always)]
fn among<V: Real>(y: V, knots: [V; KNOTS + 1]) -> Among<V> {
    let mut found = Among { lower: knots[0], upper: knots[1], part: y, width: V::splat(1.0) };
    let mut foot = V::zero();
    for k in 1..KNOTS {
        let square = V::splat(SQUARES[k]);
        found.lower = V::if_greater(square, y, found.lower, knots[k]);
        found.upper = V::if_greater(square, y, found.upper, knots[k + 1]);
        found.width = V::if_greater(square, y, found.width, V::splat(WIDTHS[k]));
        foot = V::if_greater(square, y, foot, square);
    }
    found.part = (y - foot) * found.width;
    found
}

impl<V: Real> Among<V> {
    /// The number there, no more than at the upper knot where numbers `rise`.
    #[inline(always)]
    fn number(self) -> V {
        (self.upper - self.lower).fused(self.part, self.lower)
    }
}

/// Numbers at knots 0 to 8: the first is 0, the others lie two a word; where there are but seven, the last is `top`.
///
/// # Safety
/// `at` must lie in the planes.
#[inline(always)]
unsafe fn knots<V: Real>(planes: &[&[i32]], at: usize, top: Option<f32>) -> [V; KNOTS + 1] {
    let mut knots = [V::zero(); KNOTS + 1];
    for pair in 0..KNOTS / 2 {
        // SAFETY: the caller's.
        let word = unsafe { V::Whole::load(planes[pair], at) };
        let high = word.shift_right(16);
        knots[2 * pair + 1] = (word - high * V::Whole::splat(1 << 16)).to_real();
        knots[2 * pair + 2] = high.to_real();
    }
    if let Some(top) = top {
        knots[KNOTS] = V::splat(top);
    }
    knots
}

impl CellTables<'_> {
    /// The table of a cell.
    pub fn words(&self, at: usize) -> CellWords {
        self.0.map(|plane| plane[at] as u32)
    }

    /// The level of some cells (2⁻¹⁶ m) whose lowest ground is `bed` and which hold `water` (grains), and how fast it rises with the
    /// mean depth. It never falls as water rises.
    ///
    /// # Safety
    /// `at` must lie in the planes.
    #[inline(always)]
    pub unsafe fn level<V: Real>(
        &self,
        at: usize,
        bed: V::Whole,
        water: V::Whole,
        metres: f32,
    ) -> (V::Whole, V) {
        let planes = &self.0;
        let zero = V::zero();
        // SAFETY: the caller's.
        let (full, per_full, relief, spread, knots) = unsafe {
            (
                V::Whole::load(planes[cell::FULL], at).bits_as_real(),
                V::Whole::load(planes[cell::PER_FULL], at).bits_as_real(),
                V::Whole::load(planes[cell::RELIEF], at).to_real(),
                V::Whole::load(planes[cell::SPREAD], at).bits_as_real(),
                knots::<V>(&planes[cell::LEVELS..], at, Some(65536.0)),
            )
        };
        let depth = water.to_real() * V::splat(metres);
        let y = depth * per_full;
        let among = among(y, knots);
        let scale = relief * V::splat(SHARE);
        let within = among.number().lower(among.upper) * scale;
        let beyond = (depth - full) * spread;
        let over = beyond.fused(V::splat(Bed::PER_METRE as f32), relief);
        let top = V::splat((KNOTS * KNOTS) as f32);
        let above = V::if_greater(top, y, within, over);
        let rises = ((among.upper - among.lower) * among.width)
            * ((scale * V::splat(Bed::STEP)) * per_full);
        let rises = V::if_greater(top, y, rises.higher(V::splat(1.0)), spread);
        // Of a dry cell no one asks.
        let rises = V::if_greater(depth, zero, rises, zero);
        (bed + V::choose(depth, zero, above.truncate(), V::Whole::splat(0)), rises)
    }
}

/// What water has over an edge at the level of the cell that gives.
#[derive(Clone, Copy, Debug)]
pub struct Section<V> {
    /// Area over the width of the edge (m), 0 where less than [`DRY`].
    pub depth: V,
    /// Depth of friction (m).
    pub friction: V,
}

impl EdgeTables<'_> {
    /// How far a level (2⁻¹⁶ m) stands above the sills of some edges (m).
    ///
    /// # Safety
    /// `at` must lie in the planes.
    #[inline(always)]
    pub unsafe fn over_sill<V: Real>(&self, at: usize, level: V::Whole) -> V {
        // SAFETY: the caller's. Levels are no less than 0, and so this does not wrap.
        let sill = unsafe { V::Whole::load(self.0[edge::SILL], at) };
        (level - sill).to_real() * V::splat(Bed::STEP)
    }

    /// The sections of some edges at levels that stand so far over their sills (m) in cells of such a mean depth (m).
    ///
    /// # Safety
    /// `at` must lie in the planes.
    #[inline(always)]
    pub unsafe fn section<V: Real>(&self, at: usize, over_sill: V, giver: V) -> Section<V> {
        let planes = &self.0;
        let zero = V::zero();
        // SAFETY: the caller's.
        let (rise, per_rise, section, grows, friction, rubs, sections, frictions) = unsafe {
            (
                V::Whole::load(planes[edge::RISE], at).bits_as_real(),
                V::Whole::load(planes[edge::PER_RISE], at).bits_as_real(),
                V::Whole::load(planes[edge::SECTION], at).bits_as_real(),
                V::Whole::load(planes[edge::SECTION_GROWS], at).bits_as_real(),
                V::Whole::load(planes[edge::FRICTION], at).bits_as_real(),
                V::Whole::load(planes[edge::FRICTION_GROWS], at).bits_as_real(),
                knots::<V>(&planes[edge::SECTIONS..], at, Some(65536.0)),
                knots::<V>(&planes[edge::FRICTIONS..], at, None),
            )
        };
        let y = over_sill * per_rise;
        let unit = friction * V::splat(1.0 / 65535.0);
        let beyond = over_sill - rise;
        let top = V::splat((KNOTS * KNOTS) as f32);
        let depth = among(y, sections).number() * (section * V::splat(SHARE));
        let depth = V::if_greater(top, y, depth, grows.fused(beyond, section));
        let drag = among(y, frictions).number() * unit;
        let drag = V::if_greater(top, y, drag, rubs.fused(beyond, frictions[KNOTS] * unit));
        // A triangle's depth goes with the root of its area.
        let most = V::splat(THIN) * giver;
        let thinner = drag * (most / depth.higher(V::splat(DRY))).sqrt();
        let drag = V::if_greater(depth, most, thinner, drag);
        let depth = depth.lower(most);
        let wet = V::if_greater(over_sill, zero, depth, zero);
        let depth = V::if_greater(wet, V::splat(DRY), depth, zero);
        Section { depth, friction: V::if_greater(depth, zero, drag, zero) }
    }
}

/// The section with which water crosses, where that alone is asked for.
#[derive(Clone, Copy, Debug)]
pub struct AtLevel<V>(pub V);

impl<V: Real> Crosses<V> for AtLevel<V> {
    #[inline(always)]
    fn crossing(self, _velocity: V) -> V {
        self.0
    }
}

/// Edges with tables, of whose cells the levels are known.
#[derive(Clone, Copy, Debug)]
pub struct Tabled<V> {
    /// Their sections at the levels of the cells behind and ahead.
    pub sections: [Section<V>; 2],
    /// Mean depths behind and ahead (m).
    pub depth: [V; 2],
    /// How fast the levels of these cells rise with it, 0 where they stand no higher than the sill, and everywhere.
    pub rises: [[V; 2]; 2],
}

impl<V: Real> Crosses<V> for Tabled<V> {
    #[inline(always)]
    fn crossing(self, velocity: V) -> V {
        let [behind, ahead] = self.sections;
        V::if_greater(velocity, V::zero(), behind.depth, ahead.depth)
    }
}

impl<V: Real> Ground<V> for Tabled<V> {
    const ONE_DEPTH: bool = false;

    #[inline(always)]
    fn given(self, velocity: V) -> [V; 2] {
        let [behind, ahead] = self.sections;
        let friction = V::if_greater(velocity, V::zero(), behind.friction, ahead.friction);
        [self.crossing(velocity), friction]
    }

    #[inline(always)]
    fn face(self, difference: V) -> V {
        let [behind, ahead] = self.sections;
        V::if_greater(V::zero(), difference, ahead.depth, behind.depth)
    }

    #[inline(always)]
    fn wave(self, face: V) -> V {
        let [behind, ahead] = self.rises[0];
        face * behind.higher(ahead).higher(V::splat(1.0))
    }

    #[inline(always)]
    fn bore(self) -> [V; 2] {
        let ([a, b], [rises_a, rises_b]) = (self.depth, self.rises[1]);
        [a * (a * rises_a).sqrt(), b * (b * rises_b).sqrt()]
    }

    #[inline(always)]
    fn empties(self, crossing: V, velocity: V) -> V {
        let [behind, ahead] = self.depth;
        let holds = V::if_greater(velocity, V::zero(), behind, ahead);
        crossing / holds.higher(V::splat(DRY))
    }
}

/// How high `water` (grains) stands over the lowest ground of a cell with a table (2⁻¹⁶ m), and how fast it rises with the mean depth.
pub fn stands(words: &CellWords, water: i32, metres: f32) -> (i32, f32) {
    let words = words.map(|word| [word as i32]);
    let table = CellTables(std::array::from_fn(|word| &words[word][..]));
    let one = |number: i32| <f32 as Real>::Whole::splat(number);
    let mut level = [0];
    // SAFETY: one lane needs one word.
    let rises = unsafe {
        let (found, rises) = table.level::<f32>(0, one(0), one(water), metres);
        found.store(&mut level, 0);
        rises
    };
    (level[0], rises)
}

/// The level (2⁻¹⁶ m) of a cell with a table that holds `water` (grains), counted as its `bed` is.
pub fn level_of(words: &CellWords, bed: i32, water: i32, metres: f32) -> i32 {
    bed + stands(words, water, metres).0
}

/// The least water (grains) with which a cell with a table stands at a level (2⁻¹⁶ m) or above, if it can hold as much.
pub fn water_at(words: &CellWords, bed: i32, level: i64, metres: f32) -> i32 {
    let (mut low, mut high) = (0, MAX_WATER);
    while low < high {
        let middle = low + (high - low) / 2;
        match i64::from(level_of(words, bed, middle, metres)) >= level {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

impl Tables {
    /// The level (2⁻¹⁶ m) of a cell that holds `water` (grains).
    pub fn level_of(&self, cell: usize, water: i32, metres: f32) -> i32 {
        level_of(&self.words_of_cell(cell), self.bed[cell], water, metres)
    }

    /// The water (grains) with which a cell stands at a level (2⁻¹⁶ m): [`water_at`].
    pub fn water_at(&self, cell: usize, level: i32, metres: f32) -> i32 {
        water_at(&self.words_of_cell(cell), self.bed[cell], level.into(), metres)
    }
}

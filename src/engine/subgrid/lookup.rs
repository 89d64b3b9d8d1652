//! What tables say: the level of a cell that holds some water, and the section of an edge at a level. `kernels/subgrid.cuh` is the
//! twin.

use super::layout::{Short, cell, edge};
use super::tables::{CellWords, Tables};
use crate::grains::MAX_WATER;
use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use crate::rule::edge::DRY;
use crate::rule::ground::{Crosses, Face, Ground};
use crate::rule::roots::inverse_sixth_root;

/// The most of its mean depth that a cell's water may have over an edge that it falls over freely: cells on steep ground, whose water stands
/// far below the sections that their level would open, were empty after a step. As much of a section as the other cell's level drowns
/// is water that stands there, of a river that cuts a corner of the cell, say.
pub(crate) const THIN: f32 = 2.0;

/// 2⁻¹⁶.
pub(crate) const SHARE: f32 = 1.0 / 65536.0;

/// What the squares of an edge's roots are multiplied with.
pub(crate) const PER_TOP: f32 = 1.0 / (edge::TOP_ROOT * edge::TOP_ROOT) as f32;

/// The part of the relief that a cell's levels are multiples of.
pub(crate) const LEVEL_SHARE: f32 = 1.0 / cell::SHARES as f32;

/// How much water a full cell has, in what knots count it.
const FULL: f32 = (cell::KNOTS * cell::KNOTS) as f32;

/// The bits of a root, of a growth and of a level.
const ROOT: i32 = (1 << edge::ROOT_BITS) - 1;
const GROWTH: i32 = (1 << edge::GROWS_BITS) - 1;
const LEVEL: i32 = cell::SHARES - 1;

/// The squares of a cell's knots.
const SQUARES: [f32; cell::KNOTS] = [0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0];

/// 1 / (2k + 1), the reciprocals of how far they lie apart.
const WIDTHS: [f32; cell::KNOTS] =
    [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// The planes of the tables of cells, from one on.
#[derive(Clone, Copy, Debug)]
pub struct CellTables<'a>(pub [&'a [i32]; cell::WORDS]);

/// The planes of the tables of the edges of an axis, from the edge ahead of one cell on.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeTables<'a>(pub [&'a [i32]; edge::WORDS]);

/// Numbers whose bits lie where an f32 has them.
#[inline(always)]
fn short<W: Whole>(kind: Short, bits: W) -> W::Real {
    (bits + W::splat(kind.base() as i32)).bits_as_real()
}

/// The same of bits that lie elsewhere: as the lowest ones, and as the highest ones.
#[inline(always)]
fn short_of_lowest<W: Whole>(kind: Short, word: W) -> W::Real {
    let lowest = word.masked((1i32 << kind.bits).wrapping_sub(1));
    short(kind, lowest * W::splat(1 << (23 - kind.mantissa)))
}

#[inline(always)]
fn short_of_highest<W: Whole>(kind: Short, word: W) -> W::Real {
    let places = (32 - kind.bits) - (23 - kind.mantissa);
    short(kind, word.shift_right(places).masked(!((1 << (23 - kind.mantissa)) - 1)))
}

/// The numbers of the tables of some cells.
struct Cells<V: Real> {
    /// See [`cell::PER_FULL`], [`cell::RELIEF`] (2⁻¹⁶ m) and [`cell::SPREAD`].
    per_full: V,
    relief: V,
    spread: V,
    /// The levels at knots, in 1 / [`cell::SHARES`] of the relief.
    levels: [V::Whole; cell::KNOTS + 1],
}

impl<V: Real> Cells<V> {
    /// Of the words of their tables.
    #[inline(always)]
    fn of([full, a, b, c]: [V::Whole; cell::WORDS]) -> Cells<V> {
        let of_spread = b.shift_right(7).masked(0x01ff_0000) + c.shift_right(4).masked(0x0e00_0000);
        let of_relief =
            full.shift_right(4).masked(0x0fff_0000) + c.shift_right(13).masked(0x0000_fe00);
        const UP: u32 = cell::LEVEL_BITS;
        Cells {
            per_full: short_of_lowest(cell::PER_FULL, full),
            relief: short(cell::RELIEF, of_relief),
            spread: short(cell::SPREAD, of_spread),
            levels: [
                V::Whole::splat(0),
                a.masked(LEVEL),
                a.shift_right(UP).masked(LEVEL),
                b.masked(LEVEL),
                b.shift_right(UP).masked(LEVEL),
                c.masked(LEVEL),
                c.shift_right(UP).masked(LEVEL),
                a.shift_right(22) + b.shift_right(12).masked(0x0400),
                V::Whole::splat(cell::SHARES),
            ],
        }
    }
}

impl Cells<f32> {
    /// Of one cell.
    fn one(words: &CellWords) -> Cells<f32> {
        Cells::of(words.map(|word| Whole::splat(word as i32)))
    }
}

/// The number between those at two knots.
#[inline(always)]
fn between<V: Real>(lower: V, upper: V, part: V) -> V {
    (upper - lower).fused(part, lower)
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
        let zero = V::zero();
        let [full, a, b, c] = self.0;
        // SAFETY: the caller's.
        let words = unsafe {
            [
                V::Whole::load(full, at),
                V::Whole::load(a, at),
                V::Whole::load(b, at),
                V::Whole::load(c, at),
            ]
        };
        let Cells { per_full, relief, spread, levels } = Cells::<V>::of(words);
        let depth = water.to_real() * V::splat(metres);
        let y = depth * per_full;
        // Between which knots.
        let [mut lower, mut upper] = [levels[0], levels[1]];
        let (mut foot, mut width) = (zero, V::splat(1.0));
        for k in 1..cell::KNOTS {
            let square = V::splat(SQUARES[k]);
            lower = V::choose(square, y, lower, levels[k]);
            upper = V::choose(square, y, upper, levels[k + 1]);
            width = V::if_greater(square, y, width, V::splat(WIDTHS[k]));
            foot = V::if_greater(square, y, foot, square);
        }
        let (lower, upper) = (lower.to_real(), upper.to_real());
        let scale = relief * V::splat(LEVEL_SHARE);
        let within = between(lower, upper, (y - foot) * width).lower(upper) * scale;
        let top = V::splat(FULL);
        let beyond = (spread * V::splat(Bed::PER_METRE as f32)) / per_full;
        let over = beyond.fused(y - top, relief);
        let above = V::if_greater(top, y, within, over);
        let rises = ((upper - lower) * width) * ((scale * V::splat(Bed::STEP)) * per_full);
        let rises = V::if_greater(top, y, rises.higher(V::splat(1.0)), spread);
        // Of a dry cell no one asks.
        let rises = V::if_greater(depth, zero, rises, zero);
        (bed + V::choose(depth, zero, above.truncate(), V::Whole::splat(0)), rises)
    }

    /// How many of some levels `water` (grains) of a cell reaches: its lowest pixel, which any water does, the knots of its table, and one so
    /// far `above` its top (m).
    pub fn passed(&self, at: usize, water: i32, metres: f32, above: f32) -> usize {
        if water <= 0 {
            return 0;
        }
        let Cells { per_full, spread, .. } = Cells::one(&self.words(at));
        let y = (water as f32 * metres) * per_full;
        let knots = (1..=cell::KNOTS).filter(|knot| (knot * knot) as f32 <= y).count();
        let beyond = (y - FULL) * spread;
        1 + knots + usize::from(knots == cell::KNOTS && beyond >= above * per_full)
    }
}

/// How high a knot of a cell's table is above its lowest pixel (2⁻¹⁶ m), counted as [`CellTables::passed`] does, for one `beyond` its top by so
/// much.
pub fn height_of_knot(tables: &Tables, at: usize, knot: usize, beyond: i32) -> i32 {
    let Cells { relief, levels, .. } = Cells::one(&tables.words_of_cell(at));
    match levels.get(knot) {
        Some(share) => (share.to_real() * (relief * LEVEL_SHARE)) as i32,
        None => (relief as i32).saturating_add(beyond),
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

/// The number by its root, between those at two knots.
#[inline(always)]
fn square_between<W: Whole>(lower: W, upper: W, part: W::Real) -> W::Real {
    let root = between(lower.to_real(), upper.to_real(), part);
    root * root
}

impl EdgeTables<'_> {
    /// What an edge conveys at a level (2⁻¹⁶ m) by the cell that gives, whose mean depth is `giver` (m): A·R^(2/3) over its width
    /// (m^(5/3)), which times √S/n is the unit discharge (Manning 1891).
    pub fn conveys(&self, at: usize, level: i32, giver: f32) -> f32 {
        assert!(at < self.0[edge::SILL].len());
        let level = <f32 as Real>::Whole::splat(level);
        // SAFETY: one lane needs one word.
        let section = unsafe {
            let over = self.over_sill::<f32>(at, level);
            self.section::<f32>(at, [over, 0.0], giver)
        };
        if section.depth <= 0.0 {
            return 0.0;
        }
        let s = inverse_sixth_root(section.friction.higher(DRY));
        section.depth * (section.friction * (s * s))
    }

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

    /// The sections of some edges at levels that stand so far over their sills (m) in cells of such a mean depth (m), where the other
    /// cells' stand `other` over them.
    ///
    /// # Safety
    /// `at` must lie in the planes.
    #[inline(always)]
    pub unsafe fn section<V: Real>(
        &self,
        at: usize,
        [over_sill, other]: [V; 2],
        giver: V,
    ) -> Section<V> {
        const KNOTS: usize = edge::KNOTS;
        let (zero, one) = (V::zero(), V::splat(1.0));
        let planes = &self.0;
        // SAFETY: the caller's.
        let (tops, above, fading, low, high) = unsafe {
            (
                V::Whole::load(planes[edge::TOPS], at),
                V::Whole::load(planes[edge::ABOVE], at),
                V::Whole::load(planes[edge::FADING], at),
                V::Whole::load(planes[edge::ROOTS], at),
                V::Whole::load(planes[edge::ROOTS + 1], at),
            )
        };
        let section = short_of_lowest(edge::TOP, tops);
        let conveyance = short_of_highest(edge::TOP, tops);
        let per_rise = short_of_highest(edge::PER_RISE, above);

        // The way from the sill to the top, by its root: knots lie at whole numbers.
        let top = V::splat((KNOTS * KNOTS) as f32);
        let y = over_sill * per_rise;
        let root = y.sqrt();
        const TOP: i32 = edge::TOP_ROOT << edge::ROOT_BITS | edge::TOP_ROOT;
        let knots: [V::Whole; KNOTS + 1] = [
            V::Whole::splat(0),
            fading.shift_right(16),
            low.masked(0xffff),
            low.shift_right(16),
            high.masked(0xffff),
            high.shift_right(16),
            V::Whole::splat(TOP),
        ];
        let ([mut lower, mut upper], mut foot) = ([knots[0], knots[1]], zero);
        for k in 1..KNOTS {
            let knot = V::splat(k as f32);
            lower = V::choose(knot, root, lower, knots[k]);
            upper = V::choose(knot, root, upper, knots[k + 1]);
            foot = V::if_greater(knot, root, foot, knot);
        }
        let part = root - foot;
        let conveyed = square_between(lower.masked(ROOT), upper.masked(ROOT), part);
        let up = edge::ROOT_BITS;
        let within = square_between(lower.shift_right(up), upper.shift_right(up), part);

        // Above the top D grows as on a plain bed in the end; by what it is more at first fades.
        // A quotient of each number by one division: of both by the product.
        let height = fading.shift_right(edge::ROOT_BITS).masked(ROOT).to_real();
        let x = y - top;
        let fading_by = (height * height).fused(V::splat(edge::FADES), x);
        let part_of_both = x / (per_rise * fading_by);
        let beyond = part_of_both * fading_by;
        let grown = V::splat(edge::GROWN);
        let grows = above.masked(GROWTH).to_real() * grown;
        let full_above = grows.fused(beyond, section);
        let grows = above.shift_right(edge::GROWS_BITS).masked(GROWTH).to_real() * grown;
        let grown = grows.fused(beyond, conveyance);
        let excess = fading.masked(ROOT).to_real().fused(V::splat(edge::EXCESS), zero - one);
        let fraction = part_of_both * per_rise;
        let conveyed_above = (zero - conveyance * excess).fused(fraction, grown);

        let full = V::if_greater(top, y, within * (section * V::splat(PER_TOP)), full_above);
        let conveyed = conveyed * (conveyance * V::splat(PER_TOP));
        let conveys = V::if_greater(top, y, conveyed, conveyed_above);
        let (dry, over_dry) = (full.higher(V::splat(DRY)), over_sill.higher(V::splat(DRY)));
        let part_of_both = one / (dry * over_dry);
        let inverse = part_of_both * over_dry;
        // A wall has no water, whatever stands against it.
        let drowned = full * (other.higher(zero) * (part_of_both * dry));
        let drowned = V::if_greater(giver, zero, drowned, zero);
        let depth = full.lower((V::splat(THIN) * giver).higher(drowned));
        // R = (K/A)^(3/2) = D·(D/A)^(3/2). Of a triangle it goes with the root of the area.
        let share = conveys * inverse;
        let narrowed = share * (depth * inverse);
        let drag = (conveys * share) * narrowed.sqrt();
        let wet = V::if_greater(over_sill, zero, depth, zero);
        let depth = V::if_greater(wet, V::splat(DRY), depth, zero);
        Section { depth, friction: V::if_greater(depth, zero, drag, zero) }
    }
}

/// Edges with tables, of whose cells the levels are known.
#[derive(Clone, Copy, Debug)]
pub struct Tabled<'a, V> {
    tables: &'a EdgeTables<'a>,
    at: usize,
    /// How far the levels of the cells behind and ahead stand above the sills (m).
    over: [V; 2],
    /// Mean depths behind and ahead (m), and how fast levels rise with them.
    depth: [V; 2],
    rises: [V; 2],
    /// The level behind less that ahead (m), and the sections at the higher one.
    difference: V,
    higher: Section<V>,
}

impl<'a, V: Real> Tabled<'a, V> {
    /// Edges from a place on, between cells behind and ahead of such levels (2⁻¹⁶ m) and mean depths (m); `rises` says how fast the levels
    /// rise with these.
    ///
    /// # Safety
    /// The edges must lie in the planes.
    #[inline(always)]
    pub unsafe fn of(
        tables: &'a EdgeTables<'a>,
        at: usize,
        [a, b]: [V::Whole; 2],
        depth: [V; 2],
        rises: [V; 2],
    ) -> Tabled<'a, V> {
        let difference = (a - b).to_real() * V::splat(Bed::STEP);
        let zero = V::zero();
        // SAFETY: the caller's.
        unsafe {
            let over = [tables.over_sill::<V>(at, a), tables.over_sill::<V>(at, b)];
            let highest = V::if_greater(zero, difference, over[1], over[0]);
            let lowest = V::if_greater(zero, difference, over[0], over[1]);
            let giver = V::if_greater(zero, difference, depth[1], depth[0]);
            let higher = tables.section(at, [highest, lowest], giver);
            Tabled { tables, at, over, depth, rises, difference, higher }
        }
    }

    /// The level behind less that ahead (m).
    #[inline(always)]
    pub fn difference(&self) -> V {
        self.difference
    }
}

impl<V: Real> Crosses<V> for Tabled<'_, V> {
    #[inline(always)]
    fn crossing(self, velocity: V) -> V {
        self.given(velocity)[0]
    }
}

impl<V: Real> Ground<V> for Tabled<'_, V> {
    const ONE_DEPTH: bool = false;

    #[inline(always)]
    fn given(self, velocity: V) -> [V; 2] {
        let (zero, one) = (V::zero(), V::splat(1.0));
        let Section { depth, friction } = self.higher;
        // Most water comes from the cell that stands higher; only where some does not is another level looked up.
        let from_ahead = V::if_greater(velocity, zero, zero, one);
        let higher_ahead = V::if_greater(zero, self.difference, one, zero);
        let rises = (from_ahead - higher_ahead).abs();
        let over = V::if_greater(velocity, zero, self.over[0], self.over[1]);
        let over = V::if_greater(rises, zero, over, zero);
        let other = V::if_greater(velocity, zero, self.over[1], self.over[0]);
        let [mut lower, mut rubs] = [zero, zero];
        if over.any_greater(zero) {
            let giver = V::if_greater(velocity, zero, self.depth[0], self.depth[1]);
            // SAFETY: whoever made this promised it.
            let section = unsafe { self.tables.section(self.at, [over, other], giver) };
            (lower, rubs) = (section.depth, section.friction);
        }
        [V::if_greater(rises, zero, lower, depth), V::if_greater(rises, zero, rubs, friction)]
    }

    #[inline(always)]
    fn face(self, _difference: V) -> V {
        self.higher.depth
    }

    #[inline(always)]
    fn wave(self, face: V) -> V {
        // Of the cells that stand above the sill.
        let zero = V::zero();
        let behind = V::if_greater(self.over[0], zero, self.rises[0], zero);
        let ahead = V::if_greater(self.over[1], zero, self.rises[1], zero);
        face * behind.higher(ahead).higher(V::splat(1.0))
    }

    #[inline(always)]
    fn bore(self) -> [V; 2] {
        let ([a, b], [rises_a, rises_b]) = (self.depth, self.rises);
        [a * (a * rises_a).sqrt(), b * (b * rises_b).sqrt()]
    }

    #[inline(always)]
    fn empties(self, crossing: V, velocity: V) -> V {
        let [behind, ahead] = self.depth;
        let holds = V::if_greater(velocity, V::zero(), behind, ahead);
        crossing / holds.higher(V::splat(DRY))
    }
}

/// Edges with tables at the higher level of their cells, whose section is known.
#[derive(Clone, Copy, Debug)]
pub struct AtHigher<V> {
    /// The depth of friction (m).
    pub friction: V,
    /// Mean depth of the cell with the higher level (m).
    pub holds: V,
    /// How fast the levels of both cells rise with it, the faster of those that stand above the sill.
    pub rises: V,
}

impl<V: Real> Face<V> for AtHigher<V> {
    const ONE_DEPTH: bool = false;

    #[inline(always)]
    fn friction(self, _depth: V) -> V {
        self.friction.higher(V::splat(DRY))
    }

    #[inline(always)]
    fn wave(self, depth: V) -> V {
        depth * self.rises.higher(V::splat(1.0))
    }

    #[inline(always)]
    fn empties(self, depth: V) -> V {
        depth / self.holds.higher(V::splat(DRY))
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
    /// The part of a cell's pixels that are open, 0 to 1; where a cell has more than 256, to one in 512.
    pub fn open_share(&self, at: usize) -> f64 {
        if self.bed[at] == Bed::OUTSIDE {
            return 0.0;
        }
        let pixels = (self.ratio * self.ratio) as f64;
        (pixels / f64::from(Cells::one(&self.words_of_cell(at)).spread)).round() / pixels
    }

    /// The level (2⁻¹⁶ m) of a cell that holds `water` (grains).
    pub fn level_of(&self, cell: usize, water: i32, metres: f32) -> i32 {
        level_of(&self.words_of_cell(cell), self.bed[cell], water, metres)
    }

    /// The water (grains) with which a cell stands at a level (2⁻¹⁶ m): [`water_at`].
    pub fn water_at(&self, cell: usize, level: i32, metres: f32) -> i32 {
        water_at(&self.words_of_cell(cell), self.bed[cell], level.into(), metres)
    }
}

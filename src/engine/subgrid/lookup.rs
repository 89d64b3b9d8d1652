//! Lookups in subgrid tables: the level of a cell that holds some water, and the section of an edge
//! at a level. The CUDA twin is `kernels/subgrid.cuh`.

use super::layout::{ShortFloat, cell, edge};
use super::tables::{CellWords, Tables};
use crate::grains::MAX_WATER;
use crate::grid::Bed;
use crate::lanes::{Real, Whole};
use crate::solver::ROOT_G;
use crate::solver::edge::DRY;
use crate::solver::ground::{Face, FaceGeometry, FluxDepth};
use crate::solver::roots::inverse_sixth_root;

/// Maximum depth on an edge in free overfall, in units of the donor's mean depth over its open
/// pixels. Without it, cells on steep ground, whose water is far below the sections that their level
/// would open, were emptied in a step. The part of a section drowned by the other cell's level is exempt: it holds standing
/// water, for example of a river that cuts a corner of the cell.
pub(crate) const THIN: f32 = 2.0;

/// Greatest fall of the water surface from the donor to the edge, as a share of its height above
/// the sill: the depth over a sill with free overfall is the critical one, two thirds.
pub(crate) const CRITICAL_FALL: f32 = 1.0 / 3.0;

/// 2⁻¹⁶, the unit of levels (m).
pub(crate) const SHARE: f32 = 1.0 / 65536.0;

/// Factor on the squares of an edge's roots.
pub(crate) const PER_TOP: f32 = 1.0 / (edge::TOP_ROOT * edge::TOP_ROOT) as f32;

/// Unit of a cell's levels, as a fraction of the relief.
pub(crate) const LEVEL_SHARE: f32 = 1.0 / cell::SHARES as f32;

/// Volume of a full cell, in the units of the knots.
const FULL: f32 = (cell::KNOTS * cell::KNOTS) as f32;

/// Bit masks of a root, a growth and a level.
const ROOT: i32 = (1 << edge::ROOT_BITS) - 1;
const GROWTH: i32 = (1 << edge::GROWS_BITS) - 1;
const LEVEL: i32 = cell::SHARES - 1;

/// Squares of the knot indices of a cell.
const SQUARES: [f32; cell::KNOTS] = [0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0];

/// 1 / (2k + 1), the reciprocals of the distances between them.
const WIDTHS: [f32; cell::KNOTS] =
    [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];

/// Planes of cell tables, starting at some cell.
#[derive(Clone, Copy, Debug)]
pub struct CellTables<'a>(pub [&'a [i32]; cell::WORDS]);

/// Planes of the edge tables of an axis, starting at the edge ahead of some cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeTables<'a> {
    /// The planes.
    pub planes: [&'a [i32]; edge::WORDS],
    /// First words of the tables of the cells behind the edges.
    pub cells: &'a [i32],
    /// See [`fall_to_edge`].
    pub fall: f32,
}

/// Returns the share of the fall from cell to cell by which the water surface on the edge between
/// them is below the higher level, with `ratio` pixels along the side of a cell. The surface in
/// the pixel behind the edge counts: half a pixel short of halfway.
pub fn fall_to_edge(ratio: usize) -> f32 {
    0.5 - 0.5 / ratio as f32
}

/// Decodes short numbers whose bits are already at their place in an f32.
#[inline(always)]
fn short<W: Whole>(kind: ShortFloat, bits: W) -> W::Real {
    (bits + W::splat(kind.base() as i32)).bits_as_real()
}

/// Decodes short numbers from the lowest bits of a word.
#[inline(always)]
fn short_of_lowest<W: Whole>(kind: ShortFloat, word: W) -> W::Real {
    let lowest = word.masked((1i32 << kind.bits).wrapping_sub(1));
    short(kind, lowest * W::splat(1 << (23 - kind.mantissa)))
}

#[inline(always)]
fn short_of_highest<W: Whole>(kind: ShortFloat, word: W) -> W::Real {
    let places = (32 - kind.bits) - (23 - kind.mantissa);
    short(kind, word.shift_right(places).masked(!((1 << (23 - kind.mantissa)) - 1)))
}

/// Decoded tables of some cells.
struct Cells<V: Real> {
    /// See [`cell::PER_FULL`], [`cell::RELIEF`] (2⁻¹⁶ m) and [`cell::SPREAD`].
    per_full: V,
    relief: V,
    spread: V,
    /// Levels at the knots, in units of 1 / [`cell::SHARES`] of the relief.
    levels: [V::Whole; cell::KNOTS + 1],
}

impl<V: Real> Cells<V> {
    /// Decodes the words of the tables.
    #[inline(always)]
    fn of([full, a, b, c]: [V::Whole; cell::WORDS]) -> Cells<V> {
        let of_relief =
            b.shift_right(14).masked(0x0003_fe00) + c.shift_right(4).masked(0x0ffc_0000);
        const UP: u32 = cell::LEVEL_BITS;
        Cells {
            per_full: short_of_lowest(cell::PER_FULL, full),
            relief: short(cell::RELIEF, of_relief),
            spread: short_of_highest(cell::SPREAD, full),
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
    /// Decodes the table of one cell.
    fn one(words: &CellWords) -> Cells<f32> {
        Cells::of(words.map(|word| Whole::splat(word as i32)))
    }
}

/// Interpolates linearly between two knots.
#[inline(always)]
fn between<V: Real>(lower: V, upper: V, part: V) -> V {
    (upper - lower).fused(part, lower)
}

impl CellTables<'_> {
    /// Returns the table of a cell.
    pub fn words(&self, at: usize) -> CellWords {
        self.0.map(|plane| plane[at] as u32)
    }

    /// Computes the level (2⁻¹⁶ m) of some cells with lowest ground `bed` that hold `water`
    /// (grains), and its rise per unit of mean depth. The level never falls as water rises.
    ///
    /// # Safety
    /// `at` must be within the planes.
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
        // SAFETY: the caller guarantees that all lanes from `at` are within the planes.
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
        // Find the enclosing knots.
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
        let beyond = (spread * V::splat(Bed::PER_METRE as f32)) * per_full.reciprocal();
        let over = beyond.fused(y - top, relief);
        let above = V::if_greater(top, y, within, over);
        let rises = ((upper - lower) * width) * ((scale * V::splat(Bed::STEP)) * per_full);
        let rises = V::if_greater(top, y, rises.higher(V::splat(1.0)), spread);
        // The value of a dry cell is never used.
        let rises = V::if_greater(depth, zero, rises, zero);
        (bed + V::choose(depth, zero, above.truncate(), V::Whole::splat(0)), rises)
    }

    /// Counts the levels that `water` (grains) of a cell reaches: its lowest pixel, which any water
    /// reaches, the knots of its table, and one at `above` its top (m).
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

/// Returns the height of a knot above the lowest pixel of its cell (2⁻¹⁶ m), indexed as in
/// [`CellTables::passed`], whose last level is `beyond` above the top.
pub fn height_of_knot(tables: &Tables, at: usize, knot: usize, beyond: i32) -> i32 {
    let Cells { relief, levels, .. } = Cells::one(&tables.words_of_cell(at));
    match levels.get(knot) {
        Some(share) => (share.to_real() * (relief * LEVEL_SHARE)) as i32,
        None => (relief as i32).saturating_add(beyond),
    }
}

/// Flow section on an edge at the level of the donor cell.
#[derive(Clone, Copy, Debug)]
pub struct Section<V> {
    /// Area divided by the width of the edge (m), 0 if below [`DRY`].
    pub depth: V,
    /// Depth for friction (m).
    pub friction: V,
}

/// Interpolates the square roots linearly between two knots and returns the square.
#[inline(always)]
fn square_between<W: Whole>(lower: W, upper: W, part: W::Real) -> W::Real {
    let root = between(lower.to_real(), upper.to_real(), part);
    root * root
}

impl EdgeTables<'_> {
    /// Returns the conveyance of the edge at `at` for a `donor` cell with a level (2⁻¹⁶ m) and a
    /// mean depth (m): A·R^(2/3) divided by the width (m^(5/3)), which times √S/n is the unit
    /// discharge (Manning 1891).
    pub fn conveys(&self, at: usize, donor: usize, level: i32, depth: f32) -> f32 {
        assert!(at < self.planes[edge::SILL].len() && donor < self.cells.len());
        let level = <f32 as Real>::Whole::splat(level);
        // SAFETY: both are within the planes (asserted), and a single lane is loaded.
        let section = unsafe {
            let over = self.over_sill::<f32>(at, level);
            self.section::<f32>(at, [over, 0.0], self.over_open_pixels(donor, depth))
        };
        if section.depth <= 0.0 {
            return 0.0;
        }
        let s = inverse_sixth_root(section.friction.higher(DRY));
        section.depth * (section.friction * (s * s))
    }

    /// Returns the height of the water surface on some edges above their sills (m), given the
    /// heights of the levels of the donor cells and of the others: no lower than in free overfall.
    #[inline(always)]
    pub fn surface<V: Real>(&self, donor: V, other: V) -> V {
        let falls = V::splat(self.fall) * (donor - other);
        let falls = falls.lower(V::splat(CRITICAL_FALL) * donor);
        donor - falls.higher(V::zero())
    }

    /// Returns the height of a level (2⁻¹⁶ m) above the sills of some edges (m).
    ///
    /// # Safety
    /// `at` must be within the planes.
    #[inline(always)]
    pub unsafe fn over_sill<V: Real>(&self, at: usize, level: V::Whole) -> V {
        // SAFETY: the caller guarantees that all lanes from `at` are within the planes. Levels are
        // not negative, so the subtraction does not wrap.
        let sill = unsafe { V::Whole::load(self.planes[edge::SILL], at) };
        (level - sill).to_real() * V::splat(Bed::STEP)
    }

    /// Returns the mean depths over the open pixels of some cells, given those over all (m).
    ///
    /// # Safety
    /// `at` must be within the cells.
    #[inline(always)]
    pub unsafe fn over_open_pixels<V: Real>(&self, at: usize, depth: V) -> V {
        // SAFETY: the caller guarantees that all lanes from `at` are within the cells.
        depth * short_of_highest(cell::SPREAD, unsafe { V::Whole::load(self.cells, at) })
    }

    /// Computes the sections of some edges. `over_sill` is the height of the water surface above
    /// the sill (m), `other` the height of the other cell's level, and `donor` the donor's mean
    /// depth over its open pixels (m).
    ///
    /// # Safety
    /// `at` must be within the planes.
    #[inline(always)]
    pub unsafe fn section<V: Real>(
        &self,
        at: usize,
        [over_sill, other]: [V; 2],
        donor: V,
    ) -> Section<V> {
        const KNOTS: usize = edge::KNOTS;
        let (zero, one) = (V::zero(), V::splat(1.0));
        let planes = &self.planes;
        // SAFETY: the caller guarantees that all lanes from `at` are within the planes.
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

        // Height between sill and top, by its square root: knots are at integers.
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

        // Above the top, D eventually grows as on a flat bed, and its initial excess fades. Both
        // quotients need only one division, by the product of the divisors.
        let height = fading.shift_right(edge::ROOT_BITS).masked(ROOT).to_real();
        let x = y - top;
        let fading_by = (height * height).fused(V::splat(edge::FADES), x);
        let part_of_both = x * (per_rise * fading_by).reciprocal();
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
        let part_of_both = (dry * over_dry).reciprocal();
        let inverse = part_of_both * over_dry;
        // A wall has no water, whatever the level beside it.
        let drowned = full * (other.higher(zero) * (part_of_both * dry));
        let drowned = V::if_greater(donor, zero, drowned, zero);
        let depth = full.lower((V::splat(THIN) * donor).higher(drowned));
        // R = (K/A)^(3/2) = D·(D/A)^(3/2). For a triangle it is proportional to the root of the
        // area.
        let share = conveys * inverse;
        let narrowed = share * (depth * inverse);
        let drag = (conveys * share) * narrowed.sqrt();
        let wet = V::if_greater(over_sill, zero, depth, zero);
        let depth = V::if_greater(wet, V::splat(DRY), depth, zero);
        Section { depth, friction: V::if_greater(depth, zero, drag, zero) }
    }
}

/// Edges with tables whose cell levels are known.
#[derive(Clone, Copy, Debug)]
pub struct Tabled<'a, V> {
    tables: &'a EdgeTables<'a>,
    at: usize,
    /// Heights of the levels behind and ahead above the sills (m).
    over: [V; 2],
    /// Mean depths behind and ahead (m), the same over open pixels, and the rise of the levels per
    /// unit of mean depth.
    depth: [V; 2],
    open_depth: [V; 2],
    rises: [V; 2],
    /// Level behind minus level ahead (m).
    difference: V,
}

impl<'a, V: Real> Tabled<'a, V> {
    /// Prepares edges between cells from indices `at` and `ahead`, with given levels (2⁻¹⁶ m) and
    /// mean depths (m); `rises` is the rise of the levels per unit of mean depth.
    ///
    /// # Safety
    /// The cells must be within the planes.
    #[inline(always)]
    pub unsafe fn of(
        tables: &'a EdgeTables<'a>,
        [at, ahead]: [usize; 2],
        [a, b]: [V::Whole; 2],
        depth: [V; 2],
        rises: [V; 2],
    ) -> Tabled<'a, V> {
        let difference = (a - b).to_real() * V::splat(Bed::STEP);
        let [here, there] = depth;
        // SAFETY: the caller guarantees that the cells are within the planes.
        let (open_depth, over) = unsafe {
            (
                [tables.over_open_pixels(at, here), tables.over_open_pixels(ahead, there)],
                [tables.over_sill::<V>(at, a), tables.over_sill::<V>(at, b)],
            )
        };
        Tabled { tables, at, over, depth, open_depth, rises, difference }
    }

    /// Returns the level behind minus the level ahead (m).
    #[inline(always)]
    pub fn difference(&self) -> V {
        self.difference
    }
}

impl<V: Real> FluxDepth<V> for Tabled<'_, V> {
    #[inline(always)]
    fn flux_depth(self, velocity: V) -> V {
        self.given(velocity)[0]
    }
}

impl<V: Real> FaceGeometry<V> for Tabled<'_, V> {
    const ONE_DEPTH: bool = false;

    #[inline(always)]
    fn given(self, velocity: V) -> [V; 2] {
        let of_donor = |[behind, ahead]: [V; 2]| V::if_greater(velocity, V::zero(), behind, ahead);
        let [behind, ahead] = self.over;
        let other = of_donor([ahead, behind]);
        let surface = self.tables.surface(of_donor(self.over), other);
        // SAFETY: `of`, which sets `self.at`, requires the edges to be within the planes.
        let Section { depth, friction } =
            unsafe { self.tables.section(self.at, [surface, other], of_donor(self.open_depth)) };
        [depth, friction]
    }

    #[inline(always)]
    fn crest_celerity(self, velocity: V, _wave: V, inverse: V) -> V {
        let over = V::if_greater(velocity, V::zero(), self.over[0], self.over[1]).higher(V::zero());
        (V::splat(ROOT_G) * over.sqrt()) * (over * inverse)
    }

    #[inline(always)]
    fn face(self, flux_depth: V) -> V {
        flux_depth
    }

    #[inline(always)]
    fn wave(self, face: V) -> V {
        // Only cells whose level is above the sill count.
        let zero = V::zero();
        let behind = V::if_greater(self.over[0], zero, self.rises[0], zero);
        let ahead = V::if_greater(self.over[1], zero, self.rises[1], zero);
        face * behind.higher(ahead).higher(V::splat(1.0))
    }

    #[inline(always)]
    fn celerity(self) -> [V; 2] {
        let ([a, b], [rises_a, rises_b]) = (self.depth, self.rises);
        [(a * rises_a).sqrt(), (b * rises_b).sqrt()]
    }

    #[inline(always)]
    fn empties(self, flux_depth: V, velocity: V) -> V {
        let [behind, ahead] = self.depth;
        let holds = V::if_greater(velocity, V::zero(), behind, ahead);
        flux_depth * holds.higher(V::splat(DRY)).reciprocal()
    }
}

/// Edges with tables, for flow from the higher level of their cells, whose section is known.
#[derive(Clone, Copy, Debug)]
pub struct AtHigher<V> {
    /// Depth for friction (m).
    pub friction: V,
    /// Mean depth of the cell with the higher level (m).
    pub holds: V,
    /// Rise of the level per unit of mean depth, the larger one of the cells above the sill.
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
        depth * self.holds.higher(V::splat(DRY)).reciprocal()
    }
}

/// Returns the height of `water` (grains) above the lowest ground of a cell with a table (2⁻¹⁶ m),
/// and its rise per unit of mean depth.
pub fn height_and_rise(words: &CellWords, water: i32, metres: f32) -> (i32, f32) {
    let words = words.map(|word| [word as i32]);
    let table = CellTables(std::array::from_fn(|word| &words[word][..]));
    let one = |number: i32| <f32 as Real>::Whole::splat(number);
    let mut level = [0];
    // SAFETY: a single lane is loaded from planes of one word each.
    let rises = unsafe {
        let (found, rises) = table.level::<f32>(0, one(0), one(water), metres);
        found.store(&mut level, 0);
        rises
    };
    (level[0], rises)
}

/// Returns the level (2⁻¹⁶ m) of a cell with a table that holds `water` (grains), relative to the
/// datum of its `bed`.
pub fn level_of(words: &CellWords, bed: i32, water: i32, metres: f32) -> i32 {
    bed + height_and_rise(words, water, metres).0
}

/// Finds the least water (grains) with which a cell with a table reaches a level (2⁻¹⁶ m), limited
/// to what it can hold.
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
    /// Returns the share of a cell's pixels that are open, 0 to 1; accurate to 1/512 if a cell has
    /// more than 256.
    pub fn open_share(&self, at: usize) -> f64 {
        if self.bed[at] == Bed::OUTSIDE {
            return 0.0;
        }
        let pixels = (self.ratio * self.ratio) as f64;
        (pixels / f64::from(Cells::one(&self.words_of_cell(at)).spread)).round() / pixels
    }

    /// Returns the share of the width of the edge ahead of a cell (column, row) whose ground is below
    /// a level (2⁻¹⁶ m), 0 to 1: the growth of its section. `None` if there is no such edge.
    pub fn width_below(&self, axis: usize, cell: [isize; 2], level: i32) -> Option<f64> {
        let mut words = [[0]; edge::WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = [self.edge_ahead(axis, at, cell)? as i32];
        }
        let planes = words.each_ref().map(|word| &word[..]);
        let table = EdgeTables { planes, cells: &[], fall: 0.0 };
        let area = |level: i32| {
            // SAFETY: a single lane is loaded.
            unsafe {
                let over = table.over_sill::<f32>(0, Whole::splat(level));
                table.section::<f32>(0, [over, over], Bed::RELIEF as f32).depth
            }
        };
        const HEIGHT: i32 = 1 << 12;
        let grown = f64::from(area(level + HEIGHT) - area(level));
        Some((grown / (f64::from(HEIGHT) / Bed::PER_METRE)).clamp(0.0, 1.0))
    }

    /// Returns whether a cell of the domain has closed pixels.
    pub fn has_closed_pixels(&self) -> bool {
        let is_inside = |at: &usize| self.bed[*at] != Bed::OUTSIDE;
        (0..self.bed.len()).filter(is_inside).any(|at| self.open_share(at) < 1.0)
    }

    /// Returns the level (2⁻¹⁶ m) of a cell that holds `water` (grains).
    pub fn level_of(&self, cell: usize, water: i32, metres: f32) -> i32 {
        level_of(&self.words_of_cell(cell), self.bed[cell], water, metres)
    }

    /// Returns the water (grains) with which a cell reaches a level (2⁻¹⁶ m); see [`water_at`].
    pub fn water_at(&self, cell: usize, level: i32, metres: f32) -> i32 {
        water_at(&self.words_of_cell(cell), self.bed[cell], level.into(), metres)
    }
}

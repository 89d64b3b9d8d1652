//! Table of an edge: section and conveyance between two cells as a function of the level.
//!
//! Water crosses the pixels of both cells from the lowest column of one to the lowest column of the
//! other (or the middle of its deep pixels, if nearer), through the weakest section of these
//! ([`super::sections`]), and not below the pass between their lowest pixels ([`super::pass`]). If
//! a wall divides the water within a cell, so that the pass is higher than the straight path
//! requires, all pixels are raised accordingly. The conveyance of a section follows the [`course`]
//! of the water between the two cells.

use super::channels::Section;
use super::course::{self, Course};
use super::layout::edge::{self, KNOTS};
use super::pass::Search;
use super::pixels::{CLOSED, Pair};
use super::sections::{LEVELS, PixelTerrain, SectionScratch, Sections, is_shut};
use super::tables::EdgeWords;

/// Minimum height of a table (m).
pub const LEAST_RISE: f64 = 0.05;

/// Number of units into which the rise is divided.
const ALL: f64 = (KNOTS * KNOTS) as f64;

/// Largest number in the bits of a root.
const MOST: u32 = (1 << edge::ROOT_BITS) - 1;

/// A cell's deep pixels are below this fraction of its relief.
const DEEP: i32 = 4;

/// Range of the height above the top at which the continuation of the table is sampled (2⁻¹⁶ m): 1
/// m to 2048 m, which a level can hold.
const BEYOND: [i32; 2] = [1 << 16, 1 << 27];

/// Factor to the second sampling height, limited to the depth up to which conveyance is computed
/// (2⁻¹⁶ m), which is 4096 m.
const FURTHER: i64 = 8;
const HIGHEST: i64 = 1 << 28;

/// Table of an edge that nothing crosses.
pub const SHUT: EdgeWords = {
    let mut words = [0; edge::WORDS];
    words[edge::SILL] = i32::MAX as u32;
    // The excess of zero fades like any other.
    words[edge::FADING] = 1 << edge::ROOT_BITS;
    words
};

/// Builder of edge tables, reused from one edge to the next.
#[derive(Debug, Default)]
pub struct EdgeTableBuilder {
    search: Search,
    scratch: SectionScratch,
    shut: [Vec<bool>; 2],
    heights: Vec<i32>,
    smoothness: Vec<f32>,
}

impl EdgeTableBuilder {
    /// Builds the table of the edge between two cells. `roughness` is the mean of their Manning's n
    /// (s/m^⅓), used for friction; `sections` are those of the rivers that cross it; `of_ground` is the
    /// ground's n if it is uniform. `aspect` is the width of the edge divided by the distance of
    /// the cells, if there are two.
    pub fn table(
        &mut self,
        pair: &Pair,
        roughness: f32,
        sections: &[Section],
        of_ground: f64,
        aspect: Option<f64>,
    ) -> EdgeWords {
        let pass = self.search.pass(pair);
        let bottom = sections.iter().map(Section::bed).min();
        let Some(sill) = pass.into_iter().chain(bottom).min() else { return SHUT };
        let mut highest = pass.map_or(0, |pass| self.cut(pair, pass, roughness));
        if let Some(pass) = pass.filter(|pass| *pass > sill) {
            // Heights are relative to the sill.
            let up = pass - sill;
            let open = self.heights.iter_mut().filter(|height| **height != CLOSED);
            open.for_each(|height| *height = height.saturating_add(up));
            highest = highest.saturating_add(up);
        }
        for section in sections {
            highest = highest.max(section.top().saturating_sub(sill));
        }
        // Rounded up to a value that tables can hold.
        let least = (f64::from(highest) / 65536.0).max(LEAST_RISE);
        let per_rise = edge::PER_RISE.no_more(ALL / least);
        let rise = knot(per_rise, KNOTS);
        let beyond = rise.clamp(BEYOND[0], BEYOND[1]);
        let far = (i64::from(rise) + FURTHER * i64::from(beyond)).min(HIGHEST);
        let above = [beyond, (far as i32).max(rise + beyond) - rise];
        let level = |k: usize| match k.checked_sub(KNOTS) {
            None => knot(per_rise, k + 1),
            Some(k) => rise + above[k],
        };
        let levels: [i32; LEVELS] = std::array::from_fn(level);
        let found = match pass {
            Some(_) => {
                let (heights, smoothness) = (&self.heights, &self.smoothness);
                self.scratch.weakest(PixelTerrain { heights, smoothness, rows: pair.ratio }, levels)
            }
            // Only rivers cross.
            None => Sections::default(),
        };

        let stands = levels.map(|level| i64::from(sill) + i64::from(level));
        let courses = aspect
            .map_or([Course::STRAIGHT; LEVELS], |aspect| course::between(pair, stands, aspect));
        let width = pair.ratio as f64;
        let mean = if pair.roughness.is_empty() { of_ground } else { f64::from(roughness) };
        let (mut areas, mut depths) = ([0.0; LEVELS], [0.0; LEVELS]);
        let (mut area, mut depth) = (0f64, 0f64);
        for level in 0..LEVELS {
            let (course, stands) = (courses[level], stands[level]);
            let of_rivers: f64 = sections.iter().map(|section| section.area(stands)).sum();
            let they_convey: f64 =
                sections.iter().map(|section| section.conveys(stands, mean)).sum();
            area = area.max(found.areas[level] * course.aslant / width + of_rivers);
            let conveys = found.conveyances[level] * course.conveys() / width;
            depth = depth.max(three_fifths(conveys + they_convey));
            (areas[level], depths[level]) = (area, depth);
        }
        words(sill, per_rise, above.map(|above| f64::from(above) / 65536.0), areas, depths)
    }

    /// Selects the pixels between the lowest columns of both cells and computes their heights
    /// relative to the pass. If the pass is higher than their own sill, they are raised to it.
    /// Returns the height of the highest open pixel.
    fn cut(&mut self, pair: &Pair, pass: i32, roughness: f32) -> i32 {
        let column_of = |pixel: u32| pixel as usize % pair.stride() - 1;
        let level_of = |pixel: u32| pair.levels[pixel as usize];
        let [first, last] = &pair.order;
        let lowest = [first, last].map(|order| {
            let those = order.iter().take_while(|&&pixel| level_of(pixel) == level_of(order[0]));
            those.map(|&pixel| column_of(pixel))
        });
        let [first_lowest, last_lowest] = lowest;
        let nearest = [first_lowest.max().unwrap_or(0), last_lowest.min().unwrap_or(0)];
        let own = [column_of(first[0]), column_of(last[0])];
        // The lowest pixel of a channel that only cuts a corner of the cell is at the channel's
        // end, so go no further than the middle of the deep pixels.
        let deep = [first, last].map(|order| {
            let deep = level_of(order[0]) + relief(pair, order) / DEEP;
            let those = order.iter().take_while(|&&pixel| level_of(pixel) <= deep);
            middle(those.map(|&pixel| column_of(pixel)), pair.ratio)
        });
        let nearest = [nearest[0].max(deep[0]), nearest[1].min(deep[1])];

        // Of equally low columns take the one nearest to the edge, unless the dividing wall is
        // behind it.
        let mut highest = self.take(pair, pass, roughness, nearest);
        let mut holds = self.is_shut_at_pass(pair.ratio);
        if !holds && own != nearest {
            highest = self.take(pair, pass, roughness, own);
            holds = self.is_shut_at_pass(pair.ratio);
        }
        if !holds {
            self.heights.iter_mut().for_each(|height| *height = (*height).max(0));
        }
        highest
    }

    /// Returns `true` if nothing crosses the selected pixels at the level of the pass.
    fn is_shut_at_pass(&mut self, rows: usize) -> bool {
        let ground = PixelTerrain { heights: &self.heights, smoothness: &[], rows };
        is_shut(ground, 0, &mut self.shut)
    }

    /// Selects the pixels from one column to another. Returns the height of the highest open one
    /// above the pass (2⁻¹⁶ m).
    fn take(&mut self, pair: &Pair, pass: i32, roughness: f32, [first, last]: [usize; 2]) -> i32 {
        self.heights.clear();
        self.smoothness.clear();
        let mut highest = 0;
        for row in 0..pair.ratio {
            let pixels = pair.row(row) + first..pair.row(row) + last + 1;
            for &level in &pair.levels[pixels.clone()] {
                let height = if level == CLOSED { CLOSED } else { level.saturating_sub(pass) };
                highest = if level == CLOSED { highest } else { highest.max(height) };
                self.heights.push(height);
            }
            if !pair.roughness.is_empty() {
                let smoothness = |n: &f32| roughness / n;
                self.smoothness.extend(pair.roughness[pixels].iter().map(smoothness));
            }
        }
        highest
    }
}

/// Returns the height of a knot above the sill (2⁻¹⁶ m), from the bits of [`edge::PER_RISE`].
fn knot(per_rise: u32, knot: usize) -> i32 {
    let height = (knot * knot) as f64 / f64::from(edge::PER_RISE.value(per_rise));
    (height * 65536.0 + 0.5) as i32
}

/// Returns the height of the highest open pixel of a cell above its lowest (2⁻¹⁶ m).
fn relief(pair: &Pair, order: &[u32]) -> i32 {
    let level = |at: usize| pair.levels[order[at] as usize];
    level(order.len() - 1) - level(0)
}

/// Returns the mean of columns on one side of an edge, which is before column `ratio`; halves are
/// rounded away from it.
fn middle(columns: impl Iterator<Item = usize>, ratio: usize) -> usize {
    let (sum, count) = columns.fold((0, 0), |(sum, count), column| (sum + column, count + 1));
    let away = |sum: usize| (2 * sum + count) / (2 * count);
    match sum < ratio * count {
        true => ratio - 1 - away((ratio - 1) * count - sum),
        false => ratio + away(sum - ratio * count),
    }
}

/// Computes x^(3/5) for x ≥ 0 with operations that are identical on every machine: Newton's method
/// for y⁵ = x³, starting from a guess by the exponent.
fn three_fifths(x: f64) -> f64 {
    if x < 1e-30 {
        return 0.0;
    }
    const ONE: u64 = 1023 << 52;
    let cube = x * x * x;
    let mut y = f64::from_bits((((x.to_bits() as i64 - ONE as i64) / 5) * 3 + ONE as i64) as u64);
    for _ in 0..6 {
        let square = y * y;
        y = 0.2 * (4.0 * y + cube / (square * square));
    }
    y
}

/// Minimum share of an excess that is left, or gone, at the first height above the top.
const LEAST_PART: f64 = 1.0 / 1024.0;

/// Depth of conveyance above the top: D = D₀ + s·x − e·x/(x + w) at height x above it.
struct Above {
    /// s: growth far above the top.
    grows: f64,
    /// e: excess of D₀ over the asymptote (m).
    excess: f64,
    /// w: height in which half of the excess is gone (m).
    fades: f64,
}

impl Above {
    /// Fits the parameters to areas and depths of conveyance at the top and at two heights `x`
    /// above it (m), for a table of height `rise` (m). With c the ratio of depth of conveyance to
    /// area far above, D = c·A + e·w/(x + w): this describes channels in a plain, whose areas are
    /// overtaken by the plain's. The intermediate height gives the rate.
    fn of(rise: f64, x: [f64; 2], areas: [f64; 3], depths: [f64; 3]) -> Above {
        let grows = ((areas[1] - areas[0]) / x[0]).clamp(0.0, 1.0);
        if areas[2] <= 0.0 {
            return Above { grows: 0.0, excess: 0.0, fades: rise };
        }
        let (mut ratio, mut excess, mut fades) = (depths[2] / areas[2], 0.0, rise);
        let mut part = 0.5;
        for _ in 0..3 {
            excess = depths[0] - ratio * areas[0];
            let left = depths[1] - ratio * areas[1];
            part = if excess == 0.0 { 0.5 } else { left / excess };
            let within = part.clamp(LEAST_PART, 1.0 - LEAST_PART);
            fades = x[0] * within / (1.0 - within);
            ratio = (depths[2] - excess * fades / (x[1] + fades)) / areas[2];
        }
        let grows = ratio * grows;
        if !(LEAST_PART..=1.0 - LEAST_PART).contains(&part) {
            // The excess does not fade this way, for example if deep pixels are rougher: match the
            // first height.
            fades = x[0];
            excess = 2.0 * (depths[0] + grows * x[0] - depths[1]);
        }
        // D never falls as the level rises.
        let least = if grows > 0.0 { (excess / grows).max(0.0) } else { 0.0 };
        let most = rise * f64::from(edge::FADES) * f64::from(MOST * MOST) / ALL;
        Above { grows, excess: excess.min(grows * most), fades: fades.max(least) }
    }
}

/// Encodes a table: areas divided by the width and depths of conveyance at the knots (m), and at
/// two heights above the top (m).
fn words(
    sill: i32,
    per_rise: u32,
    above: [f64; 2],
    areas: [f64; LEVELS],
    depths: [f64; LEVELS],
) -> EdgeWords {
    let top = KNOTS - 1;
    let metres = f64::from(knot(per_rise, KNOTS)) / 65536.0;
    let codes = [areas[top], depths[top]].map(|number| edge::TOP.nearest(number));
    let [section, conveyance] = codes.map(|code| f64::from(edge::TOP.value(code)));
    let last = |all: [f64; LEVELS]| [all[top], all[KNOTS], all[KNOTS + 1]];
    let Above { grows, excess, fades } = Above::of(metres, above, last(areas), last(depths));
    let section_grows = ((areas[KNOTS] - areas[top]) / above[0]).clamp(0.0, 1.0);
    // Each is a multiple of its unit, clamped to its bits.
    let whole = |x: f64, unit: f32, bits: u32| {
        let most = f64::from((1u32 << bits) - 1);
        (x / f64::from(unit) + 0.5).clamp(0.0, most) as u32
    };
    let growth = |grows: f64| whole(grows, edge::GROWN, edge::GROWS_BITS);
    let height = (ALL * fades / metres / f64::from(edge::FADES)).sqrt().max(1.0);
    let root = |x: f64, of: f64| ((x / of).sqrt() * f64::from(edge::TOP_ROOT) + 0.5) as u32;
    let roots = |k: usize| {
        let [conveyance, section] = [root(depths[k - 1], conveyance), root(areas[k - 1], section)];
        conveyance.min(MOST) | section.min(MOST) << edge::ROOT_BITS
    };

    let mut table = [0; edge::WORDS];
    table[edge::SILL] = sill as u32;
    table[edge::TOPS] = codes[0] | codes[1] << edge::TOP.bits;
    table[edge::ABOVE] = growth(section_grows)
        | growth(grows) << edge::GROWS_BITS
        | per_rise << (2 * edge::GROWS_BITS);
    table[edge::FADING] = whole(1.0 + excess / conveyance, edge::EXCESS, edge::ROOT_BITS)
        | whole(height, 1.0, edge::ROOT_BITS) << edge::ROOT_BITS
        | roots(1) << 16;
    table[edge::ROOTS] = roots(2) | roots(3) << 16;
    table[edge::ROOTS + 1] = roots(4) | roots(5) << 16;
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right() {
        for exponent in -90..60 {
            let x = 1.37f64 * 2f64.powi(exponent);
            let (found, expected) = (three_fifths(x), x.powf(0.6));
            assert!((found / expected - 1.0).abs() < 1e-14, "{x}: {found}, not {expected}");
        }
        assert_eq!(three_fifths(0.0), 0.0);
    }
}

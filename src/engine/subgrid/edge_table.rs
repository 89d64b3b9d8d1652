//! The table of an edge: what crosses between two cells at a level.
//!
//! Water crosses the pixels of both cells from the lowest column of the one to the lowest of the other, through the weakest section of
//! these ([`super::sections`]), and not below the pass between their lowest pixels ([`super::pass`]): where a wall parts the waters within a
//! cell, and so the pass is higher than what a straight way would ask, all pixels count as no lower than it.

use super::layout::{KNOTS, edge};
use super::pass::Search;
use super::pixels::{CLOSED, Pair};
use super::sections::{Fronts, Ground, LEVELS, is_shut};
use super::tables::{EdgeWords, packed, upper_half};

/// The least height of a table (2⁻¹⁶ m), which is 0.05 m.
pub const LEAST_RISE: i32 = 3277;

/// Heights of tables are multiples of this (2⁻¹⁶ m), so that all knots are whole.
const KNOT: i32 = (KNOTS * KNOTS) as i32;

/// How far above the top it is looked how the table goes on, at least and at most (2⁻¹⁶ m): 1 m and 2048 m, which a level holds.
const BEYOND: [i32; 2] = [1 << 16, 1 << 27];

/// The table of an edge that nothing crosses.
pub const SHUT: EdgeWords = {
    let mut words = [0; edge::WORDS];
    words[edge::SILL] = i32::MAX as u32;
    words[edge::PER_RISE] = (KNOT as f32).to_bits();
    words
};

/// Makes tables of edges, one after the other.
#[derive(Debug, Default)]
pub struct Maker {
    search: Search,
    fronts: Fronts,
    shut: [Vec<bool>; 2],
    heights: Vec<i32>,
    smoothness: Vec<f32>,
}

impl Maker {
    /// The table of the edge between two cells, by the mean of whose Manning's n (s/m^⅓) friction is worked out.
    pub fn table(&mut self, pair: &Pair, roughness: f32) -> EdgeWords {
        let Some(pass) = self.search.pass(pair) else { return SHUT };
        let highest = self.cut(pair, pass, roughness);
        let ground =
            Ground { heights: &self.heights, smoothness: &self.smoothness, rows: pair.ratio };
        let rise = highest.max(LEAST_RISE);
        // Rounded up.
        let rise = rise + (KNOT - rise % KNOT) % KNOT;
        let beyond = rise.clamp(BEYOND[0], BEYOND[1]);
        let level = |k: usize| match k + 1 {
            k if k <= KNOTS => rise / KNOT * (k * k) as i32,
            _ => rise + beyond,
        };
        let levels: [i32; LEVELS] = std::array::from_fn(level);
        let found = self.fronts.weakest(ground, levels);

        let width = pair.ratio as f64;
        let (mut areas, mut frictions) = ([0.0; LEVELS], [0.0; LEVELS]);
        let mut area = 0f64;
        for level in 0..LEVELS {
            let radius = match found.areas[level] {
                a if a > 0.0 => found.conveyances[level] / a,
                _ => 0.0,
            };
            area = area.max(found.areas[level] / width);
            (areas[level], frictions[level]) = (area, radius * radius.sqrt());
        }
        words(pass, rise, f64::from(beyond) / 65536.0, areas, frictions)
    }

    /// Takes the pixels between the lowest columns of both cells, their heights from the pass, and no lower than that if it is higher than
    /// their own sill. How high the highest open one is.
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

        // Of columns that are as low the nearest to the edge, unless what parts the waters lies behind it.
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

    /// Whether nothing crosses the pixels that were taken at the level of the pass.
    fn is_shut_at_pass(&mut self, rows: usize) -> bool {
        let ground = Ground { heights: &self.heights, smoothness: &[], rows };
        is_shut(ground, 0, &mut self.shut)
    }

    /// Takes the pixels from a column to another: how high the highest open one is above the pass (2⁻¹⁶ m).
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

/// Writes a table: areas over the width and depths of friction at the knots (m), and so far above the top (m).
fn words(
    sill: i32,
    rise: i32,
    beyond: f64,
    areas: [f64; LEVELS],
    frictions: [f64; LEVELS],
) -> EdgeWords {
    let top = KNOTS - 1;
    let metres = f64::from(rise) / 65536.0;
    let section = areas[top];
    let greatest = frictions[..KNOTS].iter().copied().fold(0.0, f64::max);
    let root = |x: f64, of: f64, root: u16| {
        let part = if of > 0.0 { x / of } else { 0.0 };
        (part.sqrt() * f64::from(root) + 0.5).min(1023.0) as u16
    };
    let real = |x: f64| (x as f32).to_bits();
    let section_grows = ((areas[KNOTS] - section) / beyond).clamp(0.0, 1.0);
    let friction_grows = ((frictions[KNOTS] - frictions[top]) / beyond).max(0.0);
    let grows = [(section_grows * 32768.0 + 0.5) as u16, upper_half(friction_grows)];

    let mut table = [0; edge::WORDS];
    table[edge::SILL] = sill as u32;
    table[edge::PER_RISE] = real(f64::from(KNOT) / metres);
    table[edge::SECTION] = real(section);
    table[edge::FRICTION] = real(greatest);
    table[edge::GROWS] = packed::<1>(&grows, 16)[0];
    let roots = (0..KNOTS).flat_map(|k| {
        let friction = root(frictions[k], greatest, edge::FRICTION_ROOT);
        let section = root(areas[k], section, edge::SECTION_ROOT);
        [Some(friction), (k < top).then_some(section)]
    });
    let roots: Vec<u16> = roots.flatten().collect();
    table[edge::ROOTS..].copy_from_slice(&packed::<5>(&roots, edge::ROOT_BITS));
    table
}

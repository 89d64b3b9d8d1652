//! A wall that breaches: a trapezoid that grows linearly in depth and width from the wall's crest
//! over its formation time, with overtopping of the rest of the crest.
//!
//! As in NWS DAMBRK (Fread 1988, "The NWS DAMBRK model", section 2.5): from the start of the
//! breach, its bottom sinks from the crest to the final level and its bottom width grows from 0,
//! both linearly over the formation time. The discharge is C·b·h^(3/2) over the bottom and
//! C·(2/5)·m·h^(5/2) over each side, with the head h over the bottom, the bottom width b and side
//! slopes m (horizontal to vertical), which is a broad-crested weir integrated over the local depth
//! (Fread's 3.1 and 2.45 in feet are C = 1.71 and 2·(2/5)·C = 1.35 here). A tailwater h₂ over the
//! bottom multiplies it by 1 − 27.8·(h₂/h − 0.67)³ if h₂/h is above 0.67. Outside of the trapezoid,
//! water flows over the crest as over a weir ([`super::weir`]).
//!
//! The trapezoid spans a line of edges, and each edge has its own part of it.

use super::{CudaTwin, FaceHeads, NUMBERS, StepContext, StructureLaw, weir};
use crate::solver::cuda_twin;

/// Parameters: start and end of the edge's part of the line, measured from the middle of the breach
/// (m), and the offset of its table ([`Part::table`]). The breach waits for its trigger.
pub struct Breach;

/// Final shape of a breach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trapezoid {
    /// Depth of the final bottom below the wall's crest (m).
    pub depth: f32,
    /// Final bottom width (m).
    pub width: f32,
    /// Side slope: horizontal run per metre of height.
    pub slope: f32,
    /// Formation time (s), above 0.
    pub formation: f32,
    /// Weir coefficient C.
    pub coefficient: f32,
}

/// The part of a breached wall on one edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Final shape of the breach.
    pub breach: Trapezoid,
    /// Height of the structure's crest, which is no lower than the ground, above the final bottom
    /// of the breach (m).
    pub raised: f32,
    /// Length of the edge (m).
    pub length: f32,
}

impl Part {
    /// Appends the breach's table to a run's tables and returns its offset.
    pub fn table(&self, tables: &mut Vec<f32>) -> f32 {
        let Part {
            breach: Trapezoid { depth, width, slope, formation, coefficient }, raised, ..
        } = *self;
        let at = tables.len();
        tables.extend([depth, width, slope, formation, coefficient, raised, 1.0 / self.length]);
        at as f32
    }

    /// Reads the part from its table at an offset of a run's tables.
    pub fn of(tables: &[f32], at: f32) -> Part {
        let [depth, width, slope, formation, coefficient, raised, per_length] =
            std::array::from_fn(|number| tables[at as usize + number]);
        let breach = Trapezoid { depth, width, slope, formation, coefficient };
        Part { breach, raised, length: 1.0 / per_length }
    }
}

/// Current trapezoid, relative to the edge's crest.
struct Now {
    /// Half the bottom width (m).
    half: f32,
    /// Side slope (m/m).
    slope: f32,
    /// Half the width at the wall's crest (m).
    top: f32,
    /// Head over the bottom (m).
    head: f32,
}

impl Now {
    /// Integrates the discharge from the middle of the breach to a distance, without C and
    /// tailwater.
    #[inline(always)]
    fn until(&self, beside: f32) -> f32 {
        let far = if beside < 0.0 { -beside } else { beside };
        let on_bottom = if far < self.half { far } else { self.half };
        let rooted = self.head * self.head.sqrt();
        let mut through = on_bottom * rooted;
        let end = if far < self.top { far } else { self.top };
        if self.slope > 0.0 && end > self.half {
            let left = self.head - (end - self.half) / self.slope;
            let left = if left > 0.0 { left } else { 0.0 };
            through += 0.4 * self.slope * (self.head * rooted - left * left * left.sqrt());
        }
        if beside < 0.0 { -through } else { through }
    }

    /// Limits a position along the line to the extent of the trapezoid.
    #[inline(always)]
    fn within(&self, beside: f32) -> f32 {
        let before = if beside < self.top { beside } else { self.top };
        if before > -self.top { before } else { -self.top }
    }
}

impl StructureLaw for Breach {
    const WAITS: bool = true;

    const CUDA: CudaTwin = cuda_twin!("Breach", "../../kernels/", "structures/breach.cuh");

    #[inline(always)]
    fn discharge(numbers: &[f32; NUMBERS], heads: FaceHeads, now: &StepContext) -> f32 {
        let [from, to, at] = *numbers;
        let table = &now.tables[at as usize..][..7];
        let (depth, slope, coefficient) = (table[0], table[2], table[4]);
        let (raised, per_length) = (table[5], table[6]);
        let grown = heads.since / table[3];
        let grown = if grown < 1.0 { grown } else { 1.0 };
        let wall = if depth - raised > 0.0 { depth - raised } else { 0.0 };
        let bottom = depth - depth * grown - raised;
        // The part of the trapezoid below the ground does not exist.
        let half = 0.5 * (table[1] * grown) + if bottom < 0.0 { -bottom * slope } else { 0.0 };
        let bottom = if bottom > 0.0 { bottom } else { 0.0 };
        let (bottom, half) = if bottom < wall { (bottom, half) } else { (wall, 0.0) };
        let over = heads.above(bottom);
        let top = half + slope * (wall - bottom);
        let trapezoid = Now { half, slope, top, head: over.up };
        let drowned = over.down - 0.67 * over.up;
        let part = if drowned > 0.0 { drowned / over.up } else { 0.0 };
        let held = 1.0 - 27.8 * (part * part * part);
        let held = if held > 0.0 { held } else { 0.0 };
        let through =
            held * coefficient * over.approached() * (trapezoid.until(to) - trapezoid.until(from));
        let rest = (to - from) - (trapezoid.within(to) - trapezoid.within(from));
        let rest = if rest > 0.0 { rest } else { 0.0 };
        let over = rest * weir::over(coefficient, weir::MODULAR, heads.above(wall));
        per_length * (through + over)
    }

    fn sample(share: f32, tables: &mut Vec<f32>) -> [f32; NUMBERS] {
        let (depth, width, coefficient) = (0.6, 3.0, weir::COEFFICIENT);
        let breach = Trapezoid { depth, width, slope: 1.0, formation: 8.0, coefficient };
        let at = Part { breach, raised: 0.1, length: 10.0 }.table(tables);
        [-2.0 * share, 8.0 * share, at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forcing::step;
    use crate::grains::Grain;

    /// A breach 4 m deep below the crest, with a bottom width of 10 m, side slopes of 1.5 to 1, and
    /// a formation time of 600 s.
    const BREACH: Trapezoid =
        Trapezoid { depth: 4.0, width: 10.0, slope: 1.5, formation: 600.0, coefficient: 1.7 };

    /// Returns the discharge (m³/s) over a wall of 80 m divided into equal parts, on ground
    /// `raised` above the final bottom; the heads are over that ground.
    fn over(parts: usize, raised: f32, up: f32, down: f32, since: f32) -> f64 {
        let step = step::at(9, 29.0, 1.0);
        let width = 80.0 / parts as f32;
        let of = |part: usize| {
            let mut tables = vec![4.0; 5];
            // On an edge longer than its part of the line.
            let length = 1.3 * width;
            let at = Part { breach: BREACH, raised, length }.table(&mut tables);
            let from = width * part as f32 - 40.0;
            let now = StepContext { tables: &tables, ..StepContext::of(&step, Grain::Fine) };
            let heads = FaceHeads { up, down, since, ..FaceHeads::default() };
            f64::from(Breach::discharge(&[from, from + width, at], heads, &now) * length)
        };
        (0..parts).map(of).sum()
    }

    /// Computes the same discharge by Fread's formula, plus weir flow over the rest of the crest.
    fn wanted(raised: f64, up: f64, down: f64, since: f64) -> f64 {
        let grown = (since / 600.0).min(1.0);
        let low = 4.0 - 4.0 * grown - raised;
        let (bottom, width) = (low.max(0.0), 10.0 * grown + 3.0 * (-low).max(0.0));
        let (h1, h2) = ((up - bottom).max(0.0), (down - bottom).max(0.0));
        let ratio = if h1 > 0.0 { h2 / h1 } else { 0.0 };
        let held = (1.0 - 27.8 * (ratio - 0.67).max(0.0).powi(3)).max(0.0);
        let wall = 4.0 - raised;
        let crest = (up - wall).max(0.0);
        // The sides only up to the crest.
        let sides = 0.8 * 1.7 * 1.5 * (h1.powf(2.5) - crest.powf(2.5));
        let through = held * (1.7 * width * h1.powf(1.5) + sides);
        let top = width + 3.0 * (wall - bottom);
        let behind = (down - wall).max(0.0);
        let drowned = if behind > 0.8 * crest { (crest - behind) / 0.2 } else { crest };
        through + (80.0 - top) * 1.7 * crest * drowned.sqrt()
    }

    #[test]
    fn at_ten_states_it_lets_through_what_the_formula_says_on_however_many_edges() {
        for (raised, up, down, since) in [
            (0.0, 3.9, 0.0, 0.0),
            (0.0, 4.5, 1.0, 0.0),
            (0.0, 3.5, 0.0, 150.0),
            (0.0, 3.5, 2.0, 300.0),
            (0.0, 3.0, 0.0, 600.0),
            (0.0, 3.0, 2.4, 900.0),
            (0.0, 3.0, 2.9, 900.0),
            (0.0, 4.4, 4.1, 450.0),
            (1.0, 2.5, 0.0, 300.0),
            (1.0, 2.5, 2.0, 900.0),
        ] {
            let wanted = wanted(raised, up, down, since);
            for parts in [1, 2, 7, 40] {
                let [raised, up, down, since] = [raised, up, down, since].map(|x| x as f32);
                let found = over(parts, raised, up, down, since);
                let error = (found - wanted).abs();
                assert!(error < 2e-4 * wanted.max(0.1), "{up} {down} {since}: {found}, {wanted}");
            }
        }
    }

    #[test]
    fn a_wall_on_ground_above_its_crest_is_the_ground() {
        for since in [0.0, 900.0] {
            let found = over(4, 5.0, 0.5, 0.0, since);
            let wanted = 80.0 * 1.7 * 0.5f64.powf(1.5);
            assert!((found - wanted).abs() < 1e-3 * wanted, "{found}, {wanted}");
        }
    }
}

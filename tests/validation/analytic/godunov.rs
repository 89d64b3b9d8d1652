//! The shallow-water equations on a line or along a radius, on a fine grid: a second-order Godunov
//! scheme (MUSCL with minmod, HLL fluxes after Harten, Lax & van Leer 1983 with the speeds of Toro
//! 2001, section 10.5; two Runge-Kutta stages), for cases without a closed solution. It shares
//! nothing with the solvers.

use super::G;

/// Depth below which water does not move [m].
const DRY: f64 = 1e-6;
const COURANT: f64 = 0.45;

/// Water on flat ground between two walls, or inside a circular wall.
#[derive(Clone)]
pub struct Line {
    /// Cell size [m]; the first cell starts at `from` [m].
    pub dx: f64,
    pub from: f64,
    /// Set if positions are radii.
    pub radial: bool,
    /// Manning's n [s/m^⅓].
    pub n: f64,
    /// Depth [m] and unit discharge [m²/s] of each cell.
    pub state: Vec<[f64; 2]>,
}

impl Line {
    /// Creates still water with the depth [m] `depth` at each position.
    pub fn new(from: f64, to: f64, dx: f64, depth: impl Fn(f64) -> f64) -> Line {
        let cells = ((to - from) / dx).round() as usize;
        let state = (0..cells).map(|i| [depth(from + (i as f64 + 0.5) * dx), 0.0]).collect();
        Line { dx, from, radial: false, n: 0.0, state }
    }

    /// Returns positions [m] and depths [m].
    pub fn profile(&self) -> Vec<(f64, f64)> {
        let place = |i: usize| self.from + (i as f64 + 0.5) * self.dx;
        self.state.iter().enumerate().map(|(i, s)| (place(i), s[0])).collect()
    }

    /// Advances by `time` [s].
    pub fn advance(&mut self, time: f64) {
        let mut left = time;
        while left > 0.0 {
            let fastest = self.state.iter().map(|&s| speed(s).abs() + (G * s[0]).sqrt());
            let dt = (COURANT * self.dx / fastest.fold(1e-9, f64::max)).min(left);
            let first = self.stage(&self.state, dt);
            let second = self.stage(&first, dt);
            for (s, t) in self.state.iter_mut().zip(second) {
                *s = [0.5 * (s[0] + t[0]), 0.5 * (s[1] + t[1])];
                // Manning's friction, implicit: q' (1 + dt·g·n²|u|/h^{4/3}) = q, with |u| of q'
                // itself.
                if self.n > 0.0 && s[0] > DRY {
                    let b = dt * G * self.n * self.n / s[0].powf(7.0 / 3.0);
                    s[1] = 2.0 * s[1] / (1.0 + (1.0 + 4.0 * b * s[1].abs()).sqrt());
                }
            }
            left -= dt;
        }
    }

    /// Returns the state after a forward step of `dt` [s].
    fn stage(&self, now: &[[f64; 2]], dt: f64) -> Vec<[f64; 2]> {
        let count = now.len();
        // Depth and velocity at both sides of each cell.
        let mut sides = Vec::with_capacity(count);
        for i in 0..count {
            let own = [now[i][0], speed(now[i])];
            let mut slope = [0.0; 2];
            if i > 0 && i + 1 < count {
                let (b, a) =
                    ([now[i - 1][0], speed(now[i - 1])], [now[i + 1][0], speed(now[i + 1])]);
                slope = [0, 1].map(|k: usize| minmod(own[k] - b[k], a[k] - own[k]));
            }
            let at = |half: f64| [0, 1].map(|k: usize| own[k] + half * slope[k]);
            sides.push([at(-0.5), at(0.5)]);
        }
        // Flux over each face; the ends of a line are reflecting walls.
        let mirrored = |[h, u]: [f64; 2]| [h, -u];
        let mut fluxes = Vec::with_capacity(count + 1);
        fluxes.push(flux(mirrored(sides[0][0]), sides[0][0]));
        fluxes.extend(sides.windows(2).map(|pair| flux(pair[0][1], pair[1][0])));
        fluxes.push(flux(sides[count - 1][1], mirrored(sides[count - 1][1])));
        let mut next = Vec::with_capacity(count);
        for i in 0..count {
            let (before, after) =
                (self.from + i as f64 * self.dx, self.from + (i + 1) as f64 * self.dx);
            let middle = 0.5 * (before + after);
            // The sides of a ring differ in length; the pressure on the difference is a source.
            let (wb, wa, press) = match self.radial {
                true => (before / middle, after / middle, 0.5 * G * now[i][0].powi(2) / middle),
                false => (1.0, 1.0, 0.0),
            };
            let by = dt / self.dx;
            let h = (now[i][0] - by * (wa * fluxes[i + 1][0] - wb * fluxes[i][0])).max(0.0);
            let q = now[i][1] - by * (wa * fluxes[i + 1][1] - wb * fluxes[i][1]) + dt * press;
            next.push(if h > DRY { [h, q] } else { [h, 0.0] });
        }
        next
    }
}

fn speed([h, q]: [f64; 2]) -> f64 {
    if h > DRY { q / h } else { 0.0 }
}

fn minmod(a: f64, b: f64) -> f64 {
    if a * b <= 0.0 {
        0.0
    } else if a.abs() < b.abs() {
        a
    } else {
        b
    }
}

/// Returns the fluxes of water and momentum across a face between two states of depth and velocity.
fn flux([hl, ul]: [f64; 2], [hr, ur]: [f64; 2]) -> [f64; 2] {
    let (cl, cr) = ((G * hl).sqrt(), (G * hr).sqrt());
    if hl <= DRY && hr <= DRY {
        return [0.0; 2];
    }
    let middle_speed = 0.5 * (ul + ur) + cl - cr;
    let middle = (0.5 * (cl + cr) + 0.25 * (ul - ur)).max(0.0);
    let left = if hl > DRY { (ul - cl).min(middle_speed - middle) } else { ur - 2.0 * cr };
    let right = if hr > DRY { (ur + cr).max(middle_speed + middle) } else { ul + 2.0 * cl };
    let of = |h: f64, u: f64| [h * u, h * u * u + 0.5 * G * h * h];
    let (fl, fr) = (of(hl, ul), of(hr, ur));
    if left >= 0.0 {
        return fl;
    }
    if right <= 0.0 {
        return fr;
    }
    let (l, r) = ([hl, hl * ul], [hr, hr * ur]);
    [0, 1].map(|k: usize| {
        (right * fl[k] - left * fr[k] + left * right * (r[k] - l[k])) / (right - left)
    })
}

/// Checks a line against Stoker's solution, that a ring's volume is constant, and that far from its
/// centre it is a line.
pub fn self_check() {
    let dam = super::dam_break::DamBreak { high: 5.0, low: 0.5 };
    let depth = |x: f64| if x < 0.0 { dam.high } else { dam.low };
    let mut line = Line::new(-30.0, 30.0, 0.1, depth);
    line.advance(2.0);
    let profile = line.profile();
    let off: f64 = profile.iter().map(|&(x, h)| (h - dam.depth(x, 2.0)).abs() * 0.1).sum();
    assert!(off < 0.005 * dam.high * (G * dam.high).sqrt() * 2.0, "{off} m²");
    let mut ring = Line { radial: true, ..Line::new(0.0, 60.0, 0.2, |r| depth(r - 30.0)) };
    let volume = |ring: &Line| ring.profile().iter().map(|&(r, h)| r * h).sum::<f64>();
    let before = volume(&ring);
    ring.advance(1.0);
    assert!((volume(&ring) / before - 1.0).abs() < 1e-9, "water of a ring");
    let far = Line::new(1e6 - 30.0, 1e6 + 30.0, 0.1, |r| depth(r - 1e6));
    let mut far = Line { radial: true, ..far };
    far.advance(2.0);
    let pairs = far.profile().into_iter().zip(profile);
    let most = pairs.map(|((_, a), (_, b))| (a - b).abs()).fold(0.0, f64::max);
    assert!(most < 1e-3, "{most} m");
}

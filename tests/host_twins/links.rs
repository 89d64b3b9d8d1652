//! Tests of pumps and culverts.

use super::common::Random;
use super::compare::Numbers;
use super::sheet::{COLUMNS, ROWS, Sheet, argument, origin, place, twins, water_of};
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::links::entries;
use inundate_engine::backend::cuda::params::{Params, StepConstants};
use inundate_engine::field::Field;
use inundate_engine::forcing::link::{Fitted, Link, LinkDriver, LinkState, Links, Rating};
use inundate_engine::grains::Grain;
use inundate_engine::tiling::rect::Rect;
use inundate_engine::tiling::subdomain::MARGIN;

/// Number of simultaneous links. Every third shares a cell with the one before it.
const LINKS: usize = 1 << 15;

/// Returns ascending knots (m).
fn knots(numbers: &mut Numbers) -> Vec<f64> {
    let mut at = numbers.0.between(0.0, 1.0);
    let count = numbers.of(&[1, 1, 2, 3, 9]);
    let next = |_| {
        at += numbers.0.between(1e-3, 2.0);
        at
    };
    (0..count).map(next).collect()
}

fn link_of(numbers: &mut Numbers, number: usize, grain: Grain) -> Fitted {
    let (heads, differences) = (knots(numbers), knots(numbers));
    let flows = (0..heads.len() * differences.len()).map(|_| numbers.0.between(0.0, 20.0));
    let rating = Rating { flows: flows.collect(), heads, differences };
    let level =
        |numbers: &mut Numbers| (numbers.0.between(0.0, 4.0) * f64::from(grain.per_metre())) as i64;
    let beds = [level(numbers), level(numbers)];
    let above = level(numbers) / 4;
    let crest = beds[0].max(beds[1]) + numbers.of(&[0, above]);
    let drive = match numbers.of(&[0, 1, 2]) {
        0 => {
            let stop = numbers.0.between(0.0, 1.0);
            LinkDriver::Pump { start: stop + numbers.0.between(0.0, 1.0), stop }
        }
        way => LinkDriver::Fall { crest: None, one_way: way == 1 },
    };
    let (inlet, outlet) = (2 * number - usize::from(number % 3 == 2), 2 * number + 1);
    let link = Link { name: String::new(), inlet, outlet, drive, rating };
    Fitted {
        link,
        beds,
        crest,
        tables: None,
        drawn: number % 9 < 3,
        sharing: numbers.of(&[1, 2, 3]),
    }
}

#[test]
fn link_flows_match() {
    let mut numbers = Numbers(Random::new(8));
    let mut sheet = Sheet::new();
    for grain in [Grain::Fine, Grain::Coarse] {
        let fitted: Vec<Fitted> = (0..LINKS).map(|at| link_of(&mut numbers, at, grain)).collect();
        let mut links = Links {
            fitted,
            states: vec![LinkState::default(); LINKS],
            metres: f64::from(grain.metres()),
            per_cubic_metre: f64::from(grain.per_metre()) / numbers.0.between(1.0, 1e4),
        };
        let (entries, tables) = entries(&links, COLUMNS, Rect::default());
        let mut states = vec![LinkState::default(); LINKS];
        let shallow = 4.0 * grain.per_metre();
        let mut water: Vec<i32> = (0..2 * LINKS)
            .map(|_| match numbers.0.unit() {
                x if x < 0.8 => (numbers.0.unit() as f32 * shallow) as i32,
                _ => water_of(&mut numbers),
            })
            .collect();
        // With a margin, as in the padded grid; the sheet's own cells start after it.
        let mut cells = vec![0; super::sheet::CELLS];
        let at = |cell: usize| place(cell % COLUMNS, cell / COLUMNS);
        const { assert!(2 * LINKS <= COLUMNS * (ROWS - MARGIN)) };
        for step in 0..24 {
            let dt = numbers.size(-8, 5);
            for (cell, &water) in water.iter().enumerate() {
                cells[at(cell)] = water;
            }
            links.step(dt, |cell, by| {
                water[cell] += by;
                water[cell]
            });
            sheet.step_constants = StepConstants { dt, ..StepConstants::default() };
            let params = sheet.params(grain, &mut cells);
            let back = 4 * (MARGIN * params.stride as usize + MARGIN) as u64;
            let fields = Fields::of(|field, _| match field {
                Field::Water => origin(&mut cells) - back,
                _ => 0,
            });
            let params = Params { fields, ..params };
            let (addresses, tables) = (entries.as_ptr() as u64, tables.as_ptr() as u64);
            let (count, to) = (LINKS as i32, states.as_mut_ptr() as u64);
            let arguments = [
                argument(&params),
                argument(&addresses),
                argument(&count),
                argument(&tables),
                argument(&to),
                argument(&links.metres),
                argument(&links.per_cubic_metre),
            ];
            // SAFETY: the cells of every link are in the sheet.
            unsafe { twins().launch("link", [LINKS as u32 / 128, 1], [128, 1], &arguments) };
            for link in 0..LINKS {
                let theirs = [cells[at(2 * link)], cells[at(2 * link + 1)]];
                let ours = [water[2 * link], water[2 * link + 1]];
                let LinkState { carry, flow, wanted, forward, back, on } = links.states[link];
                let state = &states[link];
                let same = theirs == ours
                    && state.carry.to_bits() == carry.to_bits()
                    && state.flow.to_bits() == flow.to_bits()
                    && state.wanted.to_bits() == wanted.to_bits()
                    && (state.forward, state.back, state.on) == (forward, back, on);
                let fitted = &links.fitted[link];
                assert!(
                    same,
                    "step {step}: {theirs:?} and {state:?} in the kernel, {ours:?} and {:?} in Rust, {fitted:?}",
                    links.states[link]
                );
            }
        }
        let moved = links.states.iter().filter(|state| state.forward > 0 || state.back > 0).count();
        assert!(moved > LINKS / 2, "{moved} links carried water");
    }
}

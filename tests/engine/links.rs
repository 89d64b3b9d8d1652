//! Flow through a link in a step in which its rating would allow far more, to the grain.

use inundate_engine::forcing::link::{Link, LinkDriver, Links, Rating};
use inundate_engine::grains::Grain;
use inundate_engine::grid::{Bed, Grid};

/// Returns a link between two cells of 10 m with given bed levels [m], and unlimited capacity.
fn links(beds: [f64; 2], drive: LinkDriver) -> Links {
    let rating = Rating::constant(1e6);
    let link = Link { name: "l".into(), inlet: 0, outlet: 1, drive, rating };
    Links::new(&[link], &Grid::plain(2, 1, 10.0), &Bed::from_metres(beds), Grain::Fine)
}

fn step(links: &mut Links, water: &mut [i32; 2]) {
    links.step(1.0, |cell, by| {
        water[cell] += by;
        water[cell]
    });
}

#[test]
fn a_culvert_moves_at_most_half_of_the_water_above_its_crest() {
    let metre = 1 << 24;
    // Beds, crest, water before, and the amount moved.
    for (beds, crest, before, moved) in [
        ([1.0, 0.0], None, [8, 0], 4),
        ([0.0, 1.0], None, [0, 8], -4),
        ([0.0, 0.0], Some(1.0), [metre + 8, 0], 4),
        // By default the crest is the higher bed.
        ([0.0, 1.0], None, [metre, 0], 0),
    ] {
        let mut links = links(beds, LinkDriver::Fall { crest, one_way: false });
        let mut water = before;
        step(&mut links, &mut water);
        assert_eq!(water, [before[0] - moved, before[1] + moved], "{beds:?}, {before:?}");
    }
}

#[test]
fn between_steady_levels_a_culvert_has_the_discharge_of_its_rating() {
    let metre = f64::from(1 << 24);
    let rating = Rating::of_difference(&[(0.0, 0.0), (0.01, 0.2), (1.0, 2.0), (3.0, 3.0)]);
    for drawn in [false, true] {
        for (one_way, levels) in
            [(false, [2.0, 1.9]), (false, [1.0, 2.5]), (true, [2.0, 0.4]), (true, [1.0, 1.1])]
        {
            let mut links = links([0.0, 0.0], LinkDriver::Fall { crest: None, one_way });
            links.fitted[0].link.rating = rating.clone();
            let mut links = links.drawn(drawn);
            let dt = 0.1_f32;
            // As a solver finds them after the discharge of the last step, or before.
            let mut shift = 0.0;
            for _ in 0..2000 {
                let seen = [levels[0] + shift, levels[1] - shift];
                let water = seen.map(|level: f64| (level * metre) as i32);
                links.step(dt, |cell, by| water[cell] + by);
                shift = if drawn { links.states[0].flow * f64::from(dt) / 100.0 } else { 0.0 };
            }
            let fall: f64 = levels[0] - levels[1];
            let expected = match one_way && fall < 0.0 {
                true => 0.0,
                false => rating.flow(2.0, fall.abs()).copysign(fall),
            };
            let flow = links.states[0].flow;
            assert!((flow - expected).abs() < 1e-4, "{levels:?}: {flow} instead of {expected}");
        }
    }
}

#[test]
fn a_culvert_between_equal_levels_comes_to_rest() {
    let mut links = links([0.0, 0.0], LinkDriver::Fall { crest: None, one_way: false });
    links.fitted[0].link.rating = Rating::of_difference(&[(0.0, 0.0), (0.01, 0.2), (1.0, 2.0)]);
    let metre = 1 << 24;
    let mut water = [2 * metre, metre];
    for _ in 0..5000 {
        step(&mut links, &mut water);
    }
    assert_eq!(water[0] + water[1], 3 * metre);
    assert!((water[0] - water[1]).abs() < 100, "{water:?}, {:?}", links.states[0]);
}

#[test]
fn unmet_link_demand_is_not_carried_over() {
    let mut links = links([0.0, 0.0], LinkDriver::Pump { start: 0.0, stop: 0.0 });
    links.fitted[0].link.rating = Rating::constant(1000.5 * 100.0 / f64::from(1 << 24));
    // Only three of a thousand and a half grains exist: nothing is carried over.
    let mut water = [3, 0];
    step(&mut links, &mut water);
    assert_eq!((water, links.states[0].carry), ([0, 3], 0.0));
    water[0] = 5000;
    step(&mut links, &mut water);
    assert_eq!((water, links.states[0].carry), ([4000, 1003], 0.5));
}

#[test]
fn culverts_with_the_same_ends_share_the_discharge_beside_a_pump_in_any_order() {
    let rating = Rating::of_difference(&[(0.0, 0.0), (0.2, 1.5), (1.0, 4.0)]);
    let metre = f64::from(1 << 24);
    let of = |outlet: usize, drive: LinkDriver, rating: &Rating| Link {
        name: "l".into(),
        inlet: 0,
        outlet,
        drive,
        rating: rating.clone(),
    };
    let barrel = of(1, LinkDriver::Fall { crest: None, one_way: false }, &rating);
    let pump = of(2, LinkDriver::Pump { start: 0.0, stop: 0.0 }, &Rating::constant(3.0));
    for drawn in [false, true] {
        for pump_at in 0..=4 {
            let mut all = vec![barrel.clone(); 4];
            all.insert(pump_at, pump.clone());
            let bed = Bed::from_metres([0.0; 3]);
            let links = Links::new(&all, &Grid::plain(3, 1, 10.0), &bed, Grain::Fine);
            let mut links = links.drawn(drawn);
            let mut water = [metre as i32; 3];
            for _ in 0..2000 {
                // 6 m³/s flow in, and what is pumped comes back, over 100 m².
                water[0] += (0.09 * metre) as i32;
                water[1..].fill(metre as i32);
                links.step(1.0, |cell, by| {
                    water[cell] += by;
                    water[cell]
                });
            }
            // As the solver's flow finds it: after the links, or before.
            let after = f64::from(water[0]) / metre;
            let level = if drawn { after } else { after + 0.09 };
            // The receiving cell rises by 0.06 m after the links.
            let tail = if drawn { 1.06 } else { 1.0 };
            assert!((level - tail - 0.2).abs() < 1e-3, "{drawn}, {pump_at}: {level}");
            let flows = links.states.iter().map(|state| state.flow);
            let (pumps, barrels): (Vec<f64>, Vec<f64>) = flows.partition(|flow| *flow > 2.0);
            assert_eq!(pumps, [3.0]);
            assert!(barrels.iter().all(|flow| (flow - 1.5).abs() < 1e-3), "{barrels:?}");
        }
    }
}

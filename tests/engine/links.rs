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
fn a_culvert_moves_at_most_a_quarter_of_the_fall_and_half_of_the_water_above_its_crest() {
    let metre = 1 << 24;
    // Beds, crest, water before, and the amount moved.
    for (beds, crest, before, moved) in [
        ([0.0, 0.0], None, [2 * metre, metre], metre / 4),
        ([0.0, 0.0], None, [metre, 2 * metre], -metre / 4),
        // By default the crest is the higher bed.
        ([0.0, 1.0], None, [metre + 8, 0], 2),
        ([0.0, 1.0], None, [metre, 0], 0),
        ([1.0, 0.0], None, [8, 0], 4),
        ([0.0, 0.0], Some(1.0), [metre + 8, 0], 4),
    ] {
        let mut links = links(beds, LinkDriver::Fall { crest, one_way: false });
        let mut water = before;
        step(&mut links, &mut water);
        assert_eq!(water, [before[0] - moved, before[1] + moved], "{beds:?}, {before:?}");
    }
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

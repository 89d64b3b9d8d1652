//! Colour scale of each quantity.

use super::Blend;
pub use super::fixed::*;
use super::palette::{self, Palette};
use super::scale::{Scale, ScaleKind};

/// Class breaks of the fixed scale of signed velocities, in either direction (m/s).
const EITHER_WAY: &[f64] = &[0.1, 0.5, 1.0, 2.0, 4.0];

/// Depths: blue, with dry cells transparent.
pub static DEPTH: Scale =
    amount("depth", 0.01, "dry", &[0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0], palette::DEPTH);
/// Arrival times, from dark (early) to light (late).
pub static ARRIVAL: Scale = since("arrival", None, palette::ARRIVAL);
/// Times of the greatest depth, from blue (early) to yellow (late).
pub static TIME_OF_MAX: Scale = since("time_of_max", None, palette::TIME_OF_MAX);
/// Durations of wetting, from pale to violet.
pub static DURATION: Scale = since("duration", Some("never"), palette::DURATION);
/// Levels of the water surface.
pub static LEVEL: Scale = level("level", Blend::UpTo, palette::LEVEL);
/// Heights of the terrain.
pub static TERRAIN: Scale = level("terrain", Blend::Smooth, palette::TERRAIN);
/// Speeds of the flow (m/s).
pub static VELOCITY: Scale =
    flow("velocity", 0.01, "still", &[0.1, 0.25, 0.5, 1.0, 2.0, 5.0], palette::VELOCITY);
/// Velocities (m/s), east positive.
pub static VELOCITY_X: Scale =
    signed("velocity_x", 0.01, [("", " west"), ("", " east")], EITHER_WAY, palette::BOTH_WAYS);
/// Velocities (m/s), north positive.
pub static VELOCITY_Y: Scale =
    signed("velocity_y", 0.01, [("", " south"), ("", " north")], EITHER_WAY, palette::BOTH_WAYS);
/// Unit discharges (m²/s), from green to violet.
pub static UNIT_DISCHARGE: Scale = flow(
    "unit_discharge",
    0.005,
    "none",
    &[0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0],
    palette::DISCHARGE,
);
/// Depths of infiltrated water.
pub static INFILTRATION: Scale = amount(
    "infiltration",
    1e-4,
    "none",
    &[0.002, 0.005, 0.01, 0.02, 0.05, 0.1],
    palette::INFILTRATION,
);
/// Differences of depths (m): red where the first is deeper, blue where it is shallower.
pub static DIFFERENCE: Scale = signed(
    "difference",
    0.0,
    [("−", ""), ("+", "")],
    &[0.05, 0.25, 0.5, 1.0, 2.0],
    palette::DIFFERENCE,
);

const fn amount(
    name: &'static str,
    dry: f64,
    nothing: &'static str,
    usual: &'static [f64],
    palette: Palette,
) -> Scale {
    let kind = ScaleKind::Amount { dry, nothing, usual, keeps_extremes: false };
    Scale { name, kind, palette }
}

/// Like [`amount`], with classes up to the greatest value: the fastest water is in few cells, such
/// as those of a breach.
const fn flow(
    name: &'static str,
    dry: f64,
    nothing: &'static str,
    usual: &'static [f64],
    palette: Palette,
) -> Scale {
    let kind = ScaleKind::Amount { dry, nothing, usual, keeps_extremes: true };
    Scale { name, kind, palette }
}

const fn signed(
    name: &'static str,
    still: f64,
    ways: [(&'static str, &'static str); 2],
    fixed: &'static [f64],
    palette: Palette,
) -> Scale {
    Scale { name, kind: ScaleKind::Signed { still, ways, fixed }, palette }
}

const fn since(name: &'static str, nothing: Option<&'static str>, palette: Palette) -> Scale {
    Scale { name, kind: ScaleKind::Time { nothing }, palette }
}

const fn level(name: &'static str, blend: Blend, palette: Palette) -> Scale {
    Scale { name, kind: ScaleKind::Level(blend), palette }
}

#[cfg(test)]
mod tests {
    use super::super::scales::Scales;
    use super::super::{Choice, Ramp};
    use super::*;

    static ALL: [&Scale; 17] = [
        &DEPTH,
        &ARRIVAL,
        &TIME_OF_MAX,
        &DURATION,
        &LEVEL,
        &TERRAIN,
        &VELOCITY,
        &VELOCITY_X,
        &VELOCITY_Y,
        &UNIT_DISCHARGE,
        &INFILTRATION,
        &DIFFERENCE,
        &HAZARD,
        &AIDR,
        &PROBABILITY,
        &ANNUAL_PROBABILITY,
        &RETURN_PERIOD,
    ];

    fn labels(ramp: &Ramp) -> Vec<&str> {
        ramp.stops.iter().map(|stop| stop.label.as_str()).collect()
    }

    #[test]
    fn stops_go_up_over_any_range() {
        let ranges =
            [None, Some((0.0, 0.0)), Some((1e-7, 1e-6)), Some((0.2, 12.5)), Some((431.0, 431.0))];
        for scale in ALL {
            for range in ranges {
                let ramp = scale.ramp(range, "h");
                let name = scale.name;
                assert!(ramp.stops.len() >= 2, "{name} {range:?} {ramp:?}");
                assert!(
                    ramp.stops.is_sorted_by(|a, b| a.value < b.value),
                    "{name} {range:?} {ramp:?}"
                );
            }
        }
    }

    #[test]
    fn scales_follow_the_data_in_classes_and_are_open_at_the_end() {
        let depth = DEPTH.ramp(Some((0.3, 7.2)), "m");
        assert_eq!(
            labels(&depth),
            [
                "dry",
                "0.01 – 0.05 m",
                "0.05 – 0.3 m",
                "0.3 – 0.5 m",
                "0.5 – 1 m",
                "1 – 2 m",
                "2 – 5 m",
                "> 5 m"
            ]
        );
        assert_eq!((depth.stops[7].value, depth.blend), (f64::INFINITY, Blend::UpTo));
        let film = DEPTH.ramp(Some((0.001, 0.004)), "m");
        assert_eq!(labels(&film), ["dry", "0.0002 – 0.001 m", "0.001 – 0.002 m", "> 0.002 m"]);
        let lake = DEPTH.ramp(Some((3.1, 3.4)), "m");
        assert_eq!(labels(&lake)[..3], ["dry", "0.01 – 0.05 m", "0.05 – 3.1 m"]);
        let fast = VELOCITY.ramp(Some((0.07, 8.0)), "m/s");
        assert_eq!(labels(&fast).last().unwrap(), &"> 5 m/s");
        let level = LEVEL.ramp(Some((432.0, 469.0)), "m");
        assert_eq!(labels(&level), ["≤ 440 m", "440 – 450 m", "450 – 460 m", "> 460 m"]);
        let east = VELOCITY_X.ramp(Some((0.1, 1.7)), "m/s");
        assert_eq!(
            (labels(&east)[0], labels(&east)[1], labels(&east)[10]),
            ("> 1 m/s west", "0.5 – 1 m/s west", "> 1 m/s east")
        );
    }

    #[test]
    fn a_breach_is_in_the_legends_of_speeds_and_differences() {
        let mut scales = Scales::new(Choice::Data, 0.0, 3.0);
        // 5.3 m/s in one cell of a thousand.
        let mut tide = vec![0.4; 999];
        tide.push(5.3);
        scales.add(&VELOCITY, &tide);
        scales.add(&UNIT_DISCHARGE, &tide);
        scales.add(&DIFFERENCE, &tide);
        let last = |scale: &Scale, unit: &str| scales.ramp(scale, unit).stops.pop().unwrap().label;
        assert_eq!(last(&VELOCITY, "m/s"), "> 5 m/s");
        assert_eq!(last(&UNIT_DISCHARGE, "m²/s"), "> 5 m²/s");
        assert_eq!(last(&DIFFERENCE, "m"), "> +5 m");
        let difference = scales.ramp(&DIFFERENCE, "m");
        assert!(difference.colour(0.1)[3] > 0, "small ones stay");
    }

    #[test]
    fn the_highest_hazard_class_is_divided_up_to_the_greatest_rating() {
        let official = [
            "dry",
            "low: caution (below 0.75)",
            "moderate: danger for some (0.75 to 1.25)",
            "significant: danger for most (1.25 to 2)",
        ];
        let highest = |ratings: &[f32], choice: Choice| {
            let mut scales = Scales::new(choice, 0.0, 3.0);
            scales.add(&HAZARD, ratings);
            let ramp = scales.ramp(&HAZARD, "");
            assert_eq!(labels(&ramp)[..4], official);
            assert_eq!(ramp.stops[4].colour, [0xa5, 0x00, 0x26, 255], "the official colour");
            labels(&ramp)[4..].join(", ")
        };
        let whole = "extreme: danger for all (above 2)";
        assert_eq!(highest(&[0.0, 0.9, 4.0], Choice::Data), whole);
        // A single cell of a thousand has a rating of 23.
        let mut ratings = vec![1.1; 999];
        ratings.push(23.0);
        assert_eq!(
            highest(&ratings, Choice::Data),
            "extreme: danger for all (2 to 5), extreme: danger for all (5 to 10), \
             extreme: danger for all (10 to 20), extreme: danger for all (above 20)"
        );
        assert_eq!(highest(&ratings, Choice::Fixed), whole);
    }

    #[test]
    fn arrivals_are_in_round_hours() {
        let arrival = ARRIVAL.ramp(Some((0.01, 1.79)), "h");
        let expected = ["≤ 30 min", "30 min – 1 h", "1 h – 1 h 30 min", "> 1 h 30 min"];
        assert_eq!(labels(&arrival), expected);
        assert_eq!(arrival.stops[2].value, 1.5);
        let late = ARRIVAL.ramp(Some((25.2, 29.4)), "h");
        assert_eq!((labels(&late)[0], late.stops[0].value), ("≤ 26 h", 26.0));
        let steps = ARRIVAL.ramp(Some((1.0, 240.0)), "steps");
        assert_eq!(
            labels(&steps),
            ["≤ 50 steps", "50 – 100 steps", "100 – 150 steps", "150 – 200 steps", "> 200 steps"]
        );
        let wet = DURATION.ramp(Some((0.5, 5.5)), "h");
        assert_eq!(
            (labels(&wet)[0], wet.stops[0].colour[3], wet.stops[0].value),
            ("never", 0, 0.0)
        );
    }

    #[test]
    fn differences_are_red_where_it_is_deeper_and_bare_about_zero() {
        let ramp = DIFFERENCE.ramp(Some((0.01, 0.4)), "m");
        let (first, last) = (&ramp.stops[0], &ramp.stops[ramp.stops.len() - 1]);
        assert_eq!((first.label.as_str(), last.label.as_str()), ("≤ −0.2 m", "> +0.2 m"));
        assert_eq!((first.value, ramp.stops[1].label.as_str()), (-0.2, "−0.2 to −0.1 m"));
        assert!(first.colour[2] > first.colour[0], "blue");
        assert!(last.colour[0] > last.colour[2], "red");
        assert_eq!(ramp.colour(0.0)[3], 0);
        assert!(ramp.colour(0.1)[3] > 0 && ramp.colour(-0.05)[3] > 0);
    }

    #[test]
    fn maps_of_one_scale_share_a_range_and_few_cells_do_not_stretch_it() {
        let mut scales = Scales::new(Choice::Data, 430.0, 3.0);
        let river: Vec<f32> = (0..1000).map(|n| 0.002 * n as f32).collect();
        scales.add(&DEPTH, &river);
        scales.add(&DEPTH, &[6.9; 200]);
        scales.add(&DEPTH, &[90.0, -9999.0]);
        assert_eq!(labels(&scales.ramp(&DEPTH, "m")).last().unwrap(), &"> 5 m");
        scales.add(&LEVEL, &[431.2, 441.0, -9999.0]);
        assert_eq!(labels(&scales.ramp(&LEVEL, "m"))[0], "≤ 432 m");
        let mut again = Scales::new(Choice::Data, 430.0, 3.0);
        again.restore(&scales.save(), ALL.into_iter()).unwrap();
        assert_eq!(again.ramp(&DEPTH, "m"), scales.ramp(&DEPTH, "m"));
        let mut fixed = Scales::new(Choice::Fixed, 430.0, 3.0);
        fixed.add(&DEPTH, &river);
        fixed.add(&ARRIVAL, &[0.1, 0.2]);
        assert_eq!(labels(&fixed.ramp(&DEPTH, "m")).last().unwrap(), &"> 5 m");
        assert_eq!(labels(&fixed.ramp(&ARRIVAL, "h")).last().unwrap(), &"> 2 h 30 min");
    }
}

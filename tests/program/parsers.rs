//! Properties of the parsers: no text makes them panic, accepted values are finite and not
//! negative, and correctly written values are read back.

use crate::common::tier::few_or_all;
use inundate::error::Result;
use inundate::input::tables::series_table::{self, Course};
use inundate::input::time::wall_time::WallClock;
use inundate::measures::{Per, parse_depth, parse_duration, parse_flow, parse_rain};
use inundate::scenario::options::Options;
use inundate::units::show_duration;
use proptest::prelude::*;

fn parse_hyetograph(text: &[u8], name: &str) -> Result<Course> {
    series_table::HYETOGRAPH.parse(text, name, &WallClock::default())
}

/// Returns `true` if the engine can use the value of a rate or quantity.
fn sound(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1e-300)
}

/// Generates texts similar to quantities: digits, signs, units and separators in any order.
fn nearly_a_quantity() -> impl Strategy<Value = String> {
    const WORDS: [&str; 14] = [
        "mm/h", "m3/s", "mm/step", "h", "min", "cm", "m³/s", ":", "-", "e", " ", "1e308", "inf",
        "NaN",
    ];
    // Each word is as probable as digits or any character.
    let word = prop::sample::select(&WORDS[..]).prop_map(String::from);
    let piece = prop_oneof![14 => word, 1 => "[0-9]{1,4}(\\.[0-9]{0,3})?", 1 => "\\PC"];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn all_sound(text: &str) {
    assert!(parse_duration(text).map_or(true, sound), "duration {text:?}");
    assert!(parse_depth(text).map_or(true, sound), "depth {text:?}");
    assert!(parse_rain(text).map_or(true, |rate| sound(rate.value)), "rain {text:?}");
    assert!(parse_flow(text).map_or(true, |rate| sound(rate.value)), "flow {text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: few_or_all(600, 4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_or_gives_an_invalid_quantity(text in any::<String>(), near in nearly_a_quantity()) {
        all_sound(&text);
        all_sound(&near);
    }

    #[test]
    fn quantities_are_read_with_their_units(value in 0.0..1e6f64, space in " {0,2}") {
        let read = |unit: &str| format!("{value}{space}{unit}");
        prop_assert!(close(parse_duration(&read("min")).unwrap(), value * 60.0));
        prop_assert!(close(parse_duration(&read("")).unwrap(), value));
        prop_assert!(close(parse_depth(&read("cm")).unwrap(), value * 0.01));
        prop_assert!(close(parse_depth(&read("ft")).unwrap(), value * 0.3048));
        let rain = parse_rain(&read("mm/h")).unwrap();
        prop_assert!(close(rain.value, value / 3.6e6) && rain.per == Per::Second);
        let rain = parse_rain(&read("mm/step")).unwrap();
        prop_assert!(close(rain.value, value * 1e-3) && rain.per == Per::Step);
        let flow = parse_flow(&read("l/s")).unwrap();
        prop_assert!(close(flow.value, value * 1e-3) && flow.per == Per::Second);
        prop_assert!(parse_rain(&read("")).is_err(), "rain needs a unit");
        prop_assert!(parse_rain(&read("mm")).is_err(), "a depth is not a rate");
    }

    #[test]
    fn negative_quantities_are_refused_as_negative(value in 1e-6..1e6f64) {
        let what = |error: inundate::error::Error| error.what.contains("is negative");
        let (time, depth) = (format!("-{value} h"), format!("-{value} m"));
        let (rain, flow, bare) = (format!("-{value} mm/h"), format!("-{value} m3/s"), format!("-{value}"));
        prop_assert!(parse_duration(&time).is_err_and(what));
        prop_assert!(parse_depth(&depth).is_err_and(what));
        prop_assert!(parse_rain(&rain).is_err_and(what));
        prop_assert!(parse_flow(&flow).is_err_and(what));
        prop_assert!(parse_flow(&bare).is_err_and(what));
    }

    #[test]
    fn durations_round_trip_from_every_notation(seconds in 0u32..400_000) {
        let (h, m, s) = (seconds / 3600, seconds % 3600 / 60, seconds % 60);
        let expected = f64::from(seconds);
        for text in [
            show_duration(expected),
            format!("{h}h{m}min{s}s"),
            format!("{h} hours {m} minutes {s} seconds"),
            format!("{h:02}:{m:02}:{s:02}"),
            format!("{seconds}"),
        ] {
            prop_assert_eq!(parse_duration(&text).unwrap(), expected, "{}", text);
        }
        let too_many_minutes = format!("{h}:{}", m + 60);
        prop_assert!(parse_duration(&too_many_minutes).is_err());
    }

    #[test]
    fn hyetographs_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in prop::collection::vec(nearly_a_quantity(), 0..6)) {
        let _ = parse_hyetograph(&bytes, "bytes");
        let mut text = String::from("time [min],rain [mm/h]\n");
        for pair in lines.chunks(2) {
            text.push_str(&pair.join(","));
            text.push('\n');
        }
        if let Ok(read) = parse_hyetograph(text.as_bytes(), "lines") {
            prop_assert!(sound(read.series.peak()), "{}", text);
        }
    }

    #[test]
    fn hyetographs_need_ascending_times(
        gaps in prop::collection::vec(1u32..500, 1..20),
        rates in prop::collection::vec(0u32..200, 20),
        at in any::<prop::sample::Index>(),
        back in 0u32..3,
    ) {
        let mut times: Vec<u32> = gaps.iter().scan(0, |time, gap| { *time += gap; Some(*time) }).collect();
        times.insert(0, 0);
        let write = |times: &[u32]| {
            let lines = times.iter().zip(&rates).map(|(time, rate)| format!("{time},{rate}\n"));
            format!("time [min],rain [mm/h]\n{}", lines.collect::<String>())
        };
        let read = parse_hyetograph(write(&times).as_bytes(), "storm").unwrap();
        let end = f64::from(*times.last().unwrap());
        let expected: f64 = times
            .windows(2)
            .zip(&rates)
            .map(|(pair, rate)| f64::from(pair[1] - pair[0]) / 60.0 * f64::from(*rate) * 1e-3)
            .sum();
        prop_assert!((read.series.total(end * 60.0) - expected).abs() <= 1e-9 * expected.max(1.0));
        // A time that is not later than the previous one.
        let at = 1 + at.index(times.len() - 1);
        times[at] = times[at - 1].saturating_sub(back);
        let error = parse_hyetograph(write(&times).as_bytes(), "storm").unwrap_err();
        let line = format!("line {}", at + 2);
        prop_assert!(error.what.contains(&line), "{} lacks {}", error.what, line);
    }

    #[test]
    fn scenario_files_never_panic(text in any::<String>(), value in "\\PC{0,12}") {
        let _ = Options::from_toml(&text, "any");
        for key in ["dem", "rain", "source", "steps", "alpha", "open", "tile", "solver"] {
            if let Ok(options) = Options::from_toml(&format!("{key} = {value}"), "near") {
                let _ = options.tile_size();
            }
        }
    }
}

#[test]
fn the_header_of_a_hyetograph_gives_the_units() {
    let total = |text: &str, time: f64| {
        let read = parse_hyetograph(text.as_bytes(), "storm").expect(text);
        (read.per, (read.series.total(time) * 1e9).round() / 1e9)
    };
    for time in ["hours", "Hours", "h", "time_h", "time [h]", "time (h)", "Time h", "\u{feff}hours"]
    {
        for rain in ["mm/h", "rain [mm/h]", "Rain (mm/h)", "rain mm/h"] {
            let text = format!("{time},{rain}\n0,10\n2,0\n");
            assert_eq!(total(&text, 9000.0), (Per::Second, 0.02), "{text}");
        }
    }
    for time in ["min", "minutes", "time_min", "time [min]", "time (minutes)"] {
        let text = format!("{time},mm/h\n0,10\n120,0\n");
        assert_eq!(total(&text, 9000.0), (Per::Second, 0.02), "{text}");
    }
    for time in ["s", "seconds", "time_s", "time [s]"] {
        let text = format!("{time},mm/h\n0,10\n7200,0\n");
        assert_eq!(total(&text, 9000.0), (Per::Second, 0.02), "{text}");
    }
    for text in ["time,rain\n00:00,10 mm/h\n2h,0 mm/h\n", "h,mm/h\n0,10\n02:00,0\n"] {
        assert_eq!(total(text, 9000.0), (Per::Second, 0.02), "{text}");
    }
    assert!(parse_hyetograph(b"min,mm/h\n0,10\n02:00,0\n", "storm").is_err());
    // Times that do not count from the start of the run need dates.
    for time in ["time (UTC)", "time_utc", "hours since 2021-07-14 00:00", "hour of day"] {
        let times =
            if time.to_lowercase().contains("utc") { ["06:00", "08:00"] } else { ["6", "8"] };
        let text = format!("{time},mm/h\n{},10\n{},0\n", times[0], times[1]);
        let error = parse_hyetograph(text.as_bytes(), "storm").unwrap_err().to_string();
        assert!(error.contains("do not count from the start of the run"), "{error}");
    }
    let since = "minutes since the start,mm/h\n0,10\n120,0\n";
    assert_eq!(total(since, 9000.0), (Per::Second, 0.02));
    for time in ["step", "Steps", "time [steps]"] {
        let text = format!("{time},rain [mm/step]\n0,10\n2,0\n");
        assert_eq!(total(&text, 5.0), (Per::Step, 0.02), "{text}");
    }
}

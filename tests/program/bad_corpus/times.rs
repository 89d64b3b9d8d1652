//! Dates, time zones, and durations.

use crate::bad_corpus::harness::Expect::{self, Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, command, run};
use crate::cli_common::rain::{Bands, frames};
use crate::cli_common::{Raster, Workshop};

/// Returns a case with half an hour of `storm.csv`, and further arguments.
fn dated(name: &'static str, build: fn(&Workshop), more: &str, expect: Expect) -> Case {
    run(name, build, &format!("--rain storm.csv --duration 30min {more}"), expect)
}

/// Returns a case with a start, and half an hour of rain.
fn started(name: &'static str, start: &'static str, expect: Expect) -> Case {
    run(name, |_| {}, &format!("--rain '5 mm/h' --duration 30min --start '{start}'"), expect)
}

fn storm(workshop: &Workshop, from: &str, to: &str) {
    workshop.file("storm.csv", format!("time,rain [mm/h]\n{from},10\n{to},0\n"));
}

fn bands(workshop: &Workshop, names: [&str; 2]) {
    let raster = || Raster::new(2, 2, |_, _| 5.0).transform(frames()[0].transform);
    Bands::new(names.map(|name| (raster(), name.to_string())).to_vec()).write(workshop, "r.tif");
}

pub fn cases() -> Vec<Case> {
    vec![
        run(
            "a run of a nanosecond",
            |_| {},
            "--rain '5 mm/h' --duration 1e-9s",
            Refused(&["duration: '1e-9s' is less than a millisecond", "(s, min, h, d)"]),
        ),
        run(
            "steps of a nanosecond",
            |_| {},
            "--rain '5 mm/h' --solver aqua-graph --steps 5 --step 1e-9s",
            Refused(&["step: a step must last a millisecond or longer"]),
        ),
        run(
            "a depth of less than nothing",
            |_| {},
            "--rain '5 mm/h' --duration 1min --arrival-depth=-0",
            Refused(&["arrival_depth: '-0' is negative"]),
        ),
        run(
            "hundreds of thousands of maps",
            |_| {},
            "--rain '5 mm/h' --duration 3d --output-every 1s",
            Refused(&["output_every: a map every 1 s makes 259200 maps", "2.592 s or more"]),
        ),
        command(
            "tens of thousands of maps",
            |_| {},
            "check --dem dem.tif --rain '5 mm/h' --duration 60003s --output-every 1s",
            Warned(&["output_every: a map every 1 s makes 60003 maps; check the unit"]),
        ),
        run(
            "a flag that is given twice",
            |_| {},
            "--rain '5 mm/h' --duration 1min --open north --open south",
            Refused(&["--open is given twice", "give it once"]),
        ),
        started(
            "a leap day of a year without one",
            "2025-02-29T12:00Z",
            Refused(&["start: '2025-02-29T12:00Z'"]),
        ),
        started("a leap day of a leap year", "2024-02-29T12:00Z", Taken),
        started(
            "an hour that the clocks skip",
            "2021-03-28T02:30[Europe/Berlin]",
            Refused(&[
                "start: 2021-03-28T02:30 does not exist: clocks are put forward over it in Europe/Berlin",
                "offset",
            ]),
        ),
        started(
            "an hour that the clocks repeat",
            "2021-10-31T02:30[Europe/Berlin]",
            Refused(&[
                "start: 2021-10-31T02:30 occurs twice: clocks are put back after it in Europe/Berlin",
                "2021-10-31T02:30+01:00",
            ]),
        ),
        started(
            "an offset that the zone does not have",
            "2021-07-14T12:00+05:00[Europe/Berlin]",
            Refused(&["start: '2021-07-14T12:00+05:00[Europe/Berlin]'"]),
        ),
        started(
            "a zone that does not exist",
            "2021-07-14T12:00[Mars/Base]",
            Refused(&["start: '2021-07-14T12:00[Mars/Base]'", "Mars/Base"]),
        ),
        started(
            "a start with the month first",
            "07/14/2021 12:00",
            Refused(&["start: '07/14/2021 12:00'", "2021-07-14T12:00"]),
        ),
        started(
            "a thirteenth month",
            "2021-13-01T12:00Z",
            Refused(&["start: '2021-13-01T12:00Z'"]),
        ),
        started(
            "a start of hour 25",
            "2021-07-14T25:00Z",
            Refused(&["start: '2021-07-14T25:00Z'"]),
        ),
        started("a start at 24:00", "2021-07-14T24:00Z", Refused(&["start: '2021-07-14T24:00Z'"])),
        started("a start without a time of day", "2021-07-14", Taken),
        started(
            "an hour that the clocks repeat, with its offset",
            "2021-10-31T02:30+02:00[Europe/Berlin]",
            Taken,
        ),
        dated(
            "a storm at the same hour of another time zone",
            |w| storm(w, "2021-07-14T12:00+02:00", "2021-07-14T12:20+02:00"),
            "--start 2021-07-14T12:00-05:00",
            Refused(&[
                "rain: 'storm.csv' covers 2021-07-14T05:00:00-05:00",
                "but the run is 2021-07-14T12:00:00-05:00",
            ]),
        ),
        dated(
            "a storm of the year before",
            |w| storm(w, "2020-07-14T12:00Z", "2020-07-14T12:20Z"),
            "--start 2021-07-14T12:00Z",
            Refused(&["rain: 'storm.csv' covers 2020-07-14", "--start"]),
        ),
        dated(
            "dates with the month first",
            |w| storm(w, "07/14/2021 12:00", "07/14/2021 12:20"),
            "",
            Refused(&[
                "rain: 'storm.csv', line 2: '07/14/2021 12:00' is not a duration, and is not a valid date",
                "write dates like 2021-07-14T13:05, 2021-07-14 13:05+02:00 or 14.07.2021 13:05",
            ]),
        ),
        dated(
            "dates with two digits of the year",
            |w| storm(w, "14.07.21 12:00", "14.07.21 12:20"),
            "",
            Refused(&[
                "rain: 'storm.csv', line 2: '14.07.21 12:00' is not a duration, and is not a valid date",
            ]),
        ),
        dated(
            "a hyetograph through the hour that the clocks skip",
            |w| storm(w, "2021-03-28T02:15", "2021-03-28T03:10"),
            "--start 2021-03-28T01:50[Europe/Berlin]",
            Refused(&["rain: 'storm.csv', line 2: 2021-03-28T02:15 does not exist", "UTC"]),
        ),
        dated(
            "a leap day in a hyetograph of a year without one",
            |w| storm(w, "2025-02-29 12:00", "2025-02-29 12:20"),
            "",
            Refused(&["rain: 'storm.csv', line 2", "'2025-02-29 12:00'"]),
        ),
        dated(
            "hours of the day that pass midnight",
            |w| w.file("storm.csv", "time,rain [mm/h]\n23:50,10\n00:10,0\n"),
            "",
            Refused(&["rain: 'storm.csv', line 3: time 00:10 comes after a later one", "24:10"]),
        ),
        dated(
            "days since 1900, as spreadsheets count",
            |w| w.file("storm.csv", "time [d],rain [mm/h]\n44391.5,10\n44391.51,0\n"),
            "",
            Warned(&["rain: 'storm.csv' brings no rain during the run"]),
        ),
        dated(
            "seconds since 1970",
            |w| w.file("storm.csv", "time [s],rain [mm/h]\n1626264000,10\n1626265200,0\n"),
            "",
            Warned(&["rain: 'storm.csv' brings no rain during the run"]),
        ),
        run(
            "bands an hour apart by their zones",
            |w| bands(w, ["2021-07-14T12:00+00:00", "2021-07-14T12:10+01:00"]),
            "--rain r.tif --duration 30min",
            Refused(&["rain: 'r.tif': band 2 of 'r.tif' has an earlier time than band 1"]),
        ),
        run(
            "bands a year apart",
            |w| bands(w, ["2020-07-14T12:00Z", "2021-07-14T12:00Z"]),
            "--rain r.tif --duration 30min",
            Taken,
        ),
        run(
            "a rain interval of nothing",
            |w| bands(w, ["", ""]),
            "--rain r.tif --rain-interval '0 min' --duration 30min",
            Refused(&["rain_interval: the time must be more than 0 s"]),
        ),
        run(
            "an endless run",
            |_| {},
            "--rain '5 mm/h' --duration inf",
            Refused(&["duration: 'inf'"]),
        ),
        run(
            "a run of a billion years",
            |_| {},
            "--rain '5 mm/h' --duration '1e15 h'",
            Refused(&["duration: '1e15 h' is longer than 100 years"]),
        ),
        run(
            "a duration with two units of one kind",
            |_| {},
            "--rain '5 mm/h' --duration 1h2h",
            Refused(&["duration: '1h2h'"]),
        ),
        run(
            "a duration of 75 minutes past",
            |_| {},
            "--rain '5 mm/h' --duration 01:75:00",
            Refused(&["duration: '01:75:00'"]),
        ),
        run(
            "a series of outputs every microsecond",
            |_| {},
            "--rain '5 mm/h' --duration 30min --output-every '0.000001 s'",
            Refused(&["output_every: '0.000001 s' is less than a millisecond"]),
        ),
        run(
            "a step longer than the run",
            |_| {},
            "--rain '5 mm/h' --duration 5min --step 1h",
            Warned(&["step: a step of 1 h is longer than the duration of 5 min"]),
        ),
        run(
            "a longest step of a picosecond",
            |_| {},
            "--rain '5 mm/h' --duration 1min --dt-max '1e-12 s'",
            Refused(&["dt_max: a longest step of", "is out of range"]),
        ),
    ]
}

//! CSV files, as spreadsheets, loggers and hand-typed notes write them.

use crate::bad_corpus::harness::Expect::{self, Refused, Taken, Warned};
use crate::bad_corpus::harness::{Case, run};
use crate::cli_common::Workshop;

/// Returns a case with thirty minutes of rain from `storm.csv`.
fn rained(name: &'static str, build: fn(&Workshop), expect: Expect) -> Case {
    run(name, build, "--rain storm.csv --duration 30min --open east", expect)
}

/// Returns a case with thirty minutes of a source from `q.csv`.
fn poured(name: &'static str, build: fn(&Workshop), expect: Expect) -> Case {
    run(name, build, "--source 500025,4999975,q.csv --duration 30min --open east", expect)
}

pub fn cases() -> Vec<Case> {
    vec![
        rained(
            "semicolons and decimal commas",
            |w| w.file("storm.csv", "time [h];rain [mm/h]\n0;10,5\n0,5;0\n"),
            Taken,
        ),
        rained(
            "decimal commas in quotes",
            |w| w.file("storm.csv", "time [h],rain [mm/h]\n0,\"10,5\"\n\"0,25\",0\n"),
            Refused(&["rain: 'storm.csv', line 2: '10,5' has a decimal comma", "10.5"]),
        ),
        rained("tabs", |w| w.file("storm.csv", "time [h]\train [mm/h]\n0\t10\n0.25\t0\n"), Taken),
        rained(
            "a byte order mark, carriage returns and quotes",
            |w| {
                w.file(
                    "storm.csv",
                    "\u{feff}\"time [h]\",\"rain [mm/h]\"\r\n\"0\",\"10\"\r\n0.25,0\r\n\r\n",
                )
            },
            Taken,
        ),
        rained(
            "lines that end in a carriage return alone",
            |w| w.file("storm.csv", "time [h],rain [mm/h]\r0,10\r0.25,0\r"),
            Taken,
        ),
        rained(
            "UTF-16",
            |w| {
                let text = "\u{feff}time [h],rain [mm/h]\n0,10\n0.25,0\n";
                let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                w.file("storm.csv", bytes);
            },
            Refused(&["rain: 'storm.csv', line 1", "UTF-16", "UTF-8"]),
        ),
        rained(
            "Latin-1",
            |w| w.file("storm.csv", b"Zeit [h],Niederschlag \xfcber Grund [mm/h]\n0,10\n0.25,0\n"),
            Refused(&["rain: 'storm.csv', line 1", "UTF-8"]),
        ),
        rained("an empty table", |w| w.file("storm.csv", ""), Refused(&["rain: 'storm.csv'"])),
        rained(
            "a spreadsheet under the name of a table",
            |w| w.file("storm.csv", b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe"),
            Refused(&["rain: 'storm.csv'"]),
        ),
        rained(
            "a trailing comma on every line",
            |w| w.file("storm.csv", "time [h],rain [mm/h],\n0,10,\n0.25,0,\n"),
            Taken,
        ),
        rained(
            "the mark of a missing value",
            |w| w.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,-9999\n10,0\n"),
            Warned(&[
                "rain: 'storm.csv' has no value in 1 of its 3 lines",
                "line 3 (5 min: '-9999')",
            ]),
        ),
        rained(
            "a missing value left empty",
            |w| w.file("storm.csv", "time [min],rain [mm/h]\n0,10\n5,\n10,0\n"),
            Warned(&[
                "rain: 'storm.csv' has no value in 1 of its 3 lines",
                "line 3 (5 min: empty)",
            ]),
        ),
        rained(
            "columns the other way round",
            |w| w.file("storm.csv", "rain [mm/h],time [min]\n10,0\n0,10\n"),
            Refused(&["rain: 'storm.csv'"]),
        ),
        rained(
            "thousands marked by a blank",
            |w| w.file("storm.csv", "time [s],rain [mm/h]\n0,10\n1 200,0\n"),
            Refused(&["rain: 'storm.csv', line 3", "'1 200'"]),
        ),
        rained(
            "a hyetograph that starts after the run",
            |w| w.file("storm.csv", "time [h],rain [mm/h]\n2,10\n3,0\n"),
            Warned(&["rain: 'storm.csv' brings no rain during the run"]),
        ),
        rained(
            "rain in metres per hour by a table",
            |w| w.file("storm.csv", "time [h],rain [m/h]\n0,10\n0.25,0\n"),
            Warned(&["rain: up to 10000 mm/h"]),
        ),
        rained(
            "a hyetograph of nothing",
            |w| w.file("storm.csv", "time [h],rain [mm/h]\n0,0\n0.25,0\n"),
            Warned(&["rain: 'storm.csv' brings no rain during the run"]),
        ),
        poured(
            "a hydrograph shorter than the run",
            |w| w.file("q.csv", "time [min],flow [m3/s]\n0,0\n5,2\n10,1\n"),
            Warned(&[
                "source: 'q.csv' ends with a flow above 0, which is kept to the end of the run",
            ]),
        ),
        poured(
            "a hydrograph that starts after the run",
            |w| w.file("q.csv", "time [h],flow [m3/s]\n2,0\n3,5\n4,0\n"),
            Warned(&["source: 'q.csv' brings no water during the run"]),
        ),
        poured(
            "a hydrograph of nothing",
            |w| w.file("q.csv", "time [h],flow [m3/s]\n0,0\n1,0\n"),
            Warned(&["source: 'q.csv' brings no water during the run"]),
        ),
        poured(
            "a hydrograph that is a raster",
            |w| {
                std::fs::copy(w.path("dem.tif"), w.path("q.csv")).unwrap();
            },
            Refused(&["source: 'q.csv', line 1: it is not text in UTF-8", "save it as CSV"]),
        ),
        poured(
            "times that go back after an hour",
            |w| w.file("q.csv", "time,flow [m3/s]\n00:00,0\n00:59,2\n00:00,1\n"),
            Refused(&["source: 'q.csv', line 4", "00:00"]),
        ),
        run(
            "a tide below the bed",
            |w| w.file("tide.csv", "time [h],level [m]\n0,1\n1,2\n"),
            "--level east,tide.csv --initial-depth '0.1 m' --duration 5min",
            Warned(&["level: ", "never rises above the bed"]),
        ),
        run(
            "a tide with a hole",
            |w| w.file("tide.csv", "time [h],level [m]\n0,111\n1,NaN\n2,112\n"),
            "--level east,tide.csv --duration 5min",
            Warned(&["level: 'tide.csv' has no value in 1 of its 3 lines", "line 3 (1 h: 'NaN')"]),
        ),
        run(
            "gauges with degrees in a table",
            |w| w.file("g.csv", "name,x,y\na,15.0003,45.153\n"),
            "--gauges g.csv --initial-depth '0.1 m' --duration 1min",
            Refused(&["gauges: 'a' (15.0003, 45.153) is outside the DEM", "looks like degrees"]),
        ),
        run(
            "gauges of one name in a table",
            |w| w.file("g.csv", "id,x,y\n7,500025,4999975\n7,500055,4999975\n"),
            "--gauges g.csv --initial-depth '0.1 m' --duration 1min",
            Refused(&["gauges: two are called '7'"]),
        ),
        run(
            "a table as drainage",
            |w| w.file("d.csv", "Time (s),Drainage losses (mm/hr)\n0,12\n"),
            "--drainage d.csv --rain '20 mm/h' --duration 5min",
            Refused(&["drainage: 'd.csv' is a table", "3 mm/h"]),
        ),
        run(
            "a table of losses with decimal commas",
            |w| {
                w.raster("soil.tif", &crate::cli_common::Raster::new(12, 8, |_, _| 1.0));
                w.file("t.csv", "class,infiltration_mm_h\n1,\"2,5\"\n");
            },
            "--loss-classes soil.tif --loss-table t.csv --rain '20 mm/h' --duration 5min",
            Refused(&["loss_table: 't.csv', line 2", "2,5"]),
        ),
        run(
            "Green and Ampt without a deficit in the table",
            |w| {
                w.raster("soil.tif", &crate::cli_common::Raster::new(12, 8, |_, _| 1.0));
                w.file(
                    "t.csv",
                    "class,green_ampt_conductivity_mm_h,green_ampt_suction_mm\n1,5,100\n",
                );
            },
            "--loss-classes soil.tif --loss-table t.csv --rain '20 mm/h' --duration 5min",
            Refused(&["loss_table: 't.csv', line 2", "green_ampt_deficit"]),
        ),
        run(
            "a rating that falls",
            |w| {
                w.file("r.csv", "head [m],flow [m3/s]\n0,0\n1,2\n2,1\n");
                w.file(
                    "l.csv",
                    "x1,y1,x2,y2,kind,rating\n500025,4999975,500055,4999975,culvert,r.csv\n",
                );
            },
            "--links l.csv --initial-depth '0.1 m' --duration 1min",
            Warned(&["links: the flow of 'r.csv' falls from a head of 1 m to 2 m"]),
        ),
    ]
}

//! Options that are out of range, or incompatible.

use crate::bad_corpus::harness::Expect::{self, Refused, Warned};
use crate::bad_corpus::harness::{Case, run};

/// Returns a case with a minute of rain and further arguments.
fn rained(name: &'static str, more: &str, expect: Expect) -> Case {
    run(name, |_| {}, &format!("--rain '20 mm/h' --duration 1min {more}"), expect)
}

pub fn cases() -> Vec<Case> {
    vec![
        rained(
            "a gauge at a number of 300 digits",
            "--gauges 1e300,5,far",
            Refused(&["gauges: 'far' (1e300, 5) is outside the DEM"]),
        ),
        rained(
            "an alpha below 0",
            "--step 10s --alpha -0.2",
            Refused(&["alpha: -0.2 is out of range"]),
        ),
        rained(
            "an alpha for a solver that has none",
            "--alpha 0.2",
            Refused(&["alpha: 'shallow-water' has no relaxation"]),
        ),
        rained(
            "Horton with less at first",
            "--horton-first '5 mm/h' --horton-last '50 mm/h' --horton-decay '4 1/h'",
            Refused(&["horton_first: 5 mm/h is less than horton_last"]),
        ),
        rained(
            "a decay in minutes",
            "--horton-first '50 mm/h' --horton-last '5 mm/h' --horton-decay '15 min'",
            Refused(&["horton_decay: '15 min'", "1/h"]),
        ),
        rained(
            "a curve number above 100",
            "--curve-number 120",
            Refused(&["curve_number: '120' is out of range"]),
        ),
        rained(
            "a deficit below 0",
            "--green-ampt-conductivity '5 mm/h' --green-ampt-suction '100 mm' \
             --green-ampt-deficit -0.3",
            Refused(&["green_ampt_deficit: '-0.3' is out of range"]),
        ),
        rained(
            "a suction below 0",
            "--green-ampt-conductivity '5 mm/h' --green-ampt-suction '-100 mm' \
             --green-ampt-deficit 0.3",
            Refused(&["green_ampt_suction: '-100 mm' is negative"]),
        ),
        rained(
            "an outflow slope that rises",
            "--outflow-slope south,-0.001",
            Refused(&["outflow_slope: a slope of -0.001"]),
        ),
        rained(
            "an outflow slope in percent",
            "--outflow-slope 'south,2 %'",
            Refused(&["outflow_slope: 'south,2 %' is not a slope"]),
        ),
        rained(
            "a side both open and closed",
            "--open south --closed south",
            Refused(&["closed: the side south is also open"]),
        ),
        rained(
            "a side that is none",
            "--open southwest",
            Refused(&["open: 'southwest' is neither a value"]),
        ),
        rained(
            "an arrival depth of miles",
            "--arrival-depth '3 km'",
            Refused(&["arrival_depth: '3 km'"]),
        ),
        rained(
            "an arrival depth twice",
            "--arrival-depth '0.3 m,30 cm'",
            Refused(&["arrival_depth: 0.3 m is given twice"]),
        ),
        rained(
            "a layer that the solver does not know",
            "--step 10s --layers max_velocity",
            Refused(&["layers: 'max_velocity': the solver has no physical time"]),
        ),
        rained(
            "a source without a comma",
            "--source '500025 4999975 2 m3/s'",
            Refused(&["source: '500025 4999975 2 m3/s'", "x,y,Q"]),
        ),
        rained(
            "a source with decimal commas",
            "--source '500025,5,4999975,5,2 m3/s'",
            Refused(&["source: '500025,5,4999975,5,2 m3/s' is neither a point nor a file"]),
        ),
        rained(
            "a source in degrees",
            "--source '15.0003,45.153,2 m3/s'",
            Refused(&[
                "source: the point (15.0003, 45.153) is outside the DEM",
                "looks like degrees",
            ]),
        ),
        rained(
            "a level on a side that is none",
            "--level 'top,3 m'",
            Refused(&["level: 'top,3 m'"]),
        ),
        rained(
            "a rain factor of 0",
            "--rain-factor 0",
            Warned(&["rain_factor: a factor of 0 leaves no rain"]),
        ),
        rained(
            "a rain factor in percent",
            "--rain-factor 95",
            Warned(&["rain_factor: all rain is multiplied by 95", "0.95"]),
        ),
        rained(
            "more memory than there is",
            "--device cuda --device-memory lots",
            Refused(&["device_memory: 'lots'"]),
        ),
        rained("a tile larger than the map", "--tile 9999999x9999999", Expect::Taken),
        rained("a NoData value that is the whole terrain", "--nodata nan", Expect::Taken),
        rained(
            "a height unit that is none",
            "--height-unit furlong",
            Refused(&["height_unit: 'furlong' is not a unit of height"]),
        ),
    ]
}

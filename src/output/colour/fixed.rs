//! Colour scales with fixed classes.

use super::scale::{Class, Scale, ScaleKind};
use super::{Blend, palette};

/// Hazard ratings in the classes of DEFRA and Environment Agency, FD2320/TR2 (2005), table 13.1; the
/// highest one is divided if ratings are far above it.
pub static HAZARD: Scale = Scale {
    name: "hazard",
    kind: ScaleKind::Ratings(
        &[
            (0.0, "dry", [0xa6, 0xd9, 0x6a, 0]),
            (0.75, "low: caution (below 0.75)", [0xa6, 0xd9, 0x6a, 215]),
            (1.25, "moderate: danger for some (0.75 to 1.25)", [0xfe, 0xe0, 0x8b, 230]),
            (2.0, "significant: danger for most (1.25 to 2)", [0xf4, 0x6d, 0x43, 240]),
        ],
        "extreme: danger for all",
    ),
    palette: palette::EXTREME,
};
/// Hazard classes H1 to H6 of the Australian Institute for Disaster Resilience, Guideline 7-3
/// (2017).
pub static AIDR: Scale = classes(
    "aidr",
    Blend::Exact,
    &[
        (0.0, "dry", [0xa6, 0xce, 0xe3, 0]),
        (1.0, "H1: generally safe", [0xa6, 0xce, 0xe3, 230]),
        (2.0, "H2: unsafe for small vehicles", [0x7f, 0xc9, 0x7f, 230]),
        (3.0, "H3: unsafe for vehicles, children and the elderly", [0xff, 0xeb, 0x7f, 230]),
        (4.0, "H4: unsafe for people and vehicles", [0xfd, 0xae, 0x61, 230]),
        (
            5.0,
            "H5: unsafe for people and vehicles; buildings need special design",
            [0xe6, 0x55, 0x0d, 230],
        ),
        (
            6.0,
            "H6: unsafe for people and vehicles; all buildings may fail",
            [0x8b, 0x1a, 0x1a, 230],
        ),
    ],
);
/// Shares of the runs of a study, 0 to 1.
pub static PROBABILITY: Scale = classes(
    "probability",
    Blend::UpTo,
    &[
        (0.0, "0 %", [0xff, 0xf7, 0xbc, 0]),
        (0.1, "up to 10 %", [0xff, 0xf7, 0xbc, 185]),
        (0.25, "10 – 25 %", [0xfe, 0xe3, 0x91, 208]),
        (0.5, "25 – 50 %", [0xfe, 0xc4, 0x4f, 222]),
        (0.75, "50 – 75 %", [0xfb, 0x7a, 0x2c, 235]),
        (0.9, "75 – 90 %", [0xd4, 0x3d, 0x1a, 245]),
        (1.0, "90 – 100 %", [0x7f, 0x0d, 0x26, 255]),
    ],
);
/// Annual exceedance probabilities, 0 to 1, in the classes of [`RETURN_PERIOD`]. A bound belongs to
/// the class above it, so the values of stops are slightly below the bounds.
pub static ANNUAL_PROBABILITY: Scale = classes(
    "annual_probability",
    Blend::UpTo,
    &[
        (0.0, "in no event", [0xff, 0xf7, 0xbc, 0]),
        (0.001_999_998, "below 0.2 % (above 500 years)", [0xff, 0xf7, 0xbc, 200]),
        (0.004_999_995, "0.2 – 0.5 % (200 – 500 years)", [0xff, 0xea, 0x9a, 210]),
        (0.009_999_99, "0.5 – 1 % (100 – 200 years)", [0xfe, 0xd9, 0x76, 215]),
        (0.019_999_98, "1 – 2 % (50 – 100 years)", [0xfe, 0xb2, 0x4c, 225]),
        (0.049_999_95, "2 – 5 % (20 – 50 years)", [0xfd, 0x8d, 0x3c, 230]),
        (0.099_999_9, "5 – 10 % (10 – 20 years)", [0xf2, 0x5b, 0x2c, 235]),
        (0.199_999_8, "10 – 20 % (5 – 10 years)", [0xd7, 0x2a, 0x1e, 240]),
        (0.499_999_5, "20 – 50 % (2 – 5 years)", [0xa5, 0x0f, 0x26, 245]),
        (1.0, "50 % or more (2 years or less)", [0x5c, 0x06, 0x2e, 255]),
    ],
);
/// Return periods (years).
pub static RETURN_PERIOD: Scale = classes(
    "return_period",
    Blend::UpTo,
    &[
        (2.0, "2 years or less", [0x5c, 0x06, 0x2e, 255]),
        (5.0, "2 – 5 years", [0xa5, 0x0f, 0x26, 245]),
        (10.0, "5 – 10 years", [0xd7, 0x2a, 0x1e, 240]),
        (20.0, "10 – 20 years", [0xf2, 0x5b, 0x2c, 235]),
        (50.0, "20 – 50 years", [0xfd, 0x8d, 0x3c, 230]),
        (100.0, "50 – 100 years", [0xfe, 0xb2, 0x4c, 225]),
        (200.0, "100 – 200 years", [0xfe, 0xd9, 0x76, 215]),
        (500.0, "200 – 500 years", [0xff, 0xea, 0x9a, 210]),
        (f64::INFINITY, "above 500 years", [0xff, 0xf7, 0xbc, 200]),
    ],
);
/// Agreement of a simulated depth with an observed extent: 0 dry in both, 1 hit, 2 false alarm, 3
/// miss.
pub static AGREEMENT: Scale = classes(
    "agreement",
    Blend::Exact,
    &[
        (0.0, "dry in both", [0xff, 0xff, 0xff, 0]),
        (1.0, "hit", [0x20, 0x70, 0xb8, 230]),
        (2.0, "false alarm", [0xe0, 0x82, 0x14, 230]),
        (3.0, "miss", [0xb2, 0x18, 0x2b, 230]),
    ],
);

const fn classes(name: &'static str, blend: Blend, classes: &'static [Class]) -> Scale {
    Scale { name, kind: ScaleKind::Classes(blend, classes), palette: &[] }
}

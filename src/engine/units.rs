//! Quantities with units, as they are written on the command line and in scenario files.
//!
//! Everything becomes SI here, at the edge: metres, seconds, m³/s. A bare number is SI, except for
//! rain, where SI is m/s, nobody means it, and a forgotten unit would be a catastrophe.

use crate::error::{Error, Result};

/// No level of ground or water is farther from the DEM's zero (m).
pub const HIGHEST: f64 = 32_000.0;

/// A duration (s).
pub type Second = f64;
/// A length or depth (m).
pub type Metre = f64;

/// What a rate is counted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Per second; needs steps with a duration.
    Second,
    /// Per step of an automaton without a duration.
    Step,
}

/// A rate: m/s or m per step for rain, m³/s or m³ per step for inflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Amount per second or per step.
    pub value: f64,
    /// Second or step.
    pub per: Per,
}

const INCH: Metre = 0.0254;
const FOOT: Metre = 0.3048;

const DURATIONS: &[(&str, Second)] = &[
    ("s", 1.0),
    ("sec", 1.0),
    ("min", 60.0),
    ("m", 60.0),
    ("h", 3600.0),
    ("hours", 3600.0),
    ("hour", 3600.0),
    ("d", 86400.0),
    ("day", 86400.0),
    ("days", 86400.0),
    ("seconds", 1.0),
    ("minutes", 60.0),
];
const BYTES: &[(&str, f64)] = &[
    ("GiB", 1_073_741_824.0),
    ("MiB", 1_048_576.0),
    ("KiB", 1024.0),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("B", 1.0),
];
const DEPTHS: &[(&str, Metre)] =
    &[("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", INCH), ("ft", FOOT)];
const RAINS: &[(&str, f64, Per)] = &[
    ("mm/h", 0.001 / 3600.0, Per::Second),
    ("mm/hr", 0.001 / 3600.0, Per::Second),
    ("mm/min", 0.001 / 60.0, Per::Second),
    ("mm/day", 0.001 / 86400.0, Per::Second),
    ("mm/d", 0.001 / 86400.0, Per::Second),
    ("in/h", INCH / 3600.0, Per::Second),
    ("in/hr", INCH / 3600.0, Per::Second),
    ("cm/h", 0.01 / 3600.0, Per::Second),
    ("in/day", INCH / 86400.0, Per::Second),
    ("m/s", 1.0, Per::Second),
    ("mm/s", 0.001, Per::Second),
    ("mm/step", 0.001, Per::Step),
    ("m/step", 1.0, Per::Step),
];
/// Rates of decay (1/s).
const DECAYS: &[(&str, f64)] = &[
    ("1/h", 1.0 / 3600.0),
    ("/h", 1.0 / 3600.0),
    ("1/min", 1.0 / 60.0),
    ("/min", 1.0 / 60.0),
    ("1/day", 1.0 / 86400.0),
    ("/day", 1.0 / 86400.0),
    ("1/s", 1.0),
    ("/s", 1.0),
];
/// Units of rain as NetCDF and GRIB files spell them; a kilogram of water on a square metre is a millimetre.
const SPELLINGS: &[(&str, &str)] = &[
    ("mm h-1", "mm/h"),
    ("mm hr-1", "mm/h"),
    ("mm h^-1", "mm/h"),
    ("mm/hour", "mm/h"),
    ("mm s-1", "mm/s"),
    ("mm d-1", "mm/day"),
    ("mm day-1", "mm/day"),
    ("m s-1", "m/s"),
    ("kg m-2", "mm"),
    ("kg/m2", "mm"),
    ("kg/m^2", "mm"),
    ("kg m**-2", "mm"),
    ("kg m-2 s-1", "mm/s"),
    ("kg/m2/s", "mm/s"),
    ("kg m**-2 s**-1", "mm/s"),
    ("inches", "in"),
    ("millimeter", "mm"),
    ("millimeters", "mm"),
];
/// Depths in which rain is counted.
const RAIN_DEPTHS: [&str; 4] = ["mm", "cm", "m", "in"];
const FLOWS: &[(&str, f64, Per)] = &[
    ("m3/s", 1.0, Per::Second),
    ("m³/s", 1.0, Per::Second),
    ("l/s", 0.001, Per::Second),
    ("m3/h", 1.0 / 3600.0, Per::Second),
    ("ft3/s", FOOT * FOOT * FOOT, Per::Second),
    ("cfs", FOOT * FOOT * FOOT, Per::Second),
    ("m3/step", 1.0, Per::Step),
    ("m³/step", 1.0, Per::Step),
];

/// Splits a text into its leading number and the rest, trimmed.
fn number_and_rest(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let like_a_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let longest = text.find(|c| !like_a_number(c)).unwrap_or(text.len());
    (1..=longest).rev().find_map(|end| {
        let value = text[..end].parse::<f64>().ok()?;
        Some((value, text[end..].trim_start()))
    })
}

fn not_a(what: &str, text: &str, example: &str) -> Error {
    Error::input(format!("'{text}' is not {what}")).hint(format!("write it like \"{example}\""))
}

fn unknown_unit(what: &str, text: &str, unit: &str, known: &[&str]) -> Error {
    let problem = if unit.is_empty() {
        format!("'{text}' has no unit")
    } else {
        format!("'{text}': '{unit}' is not a unit of {what}")
    };
    Error::input(problem).hint(format!("units of {what}: {}", known.join(", ")))
}

fn finite_not_negative(value: f64, text: &str) -> Result<f64> {
    if !value.is_finite() {
        return Err(Error::input(format!("'{text}' is not a finite number")));
    }
    // -0 as well.
    if value.is_sign_negative() {
        return Err(Error::input(format!("'{text}' is negative")).hint("give a value of 0 or more"));
    }
    Ok(value)
}

/// A duration like `6h`, `90 min`, `1h30m`, `01:30`, `00:00:30` or a bare number of seconds; ≥ 0.
pub fn parse_duration(text: &str) -> Result<Second> {
    let what = "a duration";
    if text.contains(':') {
        return parse_clock(text).ok_or_else(|| not_a(what, text, "01:30:00"));
    }
    let mut rest = text.trim();
    let mut total = 0.0;
    let mut parts = 0;
    let mut before = f64::INFINITY;
    while !rest.is_empty() {
        let (value, after) = number_and_rest(rest).ok_or_else(|| not_a(what, text, "6h"))?;
        if after.is_empty() && parts == 0 {
            total = value;
            rest = after;
        } else {
            let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            let unit = &after[..end];
            let seconds = DURATIONS.iter().find(|(name, _)| *name == unit).map(|(_, s)| s);
            let known: Vec<&str> = DURATIONS.iter().map(|(name, _)| *name).collect();
            let seconds = *seconds.ok_or_else(|| unknown_unit("time", text, unit, &known))?;
            // Hours come before minutes, and once.
            if seconds >= before {
                return Err(not_a(what, text, "1h30m"));
            }
            before = seconds;
            total += value * seconds;
            rest = after[end..].trim_start();
        }
        finite_not_negative(value, text)?;
        parts += 1;
    }
    if parts == 0 {
        return Err(not_a(what, text, "6h"));
    }
    finite_not_negative(total, text)
}

/// `hh:mm` or `hh:mm:ss`.
fn parse_clock(text: &str) -> Option<Second> {
    let parts: Vec<u32> =
        text.trim().split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [h, m] if m < 60 => Some(f64::from(h) * 3600.0 + f64::from(m) * 60.0),
        [h, m, s] if m < 60 && s < 60 => {
            Some(f64::from(h) * 3600.0 + f64::from(m) * 60.0 + f64::from(s))
        }
        _ => None,
    }
}

/// A depth like `0.5 m`, `20 cm` or a bare number of metres; ≥ 0.
pub fn parse_depth(text: &str) -> Result<Metre> {
    finite_not_negative(parse_length(text, "depth")?, text)
}

/// A water level above the DEM's zero like `2.4 m`, `-3 ft` or a bare number of metres.
pub fn parse_level(text: &str) -> Result<Metre> {
    let level = parse_length(text, "level")?;
    if level.abs() > HIGHEST {
        return Err(Error::input(format!("'{text}' is no height on Earth")));
    }
    Ok(level)
}

fn parse_length(text: &str, what: &str) -> Result<Metre> {
    let (value, unit) =
        number_and_rest(text).ok_or_else(|| not_a(&format!("a {what}"), text, "0.5 m"))?;
    let known: Vec<&str> = DEPTHS.iter().map(|(name, _)| *name).collect();
    let metres = match unit {
        "" => 1.0,
        unit => DEPTHS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, metres)| *metres)
            .ok_or_else(|| unknown_unit(what, text, unit, &known))?,
    };
    Ok(value * metres)
}

fn parse_rate(text: &str, what: &str, example: &str, units: &[(&str, f64, Per)]) -> Result<Rate> {
    let article = format!("a rate of {what}");
    let known: Vec<&str> = units.iter().map(|(name, ..)| *name).collect();
    let (value, unit) = number_and_rest(text).ok_or_else(|| {
        let units = format_args!("; units of {what}: {}", known.join(", "));
        not_a(&article, text, example).hint_also(units)
    })?;
    let found = units.iter().find(|(name, ..)| *name == unit);
    let (_, factor, per) = found.ok_or_else(|| unknown_unit(what, text, unit, &known))?;
    Ok(Rate { value: finite_not_negative(value * factor, text)?, per: *per })
}

/// Rain as it is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RainUnit {
    /// A rate: the factor to m per second or step.
    Rate(Rate),
    /// A depth that falls in an interval: the factor to metres.
    Depth(Metre),
}

/// A unit of rain: a rate like `mm/h`, `in/h` or `mm/15min`, or a depth like `mm` per interval.
pub fn parse_rain_unit(unit: &str) -> Result<RainUnit> {
    let plain = unit.trim();
    let spelled = SPELLINGS.iter().find(|(name, _)| *name == plain);
    let plain = spelled.map_or(plain, |(_, unit)| unit);
    if let Some((_, factor, per)) = RAINS.iter().find(|(name, ..)| *name == plain) {
        return Ok(RainUnit::Rate(Rate { value: *factor, per: *per }));
    }
    let depth = |name: &str| {
        let known = DEPTHS.iter().find(|(known, _)| *known == name && RAIN_DEPTHS.contains(&name));
        known.map(|(_, metres)| *metres)
    };
    if let Some(metres) = depth(plain) {
        return Ok(RainUnit::Depth(metres));
    }
    // A depth in an interval: mm/15min, in/6h.
    let rate = plain.split_once('/').and_then(|(length, interval)| {
        let metres = depth(length.trim())?;
        let interval = interval.trim();
        let seconds = match interval.starts_with(|c: char| c.is_ascii_digit()) {
            true if interval.ends_with(char::is_alphabetic) => parse_duration(interval).ok()?,
            true => return None,
            false => parse_duration(&format!("1 {interval}")).ok()?,
        };
        (seconds > 0.0).then_some(Rate { value: metres / seconds, per: Per::Second })
    });
    rate.map(RainUnit::Rate).ok_or_else(|| {
        Error::input(format!("'{unit}' is not a unit of rain")).hint(format!(
            "units of rain: {}; {} in an interval",
            rain_units().join(", "),
            RAIN_DEPTHS.join(", ")
        ))
    })
}

/// The units of rates of rain, for messages.
pub fn rain_units() -> Vec<&'static str> {
    RAINS.iter().map(|(name, ..)| *name).chain(["mm/15min"]).collect()
}

/// Rain like `50 mm/h`, `4 mm/15min` or, in an interval that is not said, `4 mm`; the unit is required.
pub fn parse_rain_amount(text: &str) -> Result<RainUnit> {
    let (value, unit) = number_and_rest(text).ok_or_else(|| {
        let units = format_args!("; units of rain: {}", rain_units().join(", "));
        not_a("a rate of rain", text, "50 mm/h").hint_also(units)
    })?;
    let known = rain_units();
    let counted = parse_rain_unit(unit).map_err(|_| unknown_unit("rain", text, unit, &known))?;
    Ok(match counted {
        RainUnit::Rate(Rate { value: factor, per }) => {
            RainUnit::Rate(Rate { value: finite_not_negative(value * factor, text)?, per })
        }
        RainUnit::Depth(factor) => RainUnit::Depth(finite_not_negative(value * factor, text)?),
    })
}

/// A rain rate like `50 mm/h`, `4 mm/15min` or `0.2 mm/step`; the unit is required.
pub fn parse_rain(text: &str) -> Result<Rate> {
    match parse_rain_amount(text)? {
        RainUnit::Rate(rate) => Ok(rate),
        RainUnit::Depth(_) => {
            let (_, unit) = number_and_rest(text).unwrap_or_default();
            Err(unknown_unit("rain", text, unit, &rain_units()))
        }
    }
}

/// What the ground or sewers can take, like `12 mm/h` (m/s); the unit is required.
pub(crate) fn parse_capacity(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, "infiltration", "12 mm/h", RAINS)?)
}

/// What evaporates, like `5 mm/day` (m/s); the unit is required.
pub fn parse_evaporation(text: &str) -> Result<f64> {
    lasting(text, parse_rate(text, "evaporation", "5 mm/day", RAINS)?)
}

/// A rate that cannot be one per step.
fn lasting(text: &str, rate: Rate) -> Result<f64> {
    match rate.per {
        Per::Second => Ok(rate.value),
        Per::Step => Err(Error::input(format!("'{text}' is a rate per step"))
            .hint("give a rate in time, in mm/h for example")),
    }
}

/// A depth that is lost, or a suction head, like `5 mm` (m); the unit is required, since a forgotten one
/// would lose thousands of times too much.
pub(crate) fn parse_loss(text: &str) -> Result<Metre> {
    if let Some((_, "")) = number_and_rest(text) {
        return Err(Error::input(format!("'{text}' has no unit")).hint("write it like \"5 mm\""));
    }
    finite_not_negative(parse_length(text, "depth")?, text)
}

/// How fast something decays, like `4 1/h` (1/s); the unit is required.
pub(crate) fn parse_decay(text: &str) -> Result<f64> {
    let (value, unit) = number_and_rest(text).ok_or_else(|| not_a("a decay", text, "4 1/h"))?;
    let known: Vec<&str> = DECAYS.iter().map(|(name, _)| *name).collect();
    let found = DECAYS.iter().find(|(name, _)| *name == unit);
    let (_, factor) = found.ok_or_else(|| unknown_unit("decay", text, unit, &known))?;
    finite_not_negative(value * factor, text)
}

/// An inflow like `20 m3/s` or `5 m3/step`; a bare number is m³/s.
pub fn parse_flow(text: &str) -> Result<Rate> {
    if let Some((value, "")) = number_and_rest(text) {
        return Ok(Rate { value: finite_not_negative(value, text)?, per: Per::Second });
    }
    parse_rate(text, "flow", "20 m3/s", FLOWS)
}

/// An amount of memory like `2GiB`, `500 MB` or a bare number of bytes; more than 0.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let what = "an amount of memory";
    let (value, unit) = number_and_rest(text).ok_or_else(|| not_a(what, text, "2GiB"))?;
    let known: Vec<&str> = BYTES.iter().map(|(name, _)| *name).collect();
    let factor = match unit {
        "" => 1.0,
        unit => BYTES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .map(|(_, bytes)| *bytes)
            .ok_or_else(|| unknown_unit("memory", text, unit, &known))?,
    };
    let bytes = finite_not_negative(value * factor, text)?;
    if bytes < 1.0 { Err(not_a(what, text, "2GiB")) } else { Ok(bytes as u64) }
}

/// An amount of memory for people: `1.4 GiB`.
pub fn show_bytes(bytes: u64) -> String {
    const TIB: f64 = 1_099_511_627_776.0;
    match bytes as f64 {
        b if b >= TIB * 1_048_576.0 => format!("{:.1} EiB", b / TIB / 1_048_576.0),
        b if b >= TIB => format!("{:.1} TiB", b / TIB),
        b if b >= 1_073_741_824.0 => format!("{:.1} GiB", b / 1_073_741_824.0),
        b if b >= 1_048_576.0 => format!("{:.1} MiB", b / 1_048_576.0),
        b => format!("{:.1} KiB", b / 1024.0),
    }
}

/// A duration for people: `6 h`, `1 h 30 min`, `45 s`.
pub fn show_duration(seconds: Second) -> String {
    let whole = seconds.round() as u64;
    if (seconds - whole as f64).abs() > 1e-6 && seconds < 60.0 {
        return format!("{seconds:.3} s");
    }
    let parts = [(whole / 3600, "h"), (whole % 3600 / 60, "min"), (whole % 60, "s")];
    let shown: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect();
    if shown.is_empty() { "0 s".into() } else { shown.join(" ") }
}

/// A volume (m³) for people, with a thin unit and sensible digits.
pub fn show_volume(cubic_metres: f64) -> String {
    let size = cubic_metres.abs();
    let decimals = if size >= 1000.0 {
        0
    } else if size >= 1.0 {
        2
    } else {
        6
    };
    format!("{cubic_metres:.decimals$} m³")
}

/// A depth of rain (mm) for people.
pub fn show_rain(millimetres: f64) -> String {
    let decimals = if millimetres >= 100.0 { 0 } else { 1 };
    if millimetres > 0.0 && millimetres < 0.1 {
        return format!("{millimetres:.2e} mm");
    }
    format!("{millimetres:.decimals$} mm")
}

/// A large count for people: `12.3 M`.
pub fn show_count(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.2} G", c / 1e9),
        c if c >= 1e6 => format!("{:.1} M", c / 1e6),
        c if c >= 1e4 => format!("{:.1} k", c / 1e3),
        c => format!("{c:.0}"),
    }
}

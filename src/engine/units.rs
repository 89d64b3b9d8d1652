//! Units of all numbers, which are SI throughout, and their formatting for people.

/// Greatest distance of ground or water level from the DEM's zero (m).
pub const HIGHEST: f64 = 32_000.0;

/// A duration in seconds (s).
pub type Second = f64;
/// A length or depth in metres (m).
pub type Metre = f64;

/// A volume in cubic metres (m³).
pub type CubicMetre = f64;

/// Formats an amount of memory for people: `1.4 GiB`.
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

/// Formats a duration for people: `6 h`, `1 h 30 min`, `45 s`.
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

/// Formats a volume (m³) for people, with sensible digits.
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

/// Formats a depth of rain (mm) for people.
pub fn show_rain(millimetres: f64) -> String {
    let decimals = if millimetres >= 100.0 { 0 } else { 1 };
    if millimetres > 0.0 && millimetres < 0.1 {
        return format!("{millimetres:.2e} mm");
    }
    format!("{millimetres:.decimals$} mm")
}

/// Formats a large count for people: `12.3 M`.
pub fn show_count(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.2} G", c / 1e9),
        c if c >= 1e6 => format!("{:.1} M", c / 1e6),
        c if c >= 1e4 => format!("{:.1} k", c / 1e3),
        c => format!("{c:.0}"),
    }
}

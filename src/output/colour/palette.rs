//! Colours of each quantity, from its least to its greatest value: red, green, blue and opacity in
//! hexadecimal digits.

use super::Colour;

/// Colours to interpolate between.
pub type Palette = &'static [u32];

/// Depths: light to dark blue.
pub const DEPTH: Palette =
    &[0xd3ebfbaa, 0xa6d4f2c3, 0x70b5e6d7, 0x4093d3e1, 0x2070b8eb, 0x0c4c94f5, 0x08244fff];
/// Speeds: from yellow to dark red.
pub const VELOCITY: Palette =
    &[0xfff3b8a0, 0xfee391c8, 0xfec44fdc, 0xf98b2deb, 0xd7301ff5, 0x7f0000ff];
/// Discharges: from green over blue to violet.
pub const DISCHARGE: Palette =
    &[0xe5f5e0a0, 0xbae4bcc8, 0x7bccc4d7, 0x43a2cae6, 0x2171b5f0, 0x54278ffa, 0x3f007dff];
/// Velocities along an axis: violet to the west and south, red to the east and north.
pub const BOTH_WAYS: Palette = &[
    0x4d004bff, 0x810f7cfa, 0x8c6bb1eb, 0x9ebcdad2, 0xd3dcec96, 0xf7f7f700, 0xfde8c896, 0xfdbb84d2,
    0xef6548eb, 0xb30000fa, 0x67000dff,
];
/// Differences, as in maps of afflux: blue for lower, white for zero, red for deeper.
pub const DIFFERENCE: Palette = &[
    0x053061e6, 0x2166ace6, 0x4393c3e6, 0x92c5dee6, 0xd1e5f0e6, 0xffffff00, 0xfddbc7e6, 0xf4a582e6,
    0xd6604de6, 0xb2182be6, 0x67001fe6,
];
/// Hazard ratings of the highest class: from dark red over violet to nearly black.
pub const EXTREME: Palette = &[0xa50026ff, 0x8e0a8bff, 0x1f0038ff];
/// Arrival times, from dark (early) to light (late).
pub const ARRIVAL: Palette =
    &[0x1d1147ff, 0x641a80ff, 0xa3307eff, 0xe14d66ff, 0xfb8861ff, 0xfed799ff];
/// Times of the greatest depth, from blue (early) to yellow (late).
pub const TIME_OF_MAX: Palette =
    &[0x0d0887e6, 0x6a00a8e6, 0xb12a90e6, 0xe16462e6, 0xfca636e6, 0xf0f921e6];
/// Durations: from pale to violet.
pub const DURATION: Palette =
    &[0xdfe8f2a0, 0xbfd3e6c8, 0x9ebcdad7, 0x8c96c6e6, 0x8856a7f0, 0x6d016bfa];
/// Levels of the water surface.
pub const LEVEL: Palette =
    &[0x440154e1, 0x414487e1, 0x2a788ee1, 0x22a884e1, 0x7ad151e1, 0xfde725e1];
/// Infiltration: from sand to green.
pub const INFILTRATION: Palette =
    &[0xefdfb0a0, 0xdfc27d8c, 0xa6c28a9b, 0x5ab4acaa, 0x1f8a80b9, 0x01665ec8];
/// Heights of the terrain: pale tints.
pub const TERRAIN: Palette =
    &[0xe4ecdcff, 0xeff0e2ff, 0xf5eeddff, 0xede0ccff, 0xe2d5c6ff, 0xf8f6f4ff];

/// Interpolates a palette at a position from 0 to 1.
pub fn at(palette: Palette, share: f64) -> Colour {
    let last = palette.len() - 1;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let before = (place as usize).min(last.saturating_sub(1));
    let after = (before + 1).min(last);
    let (from, to) = (palette[before].to_be_bytes(), palette[after].to_be_bytes());
    let share = place - before as f64;
    std::array::from_fn(|part| {
        let (from, to) = (f64::from(from[part]), f64::from(to[part]));
        (from + (to - from) * share).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palettes_begin_and_end_with_their_colours() {
        assert_eq!(at(DEPTH, 0.0), [0xd3, 0xeb, 0xfb, 0xaa]);
        assert_eq!(at(DEPTH, 1.0), [0x08, 0x24, 0x4f, 0xff]);
        assert_eq!(at(DEPTH, 0.5), [0x40, 0x93, 0xd3, 0xe1]);
        assert_eq!(at(DIFFERENCE, 0.5), [255, 255, 255, 0], "white at zero");
        assert_eq!(at(&[0x10203040], 0.7), [0x10, 0x20, 0x30, 0x40]);
    }
}

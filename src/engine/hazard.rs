//! Hazard of flowing water to people, from its depth (m) and speed (m/s).

/// Depth below which water is a film without a speed (m).
pub const FILM: f32 = 0.01;

/// Default depth up to which water is not a hazard (m): the shallowest depth of the tables by which
/// FD2320's supplementary note (2008, table 4) classifies hazard to people.
pub const SHALLOW: f64 = 0.05;

/// Depth from which debris counts in full (m).
pub const DEEP_DEBRIS: f32 = 0.25;

/// Returns the flood hazard rating h·(v + 0.5) + DF of DEFRA/EA R&D report FD2320 (2006), with the
/// debris factor DF of the supplementary note of 2008 for unknown land use: 0.5 up to a depth of
/// 0.25 m, 1 beyond.
#[inline(always)]
pub fn rating(depth: f32, speed: f32) -> f32 {
    let debris = if depth > DEEP_DEBRIS { 1.0 } else { 0.5 };
    depth * (speed + 0.5) + debris
}

/// Limits of the classes H1 to H5: depth (m), speed (m/s), and their product (m²/s).
pub const CLASSES: [[f32; 3]; 5] =
    [[0.3, 2.0, 0.3], [0.5, 2.0, 0.6], [1.2, 2.0, 0.6], [2.0, 2.0, 1.0], [4.0, 4.0, 4.0]];

/// Returns the combined hazard class of AIDR Guideline 7-3 (2017), table 2, after Smith, Davey &
/// Cox (2014): 1 (H1, generally safe) to 6 (H6, unsafe for all, buildings fail).
#[inline(always)]
pub fn class(depth: f32, speed: f32) -> f32 {
    let product = depth * speed;
    let mut class = 1.0;
    for [deepest, fastest, most] in CLASSES {
        // The limits are increasing, so a value within one is within all that follow.
        let beyond = (depth > deepest) | (speed > fastest) | (product > most);
        class += if beyond { 1.0 } else { 0.0 };
    }
    class
}

/// Returns the speed (m/s) of water with a given depth (m) and velocity from its edges (m/s): 0 for
/// a film. An edge's velocity belongs to its flow depth, not to the water left in a cell.
#[inline(always)]
pub fn speed(depth: f32, velocity: f32) -> f32 {
    if depth < FILM { 0.0 } else { velocity }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_and_classes_are_those_of_the_guides() {
        assert_eq!(rating(0.2, 1.0), 0.2 * 1.5 + 0.5);
        assert_eq!(rating(1.0, 2.0), 3.5);
        for (depth, speed, expected) in [
            (0.3, 1.0, 1.0),
            (0.3, 1.1, 2.0),
            (0.5, 1.0, 2.0),
            (1.2, 0.5, 3.0),
            (1.9, 0.5, 4.0),
            (0.1, 2.1, 5.0),
            (3.9, 1.0, 5.0),
            (4.1, 0.0, 6.0),
            (2.0, 2.1, 6.0),
        ] {
            assert_eq!(class(depth, speed), expected, "{depth} m, {speed} m/s");
        }
    }
}

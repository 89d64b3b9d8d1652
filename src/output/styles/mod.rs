//! The style of each quantity, by its name.

use crate::layers::Style;

/// Depths: blues, dry cells transparent.
pub const DEPTH: Style = Style::Fixed(include_str!("depth.qml"));
/// Arrival times, from dark (early) to light (late).
pub const ARRIVAL: Style = Style::Ranged(include_str!("arrival.qml"));
/// Levels of the water surface, over what is there.
pub const LEVEL: Style = Style::Between(include_str!("level.qml"));
/// When the water was deepest, from blue (early) to yellow (late).
pub const TIME_OF_MAX: Style = Style::Ranged(include_str!("time_of_max.qml"));
/// How long cells were wet.
pub const DURATION: Style = Style::Ranged(include_str!("duration.qml"));
/// Speeds (m/s).
pub const VELOCITY: Style = Style::Fixed(include_str!("velocity.qml"));
/// Velocities (m/s), east positive.
pub const VELOCITY_X: Style = Style::Fixed(include_str!("velocity_x.qml"));
/// Velocities (m/s), north positive.
pub const VELOCITY_Y: Style = Style::Fixed(include_str!("velocity_y.qml"));
/// Discharges per metre of width (m²/s).
pub const UNIT_DISCHARGE: Style = Style::Fixed(include_str!("unit_discharge.qml"));
/// Hazard ratings in the classes of DEFRA and Environment Agency, FD2320/TR2 (2005), table 13.1.
pub const HAZARD: Style = Style::Fixed(include_str!("hazard.qml"));
/// Hazard classes H1 to H6 of the Australian Institute for Disaster Resilience, Guideline 7-3 (2017).
pub const AIDR: Style = Style::Fixed(include_str!("aidr.qml"));
/// Depths that went into the ground.
pub const INFILTRATION: Style = Style::Ranged(include_str!("infiltration.qml"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::style::{self, HILLSHADE, LINES, POINTS, POLYGONS, TERRAIN};
    use quick_xml::events::Event;
    use quick_xml::reader::Reader;

    const ALL: [Style; 12] = [
        DEPTH,
        ARRIVAL,
        LEVEL,
        TIME_OF_MAX,
        DURATION,
        VELOCITY,
        VELOCITY_X,
        VELOCITY_Y,
        UNIT_DISCHARGE,
        HAZARD,
        AIDR,
        INFILTRATION,
    ];

    /// Values of the stops of a style, which must be whole and well-formed.
    fn stops(text: &str) -> Vec<f64> {
        assert!(!text.contains("{{"), "{text}");
        let mut reader = Reader::from_str(text);
        let mut stops = Vec::new();
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => return stops,
                Event::Empty(item) if item.name().as_ref() == "item" => {
                    let value = item.try_get_attribute("value").unwrap().unwrap();
                    stops.push(value.value.parse().unwrap());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn stops_go_up_over_any_range() {
        let ranges = [None, Some((0.0, 0.0)), Some((-3.0, 12.5)), Some((431.0, 431.0))];
        for style in ALL {
            for range in ranges {
                let stops = stops(&style::text(style, range, "h"));
                assert!(stops.len() >= 5 && stops.is_sorted_by(|a, b| a < b), "{stops:?}");
            }
        }
        let levels = stops(&style::text(LEVEL, Some((100.0, 150.0)), "m"));
        assert_eq!(levels, [100.0, 110.0, 120.0, 130.0, 140.0, 150.0]);
        let hours = stops(&style::text(DURATION, Some((2.0, 5.0)), "h"));
        assert_eq!((hours[0], hours[5]), (0.0, 5.0));
    }

    #[test]
    fn styles_without_stops_are_well_formed() {
        assert!(stops(&style::fill(HILLSHADE, &[("z", "0.3048".into())])).is_empty());
        assert_eq!(stops(&style::ranged(TERRAIN, (0.0, 5.0), "")).len(), 6);
        for style in [POINTS, LINES, POLYGONS] {
            let values = [("colour", "1,2,3".into()), ("fill", "0".into())];
            assert!(stops(&style::fill(style, &values)).is_empty());
        }
    }
}

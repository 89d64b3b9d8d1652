//! Maps values to the colours of a ramp.

use super::{Blend, Colour, NODATA, Ramp, Stop};

impl Ramp {
    /// Returns the visible stops.
    pub fn painted(&self) -> impl DoubleEndedIterator<Item = &Stop> {
        self.stops.iter().filter(|stop| stop.colour[3] > 0)
    }

    /// Returns the colour of a value; transparent for NoData.
    pub fn colour(&self, value: f32) -> Colour {
        if value == NODATA { [0; 4] } else { self.between(self.place(value)) }
    }

    /// Returns `count` colours from the first stop to the last; for classes, the class colours with
    /// the last one repeated.
    pub fn levels(&self, count: usize) -> Vec<Colour> {
        let last = self.stops.len() - 1;
        let place = |number: usize| match self.has_classes() {
            true => number.min(last) as f32,
            false => number as f32 / (count - 1) as f32 * last as f32,
        };
        (0..count).map(|number| self.between(place(number))).collect()
    }

    /// Returns the [level](Ramp::levels), out of `count`, nearest to a value; `None` if the value
    /// is not painted.
    pub fn level(&self, value: f32, count: usize) -> Option<usize> {
        if self.colour(value)[3] == 0 {
            return None;
        }
        let (place, last) = (self.place(value), (self.stops.len() - 1).max(1));
        Some(match self.has_classes() {
            true => (place as usize).min(count - 1),
            false => (place / last as f32 * (count - 1) as f32).round() as usize,
        })
    }

    /// Returns `true` if colours are not interpolated.
    fn has_classes(&self) -> bool {
        self.blend != Blend::Smooth
    }

    /// Returns the position of a value among the stops, where the first stop is at 0. Positions are
    /// clamped to the first and the last stop.
    fn place(&self, value: f32) -> f32 {
        let at = |stop: &Stop| stop.value as f32;
        let last = self.stops.len() - 1;
        if self.has_classes() {
            return self.stops.partition_point(|stop| at(stop) < value).min(last) as f32;
        }
        let after = self.stops.partition_point(|stop| at(stop) <= value);
        match (after.checked_sub(1), self.stops.get(after)) {
            (Some(before), Some(next)) => {
                let from = at(&self.stops[before]);
                before as f32 + (value - from) / (at(next) - from)
            }
            _ => after.min(last) as f32,
        }
    }

    /// Returns the colour at a position among the stops.
    fn between(&self, place: f32) -> Colour {
        let before = place as usize;
        let after = (before + 1).min(self.stops.len() - 1);
        let (from, to) = (self.stops[before].colour, self.stops[after].colour);
        std::array::from_fn(|part| {
            let (from, to) = (f32::from(from[part]), f32::from(to[part]));
            (from + (to - from) * place.fract()).round() as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::colour::quantities::{DEPTH, HAZARD, TERRAIN};

    #[test]
    fn colours_go_over_into_each_other_from_the_first_stop_to_the_last() {
        let ground = TERRAIN.ramp(Some((0.0, 500.0)), "m");
        assert_eq!(ground.colour(NODATA)[3], 0);
        let (first, second) = (ground.stops[0].colour[0], ground.stops[1].colour[0]);
        let half = ((u16::from(first) + u16::from(second)) as f32 / 2.0).round() as u8;
        assert_eq!(ground.colour(50.0)[0], half);
        assert_eq!(ground.colour(9000.0), ground.stops[5].colour);
    }

    #[test]
    fn dry_ground_is_not_painted_and_films_hardly() {
        let depth = DEPTH.ramp(Some((0.1, 3.0)), "m");
        assert_eq!(depth.colour(0.0)[3], 0);
        let (film, shallow, deep) = (depth.colour(0.03), depth.colour(0.2), depth.colour(90.0));
        assert!(0 < film[3] && film[3] < shallow[3] && shallow[3] < deep[3]);
        assert_eq!((deep[3], depth.colour(2.5)), (255, deep));
    }

    #[test]
    fn classes_are_not_blended() {
        let hazard = HAZARD.ramp(None, "");
        assert_eq!(hazard.colour(0.0)[3], 0);
        assert_eq!(hazard.colour(0.76), hazard.colour(1.25));
        assert_ne!(hazard.colour(0.75), hazard.colour(0.76));
        assert_eq!(hazard.colour(80.0), hazard.stops[4].colour);
        let json = serde_json::to_string(&hazard).unwrap();
        assert_eq!(serde_json::from_str::<Ramp>(&json).unwrap(), hazard, "{json}");
    }
}

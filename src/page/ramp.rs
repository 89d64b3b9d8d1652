//! The colours of a layer, from its style for QGIS.

use super::picture::Colour;
use crate::colour::NODATA;
use crate::error::{Error, Result};
use quick_xml::Reader;
use quick_xml::events::Event;

/// A colour at a value.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The value.
    pub value: f32,
    /// Its colour.
    pub colour: Colour,
    /// What the legend says.
    pub label: String,
}

/// The colours of values.
#[derive(Clone, Debug, Default)]
pub struct Ramp {
    /// Stops, their values ascending.
    pub stops: Vec<Stop>,
    /// Whether a stop colours the values up to it, down to the stop before, with no shades between.
    pub classes: bool,
}

impl Ramp {
    /// The ramp of a style (.qml).
    ///
    /// # Errors
    /// If it has none.
    pub fn of_style(qml: &str) -> Result<Ramp> {
        let mut reader = Reader::from_str(qml);
        let mut ramp = Ramp::default();
        loop {
            match reader.read_event() {
                Ok(Event::Eof) | Err(_) => break,
                Ok(Event::Start(shader)) if shader.name().as_ref() == "colorrampshader" => {
                    let kind = shader.try_get_attribute("colorRampType").ok().flatten();
                    ramp.classes = kind.is_some_and(|kind| kind.value != "INTERPOLATED");
                }
                Ok(Event::Empty(item) | Event::Start(item)) if item.name().as_ref() == "item" => {
                    let text = |key: &str| {
                        let attribute = item.try_get_attribute(key).ok().flatten()?;
                        Some(attribute.value.into_owned())
                    };
                    let stop = || {
                        let colour = text("color")?;
                        let part = |at: usize| u8::from_str_radix(colour.get(at..at + 2)?, 16).ok();
                        let opacity = text("alpha")?.parse().ok()?;
                        Some(Stop {
                            value: text("value")?.parse().ok()?,
                            colour: [part(1)?, part(3)?, part(5)?, opacity],
                            label: text("label")?,
                        })
                    };
                    ramp.stops.extend(stop());
                }
                Ok(_) => {}
            }
        }
        if ramp.stops.is_empty() {
            return Err(Error::run("cannot draw the maps of the report: a style has no colours"));
        }
        Ok(ramp)
    }

    /// Colours (CSS) that are seen, and what they stand for.
    pub fn legend(&self) -> Vec<(String, String)> {
        let shown = self.stops.iter().filter(|stop| stop.colour[3] > 0);
        let entry = |stop: &Stop| {
            let [red, green, blue, opacity] = stop.colour;
            let opacity = f32::from(opacity) / 255.0;
            (format!("rgba({red},{green},{blue},{opacity:.2})"), stop.label.clone())
        };
        shown.map(entry).collect()
    }

    /// So many colours from the first stop to the last; of classes those of the classes, the last repeated.
    pub fn levels(&self, count: usize) -> Vec<Colour> {
        let last = self.stops.len() - 1;
        let level = |number: usize| {
            if self.classes {
                return self.stops[number.min(last)].colour;
            }
            let place = number as f32 / (count - 1) as f32 * last as f32;
            let before = (place as usize).min(last);
            let (from, to) = (&self.stops[before], &self.stops[(before + 1).min(last)]);
            self.colour(from.value + (to.value - from.value) * (place - before as f32))
        };
        (0..count).map(level).collect()
    }

    /// Which of so many [levels](Ramp::levels) is nearest to a value; none where it is not painted.
    pub fn level(&self, value: f32, count: usize) -> Option<usize> {
        if self.colour(value)[3] == 0 {
            return None;
        }
        let last = self.stops.len() - 1;
        if self.classes {
            let class = self.stops.partition_point(|stop| stop.value < value);
            return Some(class.min(last).min(count - 1));
        }
        let after = self.stops.partition_point(|stop| stop.value <= value);
        let place = match (after.checked_sub(1), self.stops.get(after)) {
            (Some(before), Some(next)) => {
                let from = self.stops[before].value;
                before as f32 + (value - from) / (next.value - from)
            }
            _ => after.min(last) as f32,
        };
        Some((place / last.max(1) as f32 * (count - 1) as f32).round() as usize)
    }

    /// The colour of a value; none for NoData.
    pub fn colour(&self, value: f32) -> Colour {
        if value == NODATA {
            return [0; 4];
        }
        if self.classes {
            let class = self.stops.partition_point(|stop| stop.value < value);
            return self.stops[class.min(self.stops.len() - 1)].colour;
        }
        let after = self.stops.partition_point(|stop| stop.value <= value);
        let (Some(before), Some(after)) =
            (after.checked_sub(1).map(|at| &self.stops[at]), self.stops.get(after))
        else {
            // Below the first and above the last there is no more to interpolate.
            return self.stops[after.min(self.stops.len() - 1)].colour;
        };
        let share = (value - before.value) / (after.value - before.value);
        std::array::from_fn(|part| {
            let (from, to) = (f32::from(before.colour[part]), f32::from(after.colour[part]));
            (from + (to - from) * share).round() as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Scale;
    use crate::layers::{ARRIVAL_TIME, LAYERS, MAX_DEPTH, MAX_HAZARD};

    fn of(scale: &Scale, range: (f64, f64), unit: &str) -> Ramp {
        Ramp::of_style(&scale.ramp(Some(range), unit).to_qml()).unwrap()
    }

    #[test]
    fn the_styles_of_the_maps_have_ramps() {
        for layer in LAYERS {
            let ramp = layer.scale.ramp(Some((0.1, 4.0)), "m");
            let read = Ramp::of_style(&ramp.to_qml()).unwrap();
            let labels = |stop: &Stop| stop.label.clone();
            let read: Vec<String> = read.stops.iter().map(labels).collect();
            assert_eq!(read, ramp.stops.iter().map(|stop| stop.label.clone()).collect::<Vec<_>>());
        }
        let depth = of(MAX_DEPTH.scale, (0.1, 3.0), "m");
        assert_eq!(depth.colour(NODATA)[3], 0);
        assert_eq!(depth.colour(0.0)[3], 0, "dry ground is not painted");
        let (shallow, deep) = (depth.colour(0.1), depth.colour(90.0));
        assert!(shallow[3] > 0 && deep[3] == 255 && shallow[0] > deep[0]);
        let arrival = of(ARRIVAL_TIME.scale, (0.0, 5.0), "h");
        assert_eq!(arrival.stops.len(), 6);
        assert_eq!(arrival.stops[5].label, "≥ 5 h");
        let half = arrival.colour(0.5);
        let ends = [arrival.stops[0].colour[0], arrival.stops[1].colour[0]];
        assert_eq!(half[0], ((u16::from(ends[0]) + u16::from(ends[1])) as f32 / 2.0).round() as u8);
        assert!(Ramp::of_style("<qgis/>").is_err());
    }

    #[test]
    fn classes_are_not_blended() {
        let hazard = of(MAX_HAZARD.scale, (0.0, 3.0), "");
        assert_eq!(hazard.colour(0.0)[3], 0);
        assert_eq!(hazard.colour(0.76), hazard.colour(1.25));
        assert_ne!(hazard.colour(0.75), hazard.colour(0.76));
        assert_eq!(hazard.colour(80.0), hazard.stops[4].colour);
    }
}

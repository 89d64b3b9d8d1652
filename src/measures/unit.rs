//! Units as people and files write them: products and quotients of named units, such as `mm/15min`,
//! `kg m-2 s-1`, `[kg/(m^2 s)]`, `ft3/s` or `US survey foot`.

/// Exponents of the base units, in thirds, because Manning's n has the unit s/m^⅓.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dimensions {
    pub length: i32,
    pub mass: i32,
    pub time: i32,
    /// Exponent of an automaton's step, for steps without a duration.
    pub steps: i32,
}

/// A unit: its size in SI and its dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    /// Size in metres, kilograms, seconds and steps.
    pub size: f64,
    pub of: Dimensions,
}

/// Density of water (kg/m³): one kilogram per square metre is a depth of one millimetre.
const WATER: f64 = 1000.0;

const NUMBER: Dimensions = Dimensions { length: 0, mass: 0, time: 0, steps: 0 };
const LENGTH: Dimensions = Dimensions { length: 3, ..NUMBER };
const AREA: Dimensions = Dimensions { length: 6, ..NUMBER };
const VOLUME: Dimensions = Dimensions { length: 9, ..NUMBER };
const FLOW: Dimensions = Dimensions { length: 9, time: -3, ..NUMBER };
const TIME: Dimensions = Dimensions { time: 3, ..NUMBER };
const MASS: Dimensions = Dimensions { mass: 3, ..NUMBER };
const STEPS: Dimensions = Dimensions { steps: 3, ..NUMBER };

const INCH: f64 = 0.0254;
const FOOT: f64 = 0.3048;
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;
const CUBIC_FOOT: f64 = FOOT * FOOT * FOOT;
const GALLON: f64 = 231.0 * INCH * INCH * INCH;

/// Words, and the names of several words or with punctuation that each replaces.
const PHRASES: [(&str, &str); 8] = [
    ("us", "u.s."),
    (
        "usft",
        "us-ft, us_ft, ft-us, ft_us, ft (us), us survey foot, us survey feet, us_survey_foot, \
         us_survey_feet, foot us survey, foot (us survey), feet (us survey), foot_us_survey, \
         foot_us, foot us, us foot, us feet, us ft, survey foot, survey feet",
    ),
    ("ft", "international foot, international feet, foot (international), feet (international)"),
    ("acreft", "acre-feet, acre-foot, acre feet, acre foot, acre-ft, acre ft, ac-ft"),
    ("m3", "cubic metres, cubic metre, cubic meters, cubic meter, cu m"),
    ("ft3", "cubic feet, cubic foot, cu ft"),
    ("m2", "square metres, square metre, square meters, square meter"),
    ("/", " per "),
];

/// Units by their names in lower case: names, size in SI, dimensions.
const NAMES: &[(&[&str], f64, Dimensions)] = &[
    (&["m", "metre", "metres", "meter", "meters"], 1.0, LENGTH),
    (&["mm", "millimetre", "millimetres", "millimeter", "millimeters"], 0.001, LENGTH),
    (&["cm", "centimetre", "centimetres", "centimeter", "centimeters"], 0.01, LENGTH),
    (&["dm", "decimetre", "decimetres", "decimeter", "decimeters"], 0.1, LENGTH),
    (&["um", "µm", "μm", "micrometre", "micrometres", "micrometer", "micrometers"], 1e-6, LENGTH),
    (&["in", "inch", "inches"], INCH, LENGTH),
    (&["ft", "foot", "feet"], FOOT, LENGTH),
    (&["usft", "ftus", "sft"], SURVEY_FOOT, LENGTH),
    (&["sqm", "qm"], 1.0, AREA),
    (&["sqft"], FOOT * FOOT, AREA),
    (&["ha", "hectare", "hectares"], 1e4, AREA),
    (&["km2", "sqkm"], 1e6, AREA),
    (&["ac", "acre", "acres"], 43_560.0 * FOOT * FOOT, AREA),
    (&["l", "litre", "litres", "liter", "liters"], 0.001, VOLUME),
    (&["megalitre", "megalitres", "megaliter", "megaliters"], 1e3, VOLUME),
    (&["hm3"], 1e6, VOLUME),
    (&["km3"], 1e9, VOLUME),
    (&["gal", "gallon", "gallons"], GALLON, VOLUME),
    (&["acreft", "acft"], 43_560.0 * CUBIC_FOOT, VOLUME),
    (&["cfs", "cusec", "cusecs"], CUBIC_FOOT, FLOW),
    (&["cumec", "cumecs", "cms"], 1.0, FLOW),
    (&["lps"], 0.001, FLOW),
    (&["gpm"], GALLON / 60.0, FLOW),
    (&["mgd"], 1e6 * GALLON / 86_400.0, FLOW),
    (&["s", "sec", "secs", "second", "seconds"], 1.0, TIME),
    (&["min", "mins", "minute", "minutes"], 60.0, TIME),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0, TIME),
    (&["d", "day", "days"], 86_400.0, TIME),
    (&["kg", "kilogram", "kilograms", "kilogramme", "kilogrammes"], 1.0, MASS),
    (&["g", "gram", "grams"], 0.001, MASS),
    (&["step", "steps"], 1.0, STEPS),
    (&["%", "percent", "pct"], 0.01, NUMBER),
    (&["dimensionless", "unitless", "fraction", "ratio"], 1.0, NUMBER),
];

impl Unit {
    /// Reads a unit; `None` if any of its words is unknown.
    pub fn parse(text: &str) -> Option<Unit> {
        // Millilitres and megalitres, and cubic millimetres and millions of cubic metres, differ only
        // in the case of a letter.
        let mut text = text.trim().replace("Ml", "megalitre").replace("ML", "megalitre");
        for million in ["Mm3", "Mm³", "Mm^3", "MCM"] {
            text = text.replace(million, "hm3");
        }
        let mut text = text.to_lowercase();
        for (sign, plain) in [
            ("**", "^"),
            ("·", "*"),
            ("⋅", "*"),
            ("−", "-"),
            ("⁻¹", "-1"),
            ("⁻²", "-2"),
            ("²", "2"),
            ("³", "3"),
        ] {
            text = text.replace(sign, plain);
        }
        for (word, phrases) in PHRASES {
            text = phrases.split(", ").fold(text, |text, phrase| text.replace(phrase, word));
        }
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let text = inner.unwrap_or(&text).trim();
        if let Some(unit) = named(text) {
            return Some(unit);
        }
        let mut reader = Reader { rest: text, above: 1.0, below: 1.0, of: NUMBER, units: 0 };
        reader.terms(1)?;
        let size = reader.above / reader.below;
        (reader.rest.is_empty() && reader.units > 0).then_some(Unit { size, of: reader.of })
    }

    /// Converts masses to volumes of water.
    pub fn as_water(self) -> Unit {
        let Dimensions { length, mass, time, steps } = self.of;
        let of = Dimensions { length: length + 3 * mass, mass: 0, time, steps };
        let size = match mass {
            0 => self.size,
            _ => self.size / WATER.powi(mass / 3),
        };
        Unit { size, of }
    }
}

fn named(name: &str) -> Option<Unit> {
    let (_, size, of) = NAMES.iter().find(|(names, ..)| names.contains(&name))?;
    Some(Unit { size: *size, of: *of })
}

/// Parser of a product of powers of units. The numerator and denominator are separate, so that
/// `mm/h` is exactly the quotient 0.001 / 3600.
struct Reader<'a> {
    rest: &'a str,
    above: f64,
    below: f64,
    of: Dimensions,
    /// Number of units and numbers multiplied so far.
    units: usize,
}

impl Reader<'_> {
    /// Multiplies by a unit raised to a power, in thirds.
    fn times(&mut self, unit: Unit, thirds: i32) {
        let side = if thirds < 0 { &mut self.below } else { &mut self.above };
        match thirds % 3 {
            0 => (0..thirds.abs() / 3).for_each(|_| *side *= unit.size),
            _ => *side *= unit.size.powf(f64::from(thirds.abs()) / 3.0),
        }
        let Dimensions { length, mass, time, steps } = unit.of;
        let add = |to: &mut i32, own: i32| *to += own * thirds / 3;
        add(&mut self.of.length, length);
        add(&mut self.of.mass, mass);
        add(&mut self.of.time, time);
        add(&mut self.of.steps, steps);
        self.units += 1;
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Reads factors up to a closing bracket or the end. `sign` is −1 after a slash.
    fn terms(&mut self, sign: i32) -> Option<()> {
        let mut below = false;
        loop {
            self.skip();
            match self.rest.chars().next() {
                None | Some(')') => return Some(()),
                Some('/') => {
                    self.rest = &self.rest[1..];
                    below = true;
                }
                Some('*' | '.') => self.rest = &self.rest[1..],
                Some(_) => {
                    self.factor(if below { -sign } else { sign })?;
                    below = false;
                }
            }
        }
    }

    /// Reads a bracket with its power, or a unit with its power and an optional number before it.
    fn factor(&mut self, sign: i32) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            let mut inner = Reader { rest, above: 1.0, below: 1.0, of: NUMBER, units: 0 };
            inner.terms(1)?;
            self.rest = inner.rest.strip_prefix(')')?;
            let power = self.power()?;
            if inner.units == 0 || power % 3 != 0 {
                return None;
            }
            self.times(Unit { size: inner.above, of: inner.of }, sign * power);
            self.times(Unit { size: inner.below, of: NUMBER }, -sign * power);
            return Some(());
        }
        let mut number = 1.0;
        let digits = self.rest.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let digits = digits.unwrap_or(self.rest.len());
        if digits > 0 {
            number = self.rest[..digits].parse().ok().filter(|&size: &f64| size > 0.0)?;
            self.rest = &self.rest[digits..];
            // A number alone is a unit only if it is 1, as in `1/h`.
            self.skip();
            if !self.rest.starts_with(|c: char| c.is_alphabetic()) {
                self.units += 1;
                return (number == 1.0).then_some(());
            }
        }
        let end = self.rest.find(|c: char| !(c.is_alphabetic() || c == '%'));
        let end = end.unwrap_or(self.rest.len());
        // A digit may belong to the name, as in `km2`.
        let with_digit = self.rest.get(..end + 1).and_then(named);
        let unit = with_digit.or_else(|| named(&self.rest[..end]))?;
        self.rest = &self.rest[end + usize::from(with_digit.is_some())..];
        let power = self.power()?;
        // `mm/15 min` is per quarter of an hour, and so is `mm 15min-1`.
        self.times(Unit { size: number, of: NUMBER }, 3 * sign * power.signum());
        self.times(unit, sign * power);
        Some(())
    }

    /// Reads the power of a unit, in thirds; 3 if there is none.
    fn power(&mut self) -> Option<i32> {
        const THIRDS: [(&str, i32); 6] =
            [("(1/3)", 1), ("(-1/3)", -1), ("1/3", 1), ("-1/3", -1), ("0.33", 1), ("-0.33", -1)];
        let (marked, text) = match self.rest.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, self.rest),
        };
        for (written, thirds) in THIRDS {
            if let Some(rest) = text.strip_prefix(written) {
                self.rest = if written.contains('.') { rest.trim_start_matches('3') } else { rest };
                return Some(thirds);
            }
        }
        let sign = usize::from(text.starts_with(['-', '+']));
        let digits = text[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - sign);
        if digits == 0 {
            return (!marked && sign == 0).then_some(3);
        }
        let power: i32 = text[..sign + digits].parse().ok().filter(|p: &i32| p.abs() <= 9)?;
        self.rest = &text[sign + digits..];
        Some(3 * power)
    }
}

/// Splits the header of a column or the name of a field, `level [m]`, into name and unit.
pub fn header_unit(header: &str) -> (&str, Option<&str>) {
    match header.split_once('[') {
        Some((name, unit)) if !unit.trim_matches([']', ' ']).is_empty() => {
            (name.trim(), Some(unit.trim_end_matches(']').trim()))
        }
        _ => (header, None),
    }
}

/// Returns the unit that follows a name in a header without square brackets: `ft` in `height_ft`,
/// `height ft` and `height (ft)`.
pub fn unit_after<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let start = header.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name))?;
    let rest = &header[start.len()..];
    let unit = rest.trim_start_matches(['_', ' ']);
    let bracketed = unit.strip_prefix('(').and_then(|unit| unit.strip_suffix(')'));
    let unit = bracketed.map(str::trim).or((unit.len() < rest.len()).then_some(unit))?;
    let has_dimensions = Unit::parse(unit).is_some_and(|unit| unit.of != NUMBER);
    has_dimensions.then_some(unit)
}

/// Returns `true` if a header begins with a name and goes on with other words: `area_rod` with `area`.
pub fn goes_on_after(header: &str, name: &str) -> bool {
    let start = header.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
    let rest = start.map_or("", |start| &header[start.len()..]);
    !rest.is_empty() && !rest.starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_unit_are_the_same_to_the_bit() {
        let alike: &[(f64, &[&str])] = &[
            (
                0.001 / 3600.0,
                &[
                    "mm/h",
                    "mm h-1",
                    "mm hr^-1",
                    "mm/hour",
                    "mm per hour",
                    "MM/HR",
                    "mm.h-1",
                    "mm·h⁻¹",
                ],
            ),
            (
                0.001,
                &["kg m-2 s-1", "kg/m2/s", "kg m**-2 s**-1", "[kg/(m^2 s)]", "kg/(m²·s)", "mm/s"],
            ),
            (0.001, &["kg/m2", "[kg/(m^2)]", "kg m-2", "mm", "millimeters", "kg/m^2"]),
            (
                0.001 / 900.0,
                &["mm/15min", "mm/15 min", "mm/(15 min)", "mm 15min-1", "mm (15 min)-1"],
            ),
            (FOOT * FOOT * FOOT, &["ft3/s", "cfs", "ft^3 s^-1", "cubic feet per second", "ft³/s"]),
            (1.0, &["m3/s", "m³/s", "m^3/s", "m**3 s**-1", "cumecs", "cubic metres per second"]),
            (
                1200.0 / 3937.0,
                &[
                    "us-ft",
                    "US survey foot",
                    "U.S. survey feet",
                    "ftUS",
                    "foot_us",
                    "US_survey_foot",
                ],
            ),
            (0.3048, &["ft", "foot", "international foot", "Feet"]),
            (1.0, &["s/m^(1/3)", "s m-1/3", "s/m1/3", "s m^-0.333", "s/m^1/3"]),
            (1.0 / 3600.0, &["1/h", "/h", "h-1", "h^-1"]),
        ];
        for (size, spellings) in alike {
            let first = Unit::parse(spellings[0]).unwrap().as_water();
            for text in *spellings {
                let unit = Unit::parse(text).unwrap_or_else(|| panic!("{text}")).as_water();
                assert_eq!((unit.size.to_bits(), unit.of), (size.to_bits(), first.of), "{text}");
            }
        }
    }

    #[test]
    fn megalitres_are_not_millilitres() {
        assert_eq!(Unit::parse("Ml").unwrap().size, 1e3);
        assert_eq!(Unit::parse("Mm3/d"), Unit::parse("hm3/d"));
        assert_eq!(Unit::parse("hm3/d").unwrap(), Unit { size: 1e6 / 86_400.0, of: FLOW });
        assert_eq!(Unit::parse("km²").unwrap(), Unit { size: 1e6, of: AREA });
        assert_eq!(Unit::parse("mm3").unwrap().of, VOLUME);
        assert_eq!(Unit::parse("l/s").unwrap(), Unit { size: 0.001, of: FLOW });
        assert_eq!(Unit::parse("ml"), None);
    }

    #[test]
    fn what_is_no_unit_is_refused() {
        for text in [
            "",
            "furlong",
            "mm/fortnight",
            "m^",
            "mm/(h",
            "°C",
            "K",
            "mm/0h",
            "m^99",
            "months",
            "m s)",
            "mm/15",
            "2",
        ] {
            assert_eq!(Unit::parse(text), None, "{text}");
        }
    }

    #[test]
    fn units_follow_names_in_headers() {
        for (header, unit) in [
            ("height_ft", Some("ft")),
            ("HEIGHT (m)", Some("m")),
            ("height(cm)", Some("cm")),
            ("height m", Some("m")),
            ("height", None),
            ("height_1", None),
            ("height_source", None),
            ("heightm", None),
            ("head_m", None),
        ] {
            assert_eq!(unit_after(header, "height"), unit, "{header}");
        }
    }
}

//! Shape of an intensity-duration-frequency (IDF) curve at one frequency: i = a/(Tᵉ + f), with T in
//! minutes (Chow, Maidment and Mays 1988, Applied Hydrology, equation 14.2.2). A storm has a given
//! depth, so a is not needed.

use crate::units::Second;

/// Curve of Chicago, ten years (Chow et al. 1988, table 14.2.3).
const CHICAGO: Idf = Idf { e: 0.88, f: 9.04 };

/// Exponent e, and constant f, which flattens the curve at short durations (min^e).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Idf {
    e: f64,
    f: f64,
}

impl Idf {
    /// Parses `e` and `f` from the words from index `at`; by default Chicago's. The error is a
    /// description.
    pub fn parse(words: &[&str], at: usize) -> Result<Idf, String> {
        let number = |word: &str, to: f64| {
            let number = word.parse::<f64>().ok().filter(|number| (0.0..=to).contains(number));
            number.ok_or_else(|| format!("'{word}' is not a parameter of i = a/(T^e + f), T in minutes: e is in 0 to 1, f in 0 to 1000"))
        };
        match (words.get(at), words.get(at + 1)) {
            (None, _) => Ok(CHICAGO),
            (Some(e), Some(f)) => {
                let idf = Idf { e: number(e, 1.0)?, f: number(f, 1000.0)? };
                // Otherwise the whole storm would fall at its peak.
                match idf.f == 0.0 && idf.e >= 1.0 {
                    true => Err("e = 1 with f = 0 puts the whole depth into an instant".into()),
                    false => Ok(idf),
                }
            }
            (Some(_), None) => Err("give both e and f of i = a/(T^e + f)".into()),
        }
    }

    /// Returns the depth that falls in a duration, in relative units.
    pub fn depth(self, duration: Second) -> f64 {
        let minutes = duration / 60.0;
        if minutes <= 0.0 { 0.0 } else { minutes / (minutes.powf(self.e) + self.f) }
    }
}

//! The shape of a curve of intensity by duration at one frequency (IDF): i = a/(Tᵉ + f), with T in minutes (Chow, Maidment and Mays
//! 1988, Applied Hydrology, equation 14.2.2). What a storm says is its depth, so a needs no value.

use crate::units::Second;

/// Chicago's, ten years (Chow et al. 1988, table 14.2.3).
const CHICAGO: Idf = Idf { e: 0.88, f: 9.04 };

/// Its exponent, and what flattens it at short durations (min^e).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Idf {
    e: f64,
    f: f64,
}

impl Idf {
    /// Reads `e` and `f` from the word at a place on; Chicago's if there are none. An error says what is wrong.
    pub fn parse(words: &[&str], at: usize) -> Result<Idf, String> {
        let number = |word: &str, to: f64| {
            let number = word.parse::<f64>().ok().filter(|number| (0.0..=to).contains(number));
            number.ok_or_else(|| format!("'{word}' is no parameter of i = a/(T^e + f), T in minutes: e lies in 0 to 1, f in 0 to 1000"))
        };
        match (words.get(at), words.get(at + 1)) {
            (None, _) => Ok(CHICAGO),
            (Some(e), Some(f)) => {
                let idf = Idf { e: number(e, 1.0)?, f: number(f, 1000.0)? };
                // Without both all of a storm would fall at its peak.
                match idf.f == 0.0 && idf.e >= 1.0 {
                    true => Err("e = 1 with f = 0 puts the whole depth into a moment".into()),
                    false => Ok(idf),
                }
            }
            (Some(_), None) => Err("of e and f in i = a/(T^e + f) give both".into()),
        }
    }

    /// The depth that falls in a duration, in proportion to others.
    pub fn depth(self, duration: Second) -> f64 {
        let minutes = duration / 60.0;
        if minutes <= 0.0 { 0.0 } else { minutes / (minutes.powf(self.e) + self.f) }
    }
}

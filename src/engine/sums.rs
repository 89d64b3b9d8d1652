//! The sums of a ledger as decimal strings, because JSON numbers are too small for them. For
//! `#[serde(with = ...)]`.

use crate::ledger::{LINES, Ledger, Term};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Iterates over the terms that are saved, in ledger order: runs that are saved this way never set
/// water.
fn saved() -> impl Iterator<Item = Term> {
    LINES.iter().map(|line| line.term).filter(|term| *term != Term::Set)
}

/// Writes the sums, in ledger order.
pub fn serialize<S: Serializer>(ledger: &Ledger, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(saved().map(|term| ledger.of(term).to_string()))
}

/// Reads the sums, in ledger order.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Ledger, D::Error> {
    let sums = Vec::<String>::deserialize(from)?;
    if sums.len() != saved().count() {
        return Err(D::Error::custom("a mass balance has the wrong number of sums"));
    }
    let mut ledger = Ledger::default();
    for (term, sum) in saved().zip(&sums) {
        *ledger.of_mut(term) = sum
            .parse()
            .map_err(|_| D::Error::custom("a sum of the mass balance is not a number"))?;
    }
    Ok(ledger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Wrapper(#[serde(with = "super")] Ledger);

    #[test]
    fn sums_come_back() {
        let ledger = Ledger { rain: i128::MAX, stored: -7, outflow: 1 << 70, ..Ledger::default() };
        let value = serde_json::to_value(Wrapper(ledger)).unwrap();
        assert_eq!(serde_json::from_value::<Wrapper>(value).unwrap(), Wrapper(ledger));
        assert!(serde_json::from_str::<Wrapper>(r#"["1"]"#).is_err());
        assert!(
            serde_json::from_str::<Wrapper>(r#"["", "", "", "", "", "", "", "", "", ""]"#).is_err()
        );
    }
}

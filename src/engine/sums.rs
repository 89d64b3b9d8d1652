//! The sums of a ledger as decimal strings, because JSON numbers are too small for them. For
//! `#[serde(with = ...)]`.

use crate::ledger::Ledger;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the sums, in ledger order.
pub fn serialize<S: Serializer>(ledger: &Ledger, to: S) -> Result<S::Ok, S::Error> {
    let mut ledger = *ledger;
    parts(&mut ledger).map(|sum| sum.to_string()).serialize(to)
}

/// Reads the sums, in ledger order.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Ledger, D::Error> {
    let sums = Vec::<String>::deserialize(from)?;
    let mut ledger = Ledger::default();
    let to = parts(&mut ledger);
    if to.len() != sums.len() {
        return Err(D::Error::custom("a mass balance has the wrong number of sums"));
    }
    for (to, sum) in to.into_iter().zip(&sums) {
        *to = sum
            .parse()
            .map_err(|_| D::Error::custom("a sum of the mass balance is not a number"))?;
    }
    Ok(ledger)
}

/// Returns every sum of a ledger. The exhaustive pattern makes a new field a compile error here.
fn parts(ledger: &mut Ledger) -> [&mut i128; 10] {
    let Ledger {
        initial,
        rain,
        inflow,
        losses,
        initial_loss,
        infiltration,
        drainage,
        evaporation,
        outflow,
        stored,
        // Runs that are saved this way never set water.
        set: _,
    } = ledger;
    [
        initial,
        rain,
        inflow,
        losses,
        initial_loss,
        infiltration,
        drainage,
        evaporation,
        outflow,
        stored,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Held(#[serde(with = "super")] Ledger);

    #[test]
    fn sums_come_back() {
        let ledger = Ledger { rain: i128::MAX, stored: -7, outflow: 1 << 70, ..Ledger::default() };
        let value = serde_json::to_value(Held(ledger)).unwrap();
        assert_eq!(serde_json::from_value::<Held>(value).unwrap(), Held(ledger));
        assert!(serde_json::from_str::<Held>(r#"["1"]"#).is_err());
        assert!(
            serde_json::from_str::<Held>(r#"["", "", "", "", "", "", "", "", "", ""]"#).is_err()
        );
    }
}

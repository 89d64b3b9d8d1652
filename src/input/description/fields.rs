//! Units of bare numbers in fields of vector layers and columns of tables.

use crate::input::notice::Notice;
use crate::measures::quantity::is_bare;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Fields that hold a quantity, and the unit of bare numbers in them.
const UNITS: [(&str, &str); 3] = [
    (
        "m",
        "level height width depth bed_level bed_level_end crest soffit deck opening sill top \
         bottom_level bottom_width average_width trigger_level inlet_level outlet_level diameter \
         length start_depth stop_depth",
    ),
    ("m3/s", "flow capacity"),
    ("m3", "reservoir_volume"),
];

/// Fields of a file in which numbers without a unit were found.
#[derive(Debug, Default)]
pub struct BareFields(RefCell<BTreeSet<(&'static str, &'static str)>>);

impl BareFields {
    /// Records the field if its text is a quantity without a unit.
    pub fn see(&self, field: &str, text: &str) {
        let known =
            UNITS.iter().flat_map(|(unit, names)| names.split(' ').map(move |name| (*unit, name)));
        let mut measured = known.filter(|(_, name)| name.eq_ignore_ascii_case(field));
        if is_bare(text)
            && let Some(found) = measured.next()
        {
            self.0.borrow_mut().insert(found);
        }
    }

    /// Returns the assumptions about a file read as `role`, one for each unit.
    pub fn assumed(&self, role: &str, file: &str) -> Vec<Notice> {
        let found = self.0.borrow();
        let of_unit = |unit: &str| {
            let names: Vec<&str> =
                found.iter().filter(|(own, _)| *own == unit).map(|(_, name)| *name).collect();
            let what =
                format!("declares no unit for {}; numbers are taken in {unit}", names.join(", "));
            (!names.is_empty()).then(|| Notice::of(role, file, what))
        };
        UNITS.iter().filter_map(|(unit, _)| of_unit(unit)).collect()
    }
}

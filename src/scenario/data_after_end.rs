//! Data that continue after the end of the run, collected for one note.

use crate::input::time::wall_time::WallClock;
use crate::words::and_more;
use std::cell::RefCell;

/// Maximum number of names in the note.
const NAMED: usize = 5;

/// Data that continue after the end of the run, as they are found.
#[derive(Debug, Default)]
pub struct DataAfterEnd(RefCell<Vec<(String, f64)>>);

impl DataAfterEnd {
    /// Records data that reach up to `last` if that is after the run's `end` (both in s, or steps).
    /// `whose` identifies the data (`rain: 'storm.csv'`).
    pub fn see(&self, whose: &str, last: f64, end: f64) {
        let mut seen = self.0.borrow_mut();
        if last > end && !seen.iter().any(|(known, _)| known == whose) {
            seen.push((whose.to_string(), last));
        }
    }

    /// Returns the note for a run in steps or, with its clock, in time.
    pub fn note(&self, end: f64, clock: Option<&WallClock>) -> Option<String> {
        let show = |time: f64| clock.map_or_else(|| format!("step {time}"), |it| it.show(time));
        let seen = self.0.borrow();
        let named = seen.iter().map(|(whose, last)| format!("{whose} (to {})", show(*last)));
        let named = and_more(named, NAMED);
        (!seen.is_empty()).then(|| {
            format!("the run ends at {}; what comes after that is left out of {named}", show(end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_named_once() {
        let beyond = DataAfterEnd::default();
        assert_eq!(beyond.note(60.0, None), None);
        beyond.see("rain: 'a.csv'", 60.0, 60.0);
        assert_eq!(beyond.note(60.0, None), None);
        for (whose, last) in
            [("rain: 'a.csv'", 90.0), ("rain: 'a.csv'", 90.0), ("source: 'q'", 70.0)]
        {
            beyond.see(whose, last, 60.0);
        }
        let said = "the run ends at step 60; what comes after that is left out of rain: 'a.csv' (to step 90), source: 'q' (to step 70)";
        assert_eq!(beyond.note(60.0, None).as_deref(), Some(said));
    }
}

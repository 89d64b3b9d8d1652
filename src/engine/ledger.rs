//! The volume ledger, the mass balance of a run: every grain that comes, goes and stays.

use crate::grains::Grain;
use crate::losses::Taken;
use serde::{Serialize, Serializer};

/// Totals in grains. Sums of integers, so they are exact and free of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the cells at the start.
    pub initial: i128,
    /// Came as rain.
    pub rain: i128,
    /// Came from sources, inflow cells and held levels.
    pub inflow: i128,
    /// Taken out inside the domain (sink cells).
    pub losses: i128,
    /// Taken as initial loss.
    pub initial_loss: i128,
    /// Infiltrated.
    pub infiltration: i128,
    /// Went into sewers.
    pub drainage: i128,
    /// Evaporated.
    pub evaporation: i128,
    /// Went out over open edges and at held levels.
    pub outflow: i128,
    /// In the cells now.
    pub stored: i128,
    /// Set in the cells since the start, less what was taken by that ([`Snapshot`](crate::Snapshot)); 0 in runs that nobody changes.
    pub set: i128,
}

/// On which side of the balance a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Water at the start.
    Start,
    /// Water that came.
    In,
    /// Water that went.
    Out,
    /// Water that is there.
    Stored,
}

/// A line of the ledger.
#[derive(Debug)]
pub struct LedgerLine {
    /// Its name; in files with `_m3` behind it.
    pub key: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// How it counts.
    pub side: Side,
    /// Its total (grains).
    pub grains: fn(&Ledger) -> i128,
}

/// Every line, in the order in which it is shown.
pub static LINES: &[LedgerLine] = &[
    line("initial", "at the start", Side::Start, |l| l.initial),
    line("rain", "rain", Side::In, |l| l.rain),
    line("inflow", "inflow (sources, stage boundaries)", Side::In, |l| l.inflow),
    line("set", "set from outside", Side::In, |l| l.set),
    line("losses", "losses (sinks)", Side::Out, |l| l.losses),
    line("initial_loss", "initial loss", Side::Out, |l| l.initial_loss),
    line("infiltration", "infiltration", Side::Out, |l| l.infiltration),
    line("drainage", "drainage (sewers)", Side::Out, |l| l.drainage),
    line("evaporation", "evaporation", Side::Out, |l| l.evaporation),
    line("outflow", "outflow (edges, stage boundaries)", Side::Out, |l| l.outflow),
    line("stored", "stored", Side::Stored, |l| l.stored),
];

const fn line(
    key: &'static str,
    about: &'static str,
    side: Side,
    grains: fn(&Ledger) -> i128,
) -> LedgerLine {
    LedgerLine { key, about, side, grains }
}

impl LedgerLine {
    /// Whether it is shown of some totals: only runs that are changed from outside have water that was set.
    pub fn is_shown<'a>(&self, totals: impl IntoIterator<Item = &'a Ledger>) -> bool {
        self.key != "set" || totals.into_iter().any(|totals| totals.set != 0)
    }
}

impl Side {
    /// `+`, `-` or `=`; nothing for the start.
    pub fn sign(self) -> &'static str {
        match self {
            Side::Start => "",
            Side::In => "+ ",
            Side::Out => "- ",
            Side::Stored => "= ",
        }
    }
}

impl Ledger {
    /// What is unaccounted for, in grains. Anything but 0 is a defect.
    pub fn error(&self) -> i128 {
        let signed = |line: &LedgerLine| match line.side {
            Side::Start | Side::In => (line.grains)(self),
            Side::Out | Side::Stored => -(line.grains)(self),
        };
        LINES.iter().map(signed).sum()
    }

    /// The ledger at a part of the way, 0 to 1, from this to a later one, at which it is known what had come by then as `rain` and
    /// as `inflow` (grains): what went in a straight line, and what is stored so that nothing is unaccounted for.
    pub fn between(&self, later: &Ledger, part: f64, rain: i128, inflow: i128) -> Ledger {
        let at = |a: i128, b: i128| a + ((b - a) as f64 * part).round() as i128;
        let mut ledger = Ledger {
            initial: self.initial,
            rain,
            inflow,
            losses: at(self.losses, later.losses),
            initial_loss: at(self.initial_loss, later.initial_loss),
            infiltration: at(self.infiltration, later.infiltration),
            drainage: at(self.drainage, later.drainage),
            evaporation: at(self.evaporation, later.evaporation),
            outflow: at(self.outflow, later.outflow),
            stored: 0,
            set: later.set,
        };
        ledger.stored = ledger.error() - self.error();
        ledger
    }

    /// Books what was taken of the water in cells.
    pub fn take(&mut self, taken: Taken) {
        self.initial_loss += i128::from(taken.initial);
        self.infiltration += i128::from(taken.infiltration);
        self.drainage += i128::from(taken.drainage);
        self.evaporation += i128::from(taken.evaporation);
    }

    /// The ledger in m³ for cells of `area` (m²).
    pub fn volumes(&self, grain: Grain, area: f64) -> Volumes {
        Volumes { ledger: *self, metres: f64::from(grain.metres()), area }
    }
}

/// The ledger in m³. As JSON it has a key for every line (`rain_m3`) and `error_m3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    ledger: Ledger,
    /// Metres per grain.
    metres: f64,
    /// Area of a cell (m²).
    area: f64,
}

impl Volumes {
    fn cubic_metres(&self, grains: i128) -> f64 {
        grains as f64 * self.metres * self.area
    }

    /// Every line that is shown, with its volume (m³).
    pub fn lines(&self) -> impl Iterator<Item = (&'static LedgerLine, f64)> {
        let shown = LINES.iter().filter(|line| line.is_shown([&self.ledger]));
        shown.map(|line| (line, self.cubic_metres((line.grains)(&self.ledger))))
    }

    /// The volume of the line called `key` (m³).
    ///
    /// # Panics
    /// If there is no such line.
    pub fn of(&self, key: &str) -> f64 {
        let line = LINES.iter().find(|line| line.key == key).expect("a line of the ledger");
        self.cubic_metres((line.grains)(&self.ledger))
    }

    /// What is unaccounted for, summed in whole grains (m³). Zero.
    pub fn error(&self) -> f64 {
        self.cubic_metres(self.ledger.error())
    }
}

impl Serialize for Volumes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.lines().map(|(line, volume)| (line.key, volume));
        let all = lines.chain([("error", self.error())]);
        serializer.collect_map(all.map(|(key, volume)| (format!("{key}_m3"), volume)))
    }
}

add_assign! {
    Ledger: initial rain inflow losses initial_loss infiltration drainage evaporation outflow stored set
}

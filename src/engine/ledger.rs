//! The volume ledger: mass balance of a run, exact to the grain.

use crate::grains::Grain;
use crate::losses::Taken;
use serde::{Serialize, Serializer};

/// Side of the balance to which a term belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Water at the start.
    Start,
    /// Water that was added.
    In,
    /// Water that was removed.
    Out,
    /// Water that is still stored.
    Stored,
}

/// How a term of the mass balance is shown.
#[derive(Debug)]
pub struct LedgerLine {
    /// The term.
    pub term: Term,
    /// Key of the term; files append `_m3`.
    pub key: &'static str,
    /// Description of the term, for people.
    pub about: &'static str,
    /// Side of the balance to which it belongs.
    pub side: Side,
}

macro_rules! terms {
    ($($(#[$doc:meta])* $field:ident $term:ident $about:literal $side:ident;)*) => {
        /// Totals in grains. They are integer sums, hence exact and independent of order.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Ledger {
            $($(#[$doc])* pub $field: i128,)*
        }

        /// Term of the mass balance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Term {
            $($(#[$doc])* $term,)*
        }

        /// All terms, in display order.
        pub static LINES: &[LedgerLine] = &[$(LedgerLine {
            term: Term::$term,
            key: stringify!($field),
            about: $about,
            side: Side::$side,
        }),*];

        impl Ledger {
            /// Returns the total of a term (grains).
            pub fn of(&self, term: Term) -> i128 {
                match term { $(Term::$term => self.$field,)* }
            }

            /// Returns the total of a term (grains), to change it.
            pub fn of_mut(&mut self, term: Term) -> &mut i128 {
                match term { $(Term::$term => &mut self.$field,)* }
            }
        }

        add_assign! { Ledger: $($field)* }
    };
}

terms! {
    /// Water in the cells at the start.
    initial Initial "at the start" Start;
    /// Volume added by rain.
    rain Rain "rain" In;
    /// Volume added by sources, inflow cells and stage boundaries.
    inflow Inflow "inflow (sources, stage boundaries)" In;
    /// Net volume added by setting water from outside ([`Snapshot`](crate::Snapshot)); 0 in runs
    /// that nobody changes.
    set Set "set from outside" In;
    /// Volume removed inside the domain (sink cells).
    losses Losses "losses (sinks)" Out;
    /// Volume taken as initial loss.
    initial_loss InitialLoss "initial loss" Out;
    /// Volume taken by infiltration.
    infiltration Infiltration "infiltration" Out;
    /// Volume drained into sewers.
    drainage Drainage "drainage (sewers)" Out;
    /// Volume lost by evaporation.
    evaporation Evaporation "evaporation" Out;
    /// Volume that left across open edges and at stage boundaries.
    outflow Outflow "outflow (edges, stage boundaries)" Out;
    /// Water in the cells now.
    stored Stored "stored" Stored;
}

impl LedgerLine {
    /// Returns `true` if the term is shown for these totals: `set` only if some run was changed
    /// from outside.
    pub fn is_shown<'a>(&self, totals: impl IntoIterator<Item = &'a Ledger>) -> bool {
        self.term != Term::Set || totals.into_iter().any(|totals| totals.set != 0)
    }
}

impl Side {
    /// Returns `+`, `-` or `=`; an empty string for the start.
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
    /// Returns the balance error (grains). Anything but 0 is a defect.
    pub fn error(&self) -> i128 {
        let signed = |line: &LedgerLine| match line.side {
            Side::Start | Side::In => self.of(line.term),
            Side::Out | Side::Stored => -self.of(line.term),
        };
        LINES.iter().map(signed).sum()
    }

    /// Interpolates between this ledger and a later one, at a fraction `part` from 0 to 1. `rain`
    /// and `inflow` (grains) are known at that time; the outgoing terms are interpolated linearly,
    /// and the stored volume closes the balance.
    pub fn between(&self, later: &Ledger, part: f64, rain: i128, inflow: i128) -> Ledger {
        let at = |a: i128, b: i128| a + ((b - a) as f64 * part).round() as i128;
        let mut ledger = Ledger { rain, inflow, stored: 0, ..*later };
        for line in LINES.iter().filter(|line| line.side == Side::Out) {
            *ledger.of_mut(line.term) = at(self.of(line.term), later.of(line.term));
        }
        ledger.initial = self.initial;
        ledger.stored = ledger.error() - self.error();
        ledger
    }

    /// Adds the losses of cells to the ledger.
    pub fn take(&mut self, taken: Taken) {
        self.initial_loss += i128::from(taken.initial);
        self.infiltration += i128::from(taken.infiltration);
        self.drainage += i128::from(taken.drainage);
        self.evaporation += i128::from(taken.evaporation);
    }

    /// Converts the ledger to m³ for cells of `area` (m²).
    pub fn volumes(&self, grain: Grain, area: f64) -> Volumes {
        Volumes { ledger: *self, metres: f64::from(grain.metres()), area }
    }
}

/// The ledger in m³. As JSON it has a key for every term (`rain_m3`) and `error_m3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volumes {
    ledger: Ledger,
    /// Size of a grain (m).
    metres: f64,
    /// Area of a cell (m²).
    area: f64,
}

impl Volumes {
    fn cubic_metres(&self, grains: i128) -> f64 {
        grains as f64 * self.metres * self.area
    }

    /// Iterates over the displayed terms with their volumes (m³).
    pub fn lines(&self) -> impl Iterator<Item = (&'static LedgerLine, f64)> {
        let shown = LINES.iter().filter(|line| line.is_shown([&self.ledger]));
        shown.map(|line| (line, self.of(line.term)))
    }

    /// Returns the volume of a term (m³).
    pub fn of(&self, term: Term) -> f64 {
        self.cubic_metres(self.ledger.of(term))
    }

    /// Returns the balance error (m³), summed in whole grains. Always zero in a correct run.
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

//! The macro that builds the registry of sites, and the properties of a kind.

use super::{Line, PlacedSite, Site, SiteKind, SiteTiming};
use crate::forcing::Forcing;
use crate::forcing::ports::Port;
use crate::solver::{CudaTwin, SolverInfo};

/// Properties of a kind of sites: see [`Site`].
pub struct SiteInfo {
    /// Short description.
    pub about: &'static str,
    /// Flag that marks its cells.
    pub flag: u8,
    /// Default mass balance term.
    pub line: Line,
    /// Set if it can add water to a dry cell.
    pub brings: bool,
    /// Set if its water crosses the edge of the map there.
    pub crosses: bool,
    /// Set if its cells have a state.
    pub remembers: bool,
    /// When it acts under a solver.
    pub when: fn(&SolverInfo) -> Option<SiteTiming>,
    /// Lists the cells at which it acts.
    pub cells: fn(SiteKind, &Forcing) -> Vec<PlacedSite>,
    /// Returns the port of a cell with given flags.
    pub port: fn(u8, Port) -> Port,
    /// GPU implementation of its law, if it has one.
    pub cuda: Option<CudaTwin>,
}

impl SiteInfo {
    pub(super) const fn of<S: Site>() -> SiteInfo {
        SiteInfo {
            about: S::ABOUT,
            flag: S::FLAG,
            line: S::LINE,
            brings: S::BRINGS,
            crosses: S::CROSSES,
            remembers: S::REMEMBERS,
            when: S::when,
            cells: S::cells,
            port: S::port,
            cuda: S::CUDA,
        }
    }
}

/// An operation that is generic over kinds of sites.
pub trait WithSite {
    /// Result of the operation.
    type Output;
    /// Runs the operation for a kind.
    fn with<S: Site>(self) -> Self::Output;
}

/// Defines [`SiteKind`] from lines `Name: type;`.
macro_rules! sites {
    ($($name:ident: $site:ty;)+) => {
        /// A kind of sites, in the order in which they act on a cell.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
        #[repr(u32)]
        pub enum SiteKind {
            $(#[doc = concat!("[`", stringify!($site), "`]")] $name,)+
        }

        impl SiteKind {
            /// All kinds, in that order.
            pub const ALL: &[SiteKind] = &[$(SiteKind::$name,)+];

            /// Returns the properties of the kind.
            pub fn info(self) -> &'static SiteInfo {
                match self {
                    $(SiteKind::$name => const { &SiteInfo::of::<$site>() },)+
                }
            }

            /// See [`Site::change`].
            #[inline(always)]
            pub fn change(self, given: &SiteParameters, seen: CellView, now: &StepContext) -> i64 {
                match self {
                    $(SiteKind::$name => <$site>::change(given, seen, now),)+
                }
            }

            /// Runs an operation with the kind's type, for many sites of the kind.
            #[inline(always)]
            pub fn run<W: WithSite>(self, with: W) -> W::Output {
                match self {
                    $(SiteKind::$name => with.with::<$site>(),)+
                }
            }
        }
    };
}

//! How the registry of sites is made of its lines, and what it says of a kind.

use super::{Line, Placed, Site, SiteKind, When};
use crate::forcing::Forcing;
use crate::forcing::ports::Port;
use crate::rule::CudaTwin;

/// What a kind of sites says of itself: see [`Site`].
pub struct SiteInfo {
    /// What it is, in a few words.
    pub about: &'static str,
    /// The flag by which its cells are known.
    pub flag: u8,
    /// The line of the ledger, where cells do not say.
    pub line: Line,
    /// Whether it may bring water where there is none.
    pub brings: bool,
    /// Whether its cells remember something.
    pub remembers: bool,
    /// When it acts under a rule with momentum, or without.
    pub when: fn(bool) -> Option<When>,
    /// Where it acts.
    pub cells: fn(SiteKind, &Forcing) -> Vec<Placed>,
    /// The port of a cell with some flags.
    pub port: fn(u8, Port) -> Port,
    /// Its law for GPUs, if it has one.
    pub cuda: Option<CudaTwin>,
}

impl SiteInfo {
    pub(super) const fn of<S: Site>() -> SiteInfo {
        SiteInfo {
            about: S::ABOUT,
            flag: S::FLAG,
            line: S::LINE,
            brings: S::BRINGS,
            remembers: S::REMEMBERS,
            when: S::when,
            cells: S::cells,
            port: S::port,
            cuda: S::CUDA,
        }
    }
}

/// Something generic over kinds of sites.
pub trait WithSite {
    /// What it answers.
    type Output;
    /// Does it.
    fn with<S: Site>(self) -> Self::Output;
}

/// Makes [`SiteKind`] of lines `Name: type;`.
macro_rules! sites {
    ($($name:ident: $site:ty;)+) => {
        /// A kind of sites, in the order in which they act on a cell.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
        #[repr(u32)]
        pub enum SiteKind {
            $(#[doc = concat!("[`", stringify!($site), "`]")] $name,)+
        }

        impl SiteKind {
            /// All of them, in that order.
            pub const ALL: &[SiteKind] = &[$(SiteKind::$name,)+];

            /// What it says of itself.
            pub fn info(self) -> &'static SiteInfo {
                match self {
                    $(SiteKind::$name => const { &SiteInfo::of::<$site>() },)+
                }
            }

            /// See [`Site::change`].
            #[inline(always)]
            pub fn change(self, given: &Given, seen: Seen, now: &InStep) -> i64 {
                match self {
                    $(SiteKind::$name => <$site>::change(given, seen, now),)+
                }
            }

            /// Does something with the kind's type, for many sites of the kind.
            #[inline(always)]
            pub fn run<W: WithSite>(self, with: W) -> W::Output {
                match self {
                    $(SiteKind::$name => with.with::<$site>(),)+
                }
            }
        }
    };
}

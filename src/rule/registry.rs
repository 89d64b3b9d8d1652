//! What the registry knows of a rule, and the macro that makes the registry of a list of them.

use super::{AnyRule, Rule};
use crate::neighbourhood::Neighbourhood;

/// A rule's twin in CUDA, statement by statement the same.
#[derive(Debug)]
pub struct CudaTwin {
    /// Name of its C++ type.
    pub name: &'static str,
    /// Name of its header below `kernels/`.
    pub header: &'static str,
    /// Text of the header.
    pub text: &'static str,
}

/// What the registry knows of a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// One line of explanation.
    pub about: &'static str,
    /// Author, year, equations.
    pub source: &'static str,
    /// Default relaxation α per neighbourhood.
    pub default_alpha: fn(Neighbourhood) -> f32,
    /// The rule with a given α.
    pub with_alpha: fn(f32) -> AnyRule,
    /// The same rule for GPUs.
    pub cuda: CudaTwin,
}

/// A computation that is generic over the rule, to be run with the one chosen at run time.
pub trait WithRule {
    /// What the computation returns.
    type Output;
    /// The computation.
    fn with<R: Rule>(self, rule: R) -> Self::Output;
}

/// Makes `AnyRule` and `RULES` of lines `Variant: Type, INFO;`.
macro_rules! registry {
    ($($variant:ident: $type:ty, $info:path;)*) => {
        /// One of the registered rules, with its parameters.
        #[derive(Clone, Copy, Debug)]
        pub enum AnyRule {
            $(#[doc = concat!("See [`", stringify!($type), "`].")] $variant($type),)*
        }

        impl AnyRule {
            /// Runs a generic computation with the rule.
            pub fn run<W: WithRule>(self, what: W) -> W::Output {
                match self { $(AnyRule::$variant(rule) => what.with(rule),)* }
            }

            /// What the registry knows of it.
            pub fn info(self) -> &'static RuleInfo {
                match self { $(AnyRule::$variant(_) => &$info,)* }
            }

            /// Its parameters, in the order in which its CUDA twin reads them.
            pub fn parameters(self) -> [f32; 4] {
                match self { $(AnyRule::$variant(rule) => rule.parameters(),)* }
            }
        }

        /// Every rule, in the order in which help and tables show them.
        pub static RULES: &[&RuleInfo] = &[$(&$info),*];
    };
}

//! Registry of rules: their descriptions, and the macro that builds the registry from a list.

use super::edge::EdgeRule;
use super::momentum::MomentumRule;
use super::{AnyRule, CellRule};
use crate::neighbourhood::Neighbourhood;

/// CUDA twin of a rule, identical statement by statement.
#[derive(Debug)]
pub struct CudaTwin {
    /// Name of its C++ type.
    pub name: &'static str,
    /// Name of its header below `kernels/`.
    pub header: &'static str,
    /// Source text of the header.
    pub text: &'static str,
}

/// Builds a [`CudaTwin`] from its name, the path to `kernels/` relative to the calling file, and
/// its header there.
macro_rules! cuda_twin {
    ($name:literal, $kernels:literal, $header:literal) => {
        CudaTwin { name: $name, header: $header, text: include_str!(concat!($kernels, $header)) }
    };
}
pub(crate) use cuda_twin;

/// Description of a rule in the registry.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Order in space: 1, or 2 for the variant selected by `order = 2`.
    pub order: u32,
    /// One-line explanation for people.
    pub about: &'static str,
    /// Author, year and equations.
    pub source: &'static str,
    /// Treatment of time: automaton or timed.
    pub kind: RuleKind,
    /// Implementation of the rule for GPUs.
    pub cuda: CudaTwin,
}

/// Treatment of time by a rule.
#[derive(Debug)]
pub enum RuleKind {
    /// An automaton, with any neighbourhood: its steps have no physical duration.
    Automaton {
        /// Default relaxation α per neighbourhood.
        default_alpha: fn(Neighbourhood) -> f32,
        /// Creates the rule with a given α.
        with_alpha: fn(f32) -> AnyRule,
    },
    /// A rule in physical time, with the von Neumann neighbourhood and adaptive steps.
    Timed {
        /// The rule, which has no parameters.
        rule: AnyRule,
        /// Safety factor: step taken as a share of the longest step that the edges allow.
        safety: f32,
    },
}

impl RuleInfo {
    /// Returns its name, with a suffix for an order other than 1: `shallow-water-2`. Suitable for
    /// file names.
    pub fn label(&self) -> String {
        if self.order == 1 { self.name.into() } else { format!("{}-{}", self.name, self.order) }
    }

    /// Returns whether it has physical time.
    pub fn is_timed(&self) -> bool {
        matches!(self.kind, RuleKind::Timed { .. })
    }

    /// Returns whether it supports subgrid tables: first-order rules that keep a discharge or
    /// velocity do.
    pub fn knows_tables(&self) -> bool {
        let RuleKind::Timed { rule, .. } = self.kind else { return false };
        rule.remembers().is_some() && self.order == 1
    }

    /// Returns whether it carries momentum.
    pub fn has_momentum(&self) -> bool {
        let RuleKind::Timed { rule, .. } = self.kind else { return false };
        rule.has_momentum()
    }

    /// Returns the supported neighbourhoods.
    pub fn neighbourhoods(&self) -> &'static [Neighbourhood] {
        match self.kind {
            RuleKind::Automaton { .. } => &Neighbourhood::ALL,
            RuleKind::Timed { .. } => &[Neighbourhood::VonNeumann],
        }
    }

    /// Returns its default relaxation α, if it has one.
    pub fn default_alpha(&self, neighbourhood: Neighbourhood) -> Option<f32> {
        match self.kind {
            RuleKind::Automaton { default_alpha, .. } => Some(default_alpha(neighbourhood)),
            RuleKind::Timed { .. } => None,
        }
    }

    /// Returns the safety factor on the longest allowed step; 1 if the step is given.
    pub fn safety(&self) -> f32 {
        match self.kind {
            RuleKind::Automaton { .. } => 1.0,
            RuleKind::Timed { safety, .. } => safety,
        }
    }

    /// Creates the rule, with relaxation `alpha` or its default if it uses one.
    pub fn rule(&self, neighbourhood: Neighbourhood, alpha: Option<f32>) -> AnyRule {
        match self.kind {
            RuleKind::Automaton { default_alpha, with_alpha } => {
                with_alpha(alpha.unwrap_or_else(|| default_alpha(neighbourhood)))
            }
            RuleKind::Timed { rule, .. } => rule,
        }
    }
}

/// A computation generic over the rule, to be run with the rule chosen at run time.
pub trait WithRule {
    /// Result of the computation.
    type Output;
    /// Runs the computation with a cell rule.
    fn cell<R: CellRule>(self, rule: R) -> Self::Output;
    /// Runs the computation with an edge rule.
    fn edge<R: EdgeRule>(self, rule: R) -> Self::Output;
    /// Runs the computation with a rule with momentum.
    fn momentum<R: MomentumRule>(self, rule: R) -> Self::Output;
}

/// Defines `AnyRule` and `RULES` from lines `Variant: Type, kind, INFO;`, where the kind is `cell`,
/// `edge` or `momentum`.
macro_rules! registry {
    ($($variant:ident: $type:ty, $kind:ident, $info:path;)*) => {
        /// One of the registered rules, with its parameters.
        #[derive(Clone, Copy, Debug)]
        pub enum AnyRule {
            $(#[doc = concat!("See [`", stringify!($type), "`].")] $variant($type),)*
        }

        impl AnyRule {
            /// Runs a generic computation with the rule.
            pub fn run<W: WithRule>(self, what: W) -> W::Output {
                match self { $(AnyRule::$variant(rule) => what.$kind(rule),)* }
            }

            /// Returns its registry entry.
            pub fn info(self) -> &'static RuleInfo {
                match self { $(AnyRule::$variant(_) => &$info,)* }
            }

            /// Returns whether it carries momentum, that is, keeps the velocity on its edges.
            pub fn has_momentum(self) -> bool {
                self.remembers() == Some($crate::rule::edge::EdgeField::Velocity)
            }

            /// Returns the edge quantity that it keeps from step to step, if any.
            pub fn remembers(self) -> Option<$crate::rule::edge::EdgeField> {
                use $crate::rule::edge::EdgeField;
                struct Remembers;
                impl $crate::rule::WithRule for Remembers {
                    type Output = Option<EdgeField>;
                    fn cell<R: $crate::rule::CellRule>(self, _: R) -> Self::Output {
                        None
                    }
                    fn edge<R: $crate::rule::edge::EdgeRule>(self, _: R) -> Self::Output {
                        R::REMEMBERS.then_some(EdgeField::Discharge)
                    }
                    fn momentum<R: $crate::rule::momentum::MomentumRule>(self, _: R) -> Self::Output {
                        Some(EdgeField::Velocity)
                    }
                }
                self.run(Remembers)
            }

            /// Returns the CFL limit of an edge in a given state; steps without duration have no
            /// limit.
            pub fn allows(self, edge: $crate::rule::cfl::EdgeState) -> $crate::rule::cfl::Allowed {
                use $crate::rule::cfl::{Allowed, EdgeState};
                struct Ask(EdgeState);
                impl $crate::rule::WithRule for Ask {
                    type Output = Allowed;
                    fn cell<R: $crate::rule::CellRule>(self, _: R) -> Allowed {
                        Allowed::default()
                    }
                    fn edge<R: $crate::rule::edge::EdgeRule>(self, rule: R) -> Allowed {
                        rule.allows(self.0)
                    }
                    fn momentum<R: $crate::rule::momentum::MomentumRule>(self, rule: R) -> Allowed {
                        rule.allows(self.0)
                    }
                }
                self.run(Ask(edge))
            }

            /// Returns the CFL rate (s⁻¹) of water of a given depth (m) arriving beside dry ground,
            /// on cells of a given length (m) with Manning's n `roughness`; 0 if steps have no
            /// duration.
            pub fn cfl_rate_of_depth(self, depth: f32, length: f32, roughness: f32) -> f32 {
                let (difference, giver, lengths) = (depth, depth, [length; 2]);
                let edge = $crate::rule::cfl::EdgeState {
                    difference, depth, giver, roughness, flow: 0.0, lengths,
                };
                self.allows(edge).cfl_rate
            }

            /// Returns the reach of the stencil (cells): the outflows of a cell's neighbours depend
            /// on their neighbours, and these on the quantities kept on the edges behind them; at
            /// second order the slopes add one cell.
            pub fn reach(self) -> usize {
                if self.info().order > 1 { 4 } else { 3 }
            }

            /// Returns its parameters, in the order in which its CUDA twin reads them.
            pub fn parameters(self) -> [f32; 4] {
                match self { $(AnyRule::$variant(rule) => rule.parameters(),)* }
            }
        }

        impl serde::Serialize for AnyRule {
            /// Serializes its name, order and relaxation, if any.
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                (self.info().name, self.info().order, self.parameters()[0]).serialize(to)
            }
        }

        impl<'de> serde::Deserialize<'de> for AnyRule {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<AnyRule, D::Error> {
                let (name, order, alpha) = <(String, u32, f32)>::deserialize(from)?;
                let info = RULES.iter().find(|rule| rule.name == name && rule.order == order);
                let info = info.ok_or_else(|| serde::de::Error::custom(format!("a rule '{name}'")))?;
                Ok(info.rule($crate::neighbourhood::Neighbourhood::VonNeumann, Some(alpha)))
            }
        }

        /// All rules, in the order of the help and of tables.
        pub static RULES: &[&RuleInfo] = &[$(&$info),*];
    };
}

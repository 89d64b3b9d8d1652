//! What the registry knows of a rule, and the macro that makes the registry of a list of them.

use super::edge::EdgeRule;
use super::momentum::MomentumRule;
use super::{AnyRule, CellRule};
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

/// A [`CudaTwin`] by its name, the path to `kernels/` from the file that says this, and its header there.
macro_rules! cuda_twin {
    ($name:literal, $kernels:literal, $header:literal) => {
        CudaTwin { name: $name, header: $header, text: include_str!(concat!($kernels, $header)) }
    };
}
pub(crate) use cuda_twin;

/// What the registry knows of a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Its order in space: 1, or 2 for the variant of a rule that `order = 2` asks for.
    pub order: u32,
    /// One line of explanation.
    pub about: &'static str,
    /// Author, year, equations.
    pub source: &'static str,
    /// What it makes of time.
    pub kind: RuleKind,
    /// The same rule for GPUs.
    pub cuda: CudaTwin,
}

/// What a rule makes of time.
#[derive(Debug)]
pub enum RuleKind {
    /// An automaton, with any neighbourhood: its steps have no duration of their own.
    Automaton {
        /// Default relaxation α per neighbourhood.
        default_alpha: fn(Neighbourhood) -> f32,
        /// The rule with a given α.
        with_alpha: fn(f32) -> AnyRule,
    },
    /// A rule in physical time, with the von Neumann neighbourhood: it finds the length of its steps.
    Timed {
        /// The rule.
        rule: AnyRule,
        /// Share of the longest step that its edges allow, of the step that is taken.
        safety: f32,
    },
}

impl RuleInfo {
    /// Its name, with the order where that is not the first: `shallow-water-2`. Fit for a file.
    pub fn label(&self) -> String {
        if self.order == 1 { self.name.into() } else { format!("{}-{}", self.name, self.order) }
    }

    /// Whether it has physical time.
    pub fn is_timed(&self) -> bool {
        matches!(self.kind, RuleKind::Timed { .. })
    }

    /// Whether it knows cells with tables of the finer ground: at first order those rules do that remember how fast water flows.
    pub fn knows_tables(&self) -> bool {
        let RuleKind::Timed { rule, .. } = self.kind else { return false };
        rule.remembers().is_some() && self.order == 1
    }

    /// Whether it carries momentum.
    pub fn has_momentum(&self) -> bool {
        let RuleKind::Timed { rule, .. } = self.kind else { return false };
        rule.has_momentum()
    }

    /// The neighbourhoods it works with.
    pub fn neighbourhoods(&self) -> &'static [Neighbourhood] {
        match self.kind {
            RuleKind::Automaton { .. } => &Neighbourhood::ALL,
            RuleKind::Timed { .. } => &[Neighbourhood::VonNeumann],
        }
    }

    /// Its default relaxation α, if it has any.
    pub fn default_alpha(&self, neighbourhood: Neighbourhood) -> Option<f32> {
        match self.kind {
            RuleKind::Automaton { default_alpha, .. } => Some(default_alpha(neighbourhood)),
            RuleKind::Timed { .. } => None,
        }
    }

    /// Share of the longest allowed step that is taken; 1 where steps are given.
    pub fn safety(&self) -> f32 {
        match self.kind {
            RuleKind::Automaton { .. } => 1.0,
            RuleKind::Timed { safety, .. } => safety,
        }
    }

    /// The rule, with a relaxation α if it has any and one is given, else its default.
    pub fn rule(&self, neighbourhood: Neighbourhood, alpha: Option<f32>) -> AnyRule {
        match self.kind {
            RuleKind::Automaton { default_alpha, with_alpha } => {
                with_alpha(alpha.unwrap_or_else(|| default_alpha(neighbourhood)))
            }
            RuleKind::Timed { rule, .. } => rule,
        }
    }
}

/// A computation that is generic over the rule, to be run with the one chosen at run time.
pub trait WithRule {
    /// What the computation returns.
    type Output;
    /// The computation with a cell rule.
    fn cell<R: CellRule>(self, rule: R) -> Self::Output;
    /// The computation with an edge rule.
    fn edge<R: EdgeRule>(self, rule: R) -> Self::Output;
    /// The computation with a rule that carries momentum.
    fn momentum<R: MomentumRule>(self, rule: R) -> Self::Output;
}

/// Makes `AnyRule` and `RULES` of lines `Variant: Type, kind, INFO;`, the kind being `cell`, `edge` or `momentum`.
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

            /// What the registry knows of it.
            pub fn info(self) -> &'static RuleInfo {
                match self { $(AnyRule::$variant(_) => &$info,)* }
            }

            /// Whether it carries momentum: it remembers the velocity of its edges.
            pub fn has_momentum(self) -> bool {
                self.remembers() == Some($crate::rule::edge::EdgeField::Velocity)
            }

            /// What it remembers on every edge from step to step, if anything.
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

            /// What an edge in a state allows by the rule's CFL condition; any step where steps have no duration.
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

            /// 1 / the longest step (s⁻¹) that water of a depth (m) which is yet to come allows beside dry ground, on cells of a
            /// length (m) with Manning's n `roughness`; 0 where steps have no duration.
            pub fn cfl_rate_of_depth(self, depth: f32, length: f32, roughness: f32) -> f32 {
                let (difference, giver, lengths) = (depth, depth, [length; 2]);
                let edge = $crate::rule::cfl::EdgeState {
                    difference, depth, giver, roughness, flow: 0.0, lengths,
                };
                self.allows(edge).cfl_rate
            }

            /// How far from a cell its new state reaches (cells): its neighbours' outflows depend on their
            /// neighbours, and those on what is remembered of the edges behind them; at second order on the
            /// slopes of one cell more.
            pub fn reach(self) -> usize {
                if self.info().order > 1 { 4 } else { 3 }
            }

            /// Its parameters, in the order in which its CUDA twin reads them.
            pub fn parameters(self) -> [f32; 4] {
                match self { $(AnyRule::$variant(rule) => rule.parameters(),)* }
            }
        }

        impl serde::Serialize for AnyRule {
            /// As its name, its order and its relaxation, if it has any.
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

        /// Every rule, in the order in which help and tables show them.
        pub static RULES: &[&RuleInfo] = &[$(&$info),*];
    };
}

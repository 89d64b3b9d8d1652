//! Registry of solvers: their descriptions, and the macro that builds the registry from a list.

use super::edge::EdgeSolver;
use super::momentum::MomentumSolver;
use super::{AnySolver, CellSolver};
use crate::neighbourhood::Neighbourhood;

/// CUDA twin of a solver, identical statement by statement.
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

/// Description of a solver in the registry.
#[derive(Debug)]
pub struct SolverInfo {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// Order in space: 1, or 2 for the variant selected by `order = 2`.
    pub order: u32,
    /// One-line explanation for people.
    pub about: &'static str,
    /// Author, year and equations.
    pub source: &'static str,
    /// Treatment of time: automaton or timed.
    pub kind: SolverKind,
    /// Implementation of the solver for GPUs.
    pub cuda: CudaTwin,
}

/// Treatment of time by a solver.
#[derive(Debug)]
pub enum SolverKind {
    /// An automaton, with any neighbourhood: its steps have no physical duration.
    Automaton {
        /// Default relaxation α per neighbourhood.
        default_alpha: fn(Neighbourhood) -> f32,
        /// Creates the solver with a given α.
        with_alpha: fn(f32) -> AnySolver,
    },
    /// A solver in physical time, with the von Neumann neighbourhood and adaptive steps.
    Timed {
        /// The solver, which has no parameters.
        solver: AnySolver,
        /// Safety factor: step taken as a share of the longest step that the edges allow.
        safety: f32,
    },
}

impl SolverInfo {
    /// Returns its name, with a suffix for an order other than 1: `shallow-water-2`. Suitable for
    /// file names.
    pub fn label(&self) -> String {
        if self.order == 1 { self.name.into() } else { format!("{}-{}", self.name, self.order) }
    }

    /// Returns whether it has physical time.
    pub fn is_timed(&self) -> bool {
        matches!(self.kind, SolverKind::Timed { .. })
    }

    /// Returns whether it supports subgrid tables: first-order solvers that keep a discharge or
    /// velocity do.
    pub fn knows_tables(&self) -> bool {
        let SolverKind::Timed { solver, .. } = self.kind else { return false };
        solver.remembers().is_some() && self.order == 1
    }

    /// Returns whether it carries momentum.
    pub fn has_momentum(&self) -> bool {
        let SolverKind::Timed { solver, .. } = self.kind else { return false };
        solver.has_momentum()
    }

    /// Returns the supported neighbourhoods.
    pub fn neighbourhoods(&self) -> &'static [Neighbourhood] {
        match self.kind {
            SolverKind::Automaton { .. } => &Neighbourhood::ALL,
            SolverKind::Timed { .. } => &[Neighbourhood::VonNeumann],
        }
    }

    /// Returns its default relaxation α, if it has one.
    pub fn default_alpha(&self, neighbourhood: Neighbourhood) -> Option<f32> {
        match self.kind {
            SolverKind::Automaton { default_alpha, .. } => Some(default_alpha(neighbourhood)),
            SolverKind::Timed { .. } => None,
        }
    }

    /// Returns the safety factor on the longest allowed step; 1 if the step is given.
    pub fn safety(&self) -> f32 {
        match self.kind {
            SolverKind::Automaton { .. } => 1.0,
            SolverKind::Timed { safety, .. } => safety,
        }
    }

    /// Creates the solver, with relaxation `alpha` or its default if it uses one.
    pub fn solver(&self, neighbourhood: Neighbourhood, alpha: Option<f32>) -> AnySolver {
        match self.kind {
            SolverKind::Automaton { default_alpha, with_alpha } => {
                with_alpha(alpha.unwrap_or_else(|| default_alpha(neighbourhood)))
            }
            SolverKind::Timed { solver, .. } => solver,
        }
    }
}

/// A computation generic over the solver, to be run with the solver chosen at run time.
pub trait WithSolver {
    /// Result of the computation.
    type Output;
    /// Runs the computation with a cell solver.
    fn cell<R: CellSolver>(self, solver: R) -> Self::Output;
    /// Runs the computation with an edge solver.
    fn edge<R: EdgeSolver>(self, solver: R) -> Self::Output;
    /// Runs the computation with a solver with momentum.
    fn momentum<R: MomentumSolver>(self, solver: R) -> Self::Output;
}

/// Defines `AnySolver` and `SOLVERS` from lines `Variant: Type, kind, INFO;`, where the kind is
/// `cell`,
/// `edge` or `momentum`.
macro_rules! registry {
    ($($variant:ident: $type:ty, $kind:ident, $info:path;)*) => {
        /// One of the registered solvers, with its parameters.
        #[derive(Clone, Copy, Debug)]
        pub enum AnySolver {
            $(#[doc = concat!("See [`", stringify!($type), "`].")] $variant($type),)*
        }

        impl AnySolver {
            /// Runs a generic computation with the solver.
            pub fn run<W: WithSolver>(self, what: W) -> W::Output {
                match self { $(AnySolver::$variant(solver) => what.$kind(solver),)* }
            }

            /// Returns its registry entry.
            pub fn info(self) -> &'static SolverInfo {
                match self { $(AnySolver::$variant(_) => &$info,)* }
            }

            /// Returns whether it carries momentum, that is, keeps the velocity on its edges.
            pub fn has_momentum(self) -> bool {
                self.remembers() == Some($crate::solver::edge::EdgeField::Velocity)
            }

            /// Returns the edge quantity that it keeps from step to step, if any.
            pub fn remembers(self) -> Option<$crate::solver::edge::EdgeField> {
                use $crate::solver::edge::EdgeField;
                struct Remembers;
                impl $crate::solver::WithSolver for Remembers {
                    type Output = Option<EdgeField>;
                    fn cell<R: $crate::solver::CellSolver>(self, _: R) -> Self::Output {
                        None
                    }
                    fn edge<R: $crate::solver::edge::EdgeSolver>(self, _: R) -> Self::Output {
                        R::REMEMBERS.then_some(EdgeField::Discharge)
                    }
                    fn momentum<R: $crate::solver::momentum::MomentumSolver>(self, _: R) -> Self::Output {
                        Some(EdgeField::Velocity)
                    }
                }
                self.run(Remembers)
            }

            /// Returns the CFL limit of an edge in a given state; steps without duration have no
            /// limit.
            pub fn allows(self, edge: $crate::solver::cfl::EdgeState) -> $crate::solver::cfl::CflLimit {
                use $crate::solver::cfl::{CflLimit, EdgeState};
                struct Ask(EdgeState);
                impl $crate::solver::WithSolver for Ask {
                    type Output = CflLimit;
                    fn cell<R: $crate::solver::CellSolver>(self, _: R) -> CflLimit {
                        CflLimit::default()
                    }
                    fn edge<R: $crate::solver::edge::EdgeSolver>(self, solver: R) -> CflLimit {
                        solver.allows(self.0)
                    }
                    fn momentum<R: $crate::solver::momentum::MomentumSolver>(self, solver: R) -> CflLimit {
                        solver.allows(self.0)
                    }
                }
                self.run(Ask(edge))
            }

            /// Returns the CFL rate (s⁻¹) of water of a given depth (m) arriving beside dry ground,
            /// on cells of a given length (m) with Manning's n `roughness`; 0 if steps have no
            /// duration.
            pub fn cfl_rate_of_depth(self, depth: f32, length: f32, roughness: f32) -> f32 {
                let (difference, donor, lengths) = (depth, depth, [length; 2]);
                let edge = $crate::solver::cfl::EdgeState {
                    difference, depth, donor, roughness, flow: 0.0, lengths,
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
                match self { $(AnySolver::$variant(solver) => solver.parameters(),)* }
            }
        }

        impl serde::Serialize for AnySolver {
            /// Serializes its name, order and relaxation, if any.
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                (self.info().name, self.info().order, self.parameters()[0]).serialize(to)
            }
        }

        impl<'de> serde::Deserialize<'de> for AnySolver {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<AnySolver, D::Error> {
                let (name, order, alpha) = <(String, u32, f32)>::deserialize(from)?;
                let info = SOLVERS.iter().find(|solver| solver.name == name && solver.order == order);
                let info = info.ok_or_else(|| serde::de::Error::custom(format!("a solver '{name}'")))?;
                Ok(info.solver($crate::neighbourhood::Neighbourhood::VonNeumann, Some(alpha)))
            }
        }

        /// All solvers, in the order of the help and of tables.
        pub static SOLVERS: &[&SolverInfo] = &[$(&$info),*];
    };
}

//! Judges a finished run by the flow statistics that it recorded.

use super::figure::{Figure, PlaceAndTime, Verdict, percent};
use super::{DEEP, FAST, divided_cells, limits, ripples};
use crate::engine::backend::{Backend, FluxStatistics};
use crate::engine::clock::Clock;
use crate::engine::field::Field;
use crate::engine::run_diagnostics::{Extremes, Maximum};
use crate::engine::solver;
use crate::error::Result;
use crate::output::watch::Records;
use crate::scenario::Facts;
use serde::Serialize;

/// Quality figures of a run in physical time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// Doubtful if any of the figures is.
    pub verdict: Verdict,
    /// Greatest speed in water deeper than [`DEEP`] (m/s).
    pub max_speed: Figure,
    /// Greatest Froude number in such water.
    pub max_froude: Figure,
    /// Share of the flow deeper than [`DEEP`] with a Froude number above [`FAST`], counted per edge
    /// and step.
    pub share_fast: Figure,
    /// Share of this flow that was limited to the critical discharge; `None` for solvers without
    /// this limit.
    pub share_critical: Option<Figure>,
    /// Share of the flow that was limited by the water available.
    pub flow_cut: Figure,
    /// Greatest rise of a cell's water due to flow in a step (m).
    pub greatest_rise: Figure,
    /// Share of the flooded cells in which a crest of the fine terrain separates two bodies of
    /// water; `None` without subgrid tables.
    pub share_parted: Option<Figure>,
    /// Ripple of the discharge through each section and structure, if the inflow is steady and the
    /// ripple can be determined, and oscillations of discharges and of depths at gauges.
    pub ripples: Vec<Figure>,
}

impl Quality {
    /// Returns all figures in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let first = [&self.max_speed, &self.max_froude, &self.share_fast];
        let then = self.share_critical.iter().chain([&self.flow_cut, &self.greatest_rise]);
        first.into_iter().chain(then).chain(&self.share_parted).chain(&self.ripples)
    }

    /// Returns the sentences of the doubtful figures. A single sentence covers water that is too
    /// fast for a solver.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let fast = self.share_fast.is_doubtful();
        let held = self.share_critical.as_ref().filter(|_| fast);
        self.figures()
            .filter(move |figure| held != Some(*figure))
            .filter_map(|figure| figure.sentence.as_deref())
    }
}

/// Judges a finished run; `None` for automata, which have no speed.
///
/// # Errors
/// If the state cannot be read.
pub fn judge(
    backend: &dyn Backend,
    clock: &Clock,
    facts: &Facts,
    records: &Records,
) -> Result<Option<Quality>> {
    if !facts.has_clock {
        return Ok(None);
    }
    let flow = FlowFigures::of(backend, clock, facts);
    let mut quality = Quality {
        verdict: Verdict::Ok,
        max_speed: flow.max_speed(),
        max_froude: flow.max_froude(),
        share_fast: flow.share_fast(),
        share_critical: flow.share_critical(),
        flow_cut: flow.cut(),
        greatest_rise: flow.rise(backend)?,
        share_parted: divided_cells::figure(backend, clock.now(), facts)?,
        ripples: ripples::figures(facts, records, clock, flow.momentum),
    };
    if quality.figures().any(Figure::is_doubtful) {
        quality.verdict = Verdict::Doubtful;
    }
    Ok(Some(quality))
}

/// Statistics of a run's flow, and what its figures depend on.
struct FlowFigures<'a> {
    clock: &'a Clock,
    facts: &'a Facts,
    /// Set if the solver has momentum.
    momentum: bool,
    crossed: FluxStatistics,
    extremes: Extremes,
}

impl<'a> FlowFigures<'a> {
    fn of(backend: &dyn Backend, clock: &'a Clock, facts: &'a Facts) -> FlowFigures<'a> {
        let solver = solver::find_order(facts.flow.solver, facts.flow.order);
        let momentum = solver.is_some_and(|solver| solver.has_momentum());
        let (crossed, extremes) = (backend.flux_statistics(), backend.extremes());
        FlowFigures { clock, facts, momentum, crossed, extremes }
    }

    /// Returns the place and time of a maximum.
    fn moment(&self, maximum: Maximum, time: f64) -> Option<PlaceAndTime> {
        PlaceAndTime::of(maximum, time, &self.facts.grid)
    }

    fn show(&self, at: &Option<PlaceAndTime>) -> String {
        at.map_or(String::new(), |at| at.show(self.clock))
    }

    /// Describes the limit of a maximum for the dam of the initial water, or for usual floods.
    fn limit_of_floods(&self, limit: f64, usual: f64, unit: &str) -> String {
        let drop = self.facts.initial_drop;
        if limit > usual {
            format!("and the wave of a dam that holds {drop:.1} m stays below {limit:.0}{unit}")
        } else {
            format!("and floods stay below {limit}{unit}")
        }
    }

    fn max_speed(&self) -> Figure {
        let speed = self.extremes.maxima.speed;
        let limit = limits::speed(self.facts.initial_drop);
        let advice = match self.momentum {
            true => {
                "look for a step in the terrain, or a whole river entering at one cell (use a line as the source), and check whether finer cells or a shorter dt_max change it"
            }
            false => "take --solver shallow-water",
        };
        let what = format!("greatest speed in water deeper than {DEEP} m");
        Figure::new(what, f64::from(speed.value()), Some(limit))
            .at("m/s", self.moment(speed, self.extremes.times[0]))
            .says(|figure| {
                format!(
                    "water deeper than {DEEP} m reaches a speed of {:.1} m/s {}, {}: do not trust speeds and hazards there; {advice}",
                    figure.value,
                    self.show(&figure.at),
                    self.limit_of_floods(limit, limits::SPEED, " m/s"),
                )
            })
    }

    /// Returns the place and time of the greatest Froude number.
    fn fastest(&self) -> Option<PlaceAndTime> {
        self.moment(self.extremes.maxima.froude, self.extremes.times[1])
    }

    fn max_froude(&self) -> Figure {
        let froude = self.extremes.maxima.froude.value();
        let limit = limits::froude(self.facts.initial_drop);
        let what = format!("greatest Froude number in water deeper than {DEEP} m");
        Figure::new(what, f64::from(froude), self.momentum.then_some(limit))
            .at("", self.fastest())
            .says(|figure| {
                format!(
                    "water deeper than {DEEP} m has a Froude number of {:.1} {}, {}: look there for a step in the terrain, or a source at a single cell",
                    figure.value,
                    self.show(&figure.at),
                    self.limit_of_floods(limit, limits::FROUDE, "")
                )
            })
    }

    fn share_fast(&self) -> Figure {
        let (fast, held) = (self.crossed.share_fast(), self.crossed.share_critical());
        let limit = (!self.momentum).then_some(limits::SHARE_FAST);
        let what =
            format!("share of the flow deeper than {DEEP} m above a Froude number of {FAST}");
        Figure::new(what, fast, limit).says(|_| {
            let also = if held > limits::SHARE_CRITICAL {
                format!("; on {} it was limited to critical flow", percent(held))
            } else {
                String::new()
            };
            format!(
                "{} was used above a Froude number of {FAST} on {} of the flow deeper than {DEEP} m (greatest {:.1} {}{also}): it neglects the momentum of such flow, so do not trust levels, speeds and arrivals there; use --solver shallow-water",
                self.facts.flow.solver,
                percent(fast),
                self.extremes.maxima.froude.value(),
                self.show(&self.fastest())
            )
        })
    }

    /// Returns the share of the flow that the inertial solver limited to critical flow.
    fn share_critical(&self) -> Option<Figure> {
        let solver = self.facts.flow.solver;
        if solver != solver::inertial::INFO.name {
            return None;
        }
        let held = self.crossed.share_critical();
        let what = format!("share of the flow deeper than {DEEP} m limited to critical flow");
        Some(Figure::new(what, held, Some(limits::SHARE_CRITICAL)).says(|_| {
            format!(
                "{solver} limited {} of the flow deeper than {DEEP} m to critical flow, which it cannot exceed: do not trust levels and arrivals there; use --solver shallow-water",
                percent(held)
            )
        }))
    }

    fn cut(&self) -> Figure {
        let cut = self.crossed.share_cut();
        let what = "share of the flow that was limited";
        Figure::new(what, cut, Some(limits::SHARE_CUT)).says(|_| {
            let why = match self.facts.flow.solver == solver::aqua_manning::INFO.name {
                true => "because it would have reversed the water levels or emptied its cell: on slopes below 0.0008, steady flow is up to (0.9·√(0.001/slope))^0.6 times too deep; try a shorter dt_max until little is limited, or use --solver shallow-water",
                false => "because the time step was too long or the cell ran dry: try a shorter dt_max and check whether the results change",
            };
            format!("{:.1} % of the flow was limited, {why}", 100.0 * cut)
        })
    }

    /// Returns the greatest rise of a cell's water in a step, compared with the most water that the
    /// cell ever held.
    fn rise(&self, backend: &dyn Backend) -> Result<Figure> {
        let rise = self.extremes.maxima.rise;
        let at = self.moment(rise, self.extremes.times[2]);
        let metres = |grains: f64| grains * f64::from(self.facts.flow.grain.metres());
        let value = metres(f64::from(rise.bits()));
        let mut most = [0];
        if let Some(PlaceAndTime { at, .. }) = at {
            backend.read_places(Field::MaxDepth, &[(at.column, at.row)], &mut most)?;
        }
        let most = metres(f64::from(most[0]));
        let limit = limits::RISE.max(limits::RISE_OF_DEPTH * most);
        let advice = match self.momentum {
            true => "try a shorter dt_max and check whether this changes",
            false => "use --solver shallow-water, or a shorter dt_max",
        };
        let what = "greatest rise of a cell's water in a step";
        let figure = Figure::new(what, value, Some(limit)).at("m", at);
        Ok(figure.says(|figure| {
            format!(
                "water rose by {value:.1} m in one step {}, to at most {most:.1} m: do not trust the greatest depth there; {advice}",
                self.show(&figure.at)
            )
        }))
    }
}

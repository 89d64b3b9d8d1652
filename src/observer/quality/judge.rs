//! Judges a finished run by the flow statistics that it recorded.

use super::figure::{Figure, Moment, Verdict, percent};
use super::{DEEP, FAST, limits, parted, ripples};
use crate::engine::backend::Backend;
use crate::engine::clock::Clock;
use crate::engine::field::Field;
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
    pub share_held: Option<Figure>,
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
        let then = self.share_held.iter().chain([&self.flow_cut, &self.greatest_rise]);
        first.into_iter().chain(then).chain(&self.share_parted).chain(&self.ripples)
    }

    /// Returns the sentences of the doubtful figures. A single sentence covers water that is too
    /// fast for a solver.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let fast = self.share_fast.is_doubtful();
        let held = self.share_held.as_ref().filter(|_| fast);
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
    let momentum = solver::find_order(facts.flow.solver, facts.flow.order)
        .is_some_and(|solver| solver.has_momentum());
    let (crossed, extremes) = (backend.flux_statistics(), backend.extremes());
    let [speed_s, froude_s, rise_s] = extremes.times;
    let maxima = extremes.maxima;
    let spot = |maximum, time| Moment::of(maximum, time, &facts.grid);
    let greatest = |value: f32| format!("greatest {value:.1}");
    let fast_at = spot(maxima.froude, froude_s);
    let show = |spot: &Option<Moment>| spot.map_or(String::new(), |at| at.show(clock));
    let solver = facts.flow.solver;
    let instead = |else_: &str| {
        if momentum { else_.to_string() } else { "take --solver shallow-water".into() }
    };

    let drop = facts.initial_drop;
    let stays = |limit: f64, usual: f64, unit: &str| {
        if limit > usual {
            format!("and the wave of a dam that holds {drop:.1} m stays below {limit:.0}{unit}")
        } else {
            format!("and floods stay below {limit}{unit}")
        }
    };
    let fastest = limits::speed(drop);
    let max_speed =
        Figure::new(format!("greatest speed in water deeper than {DEEP} m"), f64::from(maxima.speed.value()), Some(fastest))
            .at("m/s", spot(maxima.speed, speed_s))
            .says(|figure| {
                format!(
                    "water deeper than {DEEP} m reaches a speed of {:.1} m/s {}, {}: do not trust speeds and hazards there; {}",
                    figure.value,
                    show(&figure.at),
                    stays(fastest, limits::SPEED, " m/s"),
                    instead("look for a step in the terrain, or a whole river entering at one cell (use a line as the source), and check whether finer cells or a shorter dt_max change it")
                )
            });
    let max_froude = Figure::new(
        format!("greatest Froude number in water deeper than {DEEP} m"),
        f64::from(maxima.froude.value()),
        momentum.then_some(limits::froude(drop)),
    )
    .at("", fast_at)
    .says(|figure| {
        format!(
            "water deeper than {DEEP} m has a Froude number of {:.1} {}, {}: look there for a step in the terrain, or a source at a single cell",
            figure.value, show(&figure.at), stays(limits::froude(drop), limits::FROUDE, "")
        )
    });
    let (fast, held) = (crossed.share_fast(), crossed.share_held());
    let holds = solver == solver::inertial::INFO.name;
    let limit = (!momentum).then_some(limits::SHARE_FAST);
    let share_fast = Figure::new(format!("share of the flow deeper than {DEEP} m above a Froude number of {FAST}"), fast, limit)
        .says(|_| {
            let also = if held > limits::SHARE_HELD {
                format!("; on {} it was limited to critical flow", percent(held))
            } else {
                String::new()
            };
            format!(
                "{solver} was used above a Froude number of {FAST} on {} of the flow deeper than {DEEP} m ({} {}{also}): it neglects the momentum of such flow, so do not trust levels, speeds and arrivals there; use --solver shallow-water",
                percent(fast), greatest(maxima.froude.value()), show(&fast_at)
            )
        });
    let share_held = holds.then(|| {
        Figure::new(format!("share of the flow deeper than {DEEP} m limited to critical flow"), held, Some(limits::SHARE_HELD))
            .says(|_| {
                format!(
                    "{solver} limited {} of the flow deeper than {DEEP} m to critical flow, which it cannot exceed: do not trust levels and arrivals there; use --solver shallow-water",
                    percent(held)
                )
            })
    });
    let cut = crossed.share_cut();
    let flow_cut = Figure::new("share of the flow that was limited", cut, Some(limits::SHARE_CUT)).says(|_| {
        let why = match solver == solver::aqua_manning::INFO.name {
            true => "because it would have reversed the water levels or emptied its cell, mostly where levels are nearly equal: compare with --solver shallow-water",
            false => "because the time step was too long or the cell ran dry: try a shorter dt_max and check whether the results change",
        };
        format!("{:.1} % of the flow was limited, {why}", 100.0 * cut)
    });
    let greatest_rise =
        rise(backend, clock, facts, spot(maxima.rise, rise_s), maxima.rise.bits(), momentum)?;
    let ripples = ripples::figures(facts, records, clock, momentum);
    let mut quality = Quality {
        verdict: Verdict::Ok,
        max_speed,
        max_froude,
        share_fast,
        share_held,
        flow_cut,
        greatest_rise,
        share_parted: parted::figure(backend, clock.now(), facts)?,
        ripples,
    };
    if quality.figures().any(Figure::is_doubtful) {
        quality.verdict = Verdict::Doubtful;
    }
    Ok(Some(quality))
}

/// Returns the figure of the greatest rise of a cell's water in a step (grains), compared with the
/// most water that the cell ever held.
fn rise(
    backend: &dyn Backend,
    clock: &Clock,
    facts: &Facts,
    at: Option<Moment>,
    grains: u32,
    momentum: bool,
) -> Result<Figure> {
    let metres = |grains: f64| grains * f64::from(facts.flow.grain.metres());
    let value = metres(f64::from(grains));
    let mut most = [0];
    if let Some(spot) = at {
        backend.read_places(Field::MaxDepth, &[(spot.at.column, spot.at.row)], &mut most)?;
    }
    let most = metres(f64::from(most[0]));
    let limit = limits::RISE.max(limits::RISE_OF_DEPTH * most);
    let figure =
        Figure::new("greatest rise of a cell's water in a step", value, Some(limit)).at("m", at);
    Ok(figure.says(|figure| {
        let way = if momentum { "try a shorter dt_max and check whether this changes" } else { "use --solver shallow-water, or a shorter dt_max" };
        format!(
            "water rose by {value:.1} m in one step {}, to at most {most:.1} m: do not trust the greatest depth there; {way}",
            figure.at.map_or(String::new(), |at| at.show(clock))
        )
    }))
}

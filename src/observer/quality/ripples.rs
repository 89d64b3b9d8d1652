//! Figures of the fluctuations at sections, structures and gauges.

use super::figure::{Figure, percent};
use super::oscillation::{self, Swing};
use super::{limits, steady};
use crate::engine::clock::Clock;
use crate::output::watch::{Records, SectionFlow};
use crate::scenario::Facts;
use crate::units::show_volume;

/// Returns the ripple of each section's discharge under steady inflow, and the oscillations of
/// discharges and of depths at gauges, and uncertain volumes, that are beyond their limit. The line
/// of a structure is a section.
pub fn figures(facts: &Facts, records: &Records, clock: &Clock, momentum: bool) -> Vec<Figure> {
    let judge = Judge { facts, times: &records.times, clock, momentum };
    let sections = facts.watched.sections.iter().zip(&records.sections);
    let sections = sections.flat_map(|(section, flow)| {
        let name = &section.name;
        [judge.discharge(name, &flow.discharges), judge.volume(name, flow)].into_iter().flatten()
    });
    let gauges = facts.watched.gauges.iter().zip(&records.gauges);
    let gauges = gauges.filter_map(|(gauge, readings)| {
        let depths: Vec<f64> = readings.iter().map(|reading| reading.depth).collect();
        judge.depth(&gauge.name, &depths)
    });
    sections.chain(gauges).collect()
}

struct Judge<'a> {
    facts: &'a Facts,
    times: &'a [f64],
    clock: &'a Clock,
    momentum: bool,
}

impl Judge<'_> {
    /// Returns the ripple of values under steady inflow, if it can be determined.
    fn ripple(&self, values: &[f64]) -> Option<steady::Ripple> {
        steady::ripple(self.times, values, self.facts.steady_since?, self.clock.now())
    }

    fn discharge(&self, name: &str, discharges: &[f64]) -> Option<Figure> {
        if let Some(ripple) = self.ripple(discharges) {
            let what = format!("ripple of the discharge through '{name}'");
            let figure = Figure::new(what, ripple.share, Some(limits::RIPPLE));
            return Some(figure.says(|_| {
                format!(
                    "all inflow is steady, but the discharge through '{name}' fluctuates by {} of its mean ({:.4} to {:.4} m³/s): {}",
                    percent(ripple.share), ripple.low, ripple.high, self.remedy("max_velocity upstream of it")
                )
            }));
        }
        let allowed = |mean: f64| limits::RIPPLE * mean.abs();
        let swing = oscillation::largest(self.times, discharges, allowed)?;
        let share = swing.range / swing.mean.abs();
        let what = format!("oscillation of the discharge through '{name}'");
        Some(Figure::new(what, share, Some(limits::RIPPLE)).says(|_| {
            format!(
                "the discharge through '{name}' oscillates between samples by {} of its mean, {:.4} m³/s, {}: {}",
                percent(share), swing.mean, self.around(swing), self.remedy("max_velocity upstream of it")
            )
        }))
    }

    /// Returns the uncertainty of a section's volume if it is beyond its limit.
    fn volume(&self, name: &str, flow: &SectionFlow) -> Option<Figure> {
        let (unsure, passed) = flow.uncertainty();
        let what = format!("uncertainty of the volume through '{name}'");
        (unsure > limits::SAMPLED * passed).then(|| {
            Figure::new(what, unsure / passed, Some(limits::SAMPLED)).says(|_| {
                format!(
                    "the discharge through '{name}' changes faster than it is sampled, so its volume is uncertain by about {} ({} of what has passed), and its peak may be too low: give a shorter gauge_every",
                    show_volume(unsure),
                    percent(unsure / passed)
                )
            })
        })
    }

    fn depth(&self, name: &str, depths: &[f64]) -> Option<Figure> {
        let ripple = self.ripple(depths).map(|ripple| {
            let mean = 0.5 * (ripple.low + ripple.high);
            (Swing { mean, range: ripple.high - ripple.low, time: self.clock.now() }, "ripple")
        });
        let swing = || {
            let swing = oscillation::largest(self.times, depths, limits::swing_of_depth)?;
            Some((swing, "oscillation"))
        };
        let (swing, word) = ripple.or_else(swing)?;
        let limit = limits::swing_of_depth(swing.mean);
        let what = format!("{word} of the depth at gauge '{name}'");
        let figure = Figure::new(what, swing.range, Some(limit)).at("m", None).says(|_| {
            let cause =
                if word == "ripple" { "all inflow is steady, but the depth" } else { "the depth" };
            format!(
                "{cause} at gauge '{name}' oscillates by {:.2} m about {:.2} m {}: {}",
                swing.range,
                swing.mean,
                self.around(swing),
                self.remedy("max_velocity around it")
            )
        });
        figure.is_doubtful().then_some(figure)
    }

    fn around(&self, swing: Swing) -> String {
        format!("around {}", self.clock.show(swing.time.round()))
    }

    fn remedy(&self, place: &str) -> String {
        if self.momentum {
            let order = if self.facts.flow.order > 1 { "order = 1 or " } else { "" };
            format!(
                "unless a source, a pump or waves explain it, do not trust its peaks; look at {place}, and check whether it disappears with {order}a shorter dt_max"
            )
        } else {
            format!(
                "unless a source, a pump or waves explain it, do not trust its peaks: {} ripples in fast flow; use --solver shallow-water",
                self.facts.flow.solver
            )
        }
    }
}

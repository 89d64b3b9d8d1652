//! The main loop: takes steps, advances the clock and notifies observers.

use crate::backend::{Backend, Sample, SampleRequest, Stop};
use crate::cadence::{Cadence, Decision, Leg, MOST_AT_ONCE};
use crate::clock::{Clock, TimeStepping};
use crate::error::{Error, Result};
use crate::field::{Field, bits_mut};
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::grains::Grain;
use crate::time_step::{Stride, Until};
use crate::words;
use serde_json::Value;
use std::sync::Arc;

/// Maximum number of sample times given to a backend at once.
const SAMPLES: usize = 256;

/// Observer of a run. It is called from time to time, and at the times it asks for.
pub trait Observer {
    /// Returns the next time (s, or steps) at which it must be called; `None` leaves the choice to
    /// the loop. Adaptive steps land on this time.
    fn next_time(&self) -> Option<f64> {
        None
    }

    /// Returns the next time (s) to sample, that is to inspect the states before and after the step
    /// that contains it. Only used with adaptive steps; no step lands on this time, so the run does
    /// not depend on it.
    fn next_sample_time(&self) -> Option<f64> {
        None
    }

    /// Returns the values to sample at its sample times, if it accepts
    /// [receiving them afterwards](Observer::sampled).
    fn sample_request(&self) -> Option<SampleRequest> {
        None
    }

    /// Returns up to `_most` of its next sample times (s, ascending), if it has a
    /// [request](Observer::sample_request). The loop may still serve some of them through
    /// [`Observer::next_sample_time`].
    fn next_sample_times(&self, _most: usize) -> Vec<f64> {
        Vec::new()
    }

    /// Receives the samples taken before and after a step that contains a sample time.
    fn sampled(&mut self, _before: &Sample, _after: &Sample) -> Result<()> {
        Ok(())
    }

    /// Inspects the state before the step that contains its
    /// [next sample time](Observer::next_sample_time).
    fn before_step(&mut self, _clock: &Clock, _backend: &dyn Backend) -> Result<()> {
        Ok(())
    }

    /// Inspects the state after a step; an error ends the run.
    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()>;

    /// Finishes work done in parallel to the steps. Called before its state is saved and at the end
    /// of the run. An error ends the run.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the state it needs to resume the run from here, if any. Floats survive bit for bit,
    /// except NaN and infinity.
    fn save(&self) -> Result<Value> {
        Ok(Value::Null)
    }

    /// Restores what [`Observer::save`] returned, in a run that resumes at the clock's time; `self`
    /// is in its initial state.
    ///
    /// # Errors
    /// If `_saved` cannot have been written by this observer at that time.
    fn restore(&mut self, _saved: Value, _clock: &Clock) -> Result<()> {
        Ok(())
    }
}

/// Returns the error for a checkpoint that lacks an observer's state.
pub fn no_observer() -> Error {
    Error::input("resume: the checkpoint does not fit the run's outputs")
        .hint("start the run again from the beginning")
}

/// A run: a state that a clock advances under its forcing.
pub struct Simulation {
    /// Backend that holds the state.
    pub backend: Box<dyn Backend>,
    /// Clock of the run.
    pub clock: Clock,
    /// Timeline of the forcing, shared with the backend.
    pub timeline: Arc<Timeline>,
}

/// Asserts that a run can be sent to another thread.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Simulation>();
    is_send::<Error>();
};

/// Times at which steps stop next.
struct NextStops {
    /// Time on which steps land (s, or steps).
    due: f64,
    /// Time before which adaptive steps stop, so that observers can inspect the states around it
    /// (s).
    sample: f64,
    /// Earlier times at which the backend itself takes samples (s, ascending).
    samples: Vec<f64>,
}

impl Simulation {
    /// Creates a run from a backend that was set up, starting at the clock's time.
    pub fn new(backend: Box<dyn Backend>, clock: Clock) -> Simulation {
        Simulation { timeline: backend.timeline(), backend, clock }
    }

    /// Replaces the forcing by another problem's: new series of rain, inflow and stage for the same
    /// cells. Time continues, so the part of a series before now is skipped.
    ///
    /// # Errors
    /// If the number of series differs, or if the device fails.
    pub fn force(&mut self, timeline: Timeline) -> Result<()> {
        let (old, new) = (&self.timeline, &timeline);
        if old.pours != new.pours || old.levels.len() != new.levels.len() {
            return Err(Error::input("the forcing has more or fewer series than the run").hint(
                "give the same number of rain, inflow and level series as the run has, in the same order; use 0 for one that starts later",
            ));
        }
        self.timeline = Arc::new(timeline);
        self.backend.set_forcing(self.timeline.clone())
    }

    /// Replaces the tables of the laws, and limits the next steps to `longest` (s), for water that
    /// the new tables bring.
    ///
    /// # Errors
    /// If the device fails.
    pub fn set_tables(&mut self, tables: &[f32], longest: f64) -> Result<()> {
        if let TimeStepping::Adaptive { control, limits, .. } = &mut self.clock.time_stepping {
            let rate = (f64::from(limits.safety) / longest) as f32;
            if rate > control.rate {
                // A new epoch begins, which this rate limits.
                (control.rate, control.taken) = (rate, 0);
            }
        }
        self.backend.set_tables(tables)
    }

    /// Runs until the clock's end.
    pub fn run(&mut self, observers: &mut [&mut dyn Observer]) -> Result<()> {
        self.run_by(Leg::WHOLE, &mut Cadence::default(), observers, |_, _, _, _| Ok(()))
    }

    /// Runs for a leg, or until the clock's end, pausing as the cadence asks. `after` receives the
    /// cadence's decision, and the observers, each time after the observers were notified. Between
    /// two legs, observers have been notified of the last step.
    pub fn run_by(
        &mut self,
        leg: Leg,
        cadence: &mut Cadence,
        observers: &mut [&mut dyn Observer],
        mut after: impl FnMut(Decision, &Clock, &dyn Backend, &mut [&mut dyn Observer]) -> Result<()>,
    ) -> Result<()> {
        let sampler = self.sampling_observer(observers)?;
        let last = self.clock.done.saturating_add(leg.steps);
        while !self.clock.is_over() && !self.clock.has_reached(leg.until) && self.clock.done < last
        {
            let stops = self.next_stops(leg, observers, sampler);
            if self.next_step_contains(&stops) {
                for observer in observers.iter_mut() {
                    observer.before_step(&self.clock, &*self.backend)?;
                }
                self.backend.set_sample_times(&[]);
                self.advance_within(1, stops.due, f64::INFINITY)?;
            } else {
                self.advance_by_cadence(cadence, last - self.clock.done, &stops)?;
                if let Some(sampler) = sampler {
                    for [before, after] in self.backend.collect_samples() {
                        observers[sampler].sampled(&before, &after)?;
                    }
                }
            }
            self.notify(cadence, observers, &mut after)?;
        }
        Ok(())
    }

    /// Collects the times at which steps must stop next. `sampler` is the index of the observer
    /// whose samples the backend takes.
    fn next_stops(
        &self,
        leg: Leg,
        observers: &[&mut dyn Observer],
        sampler: Option<usize>,
    ) -> NextStops {
        let due = observers.iter().filter_map(|observer| observer.next_time());
        let due = due.fold(self.clock.end().min(leg.until), f64::min);
        let others = observers.iter().enumerate().filter(|(at, _)| Some(*at) != sampler);
        let sample = others.filter_map(|(_, observer)| observer.next_sample_time());
        let mut sample = sample.fold(f64::INFINITY, f64::min);
        let mut samples = Vec::new();
        if let Some(sampler) = sampler {
            samples = observers[sampler].next_sample_times(SAMPLES + 1);
            // Stop at the first time beyond those passed to the backend.
            sample = samples.get(SAMPLES).copied().unwrap_or(f64::INFINITY).min(sample);
            samples.retain(|time| *time < sample);
        }
        NextStops { due, sample, samples }
    }

    /// Takes at least one and up to `most` steps, until the next stop or until the cadence asks to
    /// pause.
    fn advance_by_cadence(
        &mut self,
        cadence: &mut Cadence,
        most: u64,
        stops: &NextStops,
    ) -> Result<()> {
        cadence.begin();
        self.backend.set_sample_times(&stops.samples);
        match self.backend.steps_at_once() {
            // Single steps are as fast here, and the run can stop after any of them.
            None => {
                let last = self.clock.done + most;
                while self.advance_within(1, stops.due, stops.sample)? > 0
                    && !self.clock.has_reached(stops.due)
                    && self.clock.done < last
                    && cadence.has_time()
                {}
            }
            Some(round) => {
                let steps = self.to_end_of_round(cadence.steps, round).min(most);
                cadence.took(self.advance_within(steps, stops.due, stops.sample)?);
            }
        }
        Ok(())
    }

    /// Finds the observer whose samples the backend can take itself, so that steps need not stop at
    /// its sample times.
    fn sampling_observer(&mut self, observers: &[&mut dyn Observer]) -> Result<Option<usize>> {
        let mut requests = observers.iter().enumerate();
        let requested = requests.find_map(|(at, of)| Some((at, of.sample_request()?)));
        let Some((sampler, request)) = requested else { return Ok(None) };
        let adaptive = matches!(self.clock.time_stepping, TimeStepping::Adaptive { .. });
        Ok((adaptive && self.backend.request_samples(&request)?).then_some(sampler))
    }

    /// Notifies the observers of the current state, then calls `after`.
    fn notify(
        &mut self,
        cadence: &mut Cadence,
        observers: &mut [&mut dyn Observer],
        after: &mut impl FnMut(Decision, &Clock, &dyn Backend, &mut [&mut dyn Observer]) -> Result<()>,
    ) -> Result<()> {
        if self.clock.is_over() {
            self.backend.conclude(self.clock.now())?;
        }
        for observer in observers.iter_mut() {
            observer.after_step(&self.clock, &*self.backend)?;
        }
        // A finished run cannot stop, and its results serve as well as a saved state.
        let decision = if self.clock.is_over() { Decision::GoOn } else { cadence.decide() };
        after(decision, &self.clock, &*self.backend, observers)?;
        if decision == Decision::Save {
            cadence.saved();
        }
        Ok(())
    }

    /// Returns `true` if the next adaptive step would end at or after the next sample time.
    fn next_step_contains(&self, stops: &NextStops) -> bool {
        let TimeStepping::Adaptive { mut control, limits, .. } = self.clock.time_stepping else {
            return false;
        };
        if stops.sample.is_infinite() {
            return false;
        }
        let until = self.timeline.until(control.time, u64::MAX, stops.due, stops.sample);
        let freely = Until { before: f64::INFINITY, ..until };
        control.stride(limits, until).is_none() && control.stride(limits, freely).is_some()
    }

    /// Ends the run now, before the clock's end, and notifies the observers, some of which read the
    /// final state.
    pub fn end_here(&mut self, observers: &mut [&mut dyn Observer]) -> Result<()> {
        self.clock.end_here();
        self.notify(&mut Cadence::default(), observers, &mut |_, _, _, _| Ok(()))
    }

    /// Reads a field line by line ([`Field::shape`]), as bits.
    pub fn bits(&self, field: Field) -> Result<Vec<u32>> {
        let (width, lines) = field.shape(self.backend.shape());
        let mut bits = vec![0; width * lines];
        self.backend.read_lines(field, 0, &mut bits)?;
        Ok(bits)
    }

    /// Reads a field of floats line by line.
    pub fn floats(&self, field: Field) -> Result<Vec<f32>> {
        Ok(self.bits(field)?.into_iter().map(f32::from_bits).collect())
    }

    /// Takes `steps` steps without notifying observers.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        let mut left = steps;
        while left > 0 {
            left -= self.advance_within(left, f64::INFINITY, f64::INFINITY)?;
        }
        Ok(())
    }

    /// Takes at least `steps` steps without observers, rounded up to whole rounds of the backend.
    /// Returns the number taken.
    pub fn advance_about(&mut self, steps: u64) -> Result<u64> {
        let round = self.backend.steps_at_once().unwrap_or(1);
        let mut taken = 0;
        while taken < steps {
            let wanted = self.to_end_of_round(steps - taken, round);
            taken += self.advance_within(wanted, f64::INFINITY, f64::INFINITY)?;
        }
        Ok(taken)
    }

    /// Rounds a step count up to the end of a round of `round` steps, taking into account how far
    /// the current epoch has got.
    fn to_end_of_round(&self, steps: u64, round: u64) -> u64 {
        let begun = self.clock.taken_of_epoch() % round;
        let most = MOST_AT_ONCE / round * round;
        (steps + begun).next_multiple_of(round).min(most) - begun
    }

    /// Takes steps without observers until a time (s, or steps), on which adaptive steps land.
    pub fn advance_to(&mut self, time: f64) -> Result<()> {
        while !self.clock.has_reached(time) {
            self.advance_within(MOST_AT_ONCE, time, f64::INFINITY)?;
        }
        Ok(())
    }

    /// Takes up to `steps` steps, at least one but not beyond `due` (s, or steps). Adaptive steps
    /// also stop before `sample` (s). Returns the number taken.
    fn advance_within(&mut self, steps: u64, due: f64, sample: f64) -> Result<u64> {
        let first = self.clock.done;
        let most = steps.min(MOST_AT_ONCE);
        let result = match &mut self.clock.time_stepping {
            TimeStepping::Equal { .. } => {
                let until = self.clock.step_at(due).unwrap_or(u64::MAX).max(first + 1);
                let count = most.min(until - first);
                let steps: Vec<Step> = (first..first + count).map(|n| self.step(n)).collect();
                let result = self.backend.advance(&steps);
                self.clock.done += count;
                result
            }
            &mut TimeStepping::Adaptive { mut control, limits, end } => {
                let until = self.timeline.until(control.time, first + most, due, sample);
                let result = self.backend.advance_adaptive(&mut control, limits, until);
                self.clock.done = control.number;
                self.clock.time_stepping = TimeStepping::Adaptive { control, limits, end };
                result
            }
        };
        match result {
            Ok(()) => Ok(self.clock.done - first),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::TooDeep { step }) => {
                self.clock.done = step;
                Err(self.too_deep())
            }
        }
    }

    /// Builds step `number` of a run with steps of equal length.
    fn step(&self, number: u64) -> Step {
        let dt = self.clock.longest_step();
        let taken = number - self.clock.first;
        let (start, end) = (taken as f64 * dt, (taken + 1) as f64 * dt);
        self.timeline.step(Stride { number, dt: dt as f32, start, end })
    }

    fn too_deep(&self) -> Error {
        let when = self.clock.show(self.clock.now());
        let deepest = self.timeline.grain.deepest();
        let error = Error::always(format!("water got deeper than {deepest:.0} m after {when}"))
            .at(self.deepest_place());
        match self.timeline.grain {
            Grain::Fine => error.hint(format!(
                "take coarse grains (grain: coarse), which allow depths of up to {:.0} m",
                Grain::Coarse.deepest()
            )),
            Grain::Coarse => error.hint("look for a pit in the DEM or an inflow that is too large"),
        }
    }

    /// Describes the location of the deepest water for the error message.
    fn deepest_place(&self) -> String {
        let (columns, rows) = self.backend.shape();
        let mut row_water = vec![0; columns];
        let mut deepest = (0, 0, 0);
        for row in 0..rows {
            if self.backend.read(Field::Water, row, bits_mut(&mut row_water)).is_err() {
                return "its position cannot be read".into();
            }
            for (column, &water) in row_water.iter().enumerate() {
                // A sum too large for i32 reads as a negative number.
                deepest = deepest.max((water as u32, column, row));
            }
        }
        let (water, column, row) = deepest;
        let depth = f64::from(water) * f64::from(self.timeline.grain.metres());
        // The state may be that before the step that failed.
        let when =
            if depth < self.timeline.grain.deepest() { "just before, deepest" } else { "deepest" };
        format!("{when}: {depth:.1} m in {}", words::place(column, row))
    }
}

//! Tests of the clock of the timed solvers.

use super::common::Random;
use super::compare::Numbers;
use super::sheet::{argument, twins};
use inundate_engine::backend::cuda::clock::clock_params::{Clock, Ticking};
use inundate_engine::backend::cuda::params::{StepConstants, Totals};
use inundate_engine::forcing::step::Step;
use inundate_engine::forcing::timeline::Timeline;
use inundate_engine::grains;
use inundate_engine::time_step::{Bound, Limits, StepControl, Until};

/// Number of runs, and maximum number of steps of a run.
const RUNS: u64 = 3000;
const STEPS: u64 = 100;

/// Duration of earlier runs (s).
const ELAPSED: f64 = 1_234.567_890_1;

fn until_of<'a>(numbers: &mut Numbers, bounds: &'a [Bound]) -> Until<'a> {
    let mut time = |share: f64| match numbers.0.unit() {
        x if x < share => f64::INFINITY,
        _ => f64::from(numbers.size(-8, 14)),
    };
    let (time, before) = (time(0.0), time(0.7));
    Until { time, number: 5 + numbers.0.bits() % (2 * STEPS), before, bounds }
}

/// Returns random step bounds that start at random times; none in one of four runs.
fn bounds_of(numbers: &mut Numbers) -> Vec<Bound> {
    let count = (numbers.0.bits() % 8).saturating_sub(1) * 3;
    let mut time = -1.0;
    let mut bound = || {
        time += f64::from(numbers.size(-9, 6));
        let longest = match numbers.0.unit() {
            x if x < 0.3 => f64::INFINITY,
            _ => f64::from(numbers.size(-7, 6)) / 3.0,
        };
        Bound { time, longest }
    };
    (0..count).map(|_| bound()).collect()
}

#[test]
fn step_lengths_match() {
    let mut numbers = Numbers(Random::new(7));
    let (mut taken, mut epochs) = (0, 0);
    let timeline = Timeline { elapsed: ELAPSED, ..Timeline::default() };
    for _ in 0..RUNS {
        let limits = Limits { safety: numbers.of(&[1.0, 0.9]), longest: numbers.size(-6, 7) };
        let bounds = bounds_of(&mut numbers);
        let until = until_of(&mut numbers, &bounds);
        let mut control = StepControl::START;
        let mut clock = device(&control, until);
        for _ in 0..STEPS {
            let rate_before = control.rate;
            let step_constants = tick(&mut clock, limits, &bounds);
            let stride = control.stride(limits, until);
            assert_eq!(
                step_constants.is_none(),
                stride.is_none(),
                "{control:?}, {limits:?}, {until:?}"
            );
            let (Some(step_constants), Some(stride)) = (step_constants, stride) else { break };
            taken += 1;
            epochs += u64::from(control.taken == 1);
            let StepConstants { dt, start, end, phase, elapsed_start, elapsed_end, .. } =
                step_constants;
            let theirs = (
                step_constants.half_step / 2,
                [dt, start, end, phase, elapsed_start, elapsed_end].map(f32::to_bits),
                bits_of(&clock.control),
            );
            let Step { number, dt, start, end, elapsed, .. } = timeline.step(stride);
            let ours = (
                number,
                [dt, start, end, grains::phase(number), elapsed[0], elapsed[1]].map(f32::to_bits),
                bits_of(&control),
            );
            assert_eq!(theirs, ours, "{stride:?}, {limits:?}, {until:?}");
            // The rate mostly changes little, as in real flow: epochs last.
            control.rate = match numbers.0.unit() {
                x if x < 0.1 => numbers.amount(-8, 12),
                x => rate_before * (0.9 + 0.25 * x as f32),
            };
            clock.control.rate = control.rate;
            if numbers.0.unit() < 0.02 {
                control.free = 0.0;
                clock.control.free = 0.0;
            }
        }
    }
    assert!(taken > RUNS * 10, "{taken} steps");
    assert!(4 * epochs < 3 * taken && 16 * epochs > taken, "{epochs} epochs in {taken} steps");
}

/// Creates the device's clock in the state of a run.
pub fn device(control: &StepControl, until: Until) -> Clock {
    Clock { way: (control.number % 2) as u32, ..Clock::new(control, until, f64::INFINITY) }
}

/// Returns the full state of a run, to the bit.
fn bits_of(control: &StepControl) -> (u64, u64, u32, [u32; 5]) {
    let &StepControl { time, number, free, rate, epoch_rate, taken, shortest, longest } = control;
    let lengths = [free, shortest, longest, rate, epoch_rate].map(f32::to_bits);
    (time.to_bits(), number, taken, lengths)
}

/// Takes the next step of a clock, if there is one.
fn tick(clock: &mut Clock, limits: Limits, bounds: &[Bound]) -> Option<StepConstants> {
    let mut step_constants = StepConstants::default();
    let mut totals = Totals { halted_at: u64::MAX, ..Totals::default() };
    let to = Ticking {
        clock: &raw mut *clock as u64,
        step_constants: &raw mut step_constants as u64,
        totals: &raw mut totals as u64,
        bounds: bounds.as_ptr() as u64,
        bound_count: bounds.len() as u32,
        per_metre: 1.0,
        elapsed: ELAPSED,
        limits,
        ..Ticking::default()
    };
    // SAFETY: there are no series, and the bounds outlive the call.
    unsafe { twins().launch("tick", [1, 1], [1, 1], &[argument(&to)]) };
    (step_constants.way < 2).then_some(step_constants)
}

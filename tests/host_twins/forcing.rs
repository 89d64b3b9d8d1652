//! Tests of pure functions that the kernels of all flows share: phases, shares, series, outflow,
//! hazards.

use super::common::Random;
use super::compare::{Numbers, assert_same, bits, columns, halves};
use super::sheet::twins;
use inundate_engine::cell_diagnostics::RowFlow;
use inundate_engine::forcing::normal_depth::NormalDepthOutflow;
use inundate_engine::forcing::series::Series;
use inundate_engine::forcing::{Increment, Share};
use inundate_engine::grains::{Grain, MAX_WATER, phase};
use inundate_engine::hazard;

const MANY: usize = 1 << 20;

#[test]
fn phases_and_shares_match() {
    let twins = twins();
    let mut random = Random::new(1);
    let steps: Vec<u64> =
        (0..MANY as u64 / 2).chain((0..MANY / 2).map(|_| random.bits())).collect();
    let theirs = twins.call("phase_of", &[], &halves(&steps), 1);
    let ours: Vec<u32> = steps.iter().map(|&step| phase(step).to_bits()).collect();
    assert_same("phase_of", &theirs, &[ours], |at| steps[at]);

    let shares: Vec<Share> = (0..MANY)
        .map(|at| match at % 8 {
            0 => Share::WHOLE,
            1 => Share::of(0.0),
            _ => Share::of(random.unit()),
        })
        .collect();
    let before: Vec<u64> = (0..MANY).map(|at| random.bits() >> (at % 60)).collect();
    let after: Vec<u64> =
        before.iter().map(|&before| before.wrapping_add(random.bits() >> 30)).collect();
    let [before_low, before_high] = halves(&before);
    let [after_low, after_high] = halves(&after);
    let share_bits = shares.iter().map(|share| share.bits()).collect();
    let input = [share_bits, before_low, before_high, after_low, after_high];
    let theirs = twins.call("gains", &[], &input, 2);
    let gains = |at: usize| shares[at].gains(Increment { before: before[at], after: after[at] });
    let ours = halves(&(0..MANY).map(gains).collect::<Vec<u64>>());
    assert_same("gains", &theirs, &ours, |at| (shares[at], before[at], after[at]));
}

#[test]
fn hazards_and_flow_magnitudes_match() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(2));
    // The limits of the guidelines, and values next to them.
    let mut limits: Vec<f32> = hazard::CLASSES.concat();
    limits.extend([hazard::FILM, hazard::DEEP_DEBRIS]);
    let near = |numbers: &mut Numbers| match numbers.0.unit() {
        x if x < 0.3 => f32::from_bits(numbers.of(&limits).to_bits() - 1 + numbers.of(&[0, 1, 2])),
        _ => numbers.amount(-12, 6),
    };
    let cases = columns(MANY, || {
        let (depth, speed) = (near(&mut numbers), near(&mut numbers));
        // Includes products at the limits.
        let at = numbers.of(&limits) / depth.max(1e-3);
        [depth, if numbers.of(&[true, false]) { speed } else { at }]
    });
    let theirs = twins.call("hazard", &[], &bits(&cases), 2);
    let each = |of: fn(f32, f32) -> f32| -> Vec<u32> {
        cases[0].iter().zip(&cases[1]).map(|(&depth, &speed)| of(depth, speed).to_bits()).collect()
    };
    let ours = [each(hazard::rating), each(hazard::class)];
    assert_same("hazard", &theirs, &ours, |at| [cases[0][at], cases[1][at]]);

    let flows = columns(MANY, || std::array::from_fn::<_, 4, _>(|_| numbers.signed(-40, 7)));
    let theirs = twins.call("size_in", &[], &bits(&flows), 1);
    let size = |at: usize| {
        let [west, east, north, south] = flows.each_ref().map(|column| column[at]);
        let flow = RowFlow { along: &[west, east], before: &[north], after: &[south] };
        flow.size(0).to_bits()
    };
    let ours = [(0..MANY).map(size).collect()];
    assert_same("size_in", &theirs, &ours, |at| flows.each_ref().map(|column| column[at]));
}

#[test]
fn normal_depth_outflow_matches() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(3));
    for step in 0..64 {
        let (grain, dt, count) =
            (numbers.of(&[Grain::Fine, Grain::Coarse]), numbers.size(-10, 6), MANY / 64);
        let waters: Vec<i32> =
            (0..count).map(|_| numbers.amount(0, 31).min(MAX_WATER as f32) as i32).collect();
        let conveyances: Vec<f32> = (0..count).map(|_| numbers.size(-20, 8)).collect();
        let constants = [grain.metres(), grain.per_metre(), dt, phase(step)];
        let columns = [
            waters.iter().map(|&water| water as u32).collect(),
            conveyances.iter().map(|conveyance| conveyance.to_bits()).collect(),
        ];
        let theirs = twins.call("leaves_of", &constants, &columns, 1);
        let leaves = |at: usize| {
            NormalDepthOutflow::leaves(conveyances[at], waters[at], dt, phase(step), grain) as u32
        };
        let ours = [(0..count).map(leaves).collect()];
        assert_same("leaves_of", &theirs, &ours, |at| (waters[at], conveyances[at], dt, step));
    }
}

#[test]
fn series_values_match() {
    let twins = twins();
    let mut numbers = Numbers(Random::new(4));
    for number in 0..64 {
        let mut time = numbers.0.between(0.0, 10.0);
        let points = (0..1 + number % 9).map(|_| {
            time += numbers.0.between(1e-3, 500.0);
            (time, numbers.0.between(0.0, 1e-3))
        });
        let points: Vec<(f64, f64)> = points.collect();
        let series = if number % 2 == 0 { Series::linear(points) } else { Series::new(points) };
        let grain = numbers.of(&[Grain::Fine, Grain::Coarse]);
        let starts: Vec<f64> = series.pieces().iter().map(|piece| piece.time).collect();
        let times: Vec<f64> = (0..MANY / 64)
            .map(|at| match at % 4 {
                0 => numbers.of(&starts),
                _ => numbers.0.between(0.0, 2.0 * time),
            })
            .collect();
        let words = [
            series.pieces().as_ptr() as u64,
            series.pieces().len() as u64,
            f64::from(grain.per_metre()).to_bits(),
        ];
        let constants = halves(&words);
        let constants: Vec<f32> = (0..3)
            .flat_map(|word| constants.each_ref().map(|half| f32::from_bits(half[word])))
            .collect();
        let input = halves(&times.iter().map(|time| time.to_bits()).collect::<Vec<u64>>());
        let theirs = twins.call("series", &constants, &input, 4);
        let totals: Vec<u64> = times.iter().map(|&time| series.grains(time, grain)).collect();
        let per_metre = f64::from(grain.per_metre());
        let level = |&time: &f64| (series.at(time) * per_metre).floor() as i64 as u64;
        let levels: Vec<u64> = times.iter().map(level).collect();
        let ours = [halves(&totals), halves(&levels)].concat();
        assert_same("series", &theirs, &ours, |at| (times[at], series.pieces()));
    }
}

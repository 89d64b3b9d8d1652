//! Tests of losses to the ground, sewers and the air.

use super::common::Random;
use super::compare::{Numbers, assert_same};
use super::sheet::{CELLS, COLUMNS, ROWS, Sheet, argument, origin, place, water_of};
use inundate_engine::backend::cuda::compile::fields::Fields;
use inundate_engine::backend::cuda::diagnostics::{GroundLosses as DeviceGround, LossParameters};
use inundate_engine::backend::cuda::params::{Params, StepConstants, Totals};
use inundate_engine::field::Field;
use inundate_engine::forcing::Increment;
use inundate_engine::grains::{Grain, phase};
use inundate_engine::losses::{GroundLosses, Infiltration, StepLosses, Taken};

/// Random ground, with capacities far beyond natural ones: a difference in the last bit shows only
/// in many grains.
fn ground(numbers: &mut Numbers) -> GroundLosses {
    let infiltration = match numbers.of(&[0, 1, 2, 3, 4]) {
        0 => Infiltration::None,
        1 => Infiltration::Constant { rate: numbers.amount(-30, 0) },
        2 => {
            let last = numbers.amount(-30, -1);
            let first = last + numbers.amount(-30, -1);
            Infiltration::Horton { first, last, decay: numbers.size(-20, 2) }
        }
        3 => Infiltration::GreenAmpt {
            conductivity: numbers.size(-30, -1),
            suction: numbers.amount(-10, 4),
        },
        _ => Infiltration::CurveNumber { retention: numbers.size(-10, 2) },
    };
    let initial = numbers.amount(0, 24) as i32;
    GroundLosses { initial, infiltration, drainage: numbers.amount(-30, 0) }
}

#[test]
fn losses_match() {
    let mut numbers = Numbers(Random::new(5));
    let mut sheet = Sheet::new();
    for step in 0..8 {
        let grain = numbers.of(&[Grain::Fine, Grain::Coarse]);
        let grounds: Vec<GroundLosses> = (0..64).map(|_| ground(&mut numbers)).collect();
        let device_grounds: Vec<DeviceGround> = grounds.iter().map(DeviceGround::from).collect();
        let mut plane = |of: fn(&mut Numbers) -> i32| -> Vec<i32> {
            (0..CELLS).map(|_| of(&mut numbers)).collect()
        };
        let mut water = plane(water_of);
        let mut soaked = plane(|numbers| numbers.amount(0, 31) as i32);
        let mut excess = plane(|numbers| numbers.amount(0, 31) as i32);
        let mut rained = plane(|numbers| numbers.amount(0, 28) as i32);
        let mut kinds: Vec<u32> = (0..CELLS as u32).map(|at| at % grounds.len() as u32).collect();
        let dt = numbers.size(-10, 6);
        let air = Increment { before: 7, after: 7 + numbers.amount(0, 20) as u64 };
        sheet.step_constants = StepConstants { dt, phase: phase(step), ..StepConstants::default() };
        sheet.totals = Totals { halted_at: u64::MAX, ..Totals::default() };
        let (mut ours, mut ours_soaked) = (water.clone(), soaked.clone());
        let mut ours_excess = excess.clone();
        let step_losses = StepLosses::new(dt, phase(step), grain, Some(air));
        let mut taken = Taken::default();
        for row in 0..ROWS {
            for at in (0..COLUMNS).map(|column| place(column, row)) {
                if ours[at] > 0 {
                    let ground = &grounds[kinds[at] as usize];
                    let (soaked, excess) = (&mut ours_soaked[at], &mut ours_excess[at]);
                    taken +=
                        step_losses.take(ground, &mut ours[at], rained[at], soaked, Some(excess));
                }
            }
        }
        let before = (water.clone(), soaked.clone(), excess.clone(), rained.clone());
        let params = sheet.params(grain, &mut water);
        let fields = Fields::of(|field, _| match field {
            Field::Water => origin(&mut water),
            Field::Ground => origin(&mut kinds),
            Field::Soaked => origin(&mut soaked),
            Field::Excess => origin(&mut excess),
            Field::Rained => origin(&mut rained),
            _ => 0,
        });
        let params = Params { fields, ..params };
        let with = LossParameters {
            grounds: device_grounds.as_ptr() as u64,
            evaporation: &raw const air as u64,
        };
        // SAFETY: all arrays are the sheet's.
        unsafe { sheet.launch("losses", &[argument(&params), argument(&with)]) };
        let bits = |array: &[i32]| array.iter().map(|&x| x as u32).collect::<Vec<u32>>();
        let theirs = [bits(&water), bits(&soaked), bits(&excess)];
        let ours = [bits(&ours), bits(&ours_soaked), bits(&ours_excess)];
        assert_same("losses: water, soaked, excess", &theirs, &ours, |at| {
            let ground = grounds[kinds[at] as usize];
            (ground, before.0[at], before.1[at], before.2[at], before.3[at], step_losses)
        });
        assert!(
            (0..ROWS).all(|row| rained[place(0, row)..place(COLUMNS, row)].iter().all(|&r| r == 0))
        );
        assert_eq!(sheet.totals.taken, taken);
    }
}

//! The roots of the timed solvers give the same bits on every processor: a fingerprint of all their
//! results over the whole range is committed here, and must be reproduced with every instruction
//! set.

use inundate_engine::lanes::{InstructionSet, Real, WithLanes};
use inundate_engine::solver::roots::{
    guess_inverse, guess_root, inverse_fourth_root, inverse_sixth_root, rough_inverse_cube_root,
    rough_inverse_root,
};
use std::marker::PhantomData;

/// Numbers computed at a time; a multiple of every vector width.
const CHUNK: usize = 1024;

/// A function of one number.
trait Root: Copy {
    fn of<V: Real>(x: V) -> V;
}

macro_rules! roots {
    ($($name:ident: $root:ident;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name;
        impl Root for $name {
            #[inline(always)]
            fn of<V: Real>(x: V) -> V {
                $root(x)
            }
        }
    )*};
}

roots! {
    Sixth: inverse_sixth_root;
    Fourth: inverse_fourth_root;
    Cube: rough_inverse_cube_root;
    Rough: rough_inverse_root;
    GuessRoot: guess_root;
    GuessInverse: guess_inverse;
}

/// FNV-1a hash, word by word, of the bits of a root of every `stride`-th float between 2^low and
/// 2^high.
#[derive(Clone, Copy)]
struct Fingerprint<R> {
    root: PhantomData<R>,
    low: i32,
    high: i32,
    stride: usize,
}

impl<R: Root> WithLanes for Fingerprint<R> {
    type Output = u64;

    #[inline(always)]
    fn with<V: Real>(self) -> u64 {
        let range = 2f32.powi(self.low).to_bits()..=2f32.powi(self.high).to_bits();
        let (end, stride) = (*range.end(), self.stride as u32);
        let mut next = *range.start();
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut numbers = [1.0f32; CHUNK];
        while next <= end {
            let mut count = 0;
            while count < CHUNK && next <= end {
                numbers[count] = f32::from_bits(next);
                next += stride;
                count += 1;
            }
            for at in (0..CHUNK).step_by(V::LANES) {
                // SAFETY: a chunk is a multiple of the vector width.
                unsafe { R::of(V::load(&numbers, at)).store(&mut numbers, at) };
            }
            for number in &numbers[..count] {
                hash = (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        hash
    }
}

fn assert_fingerprint<R: Root>(_: R, low: i32, high: i32, stride: usize, expected: u64) {
    let fingerprint = Fingerprint::<R> { root: PhantomData, low, high, stride };
    for set in InstructionSet::available() {
        let found = set.run(fingerprint);
        assert_eq!(found, expected, "2^{low} to 2^{high}, {}: {found:#018x}", set.name());
    }
}

#[test]
fn sixth_root_of_every_number_in_range() {
    assert_fingerprint(Sixth, -17, 12, 1, 0xded3_44b7_6a5e_69f4);
}

#[test]
fn fourth_root_of_every_seventh_number_in_range() {
    assert_fingerprint(Fourth, -80, 24, 7, 0x9701_99d2_fa52_a3b0);
}

#[test]
fn cube_root_of_every_number_in_range() {
    assert_fingerprint(Cube, -17, 12, 1, 0x9708_2498_5abf_6d2e);
}

#[test]
fn approximate_root_of_every_eleventh_number_in_range() {
    assert_fingerprint(Rough, -100, 40, 11, 0xd6ff_e711_38e6_febf);
}

#[test]
fn root_estimate_of_every_61st_number() {
    assert_fingerprint(GuessRoot, -100, 100, 61, 0x6054_8e4a_8d3d_c8e9);
}

#[test]
fn inverse_estimate_of_every_61st_number() {
    assert_fingerprint(GuessInverse, -100, 100, 61, 0xfe0a_a10b_6dea_cc96);
}

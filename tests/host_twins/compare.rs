//! Compares functions of the kernels with those of Rust, over many numbers and with every
//! instruction set.

use super::common::Random;
use super::compile::Twins;
use inundate_engine::lanes::{InstructionSet, Real, WithLanes};

/// A function of `I` numbers with `O` results.
pub trait Function<const I: usize, const O: usize>: Copy {
    /// Computes the results.
    fn of<V: Real>(self, x: [V; I]) -> [V; O];
}

/// A function applied to columns of numbers.
struct InLanes<'a, F, const I: usize, const O: usize> {
    function: F,
    input: &'a [Vec<f32>; I],
}

impl<F: Function<I, O>, const I: usize, const O: usize> WithLanes for InLanes<'_, F, I, O> {
    type Output = [Vec<f32>; O];

    #[inline(always)]
    fn with<V: Real>(self) -> [Vec<f32>; O] {
        let InLanes { function, input } = self;
        let count = input[0].len();
        let mut output = [const { Vec::new() }; O];
        for column in &mut output {
            *column = vec![0.0; count];
        }
        for at in (0..count).step_by(V::LANES) {
            let mut x = [V::zero(); I];
            for column in 0..I {
                // SAFETY: the columns contain whole vectors.
                x[column] = unsafe { V::load(&input[column], at) };
            }
            let y = function.of(x);
            for column in 0..O {
                // SAFETY: as above.
                unsafe { y[column].store(&mut output[column], at) };
            }
        }
        output
    }
}

/// Fails unless a function of `twins` gives the same bits as in Rust, for all vector widths. There
/// must be enough numbers to fill the widest vectors.
pub fn compare<F: Function<I, O>, const I: usize, const O: usize>(
    twins: &Twins,
    name: &str,
    constants: &[f32],
    input: [Vec<f32>; I],
    function: F,
) {
    assert!(input.iter().all(|column| column.len() == input[0].len() && column.len() % 16 == 0));
    let theirs = twins.call(name, constants, &bits(&input), O);
    for set in InstructionSet::available() {
        let ours = bits(&set.run(InLanes { function, input: &input }));
        assert_same(
            &format!("{}, {name}, {}, {constants:?}", twins.name, set.name()),
            &theirs,
            &ours,
            |at| input.each_ref().map(|column| column[at]),
        );
    }
}

/// Fails at the first difference.
pub fn assert_same<X: std::fmt::Debug>(
    name: &str,
    theirs: &[Vec<u32>],
    ours: &[Vec<u32>],
    input: impl Fn(usize) -> X,
) {
    for (column, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
        if theirs == ours {
            continue;
        }
        let at = (0..ours.len()).find(|&at| theirs[at] != ours[at]).expect("a difference");
        let wrong = (0..ours.len()).filter(|&at| theirs[at] != ours[at]).count();
        let shown = |bits: u32| format!("{bits:#010x} ({:e})", f32::from_bits(bits));
        panic!(
            "{name}: result {column} is {} in the kernels and {} in Rust for {:?} ({wrong} of {} differ)",
            shown(theirs[at]),
            shown(ours[at]),
            input(at),
            ours.len()
        );
    }
}

/// Generator of random numbers of all magnitudes.
pub struct Numbers(pub Random);

impl Numbers {
    /// Returns a number from 2^low to 2^high, equally often from each binade; occasionally a power
    /// of two or a neighbour of one.
    pub fn size(&mut self, low: i32, high: i32) -> f32 {
        let bits = self.0.bits();
        let exponent = low + ((bits >> 32) as u32 % (high - low) as u32) as i32;
        let mantissa = match bits >> 27 & 15 {
            0 => 0,
            1 => 0x7f_ffff,
            _ => bits as u32 & 0x7f_ffff,
        };
        f32::from_bits(((exponent + 127) as u32) << 23 | mantissa)
    }

    /// Returns a number of either sign, or 0.
    pub fn signed(&mut self, low: i32, high: i32) -> f32 {
        match self.0.bits() >> 59 {
            0..3 => 0.0,
            3..17 => -self.size(low, high),
            _ => self.size(low, high),
        }
    }

    /// Returns a positive number, or 0.
    pub fn amount(&mut self, low: i32, high: i32) -> f32 {
        self.signed(low, high).abs()
    }

    /// Returns one of some numbers.
    pub fn of<T: Copy>(&mut self, some: &[T]) -> T {
        some[(self.0.bits() >> 32) as usize % some.len()]
    }
}

/// Returns columns of `count` cases.
pub fn columns<const I: usize>(count: usize, mut case: impl FnMut() -> [f32; I]) -> [Vec<f32>; I] {
    let mut columns = [const { Vec::new() }; I];
    for _ in 0..count {
        for (column, x) in columns.iter_mut().zip(case()) {
            column.push(x);
        }
    }
    columns
}

/// Converts numbers to their bits.
pub fn bits(columns: &[Vec<f32>]) -> Vec<Vec<u32>> {
    columns.iter().map(|column| column.iter().map(|x| x.to_bits()).collect()).collect()
}

/// Splits 64-bit words into two columns.
pub fn halves(words: &[u64]) -> [Vec<u32>; 2] {
    [0, 32].map(|shift| words.iter().map(|word| (word >> shift) as u32).collect())
}

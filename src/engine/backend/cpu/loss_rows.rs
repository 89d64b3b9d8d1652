//! Losses of a row of cells, in loops that compilers vectorize for the caller's instruction set.

use crate::backend::padded_grid::INSIDE;
use crate::losses::{GroundLosses, HORTON, Infiltration, Losses, MODELS, StepLosses, Taken};

/// Number of cells whose losses are computed at a time, from copies that do not overlap, so that
/// compilers vectorize the loops.
const BLOCK: usize = 64;

/// Losses of a run, in the form that rows need.
#[derive(Clone)]
pub struct LossTable {
    /// The kinds of ground: initial loss, code and parameters of the model, and capacity of sewers.
    kinds: Vec<(i32, i32, [f32; 3], f32)>,
    /// Which models any ground has, by code.
    models: [bool; MODELS as usize],
    /// Rate layer that is booked as evaporation, if any.
    pub evaporation: Option<usize>,
}

impl LossTable {
    /// Converts the losses of a run.
    pub fn new(losses: &Losses) -> LossTable {
        let mut models = [false; MODELS as usize];
        let mut coded = |ground: &GroundLosses| {
            let (code, parameters) = ground.infiltration.coded();
            models[code as usize] = true;
            (ground.initial, code, parameters, ground.drainage)
        };
        let kinds = losses.grounds.iter().map(&mut coded).collect();
        LossTable { kinds, models, evaporation: losses.evaporation }
    }
}

/// Losses of the ground of a block of cells, one array per property.
pub struct GroundBlock<'a> {
    initial: [i32; BLOCK],
    codes: [i32; BLOCK],
    parameters: [[f32; BLOCK]; 3],
    drainage: [f32; BLOCK],
    table: &'a LossTable,
}

impl GroundBlock<'_> {
    /// Returns a block whose cells are all of the first kind.
    pub fn new(table: &LossTable) -> GroundBlock<'_> {
        let (initial, code, parameters, drainage) = table.kinds[0];
        GroundBlock {
            initial: [initial; BLOCK],
            codes: [code; BLOCK],
            parameters: parameters.map(|parameter| [parameter; BLOCK]),
            drainage: [drainage; BLOCK],
            table,
        }
    }

    /// Sets the ground of the first cells by their kinds.
    #[inline(always)]
    fn fill(&mut self, kinds: &[u32]) {
        for (cell, &kind) in kinds.iter().enumerate().take(BLOCK) {
            let (initial, code, [a, b, c], drainage) = self.table.kinds[kind as usize];
            self.initial[cell] = initial;
            self.codes[cell] = code;
            self.parameters[0][cell] = a;
            self.parameters[1][cell] = b;
            self.parameters[2][cell] = c;
            self.drainage[cell] = drainage;
        }
    }
}

/// Cells of a row and their state, which losses change; see [`StepLosses::take`].
pub struct LossRow<'a> {
    /// Water (grains).
    pub water: &'a mut [i32],
    /// Rain of the step (grains), if a model needs it.
    pub rain: Option<&'a mut [u32]>,
    /// Initial loss and infiltration so far (grains).
    pub soaked: &'a mut [i32],
    /// Infiltration beyond Horton's final capacity (grains), if any ground is Horton's.
    pub excess: Option<&'a mut [i32]>,
    /// Flags of the padded grid.
    pub flags: &'a [u8],
    /// Kinds of ground, if there are several.
    pub kinds: Option<&'a [u32]>,
}

/// Copies of the state of a block of cells; cells outside the domain have no water.
struct StateBlock {
    water: [i32; BLOCK],
    rain: [i32; BLOCK],
    soaked: [i32; BLOCK],
    excess: [i32; BLOCK],
}

impl StepLosses {
    /// Applies the losses of a row of cells.
    ///
    /// # Panics
    /// If an array is shorter than the row of water.
    #[inline(always)]
    pub fn take_row(&self, ground: &mut GroundBlock, row: LossRow) -> Taken {
        let mut taken = Taken::default();
        let LossRow { water, mut rain, soaked, mut excess, flags, kinds } = row;
        for first in (0..water.len()).step_by(BLOCK) {
            let cells = first..water.len().min(first + BLOCK);
            let count = cells.len();
            let zeros = [0; BLOCK];
            let mut state = StateBlock { water: zeros, rain: zeros, soaked: zeros, excess: zeros };
            let mut any = false;
            for (cell, (&water, flags)) in
                water[cells.clone()].iter().zip(&flags[cells.clone()]).enumerate()
            {
                state.water[cell] = if flags & INSIDE != 0 { water } else { 0 };
                any |= state.water[cell] > 0;
            }
            if let Some(rain) = &mut rain {
                for (to, rain) in state.rain.iter_mut().zip(&mut rain[cells.clone()]) {
                    *to = std::mem::take(rain) as i32;
                }
            }
            if !any {
                continue;
            }
            state.soaked[..count].copy_from_slice(&soaked[cells.clone()]);
            if let Some(excess) = &excess {
                state.excess[..count].copy_from_slice(&excess[cells.clone()]);
            }
            if let Some(kinds) = kinds {
                ground.fill(&kinds[cells.clone()]);
            }
            taken += self.take_block(ground, &mut state);
            for (cell, (water, flags)) in
                water[cells.clone()].iter_mut().zip(&flags[cells.clone()]).enumerate()
            {
                *water = if flags & INSIDE != 0 { state.water[cell] } else { *water };
            }
            soaked[cells.clone()].copy_from_slice(&state.soaked[..count]);
            if let Some(excess) = &mut excess {
                excess[cells].copy_from_slice(&state.excess[..count]);
            }
        }
        taken
    }

    /// Applies the losses of a block of cells.
    #[inline(always)]
    fn take_block(&self, ground: &GroundBlock, state: &mut StateBlock) -> Taken {
        let mut taken = Taken::default();
        for code in 0..MODELS {
            if !ground.table.models[code as usize] {
                continue;
            }
            // A constant code leaves a single model in the loop.
            taken += match code {
                0 => self.take_model(0, ground, state),
                1 => self.take_model(1, ground, state),
                HORTON => self.take_model(HORTON, ground, state),
                3 => self.take_model(3, ground, state),
                _ => self.take_model(4, ground, state),
            };
        }
        taken
    }

    /// Applies the losses of the cells of a block that have this infiltration model.
    #[inline(always)]
    fn take_model(&self, code: i32, ground: &GroundBlock, state: &mut StateBlock) -> Taken {
        let mut taken = Taken::default();
        let StateBlock { water, rain, soaked, excess } = state;
        let [a, b, c] = &ground.parameters;
        for cell in 0..BLOCK {
            let of_cell = GroundLosses {
                initial: ground.initial[cell],
                infiltration: Infiltration::decoded(code, [a[cell], b[cell], c[cell]]),
                drainage: ground.drainage[cell],
            };
            let (mut left, mut so_far, mut beyond) = (water[cell], soaked[cell], excess[cell]);
            let lost = self.take(&of_cell, &mut left, rain[cell], &mut so_far, Some(&mut beyond));
            let counts = (ground.codes[cell] == code) & (water[cell] > 0);
            water[cell] = if counts { left } else { water[cell] };
            soaked[cell] = if counts { so_far } else { soaked[cell] };
            excess[cell] = if counts { beyond } else { excess[cell] };
            let once = i64::from(counts);
            taken += Taken {
                initial: lost.initial * once,
                infiltration: lost.infiltration * once,
                drainage: lost.drainage * once,
                evaporation: lost.evaporation * once,
            };
        }
        taken
    }
}

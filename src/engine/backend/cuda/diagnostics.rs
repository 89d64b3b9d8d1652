//! Planes of frames for cell diagnostics and for the state of losses.

use crate::backend::Problem;
use crate::backend::cuda::clock::step_constants::ConstantAddresses;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{float_assertions, layouts, twin};
use crate::cell_diagnostics::{self, CellDiagnostic, RISES};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::Increment;
use crate::hazard::{CLASSES, DEEP_DEBRIS, FILM};
use crate::losses::{self, Losses, MOST};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Maximum number of cell diagnostics of a run, as in kernels/cell_diagnostics.cu.
pub(crate) const MOST_DIAGNOSTICS: usize = 12;

twin! {
    /// A cell diagnostic to record.
    DiagnosticPlane {
        /// Address of column 0, row 0 of its plane.
        plane: u64,
        /// Address of column 0, row 0 of its second plane, if any.
        peak: u64,
        /// Its kind; see [`CellDiagnostic::code`].
        kind: i32,
        /// Depth above which a cell counts (grains).
        above: i32,
        /// Number of ticks per second, or per step, of [`CellDiagnostic::Wet`].
        ticks: f32,
        /// Unused padding of the struct.
        spare: u32,
    }
}

twin! {
    /// All cell diagnostics to record.
    DiagnosticPlanes {
        /// Their planes.
        planes: [DiagnosticPlane; MOST_DIAGNOSTICS],
        /// Number of recorded cell diagnostics.
        count: u64,
        /// Planes of [`CellDiagnostic::LevelArrivals`], if recorded.
        rises: [u64; RISES],
    }
}

twin! {
    /// A kind of ground.
    GroundLosses {
        /// Initial loss of the ground (grains).
        initial: i32,
        /// Code of the infiltration model.
        how: i32,
        /// First parameter of the model; see [`losses::Infiltration`].
        a: f32,
        /// Second parameter of the model; see [`losses::Infiltration`].
        b: f32,
        /// Third parameter of the model; see [`losses::Infiltration`].
        c: f32,
        /// Capacity of sewers (m/s).
        drainage: f32,
    }
}

twin! {
    /// Inputs of losses in addition to the frame: addresses, 0 if not needed.
    LossParameters {
        /// Device array of [`GroundLosses`]s.
        grounds: u64,
        /// The [`Increment`] of evaporation.
        evaporation: u64,
    }
}

impl From<&losses::GroundLosses> for GroundLosses {
    fn from(ground: &losses::GroundLosses) -> GroundLosses {
        let (how, [a, b, c]) = ground.infiltration.coded();
        GroundLosses { initial: ground.initial, how, a, b, c, drainage: ground.drainage }
    }
}

/// Cell diagnostics and losses of a run, as a GPU needs them.
pub struct Diagnostics {
    cell_diagnostics: Vec<CellDiagnostic>,
    /// Kinds of ground and the rate layer of evaporation, if there are losses.
    losses: Option<(Block, Option<usize>)>,
}

impl Diagnostics {
    /// Sets up the cell diagnostics and losses of a problem.
    pub fn new(stream: &Arc<CudaStream>, problem: &Problem) -> Result<Diagnostics> {
        assert!(problem.cell_diagnostics.len() <= MOST_DIAGNOSTICS);
        let block = |losses: &Losses| {
            let grounds: Vec<GroundLosses> =
                losses.grounds.iter().map(GroundLosses::from).collect();
            Ok((Block::of(stream, &grounds)?, losses.evaporation))
        };
        let losses = problem.losses.as_ref().map(block).transpose()?;
        Ok(Diagnostics { cell_diagnostics: problem.cell_diagnostics.clone(), losses })
    }

    /// Returns `true` if anything is recorded for every cell.
    pub(crate) fn has_diagnostics(&self) -> bool {
        !self.cell_diagnostics.is_empty()
    }

    /// Returns the cell diagnostics to record in a frame, if any.
    pub fn cell_diagnostics(&self, frame: &Frame) -> Option<DiagnosticPlanes> {
        if self.cell_diagnostics.is_empty() {
            return None;
        }
        let (places, _) = cell_diagnostics::first_planes(&self.cell_diagnostics);
        let mut all = DiagnosticPlanes {
            count: self.cell_diagnostics.len() as u64,
            ..DiagnosticPlanes::default()
        };
        for ((diagnostic, place), to) in
            self.cell_diagnostics.iter().zip(places).zip(&mut all.planes)
        {
            let (kind, above) = diagnostic.code();
            let plane = frame.address(Field::Diagnostic(place), 0);
            let second = diagnostic.planes() > 1;
            let peak = if second { frame.address(Field::Diagnostic(place + 1), 0) } else { 0 };
            let ticks = diagnostic.ticks() as f32;
            *to = DiagnosticPlane { plane, peak, kind, above, ticks, spare: 0 };
            if let CellDiagnostic::LevelArrivals { .. } = diagnostic {
                all.rises = std::array::from_fn(|knot| {
                    frame.address(Field::Diagnostic(place + 2 + knot), 0)
                });
            }
        }
        Some(all)
    }

    /// Returns the inputs of losses in a step with constants at `place`, if there are losses.
    pub(crate) fn loss_parameters(&self, place: ConstantAddresses) -> Option<LossParameters> {
        let (grounds, evaporation) = self.losses.as_ref()?;
        let increment = |layer: usize| place.increments + (layer * size_of::<Increment>()) as u64;
        Some(LossParameters {
            grounds: grounds.address,
            evaporation: evaporation.map_or(0, increment),
        })
    }
}

/// Returns the assertions for every struct and constant of the diagnostics kernels.
pub(crate) fn diagnostic_assertions() -> String {
    let constants = [
        ("FILM", FILM),
        ("DEEP_DEBRIS", DEEP_DEBRIS),
        ("MOST_TAKEN", MOST),
        ("MOST_DIAGNOSTICS", MOST_DIAGNOSTICS as f32),
        ("RISES", RISES as f32),
    ];
    let above = 0;
    let kinds = [
        ("PEAK_TIME", CellDiagnostic::PeakTime),
        ("WET_TIME", CellDiagnostic::Wet { above, ticks: 1 }),
        ("ARRIVAL", CellDiagnostic::Arrival { above }),
        ("SPEED", CellDiagnostic::Speed),
        ("UNIT_DISCHARGE", CellDiagnostic::MaxUnitDischarge),
        ("HAZARD", CellDiagnostic::Hazard { above }),
        ("HAZARD_CLASS", CellDiagnostic::Class { above }),
        ("LEVEL_ARRIVALS", CellDiagnostic::LevelArrivals { above }),
    ]
    .map(|(name, diagnostic)| (name, diagnostic.code().0 as f32));
    let limit = |(c, k): (usize, usize)| (format!("class_limit({c}, {k})"), CLASSES[c][k]);
    let limits: Vec<_> =
        (0..CLASSES.len()).flat_map(|c| (0..3).map(move |k| (c, k))).map(limit).collect();
    let limits: Vec<_> = limits.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    float_assertions(&constants)
        + &float_assertions(&kinds)
        + &float_assertions(&limits)
        + &layouts!(DiagnosticPlane DiagnosticPlanes GroundLosses LossParameters)
}

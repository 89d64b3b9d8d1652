//! Planes of frames in which tracks record and losses keep their state.

use crate::backend::Problem;
use crate::backend::cuda::clock::step_constants::ConstantAddresses;
use crate::backend::cuda::frame::Frame;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{float_assertions, layouts, twin};
use crate::cell_diagnostics::{self, RISES, TICKS, Track};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::Increment;
use crate::hazard::{CLASSES, DEEP_DEBRIS, FILM};
use crate::losses::{self, Infiltration, Losses, MOST};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Maximum number of tracks of a run, as in kernels/cell_diagnostics.cu.
pub(crate) const MOST_TRACKS: usize = 12;

twin! {
    /// A track to record.
    Tracked {
        /// Address of column 0, row 0 of its plane.
        plane: u64,
        /// Address of column 0, row 0 of its second plane, if any.
        peak: u64,
        /// Code of the track; see [`Track::code`].
        what: i32,
        /// Depth above which a cell counts (grains).
        above: i32,
    }
}

twin! {
    /// All tracks to record.
    Tracks {
        /// The tracks of the run.
        tracks: [Tracked; MOST_TRACKS],
        /// Number of recorded tracks.
        count: u64,
        /// Planes of the levels whose passing is recorded, if it is ([`Track::LevelArrivals`]).
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
        /// First parameter of the model; see [`Infiltration`].
        a: f32,
        /// Second parameter of the model; see [`Infiltration`].
        b: f32,
        /// Third parameter of the model; see [`Infiltration`].
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
        let (how, [a, b, c]) = match ground.infiltration {
            Infiltration::None => (0, [0.0; 3]),
            Infiltration::Constant { rate } => (1, [rate, 0.0, 0.0]),
            Infiltration::Horton { first, last, decay } => (2, [first, last, decay]),
            Infiltration::GreenAmpt { conductivity, suction } => (3, [conductivity, suction, 0.0]),
            Infiltration::CurveNumber { retention } => (4, [retention, 0.0, 0.0]),
        };
        GroundLosses { initial: ground.initial, how, a, b, c, drainage: ground.drainage }
    }
}

/// Tracks and losses of a run, as a GPU needs them.
pub struct Diagnostics {
    tracks: Vec<Track>,
    /// Kinds of ground and the rate layer of evaporation, if there are losses.
    losses: Option<(Block, Option<usize>)>,
}

impl Diagnostics {
    /// Sets up the tracks and losses of a problem.
    pub fn new(stream: &Arc<CudaStream>, problem: &Problem) -> Result<Diagnostics> {
        assert!(problem.tracks.len() <= MOST_TRACKS);
        let block = |losses: &Losses| {
            let grounds: Vec<GroundLosses> =
                losses.grounds.iter().map(GroundLosses::from).collect();
            Ok((Block::of(stream, &grounds)?, losses.evaporation))
        };
        let losses = problem.losses.as_ref().map(block).transpose()?;
        Ok(Diagnostics { tracks: problem.tracks.clone(), losses })
    }

    /// Returns `true` if anything is recorded for every cell.
    pub(crate) fn has_tracks(&self) -> bool {
        !self.tracks.is_empty()
    }

    /// Returns the tracks to record in a frame, if any.
    pub fn tracks(&self, frame: &Frame) -> Option<Tracks> {
        if self.tracks.is_empty() {
            return None;
        }
        let (places, _) = cell_diagnostics::places(&self.tracks);
        let mut all = Tracks { count: self.tracks.len() as u64, ..Tracks::default() };
        for ((track, place), to) in self.tracks.iter().zip(places).zip(&mut all.tracks) {
            let (what, above) = track.code();
            let plane = frame.address(Field::Track(place), 0);
            let second = track.planes() > 1;
            let peak = if second { frame.address(Field::Track(place + 1), 0) } else { 0 };
            *to = Tracked { plane, peak, what, above };
            if let Track::LevelArrivals { .. } = track {
                all.rises =
                    std::array::from_fn(|knot| frame.address(Field::Track(place + 2 + knot), 0));
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
        ("TICKS", TICKS),
        ("FILM", FILM),
        ("DEEP_DEBRIS", DEEP_DEBRIS),
        ("MOST_TAKEN", MOST),
        ("MOST_TRACKS", MOST_TRACKS as f32),
        ("RISES", RISES as f32),
    ];
    let limit = |(c, k): (usize, usize)| (format!("class_limit({c}, {k})"), CLASSES[c][k]);
    let limits: Vec<_> =
        (0..CLASSES.len()).flat_map(|c| (0..3).map(move |k| (c, k))).map(limit).collect();
    let limits: Vec<_> = limits.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    float_assertions(&constants)
        + &float_assertions(&limits)
        + &layouts!(Tracked Tracks GroundLosses LossParameters)
}

//! Runs that are spread over several processes, called ranks: their numbers and connections.
//!
//! The launcher sets the number of ranks in the environment. The first rank reads, writes and
//! controls the run; the others hold strips of the map and execute its commands
//! ([`crate::engine::backend::ranks`]).

mod meeting;
#[cfg(feature = "mpi")]
mod mpi;
mod place;
mod tcp;
mod visitors;

use crate::engine::backend::cuda::device::discover::devices;
use crate::engine::backend::ranks::wire::Wire;
use crate::engine::backend::ranks::{RankDevice, end_all, serve};
use crate::engine::device::Device;
use crate::error::Result;
pub use place::RankPlace;
use std::sync::{Arc, OnceLock};

/// This rank and its connections, once set up. Never set if this process is the only one.
static MET: OnceLock<ConnectedRank> = OnceLock::new();

/// A rank that is connected to all others.
struct ConnectedRank {
    place: RankPlace,
    wire: Arc<dyn Wire>,
}

/// Connects to the other ranks, if there are any. Returns the place of this rank.
///
/// # Errors
/// If the other ranks do not connect in time.
pub fn meet() -> Result<Option<RankPlace>> {
    let Some(place) = place::of_environment(|name| std::env::var(name).ok())? else {
        return Ok(None);
    };
    let wire = connect(&place)?;
    // A process connects only once.
    let _ = MET.set(ConnectedRank { place: place.clone(), wire });
    Ok(Some(place))
}

/// Returns the number of ranks.
pub fn count() -> usize {
    MET.get().map_or(1, |met| met.place.count)
}

/// Ends all other ranks. Called by the first rank.
pub fn dismiss() -> Result<()> {
    wire().map_or(Ok(()), |wire| end_all(&*wire))
}

/// Closes the connections after a run or an error. Waits until everything posted has been sent.
pub fn part() {
    if let Some(met) = MET.get() {
        met.wire.finish();
    }
}

#[cfg(feature = "mpi")]
fn connect(place: &RankPlace) -> Result<Arc<dyn Wire>> {
    match place.by {
        place::By::Mpi => mpi::connect(place),
        _ => meeting::connect(place),
    }
}

#[cfg(not(feature = "mpi"))]
fn connect(place: &RankPlace) -> Result<Arc<dyn Wire>> {
    meeting::connect(place)
}

/// Returns the wire to all ranks; `None` if this process is the only one.
pub fn wire() -> Option<Arc<dyn Wire>> {
    MET.get().map(|met| met.wire.clone())
}

/// Returns the device of this rank. Unless the options name one, the ranks of a host use its GPUs
/// in turn, by their numbers on the host.
pub fn device_of(requested: Device) -> Device {
    let Some(ConnectedRank { place, .. }) = MET.get() else { return requested };
    match requested {
        Device::Auto | Device::Cuda(None) | Device::CudaAll => {
            let found = devices();
            let usable = found.gpus.iter().filter(|gpu| gpu.obstacle.is_none());
            let usable: Vec<usize> = usable.map(|gpu| gpu.ordinal).collect();
            match usable.len() {
                0 => requested,
                count => Device::Cuda(Some(usable[place.on_host % count])),
            }
        }
        named => named,
    }
}

/// Executes the first rank's commands until the run is over, on what `here` returns. Returns
/// `false` if there was nothing to do.
pub fn work(here: impl FnOnce() -> Result<RankDevice>) -> Result<bool> {
    serve(&*wire().expect("the ranks are connected"), here)
}

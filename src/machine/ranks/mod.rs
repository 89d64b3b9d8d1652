//! Several processes as one run: which of them this one is, and how they find each other.
//!
//! Whoever starts them says in the environment how many there are. The first reads, writes and has the run in hand; the others
//! hold strips of the map and do what it asks ([`crate::engine::backend::ranks`]).

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

/// This process among all, once they have met; none if it is alone.
static MET: OnceLock<Met> = OnceLock::new();

/// A rank that has met the others.
struct Met {
    place: RankPlace,
    wire: Arc<dyn Wire>,
}

/// Meets the other ranks, if there are any; says which rank this is. An error if they do not come.
pub fn meet() -> Result<Option<RankPlace>> {
    let Some(place) = place::of_environment(|name| std::env::var(name).ok())? else {
        return Ok(None);
    };
    let wire = connect(&place)?;
    // A process meets the others once.
    let _ = MET.set(Met { place: place.clone(), wire });
    Ok(Some(place))
}

/// How many ranks there are.
pub fn count() -> usize {
    MET.get().map_or(1, |met| met.place.count)
}

/// Tells the others, from the first, that there is nothing more to do.
pub fn dismiss() -> Result<()> {
    wire().map_or(Ok(()), |wire| end_all(&*wire))
}

/// Tells the others that this rank is done, however that came: all that was sent goes out before the process ends.
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

/// The wire to all ranks; none if this process is alone.
pub fn wire() -> Option<Arc<dyn Wire>> {
    MET.get().map(|met| met.wire.clone())
}

/// The device of this rank: of several GPUs of its host the one with its number among the host's ranks, unless one is named.
pub fn device_of(asked: Device) -> Device {
    let Some(Met { place, .. }) = MET.get() else { return asked };
    match asked {
        Device::Auto | Device::Cuda(None) | Device::CudaAll => {
            let found = devices();
            let usable = found.gpus.iter().filter(|gpu| gpu.obstacle.is_none());
            let usable: Vec<usize> = usable.map(|gpu| gpu.ordinal).collect();
            match usable.len() {
                0 => asked,
                count => Device::Cuda(Some(usable[place.on_host % count])),
            }
        }
        named => named,
    }
}

/// Computes what the first rank asks until the run is over, `here` saying on what; says whether there was something to do.
pub fn work(here: impl FnOnce() -> Result<RankDevice>) -> Result<bool> {
    serve(&*wire().expect("it has met the others"), here)
}

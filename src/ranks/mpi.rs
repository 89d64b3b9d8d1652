//! A wire over MPI. What is sent waits for a thread of its own, so that no one waits for who receives.

use super::place::Place;
use crate::engine::backend::ranks::wire::{Lane, Wire};
use crate::error::{Error, Result};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

/// The most that goes in one piece (bytes): MPI counts in 32 bits.
const PIECE: usize = 1 << 30;

/// Receiver, lane and message.
type Posted = (usize, Lane, Vec<u8>);

/// All ranks, as MPI has them.
struct World(SimpleCommunicator);

// SAFETY: MPI was asked for several threads at a time, and says that it bears them.
unsafe impl Send for World {}
// SAFETY: as above.
unsafe impl Sync for World {}

/// Connections to all other ranks.
struct Mpi {
    world: World,
    to: Mutex<Option<Sender<Posted>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// What MPI needs to end in order.
    universe: Mutex<Option<Universe>>,
}

/// Meets the other ranks. An error if MPI cannot be used by several threads, or was told of others.
pub fn connect(place: &Place) -> Result<Arc<dyn Wire>> {
    let (universe, threading) = mpi::initialize_with_threading(Threading::Multiple)
        .ok_or_else(|| Error::run("MPI was started before"))?;
    if threading < Threading::Multiple {
        return Err(Error::run("this MPI does not bear several threads at a time")
            .hint("use one that was built with MPI_THREAD_MULTIPLE, or a program without the feature 'mpi'"));
    }
    let world = universe.world();
    let (rank, count) = (world.rank() as usize, world.size() as usize);
    if (rank, count) != (place.rank, place.count) {
        return Err(Error::run(format!(
            "MPI says that this is rank {rank} of {count}, and its launcher {} of {}",
            place.rank, place.count
        ))
        .hint("start it with the mpirun of the MPI that it was built with"));
    }
    let (to, posted) = channel::<Posted>();
    let all = World(universe.world());
    let writer = spawn(move || {
        let World(all) = &{ all };
        for (to, lane, message) in posted {
            let process = all.process_at_rank(to as i32);
            process.send_with_tag(&(message.len() as u64), lane as i32);
            for piece in message.chunks(PIECE) {
                process.send_with_tag(piece, lane as i32);
            }
        }
    });
    Ok(Arc::new(Mpi {
        world: World(world),
        to: Mutex::new(Some(to)),
        writer: Mutex::new(Some(writer)),
        universe: Mutex::new(Some(universe)),
    }))
}

impl Wire for Mpi {
    fn rank(&self) -> usize {
        self.world.0.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.0.size() as usize
    }

    fn send(&self, to: usize, lane: Lane, message: Vec<u8>) -> Result<()> {
        let sender = self.to.lock().expect("no one panics");
        let gone = || Error::run("MPI has ended");
        let sender = sender.as_ref().ok_or_else(gone)?;
        sender.send((to, lane, message)).map_err(|_| gone())
    }

    fn receive(&self, from: usize, lane: Lane) -> Result<Vec<u8>> {
        let process = self.world.0.process_at_rank(from as i32);
        let (length, _) = process.receive_with_tag::<u64>(lane as i32);
        let mut message = vec![0; length as usize];
        for piece in message.chunks_mut(PIECE) {
            process.receive_into_with_tag(piece, lane as i32);
        }
        Ok(message)
    }

    fn finish(&self) {
        self.to.lock().expect("no one panics").take();
        if let Some(writer) = self.writer.lock().expect("no one panics").take() {
            let _ = writer.join();
        }
        self.universe.lock().expect("no one panics").take();
    }
}

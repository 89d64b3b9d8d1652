//! How ranks talk to each other.

use crate::error::{Error, Result};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a message is about. Those of one lane come in the order in which they were sent, whatever goes on in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// What the first rank asks of another.
    Command,
    /// What that answers.
    Answer,
    /// The state of halos, from any rank to any other.
    Rim,
}

impl Lane {
    /// All of them, each at the place that it has as a number.
    pub const ALL: [Lane; 3] = [Lane::Command, Lane::Answer, Lane::Rim];
}

/// The connections of a rank to all others.
pub trait Wire: Send + Sync {
    /// How many ranks there are. They are numbered from 0; the first has the run in hand.
    fn ranks(&self) -> usize;

    /// Sends a message, and does not wait for it to be received.
    fn send(&self, to: usize, lane: Lane, message: Vec<u8>) -> Result<()>;

    /// The next message of another rank. An error if that is gone.
    fn receive(&self, from: usize, lane: Lane) -> Result<Vec<u8>>;

    /// Waits until all that was sent has gone out; nothing can be sent after that.
    fn finish(&self) {}
}

/// The error of a rank that hears no more of another.
pub fn gone(rank: usize) -> Error {
    Error::run(format!("rank {rank} is gone"))
        .hint("look at what it said on its terminal or in the job's log; a run that writes checkpoints can go on from its last one")
}

/// Where messages of another rank are put, by lane.
pub type Senders = Vec<Sender<Vec<u8>>>;

/// What has come from another rank.
pub struct Inbox(Vec<Mutex<Receiver<Vec<u8>>>>);

impl Inbox {
    /// One that is empty, and where to put what comes.
    pub fn new() -> (Senders, Inbox) {
        let (senders, lanes): (_, Vec<_>) = Lane::ALL.iter().map(|_| channel()).unzip();
        (senders, Inbox(lanes.into_iter().map(Mutex::new).collect()))
    }

    /// The next message of a lane. An error if the rank, which is `from`, is gone.
    pub fn receive(&self, from: usize, lane: Lane) -> Result<Vec<u8>> {
        let receiver = self.0[lane as usize].lock().expect("no one panics");
        receiver.recv().map_err(|_| gone(from))
    }
}

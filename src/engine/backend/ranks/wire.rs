//! Communication channel between ranks.

use crate::error::{Error, Result};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Tag of a message. Messages of one tag arrive in order, independently of the other tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Commands of the first rank to another.
    Command,
    /// Answers to the first rank.
    Answer,
    /// The state of halos, from any rank to any other.
    Halo,
}

impl Tag {
    /// All tags, each at the index of its number.
    pub const ALL: [Tag; 3] = [Tag::Command, Tag::Answer, Tag::Halo];
}

/// Connections of a rank to all others.
pub trait Wire: Send + Sync {
    /// Returns the number of ranks. They are numbered from 0; the first one controls the run.
    fn ranks(&self) -> usize;

    /// Sends a message without waiting for its receipt.
    fn send(&self, to: usize, tag: Tag, message: Vec<u8>) -> Result<()>;

    /// Receives the next message of another rank; returns an error if that rank is gone.
    fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>>;

    /// Waits until everything has been sent; nothing can be sent afterwards.
    fn finish(&self) {}
}

/// Returns the error for a rank that is no longer connected.
pub fn gone(rank: usize) -> Error {
    Error::run(format!("rank {rank} is gone"))
        .hint("look for its error on its terminal or in the job's log; a run with checkpoints can be resumed from the last one")
}

/// Channels that deliver the messages of another rank, by tag.
pub type Senders = Vec<Sender<Vec<u8>>>;

/// Received messages of another rank.
pub struct Inbox(Vec<Mutex<Receiver<Vec<u8>>>>);

impl Inbox {
    /// Creates an empty inbox, with the senders that fill it.
    pub fn new() -> (Senders, Inbox) {
        let (senders, receivers): (_, Vec<_>) = Tag::ALL.iter().map(|_| channel()).unzip();
        (senders, Inbox(receivers.into_iter().map(Mutex::new).collect()))
    }

    /// Receives the next message of a tag; returns an error if the rank `from` is gone.
    pub fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>> {
        let receiver = self.0[tag as usize].lock().expect("no one panics");
        receiver.recv().map_err(|_| gone(from))
    }
}

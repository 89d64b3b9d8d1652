//! Commands and questions that the first rank sends to another, and the answers.

use super::wire::{Tag, Wire};
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::step::Step;
use crate::tiling::rect::Rect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A command to a rank with its one frame; most correspond to methods of
/// [`Worker`](crate::backend::worker::Worker).
#[derive(Debug, Deserialize, Serialize)]
pub enum Command {
    /// Start with a subdomain, whose data follow.
    Begin,
    /// Allocate the frame of (columns, rows).
    Allocate(usize, usize),
    /// Load the subdomain from the data sent with it.
    Load,
    /// Take some steps of an epoch.
    Advance(Vec<Rect>, Vec<Step>),
    /// Send some cells to another rank.
    SendHalo(usize, Rect),
    /// Receive some cells from another rank.
    ReceiveHalo(usize, Rect),
    /// Complete the halo exchange.
    CompleteHalo,
    /// Change the water in a cell.
    AddWater((usize, usize), i32),
    /// Save the frame for a rollback.
    CheckpointFrame,
    /// Roll the frame back.
    RollbackFrame,
    /// Save the totals for a rollback.
    CheckpointSums,
    /// Roll the totals back.
    RollbackSums,
    /// Record the state at a time.
    RecordDiagnostics(f32),
    /// Count the water in the own cells.
    CountWater,
    /// Set the states of the links.
    SetLinkStates(Vec<Vec<LinkState>>),
    /// Replace the tables of the laws.
    SetTables(Vec<f32>),
    /// Answer a question about the state.
    Ask(Question),
    /// Stop serving commands and end.
    End,
}

/// A question to a rank; most correspond to methods of [`Worker`](crate::backend::worker::Worker).
#[derive(Debug, Deserialize, Serialize)]
pub enum Question {
    /// Water in some cells.
    ReadWater(Vec<(usize, usize)>),
    /// Completion of all work, which the rank waits for.
    Synchronize,
    /// Findings of the last steps.
    CollectFindings,
    /// Totals of the subdomains.
    CollectTotals,
    /// Volumes per port.
    BoundaryVolumes,
    /// States of the links.
    LinkStates,
    /// States of the gauges.
    GaugeStates,
    /// Values of a field in some cells.
    Read(Field, Rect),
    /// Description of the device.
    Describe,
}

/// Serializes a message to bytes.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("what is sent has no reason to fail")
}

/// Deserializes a message from rank `from`.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8], from: usize) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        Error::run(format!("cannot decode a message from rank {from} ({error})"))
            .hint("start the same version of the program on every rank")
    })
}

/// Converts numbers to bytes.
pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Converts bytes to numbers.
pub(crate) fn words_of(bytes: &[u8], to: &mut [u32], from: usize) -> Result<()> {
    if bytes.len() != 4 * to.len() {
        // A rank that failed sends an empty message to those that wait for it.
        let (sent, needed) = (bytes.len(), 4 * to.len());
        return Err(Error::run(format!("rank {from} sent {sent} bytes instead of {needed}")));
    }
    for (word, bytes) in to.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("four of them"));
    }
    Ok(())
}

/// Sends a command to another rank.
pub fn command(wire: &dyn Wire, to: usize, command: &Command) -> Result<()> {
    wire.send(to, Tag::Command, pack(command))
}

/// Last byte of an answer: success, or an error in its place.
const DONE: u8 = 0;
const FAILED: u8 = 1;

/// Sends an answer to the first rank, or the error that occurred since the last answer.
pub(crate) fn reply(wire: &dyn Wire, answered: Result<Vec<u8>>) -> Result<()> {
    let (mut message, end) = match answered {
        Ok(bytes) => (bytes, DONE),
        Err(error) => (pack(&error), FAILED),
    };
    message.push(end);
    wire.send(0, Tag::Answer, message)
}

/// Waits for the answer of another rank.
pub(crate) fn answer(wire: &dyn Wire, from: usize) -> Result<Vec<u8>> {
    let mut message = wire.receive(from, Tag::Answer)?;
    match message.pop() {
        Some(DONE) => Ok(message),
        _ => Err(unpack::<Error>(&message, from)?.of(format_args!("rank {from}"))),
    }
}

/// Asks another rank, and waits for its answer.
pub(crate) fn ask(wire: &dyn Wire, rank: usize, question: Question) -> Result<Vec<u8>> {
    command(wire, rank, &Command::Ask(question))?;
    answer(wire, rank)
}

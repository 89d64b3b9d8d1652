//! What the first rank asks of another, and what that answers.

use super::wire::{Lane, Wire};
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::step::Step;
use crate::tiling::rect::Rect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a rank is to do with its one frame: the methods of [`Worker`](crate::backend::worker::Worker), which say what they mean.
#[derive(Debug, Deserialize, Serialize)]
pub enum Command {
    /// There is a subdomain for it; what it is to know comes next.
    Begin,
    /// Take memory.
    Frame(usize, usize),
    /// Load the subdomain from what came with it.
    Load,
    /// Take steps.
    Advance(Vec<Rect>, Vec<Step>),
    /// Send another rank some cells.
    Offer(usize, Rect),
    /// Take some cells that another rank sends.
    Take(usize, Rect),
    /// All is taken.
    Taken,
    /// Change the water in a cell.
    Change((usize, usize), i32),
    /// Remember the frame.
    MarkFrame,
    /// Go back to it.
    BackFrame,
    /// Remember the sums.
    Mark,
    /// Go back to them.
    Back,
    /// Look at the state at a time.
    Look(f32),
    /// Count the water.
    Count,
    /// Put links there.
    PutLinks(Vec<Vec<LinkState>>),
    /// Answer.
    Ask(Question),
    /// There is nothing more to do.
    End,
}

/// What a rank is to answer: likewise.
#[derive(Debug, Deserialize, Serialize)]
pub enum Question {
    /// What water some cells hold.
    Waters(Vec<(usize, usize)>),
    /// Whether all is done, for which it waits.
    Rest,
    /// What steps found.
    Found,
    /// What subdomains add up to.
    Wait,
    /// What went through ports.
    Booked,
    /// Where links stand.
    Links,
    /// What gauges saw.
    Gauges,
    /// Some cells of a field.
    Read(Field, Rect),
    /// What it runs on.
    Describe,
}

/// A message as bytes.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("what is sent has no reason to fail")
}

/// The message of some bytes.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8], from: usize) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        Error::run(format!("what rank {from} says makes no sense ({error})"))
            .hint("start the same version of the program on every rank")
    })
}

/// Numbers as bytes.
pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Bytes as numbers.
pub(crate) fn words_of(bytes: &[u8], to: &mut [u32], from: usize) -> Result<()> {
    if bytes.len() != 4 * to.len() {
        // One who failed sends nothing for what is waited for.
        let (sent, needed) = (bytes.len(), 4 * to.len());
        return Err(Error::run(format!("rank {from} sent {sent} bytes for {needed}")));
    }
    for (word, bytes) in to.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("four of them"));
    }
    Ok(())
}

/// Tells another rank to do something.
pub fn command(wire: &dyn Wire, to: usize, command: &Command) -> Result<()> {
    wire.send(to, Lane::Command, pack(command))
}

/// How an answer ends, and what went wrong in the place of one.
const DONE: u8 = 0;
const FAILED: u8 = 1;

/// Answers the first rank, or tells it what went wrong since the last answer.
pub(crate) fn reply(wire: &dyn Wire, answered: Result<Vec<u8>>) -> Result<()> {
    let (mut message, end) = match answered {
        Ok(bytes) => (bytes, DONE),
        Err(error) => (pack(&error), FAILED),
    };
    message.push(end);
    wire.send(0, Lane::Answer, message)
}

/// Waits for the answer of another rank.
pub(crate) fn answer(wire: &dyn Wire, from: usize) -> Result<Vec<u8>> {
    let mut message = wire.receive(from, Lane::Answer)?;
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

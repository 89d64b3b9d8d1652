//! What the first rank asks of another, and what that answers.

use super::wire::{Lane, Wire};
use crate::backend::worker::{Found, Totals};
use crate::error::{Error, Result};
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::gauged::GaugeState;
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
    /// Say what water some cells hold. Answered.
    Waters(Vec<(usize, usize)>),
    /// Change the water in a cell.
    Change((usize, usize), i32),
    /// Remember the frame.
    MarkFrame,
    /// Go back to it.
    BackFrame,
    /// Wait until all is done. Answered.
    Rest,
    /// Say what steps found. Answered.
    Found,
    /// Remember the sums.
    Mark,
    /// Go back to them.
    Back,
    /// Look at the state at a time.
    Look(f32),
    /// Count the water.
    Count,
    /// Say what subdomains add up to. Answered.
    Wait,
    /// Say what went through ports. Answered.
    Booked,
    /// Say where links stand. Answered.
    Links,
    /// Put links there.
    PutLinks(Vec<Vec<LinkState>>),
    /// Say what gauges saw. Answered.
    Gauges,
    /// Read some cells of a field. Answered, and the cells come in a message of their own.
    Read(Field, Rect),
    /// Say what it runs on. Answered.
    Describe,
    /// There is nothing more to do.
    End,
}

/// What a rank answers.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Answer {
    /// It is done.
    Done,
    /// The water of some cells (grains).
    Waters(Vec<i32>),
    /// What steps found.
    Found(Vec<Found>),
    /// What subdomains add up to.
    Totals(Vec<Totals>),
    /// What went through ports.
    Booked(Booked),
    /// Where links stand.
    Links(Vec<Vec<LinkState>>),
    /// What gauges saw.
    Gauges(Vec<GaugeState>),
    /// What it runs on.
    Name(String),
}

/// An answer, or what went wrong since the last.
pub(crate) type Answered = std::result::Result<Answer, Error>;

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

/// Asks another rank for something without an answer.
pub fn command(wire: &dyn Wire, to: usize, command: &Command) -> Result<()> {
    wire.send(to, Lane::Command, pack(command))
}

/// Waits for the answer of another rank.
pub fn answer(wire: &dyn Wire, from: usize) -> Result<Answer> {
    let answered: Answered = unpack(&wire.receive(from, Lane::Answer)?, from)?;
    answered.map_err(|error| error.of(format_args!("rank {from}")))
}

//! A rank that does what the first one asks of it.

use super::commands::{Command, Question, bytes_of, pack, reply, unpack};
use super::rank::{put_state, state_of};
use super::ship::{self, RankPart};
use super::wire::{Lane, Wire};
use super::{Here, cuda_member};
use crate::backend::cpu::CpuWorker;
use crate::backend::worker::Worker;
use crate::error::{Error, Result};

/// Does what the first rank asks until that is done, and says whether there was something to do; an error if something went
/// wrong, which the first rank knows, too. `here` is asked for when there is a problem.
pub fn serve(wire: &dyn Wire, here: impl FnOnce() -> Result<Here>) -> Result<bool> {
    // There may be nothing to do on so small a map.
    let Command::Begin = unpack(&wire.receive(0, Lane::Command)?, 0)? else { return Ok(false) };
    let here = &here()?;
    let mut part = match ship::receive(wire) {
        Ok(part) => part,
        Err(error) => {
            // The first rank waits to hear that all came.
            reply(wire, Err(error.clone()))?;
            return refuse_all(wire, error).map(|()| true);
        }
    };
    match here {
        Here::Cpu(options) => {
            let worker = CpuWorker::new(&mut part.problem, &part.setup, &part.plan, *options);
            work(wire, part, Ok(worker)).map(|()| true)
        }
        Here::Cuda(options) => {
            let worker = cuda_member(&part.problem, &part.setup, &part.plan, options, None);
            work(wire, part, worker).map(|()| true)
        }
    }
}

/// Does what the first rank asks, one command after the other, until that has no more; an error if something went wrong first.
/// Nothing is done after that, and whatever is asked is answered with the error.
fn attend(
    wire: &dyn Wire,
    mut failed: Option<Error>,
    mut carry_out: impl FnMut(Command) -> Result<Vec<u8>>,
) -> Result<()> {
    loop {
        let message = match (wire.receive(0, Lane::Command), &failed) {
            // What went wrong first says more than that no one is there to hear of it.
            (Err(_), Some(_)) => return failed.map_or(Ok(()), Err),
            (message, _) => message?,
        };
        let command = match (unpack(&message, 0), &failed) {
            (Ok(Command::End), _) => return failed.map_or(Ok(()), Err),
            // It may be of a problem that did not come whole.
            (Err(_), Some(_)) => continue,
            (command, _) => command?,
        };
        let is_question = matches!(command, Command::Ask(_));
        let done = match (&failed, &command) {
            (None, _) => carry_out(command),
            (Some(error), command) => {
                if let Command::Offer(to, _) = command {
                    // Whoever waits for a halo must not wait for ever. Who is gone need not be told.
                    let _ = wire.send(*to, Lane::Rim, Vec::new());
                }
                Err(error.clone())
            }
        };
        if let Err(error) = &done {
            failed.get_or_insert_with(|| error.clone());
        }
        if is_question {
            reply(wire, done)?;
        }
    }
}

/// Answers whatever the first rank asks with an error, until that has heard enough.
fn refuse_all(wire: &dyn Wire, error: Error) -> Result<()> {
    attend(wire, Some(error), |_| unreachable!("nothing is done after a failure"))
}

/// Does what the first rank asks with a worker, if there is one.
fn work<W: Worker>(wire: &dyn Wire, part: RankPart, worker: Result<W>) -> Result<()> {
    match worker {
        Ok(worker) => {
            let mut served = Served { wire, part, worker, frame: None };
            attend(wire, None, |command| served.carry_out(command))
        }
        Err(error) => refuse_all(wire, error),
    }
}

/// A worker that is told what to do.
struct Served<'a, W: Worker> {
    wire: &'a dyn Wire,
    part: RankPart,
    worker: W,
    frame: Option<W::Frame>,
}

/// The frame, of which memory was taken first.
fn own<F>(frame: &mut Option<F>) -> &mut F {
    frame.as_mut().expect("there is a frame by then")
}

impl<W: Worker> Served<'_, W> {
    /// Carries out a command; returns the answer to a question, else nothing.
    fn carry_out(&mut self, command: Command) -> Result<Vec<u8>> {
        let Served { wire, part, worker, frame } = self;
        let subdomain = part.subdomain;
        match command {
            Command::Ask(question) => return self.answer(question),
            Command::Begin | Command::End => unreachable!("it is no command to a worker"),
            Command::Frame(columns, rows) => *frame = Some(worker.frame(0, columns, rows)?),
            Command::Load => {
                worker.load(own(frame), &part.setup.canvas, subdomain)?;
                worker.rest()?;
                part.setup.canvas.let_go();
            }
            Command::Advance(computed, steps) => {
                worker.advance(own(frame), subdomain, &computed, &steps)?
            }
            Command::Offer(to, area) => {
                let state = state_of(worker, own(frame), subdomain, &worker.state(), area);
                // Who waits for it must not wait for ever.
                wire.send(to, Lane::Rim, state.as_ref().map_or(Vec::new(), Vec::clone))?;
                state?;
            }
            Command::Take(from, area) => {
                let state = wire.receive(from, Lane::Rim)?;
                // It says itself what went wrong with it.
                if state.is_empty() {
                    return Err(Error::run(format!("rank {from} failed")));
                }
                let fields = worker.state();
                put_state(worker, own(frame), subdomain, &fields, area, (&state, from))?;
            }
            Command::Taken => worker.taken(own(frame), subdomain)?,
            Command::Change(cell, by) => worker.change(own(frame), subdomain, cell, by)?,
            Command::MarkFrame => worker.mark_frame(own(frame))?,
            Command::BackFrame => worker.back_frame(own(frame))?,
            Command::Mark => worker.mark()?,
            Command::Back => worker.back()?,
            Command::Look(time) => worker.look(own(frame), subdomain, time)?,
            Command::Count => worker.count(own(frame), subdomain)?,
            Command::PutLinks(states) => worker.put_links(&states)?,
        }
        Ok(Vec::new())
    }

    fn answer(&mut self, question: Question) -> Result<Vec<u8>> {
        let Served { part, worker, frame, .. } = self;
        Ok(match question {
            Question::Waters(cells) => pack(&worker.waters(own(frame), part.subdomain, &cells)?),
            Question::Rest => pack(&worker.rest()?),
            Question::Found => pack(&worker.found()?),
            Question::Wait => pack(&worker.wait()?),
            Question::Booked => pack(&worker.booked()?),
            Question::Links => pack(&worker.links()?),
            Question::Gauges => pack(&worker.gauges()?),
            Question::Read(field, area) => {
                let mut words = vec![0; area.cells()];
                worker.read(own(frame), part.subdomain, field, area, &mut words)?;
                bytes_of(&words)
            }
            Question::Describe => pack(&worker.describe()),
        })
    }
}

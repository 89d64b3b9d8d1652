//! A rank that does what the first one asks of it.

use super::commands::{Answer, Answered, Command, bytes_of, pack, unpack};
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
            let refused: Answered = Err(error.clone());
            wire.send(0, Lane::Answer, pack(&refused))?;
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

/// An answer, and cells that follow it in a message of their own.
type Done = (Answer, Option<Vec<u8>>);

/// Does what the first rank asks, one command after the other, until that has no more; an error if something went wrong first.
/// Nothing is done after that, and whatever is asked is answered with the error.
fn attend(
    wire: &dyn Wire,
    mut failed: Option<Error>,
    mut carry_out: impl FnMut(Command) -> Result<Done>,
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
        let answers = command.is_answered();
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
        let (answered, cells): (Answered, _) = match done {
            Ok((answer, cells)) => (Ok(answer), cells),
            Err(error) => {
                failed.get_or_insert_with(|| error.clone());
                (Err(error), None)
            }
        };
        if answers {
            wire.send(0, Lane::Answer, pack(&answered))?;
        }
        if let Some(cells) = cells {
            wire.send(0, Lane::Answer, cells)?;
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

impl<W: Worker> Served<'_, W> {
    fn carry_out(&mut self, command: Command) -> Result<Done> {
        let (wire, subdomain) = (self.wire, self.part.subdomain);
        let worker = &mut self.worker;
        if let Command::Frame(columns, rows) = command {
            self.frame = Some(worker.frame(0, columns, rows)?);
            return Ok((Answer::Done, None));
        }
        let asked = match &command {
            Command::Found => Some(Answer::Found(worker.found()?)),
            Command::Wait => Some(Answer::Totals(worker.wait()?)),
            Command::Booked => Some(Answer::Booked(worker.booked()?)),
            Command::Links => Some(Answer::Links(worker.links()?)),
            Command::PutLinks(states) => Some(worker.put_links(states).map(|()| Answer::Done)?),
            Command::Gauges => Some(Answer::Gauges(worker.gauges()?)),
            Command::Describe => Some(Answer::Name(worker.describe())),
            Command::Mark => Some(worker.mark().map(|()| Answer::Done)?),
            Command::Back => Some(worker.back().map(|()| Answer::Done)?),
            Command::Rest => Some(worker.rest().map(|()| Answer::Done)?),
            _ => None,
        };
        if let Some(answer) = asked {
            return Ok((answer, None));
        }
        let frame = self.frame.as_mut().expect("there is a frame by then");
        match command {
            Command::Load => {
                worker.load(frame, &self.part.setup.canvas, subdomain)?;
                worker.rest()?;
                self.part.setup.canvas.let_go();
            }
            Command::Advance(computed, steps) => {
                worker.advance(frame, subdomain, &computed, &steps)?
            }
            Command::Offer(to, area) => {
                let state = state_of(worker, frame, subdomain, &worker.state(), area);
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
                put_state(worker, frame, subdomain, &fields, area, (&state, from))?;
            }
            Command::Taken => worker.taken(frame, subdomain)?,
            Command::Waters(cells) => {
                return Ok((Answer::Waters(worker.waters(frame, subdomain, &cells)?), None));
            }
            Command::Change(cell, by) => worker.change(frame, subdomain, cell, by)?,
            Command::MarkFrame => worker.mark_frame(frame)?,
            Command::BackFrame => worker.back_frame(frame)?,
            Command::Look(time) => worker.look(frame, subdomain, time)?,
            Command::Count => worker.count(frame, subdomain)?,
            Command::Read(field, area) => {
                let mut words = vec![0; area.cells()];
                worker.read(frame, subdomain, field, area, &mut words)?;
                return Ok((Answer::Done, Some(bytes_of(&words))));
            }
            _ => unreachable!("it was carried out above"),
        }
        Ok((Answer::Done, None))
    }
}

impl Command {
    /// Whether the first rank waits for an answer.
    fn is_answered(&self) -> bool {
        matches!(
            self,
            Command::Waters(_)
                | Command::Rest
                | Command::Found
                | Command::Wait
                | Command::Booked
                | Command::Links
                | Command::Gauges
                | Command::Read(..)
                | Command::Describe
        )
    }
}

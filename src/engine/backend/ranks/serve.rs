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
        Err(error) => return refuse_all(wire, error).map(|()| true),
    };
    match here {
        Here::Cpu(options) => {
            let worker = CpuWorker::new(&mut part.problem, &part.setup, &part.plan, *options);
            Served::new(wire, part, Ok(worker)).run().map(|()| true)
        }
        Here::Cuda(options) => {
            let worker = cuda_member(&part.problem, &part.setup, &part.plan, options, None);
            Served::new(wire, part, worker).run().map(|()| true)
        }
    }
}

/// Answers whatever the first rank asks with an error, until that has heard enough.
fn refuse_all(wire: &dyn Wire, error: Error) -> Result<()> {
    // It waits to hear that all came.
    refuse(wire, &error)?;
    loop {
        // If it is gone, this rank's own error is what there is to tell.
        let Ok(command) = wire.receive(0, Lane::Command) else { return Err(error) };
        match unpack::<Command>(&command, 0) {
            Ok(Command::End) => return Err(error),
            Ok(command) if command.is_answered() => refuse(wire, &error)?,
            _ => {}
        }
    }
}

/// Answers with an error.
fn refuse(wire: &dyn Wire, error: &Error) -> Result<()> {
    let refused: Answered = Err(error.clone());
    wire.send(0, Lane::Answer, pack(&refused))
}

/// A worker that is told what to do.
struct Served<'a, W: Worker> {
    wire: &'a dyn Wire,
    part: RankPart,
    worker: Option<W>,
    frame: Option<W::Frame>,
    /// What went wrong first; nothing is done after that.
    failed: Option<Error>,
    /// Cells that were read, to follow the answer.
    read: Option<Vec<u8>>,
}

impl<'a, W: Worker> Served<'a, W> {
    fn new(wire: &'a dyn Wire, part: RankPart, worker: Result<W>) -> Served<'a, W> {
        let (worker, failed) = match worker {
            Ok(worker) => (Some(worker), None),
            Err(error) => (None, Some(error)),
        };
        Served { wire, part, worker, frame: None, failed, read: None }
    }

    fn run(mut self) -> Result<()> {
        loop {
            let command =
                self.wire.receive(0, Lane::Command).and_then(|command| unpack(&command, 0));
            let command: Command = match (command, self.failed.take()) {
                // What went wrong first says more than that no one is there to hear of it.
                (Err(_), Some(failed)) => return Err(failed),
                (command, failed) => {
                    self.failed = failed;
                    command?
                }
            };
            if let Command::End = command {
                return self.failed.map_or(Ok(()), Err);
            }
            let answers = command.is_answered();
            let done = match &self.failed {
                // Whoever waits for a halo must not wait for ever.
                Some(_) => self.refuse(&command).map(|()| Answer::Done),
                None => self.carry_out(command),
            };
            let done = match done {
                Ok(answer) if self.failed.is_none() => Ok(answer),
                Ok(_) => Err(()),
                Err(error) => {
                    self.failed.get_or_insert(error);
                    Err(())
                }
            };
            if answers {
                let answered: Answered = done.map_err(|()| self.failed.clone().expect("it failed"));
                self.wire.send(0, Lane::Answer, pack(&answered))?;
            }
            if let Some(cells) = self.read.take() {
                self.wire.send(0, Lane::Answer, cells)?;
            }
        }
    }

    /// What others wait for must come, if only for them to see that it is nothing.
    fn refuse(&self, command: &Command) -> Result<()> {
        match command {
            Command::Offer(to, _) => self.wire.send(*to, Lane::Rim, Vec::new()),
            _ => Ok(()),
        }
    }

    fn carry_out(&mut self, command: Command) -> Result<Answer> {
        let (wire, subdomain) = (self.wire, self.part.subdomain);
        let worker = self.worker.as_mut().expect("it did not fail");
        if let Command::Frame(columns, rows) = command {
            self.frame = Some(worker.frame(0, columns, rows)?);
            return Ok(Answer::Done);
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
            return Ok(answer);
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
                return Ok(Answer::Waters(worker.waters(frame, subdomain, &cells)?));
            }
            Command::Change(cell, by) => worker.change(frame, subdomain, cell, by)?,
            Command::MarkFrame => worker.mark_frame(frame)?,
            Command::BackFrame => worker.back_frame(frame)?,
            Command::Look(time) => worker.look(frame, subdomain, time)?,
            Command::Count => worker.count(frame, subdomain)?,
            Command::Read(field, area) => {
                let mut words = vec![0; area.cells()];
                worker.read(frame, subdomain, field, area, &mut words)?;
                self.read = Some(bytes_of(&words));
            }
            _ => unreachable!("it was carried out above"),
        }
        Ok(Answer::Done)
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

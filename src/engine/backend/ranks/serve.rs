//! A rank that serves the commands of the first one.

use super::commands::{Command, Question, bytes_of, pack, reply, unpack};
use super::rank::{put_state, state_of};
use super::ship::{self, RankPart};
use super::wire::{Tag, Wire};
use super::{RankDevice, cuda_member};
use crate::backend::cpu::CpuWorker;
use crate::backend::worker::Worker;
use crate::error::{Error, Result};

/// Serves the commands of the first rank until that rank ends. Returns `false` if this rank got no
/// part of the map. `here` opens the device; it is called when a part arrives.
///
/// # Errors
/// If something failed; the first rank has received the error, too.
pub fn serve(wire: &dyn Wire, here: impl FnOnce() -> Result<RankDevice>) -> Result<bool> {
    // There may be nothing to do on a map this small.
    let Command::Begin = unpack(&wire.receive(0, Tag::Command)?, 0)? else { return Ok(false) };
    let here = &here()?;
    let mut part = match ship::receive(wire) {
        Ok(part) => part,
        Err(error) => {
            // The first rank waits for an acknowledgement.
            reply(wire, Err(error.clone()))?;
            return refuse_all(wire, error).map(|()| true);
        }
    };
    match here {
        RankDevice::Cpu(options) => {
            let worker = CpuWorker::new(&mut part.problem, &part.setup, &part.plan, *options);
            work(wire, part, Ok(worker)).map(|()| true)
        }
        RankDevice::Cuda(options) => {
            let worker = cuda_member(&part.problem, &part.setup, &part.plan, options, None);
            work(wire, part, worker).map(|()| true)
        }
    }
}

/// Executes the commands of the first rank in order until it ends. After a failure nothing is
/// executed any more, all questions are answered with the error, and the error is returned in the
/// end.
fn attend(
    wire: &dyn Wire,
    mut failed: Option<Error>,
    mut carry_out: impl FnMut(Command) -> Result<Vec<u8>>,
) -> Result<()> {
    loop {
        let message = match (wire.receive(0, Tag::Command), &failed) {
            // The first failure is more informative than the lost connection.
            (Err(_), Some(_)) => return failed.map_or(Ok(()), Err),
            (message, _) => message?,
        };
        let command = match (unpack(&message, 0), &failed) {
            (Ok(Command::End), _) => return failed.map_or(Ok(()), Err),
            // It may be data of a problem that was not received completely.
            (Err(_), Some(_)) => continue,
            (command, _) => command?,
        };
        let is_question = matches!(command, Command::Ask(_));
        let done = match (&failed, &command) {
            (None, _) => carry_out(command),
            (Some(error), command) => {
                if let Command::SendHalo(to, _) = command {
                    // A rank that waits for a halo must not wait forever. A rank that is gone
                    // cannot be notified.
                    let _ = wire.send(*to, Tag::Halo, Vec::new());
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

/// Answers all questions of the first rank with an error, until it ends.
fn refuse_all(wire: &dyn Wire, error: Error) -> Result<()> {
    attend(wire, Some(error), |_| unreachable!("nothing is done after a failure"))
}

/// Serves commands with a worker, if it could be set up.
fn work<W: Worker>(wire: &dyn Wire, part: RankPart, worker: Result<W>) -> Result<()> {
    match worker {
        Ok(worker) => {
            let mut served = Served { wire, part, worker, frame: None };
            attend(wire, None, |command| served.carry_out(command))
        }
        Err(error) => refuse_all(wire, error),
    }
}

/// A worker that receives commands.
struct Served<'a, W: Worker> {
    wire: &'a dyn Wire,
    part: RankPart,
    worker: W,
    frame: Option<W::Frame>,
}

/// Returns the frame, which must have been allocated.
fn own<F>(frame: &mut Option<F>) -> &mut F {
    frame.as_mut().expect("there is a frame by then")
}

impl<W: Worker> Served<'_, W> {
    /// Executes a command; returns the answer to a question, otherwise nothing.
    fn carry_out(&mut self, command: Command) -> Result<Vec<u8>> {
        let Served { wire, part, worker, frame } = self;
        let subdomain = part.subdomain;
        match command {
            Command::Ask(question) => return self.answer(question),
            Command::Begin | Command::End => unreachable!("not a command to a worker"),
            Command::Allocate(columns, rows) => *frame = Some(worker.allocate(0, columns, rows)?),
            Command::Load => {
                worker.load(own(frame), &part.setup.padded_grid, subdomain)?;
                worker.synchronize()?;
                part.setup.padded_grid.let_go();
            }
            Command::Advance(computed, steps) => {
                worker.advance(own(frame), subdomain, &computed, &steps)?
            }
            Command::SendHalo(to, area) => {
                let state = state_of(worker, own(frame), subdomain, &worker.state(), area);
                // The waiting rank must not wait forever.
                wire.send(to, Tag::Halo, state.as_ref().map_or(Vec::new(), Vec::clone))?;
                state?;
            }
            Command::ReceiveHalo(from, area) => {
                let state = wire.receive(from, Tag::Halo)?;
                // That rank reports its own error.
                if state.is_empty() {
                    return Err(Error::run(format!("rank {from} failed")));
                }
                let fields = worker.state();
                put_state(worker, own(frame), subdomain, &fields, area, &state, from)?;
            }
            Command::CompleteHalo => worker.complete_halo(own(frame), subdomain)?,
            Command::AddWater(cell, by) => worker.add_water(own(frame), subdomain, cell, by)?,
            Command::CheckpointFrame => worker.checkpoint_frame(own(frame))?,
            Command::RollbackFrame => worker.rollback_frame(own(frame))?,
            Command::CheckpointSums => worker.checkpoint_sums()?,
            Command::RollbackSums => worker.rollback_sums()?,
            Command::RecordDiagnostics(time) => {
                worker.record_diagnostics(own(frame), subdomain, time)?
            }
            Command::CountWater => worker.count_water(own(frame), subdomain)?,
            Command::SetTables(tables) => worker.set_tables(&tables)?,
            Command::SetLinkStates(states) => worker.set_link_states(&states)?,
        }
        Ok(Vec::new())
    }

    fn answer(&mut self, question: Question) -> Result<Vec<u8>> {
        let Served { part, worker, frame, .. } = self;
        Ok(match question {
            Question::ReadWater(cells) => {
                pack(&worker.read_water(own(frame), part.subdomain, &cells)?)
            }
            Question::Synchronize => pack(&worker.synchronize()?),
            Question::CollectFindings => pack(&worker.collect_findings()?),
            Question::CollectTotals => pack(&worker.collect_totals()?),
            Question::BoundaryVolumes => pack(&worker.boundary_volumes()?),
            Question::LinkStates => pack(&worker.link_states()?),
            Question::GaugeStates => pack(&worker.gauge_states()?),
            Question::Read(field, area) => {
                let mut words = vec![0; area.cells()];
                worker.read(own(frame), part.subdomain, field, area, &mut words)?;
                bytes_of(&words)
            }
            Question::Describe => pack(&worker.describe()),
        })
    }
}

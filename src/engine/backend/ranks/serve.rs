//! A rank that does what the first one asks of it.

use super::orders::{Answer, Answered, Order, bytes_of, pack, unpack};
use super::rank::{put_state, state_of};
use super::ship::{self, Told};
use super::wire::{Lane, Wire};
use super::{Here, cpu_member, cuda_member};
use crate::backend::worker::Worker;
use crate::error::{Error, Result};

/// Does what the first rank asks until that is done, and says whether there was something to do; an error if something went
/// wrong, which the first rank knows, too. `here` is asked for when there is a problem.
pub fn serve(wire: &dyn Wire, here: impl FnOnce() -> Result<Here>) -> Result<bool> {
    // There may be nothing to do on so small a map.
    let Order::Begin = unpack(&wire.receive(0, Lane::Order)?, 0)? else { return Ok(false) };
    let here = &here()?;
    let mut told = match ship::receive(wire) {
        Ok(told) => told,
        Err(error) => return refuse_all(wire, error).map(|()| true),
    };
    match here {
        Here::Cpu(options) => {
            let worker = cpu_member(&mut told.problem, &told.laid, &told.plan, *options);
            Served::new(wire, told, Ok(worker)).run().map(|()| true)
        }
        Here::Cuda(options) => {
            let worker = cuda_member(&told.problem, &told.laid, &told.plan, options, None);
            Served::new(wire, told, worker).run().map(|()| true)
        }
    }
}

/// Answers whatever the first rank asks with an error, until that has heard enough.
fn refuse_all(wire: &dyn Wire, error: Error) -> Result<()> {
    // It waits to hear that all came.
    refuse(wire, &error)?;
    loop {
        // If it is gone, this rank's own error is what there is to tell.
        let Ok(order) = wire.receive(0, Lane::Order) else { return Err(error) };
        match unpack::<Order>(&order, 0) {
            Ok(Order::End) => return Err(error),
            Ok(order) if order.is_answered() => refuse(wire, &error)?,
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
    told: Told,
    worker: Option<W>,
    frame: Option<W::Frame>,
    /// What went wrong first; nothing is done after that.
    failed: Option<Error>,
    /// Cells that were read, to follow the answer.
    read: Option<Vec<u8>>,
}

impl<'a, W: Worker> Served<'a, W> {
    fn new(wire: &'a dyn Wire, told: Told, worker: Result<W>) -> Served<'a, W> {
        let (worker, failed) = match worker {
            Ok(worker) => (Some(worker), None),
            Err(error) => (None, Some(error)),
        };
        Served { wire, told, worker, frame: None, failed, read: None }
    }

    fn run(mut self) -> Result<()> {
        loop {
            let order = self.wire.receive(0, Lane::Order).and_then(|order| unpack(&order, 0));
            let order: Order = match (order, self.failed.take()) {
                // What went wrong first says more than that no one is there to hear of it.
                (Err(_), Some(failed)) => return Err(failed),
                (order, failed) => {
                    self.failed = failed;
                    order?
                }
            };
            if let Order::End = order {
                return self.failed.map_or(Ok(()), Err);
            }
            let answers = order.is_answered();
            let done = match &self.failed {
                // Whoever waits for a halo must not wait for ever.
                Some(_) => self.refuse(&order).map(|()| Answer::Done),
                None => self.carry_out(order),
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
    fn refuse(&self, order: &Order) -> Result<()> {
        match order {
            Order::Offer(to, _) => self.wire.send(*to, Lane::Rim, Vec::new()),
            _ => Ok(()),
        }
    }

    fn carry_out(&mut self, order: Order) -> Result<Answer> {
        let (wire, visit) = (self.wire, self.told.visit);
        let worker = self.worker.as_mut().expect("it did not fail");
        if let Order::Frame(columns, rows) = order {
            self.frame = Some(worker.frame(0, columns, rows)?);
            return Ok(Answer::Done);
        }
        let asked = match &order {
            Order::Found => Some(Answer::Found(worker.found()?)),
            Order::Wait => Some(Answer::Totals(worker.wait()?)),
            Order::Booked => Some(Answer::Booked(worker.booked()?)),
            Order::Gauges => Some(Answer::Gauges(worker.gauges()?)),
            Order::Describe => Some(Answer::Name(worker.describe())),
            Order::Mark => Some(worker.mark().map(|()| Answer::Done)?),
            Order::Back => Some(worker.back().map(|()| Answer::Done)?),
            Order::Rest => Some(worker.rest().map(|()| Answer::Done)?),
            _ => None,
        };
        if let Some(answer) = asked {
            return Ok(answer);
        }
        let frame = self.frame.as_mut().expect("there is a frame by then");
        match order {
            Order::Load => {
                worker.load(frame, &self.told.laid.canvas, visit)?;
                worker.rest()?;
                self.told.laid.canvas.let_go();
            }
            Order::Advance(computed, steps) => worker.advance(frame, visit, &computed, &steps)?,
            Order::Offer(to, area) => {
                let state = state_of(worker, frame, visit, &worker.state(), area);
                // Who waits for it must not wait for ever.
                wire.send(to, Lane::Rim, state.as_ref().map_or(Vec::new(), Vec::clone))?;
                state?;
            }
            Order::Take(from, area) => {
                let state = wire.receive(from, Lane::Rim)?;
                // It says itself what went wrong with it.
                if state.is_empty() {
                    return Err(Error::run(format!("rank {from} failed")));
                }
                let fields = worker.state();
                put_state(worker, frame, visit, &fields, area, (&state, from))?;
            }
            Order::Taken => worker.taken(frame, visit)?,
            Order::Waters(cells) => {
                return Ok(Answer::Waters(worker.waters(frame, visit, &cells)?));
            }
            Order::Change(cell, by) => worker.change(frame, visit, cell, by)?,
            Order::MarkFrame => worker.mark_frame(frame)?,
            Order::BackFrame => worker.back_frame(frame)?,
            Order::Look(time) => worker.look(frame, visit, time)?,
            Order::Count => worker.count(frame, visit)?,
            Order::Read(field, area) => {
                let mut words = vec![0; area.cells()];
                worker.read(frame, visit, field, area, &mut words)?;
                self.read = Some(bytes_of(&words));
            }
            _ => unreachable!("it was carried out above"),
        }
        Ok(Answer::Done)
    }
}

impl Order {
    /// Whether the first rank waits for an answer.
    fn is_answered(&self) -> bool {
        matches!(
            self,
            Order::Waters(_)
                | Order::Rest
                | Order::Found
                | Order::Wait
                | Order::Booked
                | Order::Gauges
                | Order::Read(..)
                | Order::Describe
        )
    }
}

//! A rank as a worker: this one, or a remote one that receives commands.

use super::commands::{Command, Question, ask, bytes_of, command, unpack, words_of};
use super::wire::{Tag, Wire};
use crate::backend::padded_grid::PaddedGrid;
use crate::backend::worker::{
    Frames, HaloExchange, Rollback, StepFindings, StepSampling, Totals, Worker,
};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::gauged::GaugeState;
use crate::tiling::rect::Rect;
use std::sync::Arc;

/// A rank with a resident subdomain.
pub enum Rank<W> {
    /// This rank's own worker.
    Here(W, Arc<dyn Wire>),
    /// A remote rank, by its number.
    There(usize, Arc<dyn Wire>),
}

impl<W> Drop for Rank<W> {
    fn drop(&mut self) {
        if let Rank::There(rank, wire) = self {
            // A rank that is gone cannot be notified.
            let _ = command(&**wire, *rank, &Command::End);
        }
    }
}

/// Reads the state of some cells of a frame, field by field.
pub(crate) fn state_of<W: Worker>(
    worker: &W,
    frame: &W::Frame,
    subdomain: usize,
    fields: &[Field],
    area: Rect,
) -> Result<Vec<u8>> {
    let mut words = vec![0; area.cells() * fields.len()];
    for (field, words) in fields.iter().zip(words.chunks_exact_mut(area.cells().max(1))) {
        worker.read(frame, subdomain, *field, area, words)?;
    }
    Ok(bytes_of(&words))
}

/// Writes the state of some cells, received from another rank, to a frame.
pub(crate) fn put_state<W: Worker>(
    worker: &mut W,
    frame: &mut W::Frame,
    subdomain: usize,
    fields: &[Field],
    area: Rect,
    bytes: &[u8],
    from: usize,
) -> Result<()> {
    let mut words = vec![0; area.cells() * fields.len()];
    words_of(bytes, &mut words, from)?;
    let each = fields.iter().zip(words.chunks_exact(area.cells().max(1)));
    each.into_iter()
        .try_for_each(|(field, words)| worker.write(frame, subdomain, *field, area, words))
}

/// Panic message: frames of other ranks are in their memory.
const OWN: &str = "a rank has a frame of its own";

/// Defines methods that run here, or are sent to another rank as a command.
macro_rules! by_command {
    ($(fn $name:ident(&mut $me:ident, $frame:ident $(, $arg:ident: $kind:ty)*) by $command:expr;)*) => {$(
        fn $name(&mut $me, $frame: &mut Self::Frame, $($arg: $kind),*) -> Result<()> {
            match $me {
                Rank::Here(worker, _) => worker.$name($frame.as_mut().expect(OWN), $($arg),*),
                Rank::There(rank, wire) => command(&**wire, *rank, &$command),
            }
        }
    )*};
    ($(fn $name:ident(&mut $me:ident) by $command:expr;)*) => {$(
        fn $name(&mut $me) -> Result<()> {
            match $me {
                Rank::Here(worker, _) => worker.$name(),
                Rank::There(rank, wire) => command(&**wire, *rank, &$command),
            }
        }
    )*};
}

/// Evaluates a question here, or sends it to another rank.
macro_rules! ask_here_or {
    ($rank:expr, |$worker:ident| $do:expr, $question:expr) => {
        match $rank {
            Rank::Here($worker, _) => $do,
            Rank::There(rank, wire) => unpack(&ask(&**wire, *rank, $question)?, *rank),
        }
    };
}

impl<W: Worker> Frames for Rank<W> {
    /// Frame in this rank's memory; `None` if it is on another rank.
    type Frame = Option<W::Frame>;

    by_command! {
        fn load(&mut self, frame, padded_grid: &PaddedGrid, subdomain: usize) by Command::Load;
        fn add_water(&mut self, frame, subdomain: usize, cell: (usize, usize), by: i32)
            by Command::AddWater(cell, by);
    }

    fn allocate(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame> {
        match self {
            Rank::Here(worker, _) => worker.allocate(device, columns, rows).map(Some),
            Rank::There(rank, wire) => {
                command(&**wire, *rank, &Command::Allocate(columns, rows))?;
                Ok(None)
            }
        }
    }

    fn store(&mut self, _: &mut Self::Frame, _: &mut PaddedGrid, _: usize) -> Result<()> {
        unreachable!("ranks keep their strips")
    }

    fn read(
        &self,
        frame: &Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        match self {
            Rank::Here(worker, _) => {
                worker.read(frame.as_ref().expect(OWN), subdomain, field, area, to)
            }
            Rank::There(rank, wire) => {
                let cells = ask(&**wire, *rank, Question::Read(field, area))?;
                words_of(&cells, &mut to[..area.cells()], *rank)
            }
        }
    }

    fn write(&mut self, _: &mut Self::Frame, _: usize, _: Field, _: Rect, _: &[u32]) -> Result<()> {
        unreachable!("ranks receive halos as messages")
    }

    fn read_water(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        ask_here_or!(
            self,
            |worker| worker.read_water(frame.as_mut().expect(OWN), subdomain, cells),
            Question::ReadWater(cells.to_vec())
        )
    }
}

impl<W: Worker> HaloExchange for Rank<W> {
    by_command! {
        fn complete_halo(&mut self, frame, subdomain: usize) by Command::CompleteHalo;
    }

    fn state(&self) -> Vec<Field> {
        match self {
            Rank::Here(worker, _) => worker.state(),
            Rank::There(..) => Vec::new(),
        }
    }

    fn send_halo(
        &mut self,
        frame: &Self::Frame,
        subdomain: usize,
        to: usize,
        area: Rect,
    ) -> Result<()> {
        match self {
            Rank::Here(worker, wire) => {
                let frame = frame.as_ref().expect(OWN);
                let state = state_of(worker, frame, subdomain, &worker.state(), area)?;
                wire.send(to, Tag::Halo, state)
            }
            Rank::There(rank, wire) => command(&**wire, *rank, &Command::SendHalo(to, area)),
        }
    }

    fn receive_halo(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        (_, other): (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()> {
        match self {
            // The other rank has sent it.
            Rank::Here(worker, wire) => {
                let frame = frame.as_mut().expect(OWN);
                let state = wire.receive(other, Tag::Halo)?;
                if state.is_empty() {
                    // Its answer contains the error.
                    ask(&**wire, other, Question::Synchronize)?;
                }
                let fields = worker.state();
                put_state(worker, frame, subdomain, &fields, area, &state, other)
            }
            Rank::There(rank, wire) => command(&**wire, *rank, &Command::ReceiveHalo(other, area)),
        }
    }
}

impl<W: Worker> Rollback for Rank<W> {
    by_command! {
        fn checkpoint_frame(&mut self, frame) by Command::CheckpointFrame;
        fn rollback_frame(&mut self, frame) by Command::RollbackFrame;
    }

    by_command! {
        fn checkpoint_sums(&mut self) by Command::CheckpointSums;
        fn rollback_sums(&mut self) by Command::RollbackSums;
    }
}

impl<W: Worker> StepSampling for Rank<W> {}

impl<W: Worker> Worker for Rank<W> {
    by_command! {
        fn count_water(&mut self, frame, subdomain: usize) by Command::CountWater;
        fn advance(&mut self, frame, subdomain: usize, computed: &[Rect], steps: &[Step])
            by Command::Advance(computed.to_vec(), steps.to_vec());
        fn record_diagnostics(&mut self, frame, subdomain: usize, time: f32)
            by Command::RecordDiagnostics(time);
    }

    fn synchronize(&mut self) -> Result<()> {
        match self {
            Rank::Here(worker, _) => worker.synchronize(),
            // It works in order; others wait for what they need from it.
            Rank::There(..) => Ok(()),
        }
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        ask_here_or!(self, |worker| worker.collect_findings(), Question::CollectFindings)
    }

    fn collect_totals(&mut self) -> Result<Vec<Totals>> {
        ask_here_or!(self, |worker| worker.collect_totals(), Question::CollectTotals)
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        ask_here_or!(self, |worker| worker.boundary_volumes(), Question::BoundaryVolumes)
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        ask_here_or!(self, |worker| worker.gauge_states(), Question::GaugeStates)
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        ask_here_or!(self, |worker| worker.link_states(), Question::LinkStates)
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        match self {
            Rank::Here(worker, _) => worker.set_tables(tables),
            Rank::There(rank, wire) => {
                command(&**wire, *rank, &Command::SetTables(tables.to_vec()))
            }
        }
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        match self {
            Rank::Here(worker, _) => worker.set_link_states(states),
            Rank::There(rank, wire) => {
                command(&**wire, *rank, &Command::SetLinkStates(states.to_vec()))
            }
        }
    }

    fn describe(&self) -> String {
        match self {
            Rank::Here(worker, _) => worker.describe(),
            Rank::There(rank, wire) => {
                let name = ask(&**wire, *rank, Question::Describe);
                let name = name.and_then(|name| unpack(&name, *rank));
                name.unwrap_or_else(|_| format!("rank {rank}"))
            }
        }
    }
}

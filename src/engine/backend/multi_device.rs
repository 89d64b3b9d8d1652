//! Combines several workers into one: each subdomain belongs to one member, with its frame and its
//! totals.

use super::SampleRequest;
use super::padded_grid::PaddedGrid;
use super::worker::{
    Frames, HaloExchange, Rollback, Sampled, StepFindings, StepSampling, Timed, Totals, Worker,
    delegated,
};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::forcing::step::Step;
use crate::forcing::timeline::Timeline;
use crate::gauged::GaugeState;
use crate::tiling::rect::Rect;
use rayon::prelude::*;

/// Workers that share the subdomains, assigned in round-robin order.
pub struct MultiDeviceWorker<W> {
    members: Vec<W>,
    /// The member that records each gauge.
    gauges: Vec<usize>,
}

/// Frame memory of a member.
pub struct MultiDeviceFrame<F> {
    member: usize,
    frame: F,
}

impl<W: Worker> MultiDeviceWorker<W> {
    /// Creates a worker whose members are all set up for the whole plan. `gauges` has the subdomain
    /// whose own cells contain each gauge.
    ///
    /// # Panics
    /// If there are no members.
    pub fn new(members: Vec<W>, gauges: &[usize]) -> MultiDeviceWorker<W> {
        assert!(!members.is_empty(), "someone works");
        let gauges = gauges.iter().map(|subdomain| subdomain % members.len()).collect();
        MultiDeviceWorker { members, gauges }
    }

    fn each(&mut self, with: impl Fn(&mut W) -> Result<()> + Sync) -> Result<()> {
        self.members.iter_mut().try_for_each(with)
    }
}

impl<W> Drop for MultiDeviceWorker<W> {
    /// Keeps the memory that one member pinned for all until no member copies any more.
    fn drop(&mut self) {
        // The member that pinned goes last.
        while self.members.pop().is_some() {}
    }
}

impl<W: Worker> Frames for MultiDeviceWorker<W> {
    type Frame = MultiDeviceFrame<W::Frame>;

    delegated! {
        {frame as &Self::Frame: self.members[frame.member], &frame.frame}
        fn read(&self, subdomain: usize, field: Field, area: Rect, to: &mut [u32]) -> Result<()>;
    }

    delegated! {
        {frame as &mut Self::Frame: self.members[frame.member], &mut frame.frame}
        fn load(&mut self, padded_grid: &PaddedGrid, subdomain: usize) -> Result<()>;
        fn store(&mut self, padded_grid: &mut PaddedGrid, subdomain: usize) -> Result<()>;
        fn write(&mut self, subdomain: usize, field: Field, area: Rect, from: &[u32]) -> Result<()>;
        fn read_water(&mut self, subdomain: usize, cells: &[(usize, usize)]) -> Result<Vec<i32>>;
        fn add_water(&mut self, subdomain: usize, cell: (usize, usize), by: i32) -> Result<()>;
    }

    fn devices(&self) -> usize {
        self.members.len()
    }

    fn allocate(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame> {
        let frame = self.members[device].allocate(0, columns, rows)?;
        Ok(MultiDeviceFrame { member: device, frame })
    }

    fn pin(&mut self, padded_grid: &PaddedGrid) {
        // Memory pinned by one member is pinned for all.
        self.members[0].pin(padded_grid);
    }
}

impl<W: Worker> HaloExchange for MultiDeviceWorker<W> {
    delegated! {
        {self.members[0]}
        fn state(&self) -> Vec<Field>;
    }

    delegated! {
        {frame as &Self::Frame: self.members[frame.member], &frame.frame}
        fn send_halo(&mut self, subdomain: usize, to: usize, area: Rect) -> Result<()>;
    }

    delegated! {
        {frame as &mut Self::Frame: self.members[frame.member], &mut frame.frame}
        fn complete_halo(&mut self, subdomain: usize) -> Result<()>;
    }

    fn receive_halo(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        (from, other): (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()> {
        self.members[frame.member].receive_halo(
            &mut frame.frame,
            subdomain,
            (&from.frame, other),
            area,
        )
    }
}

impl<W: Worker> Rollback for MultiDeviceWorker<W> {
    delegated! {
        {frame as &mut Self::Frame: self.members[frame.member], &mut frame.frame}
        fn checkpoint_frame(&mut self) -> Result<()>;
        fn rollback_frame(&mut self) -> Result<()>;
    }

    fn checkpoint_sums(&mut self) -> Result<()> {
        self.each(W::checkpoint_sums)
    }

    fn rollback_sums(&mut self) -> Result<()> {
        self.each(W::rollback_sums)
    }
}

impl<W: Worker> StepSampling for MultiDeviceWorker<W> {
    delegated! {
        {self.members[0]}
        fn request_samples(&mut self, wanted: &SampleRequest) -> Result<bool>;
        fn set_sample_times(&mut self, times: &[f64]) -> ();
        fn collect_samples(&mut self) -> Vec<Sampled>;
    }
}

impl<W: Worker> Worker for MultiDeviceWorker<W> {
    const COUNTS_ON_REQUEST: bool = W::COUNTS_ON_REQUEST;

    delegated! {
        {frame as &Self::Frame: self.members[frame.member], &frame.frame}
        fn count_on_request(&self) -> (u64, u64);
    }

    delegated! {
        {frame as &mut Self::Frame: self.members[frame.member], &mut frame.frame}
        fn count_water(&mut self, subdomain: usize) -> Result<()>;
        fn set_forcing(&mut self, timeline: &Timeline) -> Result<()>;
        fn advance(&mut self, subdomain: usize, computed: &[Rect], steps: &[Step]) -> Result<()>;
        fn record_diagnostics(&mut self, subdomain: usize, time: f32) -> Result<()>;
    }

    fn advance_all(
        &mut self,
        frames: &mut [Self::Frame],
        computed: &[Vec<Rect>],
        steps: &[Step],
    ) -> Result<()> {
        let all = self.members.par_iter_mut().zip(frames).zip(computed).enumerate();
        // The first member may start at once, so the others get their commands before it.
        all.rev().try_for_each(|(subdomain, ((member, frame), computed))| {
            member.advance(&mut frame.frame, subdomain, computed, steps)
        })
    }

    fn advance_adaptive(
        &mut self,
        frame: &mut Self::Frame,
        computed: Rect,
        run: Timed,
    ) -> Result<()> {
        self.members[0].advance_adaptive(&mut frame.frame, computed, run)
    }

    fn synchronize(&mut self) -> Result<()> {
        self.each(W::synchronize)
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        let mut all = Vec::new();
        for member in &mut self.members {
            for (step, found) in member.collect_findings()?.into_iter().enumerate() {
                found
                    .maxima
                    .iter()
                    .for_each(|of| StepFindings::add(&mut all, step, found.rate, *of));
            }
        }
        Ok(all)
    }

    fn collect_totals(&mut self) -> Result<Vec<Totals>> {
        let all: Vec<Vec<Totals>> =
            self.members.iter_mut().map(W::collect_totals).collect::<Result<_>>()?;
        Ok((0..all[0].len()).map(|subdomain| all[subdomain % all.len()][subdomain]).collect())
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        let mut port_volumes = BoundaryVolumes::default();
        for member in &self.members {
            port_volumes.add_all(&member.boundary_volumes()?);
        }
        Ok(port_volumes)
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        let all: Vec<_> = self.members.iter().map(W::gauge_states).collect::<Result<_>>()?;
        Ok(self.gauges.iter().enumerate().map(|(gauge, &member)| all[member][gauge]).collect())
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        let all: Vec<_> = self.members.iter().map(W::link_states).collect::<Result<_>>()?;
        Ok((0..all[0].len())
            .map(|subdomain| all[subdomain % all.len()][subdomain].clone())
            .collect())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.each(|member| member.set_tables(tables))
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        self.each(|member| member.set_link_states(states))
    }

    fn describe(&self) -> String {
        // Each name once, with its count.
        let mut names: Vec<(String, usize)> = Vec::new();
        for name in self.members.iter().map(W::describe) {
            match names.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 += 1,
                None => names.push((name, 1)),
            }
        }
        let name = |(name, count): (String, usize)| match count {
            1 => name,
            count => format!("{count} times {name}"),
        };
        names.into_iter().map(name).collect::<Vec<_>>().join(" and ")
    }
}

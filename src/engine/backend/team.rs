//! Several workers as one: each subdomain is one's, and so are its frame and what it adds up.

use super::Wanted;
use super::canvas::Canvas;
use super::worker::{Found, Sampled, Timed, Totals, Worker};
use crate::error::Result;
use crate::extremes::Extremes;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::forcing::step::Step;
use crate::gauged::GaugeState;
use crate::tiling::rect::Rect;
use crate::time_step::{StepControl, Until};
use rayon::prelude::*;

/// Workers that share out the subdomains: the first has the first, and so on in turns.
pub struct Team<W> {
    members: Vec<W>,
    /// The member who looks at each gauge.
    gauges: Vec<usize>,
}

/// Memory of a member for a frame.
pub struct TeamFrame<F> {
    member: usize,
    frame: F,
}

impl<W: Worker> Team<W> {
    /// A team; each member knows all subdomains. `gauges` has the subdomain in whose own cells each gauge lies.
    ///
    /// # Panics
    /// If no one is in it.
    pub fn new(members: Vec<W>, gauges: &[usize]) -> Team<W> {
        assert!(!members.is_empty(), "someone works");
        let gauges = gauges.iter().map(|subdomain| subdomain % members.len()).collect();
        Team { members, gauges }
    }

    /// The member whose subdomain it is.
    fn of(&mut self, subdomain: usize) -> &mut W {
        let count = self.members.len();
        &mut self.members[subdomain % count]
    }

    fn each(&mut self, with: impl Fn(&mut W) -> Result<()> + Sync) -> Result<()> {
        self.members.iter_mut().try_for_each(with)
    }
}

impl<W> Drop for Team<W> {
    /// What one pinned for all stays until no one copies any more.
    fn drop(&mut self) {
        // The last to go is the one who pinned.
        while self.members.pop().is_some() {}
    }
}

impl<W: Worker> Worker for Team<W> {
    type Frame = TeamFrame<W::Frame>;

    const COUNTS_WHEN_ASKED: bool = W::COUNTS_WHEN_ASKED;

    fn counted(&self, frame: &Self::Frame) -> (u64, u64) {
        self.members[frame.member].counted(&frame.frame)
    }

    fn devices(&self) -> usize {
        self.members.len()
    }

    fn frame(&mut self, device: usize, columns: usize, rows: usize) -> Result<Self::Frame> {
        let frame = self.members[device].frame(0, columns, rows)?;
        Ok(TeamFrame { member: device, frame })
    }

    fn pin(&mut self, canvas: &Canvas) {
        // What one pins is pinned for all.
        self.members[0].pin(canvas);
    }

    fn load(&mut self, frame: &mut Self::Frame, canvas: &Canvas, subdomain: usize) -> Result<()> {
        assert_eq!(frame.member, subdomain % self.members.len(), "it is the member's");
        self.of(subdomain).load(&mut frame.frame, canvas, subdomain)
    }

    fn advance(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        self.of(subdomain).advance(&mut frame.frame, subdomain, computed, steps)
    }

    fn advance_all(
        &mut self,
        frames: &mut [Self::Frame],
        computed: &[Vec<Rect>],
        steps: &[Step],
    ) -> Result<()> {
        let all = self.members.par_iter_mut().zip(frames).zip(computed).enumerate();
        // The first may be at it at once; others are told before that.
        all.rev().try_for_each(|(subdomain, ((member, frame), computed))| {
            member.advance(&mut frame.frame, subdomain, computed, steps)
        })
    }

    fn advance_adaptive(
        &mut self,
        frame: &mut Self::Frame,
        computed: Rect,
        run: &Timed,
        control: &mut StepControl,
        until: Until,
        watch: &mut Extremes,
    ) -> Result<()> {
        self.members[0].advance_adaptive(&mut frame.frame, computed, run, control, until, watch)
    }

    fn samples(&mut self, wanted: &Wanted) -> Result<bool> {
        self.members[0].samples(wanted)
    }

    fn sample_at(&mut self, times: &[f64]) {
        self.members[0].sample_at(times);
    }

    fn sampled(&mut self) -> Vec<Sampled> {
        self.members[0].sampled()
    }

    fn state(&self) -> Vec<Field> {
        self.members[0].state()
    }

    fn offer(
        &mut self,
        frame: &Self::Frame,
        subdomain: usize,
        to: usize,
        area: Rect,
    ) -> Result<()> {
        self.members[frame.member].offer(&frame.frame, subdomain, to, area)
    }

    fn write(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        from: &[u32],
    ) -> Result<()> {
        self.of(subdomain).write(&mut frame.frame, subdomain, field, area, from)
    }

    fn take(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        (from, other): (&Self::Frame, usize),
        area: Rect,
    ) -> Result<()> {
        self.of(subdomain).take(&mut frame.frame, subdomain, (&from.frame, other), area)
    }

    fn taken(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()> {
        self.of(subdomain).taken(&mut frame.frame, subdomain)
    }

    fn waters(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        self.of(subdomain).waters(&mut frame.frame, subdomain, cells)
    }

    fn change(
        &mut self,
        frame: &mut Self::Frame,
        subdomain: usize,
        cell: (usize, usize),
        by: i32,
    ) -> Result<()> {
        self.of(subdomain).change(&mut frame.frame, subdomain, cell, by)
    }

    fn mark_frame(&mut self, frame: &mut Self::Frame) -> Result<()> {
        self.members[frame.member].mark_frame(&mut frame.frame)
    }

    fn back_frame(&mut self, frame: &mut Self::Frame) -> Result<()> {
        self.members[frame.member].back_frame(&mut frame.frame)
    }

    fn rest(&mut self) -> Result<()> {
        self.each(W::rest)
    }

    fn found(&mut self) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for member in &mut self.members {
            for (step, found) in member.found()?.into_iter().enumerate() {
                found.maxima.iter().for_each(|of| Found::add(&mut all, step, found.rate, *of));
            }
        }
        Ok(all)
    }

    fn mark(&mut self) -> Result<()> {
        self.each(W::mark)
    }

    fn back(&mut self) -> Result<()> {
        self.each(W::back)
    }

    fn look(&mut self, frame: &mut Self::Frame, subdomain: usize, time: f32) -> Result<()> {
        self.of(subdomain).look(&mut frame.frame, subdomain, time)
    }

    fn store(
        &mut self,
        frame: &mut Self::Frame,
        canvas: &mut Canvas,
        subdomain: usize,
    ) -> Result<()> {
        self.of(subdomain).store(&mut frame.frame, canvas, subdomain)
    }

    fn count(&mut self, frame: &mut Self::Frame, subdomain: usize) -> Result<()> {
        self.of(subdomain).count(&mut frame.frame, subdomain)
    }

    fn wait(&mut self) -> Result<Vec<Totals>> {
        let all: Vec<Vec<Totals>> = self.members.iter_mut().map(W::wait).collect::<Result<_>>()?;
        Ok((0..all[0].len()).map(|subdomain| all[subdomain % all.len()][subdomain]).collect())
    }

    fn links(&self) -> Result<Vec<LinkState>> {
        self.members[0].links()
    }

    fn booked(&self) -> Result<Booked> {
        let mut booked = Booked::default();
        for member in &self.members {
            booked.add_all(&member.booked()?);
        }
        Ok(booked)
    }

    fn gauges(&self) -> Result<Vec<GaugeState>> {
        let all: Vec<_> = self.members.iter().map(W::gauges).collect::<Result<_>>()?;
        Ok(self.gauges.iter().enumerate().map(|(gauge, &member)| all[member][gauge]).collect())
    }

    fn read(
        &self,
        frame: &Self::Frame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        self.members[frame.member].read(&frame.frame, subdomain, field, area, to)
    }

    fn describe(&self) -> String {
        // Each name once, with how many there are of it.
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

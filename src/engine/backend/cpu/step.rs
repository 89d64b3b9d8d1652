//! The order of a step on the CPU.

use super::TooDeep;
use super::frame::{CpuFrame, Layer};
use super::jobs::{Done, Job, Next, Sight, StepTerms};
use super::notes::{Sights, Soil};
use super::rain::{Basin, Rate};
use super::shared::Shared;
use super::tiles::Tile;
use super::turn_rows::TurnDone;
use super::worker::CpuWorker;
use crate::extremes;
use crate::field::{Field, words, words_mut};
use crate::forcing::sites::{InStep, Tally};
use crate::forcing::step::Step;
use crate::grains::{Rounding, SHALLOW_WATER};
use crate::rule::edge::{Axis, EdgeField};
use crate::tiling::rect::Rect;
use crate::tiling::visit::MARGIN;
use crate::track::Look;
use rayon::prelude::*;

impl CpuFrame {
    /// The frame's cells on the grid of (columns, rows).
    pub(super) fn on_grid(&self, grid: (usize, usize)) -> Rect {
        let all = Rect { column: MARGIN, row: MARGIN, columns: grid.0, rows: grid.1 };
        self.within(self.visit.frame.within(all))
    }
}

impl CpuWorker {
    /// Takes a step of a frame in which some of its cells are computed (columns and rows of the frame); says how long it could
    /// have been (s⁻¹).
    pub(super) fn step(
        &mut self,
        frame: &mut CpuFrame,
        visit: usize,
        computed: Rect,
        step: &Step,
    ) -> Result<f32, TooDeep> {
        self.link(frame, step);
        self.look_around(frame, visit, Look::new(step.start, step.end, self.grain.metres()));
        self.rain(frame, visit, step)?;
        self.come(frame, visit, step)?;
        let momentum = self.rule.has_momentum();
        self.soak(frame, visit, step);
        let active = self.active(frame);
        // Half a step further than velocities turn, the water must have moved: they look at it.
        let ghosts = self.with_ghosts(frame);
        let wide = if momentum { grown(computed).within(ghosts) } else { computed };
        let busy = |tile: &&usize| frame.tiles.each[**tile].area.meets(wide);
        let (threads, busy) = (rayon::current_num_threads(), active.iter().filter(busy).count());
        let bands = threads > 1 && busy < 4 * threads;
        let deepest = frame.tiles.each.iter().map(|tile| tile.deepest).max().unwrap_or(0);
        let terms = StepTerms {
            rule: self.rule,
            neighbourhood: self.neighbourhood,
            grain: self.grain,
            axes: Axis::both(step.dt, self.inverse, self.grain),
            rounding: Rounding::new(self.grain, self.neighbourhood.neighbours(), step.number),
            checked: deepest >= SHALLOW_WATER,
            now: InStep::of(step, self.grain),
            threshold: self.threshold,
            instructions: self.options.instructions,
            skip_dry_rows: self.options.activity,
            peaks: self.totals[visit].peaks,
            looks: extremes::looks(step.number),
        };
        let jobs = Job::all(&frame.tiles.each, &active, wide, bands);
        let pace = self.flow(frame, visit, &terms, &jobs)?;
        if !momentum {
            return Ok(pace);
        }
        let jobs = Job::all(&frame.tiles.each, &active, computed, bands);
        Ok(self.turn(frame, visit, &terms, &jobs))
    }

    /// Links carry water, where the frame holds the whole grid.
    fn link(&mut self, frame: &mut CpuFrame, step: &Step) {
        if self.links.is_empty() {
            return;
        }
        let columns = self.grid.0;
        let mut links = std::mem::take(&mut self.links);
        links.step(step.dt, |cell, by| {
            frame.change((cell % columns + MARGIN, cell / columns + MARGIN), by)
        });
        self.links = links;
    }

    /// Looks at the state, for the run's tracks and gauges.
    pub(super) fn look_around(&mut self, frame: &mut CpuFrame, visit: usize, now: Look) {
        self.look_at_gauges(frame, visit, now);
        if self.tracks.is_empty() {
            return;
        }
        let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
        let CpuFrame { layers, tiles, .. } = frame;
        let (noted, rest): (Vec<&mut Layer>, Vec<&mut Layer>) =
            layers.iter_mut().partition(|layer| matches!(layer.field, Field::Track(_)));
        let planes: Vec<Shared<u32>> =
            noted.into_iter().map(|layer| Shared::new(&mut layer.now[..])).collect();
        let find = |field: Field| {
            let layer = rest.iter().find(|layer| layer.field == field);
            layer.map_or(&[][..], |layer| words(&layer.now))
        };
        let flows = EdgeField::ALL.map(|edge| [0, 1].map(|axis| find(Field::edge(edge, axis))));
        let water = rest.iter().find(|layer| layer.field == Field::Water);
        let (each, wet) = tiles.wet_rows();
        let all = Sights {
            tracks: &self.tracks,
            now,
            water: words(&water.expect("there is water").now),
            flows,
            planes: &planes,
            wet,
            rows,
            stride,
            lead,
        };
        each.par_iter().filter(|tile| tile.is_wet()).for_each(|tile| tile.look(&all));
    }

    /// What water comes into, the tiles, and what losses know.
    fn basin<'a>(&self, frame: &'a mut CpuFrame) -> (&'a mut [Tile], Basin<'a>, Ground<'a>) {
        let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
        let corner = (frame.visit.frame.column, frame.visit.frame.row);
        let CpuFrame { layers, tiles, flags, canvas_columns, .. } = frame;
        let (mut water, mut bed, mut rained) = (None, &[][..], None);
        let mut ground = Ground::default();
        for Layer { field, now, .. } in layers {
            match field {
                Field::Water => water = Some(Shared::new(words_mut(now))),
                Field::Bed => bed = words(now),
                Field::Rained => rained = Some(Shared::new(&mut now[..])),
                Field::Soaked => ground.soaked = Some(Shared::new(words_mut(now))),
                Field::Excess => ground.excess = Some(Shared::new(words_mut(now))),
                Field::Ground => ground.kinds = Some(now),
                _ => {}
            }
        }
        let (each, wet) = tiles.wet_rows();
        let basin = Basin {
            water: water.expect("there is water"),
            rained,
            wet: Shared::new(wet),
            bed,
            rows,
            stride,
            lead,
            flags,
            canvas_columns: *canvas_columns,
            corner,
            grid: (self.grid.0, MARGIN),
            grain: self.grain,
        };
        (each, basin, ground)
    }

    /// Rain comes, and whatever else comes into more than single cells.
    fn rain(&mut self, frame: &mut CpuFrame, visit: usize, step: &Step) -> Result<(), TooDeep> {
        let brings = |rate: &&Rate| {
            let increment = step.increments[rate.layer];
            increment.after != increment.before
        };
        if !self.rates.iter().any(|rate| brings(&rate)) {
            return Ok(());
        }
        let (tiles, basin, _) = self.basin(frame);
        let rates = &self.rates;
        let one = |tile: &mut Tile| counted(tile.own, tile.rain(step, rates, basin));
        let came = tiles.par_iter_mut().map(one).collect::<Result<Vec<Tally>, TooDeep>>()?;
        came.iter().for_each(|came| self.took(visit, came));
        Ok(())
    }

    /// Sites act that do when a step begins.
    fn come(&mut self, frame: &mut CpuFrame, visit: usize, step: &Step) -> Result<(), TooDeep> {
        let now = InStep::of(step, self.grain);
        let (tiles, basin, _) = self.basin(frame);
        let some = tiles.par_iter_mut().filter(|tile| !tile.sites.coming.is_empty());
        let one = |tile: &mut Tile| counted(tile.own, tile.act(&now, None, basin));
        let came = some.map(one).collect::<Result<Vec<Tally>, TooDeep>>()?;
        came.iter().for_each(|came| self.took(visit, came));
        Ok(())
    }

    /// Books what a tile's own cells were given and lost.
    fn took(&mut self, visit: usize, tally: &Tally) {
        self.totals[visit].book(tally);
        self.booked.add_all(&tally.booked);
    }

    /// Ground, sewers and air take their part.
    fn soak(&mut self, frame: &mut CpuFrame, visit: usize, step: &Step) {
        let Some(losses) = &self.losses else { return };
        let (tiles, basin, ground) = self.basin(frame);
        let soaked = ground.soaked.expect("losses have it");
        let soil = Soil { losses, basin, soaked, excess: ground.excess, kinds: ground.kinds };
        let wet = tiles.par_iter().filter(|tile| tile.is_wet());
        let taken: Vec<_> = wet.map(|tile| (tile.own, tile.soak(step, soil))).collect();
        let own = taken.into_iter().filter(|(own, _)| *own);
        own.for_each(|(_, taken)| self.totals[visit].taken += taken);
    }

    /// The tiles that something may happen in. Those that are dry, and have no wet tile near, rest: all that flows is 0 in them.
    fn active(&self, frame: &mut CpuFrame) -> Vec<usize> {
        let tiles = &frame.tiles.each;
        let awake = |tile: &Tile| {
            let near = || tile.near.iter().any(|&other| tiles[other].is_wet());
            !self.options.activity || tile.is_wet() || tile.moving || near()
        };
        let active: Vec<bool> = tiles.iter().map(awake).collect();
        let rests = active.iter().zip(tiles).enumerate();
        let rests = rests.filter(|(_, (active, tile))| !**active && tile.still != [true; 2]);
        let rests: Vec<usize> = rests.map(|(number, _)| number).collect();
        for tile in rests {
            frame.wipe(tile);
        }
        (0..active.len()).filter(|&tile| active[tile]).collect()
    }

    /// Water flows, sinks are emptied, maxima and arrivals noted.
    fn flow(
        &mut self,
        frame: &mut CpuFrame,
        visit: usize,
        terms: &StepTerms,
        jobs: &[Job],
    ) -> Result<f32, TooDeep> {
        let late = Late::of(frame);
        let momentum = self.rule.has_momentum();
        let done = {
            let (grid, uniform) = (frame.on_grid(self.grid), self.uniform);
            let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
            let columns = frame.tiles.column_breaks().to_vec();
            let CpuFrame { layers, tiles, .. } = frame;
            let (each, wet, next_wet, quiet) = tiles.in_step();
            let mut all = Arrays::of(layers, momentum);
            let now = Sight {
                bed: all.bed,
                water: all.water,
                roughness: all.roughness.ok_or(uniform),
                discharge: all.discharge,
                velocity: all.velocity,
                wet,
                columns: &columns,
                rows,
                stride,
                lead,
                grid,
            };
            let (wet, quiet) = (Shared::new(next_wet), Shared::new(quiet));
            let next = Next { wet, quiet, ..all.next.take().expect("once") };
            // SAFETY: tiles do not overlap, and jobs are parts of them that do not, either.
            let one = |job: &Job| unsafe { job.flow(terms, &each[job.tile], &now, &next) };
            jobs.par_iter().map(one).collect::<Vec<Done>>()
        };
        frame.tiles.turn();
        frame.turn(|field| !momentum || field == Field::Water);
        let mut pace = 0.0f32;
        let mut overflow = false;
        let tiles = &mut frame.tiles.each;
        jobs.iter().for_each(|job| {
            (tiles[job.tile].deepest, tiles[job.tile].still[0]) = (0, false);
            if !momentum {
                tiles[job.tile].moving = false;
            }
        });
        let totals = &mut self.totals[visit];
        for (job, done) in jobs.iter().zip(&done) {
            let tile = &mut tiles[job.tile];
            tile.deepest = tile.deepest.max(done.deepest);
            tile.moving |= done.moving;
            pace = pace.max(done.pace);
            if tile.own {
                totals.crossed += done.crossed;
                totals.peaks = totals.peaks.with(done.peaks);
                totals.book(&done.tally);
                self.booked.add_all(&done.tally.booked);
                overflow |= done.overflow;
            }
        }
        self.act_late(frame, visit, terms, &late)?;
        if overflow { Err(TooDeep) } else { Ok(pace) }
    }

    /// Sites act that do when water has flowed.
    fn act_late(
        &mut self,
        frame: &mut CpuFrame,
        visit: usize,
        terms: &StepTerms,
        late: &[Late],
    ) -> Result<(), TooDeep> {
        if late.is_empty() {
            return Ok(());
        }
        let number = frame.layers.iter().position(|layer| layer.field == Field::Water);
        let number = number.expect("there is water");
        let before = std::mem::take(&mut frame.layers[number].next);
        let (tiles, basin, _) = self.basin(frame);
        let mut acted = Ok(());
        let mut tallies = Vec::new();
        for Late { tile, .. } in late {
            match tiles[*tile].act(&terms.now, Some(words(&before)), basin) {
                Ok(tally) if tiles[*tile].own => tallies.push(tally),
                Err(too_deep) if tiles[*tile].own => acted = Err(too_deep),
                _ => {}
            }
        }
        frame.layers[number].next = before;
        tallies.iter().for_each(|tally| self.took(visit, tally));
        late.iter().for_each(|late| late.note(frame, self.threshold, terms.now.step.end));
        acted
    }

    /// The velocities turn; says how long the step could have been (s⁻¹).
    fn turn(&mut self, frame: &mut CpuFrame, visit: usize, terms: &StepTerms, jobs: &[Job]) -> f32 {
        let done = {
            let (grid, uniform) = (frame.on_grid(self.grid), self.uniform);
            let (rows, stride, lead) = (frame.tiles.frame_rows(), frame.stride(), frame.lead);
            let columns = frame.tiles.column_breaks().to_vec();
            let CpuFrame { layers, tiles, .. } = frame;
            let (each, wet, _, quiet) = tiles.in_step();
            let quiet = Shared::new(quiet);
            let mut now = Sight {
                bed: &[],
                water: &[],
                roughness: Err(uniform),
                discharge: [&[]; 2],
                velocity: [&[]; 2],
                wet,
                columns: &columns,
                rows,
                stride,
                lead,
                grid,
            };
            let mut next = [None, None];
            for Layer { field, now: cells, next: after, .. } in layers {
                match field {
                    Field::Bed => now.bed = words(cells),
                    Field::Water => now.water = words(cells),
                    Field::Roughness => now.roughness = Ok(words(cells)),
                    Field::DischargeEast => now.discharge[0] = words(cells),
                    Field::DischargeSouth => now.discharge[1] = words(cells),
                    Field::VelocityEast => {
                        (now.velocity[0], next[0]) =
                            (words(cells), Some(Shared::new(words_mut(after))));
                    }
                    Field::VelocitySouth => {
                        (now.velocity[1], next[1]) =
                            (words(cells), Some(Shared::new(words_mut(after))));
                    }
                    _ => {}
                }
            }
            let next = next.map(|layer| layer.expect("a rule with momentum has velocities"));
            // SAFETY: tiles do not overlap, and jobs are parts of them that do not, either.
            let one = |job: &Job| unsafe { job.turn(terms, &each[job.tile], &now, (next, quiet)) };
            jobs.par_iter().map(one).collect::<Vec<TurnDone>>()
        };
        frame.turn(|field| matches!(field, Field::VelocityEast | Field::VelocitySouth));
        let tiles = &mut frame.tiles.each;
        jobs.iter().for_each(|job| tiles[job.tile].moving = false);
        let totals = &mut self.totals[visit];
        let mut pace = 0.0f32;
        for (job, done) in jobs.iter().zip(&done) {
            let tile = &mut tiles[job.tile];
            tile.moving |= done.moving;
            pace = pace.max(done.pace);
            if tile.own {
                totals.crossed += done.crossed;
                totals.peaks = totals.peaks.with(done.peaks);
            }
        }
        pace
    }
}

/// What is counted of what a tile's cells came to, if they are the visit's own.
fn counted(own: bool, found: Result<Tally, TooDeep>) -> Result<Tally, TooDeep> {
    if own { found } else { Ok(Tally::default()) }
}

/// A tile with sites that act when water has flowed, and the maxima and arrivals of their cells before it: the flow notes
/// what it leaves there, and not what they do.
struct Late {
    tile: usize,
    noted: Vec<(usize, i32, f32)>,
}

impl Late {
    /// All of them in a frame.
    fn of(frame: &CpuFrame) -> Vec<Late> {
        let (most, arrival) = (frame.of(Field::Most), frame.of(Field::Arrival));
        let tiles = frame.tiles.each.iter().enumerate();
        let late = tiles.filter(|(_, tile)| !tile.sites.flowed.is_empty());
        late.map(|(number, tile)| {
            let places = tile.late(frame.lead, frame.stride());
            let noted = places.map(|place| (place, most[place], arrival[place])).collect();
            Late { tile: number, noted }
        })
        .collect()
    }

    /// Notes what the cells come to.
    fn note(&self, frame: &mut CpuFrame, threshold: i32, end: f32) {
        let after = |frame: &CpuFrame| {
            let water: &[i32] = frame.of(Field::Water);
            self.noted.iter().map(|&(place, ..)| water[place]).collect::<Vec<i32>>()
        };
        let water = after(frame);
        let most = frame.find_mut::<i32>(Field::Most).expect("maxima are noted");
        for (&(place, before, _), &water) in self.noted.iter().zip(&water) {
            most[place] = before.max(water);
        }
        let arrival = frame.find_mut::<f32>(Field::Arrival).expect("arrivals are noted");
        for (&(place, before, arrived), &water) in self.noted.iter().zip(&water) {
            let arrives = water > threshold && before <= threshold;
            arrival[place] = if arrives { end } else { arrived };
        }
    }
}

/// What losses know of cells.
#[derive(Default)]
struct Ground<'a> {
    soaked: Option<Shared<'a, i32>>,
    excess: Option<Shared<'a, i32>>,
    kinds: Option<&'a [u32]>,
}

/// The arrays of a frame as the flow reads and writes them.
struct Arrays<'a> {
    bed: &'a [i32],
    water: &'a [i32],
    roughness: Option<&'a [f32]>,
    discharge: [&'a [f32]; 2],
    velocity: [&'a [f32]; 2],
    next: Option<Next<'a>>,
}

impl<'a> Arrays<'a> {
    /// Those of a frame; under a rule with momentum the flow goes on from velocities, and leaves them alone.
    fn of(layers: &'a mut [Layer], momentum: bool) -> Arrays<'a> {
        let (mut bed, mut water, mut roughness) = (&[][..], &[][..], None);
        let (mut discharge, mut velocity) = ([&[][..]; 2], [&[][..]; 2]);
        let (mut next_discharge, mut next_velocity) = ([None, None], [None, None]);
        let (mut next_water, mut most, mut arrival) = (None, None, None);
        for layer in layers {
            let (field, turns) = (layer.field, !layer.next.is_empty());
            let Layer { now, next, .. } = layer;
            // What does not turn is written where it is, and not read meanwhile.
            let (from, to): (&[u32], &mut [u32]) = if turns { (now, next) } else { (&[], now) };
            match field {
                Field::Bed => bed = words(to),
                Field::Roughness => roughness = Some(words(to)),
                Field::Water => {
                    (water, next_water) = (words(from), Some(Shared::new(words_mut(to))));
                }
                Field::Most => most = Some(Shared::new(words_mut(to))),
                Field::Arrival => arrival = Some(Shared::new(words_mut(to))),
                Field::DischargeEast | Field::DischargeSouth => {
                    let axis = usize::from(field == Field::DischargeSouth);
                    discharge[axis] = words(from);
                    next_discharge[axis] = Some(Shared::new(words_mut(to)));
                }
                Field::VelocityEast | Field::VelocitySouth => {
                    let axis = usize::from(field == Field::VelocitySouth);
                    velocity[axis] = words(from);
                    next_velocity[axis] = Some(Shared::new(words_mut(to)));
                }
                _ => {}
            }
        }
        let pair = |[east, south]: [Option<Shared<'a, f32>>; 2]| Some([east?, south?]);
        let next = Next {
            water: next_water.expect("there is water"),
            discharge: pair(next_discharge),
            velocity: pair(next_velocity).filter(|_| !momentum),
            most: most.expect("maxima are noted"),
            arrival: arrival.expect("arrivals are noted"),
            wet: Shared::new(&mut []),
            quiet: Shared::new(&mut []),
        };
        Arrays { bed, water, roughness, discharge, velocity, next: Some(next) }
    }
}

/// A rectangle with the cells around it.
fn grown(cells: Rect) -> Rect {
    Rect {
        column: cells.column.saturating_sub(1),
        row: cells.row.saturating_sub(1),
        columns: cells.columns + 2 - usize::from(cells.column == 0),
        rows: cells.rows + 2 - usize::from(cells.row == 0),
    }
}

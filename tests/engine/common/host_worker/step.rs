//! A step of a frame, stage by stage and cell by cell.

use super::HostWorker;
use super::edges::{self, Around, Outcome, ahead};
use super::frame::{HostFrame, cells};
use super::momentum_step::{FaceState, Moving, nothing_known};
use super::outflows::{Column, Surroundings};
use inundate_engine::backend::{FluxStatistics, Problem};
use inundate_engine::cell_diagnostics::StateTime;
use inundate_engine::field::Field;
use inundate_engine::forcing::sites::StepContext;
use inundate_engine::forcing::step::Step;
use inundate_engine::forcing::structures::{FaceState as StructureKnown, Structure};
use inundate_engine::grains::Rounding;
use inundate_engine::neighbourhood::offset;
use inundate_engine::solver::edge::Axis;
use inundate_engine::step::{STAGES, Stage};
use inundate_engine::tiling::rect::Rect;
use inundate_engine::tiling::subdomain::{MARGIN, with_ghosts};
use std::collections::BTreeMap;

/// A padded grid cell, and its water after the flow (grains).
pub type Moved = ((usize, usize), i64);

impl HostWorker {
    /// Takes a step of a frame in which the cells of a rectangle are computed.
    pub fn step(&mut self, frame: &mut HostFrame, subdomain: usize, computed: Rect, step: &Step) {
        let known = nothing_known(frame);
        let mut moved = Vec::new();
        for stage in STAGES {
            // Water stops moving once it has got too deep.
            let stops = self.totals[subdomain].too_deep.is_some();
            match stage {
                Stage::Links => self.link(frame, subdomain, step),
                Stage::Record => {
                    let now = StateTime::new(step.start, step.end, self.problem.grain.metres());
                    self.record(frame, subdomain, now);
                }
                Stage::Rain => self.rain(frame, subdomain, step),
                Stage::Sites => self.act(frame, subdomain, step),
                // The frame's cells have no tables.
                Stage::Levels => {}
                Stage::Losses => self.take_losses(frame, subdomain, step),
                Stage::Structures => self.over_structures(frame, subdomain, step),
                Stage::Flow if !stops => {
                    moved = self.flow(frame, subdomain, computed, step, &known)
                }
                // Sites that act during the flow depend only on their own cell, and so may act now.
                Stage::AfterFlow => moved.drain(..).for_each(|(cell, sum)| {
                    self.update(frame, subdomain, cell, sum, step);
                }),
                Stage::Momentum if !stops => {
                    self.update_momentum(frame, subdomain, computed, step, &known)
                }
                Stage::Flow | Stage::Momentum => {}
            }
        }
    }

    /// Applies the links whose chains have only valid cells.
    fn link(&mut self, frame: &mut HostFrame, subdomain: usize, step: &Step) {
        let columns = self.problem.grid.columns;
        let place = |cell: usize| frame.place(cell % columns + MARGIN, cell / columns + MARGIN);
        let links = &mut self.links[subdomain];
        let right: BTreeMap<usize, bool> =
            links.ends().into_iter().map(|cell| (cell, frame.right[place(cell)])).collect();
        for chain in links.chains() {
            let mut ends = chain.iter().flat_map(|&number| {
                let link = &links.fitted[number].link;
                [link.inlet, link.outlet]
            });
            let first = ends.next().expect("an inlet");
            assert!(
                ends.all(|end| right[&end] == right[&first]),
                "all of a chain is right or none"
            );
        }
        links.step(step.dt, |cell, by| {
            let place = frame.place(cell % columns + MARGIN, cell / columns + MARGIN);
            if !right[&cell] {
                return 0;
            }
            frame.water[place] += by;
            frame.water[place]
        });
    }

    /// Computes the flux across edges with structures whose cells are both valid.
    fn over_structures(&self, frame: &mut HostFrame, subdomain: usize, step: &Step) {
        let tables = &self.problem.forcing.tables;
        let now = StepContext { tables, ..StepContext::of(step, self.problem.grain) };
        let axes = Axis::both(step.dt, self.problem.grid.inverse_cell(), self.problem.grain);
        for at in &self.forcing[subdomain].structures {
            let axis = at.structure.axis;
            let cell =
                (frame.extent.column + at.column as usize, frame.extent.row + at.row as usize);
            let cells = [cell, ahead(axis, cell)];
            if cells.iter().any(|&(column, row)| !frame.right[frame.place(column, row)]) {
                continue;
            }
            let water = cells.map(|(column, row)| frame.water[frame.place(column, row)]);
            let bed = cells.map(|cell| frame.bed(cell));
            let since = at.watched.map_or(0.0, |cells| {
                let states = frame.plane(Field::SiteState).expect("they remember");
                let place = |(column, row): (u32, u32)| {
                    let (column, row) = (column as usize, row as usize);
                    frame.place(frame.extent.column + column, frame.extent.row + row)
                };
                Structure::since(cells.map(|cell| frame.planes[states].1[place(cell)]), &now)
            });
            let flow = self.problem.solver.remembers();
            let flow = flow.map(|field| (field, frame.edge(field, axis, cell)));
            // Where one of them is not right, the result is not needed.
            let is_right = |&(column, row): &(usize, usize)| {
                frame.extent.holds(column, row) && frame.right[frame.place(column, row)]
            };
            let value = |cell: Option<(usize, usize)>| match (flow, cell.filter(is_right)) {
                (Some((field, _)), Some(cell)) => frame.edge(field, axis, cell),
                _ => 0.0,
            };
            let behind = match axis {
                0 => cell.0.checked_sub(1).map(|column| (column, cell.1)),
                _ => cell.1.checked_sub(1).map(|row| (cell.0, row)),
            };
            let line = [value(behind), value(Some(cells[1]))];
            let known = StructureKnown { since, flow, line, ..StructureKnown::default() };
            let limit = at.structure.limit(at.crest, water, bed, known, axes[axis], &now);
            let (plane, place) = (frame.plane(Field::structure(axis)), frame.place(cell.0, cell.1));
            frame.planes[plane.expect("a field of the frame")].1[place] = limit.to_bits();
        }
    }

    /// Moves water; returns the new water of cells.
    fn flow(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        computed: Rect,
        step: &Step,
        known: &FaceState,
    ) -> Vec<Moved> {
        let solver = self.problem.solver.info();
        match (solver.is_timed(), solver.has_momentum()) {
            (_, true) => self.carry(frame, subdomain, computed, step, known),
            (true, _) => self.cross(frame, subdomain, computed, step),
            _ => self.give(frame, computed, step),
        }
    }

    /// Moves water across the edges of a timed solver.
    fn cross(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        computed: Rect,
        step: &Step,
    ) -> Vec<Moved> {
        let Problem { solver, grain, .. } = self.problem;
        let axes = Axis::both(step.dt, self.problem.grid.inverse_cell(), grain);
        let known = edges::nothing_known(frame);
        let one = |cell| {
            let around = Around { frame, known: &known, axes, grain, number: step.number, cell };
            let outcome = solver.run(around);
            self.judge(frame, subdomain, cell, &outcome, step.number);
            (cell, outcome.water)
        };
        cells(computed).map(one).collect()
    }

    /// Moves water with the velocities of the edges, one cell further than velocities have to be
    /// updated.
    fn carry(
        &mut self,
        frame: &HostFrame,
        subdomain: usize,
        computed: Rect,
        step: &Step,
        known: &FaceState,
    ) -> Vec<Moved> {
        let Problem { solver, grain, .. } = self.problem;
        let axes = Axis::both(step.dt, self.problem.grid.inverse_cell(), grain);
        let grid = &self.problem.grid;
        // Cells beyond the ghosts are always dry.
        let ghosts = with_ghosts((grid.columns + 2 * MARGIN, grid.rows + 2 * MARGIN));
        let one = |cell: (usize, usize)| {
            let moving = Moving::new(frame, known, solver, grain, axes, step.number);
            let Outcome { water, crossed, cut, .. } = moving.moved_water(cell);
            if self.subdomains[subdomain].own.holds(cell.0, cell.1) {
                self.totals[subdomain].crossed +=
                    FluxStatistics { crossed, cut, ..FluxStatistics::default() };
            }
            (cell, water)
        };
        cells(computed.grown(1).within(ghosts)).map(one).collect()
    }

    /// Moves water between neighbours.
    fn give(&mut self, frame: &HostFrame, computed: Rect, step: &Step) -> Vec<Moved> {
        let Problem { solver, neighbourhood, grain, .. } = self.problem;
        let rounding = Rounding::new(grain, neighbourhood.neighbours(), step.number);
        let neighbours = neighbourhood.neighbours();
        let around = |column: usize, row: usize, k: usize| {
            let (di, dj) = offset(k);
            (column.wrapping_add_signed(di), row.wrapping_add_signed(dj))
        };
        let outflows_of = |column: usize, row: usize| {
            let mut beside = [Column::default(); 8];
            for (k, beside) in beside.iter_mut().enumerate().take(neighbours) {
                let (column, row) = around(column, row, k);
                *beside = frame.column(column, row);
            }
            let cell = frame.column(column, row);
            solver.run(Surroundings { rounding: &rounding, neighbourhood, cell, around: beside })
        };
        // Outflows are computed once, for the cells that influence the computed ones.
        let mut given: Vec<Option<[i32; 8]>> = vec![None; frame.water.len()];
        let mut outflows = |column: usize, row: usize| {
            let place = frame.place(column, row);
            *given[place].get_or_insert_with(|| outflows_of(column, row))
        };
        let one = |(column, row)| {
            let mut sum = i64::from(frame.column(column, row).water);
            sum -= outflows(column, row).iter().map(|&outflow| i64::from(outflow)).sum::<i64>();
            for k in 0..neighbours {
                let (column, row) = around(column, row, k);
                sum += i64::from(outflows(column, row)[k ^ 1]);
            }
            ((column, row), sum)
        };
        cells(computed).map(one).collect()
    }

    /// Updates velocities if the solver has momentum, and makes the next state current.
    fn update_momentum(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        computed: Rect,
        step: &Step,
        known: &FaceState,
    ) {
        let Problem { solver, grain, .. } = self.problem;
        if solver.has_momentum() {
            let axes = Axis::both(step.dt, self.problem.grid.inverse_cell(), grain);
            frame.wall_off();
            for cell in cells(computed) {
                let moving = Moving::new(frame, known, solver, grain, axes, step.number);
                let outcome = moving.updated_edges(cell);
                self.judge(frame, subdomain, cell, &outcome, step.number);
            }
            frame.keep_next(computed);
        }
        frame.swap();
    }
}

//! Losses and diagnostics, cell by cell.

use super::HostWorker;
use super::edges::Through;
use super::frame::{HostFrame, cells};
use inundate_engine::backend::padded_grid::INSIDE;
use inundate_engine::cell_diagnostics::{self, CellDiagnostic, RowFlow, StateTime};
use inundate_engine::field::Field;
use inundate_engine::forcing::step::Step;
use inundate_engine::grains::phase;
use inundate_engine::losses::StepLosses;
use inundate_engine::solver::edge::EdgeField;
use inundate_engine::tiling::subdomain::MARGIN;

impl HostWorker {
    /// Applies losses to every valid cell.
    pub fn take_losses(&mut self, frame: &mut HostFrame, subdomain: usize, step: &Step) {
        let Some(losses) = &self.problem.losses else { return };
        let evaporation = losses.evaporation.map(|layer| step.increments[layer]);
        let step_losses =
            StepLosses::new(step.dt, phase(step.number), self.problem.grain, evaporation);
        let [soaked, excess, rained, kind] =
            [Field::Soaked, Field::Excess, Field::Rained, Field::Ground]
                .map(|field| frame.plane(field));
        let soaked = soaked.expect("losses keep it");
        for (column, row) in cells(frame.extent) {
            let place = frame.place(column, row);
            if frame.flags[place] & INSIDE == 0 || !frame.right[place] {
                continue;
            }
            let rain = rained.map_or(0, |plane| std::mem::take(&mut frame.planes[plane].1[place]));
            if frame.water[place] <= 0 {
                continue;
            }
            let kind = kind.map_or(0, |plane| frame.planes[plane].1[place] as usize);
            let mut so_far = frame.planes[soaked].1[place] as i32;
            let mut beyond = excess.map(|plane| frame.planes[plane].1[place] as i32);
            let (ground, water) = (&losses.grounds[kind], &mut frame.water[place]);
            let taken = step_losses.take(ground, water, rain as i32, &mut so_far, beyond.as_mut());
            frame.planes[soaked].1[place] = so_far as u32;
            if let (Some(plane), Some(beyond)) = (excess, beyond) {
                frame.planes[plane].1[place] = beyond as u32;
            }
            if self.subdomains[subdomain].own.holds(column, row) {
                self.totals[subdomain].taken += taken;
            }
        }
    }

    /// Records the gauges in the subdomain's own cells.
    fn gauge(&mut self, frame: &HostFrame, subdomain: usize, now: StateTime) {
        let columns = self.problem.grid.columns;
        let flows = self.problem.has(EdgeField::Velocity);
        for (state, &cell) in self.gauges.states.iter_mut().zip(&self.gauges.cells) {
            let (column, row) = (cell % columns + MARGIN, cell / columns + MARGIN);
            if !self.subdomains[subdomain].own.holds(column, row) {
                continue;
            }
            let velocity = |axis, cell| frame.edge(EdgeField::Velocity, axis, cell);
            let edges = flows.then(|| {
                let along = [velocity(0, (column - 1, row)), velocity(0, (column, row))];
                let across = [velocity(1, (column, row - 1)), velocity(1, (column, row))];
                let sides = frame.crossed_sides(column, row);
                sides.complete([along[0], along[1], across[0], across[1]])
            });
            let most = frame.most[frame.place(column, row)];
            state.record(now, frame.column(column, row).water, most, edges);
        }
    }

    /// Records the subdomain's own cells.
    pub fn record(&mut self, frame: &mut HostFrame, subdomain: usize, now: StateTime) {
        self.gauge(frame, subdomain, now);
        let (places, _) = cell_diagnostics::first_planes(&self.problem.cell_diagnostics);
        // The planes of the diagnostics are consecutive.
        let cell_diagnostics = frame.plane(Field::Diagnostic(0)).unwrap_or(0);
        for (column, row) in cells(self.subdomains[subdomain].own) {
            let place = frame.place(column, row);
            let water = [frame.column(column, row).water];
            if water[0] <= 0 {
                continue;
            }
            for (&diagnostic, &first) in self.problem.cell_diagnostics.iter().zip(&places) {
                let around = diagnostic.flows().map(|field| {
                    let flow = |axis, cell| frame.edge(field, axis, cell);
                    let along = [flow(0, (column - 1, row)), flow(0, (column, row))];
                    let across = [flow(1, (column, row - 1)), flow(1, (column, row))];
                    let faces = [along[0], along[1], across[0], across[1]];
                    let [west, east, north, south] =
                        frame.crossed_sides(column, row).complete(faces);
                    ([west, east], [north], [south])
                });
                if let (CellDiagnostic::Speed, Some((along, [before], [after]))) =
                    (diagnostic, around)
                {
                    let through = Through { water: water[0], velocity: [along, [before, after]] };
                    let number = frame.number(column, row);
                    let greatest = &mut self.totals[subdomain].maxima;
                    *greatest = greatest.with(through.maxima(now.metres, number));
                }
                let flow = around.as_ref().map(|(along, before, after)| RowFlow {
                    along: &along[..],
                    before: &before[..],
                    after: &after[..],
                });
                let planes = frame.planes
                    [cell_diagnostics + first..cell_diagnostics + first + diagnostic.planes()]
                    .iter_mut();
                let mut cell: Vec<&mut [u32]> =
                    planes.map(|(_, plane)| std::slice::from_mut(&mut plane[place])).collect();
                cell_diagnostics::record(diagnostic, now, &water, flow, None, &mut cell);
            }
        }
    }
}

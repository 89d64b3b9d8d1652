//! Second half of a step of a solver with momentum over a band of rows: the water has moved, and
//! the velocities on the edges are updated.

use super::edge_rows::{AXES, BandDone, EdgeBand, EdgeWindow};
use super::flow_diagnostics::FlowingRow;
use super::lanes_of_row::{greatest, keep, rows_of, within};
use super::momentum_fluxes::Moves;
use super::window::{PADDING, REACH, Window};
use crate::cell_diagnostics::RowFlow;
use crate::grid::Bed;
use crate::lanes::{Real, Whole, fetch_lanes_ahead};
use crate::solver::momentum::{MomentumSolver, MomentumStencil, Streams, stream};
use crate::subgrid::lookup::Tabled;

impl<R: MomentumSolver, const TABLES: bool> EdgeBand<'_, '_, Moves<R, TABLES>> {
    /// Updates the velocities of the band.
    #[inline(always)]
    pub fn update_momentum<V: Real>(mut self) -> BandDone {
        let Window { bed, water, row_wet, .. } = self.window;
        let EdgeWindow { roughness, velocity, discharge, .. } = self.edges;
        let cells = self.window.cells();
        assert!(bed.len() >= cells && water.len() >= cells && V::LANES < PADDING);
        assert!(velocity.iter().chain(&discharge).all(|layer| layer.len() >= cells));
        assert!(self.rows.start >= REACH && self.rows.end + REACH <= row_wet.len());
        assert!(roughness.is_err() || roughness.unwrap().len() >= cells);
        let mut done = BandDone::default();
        self.streams_of_row::<V>(self.rows.start - 1);
        self.streams_of_row::<V>(self.rows.start);
        for row in self.rows.clone() {
            self.streams_of_row::<V>(row + 1);
            self.update_momentum_row::<V>(row, &mut done);
        }
        done
    }

    #[inline(always)]
    fn update_momentum_row<V: Real>(&mut self, row: usize, done: &mut BandDone) {
        let (stride, width) = (self.window.stride, self.window.width);
        // The edges before own cells limit the step as part of the cells to which they belong.
        let columns = REACH..width - REACH;
        if !self.window.row_wet[row] && !self.window.row_wet[row + 1] {
            return;
        }
        let mut next = self.next_velocity.take();
        let mut kept = rows_of(&mut next, row - self.rows.start).expect("velocities are kept");
        let mut next_discharge = self.next_discharge.take();
        let mut discharges = rows_of(&mut next_discharge, row - self.rows.start);
        let mut fastest = V::zero();
        let intakes = self.mark_intakes(row);
        let EdgeWindow { velocity, discharge, .. } = self.edges;
        for at in columns.clone().step_by(V::LANES) {
            let soon = (row + 2) * stride + at;
            fetch_lanes_ahead::<V, _>(self.window.bed, soon + stride);
            fetch_lanes_ahead::<V, _>(self.window.water, soon);
            for layer in velocity.iter().chain(&discharge) {
                fetch_lanes_ahead::<V, _>(layer, soon);
            }
            // SAFETY: arrays and scratch rows are PADDING longer than their cells, and the window
            // contains REACH rows before and after the updated ones.
            let cfl_rate = unsafe {
                let east = self.update_axis::<V, 0>(row, at, intakes, &mut kept, &mut discharges);
                east.higher(self.update_axis::<V, 1>(row, at, intakes, &mut kept, &mut discharges))
            };
            fastest = fastest.higher(within(cfl_rate, at, columns.clone()));
        }
        done.moving |= kept.iter().flat_map(|row| row.iter()).any(|velocity| *velocity != 0.0);
        done.cfl_rate = done.cfl_rate.max(greatest(fastest));
        (self.next_velocity, self.next_discharge) = (next, next_discharge);
        if self.evaluates_flow && self.window.row_on_grid(row) {
            self.scratch.diagnostics.end_row(self.window.own_on_grid(), &mut done.crossed);
            // SAFETY: arrays are PADDING longer than their cells.
            unsafe { self.flowed(row).record::<V>(self.maxima, &mut done.maxima) };
        } else {
            self.scratch.diagnostics.forget();
        }
    }

    /// Marks the intakes of a row and of the one below in the scratch rows. Returns `true` if there
    /// are any.
    #[inline(always)]
    fn mark_intakes(&mut self, row: usize) -> bool {
        let window = self.window;
        let intakes = [row, row + 1].map(|row| (row, window.intakes_of(row)));
        if intakes.clone().iter_mut().all(|(_, columns)| columns.next().is_none()) {
            return false;
        }
        for (row, columns) in intakes {
            let start = self.scratch.axis_start(row % 2);
            let shocks = &mut self.scratch.shocks[start..][..window.width + PADDING];
            shocks.fill(1.0);
            columns.for_each(|column| shocks[column] = 0.0);
        }
        true
    }

    /// Returns the flow through the own cells of a row, which must be on the grid, with the water
    /// that it left there.
    #[inline(always)]
    fn flowed(&self, row: usize) -> FlowingRow<'_> {
        let Window { water, stride, .. } = self.window;
        let [east, south] = self.edges.velocity;
        let own = self.window.own_on_grid();
        let first = row * stride + own.start;
        FlowingRow {
            water: &water[first..],
            metres: self.metres,
            flow: RowFlow {
                along: &east[first - 1..],
                before: &south[first - stride..],
                after: &south[first..],
            },
            cells: own.len(),
            number: self.window.number(first),
        }
    }

    /// Updates the velocities on some edges of an axis. Returns their CFL rate (s⁻¹).
    ///
    /// # Safety
    /// Two rows and columns around the edges must be in the window.
    #[inline(always)]
    unsafe fn update_axis<V: Real, const AXIS: usize>(
        &mut self,
        row: usize,
        at: usize,
        intakes: bool,
        kept: &mut [&mut [f32]; 2],
        discharges: &mut Option<[&mut [f32]; 2]>,
    ) -> V {
        let Window { water, stride, .. } = self.window;
        let here = row * stride + at;
        let ahead = if AXIS == 0 { 1 } else { stride };
        // SAFETY: the caller guarantees two rows and columns around the edges in the window; arrays
        // are PADDING longer than their cells.
        unsafe {
            let water = [V::Whole::load(water, here), V::Whole::load(water, here + ahead)];
            if !water[0].max(water[1]).any_greater(V::Whole::splat(0)) {
                keep(V::zero(), at, kept[AXIS]);
                if let Some(discharges) = discharges {
                    keep(V::zero(), at, discharges[AXIS]);
                }
                return V::zero();
            }
            let mut bend = self.bend::<V>(AXIS, row, at, water);
            if intakes {
                let place = [0, 1].map(|ahead| match AXIS {
                    0 => self.scratch.axis_start(row % 2) + at + ahead,
                    _ => self.scratch.axis_start((row + ahead) % 2) + at,
                });
                let shocks = &self.scratch.shocks;
                bend.shocks = Some([V::load(shocks, place[0]), V::load(shocks, place[1])]);
            }
            let updated = if TABLES {
                let ground = self.ground::<V>(AXIS, [here, here + ahead], bend.depth);
                let bend = MomentumStencil { difference: ground.difference(), ..bend };
                self.solver.0.new_velocity_over(self.terms[AXIS].solver, bend, ground)
            } else {
                self.solver.0.new_velocity(self.terms[AXIS].solver, bend)
            };
            let velocity = self.edges.limited::<V>(AXIS, here, updated.velocity, V::splat(1.0));
            keep(velocity, at, kept[AXIS]);
            if let Some(discharges) = discharges {
                let (discharge, velocity) = (updated.discharge, updated.velocity);
                let discharge = self.edges.limited_with::<V>(AXIS, here, discharge, velocity);
                keep(discharge, at, discharges[AXIS]);
            }
            if self.evaluates_flow {
                let (velocity, wave) = (updated.velocity, updated.wave);
                self.scratch.diagnostics.record(at, velocity, updated.depth, wave, V::zero());
            }
            updated.celerity * V::splat(self.terms[AXIS].per_celerity)
        }
    }

    /// Looks up some edges between cells of the given mean depths (m) in the tables.
    ///
    /// # Safety
    /// Both cells must be in the window.
    #[inline(always)]
    unsafe fn ground<V: Real>(
        &self,
        axis: usize,
        [here, there]: [usize; 2],
        depth: [V; 2],
    ) -> Tabled<'_, V> {
        let EdgeWindow { tables, level, rises, .. } = &self.edges;
        // SAFETY: the caller guarantees that both cells are in the window; arrays are PADDING
        // longer than their cells.
        unsafe {
            let levels = [V::Whole::load(level, here), V::Whole::load(level, there)];
            let rises = [V::load(rises, here), V::load(rises, there)];
            Tabled::of(&tables[axis], [here, there], levels, depth, rises)
        }
    }

    /// Collects the surroundings of some edges, whose cells hold `water` (grains).
    ///
    /// # Safety
    /// Two rows and columns around the edges must be in the window.
    #[inline(always)]
    unsafe fn bend<V: Real>(
        &self,
        axis: usize,
        row: usize,
        at: usize,
        water: [V::Whole; 2],
    ) -> MomentumStencil<V> {
        let Window { bed, stride, .. } = self.window;
        let here = row * stride + at;
        let streams = &self.scratch.stream;
        let upper = self.scratch.stream_start(axis, row - 1) + at;
        let middle = self.scratch.stream_start(axis, row) + at;
        let lower = self.scratch.stream_start(axis, row + 1) + at;
        let EdgeWindow { roughness, velocity, discharge, level, .. } = self.edges;
        let (ahead, across) = if axis == 0 { (1, stride) } else { (stride, 1) };
        let (metres, half) = (V::splat(self.metres), V::splat(0.5));
        let (line, flow, transverse) = (velocity[axis], discharge[axis], discharge[1 - axis]);
        let [na, nb, sa, sb] = [here - across, here - across + ahead, here, here + ahead];
        // SAFETY: the caller guarantees two rows and columns around the edges in the window; arrays
        // are PADDING longer than their cells. (No closures here: they are not inlined into the
        // code for the lanes.)
        unsafe {
            let beds = [
                V::Whole::load(bed, here - ahead),
                V::Whole::load(bed, here),
                V::Whole::load(bed, here + ahead),
                V::Whole::load(bed, here + 2 * ahead),
            ];
            let step = V::splat(Bed::STEP);
            let rise = (beds[1] - beds[2]).to_real() * step;
            let depth = [water[0].to_real() * metres, water[1].to_real() * metres];
            let height = if TABLES {
                let [a, b] = [V::Whole::load(level, here), V::Whole::load(level, here + ahead)];
                [(a - beds[1]).to_real() * step, (b - beds[2]).to_real() * step]
            } else {
                depth
            };
            let roughness = match roughness {
                Err(uniform) => V::splat(uniform),
                Ok(cells) => half * (V::load(cells, here) + V::load(cells, here + ahead)),
            };
            let (far_line, far_beside) = if R::ORDER == 1 {
                ([V::zero(); 2], [V::zero(); 2])
            } else {
                (
                    [V::load(line, here - 2 * ahead), V::load(line, here + 2 * ahead)],
                    [V::load(line, here - 2 * across), V::load(line, here + 2 * across)],
                )
            };
            let other = velocity[1 - axis];
            MomentumStencil {
                difference: (water[0] - water[1]).to_real().fused(metres, rise),
                rise,
                line_rise: [
                    (beds[0] - beds[1]).to_real() * step,
                    (beds[2] - beds[3]).to_real() * step,
                ],
                depth,
                height,
                roughness,
                velocity: V::load(line, here),
                line: [V::load(line, here - ahead), V::load(line, here + ahead)],
                beside: [V::load(line, here - across), V::load(line, here + across)],
                corners: [
                    V::load(line, here - across - ahead),
                    V::load(line, here - across + ahead),
                    V::load(line, here + across - ahead),
                    V::load(line, here + across + ahead),
                ],
                discharge: V::load(flow, here),
                flows: [V::load(flow, here - ahead), V::load(flow, here + ahead)],
                transverse: [
                    V::load(transverse, na),
                    V::load(transverse, nb),
                    V::load(transverse, sa),
                    V::load(transverse, sb),
                ],
                across: [
                    V::load(other, na),
                    V::load(other, nb),
                    V::load(other, sa),
                    V::load(other, sb),
                ],
                streams: Streams {
                    own: V::load(streams, middle),
                    line: if axis == 0 {
                        [V::load(streams, middle - 1), V::load(streams, middle + 1)]
                    } else {
                        [V::load(streams, upper), V::load(streams, lower)]
                    },
                    beside: if axis == 0 {
                        [V::load(streams, upper), V::load(streams, lower)]
                    } else {
                        [V::load(streams, middle - 1), V::load(streams, middle + 1)]
                    },
                },
                far_line,
                far_beside,
                shocks: None,
            }
        }
    }

    /// Computes the stream velocities of the edges of a row in the scratch rows.
    #[inline(always)]
    fn streams_of_row<V: Real>(&mut self, row: usize) {
        let (stride, width) = (self.window.stride, self.window.width);
        // Only wet rows read them.
        if !self.window.row_wet[row - 1..=row + 2].contains(&true) {
            return;
        }
        for axis in AXES {
            let start = self.scratch.stream_start(axis, row);
            let (ahead, across) = if axis == 0 { (1, stride) } else { (stride, 1) };
            let (line, transverse) = (self.edges.velocity[axis], self.edges.velocity[1 - axis]);
            for at in (REACH - 1..width - REACH + 1).step_by(V::LANES) {
                let here = row * stride + at;
                // SAFETY: arrays and scratch rows are PADDING longer than their cells, and the
                // window contains a row and a column around these edges.
                unsafe {
                    let ends = [
                        V::load(transverse, here - across),
                        V::load(transverse, here - across + ahead),
                        V::load(transverse, here),
                        V::load(transverse, here + ahead),
                    ];
                    let beside = [V::load(line, here - across), V::load(line, here + across)];
                    let own = V::load(line, here);
                    let stream = stream::<V, TABLES>(own, beside, ends);
                    stream.store(&mut self.scratch.stream, start + at);
                }
            }
        }
    }
}

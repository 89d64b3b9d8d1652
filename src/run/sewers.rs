//! Two-way coupling of a run with its sewer network, which SWMM computes.
//!
//! The run stops at every multiple of the coupling interval. During an interval the surface
//! exchanges water with each node by the law of its inlets
//! ([`InletNumbers`]), in every step and in whole grains, for the head of the node at the beginning
//! of the interval and its expected response. At the end of the interval SWMM receives the volume
//! that was counted, as an inflow, and computes the same interval. What SWMM releases, at
//! outfalls and over sealed nodes, goes onto the surface in the next interval.
//!
//! Two accounts per node carry what one side has given and the other has not yet received; they
//! hold a part of an interval's exchange, and nothing is ever lost in them. All of this is computed
//! from whole grains and by SWMM, on the host, so it does not depend on the device.

use crate::engine::backend::{Backend, Problem};
use crate::engine::clock::Clock;
use crate::engine::field::{Field, words};
use crate::engine::forcing::bounds::Law;
use crate::engine::forcing::sites::sewer_inlet::InletNumbers;
use crate::engine::grid::Bed;
use crate::engine::simulation::{Observer, Simulation, no_observer};
use crate::engine::subgrid::lookup;
use crate::engine::subgrid::tables::CellWords;
use crate::error::{Error, Result};
use crate::machine::swmm::library::{show_version, swmm};
use crate::machine::swmm::network::{IGNORED_FLOW, Network, Node, NodeKind};
use crate::output::checkpoint::sewers::{SewerHistory, SewerInterval, SewerState, net_volumes};
use crate::output::folder::{OutputFolder, SEWER_REPORT, SEWER_RESULTS};
use crate::output::sewers::{NodePeaks, SewerNodeReport, SewerRecords, SewerReport};
use crate::scenario::sewers::{Inlet, SewerNode, Sewers};
use crate::units::{Metre, Second};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Least area of a shaft over the rim of an open node (m²), a manhole of 4 ft, and its area per
/// second of the coupling interval (m²/s). Water that the network brings stands in the shaft until
/// the exchange takes it to the surface; without it, the head would follow every difference between
/// them at once.
const SHAFT: [f64; 2] = [1.167, 1.0];
/// Depth from which water in its cell is the stage of an outfall (m).
const STAGE_DEPTH: f64 = 1e-3;
/// Share of the volume owed that is given in an interval besides the volume of the interval.
const REPAID: f64 = 0.1;
/// Difference of levels that is none (m).
const SAME: Metre = 1e-3;
/// Tolerance for times (s).
const SLACK: Second = 1e-3;

/// State of a node between two coupling times.
#[derive(Clone, Copy, Debug, Default)]
struct NodeState {
    /// Volume that the surface has given and SWMM has not yet received (m³); negative if SWMM has
    /// still to give it.
    owed: f64,
    /// Inflow that SWMM was given (m³/s).
    inflow: f64,
    /// Inflow of the last routing step (m³/s).
    last_inflow: f64,
    /// Volume that SWMM has released and the surface has not yet received (m³); negative if the
    /// surface has still to give it.
    pending: f64,
    /// Discharge that SWMM released in the last routing step (m³/s).
    released: f64,
    /// Discharge onto the surface in the present interval (m³/s), from `pending`.
    release: f64,
    /// Set if the surface could not give what SWMM had taken.
    is_short: bool,
    /// Head at the last coupling time (m).
    head: Option<f64>,
}

/// Cell of an outfall.
struct OutfallCell {
    node: usize,
    /// Column and row.
    place: (usize, usize),
    /// Lowest ground (m).
    ground: Metre,
    table: Option<CellWords>,
}

/// Node that exchanges no water with the surface.
struct OtherNode {
    index: usize,
    kind: NodeKind,
    /// Discharge out of the network in the last routing step (m³/s).
    released: f64,
    /// Volume that has left the network there (m³).
    left: f64,
}

/// Coupling of a run with its sewer network.
pub struct SewerCoupling {
    plan: Arc<Sewers>,
    network: Network,
    problem: SewerProblem,
    nodes: Vec<NodeState>,
    others: Vec<OtherNode>,
    numbers: Vec<InletNumbers>,
    /// Share of each inlet in the capacity of its node.
    shares: Vec<f64>,
    /// Net volume through each inlet at the last coupling time, as counted by the ports (grains).
    before: Vec<i64>,
    history: SewerHistory,
    /// Time of the network at the last exchange (s).
    exchanged: Second,
    records: SewerRecords,
}

impl SewerCoupling {
    /// Opens the network of a run, before its first step. SWMM's files are written to a folder.
    ///
    /// # Errors
    /// If SWMM fails.
    pub fn start(
        plan: &Arc<Sewers>,
        problem: SewerProblem,
        every_sample: Second,
        folder: &OutputFolder,
    ) -> Result<SewerCoupling> {
        let (report, results) = (folder.staged(SEWER_REPORT), folder.staged(SEWER_RESULTS));
        let mut network = Network::open(&plan.path, &report, &results)?;
        let others = others(&network, plan)?;
        open_shafts(&mut network, plan)?;
        network.start()?;
        let numbers: Vec<InletNumbers> = plan.inlets.iter().map(|inlet| inlet.numbers()).collect();
        let mut capacities = vec![0.0; plan.nodes.len()];
        for (inlet, numbers) in plan.inlets.iter().zip(&numbers) {
            capacities[inlet.node] += f64::from(numbers.orifice);
        }
        let share = |(inlet, numbers): (&Inlet, &InletNumbers)| {
            let all = capacities[inlet.node];
            if all > 0.0 { f64::from(numbers.orifice) / all } else { 1.0 }
        };
        let shares = plan.inlets.iter().zip(&numbers).map(share).collect();
        let mut coupling = SewerCoupling {
            problem,
            nodes: vec![NodeState::default(); plan.nodes.len()],
            others,
            numbers,
            shares,
            before: vec![0; plan.inlets.len()],
            history: SewerHistory::default(),
            exchanged: 0.0,
            records: SewerRecords::new(plan.nodes.len(), every_sample),
            plan: plan.clone(),
            network,
        };
        coupling.set_numbers();
        if let Some((history, since)) = &plan.earlier {
            coupling.replay(history.clone())?;
            coupling.others.iter_mut().for_each(|other| other.left = 0.0);
            coupling.before = since.iter().map(|since| -since).collect();
        }
        coupling.record(0.0, &vec![0.0; plan.nodes.len()]);
        Ok(coupling)
    }

    /// Returns the next coupling time of the run (s).
    pub fn next_time(&self) -> Second {
        (self.history.intervals + 1) as f64 * self.plan.every - self.problem.elapsed
    }

    /// Passes the present state of the nodes to a backend.
    ///
    /// # Errors
    /// If the device fails.
    pub fn apply(&self, backend: &mut dyn Backend) -> Result<()> {
        backend.set_tables(&self.problem.tables)
    }

    /// Exchanges water at a coupling time.
    ///
    /// # Errors
    /// If SWMM or the device fails.
    pub fn exchange(&mut self, simulation: &mut Simulation) -> Result<()> {
        let interval = self.interval(&*simulation.backend)?;
        let to = (self.history.intervals + 1) as f64 * self.plan.every;
        self.compute(&interval, to)?;
        self.history.push(&interval);
        simulation.set_tables(&self.problem.tables, self.longest_step())
    }

    /// Reads what has left the surface since the last coupling time.
    fn interval(&mut self, backend: &dyn Backend) -> Result<SewerInterval> {
        let volumes = backend.boundary_volumes()?;
        let now = net_volumes(&volumes, self.plan.port, self.plan.inlets.len());
        let volumes = now.iter().zip(&self.before).map(|(now, before)| now - before).collect();
        self.before = now;
        let mut places: Vec<(usize, usize)> =
            self.problem.outfalls.iter().map(|outfall| outfall.place).collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&at| (places[at].1, places[at].0));
        places.sort_by_key(|place| (place.1, place.0));
        let mut bits = vec![0; places.len()];
        backend.read_places(Field::Water, &places, &mut bits)?;
        let mut waters = vec![0; places.len()];
        for (&at, &water) in order.iter().zip(words::<i32>(&bits)) {
            waters[at] = water;
        }
        Ok(SewerInterval { volumes, waters })
    }

    /// Gives the network the water of an interval, advances it to a time (s), and derives the
    /// numbers of the inlets for the next interval.
    fn compute(&mut self, interval: &SewerInterval, to: Second) -> Result<()> {
        let length = to - self.exchanged;
        let mut given = vec![0.0; self.nodes.len()];
        for (inlet, volume) in self.plan.inlets.iter().zip(&interval.volumes) {
            given[inlet.node] += *volume as f64 * self.problem.grain;
        }
        for ((node, state), given) in self.plan.nodes.iter().zip(&mut self.nodes).zip(&given) {
            let planned = state.release * length;
            if node.kind == NodeKind::Outfall {
                state.pending += given;
                // Two grains may be rounded.
                state.is_short = planned < 0.0 && *given + 2.0 * self.problem.grain < -planned;
                continue;
            }
            state.pending -= planned;
            let volume = given + planned;
            let inflow = (volume + REPAID * state.owed) / length;
            state.owed += volume;
            let inflow = if inflow.abs() > 2.0 * IGNORED_FLOW { inflow } else { 0.0 };
            if inflow != state.inflow {
                state.inflow = inflow;
                self.network.set_inflow(node.index, inflow)?;
            }
        }
        for (outfall, water) in self.problem.outfalls.iter().zip(&interval.waters) {
            let height = match &outfall.table {
                None => f64::from(*water) * f64::from(self.problem.metres),
                Some(table) => {
                    f64::from(lookup::height_and_rise(table, *water, self.problem.metres).0)
                        / Bed::PER_METRE
                }
            };
            let node = &self.plan.nodes[outfall.node];
            // Below its own critical depth, an outfall is free.
            let is_wet = height > STAGE_DEPTH && !self.nodes[outfall.node].is_short;
            let stage = if is_wet { outfall.ground + height } else { node.invert };
            self.network.set_stage(node.index, stage.max(node.invert))?;
        }
        while self.network.time < to - SLACK {
            let step = self.network.step()?;
            if step <= 0.0 {
                break;
            }
            for (node, state) in self.plan.nodes.iter().zip(&mut self.nodes) {
                let released = match (node.kind, node.sealed) {
                    (NodeKind::Outfall, _) => self.network.outfall_flow(node.index),
                    (_, Some(_)) => self.network.overflow(node.index),
                    // What rises over the rim stays in the shaft.
                    _ => 0.0,
                };
                // SWMM's own balance takes the mean of the discharges before and after a step.
                state.owed -= 0.5 * (state.last_inflow + state.inflow) * step;
                state.pending += 0.5 * (state.released + released) * step;
                (state.last_inflow, state.released) = (state.inflow, released);
            }
            for other in &mut self.others {
                let released = match other.kind {
                    NodeKind::Outfall => self.network.outfall_flow(other.index),
                    _ => self.network.overflow(other.index),
                };
                other.left += 0.5 * (other.released + released) * step;
                other.released = released;
            }
        }
        self.exchanged = to;
        self.set_numbers();
        let flows: Vec<f64> = given.iter().map(|given| given / length).collect();
        self.record(to - self.problem.elapsed, &flows);
        Ok(())
    }

    /// Derives the numbers of the inlets from the state of the network.
    fn set_numbers(&mut self) {
        let every = self.plan.every;
        let mut trends = vec![0.0; self.nodes.len()];
        for ((node, state), trend) in self.plan.nodes.iter().zip(&mut self.nodes).zip(&mut trends) {
            state.release = state.pending / every;
            if node.kind != NodeKind::Outfall {
                state.release = state.release.max(0.0);
            }
            let head = self.network.head(node.index);
            *trend = head - state.head.replace(head).unwrap_or(head);
        }
        let shaft = shaft_of(every);
        let mut first = vec![true; self.nodes.len()];
        let inlets = self.plan.inlets.iter().zip(&mut self.numbers).zip(&self.shares);
        for (number, ((inlet, numbers), share)) in inlets.enumerate() {
            let (node, state) = (&self.plan.nodes[inlet.node], &self.nodes[inlet.node]);
            let head = state.head.unwrap_or_default();
            let area = match node.kind {
                NodeKind::Storage => {
                    let depth = self.network.depth(node.index).max(0.01);
                    shaft.max(self.network.volume(node.index) / depth)
                }
                _ => shaft,
            };
            // In the shaft, the head goes on to rise with what the pipes bring, and falls with what
            // the exchange takes.
            let rise = every / area;
            let trend = if head > inlet.crest { trends[inlet.node] } else { 0.0 };
            numbers.head = (head - inlet.ground) as f32;
            numbers.idle_head = (head + trend - rise * state.inflow - inlet.ground) as f32;
            numbers.rise = (rise / share.max(1e-6)) as f32;
            let is_first = std::mem::replace(&mut first[inlet.node], false);
            numbers.release = if is_first { state.release as f32 } else { 0.0 };
            let at = self.plan.table + number * InletNumbers::COUNT;
            self.problem.tables[at..at + InletNumbers::COUNT].copy_from_slice(&numbers.to_table());
        }
    }

    /// Returns the longest step (s) that the water allows which the network may bring to a dry
    /// cell.
    fn longest_step(&self) -> f64 {
        let mut brought = BTreeMap::<usize, f64>::new();
        for (inlet, numbers) in self.plan.inlets.iter().zip(&self.numbers) {
            let flow = numbers.release - numbers.discharge(0.0, 0.0);
            if flow > 0.0 {
                *brought.entry(inlet.cell).or_default() += f64::from(flow);
            }
        }
        let most = brought.into_values().fold(0.0, f64::max);
        self.problem.law.longest(most / self.problem.cell_area)
    }

    /// Computes the intervals of a history again.
    fn replay(&mut self, history: SewerHistory) -> Result<()> {
        let intervals = history.read(self.plan.inlets.len(), self.problem.outfalls.len());
        let intervals = intervals.ok_or_else(no_observer)?;
        for (number, interval) in intervals.iter().enumerate() {
            self.compute(interval, (number + 1) as f64 * self.plan.every)?;
        }
        self.history = SewerHistory::default();
        intervals.iter().for_each(|interval| self.history.push(interval));
        Ok(())
    }

    fn record(&mut self, time: Second, flows: &[f64]) {
        if time < -SLACK {
            return;
        }
        let network = &self.network;
        let heads: Vec<f64> = self.plan.nodes.iter().map(|node| network.head(node.index)).collect();
        self.records.add(time, &heads, flows);
    }

    /// Returns the state for a file.
    pub fn state(&self) -> SewerState {
        self.history.state(&self.plan.sum, self.plan.port, &self.before)
    }

    /// Gives the network the rest of the water at the end of the run, and returns its report and
    /// the results at the nodes. SWMM writes its files.
    ///
    /// # Errors
    /// If SWMM fails.
    pub fn finish(mut self, backend: &dyn Backend, clock: &Clock) -> Result<SewerOutcome> {
        let now = self.problem.elapsed + clock.now();
        if now > self.exchanged + SLACK {
            let interval = self.interval(backend)?;
            self.compute(&interval, now)?;
        }
        let volumes = backend.boundary_volumes()?;
        let mut passed = vec![(0u64, 0u64); self.nodes.len()];
        for (number, inlet) in self.plan.inlets.iter().enumerate() {
            let (came, left) = volumes.at(self.plan.port + number as u32);
            passed[inlet.node].0 += left;
            passed[inlet.node].1 += came;
        }
        let sum = |of: fn(&(u64, u64)) -> u64| {
            passed.iter().map(of).sum::<u64>() as f64 * self.problem.grain
        };
        let (into, out) = (sum(|of| of.0), sum(|of| of.1));
        let in_transit = self.nodes.iter().map(|node| node.owed - node.pending).sum();
        let peaks: Vec<NodePeaks> = self.records.peaks.clone();
        let nodes = self.plan.nodes.iter().zip(&peaks).zip(&passed);
        let nodes = nodes.map(|((node, peaks), (left, came))| SewerNodeReport {
            name: node.name.clone(),
            kind: match node.kind {
                NodeKind::Junction => "junction",
                NodeKind::Outfall => "outfall",
                NodeKind::Storage => "storage",
            },
            x: node.point.0,
            y: node.point.1,
            invert_m: node.invert,
            rim_m: node.rim,
            peaks: *peaks,
            into_sewer_m3: *left as f64 * self.problem.grain,
            onto_surface_m3: *came as f64 * self.problem.grain,
        });
        let nodes = nodes.collect();
        let left = |is_outfall: bool| {
            let others = self.others.iter();
            let others = others.filter(|other| (other.kind == NodeKind::Outfall) == is_outfall);
            others.map(|other| other.left).sum::<f64>()
        };
        let (flooded, other_outflow) = (left(false), left(true));
        let library = swmm()?;
        let (inlets, every) = (self.plan.inlets.len(), self.plan.every);
        let [runoff, flow] = self.network.finish()?;
        let report = SewerReport {
            swmm: show_version(library.version),
            nodes: self.plan.nodes.len(),
            inlets,
            interval_s: every,
            into_sewer_m3: into,
            onto_surface_m3: out,
            in_transit_m3: in_transit,
            flooded_m3: flooded,
            other_outflow_m3: other_outflow,
            swmm_runoff_error_percent: runoff,
            swmm_flow_error_percent: flow,
        };
        Ok(SewerOutcome { report, nodes, records: self.records })
    }
}

/// Returns the nodes without exchange at which water can leave the network: outfalls, and nodes
/// over which it does not pond.
fn others(network: &Network, plan: &Sewers) -> Result<Vec<OtherNode>> {
    let on_map: BTreeSet<usize> = plan.nodes.iter().map(|node| node.index).collect();
    let nodes = network.nodes()?;
    let other = |(index, node): (usize, Node)| {
        let is_lost = node.kind == NodeKind::Outfall || plan.ponded_areas[index] == 0.0;
        let is_other = is_lost && !on_map.contains(&index);
        is_other.then_some(OtherNode { index, kind: node.kind, released: 0.0, left: 0.0 })
    };
    Ok(nodes.into_iter().enumerate().filter_map(other).collect())
}

/// Returns the area of a shaft (m²) for a coupling interval (s).
fn shaft_of(every: Second) -> f64 {
    let [least, per_second] = SHAFT;
    least.max(per_second * every)
}

/// Lets water stand in shafts over the open nodes. A shaft begins at the rim, or at the crest of the
/// node's lowest inlet if that is lower.
fn open_shafts(network: &mut Network, plan: &Sewers) -> Result<()> {
    let mut crests = vec![f64::INFINITY; plan.nodes.len()];
    for inlet in &plan.inlets {
        crests[inlet.node] = inlet.crest.min(crests[inlet.node]);
    }
    let is_open = |node: &SewerNode| node.kind != NodeKind::Outfall && node.sealed.is_none();
    let mut ponds = plan.ponded_areas.clone();
    for (node, crest) in plan.nodes.iter().zip(crests) {
        ponds[node.index] = if is_open(node) { shaft_of(plan.every) } else { 0.0 };
        let depth = (crest - node.invert).max(node.crown);
        let is_lower = depth < node.rim - node.invert - SAME;
        if is_open(node) && node.kind == NodeKind::Junction && is_lower {
            network.set_full_depth(node.index, depth)?;
        }
    }
    network.pond(&ponds)
}

/// Results of a sewer network at the end of a run.
pub struct SewerOutcome {
    /// Facts for the report.
    pub report: SewerReport,
    /// Results at each node.
    pub nodes: Vec<SewerNodeReport>,
    /// Time series at the nodes.
    pub records: SewerRecords,
}

/// Parts of a problem that the coupling needs.
pub struct SewerProblem {
    law: Law,
    /// Tables of the laws of the run, with the numbers of the inlets.
    tables: Vec<f32>,
    outfalls: Vec<OutfallCell>,
    /// Volume of a grain in a cell (m³), its depth (m), and the area of a cell (m²).
    grain: f64,
    metres: f32,
    cell_area: f64,
    /// Time of the network at the start of the run (s).
    elapsed: Second,
}

impl SewerProblem {
    /// Takes what the coupling needs from a problem, which a backend then takes.
    pub fn of(problem: &Problem, plan: &Sewers) -> SewerProblem {
        let outfall = |node: usize| {
            let inlet = plan.inlets.iter().find(|inlet| inlet.node == node)?;
            let table = problem.subgrid.as_ref().map(|tables| tables.words_of_cell(inlet.cell));
            let place = problem.grid.column_row(inlet.cell);
            Some(OutfallCell { node, place, ground: inlet.ground, table })
        };
        let outfalls =
            (0..plan.nodes.len()).filter(|&node| plan.nodes[node].kind == NodeKind::Outfall);
        let (metres, cell_area) = (problem.grain.metres(), problem.grid.cell_area());
        SewerProblem {
            law: problem.law(),
            tables: problem.forcing.tables.clone(),
            outfalls: outfalls.filter_map(outfall).collect(),
            grain: f64::from(metres) * cell_area,
            metres,
            cell_area,
            elapsed: problem.forcing.elapsed,
        }
    }
}

impl Observer for SewerCoupling {
    fn after_step(&mut self, _: &Clock, _: &dyn Backend) -> Result<()> {
        Ok(())
    }

    fn save(&self) -> Result<Value> {
        serde_json::to_value(self.state())
            .map_err(|error| Error::run("cannot save the sewers").because(error))
    }

    fn restore(&mut self, saved: Value, clock: &Clock) -> Result<()> {
        let state: SewerState = serde_json::from_value(saved).map_err(|_| no_observer())?;
        let history = state.history().ok_or_else(no_observer)?;
        let known = self.history.intervals;
        let passed =
            ((self.problem.elapsed + clock.now() + SLACK) / self.plan.every).floor() as u64;
        let is_sound = state.sum == self.plan.sum
            && state.before.len() == self.plan.inlets.len()
            && (known..=passed).contains(&history.intervals)
            && history.intervals + 1 >= passed;
        if !is_sound {
            return Err(no_observer());
        }
        // The intervals of an earlier run have been computed already.
        let intervals = history.read(self.plan.inlets.len(), self.problem.outfalls.len());
        for interval in intervals.ok_or_else(no_observer)?.iter().skip(known as usize) {
            let to = (self.history.intervals + 1) as f64 * self.plan.every;
            self.compute(interval, to)?;
            self.history.push(interval);
        }
        self.before = state.before;
        Ok(())
    }
}

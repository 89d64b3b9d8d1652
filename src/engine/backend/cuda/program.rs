//! The kernels of a run, and how each is launched.

use super::clock_params::Ticking;
use super::entry::{Args, Entry};
use super::flow::{LoadedFlow, OtherFlow, OwnFlow};
use super::gauges::Gauging;
use super::links::DeviceLinks;
use super::listing::{Listing, MOST_RESIDENT, PREPARING_THREADS};
use super::load::load;
use super::params::Params;
use super::sites::Sites;
use super::source::{Edges, Unit, common_unit, edges_unit, flow_unit};
use crate::error::Result;
use crate::neighbourhood::Neighbourhood;
use crate::rule::RuleInfo;
use cudarc::driver::{CudaContext, CudaModule, CudaStream};
use rayon::prelude::*;
use std::sync::Arc;

/// Threads of a block, where a warp has a chunk.
const WARP: u32 = 32;

/// Warps of a block of the kernels with a chunk per warp.
pub const USUAL_WARPS: u32 = 2;

/// The flow of a rule; `edges` says what that of a timed one is to be fit for.
fn unit(rule: &RuleInfo, neighbourhood: Neighbourhood, edges: Edges) -> Unit {
    if rule.is_timed() { edges_unit(rule, edges) } else { flow_unit(rule, neighbourhood) }
}

/// Units that were loaded ahead, by their sources.
#[derive(Default)]
pub struct Modules(Vec<(String, Arc<CudaModule>)>);

impl Modules {
    /// Loads what [`Program::new`] would, as far as it can be had.
    pub fn load(
        context: &Arc<CudaContext>,
        rule: &RuleInfo,
        neighbourhood: Neighbourhood,
        edges: Edges,
    ) -> Modules {
        let mut units = vec![unit(rule, neighbourhood, edges), common_unit()];
        if rule.is_timed() {
            units.push(edges_unit(rule, Edges { listed: true, ..edges }));
        }
        let load = |unit: Unit| load(context, &unit).ok().map(|module| (unit.source, module));
        Modules(units.into_par_iter().filter_map(load).collect())
    }

    /// One of them, or one that is loaded now.
    fn get(&self, context: &Arc<CudaContext>, unit: &Unit) -> Result<Arc<CudaModule>> {
        let found = self.0.iter().find(|(source, _)| *source == unit.source);
        found.map_or_else(|| load(context, unit), |(_, module)| Ok(module.clone()))
    }
}

/// How water flows.
enum Flow {
    Own(OwnFlow),
    Other(LoadedFlow),
}

/// Loaded kernels.
pub struct Program {
    /// The flow, and that of a timed rule by a list of chunks.
    flow: Flow,
    listed: Option<OwnFlow>,
    rain: Entry,
    pub(super) come: Entry,
    pub(super) settle: Entry,
    link: Entry,
    tick: Entry,
    pub(super) sample: Entry,
    pub(super) end_samples: Entry,
    prepare: Entry,
    pub(super) take_over: Entry,
    pub(super) mark_wet: Entry,
    pub(super) list: Entry,
    survey: Entry,
    note_peaks: Entry,
    pub(super) track: Entry,
    pub(super) soak: Entry,
    pub(super) gauge: Entry,
    count: Entry,
}

impl Program {
    /// Takes what a rule needs from what is loaded already, and loads the rest; `edges` says what the flow of a timed one is
    /// to be fit for, `other` how water flows if not by the rule's own kernels.
    pub fn new(
        context: &Arc<CudaContext>,
        modules: &Modules,
        rule: &RuleInfo,
        neighbourhood: Neighbourhood,
        edges: Edges,
        other: Option<OtherFlow>,
    ) -> Result<Program> {
        let own = |unit, edges| OwnFlow::new(&modules.get(context, &unit)?, rule, edges);
        let flow = match other {
            Some(other) => Flow::Other(LoadedFlow::new(&load(context, &other.unit)?, other)?),
            None => Flow::Own(own(unit(rule, neighbourhood, edges), edges)?),
        };
        let few = Edges { listed: true, ..edges };
        let listed = rule.is_timed().then(|| own(edges_unit(rule, few), few));
        let common = modules.get(context, &common_unit())?;
        Ok(Program {
            flow,
            listed: listed.transpose()?,
            rain: Entry::find(&common, "rain")?,
            come: Entry::find(&common, "come")?,
            settle: Entry::find(&common, "settle")?,
            link: Entry::find(&common, "link")?,
            tick: Entry::find(&common, "tick")?,
            sample: Entry::find(&common, "sample")?,
            end_samples: Entry::find(&common, "end_samples")?,
            prepare: Entry::find(&common, "prepare")?,
            take_over: Entry::find(&common, "take_over")?,
            mark_wet: Entry::find(&common, "mark_wet")?,
            list: Entry::find(&common, "list")?,
            survey: Entry::find(&common, "survey")?,
            note_peaks: Entry::find(&common, "note_peaks")?,
            track: Entry::find(&common, "track")?,
            soak: Entry::find(&common, "soak")?,
            gauge: Entry::find(&common, "gauge")?,
            count: Entry::find(&common, "count")?,
        })
    }

    /// Whether by a list one kernel can do both halves of a step.
    pub(super) fn turns_at_once(&self) -> bool {
        self.listed.as_ref().is_some_and(OwnFlow::turns_at_once)
    }

    /// The rule's own flow, or that by a list if kernels go by one.
    fn by<'a>(&'a self, own: &'a OwnFlow, params: &Params) -> &'a OwnFlow {
        match params.active {
            0 => own,
            _ => self.listed.as_ref().expect("passes that go by a list"),
        }
    }
}

/// Where the shares of a rate over the domain are; all of it falls everywhere if there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Falling {
    /// Address of a share per cell of the frame, or of one per zone.
    pub shares: u64,
    /// Address of the zone per cell of the frame; 0 without zones.
    pub zones: u64,
}

/// Launches a program's kernels in a stream.
pub struct Launch<'a> {
    /// The kernels.
    pub program: &'a Program,
    /// The stream.
    pub stream: &'a Arc<CudaStream>,
}

impl Launch<'_> {
    /// Water flows.
    pub fn flow(&self, params: &Params) -> Result<()> {
        match &self.program.flow {
            Flow::Own(own) => self.program.by(own, params).flow(self, params),
            Flow::Other(other) => other.flow(self, params),
        }
    }

    /// Water flows and velocities turn, by a list.
    pub fn flow_and_turn(&self, params: &Params) -> Result<()> {
        let listed = self.program.listed.as_ref();
        listed.map_or(Ok(()), |own| own.flow_and_turn(self, params))
    }

    /// Velocities turn, under a rule with momentum.
    pub fn turn(&self, params: &Params) -> Result<()> {
        match &self.program.flow {
            Flow::Own(own) => self.program.by(own, params).turn(self, params),
            Flow::Other(_) => Ok(()),
        }
    }

    /// A rate over the domain; `rate` (an [`super::params::Increment`]) and `total` are addresses, `is_rain` says
    /// whether it is rain.
    pub fn rain(
        &self,
        params: &Params,
        falling: Falling,
        rate: u64,
        total: u64,
        is_rain: bool,
    ) -> Result<()> {
        let (Falling { shares, zones }, is_rain) = (falling, i32::from(is_rain));
        self.chunks(&self.program.rain, params, USUAL_WARPS, |args| {
            args.arg(&shares).arg(&zones).arg(&rate).arg(&total).arg(&is_rain);
        })
    }

    /// Links carry water from cell to cell.
    pub fn link(&self, params: &Params, links: &DeviceLinks) -> Result<()> {
        let [list, tables, states] = links.addresses();
        let count = links.count as i32;
        self.launch(&self.program.link, (1, 1, 1), (WARP, 1, 1), |args| {
            args.arg(params).arg(&list).arg(&count).arg(&tables).arg(&states);
            args.arg(&links.metres).arg(&links.per_cubic_metre);
        })
    }

    /// The clock of a timed rule goes on to the next step.
    pub fn tick(&self, to: &Ticking) -> Result<()> {
        self.launch(&self.program.tick, (1, 1, 1), (WARP, 1, 1), |args| {
            args.arg(to);
        })
    }

    /// The same; those listed chunks are found in which something happens, gauges are looked at, and sites act.
    pub fn prepare(
        &self,
        params: &Params,
        to: &Ticking,
        listing: &Listing,
        gauging: &Gauging,
        sites: &Sites,
    ) -> Result<()> {
        let fed = listing.fed();
        self.launch(&self.program.prepare, (1, 1, 1), (PREPARING_THREADS, 1, 1), |args| {
            args.arg(params).arg(to).arg(&fed).arg(gauging).arg(sites);
        })
    }

    /// Looks over a frame of `columns` × `rows` cells: `all` of it if it was loaded, else what is not its own.
    pub fn survey(
        &self,
        params: &Params,
        (columns, rows): (usize, usize),
        all: bool,
    ) -> Result<()> {
        let (columns, rows, all) = (columns as i32, rows as i32, i32::from(all));
        self.chunks(&self.program.survey, params, USUAL_WARPS, |args| {
            args.arg(&columns).arg(&rows).arg(&all);
        })
    }

    /// Keeps what is greatest in a visit, whose totals are at an address, in a row at another.
    pub(crate) fn note_peaks(&self, totals: u64, row: u64) -> Result<()> {
        self.launch(&self.program.note_peaks, (1, 1, 1), (1, 1, 1), |args| {
            args.arg(&totals).arg(&row);
        })
    }

    /// Counts a visit's own water.
    pub fn count(&self, params: &Params) -> Result<()> {
        self.chunks(&self.program.count, params, USUAL_WARPS, |_| {})
    }

    /// A thread for each of `count` entries.
    pub(super) fn each<'b>(
        &'b self,
        function: &'b Entry,
        count: i32,
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        const THREADS: u32 = 128;
        let blocks = (count as u32).div_ceil(THREADS);
        self.launch(function, (blocks, 1, 1), (THREADS, 1, 1), with)
    }

    /// A warp for each chunk, `warps` of them to a block; or as many blocks as a GPU holds at once, which go over the list, if kernels go by
    /// one: blocks beyond them would come when the others are done, only to find nothing to do.
    pub(super) fn chunks<'b>(
        &'b self,
        function: &'b Entry,
        params: &'b Params,
        warps: u32,
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        let grid = match params.active {
            0 => ((params.chunks_across as u32).div_ceil(warps), params.chunks_down as u32, 1),
            _ => {
                let resident = function.resident(WARP * warps).min(MOST_RESIDENT);
                (params.multiprocessors as u32 * resident, 1, 1)
            }
        };
        self.launch(function, grid, (WARP * warps, 1, 1), |args| {
            args.arg(params);
            with(args);
        })
    }

    pub(super) fn launch<'b>(
        &'b self,
        function: &'b Entry,
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        with: impl FnOnce(&mut Args<'b>),
    ) -> Result<()> {
        let mut args = Args::default();
        with(&mut args);
        // SAFETY: the arguments are what the kernel declares (params.rs), and the memory they point
        // to lives until the stream is waited for.
        unsafe { function.launch(self.stream, grid, block, args) }
    }
}

//! Launches of each kernel of a program.

pub mod entry;
pub mod flow;
pub mod launcher;
pub mod program;

use crate::backend::cuda::clock::clock_params::Ticking;
use crate::backend::cuda::clock::sampling::{BLOCKS, SAMPLING_WARPS};
use crate::backend::cuda::diagnostics::{DiagnosticPlanes, LossParameters};
use crate::backend::cuda::gauges::Gauging;
use crate::backend::cuda::launch::entry::Args;
use crate::backend::cuda::launch::launcher::{Launcher, USUAL_WARPS, WARP};
use crate::backend::cuda::launch::program::Program;
use crate::backend::cuda::links::DeviceLinks;
use crate::backend::cuda::listing::{LISTING_THREADS, Listing, PREPARING_THREADS};
use crate::backend::cuda::params::Params;
use crate::backend::cuda::sites::Sites;
use crate::backend::cuda::structures::Structures;
use crate::error::Result;
use crate::forcing::sites::SiteTiming;
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Location of a rate's shares over the domain; without shares, the whole rate falls everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct RainShares {
    /// Address of a share per cell of the frame, or per zone.
    pub shares: u64,
    /// Address of the zone per cell of the frame; 0 without zones.
    pub zones: u64,
}

/// Moment at which levels are looked up. Values as in `kernels/subgrid.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelUpdate {
    /// Outside of a step.
    BetweenSteps = -1,
    /// In a step, before the water moves.
    BeforeFlow = 0,
    /// In a step, after the water has moved.
    AfterFlow = 1,
}

/// Launches a program's kernels in a stream.
pub struct Launch<'a> {
    /// Kernels of the program.
    pub program: &'a Program,
    /// Stream of the launches.
    pub stream: &'a Arc<CudaStream>,
}

impl Launch<'_> {
    /// Returns the launcher for its stream.
    fn on(&self) -> Launcher<'_> {
        Launcher { stream: self.stream }
    }

    /// Launches the mass update, or both halves of the step.
    pub fn flow(&self, params: &Params) -> Result<()> {
        self.program.flow(params).flow(self.on(), params)
    }

    /// Launches the velocity update, if it is a kernel of its own.
    pub fn momentum_update(&self, params: &Params) -> Result<()> {
        self.program.flow(params).momentum_update(self.on(), params)
    }

    /// Launches a rate over the domain; `rate` (an [`crate::forcing::Increment`]) and `total` are
    /// addresses.
    pub fn rain(
        &self,
        params: &Params,
        falling: RainShares,
        rate: u64,
        total: u64,
        is_rain: bool,
    ) -> Result<()> {
        let (RainShares { shares, zones }, is_rain) = (falling, i32::from(is_rain));
        self.on().chunks(
            &self.program.common.rain,
            params,
            USUAL_WARPS,
            Args::of(params).arg(&shares).arg(&zones).arg(&rate).arg(&total).arg(&is_rain),
        )
    }

    /// Launches the links between cells.
    pub fn link(&self, params: &Params, links: &DeviceLinks) -> Result<()> {
        let [list, tables, states] = links.addresses();
        let count = links.count as i32;
        self.on().each(
            &self.program.common.link,
            links.count as u64,
            Args::of(params)
                .arg(&list)
                .arg(&count)
                .arg(&tables)
                .arg(&states)
                .arg(&links.metres)
                .arg(&links.per_cubic_metre),
        )
    }

    /// Advances the clock of a timed solver to the next step.
    pub fn tick(&self, to: &Ticking) -> Result<()> {
        self.on().launch(&self.program.common.tick, (1, 1, 1), (WARP, 1, 1), Args::of(to))
    }

    /// Advances the clock, finds the active chunks among the listed ones, records gauges, and
    /// applies sites.
    pub fn prepare(
        &self,
        params: &Params,
        to: &Ticking,
        listing: &Listing,
        gauging: &Gauging,
        sites: &Sites,
    ) -> Result<()> {
        let fed = listing.fed();
        self.on().launch(
            &self.program.common.prepare,
            (1, 1, 1),
            (PREPARING_THREADS, 1, 1),
            Args::of(params).arg(to).arg(&fed).arg(gauging).arg(sites),
        )
    }

    /// Surveys a frame of `columns` × `rows` cells: `all` of it after loading, otherwise only the
    /// part outside its own cells.
    pub fn survey(
        &self,
        params: &Params,
        (columns, rows): (usize, usize),
        all: bool,
    ) -> Result<()> {
        let (columns, rows, all) = (columns as i32, rows as i32, i32::from(all));
        self.on().chunks(
            &self.program.common.survey,
            params,
            USUAL_WARPS,
            Args::of(params).arg(&columns).arg(&rows).arg(&all),
        )
    }

    /// Copies a subdomain's maxima from its totals at one address to a row at another.
    pub(crate) fn record_maxima(&self, totals: u64, row: u64) -> Result<()> {
        self.on().launch(
            &self.program.common.record_maxima,
            (1, 1, 1),
            (1, 1, 1),
            Args::of(&totals).arg(&row),
        )
    }

    /// Counts a subdomain's own water.
    pub fn count(&self, params: &Params) -> Result<()> {
        self.on().chunks(&self.program.common.count, params, USUAL_WARPS, Args::of(params))
    }

    /// Records a frame's own cells.
    pub fn record_diagnostics(
        &self,
        params: &Params,
        cell_diagnostics: &DiagnosticPlanes,
    ) -> Result<()> {
        self.on().chunks(
            &self.program.common.record_diagnostics,
            params,
            USUAL_WARPS,
            Args::of(params).arg(cell_diagnostics),
        )
    }

    /// Launches the losses to ground, sewers and air.
    pub fn losses(&self, params: &Params, loss_parameters: &LossParameters) -> Result<()> {
        self.on().chunks(
            &self.program.common.losses,
            params,
            USUAL_WARPS,
            Args::of(params).arg(loss_parameters),
        )
    }

    /// Writes a sample of the current state, if the clock requests one.
    pub fn sample(&self, params: &Params, to: &Ticking) -> Result<()> {
        let threads = (32 * SAMPLING_WARPS, 1, 1);
        self.on().launch(
            &self.program.common.sample,
            (BLOCKS, 1, 1),
            threads,
            Args::of(params).arg(to),
        )
    }

    /// Writes a sample of the state after the last step, if requested.
    pub fn end_samples(&self, params: &Params, to: &Ticking) -> Result<()> {
        self.on().launch(&self.program.common.end_samples, (1, 1, 1), (1, 1, 1), Args::of(to))?;
        self.sample(params, to)
    }

    /// Records gauges, if there are any.
    pub fn gauge(&self, params: &Params, gauging: &Gauging) -> Result<()> {
        self.on().each(&self.program.common.gauge, gauging.count, Args::of(params).arg(gauging))
    }

    /// Applies the sites that act at some time of a step.
    pub fn act(&self, params: &Params, when: SiteTiming, sites: &Sites) -> Result<()> {
        let kernel = if when == SiteTiming::BeforeFlow {
            &self.program.common.sites_before_flow
        } else {
            &self.program.common.sites_after_flow
        };
        self.on().each(kernel, sites.count, Args::of(params).arg(sites))
    }

    /// Computes the fluxes across edges with structures, if there are any.
    pub fn over_structures(&self, params: &Params, structures: &Structures) -> Result<()> {
        self.on().each(
            &self.program.common.over_structures,
            structures.count,
            Args::of(params).arg(structures),
        )
    }

    /// Looks up the levels of a frame of `columns` × `rows` cells.
    pub fn levels(
        &self,
        params: &Params,
        (columns, rows): (usize, usize),
        update: LevelUpdate,
    ) -> Result<()> {
        let (columns, rows) = (columns as i32, rows as i32);
        let moved = update as i32;
        self.on().chunks(
            &self.program.common.levels,
            params,
            USUAL_WARPS,
            Args::of(params).arg(&columns).arg(&rows).arg(&moved),
        )
    }

    /// Transfers the activity of a frame's chunks to chunks of another size.
    pub fn take_over(&self, params: &Params, from: &Params) -> Result<()> {
        let chunks = (params.chunks_across * params.chunks_down) as u32;
        let blocks = chunks.div_ceil(LISTING_THREADS);
        self.on().launch(
            &self.program.common.take_over,
            (blocks, 1, 1),
            (LISTING_THREADS, 1, 1),
            Args::of(params).arg(from),
        )
    }

    /// Lists the chunks that may become active in the next
    /// [`LISTED_STEPS`](super::listing::LISTED_STEPS) steps.
    pub fn list(&self, params: &Params, listing: &Listing) -> Result<()> {
        let words = listing.words();
        let (fed, threads) = (listing.fed(), (LISTING_THREADS, 1, 1));
        let blocks = words.div_ceil(LISTING_THREADS / 32);
        self.on().launch(
            &self.program.common.mark_wet,
            (blocks, 1, 1),
            threads,
            Args::of(params).arg(&fed),
        )?;
        let blocks = words.div_ceil(LISTING_THREADS);
        self.on().launch(&self.program.common.list, (blocks, 1, 1), threads, Args::of(params))
    }
}

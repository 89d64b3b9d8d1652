//! Sites of a subdomain's frame on the device: the twins of kernels/sites.cuh and sites.cu.

use crate::backend::cuda::clock::step_constants::ConstantAddresses;
use crate::backend::cuda::memory::Block;
use crate::backend::cuda::params::{float_assertions, laid_out, layouts, twin, whole_assertions};
use crate::backend::sites::{SiteAt, SubdomainForcing};
use crate::error::{Error, Result};
use crate::forcing::approach;
use crate::forcing::sites::rated::Rated;
use crate::forcing::sites::{Line, SiteKind, SiteParameters, SiteTiming};
use crate::solver::{G, SolverInfo};
use cudarc::driver::CudaStream;
use std::sync::Arc;

laid_out! { SiteParameters: kind line port numbers }
laid_out! { SiteAt: column row own given }

twin! {
    /// Sites in the order of their cells and, within a cell, in the order in which they act:
    /// addresses, and their number.
    Sites {
        /// Device array of [`SiteAt`]s.
        sites: u64,
        /// Array of the rate layers' [`crate::forcing::Increment`]s.
        rates: u64,
        /// Array of the levels of the stage boundaries (grains, i64).
        levels: u64,
        /// Lookup [tables](crate::forcing::table) of laws (f32).
        tables: u64,
        /// Number of sites in the frame.
        count: u64,
    }
}

/// The sites of a subdomain.
pub(crate) struct DeviceSites {
    /// Sites that act before the flow, then those that act after it.
    block: Block,
    before_flow: usize,
    after_flow: usize,
}

impl DeviceSites {
    /// Copies the sites of a subdomain to the device, for a solver.
    ///
    /// # Errors
    /// If a kind has no law for GPUs.
    pub fn new(
        stream: &Arc<CudaStream>,
        forcing: &SubdomainForcing,
        solver: &SolverInfo,
    ) -> Result<DeviceSites> {
        if let Some(site) = forcing.sites.iter().find(|site| site.given.kind.info().cuda.is_none())
        {
            let about = site.given.kind.info().about;
            return Err(
                Error::input(format!("{about}: not available on GPUs")).hint("run it on the CPU")
            );
        }
        let (entries, [before_flow, after_flow]) = entries(forcing, solver);
        let block = Block::of(stream, &entries)?;
        Ok(DeviceSites { block, before_flow, after_flow })
    }

    /// Returns the sites that act at some time in a step with constants at `place`; `tables` is the
    /// address of the run's tables.
    pub fn acting(&self, when: SiteTiming, place: ConstantAddresses, tables: u64) -> Sites {
        let (first, count) = match when {
            SiteTiming::BeforeFlow => (0, self.before_flow),
            SiteTiming::AfterFlow => (self.before_flow, self.after_flow),
            SiteTiming::WithFlow => (0, 0),
        };
        Sites {
            sites: self.block.address + (first * size_of::<SiteAt>()) as u64,
            rates: place.increments,
            levels: place.levels,
            tables,
            count: count as u64,
        }
    }
}

/// Returns the kernels' parameters for the sites of a subdomain under a solver, and the numbers that
/// act before and after the flow.
pub fn entries(forcing: &SubdomainForcing, solver: &SolverInfo) -> (Vec<SiteAt>, [usize; 2]) {
    let mut entries = Vec::with_capacity(forcing.sites.len());
    let counts = [SiteTiming::BeforeFlow, SiteTiming::AfterFlow].map(|when| {
        let first = entries.len();
        let acts = |site: &&SiteAt| (site.given.kind.info().when)(solver) == Some(when);
        entries.extend(forcing.sites.iter().filter(acts));
        // A stable sort, to keep the order within a cell.
        entries[first..].sort_by_key(|site: &SiteAt| (site.row, site.column));
        entries.len() - first
    });
    (entries, counts)
}

/// Returns C++ with the laws of all kinds that have one, and the dispatch by kind.
pub fn laws() -> String {
    let known = SiteKind::ALL.iter().filter_map(|&kind| Some((kind, kind.info().cuda.as_ref()?)));
    let remembering = known.clone().filter(|(kind, _)| kind.info().remembers);
    let remembered = remembering.map(|(kind, twin)| {
        format!("    case {}: return {}::remembered(numbers, seen, now);\n", kind as u32, twin.name)
    });
    let headers = known.clone().map(|(_, twin)| format!("#include \"{}\"\n", twin.header));
    let cases = known.map(|(kind, twin)| {
        format!("    case {}: return {}::change(numbers, seen, now);\n", kind as u32, twin.name)
    });
    format!(
        "{}__device__ __forceinline__ long long change_of(unsigned kind, const unsigned (&numbers)[2], const CellView &seen,\n    \
         const StepContext &now)\n{{\n    switch (kind) {{\n{}    }}\n    return 0;\n}}\n\
         __device__ __forceinline__ unsigned remembered_of(unsigned kind, const unsigned (&numbers)[2], const CellView &seen,\n    \
         const StepContext &now)\n{{\n    switch (kind) {{\n{}    }}\n    return seen.state;\n}}\n",
        headers.collect::<String>(),
        cases.collect::<String>(),
        remembered.collect::<String>()
    )
}

/// Returns C++ that fails to compile if the structs have different layouts, or if the ledger's
/// lines or kinds have other numbers.
pub(crate) fn site_assertions() -> String {
    let constants = [
        ("RAIN_LINE", Line::Rain as u32),
        ("FLOW_LINE", Line::Flow as u32),
        ("LOSS_LINE", Line::Loss as u32),
        ("RUNS", Rated::RUNS),
        ("STAGE", SiteKind::Stage as u32),
    ];
    layouts!(SiteParameters SiteAt Sites)
        + &whole_assertions(&constants)
        + &float_assertions(&[("APPROACH_FALL", approach::FALL), ("GRAVITY", G)])
}

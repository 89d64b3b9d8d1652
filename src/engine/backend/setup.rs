//! Set-up of a problem for a plan: its padded grid, the forcing of each subdomain, and the
//! restoration of a saved state.

use super::Problem;
use super::linked::SharedLinks;
use super::padded_grid::PaddedGrid;
use super::saved::Resumed;
use super::tiled::TiledBackend;
use super::worker::{SubdomainForcing, Worker};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::Links;
use crate::forcing::timeline::Timeline;
use crate::gauged::Gauges;
use crate::grid::Bed;
use crate::tiling::subdomain::{Subdomain, SubdomainPlan, on_padded_grid};

/// Data from which any worker sets up its frames.
pub struct Setup {
    /// The grid with its margin.
    pub padded_grid: PaddedGrid,
    /// Sites and structures in each subdomain's frame.
    pub forcing: Vec<SubdomainForcing>,
    /// Links, divided among subdomains.
    pub links: SharedLinks,
    /// Gauges and their states.
    pub gauges: Gauges,
    /// Timeline of the forcing.
    pub timeline: Timeline,
    /// Set if a rate layer covers the whole domain.
    everywhere: bool,
    /// Set if the solver has physical time.
    timed: bool,
    /// Cells of the gauges on the padded grid (column, row).
    gauge_places: Vec<(usize, usize)>,
}

impl Setup {
    /// Lays out a problem, with a saved state instead of its initial water if there is one. Rasters
    /// and shares are moved from the problem to the padded grid.
    pub fn new(
        problem: &mut Problem,
        plan: &SubdomainPlan,
        saved: Option<Resumed>,
    ) -> Result<Setup> {
        problem.check_solver()?;
        let mut setup = Setup::without_padded_grid(problem, plan);
        if saved.as_ref().is_some_and(Resumed::has_water) {
            problem.initial = Vec::new();
        }
        setup.padded_grid = PaddedGrid::new(problem);
        if let Some(saved) = saved {
            setup.go_on(saved, |_, _, _| Ok(()))?;
        }
        problem.take_rasters();
        Ok(setup)
    }

    /// Sets up all but the padded grid, for a problem that holds its whole bed.
    pub fn without_padded_grid(problem: &Problem, plan: &SubdomainPlan) -> Setup {
        let (forcing, grid) = (&problem.forcing, &problem.grid);
        let columns = grid.columns;
        let links = Links::new(&forcing.links, grid, &problem.bed, problem.grain);
        let links = links.on(problem.subgrid.as_deref()).drawn(!problem.solver.has_momentum());
        let inside = |cell: usize| problem.bed.levels[cell] != Bed::OUTSIDE;
        Setup {
            padded_grid: PaddedGrid::default(),
            forcing: SubdomainForcing::of(problem, &plan.subdomains, inside),
            links: SharedLinks::new(links, plan),
            gauges: Gauges::new(&problem.gauges),
            timeline: problem.timeline(),
            everywhere: forcing.covers_every_cell(),
            timed: problem.solver.info().is_timed(),
            gauge_places: {
                let cells = problem.gauges.iter();
                cells.map(|&cell| on_padded_grid(cell, columns)).collect()
            },
        }
    }

    /// Restores a saved state; `also` receives every line, too.
    pub(crate) fn go_on(
        &mut self,
        saved: Resumed,
        also: impl FnMut(Field, usize, &[u32]) -> Result<()>,
    ) -> Result<()> {
        self.go_on_sums(&saved);
        self.padded_grid.restore(saved, also)
    }

    /// Restores only links and gauges.
    pub(crate) fn go_on_sums(&mut self, saved: &Resumed) {
        self.links.go_on(&saved.sums.links);
        self.gauges.states.clone_from(&saved.sums.gauges);
    }

    /// Sets up a rank from received data. Among `subdomains` subdomains it has the one with index
    /// `number`, whose sites and structures are `forcing`.
    pub fn received(
        problem: &Problem,
        padded_grid: PaddedGrid,
        (subdomains, number, forcing): (usize, usize, SubdomainForcing),
        (links, gauges): (SharedLinks, Gauges),
        timeline: Timeline,
    ) -> Setup {
        let mut of_subdomains = vec![SubdomainForcing::default(); subdomains];
        of_subdomains[number] = forcing;
        Setup {
            padded_grid,
            forcing: of_subdomains,
            links,
            gauges,
            timeline,
            everywhere: problem.forcing.covers_every_cell(),
            timed: problem.solver.info().is_timed(),
            gauge_places: Vec::new(),
        }
    }

    /// Returns the owner of each gauge: the subdomain whose own cells contain it.
    pub fn owners(&self, plan: &SubdomainPlan) -> Vec<usize> {
        let owner = |&(column, row): &(usize, usize)| {
            let owns = |subdomain: &Subdomain| subdomain.own.holds(column, row);
            plan.subdomains.iter().position(owns).expect("every cell is a subdomain's own")
        };
        self.gauge_places.iter().map(owner).collect()
    }

    /// Creates a backend with a worker that has been set up for the plan.
    pub fn into_backend<W: Worker>(
        self,
        worker: W,
        plan: SubdomainPlan,
    ) -> Result<TiledBackend<W>> {
        let Setup { padded_grid, forcing, links, timeline, everywhere, timed, .. } = self;
        let setup =
            TiledBackend::new(worker, plan, padded_grid, &forcing, everywhere, timeline, timed)?;
        Ok(setup.linked(links))
    }
}

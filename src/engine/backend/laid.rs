//! A problem laid out for a plan: its canvas, what falls into each visit, and what goes on from a saved state.

use super::Problem;
use super::canvas::Canvas;
use super::framed::Framed;
use super::saved::Resumed;
use super::worker::{VisitForcing, Worker};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::Links;
use crate::forcing::timeline::Timeline;
use crate::gauged::Gauges;
use crate::grid::Bed;
use crate::tiling::visit::{Visit, VisitPlan, on_canvas};

/// What any worker's frames begin with.
pub struct Laid {
    /// The grid with its margin.
    pub canvas: Canvas,
    /// What falls into single cells of each visit's frame.
    pub forcing: Vec<VisitForcing>,
    /// What links cells.
    pub links: Links,
    /// The gauges.
    pub gauges: Gauges,
    /// What the forcing brings when.
    pub timeline: Timeline,
    /// Whether a rate layer covers the whole domain.
    everywhere: bool,
    /// Whether the rule has physical time.
    timed: bool,
    /// Cells of the gauges on the canvas (column, row).
    gauge_places: Vec<(usize, usize)>,
}

impl Laid {
    /// Lays a problem out, with a saved state in the place of its water at the start if there is one. What is on the canvas
    /// then is no longer with the problem: its rasters and shares.
    pub fn out(problem: &mut Problem, plan: &VisitPlan, saved: Option<Resumed>) -> Result<Laid> {
        let mut laid = Laid::beside(problem, plan);
        if saved.is_some() {
            problem.initial = Vec::new();
        }
        laid.canvas = Canvas::new(problem);
        if let Some(saved) = saved {
            laid.go_on(problem, saved, |_, _, _| Ok(()))?;
        }
        problem.take_rasters();
        Ok(laid)
    }

    /// All but the canvas, of a problem that has its whole bed.
    pub fn beside(problem: &Problem, plan: &VisitPlan) -> Laid {
        let (forcing, grid) = (&problem.forcing, &problem.grid);
        let columns = grid.columns;
        let inside = |cell: usize| problem.bed.levels[cell] != Bed::OUTSIDE;
        Laid {
            canvas: Canvas::default(),
            forcing: VisitForcing::of(problem, &plan.visits, inside),
            links: Links::new(&forcing.links, grid, &problem.bed, problem.grain),
            gauges: Gauges::new(&problem.gauges),
            timeline: problem.timeline(),
            everywhere: forcing.comes_everywhere(),
            timed: problem.rule.info().is_timed(),
            gauge_places: {
                let cells = problem.gauges.iter();
                cells.map(|&cell| on_canvas(cell, columns)).collect()
            },
        }
    }

    /// Goes on from a saved state; `also` is handed every line of it, too.
    pub(crate) fn go_on(
        &mut self,
        problem: &Problem,
        saved: Resumed,
        also: impl FnMut(Field, usize, &[u32]) -> Result<()>,
    ) -> Result<()> {
        self.links.states.clone_from(&saved.sums.links);
        self.gauges.states.clone_from(&saved.sums.gauges);
        self.canvas.restore(problem, saved, also)
    }

    /// The same on a rank that was told of it: of `visits` visits it has the one of a number, into which `forcing` falls. What
    /// links cells is the first rank's to look after.
    pub fn told(
        problem: &Problem,
        canvas: Canvas,
        (visits, number, forcing): (usize, usize, VisitForcing),
        gauges: Gauges,
        timeline: Timeline,
    ) -> Laid {
        let mut of_visits = vec![VisitForcing::default(); visits];
        of_visits[number] = forcing;
        Laid {
            canvas,
            forcing: of_visits,
            links: Links::default(),
            gauges,
            timeline,
            everywhere: problem.forcing.comes_everywhere(),
            timed: problem.rule.info().is_timed(),
            gauge_places: Vec::new(),
        }
    }

    /// The visit in whose own cells each gauge lies.
    pub fn owners(&self, plan: &VisitPlan) -> Vec<usize> {
        let owner = |&(column, row): &(usize, usize)| {
            let owns = |visit: &Visit| visit.own.holds(column, row);
            plan.visits.iter().position(owns).expect("every cell is a visit's own")
        };
        self.gauge_places.iter().map(owner).collect()
    }

    /// A backend of it with a worker that knows the plan.
    pub fn framed<W: Worker>(self, worker: W, plan: VisitPlan) -> Result<Framed<W>> {
        let Laid { canvas, forcing, links, timeline, everywhere, timed, .. } = self;
        let framed = Framed::new(worker, plan, canvas, &forcing, everywhere, timeline, timed)?;
        Ok(framed.linked(links))
    }
}

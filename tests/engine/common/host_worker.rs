//! A worker without a device: it steps frames cell by cell in plain memory, and checks the
//! schedule.
//!
//! Data that was not loaded or computed is poisoned, and reading it panics, so that a halo that is
//! too narrow or a frame that is reused too early is detected.

mod diagnostics;
mod edges;
mod frame;
mod momentum_step;
mod outflows;
mod step;

use super::{Case, State};
use edges::{Flow, Outcome};
use frame::{HostFrame, cells};
use inundate_engine::backend::cpu::{self, CpuOptions};
use inundate_engine::backend::linked::SharedLinks;
use inundate_engine::backend::multi_device::MultiDeviceWorker;
use inundate_engine::backend::padded_grid::{INSIDE, PaddedGrid};
use inundate_engine::backend::saved::Resumed;
use inundate_engine::backend::sites::{SiteAt, SubdomainForcing};
use inundate_engine::backend::tiled::TiledBackend;
use inundate_engine::backend::worker::{
    Frames, HaloExchange, Rollback, StepFindings, StepSampling, Totals, Worker,
};
use inundate_engine::backend::{FluxStatistics, Problem};
use inundate_engine::cell_diagnostics::StateTime;
use inundate_engine::error::Result;
use inundate_engine::field::{Field, FieldRole};
use inundate_engine::forcing::link::{LinkState, Links};
use inundate_engine::forcing::ports::{BoundaryVolumes, Port};
use inundate_engine::forcing::sites::{
    CellView, Line, Site, SiteKind, SiteParameters, SiteTiming, StepContext, Tally, WithSite,
};
use inundate_engine::forcing::step::Step;
use inundate_engine::forcing::{Account, Footprint, RateLayer, Share};
use inundate_engine::gauged::{GaugeState, Gauges};
use inundate_engine::grains::MAX_WATER;
use inundate_engine::roughness::Roughness;
use inundate_engine::run_diagnostics::{DEEP, FAST, Maxima, Maximum, evaluates_flow};
use inundate_engine::solver::edge::EdgeField;
use inundate_engine::tiling::rect::Rect;
use inundate_engine::tiling::subdomain::{MARGIN, Subdomain, SubdomainPlan};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// State of a site after it has acted.
struct Remembered<'a> {
    given: &'a SiteParameters,
    seen: CellView,
    now: &'a StepContext<'a>,
}

impl WithSite for Remembered<'_> {
    type Output = u32;

    fn with<S: Site>(self) -> u32 {
        S::remembered(self.given, self.seen, self.now)
    }
}

/// Subdomains loaded, sweep by sweep.
pub type Loads = Arc<Mutex<Vec<Vec<usize>>>>;

/// The worker.
pub struct HostWorker {
    problem: Problem,
    subdomains: Vec<Subdomain>,
    forcing: Vec<SubdomainForcing>,
    totals: Vec<Totals>,
    loads: Loads,
    /// Greatest CFL rate of the current step.
    cfl_rate: f32,
    /// Results of steps since they were last read.
    found: Vec<StepFindings>,
    /// Sums at the checkpoint.
    saved: (Vec<Totals>, BoundaryVolumes, Vec<GaugeState>, Vec<Vec<LinkState>>),
    /// Per subdomain: the links that it steps.
    links: Vec<Links>,
    gauges: Gauges,
    /// Ports of pinned cells, by their positions on the padded grid.
    ports: BTreeMap<usize, Port>,
    port_volumes: BoundaryVolumes,
}

/// Creates a case on a host worker, and the record of its loads.
pub fn host_backend(case: &Case, plan: SubdomainPlan) -> (TiledBackend<HostWorker>, Loads) {
    host_backend_from(case, plan, None)
}

/// Returns the state of a case after 17 steps, with a plan on the CPU, and with a host worker.
pub fn cpu_and_plain(case: &Case, plan: &SubdomainPlan) -> [State; 2] {
    let small = CpuOptions { tile: (9, 4), ..CpuOptions::default() };
    let frames = cpu::open_as(case.problem(), small, plan.clone(), None).expect("memory");
    let runs = [case.start_on(frames), case.start_on(host_backend(case, plan.clone()).0)];
    runs.map(|mut run| case.after(17, &mut run))
}

/// Creates a case on a team of host workers, each with a strip of the grid.
pub fn spread(case: &Case, plan: SubdomainPlan) -> TiledBackend<MultiDeviceWorker<HostWorker>> {
    let columns = case.columns;
    let workers = plan.subdomains.iter().map(|_| HostWorker::new(case, &plan)).collect::<Vec<_>>();
    let (members, mut padded_grids): (Vec<_>, Vec<_>) = workers.into_iter().unzip();
    let padded_grid = padded_grids.pop().expect("a member");
    let owner = |cell: &usize| {
        let (column, row) = (cell % columns + MARGIN, cell / columns + MARGIN);
        plan.subdomains
            .iter()
            .position(|subdomain| subdomain.own.holds(column, row))
            .expect("an owner")
    };
    let problem = case.problem();
    let owners: Vec<usize> = problem.gauges.iter().map(owner).collect();
    let forcing = members[0].forcing.clone();
    let timeline = case.problem().timeline();
    let everywhere = case.forcing.covers_every_cell();
    let team = MultiDeviceWorker::new(members, &owners);
    let links = links_of(&problem, &plan);
    let timed = case.solver.is_timed();
    let framed = TiledBackend::new(team, plan, padded_grid, &forcing, everywhere, timeline, timed);
    framed.expect("a host has no reason to fail").linked(links)
}

/// Like [`host_backend`], but from a saved state if there is one.
pub fn host_backend_from(
    case: &Case,
    plan: SubdomainPlan,
    saved: Option<Resumed>,
) -> (TiledBackend<HostWorker>, Loads) {
    let (mut worker, mut padded_grid) = HostWorker::new(case, &plan);
    let mut links = links_of(&case.problem(), &plan);
    if let Some(saved) = saved {
        links.go_on(&saved.sums.links);
        worker.links.clone_from(&links.local);
        worker.gauges.states.clone_from(&saved.sums.gauges);
        padded_grid.restore(saved, |_, _, _| Ok(())).expect("lines");
    }
    let everywhere = case.forcing.covers_every_cell();
    let (loads, forcing) = (worker.loads.clone(), worker.forcing.clone());
    let timeline = case.problem().timeline();
    let framed = TiledBackend::new(
        worker,
        plan,
        padded_grid,
        &forcing,
        everywhere,
        timeline,
        case.solver.is_timed(),
    );
    (framed.expect("a host has no reason to fail").linked(links), loads)
}

fn links_of(problem: &Problem, plan: &SubdomainPlan) -> SharedLinks {
    let links = Links::new(&problem.forcing.links, &problem.grid, &problem.bed, problem.grain);
    SharedLinks::new(links.drawn(!problem.solver.has_momentum()), plan)
}

impl HostWorker {
    /// Creates a worker for a plan, and the padded grid that it loads from.
    pub fn new(case: &Case, plan: &SubdomainPlan) -> (HostWorker, PaddedGrid) {
        let mut problem = case.problem();
        let padded_grid = PaddedGrid::new(&mut problem);
        let forcing = SubdomainForcing::of(&problem, &plan.subdomains, |cell| case.is_inside(cell));
        let worker = HostWorker {
            subdomains: plan.subdomains.clone(),
            forcing,
            totals: vec![Totals::default(); plan.subdomains.len()],
            loads: Arc::new(Mutex::new(vec![Vec::new()])),
            cfl_rate: 0.0,
            found: Vec::new(),
            saved: Default::default(),
            links: links_of(&problem, plan).local,
            gauges: Gauges::new(&problem.gauges),
            ports: padded_grid.ports.iter().copied().collect(),
            port_volumes: BoundaryVolumes::default(),
            problem,
        };
        (worker, padded_grid)
    }

    /// Adds rain, and other rates over many cells.
    fn rain(&mut self, frame: &mut HostFrame, subdomain: usize, step: &Step) {
        let own = self.subdomains[subdomain].own;
        let totals = &mut self.totals[subdomain];
        let rained = frame.plane(Field::Rained);
        let mut add = |frame: &mut HostFrame, (column, row), gain: u64, account: Account| {
            let place = frame.place(column, row);
            let own = own.holds(column, row);
            if !frame.right[place] {
                assert!(!own, "own cells are right");
            } else if gain > (i64::from(MAX_WATER) - i64::from(frame.water[place])).max(0) as u64 {
                if own {
                    totals.too_deep.get_or_insert(step.number);
                }
            } else {
                frame.water[place] += gain as i32;
                if let (Account::Rain, Some(rained)) = (account, rained) {
                    frame.planes[rained].1[place] += gain as u32;
                }
                match account {
                    _ if !own => {}
                    Account::Rain => totals.rain += gain,
                    Account::Inflow => totals.inflow += gain,
                    Account::Evaporation => unreachable!("it brings nothing"),
                }
            }
        };
        let mut known = Vec::new();
        let map = |rate: &RateLayer| match &rate.footprint {
            Footprint::Zones(zoned) => zoned.number(&mut known),
            _ => usize::MAX,
        };
        let maps: Vec<usize> = self.problem.forcing.rates.iter().map(map).collect();
        for (layer, rate) in self.problem.forcing.rates.iter().enumerate() {
            if rate.account == Account::Evaporation {
                continue;
            }
            let increment = step.increments[layer];
            // These are sites.
            if let Footprint::Cells(_) = rate.footprint {
                continue;
            }
            for (column, row) in cells(frame.extent) {
                let place = frame.place(column, row);
                if frame.flags[place] & INSIDE != 0 {
                    let share = match &rate.footprint {
                        Footprint::Zones(zoned) => {
                            zoned.shares[frame.zones[maps[layer]][place] as usize]
                        }
                        _ => frame.shares[layer].get(place).copied().unwrap_or(Share::WHOLE),
                    };
                    add(frame, (column, row), share.gains(increment), rate.account);
                }
            }
        }
    }

    /// Applies the sites that act at the beginning of a step.
    fn act(&mut self, frame: &mut HostFrame, subdomain: usize, step: &Step) {
        let (extent, solver) = (frame.extent, self.problem.solver.info());
        let tables = self.problem.forcing.tables.clone();
        let now = StepContext { tables: &tables, ..StepContext::of(step, self.problem.grain) };
        for site in self.forcing[subdomain].sites.clone() {
            let SiteAt { column, row, own, given } = site;
            if (given.kind.info().when)(solver) != Some(SiteTiming::BeforeFlow) {
                continue;
            }
            let cell = (extent.column + column as usize, extent.row + row as usize);
            assert_eq!(own, self.subdomains[subdomain].own.holds(cell.0, cell.1));
            let place = frame.place(cell.0, cell.1);
            if !frame.right[place] {
                assert!(!own, "own cells are right");
                continue;
            }
            let water = frame.water[place];
            let states = frame.plane(Field::SiteState);
            let state = states.map_or(0, |plane| frame.planes[plane].1[place]);
            let bed = frame.bed(cell);
            let seen = CellView { water, before: water, bed, state, ..CellView::default() };
            if let Some(states) = states {
                frame.planes[states].1[place] =
                    given.kind.run(Remembered { given: &given, seen, now: &now });
            }
            let by = given.kind.change(&given, seen, &now);
            if i64::from(water) + by > i64::from(MAX_WATER) {
                if own {
                    self.totals[subdomain].too_deep.get_or_insert(step.number);
                }
                continue;
            }
            frame.water[place] += by as i32;
            if let (Line::Rain, Some(rained)) = (given.line, frame.plane(Field::Rained)) {
                frame.planes[rained].1[place] += by as u32;
            }
            if own {
                self.book(subdomain, &given, by);
            }
            if given.kind == SiteKind::Stage {
                frame.let_in(cell, given.numbers[1], self.problem.grain.metres());
            }
        }
    }

    /// Books the gain or loss by a site of a subdomain's own cells.
    fn book(&mut self, subdomain: usize, given: &SiteParameters, by: i64) {
        let mut tally = Tally::default();
        tally.add(given, by);
        self.totals[subdomain].book(&tally);
        self.port_volumes.add_all(&tally.port_volumes);
    }

    /// Stores the flow over the edges ahead of a cell, and updates the diagnostics of own cells
    /// with it.
    fn judge(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        cell: (usize, usize),
        all: &Outcome,
        step: u64,
    ) {
        let place = frame.place(cell.0, cell.1);
        frame.set_edges(place, EdgeField::Discharge, all.flows.map(|flow| flow.discharge));
        let mut velocities = all.flows.map(|flow| flow.velocity);
        if self.problem.solver.has_momentum() {
            for axis in [0, 1] {
                if let Some(most) = frame.limit(axis, cell) {
                    velocities[axis] = velocities[axis].min(most).max(0.0 - most);
                }
            }
        }
        frame.set_edges(place, EdgeField::Velocity, velocities);
        self.cfl_rate = self.cfl_rate.max(all.cfl_rate);
        if !self.subdomains[subdomain].own.holds(cell.0, cell.1) {
            return;
        }
        let totals = &mut self.totals[subdomain];
        let (crossed, cut) = (all.crossed, all.cut);
        totals.crossed += FluxStatistics { crossed, cut, ..FluxStatistics::default() };
        // Ghosts do not count.
        let grid = &self.problem.grid;
        let on_grid = |at: usize, count: usize| (MARGIN..MARGIN + count).contains(&at);
        if !on_grid(cell.0, grid.columns) || !on_grid(cell.1, grid.rows) {
            return;
        }
        if !evaluates_flow(step) {
            return;
        }
        for Flow { velocity, depth, wave, critical, .. } in all.flows {
            if depth > DEEP {
                let fast = u64::from(velocity.abs() > FAST * wave);
                let (deep, critical) = (1, u64::from(critical));
                totals.crossed +=
                    FluxStatistics { deep, fast, critical, ..FluxStatistics::default() };
            }
        }
        let number = frame.number(cell.0, cell.1);
        totals.maxima = totals.maxima.with(all.through.maxima(self.problem.grain.metres(), number));
    }

    /// Sets a cell's new water: sinks are emptied, levels held, and maxima and arrivals recorded.
    fn update(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        cell: (usize, usize),
        sum: i64,
        step: &Step,
    ) {
        let place = frame.place(cell.0, cell.1);
        let own = self.subdomains[subdomain].own.holds(cell.0, cell.1);
        if own && sum > i64::from(MAX_WATER) {
            self.totals[subdomain].too_deep = Some(step.number);
        }
        let mut water = sum.min(i64::from(i32::MAX)) as i32;
        let was = frame.water[place];
        let (flags, bed) = (frame.flags[place], frame.bed(cell));
        let on_padded_grid = cell.1 * (self.problem.grid.columns + 2 * MARGIN) + cell.0;
        let listed = self.ports.get(&on_padded_grid).copied().unwrap_or(0);
        let solver = self.problem.solver.info();
        let tables = self.problem.forcing.tables.clone();
        let now = StepContext { tables: &tables, ..StepContext::of(step, self.problem.grain) };
        let mut sites = Vec::new();
        for kind in SiteKind::acting(SiteTiming::WithFlow, solver) {
            let info = kind.info();
            if flags & info.flag != 0 {
                let port = (info.port)(flags, listed);
                sites.push(SiteParameters { port, ..SiteParameters::of(kind) });
            }
        }
        let count = sites.len();
        if SiteKind::acting(SiteTiming::AfterFlow, solver).any(|kind| flags & kind.info().flag != 0)
        {
            let extent = frame.extent;
            let is_it = |site: &&SiteAt| {
                (extent.column + site.column as usize, extent.row + site.row as usize) == cell
                    && (site.given.kind.info().when)(solver) == Some(SiteTiming::AfterFlow)
            };
            sites.extend(self.forcing[subdomain].sites.iter().filter(is_it).map(|site| site.given));
        }
        // Rises are due to the flow only.
        let mut flowed = water;
        for (number, given) in sites.iter().enumerate() {
            let states = frame.plane(Field::SiteState);
            let state = states.map_or(0, |plane| frame.planes[plane].1[place]);
            let seen = CellView { water, before: was, bed, state, ..CellView::default() };
            if let (true, Some(states)) = (number >= count, states) {
                frame.planes[states].1[place] =
                    given.kind.run(Remembered { given, seen, now: &now });
            }
            let by = given.kind.change(given, seen, &now);
            if i64::from(water) + by > i64::from(MAX_WATER) {
                if own {
                    self.totals[subdomain].too_deep.get_or_insert(step.number);
                }
                continue;
            }
            water += by as i32;
            if number < count {
                flowed = water;
            }
            if own {
                self.book(subdomain, given, by);
            }
        }
        frame.set_next(place, water);
        if !own {
            return;
        }
        let totals = &mut self.totals[subdomain];
        if water > self.problem.arrival && frame.most[place] <= self.problem.arrival {
            frame.arrival[place] = step.end;
        }
        let rises = flowed > frame.most[place] && flowed > was;
        if rises && self.problem.solver.info().is_timed() {
            let rise = Maximum::new((flowed - was) as u32, frame.number(cell.0, cell.1));
            totals.maxima = totals.maxima.with(Maxima { rise, ..Maxima::default() });
        }
        frame.most[place] = frame.most[place].max(water);
    }
}

impl Frames for HostWorker {
    type Frame = HostFrame;

    fn allocate(&mut self, _: usize, columns: usize, rows: usize) -> Result<HostFrame> {
        Ok(HostFrame::new(columns, rows))
    }

    fn load(
        &mut self,
        frame: &mut HostFrame,
        padded_grid: &PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        let roughness = match self.problem.roughness {
            Roughness::Uniform(n) => n,
            Roughness::Cells(_) => f32::NAN,
        };
        frame.load(
            padded_grid,
            subdomain,
            self.subdomains[subdomain],
            roughness,
            &self.problem.fields(),
        );
        self.loads.lock().expect("no one panics").last_mut().expect("a sweep").push(subdomain);
        Ok(())
    }

    fn store(
        &mut self,
        frame: &mut HostFrame,
        padded_grid: &mut PaddedGrid,
        subdomain: usize,
    ) -> Result<()> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        for (column, row) in cells(self.subdomains[subdomain].own) {
            let (from, to) = (frame.place(column, row), row * padded_grid.columns + column);
            let water = frame.column(column, row).water;
            let mut put = |field: Field, bits: u32| {
                if let Some(cells) = padded_grid.to(field) {
                    cells[to] = bits;
                }
            };
            put(Field::Water, water as u32);
            put(Field::MaxDepth, frame.most[from] as u32);
            put(Field::Arrival, frame.arrival[from].to_bits());
            for edge in EdgeField::ALL {
                for (axis, kept) in frame.edges[edge as usize].iter().enumerate() {
                    if let Some(flow) = kept.get(from) {
                        put(Field::edge(edge, axis), flow.to_bits());
                    }
                }
            }
            for (field, plane) in &frame.planes {
                put(*field, plane[from]);
            }
        }
        Ok(())
    }

    fn read(
        &self,
        frame: &HostFrame,
        subdomain: usize,
        field: Field,
        area: Rect,
        to: &mut [u32],
    ) -> Result<()> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        assert_eq!(to.len(), area.cells());
        for (to, (column, row)) in to.iter_mut().zip(cells(area)) {
            let place = frame.place(column, row);
            let edge = |edge, axis| frame.edge(edge, axis, (column, row)).to_bits();
            *to = match field {
                Field::Water => frame.column(column, row).water as u32,
                Field::MaxDepth => frame.most[place] as u32,
                Field::Arrival => frame.arrival[place].to_bits(),
                Field::DischargeEast => edge(EdgeField::Discharge, 0),
                Field::DischargeSouth => edge(EdgeField::Discharge, 1),
                Field::VelocityEast => edge(EdgeField::Velocity, 0),
                Field::VelocitySouth => edge(EdgeField::Velocity, 1),
                field => frame.planes[frame.plane(field).expect("a field")].1[place],
            };
        }
        Ok(())
    }

    fn write(&mut self, _: &mut HostFrame, _: usize, _: Field, _: Rect, _: &[u32]) -> Result<()> {
        unreachable!("hosts take from each other's frames")
    }

    fn read_water(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        cells: &[(usize, usize)],
    ) -> Result<Vec<i32>> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        Ok(cells.iter().map(|&(column, row)| frame.column(column, row).water).collect())
    }

    fn add_water(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        (column, row): (usize, usize),
        by: i32,
    ) -> Result<()> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        frame.column(column, row);
        let place = frame.place(column, row);
        frame.water[place] += by;
        Ok(())
    }
}

impl HaloExchange for HostWorker {
    fn state(&self) -> Vec<Field> {
        self.problem.state()
    }

    fn receive_halo(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        (from, other): (&HostFrame, usize),
        area: Rect,
    ) -> Result<()> {
        assert_eq!(
            (frame.subdomain, from.subdomain),
            (Some(subdomain), Some(other)),
            "frames hold the subdomains"
        );
        for cell in cells(area) {
            assert!(self.subdomains[other].own.holds(cell.0, cell.1), "it is the other's own");
            frame.receive(from, cell, |field| field.role(&self.problem) == FieldRole::State);
        }
        Ok(())
    }

    fn complete_halo(&mut self, frame: &mut HostFrame, _: usize) -> Result<()> {
        frame.wall_is_right();
        Ok(())
    }
}

impl Rollback for HostWorker {
    fn checkpoint_frame(&mut self, frame: &mut HostFrame) -> Result<()> {
        frame.checkpoint();
        Ok(())
    }

    fn rollback_frame(&mut self, frame: &mut HostFrame) -> Result<()> {
        frame.rollback();
        Ok(())
    }

    fn checkpoint_sums(&mut self) -> Result<()> {
        let (totals, gauges) = (self.totals.clone(), self.gauges.states.clone());
        self.saved = (totals, self.port_volumes.clone(), gauges, self.link_states()?);
        Ok(())
    }

    fn rollback_sums(&mut self) -> Result<()> {
        let links;
        (self.totals, self.port_volumes, self.gauges.states, links) = self.saved.clone();
        self.set_link_states(&links)
    }
}

impl StepSampling for HostWorker {}

impl Worker for HostWorker {
    fn count_water(&mut self, frame: &mut HostFrame, subdomain: usize) -> Result<()> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        let own = self.subdomains[subdomain].own;
        let water = || cells(own).map(|(column, row)| frame.column(column, row).water);
        self.totals[subdomain].stored = water().map(|water| water as u64).sum();
        self.totals[subdomain].wet = water().filter(|&water| water > 0).count() as u64;
        Ok(())
    }

    fn advance(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        computed: &[Rect],
        steps: &[Step],
    ) -> Result<()> {
        assert_eq!(frame.subdomain, Some(subdomain), "the frame holds the subdomain");
        for (index, (&computed, step)) in computed.iter().zip(steps).enumerate() {
            self.step(frame, subdomain, computed, step);
            let (rate, maxima) =
                (std::mem::take(&mut self.cfl_rate), self.totals[subdomain].maxima);
            StepFindings::add(&mut self.found, index, rate, (subdomain, maxima));
        }
        Ok(())
    }

    fn record_diagnostics(
        &mut self,
        frame: &mut HostFrame,
        subdomain: usize,
        time: f32,
    ) -> Result<()> {
        self.record(frame, subdomain, StateTime::new(time, time, self.problem.grain.metres()));
        Ok(())
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(())
    }

    fn collect_findings(&mut self) -> Result<Vec<StepFindings>> {
        Ok(std::mem::take(&mut self.found))
    }

    fn collect_totals(&mut self) -> Result<Vec<Totals>> {
        self.loads.lock().expect("no one panics").push(Vec::new());
        Ok(self.totals.clone())
    }

    fn boundary_volumes(&self) -> Result<BoundaryVolumes> {
        Ok(self.port_volumes.clone())
    }

    fn gauge_states(&self) -> Result<Vec<GaugeState>> {
        Ok(self.gauges.states.clone())
    }

    fn link_states(&self) -> Result<Vec<Vec<LinkState>>> {
        Ok(self.links.iter().map(|links| links.states.clone()).collect())
    }

    fn set_tables(&mut self, tables: &[f32]) -> Result<()> {
        self.problem.forcing.tables = tables.to_vec();
        Ok(())
    }

    fn set_link_states(&mut self, states: &[Vec<LinkState>]) -> Result<()> {
        self.links.iter_mut().zip(states).for_each(|(of, states)| of.states.clone_from(states));
        Ok(())
    }

    fn describe(&self) -> String {
        "a host".into()
    }
}

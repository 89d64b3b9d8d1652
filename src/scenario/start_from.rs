//! Warm starts: a run starts from the final water and flow of an earlier run, possibly with other
//! forcing (docs/decisions/0031-warm-starts.md).

mod found;
mod header_checks;

use super::Facts;
use super::options::{GrainChoice, Moment, Options, Quantity};
use super::quantity::named;
use super::structures::StructureFacts;
use crate::engine::backend::Problem;
use crate::engine::backend::saved::{Resumed, Sums};
use crate::engine::clock::{Clock, TimeStepping, TimeUnit};
use crate::engine::field::{Field, bits_mut};
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::series::Piece;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::forcing::sites::trigger::Trigger;
use crate::engine::forcing::{Footprint, Forcing, RateLayer, StageBoundary};
use crate::engine::gauged::GaugeState;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::ledger::Ledger;
use crate::engine::solver::SolverInfo;
use crate::engine::solver::edge::EdgeField;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::notice::Notices;
use crate::input::raster::place::same_crs;
use crate::input::time::wall_time::WallClock;
use crate::measures;
use crate::output::checkpoint::about::{
    AboutRun, KnownBreach, Remembering, place_of, sum_of_layer, sum_of_level, sum_of_losses,
    sums_of_links,
};
use crate::output::checkpoint::arrays::{self, Checked};
use crate::output::checkpoint::clock::ClockState;
use crate::output::checkpoint::file::{CheckpointFault, CheckpointReader};
use crate::output::checkpoint::sewers::{SewerHistory, SewerState};
use crate::output::layers::INFILTRATION;
use crate::units::Second;
use serde::Deserialize;
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

/// Parts of a state's header that a new run needs.
#[derive(Debug, Deserialize)]
struct Header {
    version: String,
    /// Options of the earlier run (TOML).
    #[serde(default)]
    options: String,
    about: AboutRun,
    time: ClockState,
    when: String,
    arrays: Vec<Field>,
    pieces: Vec<Option<Piece>>,
    #[serde(default)]
    sewers: Option<SewerState>,
    #[serde(flatten)]
    sums: Sums,
}

/// Options of the earlier run that set its clock.
#[derive(Debug, Deserialize)]
struct ClockOptions {
    step: Option<Quantity>,
}

impl Header {
    /// Returns the clock of the earlier run at its end, given the clock of a run with the same
    /// solver; `None` if its options are damaged.
    fn clock(&self, of: &Clock) -> Option<Clock> {
        let options: ClockOptions = toml::from_str(&self.options).ok()?;
        let step = named("step", &options.step, measures::parse_duration).ok()?;
        let mut clock = match (of.time_stepping, step) {
            (TimeStepping::Adaptive { .. }, _) => of.clone(),
            (TimeStepping::Equal { steps, .. }, Some(dt)) => Clock::seconds(dt, steps),
            (TimeStepping::Equal { steps, .. }, None) => Clock::steps(steps),
        };
        self.time.set(&mut clock);
        clock.first = self.time.first;
        Some(clock).filter(|clock| (0.0..f64::INFINITY).contains(&clock.now()))
    }
}

/// State that a run starts from.
#[derive(Debug)]
pub struct Start {
    path: PathBuf,
    header: Header,
    /// Reader of the arrays; `None` fields were already taken.
    reader: CheckpointReader,
    /// Time of the state in the earlier run (s, or steps), and its clock at that time.
    time: f64,
    clock: Clock,
    /// Cells whose state is that of a fired trigger, if they have one, in ascending order.
    fired: Vec<usize>,
    /// Cells of fired triggers that have other parameters in this run.
    changed_triggers: Vec<usize>,
    /// Cells of sites that continue from the earlier run.
    going_on: Vec<usize>,
    /// Number of sites with a state that exist in only one of the two runs.
    changed_sites: usize,
}

impl Start {
    /// Opens the state that the options name, if any, for a solver and a clock at time 0.
    ///
    /// # Errors
    /// If there is no state, if it is from another solver or grain, or if other options also give
    /// the initial water.
    pub fn named_in(
        options: &Options,
        solver: &SolverInfo,
        clock: &Clock,
        notices: &mut Notices,
    ) -> Result<Option<Start>> {
        let Some(named) = &options.start_from else { return Ok(None) };
        for (key, given) in
            [("initial_depth", &options.initial_depth), ("initial_level", &options.initial_level)]
        {
            if given.is_some() {
                return Err(Error::input(format!(
                    "{key}: the initial water is already given by start_from"
                ))
                .hint(format!("leave out {key}, or start_from")));
            }
        }
        let (path, header, reader) = found::open(named, notices)?;
        let theirs = &header.about;
        if theirs.solver != solver.name {
            let what = format!(
                "the state is from a run with {}, but this run uses {}",
                theirs.solver, solver.name
            );
            return Err(refused(&path, what).hint(format!("take --solver {}", theirs.solver)));
        }
        let (grain, name) = choice(theirs.grain);
        if options
            .grain
            .is_some_and(|requested| requested != GrainChoice::Auto && requested != grain)
        {
            let what = format!("its water has the grain {name}, but this run has another one");
            return Err(refused(&path, what).hint(format!(
                "use --grain {name}, or repeat the earlier run with the other grain"
            )));
        }
        header_checks::check(&header, clock).map_err(|flaw| found::unreadable(&path, flaw))?;
        let earlier = header
            .clock(clock)
            .ok_or_else(|| found::unreadable(&path, "its options are damaged"))?;
        Ok(Some(Start {
            path,
            time: earlier.now(),
            clock: earlier,
            header,
            reader,
            fired: Vec::new(),
            changed_triggers: Vec::new(),
            going_on: Vec::new(),
            changed_sites: 0,
        }))
    }

    /// Returns the grain of the state, which the run keeps.
    pub fn grain(&self) -> GrainChoice {
        choice(self.header.about.grain).0
    }

    /// Returns the total duration of the runs that led to the state (s).
    pub fn elapsed(&self) -> Second {
        self.header.about.elapsed() + self.time
    }

    /// Returns the clock of the new run, which starts at 0.
    pub fn clock(&self, clock: Clock) -> Clock {
        clock.starting_from(&self.clock)
    }

    /// Returns the wall-clock start of the new run: as in the options, otherwise the time of the
    /// state, if known. Warns if both are known and differ.
    pub fn wall_clock(&self, options: &Options, notices: &mut Notices) -> Result<WallClock> {
        let start = self.header.about.start.as_ref();
        let start = start.filter(|_| self.clock.unit == TimeUnit::Seconds);
        let start = start.and_then(|start| start.parse().ok());
        let then = start.map(|start| WallClock::starting_after(start, self.time));
        let Some(Moment(text)) = &options.start else { return Ok(then.unwrap_or_default()) };
        let clock = WallClock::starting(text)?;
        let [own, theirs] = [Some(&clock), then.as_ref()].map(|clock| clock?.start());
        if own.is_some() && theirs.is_some() && own != theirs {
            notices.warn(format!(
                "start: the run starts at {}, but its initial state is from {}",
                clock.show(0.0),
                then.unwrap_or_default().show(0.0)
            ));
        }
        Ok(clock)
    }

    /// Returns the water of the cells of a grid with a bed (grains).
    ///
    /// # Errors
    /// If the grid differs, or there is water in a cell outside of the present domain.
    pub fn water(&mut self, ground: Topography) -> Result<Vec<i32>> {
        let Topography { grid, bed, .. } = ground;
        let theirs = &self.header.about.grid;
        if *theirs != place_of(grid) {
            let (columns, rows, [x, dx, _, y, _, dy]) = theirs;
            let [left, width, _, top, _, height] = grid.transform;
            let what = format!(
                "the state has a grid of {columns} x {rows} cells of {dx} x {} from ({x}, {y}), but this run has a grid of {} x {} of {width} x {} from ({left}, {top})",
                dy.abs(),
                grid.columns,
                grid.rows,
                height.abs()
            );
            return Err(refused(&self.path, what).hint(
                "give the DEM and the subgrid of the earlier run; for another grid, use its map of depths: --initial-depth OUT/depth.tif",
            ));
        }
        let water = self.check_arrays(grid).map_err(|flaw| found::unreadable(&self.path, flaw))?;
        let sum: i128 = water.iter().map(|grains| i128::from(*grains)).sum();
        if sum != self.header.sums.ledger.stored {
            return Err(found::unreadable(
                &self.path,
                "its water does not agree with its mass balance",
            ));
        }
        let outside = |(grains, level): &(&i32, &i32)| **grains > 0 && **level == Bed::OUTSIDE;
        let lost = water.iter().zip(&bed.levels).filter(outside).count();
        if lost > 0 {
            let cells = crate::words::counted(lost, "cell", "cells");
            let what = format!("the state has water in {cells} outside of this run's domain");
            return Err(refused(&self.path, what).hint(
                "use the DEM, the NoData value and the blocked buildings of the earlier run",
            ));
        }
        Ok(water)
    }

    /// Checks all arrays in one pass, and returns the water (grains).
    ///
    /// # Errors
    /// If they are not the arrays of a state, or have values that no run can produce.
    fn check_arrays(&mut self, grid: &Grid) -> std::result::Result<Vec<i32>, CheckpointFault> {
        let size = (grid.columns, grid.rows);
        let arrays = &self.header.arrays;
        arrays::check_order(arrays)?;
        let mut checked = Checked::new(arrays, size);
        let mut water = vec![0i32; grid.cells()];
        for &field in arrays {
            let (width, lines) = field.shape(size);
            let mut other = vec![0; width];
            for line in 0..lines {
                let to = match field {
                    Field::Water => bits_mut(&mut water[line * width..][..width]),
                    _ => &mut other[..],
                };
                self.reader.take(to)?;
                checked.line(to)?;
                if field == Field::SiteState {
                    let states = (line * width..).zip(&*to);
                    let fired = states.filter(|(_, state)| Trigger::began(**state).is_some());
                    self.fired.extend(fired.map(|(cell, _)| cell));
                }
            }
        }
        if !self.reader.is_at_the_end() {
            return Err(CheckpointFault::Damaged("it holds more than it lists".into()));
        }
        self.reader.rewind()?;
        Ok(water)
    }

    /// Restores the state of sites that exist in both runs, and sets the forcing to count times
    /// from the start of the first run. Returns the identification of the sites for the next state.
    ///
    /// A breach that waits for a time keeps counting from the start of its first run, and one that
    /// has begun keeps the time of its start, whatever it would wait for now.
    pub fn go_on(&mut self, forcing: &mut Forcing) -> Vec<Remembering> {
        let elapsed = self.elapsed();
        forcing.elapsed = elapsed;
        let theirs = &self.header.about.remembering;
        let mut ours = Remembering::of(&forcing.sites);
        let triggers = forcing.structures.iter().filter_map(|structure| structure.waits);
        let begun = triggers
            .filter(|cells| cells.iter().any(|cell| self.fired.binary_search(cell).is_ok()));
        let begun: BTreeSet<usize> = begun.flatten().collect();
        for site in &mut ours {
            if site.kind == SiteKind::Trigger {
                site.numbers = Trigger::after(site.numbers, elapsed);
            }
            let is_here = |their: &&Remembering| (their.cell, their.kind) == (site.cell, site.kind);
            let Some(their) = theirs.iter().find(is_here) else { continue };
            let is_same = their.requested == site.requested || their.numbers == site.numbers;
            let has_begun = site.kind == SiteKind::Trigger && begun.contains(&site.cell);
            if is_same || has_begun {
                site.numbers = their.numbers;
                self.going_on.push(site.cell);
            }
            if has_begun && !is_same {
                self.changed_triggers.push(site.cell);
            }
        }
        self.going_on.sort_unstable();
        self.changed_sites = ours.len() + theirs.len() - 2 * self.going_on.len();
        let triggers = forcing.sites.iter_mut().filter(|site| site.given.kind == SiteKind::Trigger);
        let numbers = ours.iter().filter(|site| site.kind == SiteKind::Trigger);
        triggers.zip(numbers).for_each(|(site, ours)| site.given.numbers = ours.numbers);
        ours
    }

    /// Continues the running totals of rain and sources that fall on the same cells, so that no
    /// fraction of a grain is lost. Those of rasters and gauges, which are one layer as long as their shares
    /// are the same, go on only if their rain does.
    pub fn carry_on(&self, rates: &mut [RateLayer]) {
        let theirs = self.header.about.rates.iter().zip(&self.header.pieces);
        let mut theirs: Vec<(&String, &Option<Piece>)> = theirs.collect();
        for layer in rates {
            let sum = sum_of_layer(layer);
            let is_momentary =
                matches!(layer.footprint, Footprint::Shares(_) | Footprint::Zones(_));
            let goes_on = |piece: &Piece| {
                let lasts = piece.time >= 0.0 || piece.value != 0.0;
                !is_momentary || (lasts && layer.series.at(0.0) != 0.0)
            };
            let is_it = |(known, piece): &(&String, &Option<Piece>)| {
                **known == sum && piece.as_ref().is_none_or(goes_on)
            };
            let Some(at) = theirs.iter().position(is_it) else { continue };
            if let (_, Some(piece)) = theirs.remove(at) {
                layer.series = layer.series.after(*piece);
            }
        }
    }

    /// Returns the history of the earlier run's sewer network, and the net volume through each
    /// inlet since its last interval (grains).
    ///
    /// # Errors
    /// If the earlier run had no network, or another one.
    pub fn sewers(&self, sum: &str) -> Result<(SewerHistory, Vec<i64>)> {
        let hint = "the water in the pipes must continue, too: use the network, the inlets and the sewer_interval of the earlier run, which must have reached its end, with --keep-state";
        let state = self.header.sewers.as_ref().ok_or_else(|| {
            refused(&self.path, "it holds no state of a sewer network".into()).hint(hint)
        })?;
        if state.sum != sum {
            return Err(refused(&self.path, "its sewer network differs".into()).hint(hint));
        }
        let history = state.history().ok_or_else(|| {
            refused(&self.path, "the state of its sewer network is damaged".into())
        })?;
        Ok((history, state.since(&self.header.sums.port_volumes)))
    }

    /// Continues a stage boundary on the same straight piece between two times as in the earlier
    /// run.
    pub fn continue_stages(&self, stages: &mut [StageBoundary]) {
        for stage in stages {
            let sum = sum_of_level(stage);
            let mut theirs = self.header.about.levels.iter();
            let level = theirs.find(|(known, _)| *known == sum);
            let piece = level.and_then(|(_, level)| level.piece_at(self.time));
            if let Some(level) = piece.and_then(|piece| stage.level.going_on(piece)) {
                stage.level = level;
            }
        }
    }

    /// Adds notes and warnings on what the run of a problem takes over from the earlier run.
    pub fn describe(&self, problem: &Problem, facts: &mut Facts) {
        let has_soaked = self.header.arrays.contains(&Field::Soaked)
            && self.fields_for(problem).contains(&Field::Soaked);
        facts.continues_infiltration = has_soaked;
        let has_no_sewers = facts.sewers.is_none();
        let Facts { notes, warnings, structures, layers, .. } = facts;
        let theirs = &self.header.about;
        let path = self.path.display();
        notes.push(format!(
            "start_from: the run starts with the water and the flow of '{path}', at {} of that run; time, maxima and arrivals start again",
            self.header.when
        ));
        let (version, own) = (&self.header.version, env!("CARGO_PKG_VERSION"));
        if version != own {
            notes.push(format!(
                "start_from: '{path}' was written by inundate {version}, and this is {own}"
            ));
        }
        if !same_crs(theirs.crs.as_deref(), problem.grid.crs.as_deref()) {
            warnings.push(format!(
                "start_from: the CRS of the DEM differs from that of '{path}': check that both runs are of one place"
            ));
        }
        let has_ground = theirs.has_ground(problem);
        if !has_ground {
            warnings.push(format!(
                "start_from: the ground differs from '{path}': each cell keeps its water depth, not its water level"
            ));
        }
        match (&theirs.losses, &sum_of_losses(problem)) {
            (Some(_), None) => notes.push(
                "start_from: the run has no losses; the losses of the earlier run are ignored"
                    .into(),
            ),
            (None, Some(_)) => notes.push(
                "start_from: the earlier run had no losses; the losses start from zero".into(),
            ),
            (Some(theirs), Some(ours)) if theirs != ours => {
                let why = if has_ground { "" } else { ", perhaps only because the ground does" };
                warnings.push(format!(
                    "start_from: the losses differ from the earlier run{why}; the losses start from zero"
                ));
            }
            _ => {}
        }
        if has_no_sewers && let Some(state) = &self.header.sewers {
            let lent: i64 =
                state.since(&self.header.sums.port_volumes).iter().chain(&state.before).sum();
            let lent = lent as f64 * f64::from(problem.grain.metres()) * problem.grid.cell_area();
            let more = crate::units::show_volume(lent.abs());
            let balance = if lent < 0.0 { "gave the surface" } else { "took from the surface" };
            warnings.push(format!(
                "start_from: '{path}' holds a sewer network, which {balance} {more} net; the run has no sewers, so the water in the pipes is lost: give the network with sewers"
            ));
        }
        let ours = sums_of_links(problem);
        let anew = ours.iter().filter(|link| !theirs.links.contains(link)).count();
        if anew > 0 && !theirs.links.is_empty() {
            notes.push(format!(
                "start_from: {} different from the earlier run; pumps among them start switched off",
                crate::words::counted(anew, "link is", "links are")
            ));
        }
        if self.changed_sites > 0 {
            warnings.push("start_from: rating curves or breaches differ from the earlier run: changed outlets start at rest, and changed walls start intact".into());
        }
        warnings.extend(self.changed_breaches(problem, structures));
        if has_soaked && layers.layers.iter().any(|layer| layer.key == INFILTRATION.key) {
            notes.push("start_from: the layer infiltration includes the infiltration of the earlier run; the mass balance does not".into());
        }
        let sites = problem.forcing.sites.iter().filter(|site| {
            site.given.kind == SiteKind::Trigger && self.going_on.binary_search(&site.cell).is_ok()
        });
        let due = sites.map(|site| Trigger::time(site.given.numbers) - self.elapsed());
        let due = due.filter(|due| *due > 0.0 && due.is_finite()).reduce(f64::min);
        notes.extend(due.map(|due| {
            format!(
                "start_from: the start of a breach of the earlier run counts from the start of that run: the next begins {} into this run",
                crate::units::show_duration(due)
            )
        }));
    }

    /// Returns a warning for each breach that began in the earlier run and has other parameters now.
    fn changed_breaches(&self, problem: &Problem, structures: &[StructureFacts]) -> Vec<String> {
        let known = &self.header.about.breaches;
        let has = |cells: &[usize], of: &[usize; 2]| of.iter().any(|cell| cells.contains(cell));
        let mut warnings = Vec::new();
        for ours in KnownBreach::of(&problem.forcing) {
            let mut changed: Vec<&str> = Vec::new();
            if has(&self.going_on, &ours.cells) && has(&self.fired, &ours.cells) {
                let theirs = known.iter().find(|theirs| theirs.cells == ours.cells);
                changed.extend(theirs.into_iter().flat_map(|theirs| ours.changed(theirs)));
                if has(&self.changed_triggers, &ours.cells) {
                    changed.push("start or trigger_level");
                }
            }
            let is_it = |it: &&StructureFacts| it.breach.is_some_and(|it| it.cells == ours.cells);
            if let (false, Some(it)) = (changed.is_empty(), structures.iter().find(is_it)) {
                warnings.push(format!(
                    "start_from: '{}' breached in the earlier run, and its parameters differ ({}): it keeps the time of its start, and its opening takes the new shape at once",
                    it.name,
                    changed.join(", ")
                ));
            }
        }
        warnings
    }

    /// Starts the run of a problem, whose water is already set; `start` receives the remaining
    /// state.
    pub fn begin<T>(
        mut self,
        problem: Problem,
        start: impl FnOnce(Problem, Resumed) -> Result<T>,
    ) -> Result<T> {
        // Without fields that the state lacks.
        let mut fields = self.fields_for(&problem);
        fields.retain(|field| self.header.arrays.contains(field));
        let sums = Sums {
            ledger: Ledger {
                initial: problem.initial.iter().map(|grains| i128::from(*grains)).sum(),
                ..Ledger::default()
            },
            links: self.links_for(&problem),
            gauges: vec![GaugeState::default(); problem.gauges.len()],
            ..Sums::default()
        };
        let grid = (problem.grid.columns, problem.grid.rows);
        let shape = move |field: Field| field.shape(grid);
        let mut wanted: VecDeque<(Field, usize)> =
            fields.iter().map(|&field| (field, shape(field).1)).collect();
        let mut there = self.header.arrays.iter().copied();
        let (path, reader) = (self.path, &mut self.reader);
        let mut at = None;
        let going_on = self.going_on;
        let mut lines = |to: &mut [u32]| {
            let (field, left) = wanted.front_mut().expect("a line that was asked for");
            let mut take =
                |to: &mut [u32]| reader.take(to).map_err(|flaw| found::unreadable(&path, flaw));
            while at != Some(*field) {
                let next = there.next().expect("a field that is there, in the order of the table");
                at = Some(next);
                if next != *field {
                    let (width, lines) = shape(next);
                    let mut skipped = vec![0; width];
                    (0..lines).try_for_each(|_| take(&mut skipped))?;
                }
            }
            take(to)?;
            if *field == Field::SiteState {
                let first = (grid.1 - *left) * grid.0;
                for (column, state) in to.iter_mut().enumerate() {
                    if going_on.binary_search(&(first + column)).is_err() {
                        *state = 0;
                    }
                }
            }
            *left -= 1;
            if *left == 0 {
                wanted.pop_front();
            }
            Ok(())
        };
        start(problem, Resumed { sums, fields, lines: &mut lines })
    }

    /// Returns the fields, other than the water, that a problem's run continues from.
    fn fields_for(&self, problem: &Problem) -> Vec<Field> {
        let theirs = &self.header.about;
        let same_losses = theirs.losses == sum_of_losses(problem);
        let goes_on = |field: &Field| match field {
            Field::Water => false,
            Field::Soaked | Field::Excess => same_losses,
            Field::SiteState => !self.going_on.is_empty(),
            _ => true,
        };
        problem.state().into_iter().filter(goes_on).collect()
    }

    /// Checks that the state has all fields that the steps of a problem continue from.
    ///
    /// # Errors
    /// If a field is missing.
    pub fn check_fields(&self, problem: &Problem) -> Result<()> {
        let remembered = problem.solver.remembers();
        // States contain further edge fields only if an output needed them.
        let optional = |field: &Field| {
            let edge = |of: EdgeField| [0, 1].map(|axis| Field::edge(of, axis)).contains(field);
            [EdgeField::Discharge, EdgeField::Velocity]
                .into_iter()
                .any(|of| edge(of) && remembered != Some(of))
        };
        let lacks = |field: &&Field| !optional(field) && !self.header.arrays.contains(field);
        match self.fields_for(problem).iter().find(lacks) {
            Some(field) => {
                let what = format!("it lacks the {} that a run continues from", field.name());
                Err(found::unreadable(&self.path, what))
            }
            None => Ok(()),
        }
    }

    /// Returns the state of each link: continued if the earlier run had the same link.
    fn links_for(&self, problem: &Problem) -> Vec<LinkState> {
        let theirs = &self.header.about.links;
        let stood = |link: &String| theirs.iter().position(|known| known == link);
        let state = |link: &String| {
            let state = stood(link).and_then(|at| self.header.sums.links.get(at));
            let state = state.copied().unwrap_or_default();
            LinkState { forward: 0, back: 0, ..state }
        };
        sums_of_links(problem).iter().map(state).collect()
    }
}

/// Returns a grain as an option, and its name.
fn choice(grain: Grain) -> (GrainChoice, &'static str) {
    match grain {
        Grain::Fine => (GrainChoice::Fine, "fine"),
        Grain::Coarse => (GrainChoice::Coarse, "coarse"),
    }
}

fn refused(path: &std::path::Path, what: String) -> Error {
    Error::input(format!("start_from: '{}': {what}", path.display()))
}

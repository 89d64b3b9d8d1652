//! Warm starts: a run that begins with the water and the flow that an earlier one had come to, under other forcing
//! (docs/decisions/0031-warm-starts.md).

mod found;
mod sound;

use super::options::{GrainChoice, Moment, Options};
use crate::engine::backend::Problem;
use crate::engine::backend::saved::{Resumed, Sums};
use crate::engine::clock::Clock;
use crate::engine::field::{Field, bits_mut};
use crate::engine::forcing::link::LinkState;
use crate::engine::forcing::series::Piece;
use crate::engine::forcing::sites::SiteKind;
use crate::engine::forcing::sites::trigger::Trigger;
use crate::engine::forcing::{Forcing, HeldLevel, RateLayer};
use crate::engine::gauged::GaugeState;
use crate::engine::grains::Grain;
use crate::engine::grid::{Bed, Grid};
use crate::engine::ledger::Ledger;
use crate::engine::rule::RuleInfo;
use crate::engine::rule::edge::EdgeField;
use crate::error::{Error, Result};
use crate::input::notice::Notices;
use crate::input::topography::Topography;
use crate::input::when::WallClock;
use crate::output::checkpoint::about::{
    AboutRun, Remembering, place_of, sum_of_layer, sum_of_level, sum_of_losses, sums_of_links,
};
use crate::output::checkpoint::arrays::{self, Checked};
use crate::output::checkpoint::clock::ClockState;
use crate::output::checkpoint::file::{Flaw, Reader};
use crate::units::Second;
use serde::Deserialize;
use std::collections::VecDeque;
use std::path::PathBuf;

/// What a new run must know of the state that it starts from.
#[derive(Debug, Deserialize)]
struct Header {
    version: String,
    about: AboutRun,
    time: ClockState,
    when: String,
    arrays: Vec<Field>,
    pieces: Vec<Option<Piece>>,
    #[serde(flatten)]
    sums: Sums,
}

/// A state that a run starts from.
#[derive(Debug)]
pub struct Start {
    path: PathBuf,
    header: Header,
    /// Its arrays, as far as they were not taken.
    reader: Reader,
    /// Time at which the earlier run had it (s, or steps), and its clock then.
    time: f64,
    clock: Clock,
    /// Cells whose sites remember what they did in the earlier run.
    going_on: Vec<usize>,
    /// Sites that remember something in the earlier run, and not in this one, or the other way round.
    changed_sites: usize,
}

impl Start {
    /// Opens the state that options name, if they do, for a rule and a clock that is at its start.
    ///
    /// # Errors
    /// If there is none, if it is none of a run by this rule with these grains, or if other options say what water there is.
    pub fn named_in(
        options: &Options,
        rule: &RuleInfo,
        clock: &Clock,
        said: &mut Notices,
    ) -> Result<Option<Start>> {
        let Some(named) = &options.start_from else { return Ok(None) };
        for (key, given) in
            [("initial_depth", &options.initial_depth), ("initial_level", &options.initial_level)]
        {
            if given.is_some() {
                return Err(Error::input(format!(
                    "{key}: the run takes its water at the start from start_from"
                ))
                .hint(format!("leave out {key}, or start_from")));
            }
        }
        let (path, header, reader) = found::open(named, said)?;
        let theirs = &header.about;
        if theirs.rule != rule.name {
            let what = format!(
                "the state is of a run by {}, and this is one by {}",
                theirs.rule, rule.name
            );
            return Err(refused(&path, what).hint(format!("take --rule {}", theirs.rule)));
        }
        let (grain, name) = choice(theirs.grain);
        if options.grain.is_some_and(|asked| asked != GrainChoice::Auto && asked != grain) {
            let what =
                format!("its water is counted in {name} grains, and this run asks for others");
            return Err(refused(&path, what).hint(format!(
                "take --grain {name}, or run the earlier run again with the other grain"
            )));
        }
        sound::check(&header, clock).map_err(|flaw| found::unreadable(&path, flaw))?;
        let mut earlier = clock.clone();
        header.time.set(&mut earlier);
        let (time, going_on) = (earlier.now(), Vec::new());
        Ok(Some(Start { path, time, clock: earlier, header, reader, going_on, changed_sites: 0 }))
    }

    /// Options of a run whose water is counted as that of the state.
    pub fn counted(&self, options: &Options) -> Options {
        Options { grain: Some(choice(self.header.about.grain).0), ..options.clone() }
    }

    /// How long the runs took that led to the state (s).
    pub fn elapsed(&self) -> Second {
        self.header.about.elapsed() + self.time
    }

    /// The clock of the new run, which starts at 0.
    pub fn clock(&self, clock: Clock) -> Clock {
        clock.starting_from(&self.clock)
    }

    /// When the new run starts by the wall clock: as the options say, or else when the earlier one had come to the state, if that is
    /// known. Warns where both are known and differ.
    pub fn wall_clock(&self, options: &Options, said: &mut Notices) -> Result<WallClock> {
        let start = self.header.about.start.as_ref().and_then(|start| start.parse().ok());
        let then = start.map(|start| WallClock::starting_after(start, self.time));
        let Some(Moment(text)) = &options.start else { return Ok(then.unwrap_or_default()) };
        let clock = WallClock::starting(text)?;
        let [own, theirs] = [Some(&clock), then.as_ref()].map(|clock| clock?.start());
        if own.is_some() && theirs.is_some() && own != theirs {
            said.warn(format!(
                "start: the run starts at {}, but the state that it starts from is of {}",
                clock.show(0.0),
                then.unwrap_or_default().show(0.0)
            ));
        }
        Ok(clock)
    }

    /// Takes the water of the cells of a grid with a bed (grains).
    ///
    /// # Errors
    /// If the grid is another, or if water stands where there is no domain now.
    pub fn water(&mut self, ground: Topography) -> Result<Vec<i32>> {
        let Topography { grid, bed } = ground;
        let theirs = &self.header.about.grid;
        if *theirs != place_of(grid) {
            let (columns, rows, [x, dx, _, y, _, dy]) = theirs;
            let [left, width, _, top, _, height] = grid.transform;
            let what = format!(
                "the state is of a grid of {columns} x {rows} cells of {dx} x {} from ({x}, {y}), and this run's has {} x {} of {width} x {} from ({left}, {top})",
                dy.abs(),
                grid.columns,
                grid.rows,
                height.abs()
            );
            return Err(refused(&self.path, what).hint(
                "give the DEM and the subgrid of the earlier run; onto another grid take its map of depths: --initial-depth OUT/depth.tif",
            ));
        }
        let water = self.check_arrays(grid).map_err(|flaw| found::unreadable(&self.path, flaw))?;
        let sum: i128 = water.iter().map(|grains| i128::from(*grains)).sum();
        if sum != self.header.sums.ledger.stored {
            return Err(found::unreadable(
                &self.path,
                "its water is not what its mass balance says",
            ));
        }
        let outside = |(grains, level): &(&i32, &i32)| **grains > 0 && **level == Bed::OUTSIDE;
        let lost = water.iter().zip(&bed.levels).filter(outside).count();
        if lost > 0 {
            let cells = crate::words::counted(lost, "cell", "cells");
            let what = format!("water of the state stands in {cells} outside of this run's domain");
            return Err(refused(&self.path, what)
                .hint("take the DEM, the NoData and the blocks of buildings of the earlier run"));
        }
        Ok(water)
    }

    /// Goes over all arrays once, on a grid that is theirs: returns the water (grains).
    ///
    /// # Errors
    /// If they are not those of a state, or if no run can have come to them.
    fn check_arrays(&mut self, grid: &Grid) -> std::result::Result<Vec<i32>, Flaw> {
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
            }
        }
        if !self.reader.is_at_the_end() {
            return Err(Flaw::Damaged("it holds more than it lists".into()));
        }
        self.reader.rewind()?;
        Ok(water)
    }

    /// Lets the sites of a new run that remember something go on where the same stand in the state, and has the forcing count times from
    /// the start of the first run. Returns by what the next run knows the sites again.
    ///
    /// A breach that waits for a time goes on waiting for it, from the start of the run that it was first in.
    pub fn go_on(&mut self, forcing: &mut Forcing) -> Vec<Remembering> {
        let elapsed = self.elapsed();
        forcing.elapsed = elapsed;
        let theirs = self.header.about.sites_known(&forcing.sites);
        let mut ours = Remembering::of(&forcing.sites);
        for site in &mut ours {
            if site.kind == SiteKind::Trigger {
                site.numbers = Trigger::after(site.numbers, elapsed);
            }
            let is_it = |their: &&Remembering| {
                (their.cell, their.kind) == (site.cell, site.kind)
                    && (their.asked == site.asked || their.numbers == site.numbers)
            };
            if let Some(their) = theirs.iter().find(is_it) {
                site.numbers = their.numbers;
                self.going_on.push(site.cell);
            }
        }
        self.going_on.sort_unstable();
        self.changed_sites = ours.len() + theirs.len() - 2 * self.going_on.len();
        let triggers = forcing.sites.iter_mut().filter(|site| site.given.kind == SiteKind::Trigger);
        let numbers = ours.iter().filter(|site| site.kind == SiteKind::Trigger);
        triggers.zip(numbers).for_each(|(site, ours)| site.given.numbers = ours.numbers);
        ours
    }

    /// Lets the running totals of rain and sources go on where the same fall on the same cells, so that not a part of a grain is
    /// lost.
    pub fn carry_on(&self, rates: &mut [RateLayer]) {
        let theirs = self.header.about.rates.iter().zip(&self.header.pieces);
        let mut theirs: Vec<(&String, &Option<Piece>)> = theirs.collect();
        for layer in rates {
            let sum = sum_of_layer(layer);
            let Some(at) = theirs.iter().position(|(known, _)| **known == sum) else { continue };
            if let (_, Some(piece)) = theirs.remove(at) {
                layer.series = layer.series.after(*piece);
            }
        }
    }

    /// Lets levels that are held go on in the line between two times in which the earlier run's were.
    pub fn hold_on(&self, held: &mut [HeldLevel]) {
        for held in held {
            let sum = sum_of_level(held);
            let mut theirs = self.header.about.levels.iter();
            let level = theirs.find(|(known, _)| *known == sum);
            let piece = level.and_then(|(_, level)| level.piece_at(self.time));
            if let Some(level) = piece.and_then(|piece| held.level.going_on(piece)) {
                held.level = level;
            }
        }
    }

    /// Says what is taken along into the run of a problem, and what is not.
    pub fn tell(&self, problem: &Problem, notes: &mut Vec<String>, warnings: &mut Vec<String>) {
        let (theirs, ours) = (&self.header.about, AboutRun::of(problem, None, &[]));
        let path = self.path.display();
        notes.push(format!(
            "start_from: the run starts with the water and the flow of '{path}', at {} of that run; its own time, maxima and arrivals begin anew",
            self.header.when
        ));
        let (version, own) = (&self.header.version, env!("CARGO_PKG_VERSION"));
        if version != own {
            notes.push(format!(
                "start_from: '{path}' was written by inundate {version}, and this is {own}"
            ));
        }
        if theirs.bed != ours.bed {
            warnings.push(format!(
                "start_from: the ground is not that of '{path}': each cell keeps the depth of its water there, not its level"
            ));
        }
        match (&theirs.losses, &ours.losses) {
            (Some(_), None) => notes.push(
                "start_from: the run has no losses; what the ground had taken is not taken along".into(),
            ),
            (None, Some(_)) => notes.push(
                "start_from: the earlier run had no losses; the ground begins as if it had taken nothing".into(),
            ),
            (Some(theirs), Some(ours)) if theirs != ours => warnings.push(
                "start_from: the losses are not those of the earlier run; the ground begins as if it had taken nothing".into(),
            ),
            _ => {}
        }
        let anew = ours.links.iter().filter(|link| !theirs.links.contains(link)).count();
        if anew > 0 && !theirs.links.is_empty() {
            notes.push(format!(
                "start_from: {} not as in the earlier run; their pumps begin at rest",
                crate::words::counted(anew, "link is", "links are")
            ));
        }
        if self.changed_sites > 0 {
            warnings.push("start_from: rating curves or breaches are not those of the earlier run: outlets that changed begin at rest, and walls that changed are whole again".into());
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

    /// The start of a problem, whose water is the state's: what it remembers beside that is handed to `start`.
    pub fn begin<T>(
        mut self,
        problem: Problem,
        start: impl FnOnce(Problem, Resumed) -> Result<T>,
    ) -> Result<T> {
        let fields = self.fields_there(&problem);
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

    /// The fields that a problem's run goes on from, but for the water.
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

    /// The fields that a problem's run goes on from, but for the water, as far as the state has them.
    fn fields_there(&self, problem: &Problem) -> Vec<Field> {
        let mut fields = self.fields_for(problem);
        fields.retain(|field| self.header.arrays.contains(field));
        fields
    }

    /// Checks that the state has what steps of a problem go on from.
    ///
    /// # Errors
    /// If it lacks something.
    pub fn check_fields(&self, problem: &Problem) -> Result<()> {
        let remembered = problem.rule.remembers();
        // Other numbers of edges are kept where someone asked for them.
        let optional = |field: &Field| {
            let edge = |of: EdgeField| [0, 1].map(|axis| Field::edge(of, axis)).contains(field);
            [EdgeField::Discharge, EdgeField::Velocity]
                .into_iter()
                .any(|of| edge(of) && remembered != Some(of))
        };
        let lacks = |field: &&Field| !optional(field) && !self.header.arrays.contains(field);
        match self.fields_for(problem).iter().find(lacks) {
            Some(field) => {
                let what = format!("it lacks the {} that runs go on from", field.name());
                Err(found::unreadable(&self.path, what))
            }
            None => Ok(()),
        }
    }

    /// Where each link of a run stands: where it stood, if it is the same.
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

/// A grain as an option, and its name.
fn choice(grain: Grain) -> (GrainChoice, &'static str) {
    match grain {
        Grain::Fine => (GrainChoice::Fine, "fine"),
        Grain::Coarse => (GrainChoice::Coarse, "coarse"),
    }
}

fn refused(path: &std::path::Path, what: String) -> Error {
    Error::input(format!("start_from: '{}': {what}", path.display()))
}

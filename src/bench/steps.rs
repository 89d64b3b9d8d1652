//! How much longer steps the parts of a map allow than the map as a whole, and what steps of their own would save.
//!
//! At looks evenly over a run each block of 32 × 32 cells has the longest step that its own cells allow. Of an epoch of 16 steps
//! of the map it would take 16, 8, 4, 2 or 1, as many as it must. What a step costs is counted in blocks that hold water.

use super::whole::Case;
use super::whole::terrain;
use crate::engine::backend::Backend;
use crate::engine::clock::{Beat, Clock};
use crate::engine::rule;
use crate::engine::simulation::{Observer, Simulation};
use crate::error::{Error, Result};
use crate::observer::quality::paces::Paces;
use crate::output::layers::{Domain, Maps};
use crate::run::processor::TakenProcessor;
use crate::scenario::options::{Device, Options};
use crate::scenario::{self, Scenario};
use clap::Parser;
use serde::Serialize;
use std::path::Path;

/// Side of a block (cells).
const BLOCK: usize = 32;

/// Looks at a run.
const LOOKS: f64 = 64.0;

/// How many times the map's step a block's is at the most, as a power of two.
const MOST: usize = 4;

/// What was found of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Steps {
    /// Its name.
    pub case: &'static str,
    /// Columns and rows.
    pub size: (usize, usize),
    /// Steps of the run.
    pub steps: u64,
    /// The share of blocks with water, over all steps, whose longest step is less than twice the map's; 2 to 4, 4 to 8, 8 to 16
    /// times as long; and 16 times or more.
    pub shares: [f64; MOST + 1],
    /// The share of the work that steps of their own would save, if each block took as few as it may itself.
    pub saved: f64,
    /// The same where none takes fewer than the blocks beside it may: what flows into it within an epoch comes from them.
    pub saved_beside: f64,
}

/// The words of a run, as the command line has them.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    options: Options,
}

/// Runs a case in a folder, and looks at its steps.
pub fn measure(case: &Case, device: Option<Device>, folder: &Path) -> Result<Steps> {
    let dem = folder.join("dem.tif");
    terrain::write(&dem, &terrain::heights(case.terrain, case.size), case.size, case.cell)?;
    let words = case.arguments.iter().filter(|word| !word.is_empty()).cloned();
    let words = Words::try_parse_from(std::iter::once("run".to_string()).chain(words))
        .map_err(|error| Error::always("a case of the bench makes no sense").because(error))?;
    let options = Options { dem: Some(dem), device, ..words.options };
    let Scenario { problem, clock, facts } = scenario::build(&options)?;
    let maps = Maps {
        grid: facts.grid.clone(),
        domain: Domain::of(&problem.grid, &problem.bed),
        grain: facts.grain,
        bed: None,
        tracks: Vec::new(),
        hazard: 0,
    };
    let info = rule::find_order(facts.rule, facts.order).expect("the rule of the run");
    let paces = Paces::new(&maps, info, facts.roughness).ok_or_else(|| {
        Error::input(format!("rule: {} has no clock", facts.rule))
            .hint("take a rule that finds the length of its steps")
    })?;
    let timeline = problem.timeline();
    let backend = TakenProcessor::by(&options)?.start(problem, None)?;
    let mut simulation = Simulation { backend, clock, timeline };
    let every = simulation.clock.end() / LOOKS;
    let mut looks = Looks {
        paces,
        size: case.size,
        every,
        next: 1,
        due: false,
        work: [0.0; 3],
        blocks: [0.0; MOST + 1],
    };
    simulation.run(&mut [&mut looks])?;
    let [now, own, beside] = looks.work;
    let saved = |work: f64| if now > 0.0 { 1.0 - work / now } else { 0.0 };
    let all: f64 = looks.blocks.iter().sum();
    Ok(Steps {
        case: case.name,
        size: case.size,
        steps: simulation.clock.done,
        shares: looks.blocks.map(|blocks| if all > 0.0 { blocks / all } else { 0.0 }),
        saved: saved(own),
        saved_beside: saved(beside),
    })
}

/// Looks at a run.
struct Looks<'a> {
    paces: Paces<'a>,
    size: (usize, usize),
    every: f64,
    next: u64,
    due: bool,
    /// Steps of blocks as they are; with steps of their own; and the same with those beside them. Each look stands for as many
    /// steps as there are from it to the next.
    work: [f64; 3],
    /// Steps of the map by how many times longer those of a block might be, as a power of two.
    blocks: [f64; MOST + 1],
}

impl Looks<'_> {
    fn look(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        let Beat::Paced { limits, .. } = clock.beat else { return Ok(()) };
        let (columns, rows) = (self.size.0.div_ceil(BLOCK), self.size.1.div_ceil(BLOCK));
        let of_row = |row: usize, rates: &[f32]| {
            let fastest = |rates: &[f32]| rates.iter().copied().fold(0.0, f32::max);
            (row, rates.chunks(BLOCK).map(fastest).collect::<Vec<f32>>())
        };
        let mut rates = vec![0.0f32; columns * rows];
        for (row, of_blocks) in self.paces.of_rows(backend, of_row)? {
            let blocks = &mut rates[row / BLOCK * columns..][..columns];
            for (rate, of_block) in blocks.iter_mut().zip(of_blocks) {
                *rate = rate.max(of_block);
            }
        }
        let least = limits.safety / limits.longest;
        let fastest = rates.iter().copied().fold(least, f32::max);
        // Steps of the map until the next look.
        let steps = f64::from(fastest / limits.safety) * self.every;
        let times = |rate: f32| {
            let times = fastest / rate.max(least);
            (times.log2().floor() as usize).min(MOST)
        };
        let powers: Vec<Option<usize>> =
            rates.iter().map(|&rate| (rate > 0.0).then(|| times(rate))).collect();
        for (block, power) in powers.iter().enumerate() {
            let Some(power) = *power else { continue };
            let (column, row) = (block % columns, block / columns);
            let (left, top) = (column.saturating_sub(1), row.saturating_sub(1));
            let near = (top..(row + 2).min(rows)).flat_map(|row| {
                let powers = &powers;
                (left..(column + 2).min(columns)).filter_map(move |at| powers[row * columns + at])
            });
            let beside = near.min().unwrap_or(power);
            self.blocks[power] += steps;
            self.work[0] += steps;
            self.work[1] += steps / f64::from(1u32 << power);
            self.work[2] += steps / f64::from(1u32 << beside);
        }
        Ok(())
    }
}

impl Observer for Looks<'_> {
    fn next_look(&self) -> Option<f64> {
        Some(self.next as f64 * self.every)
    }

    fn before_step(&mut self, _: &Clock, _: &dyn Backend) -> Result<()> {
        self.due = true;
        Ok(())
    }

    fn after_step(&mut self, clock: &Clock, backend: &dyn Backend) -> Result<()> {
        if !std::mem::take(&mut self.due) || !clock.has_come(self.next as f64 * self.every) {
            return Ok(());
        }
        self.next = clock.multiples_of(self.every).max(self.next) + 1;
        self.look(clock, backend)
    }
}

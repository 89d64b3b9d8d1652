//! Reads and sets the quantities of a run: water in cells, and flow over edges.

use super::Run;
use crate::engine::backend::Problem;
use crate::engine::field::{Field, bits_mut};
use crate::engine::grid::Bed;
use crate::error::{Error, Result};

impl Run {
    fn water(&self) -> Result<Vec<i32>> {
        let mut water = vec![0i32; self.facts.grid.cells()];
        self.simulation()?.backend.read_lines(Field::Water, 0, bits_mut(&mut water))?;
        Ok(water)
    }

    /// Returns a function of depth and level (m) for every cell of the domain.
    pub(super) fn of_cells(&mut self, of: fn(f64, f64) -> f64) -> Result<Vec<f64>> {
        let water = self.water()?;
        let problem = &self.changeable()?.problem;
        let metres = f64::from(problem.grain.metres());
        let value = |(cell, &grains): (usize, &i32)| match problem.level_of(cell, grains) {
            level if level.is_nan() => level,
            level => of(f64::from(grains) * metres, level),
        };
        Ok(water.iter().enumerate().map(value).collect())
    }

    pub(super) fn bed(&mut self) -> Result<Vec<f64>> {
        let levels = &self.changeable()?.problem.bed.levels;
        let metres = |&level: &i32| match level {
            Bed::OUTSIDE => f64::NAN,
            level => f64::from(level) / Bed::PER_METRE,
        };
        Ok(levels.iter().map(metres).collect())
    }

    pub(super) fn rain_in_domain(&mut self) -> Result<Vec<f64>> {
        let mut rates = self.rain()?;
        let levels = &self.changeable()?.problem.bed.levels;
        let outside = rates.iter_mut().zip(levels).filter(|(_, level)| **level == Bed::OUTSIDE);
        outside.for_each(|(rate, _)| *rate = f64::NAN);
        Ok(rates)
    }

    /// Returns a field over edges.
    pub(super) fn flow(&mut self, field: Field) -> Result<Vec<f64>> {
        let problem = &self.changeable()?.problem;
        if !problem.fields().contains(&field) {
            let solver = problem.solver.info().name;
            return Err(Error::input(format!("{}: the solver {solver} has none", field.name()))
                .hint("use a solver with physical time, such as shallow-water"));
        }
        let flows = self.simulation()?.floats(field)?;
        Ok(flows.into_iter().map(f64::from).collect())
    }

    pub(super) fn set_edges(&mut self, what: &'static str, field: Field, to: &[f64]) -> Result<()> {
        let before = self.flow(field)?;
        let others = to.iter().zip(&before).enumerate();
        let others = others.filter(|(_, (new, old))| !new.is_nan() && **new as f32 != **old as f32);
        let others: Vec<(usize, f32)> = others.map(|(at, (new, _))| (at, *new as f32)).collect();
        self.set_flow(what, field, &others)
    }

    /// Sets the water of all cells whose value is not NaN and differs from the present one.
    pub(super) fn set_depths(
        &mut self,
        what: &'static str,
        values: &[f64],
        grains: Grains,
    ) -> Result<()> {
        let water = self.water()?;
        let problem = &self.changeable()?.problem;
        let mut others = Vec::new();
        for (cell, (&value, before)) in values.iter().zip(water).enumerate() {
            if value.is_nan() || problem.bed.levels[cell] == Bed::OUTSIDE {
                continue;
            }
            let grains = grains(problem, cell, before, value);
            let grains = grains.map_err(|error| {
                let (row, column) = (cell / problem.grid.columns, cell % problem.grid.columns);
                error.of(what).at(format!("row {row}, column {column}"))
            })?;
            if grains != before {
                others.push((cell, grains));
            }
        }
        self.set_water(what, &others)
    }
}

/// Converts a value (m) to the water of a cell (grains), given its present water.
pub type Grains = fn(&Problem, usize, i32, f64) -> Result<i32>;

/// Converts a depth (m) to water.
pub fn of_depth(problem: &Problem, _: usize, _: i32, depth: f64) -> Result<i32> {
    problem.grain.from_depth(depth).ok_or_else(|| {
        Error::input(format!("{depth} m"))
            .hint(format!("depths are from 0 to {:.0} m", problem.grain.deepest()))
    })
}

/// Converts a level (m) to water.
pub fn of_level(problem: &Problem, cell: usize, before: i32, level: f64) -> Result<i32> {
    let Some(tables) = &problem.subgrid else {
        let bed = f64::from(problem.bed.levels[cell]) / Bed::PER_METRE;
        return of_depth(problem, cell, before, (level - bed).max(0.0));
    };
    let steps = Bed::quantize(level).ok_or_else(|| {
        Error::input(format!("{level} m")).hint(format!("levels are within {} m", Bed::LIMIT))
    })?;
    let metres = problem.grain.metres();
    // Several amounts of water may correspond to a level; keep the present one if it fits.
    let stands = tables.level_of(cell, before, metres) == steps;
    Ok(if stands { before } else { tables.water_at(cell, steps, metres) })
}

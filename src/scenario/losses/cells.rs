//! The ground of every cell: a class's values, and the options' where it has none.

use super::plan::{Classes, Given, Plan};
use super::rasters::{NO_CLASS, Rasters};
use crate::error::{Error, Result};
use crate::grains::Grain;
use crate::grid::{Bed, Grid};
use crate::losses::Ground;
use crate::losses::parameter::{Model, NOTHING, Parameter, Values, ground};
use std::collections::HashMap;

/// A kind of ground, and what it was made of.
#[derive(Clone, Debug)]
pub struct Kind {
    pub ground: Ground,
    /// The values that count, NaN for those that do not.
    pub values: Values,
    pub model: Option<Model>,
    /// Cells of the domain.
    pub cells: usize,
}

/// Every kind of ground and the kind of every cell; empty if there is but one.
#[derive(Debug, Default)]
pub struct Cells {
    pub kinds: Vec<Kind>,
    pub of_cell: Vec<u32>,
}

/// Finds the kinds of ground of a plan. Equal ones are one.
/// Nothing seeps into `roofs` (cells in rising order), whatever the ground below them; their gutters lead to the sewers.
pub fn lay(
    plan: &Plan,
    rasters: &Rasters,
    roofs: &[usize],
    grid: &Grid,
    bed: &Bed,
    grain: Grain,
) -> Result<Cells> {
    let mut cells = Cells { kinds: Vec::new(), of_cell: vec![0; grid.cells()] };
    let mut known: HashMap<[u32; Parameter::ALL.len()], u32> = HashMap::new();
    let mut everywhere = NOTHING;
    for (value, given) in everywhere.iter_mut().zip(&plan.given) {
        if let Some(Given::Value(given)) = given {
            *value = *given;
        }
    }
    // Without rasters of parameters a class is a kind.
    let by_class = rasters.parameters.is_empty();
    let mut of_class: HashMap<(u32, bool), u32> = HashMap::new();
    for cell in (0..grid.cells()).filter(|&cell| bed.levels[cell] != Bed::OUTSIDE) {
        let class = rasters.classes.get(cell).copied().unwrap_or(NO_CLASS);
        let is_roof = roofs.binary_search(&cell).is_ok();
        if by_class && let Some(&kind) = of_class.get(&(class, is_roof)) {
            cells.put(cell, kind);
            continue;
        }
        let mut values = everywhere;
        for (parameter, raster) in &rasters.parameters {
            values[*parameter as usize] = raster[cell];
        }
        let (mut values, mut model) = merge(plan, values, class).map_err(|what| {
            let (column, row) = (cell % grid.columns, cell / grid.columns);
            what.at(plan, &format!("at column {column}, row {row} of the DEM's grid"))
        })?;
        if is_roof {
            let drained = Parameter::Drainage as usize;
            (0..values.len()).filter(|at| *at != drained).for_each(|at| values[at] = f32::NAN);
            model = None;
        }
        let next = cells.kinds.len() as u32;
        let kind = *known.entry(values.map(f32::to_bits)).or_insert(next);
        if kind == next {
            let ground = ground(&values, model, plan.initial_share, grain);
            cells.kinds.push(Kind { ground, values, model, cells: 0 });
        }
        of_class.insert((class, is_roof), kind);
        cells.put(cell, kind);
    }
    if cells.kinds.len() == 1 {
        cells.of_cell = Vec::new();
    }
    Ok(cells)
}

impl Cells {
    fn put(&mut self, cell: usize, kind: u32) {
        self.of_cell[cell] = kind;
        self.kinds[kind as usize].cells += 1;
    }
}

/// What may be wrong with a cell.
enum Wrong {
    /// It has no class, and the options do not say what holds there.
    NoClass,
    /// It has no class, and the options' model lacks something there.
    Lacks(Model, Parameter),
    /// Horton's first capacity is below the last.
    Rises(f32, f32),
}

/// The values that count in a cell, and its model.
fn merge(
    plan: &Plan,
    mut values: Values,
    class: u32,
) -> std::result::Result<(Values, Option<Model>), Wrong> {
    let mut model = plan.model;
    if let Some(Classes { table, .. }) = &plan.classes {
        if class == NO_CLASS {
            if model.is_none() && values.iter().all(|value| value.is_nan()) {
                return Err(Wrong::NoClass);
            }
        } else {
            let line = &table.classes()[class as usize];
            model = line.model.or(model);
            for (value, own) in values.iter_mut().zip(line.values) {
                *value = if own.is_nan() { *value } else { own };
            }
        }
    }
    for parameter in Parameter::ALL {
        let value = &mut values[parameter as usize];
        let counts = match parameter.model() {
            None if parameter == Parameter::InitialLoss => model != Some(Model::CurveNumber),
            None => true,
            of => of == model,
        };
        // One NaN for all, so that equal values have equal bits; and one zero.
        *value = if counts && !value.is_nan() { *value + 0.0 } else { f32::NAN };
        if counts
            && value.is_nan()
            && let Some(model) = parameter.model()
        {
            return Err(Wrong::Lacks(model, parameter));
        }
    }
    let [first, last] = [Parameter::HortonFirst, Parameter::HortonLast].map(|p| p.of(&values));
    if first < last {
        return Err(Wrong::Rises(first, last));
    }
    Ok((values, model))
}

impl Wrong {
    /// The error, with the first cell that has it.
    fn at(self, plan: &Plan, place: &str) -> Error {
        let raster = plan.classes.as_ref();
        let raster = raster.map_or(String::new(), |classes| {
            format!("{}: '{}'", classes.key, classes.raster.display())
        });
        match self {
            Wrong::NoClass => Error::input(format!("{raster} has no class {place}")).hint(
                "fill NoData, or say what holds there: --infiltration \"0 mm/h\" for example",
            ),
            Wrong::Lacks(model, parameter) => Error::input(format!(
                "{raster} has no class {place}, and without one {model} lacks {}",
                parameter.key()
            ))
            .hint(format!(
                "fill NoData, or give {} for the cells without a class",
                parameter.key()
            )),
            Wrong::Rises(first, last) => Error::input(format!(
                "horton_first: {first} mm/h is less than horton_last, {last} mm/h, {place}"
            ))
            .hint("the capacity falls from the first to the last: exchange them"),
        }
    }
}

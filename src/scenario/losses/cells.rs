//! Losses of every cell: values of its class, or of the options if the class has none.

use super::plan::{Classes, Given, Plan};
use super::rasters::{NO_CLASS, Rasters};
use crate::engine::grains::Grain;
use crate::engine::grid::Grid;
use crate::engine::losses::GroundLosses;
use crate::engine::losses::parameter::{Model, NOTHING, Parameter, Values, ground};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::raster::layer;
use crate::words;
use std::collections::HashMap;

/// Kind of ground: cells with equal values.
#[derive(Clone, Debug)]
pub struct GroundClass {
    pub ground: GroundLosses,
    /// Values that apply; NaN for parameters that do not.
    pub values: Values,
    pub model: Option<Model>,
    /// Number of cells in the domain.
    pub cells: usize,
}

/// All kinds of ground, and the kind of every cell; empty if there is only one.
#[derive(Debug, Default)]
pub struct Cells {
    pub kinds: Vec<GroundClass>,
    pub of_cell: Vec<u32>,
}

/// Finds the kinds of ground of a plan; equal ones are merged. Nothing infiltrates into roofs,
/// whatever the ground below; their gutters lead to the sewers.
pub fn lay(plan: &Plan, rasters: &Rasters, land: Topography, grain: Grain) -> Result<Cells> {
    let Topography { grid, bed, .. } = land;
    let mut cells = Cells { kinds: Vec::new(), of_cell: vec![0; grid.cells()] };
    let mut known: HashMap<[u32; Parameter::ALL.len()], u32> = HashMap::new();
    let mut everywhere = NOTHING;
    for (value, given) in everywhere.iter_mut().zip(&plan.given) {
        if let Some(Given::Value(given)) = given {
            *value = *given;
        }
    }
    // Without rasters of parameters, each class is a kind.
    let by_class = rasters.parameters.is_empty();
    let mut of_class: HashMap<(u32, bool), u32> = HashMap::new();
    for cell in (0..grid.cells()).filter(|&cell| land.is_inside(cell)) {
        let class = rasters.classes.get(cell).copied().unwrap_or(NO_CLASS);
        let is_roof = land.is_roof(cell);
        if by_class && let Some(&kind) = of_class.get(&(class, is_roof)) {
            cells.put(cell, kind);
            continue;
        }
        let mut values = everywhere;
        for (parameter, raster) in &rasters.parameters {
            values[*parameter as usize] = raster[cell];
        }
        let (mut values, mut model) = merge(plan, values, class).map_err(|what| {
            let domain = (0..grid.cells()).filter(|&cell| land.is_inside(cell));
            let bare = domain.filter(|&cell| rasters.classes.get(cell) == Some(&NO_CLASS)).count();
            what.at(plan, grid, cell, &format!("{bare} of the domain's {}", bed.domain_cells()))
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
            cells.kinds.push(GroundClass { ground, values, model, cells: 0 });
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

/// Error of a cell.
enum Wrong {
    /// The cell has no class, and the options give no losses for it.
    NoClass,
    /// The cell has no class, and the options' model lacks a parameter.
    Lacks(Model, Parameter),
    /// Horton's first capacity is less than the last.
    Rises(f32, f32),
}

/// Returns the values that apply in a cell, and its model.
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
            let line = &table.classes[class as usize];
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
        // A single NaN and a single zero, so that equal values have equal bits.
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
    /// Creates the error, with the first cell that has it; `bare` describes how many cells have no
    /// class.
    fn at(self, plan: &Plan, grid: &Grid, cell: usize, bare: &str) -> Error {
        let (column, row) = grid.column_row(cell);
        let place = format!("at {} of the DEM's grid", words::place(column, row));
        let raster = plan.classes.as_ref();
        let reaches =
            raster.is_none_or(|classes| layer::reaches(&classes.raster, classes.key, grid, cell));
        let raster = raster.map_or(String::new(), |classes| {
            format!("{}: '{}'", classes.key, classes.raster.display())
        });
        let (lacks, cure) = if reaches {
            ("has no class", "fill NoData")
        } else {
            ("does not cover the DEM and has no class", "take a raster that covers the DEM")
        };
        match self {
            Wrong::NoClass => {
                Error::input(format!("{raster} {lacks} {place}; {bare} cells have none")).hint(
                    format!("{cure}, or give losses for these cells: --infiltration \"0 mm/h\" for example"),
                )
            }
            Wrong::Lacks(model, parameter) => Error::input(format!(
                "{raster} {lacks} {place}, and without one {model} lacks {}; {bare} cells have no class",
                parameter.key()
            ))
            .hint(format!("{cure}, or give {} for the cells without a class", parameter.key())),
            Wrong::Rises(first, last) => Error::input(format!(
                "horton_first: {first} mm/h is less than horton_last, {last} mm/h, {place}"
            ))
            .hint("the capacity must fall from first to last: swap them"),
        }
    }
}

//! Rasters of loss parameters and of classes.

use super::options::LossOptions;
use super::plan::{Classes, Given, Plan, all_given};
use crate::engine::losses::parameter::Parameter;
use crate::error::Result;
use crate::input::dem::topography::Topography;
use crate::input::notice::{Notices, Reading};
use crate::input::raster::layer::{self, Cover};
use crate::input::tables::bundled;
use crate::input::tables::loss_table::{BUNDLED, loss_quantity};
use crate::scenario::amounts::FullCoverageRaster;
use crate::scenario::coarser::Coarser;
use crate::scenario::land_cover::lacks;
use std::collections::HashMap;
use std::path::Path;

/// Index of a cell without a class.
pub const NO_CLASS: u32 = u32::MAX;

/// Parameters of the cells, from rasters on the grid of their pixels.
#[derive(Debug, Default)]
pub struct ParameterMeans(Vec<(Parameter, Vec<f32>)>);

impl ParameterMeans {
    /// Reads the rasters of parameters on the grid of the pixels: a cell gets the mean of its open
    /// pixels, NaN if none is open.
    pub fn read(
        losses: &LossOptions,
        ground: Topography,
        coarser: Coarser,
    ) -> Result<Reading<ParameterMeans>> {
        let mut means = Reading::<ParameterMeans>::default();
        for (parameter, given) in Parameter::ALL.into_iter().zip(all_given(losses)?) {
            let Some(Given::Raster(path)) = given else { continue };
            let cells = ground.grid.coarser(coarser.ratio).cells();
            let (mut sums, mut counts, mut first) = (vec![0.0; cells], vec![0u32; cells], 0);
            each_row(parameter, &path, ground, &mut means.notices, &mut |row| {
                let pixels = (first..).zip(row).filter(|(_, value)| !value.is_nan());
                for (pixel, &value) in pixels {
                    let cell = coarser.cell(pixel);
                    sums[cell] += f64::from(value);
                    counts[cell] += 1;
                }
                first += row.len();
                Ok(())
            })?;
            let mean = |(sum, count): (f64, u32)| (sum / f64::from(count)) as f32;
            let values = sums.into_iter().zip(counts).map(mean).collect();
            means.0.push((parameter, values));
        }
        Ok(means)
    }
}

/// Reads a raster of a parameter row by row; NaN outside the domain.
fn each_row(
    parameter: Parameter,
    path: &Path,
    ground: Topography,
    notices: &mut Notices,
    each: &mut dyn FnMut(&[f32]) -> Result<()>,
) -> Result<()> {
    let fits = |value: f64| parameter.range().contains(&(value as f32));
    let hint = format!("{}; if it marks missing data, declare it as NoData", parameter.allowed());
    let role = parameter.key();
    let quantity = loss_quantity(parameter);
    let raster = FullCoverageRaster { role, path, what: "a value", quantity, fits: &fits, hint };
    raster.each_row(f32::NAN, ground, notices, each)
}

/// Rasters of a plan.
#[derive(Debug, Default)]
pub struct Rasters {
    /// Parameters that differ from cell to cell, with the value of each cell of the grid.
    pub parameters: Vec<(Parameter, Vec<f32>)>,
    /// Index in the table of every cell's class; empty if there are no classes.
    pub classes: Vec<u32>,
}

impl Rasters {
    /// Reads the rasters of a plan, except for the parameters if their `means` are known.
    pub fn read(
        plan: &Plan,
        means: Option<ParameterMeans>,
        ground: Topography,
    ) -> Result<Reading<Rasters>> {
        let mut rasters = Reading::<Rasters>::default();
        match means {
            Some(ParameterMeans(parameters)) => rasters.parameters = parameters,
            None => {
                for (parameter, given) in Parameter::ALL.into_iter().zip(&plan.given) {
                    if let Some(Given::Raster(path)) = given {
                        rasters.parameter(parameter, path, ground)?;
                    }
                }
            }
        }
        if let Some(classes) = &plan.classes {
            rasters.classes(classes, ground)?;
        }
        Ok(rasters)
    }
}

impl Reading<Rasters> {
    fn parameter(&mut self, parameter: Parameter, path: &Path, ground: Topography) -> Result<()> {
        let mut cells = Vec::with_capacity(ground.grid.cells());
        each_row(parameter, path, ground, &mut self.notices, &mut |row| {
            cells.extend_from_slice(row);
            Ok(())
        })?;
        self.parameters.push((parameter, cells));
        Ok(())
    }

    fn classes(&mut self, classes: &Classes, ground: Topography) -> Result<()> {
        let grid = ground.grid;
        let Classes { key, raster, table, table_path } = classes;
        let shown = raster.display();
        let mut unknown: HashMap<u64, usize> = HashMap::new();
        let mut cells = vec![NO_CLASS; grid.cells()];
        let report = layer::read(raster, key, ground, Cover::Classes, |row, values| {
            for (cell, &value) in cells[row * grid.columns..].iter_mut().zip(values) {
                match table.find(value) {
                    Some(place) => *cell = place as u32,
                    None if value.is_nan() => {}
                    None => *unknown.entry(value.to_bits()).or_default() += 1,
                }
            }
            Ok(())
        })?;
        if !unknown.is_empty() {
            let own =
                bundled::is_one(table_path, &BUNDLED).then_some("(class, and columns of losses)");
            return Err(lacks(key, raster, table_path, own, &unknown));
        }
        // If it is also the land cover of the roughness, it was noted there already.
        self.notices.read("loss_classes", raster)?;
        if !bundled::is_one(table_path, &BUNDLED) {
            self.notices.read("loss_table", table_path)?;
        }
        self.notices.warn_all(report.warnings);
        if report.warped {
            self.notices.note(format!(
                "{key}: '{shown}' is on another grid; each cell takes the nearest class for its losses"
            ));
        }
        self.classes = cells;
        Ok(())
    }
}

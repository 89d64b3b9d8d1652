//! Roughness from land cover: a raster of classes, and a table of Manning's n by class.

use super::options::{Options, TableName};
use crate::engine::grid::Bed;
use crate::engine::roughness::DEFAULT_ROUGHNESS;
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::file::InputFile;
use crate::input::raster::layer::{self, Cover};
use crate::input::tables::bundled;
use crate::input::tables::class_table::{BUNDLED, ClassTable};
use crate::words::{self, and_more, counted};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Maximum number of listed classes that are missing in the table.
const LISTED: usize = 20;

/// Raster of classes and its table.
#[derive(Debug)]
pub struct LandCover {
    /// Path of the raster.
    pub raster: PathBuf,
    table: ClassTable,
    table_path: PathBuf,
}

/// Share of a class in the domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassShare {
    /// Number of the class; `None` for cells without a class.
    pub class: Option<i64>,
    /// Name of the class, if the table has one.
    pub name: Option<String>,
    /// Manning's n of the class (s/m^⅓).
    pub n: f32,
    /// Number of cells in the domain.
    pub cells: usize,
    /// Fraction of the cells of the domain, 0 to 1.
    pub share: f64,
}

/// Result of mapping land cover onto the DEM's grid.
#[derive(Debug)]
pub struct CoverReport {
    /// Classes in the domain, ascending, then the cells without a class.
    pub shares: Vec<ClassShare>,
    /// True if the raster was on another grid.
    pub warped: bool,
    /// Warnings about the classes.
    pub warnings: Vec<String>,
}

/// Counts of the classes in the domain while the rows are read.
#[derive(Default)]
struct Counts {
    /// Number of cells by index in the table.
    known: Vec<usize>,
    /// Number of cells by value (as bits), for values that are not in the table.
    unknown: HashMap<u64, usize>,
    missing: usize,
    /// Column and row of the first cell without a class.
    first_missing: (usize, usize),
}

impl LandCover {
    /// Returns the land cover that the options name. The table is read here, the raster by
    /// [`LandCover::lay`].
    pub fn named_in(options: &Options) -> Result<Option<LandCover>> {
        let hint = || {
            format!("bundled tables: {}; or a CSV file of class,n,name", bundled::names(&BUNDLED))
        };
        match (&options.land_cover, &options.land_cover_table) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(Error::input(
                "land_cover: the classes have no Manning's n without land_cover_table",
            )
            .hint(hint())),
            (None, Some(_)) => {
                Err(Error::input("land_cover_table: has no effect without land_cover")
                    .hint("give the raster of classes as land_cover, or leave the table out"))
            }
            (Some(raster), Some(TableName(path))) => {
                let table = ClassTable::read(path)?;
                let (raster, table_path) = (raster.clone(), path.clone());
                Ok(Some(LandCover { raster, table, table_path }))
            }
        }
    }

    /// Returns the input files with their checksums; a bundled table is not a file.
    pub fn inputs(&self) -> Result<Vec<InputFile>> {
        let mut inputs = vec![InputFile::new("land_cover", &self.raster)?];
        if !bundled::is_one(&self.table_path, &BUNDLED) {
            inputs.push(InputFile::new("land_cover_table", &self.table_path)?);
        }
        Ok(inputs)
    }

    /// Looks up the class of every cell of the domain and calls `each` with the row's Manning's n
    /// (s/m^⅓). Cells without a class get `otherwise`.
    pub fn lay(
        &self,
        otherwise: Option<f32>,
        ground: Topography,
        each: &mut dyn FnMut(&[f32]) -> Result<()>,
    ) -> Result<CoverReport> {
        let Topography { grid, bed, .. } = ground;
        let classes = &self.table.classes;
        let mut roughness = vec![0.0; grid.columns];
        let mut counts = Counts { known: vec![0; classes.len()], ..Counts::default() };
        let path = &self.raster;
        let report = layer::read(path, "land_cover", ground, Cover::Classes, |row, values| {
            // Values outside the domain are never used.
            roughness.fill(DEFAULT_ROUGHNESS as f32);
            for (column, &value) in values.iter().enumerate() {
                let cell = row * grid.columns + column;
                if !ground.is_inside(cell) {
                    continue;
                }
                if value.is_nan() {
                    if counts.missing == 0 {
                        counts.first_missing = (column, row);
                    }
                    counts.missing += 1;
                    roughness[column] = otherwise.unwrap_or_default();
                } else if let Some(place) = self.table.find(value) {
                    counts.known[place] += 1;
                    roughness[column] = classes[place].n as f32;
                } else {
                    *counts.unknown.entry(value.to_bits()).or_default() += 1;
                }
            }
            each(&roughness)
        })?;
        if !counts.unknown.is_empty() {
            let own = bundled::is_one(&self.table_path, &BUNDLED).then_some("(class,n,name)");
            return Err(lacks("land_cover", path, &self.table_path, own, &counts.unknown));
        }
        if counts.missing > 0 && otherwise.is_none() {
            return Err(self.has_gaps(&counts, ground));
        }
        let shares = self.shares(&counts, otherwise.unwrap_or_default(), bed);
        Ok(CoverReport { shares, warped: report.warped, warnings: report.warnings })
    }

    fn shares(&self, counts: &Counts, otherwise: f32, bed: &Bed) -> Vec<ClassShare> {
        let share = |cells: usize| cells as f64 / bed.domain_cells() as f64;
        let known = self.table.classes.iter().zip(&counts.known);
        let mut shares: Vec<ClassShare> = known
            .filter(|(_, cells)| **cells > 0)
            .map(|(line, &cells)| ClassShare {
                class: Some(line.class),
                name: line.name.clone(),
                n: line.n as f32,
                cells,
                share: share(cells),
            })
            .collect();
        let cells = counts.missing;
        if cells > 0 {
            let share = share(cells);
            shares.push(ClassShare { class: None, name: None, n: otherwise, cells, share });
        }
        shares
    }

    /// Creates the error for cells without a class.
    fn has_gaps(&self, counts: &Counts, ground: Topography) -> Error {
        let Topography { grid, bed, .. } = ground;
        let (column, row) = counts.first_missing;
        let cell = row * grid.columns + column;
        let (how, cure) = if layer::reaches(&self.raster, "land_cover", grid, cell) {
            ("", "fill NoData")
        } else {
            ("does not cover the DEM: it ", "take a raster that covers the DEM")
        };
        Error::input(format!(
            "land_cover: '{}' {how}has no class for {} of the domain's {} cells, the first of them at {} of the DEM's grid",
            self.raster.display(),
            counts.missing,
            bed.domain_cells(),
            words::place(column, row)
        ))
        .hint(format!("give them a Manning's n with --roughness, 0.035 for example, or {cure}"))
    }
}

/// Creates the error for classes that are not in the table, with the number of cells by value (as
/// bits). `columns` lists the columns of a user's own table, if this one is bundled.
pub(super) fn lacks(
    role: &str,
    raster: &Path,
    table: &Path,
    columns: Option<&str>,
    unknown: &HashMap<u64, usize>,
) -> Error {
    let mut unknown: Vec<(f64, usize)> =
        unknown.iter().map(|(&bits, &cells)| (f64::from_bits(bits), cells)).collect();
    unknown.sort_by(|a, b| a.0.total_cmp(&b.0));
    let class =
        |(class, cells): &(f64, usize)| format!("{class} ({})", counted(*cells, "cell", "cells"));
    let listed = and_more(unknown.iter().map(class), LISTED);
    let (raster, table) = (raster.display(), table.display());
    let add = match columns {
        Some(columns) => format!("write a table of your own {columns} with them"),
        None => format!("add them to '{table}'"),
    };
    Error::input(format!("{role}: '{raster}' has classes that the table '{table}' lacks: {listed}"))
        .hint(format!(
            "{add}; if one of them marks missing cells, declare it: gdal_edit.py -a_nodata {} '{raster}'",
            unknown[0].0
        ))
}

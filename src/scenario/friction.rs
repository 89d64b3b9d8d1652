//! Roughness of a scenario: one value, a raster, or values by land cover class.

use super::amounts::FullCoverageRaster;
use super::land_cover::{ClassShare, LandCover};
use super::options::{Options, TableName, ValueOrFile};
use crate::engine::roughness::{DEFAULT_ROUGHNESS, RANGE, Roughness, examples};
use crate::error::{Error, Result};
use crate::input::dem::topography::Topography;
use crate::input::file::InputFile;
use crate::input::notice::Reading;
use crate::measures::quantity::ROUGHNESS;
use std::collections::BTreeMap;
use std::path::Path;

/// Roughness of the run.
#[derive(Debug, Default)]
pub struct Friction {
    pub roughness: Roughness,
    pub land_cover: Vec<ClassShare>,
}

impl Friction {
    /// Reads the roughness.
    pub fn read(
        options: &Options,
        land_cover: Option<&LandCover>,
        ground: Topography,
        has_friction: bool,
    ) -> Result<Reading<Friction>> {
        let mut cells = Vec::new();
        let mut friction =
            Friction::by_rows(options, land_cover, ground, has_friction, &mut |row| {
                cells.reserve_exact(ground.grid.cells() - cells.len());
                cells.extend_from_slice(row);
                Ok(())
            })?;
        if !cells.is_empty() {
            friction.roughness = Roughness::Cells(cells);
        }
        Ok(friction)
    }

    /// Returns the files of a roughness that differs from cell to cell, with the text of the
    /// options; `None` if it is one number.
    pub fn files(
        options: &Options,
        land_cover: Option<&LandCover>,
    ) -> Result<Option<(String, Vec<InputFile>)>> {
        let raster = options.roughness.as_ref().and_then(ValueOrFile::file);
        let files = match (land_cover, raster) {
            (Some(land_cover), _) => land_cover.inputs()?,
            (None, Some(path)) => vec![InputFile::new("roughness", path)?],
            (None, None) => return Ok(None),
        };
        // With land cover, the option is a number. A bundled table is not a file.
        let table = options.land_cover_table.as_ref().filter(|_| files.len() == 1);
        let table = table.map(|TableName(path)| path);
        let said = options.roughness.as_ref().filter(|_| land_cover.is_some());
        let said = said.map(ValueOrFile::to_string).unwrap_or_default();
        Ok(Some((format!("{said} {table:?}"), files)))
    }

    /// Like [`Friction::read`], but passes a roughness that differs from cell to cell on row by row
    /// (s/m^⅓) instead of keeping it.
    pub fn by_rows(
        options: &Options,
        land_cover: Option<&LandCover>,
        ground: Topography,
        has_friction: bool,
        each: &mut dyn FnMut(&[f32]) -> Result<()>,
    ) -> Result<Reading<Friction>> {
        let mut friction = Reading::<Friction>::default();
        match &options.roughness {
            None if has_friction && land_cover.is_none() => friction.notices.assume(format!(
                "roughness: none is given; Manning's n of {DEFAULT_ROUGHNESS} s/m^(1/3) is used everywhere (give one with --roughness)"
            )),
            None => {}
            Some(said) => {
                if !has_friction {
                    friction.notices.warn(
                        "roughness: of no effect, because the solver has no friction",
                    );
                }
                match said {
                    ValueOrFile::File(path) if land_cover.is_some() => {
                        return Err(Error::input(format!(
                            "roughness: '{}' is a raster, and land_cover gives every cell its roughness too",
                            path.display()
                        ))
                        .hint("leave one of them out; with land_cover, roughness may only be a number for cells without a class"));
                    }
                    ValueOrFile::File(path) => friction.raster(path, ground, each)?,
                    ValueOrFile::Value(text) => {
                        friction.roughness = Roughness::Uniform(number(text)? as f32);
                    }
                }
            }
        }
        if let Some(land_cover) = land_cover {
            if !has_friction {
                friction
                    .notices
                    .warn("land_cover: of no effect, because the solver has no friction");
            }
            let otherwise = options.roughness.is_some().then(|| friction.roughness.of(0));
            friction.classes(land_cover, otherwise, ground, each)?;
        }
        Ok(friction)
    }

    /// Sets Manning's n of the cells in rivers; `cells` is the number of cells of the grid.
    pub fn lay_rivers(&mut self, rivers: &BTreeMap<usize, f32>, cells: usize) {
        if rivers.is_empty() {
            return;
        }
        if let Roughness::Uniform(n) = self.roughness {
            self.roughness = Roughness::Cells(vec![n; cells]);
        }
        if let Roughness::Cells(of) = &mut self.roughness {
            rivers.iter().for_each(|(&cell, &n)| of[cell] = n);
        }
    }
}

impl Reading<Friction> {
    /// Maps land cover onto the grid; cells without a class get the roughness `otherwise` (s/m^⅓).
    fn classes(
        &mut self,
        land_cover: &LandCover,
        otherwise: Option<f32>,
        ground: Topography,
        each: &mut dyn FnMut(&[f32]) -> Result<()>,
    ) -> Result<()> {
        let report = land_cover.lay(otherwise, ground, each)?;
        self.notices.inputs.extend(land_cover.inputs()?);
        self.notices.warn_all(report.warnings);
        let shown = land_cover.raster.display();
        if report.warped {
            self.notices.note(format!(
                "land_cover: '{shown}' is on another grid; each cell takes the nearest class"
            ));
        }
        if let Some(ClassShare { class: None, n, cells, share, .. }) = report.shares.last() {
            self.notices.note(format!(
                "land_cover: '{shown}' has no class for {cells} of the domain's cells ({:.2} %); they take the roughness {n}",
                100.0 * share
            ));
        }
        self.land_cover = report.shares;
        Ok(())
    }

    fn raster(
        &mut self,
        path: &Path,
        ground: Topography,
        each: &mut dyn FnMut(&[f32]) -> Result<()>,
    ) -> Result<()> {
        let (role, what, fits) = ("roughness", "a Manning's n", &|n| RANGE.contains(&n));
        let quantity = &ROUGHNESS;
        let raster = FullCoverageRaster { role, path, what, quantity, fits, hint: examples() };
        raster.each_row(DEFAULT_ROUGHNESS as f32, ground, &mut self.notices, each)
    }
}

fn number(text: &str) -> Result<f64> {
    let number = text.trim().parse::<f64>().ok().filter(|n| RANGE.contains(n));
    number.ok_or_else(|| {
        Error::input(format!("roughness: '{text}' is neither a Manning's n nor a raster"))
            .hint(examples())
    })
}

//! Reads grids of states from rasters and patterns.

use crate::automata::grid::Grid;
use crate::automata::pattern::{centred, mcl, rle};
use crate::automata::registry::Model;
use crate::error::{Error, Result};
use crate::input::raster::RasterFile;
use crate::input::text;
use std::path::Path;

/// Georeference of a grid, if it has one.
#[derive(Clone, Debug, Default)]
pub struct Georeference {
    /// GDAL geotransform of the grid.
    pub transform: Option<[f64; 6]>,
    /// CRS of the grid as WKT.
    pub crs: Option<String>,
}

/// Reads a raster or, by the extension of its name, a pattern, which may be placed in the middle of
/// a larger grid of `size` cells.
///
/// # Errors
/// If the file cannot be read, or contains values that are not states of the automaton.
pub fn read(path: &Path, model: Model, size: Option<[usize; 3]>) -> Result<(Grid, Georeference)> {
    let ends =
        |with: &str| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(with));
    if ends("rle") || ends("mcl") {
        return Ok((pattern(path, ends("mcl"), model, size)?, Georeference::default()));
    }
    if size.is_some() {
        return Err(Error::input("size: the size of a raster is given by the file")
            .hint("leave --size out; it applies to --random and to patterns"));
    }
    let mut file = RasterFile::open_bands(path, "in")?;
    let layers = layers(&file, model)?;
    let mut grid = Grid::new(file.columns, file.rows, 0);
    grid.layers = layers;
    grid.states.reserve_exact(file.columns * file.rows * layers);
    for layer in 0..layers {
        file.choose(layer + 1)?;
        file.for_each_row(|row, values| {
            for (column, &value) in values.iter().enumerate() {
                grid.states.push(state(value, model, path, (column, row))?);
            }
            Ok(())
        })?;
    }
    let place = Georeference { transform: file.transform(), crs: file.crs() };
    Ok((grid, place))
}

/// Returns the number of layers of a raster; fails for several bands if the automaton is planar.
fn layers(file: &RasterFile, model: Model) -> Result<usize> {
    let bands = file.bands();
    if bands > 1 && !model.automaton.deep {
        let (name, shown) = (model.automaton.name, file.path.display());
        return Err(Error::input(format!(
            "in: '{shown}' has {bands} bands, but {name} reads a single band of states"
        ))
        .hint(format!("extract one: gdal_translate -b 1 '{shown}' states.tif")));
    }
    Ok(bands)
}

/// Converts a raster value to a state.
fn state(value: f64, model: Model, path: &Path, (column, row): (usize, usize)) -> Result<u8> {
    let most = model.states - 1;
    if value.fract() == 0.0 && (0.0..=most as f64).contains(&value) {
        return Ok(value as u8);
    }
    let what = if value.is_nan() { "no value".into() } else { format!("{value}") };
    let names: Vec<String> = (0..model.states)
        .take(8)
        .map(|state| format!("{state} {}", model.state_name(state)))
        .collect();
    let (name, shown) = (model.automaton.name, path.display());
    let are =
        if model.automaton.names.is_empty() { format!("0 to {most}") } else { names.join(", ") };
    Err(Error::input(format!(
        "in: '{shown}' has {what} in column {column}, row {row}, which is not a state of {name}"
    ))
    .hint(format!("its states are {are}")))
}

fn pattern(path: &Path, is_mcl: bool, model: Model, size: Option<[usize; 3]>) -> Result<Grid> {
    let shown = path.display().to_string();
    if model.automaton.deep {
        return Err(Error::input(format!(
            "in: '{shown}' is a two-dimensional pattern, but {} has layers",
            model.automaton.name
        ))
        .hint("give a raster with a band for each layer"));
    }
    let text = text::text(path, text::TABLE).map_err(|error| {
        Error::input(format!("in: cannot read '{shown}'"))
            .because(error)
            .hint("check the path and the name")
    })?;
    let pattern = if is_mcl { mcl::read(&text, &shown) } else { rle::read(&text, &shown) }?;
    let Some([columns, rows, _]) = size else { return Ok(pattern) };
    centred(&pattern, columns, rows).ok_or_else(|| {
        let (has, of) = (pattern.columns, pattern.rows);
        Error::input(format!(
            "size: {columns} x {rows} cells are fewer than the {has} x {of} of '{shown}'"
        ))
        .hint("give a larger --size")
    })
}

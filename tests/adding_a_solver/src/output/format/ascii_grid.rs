//! ESRI ASCII grids: a header of a few lines, and the values as text.

use super::{Format, MapWriter, NODATA, Sheet, name_of};
use crate::error::{Error, Result};
use crate::output::statistics::Statistics;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Error as IoError, Write};

/// The format.
pub const FORMAT: Format = Format { name: "ESRI ASCII grid", endings: &["asc"], open };

/// Grid being written.
struct AsciiGrid<'a> {
    sheet: Sheet<'a>,
    file: BufWriter<File>,
}

fn open<'a>(sheet: Sheet<'a>) -> Result<Box<dyn MapWriter<'a> + 'a>> {
    let grid = sheet.grid;
    let [west, south, ..] = grid.extent();
    let [_, dx, .., dy] = grid.transform;
    let head = |file: &mut BufWriter<File>| {
        writeln!(file, "ncols {}\nnrows {}", grid.columns, grid.rows)?;
        writeln!(file, "xllcorner {west}\nyllcorner {south}\ndx {dx}\ndy {}", -dy)?;
        writeln!(file, "NODATA_value {NODATA}")
    };
    let begun = File::create(sheet.path).map(BufWriter::new).and_then(|mut file| {
        head(&mut file)?;
        Ok(file)
    });
    let file = begun.map_err(|error| failed(&sheet, error))?;
    Ok(Box::new(AsciiGrid { sheet, file }))
}

fn failed(sheet: &Sheet, error: IoError) -> Error {
    Error::run(format!("cannot write {}", name_of(sheet.path))).because(error)
}

impl<'a> MapWriter<'a> for AsciiGrid<'a> {
    fn rows(&mut self, values: Cow<'a, [f32]>) -> Result<()> {
        for row in values.chunks(self.sheet.grid.columns) {
            let texts: Vec<String> = row.iter().map(f32::to_string).collect();
            writeln!(self.file, "{}", texts.join(" "))
                .map_err(|error| failed(&self.sheet, error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: Option<Statistics>) -> Result<()> {
        self.file.flush().map_err(|error| failed(&self.sheet, error))
    }
}

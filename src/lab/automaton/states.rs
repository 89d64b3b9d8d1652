//! Writes states as a GeoTIFF of bytes with a table of colours and names, and as a PNG.

use super::read::Georeference;
use crate::automata::registry::Model;
use crate::error::{Error, Result};
use crate::input::gdal_access::gdal_log;
use gdal::cpl::CslStringList;
use gdal::raster::{
    Buffer, ColorEntry, ColorTable, PaletteInterpretation, RasterCreationOptions, RgbaEntry,
};
use gdal::{Dataset, DriverManager, Metadata};
use std::path::Path;

/// Name and colour of each value of a raster.
pub type Legend = Vec<(String, (u8, u8, u8))>;

/// Returns the legend of an automaton's states.
pub fn legend(model: Model) -> Legend {
    (0..model.states).map(|state| (model.state_name(state), model.colour(state))).collect()
}

/// A raster of bytes, with one band per layer.
pub struct Bytes<'a> {
    /// Columns and rows of the raster.
    pub size: (usize, usize),
    /// Values, layer by layer.
    pub numbers: &'a [u8],
    /// Names and colours of the values.
    pub legend: &'a Legend,
}

impl Bytes<'_> {
    /// Writes a GeoTIFF.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn geotiff(&self, path: &Path, place: &Georeference) -> Result<()> {
        let options = [
            "COMPRESS=DEFLATE",
            "TILED=YES",
            "BIGTIFF=IF_SAFER",
            "NUM_THREADS=ALL_CPUS",
            "INTERLEAVE=BAND",
        ];
        self.write(path, "GTiff", &options, place)
    }

    /// Writes a PNG of the first layer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn png(&self, path: &Path) -> Result<()> {
        self.write(path, "PNG", &["ZLEVEL=6"], &Georeference::default())?;
        // Remove the sidecar file for metadata that do not fit into a PNG.
        let _ = std::fs::remove_file(format!("{}.aux.xml", path.display()));
        Ok(())
    }

    fn write(
        &self,
        path: &Path,
        driver: &str,
        options: &[&str],
        place: &Georeference,
    ) -> Result<()> {
        gdal_log::install();
        gdal_log::take();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let failed = |said: String| {
            Error::run(format!("cannot write {name}: {}", gdal_log::why(said)))
                .hint("is the disk full? nothing incomplete was left behind")
        };
        let written = self.image(place).and_then(|image| {
            let driver = DriverManager::get_driver_by_name(driver)?;
            image
                .create_copy(
                    &driver,
                    path,
                    &RasterCreationOptions::from_iter(options.iter().copied()),
                )?
                .close()
        });
        written.map_err(|error| failed(error.to_string()))?;
        match gdal_log::take() {
            Some(said) => Err(failed(said)),
            None => Ok(()),
        }
    }

    fn image(&self, place: &Georeference) -> gdal::errors::Result<Dataset> {
        let (columns, rows) = self.size;
        let memory = DriverManager::get_driver_by_name("MEM")?;
        let layers = self.numbers.len() / (columns * rows);
        let mut image = memory.create_with_band_type::<u8, _>("", columns, rows, layers)?;
        if let Some(transform) = &place.transform {
            image.set_geo_transform(transform)?;
        }
        if let Some(crs) = &place.crs {
            image.set_projection(crs)?;
        }
        let mut table = ColorTable::new(PaletteInterpretation::Rgba);
        let mut names = CslStringList::new();
        for (number, (name, (red, green, blue))) in self.legend.iter().enumerate() {
            let [r, g, b, a] = [*red, *green, *blue, 255].map(i16::from);
            table.set_color_entry(number as u16, &ColorEntry::Rgba(RgbaEntry { r, g, b, a }));
            names.add_string(name)?;
        }
        for (layer, numbers) in self.numbers.chunks(columns * rows).enumerate() {
            let mut band = image.rasterband(layer + 1)?;
            band.write((0, 0), self.size, &mut Buffer::new(self.size, numbers.to_vec()))?;
            // A GeoTIFF with several bands cannot have a colour table.
            if layers == 1 {
                band.set_color_table(&table);
            }
            if layers > 1 {
                band.set_description(&format!("layer {layer}"))?;
            }
            // SAFETY: the band is open, and GDAL copies the list of names.
            unsafe { gdal_sys::GDALSetRasterCategoryNames(band.c_rasterband(), names.as_ptr()) };
        }
        Ok(image)
    }
}

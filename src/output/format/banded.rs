//! Collects a map that arrives in bands in an intermediate file: cloud-optimized GeoTIFFs begin
//! with their overviews, which need the whole map.

use crate::engine::grid::Grid;
use crate::output::colour::NODATA;
use gdal::cpl::CslStringList;
use gdal::raster::Buffer;
use gdal::{Dataset, DriverManager};
use std::path::Path;
use tempfile::NamedTempFile;

/// The rows of a map received so far.
pub struct Banded {
    image: Dataset,
    file: NamedTempFile,
    /// Side of a tile (cells).
    block: usize,
    /// Number of rows written.
    written: usize,
    /// Rows collected until they fill whole tiles, so that each tile is compressed only once.
    waiting: Vec<f32>,
}

impl Banded {
    /// Starts a map that will be written to `path`, in a temporary file beside it, with tiles of
    /// `block` × `block` cells.
    ///
    /// # Errors
    /// A message why the file cannot be created.
    pub fn begin(path: &Path, grid: &Grid, block: usize) -> Result<Banded, String> {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let file = tempfile::Builder::new()
            .prefix(".inundate-bands-")
            .suffix(".tif")
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(|error| error.to_string())?;
        let begin = || {
            let threads = rayon::current_num_threads().to_string();
            let block = block.to_string();
            let mut options = CslStringList::new();
            for (key, value) in [
                ("TILED", "YES"),
                ("BLOCKXSIZE", &block),
                ("BLOCKYSIZE", &block),
                ("BIGTIFF", "IF_SAFER"),
                ("SPARSE_OK", "TRUE"),
                // Most of a flood map is a single value.
                ("COMPRESS", "DEFLATE"),
                ("ZLEVEL", "1"),
                ("NUM_THREADS", &threads),
            ] {
                options.set_name_value(key, value)?;
            }
            let driver = DriverManager::get_driver_by_name("GTiff")?;
            let (columns, rows) = (grid.columns, grid.rows);
            let image = driver.create_with_band_type_with_options::<f32, _>(
                file.path(),
                columns,
                rows,
                1,
                &options,
            )?;
            image.rasterband(1)?.set_no_data_value(Some(f64::from(NODATA)))?;
            Ok(image)
        };
        let image = begin().map_err(|error: gdal::errors::GdalError| error.to_string())?;
        Ok(Banded { image, file, block, written: 0, waiting: Vec::new() })
    }

    /// Adds the next rows.
    pub fn rows(&mut self, values: &[f32]) -> gdal::errors::Result<()> {
        let stripe = self.block * self.image.raster_size().0;
        let mut values = values;
        while self.waiting.len() + values.len() >= stripe {
            let (now, later) = values.split_at(stripe - self.waiting.len());
            self.waiting.extend_from_slice(now);
            self.write()?;
            values = later;
        }
        self.waiting.extend_from_slice(values);
        Ok(())
    }

    /// Writes the collected rows.
    fn write(&mut self) -> gdal::errors::Result<()> {
        let columns = self.image.raster_size().0;
        let rows = self.waiting.len() / columns;
        if rows == 0 {
            return Ok(());
        }
        let mut buffer = Buffer::new((columns, rows), std::mem::take(&mut self.waiting));
        let mut band = self.image.rasterband(1)?;
        band.write((0, self.written as isize), (columns, rows), &mut buffer)?;
        self.waiting = buffer.into_shape_and_vec().1;
        self.waiting.clear();
        self.written += rows;
        Ok(())
    }

    /// Returns the complete map, and its temporary file.
    pub fn finish(mut self) -> gdal::errors::Result<(Dataset, NamedTempFile)> {
        self.write()?;
        assert_eq!(self.written, self.image.raster_size().1, "all rows of the grid");
        Ok((self.image, self.file))
    }
}

//! A map that comes in bands, in a file on the way: cloud-optimized GeoTIFFs begin with their overviews, which are made of all of it.

use crate::engine::grid::Grid;
use crate::output::colour::NODATA;
use gdal::cpl::CslStringList;
use gdal::raster::Buffer;
use gdal::{Dataset, DriverManager};
use std::path::Path;
use tempfile::NamedTempFile;

/// Rows of a map so far.
pub struct Banded {
    image: Dataset,
    file: NamedTempFile,
    /// Side of its tiles (cells).
    block: usize,
    /// Rows that are written.
    written: usize,
    /// Those that have come, until there are enough for tiles: each is packed once.
    waiting: Vec<f32>,
}

impl Banded {
    /// Begins a map that is to be at `path`, in a file beside it that is gone in the end, with tiles of `block` × `block` cells.
    ///
    /// # Errors
    /// Why there can be none.
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
                // Most of a map of a flood is one number.
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

    /// Takes the next rows.
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

    /// Writes those that wait.
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

    /// All of it, and the file that it is in.
    pub fn finish(mut self) -> gdal::errors::Result<(Dataset, NamedTempFile)> {
        self.write()?;
        assert_eq!(self.written, self.image.raster_size().1, "all rows of the grid");
        Ok((self.image, self.file))
    }
}

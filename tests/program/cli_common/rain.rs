//! Series of rain rasters.

use super::{CORNER, Raster, Workshop};
use gdal::raster::{Buffer, RasterCreationOptions};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager, Metadata};

/// Rasters with a description each, to be written as bands.
pub struct Bands {
    pub bands: Vec<(Raster, String)>,
    /// CF units of the time, and a value per band, for NetCDF.
    pub times: Option<(String, Vec<f64>)>,
}

/// Three frames ten minutes apart on four pixels of 60 × 40 m around [`Workshop::new`]'s terrain.
pub struct Series {
    /// Rates of the pixels [mm/h], by frame.
    pub rates: [[f64; 4]; 3],
}

pub const SERIES: Series =
    Series { rates: [[10.0, 20.0, 0.0, 5.0], [60.0, 0.0, 40.0, 0.5], [0.0, 7.0, 3.0, 90.0]] };

/// Returns the frames of [`SERIES`].
pub fn frames() -> Vec<Raster> {
    let transform = [CORNER.0, 60.0, 0.0, CORNER.1, 0.0, -40.0];
    let frame = |rates: &[f64; 4]| {
        Raster::new(2, 2, |column, row| rates[row * 2 + column]).transform(transform)
    };
    SERIES.rates.iter().map(frame).collect()
}

impl Series {
    /// Returns the mean depth [mm] up to a time [min], at most half an hour.
    pub fn mean_mm(&self, until: f64) -> f64 {
        let frame = |(at, rates): (usize, &[f64; 4])| {
            let minutes = (until - 10.0 * at as f64).clamp(0.0, 10.0);
            rates.iter().sum::<f64>() / 4.0 * minutes / 60.0
        };
        self.rates.iter().enumerate().map(frame).sum()
    }

    /// Returns the frames as bands with dates; without dates if `date` is empty.
    pub fn bands(&self, date: &str) -> Bands {
        let name = |at: usize| {
            if date.is_empty() { String::new() } else { format!("{date}12:{:02}", at * 10) }
        };
        let bands = frames().into_iter().enumerate();
        Bands::new(bands.map(|(at, raster)| (raster, name(at))).collect())
    }

    /// Returns the frames with times 0, 10 and 20 in CF units.
    pub fn netcdf(&self, units: &str) -> Bands {
        Bands { times: Some((units.into(), vec![0.0, 10.0, 20.0])), ..self.bands("") }
    }
}

impl Bands {
    pub fn new(bands: Vec<(Raster, String)>) -> Bands {
        Bands { bands, times: None }
    }

    /// Writes a GeoTIFF.
    pub fn write(&self, workshop: &Workshop, name: &str) {
        let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
        let options = RasterCreationOptions::from_iter(["TILED=NO"]);
        let (first, path) = (&self.bands[0].0, workshop.path(name));
        let file = driver
            .create_with_band_type_with_options::<f32, _>(
                path,
                first.columns,
                first.rows,
                self.bands.len(),
                &options,
            )
            .unwrap();
        self.fill(file).close().unwrap();
    }

    /// Writes NetCDF with GDAL's driver; several names make several variables.
    pub fn write_netcdf(&self, workshop: &Workshop, name: &str, variables: &[&str]) {
        let first = &self.bands[0].0;
        let memory = DriverManager::get_driver_by_name("MEM").unwrap();
        let netcdf = DriverManager::get_driver_by_name("netCDF").unwrap();
        let file = memory
            .create_with_band_type::<f32, _>("", first.columns, first.rows, self.bands.len())
            .unwrap();
        let mut file = self.fill(file);
        if let Some((units, values)) = &self.times {
            let values: Vec<String> = values.iter().map(f64::to_string).collect();
            for (key, value) in [
                ("NETCDF_DIM_EXTRA", "{time}".to_string()),
                ("NETCDF_DIM_time_DEF", format!("{{{},6}}", values.len())),
                ("NETCDF_DIM_time_VALUES", format!("{{{}}}", values.join(","))),
                ("time#units", units.clone()),
                ("time#standard_name", "time".into()),
            ] {
                file.set_metadata_item(key, &value, "").unwrap();
            }
        }
        for band in 1..=self.bands.len() {
            let mut band = file.rasterband(band).unwrap();
            band.set_metadata_item("NETCDF_VARNAME", variables[0], "").unwrap();
        }
        let options = RasterCreationOptions::from_iter(["FORMAT=NC"]);
        file.create_copy(&netcdf, workshop.path(name), &options).unwrap().close().unwrap();
    }

    fn fill(&self, mut file: Dataset) -> Dataset {
        let first = &self.bands[0].0;
        file.set_geo_transform(&first.transform).unwrap();
        if let Some(epsg) = first.epsg {
            file.set_spatial_ref(&SpatialRef::from_epsg(epsg).unwrap()).unwrap();
        }
        for (at, (raster, said)) in self.bands.iter().enumerate() {
            let mut band = file.rasterband(at + 1).unwrap();
            band.set_no_data_value(raster.nodata).unwrap();
            if !said.is_empty() {
                band.set_description(said).unwrap();
            }
            let size = (raster.columns, raster.rows);
            let values = raster.values.iter().map(|value| *value as f32).collect();
            band.write((0, 0), size, &mut Buffer::new(size, values)).unwrap();
        }
        file
    }
}

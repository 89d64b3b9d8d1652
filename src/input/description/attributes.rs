//! Attributes of a raster's band as GDAL hands them on from NetCDF, also through `gdal_translate`.

use gdal::raster::RasterBand;
use gdal::{Dataset, Metadata};

/// Prefix of the metadata items of a band that hold its place along the dimensions of its variable.
const DIMENSION: &str = "NETCDF_DIM_";

/// The attributes of a band, of its variable and of its dimensions.
pub struct Attributes<'a> {
    dataset: &'a Dataset,
    band: RasterBand<'a>,
    variable: Option<String>,
}

impl<'a> Attributes<'a> {
    /// Attributes of band `number` (from 1); `None` if there is no such band.
    pub fn of(dataset: &'a Dataset, number: usize) -> Option<Attributes<'a>> {
        let band = dataset.rasterband(number).ok()?;
        let variable = band.metadata_item("NETCDF_VARNAME", "");
        Some(Attributes { dataset, band, variable })
    }

    /// Name of the variable that the band belongs to.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// A metadata item of the band itself.
    pub fn item(&self, name: &str) -> Option<String> {
        self.band.metadata_item(name, "")
    }

    /// The band's description.
    pub fn description(&self) -> Option<String> {
        self.band.description().ok().filter(|text| !text.is_empty())
    }

    /// An attribute of the variable.
    pub fn of_variable(&self, name: &str) -> Option<String> {
        let declared = || self.of_dimension(self.variable()?, name);
        let of_dataset = || self.dataset.metadata_item(name, "");
        self.item(name).or_else(declared).or_else(of_dataset)
    }

    /// An attribute of the variable of a dimension.
    pub fn of_dimension(&self, dimension: &str, name: &str) -> Option<String> {
        self.dataset.metadata_item(&format!("{dimension}#{name}"), "")
    }

    /// An attribute of the whole file.
    pub fn of_file(&self, name: &str) -> Option<String> {
        self.of_dimension("NC_GLOBAL", name)
    }

    /// The dimensions along which the bands lie, with the coordinate of this band.
    pub fn dimensions(&self) -> Vec<(String, String)> {
        let items = self.band.metadata_domain("").unwrap_or_default();
        let dimension = |item: &String| {
            let (name, value) = item.strip_prefix(DIMENSION)?.split_once('=')?;
            Some((name.to_string(), value.to_string()))
        };
        items.iter().filter_map(dimension).collect()
    }
}

//! Attributes of a raster's band as GDAL passes them on from NetCDF, also through `gdal_translate`.

use gdal::raster::RasterBand;
use gdal::{Dataset, Metadata};

/// Prefix of a band's metadata items that hold its coordinates along the dimensions of its
/// variable.
pub const DIMENSION: &str = "NETCDF_DIM_";

/// Attributes of a band, of its variable and of its dimensions.
pub struct Attributes<'a> {
    dataset: &'a Dataset,
    band: RasterBand<'a>,
    variable: Option<String>,
}

impl<'a> Attributes<'a> {
    /// Returns the attributes of band `number` (from 1); `None` if there is no such band.
    pub fn of(dataset: &'a Dataset, number: usize) -> Option<Attributes<'a>> {
        let band = dataset.rasterband(number).ok()?;
        let variable = band.metadata_item("NETCDF_VARNAME", "");
        Some(Attributes { dataset, band, variable })
    }

    /// Returns the name of the band's variable.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// Returns the path of the band's variable in its file, such as `/Grid/precipitation`; only its
    /// name if nothing declares a group.
    pub fn path(&self) -> Option<String> {
        let variable = self.variable()?;
        let address = self.dataset.description().unwrap_or_default();
        let in_address = address.rsplit_once("\":").map(|(_, path)| path.to_string());
        let items = self.dataset.metadata_domain("").unwrap_or_default();
        let in_items = items.iter().filter_map(|item| Some(item.split_once('#')?.0.to_string()));
        let is_path = |text: &String| {
            text.strip_suffix(variable)
                .is_some_and(|group| group.starts_with('/') && group.ends_with('/'))
        };
        let path = in_address.into_iter().chain(in_items).find(is_path);
        Some(path.unwrap_or_else(|| variable.into()))
    }

    /// Returns a metadata item of the band itself.
    pub fn item(&self, name: &str) -> Option<String> {
        self.band.metadata_item(name, "")
    }

    /// Returns the band's description.
    pub fn description(&self) -> Option<String> {
        self.band.description().ok().filter(|text| !text.is_empty())
    }

    /// Returns an attribute of the variable.
    pub fn of_variable(&self, name: &str) -> Option<String> {
        let declared = || self.of_dimension(self.variable()?, name);
        let of_dataset = || self.dataset.metadata_item(name, "");
        self.item(name).or_else(declared).or_else(of_dataset)
    }

    /// Returns an attribute of a dimension's coordinate variable, which may be in a group
    /// (`/Grid/time#units`).
    pub fn of_dimension(&self, dimension: &str, name: &str) -> Option<String> {
        let key = format!("{dimension}#{name}");
        let in_group = || {
            let items = self.dataset.metadata_domain("")?;
            let value = |item: &String| {
                let (place, value) = item.split_once('=')?;
                let group = place.strip_suffix(&key[..])?;
                (group.starts_with('/') && group.ends_with('/')).then(|| value.to_string())
            };
            items.iter().find_map(value)
        };
        self.dataset.metadata_item(&key, "").or_else(in_group)
    }

    /// Returns a global attribute of the file.
    pub fn of_file(&self, name: &str) -> Option<String> {
        self.of_dimension("NC_GLOBAL", name)
    }

    /// Lists the dimensions of the bands, with the coordinate of this band.
    pub fn dimensions(&self) -> Vec<(String, String)> {
        let items = self.band.metadata_domain("").unwrap_or_default();
        let dimension = |item: &String| {
            let (name, value) = item.strip_prefix(DIMENSION)?.split_once('=')?;
            Some((name.to_string(), value.to_string()))
        };
        items.iter().filter_map(dimension).collect()
    }
}

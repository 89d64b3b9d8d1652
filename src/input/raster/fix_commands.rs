//! Commands for messages that add missing declarations to a raster.

use super::RasterFile;
use std::path::Path;

/// Formats in which `gdal_edit.py` writes to the file itself. For others it writes nothing, or a
/// separate file.
const IN_PLACE: [&str; 6] = ["GTiff", "HFA", "ENVI", "KEA", "VRT", "GPKG"];

impl RasterFile {
    /// Returns the command that adds a declaration (`-a_srs EPSG:25832`) to the raster: in the file
    /// if its format allows this, else in a copy.
    pub fn declare(&self, what: &str) -> String {
        declare_of(&self.dataset.driver().short_name(), &self.path, what)
    }

    /// Returns the command that declares a value as NoData: in the file or, since a file declares one
    /// value only, in a copy in which these cells hold the value that the file declares already.
    pub fn declare_nodata(&self, value: f64, shown: &str) -> String {
        let known = self.dataset.rasterband(self.band).ok().and_then(|band| band.no_data_value());
        let Some(known) = known else {
            let value = if value.is_finite() { shown } else { "nan" };
            return self.declare(&format!("-a_nodata {value}"));
        };
        let is_it = match value.is_nan() {
            true => "isnan(A)".to_string(),
            false => format!("A=={shown}"),
        };
        let known = self.shortest(known).to_string().to_lowercase();
        let path = self.path.display();
        format!(
            "gdal_calc.py -A '{path}' --outfile=fixed.tif --calc='where({is_it}, {known}, A)' --NoDataValue={known}"
        )
    }

    /// Returns the command that declares the unit of the values, in a copy if the format cannot
    /// hold one.
    pub fn declare_unit(&self, unit: &str) -> String {
        if IN_PLACE.contains(&self.dataset.driver().short_name().as_str()) {
            return self.declare(&format!("-units '{unit}'"));
        }
        let copy = self.path.with_extension("").display().to_string() + "_declared.tif";
        let shown = self.path.display();
        format!("gdal_translate '{shown}' '{copy}' && gdal_edit.py -units '{unit}' '{copy}'")
    }

    /// Returns the command that warps the raster to another CRS (`EPSG:32633`); `from` is the
    /// assumed CRS if the file declares none.
    pub fn warp(&self, from: Option<&str>, to: &str) -> String {
        let (role, shown) = (&self.role, self.path.display());
        let from = from.map_or(String::new(), |from| format!("-s_srs {from} "));
        format!(
            "gdalwarp {from}-t_srs {to} -r bilinear -ot Float32 -dstnodata -9999 '{shown}' {role}_utm.tif"
        )
    }
}

fn declare_of(driver: &str, path: &Path, what: &str) -> String {
    let shown = path.display();
    if IN_PLACE.contains(&driver) {
        return format!("gdal_edit.py {what} '{shown}'");
    }
    let mut copy = path.with_extension("").into_os_string();
    copy.push("_declared.tif");
    format!("gdal_translate {what} '{shown}' '{}'", Path::new(&copy).display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_text_is_copied_and_a_geotiff_is_edited() {
        let of = |driver, name| declare_of(driver, Path::new(name), "-a_srs EPSG:25832");
        assert_eq!(of("GTiff", "a/dem.tif"), "gdal_edit.py -a_srs EPSG:25832 'a/dem.tif'");
        assert_eq!(
            of("AAIGrid", "a/dem.asc"),
            "gdal_translate -a_srs EPSG:25832 'a/dem.asc' 'a/dem_declared.tif'"
        );
    }
}

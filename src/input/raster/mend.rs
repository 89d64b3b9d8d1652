//! Commands that declare what a raster does not say of itself, for messages.

use super::RasterFile;
use std::path::Path;

/// Formats in which `gdal_edit.py` writes to the file itself. To others it writes nothing, or beside them.
const IN_PLACE: [&str; 6] = ["GTiff", "HFA", "ENVI", "KEA", "VRT", "GPKG"];

impl RasterFile {
    /// The command that declares something (`-a_srs EPSG:25832`) of it: in the file where its format takes that,
    /// else in a copy of it.
    pub fn declare(&self, what: &str) -> String {
        declare_of(&self.dataset.driver().short_name(), &self.path, what)
    }

    /// The command that declares the unit of its values, in a copy of it where its format cannot hold one.
    pub fn declare_unit(&self, unit: &str) -> String {
        let driver = self.dataset.driver().short_name();
        if IN_PLACE.contains(&driver.as_str()) {
            return declare_of(&driver, &self.path, &format!("-units '{unit}'"));
        }
        let copy = self.path.with_extension("").display().to_string() + "_declared.tif";
        let shown = self.path.display();
        format!("gdal_translate '{shown}' '{copy}' && gdal_edit.py -units '{unit}' '{copy}'")
    }

    /// The command that warps it to another CRS (`EPSG:32633`); `from` is the CRS that it is taken to be in, if it
    /// does not say.
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

//! What lies on other machines: read only if that is allowed, be it named by the user or by a file that the user names.
//!
//! Without that, GDAL has neither its network drivers nor a way out, whatever it is given; and names that ask for them are
//! refused with the reason.

use super::endless::why_not_read;
use super::vrt::{is_beside, sources};
use crate::error::{Error, Result};
use crate::input::gdal_log;
use gdal::DriverManager;
use gdal::config::{clear_config_option, get_config_option, set_config_option};
use std::collections::HashSet;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// GDAL's drivers that read from servers and databases.
const DRIVERS: [&str; 37] = [
    "AmigoCloud",
    "Carto",
    "Cloudant",
    "CouchDB",
    "CSW",
    "DAAS",
    "DODS",
    "EEDA",
    "EEDAI",
    "Elasticsearch",
    "GeoRaster",
    "GFT",
    "GMLAS",
    "HANA",
    "HTTP",
    "MongoDBv3",
    "MSSQLSpatial",
    "MySQL",
    "NGW",
    "OAPIF",
    "OCI",
    "ODBC",
    "OGCAPI",
    "OGR_DODS",
    "OGR_SDE",
    "PGeo",
    "PLMOSAIC",
    "PLSCENES",
    "PostGISRaster",
    "PostgreSQL",
    "RASDAMAN",
    "STACIT",
    "STACTA",
    "WCS",
    "WFS",
    "WMS",
    "WMTS",
];

/// What such names begin with, in lower case.
const BEGINNINGS: [&str; 36] = [
    "pg:",
    "postgresql:",
    "mysql:",
    "mssql:",
    "oci:",
    "georaster:",
    "geor:",
    "mongodb:",
    "mongodbv3:",
    "wms:",
    "wfs:",
    "wfs3:",
    "oapif:",
    "oapif_collection:",
    "wcs:",
    "wmts:",
    "csw:",
    "couchdb:",
    "cloudant:",
    "es:",
    "odbc:",
    "hana:",
    "carto:",
    "cartodb:",
    "amigocloud:",
    "ngw:",
    "plscenes:",
    "plmosaic:",
    "eeda:",
    "eedai:",
    "daas:",
    "stacit:",
    "stacta:",
    "ogcapi:",
    "dods:",
    "gmlas:",
];

/// What such names hold anywhere, in lower case.
const PARTS: [&str; 12] = [
    "/vsicurl",
    "/vsis3",
    "/vsigs",
    "/vsiaz",
    "/vsiadls",
    "/vsioss",
    "/vsiswift",
    "/vsihdfs",
    "/vsiwebhdfs",
    "http://",
    "https://",
    "ftp://",
];

/// Options of GDAL by which nothing of it finds a way out. The last three are for what fetches files behind a format's back.
const NO_WAY_OUT: [(&str, &str); 5] = [
    ("CPL_VSIL_CURL_ALLOWED_FILENAME", "/vsimem/none"),
    ("GDAL_VRT_RAWRASTERBAND_ALLOWED_SOURCE", "SIBLING_OR_CHILD_OF_VRT_PATH"),
    ("GDAL_HTTP_PROXY", "127.0.0.1:9"),
    ("GDAL_HTTPS_PROXY", "127.0.0.1:9"),
    ("GDAL_HTTP_MAX_RETRY", "0"),
];

/// How deep files that name files are followed.
const DEEPEST: usize = 16;

/// What is allowed; none as long as nothing was said.
static ALLOWED: Mutex<Option<bool>> = Mutex::new(None);

/// Says whether other machines may be read from now on.
pub fn allow(yes: bool) {
    let mut allowed = ALLOWED.lock().unwrap_or_else(|e| e.into_inner());
    if *allowed == Some(yes) {
        return;
    }
    match (yes, *allowed) {
        (false, _) => forbid(),
        (true, Some(false)) => permit(),
        _ => {}
    }
    *allowed = Some(yes);
}

/// Forbids it unless something was said. Called before GDAL opens anything.
pub fn guard() {
    let said = ALLOWED.lock().unwrap_or_else(|e| e.into_inner()).is_some();
    if !said {
        allow(false);
    }
}

/// Whether other machines may be read.
pub fn is_allowed() -> bool {
    *ALLOWED.lock().unwrap_or_else(|e| e.into_inner()) == Some(true)
}

fn forbid() {
    // The first use registers all drivers; later ones would bring them back.
    let _ = DriverManager::get_driver_by_name("MEM");
    for name in DRIVERS {
        let name = CString::new(name).expect("a name of ours has no zero");
        // SAFETY: the name ends in a zero, and no dataset of these drivers is open.
        unsafe {
            let driver = gdal_sys::GDALGetDriverByName(name.as_ptr());
            if !driver.is_null() {
                gdal_sys::GDALDeregisterDriver(driver);
            }
        }
    }
    for (key, value) in NO_WAY_OUT {
        let _ = set_config_option(key, value);
    }
}

fn permit() {
    for (key, value) in NO_WAY_OUT {
        if get_config_option(key, "").is_ok_and(|now| now == value) {
            let _ = clear_config_option(key);
        }
    }
    DriverManager::register_all();
}

/// Whether a name asks for another machine, or a database.
pub fn is_remote(name: &str) -> bool {
    let name = name.trim_start().to_ascii_lowercase();
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || PARTS.iter().any(|part| name.contains(part))
        || (name.starts_with('<')
            && ["<gdal_wms", "<wms", "<wcs", "<wfs"].iter().any(|tag| name.contains(tag)))
}

/// Refuses a name of another machine, unless they are allowed; `role` is what it is for.
pub fn check_name(name: &str, role: &str) -> Result<()> {
    if is_allowed() || !is_remote(name) {
        return Ok(());
    }
    Err(Error::input(format!("{role}: '{name}' lies on another machine or in a database"))
        .hint(copy_or_allow()))
}

/// What to do about what lies elsewhere.
fn copy_or_allow() -> String {
    format!("copy it to this machine; or {ALLOW_IT}")
}

/// How to allow it.
const ALLOW_IT: &str =
    "allow it, if you trust where it comes from: --allow-remote (allow_remote = true)";

/// Refuses a file of which GDAL would wait for what may never come; and one of which it would read other machines, or files
/// that are none of its parts, unless that is allowed. `role` is what it is for.
pub fn check(path: &Path, role: &str) -> Result<()> {
    guard();
    check_name(&path.to_string_lossy(), role)?;
    if let Some(why) = why_not_read(path) {
        return Err(Error::input(format!("{role}: cannot open '{}': {why}", path.display()))
            .hint("write what comes out of it into a file, and name that"));
    }
    let allowed = is_allowed();
    let mut waiting = vec![(path.to_path_buf(), 0)];
    let mut known: HashSet<PathBuf> = HashSet::new();
    while let Some((file, depth)) = waiting.pop() {
        for source in sources(&file) {
            let shown = file.display();
            if !allowed && is_remote(&source.name) {
                let what = format!(
                    "{role}: '{shown}' reads '{}', which lies on another machine or in a database",
                    source.name
                );
                return Err(Error::input(what).hint(copy_or_allow()));
            }
            if !allowed && source.name.trim_start().starts_with('<') {
                let what = format!("{role}: '{shown}' holds a source that is no name of a file");
                return Err(
                    Error::input(what).hint(format!("put it in a file of its own; or {ALLOW_IT}"))
                );
            }
            let path = source.path(&file);
            if let Some(why) = why_not_read(&path) {
                let what = format!("{role}: '{shown}' reads '{}': {why}", source.name);
                return Err(Error::input(what)
                    .hint("write what comes out of it into a file, and name that"));
            }
            if !allowed && source.is_raw && !is_beside(&path, &file) {
                return Err(Error::input(format!(
                    "{role}: '{shown}' takes '{}' for raw numbers, and that is no file beside it or below", source.name
                ))
                .hint(format!("put that file beside it; or {ALLOW_IT}")));
            }
            if depth < DEEPEST && known.insert(path.clone()) {
                waiting.push((path, depth + 1));
            }
        }
    }
    gdal_log::take();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_machines_are_known() {
        let remote = [
            "/vsicurl/https://example.org/dem.tif",
            "/vsizip//vsicurl/http://example.org/a.zip/dem.tif",
            "/vsis3/bucket/dem.tif",
            "PG:dbname=flood",
            "MySQL:flood",
            "WMS:http://example.org",
            "https://example.org/dem.tif",
            "<GDAL_WMS><Service/></GDAL_WMS>",
        ];
        assert!(remote.into_iter().all(is_remote));
        let here = [
            "dem.tif",
            "NETCDF:dem.nc:z",
            "/vsizip/a.zip/dem.tif",
            "gpkg:dem.gpkg",
            "pages/dem.tif",
            "50 mm/h",
        ];
        assert!(!here.into_iter().any(is_remote));
    }
}

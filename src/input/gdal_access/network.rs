//! GDAL's network access, blocked unless allowed.

use gdal::DriverManager;
use gdal::config::{clear_config_option, get_config_option, set_config_option};
use std::ffi::CString;
use std::sync::Mutex;

/// GDAL drivers that read from servers and databases.
const DRIVERS: &str = "AmigoCloud Carto Cloudant CouchDB CSW DAAS DODS EEDA EEDAI Elasticsearch GeoRaster GFT \
    GMLAS HANA HTTP MongoDBv3 MSSQLSpatial MySQL NGW OAPIF OCI ODBC OGCAPI OGR_DODS OGR_SDE \
    PGeo PLMOSAIC PLSCENES PostGISRaster PostgreSQL RASDAMAN STACIT STACTA WCS WFS WMS WMTS";

/// GDAL options that block network access. The last three cover libraries that fetch files on
/// behalf of a format.
const NO_WAY_OUT: [(&str, &str); 5] = [
    ("CPL_VSIL_CURL_ALLOWED_FILENAME", "/vsimem/none"),
    ("GDAL_VRT_RAWRASTERBAND_ALLOWED_SOURCE", "SIBLING_OR_CHILD_OF_VRT_PATH"),
    ("GDAL_HTTP_PROXY", "127.0.0.1:9"),
    ("GDAL_HTTPS_PROXY", "127.0.0.1:9"),
    ("GDAL_HTTP_MAX_RETRY", "0"),
];

/// `true` if access is allowed; `None` until set.
static ALLOWED: Mutex<Option<bool>> = Mutex::new(None);

/// Allows or forbids reading from other machines from now on.
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

/// Forbids network access unless it has been set. Called before GDAL opens anything.
pub fn guard() {
    let said = ALLOWED.lock().unwrap_or_else(|e| e.into_inner()).is_some();
    if !said {
        allow(false);
    }
}

/// Returns `true` if other machines may be read.
pub fn is_allowed() -> bool {
    *ALLOWED.lock().unwrap_or_else(|e| e.into_inner()) == Some(true)
}

fn forbid() {
    // The first use registers all drivers; registering later would restore them.
    let _ = DriverManager::get_driver_by_name("MEM");
    for name in DRIVERS.split(' ') {
        let name = CString::new(name).expect("a name of ours has no zero");
        // SAFETY: `name` is NUL-terminated and outlives the calls. The first use above has
        // registered all drivers, and `guard` runs before any dataset is opened, so no dataset uses
        // a driver that is removed.
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

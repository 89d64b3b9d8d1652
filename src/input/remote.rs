//! What lies on other machines: read only if that is allowed, be it named by the user or by a file that the user names.
//!
//! Without that, GDAL has neither its network drivers nor a way out, whatever it is given; and names that ask for them are
//! refused with the reason.

use super::endless::why_not_read;
use super::network;
pub use super::network::{allow, is_allowed};
use super::vrt::{is_beside, sources};
use crate::error::{Error, Result};
use crate::input::gdal_log;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What such names begin with before a colon, in lower case.
const BEGINNINGS: &str = "pg postgresql mysql mssql oci georaster geor mongodb mongodbv3 wms wfs wfs3 oapif \
    oapif_collection wcs wmts csw couchdb cloudant es odbc hana carto cartodb amigocloud ngw \
    plscenes plmosaic eeda eedai daas stacit stacta ogcapi dods gmlas";

/// What such names hold anywhere, in lower case.
const PARTS: &str = "/vsicurl /vsis3 /vsigs /vsiaz /vsiadls /vsioss /vsiswift /vsihdfs /vsiwebhdfs http:// \
    https:// ftp://";

/// How deep files that name files are followed.
const DEEPEST: usize = 16;

/// Whether a name asks for another machine, or a database.
pub fn is_remote(name: &str) -> bool {
    let name = name.trim_start().to_ascii_lowercase();
    let begins = |(before, _)| BEGINNINGS.split(' ').any(|known| known == before);
    name.split_once(':').is_some_and(begins)
        || PARTS.split(' ').any(|part| name.contains(part))
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
    network::guard();
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

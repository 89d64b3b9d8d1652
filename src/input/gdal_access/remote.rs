//! Protection against reading from other machines, whether the user names them or an input file
//! does, unless this is allowed.
//!
//! If it is not allowed, GDAL has neither its network drivers nor network access, whatever path it
//! is given, and paths that need them are rejected with the reason.

use crate::error::{Error, Result};
use crate::input::endless::why_not_read;
use crate::input::gdal_access::gdal_log;
use crate::input::gdal_access::network;
pub use crate::input::gdal_access::network::{allow, is_allowed};
use crate::input::gdal_access::vrt::{is_beside, sources};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Prefixes, before a colon, of names on other machines or in databases, in lower case.
const BEGINNINGS: &str = "pg postgresql mysql mssql oci georaster geor mongodb mongodbv3 wms wfs wfs3 oapif \
    oapif_collection wcs wmts csw couchdb cloudant es odbc hana carto cartodb amigocloud ngw \
    plscenes plmosaic eeda eedai daas stacit stacta ogcapi dods gmlas";

/// Parts of names on other machines, in lower case.
const PARTS: &str = "/vsicurl /vsis3 /vsigs /vsiaz /vsiadls /vsioss /vsiswift /vsihdfs /vsiwebhdfs http:// \
    https:// ftp://";

/// Maximum depth to which files that name files are followed.
const DEEPEST: usize = 16;

/// Returns `true` if a name is on another machine or in a database.
pub fn is_remote(name: &str) -> bool {
    let name = name.trim_start().to_ascii_lowercase();
    let begins = |(before, _)| BEGINNINGS.split(' ').any(|known| known == before);
    name.split_once(':').is_some_and(begins)
        || PARTS.split(' ').any(|part| name.contains(part))
        || (name.starts_with('<')
            && ["<gdal_wms", "<wms", "<wcs", "<wfs"].iter().any(|tag| name.contains(tag)))
}

/// Rejects a name on another machine, unless allowed; `role` is its role, for messages.
pub fn check_name(name: &str, role: &str) -> Result<()> {
    if is_allowed() || !is_remote(name) {
        return Ok(());
    }
    Err(Error::input(format!("{role}: '{name}' is on another machine or in a database"))
        .hint(copy_or_allow()))
}

/// Returns the hint for data on another machine.
fn copy_or_allow() -> String {
    format!("copy it to this machine; or {ALLOW_IT}")
}

/// Hint on how to allow remote data.
const ALLOW_IT: &str = "if you trust its origin, allow it: --allow-remote (allow_remote = true)";

/// Rejects a file for which GDAL might wait forever; and, unless allowed, a file through which GDAL
/// would read from other machines, or raw files outside the file's folder. `role` is its role, for
/// messages.
pub fn check(path: &Path, role: &str) -> Result<()> {
    network::guard();
    check_name(&path.to_string_lossy(), role)?;
    if let Some(why) = why_not_read(path) {
        return Err(Error::input(format!("{role}: cannot open '{}': {why}", path.display()))
            .hint("write its output to a file, and name the file"));
    }
    let allowed = is_allowed();
    let mut waiting = vec![(path.to_path_buf(), 0)];
    let mut known: HashSet<PathBuf> = HashSet::new();
    while let Some((file, depth)) = waiting.pop() {
        for source in sources(&file) {
            let shown = file.display();
            if !allowed && is_remote(&source.name) {
                let what = format!(
                    "{role}: '{shown}' reads '{}', which is on another machine or in a database",
                    source.name
                );
                return Err(Error::input(what).hint(copy_or_allow()));
            }
            if !allowed && source.name.trim_start().starts_with('<') {
                let what = format!("{role}: '{shown}' contains a source that is not a file name");
                return Err(
                    Error::input(what).hint(format!("put it in a separate file; or {ALLOW_IT}"))
                );
            }
            let path = source.path(&file);
            if let Some(why) = why_not_read(&path) {
                let what = format!("{role}: '{shown}' reads '{}': {why}", source.name);
                return Err(
                    Error::input(what).hint("write its output to a file, and name the file")
                );
            }
            if !allowed && source.is_raw && !is_beside(&path, &file) {
                return Err(Error::input(format!(
                    "{role}: '{shown}' reads raw numbers from '{}', which is neither beside it nor below", source.name
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

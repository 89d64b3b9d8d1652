//! Sources of a VRT, which holds nothing but names of other files.

use super::text;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::path::{Path, PathBuf};

/// VRT elements that name sources.
const NAMING: [&str; 4] = ["SourceFilename", "SourceDataset", "SrcDataSource", "IndexDataset"];

/// Source named by a VRT.
#[derive(Debug, Default)]
pub struct Source {
    /// Name as written.
    pub name: String,
    /// `true` if the name is relative to the VRT.
    is_relative: bool,
    /// `true` if its bytes are read as raw numbers, whatever its format.
    pub is_raw: bool,
}

impl Source {
    /// Returns its path, if it is a file.
    pub fn path(&self, vrt: &Path) -> PathBuf {
        // GDAL also accepts a VRT with options as a name.
        let bare = self.name.strip_prefix("vrt://").and_then(|rest| rest.split('?').next());
        let name = Path::new(bare.unwrap_or(&self.name));
        if self.is_relative {
            vrt.parent().unwrap_or(Path::new("")).join(name)
        } else {
            name.into()
        }
    }
}

/// Returns `true` if a file is in the folder of another, or below it.
pub fn is_beside(path: &Path, other: &Path) -> bool {
    // GDAL's virtual files may be any part of any file.
    if path.to_string_lossy().starts_with("/vsi") {
        return false;
    }
    let real = |path: &Path| path.canonicalize().ok();
    // A missing file is not read.
    let Some(path) = real(path) else { return true };
    real(other).and_then(|other| Some(path.starts_with(other.parent()?))).unwrap_or(false)
}

/// Lists the sources of a VRT; empty if a file is not a VRT.
pub fn sources(path: &Path) -> Vec<Source> {
    let Some(text) = vrt(path) else { return Vec::new() };
    let mut reader = Reader::from_str(&text);
    let (mut found, mut source, mut raw) = (Vec::new(), None, false);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let name = tag.local_name();
                if name.as_ref() == "VRTRasterBand" {
                    let class = attribute(&tag, "subClass");
                    raw = class.is_some_and(|class| class == "VRTRawRasterBand");
                }
                if NAMING.contains(&name.as_ref()) {
                    let is_relative =
                        attribute(&tag, "relativeToVRT").is_some_and(|yes| yes == "1");
                    source = Some(Source { name: String::new(), is_relative, is_raw: raw });
                }
            }
            Ok(Event::Text(more)) => add(&mut source, &more),
            Ok(Event::CData(more)) => add(&mut source, &more),
            Ok(Event::GeneralRef(name)) => {
                let code = name.resolve_char_ref().ok().flatten().map(String::from);
                let named =
                    || quick_xml::escape::resolve_predefined_entity(&name).map(String::from);
                add(&mut source, &code.or_else(named).unwrap_or_default());
            }
            Ok(Event::End(tag)) if NAMING.contains(&tag.local_name().as_ref()) => {
                found.extend(source.take())
            }
            // GDAL does not read invalid XML either.
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

/// Returns the text of a file if it is a raster or vector VRT.
fn vrt(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut start = Vec::new();
    if !path.is_file() {
        return None;
    }
    std::fs::File::open(path).ok()?.take(4096).read_to_end(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start);
    let is_one = ["<VRTDataset", "<OGRVRTDataSource", "<GDALTileIndexDataset"]
        .iter()
        .any(|tag| start.contains(tag));
    let bytes = is_one.then(|| text::bytes(path, text::TABLE).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns an attribute of an element, ignoring the case of its name.
fn attribute(tag: &BytesStart, wanted: &str) -> Option<String> {
    let mut all = tag.attributes().flatten();
    let found = all.find(|found| found.key.as_ref().eq_ignore_ascii_case(wanted))?;
    Some(found.value.into_owned())
}

fn add(source: &mut Option<Source>, more: &str) {
    if let Some(source) = source {
        source.name += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_a_vrt_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mosaic");
        let text = "<VRTDataset rasterXSize='1' rasterYSize='1'><VRTRasterBand band='1'><SimpleSource>\
            <SourceFilename relativeToVRT='1'>a &#38; b.tif</SourceFilename></SimpleSource></VRTRasterBand>\
            <VRTRasterBand subClass='VRTRawRasterBand'><SourceFilename relativetoVRT='0'>/etc/x</SourceFilename>\
            </VRTRasterBand></VRTDataset>";
        std::fs::write(&path, text).unwrap();
        let found = sources(&path);
        assert_eq!(found.len(), 2);
        assert!(found[0].name == "a & b.tif" && found[0].is_relative && !found[0].is_raw);
        assert!(found[1].name == "/etc/x" && !found[1].is_relative && found[1].is_raw);
        assert_eq!(found[0].path(&path), folder.path().join("a & b.tif"));
    }
}

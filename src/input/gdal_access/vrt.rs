//! Sources of a VRT, which holds nothing but names of other files.

use crate::input::text;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::path::{Path, PathBuf};

/// VRT elements that name sources.
const NAMING: [&str; 4] = ["SourceFilename", "SourceDataset", "SrcDataSource", "IndexDataset"];
/// VRT elements after the name of a source with which its values change.
const CHANGING: [&str; 5] = ["ScaleOffset", "ScaleRatio", "Exponent", "LUT", "ColorTableComponent"];

/// Source named by a VRT.
#[derive(Debug)]
pub struct Source {
    /// Name as written.
    pub name: String,
    /// `true` if the name is relative to the VRT.
    is_relative: bool,
    /// `true` if its bytes are read as raw numbers, whatever its format.
    pub is_raw: bool,
    /// Band of the VRT of which it is a part, and its own band there, from 1, if the VRT passes on
    /// its values as they are.
    pub bands: Option<(usize, usize)>,
    /// Band of the VRT of which it is a part, from 1.
    into: Option<usize>,
    /// First column and row, and number of columns and rows that it fills; all if undeclared.
    part: Option<[f64; 4]>,
}

impl Source {
    /// Takes the part that it fills from an element.
    fn place(&mut self, tag: &BytesStart) {
        if tag.local_name().as_ref() == "DstRect" {
            let number = |name| attribute(tag, name)?.trim().parse::<f64>().ok();
            let [x, y, columns, rows] = ["xOff", "yOff", "xSize", "ySize"].map(number);
            self.part = x
                .zip(y)
                .zip(columns.zip(rows))
                .map(|((x, y), (columns, rows))| [x, y, columns, rows]);
        }
    }

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
    // Text since the last tag began; the band of the VRT, and what its attributes say.
    let mut content = String::new();
    let (mut into, mut is_raw, mut is_relative) = (None, false, false);
    let mut found: Vec<Source> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                content.clear();
                let name = tag.local_name();
                if name.as_ref() == "VRTRasterBand" {
                    let class = attribute(&tag, "subClass").unwrap_or_default();
                    is_raw = class == "VRTRawRasterBand";
                    let number = attribute(&tag, "band").and_then(|text| text.parse().ok());
                    into = number.filter(|_| class != "VRTDerivedRasterBand");
                } else if CHANGING.contains(&name.as_ref()) {
                    found.last_mut().into_iter().for_each(|source| source.bands = None);
                }
                is_relative = attribute(&tag, "relativeToVRT").is_some_and(|yes| yes == "1");
                found.last_mut().into_iter().for_each(|source| source.place(&tag));
            }
            Ok(Event::Empty(tag)) => {
                found.last_mut().into_iter().for_each(|source| source.place(&tag));
            }
            Ok(Event::Text(more)) => content += &more,
            Ok(Event::CData(more)) => content += &more,
            Ok(Event::GeneralRef(name)) => {
                let code = name.resolve_char_ref().ok().flatten().map(String::from);
                let named =
                    || quick_xml::escape::resolve_predefined_entity(&name).map(String::from);
                content += &code.or_else(named).unwrap_or_default();
            }
            Ok(Event::End(tag)) => {
                let name = tag.local_name();
                if NAMING.contains(&name.as_ref()) {
                    let bands = into.map(|into| (into, 1));
                    let (name, part) = (content.clone(), None);
                    found.push(Source { name, is_relative, is_raw, bands, into, part });
                } else if let Some(source) =
                    found.last_mut().filter(|_| name.as_ref() == "SourceBand")
                {
                    let own = content.trim().parse().ok();
                    source.bands = source.bands.and_then(|(into, _)| Some((into, own?)));
                } else if name.as_ref() == "VRTRasterBand" {
                    into = None;
                }
            }
            // GDAL does not read invalid XML either.
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

/// Returns the share of the cells (columns, rows) of a band of a VRT, from 1, that no source fills;
/// 0 if that is not known.
pub fn uncovered(path: &Path, band: usize, (columns, rows): (usize, usize)) -> f64 {
    let sources = sources(path).into_iter().filter(|source| source.into == Some(band));
    let parts: Option<Vec<[f64; 4]>> = sources
        .map(|source| {
            source.part.map(|[x, y, columns, rows]| [x, y, x + columns, y + rows].map(f64::round))
        })
        .collect();
    let Some(parts) = parts.filter(|parts| !parts.is_empty()) else { return 0.0 };
    let mut edges: Vec<f64> = parts
        .iter()
        .flat_map(|part| [part[1], part[3]])
        .chain([0.0, rows as f64])
        .map(|y| y.clamp(0.0, rows as f64))
        .collect();
    edges.sort_by(f64::total_cmp);
    let mut filled = 0.0;
    for pair in edges.windows(2).filter(|pair| pair[1] > pair[0]) {
        let beside = parts.iter().filter(|part| part[1] <= pair[0] && part[3] >= pair[1]);
        let mut spans: Vec<(f64, f64)> = beside.map(|part| (part[0], part[2])).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut end = 0.0;
        for (from, to) in spans {
            let to = to.min(columns as f64);
            filled += (pair[1] - pair[0]) * (to - from.max(end)).max(0.0);
            end = to.max(end);
        }
    }
    1.0 - filled / (columns as f64 * rows as f64)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_a_vrt_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mosaic");
        let text = "<VRTDataset rasterXSize='1' rasterYSize='1'><VRTRasterBand band='1'><SimpleSource>\
            <SourceFilename relativeToVRT='1'>a &#38; b.tif</SourceFilename><SourceBand>3</SourceBand></SimpleSource></VRTRasterBand>\
            <VRTRasterBand subClass='VRTRawRasterBand'><SourceFilename relativetoVRT='0'>/etc/x</SourceFilename>\
            </VRTRasterBand></VRTDataset>";
        std::fs::write(&path, text).unwrap();
        let found = sources(&path);
        assert_eq!(found.len(), 2);
        assert!(found[0].name == "a & b.tif" && found[0].is_relative && !found[0].is_raw);
        assert_eq!((found[0].bands, found[1].bands), (Some((1, 3)), None));
        assert!(found[1].name == "/etc/x" && !found[1].is_relative && found[1].is_raw);
        assert_eq!(found[0].path(&path), folder.path().join("a & b.tif"));
    }
}

//! Sources of a VRT, for what the VRT itself does not declare: `gdalbuildvrt` copies neither units
//! nor attributes from its tiles.

use crate::input::gdal_access::vrt;
use gdal::{Dataset, Metadata};
use std::path::Path;

/// Maximum depth of VRTs in VRTs.
const DEEPEST: usize = 16;

/// Band of a source.
pub struct SourceBand {
    /// Name of the file, as the VRT has it.
    pub name: String,
    pub dataset: Dataset,
    /// Number of the band, from 1.
    pub number: usize,
}

/// Opens the files whose values a band (from 1) passes on as they are, through any number of VRTs;
/// empty if it is not a VRT's, or if none can be opened.
pub fn of_band(dataset: &Dataset, number: usize) -> Vec<SourceBand> {
    let path = |dataset: &Dataset| dataset.description().unwrap_or_default();
    let (mut found, mut waiting) = (Vec::new(), vec![(path(dataset), number, 0)]);
    while let Some((vrt, number, depth)) = waiting.pop() {
        let vrt = Path::new(&vrt);
        for source in vrt::sources(vrt) {
            let Some((_, own)) = source.bands.filter(|(into, _)| *into == number) else { continue };
            let Ok(dataset) = Dataset::open(source.path(vrt)) else { continue };
            if dataset.driver().short_name() != "VRT" {
                found.push(SourceBand { name: source.name, dataset, number: own });
            } else if depth < DEEPEST {
                waiting.push((path(&dataset), own, depth + 1));
            }
        }
    }
    found
}

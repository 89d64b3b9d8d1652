//! Shares subgrid tables between runs with the same terrain.

use crate::scenario::options::Options;
use crate::words::hexadecimal;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Length of a table folder's name.
const LETTERS: usize = 16;

/// Returns the folder of a run's subgrid tables in the study's `out`, or the run's own setting;
/// `None` if it has no tables.
pub fn tables(options: &Options, out: &Path) -> Option<PathBuf> {
    if options.subgrid_tables.is_some() {
        return options.subgrid_tables.clone();
    }
    options.subgrid.filter(|ratio| *ratio > 1)?;
    let ground = options.clone();
    // A uniform roughness is not part of the tables, unless rivers have a roughness of their own
    // beside it.
    let has_rivers = options.rivers.is_some();
    let ground = Options {
        dem: ground.dem,
        nodata: ground.nodata,
        height_unit: ground.height_unit,
        subgrid: ground.subgrid,
        roughness: ground.roughness.filter(|n| has_rivers || n.file().is_some()),
        land_cover: ground.land_cover,
        land_cover_table: ground.land_cover_table,
        buildings: ground.buildings,
        building_height: ground.building_height,
        walls: ground.walls,
        openings: ground.openings,
        rivers: ground.rivers,
        ..Options::default()
    };
    let name = hexadecimal(&Sha256::digest(ground.parameters().to_string()));
    let out = std::path::absolute(out).ok()?;
    Some(out.join(format!(".subgrid_tables-{}", &name[..LETTERS])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_share_tables_if_their_ground_is_the_same() {
        let of = |keys: &str| {
            let text = format!("dem = \"dem.tif\"\n{keys}");
            tables(&Options::from_toml(&text, "test").unwrap(), Path::new("out"))
        };
        let same = of("subgrid = 4\nrain = \"5 mm/h\"");
        assert_eq!(same, of("subgrid = 4\nroughness = \"0.05\""));
        assert!(same.is_some());
        for other in [
            "subgrid = 8",
            "subgrid = 4\nwalls = \"w.gpkg\"",
            "subgrid = 4\nrivers = \"r.gpkg\"",
            "subgrid = 4\nroughness = \"n.tif\"",
        ] {
            assert_ne!(same, of(other), "{other}");
        }
        assert_eq!([of("rain = \"5 mm/h\""), of("subgrid = 1")], [None, None]);
        let own = of("subgrid = 4\nsubgrid_tables = \"own.bin\"");
        assert_eq!(own, Some(PathBuf::from("own.bin")));
    }
}

//! What a process sees of a raster and of the libraries that read it: helpers must see the same.

use super::Onto;
use crate::input::checksum;
use crate::input::place::Alignment;
use crate::input::raster::RasterFile;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::SystemTime;

/// What is seen of a raster.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Seen {
    /// The host that sees it.
    pub host: String,
    /// Its files, the raster first: their lengths (bytes), and when they were changed. None if it is not there.
    pub files: Vec<(u64, Option<SystemTime>)>,
    /// What GDAL makes of it, or why it does not.
    pub raster: Result<Meaning, String>,
}

/// What GDAL makes of a raster and of its place.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Meaning {
    /// Columns, rows and bands.
    pub shape: (usize, usize, usize),
    /// How its band is stored and to be understood.
    pub band: String,
    /// Where it lies.
    pub place: String,
    /// The version of GDAL.
    pub gdal: String,
    /// Where some points of the grid lie in it by PROJ (bits).
    pub points: Vec<u64>,
}

/// How what one sees compares with what another does.
#[derive(Debug, PartialEq)]
pub enum Compared {
    /// The same.
    Same,
    /// Files as long, of another time: their bytes must tell.
    Unsure,
    /// It cannot be read there, and why.
    Unread(String),
    /// Another file, and what tells.
    Another(String),
}

impl Seen {
    /// Lengths and times of the files that a raster is read from.
    pub fn files(path: &Path) -> Vec<(u64, Option<SystemTime>)> {
        let seen = |file: &Path| {
            let data = std::fs::metadata(file).ok()?;
            Some((data.len(), data.modified().ok()))
        };
        checksum::all_files(path).iter().filter_map(|file| seen(file)).collect()
    }

    /// What another sees where this is seen.
    pub fn compare(&self, other: &Seen) -> Compared {
        let lengths = |seen: &Seen| seen.files.iter().map(|file| file.0).collect::<Vec<_>>();
        if other.files.is_empty() {
            return Compared::Unread("it is not there".into());
        }
        if lengths(self) != lengths(other) {
            let bytes = |seen: &Seen| match &lengths(seen)[..] {
                [one] => format!("{one} bytes"),
                all => format!("{} bytes in {} files", all.iter().sum::<u64>(), all.len()),
            };
            return Compared::Another(format!("{} there, {} here", bytes(other), bytes(self)));
        }
        let (mine, theirs) = match (&self.raster, &other.raster) {
            (Ok(mine), Ok(theirs)) => (mine, theirs),
            (Err(why), _) | (_, Err(why)) => return Compared::Unread(why.clone()),
        };
        let shown = |meaning: &Meaning| {
            let (columns, rows, bands) = meaning.shape;
            format!("{columns} × {rows} cells (columns × rows) in {bands} bands")
        };
        if mine.shape != theirs.shape {
            return Compared::Another(format!("{} there, {} here", shown(theirs), shown(mine)));
        }
        if mine.gdal != theirs.gdal {
            return Compared::Unread("its GDAL is another".into());
        }
        if (&mine.band, &mine.place) != (&theirs.band, &theirs.place) {
            return Compared::Another("another type, NoData, scale, mask or place".into());
        }
        if mine.points != theirs.points {
            return Compared::Unread("its PROJ is another".into());
        }
        if self.files == other.files { Compared::Same } else { Compared::Unsure }
    }
}

impl Meaning {
    /// What is made of an open raster that is brought onto a grid.
    pub fn of(file: &RasterFile, onto: Option<&Onto>) -> Meaning {
        let points = onto.zip(file.transform()).map_or(Vec::new(), |(onto, own)| {
            Alignment::new(file, &own, &onto.grid).points().into_iter().map(f64::to_bits).collect()
        });
        Meaning {
            shape: (file.columns, file.rows, file.dataset.raster_count()),
            band: file.understood(),
            place: format!("{:?} {:?}", file.transform(), file.crs()),
            gdal: gdal::version::version_info("VERSION_NUM"),
            points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn seen() -> Seen {
        let meaning = Meaning {
            shape: (4, 3, 1),
            band: "Float32".into(),
            place: "here".into(),
            gdal: "3".into(),
            points: vec![1],
        };
        let time = Some(SystemTime::UNIX_EPOCH);
        Seen { host: "a".into(), files: vec![(70, time), (9, None)], raster: Ok(meaning) }
    }

    #[test]
    fn another_version_is_told_from_another_time_and_from_other_libraries() {
        let (mine, mut other) = (seen(), seen());
        other.host = "b".into();
        assert_eq!(mine.compare(&other), Compared::Same);
        other.files[0].1 = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1));
        assert_eq!(mine.compare(&other), Compared::Unsure);
        other.files[1].0 = 10;
        let told = "80 bytes in 2 files there, 79 bytes in 2 files here";
        assert_eq!(mine.compare(&other), Compared::Another(told.into()));
        other.files.clear();
        assert!(matches!(mine.compare(&other), Compared::Unread(_)));
        let change = |change: fn(&mut Meaning)| {
            let mut other = seen();
            change(other.raster.as_mut().unwrap());
            mine.compare(&other)
        };
        assert!(matches!(change(|other| other.shape.0 = 5), Compared::Another(_)));
        assert!(matches!(change(|other| other.band.push('x')), Compared::Another(_)));
        assert!(matches!(change(|other| other.points[0] = 2), Compared::Unread(_)));
        assert!(matches!(change(|other| other.gdal.push('x')), Compared::Unread(_)));
        let unread = Seen { raster: Err("why".into()), ..seen() };
        assert_eq!(mine.compare(&unread), Compared::Unread("why".into()));
    }
}

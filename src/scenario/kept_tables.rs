//! Tables of finer ground that are kept in a file, so that runs over the same ground make them once.

use crate::engine::backend::ranks::version;
use crate::engine::grid::Grid;
use crate::engine::subgrid::layout::{cell, edge};
use crate::engine::subgrid::tables::Tables;
use crate::error::{Error, Result};
use crate::input::file::InputFile;
use crate::input::notice::Notices;
use crate::output::checkpoint::file::{Flaw, Kind, Reader, Writer};
use crate::output::folder::folder_of;
use crate::words::hexadecimal;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What such a file is.
const TABLES: Kind = Kind { of: "subgrid tables", version: 4 };

/// Levels of which a thread takes the checksum together.
const PART: usize = 1 << 20;

/// What tables are made of.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Origin {
    /// The program that makes them: others may lay them out otherwise.
    program: String,
    /// Pixels side by side in a cell.
    ratio: usize,
    /// The SHA-256 of the pixels' shape and levels, with rivers, openings, buildings and walls.
    ground: String,
    /// That of the files of the roughness and of where they are laid; none if it is the same everywhere, which no table knows of.
    roughness: Option<String>,
    /// That of the rivers that are narrower than a cell, and of the roughness of the others; none if there are none.
    rivers: Option<String>,
}

impl Origin {
    /// What the tables of a grid with these levels (2⁻¹⁶ m) are made of. `roughness` is what it says of Manning's n and the files that
    /// have it, if it differs, `rivers` what is known of these beside what they lowered.
    pub fn of(
        ratio: usize,
        grid: &Grid,
        levels: &[i32],
        roughness: Option<(String, Vec<InputFile>)>,
        rivers: Option<String>,
    ) -> Origin {
        let part = |levels: &[i32]| {
            let mut hasher = Sha256::new();
            levels.iter().for_each(|level| hasher.update(level.to_le_bytes()));
            hasher.finalize()
        };
        let mut ground = Sha256::new();
        ground.update(format!("{} {} {}", grid.columns, grid.rows, grid.dy / grid.dx));
        levels
            .par_chunks(PART)
            .map(part)
            .collect::<Vec<_>>()
            .iter()
            .for_each(|of| ground.update(of));
        let roughness = roughness.map(|(said, files)| {
            let sums: Vec<_> = files.iter().map(|file| (&file.role, &file.sha256)).collect();
            let text = format!("{said} {sums:?} {:?} {:?}", grid.transform, grid.crs);
            hexadecimal(&Sha256::digest(text))
        });
        let rivers = rivers.map(|told| hexadecimal(&Sha256::digest(told)));
        let ground = hexadecimal(&ground.finalize());
        Origin { program: version(), ratio, ground, roughness, rivers }
    }

    /// How these differ from others, for people.
    fn differs(&self, other: &Origin) -> &'static str {
        if self.program != other.program {
            "another version of inundate"
        } else if self.ground != other.ground {
            "other ground (DEM, rivers, openings, buildings or walls)"
        } else if self.ratio != other.ratio {
            "cells of another number of pixels"
        } else if self.rivers != other.rivers {
            "other rivers"
        } else {
            "another roughness"
        }
    }
}

/// A file of tables.
#[derive(Debug)]
pub struct KeptTables<'a> {
    path: &'a Path,
    origin: Origin,
    /// Keeps others who would make the same from doing so meanwhile.
    _lock: Option<File>,
}

/// What a file says of its tables.
#[derive(Deserialize, Serialize)]
struct Header {
    origin: Origin,
    columns: usize,
    rows: usize,
}

impl<'a> KeptTables<'a> {
    /// Opens a file for tables of an origin. An error if it cannot be one.
    pub fn open(path: &'a Path, origin: Origin) -> Result<KeptTables<'a>> {
        let wrong =
            |what: &str| Error::input(format!("subgrid_tables: '{}' {what}", path.display()));
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(wrong("lies in a folder that is not there").hint("make the folder first"));
        }
        if path.exists() {
            let mut begins = Vec::new();
            let mark = TABLES.any_mark();
            let read = File::open(path)
                .and_then(|file| file.take(mark.len() as u64).read_to_end(&mut begins));
            if read.is_err() || begins != mark.as_bytes() {
                return Err(wrong("holds something else than tables, and is not replaced")
                    .hint("name a file that is not there, or one that an earlier run made"));
            }
        }
        // Where folders have no locks, two may make the same tables at a time: the file is right all the same.
        let lock = File::open(folder).ok().filter(|folder| folder.lock().is_ok());
        Ok(KeptTables { path, origin, _lock: lock })
    }

    /// The tables, if they are there and of the origin, with what there is to say of that.
    pub fn tables(&self, said: &mut Notices) -> Option<Tables> {
        if !self.path.exists() {
            return None;
        }
        let read = || {
            let (header, reader) = Reader::open::<Header>(self.path, TABLES)?;
            if header.origin != self.origin {
                return Ok(Err(self.origin.differs(&header.origin)));
            }
            tables(&header, reader).map(Ok)
        };
        let shown = self.path.display();
        let anew = |what: &str| format!("subgrid_tables: '{shown}' {what}; they are made anew");
        match read() {
            Ok(Ok(tables)) => {
                said.note(format!("subgrid_tables: the tables are those of '{shown}'"));
                return Some(tables);
            }
            Ok(Err(why)) => said.note(anew(&format!("has tables of {why}"))),
            Err(Flaw::OtherVersion) => said.note(anew("has tables of another version of inundate")),
            Err(Flaw::Damaged(why)) => said.warn(anew(&format!("is damaged ({why})"))),
        }
        None
    }

    /// Puts tables in the place of what the file holds, when all of them are written.
    pub fn keep(&self, tables: &Tables, said: &mut Notices) -> Result<()> {
        let failed = |error: std::io::Error| {
            let what = format!("subgrid_tables: cannot write '{}'", self.path.display());
            Error::run(what).because(error)
        };
        let file = tempfile::NamedTempFile::new_in(folder_of(self.path)).map_err(failed)?;
        let header =
            Header { origin: self.origin.clone(), columns: tables.columns, rows: tables.rows };
        let mut writer = Writer::new(file.as_file(), TABLES, &header).map_err(failed)?;
        each_plane(tables, |plane| writer.add(plane)).map_err(failed)?;
        writer.finish().map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(self.path).map_err(|error| failed(error.error))?;
        said.note(format!("subgrid_tables: the tables are kept in '{}'", self.path.display()));
        Ok(())
    }
}

/// Hands over the numbers of tables, plane by plane, in the order of [`tables`].
fn each_plane(
    of: &Tables,
    mut each: impl FnMut(&[u32]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let signless = |levels: &[i32]| levels.iter().map(|&level| level as u32).collect::<Vec<_>>();
    each(&signless(&of.bed))?;
    each(&of.parted.iter().map(|&parted| u32::from(parted)).collect::<Vec<_>>())?;
    each(&of.roughness.iter().map(|n| n.to_bits()).collect::<Vec<_>>())?;
    let edges = of.edges.iter().flatten();
    of.cells.iter().chain(edges).try_for_each(|plane| each(plane))
}

/// Reads the tables of a file.
fn tables(header: &Header, mut from: Reader) -> std::result::Result<Tables, Flaw> {
    let Header { origin: Origin { ratio, ref roughness, .. }, columns, rows } = *header;
    let cells = columns * rows;
    let mut plane = |length: usize| {
        let mut plane = vec![0; length];
        from.take(&mut plane).map(|()| plane)
    };
    let bed = plane(cells)?.into_iter().map(|level| level as i32).collect();
    let parted = plane(cells)?.into_iter().map(|parted| parted != 0).collect();
    let is_rough = roughness.is_some();
    let roughness = plane(if is_rough { cells } else { 0 })?.into_iter().map(f32::from_bits);
    let roughness = roughness.collect();
    let mut planes = |count: usize, length: usize| -> std::result::Result<Vec<_>, Flaw> {
        (0..count).map(|_| plane(length)).collect()
    };
    Ok(Tables {
        ratio,
        columns,
        rows,
        bed,
        roughness,
        parted,
        cells: planes(cell::WORDS, cells)?,
        edges: [
            planes(edge::WORDS, (columns + 1) * rows)?,
            planes(edge::WORDS, columns * (rows + 1))?,
        ],
    })
}

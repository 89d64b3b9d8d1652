//! Where a helper is asked: it has one raster open, of which it reads what it is told.

use super::order::{Answer, Open, Order, pack};
use super::values;
use super::version::{Meaning, Seen};
use crate::error::{Error, Result};
use crate::input::raster::{Hands, RasterFile, Undeclared, open_named};
use crate::input::warp::Warper;
use crate::input::{checksum, remote, totals};
use std::path::Path;

/// What a helper has in hand.
pub struct Desk {
    host: String,
    opened: Option<Opened>,
}

/// An open raster.
struct Opened {
    asked: Open,
    file: RasterFile,
    /// Handles to read it with, once it is read.
    hands: Option<Hands>,
}

impl Desk {
    /// An empty one, on this host.
    pub fn new(host: String) -> Desk {
        Desk { host, opened: None }
    }

    /// Lets go of what is open.
    pub fn clear(&mut self) {
        self.opened = None;
    }

    /// Does what it is asked; the answer says if that went wrong.
    pub fn answer(&mut self, asked: &[u8]) -> Vec<u8> {
        let order = postcard::from_bytes(asked).map_err(|error| Error::run(error.to_string()));
        let answered = order.and_then(|order| match order {
            Order::Open(open) => Ok((Answer::Seen(Box::new(self.open(*open))), None)),
            order => self.opened.as_mut().ok_or_else(nothing).and_then(|open| open.work(order)),
        });
        match answered {
            Ok((answer, None)) => pack(&answer),
            Ok((answer, Some(found))) => {
                let mut message = pack(&answer);
                values::put(&found, &mut message);
                message
            }
            Err(error) => pack(&Answer::Failed(error.what)),
        }
    }

    fn open(&mut self, asked: Open) -> Seen {
        self.clear();
        remote::allow(asked.remote);
        let files = Seen::files(Path::new(&asked.path));
        let host = self.host.clone();
        if files.is_empty() {
            return Seen { host, files, raster: Err("it is not there".into()) };
        }
        let raster = open(&asked).map(|file| {
            let meaning = Meaning::of(&file, asked.onto.as_ref());
            self.opened = Some(Opened { asked, file, hands: None });
            meaning
        });
        Seen { host, files, raster: raster.map_err(|error| error.what) }
    }
}

fn nothing() -> Error {
    Error::run("no raster is open")
}

/// The raster that is asked for, as messages are to name it.
fn open(asked: &Open) -> Result<RasterFile> {
    remote::check(Path::new(&asked.path), &asked.role)?;
    let dataset = open_named(&asked.name)?;
    let mut file = RasterFile::of(dataset, Path::new(&asked.shown), &asked.role)?;
    // It helps, and is not helped.
    file.help = None;
    if asked.band > file.dataset.raster_count() {
        return Err(Error::input(format!("it has no band {}", asked.band)));
    }
    file.choose(asked.band)?;
    file.nodata.clone_from(&asked.nodata);
    Ok(file)
}

impl Opened {
    /// Does something with the raster; returns the values that follow the answer.
    fn work(&mut self, order: Order) -> Result<(Answer, Option<Vec<f64>>)> {
        let Opened { asked, file, hands } = self;
        let onto = || asked.onto.as_ref().ok_or_else(nothing);
        let mut rows = |rows: (usize, usize)| {
            file.some_rows(hands.get_or_insert_with(|| file.hands(asked.step)), rows)
        };
        Ok(match order {
            Order::Checksum => {
                let sum = checksum::of_input(Path::new(&asked.path)).ok();
                (Answer::Checksum(sum), None)
            }
            Order::Strip(strip) => {
                let onto = onto()?;
                let found = Warper::new(file, &onto.grid, onto.resampling)?.strip(&strip)?;
                (Answer::Values(Undeclared::default()), Some(found))
            }
            Order::Rows(first, count) => {
                let (found, undeclared) = rows((first, count))?;
                (Answer::Values(undeclared), Some(found))
            }
            Order::Totals(first, count) => {
                let (found, undeclared) = rows((first, count))?;
                let rows = totals::of_rows(file, &onto()?.grid, first, &found);
                (Answer::Totals(rows, undeclared), None)
            }
            Order::Open(_) => unreachable!("it is opened by the desk"),
        })
    }
}

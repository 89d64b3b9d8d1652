//! Other processes that read the same files as this one: of a large raster each decodes a share of the rows, and where it lies on
//! another grid warps them. What is found in them is looked at here, over all rows in their order, so that it makes no
//! difference who read them.

mod desk;
mod order;
mod session;
#[cfg(test)]
mod tests;
mod values;
mod version;

pub use desk::Desk;
pub use order::Order;
pub use session::{Came, Session, Ways};
pub use version::Seen;

use super::raster::RasterFile;
use super::warp::Resampling;
use crate::engine::grid::Grid;
use crate::error::Result;
use order::Open;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// A raster of fewer cells is read sooner than another process is asked.
pub const WORTH_CELLS: usize = 1 << 22;

/// Nor is one asked to read more than so many cells at a time: a row of tiles may be more.
const MOST_JOB_CELLS: usize = 1 << 26;

/// How to talk to other processes, which are numbered from 1; each answers what it is asked in the order in which it is asked
/// ([`Desk`]).
pub trait Helpers: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// They are asked for rasters of so many cells and more ([`WORTH_CELLS`]).
    fn worth_cells(&self) -> usize;

    /// Asks one of them something.
    fn ask(&self, who: usize, what: Vec<u8>) -> Result<()>;

    /// Waits for its next answer. An error if it is gone.
    fn answer(&self, who: usize) -> Result<Vec<u8>>;

    /// Its next answer, if that is there already.
    fn answered(&self, who: usize) -> Result<Option<Vec<u8>>>;
}

/// Helpers, who have one raster at a time in hand.
pub struct Help {
    by: Box<dyn Helpers>,
    /// Those who could not read a file, and of whom that was said.
    told: Mutex<HashSet<usize>>,
}

impl Help {
    /// Help by others.
    pub fn by(helpers: impl Helpers + 'static) -> Arc<Help> {
        Arc::new(Help { by: Box::new(helpers), told: Mutex::default() })
    }
}

/// Those of this process.
static HELP: Mutex<Option<Arc<Help>>> = Mutex::new(None);

/// From now on these help to read whatever is opened; or no one does, as they have other things to do.
pub fn are(help: Option<Arc<Help>>) {
    *HELP.lock().expect("no one panics") = help;
}

/// Who helps this process.
pub fn any() -> Option<Arc<Help>> {
    HELP.lock().expect("no one panics").clone()
}

/// The grid that a raster is brought onto, and how.
#[derive(Clone, Deserialize, Serialize)]
pub struct Onto {
    /// The grid.
    pub grid: Grid,
    /// How values are taken there; of no matter where they are only added up.
    pub resampling: Resampling,
}

/// Asks all helpers to open a raster of which there is so much to do (`cells`), and whose file is read so many rows at a time, if
/// it is one that all can see; none if that is not worth it, or no one can. An error if one sees another file.
pub fn begin<'a>(
    file: &'a RasterFile,
    cells: usize,
    step: usize,
    onto: Option<Onto>,
) -> Result<Option<Session<'a>>> {
    let Some(help) = file.help.as_deref().filter(|help| cells >= help.by.worth_cells()) else {
        return Ok(None);
    };
    if step.saturating_mul(file.columns) > MOST_JOB_CELLS {
        return Ok(None);
    }
    // Who reads one raster while another is read is not helped.
    let (Some(open), Ok(told)) = (Open::of(file, step, onto), help.told.try_lock()) else {
        return Ok(None);
    };
    Session::begin(&*help.by, told, file, open)
}

/// How many rows of a raster are a job, about: so many that all have some, and none has many cells.
pub fn job_cells(file: &RasterFile, most: usize) -> usize {
    /// So many jobs for each at the least, if there are as many rows.
    const JOBS: usize = 4;
    let all = file.columns.saturating_mul(file.rows);
    let readers = file.help.as_ref().map_or(1, |help| help.by.count() + 1);
    (all / (JOBS * readers)).clamp(1, most)
}

//! Totals of the water that sites add and remove.

use super::SiteParameters;
use crate::forcing::ports::BoundaryVolumes;
use serde::{Deserialize, Serialize};

/// Mass balance term on which a site is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(u32)]
pub enum Line {
    /// Rain; only adds water.
    Rain,
    /// Inflow when it adds water, outflow when it removes water; both through its port, if it has
    /// one.
    Flow,
    /// A loss; only removes water.
    Loss,
}

/// Totals of the water that sites added and removed (grains).
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Added as rain.
    pub rain: u64,
    /// Added as inflow.
    pub came: u64,
    /// Removed as outflow.
    pub left: u64,
    /// Removed as loss.
    pub lost: u64,
    /// Inflow and outflow by port.
    pub port_volumes: BoundaryVolumes,
}

impl Tally {
    /// Books a change of a cell's water by a site (grains).
    #[inline]
    pub fn add(&mut self, given: &SiteParameters, by: i64) {
        let (came, left) = (by.max(0) as u64, (-by).max(0) as u64);
        match given.line {
            Line::Rain => self.rain += came,
            Line::Loss => self.lost += left,
            Line::Flow => {
                self.came += came;
                self.left += left;
                if given.port != 0 {
                    self.port_volumes.add(given.port, came, left);
                }
            }
        }
    }
}

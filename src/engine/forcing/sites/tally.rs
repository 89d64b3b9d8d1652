//! What sites brought and took.

use super::Given;
use crate::forcing::ports::Booked;
use serde::{Deserialize, Serialize};

/// The line of the ledger on which a site is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[repr(u32)]
pub enum Line {
    /// It only brings water: rain.
    Rain,
    /// What it brings is inflow, what it takes outflow; both through its port, if it has one.
    Flow,
    /// It only takes water: a loss.
    Loss,
}

/// What sites brought and took (grains).
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Came as rain.
    pub rain: u64,
    /// Came in.
    pub came: u64,
    /// Went out.
    pub left: u64,
    /// Was lost.
    pub lost: u64,
    /// What of what came in and went out went through which port.
    pub booked: Booked,
}

impl Tally {
    /// A site changed its cell's water by so many grains.
    #[inline]
    pub fn add(&mut self, given: &Given, by: i64) {
        let (came, left) = (by.max(0) as u64, (-by).max(0) as u64);
        match given.line {
            Line::Rain => self.rain += came,
            Line::Loss => self.lost += left,
            Line::Flow => {
                self.came += came;
                self.left += left;
                if given.port != 0 {
                    self.booked.add(given.port, came, left);
                }
            }
        }
    }
}

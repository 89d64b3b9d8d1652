//! Samples: what someone wants to see of states between steps, taken together.

use super::{Backend, EdgeAt};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::Booked;
use crate::ledger::Ledger;
use crate::rule::edge::EdgeField;

/// What is to be seen of a state, beside its volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Numbers of fields, each by its place in the line and its line ([`Field::shape`]).
    pub places: Vec<(Field, (usize, usize))>,
    /// Whether what went through ports is.
    pub ports: bool,
    /// Whether links are.
    pub links: bool,
}

/// What was seen of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// How many steps had been taken.
    pub number: u64,
    /// The time (s, or steps).
    pub time: f64,
    /// The ledger.
    pub ledger: Ledger,
    /// Cells that held water.
    pub wet_cells: usize,
    /// What went through ports; nothing unless it was wanted.
    pub booked: Booked,
    /// Where links stood; none unless they were wanted.
    pub links: Vec<LinkState>,
    /// The bits at the places, in their order.
    pub bits: Vec<u32>,
}

impl Wanted {
    /// Adds the water of a cell (column, row).
    pub fn add_water(&mut self, cell: (usize, usize)) {
        self.places.push((Field::Water, cell));
    }

    /// Adds what flows over some edges.
    pub fn add_edges(&mut self, field: EdgeField, edges: impl IntoIterator<Item = EdgeAt>) {
        let place = |edge: EdgeAt| (Field::edge(field, edge.axis), (edge.place, edge.line));
        self.places.extend(edges.into_iter().map(place));
    }

    /// That of the state that a backend is in after so many steps, at a time (s, or steps).
    pub(super) fn see<B: Backend + ?Sized>(
        &self,
        backend: &B,
        number: u64,
        time: f64,
    ) -> Result<Sample> {
        let mut bits = vec![0; self.places.len()];
        let mut fields: Vec<Field> = Vec::new();
        for &(field, _) in &self.places {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        // Those of a field together: a device is asked for places that lie close to each other at once.
        for field in fields {
            let of_field = |at: &usize| self.places[*at].0 == field;
            let here: Vec<usize> = (0..bits.len()).filter(of_field).collect();
            let places: Vec<_> = here.iter().map(|&at| self.places[at].1).collect();
            let mut found = vec![0; places.len()];
            backend.read_places(field, &places, &mut found)?;
            here.into_iter().zip(found).for_each(|(at, found)| bits[at] = found);
        }
        Ok(Sample {
            number,
            time,
            ledger: backend.ledger(),
            wet_cells: backend.wet_cells(),
            booked: if self.ports { backend.booked()? } else { Booked::default() },
            links: if self.links { backend.links()? } else { Vec::new() },
            bits,
        })
    }
}

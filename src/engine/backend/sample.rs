//! Samples: consistent sets of values from states between steps.

use super::{Backend, EdgeAt};
use crate::error::Result;
use crate::field::Field;
use crate::forcing::link::LinkState;
use crate::forcing::ports::BoundaryVolumes;
use crate::ledger::Ledger;
use crate::solver::edge::EdgeField;

/// Values to sample from a state, in addition to its volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleRequest {
    /// Values of fields, each by its index in the line and its line ([`Field::shape`]).
    pub places: Vec<(Field, (usize, usize))>,
    /// Set to include the volumes per port.
    pub ports: bool,
    /// Set to include the states of links.
    pub links: bool,
}

/// Sampled values of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number of steps taken so far.
    pub number: u64,
    /// Time of the state (s, or steps).
    pub time: f64,
    /// Ledger at that time.
    pub ledger: Ledger,
    /// Number of cells that hold water.
    pub wet_cells: usize,
    /// Volumes per port; empty unless requested.
    pub port_volumes: BoundaryVolumes,
    /// States of the links; empty unless requested.
    pub links: Vec<LinkState>,
    /// Values at the requested places, in order (bits).
    pub bits: Vec<u32>,
}

impl SampleRequest {
    /// Adds the water of a cell (column, row).
    pub fn add_water(&mut self, cell: (usize, usize)) {
        self.places.push((Field::Water, cell));
    }

    /// Adds an edge quantity at some edges.
    pub fn add_edges(&mut self, field: EdgeField, edges: impl IntoIterator<Item = EdgeAt>) {
        let place = |edge: EdgeAt| (Field::edge(field, edge.axis), (edge.place, edge.line));
        self.places.extend(edges.into_iter().map(place));
    }

    /// Samples a backend's current state, after `number` steps, at a time (s, or steps).
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
        // Read each field separately: a device reads neighbouring places in one go.
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
            port_volumes: if self.ports {
                backend.boundary_volumes()?
            } else {
                BoundaryVolumes::default()
            },
            links: if self.links { backend.link_states()? } else { Vec::new() },
            bits,
        })
    }
}

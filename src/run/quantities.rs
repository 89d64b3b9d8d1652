//! Table of the quantities of a run that can be read and set between two steps. Values are f64, row
//! by row from the north-west; values of cells outside the domain are NaN. The state itself is in
//! integer grains on the device, so reading makes a copy.

use super::Run;
use super::values::{of_depth, of_level};
use crate::engine::clock::TimeUnit;
use crate::engine::field::Field;
use crate::error::{Error, Result};
use crate::scenario::SourceFacts;

/// Location of a quantity's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityLocation {
    /// One value per cell.
    Cells,
    /// One value per edge crossed eastward, starting at the western boundary: one column more than
    /// cells.
    EastEdges,
    /// One value per edge crossed southward, starting at the northern boundary: one row more than
    /// cells.
    SouthEdges,
    /// One value per source, in scenario order.
    Sources,
}

impl QuantityLocation {
    /// Returns the name used in interfaces.
    pub fn name(self) -> &'static str {
        match self {
            QuantityLocation::Cells => "cells",
            QuantityLocation::EastEdges => "east_edges",
            QuantityLocation::SouthEdges => "south_edges",
            QuantityLocation::Sources => "sources",
        }
    }
}

/// Function that reads the values of a quantity.
type Read = fn(&mut Run) -> Result<Vec<f64>>;

/// Function that sets the values of a quantity.
type Set = fn(&mut Run, &[f64]) -> Result<()>;

/// A quantity of a run.
pub struct RunQuantity {
    /// Name used in interfaces.
    pub name: &'static str,
    /// Description of the quantity.
    pub about: &'static str,
    /// Unit in runs with physical time; otherwise seconds are steps.
    pub unit: &'static str,
    /// Location of the values.
    pub place: QuantityLocation,
    /// Reads the values.
    read: Read,
    /// Sets the values, if that is possible; NaN leaves a value unchanged.
    set: Option<Set>,
}

impl RunQuantity {
    /// Returns `true` if the quantity can be set.
    pub fn can_be_set(&self) -> bool {
        self.set.is_some()
    }
}

/// All quantities of a run.
pub static QUANTITIES: &[RunQuantity] = &[
    RunQuantity {
        name: "depth",
        about: "depth of the water",
        unit: "m",
        place: QuantityLocation::Cells,
        read: |run| run.of_cells(|depth, _| depth),
        set: Some(|run, depths| run.set_depths("depth", depths, of_depth)),
    },
    RunQuantity {
        name: "level",
        about: "level of the water's surface; of the ground where it is dry",
        unit: "m",
        place: QuantityLocation::Cells,
        read: |run| run.of_cells(|_, level| level),
        set: Some(|run, levels| run.set_depths("level", levels, of_level)),
    },
    RunQuantity {
        name: "bed",
        about: "level of the ground; its lowest in a cell with finer ground",
        unit: "m",
        place: QuantityLocation::Cells,
        read: Run::bed,
        set: None,
    },
    RunQuantity {
        name: "velocity_east",
        about: "velocity over edges, eastward",
        unit: "m/s",
        place: QuantityLocation::EastEdges,
        read: |run| run.flow(Field::VelocityEast),
        set: Some(|run, to| run.set_edges("velocity_east", Field::VelocityEast, to)),
    },
    RunQuantity {
        name: "velocity_south",
        about: "velocity over edges, southward",
        unit: "m/s",
        place: QuantityLocation::SouthEdges,
        read: |run| run.flow(Field::VelocitySouth),
        set: Some(|run, to| run.set_edges("velocity_south", Field::VelocitySouth, to)),
    },
    RunQuantity {
        name: "discharge_east",
        about: "unit discharge over edges, eastward",
        unit: "m2/s",
        place: QuantityLocation::EastEdges,
        read: |run| run.flow(Field::DischargeEast),
        set: Some(|run, to| run.set_edges("discharge_east", Field::DischargeEast, to)),
    },
    RunQuantity {
        name: "discharge_south",
        about: "unit discharge over edges, southward",
        unit: "m2/s",
        place: QuantityLocation::SouthEdges,
        read: |run| run.flow(Field::DischargeSouth),
        set: Some(|run, to| run.set_edges("discharge_south", Field::DischargeSouth, to)),
    },
    RunQuantity {
        name: "rain",
        about: "rain; set, it falls so from now on",
        unit: "m/s",
        place: QuantityLocation::Cells,
        read: Run::rain_in_domain,
        set: Some(Run::set_rain),
    },
    RunQuantity {
        name: "inflow",
        about: "discharge of the sources; set, they bring it from now on",
        unit: "m3/s",
        place: QuantityLocation::Sources,
        read: Run::inflow,
        set: Some(Run::set_inflow),
    },
];

/// Finds a quantity by name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static RunQuantity> {
    QUANTITIES.iter().find(|quantity| quantity.name == name).ok_or_else(|| {
        let names: Vec<&str> = QUANTITIES.iter().map(|quantity| quantity.name).collect();
        Error::input(format!("'{name}' is not a quantity of a run"))
            .hint(format!("it has {}", names.join(", ")))
    })
}

impl Run {
    /// Reads the present values of a quantity. The run must have been started
    /// [to be changed](super::StartParameters::changes).
    ///
    /// # Errors
    /// If the solver does not have this quantity, or if the device fails.
    pub fn read(&mut self, quantity: &RunQuantity) -> Result<Vec<f64>> {
        (quantity.read)(self)
    }

    /// Sets the values of a quantity: one per location, or one for all; NaN leaves a value
    /// unchanged.
    ///
    /// # Errors
    /// If the quantity cannot be set, or the values are invalid; nothing is set then.
    pub fn set(&mut self, quantity: &RunQuantity, values: &[f64]) -> Result<()> {
        let name = quantity.name;
        let Some(set) = quantity.set else {
            return Err(Error::input(format!("{name}: it cannot be set"))
                .hint("set depth, level, rain, inflow, or the flow from which steps continue"));
        };
        let (rows, columns) = self.shape(quantity.place);
        if rows * columns == 0 {
            return Err(Error::input(format!("{name}: the run has no {}", quantity.place.name()))
                .hint("add a source to the scenario first, with 0 m3/s if it starts later"));
        }
        match values {
            [one] => set(self, &vec![*one; rows * columns]),
            all if all.len() == rows * columns => set(self, all),
            all => Err(Error::input(format!("{name}: {} values", all.len()))
                .hint(format!("give {rows} rows of {columns}, or one value for all"))),
        }
    }

    /// Returns the number of rows and columns of the values at a location.
    pub fn shape(&self, place: QuantityLocation) -> (usize, usize) {
        let (rows, columns) = (self.facts.grid.rows, self.facts.grid.columns);
        match place {
            QuantityLocation::Cells => (rows, columns),
            QuantityLocation::EastEdges => (rows, columns + 1),
            QuantityLocation::SouthEdges => (rows + 1, columns),
            QuantityLocation::Sources => (1, self.facts.sources.len()),
        }
    }

    /// Returns `true` if time is counted in seconds, not in steps.
    pub fn is_timed(&self) -> Result<bool> {
        Ok(self.clock()?.unit == TimeUnit::Seconds)
    }

    /// Returns `true` if the solver has velocities and discharges.
    pub fn has_flow(&self) -> bool {
        self.facts.has_clock
    }

    /// Returns the six coefficients of the grid's GDAL geotransform.
    pub fn transform(&self) -> [f64; 6] {
        self.facts.grid.transform
    }

    /// Returns the centres of the sources' inflow (east, north, in the DEM's CRS); NaN for sources
    /// without cells.
    pub fn source_places(&self) -> Vec<(f64, f64)> {
        let place = |source: &SourceFacts| source.centre.unwrap_or((f64::NAN, f64::NAN));
        self.facts.sources.iter().map(place).collect()
    }

    /// Returns the names of the sources.
    pub fn sources(&self) -> &[String] {
        &self.facts.watched.accounts.sources
    }
}

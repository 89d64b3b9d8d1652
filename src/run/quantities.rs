//! What can be read of a run between two steps, and set: each quantity is a line of one table. Values are f64, row by row from the
//! north-west; outside the domain those of cells are NaN. The state itself is whole grains in frames of the device: what is read is a copy.

use super::Run;
use super::values::{of_depth, of_level};
use crate::engine::clock::TimeUnit;
use crate::engine::field::Field;
use crate::error::{Error, Result};

/// Where the values of a quantity lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One in every cell.
    Cells,
    /// One over every edge that is crossed eastward, those along the west first: a column more than cells.
    EastEdges,
    /// One over every edge that is crossed southward, those along the north first: a row more than cells.
    SouthEdges,
    /// One for every source, in the order in which the scenario names them.
    Sources,
}

impl Place {
    /// Its name for others.
    pub fn name(self) -> &'static str {
        match self {
            Place::Cells => "cells",
            Place::EastEdges => "east_edges",
            Place::SouthEdges => "south_edges",
            Place::Sources => "sources",
        }
    }
}

/// Reads the values of a quantity.
type Read = fn(&mut Run) -> Result<Vec<f64>>;

/// Sets them.
type Set = fn(&mut Run, &[f64]) -> Result<()>;

/// A quantity of a run.
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its unit where steps have a duration; for others seconds are steps.
    pub unit: &'static str,
    /// Where its values lie.
    pub place: Place,
    /// Reads it.
    read: Read,
    /// Sets it, if it can be; values that are NaN stay as they are.
    set: Option<Set>,
}

impl Quantity {
    /// Whether it can be set.
    pub fn can_be_set(&self) -> bool {
        self.set.is_some()
    }
}

/// All of them.
pub static QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "depth",
        about: "depth of the water",
        unit: "m",
        place: Place::Cells,
        read: |run| run.of_cells(|depth, _| depth),
        set: Some(|run, depths| run.set_depths("depth", depths, of_depth)),
    },
    Quantity {
        name: "level",
        about: "level of the water's surface; of the ground where it is dry",
        unit: "m",
        place: Place::Cells,
        read: |run| run.of_cells(|_, level| level),
        set: Some(|run, levels| run.set_depths("level", levels, of_level)),
    },
    Quantity {
        name: "bed",
        about: "level of the ground; its lowest in a cell with finer ground",
        unit: "m",
        place: Place::Cells,
        read: Run::bed,
        set: None,
    },
    Quantity {
        name: "velocity_east",
        about: "velocity over edges, eastward",
        unit: "m/s",
        place: Place::EastEdges,
        read: |run| run.flow(Field::VelocityEast),
        set: Some(|run, to| run.set_edges("velocity_east", Field::VelocityEast, to)),
    },
    Quantity {
        name: "velocity_south",
        about: "velocity over edges, southward",
        unit: "m/s",
        place: Place::SouthEdges,
        read: |run| run.flow(Field::VelocitySouth),
        set: Some(|run, to| run.set_edges("velocity_south", Field::VelocitySouth, to)),
    },
    Quantity {
        name: "discharge_east",
        about: "unit discharge over edges, eastward",
        unit: "m2/s",
        place: Place::EastEdges,
        read: |run| run.flow(Field::DischargeEast),
        set: Some(|run, to| run.set_edges("discharge_east", Field::DischargeEast, to)),
    },
    Quantity {
        name: "discharge_south",
        about: "unit discharge over edges, southward",
        unit: "m2/s",
        place: Place::SouthEdges,
        read: |run| run.flow(Field::DischargeSouth),
        set: Some(|run, to| run.set_edges("discharge_south", Field::DischargeSouth, to)),
    },
    Quantity {
        name: "rain",
        about: "rain; set, it falls so from now on",
        unit: "m/s",
        place: Place::Cells,
        read: Run::rain_in_domain,
        set: Some(Run::set_rain),
    },
    Quantity {
        name: "inflow",
        about: "discharge of the sources; set, they bring it from now on",
        unit: "m3/s",
        place: Place::Sources,
        read: Run::inflow,
        set: Some(Run::set_inflow),
    },
];

/// The quantity of a name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Quantity> {
    QUANTITIES.iter().find(|quantity| quantity.name == name).ok_or_else(|| {
        let names: Vec<&str> = QUANTITIES.iter().map(|quantity| quantity.name).collect();
        Error::input(format!("'{name}' is nothing that a run can be asked for"))
            .hint(format!("it has {}", names.join(", ")))
    })
}

impl Run {
    /// The values of a quantity now. The run was started [to be changed](super::Beginning::to_be_changed).
    ///
    /// # Errors
    /// If the rule knows no such thing, or if the device fails.
    pub fn read(&mut self, quantity: &Quantity) -> Result<Vec<f64>> {
        (quantity.read)(self)
    }

    /// Sets the values of a quantity: as many as it has, or one for all; those that are NaN stay as they are.
    ///
    /// # Errors
    /// If it cannot be set, or not so; nothing is set then.
    pub fn set(&mut self, quantity: &Quantity, values: &[f64]) -> Result<()> {
        let name = quantity.name;
        let Some(set) = quantity.set else {
            return Err(Error::input(format!("{name}: it cannot be set"))
                .hint("set depth, level, rain, inflow or what steps go on from"));
        };
        let (rows, columns) = self.shape(quantity.place);
        if rows * columns == 0 {
            return Err(Error::input(format!("{name}: the run has no {}", quantity.place.name()))
                .hint("give the scenario a source first: of 0 m3/s, if nothing is to come yet"));
        }
        match values {
            [one] => set(self, &vec![*one; rows * columns]),
            all if all.len() == rows * columns => set(self, all),
            all => Err(Error::input(format!("{name}: {} values", all.len()))
                .hint(format!("give {rows} rows of {columns}, or one value for all"))),
        }
    }

    /// Rows and columns of the values at a place.
    pub fn shape(&self, place: Place) -> (usize, usize) {
        let (rows, columns) = (self.facts.grid.rows, self.facts.grid.columns);
        match place {
            Place::Cells => (rows, columns),
            Place::EastEdges => (rows, columns + 1),
            Place::SouthEdges => (rows + 1, columns),
            Place::Sources => (1, self.facts.sources.len()),
        }
    }

    /// Whether time is counted in seconds, not in steps.
    pub fn is_timed(&self) -> Result<bool> {
        Ok(self.clock()?.unit == TimeUnit::Seconds)
    }

    /// Whether its rule knows velocities and discharges.
    pub fn has_flow(&self) -> bool {
        self.facts.has_clock
    }

    /// The six numbers that place the grid: those of GDAL's geotransform.
    pub fn transform(&self) -> [f64; 6] {
        self.facts.grid.transform
    }

    /// Where its sources are: the middle of their cells (east, north, in the DEM's CRS); NaN of those that have none.
    pub fn source_places(&self) -> Vec<(f64, f64)> {
        let [west, dx, _, north, _, dy] = self.transform();
        let middles = self.facts.watched.accounts.middles(self.facts.grid.columns).into_iter();
        let nowhere = (f64::NAN, f64::NAN);
        let place = |(column, row)| (west + column * dx, north + row * dy);
        middles.map(|middle| middle.map_or(nowhere, place)).collect()
    }

    /// The names of its sources.
    pub fn sources(&self) -> &[String] {
        &self.facts.watched.accounts.sources
    }
}

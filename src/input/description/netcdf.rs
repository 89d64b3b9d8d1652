//! Variables of a NetCDF file as multidimensional arrays. A variable may be in a group; its
//! dimensions are then in the same group or in one around it.

use super::attributes::Attributes;
use super::axes::Role;
use crate::input::gdal_access::{dataset, gdal_log};
use gdal::Dataset;
use gdal::cpl::CslStringList;
use gdal::raster::{Group, MDArray};
use std::path::Path;

/// Groups from that of a variable to the root.
pub struct Groups<'a> {
    groups: Vec<Group<'a>>,
    /// Path of the variable: `/Grid/precipitation`.
    pub path: String,
}

impl<'a> Groups<'a> {
    /// Finds a variable, given by its path or by its name alone.
    pub fn of(whole: &'a Dataset, variable: &str) -> Option<Groups<'a>> {
        Groups::below(whole.root_group().ok()?, "/", variable)
    }

    fn below(group: Group<'a>, path: &str, variable: &str) -> Option<Groups<'a>> {
        let all = CslStringList::new;
        let is_it = |name: &String| name == variable || format!("{path}{name}") == variable;
        if let Some(name) = group.array_names(all()).into_iter().find(is_it) {
            return Some(Groups { groups: vec![group], path: format!("{path}{name}") });
        }
        let inside = group.group_names(all()).into_iter();
        let mut found = inside.filter_map(|name| {
            let inner = group.open_group(&name, all()).ok()?;
            Groups::below(inner, &format!("{path}{name}/"), variable)
        });
        let mut found = found.next()?;
        found.groups.push(group);
        Some(found)
    }

    /// Opens an array by its name or path, in the innermost group that has it.
    pub fn array(&self, name: &str) -> Option<MDArray<'_>> {
        let name = name.rsplit('/').next()?;
        self.groups.iter().find_map(|group| group.open_md_array(name, CslStringList::new()).ok())
    }
}

/// Dimension of a variable.
pub struct Dimension {
    /// Name, without the path of its group.
    pub name: String,
    /// Number of coordinates.
    pub size: usize,
    /// What it counts, if that is declared.
    pub role: Option<Role>,
    /// Unit of the coordinates; empty if none is declared.
    pub unit: String,
    /// Coordinates, if they are numeric.
    pub coordinates: Vec<f64>,
}

/// Layout of a variable.
pub struct Layout {
    /// Path of the variable.
    pub path: String,
    /// Dimensions in storage order.
    pub dimensions: Vec<Dimension>,
}

impl Layout {
    /// Reads the layout of the variable of a raster's bands; `None` if the raster is not NetCDF.
    pub fn of_raster(dataset: &Dataset, path: &Path) -> Option<Layout> {
        if dataset.driver().short_name() != "netCDF" {
            return None;
        }
        let variable = Attributes::of(dataset, 1)?.path()?;
        gdal_log::take();
        let whole = dataset::multidimensional(path).ok();
        let layout = whole.and_then(|whole| Layout::of(&whole, &variable));
        gdal_log::take();
        layout
    }

    fn of(whole: &Dataset, variable: &str) -> Option<Layout> {
        let groups = Groups::of(whole, variable)?;
        let of = |one: &gdal::raster::Dimension| {
            let name = one.name();
            let axis = groups.array(&name).filter(|axis| axis.num_dimensions() == 1);
            let unit = axis.as_ref().map(MDArray::unit).unwrap_or_default();
            let role = Role::of(&name, |what| match (&axis, what) {
                (None, _) => None,
                (Some(_), "units") => Some(unit.clone()),
                (Some(axis), _) => Some(axis.attribute(what).ok()?.read_as_string()),
            });
            let coordinates = axis.as_ref().map(numbers).unwrap_or_default();
            Dimension { name, size: one.size(), role, unit, coordinates }
        };
        let array = groups.array(variable)?;
        let dimensions = array.dimensions().ok()?.iter().map(of).collect();
        Some(Layout { path: groups.path.clone(), dimensions })
    }

    /// Returns the index of the dimension with a role.
    pub fn with(&self, role: Role) -> Option<usize> {
        self.dimensions.iter().position(|one| one.role == Some(role))
    }

    /// Lists the names of the dimensions.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.dimensions.iter().map(|one| one.name.as_str()).collect();
        names.join(", ")
    }
}

fn numbers(axis: &MDArray) -> Vec<f64> {
    let count = axis.num_elements() as usize;
    let is_numeric = axis.datatype().class().is_numeric();
    is_numeric.then(|| axis.read_as(vec![0], vec![count]).ok()).flatten().unwrap_or_default()
}

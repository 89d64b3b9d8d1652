//! Map themes: one for each map and one for each series, over the same backdrop.

use super::{Group, MapLayer, Role};

/// A map theme of the project.
pub struct Theme<'a> {
    /// Name of the theme.
    pub name: &'a str,
    /// Layers that it shows.
    pub shown: Vec<&'a MapLayer>,
    /// Groups that are ticked in it.
    pub groups: Vec<&'a Group>,
}

/// Returns the themes of all groups.
pub fn of(groups: &[Group]) -> Vec<Theme<'_>> {
    let themes = groups.iter().flat_map(|group| match group.role {
        Role::Series => vec![theme(groups, &group.name, group, None)],
        _ => {
            let layers = group.sheets().iter();
            layers.map(|layer| theme(groups, &layer.name, group, Some(layer))).collect()
        }
    });
    themes.collect()
}

/// Returns a theme for a group, or for a single layer of it.
fn theme<'a>(groups: &'a [Group], name: &'a str, of: &Group, only: Option<&MapLayer>) -> Theme<'a> {
    let is_shown = |group: &Group, layer: &MapLayer| match (group.role, only) {
        (Role::Backdrop, _) => layer.shown,
        (Role::Aside, _) => false,
        (_, Some(only)) => only.id == layer.id,
        (_, None) => group.name == of.name,
    };
    let layers = |group: &'a Group| group.layers.iter().filter(move |layer| is_shown(group, layer));
    let with = |group: &&Group| group.role == Role::Backdrop || group.name == of.name;
    Theme {
        name,
        shown: groups.iter().flat_map(layers).collect(),
        groups: groups.iter().filter(with).collect(),
    }
}

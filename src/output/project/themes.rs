//! Map themes: one for each map, and one for each series, over the same backdrop.

use super::xml::{Xml, flag};
use super::{Group, MapLayer, Role};
use std::io;

/// A theme: its name, the group it is about, and the layer if it is about one.
type Theme<'a> = (&'a str, &'a Group, Option<&'a MapLayer>);

/// Writes the themes of all groups.
pub fn write(xml: &mut Xml, groups: &[Group]) -> io::Result<()> {
    let themes = groups.iter().flat_map(|group| -> Vec<Theme> {
        match group.role {
            Role::Series => vec![(&*group.name, group, None)],
            _ => group.sheets().iter().map(|layer| (&*layer.name, group, Some(layer))).collect(),
        }
    });
    let themes: Vec<Theme> = themes.collect();
    xml.create_element("visibility-presets").write_inner_content(|xml| {
        themes.iter().try_for_each(|theme| write_theme(xml, groups, *theme))
    })?;
    Ok(())
}

fn write_theme(xml: &mut Xml, groups: &[Group], (name, of, only): Theme) -> io::Result<()> {
    let is_shown = |group: &Group, layer: &MapLayer| match (group.role, only) {
        (Role::Backdrop, _) => layer.shown,
        (Role::Aside, _) => false,
        (_, Some(only)) => only.id == layer.id,
        (_, None) => group.name == of.name,
    };
    let preset = xml.create_element("visibility-preset");
    let preset = preset.with_attribute(("name", name));
    preset.with_attribute(("has-checked-group-info", "1")).write_inner_content(|xml| {
        for group in groups {
            for layer in group.layers.iter().filter(|layer| is_shown(group, layer)) {
                let entry = xml.create_element("layer").with_attribute(("id", &*layer.id));
                let entry = entry.with_attributes([("visible", flag(true)), ("style", "default")]);
                entry.write_empty()?;
            }
        }
        xml.create_element("checked-group-nodes").write_inner_content(|xml| {
            let with = |group: &&Group| group.role == Role::Backdrop || group.name == of.name;
            groups.iter().filter(with).try_for_each(|group| {
                let node = xml.create_element("checked-group-node");
                node.with_attribute(("id", &*group.name)).write_empty()?;
                Ok(())
            })
        })?;
        Ok(())
    })?;
    Ok(())
}

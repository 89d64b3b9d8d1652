//! Vertical reference of heights: their unit, and whether they count up or down.

use super::attributes::Attributes;
use super::sources;
use crate::error::{Error, Result};
use gdal::Dataset;
use gdal::spatial_ref::SpatialRef;
use std::ffi::{CStr, CString, c_char};

/// Returns the metres per height unit of a CRS, negative if heights count down, and the name of the
/// unit; `None` if the CRS has no vertical part and no third axis.
pub fn unit_of(wkt: &str) -> Option<(f64, String)> {
    let srs = SpatialRef::from_wkt(wkt).ok()?;
    compound_unit(&srs).or_else(|| third_unit(&srs))
}

/// Like [`unit_of`], for a CRS with a third axis of its own.
fn third_unit(srs: &SpatialRef) -> Option<(f64, String)> {
    if srs.axes_count() != 3 {
        return None;
    }
    let crs: serde_json::Value = serde_json::from_str(&srs.to_projjson().ok()?).ok()?;
    let axis = &crs["coordinate_system"]["axis"][2];
    // PROJ writes only the name of its own unit, the metre.
    let unit = &axis["unit"];
    let name = unit.as_str().or(unit["name"].as_str())?;
    let metres = if name == "metre" { 1.0 } else { unit["conversion_factor"].as_f64()? };
    let is_down = axis["direction"] == "down";
    Some((if is_down { -metres } else { metres }, name.into()))
}

/// Like [`unit_of`], for a compound CRS.
fn compound_unit(srs: &SpatialRef) -> Option<(f64, String)> {
    let node = CString::new("VERT_CS").ok()?;
    // SAFETY: `srs` owns its handle and outlives the calls; `node` is NUL-terminated. The returned
    // name, if not null, belongs to the CRS and is copied while the CRS is alive.
    unsafe {
        if gdal_sys::OSRIsCompound(srs.to_c_hsrs()) == 0 {
            return None;
        }
        let mut name: *mut c_char = std::ptr::null_mut();
        let metres = gdal_sys::OSRGetTargetLinearUnits(srs.to_c_hsrs(), node.as_ptr(), &mut name);
        let mut axis = gdal_sys::OGRAxisOrientation::OAO_Other;
        gdal_sys::OSRGetAxis(srs.to_c_hsrs(), std::ptr::null(), 2, &mut axis);
        let is_down = axis == gdal_sys::OGRAxisOrientation::OAO_Down;
        let name =
            if name.is_null() { "unnamed".into() } else { CStr::from_ptr(name).to_string_lossy() };
        Some((if is_down { -metres } else { metres }, name.into_owned()))
    }
}

/// Returns the name of the datum of heights in a CRS; `None` if it has no vertical part.
pub fn datum_of(wkt: &str) -> Option<String> {
    let srs = SpatialRef::from_wkt(wkt).ok()?;
    // SAFETY: `srs` owns its handle and outlives the call, which only reads.
    let is_compound = unsafe { gdal_sys::OSRIsCompound(srs.to_c_hsrs()) } != 0;
    match is_compound {
        true => srs.get_attr_value("VERT_DATUM", 0).ok()?,
        false => (srs.axes_count() == 3).then(|| "the ellipsoid".into()),
    }
}

/// Returns the declaration that the values of a band (from 1) count down from a datum, like depths
/// of the sea floor; `None` if there is none. It is an attribute of the band's variable (CF
/// conventions 1.11: `positive`, or a standard name) or the vertical axis of the CRS. For a VRT
/// without one, those of its sources count.
///
/// # Errors
/// If the band also declares that they count up, or only some of the sources count down.
pub fn counts_down(dataset: &Dataset, number: usize) -> Result<Option<String>> {
    if let Some(down) = one_counts_down(dataset, number)? {
        return Ok(Some(down));
    }
    let (mut down, mut up) = (None, None);
    for source in sources::of_band(dataset, number) {
        match one_counts_down(&source.dataset, source.number)? {
            Some(declared) => down = Some((declared, source.name)),
            None => up = Some(source.name),
        }
    }
    match (down, up) {
        (Some((declared, down)), Some(up)) => Err(Error::input(format!(
            "the heights of its source '{down}' count down ({declared}), and those of '{up}' do not"
        ))),
        (down, _) => Ok(down.map(|(declared, name)| format!("{declared} in '{name}'"))),
    }
}

fn one_counts_down(dataset: &Dataset, number: usize) -> Result<Option<String>> {
    let Some(band) = Attributes::of(dataset, number) else { return Ok(None) };
    let text = |name: &str| band.of_variable(name).unwrap_or_default().trim().to_lowercase();
    let (positive, name) = (text("positive"), text("standard_name"));
    let of_name = match &name[..] {
        "depth" | "sea_floor_depth" => Some(true),
        name if name.contains("depth_below") => Some(true),
        name if name.contains("altitude") || name.contains("height_above") => Some(false),
        _ => None,
    };
    let of_positive = ["up", "down"].contains(&&positive[..]).then(|| positive == "down");
    let of_axis = unit_of(&dataset.projection()).map(|(metres, _)| metres < 0.0);
    let axis = |down| format!("vertical axis {}", if down { "down" } else { "up" });
    let declared = [
        of_positive.map(|down| (down, format!("positive = \"{positive}\""))),
        of_name.map(|down| (down, format!("standard_name = \"{name}\""))),
        of_axis.map(|down| (down, axis(down))),
    ];
    let one = |wanted| declared.iter().flatten().find(|(down, _)| *down == wanted);
    match (one(true), one(false)) {
        (Some((_, down)), Some((_, up))) => Err(Error::input(format!(
            "it declares both that its heights count down ({down}) and that they count up ({up})"
        ))),
        (down, _) => Ok(down.map(|(_, text)| text.clone())),
    }
}

/// Returns a name of a band (from 1) like that of depths, if no attribute declares which way its values
/// count.
pub fn named_like_depths(dataset: &Dataset, number: usize) -> Option<String> {
    let band = Attributes::of(dataset, number)?;
    let is_height = |text: &String| ["up", "height", "altitude"].iter().any(|it| text.contains(it));
    let declared = ["positive", "standard_name"].map(|name| band.of_variable(name));
    if declared.iter().flatten().any(is_height) {
        return None;
    }
    let own = band.variable().map(String::from);
    let texts =
        [band.of_variable("long_name"), band.description(), band.of_variable("standard_name"), own];
    texts.into_iter().flatten().find(|text| {
        let text = text.to_lowercase();
        ["depth", "bathymetr", "positive down"].iter().any(|word| text.contains(word))
    })
}

/// Returns a CRS for heights in metres that count up: without its vertical part if that declares
/// another unit or direction.
pub fn for_metres_up(wkt: String) -> String {
    let is_other = unit_of(&wkt).is_some_and(|(metres, _)| metres != 1.0);
    let stripped = || without(SpatialRef::from_wkt(&wkt).ok()?).to_wkt().ok();
    is_other.then(stripped).flatten().unwrap_or(wkt)
}

/// Returns the metres per unit of heights whose unit is not declared, in a CRS with `metres` per
/// unit of length: that unit, but metres if it is much longer than a metre, since no heights are
/// stored in km.
pub fn of_length(metres: f64) -> f64 {
    if metres > 10.0 { 1.0 } else { metres }
}

/// Unit of the heights of features in a CRS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightUnit {
    /// Metres per unit, from the vertical part of the CRS; negative if heights count down.
    Declared(f64),
    /// Metres per unit of the CRS itself, which has no vertical part; 1 if that is like the km.
    Assumed(f64),
}

impl HeightUnit {
    /// Finds the unit of heights in a CRS: the unit of its vertical part, else its unit of length,
    /// else metres.
    pub fn of(crs: &SpatialRef) -> HeightUnit {
        match crs.to_wkt().ok().and_then(|wkt| unit_of(&wkt)) {
            Some((metres, _)) => HeightUnit::Declared(metres),
            None if crs.is_projected() => HeightUnit::Assumed(of_length(crs.linear_units())),
            None => HeightUnit::Assumed(1.0),
        }
    }

    /// Returns the metres per unit; negative if heights count down.
    pub fn metres(self) -> f64 {
        match self {
            HeightUnit::Declared(metres) | HeightUnit::Assumed(metres) => metres,
        }
    }
}

/// Returns the horizontal part of a CRS; horizontal positions are unchanged.
pub fn without(srs: SpatialRef) -> SpatialRef {
    // SAFETY: `srs` is owned here, so its handle is valid and nothing else uses it. GDAL leaves a
    // CRS without a vertical part unchanged, and a null name keeps the current one.
    unsafe {
        gdal_sys::OSRStripVertical(srs.to_c_hsrs());
        gdal_sys::OSRDemoteTo2D(srs.to_c_hsrs(), std::ptr::null());
    }
    srs
}

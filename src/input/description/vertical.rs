//! The vertical part of a compound CRS: the unit of heights in it.

use gdal::spatial_ref::SpatialRef;
use std::ffi::{CStr, CString, c_char};

/// Metres per unit of the heights of a CRS and the unit's name; `None` if it has no vertical part.
pub fn unit_of(wkt: &str) -> Option<(f64, String)> {
    let srs = SpatialRef::from_wkt(wkt).ok()?;
    let node = CString::new("VERT_CS").ok()?;
    // SAFETY: the CRS is alive, and the name that comes back belongs to it and is copied.
    unsafe {
        if gdal_sys::OSRIsCompound(srs.to_c_hsrs()) == 0 {
            return None;
        }
        let mut name: *mut c_char = std::ptr::null_mut();
        let metres = gdal_sys::OSRGetTargetLinearUnits(srs.to_c_hsrs(), node.as_ptr(), &mut name);
        let name =
            if name.is_null() { "unnamed".into() } else { CStr::from_ptr(name).to_string_lossy() };
        Some((metres, name.into_owned()))
    }
}

/// The unit of heights that are drawn in a CRS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightUnit {
    /// Metres per unit, by the vertical part of the CRS.
    Declared(f64),
    /// Metres per unit of the CRS itself, as it has no vertical part.
    Assumed(f64),
}

impl HeightUnit {
    /// Finds the unit of heights in a CRS: that of its vertical part, else its unit of length, else metres.
    pub fn of(crs: &SpatialRef) -> HeightUnit {
        match crs.to_wkt().ok().and_then(|wkt| unit_of(&wkt)) {
            Some((metres, _)) => HeightUnit::Declared(metres),
            None if crs.is_projected() => HeightUnit::Assumed(crs.linear_units()),
            None => HeightUnit::Assumed(1.0),
        }
    }

    /// Metres per unit.
    pub fn metres(self) -> f64 {
        match self {
            HeightUnit::Declared(metres) | HeightUnit::Assumed(metres) => metres,
        }
    }
}

/// The horizontal part of a CRS: places are the same in both.
pub fn without(srs: SpatialRef) -> SpatialRef {
    // SAFETY: the CRS is alive and ours. It stays as it is where it has no vertical part.
    unsafe {
        gdal_sys::OSRStripVertical(srs.to_c_hsrs());
        gdal_sys::OSRDemoteTo2D(srs.to_c_hsrs(), std::ptr::null());
    }
    srs
}

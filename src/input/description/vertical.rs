//! The vertical part of a compound CRS: the unit of heights in it.

use gdal::spatial_ref::SpatialRef;
use std::ffi::{CStr, CString, c_char};

/// Returns the metres per height unit of a CRS and the name of the unit; `None` if the CRS has no
/// vertical part.
pub fn unit_of(wkt: &str) -> Option<(f64, String)> {
    let srs = SpatialRef::from_wkt(wkt).ok()?;
    let node = CString::new("VERT_CS").ok()?;
    // SAFETY: `srs` owns its handle and outlives the calls; `node` is NUL-terminated. The returned
    // name, if not null, belongs to the CRS and is copied while the CRS is alive.
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

/// Unit of the heights of features in a CRS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightUnit {
    /// Metres per unit, from the vertical part of the CRS.
    Declared(f64),
    /// Metres per unit of the CRS itself, which has no vertical part.
    Assumed(f64),
}

impl HeightUnit {
    /// Finds the unit of heights in a CRS: the unit of its vertical part, else its unit of length,
    /// else metres.
    pub fn of(crs: &SpatialRef) -> HeightUnit {
        match crs.to_wkt().ok().and_then(|wkt| unit_of(&wkt)) {
            Some((metres, _)) => HeightUnit::Declared(metres),
            None if crs.is_projected() => HeightUnit::Assumed(crs.linear_units()),
            None => HeightUnit::Assumed(1.0),
        }
    }

    /// Returns the metres per unit.
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

"""Attributes of maps and tables that are returned as xarray objects, by the CF conventions (1.10)."""

import os

CONVENTIONS = "CF-1.10"

# Layers and quantities that have a standard name; an arrival has one for each depth.
_STANDARD_NAMES = {
    "depth": "flood_water_thickness",
    "max_depth": "flood_water_thickness",
    "level": "water_surface_height_above_reference_datum",
    "max_level": "water_surface_height_above_reference_datum",
    "velocity": "flood_water_speed",
    "max_velocity": "flood_water_speed",
    "arrival_time": "time_when_flood_water_rises_above_threshold",
    "time_of_max": "time_of_maximum_flood_depth",
    "duration": "flood_water_duration_above_threshold",
}


def of_quantity(about, unit, name=None):
    """Returns the attributes of an array of a quantity; ``name`` is the key of its layer, if it has one."""
    # UDUNITS, which CF requires, writes exponents as plain digits.
    units = (unit or "1").replace("²", "2").replace("³", "3")
    attributes = {"long_name": about, "units": units}
    if name in _STANDARD_NAMES:
        attributes["standard_name"] = _STANDARD_NAMES[name]
        if name.startswith("max_"):
            attributes["cell_methods"] = "time: maximum"
    return attributes


def label(array):
    """Returns the name and the unit of an array, as at an axis of a drawing."""
    about, unit = array.attrs["long_name"], array.attrs["units"].replace("m3", "m³").replace("m2", "m²").replace("_", " ")
    return about if unit == "1" else f"{about} [{unit}]"


def of_time(name, has_dates):
    """Returns the attributes of the coordinate ``time`` or ``step``."""
    if name == "step":
        return {"long_name": "step"}
    if has_dates:
        return {"standard_name": "time", "long_name": "time (UTC)", "axis": "T"}
    return {"long_name": "time since the start of the run", "axis": "T"}


def of_axis(name, grid):
    """Returns the attributes of the coordinate ``x`` or ``y`` on a grid of a report."""
    attributes = {"long_name": name, "units": _axis_unit(grid), "axis": name.upper()}
    if grid["crs"]:
        attributes["long_name"] = {"x": "easting", "y": "northing"}[name]
        attributes["standard_name"] = f"projection_{name}_coordinate"
    return attributes


def _axis_unit(grid):
    metres = grid["dx_m"] / abs(grid["transform"][1])
    known = [(1.0, "m"), (0.3048, "foot"), (1200 / 3937, "US_survey_foot"), (1000.0, "km")]
    return next((unit for size, unit in known if abs(size - metres) < 1e-9 * size), f"{metres:g} m")


def of_run(report, folder, start):
    """Returns the attributes of a run: its origin, solver and grid."""
    fine = report.get("subgrid") or {}
    attributes = {
        "title": title(report, folder),
        **_of_program(report, folder, f", solver {report['rule']}"),
        "solver": report["rule"],
        **_of_grid(fine["fine"] if fine.get("output_grid") == "fine" else report["grid"]),
    }
    if fine:
        attributes["computed_cell_size_m"] = _cell_size(report["grid"])
    if start is not None:
        attributes["start"] = start.isoformat()
    if report["quality"]:
        attributes["quality"] = report["quality"]["verdict"]
    return attributes


def of_study(report, grid, folder):
    """Returns the attributes of the maps of a study on one of its grids."""
    return {"title": f"Study '{folder.name}'", **_of_program(report, folder, ""), **_of_grid(grid)}


def _of_program(report, folder, solver):
    program, _, version = report["version"].partition(" ")
    return {"source": f"{program} {version}{solver}", "version": version, "run": os.path.abspath(folder)}


def _of_grid(grid):
    return {"crs": crs_name(grid["crs"]), "cell_size_m": _cell_size(grid)}


def _cell_size(grid):
    return grid["dx_m"] if grid["dx_m"] == grid["dy_m"] else [grid["dx_m"], grid["dy_m"]]


def title(report, folder):
    """Returns the title of a run, or one from the name of its folder."""
    return report.get("title") or report["parameters"].get("title") or f"Run '{folder.name}'"


def crs_name(wkt):
    """Returns the name of a CRS, the first quoted text of its WKT."""
    return wkt.split('"')[1] if wkt and '"' in wkt else "none (local metres)"


def crs_of(wkt):
    """Returns a CRS as a ``pyproj.CRS``; as WKT if pyproj is not installed or does not support it."""
    if wkt is None:
        return None
    try:
        from pyproj import CRS
        from pyproj.exceptions import CRSError
    except ImportError:
        return wkt
    try:
        crs = CRS.from_wkt(wkt)
        authority = crs.to_authority(min_confidence=100)
        return CRS.from_authority(*authority) if authority else crs
    except CRSError:
        return wkt

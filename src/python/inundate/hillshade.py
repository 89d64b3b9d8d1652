"""Shades the ground, which is drawn below the maps."""

import os
from pathlib import Path

from .errors import InputError, needed

# Pixels along the longer side of the shaded ground.
_SIZE = 1500
# Mean slope to which the ground is exaggerated or flattened.
_SLOPE = 0.25
_LIGHTS = (225, 270, 315, 360)  # degrees from the north
_HEIGHT = 45  # of the lights, degrees above the horizon


def find_ground(report, folder):
    """Returns the path of the DEM of a run, or ``None`` if it is no longer where it was."""
    paths = {each["role"]: each["path"] for each in report["inputs"]}
    dem = paths.get("dem")
    if dem is None:
        return None
    places = [Path(), Path(paths.get("scenario", "")).parent, Path(folder).parent, Path(folder)]
    return next((place / dem for place in places if (place / dem).is_file()), None)


def shade(path, report):
    """Returns the shaded ground of a DEM, 0 to 1 and NaN outside its domain, and its extent (west, east,
    south, north).
    """
    rasterio = needed("rasterio", "shading the ground")
    numpy = needed("numpy", "shading the ground")
    grid = report["grid"]
    metres = grid["dx_m"] / abs(grid["transform"][1])
    try:
        file = rasterio.open(os.fspath(path))
    except rasterio.errors.RasterioIOError as error:
        raise InputError(f"ground: cannot open '{path}': {error}", "give the DEM of the run", 2) from None
    with file:
        size = max(1, max(file.height, file.width) / _SIZE)
        shape = (max(2, round(file.height / size)), max(2, round(file.width / size)))
        heights = file.read(1, out_shape=shape, masked=True, resampling=rasterio.enums.Resampling.average)
        west, south, east, north = file.bounds
    heights = heights.astype(float).filled(numpy.nan)
    cell = metres * (north - south) / shape[0], metres * (east - west) / shape[1]
    down, east_slope = numpy.gradient(heights, *cell)
    steepness = numpy.nanmean(numpy.hypot(down, east_slope))
    exaggeration = _SLOPE / max(float(numpy.nan_to_num(steepness)), 1e-9)
    shaded = _brightness(numpy, exaggeration * east_slope, -exaggeration * down)
    return shaded, (west, east, south, north)


def _brightness(numpy, east, north):
    """Returns the mean brightness of ground with these slopes in several lights, 0 to 1."""
    flat = 1 / numpy.sqrt(1 + east**2 + north**2)
    height = numpy.radians(_HEIGHT)
    lit = 0
    for azimuth in numpy.radians(_LIGHTS):
        towards = -east * numpy.sin(azimuth) - north * numpy.cos(azimuth)
        lit = lit + numpy.clip(flat * (numpy.sin(height) + numpy.cos(height) * towards), 0, 1)
    return lit / len(_LIGHTS)

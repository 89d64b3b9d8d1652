"""Opens maps with xarray."""

from datetime import timezone

from . import attributes
from .errors import InputError, needed

ZARR = "series.zarr"
NETCDF = "series.nc"


def _has(package):
    from importlib.util import find_spec

    return find_spec(package) is not None


def open_map(path, name):
    """Opens a GeoTIFF as a lazily read DataArray with a given name."""
    rioxarray = needed("rioxarray", "opening maps")
    chunks = {} if _has("dask") else None
    array = rioxarray.open_rasterio(path, masked=True, chunks=chunks).squeeze("band", drop=True)
    array.attrs = attributes.of_quantity(array.attrs.get("long_name", name), array.attrs.get("units"))
    return array.rename(name)


def on_grid(array, grid):
    """Describes the coordinates of a map, or of a series, on a grid of a report."""
    for name in ("x", "y"):
        array[name].attrs = attributes.of_axis(name, grid)
    return array


def together(arrays):
    """Combines several maps into a Dataset."""
    xarray = needed("xarray", "opening maps")
    return xarray.Dataset(arrays)


def open_series(folder, layer, found, unit, start):
    """Opens the maps of a layer along time: from the Zarr or NetCDF file of the series if there is one,
    otherwise from the GeoTIFFs.
    """
    xarray = needed("xarray", "opening maps")
    needed("rioxarray", "opening maps")
    how = {"decode_coords": "all", "chunks": {} if _has("dask") else None}
    if (folder / ZARR).is_dir() and _has("zarr"):
        array = xarray.open_zarr(folder / ZARR, **how)[layer]
    elif (folder / NETCDF).is_file() and (_has("netCDF4") or _has("h5netcdf")):
        array = xarray.open_dataset(folder / NETCDF, **how)[layer]
    else:
        slices = [open_map(folder / f"{each['name']}.tif", layer) for each in found]
        array = xarray.concat(slices, "time" if unit == "seconds" else "step")
    name, values = "step", [int(each["time"]) for each in found]
    if unit == "seconds":
        name, values = "time", _times([each["time"] for each in found], start)
    return array.assign_coords({name: (name, values, attributes.of_time(name, start is not None))})


def _times(seconds, start):
    import numpy

    since = (numpy.asarray(seconds, dtype=float) * 1e9).round().astype("timedelta64[ns]")
    return since if start is None else numpy.datetime64(_utc(start), "ns") + since


def _utc(time):
    """Returns a date and time with a time zone in UTC, without the zone."""
    return time.astimezone(timezone.utc).replace(tzinfo=None)


def at(series, time, start):
    """Returns the map of a series that is nearest to a time: a date (UTC, or with its time zone), a time
    since the start (``"90 min"``, a ``timedelta``, or seconds), or a step.
    """
    name = series.dims[0]
    return series.sel({name: time if name == "step" else _place(time, start)}, method="nearest")


def _place(time, start):
    """Returns a time as it is in the coordinate of a series: in UTC, or since the start if that is unknown."""
    pandas = needed("pandas", "choosing a time")
    since = None
    try:
        since = pandas.Timedelta(time, unit="s") if isinstance(time, (int, float)) else pandas.Timedelta(time)
    except (TypeError, ValueError):
        pass
    if since is not None:
        return since if start is None else pandas.Timestamp(_utc(start)) + since
    try:
        date = pandas.Timestamp(time)
    except (TypeError, ValueError):
        raise InputError(f"time: '{time}' is not a time", f"give {_TIMES}", 2) from None
    if start is None:
        raise InputError(f"time: '{time}' is a date, and the run has no start", "give a time since the start: '90 min'", 2)
    return _utc(date) if date.tzinfo else date


_TIMES = "a time since the start, such as '90 min', or a date, such as '2021-07-14T12:00Z'"


def seconds_of(array, start):
    """Returns the time of a map of a series, in seconds since the start of the run."""
    import numpy

    since = array["time"].values
    if start is not None:
        since = since - numpy.datetime64(_utc(start), "ns")
    return float(since / numpy.timedelta64(1, "s"))

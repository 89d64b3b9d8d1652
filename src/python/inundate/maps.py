"""Opens maps with xarray."""

from datetime import timezone

from .errors import needed

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
    array.attrs = {key: array.attrs.get(key, "1") for key in ("long_name", "units")}
    return array.rename(name)


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
    if unit == "seconds":
        return array.assign_coords(time=_times([each["time"] for each in found], start))
    return array.assign_coords(step=[int(each["time"]) for each in found])


def _times(seconds, start):
    import numpy

    since = (numpy.asarray(seconds, dtype=float) * 1e9).round().astype("timedelta64[ns]")
    if start is None:
        return since
    return numpy.datetime64(start.astimezone(timezone.utc).replace(tzinfo=None), "ns") + since


def at(series, time):
    """Returns the map of a series that is nearest to a time."""
    return series.sel({series.dims[0]: time}, method="nearest")

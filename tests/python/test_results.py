"""Results of a run, opened with xarray and pandas."""

import os
import sys

import pytest

import inundate

numpy = pytest.importorskip("numpy")
xarray = pytest.importorskip("xarray")
rasterio = pytest.importorskip("rasterio")
pytest.importorskip("rioxarray")


def bits(path):
    with rasterio.open(path) as file:
        return file.read(1, masked=True).filled(numpy.nan)


def same(array, values):
    return numpy.array_equal(numpy.asarray(array), values, equal_nan=True)


def test_a_map_has_the_values_of_its_file(results):
    depth = results["max_depth"]
    assert depth.dims == ("y", "x") and depth.dtype == numpy.float32
    assert same(depth, bits(results.folder / "max_depth.tif"))
    assert numpy.isnan(depth.values[0, 0]) and depth.max() > 0
    assert depth.rio.crs.to_epsg() == 32616
    assert depth.attrs == {"long_name": "maximum water depth", "units": "m"}
    assert float(depth.x[0]) == 745005 and float(depth.y[0]) == 4026295
    assert list(results.dataset().data_vars) == results.layers
    with pytest.raises(KeyError, match="max_depth"):
        results["max_dept"]


@pytest.mark.parametrize("way", ["one file", "GeoTIFFs"])
def test_a_series_has_its_times(results, way, monkeypatch):
    if way == "one file":
        pytest.importorskip("zarr")
    else:
        monkeypatch.setattr("inundate.maps.ZARR", "none")
    assert results.series_layers == ["depth", "velocity"]
    for layer in results.series_layers:
        series = results.series(layer)
        assert series.dims == ("time", "y", "x")
        times = ["2021-07-14T10:05:00", "2021-07-14T10:10:00"]
        assert [str(time)[:19] for time in series.time.values] == times
        for time, stamp in enumerate(["000h05m00s", "000h10m00s"]):
            assert same(series[time], bits(results.folder / f"{layer}_{stamp}.tif"))
        assert series.rio.crs.to_epsg() == 32616
    assert results.start.isoformat() == "2021-07-14T12:00:00+02:00"


@pytest.mark.parametrize("format", ["zarr", "netcdf"])
def test_xarray_opens_a_series_without_help(storm, tmp_path, format):
    if format == "zarr":
        pytest.importorskip("zarr")
    elif not any(map(__import__("importlib.util").util.find_spec, ("netCDF4", "h5netcdf"))):
        pytest.skip("neither netCDF4 nor h5netcdf is installed")
    keys = {**storm, "out": tmp_path / "out", "output_every": "5 min", "layers": "depth,unit_discharge"}
    try:
        results = inundate.run(keys, series=format, progress=False)
    except inundate.InputError as error:
        assert format == "netcdf" and "cannot write NetCDF" in error.message
        pytest.skip(f"{error.message}")
    open_ = xarray.open_zarr if format == "zarr" else xarray.open_dataset
    with open_(results.folder / ("series.zarr" if format == "zarr" else "series.nc")) as dataset:
        assert dataset.attrs["Conventions"] == "CF-1.10"
        assert dataset.time.values.tolist() == [300, 600] and dataset.time.attrs["units"] == "s"
        assert dataset.unit_discharge.attrs["units"] == "m2/s"
        for layer in ("depth", "unit_discharge"):
            for time, stamp in enumerate(["000h05m00s", "000h10m00s"]):
                assert same(dataset[layer][time], bits(results.folder / f"{layer}_{stamp}.tif"))
        mapping = dataset.spatial_ref.attrs
        assert mapping["grid_mapping_name"] == "transverse_mercator"
        assert mapping["longitude_of_central_meridian"] == -87
        assert mapping["false_easting"] == 500000
        assert dataset.x.attrs["standard_name"] == "projection_x_coordinate"


def test_tables_have_times(results):
    pandas = pytest.importorskip("pandas")
    gauges = results.gauges
    assert gauges.columns[0] == "bridge depth [m]"
    assert gauges.index[0] == pandas.Timestamp("2021-07-14T10:00:00")
    assert (results.mass_balance["error [m3]"] == 0).all()
    with pytest.raises(inundate.InputError, match="sections.csv"):
        results.sections
    with pytest.raises(inundate.InputError, match="sewer_nodes.csv"):
        results.sewer_nodes


def test_maps_are_drawn_in_classes(results):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = results.plot("max_depth")
    assert len(axes.images) == 1
    colours = [stop["colour"] for stop in results.report["styles"]["max_depth"]["stops"]]
    drawn = axes.images[0].cmap(range(len(colours)), bytes=True)
    assert [list(map(int, colour)) for colour in drawn] == colours
    assert results.plot("depth", time="2021-07-14T10:06").images


def test_a_missing_package_is_named(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "rioxarray", None)
    with pytest.raises(inundate.MissingPackage, match="pip install xarray rioxarray"):
        results["max_depth"]


def test_a_broken_report_raises_an_input_error(tmp_path):
    for text in (b"", b"{", b"\xff", b"[]"):
        (tmp_path / "run.json").write_bytes(text)
        (tmp_path / "study.json").write_bytes(text)
        with pytest.raises(inundate.InputError, match="run.json|that of a run"):
            inundate.Results(tmp_path)
        if text != b"[]":
            with pytest.raises(inundate.InputError, match="study.json"):
                inundate.Study(tmp_path)


SEWERS = """[OPTIONS]
FLOW_UNITS CMS
FLOW_ROUTING DYNWAVE
START_DATE 07/14/2021
END_DATE 07/15/2021
ROUTING_STEP 5
[JUNCTIONS]
M1 7.5 2 0 0 0
[OUTFALLS]
O1 7 FREE NO
[CONDUITS]
P1 M1 O1 100 0.013 0 0
[XSECTIONS]
P1 CIRCULAR 0.4 0 0 0
[COORDINATES]
M1 745105 4026145
O1 745305 4026145
"""


@pytest.mark.skipif(not os.environ.get("INUNDATE_SWMM"), reason="SWMM is not installed")
def test_sewers_have_tables_by_time_and_by_node(storm, tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "town.inp").write_text(SEWERS)
    results = inundate.run(storm, sewers=tmp_path / "town.inp", out=tmp_path / "out", progress=False)
    assert list(results.sewers.columns[:3]) == ["M1 head [m]", "M1 exchange [m3/s]", "M1 overflow [m3/s]"]
    assert results.sewers["M1 exchange [m3/s]"].max() > 0
    into = results.sewer_nodes["into sewer [m3]"]
    assert into["M1"] > 1 and into.sum() == results.report["sewers"]["into_sewer_m3"]
    assert (results.mass_balance["error [m3]"] == 0).all()

"""Results of a run, opened with xarray and pandas."""

import os
import shutil
import sys
from datetime import timedelta
from importlib.util import find_spec

import pytest

import inundate
from conftest import SOUTH, WEST

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
    assert depth.attrs["long_name"] == "maximum water depth" and depth.attrs["units"] == "m"
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
    elif not any(map(find_spec, ("netCDF4", "h5netcdf"))):
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
    gauges = results.table("gauges")
    assert gauges.columns[0] == "bridge depth [m]"
    assert gauges.index[0] == pandas.Timestamp("2021-07-14T10:00:00")
    assert (results.mass_balance["error [m3]"] == 0).all()
    with pytest.raises(inundate.InputError, match="no section") as caught:
        results.sections
    assert caught.value.hint == "give it sections"
    with pytest.raises(inundate.InputError, match="sewer_nodes.csv"):
        results.sewer_nodes


def test_a_map_is_drawn_over_the_shaded_ground(results, drawn):
    axes = results.plot("max_depth")
    ground, water = axes.images
    assert ground.get_extent() == water.get_extent() == [WEST, WEST + 400, SOUTH, SOUTH + 300]
    shades = ground.get_array()
    # The valley's sides face each other; the corner is outside the domain.
    assert shades.shape == (30, 40) and shades.mask[0, 0] and not shades.mask[15, 20]
    assert shades.max() - shades.min() > 0.05
    assert axes.get_aspect() == 1
    assert axes.get_xlabel() == "easting [m]" and axes.get_ylabel() == "northing [m]"
    title = axes.get_title("left").splitlines()
    assert title == [results.title, "maximum water depth", "2021-07-14 12:00 to 12:12 UTC+02:00 (12 min)"]
    assert "bridge" in [text.get_text() for text in axes.texts]


def test_maps_are_drawn_in_the_classes_of_the_run(results, drawn):
    for layer in ("max_depth", "velocity", "arrival_time"):
        axes = results.plot(layer, features=False, ground=False)
        [water] = axes.images
        shown = [stop for stop in results.report["styles"][layer]["stops"] if stop["colour"][3]]
        assert [text.get_text() for text in axes.get_legend().get_texts()] == [stop["label"] for stop in reversed(shown)]
        assert not axes.texts
        lower = 0
        for stop in results.report["styles"][layer]["stops"]:
            # A class includes its upper bound.
            value = lower + 1 if stop["value"] is None else stop["value"]
            assert list(water.to_rgba(numpy.float32([value]), bytes=True)[0])[3] == stop["colour"][3], (layer, value)
            if stop["colour"][3]:
                assert list(water.to_rgba(numpy.float32([value]), bytes=True)[0]) == stop["colour"], (layer, value)
            lower = value


@pytest.mark.parametrize("time", ["2021-07-14T10:06", "2021-07-14T12:06+02:00", "6 min", 360, timedelta(minutes=6)])
def test_the_map_of_a_series_nearest_to_a_time_is_drawn(results, drawn, time):
    axes = results.plot("depth", time=time)
    assert axes.get_title("left").endswith("\n2021-07-14 12:05 UTC+02:00 (after 5 min)")
    assert same(axes.images[1].get_array().filled(numpy.nan), bits(results.folder / "depth_000h05m00s.tif"))


def test_a_time_is_given_as_time_since_the_start(storm, tmp_path, drawn):
    results = inundate.run(storm, output_every="4 min", out=tmp_path / "out", progress=False)
    for time in ("9 min", 540, timedelta(minutes=9)):
        assert results.plot("depth", time=time).get_title("left").endswith("\nafter 8 min")
    assert results.plot("max_depth").get_title("left").endswith("\n0 to 10 min")
    with pytest.raises(inundate.InputError, match="noon") as caught:
        results.plot("depth", time="noon")
    assert "90 min" in caught.value.hint
    with pytest.raises(inundate.InputError, match="no start"):
        results.plot("depth", time="2021-07-14T12:00Z")


def test_a_moved_dem_is_reported_and_can_be_given(storm, tmp_path, drawn):
    dem = tmp_path / "moved" / "valley.asc"
    dem.parent.mkdir()
    for ending in (".asc", ".prj"):
        shutil.copy(storm["dem"].with_suffix(ending), dem.with_suffix(ending))
    results = inundate.run({**storm, "dem": dem, "out": tmp_path / "out"}, progress=False)
    dem = dem.rename(tmp_path / "elsewhere.asc")
    with pytest.warns(inundate.InundateWarning, match="no longer"):
        assert len(results.plot().images) == 1
    assert len(results.plot(ground=dem).images) == 2
    with pytest.raises(inundate.InputError, match="ground: cannot open 'nowhere.tif'"):
        results.plot(ground="nowhere.tif")


def test_an_automaton_is_drawn_after_its_steps(storm, tmp_path, drawn):
    steps = {"solver": "aqua-graph", "rain": "1 mm/step", "duration": None, "roughness": None, "steps": 60}
    results = inundate.run({**storm, **steps}, output_every="20", out=tmp_path / "out", progress=False)
    assert results.plot("max_depth").get_title("left").endswith("\nsteps 0 to 60")
    assert results.plot("depth", time=20).get_title("left").endswith("\nafter step 20")


def test_maps_have_the_attributes_of_their_run(results, tmp_path):
    own = {
        "title": f"Run '{results.folder.name}'",
        "source": f"inundate {inundate.__version__}, solver shallow-water",
        "solver": "shallow-water",
        "version": inundate.__version__,
        "run": str(results.folder),
        "crs": "WGS_1984_UTM_Zone_16N",
        "cell_size_m": 10.0,
        "start": "2021-07-14T12:00:00+02:00",
        "quality": "ok",
    }
    own = {**own, "title": results.report.get("title", own["title"])}
    own["crs"] = results.report["grid"]["crs"].split('"')[1]
    assert results.attrs == own
    series, last = results.series("velocity"), results["arrival_time"]
    for array, about in [
        (series, {"long_name": "flow velocity", "units": "m/s", "standard_name": "flood_water_speed"}),
        (last, {"long_name": "arrival time above 0.05 m", "units": "h"}),
    ]:
        assert {**array.attrs, **about, **own} == array.attrs
        assert array.x.attrs["units"] == "m" and array.y.attrs["standard_name"] == "projection_y_coordinate"
    assert series.time.attrs["standard_name"] == "time"
    dataset = results.dataset()
    assert {**dataset.attrs, **own, "Conventions": "CF-1.10"} == dataset.attrs
    assert "--output-every=5 min" in dataset.attrs["history"]
    assert dataset.max_depth.attrs["cell_methods"] == "time: maximum" and "title" not in dataset.max_depth.attrs
    # Every attribute can be stored.
    if find_spec("netCDF4"):
        dataset.to_netcdf(tmp_path / "all.nc")
        with xarray.open_dataset(tmp_path / "all.nc", decode_coords="all") as stored:
            assert stored.attrs["title"] == own["title"] and stored.rio.crs.to_epsg() == 32616


def test_maps_of_pixels_have_the_size_of_a_pixel(storm, tmp_path):
    keys = {**storm, "subgrid": 2, "duration": "1 min", "out": tmp_path / "out"}
    results = inundate.run(keys, progress=False)
    assert results.attrs["cell_size_m"] == 10 and results.attrs["computed_cell_size_m"] == 20
    assert results["depth"].shape == (30, 40)


def test_a_flume_has_no_crs(tmp_path, drawn):
    heights = numpy.linspace(1, 0.4, 60, dtype="float32") * numpy.ones((20, 1), "float32")
    kind = {"width": 60, "height": 20, "count": 1, "dtype": "float32"}
    with rasterio.open(tmp_path / "flume.tif", "w", transform=rasterio.transform.from_origin(0, 2, 0.1, 0.1), **kind) as file:
        file.write(heights, 1)
    keys = {"dem": tmp_path / "flume.tif", "local_metres": True, "source": (0.05, 1.05, "5 l/s"), "duration": "5 s"}
    results = inundate.run(keys, out=tmp_path / "out", progress=False)
    assert results.crs is None and results.attrs["crs"] == "none (local metres)"
    assert results.plot().get_xlabel() == "x [m]"
    assert "standard_name" not in results["depth"].x.attrs


def test_the_crs_can_be_passed_on(results, monkeypatch):
    pyproj = pytest.importorskip("pyproj")
    assert isinstance(results.crs, pyproj.CRS)
    assert results.crs.to_epsg() == rasterio.crs.CRS.from_user_input(results.crs).to_epsg() == 32616
    assert results["max_depth"].rio.reproject(results.crs).rio.crs == results["max_depth"].rio.crs
    monkeypatch.setitem(sys.modules, "pyproj", None)
    assert rasterio.crs.CRS.from_user_input(results.crs).to_epsg() == 32616


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

"""Tables of named features, opened with xarray."""

import csv
import json
from pathlib import Path

import pytest

import inundate
from conftest import SOUTH, WEST

numpy = pytest.importorskip("numpy")
xarray = pytest.importorskip("xarray")
pytest.importorskip("pandas")

CRS = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
# Names that contain those of quantities, or look like formulas.
GAUGES = {"weir depth [m]": (200, 150), "=bridge": (300, 150), "velocity x": (350, 160)}


def place(x, y):
    return [WEST + x, SOUTH + y]


def layer(path, kind, features):
    """Writes a layer of features: their properties and coordinates."""
    features = [
        {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}
        for properties, coordinates in features
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": CRS, "features": features}))
    return path


@pytest.fixture(scope="module")
def watched(terrain, tmp_path_factory):
    """Returns the results of a run with features of every kind."""
    folder = tmp_path_factory.mktemp("watched")
    # The ground is above parts of the crest.
    with pytest.warns(inundate.InundateWarning, match="the crest of a weir"):
        return run(terrain, folder)


def run(terrain, folder):
    across = [place(250, 20), place(250, 280)]
    crest = [place(150, 20), place(150, 280)]
    weir = {"name": "old weir", "kind": "weir", "crest": "9.5 m"}
    pump = {"name": "pump", "kind": "pump", "capacity": "0.5 m3/s"}
    return inundate.run(
        dem=terrain,
        rain="60 mm/h",
        roughness=0.05,
        duration="10 min",
        open=["east", "north"],
        gauges=layer(folder / "gauges.geojson", "Point", [({"name": name}, place(*at)) for name, at in GAUGES.items()]),
        sections=layer(folder / "sections.geojson", "LineString", [({"name": "ford"}, across)]),
        structures=layer(folder / "weirs.geojson", "LineString", [(weir, crest)]),
        links=layer(folder / "links.geojson", "LineString", [(pump, [place(205, 145), place(305, 205)])]),
        source=[(*place(100, 150), "2 m3/s"), (*place(100, 150), "2 m3/s"), (*place(60, 150), "1 m3/s")],
        level="south:100-140,12.3 m",
        out=folder / "out",
        progress=False,
    )


def columns(results, name):
    """Returns the columns of a CSV by their heads, in the order of the file."""
    with open(results.folder / name, newline="") as file:
        head, *rows = csv.reader(file)
    return [(name, numpy.array([float(row[at]) for row in rows])) for at, name in enumerate(head)]


def test_gauges_are_a_dimension(watched):
    gauges = watched.gauges
    assert list(gauges.gauge.values) == list(GAUGES) and gauges.depth.dims == ("time", "gauge")
    file = columns(watched, "gauges.csv")[2:]
    quantities = ["depth", "level", "velocity", "velocity_x", "velocity_y"]
    assert len(file) == len(GAUGES) * len(quantities)
    for (head, values), (name, quantity) in zip(file, [(name, quantity) for name in GAUGES for quantity in quantities]):
        assert head.lstrip("'").startswith(f"{name} {quantity.replace('_', ' ')} [")
        assert numpy.array_equal(gauges[quantity].sel(gauge=name), values), head
    assert gauges.depth.attrs == {"long_name": "water depth", "units": "m", "standard_name": "flood_water_thickness"}
    assert gauges.velocity_y.attrs["units"] == "m/s"
    assert gauges.time[1] - gauges.time[0] == numpy.timedelta64(int(1e9 * watched.report["gauge_every"]), "ns")
    bridge = gauges.sel(gauge="=bridge")
    assert float(bridge.x) == WEST + 300 and bridge.x.attrs["units"] == "m"
    assert float(bridge.max_depth) == watched.report["gauges"][1]["max_depth_m"] > 0
    assert float(bridge.bed) == watched.report["gauges"][1]["bed_m"]
    arrival = bridge.arrival.values / numpy.timedelta64(1, "s")
    assert arrival == pytest.approx(watched.report["gauges"][1]["arrival"], abs=1e-6)


def test_sections_and_structures_are_dimensions(watched):
    file = dict(columns(watched, "sections.csv"))
    for dataset, dimension, name in ((watched.sections, "section", "ford"), (watched.structures, "structure", "old weir")):
        assert list(dataset[dimension].values) == [name]
        for quantity, unit in (("discharge", "m3/s"), ("volume", "m3")):
            assert numpy.array_equal(dataset[quantity].sel({dimension: name}), file[f"{name} {quantity} [{unit}]"])
            assert dataset[quantity].attrs["units"] == unit
        assert float(abs(dataset.discharge).max()) > 0
    assert list(watched.structures.kind.values) == ["weir"]
    assert watched.structures.given_crest.item() == 9.5 and watched.structures.given_crest.attrs["units"] == "m"


def test_terms_of_the_mass_balance_are_dimensions(watched):
    last = watched.mass_balance.iloc[-1]
    report = watched.report
    sources = watched.sources.inflow.isel(time=-1)
    # Two of the sources have the same name.
    assert list(sources.values) == pytest.approx([each["inflow_m3"] for each in report["sources"]])
    assert list(sources.values) == pytest.approx([1200, 1200, 600], abs=0.01)
    levels, sides = watched.levels.isel(time=-1), watched.open_sides.outflow.isel(time=-1)
    assert float(levels.inflow.sum() + sources.sum()) == pytest.approx(last["inflow [m3]"])
    assert float(levels.outflow.sum() + sides.sum()) == pytest.approx(last["outflow [m3]"])
    assert list(sides.side.values) == ["north", "east"]
    links = watched.links.isel(time=-1)
    assert list(links.link.values) == ["pump"] and links.kind.item() == "pump"
    assert links.forward.item() == report["links"][0]["forward_m3"] > 0 == links.back.item()
    with pytest.raises(inundate.InputError, match="no rating") as caught:
        watched.ratings
    assert caught.value.hint == "give it rating"


def test_tables_have_attributes_and_can_be_stored(watched, tmp_path):
    pytest.importorskip("netCDF4")
    for name in ("gauges", "sections", "structures", "sources", "levels", "open_sides", "links"):
        dataset = getattr(watched, name)
        assert dataset.attrs["title"] == watched.title and dataset.attrs["solver"] == "shallow-water"
        assert dataset.attrs["Conventions"] == "CF-1.10" and dataset.attrs["cell_size_m"] == 10
        for key, array in dataset.data_vars.items():
            assert array.attrs["long_name"], key
            assert "units" in array.attrs or array.dtype.kind == "m", key
        dataset.to_netcdf(tmp_path / f"{name}.nc")
        with xarray.open_dataset(tmp_path / f"{name}.nc", decode_timedelta=True) as stored:
            assert stored.equals(dataset)


def test_a_chart_has_a_line_for_each_feature(watched, drawn):
    axes = watched.chart("gauges", "level")
    assert [line.get_label() for line in axes.lines] == list(GAUGES)
    for line, name in zip(axes.lines, GAUGES):
        assert numpy.array_equal(line.get_ydata(), watched.gauges.level.sel(gauge=name))
    assert axes.lines[0].get_xdata()[-1] == 10
    assert axes.get_xlabel() == "time since the start [min]" and axes.get_ylabel() == "water level [m]"
    assert axes.get_title("left") == watched.title
    [line] = watched.chart("sections").lines
    assert line.axes.get_ylabel() == "discharge [m³/s]"
    [line] = watched.chart("gauges", "depth", names="=bridge", title="The bridge").lines
    assert line.axes.get_title("left") == "The bridge"


@pytest.mark.parametrize(
    "given, hint",
    [
        ({"table": "mud"}, "gauges, sections"),
        ({"quantity": "mud"}, "depth, level"),
        ({"names": ["=bridge", "mud"]}, "weir depth"),
    ],
)
def test_a_wrong_chart_is_refused(watched, drawn, given, hint):
    with pytest.raises(inundate.InputError, match="'mud'") as caught:
        watched.chart(**given)
    assert hint in caught.value.hint


def test_a_chart_has_dates_in_the_time_zone_of_the_start(results, drawn):
    axes = results.chart()
    first, last = axes.lines[0].get_xdata()[[0, -1]]
    assert (str(first)[:16], str(last)[:16]) == ("2021-07-14T12:00", "2021-07-14T12:12")
    assert axes.get_xlabel() == "time (UTC+02:00)"


def test_the_documented_examples_run(storm, tmp_path, drawn):
    keys = {**storm, "duration": "2 h", "output_every": "1 h", "start": "2021-07-14T13:00+02:00", "rain": "1 mm/h"}
    gauges = [(*place(200, 150), "bridge"), (*place(300, 150), "mill")]
    across = [*place(250, 20), *place(250, 280)]
    results = inundate.run({**keys, "out": tmp_path / "out"}, gauges=gauges, sections=(*across, "ford"), progress=False)
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    section = page.split("### Gauges and other features\n")[1].split("\n## ")[0]
    blocks = [part.split("```")[0] for part in section.split("```python\n")[1:]]
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), {"inundate": inundate, "results": results})


def test_gauges_of_an_automaton_are_by_step(storm, tmp_path, drawn):
    steps = {"solver": "aqua-graph", "rain": "1 mm/step", "duration": None, "roughness": None, "steps": 30}
    gauge = (*place(200, 150), "ford")
    results = inundate.run({**storm, **steps}, gauges=gauge, out=tmp_path / "out", progress=False)
    gauges = results.gauges
    assert gauges.depth.dims == ("step", "gauge") and list(gauges.data_vars)[:2] == ["depth", "level"]
    assert results.chart().get_xlabel() == "step"
    assert gauges.arrival.dtype.kind == "f" and gauges.sel(gauge="ford").depth[-1] > 0

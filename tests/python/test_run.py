"""The program run from Python; needs no packages except pytest."""

import json
import os
import signal
import subprocess
import threading
import warnings
from datetime import datetime, timedelta, timezone
from importlib.util import find_spec
from pathlib import Path

import pytest

import inundate
from conftest import CELL, COLUMNS, CORNER, ROWS, SOUTH, WEST
from inundate.program import REPEATED, arguments, path


def test_flags_are_written_as_on_the_command_line():
    flags = {
        "dem": Path("a b.tif"),
        "roughness": 0.05,
        "output_every": timedelta(minutes=5),
        "start": datetime(2021, 7, 14, 12, tzinfo=timezone.utc),
        "gauges": ["1,2,a", "3,4,b"],
        "source": [(1, 2.5, "3 m3/s"), "4,5,6 m3/s"],
        "open": ["north", "east"],
        "arrival_depth": [0.1, "0.3 m"],
        "layers": ("depth", "velocity"),
        "overwrite": True,
        "accept_distortion": False,
        "threads": None,
        "as_": "depth",
        "nodata": -1,
    }
    assert arguments(flags) == [
        "--dem=a b.tif",
        "--roughness=0.05",
        "--output-every=300.0 s",
        "--start=2021-07-14T12:00:00+00:00",
        "--gauges=1,2,a",
        "--gauges=3,4,b",
        "--source=1,2.5,3 m3/s",
        "--source=4,5,6 m3/s",
        "--open=north,east",
        "--arrival-depth=0.1,0.3 m",
        "--layers=depth,velocity",
        "--overwrite",
        "--as=depth",
        "--nodata=-1",
    ]


def test_times_of_numpy_are_times():
    numpy = pytest.importorskip("numpy")
    five = [numpy.timedelta64(5, "m"), numpy.timedelta64(300 * 10**9, "ns")]
    assert [arguments({"duration": each}) for each in five] == [["--duration=300.0 s"]] * 2
    assert arguments({"roughness": numpy.float32(0.5), "steps": numpy.int64(3)}) == ["--roughness=0.5", "--steps=3"]
    assert arguments({"overwrite": numpy.bool_(True), "json": numpy.bool_(False)}) == ["--overwrite"]
    assert arguments({"start": numpy.datetime64("2021-07-14T12:00", "ns")}) == ["--start=2021-07-14T12:00:00"]


def test_the_keys_that_can_be_repeated_are_those_of_the_program():
    keys = json.loads(subprocess.run([inundate.find_program(), "schema"], capture_output=True, check=True).stdout)["properties"]
    several = {key for key, about in keys.items() if '"type": "array"' in json.dumps(about)}
    # Layers can have commas, too.
    assert several - {"layers"} == set(REPEATED)


def test_several_sides_are_open(storm, tmp_path):
    results = inundate.run({**storm, "open": ["north", "east"], "duration": "10 s"}, out=tmp_path / "out", progress=False)
    assert results.report["open"] == ["north", "east"]


def test_a_run_returns_its_results(storm, tmp_path):
    told = []
    results = inundate.run(storm, out=tmp_path / "out", duration=timedelta(minutes=5), progress=told.append)
    assert results.folder == tmp_path / "out"
    assert results.layers == ["depth", "max_depth", "arrival_time"]
    assert results.series_layers == []
    assert results.ledger["error_m3"] == 0 and results.ledger["rain_m3"] > 0
    assert results.report["simulated_s"] == 300
    assert results.start is None
    assert results.quality["verdict"] == "ok"
    assert told[-1]["progress"] == 1 and told[-1]["time"] == 300 and told[-1]["left_s"] is None
    assert "max_depth" in repr(results)


def test_flags_override_a_scenario_file(storm, tmp_path):
    keys = {**storm, "dem": str(storm["dem"])}
    file = tmp_path / "scenario.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()))
    results = inundate.run(file, duration="2 min", out=tmp_path / "out", progress=False)
    assert results.report["simulated_s"] == 120
    assert inundate.check(file).solver == "shallow-water"


def test_an_error_carries_message_and_hint(storm, tmp_path):
    with pytest.raises(inundate.InputError) as caught:
        inundate.run(storm, dem="nowhere.tif", out=tmp_path / "out")
    error = caught.value
    assert error.message.startswith("dem: cannot open 'nowhere.tif'")
    assert error.hint.startswith("check the path") and error.exit_code == 2
    assert isinstance(error, ValueError)
    assert not (tmp_path / "out").exists()
    with pytest.raises(inundate.InputError, match="no keyword 'rains'") as caught:
        inundate.run(storm, rains="1 mm/h")
    assert caught.value.hint.startswith("did you mean 'rain'?")
    with pytest.raises(TypeError, match="json"):
        inundate.run(storm, json=True)


def test_a_warning_is_a_python_warning(storm, tmp_path):
    with pytest.warns(inundate.InundateWarning, match="rain") as caught:
        inundate.run(storm, rain="0 mm/h", out=tmp_path / "out", progress=False)
    assert caught[0].filename == __file__


def test_ctrl_c_stops_a_run_that_can_be_resumed(storm, tmp_path):
    def interrupt(now):
        if now["progress"] > 0 and not interrupted.is_set():
            interrupted.set()
            os.kill(os.getpid(), signal.SIGINT)

    interrupted = threading.Event()
    keys = {**storm, "duration": "30 h", "out": tmp_path / "out", "checkpoint_every": "1 h"}
    with pytest.raises(KeyboardInterrupt) as caught:
        inundate.run(keys, progress=interrupt)
    assert isinstance(caught.value, inundate.Stopped)
    assert "stopped by the user" in caught.value.message and "inundate.resume(" in caught.value.hint
    with pytest.raises(inundate.InputError):
        inundate.Results(tmp_path / "out")
    resumed = inundate.resume(tmp_path / "out", progress=False)
    assert resumed.ledger["error_m3"] == 0 and resumed.report["resumed_at_steps"]


def test_an_exception_in_a_listener_ends_the_run(storm, tmp_path):
    def fail(now):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        inundate.run(storm, duration="30 h", out=tmp_path / "out", progress=fail)
    assert not (tmp_path / "out" / "run.json").exists()


def test_a_missing_program_raises_an_error(monkeypatch):
    monkeypatch.setenv("INUNDATE", "/nowhere/inundate")
    with pytest.raises(inundate.InundateError, match="/nowhere/inundate"):
        inundate.find_program()


def test_a_study_and_a_comparison(storm, tmp_path):
    base = {**storm, "dem": str(storm["dem"]), "duration": "2 min"}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in base.items())
    file = tmp_path / "study.toml"
    file.write_text(f'out = "done"\n[base]\n{lines}\n[matrix]\nroughness = [0.03, 0.08]\n')
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = inundate.study(file, progress=told.append)
    assert study.folder == tmp_path / "done"
    assert study.names == ["roughness-0.03", "roughness-0.08"]
    assert study.warnings == []
    assert told[-1]["progress"] == 1
    assert "max_depth_mean" in study.layers
    if find_spec("rioxarray"):
        mean = study["max_depth_mean"]
        assert mean.attrs["title"] == "Study 'done'" and mean.attrs["cell_size_m"] == 10
        assert mean.attrs["units"] == mean.x.attrs["units"] == "m" and mean.attrs["run"] == str(study.folder)
    smooth, rough = (study.results(name) for name in study.names)
    assert smooth.ledger["error_m3"] == 0
    figures = inundate.compare(smooth, rough, threshold="1 mm")
    assert figures["cells"]["compared"] == 1200 - 21 and figures["thresholds"][0]["hits"] > 0
    with pytest.raises(ValueError, match="collect"):
        inundate.study(file, only="1")


def test_runs_and_studies_have_tables_of_points(storm, terrain, tmp_path):
    pytest.importorskip("pandas")
    place = {"type": "Point", "coordinates": [745205, 4026145]}
    feature = {"type": "Feature", "properties": {"class": "house", "value": 1000}, "geometry": place}
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
    layer = {"type": "FeatureCollection", "crs": crs, "features": [feature]}
    (tmp_path / "houses.geojson").write_text(json.dumps(layer))
    (tmp_path / "curves.csv").write_text("class,depth [m],fraction\nhouse,0,0\nhouse,10,1\n")
    points = {"points": tmp_path / "houses.geojson", "damage_curves": tmp_path / "curves.csv"}
    results = inundate.run({**storm, **points}, out=tmp_path / "run", progress=False)
    [house] = results.points.itertuples()
    assert results.points["damage"].iloc[0] == pytest.approx(100 * results.points["max_depth [m]"].iloc[0], abs=1)
    text = f"""
        out = "study"
        [base]
        dem = "{terrain}"
        duration = "10 min"
        roughness = 0.05
        open = "east"
        points = "houses.geojson"
        damage_curves = "curves.csv"
        [[run]]
        name = "often"
        rain = "30 mm/h"
        return_period = 10
        [[run]]
        name = "rare"
        rain = "60 mm/h"
        return_period = 100
        """
    (tmp_path / "study.toml").write_text(text)
    study = inundate.study(tmp_path / "study.toml", progress=False)
    damage = study.points["damage"]
    assert damage["rare", house.Index] == results.points["damage"].iloc[0]
    expected = 0.09 * (damage.iloc[0] + damage.iloc[1]) / 2 + 0.01 * damage["rare", house.Index]
    assert study.expected_damage["expected_annual_damage"].iloc[0] == pytest.approx(expected, rel=1e-3)


def test_paths_that_start_with_a_dash_are_not_flags():
    assert path("-storm.toml") == os.path.join(".", "-storm.toml")
    assert path(Path("storm.toml")) == "storm.toml"


DEPTH_UNITS = {"m": 1, "cm": 0.01, "mm": 0.001, "ft": 0.3048}


def depths(tmp_path, unit):
    """Writes a raster of the value 20 in a declared unit, or in none, on the grid of the terrain."""
    grid = f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\n"
    (tmp_path / "depth.asc").write_text(grid + "\n".join(" ".join(["20"] * COLUMNS) for _ in range(ROWS)) + "\n")
    declared = f"<UnitType>{unit}</UnitType>" if unit else ""
    (tmp_path / "depth.vrt").write_text(
        f"""<VRTDataset rasterXSize="{COLUMNS}" rasterYSize="{ROWS}">
        <GeoTransform>{WEST}, {CELL}, 0, {SOUTH + ROWS * CELL}, 0, -{CELL}</GeoTransform>
        <VRTRasterBand dataType="Float32" band="1">{declared}<SimpleSource>
        <SourceFilename relativeToVRT="1">depth.asc</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"""
    )
    return tmp_path / "depth.vrt"


@pytest.mark.parametrize("unit", DEPTH_UNITS)
def test_the_declared_unit_of_a_raster_is_applied(storm, tmp_path, unit):
    keys = {**storm, "initial_depth": depths(tmp_path, unit), "duration": "10 s"}
    results = inundate.run(keys, out=tmp_path / "out", progress=False)
    volume = results.ledger["initial_m3"] / (COLUMNS * ROWS - CORNER) / CELL**2
    assert volume == pytest.approx(20 * DEPTH_UNITS[unit], rel=1e-6)
    assert not any("initial_depth" in text for text in results.report["assumed"])


def test_a_missing_unit_is_assumed_and_an_unknown_one_refused(storm, tmp_path):
    keys = {**storm, "initial_depth": depths(tmp_path, None), "duration": "10 s"}
    results = inundate.run(keys, out=tmp_path / "out", progress=False)
    assert any("initial_depth" in text and "in m" in text for text in results.report["assumed"])
    keys["initial_depth"] = depths(tmp_path, "furlong")
    with pytest.raises(inundate.InputError, match="furlong"):
        inundate.run(keys, out=tmp_path / "other", progress=False)

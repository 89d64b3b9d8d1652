"""Runs stepped in this process. PYTHONPATH must contain the module inundate_engine (`make test-python`)."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from datetime import timedelta
from pathlib import Path

import pytest

import inundate

numpy = pytest.importorskip("numpy")
inundate_engine = pytest.importorskip("inundate_engine")

PLACE = "745205,4026145"
# Files that are compared; the reports also contain times and commands.
SAME = ["depth.tif", "max_depth.tif", "arrival_time.tif", "mass_balance.csv", "gauges.csv", "project.qgs", "depth.qml"]
LEDGER = ["volume", "greatest", "step_held", "gauges", "sources", "steps", "simulated_s", "quality", "maps", "outputs"]


@pytest.fixture
def keys(storm, tmp_path):
    return {**storm, "gauges": f"{PLACE},bridge", "source": f"{PLACE},2 m3/s", "out": tmp_path / "stepped"}


@pytest.fixture
def start(keys):
    """Starts models, and ends them after the test."""
    models = []

    def start(**more):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models.append(inundate.Model.from_scenario(keys, **more))
        return models[-1]

    yield start
    for model in models:
        model.close()


def write_scenario(keys):
    """Writes the keys to a scenario file beside their output folder."""
    texts = {key: str(value) if isinstance(value, os.PathLike) else value for key, value in keys.items()}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in texts.items())
    (keys["out"].parent / "scenario.toml").write_text(lines)


def assert_same(stepped, run, names):
    for name in names:
        assert (stepped.folder / name).read_bytes() == (run.folder / name).read_bytes(), name
    for key in LEDGER:
        assert stepped.report[key] == run.report[key], key


def test_a_stepped_model_writes_the_files_of_a_run(keys, start, tmp_path):
    run = inundate.run(keys, out=tmp_path / "run", output_every="4 min", progress=False)
    model = start(output_every="4 min")
    model.update(3)
    model.update_until(timedelta(minutes=4))
    assert (model.time, model.end_time) == (240, 600)
    while model.time < model.end_time:
        model.update()
    stepped = model.finalize()
    assert_same(stepped, run, [*SAME, "depth_000h04m00s.tif", "depth_000h08m00s.tif"])
    assert stepped.warnings == run.warnings
    # Setting quantities to their current values changes nothing, and is not reported as a change.
    model = start(out=tmp_path / "again")
    model.update(5)
    for name, quantity in model.quantities.items():
        if quantity.can_be_set and name != "rain":
            model.set_value(name, model.get_value(name))
    assert model.ledger.get("set_m3") is None
    model.update_until(600)
    plain = inundate.run(keys, out=tmp_path / "plain", progress=False)
    assert_same(model.finalize(), plain, SAME)


def test_an_automaton_counts_steps(keys, start, tmp_path):
    automaton = {"solver": "aqua-graph", "rain": "0.1 mm/step", "duration": None, "roughness": None, "steps": 60, "source": None}
    run = inundate.run({**keys, **automaton}, out=tmp_path / "run", progress=False)
    model = start(**automaton)
    assert not model.is_timed and not model.has_flow and model.end_time == 60
    model.update_until(20)
    assert (model.time, model.steps) == (20, 20)
    with pytest.raises(inundate.InputError, match="aqua-graph"):
        model.get_value("velocity_east")
    model.update(40)
    with pytest.raises(inundate.InputError, match="over"):
        model.update()
    assert_same(model.finalize(), run, SAME)


@pytest.mark.parametrize("solver", ["shallow-water", "inertial", "aqua-manning"])
def test_relocating_the_state_changes_nothing(keys, start, tmp_path, solver):
    # Changing rain has another spatial pattern, so the state is rebuilt with another layout.
    model = start(solver=solver, tile="16", threads=2)
    for time in (120, 240, 360):
        model.update_until(time)
        rates = numpy.full(model.shape("rain"), 60e-3 / 3600)
        rates[0, time // 120] = 0
        model.set_value("rain", rates)
    # Steps end at these times in the other run, too.
    for time in (480, 600):
        model.update_until(time)
    run = inundate.run(keys, solver=solver, out=tmp_path / "run", output_every="2 min", progress=False)
    stepped = model.finalize()
    assert stepped.ledger["error_m3"] == 0
    depths = [numpy.nan_to_num(results["depth"].values) for results in (stepped, run)]
    assert numpy.abs(depths[0] - depths[1]).max() < 5e-4 and depths[0].max() > 0.1


def test_set_water_is_a_mass_balance_term(start):
    model = start()
    model.update_until(60)
    depth = model.get_value("depth")
    assert numpy.isnan(depth[0, 0]) and depth[15, 20] > 0
    stored = model.ledger["stored_m3"]
    assert numpy.nansum(depth) * 100 == stored
    depth[10:14, 20:24] = 0.5
    model.set_value("depth", depth)
    assert numpy.array_equal(model.get_value("depth"), depth, equal_nan=True)
    level = numpy.full(model.shape("level"), numpy.nan)
    level[15, 30] = model.get_value("bed")[15, 30] + 0.25
    model.set_value("level", level)
    assert model.get_value("depth")[15, 30] == 0.25
    ledger = model.ledger
    assert ledger["set_m3"] == ledger["stored_m3"] - stored > 100 and ledger["error_m3"] == 0
    velocity = model.get_value("velocity_east")
    velocity[12, 22] = 0.5
    model.set_value("velocity_east", velocity)
    assert model.get_value("velocity_east")[12, 22] == 0.5
    model.update_until(600)
    results = model.finalize()
    assert results.ledger["set_m3"] == ledger["set_m3"] and results.ledger["error_m3"] == 0
    assert results.mass_balance["set [m3]"].iloc[-1] == ledger["set_m3"]
    assert (results.mass_balance["error [m3]"] == 0).all()
    assert "depth once, level once, velocity_east once" in results.warnings[-1]
    assert "set from outside" in (results.folder / "report.html").read_text()


def test_replaced_rain_and_inflow_act_from_now_on(start):
    model = start(keep_state=True)
    cells = model.shape("depth")[0] * model.shape("depth")[1] - 21
    model.update_until(120)
    before = model.ledger
    assert model.sources == [f"{PLACE},2 m3/s"] and model.get_value("inflow") == [2]
    assert model.get_value("rain")[15, 15] == pytest.approx(60e-3 / 3600)
    model.set_value("rain", 0)
    model.set_value("inflow", [5])
    model.update_until(180)
    after = model.ledger
    assert after["rain_m3"] == before["rain_m3"]
    assert after["inflow_m3"] - before["inflow_m3"] == pytest.approx(300, abs=1e-4)
    # Only in the east, which is not a pattern of the scenario; then everywhere again.
    rates = numpy.zeros(model.shape("rain"))
    rates[:, 20:] = 1e-4
    model.set_value("rain", rates)
    assert numpy.allclose(numpy.nan_to_num(model.get_value("rain")), numpy.where(numpy.isnan(model.get_value("rain")), 0, rates))
    model.update_until(240)
    assert model.ledger["rain_m3"] - after["rain_m3"] == pytest.approx(600 * 1e-4 * 60 * 100, rel=1e-4)
    before = model.ledger["rain_m3"]
    model.set_value("rain", 2e-5)
    model.update_until(300)
    assert model.ledger["rain_m3"] - before == pytest.approx(cells * 2e-5 * 60 * 100, rel=1e-4)
    results = model.finalize()
    report = results.report
    assert report["volume"]["error_m3"] == 0 and report["simulated_s"] == 300
    assert report["sources"][0]["inflow_m3"] == report["volume"]["inflow_m3"] == pytest.approx(240 + 900, abs=1e-3)
    assert any("ended at 5 min, before its end at 10 min" in warning for warning in results.warnings)
    # Another run can start from its state.
    on = {"dem": report["parameters"]["dem"], "start_from": results.folder / "state.inundate", "duration": "1 min"}
    assert inundate.run(on, open="east", out=results.folder / "on", progress=False).ledger["initial_m3"] == results.ledger["stored_m3"]


def test_sources_of_a_layer_are_set_separately(start, tmp_path):
    def feature(east, flow):
        point = {"type": "Point", "coordinates": [east, 4026145]}
        return {"type": "Feature", "properties": {"flow": flow, "name": f"at {east}"}, "geometry": point}

    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
    features = [feature(745105, "3 m3/s"), feature(745205, "2 m3/s"), feature(745205, "1 m3/s")]
    (tmp_path / "wells.geojson").write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    model = start(source=tmp_path / "wells.geojson", rain="0 mm/h")
    assert model.get_value("inflow") == pytest.approx([3, 2, 1])
    assert model.source_places[0] == (745105, 4026145)
    model.update_until(100)
    model.set_value("inflow", [numpy.nan, 4, numpy.nan])
    assert model.get_value("inflow") == pytest.approx([3, 4, 1])
    model.update_until(200)
    results = model.finalize()
    brought = [source["inflow_m3"] for source in results.report["sources"]]
    assert brought == pytest.approx([600, 600, 200], abs=1e-3)
    assert sum(brought) == results.ledger["inflow_m3"] and results.ledger["error_m3"] == 0


def test_invalid_calls_raise_and_change_nothing(keys, start, tmp_path):
    with pytest.raises(inundate.InputError, match="nowhere.tif"):
        start(dem="nowhere.tif")
    with pytest.raises(inundate.InputError, match="no keyword 'rains'") as caught:
        start(rains="1 mm/h")
    assert caught.value.hint.startswith("did you mean 'rain'?")
    with pytest.raises(inundate.InputError, match="checkpoint_every"):
        start(checkpoint_every="1 min")
    model = start()
    model.update(4)
    before = model.ledger
    with pytest.raises(inundate.InputError, match="in progress"):
        start()
    depth = numpy.full(model.shape("depth"), numpy.nan)
    depth[12, 7] = -1
    for name, values, said in [
        ("depth", depth, "row 12, column 7"),
        ("depth", numpy.zeros((3, 4)), "array"),
        ("depth", numpy.zeros(7), "7 values"),
        ("rain", -1, "rain: -1"),
        ("rain", "40 mm/h", "rain: '40 mm/h' is not a number"),
        ("inflow", [1, 2], "inflow"),
        ("inflow", [numpy.inf], "inflow"),
        ("bed", 1, "bed"),
        ("discharge_east", 1, "discharge east"),
        ("mud", 1, "mud"),
    ]:
        with pytest.raises(inundate.InputError, match=said) as caught:
            model.set_value(name, values)
        assert caught.value.hint, name
    with pytest.raises(inundate.InputError, match="mud"):
        model.get_value("mud")
    with pytest.raises(inundate.InputError, match="mud"):
        model.shape("mud")
    with pytest.raises(inundate.InputError, match="before"):
        model.update_until(0)
    with pytest.raises(inundate.InputError, match="'5 min' is not a number"):
        model.update_until("5 min")
    assert model.ledger == before
    # An error during a run is raised, and ends the run.
    model.set_value("depth", 100)
    model.set_value("rain", 10)
    with pytest.raises(inundate.RunError, match="deeper"):
        model.update_until(60)
    with pytest.raises(inundate.InputError, match="failed"):
        model.update()
    model = start(out=tmp_path / "unstepped")
    assert model.finalize() is None and not (tmp_path / "unstepped" / "run.json").exists()
    with pytest.raises(inundate.InputError, match="finished"):
        model.get_value("depth")


def test_ctrl_c_stops_a_model_that_can_continue(start):
    model = start(duration="300 h")
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.update_until(model.end_time)
    stopped = model.time
    assert 0 < stopped < model.end_time
    model.update()
    assert model.time > stopped and model.ledger["error_m3"] == 0


def test_stepping_does_not_block_other_threads(start):
    model = start(duration="300 h")
    counted = [0]
    over = threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before, began = counted[0], time.monotonic()
    model.update(3000)
    took = time.monotonic() - began
    over.set()
    thread.join()
    assert counted[0] - before > 20 * took


def test_bmi_tester_passes(keys, tmp_path):
    pytest.importorskip("bmipy")
    pytest.importorskip("bmi_tester")
    write_scenario(keys)
    folders = os.pathsep.join(path for path in sys.path if path)
    command = "import sys; from bmi_tester.main import main; sys.exit(main())"
    tested = subprocess.run(
        [sys.executable, "-c", command, "inundate.bmi:Bmi", "--root-dir", str(tmp_path), "--config-file", "scenario.toml"],
        env={**os.environ, "PYTHONPATH": folders},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert tested.returncode == 0, tested.stdout[-4000:] + tested.stderr[-2000:]
    assert "failed" not in tested.stdout and "passed" in tested.stdout


def test_bmi_counts_rows_from_the_south_with_y_to_the_north(keys, tmp_path):
    pytest.importorskip("bmipy")
    from inundate.bmi import Bmi

    keys["rain"] = "0 mm/h"
    write_scenario(keys)
    bmi = Bmi()
    bmi.initialize(str(tmp_path / "scenario.toml"))
    depth, rows, columns = "land_surface_water__depth", 30, 40
    shown = bmi.get_value_ptr(depth)
    node = (rows - 1 - 5) * columns + 8
    bmi.set_value_at_indices(depth, [node], [1.5])
    assert shown[node] == 1.5 and bmi.model.get_value("depth")[5, 8] == 1.5
    with pytest.raises(ValueError):
        shown[node] = 2
    bmi.update_until(20.0)
    assert bmi.get_current_time() == 20 and 0 < shown[node] < 1.5
    # Row 5 is north of the valley's floor, so its water flows south.
    north = bmi.get_value("land_surface_water_flow__y_component_of_velocity", numpy.empty((rows + 1) * columns))
    assert north.reshape(rows + 1, columns)[rows - 6, 8] < 0
    assert numpy.array_equal(bmi.get_grid_origin(0, numpy.empty(2)), [4026005, 745005])
    assert numpy.array_equal(bmi.get_grid_origin(2, numpy.empty(2)), [4026000, 745005])
    bmi.finalize()
    assert bmi.results.ledger["error_m3"] == 0 and bmi.results.ledger["set_m3"] == 150


def test_the_documented_stepping_examples_run(keys, tmp_path, monkeypatch):
    pytest.importorskip("bmipy")
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    section = page.split("## Stepping\n")[1].split("\n## ")[0]
    blocks = [part.split("```")[0] for part in section.split("```python\n")[1:]]
    assert len(blocks) == 2
    for name, *_ in inundate_engine.quantities():
        assert f"`{name}`" in section
    monkeypatch.chdir(tmp_path)
    write_scenario(keys)
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), {"inundate": inundate})


def test_a_signal_handler_cannot_use_a_stepping_model(start):
    model = start(dt_max="0.1 s")
    heard = []

    def handler(*_):
        # Works between calls of the engine.
        try:
            model.get_value("depth")
        except inundate.errors.InputError as error:
            heard.append(str(error))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        model.update_until(model.end_time)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard and all("is stepping" in what for what in heard)

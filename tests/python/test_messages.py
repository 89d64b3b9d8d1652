"""Messages in the terms of Python."""

import logging
import os
import subprocess
import sys

import pytest

import inundate
from conftest import SOURCES
from inundate.wording import in_python

MESSAGES = [
    ("give a --duration, for example --duration 6h", 'give a duration, for example duration="6h"'),
    ('give one with --dem dem.tif, or dem = "dem.tif"', 'give one with dem="dem.tif"'),
    ("compute on coarser cells with --subgrid 8, or leave output_grid out", "compute on coarser cells with subgrid=8, or leave output_grid out"),
    ('give --output-every "10 min", or leave --series out', 'give output_every="10 min", or leave series out'),
    ("replace them with --overwrite", "replace them with overwrite=True"),
    ("leave --local-metres out; it is for flumes", "leave local_metres out; it is for flumes"),
    ("declare it: --local-metres (local_metres = true)", "declare it: local_metres=True"),
    ("take --solver shallow-water", 'take solver="shallow-water"'),
    ("use --series zarr, which QGIS can open", 'use series="zarr", which QGIS can open'),
    ("(cargo build --release) supports what gdalinfo --format COG lists", "(cargo build --release) supports what gdalinfo --format COG lists"),
    ("gdalwarp -srcnodata -9999; --nodata nan keeps them", 'gdalwarp -srcnodata -9999; nodata="nan" keeps them'),
    ("declare it: --nodata -9999", "declare it: nodata=-9999"),
    ("give --nodata VALUE", "give nodata=VALUE"),
    ("--open south:0-500,south:900-1200 --outflow-slope south,0.001", 'open="south:0-500,south:900-1200", outflow_slope="south,0.001"'),
    ("give its EPSG code: --crs EPSG:4326", 'give its EPSG code: crs="EPSG:4326"'),
    ("a run with --step counts hours", "a run with step counts hours"),
    ("give --rain, --source or --inflow-depth", "give rain, source or inflow_depth"),
    ("it is --initial-depth 'a b/depth.tif'", 'it is initial_depth="a b/depth.tif"'),
    ("continue with: inundate resume results", 'continue with: inundate.resume("results")'),
    ("map these cells: inundate check --parted parted.tif", 'map these cells: inundate.check(..., parted="parted.tif")'),
    ("make one with: inundate new dem.tif > scenario.toml", "make one with: inundate new dem.tif > scenario.toml"),
    ("with: 'a.tif' is dry nowhere; give --dry-nodata", "other: 'a.tif' is dry nowhere; give dry_nodata=True"),
    ("a dash -- and a-b--c stay", "a dash -- and a-b--c stay"),
]


@pytest.mark.parametrize("message, expected", MESSAGES)
def test_flags_become_keyword_arguments(message, expected):
    assert in_python(message) == expected
    assert in_python(expected) == expected


def from_model(scenario, **keys):
    pytest.importorskip("inundate_engine")
    return inundate.Model.from_scenario(scenario, **keys)


# Keys that are wrong, and parts of the message and the hint.
WRONG = [
    ({"rains": "1 mm/h"}, "there is no keyword 'rains'", "did you mean 'rain'?"),
    ({"wholly_unknown": 1}, "there is no keyword 'wholly_unknown'", "keys of a scenario file"),
    ({"solver": "inertia"}, "solver: 'inertia' is not one of shallow-water, inertial", "did you mean 'inertial'?"),
    ({"duration": None}, "the run has no end", 'duration="6h"'),
    ({"dem": None}, "no DEM is given", 'give one with dem="dem.tif"'),
    ({"overwrite": "yes"}, "overwrite: 'yes' is not True or False", None),
    ({"threads": "many"}, "threads: 'many' is not valid: ", None),
    ({"open": None, "outflow_slope": "0.001"}, "no side is open", 'open="south"'),
]


@pytest.mark.parametrize("start", [inundate.run, inundate.check, from_model])
@pytest.mark.parametrize("keys, message, hint", WRONG)
def test_errors_name_keyword_arguments(storm, tmp_path, start, keys, message, hint):
    with pytest.raises(inundate.InputError) as caught:
        start(storm, **{"out": tmp_path / "out", **keys})
    error = caught.value
    assert message in error.message and (hint is None or hint in error.hint)
    assert "--" not in str(error) and str(error).startswith(error.message)


@pytest.mark.parametrize("start", [inundate.run, inundate.check, from_model])
def test_warnings_and_notes_name_keyword_arguments(storm, tmp_path, start, caplog):
    caplog.set_level(logging.INFO, "inundate")
    with pytest.warns(inundate.InundateWarning, match="no water in this run, so its maps will be dry: give rain, source,"):
        started = start(storm, rain=None, roughness=None, duration="1 s", out=tmp_path / "out")
    assert "give one with roughness)" in caplog.text and "--roughness" not in caplog.text
    if isinstance(started, inundate.Model):
        started.close()
    elif isinstance(started, inundate.Results):
        assert any("give rain, source," in warning for warning in started.warnings)


@pytest.mark.parametrize("start", [inundate.run, from_model])
def test_earlier_results_are_replaced_with_a_keyword_argument(storm, tmp_path, start):
    inundate.run(storm, duration="1 s", out=tmp_path / "out", progress=False)
    with pytest.raises(inundate.InputError) as caught:
        start(storm, out=tmp_path / "out")
    assert caught.value.hint == "choose another folder with out, or replace them with overwrite=True"


def test_unknown_keyword_arguments_of_other_functions_are_named(storm, tmp_path):
    results = inundate.run(storm, duration="1 s", out=tmp_path / "out", progress=False)
    with pytest.raises(inundate.InputError, match="no keyword 'dem'"):
        inundate.resume(results, dem="other.tif")
    with pytest.raises(inundate.InputError, match="no keyword 'thresholds'") as caught:
        inundate.compare(results, results, thresholds="0.1")
    assert caught.value.hint.startswith("did you mean 'threshold'?")
    with pytest.raises(inundate.InputError, match="^other: cannot open 'nowhere.tif'"):
        inundate.compare(results, "nowhere.tif")


def test_the_version_of_a_checkout_is_that_of_its_manifest(tmp_path):
    code = "import inundate; print(inundate.__version__)"
    variables = {**os.environ, "PYTHONPATH": str(SOURCES)}
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=variables, capture_output=True, text=True)
    manifest = (SOURCES.parents[1] / "Cargo.toml").read_text()
    assert f'\nversion = "{found.stdout.strip()}"\n' in manifest, found.stderr

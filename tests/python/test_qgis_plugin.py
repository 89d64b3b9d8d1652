"""The options that the dialogs of the QGIS plugin are made of. `tests/program/qgis` tests the dialogs in QGIS."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "data" / "qgis_plugin" / "inundate"
PROGRAM = os.environ.get("INUNDATE", "inundate")


def of_plugin(module):
    """Imports a module of the plugin, whose package has the same name as the Python package."""
    if "inundate_plugin" not in sys.modules:
        spec = importlib.util.spec_from_file_location("inundate_plugin", PLUGIN / "__init__.py", submodule_search_locations=[str(PLUGIN)])
        sys.modules["inundate_plugin"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["inundate_plugin"])
    return importlib.import_module(f"inundate_plugin.{module}")


@pytest.fixture(scope="module")
def description():
    return of_plugin("description").Description(of_plugin("description").texts(PROGRAM))


@pytest.fixture(scope="module")
def schema():
    return json.loads(subprocess.run([PROGRAM, "schema"], capture_output=True, check=True).stdout)["properties"]


@pytest.mark.parametrize("command", ["run", "check"])
def test_every_key_of_the_schema_is_an_option_with_a_group(description, schema, command):
    options = {option.key: option for option in description.options(command)}
    keys = {key for key, value in schema.items() if not value.get("deprecated")}
    assert keys - set(options) == set()
    for key in keys:
        assert options[key].about == schema[key]["description"]
        assert options[key].group in {"Most used", "Terrain", "Water", "Losses", "Time", "Solver", "Output", "Report", "Machine"}, key
        assert options[key].label and options[key].value or options[key].kind == "flag", key
    labels = [option.label for option in options.values()]
    assert len(set(labels)) == len(labels)


def test_files_layers_and_words_are_told_apart(description):
    """The kinds come from names of values and from descriptions, so that a new wording can change them."""
    options = description.options("run")

    def of_kind(kind):
        return {option.key for option in options if option.kind == kind}

    assert of_kind("raster") == {"dem", "land_cover", "inflow_depth", "sinks", "loss_classes", "background"}
    assert of_kind("vector") == {"buildings", "walls", "rivers", "openings", "links", "structures", "points", "sewer_nodes"}
    assert of_kind("file") == {"scenario", "subgrid_tables", "damage_curves", "logo"}
    assert of_kind("folder") == {"out"}
    assert of_kind("choices") == {"layers"}
    assert of_kind("choice") == {"rain_values", "solver", "neighbourhood", "grain", "series", "style", "output_grid", "output_surface", "compress"}
    assert of_kind("integer") == {"subgrid", "steps", "order", "threads"}
    assert of_kind("number") == {"rain_factor", "alpha", "curve_number_initial"}
    of_key = {option.key: option for option in options}
    several = {"source", "level", "rating", "gauges", "sections", "outflow_slope", "layers"}
    assert {option.key for option in options if option.repeatable} == several
    accepts = {
        "rain": {"raster", "vector", "csv", "folder"},
        "source": {"raster", "vector"},
        "level": {"vector"},
        "rating": {"vector"},
        "open": {"vector"},
        "roughness": {"raster"},
        "infiltration": {"raster"},
        "initial_level": {"vector"},
        "evaporation": {"csv"},
        "gauges": {"vector", "csv"},
        "start_from": {"folder", "file"},
        "links": {"vector", "csv"},
        "duration": set(),
    }
    assert {key: of_key[key].accepts for key in accepts} == accepts
    assert of_key["walls"].geometries == ["lines"] and of_key["points"].geometries == ["points", "polygons"]
    assert [word for word, _ in of_key["infiltration"].words] == ["horton", "green-ampt", "curve-number"]
    assert dict(of_key["solver"].words)["inertial"].startswith("local inertia")
    assert (of_key["roughness"].default, of_key["roughness"].example) == ("0.035", "0.03")
    compare = {option.key: option for option in description.options("compare")}
    assert compare["with"].accepts == {"raster", "vector", "csv", "folder"} and compare["with"].kind == "text"
    assert compare["difference"].kind == "output" and compare["crs"].kind == "crs" and compare["as"].kind == "choice"
    animate = {option.key: option for option in description.options("animate")}
    assert animate["out"].kind == "folder" and animate["out"].positional and animate["frames"].default == "120"


def test_a_study_has_its_own_keys(description):
    options, of_runs = of_plugin("options").of_study(description.study)
    assert {option.key: option.kind for option in options} == {
        "aggregates": "choices",
        "base": "text",
        "depths": "text",
        "out": "text",
        "percentiles": "numbers",
    }
    assert of_runs == ["name", "return_period", "weight"]


def test_help_in_one_line_and_in_paragraphs_is_read():
    text = """Does a thing

Usage: thing [OPTIONS] <FILE>

Arguments:
  <FILE>  A file

Options:
      --short <N>   Short [default: 3]
  -k, --kind <KIND>
          Kind, over
          two lines

          More: of it

          Possible values:
          - a:     First
          - cuda:N: Second,
            continued
          
          [default: a]

Other things:
      --word <W>  A word [possible values: x, y]
  -h, --help      Print help

Examples:
  thing --not-a-flag
"""
    file, short, kind, word = of_plugin("help_text").parse(text)
    assert (file.key, file.positional, file.about) == ("file", True, "A file")
    assert (short.key, short.value, short.group, short.about, short.default) == ("short", "N", "Options", "Short", "3")
    assert kind.about == "Kind, over two lines\n\nMore: of it" and kind.default == "a"
    assert kind.words == [("a", "First"), ("cuda:N", "Second, continued")]
    assert word.group == "Other things" and [name for name, _ in word.words] == ["x", "y"]


def test_scenarios_are_written_with_portable_paths(tmp_path):
    toml = of_plugin("toml_text")
    folder = tmp_path / "run" / "out"
    folder.mkdir(parents=True)
    flow = tmp_path / "run" / "2021 flow.csv"
    flow.touch()
    assert toml.portable(f"1,2,{flow}", str(folder)) == "1,2,../2021 flow.csv"
    assert toml.portable([str(folder / "a.tif"), "40 mm/h"], str(folder)) == [str(folder / "a.tif"), "40 mm/h"]
    (folder / "a.tif").touch()
    assert toml.portable(str(folder / "a.tif"), str(folder)) == "./a.tif"
    assert toml.portable("/usr", str(folder)) == "/usr"
    assert toml.table({"a": True, "b": 0.5, "c": 'x"\\', "d": ["ü", 1]}) == 'a = true\nb = 0.5\nc = "x\\"\\\\"\nd = ["ü", 1]\n'


def test_the_packaged_description_is_used_without_a_program(tmp_path, monkeypatch):
    description = of_plugin("description")
    monkeypatch.setattr(description, "PACKAGED", str(tmp_path / "description.json"))
    assert description.of("/nowhere/inundate") is None
    # As `make qgis-plugin` makes it.
    make = [sys.executable, "-B", "-m", "inundate.description", PROGRAM]
    packaged = subprocess.run(make, cwd=PLUGIN.parent, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": ""}).stdout
    (tmp_path / "description.json").write_bytes(packaged)
    assert description.of("/nowhere/inundate").options("run") == description.of(PROGRAM).options("run")

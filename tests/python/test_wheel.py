"""The wheel, in a clean environment and in hostile ones. `make wheel` sets INUNDATE_WHEEL to its path."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import xarray

WHEEL = os.environ.get("INUNDATE_WHEEL")
MOST = 40e6  # bytes

pytestmark = pytest.mark.skipif(not WHEEL, reason="INUNDATE_WHEEL names no wheel: make wheel does")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Creates an environment that contains only the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin/pip", "install", "-q", "--no-deps", WHEEL], check=True)
    return folder


def clean(**more):
    """Returns the environment variables of a bare shell."""
    return {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", **more}


def run(environment, terrain, folder, variables):
    """Runs from Python with a gauge in degrees, for which PROJ needs its database; returns the report."""
    point = {"type": "Point", "coordinates": [-84.2677, 36.3497]}
    feature = {"type": "Feature", "properties": {"name": "bridge"}, "geometry": point}
    (folder / "gauges.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    code = f"""if True:
        import inundate, json
        assert inundate.find_program() == {str(environment / "bin/inundate")!r}, inundate.find_program()
        results = inundate.run(dem={str(terrain)!r}, rain="60 mm/h", duration="2 min", open="all",
                               gauges="gauges.geojson", out="out", output_every="1 min", series="netcdf")
        print(json.dumps(results.report))"""
    command = [environment / "bin/python", "-W", "ignore", "-c", code]
    ran = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_wheel_is_small():
    assert Path(WHEEL).stat().st_size <= MOST


def test_the_wheel_runs_without_other_software(environment, terrain, tmp_path):
    report = run(environment, terrain, tmp_path, clean())
    assert report["volume"]["error_m3"] == 0
    assert "UTM zone 16N" in report["grid"]["crs"]
    assert 745000 < report["gauges"][0]["x"] < 745400
    with xarray.open_dataset(tmp_path / "out/series.nc", decode_coords="all") as series:
        assert series.sizes["time"] == 2 and float(series["depth"].max()) > 0


def test_another_gdal_and_proj_installation_is_ignored(environment, terrain, tmp_path):
    # Files and variables as set by conda, with unusable contents.
    foreign = environment / "share"
    for name in ("proj/proj.db", "gdal/gdalvrt.xsd", "plugins/gdal_GTiff.so", "plugins/ogr_GeoJSON.so"):
        (foreign / name).parent.mkdir(parents=True, exist_ok=True)
        (foreign / name).write_text("of another release")
    variables = clean(
        PROJ_DATA=str(foreign / "proj"),
        PROJ_LIB=str(foreign / "proj"),
        GDAL_DATA=str(foreign / "gdal"),
        GDAL_DRIVER_PATH=str(foreign / "plugins"),
        CONDA_PREFIX=str(environment),
    )
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    here = run(environment, terrain, tmp_path / "here", clean())
    there = run(environment, terrain, tmp_path / "there", variables)
    for key in ("grid", "gauges", "volume", "maps", "warnings"):
        assert here[key] == there[key], key


def test_nvrtc_is_found_in_the_environment(environment):
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    place = f"{name}/site-packages/nvidia/cu13/lib/libnvrtc.so.13"
    folder = (environment / "lib" / place).parent
    folder.mkdir(parents=True)
    (folder / "libnvrtc.so.13").write_text("no library")
    command = [environment / "bin/inundate", "devices"]
    said = subprocess.run(command, env=clean(), capture_output=True, text=True).stdout
    # This library is tried first, and fails to load.
    assert place in said, said

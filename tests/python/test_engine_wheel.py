"""The wheel of the extension module, in a clean environment. `make wheel-engine` sets INUNDATE_ENGINE_WHEEL to its path."""

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

WHEEL = os.environ.get("INUNDATE_ENGINE_WHEEL")

pytestmark = pytest.mark.skipif(not WHEEL, reason="INUNDATE_ENGINE_WHEEL names no wheel: make wheel-engine does")


def test_a_model_steps_beside_another_gdal(terrain, tmp_path):
    venv.create(tmp_path / "environment", with_pip=True)
    pip, python = tmp_path / "environment/bin/pip", tmp_path / "environment/bin/python"
    subprocess.run([pip, "install", "-q", "numpy", "rasterio"], check=True)
    subprocess.run([pip, "install", "-q", "--no-deps", WHEEL], check=True)
    # PROJ's database is needed for the gauge, which is in degrees.
    point = {"type": "Point", "coordinates": [-84.2677, 36.3497]}
    feature = {"type": "Feature", "properties": {"name": "bridge"}, "geometry": point}
    (tmp_path / "gauges.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    code = f"""if True:
        import rasterio, inundate
        rasterio.open({str(terrain)!r}).read()
        model = inundate.Model.from_scenario(dem={str(terrain)!r}, rain="60 mm/h", duration="2 min", open="all",
            gauges={str(tmp_path / "gauges.geojson")!r}, out={str(tmp_path / "out")!r})
        model.update_until(60)
        model.set_value("depth", 0.5)
        print(model.ledger["error_m3"], rasterio.crs.CRS.from_epsg(32616).to_epsg())
    """
    sources = Path(__file__).parents[2] / "src" / "python"
    variables = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "PYTHONPATH": str(sources)}
    ran = subprocess.run([python, "-c", code], env=variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["0.0", "32616"]

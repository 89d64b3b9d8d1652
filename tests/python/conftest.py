"""A small terrain, and a run over it. `INUNDATE` is the path of the tested program."""

import os
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "python"
if os.environ.get("INUNDATE_INSTALLED") != "1":
    sys.path.insert(0, str(SOURCES))

COLUMNS, ROWS, CELL = 40, 30, 10
WEST, SOUTH = 745000, 4026000
# Cells outside the domain.
CORNER = 21
UTM_16_N = (
    'PROJCS["WGS_1984_UTM_Zone_16N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],'
    'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
    'PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-87.0],'
    'PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'
)


@pytest.fixture(scope="session")
def terrain(tmp_path_factory):
    """Returns a valley that falls to the east, with a corner outside the domain."""
    folder = tmp_path_factory.mktemp("terrain")
    rows = []
    for row in range(ROWS):
        levels = [abs(row - ROWS // 2) * 0.2 - 0.05 * column + 10 for column in range(COLUMNS)]
        rows.append(" ".join("-9999" if row + column < 6 else f"{z:.3f}" for column, z in enumerate(levels)))
    head = f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\nNODATA_value -9999\n"
    (folder / "dem.asc").write_text(head + "\n".join(rows) + "\n")
    (folder / "dem.prj").write_text(UTM_16_N)
    return folder / "dem.asc"


@pytest.fixture
def storm(terrain):
    """Returns the keys of a short storm over the terrain."""
    return {"dem": terrain, "rain": "60 mm/h", "roughness": 0.05, "duration": "10 min", "open": "east"}


@pytest.fixture(scope="session")
def results(terrain, tmp_path_factory):
    """Returns the results of a run with every kind of output that can be opened."""
    import inundate

    out = tmp_path_factory.mktemp("run") / "flood"
    return inundate.run(
        {"dem": terrain, "rain": "60 mm/h", "roughness": 0.05, "duration": "12 min", "open": "east"},
        output_every="5 min",
        layers=["depth", "velocity", "max_depth", "arrival_time"],
        start="2021-07-14T12:00+02:00",
        gauges=f"{WEST + 200},{SOUTH + 150},bridge",
        series="zarr",
        out=out,
        progress=False,
    )


@pytest.fixture
def drawn():
    """Draws without a screen, and closes the figures after the test."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")

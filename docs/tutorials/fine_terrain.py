# %% [markdown]
# # Fine terrain on coarse cells, from Python
#
# The [tutorial](fine_terrain.md) as a notebook, which Jupyter and VS Code can open. The valley is artificial, so no data are
# needed. It takes a minute and needs the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)).

# %%
from pathlib import Path

import inundate
import numpy
import rasterio
from rasterio.features import rasterize
from rasterio.transform import from_origin

CELL = 2  # m, of the terrain

# %% [markdown]
# ## The terrain
#
# A valley that falls to the east, with a brook 6 m wide and 1.2 m deep.

# %%
west, north = 450000, 5550800
rows, columns = 800 // CELL, 1440 // CELL
x = (numpy.arange(columns) + 0.5) * CELL
y = (numpy.arange(rows)[:, None] + 0.5) * CELL
ground = 102 - x / 450 + 10 * (numpy.abs(y - 400) / 400) ** 2
line = [(450000, 5550400), (450160, 5550420), (450320, 5550370), (450480, 5550410), (450640, 5550440), (450800, 5550400)]
line += [(450960, 5550360), (451120, 5550400), (451280, 5550420), (451440, 5550400)]
corner = from_origin(west, north, CELL, CELL)
banks = [*((x, y + 3) for x, y in line), *((x, y - 3) for x, y in reversed(line)), (line[0][0], line[0][1] + 3)]
brook = rasterize([{"type": "Polygon", "coordinates": [banks]}], (rows, columns), transform=corner)
kind = {"height": rows, "width": columns, "count": 1, "dtype": "float32", "crs": "EPSG:25832", "transform": corner}
with rasterio.open("lidar.tif", "w", **kind) as file:
    file.write((ground - 1.2 * brook).astype("float32"), 1)

# %% [markdown]
# ## The run
#
# Cells of 10 × 10 pixels with tables of these; the maps show the pixels.

# %%
Path("wave.csv").write_text("time [h],flow [m3/s]\n0,2\n0.5,2\n1,24\n1.5,16\n2.5,4\n")
flood = {
    "dem": "lidar.tif",
    "subgrid": 10,
    "roughness": 0.04,
    "source": "450011,5550401,wave.csv",
    "open": "east",
    "duration": "2.5 h",
    "gauges": ["450642,5550440,brook", "450642,5550425,bank"],
    "layers": ["depth", "max_depth", "max_level"],
    "output_every": "15 min",
}
results = inundate.run(flood, out="flood", overwrite=True)
print("off by", results.ledger["error_m3"])
results.plot("max_depth")
results.chart("gauges", "depth")

# %% [markdown]
# ## Checking the cell size
#
# Compare with finer cells.

# %%
finer = inundate.run(flood, subgrid=5, out="finer", overwrite=True)
figures = inundate.compare(results, finer, threshold="0.1 m")
print(figures["thresholds"][0])
(results["max_depth"].fillna(0) - finer["max_depth"].fillna(0)).plot(cmap="RdBu_r", vmin=-0.2, vmax=0.2)

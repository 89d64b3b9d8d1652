# %% [markdown]
# # A dam break, from Python
#
# The [tutorial](dam_break.md) as cells of a notebook (Jupyter and VS Code open this file as one). It takes a minute. The demo's terrain is
# `dem.tif` in this folder; `pip install "inundate[xarray]"` has what is needed.

# %%
import json
from pathlib import Path

import inundate
import rioxarray
from rasterio.enums import Resampling
from rasterio.transform import from_origin

CELL = 40  # m

# %% [markdown]
# ## The ground and the reservoir
#
# `initial_level` fills the polygon up to 400 m where the ground is lower.

# %%
dem = rioxarray.open_rasterio("dem.tif", masked=True)
corner, shape = from_origin(752000, 4034500, CELL, CELL), (11500 // CELL, 9920 // CELL)
valley = dem.rio.reproject(dem.rio.crs, transform=corner, shape=shape, resampling=Resampling.bilinear)
valley.rio.to_raster("valley.tif")
ring = [[757700, 4031250], [756900, 4031250], [753000, 4028500], [753000, 4034400], [761800, 4034400], [761800, 4034000]]
ring += [[758100, 4031600], [757700, 4031250]]
reservoir = {"type": "Feature", "properties": {"level": 400}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
Path("reservoir.geojson").write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": [reservoir]}))

# %% [markdown]
# ## The worst case: no dam, all at once

# %%
valley = {
    "dem": "valley.tif",
    "roughness": 0.06,
    "open": "all",
    "duration": "1 h",
    "layers": ["depth", "max_depth", "arrival_time", "max_velocity"],
    "arrival_depth": "0.1 m",
    "gauges": ["758200,4030300,town", "759600,4029000,mill"],
    "gauge_every": "15 s",
    "overwrite": True,
}
sudden = inundate.run(valley, initial_level="reservoir.geojson", out="sudden")
print(round(sudden.ledger["initial_m3"]), "m3 at the start; off by", sudden.ledger["error_m3"])
sudden.gauges.plot(y=["town depth [m]", "mill depth [m]"])
sudden.plot("max_velocity")

# %% [markdown]
# ## A breach that takes its time
#
# A triangle with the peak of Froehlich (1995), Q = 0.607·V^0.295·h^1.24, and the volume of the reservoir, at the foot of the dam.

# %%
volume, height = sudden.ledger["initial_m3"], 45
peak = 0.607 * volume**0.295 * height**1.24
lasts = 2 * volume / peak / 60
Path("breach.csv").write_text(f"time [min],flow [m3/s]\n0,0\n20,{peak:.0f}\n{lasts:.1f},0\n")
breach = inundate.run(valley, source="757580,4031400,breach.csv", duration="90 min", out="breach")
for run in (sudden, breach):
    for gauge in run.report["gauges"]:
        print(run.folder.name, gauge["name"], round(gauge["max_depth_m"], 1), "m deep, after", round(gauge["arrival"]), "s")

# %% [markdown]
# ## What if the guess of n is wrong?

# %%
for n in (0.04, 0.1):
    run = inundate.run(valley, initial_level="reservoir.geojson", roughness=n, out=f"rough_{n}")
    print(n, [round(gauge["arrival"]) for gauge in run.report["gauges"]], "s to the town and the mill")

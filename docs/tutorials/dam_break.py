# %% [markdown]
# # A dam break, from Python
#
# The [tutorial](dam_break.md) as a notebook, which Jupyter and VS Code can open. It takes a few minutes. It needs the demo's terrain as
# `dem.tif` in this folder, and the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)).

# %%
import json
from pathlib import Path

import inundate
import rioxarray
from rasterio.enums import Resampling
from rasterio.transform import from_origin

CELL = 40  # m

# %% [markdown]
# ## The terrain and the reservoir
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
# ## Instantaneous failure

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
sudden.chart("gauges", "depth")
sudden.plot("max_velocity")

# %% [markdown]
# ## A breach that grows
#
# A dam in which a trapezoid grows, with width and formation time by Froehlich (2008), along the edge of the reservoir. The DEM has no
# dam: the structure is the dam.

# %%
breach_keys = {"kind": "breach", "crest": 401, "reservoir_volume": "22.6 hm3", "failure": "overtopping", "start": "0 min"}
line = [[757790, 4031329], [757700, 4031250], [757440, 4031250]]
dam = {"type": "Feature", "properties": {"name": "dam", **breach_keys}, "geometry": {"type": "LineString", "coordinates": line}}
Path("dam.geojson").write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": [dam]}))
breach = inundate.run(valley, initial_level="reservoir.geojson", structures="dam.geojson", duration="90 min", out="breach")
for run in (sudden, breach):
    for gauge in run.report["gauges"]:
        print(run.folder.name, gauge["name"], round(gauge["max_depth_m"], 1), "m deep, after", round(gauge["arrival"] or 0), "s")
print(breach.report["structures"][0]["breach"])

# %% [markdown]
# ## Sensitivity to roughness

# %%
for n in (0.04, 0.1):
    run = inundate.run(valley, initial_level="reservoir.geojson", roughness=n, out=f"rough_{n}")
    print(n, [round(gauge["arrival"]) for gauge in run.report["gauges"]], "s to the town and the mill")

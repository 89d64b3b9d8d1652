# %% [markdown]
# # A river flood, from Python
#
# The [tutorial](river_flood.md) as a notebook, which Jupyter and VS Code can open, with an additional example: a reservoir
# upstream that is operated during the flood. It takes a minute. It needs the demo's terrain as `dem.tif` in this folder, and
# the wheels of `make wheel` and `make wheel-engine` ([installation](../install.md)).

# %%
import json
from pathlib import Path

import inundate
import rioxarray
from rasterio.enums import Resampling
from rasterio.transform import from_origin

CELL = 40  # m

# %% [markdown]
# ## The terrain
#
# The valley is clipped from the DEM.

# %%
dem = rioxarray.open_rasterio("dem.tif", masked=True)
corner, shape = from_origin(756000, 4012000, CELL, CELL), (6400 // CELL, 5920 // CELL)
valley = dem.rio.reproject(dem.rio.crs, transform=corner, shape=shape, resampling=Resampling.bilinear)
valley.rio.to_raster("valley.tif")

# %% [markdown]
# ## The hydrograph
#
# A line distributes the inflow over the cells that it touches. A river starts dry: a steady inflow fills it before the wave arrives.

# %%
Path("clinch.csv").write_text("time [h],flow [m3/s]\n0,1000\n1,1000\n4,2500\n7,1200\n10,700\n")


def layer(path, geometry, **properties):
    """Writes a layer of one line, in the DEM's CRS."""
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
    line = {"type": "Feature", "properties": properties, "geometry": {"type": "LineString", "coordinates": geometry}}
    Path(path).write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": [line]}))
    return path


across = [[761880, 4010300], [761880, 4010800]]
inflow = layer("inflow.geojson", across, name="Clinch River", hydrograph="clinch.csv")
steady = layer("steady.geojson", across, name="Clinch River", flow="1000 m3/s")

# %% [markdown]
# ## Warm-up
#
# `check` estimates the cost of a run, and runs nothing. After eight hours of steady flow the same discharge passes all sections;
# `keep_state` stores this state.

# %%
flood = {
    "dem": "valley.tif",
    "roughness": 0.035,
    "source": inflow,
    "duration": "10 h",
    "outflow_slope": "south,0.0005",
    "gauges": ["758240,4006460,creek mouth", "758160,4006860,creek", "759500,4007900,bend"],
    "sections": ["761000,4009900,761000,4011100,upstream", "759700,4008100,758900,4008100,downstream"],
    "output_every": "1 h",
}
inundate.check(flood)
warm_up = inundate.run(flood, source=steady, duration="8 h", keep_state=True, out="warm_up", overwrite=True)
for name in ("upstream", "downstream"):
    print(name, round(float(warm_up.sections.discharge.sel(section=name)[-1]), 1), "m3/s at the end of the warm-up")

# %% [markdown]
# ## The flood
#
# It starts from the state of the warm-up.

# %%
results = inundate.run(flood, start_from="warm_up", out="flood", overwrite=True)
results.ledger

# %% [markdown]
# The error of the mass balance is 0 m³. Downstream the wave is later and lower:

# %%
results.chart("sections", "discharge")
results.plot("max_depth")

# %% [markdown]
# ## A levee
#
# A weir with its crest at 264 m, across the mouth of the creek, against backwater from the river.

# %%
levee = layer("levee.geojson", [[758090, 4006420], [758220, 4006530], [758350, 4006690]], name="levee", kind="weir", crest="264 m")
dry = inundate.run(flood, start_from="warm_up", structures=levee, out="with_levee", overwrite=True)
(dry["max_depth"].fillna(0) - results["max_depth"].fillna(0)).plot(cmap="RdBu_r")
deepest = [float(run.gauges.max_depth.sel(gauge="creek")) for run in (results, dry)]
print(f"the creek stands {deepest[0]:.1f} m deep, and {deepest[1]:.1f} m behind the levee")

# %% [markdown]
# ## A reservoir upstream
#
# A reservoir retains the flow above 1500 m³/s as long as it has room. A scenario has no key for such an operating rule: here it is written
# in Python, and the run is [stepped](../python.md#stepping) minute by minute.

# %%
ROOM = 12e6  # m3

model = inundate.Model.from_scenario(flood, start_from="warm_up", out="with_reservoir", overwrite=True)
kept = 0.0
hours, flows = [0, 1, 4, 7, 10], [1000, 1000, 2500, 1200, 700]
while model.time < model.end_time:
    hour = model.time / 3600
    after = next(at for at in range(1, len(hours)) if hour < hours[at])
    part = (hour - hours[after - 1]) / (hours[after] - hours[after - 1])
    comes = flows[after - 1] + part * (flows[after] - flows[after - 1])
    lets_through = min(comes, 1500) if kept < ROOM else comes
    kept += 60 * (comes - lets_through)
    model.set_value("inflow", lets_through)
    model.update_until(min(model.time + 60, model.end_time))
held_back = model.finalize()
print(f"{kept / 1e6:.1f} million m³ were kept")
for run in (results, held_back):
    print(run.folder.name, run.report["gauges"][2]["max_depth_m"], run.ledger["error_m3"])

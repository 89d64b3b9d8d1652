# %% [markdown]
# # Tide and storm surge, from Python
#
# The [tutorial](tide_surge.md) as a notebook, which Jupyter and VS Code can open. The coast is artificial, so no data are
# needed. It takes a minute and needs the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)).

# %%
import json
from pathlib import Path

import inundate
import numpy
import rasterio
from rasterio.enums import Resampling
from rasterio.transform import from_origin
from rasterio.warp import reproject

CELL = 25  # m

# %% [markdown]
# ## A coast
#
# A height every 250 m: the sea in the west, a foreland, low ground behind it, and hills in the east.

# %%
west, north, crs = 450000, 5952500, "EPSG:25832"
profile = numpy.array([-4.0, -3.2, -1.9, 0.7, -0.3, -0.5, -0.3, 0.0, 0.5, 1.3, 3.1, 6.0])
rise = numpy.array([0.2, 0.0, -0.2, -0.4, -0.5, -0.4, -0.2, 0.1, 0.4, 0.8])
heights = (profile + rise[:, None] * (profile > -1)).astype("float32")
shape = (2500 // CELL, 3000 // CELL)
coast = numpy.empty(shape, "float32")
reproject(
    heights,
    coast,
    src_transform=from_origin(west, north, 250, 250),
    dst_transform=from_origin(west, north, CELL, CELL),
    src_crs=crs,
    dst_crs=crs,
    resampling=Resampling.bilinear,
)
kind = {"height": shape[0], "width": shape[1], "count": 1, "dtype": "float32", "crs": crs}
with rasterio.open("coast.tif", "w", transform=from_origin(west, north, CELL, CELL), **kind) as file:
    file.write(coast, 1)

# %% [markdown]
# ## The surge, the levee, a breach and a sluice
#
# The crest of the levee is at 5 m; the breach is the gap between the lines. The sluice is a culvert with a flap gate, which drains the
# polder at low tide.

# %%
Path("surge.csv").write_text("time [h],level [m]\n0,-0.5\n3,1.6\n6,0.6\n8.5,3.4\n9.5,3.4\n12,1.0\n15,-0.6\n")
Path("sluice.csv").write_text(
    "name,kind,x1,y1,x2,y2,width,height,inlet_level,outlet_level\nsluice,flap,450990,5951650,450790,5951650,4,2.5,-0.8,-0.9\n"
)


def layer(path, kind, *features):
    """Writes a layer of lines or polygons with their levels."""
    def feature(level, coordinates):
        return {"type": "Feature", "properties": {"level": level}, "geometry": {"type": kind, "coordinates": coordinates}}

    system = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
    shapes = [feature(*each) for each in features]
    Path(path).write_text(json.dumps({"type": "FeatureCollection", "crs": system, "features": shapes}))
    return path


# The lines end beyond the map, and leave 80 m open.
halves = [(5, [[450910, 5952499], [450910, 5951290]]), (5, [[450910, 5951210], [450910, 5950001]])]
levee = layer("levee.geojson", "LineString", *halves)
whole_levee = layer("whole_levee.geojson", "LineString", (5, [[450910, 5952499], [450910, 5950001]]))
ring = [[450000, 5950000], [450900, 5950000], [450900, 5952500], [450000, 5952500], [450000, 5950000]]
sea = layer("sea.geojson", "Polygon", (-0.5, [ring]))

# %% [markdown]
# ## The run

# %%
surge = {
    "dem": "coast.tif",
    "roughness": 0.03,
    "level": "west,surge.csv",
    "initial_level": sea,
    "walls": levee,
    "links": "sluice.csv",
    "duration": "14 h",
    "output_every": "1 h",
    "layers": ["depth", "max_depth", "arrival_time", "duration", "max_velocity"],
    "gauges": ["450300,5951250,sea", "451300,5951250,polder", "452300,5951400,village"],
    "sections": "450960,5951330,450960,5951170,breach",
}
breach = inundate.run(surge, out="breach", overwrite=True)
whole = inundate.run(surge, walls=whole_levee, out="whole", overwrite=True)
for run in (breach, whole):
    print(run.folder.name, float(run.gauges.max_depth.sel(gauge="polder")), "m in the polder; off by", run.ledger["error_m3"])

# %% [markdown]
# The polder fills with the surge and stays full when the sea falls. The volumes through the sluice and the breach:

# %%
print(breach.report["links"][0]["forward_m3"], "m3 by the sluice")
breach.chart("sections", "discharge")
breach.chart("gauges", "level", names=["sea", "polder"])
breach.plot("arrival_time")

# %% [markdown]
# ## Surges of three return periods
#
# The breach is open in all of them. `inundate.study` runs such a table with several jobs, and makes maps over all runs.

# %%
for name, crest in (("T10", 2.6), ("T100", 3.4), ("T1000", 4.2)):
    Path(f"{name}.csv").write_text(Path("surge.csv").read_text().replace(",3.4", f",{crest}"))
    run = inundate.run(surge, level=f"west,{name}.csv", duration="10 h", out=name, overwrite=True)
    print(name, round(float((run["max_depth"] > 1).sum()) * CELL**2 / 1e4), "ha deeper than 1 m")

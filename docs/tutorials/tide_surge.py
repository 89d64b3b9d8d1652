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
# The levee consists of structures on the faces of the cells: two weirs with their crest at 5 m and, between them, a breach. It starts
# when the water beside it exceeds 3 m, and grows to a width of 50 m in half an hour. The sluice is a culvert with a flap gate, which
# drains the polder at low tide.

# %%
Path("surge.csv").write_text("time [h],level [m]\n0,-0.5\n3,1.6\n6,0.6\n8.5,3.4\n9.5,3.4\n12,1.0\n15,-0.6\n")
Path("sluice.csv").write_text(
    "name,kind,x1,y1,x2,y2,width,height,inlet_level,outlet_level\nsluice,flap,450990,5951650,450790,5951650,4,2.5,-0.8,-0.9\n"
)


def layer(path, kind, *features):
    """Writes a layer of lines or polygons with their properties."""
    def feature(properties, coordinates):
        return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}

    system = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
    shapes = [feature(*each) for each in features]
    Path(path).write_text(json.dumps({"type": "FeatureCollection", "crs": system, "features": shapes}))
    return path


def weir(name, start, end):
    """Returns a stretch of the levee between two northings."""
    return {"name": name, "kind": "weir", "crest": "5 m"}, [[450900, start], [450900, end]]


def breach_in_levee(path, trigger_level, formation_time):
    """Writes the levee with a breach of 50 m in its middle."""
    growth = {"bottom_width": "50 m", "formation_time": formation_time, "trigger_level": trigger_level}
    gap = {"name": "breach", "kind": "breach", "crest": "5 m", **growth}, [[450900, 5951300], [450900, 5951200]]
    return layer(path, "LineString", weir("levee north", 5952500, 5951300), gap, weir("levee south", 5951200, 5950000))


levee = breach_in_levee("levee.geojson", "3 m", "30 min")
whole_levee = layer("whole_levee.geojson", "LineString", weir("levee", 5952500, 5950000))
ring = [[450000, 5950000], [450900, 5950000], [450900, 5952500], [450000, 5952500], [450000, 5950000]]
sea = layer("sea.geojson", "Polygon", ({"level": "-0.5 m"}, [ring]))

# %% [markdown]
# ## The run

# %%
surge = {
    "dem": "coast.tif",
    "roughness": 0.03,
    "level": "west,surge.csv",
    "initial_level": sea,
    "structures": levee,
    "links": "sluice.csv",
    "duration": "14 h",
    "output_every": "1 h",
    "layers": ["depth", "max_depth", "arrival_time", "duration", "max_velocity"],
    "gauges": ["450300,5951250,sea", "451300,5951250,polder", "452300,5951400,village"],
}
breach = inundate.run(surge, out="breach", overwrite=True)
whole = inundate.run(surge, structures=whole_levee, out="whole", overwrite=True)
for run in (breach, whole):
    print(run.folder.name, float(run.gauges.max_depth.sel(gauge="polder")), "m in the polder; off by", run.ledger["error_m3"])

# %% [markdown]
# The polder fills with the surge and stays full when the sea falls. The volumes through the sluice and the breach, which is a
# structure:

# %%
print(breach.report["links"][0]["forward_m3"], "m3 by the sluice")
breach.chart("structures", "discharge")
breach.chart("gauges", "level", names=["sea", "polder"])
breach.plot("arrival_time")

# %% [markdown]
# ## An earlier and faster breach

# %%
early = inundate.run(surge, structures=breach_in_levee("early.geojson", "2 m", "10 min"), out="early", overwrite=True)
for run in (breach, early):
    print(run.folder.name, round(run.report["structures"][1]["breach"]["began_s"] / 3600, 1), "h until the breach begins")
(early["max_depth"].fillna(0) - breach["max_depth"].fillna(0)).plot(cmap="RdBu_r")

# %% [markdown]
# ## Surges of three return periods
#
# In the lowest one the water stays below 3 m, and the levee holds. `inundate.study` runs such a table with several jobs, and makes maps
# over all runs.

# %%
for name, crest in (("T10", 2.6), ("T100", 3.4), ("T1000", 4.2)):
    Path(f"{name}.csv").write_text(Path("surge.csv").read_text().replace(",3.4", f",{crest}"))
    run = inundate.run(surge, level=f"west,{name}.csv", out=name, overwrite=True)
    print(name, round(float((run["max_depth"] > 1).sum()) * CELL**2 / 1e4), "ha deeper than 1 m")

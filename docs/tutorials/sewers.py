# %% [markdown]
# # Streets and sewers, from Python
#
# The [tutorial](sewers.md) as a notebook, which Jupyter and VS Code can open. The town is artificial, so no data are needed. It takes a
# minute and needs the wheel of `make wheel` with its extras `xarray` and `sewers` ([installation](../install.md)): EPA's SWMM computes the
# pipes.

# %%
import json
from pathlib import Path

import inundate
import numpy
import rasterio
from rasterio.enums import Resampling
from rasterio.transform import from_origin
from rasterio.warp import reproject

CELL = 5  # m

# %% [markdown]
# ## A street that falls to a river
#
# A height every 50 m: a street along the middle, which falls to the east, houses a little above it, a levee at its end, and a river beyond.

# %%
west, north, crs = 450000, 5950250, "EPSG:25832"
street = numpy.array([24.2, 24.0, 23.7, 23.5, 23.2, 23.0, 22.7, 22.5, 22.2, 22.0, 21.7, 23.5, 18.0, 18.0])
beside = numpy.array([24.8, 24.6, 24.3, 24.1, 23.8, 23.6, 23.3, 23.1, 22.8, 22.6, 22.3, 23.5, 18.0, 18.0])
edge = numpy.array([25.5, 25.3, 25.0, 24.8, 24.5, 24.3, 24.0, 23.8, 23.5, 23.3, 23.0, 23.5, 18.0, 18.0])
heights = numpy.array([edge, beside, street, beside, edge], "float32")
shape = (250 // CELL, 700 // CELL)
town = numpy.empty(shape, "float32")
reproject(
    heights,
    town,
    src_transform=from_origin(west, north, 50, 50),
    dst_transform=from_origin(west, north, CELL, CELL),
    src_crs=crs,
    dst_crs=crs,
    resampling=Resampling.bilinear,
)
kind = {"height": shape[0], "width": shape[1], "count": 1, "dtype": "float32", "crs": crs}
with rasterio.open("town.tif", "w", transform=from_origin(west, north, CELL, CELL), **kind) as file:
    file.write(town, 1)

# %% [markdown]
# ## The sewer
#
# A SWMM input file with four manholes along the street, an outfall in the river, and pipes that fall by 4 in 1000. The flow units are
# metric, and so are the lengths.

# %%
manholes = {"M1": (450075, 21.90, 2.10), "M2": (450220, 21.32, 1.93), "M3": (450365, 20.74, 1.80), "M4": (450510, 20.16, 1.63)}
pipes = [("P1", "M1", "M2", 145, 0.5), ("P2", "M2", "M3", 145, 0.6), ("P3", "M3", "M4", 145, 0.6), ("P4", "M4", "OUT", 117, 0.7)]
street_y = 5950125


def network(path, outlet=0.7, gated="NO"):
    """Writes the input file, with the diameter of the last pipe (m) and with or without a flap gate at the outfall."""
    diameters = {name: diameter for name, *_, diameter in pipes} | {"P4": outlet}
    options = {"FLOW_UNITS": "CMS", "FLOW_ROUTING": "DYNWAVE", "START_DATE": "07/14/2021", "END_DATE": "07/15/2021"}
    options |= {"ROUTING_STEP": 5, "VARIABLE_STEP": 0.75, "REPORT_STEP": "00:01:00"}
    sections = {
        "OPTIONS": options.items(),
        "REPORT": [("NODES", "ALL"), ("LINKS", "ALL")],
        "JUNCTIONS": [(name, invert, depth, 0, 0, 0) for name, (_, invert, depth) in manholes.items()],
        "OUTFALLS": [("OUT", 19.70, "FREE", gated)],
        "CONDUITS": [(name, start, end, length, 0.013, 0, 0) for name, start, end, length, _ in pipes],
        "XSECTIONS": [(name, "CIRCULAR", diameter, 0, 0, 0) for name, diameter in diameters.items()],
        "COORDINATES": [*((name, x, street_y) for name, (x, *_) in manholes.items()), ("OUT", 450627, street_y)],
    }
    lines = (f"[{name}]\n" + "".join(" ".join(map(str, line)) + "\n" for line in section) for name, section in sections.items())
    Path(path).write_text("\n".join(lines))
    return path


# %% [markdown]
# Each manhole has four street inlets beside it, with an opening of 0.1 m² and a crest of 1.2 m.

# %%
def point(x, **properties):
    """Returns a point on the street."""
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Point", "coordinates": [x, street_y]}}


inlets = [point(x, name=name, area=0.1, length=1.2, inlets=4) for name, (x, *_) in manholes.items()]
system = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
layer = {"type": "FeatureCollection", "crs": system, "features": [*inlets, point(450627, name="OUT")]}
Path("inlets.geojson").write_text(json.dumps(layer))

# %% [markdown]
# ## The cloudburst
#
# With the sewer, and without.

# %%
storm = {
    "dem": "town.tif",
    "roughness": 0.02,
    "rain": "design:30mm/1h/chicago:0.4",
    "level": "east,18.6 m",
    "initial_level": "18.6 m",
    "duration": "2 h",
    "gauges": ["450300,5950125,street", "450525,5950125,low point"],
    "gauge_every": "1 min",
}
sewer = {"sewers": network("town.inp"), "sewer_nodes": "inlets.geojson"}
none = inundate.run(storm, out="none", overwrite=True)
drained = inundate.run(storm, **sewer, out="open", overwrite=True)
for run in (none, drained):
    print(run.folder.name, float(run.gauges.max_depth.sel(gauge="low point")), "m at the low point; off by", run.ledger["error_m3"])
drained.sewer_nodes

# %% [markdown]
# The sewer takes most of the water at the last manhole. `sewers` has the heads and the exchange over time, positive into the sewer.

# %%
drained.sewers.filter(like="exchange").plot()

# %% [markdown]
# ## A blocked pipe
#
# Roots leave a tenth of the last pipe's diameter. The water upstream comes out again at the low point.

# %%
blocked = inundate.run(storm, **sewer | {"sewers": network("blocked.inp", outlet=0.07)}, out="blocked", overwrite=True)
for run in (drained, blocked):
    into, onto = (run.sewer_nodes[column]["M4"] for column in ("into sewer [m3]", "onto surface [m3]"))
    print(run.folder.name, "M4 takes", round(into), "m3 and brings", round(onto), "m3")
(blocked["max_depth"].fillna(0) - drained["max_depth"].fillna(0)).plot(cmap="RdBu_r")

# %% [markdown]
# ## A drowned outfall
#
# After the rain the river rises above the street behind the levee, enters the pipe and floods the street through the sewer. A flap gate
# prevents it.

# %%
Path("river.csv").write_text("time [min],level [m]\n0,18.6\n40,18.6\n80,22.6\n120,22.6\n")
river = {"level": "east,river.csv"}
drowned = inundate.run(storm, **sewer | river, out="drowned", overwrite=True)
gated = inundate.run(storm, **sewer | river | {"sewers": network("gated.inp", gated="YES")}, out="gated", overwrite=True)
for run in (drowned, gated):
    print(run.folder.name, round(float(run.gauges.depth.sel(gauge="low point")[-1]), 2), "m at the low point in the end")
drowned.sewers.filter(like="head").plot()

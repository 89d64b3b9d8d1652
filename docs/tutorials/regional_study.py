# %% [markdown]
# # A regional study, from Python
#
# The [tutorial](regional_study.md) as a notebook, which Jupyter and VS Code can open. It takes half a minute. It needs the demo's terrain as
# `dem.tif` in this folder, and the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)).

# %%
import json

import inundate
import numpy
import rasterio
import rioxarray
from rasterio.enums import Resampling
from rasterio.transform import from_origin

CELL = 80  # m
WEST, NORTH, SIZE = 746000, 4026400, 6400  # m

# %% [markdown]
# ## Input data
#
# The DEM, land cover (classes of ESA WorldCover), buildings and their depth-damage curves. All but the DEM are artificial here.

# %%
dem = rioxarray.open_rasterio("dem.tif", masked=True)
corner, shape = from_origin(WEST, NORTH, CELL, CELL), (SIZE // CELL, SIZE // CELL)
dem.rio.reproject(dem.rio.crs, transform=corner, shape=shape, resampling=Resampling.average).rio.to_raster("window.tif")

cover = numpy.full((160, 160), 40, "uint8")  # cropland
cover[:, :75] = 10  # woods
cover[90:135, 80:115] = 50  # a town
kind = {"height": 160, "width": 160, "count": 1, "dtype": "uint8", "crs": dem.rio.crs}
with rasterio.open("cover.tif", "w", transform=from_origin(WEST, NORTH, 40, 40), **kind) as file:
    file.write(cover, 1)


def building(name, x, y, kind, value):
    """A house of 30 by 20 m."""
    ring = [[x, y], [x + 30, y], [x + 30, y + 20], [x, y + 20], [x, y]]
    return {"type": "Feature", "properties": {"name": name, "class": kind, "value": value},
            "geometry": {"type": "Polygon", "coordinates": [ring]}}


buildings = [
    building("mill", 749740, 4021540, "commercial", 900000),
    building("farm", 749545, 4021235, "residential", 350000),
    building("house 2", 749660, 4021330, "residential", 310000),
    building("house 4", 749705, 4021625, "residential", 300000),
]
crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32616"}}
with open("buildings.geojson", "w") as file:
    json.dump({"type": "FeatureCollection", "crs": crs, "features": buildings}, file)
with open("curves.csv", "w") as file:
    file.write("class,depth [m],fraction\nresidential,0.1,0\nresidential,1,0.4\nresidential,3,0.75\nresidential,6,1\n"
               "commercial,0.1,0\ncommercial,1,0.3\ncommercial,3,0.75\ncommercial,5,1\n")

# %% [markdown]
# ## The study
#
# Three storms of 6 h with return periods. Finished runs are kept: running this cell again repeats nothing.

# %%
storms = {2: 30, 20: 85, 100: 120}  # mm in 6 h by return period (years)
rain = [
    f'  {{ value = "design:{depth}mm/6h/chicago:0.4", name = "T{years}", return_period = {years} }},'
    for years, depth in storms.items()
]
with open("region.toml", "w") as file:
    file.write("\n".join(["""out = "region"
[base]
dem = "window.tif"
land_cover = "cover.tif"
land_cover_table = "worldcover"
initial_loss = "8 mm"
infiltration = "3 mm/h"
open = "all"
points = "buildings.geojson"
damage_curves = "curves.csv"
duration = "8 h"
[matrix]
rain = [""", *rain, "]\n"]))
study = inundate.study("region.toml")

# %% [markdown]
# ## Results

# %%
for name in study.runs.index:
    ledger = study.results(name).ledger
    print(name, f"{ledger['rain_m3']:.0f} m3 of rain; off by", ledger["error_m3"])
print(study.points[["max_depth [m]", "damage"]])
print(study.expected_damage)
study["max_depth_max"].plot(cmap="Blues")

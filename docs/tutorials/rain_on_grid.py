# %% [markdown]
# # Rain on the grid, from Python
#
# The [tutorial](rain_on_grid.md) as a notebook, which Jupyter and VS Code can open. It takes a minute. It needs the demo's terrain as
# `dem.tif` in this folder, and the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)).

# %%
from pathlib import Path

import inundate
import rasterio
import rioxarray
from rasterio.enums import Resampling
from rasterio.features import rasterize
from rasterio.transform import from_origin

CELL = 80  # m

# %% [markdown]
# ## The terrain
#
# Whole catchments: a window around La Follette, Tennessee.

# %%
dem = rioxarray.open_rasterio("dem.tif", masked=True)
corner, shape = from_origin(750080, 4036560, CELL, CELL), (14560 // CELL, 11840 // CELL)
window = dem.rio.reproject(dem.rio.crs, transform=corner, shape=shape, resampling=Resampling.average)
window.rio.to_raster("window.tif")

# %% [markdown]
# ## Storm, land cover and losses
#
# A value in mm is the depth that falls from its time to the next. Land cover consists of three polygons surrounded by wood (10).
# The first rain is lost in leaves, hollows and topsoil: a curve number has an initial loss of its own (27 mm in the wood), and in the
# town the table gives it.

# %%
Path("storm.csv").write_text("time [min],rain [mm]\n0,6\n15,14\n30,34\n45,18\n60,9\n75,5\n90,0\n")
Path("losses.csv").write_text(
    "class,name,curve_number,initial_loss_mm,infiltration_mm_h,drainage_mm_h\n10,wood,65,,,0\n40,farmland,78,,,0\n50,town,,2,5,10\n"
)
farmland = [(750000, 4022000), (761920, 4022000), (761920, 4032500), (758500, 4031000), (750000, 4024500)]
towns = [
    [(757000, 4029500), (759500, 4029500), (759500, 4031000), (757800, 4031000)],
    [(751800, 4023400), (753600, 4023400), (753600, 4024900), (751800, 4024900)],
]
rings = [(farmland, 40), *((town, 50) for town in towns)]
polygons = [({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}, value) for ring, value in rings]
classes = rasterize(polygons, shape, fill=10, transform=corner, dtype="uint8")
rows, columns = shape
with rasterio.open("cover.tif", "w", width=columns, height=rows, count=1, dtype="uint8", crs=dem.rio.crs, transform=corner) as cover:
    cover.write(classes, 1)

# %% [markdown]
# ## The run

# %%
storm = {
    "dem": "window.tif",
    "rain": "storm.csv",
    "land_cover": "cover.tif",
    "land_cover_table": "worldcover",
    "loss_table": "losses.csv",
    "open": "all",
    "duration": "4 h",
    "output_every": "30 min",
    "layers": ["depth", "max_depth", "arrival_time", "max_hazard", "infiltration"],
    "arrival_depth": "0.1 m,0.3 m",
    "gauges": ["758360,4030040,La Follette", "752040,4024040,Jacksboro"],
    "sections": "755600,4026400,754900,4026400,creek",
}
results = inundate.run(storm, out="storm", overwrite=True)
results.ledger

# %% [markdown]
# Rain, minus initial loss, infiltration, sewers and outflow, is what is stored. The maps show dangerous places, the section the rise of the creek.

# %%
results.plot("max_hazard")
results.chart("sections", "discharge")
results.series("depth").isel(time=[1, 3, 5]).plot(col="time", vmax=2)

# %% [markdown]
# ## More rain, drier ground
#
# 20 % more rain, a usual allowance for a warmer climate, and the curve numbers, which are never known well.

# %%
climate = inundate.run(storm, rain_factor=1.2, out="climate", overwrite=True)
both = inundate.compare(climate, results)["thresholds"][0]["wet_in_both"]
print(f"where both flood 0.1 m it is {both['mean_difference']:.2f} m deeper")

for name, wood in (("dry", 55), ("wet", 80)):
    Path(f"{name}.csv").write_text(Path("losses.csv").read_text().replace(",65,", f",{wood},"))
    run = inundate.run(storm, loss_table=f"{name}.csv", out=name, overwrite=True)
    print(name, round(run.ledger["infiltration_m3"]), run.ledger["error_m3"])

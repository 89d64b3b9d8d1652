# %% [markdown]
# # A forecast cycle with radar rain, from Python
#
# The [tutorial](forecast.md) as a notebook, which Jupyter and VS Code can open, with an additional example: the assimilation
# of an observed depth. It takes a minute. It needs the demo's terrain as `dem.tif` in this folder,
# the wheel of `make wheel` with its extra `xarray` ([installation](../install.md)), and the wheel of `make wheel-engine`.

# %%
from pathlib import Path

import inundate
import numpy
import rasterio
import rioxarray
from rasterio.enums import Resampling
from rasterio.transform import from_origin

CELL = 80  # m

# %% [markdown]
# ## Terrain and radar
#
# A raster every 20 minutes with its date in its name (mm/h, UTC): two hours of radar, and the rain forecasts of 13:00 and 14:00.

# %%
dem = rioxarray.open_rasterio("dem.tif", masked=True)
corner, shape = from_origin(750080, 4036560, CELL, CELL), (14560 // CELL, 11840 // CELL)
window = dem.rio.reproject(dem.rio.crs, transform=corner, shape=shape, resampling=Resampling.average)
window.rio.to_raster("window.tif")


def raster(folder, time, core, around):
    """Rain of a core over the middle of the map, and around it."""
    rain = numpy.full((8, 8), around, "float32")
    rain[2:6, 2:6] = core
    Path(folder).mkdir(exist_ok=True)
    kind = {"height": 8, "width": 8, "count": 1, "dtype": "float32", "crs": dem.rio.crs}
    place = from_origin(750080, 4036560, 1480, 1820)
    with rasterio.open(f"{folder}/20260601_{time}Z.tif", "w", transform=place, **kind) as file:
        file.write(rain, 1)


for time, core, around in [(1200, 20, 5), (1220, 45, 9), (1240, 60, 12), (1300, 40, 10), (1320, 25, 6), (1340, 8, 2)]:
    raster("radar", time, core, around)
for time, core, around in [(1300, 70, 20), (1320, 70, 20), (1340, 30, 10)]:
    raster("forecast_13", time, core, around)
for time, core, around in [(1400, 20, 8), (1420, 12, 7), (1440, 3, 1)]:
    raster("forecast_14", time, core, around)

# %% [markdown]
# ## The cycle
#
# `keep_state` stores the final state, from which the next runs start: a forecast, and the next hour with the measured rain.

# %%
area = {"dem": "window.tif", "roughness": 0.05, "infiltration": "6 mm/h", "open": "all", "duration": "1 h", "overwrite": True}
now = inundate.run(area, rain="radar", start="2026-06-01T12:00Z", keep_state=True, out="now_13")
ahead = inundate.run(area, start_from="now_13", rain="forecast_13", out="ahead_13")
now = inundate.run(area, start_from="now_13", rain="radar", keep_state=True, out="now_14")
ahead_14 = inundate.run(area, start_from="now_14", rain="forecast_14", out="ahead_14")
for run in (ahead, now, ahead_14):
    print(run.folder.name, run.start, round(run.ledger["stored_m3"]), "m3 at the end; off by", run.ledger["error_m3"])

# %% [markdown]
# ## An observation
#
# At 14:00 a gauge reads 40 cm more than the run at the deepest cell. A [model](../python.md#stepping) starts from the state, sets the
# observed depth around the gauge, and makes the forecast. The added water is a term of the mass balance.

# %%
model = inundate.Model.from_scenario(area, start_from="now_14", rain="forecast_14", out="corrected")
depth = model.get_value("depth")
row, column = numpy.unravel_index(numpy.nanargmax(depth), depth.shape)
near = numpy.full(depth.shape, numpy.nan)  # what is NaN stays as it is
near[row - 1 : row + 2, column - 1 : column + 2] = depth[row - 1 : row + 2, column - 1 : column + 2] + 0.4
model.set_value("depth", near)
model.update_until(model.end_time)
corrected = model.finalize()
print(round(corrected.ledger["set_m3"]), "m3 were set; off by", corrected.ledger["error_m3"])
(corrected["depth"].fillna(0) - ahead_14["depth"].fillna(0)).plot(cmap="RdBu_r")

"""Results of a run."""

import json
import os
from pathlib import Path

from . import maps, plots, tables
from .errors import InputError

REPORT = "run.json"


def broken(folder, report, error):
    """The error of a report that is not JSON."""
    return InputError(f"'{folder}' has a {report} that cannot be read: {error}", "run it again with another out")


class Results:
    """The results of a run in its output folder, read on demand.

    ``report`` is run.json as a dict. ``results["max_depth"]`` is a map, and ``results.series("depth")`` the
    series of maps during the run.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        try:
            self.report = json.loads((self.folder / REPORT).read_text(encoding="utf-8"))
        except OSError as error:
            hint = f"give the folder that the run wrote (out); a finished run has written {REPORT}"
            raise InputError(f"'{folder}' is not the output folder of a finished run: {error}", hint) from None
        except ValueError as error:
            raise broken(folder, REPORT, error) from None
        self._maps = self.report.get("maps") if isinstance(self.report, dict) else None
        if self._maps is None:
            raise InputError(f"'{folder}' is not that of a run", "inundate.Study opens the folder of a study")

    def __fspath__(self):
        return os.fspath(self.folder)

    def __repr__(self):
        verdict = (self.report.get("quality") or {}).get("verdict")
        said = "" if verdict is None else f", {verdict}"
        return f"<inundate.Results '{self.folder}': {', '.join(self.layers)}{said}>"

    @property
    def layers(self):
        """Names of the maps at the end of the run."""
        return [each["name"] for each in self._maps if each["time"] is None]

    @property
    def series_layers(self):
        """Layers with a series of maps during the run (``output_every``)."""
        return list(dict.fromkeys(each["layer"] for each in self._maps if each["time"] is not None))

    @property
    def ledger(self):
        """The mass balance (m3): ``rain_m3``, ``inflow_m3``, ``outflow_m3``, ``stored_m3`` ... and
        ``error_m3``, which is 0.
        """
        return self.report["volume"]

    @property
    def quality(self):
        """Quality of the run: a ``verdict``, and statistics (docs/outputs.md). ``None`` for automata."""
        return self.report["quality"]

    @property
    def warnings(self):
        """Warnings of the run."""
        return self.report["warnings"]

    @property
    def crs(self):
        """The coordinate system of the maps as WKT, or ``None``."""
        return self.report["grid"]["crs"]

    @property
    def start(self):
        """Start of the run, as a ``datetime`` with its time zone; ``None`` if unknown."""
        return tables.start_of(self.folder)

    def __getitem__(self, name):
        """Opens a map at the end of the run as a lazily read ``xarray.DataArray``, with NaN outside the
        domain.
        """
        if name not in self.layers:
            raise KeyError(f"there is no map '{name}': there are {', '.join(self.layers)}")
        return maps.open_map(self.folder / f"{name}.tif", name)

    def series(self, layer="depth"):
        """Opens the maps of a layer during the run as one ``xarray.DataArray`` along ``time`` (dates in UTC
        if the start of the run is known, otherwise times since the start) or along ``step``.

        The maps are read lazily if the run wrote ``series`` as Zarr or NetCDF, or if dask is installed;
        otherwise all at once.
        """
        found = [each for each in self._maps if each["layer"] == layer and each["time"] is not None]
        if not found:
            has = ", ".join(self.series_layers) or "none: give the run output_every"
            raise KeyError(f"there is no series of '{layer}': there are {has}")
        return maps.open_series(self.folder, layer, found, self.report["time_unit"], self.start)

    def dataset(self):
        """All maps at the end of the run as one ``xarray.Dataset``."""
        return maps.together({name: self[name] for name in self.layers})

    @property
    def gauges(self):
        """gauges.csv as a ``pandas.DataFrame``, indexed by time."""
        return tables.read(self.folder, "gauges.csv", "give the run gauges")

    @property
    def sections(self):
        """sections.csv as a ``pandas.DataFrame``, indexed by time."""
        return tables.read(self.folder, "sections.csv", "give the run sections")

    @property
    def sewers(self):
        """sewers.csv as a ``pandas.DataFrame``, indexed by time."""
        return tables.read(self.folder, "sewers.csv", "give the run sewers")

    @property
    def sewer_nodes(self):
        """sewer_nodes.csv as a ``pandas.DataFrame``: peaks and volumes at each node, indexed by ``name``."""
        return tables.plain(self.folder, "sewer_nodes.csv", "give the run sewers").set_index("name")

    @property
    def points(self):
        """points.csv as a ``pandas.DataFrame``: results at each feature, indexed by ``fid``."""
        return tables.plain(self.folder, "points.csv", "give the run points").set_index("fid")

    @property
    def mass_balance(self):
        """mass_balance.csv as a ``pandas.DataFrame``, indexed by time."""
        return tables.read(self.folder, "mass_balance.csv", "")

    def plot(self, layer="max_depth", time=None, ax=None):
        """Draws a map in the colours of its style with matplotlib, and returns the axes.

        With a ``time``, in the form of the times of ``series(layer)``, draws the map of the series that is
        nearest to it.
        """
        if time is None:
            array, key = self[layer], next(m["layer"] for m in self._maps if m["name"] == layer)
        else:
            array, key = maps.at(self.series(layer), time), layer
        return plots.draw(array, self.report["styles"].get(key), ax)

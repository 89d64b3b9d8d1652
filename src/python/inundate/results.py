"""Results of a run."""

import json
import os
import shlex
import warnings
from datetime import timedelta
from pathlib import Path

from . import attributes, charts, durations, hillshade, maps, plots, tables
from .errors import InputError, InundateWarning
from .wording import in_python

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
        return [in_python(warning) for warning in self.report["warnings"]]

    @property
    def title(self):
        """Title of the run."""
        return attributes.title(self.report, self.folder)

    @property
    def attrs(self):
        """Attributes of the run, which its maps and datasets have: title, solver, version, cell size ..."""
        return attributes.of_run(self.report, self.folder, self.start)

    @property
    def crs(self):
        """The CRS of the maps as a ``pyproj.CRS`` (as WKT if pyproj is not installed), or ``None``."""
        return attributes.crs_of(self.report["grid"]["crs"])

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
        found = next(each for each in self._maps if each["name"] == name)
        return self._described(maps.open_map(self.folder / f"{name}.tif", name), found)

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
        array = maps.open_series(self.folder, layer, found, self.report["time_unit"], self.start)
        return self._described(array, found[0])

    def _described(self, array, found):
        own = attributes.of_quantity(found["about"], found["unit"], found["layer"])
        array.attrs = {**own, **self.attrs}
        return maps.on_grid(array, self.report["grid"])

    def dataset(self):
        """All maps at the end of the run as one ``xarray.Dataset``."""
        arrays = {name: self[name] for name in self.layers}
        for array in arrays.values():
            for key in self.attrs:
                del array.attrs[key]
        return self._with_attributes(maps.together(arrays))

    def _with_attributes(self, dataset):
        command = " ".join(shlex.quote(word) for word in self.report["command"])
        dataset.attrs = {"Conventions": attributes.CONVENTIONS, **self.attrs, "history": command}
        return dataset

    @property
    def gauges(self):
        """gauges.csv as an ``xarray.Dataset`` along ``time`` and ``gauge``, with the place and the greatest
        values of each gauge.
        """
        table = tables.read(self.folder, "gauges.csv", "give the run gauges")
        gauges = self.report["gauges"]
        return self._features(tables.by_feature(table, "gauge", gauges), "gauge", gauges)

    @property
    def sections(self):
        """The discharge and the volume through each section: sections.csv as an ``xarray.Dataset`` along
        ``time`` and ``section``.
        """
        return self._lines("section", slice(None, len(self.report["sections"]) - len(self.report["structures"])))

    @property
    def structures(self):
        """The discharge and the volume through each structure, as an ``xarray.Dataset`` along ``time`` and
        ``structure``.
        """
        lines = self._lines("structure", slice(len(self.report["sections"]) - len(self.report["structures"]), None))
        return self._features(lines, "structure", [_flat(each) for each in self.report["structures"]])

    def _lines(self, dimension, which):
        """Returns some of the lines of sections.csv: the sections come first, and then the structures."""
        every = self.report["sections"]
        lines = every[which]
        if not lines:
            raise InputError(f"the run of '{self.folder}' had no {dimension}", f"give it {dimension}s")
        table = tables.read(self.folder, "sections.csv", f"give the run {dimension}s")
        dataset = tables.by_feature(table, dimension, every).isel({dimension: which})
        return self._features(dataset, dimension, lines)

    @property
    def sources(self):
        """The inflow from each source since the start, as an ``xarray.Dataset`` along ``time`` and
        ``source``.
        """
        return self._accounts("source", "source", self.report["sources"], {"inflow": "source {} [m3]"})

    @property
    def levels(self):
        """Inflow and outflow at each stage boundary (``level``) since the start, as an ``xarray.Dataset``
        along ``time`` and ``level``.
        """
        columns = {"inflow": "level {} in [m3]", "outflow": "level {} out [m3]"}
        return self._accounts("level", "level", self.report["held_levels"], columns)

    @property
    def ratings(self):
        """Outflow by each rating curve since the start, as an ``xarray.Dataset`` along ``time`` and
        ``rating``.
        """
        ratings = self.report.get("ratings", [])
        return self._accounts("rating", "rating", ratings, {"outflow": "rating {} [m3]"})

    @property
    def open_sides(self):
        """Outflow over each open side since the start, as an ``xarray.Dataset`` along ``time`` and ``side``."""
        sides = [{"name": each["side"]} for each in self.report["open_sides"]]
        return self._accounts("side", "open", sides, {"outflow": "open {} [m3]"})

    @property
    def links(self):
        """The volume through each link since the start, as an ``xarray.Dataset`` along ``time`` and
        ``link``: ``forward`` from its inlet to its outlet, and ``back``.
        """
        columns = {"forward": "link {} forward [m3]", "back": "link {} back [m3]"}
        return self._accounts("link", "links", self.report["links"], columns)

    def _accounts(self, dimension, option, features, columns):
        """Returns columns of the mass balance along the features that an option of the run gave."""
        if not features:
            raise InputError(f"the run of '{self.folder}' had no {dimension}", f"give it {option}")
        names = [each["name"] for each in features]
        dataset = tables.by_account(self.mass_balance, dimension, names, columns)
        return self._features(dataset, dimension, features)

    def _features(self, dataset, dimension, features):
        return self._with_attributes(tables.add_facts(dataset, dimension, features, self.report))

    def table(self, name):
        """Returns a table as it is in its file (``gauges``, ``sections``, ``mass_balance``), as a
        ``pandas.DataFrame`` by time.
        """
        return tables.read(self.folder, f"{name}.csv", f"a run with {name} writes it")

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

    def plot(self, layer="max_depth", time=None, ax=None, *, ground=None, title=None, features=True):
        """Draws a map in the colours of its style over the shaded ground with matplotlib, with the title and
        the time of the run, gauges and sections; returns the axes.

        With a ``time``, draws the map of the series that is nearest to it: a date (UTC, or with its time
        zone), or a time since the start (``"90 min"``, a ``timedelta``, or seconds).

        ``ground`` is the DEM, if it is no longer where it was during the run; ``False`` draws none.
        ``features=False`` draws no gauges and sections.
        """
        if time is None:
            array = self[layer]
            found = next(each for each in self._maps if each["name"] == layer)
        else:
            array = maps.at(self.series(layer), time, self.start)
            found = next(each for each in self._maps if each["layer"] == layer and each["time"] is not None)
        if title is None:
            title = f"{self.title}\n{found['about']}\n{self._when(array, found)}"
        if ground is None:
            ground = hillshade.find_ground(self.report, self.folder)
            if ground is None:
                warnings.warn(
                    "the DEM of the run is no longer where it was, so the ground is not drawn: give plot(ground=path)",
                    InundateWarning,
                    stacklevel=2,
                )
        style = self.report["styles"].get(found["layer"])
        ax = plots.draw(array, style, self.report, ground or None, title, ax)
        if features:
            plots.mark(ax, self.report)
        return ax

    def chart(self, table="gauges", quantity=None, *, names=None, title=None, ax=None):
        """Draws a quantity of a table over time with matplotlib, a line for each feature; returns the axes.

        ``table`` is ``"gauges"``, ``"sections"``, ``"structures"``, ``"sources"``, ``"levels"``, ``"ratings"``,
        ``"open_sides"`` or ``"links"``; ``quantity`` one of its quantities, such as ``"level"`` (the first one
        by default), and ``names`` the features that are drawn (all of them by default).
        """
        if table not in _CHARTED:
            raise InputError(f"table: there is no chart of '{table}'", f"give one of {', '.join(_CHARTED)}", 2)
        dataset = getattr(self, table)
        along = [name for name, array in dataset.data_vars.items() if array.ndim == 2]
        if quantity is not None and quantity not in along:
            raise InputError(f"quantity: {table} have no '{quantity}' over time", f"they have {', '.join(along)}", 2)
        array = dataset[quantity or along[0]]
        if names is not None:
            of = array.dims[1]
            wanted = [names] if isinstance(names, str) else list(names)
            unknown = [name for name in wanted if name not in array[of].values]
            if unknown:
                has = ", ".join(array[of].values)
                raise InputError(f"names: there is no {of} '{unknown[0]}'", f"there are {has}", 2)
            array = array.sel({of: wanted})
        return charts.draw(array, self.start, self.title if title is None else title, ax)

    def _when(self, array, found):
        """Returns the time of a map, or the period that it covers."""
        momentary = not found["layer"].startswith(_OF_THE_RUN)
        if self.report["time_unit"] != "seconds":
            step = int(array["step"]) if "step" in array.coords else self.report["steps"]
            return f"after step {step}" if momentary else f"steps 0 to {step}"
        seconds = maps.seconds_of(array, self.start) if "time" in array.coords else self.report["simulated_s"]
        length = durations.show(timedelta(seconds=seconds))
        if self.start is None:
            return f"after {length}" if momentary else f"0 to {length}"
        end = self.start + timedelta(seconds=seconds)
        at = f"{end:%Y-%m-%d %H:%M}"
        if not momentary:
            at = f"{self.start:%Y-%m-%d %H:%M} to " + (f"{end:%H:%M}" if end.date() == self.start.date() else at)
        zone = self.start.tzname()
        return f"{at} {zone} (after {length})" if momentary else f"{at} {zone} ({length})"


# Tables of named features over time.
_CHARTED = ("gauges", "sections", "structures", "sources", "levels", "ratings", "open_sides", "links")
# Starts of the names of layers that cover the run; other layers are of one time.
_OF_THE_RUN = ("max_", "time_of_", "arrival_", "duration", "infiltration")


def _flat(structure):
    """Returns a structure of run.json with its levels and its breach beside its other facts."""
    lowest, highest = structure["crest_m"]
    levels = {f"given_{part}_m": level for part, level in structure["levels_m"].items()}
    parts = {**structure, **levels, **structure.get("breach", {})}
    return {**parts, "lowest_crest_m": lowest, "highest_crest_m": highest}

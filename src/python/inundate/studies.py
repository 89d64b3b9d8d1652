"""Results of a study."""

import json
import os
from pathlib import Path

from . import attributes, maps, tables
from .errors import InputError
from .results import Results, broken
from .wording import in_python

REPORT = "study.json"
TABLE = "runs.csv"


class Study:
    """The results of a study: its runs, their table, and the maps over all runs."""

    def __init__(self, folder):
        self.folder = Path(folder)
        try:
            self.report = json.loads((self.folder / REPORT).read_text(encoding="utf-8"))
        except OSError as error:
            hint = "give the output folder of a study that is done, or inundate.study(file, collect=True)"
            raise InputError(f"'{folder}' is not the output folder of a study: {error}", hint) from None
        except ValueError as error:
            raise broken(folder, REPORT, error) from None

    def __fspath__(self):
        return os.fspath(self.folder)

    def __repr__(self):
        done = sum(run["status"] == "done" for run in self.report["runs"])
        return f"<inundate.Study '{self.folder}': {done} of {len(self.report['runs'])} runs are done>"

    @property
    def runs(self):
        """The table of the runs as a ``pandas.DataFrame``, indexed by name."""
        return tables.plain(self.folder, TABLE, None).set_index("name")

    @property
    def warnings(self):
        """Warnings of the study: about its file, its runs and the maps over them."""
        return [in_python(warning) for warning in self.report["warnings"]]

    @property
    def points(self):
        """points.csv as a ``pandas.DataFrame``: results at each feature in each run, indexed by ``name`` and
        ``fid``.
        """
        return tables.plain(self.folder, "points.csv", "give its runs points").set_index(["name", "fid"])

    @property
    def expected_damage(self):
        """expected_damage.csv as a ``pandas.DataFrame``: the expected annual damage of each feature, indexed
        by ``variant`` and ``fid``.
        """
        hint = "give its runs points, damage_curves and a return_period"
        return tables.plain(self.folder, "expected_damage.csv", hint).set_index(["variant", "fid"])

    @property
    def names(self):
        """Names of the runs, in the order of the study."""
        return [run["name"] for run in self.report["runs"]]

    def results(self, name):
        """Returns the :class:`Results` of the run with this name."""
        for run in self.report["runs"]:
            if run["name"] == name:
                return Results(self.folder / run["folder"])
        raise KeyError(f"there is no run '{name}': there are {', '.join(self.names)}")

    @property
    def layers(self):
        """Names of the maps over all runs: ``max_depth_mean``, ``probability_above_0.1m`` ... If the runs
        have several grids or variants, names start with a folder (``grid-1/max_depth_mean``).
        """
        return list(self._files())

    def _files(self):
        """Returns the file and the grid of each map, by its name."""
        each = [(file, grid) for grid in self.report["grids"] for file in grid["files"] if file.endswith(".tif")]
        return {file[:-4].split("/", 1)[-1]: (file, grid) for file, grid in each}

    def __getitem__(self, name):
        """Opens a map over all runs as a lazily read ``xarray.DataArray``."""
        files = self._files()
        if name not in files:
            raise KeyError(f"there is no map '{name}': there are {', '.join(files)}")
        file, grid = files[name]
        array = maps.open_map(self.folder / file, name)
        array.attrs.update(attributes.of_study(self.report, grid, self.folder))
        return maps.on_grid(array, grid)

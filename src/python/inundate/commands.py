"""The commands of the program as functions. Flags are keys of a scenario: ``output_every="10 min"``."""

import json
import os

from .program import arguments, execute, path
from .progress import shown
from .results import Results
from .studies import Study

# What this package needs of the program itself.
_OWN = ("json", "quiet")


def run(scenario=None, *, progress=None, **flags):
    """Runs a flood and returns its :class:`Results`.

    ``scenario`` is a scenario file, or a dict of its keys; ``flags`` are further keys, which win. Quantities are as in a
    scenario file (``rain="40 mm/h"``); durations may be a ``timedelta``, ``start`` a ``datetime``, paths ``Path`` objects,
    and what may be given several times a list. Paths in a dict and in flags are relative to the current folder.

    ``progress``: a bar where tqdm is installed (``None``), in any case (``True``), never (``False``), or a function that is
    told of it (see docs/python.md).

    Raises :class:`InputError` if the input is wrong, :class:`RunError` if the run fails, :class:`Stopped` (a
    ``KeyboardInterrupt``) after Ctrl-C.
    """
    words = ["run", *_scenario(scenario, flags), "--json"]
    with shown(progress) as on_progress:
        report = json.loads(execute(words, on_progress))
    return Results(report["parameters"].get("out", "results"))


def resume(folder, *, progress=None, **flags):
    """Goes on with a run that was stopped, from its last checkpoint; returns its :class:`Results`."""
    words = ["resume", path(folder), *arguments(_checked(flags)), "--json"]
    with shown(progress) as on_progress:
        execute(words, on_progress)
    return Results(folder)


def check(scenario=None, **flags):
    """Reads and checks all that :func:`run` would, and says in a dict what the run takes: steps, time, memory. Runs nothing."""
    return json.loads(execute(["check", *_scenario(scenario, flags), "--json"]))


def study(file, *, progress=None, **flags):
    """Runs a study file and returns the :class:`Study`. ``flags``: ``jobs``, ``devices``, ``collect``. Runs that are done are
    not run again. If runs fail, :class:`RunError` says so when the others are done; ``Study(folder)`` opens those."""
    for key in ("only", "array_task", "dry_run"):
        if flags.get(key):
            raise ValueError(f"{key} makes no tables: give it on the command line, and then study(file, collect=True)")
    words = ["study", path(file), *arguments(_checked(flags)), "--json"]
    with shown(progress) as on_progress:
        report = json.loads(execute(words, on_progress))
    return Study(report["out"])


def compare(result, other, **flags):
    """Compares a result with another, or with what was observed; returns the figures of ``inundate compare`` as a dict.

    ``result`` and ``other`` are :class:`Results`, output folders, or files. ``series=True`` compares two series in CSV files.
    Further flags: ``threshold="0.1,0.3"``, ``difference="map.tif"``, ``dem``, ``as_``, ``dry_nodata`` and the like.
    """
    result = path(result)
    first = [f"--series={result}"] if flags.pop("series", False) else [result]
    words = ["compare", *first, f"--with={os.fspath(other)}", *arguments(_checked(flags)), "--json"]
    return json.loads(execute(words))


def _checked(flags):
    for key in _OWN:
        if key in flags:
            raise TypeError(f"{key}: this package sets it itself (progress=False shows no progress)")
    return flags


def _scenario(scenario, flags):
    if scenario is None or isinstance(scenario, dict):
        return arguments(_checked({**(scenario or {}), **flags}))
    return [path(scenario), *arguments(_checked(flags))]

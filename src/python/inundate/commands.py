"""The program's commands as functions. Keyword arguments are scenario keys: ``output_every="10 min"``."""

import json
import os

from .checks import Check
from .program import arguments, execute, path
from .progress import shown
from .results import Results
from .studies import Study

# Flags that this package sets itself.
_OWN = ("json", "quiet")


def run(scenario=None, *, progress=None, **flags):
    """Runs a flood and returns its :class:`Results`.

    ``scenario`` is a scenario file, or a dict of its keys; ``flags`` are further keys, which take precedence.
    Quantities are written as in a scenario file (``rain="40 mm/h"``); durations may be ``timedelta`` objects,
    ``start`` a ``datetime``, paths ``Path`` objects, and keys that accept several values a list. Paths in a
    dict and in flags are relative to the current folder.

    ``progress`` shows a progress bar if tqdm is installed (``None``), always (``True``) or never (``False``),
    or is a function that receives the progress (see docs/python.md).

    Raises :class:`InputError` if the input is wrong, :class:`RunError` if the run fails, and :class:`Stopped`
    (a ``KeyboardInterrupt``) after Ctrl-C.
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
    """Reads and checks everything that :func:`run` would, without running it.

    Returns a :class:`Check` with estimates of the run's steps, time and memory.
    """
    return Check.of(json.loads(execute(["check", *_scenario(scenario, flags), "--json"])))


def study(file, *, progress=None, **flags):
    """Runs a study file and returns the :class:`Study`.

    ``flags`` are ``jobs``, ``devices`` and ``collect``. Finished runs are not run again. If runs fail,
    :class:`RunError` is raised after the others have finished; ``Study(folder)`` then opens the finished
    runs.
    """
    for key in ("only", "array_task", "dry_run"):
        if flags.get(key):
            raise ValueError(f"{key} makes no tables: give it on the command line, and then study(file, collect=True)")
    words = ["study", path(file), *arguments(_checked(flags)), "--json"]
    with shown(progress) as on_progress:
        report = json.loads(execute(words, on_progress))
    return Study(report["out"])


def compare(result, other, **flags):
    """Compares a result with another one or with observations.

    Returns the statistics of ``inundate compare`` as a dict.

    ``result`` and ``other`` are :class:`Results`, output folders, or files. ``series=True`` compares two time
    series in CSV files. Further flags are ``threshold="0.1,0.3"``, ``difference="map.tif"``, ``dem``,
    ``as_``, ``dry_nodata`` and the other options of the command.
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

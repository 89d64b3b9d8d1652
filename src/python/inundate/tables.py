"""Reads CSV tables with pandas, and arranges tables of named features with xarray."""

import csv
import re
from datetime import datetime

from . import attributes
from .errors import InputError, needed

MASS_BALANCE = "mass_balance.csv"

# `<name> <quantity> [unit]`: the quantity and the unit of a column of a named feature.
_COLUMN = re.compile(r"(\w+(?: [xy])?) \[([^\]]*)\](?:\.\d+)?$")
_ABOUT = {
    "depth": "water depth",
    "level": "water level",
    "velocity": "flow velocity",
    "velocity_x": "flow velocity to the east",
    "velocity_y": "flow velocity to the north",
    "volume": "volume since the start",
    "inflow": "inflow since the start",
    "outflow": "outflow since the start",
    "forward": "volume from the inlet to the outlet since the start",
    "back": "volume from the outlet to the inlet since the start",
    "bed": "bed level",
    "lowest_bed": "lowest bed level of the cell",
    "max_depth": "maximum water depth",
    "max_level": "maximum water level",
    "max_velocity": "maximum flow velocity",
    "time_of_max": "time of the maximum depth since the start of the run",
    "arrival": "arrival time since the start of the run",
    "edges": "number of cell faces",
    "peak": "discharge of greatest magnitude",
    "time_of_peak": "time of the discharge of greatest magnitude since the start of the run",
    "cells": "number of cells",
}
# Endings of keys of run.json, longest first.
_UNITS = {"_m3_s": "m3/s", "_m_s": "m/s", "_m3": "m3", "_m": "m", "_s": "s"}
# Facts of features that are times in seconds or steps.
_TIMES = ("time_of_max", "time_of_peak", "arrival")
_COORDINATES = ("x", "y", "column", "row", "kind")


def start_of(folder):
    """Returns the start of a run, or ``None`` if its tables have no dates."""
    with open(folder / MASS_BALANCE, newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file), {})
    date = row.get("date")
    # Python before 3.11 cannot parse 'Z'.
    return datetime.fromisoformat(date.replace("Z", "+00:00")) if date else None


def plain(folder, name, hint):
    """Reads a table without an index."""
    pandas = needed("pandas", f"reading {name}")
    path = folder / name
    if not path.exists():
        raise InputError(f"there is no {name} in '{folder}'", hint or None)
    return pandas.read_csv(path)


def read(folder, name, hint):
    """Reads a table of a run, indexed by ``time`` (dates in UTC if the start is known, otherwise times since
    the start) or by ``step``.
    """
    table = plain(folder, name, hint)
    pandas = needed("pandas", f"reading {name}")
    if "date" in table:
        index = pandas.to_datetime(table["date"], utc=True).dt.tz_localize(None)
    elif "time [s]" in table:
        index = pandas.to_timedelta(table["time [s]"], unit="s")
    else:
        return table.set_index("step")
    table.index = pandas.Index(index, name="time")
    return table.drop(columns=["time [s]", "time [h]", "date"], errors="ignore")


def by_feature(table, dimension, features):
    """Arranges the columns ``<name> <quantity> [unit]`` of all features as a dataset along time and the
    features.

    ``features`` are their entries in run.json, in the order of the columns.
    """
    width = len(table.columns) // len(features)
    series = {}
    for at in range(width):
        quantity, unit = _COLUMN.search(table.columns[at]).groups()
        series[quantity.replace(" ", "_")] = (table.iloc[:, at::width].to_numpy(), unit)
    return _dataset(table.index, dimension, [each["name"] for each in features], series)


def by_account(table, dimension, names, columns):
    """Arranges columns of the mass balance as a dataset along time and the features.

    ``columns`` has the pattern of the column of each quantity: ``{"inflow": "source {} [m3]"}``.
    """
    found = {}
    for at, column in enumerate(table.columns):
        # pandas numbers columns of the same name.
        found.setdefault(_letters(re.sub(r"\]\.\d+$", "]", column)), []).append(at)
    series = {}
    for quantity, pattern in columns.items():
        taken = {}
        places = []
        for name in names:
            key = _letters(pattern.format(name))
            if len(found.get(key, ())) <= taken.get(key, 0):
                hint = "run it again with another out"
                raise InputError(f"{MASS_BALANCE} has no column '{pattern.format(name)}'", hint)
            places.append(found[key][taken.get(key, 0)])
            taken[key] = taken.get(key, 0) + 1
        series[quantity] = (table.iloc[:, places].to_numpy(dtype=float), "m3")
    return _dataset(table.index, dimension, names, series)


def _letters(text):
    """Returns a text without the characters that are replaced in tables."""
    return "".join(letter for letter in text if letter.isprintable())


def _dataset(index, dimension, names, series):
    xarray = needed("xarray", f"reading a table of each {dimension}")
    pandas = needed("pandas", f"reading a table of each {dimension}")
    time = index.name
    dates = isinstance(index, pandas.DatetimeIndex)
    dataset = xarray.Dataset(coords={time: (time, index, attributes.of_time(time, dates))})
    dataset[dimension] = (dimension, list(names), {"long_name": dimension})
    for quantity, (values, unit) in series.items():
        about = attributes.of_quantity(_ABOUT.get(quantity, quantity), unit, quantity)
        dataset[quantity] = ((time, dimension), values, about)
    return dataset.set_coords(dimension)


def add_facts(dataset, dimension, features, report):
    """Adds what run.json has of each feature (numbers and texts) along the dimension of the features."""
    timed = report["time_unit"] == "seconds"
    numpy = needed("numpy", f"reading a table of each {dimension}")
    keys = dict.fromkeys(key for each in features for key in each)
    for key in keys:
        values = [each.get(key) for each in features]
        if key == "name" or not all(value is None or isinstance(value, (int, float, str)) for value in values):
            continue
        ending = next((ending for ending in _UNITS if key.endswith(ending)), "")
        name = key[: len(key) - len(ending)]
        if name in dataset:
            continue
        about = {"long_name": _ABOUT.get(name, name.replace("_", " "))}
        if name in _TIMES and timed:
            array = numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
            missing = numpy.isnan(array)
            array = (numpy.where(missing, 0, array) * 1e9).round().astype("timedelta64[ns]")
            array[missing] = numpy.timedelta64("NaT")
        elif any(isinstance(value, str) for value in values):
            array = ["" if value is None else value for value in values]
        else:
            array = [numpy.nan if value is None else value for value in values]
            about = attributes.of_quantity(about["long_name"], _UNITS.get(ending), name)
            if name in ("x", "y"):
                about = attributes.of_axis(name, report["grid"])
        dataset[name] = (dimension, array, about)
        if name in _COORDINATES:
            dataset = dataset.set_coords(name)
    return dataset

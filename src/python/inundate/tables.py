"""Reads CSV tables with pandas."""

import csv
from datetime import datetime

from .errors import InputError, needed


def start_of(folder):
    """Returns the start of a run, or ``None`` if its tables have no dates."""
    with open(folder / "mass_balance.csv", newline="", encoding="utf-8") as file:
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

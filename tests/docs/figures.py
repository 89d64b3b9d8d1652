#!/usr/bin/env python3
"""Compares the figures in the prose of a page with the results of its commands.

    python3 figures.py PAGE [--texts]

Runs in the folder in which the page's `sh` blocks ran, with `inundate` on the path. A page lists its figures in comments, which no
reader of the page sees, one a line:

    <!-- figure: 31 000 m³/s = section("sudden", "gap")["peak_m3_s"] -->

The text before the first ` = ` is in the prose, and its first number is the figure. The rest is a Python expression of the functions
below. Both must agree within a unit of the figure's last digit that is not a zero at its end. `--texts` checks only that the texts are in
the prose and that the expressions can be compiled, for results of other cells than the page's.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

FIGURE = re.compile(r"^<!-- figure: (.+?) = (.+?) -->$", re.M)
NUMBER = re.compile(r"\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


def run(folder):
    """Returns the `run.json` of a run."""
    return json.loads(Path(folder, "run.json").read_text())


def named(items, name):
    """Returns the item of a name."""
    return next(item for item in items if item["name"] == name)


def gauge(folder, name):
    """Returns a gauge of a run."""
    return named(run(folder)["gauges"], name)


def section(folder, name):
    """Returns a section of a run."""
    return named(run(folder)["sections"], name)


def link(folder, name):
    """Returns a pump or culvert of a run."""
    return named(run(folder)["links"], name)


def breach(folder, name):
    """Returns the breach of a structure of a run."""
    return named(run(folder)["structures"], name)["breach"]


def series(path, column):
    """Returns the times (s) and values of a column of a CSV."""
    with open(path, newline="") as file:
        return [(float(line["time [s]"]), float(line[column])) for line in csv.DictReader(file)]


def at(path, column, time):
    """Returns the value of a series at a time (s) of its table."""
    return dict(series(path, column))[time]


def peak(path, column):
    """Returns the time (s) and the greatest value of a series."""
    return max(series(path, column), key=lambda line: line[1])


def rows(path):
    """Returns the lines of a CSV as dictionaries."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def output(*command):
    """Returns the standard output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compare(*arguments):
    """Returns the figures of `inundate compare`."""
    return json.loads(output("inundate", "compare", *arguments, "--json"))


def value(path, x, y):
    """Returns the value of a map at a point."""
    return float(output("gdallocationinfo", "-valonly", "-geoloc", path, str(x), str(y)))


def tolerance(number):
    """Returns a unit of the last digit of a number; zeros at the end of a whole number are rounded digits, up to 5 % of it."""
    whole, _, decimals = number.partition(".")
    if decimals:
        return 10 ** -len(decimals)
    rounded = 10 ** (len(whole) - len(whole.rstrip("0")))
    return max(1, min(rounded, 0.05 * float(whole)))


def faults(page, texts_only):
    """Returns a line for each figure of a page that does not hold."""
    text = Path(page).read_text()
    prose = re.sub(r"<!--.*?-->|^```.*?^```", "", text, flags=re.M | re.S)
    prose = " ".join(prose.split())
    for said, expression in FIGURE.findall(text):
        number = NUMBER.search(said)
        if number is None:
            yield f"'{said}' has no number"
            continue
        if said not in prose:
            yield f"'{said}' is not in the text"
            continue
        code = compile(expression, expression, "eval")
        if texts_only:
            continue
        figure = number[0].replace(" ", "")
        actual = eval(code, dict(globals()))
        if not abs(actual - float(figure)) <= tolerance(figure):
            yield f"'{said}': the run gives {actual}, from {expression}"


if __name__ == "__main__":
    lines = list(faults(sys.argv[1], "--texts" in sys.argv))
    sys.exit("\n".join(f"{sys.argv[1]}: {line}" for line in lines) or 0)

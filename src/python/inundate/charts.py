"""Draws time series at gauges, sections and other features with matplotlib."""

import textwrap

from . import attributes
from .errors import needed

_SIZE = (8, 3.5)  # inches
_LABEL_WIDTH = 30


def draw(table, start, title, ax=None):
    """Draws a line for each feature of an array along time, or step, and the features.

    ``start`` is the start of the run with its time zone, in which dates are shown, or ``None``.
    """
    needed("matplotlib", "drawing charts")
    import matplotlib.pyplot as plt
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import FuncFormatter

    if ax is None:
        _, ax = plt.subplots(figsize=_SIZE, layout="constrained")
    along, features = table.dims
    times, label = _axis(table[along], start)
    for name in table[features].values:
        ax.plot(times, table.sel({features: name}).values, label=textwrap.fill(str(name), _LABEL_WIDTH))
    ax.set_xlabel(label)
    ax.set_ylabel(attributes.label(table))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    if times.dtype.kind == "M":
        dates = AutoDateLocator(maxticks=8)
        ax.xaxis.set(major_locator=dates, major_formatter=ConciseDateFormatter(dates))
    ax.set_title(title, loc="left", fontsize="medium")
    ax.margins(x=0)
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    return ax


def _axis(times, start):
    """Returns the values and the label of the horizontal axis."""
    import numpy

    if times.name == "step":
        return times.values, "step"
    if start is None:
        hours = times.values / numpy.timedelta64(1, "h")
        return (hours, "time since the start [h]") if hours[-1] >= 2 else (60 * hours, "time since the start [min]")
    offset = numpy.timedelta64(int(start.utcoffset().total_seconds()), "s")
    return times.values + offset, f"time ({start.tzname()})"

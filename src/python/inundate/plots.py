"""Draws maps with matplotlib, in the colours chosen by the run, over the shaded ground."""

import textwrap

from . import attributes, hillshade
from .errors import needed

# Width of a figure (inches), and the largest and smallest height of it.
_WIDTH = 8
_HEIGHTS = (2.5, 9)
_LABEL_WIDTH = 26


def draw(array, style, report, ground=None, title=None, ax=None):
    """Draws a map over the shaded ground.

    ``style`` is the style of its layer in run.json, ``ground`` the path of the DEM (``None`` draws none).
    """
    needed("matplotlib", "drawing maps")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    west, east = _ends(array["x"].values)
    south, north = _ends(array["y"].values[::-1])
    if ax is None:
        height = _WIDTH * 0.75 * (north - south) / (east - west) + 1
        _, ax = plt.subplots(figsize=(_WIDTH, min(max(height, _HEIGHTS[0]), _HEIGHTS[1])), layout="compressed")
    if ground is not None:
        shaded, extent = hillshade.shade(ground, report)
        ax.imshow(shaded, extent=extent, cmap="gray", vmin=-0.2, vmax=1, interpolation="bilinear", label="ground")
    look, classes = _colours(style)
    image = ax.imshow(array.values, extent=(west, east, south, north), interpolation="nearest", **look)
    ax.set(aspect="equal", xlim=(west, east), ylim=(south, north))
    ax.set_title(title, loc="left", fontsize="medium")
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_label_text(attributes.label(array[name]))
    if classes:
        patches = [Patch(facecolor=_colour(stop), edgecolor="gray", label=_wrap(stop["label"])) for stop in classes]
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0, "frameon": False}
        ax.legend(handles=patches[::-1], title=_wrap(array.attrs["long_name"]), alignment="left", **place)
    else:
        ax.figure.colorbar(image, ax=ax, label=attributes.label(array), shrink=0.8)
    return ax


def _wrap(text):
    return textwrap.fill(text, _LABEL_WIDTH)


def mark(ax, report):
    """Marks the gauges, and the sections and structures, with their names."""
    halo = {"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.7, "linewidth": 0}
    name = {"textcoords": "offset points", "clip_on": True, "fontsize": "small", "bbox": halo}
    structures = {each["name"] for each in report["structures"]}
    for line in report["sections"]:
        x, y = zip(*line["line"])
        ax.plot(x, y, color="black" if line["name"] in structures else "darkred", linewidth=1.5)
        ax.annotate(line["name"], (x[-1], y[-1]), (4, 4), **name)
    for gauge in report["gauges"]:
        ax.plot(gauge["x"], gauge["y"], "o", color="darkred", markeredgecolor="white", markersize=6)
        ax.annotate(gauge["name"], (gauge["x"], gauge["y"]), (6, 4), **name)


def _ends(centres):
    """Returns the outer edges of cells from their centres, in ascending order."""
    half = (centres[-1] - centres[0]) / (2 * max(len(centres) - 1, 1))
    return centres[0] - half, centres[-1] + half


def _colours(style):
    """Returns the arguments of ``imshow`` for a style, and its visible classes, if it has classes."""
    if not style:
        return {}, None
    from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, ListedColormap, Normalize

    stops = style["stops"]
    if style["blend"] == "smooth":
        low, high = stops[0]["value"], stops[-1]["value"]
        places = [(stop["value"] - low) / (high - low) for stop in stops]
        cmap = LinearSegmentedColormap.from_list("run", list(zip(places, map(_colour, stops))))
        return {"cmap": cmap, "norm": Normalize(low, high)}, None
    # Dry cells have a transparent class, the first one.
    shown = [stop for stop in stops if stop["colour"][3] > 0]
    bounds = _bounds(stops, shown, style["blend"])
    cmap = ListedColormap([_colour(stop) for stop in shown]).with_extremes(under=(0, 0, 0, 0), over=_colour(shown[-1]))
    return {"cmap": cmap, "norm": BoundaryNorm(bounds, len(shown))}, shown


def _bounds(stops, shown, blend):
    """Returns the bounds of the classes that are shown, one more than there are classes."""
    import numpy

    if blend == "exact":
        values = [stop["value"] for stop in shown]
        between = [(low + high) / 2 for low, high in zip(values, values[1:])]
        return [values[0] - 0.5, *between, values[-1] + 0.5]
    # A class reaches up to its value, which belongs to it; the last one is open.
    values = numpy.float32([stop["value"] for stop in stops if stop["value"] is not None])
    after = numpy.nextafter(values, numpy.float32("inf")).astype(float).tolist()
    hidden = len(stops) - len(shown)
    inner = after[hidden:] if hidden else after
    lowest = after[hidden - 1] if hidden else min(0.0, after[0] - 1)
    if len(inner) < len(shown):
        inner = [*inner, 2 * max([lowest, *inner]) - lowest + 1]
    return [lowest, *inner]


def _colour(stop):
    return [part / 255 for part in stop["colour"]]

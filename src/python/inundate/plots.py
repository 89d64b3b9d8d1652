"""Draws maps with matplotlib, in the colours chosen by the run."""

from .errors import needed


def draw(array, style, ax=None):
    """Draws a map; ``style`` is the style of its layer in run.json."""
    needed("matplotlib", "drawing maps")
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots()
    about = array.attrs.get("long_name", array.name)
    unit = array.attrs.get("units", "1")
    label = about if unit == "1" else f"{about} [{unit}]"
    west, east = _ends(array["x"].values)
    south, north = _ends(array["y"].values[::-1])
    image = ax.imshow(array.values, extent=(west, east, south, north), interpolation="nearest", **_colours(style))
    ax.set_aspect("equal")
    bar = ax.figure.colorbar(image, ax=ax, label=label)
    if style and style["blend"] == "up-to":
        bar.set_ticks(_bounds(style)[1:-1])
    return ax


def _ends(centres):
    """Returns the outer edges of cells from their centres, in ascending order."""
    half = (centres[-1] - centres[0]) / (2 * max(len(centres) - 1, 1))
    return centres[0] - half, centres[-1] + half


def _bounds(style):
    """Returns the class bounds of a style: each class reaches up to its value, the last one is open."""
    values = [stop["value"] for stop in style["stops"] if stop["value"] is not None]
    return [min(0.0, values[0]) - 1e-9, *values, max(values) * 1e6 + 1] if values else [0, 1]


def _colours(style):
    if not style or style["blend"] != "up-to":
        return {}
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colours = [[part / 255 for part in stop["colour"]] for stop in style["stops"]]
    bounds = _bounds(style)[: len(colours) + 1]
    return {"cmap": ListedColormap(colours), "norm": BoundaryNorm(bounds, len(colours))}

"""Maps drawn with matplotlib, in the colours that the run chose."""

from .errors import needed


def draw(array, style, ax=None):
    """Draws a map; ``style`` is that of its layer in run.json."""
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
    """The outer ends of cells by their centres, in ascending order."""
    half = (centres[-1] - centres[0]) / (2 * max(len(centres) - 1, 1))
    return centres[0] - half, centres[-1] + half


def _bounds(style):
    """The bounds of the classes of a style: each reaches up to its value, the last without end."""
    values = [stop["value"] for stop in style["stops"] if stop["value"] is not None]
    return [min(0.0, values[0]) - 1e-9, *values, max(values) * 1e6 + 1] if values else [0, 1]


def _colours(style):
    if not style or style["blend"] != "up-to":
        return {}
    from matplotlib.colors import BoundaryNorm, ListedColormap

    colours = [[part / 255 for part in stop["colour"]] for stop in style["stops"]]
    bounds = _bounds(style)[: len(colours) + 1]
    return {"cmap": ListedColormap(colours), "norm": BoundaryNorm(bounds, len(colours))}

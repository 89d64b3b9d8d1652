"""Formats durations."""


def show(time):
    """Returns a ``timedelta`` in a unit in which it is a small number."""
    seconds = time.total_seconds()
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size or seconds == size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"

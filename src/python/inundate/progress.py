"""Progress display of a run."""

from contextlib import contextmanager


@contextmanager
def shown(progress):
    """Yields the progress callback of a run.

    ``progress`` is ``None`` (a tqdm bar if tqdm is installed), ``True`` (a tqdm bar), ``False`` (nothing), or
    your own function. The function is called with a dict of ``progress`` (0 to 1), ``time``, ``steps``,
    ``wet_cells``, ``stored_m3`` and ``left_s``.
    """
    if progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        bar = _bar(required=progress is True)
        if bar is None:
            yield None
            return
        try:
            yield lambda now: _move(bar, now)
        finally:
            bar.close()


def _bar(required):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if required:
            from .errors import needed

            needed("tqdm", "progress=True")
        return None
    # disable=None shows the bar on a terminal only; notebooks always show it.
    return tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{postfix}", disable=None)


def _move(bar, now):
    left = now.get("left_s")
    bar.set_postfix_str("" if left is None else f"{left:.0f} s", refresh=False)
    bar.n = round(100 * now["progress"], 1)
    bar.refresh()

"""A run that is stepped in this process. It computes the same results as ``inundate.run``, and can be read
and changed between steps.
"""

import logging
import warnings
from datetime import timedelta

from .errors import InputError, InundateError, InundateWarning, needed
from .program import version
from .wording import in_python

log = logging.getLogger("inundate")

# The compiled module, which has its own wheel.
ENGINE = "inundate_engine"


class Model:
    """A run that is stepped from Python.

        with inundate.Model.from_scenario("scenario.toml", out="coupled") as model:
            while model.time < model.end_time:
                model.update_until(model.time + 60)
                depth = model.get_value("depth")

    Times are in seconds (for automata, in steps). Arrays are float64, with rows from the north and NaN
    outside the domain. ``get_value`` returns a copy, because the state itself is whole grains of water in
    tiles on the run's processor.
    """

    def __init__(self, run):
        self._run = run
        self._quantities = {name: Quantity(*about) for name, *about in _engine().quantities()}

    @classmethod
    def from_scenario(cls, scenario=None, **flags):
        """Starts the run of a scenario file, or of a dict of its keys; ``flags`` are further keys, which take
        precedence (see :func:`inundate.run`).
        """
        from .commands import _scenario

        words = _scenario(scenario, flags)
        run = _engine().Run(words, ["inundate.Model.from_scenario", *words])
        for note in run.notes:
            log.info("note: %s", note)
        _warn(run.warnings)
        return cls(run)

    @property
    def quantities(self):
        """Readable quantities by name: meaning, unit, location of the values, and whether the quantity can be
        set.
        """
        return dict(self._quantities)

    @property
    def time(self):
        """Current time."""
        return self._run.clock()[0]

    @property
    def end_time(self):
        """Time at the end of the run."""
        return self._run.clock()[1]

    @property
    def steps(self):
        """Number of steps taken."""
        return self._run.clock()[2]

    @property
    def is_timed(self):
        """``True`` if time is in seconds, ``False`` if it is in steps."""
        return self._run.timed

    @property
    def has_flow(self):
        """``True`` if the solver has velocities and discharges."""
        return self._run.flows

    @property
    def sources(self):
        """Names of the sources, in the order of ``inflow``."""
        return self._run.sources

    @property
    def source_places(self):
        """Positions of the sources, (east, north) in the DEM's CRS: the centre of each source's cells."""
        return self._run.source_places

    @property
    def transform(self):
        """GDAL geotransform of the grid."""
        return self._run.transform

    @property
    def ledger(self):
        """Current mass balance (m3); ``error_m3`` is 0. Water added by ``set_value`` is ``set_m3``."""
        return dict(self._run.ledger())

    def update(self, steps=1):
        """Takes one or several steps, of the lengths that an uninterrupted run would take."""
        self._run.steps(_whole(steps))

    def update_until(self, time):
        """Steps to a time (a number, or a ``timedelta``). A step ends exactly at that time, as at the times of
        ``output_every``.
        """
        if isinstance(time, timedelta):
            time = time.total_seconds()
        if isinstance(time, str):
            raise InputError(f"update_until: '{time}' is not a number", "give seconds, or a timedelta", 2)
        now = self.time
        if not time >= now:
            raise InputError(f"update_until: {time} is before the time of the model, {now}", "time goes on only", 2)
        if time > now:
            self._run.until(float(time))

    def get_value(self, name):
        """Returns the current values of a quantity as a new array."""
        numpy = needed("numpy", "Model.get_value")
        values = numpy.frombuffer(self._run.read(name), dtype=numpy.float64)
        place = self._quantities[name].place
        return values if place == "sources" else values.reshape(self._run.shape(place))

    def set_value(self, name, values):
        """Sets a quantity to an array of the shape of :meth:`get_value`, or to one number everywhere. NaN
        leaves a value unchanged.

        Water that is added or removed is ``set_m3`` in the mass balance. Rain and inflow are replaced from
        now on.
        """
        numpy = needed("numpy", "Model.set_value")
        try:
            if isinstance(values, numpy.ma.MaskedArray):
                values = values.astype(numpy.float64).filled(numpy.nan)
            values = numpy.asarray(values, dtype=numpy.float64)
        except (TypeError, ValueError):
            unit = f" in {self._quantities[name].unit}" if name in self._quantities else ""
            raise InputError(f"{name}: {values!r} is not a number or an array", f"give numbers{unit}", 2) from None
        if name in self._quantities and values.ndim == 2 and values.shape != self.shape(name):
            raise InputError(f"{name}: an array of {values.shape}", f"its shape is {self.shape(name)}", 2)
        self._run.set(name, values.tobytes())

    def shape(self, name):
        """Returns the shape of a quantity's array."""
        if name not in self._quantities:
            raise InputError(f"'{name}' is not a quantity of a run", f"it has {', '.join(self._quantities)}", 2)
        place = self._quantities[name].place
        rows, columns = self._run.shape(place)
        return (columns,) if place == "sources" else (rows, columns)

    def finalize(self):
        """Writes the results and returns them as :class:`inundate.Results`. A run that has not reached its
        end is ended here.

        Returns ``None``, and writes nothing, if no step was taken.
        """
        from .results import Results

        finished = self._run.finish()
        if finished is None:
            return None
        folder, late = finished
        _warn(late)
        return Results(folder)

    def close(self):
        """Ends the run without writing anything more. Maps written during the run stay."""
        self._run.give_up()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def __repr__(self):
        now, end, steps = self._run.clock()
        return f"<inundate.Model at {now:g} of {end:g} {'s' if self._run.timed else 'steps'}, {steps} steps>"


class Quantity:
    """A quantity of a model."""

    def __init__(self, about, unit, place, can_be_set):
        self.about = about
        self.unit = unit
        self.place = place
        self.can_be_set = can_be_set

    def __repr__(self):
        return f"{self.about} [{self.unit}], in {self.place}{'' if self.can_be_set else '; read only'}"


def _engine():
    engine = needed(ENGINE, "inundate.Model", 'build it with `make wheel-engine` and install target/wheel-engine/*.whl')
    own = version()
    if own not in ("unknown", engine.__version__):
        raise InundateError(
            f"the package is of version {own}, and inundate-engine of {engine.__version__}",
            f"install the inundate-engine of version {own}, built beside it by `make wheel-engine`",
        )
    return engine


def _whole(steps):
    whole = int(steps)
    if whole != steps or whole < 1:
        raise InputError(f"update: {steps} steps", "take 1 or more", 2)
    return whole


def _warn(said):
    # Attribute the warning to the caller of from_scenario or finalize.
    for warning in said:
        warnings.warn(in_python(warning), InundateWarning, stacklevel=3)

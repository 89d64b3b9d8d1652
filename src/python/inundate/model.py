"""A run, stepped in this process: the same run that ``inundate.run`` makes, between two steps of which others may look and change."""

import logging
import warnings

from .errors import InputError, InundateError, InundateWarning, needed
from .program import version

log = logging.getLogger("inundate")

# The module that is compiled; it has a wheel of its own.
ENGINE = "inundate_engine"


class Model:
    """A run between two steps.

        with inundate.Model.from_scenario("scenario.toml", out="coupled") as model:
            while model.time < model.end_time:
                model.update_until(model.time + 60)
                depth = model.get_value("depth")

    Times are in seconds (in steps, of an automaton). Arrays are float64, rows from the north; cells outside the domain are NaN.
    What is got is a copy: the state itself is whole grains of water in tiles, on the processor that the run takes.
    """

    def __init__(self, run):
        self._run = run
        self._quantities = {name: Quantity(*about) for name, *about in _engine().quantities()}

    @classmethod
    def from_scenario(cls, scenario=None, **flags):
        """Starts the run of a scenario file, or of a dict of its keys; ``flags`` are further keys, which win (:func:`inundate.run`)."""
        from .commands import _scenario

        words = _scenario(scenario, flags)
        run = _engine().Run(words, ["inundate.Model.from_scenario", *words])
        for note in run.notes:
            log.info("note: %s", note)
        _warn(run.warnings)
        return cls(run)

    @property
    def quantities(self):
        """What can be got, by name: what it is, its unit, where its values lie, whether it can be set."""
        return dict(self._quantities)

    @property
    def time(self):
        """Time now."""
        return self._run.clock()[0]

    @property
    def end_time(self):
        """Time at the end of the run."""
        return self._run.clock()[1]

    @property
    def steps(self):
        """Steps taken."""
        return self._run.clock()[2]

    @property
    def is_timed(self):
        """Whether its time is in seconds, not in steps."""
        return self._run.timed

    @property
    def has_flow(self):
        """Whether its rule knows velocities and discharges."""
        return self._run.flows

    @property
    def sources(self):
        """Names of the sources, in the order of ``inflow``."""
        return self._run.sources

    @property
    def source_places(self):
        """Where the sources are, (east, north) in the DEM's CRS: the middle of the cells of each."""
        return self._run.source_places

    @property
    def transform(self):
        """Where the grid lies: the six numbers of GDAL's geotransform."""
        return self._run.transform

    @property
    def ledger(self):
        """The mass balance now (m3); ``error_m3`` is 0. Water that was set is ``set_m3``."""
        return dict(self._run.ledger())

    def update(self, steps=1):
        """Takes a step, or so many: those that the run would take."""
        self._run.steps(_whole(steps))

    def update_until(self, time):
        """Steps to a time, on which a step ends, as on the times of ``output_every``."""
        now = self.time
        if not time >= now:
            raise InputError(f"update_until: {time} is before the time of the model, {now}", "time goes on only", 2)
        if time > now:
            self._run.until(float(time))

    def get_value(self, name):
        """The values of a quantity now, as an array of its own."""
        numpy = needed("numpy", "Model.get_value")
        values = numpy.frombuffer(self._run.read(name), dtype=numpy.float64)
        place = self._quantities[name].place
        return values if place == "sources" else values.reshape(self._run.shape(place))

    def set_value(self, name, values):
        """Sets a quantity: an array as :meth:`get_value` gives, or one number for all. What is NaN stays as it is.

        Water that is set is in the ledger as ``set_m3``. Rain and inflow are replaced from now on.
        """
        numpy = needed("numpy", "Model.set_value")
        if isinstance(values, numpy.ma.MaskedArray):
            values = values.astype(numpy.float64).filled(numpy.nan)
        values = numpy.asarray(values, dtype=numpy.float64)
        if name in self._quantities and values.ndim == 2 and values.shape != self.shape(name):
            raise InputError(f"{name}: an array of {values.shape}", f"its shape is {self.shape(name)}", 2)
        self._run.set(name, values.tobytes())

    def shape(self, name):
        """The shape of a quantity's array."""
        place = self._quantities[name].place
        rows, columns = self._run.shape(place)
        return (columns,) if place == "sources" else (rows, columns)

    def finalize(self):
        """Writes the results as the run does and returns its :class:`inundate.Results`; a run that is not at its end ends here. One that
        took no step writes nothing and returns ``None``."""
        from .results import Results

        finished = self._run.finish()
        if finished is None:
            return None
        folder, late = finished
        _warn(late)
        return Results(folder)

    def close(self):
        """Ends the run and writes nothing more. Maps on the way stay."""
        self._run.give_up()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def __repr__(self):
        now, end, steps = self._run.clock()
        return f"<inundate.Model at {now:g} of {end:g} {'s' if self._run.timed else 'steps'}, {steps} steps>"


class Quantity:
    """What can be got of a model."""

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
    # As if the caller of from_scenario or finalize had warned.
    for warning in said:
        warnings.warn(warning, InundateWarning, stacklevel=3)

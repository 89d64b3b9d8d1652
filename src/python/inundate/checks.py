"""What a check of a scenario found."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from .durations import show
from .wording import in_python

# Features with names.
_NAMED = ("sources", "gauges", "sections", "structures", "links")


@dataclass(frozen=True, repr=False)
class Check:
    """A scenario that was read and checked, and estimates of its run. A scenario with an error raises
    :class:`InputError` instead.

    Ranges are pairs of the lowest and the highest value; an estimate that cannot be made is ``None``.
    ``report`` has everything that ``inundate check --json`` prints, and ``check["dx_m"]`` one entry of it.
    """

    solver: str
    rows: int
    columns: int
    domain_cells: int
    cell_size_m: tuple[float, float]
    bed_range_m: tuple[float, float]
    roughness: tuple[float, float] | None
    open_sides: tuple[str, ...]
    duration: timedelta | None
    """Simulated time; ``None`` if steps have no duration."""
    steps: tuple[int, int] | None
    run_time: tuple[timedelta, timedelta] | None
    """Wall-clock time of the run."""
    device: str
    memory_bytes: int
    disk_bytes: tuple[float, float]
    maps: int
    """Number of maps that the run writes."""
    initial_m3: float
    rain_m3: float
    rain_mm: float | None
    inflow_m3: float
    """Inflow from sources by the end of the run."""
    sources: tuple[str, ...]
    gauges: tuple[str, ...]
    sections: tuple[str, ...]
    structures: tuple[str, ...]
    links: tuple[str, ...]
    assumed: tuple[str, ...]
    """Defaults that are used because the scenario does not give a value."""
    warnings: tuple[str, ...]
    report: dict = field(compare=False)

    @classmethod
    def of(cls, report):
        """Returns the check of a report of ``inundate check --json``."""
        brought = {what: [each for each in report["forcing"] if each["what"] == what] for what in ("rain", "source")}
        depths = [each["depth_mm"] for each in brought["rain"] if each.get("depth_mm") is not None]
        simulated, wall = report["simulated_s"], report["wall_range_s"]
        return cls(
            solver=report["rule"],
            rows=report["rows"],
            columns=report["columns"],
            domain_cells=report["domain_cells"],
            cell_size_m=(report["dx_m"], report["dy_m"]),
            bed_range_m=tuple(report["bed_range_m"]),
            roughness=report["roughness"] and tuple(report["roughness"]),
            open_sides=tuple(report["open"]),
            duration=None if simulated is None else timedelta(seconds=simulated),
            steps=report["steps_range"] and tuple(report["steps_range"]),
            run_time=wall and tuple(timedelta(seconds=seconds) for seconds in wall),
            device=report["device"]["what"],
            memory_bytes=report["memory_bytes"],
            disk_bytes=tuple(report["disk_range_bytes"]),
            maps=report["maps"],
            initial_m3=report["initial_m3"],
            rain_m3=sum(each["volume_m3"] for each in brought["rain"]),
            rain_mm=sum(depths) if depths else None,
            inflow_m3=sum(each["volume_m3"] for each in brought["source"]),
            **{key: tuple(each["name"] for each in report[key]) for key in _NAMED},
            assumed=tuple(in_python(each) for each in report["assumed"]),
            warnings=tuple(in_python(each) for each in report["warnings"]),
            report=report,
        )

    def __getitem__(self, key):
        return self.report[key]

    def __repr__(self):
        lines = [(name, text) for name, text in self._lines() if text]
        warnings = "1 warning" if len(self.warnings) == 1 else f"{len(self.warnings)} warnings"
        table = [f"  {name:<11}{text}" for name, text in lines]
        return "\n".join([f"<inundate.Check: can run, {warnings}", *table]) + ">"

    def _lines(self):
        (dx, dy), (low, high) = self.cell_size_m, self.bed_range_m
        size = f"{dx:g} m" if dx == dy else f"{dx:g} × {dy:g} m"
        domain = f"{self.domain_cells:,} in the domain, bed {low:g} to {high:g} m"
        yield "domain", f"{self.columns} × {self.rows} cells of {size}, {domain}"
        yield "solver", self.solver + (f", roughness {_range(*self.roughness)} s/m^(1/3)" if self.roughness else "")
        yield "duration", show(self.duration) if self.duration else None
        yield "open edges", ", ".join(self.open_sides) or "none"
        yield "at start", f"{self.initial_m3:,.0f} m³" if self.initial_m3 else None
        depth = f", {self.rain_mm:.1f} mm over the domain" if self.rain_mm else ""
        yield "rain", f"{self.rain_m3:,.0f} m³{depth}" if self.rain_m3 else None
        yield "inflow", f"{self.inflow_m3:,.0f} m³" if self.inflow_m3 else None
        for name in _NAMED:
            yield name, ", ".join(getattr(self, name))
        about = "" if self.report["steps"] else "about "
        yield "steps", f"{about}{_range(*self.steps)}" if self.steps else None
        run_time = self.run_time and _range(*map(show, self.run_time))
        yield "run time", f"about {run_time} on {self.device}" if run_time else f"unknown, on {self.device}"
        yield "memory", f"about {_size(self.memory_bytes)}"
        yield "disk", f"{self.maps} maps, about {_range(*map(_size, self.disk_bytes))}"
        for name in ("assumed", "warnings"):
            for number, text in enumerate(getattr(self, name)):
                yield "" if number else name, text


def _range(low, high):
    return f"{low}" if low == high else f"{low} to {high}"


def _size(size):
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"

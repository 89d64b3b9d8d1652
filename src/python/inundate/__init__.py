"""Flood model on rasters: runs the program ``inundate`` and opens its results.

    import inundate

    results = inundate.run(dem="dem.tif", rain="storm.csv", duration="2h", open="all", out="flood")
    results["max_depth"].plot()     # an xarray.DataArray, read when it is needed
    results.gauges                  # an xarray.Dataset along time and gauge
    results.ledger["error_m3"]      # 0.0

Running needs nothing but Python itself; the extra ``xarray`` of the wheel installs the packages that open
maps and tables.
"""

from .checks import Check
from .commands import check, compare, resume, run, study
from .errors import InputError, InundateError, InundateWarning, MissingPackage, RunError, Stopped
from .model import Model
from .program import find_program, version
from .results import Results
from .studies import Study

__version__ = version()

__all__ = [
    "Check",
    "InputError",
    "InundateError",
    "InundateWarning",
    "MissingPackage",
    "Model",
    "Results",
    "RunError",
    "Stopped",
    "Study",
    "check",
    "compare",
    "find_program",
    "resume",
    "run",
    "study",
]

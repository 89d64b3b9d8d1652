"""Exceptions and warnings of the package."""

from .wording import in_python


class InundateError(Exception):
    """The program ended with an error.

    ``message`` describes what is wrong and where, ``hint`` how to fix it (or ``None``); ``exit_code`` is the
    exit code of the program.
    """

    def __init__(self, message, hint=None, exit_code=None):
        message, hint = in_python(message), in_python(hint)
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class InputError(InundateError, ValueError):
    """The input is wrong (exit code 2)."""


class RunError(InundateError, RuntimeError):
    """The run failed (exit code 1)."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C stopped the program (exit code 130).

    ``hint`` explains how to resume the run, if it kept checkpoints.
    """

    def __init__(self, message, hint=None):
        message, hint = in_python(message), in_python(hint)
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint


class InundateWarning(UserWarning):
    """A warning of the program."""


class MissingPackage(ImportError):
    """A package that the requested operation needs is not installed."""


def needed(package, what, how="pip install xarray rioxarray zarr pandas matplotlib tqdm"):
    """Imports a package, or raises :class:`MissingPackage` with installation instructions."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        if error.name and error.name.split(".")[0] != package.split(".")[0]:
            raise
        raise MissingPackage(
            f"{what} needs {package}, which is not installed\n"
            f"  hint: {how}"
        ) from None

"""Finds, starts, monitors and stops the program."""

import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import warnings
from datetime import date, timedelta
from pathlib import Path

from .errors import InputError, InundateError, InundateWarning, RunError, Stopped
from .wording import in_python

NAME = "inundate.exe" if os.name == "nt" else "inundate"
# Environment variable that overrides the program installed with this package.
VARIABLE = "INUNDATE"
WRONG_INPUT = 2
INTERRUPTED = 130
# Keys of a scenario that can be given several times.
REPEATED = ("gauges", "level", "outflow_slope", "rating", "sections", "source")

log = logging.getLogger("inundate")


def find_program():
    """Returns the program's path: ``$INUNDATE``, the one installed with this package, or one on the PATH."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not (os.path.isfile(chosen) and os.access(chosen, os.X_OK)):
            hint = "unset it, or set it to the path of the program"
            raise InundateError(f"{VARIABLE} is '{chosen}', which is not a program that can be run", hint)
        return chosen
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    # With `pip install --target`, the program is in a folder beside the package.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    found = shutil.which(NAME, path=os.pathsep.join(folders)) or shutil.which(NAME)
    if not found:
        raise InundateError("the program inundate was not found", f"install it, or set {VARIABLE} to its path")
    return found


def version():
    """Returns the version of this package, which is also the program's if they were installed together."""
    in_checkout = _version_of_checkout()
    if in_checkout:
        return in_checkout

    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("inundate")
    except PackageNotFoundError:
        return "unknown"


def _version_of_checkout():
    """Returns the version in Cargo.toml, if this file is in src/python/inundate of a checkout."""
    checkout = Path(__file__).resolve().parents[3]
    try:
        cargo = (checkout / "Cargo.toml").read_text(encoding="utf-8")
        project = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r'(?m)^version = "([^"]+)"', cargo)
    return found[1] if found and re.search(r'(?m)^name = "inundate"', project) else None


def text(value):
    """Formats a value for the command line."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(text, value))
    if hasattr(value, "item"):
        # A NumPy scalar; one in nanoseconds would be a plain number.
        kind = value.dtype.kind
        value = (value.astype(f"{kind}8[us]") if kind in "mM" else value).item()
    if isinstance(value, timedelta):
        return f"{value.total_seconds()} s"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def arguments(flags):
    """Converts keyword arguments to command line flags.

    ``output_every="10 min"`` becomes ``--output-every=10 min``, and True a flag without a value; None and
    False are left out. A list becomes several flags if the option can be repeated, and a value with commas
    otherwise. A tuple that starts with a number is one value, such as ``(x, y, "name")``. A trailing
    underscore avoids Python's reserved words (``with_``).
    """
    words = []
    for key, value in flags.items():
        flag = "--" + key.rstrip("_").replace("_", "-")
        several = key in REPEATED and isinstance(value, (list, tuple)) and not _is_point(value)
        for value in value if several else [value]:
            if getattr(getattr(value, "dtype", None), "kind", None) == "b":
                # A NumPy boolean is never the object True or False.
                value = bool(value)
            if value is True:
                words.append(flag)
            elif value is not None and value is not False:
                words.append(f"{flag}={text(value)}")
    return words


def _is_point(value):
    return isinstance(value, tuple) and value and not isinstance(value[0], (str, os.PathLike, list, tuple))


def path(value):
    """A path as a word of the command line; one that starts with a dash must not be taken for a flag."""
    value = os.fspath(value)
    return os.path.join(os.curdir, value) if value.startswith("-") else value


class _Said:
    """The program's stderr, sorted into errors, warnings, progress and notes as it arrives."""

    def __init__(self, on_progress):
        self.on_progress = on_progress
        self.error = []
        self.warnings = []

    def take(self, line):
        if self.error:
            self.error.append(line)
        elif line.startswith("{"):
            self.progress(line)
        elif line.startswith(("error: ", "interrupted: ")):
            self.error.append(line.split(": ", 1)[1])
        elif line.startswith("warning: "):
            self.warnings.append(line.split(": ", 1)[1])
        elif line.startswith("  ") and self.warnings:
            self.warnings[-1] += "\n" + line
        elif line:
            log.info("%s", line)

    def progress(self, line):
        try:
            now = json.loads(line)
        except ValueError:
            return log.info("%s", line)
        if self.on_progress:
            self.on_progress(now)

    def message_and_hint(self):
        message, _, hint = "\n".join(self.error).strip().partition("\n  hint: ")
        # For an unknown flag, the argument parser adds more after an empty line.
        message, _, more = message.partition("\n\n")
        tip = re.search(r"tip: (.*)", more)
        return message.strip(), hint.strip() or (tip[1] if tip else None)


def execute(words, on_progress=None):
    """Runs the program and returns its stdout.

    Warnings are issued as :class:`InundateWarning`, notes go to the log ``inundate``, and errors are raised.
    Ctrl-C stops the program as in a terminal: at the end of the step, with a checkpoint.
    """
    command = [find_program(), *words]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "INUNDATE_PROGRESS": "json" if on_progress else ""},
        # Only this process receives Ctrl-C, and passes it on exactly once, whatever sent it.
        start_new_session=os.name != "nt",
    )
    printed = []
    reader = threading.Thread(target=lambda: printed.append(process.stdout.read()), daemon=True)
    reader.start()
    said = _Said(on_progress)
    try:
        _listen(process, said)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        try:
            _listen(process, said)
        except BaseException:
            process.kill()
            raise
        code = process.wait()
        if code != 0:
            raise Stopped(*_failure(said, code)) from None
        raise
    except BaseException:
        # The progress callback failed: do not leave the run alone.
        process.kill()
        raise
    finally:
        process.wait()
        reader.join()
        process.stdout.close()
        process.stderr.close()
    _warn(said)
    _raise(process.returncode, said)
    return printed[0]


def _listen(process, said):
    for line in process.stderr:
        said.take(line.rstrip("\r\n"))


def _warn(said):
    # Attribute the warning to the caller of run, study and so on.
    for warning in said.warnings:
        warnings.warn(in_python(warning), InundateWarning, stacklevel=4)


def _failure(said, code):
    message, hint = said.message_and_hint()
    return message or f"inundate ended with exit code {code}", hint


def _raise(code, said):
    if code == 0:
        return
    if code == INTERRUPTED:
        raise Stopped(*_failure(said, code))
    if code < 0 and not said.error:
        raise RunError(f"inundate was ended by signal {-code}", exit_code=code)
    kind = InputError if code == WRONG_INPUT else RunError
    raise kind(*_failure(said, code), exit_code=code)


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

from .errors import InputError, InundateError, InundateWarning, RunError, Stopped

NAME = "inundate.exe" if os.name == "nt" else "inundate"
# Environment variable that overrides the program installed with this package.
VARIABLE = "INUNDATE"
WRONG_INPUT = 2
INTERRUPTED = 130

log = logging.getLogger("inundate")


def find_program():
    """Returns the program's path: ``$INUNDATE``, the one installed with this package, or one on the PATH."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not (os.path.isfile(chosen) and os.access(chosen, os.X_OK)):
            raise InundateError(f"{VARIABLE} is '{chosen}', which is no program that can be run", "unset or mend it")
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
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("inundate")
    except PackageNotFoundError:
        return "unknown"


def text(value):
    """Formats a value for the command line."""
    if isinstance(value, timedelta):
        return f"{value.total_seconds()} s"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        value = value.item()  # a NumPy scalar
    return str(value)


def arguments(flags):
    """Converts keyword arguments to command line flags.

    ``output_every="10 min"`` becomes ``--output-every=10 min``. A list becomes several flags, and True a flag without a value; None and False are left out. A trailing
    underscore avoids Python's reserved words (``with_``).
    """
    words = []
    for key, value in flags.items():
        flag = "--" + key.rstrip("_").replace("_", "-")
        values = value if isinstance(value, (list, tuple)) else [value]
        for value in values:
            if value is True:
                words.append(flag)
            elif value is not None and value is not False:
                words.append(f"{flag}={text(value)}")
    return words


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
            raise Stopped(*_told(said, code)) from None
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
        warnings.warn(warning, InundateWarning, stacklevel=4)


def _told(said, code):
    message, hint = said.message_and_hint()
    return message or f"inundate ended with exit code {code}", hint


def _raise(code, said):
    if code == 0:
        return
    if code == INTERRUPTED:
        raise Stopped(*_told(said, code))
    if code < 0 and not said.error:
        raise RunError(f"inundate was ended by signal {-code}", exit_code=code)
    kind = InputError if code == WRONG_INPUT else RunError
    raise kind(*_told(said, code), exit_code=code)


"""Finds and runs the program, forwards its messages to the log, and stops it on cancellation."""

import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time

from qgis.core import QgsProcessingException

SETTING = "INUNDATE_PROGRAM"
# Maximum time that a cancelled run may take to finish its step (s).
PATIENCE = 20
INTERRUPTED = 130


def find(setting):
    """Returns the program's path: from the setting, $INUNDATE, the PATH, or cargo's install folder."""
    chosen = setting or os.environ.get("INUNDATE")
    if chosen:
        if os.access(chosen, os.X_OK) and os.path.isfile(chosen):
            return chosen
        raise QgsProcessingException(
            f"'{chosen}' is not a program that can be run: mend Settings > Options > Processing > Providers > inundate"
        )
    cargo = os.path.join(os.path.expanduser("~"), ".cargo", "bin")
    found = shutil.which("inundate") or shutil.which("inundate", path=cargo)
    if not found:
        raise QgsProcessingException(
            "the program inundate was not found: install it, or say where it is in "
            "Settings > Options > Processing > Providers > inundate"
        )
    return found


def seconds(text):
    """Parses a duration in the program's format, such as '1 h 20 min 5 s' (s)."""
    units = {"h": 3600, "min": 60, "s": 1}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+) (h|min|s)\b", text))


def run(arguments, feedback, folder=None):
    """Runs the program in a folder. Returns its output; raises its error, with the hint."""
    feedback.pushCommandInfo(" ".join(arguments))
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        # No console window on Windows.
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    said = []
    wrong = []
    started = time.monotonic()
    stopping = None
    while True:
        if feedback.isCanceled() and stopping is None:
            stopping = time.monotonic()
            stop(process)
        if stopping is not None and time.monotonic() > stopping + PATIENCE:
            process.kill()
        try:
            line = lines.get(timeout=0.1)
        except queue.Empty:
            continue
        if line is None:
            break
        said.append(line)
        if wrong or line.startswith("error: "):
            wrong.append(line.removeprefix("error: "))
        elif line.startswith("warning: "):
            feedback.pushWarning(line)
        else:
            feedback.pushConsoleInfo(line)
        left = re.search(r"about (.*) left$", line)
        if left:
            gone = time.monotonic() - started
            feedback.setProgress(100 * gone / max(gone + seconds(left.group(1)), 1e-9))
    process.stdout.close()
    code = process.wait()
    if feedback.isCanceled() or code == INTERRUPTED:
        raise QgsProcessingException("cancelled")
    if code != 0:
        raise QgsProcessingException("\n".join(wrong or said[-5:] or [f"inundate ended with exit code {code}"]))
    feedback.setProgress(100)
    return said


def stop(process):
    """Asks the program to stop at the end of its step, as Ctrl-C does."""
    if os.name == "nt":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)

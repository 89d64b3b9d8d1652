"""Finds and runs the program, forwards its messages to the log, and stops it on cancellation."""

import json
import os
import queue
import re
import shlex
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
            f"'{chosen}' is not a program that can be run: correct Settings > Options > Processing > Providers > inundate"
        )
    cargo = os.path.join(os.path.expanduser("~"), ".cargo", "bin")
    found = shutil.which("inundate") or shutil.which("inundate", path=cargo)
    if not found:
        raise QgsProcessingException(
            "the program inundate was not found: install it, or set its path in "
            "Settings > Options > Processing > Providers > inundate"
        )
    return found


def run(arguments, feedback, folder=None, shown=True):
    """Runs the program in a folder, with its progress. Returns the lines of its output, which the log shows unless `shown` is
    false; raises its error, with the hint.
    """
    feedback.pushCommandInfo(subprocess.list2cmdline(arguments) if os.name == "nt" else shlex.join(arguments))
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "INUNDATE_PROGRESS": "json"},
        # No console window on Windows.
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    lines = queue.Queue()

    def read(stream):
        for line in stream:
            lines.put((stream, line.rstrip()))
        lines.put((stream, None))

    open_streams = {process.stdout, process.stderr}
    for stream in open_streams:
        threading.Thread(target=read, args=(stream,), daemon=True).start()
    printed = []
    log = Log(feedback)
    stopping = None
    while open_streams:
        if feedback.isCanceled() and stopping is None:
            stopping = time.monotonic()
            stop(process)
        if stopping is not None and time.monotonic() > stopping + PATIENCE:
            process.kill()
        try:
            stream, line = lines.get(timeout=0.1)
        except queue.Empty:
            continue
        if line is None:
            open_streams.remove(stream)
            stream.close()
        elif stream is process.stderr:
            log.take(line)
        else:
            printed.append(line)
            if shown:
                feedback.pushConsoleInfo(aligned(line))
    code = process.wait()
    if feedback.isCanceled() or code == INTERRUPTED:
        raise QgsProcessingException("\n".join(["cancelled"] + log.error))
    if code != 0:
        raise QgsProcessingException("\n".join(log.error or [f"inundate ended with exit code {code}"]))
    feedback.setProgress(100)
    return printed


def aligned(line):
    """Returns a line whose columns stay aligned in the log, which is HTML."""
    return re.sub("  +", lambda spaces: "\N{NO-BREAK SPACE}" * len(spaces[0]), line)


class Log:
    """Sorts the program's messages into progress, warnings, the error and the rest."""

    def __init__(self, feedback):
        self.feedback = feedback
        self.error = []
        self.in_warning = False

    def take(self, line):
        if self.error or line.startswith(("error: ", "interrupted: ")):
            self.error.append(line.removeprefix("error: "))
            return
        if line.startswith("{"):
            self.feedback.setProgress(100 * json.loads(line)["progress"])
            return
        self.in_warning = line.startswith("warning: ") or self.in_warning and line.startswith("  ")
        (self.feedback.pushWarning if self.in_warning else self.feedback.pushConsoleInfo)(line)
        # A finished run of a study.
        done = re.match(r"\[(\d+)/(\d+)\] ", line)
        if done:
            self.feedback.setProgress(100 * int(done[1]) / int(done[2]))


def stop(process):
    """Asks the program to stop at the end of its step, as Ctrl-C does."""
    if os.name == "nt":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)

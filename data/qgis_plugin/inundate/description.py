"""The description of the program that the dialogs are made of: its schemas and the help of its commands.

It comes from the program itself, or else from the copy in the package. `make qgis-plugin` writes that copy:

    python3 -m inundate.description PROGRAM > inundate/description.json
"""

import functools
import json
import os
import subprocess
import sys

from . import help_text, options

PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "description.json")
COMMANDS = ("run", "check", "resume", "study", "compare", "animate")
# Commands that accept the keys of a scenario.
OF_SCENARIOS = ("run", "check")


class Description:
    """Schemas and help of one version of the program."""

    def __init__(self, texts):
        self.scenario = json.loads(texts["scenario"])
        self.study = json.loads(texts["study"])
        self._help = texts["help"]

    @functools.lru_cache(maxsize=None)
    def options(self, command):
        """Returns the options of a command, in the order of its help."""
        properties = self.scenario["properties"] if command in OF_SCENARIOS else {}
        return options.of_command(help_text.parse(self._help[command]), properties)


def texts(program):
    """Asks a program for its schemas and help. Raises OSError or subprocess.SubprocessError if it has none."""

    def ask(*words):
        # No console window on Windows.
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        asked = subprocess.run(
            [program, *words], stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60, creationflags=flags
        )
        return asked.stdout.decode("utf-8")

    return {
        "scenario": ask("schema"),
        "study": ask("schema", "--study"),
        "help": {command: ask(command, "--help") for command in COMMANDS},
    }


@functools.lru_cache(maxsize=4)
def _of_program(program, _changed):
    return Description(texts(program))


@functools.lru_cache(maxsize=1)
def _packaged():
    with open(PACKAGED, encoding="utf-8") as file:
        return Description(json.load(file))


def of(program):
    """Returns the description of a program, asking it again only after it has changed.

    Without a program, or if it cannot describe itself, returns the packaged description, or None if there is none.
    """
    if program:
        try:
            return _of_program(program, os.stat(program).st_mtime_ns)
        except (OSError, subprocess.SubprocessError, ValueError, KeyError):
            pass
    return _packaged() if os.path.exists(PACKAGED) else None


if __name__ == "__main__":
    json.dump(texts(sys.argv[1]), sys.stdout, ensure_ascii=False, indent=1)

"""Writes scenario and study files: TOML, which Python can read but not write."""

import json
import os

MARK = "# Written by the QGIS plugin of inundate"


def value(given):
    """Formats a boolean, a number, a text or a list."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(value(one) for one in given) + "]"
    # The escapes of JSON are valid in TOML.
    return json.dumps(given, ensure_ascii=False)


def table(keys):
    """Returns a line for each key."""
    return "".join(f"{key} = {value(given)}\n" for key, given in keys.items())


def portable(given, folder):
    """Replaces the absolute path of an existing file, also after a place (`x,y,/data/flow.csv`), by one relative to a folder.

    Paths that share no folder but the root with it stay absolute, as in `project.qgs`.
    """
    if isinstance(given, list):
        return [portable(one, folder) for one in given]
    if not isinstance(given, str):
        return given
    parts = given.split(",")
    for start in range(len(parts)):
        path = ",".join(parts[start:]).strip()
        if os.path.isabs(path) and os.path.exists(path):
            return ",".join(parts[:start] + [_relative(path, folder)])
    return given


def _relative(path, folder):
    try:
        shared = os.path.commonpath([path, os.path.abspath(folder)])
    except ValueError:
        # Another drive of Windows.
        return path
    if os.path.dirname(shared) == shared:
        return path
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    # Never like a value.
    return relative if relative.startswith(".") else f"./{relative}"


def place(folder, name):
    """Returns a path in a folder, which is free or has a file of this plugin; never that of a user's own file."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if not file.readline().startswith(MARK):
                return os.path.join(folder, f"qgis_{name}")
    return path


def write(path, command, text):
    """Writes a file that starts with the command that repeats the run."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{MARK}. Repeat the run with:\n# {command}\n\n{text}")

"""Options of the program's commands, from its schema and its help: for each, the kind of its value.

The schema has the keys, the types and the allowed words. The help has what the schema lacks: the order, the group of a
key, and the name of its value (`RATE|FILE`), by which files differ from other texts.
"""

import re
from dataclasses import dataclass, field

# Names of values that are paths. What a path other than RASTER, CSV and FOLDER may be is in the description.
_PATHS = ("RASTER", "CSV", "FOLDER", "FILE", "OUT", "OTHER", "RESULT", "SCENARIO", "STUDY")
# Names of values where the help is less precise than a dialog needs.
_VALUES = {"parted": "FILE.tif", "dem": "RASTER", "series": "CSV"}
# Labels of options whose description starts unclearly on its own.
_LABELS = {"dem": "Terrain (DEM)", "infiltration": "Infiltration", "crs": "CRS of the points"}
_LAYER = re.compile(r"vector layer|layer of|polygons|vector file")
_RASTER = re.compile(r"(?<!of the )\braster")
_GEOMETRIES = re.compile(r"layer of (?:their )?(points|lines|polygons)(?: or (points|lines|polygons))?")
_DEFAULT = re.compile(r"[(;] ?default: ((?:\([^)]*\)|[^();])*)")
# Longest label, longest label with its default, longest label of a box to check, and longest default that a label shows.
_LONGEST = 50
_LONGEST_IN_ALL = 60
_LONGEST_FLAG = 70
_LONGEST_DEFAULT = 20


@dataclass
class Option:
    """An option: a key of a scenario, or an argument of a command."""

    key: str
    # "flag", "integer", "number", "choice", "choices", "raster", "vector", "file", "folder", "numbers", "crs", "output" or "text".
    kind: str
    about: str
    group: str = ""
    label: str = ""
    default: str = ""
    # Name of the value in the help; the extension of an output.
    value: str = ""
    positional: bool = False
    required: bool = False
    repeatable: bool = False
    # Allowed or suggested words with their meanings.
    words: list = field(default_factory=list)
    # Files that it accepts: "raster", "vector", "csv", "file", "folder".
    accepts: set = field(default_factory=set)
    # Geometries of a vector layer: "points", "lines", "polygons"; empty if any.
    geometries: list = field(default_factory=list)

    @property
    def example(self):
        """Returns an example of a value, from the description."""
        quoted = re.search(r'"([^"]{2,})"', self.about)
        return quoted[1] if quoted else ""

    @property
    def shown_default(self):
        """Returns the default as labels show it; empty if it is long."""
        return f" (default: {self.default})" if 0 < len(self.default) <= _LONGEST_DEFAULT else ""

    @property
    def layers(self):
        """Returns the kinds of map layers that it accepts beside a text."""
        return self.accepts & {"raster", "vector"} if self.kind == "text" else set()


def of_command(arguments, properties):
    """Returns the options of a command.

    `arguments` are those of its help (`help_text.parse`), `properties` those of the schema, for commands that accept the
    keys of a scenario. Each key of the schema that is not deprecated becomes an option, whatever the help says.
    """
    of_help = {argument.key: argument for argument in arguments}
    current = {key: schema for key, schema in properties.items() if not schema.get("deprecated")}
    keys = list(of_help) + [key for key in current if key not in of_help]
    options = [_option(key, of_help.get(key), current.get(key)) for key in keys]
    _name(options)
    return options


def of_study(schema):
    """Returns the keys of a study file, and the keys of a run that no scenario has."""
    properties = schema["properties"]
    own = [_option(key, None, properties[key]) for key in properties if key not in ("matrix", "run")]
    for option in own:
        # A short list, in one line.
        option.repeatable = option.kind == "choices"
        option.default = re.sub(r'[\[\]"]', "", option.default)
    run = [key for key in properties["run"]["items"]["properties"] if key not in schema["$defs"]]
    _name(own)
    return own, run


def _option(key, argument, schema):
    about = schema["description"] if schema else argument.about
    option = Option(key, "text", about, "Other")
    types, pattern, words, several = _shape(schema) if schema else (set(), False, [], False)
    if argument:
        option.group, option.positional = argument.group, argument.positional
        option.value = argument.value
        words = _documented(words or argument.words, argument.words)
    if option.value.startswith("FILE"):
        option.value = _VALUES.get(key, option.value)
    option.words = words
    option.repeatable = several or "may be given several times" in about
    default = _DEFAULT.search(about)
    option.default = argument.default if argument and argument.default else default[1].strip() if default else ""
    if not schema:
        types = {"boolean"} if not option.value else {"integer"} if option.value == "N" else set() if words else {"string"}
        pattern = any(":N" in word for word, _ in words)
    _classify(option, types, pattern)
    return option


def _classify(option, types, pattern):
    """Sets the kind of an option and the files that it accepts."""
    names = option.value.split("|")
    option.accepts = _accepts(option.about, names)
    closed = option.words and not option.accepts and "string" not in types
    if types == {"boolean"}:
        option.kind = "flag"
    elif types == {"integer"}:
        option.kind = "integer"
    elif closed and option.repeatable:
        option.kind = "choices"
    elif types == {"number"} and not (option.repeatable or pattern) and '"nan"' not in option.about:
        option.kind = "number"
    elif closed and not pattern:
        option.kind = "choice"
    elif types == {"number"} and option.repeatable:
        option.kind = "numbers"
    elif option.value.startswith("FILE."):
        option.kind = "output"
    elif option.value == "CRS":
        option.kind = "crs"
    elif all(name in _PATHS for name in names):
        # A CSV is chosen like any file, or like a vector layer where that is accepted too.
        kinds = option.accepts - {"csv"} or {"file"}
        option.kind = next(iter(kinds)) if len(kinds) == 1 else "text"
    if option.kind == "vector":
        found = _GEOMETRIES.search(option.about)
        option.geometries = [name for name in found.groups() if name] if found else []


def _accepts(about, names):
    """Returns the kinds of files that an option accepts, from the names of its value and its description."""
    accepts = {name.lower() for name in names if name in ("RASTER", "CSV", "FOLDER")}
    if any(name in _PATHS and name.lower() not in accepts for name in names):
        first = about.split("\n\n")[0]
        accepts |= {"vector"} if _LAYER.search(first) else set()
        accepts |= {"raster"} if _RASTER.search(first) else set()
        accepts |= {"csv"} if "CSV" in first else set()
        accepts |= {"folder"} if "folder" in first else set()
        accepts |= {"file"} if not accepts or "state file" in first else set()
    return accepts


def _shape(schema):
    """Returns the types of a schema, whether a pattern limits its texts, its words, and whether it may be a list."""
    types, words, pattern, several = set(), [], False, False
    docs = schema.get("x-taplo", {}).get("docs", {}).get("enumValues", [])
    for position, word in enumerate(schema.get("enum", [])):
        words.append((word, docs[position] if position < len(docs) else ""))
    kind = schema.get("type")
    types |= set(kind if isinstance(kind, list) else [kind] if kind else [])
    if "pattern" in schema:
        pattern = True
        types.discard("string")
    if "array" in types:
        types.discard("array")
        several = True
    parts = schema.get("anyOf", []) + ([schema["items"]] if "items" in schema else [])
    for part in parts:
        its_types, its_pattern, its_words, its_several = _shape(part)
        types |= its_types
        pattern |= its_pattern
        several |= its_several
        words += [word for word in its_words if word not in words]
    return types, pattern, words, several


def _documented(words, documented):
    """Returns words with their meanings from the help, where the schema has none."""
    about = dict(documented)
    return [(word, text or about.get(word, "")) for word, text in words]


def _name(options):
    """Sets labels: the start of the description if it is short and no other option's, or else the key."""
    starts = [re.split(r": | \(" if option.kind == "flag" else r"[:;] | \(", option.about)[0] for option in options]
    for option, start in zip(options, starts):
        if option.kind == "flag":
            short = len(start) <= _LONGEST_FLAG
        else:
            short = len(start) <= _LONGEST and len(start + option.shown_default) <= _LONGEST_IN_ALL
        good = start and short and starts.count(start) == 1 and "--" not in start
        words = option.key.replace("_", " ")
        option.label = _LABELS.get(option.key) or (start.replace("`", "") if good else words[0].upper() + words[1:])

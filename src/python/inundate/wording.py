"""Puts messages of the program, which name flags of the command line, into the terms of Python."""

import logging
import re

# Flags without a value.
_SWITCHES = (
    "accept-distortion",
    "allow-remote",
    "collect",
    "dry-nodata",
    "keep-state",
    "local-metres",
    "overwrite",
    "skip-outside",
)
# Flags that are followed by a word without digits, and words that follow others.
_WORDED = (
    "closed|damage-field|device|field|grain|height-unit|layers?|nodata|open|out|output-grid|quantity"
    "|rain-unit|rain-values|series|solver"
)
_OTHER_WORDS = "alone|and|beside|for|from|if|in|is|lists|of|on|or|out|to|with"
# A quoted text; a number, with or without a unit; a path, a unit or a list; a placeholder, such as NAME.
_VALUE = r""""[^"]*"|'[^']*'|-?\d[^\s;)]*\w|-?\d|\w[^\s;()]*[./:,][^\s;()]*\w|[A-Z]+\b"""
_FLAG = re.compile(
    # Commands for a terminal keep their flags.
    r"(?P<command>\b(?:gdal\w+(?:\.py)?|ogr2ogr|cargo|inundate (?:animate|kernels|new)) [^;)`]*)"
    rf"|(?<![\w-])--(?:(?P<worded>{_WORDED}) (?P<word>(?!(?:{_OTHER_WORDS})\b)[a-z][a-z-]*)(?![\w./:,-]*\w)"
    rf"|(?P<flag>[a-z][a-z0-9-]*)(?:[ =](?P<value>{_VALUE}))?)"
)
# A repetition for scenario files: ` (overwrite = true)`, or `, or dem = "dem.tif"`.
_REPETITION = re.compile(
    r"""\b(?P<key>\w+)=(?P<value>\w+|"[^"]*")(?: \((?P=key) = [^)]*\)|, or (?P=key) = (?:\w+|"[^"]*"))"""
)
_KEYWORDS = "help() of the function has its keywords; those of a run are the keys of a scenario file"
_SENTENCES = [
    (r"\b\w+ has no flag '--([^']*)'", lambda found: f"there is no keyword '{_keyword(found[1])}'"),
    (
        r"'--([^']*)' is a flag of `inundate (\w+)`",
        lambda found: f"'{_keyword(found[1])}' is a keyword of inundate.{found[2]}",
    ),
    (r"a similar argument exists: '--([^']*)'", lambda found: f"did you mean '{_keyword(found[1])}'?"),
    (r"some similar arguments exist: (.*)", lambda found: f"did you mean {', '.join(_keywords(found[1]))}?"),
    (r"to pass '[^']*' as a value, use '-- [^']*'", lambda _: _KEYWORDS),
    (
        r"invalid value '([^']*)' for '--([a-z-]+)[^']*'(?:\s+\[possible values: ([^\]]*)\])?(?:: )?",
        lambda found: f"{_keyword(found[2])}: '{found[1]}' is not " + (f"one of {found[3]}" if found[3] else "valid: "),
    ),
    (r"a similar value exists: '([^']*)'", lambda found: f"did you mean '{found[1]}'?"),
    (
        r"a value is required for '--([a-z-]+)[^']*' but none was supplied",
        lambda found: f"{_keyword(found[1])}: a value is missing",
    ),
    (
        r"unexpected value '([^']*)' for '--([a-z-]+)[^']*' found; no more were expected",
        lambda found: f"{_keyword(found[2])}: '{found[1]}' is not True or False",
    ),
    (
        r"the argument '--([a-z-]+)[^']*' cannot be used with '--([a-z-]+)[^']*'",
        lambda found: f"{_keyword(found[1])} cannot be used with {_keyword(found[2])}",
    ),
    (r"`inundate \w+ --help` lists the flags", lambda _: _KEYWORDS),
    (r"^with: ", lambda _: "other: "),
    (r"`?inundate resume ('[^']*'|[^\s;,)`]+)`?", lambda found: f"inundate.resume({_quoted(found[1])})"),
    (r"inundate check (--[^;,)`]*)", lambda found: f"inundate.check(..., {found[1]})"),
]
_SENTENCES = [(re.compile(pattern), replace) for pattern, replace in _SENTENCES]


def in_python(message):
    """Returns a message with keyword arguments instead of flags: ``output_every="10min"`` instead of
    ``--output-every 10min``.
    """
    if message is None:
        return None
    for pattern, replace in _SENTENCES:
        message = pattern.sub(replace, message)
    message = _REPETITION.sub(lambda found: f"{found['key']}={found['value']}", _FLAG.sub(_argument, message))
    message = re.sub(r"\bleave (\w+)=True out\b", r"leave \1 out", message)
    return re.sub(r"""(\b\w+=(?:"[^"]*"|\w+)) (?=\w+=)""", r"\1, ", message)


def _argument(found):
    if found["command"]:
        return found["command"]
    flag, value = found["flag"] or found["worded"], found["value"] or found["word"]
    if flag in _SWITCHES:
        return f"{_keyword(flag)}=True" + (f" {value}" if value else "")
    return _keyword(flag) + (f"={_quoted(value)}" if value else "")


def _keyword(flag):
    """Returns the keyword argument of a flag."""
    own = {"with": "other", "as": "as_"}
    return own.get(flag, flag.replace("-", "_"))


def _keywords(flags):
    return [f"'{_keyword(flag)}'" for flag in re.findall(r"'--([^']*)'", flags)]


def _quoted(value):
    """Returns a value as it is written in Python: numbers and placeholders without quotes."""
    if re.fullmatch(r"-?\d+(\.\d+)?|[A-Z]+", value):
        return value
    return '"' + value.strip("\"'") + '"'


class _InPython(logging.Filter):
    """Puts the program's notes into the terms of Python."""

    def filter(self, record):
        record.msg, record.args = in_python(record.getMessage()), ()
        return True


logging.getLogger("inundate").addFilter(_InPython())

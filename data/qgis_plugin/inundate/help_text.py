"""Reads the help of a command, as the program prints it."""

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"^(\S.*):$")
_FLAG = re.compile(r"^ {2,6}(?:-\w, )?--([\w-]+)(?: <(.+?)>)?(?: {2,}(\S.*))?$")
_POSITIONAL = re.compile(r"^ {2,6}[<\[]([A-Z_]+)[>\]](?: {2,}(\S.*))?$")
_WORD = re.compile(r"^- ([^\s:]+(?::[^\s:]+)*)(?::\s+(.*))?$")
_WORDS = re.compile(r"\s*\[possible values: (.*?)\]")
_DEFAULT = re.compile(r"\s*\[default: (.*?)\]")


@dataclass
class Argument:
    """A flag or a positional argument of a command."""

    # With underscores, as in a scenario file.
    key: str
    # Name of the value; empty for a switch.
    value: str
    group: str
    positional: bool = False
    about: str = ""
    default: str = ""
    # Allowed words with their meanings.
    words: list = field(default_factory=list)


def parse(text):
    """Returns the arguments of a command in the order of its help."""
    found, group, body = [], "", []

    def finish():
        if found:
            _describe(found[-1], body)
        body.clear()

    for line in text.splitlines():
        heading = _HEADING.match(line)
        flag, positional = _FLAG.match(line), _POSITIONAL.match(line)
        if heading or flag or positional:
            finish()
        if heading:
            group = heading[1]
        elif group == "Examples":
            break
        elif flag:
            found.append(Argument(flag[1].replace("-", "_"), flag[2] or "", group))
            body.append(flag[3] or "")
        elif positional:
            found.append(Argument(positional[1].lower(), positional[1], group, positional=True))
            body.append(positional[2] or "")
        elif found and (line.startswith(" " * 10) or not line.strip()):
            body.append(line.strip())
        elif found and line.strip():
            # Text after the arguments.
            break
    finish()
    return [argument for argument in found if argument.key not in ("help", "version")]


def _describe(argument, lines):
    """Reads the text, the words and the default from the lines below an argument."""
    if argument.about:
        return
    text, words = [], None
    for line in lines:
        word = _WORD.match(line) if words is not None else None
        if line == "Possible values:":
            words = []
        elif word:
            words.append([word[1], word[2] or ""])
        elif words and line and not line.startswith("["):
            words[-1][1] += " " + line
        else:
            text.append(line)
    paragraphs = [" ".join(part.split()) for part in "\n".join(text).split("\n\n")]
    about = "\n\n".join(part for part in paragraphs if part)
    listed, default = _WORDS.search(about), _DEFAULT.search(about)
    if listed:
        words = [[word, ""] for word in listed[1].split(", ")]
    argument.default = default[1] if default else ""
    argument.about = _DEFAULT.sub("", _WORDS.sub("", about)).strip()
    argument.words = [tuple(word) for word in words or []]

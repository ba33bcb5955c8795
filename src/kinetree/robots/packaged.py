"""The robots of this package by name and version.

A `robot.toml` is a DH file in which `versions = "1.0 - 1.7, 2.0"` says where something holds: as a key of a row for
that line, as the first key of a table for the table. A table [[note]] is a remark that the robot carries. Versions are
major.minor, two integers: 2.10 comes after 2.9. The package of a robot has the functions `groups`, of a version, and
`with_default_limits`, of the text of one.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files

from kinetree.errors import Finding, Source, fail, nearest_names

Version = tuple[int, int]

_TABLE_KEY = re.compile(r'versions = "([^"]*)"')
_ROW_KEY = re.compile(r', *versions = "([^"]*)"')


@dataclass(frozen=True, slots=True)
class Packaged:
    """One version of a robot: the text of its DH file, a name for it in messages, the remarks that it carries."""

    text: str
    file: str
    notes: tuple[Finding, ...]


def names() -> list[str]:
    """The robots that there are."""
    return sorted(folder.name for folder in files(__package__).iterdir() if folder.joinpath("robot.toml").is_file())


def packaged(name: str, *, printed_limits: bool = False) -> Packaged:
    """The robot "icub" in its default version, or "icub:2.5".

    printed_limits: whether it shall have the limits that its DH tables print, instead of those that it has by default.
    Raises KinetreeError for an unknown robot or version; the latter lists the versions.
    """
    stem, colon, asked = name.partition(":")
    if stem not in names():
        message = f"no robot {stem!r} comes with the package; {nearest_names(stem, names())}"
        raise fail("unknown-name", message, fix=f"a file of that name is './{name}'")
    return _packaged(stem, _version_of(stem, asked if colon else None), printed_limits)


@cache
def versions(name: str) -> dict[str, Version]:
    """The versions of a robot in their order, as texts and as numbers; the first is the default."""
    return {text: _parsed(text) for text in tomllib.loads(_text(name))["versions"]}


def _version_of(name: str, asked: str | None) -> str:
    known = versions(name)
    if asked is None:
        return next(iter(known))
    number = _parsed(asked)
    for text, version in known.items():
        if version == number:
            return text
    legal = ", ".join(sorted(known, key=lambda text: known[text]))
    raise fail("version", f"there is no version {asked!r} of {name}; the versions are {legal}")


def _parsed(text: str) -> Version:
    """Major and minor as integers; a major number alone means minor 0. What is no version is (-1, -1)."""
    match = re.fullmatch(r"v?(0|[1-9][0-9]{0,3})(?:\.(0|[1-9][0-9]{0,3}))?", text)
    return (int(match[1]), int(match[2] or 0)) if match else (-1, -1)


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(name, "robot.toml").read_text("utf-8")


@cache
def _packaged(name: str, version: str, printed_limits: bool) -> Packaged:
    file = f"{name}-{version}.toml"
    tables = re.split(r"(?m)^(?=\[)", _text(name))
    texts, notes, line = [], [], 1
    for table in tables:
        chosen = _chosen(table, _parsed(version))
        if chosen.startswith("[[note]]"):
            note = tomllib.loads(chosen)["note"][0]
            notes.append(Finding(note["code"], "info", note["message"], Source(file, line), note["element"]))
            chosen = _blank(chosen)
        texts.append(chosen)
        line += table.count("\n")
    module = import_module(f"{__package__}.{name}")
    groups = module.groups(_parsed(version)).items()
    texts += ["\n[groups]\n", *(f"{group} = {json.dumps(joints)}\n" for group, joints in groups)]
    text = "".join(texts)
    return Packaged(text if printed_limits else module.with_default_limits(text, _parsed(version)), file, tuple(notes))


def _chosen(table: str, version: Version) -> str:
    """The table without what belongs to other versions. The text is edited, not what TOML makes of it, for every line
    to stay in its place: findings name it."""
    lines = table.splitlines(keepends=True)
    for i, line in enumerate(lines):
        if line.startswith("versions = "):  # of the file, the list of all, or of the table
            key = _TABLE_KEY.match(line)
            if key and not _holds(key[1], version):
                return _blank(table)
            lines[i] = "\n"
        elif key := _ROW_KEY.search(line):
            lines[i] = line.replace(key[0], "") if _holds(key[1], version) else "\n"
    return "".join(lines)


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _holds(said: str, version: Version) -> bool:
    """Whether "1.0 - 1.7, 2.0" includes a version."""
    for part in said.split(","):
        first, dash, last = (end.strip() for end in part.partition("-"))
        low, high = _parsed(first), _parsed(last if dash else first)
        assert (0, 0) <= low <= high, said
        if low <= version <= high:
            return True
    return False

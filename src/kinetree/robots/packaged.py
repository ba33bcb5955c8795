"""Robots that come with the package, by name and version.

A `robot.toml` is a DH file. If `versions` lists some, `versions = "1.0 - 1.7, 2.0"` says where a table or a row holds;
versions are major.minor, two integers: 2.10 comes after 2.9. A table [[note]] is a remark that the robot carries;
`limits` names the set of limits that it has by default. If the folder is a package, it has the function `groups`, of a
version.
"""

import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from kinetree.errors import Finding, Source, fail, nearest_names
from kinetree.robots.installed import PACKAGES, named

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PackagedRobot:
    """One version of a robot.

    file: its name in messages. text: of the DH file of all versions. data: what that says of this version, parsed, with
    None in the place of tables and rows of other versions. limits: the set of limits that it has by default, or "".
    notes: the remarks that it carries.
    """

    file: str
    text: str
    data: dict[str, Any]
    limits: str
    notes: tuple[Finding, ...]


def names() -> list[str]:
    """Return the names of the robots."""
    return sorted(folder.name for folder in files(__package__).iterdir() if folder.joinpath("robot.toml").is_file())


def is_packaged(source: str | os.PathLike[str], format: str | None) -> bool:
    """Return whether a source is the name of a robot that comes with the package, "icub" or "icub:2.5"; "c:arm.urdf" is
    a path."""
    return isinstance(source, str) and format is None and bool(re.fullmatch(r"(?!\w:)[\w-]+(:[^/\\]*)?", source))


def packaged(name: str) -> PackagedRobot:
    """Return the robot "icub" in its default version, or "icub:2.5".

    Raises KinetreeError for an unknown robot or version; the latter lists the versions.
    """
    stem, colon, asked = name.partition(":")
    if stem not in names():
        near = [repr(other) for other in named(stem)[:5]]
        known = [*names(), *(PACKAGES if colon else ())]
        hint = f"did you mean {', '.join(near)}?" if near else nearest_names(stem, known)
        message = f"no robot {stem!r} comes with the package; {hint}"
        raise fail("unknown-name", message, fix=f"a file of that name is './{name}'")
    return _packaged(stem, version_of(stem, asked if colon else None)[0])


@cache
def versions(name: str) -> dict[str, Version]:
    """Return the versions of a robot in their order, as texts and as numbers; the first is the default. The only one
    of a robot without versions is ""."""
    return {text: _parsed(text) for text in tomllib.loads(_text(name)).get("versions", [""])}


def version_of(name: str, asked: str | None) -> tuple[str, Version]:
    """Return the text and the numbers of a version of a robot, the default for None; raise KinetreeError if unknown."""
    known = versions(name)
    number = next(iter(known.values())) if asked is None else _parsed(asked)
    for text, version in known.items():
        if version == number and asked != "":
            return text, version
    if "" in known:
        raise fail("version", f"there is no version {asked!r} of {name}, which has no versions; expected {name!r}")
    legal = ", ".join(sorted(known, key=lambda text: known[text]))
    raise fail("version", f"there is no version {asked!r} of {name}; the versions are {legal}")


def _parsed(text: str) -> Version:
    """Return major and minor as integers; a major number alone means minor 0, and a text without a version (-1, -1)."""
    match = re.fullmatch(r"v?(0|[1-9][0-9]{0,3})(?:\.(0|[1-9][0-9]{0,3}))?", text)
    return (int(match[1]), int(match[2] or 0)) if match else (-1, -1)


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(name, "robot.toml").read_text("utf-8")


@cache
def _packaged(name: str, version: str) -> PackagedRobot:
    file, text, number = f"{name}-{version}.toml" if version else f"{name}.toml", _text(name), _parsed(version)
    data = _chosen(tomllib.loads(text), number)
    lines = [i for i, line in enumerate(text.splitlines(), 1) if line == "[[note]]"]
    notes = tuple(
        Finding(note["code"], "info", note["message"], Source(file, line), note["element"])
        for note, line in zip(data.pop("note", []), lines, strict=True)
        if note
    )
    if files(__package__).joinpath(name, "__init__.py").is_file():
        groups = import_module(f"{__package__}.{name}").groups(number)
        data["groups"] = {group: list(joints) for group, joints in groups.items()}
    limits = data.pop("limits", {"set": ""})["set"]
    return PackagedRobot(file, text, data, limits, notes)


def _chosen(value: Any, version: Version) -> Any:
    """Return what holds for a version: in lists None stands for what does not, so that numbers of rows stay."""
    if isinstance(value, list):
        return [_chosen(item, version) for item in value]
    if not isinstance(value, dict):
        return value
    own = value.get("versions")
    if isinstance(own, str) and not includes(own, version):
        return None
    kept = {key: _chosen(item, version) for key, item in value.items() if key != "versions"}
    return {key: item for key, item in kept.items() if item is not None}


def includes(ranges: str, version: Version) -> bool:
    """Return whether "1.0 - 1.7, 2.0" includes a version."""
    for part in ranges.split(","):
        first, dash, last = (end.strip() for end in part.partition("-"))
        low, high = _parsed(first), _parsed(last if dash else first)
        assert (0, 0) <= low <= high, ranges
        if low <= version <= high:
            return True
    return False

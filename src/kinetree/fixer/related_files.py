"""SRDF and YAML files that belong to a model and use the names of its links and joints.

They are read before anything is repaired. A place with an ambiguous name is an error, and nothing is renamed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.conventions.edit import NewNames, on_disk
from kinetree.conventions.rename_references import ambiguous, new_name, rename_references
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.fixer.xacro_edits import root_of
from kinetree.formats.opener import read_file
from kinetree.formats.xml import Element
from kinetree.formats.xml_encoding import encoding_of
from kinetree.model.references import UNLISTED
from kinetree.model.robot import Robot

if TYPE_CHECKING:
    import yaml

LEGAL = "legal are the SRDF of the model and YAML files"
MAX_YAML_BYTES = 1_000_000
INTERFACES = ("position", "velocity", "effort", "acceleration")
"""Suffixes of ros2_control behind the name of a joint: `elbow/position`."""


@dataclass(frozen=True)
class RelatedFile:
    """An SRDF or YAML file that belongs to a model."""

    name: str
    content: bytes
    is_srdf: bool

    @property
    def path(self) -> Path:
        """Resolved path, the key of the contents of files."""
        return Path(self.name).resolve()


def read_related_files(files: Iterable[str | os.PathLike[str]], model: str, robot: Robot) -> tuple[RelatedFile, ...]:
    """Read the files that belong to a model. Raises KinetreeError for a file that is neither its SRDF nor YAML."""
    return tuple(_read(os.fspath(file), model, robot) for file in files)


def _read(file: str, model: str, robot: Robot) -> RelatedFile:
    if Path(file).resolve() == Path(model).resolve():
        raise _refused(f"is the model itself, which needs no --also; {LEGAL}", Source(file))
    if os.path.exists(file) and not os.path.isfile(file):
        raise _refused(f"is no file; {LEGAL}", Source(file))
    content = read_file(Path(file))
    mark, encoding = encoding_of(content)
    is_xml = content[len(mark) :].decode(encoding, "replace").lstrip().startswith("<")
    if is_xml:
        _check_srdf(root_of(content, file), robot)
    else:
        _check_yaml(_text(content, file), file)
    return RelatedFile(file, content, is_xml)


def _check_srdf(root: Element, robot: Robot) -> None:
    found = root.source
    if root.tag != "robot":
        raise _refused(f"is XML with the root <{root.tag}>, and that of an SRDF is <robot>; {LEGAL}", found)
    if made := next((e for e in root.walk() if e.tag.startswith("xacro:")), None):
        raise _refused(f"<{made.tag}>: what xacro makes of it is not known here; {LEGAL}", made.source)
    if body := root.find("link") or root.find("joint"):
        raise _refused(f"is another robot description, with {body.label}; {LEGAL}", body.source)
    name = root.get("name")
    if name != robot.name:
        said = f"is of robot {name!r}" if name else "names no robot"
        raise _refused(f"{said}, and the model is of {robot.name!r}", found)


def _check_yaml(text: str, file: str) -> None:
    import yaml

    if len(text) > MAX_YAML_BYTES:
        raise _refused(f"has more than {MAX_YAML_BYTES} bytes, the most that is read of YAML", Source(file))
    try:
        before: Any = None
        for event in yaml.parse(text):
            if isinstance(before, yaml.DocumentStartEvent) and isinstance(event, yaml.ScalarEvent) and event.value:
                line = event.start_mark.line + 1
                raise _refused(f"is neither XML nor YAML with keys or lists; {LEGAL}", Source(file, line))
            before = event
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
        why = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise _refused(f"this is not well-formed YAML: {why}", place) from None


def rename_in_files(
    related: Sequence[RelatedFile], renamed: NewNames, robot: Robot, contents: Mapping[Path, bytes]
) -> dict[Path, bytes]:
    """Return the new contents, by resolved path, of the files in which links and joints are renamed.

    contents: contents of all files. Raises KinetreeError if a place is ambiguous.
    """
    changed = {}
    for file in related if renamed else ():
        content = contents[file.path]
        new = (_in_srdf if file.is_srdf else _in_yaml)(content, file.name, renamed, robot)
        if new != content:
            changed[file.path] = new
    return changed


def _in_srdf(content: bytes, file: str, renamed: NewNames, robot: Robot) -> bytes:
    return on_disk(content, rename_references(root_of(content, file), "srdf", renamed, robot))


def _in_yaml(content: bytes, file: str, renamed: NewNames, robot: Robot) -> bytes:
    """Return the contents with whole keys and values renamed; everything else stays."""
    text = _text(content, file)
    parts, values, done = [], [], 0
    for token in _scalars(text):
        source = Source(file, token.start_mark.line + 1)
        new = _in_scalar(token.value, renamed, robot, source)
        values.append(new)
        if new != token.value:
            quote = token.style or ""
            parts += [text[done : token.start_mark.index], quote, new, quote]
            done = token.end_mark.index
    written = "".join([*parts, text[done:]])
    if values != _values(written):
        raise ambiguous(Source(file), "the new names cannot stand there as the old ones do")
    return written.encode()


def _scalars(text: str) -> list[yaml.ScalarToken]:
    import yaml

    return [token for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken)]


def _values(text: str) -> list[str] | None:
    """Return the values of the scalars of a text, or None if it is not YAML."""
    import yaml

    try:
        return [token.value for token in _scalars(text)]
    except yaml.YAMLError:
        return None


def _in_scalar(value: str, renamed: NewNames, robot: Robot, source: Source) -> str:
    joint, slash, interface = value.partition("/")
    if slash and interface in INTERFACES:
        return f"{new_name(joint, 'joint', renamed, robot, source) or joint}/{interface}"
    return new_name(value, UNLISTED, renamed, robot, source) or value


def _text(content: bytes, file: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(f"is neither XML nor text in UTF-8; {LEGAL}", Source(file, line)) from None


def _refused(message: str, source: Source) -> KinetreeError:
    return KinetreeError(Finding("also", "error", message, source))

"""Other files that a repair concerns: SRDF, YAML and text with names of the model, and files that include edited ones.

The former are read before anything is repaired. A place with an ambiguous name is an error, and nothing is renamed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinetree.checker.report._paths import as_shown
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.opener import read_file
from kinetree.fixer.xacro_edits import root_of
from kinetree.model.references import UNLISTED
from kinetree.model.robot import Robot
from kinetree.repairs.edit import NewNames, on_disk
from kinetree.repairs.rename_references import ambiguous, names_in, new_name, rename_references
from kinetree.syntax.xml.encoding import text_of
from kinetree.syntax.xml.reader import Element
from kinetree.xacro_text.package import package_of

if TYPE_CHECKING:
    import yaml

LEGAL = "expected the SRDF of the model, YAML and other text files"
MAX_BYTES = 1_000_000
YAML = (".yaml", ".yml", ".rviz", ".srdf")
"""Endings of files that are YAML if they are not XML; in others names must stand in quotes."""
QUOTED = re.compile(r"""(["'])(?:\$\{[^{}"']*\}|\$\([^()"']*\)|\{[^{}"']*\})*\Z""")
"""The beginning of a quoted name, with expressions such as ${prefix} before the name."""
ATTRIBUTE = re.compile(r"""\s*=\s*["']""")
"""What follows the name of an attribute, such as `link1` of `<disable_collisions>`."""
INTERFACES = ("position", "velocity", "effort", "acceleration")
"""Suffixes of ros2_control behind the name of a joint: `elbow/position`."""


@dataclass(frozen=True)
class RelatedFile:
    """A file that belongs to a model. kind: a key of `RENAME`."""

    name: str
    content: bytes
    kind: str

    @property
    def path(self) -> Path:
        """Resolved path, the key of the contents of files."""
        return Path(self.name).resolve()


def read_related_files(files: Iterable[str | os.PathLike[str]], model: str, robot: Robot) -> tuple[RelatedFile, ...]:
    """Read the files that belong to a model. Raises KinetreeError for a file that is no text, and for a
    description or an SRDF of another robot."""
    return tuple(_read(os.fspath(file), model, robot) for file in files)


def _read(file: str, model: str, robot: Robot) -> RelatedFile:
    if Path(file).resolve() == Path(model).resolve():
        raise _refused(f"is the model itself, which needs no --also; {LEGAL}", Source(file))
    if os.path.exists(file) and not os.path.isfile(file):
        raise _refused(f"is no file; {LEGAL}", Source(file))
    content = read_file(Path(file))
    is_xml = text_of(content)[2].lstrip().startswith("<")
    if is_xml:
        return RelatedFile(file, content, _kind_of_xml(root_of(content, file), robot))
    return RelatedFile(file, content, _kind_of_text(_text(content, file), file))


def _kind_of_xml(root: Element, robot: Robot) -> str:
    if root.tag != "robot" or any(element.tag.startswith("xacro:") for element in root.walk()):
        return "text"
    if body := root.find("link") or root.find("joint"):
        raise _refused(f"is another robot description, with {body.label}; {LEGAL}", body.source)
    name = root.get("name")
    if name != robot.name:
        which = f"is of robot {name!r}" if name else "names no robot"
        raise _refused(f"{which}, and the model is of {robot.name!r}", root.source)
    return "srdf"


def _kind_of_text(text: str, file: str) -> str:
    import yaml

    if len(text) > MAX_BYTES:
        raise _refused(f"has more than {MAX_BYTES} bytes, the most that is read", Source(file))
    is_yaml = file.lower().endswith(YAML)
    try:
        before: Any = None
        for event in yaml.parse(text):
            if isinstance(before, yaml.DocumentStartEvent) and isinstance(event, yaml.ScalarEvent) and event.value:
                return "text"
            before = event
    except yaml.YAMLError as error:
        if not is_yaml:
            return "text"
        mark = getattr(error, "problem_mark", None)
        place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
        why = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise _refused(f"this is not well-formed YAML: {why}", place) from None
    return "yaml" if is_yaml else "text"


def rename_in_files(
    related: Sequence[RelatedFile], renamed: NewNames, robot: Robot, contents: Mapping[Path, bytes]
) -> dict[Path, bytes]:
    """Return the new contents, by resolved path, of the files in which links and joints are renamed.

    contents: contents of all files. Raises KinetreeError if a place is ambiguous.
    """
    changed = {}
    for file in related if renamed else ():
        content = contents[file.path]
        new = RENAME[file.kind](content, file.name, renamed, robot)
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


def _in_text(content: bytes, file: str, renamed: NewNames, robot: Robot) -> bytes:
    """Return the contents with names renamed that stand alone in quotes, or there behind a prefix that is computed."""
    text = _text(content, file)
    is_xml = text.lstrip("\ufeff").lstrip().startswith("<")
    parts, done = [], 0
    for match in names_in(text, renamed):
        before, after = text[: match.start()], text[match.end() :]
        is_attribute = is_xml and before[-1:].isspace() and ATTRIBUTE.match(after)
        if is_attribute or _is_in_other_name(before, match[0], after, robot):
            continue
        source = Source(file, before.count("\n") + 1, match.start() - before.rfind("\n"))
        opened = QUOTED.search(before)
        if opened is None or not after.startswith(opened[1]):
            raise ambiguous(source, f"{match[0]!r} does not stand alone in quotes")
        parts += [text[done : match.start()], new_name(match[0], UNLISTED, renamed, robot, source) or match[0]]
        done = match.end()
    return "".join([*parts, text[done:]]).encode()


def _is_in_other_name(before: str, name: str, after: str, robot: Robot) -> bool:
    """Return whether a name stands in quotes as a part of the name of another joint or link."""
    begun, ended = re.search(r"""["'][^"'\n]*\Z""", before), re.match(r"""[^"'\n]*(?=["'])""", after)
    whole = f"{begun[0][1:]}{name}{ended[0]}" if begun and ended else name
    return whole != name and (whole in robot.joints or whole in robot.links)


RENAME = {"srdf": _in_srdf, "yaml": _in_yaml, "text": _in_text}
"""Kinds of files, and how links and joints are renamed in them."""


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
        raise _refused(f"is not a text in UTF-8; {LEGAL}", Source(file, line)) from None


def _refused(message: str, source: Source) -> KinetreeError:
    return KinetreeError(Finding("also", "error", message, source))


def outside(changed: Collection[Path], read: Collection[Path]) -> Iterator[Finding]:
    """Yield a warning for each edited file that other files of its package include, directly or through others.

    changed: the edited files. read: all files that the models of the run read; those are checked. Files are compared by
    their names, so a file of the same name in another folder counts too.
    """
    packages = {package.folder: package for path in changed if (package := package_of(path))}
    for folder, package in sorted(packages.items()):
        included = [(file.resolve(), Path(name).name) for file, name in package.includes]
        for path in sorted(path for path in changed if folder in path.parents):
            users, names = set[Path](), {path.name}
            while more := {file for file, name in included if name in names} - users:
                users |= more
                names |= {file.name for file in more}
            if left := sorted(file for file in users - {*read}):
                shown = ", ".join(file.name for file in left[:3]) + (f" and {len(left) - 3} more" if left[3:] else "")
                message = f"this file is also part of models that were not read: it is included by {shown}"
                fix = "check these, or name them in the same run, which then keeps all of them right"
                yield Finding("shared", "warning", message, Source(as_shown(path)), fix=fix)

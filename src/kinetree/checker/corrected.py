"""Findings in xacro files of old versions, whose instructions and calls lack `xacro:`, after these are corrected."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

from kinetree.checker.after_error import Answers, ask
from kinetree.errors import Doubt, Finding
from kinetree.files.opener import Files
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import Reading
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions
from kinetree.syntax.xml.reader import Report, parse
from kinetree.xacro_text.reading import INSTRUCTIONS, bare_tags

RESERVED = re.compile(rb"""<xacro:property\s[^<>]*?name\s*=\s*["'](__\w+)["']""")
"""Definition of a property that begins with two underscores, which xacro refuses."""
TAG = re.compile(rb"<([\w.-]+)")
DEFINED = re.compile(r"""<(?:xacro:)?macro\s[^<>]*?\bname\s*=\s*["'](?:xacro:)?([\w.-]+)""")
NOTHING = ("xacro-macros-only", "xacro-empty")
"""Codes of errors of files that make no robot."""


class _Corrected(Files):
    """Files of one reading, with the texts that old versions of xacro understood as those of today write them."""

    macros: frozenset[str] = frozenset()

    def open(self, wanted: str, asked_from: str) -> tuple[bytes, str]:
        """Return the corrected content and the path of a reference, as `Files` does."""
        data, path = super().open(wanted, asked_from)
        return corrected(data, self.macros), path


def with_corrected(
    robot: Robot, options: CheckOptions, findings: list[Finding], found: Answers
) -> tuple[list[Finding], Answers]:
    """Return the findings of a reader and the answers of rules with those after the texts are corrected.

    After errors the new ones of the corrected robot join, those of the reader too if there was no robot at all;
    otherwise they replace those of the robot, which lacks parts, but for rules about texts.
    """
    meant, more = _read_corrected(robot, options)
    errors = [finding for finding in more if finding.severity == "error"]
    if meant is None or (errors and not robot.doubts):
        return findings, found
    new = ask(replace(meant, places=robot.places), options, errors).findings
    made = dict(found.findings)
    if not robot.doubts:
        made |= {code: new.get(code, []) for code in made.keys() | new.keys() if not code.startswith("XAC")}
        return findings, replace(found, findings=made)
    if Doubt("robot", meant.name) not in meant.doubts and any(f.code in NOTHING for f in findings):
        findings = [*(finding for finding in findings if finding.code not in NOTHING), *errors]
    known = {(f.code, f.place[:2]) for f in chain(findings, *made.values())}
    for code, some in new.items():
        made[code] = [*made.get(code, ()), *(f for f in some if (code, f.place[:2]) not in known)]
    return findings, replace(found, findings=made)


def _read_corrected(robot: Robot, options: CheckOptions) -> Reading:
    """Return the reading of a robot after its texts are corrected; nothing if nothing is to be corrected."""
    texts = robot.text.files if robot.text else {}
    file = robot.source.file if robot.source else ""
    macros = _macros_in(texts.values())
    if file not in texts or all(corrected(data := text.encode(), macros) is data for text in texts.values()):
        return None, []
    files = files_for(robot, options)
    for _ in range(3):  # a corrected include may bring new macros
        files.macros = macros
        meant, findings = FORMATS["xacro"].read(corrected(texts[file].encode(), macros), file, files, options.read)
        more = _macros_in(meant.text.files.values()) if meant and meant.text else macros
        if more <= macros:
            break
        macros |= more
    return meant, findings


def _macros_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the macros that texts define, also without `xacro:`."""
    return frozenset(name for text in texts for name in DEFINED.findall(text))


def corrected(data: bytes, macros: frozenset[str] = frozenset()) -> bytes:
    """Return an xacro text in which instructions and calls of these macros have their prefix, and properties no
    reserved names; the same object if there is nothing to correct."""
    for name in set(RESERVED.findall(data)) if b'"__' in data or b"'__" in data else ():
        data = re.sub(rb"\b" + name + rb"\b", b"u_" + name[2:], data)
    tags = {tag.decode() for tag in set(TAG.findall(data))}
    root = None if tags.isdisjoint(INSTRUCTIONS.keys() | macros) else parse(data, "", Report())
    bare = bare_tags(root, macros) if root and root.document.data == data else ()
    places = [at for one in bare for at in ([one.start + 1] if one.empty else [one.start + 1, one.end + 2])]
    for place in sorted(places, reverse=True):
        data = data[:place] + b"xacro:" + data[place:]
    return data


def files_for(robot: Robot, options: CheckOptions) -> _Corrected:
    """Return the files of another reading of a robot, corrected."""
    given = {name: Path(folder) for name, folder in (options.read.packages or {}).items()}
    return _Corrected({**robot.places.packages, **given}, robot.places.confinement)

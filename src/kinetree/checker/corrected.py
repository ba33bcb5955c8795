"""Findings in xacro files of old versions, which cannot be expanded, after these are corrected."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

from kinetree.checker.after_error import ask
from kinetree.errors import Finding
from kinetree.files.opener import Files
from kinetree.formats.registry import FORMATS
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions
from kinetree.syntax.xml.reader import Element, Report, parse
from kinetree.xacro_text.reading import is_bare

RESERVED = re.compile(rb"""<xacro:property\s[^<>]*?name\s*=\s*["'](__\w+)["']""")
"""Definition of a property that begins with two underscores, which xacro refuses."""
OLD = re.compile(rb"<(?:property|include|insert_block|macro|if|unless)[\s>]")
"""Instruction of xacro without its prefix."""


class _Corrected(Files):
    """Files of one reading, with the texts that old versions of xacro understood as those of today write them."""

    def open(self, wanted: str, asked_from: str) -> tuple[bytes, str]:
        """Return the corrected content and the path of a reference, as `Files` does."""
        data, path = super().open(wanted, asked_from)
        return corrected(data), path


def of_corrected(robot: Robot, options: CheckOptions, known: Iterable[Finding]) -> list[Finding]:
    """Return the findings of a robot whose expansion failed, after its texts are corrected, without those that are
    known; none if nothing is to be corrected."""
    texts = robot.text.files if robot.text and robot.text.format == "xacro" else {}
    file = robot.source.file if robot.source else ""
    if file not in texts or all(corrected(data := text.encode()) is data for text in texts.values()):
        return []
    text = corrected(texts[file].encode())
    meant, findings = FORMATS["xacro"].read(text, file, files_for(robot, options), options.read)
    if meant is None:
        return []
    errors = [finding for finding in findings if finding.severity == "error"]
    found = ask(replace(meant, places=robot.places), options, errors).findings.values()
    lines = {(finding.code, finding.place[:2]) for finding in known}
    return [f for f in chain.from_iterable(found) if (f.code, f.place[:2]) not in lines]


def corrected(data: bytes) -> bytes:
    """Return an xacro text in which instructions have their prefix, and properties no reserved names; the same object
    if there is nothing to correct."""
    for name in set(RESERVED.findall(data)) if b'"__' in data or b"'__" in data else ():
        data = re.sub(rb"\b" + name + rb"\b", b"u_" + name[2:], data)
    root = parse(data, "", Report()) if OLD.search(data) else None
    places = sorted(_bare_tags(root), reverse=True) if root and root.document.data == data else ()
    for place in places:
        data = data[:place] + b"xacro:" + data[place:]
    return data


def _bare_tags(element: Element) -> list[int]:
    """Return the bytes of the names of the tags that lack `xacro:`."""
    found = []
    for child in element.children:
        if is_bare(child, element):
            found += [child.start + 1] if child.empty else [child.start + 1, child.end + 2]
        found += _bare_tags(child)
    return found


def files_for(robot: Robot, options: CheckOptions) -> Files:
    """Return the files of another reading of a robot, corrected."""
    given = {name: Path(folder) for name, folder in (options.read.packages or {}).items()}
    return _Corrected({**robot.places.packages, **given}, robot.places.confinement)

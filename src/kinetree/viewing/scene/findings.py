"""Findings as the page lists them: with the parts that they are about, without paths of this machine."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kinetree.errors import MAX_MESSAGE, Finding, KinetreeError, Source, shortened
from kinetree.files.opener import folder_of
from kinetree.model.robot import Robot

FREE = r"(?<![\w.:/\\)}-])(?:file://)?"
"""Where a path begins that is no part of another one or of an address."""
PATHS = [
    re.compile(rf"{before}(/[{name}]+/|[A-Za-z]:[/\\])(?:[{name}]*[/\\])*(?=[{name}])")
    for before, name in (
        (r"(?<=')(?:file://)?", r"^'<>/\\\n"),
        (r'(?<=")(?:file://)?', r'^"<>/\\\n'),
        (FREE, r"^\s'\"<>/\\"),
    )
]
"""Absolute paths up to their last names, and their first folders: in quotes, where they may have spaces, and others."""

Part = tuple[str, int]
"""A kind, "link", "joint" or "frame", and its number."""


class Folders:
    """Names of places and texts without the folders of this machine. file: that of the model, packages: folders."""

    def __init__(self, file: str | None, packages: Iterable[Path] = ()) -> None:
        folder = None if file is None else folder_of(file)
        near = [] if folder is None else [folder]
        known = [*near, Path.cwd(), Path.home(), Path(sys.prefix), *packages]
        spelled = sorted({text for path in known for text in _spellings(path)}, key=len, reverse=True)
        patterns = (r"[/\\]+".join(map(re.escape, re.split(r"[/\\]+", text))) for text in spelled)
        self.known = re.compile(f"{FREE}(?:{'|'.join(patterns)})")
        self.folder = near[0] if near else None

    def where(self, source: Source | None) -> str:
        """Return file, line and column, the file as seen from that of the robot, or its name if it is elsewhere."""
        if source is None:
            return ""
        path = Path(os.path.abspath(source.file))
        inside = self.folder is not None and path.is_relative_to(folder := os.path.abspath(self.folder))
        file = source.file if source.file.startswith("<") else path.relative_to(folder) if inside else path.name
        return self.plain(str(Source(Path(file).as_posix(), source.line, source.column)))

    def plain(self, text: str) -> str:
        """Return a text without folders of this machine."""
        text = self.known.sub("", text)
        for path in PATHS:
            text = path.sub(lambda found: "" if os.path.isdir(found[1]) else found[0], text)
        return text


class Places(Folders):
    """The parts of a robot by the elements of findings, and names of places without the folders of this machine."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot.source.file if robot.source else None, robot.places.packages.values())
        self.robot = robot
        self.parts = {shortened(f"{kind} {name!r}", MAX_MESSAGE // 10): part for kind, name, part in _parts(robot)}


def _parts(robot: Robot) -> Iterator[tuple[str, str, Part]]:
    """Yield the kind and the name of each element of a robot, with the link, joint or frame where it is.

    A sensor is at its frame, a group at its first joint, a limit at the first joint of its row, and a joint that closes
    a loop at its child link.
    """
    links: dict[str, Part] = {name: ("link", i) for i, name in enumerate(robot.links)}
    joints: dict[str, Part] = {name: ("joint", i) for i, name in enumerate(robot.placed)}
    own = [name for name, frame in robot.frames.items() if name not in links and not frame.unplaced]
    frames = links | {name: ("frame", i) for i, name in enumerate(own)}
    for kind, parts in (("link", links), ("joint", joints), ("frame", frames)):
        yield from ((kind, name, part) for name, part in parts.items())
    for name, sensor in robot.sensors.items():
        yield "sensor", name, frames.get(sensor.frame) or links[robot.frames[sensor.frame].link]
    yield from (("group", name, joints[members[0]]) for name, members in robot.groups.items() if members)
    of_coordinates = [joints[joint] for joint in robot.joint_names for _ in range(robot.joints[joint].kind.nq)]
    limits = robot.limits
    for name, row in zip(limits.row_names, limits.G, strict=True):
        yield "limit", name, of_coordinates[int(np.flatnonzero(row)[0])]
    for name, joint in robot.loops.items():
        yield "joint", name, links[joint.child]


def described(finding: Finding, places: Places) -> dict[str, Any]:
    """Return a finding with the numbers of the link, joint or frame that it is about."""
    part = places.parts.get(finding.element or "")
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": places.plain(finding.message),
        "element": places.plain(finding.element or "") or None,
        "where": places.where(finding.source),
        "fix": places.plain(finding.fix or "") or None,
        "q": configuration_in(finding.message, places.robot),
        **{kind: part[1] if part and part[0] == kind else None for kind in ("link", "joint", "frame")},
    }


def configuration_in(message: str, robot: Robot) -> list[float] | None:
    """Return q of a message that ends with "at joint=value …", in degrees and m, or as commands take it, with "at --deg
    --q joint=value …". Joints that it does not name are neutral."""
    found = re.search(r".*\bat (?=(?:--deg |--q )*\S+=)(.*)", message, re.DOTALL)
    try:
        words = [word.strip(",.;)") for word in shlex.split(found[1])] if found else []
        pairs = [word.split("=") for word in words if "=" in word]
        values = {name: [float(x) for x in value.split(",")] for name, value in pairs}
        in_rad = "rad" in words or ("--q" in words and "--deg" not in words)
        return robot.q(values, unit="rad" if in_rad else "deg").tolist() if values else None
    except (ValueError, KinetreeError):
        return None


def _spellings(path: Path) -> set[str]:
    """Return a folder as given, absolute and with links followed, each with a separator; not the root."""
    found = {str(path), os.path.abspath(path), os.path.realpath(path)}
    return {os.path.join(text, "") for text in found if os.path.isabs(text) and text != os.path.abspath(os.sep)}

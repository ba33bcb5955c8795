"""State of a model during its repair: the contents of its files, its robot and the findings in it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kinetree.checker.check import answers
from kinetree.errors import Finding, KinetreeError
from kinetree.files.opener import snapshot
from kinetree.load import as_source, examine
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions

BY_STYLE = ("XAC-001",)
"""Codes that are counted once for an element, because new names are written like those beside them."""

Key = tuple[str, str | None]
"""Identity of a finding: its code and its element."""


@dataclass(frozen=True, eq=False)
class State:
    """Contents of all files that were read, by path, their robot, all findings in it, and the excused ones.

    variants: robots of the other variants, with their findings.
    """

    contents: Mapping[Path, bytes]
    robot: Robot
    findings: tuple[Finding, ...]
    excused: frozenset[Key] = frozenset()
    variants: "tuple[State, ...]" = ()

    @cached_property
    def keys(self) -> Counter[Key]:
        """Number of findings of each kind."""
        found = Counter(map(key_of, self.findings))
        return Counter({key: 1 if key[0] in BY_STYLE else count for key, count in found.items()})


def key_of(finding: Finding) -> Key:
    """Return the code and the element of a finding."""
    return finding.code, finding.element


def look(file: str, options: CheckOptions, contents: Mapping[Path, bytes]) -> State:
    """Return the robot of a file and all findings in it.

    contents: contents of files by resolved path, which replace those on the disk. Raises KinetreeError if a file cannot
    be read.
    """
    return judged(options, *read_robot(file, options, contents))


def read_robot(
    file: str, options: CheckOptions, contents: Mapping[Path, bytes]
) -> tuple[Mapping[Path, bytes], Robot, list[Finding]]:
    """Return the contents of all files that were read, the robot, and the notes of its reader."""
    with snapshot(contents) as held:
        robot, notes = examine(as_source(file, options.read), options.read, True)  # as a check reads it
    errors = [finding for finding in notes if finding.severity == "error"]
    if errors or robot is None:
        raise KinetreeError(errors)
    return held, robot, notes


def judged(options: CheckOptions, contents: Mapping[Path, bytes], robot: Robot, notes: list[Finding]) -> State:
    """Return the state with all findings in a robot that has been read."""
    with snapshot(contents):
        return State(contents, robot, tuple(answers((robot, notes), options)[0]))

"""YAML files of a folder with limits and parameters of controllers: checked alone, and against the robots they fit."""

import os
import re
from collections.abc import Collection, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path

from kinetree.checker.after_error import Answers, findings_by_rule
from kinetree.errors import SEVERITIES, Finding, KinetreeError
from kinetree.files.opener import is_held, read_file
from kinetree.model.robot import Robot
from kinetree.rules.facts import needs
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import Rule

ENDINGS = (".yaml", ".yml")
CONTENT = re.compile(rb"^[^#\n]*(ros__parameters|ontrollers?|\blimits?|_(limits|joints?|positions))\s*:", re.MULTILINE)
"""Keys of files of parameters."""
LEAST, PART, MAX_BYTES = 2, 0.5, 100_000
"""Least joints of a robot that a file names which fits it; least part of the joints that it names; its largest size."""


def words_of(file: str) -> Set[str] | None:
    """Return the words of a YAML file with limits or parameters of controllers, None for another file."""
    path = Path(file)
    try:
        if not file.lower().endswith(ENDINGS):
            return None
        if is_held(path):
            return _words(read_file(path))
        status = os.stat(path)
        return _words_in(path.absolute(), status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, KinetreeError):  # a null character is a ValueError
        return None


@lru_cache(4000)
def _words_in(file: Path, _mtime_ns: int, _size: int) -> Set[str] | None:
    """Return the words of a file, remembered as long as it does not change. Raises KinetreeError."""
    return _words(read_file(file))


def _words(content: bytes) -> Set[str] | None:
    is_one = len(content) <= MAX_BYTES and content.lstrip()[:1] != b"<" and CONTENT.search(content)
    return frozenset(word.decode() for word in re.findall(rb"[\w./-]+", content)) if is_one else None


def answers_alone(file: str, options: CheckOptions) -> Answers:
    """Return what the rules that need no robot find in a file of parameters."""
    from kinetree.rules.parameters.files import ros_files

    facts = {"ros_files": ros_files((file,))}
    return Answers({rule.code: [*rule().check(**facts)] for rule in _rules(options, alone=True)})


def findings_beside(
    robot: Robot | None, options: CheckOptions, files: Collection[str]
) -> tuple[list[Finding], frozenset[str]]:
    """Return what rules that need a robot find in the files that name its joints and hardly any others, and the paths
    of these files. No finding is an error; a joint that does not exist counts if its name is almost that of another."""
    if robot is None or robot.doubts or not files:
        return [], frozenset()
    from kinetree.rules.blocks.spelling import nearly
    from kinetree.rules.parameters.files import named_joints, ros_files  # takes 5 ms, which most files save

    moving = {name for name, joint in robot.joints.items() if joint.kind.nv}
    found: list[Finding] = []
    fitted = set()
    for file in files:
        if len((words_of(file) or set()) & moving) < LEAST or (content := ros_files((file,))) is None:
            continue
        names = named_joints(content)
        if len(names & moving) >= max(LEAST, PART * len(names)) and not _is_of_another(file, robot, files):
            fitted.add(os.path.abspath(file))
            beside = findings_by_rule(robot, _rules(options, alone=False), replace(options, also=(file,)))
            for one in chain(*beside.values()):
                kind, _, name = (one.element or "").partition(" ")
                if one.code != "MVT-002" or kind != "joint" or nearly(name.strip("'"), [*robot.joints]):
                    found.append(replace(one, severity=max(one.severity, "warning", key=SEVERITIES.index)))
    return found, frozenset(fitted)


def _is_of_another(file: str, robot: Robot, files: Collection[str]) -> bool:
    """Return whether a file is of one of three or more models, by the names of their folders, and not of this robot."""
    path, own = Path(file), f"{robot.name} {robot.source and robot.source.file}"
    is_own = re.search(rf"(?<![^\W_]){re.escape(path.parent.name)}(?![^\W_])", own)
    return not is_own and sum(Path(one).parts[:-2] == path.parts[:-2] and one.endswith(path.name) for one in files) > 2


def _rules(options: CheckOptions, *, alone: bool) -> list[type[Rule]]:
    return [rule for rule in options.rules if rule.code[:3] == "MVT" and ("robot" not in needs(rule.check)) == alone]

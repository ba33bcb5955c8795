"""YAML files of a folder with limits and parameters of controllers: checked alone, and against the robots they fit."""

import os
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from kinetree.checker.after_error import Answers, findings_by_rule
from kinetree.errors import SEVERITIES, Finding, KinetreeError
from kinetree.files.opener import files_below, read_file
from kinetree.model.robot import Robot
from kinetree.rules.facts import needs
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import Rule

ENDINGS = (".yaml", ".yml")
CONTENT = re.compile(
    rb"^[^#\n]*(ros__parameters|ontrollers?|joint_limits|\blimits?|\w_joints?|initial_positions)\s*:", re.M
)
"""Keys of files of parameters."""
WORD = re.compile(rb"[\w./-]+")
LEAST = 2
"""Least joints of a robot that a file names which fits it."""
PART = 0.5
"""Least part of the joints that it names."""
MAX_BYTES = 100_000


def is_parameters(file: str | os.PathLike[str]) -> bool:
    """Return whether a file is YAML with limits or parameters of controllers, by its ending and its keys."""
    return str(file).lower().endswith(ENDINGS) and _keys(os.path.abspath(file)) is not None


def parameters_in(folder: Path) -> Iterator[Path]:
    """Yield the files of parameters in a folder and below, without hidden ones, in order."""
    yield from filter(is_parameters, files_below(folder, lambda name: name.lower().endswith(ENDINGS)))


@lru_cache(4000)
def _keys(file: str) -> Set[str] | None:
    """Return the words of a file of parameters, None for another file."""
    try:
        content = read_file(Path(file))
    except KinetreeError:
        return None
    if len(content) > MAX_BYTES or content.lstrip().startswith(b"<") or not CONTENT.search(content):
        return None
    return frozenset(word.decode("ascii", "ignore") for word in WORD.findall(content))


def answers_alone(file: str, options: CheckOptions) -> Answers:
    """Return what the rules that need no robot find in a file of parameters."""
    from kinetree.rules.parameters.files import ros_files

    facts = {"ros_files": ros_files((file,))}
    return Answers({rule.code: [*rule().findings(facts)] for rule in _rules(options, alone=True)})


def answers_beside(
    robot: Robot, options: CheckOptions, files: Iterable[str]
) -> Iterator[tuple[str, dict[str, list[Finding]]]]:
    """Yield the files of parameters that name joints of a robot and hardly any others, each with what the rules find
    that need the robot. Nobody said that the files belong to it: no finding is an error, and a name of no joint is one
    only if it is almost that of a joint."""
    from kinetree.rules.parameters.files import named_joints, ros_files

    moving = {name for name, joint in robot.joints.items() if joint.kind.nv}
    for file in files:
        words = _keys(os.path.abspath(file))
        if words is None or len(words & moving) < LEAST or (about := ros_files((file,))) is None:
            continue
        names = named_joints(about)
        if len(names & moving) < max(LEAST, PART * len(names)):
            continue
        found = findings_by_rule(robot, _rules(options, alone=False), replace(options, also=(file,)))
        yield file, {code: [_mild(f) for f in some if _is_sure(f, robot)] for code, some in found.items()}


def _rules(options: CheckOptions, *, alone: bool) -> list[type[Rule]]:
    return [rule for rule in options.rules if rule.code[:3] == "MVT" and ("robot" not in needs(rule.check)) == alone]


def _is_sure(finding: Finding, robot: Robot) -> bool:
    """Return whether a finding is not about the joint of another robot, or of a part that this one lacks."""
    from kinetree.rules.blocks.spelling import nearly

    kind, _, name = (finding.element or "").partition(" ")
    return finding.code != "MVT-002" or kind != "joint" or bool(nearly(name.strip("'"), [*robot.joints]))


def _mild(finding: Finding) -> Finding:
    return replace(finding, severity=max(finding.severity, "warning", key=SEVERITIES.index))

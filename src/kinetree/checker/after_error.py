"""Rules run on a robot. What they say about elements in doubt waits until the errors of the reader are corrected."""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from kinetree.errors import Doubt, Finding, Source
from kinetree.model.complete import HIDDEN
from kinetree.model.robot import Robot
from kinetree.rules.facts import Subject, needs
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import SAME, Rule, others

QUOTED = re.compile(r"'([^']+)'")
NOT_FOUND = re.compile(r"(?!the (mesh )?file ).*(not exist|neither a )")
"""Messages about names that no element has."""
APART = ("groups", "version")
"""Parts of the robot in doubt without which links, joints and frames are known."""
MOST = 12
"""Most elements, and places of errors, in a remark."""


@dataclass(frozen=True)
class Answers:
    """Findings by the codes of rules that ran. elements, codes: those of which findings may be missing until an error
    is corrected."""

    findings: Mapping[str, list[Finding]]
    elements: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()

    def is_asked(self, code: str, element: str, always: bool) -> bool:
        """Return whether a rule, or a reader, could judge an element. always: whether the code is of no rule."""
        if self.elements and (element in self.elements or element.startswith("<")):  # which may be inside of such a one
            return False
        return always or (code in self.findings and code not in self.codes)


def ask(robot: Robot, options: CheckOptions, errors: Iterable[Finding]) -> Answers:
    """Return the findings of a profile's rules, after errors of the reader those that no correction may change.

    Rules about the whole robot wait for the correction. Findings wait that are about an element in doubt or name it;
    those of rules about rigid bodies also if a link may be fixed to such a one. If nothing of the robot is known, the
    rules about the text of its files run alone, and their findings in lines with errors wait.
    """
    rules = options.rules_for(robot)
    if not robot.doubts:
        return Answers(findings_by_rule(robot, rules, options))
    if Doubt("robot", robot.name) in robot.doubts:
        lines = {error.place[:2] for error in errors if error.place[2]}
        of_text = findings_by_rule(robot, [rule for rule in rules if rule.of_text], options)
        left = {code: [f for f in found if f.place[:2] not in lines] for code, found in of_text.items()}
        return Answers(left, codes=frozenset(rule.code for rule in rules))
    unsure = {doubt.part for doubt in robot.doubts if doubt.kind == "robot"}
    elements = frozenset(doubt.element for doubt in robot.doubts if doubt.part not in ("place", *APART))
    in_whole = _is_whole_in_doubt(robot)
    elements |= {f"robot {robot.name!r}"} if in_whole else set()
    near = elements | _near(robot)
    codes = {rule.code for rule in rules if (in_whole and rule.of_robot) or not unsure.isdisjoint(needs(rule.check))}
    asked = [rule for rule in rules if rule.code not in codes]
    answers = findings_by_rule(robot, asked, options)
    for rule in (rule for rule in asked if rule.code in answers and not rule.of_text):
        waiting = near if "bodies" in needs(rule.check) else elements
        found = answers[rule.code]
        sure = [_certain(finding, robot, waiting, "names" in unsure) for finding in found]
        answers[rule.code] = [finding for finding in sure if finding]
        if waiting > elements or any(a != b and a.element not in elements for a, b in zip(found, sure, strict=True)):
            codes.add(rule.code)
    return Answers(answers, elements, frozenset(codes))


def _is_whole_in_doubt(robot: Robot) -> bool:
    """Return whether a rule about the whole robot could find something else after the errors are corrected."""
    kinds = {doubt.kind for doubt in robot.doubts if doubt.kind != "robot" or doubt.part not in APART}
    return not kinds.isdisjoint(("link", "joint", "frame", "robot"))


def _near(robot: Robot) -> frozenset[str]:
    """Return the links that may be fixed to one in doubt, and the joints of all of these."""
    joints = [*robot.joints.values()]
    fixed = [{joint.parent, joint.child} for joint in joints if not joint.kind.nv]  # as those in doubt are
    links = {doubt.name for doubt in robot.doubts if doubt.kind == "link"}
    names = {doubt.name for doubt in robot.doubts if doubt.kind == "joint" and not doubt.part}
    links |= {link for joint in joints if joint.name in names for link in (joint.parent, joint.child)}
    while more := [ends for ends in fixed if ends & links and not ends <= links]:
        links = links.union(*more)
    at = [joint.name for joint in joints if not links.isdisjoint((joint.parent, joint.child))]
    return frozenset([*(f"link {name!r}" for name in links), *(f"joint {name!r}" for name in at)])


def _certain(finding: Finding, robot: Robot, waiting: Collection[str], nameless: bool) -> Finding | None:
    """Return a finding without elements that wait; of several of which it says the same, about the first that does not.

    nameless: whether an element without a known name may be the one that it misses.
    """
    head, _, also = finding.message.partition(SAME)
    claim = head.partition("; ")[0]  # what follows are names that resemble another, or advice
    names = {name for element in waiting if element[:6] != "robot " for name in QUOTED.findall(element)}
    kind, same = (finding.element or "").partition(" ")[0], QUOTED.findall(also)
    sure = [name for name in same if name not in names]
    if not names.isdisjoint(QUOTED.findall(claim)) or HIDDEN in claim or (nameless and NOT_FOUND.match(claim)):
        return None
    if finding.element in waiting and sure and kind in ("link", "joint"):
        first = robot.links[sure[0]] if kind == "link" else robot.joints[sure[0]]
        message = head + others(sure[1:])
        return replace(finding, element=f"{kind} {first.name!r}", source=first.source, message=message)
    if finding.element in waiting or HIDDEN in f"{finding.element}":
        return None
    if len(sure) < len(same):
        return replace(finding, message=head + others(sure))
    return replace(finding, message=claim) if HIDDEN in finding.message else finding


def remark(robot: Robot, errors: Iterable[Finding]) -> list[Finding]:
    """Return the remark on what waits until the errors of a reader are corrected, if anything does."""
    parts = {doubt.part for doubt in robot.doubts if doubt.kind == "robot"}
    about = {d.element for d in robot.doubts if d.name and d.kind != "robot" and d.part in ("", "inside")}
    waiting = sorted(element for element in about if HIDDEN not in element)
    waiting += ["elements without a name"] if "names" in parts else []
    waiting += ["rigid bodies"] if "bodies" in parts else []
    waiting += ["the robot as a whole"] if _is_whole_in_doubt(robot) else []
    waiting += ["planning groups"] if "groups" in parts else []
    if "" in parts:
        waiting = [] if robot.text and robot.text.format == "xacro" else ["the robot"]  # else there is only the text
    if not waiting:
        return []
    sources = (error.source or Source("") for error in sorted(errors, key=attrgetter("place")))
    names = (f"{os.path.basename(one.file)}:{one.line}" if one.line else one.file for one in sources)
    places = list(dict.fromkeys(names))
    where = f"at {_listed(places)} " if places else ""
    correct = f"correct the error{'s' * (len(places) > 1)} {where}first"
    message = f"rules say nothing yet about {_listed(waiting)}: {correct}"
    return [Finding("not-asked", "info", message, robot.source, f"robot {robot.name!r}")]


def _listed(names: list[str]) -> str:
    """Return names with "and" before the last; of many the first."""
    names = [*names[:MOST], *([f"{len(names) - MOST} more"] if len(names) > MOST else [])]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@np.errstate(all="ignore")  # a ratio to a tiny mass may be infinite, and rules compare it as such
def findings_by_rule(robot: Robot, rules: Iterable[type[Rule]], options: CheckOptions) -> dict[str, list[Finding]]:
    """Return the findings of each rule that ran, by its code. A rule does not run if one that it requires has failed or
    did not run, or if one of its facts is unknown. A finding without a source gets that of the robot."""
    subject = Subject(robot, options)
    findings: dict[str, list[Finding]] = {}
    failed: set[str] = set()
    for rule in rules:
        if not failed.isdisjoint(rule.requires):
            failed.add(rule.code)
            continue
        facts = subject.facts(rule.check)
        if not subject.unknown.isdisjoint(facts):
            failed.add(rule.code)
            continue
        if new := list(rule().check(**facts)):
            new = [f if f.source else replace(f, source=robot.source) for f in new]
            if any(finding.severity == rule.severity() for finding in new):
                failed.add(rule.code)
        findings[rule.code] = new
    return findings

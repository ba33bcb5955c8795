"""Checks of a robot of which errors leave something unknown: what is found whatever stands in for it is certain."""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import pi
from operator import attrgetter

import numpy as np

from kinetree.errors import Doubt, Finding
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.complete import HIDDEN, stands_in, without_stand_ins
from kinetree.model.robot import Dynamics, Geometry, Inertial, Joint, Limit, Link, Mimic, Robot, Shape
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.quality import SAME
from kinetree.rules.rule import Rule
from kinetree.spatial import se3
from kinetree.spatial.se3 import frozen

QUOTED = re.compile(r"'([^']+)'")
VARIANTS = 5
POSES = tuple(
    frozen(se3.pose_from_xyz_rpy(xyz, rpy))
    for xyz, rpy in (
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ((0.13, 0.0, 0.29), (pi / 2, 0.0, 0.0)),
        ((0.0, -0.17, 0.11), (0.0, pi / 2, 0.0)),
        ((-0.07, 0.05, 0.31), (0.0, 0.0, pi)),
        ((0.23, 0.19, -0.03), (0.3, -0.5, 0.7)),
    )
)
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.36, 0.48, 0.8))
TYPES = ("fixed", "revolute", "prismatic", "continuous", "fixed")
HANGING = ("fixed", "fixed", "revolute", "prismatic", "continuous")
"""Types of a joint and of one that the file does not have."""
LIMITS = (
    (),
    (Limit(-pi, pi, 2.0, 50.0),),
    (Limit(-1.0, 1.0, 1.0, 10.0),),
    (Limit(0.2, 0.7, 0.5, 5.0),),
    (Limit(-2.5, -0.5, 3.0, 100.0),),
)
WANTED: tuple[str, ...] = ("base_link", "base", "flange", "tool0", "base_footprint", "world", "torso", "gaze", "imu")
WANTED += tuple(f"{side}_{what}" for side in "lr" for what in ("ankle", "sole", "toe", "wrist", "gripper"))
"""Names that rules look for, one of which a link without a name may have."""


@dataclass(frozen=True)
class Certain:
    """Findings by the codes of rules that ran, and what could not be checked: elements, by their names in messages, and
    the codes of rules about other elements."""

    findings: Mapping[str, list[Finding]]
    touched: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()

    def is_asked(self, code: str, element: str, always: bool) -> bool:
        """Return whether a rule, or a reader, could judge an element. always: whether the code is of no rule."""
        if self.touched and (element in self.touched or element.startswith("<")):  # which may be inside of such a one
            return False
        asked = code in self.findings and all(finding.code != "not-asked" for finding in self.findings[code])
        return always or (asked and code not in self.unsure)


def certain(robot: Robot, options: CheckOptions, errors: Iterable[Finding] = ()) -> Certain:
    """Return the findings of a profile's rules that hold whatever stands in for what errors leave unknown. Those about
    the text of a file are left out in lines with errors."""
    rules = options.rules_for(robot)
    touched = frozenset(doubt.element for doubt in robot.doubts if doubt.kind != "robot")
    whole = frozenset(doubt.element for doubt in robot.doubts if doubt.part in ("", "name"))
    if any(doubt == Doubt("robot", robot.name) for doubt in robot.doubts):
        lines = {error.place[:2] for error in errors if error.place[2]}
        of_text = findings_by_rule(robot, [rule for rule in rules if rule.of_text], options)
        left = {code: [f for f in found if f.place[:2] not in lines] for code, found in of_text.items()}
        return Certain(left, touched, frozenset(rule.code for rule in rules))
    is_known = all(doubt.part == "groups" for doubt in robot.doubts)  # every link and joint
    by_majority = {rule.code for rule in rules if rule.by_majority and not is_known}
    rules = tuple(rule for rule in rules if rule.code not in by_majority)
    runs = [findings_by_rule(varied(robot, 0), rules, options)]
    names = {name for found in runs[0].values() for f in found for name in QUOTED.findall(f.message)}
    runs += [findings_by_rule(varied(robot, k, names), rules, options) for k in range(1, VARIANTS)]
    unsure = by_majority.union(code for run in runs for code in run.keys() ^ runs[0].keys())
    kept: dict[str, list[Finding]] = {}
    for code in runs[0].keys() - unsure:
        found = [{_key(finding): finding for finding in run[code]} for run in runs]
        always = set.intersection(*map(set, found))
        kept[code] = [min((f[key] for f in found), key=lambda f: len(f.message)) for key in found[0] if key in always]
        kept[code] = [
            replace(finding, message=without_stand_ins(finding.message))
            for finding in kept[code]
            if not (_is_unknown(finding.element, whole) or stands_in(_key(finding)[1]))
        ]
        if any(not _is_unknown(element, touched) for element, _ in set.union(*map(set, found)) - always):
            unsure.add(code)
    order = [rule.code for rule in rules]
    return Certain({code: kept[code] for code in order if code in kept}, touched, frozenset(unsure))


def _key(finding: Finding) -> tuple[str | None, str]:
    """Return the element and the message of a finding, without the others of which it says the same."""
    return finding.element, finding.message.partition(SAME)[0]


def _is_unknown(element: str | None, unknown: frozenset[str]) -> bool:
    """Return whether an element is unknown, or one that the file does not have."""
    return element in unknown or stands_in(element or "")


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
        if any(value is None for value in facts.values()):
            failed.add(rule.code)
            continue
        if new := list(rule().findings(facts)):
            new = [f if f.source else replace(f, source=robot.source) for f in new]
            if any(finding.severity == rule.severity() for finding in new):
                failed.add(rule.code)
        findings[rule.code] = new
    return findings


def remarks(robot: Robot, found: Certain, errors: Iterable[Finding]) -> list[Finding]:
    """Return the remark on what could not be checked of a robot because of its reader's errors, if any."""
    about = _in_doubt(robot)
    because = _listed(list(dict.fromkeys(_placed(error, robot) for error in sorted(errors, key=attrgetter("place")))))
    unknown, so = "parts of the robot", []
    if Doubt("robot", robot.name) in robot.doubts:
        if robot.text and robot.text.format == "xacro":  # of which there is only the text
            return []
        unknown, so = "the whole robot", ["no rule was run"]
    else:
        so += [f"rules could not fully check {_listed(about)}"] if about else []
        rest = "the other parts either" if about else "the robot"
        so += [f"{_listed(sorted(found.unsure), 100)} could not fully check {rest}"] if found.unsure else []
    message = f"errors leave {unknown} unknown ({because}): {'; '.join(so)}"
    fix = "correct the errors, then check again"
    return [Finding("not-asked", "info", message, robot.source, f"robot {robot.name!r}", fix)] if so else []


def _in_doubt(robot: Robot) -> list[str]:
    """Return the elements of the file of which something is unknown, by their names in messages."""
    doubts = [d for d in robot.doubts if d.kind != "robot" or d.part == "name"]
    named = {d.element for d in doubts if d.name and not stands_in(d.name)}
    lacking = {f"link {link.name!r}" for link in robot.links.values() if not link.source}  # only joints name them
    nameless = Doubt("robot", robot.name, "names") in robot.doubts and any(
        not d.name or stands_in(d.name) for d in doubts
    )
    return [*sorted(named - lacking), *(["elements without a name"] if nameless else [])]


def _placed(error: Finding, robot: Robot) -> str:
    """Return the code of an error and its line, with its file if that is not the robot's."""
    if not error.source or not error.source.line:
        return error.code
    file = "" if robot.source and error.source.file == robot.source.file else f"{os.path.basename(error.source.file)} "
    return f"{error.code} in {file}line {error.source.line}"


def _listed(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def varied(robot: Robot, k: int, names: Collection[str] = ()) -> Robot:
    """Return a robot with a guess, the k-th of VARIANTS, in the place of each unknown part.

    names: names that a part without a name may have.
    """
    parts = parts_of(robot)
    links, joints = {link.name: link for link in parts.links}, {joint.name: joint for joint in parts.joints}
    frames = {frame.name: frame for frame in parts.frames}
    for doubt in robot.doubts:
        if doubt.kind == "link" and doubt.name in links:
            links[doubt.name] = _link(links[doubt.name], doubt.part, k)
            if doubt.part == "pose":
                near = [j for j in joints.values() if doubt.name in (j.parent, j.child)]
                joints |= {j.name: replace(j, origin=POSES[k]) for j in near}
        elif doubt.kind == "joint" and doubt.name in joints:
            joints[doubt.name] = _joint(joints[doubt.name], doubt.part, k)
        elif doubt.kind == "frame" and doubt.name in frames:
            frames[doubt.name] = replace(frames[doubt.name], origin=POSES[k])
        elif doubt.kind == "sensor" and k % 2:
            parts.sensors = [sensor for sensor in parts.sensors if sensor.name != doubt.name]
        elif doubt.part == "poses":
            joints = {name: replace(joint, origin=POSES[k]) for name, joint in joints.items()}
            frames = {name: replace(frame, origin=POSES[k]) for name, frame in frames.items()}
        elif doubt.part == "groups" and k % 2:
            parts.groups = {}
    parts.links, parts.joints, parts.frames = [*links.values()], [*joints.values()], [*frames.values()]
    if k % 2 and Doubt("robot", robot.name, "names") in robot.doubts:
        new = [name for name in dict.fromkeys((*WANTED, *names)) if name not in robot.frames and "$" not in name]
        parts.links += map(Link, new)
        joined = {name: name if name not in robot.joints else f"{HIDDEN} {name}" for name in new}
        parts.joints += [Joint(joint, "fixed", robot.root, name) for name, joint in joined.items()]
    _followers(parts, {d.name for d in robot.doubts if d.kind == "joint" and d.part == "mimic"}, k)
    _rooted(parts, robot.doubts, k)
    whole = {doubt.name for doubt in robot.doubts if doubt.kind == "joint" and not doubt.part}
    moved = {joint.child for joint in parts.joints}
    root = next(link.name for link in parts.links if link.name not in moved)
    for i, joint in enumerate(parts.joints):
        if joint.name in whole and stands_in(joint.child) and k % 2 == 0:  # nothing is known of where it is
            parts.joints[i] = replace(joint, parent=root)
    return replace(build(parts), text=robot.text)


def _link(link: Link, part: str, k: int) -> Link:
    if part in ("inertial", "body", ""):
        side = (0.1, 0.2)[k % 2]
        mass = 1000.0 * side**3
        tensor = frozen(np.eye(3) * (mass * side * side / 6))
        link = replace(link, inertial=Inertial(mass, tensor) if k else None)
    if part in ("geometry", "body", "") and k > 1:
        box = Geometry(Shape("box", {"size": (0.1 * k,) * 3}))
        link = replace(link, visuals=(box,) if k % 2 else (), collisions=(box,) if k % 2 else ())
    return link


def _joint(joint: Joint, part: str, k: int) -> Joint:
    if part in ("type", "", "root", "hung"):
        kind = TYPES[k] if part in ("type", "") else HANGING[k]
        joint = replace(joint, type=kind, limits=(), mimic=None if kind == "fixed" else joint.mimic)
    if part in ("origin", "", "root", "hung"):
        joint = replace(joint, origin=POSES[(k + 4) % VARIANTS if part in ("root", "hung") else k])
    if part in ("axes", "type", "", "root", "hung"):
        joint = replace(joint, axes=frozen(np.reshape([AXES[k], AXES[k - 1]][: joint.kind.axes], (-1, 3))))
    if part in ("limits", "type", "", "root", "hung"):
        joint = replace(joint, limits=LIMITS[k] * joint.kind.nv)
    if part in ("behaviour", "type", "", "root", "hung"):
        dynamics = (Dynamics(1.0, 0.1),) * joint.kind.nv if k % 2 else ()
        joint = replace(joint, dynamics=dynamics, safety=None, calibration=None)
    return joint


def _followers(parts: Parts, unknown: set[str], k: int) -> None:
    """Let joints whose leader is unknown follow another joint, or none; followers of what does not move are free."""
    joints = {joint.name: joint for joint in parts.joints}
    free = [joint.name for joint in parts.joints if joint.mimic is None and joint.kind.single]
    for i, joint in enumerate(parts.joints):
        if joint.name in unknown and k % 2 and joint.kind.single:
            leader = next((name for name in free if name not in unknown), None)
            parts.joints[i] = replace(joint, mimic=Mimic(leader) if leader else None)
        elif joint.mimic and not (joint.kind.single and joints[joint.mimic.joint].kind.single):
            parts.joints[i] = replace(joint, mimic=None)
    known = {joint.name for joint in parts.joints if joint.kind.single}
    parts.coupled_limits = [limit for limit in parts.coupled_limits if known.issuperset(limit.coefficients)]


def _rooted(parts: Parts, doubts: Collection[Doubt], k: int) -> None:
    """Hang the links that no joint of the file moves on another link, such as one that the file does not have. Those
    that may be the root are it in turn."""
    hung = {doubt.name: doubt.part for doubt in doubts if doubt.part in ("root", "hung")}
    unknown = {doubt.name for doubt in doubts if doubt.kind == "link" and not doubt.part}
    if not hung:
        return
    places = [i for i, joint in enumerate(parts.joints) if joint.name in hung]
    first = parts.joints[places[0]].parent
    roots = [first, *(parts.joints[i].child for i in places)]
    may_be = [first, *(parts.joints[i].child for i in places if hung[parts.joints[i].name] == "root")]
    top = may_be[k % len(may_be)]
    roots.remove(top)
    below, children = [top], dict[str, list[str]]()
    for joint in parts.joints:
        if joint.name not in hung:
            children.setdefault(joint.parent, []).append(joint.child)
    for link in below:
        below += children.get(link, ())
    ends = [link for link in below if link in unknown] or below[-1:]
    for j, (i, link) in enumerate(zip(places, roots, strict=True)):
        parts.joints[i] = replace(parts.joints[i], parent=ends[j % len(ends)] if k % 2 else top, child=link)

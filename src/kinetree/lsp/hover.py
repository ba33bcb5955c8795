"""Markdown about what stands at a place: a link, a joint, a macro, a property, and the rules of findings there."""

import os
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from itertools import islice
from math import degrees, isfinite

from kinetree.codes import CODES, page_of
from kinetree.display import number, visible
from kinetree.errors import Finding
from kinetree.lsp.answers import Hover
from kinetree.lsp.diagnostics import all_findings, span_of
from kinetree.lsp.model import Model
from kinetree.lsp.names import Name, fits, name_at
from kinetree.lsp.rename import occurrences
from kinetree.lsp.text import Position
from kinetree.model.robot import Frame, Joint, Link, Robot
from kinetree.rules.facts import poses
from kinetree.rules.profiles import rule_of
from kinetree.spatial.se3 import Array, rpy_from_rotation

MOST = 4
"""Most parts that are described, of those that a macro makes."""
PARTS = frozenset(("frames", "joints", "body", "joint", "site"))
"""Kinds of names of the parts that are described."""


def hover(models: Sequence[Model], file: str, position: Position) -> Hover | None:
    """Return what is known about a place of a file, or None."""
    model = models[0]
    text, scan = model.text(file), model.scan(file)
    if text is None or scan is None:
        return None
    offset = text.offset(position)
    name = name_at(model.names(file), offset)
    if name is None and (number_ := scan.at(offset)) >= 0 and offset < scan.tags[number_].stop:
        tags = [scan.tags[number_], *scan.above(number_)]  # of <limit>, what the joint around it is
        around = [n for tag in tags for one in tag.attributes if (n := name_at(model.names(file), one.start))]
        name = next((n for n in around if n.defines and n.kinds & PARTS), None)
        start, stop = tags[0].start, tags[0].stop
    elif name is not None:
        start, stop = name.start, name.stop
    else:
        return None
    parts = list(_about(models, name)) if name else []
    parts += [_rule(finding) for finding in _findings_at(model, file, position)]
    return Hover("\n\n---\n\n".join(parts), text.span(start, stop)) if parts else None


def _about(models: Sequence[Model], name: Name) -> Iterator[str]:
    """Yield what is known of a name."""
    if not name.kinds.isdisjoint(("macro", "property", "arg")):
        yield from islice(dict.fromkeys(_of_xacro(models, name)), MOST)
        return
    robots = dict.fromkeys(model.robot for model in models if model.robot)
    found = [text for robot in robots for text in _of_robot(robot, name)]
    if not robots and not name.kinds.isdisjoint(PARTS):
        yield f"{_code(name.text)}: open a file that makes a robot of this one to see where it is"
    yield from found[:MOST]
    if len(found) > MOST:
        yield f"… and {len(found) - MOST} more"


def _of_robot(robot: Robot, name: Name) -> Iterator[str]:
    """Yield descriptions of the parts of a robot with a name."""
    T: dict[str, Array] | None = None
    if not name.kinds.isdisjoint(("frames", "body", "site")):
        for frame in robot.frames.values():
            if fits(frame.name, name.text):
                T = poses(robot) if T is None else T
                yield about_frame(robot, frame, T[frame.name])
    if not name.kinds.isdisjoint(("joints", "joint")):
        for joint in (*robot.joints.values(), *robot.loops.values()):
            if fits(joint.name, name.text):
                T = poses(robot) if T is None else T
                yield about_joint(robot, joint, T.get(joint.child))


def about_frame(robot: Robot, frame: Frame, T_root_frame: Array) -> str:
    """Return Markdown about a link or a frame. T_root_frame (4, 4): its pose with all joints at zero."""
    link: Link | None = robot.links.get(frame.name)
    lines = [f"**{'link' if link else 'frame'}** {_code(frame.name)}"]
    if not link:
        lines.append(f"on link {_code(frame.link)}")
    lines.append("the root" if frame.name == robot.root else _pose(robot, T_root_frame))
    if link and link.inertial:
        lines.append(f"mass {number(link.inertial.mass, 4)} kg")
    return "\n\n".join(lines)


def about_joint(robot: Robot, joint: Joint, T_root_child: Array | None) -> str:
    """Return Markdown about a joint. T_root_child (4, 4): the pose of its child with all joints at zero."""
    lines = [f"**joint** {_code(joint.name)}: {joint.type}, {_code(joint.parent)} → {_code(joint.child)}"]
    if joint.axis is not None:
        lines.append(f"axis {', '.join(number(x, 4) for x in joint.axis)}")
    rotary = not joint.type.startswith("prismatic")
    for limit in joint.limits if joint.type != "fixed" else ():
        lines += list(_limit(limit.lower, limit.upper, limit.velocity, limit.effort, rotary))
    if joint.mimic:
        rule = f"{number(joint.mimic.multiplier, 4)} × it + {number(joint.mimic.offset, 4)}"
        lines.append(f"follows {_code(joint.mimic.joint)}: {joint.mimic if joint.mimic.higher else rule}")
    if T_root_child is not None:
        lines.append(f"{_code(joint.child)} is {_pose(robot, T_root_child)}")
    return "\n\n".join(lines)


def _limit(lower: float, upper: float, velocity: float, effort: float, rotary: bool) -> Iterator[str]:
    scale, unit, force = (degrees(1), "°", "N m") if rotary else (1000.0, " mm", "N")
    if isfinite(lower) or isfinite(upper):
        inside = f" ({number(lower, 4)} to {number(upper, 4)} rad)" if rotary else ""
        yield f"from {number(lower * scale, 4)}{unit} to {number(upper * scale, 4)}{unit}{inside}"
    more = [f"{number(velocity * scale, 4)}{unit}/s"] if isfinite(velocity) else []
    more += [f"{number(effort, 4)} {force}"] if isfinite(effort) else []
    if more:
        yield f"at most {', '.join(more)}"


def _pose(robot: Robot, T: Array) -> str:
    xyz = ", ".join(number(x, 4) for x in T[:3, 3])
    rpy = ", ".join(f"{number(degrees(x), 4)}°" for x in rpy_from_rotation(T[:3, :3]))
    return f"at {xyz} m, rpy {rpy} in {_code(robot.root)}, with all joints at zero"


def _of_xacro(models: Sequence[Model], name: Name) -> Iterator[str]:
    """Yield the definitions of a macro, a property or an argument."""
    for model, path, other in occurrences(models, name):
        scan = model.scan(path)
        if not other.defines or scan is None:
            continue
        tag = scan.tags[scan.at(other.start)]
        kind = next(iter(name.kinds))
        if tag.name == "xacro:macro" and kind == "property":
            yield f"**parameter** {_code(name.text)} of macro {_code(tag.get('name'))}: {_code(tag.get('params'))}"
        else:
            value = tag.get("params") or tag.get("value") or tag.get("default")
            yield f"**{kind}** {_code(name.text)}" + (f": {_code(value)}" if value else "")


def _findings_at(model: Model, file: str, position: Position) -> Iterator[Finding]:
    """Yield a finding of each rule at a position."""
    text, seen = model.text(file), set[str]()
    for finding in all_findings(model):
        if text is None or finding.code in seen or not finding.source or os.path.realpath(finding.source.file) != file:
            continue
        start, stop = span_of(finding, text)
        if start <= position <= stop:
            seen.add(finding.code)
            yield finding


def _rule(finding: Finding) -> str:
    """Return the page of a finding's rule: its title, reason, clause and where it is written."""
    rule = rule_of(finding.code)
    if rule is None:
        row = CODES[page_of(finding.code)]
        return f"**{finding.code}** {row.meaning}\n\n{row.remedy}\n\n[more]({finding.url})"
    why = cleandoc(rule.__doc__ or "").partition("\n")[2].strip()
    link = f"[{rule.level}]({rule.url})" if rule.url.startswith("http") else rule.level
    parts = (f"**{rule.code}** {rule.title()}", why, f"{link}: {rule.clause}", f"[more]({finding.url})")
    return "\n\n".join(filter(None, parts))


def _code(text: str) -> str:
    """Return a text of a file that Markdown shows as it is."""
    return f"`{visible(' '.join(text.split())).replace('`', chr(39))}`"

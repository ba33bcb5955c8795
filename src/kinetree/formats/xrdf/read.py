"""XRDF text onto a robot: limits, frames and a semantic description."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from kinetree.errors import Finding, KinetreeError, Source, nearest_names
from kinetree.formats.xrdf.values import SHAPE, Values
from kinetree.formats.xrdf.write import CSPACE, DEFAULT, TOOLS
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.frames import add_frame
from kinetree.model.names import Lookup
from kinetree.model.robot import Extension, Robot
from kinetree.model.semantic import (
    CollisionPair,
    Group,
    GroupState,
    JointValue,
    Member,
    Semantic,
    Sphere,
    SphereApproximation,
)
from kinetree.model.semantic_groups import groups_of, known_names, unknown, unknown_name
from kinetree.spatial.se3 import homogeneous, rotation_from_quaternion
from kinetree.syntax.yaml import Yaml, read_yaml_values

TIMES_LARGER = 20
"""How much larger than other YAML files it may be, for its spheres."""


def read_onto(robot: Robot, text: bytes, file: str, *, names: bool = True) -> tuple[Robot | None, list[Finding]]:
    """Return the robot with what an XRDF says of it, or None, and all findings. Never raises on content.

    Its joints and tools become the groups "cspace" and "tool_frames", its configuration the state "default", and frames
    that it adds are on the robot. Modifiers and sections that are not known are kept as they stand, too.
    names: whether names that do not exist are findings: errors in groups, else warnings.
    """
    try:
        roots = read_yaml_values(text, file, TIMES_LARGER)
    except KinetreeError as error:
        return None, [*error.findings]
    root = roots[0] if roots else Yaml(Source(file))
    if (word := root.get("format")) is None or word.text.lower() != "xrdf":
        return None, [Finding("xrdf", "error", "expected `format: xrdf`", root.source)]
    reader = _Reader(robot)
    found = reader.value(root, SHAPE, "XRDF")
    if found.get("format_version") not in ("1", "1.0"):
        reader.add("warning", "xrdf", f"format_version is {found.get('format_version')}; 1.0 is read", root)
    reader.modify(found.get("modifiers", ()))
    reader.limit(found.get(CSPACE, {}))
    semantic = replace(reader.semantic(found), extensions=(*reader.kept(root, text),))
    groups, faults = groups_of(semantic, reader.robot)
    known = known_names(semantic, reader.robot)
    outside = [one for one in unknown(semantic, reader.robot) if one.field != "groups"]
    faults += [Finding("unknown-name", "warning", unknown_name(x.kind, x.name, known), x.source) for x in outside]
    findings = [*reader.findings, *(faults if names else ())]
    if any(finding.severity == "error" for finding in findings):
        return None, findings
    semantic = semantic.joined(robot.semantic) if robot.semantic else semantic
    return replace(reader.robot, semantic=semantic, groups=Lookup("group", {**robot.groups, **groups})), findings


class _Reader(Values):
    """Reads sections onto a robot."""

    def __init__(self, robot: Robot) -> None:
        super().__init__()
        self.robot = robot

    def modify(self, modifiers: Any) -> None:
        """Add frames to the robot."""
        for key, value in ((key, value) for one in modifiers for key, value in one.items()):
            if key == "set_base_frame" and value != self.robot.root:
                message = f"the base frame is {value!r}; the root of the robot stays {self.robot.root!r}"
                self.add("info", "not-understood", message, key)
            if key != "add_frame":
                continue
            if (kind := value.get("joint_type", "FIXED")).upper() != "FIXED":
                self.add("warning", "not-understood", f"a frame on a joint of type {kind}; expected FIXED", key)
                continue
            pose = value.get("fixed_transform", {})
            turn = {"w": 1.0, "xyz": [0.0] * 3, **pose.get("orientation", {})}
            try:
                R = rotation_from_quaternion(np.array([*turn["xyz"], turn["w"]]))
                T = homogeneous(R, pose.get("position", [0.0] * 3))
                name, parent = (str(value.get(name, "")) for name in ("frame_name", "parent_frame_name"))
                made = add_frame(self.robot, name, parent, T)
                self.robot = replace(made, text=self.robot.text)
            except KinetreeError as error:
                self.findings += [replace(one, source=key.source, element="add_frame") for one in error.findings]

    def limit(self, cspace: Mapping[str, Any]) -> None:
        """Give joints their limits of acceleration and jerk."""
        parts, names = parts_of(self.robot), cspace.get("joint_names", [])
        joints = {joint.name: joint for joint in parts.joints}
        for key, values in ((key, own) for key, own in cspace.items() if key != "joint_names"):
            rate = key.removesuffix("_limits")
            if len(values) != len(names) or min(values, default=1.0) <= 0:
                message = f"{key} are {values}; expected {len(names)} numbers above 0, one for each of joint_names"
                self.add("error", "xrdf", message, key, CSPACE)
                continue
            for name, value in zip(names, values, strict=True):
                if name in joints and joints[name].kind.nq == 1:
                    limit = joints[name].limit
                    if (had := getattr(limit, rate)) not in (value, inf):
                        message = f"its limit of {rate} is {value:g}, not {had:g}"
                        self.add("info", "xrdf", message, key, f"joint {name!r}")
                    joints[name] = replace(joints[name], limits=(replace(limit, **{rate: value}),))
        parts.joints = [*joints.values()]
        self.robot = replace(build(parts), text=self.robot.text)

    def semantic(self, found: Mapping[str, Any]) -> Semantic:
        own, around, cspace = (found.get(key, {}) for key in ("self_collision", "collision", CSPACE))
        joints, tools = cspace.get("joint_names", ()), found.get(TOOLS, ())
        groups = {CSPACE: [Member("joint", str(name), source=name.source) for name in joints]}
        groups[TOOLS] = [Member("link", str(name), source=name.source) for name in tools]
        positions = found.get("default_joint_positions", {}).items()
        values = tuple(JointValue(str(name), (value,), name.source) for name, value in positions)
        pairs: dict[frozenset[str], CollisionPair] = {}
        for link, other in ((link, other) for link, others in own.get("ignore", {}).items() for other in others):
            pairs.setdefault(frozenset((link, other)), CollisionPair(str(link), str(other), source=other.source))
        return Semantic(
            self.robot.name,
            groups=tuple(Group(name, tuple(members)) for name, members in groups.items() if members),
            group_states=(GroupState(DEFAULT, "", values),) if values else (),
            disabled_collisions=tuple(pairs.values()),
            sphere_approximations=tuple(self.spheres(found.get("geometry", {}), own, around)),
        )

    def spheres(
        self, geometry: Any, own: Mapping[str, Any], around: Mapping[str, Any]
    ) -> Iterator[SphereApproximation]:
        """Yield the spheres of links that are tested against each other, else against the surroundings."""
        named = [one["geometry"] for one in (own, around) if "geometry" in one]
        for name in (name for name in named if name not in geometry):
            self.add(
                "error", "unknown-name", f"there is no geometry {name!r}; {nearest_names(name, [*geometry])}", name
            )
        chosen = [*named, *geometry][0] if named or geometry else ""
        for name in (name for name in geometry if name != chosen):
            self.add("warning", "left-out", f"the spheres {name!r} are not read and not kept; {chosen!r} are", name)
        spheres = geometry.get(chosen, {}).get("spheres", {})
        buffers = [one.get("buffer_distance", {}) for one in (around, own)]
        for link in (link for buffer in buffers for link in buffer if link not in spheres):
            self.add(
                "warning", "no-effect", f"the buffer_distance of {link!r}, which has no spheres, is not kept", link
            )
        for link, balls in spheres.items():
            made = tuple(Sphere(tuple(ball.get("center", (0.0,) * 3)), ball.get("radius", 0.0)) for ball in balls)
            yield SphereApproximation(
                str(link), made, buffers[0].get(link, 0.0), buffers[1].get(link, 0.0), source=link.source
            )

    def kept(self, root: Yaml, text: bytes) -> Iterator[Extension]:
        """Yield the sections that are not read, as they stand."""
        lines = text.decode("utf-8-sig", "replace").splitlines()
        starts = sorted({value.source.line or 1 for _, value in root.items})
        for key, value in root.items:
            line = value.source.line or 1
            end = next((start for start in starts if start > line), len(lines) + 1)
            if key not in SHAPE:
                self.add("info", "not-understood", f"{key!r} is not understood; it is kept unchanged", value)
            if key == "modifiers" or key not in SHAPE:
                yield Extension("xrdf", key, "\n".join(lines[line - 1 : end - 1]).rstrip(), value.source)

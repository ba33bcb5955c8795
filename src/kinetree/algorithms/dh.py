"""Denavit-Hartenberg parameters of any chain of revolute and prismatic joints (Craig, Introduction to Robotics, ch. 3).

Where the axes leave a choice: the origin of the first frame is the foot of the perpendicular from the base's origin to
the first axis, and the frame is turned the shortest way; for later frames see `spatial.dh.common_normal`. A prismatic
axis only has a direction, so it is laid through its joint's origin. Nearly parallel axes have a distant common normal,
whose numbers lose precision, so a constant row goes between them. Base and tool take the rest: every chain has
parameters.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import NamedTuple

import numpy as np

from kinetree.algorithms.kinematics import body_poses
from kinetree.algorithms.serial import SerialChain, check_kind
from kinetree.algorithms.vectors import decimal, right_angle
from kinetree.model.dh import Convention, DHChain, DHRow, DHShape, DHTable
from kinetree.model.edit.merge import combined
from kinetree.model.robot import Frame, Geometry, Inertial, Joint, Link, Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial import se3
from kinetree.spatial.dh import Normal, common_normal, sine_between, x_screw
from kinetree.spatial.se3 import Array, frozen

PARALLEL = 1e-13
"""Default of the largest sine at which axes count as parallel."""
NEARLY_PARALLEL = 1e-3
"""Sine below which axes get a constant row between them: their common normal would lose three digits or more."""


class Line(NamedTuple):
    """The axis of a joint: a point on it and its unit vector, in the base with all joints at zero."""

    point: Array
    direction: Array


@dataclass(frozen=True, slots=True, eq=False)
class DHExtraction:
    """The parameters of a chain, with their error.

    residual: the largest deviation of an entry of T_base_tip over random q (rotation entries, and metres).
    constant_rows: the rows put between nearly parallel axes.
    """

    chain: DHChain
    residual: float

    @property
    def constant_rows(self) -> tuple[int, ...]:
        """Numbers, from 1, of the rows without a joint."""
        return tuple(i for i, row in enumerate(self.chain.rows, 1) if row.type == "fixed")


def extract_dh(
    chain: SerialChain, convention: Convention = "dh", *, parallel: float = PARALLEL, samples: int = 50
) -> DHExtraction:
    """Return the parameters of a serial chain. Each row uses its own joint's number, followers included."""
    lines = [Line(joint.T[:3, 3], joint.direction) for joint in chain.joints]
    F = _first_frame(lines[0]) if lines else se3.IDENTITY
    normals, _, tool = _normals(F, lines, chain.T_tip, parallel)
    names = {joint.joint.name for joint in chain.joints}
    heads = [_head(joint.joint, names) for joint in chain.joints]
    rows, tool = _rows(heads, normals, tool, convention)
    found = DHChain("", convention, rows, frozen(F), frozen(tool), tip=chain.tip)
    q = np.random.default_rng(0).uniform(-pi, pi, (samples, len(lines)))
    residual = max(float(np.abs(found.transform(row) - chain.transform(row)).max()) for row in q)
    return DHExtraction(found, residual)


def dh_table(robot: Robot, convention: Convention) -> DHTable:
    """Return the whole robot as chains that share joints, one for each last body. Every frame keeps its name and its
    pose; links on fixed joints become frames, except for `measured_cuts`, and their masses go to the link below."""
    tree = build_tree(robot)
    extraction = _TreeExtraction(robot, tree, convention)
    ends = [i for i in range(len(tree.joints)) if i not in tree.parent]
    chains = tuple(extraction.chain(end) for end in ends) or (DHChain("robot", convention, (), frames=False),)
    frames = tuple(extraction.frame(name) for name in robot.frames if name not in extraction.links)
    natural = tuple(row.joint for chain in chains for row in chain.joints)
    moving = tuple(dict.fromkeys(name for name in natural if name in robot.joint_names))
    order = () if moving == robot.joint_names else robot.joint_names
    whole = ((joint, frozen(joint.origin @ joint.child_origin)) for joint in measured_cuts(robot))
    fixed = tuple(replace(joint, origin=T, child_origin=se3.IDENTITY) for joint, T in whole)
    sensors, groups = tuple(robot.sensors.values()), dict(robot.groups)
    coupled = tuple(robot.coupled_limits)
    shapes = tuple(
        _shape(link.name, one, use)
        for link in robot.links.values()
        for use, own in (("visual", link.visuals), ("collision", link.collisions))
        for one in own
    )
    links = extraction.weighed_links()
    return DHTable(robot.name, robot.root, chains, frames, sensors, groups, order, fixed, coupled, shapes, links)


def _shape(link: str, drawn: Geometry, use: str) -> DHShape:
    """Return a sphere or a cylinder of a link."""
    sizes, (middle, axis) = drawn.shape.parameters, (drawn.origin[:3, 3], drawn.origin[:3, 2])
    half = float(str(sizes["length"])) / 2 * axis if drawn.shape.kind == "cylinder" else 0.0 * axis
    end = middle + half if drawn.shape.kind == "cylinder" else None
    return DHShape(link, float(str(sizes["radius"])), middle - half, end, capped=end is None, use=use)


def table_links(robot: Robot) -> frozenset[str]:
    """Return the links of a robot that stay links in its table; its other links become frames there."""
    joints = [joint for joint in robot.joints.values() if joint.kind.nq]
    return frozenset((robot.root, *(joint.child for joint in (*joints, *measured_cuts(robot)))))


def measured_cuts(robot: Robot) -> tuple[Joint, ...]:
    """Return the fixed joints that sensors measure and those before them on the body, in order from its first link. A
    joint is included only if all joints that move from this body are behind it, so that it cuts one link in two."""
    measured = {sensor.joint for sensor in robot.sensors.values()}
    to_measured: dict[str, list[list[Joint]]] = {}  # first link of a body: the fixed joints on the way to each
    to_moving: dict[str, list[list[Joint]]] = {}
    for joint in robot.joints.values():
        ways = to_moving if joint.kind.nq else to_measured
        if joint.kind.nq or joint.name in measured:
            first, way = _way_on_body(robot, joint.parent)
            ways.setdefault(first, []).append(way if joint.kind.nq else [*way, joint])
    cuts: list[Joint] = []
    for first, wanted in to_measured.items():
        longest = max(wanted, key=len)
        for k, joint in enumerate(longest):
            one_way = all(way[k] is joint for way in wanted if len(way) > k)
            if not (one_way and all(joint in way for way in to_moving.get(first, ()))):
                break
            cuts.append(joint)
    return tuple(cuts)


def _way_on_body(robot: Robot, link: str) -> tuple[str, list[Joint]]:
    """Return the first link of the body that contains a link, and the fixed joints from there to the link."""
    way: list[Joint] = []
    while (joint := robot.parent_joint(link)) and not joint.kind.nq:
        way.insert(0, joint)
        link = joint.parent
    return link, way


class _TreeExtraction:
    """Extraction of the chains of a tree, one by one; a later chain starts at the last joint that it shares."""

    def __init__(self, robot: Robot, tree: Tree, convention: Convention) -> None:
        self.robot, self.tree = robot, tree
        self.convention = convention
        self.P = body_poses(tree)
        self.links = table_links(robot)
        self.F: dict[int, Array] = {}  # body: its joint's frame in the root, all joints at zero
        self.rows: dict[int, DHRow] = {}  # body: the row in which its joint stood first

    def chain(self, end: int) -> DHChain:
        bodies = [end]
        while bodies[0] not in self.F and self.tree.parent[bodies[0]] >= 0:
            bodies.insert(0, self.tree.parent[bodies[0]])
        joints = [self.robot.joints[self.tree.joints[i]] for i in bodies]
        for joint in joints:
            check_kind(joint)
        lines = [Line(self.P[i][:3, 3], self.P[i][:3, :3] @ j.axes[0]) for i, j in zip(bodies, joints, strict=True)]
        shared = self.rows.get(bodies[0])
        F = _first_frame(lines[0]) if shared is None else self.F[bodies[0]]
        T_end = self.P[end] @ joints[-1].child_origin
        normals, frames, tool = _normals(F, lines, T_end, PARALLEL)
        for i, frame in zip(bodies, frames, strict=True):
            self.F.setdefault(i, frame)
        heads = [self.head(i, joint) for i, joint in zip(bodies, joints, strict=True)]
        if shared is not None:
            heads[0] = DHRow(type=shared.type, joint=shared.joint)
        start = (0.0, 0.0) if shared is None else (shared.alpha, shared.a)
        rows, tool = _rows(heads, normals, tool, self.convention, start)
        for row in rows:
            if row.type != "fixed":
                self.rows.setdefault(self.tree.joints.index(row.joint), row)
        base = F if shared is None else se3.IDENTITY
        name = self.robot.joints[self.tree.joints[end]].child
        return DHChain(name, self.convention, rows, frozen(base), frozen(tool), has_base=shared is None, frames=False)

    def head(self, body: int, joint: Joint) -> DHRow:
        link_frame = _rounded_pose(se3.inverse(self.F[body]) @ self.P[body] @ joint.child_origin)
        return replace(_head(joint, self.robot.joints), link=joint.child, link_frame=link_frame)

    def frame(self, name: str) -> Frame:
        """Return an extra frame, on the nearest link of the table."""
        link = self.robot.frames[name].link
        while link not in self.links and (joint := self.robot.parent_joint(link)):
            link = joint.parent
        (_, T_body_link), (_, T_body_frame) = self.tree.frames[link], self.tree.frames[name]
        pose = _rounded_pose(se3.inverse(T_body_link) @ T_body_frame)
        return Frame(name, link, pose, unplaced=self.robot.frames[name].unplaced)

    def weighed_links(self) -> tuple[Link, ...]:
        """Return the links of the table that have a mass, with that of the links that become frames on them."""
        bodies: dict[str, list[Inertial]] = {}
        for name, link in self.robot.links.items():
            if link.inertial and name in self.links:
                bodies.setdefault(name, []).append(link.inertial)
            elif link.inertial:
                frame, inertial = self.frame(name), link.inertial
                moved = replace(inertial, origin=frozen(frame.origin @ inertial.origin))
                bodies.setdefault(frame.link, []).append(moved)
        return tuple(Link(name, combined(inertials, name)) for name, inertials in bodies.items())


def _head(joint: Joint, names: Collection[str]) -> DHRow:
    """Return a row without its numbers. A follower whose leader is not in the chain counts by its own number."""
    mimic = joint.mimic if joint.mimic and joint.mimic.joint in names else None
    return DHRow(
        type=joint.type,
        joint=joint.name,
        limits=joint.limits,
        dynamics=joint.dynamics,
        mimic=mimic,
        source=joint.source,
    )


def _first_frame(line: Line) -> Array:
    """Return the frame with z along the line, turned the shortest way from the base, at the foot of its origin."""
    R = se3.rotation_between((0.0, 0.0, 1.0), line.direction)
    foot = line.point - (line.point @ line.direction) * line.direction
    return _rounded_pose(se3.homogeneous(R, foot))


def _normals(
    F: Array, lines: Sequence[Line], T_end: Array, parallel: float
) -> tuple[list[list[Normal]], list[Array], Array]:
    """Return each joint's common normals to what follows, each joint's frame, and the tool from the last frame to
    T_end. A joint has one normal, or two with a constant row between. F lies on the first line."""
    normals: list[list[Normal]] = []
    frames: list[Array] = []
    for i in range(len(lines)):
        frames.append(F)
        steps = _steps(F, lines[i + 1], parallel) if i + 1 < len(lines) else [_last(F, T_end)]
        normals.append(steps)
        for step in steps:
            F = F @ step.transform
    return normals, frames, _rounded_pose(se3.inverse(F) @ T_end)


def _steps(F: Array, line: Line, parallel: float) -> list[Normal]:
    """Return the normals from F to a frame whose z lies on the line."""
    point, direction = _inside(F, line)
    if not parallel < sine_between(direction) < NEARLY_PARALLEL:
        return [_rounded(common_normal(point, direction, parallel))]
    # via a line from the origin towards the foot of the normal, nearly perpendicular to both
    foot = point - (point @ direction) * direction
    length = float(np.hypot(foot[0], foot[1]))
    across = np.array([foot[0], foot[1], 0.0]) / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
    first = _rounded(common_normal(np.zeros(3), across, parallel))
    return [first, _rounded(common_normal(*_inside(F @ first.transform, line), parallel))]


def _last(F: Array, T_end: Array) -> Normal:
    """Return the normal from the last joint towards the end, as far as four numbers reach."""
    T = se3.inverse(F) @ T_end
    free = (float(np.arctan2(T[1, 0], T[0, 0])), float(T[2, 3]))
    return _rounded(common_normal(T[:3, 3], T[:3, 2], NEARLY_PARALLEL, free))


def _inside(F: Array, line: Line) -> Line:
    """Return the line in the coordinates of F."""
    R = F[:3, :3].T
    return Line(R @ (line.point - F[:3, 3]), R @ line.direction)


def _rows(
    heads: Sequence[DHRow],
    normals: Sequence[Sequence[Normal]],
    tool: Array,
    convention: Convention,
    start: tuple[float, float] = (0.0, 0.0),
) -> tuple[tuple[DHRow, ...], Array]:
    """Return the rows and the tool. The standard convention takes Z and X of one normal. The modified one takes Z with
    the X before it, `start` (alpha, a) for the first row, and the last X goes to the tool."""
    rows: list[DHRow] = []
    alpha, a = start
    for head, steps in zip(heads, normals, strict=True):
        for k, step in enumerate(steps):
            row = head if k == 0 else DHRow(type="fixed")
            own_alpha, own_a = (step.alpha, step.a) if convention == "dh" else (alpha, a)
            rows.append(replace(row, a=own_a, d=step.d, alpha=own_alpha, theta=step.theta))
            alpha, a = step.alpha, step.a
    if convention == "mdh" and rows:
        tool = _rounded_pose(x_screw(alpha, a) @ tool)
    return tuple(rows), tool


def _rounded(normal: Normal) -> Normal:
    """Return the normal without rounding errors that hide a decimal number or a right angle."""
    theta, d, a, alpha = normal
    return Normal(right_angle(theta), decimal(d), decimal(a), right_angle(alpha))


def _rounded_pose(T: Array) -> Array:
    """Return T with the entries that are 0, 1 or -1 up to rounding set to them."""
    nearest = np.round(T)
    return frozen(np.where(np.abs(T - nearest) < 1e-15, nearest + 0.0, T))

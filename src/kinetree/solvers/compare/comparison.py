"""Comparison of two robots, apart from their names, and distances between their frames."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import degrees, pi, radians
from typing import Literal

import numpy as np

from kinetree.algorithms.kinematics import body_poses, forward_kinematics
from kinetree.arguments import explain_type_errors
from kinetree.display import Displayable, counted, number as as_text, visible
from kinetree.errors import fail
from kinetree.model.edit.subtree import cut
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.progress import Progress, reporting, tracked
from kinetree.solvers.compare.bodies import BASE, Match, Pair, apart
from kinetree.solvers.compare.contents import (
    compare_frames,
    compare_inertias,
    compare_limits,
    compare_loops,
    compare_sensors,
)
from kinetree.solvers.compare.difference import Difference, Sides, elsewhere
from kinetree.solvers.compare.drives import compare_actuators, compare_postures
from kinetree.solvers.compare.passive import compare_dynamics
from kinetree.solvers.compare.surfaces import compare_surfaces
from kinetree.spatial.se3 import Array

CONVENTION = radians(30)
"""Angle above which a frame differs by convention rather than by mistake."""


@dataclass(frozen=True, slots=True)
class Distance:
    """(m, rad) between a frame of the first robot and that of the same name in the second: with all joints at zero, and
    the largest of each, random configurations included."""

    at_zero: tuple[float, float]
    largest: tuple[float, float]


def frame_distances(sides: Sides, samples: int) -> dict[str, Distance]:
    """Return the distance for every frame name that both robots have.

    Poses are relative to the first robot's root if the second has that frame, else to each robot's root. Joints have
    equal values, within the ranges of both.
    """
    names = [name for name in sides.tree_a.frames if name in sides.tree_b.frames]
    base = sides.robot_a.root if sides.robot_a.root in sides.tree_b.frames else sides.robot_b.root
    rng = np.random.default_rng(0)
    found = np.zeros((samples + 1, len(names), 2))
    for k in tracked(range(samples + 1), "comparing poses of frames"):
        q_a, q_b = _configurations(sides, rng if k else None)
        poses_a = forward_kinematics(sides.tree_a, q_a, names, sides.robot_a.root)
        poses_b = forward_kinematics(sides.tree_b, q_b, names, base)
        for i, (A, B) in enumerate(zip(poses_a, poses_b, strict=True)):
            found[k, i] = apart(A, B)
    zero, largest = found[0].tolist(), found.max(axis=0).tolist()
    return {name: Distance((z[0], z[1]), (w[0], w[1])) for name, z, w in zip(names, zero, largest, strict=True)}


def distance_table(distances: Mapping[str, Distance], tolerance: float) -> list[str]:
    """Return the lines of a table, in mm and degrees, of the frames that are further apart than the tolerance.

    Frames with a large rotation come last: a link's own frame often follows another convention.
    """
    shown = {name: d for name, d in distances.items() if max(d.largest) > tolerance}
    if not shown:
        return []
    width = max(map(len, shown))
    lines = ["frames of the same name, joints at the same values", f"  {'':{width}}   all at zero         at most"]
    lines.append(f"  {'':{width}}      mm     deg      mm     deg")
    for name, distance in sorted(shown.items(), key=lambda item: item[1].at_zero[1] > CONVENTION):
        numbers = [(1000 * metres, degrees(radians)) for metres, radians in (distance.at_zero, distance.largest)]
        lines.append(f"  {name:{width}}" + "".join(f" {mm:7.2f} {deg:7.2f}" for mm, deg in numbers))
    rest = len(distances) - len(shown)
    return [*lines, f"  {rest} more agree"] if rest else lines


def _configurations(sides: Sides, rng: np.random.Generator | None) -> tuple[Array, Array]:
    """Return q of both robots with equal values for each pair of joints of one coordinate, all zero without `rng`."""
    q_a, q_b = sides.robot_a.zero.copy(), sides.robot_b.zero.copy()
    for pair in sides.leaders:
        if rng is None or sides.tree_a.joint_type[pair.a].nq != 1:
            continue
        joints = sides.robot_a.joints[sides.tree_a.joints[pair.a]], sides.robot_b.joints[sides.tree_b.joints[pair.b]]
        low, high = _range(*joints)
        q_a[sides.tree_a.q_slice[pair.a]] = q_b[sides.tree_b.q_slice[pair.b]] = rng.uniform(low, high)
    return q_a, q_b


def _range(a: Joint, b: Joint) -> tuple[float, float]:
    """Return the range that both joints allow, within half a turn or a metre to either side."""
    reach = pi if a.kind.angular[0] else 1.0
    low = max(a.limit.lower, b.limit.lower, -reach)
    high = min(a.limit.upper, b.limit.upper, reach)
    return (low, high) if low <= high else (0.0, 0.0)


MOST_SAMPLES = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Displayable):
    """Result of `compare`.

    same: if every joint has the value of the joint that it is matched with, all bodies, frames and sensors have equal
        poses in the root frames; so are inertias, limits, actuators and postures, if both robots have them. Values go
        by joint, not by index in q: another order of q is a remark. With base="any" the root frames may differ.
    same_mechanism: the bodies move alike; names, signs and zeros of joints, the root frame, frames, inertias and limits
        may differ.
    differences: everything found; remarks do not count against `same`.
    joints: from joints of the first robot to those of the second, for all that are matched.
    links: likewise from the links that these joints carry, and from root to root.
    frames: distance between frames of the same name, with equal joint values.
    pose_error: (m, rad), the largest error of a body's pose in the second robot over random configurations, with signs
        and zeros of the joints and constants between body frames taken into account.
    """

    same: bool
    same_mechanism: bool
    differences: tuple[Difference, ...]
    joints: Mapping[str, str] = field(default_factory=dict)
    pose_error: tuple[float, float] = (0.0, 0.0)
    frames: Mapping[str, Distance] = field(default_factory=dict)
    tolerance: float = 0.0
    links: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        n = sum(difference.counts for difference in self.differences)
        return f"Comparison: {self.verdict}; {counted(n, 'difference')}, {counted(len(self.differences) - n, 'remark')}"

    @property
    def verdict(self) -> str:
        """Say in words whether the robots are the same."""
        verdict = "the same robot" if self.same else "not the same robot"
        if self.same_mechanism and not self.same:
            verdict += ", but the same mechanism"
        if self.same_mechanism and any(one.kind == "base" and "frame" in one.element for one in self.differences):
            verdict += " on another base"
        return verdict

    def __str__(self) -> str:
        lines = [self.verdict]
        in_table = {f"frame {name!r}" for name in self.frames}
        counted = [d for d in self.differences if d.counts and not (d.kind == "frame" and d.element in in_table)]
        lines += [f"  {difference}" for difference in counted]
        lines += [f"  remark: {difference}" for difference in self.differences if not difference.counts]
        if not self.same_mechanism:
            metres, radians = self.pose_error
            lines.append(f"  bodies stand up to {as_text(metres)} m and {as_text(degrees(radians))} deg elsewhere")
        lines += distance_table(self.frames, self.tolerance)
        return "\n".join(map(visible, lines))


@explain_type_errors
def compare(
    a: Robot,
    b: Robot,
    *,
    base: Literal["same", "any"] = "same",
    tolerance: float = 1e-5,
    relative: float = 1e-5,
    samples: int = 20,
    progress: Progress = False,
) -> Comparison:
    """Compare two robots, apart from names, and return all their differences.

    Joints are matched by name if both robots have the name, otherwise by their place in the tree and their axes. Fixed
    joints and the choice of body frames do not matter, so a link without mass on a fixed joint equals an extra frame. A
    joint with the opposite sign or another zero is reported as such. A root that floats equals one that nothing holds.
    Shapes, materials and elements of other tools are not compared.

    Args:
        base: with "any" a constant between the two root frames is a remark, as between a URDF and a DH table whose base
            frame lies on the first axis; otherwise it makes them different robots.
        tolerance: of poses, in m and rad; the default allows for a file that writes a quarter turn as 1.5708.
        relative: of masses, inertias, limits, damping and the like, as a fraction of the larger.
        samples: number of random configurations for `pose_error`.
        progress: True for a bar, or a function of the number of steps done and their total.

    Examples:
        >>> import kinetree as kt
        >>> a = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> b = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.31)")
        >>> print(kt.compare(a, b))
        not the same robot, but the same mechanism
        frames of the same name, joints at the same values
                all at zero         at most
                   mm     deg      mm     deg
          tip   10.00    0.00   10.00    0.00
          3 more agree
    """
    if base not in ("same", "any"):
        raise fail("base", f"base={base!r} is not legal; expected 'same' or 'any'")
    a, b, floats = _on_one_base(a, b)
    tree_a, tree_b = build_tree(a), build_tree(b)
    for name, value in (("tolerance", tolerance), ("relative", relative)):
        if not 0 < value < np.inf:
            raise fail("tolerance", f"{name} is {value}; expected a finite number above 0")
    if not 1 <= samples <= MOST_SAMPLES:
        raise fail("samples", f"samples is {samples}; expected whole numbers from 1 to {MOST_SAMPLES}")
    match = Match(tree_a, tree_b, tolerance, relative, base == "any")
    pairs = match.pairs()
    sides = Sides(a, b, tree_a, tree_b, pairs, tolerance, relative)
    motion = [*_left_over(sides), *_couplings(sides), *compare_loops(sides)]
    motion += [_other_motion(sides, pair) for pair in pairs if match.differs(pair)]
    differences = [
        *floats,
        *motion,
        *_coordinates(sides),
        *_order(sides),
        *_base(sides, counts=base == "same"),
        *compare_limits(sides),
        *compare_inertias(sides),
        *compare_frames(sides),
        *compare_sensors(sides),
        *compare_dynamics(sides),
        *compare_surfaces(sides),
        *compare_actuators(sides),
        *compare_postures(sides),
    ]
    with reporting(progress):
        distances = _pose_error(sides, samples), frame_distances(sides, samples)
    return Comparison(
        not any(difference.counts for difference in differences),
        not motion,
        tuple(differences),
        sides.joints,
        *distances,
        tolerance,
        {a.root: b.root} | {a.joints[one].child: b.joints[other].child for one, other in sides.joints.items()},
    )


def _on_one_base(a: Robot, b: Robot) -> tuple[Robot, Robot, list[Difference]]:
    """Return both robots with a remark, one of them without its world if it floats there and nothing holds the other.
    The root of a URDF may float or stand."""
    joints_a, joints_b = ([one for one in robot.joints.values() if one.parent == robot.root] for robot in (a, b))
    floats_a, floats_b = ([one.type for one in joints] == ["floating"] for joints in (joints_a, joints_b))
    if floats_a == floats_b or (b if floats_a else a).root == "world":
        return a, b, []
    (joint,), which, other = (joints_a, "first", "second") if floats_a else (joints_b, "second", "first")
    message = f"the {which} robot floats by it; nothing holds the root of the {other}, which can float as well"
    said = [Difference("base", f"joint {joint.name!r}", message, counts=False)]
    return (cut(a, joint.child), b, said) if floats_a else (a, cut(b, joint.child), said)


def _left_over(sides: Sides) -> list[Difference]:
    """Return joints that only one robot has; joints carried by these are counted, not listed."""
    found = []
    for tree, which, other, place in (
        (sides.tree_a, "first", sides.tree_b, [pair.a for pair in sides.pairs]),
        (sides.tree_b, "second", sides.tree_a, [pair.b for pair in sides.pairs]),
    ):
        lost = [i for i in range(len(tree.joints)) if i not in place]
        for i in lost:
            if tree.parent[i] in lost:
                continue
            message = f"only the {which} robot has it"
            if tree.joints[i] in other.joints:
                message = f"in the {which} robot it is on another body, or of another type"
            below = sum(_carries(tree, i, k) for k in lost)
            if below:
                message += f", with {counted(below, 'joint')} behind it"
            found.append(Difference("joint", f"joint {tree.joints[i]!r}", message))
    return found


def _carries(tree: Tree, i: int, k: int) -> bool:
    while (k := tree.parent[k]) > i:
        pass
    return k == i


def _other_motion(sides: Sides, pair: Pair) -> Difference:
    """Return the difference of the axes of two joints, in the body that carries them."""
    label = sides.joint_label(pair)
    a, b = sides.robot_a.joints[sides.tree_a.joints[pair.a]], sides.robot_b.joints[sides.tree_b.joints[pair.b]]
    if a.kind.nq != b.kind.nq or a.kind.axes != b.kind.axes or np.isinf(pair.error):
        return Difference("axis", label, f"is {a.type}, in the second robot {b.type}")
    T_ab = sides.parent(pair).T_ab
    T_a, T_b = sides.tree_a.T_tree[pair.a], T_ab @ sides.tree_b.T_tree[pair.b]
    if not a.kind.axes:
        distance = float(np.linalg.norm(T_a[:3, 3] - T_b[:3, 3]))
        return Difference("axis", label, f"is {as_text(distance)} m away, or turned", distance)
    u, v = T_a[:3, :3] @ a.axes[0], T_b[:3, :3] @ b.axes[0] * pair.sign
    angle = float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
    distance = float(np.linalg.norm(np.cross(u, T_b[:3, 3] - T_a[:3, 3])))  # at the second joint's origin
    said = []
    if angle > sides.tolerance:
        said.append(f"its axis is tilted by {as_text(degrees(angle))} deg")
    if distance > sides.tolerance and a.kind.turns:
        said.append(f"its axis is {as_text(distance)} m away")
    if a.kind.has_pitch and abs(a.pitch - b.pitch) > sides.tolerance:
        said.append(f"its pitch is {as_text(a.pitch, 6)} and {as_text(b.pitch, 6)} m/rad")
    return Difference("axis", label, " and ".join(said) or "moves differently", max(angle, distance))


def _coordinates(sides: Sides) -> list[Difference]:
    """Return joints whose coordinate has another sign or another zero."""
    found = []
    for pair in sides.moving:
        if pair.sign < 0:
            message = "has the opposite sign: the same motion about the opposite axis"
            found.append(Difference("sign", sides.joint_label(pair), message))
        if abs(pair.offset) > sides.tolerance:
            turns = sides.tree_a.joint_type[pair.a].angular[0]
            amount = f"{as_text(degrees(pair.offset), 6)} deg" if turns else f"{as_text(pair.offset, 6)} m"
            message = f"has another zero: the second robot reads {amount} where the first reads 0"
            found.append(Difference("zero", sides.joint_label(pair), message, pair.offset))
    return found


def _order(sides: Sides) -> list[Difference]:
    """Return a remark if q has another order, with the first joint that differs; unmatched joints are skipped."""
    other = {sides.tree_b.joints[pair.b]: sides.tree_a.joints[pair.a] for pair in sides.leaders}
    order_b = [other[name] for name in sides.robot_b.joint_names if name in other]
    order_a = [name for name in sides.robot_a.joint_names if name in other.values()]
    for one, two in zip(order_a, order_b, strict=True):
        if one != two:
            message = (
                f"is ordered otherwise: the first robot has joint {one!r} where the second has {sides.joints[two]!r}"
            )
            return [Difference("order", "q", message, counts=False)]
    return []


def _base(sides: Sides, *, counts: bool) -> list[Difference]:
    """Return the constant between the root frames as a difference, if it is not the identity."""
    T_ab = sides.by_a[BASE].T_ab
    if max(apart(T_ab, np.eye(4))) <= sides.tolerance:
        return []
    message, amount = elsewhere(np.eye(4), T_ab, sides.tolerance)
    label = f"frame {sides.robot_a.root!r}"
    return [Difference("base", label, f"the root frame of the second robot {message}", amount, counts)]


def _couplings(sides: Sides) -> list[Difference]:
    """Return followers that follow another joint, or with another factor or offset."""
    found = []
    number = {name: i for i, name in enumerate(sides.tree_a.joints)}
    for pair in sides.moving:
        a, b = sides.tree_a, sides.tree_b
        leader_a = mimic_polynomial(sides.robot_a, a.joints[pair.a])[0]  # itself, unless it is a follower
        leader_b = mimic_polynomial(sides.robot_b, b.joints[pair.b])[0]
        lead = sides.by_a.get(number[leader_a])
        if lead is None:
            continue  # the leader is unmatched, which is reported elsewhere
        if b.joints[lead.b] != leader_b:
            ours = "leads" if lead is pair else f"follows {leader_a!r}"
            theirs = "leads" if leader_b == b.joints[pair.b] else f"follows {leader_b!r}"
            message = f"{ours} in the first robot, {theirs} in the second"
            found.append(Difference("mimic", sides.joint_label(pair), message))
            continue
        if lead is pair:
            continue
        if a.higher[pair.a] != b.higher[pair.b]:
            message = f"follows {leader_a!r} by different polynomials, or by one in one robot alone"
            found.append(Difference("mimic", sides.joint_label(pair), message))
            continue
        # q_b = s q_a + o for the follower (s, o) and the leader (t, w): m_b (t l + w) + c_b = s (m_a l + c_a) + o
        slope = pair.sign * a.multiplier[pair.a] - b.multiplier[pair.b] * lead.sign
        shift = pair.sign * a.offset[pair.a] + pair.offset - b.multiplier[pair.b] * lead.offset - b.offset[pair.b]
        if abs(slope) > sides.relative * max(1.0, abs(a.multiplier[pair.a])) or abs(shift) > sides.tolerance:
            message = (
                f"follows {leader_a!r} as {as_text(a.multiplier[pair.a], 6)} q + {as_text(a.offset[pair.a], 6)} in the "
                f"first robot, {as_text(b.multiplier[pair.b], 6)} q + {as_text(b.offset[pair.b], 6)} in the second"
            )
            found.append(Difference("mimic", sides.joint_label(pair), message, max(abs(slope), abs(shift))))
    return found


def _pose_error(sides: Sides, samples: int) -> tuple[float, float]:
    """Return the largest errors of matched bodies' poses, in m and rad, at random configurations."""
    rng = np.random.default_rng(0)
    metres = radians = 0.0
    T_root = sides.by_a[BASE].T_ab
    for _ in tracked(range(samples), "comparing poses of bodies"):
        q_a = rng.uniform(-np.pi, np.pi, sides.tree_a.nq)
        T_a, T_b = body_poses(sides.tree_a, q_a), body_poses(sides.tree_b, sides.q_b(q_a))
        for pair in sides.moving:
            A, B = T_a[pair.a] @ pair.T_ab, T_root @ T_b[pair.b]
            here = apart(A, B)
            metres, radians = max(metres, here[0]), max(radians, here[1])
    return metres, radians

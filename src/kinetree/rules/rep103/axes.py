"""Rules about right-handed frames with the axes of REP-103: bodies, cameras, and north, east, down."""

import re
from collections.abc import Collection, Iterable, Iterator
from math import prod

import numpy as np

from kinetree.rules.quality import Shapes
from kinetree.rules.rep103.clause import Rep103
from kinetree.rules.rule import Array, Bodies, Found, Poses, Robot, Threshold, number

NEAR = Threshold(0.05, "rad", "largest turn of the frame from its place, since cameras are calibrated")
OPTICAL = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
"""R_body_optical, which is rpy(-π/2, 0, -π/2): z forward, x right, y down, where the body has x forward, y left."""
ALONG = Threshold(0.5, "cosine", "largest angle between a direction and its axis")

# Texts that stand for left and for right in names, and for front and for rear: words anywhere, letters on their own.
LEFT = ((r"left", "right"), (r"(?<![a-z0-9])([frbh]?)l([frbh]?)(?![a-z0-9])", r"\1r\2"))
FRONT = (
    *(("front", rear) for rear in ("rear", "back", "hind")),
    *((r"(?<![a-z0-9])(?:([lr])f|f([lr]))(?![a-z0-9])", rf"\1{rear}\2") for rear in "rbh"),
)
FINGERS = re.compile(r"finger|knuckle|thumb")
"""Parts that are left or right of something other than the robot."""
WORLDS = ("world", "ground", "map")
"""Roots that are not bodies."""
SIDES = (("left", "right", "y", 1, LEFT), ("front", "rear", "x", 0, FRONT))


class NegativeScale(Rep103):
    """No mesh is mirrored by a negative scale.

    A scale with one or three negative numbers makes the mirror image of a part, such as a left hand from a right hand.
    Some readers turn its surface inside out, others drop the sign.
    """

    code = "R103-001"
    level = "MUST"
    evidence = "heuristic"
    clause = "All systems are right handed"
    good = '<geometry><box size="0.1 0.1 0.1"/></geometry>'
    bad = '<geometry><mesh filename="wrist.stl" scale="1 -1 1"/></geometry>'

    def check(self, robot: Robot, shapes: Shapes) -> Found:
        """Scales whose product is negative. MuJoCo turns the faces of such a mesh as it should."""
        for link, geometry in () if robot.text and robot.text.format == "mjcf" else shapes:
            scale = geometry.shape.parameters.get("scale")
            if isinstance(scale, tuple) and prod(scale) < 0:
                mesh = geometry.shape.parameters["filename"]
                message = f"the negative scale {' '.join(map(number, scale))} mirrors the mesh {mesh!r}"
                fix = "mirror the mesh in a file of its own, and use a positive scale"
                yield self.finding(message, f"link {link.name!r}", source=geometry.source or link.source, fix=fix)


class Sides(Rep103):
    """On the base of the robot x points forward and y to the left.

    The rule compares names: links called left have a greater y than links called right, and front has a greater x than
    rear. REP-105 allows any orientation of base_link, so this is advice.
    """

    code = "R103-003"
    thresholds = (ALONG,)
    of_robot = True
    evidence = "advice"
    clause = "x forward, y left, z up"
    base = """<robot name="cart">
  <link name="base_link"/><link name="left_wheel"/><link name="right_wheel"/>
  <joint name="left" type="continuous">
    <origin xyz="0 0.2 0"/><parent link="base_link"/><child link="left_wheel"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="right" type="continuous">
    <origin xyz="0 0 0"/><parent link="base_link"/><child link="right_wheel"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""
    good = "0 0.2 0"
    bad = "0.2 0 0"

    def check(self, robot: Robot, poses: Poses, bodies: Bodies) -> Found:
        """Pairs of left and right, or of front and rear, that stand along another axis or the other way round. Fingers,
        and robots whose root is a world, are not judged."""
        base = "base_link" if "base_link" in robot.frames else robot.root
        if base in WORLDS:
            return
        body = bodies[base]
        near = [link for link in robot.links if body in (bodies[link], carrying(bodies[link], bodies, robot))]
        for one, other, letter, axis, words in SIDES:
            ways = [way for a, b in pairs_of(near, words) for way in way_between(poses[base], poses[a], poses[b])]
            mean = np.mean(ways, axis=0) if ways else np.zeros(3)
            k = int(np.argmax(np.abs(mean)))
            if abs(mean[k]) > ALONG and mean[axis] < ALONG:  # all pairs say so, more or less
                point = ("+" if mean[k] > 0 else "-") + "xyz"[k]
                message = f"links named {one} are in direction {point} from those named {other}; expected +{letter}"
                yield self.finding(message, robot.frames[base])


class Optical(Rep103):
    """An optical frame has z forward, x right and y down of its camera.

    Drivers publish images in this frame. With the axes of the camera's body, everything in front of the camera appears
    above it.
    """

    code = "R103-004"
    thresholds = (NEAR,)
    clause = 'a second frame defined with a "_optical" suffix'
    base = """<robot name="camera">
  <link name="camera_link"/><link name="camera_optical_frame"/>
  <joint name="camera_optical" type="fixed">
    <origin rpy="-1.5707963267948966 0 -1.5707963267948966"/>
    <parent link="camera_link"/><child link="camera_optical_frame"/>
  </joint>
</robot>
"""
    good = 'rpy="-1.5707963267948966 0 -1.5707963267948966"'
    bad = 'rpy="0 0 0"'

    def check(self, robot: Robot, bodies: Bodies) -> Found:
        """Rotations between the frame of a camera and its optical frame that are another one."""
        for frame, body in _second_frames("optical", robot, bodies):
            off = _turned(_in_body(body, robot).T @ _in_body(frame, robot), (OPTICAL,))
            if off > NEAR:
                message = f"the frame is {number(np.rad2deg(off))} degrees off; expected rpy -π/2 0 -π/2 in {body!r}"
                yield self.finding(message, robot.frames[frame])


def pairs_of(names: Iterable[str], alike: Collection[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield names that become others when the word for one side is replaced by that for the other."""
    by_lower = {name.lower(): name for name in names if not FINGERS.search(name.lower())}
    words = "|".join(one for one, _ in alike)  # most names have none of them
    for lower, name in ((lower, name) for lower, name in by_lower.items() if re.search(words, lower)):
        others = (re.sub(one, other, lower) for one, other in alike)
        if found := next((other for other in others if other != lower and other in by_lower), None):
            yield name, by_lower[found]


def carrying(body: str, bodies: Bodies, robot: Robot) -> str | None:
    """Return the body that carries a body; None for that of the root."""
    joint = robot.parent_joint(body)
    return bodies[joint.parent] if joint else None


def way_between(T_base: Array, T_a: Array, T_b: Array) -> list[Array]:
    """Return the direction (3,) from b to a in the axes of the base, or nothing if they coincide."""
    way = T_base[:3, :3].T @ (T_a[:3, 3] - T_b[:3, 3])
    length = float(np.linalg.norm(way))
    return [way / length] if length > 1e-6 else []


def _second_frames(suffix: str, robot: Robot, bodies: Bodies) -> Iterator[tuple[str, str]]:
    """Yield frames with a suffix, and the frame on the same body with the same name without it, or else their parent if
    its name has the same first word."""
    for frame in robot.frames:
        match = suffix in frame and re.fullmatch(rf"(?P<stem>.+)_{suffix}(?P<kind>|_frame|_link)", frame)
        if not match:
            continue
        stem = match["stem"]
        names = [f"{stem}{match['kind']}", f"{stem}_frame", f"{stem}_link", stem]
        joint = robot.parent_joint(frame) if frame in robot.links else None
        parent = joint.parent if joint else ""
        if parent.startswith(re.split("[_/]", stem.lstrip("_/"))[0]) and f"_{suffix}" not in parent:
            names.append(parent)
        if body := next((name for name in names if name in robot.frames and bodies[name] == bodies[frame]), None):
            yield frame, body


def _in_body(frame: str, robot: Robot) -> Array:
    """Return R (3, 3) from a frame to the top link of its body, which is cheaper than the poses of all frames."""
    link, R = robot.frames[frame].link, robot.frames[frame].origin[:3, :3]
    while (joint := robot.parent_joint(link)) and not joint.kind.nv:
        link, R = joint.parent, (joint.origin @ joint.child_origin)[:3, :3] @ R
    return R


def _turned(R: Array, meant: Iterable[Array]) -> float:
    """Return the angle between a rotation and the nearest of some others, rad."""
    return min(float(np.arccos(np.clip((np.trace(R.T @ other) - 1) / 2, -1, 1))) for other in meant)

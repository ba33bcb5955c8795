"""Rules about places of joints and frames beside the shapes of bodies."""

from collections.abc import Mapping

import numpy as np

from kinetree.rules.examples import CART
from kinetree.rules.quality import JointQuality, Quality
from kinetree.rules.rule import Bodies, Found, Poses, Robot, Threshold, number
from kinetree.rules.shapes.bounds import Bounds, size_of, turned
from kinetree.spatial.se3 import Array, inverse

FAR = Threshold(0.5, "m", "largest distance of a joint from the shapes on both sides, whatever their size")
APART = Threshold(3.0, "", "largest distance of a joint from the shapes on both sides, as a multiple of their size")
LEVEL = Threshold(0.1, "sine", "largest slope of the axis of a wheel")
PARALLEL = Threshold(0.94, "cosine", "largest angle between the axis of a wheel and that of its joint")
FLOOR = Threshold(0.02, "m", "largest height of the lowest point of the wheels above or below the floor")
WHEELS = Threshold(2, "wheels", "smallest number of wheels by which the floor is judged")


class FarJoint(JointQuality):
    """A joint is near the shapes of the links that it connects.

    Far from both it is likely to be in millimetres or in the frame of another link.
    """

    code = "JNT-005"
    thresholds = (FAR, APART)
    evidence = "heuristic"
    clause = "origin: the transform from the parent link to the child link, in metres"
    good = '<origin xyz="0.55 0 0"/>'
    bad = '<origin xyz="55 0 0"/>'

    def check(self, robot: Robot, bounds: Bounds, bodies: Bodies, poses: Poses) -> Found:
        """A joint that turns, too far from the shapes of its parent and from its child's, with the child's away from
        the parent's as well."""
        joints = [joint for joint in robot.joints.values() if joint.type in ("revolute", "continuous")]
        tops, children = [bodies[joint.parent] for joint in joints], [joint.child for joint in joints]
        above, below = bounds.parts_of_bodies(tops), bounds.parts_of_bodies(bodies[name] for name in children)
        known = np.flatnonzero(np.isfinite(above[:, 0, 0] + below[:, 0, 0]))
        T_tops, T = (np.array([poses[name] for name in names]).reshape(-1, 4, 4)[known] for names in (tops, children))
        size = np.linalg.norm(above[known, 1] - above[known, 0], axis=1)
        origin = ((T[:, None, :3, 3] - T_tops[:, None, :3, 3]) @ T_tops[:, :3, :3])[:, 0]
        away = np.linalg.norm(origin - np.clip(origin, above[known, 0], above[known, 1]), axis=1)
        for k in np.flatnonzero(away > np.maximum(FAR, APART * size) * (1 - 1e-6)):  # `_gap` is more exact
            joint, T_joint = joints[i := known[k]], inverse(T_tops[k]) @ T[k]
            if not _gap(above[i], below[i], T_joint):
                continue
            if gap := _gap(bounds.whole_body(tops[i]), bounds.whole_body(bodies[joint.child]), T_joint):
                message = f"the joint is {number(gap)} m away from the shapes of its parent link {joint.parent!r}"
                yield self.finding(f"{message} and of its child; check its <origin>", joint)


class WheelAxis(JointQuality):
    """A wheel turns about the axis of its cylinder.

    Otherwise it tumbles: the axis is in the frame of the wheel, the cylinder is along z of its own origin.
    """

    code = "JNT-006"
    thresholds = (PARALLEL,)
    evidence = "heuristic"
    clause = "axis: in the joint frame"
    base = CART
    good = '<child link="left_wheel"/><axis xyz="0 1 0"/>'
    bad = '<child link="left_wheel"/><axis xyz="0 0 1"/>'

    def check(self, robot: Robot) -> Found:
        """An endless joint of a link with wheel in its name, whose cylinders are all wider than long and not along the
        axis."""
        for joint in robot.joints.values():
            link = robot.links[joint.child]
            if joint.type != "continuous" or joint.axis is None or "wheel" not in link.name.lower():
                continue
            cylinders = [one for one in (*link.visuals, *link.collisions) if one.shape.kind == "cylinder"]
            across = [abs(float(one.origin[:3, 2] @ joint.axis)) for one in cylinders if _is_disc(one.shape.parameters)]
            if across and len(across) == len(cylinders) and max(across) < PARALLEL:
                way = " ".join(map(number, np.round(cylinders[0].origin[:3, 2], 3)))
                message = f"the axis is {' '.join(map(number, joint.axis))}, but the cylinder of the wheel is"
                yield self.finding(f"{message} along {way}", joint)


def _is_disc(sizes: Mapping[str, object]) -> bool:
    radius, length = sizes.get("radius"), sizes.get("length")
    return isinstance(radius, float) and isinstance(length, float) and length < radius


class Footprint(Quality):
    """base_footprint lies on the floor, below the wheels.

    Maps, planners and docking take base_footprint for the place of the robot on the ground.
    """

    code = "R105-004"
    thresholds = (FLOOR, LEVEL, WHEELS)
    of_robot = True
    evidence = "heuristic"
    clause = "base_footprint: the projection of the robot on the ground"
    url = "https://www.ros.org/reps/rep-0120.html#base-footprint"
    base = CART
    good = '<origin xyz="0 0 0.1"/>'
    bad = '<origin xyz="0 0 0"/>'

    def check(self, robot: Robot, bounds: Bounds, bodies: Bodies, poses: Poses) -> Found:
        """Wheels, which endless joints turn about a level axis, that reach below base_footprint, or all end above it;
        more by its stroke, if a wheel hangs on a suspension."""
        if "base_footprint" not in robot.links:
            return
        floor, body = poses["base_footprint"], bodies["base_footprint"]
        strokes = {body: 0.0} | {
            joint.child: joint.limit.upper - joint.limit.lower
            for joint in robot.joints.values()
            if joint.type == "prismatic" and joint.limits and bodies[joint.parent] == body
        }
        low = []
        for joint in robot.joints.values():
            wheel, T = joint.child, inverse(floor) @ poses[joint.child]
            is_wheel = "wheel" in wheel.lower() and joint.type == "continuous" and len(joint.axes) == 1
            if is_wheel and bodies[joint.parent] in strokes and abs(T[2, :3] @ joint.axes[0]) < LEVEL:
                box = bounds.whole_body(wheel)
                if box is not None:
                    low.append((_lowest(T, joint.axes[0], box), wheel, FLOOR + strokes[bodies[joint.parent]]))
        if len(low) >= WHEELS and abs(min(low)[0]) > min(low)[2]:
            height, wheel, _ = min(low)
            side = "below" if height < 0 else "above"
            message = f"the lowest wheel, {wheel!r}, ends {number(abs(height))} m {side} this frame"
            yield self.finding(f"{message}; expected at its height", robot.links["base_footprint"])


def _lowest(T: Array, axis: Array, box: Array) -> float:
    """Return the height of the lowest point of a wheel at T (4, 4) that turns in its box about an axis."""
    sides = np.ptp(box, axis=0)
    across = np.delete(sides, int(np.abs(axis).argmax()))
    middle = T[:3, :3] @ box.mean(axis=0) + T[:3, 3]
    return float(middle[2] - across.max() / 2)


def _gap(parent: Array | None, child: Array | None, T: Array) -> float:
    """Return how far the origin of a child at T (4, 4), with all of its box, is from the box of its parent, m; 0 if it
    is near, or a box is unknown."""
    if parent is None or child is None:
        return 0.0
    size = max(size_of(parent), size_of(child))
    away = float(np.linalg.norm(T[:3, 3] - np.clip(T[:3, 3], *parent)))
    other = turned(child, T)
    between = float(np.linalg.norm(np.maximum(0, np.maximum(parent[0] - other[1], other[0] - parent[1]))))
    return away if size > 0 and min(away, between) > max(FAR, APART * size) else 0.0

"""A rule about the wheels that plug-ins drive, and what is wrong with the wheels of a drive."""

import numpy as np

from kinetree.rules.blocks.spelling import number_of
from kinetree.rules.examples import CART
from kinetree.rules.quality import Quality
from kinetree.rules.rule import Bodies, Element, Found, Joint, Poses, Robot, Threshold, number
from kinetree.rules.shapes.bounds import Bounds

OFF = Threshold(1.5, "", "largest ratio of a size to that in the robot, which calibration explains")
SKIDDING = Threshold(3.0, "", "the same for the distance of wheels that skid, because a side has several")
TOGETHER = Threshold(1e-3, "m", "largest distance of wheels that are at one place")
OPPOSITE = Threshold(0.9, "cosine", "largest angle between axes that are parallel")
ROUND = Threshold(0.1, "", "largest relative difference of the widths of a round wheel")
ALONG = Threshold(0.99, "cosine", "largest angle of the axis of a wheel to x, y or z with which its radius is known")


class WheelsOfPlugins(Quality):
    """The wheels of a drive plug-in are as far apart and as large as those of the robot.

    The robot of the simulator turns and drives at other speeds than it is commanded.
    """

    code = "XML-013"
    thresholds = (OFF, SKIDDING, TOGETHER, OPPOSITE, ROUND, ALONG)
    of_robot = True
    evidence = "heuristic"
    clause = "wheel_separation, and wheel_diameter or wheel_radius, in metres"
    url = "https://gazebosim.org/api/sim/8/classgz_1_1sim_1_1systems_1_1DiffDrive.html"
    base = CART.replace(
        "</robot>",
        '  <gazebo><plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">\n'
        "    <left_joint>left_wheel_joint</left_joint>\n    <right_joint>right_wheel_joint</right_joint>\n"
        "    <wheel_separation>0.4</wheel_separation>\n    <wheel_radius>0.1</wheel_radius>\n"
        "  </plugin></gazebo>\n</robot>",
    )
    good = "<wheel_radius>0.1<"
    bad = "<wheel_radius>0.2<"

    def check(self, robot: Robot, programs: tuple[Element, ...], poses: Poses, bounds: Bounds, bodies: Bodies) -> Found:
        """A distance between wheels, a diameter or a radius that is too large or too small; wheels of both sides with
        opposite axes, at one place, or exchanged; a fixed joint. Wheels that are not on one axle have no distance."""
        for plugin in programs:
            names: list[list[str]] = [[], []]
            for part in plugin.children:
                word = part.tag.replace("_", "").lower()
                if word in ("leftjoint", "rightjoint"):
                    names[word == "rightjoint"].append(part.text.strip())
            if found := drive_fault(names, robot, poses):
                yield self.finding(found, f"plugin {plugin.get('name')!r}", source=plugin.source)
            for part in plugin.children if all(names) else ():
                key = WORDS.get(part.tag.replace("_", "").lower())
                if key and (value := number_of(part.text)) and value > 0:
                    fault = size_fault(key, value, names, robot, poses, bounds, bodies)
                    if fault:
                        yield self.finding(fault, f"plugin {plugin.get('name')!r}", source=part.source)


WORDS = {"wheelseparation": "wheel_separation", "wheelradius": "wheel_radius", "wheeldiameter": "wheel_diameter"}


def size_fault(
    key: str, value: float, names: list[list[str]], robot: Robot, poses: Poses, bounds: Bounds, bodies: Bodies
) -> str:
    """Return a message about a size of wheels that is not that of the robot, "" if it fits or is not known.

    names: of the joints of the left and the right wheels.
    """
    sides = [[robot.joints[name] for name in side if name in robot.joints] for side in names]
    wheels = [joint for side in sides for joint in side]
    if not all(sides) or any(joint.child not in poses or joint.axis is None for joint in wheels):
        return ""
    if key == "wheel_separation":
        known = _distances(sides, poses, bounds, bodies)
        rolling = [one for one in robot.joints.values() if one.type == "continuous" and "wheel" in one.name.lower()]
        most = SKIDDING if len(wheels) > 2 or len(rolling) > 2 else OFF
        what = "the wheels are {} m apart"
    else:
        factor = 2.0 if key == "wheel_diameter" else 1.0
        radii = [_radius(joint, bounds, bodies) for joint in wheels]
        known, most = [factor * radius for radius in radii], OFF
        what = f"the {key.removeprefix('wheel_')} of the wheels is {{}} m"
    if key == "wheel_separation" and len(known) > 1 and max(known) < TOGETHER:
        both = f"{wheels[0].name!r} and {wheels[-1].name!r}"
        return f"{both} are at the same place; expected them {number(value)} m apart"
    if not known or any(size < TOGETHER or size / OFF <= value <= size * most for size in known):
        return ""
    return f"{key} is {number(value)} m, but {what.format(number(known[0]))} in the robot"


def drive_fault(sides: list[list[str]], robot: Robot, poses: Poses) -> str:
    """Return why the first wheels of both sides do not drive the robot as they should: one is fixed, they turn about
    opposite axes, or the left one is on the right. "" if they do."""
    wheels = [robot.joints[name] for side in sides for name in side[:1] if name in robot.joints]
    if fixed := [joint.name for joint in wheels if joint.type == "fixed"]:
        return f"the joint {fixed[0]!r} is fixed; expected a joint that turns"
    if len(wheels) < 2 or any(joint.axis is None or joint.child not in poses for joint in wheels):
        return ""
    one, other = (poses[joint.child][:3, :3] @ joint.axis for joint in wheels if joint.axis is not None)
    way = poses[wheels[0].child][:3, 3] - poses[wheels[1].child][:3, 3]
    if float(one @ other) > OPPOSITE and float(way @ one) < -OPPOSITE * max(TOGETHER, float(np.linalg.norm(way))):
        return f"{wheels[0].name!r} is on the right of {wheels[1].name!r}; exchange them, or turn their axes"
    if float(one @ other) > -OPPOSITE:
        return ""
    names = " and ".join(repr(joint.name) for joint in wheels)
    return f"{names} turn about opposite axes; expected the same, so that both drive on"


def _distances(sides: list[list[Joint]], poses: Poses, bounds: Bounds, bodies: Bodies) -> list[float]:
    """Return how far the first wheels of both sides are apart along their axis, between their joints and between the
    middles of their shapes, m."""
    left, right = sides[0][0], sides[1][0]
    axis = poses[left.child][:3, :3] @ np.asarray(left.axis)
    places = [[poses[joint.child][:3, 3] for joint in (left, right)]]
    boxes = [bounds.whole_body(joint.child) if bodies[joint.child] == joint.child else None for joint in (left, right)]
    if all(box is not None for box in boxes):
        places.append(
            [
                (poses[joint.child] @ np.append(box.mean(axis=0), 1))[:3]
                for joint, box in zip((left, right), boxes, strict=True)
                if box is not None
            ]
        )
    ways = [one - other for one, other in places]
    apart = [(abs(float(way @ axis)), float(np.linalg.norm(way))) for way in ways]
    return [along for along, whole in apart if along >= OPPOSITE * whole]  # others are not on one axle


def _radius(joint: Joint, bounds: Bounds, bodies: Bodies) -> float:
    """Return the radius of a round body about its axis, m; 0 if it is not known."""
    box = bounds.whole_body(joint.child) if bodies[joint.child] == joint.child else None
    axis = np.abs(np.asarray(joint.axis, float))
    if box is None or axis.max() < ALONG:
        return 0.0
    across = np.delete(box, int(axis.argmax()), axis=1)
    reaches = np.abs(across).ravel()
    return float(reaches.mean()) if np.ptp(reaches) <= ROUND * reaches.mean() else 0.0

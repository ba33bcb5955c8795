"""Parts that stand on the other side than their names say."""

from math import cos, sin

from rule_cases.builders import joint, link, robot
from rule_cases.case import Cases, Model


def standing(kind: str = "continuous", axis: str = "0 1 0", root: str = "base_link", **places: str) -> str:
    """Links at places on a root, on joints of a kind."""
    links = [link(root), *map(link, places)]
    return robot(*links, *(joint(f"{n}_joint", root, n, kind=kind, xyz=xyz, axis=axis) for n, xyz in places.items()))


def wheels(left: str, right: str, **more: str) -> str:
    return standing(left_wheel=left, right_wheel=right, **more)


def away(angle: float) -> str:
    """A left wheel on the right, whose axle is turned by an angle in rad about z."""
    return wheels(f"{-sin(angle)} {-cos(angle)} 0", "0 0 0")


LEGS = {"fl_hip": "1 1 0", "fr_hip": "1 -1 0", "rl_hip": "-1 1 0", "rr_hip": "-1 -1 0"}
ONE = {"left_hip": "0 1 0", "right_hip": "0 -1 0", "left_shoulder": "0 1 1", "right_shoulder": "0 -1 1"}
ALONE = {**ONE, "left_ear": "0 -1 2", "right_ear": "0 1 2"}
MIRRORED = {name: xyz.replace("1 1", "1 x").replace("1 -1", "1 1").replace("x", "-1") for name, xyz in LEGS.items()}
BACK = {name: " ".join(reversed(xyz.split()[:2])) + " 0" for name, xyz in LEGS.items()}
WORLD = "<mujoco><worldbody>{}</worldbody></mujoco>"
BODY = (
    '<body name="car"><freejoint/><geom size="0.1"/><body name="left_wheel" pos="0 {} 0"><joint axis="0 1 0"/>'
    '<geom size="0.1"/></body><body name="right_wheel"><joint axis="0 1 0"/><geom size="0.1"/></body></body>'
)

CASES = {
    "NAM-013": Cases(
        found={
            "a wheel": Model(
                wheels("0 -0.2 0", "0 0.2 0"),
                says="the left part 'left_wheel' is on the right of 'right_wheel'",
                element="joint 'left_wheel_joint'",
            ),
            "hardly along the axle": away(0.443),
            "of MuJoCo": Model(WORLD.format(BODY.format("-0.2")), format="mjcf"),
            "a pair of three": Model(
                standing("revolute", **ALONE), says="part 'left_ear' is on the right of 'right_ear'"
            ),
            "the left of four legs": Model(
                standing("revolute", **MIRRORED),
                says="'fl_hip' is on the right of 'fr_hip'; exchange their names or their places (also 'rl_hip')",
            ),
            "the front of four legs": Model(
                standing("revolute", **{name: xyz.replace("1 ", "x1 ", 1) for name, xyz in LEGS.items()})
                .replace("-x1", "1")
                .replace("x1", "-1"),
                says="the front part 'fl_hip' is behind 'rl_hip'; exchange their names or their places (also 'fr_hip')",
            ),
            "with the side before": standing("fixed", lf="1 -1 0", rf="1 1 0", lh="-1 -1 0", rh="-1 1 0"),
        },
        silent={
            "in place": wheels("0 0.2 0", "0 -0.2 0"),
            "hardly too far off the axle": away(0.46),
            "turning the other way": standing(axis="0 -1 0", left_wheel="0 -1 0", right_wheel="0 1 0"),
            "turning opposite ways": wheels("0 -1 0", "0 1 0").replace('axis xyz="0 1 0"', 'axis xyz="0 -1 0"', 1),
            "fixed wheels": standing("fixed", left_wheel="0 -1 0", right_wheel="0 1 0"),
            "no wheels": wheels("0 -1 0", "0 1 0").replace("wheel", "hip"),
            "a pair of two": standing(
                "revolute", left_hip="0 1 0", right_hip="0 -1 0", left_ear="0 -1 2", right_ear="0 1 2"
            ),
            "where the others do not agree": standing(
                "revolute", **{**ALONE, "left_hip": "1 0 0", "right_hip": "-1 0 0"}
            ),
            "a camera of three pairs": standing("fixed", **ALONE).replace("ear", "camera"),
            "a door of three pairs": standing("revolute", **ALONE).replace("ear", "door"),
            "four legs": standing("revolute", **LEGS),
            "four legs of a robot that looks to the rear": standing(
                "revolute",
                **{name: xyz.replace("1", "x").replace("-x", "1").replace("x", "-1") for name, xyz in LEGS.items()},
            ),
            "in a world of two robots": wheels("0 -1 0", "0 1 0").replace("base_link", "world"),
            "of MuJoCo, in place": Model(WORLD.format(BODY.format("0.2")), format="mjcf"),
        },
    ),
}

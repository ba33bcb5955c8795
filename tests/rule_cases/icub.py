"""The iCub's names, axes, frames and limits, on the robot that comes with the package, which follows them.

It has remarks of its own, so most cases count only what is found about one element.
"""

import re
from math import cos, radians, sin

import kinetree as kt
from kinetree.load import FORMATS
from rule_cases.builders import inertial, joint, link, robot
from rule_cases.case import Cases, Model

ICUB = FORMATS["urdf"].write(kt.load("icub"), ("group", "coupled_limit"))
ON_BOARDS = FORMATS["urdf"].write(kt.load("icub", limits="iCubGenova02"), ("group", "coupled_limit"))
"""The same with the limits of the boards of iCubGenova02."""


def icub(*edits: tuple[str, str], about: str | None = None, text: str = ICUB, **more: object) -> Model:
    """The robot with texts of it replaced, wherever they stand."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return Model(text, about=about, **more)  # type: ignore[arg-type]


def more(*parts: str) -> tuple[str, str]:
    """More links and joints."""
    return "</robot>", f"{''.join(parts)}</robot>"


def of_type(name: str, kind: str, new: str) -> tuple[str, str]:
    return f'<joint name="{name}" type="{kind}">', f'<joint name="{name}" type="{new}">'


def renamed(old: str, new: str) -> tuple[str, str]:
    return f'"{old}"', f'"{new}"'


def first_foot(*edits: tuple[str, str], about: str | None = None, **more: object) -> Model:
    """The robot with a left foot of version 1: without a sensor, moved by the ankle's roll itself."""
    text = re.sub(r'  <joint name="l_foot_ft_sensor".*?</joint>\n', "", ICUB, flags=re.DOTALL)
    text = re.sub(r'  <sensor name="l_foot_ft".*?</sensor>\n', "", text, flags=re.DOTALL)
    text = text.replace('  <link name="l_ankle_2"/>\n', "").replace('"l_ankle_2"', '"l_foot"')
    return icub(*edits, about=about, text=text, **more)


def text_of(name: str, text: str = ICUB) -> str:
    """The element of a joint."""
    found = re.search(rf'<joint name="{name}".*?</joint>', text, re.DOTALL)
    assert found
    return found[0]


def about(name: str, xyz: str) -> tuple[str, str]:
    """Another axis of a joint, in its own frame."""
    return text_of(name), text_of(name).replace('<axis xyz="0 0 1"/>', f'<axis xyz="{xyz}"/>')


def leaning(degrees: float) -> tuple[str, str]:
    return about("l_elbow", f"{sin(radians(degrees))!r} 0 {cos(radians(degrees))!r}")


def limited(name: str, lower: float, upper: float, text: str = ICUB) -> tuple[str, str]:
    """Other limits of a joint, in degrees."""
    numbers = f'lower="{radians(lower)!r}" upper="{radians(upper)!r}"'
    return text_of(name, text), re.sub(r'lower="[^"]*" upper="[^"]*"', numbers, text_of(name, text))


def hung(child: str, old: str, new: str) -> tuple[str, str]:
    """A link on another parent."""
    tail = f'"/>\n    <child link="{child}"/>'
    return f'<parent link="{old}{tail}', f'<parent link="{new}{tail}'


def within(lower: float, upper: float = 0.0, **more: object) -> Model:
    """The robot with limits of the left knee, whose board keeps it from -100 to 0 degrees; the others are those of the
    boards but for the right elbow, so that they are not those of one robot."""
    edits = limited("l_knee", lower, upper, ON_BOARDS), limited("r_elbow", 30, 60, ON_BOARDS)
    return icub(*edits, text=ON_BOARDS, about="joint 'l_knee'", **more)


def torso(*order: str) -> Model:
    """The robot with the joints of the torso in another order: their names are exchanged."""
    names = ("torso_pitch", "torso_roll", "torso_yaw")
    marks = [(f'name="{name}"', f'name="{i}"') for i, name in enumerate(names)]
    return icub(*marks, *((f'name="{i}"', f'name="{name}"') for i, name in enumerate(order)), about="torso")


def half(n: int) -> Model:
    """A robot of n joints of the page."""
    names = re.findall(r'<joint name="((?:[lr]|torso|neck)_\w+)" type="revolute">', ICUB)
    joints = [joint(name, "root_link", name, kind="continuous") for name in names[:n]]
    return Model(robot(link("root_link"), *map(link, names[:n]), *joints), about="robot 'r'")


SENSOR = '<sensor name="l_arm_ft" type="force_torque">\n    <parent joint="l_arm_ft_sensor"/>'
SITS = re.findall(r'<parent link="(\w+)"/>\s*<child link="l_leg_ft_frame"/>', ICUB)[0]
HEAVY = inertial(1, 1, 1, 1.5)

CASES = {
    "ICUB-001": Cases(
        found={
            "fifteen joints": half(15),
            "all fixed": icub(('type="revolute"', 'type="fixed"'), says="has 0 of the iCub's 32 joints"),
            "all with a prefix": icub(
                *((f'joint name="{side}', f'joint name="my_{side}') for side in ("l_", "r_")),
                *((f'joint="{side}', f'joint="my_{side}') for side in ("l_", "r_")),
                says="Names like 'torso_pitch' come near",
            ),
        },
        silent={"sixteen joints": half(16), "all": icub()},
    ),
    "ICUB-101": Cases(
        found={
            "none": icub(
                ('joint name="l_elbow"', 'joint name="left_elbow"'), about="joint 'l_elbow'", says="of board left_arm"
            ),
            "fixed": icub(of_type("l_elbow", "revolute", "fixed"), about="joint 'l_elbow'", says="is fixed; on board"),
            "sliding": icub(of_type("l_elbow", "revolute", "prismatic"), about="joint 'l_elbow'"),
            "following": icub(
                (
                    '<joint name="l_elbow" type="revolute">',
                    '<joint name="l_elbow" type="revolute"><mimic joint="r_elbow"/>',
                ),
                about="joint 'l_elbow'",
                says="follows 'r_elbow'; on board left_arm it moves by itself",
            ),
        },
        silent={"all": icub(), "continuous": icub(of_type("l_elbow", "revolute", "continuous"), count=0)},
    ),
    "ICUB-102": Cases(
        found={
            "a tail": icub(
                more(link("tail"), joint("wag", "root_link", "tail", kind="continuous")),
                about="joint 'wag'",
                says="moves, and",
            ),
            "on the forearm": icub(
                more(link("tail"), joint("wag", "l_forearm", "tail", kind="continuous")), about="joint 'wag'"
            ),
            "behind the hand, together with the eyes": icub(
                more(link("f"), link("g"), joint("f", "l_hand", "f"), joint("finger", "f", "g", kind="continuous")),
                about="robot 'icub'",
                says="move 4 joints: eyes_tilt, l_eye_pan_joint, r_eye_pan_joint, finger",
            ),
            "one eye": icub(
                of_type("l_eye_pan_joint", "revolute", "fixed"),
                of_type("eyes_tilt", "revolute", "fixed"),
                about="robot 'icub'",
                says="move 1 joint: r_eye_pan_joint",
            ),
        },
        silent={
            "fixed": icub(more(link("tail"), joint("wag", "root_link", "tail")), about="joint 'wag'"),
            "that by which it floats": icub(
                more(link("world"), joint("float", "world", "root_link", kind="floating")), about="joint 'float'"
            ),
            "eyes that do not move": icub(
                *(of_type(eye, "revolute", "fixed") for eye in ("eyes_tilt", "l_eye_pan_joint", "r_eye_pan_joint"))
            ),
        },
    ),
    "ICUB-103": Cases(
        found={
            "none": icub(
                ('"l_leg_ft_sensor"', '"l_leg_ft"'), about="joint 'l_leg_ft_sensor'", says="which sensor l_leg_ft"
            ),
            "turning": icub(
                ('"l_leg_ft_sensor" type="fixed">', '"l_leg_ft_sensor" type="continuous"><axis xyz="1 0 0"/>'),
                about="joint 'l_leg_ft_sensor'",
                says="is continuous",
            ),
            "none of the other foot": first_foot(('"r_foot_ft_sensor"', '"r_foot"'), about="joint 'r_foot_ft_sensor'"),
        },
        remarked={
            "none of a first foot": first_foot(
                about="joint 'l_foot_ft_sensor'", severity="info", says="; feet of version 1 have none"
            )
        },
        silent={"all": icub()},
    ),
    "ICUB-201": Cases(
        found={
            "none": icub(
                renamed("l_hip_3", "l_hip_x"),
                about="link 'l_hip_3'",
                says="which 'l_leg_ft_sensor' carries on 'l_hip_2'",
            ),
            "none of the other foot": first_foot(renamed("r_ankle_2", "r_ankle_x"), about="link 'r_ankle_2'"),
        },
        remarked={"none of a first foot": first_foot(about="link 'l_ankle_2'", severity="info")},
        silent={"all": icub()},
    ),
    "ICUB-202": Cases(
        found={
            "a body": icub(
                more(link("pack", HEAVY), joint("p", "chest", "pack")), about="link 'pack'", says="has mass, and"
            ),
            "a body behind the hand": icub(
                more(link("ball", HEAVY), joint("p", "l_hand", "ball")),
                about="robot 'icub'",
                count=2,
                says="have mass 1 link: ball",
            ),
            "links without mass": icub(about="robot 'icub'", says="does not have 46 links: eyes_tilt_frame, l_eye"),
            "one link more without mass": icub(
                more(link("pack", inertial(0, 0, 0, 0)), joint("p", "chest", "pack")),
                about="robot 'icub'",
                says="47 links",
            ),
        },
        silent={
            "without mass": icub(more(link("pack"), joint("p", "chest", "pack")), about="link 'pack'"),
            "a link of the page": icub(('<link name="chest"/>', link("chest", HEAVY)), about="link 'chest'"),
            "a frame of the page": icub(
                ('<link name="imu_frame"/>', link("imu_frame", HEAVY)), about="link 'imu_frame'"
            ),
        },
    ),
    "ICUB-203": Cases(
        found={
            "on another parent": icub(
                hung("l_elbow_1", "l_upper_arm", "l_shoulder_2"),
                about="link 'l_elbow_1'",
                says="hangs on 'l_shoulder_2' by 'l_elbow'; the page has 'l_upper_arm' and 'l_elbow' (the page is",
            ),
            "by another joint": icub(
                ('joint name="l_wrist_yaw"', 'joint name="l_wrist_x"'),
                about="link 'l_hand'",
                says="by 'l_wrist_x'; the page has 'l_wrist_1' and 'l_wrist_yaw'",
            ),
        },
        remarked={
            "as a first foot": first_foot(about="link 'l_foot'", severity="info", says="as in feet of version 1"),
            "as in some published models": icub(
                renamed("neck_1", "X"),
                renamed("neck_2", "Y"),
                renamed("X", "neck_1"),
                renamed("Y", "neck_2"),
                ('joint name="neck_pitch"', 'joint name="X"'),
                ('joint name="neck_roll"', 'joint name="neck_pitch"'),
                about="link 'neck_2'",
                severity="info",
                says="as in some published models",
            ),
        },
        silent={"all in their places": icub()},
    ),
    "ICUB-204": Cases(
        found={
            "behind a joint": icub(
                more(link("pole"), joint("mount", "pole", "root_link", kind="continuous")),
                about="link 'root_link'",
                says="stands behind joint 'mount', which is continuous",
            ),
            "fixed to what is behind a joint": icub(
                more(
                    link("pole"),
                    link("plate"),
                    joint("turn", "pole", "plate", kind="continuous"),
                    joint("m", "plate", "root_link"),
                ),
                about="link 'root_link'",
            ),
        },
        remarked={
            "fixed": icub(
                more(link("pole"), joint("m", "pole", "root_link")),
                about="link 'root_link'",
                severity="info",
                says="is held to the root",
            ),
            "floating": icub(
                more(link("world"), joint("m", "world", "root_link", kind="floating")),
                about="link 'root_link'",
                severity="info",
                says="floats on the root 'world' without offset",
            ),
            "fixed with an offset": icub(
                more(link("pole"), joint("m", "pole", "root_link", xyz="0 0 0.000002")),
                about="link 'root_link'",
                severity="warning",
                says="with an offset, by which poses in the two differ",
            ),
            "fixed with no offset to speak of": icub(
                more(link("pole"), joint("m", "pole", "root_link", xyz="0 0 0.0000005")),
                about="link 'root_link'",
                severity="info",
            ),
        },
        silent={"the root": icub(), "no root_link": icub(renamed("root_link", "hips"), about="link 'hips'")},
    ),
    "ICUB-301": Cases(
        found={
            "forwards": icub(
                renamed("root_link", "hips"),
                more(link("root_link"), joint("m", "root_link", "hips", rpy="0 0 3.141592653589793")),
                about="link 'root_link'",
                says="x points forwards",
            )
        },
        silent={"backwards": icub(), "without root_link": icub(renamed("root_link", "hips"))},
    ),
    "ICUB-302": Cases(
        found={
            "a fifth of a degree": icub(
                leaning(0.2), about="joint 'l_elbow'", says="0.2 deg from the page's (0, 1, 0)"
            ),
            "backwards": icub(leaning(180), about="joint 'l_elbow'", says=": the opposite direction"),
            "backwards, nearly": icub(leaning(165), about="joint 'l_elbow'", says=": the opposite direction"),
            "as on the page, where that is wrong": icub(
                about("torso_roll", "0 0 -1"),
                about="joint 'torso_roll'",
                says="as on the page, which is wrong here",
            ),
        },
        remarked={
            "right, where the page is wrong": icub(
                about="joint 'torso_roll'", severity="info", says="which is wrong there"
            ),
            "the lean of the arms": icub(
                about="joint 'l_shoulder_roll'", severity="info", says="neglects that the arms lean"
            ),
        },
        silent={
            "as on the page": icub(about="joint 'l_elbow'"),
            "nearly": icub(leaning(0.09), about="joint 'l_elbow'"),
            "of a joint that does not turn": icub(of_type("l_elbow", "revolute", "fixed"), about="joint 'l_elbow'"),
        },
    ),
    "ICUB-303": Cases(
        found={
            "as on iCub 3": torso("torso_roll", "torso_pitch", "torso_yaw"),
            "as on none": torso("torso_yaw", "torso_roll", "torso_pitch"),
        },
        silent={
            "pitch, roll, yaw": icub(),
            "one is missing": icub(('joint name="torso_yaw"', 'joint name="x"'), about="torso"),
        },
    ),
    "ICUB-401": Cases(
        found={
            "none": icub(
                renamed("imu_frame", "imu"), about="frame 'imu_frame'", says="there is no frame of this name on 'head'"
            )
        },
        remarked={
            "by another name": icub(
                renamed("l_leg_ft_frame", "l_leg_ft"),
                about="frame 'l_leg_ft_frame'",
                severity="info",
                says="calls it 'l_leg_ft'",
            ),
            "without its link": icub(
                renamed("l_eye_frame", "x"),
                renamed("l_eye", "y"),
                about="frame 'l_eye_frame'",
                severity="info",
                says="nor its link",
            ),
            "without its joint": icub(
                renamed("l_leg_ft_frame", "x"),
                renamed("l_leg_ft_sensor", "y"),
                about="frame 'l_leg_ft_frame'",
                severity="info",
                says="nor the sensor's joint 'l_leg_ft_sensor'",
            ),
        },
        silent={
            "all": icub(),
            "of the skin, which another rule says": icub(
                renamed("l_forearm_dh_frame", "x"), about="frame 'l_forearm_dh_frame'"
            ),
        },
    ),
    "ICUB-402": Cases(
        found={
            "on another link": icub(
                hung("imu_frame", "head", "chest"),
                about="frame 'imu_frame'",
                says="is fixed to 'chest'; the page has it on 'head'",
            ),
            "on another link, by another name": icub(
                renamed("l_leg_ft_frame", "l_leg_ft"),
                hung("l_leg_ft", SITS, "chest"),
                about="frame 'l_leg_ft'",
            ),
        },
        silent={
            "on its link": icub(),
            "on what is fixed to its link": icub(
                more(link("mount"), joint("mount", "head", "mount")),
                hung("imu_frame", "head", "mount"),
                about="frame 'imu_frame'",
            ),
            "none": icub(renamed("imu_frame", "imu"), about="frame 'imu'"),
        },
    ),
    "ICUB-403": Cases(
        found={
            "none": icub(
                renamed("l_forearm_dh_frame", "x"), about="frame 'l_forearm_dh_frame'", says="on 'l_forearm', in which"
            )
        },
        silent={"all": icub(), "no frame of the skin": icub(renamed("imu_frame", "imu"))},
    ),
    "ICUB-404": Cases(
        found={
            "none": icub(
                (SENSOR, SENSOR.replace("l_arm_ft_sensor", "l_elbow")),
                about="joint 'l_arm_ft_sensor'",
                says="no force/torque sensor measures it; 'l_arm_ft' measures 'l_elbow'",
            ),
            "called otherwise": icub(
                ('<sensor name="l_arm_ft"', '<sensor name="l_wrench"'),
                about="sensor 'l_wrench'",
                says="under another name than 'l_arm_ft'",
            ),
            "of none": icub(
                (SENSOR, SENSOR.replace("l_arm_ft_sensor", "l_elbow").replace("l_arm_ft", "x")),
                about="joint 'l_arm_ft_sensor'",
                says="'l_arm_ft' is not there",
            ),
        },
        silent={
            "all": icub(),
            "without its joint": icub(renamed("l_arm_ft_sensor", "x"), about="joint 'x'"),
            "of MuJoCo, which has two for each": Model(
                FORMATS["mjcf"].write(kt.load("icub"), ("group", "coupled_limit")), format="mjcf", count=0
            ),
            "two, of which one is called so": icub(
                more(SENSOR.replace("l_arm_ft", "first", 1) + "</sensor>"), about="sensor 'first'"
            ),
        },
    ),
    "ICUB-405": Cases(
        found={
            "the other direction": icub(
                ("child_to_parent", "parent_to_child"), count=6, says="the robot's is child_on_parent"
            )
        },
        silent={
            "the robot's": icub(),
            "of another joint": icub(
                more(
                    '<sensor name="s" type="force_torque"><parent joint="l_elbow"/><force_torque><frame>sensor</frame>'
                    "<measure_direction>parent_to_child</measure_direction></force_torque></sensor>"
                )
            ),
        },
    ),
    "ICUB-501": Cases(
        found={
            "below": within(
                -100.06, says="from -100.1 to 0 deg; the board of iCubGenova02 keeps it from -100 to 0 deg"
            ),
            "above": within(-100, 0.06),
            "the other way round": within(-1, 100, says="; with the opposite sign, from -100 to 1 deg, it fits better"),
            "without limits": icub(
                of_type("l_knee", "revolute", "continuous"), about="joint 'l_knee'", says="without limits; the board"
            ),
        },
        silent={
            "the board's": within(-100),
            "less": within(-90, -10),
            "rounded below": within(-100.04),
            "rounded above": within(-100, 0.04),
            "those of one robot's boards": Model(ON_BOARDS),
            "of another family": Model(FORMATS["urdf"].write(kt.load("icub:3"), ("group", "coupled_limit"))),
        },
    ),
    "ICUB-502": Cases(
        found={
            "a little more than a turn": within(-361, says="is more than a turn; are these degrees?"),
            "upwards": within(0, 361),
        },
        silent={
            "a turn": within(-360),
            "no limits": icub(of_type("l_knee", "revolute", "continuous"), about="joint 'l_knee'"),
            "of the eyes": icub(limited("eyes_tilt", -999, 999)),
        },
    ),
}

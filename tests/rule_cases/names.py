"""Names of links and of joints that move."""

from rule_cases.builders import joint, link, pair, robot
from rule_cases.case import Cases, Model


def called(name: str) -> str:
    """A moved link of a name."""
    return pair(child=name)


def moved_by(name: str) -> str:
    """A joint of a name that moves."""
    return pair(name=name)


def fixed_by(name: str) -> str:
    """A fixed joint of a name."""
    return pair(kind="fixed", name=name)


def links(*names: str) -> str:
    """Links on one root."""
    parts = [f"{link(name)}{joint(f'to {i}', 'root', name)}" for i, name in enumerate(names)]
    return robot(link("root"), *parts)


IN_MUJOCO = Model(
    '<mujoco><worldbody><body name="b"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/>'
    '<geom size="1"/></body></worldbody></mujoco>',
    format="mjcf",
)
"""The reader makes a link between the two joints, and gives it a name that the file does not have."""

CASES = {
    "NAM-001": Cases(
        found={
            "a link": Model(called("b-c"), element="link 'b-c'"),
            "a joint that moves": Model(moved_by("b-c"), element="joint 'b-c'"),
            "both": Model(pair(name="j-1", child="b-c"), count=2),
        },
        silent={"an underscore": called("b_c"), "a fixed joint": fixed_by("b-c"), "a link that no file has": IN_MUJOCO},
    ),
    "NAM-002": Cases(
        found={
            "within": called("b c"),
            "of the robot": Model(robot(link("a"), name="a b"), element="robot 'a b'"),
            "of a model around it": Model(
                "<sdf version='1.9'><model name='m'><link name='a'/><model name='b c'><link name='l'/></model>"
                "<joint name='j' type='fixed'><parent>a</parent><child>b c::l</child></joint></model></sdf>",
                format="sdf",
                severity="info",
            ),
            "of a body of MuJoCo": Model(
                '<mujoco><worldbody><body name="b c"><joint/><geom size="1"/></body></worldbody></mujoco>',
                format="mjcf",
                severity="info",
                count=2,  # and its joint
            ),
            "at the end": Model(called("b "), says="the name begins or ends with white space"),
            "at the beginning": Model(moved_by(" j"), says="begins or ends with white space"),
        },
        silent={"an underscore": called("b_c"), "a fixed joint": fixed_by("b c")},
    ),
    "NAM-003": Cases(
        found={
            "a dot": Model(called("b.c"), says="'.'; names in ROS have", severity="info"),
            "two, each said once": Model(moved_by("a.b.c+d"), says="'+', '.'; names in ROS have"),
            "one colon": moved_by("b:c"),
            "three colons": Model(called("b:::c"), says="':'; names in ROS have", severity="info"),
        },
        silent={
            "all that is legal": called("Az09_/b"),
            "a hyphen, which another rule says": called("b-c"),
            "white space, which another rule says": called("b\u00a0c"),
            "of a nested model": called("b::c"),
            "a fixed joint": fixed_by("b.c"),
        },
    ),
    "NAM-004": Cases(
        found={
            "a link": Model(called("/b"), element="link '/b'"),
            "a link of Gazebo": Model(
                "<sdf version='1.5'><model name='m'><link name='/imu'/></model></sdf>", format="sdf", severity="info"
            ),
        },
        silent={"a slash within": called("b/c"), "a joint": moved_by("/j"), "a slash at the end": called("b/")},
    ),
    "NAM-005": Cases(
        found={
            "a digit": Model(called("1b"), says="begins with a digit"),
            "an underscore": Model(moved_by("_j"), says="begins with an underscore"),
        },
        silent={"a letter": called("b1_"), "a capital": called("B"), "a fixed joint": fixed_by("1")},
    ),
    "NAM-006": Cases(
        found={
            "a link": Model(
                called("B"), says="1 of 3 names of links and moving joints has capital letters, such as 'B'"
            ),
            "a joint and a link": Model(pair(child="bC", name="J"), says="2 of 3 names", element="robot 'r'"),
        },
        silent={"none": called("b"), "a fixed joint": fixed_by("J")},
    ),
    "NAM-014": Cases(
        found={
            "a letter too few": Model(
                links("gipper", "gripper_1", "gripper_2", "gripper_3"), says="the word 'gipper' is 'gripper' in 3 other"
            ),
            "a letter too many, in capitals": Model(
                links("a_Liink", "b_link", "c_link", "d_link"), element="link 'a_Liink'"
            ),
            "two letters exchanged": links("shuolder", "shoulder_1", "shoulder_2", "shoulder_3"),
            "the right side": Model(
                links("left_inner_knuckle", "right_inner_knuckler"), says="otherwise than 'left_inner_knuckle'"
            ),
            "several of the right side": Model(
                links("l_hip_Link", "l_knee_Link", "r_hip_link", "r_knee_link"), says="(also 'r_knee_link')"
            ),
            "the left side, if the right has the usual words": Model(
                links("left_ancle", "right_ankle", "ankle_cover"),
                says="otherwise than 'right_ankle'",
                element="link 'left_ancle'",
            ),
            "by the name of a mesh": Model(
                links("left_ancle", "right_ankle").replace("<link", "<!-- Ankle.stl --><link", 1),
                element="link 'left_ancle'",
            ),
            "a joint": robot(
                *(link(name) for name in "abc"),
                joint("left_wheel_joint", "a", "b", kind="continuous"),
                joint("right_whel_joint", "a", "c", kind="continuous"),
            ),
        },
        silent={
            "only two with the right word": links("gipper", "gripper_1", "gripper_2"),
            "twice": links("gipper_1", "gipper_2", "gripper_1", "gripper_2", "gripper_3"),
            "four letters": links("lnik", "link_1", "link_2", "link_3"),
            "one and several": links("finger", "fingers_1", "fingers_2", "fingers_3"),
            "another first letter": links("otor", "motor_1", "motor_2", "motor_3"),
            "another letter": links("ankle", "angle_1", "angle_2", "angle_3"),
            "the first two exchanged": links("omtor", "motor_1", "motor_2", "motor_3"),
            "the last two exchanged": links("motro", "motor_1", "motor_2", "motor_3"),
            "both sides": links("left_knuckle", "right_knuckle", "right_knuckler"),
            "both counterparts": links("left_knuckler", "right_knuckle", "left_knuckle", "right_knuckler"),
            "another number": links("left_knuckle_1", "right_knuckle_2"),
            "another part": links("left_knuckle", "right_thumb"),
            "a link and a joint": robot(
                *(link(name) for name in ("a", "b", "left_knuckle")),
                joint("right_knuckler", "a", "b", kind="continuous"),
                joint("j", "a", "left_knuckle"),
            ),
        },
    ),
}

"""The iCub's joints and links."""

from rule_cases.builders import inertial, joint, link
from rule_cases.case import Cases
from rule_cases.icubs import HEAVY, first_foot, half, hung, icub, more, of_type, renamed

CASES = {
    "ICUB-001": Cases(
        found={
            "fifteen joints": half(15),
            "fifteen with a prefix": half(15, "My-"),
            "sixteen with a prefix": half(16, "My-", says="names such as 'My-"),
            "all fixed": icub(('type="revolute"', 'type="fixed"'), says="has 0 of the iCub's 32 joints"),
            "all with a prefix": icub(
                *((f'joint name="{side}', f'joint name="my_{side}') for side in ("l_", "r_")),
                *((f'joint="{side}', f'joint="my_{side}') for side in ("l_", "r_")),
                says="names such as 'torso_pitch' are similar",
            ),
        },
        silent={"sixteen joints": half(16), "all": icub()},
    ),
    "ICUB-101": Cases(
        found={
            "none": icub(
                ('joint name="l_elbow"', 'joint name="left_elbow"'), about="joint 'l_elbow'", says="of board left_arm"
            ),
            "fixed": icub(
                of_type("l_elbow", "revolute", "fixed"),
                about="joint 'l_elbow'",
                says="the joint is fixed; expected revolute, as on board",
            ),
            "sliding": icub(of_type("l_elbow", "revolute", "prismatic"), about="joint 'l_elbow'"),
            "following": icub(
                (
                    '<joint name="l_elbow" type="revolute">',
                    '<joint name="l_elbow" type="revolute"><mimic joint="r_elbow"/>',
                ),
                about="joint 'l_elbow'",
                says="follows 'r_elbow', but on board left_arm it moves by itself",
            ),
        },
        silent={"all": icub(), "continuous": icub(of_type("l_elbow", "revolute", "continuous"), count=0)},
    ),
    "ICUB-102": Cases(
        found={
            "a tail": icub(
                more(link("tail"), joint("wag", "root_link", "tail", kind="continuous")),
                about="joint 'wag'",
                says="the joint moves, but",
            ),
            "on the forearm": icub(
                more(link("tail"), joint("wag", "l_forearm", "tail", kind="continuous")), about="joint 'wag'"
            ),
            "behind the hand, together with the eyes": icub(
                more(link("f"), link("g"), joint("f", "l_hand", "f"), joint("finger", "f", "g", kind="continuous")),
                about="robot 'icub'",
                says="have 4 moving joints: eyes_tilt, l_eye_pan_joint, r_eye_pan_joint, finger",
            ),
            "one eye": icub(
                of_type("l_eye_pan_joint", "revolute", "fixed"),
                of_type("eyes_tilt", "revolute", "fixed"),
                about="robot 'icub'",
                says="have 1 moving joint: r_eye_pan_joint",
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
                ('"l_leg_ft_sensor"', '"l_leg_ft"'),
                about="joint 'l_leg_ft_sensor'",
                says="the joint that sensor l_leg_ft measures does not exist",
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
                about="joint 'l_foot_ft_sensor'", severity="info", says="; feet of version 1 do not have it"
            )
        },
        silent={"all": icub()},
    ),
    "ICUB-201": Cases(
        found={
            "none": icub(
                renamed("l_hip_3", "l_hip_x"),
                about="link 'l_hip_3'",
                says="the link that joint 'l_leg_ft_sensor' carries below 'l_hip_2' does not exist",
            ),
            "none of the other foot": first_foot(renamed("r_ankle_2", "r_ankle_x"), about="link 'r_ankle_2'"),
        },
        remarked={"none of a first foot": first_foot(about="link 'l_ankle_2'", severity="info")},
        silent={"all": icub()},
    ),
    "ICUB-202": Cases(
        found={
            "a body": icub(
                more(link("pack", HEAVY), joint("p", "chest", "pack")),
                about="link 'pack'",
                says="the link has mass, but",
            ),
            "a body behind the hand": icub(
                more(link("ball", HEAVY), joint("p", "l_hand", "ball")),
                about="robot 'icub'",
                count=2,
                says="have 1 link with mass: ball",
            ),
            "links without mass": icub(
                about="robot 'icub'", says="do not list 3 links without mass: eyes_tilt_frame, l_eye"
            ),
            "one link more without mass": icub(
                more(link("pack", inertial(0, 0, 0, 0)), joint("p", "chest", "pack")),
                about="robot 'icub'",
                says="4 links",
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
                says="'l_shoulder_2' by joint 'l_elbow'; expected 'l_upper_arm' by 'l_elbow' (the naming conventions",
            ),
            "by another joint": icub(
                ('joint name="l_wrist_yaw"', 'joint name="l_wrist_x"'),
                about="link 'l_hand'",
                says="by joint 'l_wrist_x'; expected 'l_wrist_1' by 'l_wrist_yaw'",
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
                says="the joint 'mount' above root_link is continuous",
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
                says="is attached to the root",
            ),
            "floating": icub(
                more(link("world"), joint("m", "world", "root_link", kind="floating")),
                about="link 'root_link'",
                severity="info",
                says="floats relative to the root 'world' without an offset",
            ),
            "fixed with an offset": icub(
                more(link("pole"), joint("m", "pole", "root_link", xyz="0 0 0.000002")),
                about="link 'root_link'",
                severity="warning",
                says="with an offset, so poses in the two frames differ",
            ),
            "fixed with no offset to speak of": icub(
                more(link("pole"), joint("m", "pole", "root_link", xyz="0 0 0.0000005")),
                about="link 'root_link'",
                severity="info",
            ),
        },
        silent={"the root": icub(), "no root_link": icub(renamed("root_link", "hips"), about="link 'hips'")},
    ),
}

"""The iCub's axes, frames, sensors and limits."""

import kinetree as kt
from kinetree.formats.registry import FORMATS
from rule_cases.builders import joint, link
from rule_cases.case import Cases, Model
from rule_cases.icubs import (
    ON_BOARDS,
    SENSOR,
    SITS,
    about,
    hung,
    icub,
    leaning,
    limited,
    more,
    of_type,
    renamed,
    torso,
    within,
)

CASES = {
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
            "hardly more than a tenth of a degree": icub(leaning(0.101), about="joint 'l_elbow'"),
            "less than backwards": icub(leaning(164.7), about="joint 'l_elbow'", says="165 degrees off (0, 1, 0)"),
            "a fifth of a degree": icub(
                leaning(0.2), about="joint 'l_elbow'", says="0.2 degrees off (0, 1, 0), that of the naming conventions"
            ),
            "backwards": icub(leaning(180), about="joint 'l_elbow'", says="; reverse it"),
            "backwards, nearly": icub(leaning(165), about="joint 'l_elbow'", says="; reverse it"),
            "as on the page, where that is wrong": icub(
                about("torso_roll", "0 0 -1"),
                about="joint 'torso_roll'",
                says="that of the naming conventions, which are wrong here",
            ),
        },
        remarked={
            "right, where the page is wrong": icub(
                about="joint 'torso_roll'",
                severity="info",
                says="degrees off (-1, 0, 0), that of the naming conventions, which are wrong here",
            ),
            "the lean of the arms": icub(
                about="joint 'l_shoulder_roll'", severity="info", says="neglect that the arms lean"
            ),
        },
        silent={
            "hardly a tenth of a degree": icub(leaning(0.099), about="joint 'l_elbow'"),
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
                renamed("imu_frame", "imu"),
                about="frame 'imu_frame'",
                says="the frame does not exist; add it to 'head'",
            )
        },
        remarked={
            "by another name": icub(
                renamed("l_leg_ft_frame", "l_leg_ft"),
                about="frame 'l_leg_ft_frame'",
                severity="info",
                says="the frame is called 'l_leg_ft'",
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
                says="the frame is fixed to 'chest'; expected 'head'",
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
                renamed("l_forearm_dh_frame", "x"),
                about="frame 'l_forearm_dh_frame'",
                says="the frame of SKIN_LEFT_FOREARM does not exist; add it to 'l_forearm'",
            )
        },
        silent={"all": icub(), "no frame of the skin": icub(renamed("imu_frame", "imu"))},
    ),
    "ICUB-404": Cases(
        found={
            "none": icub(
                (SENSOR, SENSOR.replace("l_arm_ft_sensor", "l_elbow")),
                about="joint 'l_arm_ft_sensor'",
                says="no sensor measures the joint: the sensor 'l_arm_ft' measures 'l_elbow'",
            ),
            "called otherwise": icub(
                ('<sensor name="l_arm_ft"', '<sensor name="l_wrench"'),
                about="sensor 'l_wrench'",
                says="so its name is wrong; expected 'l_arm_ft'",
            ),
            "of none": icub(
                (SENSOR, SENSOR.replace("l_arm_ft_sensor", "l_elbow").replace("l_arm_ft", "x")),
                about="joint 'l_arm_ft_sensor'",
                says="the sensor 'l_arm_ft' does not exist",
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
                ("child_to_parent", "parent_to_child"), count=6, says="expected child_on_parent, as on the robot"
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
            "hardly below": within(-100.0505),
            "below": within(
                -100.06, says="-100.1 to 0 degrees, but the board of iCubGenova02 allows -100 to 0 degrees"
            ),
            "above": within(-100, 0.06),
            "the other way round": within(-1, 100, says="; with the opposite sign, -100 to 1 degrees, it fits better"),
            "without limits": icub(
                of_type("l_knee", "revolute", "continuous"),
                about="joint 'l_knee'",
                says="the range is unlimited, but the board",
            ),
        },
        silent={
            "hardly rounded": within(-100.0495),
            "the board's": within(-100),
            "less": within(-90, -10),
            "rounded below": within(-100.04),
            "rounded above": within(-100, 0.04),
            "those of one robot's boards": Model(ON_BOARDS),
            "of another family": Model(
                FORMATS["urdf"].write(kt.load("icub:3"), ("geometry", "group", "coupled_limit"))
            ),
        },
    ),
    "ICUB-502": Cases(
        found={
            "a little more than a turn": within(-361, says="are more than a turn; are they in degrees?"),
            "upwards": within(0, 361),
        },
        silent={
            "a turn": within(-360),
            "no limits": icub(of_type("l_knee", "revolute", "continuous"), about="joint 'l_knee'"),
            "of the eyes": icub(limited("eyes_tilt", -999, 999)),
        },
    ),
}

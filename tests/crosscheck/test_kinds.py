"""The kind of every robot of example-robot-data, decided by hand, and REP-199 about arms alone."""

import pytest

import kinetree as kt
from arm_trees import found
from kinetree.rules.facts import kinds_of
from support import REFUSED, example_robot_urdfs, icub_urdfs

KINDS = {
    "arm": "baxter kinova panda panda_collision so100 so101 talos_left_arm ur10_joint_limited_robot ur10_robot "
    "ur3_gripper ur3_joint_limited_robot ur3_robot ur5_gripper ur5_joint_limited_robot ur5_robot xarm7 z1",
    "mobile-manipulator": "pr2 tiago tiago_dual tiago_no_hand tiago_pro",
    "humanoid": "alex_nub_hands alex_sake_hands g1_29dof_rev_1_0 g1_29dof_with_hand_rev_1_0 human icub icub_reduced "
    "romeo romeo_laas_small romeo_small simple_humanoid simple_humanoid_classical talos_full_v2 "
    "talos_full_v2_box talos_reduced talos_reduced_box talos_reduced_corrected",
    "legged": "a1 alexander_v1.lowerBodyOnly anymal-kinova anymal b1-z1 b1 bolt centauro go1 go2 hyq_no_sensors "
    "laikago quadruped solo solo12",
    "hand": "allegro_left_hand allegro_right_hand finger_edu",
    "drone": "borinot_flying_arm_2 hextilt_flying_arm_5 iris",
    "object": "quadrotor_base iris_simple",
    "other": "TwoDofs double_pendulum double_pendulum_continuous double_pendulum_simple",
}
"""Files by what the robot is; two are called anymal. The quadrotor is a body without rotors."""

pytestmark = pytest.mark.crosscheck
OF_PARTS = {"left_hand_mk3": "hand", "left_wrist_mk2": "arm"}
"""Models of icub-models that are no whole iCub."""
WITH_ARMS = ("arm", "mobile-manipulator")


def test_robots_of_example_robot_data():
    expected = {name: kind for kind, names in KINDS.items() for name in names.split()}
    for path in example_robot_urdfs():
        if path.name not in REFUSED:
            robot = kt.load(path)
            kinds = kinds_of(robot)
            assert kinds.kind == expected[path.stem], (path.stem, kinds.reasons)
            assert bool(found(robot)) is (kinds.kind in WITH_ARMS), path.stem


def test_icubs_are_humanoids():
    for path in icub_urdfs():
        robot = kt.load(path)
        assert kinds_of(robot).kind == OF_PARTS.get(path.parent.name, "humanoid")
        assert not found(robot)

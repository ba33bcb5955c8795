"""The arms of a robot, by the frames that REP-199 names and by chains of joints."""

import pytest

import kinetree as kt
from arm_trees import RULES, UNABLE, arms, chain, found, in_words, single, tree
from each import each
from kinetree.rules.examples import ARM
from support import ask

EXAMPLES = {
    "single": (single(), [""]),
    "with an end effector": (
        [
            *single(),
            "flange eef_base_link",
            "eef_base_link *eef_link_1",
            "eef_base_link *eef_link_2",
            "flange welding_tcp",
        ],
        [""],
    ),
    "an arm and a positioner": (
        ["world robot_base_link", "world positioner_base_link", *single("robot_"), *single("positioner_", 2)],
        ["robot_", "positioner_"],
    ),
    "two arms": (
        [
            "base_link base",
            "base_link left_base_link",
            "base_link right_base_link",
            *single("left_"),
            *single("right_"),
        ],
        ["left_", "right_"],
    ),
}
"""The example hierarchies of REP-199, and the prefixes of their arms."""
FRIENDS = ("camera_flange", "mounting_flange", "tool_flange", "sensor_tool0", "joint4_flange")
"""What is called like a frame of REP-199, and is none."""


class TestArms:
    @pytest.mark.parametrize("foot", ["link_6", "wrist_3"])
    def test_a_tool_of_three_joints_beside_flange_is_no_part_of_the_arm(self, foot):
        """It hangs wrong, and the frames of the arm are right."""
        lines = single() if foot == "link_6" else [line.replace("link_6", "wrist_3") for line in single()]
        robot = tree(*lines, f"{foot} *t_a", "t_a *t_b", "t_b *t_c")
        (arm,) = arms(robot)
        assert (arm.end, len(arm.moving)) == (foot, 6)
        codes = set(found(robot)) & {"R199-401", "R199-403", "R199-404", "R199-504", "R199-505"}
        assert codes == {"R199-401"}

    @pytest.mark.parametrize("prefix", ["", "r1_"])
    def test_numbered_fingers_on_a_base_link_of_their_own_are_no_arm(self, prefix):
        hand = [
            f"{prefix}flange gripper_base_link",
            *(f"gripper_base_link *gripper_link_{k}" for k in (1, 3)),
            *(f"gripper_link_{k} *gripper_link_{k + 1}" for k in (1, 3)),
        ]
        robot = tree(*single(prefix), *hand)
        assert [arm.prefix for arm in arms(robot)] == [prefix]

    @each("hand", [["link_6 *jaw"], ["link_6 *claw", "claw *claw_tip"], ["link_6 *finger_1", "link_6 *finger_2"]])
    def test_a_gripper_is_no_part_of_the_arm(self, hand):
        (arm,) = arms(tree(*chain("", "base_link"), *hand))
        assert (arm.end, len(arm.moving)) == ("link_6", 6)

    @each("name", EXAMPLES)
    def test_the_examples_of_the_rep_follow_it(self, name):
        lines, prefixes = EXAMPLES[name]
        robot = tree(*lines)
        assert [arm.prefix for arm in arms(robot)] == prefixes
        assert not set(found(robot, remarks=True, profile="industrial-strict")) - {*UNABLE, "R199-201"}  # no controller
        for arm in arms(robot):
            assert arm.base_link == f"{arm.prefix}base_link"
            assert arm.tool0 == f"{arm.prefix}tool0"
            assert arm.moving == tuple(
                f"{arm.prefix}link_{i + 1}_joint" for i in range(2 if "positioner" in arm.prefix else 6)
            )

    def test_two_arms_on_a_waist_begin_behind_it(self):
        sides = [line for side in ("left_", "right_") for line in ("waist " + side + "base_link", *single(side))]
        robot = tree("base_link *waist", *sides)
        assert [(arm.prefix, len(arm.moving), arm.foot) for arm in arms(robot)] == [
            ("left_", 6, "waist"),
            ("right_", 6, "waist"),
        ]

    @each("friend", ["fanuc_flange", "hand_flange", "link_6_flange", "link_flange"])
    def test_false_friends_make_no_arm_of_their_own(self, friend):
        robot = tree(*single(), f"flange {friend}")
        (arm,) = arms(robot)
        assert (arm.prefix, arm.flange) == ("", "flange")
        lonely = tree(*single()[:-2], f"link_6 {friend}")
        (arm,) = arms(lonely)
        assert (arm.prefix, arm.flange, arm.base_link) == ("", None, "base_link")
        (missing,) = [f for f in ask(lonely, RULES) if f.code == "R199-401"]
        assert missing.severity == "warning"
        assert f"'{friend}' is another frame" in missing.message

    @each("friend", [*FRIENDS, "link_3_flange", "forearm_flange"])
    @each("names", ["link", "word"])
    def test_a_false_friend_on_a_link_before_the_last_is_no_end(self, names, friend):
        lines = single() if names == "link" else [in_words(line) for line in single()]
        robot, hung = tree(*lines), tree(*lines, f"{lines[3].split()[1].strip('*')} {friend}")
        assert arms(hung)[0].end == arms(robot)[0].end
        assert found(hung) == found(robot)

    @pytest.mark.parametrize("prefix", ["", "left_"])
    def test_a_bare_flange_on_a_middle_link_is_none_of_an_arm_with_a_prefix(self, prefix):
        (arm,) = arms(tree(*single("left_"), "left_link_3 flange", "left_link_3 left_hand_flange"))
        assert (arm.prefix, arm.end, arm.flange) == ("left_", "left_link_6", "left_flange")

    @each("names", ["link", "word"])
    @each(
        "wrong, expected",
        [
            ({"link_6 flange": "link_5 flange"}, {"R199-404": "flange", "R199-504": "tool0"}),
            (
                {"link_6 flange": "link_5 flange", "link_5 *link_6": "flange *link_6"},
                {"R199-404": "flange", "R199-504": "tool0"},
            ),
            ({"flange tool0": "link_5 tool0"}, {"R199-504": "tool0"}),
            ({"flange tool0": "link_2 tool0"}, {"R199-504": "tool0"}),
            ({"link_6 flange": "link_5 flange", "flange tool0": "link_6 tool0"}, {"R199-404": "flange"}),
            ({"link_6 flange": "link_3 flange"}, {"R199-404": "flange", "R199-504": "tool0"}),
            ({"link_6 flange": "base_link flange"}, {"R199-404": "flange", "R199-504": "tool0"}),
            ({"link_6 flange": "link_6 *flange"}, {"R199-404": "flange"}),
            ({"flange tool0": "flange *tool0"}, {"R199-504": "tool0"}),
        ],
    )
    def test_frames_that_are_not_on_the_last_link_are_blamed_and_nothing_else(self, wrong, expected, names):
        lines = [wrong.get(line, line) for line in single()]
        if names == "word":
            lines = [in_words(line) for line in lines]
        robot = tree(*lines)
        faults = {f.code: f for f in ask(robot, RULES) if f.code not in (*UNABLE, "R199-301") and f.severity != "info"}
        assert {code: f.element for code, f in faults.items()} == {c: f"link '{name}'" for c, name in expected.items()}
        assert {f.severity for f in faults.values()} == {"error"}

    def test_the_chain_goes_on_to_no_finger_behind_its_flange(self):
        fingers = tree(*single(), "flange palm", "palm *link_7", "palm *link_8")
        assert [arm.end for arm in arms(fingers)] == ["link_6"]
        short = tree(*single(n=5), "link_5 *link_6", "link_6 *link_7", "link_6 *link_8")
        assert [arm.end for arm in arms(short)] == ["link_6"]

    def test_a_hand_beside_flange_is_no_part_of_the_chain(self):
        thumb = [*single(), "link_6 palm", *(f"{f'f{i}' if i else 'palm'} *f{i + 1}" for i in range(5)), "palm *g"]
        assert [arm.end for arm in arms(tree(*thumb))] == ["link_6"]
        mounted = [in_words(line) for line in single()] + ["flange *a", "a *b", "b *c"]
        assert [arm.end for arm in arms(tree(*mounted))] == ["wrist_3_link"]

    def test_a_device_on_a_link_with_all_four_frames_is_no_arm(self):
        camera = ["link_3 camera_base_link", "camera_base_link camera_base", "camera_base_link camera_flange"]
        robot = tree(*single(), *camera, "camera_flange camera_tool0")
        assert [(arm.prefix, arm.end) for arm in arms(robot)] == [("", "link_6")]
        assert not set(found(robot)) - set(UNABLE)

    def test_any_number_of_arms_with_numbered_links_are_no_legs(self):
        robot = tree(*(line for p in "abc" for line in (f"world {p}_base_link", *chain(f"{p}_", "base_link"))))
        assert [(arm.prefix, len(arm.moving)) for arm in arms(robot)] == [("a_", 6), ("b_", 6), ("c_", 6)]

    def test_a_friend_does_not_shorten_an_arm_without_base_link(self):
        robot = tree(*(line.replace("base_link", "foot") for line in single()), "link_5 tool_flange")
        assert [(arm.end, len(arm.moving)) for arm in arms(robot)] == [("link_6", 6)]

    @pytest.mark.parametrize("names", ["link", "word"])
    def test_a_base_link_that_moves_with_the_chain_is_said_and_nothing_else(self, names):
        lines = [line.replace("base_link", "foot") for line in single()] + ["link_1 base_link"]
        if names == "word":
            lines = [in_words(line) for line in lines]
        (fault,) = [f for f in ask(tree(*lines), RULES) if f.code not in (*UNABLE, "R199-301") and f.severity != "info"]
        assert (fault.code, fault.severity, fault.element) == ("R199-101", "error", "link 'base_link'")
        assert fault.message.endswith("expected on 'foot', where the arm begins")

    def test_an_arm_on_a_carriage_begins_there(self):
        (arm,) = arms(tree("plant *carriage", "carriage base_link", *single()))
        assert (arm.base_link, arm.foot, len(arm.moving)) == ("base_link", "carriage", 6)
        robot = tree("plant *carriage", "carriage base_link", *single()[1:], "plant base")
        (fault,) = [f for f in ask(robot, RULES) if f.severity == "error"]
        assert (fault.code, fault.message) == (
            "R199-203",
            "this frame moves with 'plant'; expected fixed to 'base_link'",
        )
        assert not {"R199-205", "R199-201"} & set(found(robot, controller="fanuc"))

    def test_an_arm_may_stand_on_another(self):
        robot = tree(*single("gantry_", 3), "gantry_flange robot_base_link", *single("robot_"))
        assert [(arm.prefix, len(arm.moving)) for arm in arms(robot)] == [("gantry_", 3), ("robot_", 6)]
        hand = tree(*single(), "flange hand_base_link", "hand_base_link hand_flange", "hand_flange hand_tool0")
        assert [arm.prefix for arm in arms(hand)] == [""]

    def test_a_chain_without_names_is_an_arm_up_to_its_fingers(self):
        robot = tree(*(f"j{i} *j{i + 1}" for i in range(6)), "j6 palm", "palm *finger_a", "palm *finger_b")
        (arm,) = arms(robot)
        assert (arm.prefix, arm.end, len(arm.moving)) == ("", "j6", 6)
        assert {"R199-101", "R199-208", "R199-301", "R199-401", "R199-501"} <= set(found(robot))

    @each("fingers, joints", [(2, 1), (2, 4), (3, 3), (4, 4), (5, 3), (5, 5)])
    @each("names", ["link", "word"])
    def test_a_hand_is_no_part_of_the_arm_however_many_fingers_it_has(self, names, fingers, joints):
        lines = [line if names == "link" else in_words(line) for line in chain("", "base_link")]
        end = lines[-1].split()[1].strip("*")
        hand = [f"{end} palm"] + [
            f"{f'f{i}_{k}' if k else 'palm'} *f{i}_{k + 1}" for i in range(fingers) for k in range(joints)
        ]
        robot = tree(*lines, *hand)
        assert [(arm.end, len(arm.moving)) for arm in arms(robot)] == [(end, 6)]
        assert {"R199-401", "R199-501"} <= set(found(robot))

    def test_two_arms_on_a_torso_are_no_hand(self):
        torso = [f"t{i} *t{i + 1}" for i in range(4)]
        sides = [f"{f'{side}_{i}' if i else 't4'} *{side}_{i + 1}" for side in ("left", "right") for i in range(6)]
        assert [(arm.prefix, len(arm.moving)) for arm in arms(tree(*torso, *sides))] == [("left_", 6), ("right_", 6)]

    def test_a_torso_with_names_of_its_own_is_no_part_of_the_arms(self):
        """As on Yaskawa's SDA10F."""
        lines = [
            line
            for arm, torso in (("1", "3"), ("2", "4"))
            for line in (
                f"base_link *g{torso}/base_link",
                *chain(f"g{arm}/", "base_link"),
                f"g{arm}/link_6 g{arm}/tool0",
            )
        ]
        robot = tree(*(line.replace("g1/base", "g3/base").replace("g2/base", "g4/base") for line in lines))
        assert [(arm.foot, len(arm.moving)) for arm in arms(robot)] == [("g3/base_link", 6), ("g4/base_link", 6)]
        assert not {"R199-301", "R199-701"} & set(found(robot))

    def test_legs_are_no_arms(self):
        robot = tree(*(f"{'body' if i == 0 else f'leg{n}_{i}'} *leg{n}_{i + 1}" for n in range(4) for i in range(5)))
        assert arms(robot) == ()
        assert not ask(robot, RULES)

    def test_a_base_with_a_shape_is_a_body_not_the_controllers_frame(self):
        text = ARM.replace('"base"', '"frame"').replace('"base_link"', '"base"')
        (arm,) = arms(kt.load(text, format="urdf"))
        assert arm.base is None
        assert {"R199-101", "R199-208"} <= set(found(kt.load(text, format="urdf")))

    def test_what_is_missing_is_an_error_where_the_profile_is_strict(self):
        robot = kt.load(ARM.replace('"tool0"', '"tool_centre"'), format="urdf")
        for profile, severity in (("industrial", "warning"), ("industrial-strict", "error")):
            assert {f.severity for f in kt.check(robot, profile=profile) if f.code == "R199-501"} == {severity}

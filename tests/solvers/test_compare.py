"""Are these two the same robot? Robots that are known to differ in one thing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.robot import NO_AXES, CoupledLimit, Dynamics, Inertial, Joint, Limit, Link, Mimic, Robot, Sensor
from kinetree.model.tree import build_tree
from kinetree.solvers.compare.bodies import Match
from kinetree.spatial import se3
from physics import everything, random_pose
from support import example_robot_urdfs, icub_urdfs


def icub(name: str) -> Robot:
    return kt.load(next(p for p in icub_urdfs() if p.parent.name == name))


def with_joint(robot: Robot, name: str, **changes) -> Robot:
    parts = parts_of(robot)
    parts.joints = [replace(j, **changes) if j.name == name else j for j in parts.joints]
    return build(parts)


def counted(comparison: kt.solvers.compare.Comparison) -> list[tuple[str, str]]:
    return [(d.kind, d.element) for d in comparison.differences if d.counts]


def rotated(robot: Robot, name: str, sign: float, zero: float) -> Robot:
    """The same mechanism with another sign and zero of one joint: q' = sign q + zero."""
    joint = robot.joints[name]
    back = joint.kind.transform(joint.axes, joint.pitch, np.array([-sign * zero]))
    limits = tuple(replace(x, lower=min(sign * x.lower, sign * x.upper) + zero,
                           upper=max(sign * x.lower, sign * x.upper) + zero) for x in joint.limits)  # fmt: skip
    return with_joint(
        robot, name, origin=se3.frozen(joint.origin @ back), axes=se3.frozen(sign * joint.axes), limits=limits
    )


class TestSame:
    @pytest.mark.parametrize(
        "name", [pytest.param("iCubGazeboV2_7", marks=pytest.mark.slow), "iCubGenova03", "left_hand_mk3"]
    )
    @pytest.mark.slow
    def test_a_robot_and_itself_under_edits(self, name):
        robot = icub(name)
        renamed = kt.edit.prefix(robot, "x_")
        for other in (robot, renamed, kt.edit.merge_fixed(robot), kt.edit.merge_fixed(renamed)):
            comparison = kt.compare(robot, other)
            assert comparison.same, str(comparison)
            assert comparison.same_mechanism
            assert max(comparison.pose_error) < 1e-12
            assert str(comparison).startswith("the same robot")
        assert kt.compare(robot, renamed).joints == {n: f"x_{n}" for n in moving(robot)}
        assert not kt.compare(robot, robot).differences

    @pytest.mark.slow
    def test_every_joint_type(self):
        robot = everything()
        for other in (robot, kt.edit.prefix(robot, "x_"), kt.edit.merge_fixed(robot)):
            assert not kt.compare(robot, other).differences

    def test_bodies_described_in_other_frames_and_under_other_names(self):
        """Every link's frame is moved and every name changed: nothing but the mechanism is left to go by."""
        rng = np.random.default_rng(5)
        robot = kt.edit.prefix(serial(), "y_")
        for name in robot.links:
            robot = kt.edit.move_frame(robot, name, random_pose(rng))
        comparison = kt.compare(serial(), robot, base="any")
        assert comparison.same, str(comparison)
        assert max(comparison.pose_error) < 1e-12

    @pytest.mark.slow
    def test_parallel_axes_on_another_base(self):
        """Directions alone leave the turn about the axes open; the distances between them do not."""
        z = se3.frozen([[0.0, 0.0, 1.0]])
        links = [Link("a"), *(Link(f"{k}", Inertial(1.0, np.eye(3), se3.translation((0.1, 0, 0)))) for k in "bcd")]
        joints = [
            Joint(f"j{i}", "revolute", parent, child, se3.translation((0.3 * i, 0.1, 0)), z)
            for i, (parent, child) in enumerate(("ab", "bc", "cd"))
        ]
        robot = build(Parts("scara", links, joints))
        T = se3.translation((1, 2, 3)) @ se3.turn((0.0, 0.6, 0.8), 0.7)
        other = kt.edit.prefix(kt.edit.move_frame(robot, "a", T), "x_")
        comparison = kt.compare(robot, other, base="any")
        assert comparison.same
        assert str(comparison).splitlines()[0] == "the same robot on another base"
        assert [d.kind for d in comparison.differences if d.kind != "frame"] == ["base"], str(comparison)
        comparison = kt.compare(robot, other)
        assert not comparison.same
        assert comparison.same_mechanism
        assert counted(comparison) == [("base", "frame 'a'")]
        assert str(comparison).splitlines()[0] == "not the same robot, but the same mechanism on another base"

    def test_a_link_without_mass_is_a_frame(self):
        robot = serial()
        T = random_pose(np.random.default_rng(1))
        parts = parts_of(robot)
        parts.links.append(Link("tool"))
        parts.joints.append(Joint("tool_joint", "fixed", "link5", "tool", T))
        assert not kt.compare(build(parts), kt.edit.add_frame(robot, "tool", "link5", T)).differences

    @pytest.mark.slow
    def test_rounded_numbers_are_the_same_robot_to_the_default_tolerance(self):
        robot = serial()
        origin = robot.joints["joint2"].origin @ se3.turn((1.0, 0.0, 0.0), 3.7e-6)
        assert kt.compare(robot, with_joint(robot, "joint2", origin=origin)).same
        assert not kt.compare(robot, with_joint(robot, "joint2", origin=origin), tolerance=1e-7).same

    def test_what_one_robot_is_silent_about_is_a_remark(self):
        robot = serial()
        parts = parts_of(robot)
        parts.links = [replace(link, inertial=None) for link in parts.links]
        silent = {"velocity": np.inf, "effort": np.inf}
        parts.joints = [replace(j, limits=tuple(replace(x, **silent) for x in j.limits)) for j in parts.joints]
        parts.sensors = [Sensor("eye", "camera", "link0")]
        comparison = kt.compare(kt.edit.add_frame(robot, "spot", "link5", se3.translation((0, 0, 1))), build(parts))
        assert comparison.same
        remarks = {str(d) for d in comparison.differences}
        assert remarks == {
            "limits: only the first robot has velocity limits",
            "limits: only the first robot has effort limits",
            "inertias: only the first robot has any",
            "frames: only the first robot has spot",
            "sensors: only the second robot has eye",
        }

    def test_ranges_that_only_one_has_make_a_difference(self):
        robot = serial()
        parts = parts_of(robot)
        parts.joints = [replace(joint, limits=()) for joint in parts.joints]
        comparison = kt.compare(robot, build(parts))
        assert not comparison.same
        assert comparison.same_mechanism
        assert "limits: only the first robot has position limits" in {str(d) for d in comparison.differences}

    @pytest.mark.slow
    def test_another_order_of_q_is_a_remark(self):
        robot = everything()
        other = robot.order(reversed(robot.joint_names))
        comparison = kt.compare(robot, other)
        first, last = robot.joint_names[0], robot.joint_names[-1]
        expected = f"q: is ordered otherwise: the first robot has joint {first!r} where the second has {last!r}"
        assert [(str(d), d.kind, d.counts) for d in comparison.differences] == [(expected, "order", False)]
        assert comparison.same
        renamed = kt.edit.prefix(other, "x_")
        comparison = kt.compare(robot, renamed)
        assert [d.kind for d in comparison.differences] == ["order"]
        corrected = renamed.order([comparison.joints[name] for name in robot.joint_names])
        assert not kt.compare(robot, corrected).differences
        less = kt.edit.lock(robot, {first: robot.q()[robot.q_slices[first]]})
        assert "order" not in {d.kind for d in kt.compare(robot, less).differences}

    def test_a_base_that_was_turned_under_another_name_is_no_same_robot(self):
        """Every pose in the root frame differs, whatever the frame is called."""
        robot = serial()
        T = se3.translation((2, 0, 0)) @ se3.turn((1.0, 0.0, 0.0), np.pi)
        other = kt.edit.rename(with_joint(robot, "joint0", origin=se3.frozen(T @ robot.joints["joint0"].origin)),
                               {"root": "foot"})  # fmt: skip
        comparison = kt.compare(robot, other)
        assert not comparison.same
        assert comparison.same_mechanism
        assert str(comparison).startswith("not the same robot, but the same mechanism on another base\n")
        assert "the root frame of the second robot is 2 m away and is turned by 180 deg" in str(comparison)
        assert kt.compare(robot, other, base="any").same
        with pytest.raises(kt.KinetreeError, match="expected 'same' or 'any'"):
            kt.compare(robot, other, base="none")


def moving(robot: Robot) -> list[str]:
    return [name for name in robot.placed if robot.joints[name].kind.nq]


def serial(n: int = 6) -> Robot:
    """A serial arm of hinges, one slide and one screw, with mass and limits; no symmetry, no parallel axes."""
    rng = np.random.default_rng(11)
    links, joints = [Link("root")], []
    for i in range(n):
        type_name = {2: "prismatic", 4: "screw"}.get(i, "revolute")
        axis = rng.normal(size=3)
        a = rng.normal(size=(3, 3))
        links.append(Link(f"link{i}", Inertial(1.0 + i, se3.frozen(a @ a.T), random_pose(rng))))
        joints.append(
            Joint(
                f"joint{i}",
                type_name,
                links[i].name,
                f"link{i}",
                random_pose(rng),
                se3.frozen([axis / np.linalg.norm(axis)]),
                pitch=0.1 if type_name == "screw" else 0.0,
                limits=(Limit(-1.0, 2.0, 3.0, 4.0),),
            )
        )
    return build(Parts("serial", links, joints))


AXES = {  # what differs of the second of three joints, and what is said of its axis
    "less pitch": ({"pitch": -0.3}, "its pitch is 0.1 and -0.3 m/rad", 0.0),
    "all": (
        {"pitch": 0.2, "axes": [[0.6, 0.0, 0.8]], "origin": se3.translation((0, 0.4, 0.5))},
        "its axis is tilted by 36.9 deg and its axis is 0.3 m away and its pitch is 0.1 and 0.2 m/rad",
        np.arcsin(0.6),
    ),
}


def test_what_differs_of_an_axis_is_said():
    z, p = se3.frozen([(0.0, 0.0, 1.0)]), [se3.translation(at) for at in ((0, 0.1, 0.5), (0.3, 0.1, 0.5))]
    joints = [
        Joint("i", "revolute", "a", "b", axes=se3.frozen([(1.0, 0.0, 0.0)])),
        Joint("j", "screw", "b", "c", se3.frozen(p[0]), z, pitch=0.1),
        Joint("k", "revolute", "c", "d", se3.frozen(p[1]), z),
    ]
    robot = build(Parts("r", list(map(Link, "abcd")), joints))
    for changes, said, amount in AXES.values():
        other = with_joint(robot, "j", **{k: v if k == "pitch" else se3.frozen(v) for k, v in changes.items()})
        found = [(d.kind, d.element, d.message, round(d.amount, 9)) for d in kt.compare(robot, other).differences]
        assert found == [("axis", "joint 'j'", said, round(amount, 9))]


class TestDifferent:
    @pytest.mark.slow
    def test_two_versions_of_the_icub_differ_where_they_are_known_to(self):
        comparison = kt.compare(icub("iCubGazeboV2_5"), icub("iCubGazeboV2_7"))
        assert not comparison.same
        assert comparison.same_mechanism
        assert counted(comparison) == [
            ("frame", "frame 'imu_frame'"),
            ("frame", "frame 'head_imu_0'"),
            ("sensor", "sensor 'head_imu_0'"),
        ]
        assert "frames: only the second robot has root_link_imu_frame" in str(comparison)
        assert "turned by 180 deg" in str(comparison)

    @pytest.mark.slow
    @pytest.mark.parametrize("named", [True, False])
    @pytest.mark.parametrize(
        "joint", ["joint0", *(pytest.param(f"joint{i}", marks=pytest.mark.slow) for i in range(1, 6))]
    )
    @pytest.mark.parametrize(("sign", "zero"), [(-1.0, 0.0), (1.0, np.pi / 2), (1.0, -0.4), (-1.0, 0.4)])
    def test_signs_and_zeros(self, named, joint, sign, zero):
        a = serial()
        b = rotated(a, joint, sign, zero)
        b = b if named else kt.edit.prefix(b, "z_")
        comparison = kt.compare(a, b)
        assert comparison.same_mechanism
        if (named, joint, sign) == (False, "joint0", 1.0) and zero:
            # without names the base may as well have been turned, which leaves but the limits to explain
            turned = kt.compare(a, b, base="any")
            assert [d.kind for d in turned.differences if d.kind != "frame"] == ["base", "limit"]
        assert not comparison.same
        expected = [kind for kind, there in (("sign", sign < 0), ("zero", zero != 0)) if there]
        assert [d.kind for d in comparison.differences] == expected, str(comparison)
        assert all(f"joint {joint!r}" in d.element for d in comparison.differences)
        assert max(comparison.pose_error) < 1e-12
        for difference in comparison.differences:
            if difference.kind == "zero":
                assert difference.amount == pytest.approx(zero, abs=1e-9)

    def test_a_sign_on_another_base_with_a_frame_in_common(self):
        robot = kt.edit.add_frame(serial(), "mark", "root", random_pose(np.random.default_rng(2)))
        other = rotated(kt.edit.move_frame(robot, "root", random_pose(np.random.default_rng(3))), "joint0", -1.0, 0.0)
        other = kt.edit.rename(other, {"root": "foot"})
        comparison = kt.compare(robot, other, base="any")
        assert counted(comparison) == [("sign", "joint 'joint0'")]
        assert "the root frame of the second robot is" in str(comparison)

    def test_a_longer_link_is_blamed_on_one_joint(self):
        robot = serial()
        origin = robot.joints["joint3"].origin @ se3.translation(
            0.01 * np.cross(robot.joints["joint3"].axes[0], (0, 0, 1))
        )
        comparison = kt.compare(robot, with_joint(robot, "joint3", origin=origin))
        assert not comparison.same_mechanism
        assert ("axis", "joint 'joint3'") in counted(comparison)
        assert {e for k, e in counted(comparison) if k == "axis"} == {"joint 'joint3'"}
        expected = 0.01 * np.linalg.norm(np.cross(robot.joints["joint3"].axes[0], (0, 0, 1)))
        assert next(d.amount for d in comparison.differences if d.kind == "axis") == pytest.approx(expected, abs=1e-12)
        assert 0.001 < comparison.pose_error[0] < 0.1

    @pytest.mark.slow
    def test_a_longer_link_without_names_or_frames_in_common(self):
        rng = np.random.default_rng(5)
        robot = serial()
        side = np.cross(robot.joints["joint3"].axes[0], (0, 0, 1))
        other = with_joint(robot, "joint3", origin=robot.joints["joint3"].origin @ se3.translation(0.01 * side))
        other = kt.edit.prefix(other, "y_")
        for name in other.links:
            other = kt.edit.move_frame(other, name, random_pose(rng)) if name != other.root else other
        comparison = kt.compare(robot, other)
        assert counted(comparison) == [("axis", "joint 'joint3' ('y_joint3')")], str(comparison)

    @pytest.mark.slow
    def test_a_tilted_axis(self):
        robot = serial()
        axes = se3.frozen(robot.joints["joint1"].axes @ se3.rotation((1.0, 0.0, 0.0), 0.1).T)
        (difference,) = [
            d for d in kt.compare(robot, with_joint(robot, "joint1", axes=axes)).differences if d.kind == "axis"
        ]
        assert "tilted by" in difference.message

    @pytest.mark.slow
    def test_a_tilted_axis_that_another_zero_below_would_hide(self):
        """Turning wrist_1 by a quarter would bring the axis to where it was, and the mass and the frame elsewhere."""
        file = next(path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf")
        robot = kt.load(file)
        joint = robot.joints["wrist_2_joint"]
        assert joint.axis.tolist() == [0, 0, 1]
        comparison = kt.compare(robot, with_joint(robot, "wrist_2_joint", axes=se3.frozen([[1.0, 0.0, 0.0]])))
        assert [element for kind, element in counted(comparison) if kind == "axis"] == ["joint 'wrist_2_joint'"]
        assert not [element for kind, element in counted(comparison) if kind in ("zero", "inertia", "limit")]

    @pytest.mark.slow
    def test_type(self):
        robot = serial()
        comparison = kt.compare(robot, with_joint(robot, "joint5", type="prismatic"))
        assert "joint 'joint5': is screw" in str(kt.compare(with_joint(robot, "joint5", type="screw"), robot))
        assert "joint 'joint5': is revolute, in the second robot prismatic" in str(comparison)
        assert not comparison.same_mechanism
        ball = with_joint(robot, "joint5", type="ball", axes=NO_AXES, limits=())
        assert "is revolute, in the second robot ball" in str(kt.compare(robot, ball))

    @pytest.mark.slow
    def test_a_missing_branch(self):
        a = icub("iCubGazeboV2_7")
        comparison = kt.compare(a, kt.edit.remove(a, "l_shoulder_1"))
        assert "joint 'l_shoulder_pitch': only the first robot has it, with 6 joints behind it" in str(comparison)
        assert [k for k, _ in counted(comparison)] == ["joint"]
        comparison = kt.compare(kt.edit.remove(a, "l_shoulder_1"), a)
        assert "only the second robot has it" in str(comparison)

    @pytest.mark.slow
    def test_a_locked_joint(self):
        a = icub("iCubGazeboV2_7")
        comparison = kt.compare(a, kt.edit.lock(a, {"neck_yaw": 0.0}))
        assert ("joint", "joint 'neck_yaw'") in counted(comparison)

    def test_mimic(self):
        robot = everything()
        other = with_joint(robot, "finger", mimic=Mimic("thumb", 2.0, 0.3))
        comparison = kt.compare(robot, other)
        assert ("mimic", "joint 'finger'") in counted(comparison)
        assert "follows 'revolute_0' as -1 q + 0.5 in the first robot, -1 q + 0.7 in the second" in str(comparison)
        free = kt.compare(robot, with_joint(robot, "finger", mimic=None))
        assert "follows 'revolute_0' in the first robot, leads in the second" in str(free)
        assert not free.same_mechanism
        direct = with_joint(robot, "finger", mimic=Mimic("revolute_0", -1.0, 0.5))
        assert kt.compare(robot, direct).same

    def test_a_follower_of_a_turned_leader_is_no_difference(self):
        robot = everything()
        turned = rotated(robot, "revolute_0", -1.0, 0.2)
        parts = parts_of(turned)
        parts.joints = [
            replace(j, mimic=Mimic("revolute_0", 0.5, 0.1)) if j.name == "thumb" else j for j in parts.joints
        ]  # -0.5 q + 0.2 = 0.5 (-q + 0.2) + 0.1
        parts.coupled_limits = [
            replace(c, coefficients={**c.coefficients, "revolute_0": -1.0}, lower=c.lower - 0.2, upper=c.upper - 0.2)
            for c in parts.coupled_limits
        ]
        kinds = {k for k, _ in counted(kt.compare(robot, build(parts)))}
        assert kinds == {"sign", "zero"}

    @pytest.mark.slow
    def test_inertias(self):
        robot = serial()
        for change, words in (
            ({"mass": 9.0}, "mass is 4 kg, in the second robot 9 kg"),
            (
                {"origin": se3.frozen(robot.links["link3"].inertial.origin @ se3.translation((0, 0, 0.02)))},
                "0.02 m away",
            ),
            ({"inertia": se3.frozen(2 * robot.links["link3"].inertial.inertia)}, "inertia differs by"),
        ):
            parts = parts_of(robot)
            parts.links = [
                replace(k, inertial=replace(k.inertial, **change)) if k.name == "link3" else k for k in parts.links
            ]
            comparison = kt.compare(robot, build(parts))
            assert counted(comparison) == [("inertia", "link 'link3'")]
            assert words in str(comparison)
            assert comparison.same_mechanism

    def test_a_mass_is_that_of_the_link_that_has_it(self):
        """A world carries none, and of links that are fixed together the one that differs is named."""
        body = (
            "<inertial><mass value='{}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        )
        joint = "<joint name='{1}' type='{2}'><parent link='{0}'/><child link='{1}'/><axis xyz='0 0 1'/></joint>"
        links = "".join(f"<link name='{name}'>{body}" for name in ("base", "arm", "tool"))
        links += joint.format("base", "arm", "continuous") + joint.format("arm", "tool", "fixed")
        held = f"<robot name='r'><link name='world'/>{joint.format('world', 'base', 'fixed')}{links}</robot>"
        one = kt.load(held.format(3, 2, 1), format="urdf")
        other = kt.load(f"<robot name='r'>{links}</robot>".format(4, 2, 0.5), format="urdf")
        heavy, tool = kt.compare(one, other).differences
        assert (heavy.element, heavy.message) == ("link 'base'", "its mass is 3 kg, in the second robot 4 kg")
        assert tool.element == "link 'tool'"
        assert tool.message.startswith("with the links fixed to it, its mass is 3 kg, in the second robot 2.5 kg")
        assert [one.element for one in kt.compare(other, one).differences] == ["link 'base'", "link 'tool'"]

    def test_limits(self):
        robot = serial()
        for limit, words in (
            (Limit(-1.0, 2.5, 3.0, 4.0), "position limit is -1 to 2, in the second robot -1 to 2.5"),
            (Limit(-1.0, 2.0, 3.5, 4.0), "velocity limit is 3, in the second robot 3.5"),
            (Limit(-1.0, 2.0, 3.0), "effort limit is 4, in the second robot inf"),
        ):
            comparison = kt.compare(robot, with_joint(robot, "joint2", limits=(limit,)))
            assert counted(comparison) == [("limit", "joint 'joint2'")]
            assert words in str(comparison)

    @pytest.mark.slow
    def test_limits_of_followers(self):
        """A follower's range is a row on its leader; its speed and effort are its own."""
        robot = with_joint(everything(), "finger", limits=(Limit(-1.0, 2.0, 1.0, 4.0),))
        for limit, words in (
            (Limit(-1.0, 2.0, 9.0, 4.0), "joint 'finger': its velocity limit is 1, in the second robot 9"),
            (Limit(-1.0, 2.0, 1.0, 5.0), "joint 'finger': its effort limit is 4, in the second robot 5"),
        ):
            comparison = kt.compare(robot, with_joint(robot, "finger", limits=(limit,)))
            assert counted(comparison) == [("limit", "joint 'finger'")]
            assert words in str(comparison)
        comparison = kt.compare(robot, with_joint(robot, "finger", limits=(Limit(-1.0, 3.0, 1.0, 4.0),)))
        assert counted(comparison) == [("limit", "limit 'finger upper'")] * 2

    @pytest.mark.slow
    @each("name", ["floating_b4", "ball_b3", "universal_b2", "finger"])
    def test_a_joint_without_limits_and_one_with(self, name):
        robot = everything()
        comparison = kt.compare(robot, with_joint(robot, name, limits=()))
        assert {kind for kind, _ in counted(comparison)} == {"limit"}
        assert f"joint {name!r}: its velocity limit" in str(comparison)
        assert kt.compare(with_joint(robot, name, limits=()), with_joint(robot, name, limits=())).same

    def test_limits_that_make_no_sense_are_compared_as_they_stand(self):
        robot = with_joint(serial(), "joint2", limits=(Limit(2.0, -1.0, -3.0, -4.0),))
        assert kt.compare(robot, robot).same
        assert not kt.compare(robot, with_joint(robot, "joint2", limits=(Limit(-1.0, 2.0, 3.0, 4.0),))).same

    def test_coupled_limits(self):
        robot = serial()
        parts = parts_of(robot)
        parts.coupled_limits = [CoupledLimit("sum", {"joint0": 1.0, "joint1": 2.0}, -1, 1)]
        one = build(parts)
        assert {e for _, e in counted(kt.compare(robot, one))} == {"limit 'sum lower'", "limit 'sum upper'"}
        parts.coupled_limits = [CoupledLimit("twice", {"joint0": 2.0, "joint1": 4.0}, -2, 2)]
        assert kt.compare(one, build(parts)).same

    def test_sensors(self):
        robot = everything()
        parts = parts_of(robot)
        parts.sensors = [replace(s, type="camera") if s.name == "imu" else s for s in parts.sensors]
        assert counted(kt.compare(robot, build(parts))) == [("sensor", "sensor 'imu'")]

    def test_different_arms_do_not_crash(self):
        a, b = icub("left_wrist_mk2"), icub("left_hand_mk3")
        comparison = kt.compare(a, b)
        assert not comparison.same
        assert not kt.compare(everything(), serial()).same_mechanism


class TestFloating:
    """A URDF cannot say that its root floats; MJCF, SDF and OpenUSD can."""

    def floating(self) -> Robot:
        return with_joint(kt.edit.floating(serial()), "floating_base", origin=se3.frozen(se3.translation((0, 0, 0.7))))

    @each("swapped", [False, True])
    def test_one_robot_that_floats_is_a_remark(self, swapped):
        a, b = self.floating(), serial()
        comparison = kt.compare(*((b, a) if swapped else (a, b)))
        assert comparison.verdict == "the same robot"
        (remark,) = [d for d in comparison.differences if d.kind == "base"]
        assert (remark.element, remark.counts) == ("joint 'floating_base'", False)
        assert remark.message.startswith(f"the {'second' if swapped else 'first'} robot floats by it")
        assert comparison.links[serial().root] == serial().root

    def test_what_differs_above_it_is_still_named(self):
        limit = (Limit(-0.1, 0.2),)
        comparison = kt.compare(self.floating(), with_joint(serial(), "joint2", limits=limit))
        assert ("limit", "joint 'joint2'") in counted(comparison)

    def test_a_robot_that_the_world_holds_is_another_one(self):
        held = kt.edit.floating(serial())
        assert not kt.compare(self.floating(), with_joint(held, "floating_base", type="fixed")).same_mechanism

    @pytest.mark.slow
    def test_two_that_float_are_compared_with_their_joints(self):
        assert counted(kt.compare(self.floating(), kt.edit.floating(serial())))
        assert kt.compare(self.floating(), self.floating()).same


@each("more", [{"tolerance": np.nan}, {"tolerance": 0.0}, {"relative": np.inf}])
def test_tolerances_that_mean_nothing_are_refused(more):
    with pytest.raises(kt.KinetreeError, match="expected a finite number above 0"):
        kt.compare(serial(), serial(), **more)


@each("samples", [0, -1, 1_000_001])
def test_numbers_of_samples_that_mean_nothing_are_refused(samples):
    with pytest.raises(kt.KinetreeError, match=f"samples is {samples}; expected whole numbers from 1 to 1000000"):
        kt.compare(serial(), serial(), samples=samples)


def test_a_follower_whose_leader_the_other_robot_lacks_is_not_compared():
    """The leader itself is what differs."""
    z = se3.frozen([(0.0, 0.0, 1.0)])
    lead, follow = (Joint(name, "revolute", "a", child, axes=z) for name, child in (("j", "b"), ("k", "c")))
    links = [Link("a"), *(Link(name, Inertial(1.0, np.eye(3), se3.translation((0.1, 0, 0)))) for name in "bc")]
    one = build(Parts("r", links, [lead, replace(follow, mimic=Mimic("j", 2.0))]))
    other = build(Parts("r", [links[0], links[2]], [follow]))
    for pair in ((one, other), (other, one)):
        kinds = [kind for kind, _ in counted(kt.compare(*pair))]
        assert kinds
        assert "coupling" not in kinds


@each("masses, unlike", [((1.0, 2.0), True), ((2.0, 1.0), True), ((1.0, 1.0 + 1e-12), False), ((1.0, None), False)])
def test_bodies_of_another_mass_are_unlike_whichever_is_heavier(masses, unlike):
    """About their centres, so that no entry of the heavier one's inertia is below that of the other."""
    trees = []
    for mass in masses:
        links = [Link("a"), Link("b", Inertial(mass, se3.frozen(mass * np.eye(3)), se3.IDENTITY) if mass else None)]
        joint = Joint("j", "revolute", "a", "b", axes=se3.frozen([[0.0, 0.0, 1.0]]))
        trees.append(build_tree(build(Parts("r", links, [joint]))))
    assert Match(*trees, tolerance=1e-9, relative=1e-9)._unlike_mass(0, 0, np.eye(4)) is unlike


FOURBAR = """<sdf version="1.7"><model name="m">
  <link name="ground"/><link name="crank"/><link name="coupler"><pose>0 1 0 0 0 0</pose></link>
  <link name="rocker"><pose>2 1 0 0 0 0</pose></link>
  <joint name="a" type="revolute"><parent>ground</parent><child>crank</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="b" type="revolute"><parent>crank</parent><child>coupler</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="c" type="revolute"><parent>coupler</parent><child>rocker</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="d" type="revolute"><pose>0 -1 0 0 0 0</pose><parent>ground</parent><child>rocker</child>
    <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


OTHERWISE = "closes otherwise in the second robot: between other bodies or places, or as another type"


class TestLoops:
    def with_loop(self, **changes) -> Robot:
        parts = parts_of(kt.load(FOURBAR, format="sdf"))
        parts.loops = [replace(loop, **changes) for loop in parts.loops]
        return build(parts)

    def test_names_frames_and_directions_of_loops_do_not_matter(self):
        robot = self.with_loop()
        loop = robot.loops["d"]
        T = se3.homogeneous(se3.rotation((0.6, 0.0, 0.8), 0.7), (0.1, 0.2, 0.3))
        others = [
            kt.edit.prefix(robot, "x_"),
            kt.edit.move_frame(robot, "rocker", T, relative_to="rocker"),
            kt.edit.move_frame(robot, "ground", T, relative_to="ground"),
            self.with_loop(type="continuous"),
            self.with_loop(axes=se3.frozen(-loop.axes)),
            self.with_loop(origin=se3.frozen(loop.origin @ se3.homogeneous(se3.rotation((0, 0, 1), 0.4), (0, 0, 0)))),
            self.with_loop(parent="rocker", child="ground", origin=se3.frozen(se3.inverse(loop.child_origin)),
                           child_origin=se3.frozen(se3.inverse(loop.origin))),
        ]  # fmt: skip
        for other in others:
            comparison = kt.compare(robot, other, base="any")
            assert comparison.same_mechanism, str(comparison)

    @pytest.mark.slow
    @each(
        "changes",
        [
            {"type": "ball", "axes": np.zeros((0, 3))},
            {"type": "fixed", "axes": np.zeros((0, 3))},
            {"type": "prismatic"},
            {"axes": np.array([(0.0, 0.6, 0.8)])},
            {"origin": se3.translation((2.0, 0.001, 0.0))},
            {"child": "coupler"},
            {"parent": "crank"},
        ],
    )
    def test_another_loop_is_another_robot(self, changes):
        robot, other = self.with_loop(), self.with_loop(**changes)
        for one, two in ((robot, other), (other, robot)):
            comparison = kt.compare(one, two)
            assert counted(comparison) == [("loop", "joint 'd'")]
            assert not comparison.same_mechanism

    @pytest.mark.slow
    @each(
        "what, one, other",
        [
            ("limits", Limit(-1.0, 2.0), Limit(-1.0, 2.5)),
            ("limits", Limit(effort=5.0), Limit(effort=6.0)),
            ("dynamics", Dynamics(damping=1.0), Dynamics(damping=1.0, friction=0.2)),
        ],
    )
    def test_limits_and_dynamics_of_loops_are_compared(self, what, one, other):
        robots = [self.with_loop(**{what: rows}) for rows in ((one,), (other,), ())]
        message = f"joint 'd': has other {what} in the second robot"
        differs, remarked = kt.compare(robots[0], robots[1]), kt.compare(robots[0], robots[2])
        assert counted(differs) == [("loop", "joint 'd'")]
        assert counted(remarked) == []
        for comparison in (differs, remarked):
            assert message in str(comparison)
        assert not kt.compare(robots[0], robots[0]).differences

    @each(
        "changes, said",
        [
            ({"type": "prismatic"}, OTHERWISE),
            ({"parent": "crank"}, OTHERWISE),
            ({"origin": se3.translation((2.0, 0.001, 0.0))}, OTHERWISE),
            ({"limits": (Limit(-1.0, 2.5),)}, "has other limits in the second robot"),
            ({"dynamics": (Dynamics(damping=2.0),)}, "has other dynamics in the second robot"),
        ],
    )
    def test_what_differs_of_a_loop_is_said(self, changes, said):
        robot = self.with_loop(limits=(Limit(-1.0, 2.0),), dynamics=(Dynamics(damping=1.0),))
        own = {"limits": robot.loops["d"].limits, "dynamics": robot.loops["d"].dynamics}
        comparison = kt.compare(robot, self.with_loop(**own | changes))
        assert (("loop", "joint 'd'", said)) in [(d.kind, d.element, d.message) for d in comparison.differences]
        assert counted(comparison) == [("loop", "joint 'd'")]

    def test_a_loop_on_a_body_that_one_robot_lacks_is_not_compared(self):
        """The body itself is what differs."""
        parts = parts_of(self.with_loop())
        parts.loops = []
        parts.links = [link for link in parts.links if link.name != "rocker"]
        parts.joints = [joint for joint in parts.joints if joint.child != "rocker"]
        for pair in ((self.with_loop(), build(parts)), (build(parts), self.with_loop())):
            kinds = [kind for kind, _ in counted(kt.compare(*pair))]
            assert kinds
            assert "loop" not in kinds

    def test_axes_of_loops_may_point_either_way(self):
        robot = self.with_loop(limits=(Limit(-1.0, 2.0),))
        turned = self.with_loop(axes=se3.frozen(-robot.loops["d"].axes), limits=(Limit(-2.0, 1.0),))
        assert not kt.compare(robot, turned).differences

    def test_a_loop_that_one_robot_lacks_is_a_difference(self):
        parts = parts_of(self.with_loop())
        parts.loops = []
        open_ = build(parts)
        assert "only the first robot closes this loop" in str(kt.compare(self.with_loop(), open_))
        assert "only the second robot closes this loop" in str(kt.compare(open_, self.with_loop()))


@pytest.mark.slow
def test_links_are_paired_with_the_joints_that_carry_them():
    a = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3) Ry(q3) tx(0.1)")
    b = kt.edit.rename(a, links={"base_link": "foot", "q2_link": "other"}, joints={"q3": "wrist"})
    assert kt.compare(a, b).links == {
        "base_link": "foot",
        "q1_link": "q1_link",
        "q2_link": "other",
        "q3_link": "q3_link",
    }


def test_postures_and_surfaces_that_only_one_robot_has():
    """A remark names the postures; shapes of links with other numbers of shapes are not compared."""
    row = "<robot name='r'><group_state name='{}' group='all'><joint name='q1' value='{}'/></group_state></robot>"
    group = "<group name='all'><joint name='q1'/></group><group_state"
    text = kt.text(kt.chain("Rz(q1) tx(1)"), "urdf")
    robots = [
        kt.load(text, format="urdf", srdf=row.format(*given).replace("<group_state", group))
        for given in (("home", 0.5), ("home", 0.75), ("away", 0.5))
    ]
    ours, moved, others = robots
    found = [(d.kind, d.element, d.message, d.counts) for d in kt.compare(ours, moved).differences]
    assert found == [("posture", "posture 'home'", "joint 'q1' is at 0.5, in the second robot at 0.75", True)]
    found = [(d.kind, d.message, d.counts) for d in kt.compare(ours, others).differences]
    assert found == [
        ("posture", "only the first robot has home", False),
        ("posture", "only the second robot has away", False),
    ]
    assert not kt.compare(ours, kt.load(text, format="urdf")).differences

"""Poses of joints and frames, and masses, as inputs of kernels: equal to robots that are edited, with derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError, UnknownNameError, WrongTypeError
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import ForceTorque, Frame, Robot
from kinetree.spatial import exponential, se3
from support import random_q
from test_queries_dynamics import ARM, EVERYTHING
from test_queries_sensors import ROBOT

CHAIN = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3) Rx(q3) tz(0.2)")
H = 1e-6


def rows_of(robot: Robot, names: bool | list[str] = True) -> np.ndarray:
    return np.array([*kt.kinematics.origins(robot, names).values()])


def moved(robot: Robot, size: float = 0.2, seed: int = 0) -> tuple[np.ndarray, Robot]:
    """Return other poses (n, 6), and the robot edited to have them."""
    poses = kt.kinematics.origins(robot)
    rows = rows_of(robot) + np.random.default_rng(seed).normal(size=(len(poses), 6)) * size
    return rows, kt.edit.set_origins(robot, dict(zip(poses, rows, strict=True)))


def flat(answer: object) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in (answer if isinstance(answer, tuple) else (answer,))])


def assert_same(robot: Robot, ask, *arguments: object, **options: object) -> None:
    """Compare a kernel with poses as an input to that of the edited robot, on every entry."""
    rng = np.random.default_rng(1)
    rows, edited = moved(robot)
    free, plain = ask(robot, *arguments, origins=True, **options), ask(edited, *arguments, **options)
    assert [port.name for port in free.inputs] == [*(port.name for port in plain.inputs), "origins"]
    given = [random_q(robot, rng), *(rng.normal(size=port.shape) for port in plain.inputs[1:])]
    expected = flat(plain.interpret(*given))
    error = np.abs(flat(free.interpret(*given, rows)) - expected).max()
    assert error <= 1e-12 * max(1.0, np.abs(expected).max())
    assert np.abs(flat(free.interpret(*given, rows_of(robot))) - expected).max() > 1e-3  # they do have an effect


class TestValues:
    def test_those_of_a_robot(self):
        """x y z and a rotation vector, against the origins in the file; SciPy is not asked, Rodrigues' formula is."""
        poses = kt.kinematics.origins(EVERYTHING)
        frames = [name for name in EVERYTHING.frames if name not in EVERYTHING.links]
        assert [*poses] == [*EVERYTHING.placed, *frames]
        for name, row in poses.items():
            T = (EVERYTHING.joints.get(name) or EVERYTHING.frames[name]).origin
            angle = np.linalg.norm(row[3:])
            R = se3.rotation(row[3:] / max(angle, 1e-300), angle)
            np.testing.assert_allclose(se3.homogeneous(R, row[:3]), T, rtol=0, atol=1e-15)
            assert angle <= np.pi

    def test_chosen_names_in_their_order(self):
        assert [*kt.kinematics.origins(CHAIN, ["tip", "q2"])] == ["tip", "q2"]
        assert kt.kinematics.origins(CHAIN, "q3")["q3"].tolist() == [0.3, 0, 0, 0, 0, 0]

    @each("vector", [[0, 0, 0], [1e-9, -2e-9, 0], [0.3, -1, 2], [0, np.pi, 0], [3, 3, -1]])
    def test_rotation_of_a_vector(self, vector):
        expected = se3.rotation_from_quaternion(exponential.exp(vector))
        np.testing.assert_allclose(se3.rotation_from_vector(vector), expected, rtol=0, atol=1e-15)

    @each(
        "names, error, part",
        [
            (["nope"], UnknownNameError, "no joint or frame 'nope'"),
            (["q1", "q1"], KinetreeError, "names 'q1' twice"),
            ([], KinetreeError, "names nothing"),
            ("q1_link", KinetreeError, "is the link that joint 'q1' carries"),
            ("base_link", KinetreeError, "is the root link"),
            (3, WrongTypeError, "origins is 3"),
        ],
    )
    def test_illegal_names(self, names, error, part):
        with pytest.raises(error, match=part):
            kt.fk(CHAIN, "tip", origins=names)
        with pytest.raises(error):
            kt.kinematics.origins(CHAIN, names)

    def test_no_names(self):
        with pytest.raises(KinetreeError, match="origins is False"):
            kt.kinematics.origins(CHAIN, False)
        assert kt.fk(CHAIN, "tip", origins=False) is kt.fk(CHAIN, "tip")

    def test_a_joint_and_a_frame_of_one_name(self):
        parts = parts_of(CHAIN)
        parts.frames.append(Frame("q2", "q1_link"))
        with pytest.raises(KinetreeError, match="'q2' is a joint and a frame"):
            kt.fk(build(parts), "tip", origins=["q1"])

    def test_a_link_with_the_name_of_a_joint(self):
        """The link's own frame stays where its joint is."""
        robot = kt.edit.rename(CHAIN, links={"q2_link": "q2"})
        rows, edited = moved(robot)
        T = kt.fk(robot, "q2", origins=True).interpret([0.1, 0.2, 0.3], rows)
        np.testing.assert_allclose(T, kt.fk(edited, "q2").interpret([0.1, 0.2, 0.3]), atol=1e-15)

    def test_closed_loops_are_refused(self):
        bars = kt.chain("Rz(q1) tx(0.4)")
        with pytest.raises(KinetreeError, match="origins= and driven= do not go together"):
            kt.fk(bars, "tip", origins=True, driven=["q1"])


class TestEdits:
    def test_the_rest_stays(self):
        edited = kt.edit.set_origins(ARM, {"j2": [0.1, 0.2, 0.3, 0.1, 0, 0]})
        before, after = rows_of(ARM), rows_of(edited)
        assert (np.delete(before, 1, 0) == np.delete(after, 1, 0)).all()
        np.testing.assert_allclose(after[1], [0.1, 0.2, 0.3, 0.1, 0, 0], atol=1e-15)
        assert edited.joint_names == ARM.joint_names
        assert [link.inertial for link in edited.links.values()] == [link.inertial for link in ARM.links.values()]

    def test_the_same_numbers_leave_the_pose_as_it_is(self):
        same = kt.edit.set_origins(ARM, kt.kinematics.origins(ARM))
        assert all(same.joints[name].origin is ARM.joints[name].origin for name in ARM.joints)

    @each(
        "given, error, part",
        [
            ({"x": np.zeros(6)}, UnknownNameError, "no joint or frame 'x'"),
            ({"q1_link": np.zeros(6)}, UnknownNameError, "no joint or frame"),
            ({"q1": [1.0]}, KinetreeError, "six finite numbers"),
            ({"q1": [0, 0, 0, 0, 0, np.nan]}, KinetreeError, "six finite numbers"),
            ({"q1": "abcdef"}, KinetreeError, "no array of numbers"),
            (np.zeros((4, 6)), WrongTypeError, "expected a mapping"),
        ],
    )
    def test_illegal_origins(self, given, error, part):
        with pytest.raises(error, match=part):
            kt.edit.set_origins(CHAIN, given)

    def test_inertial_parameters(self):
        """Written and read back, and the torques are those with the parameters as an input."""
        rng = np.random.default_rng(0)
        known = kt.dynamics.inertial_parameters(ARM)
        other = {name: row * rng.uniform(0.5, 1.5) for name, row in known.items()}
        edited = kt.edit.set_inertial_parameters(ARM, other)
        for name, row in kt.dynamics.inertial_parameters(edited).items():
            np.testing.assert_allclose(row, other[name], rtol=0, atol=1e-14 * np.abs(row).max())
        q, qd, qdd = rng.normal(size=(3, 4))
        tau = kt.inverse_dynamics(ARM, parameters=True).interpret(q, qd, qdd, np.array([*other.values()]))
        np.testing.assert_allclose(kt.inverse_dynamics(edited).interpret(q, qd, qdd), tau, rtol=1e-13)

    @each(
        "given, error, part",
        [
            ({"x": np.zeros(10)}, UnknownNameError, "no link 'x'"),
            ({"l1": [1.0]}, KinetreeError, "ten finite numbers"),
            ({"l1": [np.inf, *[0.0] * 9]}, KinetreeError, "ten finite numbers"),
            ({"l1": [0.0, 1.0, *[0.0] * 8]}, KinetreeError, "first moments and no mass"),
            ([1.0], WrongTypeError, "expected a mapping"),
        ],
    )
    def test_illegal_parameters(self, given, error, part):
        with pytest.raises(error, match=part):
            kt.edit.set_inertial_parameters(ARM, given)

    def test_a_link_without_mass(self):
        edited = kt.edit.set_inertial_parameters(ARM, {"l1": np.zeros(10)})
        assert edited.links["l1"].inertial.mass == 0.0
        assert kt.dynamics.inertial_parameters(edited)["l1"].tolist() == [0.0] * 10


class TestKernels:
    @pytest.mark.slow
    def test_every_query_of_an_arm(self):
        for ask in (kt.fk, kt.jacobian, kt.kinematics.velocity, kt.dynamics.imu_reading, kt.dynamics.joint_torques):
            assert_same(ARM, ask, "l4")
        for ask in (kt.inverse_dynamics, kt.forward_dynamics, kt.mass_matrix, kt.dynamics.energy):
            assert_same(ARM, ask)

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_every_query_of_every_type_of_joint(self):
        frame = EVERYTHING.joints[EVERYTHING.placed[-1]].child
        for ask in (
            *(kt.fk, kt.jacobian, kt.hessian, kt.jacobian_dot, kt.kinematics.velocity, kt.dynamics.acceleration),
            *(kt.kinematics.analytical_jacobian, kt.dynamics.imu_reading, kt.dynamics.joint_torques),
            *(kt.kinematics.point, kt.dynamics.wrench),
        ):
            assert_same(EVERYTHING, ask, frame)
        assert_same(EVERYTHING, kt.fk, ["base", frame], frame)
        dynamics = kt.dynamics
        for ask in (
            *(kt.inverse_dynamics, kt.forward_dynamics, kt.mass_matrix, kt.gravity_torques, kt.center_of_mass),
            *(dynamics.bias_torques, dynamics.coriolis_matrix, dynamics.inertial_regressor, dynamics.energy),
            *(dynamics.inverse_dynamics_derivatives, dynamics.centroidal_momentum_matrix),
        ):
            assert_same(EVERYTHING, ask)
        assert_same(EVERYTHING, kt.inverse_dynamics, gravity=None, wrenches=[frame], parameters=True)

    @pytest.mark.slow
    def test_readings_of_sensors(self):
        for joint in ("fixed_1", "continuous_4", "universal_b2"):
            assert_same(ROBOT, kt.dynamics.sensor_reading, f"ft_{joint}", measures="parent_on_child")
        assert_same(ROBOT, kt.dynamics.external_wrench, ["ft_fixed_1"], "trunk5", measures="child_on_parent")

    @pytest.mark.slow
    def test_a_sensor_that_reads_about_its_joint(self):
        """In the axes of the parent link, about the joint, whose place in the parent is an input."""
        parts = parts_of(ROBOT)
        sensor = next(one for one in parts.sensors if one.name == "ft_continuous_4")
        place = ForceTorque("child_on_parent", "parent", "joint")
        parts.sensors = [replace(sensor, force_torque=place)]
        assert_same(build(parts), kt.dynamics.sensor_reading, "ft_continuous_4", at_rest=True)

    @pytest.mark.slow
    def test_the_numbers_of_the_file_and_some_names(self):
        q = np.random.default_rng(2).normal(size=(7, ARM.nq))
        T = kt.fk(ARM, "l4").interpret(q)
        np.testing.assert_allclose(
            kt.fk(ARM, "l4", origins=True).interpret(q, kt.kinematics.origins(ARM)), T, atol=1e-14
        )
        kernel = kt.fk(ARM, "l4", origins=["j3"])
        assert kernel.inputs[-1].rows == ("j3",)
        assert kernel.inputs[-1].labels == ("x", "y", "z", "rx", "ry", "rz")
        assert kt.fk(ARM, "l4", origins="j3") is kernel
        rows = rows_of(ARM, ["j3"]) + np.arange(7.0)[:, None, None] / 10  # a robot for each configuration
        for each_q, row, T in zip(q, rows, kernel(q, rows), strict=True):
            edited = kt.edit.set_origins(ARM, {"j3": row[0]})
            np.testing.assert_allclose(T, kt.fk(edited, "l4").interpret(each_q), rtol=0, atol=1e-14)

    @pytest.mark.slow
    def test_kernels_of_robots_with_equal_trees(self):
        """Robots with equal trees differ where a pose is an input: in what its joint carries, and in its two sides.
        Compiled, because compiled code is kept by what it depends on."""
        text = """<robot name="r"><link name="world"/><link name="a"/><link name="b"/>
            <joint name="one" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 -1 0"/></joint>
            <joint name="two" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint></robot>"""
        arm = kt.load(text, format="urdf")
        other = kt.edit.set_origins(arm, {"two": [0.5, 0, 0, 0, 0, 0]})
        other = kt.edit.move_frame(other, "b", se3.translation([0.5, 0, 0]))
        places = [kt.fk(one, "b", origins=["two"])([0.0], np.zeros((1, 6)))[0, 3] for one in (arm, other)]
        assert places == [0.0, 0.5]
        torques = []
        for m in (1.0, 2.0):  # of a; all mass is at its origin
            rows = {"a": [m, *np.zeros(9)], "b": [3 - m, -(3 - m), 0, 0, 0, 0, 3 - m, 0, 0, 3 - m]}
            heavy = kt.edit.set_inertial_parameters(arm, rows)
            assert np.abs(kt.gravity_torques(heavy).interpret([0.0])).max() < 1e-12
            torques += [*kt.gravity_torques(heavy, origins=["two"])([0.0], [[2.0, 0, 0, 0, 0, 0]])]
        np.testing.assert_allclose(torques, [2 * 9.81, 9.81])

    @pytest.mark.slow
    def test_kernels_of_one_robot_with_other_names(self):
        """Compiled, because compiled code is kept by what it depends on."""
        arm, row = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.4)"), np.array([[0, 0, 0, 0, 0, np.pi / 2]])
        places = [kt.fk(arm, "tip", origins=[name])([0.0, 0.0], row)[:2, 3] for name in ("q1", "q2", "tip")]
        np.testing.assert_allclose(places, [[0, 0.8], [0, 0.4], [0.4, 0]], atol=1e-15)
        stand = [kt.fk(arm, "tip", origins=["q1"], joints=["q2"], at=[angle, 0.0]) for angle in (0.0, np.pi / 2)]
        places = [kernel([0.0], np.zeros((1, 6)))[:2, 3] for kernel in stand]
        np.testing.assert_allclose(places, [[0.8, 0], [0, 0.8]], atol=1e-15)

    def test_some_joints_alone(self):
        """A joint that stands still has its pose, and then its motion."""
        rng = np.random.default_rng(3)
        q, at = rng.normal(size=(2, 3))
        rows = rows_of(CHAIN) + rng.normal(size=(4, 6))
        both = np.array([at[0], q[1], at[2]])
        T = kt.fk(CHAIN, "tip", origins=True).interpret(both, rows)
        J = kt.jacobian(CHAIN, "tip", origins=True).interpret(both, rows)[:, 1:2]
        for given, more in ((at, []), ("input", [at])):
            fk, jacobian = (f(CHAIN, "tip", origins=True, joints=["q2"], at=given) for f in (kt.fk, kt.jacobian))
            np.testing.assert_allclose(fk.interpret(q[1:2], rows, *more), T, rtol=0, atol=1e-14)
            np.testing.assert_allclose(jacobian.interpret(q[1:2], rows, *more), J, rtol=0, atol=1e-14)

    def test_manipulability(self):
        rows, edited = moved(CHAIN)
        q = [0.1, 0.2, 0.3]
        options = {"method": "minimum_singular_value", "rows": "linear"}
        found = kt.manipulability(CHAIN, "tip", origins=True, **options)(q, rows)
        assert found == pytest.approx(kt.manipulability(edited, "tip", **options)(q), abs=1e-13)


class TestDerivatives:
    @pytest.mark.slow
    @each("turned", [[0, 0, 0], [1e-9, 0, 2e-9], [0.2, -0.4, 0.1], [0, np.pi, 0]])
    def test_by_finite_differences(self, turned):
        """Also where the rotation vector is zero, and half a turn."""
        rng = np.random.default_rng(4)
        rows = rng.normal(size=(4, 6))
        rows[:, 3:] = turned
        q, direction, bar = rng.normal(size=3), rng.normal(size=(4, 6)), rng.normal(size=(4, 4))
        fk = kt.fk(CHAIN, "tip", origins=True)
        slope = (fk.interpret(q, rows + H * direction) - fk.interpret(q, rows - H * direction)) / (2 * H)
        np.testing.assert_allclose(kt.jvp(fk, "origins").interpret(q, rows, direction), slope, rtol=0, atol=2e-9)
        gradient = kt.vjp(fk, "origins").interpret(q, rows, bar)
        assert (gradient * direction).sum() == pytest.approx((bar * slope).sum(), abs=1e-8)

    def test_a_length(self):
        """The tip of a straight planar arm moves as far as a link is made longer."""
        arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        fk = kt.fk(arm, "tip", origins=["q2"])
        T_bar = np.zeros((4, 4))
        T_bar[0, 3] = 1.0
        gradient = kt.vjp(fk, "origins").interpret([0.0, 0.0], rows_of(arm, ["q2"]), T_bar)
        np.testing.assert_allclose(gradient, [[1, 0, 0, 0, 0, 0]], atol=1e-15)

    def test_of_torques(self):
        rng = np.random.default_rng(5)
        tau, rows = kt.inverse_dynamics(ARM, origins=["j2"]), rows_of(ARM, ["j2"])
        state, direction = rng.normal(size=(3, 4)), rng.normal(size=(1, 6))
        slope = (tau.interpret(*state, rows + H * direction) - tau.interpret(*state, rows - H * direction)) / (2 * H)
        found = kt.jvp(tau, "origins").interpret(*state, rows, direction)
        np.testing.assert_allclose(found, slope, rtol=0, atol=1e-8 * np.abs(slope).max())

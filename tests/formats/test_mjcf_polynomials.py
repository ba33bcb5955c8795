"""Joints that follow others by a polynomial: equalities of joints of higher degree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetree as kt
from each import each
from kinetree.errors import Finding
from kinetree.formats.registry import WRITTEN
from kinetree.model.robot import Mimic
from kinetree.rules.facts import poses
from kinetree.viewing.tables import robot_page

TEXT = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="x" axis="0 1 0" armature="0.3" {x}/>
  <geom size=".1" pos=".3 0 0"/>
  <body name="b" pos="1 0 0"><joint name="y" axis="0 1 0" armature="0.2" damping="0.7" stiffness="2" {y}/>
    <geom size=".1" pos=".2 .1 0"/>
    <body name="c" pos=".5 0 0"><joint name="z" type="slide" axis="1 0 0"/><geom size=".1" pos=".1 0 .2"/></body></body>
</body></worldbody><equality>{equality}</equality>{more}</mujoco>"""
FIRST = '<joint joint1="y" joint2="x" polycoef="0.1 1 0.5 -0.2 0.3"/>'
SECOND = '<joint joint1="z" joint2="y" polycoef="0.2 0.5 0.25 0 0"/>'
H = 1e-6


def load(equality: str = FIRST + SECOND, x: str = "", y: str = "", more: str = "") -> kt.Robot:
    return kt.load(TEXT.format(equality=equality, x=x, y=y, more=more), format="mjcf")


def first(x: float) -> float:
    return 0.1 + x + 0.5 * x**2 - 0.2 * x**3 + 0.3 * x**4


def second(y: float) -> float:
    return 0.2 + 0.5 * y + 0.25 * y**2


def free() -> kt.Robot:
    return load("")


@pytest.mark.slow
@each("x", [-0.7, 0.0, 0.4])
def test_the_followers_move_by_their_polynomials(x):
    robot = load()
    assert robot.joint_names == ("x",)
    assert robot.joints["y"].mimic == Mimic("x", 1.0, 0.1, (0.5, -0.2, 0.3))
    y = first(x)
    expected = kt.fk(free(), ["b", "c"])([x, y, second(y)])
    assert_allclose(kt.fk(robot, ["b", "c"])([x]), expected, atol=1e-14)
    if x == 0:
        assert_allclose(poses(robot)["c"], expected[1], atol=1e-14)


def test_a_follower_of_such_a_follower_may_have_a_factor_and_an_offset():
    robot, x = load(FIRST + '<joint joint1="z" joint2="y" polycoef="0.2 0.5 0 0 0"/>'), 0.4
    expected = kt.fk(free(), "c")([x, first(x), 0.2 + 0.5 * first(x)])
    assert_allclose(kt.fk(robot, "c")([x]), expected, atol=1e-14)


def test_the_case_of_public_reports():
    text = """<mujoco><worldbody><body name="a"><joint name="j1" axis="0 0 1"/><geom size=".1"/>
      <body name="b" pos="1 0 0"><joint name="j2" axis="0 0 1"/><geom size=".1"/></body></body></worldbody>
      <equality><joint joint1="j2" joint2="j1" polycoef="0 1 0.5 0 0"/></equality></mujoco>"""
    T = kt.fk(kt.load(text, format="mjcf"), "b")([0.7])
    assert_allclose(np.arctan2(T[1, 0], T[0, 0]), 0.7 + 0.7 + 0.5 * 0.7**2)


def test_a_polynomial_counts_from_ref():
    robot = load(FIRST, x='ref="30"', y='ref="20"')
    mimic, ref = robot.joints["y"].mimic, np.deg2rad((30, 20))
    for x in (-0.3, 0.5):
        value = mimic.offset + mimic.multiplier * x + sum(c * x**k for k, c in enumerate(mimic.higher, 2))
        assert_allclose(value, ref[1] + first(x - ref[0]))


@pytest.mark.slow
@each("x", [-0.7, 0.0, 0.4])
def test_first_and_second_derivatives(x):
    robot, q = load(), np.array([x])
    for axes in ("base", "frame"):
        J = kt.jacobian(robot, "c", expressed_in=axes)
        numeric = (J(q + H) - J(q - H)) / (2 * H)
        assert_allclose(kt.hessian(robot, "c", expressed_in=axes)(q)[0], numeric, atol=1e-7)
    T = kt.fk(robot, "c")
    assert_allclose(kt.jacobian(robot, "c")(q)[:3, 0], (T(q + H) - T(q - H))[:3, 3] / (2 * H), atol=1e-8)


@pytest.mark.slow
@each("x", [-0.7, 0.0, 0.4])
def test_torques_are_those_of_lagrange(x):
    """tau = M qdd + (dM/dq) qd²/2 + dV/dq + damping, for one coordinate; and power is the rate of energy."""
    robot, q, qd, qdd = load(), np.array([x]), np.array([1.3]), np.array([-0.4])
    M, E = kt.mass_matrix(robot), kt.dynamics.energy(robot)
    slope = (M(q + H) - M(q - H))[0, 0] / (2 * H)
    weight = (E(q + H, [0]) - E(q - H, [0]))[1] / (2 * H)
    rate = (first(x + H) - first(x - H)) / (2 * H)
    expected = M(q)[0, 0] * qdd + slope * qd**2 / 2 + weight + 0.7 * rate**2 * qd
    tau = kt.inverse_dynamics(robot)(q, qd, qdd)
    assert_allclose(tau, expected, rtol=1e-7)
    assert_allclose(kt.forward_dynamics(robot)(q, qd, tau), qdd, rtol=1e-10)
    assert_allclose(E(q, qd)[0], M(q)[0, 0] * qd[0] ** 2 / 2, rtol=1e-12)
    held = [x, first(x), second(first(x))]
    assert_allclose(E(q, qd)[1], kt.dynamics.energy(free())(held, [0, 0, 0])[1], rtol=1e-12)


def test_inverse_kinematics_reaches_what_the_polynomial_gives():
    robot = load()
    T = kt.fk(robot, "c")
    found = kt.ik(robot, "c")(T([0.4]), q0=[0.1])
    assert found.success
    assert_allclose(found.q, [0.4], atol=1e-6)


def test_of_several_ranges_of_a_leader_the_nearest_that_its_own_limits_allow_counts_with_a_note():
    square, y = '<joint joint1="y" joint2="x" polycoef="0 0 1"/>', 'range="30 60"'
    low, high = np.sqrt(np.radians([30, 60]))
    both, positive = load(square, y=y), load(square, x='range="-20 70"', y=y)
    (note,) = [note for note in both.notes if note.code == "split-range"]
    assert "'x' from -1.02 to -0.724 and from 0.724 to 1.02 (rad, m)" in note.message
    assert not [note for note in positive.notes if note.code == "split-range"]
    assert [*positive.limits.contains([[low + 0.01, 0], [high - 0.01, 0], [-0.8, 0], [low - 0.01, 0]])] == [1, 1, 0, 0]
    assert positive.limits.contains(positive.q())


def test_a_limit_that_a_polynomial_only_touches_splits_nothing():
    for polynomial in ("0 0 1", "0.09 -0.6 1", "0.01 -0.2 1"):  # (x - 0.3)², (x - 0.1)²
        robot = load(f'<joint joint1="y" joint2="x" polycoef="{polynomial}"/>', y='range="0 60"')
        assert robot.limits.contains([[-0.2, 0], [0.9, 0]]).all()
        assert not [note for note in robot.notes if note.code == "split-range"]


def test_limits_of_a_follower_are_those_of_its_leader_around_zero():
    robot = load(FIRST, y='range="-10 60"')
    rows = dict(zip(robot.limits.row_names, robot.limits.h.tolist(), strict=True))
    low, high = -rows["y lower"], rows["y upper"]
    assert_allclose([first(low), first(high)], np.deg2rad([-10, 60]))
    assert low < 0 < high
    assert robot.limits.contains([0.0, 0.0])
    assert not robot.limits.contains([high + 0.01, 0.0])
    shifted = load('<joint joint1="y" joint2="x" polycoef="0 0 1"/>', y='range="10 60"')  # zero is outside
    ends = np.sqrt(np.deg2rad([10, 60]))
    assert_allclose(np.sort(np.abs(shifted.limits.h)), ends)
    assert shifted.limits.contains([np.sign(shifted.limits.G[0, 0] * shifted.limits.h[0]) * ends.mean(), 0.0])
    assert not load('<joint joint1="y" joint2="x" polycoef="0 0 1"/>', y='range="-60 -10"').limits.contains([0.0, 0.0])
    wide = load(FIRST, x='range="-10 10"', y='range="-1000 1000"')
    assert wide.limits.contains([0.1, 0.0])


def test_it_is_written_to_mjcf_and_refused_where_it_is_unknown(tmp_path):
    robot = kt.edit.rename(load(), links={"c": "d"})
    again = kt.load(kt.text(robot, "mjcf"), format="mjcf")
    assert {n: j.mimic for n, j in again.joints.items()} == {n: j.mimic for n, j in robot.joints.items()}
    for format in ("urdf", "sdf", "dh"):
        with pytest.raises(kt.KinetreeError) as error:
            kt.text(robot, format, without=("extension", "geometry", "inertial", "frame"))
        assert {f.code for f in error.value.findings} == {"cannot-say-mimic"}
        notes: list[Finding] = []
        assert "mimic" not in WRITTEN[format].write(robot, ("extension", "geometry", "inertial", "mimic"), notes)
    for query in (
        kt.dynamics.coriolis_matrix,
        kt.dynamics.inverse_dynamics_derivatives,
        kt.dynamics.forward_dynamics_derivatives,
    ):
        with pytest.raises(kt.KinetreeError, match="follows 'x' by a polynomial"):
            query(robot)


def test_edits_tables_and_comparisons_know_it():
    robot = load()
    locked = kt.edit.lock(robot, {"x": 0.4})
    assert_allclose(kt.fk(locked, "c")([]), kt.fk(robot, "c")([0.4]), atol=1e-14)
    assert kt.compare(robot, load()).same
    (difference,) = [
        d
        for d in kt.compare(robot, load(FIRST.replace("0.5", "0.6") + SECOND)).differences
        if d.kind == "mimic" and "y" in d.element
    ]
    assert "different polynomials" in difference.message
    shown = "\n".join(str(row) for section in robot_page(robot) for row in section.rows)
    assert "= 1 x + 0.5 x^2 + -0.2 x^3 + 0.3 x^4 + 0.1 of x, in rad and m" in shown


def test_a_tendon_over_such_a_follower_is_kept_and_has_no_effect():
    more = '<tendon><fixed name="t" range="0 1"><joint joint="{}" coef="1"/></fixed></tendon>'
    robot = load(FIRST, more=more.format("y"))
    assert not robot.coupled_limits
    assert "tendon" in {note.code for note in robot.notes}
    assert load(FIRST, more=more.format("x")).coupled_limits


def test_a_joint_that_is_held_and_follows_by_a_polynomial_is_an_error():
    with pytest.raises(kt.KinetreeError, match="follows 'x' by a polynomial"):
        load(FIRST + '<joint joint1="y" polycoef="0.2 0 0 0 0"/>')

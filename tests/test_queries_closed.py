"""Closed loops: positions, Jacobians and forces of robots of which only some joints are driven."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.closing import HEAD, ROUND, SHARE, STRIDE, begun, closing_step
from kinetree.algorithms.differential import integrate
from kinetree.algorithms.dynamics.closed import closed_forward, closed_inverse, closed_motion, loop_wrenches
from kinetree.algorithms.dynamics.inverse import rnea
from kinetree.algorithms.kinematics import loop_poses
from kinetree.algorithms.loops import demands, loop_jacobian
from kinetree.errors import KinetreeError
from kinetree.model.assemble import build, parts_of
from kinetree.model.drawn import drawn_posture
from kinetree.model.joints import JOINT_TYPES
from kinetree.queries.closed import closed_q
from kinetree.queries.loop_roles import loop_roles
from kinetree.queries.query import tree
from kinetree.spatial import se3
from linkages import (
    ARM,
    BASE,
    DRAWN,
    LEG_DRIVEN,
    PLATE,
    ROD,
    A,
    B,
    C,
    D,
    cassie_leg,
    closed,
    delta,
    fourbar,
    gripper,
    rocker_angle,
    slider,
)


@pytest.fixture(scope="module")
def bars():
    return kt.load(fourbar(hand='<site name="pen" pos="0.1 0.05 0"/>'), format="mjcf")


@pytest.fixture(scope="module")
def close(bars):
    return kt.kinematics.close(bars, ["crank"])


@pytest.mark.slow
def test_a_full_turn_of_a_four_bar_stays_on_its_branch(bars, close):
    turn = np.linspace(0, 2 * np.pi, 1001)
    found = close(turn[:, None])
    assert found.success.all()
    assert not found.dead.any()
    assert (found.share == 1).all()
    assert np.abs(found.gap).max() < 1e-13
    expected = np.unwrap(rocker_angle(DRAWN + turn)) - rocker_angle(DRAWN)
    np.testing.assert_allclose(found.q[:, 2], expected, atol=1e-9)
    np.testing.assert_allclose(found.q[-1], (2 * np.pi, -2 * np.pi, 0), atol=1e-12)
    np.testing.assert_array_equal(found.q[:, 0], turn)


@pytest.mark.slow
def test_branches_that_nearly_meet_are_not_left():
    """A + D = B + C - 1e-5 m: at phi = pi the linkage is nearly in a line, and its branches are 0.01 rad apart."""
    length = B + C - D - 1e-5
    bars = kt.load(fourbar(length=length), format="mjcf")
    x = np.linspace(0, 2 * np.pi, 501)
    for branch in (1.0, -1.0):
        psi = [rocker_angle(DRAWN + x, which, length) - rocker_angle(DRAWN, 1.0, length) for which in (branch, -branch)]
        start = bars.q(rocker=psi[0][0], coupler=0.0 if branch > 0 else _other_coupler(length))
        found = kt.kinematics.close(bars, "crank")(x[:, None], q0=start)
        assert found.success.all()
        np.testing.assert_allclose(np.exp(1j * found.q[:, 2]), np.exp(1j * psi[0]), atol=1e-8)
        assert np.abs(np.exp(1j * psi[0]) - np.exp(1j * psi[1])).min() < 0.02


def _other_coupler(length):
    """How far the coupler turns from where it is drawn to the other branch."""
    angles = [rocker_angle(DRAWN, branch, length) for branch in (1.0, -1.0)]
    ends = [np.arctan2(C * np.sin(psi) - length, D + C * np.cos(psi)) for psi in angles]
    return ends[1] - ends[0]


@each("off, good", [(0.02, True), (0.2, False)])
def test_a_step_that_needs_a_large_correction_is_made_shorter(bars, off, good):
    model, roles = tree(bars), loop_roles(bars, "crank")
    places = [(j, i) for j in range(2) for i in range(3)]
    state, v, e0 = begun(model, roles, places, closed(DRAWN), np.array([0.5]))
    state = np.array(closing_step(model, roles, places, np.array(state), v, np.array(e0)), dtype=float)
    assert state[SHARE] == 0
    assert 0 < state[STRIDE] <= 1
    trial = state.copy()
    trial[HEAD + 3 + 3 + 2] += off  # the rocker's place in the step
    after = np.array(closing_step(model, roles, places, trial, v, np.array(e0)), dtype=float)
    assert after[STRIDE] == (state[STRIDE] if good else state[STRIDE] / 4)
    assert after[ROUND] == good


@pytest.mark.slow
def test_the_start_decides_the_branch(close):
    x = np.linspace(-3, 3, 50)
    for branch in (1.0, -1.0):
        expected = closed(DRAWN + x, branch)
        there = closed(DRAWN + 0.4, branch)
        for start in (there, there + np.array((0.0, 0.2, -0.2))):  # closed, and open
            found = close(x[:, None], q0=start)
            assert found.success.all()
            np.testing.assert_allclose(np.exp(1j * found.q), np.exp(1j * expected), atol=1e-9)
    one = close([0.3], q0=there)
    assert (one.success, one.why) == (True, "")


def test_beyond_a_dead_centre_loops_do_not_close(bars):
    close = kt.kinematics.close(bars, "rocker")
    in_line = A + B, B - A  # the crank and the coupler
    ends = sorted(np.pi - np.arccos((C**2 + D**2 - length**2) / (2 * C * D)) for length in in_line)
    drawn = rocker_angle(DRAWN)
    assert ends[0] < drawn < ends[1]
    for end, way in ((ends[0], -1), (ends[1], 1)):
        inside, at, beyond = (close([end - drawn + way * x]) for x in (-1e-3, 0.0, 0.2))
        assert (inside.success, inside.dead, inside.why) == (True, False, "")
        assert not close([end - drawn - way * 1e-7]).dead
        assert (at.success, at.dead) == (True, True)
        assert "dead centre, where the motion of rocker does not" in at.why
        assert (beyond.success, 0 < beyond.share < 1) == (False, True)
        assert 0.01 < beyond.gap.max() < 0.2
        said = float(beyond.why.partition("rocker = ")[2].partition(" (")[0])
        assert abs(said - (end - drawn)) < 1e-5
        fk = kt.fk(bars, "pen", driven="rocker")
        assert np.isnan(fk([end - drawn + way * 0.2])).all()
        assert np.isfinite(fk([end - drawn - way * 0.2])).all()
        assert np.isnan(kt.jacobian(bars, "pen", driven="rocker")([end - drawn + way * 0.2])).all()
    mixed = close([[0.0], [3.0]])
    assert (mixed.success.tolist(), mixed.why) == ([True, False], "")
    assert "1 of 2 not closed" in repr(mixed)


@pytest.mark.slow
def test_at_a_change_point_branches_meet():
    links = [("a", "0 0 0", "a", ""), ("b", "0.1 0 0", "b", ""), ("c", "0.3 0 0", "c", "")]
    a, b, c = (
        '<body name="{}" pos="{}"><joint name="{}" axis="0 0 1"/><geom size="0.01"/>{}'.format(*x) for x in links
    )
    pin = '<connect body1="b" body2="c" anchor="0.3 0 0"/>'
    flat = kt.load(
        f"<mujoco><worldbody>{a}{b}</body></body>{c}</body></worldbody><equality>{pin}</equality></mujoco>",
        format="mjcf",
    )
    close = kt.kinematics.close(flat, "a")  # a parallelogram, drawn in a line
    found = close([0.0])
    assert (found.success, found.dead) == (True, True)
    assert "a change point, where branches of the loops meet" in found.why
    turned = flat.q(a=1.0, b=-1.0, c=1.0)
    around = close(np.linspace(1.0, 7.1, 60)[:, None], q0=turned)
    assert around.success.all()
    np.testing.assert_allclose(around.q[:, 2], around.q[:, 0], atol=1e-9)  # through both change points
    assert np.isnan(close.rates(flat.zero)).any()


@pytest.mark.slow
def test_answers_follow_from_the_closed_positions(bars, close):
    x, h = np.linspace(-3, 3, 11)[:, None], 1e-6
    q, before, after = (close(y).q for y in (x, x - h, x + h))
    fk, J = kt.fk(bars, ["pen", "rocker"], driven=["crank"], loops="closed"), kt.jacobian(bars, "pen", driven="crank")
    np.testing.assert_array_equal(fk(x), kt.fk(bars, ["pen", "rocker"])(q))
    K = close.rates(q)
    np.testing.assert_allclose(K[..., 0], (after - before) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(J(x), kt.jacobian(bars, "pen")(q) @ K, atol=1e-14)
    np.testing.assert_allclose(J(x, q0=q), J.kernel(q), atol=1e-14)
    moved = kt.transforms(bars, x, driven="crank")
    np.testing.assert_array_equal(moved.T, kt.transforms(bars, q).T)
    assert np.isnan(kt.transforms(bars, [[3.0]], driven="rocker").T[..., 0, 0]).any()
    both = kt.jacobian(bars, ["pen", "rocker"], "crank", "frame", driven="crank")(x)
    np.testing.assert_allclose(both, kt.jacobian(bars, ["pen", "rocker"], "crank", "frame")(q) @ K[:, None], atol=1e-14)
    assert J.kernel.outputs[0].labels == ("crank",)
    assert repr(J) == "ClosedQuery closed_jacobian: x of crank"


def motion(close, x, xd, xdd):
    """q, qd and qdd by differences of closed positions."""
    h = 1e-4
    ways = [x + s * h * xd + (s * h) ** 2 / 2 * xdd for s in (-1, 0, 1)]
    before, now, after = (close(way).q for way in ways)
    return now, (after - before) / (2 * h), (after - 2 * now + before) / h**2


def test_dynamics_on_floats(bars, close):
    """Rates and accelerations are those of closed positions, and torques have the power of those of the tree."""
    model, h, x, xd, xdd = tree(bars), 1e-6, np.array([0.4]), np.array([-0.7]), np.array([1.1])
    q, qd, qdd = motion(close, x, xd, xdd)

    def rate(J, v):
        ends = (loop_jacobian(model, q + s * h * v, close.roles.loops) for s in (1, -1))
        return np.subtract(*ends).astype(float) / (2 * h)

    def torques(v, a):
        return rnea(model, q, v, a, np.array([0.3, -9.81, 0.2]), {})

    found = closed_motion(model, close.roles, q, xd, rate, torques)
    np.testing.assert_allclose(np.asarray(found.qd, float), qd, rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.asarray(found.K @ xdd + found.k, float), qdd, rtol=0, atol=1e-5)
    tau = np.asarray(closed_inverse(found, xdd), float)
    assert tau @ xd == pytest.approx(np.asarray(torques(qd, qdd), float) @ qd, rel=1e-5)
    np.testing.assert_allclose(np.asarray(closed_forward(found, tau), float), xdd, rtol=1e-9)
    W = np.asarray(loop_wrenches(found, xdd), float)
    assert W.shape == (1, 6)
    assert np.abs(W[0, 3:]).max() < 1e-9 < np.abs(W[0, :3]).max()  # the loop closes in a point


@pytest.mark.slow
def test_dynamics_are_those_of_the_tree_under_the_forces_of_the_loop(bars, close):
    rng, options = np.random.default_rng(0), {"gravity": (0.3, -9.81, 0.2), "driven": ["crank"]}
    x, xd, xdd = rng.uniform(-2, 2, (3, 20, 1))
    q, qd, qdd = motion(close, x, xd, xdd)
    K, open_loop = close.rates(q), {"gravity": options["gravity"], "loops": "ignore"}
    tau = kt.inverse_dynamics(bars, **options)(x, xd, xdd)
    full = kt.inverse_dynamics(bars, **open_loop)(q, qd, qdd)
    np.testing.assert_allclose(tau, np.einsum("...ji,...j->...i", K, full), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kt.forward_dynamics(bars, **options)(x, xd, tau), xdd, rtol=1e-10, atol=1e-10)
    W = kt.dynamics.loop_wrenches(bars, **options)(x, xd, xdd)
    np.testing.assert_allclose(cut(bars, q, qd, qdd, W, open_loop)[:, 1:], 0.0, atol=1e-6)
    np.testing.assert_allclose(cut(bars, q, qd, qdd, W, open_loop)[:, :1], tau, atol=1e-6)


def cut(robot, q, qd, qdd, W, options):
    """Torques of the tree with the loop cut, and its wrench W (…, 1, 6) on the two ends."""
    (loop,) = robot.loops.values()
    ends = kt.edit.add_frame(robot, "one", loop.parent, loop.origin)
    ends = kt.edit.add_frame(ends, "two", loop.child, se3.inverse(loop.child_origin))
    T = kt.fk(ends, "two", "one")(q)
    R, p = T[:, :3, :3].swapaxes(-1, -2), T[:, :3, 3]  # about the second end, in its axes
    force, moment = W[:, 0, :3], W[:, 0, 3:] - np.cross(p, W[:, 0, :3])
    moved = np.concatenate([np.einsum("nij,nj->ni", R, part) for part in (force, moment)], axis=-1)
    return kt.inverse_dynamics(ends, ["one", "two"], **options)(q, qd, qdd, np.stack([-W[:, 0], moved], axis=1))


@pytest.mark.slow
def test_a_slide_closes_a_loop():
    robot = kt.load(slider(), format="sdf")
    close, x = kt.kinematics.close(robot, "turn"), np.linspace(-6, 6, 100)[:, None]
    p = kt.fk(robot, "piston", driven="turn")(x)[:, :2, 3]
    angle = np.pi / 2 + x[:, 0]
    np.testing.assert_allclose(p[:, 0], np.cos(angle) + np.sqrt(5 - np.sin(angle) ** 2), atol=1e-12)
    np.testing.assert_allclose(p[:, 1], 0.0, atol=1e-12)
    x, xd, xdd = np.random.default_rng(0).uniform(-2, 2, (3, 20, 1))
    q, qd, qdd = motion(close, x, xd, xdd)
    gravity = (0.3, -9.81, 0.2)
    W = kt.dynamics.loop_wrenches(robot, driven="turn", gravity=gravity)(x, xd, xdd)
    tau = kt.inverse_dynamics(robot, driven="turn", gravity=gravity)(x, xd, xdd)
    np.testing.assert_allclose(W[:, 0, 0], 0.0, atol=1e-12)  # along the slide
    found = cut(robot, q, qd, qdd, W, {"gravity": gravity, "loops": "ignore"})
    np.testing.assert_allclose(found, np.concatenate([tau, 0 * q[:, 1:]], axis=1), atol=2e-5)


@pytest.mark.slow
def test_what_else_counts_in_dynamics(bars):
    rough = kt.load(
        fourbar('damping="0.2" frictionloss="0" armature="0.01" stiffness="3" springref="0.5"'), format="mjcf"
    )
    x, zero = [0.7], [0.0]
    torques = [kt.inverse_dynamics(robot, driven="crank") for robot in (bars, rough)]
    tau, rough_tau = (torque(x, [2.0], zero) for torque in torques)
    pulled, rough_pulled = (torque(x, [2.0], [1.0]) for torque in torques)
    assert rough_pulled - rough_tau - pulled + tau == pytest.approx(0.01)
    assert rough_tau - tau == pytest.approx(0.2 * 2.0 + 3 * (0.7 - 0.5))
    pushed = kt.inverse_dynamics(bars, "pen", driven="crank", gravity=None)
    J = kt.jacobian(bars, "pen", expressed_in="frame", driven="crank")(x)
    w = np.arange(6.0)
    both = pushed(x, zero, zero, np.zeros(3), w[None]) - pushed(x, zero, zero, np.zeros(3), np.zeros((1, 6)))
    np.testing.assert_allclose(both, -(J.T @ w), atol=1e-12)
    assert "loops closed" in pushed.kernel.output.about


REFUSED = (
    ({"loops": "closed"}, r"driven is missing.*joints in loops are crank, coupler, rocker"),
    ({"driven": ["crank", "rocker"]}, r"depend on each other.*'crank', 'rocker'.*name 1 fewer"),
    ({"driven": ["swing"]}, r"with 'swing' alone, the loops leave 'crank', 'coupler', 'rocker' free.*name 1 more"),
    ({"driven": ["crank", "crank"]}, "driven=.*twice"),
    ({"driven": []}, "driven=.*names no joint"),
    ({"driven": "nobody"}, "no joint 'nobody'"),
    ({"driven": "crank", "loops": "open"}, "loops is 'open'; expected one of 'ignore', 'closed'"),
    ({"driven": "crank", "joints": ["crank", "coupler", "rocker"], "at": "input"}, "at='input' and driven="),
)


@pytest.fixture(scope="module")
def carried(bars):
    """The four-bar, and a joint beside it."""
    return kt.load(
        fourbar().replace("<worldbody>", '<worldbody><body name="s"><joint name="swing"/><geom size="1"/></body>'),
        format="mjcf",
    )


@each("options, message", REFUSED)
def test_what_cannot_be_driven_is_refused(carried, options, message):
    with pytest.raises(KinetreeError, match=f"(?s){message}"):
        kt.fk(carried, "rocker", **options)


def test_refusals_of_dynamics_name_what_to_do(bars):
    with pytest.raises(KinetreeError, match=r"(?s)forces are not known: pin.*with driven=\[…\], the joints"):
        kt.inverse_dynamics(bars)
    with pytest.raises(KinetreeError, match="gravity_torques is not computed for closed loops; expected inverse_dyn"):
        kt.gravity_torques(bars, driven="crank")
    with pytest.raises(KinetreeError, match="loops is 'ignore', and driven= closes them"):
        kt.inverse_dynamics(bars, driven="crank", loops="ignore")
    with pytest.raises(KinetreeError, match="loops is 'ignore'; expected one of 'closed'"):
        kt.dynamics.loop_wrenches(bars, driven="crank", loops="ignore")
    with pytest.raises(KinetreeError, match="driven is missing"):
        kt.dynamics.loop_wrenches(bars)
    with pytest.raises(KinetreeError, match="the robot has no loops"):
        kt.fk(kt.chain("Rz(q1) tx(1)"), "tip", driven="q1")
    with pytest.raises(KinetreeError, match=r"q \(3, 3\) and x \(2, 1\) do not go together"):
        kt.kinematics.close(bars, "crank")(np.zeros((2, 1)), q0=np.zeros((3, 3)))


@pytest.mark.slow
def test_joints_beside_loops_stay_or_are_driven(carried):
    stays = kt.kinematics.close(carried, "crank")
    assert stays.held == ("swing",)
    assert stays([0.5]).q[0] == 0
    assert stays([0.5], q0=carried.q(swing=0.8)).q[0] == 0.8
    both = kt.kinematics.close(carried, ["crank", "swing"])
    assert (both.coordinate_names, both.held) == (("crank", "swing"), ())
    q = both([0.5, -0.3]).q
    np.testing.assert_array_equal(q[:2], (-0.3, 0.5))
    np.testing.assert_allclose(q[1:], stays([0.5]).q[1:], atol=1e-12)
    chosen = kt.fk(carried, "s", joints=["coupler", "crank", "rocker"], at=carried.q(swing=0.6), driven="crank")
    np.testing.assert_allclose(chosen([0.2]), kt.fk(carried, "s")(carried.q(swing=0.6)), atol=1e-15)


def test_bad_numbers_do_not_close(close):
    assert not close([np.nan]).success
    assert close([np.nan]).why == "x or q0 is not finite"
    assert close([[0.1], [np.inf]]).success.tolist() == [True, False]
    assert not close([0.1], q0=[np.nan, 0, 0]).success


@each("kind", [kind for kind in JOINT_TYPES.values() if kind.rows])
def test_demands_are_as_for_the_identity_where_a_type_can_reach(kind):
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(kind.axes, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    closed = np.array(kind.rows(axes, se3.IDENTITY))
    assert len(closed) == 6 - kind.nv
    for _ in range(20):
        T = kind.transform(axes, 0.0, rng.normal(size=kind.nq))
        np.testing.assert_allclose(kind.rows(axes, T), closed, atol=1e-14)
        moved = T @ se3.homogeneous(se3.rotation((0.6, 0.0, 0.8), 0.1), (0.01, 0.02, 0.03))
        off = np.abs(np.array(kind.rows(axes, moved)) - closed).max(initial=0.0)
        gap = max(kind.gap(axes, 0.0, moved))
        assert (off > 0.02 * gap) and (off < 3 * gap) if gap else off == 0


def test_demands_by_hand():
    axis = np.array((0.36, 0.48, 0.8))
    T = se3.homogeneous(se3.rotation(axis, 0.1), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(JOINT_TYPES["fixed"].rows(None, T), (1, 2, 3, *(np.sin(0.1) * axis)), atol=1e-15)
    parts = parts_of(kt.load(fourbar(), format="mjcf"))
    oblique = np.array([(1.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
    parts.loops = [replace(parts.loops[0], type="universal", axes=oblique)]
    robot = build(parts)
    loops = tuple(robot.loops.values())
    closed = [loops[0].kind.rows(oblique, se3.IDENTITY)[-1], demands(tree(robot), robot.zero, loops)[-1]]
    turned = loop_poses(tree(robot), robot.zero, loops[0])[1][:3, :3]
    np.testing.assert_allclose(closed, (0.6, oblique[0] @ turned @ oblique[1] - 0.6), atol=1e-15)


@each("make", [delta, gripper, fourbar])
def test_the_jacobian_of_loops_is_that_of_differences(make):
    robot = kt.load(make(), format="mjcf")
    model, loops, rng = tree(robot), tuple(robot.loops.values()), np.random.default_rng(1)
    q = integrate(model, drawn_posture(robot), rng.normal(size=robot.nv)).astype(float)
    J = loop_jacobian(model, q, loops).astype(float)
    for j, unit in enumerate(1e-6 * np.eye(robot.nv)):
        ends = [np.array(demands(model, integrate(model, q, v), loops), float) for v in (-unit, unit)]
        np.testing.assert_allclose(J[:, j], (ends[1] - ends[0]) / 2e-6, atol=1e-8)


def test_mjcf_is_closed_where_it_is_drawn():
    text = """<mujoco><worldbody><body name="b" pos="1 2 3" quat="0 1 0 0"><freejoint name="f"/><geom size=".1"/>
    <body name="c"><joint name="j&amp;1" ref="20" axis="1 0 0"/><geom size=".1"/></body></body></worldbody>
    <equality><connect body1="c" anchor="1 0 0"/></equality></mujoco>"""
    robot = kt.load(text, format="mjcf")
    for one in (robot, kt.edit.prefix(robot, "x_")):
        q = drawn_posture(one)
        np.testing.assert_allclose(q, (1, 2, 3, 1, 0, 0, 0, np.deg2rad(20)))
        assert kt.kinematics.loop_error(one).interpret(q).max() < 1e-15
    assert drawn_posture(kt.edit.lock(robot, {"j&1": 0.0})).tolist() == [1, 2, 3, 1, 0, 0, 0]
    np.testing.assert_allclose(drawn_posture(kt.edit.lock(robot, {"f": robot.q()[:7]})), [np.deg2rad(20)])
    np.testing.assert_array_equal(drawn_posture(kt.load("icub")), kt.load("icub").zero)


@pytest.mark.slow
def test_a_gripper_opens_by_one_joint():
    robot = kt.load(gripper(), format="mjcf")
    close = kt.kinematics.close(robot, "right_drive")  # the left drive follows it
    found = close(np.linspace(-0.5, 0.5, 11)[:, None])
    assert found.success.all()
    T = kt.fk(robot, ["right_finger", "left_finger"])(found.q)
    np.testing.assert_allclose(T[..., :3, :3], np.broadcast_to(np.eye(3), (11, 2, 3, 3)), atol=1e-12)
    np.testing.assert_allclose(T[:, 0, :3, 3], T[:, 1, :3, 3] * (-1, 1, 1), atol=1e-12)


@pytest.mark.slow
def test_a_delta_carries_its_plate_level():
    robot = kt.load(delta(), format="mjcf")
    close = kt.kinematics.close(robot, ["arm0", "arm1", "arm2"])
    assert len(close.held) == 6  # each rod may turn about its own axis
    x = np.random.default_rng(0).uniform(-0.4, 0.6, (200, 3))
    found = close(x)
    assert found.success.all()
    plate = kt.fk(robot, "plate", driven=["arm0", "arm1", "arm2"])
    T = plate(x)
    np.testing.assert_allclose(T[:, :3, :3], np.broadcast_to(np.eye(3), (200, 3, 3)), atol=1e-9)
    p = T[:, :3, 3]
    for i in range(3):  # the rods keep their length
        out = np.array((np.cos(2 * np.pi * i / 3), np.sin(2 * np.pi * i / 3), 0))
        elbow = out * (BASE + ARM * np.cos(x[:, i : i + 1])) - (0, 0, ARM) * np.sin(x[:, i : i + 1])
        np.testing.assert_allclose(np.linalg.norm(p + PLATE * out - elbow, axis=1), ROD, atol=1e-12)
    h = 1e-6
    J = kt.jacobian(robot, "plate", driven=["arm0", "arm1", "arm2"])(x)
    for i, step in enumerate(h * np.eye(3)):
        slope = (plate(x + step) - plate(x - step))[:, :3, 3] / (2 * h)
        np.testing.assert_allclose(J[:, :3, i], slope, atol=1e-7)


@pytest.mark.slow
def test_energy_is_kept_for_ten_seconds(bars):
    close, gravity = kt.kinematics.close(bars, "crank"), (0.0, -9.81, 0.0)
    qdd, energy = kt.forward_dynamics(bars, driven="crank", gravity=gravity), kt.dynamics.energy(bars, gravity=gravity)
    x, v, tau, dt = np.array([0.0]), np.array([6.0]), np.zeros(1), 1e-3
    q, totals = close(x).q, []
    for i in range(10_000):
        q = close(x, q0=q).q
        if i % 100 == 0:
            totals.append(energy(q, close.rates(q) @ v).sum())
        a1 = qdd.kernel(q, v, tau)
        a2 = qdd(x + dt / 2 * v, v + dt / 2 * a1, tau, q0=q)
        a3 = qdd(x + dt / 2 * v + dt * dt / 4 * a1, v + dt / 2 * a2, tau, q0=q)
        a4 = qdd(x + dt * v + dt * dt / 2 * a2, v + dt * a3, tau, q0=q)
        x, v = x + dt * v + dt * dt / 6 * (a1 + a2 + a3), v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    assert abs(x[0]) > 20  # the crank has turned
    scale = np.ptp(energy(close(np.linspace(0, 6.3, 100)[:, None]).q, np.zeros(3))[..., 1])
    assert np.ptp(totals) < 1e-5 * scale


@pytest.mark.slow
def test_the_default_start_is_inside_the_limits():
    leg = kt.load(cassie_leg(), format="mjcf")  # drawn with a rod and a crank in a line, outside of the crank's range
    close = kt.kinematics.close(leg, LEG_DRIVEN)
    found = close(close.start[list(close.roles.columns)])
    assert (found.success, found.dead) == (True, False)
    assert leg.limits.contains(found.q)
    np.testing.assert_allclose(found.q[leg.q_slices["tarsus"]], np.deg2rad(58), atol=1e-4)  # as drawn
    stretched = close(drawn_posture(leg)[list(close.roles.columns)] + 0.01 * (np.arange(12) == 11), drawn_posture(leg))
    assert not stretched.success
    assert "the start is at a dead centre of base, hip, knee" in stretched.why
    tight = kt.load(
        cassie_leg().replace('axis="0 0 1" ref="0" range="-140 -30"', 'axis="0 0 1" range="-140 -83"', 1), format="mjcf"
    )
    at = kt.kinematics.close(tight, LEG_DRIVEN).start  # its crank would be at -79°
    np.testing.assert_array_equal(at, drawn_posture(tight))


@pytest.mark.slow
@pytest.mark.nightly
def test_four_bars_of_any_kind_close_where_they_can():
    rng = np.random.default_rng(5)
    for _ in range(12):
        a, b, c, d = rng.uniform(0.1, 1, 4)

        def rocker(phi, branch, a=a, b=b, c=c, d=d):
            """By the triangle of the crank's end and the rocker; NaN where the lengths do not reach."""
            x, y = d - a * np.cos(phi), -a * np.sin(phi)
            with np.errstate(invalid="ignore"):
                inside = np.arccos((x * x + y * y + c * c - b * b) / (2 * c * np.hypot(x, y)))
            return np.arctan2(-y, -x) + branch * inside

        angles = np.linspace(-np.pi, np.pi, 501)
        if not np.isfinite(rocker(angles, 1)).any():
            continue
        branch, drawn = rng.choice([-1, 1]), rng.choice(angles[np.isfinite(rocker(angles, 1))])
        start, crank = rocker(drawn, branch), a * np.array([np.cos(drawn), np.sin(drawn)])
        way = np.array([d + c * np.cos(start), c * np.sin(start)]) - crank
        one, two, three = (
            f'<body name="{n}" pos="{x} {y} 0"><joint name="{n}"/><geom size="1"/>'
            for n, x, y in (("crank", 0, 0), ("rod", *crank), ("rocker", d, 0))
        )
        pin = f'<equality><connect body1="rod" body2="rocker" anchor="{way[0]} {way[1]} 0"/></equality>'
        text = f"<mujoco><worldbody>{one}{two}</body></body>{three}</body></worldbody>{pin}</mujoco>"
        x = rng.uniform(-7, 7, 40)
        found = kt.kinematics.close(kt.load(text, format="mjcf"), "crank")(x[:, None])
        ways = rocker(np.linspace(drawn, drawn + x, 5001), branch)
        np.testing.assert_array_equal(found.success, np.isfinite(ways).all(axis=0))
        off = np.exp(1j * (found.q[:, 2] + start)) - np.exp(1j * ways[-1])
        assert np.abs(off[found.success]).max(initial=0.0) < 1e-9


@pytest.mark.slow
@pytest.mark.nightly
def test_legs_of_a_stewart_platform_have_the_lengths_that_are_given():
    base = np.array([(np.cos(a), np.sin(a), 0) for a in np.deg2rad((10, 110, 130, 230, 250, 350))])
    plate = np.array([(0.5 * np.cos(a), 0.5 * np.sin(a), 0) for a in np.deg2rad((50, 70, 170, 190, 290, 310))])
    up, legs, pins = np.array((0, 0, 1)), "", ""
    for i, (foot, way) in enumerate(zip(base, plate + up - base, strict=True)):
        slide = f'<joint name="leg{i}" type="slide" axis="{way[0]} {way[1]} {way[2]}"/><geom size=".1"/>'
        legs += f'<body name="low{i}" pos="{foot[0]} {foot[1]} 0"><joint name="ball{i}" type="ball"/><geom size=".1"/>'
        legs += f'<body name="up{i}">{slide}</body></body>'
        pins += f'<connect body1="up{i}" body2="plate" anchor="{way[0]} {way[1]} {way[2]}"/>'
    body = '<body name="plate" pos="0 0 1"><freejoint/><geom size=".1"/></body>'
    robot = kt.load(f"<mujoco><worldbody>{legs}{body}</worldbody><equality>{pins}</equality></mujoco>", format="mjcf")
    driven = [f"leg{i}" for i in range(6)]
    x = np.random.default_rng(0).uniform(-0.1, 0.2, (100, 6))
    T = kt.fk(robot, "plate", driven=driven)(x)
    ends = plate @ T[:, :3, :3].swapaxes(-1, -2) + T[:, None, :3, 3]
    lengths = np.linalg.norm(ends - base, axis=-1) - np.linalg.norm(plate + up - base, axis=-1)
    np.testing.assert_allclose(lengths, x, atol=1e-12)


def test_queries_that_are_not_for_loops_say_so():
    for function, given in (
        (kt.jacobian_dot, ["pen"]),
        (kt.velocity, ["pen"]),
        (kt.kinematics.manipulability, ["pen"]),
    ):
        with pytest.raises(kt.KinetreeError, match=f"{function.__name__} is not computed for closed loops") as error:
            function(kt.chain("Rz(q1) tx(0.4)"), *given, driven=["q1"])
        assert "kt.kinematics.close" in error.value.findings[0].fix


def test_closed_queries_are_those_of_the_tree_at_closed_positions(bars, close):
    """By the interpreter; their inputs are those of the driven joints."""
    options, x, xd, xdd = {"gravity": (0.3, -9.81, 0.2)}, np.array([0.4]), np.array([-0.7]), np.array([1.1])
    q, qd, qdd = motion(close, x, xd, xdd)
    torques = kt.inverse_dynamics(bars, driven=["crank"], **options)
    full = kt.inverse_dynamics(bars, loops="ignore", **options).interpret(q, qd, qdd)
    assert torques.kernel.interpret(q, xd, xdd) @ xd == pytest.approx(full @ qd, rel=1e-6)
    assert [(port.name, port.shape, port.labels) for port in torques.kernel.inputs[1:]] == [
        ("xd", (1,), ("crank",)),
        ("xdd", (1,), ("crank",)),
    ]
    assert torques.kernel.outputs[0].labels == ("crank",)
    assert repr(torques) == f"ClosedQuery {torques.kernel.name}: x of crank, xd, xdd"
    assert repr(kt.fk(bars, "pen", driven="crank")).endswith(": x of crank")
    np.testing.assert_array_equal(closed_q(bars, "crank", x, None), close(x).q)
    np.testing.assert_array_equal(closed_q(bars, "crank", None, None), close([0.0]).q)
    np.testing.assert_array_equal(closed_q(bars, "crank", None, close(x).q), close(x, q0=close(x).q).q)
    assert np.isnan(closed_q(bars, "rocker", [3.0], None)).all()
    assert repr(close) == "LoopCloser: coupler, rocker follow crank"

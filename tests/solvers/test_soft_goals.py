"""Goals of inverse kinematics as things: hard ones are reached, soft ones give the least sum of squares left."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.model.limits import LinearLimits
from soft_goals import away_from_minimum, errors, parts
from support import example_robot_urdfs


def slides(*ends: tuple[float, float]) -> kt.Robot:
    """A gantry: prismatic joints q1, q2 … along x with these ends, and tip; 1 kg in each link."""
    text = '<robot name="gantry"><link name="base"/>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for i, (lower, upper) in enumerate(ends, 1):
        parent, child = "base" if i == 1 else f"l{i - 1}", "tip" if i == len(ends) else f"l{i}"
        text += f'<link name="{child}">{mass}</link><joint name="q{i}" type="prismatic"><parent link="{parent}"/>'
        text += f'<child link="{child}"/><axis xyz="1 0 0"/><limit lower="{lower}" upper="{upper}" '
        text += 'velocity="1" effort="1"/></joint>'
    return kt.load(f"{text}</robot>", format="urdf")


def near(result: kt.IKResult, q, cost: float | None = None, within: float = 1e-8) -> None:
    assert np.asarray(result.success).all()
    assert result.q == pytest.approx(np.array(q), abs=within)
    assert cost is None or result.cost == pytest.approx(cost, rel=1e-6, abs=1e-12)


@pytest.mark.slow
def test_two_soft_goals_meet_at_their_weights():
    """Least squares by hand: x minimises 4 (x - 1)² + (x - 0)²; weights scale the cost, not the answer."""
    robot = slides((-5, 5))
    for scale in (1.0, 100.0):
        goals = [kt.goal.position("tip", weight=2.0 * scale), kt.goal.posture([0.0], weight=scale)]
        near(kt.ik(robot, goals)([1.0, 0.0, 0.0]), [0.8], scale**2 * (4 * 0.2**2 + 0.8**2))


def test_a_hard_goal_is_exact_and_a_soft_one_has_the_rest():
    """q1 + q2 = x; the posture shares it out; without a weight nothing gives way."""
    solve = kt.ik(slides((-5, 5), (-5, 5)), [kt.goal.position("tip"), kt.goal.posture([0.0, 0.2], weight=0.01)])
    near(solve([1.0, 0.0, 0.0]), [0.4, 0.6], 0.01**2 * 2 * 0.4**2)
    missed = solve([1.0, 0.0, 0.3])
    assert not missed.success
    assert missed.residual[0] == pytest.approx(0.3)
    batch = solve([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    assert batch.success.tolist() == [True, True, False]
    np.testing.assert_allclose(batch.q[:2], [[0.4, 0.6], [0.9, 1.1]], rtol=0, atol=1e-7)
    assert batch.cost == pytest.approx([0.32e-4, 0.5 * 1.8**2 * 1e-4, 0.0])


@pytest.mark.slow
def test_limits_win_over_all_goals():
    """At the end of one range the other joint goes on; at a row both stay; an end is left again."""
    robot = slides((-5, 0.2), (-5, 5))
    solve = kt.ik(robot, [kt.goal.position("tip"), kt.goal.posture(weight=1.0)])
    near(solve([1.0, 0.0, 0.0]), [0.2, 0.8])
    near(solve([0.1, 0.0, 0.0], q0=[0.2, 3.0]), [0.05, 0.05])
    near(solve([[-4.0, 0, 0], [0.3, 0, 0]]), [[-2.0, -2.0], [0.15, 0.15]])
    sums = LinearLimits("sum", ("q1", "q2"), np.array([[1.0, 1.0]]), np.array([0.3]), ("most",), angular=False)
    rows = kt.edit.add_limits(robot, [sums])
    soft = kt.ik(rows, [kt.goal.position("tip", weight=1.0), kt.goal.posture(weight=0.1)])
    near(soft([1.0, 0.0, 0.0]), [0.15, 0.15], 0.7**2 + 0.01 * 2 * 0.15**2)
    near(soft([-1.0, 0.0, 0.0]), [-1 / 2.01, -1 / 2.01])
    near(soft([-1.0, 0.0, 0.0], q0=[0.15, 0.15]), [-1 / 2.01, -1 / 2.01])
    hard = kt.ik(rows, [kt.goal.position("tip"), kt.goal.posture(weight=0.1)])([1.0, 0.0, 0.0])
    assert not hard.success
    assert hard.q.sum() == pytest.approx(0.3)
    assert rows.limits.contains(hard.q)


def test_turns_are_measured_by_their_angle():
    """theta minimises (theta - a)² + w² theta² at any angle, for an orientation, and 2 - 2 cos for a pointing axis."""
    arm = kt.chain("Rz(q1) tx(0.5)")
    for angle in (0.3, 2.5, -3.0):
        goals = [kt.goal.orientation("tip", weight=1.0), kt.goal.posture([0.0], weight=0.5)]
        turn = Rotation.from_euler("z", angle).as_matrix()
        near(kt.ik(arm, goals)(turn), [angle / 1.25])
    goals = [kt.goal.pointing("tip", [1, 0, 0], weight=1.0), kt.goal.posture([0.0], weight=0.5)]
    result = kt.ik(arm, goals)([0.0, 2.0, 0.0])

    def cost(x: float) -> float:
        d, p = np.array([np.cos(x), np.sin(x)]), 0.5 * np.array([np.cos(x), np.sin(x)])
        u = (np.array([0.0, 2.0]) - p) / np.linalg.norm(np.array([0.0, 2.0]) - p)
        return 2 - 2 * d @ u + 0.25 * x * x

    best = minimize_scalar(cost, bounds=(0, 2), method="bounded", options={"xatol": 1e-10})
    near(result, [best.x], best.fun, within=1e-6)


@pytest.mark.slow
def test_a_heading_is_an_angle_about_an_axis_of_the_base():
    """The yaw of roll, pitch and yaw, whatever roll and pitch are; likewise about x and y."""
    wrist = kt.chain("Rz(yaw) Ry(pitch) Rx(roll)")
    for angle in (0.4, -3.0, 3.3):
        solve = kt.ik(wrist, [kt.goal.heading("tip", "z"), kt.goal.posture([0.0, 0.3, -0.2], weight=1.0)])
        q = solve(angle, q0=[2.5 * np.sign(np.sin(angle)), 0.3, -0.2]).q
        assert np.cos(q[0] - angle) == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(q[1:], [0.3, -0.2], rtol=0, atol=1e-7)
    for axis in "xyz":
        i = "xyz".index(axis)
        result = kt.ik(kt.chain(f"R{axis}(q1)"), [kt.goal.heading("tip", axis)])(0.7)
        near(result, [0.7], within=1e-6)
        assert kt.ik(wrist, [kt.goal.heading("tip", axis)])(0.5).success
        turn = Rotation.from_matrix(kt.fk(wrist, "tip")(kt.ik(wrist, [kt.goal.heading("tip", axis)])(0.5).q)[:3, :3])
        along = turn.as_matrix()[:, (i + 1) % 3]
        assert np.arctan2(along[(i + 2) % 3], along[(i + 1) % 3]) == pytest.approx(0.5)


def test_a_center_of_mass_is_that_of_all_links():
    """Two masses on slides: their mean, hard and soft, also as seen from a link that moves."""
    robot = slides((-5, 5), (-5, 5))  # masses at q1 and q1 + q2
    solve = kt.ik(robot, [kt.goal.center_of_mass(), kt.goal.posture(weight=1.0)])
    near(solve([1.0, 0.0, 0.0]), [0.8, 0.4])  # q1 + q2 / 2 = 1, least squares
    seen = kt.ik(robot, [kt.goal.center_of_mass(base="l1", free="y z"), kt.goal.posture([0.1, 0.0], weight=1.0)])
    near(seen([1.0, 7.0, 7.0]), [0.1, 2.0])
    with pytest.raises(kt.KinetreeError, match="no link of the robot has a mass"):
        kt.ik(kt.chain("tx(q1)"), [kt.goal.center_of_mass()])


def test_relative_is_a_pose_as_seen_from_another_frame():
    assert kt.goal.relative("a", "b", weight=2.0) == kt.goal.pose("a", base="b", weight=2.0)


def test_targets_by_place_by_name_and_in_one_array():
    arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3) Rz(q3)")
    goals = [kt.goal.position("tip", weight=1.0), kt.goal.center_of_mass(weight=1.0), kt.goal.posture(weight=0.1)]
    heavy = slides((-5, 5), (-5, 5))
    solve, p, c = kt.ik(heavy, goals), np.array([1.0, 0, 0]), np.array([0.3, 0, 0])
    by_place = solve(p, c)
    np.testing.assert_array_equal(solve({"center_of_mass": c, "tip": p}).q, by_place.q)
    poses = kt.ik(arm, [kt.goal.pose("tip", weight=1.0), kt.goal.pose("q1_link", weight=2.0)])
    frames = [goal.frame for goal in poses.goals]
    T = kt.fk(arm, frames)([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    np.testing.assert_array_equal(poses(T).q, poses(*np.moveaxis(T, 1, 0)).q)
    np.testing.assert_allclose(poses(T).q, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(poses(dict(zip(frames, T[0], strict=True))).q, poses(*T[0]).q)
    both = kt.ik(arm, [kt.goal.position("tip", weight=1.0), kt.goal.orientation("tip")])
    assert both({"position of tip": T[0, 0, :3, 3], "orientation of tip": T[0, 0, :3, :3]}).success
    for wrong, message in (
        (({"tip": p},), "targets are given for 'tip'; expected 'tip', 'center_of_mass'"),
        (([p, c],), "1 targets; expected one for each of 2 goals"),
        ((p, c, p), "3 targets; expected one for each of 2 goals"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            solve(*wrong)
    with pytest.raises(kt.KinetreeError, match="1 targets; expected one for each of 2 goals"):
        poses(T[:, :1])


@pytest.mark.slow
def test_hard_goals_alone_are_solved_as_names_are():
    """To the last bit, each with its own tolerance."""
    arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
    goal = kt.goal.position("tip")
    p = np.array([0.4, 0.3, 0.0])
    np.testing.assert_array_equal(kt.ik(arm, goal)(p).q, kt.ik(arm, "tip", goal="position")(p).q)
    rough, fine = (kt.ik(arm, [kt.goal.position("tip", tolerance=(t, 1.0))])(p) for t in (0.05, 1e-9))
    assert 1e-6 < rough.residual[0] < 0.05
    assert fine.residual[0] <= 1e-9
    assert rough.cost == 0.0
    pair = [kt.goal.position("tip", tolerance=(0.05, 1)), kt.goal.position("q1_link", tolerance=(1e-8, 1))]
    T = kt.fk(arm, ["tip", "q1_link"])([0.3, 0.9])
    result = kt.ik(arm, pair)(T[0, :3, 3], T[1, :3, 3])
    assert result.success


@each(
    "make, message",
    [
        (lambda r: kt.ik(r, [kt.goal.position("tip"), "tip"]), "'tip' is among goals; expected goals alone"),
        (lambda r: kt.ik(r, [kt.goal.position("tip")], goal="pose", axis=[1, 0, 0]), "axis is .1, 0, 0., which is for"),
        (lambda r: kt.ik(r, [kt.goal.position("tip")], goal="position"), "goal is 'position', which is for names"),
        (lambda r: kt.ik(r, [kt.goal.position("tip")], weights=[1] * 6), "weights is .*, which is for names"),
        (lambda r: kt.ik(r, kt.goal.position("tip"), expressed_in="frame"), "expressed_in is 'frame', which is for"),
        (lambda r: kt.ik(r, [kt.goal.position("tip")] * 2), "tip is twice among the goals"),
        (lambda r: kt.ik(r, [kt.goal.position("nose")]), "no frame 'nose'"),
        (lambda r: kt.ik(r, [kt.goal.posture([1.0, 2.0], weight=1)]), "2 numbers; expected 1 finite"),
        (lambda r: kt.ik(r, [kt.goal.position("tip", weight=1)], clearance=0.1), "clearance is for hard goals"),
        (lambda r: kt.goal.position("tip", weight=0), "weight is 0; expected a finite number above 0"),
        (lambda r: kt.goal.position("tip", weight=True), "weight is True"),
        (lambda r: kt.goal.position("tip", free="rz"), "free is 'rz'; expected one of 'x', 'y', 'z'"),
        (lambda r: kt.goal.position("tip", free="x y z"), "leaves a position nothing to reach"),
        (lambda r: kt.goal.pose("tip", tolerance=(0, 1)), "tolerance"),
        (lambda r: kt.goal.position("tip", free=3), "free is 3; expected names of x, y, z, in a text or a list"),
        (lambda r: kt.goal.heading("tip", "w"), "axis is 'w'; expected one of 'x', 'y', 'z'"),
        (lambda r: kt.goal.posture(weight=None), "expected a weight above 0"),
        (lambda r: kt.goal.pose("tip", axes="world"), "axes is 'world'; expected one of 'base', 'frame'"),
        (lambda r: kt.goal.center_of_mass(axes="frame"), "axes is 'frame'; expected one of 'base'"),
        (lambda r: kt.goal.heading("tip", axes="frame"), "axes is 'frame'; expected one of 'base'"),
        (lambda r: kt.goal.pointing("tip", free="x"), "free is 'x'; expected one of"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(kt.KinetreeError, match=message):
        make(slides((-1, 1)))


def test_what_is_for_hard_goals_alone_is_refused():
    solve, p = kt.ik(slides((-1, 1)), [kt.goal.position("tip", weight=1.0)]), [0.5, 0.0, 0.0]
    for call in (
        lambda: solve.solutions(p),
        lambda: solve.reachable(p),
        lambda: solve.step([0.0], p, dt=0.1),
        lambda: solve(p, prefer="middle"),
    ):
        with pytest.raises(kt.KinetreeError, match="is for hard goals; expected no goal with a weight"):
            call()
    assert "position of tip in base with weight 1" in repr(solve)


def test_goals_that_differ_have_different_code():
    """The text of a goal, by which compiled code is kept, has all that the code depends on."""
    goals = [
        kt.goal.pose("a", weight=1.0, free=free, axes=axes, tolerance=tolerance)
        for free in ((), "x", "rz")
        for axes in ("base", "frame")
        for tolerance in (None, (1e-3, 1e-3))
    ]
    goals += [kt.goal.heading("a", axis) for axis in "xyz"] + [
        kt.goal.pose("a"),
        kt.goal.pose("b"),
        kt.goal.pose("a", base="c"),
    ]
    assert len({repr(goal) for goal in goals}) == len({*goals}) == len(goals)


ICUB = {
    "a hand and a posture": [kt.goal.position("l_hand"), kt.goal.posture(weight=0.1)],
    "both hands": [kt.goal.pose("l_hand", weight=1.0), kt.goal.pose("r_hand", weight=2.0), kt.goal.posture(weight=0.1)],
    "axes of a hand": [kt.goal.position("l_hand", axes="frame", free="z", weight=2.0), kt.goal.posture(weight=0.05)],
    "one from the other": [kt.goal.relative("l_hand", "r_hand"), kt.goal.posture(weight=0.1)],
    "softly": [kt.goal.relative("l_hand", "r_hand", weight=1.0), kt.goal.posture(weight=0.1)],
    "pointing": [kt.goal.pointing("l_hand", weight=1.0), kt.goal.posture(weight=0.1)],
    "over a foot": [
        kt.goal.center_of_mass(base="l_foot", free="z"),
        kt.goal.position("r_hand", weight=1.0),
        kt.goal.posture(weight=0.1),
    ],
}


def goal_targets(robot: kt.Robot, goals, q: np.ndarray, rng) -> list[np.ndarray]:
    """What goals have at q (n, nq), for soft ones up to 30 cm and some turn away."""
    found = []
    for goal in goals:
        if goal.kind == "posture":
            continue
        if goal.kind == "center_of_mass":
            found.append(errors(robot, goal, np.zeros(3), q))
            continue
        T = kt.fk(robot, goal.frame, goal.base or None)(q)
        if goal.weight is not None:
            T[:, :3, 3] += rng.normal(size=(len(q), 3)) * 0.1
            T[:, :3, :3] @= Rotation.from_rotvec(rng.normal(size=(len(q), 3)) * 0.4).as_matrix()
        one = {"pose": T, "position": T[:, :3, 3], "pointing": T[:, :3, 3] + T[:, :3, 2]}
        found.append(one[goal.kind])
    return found


@pytest.mark.sampled(1)
@pytest.mark.slow
@pytest.mark.parametrize("name", ICUB)
def test_an_icub_is_at_minima_inside_its_rows(name):
    """Karush, Kuhn and Tucker, by SciPy, from poses alone; hard goals and the cost likewise."""
    icub = kt.load("icub", inertias="iCubGazeboV2_5")
    solve, rng = kt.ik(icub, ICUB[name]), np.random.default_rng(2)
    targets = goal_targets(icub, solve.goals, icub.limits.sample(60, seed=4), rng)
    result = solve(*targets)
    assert result.success.mean() >= 0.98
    assert icub.limits.contains(result.q).all()
    for k in np.flatnonzero(result.success)[:20]:
        own = [a[k] for a in targets]
        soft, hard = parts(icub, solve.goals, own, result.q[k])
        assert np.abs(hard).max(initial=0.0) <= 1e-6
        assert soft @ soft == pytest.approx(result.cost[k], rel=1e-6)
        assert away_from_minimum(icub, solve.goals, own, result.q[k]) < 3e-5


def g1() -> tuple[kt.Robot, list, np.ndarray]:
    """The G1 on a floating base, its goals, and a posture with bent knees."""
    path = next((path for path in example_robot_urdfs() if path.name == "g1_29dof_rev_1_0.urdf"), None)
    if path is None:
        pytest.skip("no G1 in example-robot-data")
    robot = kt.load(path, floating=True)
    bent = {f"{side}_{name}_joint": x for side in ("left", "right") for name, x in BENT.items()}
    posture = robot.q(floating_base=[0, 0, 0.78, 0, 0, 0, 1], **bent)
    goals = [kt.goal.pose(f"{side}_ankle_roll_link") for side in ("left", "right")]
    goals += [kt.goal.pose(f"{side}_rubber_hand", weight=3.0) for side in ("left", "right")]
    return robot, [*goals, kt.goal.center_of_mass(weight=3.0), kt.goal.posture(posture, weight=0.03)], posture


BENT = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "elbow": 0.6}


@pytest.mark.slow
@pytest.mark.nightly
def test_a_humanoid_stands_on_hard_feet_with_soft_hands():
    robot, goals, posture = g1()
    solve, rng = kt.ik(robot, goals), np.random.default_rng(0)
    T = np.tile(kt.fk(robot, [goal.frame for goal in goals[:4]])(posture), (500, 1, 1, 1))
    T[:, 2:, :3, 3] += rng.uniform(-0.12, 0.12, (500, 2, 3))
    c = np.tile([*T[0, :2, :2, 3].mean(axis=0), kt.center_of_mass(robot)(posture)[2]], (500, 1))
    result = solve(*np.moveaxis(T, 1, 0), c, q0=posture)
    assert result.success.all()
    assert result.residual.max() <= 1e-6
    assert result.iterations.mean() < 13
    assert robot.limits.contains(result.q).all()
    for k in range(0, 500, 50):
        assert away_from_minimum(robot, goals, [*T[k], c[k]], result.q[k]) < 1e-5
    alone = solve(*T[7], c[7], q0=posture)
    np.testing.assert_allclose(alone.q, result.q[7], rtol=0, atol=1e-5)
    far = T[:20].copy()
    far[:, 2:, 2, 3] += 3.0  # 3 m higher: hands as high as they go, feet on the ground
    high = solve(*np.moveaxis(far, 1, 0), c[:20], q0=posture)
    assert high.success.all()
    assert high.residual.max() <= 1e-6


def test_targets_of_any_finite_size_and_batches_that_fit():
    solve = kt.ik(slides((-1, 1)), [kt.goal.position("tip", weight=1.0), kt.goal.posture([0.5], weight=1.0)])
    near(solve([1e5, 0.0, 0.0]), [1.0])
    with pytest.raises(kt.KinetreeError, match=r"the target has 1e\+101 in entry \[0\]; expected finite numbers up to"):
        solve([1e101, 0.0, 0.0])
    many = solve([[0.5, 0.0, 0.0], [-1e101, 0.0, 0.0]])
    assert many.success.tolist() == [True, False]
    assert np.isfinite(many.cost).all()
    two = kt.ik(
        kt.chain("tx(q1) ty(q2)"), [kt.goal.position("tip", free="y z"), kt.goal.position("q1_link", free="x z")]
    )
    with pytest.raises(kt.KinetreeError, match=r"targets are tip \(2,\) and q1_link \(3,\), which do not go together"):
        two(np.zeros((2, 3)), np.zeros((3, 3)))


@pytest.mark.slow
@each("axes", ["base", "frame"])
@each("make", [kt.goal.orientation, kt.goal.pose])
@pytest.mark.nightly
def test_a_turn_that_is_free_is_used(make, axes):
    """Hard goals with a free direction, along which their error is large, against SLSQP."""
    arm = kt.chain("Rz(q1) Ry(q2) tz(.3) Rx(q3) tx(.2) Rz(q4) Ry(q5) tx(.1) Rz(q6) Rx(q7)")
    solve, fk = kt.ik(arm, [make("tip", free="ry", axes=axes), kt.goal.posture(weight=0.1)]), kt.fk(arm, "tip")
    start = np.random.default_rng(0).uniform(-1.2, 1.2, (6, 7))
    T = fk(start)
    given = T if make is kt.goal.pose else T[:, :3, :3]
    found = solve(given, q0=start)
    assert found.success.all()
    assert found.iterations.max() <= 40
    again = solve(given, q0=found.q)
    assert np.abs(again.q - found.q).max() < 3e-5
    for q, cost, there in zip(found.q, found.cost, T, strict=True):

        def errors(x, there=there):
            here = fk(x)
            turn = Rotation.from_matrix(there[:3, :3] @ here[:3, :3].T).as_rotvec()
            R = here[:3, :3].T if axes == "frame" else np.eye(3)
            p = R @ (there[:3, 3] - here[:3, 3]) if make is kt.goal.pose else []
            return np.r_[p, (R @ turn)[[0, 2]]]

        assert np.abs(errors(q)).max() < 2e-6
        options = {"ftol": 1e-15, "maxiter": 300}
        best = minimize(lambda x: 0.01 * x @ x, q, constraints={"type": "eq", "fun": errors}, options=options)
        assert cost <= best.fun + 1e-8


@pytest.mark.slow
@each("goal", [kt.goal.pointing("tip", [1, 0, 0]), kt.goal.heading("tip")])
def test_searches_end_at_the_minimum(goal):
    """Pointing and headings beside a posture: a search from the result hardly moves it."""
    arm = kt.chain("Rz(q1) Ry(q2) tz(.3) Ry(q3) tx(.2) Rz(q4) Ry(q5) tx(.1) Rz(q6)")
    solve, fk = kt.ik(arm, [goal, kt.goal.posture([0.3] * 6, weight=0.1)]), kt.fk(arm, "tip")
    start = np.random.default_rng(0).uniform(-1.2, 1.2, (50, 6))
    T = fk(start)
    target = T[:, :3, 3] + 0.3 * T[:, :3, 0] if goal.kind == "pointing" else np.arctan2(T[:, 1, 0], T[:, 0, 0])
    found = solve(target, q0=start)
    assert found.success.all()
    q = found.q
    for _ in range(3):
        q = solve(target, q0=q).q
    assert np.abs(q - found.q).max() < 1e-5

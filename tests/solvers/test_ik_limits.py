"""Inverse kinematics inside limits that other joints have a part in: rows, followers, ranges without ends."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.inverse import started
from kinetree.model.edit import add_limits
from kinetree.model.limits import Limits, LinearLimits, limits_about
from random_arms import closed_form_arm, random_arm
from support import reachable

pytestmark = pytest.mark.slow  # longer than a quick test


def with_rows(robot: kt.Robot, G, h) -> kt.Robot:
    names = tuple(f"row{i}" for i in range(len(h)))
    return add_limits(
        robot, [LinearLimits("rows", robot.coordinate_names, np.array(G), np.array(h), names, angular=False)]
    )


def planar(n: int, limit: float = 2.0) -> kt.Robot:
    text = '<robot name="planar"><link name="l0"/>'
    for i in range(n):
        text += (
            f'<link name="l{i + 1}"/><joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        )
        text += (
            f'<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="{-limit}" upper="{limit}" velocity="1" effort="1"/>'
        )
        text += "</joint>"
    return kt.load(f"{text}</robot>", format="urdf")


def honest(robot: kt.Robot, ik: kt.kinematics.IK, T, q0) -> kt.IKResult:
    result = ik(T, q0=q0)
    assert robot.limits.contains(result.q).all()
    assert not (result.success & (result.residual > 1e-6).any(axis=-1)).any()
    return result


def test_every_start_is_inside_rows_that_share_no_joint():
    ik = kt.ik(with_rows(planar(3), [[1, 0, 0], [0, 1, -1]], [0.3, 0.3]), "l3")
    _, h, center, _ = ik._inside.begin(ik._problem, None)
    q = np.array(started(ik._problem, np.arange(1.0, 200.0), h, center))
    assert (ik._problem.G @ q <= h[:, None]).all()
    assert np.ptp(q, axis=1).min() > 1.0  # and they are spread


SLOW = pytest.mark.slow


@pytest.mark.parametrize("order", [("firmware", "tendons"), pytest.param(("tendons", "firmware"), marks=SLOW)])
@pytest.mark.slow
def test_code_in_the_cache_is_of_these_limits(order, tmp_path, monkeypatch):
    """Limits of joints that do not move, and rows, are in the code too."""
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path))
    for limits in order:
        robot = kt.load("icub", limits=limits)
        q = robot.limits.sample(500)
        T = kt.fk(robot, "l_hand", "l_shoulder_2")(q)
        result = honest(robot, kt.ik(robot, "l_hand", "l_shoulder_2"), T, q[::-1])
        assert kt.ik(robot, "l_hand", "l_shoulder_2")(T, q0=q).success.all()
        if limits == "firmware":
            assert result.success.all()


@pytest.mark.parametrize("limits", ["tendons", pytest.param("ikin", marks=SLOW)])
@pytest.mark.slow
def test_rows_matter_wherever_other_joints_are(limits):
    """Which rows can be crossed depends on where q0 leaves the joints that do not move."""
    robot = kt.load("icub", limits=limits)
    for frame, base in (("l_hand", "l_shoulder_2"), ("l_elbow_1", "chest")):
        q = robot.limits.sample(400)
        T = kt.fk(robot, frame, base)(q)
        ik = kt.ik(robot, frame, base)
        assert ik(T, q0=q).success.all()
        honest(robot, ik, T, q[::-1])
        T[:, :3, 3] += 0.5
        assert not honest(robot, ik, T, q[::-1]).success.any()


def test_a_row_that_the_start_does_not_show():
    robot = with_rows(planar(3), [[0, 1, 1]], [2.5])
    ik, fk = kt.ik(robot, "l2"), kt.fk(robot, "l2")
    result = honest(robot, ik, fk([[0.5, 1.9, 0]]), np.array([[0, 0, 1.9]]))
    assert not result.success.any()
    assert ik(fk([0.5, 1.9, 0])).success


ARMS = {
    "wrist": lambda: closed_form_arm("wrist"),
    "parallel": lambda: closed_form_arm("parallel"),
    "neither": lambda: random_arm(6, seed=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wrist", *(pytest.param(name, marks=SLOW) for name in ("parallel", "neither"))])
@pytest.mark.sampled(1)
def test_random_rows_and_starts(name):
    """Reached or not, with a closed form or without, starts spread inside of what rows leave."""
    rng, robot = np.random.default_rng(0), ARMS[name]()
    rowed = with_rows(robot, rng.normal(size=(3, 6)), [0.5, 0.7, 1.0])
    tip = list(rowed.links)[-1]
    q, T = reachable(rowed, tip, None, 300)
    for ik in (kt.ik(rowed, tip), kt.ik(rowed, tip, closed_form=False)):
        found = honest(rowed, ik, T, q[::-1]).success
        assert found.all() if ik._nearest else found.mean() > 0.95
        assert kt.ik(rowed, tip)(T, q0=q).success.all()
        T_far = T.copy()
        T_far[:, :3, 3] += 1.0
        honest(rowed, ik, T_far, q[::-1])


@pytest.mark.slow
def test_a_closed_form_at_the_edge_of_rows():
    """A configuration on a row is its own answer."""
    robot = with_rows(closed_form_arm("wrist"), [[0, 1, 1, 0, 0, 0], [0, 0, 1, -1, 0.5, 0]], [0.5, 0.4])
    q = robot.limits.project(np.random.default_rng(0).uniform(-2.5, 2.5, (400, 6)))
    rows = robot.limits.margin(q)[:, 12:]
    edge = q[(rows <= 1e-9).any(axis=-1)]
    assert len(edge) > 100
    result = honest(robot, kt.ik(robot, "l7"), kt.fk(robot, "l7")(edge), edge)
    assert result.success.all()
    assert np.median(np.abs(result.q - edge).max(axis=-1)) < 1e-6
    assert (np.abs(result.q - edge).max(axis=-1) < 1e-3).mean() > 0.95


def test_a_follower_with_limits_holds_a_leader_without():
    text = """<robot name="led"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
      <joint name="lead" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
      <joint name="follow" type="revolute"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-2" upper="2" velocity="1" effort="1"/><mimic joint="lead" multiplier="0.5"/></joint>
      <joint name="end" type="fixed"><parent link="c"/><child link="d"/><origin xyz="1 0 0"/></joint></robot>"""
    robot = kt.load(text, format="urdf")
    ik, fk = kt.ik(robot, "d"), kt.fk(robot, "d")
    assert kt.ik(robot, "d")(fk([3.9])).success
    result = ik(fk([4.5]), q0=[3.5])
    assert not result.success
    assert robot.limits.contains(result.q)
    # the follower's velocity is the leader's too
    assert np.abs(ik.step([0.0], fk([1.0]), dt=0.1).q).max() <= 0.2 + 1e-12
    swift = kt.load(text.replace('multiplier="0.5"', 'multiplier="4"'), format="urdf")
    assert np.abs(kt.ik(swift, "d").step([0.0], fk([1.0]), dt=0.1).q).max() <= 0.025 + 1e-12


@pytest.mark.parametrize("factor", [0.5, -0.5, 1.5, 2.0])
def test_whole_turns_of_a_leader_are_not_free(factor):
    """Where a follower turns by another number, the leader's turn moves it: answers near a start are none."""
    text = f"""<robot name="led"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
      <joint name="lead" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
      <joint name="follow" type="continuous"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
        <mimic joint="lead" multiplier="{factor}"/></joint>
      <joint name="end" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0.3 0.5 0"/></joint></robot>"""
    robot = kt.load(text, format="urdf")
    ik, fk = kt.ik(robot, "d"), kt.fk(robot, "d")
    q = np.linspace(-7, 7, 29)[:, None]
    T = fk(q)
    for start in (-9.0, 0.0, 9.0):
        result = ik(T, q0=np.full((29, 1), start))
        assert np.abs(fk(result.q) - T)[result.success].max(initial=0.0) < 1e-5
        off = np.linalg.norm((fk(result.q) - T)[:, :3, 3], axis=-1)
        assert result.residual[:, 0] == pytest.approx(off, abs=1e-9)
    assert ik(T, q0=q).success.all()


@pytest.mark.parametrize(
    "ends",
    [
        (-999999.0, 999999.0),
        (0.0, np.inf),
        pytest.param((-1e16, 1e16), marks=SLOW),
        pytest.param((-2.0, 1e9), marks=SLOW),
        pytest.param((-np.inf, 1.0), marks=SLOW),
    ],
)
def test_ranges_without_a_useful_middle(ends):
    """A search begins where arms usually are, not in the middle of numbers that stand for none."""
    robot = random_arm(7, seed=3)
    limits = robot.limits
    lower, upper = limits.lower.copy(), limits.upper.copy()
    lower[:3], upper[:3] = ends
    wide = Limits(limits.coordinate_names, lower, upper, limits.G, limits.h, limits.row_names)
    rng = np.random.default_rng(0)
    low, high = np.clip(lower, -2.5, None), np.clip(upper, None, 2.5)
    q = rng.uniform(low, high, (200, 7))
    result = kt.ik(robot, "l7", limits=wide)(kt.fk(robot, "l7")(q))
    assert result.success.mean() > 0.98
    assert wide.contains(result.q).all()


def test_joints_that_are_held():
    """A coordinate with one legal number, in a row with others."""
    icub = kt.load("icub")
    limits, j = icub.limits, icub.coordinate_names.index("l_shoulder_yaw")
    lower, upper = limits.lower.copy(), limits.upper.copy()
    lower[j] = upper[j] = 0.7
    held = Limits(limits.coordinate_names, lower, upper, limits.G, limits.h, limits.row_names)
    q = held.sample(200)
    result = kt.ik(icub, "l_hand", "chest", limits=held)(kt.fk(icub, "l_hand", "chest")(q), q0=q)
    assert result.success.all()
    assert (result.q[:, j] == 0.7).all()
    assert held.contains(kt.ik(icub, "l_hand", "chest", limits=held)(kt.fk(icub, "l_hand", "chest")(q)).q).all()


@SLOW
@pytest.mark.nightly
def test_weights_do_not_decide_what_is_reached():
    icub = kt.load("icub")
    _, T = reachable(icub, "l_hand", "chest", 100)
    for weights in ((1e-6,) * 6, (1e-6, 1, 1, 1, 1, 1), (1, 1, 1, 1e6, 1e6, 1e6)):
        assert kt.ik(icub, "l_hand", "chest", weights=weights)(T).success.all()
    far = T[0].copy()
    far[:3, 3] *= 4
    place = kt.ik(icub, "l_hand", "chest", weights=(1, 1, 1, 1e-3, 1e-3, 1e-3))(far)
    turn = kt.ik(icub, "l_hand", "chest", weights=(1e-3, 1e-3, 1e-3, 1, 1, 1))(far)
    assert place.residual[0] < turn.residual[0] - 1e-3
    assert turn.residual[1] < place.residual[1] - 1e-3
    with pytest.raises(kt.KinetreeError, match="leave the goal 'position' of l_hand nothing to reach"):
        kt.ik(icub, "l_hand", "chest", goal="position", weights=(0, 0, 0, 1, 1, 1))


def test_a_step_from_outside_comes_back():
    icub = kt.load("icub")
    ik, limits = kt.ik(icub, "l_hand", "chest"), icub.limits
    rng = np.random.default_rng(0)
    _, T = reachable(icub, "l_hand", "chest", 100)
    q = limits.sample(100) + 0.5 * rng.normal(size=(100, icub.nq))
    columns = ik._problem.columns
    others = np.setdiff1d(np.arange(icub.nq), columns)
    q[:, others] = limits.project(q)[:, others]
    for _ in range(50):
        q = ik.step(q, T, dt=0.1).q
    assert limits.contains(limits.project(q)).all()
    assert limits.margin(q)[:, limits_about(limits, columns)].min() >= -1e-9
    for bad in (np.nan, np.inf):
        with pytest.raises(kt.KinetreeError, match="not finite"):
            ik.step(np.full(icub.nq, bad), T[0], dt=0.1)


def test_shapes_that_go_together_and_that_do_not():
    icub = kt.load("icub")
    ik = kt.ik(icub, "l_hand", "chest")
    q, T = reachable(icub, "l_hand", "chest", 12)
    done = []
    for progress in (False, lambda *counts: done.append(counts)):
        assert ik(T[0], q0=q, progress=progress).q.shape == (12, icub.nq)
        assert ik(T, q0=q[:2, None], progress=progress).q.shape == (2, 12, icub.nq)
        assert ik(T[:0], progress=progress).q.shape == (0, icub.nq)
        near = ik(T, prefer=q[0], progress=progress)
        np.testing.assert_array_equal(near.q, ik(T, prefer=q[0], threads=2).q)
        with pytest.raises(kt.KinetreeError, match="do not go together"):
            ik(T, q0=q[:5], progress=progress)
    assert done == [(12, 12), (24, 24), (12, 12)]
    for options, said in (
        ({"most": 0}, "most is 0"),
        ({"most": 1.5}, "most is 1.5"),
        ({"starts": -5}, "starts is -5"),
        ({"apart": np.nan}, "apart is nan"),
        ({"q0": q[:5]}, "do not go together"),
    ):
        with pytest.raises(kt.KinetreeError, match=said):
            ik.solutions(T, **options)
    for bad in (0, -1, "2", None):
        with pytest.raises(kt.KinetreeError, match="threads is"):
            ik(T[0], threads=bad)
    for bad in ("abc", [[1, 2], [3]]):
        with pytest.raises(kt.KinetreeError, match="no array of numbers"):
            ik(bad)
    with pytest.raises(kt.KinetreeError, match="dt is '1'"):
        ik.step(q[0], T[0], dt="1")
    for options, said in (({"limits": "ikin"}, "not of this robot"), ({"tolerance": 1e-6}, "two finite numbers")):
        with pytest.raises(kt.KinetreeError, match=said):
            kt.ik(icub, "l_hand", **options)


@pytest.mark.slow
def test_an_arrangement_is_listed_once():
    """Whole turns aside, with joints that may make several of them."""
    robot = closed_form_arm("parallel", limit=2 * np.pi)
    q, T = reachable(robot, "l7", None, 10)
    for closed_form in (True, False):
        ik = kt.ik(robot, "l7", closed_form=closed_form)
        for k in range(10):
            result = ik.solutions(T[k], most=100, q0=q[k])
            found = result.q[result.mask]
            away = np.abs((found[:, None] - found + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
            assert away[~np.eye(len(found), dtype=bool)].min(initial=1.0) > 1e-3


@pytest.mark.slow
def test_a_closed_form_where_rows_allow_one_turn_only():
    """Of the turns that a range allows, one that rows allow too, though another is nearer to where the arm is."""
    robot = with_rows(closed_form_arm("wrist", limit=6.0), [[0, 0, 0, 1, 0, 0.1], [0, 0, 0, -1, 0, 0.1]], [-0.5, 4.0])
    q = robot.limits.sample(300)
    T = kt.fk(robot, "l7")(q)
    result = honest(robot, kt.ik(robot, "l7"), T, q[::-1])
    assert result.success.all()


def test_slides_without_near_ends_go_any_way():
    """A gantry on rails of ±1e6 m, or of none."""
    robot = random_arm(6, seed=8, kinds="pppccc")
    limits, rng = robot.limits, np.random.default_rng(0)
    q = rng.uniform(-50, 50, (200, 6))
    for end in (1e6, np.inf):
        lower, upper = limits.lower.copy(), limits.upper.copy()
        lower[:3], upper[:3] = -end, end
        wide = Limits(limits.coordinate_names, lower, upper, limits.G, limits.h, limits.row_names)
        result = kt.ik(robot, "l6", limits=wide)(kt.fk(robot, "l6")(q))
        assert result.success.all()


@pytest.mark.slow
def test_a_vertex_of_rows_and_ends():
    """The way along a row ends where a joint is at the end of its range."""
    G, h = [[0.0111, -1.4227, -1.9215], [2.0759, 0.6197, 1.0992]], [1.0604, 2.8977]
    robot = with_rows(random_arm(3, seed=1), G, h)
    lower, upper = np.array([1.4769, -0.7909, -12.0]), np.array([1.8356, -0.5824, 12.0])
    old = robot.limits
    limits = Limits(old.coordinate_names, lower, upper, old.G, old.h, old.row_names)
    q = limits.project(np.random.default_rng(0).uniform([1.4, -0.8, -3], [1.5, -0.7, 3], (100, 3)))
    assert (limits.margin(q)[:, -2:] < 1e-9).any(axis=1).sum() > 30
    result = kt.ik(robot, "l3", limits=limits)(kt.fk(robot, "l3")(q))
    assert result.success.all()
    assert limits.contains(result.q).all()


def test_axes_that_meet_in_one_point_have_no_closed_form():
    """Links of length zero are no divisors."""
    for length in (0.0, 1e-9):
        text = '<robot name="ball"><link name="l0"/>'
        for i, axis in enumerate(("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")):
            text += f'<link name="l{i + 1}"/><joint name="j{i}" type="continuous"><parent link="l{i}"/>'
            text += f'<child link="l{i + 1}"/><origin xyz="{length} 0 0"/><axis xyz="{axis}"/></joint>'
        robot = kt.load(f"{text}</robot>", format="urdf")
        q = np.random.default_rng(0).uniform(-3, 3, (50, 6))
        assert kt.ik(robot, "l6")(kt.fk(robot, "l6")(q)).success.all()

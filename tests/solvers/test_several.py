"""All solutions of many targets, verdicts of reach, and starts that need no conversion."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.solvers.ik.one_call import shells
from random_arms import ENDS, closed_form_arm, random_arm

pytestmark = pytest.mark.slow  # longer than a quick test

TAU = 2 * np.pi


def row(robot: kt.Robot, G: list[float], h: float) -> kt.Robot:
    """The robot with one row of limits more."""
    return add_limits(
        robot, [LinearLimits("row", robot.coordinate_names, np.array([G]), np.array([h]), ("row",), angular=False)]
    )


def planar(limit: float = 2.0) -> kt.Robot:
    """Two links of 1 m that turn about z."""
    text = '<robot name="planar"><link name="l0"/>'
    for i in range(2):
        text += (
            f'<link name="l{i + 1}"/><joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        )
        text += f'<origin xyz="{i} 0 0"/><axis xyz="0 0 1"/>'
        text += f'<limit lower="{-limit}" upper="{limit}" velocity="1" effort="1"/></joint>'
    text += '<link name="tip"/><joint name="end" type="fixed"><parent link="l2"/><child link="tip"/>'
    return kt.load(f'{text}<origin xyz="1 0 0"/></joint></robot>', format="urdf")


def around(robot: kt.Robot, tip: str, n: int, wider: float = 1.25) -> np.ndarray:
    """Random targets (n, 4, 4), about half of them out of reach."""
    rng = np.random.default_rng(1)
    p = kt.fk(robot, tip)(robot.limits.sample(500))[:, :3, 3]
    middle, half = (p.max(axis=0) + p.min(axis=0)) / 2, (p.max(axis=0) - p.min(axis=0)) / 2
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, 3] = middle + wider * half * rng.uniform(-1, 1, (n, 3))
    T[:, :3, :3] = Rotation.random(n, random_state=rng).as_matrix()
    return T


@pytest.mark.parametrize(
    ("family", "end"), [("wrist", ENDS[0]), pytest.param("parallel", ENDS[1], marks=pytest.mark.slow)]
)
@pytest.mark.sampled(1)
def test_every_solution_of_a_batch(family, end):
    robot = closed_form_arm(family, end, limit=4.0)
    fk, ik = kt.fk(robot, "l7"), kt.ik(robot, "l7", tolerance=(1e-9, 1e-9))
    q = robot.limits.sample(200)
    T, q0 = fk(q).reshape(20, 10, 4, 4), np.full(6, 0.3)
    found = ik.solutions(T, q0=q0)
    assert (found.q.shape, found.mask.shape) == ((20, 10, 8, 6), (20, 10, 8))
    assert np.isnan(found.q[~found.mask]).all()
    assert robot.limits.contains(found.q[found.mask]).all()
    there = np.broadcast_to(T[:, :, None], (20, 10, 8, 4, 4))[found.mask]
    assert np.abs(fk.interpret(found.q[found.mask]) - there).max() < 1e-9
    away = np.linalg.norm(found.q - q0, axis=-1)
    assert (np.diff(away, axis=-1)[found.mask[..., 1:]] >= 0).all()
    assert (found.mask[..., :-1] >= found.mask[..., 1:]).all()
    off = np.abs((found.q - q.reshape(20, 10, 1, 6) + np.pi) % TAU - np.pi).max(axis=-1)
    assert np.nanmin(off, axis=-1).max() < 1e-6  # the one from which the target was computed
    for most in (3, 11):
        some = ik.solutions(T, q0=q0, most=most)
        assert some.q.shape == (20, 10, most, 6)
        np.testing.assert_array_equal(some.q[..., :8, :], found.q[..., :most, :])
        np.testing.assert_array_equal(some.mask.sum(-1), np.minimum(found.mask.sum(-1), most))
    alone, plain = ik.solutions(T[3, 4], q0=q0), ik.solutions(T[3, 4])
    np.testing.assert_array_equal(alone.q, found.q[3, 4])
    np.testing.assert_array_equal(plain.q, ik.solutions(T).q[3, 4])
    near = ik.solutions(T[3, 4], q0=q[:5])
    np.testing.assert_array_equal(near.q[2], ik.solutions(T[3, 4], q0=q[2]).q)
    assert ik.solutions(T[:0]).q.shape == (0, 10, 8, 6)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ik)).solutions(T[3, 4]).q, plain.q)


@pytest.mark.slow
@pytest.mark.nightly
def test_solutions_by_search():
    """Without a closed form, and with one, the same; two arrangements may not be nearer than `apart`."""
    robot = closed_form_arm("parallel", limit=3.0)
    T = kt.fk(robot, "l7")(robot.limits.sample(3, seed=4))
    closed = kt.ik(robot, "l7").solutions(T)
    search = kt.ik(robot, "l7", closed_form=False)
    found = search.solutions(T, starts=200)
    np.testing.assert_array_equal(found.mask, closed.mask)
    np.testing.assert_allclose(found.q, closed.q, atol=1e-4)
    np.testing.assert_array_equal(found.q[1], search.solutions(T[1], starts=200).q)
    wide = kt.ik(robot, "l7").solutions(T, apart=1.0)
    for q, mask in zip(wide.q, wide.mask, strict=True):
        assert 1 <= mask.sum() <= closed.mask.sum(-1).max()
        away = np.abs((q[mask][:, None] - q[mask] + np.pi) % TAU - np.pi).max(axis=-1)
        assert away[~np.eye(len(away), dtype=bool)].min(initial=9.0) > 1.0
    redundant = random_arm(7)
    T = kt.fk(redundant, "l7")(redundant.limits.sample(3))
    some = kt.ik(redundant, "l7").solutions(T, most=4)
    assert some.mask.all()
    assert np.abs(kt.fk(redundant, "l7")(some.q) - T[:, None]).max() < 3e-6


@pytest.mark.slow
def test_solutions_inside_rows():
    """Rows take solutions away, and never allow one outside."""
    free = closed_form_arm("wrist", limit=3.0)
    robot = row(free, [0, 1, 0, -1, 0.5, 0], 0.4)
    q = robot.limits.sample(100)
    T = kt.fk(robot, "l7")(q)
    ik = kt.ik(robot, "l7")
    found, every = ik.solutions(T), kt.ik(free, "l7").solutions(T, q0=ik._inside.neutral)
    assert robot.limits.contains(found.q[found.mask]).all()
    legal = every.mask & robot.limits.contains(np.nan_to_num(every.q))
    np.testing.assert_array_equal(found.mask.sum(-1), legal.sum(-1))
    assert (found.mask.sum(-1) < every.mask.sum(-1)).any()


@pytest.mark.slow
def test_singular_targets_have_the_solutions_of_a_search():
    """Where the closed form is in doubt a search decides."""
    robot = closed_form_arm("parallel", limit=3.0)
    fk, J, rng = kt.fk(robot, "l7"), kt.jacobian(robot, "l7"), np.random.default_rng(0)
    q, other = rng.uniform(-2.9, 2.9, (2, 60, 6))
    signs = np.sign(np.linalg.det(J(q)))
    change = signs * np.linalg.det(J(other)) < 0
    q, other, signs = q[change], other[change], signs[change]
    for _ in range(60):  # to where det J vanishes
        middle = (q + other) / 2
        same = (signs * np.linalg.det(J(middle)) > 0)[:, None]
        q, other = np.where(same, middle, q), np.where(same, other, middle)
    T, ik = fk(q), kt.ik(robot, "l7")
    found = ik.solutions(T)
    assert found.mask.any(axis=-1).all()
    assert ik.reachable(T).all()
    assert np.nanmax(np.abs(fk(np.nan_to_num(found.q)) - T[:, None])[found.mask]) < 2e-6


@pytest.mark.parametrize(
    ("robot", "options"),
    [
        pytest.param(closed_form_arm("wrist", limit=2.0), {}, id="closed form"),
        pytest.param(
            *(row(closed_form_arm("parallel", limit=2.5), [0, 1, 1, 0, 0, 0.2], 0.5), {}),
            id="closed form with a row",
            marks=pytest.mark.slow,
        ),
        pytest.param(random_arm(7, limit=1.5), {}, id="seven joints", marks=pytest.mark.slow),
        pytest.param(
            *(row(random_arm(7, limit=1.5), [1, 0, 0, 1, 0, 0, 0], 0.1), {"weights": (1, 1, 1, 1, 1, 0)}),
            id="weights and a row",
            marks=pytest.mark.slow,
        ),
        pytest.param(random_arm(7), {"joints": [f"j{i}" for i in range(6)]}, id="joints", marks=pytest.mark.slow),
        pytest.param(random_arm(5, kinds="rp"), {"goal": "position"}, id="position"),
    ],
)
@pytest.mark.sampled(2)
def test_reachable_is_the_verdict_of_a_search(robot, options):
    tip = list(robot.links)[-1]
    ik = kt.ik(robot, tip, **options)
    T = around(robot, tip, 60)
    T[::4] = kt.fk(robot, tip)(robot.limits.sample(15))
    if "joints" in options:
        T[::4] = kt.fk(robot, tip, joints=options["joints"])(np.random.default_rng(2).uniform(-2, 2, (15, 6)))
    if "goal" in options:
        T = T[:, :3, 3]
    verdict = ik.reachable(T)
    assert (verdict.shape, verdict.dtype) == ((60,), bool)
    assert verdict[::4].all()
    assert not verdict.all()
    np.testing.assert_array_equal(verdict, ik(T).success)
    np.testing.assert_array_equal(ik.reachable(T.reshape(6, 10, *T.shape[1:])).ravel(), verdict)
    assert [ik.reachable(one) for one in T[:9]] == verdict[:9].tolist()


def test_reach_of_two_links():
    """By the law of cosines: q1 = ± arccos((r² - 2) / 2), q0 = angle - q1 / 2, both within ± 2 rad."""
    robot, rng = planar(), np.random.default_rng(3)
    ik = kt.ik(robot, "tip", goal="position")
    (shell,) = shells(robot, ik._problem, robot.limits)
    assert shell.most == pytest.approx(2.0, abs=2e-6)
    assert shell.least == pytest.approx(np.sqrt(2 + 2 * np.cos(2.0)), abs=2e-6)
    r, angle = rng.uniform(0.0, 2.5, 2000), rng.uniform(-np.pi, np.pi, 2000)
    q1 = np.arccos(np.clip((r**2 - 2) / 2, -1, 1))
    is_inside = (r < 2) & (q1 <= 2) & (np.minimum(abs(angle - q1 / 2), abs(angle + q1 / 2)) <= 2)
    T = np.stack([r * np.cos(angle), r * np.sin(angle), 0 * r], axis=-1)
    np.testing.assert_array_equal(ik.reachable(T), is_inside)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_no_pose_is_outside_of_its_shell(seed):
    for robot, n in ((random_arm(5, seed, limit=[0.3, 2.5][seed % 2]), 5), (random_arm(4, seed, "rm"), 4)):
        for goal, base in (("pose", "l0"), ("position", "l0"), ("pose", "l1")):
            ik = kt.ik(robot, f"l{n}", base, goal=goal)
            (shell,) = shells(robot, ik._problem, robot.limits)
            T = kt.fk(robot, f"l{n}", base).interpret(robot.limits.sample(2000, seed))
            apart = np.linalg.norm(T[:, :3, :3] @ shell.point + T[:, :3, 3] - shell.center, axis=-1)
            assert shell.least <= apart.min()
            assert apart.max() <= shell.most
    assert shells(random_arm(3, kinds="rp"), kt.ik(random_arm(3, kinds="rp"), "l3")._problem, robot.limits) == (None,)
    turned = kt.ik(robot, "l4", goal="orientation")
    assert shells(robot, turned._problem, robot.limits) == (None,)


def test_a_start_that_needs_no_conversion():
    """The same bits as through every conversion; the start is neither changed nor kept."""
    for robot in (random_arm(7), row(random_arm(6), [1, 0, 0, 1, 0, 0], 0.5), closed_form_arm("parallel", limit=4.0)):
        tip = list(robot.links)[-1]
        ik = kt.ik(robot, tip)
        q0, T = robot.limits.sample(1)[0], kt.fk(robot, tip)(robot.limits.sample(1, seed=1)[0])
        before, result = q0.copy(), ik(T, q0=q0)
        assert ik._plain_start(q0) is not None
        for same in (q0.tolist(), q0[None], np.repeat(q0, 2)[::2]):
            np.testing.assert_array_equal(np.squeeze(ik(T, q0=same).q), result.q)
        np.testing.assert_array_equal(q0, before)
        assert not np.shares_memory(result.q, q0)
        outside = np.full(robot.nq, 50.0)
        assert ik._plain_start(outside) is None
        np.testing.assert_array_equal(ik(T, q0=outside).q, ik(T, q0=robot.limits.project(outside)).q)
        for bad in (np.full(robot.nq, np.nan), np.zeros(robot.nq + 1), np.full(robot.nq, np.inf)):
            with pytest.raises(kt.KinetreeError):
                ik(T, q0=bad)


def test_what_is_not_finite_is_refused():
    """Also where nothing is computed from it but sums, and joints have no limits."""
    robot = random_arm(6, kinds="c")
    ik, T, q0 = kt.ik(robot, "l6"), kt.fk(robot, "l6")(np.ones(6)), np.ones(6)
    for bad in (np.nan, np.inf, -np.inf):
        far, start = T.copy(), q0.copy()
        far[0, 3] = start[2] = bad
        for ask in (ik, ik.solutions, ik.reachable):
            with pytest.raises(kt.KinetreeError, match="expected finite numbers"):
                ask(far)
        assert not ik(far[None]).success.any()
        assert not ik.solutions(far[None]).mask.any()
        assert not ik.reachable(far[None]).any()
        for ask in (ik, ik.solutions):
            with pytest.raises(kt.KinetreeError, match="not finite"):
                ask(T, q0=start)

"""Closed forms: every solution is one, none is missing, and the nearest legal one is taken."""

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.closed_form import FAMILIES, candidates
from kinetree.queries.six_axes import six_axes
from random_arms import ENDS, closed_form_arm, lines
from support import at_length, reachable, shared

TAU = 2 * np.pi
ALL = pytest.mark.parametrize(
    ("family", "end"),
    [
        ("wrist", ENDS[1]),
        ("parallel", ENDS[0]),
        pytest.param("wrist", ENDS[0], marks=pytest.mark.slow),
        pytest.param("parallel", ENDS[1], marks=pytest.mark.slow),
    ],
)


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By how much angles differ at most, but for whole turns."""
    return np.abs((a - b + np.pi) % TAU - np.pi).max(axis=-1)


def listed(result: kt.kinematics.IKSolutions) -> np.ndarray:
    """The solutions of one target, (k, 6)."""
    return result.q[result.mask]


@pytest.mark.slow
@each("family", FAMILIES)
@each("end", ENDS)
def test_every_candidate_within_reach_leads_to_the_target(family, end):
    """On floats, before anything is compiled; all axes are skew or meet where they must, at random."""
    robot = closed_form_arm(family, end)
    fk, shape = kt.fk(robot, "l7"), six_axes(robot, "l7", "l0")
    for q in np.random.default_rng(5).uniform(-3, 3, (20, 6)):
        T = fk.interpret(q)
        found = candidates(shape, T, q)
        angles = np.array([[np.arctan2(turn.sin, turn.cos) for turn in one.turns] for one in found if one.beyond <= 0])
        assert apart(angles, q).min() < 1e-7
        np.testing.assert_allclose(fk.interpret(angles), np.broadcast_to(T, (len(angles), 4, 4)), atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_no_search_begins_at_a_candidate_out_of_reach(family):
    robot = closed_form_arm(family, ENDS[0])
    forms, shape, q = kt.ik(robot, "l7")._forms, six_axes(robot, "l7", "l0"), np.full(6, 0.5)
    T = kt.fk(robot, "l7").interpret(q)
    assert np.isfinite(forms.interpret(q, T)[:, 6]).any()
    within, out = T.copy(), T.copy()
    out[:3, 3] += 1.0
    for _ in range(20):  # to where the nearest is hardly out of reach
        middle = 0.5 * (within + out)
        if min(one.beyond for one in candidates(shape, middle, q)) < 0.1:
            within = middle
        else:
            out = middle
    assert 0.05 < min(one.beyond for one in candidates(shape, within, q)) < 0.1
    assert np.isinf(forms.interpret(q, within)[:, 6]).all()


@pytest.mark.sampled(2)
@ALL
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
@pytest.mark.slow
def test_every_solution_and_no_other(family, end, seed):
    """By descents from many places there are no more, and each is one by the interpreter."""
    robot = closed_form_arm(family, end, seed)
    shape = six_axes(robot, "l7", "l0")
    assert (shape.family, shape.is_reversed) == (family, end == ENDS[1])
    solver, search, fk = (
        kt.ik(robot, "l7"),
        kt.ik(robot, "l7", closed_form=False, tolerance=(1e-9, 1e-9)),
        kt.fk(robot, "l7"),
    )
    q = np.random.default_rng(seed).uniform(-3, 3, (150, 6))
    T = fk(q)
    result = solver(T, q0=q)
    assert (result.iterations == 1).all()
    assert result.success.all()
    assert apart(result.q, q).max() < 1e-6  # the one that it was made of
    for k in range(8):
        found = listed(solver.solutions(T[k], q0=q[k]))
        assert np.abs(fk.interpret(found) - T[k]).max() < 1e-7
        assert apart(found, q[k]).min() < 1e-6
        for other in listed(search.solutions(T[k], most=50, starts=200, q0=q[k])):
            assert apart(found, other).min() < 1e-4
        away = np.linalg.norm(found - q[k], axis=-1)
        assert np.array_equal(np.argsort(away), np.arange(len(away)))


@pytest.mark.parametrize(
    ("family", "end"),
    [
        ("wrist", ENDS[0]),
        pytest.param("wrist", ENDS[1], marks=pytest.mark.slow),
        pytest.param("parallel", ENDS[0], marks=pytest.mark.slow),
        pytest.param("parallel", ENDS[1], marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
@pytest.mark.sampled(1)
def test_the_nearest_inside_the_limits(family, end):
    """Of all solutions, and where limits forbid that one, of the others."""
    robot, tight = closed_form_arm(family, end, limit=3.1), closed_form_arm(family, end, limit=1.8)
    q = np.random.default_rng(3).uniform(-1.8, 1.8, (200, 6))
    q0 = np.random.default_rng(4).uniform(-1.8, 1.8, (200, 6))
    T = kt.fk(robot, "l7")(q)
    for one in (robot, tight):
        solver = kt.ik(one, "l7")
        result = solver(T, q0=q0)
        assert result.success.all()
        assert one.limits.contains(result.q).all()
        for k in range(20):
            every = listed(kt.ik(robot, "l7").solutions(T[k], q0=q0[k]))
            legal = every[one.limits.contains(every)]
            away = np.linalg.norm(legal - q0[k], axis=-1).min()
            assert np.linalg.norm(result.q[k] - q0[k]) == pytest.approx(away, abs=1e-6)


@ALL
@pytest.mark.slow
def test_singular_targets(family, end):
    """Wrists and elbows that are straight, and wrists above the first axis."""
    robot, rng = closed_form_arm(family, end), np.random.default_rng(0)
    fk, J = kt.fk(robot, "l7"), kt.jacobian(robot, "l7")
    q, other = rng.uniform(-2.9, 2.9, (2, 400, 6))
    signs = np.sign(np.linalg.det(J(q)))
    between = signs * np.linalg.det(J(other)) < 0
    q, other, signs = q[between], other[between], signs[between]
    for _ in range(80):  # to where det J vanishes
        middle = (q + other) / 2
        same = (signs * np.linalg.det(J(middle)) > 0)[:, None]
        q, other = np.where(same, middle, q), np.where(same, other, middle)
    assert len(q) > 100
    assert np.linalg.svd(J(q), compute_uv=False)[:, -1].max() < 1e-9
    result = kt.ik(robot, "l7")(fk(q))
    assert result.success.all()
    assert np.abs(fk.interpret(result.q) - fk(q)).max() < 2e-6


@pytest.mark.slow
def test_joints_without_limits_stay_near():
    """Within half a turn of where they were, by closed form and by search."""
    robot = closed_form_arm("wrist", kind="continuous")
    rng = np.random.default_rng(0)
    q = rng.uniform(-20, 20, (200, 6))
    q0 = q + rng.uniform(-1, 1, q.shape)
    T = kt.fk(robot, "l7")(q)
    for closed_form in (True, False):
        result = kt.ik(robot, "l7", closed_form=closed_form)(T, q0=q0)
        assert result.success.all()
        assert np.abs(result.q - q0).max() <= np.pi * (1 + 1e-12)
        assert np.abs(kt.ik(robot, "l7", closed_form=closed_form)(T).q).max() <= np.pi * (1 + 1e-12)
        beyond = kt.ik(robot, "l7", closed_form=closed_form)(T, q0=q0 + 6 * TAU, prefer=q)
        assert np.abs(beyond.q - q).max() <= np.pi * (1 + 1e-12)


@pytest.mark.slow
def test_turns_only_where_they_are_legal():
    """Of a range of more than a turn the nearest turn inside of it; none of a screw, or of a joint that leads."""
    robot = closed_form_arm("parallel", limit=4.0)
    q = np.random.default_rng(1).uniform(-4, 4, (300, 6))
    T = kt.fk(robot, "l7")(q)
    for closed_form in (True, False):
        result = kt.ik(robot, "l7", closed_form=closed_form)(T, q0=q)
        assert robot.limits.contains(result.q).all()
        assert result.success.all()
        other = kt.ik(robot, "l7", closed_form=closed_form)(T, q0=-q)
        assert robot.limits.contains(other.q).all()
        for turned in (other.q - TAU * np.sign(other.q),):
            legal = np.abs(turned) <= 4.0
            assert (np.abs(turned + q)[legal] >= np.abs(other.q + q)[legal] - 1e-9).all()
    text = """<robot name="led"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="p" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
      <joint name="q" type="continuous"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
        <mimic joint="p" multiplier="0.5"/></joint></robot>"""
    led = kt.load(text, format="urdf")
    assert not kt.ik(led, "c")._problem.turns.any()
    screw = kt.load(
        '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="s" type="screw">'
        "<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>-20</lower><upper>20</upper>"
        "</limit></axis><screw_thread_pitch>0.1</screw_thread_pitch></joint></model></sdf>",
        format="sdf",
    )
    assert not kt.ik(screw, "b")._problem.turns.any()
    goal = kt.fk(led, "c")(led.q({"p": 4.0}))
    result = kt.ik(led, "c")(goal)
    assert result.success
    assert np.abs(kt.fk(led, "c")(result.q) - goal).max() < 2e-6


def test_arms_without_a_closed_form():
    near = closed_form_arm("wrist")
    assert kt.ik(near, "l7", goal="position")._nearest is None
    assert kt.ik(near, "l7", weights=(1, 1, 1, 1, 1, 0))._nearest is None
    assert kt.ik(near, "l7", closed_form=False)._nearest is None
    assert six_axes(near, "l5", "l0") is None
    h, a = lines("wrist", 0)
    text = '<robot name="arm"><link name="l0"/>'
    for i in range(6):
        offset = a[i] - (a[i - 1] if i else 0) + (0.02 if i == 5 else 0)  # its wrist is no point
        text += f'<link name="l{i + 1}"/><joint name="j{i}" type="continuous"><parent link="l{i}"/>'
        text += f'<child link="l{i + 1}"/><origin xyz="{" ".join(map(str, offset))}"/>'
        text += f'<axis xyz="{" ".join(map(str, h[i]))}"/></joint>'
    assert six_axes(kt.load(f"{text}</robot>", format="urdf"), "l6", "l0") is None


def known(path: Path) -> str | None:
    """The end of an arm that has one by a usual name."""
    links = kt.load(path).links
    return next((name for name in ("tool0", "flange", "ee_link") if name in links), None)


@pytest.mark.slow
def test_real_arms():
    """Of the arms in the corpus whose closed form is known, rounded numbers among them: one or a few steps suffice."""
    counts, most = dict.fromkeys(FAMILIES, 0), at_length(4, 12)
    for path in sorted(shared("corpus").rglob("*.urdf")):
        try:
            tip = known(path)
        except kt.KinetreeError:
            continue
        robot = kt.load(path) if tip else None
        shape = six_axes(robot, tip, robot.root) if robot else None
        if not shape or counts[shape.family] >= most:
            continue
        q, T = reachable(robot, tip, None, 500)
        result = kt.ik(robot, tip)(T, q0=q)
        assert result.success.all(), path
        assert robot.limits.contains(result.q).all(), path
        assert np.mean(result.iterations <= 3) > 0.99, path
        counts[shape.family] += 1
    assert min(counts.values()) == most


def test_a_target_of_an_arm_that_is_counted_from_its_frame():
    """Verdicts and solutions of one target and of several are those of the closed form, without a search."""
    robot, q = closed_form_arm("wrist", ENDS[1]), np.full(6, 0.5)
    solver, fk = kt.ik(robot, "l7"), kt.fk(robot, "l7")
    T = fk.interpret(q)
    far = T.copy()
    far[:3, 3] *= 1.8
    assert [solver._quick.verdict.output.name, solver._quick.verdict.output.shape] == ["verdict", ()]
    assert solver.reachable(T) is True
    assert solver.reachable(far) is False
    assert solver.reachable(np.stack([far, T, np.full((4, 4), np.nan)])).tolist() == [False, True, False]
    found = solver.solutions(T)
    assert (found.q.shape, found.mask.shape) == ((8, 6), (8,))
    assert found.mask[0]
    assert not found.mask[-1]
    np.testing.assert_allclose(fk.interpret(listed(found)), np.broadcast_to(T, (found.mask.sum(), 4, 4)), atol=1e-7)
    assert apart(listed(found), q).min() < 1e-7
    away = np.linalg.norm(listed(found), axis=-1)
    assert (np.diff(away) >= 0).all()
    nearest = solver.solutions(T, q0=q, most=1)
    np.testing.assert_allclose(nearest.q, q[None], atol=1e-7)
    more = solver.solutions(np.stack([T, far]), most=10)
    assert (more.q.shape, more.mask.sum(axis=-1).tolist()) == ((2, 10, 6), [found.mask.sum(), 0])
    np.testing.assert_array_equal(more.q[0, :8], found.q)


@each("length, family", [(0.4, "wrist"), (0.05, "wrist"), (1e-3, None), (0.0, None)])
def test_an_upper_arm_without_length_has_no_closed_form(length, family):
    arm = f"Rz(q1) ty(0.1) Ry(q2) tx({length}) Ry(q3) tz(0.3) Rz(q4) Ry(q5) Rz(q6) tz(0.1)"
    found = six_axes(kt.chain(arm), "tip", "base_link")
    assert (found and found.family) == family

"""Guards: from inside nothing gets out, from outside everything comes back, and C gives the same bits."""

import ctypes
import itertools
import os
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from c_compiler import C99, compile_with, compilers
from each import each
from kinetree.algorithms.guard import Fence, clipped
from kinetree.formats.limit_tables import read
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit import add_limits
from kinetree.model.limits import coupled
from kinetree.solvers.guard.make import GuardState
from kinetree.solvers.ik.stepping import ik_step

STEPS = int(os.environ.get("KINETREE_STEPS", "50_000"))
"""Random steps an arm; continuous integration takes ten million."""

arms = pytest.mark.parametrize("arm", ["left_arm", "right_arm"])
one_arm = pytest.mark.parametrize("arm", ["left_arm", pytest.param("right_arm", marks=pytest.mark.slow)])


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub", limits="tendons")


def columns(robot, guard):
    return np.array([robot.q_slices[name].start for name in guard.joints])


def margins(robot, guard, q):
    """By the definition: what `robot.limits` says of the guarded joints (…, n), all others being inside."""
    full = np.broadcast_to(robot.limits.project(robot.q()), (*q.shape[:-1], robot.nq)).copy()
    full[..., columns(robot, guard)] = q
    kept = np.isin(robot.limits.names, guard.limit_names)
    return robot.limits.margin(full)[..., kept]


def commands(rng, robot, guard, q):
    """Small steps, steps anywhere, steps far beyond, and steps along one joint."""
    where = columns(robot, guard)
    lower, upper = robot.limits.lower[where], robot.limits.upper[where]
    size = 10.0 ** rng.uniform(-12, 3, (len(q), 1))
    wild = q + size * rng.normal(size=q.shape)
    wild[::3] = rng.uniform(lower - 0.5, upper + 0.5, wild[::3].shape)
    wild[1::3][:, rng.integers(q.shape[1])] = 100.0
    return wild


def driver(folder, guard):
    """The guard as C, over a batch."""
    compilers("cc")
    text = guard.kernel.c_source("guard", dtype=guard.dtype)
    n, number = len(guard.joints), {8: "double", 4: "float"}[guard.dtype.itemsize]
    arguments = f"const {number} *q, const {number} *command, const {number} *dt, {number} *safe, long count"
    loop = f"""
    void drive({arguments});
    void drive({arguments})
    {{ for (long i = 0; i < count; i++) guard(q + i * {n}, command + i * {n}, dt + i, safe + i * {n + 3}); }}
    """
    (folder / "guard.h").write_text(text.header, encoding="ascii")
    (folder / "guard.c").write_text(text.source + loop, encoding="ascii")
    library = folder / "guard.so"
    compile_with("cc", *C99, "-O2", "-ffp-contract=off", "-fPIC", "-shared", folder / "guard.c", "-o", library, "-lm")
    drive = ctypes.CDLL(str(library)).drive
    drive.restype = None

    def run(q, command, dt):
        arrays = [np.ascontiguousarray(x, dtype=guard.dtype) for x in (q, command, dt)]
        out = np.empty((len(q), n + 3), guard.dtype)
        drive(*[ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out)], ctypes.c_long(len(q)))
        return out

    return run


@pytest.mark.parametrize(
    ("arm", "dtype"),
    [
        ("left_arm", "f8"),
        ("right_arm", "f4"),
        pytest.param("left_arm", "f4", marks=pytest.mark.slow),
        pytest.param("right_arm", "f8", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_random_steps_never_leave_the_set_and_c_gives_the_same_bits(icub, arm, dtype, tmp_path):
    guard = kt.guard(icub, arm, dtype=dtype)
    run = driver(tmp_path, guard)
    rng = np.random.default_rng(0)
    walkers = 10_000
    q = icub.limits.sample(walkers, seed=1)[:, columns(icub, guard)]
    q = guard(q, q, 0.0).command  # numbers of its precision
    dt = 10.0 ** rng.uniform(-4, 0, walkers)
    changed = 0
    for _ in range(STEPS // walkers):
        command = commands(rng, icub, guard, q)
        found = guard.kernel(q, command, dt, dtype=dtype)
        bits = dtype.replace("f", "u")
        assert np.array_equal(found.view(bits), run(q, command, dt).view(bits))
        q = found[:, : len(guard.joints)].copy()
        assert margins(icub, guard, q).min() >= 0
        changed += np.count_nonzero(found[:, -1] == GuardState.CHANGED)
        assert np.isin(found[:, -1], [GuardState.FREE, GuardState.NEAR, GuardState.CHANGED]).all()
    assert STEPS // 10 < changed < STEPS


@pytest.mark.slow
@one_arm
def test_from_outside_no_limit_gets_worse_until_all_are_kept(icub, arm, tmp_path):
    guard = kt.guard(icub, arm, speed=1.0)
    run = driver(tmp_path, guard)
    rng = np.random.default_rng(1)
    where = columns(icub, guard)
    q = rng.uniform(icub.limits.lower[where] - 0.5, icub.limits.upper[where] + 0.5, (300, len(where)))
    start, before = q, margins(icub, guard, q)
    assert (before.min(axis=-1) < 0).mean() > 0.9
    for step in range(200):
        command = commands(rng, icub, guard, q)
        found = guard(q, command, 0.02)
        assert np.array_equal(guard.kernel(q, command, 0.02), run(q, command, np.full(len(q), 0.02)))
        outside = before.min(axis=-1) < 0
        assert np.array_equal(found.state == GuardState.OUTSIDE, outside)
        after = margins(icub, guard, found.command)
        assert (after >= np.minimum(before, 0)).all()
        moved = np.abs(found.command - q).max(axis=-1)
        assert (moved[outside] <= 0.02 + 1e-12).all()
        # they are on their way until they are there
        assert (moved[outside & (after.min(axis=-1) < 0)] > 0.02 - 1e-12).all()
        q, before = np.where(outside[:, None], found.command, q), np.where(outside[:, None], after, before)
        if step == 0:
            assert outside.any()
    assert before.min() >= 0
    # the way was the shortest one
    full = np.broadcast_to(icub.limits.project(icub.q()), (len(q), icub.nq)).copy()
    full[:, where] = start
    nearest = icub.limits.project(full)[:, where]
    length, shortest = (np.linalg.norm(x - start, axis=-1) for x in (q, nearest))
    assert np.quantile(length - shortest, 0.95) < 1e-3
    assert (length - shortest).max() < 0.02


@arms
@pytest.mark.slow
def test_it_slides_to_the_nearest_point(icub, arm):
    rng = np.random.default_rng(2)
    few, many = kt.guard(icub, arm), kt.guard(icub, arm, sweeps=200)
    where = columns(icub, few)
    q = icub.limits.sample(100, seed=3)
    command = q.copy()
    command[:, where] += rng.normal(0, 0.7, (100, len(where)))
    nearest = icub.limits.project(command)[:, where]
    for guard, usual, worst in ((few, 1e-4, 0.02), (many, 1e-8, 1e-5)):
        off = np.linalg.norm(guard(q[:, where], command[:, where], 0.01).command - nearest, axis=-1)
        assert np.quantile(off, 0.9) < usual
        assert off.max() < worst


@pytest.mark.slow
def test_a_command_inside_passes_bit_for_bit(icub):
    guard = kt.guard(icub, "left_arm")
    inside = icub.limits.sample(2000, seed=4)[:, columns(icub, guard)]
    inside = inside[margins(icub, guard, inside).min(axis=-1) > 1e-6]
    q, command = inside[:900], inside[900:1800]
    found = guard(q, command, 0.01)
    assert np.array_equal(found.command, command)
    by_row = margins(icub, guard, command)
    assert np.isin(found.state, [GuardState.FREE, GuardState.NEAR]).all()
    assert np.array_equal(found.state == GuardState.NEAR, found.distance < np.radians(5))
    tendon = np.array(["tendons" in guard.limit_names[i] for i in found.nearest])
    assert tendon.any()
    assert not tendon.all()
    ends = by_row.shape[-1] - 14
    assert found.distance[~tendon] == pytest.approx(by_row[~tendon][:, :ends].min(axis=-1), abs=1e-12)


@pytest.mark.slow
def test_it_keeps_its_distance(icub):
    guard = kt.guard(icub, "left_arm", keep=0.1)
    q = icub.limits.sample(500, seed=5)[:, columns(icub, guard)]
    for _ in range(100):
        q = guard(q, q + 1.0, 0.1).command
    assert margins(icub, guard, q)[:, : 2 * len(guard.joints)].min() >= 0.1
    tendons = icub.limits.G[:14]  # whose margins are distances times the length of a row
    full = np.zeros((len(q), icub.nq))
    full[:, columns(icub, guard)] = q
    distances = (icub.limits.h[:14] - full @ tendons.T) / np.linalg.norm(tendons, axis=1)
    assert 0.1 <= distances.min() < 0.11
    assert guard(q, q, 0.1).distance.min() >= 0


@pytest.mark.slow
def test_joints_that_no_row_couples_do_not_feel_the_others(icub):
    guard = kt.guard(icub, "left_arm")
    where, rng = columns(icub, guard), np.random.default_rng(8)
    q = icub.limits.sample(300, seed=8)[:, where]
    free = [i for i, name in enumerate(guard.joints) if "shoulder" not in name]
    command = q.copy()
    command[:, free] = icub.limits.sample(300, seed=9)[:, where][:, free]
    command[:, [0, 1, 2]] += rng.normal(0, 1, (300, 3)) * 10.0 ** rng.uniform(0, 5, (300, 1))
    found = guard(q, command, 0.01)
    well_inside = margins(icub, guard, command)[:, free + [i + len(where) for i in free]].min(axis=-1) > 1e-6
    assert np.array_equal(found.command[well_inside][:, free], command[well_inside][:, free])
    assert well_inside.sum() > 200
    # far commands of one joint are cut to its range, whatever the others do
    command = q.copy()
    command[:, 3] = 1e5
    upper = icub.limits.upper[where][3]
    assert guard(q, command, 0.01).command[:, 3] == pytest.approx(np.full(300, upper), abs=1e-6)


@pytest.mark.slow
def test_the_last_step_alone_carries_the_safety(icub):
    """Whatever target the projections give, `clipped` stops before the first limit, rounding and all."""
    limits, rng = icub.limits, np.random.default_rng(10)
    A = np.vstack([-np.eye(icub.nq), np.eye(icub.nq), limits.G])
    lengths = np.linalg.norm(A, axis=1)
    A, b = A / lengths[:, None], np.r_[-limits.lower, limits.upper, limits.h] / lengths
    blocks = tuple(
        (tuple(columns.tolist()), tuple(np.flatnonzero(A[:, columns].any(axis=1)).tolist())) for columns in coupled(A)
    )
    pad = np.full(len(b), 1e-12)
    fence = Fence(A, b, blocks, np.zeros(icub.nq), pad, pad, (), 1.0, np.ones(icub.nq), 0.1)
    q = limits.sample(200, seed=11)
    for here in q:
        step = rng.normal(0, 3, icub.nq)
        shares = np.array(clipped(fence, b - A @ here, step, 1.0))
        assert (b - A @ (here + shares * step)).min() >= 0
        for joints, rows in blocks:  # and not sooner
            share = shares[joints[0]]
            room = (b - A @ here)[list(rows)] / np.maximum(A[list(rows)] @ step, 1e-300)
            assert share == pytest.approx(min(1.0, room[room > 0].min()), abs=1e-9)


@pytest.mark.slow
def test_what_is_no_position_is_refused(icub, tmp_path):
    guard = kt.guard(icub, "left_arm")
    run = driver(tmp_path, guard)
    fine = icub.limits.project(icub.q())[columns(icub, guard)]
    for i, bad in itertools.product(range(len(fine)), (np.nan, np.inf, -np.inf, 2e6)):
        wrong = fine.copy()
        wrong[i] = bad
        for q, command in ((fine, wrong), (wrong, fine), (wrong, wrong)):
            found = guard(q, command, 0.01)
            assert found.state == GuardState.REFUSED
            assert np.array_equal(found.command, q, equal_nan=True)
            assert np.array_equal(run(q[None], command[None], [0.01])[0, : len(q)], q, equal_nan=True)
    for dt in (-1.0, np.nan, np.inf):
        with pytest.raises(kt.KinetreeError, match="expected seconds"):
            guard(fine, fine, dt)
        outside = fine - 10
        assert np.array_equal(run(outside[None], fine[None], [dt])[0, : len(q)], outside) or dt == np.inf


HALF_OPEN = """<robot name="r"><link name="l"/><link name="m"/><link name="n"/><joint name="a" type="revolute">
<parent link="l"/><child link="m"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
<joint name="b" type="continuous"><parent link="m"/><child link="n"/><axis xyz="0 0 1"/></joint></robot>"""
SUM = '[[limits]]\nname="sum"\nunit="rad"\njoints=["a", "b"]\nG=[[1, 1]]\nh=[1]'


def chain(seed):
    """A prismatic, a continuous and three hinges, one without an upper end; random rows over them."""
    rng = np.random.default_rng(seed)
    kinds = ["prismatic", "continuous", "revolute", "revolute", "revolute"]
    text = '<robot name="arm"><link name="l0"/>'
    for i, kind in enumerate(kinds):
        text += f'<link name="l{i + 1}"/><joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
        text += '<axis xyz="0 0 1"/>'
        text += "" if kind == "continuous" else '<limit lower="-1" upper="2" velocity="0.3" effort="1"/>'
        text += "</joint>"
    rows = rng.normal(size=(6, 5)) * (rng.random((6, 5)) < 0.7)
    rows = rows[rows.any(axis=1)] * 10.0 ** rng.uniform(-3, 3, (np.count_nonzero(rows.any(axis=1)), 1))
    bounds = np.linalg.norm(rows, axis=1) * rng.uniform(0.1, 1.0, len(rows))
    table = (
        f'[[limits]]\nname="r"\nunit="si"\njoints={[f"j{i}" for i in range(5)]}\nG={rows.tolist()}\nh={bounds.tolist()}'
    )
    return add_limits(kt.load(text + "</robot>", format="urdf"), read(table, "rows.toml")[0])


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(i, marks=pytest.mark.slow) for i in range(2, 12))])
def test_any_rows_on_any_joints(seed):
    robot = chain(seed)
    guard = kt.guard(robot, sweeps=int(1 + seed % 5), speed={f"j{i}": 0.2 + i for i in range(5)})
    rng = np.random.default_rng(seed)
    q = np.zeros((500, 5))
    for _ in range(40):
        command = q + 10.0 ** rng.uniform(-12, 5, (500, 1)) * rng.normal(size=q.shape)
        with np.errstate(all="raise"):
            found = guard(q, command, 0.1)
        assert np.array_equal(guard.kernel.interpret(q, command, 0.1)[:, :5], found.command)
        q = found.command
        assert robot.limits.margin(q).min() >= 0
    q = rng.uniform(-5, 5, (500, 5))
    fastest = np.array([0.2, 1.2, 0.3, 0.3, 0.3])  # as asked, or the joint's own limit
    for _ in range(600):
        before = robot.limits.margin(q)
        found = guard(q, command, 0.1)
        out = found.state == GuardState.OUTSIDE
        after = robot.limits.margin(found.command)
        assert (after >= np.minimum(before, 0) - 1e-12)[out].all()
        assert (np.abs(found.command - q)[out] <= 0.1 * fastest + 1e-12).all()
        q = np.where(out[:, None], found.command, q)
    assert robot.limits.margin(q).min() >= 0


def test_what_cannot_be_guarded_is_said(icub):
    def refuses(message, *arguments, **options):
        with pytest.raises(kt.KinetreeError, match=message):
            kt.guard(*arguments, **options)

    refuses("no group 'arm'", icub, "arm")
    refuses("no joint 'x'", icub, ["x"])
    refuses("couples them to l_shoulder_yaw", icub, ["l_shoulder_pitch", "l_shoulder_roll"])
    refuses("one or more different names", icub, [])
    refuses("one or more different names", icub, ["l_elbow", "l_elbow"])
    refuses("keep is -1", icub, "left_arm", keep=-1)
    refuses("warn is nan", icub, "left_arm", warn=np.nan)
    refuses("speed is 0", icub, "left_arm", speed=0)
    refuses("expected a finite speed above 0 for every joint", icub, "left_arm", speed={"l_elbow": 1})
    refuses("no joint 'r_elbow'", icub, "left_arm", speed={"r_elbow": 1})
    refuses("expected one of float64, float32", icub, "left_arm", dtype=int)
    refuses("sweeps is 0", icub, "left_arm", sweeps=0)
    refuses("leave no room", icub, "left_arm", keep=1.0)
    open_ended = add_limits(kt.load(HALF_OPEN, format="urdf"), read(SUM, "sum.toml")[0])
    assert kt.guard(open_ended)([0.0, 0.0], [0.0, 5.0], 0.1).command == pytest.approx([-1, 2], abs=0.5)
    refuses("no range for all of a, b", open_ended, dtype="f4")
    free = kt.load(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>',
        format="urdf",
    )
    refuses("have no limits", free)


def small(velocity=2.0, bound=1.5, narrower=0.0):
    """Three hinges, the first two of which a row couples."""
    bound -= 5 * narrower  # whose row has length 5
    text = '<robot name="small"><link name="l0"/>'
    for i, end in enumerate((1.0, 1.25, 0.75)):
        text += f"""<link name="l{i + 1}"/><joint name="j{i}" type="revolute"><parent link="l{i}"/>
        <child link="l{i + 1}"/><axis xyz="0 0 1"/><limit lower="{narrower - 1.0}" upper="{end - narrower}"
        velocity="2" effort="1"/></joint>"""
    rows = f'[[limits]]\nname="sum"\nunit="rad"\njoints=["j0", "j1"]\nG=[[3, 4]]\nh=[{bound}]'
    robot = add_limits(kt.load(text + "</robot>", format="urdf"), read(rows, "rows.toml")[0])
    parts = parts_of(robot)
    parts.joints = [replace(j, limits=(replace(j.limit, velocity=velocity),)) for j in parts.joints]
    return build(parts)


OPTIONS = {"keep": 0.1, "warn": 0.2, "speed": 0.3, "sweeps": 2, "joints": ["j1", "j0"]}


def situations(n, count=400):
    rng = np.random.default_rng(7)
    q = rng.uniform(-1.2, 1.4, (count, n))
    return q, q + rng.normal(size=(count, n)) * 10.0 ** rng.uniform(-2, 1, (count, 1)), rng.uniform(0.01, 0.1, count)


@pytest.mark.slow
@each("changed", [*OPTIONS, "robot"])
def test_what_is_asked_for_is_what_runs(changed):
    """Code is kept by all that a guard is made of: no other guard's code answers."""
    usual = {"joints": ["j0", "j1"]}
    base = kt.guard(small(), **usual)
    robot, options = (small(bound=1.6), usual) if changed == "robot" else (small(), usual | {changed: OPTIONS[changed]})
    other = kt.guard(robot, **options)
    situation = situations(2)
    first = base.kernel(*situation)
    second = other.kernel(*situation)
    np.testing.assert_array_equal(first, base.kernel.interpret(*situation))
    np.testing.assert_array_equal(second, other.kernel.interpret(*situation))
    assert not np.array_equal(first, second)


@pytest.mark.slow
@each(
    "velocity, asked, fastest",
    [
        (0.0, 0.1, 0.1),
        (-1.0, 0.2, 0.2),
        (np.inf, 0.2, 0.2),
        (0.05, 0.1, 0.05),
        (2.0, 0.1, 0.1),
        (2.0, {"j0": 0.1, "j1": 0.4, "j2": 3.0}, (0.1, 0.4, 2.0)),
    ],
)
def test_joints_outside_come_back_at_the_speed_asked_for_or_their_own(velocity, asked, fastest):
    """A velocity limit of zero is how many files say that there is none."""
    robot = small(velocity)
    guard = kt.guard(robot, speed=asked)
    fastest = np.broadcast_to(fastest, 3)
    for joint in range(3):
        q = np.zeros(3)
        q[joint] = -1.5  # half a radian outside
        found = guard(q, q, 0.5)
        assert found.state == GuardState.OUTSIDE
        gone = np.abs(found.command - q)
        assert gone[joint] == pytest.approx(min(0.5, 0.5 * fastest[joint]), abs=1e-6)
        assert np.delete(gone, joint) == pytest.approx([0.0, 0.0], abs=1e-12)
        assert np.array_equal(guard(q, q + 5.0, 0.0).command, q)


@pytest.mark.slow
def test_from_outside_the_way_back_is_the_shortest():
    robot = small()
    guard, rng = kt.guard(robot, speed=0.5, sweeps=40), np.random.default_rng(3)
    q = rng.uniform(-3, 3, (100, 3))
    outside = robot.limits.margin(q).min(axis=-1) < 0
    nearest = robot.limits.project(q)
    found = guard(q, rng.normal(size=q.shape), 100.0)
    assert np.array_equal(found.state == GuardState.OUTSIDE, outside)
    assert found.command[outside] == pytest.approx(nearest[outside], abs=1e-6)
    assert (found.distance >= 0).all()
    # in small steps: straight, and the fastest joint at its speed
    found = guard(q, q, 0.01)
    way, gone = (nearest - q)[outside], (found.command - q)[outside]
    share = np.minimum(1.0, 0.005 / np.abs(way).max(axis=-1))
    assert gone == pytest.approx(share[:, None] * way, abs=1e-7)


def rows_of(robot):
    """A, b of everything that `small` keeps, rows of length one, by hand."""
    eye = np.eye(3)
    return np.vstack([-eye, eye, [[0.6, 0.8, 0.0]]]), np.array([1, 1, 1, 1, 1.25, 0.75, robot.limits.h[0] / 5])


@pytest.mark.slow
def test_every_answer_of_a_step():
    robot = small()
    guard = kt.guard(robot, warn=0.2, keep=0.05)
    A, b = rows_of(robot)
    names = ("j0 lower", "j1 lower", "j2 lower", "j0 upper", "j1 upper", "j2 upper")
    assert guard.limit_names[:6] == names
    q, command, dt = situations(3, 2000)
    found = guard(q, command, dt)
    slack = b - 0.05 - found.command @ A.T
    assert found.distance == pytest.approx(slack.min(axis=-1), abs=1e-12)
    assert np.take_along_axis(slack, found.nearest[:, None], -1)[:, 0] == pytest.approx(slack.min(axis=-1), abs=1e-12)
    inside = (b - 0.05 - q @ A.T).min(axis=-1) >= 0
    wanted = (b - 0.05 - command @ A.T).min(axis=-1)
    passes = inside & (wanted > 1e-7)
    expected = np.where(passes, np.where(wanted < 0.2, GuardState.NEAR, GuardState.FREE), GuardState.CHANGED)
    expected[~inside] = GuardState.OUTSIDE
    assert np.array_equal(found.state, expected)
    assert {*expected.tolist()} == {0, 1, 2, 3}
    assert np.array_equal(found.command[passes], command[passes])
    changed = inside & ~passes
    nearest = small(narrower=0.05).limits.project(command[changed])
    assert np.quantile(np.linalg.norm(found.command[changed] - nearest, axis=-1), 0.95) < 1e-5
    assert (found.distance[inside] >= 0).all()


@pytest.mark.slow
@each("bad", [np.nan, np.inf, -np.inf, 1e6, -2e6])
def test_what_is_no_position_holds_the_joints(bad):
    guard = kt.guard(small())
    for i in range(3):
        wrong = np.zeros(3)
        wrong[i] = bad
        found = guard(np.full(3, 0.1), wrong, 0.1)
        assert found.state == GuardState.REFUSED
        assert np.array_equal(found.command, np.full(3, 0.1))
        assert guard(wrong, np.zeros(3), 0.1).state == GuardState.REFUSED
    far = np.array([999_999.0, 0, 0])
    assert guard(np.zeros(3), far, 0.1).state == GuardState.CHANGED


@pytest.mark.slow
@each("dt", [-1e-9, -np.inf, np.nan, np.inf, [0.1, np.inf]])
def test_a_step_takes_a_finite_time(dt):
    guard, q = kt.guard(small()), np.zeros((2, 3))
    with pytest.raises(kt.KinetreeError, match="expected seconds from 0"):
        guard(q, q, dt)
    assert np.array_equal(guard(q, q, 0.0).command, q)


@pytest.mark.slow
@each(
    "option, value, legal",
    [
        ("keep", -1e-9, False),
        ("keep", np.inf, False),
        ("keep", np.nan, False),
        ("keep", 0.0, True),
        ("warn", -1e-9, False),
        ("warn", np.inf, False),
        ("warn", 0.0, True),
        ("speed", 0.0, False),
        ("speed", np.inf, False),
        ("speed", -1.0, False),
        ("speed", {"j0": 1.0, "j1": 1.0}, False),
        ("speed", {"j0": 1.0, "j1": 1.0, "j2": 0.0}, False),
        ("speed", {"j0": 1.0, "j1": 1.0, "j2": 1e-6}, True),
        ("sweeps", 0, False),
        ("sweeps", 1, True),
        ("sweeps", 2.0, False),
        ("sweeps", 1000, True),
        ("sweeps", 1001, False),
        ("dtype", "f2", False),
        ("dtype", "f4", True),
    ],
)
def test_what_a_guard_may_be_asked_for(option, value, legal):
    robot = small()
    if legal:
        guard = kt.guard(robot, **{option: value})
        assert guard.joints == ("j0", "j1", "j2")
        assert guard.dtype == (value if option == "dtype" else float)
    else:
        with pytest.raises(kt.KinetreeError, match=f"{option} is .*expected "):
            kt.guard(robot, **{option: value})


@pytest.mark.slow
def test_c_does_not_compile_where_nan_is_ignored(tmp_path):
    """Compiled so, a guard would pass a command that is NaN. Inverse kinematics has a state, too; poses have none."""
    compilers("gcc")
    arm = kt.chain([{"joint": "a", "a": 0.5, "qlim": [-1, 1]}], convention="dh")
    robot = kt.load("icub", limits="tendons")
    step = ik_step(arm, "tip", goal="position")
    for kernel, refused in ((kt.guard(robot, "torso").kernel, True), (step, True), (kt.fk(arm, "tip"), False)):
        text = kernel.c_source("f")
        (tmp_path / "f.h").write_text(text.header, encoding="ascii")
        (tmp_path / "f.c").write_text(text.source, encoding="ascii")
        command = ["gcc", "-std=c99", "-O1", "-c", str(tmp_path / "f.c"), "-o", str(tmp_path / "f.o")]
        done = subprocess.run([*command, "-ffast-math"], capture_output=True, text=True)
        assert ("-fno-finite-math-only after it" in done.stderr) == (done.returncode != 0) == refused
        assert subprocess.run([*command, "-ffast-math", "-fno-finite-math-only"]).returncode == 0

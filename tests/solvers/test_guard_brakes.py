"""Guards that brake: in C over many steps nothing leaves the set or exceeds its acceleration, with the same bits."""

import ctypes
import os
import time

import numpy as np
import pytest

import kinetree as kt
from c_compiler import C99, compile_with, compilers
from each import each
from kinetree.compiler import llvm
from kinetree.limits import GuardState

STEPS = int(os.environ.get("KINETREE_STEPS", "200_000"))
"""Steps in C; continuous integration takes ten million, the long run (docs/how-to/guard.md) a hundred million."""
ACCELERATION = [10.0, 8.0, 12.0, 15.0, 20.0, 9.0, 30.0]

DRIVER = """
#include <stdint.h>
static uint64_t state;
static double uniform(void)
{
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}
/* Walk `count` steps from q, at rest. Bring up to date in worst the least distance to the rows A x <= b, the largest
   change of velocity as a part of a * dt, the number of steps of each state, and the largest speed. */
void walk(NUMBER *q, long count, uint64_t seed, const double *A, const double *b, const double *a, double *worst);
void walk(NUMBER *q, long count, uint64_t seed, const double *A, const double *b, const double *a, double *worst)
{
    NUMBER qd[N] = {0}, command[N], out[2 * N + 3], dt = (NUMBER)0.01;
    double goal[N], p[N], v[N] = {0}, h = 0.01, x = 0;
    int kind = 0;
    long row = 0;
    state = seed;
    for (int j = 0; j < N; j++) p[j] = (double)q[j];
    for (long step = 0; step < count; step++) {
        if (uniform() < 0.03) {                                           /* a new plan */
            kind = (int)(uniform() * 7);
            row = (long)(uniform() * M);
            double size = pow(10.0, uniform() * 6 - 4);
            for (int j = 0; j < N; j++) goal[j] = p[j] + size * (uniform() - 0.5);
            h = pow(10.0, -4 + 3 * uniform());
        }
        if (kind == 5) h = pow(10.0, -4 + 3 * uniform());                 /* another rate at every step */
        for (int j = 0; j < N; j++) {
            double push = A[row * N + j];
            switch (kind) {
            case 0: x = goal[j]; break;
            case 1: x = p[j] + 3 * push; break;                           /* straight into a row */
            case 2: x = p[j] + v[j] * h; break;                           /* go on as now */
            case 3: x = p[j] + (uniform() < 0.5 ? 100 : -100); break;     /* shake */
            case 4: x = p[j] + v[j] * h + a[j] * h * h * (push > 0 ? 1 : -1); break;
            case 5: x = j == row % N ? 1e5 : goal[j]; break;
            default: x = step % 50 == j ? (double)NAN : goal[j];                  /* now and then no number */
            }
            command[j] = (NUMBER)x;
        }
        dt = (NUMBER)h;
        guard(q, qd, command, &dt, out);
        for (int j = 0; j < N; j++) {
            double next = (double)out[N + j], change = fabs(next - v[j]) / (a[j] * (double)dt);
            if (!(change <= worst[1])) worst[1] = change;
            if (!(fabs(next) <= worst[8])) worst[8] = fabs(next);
            q[j] = out[j]; qd[j] = out[N + j];
            p[j] = (double)q[j]; v[j] = next;
        }
        worst[2 + (int)out[2 * N + 2]]++;
        for (int i = 0; i < M; i++) {
            double left = b[i];
            for (int j = 0; j < N; j++) left -= A[i * N + j] * p[j];
            if (!(left >= worst[0])) worst[0] = left;
        }
    }
}
void drive(const NUMBER *q, const NUMBER *qd, const NUMBER *command, const NUMBER *dt, NUMBER *out, long count);
void drive(const NUMBER *q, const NUMBER *qd, const NUMBER *command, const NUMBER *dt, NUMBER *out, long count)
{
    for (long i = 0; i < count; i++)
        guard(q + i * N, qd + i * N, command + i * N, dt + i, out + i * (2 * N + 3));
}
"""


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub", limits="tendons")


def columns(robot, guard):
    return [robot.q_slices[name].start for name in guard.joints]


def rows_of(robot, guard):
    """A, b with rows of length one: the limits as `robot.limits` has them, not as the guard does."""
    where, limits = columns(robot, guard), robot.limits
    about = limits.G[:, where].any(axis=1)
    A = np.vstack([np.eye(len(where)), -np.eye(len(where)), limits.G[about][:, where]])
    b = np.r_[limits.upper[where], -limits.lower[where], limits.h[about]]
    A, b = A[np.isfinite(b)], b[np.isfinite(b)]
    lengths = np.linalg.norm(A, axis=1)
    return A / lengths[:, None], b / lengths


def compiled(folder, guard, rows):
    compilers("cc")
    number = {8: "double", 4: "float"}[guard.dtype.itemsize]
    text = guard.kernel.c_source("guard", dtype=guard.dtype)
    defines = [f"-DNUMBER={number}", f"-DN={len(guard.joints)}", f"-DM={rows}"]
    (folder / "guard.h").write_text(text.header, encoding="ascii")
    (folder / "guard.c").write_text(text.source + DRIVER, encoding="ascii")
    library = folder / "guard.so"
    flags = [*defines, "-O2", "-ffp-contract=off", "-fPIC", "-shared"]
    compile_with("cc", *C99, *flags, folder / "guard.c", "-o", library, "-lm")
    return ctypes.CDLL(str(library))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def at_rest(robot, guard, count, seed=1):
    """Positions inside, as numbers of the guard's precision."""
    q = robot.limits.sample(count, seed=seed)[:, columns(robot, guard)]
    plain = kt.guard(robot, list(guard.joints), dtype=guard.dtype)
    return np.ascontiguousarray(plain(q, q, 0.0).command, dtype=guard.dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("arm", ["left_arm", "right_arm"])
@pytest.mark.sampled(2)
def test_steps_in_c_stay_inside_and_within_their_acceleration(icub, arm, dtype, tmp_path):
    guard = kt.guard(icub, arm, acceleration=dict(zip(icub.groups[arm], ACCELERATION, strict=True)), dtype=dtype)
    A, b = rows_of(icub, guard)
    a, worst = np.array(ACCELERATION), np.r_[np.inf, np.zeros(8)]
    walk = compiled(tmp_path, guard, len(b)).walk
    walk.restype = None
    starts = at_rest(icub, guard, 20)
    for i, q in enumerate(starts):
        start = [pointer(q), ctypes.c_long(STEPS // len(starts)), ctypes.c_uint64(i + 1)]
        walk(*start, *map(pointer, (A, b, a, worst)))
    assert worst[0] >= 0  # the least distance to a limit
    assert worst[1] <= 1  # the largest part of an acceleration
    states = dict(zip(GuardState, worst[2:8], strict=True))
    assert states[GuardState.OUTSIDE] == 0
    assert min(states[state] for state in GuardState if state not in (GuardState.OUTSIDE, GuardState.BRAKING)) > 0
    assert worst[8] > 1  # rad/s: it is fast where it may


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.sampled(1)
def test_c_gives_the_same_bits(icub, dtype, tmp_path):
    guard = kt.guard(icub, "left_arm", acceleration=10.0, dtype=dtype)
    drive = compiled(tmp_path, guard, 1).drive
    drive.restype = None
    rng, count = np.random.default_rng(0), 5000
    q = at_rest(icub, guard, count)
    qd = np.zeros_like(q)
    for _ in range(20):
        command = (q + 10.0 ** rng.uniform(-5, 2, (count, 1)) * rng.normal(size=q.shape)).astype(dtype)
        command[::97, 3] = np.nan
        dt = (10.0 ** rng.uniform(-4, 0, count)).astype(dtype)
        found = guard.kernel(q, qd, command, dt, dtype=dtype)
        out = np.empty_like(found)
        drive(*map(pointer, (q, qd, command, dt, out)), ctypes.c_long(count))
        bits = dtype.replace("f", "u")
        assert np.array_equal(found.view(bits), out.view(bits))
        q, qd = found[:, :7].copy(), found[:, 7:14].copy()
        assert (np.abs(qd) < 200).all()


@pytest.mark.slow
def test_a_step_of_an_arm_takes_no_more_than_300_nanoseconds(icub):
    """In a batch, on one core with vectors of eight numbers, or twice that with four; the least of many runs. 120 ns on
    an EPYC with AVX-512, 470 ns on one with AVX2."""
    guard, count = kt.guard(icub, "left_arm", acceleration=10.0), 4096
    q = at_rest(icub, guard, count)
    arguments = q, np.zeros_like(q), q + 0.1, np.full(count, 0.01)
    guard.kernel(*arguments)
    most, least = 300e-9 * max(1.0, 8 / llvm.host().lanes("double").width), np.inf
    for _ in range(10_000):  # a core whose other half computes, too, is slower
        start = time.perf_counter()
        guard.kernel(*arguments)
        least = min(least, (time.perf_counter() - start) / count)
        if least < most:
            break
    assert least < most


def one_hinge(velocity="3"):
    text = f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
    <child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="{velocity}" effort="1"/></joint>"""
    return kt.load(text + "</robot>", format="urdf")


@pytest.mark.parametrize("speed", [0.3, 1.0, 3.0])
@pytest.mark.slow
def test_one_joint_stops_over_the_shortest_way(speed):
    """A joint at constant speed towards its limit starts to brake v² / 2a before it, to 5 %, and stops there."""
    a, dt = 10.0, 0.001
    guard = kt.guard(one_hinge(), acceleration=a)
    q, qd, brakes_at = np.array([0.0]), np.array([0.0]), None
    for _ in range(9000):
        before = qd
        q, _, _, state, qd = guard(q, q + speed * dt, dt, qd)
        if brakes_at is None and qd[0] < before[0] - 1e-6:
            brakes_at = 2.0 - q[0] + before[0] * dt
        assert q[0] <= 2.0
    assert brakes_at == pytest.approx(speed**2 / (2 * a), rel=0.05, abs=2 * speed * dt)
    assert q[0] == pytest.approx(2.0, abs=1e-8)
    assert abs(qd[0]) < 1e-6
    assert state == GuardState.CHANGED


def test_a_velocity_limit_is_kept_and_a_command_that_can_be_stopped_passes_bit_for_bit():
    guard = kt.guard(one_hinge("0.5"), acceleration=10.0)
    q, qd = np.array([0.0]), np.array([0.0])
    for _ in range(100):
        q, _, _, _, qd = guard(q, [1.9], 0.01, qd)
        assert abs(qd[0]) <= 0.5
    command = q + 0.45 * 0.01
    found = guard(q, command, 0.01, qd)
    assert found.command == command
    assert found.state == GuardState.FREE


@pytest.mark.slow
def test_from_outside_it_comes_back(icub):
    guard = kt.guard(icub, "left_arm", acceleration=10.0, speed=0.5)
    A, b = rows_of(icub, guard)
    rng = np.random.default_rng(3)
    q = at_rest(icub, guard, 200) + rng.normal(size=(200, 7)) * 0.5
    qd = np.zeros_like(q)
    for _ in range(2000):
        before = b - q @ A.T
        found = guard(q, q + 1.0, 0.01, qd)
        out = found.state == GuardState.OUTSIDE
        after = b - found.command @ A.T
        assert (after >= np.minimum(before, 0) - 1e-12)[out].all()
        assert (np.abs(found.velocity - qd) <= 10.0 * 0.01).all()
        q, qd = found.command, found.velocity
    assert (b - q @ A.T).min() >= 0


@pytest.mark.slow
def test_joints_that_are_too_fast_brake_straight(icub):
    guard = kt.guard(icub, "left_arm", acceleration=10.0)
    q = at_rest(icub, guard, 1)[0]
    qd = np.array([8.0, -7.0, 6.0, 0.0, 0.0, 0.0, 0.0])
    found = guard(q, q + 1, 0.001, qd)
    assert found.state == GuardState.BRAKING
    shoulder = found.velocity[:3] / qd[:3]
    assert shoulder == pytest.approx([1 - 10 * 0.995 * 0.001 / 8] * 3, rel=1e-12)  # in proportion, as the first one can


@each("bad", [np.nan, np.inf, -np.inf, 2e6, -2e6])
def test_a_command_that_is_none_stops_the_joints(bad):
    guard = kt.guard(one_hinge(), acceleration=10.0)
    q, qd = np.array([0.0]), np.array([1.0])
    for _ in range(11):
        q, _, _, state, qd = guard(q, [bad], 0.01, qd)
        assert state == GuardState.REFUSED
    assert qd[0] == 0
    assert q[0] == pytest.approx(1.0 / (2 * 10) - 1.0 * 0.01 / 2, rel=0.02)
    held = guard([bad], [0.0], 0.01, qd)
    assert held.state == GuardState.REFUSED
    assert np.array_equal(held.command, [bad], equal_nan=True)


def test_what_does_not_go_together_is_said():
    robot = one_hinge()
    plain, brakes = kt.guard(robot), kt.guard(robot, acceleration=1.0)
    for call, message in (
        (lambda: plain([0.0], [0.0], 0.1, [0.0]), "a guard without accelerations does not use the velocity qd"),
        (lambda: brakes([0.0], [0.0], 0.1), "a guard with accelerations needs the velocity qd"),
        (lambda: brakes([0.0], [0.0], 0.0, [0.0]), "expected seconds above 0"),
        (lambda: kt.guard(robot, acceleration=0.0), "expected a finite acceleration above 0 for every joint"),
        (lambda: kt.guard(robot, acceleration={"x": 1.0}), "no joint 'x'"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()


class Clock:
    """Time that passes while somebody sleeps, and for `work` seconds whenever it is read."""

    def __init__(self, work=0.0):
        self.now, self.work = 100.0, work

    def monotonic(self):
        self.now += self.work
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class TestRun:
    """A joint that is driven at 100 degrees a second towards its limit, through `run_guard`."""

    @pytest.fixture(autouse=True)
    def clock(self, monkeypatch):
        clock = Clock()
        monkeypatch.setattr("kinetree.solvers.guard.run.time", clock)
        return clock

    @pytest.mark.slow
    def test_steps_that_take_too_long_are_counted(self, clock):
        clock.work = 0.0006  # twice in a step of 0.5 ms
        done, sent = self.run()
        assert done.late == done.steps - 1
        assert max(sent) <= 2.0

    def test_no_joint_jumps_after_a_step_that_was_late(self, clock):
        """The bus hangs for 0.2 s while a joint moves at 60 degrees a second; the steps stay those of one period."""
        period, speed, place, sent = 0.01, np.radians(60), [0.0], []
        guard = kt.guard(one_hinge(), acceleration=2.0)

        def read():
            clock.now += 0.2 if len(sent) == 100 else 0.0
            return ([place[0]], [place[0] + speed * period]) if len(sent) < 150 else None

        def send(command):
            sent.append(float(command[0]))
            place[0] = sent[-1]

        done = kt.limits.run_guard(guard, read, send, period=period)
        assert done.late == 1
        assert np.diff(sent).max() <= speed * period * (1 + 1e-9)
        assert np.abs(np.diff(sent, 2)).max() <= speed * period  # it may begin anew, from what it did meanwhile

    def test_what_is_no_position_is_not_sent(self):
        sent, given = [], iter([([0.1], [0.2]), ([np.nan], [0.2]), ([0.1], [np.nan]), None])
        kt.limits.run_guard(kt.guard(one_hinge()), lambda: next(given), sent.append, period=0.01)
        assert np.ravel(sent) == pytest.approx([0.2, 0.2, 0.1])
        for wrong, said in (
            (([np.nan], [0.0]), "first position"),
            ([0.1], "no pair"),
            ((np.zeros((2, 1)),) * 2, "shapes"),
            (([0.1, 0.2], [0.1]), r"shapes \(2,\) and \(1,\)"),
            (([0.1], [0.1, 0.2]), r"shapes \(1,\) and \(2,\)"),
        ):
            with pytest.raises(kt.KinetreeError, match=said):
                kt.limits.run_guard(kt.guard(one_hinge()), lambda wrong=wrong: wrong, sent.append, period=0.01)

    def test_what_is_allowed_accelerates_as_far_as_it_may_whatever_is_commanded(self):
        a, dt, q, sent = 10.0, 0.002, [0.0], []

        def read():
            return (q[-1:], [1.5]) if len(sent) < 6 else None

        def send(command):
            sent.append(float(command[0]))
            q.append(sent[-1])

        kt.limits.run_guard(kt.guard(one_hinge(), acceleration=a), read, send, period=dt)
        steps = np.diff([0.0, 0.0, *sent], 2)
        assert (steps <= a * dt**2 * (1 + 1e-6)).all()
        assert steps[0] == pytest.approx(a * dt**2, rel=0.01)

    def test_a_log_is_a_new_file(self, tmp_path):
        (tmp_path / "log.csv").write_text("kept")
        for log, said in ((tmp_path / "log.csv", "exists already"), (tmp_path / "no" / "log.csv", "cannot be written")):
            with pytest.raises(kt.KinetreeError, match=said):
                self.run(log=log)
        assert (tmp_path / "log.csv").read_text() == "kept"

    def run(self, tmp_path=None, log=None, shadow=False, period=0.0005, acceleration=10.0):
        guard = kt.guard(one_hinge(), acceleration=acceleration)
        place, sent = [1.5], []

        def read():
            return ([place[0]], [place[0] + np.radians(100) * period]) if len(sent) < 1200 else None

        def send(command):
            sent.append(float(command[0]))
            place[0] = sent[-1]

        return kt.limits.run_guard(guard, read, send, period=period, log=log, shadow=shadow), sent

    @pytest.mark.slow
    def test_it_stops_and_says_why(self):
        events = []
        done, sent = self.run(log=events.append)
        assert (done.steps, done.late) == (1200, 0)
        assert events[-1].time == pytest.approx(1199 * 0.0005)
        assert done.changed == len(events) > 100
        assert max(sent) <= 2.0
        assert sent[-1] > 1.99
        assert events[-1].limit == "j upper"
        assert events[-1].state == GuardState.CHANGED
        assert events[-1].command[0] > events[-1].allowed[0]

    def test_a_shadow_only_reports(self, tmp_path):
        done, sent = self.run(log=tmp_path / "log.csv", shadow=True)
        assert np.diff(sent) == pytest.approx(np.radians(100) * 0.0005)  # nothing was changed
        lines = (tmp_path / "log.csv").read_text().splitlines()
        assert lines[0] == "time,state,limit,distance,j command,j allowed"
        assert len(lines) == 1 + done.changed
        assert any(",outside,j upper,-" in line for line in lines)
        assert any(",changed,j upper," in line or ",braking,j upper," in line for line in lines)

    @pytest.mark.slow
    def test_without_accelerations(self):
        done, sent = self.run(acceleration=None)
        assert max(sent) == pytest.approx(2.0, abs=1e-8)
        assert done.changed > 0

    @each("period", [0, -1, np.inf, np.nan])
    def test_a_period_that_is_none(self, period):
        with pytest.raises(kt.KinetreeError, match="expected finite seconds above 0"):
            self.run(period=period)

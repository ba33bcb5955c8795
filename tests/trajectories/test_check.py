"""Checks of motions: planted faults are found with joint and time, and motions proved clean give no warning."""

import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import Motion, check
from support import at_length

BALL = "<collision><origin xyz='{}'/><geometry><sphere radius='{}'/></geometry></collision>"
INERTIA = """<inertial><origin xyz='0 0 0.2'/><mass value='2'/>
<inertia ixx='.02' iyy='.03' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"""
ENDS = [(-2.9, 1.1), (-1.2, 2.6), (-0.3, 2.8), (-3.0, 0.4)]


def ball_arm():
    """An arm of four joints with balls for links, above three balls; each joint has other limits."""
    text = "<link name='l0'>" + "".join(BALL.format(f"{x} 0.1 -0.3", 0.1) for x in (-0.4, 0, 0.5)) + "</link>"
    for i, (axis, ends) in enumerate(zip(("0.2 1 0", "1 0.3 0", "0 1 0.4", "1 0 0"), ENDS, strict=True)):
        text += (
            f"<link name='l{i + 1}'>{INERTIA}{BALL.format('0 0 0.2', 0.08)}{BALL.format('0.05 0 0.35', 0.06)}</link>"
        )
        text += f"<joint name='j{i}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/>"
        text += f"<origin xyz='0 0 0.45'/><axis xyz='{axis}'/>"
        text += f"<limit lower='{ends[0]}' upper='{ends[1]}' velocity='{1.5 + 0.5 * i}' effort='400'/></joint>"
    return kt.load(f"<robot name='arm'>{text}</robot>", format="urdf")


@pytest.fixture(scope="module")
def arm():
    return ball_arm()


class Clean:
    """Smooth motions between two configurations, proved clean by closed forms and dense samples."""

    def __init__(self, robot, seed, acceleration=30.0):
        self.robot, self.rng, self.acceleration = robot, np.random.default_rng(seed), acceleration
        self.contact, self.tau = kt.collisions(robot), kt.inverse_dynamics(robot)
        limits = [robot.joints[name].limit for name in robot.joint_names]
        self.velocity, self.effort = (np.array([getattr(x, f) for x in limits]) for f in ("velocity", "effort"))

    def motion(self, q0, q1, T, n):
        """A quintic from rest to rest, its q, and exact derivatives at (n,) times."""
        t = np.linspace(0.0, 1.0, n)[:, None]
        q = q0 + (10 * t**3 - 15 * t**4 + 6 * t**5) * (q1 - q0)
        qd = (30 * t**2 - 60 * t**3 + 30 * t**4) * (q1 - q0) / T
        qdd = (60 * t - 180 * t**2 + 120 * t**3) * (q1 - q0) / T**2
        return T * t[:, 0], q, qd, qdd

    def ends(self, length=2.0):
        """Two configurations, and the time of a motion between them that keeps its limits by closed forms."""
        while True:
            q0 = self.robot.limits.sample(1, self.rng)[0]
            step = self.rng.normal(size=len(q0))
            q1 = q0 + length * self.rng.uniform(0.2, 1) * step / np.linalg.norm(step)
            q1 = np.clip(q1, self.robot.limits.lower, self.robot.limits.upper)
            far = np.abs(q1 - q0)
            T = 1.05 * max((1.875 * far / self.velocity).max(), np.sqrt(5.7736 * far.max() / self.acceleration))
            dense, tau = self.motion(q0, q1, T, 1000), None
            if not self.contact(dense[1]).any():
                tau = np.abs(self.tau(*dense[1:])).max(axis=0)
                if (tau < 0.95 * self.effort).all():
                    return q0, q1, T, tau

    def draw(self, n=101):
        q0, q1, T, tau = self.ends()
        return Motion(self.robot.coordinate_names, *self.motion(q0, q1, T, n)[:2], robot=self.robot), tau


def found(motion, acceleration=True, **options):
    return [one for one in check(motion, acceleration=acceleration, **options) if one.severity != "info"]


def times(finding):
    return [float(x) for x in re.findall(r"t = ([-\d.e]+)", finding.message)]


def named(findings, code, joint, start=-np.inf, stop=np.inf):
    """Whether a finding of this code names a joint, and a time in a span."""
    own = [one for one in findings if one.code in code and (joint is None or joint in (one.element or ""))]
    return any(start - 1e-4 <= time <= stop + 1e-4 for one in own for time in times(one))


def planted(clean, kind):
    """A clean motion with one fault, and what must be found: options, and arguments of `named`."""
    rng, robot = clean.rng, clean.robot
    motion, tau = clean.draw()
    q, t, j = motion.q.copy(), motion.times, int(rng.integers(robot.nq))
    name, i = robot.joint_names[j], int(rng.integers(20, 80))
    if kind == "limit":
        bump = np.exp(-(((t - t[i]) / (0.15 * t[-1])) ** 2))
        up = rng.random() < 0.5
        goal = robot.limits.upper[j] + 0.02 if up else robot.limits.lower[j] - 0.02
        q[:, j] += bump * (goal - q[i, j])
        where = np.flatnonzero((q[:, j] > robot.limits.upper[j]) | (q[:, j] < robot.limits.lower[j]))
        return replace(motion, q=q), {}, ("motion-limit", f"'{name}'", t[where[0]], t[where[-1]])
    if kind == "velocity":
        speed = np.abs(np.diff(q, axis=0)).max(axis=0) / (t[1] - t[0]) / clean.velocity
        j, scale = int(speed.argmax()), speed.max() / 1.03
        return replace(motion, times=scale * t), {}, ("motion-velocity", f"'{robot.joint_names[j]}'", 0, scale * t[-1])
    if kind == "acceleration":
        fine = clean.motion(q[0], q[-1], t[-1], 1001)[3]
        j = int(np.abs(fine).max(axis=0).argmax())
        return motion, {"acceleration": 0.97 * np.abs(fine).max()}, ("motion-acceleration", f"'{robot.joint_names[j]}'")
    if kind == "torque":
        return motion, {"torque": {name: 0.97 * tau[j]}}, ("motion-torque", f"'{name}'")
    if kind == "jump":
        size = rng.choice([-1, 1]) * max(rng.uniform(0.15, 0.4), 2.2 * clean.velocity[j] * (t[1] - t[0]))
        q[i:, j] += size
        return replace(motion, q=q), {}, (("motion-jump", "motion-velocity"), f"'{name}'", t[i - 1], t[i])
    if kind == "degrees":
        return replace(motion, q=np.rad2deg(q)), {}, ("motion-limit", "joint '")
    while True:  # swapped: two columns, so that a limit of one or the other is left
        a, b = rng.choice(robot.nq, 2, replace=False)
        swapped = q.copy()
        swapped[:, [a, b]] = q[:, [b, a]]
        out = (swapped > robot.limits.upper + 1e-3) | (swapped < robot.limits.lower - 1e-3)
        if out.any():
            joint = int(np.flatnonzero(out.any(axis=0))[0])
            rows = np.flatnonzero(out[:, joint])
            name = robot.joint_names[joint]
            return replace(motion, q=swapped), {}, ("motion-limit", f"'{name}'", t[rows[0]], t[rows[-1]])
        motion, tau = clean.draw()
        q, t = motion.q.copy(), motion.times


KINDS = ("limit", "velocity", "acceleration", "torque", "jump", "degrees", "swapped")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_planted_faults_are_found_with_joint_and_time(arm, kind):
    clean = Clean(arm, KINDS.index(kind))
    for _ in range(3):
        motion, options, expected = planted(clean, kind)
        assert named(found(motion, clearance=None, **options), *expected), expected


@pytest.mark.slow
def test_contact_between_two_samples_is_found(arm):
    assert contact_between_samples(Clean(arm, 11), 3) == 3


def contact_between_samples(clean, count):
    """Plant steps whose ends are apart but whose middle is in contact, as dense samples show."""
    done = 0
    while done < count:
        q0, step = clean.robot.limits.sample(1, clean.rng)[0], clean.rng.normal(size=clean.robot.nq)
        q1 = clean.robot.limits.project(q0 + 0.8 * step / np.linalg.norm(step))
        where = clean.contact.where(q0 + np.linspace(0, 1, 200)[:, None] * (q1 - q0))
        inside = np.flatnonzero(where.any(axis=0))
        if where[[0, -1]].any() or not len(inside):
            continue
        motion = Motion(clean.robot.coordinate_names, [0.0, 5.0, 10.0], [q0, q0, q1], robot=clean.robot)
        findings = check(motion)
        for pair in inside:
            a, b = clean.contact.pairs[pair]
            rows = 5.0 + 5.0 * np.flatnonzero(where[:, pair]) / 199
            assert named(findings, "motion-contact", f"'{a}' and '{b}'", rows[0] - 0.05, rows[-1] + 0.05)
        done += 1
    return done


@pytest.mark.slow
def test_clean_motions_give_no_warning(arm):
    clean = Clean(arm, 5)
    for _ in range(6):
        assert found(clean.draw()[0], acceleration=clean.acceleration) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "panda", "balls"])
@pytest.mark.sampled(1)
def test_faults_of_every_kind_and_motions_without(name):
    """Of two real arms and one of balls, with KINETREE_ALL 168 of each kind of fault, 504 in all, and 504 motions."""
    robot = ball_arm() if name == "balls" else kt.load(f"example-robot-data:{name}")
    clean, count = Clean(robot, 100), at_length(2, 21)
    for _ in range(8 * count):
        motion, _ = clean.draw()
        assert found(motion, acceleration=clean.acceleration) == []
    for kind in KINDS:
        for _ in range(count):
            motion, options, expected = planted(clean, kind)
            assert named(found(motion, clearance=None, **options), *expected), (kind, expected)
    assert contact_between_samples(clean, count) == count


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([0.0, 0.1, 0.2, 0.3, 1.0, 1.1], "a gap from 0.3 to 1 s"),
        ([0.0, 0.1, 0.2, 0.3, 1.0, 1.1, 1.2, 2.2], "2 gaps, the longest from 1.2 to 2.2 s"),
        ([0.0, 0.1, 0.2, 0.3, 0.8], None),
        ([0.0, 5.0], None),
        ([0.0], None),
    ],
)
def test_gaps_in_which_joints_move_are_said(times, said):
    arm, even = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)"), np.arange(len(times))
    for first, expected in ((times, said), (even, None), (0 * even, None)):  # as the times go, slowly, and not at all
        q = 0.1 * np.column_stack([first, 0 * even])
        found = check(Motion(("q1", "q2"), times, q, robot=arm))
        messages = [one.message for one in found if one.message.startswith("the times")]
        assert messages == ([f"the times have {expected}: straight lines are checked"] if expected else [])

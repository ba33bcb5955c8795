"""Proofs that links stay apart between two configurations, against dense samples and closed forms."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.contact import segments
from kinetree.contact.travel import _largest_rate, _largest_shift, distance_rates, travels
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Mimic
from kinetree.model.tree import build_tree
from physics import curved, everything

BALL = "<collision><geometry><sphere radius='{}'/></geometry></collision>"


def balls(kind, radii, axis="0 0 1", place="0 0 0", at="0.3 0 0"):
    """A ball at the root, and one at a place of a link that a joint moves."""
    a, b = (BALL.format(radius) for radius in radii)
    b = b.replace("<geometry>", f"<origin xyz='{at}'/><geometry>")
    joint = f"<joint name='j' type='{kind}'><parent link='a'/><child link='b'/><origin xyz='{place}'/>"
    limit = "<limit lower='-9' upper='9' velocity='1' effort='1'/>" if kind != "floating" else ""
    joint += f"<axis xyz='{axis}'/>{limit}</joint>"
    return kt.load(
        f"<robot name='two'><link name='a'>{a}</link><link name='b'>{b}</link>{joint}</robot>", format="urdf"
    )


def passing(robot, q0, q1, **options):
    return kt.collisions(robot, [("a", "b")], **options).along(q0, q1)


def bent(robot):
    """The robot with a follower by a polynomial, and without limits over several joints."""
    parts = parts_of(robot)
    parts.coupled_limits = []
    parts.joints = [
        replace(j, mimic=Mimic("revolute_0", 0.5, 0.1, (0.3, -0.2))) if j.name == "finger" else j for j in parts.joints
    ]
    return build(parts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_distance_changes_faster_than_the_bound(seed):
    """For points of two links of a robot with every type of joint, at configurations far from and near each other."""
    robot, rng = bent(everything(seed)), np.random.default_rng(seed)
    names = list(robot.links)
    T = kt.fk(robot, names)
    ends = rng.uniform(-1.5, 1.5, (2, 60, robot.nq))
    ends[1, 30:] = ends[0, 30:] + rng.normal(0.0, 1e-3, (30, robot.nq))
    most = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
    travel, radius, best = travels(robot, *ends), dict.fromkeys(names, 0.3), 0.0
    points = rng.normal(size=(len(names), 60, 3))
    points *= 0.3 / np.linalg.norm(points, axis=2, keepdims=True)
    placed = [np.einsum("nkij,knj->kni", T(q)[..., :3, :3], points) + np.moveaxis(T(q)[..., :3, 3], 0, 1) for q in ends]
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            before, after = (np.linalg.norm(p[i] - p[j], axis=1) for p in placed)
            allowed = travel @ distance_rates(robot, (a, b), radius, most)
            assert (np.abs(after - before) <= allowed + 1e-12).all(), (a, b)
            best = max(best, float(np.max(np.abs(after - before)[allowed > 0] / allowed[allowed > 0], initial=0.0)))
    assert best > 0.5  # and not much slower


def test_the_bound_of_one_joint_is_its_reach():
    for kind, radii, rate in (
        ("prismatic", (0.7, 0.1), 1.0),
        ("continuous", (0.7, 0.1), 0.4),
        ("continuous", (0.1, 2.0), 1.1),  # the ball at the root is nearer to the axis
    ):
        robot = balls(kind, radii, place="1 0 0")
        radii = kt.collisions(robot, [("a", "b")]).radii()
        assert distance_rates(robot, ("a", "b"), radii, (np.zeros(1), np.ones(1))) == pytest.approx([rate])


def test_quaternions_travel_by_their_angle():
    robot = balls("floating", (0.1, 0.1))
    q = np.array([[1.0, 2, 3, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 1]])
    other = np.array([[1.0, 2, 4, 0, 0, np.sin(0.2), np.cos(0.2)], [0, 0, 0, 0, 0, 0, -3]])
    assert travels(robot, q, other) == pytest.approx(np.array([[0, 0, 1, 0.4, 0, 0, 0], [0] * 7]), abs=1e-12)


@pytest.mark.slow
def test_contact_between_two_ends_that_are_apart():
    """A ball that slides past another, at a known distance."""
    for gap, free in ((1e-4, True), (-1e-4, False)):
        robot = balls("prismatic", (0.1, 0.1), at=f"0 {0.2 + gap} 0")
        found = passing(robot, [-1.0], [2.0])
        assert found.free.tolist() == [free]
        assert np.isnan(found.share[0]) == free
    assert abs(-1 + 3 * found.share[0]) <= np.sqrt(0.2**2 - (0.2 - 1e-4) ** 2) + 1e-9
    assert passing(
        balls("prismatic", (0.1, 0.1), at="0 0.15 0"), [[-0.3], [0.0]], [[-0.13], [0.2]]
    ).share == pytest.approx(np.array([[1.0], [0.0]]))  # in contact at one end


def test_within_the_margin():
    robot = balls("prismatic", (0.1, 0.1), at="0 0.25 0")
    for margin, free in ((0.0499, True), (0.0501, False)):
        found = passing(robot, [[-1.0], [-1.0]], [[1.3], [-0.5]], margin=margin)
        assert found.free.tolist() == [[free], [True]]
        assert np.isfinite(found.share[:, 0]).tolist() == [not free, False]


@pytest.mark.slow
def test_a_pair_that_stays_too_near_is_undecided(monkeypatch):
    """A ball that circles another at 1 mm needs more parts than 100; at 50 mm it does not."""
    monkeypatch.setattr(segments, "MOST_PARTS", 100)
    for gap, free in ((1e-3, False), (5e-2, True)):
        found = passing(balls("continuous", (0.15, 0.15 - gap)), [-3.0], [3.0])
        assert found.free.tolist() == [free]
        assert np.isnan(found.share).all()
    found = passing(balls("continuous", (0.15, 0.15 - 1e-7)), [-3.0], [3.0])
    assert not found.free.any()  # in contact or not: 1e-6 m cannot be told apart


def test_lines_that_are_not_exact():
    """What may differ from the line by more than a distance allows is undecided, and by less is proved."""
    robot = balls("prismatic", (0.1, 0.1), at="0 0.3 0")
    contact = kt.collisions(robot, [("a", "b")])
    for beside, free in ((0.09, True), (0.11, False)):
        ends = np.array([[-1.0]]), np.array([[1.0]])
        found = segments.passage(contact, *ends, np.array([[beside]]))
        assert found.free.tolist() == [[free]]
        assert np.isnan(found.share).all()


def test_quaternions_turn_the_shorter_way():
    robot = balls("floating", (0.1, 0.1))
    half = [0, 0, np.sin(0.5), np.cos(0.5)]
    q0, q1 = [-0.3, 0.25, 0, 0, 0, 0, 1.0], [-0.3, 0.25, 0, *np.negative(half)]
    assert passing(robot, q0, q1).free.all()  # turned by 1 rad, away from the ball; the longer way goes through it
    q = np.concatenate([np.tile(q0[:3], (99, 1)), np.zeros((99, 4))], axis=1)
    q[:, 5], q[:, 6] = (np.sin(np.linspace(0, np.pi, 99)), np.cos(np.linspace(0, np.pi, 99)))
    far = kt.collisions(robot, [("a", "b")]).distance(q)
    assert far[1:16].min() > 0.05
    assert far.min() == 0.0
    assert passing(robot, q0, [*q0[:3], 0, 0, 0, -2.0]).free.all()  # the same rotation


def against_samples(contact, q0, q1, count):
    """Return how many segments are free; check what is proved, and what is found, by samples."""
    found = contact.along(q0, q1)
    assert not (found.free & np.isfinite(found.share)).any()
    assert (found.free | np.isfinite(found.share)).all()
    share = np.linspace(0.0, 1.0, count)
    for a, b, free, at in zip(q0, q1, found.free, found.share, strict=True):
        assert not contact.where(a + share[:, None] * (b - a))[:, free].any()
        for pair in np.flatnonzero(~free):
            assert contact.apart((a + at[pair] * (b - a))[None], pair)[0] <= contact.margin + 2e-6
    return int(found.free.all(axis=1).sum())


def short_segments(robot, contact, n, length, seed=0):
    rng = np.random.default_rng(seed)
    q0 = contact.sample(n, seed)
    step = rng.normal(size=q0.shape)
    q1 = q0 + rng.uniform(0, length, (n, 1)) * step / np.linalg.norm(step, axis=1, keepdims=True)
    return q0, np.clip(q1, robot.limits.lower, robot.limits.upper)


def arm_of_balls():
    """An arm of three joints whose links are balls, above a row of balls."""

    def link(name, *balls):
        shapes = (BALL.format(r).replace("<geometry>", f"<origin xyz='{xyz}'/><geometry>") for xyz, r in balls)
        return f"<link name='{name}'>{''.join(shapes)}</link>"

    text, axes = link("l0", *((f"{x} 0.1 -0.3", 0.1) for x in (-0.4, 0.0, 0.5))), ("0.2 1 0", "1 0.3 0", "0 1 0.4")
    for i, axis in enumerate(axes):
        text += link(f"l{i + 1}", ("0 0 0.2", 0.08), ("0.05 0 0.35", 0.06))
        text += f"<joint name='j{i}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/>"
        text += f"<origin xyz='0 0 0.45'/><axis xyz='{axis}'/>"
        text += "<limit lower='-2.8' upper='2.8' velocity='1' effort='1'/></joint>"
    return kt.load(f"<robot name='arm'>{text}</robot>", format="urdf")


@pytest.mark.slow
def test_segments_of_an_arm():
    robot = arm_of_balls()
    contact = kt.collisions(robot)
    q0, q1 = short_segments(robot, contact, 40, 6.0)
    assert 10 <= against_samples(contact, q0, q1, 100) <= 38


@pytest.mark.slow
@pytest.mark.parametrize("geometry", ["mesh", "hull"])
@pytest.mark.parametrize("name", ["ur5", "panda"])
@pytest.mark.sampled(1)
def test_free_segments_of_real_arms(name, geometry):
    """2,000 segments proved free of each, at 1,000 points each."""
    robot = kt.load(f"example-robot-data:{name}")
    contact = kt.collisions(robot, geometry=geometry)
    free = seed = 0
    while free < 500:
        seed += 1
        free += against_samples(contact, *short_segments(robot, contact, 100, 1.0, seed), 1000)


def test_shapes_of_batches_and_errors():
    robot = balls("prismatic", (0.1, 0.1), at="0 0.3 0")
    contact = kt.collisions(robot, [("a", "b")])
    found = contact.along(np.zeros((3, 1, 1)), np.ones((2, 1)))
    assert found.free.shape == found.share.shape == (3, 2, 1)
    assert contact.along(np.zeros((0, 1)), np.zeros((0, 1))).free.shape == (0, 1)
    assert contact.along([0.0], [0.0]).free.tolist() == [True]
    for bad, code in (([np.nan], "not-finite"), ([0.0, 1.0], "q-shape")):
        with pytest.raises(kt.KinetreeError) as error:
            contact.along([0.0], bad)
        assert error.value.findings[0].code == code
    with pytest.raises(kt.KinetreeError, match="do not go together"):
        contact.along(np.zeros((2, 1)), np.zeros((3, 1)))
    with pytest.raises(kt.KinetreeError, match="move by themselves"):
        kt.collisions(robot, [("a", "b")], moving=["b"]).along([0.0], [0.0])


def test_followers_by_polynomials_and_screws_move_as_fast_as_their_slope():
    """Where q is farthest from 0; j1 is 0.5 x + 0.1 + 0.3 x², j2 0.5 x + 0.1 - 0.4 x² + 0.2 x³, a screw 0.3 m / rad."""
    model, ends = build_tree(curved()), (np.array([-2.0, -1.0]), np.array([1.0, 1.0]))
    assert [_largest_rate(model, i, ends) for i in range(4)] == pytest.approx([1.0, 1.7, 4.5, 1.0])
    assert [_largest_shift(model, i, ends) for i in range(4)] == pytest.approx([0.0, 2.3, 0.0, 0.0])
    screw, i = build_tree(everything()), build_tree(everything()).joints.index("screw_3")
    ends = np.full(screw.nq, -2.0), np.full(screw.nq, 1.5)
    assert _largest_shift(screw, i, ends) == pytest.approx(0.6)
    assert _largest_shift(screw, screw.joints.index("prismatic_2"), ends) == pytest.approx(2.0)

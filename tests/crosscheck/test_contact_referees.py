"""Distances of convex solids against coal, a linear program, and distances that are known by construction.

With KINETREE_ALL, 10^6 pairs of links of public robots."""

from functools import cache

import numpy as np
import pytest

import kinetree as kt
from coal_referee import as_coal
from crosscheck.test_contact_coal import CLOSE
from kinetree.contact.covers import Cover
from kinetree.contact.exact import Exact
from kinetree.contact.farthest import farthest
from kinetree.contact.pairs import moving_pairs
from kinetree.contact.solids import Solid, hull_of, solids_of
from kinetree.spatial import se3
from support import at_length, example_robot_urdfs, icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck
coal = pytest.importorskip("coal")

WORDS = """anymal.urdf baxter.urdf bolt.urdf go2.urdf hyq_no_sensors laikago panda.urdf pr2.urdf romeo.urdf solo12
tiago.urdf ur3_robot ur5_robot ur10_robot xarm7 a1.urdf solo.urdf /z1.urdf"""
HEAVY = " g1_29dof_rev_1_0 anymal-kinova kinova.urdf talos_full"
ROBOTS = [
    file
    for file in example_robot_urdfs()
    if any(word in f"/{file.name}" for word in (WORDS + at_length("", HEAVY)).split())
]
ROBOTS += [file for file in icub_urdfs() if file.parent.name in at_length(["iCubGazeboV2_5"], [file.parent.name])]
NONE = Cover(np.zeros((0, 4)), np.zeros((0, 4)), 0.0)
POLYTOPES = ("hull", "box")
NEAR = 0.03
"""Pairs of solids whose balls are farther apart are left out, m."""


def placed(rng, size):
    """Return a random pose (4, 4)."""
    q = rng.normal(size=4)
    return se3.homogeneous(se3.rotation_from_quaternion(q / np.linalg.norm(q)), rng.uniform(-size, size, 3))


def exact(solids):
    return Exact({"link": list(solids)}, [NONE] * len(solids))


def program(one, other, T):
    """Return how far apart two polytopes are along x, y or z of the first, 0 in contact: by a linear program."""
    from scipy.optimize import linprog

    a = one.surface.vertices
    b = other.surface.vertices @ T[:3, :3].T + T[:3, 3]
    n, m = len(a), len(b)
    apart = np.hstack([a.T, -b.T])
    within = np.vstack([np.hstack([sign * apart, -np.ones((3, 1))]) for sign in (1, -1)])
    sums = np.zeros((2, n + m + 1))
    sums[0, :n] = sums[1, n : n + m] = 1.0
    cost = np.eye(1, n + m + 1, n + m)[0]
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, within, np.zeros(6), sums, np.ones(2), method="highs", options=options)
    assert found.status == 0, found.message
    return found.fun


@cache
def coal_of(solid):
    return as_coal(solid)


def by_coal(one, other, T):
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    request.gjk_tolerance = 1e-9
    still, place = coal.Transform3s.Identity(), coal.Transform3s(T[:3, :3], T[:3, 3])
    return max(coal.distance(coal_of(one), still, coal_of(other), place, request, result), 0.0)


def balls(solids):
    """Return spheres (n, 4) around solids, in their links."""
    found = []
    for solid in solids:
        points = solid.surface.vertices @ solid.T[:3, :3].T + solid.T[:3, 3]
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        found.append([*middle, np.linalg.norm(points - middle, axis=1).max()])
    return np.array(found)


@pytest.mark.sampled
@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_links_of_robots(file):
    """Where coal and we differ, a linear program decides; it must say what we say."""
    robot = kt.load(file, without=("mimic",))
    links = solids_of(robot, "hull", frozenset(robot.links))
    whole = exact([solid for own in links.values() for solid in own])
    names, around = list(links), balls(whole.solids)
    place = {name: i for i, name in enumerate(names)}
    number = np.array([place[solid.link] for solid in whole.solids])
    allowed = np.zeros((len(names), len(names)), dtype=bool)
    for a, b in moving_pairs(robot, names)[0]:
        allowed[place[a], place[b]] = True
    candidates = np.argwhere(allowed[number[:, None], number])
    count, compared, contacts, decided = at_length(1000, 26_000), 0, 0, 0
    rng, poses = np.random.default_rng(5), kt.fk(robot, names)
    while compared < count:
        T_link = poses(np.array([random_q(robot, rng) for _ in range(50)]))[:, number]
        T = T_link @ np.array([solid.T for solid in whole.solids])
        middles = np.einsum("qsij,sj->qsi", T_link[..., :3, :3], around[:, :3]) + T_link[..., :3, 3]
        first, second = candidates.T
        gaps = np.linalg.norm(middles[:, first] - middles[:, second], axis=2) - around[first, 3] - around[second, 3]
        rows, some = np.nonzero(gaps < NEAR)
        chosen = rng.permutation(len(rows))[: count - compared]
        rows, pairs = rows[chosen], candidates[some[chosen]]
        relative = np.linalg.inv(T[rows, pairs[:, 0]]) @ T[rows, pairs[:, 1]]
        lower, upper, _ = whole.distances(pairs, relative[:, :3], np.inf)
        assert (upper - lower <= CLOSE).all()
        theirs = np.array(
            [by_coal(*(whole.solids[i] for i in pair), P) for pair, P in zip(pairs, relative, strict=True)]
        )
        for i in np.flatnonzero(np.abs(theirs - upper) > CLOSE):
            one, other = (whole.solids[k] for k in pairs[i])
            assert {one.kind, other.kind} <= {*POLYTOPES}, (one.name, other.name, upper[i], theirs[i])
            decided += 1
            far = program(one, other, relative[i])
            assert far - CLOSE <= upper[i] <= np.sqrt(3) * far + CLOSE, (one.name, other.name, upper[i], theirs[i])
        compared, contacts = compared + len(rows), contacts + int((upper == 0).sum())
    assert 0 < contacts < compared
    print(f"{file.stem}: {compared} pairs, {contacts} in contact, {decided} by the program")


def body(rng, kind, size):
    """Return a random convex solid of about this size; hulls, boxes and ellipsoids may be flat or thin."""
    stretch = size * rng.choice([1.0, 1.0, 1e-3, 1e-5], 3)
    if kind == "hull":
        turned = placed(rng, 0.0)[:3, :3]
        return Solid("link", kind, (), np.eye(4), kind, hull_of((rng.normal(size=(12, 3)) * stretch) @ turned, kind))
    sizes = {"sphere": stretch[:1], "cylinder": stretch[:2], "capsule": stretch[:2]}.get(kind, stretch)
    return Solid("link", kind, tuple(map(float, sizes)), np.eye(4), kind)


def close_to(size):
    """Return within which distance of bodies of this size answers are right, m."""
    return max(CLOSE, 1e-5 * size)


KINDS = ("hull", "box", "sphere", "cylinder", "capsule", "ellipsoid")
SIZES = (1e-6, 1e-3, 0.1, 1.0, 100.0)


def on_both_sides(rng, one, other, gap):
    """Return the pose of the second in the first, with `gap` between them.

    A plane touches the first at its point farthest in a random direction; the second's point farthest against that
    direction is there, `gap` beyond the plane.
    """
    d, T = rng.normal(size=3), placed(rng, 0.0)
    d /= np.linalg.norm(d)
    there = farthest(one, d[None])[0] + gap * d
    T[:3, 3] = there - T[:3, :3] @ farthest(other, -d[None] @ T[:3, :3])[0]
    return T[:3]


@pytest.mark.parametrize("size", SIZES)
def test_both_sides_of_a_slab(size):
    """Their distance is the gap, whatever the bodies are, some of them 10^5 times as long as thick: within `close_to`,
    and the lower bound is one within rounding."""
    rng = np.random.default_rng(11)
    solids = [body(rng, kind, s) for kind in KINDS for s in SIZES[: 1 + SIZES.index(size)] for _ in range(2)]
    whole, n = exact(solids), at_length(3000, 300_000)
    pairs = rng.integers(0, len(solids), (n, 2))
    gaps = size * rng.choice([0.0, 1e-9, 1e-6, 1e-3, 0.1, 10.0], n)
    T = np.array([on_both_sides(rng, *(solids[i] for i in pair), gap) for pair, gap in zip(pairs, gaps, strict=True)])
    lower, upper, points = whole.distances(pairs, T, np.inf)
    close = close_to(size)
    worst = np.abs(upper - gaps).argmax()
    assert abs(upper[worst] - gaps[worst]) <= close, ([solids[i] for i in pairs[worst]], upper[worst], gaps[worst])
    assert (lower <= gaps + 1e-9 + 1e-12 * size).all()
    apart = gaps > close
    between = np.linalg.norm(points[:, 0] - points[:, 1], axis=1)
    np.testing.assert_allclose(between[apart], gaps[apart], rtol=0, atol=2 * close)


@pytest.mark.parametrize("size", SIZES)
def test_bodies_that_share_a_point_are_in_contact(size):
    """A point of both, up to deep inside; also one wholly inside of the other, and one in the same place."""
    rng = np.random.default_rng(12)
    solids = [body(rng, kind, s) for kind in KINDS for s in SIZES[: 1 + SIZES.index(size)] for _ in range(2)]
    whole, n = exact(solids), at_length(3000, 300_000)
    pairs = rng.integers(0, len(solids), (n, 2))
    T = np.empty((n, 3, 4))
    for i, pair in enumerate(pairs):
        one, other = (solids[k] for k in pair)
        T[i] = placed(rng, 0.0)[:3]
        shared = [
            rng.dirichlet(np.ones(3)) @ farthest(one, d) for one, d in zip((one, other), directions(rng), strict=True)
        ]
        T[i, :, 3] = shared[0] - T[i, :, :3] @ shared[1]
    T[: n // 20], pairs[: n // 20, 0] = np.eye(4)[:3], pairs[: n // 20, 1]
    upper = whole.distances(pairs, T, np.inf)[1]
    assert upper.max() <= close_to(size), [solids[i] for i in pairs[upper.argmax()]]


def directions(rng):
    d = rng.normal(size=(2, 3, 3))
    return d / np.linalg.norm(d, axis=2)[:, :, None]


def test_a_linear_program_says_the_same_of_polytopes():
    rng = np.random.default_rng(13)
    solids = [body(rng, kind, 0.1) for kind in POLYTOPES for _ in range(10)]
    whole, n = exact(solids), at_length(200, 20_000)
    pairs = rng.integers(0, len(solids), (n, 2))
    T = np.array([placed(rng, 0.1) for _ in range(n)])
    upper = whole.distances(pairs, T[:, :3], np.inf)[1]
    far = np.array([program(*(solids[i] for i in pair), P) for pair, P in zip(pairs, T, strict=True)])
    assert (far - CLOSE <= upper).all()
    assert (upper <= np.sqrt(3) * far + CLOSE).all()
    assert 0.1 < (upper == 0).mean() < 0.9

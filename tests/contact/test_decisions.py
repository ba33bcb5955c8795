"""Decisions about pairs of solids: each way to one gives the same answer, for one configuration and for many."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact.apart import Apart
from kinetree.contact.cells import candidates, cell_of
from kinetree.contact.convex import Convexes
from kinetree.contact.covers import _bytes_of, _of_bytes, cover
from kinetree.contact.parts import parts_of
from kinetree.contact.solids import Solid, hull_of
from kinetree.contact.surfaces import turns
from kinetree.contact.triangles import Triangles
from kinetree.shapes.mesh import Mesh

RNG = np.random.default_rng(12)


def spiked(count=40, low=0.2, high=0.3):
    """A closed mesh around the origin, thick, whose corners lie by turns near and far."""
    k = np.arange(count)
    z, turn = 1 - (2 * k + 1) / count, np.pi * (3 - np.sqrt(5)) * k
    directions = np.column_stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z])
    ball = hull_of(directions, "ball")
    far = np.where(np.arange(len(ball.vertices)) % 2, low, high)
    return Mesh(ball.vertices * far[:, None], ball.triangles)


SPIKED = spiked()


def solid(kind, *sizes, mesh=None):
    return Solid("link", kind, sizes, np.eye(4), kind, mesh)


def poses(count, reach):
    """Poses (n, 3, 4) at distances up to a reach, m, turned in all ways."""
    turn = np.linalg.qr(RNG.normal(size=(count, 3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    return np.concatenate([turn, RNG.uniform(-reach, reach, (count, 3, 1))], axis=2)


def test_what_a_mesh_encloses_is_in_its_convex_parts():
    triangles = SPIKED.vertices[SPIKED.triangles]
    points = RNG.uniform(-0.2, 0.2, (400, 3))
    points = np.concatenate([points[np.abs(turns(triangles, points)) > 0.5], SPIKED.vertices])
    parts = parts_of(triangles, 0.05)
    assert len(parts) > 8
    assert (np.max([part.depth(points) for part in parts], axis=0) > -1e-9).all()


@pytest.fixture(scope="module")
def covered():
    return cover(solid("mesh", mesh=SPIKED), 0.06)


@pytest.mark.slow
def test_what_a_mesh_encloses_is_in_its_cover(covered):
    points = RNG.uniform(-0.2, 0.2, (1500, 3))
    points = points[np.abs(turns(SPIKED.vertices[SPIKED.triangles], points)) > 0.5]
    far = np.linalg.norm(points[:, None] - covered.outer[:, :3], axis=2) - covered.outer[:, 3]
    assert (far.min(axis=1) <= 1e-12).all()


@pytest.mark.slow
def test_a_cover_is_read_as_it_was_written(covered):
    found = covered
    assert len(found.parts) > 8
    again = _of_bytes(_bytes_of(found))
    assert again.slack == found.slack
    for one, other in zip(
        (again.outer, again.inner, *again.parts), (found.outer, found.inner, *found.parts), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert _of_bytes(_bytes_of(cover(solid("box", 1, 1, 1), 0.3))).parts == ()


@pytest.mark.slow
def test_parts_prove_no_contact_that_there_is():
    mesh = solid("mesh", mesh=SPIKED)
    solids = [mesh, solid("box", 0.05, 0.3, 0.1), solid("sphere", 0.04), mesh, solid("sphere", 0.05)]
    parts = [cover(one, 0.06).parts for one in solids]
    T = poses(400, 0.5)
    still = np.tile(np.eye(4)[:3].ravel(), (len(T), 1))
    own, triangles = Apart(solids, parts), Triangles(solids)
    for pair in ((0, 1), (0, 2), (0, 3)):
        far = np.array([triangles.distance(*pair, one, 1.0)[0] for one in T])
        for margin in (0.0, 0.02):
            possible = own.possible(still, T.reshape(-1, 12), np.tile(pair, (len(T), 1)), margin)
            assert possible[far <= margin].all()
            assert not possible[far > margin + 0.1].any()
            assert not possible.all()
            turned = own.possible(T.reshape(-1, 12), still, np.tile(pair[::-1], (len(T), 1)), margin)
            assert turned[far <= margin].all()
    one, other = np.tile(np.eye(4)[:3].ravel(), (2, 2, 1))
    other[:, 3] = 0.101, 0.111  # of two balls
    assert own.possible(one, other, np.array([[2, 4]] * 2), 0.02).tolist() == [True, False]


def test_a_decision_is_that_of_the_distance():
    solids = [
        solid("hull", mesh=hull_of(RNG.normal(size=(150, 3)) * [0.1, 0.05, 0.2], "h")),
        solid("box", 0.1, 0.3, 0.2),
        solid("sphere", 0.1),
        solid("capsule", 0.05, 0.3),
        solid("cylinder", 0.1, 0.2),
        solid("ellipsoid", 0.1, 0.2, 0.05),
    ]
    own, T = Convexes(solids), poses(600, 0.4)
    pair = RNG.integers(0, len(solids), (len(T), 2))
    still = np.tile(np.eye(4)[:3].ravel(), (len(T), 1))
    lower, upper, _ = own.distances(pair, T)
    for margin in (0.0, 0.05):
        found = own.touching(still, T.reshape(-1, 12), pair.astype(float), margin)
        assert found[upper <= margin].all()
        assert not found[lower > margin + 1e-8].any()
        assert 50 < found.sum() < 550
    away = T.reshape(-1, 12) + 9.0 * np.eye(12)[3]
    start = np.broadcast_to(np.eye(1, 18), (len(T), 18))
    steps = own.decision(start, still, away, pair.astype(float), np.zeros(len(T)))[:, 1]
    assert (steps == 1).all()  # the first direction is that between the solids


@pytest.mark.slow
@each("across", [1, 2, 16])
def test_what_is_farthest_is_a_candidate_of_its_cell(across):
    corners, directions = RNG.normal(size=(200, 3)), RNG.normal(size=(1000, 3))
    found = candidates(corners, across)
    assert len(found) == 6 * across**2
    for d in directions:
        assert (corners @ d).argmax() in found[int(cell_of(d, float(across)))]
    assert np.mean([len(own) for own in found]) < 200 / across


WORLD = """<mujoco><asset><mesh name="spiked" file="{}" scale="0.4 0.4 0.4"/></asset><worldbody>
<geom type="plane" size="1 1 1"/>
<body name="a"><joint name="z" type="slide" axis="0 0 1"/><joint name="t" type="hinge" axis="1 1 0"/>
  <geom type="box" size="0.1 0.2 0.3"/></body>
<body name="b"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 0 1"/>
  <geom type="mesh" mesh="spiked"/><geom type="sphere" size="0.1" pos="0 0 0.4"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    file = tmp_path_factory.mktemp("meshes") / "spiked.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in SPIKED.vertices] + [f"f {i} {j} {k}" for i, j, k in SPIKED.triangles + 1]
    file.write_text("\n".join(lines))
    (file.parent / "world.xml").write_text(WORLD.format(file))
    robot = kt.load(file.parent / "world.xml")
    q = RNG.uniform([-0.2, -3, -1.0, -0.2], [1.5, 3, 1.0, 1.5], (300, 4))
    return robot, q[:, [robot.joint_names.index(name) for name in ("z", "t", "x", "y")]]


@pytest.mark.slow
@each("margin", [0.0, 0.03])
@pytest.mark.nightly
def test_one_and_many_agree_with_distances_of_planes_meshes_and_boxes(world, margin):
    robot, q = world
    contact = kt.collisions(robot, margin=margin)
    assert len(contact.pairs) == 3
    where, far = contact.where(q), [kt.collisions(robot, [pair]).distance(q) for pair in contact.pairs]
    np.testing.assert_array_equal(where, np.transpose(far) <= margin)
    assert where.any(axis=0).all()
    assert not where.all(axis=0).any()
    nearest = contact.witness(q)
    apart = np.min(far, axis=0) > 0
    np.testing.assert_array_equal(nearest.pair[apart], np.argmin(far, axis=0)[apart])
    together = contact(q)
    np.testing.assert_array_equal(together, where.any(axis=1))
    assert [bool(contact(one)) for one in q] == together.tolist()
    assert contact(np.full(4, np.nan))


def test_a_box_may_stand_on_a_plane():
    """The plane has no spheres, and so those of the box are compared with it."""
    words = (
        "<mujoco><worldbody>{}<body name='a'><joint name='z' type='slide' axis='0 0 1'/>{}</body></worldbody></mujoco>"
    )
    plane, box = "<geom type='plane' size='1 1 1'/>", "<geom type='box' size='0.1 0.2 0.3'/>"
    for one, other in ((plane, box), (box, plane)):
        robot = kt.load(words.format(one, other), format="mjcf")
        bounds = kt.clearance(robot, [("world", "a")]).interpret([[0.29], [0.45]])
        assert bounds[0] <= 0.0 if one == plane else bounds[0] <= 0.6
        assert 0.1 < bounds[1] <= 0.15 or one == box


@pytest.mark.slow
def test_two_planes_are_not_tested_and_a_note_says_so():
    plane, ball = "<geom type='plane' size='1 1 1'/>", "<geom type='sphere' size='0.1'/>"

    def contact(one, other):
        slides = "<joint type='slide' axis='0 0 1' range='-3 3'/>"
        bodies = f"<body name='a'>{one}</body><body name='b'>{slides}{other}</body>"
        robot = kt.load(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", format="mjcf")
        return kt.collisions(robot, [("a", "b")])

    found = contact(plane + ball, plane)
    assert found.notes == ("planes without ends of links 'a' and 'b' are not tested against each other",)
    assert found([[-0.2], [-0.05], [2.0]]).tolist() == [False, True, True]  # of the ball and the second plane
    assert contact(ball, plane).notes == ()

"""Round solids against meshes: distances are not those of polyhedra."""

import numpy as np
import pytest

from each import each
from kinetree.contact.covers import Cover
from kinetree.contact.exact import Exact
from kinetree.contact.poses import inverses, moved
from kinetree.contact.rounds import _outside
from kinetree.contact.solids import Solid, hull_of
from kinetree.shapes.mesh import Mesh
from kinetree.spatial import se3

ROUND = {"cylinder": (0.1, 0.3), "ellipsoid": (0.1, 0.05, 0.2), "sphere": (0.15,), "capsule": (0.08, 0.3)}
NONE = Cover(np.zeros((0, 4)), np.zeros((0, 4)), 0.0)
HALVES = ((0.3, 0.1, 0.1), (0.1, 0.1, 0.3))  # of the boxes of an L; they meet in a cube
MIDDLES = ((0.0, 0.0, 0.0), (-0.2, 0.0, 0.2))


def solid(kind, sizes=(), mesh=None, at=(0.0, 0.0, 0.0)):
    return Solid("link", kind, sizes, se3.homogeneous(np.eye(3), at), kind, mesh)


def box_mesh(half, middle=(0.0, 0.0, 0.0)):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half + middle
    return hull_of(corners, "box")


def cut(mesh, times):
    """The mesh with each triangle in four, several times."""
    for _ in range(times):
        a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
        d, e, f = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = np.concatenate([np.stack(own, axis=1) for own in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))])
        mesh = Mesh(parts.reshape(-1, 3), np.arange(3 * len(parts)).reshape(-1, 3)).merged
    return mesh


def letter(times):
    """An L of two boxes: closed, with the faces between the boxes inside of it."""
    one, other = (cut(box_mesh(half, middle), times) for half, middle in zip(HALVES, MIDDLES, strict=True))
    triangles = np.concatenate([one.triangles, other.triangles + len(one.vertices)])
    return Mesh(np.concatenate([one.vertices, other.vertices]), triangles)


def exact(*solids):
    return Exact({"link": list(solids)}, [NONE] * len(solids))  # no inner spheres: triangles decide


def placed(n, size, seed=1):
    rng = np.random.default_rng(seed)
    quaternions = rng.normal(size=(n, 4))
    turns = [se3.rotation_from_quaternion(q / np.linalg.norm(q)) for q in quaternions]
    return np.concatenate([turns, rng.uniform(-size, size, (n, 3, 1))], axis=2)


@pytest.mark.slow
@each("kind", list(ROUND))
@each("first", [True, False])
@pytest.mark.nightly
def test_distances_from_a_mesh_are_those_from_its_boxes(kind, first):
    round_one = solid(kind, ROUND[kind])
    boxes = [solid("box", tuple(2 * np.array(half)), at=middle) for half, middle in zip(HALVES, MIDDLES, strict=True)]
    whole = exact(round_one, solid("mesh", mesh=letter(3)), *boxes)
    T = placed(200, 0.5)  # of the mesh in the round solid
    back = inverses(T)

    def measured(pair, above=np.inf):
        place, own = (T, pair) if first else (back, pair[::-1])
        lower, upper, points = whole.distances(np.tile(own, (len(T), 1)), place, above)
        np.testing.assert_allclose(lower[upper <= above], upper[upper <= above], rtol=0, atol=1e-6)
        return upper, points

    far, points = measured((0, 1))
    each_box = []
    for number, middle in zip((2, 3), MIDDLES, strict=True):
        place = T.copy()
        place[:, :, 3] += T[:, :, :3] @ middle
        each_box.append(whole.distances(np.tile((0, number), (len(T), 1)), place, np.inf)[1])
    np.testing.assert_allclose(far, np.minimum(*each_box), rtol=0, atol=1e-7)
    assert 0.1 < (far == 0).mean() < 0.9
    apart = far > 0
    gaps = np.linalg.norm(points[:, 0] - points[:, 1], axis=1)
    np.testing.assert_allclose(gaps[apart], far[apart], rtol=0, atol=1e-7)
    own = points[:, 0] if first else moved(T, points)[:, 1]  # the round solid's, in its own frame
    assert _outside(round_one, own[apart]).max() < 1e-6
    for above in (0.0, 0.1):
        some, _ = measured((0, 1), above)
        assert ((some <= above) == (far <= above)).all()
        np.testing.assert_allclose(some[far <= above], far[far <= above], rtol=0, atol=1e-7)


@pytest.mark.slow
@each("kind, sizes", [("cylinder", (0.1, 0.3)), ("ellipsoid", (0.1, 0.1, 0.15)), ("sphere", (0.1,))])
def test_touching_a_wall(kind, sizes):
    """A polyhedron around them would touch it a millimetre earlier."""
    whole = exact(solid(kind, sizes), solid("mesh", mesh=box_mesh((0.1, 1.0, 1.0))))
    gaps = np.array([1e-3, 1e-4, 2e-6, -2e-6, -1e-3])
    T = np.tile(np.eye(4)[:3], (5, 1, 1))
    T[:, 0, 3] = 0.2 + gaps
    for turn in (0.0, 0.13, 0.5):
        R = se3.rotation(np.array([0.0, 0.0, 1.0]), turn)
        upper = whole.distances(np.tile((0, 1), (5, 1)), R @ T, np.inf)[1]
        np.testing.assert_allclose(upper, gaps.clip(min=0.0), rtol=0, atol=1e-7)


@pytest.mark.slow
@each("kind", list(ROUND))
def test_one_inside_of_the_other(kind):
    closed = box_mesh((1.0, 1.0, 1.0))
    small = box_mesh((0.01, 0.01, 0.01))
    opened = Mesh(closed.vertices, closed.triangles[:-1])
    whole = exact(solid(kind, ROUND[kind]), *(solid("mesh", mesh=mesh) for mesh in (closed, small, opened)))
    T = np.tile(np.eye(4)[:3], (3, 1, 1))
    upper = whole.distances(np.array([(0, 1), (0, 2), (0, 3)]), T, np.inf)[1]
    assert upper[:2].tolist() == [0.0, 0.0]
    assert upper[2] == pytest.approx(
        1.0 - {"cylinder": 0.15, "ellipsoid": 0.2, "sphere": 0.15, "capsule": 0.23}[kind], abs=1e-7
    )

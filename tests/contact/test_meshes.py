"""Meshes and their parts: distances that are known, without a robot."""

import pickle

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact import covers
from kinetree.contact.apart import Apart
from kinetree.contact.covers import _in_cells
from kinetree.contact.exact import Exact
from kinetree.contact.farthest import farthest
from kinetree.contact.parts import FACES, Part, cut, part_of, parts_of
from kinetree.contact.rounds import Rounds
from kinetree.contact.solids import Solid, _placed, hull_of, solids_of
from kinetree.contact.table import FAR
from kinetree.contact.triangles import Triangles
from kinetree.model.robot import Geometry, Shape
from kinetree.shapes.mesh import Mesh
from kinetree.spatial.se3 import homogeneous

EYE = np.eye(4)[:3]
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def at(*place, R=EYE[:, :3]):
    return np.column_stack([R, place])


def corners(half, middle=(0.0, 0.0, 0.0)):
    return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half + middle


def solid(kind, *sizes, mesh=None):
    return Solid("link", kind, sizes, np.eye(4), kind, mesh)


def box(*half):
    return solid("mesh", mesh=hull_of(corners(half), "box"))


BIG, SMALL = box(0.5, 0.6, 0.7), box(0.1, 0.2, 0.3)
OPEN = solid("mesh", mesh=Mesh(BIG.surface.vertices, BIG.surface.triangles[:-1]))
TWO = hull_of(corners((0.1, 0.1, 0.1), (-3.0, 0.0, 0.0)), "one"), hull_of(corners((0.1, 0.1, 0.1)), "other")
PARTED = solid(
    "mesh",
    mesh=Mesh(np.concatenate([one.vertices for one in TWO]), np.concatenate([TWO[0].triangles, TWO[1].triangles + 8])),
)


def test_distances_of_triangles():
    own = Triangles([BIG, SMALL, OPEN, PARTED])
    for a, b, T, far in (
        (0, 1, at(0.8, 0, 0), 0.2),
        (0, 1, at(0, 0, -1.3), 0.3),
        (0, 1, at(0.8, 0, 0, R=TURN), 0.1),  # which lies across
        (1, 0, at(0.8, 0, 0), 0.2),
        (0, 1, at(0.55, 0, 0), 0.0),
        (0, 1, EYE, 0.0),  # inside
        (1, 0, EYE, 0.0),
        (2, 1, EYE, 0.4),  # of an open one
        (0, 3, EYE, 0.0),  # the second part alone
        (0, 3, at(3.0, 0, 0), 0.0),  # the first part alone
        (0, 3, at(1.5, 0, 0), 0.9),
        (3, 0, at(-1.5, 0, 0), 0.9),
    ):
        found, points = own.distance(a, b, T, 1.0)
        assert found == pytest.approx(far, abs=1e-9), (a, b, T)
        assert points.shape == own.distance(a, b, T, 0.0)[1].shape == (2, 3)
        if far:
            assert np.linalg.norm(points[1] - points[0]) == pytest.approx(far)
        assert (own.distance(a, b, T, 0.0)[0] == 0.0) is (far == 0.0)
    assert own.distance(0, 1, at(0.8, 0, 0), 0.0)[0] == FAR
    ends = own.distance(0, 1, at(0.8, 0, 0), 1.0)[1]
    assert ends[:, 0] == pytest.approx([0.5, 0.7])


def test_distances_of_round_ones_and_meshes():
    """One at a time, along an axis: round ones are not those of polyhedra, whichever is first."""
    kinds = {"sphere": (0.15,), "cylinder": (0.1, 0.3), "capsule": (0.08, 0.3), "ellipsoid": (0.1, 0.05, 0.2)}
    half = np.array([[0.15] * 3, [0.1, 0.1, 0.15], [0.08, 0.08, 0.23], [0.1, 0.05, 0.2]])
    own = Rounds([BIG, *(solid(kind, *sizes) for kind, sizes in kinds.items()), OPEN])
    for number, most in enumerate(half, 1):
        for axis in range(3):
            for gap in (0.05, 1e-4, -1e-3):
                place = np.zeros(3)
                place[axis] = (0.5, 0.6, 0.7)[axis] + most[axis] + gap
                far, points = own.distance(0, number, at(*place), 1.0, max(gap, 0.0))
                assert far == pytest.approx(max(gap, 0.0), abs=1e-7)
                back, turned = own.distance(number, 0, at(*-place), 1.0, max(gap, 0.0))
                assert back == pytest.approx(far, abs=1e-9)
                if gap > 0:
                    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(gap, abs=1e-7)
                    np.testing.assert_allclose(turned + place, points[::-1], atol=1e-6)
        assert own.distance(0, number, EYE, 1.0, 0.5)[0] == 0.0  # inside
        assert own.distance(0, number, at(9.0, 0, 0), 0.5, 8.0)[0] > 0.5  # no triangle is near
        assert own.distance(5, number, EYE, 1.0, 0.5)[0] == pytest.approx((0.5, 0.6, 0.7 - most)[0] - most[0], abs=0.2)


def test_parts_that_are_apart():
    """Boxes in a row are each a part: a ball between them is not in contact."""
    middles = np.array([[-0.6, 0.0, 0.0], [0.0, 0.0, 0.0], [0.6, 0.2, 0.0], [0.6, 0.2, 0.9]])
    whole = solid("mesh", mesh=hull_of(np.concatenate([corners((0.1, 0.1, 0.1), m) for m in middles]), "all"))
    own = Apart([solid("sphere", 0.05), whole], [[], [corners((0.1, 0.1, 0.1), m) for m in middles]])
    places = np.random.default_rng(3).uniform(-1, 1, (300, 3))
    outside = np.linalg.norm((np.abs(places[:, None] - middles) - 0.1).clip(min=0.0), axis=2).min(axis=1) - 0.05
    ball = np.tile(EYE.ravel(), (300, 1))
    ball[:, 3::4] = places
    still, pair = np.tile(EYE.ravel(), (300, 1)), np.tile((0, 1), (300, 1))
    for margin in (0.0, 0.1):
        certain = np.abs(outside - margin) > 1e-6
        for found in (
            own.possible(ball, still, pair, margin),
            own.possible(still, ball, pair[:, ::-1], margin),
        ):
            assert (found == (outside <= margin))[certain].all()


@each("axis", range(3))
@each("place", [0.1, 0.5])
def test_triangles_that_are_cut(axis, place):
    """None of the surface is lost or turned, and what is cut ends in the plane."""
    triangles = np.random.default_rng(5).uniform(-1, 1, (60, 3, 3))
    triangles[:3, 0, axis] = place  # a corner in the plane
    below, above = cut(triangles, axis, place)
    assert (below[..., axis] <= place).all()
    assert (above[..., axis] >= place).all()

    def areas(some):
        return np.cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0]).sum(axis=0) / 2

    np.testing.assert_allclose(areas(below) + areas(above), areas(triangles), atol=1e-12)
    crossing = (triangles[..., axis] > place).any(axis=1) & (triangles[..., axis] < place).any(axis=1)
    assert (below[..., axis] == place).sum() >= 2 * crossing.sum()


def test_spheres_of_cells_hold_their_prisms():
    middles = np.random.default_rng(6).uniform(-1, 1, (80, 1, 3))
    prisms = middles + np.random.default_rng(7).uniform(-0.05, 0.05, (80, 6, 3))
    for size in (0.3, 1.0, 10.0):
        spheres = _in_cells(prisms, size)
        assert len(spheres) == len(np.unique(np.floor(prisms.mean(axis=1) / size), axis=0))
        far = np.linalg.norm(prisms[:, :, None] - spheres[:, :3], axis=3).max(axis=1)
        assert (far <= spheres[:, 3]).any(axis=1).all()
        assert spheres[:, 3].max() <= 0.9 * size * np.sqrt(3) / 2 + 0.2


@each("geometry", ["mesh", "hull"])
@each("scale", ["1 1 1", "2 3 0.5", "-2 3 0.5"])
def test_scales_of_meshes(geometry, scale, tmp_path_factory):
    """Its corners stand where the file, the scale and the origin put them, its faces look outwards."""
    folder = tmp_path_factory.mktemp("meshes")
    points = corners((0.1, 0.2, 0.3), (1.0, 0.0, 0.0))
    mesh = hull_of(points, "box")
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in mesh.vertices)
    (folder / "a.obj").write_text(text + "".join(f"f {a} {b} {c}\n" for a, b, c in mesh.triangles + 1))
    file = f"<mesh><uri>a.obj</uri><scale>{scale}</scale></mesh>"
    (folder / "a.sdf").write_text(
        '<sdf version="1.9"><model name="m"><link name="a"><collision name="c">'
        f"<pose>0 0 1 0 0 {np.pi / 2!r}</pose><geometry>{file}</geometry></collision></link></model></sdf>"
    )
    (one,) = solids_of(kt.load(folder / "a.sdf"), geometry)["a"]
    there = one.surface.vertices @ one.T[:3, :3].T + one.T[:3, 3]
    expected = points * np.array(scale.split(), dtype=float) @ TURN.T + [0, 0, 1]
    np.testing.assert_allclose(np.sort(there, axis=0), np.sort(expected, axis=0), atol=1e-12)
    np.testing.assert_allclose(one.surface.bounds.mean(axis=0), 0, atol=1e-12)
    a, b, c = np.moveaxis(one.surface.vertices[one.surface.triangles], 1, 0)
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0).all()


@each("normal", [(0, 0, 2), (0, 0, -0.1), (3, 0, 4), (1, 1, 1), (0, -5, 0)])
def test_a_plane_lies_across_its_normal(normal):
    parameters = {"normal": tuple(map(float, normal))}
    T = _placed(Geometry(Shape("plane", parameters), origin=homogeneous(TURN, np.array([1.0, 2.0, 3.0]))), parameters)
    np.testing.assert_allclose(T[:3, 2], TURN @ normal / np.linalg.norm(normal), atol=1e-15)
    np.testing.assert_allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-15)
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1)
    assert T[:3, 3].tolist() == [1, 2, 3]


def test_a_cover_is_kept_for_the_next_time(monkeypatch):
    """In this process, and in the cache for others; it is one for a slack."""
    one = solid("box", 0.11, 0.12, 0.13)
    first = covers.cover(one, 0.05)
    assert covers.cover(one, 0.05) is first
    covers._known.clear()
    made = covers._made
    monkeypatch.setattr(covers, "_made", None)
    again = covers.cover(one, 0.05)
    np.testing.assert_array_equal(again.outer, first.outer)
    np.testing.assert_array_equal(again.inner, first.inner)
    assert again.slack == first.slack
    monkeypatch.setattr(covers, "_made", made)
    assert len(covers.cover(one, 0.02).outer) > len(first.outer)


@each(
    "one, far",
    [
        (solid("sphere", 0.2), lambda d: 0.2),
        (solid("ellipsoid", 0.1, 0.2, 0.3), lambda d: np.linalg.norm(d * [0.1, 0.2, 0.3])),
        (solid("capsule", 0.1, 0.4), lambda d: 0.1 + 0.2 * abs(d[2])),
        (solid("cylinder", 0.1, 0.4), lambda d: 0.1 * np.hypot(d[0], d[1]) + 0.2 * abs(d[2])),
        (solid("box", 0.2, 0.4, 0.6), lambda d: np.abs(d) @ [0.1, 0.2, 0.3]),
        (SMALL, lambda d: np.abs(d) @ [0.1, 0.2, 0.3]),
    ],
)
def test_the_farthest_points(one, far):
    """They are as far as any point is, and lie in the solid: no direction has them farther than its own."""
    directions = np.concatenate([np.random.default_rng(8).normal(size=(30, 3)), np.eye(3), -np.eye(3)])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points, most = farthest(one, directions), np.array([far(d) for d in directions])
    np.testing.assert_allclose((points * directions).sum(axis=1), most, rtol=0, atol=1e-12)
    assert (points @ directions.T <= most + 1e-12).all()


def test_meshes_of_several_parts():
    """What parts prove and what triangles say is the same, for few pairs and for many, with a margin and without."""
    parts = [corners((0.1, 0.1, 0.1), (-3.0, 0.0, 0.0)), corners((0.1, 0.1, 0.1))]
    none = np.zeros((0, 4))
    kept = [covers.Cover(none, none, 0.0, own) for own in (tuple(parts), (corners((0.1, 0.2, 0.3)),), (), ())]
    whole = Exact({"link": [PARTED, SMALL, solid("sphere", 0.1), solid("plane")]}, kept)
    x = np.linspace(-3.5, 0.5, 33)
    places = np.stack([at(value, 0.05, 0.0).ravel() for value in x])
    still = np.tile(EYE.ravel(), (len(x), 1))
    to_parts = np.minimum(np.abs(x), np.abs(x + 3.0)) - 0.1
    for other, half in ((1, 0.1), (2, None)):
        gaps = to_parts - half if half else to_parts - 0.1
        for margin in (0.0, 0.03):
            for first, second, pair in ((still, places, (0, other)), (places, still, (other, 0))):
                found = whole.touching(first, second, np.tile(pair, (len(x), 1)), margin)
                assert (found == (gaps <= margin))[np.abs(gaps - margin) > 1e-6].all()
                for i in (0, 9, 20):
                    assert whole.touching(first[i : i + 1], second[i : i + 1], np.array([pair]), margin) == found[i]
        for above in (np.inf, 0.03):
            T = places.reshape(-1, 3, 4)
            lower, upper, points = whole.distances(np.tile((0, other), (len(x), 1)), T, above)
            near = gaps <= above
            np.testing.assert_allclose(upper[near], gaps[near].clip(min=0.0), rtol=0, atol=1e-6)
            np.testing.assert_allclose(lower[near], upper[near], rtol=0, atol=1e-6)
            assert (upper[~near] > above).all()
            apart = near & (gaps > 1e-3)
            np.testing.assert_allclose(
                np.linalg.norm(points[apart, 0] - points[apart, 1], axis=1), gaps[apart], atol=1e-6
            )
    heights = np.stack([at(0, 0, z).ravel() for z in (0.31, 0.29, 0.11, 0.09)])
    for pair, touches in (((3, 1), [False, True, True, True]), ((3, 2), [False, False, False, True])):
        pairs = np.tile(pair, (4, 1))
        assert whole.touching(still[:4], heights, pairs, 0.0).tolist() == touches
        assert whole.touching(heights, still[:4], pairs[:, ::-1], 0.0).tolist() == touches


def test_what_is_pickled_finds_the_same():
    own = pickle.loads(pickle.dumps(Triangles([BIG, SMALL])))
    assert own.distance(0, 1, at(0.8, 0, 0), 1.0)[0] == pytest.approx(0.2)


def test_shapes_that_cannot_be_used():
    for text, message in (
        ("<sphere radius='0'/>", r"sizes are \(0.0,\); expected numbers above 0"),
        ("<box size='1 -1 1'/>", "sizes are .* expected numbers above 0"),
    ):
        shape = f"<robot name='r'><link name='a'><collision><geometry>{text}</geometry></collision></link></robot>"
        with pytest.raises(kt.KinetreeError, match=message) as raised:
            solids_of(kt.load(shape, format="urdf"), "mesh")
        assert [(f.code, f.element) for f in raised.value.findings] == [("contact-shape", "link 'a'")]
    with pytest.raises(kt.KinetreeError, match="the convex hull of it has no volume") as raised:
        hull_of(corners((1.0, 1.0, 0.0)), "it")
    assert raised.value.findings[0].fix == 'choose geometry="mesh"'


def test_nearest_points_of_a_plane():
    """In the frame of the first, whichever that is."""
    whole = Exact({"link": [solid("plane"), solid("sphere", 0.1)]}, [covers.cover(solid("sphere", 0.1), 0.1)] * 2)
    below, over = np.stack([at(0.5, 0, 0.3), at(0, 2, 0.05)]), np.stack([at(-0.5, 0, -0.3), at(0, -2, -0.05)])
    for pair, T, expected in (
        ((0, 1), below, [[0.5, 0, 0], [0.5, 0, 0.2]]),
        ((1, 0), over, [[0, 0, -0.1], [0, 0, -0.3]]),
    ):
        lower, upper, points = whole.distances(np.tile(pair, (2, 1)), T, np.inf)
        assert lower.tolist() == upper.tolist() == pytest.approx([0.2, 0.0])
        np.testing.assert_allclose(points[0], expected, atol=1e-12)


def test_spheres_inside_show_contact():
    ball = np.array([[0.0, 0.0, 0.0, 0.1], [0.0, 0.3, 0.0, 0.05]])
    none = np.zeros((0, 4))
    own = [covers.Cover(none, inner, 0.0) for inner in (ball, ball[:1], none)]
    whole = Exact({"link": [BIG, BIG, BIG]}, own)
    T = np.stack([at(0.19, 0, 0), at(0.21, 0, 0), at(0, -0.21, 0), at(0, 0.44, 0), at(0, 0.46, 0)])
    for pair, shown in (((0, 1), [1, 0, 0, 1, 0]), ((1, 0), [1, 0, 1, 0, 0]), ((0, 2), [0] * 5)):
        assert whole._meet_inside(np.tile(pair, (5, 1)), T).tolist() == [bool(one) for one in shown], pair
        assert (whole.distances(np.tile(pair, (5, 1)), T, np.inf)[1] == 0.0).all()


def test_prisms_lie_in_their_part_wherever_it_is():
    for middle in ((0.0, 0.0, 0.0), (2.0, -1.0, 0.5), (-0.3, 4.0, 0.0)):
        part = part_of(corners((0.3, 0.2, 0.1), middle))
        prisms, reached = covers._prisms(part, part.triangles)
        assert part.depth(prisms.reshape(-1, 3)).min() > -1e-9
        assert part.depth(prisms.mean(axis=1)).min() > 0.01
        assert part.depth(reached).min() > -0.07


def test_a_flat_part_is_thick():
    part = part_of(corners((0.3, 0.2, 0.0)))
    assert part.depth(corners((0.3, 0.2, 0.0))).min() > 0
    for side in (-0.01, 0.01):
        assert part.depth(corners((0.3, 0.2, 0.0), (0, 0, side))).max() < 0


def test_nothing_has_no_parts():
    assert parts_of(np.zeros((0, 3, 3)), 0.01) == []


def test_parts_of_few_faces_are_not_made_simpler():
    few = Part(np.zeros((FACES, 3, 3)), np.zeros((FACES, 3)), np.zeros(FACES))
    assert FACES == 160
    assert few.simpler() is few

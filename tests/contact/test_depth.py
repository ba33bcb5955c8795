"""How deep convex links are in each other (`Collisions.depth`)."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinetree as kt
from each import each
from kinetree.contact.convex import Convexes
from kinetree.contact.depth import depth
from kinetree.contact.solids import Solid, hull_of

SPHERE, SMALL, CAPSULE = ("sphere", 0.3), ("sphere", 0.2), ("capsule", 0.1, 1.0)
BOX, DISC, EGG = ("box", 1.0, 1.0, 1.0), ("cylinder", 0.3, 1.0), ("ellipsoid", 0.1, 0.2, 0.3)
ACROSS = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def solid(kind, *sizes):
    return Solid("link", kind, sizes, np.eye(4), kind)


def placed(x, y=0.0, z=0.0, R=None):
    return np.column_stack([np.eye(3) if R is None else R, [x, y, z]])


def depths(cases):
    """Of pairs of solids with the pose of the second in the first."""
    solids = [one if isinstance(one, Solid) else solid(*one) for case in cases for one in case[:2]]
    pairs = np.arange(len(solids)).reshape(-1, 2)
    return Convexes(solids).depths(pairs, np.array([case[2] for case in cases]))


def test_known_depths():
    """The shortest way out of each other, by hand."""
    cases = (
        (SPHERE, SMALL, placed(0.3), 0.2),
        (SPHERE, SMALL, placed(0.0), 0.5),  # of one middle
        (SPHERE, SMALL, placed(0.6), 0.0),
        (CAPSULE, CAPSULE, placed(0.15), 0.05),
        (CAPSULE, CAPSULE, placed(0.0, R=ACROSS), 0.2),  # axes that cross
        (CAPSULE, SMALL, placed(0.0, 0.1, 0.7), 0.3 - np.hypot(0.1, 0.2)),
        (BOX, BOX, placed(0.9, 0.95), 0.05),
        (BOX, BOX, placed(1.1), 0.0),
        (BOX, CAPSULE, placed(0.55, 0.0, 0.3), 0.05),
        (BOX, CAPSULE, placed(0.4, 0.0, 0.3), 0.2),
        (BOX, SPHERE, placed(0.1), 0.7),  # the middle of the sphere is inside
        (DISC, DISC, placed(0.5), 0.1),
        (DISC, BOX, placed(0.0, 0.0, 0.95), 0.05),
        (EGG, SPHERE, placed(0.0), 0.4),
        (EGG, EGG, placed(0.0, 0.0, 0.55), 0.05),
    )
    expected = [case[3] for case in cases]
    np.testing.assert_allclose(depths(cases), expected, rtol=1e-6, atol=1e-9)
    back = [(b, a, np.column_stack([T[:, :3].T, -T[:, :3].T @ T[:, 3]])) for a, b, T, _ in cases]
    np.testing.assert_allclose(depths(back), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_hulls_against_all_differences():
    """The nearest face of the hull of all differences of corners."""
    rng, cases, expected = np.random.default_rng(3), [], []
    for _ in range(30):
        one, other = (hull_of(rng.normal(size=(rng.integers(5, 30), 3)) * [0.2, 0.1, 0.3], "hull") for _ in range(2))
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        T = placed(*rng.normal(size=3) * 0.2, R=R * np.linalg.det(R))
        differences = (one.vertices[:, None] - (other.vertices @ T[:, :3].T + T[:, 3])).reshape(-1, 3)
        expected.append(max(0.0, (-ConvexHull(differences).equations[:, 3]).min()))
        cases.append((*(Solid("link", "hull", (), np.eye(4), "hull", mesh) for mesh in (one, other)), T))
    np.testing.assert_allclose(depths(cases), expected, rtol=1e-6, atol=1e-9)
    assert 5 < np.count_nonzero(expected) < 30


ROBOT = """<robot name='two'>
  <link name='a'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>
  <link name='m'/>
  <link name='b'>
    <collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>
    <collision><origin xyz='0.02 0 0'/><geometry><sphere radius='0.04'/></geometry></collision>
  </link>
  <joint name='x' type='prismatic'><parent link='a'/><child link='m'/><axis xyz='1 0 0'/>
    <limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
  <joint name='turn' type='continuous'><parent link='m'/><child link='b'/><axis xyz='1 0 0'/></joint>
</robot>"""


@pytest.mark.slow
def test_links():
    """The deepest of their shapes; batches; no contact; and what is not a number."""
    contact = kt.collisions(kt.load(ROBOT, format="urdf"), [("a", "b")])
    q = np.array([[[0.09, 0.0], [-0.09, 0.0]], [[0.12, 0.0], [np.nan, 0.0]]])
    np.testing.assert_allclose(contact.depth(q)[..., 0], [[0.01, 0.02], [0.0, np.nan]], atol=1e-9)
    assert contact.depth([0.09, 0.0]).shape == (1,)
    wide = kt.collisions(kt.load(ROBOT, format="urdf"), [("a", "b")], margin=0.05)
    assert wide.depth([0.12, 0.0]) == 0.0


def test_meshes_are_refused(tmp_path):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = "".join(f"f {a} {b} {c}\n" for a, b, c in ((1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)))
    (tmp_path / "m.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
    mesh = f"<mesh filename='{tmp_path}/m.obj' scale='0.02 0.02 0.02'/>"
    robot = kt.load(ROBOT.replace("<sphere radius='0.04'/>", mesh), format="urdf")
    with pytest.raises(kt.KinetreeError, match="links 'a' and 'b': a mesh of b is a mesh; expected convex shapes"):
        kt.collisions(robot, [("a", "b")]).depth([0.0, 0.0])
    assert kt.collisions(robot, [("a", "b")], geometry="hull").depth([0.09, 0.0]) == pytest.approx(0.01)


@each("off, expected", [(0.48, 0.02), (0.499, 0.001), (0.501, 0.0), (0.52, 0.0), (0.9, 0.0)])
def test_a_point_at_the_face_of_a_turned_box(off, expected):
    """No axis of either and no diagonal parts them where the normal of the face does."""
    c, s = np.cos(0.46), np.sin(0.46)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    T = placed(*(off * R[:, 0]), R=R)
    point, box = solid("sphere", 0.01), solid(*BOX)
    assert depth(point, box, T) == pytest.approx(expected, abs=1e-8)
    assert depth(box, point, np.column_stack([R.T, -R.T @ T[:, 3]])) == pytest.approx(expected, abs=1e-8)
    assert depth(point, point, T) == 0.0


def test_kernels_of_convex_solids_have_names():
    made = Convexes([solid(*BOX), solid(*SPHERE)])
    assert [made.kernel.name, made.decision.name] == ["convex_distance", "convex_contact"]
    assert [port.name for port in made.kernel.inputs] == ["state", "T", "pair", "above"]
    assert [port.name for port in made.decision.inputs] == ["state", "first", "second", "pair", "above"]

"""Contact in the data of the page, and in pictures; and findings that say where."""

import io
from itertools import pairwise

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms import convex
from kinetree.contact.convex import one_step
from kinetree.errors import Finding
from kinetree.viewing.picture import picture
from kinetree.viewing.scene import PosedRobot, contact as described, scene
from kinetree.viewing.scene.findings import configuration_in
from mesh_files import CORNERS, FACES, stl

JOINT = (
    "<joint name='to {1}' type='revolute'><parent link='{0}'/><child link='{1}'/><origin xyz='{2} 0 0'/>"
    "<axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"
)


def chain(*shapes, step=0.3, seen=()):
    """A robot of links a, b, c … 0.3 m apart, with these collision shapes; the links of `seen` have them as visuals."""
    names = "abcdefg"[: len(shapes)]
    links = [
        f"<link name='{name}'>{f'<visual>{shape}</visual>' if name in seen else ''}"
        f"{f'<collision>{shape}</collision>' if shape else ''}</link>"
        for name, shape in zip(names, shapes, strict=True)
    ]
    joints = [JOINT.format(a, b, step) for a, b in pairwise(names)]
    return f"<robot name='chain'>{''.join(links + joints)}</robot>"


BALL = "<geometry><sphere radius='0.1'/></geometry>"
MESH = "<geometry><mesh filename='{}'/></geometry>"


def content(robot, **options):
    made = scene([PosedRobot(robot)], contact=True, **options)
    return made.content["contact"], made


def test_the_page_has_the_pairs_of_python_and_what_is_left_out():
    robot = kt.load(chain(BALL, BALL, "", BALL), format="urdf")
    found, made = content(robot)
    contact = kt.collisions(robot)
    links = list(robot.links)
    assert [tuple(links[i] for i in pair) for pair in found["pairs"]] == list(contact.pairs)
    left_out = [(*(links[i] for i in one["links"]), one["reason"]) for one in found["left_out"]]
    assert left_out == list(contact.left_out)
    assert [solid["link"] for solid in found["solids"]] == [0, 1, 3]
    assert [name for name, _ in made.functions] == ["fk0", "gjk"]
    assert found["cover"] is False
    assert {tuple(solid["cover"]) for solid in found["solids"]} == {()}
    assert scene([PosedRobot(robot)]).content["contact"] is None


@pytest.mark.slow
def test_solids_of_the_page_are_the_shapes(tmp_path):
    corners = 0.05 * CORNERS
    (tmp_path / "corner.stl").write_bytes(stl(corners))
    notched = np.concatenate([corners, [(0.005, 0.005, 0.005)]])
    faces = [*FACES[:3], (1, 2, 4), (2, 3, 4), (3, 1, 4)]  # the last face is pushed in
    (tmp_path / "notched.stl").write_bytes(stl(notched, np.array(faces)))
    two = np.concatenate([corners, corners + 1.0])
    (tmp_path / "two.stl").write_bytes(stl(two, np.concatenate([FACES, FACES + 4])))
    can = "<geometry><cylinder radius='0.1' length='0.4'/></geometry>"
    path = tmp_path / "chain.urdf"
    path.write_text(
        chain(BALL, MESH.format("corner.stl"), MESH.format("notched.stl"), can, MESH.format("two.stl"), step=5)
    )
    found, made = content(kt.load(path), cover=True)
    ball, corner, notch, rod, both = found["solids"]
    parts = np.reshape(both["parts"], (2, 3)) + np.array(both["T"])[[3, 7, 11]]
    assert sorted(parts[:, 0] > 0.5) == [False, True]
    assert (ball["points"], ball["radius"], ball["disc"], ball["hull"]) == ([0, 0, 0], 0.1, 0, None)
    assert (rod["points"], rod["radius"], rod["disc"]) == ([0, 0, -0.2, 0, 0, 0.2], 0, 0.1)
    assert made.content["meshes"][corner["hull"]]["vertices"] == 4
    assert made.content["meshes"][notch["mesh"]]["triangles"] == 6
    assert notch["closed"]
    assert not notch["rough"]
    assert len(notch["parts"]) == 3
    for solid, points in ((corner, corners), (notch, notched)):
        spheres = np.reshape(solid["cover"], (-1, 4))
        own = points - (solid["T"][3], solid["T"][7], solid["T"][11])
        assert (np.linalg.norm(own[:, None] - spheres[:, :3], axis=2) <= spheres[:, 3]).any(axis=1).all()


@pytest.mark.slow
def test_large_meshes_have_only_their_hull(tmp_path, monkeypatch):
    notched = np.concatenate([CORNERS, [(0.1, 0.1, 0.1)]])
    (tmp_path / "b.stl").write_bytes(stl())
    (tmp_path / "a.stl").write_bytes(stl(notched, np.array([*FACES[:3], (1, 2, 4), (2, 3, 4), (3, 1, 4)])))
    path = tmp_path / "chain.urdf"
    path.write_text(chain(MESH.format("a.stl"), MESH.format("b.stl"), MESH.format("a.stl"), BALL, step=5))
    for most, rough in ((10, 0), (9, 1), (4, 1), (3, 2)):  # meshes, of which b has 4 triangles and a 6
        monkeypatch.setattr(described, "MOST_TRIANGLES", most)
        solids = content(kt.load(path))[0]["solids"]
        expected = [rough > 0, rough > 1, rough > 0, False]
        assert [solid["rough"] for solid in solids] == expected
        assert [solid["mesh"] is None for solid in solids[:3]] == expected[:3]


def test_what_cannot_be_tested_is_said():
    gone = MESH.format("gone.stl")
    for shapes, pairs, notes in (
        ((BALL, gone, BALL), 1, ["link 'b': its collision shape cannot be used: gone.stl"]),
        ((gone, gone, BALL), 0, ["link 'a': its", "link 'b': its", "robot 'chain': no two links are left"]),
        ((BALL, BALL), 0, ["robot 'chain': no two links are left to be tested; pairs that are left out: 1 neighbours"]),
        (("", ""), 0, ["robot 'chain': no link has a collision shape"]),
    ):
        found, made = content(kt.load(chain(*shapes), format="urdf"))
        assert len(found["pairs"]) == pairs
        assert len(made.functions) == 1 + (pairs > 0)
        assert len(found["notes"]) == len(notes)
        assert all(said.startswith(start) for said, start in zip(found["notes"], notes, strict=True)), found["notes"]


def test_step_by_step_the_distance_of_two_boxes():
    """The kernel of a step, run as the page runs it."""
    step = one_step().interpret
    corners = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    far_away = (2.0, 0.3, 0.1)
    steps = []
    for move, above, distance in (
        ((0.5, 0.3, 0.1), np.inf, 0.3),
        ((0.15, 0.1, 0.0), np.inf, 0.0),
        (far_away, 1.5, 1.8),
        (far_away, np.inf, 1.8),
    ):
        state = np.zeros(convex.STATE)
        state[0], state[2:5] = 1.0, np.array((1.0, 0.2, 0.1))
        while state[0] > 0:
            d = -state[2:5]
            own, other = corners[(corners @ d).argmax()], corners[(corners @ -d).argmax()] + move
            state = step(state, own - other, own, above)
        far = np.linalg.norm(state[2:5])
        steps.append(state[1])
        assert far == pytest.approx(distance, abs=1e-8) if above == np.inf else far > above
    assert steps[2] < steps[3]  # it ends once the distance is known to be above
    assert state[6:9] - state[2:5] == pytest.approx(state[6:9] + np.array((1.8, 0, 0)))


@each(
    "message, degrees",
    [
        ("links touch at to_b=-90 to_c=20", (-90, 20)),
        ("they touch (in 3 % of samples), for example at to_c=20.5.", (0, 20.5)),
        ("seen at x=3, and at to_b=10, to_c=-1e1", (10, -10)),
        ("in contact (at to_b=10 to_c=20)", (10, 20)),
        ("it does at --deg --q to_b=10 --q 'to_c=20'", (10, 20)),
        ("it does at --q to_b=1 --q to_c=-1", (np.degrees(1), np.degrees(-1))),
        ("in contact at to_b=1 to_c=-1 rad", (np.degrees(1), np.degrees(-1))),
        ("nothing at all", None),
        ("to_b=90", None),
        ("at other=90", None),
        ("at to_b=much", None),
        ("at to_b=nan", None),
        ("at to_b=90,1", None),
        ("at 'to_b=1", None),
    ],
)
def test_findings_say_where(message, degrees):
    robot = kt.load(chain(BALL, BALL, BALL).replace("to ", "to_"), format="urdf")
    found = configuration_in(message, robot)
    assert found == (None if degrees is None else pytest.approx(np.radians(degrees)))
    listed = scene([PosedRobot(robot, None, [Finding("X", "error", message)])]).content["robots"][0]["findings"]
    assert listed[0]["q"] == found


def pixels(data):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def reddish(data):
    red, green, blue = np.moveaxis(pixels(data), 2, 0)
    return int(((red > 90) & (green < 20) & (blue < 20)).sum())


def violet(data):
    red, green, blue = np.moveaxis(pixels(data), 2, 0)
    return int((np.abs(red - 0x8E) + np.abs(green - 0x24) + np.abs(blue - 0xAA) < 30).sum())


@pytest.mark.slow
def test_pictures_have_links_in_contact_red_and_the_nearest_with_a_line(monkeypatch):
    pytest.importorskip("matplotlib")
    robot = kt.load(chain(BALL, BALL, BALL, seen="b"), format="urdf")
    for q, red, line in (([0.5, 0.0], 0, True), ([3.0, 0.0], 1000, False)):
        data = picture(robot, q, size=(320, 240), contact=True)[0]
        assert (reddish(data) > red) == (red > 0)
        assert (violet(data) > 10) == line
    plain = picture(robot, [3.0, 0.0], size=(320, 240))[0]
    assert (reddish(plain), violet(plain)) == (0, 0)
    monkeypatch.setattr(
        "kinetree.viewing.picture.written", lambda figure, _: [t.get_text() for t in figure.axes[0].texts]
    )
    far = 1e3 * kt.collisions(robot).distance([0.5, 0.0])
    assert f"{far:.1f} mm" in picture(robot, [0.5, 0.0], contact=True)[0]


def test_pictures_name_what_contact_lacks():
    pytest.importorskip("matplotlib")
    gone = MESH.format("gone.stl")
    found = picture(kt.load(chain(BALL, gone, BALL), format="urdf"), size=(32, 24), contact=True)[1]
    assert "contact-shape" in [finding.code for finding in found]
    with pytest.raises(kt.KinetreeError, match="no two links are left to be tested"):
        picture(kt.load(chain(gone, BALL, BALL), format="urdf"), size=(32, 24), contact=True)


def test_a_view_saves_pictures_with_contact(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("kinetree.viewing.show.viewer", lambda: "")
    monkeypatch.setattr("kinetree.viewing.show.picture", lambda *_, contact, **__: asked.append(contact) or (b"", ()))
    view = kt.show(kt.load(chain(BALL), format="urdf"), browser=False)
    view.save(tmp_path / "a.png", contact=True)
    view.save(tmp_path / "a.svg")
    assert asked == [True, False]

"""In Chromium: the page finds the contact that kinetree finds, and shows it."""

import numpy as np
import pytest

import kinetree as kt
from browser import axe
from kinetree.errors import Finding
from kinetree.viewing.scene import contact as described
from mesh_files import stl

pytestmark = pytest.mark.slow

CONTACT = "Contact: links that touch are red"
FIND = "Q => Q.map(q => { kinetree.view.setQ(q); return kinetree.view.contact(); })"
RED = """() => [...new Set(kinetree.view.app.pictures[0].solids
  .filter(({ material }) => material.color.getHexString() === "d50000")
  .map(({ userData }) => kinetree.view.app.models[0].robot.links[userData.link].name))].sort()"""
NOTCHED = np.array([(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (0, 1)]) / 10
"""Corners of an L, m."""


def angle(*cut):
    """An L as a mesh, 0.4 m wide, 0.2 m high and 0.1 m thick, without the faces of these numbers."""
    n = len(NOTCHED)
    corners = np.array([(*point, z) for z in (0.0, 0.2) for point in NOTCHED])
    ends = [(0, 1, 5), (1, 4, 5), (1, 2, 4), (2, 3, 4)]
    sides = [face for i in range(n) for j in [(i + 1) % n] for face in ((i, j, n + j), (i, n + j, n + i))]
    faces = [*((a, c, b) for a, b, c in ends), *((a + n, b + n, c + n) for a, b, c in ends), *sides]
    return stl(corners, np.array([face for i, face in enumerate(faces) if i not in cut]))


SHAPES = {
    "ball": 'type="sphere" size="0.05"',
    "box": 'type="box" size="0.05 0.1 0.02"',
    "can": 'type="cylinder" size="0.04 0.08"',
    "pill": 'type="capsule" size="0.03 0.07"',
    "egg": 'type="ellipsoid" size="0.05 0.08 0.03"',
    "angle": 'type="mesh" mesh="angle"',
    "open": 'type="mesh" mesh="open"',
    "seed": 'type="mesh" mesh="seed"',
}


@pytest.fixture
def cell(tmp_path):
    """A robot of one free link of each kind, above a floor: the angle is closed, `open` lacks a face."""
    (tmp_path / "angle.stl").write_bytes(angle())
    (tmp_path / "open.stl").write_bytes(angle(9))
    (tmp_path / "seed.stl").write_bytes(angle())
    meshes = "".join(f'<mesh name="{name}" file="{name}.stl"/>' for name in ("angle", "open"))
    meshes += '<mesh name="seed" file="seed.stl" scale="0.1 0.1 0.1"/>'
    bodies = [f'<body name="{name}"><freejoint/><geom {geom}/></body>' for name, geom in SHAPES.items()]
    bodies.insert(4, '<body name="floor"><geom type="plane" size="0 0 1" pos="0 0 -0.2"/></body>')  # first and second
    path = tmp_path / "cell.xml"
    path.write_text(f"<mujoco><asset>{meshes}</asset><worldbody>{''.join(bodies)}</worldbody></mujoco>")
    return kt.load(path)


def places(robot, n, seed):
    """Configurations (n, nq) of free links within half a metre, in all orientations."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.3, 0.3, (n, robot.nq // 7, 7))
    q[..., 3:] = rng.normal(size=q[..., 3:].shape)
    q[..., 3:] /= np.linalg.norm(q[..., 3:], axis=-1, keepdims=True)
    return q.reshape(n, -1)


def opened(open_page, tmp_path, robot, **options):
    kt.show(robot, browser=False, **options).save(tmp_path / "page.html")
    return open_page(tmp_path / "page.html")


def said(page, words):
    """Wait for words of the panel; return what it says."""
    answer = page.get_by_role("status").filter(has_text=words)
    answer.wait_for()
    return answer.inner_text()


def compared(page, robot, contact, q):
    """Compare what the page finds with Python; return the numbers of contacts and of distances."""
    links = list(robot.links)
    where, nearest, far = contact.where(q), contact.witness(q), {pair: i for i, pair in enumerate(contact.pairs)}
    counts = [0, 0]
    for row, found in enumerate(page.evaluate(FIND, q.tolist())):
        pairs = {tuple(links[i] for i in pair) for pair in found["touching"]}
        assert pairs == {pair for pair, i in far.items() if where[row, i]}, row
        assert found["perhaps"] == []
        counts[0] += len(pairs)
        assert (found["nearest"] is None) == bool(pairs)
        if not pairs:
            counts[1] += 1
            near = found["nearest"]
            assert near["distance"] == pytest.approx(nearest.distance[row], abs=2e-5)
            a, b = np.array(near["points"])
            assert np.linalg.norm(a - b) == pytest.approx(near["distance"], abs=1e-6)
            if tuple(links[i] for i in near["pair"]) == contact.pairs[nearest.pair[row]]:
                assert np.abs((a, b) - nearest.points[row]).max() < 2e-3
    return counts


@pytest.mark.nightly
def test_all_kinds_of_shapes_touch_as_in_python(open_page, tmp_path, cell):
    contact = kt.collisions(cell)
    assert len(contact.pairs) == 36
    page = opened(open_page, tmp_path, cell)
    q = places(cell, 150, 0)
    q[100:, 2::7] += np.linspace(0.1, 3.0, 8)  # most are apart
    counts = compared(page, cell, contact, q)
    assert counts[0] > 300, counts
    assert counts[1] > 20, counts


@pytest.mark.nightly
def test_what_is_inside_of_a_closed_mesh_touches_it(open_page, tmp_path, cell):
    q = places(cell, 4, 0).reshape(4, -1, 7)
    names = list(SHAPES)
    q[:, :, :3] = np.arange(1, 9)[:, None] * 5.0
    q[:, :, 3:] = 0, 0, 0, 1
    for row, (one, other, at) in enumerate(
        [
            ("seed", "angle", (0.01, 0.03, 0.08)),
            ("angle", "seed", (-0.01, -0.03, -0.08)),
            ("seed", "open", (0.01, 0.03, 0.08)),
            ("seed", "angle", (0.1, 0.2, 0.1)),  # in the notch
        ]
    ):
        q[row, names.index(one), :3] = q[row, names.index(other), :3] + at
    page = opened(open_page, tmp_path, cell)
    found = page.evaluate(FIND, q.reshape(4, -1).tolist())
    links = list(cell.links)
    pairs = [[sorted(links[i] for i in pair) for pair in one["touching"]] for one in found]
    assert pairs == [[["angle", "seed"]], [["angle", "seed"]], [], []]
    assert kt.collisions(cell)(q.reshape(4, -1)).tolist() == [True, True, False, False]


@pytest.mark.nightly
def test_of_meshes_with_too_many_triangles_only_hulls_are_known(open_page, tmp_path, cell, monkeypatch):
    monkeypatch.setattr(described, "MOST_TRIANGLES", 20)
    q = np.zeros((2, len(SHAPES), 7))
    q[:, :, 2] = 5.0 * np.arange(1, 9)
    q[:, :, 6] = 1.0
    q[:, list(SHAPES).index("seed"), :3] = q[0, list(SHAPES).index("angle"), :3] + (0.1, 0.2, 0.1)
    q[1, list(SHAPES).index("seed"), 0] -= 0.35
    page = opened(open_page, tmp_path, cell)
    notch, apart = page.evaluate(FIND, q.reshape(2, -1).tolist())
    links = list(cell.links)
    assert notch["touching"] == []
    assert [sorted(links[i] for i in pair) for pair in notch["perhaps"]] == [["angle", "seed"]]
    assert apart["perhaps"] == []
    assert apart["nearest"]["atLeast"] is True
    page.get_by_label(CONTACT).check()
    said(page, "at least")
    page.evaluate("q => kinetree.view.setQ(q)", q[0].ravel().tolist())
    said(page, "May touch, as their convex hulls do")
    assert page.evaluate(RED) == []


ARM = """<robot name="arm">{links}
<joint name="one" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="two" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"""
ROD = "<origin xyz='0 0 0.25'/><geometry><cylinder radius='0.04' length='0.4'/></geometry>"
LONG = "<origin xyz='0 0 0.35'/><geometry><cylinder radius='0.04' length='0.7'/></geometry>"
BASE = "<geometry><box size='0.3 0.3 0.1'/></geometry>"


def arm(seen=True, lower=LONG):
    def link(name, shape, seen):
        return f"<link name='{name}'>{f'<visual>{shape}</visual>' if seen else ''}<collision>{shape}</collision></link>"

    links = link("base", BASE, True) + link("upper", ROD, True) + link("lower", lower, seen)
    return kt.load(ARM.format(links=links), format="urdf")


def test_links_that_touch_are_red_while_a_slider_moves(open_page, tmp_path):
    robot = arm()
    page = opened(open_page, tmp_path, robot, cover=True)
    slide = """value => { const slider = document.querySelectorAll("input[type=range]")[1];
      slider.value = value; slider.dispatchEvent(new Event("input")); }"""
    page.evaluate(slide, 2.9)
    page.wait_for_timeout(100)
    assert page.evaluate(RED) == []  # the switch is off
    page.get_by_label(CONTACT).check()
    assert "base, lower" in said(page, "In contact")
    assert page.evaluate(RED) == ["base", "lower"]
    page.evaluate(slide, 1.0)
    said(page, "Nearest")
    assert page.evaluate(RED) == []
    q = page.evaluate("kinetree.view.q")
    far = f"{1e3 * kt.collisions(robot).distance(q):.1f} mm"
    assert f"base, lower: {far} apart" in page.locator("body").inner_text()
    assert page.locator(".label", has_text=far).is_visible()
    page.get_by_label("Cover").check()
    assert axe(page) == []
    page.get_by_label(CONTACT).uncheck()
    page.get_by_role("status").filter(has_text="Nearest").wait_for(state="hidden")


@pytest.mark.nightly
def test_a_finding_has_a_button_that_goes_there_and_a_link_without_visual_shape_shows_itself(open_page, tmp_path):
    robot = arm(seen=False)
    found = Finding("SRD-099", "warning", "base and lower touch at one=10 two=170", None, "link 'lower'")
    page = opened(open_page, tmp_path, robot, findings=[found])
    page.get_by_role("button", name="Go there").click()
    said(page, "In contact")
    assert page.evaluate("kinetree.view.q") == pytest.approx(np.radians((10, 170)))
    assert page.evaluate(RED) == ["base"]
    visible = """kinetree.view.app.pictures[0].layers.get("collision").filter(({ visible }) => visible)
      .map(({ userData }) => userData.link)"""
    assert page.evaluate(visible) == [list(robot.links).index("lower")]
    page.evaluate("kinetree.view.setQ([0, 0])")
    said(page, "Nearest")
    assert page.evaluate(visible) == []


@pytest.mark.nightly
def test_without_contact_the_page_says_why(open_page, tmp_path):
    mesh = "<geometry><mesh filename='gone.stl'/></geometry>"
    page = opened(open_page, tmp_path, arm(lower=mesh))
    page.get_by_role("heading", name="Contact").click()
    text = page.locator("body").inner_text()
    assert "Contact is not computed here." in text
    assert "link 'lower': its collision shape cannot be used: gone.stl" in text
    assert "no two links are left to be tested" in text
    assert page.evaluate("kinetree.view.contact()") is None


@pytest.mark.crosscheck
@pytest.mark.nightly
def test_the_panda_driven_into_itself_turns_red_and_back(open_page, tmp_path):
    pytest.importorskip("cmeel")
    robot = kt.load("example-robot-data:panda")
    contact, page = kt.collisions(robot), opened(open_page, tmp_path, robot)
    counts = compared(page, robot, contact, robot.limits.sample(300, np.random.default_rng(1)))
    assert counts[0] > 50, counts
    assert counts[1] > 200, counts
    page.get_by_label(CONTACT).check()
    free = robot.q({"panda_joint4": -60, "panda_joint6": 100}, unit="deg")
    free[-1] = 0.02
    touching = robot.q({"panda_joint4": -170, "panda_joint6": 10}, unit="deg")
    touching[-1] = 0.02
    for q, red in ((free, False), (touching, True), (free, False)):
        page.evaluate("q => kinetree.view.setQ(q)", q.tolist())
        said(page, "In contact" if red else "Nearest")
        pairs = {pair for pair, touches in zip(contact.pairs, contact.where(q), strict=True) if touches}
        assert page.evaluate(RED) == sorted({name for pair in pairs for name in pair} & set(page.evaluate(SEEN)))
        assert bool(pairs) == red


SEEN = """() => kinetree.view.app.pictures[0].solids
  .map(({ userData }) => kinetree.view.app.models[0].robot.links[userData.link].name)"""

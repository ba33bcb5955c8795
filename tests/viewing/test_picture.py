"""Pictures of robots: the camera, the triangles of shapes, what is in front, and what is drawn without shapes."""

import io
import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import build, parts_of
from kinetree.shapes import Mesh
from kinetree.viewing import camera as page_camera, raster
from kinetree.viewing.camera import camera_at
from kinetree.viewing.parts import last_frames
from kinetree.viewing.picture import picture
from kinetree.viewing.solids import solid
from physics import everything
from support import icub_urdfs, soon

SVG = "{http://www.w3.org/2000/svg}"


def pixels(data):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def one_link(shape, more=""):
    return kt.load(
        f'<robot name="r"><link name="base"><visual>{more}<geometry>{shape}</geometry>'
        '<material name="m"><color rgba="1 0 0 1"/></material></visual></link></robot>',
        format="urdf",
    )


def test_the_camera_looks_from_its_direction_with_its_field():
    bounds, half = np.array([(1.0, 2.0, 3.0), (1.4, 2.2, 3.1)]), np.diag((0.2, 0.1, 0.05))
    camera = camera_at(bounds.mean(axis=0) + np.vstack([half, -half]), (800, 600))
    middle, towards = bounds.mean(axis=0), np.array((1.0, -0.9, 0.6)) / np.sqrt(1 + 0.81 + 0.36)
    distance = 1.15 * np.sqrt(0.4**2 + 0.2**2 + 0.1**2)
    assert (camera.eye - middle) @ towards == pytest.approx(distance)
    middle = camera.eye - distance * towards
    assert camera.project(middle) == pytest.approx((400, 300, distance))
    up = np.array((0, 0, 1.0)) - towards[2] * towards
    top = middle + distance * np.tan(np.deg2rad(20)) * up / np.linalg.norm(up)
    assert camera.project(top) == pytest.approx((400, 0, distance))
    assert camera.project(middle + np.array((0.9, 1.0, 0)))[0] > 400
    for size in ((800, 600), (300, 900), (2000, 400)):
        tall = np.array([(0, 0, 0), (0.1, 0.1, 2.0)])
        for corners in (bounds, tall):
            ends = np.array(np.meshgrid(*corners.T)).reshape(3, -1).T
            at = camera_at(ends, size).project(ends)
            assert (at[:, 2] > 0).all()
            assert (at[:, :2] > 0).all()
            assert (at[:, :2] < size).all()
            np.testing.assert_allclose(at[:, :2].min(axis=0) + at[:, :2].max(axis=0), size, atol=2)  # equal margins
    with pytest.raises(kt.KinetreeError, match="the direction to the camera is"):
        camera_at(bounds, (800, 600), (0.0, 0.0, 1.0))


@each(
    "kind, values, volume, half",
    [
        ("box", (1.0, 2.0, 3.0), 6.0, (0.5, 1.0, 1.5)),
        ("sphere", (0.5,), np.pi / 6, (0.5, 0.5, 0.5)),
        ("cylinder", (0.5, 2.0), np.pi / 2, (0.5, 0.5, 1.0)),
        ("capsule", (0.5, 2.0), np.pi / 2 + np.pi / 6, (0.5, 0.5, 1.5)),
        ("ellipsoid", (0.5, 1.0, 2.0), 4 / 3 * np.pi, (0.5, 1.0, 2.0)),
    ],
)
def test_triangles_enclose_the_volume_of_the_shape(kind, values, volume, half):
    triangles = solid(kind, values)
    mesh = Mesh(triangles.reshape(-1, 3).round(9), np.arange(3 * len(triangles)).reshape(-1, 3))
    assert mesh.closed
    assert mesh.volume == pytest.approx(volume, rel=0.015)
    assert mesh.bounds == pytest.approx(np.array([-np.array(half), half]), abs=1e-9)


def test_other_kinds_have_no_triangles():
    for kind in ("plane", "mesh", "hfield"):
        assert solid(kind, ()).shape == (0, 3, 3)


def first_hit(eye, direction, triangles):
    """The nearest triangle on a ray, or -1 (Möller and Trumbore 1997)."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    h = np.cross(direction, v)
    det = np.einsum("ij,ij->i", u, h)
    s = (np.einsum("ij,ij->i", eye - a, h)) / det
    k = np.cross(eye - a, u)
    t = (k @ direction) / det
    far = np.einsum("ij,ij->i", v, k) / det
    hit = (s >= 0) & (t >= 0) & (s + t <= 1)
    return int(np.argmin(np.where(hit, far, np.inf))) if hit.any() else -1


@pytest.mark.slow
def test_each_pixel_shows_the_first_triangle_on_its_ray(monkeypatch):
    rng = np.random.default_rng(1)
    triangles = rng.uniform(-1, 1, (300, 1, 3)) + rng.uniform(-0.4, 0.4, (300, 3, 3))
    camera = camera_at(np.array([(-1.4,) * 3, (1.4,) * 3]), (96, 64))
    expected = np.full((64, 96), -1)
    scale = 32 / np.tan(np.deg2rad(20))
    for y in range(64):
        for x in range(96):
            direction = np.array((x + 0.5 - 48, 32 - y - 0.5, -scale)) @ camera.R
            expected[y, x] = first_hit(camera.eye, direction, triangles)
    for at_once in (1_000_000, 500):
        monkeypatch.setattr(raster, "AT_ONCE", at_once)
        found = raster._nearest(camera.project(triangles), 96, 64)
        shown = np.where(found > 0, (found & np.uint64(0xFFFFFFFF)).astype(int), -1)
        assert (shown != expected).mean() < 2e-3  # rays that graze an edge
        assert (expected >= 0).mean() > 0.1


def test_bands_of_rows_change_no_pixel(monkeypatch):
    rng = np.random.default_rng(2)
    triangles = rng.uniform(-1, 1, (60, 1, 3)) + rng.uniform(-0.5, 0.5, (60, 3, 3))
    colours = np.column_stack([rng.uniform(0, 1, (60, 3)), np.tile((1.0, 1.0, 0.5), 20)])
    camera = camera_at(triangles.reshape(-1, 3), (60, 47))
    whole = raster.shaded(camera, triangles, colours)
    assert whole[..., 3].any()
    for at_once in (1, 2500):
        monkeypatch.setattr(raster, "AT_ONCE", at_once)
        assert np.array_equal(raster.shaded(camera, triangles, colours), whole)


def test_what_is_behind_glass_shows_through():
    camera = camera_at(np.array([(-1.0,) * 3, (1.0,) * 3]), (40, 30))
    wall = np.array([(-9, -9, 0), (9, -9, 0), (0, 18, 0)]) @ camera.R
    triangles = np.array([wall, wall + 0.5 * camera.R[2], wall - 0.5 * camera.R[2]])
    colours = np.array([(1, 0, 0, 1), (0, 0, 1, 0.5), (0, 1, 0, 0.5)])
    red, green, blue, alpha = raster.shaded(camera, triangles, colours)[15, 20]
    assert red == pytest.approx(blue)  # half of each, as bright
    assert (green, alpha) == (0, 1)
    assert raster.shaded(camera, triangles[1:2], colours[1:2])[15, 20, 3] == pytest.approx(0.5)
    assert not raster.shaded(camera, triangles[:1], np.array([(1, 1, 1, 0.0)])).any()


@pytest.mark.slow
def test_a_sphere_is_a_disc_of_its_size():
    data, findings = picture(one_link('<sphere radius="0.5"/>'), size=(400, 400))
    red = pixels(data)
    disc = (red[..., 0] > red[..., 1] + 30) & (red[..., 0] > red[..., 2] + 30)
    rows, columns = np.nonzero(disc)
    distance = 1.15 * np.sqrt(3.0)
    radius = 200 / np.tan(np.deg2rad(20)) * np.tan(np.arcsin(0.5 / distance))
    assert rows.mean() == pytest.approx(199.5, abs=1.5)  # the axes of a frame hide some
    assert (np.ptp(rows) + 1) / 2 == pytest.approx(radius, abs=1.5)
    assert (np.ptp(columns) + 1) / 2 == pytest.approx(radius, abs=1.5)
    assert findings == ()


@pytest.mark.slow
def test_axes_of_a_tool_are_inside_the_picture():
    far = '<robot name="r"><link name="base"/><link name="tool0"/><joint name="j" type="fixed"><parent link="base"/>'
    far += '<child link="tool0"/><origin xyz="0 0 1"/></joint></robot>'
    shown = pixels(picture(kt.load(far, format="urdf"))[0])
    blue = (shown[..., 2] > 180) & (shown[..., 0] < 80)
    assert blue.sum() > 100
    assert not blue[0].any()
    assert np.nonzero(blue)[0].min() > 10


@pytest.mark.slow
def test_a_picture_follows_q_and_stays_the_same():
    robot, size = kt.load("icub"), (320, 240)
    first, moved = (picture(robot, q, size=size)[0] for q in (None, robot.q(l_shoulder_roll=1.0)))
    assert first == picture(kt.load("icub"), size=size)[0]
    assert (pixels(first) != pixels(moved)).any()
    assert pixels(first).shape == (240, 320, 3)


@pytest.mark.slow
@pytest.mark.nightly
def test_svg_has_the_shapes_as_one_smooth_image_and_stays_small():
    data, _ = picture(kt.load("icub"), suffix=".svg")
    root = ElementTree.fromstring(data)
    assert len(list(root.iter(f"{SVG}image"))) == 1
    assert b"pixelated" not in data
    assert len(data) < 100_000
    box = one_link('<box size="1 1 1"/>')
    assert picture(box, suffix=".svg") == picture(box, suffix=".svg")


@pytest.mark.slow
def test_without_shapes_links_and_joint_axes_are_lines():
    parts = parts_of(everything())
    parts.links = [replace(link, visuals=(), collisions=()) for link in parts.links]
    robot = build(parts)
    data, findings = picture(robot, suffix=".svg")
    root = ElementTree.fromstring(data)
    assert not list(root.iter(f"{SVG}image"))
    colours = [path.attrib.get("style", "") for path in root.iter(f"{SVG}path")]
    axes = sum(len(joint.axes) for joint in robot.joints.values())
    assert sum("#e8890c" in colour for colour in colours) == axes
    lines = len(robot.joints) + len(last_frames(robot))
    assert sum("#5c6b7a" in colour or "#c3cad2" in colour for colour in colours) == lines
    assert findings == ()
    assert len(data) < 60_000
    lonely = kt.load('<robot name="r"><link name="base"/></robot>', format="urdf")
    assert pixels(picture(lonely)[0]).min() < 255


@pytest.mark.slow
def test_an_arm_drawn_as_lines_ends_at_its_tip():
    arm = kt.chain([{"joint": "lift", "a": 1.0}, {"joint": "bend", "a": 0.5}], convention="dh")
    assert last_frames(arm) == {"bend_link": "dh_2"}
    q = arm.q(lift=0.3, bend=0.4)
    T = kt.fk(arm, [*arm.frames])(q)
    seen = camera_at(T[:, :3, 3], (960, 720)).project((T[-1, :3, 3] + kt.fk(arm, "bend_link")(q)[:3, 3]) / 2)
    x, y = seen[:2].astype(int)
    assert pixels(picture(arm, q)[0])[y, x].tolist() == [0x5C, 0x6B, 0x7A]
    T = np.eye(4)
    T[2, 3] = 0.6
    longer = kt.edit.add_frame(kt.edit.add_frame(arm, "mark", "lift_link", T), "needle", "bend_link", T)
    assert last_frames(longer) == {"bend_link": "needle"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "there is no file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "pointer of git-lfs"),
        (b"", "is not an STL file"),
    ],
)
@pytest.mark.slow
def test_a_mesh_that_cannot_be_read_is_a_finding(tmp_path, content, why):
    if content is not None:
        (tmp_path / "a.stl").write_bytes(content)
    path = tmp_path / "r.urdf"
    visual = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    path.write_text(
        f'<robot name="r"><link name="base">{visual}{visual}<visual><geometry><box size="1 1 1"/></geometry></visual>'
        "</link></robot>"
    )
    data, (finding,) = picture(kt.load(path))
    assert finding.code == "shape-not-shown"
    assert finding.message.startswith("the mesh 'a.stl' is not shown: ")
    assert why in finding.message
    assert (finding.element, finding.source.line) == ("link 'base'", 1)
    assert (pixels(data).max(axis=2) < 250).mean() > 0.1  # the box is there


def test_hostile_names_and_impossible_sizes(tmp_path):
    hostile = one_link('<mesh filename="&lt;/script&gt;$x^2$&#10;.stl"/>')
    _, (finding,) = picture(hostile, suffix=".svg")
    assert "shape-not-shown" in str(finding)
    with pytest.raises(kt.KinetreeError, match="poses are not finite"):
        picture(everything(), np.full(everything().nq, 1e200))
    with pytest.raises(kt.KinetreeError, match=r"figures are not written as '.xyz'; expected"):
        picture(hostile, suffix=".xyz")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(kt.KinetreeError) as error:
        picture(kt.load("icub"))
    assert error.value.findings[0].fix == "pip install 'kinetree[plot]'"


@pytest.mark.slow
def test_an_icub_with_its_meshes_takes_less_than_five_seconds_of_work():
    path = next(path for path in icub_urdfs() if "iCubGazeboV2_7/" in path.as_posix())
    robot = kt.load(path)
    data, findings = soon(5.0, lambda: picture(robot))
    assert findings == ()
    assert (pixels(data).max(axis=2) < 250).mean() > 0.05


@pytest.mark.slow
def test_a_view_saves_pictures(tmp_path, monkeypatch):
    from kinetree.viewing import page, show

    monkeypatch.setattr(page, "viewer", lambda: "globalThis.viewer = 1;")
    monkeypatch.setattr(show, "viewer", lambda: "")
    robot = one_link('<box size="1 1 1"/>')
    view = show.show(robot, findings=[], browser=False)
    view.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture(robot)[0]


def test_the_page_has_the_same_camera():
    stage = Path(__file__).resolve().parents[2] / "viewer" / "src" / "stage.js"
    text = stage.read_text("utf-8")
    (direction,) = re.findall(r"DIRECTION = new Vector3\(([^)]+)\)", text)
    assert tuple(map(float, direction.split(","))) == page_camera.DIRECTION
    assert float(re.findall(r"ANGLE = ([\d.]+);", text)[0]) == page_camera.FIELD
    assert float(re.findall(r"DISTANCE = ([\d.]+);", text)[0]) == page_camera.DISTANCE
    assert float(re.findall(r"FILLED = ([\d.]+);", text)[0]) == page_camera.FILLED


PARTS = """<robot name="r"><link name="base"><visual><geometry><box size="0.4 0.4 0.2"/></geometry></visual></link>
<link name="arm"><inertial><origin xyz="0 0 0.4"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
  iyz="0"/></inertial><visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
<link name="hand"><visual><origin xyz="0 0 0.3"/><geometry><mesh filename="away.stl"/></geometry></visual></link>
<joint name="a" type="fixed"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1"/></joint>
<joint name="b" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.6"/></joint></robot>"""


def orange(data):
    """Return the columns and rows (n, 2) of the pixels of crossed boxes."""
    image = pixels(data).astype(int)
    return np.argwhere(np.abs(image - (0xD9, 0x48, 0x0F)).max(axis=2) < 20)[:, ::-1]


@pytest.mark.slow
def test_shapes_that_are_missing_have_the_crossed_boxes_of_the_page():
    """At the centre of mass of their link if it is known, else at the shape's origin."""
    robot = kt.load(PARTS, format="urdf")
    data, findings = picture(robot)
    assert len(findings) == 2
    found = orange(data)
    middles = np.array([(0, 0, 0.5), (0, 0, 1.0)])  # 0.1 + 0.4, and 0.1 + 0.6 + 0.3
    height = found[:, 1].min() + np.ptp(found[:, 1]) / 2
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * (0.2, 0.2, 0.1)
    diagonal = np.linalg.norm(np.ptp(np.concatenate([corners, middles]), axis=0))
    beside = [0.12 * diagonal * np.eye(3), *(middle + 0.03 * diagonal * signs for middle in middles)]
    camera = camera_at(np.concatenate([corners, middles]), (960, 720), beside=np.concatenate(beside))
    for box, (x, y, _) in zip(
        (found[found[:, 1] > height], found[found[:, 1] < height]), camera.project(middles), strict=True
    ):
        assert len(box) > 50
        assert np.abs((box.min(axis=0) + box.max(axis=0)) / 2 - (x, y)).max() < 3
    solid = re.sub('mesh filename=".*?"', 'box size="1 1 1"', PARTS)
    assert not len(orange(picture(kt.load(solid, format="urdf"))[0]))


@pytest.mark.slow
@pytest.mark.nightly
def test_without_visual_shapes_collision_shapes_are_drawn_in_grey():
    text = PARTS.replace("visual>", "collision>")
    grey = pixels(picture(kt.load(text, format="urdf"))[0])
    assert len(orange(picture(kt.load(text, format="urdf"))[0])) > 100
    assert (grey.max(axis=2) < 250).mean() > 0.03  # the box, not lines
    red = '<material name="m"><color rgba="1 0 0 1"/></material>'
    red = f'<visual><geometry><sphere radius="0.01"/></geometry>{red}</visual>'
    both = pixels(picture(kt.load(text.replace("</link>", f"{red}</link>", 1), format="urdf"))[0])
    drawn = both[(both.max(axis=2) < 250) & (both.min(axis=2) < 200)]
    assert (drawn[:, 0] - drawn[:, 2] > 50).mean() > 0.9  # only the sphere


def test_faces_are_darker_the_less_they_look_at_the_light():
    box = '<visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="0.5 0.5 0.5 1"/></material>'
    robot = kt.load(f'<robot name="r"><link name="a">{box}</visual></link></robot>', format="urdf")
    greys, counts = np.unique(pixels(picture(robot, size=(120, 120))[0])[..., 0], return_counts=True)
    faces = greys[(counts > 300) & (greys < 200)]
    assert len(faces) == 3  # of a box three are seen, each as bright as it looks at the light
    assert faces.max() <= 128
    assert faces.min() >= round(0.3 * 127)
    assert (np.diff(faces) > 8).all()

"""Contact of the meshes and height fields that an MJCF has in its text, in images and in binary files."""

import io

import numpy as np
import pytest
from PIL import Image

import kinetree as kt
from each import each
from kinetree.contact.make import coarse
from kinetree.contact.solids import solids_of
from kinetree.files.opener import Files
from kinetree.shapes.written import _binary, written_mesh

TEXT = """<mujoco><asset>{}</asset><worldbody><geom type="hfield" hfield="ground" pos="0 0 -0.1"/>
<body name="ball" pos="0 0 0"><joint name="x" type="slide" axis="1 0 0" range="-0.1 0.1"/>
<joint name="y" type="slide" axis="0 1 0" range="-0.2 0.2"/><joint name="z" type="slide" axis="0 0 1" range="-1 1"/>
{}</body></worldbody></mujoco>"""
FIELD = '<hfield name="ground" nrow="3" ncol="4" size="0.1 0.2 0.05 0.01" {}/>'
HEIGHTS = 'elevation="0 0 0 0  0 1 2 0  0 0 4 0"'
BALL = '<geom type="sphere" size="0.001"/>'
TET = '<mesh name="tet" scale="0.02 0.01 0.01" vertex="0 0 0 1 0 0 0 1 0 0 0 1" {}/>'
ALL = {(0, 0): 0.0, (1, 1): 0.25, (0, 2): 1.0, (1, 2): 0.5}
"""Some heights by row from the least y and column: the first row of the text has the largest y."""


def load(assets, inner=BALL):
    return kt.load(TEXT.format(assets, inner), format="mjcf")


@pytest.mark.slow
def test_a_height_field():
    robot = load(FIELD.format(HEIGHTS))
    mesh = written_mesh(robot, "hfield", "ground", Files({}, None))
    assert mesh.closed
    for (row, column), height in ALL.items():
        place = [0.2 * column / 3 - 0.1, 0.2 * row - 0.2, 0.05 * height]
        assert np.abs(mesh.vertices - place).max(axis=1).min() < 1e-12
    assert mesh.vertices[:, 2].min() == -0.01
    contact = coarse(robot)
    (top,) = contact.distance([[0.1 / 3, -0.2, 0.0]])
    assert top == pytest.approx(0.05 - 0.001, abs=1e-6)
    q = [[0.1 / 3, -0.199, -0.052], [-0.09, 0.19, -0.095], [0.0, 0.0, -0.105], [0.0, 0.0, -0.12]]
    assert contact(q).tolist() == [True, False, True, False]
    (solid,) = solids_of(robot, "hull")["world"]
    assert solid.kind == "mesh"


def test_images_and_binary_files(tmp_path, monkeypatch):
    """The first row of an image is the far one, that of a binary file the near one."""
    monkeypatch.chdir(tmp_path)
    heights = np.array([[0, 0, 0, 0], [0, 60, 120, 0], [0, 0, 240, 0]])
    data = io.BytesIO()
    Image.fromarray(heights.astype(np.uint8)).save(data, "PNG")
    (tmp_path / "h.png").write_bytes(data.getvalue())
    (tmp_path / "h.hf").write_bytes(np.array([3, 4], "<i4").tobytes() + heights[::-1].astype("<f4").tobytes())
    expected = written_mesh(load(FIELD.format(HEIGHTS)), "hfield", "ground", Files({}, None))
    for name in ("h.png", "h.hf"):
        (tmp_path / "m.xml").write_text(
            TEXT.format(f'<hfield name="ground" file="{name}" size="0.1 0.2 0.05 0.01"/>', BALL)
        )
        found = written_mesh(kt.load(tmp_path / "m.xml"), "hfield", "ground", Files({}, None))
        np.testing.assert_allclose(found.vertices, expected.vertices, atol=1e-9)
        np.testing.assert_array_equal(found.triangles, expected.triangles)


def test_a_mesh_in_the_text():
    """Without faces it is the convex hull; refpos and refquat are subtracted, then it is scaled."""
    geom = '<geom type="mesh" mesh="tet"/>'
    robot = load(FIELD.format(HEIGHTS) + TET.format('refpos="0.5 0 0"'), geom)
    mesh = written_mesh(robot, "inline_mesh", "tet", Files({}, None))
    np.testing.assert_allclose(mesh.bounds, [[-0.01, 0, 0], [0.01, 0.01, 0.01]], atol=1e-12)
    assert (mesh.closed, len(mesh.triangles)) == (True, 4)
    contact = coarse(robot)
    assert contact([[-0.05, 0.1, -0.08], [0.1 / 3, -0.2, -0.052]]).tolist() == [False, True]
    for more, volume in (('face="0 2 1 0 1 3 0 3 2 1 2 3"', 1 / 6), ("", 1 / 6)):
        mesh = written_mesh(load(FIELD.format(HEIGHTS) + TET.format(more), geom), "inline_mesh", "tet", Files({}, None))
        corners = mesh.vertices[mesh.triangles]
        own = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
        assert own == pytest.approx(volume * 2e-6)
    far = TET.replace("0 0 0 1 0 0 0 1 0 0 0 1", "-3 9 1 -2 9 1 -3 10 1 -3 9 2").format("")
    mesh = written_mesh(load(FIELD.format(HEIGHTS) + far, geom), "inline_mesh", "tet", Files({}, None))
    assert mesh.volume == pytest.approx(2e-6 / 6)  # faces turn outwards


@each(
    "assets, message",
    [
        (FIELD.format('elevation="0 1"'), "height field 'ground' has no rows and columns of heights"),
        (FIELD.format(HEIGHTS).replace(' ncol="4"', ""), "height field 'ground' has no rows and columns"),
        (FIELD.format(HEIGHTS).replace("0.1 0.2 0.05 0.01", "1 2"), "size of 'ground' is '1 2'; expected 4 numbers"),
        (
            '<hfield name="ground" file="no.png" size="0.1 0.2 0.05 0.01"/>',
            "no.png is relative to the folder of a file",
        ),
        (FIELD.format('file="h.hf"'), "h.hf is relative to the folder of a file"),
    ],
)
def test_what_cannot_be_read_is_named(assets, message):
    with pytest.raises(kt.KinetreeError, match="link 'world': its collision shape cannot be used: " + message):
        kt.collisions(load(assets))


@pytest.mark.crosscheck
def test_mujoco_has_the_same_surface():
    """Rays from above, and the corners of a mesh that refquat turns."""
    import mujoco

    turned = TET.format('refpos="0.5 0.2 0" refquat="0.8 0.6 0 0"').replace("0.02 0.01 0.01", "0.01 0.01 0.01")
    text = TEXT.format(FIELD.format(HEIGHTS) + turned, '<geom name="tet" type="mesh" mesh="tet"/>')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = model.geom("tet").id
    theirs = model.mesh_vert @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    robot = kt.load(text, format="mjcf")
    own = written_mesh(robot, "inline_mesh", "tet", Files({}, None)).vertices
    assert np.linalg.norm(theirs[:, None] - own, axis=2).min(axis=1).max() < 1e-8
    mesh = written_mesh(robot, "hfield", "ground", Files({}, None))
    above = mesh.vertices[mesh.triangles[: 2 * 2 * 3]]
    for x, y in np.random.default_rng(0).uniform([-0.1, -0.2], [0.1, 0.2], (200, 2)):
        hit = np.zeros(1, np.int32)
        far = mujoco.mj_ray(model, data, [x, y, 5.0], [0.0, 0.0, -1.0], None, 1, geom, hit)
        a, b, c = above.transpose(1, 0, 2)
        parts = np.linalg.solve(np.stack([(b - a)[:, :2], (c - a)[:, :2]], axis=-1), ([x, y] - a[:, :2])[..., None])[
            ..., 0
        ]
        inside = (parts.min(axis=1) > -1e-9) & (parts.sum(axis=1) < 1 + 1e-9)
        heights = a[:, 2] + parts[:, 0] * (b - a)[:, 2] + parts[:, 1] * (c - a)[:, 2]
        assert heights[inside].max() - 0.1 == pytest.approx(5.0 - far, abs=1e-7)


@each(
    "assets, kind, name, said",
    [
        (TET.format(""), "inline_mesh", "cube", "there is no <mesh name='cube'> in <asset>"),
        (FIELD.format(HEIGHTS), "hfield", "tet", "there is no <hfield name='tet'> in <asset>"),
        (TET.format('face="0 1 4"'), "inline_mesh", "tet", "a face of mesh 'tet' has a vertex that does not exist"),
        (TET.format('face="0 1 -1"'), "inline_mesh", "tet", "a face of mesh 'tet' has a vertex that does not exist"),
    ],
)
def test_assets_that_are_not_there(assets, kind, name, said):
    with pytest.raises(kt.KinetreeError) as caught:
        written_mesh(load(assets), kind, name, Files({}, None))
    (finding,) = caught.value.findings
    assert (finding.code, finding.message) == ("contact-shape", said)


@each("data", [b"", b"\2\0\0\0", np.array([-2, -2], "<i4").tobytes() + bytes(16), np.array([2, 2], "<i4").tobytes()])
def test_a_binary_field_of_another_size_has_no_heights(data):
    assert _binary(data).shape == (0, 0)
    whole = np.array([2, 3], "<i4").tobytes() + np.arange(6, dtype="<f4").tobytes()
    assert _binary(whole).tolist() == [[0, 1, 2], [3, 4, 5]]

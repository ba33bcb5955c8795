"""Animated pictures: as many pictures as the motion takes, each with the robot where its sample puts it."""

import io

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.logs import Motion
from kinetree.viewing import moving
from kinetree.viewing.moving import MOST, moving_picture
from kinetree.viewing.picture import picture
from kinetree.viewing.raster import shaded

Image = pytest.importorskip("PIL.Image")
TEXT = """<robot name="r"><link name="base"/><link name="arm"><visual><origin xyz="0.5 0 0"/>
  <geometry><box size="0.2 0.1 0.1"/></geometry></visual></link><joint name="turn" type="continuous">
  <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
SIZE = (96, 64)


@pytest.fixture(scope="module")
def robot():
    return kt.load(TEXT, format="urdf")


def motion(angles, times=None):
    return Motion(("turn",), None if times is None else np.array(times), np.array(angles, dtype=float)[:, None])


def middles(data):
    """Return the mean column and row (n, 2) of what is drawn in each picture."""
    image = Image.open(io.BytesIO(data))
    found = []
    for i in range(image.n_frames):
        image.seek(i)
        assert image.size == SIZE
        drawn = np.asarray(image.convert("RGB")).min(axis=2) < 200
        found += [np.argwhere(drawn).mean(axis=0)[::-1]] * (image.info["duration"] // 50)  # equal ones are one
    return np.array(found), image


def test_the_robot_moves_and_the_camera_stands(robot):
    data, findings = moving_picture(robot, motion([0, 0.5 * np.pi, np.pi]), size=SIZE, direction=(0, -1, 0))
    at, image = middles(data)  # from the right side: x points to the right, z up
    assert findings == ()
    assert image.info["loop"] == 0
    assert len(at) == 3
    assert at[0, 0] - at[2, 0] > 20  # a half turn about y: from the right to the left
    assert at[1, 1] - at[0, 1] > 10  # a quarter turn: down
    assert at[0, 1] == pytest.approx(at[2, 1], abs=1)


def test_samples_are_shown_at_their_times(robot):
    slow = motion([0, np.pi, 0], times=[5.0, 5.1, 5.22])
    at, _ = middles(moving_picture(robot, slow, size=SIZE, direction=(0, -1, 0))[0])
    assert [x - at[0, 0] < -20 for x in at[:, 0]] == [False, False, True, True, True]


def test_what_cannot_be_drawn_is_an_error(robot):
    with pytest.raises(kt.KinetreeError, match=r"the motion takes 30\.05 s; expected at most 30 s"):
        moving_picture(robot, motion(np.zeros(MOST + 1)), size=SIZE)
    many = "600 pictures of 8192 x 8192 pixels need more memory than 2 GB"
    with pytest.raises(kt.KinetreeError, match=rf"(?s){many}.*a smaller size \(--size\), or a shorter motion"):
        moving_picture(robot, motion(np.zeros(MOST)), size=(8192, 8192))


def test_a_robot_without_shapes_is_drawn_as_lines():
    """As in the still picture, whose camera is the same where nothing moves; it turns as the robot with shapes."""
    arm = kt.chain("Ry(turn) tx(1) Rz(0.5) ty(0.3)")
    at, _ = middles(moving_picture(arm, motion([0, 0.5 * np.pi, np.pi]), size=SIZE, direction=(0, -1, 0))[0])
    assert at[0, 0] - at[2, 0] > 20
    assert at[1, 1] - at[0, 1] > 10
    data, _ = moving_picture(arm, motion([0.4]), size=(480, 360))
    image = Image.open(io.BytesIO(data))
    still = Image.open(io.BytesIO(picture(arm, [0.4], ".png", size=(480, 360))[0]))
    drawn, wanted = (np.asarray(one.convert("RGB")).min(axis=2) < 200 for one in (image, still))
    assert (drawn & wanted).sum() > 0.85 * max(drawn.sum(), wanted.sum()) > 500
    colours = {c for _, c in image.convert("RGB").getcolors()}
    assert all(
        any(np.abs(np.subtract(c, wanted)).max() < 12 for c in colours) for wanted in ((92, 107, 122), (232, 137, 12))
    )


def test_shapes_that_are_missing_have_crossed_boxes():
    text = TEXT.replace(
        "</link><joint", '<visual><geometry><mesh filename="gone.stl"/></geometry></visual></link><joint'
    )
    data, (finding,) = moving_picture(kt.load(text, format="urdf"), motion([0, 1.0]), size=SIZE)
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
    assert finding.code == "shape-not-shown"
    assert (np.abs(image - (0xD9, 0x48, 0x0F)).max(axis=2) < 40).sum() > 10


@each("rpy", ["0 0.6 0", "0.5 -0.4 1", "-1.5707963 -1.5707963 0"])
def test_all_of_a_turned_shape_is_in_each_picture(rpy):
    """A long box, turned on its link and with its link: nothing is cut at the edge, and the picture is filled."""
    text = TEXT.replace('xyz="0.5 0 0"', f'xyz="0.5 0 0" rpy="{rpy}"').replace("0.2 0.1 0.1", "1.2 0.02 0.04")
    data, _ = moving_picture(kt.load(text, format="urdf"), motion([0, 0.1]), size=SIZE, direction=(0, -1, 0))
    drawn = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).min(axis=2) < 250
    rows, columns = np.nonzero(drawn)
    assert min(rows.min(), columns.min(), SIZE[1] - 1 - rows.max(), SIZE[0] - 1 - columns.max()) > 0
    assert max(np.ptp(rows) / SIZE[1], np.ptp(columns) / SIZE[0]) > 0.45


def test_what_is_transparent_is_seen_on_white(robot, monkeypatch):
    """Every pixel is the share of its own colour and the rest of white, but for the number of colours."""
    seen = []

    def kept(*arguments):
        seen.append(shaded(*arguments))
        return seen[-1]

    monkeypatch.setattr(moving, "shaded", kept)
    text = TEXT.replace("</geometry>", '</geometry><material name="red"><color rgba="0.8 0.1 0 0.4"/></material>')
    data, _ = moving_picture(kt.load(text, format="urdf"), motion([0.3]), size=SIZE)
    own = Image.fromarray(np.rint(255 * seen[0]).astype(np.uint8), "RGBA")
    expected = np.asarray(Image.alpha_composite(Image.new("RGBA", SIZE, "white"), own).convert("RGB")).astype(int)
    found = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
    assert np.abs(found - expected).max() <= 12
    assert {0.0, 0.4} <= {*seen[0][..., 3].astype(float).round(6).flat}
    assert expected[..., 1].min() < 190


@pytest.mark.slow
@pytest.mark.nightly
def test_a_view_writes_its_motion(robot, tmp_path):
    q = np.linspace(0, 1.5, 4)[:, None]
    for given in (q, motion(q[:, 0])):
        view = kt.show(robot, motion=given, findings=[], browser=False)
        view.save(tmp_path / "a.gif")
        assert (tmp_path / "a.gif").read_bytes() == moving_picture(robot, motion(q[:, 0]))[0]
    with pytest.raises(kt.KinetreeError, match="is an animated picture of a motion"):
        kt.show(robot, findings=[], browser=False).save(tmp_path / "b.gif")
    both = kt.show(robot, other=robot, findings=[], motion=q, browser=False)
    with pytest.raises(kt.KinetreeError, match="cannot write two robots"):
        both.save(tmp_path / "b.gif")
    assert not (tmp_path / "b.gif").exists()

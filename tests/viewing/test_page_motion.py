"""In Chromium: motions play, stand at each sample where they say, and are marked where they leave the limits."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import kinetree as kt
from browser import axe, wait
from physics import everything
from support import random_q

pytestmark = pytest.mark.slow

SEEK = "times => times.map(t => { kinetree.view.app.player.seek(t); return kinetree.view.q; })"
OUTSIDE = """() => {
  const { outside, motion } = kinetree.view.app.player;
  const marked = Array.from(motion.times, () => false);
  for (const { first, last } of outside) marked.fill(true, first, last + 1);
  return marked;
}"""
NAMES = """times => times.map(t => {
  kinetree.view.app.player.seek(t);
  return document.querySelector(".motion .stop").textContent;
})"""


def opened(open_page, path, robot, motion, q=None, **options):
    kt.show(robot, q, motion=motion, findings=[], browser=False).save(path / "robot.html")
    return open_page(path / "robot.html", **options)


def columns(robot, Q, times=None):
    clock = {} if times is None else {"time": times}
    return {**clock, **dict(zip(robot.coordinate_names, np.transpose(Q), strict=True))}


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


@pytest.mark.nightly
def test_the_robot_stands_exactly_at_each_sample(open_page, tmp_path, icub):
    Q = icub.limits.sample(200, 0).round(6)
    times = np.cumsum(np.random.default_rng(0).uniform(0.001, 1, 200)).round(3)
    page = opened(open_page, tmp_path, icub, columns(icub, Q, times))
    since = (times - times[0]).round(3)
    assert np.array_equal(page.evaluate(SEEK, since.tolist()), Q)
    between = np.random.default_rng(1).uniform(0, since[-1], 100)
    expected = np.transpose([np.interp(between, since, q) for q in Q.T])
    assert np.abs(np.array(page.evaluate(SEEK, between.tolist())) - expected).max() < 1e-12


def test_every_type_of_joint_moves_and_quaternions_turn_on_the_shortest_arc(open_page, tmp_path):
    robot, rng = everything(0), np.random.default_rng(0)
    Q = np.array([random_q(robot, rng) for _ in range(20)])
    page = opened(open_page, tmp_path, robot, columns(robot, Q, np.arange(20)))
    between = np.r_[np.arange(19), rng.uniform(0, 19, 60)]
    found = np.array(page.evaluate(SEEK, between.tolist()))
    turned = np.zeros(robot.nq, dtype=bool)
    for name, where in robot.q_slices.items():
        if (part := robot.joints[name].kind.quaternion) is None:
            continue
        own = np.arange(robot.nq)[where][part]
        turned[own] = True
        lengths = np.linalg.norm(found[:, own], axis=1)
        assert np.abs(lengths - 1).max() < 2e-9
        expected = Slerp(np.arange(20), Rotation.from_quat(Q[:, own]))(between)
        assert (expected.inv() * Rotation.from_quat(found[:, own])).magnitude().max() < 1e-8
    assert turned.any()
    expected = np.transpose([np.interp(between, np.arange(20), q) for q in Q.T])
    assert np.abs(found - expected)[:, ~turned].max() < 2e-9


def at_the_limits(robot):
    """Samples inside, far outside, on the ends of joints and on the rows, and a little beyond each of these."""
    limits, rng = robot.limits, np.random.default_rng(2)
    inside = limits.sample(150, 1)
    far = inside + rng.normal(size=inside.shape) * (rng.random(inside.shape) < 0.05)
    on = limits.project(inside + 2 * rng.normal(size=inside.shape))
    beyond = np.where(rng.random(on.shape) < 0.1, np.nextafter(on, np.inf), on)
    return rng.permutation(np.concatenate([inside, far, on, beyond]))


@pytest.mark.parametrize("digits", [17, 4])
@pytest.mark.sampled(1)
def test_marks_are_where_the_limits_do_not_contain_the_robot(open_page, tmp_path, icub, digits):
    Q = at_the_limits(icub).round(digits)
    page = opened(open_page, tmp_path, icub, columns(icub, Q, np.arange(len(Q))))
    outside = ~icub.limits.contains(Q)
    assert 100 < outside.sum() < 500
    assert page.evaluate(OUTSIDE) == outside.tolist()
    runs = np.count_nonzero(np.diff(np.r_[0, outside]) == 1)
    assert page.get_attribute(".timeline path", "d").count("M") == runs
    assert f"{outside.sum()} of {len(Q)} samples" in page.inner_text("text=Outside of the limits in")
    shown = page.evaluate(NAMES, list(range(len(Q))))
    for text, margin in zip(shown, icub.limits.margin(Q), strict=True):
        left = [name for name, x in zip(icub.limits.names, margin, strict=True) if x < 0]
        assert bool(text) == bool(left)
        for name in left if len(left) <= 4 else ():
            words = name.rsplit(" ", 1)
            own = words[0] in icub.coordinate_names
            assert (f"{words[1]} limit of {words[0]}" if own else name) in text


@pytest.mark.nightly
def test_marks_follow_joints_that_are_not_in_the_file(open_page, tmp_path, icub):
    """A tendon couples the shoulder's pitch, which moves, with its roll, which stands where somebody puts it."""
    pitch = np.linspace(0.1, -1.5, 400).round(4)
    page = opened(open_page, tmp_path, icub, {"l_shoulder_pitch": pitch})
    assert "34 coordinates are not in the file and stay as they are" in page.content()
    place = icub.coordinate_names.index("l_shoulder_roll")
    counts = []
    for roll in (0.5, 2.0, 2.7):
        page.evaluate("([i, x]) => kinetree.view.setCoordinate(i, x)", [place, roll])
        Q = np.tile(page.evaluate("kinetree.view.q"), (400, 1))
        Q[:, icub.coordinate_names.index("l_shoulder_pitch")] = pitch
        outside = ~icub.limits.contains(Q)
        counts.append(outside.sum())
        assert page.evaluate(OUTSIDE) == outside.tolist()
    assert counts[-1] > counts[0] == 0


def test_it_plays_and_obeys_the_keyboard(open_page, tmp_path, icub):
    times, elbow = np.linspace(3, 5, 41).round(3), np.linspace(0.2, 1.7, 41).round(4)
    page = opened(open_page, tmp_path, icub, {"time": times, "l_elbow": elbow})
    place = icub.coordinate_names.index("l_elbow")
    now = "kinetree.view.app.player.time"
    read = f"kinetree.view.q[{place}]"
    assert page.evaluate(read) == elbow[0]
    page.get_by_role("combobox", name="Speed").select_option("0.1")
    page.get_by_role("button", name="Play").click()
    wait(page, f"{now} > 0.03")
    page.get_by_role("button", name="Pause").click()
    stopped = page.evaluate(now)
    assert 0 < stopped < 2
    assert page.evaluate(read) == pytest.approx(np.interp(3 + stopped, times, elbow), abs=1e-9)
    page.wait_for_timeout(100)
    assert page.evaluate(now) == stopped
    line = page.get_by_role("slider", name="Time of the motion")
    line.focus()
    page.keyboard.press("Home")
    for sample in (1, 2):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(read) == elbow[sample]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(read) == elbow[1]
    assert line.get_attribute("aria-valuetext") == "0.05 s of 2.00 s"
    page.keyboard.press("End")
    assert page.evaluate(read) == elbow[-1]
    page.get_by_role("combobox", name="Speed").select_option("10")
    page.keyboard.press("Space")
    wait(page, f"{now} === 2 && !kinetree.view.app.player.playing")
    assert page.evaluate(read) == elbow[-1]
    page.evaluate("document.activeElement.blur()")
    page.get_by_label("Repeat").check()
    page.get_by_label("Repeat").blur()
    page.keyboard.press("Space")
    wait(page, f"{now} > 1.5")
    wait(page, f"{now} < 1")
    assert axe(page) == []


def test_the_limit_is_named_under_the_pointer(open_page, tmp_path, icub):
    elbow = np.concatenate([np.full(50, 1.0), np.full(51, 2.0)])
    page = opened(open_page, tmp_path, icub, {"l_elbow": elbow}, color_scheme="dark")
    assert "101 samples. The file has no times: 30 samples are played in a second." in page.content()
    box = page.locator(".timeline svg").bounding_box()
    words = page.locator(".motion .stop")
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 2)
    assert words.inner_text() == "sample 75: outside of the upper limit of l_elbow"
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 2)
    assert words.inner_text() == ""
    page.get_by_role("button", name="Next place outside").click()
    assert words.inner_text() == "Outside of the upper limit of l_elbow"
    assert page.evaluate("kinetree.view.app.player.time") == 50
    assert axe(page) == []


@pytest.mark.nightly
def test_a_motion_of_one_sample(open_page, tmp_path, icub):
    page = opened(open_page, tmp_path, icub, {"l_elbow": [0.5]})
    page.get_by_role("button", name="Play").click()
    wait(page, "!kinetree.view.app.player.playing")
    assert page.evaluate("kinetree.view.q")[icub.coordinate_names.index("l_elbow")] == 0.5


@pytest.mark.nightly
def test_the_camera_follows_a_robot_that_moves_freely(open_page, tmp_path):
    joint = '<joint name="free" type="floating"><parent link="world"/><child link="cart"/></joint>'
    text = f'<robot name="r"><link name="world"/><link name="cart"/>{joint}</robot>'
    pose = {f"free.{name}": [0, 0, 0] for name in ("y", "z", "qx", "qy", "qz")} | {"free.qw": [1, 1, 1]}
    page = opened(open_page, tmp_path, kt.load(text, format="urdf"), {"free.x": [0, 5, 20], **pose})
    target = """x => { kinetree.view.app.player.seek(x); return kinetree.view.app.stage.orbit.target.toArray(); }"""
    start = np.array(page.evaluate(target, 0))
    assert np.array(page.evaluate(target, 1)) - start == pytest.approx([5, 0, 0])
    page.get_by_label("The camera follows cart").uncheck()
    assert np.array(page.evaluate(target, 2)) - start == pytest.approx([5, 0, 0])

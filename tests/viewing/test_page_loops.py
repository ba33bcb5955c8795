"""In Chromium: the page says how far loops are open, and closes them as `kt.kinematics.close` does."""

import numpy as np
import pytest

import kinetree as kt
from browser import axe
from linkages import DRAWN, A, B, C, D, cassie_leg, closed, delta, fourbar, gripper, rocker_angle
from support import example_robot_urdfs

pytestmark = pytest.mark.slow

LOOPS = "kinetree.view.app.models[0].loops"
TURN = """([i, values]) => values.map(value => {
  kinetree.view.setCoordinate(i, value);
  return [kinetree.view.q, kinetree.view.app.models[0].loops.why];
})"""
DRAG = "([name, goals, n]) => goals.map(T => { kinetree.view.reach(name, T, false, n); return kinetree.view.q; })"


def opened(open_page, tmp_path, text, **options):
    """A robot and its page. text: MJCF, or a robot."""
    robot = kt.load(text, format="mjcf") if isinstance(text, str) else text
    kt.show(robot, browser=False, findings=[], **options).save(tmp_path / "page.html")
    return robot, open_page(tmp_path / "page.html")


def turned(page, robot, name, values):
    """q after each move of a coordinate, and what stopped it."""
    rows = page.evaluate(TURN, [robot.coordinate_names.index(name), list(values)])
    return np.array([q for q, _ in rows]), [why for _, why in rows]


def gaps(robot, q):
    return kt.kinematics.loop_error(robot)(q).max(axis=(-2, -1))


def panel(page):
    return page.locator("details").filter(has=page.get_by_role("heading", name="Closed loops")).inner_text()


def example(name):
    if not example_robot_urdfs():
        pytest.skip("wants the package example-robot-data")
    return kt.load(f"example-robot-data:{name}")


@pytest.mark.nightly
def test_a_crank_turns_once_as_the_equation_of_four_bars_says(open_page, tmp_path):
    robot, page = opened(open_page, tmp_path, fourbar())
    assert "closed" in panel(page)
    assert "crank can be moved; other joints in loops follow" in panel(page)
    angles = np.linspace(0, np.pi, 101)
    q, why = turned(page, robot, "crank", angles)
    assert set(why) == {""}
    np.testing.assert_allclose(q[:, 0], angles, rtol=0, atol=0)
    apart = q - closed(DRAWN + angles)
    assert np.abs(np.sin(apart / 2)).max() < 1e-9
    assert gaps(robot, q).max() < 1e-9
    follows = page.locator(".slider.follows .name").all_inner_texts()
    assert follows == ["coupler", "rocker"]
    assert page.get_by_label("rocker", exact=True).is_disabled()
    assert page.get_by_label("crank", exact=True).is_enabled()
    assert axe(page) == []


def test_where_a_loop_cannot_close_the_robot_stops_and_the_page_says_why(open_page, tmp_path):
    robot, page = opened(open_page, tmp_path, fourbar(), driven=["rocker"])
    last = np.arccos(((B - A) ** 2 - C**2 - D**2) / (2 * C * D))  # crank and coupler in a line
    end = last - rocker_angle(DRAWN)
    q, why = turned(page, robot, "rocker", [0.1, 1.5, 1.5, 1.5, 1.5, 0.1])
    assert (why[0], why[-1]) == ("", "")
    assert np.abs(q[0] - q[-1]).max() < 1e-8  # on the same branch, although it was near another
    assert gaps(robot, q).max() < 1e-6
    assert (np.diff(q[1:5, 0]) >= 0).all() or (np.diff(q[1:5, 0]) <= 0).all()
    stopped = q[4, 2]
    assert end - 1e-4 < stopped < end
    reach = q[1].copy()
    reach[2] = 1.5
    far = 1e3 * gaps(robot, reach)
    assert why[1] == f"Loops cannot be closed there on this branch: pin would be open by {far:.3g} mm."
    turned(page, robot, "rocker", [1.5])
    assert "Loops cannot be closed there on this branch" in panel(page)
    found = kt.kinematics.close(robot, ["rocker"])([1.5])
    assert not found.success
    assert found.why.startswith(f"the loops cannot close beyond rocker = {end:.5g}")


def test_a_joint_that_follows_stops_the_others_at_its_limit(open_page, tmp_path):
    text = fourbar().replace('name="rocker" axis', 'name="rocker" range="-1 0.3" limited="true" axis')
    robot, page = opened(open_page, tmp_path, text)
    q, why = turned(page, robot, "crank", [-3.0, -3.0, 0.0])
    assert why == ["Stopped by upper limit of rocker."] * 2 + [""]
    assert 0.3 - 1e-4 < q[0, 2] <= q[1, 2] <= 0.3
    assert robot.limits.contains(q).all()
    assert gaps(robot, q).max() < 1e-9


@pytest.mark.parametrize("name", ["gripper", "delta", "leg", "cassie"])
@pytest.mark.sampled(1)
def test_driven_joints_move_others_as_kinematics_close_does(open_page, tmp_path, name):
    texts = {"gripper": gripper, "delta": delta, "leg": cassie_leg, "cassie": lambda: example("cassie_v2")}
    robot, page = opened(open_page, tmp_path, texts[name]())
    start = np.array(page.evaluate("kinetree.view.q"))
    assert gaps(robot, start) < 1e-6
    driven = [robot.placed[i] for i in page.evaluate(f"{LOOPS}.closer.driven")]
    close, moved = kt.kinematics.close(robot, driven), 0
    for joint in close.coordinate_names:
        before = np.array(page.evaluate("kinetree.view.q"))
        i = robot.coordinate_names.index(joint)
        for way in (0.1, -0.1):
            (q,), (why,) = turned(page, robot, joint, [before[i] + way])
            expected = close(q[list(close.roles.columns)], before)
            assert expected.success
            np.testing.assert_allclose(q, expected.q, rtol=0, atol=2e-8)
            assert robot.limits.contains(q) or not robot.limits.contains(before)
            assert why or abs(q[i] - before[i] - way) < 1e-12
            moved += not why
            before = q
    assert moved >= len(driven)


@pytest.mark.parametrize(("name", "frame"), [("four-bar", "coupler"), ("delta", "plate"), ("cassie", "left-foot")])
@pytest.mark.sampled(1)
def test_a_dragged_frame_leaves_loops_closed(open_page, tmp_path, name, frame):
    texts = {"four-bar": fourbar, "delta": delta, "cassie": lambda: example("cassie_v2")}
    robot, page = opened(open_page, tmp_path, texts[name]())
    start = np.array(page.evaluate("kinetree.view.q"))
    driven = [robot.placed[i] for i in page.evaluate(f"{LOOPS}.closer.driven")]
    close, fk = kt.kinematics.close(robot, driven), kt.fk(robot, frame)
    x, rng = start[list(close.roles.columns)], np.random.default_rng(0)
    made = close(x + rng.uniform(-0.15, 0.15, (12, len(x))), start)
    good = made.q[made.success & robot.limits.contains(made.q)]
    assert len(good) >= 4
    goals = fk(good)
    q = np.array(page.evaluate(DRAG, [frame, goals.reshape(-1, 16).tolist(), 0]))
    assert gaps(robot, q).max() < 1e-6
    assert robot.limits.contains(q).all()
    left = np.linalg.norm(fk(q)[:, :3, 3] - goals[:, :3, 3], axis=-1)
    assert (left < 1e-4).mean() > 0.9, left
    goals[:, :3, 3] += 5.0  # out of reach
    q = np.array(page.evaluate(DRAG, [frame, goals.reshape(-1, 16).tolist(), 3]))
    assert gaps(robot, q).max() < 1e-6
    assert robot.limits.contains(q).all()


@pytest.mark.nightly
def test_an_open_loop_is_marked_and_closed_on_demand(open_page, tmp_path):
    robot, page = opened(open_page, tmp_path, fourbar(), q={"crank": 0.4})
    gap = 1e3 * gaps(robot, robot.q(crank=0.4))
    assert f"open by {gap:.3g} mm" in panel(page)
    assert page.locator(".label", has_text=f"open by {gap:.3g} mm").is_visible()
    page.get_by_role("button", name="Close them").click()
    q = np.array(page.evaluate("kinetree.view.q"))
    assert q[0] == 0.4
    np.testing.assert_allclose(q, kt.kinematics.close(robot, ["crank"])([0.4]).q, rtol=0, atol=1e-9)
    assert "open" not in panel(page)
    assert page.get_by_role("button", name="Close them").is_hidden()
    page.get_by_label("Keep loops closed").uncheck()
    assert page.locator(".slider.follows").count() == 0
    q, why = turned(page, robot, "rocker", [0.0])
    assert q[0, 2] == 0.0
    assert gaps(robot, q[0]) > 0.01
    assert why == [""]
    page.get_by_label("Keep loops closed").check()
    (q,), _ = turned(page, robot, "crank", [0.5])  # closed on the way
    assert gaps(robot, q) < 1e-9


@pytest.mark.nightly
def test_joints_outside_of_loops_move_freely(open_page, tmp_path):
    arm = fourbar(more="", hand='<body name="hand" pos="0 0 0.1"><joint name="wrist" axis="1 0 0"/>'
        '<inertial pos="0 0 0.05" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body>')  # fmt: skip
    robot, page = opened(open_page, tmp_path, arm)
    turned(page, robot, "crank", [0.3])
    (q,), (why,) = turned(page, robot, "wrist", [1.0])
    assert why == ""
    expected = kt.kinematics.close(robot, ["crank"])([0.3]).q
    expected[robot.coordinate_names.index("wrist")] = 1.0
    np.testing.assert_allclose(q, expected, rtol=0, atol=1e-9)


def test_a_robot_whose_loops_the_page_cannot_close_says_why(open_page, tmp_path):
    link = '<link name="{}"/>'.format
    text = "".join(map(link, ("a", "b"))) + "".join(
        f'<joint name="{n}" type="{t}"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        for n, t in (("slide", "prismatic"), ("thread", "screw"))
    )
    robot = kt.load(f'<sdf version="1.9"><model name="press">{text}</model></sdf>', format="sdf")
    assert [loop.type for loop in robot.loops.values()] == ["screw"]
    robot, page = opened(open_page, tmp_path, robot)
    assert "a screw joint closes a loop" in panel(page)
    (q,), _ = turned(page, robot, "slide", [0.2])
    assert q == pytest.approx([0.2])
    assert f"open by {1e3 * kt.kinematics.loop_error(robot)(q)[0, 0]:.3g} mm" in panel(page)

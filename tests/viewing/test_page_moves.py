"""In Chromium: the page moves robots as kinetree does, and never beyond their limits."""

import ast
import io
from functools import partial

import numpy as np
import pytest
from PIL import Image

import kinetree as kt
from browser import axe
from physics import everything
from sdf_texts import WORLD, hinge, load
from support import all_frames, at_length, example_robot_urdfs, random_q, reachable

pytestmark = pytest.mark.slow

SLIDE = """moves => {
  const sliders = [...document.querySelectorAll("input[type=range]")];
  return moves.map(([which, place]) => {
    const slider = sliders[Math.floor(which * sliders.length)];
    slider.value = Number(slider.min) + place * (Number(slider.max) - Number(slider.min));
    slider.dispatchEvent(new Event("input"));
    return kinetree.view.q;
  });
}"""
THREE = WORLD.replace("<include>", f'<model name="three"><pose>0 2 0 0 0 1</pose>{hinge()}</model><include>')
"""A world of three models."""
POSES = "([Q, names]) => Q.map(q => { kinetree.view.setQ(q); return names.map(name => kinetree.view.poseOf(name)); })"
REACH = """([name, goals, restarts]) => goals.map(T => {
  kinetree.view.reach(name, T, true, restarts);
  return kinetree.view.q;
})"""


def example(name, tmp_path):
    path = next((path for path in example_robot_urdfs() if path.name == name), None)
    return kt.load(path) if path else pytest.skip("wants the package example-robot-data")


def icub_2_7(tmp_path):
    return kt.load(pytest.importorskip("icub_models").get_model_file("iCubGazeboV2_7"))


def quadruped(tmp_path):
    """A quadruped with a floating base, which its own file leaves out."""
    path = next((path for path in example_robot_urdfs() if path.name == "solo12.urdf"), None)
    if path is None:
        pytest.skip("wants the package example-robot-data")
    ends = '<parent link="world"/><child link="base_link"/>'
    base = f'<link name="world"/><joint name="free" type="floating">{ends}</joint>'
    floating = tmp_path / path.name
    floating.write_text(path.read_text().replace("</robot>", f"{base}</robot>"))
    return kt.load(floating, packages={"example-robot-data": path.parents[3]})


ROBOTS = {
    "ur5": (partial(example, "ur5_robot.urdf"), "tool0"),
    "panda": (partial(example, "panda.urdf"), "panda_hand"),
    "icub": (lambda tmp_path: kt.load("icub"), "l_hand"),
    "icub 2.7": (icub_2_7, "l_hand"),
    "quadruped": (quadruped, None),
    "world": (lambda tmp_path: load(THREE), None),
    "every joint type": (lambda tmp_path: everything(0), None),
}


@pytest.mark.parametrize("name", at_length(sorted(ROBOTS.keys() - {"icub 2.7", "panda"}), [*ROBOTS]))
@pytest.mark.sampled(1)
def test_a_page_moves_its_robot_as_kinetree_does(name, open_page, tmp_path):
    """One page for all of this, as opening it takes longest; it is accessible, too."""
    make, frame = ROBOTS[name]
    robot = make(tmp_path)
    page = opened(open_page, tmp_path, robot)
    assert axe(page) == []
    if frame:  # kt.ik takes this robot
        the_pointer_drags_a_frame(robot, frame, page)
    poses_are_those_of_fk(robot, page)
    sliders_and_drags_stay_inside_the_limits(robot, frame or list(robot.frames)[-1], page)
    if frame:
        reachable_targets_are_reached(robot, frame, page)


def poses_are_those_of_fk(robot, page):
    rng = np.random.default_rng(0)
    Q = [random_q(robot, rng) for _ in range(100)]
    names = [name for name, frame in robot.frames.items() if not frame.unplaced]
    found = np.reshape(page.evaluate(POSES, [[q.tolist() for q in Q], names]), (100, len(names), 4, 4))
    frames = [all_frames(robot, q) for q in Q]
    expected = np.array([[T[name] for name in names] for T in frames])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def sliders_and_drags_stay_inside_the_limits(robot, name, page):
    rng = np.random.default_rng(1)
    page.evaluate("q => kinetree.view.setQ(q)", robot.q().tolist())
    moved = np.array(page.evaluate(SLIDE, rng.uniform(size=(300, 2)).tolist()))
    assert robot.limits.contains(moved).all()
    assert (np.ptp(moved, axis=0) > 0).sum() >= min(robot.nq, 30) * 0.8  # a slider of a locked joint moves nothing
    goals = all_frames(robot, moved[-1])[name] + np.zeros((100, 4, 4))
    goals[:, :3, 3] += rng.normal(0, 0.2, (100, 3))
    dragged = np.array(page.evaluate(REACH, [name, goals.reshape(100, 16).tolist(), 0]))
    assert robot.limits.contains(dragged).all()


def reachable_targets_are_reached(robot, frame, page):
    _, goals = reachable(robot, frame, None, 200)
    q = np.array(page.evaluate(REACH, [frame, goals.reshape(200, 16).tolist(), 30]))
    T = kt.fk(robot, frame)(q)
    reached = np.linalg.norm(T[:, :3, 3] - goals[:, :3, 3], axis=1) < 1e-4
    turned = np.abs(T[:, :3, :3] - goals[:, :3, :3]).max(axis=(1, 2)) < 1e-3
    assert (reached & turned).mean() >= 0.99
    assert robot.limits.contains(q).all()


def the_pointer_drags_a_frame(robot, frame, page):
    page.get_by_text("Drag a frame").click()
    page.get_by_label("Frame to drag").fill(frame)
    page.get_by_role("button", name="Drag", exact=True).click()
    before = np.reshape(page.evaluate("name => kinetree.view.poseOf(name)", frame), (4, 4))
    x, y = page.evaluate("name => kinetree.view.screenOf(name)", frame)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x - 3 * step, y - 3 * step)
    page.mouse.up()
    after = np.reshape(page.evaluate("name => kinetree.view.poseOf(name)", frame), (4, 4))
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) > 0.01
    assert robot.limits.contains(np.array(page.evaluate("kinetree.view.q")))


@pytest.mark.nightly
def test_a_robot_without_shapes_is_seen_up_to_its_tip(open_page, tmp_path):
    arm = kt.chain([{"joint": "lift", "d": 0.1, "alpha": 1.0}, {"joint": "bend", "a": 1.0}], convention="dh")
    kt.show(arm, browser=False).save(tmp_path / "robot.html")
    page = open_page(tmp_path / "robot.html")
    joint, tip = (
        np.array(page.evaluate("name => kinetree.view.screenOf(name)", name)) for name in ("bend_link", "tip")
    )
    box = page.locator("canvas").bounding_box()
    assert box["x"] < tip[0] < box["x"] + box["width"]
    assert box["y"] < tip[1] < box["y"] + box["height"]
    assert np.linalg.norm(tip - joint) > 100
    x, y = (joint + tip) / 2
    clip = {"x": x - 2, "y": y - 2, "width": 5, "height": 5}
    line = page.screenshot(clip=clip)
    page.get_by_label("Visual shapes").uncheck()
    page.wait_for_timeout(300)
    assert page.screenshot(clip=clip) != line


@pytest.mark.nightly
def test_the_keyboard_moves_a_joint_and_selects_a_part(open_page, tmp_path):
    robot = kt.load("icub")
    kt.show(robot, browser=False).save(tmp_path / "robot.html")
    page = open_page(tmp_path / "robot.html")
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.ariaLabel") == "neck_pitch":
            break
    before = page.evaluate("kinetree.view.q")
    page.keyboard.press("ArrowRight")
    after = page.evaluate("kinetree.view.q")
    assert [a != b for a, b in zip(before, after, strict=True)].count(True) == 1
    page.get_by_label("Find a link, joint or frame").evaluate("one => one.closest('details').open = true")
    page.get_by_label("Find a link, joint or frame").focus()
    page.keyboard.type("l_hand")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("kinetree.view.selected()") == "l_hand"


def test_without_webgl_the_page_says_so_and_the_rest_works(browser, tmp_path):
    robot = kt.load("icub")
    kt.show(robot, browser=False).save(tmp_path / "robot.html")
    page = browser.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.goto((tmp_path / "robot.html").as_uri())
    page.wait_for_selector("body[data-ready]", state="attached")
    assert "WebGL is switched off or missing" in page.get_by_role("alert").inner_text()
    before = page.evaluate("kinetree.view.q")
    page.get_by_label("neck_pitch", exact=True).press("ArrowRight")
    assert page.evaluate("kinetree.view.q") != before
    page.close()


def opened(open_page, tmp_path, robot, fragment=""):
    kt.show(robot, browser=False).save(tmp_path / "robot.html")
    return open_page(tmp_path / "robot.html", fragment=fragment)


def typed(page, text):
    """Type a configuration into the open panel, and return its answer."""
    panel = page.locator("details").filter(has=page.get_by_label("Configuration as text"))
    page.get_by_label("Configuration as text").fill(text)
    page.get_by_role("button", name="Set", exact=True).click()
    return panel.locator("[role=status]").inner_text()


@pytest.mark.parametrize("make", [lambda: kt.load("icub"), lambda: everything(0)], ids=["icub", "every joint type"])
@pytest.mark.sampled(1)
def test_the_text_for_python_gives_the_same_configuration(open_page, tmp_path, make):
    robot = make()
    q = random_q(robot, np.random.default_rng(0))
    page = opened(open_page, tmp_path, robot)
    page.get_by_text("Configuration", exact=True).click()
    page.evaluate("q => kinetree.view.setQ(q)", q.tolist())
    text = page.get_by_label("Configuration as text").input_value()
    values = ast.literal_eval(text.removeprefix("robot.q(").removesuffix(")"))
    np.testing.assert_array_equal(robot.q(values), q)
    page.evaluate("q => kinetree.view.setQ(q)", robot.q().tolist())
    typed(page, text)
    np.testing.assert_array_equal(page.evaluate("kinetree.view.q"), q)


def test_a_configuration_is_typed_and_opened_by_a_link(open_page, tmp_path):
    robot = kt.load("icub")
    page = opened(open_page, tmp_path, robot, "#q=neck_pitch:0.25")
    i = robot.coordinate_names.index("neck_pitch")
    assert page.evaluate("kinetree.view.q")[i] == 0.25
    page.get_by_text("Configuration", exact=True).click()
    for text, answer, expected in [
        ("robot.q({'neck_pitch': -0.125})", "Set.", -0.125),
        ("{'neck': 1}", "There is no coordinate 'neck'", -0.125),
        ("{'neck_pitch': [1, 2]}", "'neck_pitch' has 2 numbers; expected are 1.", -0.125),
        ("1 2 3", f"Expected names with numbers, or {robot.nq} numbers; found 3.", -0.125),
        (" ".join(["0.5"] * robot.nq), "It is outside of the limits.", 0.5),
    ]:
        assert answer in typed(page, text)
        assert page.evaluate("kinetree.view.q")[i] == expected


@pytest.mark.nightly
def test_a_link_that_is_cut_off_or_of_another_robot_is_named(open_page, tmp_path):
    arm = kt.chain([{"joint": "lift", "d": 0.1, "alpha": 1.0}, {"joint": "bend", "a": 1.0}], convention="dh")
    for fragment in ("#q=%E0:1", "#q=lift:", "#q=lift:1e999", "#q=elbow:1", "#q="):
        page = opened(open_page, tmp_path, arm, fragment)
        assert page.evaluate("kinetree.view.q") == [0.0, 0.0], fragment
        assert "The address of the page has no configuration of this robot" in page.locator("body").text_content()


@pytest.mark.nightly
def test_a_number_of_the_goal_leaves_the_others_as_they_are(open_page, tmp_path):
    robot = kt.load("icub")
    page = opened(open_page, tmp_path, robot)
    q = robot.limits.project(robot.q(l_elbow=1.0, l_shoulder_roll=0.7123456))
    page.evaluate("q => kinetree.view.setQ(q)", q.tolist())
    page.get_by_text("Drag a frame").click()
    page.get_by_label("Frame to drag").fill("l_hand")
    page.get_by_role("button", name="Drag", exact=True).click()
    page.get_by_label("Orientation, too").check()
    before = np.reshape(page.evaluate("kinetree.view.poseOf('l_hand')"), (4, 4))
    field = page.get_by_label("z of the goal in mm")
    field.fill(str(1000 * before[2, 3] + 2))
    field.press("Tab")
    after = np.reshape(page.evaluate("kinetree.view.poseOf('l_hand')"), (4, 4))
    assert abs(after - before - np.array([[0] * 4, [0] * 4, [0, 0, 0, 0.002], [0] * 4])).max() < 1e-6


@pytest.mark.nightly
def test_names_numbers_and_marks_are_seen(open_page, tmp_path):
    """Names whole and as they are written, a note for a number beyond a limit, marks of joints inside the picture."""
    long, turned = "a_very_long_joint_name_of_the_left_shoulder_pitch", "evil\u202egpj.exe"
    rows = [{"joint": turned, "axis": [0, 0, 1]}, {"joint": long, "axis": [0, 1, 0], "xyz": [0, 0, 0.4]}]
    arm = kt.chain([{**row, "limits": [-1, 1]} for row in rows], name="tall")
    page = opened(open_page, tmp_path, arm)
    assert "\u202e" not in page.locator("body").inner_text()
    assert page.get_by_text("evil\\u202egpj.exe", exact=True).count() == 2  # in the tree, and beside its slider
    name = page.locator(".slider .name").nth(1)
    assert name.inner_text() == long
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
    number, note = (page.locator(f".slider {part}").nth(1) for part in ("input[type=number]", ".stop"))
    number.fill("90")
    number.press("Enter")
    assert note.inner_text() == "90 ° is beyond the limit, 57.3 °"
    np.testing.assert_allclose(page.evaluate("kinetree.view.q"), [0, 1], rtol=0, atol=1e-8)
    number.fill("-20")
    number.press("Enter")
    assert note.inner_text() == ""
    number.fill("-90")
    number.press("Enter")
    assert note.inner_text() == "-90 ° is beyond the limit, -57.3 °"
    page.get_by_role("button", name="Start pose").click()
    assert note.inner_text() == ""
    picture = np.asarray(Image.open(io.BytesIO(page.locator("canvas").screenshot())).convert("RGB")).astype(int)
    assert np.ptp(picture[:25], axis=(0, 1)).max() <= 2  # nothing is cut off above


RODS = """() => kinetree.view.app.pictures[0].layers.get("visual").map((rod) => {
  rod.geometry.computeBoundingBox();
  const { x, y, z } = rod.geometry.boundingBox.max;
  const to = (point) => rod.localToWorld(rod.position.clone().set(...point)).toArray();
  return [to([0, 0, 0]), to([0, 0, z])];
})"""


def test_a_robot_without_shapes_is_rods_from_link_to_link(open_page, tmp_path):
    robot = kt.load("puma560")  # joints of a DH table stand at the end of the link before, or carry their own offset
    q = robot.limits.sample(1, seed=1)[0]
    kt.show(robot, q, browser=False).save(tmp_path / "robot.html")
    rods = np.array(open_page(tmp_path / "robot.html").evaluate(RODS))
    T = all_frames(robot, q)
    places = np.array([T[link][:3, 3] for link in robot.links])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    lengths = np.linalg.norm(rods[:, 1] - rods[:, 0], axis=1)
    np.testing.assert_allclose(np.sort(lengths), np.sort(steps[steps > 1e-9]), atol=1e-6)
    for place in places:
        assert np.linalg.norm(rods.reshape(-1, 3) - place, axis=1).min() < 1e-6


BRIGHTNESS = """(points) => {
  const { stage } = kinetree.view.app;
  stage.paint();
  const gl = stage.renderer.getContext();
  return points.map((point) => {
    const at = stage.camera.position.clone().set(...point).project(stage.camera);
    const pixel = new Uint8Array(4);
    const [x, y] = [((at.x + 1) / 2) * gl.drawingBufferWidth, ((at.y + 1) / 2) * gl.drawingBufferHeight];
    gl.readPixels(Math.round(x), Math.round(y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel[0] + pixel[1] + pixel[2];
  });
}"""


@pytest.mark.parametrize("size", [1, 0.02, 50])
@pytest.mark.sampled(1)
def test_the_robot_has_a_shadow_on_the_floor_below_it(open_page, tmp_path, size):
    side = f"{0.2 * size} {0.2 * size} {0.2 * size}"
    box = f'<visual><origin xyz="{{}} 0 {{}}"/><geometry><box size="{side}"/></geometry></visual>'
    boxes = box.format(0, 0.1 * size) + box.format(size, size)
    text = f'<robot name="r"><link name="base_link">{boxes}</link><link name="far">{box.format(0, 0)}</link>'
    text += '<joint name="j" type="prismatic"><parent link="base_link"/><child link="far"/><axis xyz="0 1 0"/>'
    text += f'<limit lower="0" upper="{size}" velocity="1" effort="1"/><origin xyz="{size} 0 {size}"/></joint></robot>'
    kt.show(kt.load(text, format="urdf"), browser=False).save(tmp_path / "robot.html")
    page = open_page(tmp_path / "robot.html")
    for dark in (False, True):
        page.evaluate("dark => kinetree.view.app.stage.setTheme(dark)", dark)
        places = size * np.array([(1.03, 0.02, 0), (1.03, 0.52, 0)])
        below, beside = page.evaluate(BRIGHTNESS, places.tolist())
        assert below < 0.95 * beside
    page.evaluate("q => kinetree.view.setQ(q)", [0.5 * size])
    page.wait_for_timeout(200)
    below, beside = page.evaluate(BRIGHTNESS, (size * np.array([(1.03, 0.52, 0), (1.03, 0.82, 0)])).tolist())
    assert below < 0.95 * beside  # the shadow moves with the robot

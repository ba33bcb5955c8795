"""In Chromium: what a stranger sees of a fault in the page, and where a click leads."""

import numpy as np
import pytest

import kinetree as kt
import mesh_files
from browser import axe, wait
from kinetree.errors import Finding
from kinetree.rules.examples import ARM
from physics import everything
from support import all_frames, example_robot_urdfs

pytestmark = pytest.mark.slow

FLIPPED = ("axis", '<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>')
IN_ARM = {
    "mass in grams": ('name="link_4"', '<mass value="8"/>', '<mass value="8000"/>', "R103-002", "link_4"),
    "flange": ('"link_6-flange"', 'rpy="0 0 0"', 'rpy="0 1.5707963267948966 0"', "R199-403", "flange"),
    "mesh": ('name="link_4"', '<box size="0.4 0.12 0.12"/>', '<mesh filename="gone.stl"/>', "MSH-002", "link_4"),
    "degrees": ('name="joint_3"', 'lower="-3" upper="1.2"', 'lower="-172" upper="69"', "R103-002", "joint_3"),
}
IN_UR5 = {
    "mass in grams": ('name="forearm_link"', 'value="2.275"', 'value="2275"', "INR-012", "forearm_link"),
    "flange": ("tool0_fixed_joint", 'rpy="-1.57079632679 0 0"', 'rpy="1.57079632679 0 0"', "R199-501", "tool0"),
    "mesh": ('name="forearm_link"', "visual/forearm.dae", "visual/forarm.dae", "MSH-002", "forearm_link"),
    "degrees": ('name="elbow_joint"', '"-3.14159265359" upper="3.1', '"-180" upper="183.1', "R103-002", "elbow_joint"),
}
"""Where a fault is planted, what it replaces by what, and the rule that finds it at which element."""

OVERLAPS = """() => {
  const labels = [...document.querySelectorAll(".label:not([hidden])")].map((one) => one.getBoundingClientRect());
  const cross = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return labels.flatMap((a, i) => labels.slice(i + 1).filter((b) => cross(a, b))).length;
}"""
ARROWS = """() => kinetree.view.app.pictures.flatMap((picture) => picture.model.robot.joints.map((joint) => {
  const fixed = picture.layers.get("joints").find((one) => picture.model.robot.joints[one.userData.joint] === joint);
  const cones = [];
  fixed?.traverse((one) => one.geometry?.type === "ConeGeometry" && cones.push(one.matrixWorld.elements));
  return { name: joint.name, origin: fixed?.matrixWorld.elements.slice(12, 15), cones };
}))"""


def planted(text, after, old, new):
    start = text.index(after)
    at = text.index(old, start)
    return text[:at] + new + text[at + len(old) :]


def ur5():
    path = next((path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf"), None)
    if path is None:
        pytest.skip("wants the package example-robot-data")
    return path.read_text(), {"example-robot-data": path.parents[3]}


def texts(name):
    return (ARM, {}) if name == "arm" else ur5()


@pytest.fixture
def page_of(open_page, tmp_path):
    """Open the page of the text of a robot, with the findings of the profile industrial."""

    def page_of(text, packages, **options):
        file = tmp_path / "robot.urdf"
        file.write_text(text)
        robot = kt.load(file, packages=packages)
        kt.show(robot, profile="industrial", browser=False, **options).save(tmp_path / "robot.html")
        return robot, open_page(tmp_path / "robot.html")

    return page_of


def group_of(page, element):
    return page.locator("details.group").filter(has=page.locator("h3", has_text=element))


def row_of(page, element, code):
    return group_of(page, element).locator("button.finding").filter(has_text=code)


def is_in_view(page, locator):
    box, size = locator.bounding_box(), page.viewport_size
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "fault"), [("arm", fault) for fault in IN_ARM.values()] + [("ur5", fault) for fault in IN_UR5.values()]
)
def test_a_fault_is_in_view_at_its_element_and_a_click_leads_there(page_of, name, fault):
    *fault, code, element = fault
    text, packages = texts(name)
    _, page = page_of(planted(text, *fault), packages)
    row = row_of(page, f"'{element}'", code)
    assert is_in_view(page, row)
    label = page.locator(".label:not([hidden])").filter(has_text=code)
    assert label.count() == 1
    assert page.evaluate(OVERLAPS) == 0
    row.click()
    assert page.evaluate("kinetree.view.selected()") == element
    assert group_of(page, f"'{element}'").get_attribute("class") == "group chosen"
    page.evaluate("new Promise(requestAnimationFrame)")
    box, view = label.bounding_box(), page.locator("#canvas").bounding_box()
    near = []
    for start, length in (("x", "width"), ("y", "height")):
        middle = view[start] + view[length] / 2
        near += [box[start] - middle, middle - box[start] - box[length]]
    assert max(near) < 60  # pixels between the label and the middle of the picture, where its element is now
    assert is_in_view(page, page.get_by_role("region", name="Selected part"))


@pytest.mark.parametrize("name", ["arm", "ur5"])
@pytest.mark.sampled(1)
def test_a_model_without_a_fault_has_none_of_these_findings(page_of, name):
    _, page = page_of(*texts(name))
    codes = page.locator(".finding b").all_text_contents()
    assert bool(codes) == (name == "ur5")
    assert not {code for *_, code, _ in (IN_ARM if name == "arm" else IN_UR5).values()} & set(codes)


@pytest.mark.parametrize(
    ("element", "point"), [("link_4", (0.25, 0, 0)), ("flange", (0, 0, 0)), ("joint_3", (0, 0, 0))]
)
@pytest.mark.sampled(1)
def test_the_camera_looks_at_the_element_of_a_finding(page_of, element, point):
    """A link's is the middle of its box, a joint's the origin of its child link."""
    *fault, code, _ = next(fault for fault in IN_ARM.values() if fault[-1] == element)
    robot, page = page_of(planted(ARM, *fault), {})
    row_of(page, f"'{element}'", code).click()
    link = element.replace("joint", "link")
    expected = all_frames(robot, np.array(page.evaluate("kinetree.view.q")))[link] @ (*point, 1)
    assert page.evaluate("kinetree.view.app.stage.orbit.target.toArray()") == pytest.approx(expected[:3], abs=1e-6)


@pytest.mark.parametrize("name", ["arm", "ur5"])
@pytest.mark.sampled(1)
def test_a_flipped_axis_has_the_other_arrow_and_is_said_to_be_opposite(page_of, name):
    text, packages = texts(name)
    joint, others = (
        ("joint_3", ["joint_2", "joint_5"])
        if name == "arm"
        else ("elbow_joint", ["shoulder_lift_joint", "wrist_1_joint", "wrist_3_joint"])
    )
    arrows = []
    for one in (text, planted(text, f'name="{joint}"', *FLIPPED[1:])):
        _, page = page_of(one, packages)
        arrow = next(arrow for arrow in page.evaluate(ARROWS) if arrow["name"] == joint)
        arrows.append(np.subtract(arrow["cones"][0][12:15], arrow["origin"]))
    assert arrows[0] == pytest.approx(-arrows[1], abs=1e-9)
    page.locator(".part.joint").filter(has_text=joint).click()
    facts = page.get_by_role("region", name="Selected part").inner_text()
    assert "Opposite to" in facts
    assert all(other in facts for other in others)


@pytest.mark.parametrize("robot", [everything(0), kt.load("icub")], ids=["every joint type", "icub"])
@pytest.mark.sampled(1)
def test_arrows_show_the_positive_sense(open_page, tmp_path, robot):
    """The child moves along a straight arrow, and about it as the curved arrow points."""
    kt.show(robot, findings=[], browser=False).save(tmp_path / "robot.html")
    page = open_page(tmp_path / "robot.html")
    q = np.array(page.evaluate("kinetree.view.q"), dtype=float)
    seen = 0
    for arrow in page.evaluate(ARROWS):
        joint = robot.joints[arrow["name"]]
        if not arrow["cones"] or joint.kind.nv != 1 or joint.mimic:
            continue
        moved = q.copy()
        moved[robot.q_slices[joint.name]] += 1e-6
        before, after = (all_frames(robot, one)[joint.child] for one in (q, moved))
        origin = np.array(arrow["origin"])
        straight, *curved = (np.reshape(cone, (4, 4)).T for cone in arrow["cones"])
        axis = straight[:3, 3] - origin
        axis /= np.linalg.norm(axis)
        turn = (after[:3, :3] @ before[:3, :3].T - np.eye(3)) / 1e-6
        omega = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
        if joint.type == "prismatic":
            np.testing.assert_allclose((after - before)[:3, 3] / 1e-6, axis, atol=1e-6)
            assert not curved
        else:
            np.testing.assert_allclose(omega, axis, atol=1e-5)
            (head,) = curved
            assert np.cross(omega, head[:3, 3] - origin) @ head[:3, 2] > 0
        np.testing.assert_allclose(straight[:3, 2], axis, atol=1e-6)
        seen += 1
    assert seen >= 4


@pytest.mark.nightly
def test_a_limit_beyond_two_turns_has_its_number_of_turns(page_of):
    fault = IN_ARM["degrees"]
    for text, count in ((ARM, 0), (planted(ARM, *fault[:3]), 1)):
        _, page = page_of(text, {})
        label = page.locator(".label:not([hidden])").filter(has_text="turns")
        assert label.count() == count
    assert label.inner_text() == "38.4 turns"  # (172 + 69) / (2 pi)
    label.click()
    assert page.evaluate("kinetree.view.selected()") == "joint_3"
    assert "38.4 turns" in page.get_by_role("region", name="Selected part").inner_text()


@pytest.mark.nightly
def test_a_mass_is_compared_with_the_robots(page_of):
    _, page = page_of(planted(ARM, *IN_ARM["mass in grams"][:3]), {})
    page.locator(".part.link").filter(has_text="link_4").click()
    assert "99.2 %" in page.get_by_role("region", name="Selected part").inner_text()  # 8000 of 8067.5 kg


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "no file"),
        (b"", "0 bytes"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "git-lfs"),
        (mesh_files.stl()[:150], "header"),
        (b"\0" * 64_000_001, "larger"),
    ],
    ids=["missing", "empty", "pointer", "cut", "large"],
)
@pytest.mark.sampled(1)
def test_a_shape_that_is_left_out_has_a_mark_a_finding_and_a_reason(page_of, tmp_path, content, word):
    if content is not None:
        (tmp_path / "gone.stl").write_bytes(content)
    robot, page = page_of(planted(ARM, *IN_ARM["mesh"][:3]), {})
    marks = page.evaluate(
        "kinetree.view.app.pictures[0].layers.get('missing').map((one) => one.matrixWorld.elements.slice(12, 15))"
    )
    expected = all_frames(robot, np.array(page.evaluate("kinetree.view.q")))["link_4"] @ (0.25, 0, 0, 1)
    assert marks == [pytest.approx(expected[:3])]
    assert page.get_by_label("Shapes left out").is_checked()
    group_of(page, "'link_4'").locator("button.finding").first.click()
    assert word in page.get_by_role("region", name="Selected part").inner_text()


@pytest.fixture
def crowd(open_page, tmp_path):
    """The page of the iCub with one to three findings at each link."""
    robot = kt.load("icub")
    severities = ["warning", "error", "info"]
    findings = [
        Finding(f"X-{i:03}", severities[i % 3], f"is number {i}", None, f"link {name!r}", "do it")
        for i, name in enumerate([*robot.links, *list(robot.links)[:40], *list(robot.links)[:40]])
    ]
    kt.show(robot, findings=findings, browser=False).save(tmp_path / "robot.html")
    return findings, open_page(tmp_path / "robot.html")


@pytest.mark.nightly
def test_labels_do_not_overlap_wherever_the_camera_is(crowd):
    _, page = crowd
    for turn in (0, 150, 300):
        page.mouse.move(600, 500)
        page.mouse.down()
        page.mouse.move(600 + turn, 480)
        page.mouse.up()
        page.wait_for_timeout(200)
        assert page.locator(".label:not([hidden])").count() > 20
        assert page.evaluate(OVERLAPS) == 0


@pytest.mark.nightly
def test_of_many_warnings_the_labels_have_no_text(crowd):
    _, page = crowd
    assert set(page.locator(".label.warning:not([hidden])").all_inner_texts()) == {"⚠"}
    assert all(text.startswith("⚠ X-") for text in page.locator(".label.error:not([hidden])").all_inner_texts())
    heights = page.locator(".counts .tick").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert len(heights) == 3
    assert max(heights) < 25  # px: the count and its word are on one line


@pytest.mark.nightly
def test_a_click_on_a_label_opens_its_group(crowd):
    _, page = crowd
    assert page.locator("details.group[open]").count() == 0
    label = page.locator(".label.error:not([hidden])").first
    code = label.inner_text().removeprefix("⚠ ").split(" ")[0]
    label.click()
    opened = page.locator("details.group[open]")
    assert opened.count() == 1
    assert code in opened.inner_text()
    assert is_in_view(page, opened)
    assert opened.locator("h3").inner_text() == f"link '{page.evaluate('kinetree.view.selected()')}'"
    wait(page, "document.querySelector('.label.chosen') !== null")
    assert page.locator(".label.chosen").filter(has_text=code).count() == 1


def test_findings_are_filtered_by_severity_and_text(crowd):
    findings, page = crowd
    number = {severity: sum(f.severity == severity for f in findings) for severity in ("error", "warning", "info")}
    rows = page.locator(".finding:not([hidden])")
    assert rows.count() == len(findings)
    for severity, word in (("error", "errors"), ("warning", "warnings")):
        page.get_by_label(f"{number[severity]} {word}").uncheck()
    assert rows.count() == number["info"]
    wait(page, "!document.querySelector('.label.error:not([hidden]), .label.warning:not([hidden])')")
    page.get_by_label(f"{number['error']} errors").check()
    assert rows.count() == number["info"] + number["error"]
    page.get_by_label("Find in findings").fill("NUMBER 4")
    texts = rows.all_text_contents()
    assert texts
    assert all("is number 4" in text for text in texts)
    page.get_by_label("Find in findings").fill("no such words")
    assert rows.count() == 0
    assert page.get_by_text("No finding has this in it.").is_visible()
    assert axe(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.sampled(1)
def test_an_index_and_a_model_without_a_picture_are_accessible(browser, tmp_path, scheme):
    from kinetree.checker.plan import jobs
    from kinetree.checker.pool import check_all
    from kinetree.viewing.report import pages

    for name, text in (("a", ARM), ("b", ARM.replace('"link_4"/>', '"gone"/>'))):
        (tmp_path / f"{name}.urdf").write_text(text)
    asked = jobs([str(tmp_path / "a.urdf"), str(tmp_path / "b.urdf")])
    for path, text in pages(asked, list(check_all(asked)), tmp_path / "index.html"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    page = browser.new_context(color_scheme=scheme, offline=True).new_page()
    page.goto((tmp_path / "index.html").as_uri())
    assert axe(page) == []
    page.get_by_role("link", name="b.urdf").click()
    assert page.locator(":target").get_by_text("unknown").first.is_visible()
    page.get_by_role("link", name="a.urdf").click()
    page.wait_for_selector("body[data-ready]", state="attached")
    assert page.get_by_role("heading", name="arm", exact=True).is_visible()
    page.context.close()

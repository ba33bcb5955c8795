"""Two robots in one page: their differences with the parts of both, and how the page shows them."""

import json

import numpy as np
import pytest

import kinetree as kt
from browser import axe
from each import each
from kinetree.errors import Finding
from kinetree.viewing import page, show
from kinetree.viewing.scene import PosedRobot, scene
from support import all_frames, example_robot_urdfs

BASE = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
<link name="lid"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/><link name="tool"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="cover" type="fixed"><parent link="upper"/><child link="lid"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="tip"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1" velocity="1" effort="1"/></joint>
<joint name="mount" type="fixed"><parent link="tip"/><child link="tool"/><origin xyz="0 0 0.1"/></joint></robot>"""


def load(text=BASE):
    return kt.load(text, format="urdf")


def edited(*pairs):
    text = BASE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return load(text)


def compared(a, b, findings=((), ())):
    """The comparison in the scene, its robots, and its differences as (element, message, names of parts)."""
    robots = [PosedRobot(robot, None, found) for robot, found in zip((a, b), findings, strict=True)]
    made = scene(robots, comparison=kt.compare(a, b))
    content = json.loads(json.dumps(made.content, allow_nan=False))
    shown, comparison = content["robots"], content["comparison"]
    rows = [
        (
            row["element"],
            row["message"],
            [[_name(R, part) for part in parts] for R, parts in zip(shown, row["parts"], strict=True)],
        )
        for row in comparison["differences"]
    ]
    return comparison, shown, rows


def _name(R, part):
    return f"{part['kind']} {R[part['kind'] + 's'][part['index']]['name']}"


def fixed(parent, child, xyz):
    return (
        f'<link name="{child}"/><joint name="to_{child}" type="fixed"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{xyz}"/></joint>'
    )


TURN, SLIDE, UPPER = (["joint turn"],) * 2, (["joint slide"],) * 2, (["link upper"],) * 2
BOX, RED = '<box size="0.1 0.2 0.3"/>', '<material name="m"><color rgba="1 0 0 1"/></material>'
EDITS = {
    "axis": ([('xyz="1 0 0"', 'xyz="1 0 1"')], "joint 'slide': its axis is tilted by 45 deg", SLIDE),
    "type": ([("prismatic", "revolute")], "joint 'slide': is prismatic, in the second robot revolute", SLIDE),
    "limit": (
        [('lower="-1"', 'lower="-0.5"')],
        "joint 'turn': its position limit is -1 to 1, in the second robot -0.5 to 1",
        TURN,
    ),
    "mass": (
        [('mass value="2"', 'mass value="3"')],
        "link 'upper': with the links fixed to it, its mass is 3 kg, in the second robot 4 kg",
        UPPER,
    ),
    "mass of a fixed link": (
        [('mass value="1"', 'mass value="5"')],
        "link 'lid': with the links fixed to it, its mass is 3 kg, in the second robot 7 kg",
        (["link lid"],) * 2,
    ),
    "frame": ([('xyz="0 0 0.1"', 'xyz="0 0 0.3"')], "frame 'tool': is 0.2 m away", (["link tool"],) * 2),
    "new link": (
        [('name="tool"/>', 'name="tool"/>' + fixed("tool", "cup", "1 0 0"))],
        "link 'cup': only the second robot has it",
        ([], ["link cup"]),
    ),
    "size": (
        [(BOX, BOX.replace("0.3", "0.4"))],
        "link 'upper': its visual shape measures 0.1 x 0.2 x 0.3, in the second robot 0.1 x 0.2 x 0.4",
        UPPER,
    ),
    "shape": (
        [(BOX, '<sphere radius="0.1"/>')],
        "link 'upper': its visual shape is a box, in the second robot a sphere",
        UPPER,
    ),
    "place": ([("<visual>", '<visual><origin xyz="0 0 0.5"/>')], "link 'upper': its visual shape is 0.5 m away", UPPER),
    "colour": ([("</geometry>", f"</geometry>{RED}")], "link 'upper': its visual shape has another colour", UPPER),
    "no shape": (
        [("<visual>", "<collision>"), ("</visual>", "</collision>")],
        "link 'upper': has 1 visual shape, in the second robot no visual shapes",
        UPPER,
    ),
}


@pytest.mark.slow
@each("edits, text, parts", EDITS.values())
def test_each_difference_names_its_parts(edits, text, parts):
    _, _, rows = compared(load(), edited(*edits))
    found = [names for element, message, names in rows if f"{element}: {message}".startswith(text)]
    assert found == [[*parts]], rows


@pytest.mark.slow
@pytest.mark.nightly
def test_equal_robots_have_no_differences_and_share_their_meshes():
    path = next((path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf"), None)
    a, b = kt.load(path), kt.load(path)
    alone = scene([PosedRobot(a)])
    both = scene([PosedRobot(a), PosedRobot(b)], comparison=kt.compare(a, b))
    assert both.meshes == alone.meshes
    assert both.content["comparison"]["differences"] == []
    assert both.content["comparison"]["verdict"] == "the same robot"
    assert alone.content["comparison"] is None


def test_two_robots_are_no_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "viewer", lambda: "globalThis.viewer = 1;")
    monkeypatch.setattr(show, "viewer", lambda: "")
    view = kt.show(load(), other=load(), browser=False)
    with pytest.raises(kt.KinetreeError, match="cannot write two robots"):
        view.save(tmp_path / "both.png")


def test_parts_are_paired_whatever_their_names():
    a = load()
    b = kt.edit.prefix(edited(('lower="-1"', 'lower="-0.5"')), "left_")
    comparison, shown, rows = compared(a, b)
    assert rows[0][2] == [["joint turn"], ["joint left_turn"]]
    names = [[link["name"] for link in R["links"]] for R in shown]
    assert {(names[0][i], names[1][j]) for i, j in comparison["links"]} >= {
        ("base", "left_base"),
        ("upper", "left_upper"),
    }
    assert comparison["coordinates"] == [[0, 0], [1, 1]]


def test_coordinates_go_by_name():
    a = load()
    comparison, _, _ = compared(a, a.order(["slide", "turn"]))
    assert sorted(comparison["coordinates"]) == [[0, 1], [1, 0]]


@pytest.mark.slow
def test_a_row_of_limits_names_its_joints():
    a, b = kt.load("icub:2.5"), kt.load("icub:2.5", limits="ikin")
    _, _, rows = compared(a, b)
    limits = {element: parts for element, _, parts in rows if element.startswith("limit '")}
    assert limits
    for robot, side in ((a, 0), (b, 1)):
        joints = [name for name in robot.joint_names for _ in range(robot.joints[name].kind.nq)]
        for name, row in zip(robot.limits.row_names, robot.limits.G, strict=True):
            if (found := limits.get(f"limit {name!r}")) and found[side]:
                assert set(found[side]) == {f"joint {joints[i]}" for i in np.flatnonzero(row)}


def test_another_base_is_about_the_roots():
    a = load()
    b = edited(('name="base"/>', 'name="ground"/>' + fixed("ground", "base", "0 0 1")))
    _, _, rows = compared(a, b)
    (base,) = [row for row in rows if "the root frame of the second robot" in row[1]]
    assert base[2] == [["link base"], ["link ground"]]


def test_findings_are_new_or_gone_wherever_they_stand():
    def finding(message, line, element="link 'tip'"):
        return Finding("A-1", "warning", message, kt.Source(f"{line}.urdf", line), element)

    ours = [finding("stays", 3), finding("goes", 4)]
    theirs = [finding("comes", 1), finding("stays", 70), finding("stays", 71)]
    comparison, _, _ = compared(load(), load(), (ours, theirs))
    assert (comparison["gone"], comparison["new"]) == ([1], [0, 2])


def test_robots_are_called_by_what_tells_them_apart(tmp_path):
    def names(a, b):
        return compared(a, b)[0]["names"]

    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "arm.urdf").write_text(BASE)
    (tmp_path / "other.urdf").write_text(BASE)
    one, two, other = (kt.load(tmp_path / name) for name in ("one/arm.urdf", "two/arm.urdf", "other.urdf"))
    assert names(one, two) == ["first", "second"]
    assert names(one, other) == ["arm.urdf", "other.urdf"]
    assert names(one, load(BASE.replace('name="arm"', 'name="leg"'))) == ["arm", "leg"]


def hostile(tmp_path):
    name = "&lt;/script>&lt;img src=x onerror=alert(1)>'&quot;"
    texts = [BASE.replace('"turn"', f'"{name}"').replace('"upper"', f'"{name} 2"')]
    texts.append(texts[0].replace('lower="-1"', 'lower="-0.5"').replace('mass value="2"', 'mass value="3"'))
    return [load(text) for text in texts], "</script><img src=x onerror=alert(1)>'\""


def test_parts_of_any_name_are_found(tmp_path):
    robots, name = hostile(tmp_path)
    _, _, rows = compared(*robots)
    parts = {tuple(map(tuple, row[2])) for row in rows}
    assert ((f"joint {name}",), (f"joint {name}",)) in parts
    assert ((f"link {name} 2",), (f"link {name} 2",)) in parts


BOX_OF_CAMERA = '><visual><geometry><box size="0.06 0.03 0.03"/></geometry></visual></link>'
SAYS = {
    "tilted by 36.9 deg": "elbow_joint",
    "Limits, °: -180.0 to 180.0 → -180.0 to 85.9": "elbow_joint",
    "2.275 kg, in the second robot 2.775 kg": "forearm_link",
    "0.03 m away": "wrist_3_joint",
    "its visual shape is another mesh": "wrist_1_link",
    "link 'camera' only the second robot has it": None,
}
"""Texts in the page, and the part of the first robot that they select."""


def ur5s(tmp_path):
    """The UR5, and a copy with another axis, limit, mass, place, mesh, and a camera."""
    path = next((path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf"), None)
    text = path.read_text()
    elbow = text.index('<joint name="elbow_joint"')
    head, tail = text[:elbow], text[elbow:]
    for old, new in (
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 0.8 0.6"/>'),
        ('upper="3.14159265359"', 'upper="1.5"'),
        ('<mass value="2.275"/>', '<mass value="2.775"/>'),
        ("visual/wrist1.dae", "visual/wrist2.dae"),
        ('xyz="0.0 0.0 0.09465"', 'xyz="0.0 0.0 0.12465"'),
        ("</robot>", fixed("wrist_3_link", "camera", "0 0.06 0.06").replace("/>", BOX_OF_CAMERA, 1) + "</robot>"),
    ):
        assert old in tail
        tail = tail.replace(old, new, 1)
    (tmp_path / "after.urdf").write_text(head + tail)
    return kt.load(path), kt.load(tmp_path / "after.urdf", packages={"example-robot-data": path.parents[3]})


@pytest.mark.slow
class TestInChromium:
    @pytest.fixture
    def shown(self, open_page, tmp_path):
        robots = ur5s(tmp_path)
        kt.show(robots[0], other=robots[1], browser=False).save(tmp_path / "both.html")
        return *robots, lambda **options: open_page(tmp_path / "both.html", **options)

    @pytest.mark.nightly
    def test_the_second_follows_inside_its_own_limits(self, shown):
        a, b, opened = shown
        page = opened()
        rng = np.random.default_rng(0)
        Q = rng.uniform(a.limits.lower, a.limits.upper, (50, a.nq))
        follow = """Q => Q.map(q => { kinetree.view.setQ(q); const [, second] = kinetree.view.app.models;
          return [Array.from(second.q), Array.from(second.poses)]; })"""
        found = page.evaluate(follow, Q.tolist())
        elbow = list(a.joint_names).index("elbow_joint")
        assert (Q[:, elbow] > 1.5).any()
        bodies = ["world", *(b.joints[name].child for name in b.joint_names)]
        for q, (q_b, poses) in zip(Q, found, strict=True):
            expected = q.copy()
            expected[elbow] = min(q[elbow], 1.5)
            assert q_b == expected.tolist()
            assert b.limits.contains(np.array(q_b))
            T = all_frames(b, np.array(q_b))
            root = np.linalg.inv(T[b.root])
            for name, pose in zip(bodies, np.reshape(poses, (-1, 4, 4)), strict=True):
                np.testing.assert_allclose(pose, root @ T[name], rtol=0, atol=1e-12)
        page.evaluate("q => kinetree.view.setQ(q)", [0, 0, 2.0, 0, 0, 0])
        assert page.get_by_text("The second robot is stopped by its own limits: elbow_joint.").is_visible()
        page.evaluate("q => kinetree.view.setQ(q)", [0, 0, 1.0, 0, 0, 0])
        assert page.get_by_text("stopped by its own limits").count() == 0

    @pytest.mark.nightly
    def test_the_second_obeys_limits_over_several_joints(self, open_page, tmp_path):
        a, b = kt.load("icub:3"), kt.load("icub:2.5")
        assert len(a.limits.G) < len(b.limits.G)
        kt.show(a, other=b, browser=False).save(tmp_path / "both.html")
        page = open_page(tmp_path / "both.html")
        Q = a.limits.sample(100, seed=1)
        follow = "Q => Q.map(q => { kinetree.view.setQ(q); return Array.from(kinetree.view.app.models[1].q); })"
        followed = np.array(page.evaluate(follow, Q.tolist()))
        assert b.limits.contains(followed).all()
        both = [name for name in a.joint_names if name in b.joint_names]
        i, j = ([robot.joint_names.index(name) for name in both] for robot in (a, b))
        equal = np.abs(Q[:, i] - followed[:, j]) < 1e-9
        assert 0.5 < equal.mean() < 1  # the others are stopped

    def test_what_agrees_is_drawn_once_and_what_differs_in_its_colour(self, shown):
        _, _, opened = shown
        page = opened()
        seen = """() => kinetree.view.app.pictures.map(({solids, model, root}) => root.visible ? Object.fromEntries(
          solids.filter(one => one.visible).map(one => [model.robot.links[one.userData.link].name,
          one.material.color.getHexString()])) : null)"""
        assert page.locator("h1").inner_text() == "ur5_robot.urdf and after.urdf"
        grey, violet, blue, orange = "b4bac4", "8e44d6", "1c6fe0", "e8590c"
        first, second = page.evaluate(seen)
        places = dict.fromkeys(("wrist_1_link", "wrist_3_link", "camera"), orange)
        assert first["base_link"] == first["upper_arm_link"] == grey
        assert first["forearm_link"] == violet  # its mass differs, and its place at zero does not
        assert first["wrist_3_link"] == first["wrist_1_link"] == blue
        assert second == places
        page.evaluate("kinetree.view.setQ([0, 0, 1, 0, 0, 0])")
        first, second = page.evaluate(seen)
        assert first["forearm_link"] == blue
        assert second.keys() == {"forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link", "camera"}
        page.get_by_label("after.urdf").check()
        first, second = page.evaluate(seen)
        assert first is None
        assert {"base_link", "camera"} <= second.keys()
        page.get_by_label("ur5_robot.urdf").check()
        first, second = page.evaluate(seen)
        assert second is None
        assert grey not in first.values()

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.sampled(1)
    def test_a_click_on_a_difference_finds_its_part(self, shown, scheme):
        _, b, opened = shown
        page = opened(color_scheme=scheme)
        entries = page.locator("button.finding")
        for words, name in SAYS.items():
            entry = entries.filter(has_text=words)
            entry.click()
            assert page.evaluate("kinetree.view.selected()") == name
            assert entry.get_attribute("aria-current") == "true"
        x, y, z = page.evaluate("kinetree.view.app.stage.orbit.target.toArray()")
        camera = all_frames(b, b.q())["camera"][:3, 3] - all_frames(b, b.q())[b.root][:3, 3]
        assert np.linalg.norm(camera - (x, y, z)) < 1e-6
        entries.filter(has_text="2.775 kg").click()
        assert "2.275 → 2.775" in page.get_by_label("Selected part").inner_text()
        assert axe(page) == []

    @pytest.mark.nightly
    def test_a_label_is_beside_its_frame(self, open_page, tmp_path):
        kt.show(kt.load("icub:2.0"), other=kt.load("icub:2.5"), browser=False).save(tmp_path / "both.html")
        page = open_page(tmp_path / "both.html")
        box = page.locator(".label:not([hidden])").filter(has_text="imu_frame").bounding_box()
        x, y = page.evaluate("kinetree.view.screenOf('imu_frame')")  # not the origin of its link
        assert min(abs(box["x"] - x - 8), abs(x - 8 - box["x"] - box["width"])) < 2
        assert abs(box["y"] - y) < 70

    @pytest.mark.nightly
    def test_names_are_text(self, open_page, tmp_path):
        (a, b), name = hostile(tmp_path)
        kt.show(a, other=b, browser=False).save(tmp_path / "hostile.html")
        page = open_page(tmp_path / "hostile.html")
        assert page.locator("img").count() == 0
        page.locator("button.finding").first.click()
        assert page.evaluate("kinetree.view.selected()") == name

"""The scene of the page: its numbers are those of the robot, wherever they are read again."""

import base64
import json
import shutil
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
import mesh_files
import sdf_texts
from each import each
from kinetree.compiler.js import write_js
from kinetree.controllers import controllers
from kinetree.errors import Finding, Source
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Inertial
from kinetree.viewing.scene import Folders, PosedRobot, scene
from kinetree.viewing.scene.make import described_controllers
from kinetree.viewing.scene.robot import inertia
from physics import curved, everything
from support import all_frames, example_robot_urdfs, icub_urdfs, random_q
from unpacking import unpacked

ARM = """<robot name="arm"><link name="base"/>{links}
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="0.5" upper="1" velocity="1" effort="1"/></joint></robot>"""

LOOP = sdf_texts.model(
    """<link name="a"/><link name="b"/><link name="c"/><joint name="ab" type="revolute"><parent>a</parent>
    <child>b</child><axis><xyz>0 0 1</xyz></axis></joint><joint name="bc" type="revolute"><parent>b</parent>
    <child>c</child><axis><xyz>0 0 1</xyz></axis></joint><joint name="ac" type="revolute"><parent>a</parent>
    <child>c</child><axis><xyz>0 0 1</xyz></axis></joint>"""
)


def shown(robot, *findings, q=None):
    made = scene([PosedRobot(robot, q, findings)])
    content = json.loads(json.dumps(made.content, allow_nan=False))
    return made, content["robots"][0]


def arm(tmp_path, visual):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.format(links=f'<link name="tip"><visual><geometry>{visual}</geometry></visual></link>'))
    return kt.load(file)


def poses(R, moved):
    """T_root_frame (4, 4) by name, from the poses (k, 4, 4) of the bodies."""
    links = [moved[link["body"]] @ np.reshape(link["T"], (4, 4)) for link in R["links"]]
    named = {link["name"]: T for link, T in zip(R["links"], links, strict=True)}
    return named | {f["name"]: links[f["link"]] @ np.reshape(f["T"], (4, 4)) for f in R["frames"]}


def in_node(folder, made, R, q):
    """What the functions of the page give for configurations, by Node."""
    (folder / "robot.mjs").write_text(write_js(made.functions), encoding="ascii")
    (folder / "q.json").write_text(json.dumps(q.tolist()))
    text = f"""import {{ {R["fk"]} }} from "./robot.mjs"; import {{ readFileSync }} from "node:fs";
    const q = JSON.parse(readFileSync("q.json", "utf8"));
    console.log(JSON.stringify(q.map((one) => Array.from({R["fk"]}(one)))));"""
    (folder / "call.mjs").write_text(text)
    done = subprocess.run(["node", "call.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return np.reshape(json.loads(done.stdout), (len(q), len(R["bodies"]), 4, 4))


ROBOTS = {
    "every joint type": lambda: everything(0),
    "another": lambda: everything(5),
    "icub": lambda: kt.load("icub"),
    "ur5": lambda: kt.load(next(p for p in example_robot_urdfs() if p.name == "ur5_robot.urdf")),
    "model of the icub": lambda: kt.load(icub_urdfs()[0]),
}


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("make", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.slow
@pytest.mark.sampled(3)
def test_frames_are_where_fk_has_them(tmp_path, make):
    robot = make()
    made, R = shown(robot)
    rng = np.random.default_rng(0)
    q = np.array([random_q(robot, rng) for _ in range(10)])
    for one, moved in zip(q, in_node(tmp_path, made, R, q), strict=True):
        expected = all_frames(robot, one)
        found = poses(R, moved)
        placed = {name for name, frame in robot.frames.items() if not frame.unplaced}
        assert set(found) == placed
        assert max(np.abs(found[name] - expected[name]).max() for name in placed) < 1e-12


def test_the_size_counts_links_on_fixed_joints_where_they_are():
    """The last link is 7 m behind a joint at 3 m, which is turned by 90 degrees."""
    ends = '<parent link="{}"/><child link="{}"/><axis xyz="0 0 1"/></joint>'
    joint = '<joint name="{}" type="{}"><origin xyz="{} 0 0"{}/>' + ends
    turned = joint.format("j", "continuous", 3, ' rpy="0 0 1.5707963267948966"', "a", "b")
    links = '<link name="a"/><link name="b"/><link name="c"/>'
    robot = kt.load(
        f'<robot name="r">{links}{turned}{joint.format("k", "fixed", 7, "", "b", "c")}</robot>', format="urdf"
    )
    assert [shown(robot, q=[q])[1]["size"] for q in (0.0, -np.pi / 2)] == pytest.approx([7.0, 10.0])


def test_only_links_that_joints_move_are_bodies():
    robot = everything(0)
    assert {joint.type for joint in robot.joints.values()} == set(JOINT_TYPES)
    _, R = shown(robot)
    moved = [joint.child for joint in robot.joints.values() if joint.type != "fixed"]
    assert R["bodies"][0] == robot.root
    assert sorted(R["bodies"][1:]) == sorted(moved)


def test_joints_and_coordinates():
    robot = everything(0)
    _, R = shown(robot)
    names = [joint["name"] for joint in R["joints"]]
    for joint in R["joints"]:
        own = robot.joints[joint["name"]]
        assert (joint["type"], joint["coordinates"]) == (own.type, len(own.kind.coordinates))
        assert (R["links"][joint["parent"]]["name"], R["links"][joint["child"]]["name"]) == (own.parent, own.child)
        assert joint["axes"] == own.axes.tolist()
        assert (joint["first"] is None) == (own.type == "fixed" or own.mimic is not None)
        assert R["links"][joint["child"]]["joint"] == names.index(joint["name"])
    finger = R["joints"][names.index("finger")]["leader"]  # 2 thumb + 0.1, and thumb is -0.5 revolute_0 + 0.2
    assert finger == {"joint": names.index("revolute_0"), "multiplier": -1.0, "offset": 0.5}
    _, by_polynomials = shown(curved())  # the page moves followers by lines alone
    assert [joint["leader"] for joint in by_polynomials["joints"]] == [None] * 4
    assert [c["name"] for c in R["coordinates"]] == list(robot.coordinate_names)
    units = {c["name"]: c["unit"] for c in R["coordinates"]}
    floating = [unit for name, unit in units.items() if name.startswith("floating")]
    assert floating == ["m"] * 3 + ["quaternion"] * 4
    assert [units[f"planar_b0.{k}"] for k in ("x", "y", "angle")] == ["m", "m", "rad"]
    assert (units["prismatic_2"], units["screw_3"], units["revolute_0"]) == ("m", "rad", "rad")


@pytest.mark.slow
def test_limits_are_those_of_the_robot():
    robot = kt.load("icub")
    _, R = shown(robot)
    limits = R["limits"]
    q = robot.limits.sample(20, seed=1)
    row = [[sum(factor * one[i] for i, factor in row["terms"]) - row["h"] for row in limits["rows"]] for one in q]
    margin = robot.limits.margin(q)
    assert np.allclose(-np.array(row), margin[:, 2 * robot.nq :], atol=1e-12)
    assert np.allclose(q - np.array(limits["lower"]), margin[:, : robot.nq], atol=1e-12)
    assert [row["name"] for row in limits["rows"]] == list(robot.limits.row_names)
    assert robot.limits.contains(R["q"])
    assert R["q"] == robot.q().tolist() != robot.zero.tolist()


def test_an_open_limit_is_null():
    _, R = shown(everything(0))
    floating = next(i for i, c in enumerate(R["coordinates"]) if c["name"] == "floating_b4.x")
    assert (R["limits"]["lower"][floating], R["limits"]["upper"][floating]) == (None, None)


def test_a_start_that_is_given_stays(tmp_path):
    robot = arm(tmp_path, '<box size="1 1 1"/>')
    assert shown(robot)[1]["q"] == [0.75] == robot.q().tolist()
    assert shown(robot, q=[0.1])[1]["q"] == [0.1]
    for wrong in ([0.1, 0.2], [np.nan], [[0.1]], "x"):
        with pytest.raises(kt.KinetreeError):
            shown(robot, q=wrong)


def test_a_robot_without_a_configuration_inside_its_limits_starts_at_zero(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.format(links='<link name="tip"/>').replace('lower="0.5"', 'lower="2"'))
    assert shown(kt.load(file))[1]["q"] == [0.0]


@pytest.mark.slow
def test_the_ellipsoid_has_the_inertia():
    """A solid ellipsoid of radii 0.1, 0.2, 0.3 m and 5 kg, sampled: its second moments are its inertia."""
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(400_000, 3))
    ball *= (rng.uniform(size=(len(ball), 1)) ** (1 / 3)) / np.linalg.norm(ball, axis=1, keepdims=True)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = ball * [0.1, 0.2, 0.3] @ turn.T
    moments = 5 * (np.eye(3) * np.mean((points**2).sum(axis=1)) - points.T @ points / len(points))
    found = inertia(Inertial(5.0, moments))
    assert sorted(found["radii"]) == pytest.approx([0.1, 0.2, 0.3], rel=0.01)
    R = np.reshape(found["T"], (4, 4))[:3, :3]
    assert np.linalg.det(R) == pytest.approx(1)
    for axis, radius in zip(R.T, found["radii"], strict=True):
        assert abs(axis @ turn[:, round(radius * 10) - 1]) > 0.999


def test_inertias_of_no_body():
    assert inertia(None) is None
    assert inertia(Inertial(0.0, np.eye(3))) is None
    assert inertia(Inertial(1.0, np.diag([1.0, 1.0, 3.0])))["radii"] is None
    assert inertia(Inertial(1.0, np.zeros((3, 3))))["radii"] == [0.0, 0.0, 0.0]
    rod = inertia(Inertial(3.0, np.diag([1.0, 1.0, 0.0])))["radii"]
    assert sorted(rod) == pytest.approx([0.0, 0.0, np.sqrt(5 / 3)])


@pytest.mark.slow
def test_roles():
    _, R = shown(kt.load("icub"))
    roles = {f["name"]: f["role"] for f in R["frames"]}
    assert roles["l_hand_dh_frame"] == "skin"
    assert roles["imu_frame"] == "sensor"
    assert roles["torso_dh_0"] is None
    _, R = shown(kt.load(next(p for p in example_robot_urdfs() if p.name == "ur5_robot.urdf")))
    assert {x["name"]: x["role"] for x in R["links"] if x["role"]} == {n: n for n in ("base_link", "base", "tool0")}


def test_sensors_are_on_their_links():
    robot = everything(0)
    _, R = shown(robot)
    imu = next(s for s in R["sensors"] if s["name"] == "imu")
    frame = robot.frames["on_trunk5"]
    assert R["links"][imu["link"]]["name"] == "trunk5"
    assert np.allclose(np.reshape(imu["T"], (4, 4)), frame.origin @ robot.sensors["imu"].origin)


def test_shapes_have_their_numbers(tmp_path):
    cases = {
        '<box size="1 2 3"/>': ("box", [1, 2, 3], 3),
        '<sphere radius="0.5"/>': ("sphere", [0.5], 1),
        '<cylinder radius="0.5" length="2"/>': ("cylinder", [0.5, 2], 2),
    }
    for text, (kind, values, size) in cases.items():
        _, R = shown(arm(tmp_path, text), q=[1.5707963267948966])
        (shape,) = R["links"][1]["visuals"]
        assert (shape["kind"], shape["values"]) == (kind, values)
        assert R["size"] == pytest.approx(size)


def test_a_file_is_packed_once_and_scaled_where_it_is_used(tmp_path):
    (tmp_path / "a.stl").write_bytes(mesh_files.stl())
    mesh = '<mesh filename="a.stl" scale="{}"/></geometry></visual>'
    two = mesh.format("1 1 1") + "<visual><geometry>" + mesh.format("0.1 0.1 -0.1").removesuffix("</geometry></visual>")
    made, R = shown(arm(tmp_path, two))
    assert len(made.content["meshes"]) == 1
    assert [s["scale"] for s in R["links"][1]["visuals"]] == [[1, 1, 1], [0.1, 0.1, -0.1]]
    assert made.findings == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no file"),
        (b"", "has 0 bytes"),
        (mesh_files.stl()[:150], "its header announces"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "git-lfs"),
        (b"\0" * 84, "no triangles"),
        (mesh_files.stl(corners=np.zeros((4, 3))), "points or lines"),
        (mesh_files.stl(corners=np.full((4, 3), np.nan)), "not finite"),
    ],
)
def test_a_broken_mesh_is_a_warning_and_the_rest_is_shown(tmp_path, content, message):
    if content is not None:
        (tmp_path / "a.stl").write_bytes(content)
    made, R = shown(arm(tmp_path, '<mesh filename="a.stl"/>'))
    assert R["links"][1]["visuals"] == []
    (finding,) = R["findings"]
    assert (finding["code"], finding["severity"], finding["link"]) == ("shape-not-shown", "warning", 1)
    assert message in finding["message"]
    assert str(tmp_path) not in json.dumps(made.content)


@pytest.mark.parametrize(
    "name", ["a.dae", "a.obj", "a.glb", "a.xyz", "package://nowhere/a.stl", "\\\\host\\a.stl", "/"]
)
@pytest.mark.slow
def test_foreign_files_are_warnings(tmp_path, name):
    for ending in ("dae", "obj", "glb", "xyz"):
        (tmp_path / f"a.{ending}").write_bytes(b"\x80 anything")
    _, R = shown(arm(tmp_path, f'<mesh filename="{name}"/>'))
    assert [f["code"] for f in R["findings"]] == ["shape-not-shown"]


def test_large_files_are_warnings(tmp_path, monkeypatch):
    with (tmp_path / "a.stl").open("wb") as file:
        file.truncate(200_000_000)
    _, R = shown(arm(tmp_path, '<mesh filename="a.stl"/>'))
    assert "larger than" in R["findings"][0]["message"]
    (tmp_path / "a.stl").write_bytes(mesh_files.stl())
    monkeypatch.setattr("kinetree.viewing.scene.meshes.MOST_BYTES", 200)
    _, R = shown(arm(tmp_path, '<mesh filename="a.stl"/>'))
    assert "a page reads at most" in R["findings"][0]["message"]


def test_findings_name_their_parts_and_no_folder(tmp_path):
    robot = arm(tmp_path, '<box size="1 1 1"/>')
    finding = Finding("X-001", "error", f"see {tmp_path}/b.urdf", Source(str(tmp_path / "sub" / "c.xacro"), 3, 4))
    about = ["link 'tip'", "joint 'j'", "frame 'base'", "group 'arm'", None]
    _, R = shown(robot, *(replace(finding, element=element) for element in about))
    parts = [(f["link"], f["joint"], f["frame"]) for f in R["findings"]]
    assert parts == [(1, None, None), (None, 0, None), (0, None, None), (None, None, None), (None, None, None)]
    assert {(f["where"], f["message"]) for f in R["findings"]} == {("sub/c.xacro:3:4", "see b.urdf")}
    _, R = shown(robot, replace(finding, source=Source("/etc/elsewhere.urdf", 1), message="not in '/etc/x/y.stl'"))
    assert (R["findings"][0]["where"], R["findings"][0]["message"]) == ("elsewhere.urdf:1", "not in 'y.stl'")
    _, R = shown(robot, replace(finding, message="package://etc/x.stl, <a/b/>, 1/2, /camera/image"))
    assert R["findings"][0]["message"] == "package://etc/x.stl, <a/b/>, 1/2, /camera/image"


@pytest.mark.slow
@each(
    "robot, element, kind, name",
    [
        (kt.load("icub"), "group 'left_arm'", "joint", "l_shoulder_pitch"),
        (kt.load("icub"), "limit 'left_arm tendons 1 lower'", "joint", "l_shoulder_pitch"),
        (everything(0), "sensor 'imu'", "frame", "on_trunk5"),
        (sdf_texts.load(LOOP), "joint 'ac'", "link", "c"),
    ],
)
def test_findings_of_what_is_no_link_joint_or_frame_are_where_it_is(robot, element, kind, name):
    _, R = shown(robot, Finding("X-001", "error", "is wrong", None, element))
    (finding,) = R["findings"]
    assert [one for one in ("link", "joint", "frame") if finding[one] is not None] == [kind]
    assert R[f"{kind}s"][finding[kind]]["name"] == name


def test_folders_that_are_no_longer_there_are_left_out(tmp_path):
    folder = tmp_path / "robots of mine"
    folder.mkdir()
    robot = arm(folder, '<box size="1 1 1"/>')
    _, R = shown(robot, Finding("x", "error", f"see {folder}/gone/b.urdf, {tmp_path}/gone/c"))
    assert R["findings"][0]["message"] == "see gone/b.urdf, c"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("'/mnt/My Disk/secret/a.stl' and 'b'", "'a.stl' and 'b'"),
        ('"/mnt/o\'brien x/a.stl"', '"a.stl"'),
        ("package://demo/srv/a.stl, /srv/a.stl", "package://demo/srv/a.stl, a.stl"),
        ("http://h/root/x.xsd, http://root/x", "http://h/root/x.xsd, http://root/x"),
        ("$(find demo)/srv/a.stl", "$(find demo)/srv/a.stl"),
        ("file:///srv/b/a.stl or 'file:///mnt/a b/c'", "b/a.stl or 'c'"),
        (r"'C:\\Users\\a b\\c.stl' D:/x/c.stl", "'c.stl' c.stl"),
        ("Q:/x/c.stl '/camera/image'", "Q:/x/c.stl '/camera/image'"),
    ],
)
def test_texts_lose_the_folders_of_this_machine_and_nothing_else(monkeypatch, text, plain):
    monkeypatch.setattr(Path, "cwd", lambda: Path("/srv"))
    monkeypatch.setattr(Path, "home", lambda: Path("/root"))
    there = ("/mnt/", "/srv/", "/root/", "C:\\", "D:/")
    monkeypatch.setattr("os.path.isdir", lambda path: path in there)
    assert Folders(None).plain(text) == plain


def test_a_part_of_a_mesh_is_centred(tmp_path):
    (tmp_path / "a.dae").write_bytes(mesh_files.dae())
    part = "<submesh><name>n</name><center>{}</center></submesh>"
    text = (
        '<sdf version="1.9"><model name="m"><link name="l"><visual name="v"><geometry><mesh><uri>a.dae</uri>{}</mesh>'
        "</geometry></visual></link></model></sdf>"
    )
    for centred, low in (("true", [-0.5, -1, -1.5]), ("false", [0, 0, 0])):
        (tmp_path / "m.sdf").write_text(text.format(part.format(centred)))
        made, _ = shown(kt.load(tmp_path / "m.sdf"))
        assert made.findings == ()
        assert made.content["meshes"][0]["low"] == low


def test_a_part_that_is_a_point_leaves_the_others(tmp_path):
    document = mesh_files.gltf()
    document["meshes"][0]["primitives"].append({"attributes": {"POSITION": 2}, "indices": 1, "material": 0})
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}]
    flat = base64.b64encode(bytes(48)).decode()
    document["accessors"].append({**document["accessors"][0], "bufferView": 2, "min": [0, 0, 0], "max": [0, 0, 0]})
    document["bufferViews"].append({"buffer": 1, "byteOffset": 0, "byteLength": 48})
    document["buffers"].append({"uri": "data:application/octet-stream;base64," + flat, "byteLength": 48})
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    made, R = shown(arm(tmp_path, '<mesh filename="a.gltf"/>'))
    assert made.findings == ()
    assert [shape["mesh"] for shape in R["links"][1]["visuals"]] == [0]
    assert made.content["meshes"][0]["vertices"] == 4


def test_a_missing_mesh_that_a_rule_has_found_is_listed_once(tmp_path):
    robot = arm(tmp_path, '<mesh filename="a.stl"/>')
    rule = [finding for finding in kt.check(robot) if finding.code == "MSH-002"]
    assert len(rule) == 1
    _, R = shown(robot, *rule)
    assert [f["code"] for f in R["findings"]] == ["MSH-002"]


def test_the_description_gives_a_colour_before_the_mesh(tmp_path):
    (tmp_path / "a.obj").write_bytes(mesh_files.obj())
    (tmp_path / "look.mtl").write_text("newmtl red\nKd 0 0 1\n")
    _, R = shown(arm(tmp_path, '<mesh filename="a.obj"/>'))
    assert [s["rgba"] for s in R["links"][1]["visuals"]] == [[0, 0, 1, 1]]
    robot = arm(
        tmp_path, '<mesh filename="a.obj"/></geometry><material name="m"><color rgba="1 0 0 0.5"/></material><geometry>'
    )
    _, R = shown(robot)
    assert [s["rgba"] for s in R["links"][1]["visuals"]] == [[1, 0, 0, 0.5]]


@pytest.mark.slow
def test_two_robots_share_a_page(tmp_path):
    (tmp_path / "a.stl").write_bytes(mesh_files.stl())
    robot = arm(tmp_path, '<mesh filename="a.stl"/>')
    made = scene([PosedRobot(robot), PosedRobot(kt.load("icub"))])
    assert [name for name, _ in made.functions] == [R["fk"] for R in made.content["robots"]] == ["fk0", "fk1"]
    (mesh,) = made.content["meshes"]
    vertices, _ = unpacked(mesh, zlib.decompress(base64.b64decode(made.meshes)))
    assert np.allclose(np.unique(vertices, axis=0), np.unique(mesh_files.CORNERS, axis=0), atol=mesh["step"])


@each("faces", [0, -1])
def test_meshes_have_at_least_a_triangle(faces):
    with pytest.raises(kt.KinetreeError, match=f"faces is {faces}; expected whole numbers above 0") as caught:
        scene([PosedRobot(everything())], faces=faces)
    assert [(f.code, f.element) for f in caught.value.findings] == [("option", "faces")]


def test_units_of_the_page_are_those_of_the_controllers():
    """How much of them a metre and a radian are."""
    for said in described_controllers():
        who = controllers[said["key"]]
        assert said["metre"] == {"mm": 1000, "m": 1}[who.position]
        assert said["radian"] == pytest.approx({"deg": 180 / np.pi, "rad": 1, "": 1}[who.rotation.unit])


def test_meshes_and_height_fields_of_an_mjcf_are_shown():
    """A pyramid, and a field of 2 x 3 heights whose highest is 5 cm, each where its geom is, packed once."""
    assets = """<mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="0.1 0.1 0.2"/>
    <hfield name="ground" nrow="2" ncol="3" size="0.4 0.3 0.05 0.01" elevation="0 0 1 0 0 0"/>"""
    geoms = """<geom type="hfield" hfield="ground" pos="0 0 1"/><geom type="mesh" mesh="tet" pos="1 0 0"/>
    <geom type="mesh" mesh="tet" rgba="1 0 0 1"/>"""
    text = "<mujoco><asset>{}</asset><worldbody>{}<body/></worldbody></mujoco>"
    made = scene([PosedRobot(kt.load(text.format(assets, geoms), format="mjcf"), None, ())])
    field, pyramid, red = (one for link in made.content["robots"][0]["links"] for one in link["visuals"])
    assert {one["kind"] for one in (field, pyramid, red)} == {"mesh"}
    assert (pyramid["mesh"], red["rgba"], len(made.content["meshes"])) == (red["mesh"], [1, 0, 0, 1], 2)
    data = zlib.decompress(base64.b64decode(made.meshes))
    corners, _ = unpacked(made.content["meshes"][pyramid["mesh"]], data)
    T = np.reshape(pyramid["T"], (4, 4))
    assert (corners @ T[:3, :3].T + T[:3, 3]).min(axis=0) == pytest.approx([1, 0, 0], abs=1e-5)
    assert np.ptp(corners, axis=0).max() == pytest.approx(0.2, abs=1e-5)
    ground, _ = unpacked(made.content["meshes"][field["mesh"]], data)
    assert ground[:, 2].max() == pytest.approx(0.05, abs=1e-5)
    assert ground[ground[:, 2] > 0.04][:, :2].ravel() == pytest.approx([0.4, 0.3], abs=1e-5)  # the first row is at y
    assert made.findings == ()


def test_written_meshes_that_cannot_be_used_are_warnings():
    asset = '<hfield name="ground" nrow="2" ncol="3" size="0.4 0.3 0.05 0.01" elevation="0 0 1"/>'
    text = f'<mujoco><asset>{asset}</asset><worldbody><geom type="hfield" hfield="ground"/></worldbody></mujoco>'
    made = scene([PosedRobot(kt.load(text, format="mjcf"), None, ())])
    (lost,) = [one for one in made.findings if one.code == "shape-not-shown"]
    assert lost.message.startswith("the height field 'ground' is not shown: ")
    assert lost.fix is None

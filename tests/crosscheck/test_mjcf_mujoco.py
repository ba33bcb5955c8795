"""MJCF against MuJoCo: poses, masses, limits, and whether it loads what is written."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
import mesh_files
from kinetree.formats.mjcf import read, write
from kinetree.model.assemble import build, parts_of
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Joint, Link, Robot
from support import all_frames, icub_urdfs, random_q

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck

POSES = """<mujoco>
  <compiler eulerseq="{eulerseq}" angle="{angle}"/>
  <default> <site quat="1 1 0 0"/>
    <default class="c"> <joint axis="1 1 0" pos=".1 .2 .3"/> <site euler="1 2 3"/> </default> </default>
  <worldbody>
    <frame pos="1 2 3" euler="0.3 0.4 0.5" childclass="c">
      <frame axisangle="1 2 3 0.7">
        <body name="a" xyaxes="1 2 0 0 1 1" pos="0.1 0.2 0.3">
          <joint name="s" type="slide" ref="0.3"/>
          <frame euler="1 2 3" pos="0.3 0 0"> <joint name="h" ref="20"/> </frame>
          <joint name="h2" axis="0 3 4" pos="-1 0 0" ref="-0.5"/>
          <site name="s1"/> <site name="s0" quat="1 2 0 0"/> <site name="s2" zaxis="0 0 -1"/>
          <site name="s3" type="box" size="1" fromto="0 0 0 1 2 3"/>
          <body name="b" zaxis="1 -1 0.5" pos="0 1 0">
            <joint name="ball" type="ball"/> <joint name="s4" type="slide" axis="0 1 0" class="main"/>
            <site name="s5" quat="0 0 0 1" class="main"/> <geom size="0.1"/>
          </body>
          <geom size="0.1"/>
        </body>
      </frame>
    </frame>
    <body name="free" pos="1 2 3" quat="1 2 3 4"> <freejoint name="f"/> <geom size="0.1"/>
      <frame zaxis="0 1 0"> <body name="d" pos="1 0 0"> <joint name="g"/> <geom size="0.1"/> </body> </frame> </body>
  </worldbody>
  <equality> <joint joint1="h" joint2="s" polycoef="0.1 0.5"/>
    <joint joint1="h2" joint2="h" polycoef="0.2 -3 0"/> </equality>
</mujoco>"""

GEOM = '<body name="b"> <geom type="{kind}" {size} pos="1 2 3" euler="10 20 30" {more}/> </body>'
SIZES = {"sphere": ".3", "box": ".1 .2 .3", "cylinder": ".1 .2", "capsule": ".1 .2", "ellipsoid": ".1 .2 .3"}


def robot_of(text: str) -> Robot:
    robot, findings = read(text, "<text>")
    assert robot is not None, [str(f) for f in findings]
    return robot


def configure(robot: Robot, q: np.ndarray, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Set MuJoCo's qpos to q, joint by joint, by name; quaternions are w first there."""
    for joint in (j for j in robot.joints.values() if j.kind.nq):
        leader, multiplier, offset = resolve_mimic(robot, joint.name)
        values = multiplier * q[robot.q_slices[leader]] + offset
        if joint.type in ("ball", "floating"):
            values = [*values[:-4], values[-1], *values[-4:-1]]
        data.joint(joint.name).qpos[:] = values
    mujoco.mj_kinematics(model, data)


def worst(robot: Robot, model: mujoco.MjModel, times: int = 20) -> float:
    """The largest entry by which the pose of a body or site differs, over random configurations."""
    rng, data, error = np.random.default_rng(0), mujoco.MjData(model), 0.0
    for _ in range(times):
        q = random_q(robot, rng)
        configure(robot, q, model, data)
        poses = all_frames(robot, q)
        poses.setdefault("world", np.eye(4))  # a robot whose root has another name
        for i in range(model.nbody):
            error = max(error, _off(poses[model.body(i).name], data.xpos[i], data.xmat[i]))
        sites = [i for i in range(model.nsite) if model.site(i).name in poses or not robot.sensors]
        for i in sites:  # some exist for sensors alone
            error = max(error, _off(poses[model.site(i).name], data.site_xpos[i], data.site_xmat[i]))
    return error


def _off(T: np.ndarray, p: np.ndarray, R: np.ndarray) -> float:
    return float(max(np.abs(T[:3, 3] - p).max(), np.abs(T[:3, :3] - R.reshape(3, 3)).max()))


REPLICAS = """<mujoco> <compiler eulerseq="{eulerseq}"/> <worldbody>
  <replicate count="11" offset="0.1 0.2 0" euler="10 20 30" sep="-">
    <frame pos="1 0 0"> <replicate count="3" offset="0 0 1" euler="0 30 0">
      <body name="b" pos="1 2 3"> <joint name="j" pos="0.1 0 0"/> <geom name="g" size="0.1"/>
        <site name="s" pos="1 0 0"/> </body> </replicate> </frame> </replicate> </worldbody> </mujoco>"""


@pytest.mark.parametrize("eulerseq", ["xyz", "XYZ"])
def test_replicas(eulerseq):
    text = REPLICAS.format(eulerseq=eulerseq)
    robot, model = robot_of(text), mujoco.MjModel.from_xml_string(text)
    assert [*robot.links][1:4] == ["b0-00", "b1-00", "b2-00"]
    assert robot.nq == 33
    assert worst(robot, model, 2) < 1e-12


@pytest.mark.parametrize("angle", ["radian", "degree"])
@pytest.mark.parametrize("eulerseq", ["xyz", "XYZ", "zyx", "xYz", "ZXZ", "yxy"])
def test_every_orientation_joint_and_frame(angle, eulerseq):
    text = POSES.format(angle=angle, eulerseq=eulerseq)
    assert worst(robot_of(text), mujoco.MjModel.from_xml_string(text)) < 1e-12


def test_followers_fulfil_mujocos_equalities():
    text = POSES.format(angle="degree", eulerseq="xyz")
    robot, model = robot_of(text), mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(1)
    for _ in range(20):
        configure(robot, random_q(robot, rng), model, data)
        mujoco.mj_fwdPosition(model, data)
        rows = np.array(data.efc_type[: data.nefc]) == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert rows.sum() == 2
        assert np.abs(data.efc_pos[: data.nefc][rows]).max() < 1e-12


@pytest.mark.parametrize("more", ["", 'density="3"', 'mass="2"', 'shellinertia="true"', 'group="4"'])
@pytest.mark.parametrize("kind", SIZES)
def test_masses_of_geoms(kind, more):
    geoms = [GEOM.format(kind=kind, size=f'size="{SIZES[kind]}"', more=more)]
    if kind != "sphere":
        geoms.append(GEOM.format(kind=kind, size='size=".1" fromto="0 0 0 1 2 3"', more="").replace('pos="1 2 3"', ""))
    body = "".join(geoms).replace('</body><body name="b">', '<geom size=".2" pos="0 1 0"/>')
    text = f'<mujoco><compiler inertiagrouprange="0 3"/><worldbody>{body}</worldbody></mujoco>'
    robot, model = robot_of(text), mujoco.MjModel.from_xml_string(text)
    if kind == "ellipsoid" and "shell" in more:  # a difference of near numbers: test_mjcf_masses_mujoco.py
        return
    same_masses(robot, model)


def same_masses(robot: Robot, model: mujoco.MjModel) -> None:
    for i in range(1, model.nbody):
        inertial = robot.links[model.body(i).name].inertial
        if inertial is None:
            assert model.body_mass[i] == 0
            continue
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[i])
        theirs = R.reshape(3, 3) @ np.diag(model.body_inertia[i]) @ R.reshape(3, 3).T
        ours = inertial.origin[:3, :3] @ inertial.inertia @ inertial.origin[:3, :3].T
        np.testing.assert_allclose(inertial.mass, model.body_mass[i], rtol=1e-12)
        np.testing.assert_allclose(inertial.origin[:3, 3], model.body_ipos[i], atol=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


def test_limits_and_springs():
    text = """<mujoco><worldbody><body name="b"> <geom size="1"/>
      <joint name="a" range="-30 40" springref="5" stiffness="1"/> <joint name="b" type="slide" range="-30 40"/>
      <joint name="c" range="1 0"/> <joint name="d" range="0 1" limited="false" actuatorfrcrange="-2 2"/>
      <joint name="e" type="slide" axis="1 0 0"/> </body></worldbody>
      <tendon> <fixed name="t" range="-3 4"> <joint joint="a" coef="2"/> <joint joint="b" coef="-1"/> </fixed> </tendon>
      </mujoco>"""
    robot, model = robot_of(text), mujoco.MjModel.from_xml_string(text)
    for name in "abcde":
        theirs, limit = model.joint(name), robot.joints[name].limit
        if theirs.limited[0]:
            np.testing.assert_allclose([limit.lower, limit.upper], theirs.range, atol=1e-15)
        else:
            assert [limit.lower, limit.upper] == [-np.inf, np.inf]
    assert robot.joints["d"].limit.effort == 2
    np.testing.assert_allclose(robot.joints["a"].dynamics[0].reference, model.qpos_spring[0], atol=1e-15)
    data, q = mujoco.MjData(model), random_q(robot, np.random.default_rng(3))
    configure(robot, q, model, data)
    mujoco.mj_fwdPosition(model, data)
    upper, lower = robot.limits.h - robot.limits.G @ q
    np.testing.assert_allclose([upper, lower], [4 - data.ten_length[0], data.ten_length[0] + 3], atol=1e-12)


def test_the_model_that_comes_with_mujoco_is_loaded_written_and_loaded_by_mujoco(tmp_path):
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    robot = kt.load(path)
    assert write(robot) == path.read_text()
    (tmp_path / "again.xml").write_text(write(build(parts_of(robot))))
    again = kt.load(tmp_path / "again.xml")
    assert worst(again, mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))) < 1e-12
    assert again.joint_names == robot.joint_names


def test_masses_of_a_robot_survive_the_way_through_mujoco():
    path = next(p for p in icub_urdfs() if "V2_5" in str(p))
    robot = kt.load(path)
    text = write(robot, without=("geometry",))
    model = mujoco.MjModel.from_xml_string(text)
    heavy = build(parts_of(robot_of(text)))
    same_masses(heavy, model)
    assert sum(link.inertial.mass for link in robot.links.values() if link.inertial) == pytest.approx(
        model.body_mass.sum(), rel=1e-12
    )


def test_keyframes_mean_the_same_after_the_joints_have_changed_places():
    body = "<body name='{}'><joint name='{}'/><geom size='0.1'/>{}</body>"
    inner = body.format("b", "h", body.format("c", "s", ""))
    text = f"<mujoco><worldbody><body name='b0'><geom size='0.1'/>{inner}</body></worldbody>"
    text += "<keyframe><key name='k' qpos='0.1 0.2' qvel='3 4'/></keyframe></mujoco>"
    robot = kt.edit.reroot(kt.edit.cut(robot_of(text), "b0"), "c")
    model = mujoco.MjModel.from_xml_string(write(robot))
    key, order = model.key("k"), [model.joint(i).name for i in range(model.njnt)]
    assert order == ["s", "h"]  # the other way round than in the first file
    assert dict(zip(order, key.qpos.tolist(), strict=True)) == {"h": 0.1, "s": 0.2}
    assert dict(zip(order, key.qvel.tolist(), strict=True)) == {"h": 3.0, "s": 4.0}


def test_mujoco_takes_the_texts_that_keep_order_and_names_and_the_looks_of_sites():
    robot = robot_of(POSES.format(eulerseq="xyz", angle="radian"))
    parts = parts_of(robot)
    parts.joint_order = robot.joint_names[::-1]
    parts.links.append(Link('l "m" <n>'))
    parts.joints.append(Joint("µ & ' \" <f>", "fixed", "a", parts.links[-1].name))
    written = write(build(parts))
    model = mujoco.MjModel.from_xml_string(written)
    assert model.ntext == 2
    texts = [t.rstrip("\0") for t in bytes(model.text_data).decode().split("\0") if t]
    assert {"joint_order": [*robot.joint_names[::-1]]} in map(json.loads, texts)
    again = robot_of(written)
    assert again.joint_names == robot.joint_names[::-1]
    assert "µ & ' \" <f>" in again.joints
    assert worst(again, model) < 1e-12
    before = mujoco.MjModel.from_xml_string(POSES.format(eulerseq="xyz", angle="radian"))
    for i in range(before.nsite):
        site, other = before.site(i), model.site(before.site(i).name)
        assert site.type == other.type
        assert np.abs(site.size - other.size)[: {2: 1, 6: 3}[int(site.type[0])]].max() < 1e-12


@pytest.mark.parametrize(
    ("scale", "reference"),
    [
        ("2 2 2", 'refpos="1 0 0"'),
        ("2 2 2", 'refpos="1 0 0" refquat="1 2 3 4"'),
        ("2 3 4", 'refpos="1 2 0"'),
        ("2 3 4", 'refpos=".1 .2 .3" refquat="1 1 0 0"'),
        ("-2 3 4", 'refquat="1 1 1 1"'),
    ],
)
def test_a_mesh_stands_where_mujoco_puts_it(scale, reference, tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
    facets = b"".join(
        struct.pack("<12fH", 0, 0, 0, *corners[list(f)].ravel(), 0)
        for f in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    )
    (tmp_path / "p.stl").write_bytes(bytes(80) + struct.pack("<I", 4) + facets)
    path = tmp_path / "r.xml"
    path.write_text(f"""<mujoco><asset><mesh name="p" file="p.stl" scale="{scale}" {reference}/></asset><worldbody>
      <geom type="mesh" mesh="p" pos=".1 .2 .3" quat="1 1 1 0"/></worldbody></mujoco>""")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = data.geom_xpos[0] + model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    (geometry,) = kt.load(path).links["world"].collisions
    ours = corners * geometry.shape.parameters["scale"] @ geometry.origin[:3, :3].T + geometry.origin[:3, 3]
    assert np.abs(ours[:, None] - theirs).max(axis=-1).min(axis=1).max() < 1e-6  # MuJoCo's are single floats


@pytest.mark.parametrize("kind", ["", 'type="box"', 'type="capsule"', 'type="mesh"', 'type="sdf"'])
def test_only_what_mujoco_takes_for_a_mesh_is_a_mesh(kind):
    text = f"""<mujoco><asset><mesh name="m" vertex="0 0 0 2 0 0 0 1 0 0 0 3"/></asset>
      <worldbody><geom {kind} mesh="m"/></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    is_mesh = int(model.geom_type[0]) in (int(mujoco.mjtGeom.mjGEOM_MESH), int(mujoco.mjtGeom.mjGEOM_SDF))
    robot, _ = read(text, "<text>")
    (geometry,) = robot.links["world"].collisions
    assert (geometry.shape.kind == "inline_mesh") == is_mesh


@pytest.mark.parametrize("scale", ["-1 1 1", "-1 -1 1", "1 2 -3"])
def test_mujoco_turns_the_faces_of_a_mirrored_mesh_itself(scale, tmp_path):
    (tmp_path / "m.stl").write_bytes(mesh_files.stl())
    scaled = f'<mesh filename="m.stl" scale="{scale}"/>'
    text = f'<robot name="r"><link name="a"><visual><geometry>{scaled}</geometry></visual></link></robot>'
    (tmp_path / "r.urdf").write_text(text)
    kt.save(kt.load(tmp_path / "r.urdf"), tmp_path / "r.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "r.xml"))
    a, b, c = (model.mesh_vert[model.mesh_face[:, i]] for i in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(abs(np.prod([float(x) for x in scale.split()])))


def test_a_mesh_that_is_sheared_is_left_out():
    text = """<mujoco><asset><mesh name="p" file="p.stl" scale="2 3 4" refquat="1 2 3 4"/></asset><worldbody>
      <geom type="mesh" mesh="p"/></worldbody></mujoco>"""
    robot, notes = read(text, "<text>")
    assert not robot.links["world"].collisions
    assert any("shears the mesh" in note.message for note in notes)

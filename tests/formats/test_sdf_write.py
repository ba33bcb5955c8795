"""SDF: written, and read back the same."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.formats import sdf
from kinetree.formats.sdf.names import names_for
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import (
    NO_AXES,
    Dynamics,
    Frame,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Sensor,
    Shape,
)
from kinetree.spatial.se3 import frozen, homogeneous
from sdf_texts import SCREWED, hinge, load, model
from support import all_frames, icub_urdfs, random_q, sample

RNG = np.random.default_rng(0)


def some_pose():
    return frozen(homogeneous(Rotation.random(random_state=RNG).as_matrix(), RNG.uniform(-1, 1, 3)))


def some_robot(kinds, nested=False):
    """A chain with a joint of each kind, every constant at random, a frame, a body and shapes on each link."""
    prefix = "arm::" if nested else ""
    links, joints, frames = [Link("base")], [], []
    for i, kind in enumerate(kinds):
        axes = frozen(Rotation.random(random_state=RNG).as_matrix()[: kind.axes])
        limits = tuple(Limit(-float(n + 1), 2.0, 3.0) for n in range(kind.axes)) if kind.name != "continuous" else ()
        name, parent = f"{prefix}l{i}", links[-1].name
        inertial = Inertial(1.0 + i, frozen(np.diag((1.0, 2.0, 3.0)) + 0.1), some_pose())
        visual = Geometry(Shape("box", {"size": (1.0, 2.0, 3.0)}), some_pose(), None, Material("red", (1, 0, 0, 1)))
        links.append(Link(name, inertial, (visual, visual), (visual,)))
        joint = f"{prefix}j{i}" if parent.startswith(prefix) else f"j{i}"
        joints.append(
            Joint(
                joint,
                kind.name,
                parent,
                name,
                some_pose(),
                axes,
                some_pose(),
                0.1 if kind.name == "screw" else 0.0,
                limits,
                dynamics=(Dynamics(1.0, 2.0, 3.0, 4.0),) * kind.axes,
            )
        )
        frames.append(Frame(f"{prefix}f{i}", name, some_pose()))
    sensor = Sensor(f"{prefix}s", "accelerometer", frames[0].name, some_pose(), update_rate=100.0)
    parts = parts_of(load(model('<link name="base"/>')))
    parts.links, parts.joints, parts.frames, parts.sensors = links, joints, frames, [sensor]
    return build(parts)


def same(robot, again, q):
    """Whether two robots are the same to rounding error."""
    at, at_again = all_frames(robot, q), all_frames(again, again.q({n: q[s] for n, s in robot.q_slices.items()}))
    assert set(at) == set(at_again)
    assert max(np.abs(at[name] - at_again[name]).max() for name in at) < 1e-12
    assert set(again.links) == set(robot.links)
    assert list(again.joints) == list(robot.joints)
    assert set(again.sensors) == set(robot.sensors)
    for joint in robot.joints.values():
        other = again.joints[joint.name]
        assert (joint.type, joint.parent, joint.child) == (other.type, other.parent, other.child)
        assert (joint.limit, joint.mimic) == (other.limit, other.mimic)
        assert any(d != Dynamics() for d in joint.dynamics) <= (joint.dynamics == other.dynamics)
    for link in robot.links.values():
        body, other_body = link.inertial, again.links[link.name].inertial
        assert (body is None) == (other_body is None)
        if body:
            assert body.mass == other_body.mass
            assert np.array_equal(body.inertia, other_body.inertia)
            assert np.abs(body.origin - other_body.origin).max() < 1e-14
        shapes, others = (*link.visuals, *link.collisions), again.links[link.name]
        assert [g.shape for g in shapes] == [g.shape for g in (*others.visuals, *others.collisions)]


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_every_joint_type_comes_back(nested):
    robot = some_robot([row for row in JOINT_TYPES.values() if row.sdf], nested)
    text = sdf.write(robot)
    again = load(text)
    same(robot, again, random_q(robot, RNG))
    assert again.sensors["arm::s" if nested else "s"].type == "accelerometer"
    assert sdf.write(build(parts_of(again))).count("\n") == text.count("\n")


@pytest.mark.slow
def test_every_icub_comes_back():
    paths = sample(icub_urdfs(), 3)
    assert paths
    for path in paths:
        robot = kt.load(path)
        text = sdf.write(robot, without=("extension",))
        same(robot, load(text), random_q(robot, RNG))


def test_an_unedited_text_comes_back_to_the_letter():
    text = model(f"<!-- mine -->{hinge()}<plugin name='p' filename='f'><x/></plugin>")
    assert sdf.write(load(text)) == text


def test_what_was_kept_goes_back_to_its_place():
    text = model(
        '<static>true</static><plugin name="p" filename="f"/>'
        + hinge(
            "<xyz>0 0 1</xyz><limit><lower>-1</lower><stiffness>5</stiffness></limit>"
            "<initial_position>1</initial_position>"
        )
        + """<link name="k"><gravity>0</gravity><inertial auto="true"/>
          <visual name="v"><transparency>0.5</transparency>
            <geometry><polyline><point>0 0</point><height>1</height></polyline></geometry>
            <material><ambient>1 1 1 1</ambient></material></visual></link>
          <joint name="kj" type="fixed"><parent>b</parent><child>k</child></joint>"""
    )
    robot = build(parts_of(load(text)))
    again = load(sdf.write(robot))
    for mine, other in ((robot, again), (robot.joints["j"], again.joints["j"]), (robot.links["k"], again.links["k"])):
        assert [(e.tag, e.text) for e in mine.extensions] == [(e.tag, e.text) for e in other.extensions]
    shapes = robot.links["k"].visuals[0], again.links["k"].visuals[0]
    assert sorted(e.text for e in shapes[0].extensions) == sorted(e.text for e in shapes[1].extensions)


UNKNOWN = "<x:y>1</x:y>"


@each("tag", ["visual", "collision"])
@each(
    "geometry",
    [
        UNKNOWN,
        f"<box><size>1 1 1</size></box>{UNKNOWN}",
        f"{UNKNOWN}<heightmap><uri>a</uri></heightmap>",
        f"{UNKNOWN}<heightmap><uri>a</uri></heightmap><box><size>1 1 1</size></box>",
        f"<box><size>1 1 1</size>{UNKNOWN}</box>",
        f"<sphere><radius>1</radius>{UNKNOWN}</sphere>",
        f"<mesh><uri>a.stl</uri>{UNKNOWN}</mesh>",
        f"<mesh><uri>a.stl</uri><submesh><name>s</name>{UNKNOWN}</submesh></mesh>",
        f"<polyline><point>0 0</point><height>1</height>{UNKNOWN}</polyline>",
    ],
)
def test_what_is_not_understood_in_a_geometry_comes_back_at_its_place(tag, geometry):
    inside = f'<{tag} name="v"><geometry>{geometry}</geometry></{tag}>'
    text = model(hinge().replace('<link name="a"/>', f'<link name="a">{inside}</link>')).replace(
        "<sdf ", '<sdf xmlns:x="urn:x" '
    )
    written = sdf.write(build(parts_of(load(text))))
    (found,) = re.findall(r"(?s)<geometry>(.*?)</geometry>", written)
    assert re.sub(r"\s", "", found) == re.sub(r"\s", "", geometry)


OLDER = f"""<sdf version="1.7" xmlns:kinetree="urn:kinetree"><model name="r" canonical_link="a"><link name="a">
  <visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry>
    <material kinetree:name="red"><diffuse>1 0 0 1</diffuse></material></visual></link>
  {hinge().partition("/>")[2]}
  <kinetree:material kinetree:name="blue"><diffuse>0 0 1 1</diffuse></kinetree:material>
  <kinetree:coupled_limit name="both" lower="-1" upper="2"><joint name="j" coefficient="3"/></kinetree:coupled_limit>
  <kinetree:carried of="joint" kinetree:name="j">{{"calibration.rising": 0.1}}</kinetree:carried></model></sdf>"""
"""What Kinetree adds to SDF, by the names that files of older versions have."""


def test_files_of_older_versions_keep_what_only_kinetree_reads():
    robot = load(OLDER)
    red = robot.links["a"].visuals[0].material
    assert [(m.name, m.rgba) for m in (red, robot.materials["blue"])] == [("red", (1, 0, 0, 1)), ("blue", (0, 0, 1, 1))]
    (limit,) = robot.coupled_limits
    assert (limit.name, dict(limit.coefficients), limit.lower, limit.upper) == ("both", {"j": 3.0}, -1, 2)
    assert robot.joints["j"].calibration.rising == 0.1
    assert not [note for note in robot.notes if note.code != "no-inertial"]


@each(
    "edit, version",
    [
        (lambda text: text, "1.7"),
        (lambda text: text.replace("revolute", "screw").replace("</joint>", SCREWED), "1.10"),
        (lambda text: text.replace("</axis>", '<mimic joint="lead"/></axis>').replace("<link", LEADER, 1), "1.11"),
        (lambda text: text.replace('"a"', '"n::a"').replace(">a<", ">n::a<"), "1.8"),
    ],
)
def test_the_lowest_version_that_says_it_all_is_written(edit, version):
    robot = build(parts_of(load(edit(model(hinge(), "1.7")))))
    assert f'<sdf version="{version}"' in sdf.write(robot)


@each("kind, version", [("sphere", "1.7"), ("capsule", "1.8"), ("ellipsoid", "1.8"), ("cone", "1.11")])
@each("where", ["visuals", "collisions"])
def test_what_is_left_out_asks_for_no_version(kind, version, where):
    size = {"radii": (1.0, 2.0, 3.0)} if kind == "ellipsoid" else {"radius": 1.0}
    size |= {"length": 2.0} if kind in ("capsule", "cone") else {}
    parts = parts_of(load(model('<link name="a"/>')))
    parts.links = [replace(parts.links[0], **{where: (Geometry(Shape(kind, size)),)})]
    robot = build(parts)
    assert f'<sdf version="{version}"' in sdf.write(robot)
    (again,) = getattr(load(sdf.write(robot)).links["a"], where)
    assert again.shape == Shape(kind, size)
    bare = sdf.write(robot, without=("geometry",))
    assert '<sdf version="1.7"' in bare
    assert not getattr(load(bare).links["a"], where)


def test_followers_that_are_left_out_ask_for_no_version():
    text = model(hinge()).replace("</axis>", '<mimic joint="lead"/></axis>').replace("<link", LEADER, 1)
    robot = build(parts_of(load(text)))
    bare = sdf.write(robot, without=["mimic"])
    assert '<sdf version="1.7"' in bare
    assert load(bare).joints["j"].mimic is None
    assert load(sdf.write(robot)).joints["j"].mimic == robot.joints["j"].mimic is not None


LEADER = """<link name="z"/><joint name="lead" type="revolute"><parent>z</parent><child>a</child><axis/></joint><link"""


def test_a_root_called_world_is_the_world():
    text = """<robot name="r"><link name="world"/><link name="a"/><link name="b"/>
      <joint name="on" type="fixed"><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
        <parent link="world"/><child link="a"/></joint>
      <joint name="j" type="continuous"><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
        <parent link="world"/><child link="b"/></joint></robot>"""
    robot = kt.load(text, format="urdf")
    written = sdf.write(robot)
    assert "<parent>world</parent>" in written
    assert '<link name="world"' not in written
    same(robot, load(written), [0.7])


def test_no_world_is_called_world():
    """libsdformat reserves the name, which a robot of several models in one file has here."""
    text = '<sdf version="1.10"><model name="a"><link name="l"/></model><model name="b"><link name="l"/></model></sdf>'
    robot = load(text)
    assert robot.name == robot.root == "world"
    written = sdf.write(build(parts_of(robot)))
    assert '<world name="world_robot">' in written
    again = load(written)
    assert again.name == "world"
    same(robot, again, robot.q())


def test_names_that_sdf_reserves_or_that_two_things_have_get_the_kind_of_the_thing():
    links = ("a_link", "__a__", "world", "a", "b::world", " c ", "c", "____")
    joints = dict(zip(("__a__", "a_joint", "a", "c", "world", "x::y", "b"), links[1:], strict=True))
    text = "".join(
        f'<joint name="{name}" type="continuous"><parent link="a_link"/><child link="{child}"/></joint>'
        for name, child in joints.items()
    )
    robot = kt.load(
        f'<robot name="__r__">{"".join(f"""<link name="{name}"/>""" for name in links)}{text}</robot>', format="urdf"
    )
    assert names_for(robot) == {
        ("link", "__a__"): "a_link_link",
        ("link", "world"): "world_link",
        ("link", "b::world"): "b::world_link",
        ("link", " c "): "c",
        ("link", "c"): "c_link",
        ("link", "____"): "link",
        ("joint", "__a__"): "a_joint",
        ("joint", "a_joint"): "a_joint_joint",
        ("joint", "a"): "a_joint_",
        ("joint", "c"): "c_joint",
        ("joint", "world"): "world_joint",
        ("joint", "x::y"): "x_y",
        ("joint", "b"): "b_joint",
        ("robot", "__r__"): "r_robot",
    }
    assert len({*names_for(robot).values()}) == 14


def test_materials_keep_their_names():
    text = """<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
      <material name="blue"><color rgba="0 0 1 1"/></material>
      <link name="a"><visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual></link></robot>"""
    again = load(sdf.write(kt.load(text, format="urdf")))
    assert [(m.name, m.rgba) for m in again.materials.values()] == [("red", (1, 0, 0, 1)), ("blue", (0, 0, 1, 1))]
    assert again.links["a"].visuals[0].material.name == "red"
    assert again.links["a"].visuals[0].material.rgba == (1, 0, 0, 1)


def urdf_joint(inside, kind="revolute"):
    return kt.load(
        f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{kind}">
        <parent link="a"/><child link="b"/><limit lower="0" upper="0" velocity="1" effort="1"/><axis xyz="1 0 0"/>
        {inside}</joint></robot>""",
        format="urdf",
    )


@each(
    "robot, code",
    [
        (lambda: urdf_joint("", "planar"), "cannot-say-joint"),
        (lambda: urdf_joint("", "floating"), "cannot-say-joint"),
        (
            lambda: edited(lambda j: replace(j, type="ball", axes=NO_AXES, limits=(Limit(0, 1),) * 3)),
            "cannot-say-limit",
        ),
        (lambda: edited(lambda j: replace(j, limits=(Limit(0.1, 0),))), "cannot-say-limit"),  # libsdformat refuses it
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(robot, code):
    with pytest.raises(KinetreeError) as caught:
        sdf.write(robot())
    assert {finding.code for finding in caught.value.findings} == {code}
    part = code.removeprefix("cannot-say-")
    if part != "joint":
        assert load(sdf.write(robot(), without=(part,))).joints["j"]


def test_limits_between_which_there_is_one_place_are_written():
    limit = load(sdf.write(urdf_joint(""))).joints["j"].limit
    assert (limit.lower, limit.upper) == (0, 0)


def edited(edit):
    """The hinge with its joint edited."""
    parts = parts_of(load(model(hinge())))
    parts.joints = [edit(joint) for joint in parts.joints]
    return build(parts)


def test_a_follower_of_a_joint_in_another_model_comes_back():
    robot = some_robot([JOINT_TYPES["revolute"]] * 3, nested=True)
    parts = parts_of(robot)
    parts.joints[1] = replace(parts.joints[1], mimic=Mimic("j0"))
    robot = build(parts)
    again = load(sdf.write(robot))
    assert again.joints[parts.joints[1].name].mimic == Mimic("j0")
    same(robot, again, [0.3, 0.2])


def test_saved_and_loaded(tmp_path):
    robot = some_robot([JOINT_TYPES["revolute"]])
    kt.save(robot, tmp_path / "r.sdf")
    same(robot, kt.load(tmp_path / "r.sdf"), [0.3])


@pytest.mark.slow
def test_every_prefix_is_declared():
    icub = kt.load("icub")
    for part in ("extension", "coupled_limit"):
        text = sdf.write(icub.order(icub.joint_names[::-1]), (part, "group", "velocity_limit"))
        assert "kinetree:" in text
        ElementTree.fromstring(text)  # raises where a prefix is not
    plain = build(parts_of(load(model(hinge()))))
    assert "xmlns" not in sdf.write(plain)

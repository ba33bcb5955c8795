"""SDF: worlds, several models and several roots as one robot; joints that close loops."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.formats import mjcf, sdf
from kinetree.model.assemble import build, parts_of
from sdf_texts import WORLD, close, errors, load, model, opener, pose
from support import all_frames

BOX = '<model name="box"><pose>0 0 1 0 0 0.5</pose><link name="l"><pose>1 0 0 0 0 0</pose></link></model>'
GROUND = '<model name="ground"><static>true</static><link name="l"/></model>'


def world(inside, version="1.10"):
    return f'<sdf version="{version}"><world name="w">{inside}</world></sdf>'


def test_a_world_is_one_robot():
    robot = load(WORLD)
    assert (robot.name, robot.root) == ("w", "world")
    assert [*robot.links] == ["world", "one::a", "one::b", "two::a", "two::b"]
    assert {j.name: (j.type, j.parent, j.child) for j in robot.joints.values()} == {
        "one": ("floating", "world", "one::a"),
        "one::j": ("revolute", "one::a", "one::b"),
        "two::j": ("revolute", "two::a", "two::b"),
        "hold": ("fixed", "world", "two::a"),
    }
    assert close(all_frames(robot, robot.q())["two::a"], pose(5, 1, 0))
    assert robot.frames["spot"].link == "world"
    assert [note.code for note in robot.notes] == ["include-not-found", *["no-inertial"] * 4]
    assert {note.severity for note in robot.notes} == {"warning"}
    assert [e.tag for e in robot.extensions] == ["gravity", "include"]


def test_static_models_are_fixed_and_others_float_from_where_they_are_drawn():
    robot = load(world(BOX + GROUND))
    assert {j.name: j.type for j in robot.joints.values()} == {"box": "floating", "ground": "fixed"}
    T = pose(0, 0, 1, yaw=0.5) @ pose(1, 0, 0)
    assert close(all_frames(robot, robot.q())["box::l"], T)
    moved = robot.q(box=(0.1, 0.2, 0.3, 0, 0, np.sin(0.2), np.cos(0.2)))
    assert close(all_frames(robot, moved)["box::l"], T @ pose(0.1, 0.2, 0.3, yaw=0.4))


def test_an_include_is_static_where_it_says_so():
    include = "<include><uri>box.sdf</uri><name>{}</name><static>{}</static></include>"
    text = world(include.format("a", "true") + include.format("b", "false"))
    robot, _ = sdf.read(text, "w.sdf", opener({"box.sdf": model('<link name="l"/>')}))
    assert {j.name: j.type for j in robot.joints.values()} == {"a": "fixed", "b": "floating"}


def test_models_without_a_world_make_one():
    robot = load(f'<sdf version="1.7">{BOX}{GROUND}</sdf>')
    assert (robot.root, robot.name, [*robot.joints]) == ("world", "world", ["box", "ground"])


def test_several_roots_of_a_model_hang_on_the_world():
    robot = load(model('<pose>1 0 0 0 0 0</pose><link name="a"/><link name="b"><pose>0 1 0 0 0 0</pose></link>'))
    assert (robot.root, robot.name) == ("world", "m")
    assert {j.name: (j.type, j.child) for j in robot.joints.values()} == {
        "a_joint": ("floating", "a"),
        "b_joint": ("floating", "b"),
    }
    assert close(all_frames(robot, robot.q())["b"], pose(1, 1, 0))
    (note,) = (note for note in robot.notes if note.code == "several-roots")
    assert "'a', 'b'" in note.message
    still = load(model('<static>1</static><link name="a"/><link name="b"/>'))
    assert {j.type for j in still.joints.values()} == {"fixed"}


def test_a_joint_of_the_world_connects_two_models():
    tie = '<joint name="tie" type="fixed"><parent>ground::l</parent><child>box::l</child></joint>'
    robot = load(world(BOX + GROUND + tie))
    assert {j.name: j.parent for j in robot.joints.values()} == {"ground": "world", "tie": "ground::l"}


def test_a_static_model_stays_where_it_is_though_a_joint_from_a_free_one_ends_there():
    tie = '<joint name="tie" type="ball"><parent>box::l</parent><child>ground::l</child></joint>'
    robot = load(world(BOX + GROUND + tie))
    assert {j.name: (j.parent, j.type) for j in robot.joints.values()} == {
        "box": ("world", "floating"),
        "ground": ("world", "fixed"),
    }
    assert [*robot.loops] == ["tie"]


def test_names_of_trees_are_those_of_their_models():
    nested = '<model name="in"><link name="a"/></model>'
    robot = load(world(f'<model name="m"><link name="a"/>{nested}<link name="z"/></model>' + BOX))
    assert {j.name: j.child for j in robot.joints.values()} == {
        "m": "m::a",
        "m::in": "m::in::a",
        "m::z_joint": "m::z",
        "box": "box::l",
    }


def test_a_world_whose_models_cannot_be_found_is_refused():
    (error,) = errors(world("<include><uri>model://nowhere</uri></include>"))
    assert error.code == "include-not-found"
    (error,) = errors(world('<light name="l" type="point"/>'))
    assert error.code == "no-model"


def test_a_world_of_models_of_gazebo_is_read_without_them():
    fuel = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Oak tree"
    for uri in ("model://sun", "ground_plane", "model://cafe_table/", "model://drc_practice_truss/model.sdf", fuel):
        robot = load(world(f"<include><uri>{uri}</uri></include>"))
        assert ([*robot.links], [(n.code, n.severity) for n in robot.notes]) == (["world"], [("gazebo-model", "info")])
        assert [error.code for error in errors(model(f"<include><uri>{uri}</uri></include>"))] == ["missing-model"]
    for uri in ("model://suns", "model://sun/other", "file://sun", "https://example.org/models/sun", "sun.sdf"):
        assert [error.code for error in errors(world(f"<include><uri>{uri}</uri></include>"))] == ["include-not-found"]
    both = "<include><uri>model://sun</uri></include><include><uri>model://nowhere</uri></include>"
    assert [error.code for error in errors(world(both))] == ["include-not-found"]


def test_of_an_empty_file_without_a_version_only_that_is_said():
    assert [error.code for error in errors("<sdf/>")] == ["sdf-version"]
    assert [error.code for error in errors('<sdf version="1.9"/>')] == ["no-model"]


def test_a_world_with_a_bad_model_is_refused_with_its_error():
    (error,) = errors(world(BOX + '<model name="m"><link name="a"/><link name="a"/></model>'))
    assert error.code == "duplicate-name"


def test_one_of_several_worlds_is_named():
    text = f'<sdf version="1.10"><world name="one">{BOX}</world><world name="two">{GROUND}</world></sdf>'
    (error,) = errors(text)
    assert error.code == "several-models"
    assert "'one', 'two'" in error.message
    assert [*load(text, model="two").joints] == ["ground"]
    assert load(text, model="box").root == "l"


LOOP = """<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link><link name="c"><pose>1 1 0 0 0 0</pose></link>
  <joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="bc" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="ac" type="revolute"><pose>0.1 0 0 0 0 0.3</pose><parent>a</parent><child>c</child>
    <axis><xyz>0 0 1</xyz></axis></joint>"""


def test_the_later_joint_of_a_link_closes_a_loop():
    robot = load(model(LOOP))
    assert ([*robot.joints], [*robot.loops]) == (["ab", "bc"], ["ac"])
    loop = robot.loops["ac"]
    assert (loop.parent, loop.child, loop.type) == ("a", "c", "revolute")
    assert close(loop.origin, pose(1, 1, 0) @ pose(0.1, 0, 0, yaw=0.3))
    (note,) = (note for note in robot.notes if note.code == "loop")
    assert note.element == "joint 'ac'"
    assert note.source.line == 7


def test_a_circle_is_cut_at_its_last_joint():
    turned = LOOP.replace("<parent>a</parent><child>c</child>", "<parent>c</parent><child>a</child>")
    robot = load(model(turned))
    assert (robot.root, [*robot.joints], [*robot.loops]) == ("a", ["ab", "bc"], ["ac"])


def test_a_circle_is_entered_where_another_joint_leads_into_it():
    joints = '<joint name="{}" type="ball"><parent>{}</parent><child>{}</child></joint>'
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    ends = ("cb", "ab", "bc", "cd")
    robot = load(model(links + "".join(joints.format(f"j{i}", *pair) for i, pair in enumerate(ends))))
    assert (robot.root, [*robot.joints], [*robot.loops]) == ("a", ["j1", "j2", "j3"], ["j0"])


CHAIN = """<link name="a"/><link name="b"><pose>1 0 0 0.2 0 0</pose></link>
  <link name="c"><pose>1 1 0 0 0.3 0</pose></link>
  <joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
    <sensor name="ft" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor></joint>
  <joint name="bc" type="{}"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>"""
HOLD = '<joint name="hold" type="fixed"><parent>world</parent><child>c</child></joint>'


@pytest.mark.parametrize("around", [model, lambda inside: world(f'<model name="m">{inside}</model>')])
def test_a_tree_that_is_held_below_its_root_hangs_there_by_reversed_joints(around):
    robot, free = load(around(CHAIN.format("prismatic") + HOLD)), load(model(CHAIN.format("prismatic")))
    scope = "" if "a" in robot.links else "m::"
    assert [robot.joints[f"{scope}{name}"].parent for name in ("ab", "bc")] == [f"{scope}b", f"{scope}c"]
    assert (robot.root, [*robot.loops], robot.nq) == ("world", [], 2)
    notes = [(note.code, note.element) for note in robot.notes if note.code != "sensor"]
    assert notes.count(("reversed-joint", f"joint '{scope}ab'")) == 1
    assert ("reversed-joint", f"sensor '{scope}ft'") in notes or ("reversed-joint", "sensor 'ft'") in notes
    (sensor,), (before,) = robot.sensors.values(), free.sensors.values()
    assert (sensor.force_torque.measures, before.force_torque.measures) == ("parent_on_child", "child_on_parent")
    q = {"ab": 0.4, "bc": -0.3}
    here = all_frames(robot, robot.q({f"{scope}{name}": value for name, value in q.items()}))
    there = all_frames(free, free.q(q))
    for name in "abc":
        ours = np.linalg.solve(here[f"{scope}c"], here[scope + name])
        assert close(ours, np.linalg.solve(there["c"], there[name]))
    assert close(here[f"{scope}c"], pose(1, 1, 0, pitch=0.3))
    same(robot, load(sdf.write(build(parts_of(robot)), without=("sensor",))))


def test_a_tree_that_no_joint_can_hold_below_its_root_floats_and_closes_a_loop():
    robot = load(model(CHAIN.format("ball") + HOLD))
    assert ([*robot.loops], robot.joints["m"].type if "m" in robot.joints else "") == (["hold"], "")
    assert robot.joints["a_joint"].type == "floating"
    (note,) = (note for note in robot.notes if note.code == "loop")
    assert "joints that cannot be reversed" in note.message


def test_trees_that_joints_connect_hang_on_the_first():
    two = '<link name="a"/><link name="b"/><link name="c"/><joint name="ac" type="fixed"><parent>a</parent>'
    two += '<child>c</child></joint><joint name="bc" type="revolute"><parent>b</parent><child>c</child>'
    robot = load(model(f"{two}<axis><xyz>0 0 1</xyz></axis></joint>"))
    assert (robot.root, [*robot.loops]) == ("a", [])
    assert robot.joints["bc"].parent == "c"


def same(one, other):
    """Compare two robots by names, types, order and the poses of all frames."""
    assert (one.name, one.root, one.joint_names) == (other.name, other.root, other.joint_names)
    assert {j.name: (j.type, j.parent, j.child) for j in one.joints.values()} == {
        j.name: (j.type, j.parent, j.child) for j in other.joints.values()
    }
    assert {*one.loops} == {*other.loops}
    q = np.random.default_rng(0).uniform(-1, 1, one.nq)
    here, there = all_frames(one, q), all_frames(other, q)
    assert here.keys() == there.keys()
    assert max(np.abs(here[name] - there[name]).max() for name in here) < 1e-13
    for loop in one.loops.values():
        assert np.abs(loop.origin - other.loops[loop.name].origin).max() < 1e-13
        assert np.abs(loop.child_origin - other.loops[loop.name].child_origin).max() < 1e-13


@each(
    "text",
    [
        WORLD,
        world(BOX + GROUND),
        world(BOX + GROUND + '<joint name="tie" type="ball"><parent>box::l</parent><child>ground::l</child></joint>'),
        world('<model name="m"><link name="a"/><model name="in"><link name="a"/></model><link name="z"/></model>'),
        f'<sdf version="1.7">{BOX}{GROUND}</sdf>',
        model('<link name="a"/><link name="b"><pose>0 1 0 0 0 0</pose></link>'),
        model('<static>true</static><link name="a"/><link name="b"><pose>0 1 0 0 0 0</pose></link>'),
        model(LOOP),
        world(f'<model name="m"><pose>0 1 0 0 0.3 0</pose>{LOOP}</model>'),
    ],
)
def test_what_is_written_comes_back(text):
    robot = load(text)
    same(robot, load(sdf.write(build(parts_of(robot)))))


def test_a_robot_that_floats_keeps_its_joint_and_its_place():
    robot, _ = mjcf.read('<mujoco><worldbody><body name="b"><freejoint name="f"/></body></worldbody></mujoco>', "f.xml")
    assert robot is not None
    text = sdf.write(build(parts_of(robot)))
    assert "<model" in text
    assert "<world" not in text
    same(robot, load(text))


def test_a_loop_that_is_open_in_the_file_is_refused():
    robot = kt.edit.lock(load(model(LOOP)), {"ab": 0.1})
    with pytest.raises(KinetreeError, match="open with all joints at zero"):
        sdf.write(robot)
    assert not load(sdf.write(robot, without=("loop",))).loops


MOVER = """<model name="{}"><link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose></link>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
  <plugin name="p" filename="f"><joint_name>j</joint_name></plugin></model>"""


def test_names_in_plugins_of_a_model_follow_its_joints():
    robot = load(world(MOVER.format("one") + MOVER.format("two")))
    renamed = kt.edit.rename(robot, joints={"one::j": "one::k"})
    assert [e.text.count("<joint_name>k</joint_name>") for e in renamed.extensions] == [1, 0]
    moved = kt.edit.rename(
        robot, {name: f"x_{name}" for name in (*robot.links, *robot.joints) if name.startswith(("one", "two"))}
    )
    assert [e.tag for e in moved.extensions] == ["x_one::plugin", "x_two::plugin"]
    assert all("<joint_name>j</joint_name>" in e.text for e in moved.extensions)
    same(moved, load(sdf.write(moved)))


@pytest.mark.slow
def test_things_that_float_take_part_in_inverse_kinematics():
    robot = load(world(MOVER.format("one") + MOVER.format("two")))
    T = np.array([[0.0, -1.0, 0.0, 3.0], [1.0, 0.0, 0.0, -2.0], [0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
    for base in (None, "two::b"):
        result = kt.ik(robot, "one::b", base)(T)
        assert result.success
        np.testing.assert_allclose(kt.fk(robot, "one::b", base)(result.q), T, rtol=0, atol=2e-6)
    assert kt.ik(robot, "one::b", "one::a", goal="orientation").coordinate_names == ("one::j",)


@pytest.mark.slow
def test_answers_about_a_world_do_not_depend_on_where_things_float():
    robot = load(world(MOVER.format("one") + MOVER.format("two")))
    alone = load(world(MOVER.format("one")), model="one")
    rng = np.random.default_rng(2)
    q = rng.normal(size=(5, robot.nq))
    at = [*robot.joint_names].index("one::j")
    columns = robot.q_slices["one::j"]
    assert robot.joint_names[at] == "one::j"
    turned = q[:, columns]
    np.testing.assert_allclose(kt.fk(robot, "one::b", "one::a")(q), kt.fk(alone, "b")(turned), atol=1e-14)
    J, J_alone = kt.jacobian(robot, "one::b", "one::a")(q), kt.jacobian(alone, "b")(turned)
    np.testing.assert_allclose(J[..., 6], J_alone[..., 0], atol=1e-14)
    assert not J[..., :6].any()
    assert kt.hessian(robot, "one::b")(q).shape == (5, robot.nv, 6, robot.nv)
    assert np.isfinite(kt.manipulability(robot, "one::b")(q)).all()
    assert not robot.limits.names or np.isinf(robot.limits.margin(q)).all()


def test_a_static_model_needs_no_link():
    empty = '<model name="m"><model name="n"><static>true</static></model></model>'
    robot = load(world(BOX + empty + '<frame name="f" attached_to="m::n"><pose>1 0 0 0 0 0</pose></frame>'))
    assert [*robot.links] == ["world", "box::l"]
    assert robot.frames["f"].link == "world"
    assert [*load(f'<sdf version="1.8">{empty}</sdf>').links] == ["world"]
    (error,) = errors(world(BOX + empty.replace("true", "false")))
    assert error.code == "no-links"

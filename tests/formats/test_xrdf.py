"""XRDF onto a robot and back, and the YAML of cuRobo, both read by PyYAML, too."""

import pickle
from dataclasses import replace

import pytest
import yaml

import kinetree as kt
from carried_robots import differences
from each import each
from kinetree.formats.registry import WRITTEN, ReadOptions
from kinetree.load import examine
from kinetree.model.semantic import CollisionPair, Semantic, Sphere, SphereApproximation

URDF = """<robot name="arm"><link name="base"/><link name="upper"/><link name="fore"/><link name="no"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
<limit lower="0.5" upper="2" effort="1" velocity="1"/></joint>
<joint name="j3" type="prismatic"><parent link="fore"/><child link="no"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.1" effort="1" velocity="1"/></joint></robot>"""
XRDF = """format: xrdf
format_version: 1.0
modifiers:
  - set_base_frame: base
  - add_frame:
      frame_name: grip
      parent_frame_name: fore
      joint_name: grip_joint
      joint_type: FIXED
      fixed_transform:
        position: [0, 0, 0.25]
        orientation: {w: 0, xyz: [1, 0, 0]}
default_joint_positions:
  j1: 0.75
  j2: 1.5
  j3: 0.04
cspace:
  joint_names: [j2, j1]
  acceleration_limits: [12, 10.5]
  jerk_limits: [500, 400]
tool_frames: [grip, fore]
collision:
  geometry: balls
  buffer_distance:
    upper: 0.01
self_collision:
  geometry: balls
  buffer_distance:
    fore: -0.02
  ignore:
    upper: [fore, base]
    fore: [upper]
geometry:
  balls:
    spheres:
      upper:
        - center: [0, 0, 1e-05]
          radius: 0.05
        - center: [0.1, -0.2, 0.3]
          radius: 0.07
      fore:
        - center: [0, 0, 0]
          radius: -0.01
viewer:
  color: red  # a comment
"""


def load(text=XRDF):
    return kt.load(URDF, format="urdf", srdf=text)


def test_everything_is_on_the_robot_and_comes_back():
    robot = load()
    assert robot.groups == {"cspace": ("j2", "j1"), "tool_frames": ("j2",)}
    assert [(one.name, one.value) for one in robot.semantic.group_states[0].joints] == [
        ("j1", (0.75,)),
        ("j2", (1.5,)),
        ("j3", (0.04,)),
    ]
    assert {name: (joint.limit.acceleration, joint.limit.jerk) for name, joint in robot.joints.items()} == {
        "j1": (10.5, 400),
        "j2": (12, 500),
        "j3": (float("inf"),) * 2,
    }
    assert robot.joints["j2"].limit.upper == 2
    assert robot.frames["grip"].link == "fore"
    assert robot.frames["grip"].origin.tolist() == [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0.25], [0, 0, 0, 1]]
    upper, fore = robot.semantic.sphere_approximations
    balls = (Sphere((0.0, 0.0, 1e-05), 0.05), Sphere((0.1, -0.2, 0.3), 0.07))
    assert upper == SphereApproximation("upper", balls, 0.01)
    assert fore == SphereApproximation("fore", (Sphere((0.0, 0.0, 0.0), -0.01),), 0.0, -0.02)
    assert robot.semantic.disabled_collisions == (CollisionPair("upper", "fore"), CollisionPair("upper", "base"))
    assert [(note.severity, note.message, note.source.line) for note in robot.notes] == [
        ("info", "'viewer' is not understood; it is kept unchanged", 44)
    ]
    text = kt.text(robot, "xrdf")
    assert text.endswith("viewer:\n  color: red  # a comment\n")
    assert not differences(robot, load(text))
    assert not differences(robot, pickle.loads(pickle.dumps(robot)))


def test_the_file_for_curobo_says_the_same():
    own = yaml.safe_load(kt.text(load(), "curobo"))["robot_cfg"]["kinematics"]
    assert own == {
        "urdf_path": "arm.urdf",
        "base_link": "base",
        "ee_link": "grip",
        "link_names": ["grip", "fore"],
        "lock_joints": {"j3": 0.04},
        "collision_link_names": ["upper", "fore"],
        "collision_sphere_buffer": {"upper": 0.01},
        "self_collision_buffer": {"upper": 0.0, "fore": -0.02},
        "self_collision_ignore": {"upper": ["fore", "base"]},
        "collision_spheres": {
            "upper": [
                {"center": [0.0, 0.0, 1e-05], "radius": 0.05},
                {"center": [0.1, -0.2, 0.3], "radius": 0.07},
            ],
            "fore": [{"center": [0.0, 0.0, 0.0], "radius": -0.01}],
        },
        "cspace": {
            "joint_names": ["j2", "j1"],
            "retract_config": [1.5, 0.75],
            "null_space_weight": [1.0, 1.0],
            "cspace_distance_weight": [1.0, 1.0],
            "max_acceleration": [12.0, 10.5],
            "max_jerk": [500.0, 400.0],
        },
    }


FAULTS = {
    "xrdf: ": ("format: xrdf", "format: urdf", 1, "expected `format: xrdf`"),
    "a version": ("format_version: 1.0", "format_version: 2.0", 1, "format_version is 2.0; 1.0 is read"),
    "no version": ("format_version: 1.0\n", "", 1, "format_version is None; 1.0 is read"),
    "another base": ("set_base_frame: base", "set_base_frame: fore", 4, "the base frame is 'fore'; the root of the"),
    "a frame that moves": (
        "joint_type: FIXED",
        "joint_type: REVOLUTE",
        5,
        "a frame on a joint of type REVOLUTE; expect",
    ),
    "a frame on nothing": ("frame_name: fore", "frame_name: for", 5, "'for'"),
    "a frame that exists": ("frame_name: grip", "frame_name: upper", 5, "there is already a link of this name"),
    "no rotation": ("w: 0, xyz: [1, 0, 0]", "w: 0, xyz: [0, 0, 0]", 5, ""),
    "two numbers": ("[0, 0, 0.25]", "[0, 0]", 11, "expected 3 numbers"),
    "an unknown joint": ("  j1: 0.75", "  j9: 0.75", 14, "the joint 'j9' does not exist"),
    "an unknown joint that moves": ("joint_names: [j2, j1]", "joint_names: [j2, j9]", 18, "'j9' does not exist"),
    "no number": ("j2: 1.5", "j2: .nan", 15, "expected a finite number, not '.nan'"),
    "too few limits": ("[500, 400]", "[500]", 20, "jerk_limits are [500.0]; expected 2 numbers above 0"),
    "no limit": ("[12, 10.5]", "[12, 0]", 19, "acceleration_limits are [12.0, 0.0]; expected 2 numbers above 0"),
    "an unknown tool": ("[grip, fore]", "[grap, fore]", 21, "the link 'grap' does not exist"),
    "no list": ("[grip, fore]", "grip", 21, "expected a list, not 'grip'"),
    "no mapping": ("    upper: 0.01", "    - upper", 24, "expected names with values"),
    "no name": (
        "geometry: balls\n  buffer_distance:\n    upper",
        "geometry: ''\n  buffer_distance:\n    upper",
        23,
        "a name",
    ),
    "no spheres": ("    upper: 0.01", "    base: 0.01", 25, "the buffer_distance of 'base', which has no spheres, is"),
    "an unknown pair": ("upper: [fore, base]", "upper: [fore, bass]", 31, "the link 'bass' does not exist"),
    "an unknown group": (
        "self_collision:\n  geometry: balls",
        "self_collision:\n  geometry: ball",
        27,
        "no geometry 'ball'",
    ),
    "two groups": (
        "geometry:\n  balls",
        "geometry:\n  rest:\n    spheres: {}\n  balls",
        34,
        "'rest' are not read and not",
    ),
    "an unknown link": ("      fore:\n        -", "      fare:\n        -", 41, "the link 'fare' does not exist"),
    "twice": ("  j2: 1.5", "  j1: 1.5", 15, "'j1' stands here 2 times; expected one"),
}
ERRORS = {
    *(
        "xrdf: ",
        "a frame on nothing",
        "a frame that exists",
        "no rotation",
        "two numbers",
        "no number",
        "no list",
    ),
    *("an unknown joint that moves", "too few limits", "no limit", "an unknown tool", "no mapping", "no name"),
    *("an unknown group", "twice"),
}


@each("name", FAULTS)
def test_what_is_wrong_is_said_with_its_line(name):
    old, new, line, message = FAULTS[name]
    assert old in XRDF
    text = XRDF.replace(old, new, 1)
    robot, found = examine(URDF, ReadOptions(format="urdf", srdf=text))
    told = [one for one in found if message in one.message and one.source.line == line]
    assert told, [(one.source, one.message) for one in found]
    assert (told[0].severity == "error") == (name in ERRORS)
    assert (robot is None) == any(one.severity == "error" for one in found)


@each(
    "old, indent",
    [
        ("cspace:\n", 2),
        ("self_collision:\n", 2),
        ("collision:\n", 2),
        ("        - center: [0, 0, 1e-05]\n", 10),
        ("      fixed_transform:\n", 8),
        ("      joint_type: FIXED\n", 6),
        ("  balls:\n", 4),
        ("  - set_base_frame: base\n", 4),
    ],
)
def test_an_unknown_key_is_named(old, indent):
    text = XRDF.replace(old, f"{old}{' ' * indent}odd: 1\n", 1)
    (note,) = [note for note in load(text).notes if "'odd'" in note.message]
    line = text[: text.index("odd")].count("\n") + 1
    assert (note.severity, note.code, note.source.line) == ("warning", "not-understood", line)


@each("text", ["", "- 1", "format: [", "a: 1", "format: xrdf\n" * 2])
def test_what_is_no_xrdf_is_an_error(text):
    with pytest.raises(kt.KinetreeError) as error:
        load(text + "\n")
    assert {one.code for one in error.value.findings} <= {"xrdf", "yaml"}


def test_awkward_names_and_numbers_are_read_by_other_readers():
    names = ["no", 'a"b\\', "é: [x]", "# 1", "a\nb\u2028", "1e5", "long_name_of_a_link"]
    spheres = tuple(SphereApproximation(name, (Sphere((1e-07, -0.0, 3.0), 1e22),)) for name in names)
    pairs = tuple(CollisionPair(names[0], name, "Never", 'proved\n"x"') for name in names[1:])
    links = "".join(f"<link name='l{i}'/>" for i in range(len(names)))
    joints = "".join(
        f"<joint name='j{i}' type='fixed'><parent link='l0'/><child link='l{i}'/></joint>" for i in range(1, len(names))
    )
    robot = kt.load(f"<robot name='r'>{links}{joints}</robot>", format="urdf")
    robot = kt.edit.rename(robot, links={f"l{i}": name for i, name in enumerate(names)})
    robot = replace(
        robot, semantic=Semantic("r", sphere_approximations=spheres, disabled_collisions=pairs, evidence="a\nb")
    )
    for format, of in (("xrdf", lambda own: own["geometry"]["spheres"]["spheres"]), ("curobo", None)):
        text = kt.text(robot, format)
        assert text.startswith("# a\n# b\n")
        read = yaml.safe_load(text)
        own = of(read) if of else read["robot_cfg"]["kinematics"]["collision_spheres"]
        assert own == {name: [{"center": [1e-07, 0.0, 3.0], "radius": 1e22}] for name in names}
        ignored = read["self_collision"]["ignore"] if of else read["robot_cfg"]["kinematics"]["self_collision_ignore"]
        assert ignored == {"no": names[1:]}


def test_what_a_planner_will_not_know_is_said():
    free = URDF.replace('"continuous"', '"floating"').replace('<axis xyz="0 0 1"/>', "")
    robot, notes = kt.load(free, format="urdf"), []
    text = yaml.safe_load(WRITTEN["xrdf"].write(robot, (), notes))
    assert text["cspace"] == {"joint_names": ["j2", "j3"]}
    assert text["default_joint_positions"] == {"j2": 1.25, "j3": 0.0}  # neutral
    assert text["tool_frames"] == ["no"]
    assert [note.message for note in notes] == [
        "XRDF is written without joints of several coordinates: j1",
        "XRDF is written without limits that not all joints have: acceleration, jerk",
        "XRDF is written without spheres, for there are none: kt.collisions(robot).spheres() has them",
    ]
    notes = []
    yaml.safe_load(WRITTEN["curobo"].write(load(), (), notes))
    assert [note.message for note in notes] == ["cuRobo is written without what it has no words for: modifiers, viewer"]
    notes = []
    text = WRITTEN["srdf"].write(load(), (), notes)
    assert "viewer" not in text
    assert [note.message for note in notes] == [
        "SRDF is written without what only XRDF has: modifiers, viewer, buffer_distance"
    ]
    assert "acceleration_limits" not in kt.text(load(), "xrdf", without=("limit",))
    assert "viewer" not in kt.text(load(), "xrdf", without=("extension",))


def test_the_geometry_of_self_collision_counts():
    rest = "geometry:\n  rest:\n    spheres: {base: [{center: [0, 0, 0], radius: 1}]}\n"
    text = XRDF.replace("geometry:\n  balls", f"{rest}  balls", 1).replace("geometry: balls", "geometry: rest", 1)
    robot = load(text)
    assert [one.link for one in robot.semantic.sphere_approximations] == ["upper", "fore"]
    assert [note.message for note in robot.notes if note.code == "left-out"] == [
        "the spheres 'rest' are not read and not kept; 'balls' are"
    ]


def test_files(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.xrdf").write_text(XRDF)
    robot = kt.load(tmp_path / "arm.urdf", srdf=tmp_path / "arm.xrdf")
    assert kt.save(robot, tmp_path / "other.XRDF") == ()
    assert (tmp_path / "other.XRDF").read_text() == kt.text(load(), "xrdf")
    kt.save(robot, tmp_path / "arm.yml", format="curobo")
    assert yaml.safe_load((tmp_path / "arm.yml").read_text())["robot_cfg"]["kinematics"]["urdf_path"] == "arm.urdf"
    with pytest.raises(kt.KinetreeError, match="say format='curobo'"):
        kt.save(robot, tmp_path / "arm.yaml")
    with pytest.raises(kt.KinetreeError, match="no model is known to which it belongs"):
        kt.load(tmp_path / "arm.xrdf")
    limits = URDF.replace('effort="1"', 'effort="1" acceleration="3"').replace("<robot", '<robot version="1.2"')
    notes = kt.load(limits, format="urdf", srdf=XRDF).notes
    assert [one.message for one in notes if "limit" in one.message] == ["its limit of acceleration is 12, not 3"]


def test_a_frame_that_cannot_be_added_is_named():
    _, found = examine(
        URDF, ReadOptions(format="urdf", srdf=XRDF.replace("parent_frame_name: fore", "parent_frame_name: arm"))
    )
    (lost,) = [one for one in found if "'arm'" in one.message]
    assert (lost.severity, lost.element) == ("error", "add_frame")

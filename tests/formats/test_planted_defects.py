"""A hundred defects of shapes and foreign elements in real models: nothing moves, and all are on `notes`."""

import random
from itertools import cycle
from pathlib import Path

import icub_models
import pytest

import kinetree as kt
from kinetree.syntax.xml.reader import Report, parse

pytestmark = pytest.mark.slow

BOX = "<geometry><box size='1 1 1'/></geometry>"
SHAPES = [
    "<{} name='x'><geometry><plane normal='0 0 1'/></geometry></{}>",
    "<{}><geometry/></{}>",
    "<{}/>",
    "<{} name=''><origin xyz='1 2'/>" + BOX + "</{}>",
    "<{}><geometry><box size='1 x 1'/></geometry></{}>",
    "<{}><geometry><box size='1 1 1'/><sphere radius='1'/></geometry></{}>",
    "<{}><geometry><sphere/></geometry></{}>",
    "<{}><geometry><mesh filename='a.stl' scale='2'/></geometry></{}>",
    "<{}><geometry><mesh filename='a.stl' scale='1 1 1 1'/></geometry></{}>",
    "<{}><geometry><mesh filename=''/></geometry></{}>",
    "<{}><geometry><drake:capsule radius='1' length='1'/></geometry></{}>",
    "<{}>" + BOX + "<material name='m'><color rgba='1 0 0'/></material></{}>",
    "<{}><origin xyz='0 0 0'/><origin xyz='1 0 0'/>" + BOX + "</{}>",
]
SDF_SHAPES = [
    "<{} name='x1'><geometry/></{}>",
    "<{}/>",
    "<{} name='x2'><pose>1 2</pose></{}>",
    "<{} name='x3'><pose relative_to='nothing'/></{}>",
    "<{} name='x4'><geometry><box><size>1 x 1</size></box></geometry></{}>",
    "<{} name='x5'><geometry><box><size>1 1 1</size></box><empty/></geometry></{}>",
    "<{} name='x6'><geometry><mesh><scale>2</scale></mesh></geometry></{}>",
    "<{} name='x7'><geometry><teapot/></geometry></{}>",
]


def of_both(shapes):
    return [shape.format(tag, tag) for tag in ("visual", "collision") for shape in shapes]


ODD = ["<odd>text</odd>", "<other:odd xmlns:other='u' a='1'/>"]
URDF = {
    "link": [*of_both(SHAPES), *ODD, "<sensor name='in'/>"],
    "joint": [*ODD, "<calibration rising='x'/>", "<safety_controller k_position='1'/>"],
    "robot": [
        *ODD,
        "<sensor name='s1' type='imu'/>",
        "<sensor name='s2' type='imu'><parent link='nothing'/></sensor>",
        "<material><color rgba='1 1 1 1'/></material>",
        "<material name='x'><color rgba='1 1'/></material>",
        "<plugin filename='libx.so'><nested/></plugin>",
        "<!-- a -- b -->",
    ],
}
SDF = {
    "link": [
        *of_both(SDF_SHAPES),
        *ODD[:1],  # SDF allows elements with a prefix anywhere
        "<sensor type='imu'/>",
        "<sensor name='s1' type='imu'><pose>x</pose></sensor>",
        "<sensor name='s2' type='imu'><pose relative_to='nothing'/></sensor>",
        "<pose>1 2 3 0 0 0</pose><pose>1 2 4 0 0 0</pose>",
    ],
    "joint": [*ODD[:1], "<sensor type='force_torque'/>", "<parent>nothing</parent>"],
    "model": [*ODD[:1]],
}
MJCF = {
    "body": [
        "<geom type='cube' size='1'/>",
        "<geom type='box' size='1'/>",
        "<geom size='1' pos='1 2'/>",
        "<geom size='1' quat='0 0 0 0'/>",
        "<geom type='mesh' mesh='nothing'/>",
        "<geom size='1' material='nothing'/>",
        "<geom size='1' rgba='1 0'/>",
        "<geom size='1' mass='-1'/>",
        "<camera name='c' pos='x'/>",
        "<light pos='x'/>",
        "<odd/>",
    ],
    "worldbody": ["<geom type='box' size='1'/>", "<camera fovy='1' quat='0 0 0 0'/>", "<odd/>"],
    "mujoco": [
        "<asset><mesh/><material name='m1' rgba='x'/></asset>",
        "<asset><material name='m2' texture='nothing'/></asset>",
        "<actuator><motor joint='nothing'/></actuator>",
        "<sensor><gyro site='nothing'/><touch/></sensor>",
        "<contact><exclude body1='nothing' body2='world'/></contact>",
        "<odd/>",
    ],
}
DEFECTS = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF}


def planted(text, format, seed, count=100):
    """The text with so many defects, each on a line of its own, and the numbers of these lines."""
    root = parse(text, "<text>", Report())
    choose = random.Random(seed)
    kinds = {tag: cycle(choose.sample(snippets, len(snippets))) for tag, snippets in DEFECTS[format].items()}
    places = {tag: [e for e in root.walk() if e.tag == tag and not e.empty and is_place(e)] for tag in kinds}
    assert all(places.values())
    found = []
    for tag, _ in zip(cycle(kinds), range(count), strict=False):
        found.append((choose.choice(places[tag]).end, next(kinds[tag])))
    data, parts, at, lines = text.encode(), [], 0, []
    for byte, snippet in sorted(found):
        parts.append(data[at:byte] + b"\n")
        lines.append(sum(part.count(b"\n") for part in parts) + 1)
        parts.append(snippet.encode() + b"\n")
        at = byte
    return b"".join([*parts, data[at:]]).decode(), lines


def is_place(element):
    """Whether the mass of an MJCF body is its own, and an element of URDF or SDF has its own pose and the like."""
    if element.tag == "body":
        return element.find("inertial") is not None
    if element.tag == "joint":  # the first is taken
        return element.find("parent") is not None and element.find("safety_controller") is None
    return True


def models():
    folder = Path(icub_models.get_models_path())
    for name in ("iCubGazeboV2_5", "iCubGenova11"):
        text = (folder / name / "model.urdf").read_text()
        robot = kt.load(text, format="urdf")
        yield f"{name} urdf", "urdf", text
        yield f"{name} sdf", "sdf", kt.text(robot, "sdf", without=PARTS)
        ground = "<worldbody>\n<geom type='plane' size='1 1 1'/>"  # so that the world is a link of the robot
        yield f"{name} mjcf", "mjcf", kt.text(robot, "mjcf", without=PARTS).replace("<worldbody>", ground)


PARTS = ("extension", "sensor", "geometry", "material", "safety", "velocity_limit", "calibration")
MODELS = {name: (format, text) for name, format, text in models()}


def described(robot):
    """All but shapes, looks and sensors, from which every frame and mass follows."""
    joints = [
        (j.name, j.type, j.parent, j.child, j.origin.tobytes(), j.child_origin.tobytes(), j.axes.tobytes())
        for j in robot.joints.values()
    ]
    limits = [(j.name, j.limits, j.mimic, j.dynamics) for j in robot.joints.values()]
    masses = [
        (link.name, link.inertial.mass, link.inertial.inertia.tobytes(), link.inertial.origin.tobytes())
        for link in robot.links.values()
        if link.inertial
    ]
    frames = [(f.name, f.link, f.origin.tobytes()) for f in robot.frames.values()]
    return joints, limits, masses, frames, robot.joint_names, robot.coupled_limits, robot.root


def is_named(note):
    """Whether it is a warning, or a remark on an element of another program, whose name has a prefix."""
    return note.severity == "warning" or (note.severity == "info" and note.message.startswith("<other:odd>"))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("name", MODELS)
def test_a_hundred_defects_move_nothing_and_are_all_noted(name, seed):
    format, text = MODELS[name]
    robot = kt.load(text, format=format)
    defective, lines = planted(text, format, seed)
    assert len(lines) == 100
    found = kt.load(defective, format=format)
    assert described(found) == described(robot)
    noted = {note.source.line for note in found.notes if is_named(note)}
    bare = defective.splitlines()
    once = {line for line in lines if bare[line - 1] == "<!-- a -- b -->"}  # noted once, with their number
    assert [bare[line - 1] for line in lines if line not in noted | once] == []
    assert not once or once & noted


@pytest.mark.parametrize("name", [name for name in MODELS if name.endswith("urdf")])
def test_nothing_is_lost_when_it_is_written_anew(name):
    format, text = MODELS[name]
    defective, _ = planted(text, format, 0)
    found = kt.load(defective, format=format)
    again = kt.load(kt.text(kt.edit.add_frame(found, "extra", found.root), format), format=format)
    left = [note.message for note in found.notes if note.code == "left-out"]
    assert sorted(note.message for note in again.notes if note.code == "left-out") == sorted(left)

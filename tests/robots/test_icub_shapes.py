"""The simple shapes of the built-in iCub, and shapes in DH tables."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats import dh
from support import all_frames, in_words, random_q

VERSIONS = ("1.0", "2.0", "2.5", "2.10", "3.0")
WAYS = {"l_forearm": "l_wrist_1", "r_upper_leg": "r_lower_leg", "l_upper_arm": "l_elbow_1", "chest": "neck_1"}

LINKS = '<link name="base"/><link name="arm"/><link name="tip">{}</link>'
ARM = (
    '<robot name="r">' + LINKS + '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>'
    '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/></joint>'
    '<joint name="hold" type="fixed"><parent link="arm"/><child link="tip"/>'
    '<origin xyz="0.3 0 0.1" rpy="0.3 0.2 0.1"/></joint></robot>'
)
BALL = '<visual><origin xyz="0.1 0 0"/><geometry><sphere radius="0.02"/></geometry></visual>'
ROD = (
    '<visual><origin xyz="0 0.1 0" rpy="1 0.5 0"/><geometry><cylinder radius="0.01" length="0.4"/></geometry></visual>'
)
BOX = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
TABLE = """convention = "dh"
units = { length = "mm", angle = "deg" }
rows = [ { joint = "j", a = 100, d = 0, alpha = 0, theta = 0, link = "arm", frame = "tip" } ]
[shapes]
rows = [ ROW ]
"""


def drawn(robot, q):
    """(kind, sizes, ends in the root's axes) of every shape; the ends of a sphere are its centre, twice."""
    frames = all_frames(robot, q)
    for link in robot.links.values():
        for geometry in (*link.visuals, *link.collisions):
            T, sizes = frames[link.name] @ geometry.origin, geometry.shape.parameters
            half = sizes.get("length", 0.0) / 2 * T[:3, 2]
            yield link.name, geometry.shape.kind, dict(sizes), T[:3, 3] - half, T[:3, 3] + half


def same_shapes(a, b, q):
    """The formats may put the shapes of a link on another link of the same body."""
    assert [sum(len(link.collisions) for link in robot.links.values()) for robot in (a, b)].count(0) != 1
    key = lambda one: (np.round(one[3:], 6).tolist(), one[2]["radius"])  # noqa: E731
    ours, theirs = (sorted(drawn(robot, q), key=key) for robot in (a, b))
    for one, other in zip(ours, theirs, strict=True):
        assert one[1] == other[1]
        assert one[2] == pytest.approx(other[2], rel=1e-12)
        assert np.allclose(one[3:], other[3:], rtol=0, atol=1e-12)


@pytest.mark.slow
@each("version", VERSIONS)
def test_every_link_can_be_seen_and_felt_in_every_version(version):
    icub = kt.load(f"icub:{version}")
    bare = {name for name, link in icub.links.items() if not link.visuals}
    assert all(name.startswith("imu_") for name in bare)  # the second neck of 2.10, which is no body
    for link in icub.links.values():
        assert [(one.shape, one.origin.tolist()) for one in link.visuals] == [
            (one.shape, one.origin.tolist()) for one in link.collisions
        ]
        assert [one.name for one in link.collisions] == [f"collision_{i + 1}" for i in range(len(link.collisions))]
        assert link.inertial is None


def test_capsules_reach_from_joint_to_joint_however_the_robot_moves():
    icub, rng = kt.load("icub"), np.random.default_rng(0)
    for _ in range(5):
        q = random_q(icub, rng)
        frames = all_frames(icub, q)
        shapes = list(drawn(icub, q))
        for link, after in WAYS.items():
            own = [shape for shape in shapes if shape[0] == link]
            kinds = [kind for _, kind, *_ in own][:3]
            assert kinds == ["sphere", "sphere", "cylinder"]
            for ends in (own[2][3:], (own[0][3], own[1][3])):
                assert np.allclose(ends[0], frames[link][:3, 3], rtol=0, atol=1e-12)
                assert np.allclose(ends[1], frames[after][:3, 3], rtol=0, atol=1e-12)
            assert {shape[2]["radius"] for shape in own[:3]} == {own[0][2]["radius"]}
            assert own[2][2]["length"] == pytest.approx(np.linalg.norm(frames[after][:3, 3] - frames[link][:3, 3]))


def test_nothing_else_changes():
    text = kt.text(kt.load("icub"), "dh")
    start, end = text.index("[shapes]"), text.index("[groups]")
    icub, plain = (kt.load(one, format="dh") for one in (text, text[:start] + text[end:]))
    q = random_q(icub, np.random.default_rng(1))
    ours, theirs = all_frames(icub, q), all_frames(plain, q)
    assert list(ours) == list(theirs)
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert icub.joint_names == plain.joint_names
    assert not any(link.visuals for link in plain.links.values())


@pytest.mark.slow
@each("format", ["urdf", "sdf", "mjcf", "dh"])
def test_every_format_has_the_shapes(format):
    icub = kt.load("icub")
    again = kt.load(kt.text(icub, format), format=format)
    same_shapes(icub, again, random_q(icub, np.random.default_rng(2)))


@pytest.mark.slow
def test_an_edited_icub_keeps_them_in_a_table():
    icub = kt.edit.lock(kt.load("icub"), {"torso_yaw": 0.3})
    again = kt.load(kt.text(icub, "dh", without=("sensor", "group", "coupled_limit")), format="dh")
    q = random_q(icub, np.random.default_rng(3))
    same_shapes(icub, again, q)


def test_shapes_of_another_robot_go_into_its_table():
    arm = kt.load(ARM.format(BALL + ROD), format="urdf")
    again = kt.load(kt.text(arm, "dh"), format="dh")
    same_shapes(arm, again, [0.7])
    felt = kt.load(ARM.format((BALL + ROD).replace("visual>", "collision>")), format="urdf")
    again = kt.load(kt.text(felt, "dh"), format="dh")
    same_shapes(felt, again, [0.7])
    assert not any(link.visuals for link in again.links.values())
    named = BALL.replace("<visual", "<collision name='visual_1'").replace("</visual", "</collision")
    for other in (BOX, named):
        with pytest.raises(kt.KinetreeError, match="shapes other than plain spheres and cylinders"):
            kt.text(kt.load(ARM.format(other), format="urdf"), "dh")


def test_points_and_kinds_of_a_row():
    row = '{ on = "tip", radius = 5, from = [0, 0, 10], to = [30, 40, 10], type = "cylinder" }'
    robot = kt.load(TABLE.replace("ROW", row), format="dh")
    (geometry,) = robot.links["arm"].visuals
    assert (geometry.shape.kind, geometry.name) == ("cylinder", "visual_1")
    assert geometry.shape.parameters == pytest.approx({"radius": 0.005, "length": 0.05})
    assert np.allclose(geometry.origin[:3, 3], [0.115, 0.02, 0.01], rtol=0, atol=1e-15)
    assert np.allclose(geometry.origin[:3, 2], [0.6, 0.8, 0], rtol=0, atol=1e-15)
    ball = kt.load(TABLE.replace("ROW", '{ on = "arm", radius = 5 }'), format="dh")
    assert [geometry.shape.kind for geometry in ball.links["arm"].visuals] == ["sphere"]
    assert ball.links["arm"].collisions == ()
    felt = kt.load(TABLE.replace("ROW", '{ on = "arm", radius = 5, use = "collision" }'), format="dh").links["arm"]
    assert (felt.visuals, [(one.shape.kind, one.name) for one in felt.collisions]) == ((), [("sphere", "collision_1")])


@each(
    "row, says",
    [
        ('{ on = "arm" }', "expected { on = frame, radius"),
        ('{ on = "arm", radius = -1 }', "sizes are numbers above 0"),
        ('{ on = "arm", radius = 5, colour = "red" }', "expected { on = frame"),
        ('{ on = "arm", radius = 5, type = "box" }', "type = 'capsule' | 'cylinder'"),
        ('{ on = "arm", radius = 5, use = "box" }', "use = 'visual' | 'collision' | 'both'"),
        ('{ on = "arm", radius = 5, to = [1, 2] }', "three numbers"),
        ('{ on = "arm", radius = 5, to = [1e300, 0, 0] }', "shape on 'arm': is too large"),
        ('{ on = "arm", radius = 1e308, to = [1e308, 1e308, 0] }', "shape on 'arm': is too large"),
        ('{ on = "arm", radius = nan }', "expected { on = frame"),
        ("{ on = 5, radius = 5 }", "expected { on = frame"),
        ('{ on = "amr", radius = 5 }', "'amr' is not a link or frame; did you mean 'arm'"),
        ('{ on = "arm", radius = 5, to = "base_link" }', "'base_link' is not a link or frame behind 'arm'"),
        ("7", "shape 1: is 7"),
    ],
)
def test_faults_are_named_with_their_line(row, says):
    robot, findings = dh.read(TABLE.replace("ROW", row), "table.toml")
    assert robot is None
    assert says in in_words(findings)
    assert any(finding.source.line == 5 for finding in findings) or row == "7"

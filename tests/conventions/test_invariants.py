"""The comparison of a robot before and after a repair: whatever changes is named, and nothing else."""

import numpy as np

import kinetree as kt
from each import each
from kinetree.fixer.invariants import difference
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits

INERTIA = '<mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
BALL = '<visual><origin xyz="0.1 0 0"/><geometry><sphere radius="0.2"/></geometry></visual>'
ROBOT = f"""<robot name="r"><link name="a"><inertial><origin xyz="0.25 0 0"/>{INERTIA}</inertial></link>
  <link name="b">{BALL}<collision><origin xyz="0 0.3 0"/><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="c">{BALL}</link><link name="d"/><link name="e"/>
  <joint name="j" type="revolute"><origin xyz="0.5 0 0" rpy="0 0.3 0"/><parent link="a"/><child link="b"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="1" effort="1"/><dynamics damping="0.1"/></joint>
  <joint name="k" type="prismatic"><origin xyz="0 0.6 0"/><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="2" velocity="1" effort="1"/><mimic joint="j" multiplier="0.5" offset="0.1"/></joint>
  <joint name="f" type="fixed"><origin xyz="0 0 0.7"/><parent link="c"/><child link="d"/></joint>
  <joint name="o" type="floating"><parent link="a"/><child link="e"/></joint>
  <sensor name="s" type="imu"><parent link="c"/><origin xyz="0 0 0.8"/></sensor></robot>"""
OTHER = "is another: its type, axis, limits, mimic or dynamics"


def read(text):
    return kt.load(text, format="urdf")


BEFORE = read(ROBOT)


@each(
    "old, new, said",
    [
        ('upper="2"', 'upper="2.1"', f"joint 'j' {OTHER}"),
        ('damping="0.1"', 'damping="0.2"', f"joint 'j' {OTHER}"),
        ('type="revolute"', 'type="continuous"', f"joint 'j' {OTHER}"),
        ('<axis xyz="0 0 1"', '<axis xyz="0 0 -1"', f"joint 'j' {OTHER}"),
        ('<axis xyz="0 0 1"', '<axis xyz="0 2e-9 1"', f"joint 'j' {OTHER}"),
        ('<axis xyz="0 0 1"', '<axis xyz="0 5e-10 1"', None),
        ('multiplier="0.5"', 'multiplier="0.6"', f"joint 'k' {OTHER}"),
        ('offset="0.1"', 'offset="0.2"', f"joint 'k' {OTHER}"),
        ('<mimic joint="j" multiplier="0.5" offset="0.1"/>', "", f"joint 'k' {OTHER}"),
        ('"fixed"', '"floating"', f"joint 'f' {OTHER}"),
        ('mass value="2"', 'mass value="2.1"', "link 'a' has another mass or inertia"),
        ('ixy="0"', 'ixy="1e-5"', "link 'a' has another mass or inertia"),
        (f'<inertial><origin xyz="0.25 0 0"/>{INERTIA}</inertial>', "", "link 'a' has another inertial"),
        ("0.25 0 0", "0.2 0 0", "the centre of mass of 'a' moves by 0.05"),
        ("0.25 0 0", "0.3 0 0", "the centre of mass of 'a' moves by 0.05"),
        ("0.25 0 0", "0.2500000005 0 0", None),
        ('0 0.3 0"/><geometry', '0 0.2 0"/><geometry', "a collision of 'b' moves by 0.1"),
        ('size="1 2 3"', 'size="1 2 4"', "a collision of 'b' is gone"),
        (BALL, BALL.replace("0.2", "0.3"), "a visual of 'c' is gone"),
        (BALL, BALL.replace("0.1", "0.2"), "a visual of 'b' moves by 0.0955"),
        (BALL, "", "a visual of 'c' is gone"),  # two are equal, and one is left
        (BALL, BALL * 2, None),
        ("0 0 0.8", "0 0 0.9", "sensor 's' moves by 0.0955"),
        ('sensor name="s"', 'sensor name="t"', "sensor 's' is gone"),
        ("0 0 0.7", "0 0 0.700000002", "frame 'd' moves by 1.91e-09"),
        ("0 0 0.7", "0 0 0.7000000005", None),
        ("0.5 0 0", "0.6 0 0", "frame 'b' moves by 0.1"),
        ('"d"', '"x"', "link 'd' is gone"),
        ('joint name="f"', 'joint name="x"', "joint 'f' is gone"),
        (
            "</robot>",
            '<link name="x"/><joint name="x" type="fixed"><parent link="a"/><child link="x"/></joint></robot>',
            None,
        ),
        (
            "</robot>",
            '<link name="x"/><joint name="x" type="floating"><parent link="a"/><child link="x"/></joint></robot>',
            "joint 'x', which moves, is new",
        ),
    ],
)
def test_whatever_changes_is_named(old, new, said):
    once = old == BALL
    text = ROBOT.replace(old, new, 1) if once else ROBOT.replace(old, new)
    assert text != ROBOT
    assert difference(BEFORE, read(text), {}) == said


def test_new_names_are_no_change():
    names = {("link", "b"): "x", ("joint", "j"): "y"}
    text = ROBOT.replace('"b"', '"x"').replace('"j"', '"y"')
    assert difference(BEFORE, read(text), names) is None
    assert difference(BEFORE, read(text), {}) == "joint 'j' is gone"
    assert difference(BEFORE, read(text), {("joint", "j"): "y"}) == "link 'b' is gone"


@each(
    "old, new, turns, is_same",
    [
        ('0 0.3 0"/><parent', '0 0.31 0"/><parent', 0.01, True),
        ('0 0.3 0"/><parent', '0 0.31 0"/><parent', 0.003, False),
        ('0 0.3 0"/><parent', '0 0.29 0"/><parent', 0.003, False),
        ("0.5 0 0", "0.6 0 0", 1.0, False),
        ("0.5 0 0", "0.4 0 0", 1.0, False),
        ('0 0.3 0"/><geometry', '0 -0.3 0"/><geometry', 1.0, False),
        ("0.25 0 0", "0.2 0 0", 1.0, False),
        ("0 0 0.8", "0 0 0.7", 1.0, False),
        (BALL, "", 1.0, False),
    ],
)
def test_angles_may_change_by_so_much(old, new, turns, is_same):
    text = ROBOT.replace(old, new, 1)
    assert text != ROBOT
    assert (difference(BEFORE, read(text), {}, turns=turns) is None) == is_same


def test_a_link_may_turn_alone_or_with_what_is_behind_it():
    T = np.eye(4)
    T[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    turned = ROBOT.replace('<origin xyz="0 0 0.7"/>', '<origin xyz="0 0 0.7" rpy="0 0 1.5707963267948966"/>')
    more = '<link name="t"/><joint name="t" type="fixed"><origin xyz="{}"/><parent link="d"/><child link="t"/></joint>'
    more += "</robot>"
    before, along, still = (
        read(text.replace("</robot>", more.format(xyz)))
        for text, xyz in ((ROBOT, "1 0 0"), (turned, "1 0 0"), (turned, '0 -1 0" rpy="0 0 -1.5707963267948966'))
    )
    assert difference(before, still, {}, turned={"d": T}) is None
    assert difference(before, along, {}, turned={"d": T}, along=True) is None
    assert difference(before, along, {}, turned={"d": T}) == "frame 't' moves by 1"
    assert difference(before, still, {}, turned={"d": T}, along=True) == "frame 't' moves by 1"
    assert difference(before, still, {}) == "frame 'd' moves by 1"


def test_limits_over_several_joints():
    def limited(robot, names, h=1.0, row="a"):
        return add_limits(
            robot, [LinearLimits("some", names, np.array([[1.0, 2.0]]), np.array([h]), (row,), angular=False)]
        )

    one, said = limited(BEFORE, ("j", "k")), "limits over several joints are others"
    assert difference(one, limited(BEFORE, ("j", "k")), {}) is None
    for other in (BEFORE, limited(BEFORE, ("k", "j")), limited(BEFORE, ("j", "k"), 1.1)):
        assert difference(one, other, {}) == difference(other, one, {}) == said
    renamed = {("joint", "j"): "new"}
    other = limited(read(ROBOT.replace('"j"', '"new"')), ("new", "k"))
    assert difference(one, other, renamed) is None
    assert difference(one, limited(read(ROBOT.replace('"j"', '"new"')), ("k", "new")), renamed) == said

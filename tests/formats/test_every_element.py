"""Each element and number of a whole file: an empty number is reported by its name, an unknown element is not lost."""

import re

import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import build, parts_of

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
URDF = f"""<robot name="r">
  <link name="a">
    <inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1"/>{INERTIA}</inertial>
    <visual><origin xyz="0 0 0" rpy="0 0 0"/><geometry><cylinder radius="1" length="1"/></geometry>
      <material name="m"><color rgba="1 0 0 1"/></material></visual>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <collision><geometry><sphere radius="1"/></geometry></collision>
    <collision><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="b"/><link name="c"/>
  <joint name="j" type="revolute"><origin xyz="0 0 0" rpy="0 0 0"/><parent link="a"/><child link="b"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>
    <dynamics damping="1" friction="1"/><calibration rising="0.1"/>
    <safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_position="1" k_velocity="1"/></joint>
  <joint name="k" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/><mimic joint="j" multiplier="1" offset="0"/></joint>
  <kinetree_coupled_limit name="both" lower="-1" upper="1"><joint name="j" coefficient="1"/></kinetree_coupled_limit>
</robot>"""
MJCF = """<mujoco model="m"><compiler angle="radian"/>
  <asset><mesh name="s" file="a.stl" scale="1 1 1" refpos="0 0 0" refquat="1 0 0 0"/>
    <material name="paint" rgba="1 0 0 1"/></asset>
  <worldbody><body name="b" pos="0 0 0" quat="1 0 0 0">
    <inertial pos="0 0 0" quat="1 0 0 0" mass="1" diaginertia="1 1 1"/>
    <joint name="j" pos="0 0 0" axis="0 0 1" range="-1 1" ref="0" damping="1" stiffness="1" springref="0" armature="0"
      frictionloss="0" actuatorfrcrange="-1 1"/>
    <geom name="g" type="box" size="1 1 1" pos="0 0 0" quat="1 0 0 0" mass="1" rgba="1 0 0 1"/>
    <body name="c" euler="0 0 0"><joint name="k"/><geom size="1" density="1000"/></body>
  </body></worldbody>
  <tendon><fixed name="t" range="-1 1"><joint joint="j" coef="1"/></fixed></tendon>
</mujoco>"""


def findings(text: str, format: str) -> list[kt.Finding]:
    try:
        return [*kt.load(text, format=format).notes]
    except kt.KinetreeError as error:
        return [*error.findings]


@each("format, text", [("urdf", URDF), ("mjcf", MJCF)])
@each("blank", ["", " "])
def test_an_empty_attribute_of_numbers_is_reported_by_name(format, text, blank):
    assert {"j", "k"} <= set(kt.load(text, format=format).joints)
    for found in re.finditer(r'(\w+)="(-?\d[^"]*)"', text):
        empty = text[: found.start(2)] + blank + text[found.end(2) :]
        said = [finding for finding in findings(empty, format) if f"={blank!r}" in finding.message]
        assert {name for one in said for name in re.findall(rf"(\w+)={blank!r}", one.message)} == {found[1]}
        assert said, f"{found[0]} on line {text.count(chr(10), 0, found.start()) + 1}"
        assert all(one.source.line == text.count("\n", 0, found.start()) + 1 for one in said)


@pytest.mark.parametrize("end", ["lower", "upper"])
@pytest.mark.parametrize(
    "start", ["<kinetree_coupled_limit", '<limit lower="-1" upper="1" velocity="1" effort="1"/>\n    <dyn']
)
def test_an_empty_limit_is_no_missing_limit(start, end):
    """A missing one is no limit, or zero; an empty one is a mistake, and the robot would move further than it may."""
    at = URDF.index(start)
    text = URDF[:at] + re.sub(rf'{end}="[-\d]+"', f'{end}=""', URDF[at:], count=1)
    with pytest.raises(kt.KinetreeError, match=f"{end}=''.*expected one finite number"):
        kt.load(text, format="urdf")


def test_an_unknown_element_anywhere_comes_back_or_its_loss_is_reported():
    """Also in the second of two equal elements, which are read once."""
    for found in re.finditer(r"<(\w+)([^<>]*?)(/?)>", URDF):
        tag, attributes, is_leaf = found.groups()
        inside = f"<{tag}{attributes}><odd>1</odd>" + (f"</{tag}>" if is_leaf else "")
        try:
            robot = kt.load(URDF[: found.start()] + inside + URDF[found.end() :], format="urdf")
        except kt.KinetreeError as error:
            assert any("odd" in finding.message for finding in error.findings), found[0]
            continue
        (said,) = [note.message for note in robot.notes if "<odd>" in note.message]
        comes_back = "<odd>1</odd>" in kt.text(build(parts_of(robot)), "urdf")
        assert said.endswith("it is kept unchanged" if comes_back else "it has no effect"), found[0]

"""Numbers that are too large or too small to compute with are refused with their place, or have no ill effect."""

import re
import warnings
from itertools import chain

import pytest

import kinetree as kt
from each import each
from kinetree.formats.losses.losses import PARTS
from kinetree.formats.registry import FORMATS
from support import sample

LINK = """<inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2.5"/>
  <inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.2" iyz="0.03" izz="0.25"/></inertial>
  <visual><origin xyz="0.1 0 0"/><geometry><box size="1 2 3"/></geometry></visual>
  <visual><geometry><mesh filename="a.stl" scale="1 2 3"/></geometry></visual>"""
COLLISION = "<collision><geometry>{}</geometry></collision>"
URDF = f"""<robot name="r"><link name="a">{LINK}{COLLISION.format('<cylinder radius="0.1" length="2"/>')}</link>
<link name="b">{LINK}{COLLISION.format('<sphere radius="0.1"/>')}</link><link name="c"/>
<joint name="j" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><parent link="a"/><child link="b"/>
  <axis xyz="0.1 0.2 0.3"/><limit lower="-1" upper="1.5" velocity="3" effort="4"/>
  <dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1.5" velocity="3" effort="4"/><mimic joint="j" multiplier="1.5" offset="0.2"/></joint>
</robot>"""
MJCF = """<mujoco><compiler boundmass="0.1" boundinertia="0.1"/><default><geom density="1000"/></default><worldbody>
<body name="a" pos="0.1 0.2 0.3" quat="1 0.1 0.2 0.3"><joint axis="0.1 0.2 0.3" pos="0.1 0.2 0.3" range="-90 80"/>
<geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0.3" euler="10 20 30"/><geom type="sphere" size="0.4" mass="3"/>
<geom type="sphere" size="0.5"/><geom type="capsule" size="0.1 0.3"/>
<geom type="cylinder" fromto="0 0 0 0.1 0.2 0.3" size="0.05"/><geom type="ellipsoid" size="0.1 0.2 0.3"/>
<body name="b" axisangle="1 2 3 40"><joint type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1"
  fullinertia="0.1 0.2 0.25 0.01 0.02 0.03"/><body zaxis="0.1 0.2 0.3"/><body xyaxes="1 0.1 0 0 1 0.1"/></body>
<replicate count="2" euler="0 0 90" offset="0.1 0 0"><body name="e" pos="0.1 0.2 0.3"/></replicate>
</body></worldbody></mujoco>"""
SDF = """<sdf version="1.10"><model name="m">
<frame name="f" attached_to="a"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose></frame>
<link name="a"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose><inertial><pose>0.1 0 0 0.1 0 0</pose><mass>2.5</mass></inertial>
<collision name="c"><geometry><capsule><radius>0.1</radius><length>2</length></capsule></geometry></collision></link>
<link name="b"/><link name="c"/><joint name="j" type="revolute"><pose>0.1 0.2 0.3 0 0 0</pose><parent>a</parent>
<child>b</child><axis><xyz>0.1 0.2 0.3</xyz></axis></joint><joint name="k" type="screw"><parent>b</parent>
<child>c</child><screw_thread_pitch>0.1</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
DH = """convention = "mdh"
units = { length = "cm", angle = "deg" }
base = { matrix = [[0, -1, 0, 0.5], [0, 0, -1, 0.25], [1, 0, 0, 0.1], [0, 0, 0, 1]] }
tool = { xyz = [1, 2, 3], rpy = [0, 90, 10] }
rows = [{ joint = "turn", a = 0.5, d = 50, alpha = 30, theta = "30 + (-10 -> 20)", offset = 15 }]
"""
TEXTS = {"urdf": URDF, "mjcf": MJCF, "sdf": SDF, "dh": DH}
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?![\w.])")


def with_one_number(text, number):
    """The text once for each of its numbers, with another in its place."""
    return (text[: m.start()] + number + text[m.end() :] for m in NUMBER.finditer(text))


def used(text, format):
    """Whether a text loads; then it is checked, compared, and written in all formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            robot = kt.load(text, format=format)
        except kt.KinetreeError as error:
            assert error.findings[0].message
            return False
        for profile in ("sim", "industrial", "humanoid"):
            kt.check(robot, profile=profile)
        kt.compare(robot, robot)
        for row in (row for row in FORMATS.values() if row.writer):
            try:
                written = row.write(robot, PARTS)
            except kt.KinetreeError:
                continue  # not of this kind of robot
            kt.load(written, format=row.name)
        return True


@pytest.mark.parametrize(("format", "refused"), [("urdf", 26), ("mjcf", 26), ("sdf", 10), ("dh", 5)])
@pytest.mark.slow
@pytest.mark.sampled(3)
def test_one_number_that_is_too_large(format, refused):
    texts = [text for i, text in enumerate(with_one_number(TEXTS[format], "1e308")) if i % 2 or format == "dh"]
    assert sum(not used(text, format) for text in texts) > refused / 2


@pytest.mark.slow
@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.sampled(1)
def test_one_number_of_any_size(format):
    numbers = sample(("1e308", "-1e308", "1e160", "9e29", "1e-200", "5e-324", "0"), 4)
    texts = chain.from_iterable(with_one_number(TEXTS[format], number) for number in numbers)
    assert sum(used(text, format) for text in texts) > 20


@each("number", ["1.01e30", "-1e31", "1e308"])
@each(
    "shape",
    [
        "<geometry><sphere radius='{}'/></geometry>",
        "<geometry><mesh filename='a.stl' scale='1 1 {}'/></geometry>",
        "<origin xyz='0 {} 0'/><geometry><box size='1 1 1'/></geometry>",
    ],
)
def test_a_shape_that_is_too_large_is_left_out(shape, number):
    visual = f"<visual>{shape.format(number)}</visual>"
    robot = kt.load(URDF.replace("</link>", f"{visual}</link>", 1), format="urdf")
    sound = kt.load(URDF, format="urdf")
    assert len(robot.links["a"].visuals) == len(sound.links["a"].visuals)
    (note,) = (note for note in robot.notes if note not in sound.notes)
    assert (note.code, note.element) == ("left-out", "link 'a'")
    assert "is too large; expected numbers up to 1e+30" in note.message
    assert note.excerpt


@each("kind", ["sphere", "box", "capsule", "cylinder", "ellipsoid"])
def test_a_geom_of_size_1e308_is_refused_by_the_checker_too(kind):
    text = f"<mujoco><worldbody><body name='b'><geom type='{kind}' size='1e308 1 1'/></body></worldbody></mujoco>"
    (finding,) = {f.code: f for f in kt.check(text, format="mjcf") if f.severity == "error"}.values()
    assert finding.code == "too-large"
    assert "expected numbers up to 1e+30" in finding.message
    assert finding.source.line == 1


def test_limits_may_be_as_large_as_numbers_can_be():
    joint = '<limit lower="-1.7976931348623157e308" upper="1.7976931348623157e308" velocity="1e308" effort="1e308"/>'
    text = URDF.replace('<limit lower="-1" upper="1.5" velocity="3" effort="4"/>', joint)
    assert used(text, "urdf")
    assert kt.load(text, format="urdf").limits.contains([0.0])


@each("number, fine", [("1e30", True), ("1.01e30", False), ("-1e30", True), ("-1.01e30", False)])
def test_the_largest_length(number, fine):
    text = URDF.replace('xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><parent', f'xyz="0 0 {number}"/><parent')
    assert used(text, "urdf") is fine

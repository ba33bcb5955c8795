"""A robot without findings, into which rules insert their bad examples."""

_BODIES = (
    ("0 0 0.05", "0.3 0.3 0.3", 30, 0.45, 0.45, 0.45),
    ("0 0 0.3", "0.15 0.2 0.6", 20, 0.666667, 0.6375, 0.104167),
    ("0.05 0 0.06", "0.2 0.2 0.2", 15, 0.1, 0.1, 0.1),
    ("0.25 0 0", "0.4 0.12 0.12", 8, 0.0192, 0.116267, 0.116267),
    ("0 0 0", "0.1 0.1 0.1", 2, 0.00333333, 0.00333333, 0.00333333),
    ("0.08 0 0", "0.02 0.08 0.08", 0.5, 0.000533333, 0.000283333, 0.000283333),
)
"""Of link_1 to link_6: the middle of a box, its size, m, the mass, kg, and ixx, iyy and izz, kg m²."""
_JOINTS = (
    ("0 0 0.3", "0 0 1", -2.9, 2.9, 3, 200),
    ("0.15 0 0.2", "0 1 0", -1.5, 2.4, 3, 100),
    ("0 0 0.6", "0 1 0", -3, 1.2, 3, 66),
    ("0.1 0 0.12", "1 0 0", -3.1, 3.1, 6, 50),
    ("0.55 0 0", "0 1 0", -2, 2, 6, 40),
    ("0.02 0 0", "1 0 0", -6.2, 6.2, 8, 33),
)
"""Of joint_1 to joint_6: origin, axis, limits of position, velocity and effort."""
_FRAMES = (
    ("base_link", "base", "0 0 0.5", "0 0 0"),
    ("link_6", "flange", "0.09 0 0", "0 0 0"),
    ("flange", "tool0", "0 0 0", "0 1.5707963267948966 0"),
)
"""Parent, name, xyz and rpy of the frames of REP-199."""


def _link(name: str, middle: str, size: str, inertial: str = "") -> str:
    shape = f'<origin xyz="{middle}"/><geometry><box size="{size}"/></geometry>'
    shapes = f"    <visual>{shape}</visual>\n    <collision>{shape}</collision>\n"
    return f'  <link name="{name}">\n{shapes}{inertial}  </link>\n'


def _body(i: int, middle: str, size: str, mass: float, ixx: float, iyy: float, izz: float) -> str:
    moments = f'ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"'
    inside = f'      <origin xyz="{middle}"/>\n      <mass value="{mass}"/>\n      <inertia {moments}/>\n'
    return _link(f"link_{i}", middle, size, f"    <inertial>\n{inside}    </inertial>\n")


def _joint(name: str, kind: str, origin: str, parent: str, child: str, rest: str = "") -> str:
    links = f'    <parent link="{parent}"/>\n    <child link="{child}"/>\n'
    return f'  <joint name="{name}" type="{kind}">\n    <origin {origin}/>\n{links}{rest}  </joint>\n'


def _arm() -> str:
    text = _link("base_link", "0 0 0.1", "0.4 0.4 0.2")
    text += "".join(_body(i, *row) for i, row in enumerate(_BODIES, 1))
    for i, (xyz, axis, lower, upper, velocity, effort) in enumerate(_JOINTS, 1):
        limit = f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="{effort}"/>'
        rest = f'    <axis xyz="{axis}"/>\n    {limit}\n'
        parent = f"link_{i - 1}" if i > 1 else "base_link"
        text += _joint(f"joint_{i}", "revolute", f'xyz="{xyz}"', parent, f"link_{i}", rest)
    for parent, name, xyz, rpy in _FRAMES:
        text += f'  <link name="{name}"/>\n'
        text += _joint(f"{parent}-{name}", "fixed", f'xyz="{xyz}" rpy="{rpy}"', parent, name)
    return f'<?xml version="1.0"?>\n<robot name="arm">\n{text}</robot>\n'


ARM = _arm()
"""An arm of six joints, REP-199's single manipulator, with boxes as bodies."""

_WHEELS = "".join(
    f"""\
  <link name="{side}_wheel">
    <visual><origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.1" length="0.04"/></geometry></visual>
    <collision><origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="0.0026" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.0026"/></inertial>
  </link>
  <joint name="{side}_wheel_joint" type="continuous">
    <origin xyz="0 {y} 0"/><parent link="base_link"/><child link="{side}_wheel"/><axis xyz="0 1 0"/>
  </joint>
"""
    for side, y in (("left", 0.2), ("right", -0.2))
)

CART = f"""\
<robot name="cart">
  <link name="base_footprint"/>
  <link name="base_link">
    <visual><geometry><box size="0.4 0.3 0.1"/></geometry></visual>
    <collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision>
    <inertial><mass value="9"/><inertia ixx="0.075" ixy="0" ixz="0" iyy="0.1275" iyz="0" izz="0.1875"/></inertial>
  </link>
  <joint name="base_joint" type="fixed">
    <origin xyz="0 0 0.1"/><parent link="base_footprint"/><child link="base_link"/>
  </joint>
{_WHEELS}</robot>
"""
"""A cart of two wheels with base_footprint on the floor."""

SMALL_ARM = """\
<robot name="arm">
  <link name="base_link"/>
  <link name="link_1"/>
  <link name="link_2"/>
  <link name="flange"/>
  <link name="tool0"/>
  <joint name="joint_1" type="continuous">
    <parent link="base_link"/><child link="link_1"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="joint_2" type="continuous">
    <origin xyz="0 0 0.4"/><parent link="link_1"/><child link="link_2"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="link_2-flange" type="fixed">
    <origin xyz="0.3 0 0"/><parent link="link_2"/><child link="flange"/>
  </joint>
  <joint name="flange-tool0" type="fixed">
    <parent link="flange"/><child link="tool0"/>
  </joint>
</robot>
"""
"""An arm of two joints without bodies."""

"""A robot without findings, into which rules insert their bad examples."""

ARM = """\
<?xml version="1.0"?>
<robot name="arm">
  <link name="base_link">
    <visual><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></visual>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
  </link>
  <link name="link_1">
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.3 0.3 0.3"/></geometry></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.3 0.3 0.3"/></geometry></collision>
    <inertial>
      <origin xyz="0 0 0.05"/>
      <mass value="30"/>
      <inertia ixx="0.45" ixy="0" ixz="0" iyy="0.45" iyz="0" izz="0.45"/>
    </inertial>
  </link>
  <link name="link_2">
    <visual><origin xyz="0 0 0.3"/><geometry><box size="0.15 0.2 0.6"/></geometry></visual>
    <collision><origin xyz="0 0 0.3"/><geometry><box size="0.15 0.2 0.6"/></geometry></collision>
    <inertial>
      <origin xyz="0 0 0.3"/>
      <mass value="20"/>
      <inertia ixx="0.666667" ixy="0" ixz="0" iyy="0.6375" iyz="0" izz="0.104167"/>
    </inertial>
  </link>
  <link name="link_3">
    <visual><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><origin xyz="0.05 0 0.06"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
    <inertial>
      <origin xyz="0.05 0 0.06"/>
      <mass value="15"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <link name="link_4">
    <visual><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></visual>
    <collision><origin xyz="0.25 0 0"/><geometry><box size="0.4 0.12 0.12"/></geometry></collision>
    <inertial>
      <origin xyz="0.25 0 0"/>
      <mass value="8"/>
      <inertia ixx="0.0192" ixy="0" ixz="0" iyy="0.116267" iyz="0" izz="0.116267"/>
    </inertial>
  </link>
  <link name="link_5">
    <visual><origin xyz="0 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></visual>
    <collision><origin xyz="0 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
    <inertial>
      <origin xyz="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.00333333" ixy="0" ixz="0" iyy="0.00333333" iyz="0" izz="0.00333333"/>
    </inertial>
  </link>
  <link name="link_6">
    <visual><origin xyz="0.08 0 0"/><geometry><box size="0.02 0.08 0.08"/></geometry></visual>
    <collision><origin xyz="0.08 0 0"/><geometry><box size="0.02 0.08 0.08"/></geometry></collision>
    <inertial>
      <origin xyz="0.08 0 0"/>
      <mass value="0.5"/>
      <inertia ixx="0.000533333" ixy="0" ixz="0" iyy="0.000283333" iyz="0" izz="0.000283333"/>
    </inertial>
  </link>
  <joint name="joint_1" type="revolute">
    <origin xyz="0 0 0.3"/>
    <parent link="base_link"/>
    <child link="link_1"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2.9" upper="2.9" velocity="3" effort="200"/>
  </joint>
  <joint name="joint_2" type="revolute">
    <origin xyz="0.15 0 0.2"/>
    <parent link="link_1"/>
    <child link="link_2"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2.4" velocity="3" effort="100"/>
  </joint>
  <joint name="joint_3" type="revolute">
    <origin xyz="0 0 0.6"/>
    <parent link="link_2"/>
    <child link="link_3"/>
    <axis xyz="0 1 0"/>
    <limit lower="-3" upper="1.2" velocity="3" effort="66"/>
  </joint>
  <joint name="joint_4" type="revolute">
    <origin xyz="0.1 0 0.12"/>
    <parent link="link_3"/>
    <child link="link_4"/>
    <axis xyz="1 0 0"/>
    <limit lower="-3.1" upper="3.1" velocity="6" effort="50"/>
  </joint>
  <joint name="joint_5" type="revolute">
    <origin xyz="0.55 0 0"/>
    <parent link="link_4"/>
    <child link="link_5"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="6" effort="40"/>
  </joint>
  <joint name="joint_6" type="revolute">
    <origin xyz="0.02 0 0"/>
    <parent link="link_5"/>
    <child link="link_6"/>
    <axis xyz="1 0 0"/>
    <limit lower="-6.2" upper="6.2" velocity="8" effort="33"/>
  </joint>
  <link name="base"/>
  <joint name="base_link-base" type="fixed">
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <parent link="base_link"/>
    <child link="base"/>
  </joint>
  <link name="flange"/>
  <joint name="link_6-flange" type="fixed">
    <origin xyz="0.09 0 0" rpy="0 0 0"/>
    <parent link="link_6"/>
    <child link="flange"/>
  </joint>
  <link name="tool0"/>
  <joint name="flange-tool0" type="fixed">
    <origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/>
    <parent link="flange"/>
    <child link="tool0"/>
  </joint>
</robot>
"""
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

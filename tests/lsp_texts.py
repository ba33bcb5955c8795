"""Descriptions for the tests of the language server: a URDF, its SRDF, and xacro."""

ARM = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Größe 🤖 -->
<robot name="arm">
  <link name="base_link"/>
  <!-- 🤖🤖 --><joint name="schulter_ü" type="revolute"><!-- turns -->
    <parent link="base_link"/>
    <child link="oberarm"/>
    <origin xyz="0 0 0.5"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1.5707963267948966" upper="3.141592653589793" effort="10" velocity="1"/>
  </joint>
  <link name="oberarm"/>
  <gazebo reference="oberarm"/>
</robot>
"""
SRDF = """<robot name="arm">
  <group name="arm"><chain base_link="base_link" tip_link="oberarm"/></group>
  <disable_collisions link1="base_link" link2="oberarm" reason="Adjacent"/>
</robot>
"""
MACRO = """<robot xmlns:xacro="http://ros.org/wiki/xacro">
  <xacro:macro name="segment" params="prefix parent length:=0.2">
    <link name="${prefix}link"/>
    <joint name="${prefix}joint" type="revolute">
      <parent link="${parent}"/> <child link="${prefix}link"/>
      <origin xyz="0 0 ${length}"/> <axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/>
    </joint>
  </xacro:macro>
</robot>
"""
MADE = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="made">
  <xacro:include filename="segment.xacro"/>
  <xacro:arg name="side" default="left"/>
  <xacro:property name="reach" value="0.7"/>
  <link name="base_link"/>
  <xacro:segment prefix="$(arg side)_" parent="base_link" length="${reach}"/>
</robot>
"""

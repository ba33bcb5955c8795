"""An arm that is heavier than its file, and logs of its motion."""

import numpy as np

import kinetree as kt

_LINK = '<link name="{}"><inertial><origin xyz="0.2 0 0"/><mass value="{}"/><inertia ixx="0.01" iyy="0.02" izz="0.03" \
ixy="0" ixz="0" iyz="0"/></inertial></link>'
_JOINT = '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/>\
<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="90" velocity="9"/></joint>'
_TEXT = """<robot name="arm"><link name="base_link"/>
  {}
  {}
  {}
  {}
  <link name="tip"/>
  <joint name="to_tip" type="fixed"><parent link="b"/><child link="tip"/><origin xyz="0.4 0 0"/></joint>
</robot>
"""
_PARTS = _LINK.format("a", 3.0), _JOINT.format("q1", "base_link", "a", 0), _JOINT.format("q2", "a", "b", 0.4)
ARM, CARRIED = (_TEXT.format(*_PARTS, _LINK.format("b", mass)) for mass in (2.0, 2.5))
"""The file, and what is true: its last link has 0.5 kg more."""


def swinging(robot: kt.Robot, seconds: float = 15.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times (n,), positions and torques (n, 2) of a motion, with a noise of 0.02 N m."""
    t = np.arange(0, seconds, 0.01)
    q = np.column_stack([np.sin(t) + 0.4 * np.sin(2.7 * t), 0.8 * np.cos(1.7 * t)])
    qd = np.column_stack([np.cos(t) + 1.08 * np.cos(2.7 * t), -1.36 * np.sin(1.7 * t)])
    qdd = np.column_stack([-np.sin(t) - 2.916 * np.sin(2.7 * t), -2.312 * np.cos(1.7 * t)])
    effort = kt.inverse_dynamics(robot)(q, qd, qdd)
    return t, q, effort + np.random.default_rng(0).normal(0, 0.02, effort.shape)

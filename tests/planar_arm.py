"""An arm of two joints and its poses by hand."""

import numpy as np

ARM = """<robot name="arm"><link name="base"/><link name="upper"/><link name="lower">
<inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><link name="tip"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="9" velocity="2"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="9" velocity="2"/></joint>
<joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0.4 0 0"/></joint></robot>"""


def poses(q):
    """The poses (…, 4, 4) of the tip at q (…, 2)."""
    a, b = q[..., 0], q[..., 0] + q[..., 1]
    T = np.zeros((*q.shape[:-1], 4, 4))
    T[..., 0, 0] = T[..., 1, 1] = np.cos(b)
    T[..., 1, 0], T[..., 0, 1] = np.sin(b), -np.sin(b)
    T[..., 0, 3] = 0.5 * np.cos(a) + 0.4 * np.cos(b)
    T[..., 1, 3] = 0.5 * np.sin(a) + 0.4 * np.sin(b)
    T[..., 2, 2] = T[..., 3, 3] = 1
    return T

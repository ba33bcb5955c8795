"""Robots and kernels that the tests of all bridges share."""

import numpy as np

import kinetree as kt
from physics import floated, random_tree
from random_arms import on, random_arm

ARM, TIP = random_arm(6, seed=1), "l6"
TREE = floated(random_tree(3))
"""Ball joints and a floating one."""
LAST = list(TREE.links)[-1]

KERNELS = {
    "fk": lambda: kt.fk(ARM, TIP),
    "poses of quaternions": lambda: kt.fk(TREE, LAST),
    "jacobian": lambda: kt.jacobian(ARM, TIP),
    "inverse_dynamics": lambda: kt.inverse_dynamics(random_tree(3)),
    "poses of joints as an input": lambda: kt.fk(ARM, TIP, origins=True),
    "margin": lambda: kt.margin(ARM),
    "a number": lambda: kt.manipulability(ARM, TIP),
    "several results": lambda: kt.vjp(kt.velocity(ARM, TIP)),
}


def arrays(kernel, seed=0, batch=()):
    """Inputs of a kernel; all but the first are without the batch."""
    rng = np.random.default_rng(seed)
    return [
        rng.uniform(-1, 1, (*batch, *port.shape)) if i == 0 else rng.uniform(-1, 1, port.shape)
        for i, port in enumerate(kernel.inputs)
    ]


def two_joints():
    """An arm of two joints in a plane, 1 m and 0.8 m long."""
    joint = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="{3} 0 0"/>
      <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>"""
    text = '<robot name="two"><link name="base"/><link name="a"/><link name="b"/><link name="tip"/>'
    text += joint.format("q1", "base", "a", 0) + joint.format("q2", "a", "b", 1)
    text += '<joint name="end" type="fixed"><parent link="b"/><child link="tip"/><origin xyz="0.8 0 0"/></joint>'
    return kt.load(f"{text}</robot>", format="urdf")


def at_a_limit():
    """A pose of the arm whose solution from a start has its last joint at its upper limit, and that solution."""
    q = np.array([0.4, -0.6, 0.5, 0.3, -0.4, ARM.limits.upper[5]])
    return kt.fk(ARM, TIP)(q), q


CARRIED = {"floating": ("floating", 1, "pose"), "ball": ("ball", 2, "position"), "pointing": ("ball", 2, "pointing")}
"""Arms on a joint with a quaternion: its kind, the number of other joints, fewer than would be needed, and the goal."""


def carried(name):
    """Kernels of poses and of q ⊕ v; the target of a goal by the pose; a solver of the goal; and a configuration."""
    kind, joints, goal = CARRIED[name]
    robot, tip = on(random_arm(joints, seed=1), kind), f"l{joints}"
    ik, integrate = kt.ik(robot, tip, goal=goal, tolerance=(1e-11, 1e-11)), kt.dynamics.integrate(robot)
    targets = {"pose": lambda T: T, "position": lambda T: T[:3, 3], "pointing": lambda T: T[:3, 3] + T[:3, 2]}
    q = integrate(robot.q(), np.random.default_rng(2).uniform(-0.5, 0.5, robot.nv))
    return kt.fk(robot, tip), integrate, targets[goal], ik, q


def soft():
    """A solver of the arm with a hard position, a soft orientation and a posture; its targets; and a start."""
    q = np.random.default_rng(4).uniform(-0.5, 0.5, 6)
    goals = [
        kt.goal.position(TIP),
        kt.goal.posture(q + 0.1, weight=0.5),
        kt.goal.orientation(TIP, weight=1.0),
    ]
    T = kt.fk(ARM, TIP)(q)
    turned = kt.fk(ARM, TIP)(q + 0.05)[:3, :3]
    return kt.ik(ARM, goals), [T[:3, 3], turned], q

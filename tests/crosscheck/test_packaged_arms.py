"""Arms that come with the package, beside models of other projects."""

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from support import shared

pytestmark = pytest.mark.crosscheck


def test_puma_is_that_of_the_robotics_toolbox() -> None:
    rtb = pytest.importorskip("roboticstoolbox")
    theirs, ours = rtb.models.DH.Puma560(), kt.load("puma560")
    np.testing.assert_allclose(ours.limits.lower, theirs.qlim[0], atol=1e-12)
    np.testing.assert_allclose(ours.limits.upper, theirs.qlim[1], atol=1e-12)
    rng = np.random.default_rng(0)
    for q in ours.limits.sample(20, 0):
        qd, qdd = rng.normal(size=(2, 6))
        np.testing.assert_allclose(kt.fk(ours, "link_6")(q), theirs.fkine(q).A, atol=1e-12)
        damped = [ours.joints[name].dynamics[0].damping for name in ours.joint_names] * qd
        torques = kt.inverse_dynamics(ours)(q, qd, qdd) - damped
        np.testing.assert_allclose(torques, theirs.nofriction(viscous=True).rne(q, qd, qdd), rtol=1e-6, atol=1e-6)


def test_panda_is_that_of_example_robot_data() -> None:
    theirs, ours = kt.load("example-robot-data:panda"), kt.load("panda")
    frames = [f"panda_link{i}" for i in range(9)]
    q = ours.limits.sample(50, 0)
    full = np.zeros((50, theirs.nq))
    full[:, :7] = q
    np.testing.assert_allclose(kt.fk(ours, frames)(q), kt.fk(theirs, frames)(full), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "file", "args"),
    [
        (
            "ur5e",
            "UniversalRobots+Universal_Robots_ROS2_Description/urdf/ur.urdf.xacro",
            {"ur_type": "ur5e", "name": "ur"},
        ),
        ("panda", "frankarobotics+franka_description/robots/fer/fer.urdf.xacro", {"hand": "false"}),
    ],
)
def test_an_arm_is_that_of_its_maker(name: str, file: str, args: dict[str, str]) -> None:
    """Torques too, up to what UR's file rounds in its kinematics."""
    path: Path = shared("corpus", *file.split("/"))
    theirs, ours = kt.load(path, args=args, without=("geometry", "dynamics")), kt.load(name)
    tip = {"ur5e": ("tool0", "tool0"), "panda": ("panda_link8", "fer_link8")}[name]
    rng, q = np.random.default_rng(0), ours.limits.sample(50, 0)
    qd, qdd = rng.normal(size=(2, 50, ours.nv))
    np.testing.assert_allclose(kt.fk(ours, tip[0])(q), kt.fk(theirs, tip[1])(q), atol=2e-9)
    if name == "ur5e":
        np.testing.assert_allclose(kt.fk(ours, "flange")(q), kt.fk(theirs, "flange")(q), atol=2e-9)
    found, expected = (kt.inverse_dynamics(robot)(q, qd, qdd) for robot in (ours, theirs))
    np.testing.assert_allclose(found, expected, atol=1e-6)

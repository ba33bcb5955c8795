"""Planar joints against Drake, the one peer that heeds their axis: where x and y lie in the plane is a convention."""

import numpy as np
import pytest

import kinetree as kt
from support import all_frames

pytestmark = pytest.mark.crosscheck

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "0 1 0", "0.6 0 0.8", "0 0 -1", "0.48 0.6 0.64", "1 -2 -3"])
def test_the_directions_in_the_plane(axis):
    drake = pytest.importorskip("pydrake.all")
    text = (
        f'<robot name="r"><link name="a">{BODY}</link><link name="b">{BODY}</link>'
        f'<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="{axis}"/></joint></robot>'
    )
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("a"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, [1, 2, 0.3])
    expected = plant.GetFrameByName("b").CalcPoseInWorld(context).GetAsMatrix4()
    robot = kt.load(text, format="urdf")
    np.testing.assert_allclose(all_frames(robot, robot.q(j=(1, 2, 0.3)))["b"], expected, rtol=0, atol=1e-12)

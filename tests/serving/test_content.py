"""What viewers get: a description that they can draw, whatever the format of the robot."""

import numpy as np

import kinetree as kt
from kinetree.serving.content import content_of

BALL = """<mujoco><worldbody><body name="torso"><freejoint name="base"/><geom name="g" type="ellipsoid" size="1 2 3"/>
<geom name="box" type="box" size="1 1 1"/>
<body name="arm" pos="0 0 1"><joint name="shoulder" type="ball" pos="0 0.3 0"/><geom type="sphere" size="0.1"/>
<body name="hand" pos="0.2 0 0"><joint name="wrist" type="hinge" axis="0 1 0" range="-90 90"/>
<geom type="sphere" size="0.1"/></body></body></body></worldbody></mujoco>"""


def test_what_urdf_lacks_is_named_and_the_rest_is_drawn():
    robot = kt.load(BALL, format="mjcf")
    content = content_of(robot)
    messages = [note.message for note in content.notes]
    assert messages == [
        "URDF cannot express the shape 'ellipsoid'; /robot_description is without it",
        "URDF cannot express a ball joint; /robot_description is without it",
    ]
    drawn = kt.load(content.description, format="urdf")
    assert drawn.joints["shoulder"].type == "floating"
    assert [shape.shape.kind for shape in drawn.links["torso"].visuals] == ["box"]
    for link in ("torso", "arm", "hand"):
        assert np.allclose(kt.fk(drawn, link).interpret(drawn.q()), kt.fk(robot, link).interpret(robot.q()))


def test_a_robot_without_moving_joints_has_transforms():
    robot = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")
    content = content_of(robot)
    assert content.moving(robot.q(), 1) == content.latched("/tf_static", 1) == bytes([0, 1, 0, 0, 0, 0, 0, 0])

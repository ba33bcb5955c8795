"""Planes as thin boxes, for formats that have no planes."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree import KinetreeError

GROUND = """<sdf version="1.9"><model name="ground"><static>true</static>
  <link name="l"><pose>1 2 3 0.3 0.2 0.1</pose>
    <{tag} name="p"><pose>0 0 1 0.1 0 0</pose>
      <geometry><plane><normal>{normal}</normal><size>{size}</size></plane></geometry></{tag}>
    <visual name="b"><geometry><box><size>1 1 1</size></box></geometry></visual></link></model></sdf>"""


def ground(tag="collision", normal="0 0 1", size="4 6"):
    return kt.load(GROUND.format(tag=tag, normal=normal, size=size), format="sdf")


@each("tag", ["collision", "visual"])
@each("normal", ["0 0 1", "0 0 -1", "0 3 4", "1 0 0"])
def test_the_upper_face_of_the_box_is_in_the_plane(normal, tag):
    robot = ground(tag, normal)
    with pytest.raises(KinetreeError, match="--without plane, writes thin boxes"):
        kt.text(robot, "urdf")
    again = kt.load(kt.text(robot, "urdf", without=("plane",)), format="urdf")
    link = again.links["l"]
    box = (*link.collisions, *link.visuals)[0]
    plane = next(one for one in (*robot.links["l"].collisions, *robot.links["l"].visuals) if one.shape.kind == "plane")
    n = np.array(plane.shape.parameters["normal"]) / np.linalg.norm(plane.shape.parameters["normal"])
    assert box.shape.parameters["size"] == (4.0, 6.0, 0.01)
    top = (box.origin @ (0, 0, 0.005, 1))[:3]
    assert top == pytest.approx(plane.origin[:3, 3], abs=1e-12)
    assert box.origin[:3, 2] == pytest.approx(plane.origin[:3, :3] @ n, abs=1e-12)
    assert link.visuals[-1].shape.parameters["size"] == (1.0, 1.0, 1.0)


def test_a_plane_without_end_is_100_m_wide():
    text = '<mujoco><worldbody><geom type="plane" size="0 2 1"/><body name="b"/></worldbody></mujoco>'
    robot = kt.load(text, format="mjcf", without=("plane",))
    (box,) = robot.links["world"].collisions
    assert box.shape.parameters["size"] == (100.0, 4.0, 0.01)
    (note,) = [note for note in robot.notes if note.code == "without"]
    assert "link 'world'; boxes of 1 cm" in note.message

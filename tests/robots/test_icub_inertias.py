"""Masses, inertias and places of sensors of the built-in iCub that come from a model of icub-models."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.kinematics import body_poses
from kinetree.errors import KinetreeError
from kinetree.model.tree import build_tree
from kinetree.spatial.plucker import about_com, moved_inertia
from kinetree.spatial.se3 import inverse
from support import contact_reading, icub_urdfs, sample

MODEL = "iCubGazeboV2_5"
APART = {"neck_pitch": 5.3, "elbow": 6.8, "wrist_pitch": 1.0, "hip_pitch": 6.4, "hip_roll": 2.0}
"""Distances, mm, between the axes of the built-in iCub and of the model, by joint without its side."""


def models() -> dict[str, Path]:
    return {path.parent.name: path for path in icub_urdfs() if path.parent.name.startswith("iCub")}


def bodies(robot: kt.Robot) -> dict[str, tuple[np.ndarray, np.ndarray, float, np.ndarray, np.ndarray]]:
    """By joint: a point (3,) of its axis and the direction (3,); mass, centre of mass (3,) and inertia (3, 3) about it
    of the body that it moves; all at zero in root_link."""
    tree = build_tree(robot)
    T = body_poses(tree)
    body, T_body_root = tree.frame("root_link")
    T_root = inverse(T[body] @ T_body_root)
    found = {}
    for i, joint in enumerate(tree.joints):
        pose = T_root @ T[i]
        mass, com, inertia = about_com(moved_inertia(tree.inertia[i], pose))
        found[joint] = pose[:3, 3], pose[:3, :3] @ tree.axes[i][0], mass, com, inertia
    return found


def check_bodies(icub: kt.Robot, model: kt.Robot) -> None:
    """Every body has the model's mass and inertia, and its centre of mass lies where the model's does relative to the
    axis of its joint."""
    assert kt.dynamics.mass(icub) == pytest.approx(kt.dynamics.mass(model), rel=1e-12)
    ours, theirs = bodies(icub), bodies(model)
    for joint, (p, axis, mass, com, inertia) in theirs.items():
        q, own_axis, own_mass, own_com, own_inertia = ours[joint]
        assert own_mass == pytest.approx(mass, abs=1e-12), joint
        np.testing.assert_allclose(own_inertia, inertia, rtol=0, atol=1e-10, err_msg=joint)
        off, own_off = com - p, own_com - q
        if mass and abs(axis @ own_axis) > 1 - 1e-6:
            perpendicular = np.eye(3) - np.outer(own_axis, own_axis)
            np.testing.assert_allclose(perpendicular @ own_off, perpendicular @ off, rtol=0, atol=2e-5, err_msg=joint)


@pytest.mark.slow
def test_bodies_are_those_of_the_model():
    check_bodies(kt.load("icub", inertias=MODEL), kt.load(models()[MODEL]))


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.0", "2.0", "2.5", "2.10"])
def test_bodies_are_those_of_every_model(version):
    for name, path in sample(models().items(), 3):
        check_bodies(kt.load(f"icub:{version}", inertias=name), kt.load(path))


@pytest.mark.slow
def test_what_differs_is_noted_with_its_place():
    icub = kt.load("icub", inertias=MODEL)
    differing = [note for note in icub.notes if note.code == "sources-differ"]
    assert {(note.source.file, note.severity) for note in differing} == {(str(models()[MODEL]), "warning")}
    measured = {note.element.split("'")[1]: float(note.message.split()[3]) for note in differing}
    expected = {side + joint: mm for joint, mm in APART.items() for side in ("l_", "r_")[: 2 - (joint[0] == "n")]}
    expected["neck_pitch"] = expected.pop("l_neck_pitch")
    assert measured == pytest.approx(expected, abs=0.06)
    (summary,) = (note for note in icub.notes if "masses" in note.message and note.code == "other-source")
    assert summary.message.startswith("masses, 33.06 kg in all, and inertias are those of 'iCubGazeboV2_5'")
    assert summary.message.endswith("links without a counterpart have no mass: eyes_tilt_frame, l_eye, r_eye")
    assert not [note for note in icub.notes if note.code == "unplaced"]
    assert not [found for found in kt.check("icub", inertias=MODEL) if found.code == "unplaced"]


@pytest.mark.slow
def test_sensors_without_a_place_get_the_models():
    """In these models the upper arms are 6.8 mm longer, and the feet 3.6 mm shorter, than in the tables, as
    the page of the iCub says; icub:2.5 has the sensors of arms above the elbow, and those of feet above the sole."""
    icub, known = kt.load("icub", inertias=MODEL), kt.load("icub:2.5")
    for side in "lr":
        for part, away in (("arm", 6.78), ("leg", 0.93), ("foot", 3.55)):
            name = f"{side}_{part}_ft_frame"
            T = inverse(known.frames[name].origin) @ icub.frames[name].origin
            np.testing.assert_allclose(T[:3, :3], np.eye(3), rtol=0, atol=1e-5)
            assert 1000 * np.linalg.norm(T[:3, 3]) == pytest.approx(away, abs=0.1), name
    w = np.array([0, 0, -10.0, 0, 0, 0])
    assert np.abs(contact_reading(icub, "left_arm", "l_hand")(icub.q(), w)).max() > 1
    feet = kt.load("icub", inertias="iCubLisboa01")
    kt.dynamics.sensor_reading(feet, "l_leg_ft", "l_foot")
    with pytest.raises(KinetreeError, match="'l_foot_ft': has no known place"):
        kt.dynamics.sensor_reading(feet, "l_foot_ft", "l_foot")


def test_a_link_without_counterpart_is_left_out_and_named():
    text = models()[MODEL].read_text()
    model = kt.load(text.replace('name="neck_yaw"', 'name="other"'), format="urdf")
    icub = kt.icub.with_inertias(kt.load("icub"), model)
    (note,) = (note for note in icub.notes if note.code == "left-out")
    head = model.links["head"]
    assert (note.element, note.source) == ("link 'head'", head.source)
    assert icub.links["head"].inertial is None
    assert kt.dynamics.mass(icub) == pytest.approx(kt.dynamics.mass(model) - head.inertial.mass)


def test_a_link_of_another_name_gives_its_mass_to_the_body_that_it_moves_with():
    """Or to the root, if it is fixed to that from above; sensors that it lacks have no place."""
    block = '<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    above = f'<link name="waist">{block}</link><joint name="w" type="fixed"><parent link="waist"/>'
    text = models()[MODEL].read_text().replace('"l_hand"', '"l_palm"').replace("l_arm_ft_sensor", "l_arm_sensor")
    model = kt.load(text.replace("</robot>", f'{above}<child link="root_link"/></joint></robot>'), format="urdf")
    icub = kt.icub.with_inertias(kt.load("icub"), model)
    assert icub.links["l_hand"].inertial.mass == pytest.approx(model.links["l_palm"].inertial.mass)
    assert icub.links["root_link"].inertial.mass == pytest.approx(3 + model.links["root_link"].inertial.mass)
    (summary,) = (note for note in icub.notes if note.code == "other-source" and note.message.startswith("masses"))
    assert "; l_arm_ft_frame have no place there, so that readings of their sensors are refused; " in summary.message
    assert ", and so are the places of " in summary.message
    assert "r_arm_ft_frame" in summary.message


def test_an_axis_that_points_the_other_way_is_noted():
    text = models()[MODEL].read_text()
    start = text.index('<joint name="neck_yaw"')
    axis = re.compile(r'<axis xyz="([^ ]*) ([^ ]*) ([^ "]*)"')
    turned = axis.sub(lambda m: f'<axis xyz="{-float(m[1])} {-float(m[2])} {-float(m[3])}"', text[start:], count=1)
    icub = kt.icub.with_inertias(kt.load("icub"), kt.load(text[:start] + turned, format="urdf"))
    (note,) = (note for note in icub.notes if note.element == "joint 'neck_yaw'")
    assert note.message.startswith("its axis is 180.0 deg from that in")


def test_links_fixed_to_others_add_their_masses():
    tool = '<link name="tool"><inertial><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
    fixed = '</inertial></link><joint name="t" type="fixed"><parent link="l_hand"/><child link="tool"/></joint></robot>'
    model = kt.load(models()[MODEL].read_text().replace("</robot>", tool + fixed), format="urdf")
    icub = kt.icub.with_inertias(kt.load("icub"), model)
    assert icub.links["l_hand"].inertial.mass == pytest.approx(2 + model.links["l_hand"].inertial.mass)
    check_bodies(icub, model)


@each(
    "source, name, message",
    [
        ("icub", "iCubGazeboV2_55", "icub-models has no model 'iCubGazeboV2_55'; did you mean 'iCubGazeboV2_5'"),
        ("icub:3", MODEL, "joint 'torso_roll': is carried by the root, and in 'iCubGazeboV2_5' by joint 'torso_pitch'"),
        ("icub", "left_hand_mk3", "has no joint of 'left_hand_mk3'"),
    ],
)
def test_models_that_do_not_fit_are_refused(source, name, message):
    with pytest.raises(KinetreeError, match=message):
        kt.load(source, inertias=name)


def test_the_package_is_needed_only_when_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "icub_models", None)
    assert kt.load("icub").nq == 35
    with pytest.raises(KinetreeError, match=r"needs the package icub-models, which is not installed\D*\n.*pip install"):
        kt.load("icub", inertias=MODEL)

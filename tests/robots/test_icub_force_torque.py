"""The force/torque sensors of the iCub: the places that published models give them, their refusal where none does, and
the page's names of them."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.force_torque import reading_place
from kinetree.robots.icub.naming import corrected, naming
from kinetree.robots.packaged import versions
from kinetree.spatial import se3
from support import all_frames, contact_reading, icub_urdfs

pytestmark = pytest.mark.slow

ENDS = {"arm": ("shoulder_yaw", "elbow"), "leg": ("hip_roll", "hip_yaw")}
"""The joints whose axes determine the tables' frame of the link that a sensor cuts."""

MODELS = {
    "1.0": ("iCubLisboa01", "iCubGenova03"),
    "1.7": ("iCubLisboa01", "iCubGenova03"),
    "2.5": (
        *("iCubGazeboV2_5", "iCubGazeboV2_5_KIT_007", "iCubDarmstadt01", "iCubErzelli02", "iCubGenova01"),
        *("iCubGenova02", "iCubGenova04"),
    ),
    "2.6": ("iCubGazeboV2_6",),
    "2.7": ("iCubGazeboV2_7", "iCubGenova11", "iCubWaterloo01"),
}


def line(robot: kt.Robot, frames: dict[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    """A point of a joint's axis at zero, and its direction."""
    joint = robot.joints[name]
    T = frames[joint.child] @ np.linalg.inv(joint.child_origin)
    return T[:3, 3], T[:3, :3] @ joint.axes[0]


def nearest(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The point of line b that is nearest to line a."""
    (p, u), (q, v) = a, b
    s = np.linalg.lstsq(np.stack([u, -v], axis=1), q - p, rcond=None)[0]
    return q + s[1] * v


def place(robot: kt.Robot, side: str, part: str) -> np.ndarray | None:
    """The pose (3, 4) of a sensor's reading in the link that it cuts: about the point of the tables' frame, in the axes
    of the root at zero, or of the foot; None without a sensor."""
    found = [s for s in robot.sensors.values() if s.joint == f"{side}_{part}_ft_sensor"]
    if not found:
        return None
    frames, reads = all_frames(robot, np.zeros(robot.nq)), reading_place(robot, found[0])
    R = frames[reads.frame][:3, :3] @ reads.R_frame_reading
    T = se3.homogeneous(R, (frames[reads.on] @ (*reads.p, 1.0))[:3])
    if part == "foot":
        return (np.linalg.inv(frames[f"{side}_foot_dh_frame"]) @ T)[:3]
    above, below = (line(robot, frames, f"{side}_{joint}") for joint in ENDS[part])
    R_root = frames["root_link"][:3, :3]
    return R_root.T @ np.column_stack([R, T[:3, 3] - nearest(above, below)])


@pytest.mark.parametrize("version", MODELS)
def test_sensors_stand_where_all_published_models_of_a_version_have_them(version):
    """To 1e-5 m and rad, in the link that the sensor cuts, built from the model's own axes; what is beyond, such as the
    length of the upper arm, differs between models and tables."""
    icub, compared = kt.load(f"icub:{version}"), 0
    models = {path.parent.name: path for path in icub_urdfs()}
    for name in MODELS[version]:
        model = kt.load(models[name])
        for side in "lr":
            for part in ("arm", "leg", "foot"):
                theirs = place(model, side, part)
                if icub.frames[f"{side}_{part}_ft_frame"].unplaced:
                    assert version in ("1.0", "1.7")
                    assert part == "foot"
                elif theirs is not None:
                    np.testing.assert_allclose(place(icub, side, part), theirs, rtol=0, atol=1e-5, err_msg=name)
                    compared += 1
    assert compared == len(MODELS[version]) * (4 if version < "2" else 6)


def test_models_disagree_on_the_legs_of_version_2_before_2_5():
    """iCubNancy01 has legs of version 2 and its sensors 7.8 mm from where those of 2.5 have them."""
    models = {path.parent.name: path for path in icub_urdfs()}
    one, other = (place(kt.load(models[name]), "l", "leg") for name in ("iCubNancy01", "iCubGazeboV2_5"))
    assert np.linalg.norm(one - other) == pytest.approx(0.0078, abs=1e-5)


@pytest.mark.parametrize("version", versions("icub"))
def test_readings_at_guessed_places_are_refused(version):
    icub = kt.load(f"icub:{version}")
    for row in corrected(naming().fixed_joints):
        it = icub.sensors[row.sensor]
        known = version in MODELS and ("foot" not in row.sensor or version >= "2")
        assert (not icub.frames[it.frame].unplaced) == known
        link = icub.joints[row.joint].child
        if not known:
            with pytest.raises(kt.KinetreeError, match=rf"{row.sensor}.*has no known place.*\n.*move_frame"):
                contact_reading(icub, row.sensor, link, "child_on_parent")
        else:
            w = np.arange(6.0)
            reading = contact_reading(icub, row.sensor, link)(icub.q(), w)
            np.testing.assert_allclose(reading, kt.dynamics.wrench(icub, link, it.frame)(icub.q(), w), atol=1e-15)


def test_a_sensor_that_gets_a_place_reads_there():
    known, icub = kt.load("icub:2.5"), kt.load("icub")
    with pytest.raises(kt.KinetreeError, match="no known place"):
        contact_reading(kt.edit.prefix(icub, "a_"), "a_l_arm_ft", "a_l_hand")
    for format in ("dh", "urdf", "sdf", "mjcf"):
        again = kt.load(kt.text(icub, format), format=format)
        with pytest.raises(kt.KinetreeError, match="no known place"):
            contact_reading(again, "l_arm_ft", "l_hand")
    placed = kt.edit.move_frame(icub, "l_arm_ft_frame", known.frames["l_arm_ft_frame"].origin)
    q, w = known.q(l_elbow=0.7), np.arange(6.0)
    readings = [contact_reading(robot, "l_arm_ft", "l_hand")(q, w) for robot in (known, placed)]
    np.testing.assert_allclose(*readings, rtol=0, atol=1e-15)


def test_the_pages_names_of_the_sensors_are_aliases():
    robots = [kt.load(path) for path in icub_urdfs() if path.parent.name.startswith("iCub")]
    assert len(robots) == 14
    for robot in (kt.load("icub:2.7"), *robots):
        by_joint = {s.joint: s for s in robot.sensors.values() if s.type == "force_torque"}
        for entry in naming().fixed_joints:
            it = by_joint.get(entry.printed.joint)
            if it is None:  # the feet of iCubLisboa01
                with pytest.raises(kt.KinetreeError, match=f"no sensor '{entry.printed.sensor}'; did you mean"):
                    kt.icub.sensor(robot, entry.printed.sensor)
                continue
            assert kt.icub.sensor(robot, entry.printed.sensor) is it
            assert kt.icub.sensor(robot, entry.correct.sensor) is it  # iCubGenova03 calls it l_foot_ft_sensor
            assert kt.icub.sensor(robot, it.name) is it
            link = robot.joints[it.joint].child
            readings = [contact_reading(robot, name, link) for name in (it.name, entry.printed.sensor)]
            assert readings[0].kernel is readings[1].kernel


def test_an_alias_never_takes_the_place_of_a_name():
    icub = kt.load("icub:2.7")
    renamed = kt.edit.rename(icub, sensors={"r_arm_ft": "left_arm"})
    assert kt.icub.sensor(renamed, "left_arm").joint == "r_arm_ft_sensor"
    assert renamed.groups["left_arm"] == icub.groups["left_arm"]
    with pytest.raises(kt.KinetreeError, match=r"no sensor 'left_hand'; did you mean 'left_arm'"):
        kt.icub.sensor(icub, "left_hand")
    with pytest.raises(kt.KinetreeError, match="no frame 'left_arm'"):
        kt.fk(icub, "left_arm")


def test_robots_that_are_no_icubs_have_no_aliases():
    text = """<robot name="r"><link name="a"/><link name="b"/>
      <joint name="l_arm_ft_sensor" type="fixed"><parent link="a"/><child link="b"/></joint>
      <sensor name="ft" type="force_torque"><parent joint="l_arm_ft_sensor"/></sensor></robot>"""
    robot = kt.load(text, format="urdf")
    assert kt.icub.sensor(robot, "ft").name == "ft"
    for ask in (kt.icub.sensor, lambda robot, name: contact_reading(robot, name, "b")):
        with pytest.raises(kt.KinetreeError, match="no sensor 'left_arm'"):
            ask(robot, "left_arm")

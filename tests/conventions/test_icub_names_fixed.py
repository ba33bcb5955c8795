"""Older names of the iCub's joints and links, which `kinetree fix --profile icub --unsafe` replaces."""

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
from kinetree.cli import group
from support import icub_urdfs, sample

OLD = {
    "l_elbow": "left_elbow",
    "r_shoulder_roll": "right_shoulder_roll",
    "torso_pitch": "waist_pitch",
    "neck_yaw": "neck_yaw_joint",
    "l_upper_arm": "l_arm",
    "r_hand": "r_palm",
}


@pytest.fixture(scope="module")
def published():
    """The text of a published iCub with links of the page and a joint under each of its names."""
    (file,) = [file for file in icub_urdfs() if "iCubGenova03" in str(file)]
    return file.read_text()


def renamed(text, names):
    for new, old in names.items():
        assert f'"{new}"' in text
        text = text.replace(f'"{new}"', f'"{old}"')
    return text


def fixed(tmp_path, text, unsafe=True):
    file = tmp_path / "m.urdf"
    file.write_text(text)
    result = CliRunner().invoke(group, ["fix", "--profile", "icub", *(["--unsafe"] if unsafe else []), str(file)])
    return file.read_text(), result


def test_every_old_name_becomes_that_of_the_page(published, tmp_path):
    text, result = fixed(tmp_path, renamed(published, OLD))
    assert text == published, result.stdout + result.stderr
    was, now = kt.load(published, format="urdf"), kt.load(text, format="urdf")
    q = np.random.default_rng(0).uniform(-0.2, 0.2, was.nq)
    assert np.array_equal(kt.fk(was, "r_hand").interpret(q), kt.fk(now, "r_hand").interpret(q))


def test_names_stay_without_unsafe(published, tmp_path):
    old = renamed(published, OLD)
    assert fixed(tmp_path, old, unsafe=False)[0] == old


def test_of_two_candidates_none_is_taken(published, tmp_path):
    text = renamed(published, {"l_elbow": "left_elbow"}).replace('"l_wrist_yaw"', '"left_elbow_joint"')
    new, _ = fixed(tmp_path, text)
    assert '"left_elbow"' in new
    assert '"left_elbow_joint"' in new
    assert '"l_elbow"' not in new


def test_names_that_only_resemble_stay(published, tmp_path):
    text = renamed(published, {"l_elbow": "l_elbow_motor", "torso_pitch": "my_torso_pitch"})
    assert fixed(tmp_path, text)[0] == text


class TestFrames:
    """`kt.icub.frame` finds a frame of the page by the name that a robot has for it."""

    def test_in_every_published_model(self):
        page = [entry.correct.frame for entry in kt.icub.naming().frames]
        known = {entry.correct.frame: entry.known_as for entry in kt.icub.naming().frames}
        for file in sample(icub_urdfs(), 6, ("V2_7", "hand")):
            robot, found = kt.load(file), {}
            for name in page:
                try:
                    found[name] = kt.icub.frame(robot, name)
                except kt.KinetreeError as error:
                    assert error.findings[0].code == "no-frame"
                    assert name not in robot.frames
            assert all(name in robot.frames for name in found.values())
            assert all(own in (name, *known[name]) for name, own in found.items())
            if "root_link" in robot.frames:
                assert found["root_frame"] == "root_link"
                assert len(found) >= 14 or robot.name != "iCub", (file, found)

    def test_names_that_are_none_of_the_page(self):
        with pytest.raises(
            kt.KinetreeError, match=r"no frame of the naming page 'root_link'; did you mean 'root_frame"
        ):
            kt.icub.frame(kt.load("icub"), "root_link")
        with pytest.raises(kt.KinetreeError, match=r"has no 'l_eye_frame', which the naming page has on 'l_eye'"):
            kt.icub.frame(kt.load('<robot name="r"><link name="a"/></robot>', format="urdf"), "l_eye_frame")

    def test_fk_names_it(self, published):
        robot = kt.load(published, format="urdf")
        with pytest.raises(kt.KinetreeError, match=r"no frame 'l_arm_ft_frame', which is called 'l_arm_ft' in this"):
            kt.fk(robot, "l_arm_ft_frame")
        with pytest.raises(kt.KinetreeError, match=r"no frame 'root_frame', which is called 'root_link' in this robot"):
            kt.fk(robot, "root_frame")

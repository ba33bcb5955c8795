"""Arms that come with the package, against numbers that were published of them."""

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.robots.packaged import names, version_of

ARMS = [name for name in names() if name != "icub"]


@pytest.mark.slow
def test_the_arms_stand_where_their_makers_say() -> None:
    at = {name: kt.fk(arm, frame, base=base)(arm.zero)[:3, 3].round(9).tolist() for name, arm, frame, base in (
        ("panda", kt.load("panda"), "panda_link8", "panda_link0"),
        ("ur5e", kt.load("ur5e"), "tool0", "base"),
        ("iiwa14", kt.load("iiwa14"), "tool0", "base"),
        ("puma560", kt.load("puma560"), "link_6", "base_link"),
    )}  # fmt: skip
    assert at == {
        "panda": [0.088, 0.0, 0.926],
        "ur5e": [-0.8172, -0.2329, 0.0628],
        "iiwa14": [0.0, 0.0, 1.306],
        "puma560": [0.4521, -0.15005, 1.10363],
    }


@pytest.mark.slow
def test_torques_of_the_puma_are_those_of_the_book() -> None:
    """Of Corke, Robotics, Vision and Control, 2nd edition, chapter 9: `gravload(qn)` and `inertia(qn)`."""
    puma, q = kt.load("puma560"), [0.0, np.pi / 4, -np.pi, 0.0, np.pi / 4, 0.0]
    np.testing.assert_allclose(kt.gravity_torques(puma)(q), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)
    found = np.diag(kt.mass_matrix(puma)(q))
    np.testing.assert_allclose(found, [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], atol=6e-5)


def test_limits_of_the_arms() -> None:
    panda, ur, iiwa = (kt.load(name) for name in ("panda", "ur5e", "iiwa14"))
    assert [joint.limit.jerk for joint in panda.joints.values() if joint.kind.nq] == [
        *(7500, 3750, 5000, 6250, 7500, 10000, 10000)
    ]
    assert kt.load("panda").joints["panda_joint6"].limit.upper == 3.7525
    assert np.degrees(ur.limits.upper).round(6).tolist() == [360.0] * 6
    assert np.degrees([iiwa.joints[n].limit.velocity for n in iiwa.joint_names]).round(6).tolist() == [
        *(85, 85, 100, 75, 130, 135, 135)
    ]


@each("name, asked", [("icub", "9.9"), ("icub", ""), *((name, asked) for name in ARMS for asked in ("1.0", ""))])
def test_a_version_that_is_not_there_is_refused(name: str, asked: str) -> None:
    with pytest.raises(KinetreeError) as caught:
        version_of(name, asked)
    (finding,) = caught.value.findings
    said = f"there is no version '{asked}' of {name}"
    only = f"{said}, which has no versions; expected '{name}'"
    assert finding.code == "version"
    assert finding.message.startswith(f"{said}; the versions are 1.0, ") if name == "icub" else finding.message == only
    assert version_of(ARMS[0], None)[0] == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_an_arm_has_no_versions_and_can_be_written(name: str, tmp_path: Path) -> None:
    arm = kt.load(name)
    assert not arm.notes
    for asked in ("1.0", ""):
        with pytest.raises(KinetreeError, match=f"no version '{asked}' of {name}, which has no versions"):
            kt.load(f"{name}:{asked}")
    kt.save(arm, tmp_path / "arm.urdf")
    q = arm.limits.sample(3, 1)
    frame = list(arm.frames)[-1]
    np.testing.assert_allclose(kt.fk(kt.load(tmp_path / "arm.urdf"), frame)(q), kt.fk(arm, frame)(q), atol=1e-12)

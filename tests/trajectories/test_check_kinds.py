"""Each kind of check of a motion, on small robots with numbers by hand."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import Motion, Path, check

SLIDE = """<robot name="slide"><link name="a"/><link name="b">{mass}</link><link name="c"/><link name="d"/>
<joint name="x" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="{v}" effort="30"/></joint>
<joint name="turn" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="5" effort="0"/></joint>
<joint name="finger" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" velocity="2" effort="3"/>
<mimic joint="turn" multiplier="-2" offset="0.5"/></joint></robot>"""
MASS = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"


def slide(v=3, mass=MASS):
    return kt.load(SLIDE.format(v=v, mass=mass), format="urdf")


def of(robot, times, *columns, **more):
    return Motion(robot.coordinate_names, times, np.column_stack(columns), robot=robot, **more)


def told(motion, **options):
    """Code, severity, element and message of what is found, without remarks."""
    findings = check(motion, **{"clearance": None, **options})
    return [(f.code, f.severity, f.element, f.message) for f in findings if f.severity != "info"]


def remarks(motion, **options):
    return [f.message for f in check(motion, **{"clearance": None, **options}) if f.severity == "info"]


def test_limits_of_joints_and_followers():
    robot = slide()
    motion = of(robot, [0, 1, 2, 3], [0, 1.5, 0, 1.25], [0, 0, 0, 1])
    assert told(motion, torque=False) == [
        (
            "motion-limit",
            "error",
            "joint 'x'",
            "is 0.5 m above its limit 1 at t = 1 s; outside from t = 1 s, and 1 more time",
        ),
        (
            "motion-limit",
            "error",
            "limit 'finger lower'",
            "is 0.5 rad beyond it, with turn, at t = 3 s; outside from t = 3 s",
        ),
    ]
    assert told(of(robot, [0, 1], [0, 1 + 5e-7], [0, 0])) == []  # rounding
    assert [one[0] for one in told(of(robot, [0, 1], [0, 1 + 2e-6], [0, 0]))] == ["motion-limit"]


def test_a_limit_of_a_joint_whose_name_has_a_blank():
    robot = kt.load(SLIDE.format(v=3, mass=MASS).replace('"x"', '"upper x"'), format="urdf")
    ((_, _, element, message),) = told(of(robot, [0, 1], [0, 1.5], [0, 0]), torque=False)
    assert (element, message) == ("joint 'upper x'", "is 0.5 m above its limit 1 at t = 1 s; outside from t = 1 s")
    ((_, _, element, message),) = told(of(robot, [0, 1], [0, -1.5], [0, 0]), torque=False)
    assert (element, message.split(" at ")[0]) == ("joint 'upper x'", "is 0.5 m below its limit -1")


def test_velocities_of_leaders_and_followers():
    robot = slide()
    ((code, severity, element, message),) = told(of(robot, [0, 0.5, 1], [0, 0, 0], [0.1, 0.1, 0.65]))
    assert (code, severity, element) == ("motion-velocity", "error", "joint 'finger'")
    assert message == "the velocity is 2.2 rad/s at t = 0.75 s, above its limit 2 rad/s"
    assert told(of(robot, [0, 0.5, 1], [0, 0, 0], [0.1, 0.1, 0.55])) == []
    known = of(robot, [0, 1], [0, 0], [0.1, 0.1], qd=np.array([[0, 0], [0, 1.5]]))  # between samples it is 0
    assert [(one[2], one[3]) for one in told(known)] == [
        ("joint 'finger'", "the velocity is 3 rad/s at t = 1 s, above its limit 2 rad/s")
    ]


def test_options_of_rates():
    robot = slide()
    motion = of(robot, [0, 1, 2, 3], [0, 0.5, 0.5, 0.5], [0, 0, 0.2, 0.2])
    both = [("motion-velocity", "joint 'x'"), ("motion-velocity", "joint 'turn'")]
    for velocity, expected in ((0.1, both), ([0.1, 1], both[:1]), ({"turn": 0.1}, both[1:]), (False, []), (True, [])):
        assert [(one[0], one[2]) for one in told(motion, velocity=velocity, torque=False)] == expected
    found = told(motion, acceleration=0.35, torque=False)  # x: -0.5, turn: 0.2 and -0.2, finger: unknown
    assert [(one[0], one[2], one[3].split(",")[0]) for one in found] == [
        ("motion-acceleration", "joint 'x'", "the acceleration is 0.5 m/s² at t = 1 s")
    ]
    for bad in (0, -1, "much", [1, 2, 3], {"turn": np.nan}, None):
        with pytest.raises(kt.KinetreeError, match=r"velocity is .*expected True, False"):
            check(motion, velocity=bad)
    with pytest.raises(kt.KinetreeError, match="velocity has a number for 'trun'; did you mean 'turn'"):
        check(motion, velocity={"trun": 1})


def test_torques_are_those_of_the_mass():
    """2 kg against the weight: 2 (9.80665 + a) N."""
    robot, t = slide(v=30), np.linspace(0, 1, 21)
    for a, known, expected in ((5.3, False, "warning"), (5.3, True, "error"), (5.1, False, None), (5.1, True, None)):
        x, zero = a * (t - 0.5) ** 2 / 2, np.zeros(21)
        more = {"qd": np.column_stack([a * (t - 0.5), zero]), "qdd": np.column_stack([a + zero, zero])} if known else {}
        found = told(of(robot, t, x, zero, **more))
        assert [one[:3] for one in found] == [("motion-torque", expected, "joint 'x'")] * (expected is not None)
        if found:
            assert found[0][3].startswith("the torque is 30.2")
            assert " N at t = " in found[0][3]


def test_a_peak_at_an_end_is_seen():
    """A motion that begins with its largest acceleration, 8 m/s², and 35.6 N."""
    robot, t = slide(v=30), np.linspace(0, 0.5, 26)
    x = 4 * t**2 - 8 * t**3 / 6 * 2  # x'' = 8 - 16 t
    assert "35.6" in told(of(robot, t, x - 0.5, 0 * t), torque={"x": 35.55})[0][3]
    assert told(of(robot, t, x - 0.5, 0 * t), torque={"x": 35.65}) == []


def test_what_rounding_explains_is_no_finding():
    """A file with 4 digits at 1 kHz: accelerations of 100 rad/s² from rounding alone."""
    robot, t = slide(), np.arange(500) / 1000
    smooth = 0.5 * np.sin(2 * t)
    rounded = of(robot, t, np.round(smooth, 4), 0 * t)
    assert np.abs(np.diff(rounded.q[:, 0], 2)).max() * 1e6 > 90
    assert told(rounded, acceleration=2.5, torque=False) == []
    assert [one[0] for one in told(of(robot, t, 4 * smooth / 4, 0 * t), acceleration=1.6)] == ["motion-acceleration"]


def test_jumps():
    robot, t = slide(), np.arange(40) / 100
    q = 0.5 * t
    for size, severity in ((0.2, "error"), (-0.2, "error")):
        jumped = q + size * (t > 0.195)
        ((code, said, element, message),) = told(of(robot, t, jumped, 0 * t), torque=False)
        assert (code, said, element) == ("motion-jump", severity, "joint 'x'")
        assert message == f"jumps by {size + 0.005:.4g} m from t = 0.19 s to the next sample"
    spike = q + 0.3 * (np.arange(40) == 7)
    assert [one[0] for one in told(of(robot, t, spike, 0 * t), torque=False)] == ["motion-jump"]
    assert told(of(robot, t, q + 0.3 * (t > 0.195), 0 * t), torque=False, velocity=False)[0][1] == "error"
    steps = of(robot, None, [0, 0.01, 0.5, 0.51], [0, 0, 0, 0])
    assert [one[:2] for one in told(steps)] == [("motion-jump", "warning")]
    turns = kt.chain("Rz(a) tx(1)")
    wrapped = Motion(("a",), t, np.angle(np.exp(1j * (3.0 + t)))[:, None], robot=turns)
    (finding,) = [one for one in check(wrapped, clearance=None) if one.severity != "info"]
    assert "unwrap" in finding.fix


def test_what_is_not_checked_is_said():
    robot = slide(v=0, mass="")
    said = remarks(of(robot, [0, 1], [0, 0.1], [0, 0]), clearance=0.0)
    assert said == [
        "the velocity is not checked of joints whose limit is 0: x",
        "accelerations are not checked: no joint has a limit of it",
        "torques are not checked: no link has a mass",
        "contact is not checked: no link has a collision shape",
    ]
    assert "torques are not checked: no link has a mass" in remarks(
        of(robot, [0, 1], [0, 0.1], [0, 0]), payload={"c": 2}
    )
    assert "the torque is not checked of joints whose limit is 0: turn" in remarks(of(slide(), [0, 1], [0, 0], [0, 0]))
    assert remarks(of(robot, None, [0, 0.1], [0, 0])) == [
        "velocities, accelerations and torques are not checked: there are no times"
    ]


def test_the_extremes_of_a_path_are_found():
    """x = 4 s (1 - s) reaches 1 + 1e-3 between the ends of its piece, where it is 0."""
    robot = slide()
    for top, count in ((1.001, 1), (0.999, 0)):
        path = Path(robot, [0.0, 1.0], np.array([[[-4 * top, 0]], [[4 * top, 0]], [[0, 0]]]))
        found = told(path)
        assert len(found) == count
    wide = Path(robot, [0.0, 2.0], np.array([[[-1.1, 0]], [[2.2, 0]], [[0, 0]]]))
    assert told(wide)[0][3].startswith("is 0.1 m above its limit 1 at s = 1; outside from s = 0.")


def test_contact_on_a_path():
    """A ball that dips to another by a parabola: contact, and none 0.1 mm higher."""
    ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    joint = "<joint name='{0}' type='prismatic'><parent link='{1}'/><child link='{2}'/><axis xyz='{3}'/>"
    joint += "<limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
    text = f"<robot name='r'><link name='a'>{ball}</link><link name='b'/><link name='c'>{ball}</link>"
    text += joint.format("x", "a", "b", "1 0 0") + joint.format("y", "b", "c", "0 1 0") + "</robot>"
    robot = kt.load(text, format="urdf")
    contact = kt.collisions(robot, [("a", "c")])
    for gap, codes in ((-1e-4, ["motion-contact"]), (1e-3, [])):
        # x = s - 1, y = 0.2 + gap + (s - 1)²
        path = Path(robot, [0, 2], np.array([[[0, 1]], [[1, -2]], [[-1, 1.2 + gap]]], dtype=float))
        found = told(path, clearance=contact)
        assert [one[0] for one in found] == codes
    near = kt.collisions(robot, [("a", "c")], margin=0.01)
    ((code, severity, _, message),) = told(path, clearance=near)
    assert (code, severity) == ("motion-clearance", "warning")
    assert "below the clearance of 10 mm" in message
    said = remarks(path, clearance=0.01)
    assert not [one for one in said if "contact" in one]
    always = "contact is checked, but not a clearance of 9 m, of 1 pair of links that are always nearer: a and c"
    assert always in remarks(path, clearance=9.0)


def test_open_loops():
    text = '<mujoco><worldbody><body name="crank"><joint name="turn" axis="0 0 1"/></body></worldbody>'
    text += '<equality><connect name="pin" body1="crank" anchor="1 0 0"/></equality></mujoco>'
    robot = kt.load(text, format="mjcf")
    found = told(Motion(("turn",), [0, 1, 2], [[0], [0.3], [0.1]], robot=robot))
    assert found == [
        ("motion-loop", "error", "joint 'pin'", "the loop is open by 299 mm and 0 rad at t = 1 s, first at t = 1 s")
    ]
    assert told(Motion(("turn",), [0, 1, 2], [[0], [0], [0]], robot=robot)) == []


def test_singular_configurations_of_a_six_joint_arm():
    """The wrist of a spherical arm passes q5 = 0."""
    arm = kt.chain("Rz(q1) tz(0.4) Ry(q2) tz(0.4) Ry(q3) tz(0.3) Rz(q4) Ry(q5) Rz(q6)")
    q = np.tile([0.1, 0.4, 0.9, 0.2, 0.0, 0.3], (3, 1))
    q[:, 4] = [-0.3, -0.1, 0.2]
    frame = [*arm.links][-1]
    motion = Motion(arm.coordinate_names, [0, 1, 2], q, robot=arm)
    found = [f for f in check(motion) if f.code == "motion-singular"]
    assert [f.severity for f in found] == ["info"]
    assert "between t = 1 s and t = 2 s" in found[0].message
    (warned,) = told(motion, frame=frame)
    assert warned[:3] == ("motion-singular", "warning", f"frame {frame!r}")
    q[:, 4] = [0.5, 0.4, 0.3]
    assert told(Motion(arm.coordinate_names, [0, 1, 2], q, robot=arm), frame=frame) == []
    q[:, 4] = [0.3, 0.002, 0.3]
    assert (
        "nearly singular at t = 1 s" in told(Motion(arm.coordinate_names, [0, 1, 2], q, robot=arm), frame=frame)[0][3]
    )


def test_arguments():
    robot = slide()
    motion = of(robot, [0, 1], [0, 0], [0, 0])
    for wrong, match in (
        (Motion(motion.names, motion.times, motion.q), "no robot"),
        (of(robot, [0, 0], [0, 0], [0, 0]), "not after that of sample 0"),
        (of(robot, [0, 1], [0, np.nan], [0, 0]), "q of .x. is nan at sample 1; expected finite"),
        ([[0, 0]], "expected a Motion or a Path"),
    ):
        with pytest.raises(kt.KinetreeError, match=match):
            check(wrong)
    for clearance in (-1, np.inf, "far", True):
        with pytest.raises(kt.KinetreeError, match="expected a distance from 0"):
            check(motion, clearance=clearance)
    only = Motion(("x",), [0, 1], [[0], [0]], robot=robot)
    assert told(only) == []
    assert {one[0] for one in told(only, at=[0, 2])} == {"motion-limit"}  # `turn` stands outside of its limits
    assert told(of(robot, [1.7e9, 1.7e9 + 1], [0, 1.25], [0, 0]))[0][3].endswith(
        "at t = 1700000001 s; outside from t = 1700000001 s"
    )


def test_times_hardly_in_seconds_need_limits_of_all_that_moves():
    arm = kt.chain("Rz(a) Rz(b)")
    for b, is_slow in ((0.0, True), (1.0, False)):
        motion = kt.motion.Motion(("a", "b"), [0, 4000], [[0, 0], [1, b]], robot=arm)
        found = kt.motion.check(motion, velocity={"a": 2.0}, clearance=None)
        assert any(one.code == "motion-rates" for one in found) == is_slow

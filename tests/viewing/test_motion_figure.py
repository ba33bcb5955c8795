"""Figures of motions: what is drawn is what was computed elsewhere."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.motion import Motion, plot, point_to_point
from kinetree.viewing import plotting
from kinetree.viewing.motion_figure import figure_of

pytest.importorskip("matplotlib")

ARM = kt.load(
    '<robot name="two_$"><link name="a"/><link name="b"><inertial><origin xyz="1 0 0"/><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"/>'
    '<joint name="turn_$x$" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    '<limit lower="-2" upper="1.5" velocity="1.8" effort="25"/></joint>'
    '<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>'
    '<limit lower="-90" upper="1.9" velocity="0" effort="0"/></joint></robot>',
    format="urdf",
)


def motion():
    return point_to_point(ARM, [0, 0], [1, 0.5], velocity=1.0, period=0.02)


def curves(figure):
    """The curves of each panel by the axis' label, without the lines of limits; and these."""
    found = {}
    for axis in figure.axes:
        lines = axis.get_lines()
        over_time = [line.get_ydata() for line in lines if line.get_linestyle() != "--"]
        ends = sorted(float(line.get_ydata()[0]) for line in lines if line.get_linestyle() == "--")
        found[axis.get_ylabel()] = (np.transpose(over_time), ends)
    return found


@pytest.mark.parametrize("known", [True, False])
def test_panels_are_the_motion_and_its_torques(known):
    whole = motion()
    found = curves(figure_of(whole if known else replace(whole, qd=None, qdd=None), ".svg"))
    assert list(found) == [
        "position, rad or m",
        "velocity, rad/s or m/s",
        "acceleration, rad/s² or m/s²",
        "torque, N m or N",
    ]
    near = {"rtol": 1e-9} if known else {"atol": 0.02, "rtol": 0.02}
    tau = kt.inverse_dynamics(ARM)(whole.q, whole.qd, whole.qdd)
    for (values, _), expected in zip(found.values(), (whole.q, whole.qd, whole.qdd, tau), strict=True):
        assert np.allclose(values[2:-2], expected[2:-2], **near)
    assert [ends for _, ends in found.values()] == [[1.5, 1.9], [1.8], [], [-25.0]]  # 0 counts as unknown, -90 is far


def test_what_cannot_be_computed_is_left_out():
    whole = motion()
    few = Motion(whole.names, whole.times[:3], whole.q[:3], robot=ARM)
    assert list(curves(figure_of(few, ".svg"))) == ["position, rad or m"]
    one = Motion(("slide",), whole.times, whole.q[:, 1:], robot=ARM)
    assert list(curves(figure_of(one, ".svg")))[:2] == ["position, m", "velocity, m/s"]
    free = kt.edit.floating(ARM)
    still = Motion(free.coordinate_names, whole.times, np.tile(free.q(), (len(whole.times), 1)), robot=free)
    assert len(curves(figure_of(still, ".svg"))) == 3  # no torques
    for wrong, message in (
        (replace(whole, robot=None), "has no robot"),
        (replace(whole, times=None), "expected a motion with times"),
        (kt.motion.through(ARM, [[0, 0], [1, 0.5]]), "expected a motion with times"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            plot(wrong)


def test_a_figure_is_of_its_motion_in_the_format_of_its_name(tmp_path, monkeypatch):
    made = plot(motion())
    assert repr(made) == f"MotionPlot of {made.motion!r}"
    monkeypatch.setattr(plotting, "written", lambda figure, suffix: f"{len(figure.axes)} panels, {suffix}".encode())
    made.save(tmp_path / "motion.SVG")
    assert (tmp_path / "motion.SVG").read_text() == made._repr_svg_() == "4 panels, .svg"


@pytest.mark.slow
def test_files(tmp_path):
    made = plot(motion())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.save(tmp_path / "m.svg")
        made.save(tmp_path / "m.png")
    text = (tmp_path / "m.svg").read_text(encoding="utf-8")
    assert "turn_$x$" in text  # no formula
    assert made._repr_svg_() == text
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(kt.KinetreeError, match=r"not written as '.bmp'"):
        made.save(tmp_path / "m.bmp")
    assert repr(made) == f"MotionPlot of {motion()!r}"

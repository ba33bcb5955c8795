"""Figure of a verification: errors of a log, before and after, and the correlation of what was fitted."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
from each import each
from kinetree.cli import group
from kinetree.viewing import verification_figure as drawing
from kinetree.viewing.verification_figure import _poses, verification_figure
from test_verify_efforts import ARM, motion

T, Q, QD, QDD = motion(ARM, np.random.default_rng(3), 12.0, 50.0)
FRICTION = [0, 0.5, 0] * np.sign(QD) + [0.3, 0, 0] * QD
EFFORT = kt.inverse_dynamics(ARM)(Q, QD, QDD) + FRICTION + np.random.default_rng(4).normal(0, 0.02, Q.shape)


@pytest.fixture(scope="module")
def found():
    """A verification by poses and torques: a zero, and two kinds of friction."""
    poses = kt.fk(ARM, "q3_link")(np.add(Q, [0, 0.02, 0]))
    poses[:, :3, 3] += np.random.default_rng(5).normal(0, 1e-4, (len(Q), 3))
    shifted = kt.inverse_dynamics(ARM)(np.add(Q, [0, 0.02, 0]), QD, QDD) + FRICTION
    effort = shifted + np.random.default_rng(4).normal(0, 0.02, Q.shape)
    effort[:, 2] = np.nan
    return kt.verify(ARM, Q, t=T, effort=effort, poses={"q3_link": poses})


@pytest.mark.slow
@pytest.mark.nightly
def test_residuals_are_the_errors_of_samples(found):
    """Their root mean squares are those of the answer."""
    poses, torques, times = (found.residuals[name] for name in ("poses", "torques", "times"))
    assert poses.shape == (2, len(Q), 2)
    np.testing.assert_allclose(np.sqrt((poses**2).mean(axis=1)), [found.error, found.left])
    assert torques.shape == (2, len(times), 3)
    assert np.isnan(torques[..., 2]).all()
    np.testing.assert_allclose(np.sqrt((torques**2).mean(axis=1)), found.torques[:2])
    assert (np.diff(times) > 0).all()
    assert times[0] > T[0]
    assert times[-1] < T[-1]


def test_numbers_of_the_faults_are_correlated(found):
    """Those of poses and those of torques are not."""
    assert {*found.numbers} == {"zero q2", "Coulomb friction q2", "viscous friction q1"}
    np.testing.assert_allclose(np.diag(found.correlation), 1)
    assert (np.abs(found.correlation) <= 1 + 1e-9).all()
    np.testing.assert_array_equal(found.correlation[0, 1:], 0)


@pytest.mark.slow
def test_residuals_of_late_torques():
    """They stand at the times of what they are compared with."""
    t, q, qd, qdd = motion(ARM, np.random.default_rng(3), 12.0, 50.0)
    effort = kt.inverse_dynamics(ARM)(q, qd, qdd) + np.random.default_rng(4).normal(0, 0.02, q.shape)
    late = np.column_stack([np.interp(t - 0.2, t, x) for x in effort.T])
    found = kt.verify(ARM, q[20:], t=t[20:], effort=late[20:])
    assert [fault.kind for fault in found.faults] == ["delay"]
    before, after = np.sqrt((found.residuals["torques"] ** 2).mean(axis=1))
    assert (before > 3 * after).all()
    np.testing.assert_allclose(after, found.torques[1])


@pytest.mark.slow
def test_a_figure_has_a_panel_for_each_part(found):
    svg = verification_figure(found, ".svg").decode()
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    for text in ("position, mm", "orientation, deg", "q1", "q2", "time, s", "sample", "zero q2", "viscous friction q1"):
        assert text in texts
    assert "q3" not in texts
    assert "The model does not agree with the log" in texts
    assert svg == verification_figure(found, ".svg").decode()


def test_units_of_the_panels(found):
    errors = found.residuals["poses"]
    (position, orientation) = _poses(found)
    np.testing.assert_allclose(position[3], 1000 * errors[..., 0])
    np.testing.assert_allclose(orientation[3], np.rad2deg(errors[..., 1]))


@pytest.mark.slow
def test_a_figure_without_faults_has_no_correlation():
    found = kt.verify(ARM, Q, t=T, effort=EFFORT - FRICTION)
    assert found.agrees
    assert found.correlation.shape == (0, 0)
    svg = verification_figure(found, ".svg").decode()
    assert "The model agrees with the log" in svg
    assert "correlation" not in svg


@pytest.mark.slow
def test_positions_alone_have_one_panel():
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (40, 3))
    points = kt.fk(ARM, "q3_link")(np.add(q, [0, 0.05, 0])) @ [0.1, 0, 0.2, 1]
    found = kt.verify(ARM, q, poses={"q3_link": points[:, :3]}, unknown="tool")
    svg = verification_figure(found, ".svg").decode()
    assert "position, mm" in svg
    assert "orientation" not in svg


@pytest.mark.slow
def test_a_long_name_is_shortened(found):
    long = replace(found, numbers=("zero " + 60 * "x", *found.numbers[1:]))
    assert 30 * "x" not in verification_figure(long, ".svg").decode()


@pytest.mark.slow
def test_the_command_draws_it(tmp_path):
    log = tmp_path / "log.csv"
    kt.save(ARM, tmp_path / "arm.urdf")
    head = "time,q1,q2,q3,q1.effort,q2.effort,q3.effort"
    np.savetxt(log, np.column_stack([T, Q, EFFORT]), "%.6f", ",", header=head, comments="")

    def run(*more):
        return CliRunner().invoke(group, ["verify", str(tmp_path / "arm.urdf"), str(log), *more])

    plot = tmp_path / "errors.svg"
    assert run("--plot", str(plot)).exit_code == 1
    assert "viscous friction q1" in plot.read_text()
    again = run("--plot", str(plot))
    assert (again.exit_code, "exists already" in again.output) == (2, True)
    assert run("--plot", str(plot), "--force").exit_code == 1
    assert "--force is for --plot FILE" in run("--force").output
    assert run("--plot", str(log), "--force").exit_code == 2
    assert "residuals" not in run("--json").output
    assert '"numbers"' in run("--json").output


@pytest.mark.slow
def test_readings_of_sensors_have_panels():
    y = kt.dynamics.imu_reading(ARM, "q3_link")(np.add(Q, [0, 0.02, 0]), QD, QDD)
    y += np.random.default_rng(5).normal(0, 0.05, y.shape)
    found = kt.verify(ARM, Q, t=T, imu={"q3_link": y})
    assert [fault.kind for fault in found.faults] == ["zero"]
    drawn = verification_figure(found, ".svg")
    assert verification_figure(found, ".png").startswith(b"\x89PNG")
    assert drawn.count(b'id="axes_') == 2


def some_errors(**more):
    """What a figure draws: errors of poses, of a wrench sensor that has moments alone, and of torques of one joint."""
    wrench = np.full((2, 3, 1, 6), np.nan)
    wrench[..., 3:] = [[[[3, 4, 0]]], [[[0, 0, 1]]]]
    given = {
        "residuals": {
            "poses": np.full((2, 120, 2), [[[0.002, 0.1]], [[0.001, 0.05]]]),
            "wrenches": wrench,
            "times of wrenches": np.array([0.5, 1.0, 1.5]),
            "torques": np.array([[[7.0, np.nan], [8.0, np.nan]], [[1.0, np.nan], [2.0, np.nan]]]),
            "times": np.array([2.0, 4.0]),
        },
        "readings": {"wrenches": None},
        "sensor_offsets": {"wrenches": {"wrist": None}},
        "offsets": {"q1": 0.0, "q2": 0.0},
        "numbers": ("zero q1", "mass of " + 30 * "x"),
        "correlation": np.array([[1.0, -0.5], [-0.5, 1.0]]),
        "agrees": False,
    }
    return SimpleNamespace(**(given | more))


@pytest.fixture
def drawn(monkeypatch):
    """Return the figure of a verification, instead of its bytes."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(drawing, "written", lambda figure, suffix: (figure, suffix))
    return lambda **more: verification_figure(some_errors(**more), ".svg")


def test_each_part_has_a_panel_with_its_curves_before_and_after(drawn):
    figure, suffix = drawn()
    upper, lower = figure.subfigs
    assert suffix == ".svg"
    assert figure.get_suptitle() == "The model does not agree with the log"
    labels = ["position, mm", "orientation, deg", "wrist\nN m", "q1\nN m or N"]
    assert [panel.get_ylabel() for panel in upper.axes] == labels
    assert [panel.get_xlabel() for panel in upper.axes] == ["sample", "sample", "", "time, s"]
    first, _, moments, torques = (panel.get_lines() for panel in upper.axes)
    assert [set(line.get_ydata()) for line in first] == [{2.0}, {1.0}]
    assert [len(line.get_xdata()) for line in first] == [120, 120]
    assert [line.get_ydata().tolist() for line in moments] == [[5.0] * 3, [1.0] * 3]
    assert [line.get_xdata().tolist() for line in moments] == [[0.5, 1.0, 1.5]] * 2
    assert [line.get_ydata().tolist() for line in torques] == [[7.0, 8.0], [1.0, 2.0]]
    assert torques[0].get_xdata().tolist() == [2.0, 4.0]
    assert [line.get_label() for line in first] == ["the model as it is", "with the faults corrected"]
    assert [line.get_color() for line in first] == [drawing.BEFORE, drawing.AFTER]
    assert [line.get_marker() for line in (first[0], moments[0])] == ["", "o"]  # few samples are marked
    image = lower.axes[0].get_images()[0]
    assert np.asarray(image.get_array()).tolist() == [[1.0, -0.5], [-0.5, 1.0]]
    assert image.get_clim() == (-1, 1)
    names = [label.get_text() for label in lower.axes[0].get_yticklabels()]
    assert names[0] == "zero q1"
    assert len(names[1]) <= drawing.LONGEST
    assert lower.axes[0].get_title(loc="left") == "correlation of the numbers of the faults"


@each("numbers", [(), ("zero q1",)])
def test_fewer_than_two_numbers_have_no_correlation(drawn, numbers):
    figure, _ = drawn(numbers=numbers, agrees=True, readings={})
    assert figure.subfigs == []
    assert figure.get_suptitle() == "The model agrees with the log"
    assert len(figure.axes) == 3
    lengths = [figure.get_size_inches()[1], drawn(readings={})[0].get_size_inches()[1]]
    assert lengths[1] - lengths[0] == pytest.approx(1.5)

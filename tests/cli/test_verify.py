"""`kinetree verify`: logs of a robot that differs from its file, and corrections of this file."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.fixer.rewritten import rewritten
from kinetree.formats.registry import ReadOptions
from kinetree.lab.identify.answer import ModelFault
from kinetree.lab.identify.correct import corrected
from kinetree.model.assemble import build, parts_of
from kinetree.spatial.se3 import quaternions_from_rotations

JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'
LIMIT = '<axis xyz="{}"/><limit lower="-2" upper="2" effort="1" velocity="1"/>'
URDF = "\n  ".join(
    [
        '<robot name="arm"><!-- as drawn -->',
        *(f'<link name="{name}"/>' for name in ("base_link", "a", "b", "c", "d", "finger", "tip")),
        JOINT.format("q1", "revolute", "base_link", "a", LIMIT.format("0 0 1")),
        JOINT.format("q2", "revolute", "a", "b", '<origin xyz="0 0 0.3"/>' + LIMIT.format("0 1 0")),
        JOINT.format("q3", "revolute", "b", "c", '<origin rpy="0 0 0" xyz="0.400 0 0"/>' + LIMIT.format("0 1 0")),
        JOINT.format("q4", "prismatic", "c", "d", '<origin xyz="0.3 0 0"/>' + LIMIT.format("1 0 0")),
        JOINT.format("grip", "revolute", "c", "finger", '<mimic joint="q3" multiplier="-2"/>' + LIMIT.format("0 0 1")),
        JOINT.format("to_tip", "fixed", "d", "tip", '<origin xyz="0 0 0.1"/>'),
        "</robot>\n",
    ]
)
CHANGES = np.array([0.0, 0.0, 0.01, 0.0])
MACRO = """<robot name="m" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base_link"/><link name="a"/>
  <xacro:property name="h" value="0.5"/>
  <joint name="q1" type="revolute"><parent link="base_link"/><child link="a"/><origin xyz="0 0 {}"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""


@pytest.fixture
def urdf(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(URDF)
    return file


def row(robot, name):
    return kt.kinematics.origins(robot)[name]


def log(tmp_path, true):
    """Write a log of a robot that is at `true(q)` when its encoders show q, and return its file."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.5, 1.5, (30, 4))
    T = true(q)
    T[:, :3, 3] += rng.normal(0, 1e-4, (30, 3))
    table = np.hstack([q, T[:, :3, 3], quaternions_from_rotations(T[:, :3, :3])])
    names = ["q1", "q2", "q3", "q4", *("tip." + part for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))]
    file = tmp_path / "log.csv"
    np.savetxt(file, table, "%.7f", ",", header=",".join(names), comments="")
    return file


BENT = "\n  ".join(
    [
        '<robot name="bent"><!-- as drawn -->',
        *(f'<link name="{name}"/>' for name in ("base_link", "one", "two", "finger", "tip")),
        JOINT.format("a", "revolute", "base_link", "one", LIMIT.format("0 0 1")),
        JOINT.format("b", "revolute", "one", "two", '<origin xyz="0.5 0 0"/>' + LIMIT.format("0 1 0")),
        JOINT.format("c", "revolute", "one", "finger", '<mimic joint="b" multiplier="-2"/>' + LIMIT.format("1 0 0")),
        JOINT.format("end", "fixed", "two", "tip", '<origin xyz="0.4 0 0"/>'),
        "</robot>\n",
    ]
)
XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")


class TestTwoJoints:
    """Small logs, quickly: joint b is 0.01 rad farther than the file says."""

    ROBOT = kt.load(BENT, format="urdf")
    Q = np.random.default_rng(4).uniform(-1.2, 1.2, (14, 2))
    OFF = np.array([0.0, 0.01])

    def poses(self, q):
        T = kt.fk(self.ROBOT, "tip")(q + self.OFF)
        T[..., :3, 3] += np.random.default_rng(0).normal(0, 1e-4, (*T.shape[:-2], 3))
        return T

    def write(self, file, columns):
        """Write a table by names of its columns; poses T under "tip." or "" are seven columns."""
        flat = {}
        for name, values in columns.items():
            if np.ndim(values) == 3:
                parts = np.hstack([values[:, :3, 3], quaternions_from_rotations(values[:, :3, :3])]).T
                flat |= dict(zip([name + part for part in POSE], parts, strict=True))
            else:
                flat[name] = values
        np.savetxt(file, np.column_stack([*flat.values()]), "%.9g", ",", header=",".join(flat), comments="")
        return file

    @pytest.fixture
    def model(self, tmp_path):
        file = tmp_path / "bent.urdf"
        file.write_text(BENT)
        return file

    @pytest.fixture
    def log(self, tmp_path):
        a, b = self.Q.T
        return self.write(tmp_path / "log.csv", {"a": a, "b": b, "tip.": self.poses(self.Q)})

    @pytest.mark.slow
    def test_a_model_of_an_installed_package_is_not_changed(self, run, model, log, tmp_path):
        (tmp_path / "site-packages").mkdir()
        installed = model.rename(tmp_path / "site-packages/bent.urdf")
        result = run("verify", installed, log, "--fix")
        assert result.exit_code == 2
        assert "bent.urdf: error: belongs to an installed package; copy it first [file]" in result.stderr
        assert installed.read_text() == BENT
        assert run("verify", installed, log, "--diff").exit_code == 1

    @pytest.mark.slow
    def test_a_difference_of_nothing_says_so(self, run, model, tmp_path):
        (a, b), T = self.Q.T, kt.fk(self.ROBOT, "tip")(self.Q)
        agrees = run("verify", model, self.write(tmp_path / "log.csv", {"a": a, "b": b, "tip.": T}), "--diff")
        assert (agrees.exit_code, agrees.stdout) == (0, "")
        assert "nothing to correct. The model agrees: " in agrees.stderr
        mixed = self.write(tmp_path / "mixed.csv", {"a": a, "b": b, "tip.": T[::-1]})
        nothing = run("verify", model, mixed, "--diff")
        assert (nothing.exit_code, nothing.stdout) == (1, "")
        assert "nothing to correct. The model does not agree: " in nothing.stderr

    @pytest.mark.slow
    def test_a_repair_is_shown_then_made(self, run, model, log):
        shown = run("verify", model, log, "--diff")
        assert shown.exit_code == 1
        changed = [line for line in shown.stdout.splitlines() if line.startswith(("-  ", "+  "))]
        assert [line.split('"')[1] for line in changed] == ["b", "c", "b", "c"]  # c follows b
        assert "The zero of b" not in shown.stdout
        assert "bent.urdf would be corrected. The model agrees: 0.1" in shown.stderr
        assert model.read_text() == BENT
        made = run("verify", model, log, "--fix")
        assert made.exit_code == 0, made.output
        assert "The zero of b is off by 0.5" in made.stdout
        assert "bent.urdf is corrected. The model agrees: 0.1" in made.stdout
        assert "<!-- as drawn -->" in model.read_text()
        q, better = np.array([0.3, 0.4]), kt.load(model)
        for frame in ("tip", "finger"):
            expected = kt.fk(self.ROBOT, frame)(q + self.OFF)
            np.testing.assert_allclose(kt.fk(better, frame)(q), expected, rtol=0, atol=3e-4)

    @pytest.mark.slow
    def test_what_is_found_is_printed_before_an_error(self, run, model, log):
        text = BENT.replace('xyz="0.5 0 0"', 'xyz="0.5 0 0" rpy="0 ${h} 0"')
        model.write_text(text.replace("><!--", f' {XMLNS}><xacro:property name="h" value="0"/><!--'))
        result = run("verify", model.rename(model.with_suffix(".xacro")), log, "--fix")
        assert result.exit_code == 2
        assert "- The zero of b is off by 0.5" in result.stdout
        assert "error: joint 'b': " in result.stderr

    @pytest.mark.slow
    def test_numbers_that_may_be_zero_stay(self, run, model):
        """Of a pose, one number is 3 mm off; the others, within the noise, are not touched."""
        text = BENT.replace('xyz="0.5 0 0"', 'xyz="5e-1 0.02 0" rpy="0 0.0 0"')
        model.write_text(text)
        rng, true = np.random.default_rng(1), kt.load(text.replace("5e-1", "0.503"), format="urdf")
        q = rng.uniform(-1.2, 1.2, (30, 2))
        T = kt.fk(true, "tip")(q)
        T[:, :3, 3] += rng.normal(0, 1e-4, (30, 3))
        log = self.write(model.with_suffix(".csv"), {"a": q[:, 0], "b": q[:, 1], "tip.": T})
        data = json.loads(run("verify", model, log, "--fix", "--json").stdout)
        assert data["corrected"]["agrees"]
        assert not data["agrees"]
        found = np.array(data["faults"][0]["value"])
        assert (np.abs(found) > 0).all()
        assert found[0] == pytest.approx(0.003, abs=1e-4)
        (changed,) = [line for line in model.read_text().splitlines() if line not in text.splitlines()]
        assert changed.strip().startswith('<joint name="b"')
        assert re.search(r'<origin xyz="0\.50[23]\d* 0\.02 0" rpy="0 0\.0 0"/>', changed)

    def test_json(self, run, model, log):
        found = run("verify", model, log, "--diff", "--json")
        assert found.exit_code == 1
        data = json.loads(found.stdout)
        assert [(fault["kind"], fault["element"], fault["unit"]) for fault in data["faults"]] == [("zero", "b", "rad")]
        assert data["faults"][0]["value"] == pytest.approx(0.01, abs=1e-3)
        assert np.shape(data["base"]) == np.shape(data["tool"]) == (4, 4)
        assert data["diff"].startswith("--- ")
        assert (data["left"], data["corrected"]["faults"]) == ([], [])

    def test_degrees_and_joints_that_stand(self, run, tmp_path, model):
        """Joint a has no column: it stands at 30 degrees."""
        b = np.linspace(-1.0, 1.0, 12)
        T = self.poses(np.column_stack([np.full(12, np.pi / 6), b]))
        file = self.write(tmp_path / "log.csv", {"b": np.rad2deg(b), "tip.": T})
        found = run("verify", model, file, "--q", "a=30", "--deg")
        assert found.exit_code == 1, found.output
        assert "The zero of b is off by 0.5" in found.stdout
        assert "Did not move, so that little is known about: a." in found.stdout
        assert len([line for line in found.stdout.splitlines() if line.startswith("- ")]) == 1

    def test_poses_of_a_file_of_their_own(self, run, tmp_path, model):
        """Of 16 poses two are outside the times of the joints; torques beside them are not used."""
        t = np.linspace(0.0, 7.0, 29)
        a, b = q = np.array([np.sin(t), np.cos(0.7 * t)])
        joints = self.write(tmp_path / "q.csv", {"t": t, "a": a, "b": b, "b.effort": b})
        times = np.r_[-0.5, t[2::2], 7.25]
        at = np.column_stack([np.interp(times, t, x) for x in q])
        X = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1.0]])
        poses = self.write(tmp_path / "T.csv", {"t": times, "": X @ self.poses(at)})
        found = run("verify", model, joints, "--pose", f"tip={poses}", "--unknown", "base")
        assert found.exit_code == 1, found.output
        assert "The zero of b is off by 0.5" in found.stdout
        assert "cannot tell the zero of a from the base pose of base_link" in found.stdout
        assert f"{poses}: 2 poses outside the times of {joints}, or in its gaps, left out" in found.stderr
        assert f"{joints}: torques are not used beside poses of another file or topic; leave out --pose" in found.stderr

    @each(
        "options, part",
        [
            ((), "log.csv has no columns of poses, such as tool0.x"),
            (("--pose", "nothing"), "no frame 'nothing'"),
            (("--pose", "tip"), "log.csv has no columns of poses"),
            (("--pose", "tip", "--pose", "nothing=T.csv"), "no frame 'nothing'"),
            (("--tool", "1 2 3 0 0 0"), "--tool goes with --controller"),
            (("--controller", "kuka", "--deg"), "leave out --pose, --q and --deg"),
            (("--controller", "kuka", "--q", "a=1"), "leave out --pose, --q and --deg"),
            (("--controller", "kuka", "--pose", "tip"), "leave out --pose, --q and --deg"),
            (("--controller", "kuka"), "the robot has no frame 'base'"),
        ],
    )
    def test_errors(self, run, tmp_path, model, options, part):
        (tmp_path / "log.csv").write_text("a,b\n1,2\n")
        result = run("verify", model, tmp_path / "log.csv", *options)
        assert result.exit_code == 2
        assert part in result.stderr

    def test_torques_want_times(self, run, tmp_path, model):
        a, b = self.Q.T
        file = self.write(tmp_path / "log.csv", {"a": a, "b": b, "b.effort": b})
        result = run("verify", model, file)
        assert result.exit_code == 2
        assert "log.csv has torques without times, of which rates of joints follow" in result.stderr

    @pytest.mark.slow
    def test_readings_in_columns(self, run, tmp_path, model):
        """Of an accelerometer in tip, under that name or another one; also with angular velocities, and poses."""
        t = np.arange(0, 8, 0.02)
        q = np.column_stack([np.sin(0.9 * t), 0.8 * np.cos(1.3 * t)])
        qd = np.gradient(q, t, axis=0)
        y = kt.dynamics.imu_reading(self.ROBOT, "tip")(q + self.OFF, qd, np.gradient(qd, t, axis=0))
        y += np.random.default_rng(0).normal(0, 0.01, y.shape)
        fields = [f"{field}.{x}" for field in ("angular_velocity", "linear_acceleration") for x in "xyz"]

        def log(name, first=3, **more):
            head = {"t": t, "a": q[:, 0], "b": q[:, 1], **more}
            readings = {f"{name}.{field}": x for field, x in zip(fields[first:], y.T[first:], strict=True)}
            return self.write(tmp_path / f"{name}{first}.csv", head | readings)

        for arguments in ([log("tip")], [log("tip", 0)], [log("board"), "--sensor", "tip=board"]):
            result = run("verify", model, *arguments, "--json")
            found = json.loads(result.stdout)
            assert [(one["kind"], one["element"]) for one in found["faults"]] == [("zero", "b")]
            assert abs(found["faults"][0]["value"] - 0.01) < 3 * found["faults"][0]["std"]
            assert "readings of tip are used" in result.stderr
        both = json.loads(run("verify", model, log("tip", 3, **{"tip.": self.poses(q)}), "--json").stdout)
        assert [(one["kind"], one["element"]) for one in both["faults"]] == [("zero", "b")]
        assert both["error"] is not None
        alone = run("verify", model, log("tip", 3, **{"tip.": self.poses(q)}), "--pose", "tip")
        assert "readings of sensors are not used beside --pose; leave it out to use them\n" in alone.stderr
        assert [*both["readings"]] == ["imu"]
        for arguments, part in (
            ([log("tip"), "--sensor", "tip=board"], "no readings are in columns 'board'; legal for --sensor NAME=COL"),
            ([log("board")], "'board'"),
            ([log("tip", 4)], "the readings of 'tip' are not whole: column 'tip.linear_acceleration.x' is missing"),
            ([log("tip", 2)], "column 'tip.angular_velocity.x' is missing"),
            ([log("tip"), "--sensor", "tip"], "--sensor is 'tip'; expected NAME=TOPIC"),
        ):
            result = run("verify", model, *arguments)
            assert result.exit_code == 2
            assert part in result.stderr

    @pytest.mark.slow
    def test_poses_of_several_frames(self, run, tmp_path, model):
        """In columns, or in files of their own, whose times differ; --pose chooses."""
        a, b = self.Q.T
        true = self.Q + self.OFF
        one = kt.fk(self.ROBOT, "one")
        columns = {"a": a, "b": b, "tip.": self.poses(self.Q), "one.": one(true)}
        file = self.write(tmp_path / "two.csv", columns)
        wrong = self.write(tmp_path / "wrong.csv", columns | {"one.": one(true + np.array([0.1, 0]))})
        assert "The zero of b is off by 0.57" in run("verify", model, file).stdout
        assert run("verify", model, wrong).stdout != run("verify", model, wrong, "--pose", "tip").stdout
        assert "The zero of b is off by 0.57" in run("verify", model, wrong, "--pose", "tip").stdout

        t = np.arange(0, 8, 0.02)

        def at(t):
            return np.column_stack([0.3 * t - 1, 0.8 * np.cos(1.3 * t)])  # a turns evenly, as between two poses

        joints = self.write(tmp_path / "joints.csv", {"t": t, "a": at(t)[:, 0], "b": at(t)[:, 1]})
        T = self.write(tmp_path / "T.csv", {"t": t[5:305:10], "": self.poses(at(t[5:305:10]))})
        later = t[20:300] + 0.007
        W = self.write(tmp_path / "W.csv", {"t": later, "": one(at(later) + self.OFF)})
        found = run("verify", model, joints, "--pose", f"tip={T}", "--pose", f"one={W}", "--json")
        assert [(one["kind"], one["element"]) for one in json.loads(found.stdout)["faults"]] == [("zero", "b")]
        assert "2 poses of tip without those of other frames left out" in found.stderr
        assert len(json.loads(found.stdout)["tool"]) == 2


@pytest.mark.slow
def test_a_zero_is_named_and_corrected(run, tmp_path, urdf):
    arm = kt.load(urdf)
    file = log(tmp_path, lambda q: kt.fk(arm, "tip")(q + CHANGES))
    result = run("verify", urdf, file, "--diff")
    assert result.exit_code == 1
    removed = [line for line in result.stdout.splitlines() if line.startswith("-  ")]
    assert len(removed) == 2  # q3, and grip, which follows it
    assert urdf.read_text() == URDF
    assert "arm.urdf would be corrected. The model agrees: 0.1" in result.stderr
    result = run("verify", urdf, file, "--fix")
    assert result.exit_code == 0, result.output
    assert "The zero of q3 is off by 0.57" in result.stdout
    better = kt.load(urdf)
    q = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(kt.fk(better, "tip")(q), kt.fk(arm, "tip")(q + CHANGES), rtol=0, atol=1e-5)
    np.testing.assert_allclose(kt.fk(better, "finger")(q), kt.fk(arm, "finger")(q + CHANGES), rtol=0, atol=1e-5)
    assert "<!-- as drawn -->" in urdf.read_text()


@pytest.mark.slow
class TestCommand:
    def test_a_model_that_agrees(self, run, tmp_path, urdf):
        arm = kt.load(urdf)
        file = log(tmp_path, kt.fk(arm, "tip"))
        result = run("verify", urdf, file)
        assert result.exit_code == 0
        assert result.stdout.startswith("The model agrees: 0.1")
        assert run("verify", urdf, file, "--fix").exit_code == 0
        assert urdf.read_text() == URDF
        data = json.loads(run("verify", urdf, file, "--json").stdout)
        assert data["faults"] == []
        assert np.shape(data["base"]) == (4, 4)

    def test_json_of_a_repair(self, run, tmp_path, urdf):
        arm = kt.load(urdf)
        result = run("verify", urdf, log(tmp_path, lambda q: kt.fk(arm, "tip")(q + CHANGES)), "--diff", "--json")
        data = json.loads(result.stdout)
        assert [(fault["kind"], fault["element"], fault["unit"]) for fault in data["faults"]] == [("zero", "q3", "rad")]
        assert data["diff"].startswith("--- ")
        assert data["left"] == []
        assert data["corrected"]["faults"] == []

    def test_poses_of_a_file_of_their_own(self, run, tmp_path, urdf):
        """A tracker at 7 Hz in a frame of its own, beside joints at 50 Hz."""
        arm = kt.load(urdf)
        t = np.arange(0, 12, 0.02)
        true = np.array([[1.0], [0.7], [0.9], [0.2]]) * np.sin(np.array([[0.5], [1.1], [0.8], [1.7]]) * t)
        np.savetxt(tmp_path / "q.csv", np.column_stack([t, *true]), "%.7f", ",", header="t,q1,q2,q3,q4", comments="")
        times = np.arange(0.05, 13, 1 / 7)
        at = np.column_stack([np.interp(times, t, x) for x in true])
        X = np.eye(4)
        X[:3, 3] = 1, 2, 3
        T = X @ kt.fk(arm, "tip")(at + CHANGES)
        table = np.column_stack([times, T[:, :3, 3], quaternions_from_rotations(T[:, :3, :3])])
        np.savetxt(tmp_path / "T.csv", table, "%.7f", ",", header="t,x,y,z,qx,qy,qz,qw", comments="")
        result = run("verify", urdf, tmp_path / "q.csv", "--pose", f"tip={tmp_path / 'T.csv'}", "--unknown", "base")
        assert result.exit_code == 1, result.output
        assert "The zero of q3 is off by 0.57" in result.stdout
        assert "7 poses outside the times of" in result.stderr
        assert "cannot tell the zero of q1 from the base pose of base_link" in result.stdout

    def test_numbers_of_a_pendant(self, run, tmp_path, arm):
        robot = kt.load(arm)
        rng = np.random.default_rng(1)
        shown = np.rad2deg(rng.uniform(-1.5, 1.5, (20, 6))).round(3)
        true = np.add(np.deg2rad(shown), [0, 0.01, 0, 0, 0, 0])
        poses = kt.controllers.pose(robot, "kuka", true).round(3)
        head = "J1,J2,J3,J4,J5,J6,X,Y,Z,A,B,C"
        np.savetxt(tmp_path / "p.csv", np.hstack([shown, poses]), "%.3f", ",", header=head, comments="")
        result = run("verify", arm, tmp_path / "p.csv", "--controller", "kuka")
        assert result.exit_code == 1
        assert "The zero of axis_2 is off by 0.573" in result.stdout
        assert len([line for line in result.stdout.splitlines() if line.startswith("- ")]) == 1

    def test_torques(self, run, tmp_path):
        arm = kt.chain(
            [
                {"axis": [0, -1, 0], "m": 2.0, "r": [0.3, 0, 0], "I": [0.01, 0.02, 0.03]},
                {"axis": [0, -1, 0], "xyz": [0.6, 0, 0], "m": 1.0, "r": [0.2, 0, 0], "I": [0.01, 0.01, 0.01]},
            ]
        )
        kt.save(arm, tmp_path / "arm.urdf")
        t = np.arange(0, 15, 0.01)
        q = np.column_stack([np.sin(t) + 0.4 * np.sin(2.7 * t), 0.8 * np.cos(1.7 * t)])
        qd = np.column_stack([np.cos(t) + 0.4 * 2.7 * np.cos(2.7 * t), -0.8 * 1.7 * np.sin(1.7 * t)])
        qdd = np.gradient(qd, 0.01, axis=0)
        tau = kt.inverse_dynamics(arm)(q, qd, qdd) + [0.0, 0.4] * np.sign(qd)
        tau += np.random.default_rng(0).normal(0, 0.02, tau.shape)
        head = "t,q1,q2,q2.effort,q1.effort,q1.velocity"
        table = np.column_stack([t, q, tau[:, ::-1], qd[:, 0]])
        np.savetxt(tmp_path / "log.csv", table, "%.6f", ",", header=head, comments="")
        result = run("verify", tmp_path / "arm.urdf", tmp_path / "log.csv")
        assert result.exit_code == 1
        assert "- The Coulomb friction of q2 is off by 0.4" in result.stdout
        assert "columns of velocities are left out: rates of joints follow from positions and times" in result.stderr
        result = run("verify", tmp_path / "arm.urdf", tmp_path / "log.csv", "--fix")
        assert result.exit_code == 0, result.output
        friction = kt.load(tmp_path / "arm.urdf").joints["q2"].dynamics[0].friction
        np.testing.assert_allclose(friction, 0.4, rtol=0, atol=0.01)
        np.savetxt(tmp_path / "log.csv", table[:, 1:], "%.6f", ",", header=head[2:], comments="")
        result = run("verify", tmp_path / "arm.urdf", tmp_path / "log.csv")
        assert result.exit_code == 2
        assert "has torques without times" in result.stderr

    def test_other_formats(self, run, tmp_path, urdf):
        """The same zero is found and corrected in SDF and MJCF; a follower is turned with it."""
        arm = kt.load(urdf)
        file = log(tmp_path, lambda q: kt.fk(arm, "tip")(q + CHANGES))
        q = np.array([0.1, 0.2, 0.3, 0.4])
        for name, form in (("arm.sdf", "sdf"), ("arm.xml", "mjcf")):
            kt.save(arm, tmp_path / name, format=form)
            result = run("verify", tmp_path / name, file, "--fix")
            assert result.exit_code == 0, result.output
            better = kt.load(tmp_path / name)
            for frame in ("tip", "finger"):
                expected = kt.fk(arm, frame)(q + CHANGES)
                np.testing.assert_allclose(kt.fk(better, frame)(q), expected, rtol=0, atol=1e-5)


class TestCorrections:
    ARM = kt.load(URDF, format="urdf")

    def test_everything_at_once(self):
        """The order is that of the fit: poses of the file first, then zeros as the model counts, then signs."""
        pose = np.array([0.01, 0, 0.02, 0.1, 0.2, 0.3])
        faults = [
            ModelFault("sign", "q2"),
            ModelFault("zero", "q2", 0.1, 1e-9, unit="rad"),
            ModelFault("joint pose", "q2", pose, np.full(6, 1e-9)),
            ModelFault("zero", "q4", 0.02, 1e-9, unit="m"),
            ModelFault("length", "q4", 0.005, 1e-9, unit="m"),
        ]
        found, left = corrected(self.ARM, faults)
        assert left == []
        moved = kt.edit.set_origins(self.ARM, {"q2": row(self.ARM, "q2") + pose})
        moved = kt.edit.set_origins(moved, {"q4": np.add(row(self.ARM, "q4"), [0.005, 0, 0, 0, 0, 0])})
        q = np.array([0.3, 0.4, 0.5, 0.1])
        expected = kt.fk(moved, "tip")(q * [1, -1, 1, 1] + [0, 0.1, 0, 0.02])
        np.testing.assert_allclose(kt.fk(found, "tip")(q), expected, rtol=0, atol=1e-12)
        assert found.joints["q2"].limits == self.ARM.joints["q2"].limits

    def test_values_are_rounded_to_what_is_known(self):
        found, _ = corrected(self.ARM, [ModelFault("length", "q4", 0.0012345678, 3e-5, unit="m")])
        assert found.joints["q4"].origin[0, 3] == 0.3 + 0.001235

    @each(
        "fault, part",
        [
            (ModelFault("zero", "q1", 0.1, 1e-3, alike=(("base pose", "base_link"),)), "cannot tell it from the base"),
            (ModelFault("unit", "q"), "of the log or of its setting"),
            (ModelFault("sign", "q3"), "others follow it"),
        ],
    )
    def test_what_is_left(self, fault, part):
        found, ((left, why),) = corrected(self.ARM, [fault])
        assert found is self.ARM
        assert left is fault
        assert part in why

    def test_what_belongs_to_the_controller(self):
        text = URDF.replace('"tip"', '"tool0"')
        robot = kt.load(text, format="urdf")
        _, ((_, why),) = corrected(robot, [ModelFault("length", "to_tip", 0.1, 1e-3)])
        assert "tool0 is where the controller has it (REP-199)" in why
        robot = kt.load(URDF.replace('lower="-2"', 'lower="-1"'), format="urdf")
        _, ((_, why),) = corrected(robot, [ModelFault("sign", "q2")])
        assert "its limits are not symmetric" in why


class TestTexts:
    def test_only_what_changes(self, urdf):
        fixed = rewritten(
            str(urdf), ReadOptions(), lambda one: corrected(one, [ModelFault("length", "q3", 0.002, 1e-5)])[0]
        )
        ((path, after),) = fixed.after.items()
        assert path == urdf.resolve()
        assert after.decode() == URDF.replace("0.400 0 0", "0.402 0 0")
        assert rewritten(str(urdf), ReadOptions(), lambda one: one).after == {}

    def test_an_axis_that_is_not_written(self, tmp_path):
        file = tmp_path / "a.urdf"
        file.write_text(URDF.replace('<axis xyz="0 1 0"/>', ""))
        fixed = rewritten(str(file), ReadOptions(), lambda one: corrected(one, [ModelFault("sign", "q2")])[0])
        assert b'<axis xyz="-1 0 0"/>' in fixed.after[file.resolve()]

    def test_xacro(self, tmp_path):
        file = tmp_path / "m.xacro"
        file.write_text(MACRO.format("0.5"))

        def longer(robot):
            return kt.edit.set_origins(robot, {"q1": np.add(row(robot, "q1"), [0, 0, 0.01, 0, 0, 0])})

        fixed = rewritten(str(file), ReadOptions(), longer)
        assert fixed.after[file.resolve()].decode() == MACRO.format("0.51")
        file.write_text(MACRO.format("${h + 0.1}"))
        with pytest.raises(KinetreeError):
            rewritten(str(file), ReadOptions(), longer)

    def test_another_robot_is_refused(self, urdf):
        """A text edits poses and axes alone, so that another change is missing afterwards."""
        with pytest.raises(KinetreeError, match="the edited text would be another robot: joint 'q1' is another"):
            rewritten(str(urdf), ReadOptions(), _without_limits)


def _without_limits(robot):
    parts = parts_of(robot)
    parts.joints = [replace(one, limits=()) if one.name == "q1" else one for one in parts.joints]
    return build(parts)

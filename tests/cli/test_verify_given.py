"""What `kinetree verify` hands to the search for faults, and what it does with the faults that are found."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import verify as verifying
from kinetree.errors import KinetreeError
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses
from kinetree.logs.ros.cdr import encoded
from kinetree.logs.ros.transforms import extended
from logged import ARM
from ros_bags import POSE, START, placed, states, written

JOINTS, T = ["q1", "q2"], np.arange(10) / 10
Q, EFFORT = np.column_stack([T, 2 * T]), np.column_stack([3 + T, 4 + T])


class Found:
    """A result that agrees or not."""

    def __init__(self, agrees, faults=()):
        self.agrees, self.faults = agrees, faults

    def __str__(self):
        return f"agrees: {self.agrees}\nmore"


@pytest.fixture
def given(monkeypatch, tmp_path):
    """What is handed over when a log is verified: a function of topics of a bag and options."""
    (tmp_path / "arm.urdf").write_text(ARM)
    handed = {}

    def verify(robot, **options):
        handed.clear()
        handed.update(options)
        return Found(True)

    monkeypatch.setattr("kinetree.lab.identify.verification.verify", verify)
    return handed


@pytest.fixture
def with_bag(run, given, tmp_path):
    def with_bag(topics, *options):
        bag = tmp_path / "log.db3"
        bag.unlink(missing_ok=True)
        return run("verify", tmp_path / "arm.urdf", written(bag, topics), *options), given, bag

    return with_bag


def stamps(t):
    return START + np.round(np.asarray(t) * 1e9).astype(np.int64)


def joined(*topics):
    rows = sorted(row for topic in topics for row in zip(topic.log_times, topic.data, strict=True))
    times, data = zip(*rows, strict=True)
    return extended(Topic(topics[0].name, topics[0].type), [*data], np.array(times))


def test_efforts_of_joint_states_are_torques(with_bag):
    result, given, bag = with_bag([states(JOINTS, Q, stamps(T), effort=EFFORT)])
    assert result.exit_code == 0, result.output
    assert f"{bag}: efforts of topic /joint_states are taken as N m (N), of q1, q2\n" in result.stderr
    np.testing.assert_allclose(given["q"], Q)
    np.testing.assert_allclose(given["effort"], EFFORT)
    np.testing.assert_allclose(given["t"], T, atol=1e-9)
    assert given["poses"] is None


def test_samples_without_efforts_are_left_out_and_counted(with_bag):
    """Another node writes a joint without efforts to the same topic."""
    other = states(["q1"], Q[:3, :1] + 0.05, stamps(T[:3] + 0.05))
    result, given, _ = with_bag([joined(states(JOINTS, Q, stamps(T), effort=EFFORT * [1, 0]), other)])
    assert "are taken as N m (N), of q1; 3 samples without them left out\n" in result.stderr
    np.testing.assert_allclose(given["effort"], EFFORT * [1, np.nan])
    np.testing.assert_allclose(given["q"], Q)


@pytest.mark.parametrize(
    ("parent", "options", "noted"),
    [("world", (), True), ("world", ("--unknown", "base"), False), ("base_link", (), False)],
)
def test_poses_of_a_topic_are_matched_by_time(with_bag, parent, options, noted):
    where, quats = np.column_stack([T, T, T]), np.tile([0, 0, 0, 1.0], (10, 1))
    at = stamps(T + 0.25)
    poses = placed(Poses("/pose", parent, "tip", at, at, where, quats), POSE, "/pose")
    states_ = states(JOINTS, Q, stamps(T), effort=EFFORT)
    force = wrenches(stamps(T), np.ones((10, 6)))
    result, given, bag = with_bag([states_, poses, force], "--pose", "tip", *options)
    assert result.exit_code == 0, result.output
    assert f"topic /pose: 3 poses outside the times of {bag}, or in its gaps, left out" in result.stderr
    assert "torques are not used beside poses of another file or topic; leave out --pose to check them" in result.stderr
    assert f"{bag}: readings of sensors are not used beside --pose; leave it out to use them\n" in result.stderr
    taken = "frame 'world' of the poses is taken as the root link 'base_link'; if not, --unknown base"
    assert (taken in result.stderr) is noted
    np.testing.assert_allclose(given["t"], T[:7] + 0.25, atol=1e-9)
    np.testing.assert_allclose(given["q"], np.outer(T[:7] + 0.25, [1, 2]), atol=1e-9)
    np.testing.assert_allclose(given["poses"]["tip"][:, :3, 3], where[:7])
    assert given["effort"] is None


def test_poses_of_several_frames_are_those_of_one_parent(with_bag):
    """The second frame is interpolated at the times of the first."""
    quats = np.tile([0, 0, 0, 1.0], (10, 1))

    def topic(name, parent, frame, later):
        where = np.column_stack([T, T, T]) + later
        return placed(Poses(name, parent, frame, stamps(T + later), stamps(T + later), where, quats), POSE, name)

    asked = "--pose", "tip=/tip", "--pose", "base_link=/low"
    for parents, error in ((("base_link", "base_link"), False), (("world", "world"), False), (("world", "room"), True)):
        topics = [states(JOINTS, Q, stamps(T)), topic("/tip", parents[0], "tip", 0.0)]
        result, given, _ = with_bag([*topics, topic("/low", parents[1], "base_link", 0.05)], *asked)
        assert result.exit_code == (2 if error else 0), result.output
        assert ("poses of tip, base_link are in different frames; expected those in one" in result.stderr) == error
        if not error:
            assert result.stderr.count("frame 'world' of the poses") == parents.count("world") // 2
            np.testing.assert_allclose(given["poses"]["tip"][:, 0, 3], given["t"], atol=1e-9)
            np.testing.assert_allclose(given["poses"]["base_link"][:, 0, 3], given["t"], atol=1e-9)


def wrenches(at, y):
    header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": "tip"}
    first, then = (dict(zip("xyz", part.T, strict=True)) for part in np.split(y, 2, axis=1))
    message = {"header": header, "wrench": {"force": first, "torque": then}}
    kind = "geometry_msgs/WrenchStamped"
    return extended(Topic("/ft", kind), encoded(kind, message), at)


def test_readings_of_sensors_are_used_with_torques_or_left_out(with_bag):
    topics = [states(JOINTS, Q, stamps(T), effort=EFFORT), wrenches(stamps(T[2:]), np.ones((8, 6)) * T[2:, None])]
    result, given, bag = with_bag(topics, "--sensor", "to_tip=/ft")
    assert f"{bag}: readings of to_tip are used with torques; 2 samples without all of them left out" in result.stderr
    np.testing.assert_allclose(given["effort"], EFFORT[2:])
    np.testing.assert_allclose(given["wrenches"]["to_tip"], np.ones((8, 6)) * T[2:, None], atol=1e-9)
    result, given, _ = with_bag(topics, "--sensor", "none")
    assert ("readings of" in result.stderr, given["wrenches"] or None) == (False, None)
    np.testing.assert_allclose(given["effort"], EFFORT)
    legal = "--sensor is for bags and columns such as tool0.force.x, without --pose"
    assert legal in with_bag(topics, "--sensor", "none", "--pose", "tip")[0].stderr


def test_a_sensor_is_named_with_its_topic(with_bag):
    result, _, _ = with_bag([states(JOINTS, Q, stamps(T))], "--sensor", "ft")
    assert result.exit_code == 2
    assert "--sensor is 'ft'; expected NAME=TOPIC, of a sensor, frame or joint, NAME=COLUMNS, or none" in result.stderr


def test_a_bag_without_efforts_says_where_others_are(with_bag):
    topics = [states(JOINTS, Q, stamps(T), name) for name in ("/joint_states", "/motors")]
    result, _, bag = with_bag(topics)
    assert result.exit_code == 2
    assert f"{bag} has no efforts in topic /joint_states" in result.stderr
    assert "others for --joint-states are /motors" in result.stderr


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("changed", [True, False])
def test_what_is_said_of_a_repair(monkeypatch, capsys, shown, changed):
    printed = []
    monkeypatch.setattr("kinetree.cli._diff.print_diff", printed.append)
    fixed = SimpleNamespace(after={Path("a.urdf"): b""} if changed else {})
    left = [(SimpleNamespace(kind="zero", element="q1"), "others follow it")]
    verifying._print(verifying.Repaired(fixed, left, Found(True)), shown)
    out, err = capsys.readouterr()
    assert printed == [fixed] * shown
    assert "not corrected: the zero of q1: others follow it\n" in err
    assert ("nothing to correct. agrees: True\n" in err) is (shown and not changed)
    said = f"a.urdf {'would be' if shown else 'is'} corrected. agrees: True\n"
    assert (said in (err if shown else out)) is changed
    assert "more" not in out + err


def test_the_model_that_is_repaired_is_a_file():
    with pytest.raises(KinetreeError, match="the model is not a file; convert it to one first"):
        verifying._repaired(kt.load(ARM, format="urdf"), None, None, (), None)


@pytest.mark.parametrize("agrees", [True, False])
def test_numbers_that_may_be_zero_are_corrected_where_the_model_does_not_agree_without_them(
    monkeypatch, tmp_path, agrees
):
    (tmp_path / "arm.urdf").write_text(ARM)
    certain, every = ("certain",), ("every",)
    given = []

    def verify(robot, unknown, **log):
        given.append((robot, unknown))
        return Found(agrees or robot == every)

    monkeypatch.setattr("kinetree.lab.identify.verification.verify", verify)
    correct, rewritten = "kinetree.lab.identify.correct", "kinetree.fixer.rewritten.rewritten"
    monkeypatch.setattr(f"{correct}.certain", lambda fault: "certain")
    monkeypatch.setattr(f"{correct}.corrected", lambda robot, faults: (tuple(faults), ["left"]))
    monkeypatch.setattr(rewritten, lambda file, read, change, included: (change(0), included))
    ctx = SimpleNamespace(meta={"kinetree.read": None}, params={"diff": True})
    log = verifying.Given(None, None)
    found = verifying._repaired(kt.load(tmp_path / "arm.urdf"), log, Found(False, every), ("base",), ctx)
    assert found.fixed == (certain if agrees else every, True)
    assert given == [(certain, ("base",)), *([] if agrees else [(every, ("base",))])]
    assert (found.after.agrees, found.left) == (True, ["left"])


@pytest.mark.parametrize(
    ("option", "better", "status", "written"),
    [("--fix", True, 0, 1), ("--fix", False, 1, 1), ("--diff", True, 1, 0)],
)
def test_a_repair_is_written_unless_its_difference_is_asked_for(
    run, tmp_path, monkeypatch, option, better, status, written
):
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "log.csv").write_text("t,q1,q1.effort\n0,1,2\n1,2,3\n")
    done = []
    monkeypatch.setattr("kinetree.lab.identify.verification.verify", lambda *_, **__: Found(False))
    monkeypatch.setattr("kinetree.fixer.fix.write", done.append)
    monkeypatch.setattr(verifying, "_repaired", lambda *_: verifying.Repaired("fixed", [], Found(better)))
    monkeypatch.setattr(verifying, "_print", lambda repaired, diff: print("printed", diff))
    result = run("verify", tmp_path / "arm.urdf", tmp_path / "log.csv", option)
    assert result.exit_code == status, result.output
    assert done == ["fixed"] * written
    found = "" if option == "--diff" else "agrees: False\nmore\n"
    assert result.stdout == f"{found}printed {option == '--diff'}\n"

"""`kinetree verify` and `motion convert` with bags of ROS 2: efforts of joint states, poses of topics and of /tf."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses
from kinetree.logs.ros.cdr import encoded
from kinetree.logs.ros.transforms import extended
from logged import ARM, CARRIED, swinging
from ros_bags import POINT, POSE, START, TF, TRANSFORM, placed, states, written

JOINTS = ["q1", "q2"]
OFF = np.array([0.0, 0.01])
"""What the zeros of the robot are off, by poses."""


def stamps(t):
    return START + np.round(t * 1e9).astype(np.int64)


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return file


@pytest.fixture(scope="module")
def torques():
    return swinging(kt.load(CARRIED, format="urdf"))


def joined(*topics):
    """One topic with the messages of all, in the order of their times."""
    rows = [row for topic in topics for row in zip(topic.log_times, topic.data, strict=True)]
    times, data = zip(*sorted(rows), strict=True)
    return extended(Topic(topics[0].name, topics[0].type), [*data], np.array(times))


def tracked(t, q, type=POSE, name="/tracker/pose", parent="world"):
    """Poses of the tip in the root link, with a noise of 0.1 mm, at times of their own."""
    T = kt.fk(kt.load(ARM, format="urdf"), "tip")(q + OFF)
    where = T[:, :3, 3] + np.random.default_rng(0).normal(0, 1e-4, (len(t), 3))
    at, quats = stamps(t), Rotation.from_matrix(T[:, :3, :3]).as_quat()
    topic = placed(Poses(name, parent, "marker", at, at, where, quats), type, name)
    topic.log_times[:] = (at + 2 * 10**8).tolist()  # they arrive late, and their stamps are right
    return topic


class TestEfforts:
    @pytest.mark.slow
    def test_a_mass_is_corrected(self, run, tmp_path, model, torques):
        t, q, effort = torques
        bag = written(tmp_path / "log.db3", [states(JOINTS, q, stamps(t), effort=effort)])
        result = run("verify", model, bag, "--fix")
        assert result.exit_code == 0, result.output
        assert "- The mass of b is off by 0.5" in result.stdout
        assert f"{bag}: efforts of topic /joint_states are taken as N m (N), of q1, q2\n" in result.stderr
        assert kt.load(model).links["b"].inertial.mass == pytest.approx(2.5, abs=0.002)

    @pytest.mark.slow
    def test_one_joint_has_none(self, run, tmp_path, model, torques):
        t, q, effort = torques
        bag = written(tmp_path / "log.db3", [states(JOINTS, q, stamps(t), effort=effort * [1, 0])])
        result = run("verify", model, bag, "--json")
        data = json.loads(result.stdout)
        assert [(fault["kind"], fault["element"]) for fault in data["faults"]] == [("mass", "b"), ("inertia", "b")]
        assert data["faults"][0]["value"] == pytest.approx(0.5, abs=0.01)  # and its inertia stays as it is
        assert "are taken as N m (N), of q1\n" in result.stderr
        assert "efforts that are all zero or no numbers are taken as none: q2" in result.stderr

    @pytest.mark.slow
    def test_messages_of_other_joints_between(self, run, tmp_path, model, torques):
        """Another node writes a joint without efforts to the same topic; q1 moves between its messages, too."""
        t, q, effort = torques
        own = states(JOINTS, q, stamps(t), effort=effort)
        later = (q[:, :1] + np.gradient(q[:, :1], t, axis=0) * 0.004).clip(-3, 3)
        bag = written(tmp_path / "log.db3", [joined(own, states(["q1"], later, stamps(t + 0.004)))])
        result = run("verify", model, bag)
        assert "- The mass of b is off by 0.5" in result.stdout
        assert "of q1, q2; 1500 samples without them left out\n" in result.stderr
        first = joined(own, states(["q1"], later[:3], stamps(t[:3] - 0.1)))
        result = run("verify", model, written(tmp_path / "first.db3", [first]))
        assert "The mass of b is off by 0.5" in result.stdout

    @pytest.mark.slow
    def test_of_two_nodes(self, run, tmp_path, model, torques):
        """Each writes its joint at times of its own, so that both are interpolated."""
        t, q, effort = torques
        of_1 = states(["q1"], q[::2, :1], stamps(t[::2]), effort=effort[::2, :1])
        of_2 = states(["q2"], q[1::2, 1:], stamps(t[1::2]), effort=effort[1::2, 1:])
        result = run("verify", model, written(tmp_path / "log.db3", [joined(of_1, of_2)]), "--json")
        data = json.loads(result.stdout)
        assert [(fault["kind"], fault["element"]) for fault in data["faults"]] == [("mass", "b"), ("inertia", "b")]
        assert data["faults"][0]["value"] == pytest.approx(0.5, abs=0.002)
        assert data["torques"][1] == pytest.approx([0.0105] * 2, abs=0.001)  # the noise of half as many samples

    @pytest.mark.slow
    def test_of_another_topic(self, run, tmp_path, model, torques):
        t, q, effort = torques
        plain, other = states(JOINTS, q, stamps(t)), states(JOINTS, q, stamps(t), "/motors", effort=effort)
        bag = written(tmp_path / "log.db3", [plain, other])
        refused = run("verify", model, bag)
        assert refused.exit_code == 2
        assert f"{bag} has no efforts in topic /joint_states [poses]" in refused.stderr
        assert "it has no topics of poses; others for --joint-states are /motors" in refused.stderr
        assert "The mass of b is off" in run("verify", model, bag, "--joint-states", "/motors").stdout
        two = written(tmp_path / "two.db3", [states(JOINTS, q, stamps(t), name) for name in ("/left", "/right")])
        result = run("verify", model, two)
        assert result.exit_code == 2
        assert "there are 2 topics of type sensor_msgs/JointState; legal for --joint-states are /left, /right" in (
            result.stderr
        )


class TestPoses:
    T, AT = np.arange(0, 12, 0.02), np.arange(0.05, 13, 1 / 7)
    Q, TRUE = (np.column_stack([np.sin(0.5 * t), 0.7 * np.sin(1.1 * t)]) for t in (T, AT))

    @pytest.mark.slow
    @each("type, asked", [(POSE, "tip"), (TRANSFORM, "tip=/tracker/pose"), (TF, "tip=marker"), (POINT, "tip")])
    @pytest.mark.nightly
    def test_a_zero_is_corrected(self, run, tmp_path, type, asked):
        model = tmp_path / "arm.urdf"
        model.write_text(ARM)
        bag = tmp_path / "log.db3"
        bag.unlink(missing_ok=True)
        written(bag, [states(JOINTS, self.Q, stamps(self.T)), tracked(self.AT, self.TRUE, type)])
        result = run("verify", model, bag, "--pose", asked, "--fix")
        assert result.exit_code == (type == POINT), result.output  # a point does not tell it from the tool pose
        assert "- The zero of q2 is off by 0.57" in result.stdout
        name = "/tracker/pose"
        assert f"topic {name}: 7 poses outside the times of {bag}, or in its gaps, left out" in result.stderr
        taken = "frame 'world' of the poses is taken as the root link 'base_link'; if not, --unknown base"
        assert taken in result.stderr
        expected = kt.fk(kt.load(ARM, format="urdf"), "tip")(OFF)
        if type != POINT:
            np.testing.assert_allclose(kt.fk(kt.load(model), "tip")([0, 0]), expected, rtol=0, atol=3e-4)

    @pytest.mark.slow
    def test_base_unknown(self, run, tmp_path, model):
        bag = written(tmp_path / "log.db3", [states(JOINTS, self.Q, stamps(self.T)), tracked(self.AT, self.TRUE)])
        result = run("verify", model, bag, "--pose", "tip", "--unknown", "base")
        assert "is taken as the root link" not in result.stderr
        assert "- The zero of q2 is off by 0.57" in result.stdout

    @pytest.mark.slow
    def test_torques_beside_poses(self, run, tmp_path, model, torques):
        t, q, effort = torques
        both = [states(JOINTS, q, stamps(t), effort=effort), tracked(t[::20], q[::20], parent="base_link")]
        bag = written(tmp_path / "log.db3", both)
        result = run("verify", model, bag, "--pose", "tip")
        assert "- The zero of q2 is off by 0.57" in result.stdout
        assert "torques are not used beside poses of another file or topic; leave out --pose" in result.stderr
        assert "The mass of b is off" in run("verify", model, bag).stdout

    @each(
        "more, part",
        [
            ((), "fix: legal for --pose FRAME=NAME are /a, /b, marker (in world, /tf)"),
            (("--pose", "tip"), "the bag has 2 topics of measured poses; legal for --pose FRAME=NAME are /a, /b, mar"),
            (("--pose", "tip=/c"), "the bag has no topic or frame '/c' of measured poses; legal for --pose"),
            (("--pose", "top"), "no frame 'top'"),
            (("--deg",), "unit is 'deg'; the angles in a bag of ROS 2 are in rad"),
        ],
    )
    def test_errors(self, run, tmp_path, more, part):
        model, bag = tmp_path / "arm.urdf", tmp_path / "log.db3"
        model.write_text(ARM)
        if not bag.exists():
            topics = [tracked(self.AT, self.TRUE, name=name) for name in ("/a", "/b")]
            tf = tracked(self.AT, self.TRUE, TF, "/tf")
            written(bag, [states(JOINTS, self.Q, stamps(self.T)), *topics, tf])
        result = run("verify", model, bag, *more)
        assert result.exit_code == 2
        assert part in result.stderr


class TestConvert:
    @pytest.mark.slow
    def test_velocities_and_efforts(self, run, tmp_path, model, torques):
        t, q, effort = torques
        velocity = np.gradient(q, t, axis=0)
        bag = written(tmp_path / "log.db3", [states(JOINTS, q, stamps(t), "/own", velocity, effort)])
        table = tmp_path / "log.csv"
        for more, unit in ((), 1.0), (("--deg",), np.pi / 180):
            assert run("motion", "convert", model, bag, "-o", table, "--force", *more).exit_code == 0
            head = table.read_text().partition("\n")[0]
            assert head == "time,q1,q2,q1.velocity,q2.velocity,q1.effort,q2.effort"
            values = np.loadtxt(table, delimiter=",", skiprows=1)
            np.testing.assert_allclose(values[:, 1:5] * unit, np.hstack([q, velocity]), rtol=0, atol=1e-12)
            np.testing.assert_array_equal(values[:, 5:], effort)
        found = run("verify", model, table, "--deg")
        assert "- The mass of b is off by 0.5" in found.stdout
        checked = run("limits", "check", model, table, "--unit", "deg")
        assert checked.exit_code == 0, checked.output
        assert "columns are left out: q1.velocity, q2.velocity, q1.effort, q2.effort" in checked.stderr

    def test_what_is_not_known_throughout(self, run, tmp_path, model, torques):
        t, q, effort = torques
        first = states(JOINTS, q[:700], stamps(t[:700]), effort=effort[:700])
        bag = written(tmp_path / "log.db3", [joined(first, states(JOINTS, q[700:], stamps(t[700:])))])
        result = run("motion", "convert", model, bag, "-o", tmp_path / "log.csv")
        assert "the effort is not known at all samples, and left out: q1, q2" in result.stderr
        assert (tmp_path / "log.csv").read_text().startswith("time,q1,q2\n")

    def test_one_of_several_topics(self, run, tmp_path, model):
        t = np.arange(0, 1, 0.1)
        two = [states(JOINTS, np.full((10, 2), x), stamps(t), name) for x, name in ((1.0, "/left"), (2.0, "/right"))]
        bag, table = written(tmp_path / "log.db3", two), tmp_path / "log.csv"
        assert "legal for --joint-states are /left, /right" in run("motion", "convert", model, bag, "-o", table).stderr
        assert run("motion", "convert", model, bag, "-o", table, "--joint-states", "/right").exit_code == 0
        assert table.read_text().splitlines()[1] == "0.0,2.0,2.0"
        refused = run("motion", "convert", model, table, "-o", tmp_path / "a.csv", "--joint-states", "/x")
        assert "log.csv has no topics; --joint-states is about bags" in refused.stderr
        refused = run("verify", model, table, "--joint-states", "/x")
        assert "log.csv has no topics; --joint-states is about bags" in refused.stderr


HAND = """<robot name="arm"><link name="base"/>
<link name="a"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="board"/>
<link name="hand"><inertial><origin xyz="0.05 0 0.02"/><mass value="1"/>
  <inertia ixx="0.002" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="q1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" velocity="3" effort="100"/></joint>
<joint name="q2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.4"/><axis xyz="1 0 0"/>
  <limit lower="-3" upper="3" velocity="3" effort="100"/></joint><link name="b"/>
<joint name="chip" type="fixed"><parent link="b"/><child link="board"/><origin xyz="0 0 0.1"/></joint>
<joint name="wrist" type="fixed"><parent link="b"/><child link="hand"/><origin xyz="0 0 0.2"/></joint></robot>"""


def sensor(kind, name, frame, at, y):
    """Readings (n, 6) as a topic."""
    header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": frame}
    first, then = (dict(zip("xyz", part.T, strict=True)) for part in np.split(y, 2, axis=1))
    none = np.r_[-1.0, np.zeros(8)]
    message = {
        "geometry_msgs/WrenchStamped": {"header": header, "wrench": {"force": first, "torque": then}},
        "sensor_msgs/Imu": {
            "header": header,
            "orientation": dict(zip("xyzw", (0.0, 0.0, 0.0, 1.0), strict=True)),
            "orientation_covariance": none,
            "angular_velocity": first,
            "angular_velocity_covariance": np.zeros(9) if y[:, :3].any() else none,
            "linear_acceleration": then,
            "linear_acceleration_covariance": np.zeros(9),
        },
    }[kind]
    return extended(Topic(name, kind), encoded(kind, message), at)


IMU, WRENCH = "sensor_msgs/Imu", "geometry_msgs/WrenchStamped"


class TestSensors:
    """Readings are at times of their own, from 0.2 s after the first joint values."""

    T, AT = np.arange(0, 12, 0.01), np.arange(0.2, 11.9, 0.007)
    OFF = np.array([0.0, 0.02])

    @pytest.fixture
    def hand(self, tmp_path):
        file = tmp_path / "hand.urdf"
        file.write_text(HAND)
        return file

    @staticmethod
    def motion(t):
        return np.column_stack([np.sin(2.5 * t) * np.sin(0.4 * t), 0.7 * np.sin(3.1 * t)])

    def rates(self, t, h=1e-4):
        q = [self.motion(t + k * h) for k in (-1, 0, 1)]
        return q[1], (q[2] - q[0]) / (2 * h), (q[2] - 2 * q[1] + q[0]) / h**2

    def topics(self, robot, gyro=True, imu_frame="board", wrench_frame="hand"):
        rng, (q, qd, qdd) = np.random.default_rng(0), self.rates(self.AT)
        y = kt.dynamics.imu_reading(robot, "board")(q + self.OFF, qd, qdd) + rng.normal(0, 0.02, (len(q), 6))
        y[:, :3] *= gyro
        ft = kt.edit.add_sensor(robot, "ft", "force_torque", joint="wrist", measures="parent_on_child")
        w = kt.dynamics.sensor_reading(ft, "ft")(q + self.OFF, qd, qdd) * 1.2
        w += rng.normal(0, 0.05, w.shape) * np.repeat([1, 0.05], 3)
        own = states(JOINTS, self.motion(self.T), stamps(self.T))
        imu, wrench = (IMU, "/imu", imu_frame, stamps(self.AT), y), (WRENCH, "/ft", wrench_frame, stamps(self.AT), w)
        return [own, sensor(*imu), sensor(*wrench)]

    @each("ending", ["db3", "mcap"])
    def test_found_by_their_frames(self, run, tmp_path, hand, ending):
        bag = written(tmp_path / f"log.{ending}", self.topics(kt.load(hand)))
        result = run("verify", hand, bag, "--json")
        data = json.loads(result.stdout)
        found = {(fault["kind"], fault["element"]): fault for fault in data["faults"]}
        assert {*found} == {("zero", "q2"), ("mass", "hand")}
        zero, mass = found["zero", "q2"], found["mass", "hand"]
        assert abs(zero["value"] - 0.02) < 3 * zero["std"]
        assert abs(mass["value"] - 0.2) < 3 * mass["std"]
        assert f"{bag}: readings of board, wrist are used; 30 samples without all of them left out\n" in result.stderr

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_faults_are_corrected(self, run, tmp_path, hand):
        bag = written(tmp_path / "log.db3", self.topics(kt.load(hand)))
        result = run("verify", hand, bag, "--fix")
        assert result.exit_code == 0, result.output
        assert kt.load(hand).links["hand"].inertial.mass == pytest.approx(1.2, abs=0.005)
        assert run("verify", hand, bag).stdout.startswith("The model agrees: imu 0.")

    @pytest.mark.slow
    def test_of_one_sensor(self, run, tmp_path, hand):
        topics = self.topics(kt.load(hand), gyro=False, imu_frame="imu_link")
        bag = written(tmp_path / "log.db3", topics)
        result = run("verify", hand, bag, "--sensor", "board=/imu")
        assert "The zero of q2 is off by 1.1" in result.stdout
        assert "rad/s" not in result.stdout
        assert "kg" not in result.stdout
        assert "has no efforts in topic /joint_states" in run("verify", hand, bag, "--sensor", "none").stderr
        result = run("verify", hand, bag)
        assert "frame_id 'imu_link' is of no sensor that a joint moves; --sensor NAME=/imu says of which it" in (
            result.stderr
        )
        assert "The mass of hand is off by 0.2" in result.stdout

    def test_sensors_that_show_nothing_are_left_out(self, run, tmp_path, hand):
        """One on the base, and one of a flange without a mass, which hide neither torques nor each other."""
        topics = self.topics(kt.load(hand), imu_frame="base", wrench_frame="board")
        result = run("verify", hand, written(tmp_path / "log.db3", topics))
        assert "frame_id 'base' is of no sensor that a joint moves" in result.stderr
        assert "frame_id 'board' is of no sensor that carries a mass" in result.stderr
        assert "has no efforts in topic /joint_states" in result.stderr

    def test_errors(self, run, tmp_path, hand):
        topics = self.topics(kt.load(hand))
        bag = written(tmp_path / "log.db3", topics)
        for sensor_, why in (
            ("board", "--sensor is 'board'; expected NAME=TOPIC, of a sensor, frame or joint, NAME=COLUMNS, or none"),
            ("board=/imo", "there is no topic '/imo' of a sensor; legal for --sensor NAME=TOPIC are /imu"),
        ):
            result = run("verify", hand, bag, "--sensor", sensor_)
            assert result.exit_code == 2
            assert why in result.stderr
        other = sensor(IMU, "/imu2", "board", stamps(self.AT), np.ones((len(self.AT), 6)))
        result = run("verify", hand, written(tmp_path / "twice.db3", [*topics, other]))
        assert "topics /imu and /imu2 are both of 'board'; choose one with --sensor board=TOPIC" in result.stderr
        refused = run("verify", hand, bag, "--sensor", "board=/imu", "--pose", "b")
        assert "--sensor is for bags and columns such as tool0.force.x, without --pose" in refused.stderr

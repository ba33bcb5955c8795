"""Logs that rosbags writes, all the way to a corrected URDF."""

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
from kinetree.cli import group
from logged import ARM, CARRIED, swinging

pytestmark = pytest.mark.crosscheck


def recorded(folder, storage, write):
    """Return the folder of a bag into which `write(add)` has written, with add(topic, type, stamp, **fields)."""
    rosbag2, typesys = pytest.importorskip("rosbags.rosbag2"), pytest.importorskip("rosbags.typesys")
    types = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
    connections = {}
    with rosbag2.Writer(folder, version=9, storage_plugin=getattr(rosbag2.StoragePlugin, storage)) as writer:

        def made(type, **fields):
            return types.types[type](**fields)

        def add(topic, type, stamp, frame="", **fields):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, type, typestore=types)
            time = made("builtin_interfaces/msg/Time", sec=stamp // 10**9, nanosec=stamp % 10**9)
            header = made("std_msgs/msg/Header", stamp=time, frame_id=frame)
            message = made(type, header=header, **fields)
            writer.write(connections[topic], stamp + 3_000_000, types.serialize_cdr(message, type))

        write(add)
    return folder


@pytest.mark.parametrize("storage", ["SQLITE3", "MCAP"])
def test_a_wrong_mass_is_corrected(tmp_path, storage):
    t, q, effort = swinging(kt.load(CARRIED, format="urdf"))
    stamps = 1_700_000_000 * 10**9 + np.round(t * 1e9).astype(np.int64)

    def write(add):
        for stamp, position, torque in zip(stamps.tolist(), q, effort, strict=True):
            numbers = {"position": position, "velocity": np.zeros(0), "effort": torque}
            add("/joint_states", "sensor_msgs/msg/JointState", stamp, name=["q1", "q2"], **numbers)

    (tmp_path / "arm.urdf").write_text(ARM)
    bag = recorded(tmp_path / "bag", storage, write)
    result = CliRunner().invoke(group, ["verify", str(tmp_path / "arm.urdf"), str(bag), "--fix"])
    assert result.exit_code == 0, result.output
    assert "- The mass of b is off by 0.5" in result.stdout
    assert kt.load(tmp_path / "arm.urdf").links["b"].inertial.mass == pytest.approx(2.5, abs=0.002)

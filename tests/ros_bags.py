"""A small robot, and bags of its motions with planted faults."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

import kinetree as kt
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses
from kinetree.logs.ros.cdr import encoded
from kinetree.logs.ros.joints import JOINT_STATE
from kinetree.logs.ros.mcap import mcap_of
from kinetree.logs.ros.transforms import extended as extend, joint_state_topic, transform_topics

ARM = """<robot name="arm"><link name="base"/><link name="upper"/><link name="lower"/><link name="slide"/>
<link name="tip"/><link name="finger"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="b" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0" rpy="0.3 0 1"/>
  <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="c" type="prismatic"><parent link="lower"/><child link="slide"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="f" type="revolute"><parent link="slide"/><child link="finger"/><axis xyz="0 0 1"/>
  <mimic joint="b" multiplier="-0.5" offset="0.1"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="tool" type="fixed"><parent link="slide"/><child link="tip"/><origin xyz="0.1 0 0" rpy="0 0.5 0"/></joint>
</robot>"""
FLOATING = ARM.replace('<link name="base"/>', '<link name="world"/><link name="base"/>').replace(
    "</robot>",
    '<joint name="free" type="floating"><parent link="world"/><child link="base"/></joint></robot>',
)
ODOMETRY, POSE, TF = "nav_msgs/Odometry", "geometry_msgs/PoseStamped", "tf2_msgs/TFMessage"
POINT, TRANSFORM = "geometry_msgs/PointStamped", "geometry_msgs/TransformStamped"
START = 1_700_000_000 * 10**9
"""Time of the first sample, ns."""


def arm(text: str = ARM) -> kt.Robot:
    return kt.load(text, format="urdf")


def motion(n: int = 300, step: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """q (n, 3) of the arm, smooth, and stamps (n,) in ns."""
    t = np.arange(n) * step
    q = np.stack([0.9 * np.sin(1.3 * t), 0.2 + np.cos(0.7 * t), 0.3 * np.sin(2.1 * t + 1)], -1)
    return q, START + np.round(t * 1e9).astype(np.int64)


def written(path: Path, topics: list[Topic]) -> Path:
    """The file, `.mcap` or `.db3`, with these topics."""
    if path.suffix == ".mcap":
        path.write_bytes(mcap_of(topics))
        return path
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
            "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)"
        )
        database.execute(
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
            "data BLOB NOT NULL)"
        )
        for i, topic in enumerate(topics):
            row = (i + 1, topic.name, topic.type.replace("/", "/msg/"), "cdr", topic.qos)
            database.execute("INSERT INTO topics VALUES(?, ?, ?, ?, ?)", row)
            rows = [(i + 1, time, data) for time, data in zip(topic.log_times, topic.data, strict=True)]
            database.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)", rows)
    database.close()
    return path


def recorded(path: Path, robot: kt.Robot, others: kt.Robot | None = None, late: float = 0.0, as_q=lambda q: q) -> Path:
    """A bag with joint states of the robot's motion and transforms of another robot's, late by some seconds."""
    q, stamps = motion()
    states = joint_state_topic("/joint_states", robot, q, stamps)
    moved = stamps + round(late * 1e9)
    return written(path, [states, *transform_topics(others or robot, as_q(q), moved, stamps, None)])


def base_poses(n: int = 80) -> Poses:
    """Poses of the base in frame odom, at other times than the motion."""
    rng = np.random.default_rng(3)
    t = np.linspace(-0.1, 6.1, n)
    quats = np.stack([0.1 * np.sin(t), 0.2 * np.cos(t), np.sin(0.2 * t), np.cos(0.2 * t)], -1)
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    stamps = START + np.round(t * 1e9).astype(np.int64)
    positions = np.stack([0.1 * t, np.sin(t), 0.01 * rng.normal(size=n)], -1)
    return Poses("/odom", "odom", "base", stamps, stamps, positions, quats)


def states(names, position, stamps, name="/joint_states", velocity=(), effort=()):
    header = {"stamp": {"sec": stamps // 10**9, "nanosec": stamps % 10**9}, "frame_id": ""}
    numbers = {"position": position, "velocity": np.array(velocity), "effort": np.array(effort)}
    return extend(Topic(name, JOINT_STATE), encoded(JOINT_STATE, {"header": header, "name": names, **numbers}), stamps)


def placed(poses, type, name, child=None):
    """Poses as a topic of a type."""
    stamp = {"stamp": {"sec": poses.stamps // 10**9, "nanosec": poses.stamps % 10**9}, "frame_id": poses.parent}
    p, quat = dict(zip("xyz", poses.positions.T, strict=True)), dict(zip("xyzw", poses.quat_xyzw.T, strict=True))
    pose, zeros = {"position": p, "orientation": quat}, np.zeros(36)
    twist = {"linear": dict.fromkeys("xyz", 0.0), "angular": dict.fromkeys("xyz", 0.0)}
    transform = {"header": stamp, "child_frame_id": poses.child, "transform": {"translation": p, "rotation": quat}}
    message = {
        ODOMETRY: {
            "header": stamp,
            "child_frame_id": child or poses.child,
            "pose": {"pose": pose, "covariance": zeros},
            "twist": {"twist": twist, "covariance": zeros},
        },
        POSE: {"header": stamp, "pose": pose},
        POINT: {"header": stamp, "point": p},
        TRANSFORM: transform,
        TF: {"transforms": [transform]},
    }[type]
    return extend(Topic(name, type), encoded(type, message), poses.stamps)

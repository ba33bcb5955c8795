"""Definitions of the messages of ROS 2 that are read and written, one row each."""

from functools import cache
from typing import NamedTuple

DEFINITIONS = {
    "builtin_interfaces/Duration": "int32 sec; uint32 nanosec",
    "builtin_interfaces/Time": "int32 sec; uint32 nanosec",
    "geometry_msgs/Point": "float64 x; float64 y; float64 z",
    "geometry_msgs/PointStamped": "std_msgs/Header header; geometry_msgs/Point point",
    "geometry_msgs/Pose": "geometry_msgs/Point position; geometry_msgs/Quaternion orientation",
    "geometry_msgs/PoseStamped": "std_msgs/Header header; geometry_msgs/Pose pose",
    "geometry_msgs/PoseWithCovariance": "geometry_msgs/Pose pose; float64[36] covariance",
    "geometry_msgs/PoseWithCovarianceStamped": "std_msgs/Header header; geometry_msgs/PoseWithCovariance pose",
    "geometry_msgs/Quaternion": "float64 x 0; float64 y 0; float64 z 0; float64 w 1",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation; geometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped": "std_msgs/Header header; string child_frame_id; "
    "geometry_msgs/Transform transform",
    "geometry_msgs/Twist": "geometry_msgs/Vector3 linear; geometry_msgs/Vector3 angular",
    "geometry_msgs/TwistWithCovariance": "geometry_msgs/Twist twist; float64[36] covariance",
    "geometry_msgs/Vector3": "float64 x; float64 y; float64 z",
    "geometry_msgs/Wrench": "geometry_msgs/Vector3 force; geometry_msgs/Vector3 torque",
    "geometry_msgs/WrenchStamped": "std_msgs/Header header; geometry_msgs/Wrench wrench",
    "nav_msgs/Odometry": "std_msgs/Header header; string child_frame_id; geometry_msgs/PoseWithCovariance pose; "
    "geometry_msgs/TwistWithCovariance twist",
    "sensor_msgs/Imu": "std_msgs/Header header; geometry_msgs/Quaternion orientation; "
    "float64[9] orientation_covariance; geometry_msgs/Vector3 angular_velocity; float64[9] angular_velocity_covariance"
    "; geometry_msgs/Vector3 linear_acceleration; float64[9] linear_acceleration_covariance",
    "sensor_msgs/JointState": "std_msgs/Header header; string[] name; float64[] position; float64[] velocity; "
    "float64[] effort",
    "std_msgs/Header": "builtin_interfaces/Time stamp; string frame_id",
    "std_msgs/String": "string data",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "trajectory_msgs/JointTrajectory": "std_msgs/Header header; string[] joint_names; "
    "trajectory_msgs/JointTrajectoryPoint[] points",
    "trajectory_msgs/JointTrajectoryPoint": "float64[] positions; float64[] velocities; float64[] accelerations; "
    "float64[] effort; builtin_interfaces/Duration time_from_start",
}
"""Fields of each message, as `type name default`."""

PRIMITIVES = {
    "bool": "u1", "byte": "u1", "char": "u1", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8", "float32": "f4", "float64": "f8",
}  # fmt: skip
"""NumPy's names of the types of numbers."""


class Field(NamedTuple):
    """One field of a message. size: of an array, -1 if it begins with its length, None for a single value."""

    name: str
    type: str
    size: int | None


@cache
def fields_of(message: str) -> tuple[Field, ...]:
    """Return the fields of a message, such as "std_msgs/String"."""
    fields = []
    for text in DEFINITIONS[message].split("; "):
        type, name = text.split()[:2]
        type, is_array, size = type.partition("[")
        fields.append(Field(name, type, int(size[:-1] or -1) if is_array else None))
    return tuple(fields)


@cache
def schema_text(message: str) -> str:
    """Return the definition of a message and of those in it, as MCAP's schema "ros2msg" has them."""
    found = [message]
    for name in found:  # which grows
        types = dict.fromkeys(field.type for field in fields_of(name))
        found += [type for type in types if type in DEFINITIONS and type not in found]
    texts = ["\n".join([*DEFINITIONS[name].split("; "), ""]) for name in found]
    parts = (f"{'=' * 80}\nMSG: {name}\n{text}" for name, text in zip(found[1:], texts[1:], strict=True))
    return "".join([texts[0], *parts])


def full_name(message: str) -> str:
    """Return the name of a message in bags: "std_msgs/msg/String"."""
    return "/msg/".join(message.split("/"))

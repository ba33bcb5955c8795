"""A rule about the types of parameters."""

import re

from kinetree.rules.parameters.controllers import HARDWARE
from kinetree.rules.parameters.files import RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.parameters.wheels import GOOD
from kinetree.rules.rule import Found
from kinetree.syntax.yaml import Yaml

LISTS, TRUTHS, WHOLE, TEXT = "a list of names", "true or false", "a whole number", "a text"
NUMBER = "a number with a point"
_KEYS = {
    NUMBER: "wheel_separation wheel_radius wheel_separation_multiplier left_wheel_radius_multiplier robot_radius "
    "right_wheel_radius_multiplier cmd_vel_timeout inflation_radius cost_scaling_factor footprint_padding "
    "transform_tolerance xy_goal_tolerance yaw_goal_tolerance controller_frequency desired_linear_vel lookahead_dist",
    TRUTHS: "open_loop enable_odom_tf position_feedback use_stamped_vel use_sim_time rolling_window "
    "track_unknown_space always_send_full_costmap allow_partial_joints_goal",
    LISTS: "joints command_interfaces state_interfaces left_wheel_names right_wheel_names",
    TEXT: "interface_name robot_base_frame base_frame_id odom_frame_id global_frame",
}
EXPECTED = {key: kind for kind, keys in _KEYS.items() for key in keys.split()}
"""Parameters of controllers and of Nav2 to the types with which they are declared."""
_OF_TRAJECTORIES = "state_publish_rate action_monitor_rate goal_time stopped_velocity_tolerance goal p i d i_clamp"
OF_TRAJECTORIES = dict.fromkeys(_OF_TRAJECTORIES.split(), NUMBER)
"""The same of parameters of joint trajectory controllers, which others declare otherwise."""


class ParameterTypes(FileRule):
    """A parameter of ROS 2 has the type with which its node declares it.

    A node stops at another type: it does not take 1 for 1.0, nor a name for a list of names.
    """

    code = "MVT-014"
    evidence = "heuristic"
    clause = "the type of a parameter is that of its declaration"
    url = "https://docs.ros.org/en/rolling/Concepts/Basic/About-Parameters.html"
    base = HARDWARE
    good = GOOD
    bad = GOOD.replace("wheel_radius: 0.1", "wheel_radius: 1")

    def check(self, ros_files: RosFiles) -> Found:
        """Another type than the declared one of parameters of common controllers and of Nav2. Texts with $ are not
        judged."""
        types = {one.name: one.type.rpartition("/")[2] for one in ros_files.controllers}
        parts = [part for document in ros_files.documents for part in document.walk()]
        for name, node in ((key.strip("/"), node) for part in parts for key, node in part.items):
            expected = EXPECTED | (OF_TRAJECTORIES if types.get(name) == "JointTrajectoryController" else {})
            expected |= {"update_rate": WHOLE} if name == "controller_manager" else {}
            parameters = node.get("ros__parameters")
            for key, value in (pair for part in (parameters.walk() if parameters else ()) for pair in part.items):
                wanted, kind = expected.get(key), _kind(value)
                if wanted and kind and kind != wanted:
                    shown = repr(value.text) if kind == TEXT else value.text or kind
                    example = f": {value.text}.0" if (kind, wanted) == (WHOLE, NUMBER) else ""
                    yield self.about(f"{key} is {shown}; expected {wanted}{example}", f"node {name!r}", value)


def _kind(value: Yaml) -> str:
    """Return the type that ROS 2 gives a value, "" for mappings, empty values and texts that are yet to be made."""
    text = value.text
    if value.values:
        return LISTS
    if value.items or not text or value.tag or re.search(r"[$<]", text):
        return ""
    if value.quoted or re.fullmatch(r"[-+]?\d+", text):
        return TEXT if value.quoted else WHOLE
    is_truth = re.fullmatch(r"true|false|yes|no|on|off|y|n", text, re.IGNORECASE)
    is_number = value.number is not None or text.lstrip("+-").lower() in (".inf", ".nan")
    return TRUTHS if is_truth else NUMBER if is_number else TEXT

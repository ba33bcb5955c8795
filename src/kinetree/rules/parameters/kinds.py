"""Rules about the types of parameters, and about joints that two controllers take."""

import re
from collections.abc import Iterator
from itertools import combinations

from kinetree.errors import Finding
from kinetree.rules.names.sides import side_of
from kinetree.rules.parameters.controllers import HARDWARE
from kinetree.rules.parameters.files import Controller, RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.parameters.wheels import GOOD
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
PARTS = {"gripper": "hand", "finger": "hand", "fingers": "hand", "neck": "head", "waist": "torso", "wheels": "base"}
PARTS |= {part: part for part in ("arm", "hand", "head", "torso", "leg", "base")}
"""Words in names of controllers to the part of a robot."""


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

    def check(self, ros_files: RosFiles) -> Iterator[Finding]:
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


class OneController(FileRule):
    """A joint is commanded by the controller of its own part of the robot.

    Of two controllers that claim one interface only the first is activated.
    """

    code = "MVT-015"
    evidence = "heuristic"
    clause = "a command interface is claimed by one controller"
    url = "https://control.ros.org/rolling/doc/ros2_control/controller_manager/doc/userdoc.html"
    base = HARDWARE
    good = (
        "controller_manager:\n  ros__parameters:\n"
        "    arm_controller: {type: joint_trajectory_controller/JointTrajectoryController}\n"
        "    hand_controller: {type: position_controllers/GripperActionController}\n"
        "arm_controller:\n  ros__parameters: {joints: [joint_1], command_interfaces: [position]}\n"
        "hand_controller:\n  ros__parameters: {joint: joint_2}\n"
    )
    bad = good.replace("[joint_1]", "[joint_1, joint_2]")

    def check(self, ros_files: RosFiles) -> Iterator[Finding]:
        """A joint of two controllers, of ros2_control or of MoveIt, whose names say different parts, such as arm and
        hand, or left and right. Controllers of one part, of which one runs at a time, may share joints."""
        for controllers in (ros_files.controllers, ros_files.moveit):
            commanding = [(one, joints) for one in controllers if (joints := _commanded(one))]
            for (first, ours), (second, others) in combinations(commanding, 2):
                shared = [name for name in others if name in ours]
                if shared and _differ(first, second, shared):
                    message = f"{', '.join(map(repr, shared))} {'is' if len(shared) == 1 else 'are'} also in the "
                    message += f"controller {first.name!r}; expected one controller for a joint"
                    yield self.about(message, f"controller {second.name!r}", others[shared[0]])


def _kind(value: Yaml) -> str:
    """Return the type that ROS 2 gives a value, "" for mappings, empty values and texts that are yet to be made."""
    text = value.text
    if value.values:
        return LISTS
    if value.items or not text or value.tag or re.search(r"[$<]", text):
        return ""
    if value.quoted:
        return TEXT
    if re.fullmatch(r"[-+]?\d+", text):
        return WHOLE
    is_truth = re.fullmatch(r"true|false|yes|no|on|off|y|n", text, re.IGNORECASE)
    return TRUTHS if is_truth else NUMBER if value.number is not None else TEXT


def _commanded(controller: Controller) -> dict[str, Yaml]:
    """Return the joints that a controller commands, with their places."""
    if "roadcaster" in controller.type or not controller.type or controller.others:
        return {}
    return {one.text: one for key in ("joints", "joint") for one in controller.names(key)}


def _differ(first: Controller, second: Controller, shared: list[str]) -> bool:
    """Return whether the names of two controllers say different parts or sides."""
    words = [re.split(r"[^a-z]+", one.name.lower()) for one in (first, second)]
    one, other = ({PARTS[word] for word in some if word in PARTS} for some in words)
    by_side = {side_of(first.name), side_of(second.name)} == {"l", "r"} and any(map(side_of, shared))
    return by_side or bool(one and other and not one & other)

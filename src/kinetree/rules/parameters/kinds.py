"""Rules about the types of parameters, the frames that they name, and joints that two controllers take."""

import re
from collections.abc import Iterator
from itertools import combinations

from kinetree.errors import Finding, nearest_names
from kinetree.model.robot import Robot
from kinetree.rules.blocks.plugins import OF_THE_WORLD
from kinetree.rules.names.sides import side_of
from kinetree.rules.parameters.controllers import HARDWARE, commanded
from kinetree.rules.parameters.files import Controller, RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.parameters.wheels import GOOD
from kinetree.syntax.yaml import Yaml

URL = "https://docs.ros.org/en/rolling/Concepts/Basic/About-Parameters.html"
_DOUBLES = (
    "wheel_separation wheel_radius wheel_separation_multiplier left_wheel_radius_multiplier wheelbase "
    "right_wheel_radius_multiplier front_wheel_track rear_wheel_track front_wheels_radius rear_wheels_radius "
    "traction_wheels_radius cmd_vel_timeout publish_rate state_publish_rate action_monitor_rate stall_timeout "
    "max_effort stall_velocity_threshold goal_tolerance goal_time stopped_velocity_tolerance p i d i_clamp ff_velocity_scale "
    "robot_radius inflation_radius cost_scaling_factor footprint_padding update_frequency publish_frequency "
    "transform_tolerance xy_goal_tolerance yaw_goal_tolerance controller_frequency max_vel_x min_vel_x max_vel_theta "
    "desired_linear_vel lookahead_dist sim_time laser_max_range"
)
_TRUTHS = (
    "open_loop enable_odom_tf position_feedback use_stamped_vel use_sim_time rolling_window always_send_full_costmap "
    "track_unknown_space allow_partial_joints_goal allow_nonzero_velocity_at_trajectory_end"
)
_LISTS = "joints command_interfaces state_interfaces left_wheel_names right_wheel_names"
FRAMES = ("robot_base_frame", "base_frame_id", "base_link_frame")
_TEXTS = "interface_name odom_frame_id global_frame"
EXPECTED = {
    **dict.fromkeys(_DOUBLES.split(), "double"),
    **dict.fromkeys(_TRUTHS.split(), "bool"),
    **dict.fromkeys(_LISTS.split(), "list of strings"),
    **dict.fromkeys((*_TEXTS.split(), *FRAMES), "string"),
}
"""Parameters of controllers and of Nav2 to the types with which they are declared."""
TRUTH = re.compile(r"true|false|yes|no|on|off|y|n", re.IGNORECASE)
PARTS = {"gripper": "hand", "finger": "hand", "fingers": "hand", "neck": "head", "waist": "torso", "wheels": "base"}
PARTS |= {part: part for part in ("arm", "hand", "head", "torso", "leg", "base")}
"""Words in names of controllers to the part of a robot."""


class ParameterTypes(FileRule):
    """A parameter of ROS 2 has the type with which its node declares it.

    A node stops at another type: it does not take the integer 1 for the double 1.0, nor a name for a list of names.
    """

    code = "MVT-014"
    evidence = "heuristic"
    clause = "the type of a parameter is that of its declaration"
    url = URL
    base = HARDWARE
    good = GOOD
    bad = GOOD.replace("wheel_radius: 0.1", 'wheel_radius: "0.1"')

    def check(self, ros_files: RosFiles) -> Iterator[Finding]:
        """An integer or a text for a double, a number or text for true and false, a single value for a list, a list for
        a single name; for the update_rate of the controller manager, what is no integer."""
        for name, parameters in _nodes(ros_files):
            expected = EXPECTED | ({"update_rate": "integer"} if name == "controller_manager" else {})
            for part in parameters.walk():
                for key, value in part.items:
                    wanted, kind = expected.get(key, ""), _kind(value)
                    if wanted and kind and kind != wanted:
                        shown = repr(value.text) if kind == "string" else value.text
                        message = f"{key} is {shown and f'{shown}, '}a {kind}; expected a {wanted}"
                        example = f"{value.text}.0" if (kind, wanted) == ("integer", "double") else ""
                        message += f", {example}" if example else ""
                        yield self.about(message, f"node {name!r}", value)


class FramesExist(FileRule):
    """The frame of the base that navigation and controllers name is one of the robot.

    Otherwise nothing can be transformed into it, and the robot does not move.
    """

    code = "MVT-016"
    evidence = "heuristic"
    clause = "robot_base_frame, base_frame_id"
    url = "https://docs.nav2.org/configuration/packages/configuring-costmaps.html"
    base = HARDWARE
    good = "local_costmap:\n  local_costmap:\n    ros__parameters:\n      robot_base_frame: base_link\n"
    bad = good.replace("base_link", "chassis")

    def check(self, robot: Robot, ros_files: RosFiles) -> Iterator[Finding]:
        """A name that no link has, but for those that other programs publish. Names with a slash or $ are not
        judged."""
        for name, parameters in _nodes(ros_files):
            for part in parameters.walk():
                for key, value in part.items:
                    known = value.text in robot.frames or value.text in OF_THE_WORLD
                    if key in FRAMES and value.text and not known and not re.search(r"[/$<]", value.text):
                        near = nearest_names(value.text, list(robot.frames))
                        message = f"{key} names {value.text!r}, which does not exist; {near}"
                        yield self.about(message, f"node {name!r}", value)


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
            commanding = [(one, joints) for one in controllers if (joints := _commanded_joints(one))]
            for (first, ours), (second, others) in combinations(commanding, 2):
                shared = [name for name in others if name in ours]
                if shared and _apart(first, second, shared) and not _other_interfaces(first, second):
                    message = f"{', '.join(map(repr, shared))} {'is' if len(shared) == 1 else 'are'} also in the "
                    message += f"controller {first.name!r}; expected one controller for a joint"
                    yield self.about(message, f"controller {second.name!r}", others[shared[0]])


def _nodes(ros_files: RosFiles) -> Iterator[tuple[str, Yaml]]:
    """Yield the names of nodes of ROS 2 and their parameters."""
    for document in ros_files.documents:
        for part in document.walk():
            for name, node in part.items:
                if parameters := node.get("ros__parameters"):
                    yield name.strip("/"), parameters


def _kind(value: Yaml) -> str:
    """Return the type that ROS 2 gives a value, "" for mappings, empty values and texts that are yet to be made."""
    text = value.text
    if value.values:
        return "" if any(one.values or one.items for one in value.values) else "list of strings"
    if value.items or not text or value.tag or re.search(r"[$<]", text):
        return ""
    if value.quoted:
        return "string"
    if re.fullmatch(r"[-+]?\d+", text):
        return "integer"
    return "bool" if TRUTH.fullmatch(text) else "double" if value.number is not None else "string"


def _commanded_joints(controller: Controller) -> dict[str, Yaml]:
    """Return the joints that a controller commands, with their places."""
    if "roadcaster" in controller.type or not controller.type:
        return {}
    return {one.text: one for key in ("joints", "joint") for one in controller.names(key)}


def _apart(first: Controller, second: Controller, shared: list[str]) -> bool:
    """Return whether the names of two controllers say different parts or sides."""
    if first.others or second.others:
        return False
    words = [re.split(r"[^a-z]+", one.name.lower()) for one in (first, second)]
    parts = [{PARTS[word] for word in some if word in PARTS} for some in words]
    sides = {side_of(first.name), side_of(second.name)}
    return bool(parts[0] and parts[1] and not parts[0] & parts[1]) or (
        sides == {"l", "r"} and any(map(side_of, shared))
    )


def _other_interfaces(first: Controller, second: Controller) -> bool:
    """Return whether two controllers command other interfaces of their joints."""
    one, other = set(commanded(first)), set(commanded(second))
    return bool(one and other and not one & other)

"""Rules about the YAML files of controllers, against the interfaces of ros2_control."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from kinetree.rules.blocks.gazebo import repeated
from kinetree.rules.blocks.ros2_control import INTERFACES, ComponentJoint
from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly
from kinetree.rules.names.sides import on_wrong_side, other_side, side_of
from kinetree.rules.parameters.files import JOINT_KEYS, Controller, RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.quality import with_blocks
from kinetree.rules.rule import Found, Robot
from kinetree.syntax.yaml import Yaml

HARDWARE = with_blocks("""\
  <ros2_control name="arm" type="system">
    <hardware><plugin>mock_components/GenericSystem</plugin></hardware>
    <joint name="joint_1"><command_interface name="position"/><state_interface name="position"/></joint>
    <joint name="joint_2"><command_interface name="position"/><state_interface name="position"/></joint>
  </ros2_control>""")
GOOD = (
    "controller_manager:\n  ros__parameters:\n"
    "    arm_controller:\n      type: joint_trajectory_controller/JointTrajectoryController\n"
    "arm_controller:\n  ros__parameters:\n    joints: [joint_1, joint_2]\n"
    "    command_interfaces: [position]\n    state_interfaces: [position]\n"
)
COMMANDED = {f"{name}_controllers/": name for name in ("position", "velocity", "effort")}
"""Beginnings of types of controllers to the command interface that they take."""
PARTS = {"gripper": "hand", "finger": "hand", "fingers": "hand", "neck": "head", "waist": "torso", "wheels": "base"}
PARTS |= {part: part for part in ("arm", "hand", "head", "torso", "leg", "base")}
"""Words in names of controllers to the part of a robot."""
_OF_ONE_NAME = (
    "ackermann_steering_controller admittance_controller bicycle_steering_controller diff_drive_controller "
    "force_torque_sensor_broadcaster forward_command_controller joint_state_broadcaster joint_state_controller "
    "joint_trajectory_controller mecanum_drive_controller pid_controller pose_broadcaster range_sensor_broadcaster "
    "tricycle_controller tricycle_steering_controller"
)
TYPES = {name: [name.title().replace("_", "")] for name in _OF_ONE_NAME.split()}
"""Packages of controllers to the class in each."""
INTERFACE_KEY = re.compile(r"interfaces?(_name)?$")
URL = "https://control.ros.org/rolling/doc/ros2_controllers/joint_trajectory_controller/doc/parameters.html"


class OfferedInterfaces(FileRule):
    """The interfaces that a controller asks for are those that the hardware offers.

    The controller manager does not activate a controller whose interfaces are missing.
    """

    code = "MVT-009"
    thresholds = (NEARLY, LETTERS)
    level = "MUST"
    clause = "command_interfaces and state_interfaces of the joints"
    url = URL
    base = HARDWARE
    good = GOOD
    bad = GOOD.replace("command_interfaces: [position]", "command_interfaces: [velocity]")

    def check(self, robot: Robot, ros_files: RosFiles, driven: tuple[ComponentJoint, ...]) -> Found:
        """An interface that no component of ros2_control has for one of the controller's joints, nor <xacro:if> gives
        for another argument; one that differs from a common name by a letter or two, and that no component has; a
        warning without components."""
        own, slips = {part.get("name") for one in driven for part in one.element.children}, set()
        values = [(one, v) for one in ros_files.controllers for v in (one.parameters.walk() if one.parameters else ())]
        for controller, key, one in ((c, k, one) for c, v in values for k, part in v.items for one in part.texts):
            name = one.text.rpartition("/")[2]
            if INTERFACE_KEY.search(key) and name not in own and (near := nearly(name, INTERFACES)):
                slips.add(name)
                message = f"{key} has {name!r}; did you mean {near!r}?"
                found = self.about(message, f"controller {controller.name!r}", one)
                yield found if driven else replace(found, severity="warning")
        for kind in ("command", "state"):
            offered = {(one.name, part.get("name")) for one in driven for part in one.interfaces(f"{kind}_interface")}
            joints = {one.name for one in driven}
            for controller in ros_files.controllers if driven else ():
                asked = [name for name in _interfaces(controller, kind) if name not in slips]
                for interface in asked if not controller.others else ():
                    names = [one.text for one in controller.names("joints") if one.text in joints]
                    missing = [name for name in names if (name, interface) not in offered]
                    if missing and not _is_chosen(robot, f'{kind}_interface name="{interface}"'):
                        message = f"ros2_control offers no {kind}_interface {interface!r} for {', '.join(missing)}"
                        yield self.about(message, f"controller {controller.name!r}", controller)


class Joints(FileRule):
    """A joint is named once, by the controller of its part, and a controller sets parameters of its own joints.

    Interfaces cannot be claimed twice, nor by two controllers; constraints and gains of another joint have no effect.
    """

    code = "MVT-010"
    evidence = "heuristic"
    clause = "joints, and parameters by joint"
    url = URL
    base = HARDWARE
    good = GOOD
    bad = GOOD.replace("[joint_1, joint_2]", "[joint_1, joint_2, joint_2]")

    def check(self, robot: Robot, ros_files: RosFiles, driven: tuple[ComponentJoint, ...]) -> Found:
        """A joint twice in a list, or among the left wheels and the right ones; right joints alone of a controller that
        is called left, or the other way about; constraints or gains by joint for another joint. A joint of two
        controllers whose names say different parts, such as arm and hand, or left and right. A joint of a controller of
        ROS 2 that follows another, unless ros2_control has a command interface of it."""
        commanded = {one.name for one in driven if one.interfaces("command_interface")}
        for controller in (one for one in ros_files.controllers if one.managed):
            joints = [robot.joints[name] for name in _commanded(controller) if name in {*robot.joints} - commanded]
            for joint, mimic in [(joint, joint.mimic) for joint in joints if joint.mimic][:1]:
                message = f"the joint {joint.name!r} follows {mimic.joint!r} and takes no commands; leave it out"
                place = _commanded(controller)[joint.name]
                yield self.about(message, f"controller {controller.name!r}", place)
        yield from (*self._shared(ros_files.controllers), *self._shared(ros_files.moveit))
        for controller in (*ros_files.controllers, *ros_files.moveit):
            element = f"controller {controller.name!r}"
            lists = [controller.names(key) for key in JOINT_KEYS]
            lists.append((*controller.names("left_wheel_names"), *controller.names("right_wheel_names")))
            found = {one.source: one for names in lists for _, one in repeated(names, lambda one: one.text)}
            for one in found.values():
                yield self.about(f"the joint {one.text!r} is named twice; name each joint once", element, one)
            own = {one.text for one in controller.names("joints")}
            if wrong := on_wrong_side(controller.name, sorted(own), robot.joints):
                message = f"the controller has the joint {wrong[0]!r}; expected {other_side(wrong[0])!r}"
                yield self.about(message, element, controller)
            for key in ("constraints", "gains"):
                inside = controller.parameters.get(key) if controller.parameters else None
                rows = inside.items if inside and own and "rajectory" in controller.type else ()
                if others := [(name, value) for name, value in rows if value.items and name not in own]:
                    names = ", ".join(repr(name) for name, _ in others)
                    message = f"{key} are set for {names}, not among the joints of the controller"
                    yield self.about(message, element, others[0][1])

    def _shared(self, controllers: Sequence[Controller]) -> Found:
        commanding = [(one, joints) for one in controllers if (joints := _commanded(one))]
        for (first, ours), (second, others) in combinations(commanding, 2):
            shared = [name for name in others if name in ours]
            if shared and _differ(first, second, shared):
                message = f"the controller {first.name!r} has {', '.join(map(repr, shared))} too; keep a joint in one"
                yield self.about(message, f"controller {second.name!r}", others[shared[0]])


class ControllerTypes(FileRule):
    """Every controller has a type that exists.

    The controller manager does not load a controller without one.
    """

    code = "MVT-013"
    thresholds = (NEARLY, LETTERS)
    evidence = "heuristic"
    clause = "type of each controller"
    url = "https://control.ros.org/rolling/doc/ros2_control/controller_manager/doc/userdoc.html"
    base = HARDWARE
    good = GOOD
    bad = GOOD.replace("    arm_controller:\n      type: joint_trajectory_controller/JointTrajectoryController\n", "")

    def check(self, ros_files: RosFiles) -> Found:
        """Parameters of a controller of joints in a file with a controller manager, which gives this controller no
        type; a type that differs from one of a known package by a letter or two."""
        for one in ros_files.controllers:
            package, _, name = one.type.partition("/")
            meant = nearly(name, TYPES[package]) if package in TYPES else nearly(package, [*TYPES])
            if meant:
                right = f"{package}/{meant}" if package in TYPES else f"{meant}/{name}"
                yield self.about(f"the type is {one.type!r}; did you mean {right!r}?", f"controller {one.name!r}", one)
        managers = {one.source.file for one in ros_files.managers}
        typed = {one.name for one in ros_files.controllers if one.type}  # perhaps in another name space
        for one in ros_files.controllers:
            named = any(one.names(key) for key in JOINT_KEYS)
            if named and one.name not in typed and one.source.file in managers:
                message = "the controller has no type; add it to the parameters of controller_manager"
                yield self.about(message, f"controller {one.name!r}", one)


def _interfaces(controller: Controller, kind: str) -> list[str]:
    """Return the interfaces of its joints that a controller asks for."""
    if kind == "command":
        fixed = [name for begins, name in COMMANDED.items() if controller.type.startswith(begins)]
        keys = ("interface_name",) if controller.type.startswith("forward_command_controller/") else ()
        names = [one.text for key in ("command_interfaces", *keys) for one in controller.names(key)]
        return list(dict.fromkeys((*fixed, *names)))
    return [one.text for one in controller.names("state_interfaces")]


def _is_chosen(robot: Robot, tag: str) -> bool:
    """Return whether xacro makes an element or not, by the value of an argument."""
    inside = rf"<xacro:(if|unless)\b(?:(?!</xacro:\1\b).)*<{re.escape(tag)}"
    files = robot.text.files.values() if robot.text else ()
    return any(tag in text and re.search(inside, text, re.DOTALL) for text in files)


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

"""Rules about the YAML files of MoveIt and of controllers that belong to a robot."""

from collections.abc import Iterator, Mapping
from math import degrees, inf, isclose
from typing import ClassVar

from kinetree.errors import Finding, Severity, nearest_names
from kinetree.rules.blocks.gazebo import repeated
from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly
from kinetree.rules.examples import ARM
from kinetree.rules.joints.values import FOLLOWS, off_leader
from kinetree.rules.options import CheckOptions
from kinetree.rules.parameters.files import JOINT_KEYS, Controller, RosFiles
from kinetree.rules.rule import Found, Robot, Rule, Threshold, number, numbers
from kinetree.syntax.yaml import Yaml

EXAMPLE = "/robot/example.yaml"
"""The file of the good or bad example of a rule."""
SRDF = """\
<robot name="arm">
  <group name="manipulator"><chain base_link="base_link" tip_link="link_6"/></group>
</robot>
"""
ROOM = Threshold(0.01, "", "largest excess over a limit, as a part of it")
LEAST = Threshold(0.1, "SI", "limit with which the excess over a smaller one is compared")
CONVERTED = Threshold(0.03, "", "largest relative difference from a limit in degrees that is read as degrees")
TURN = Threshold(6.3, "rad or m", "largest position that cannot be in degrees")
LIMITS = "https://moveit.picknik.ai/main/doc/how_to_guides/moveit_configuration/moveit_configuration_tutorial.html"
CONTROLLERS = (
    "https://moveit.picknik.ai/main/doc/examples/controller_configuration/controller_configuration_tutorial.html"
)
UNITS = ("!degrees", "!radians")
VARIABLES = dict.fromkeys(["x", "y", "theta"], "planar")
VARIABLES |= dict.fromkeys((*(f"trans_{axis}" for axis in "xyz"), *(f"rot_{axis}" for axis in "xyzw")), "floating")
"""Names that MoveIt gives to the coordinates of joints, with their type."""
QUANTITIES = ("position", "velocity", "acceleration", "jerk", "effort")


class FileRule(Rule):
    """A rule about files beside a robot: `base` is the robot, `srdf` its semantic description, `good` and `bad` are
    YAML texts."""

    base: ClassVar[str | None] = ARM
    srdf: ClassVar[str | None] = None
    context: ClassVar[CheckOptions] = CheckOptions(also=(EXAMPLE,))
    url: ClassVar[str] = LIMITS

    def about(self, message: str, element: str, value: Yaml | Controller) -> Finding:
        """Return a finding about a value of a file."""
        return self.finding(message, element, source=value.source)


class GroupRule(FileRule):
    """A rule about planning groups, those of an SRDF."""

    srdf: ClassVar[str | None] = SRDF
    of_robot: ClassVar[bool] = True


class ReadableFiles(FileRule):
    """The YAML files beside a robot can be read, and set nothing twice.

    Of two equal keys of a mapping only the last has an effect.
    """

    code = "MVT-001"
    level = "MUST"
    clause = "mapping keys are unique"
    url = "https://yaml.org/spec/1.2.2/#mapping"
    good = "joint_limits:\n  joint_1:\n    max_velocity: 1.0\n  joint_2:\n    max_velocity: 2.0\n"
    bad = "joint_limits:\n  joint_1:\n    max_velocity: 1.0\n  joint_1:\n    max_velocity: 2.0\n"

    def check(self, ros_files: RosFiles) -> Found:
        """A file that is no YAML; a key twice in a mapping, but for nodes at the top."""
        for fault in ros_files.faults:
            why = " ".join(fault.message.removeprefix("cannot be read: ").split())
            yield self.finding(f"cannot be read: {why}", "file", source=fault.source)
        for document in ros_files.documents:
            for part in document.walk():
                pairs = part.items if part is not document else ()
                for (_, first), (key, later) in repeated(pairs, lambda pair: pair[0]):
                    message = f"the key {key!r} is already on line {first.source.line}; only the last one has an effect"
                    yield self.about(message, f"key {key!r}", later)


class JointsExist(FileRule):
    """The joints that the YAML files beside a robot name are joints of the robot.

    A controller does not start, and a limit has no effect.
    """

    code = "MVT-002"
    level = "MUST"
    clause = "joints: names of joints of the robot"
    url = CONTROLLERS
    good = "controller_list:\n  - name: arm_controller\n    joints: [joint_1, joint_2]\n"
    bad = good.replace("joint_2", "joint_two")

    def check(self, robot: Robot, ros_files: RosFiles) -> Found:
        """A name that no joint has, in limits and controllers; a warning in files with units, which macros read and
        put a prefix before the names. MoveIt's variables of planar and floating joints, such as `base/theta`, are names
        too, also of the virtual joints of an SRDF; without one their joint is not looked for. In other parameters of
        controllers, the name of a link or a joint in other letters, a warning."""
        units = {part.source.file for value in ros_files.documents for part in value.walk() if part.tag in UNITS}
        named = [(name, value, "in joint_limits") for name, value in ros_files.limits]
        for controller in (*ros_files.controllers, *ros_files.moveit):
            for key in JOINT_KEYS if not controller.others else ():
                named += [(one.text, one, f"controller {controller.name!r}") for one in controller.names(key)]
        yield from self._in_other_letters(robot, ros_files)
        known = {*robot.joints, *robot.loops, *_virtual(robot)}
        for name, value, where in named:
            of_macro = value.source.file in units
            unsure = robot.semantic is None and "/" in name and name.rpartition("/")[2] in VARIABLES
            if not (unsure or name in known) and not (of_macro and any(joint.endswith(name) for joint in known)):
                message = f"the joint does not exist ({where}); {nearest_names(name, list(robot.joints))}"
                severity: Severity | None = "warning" if of_macro else None
                yield self.finding(message, f"joint {name!r}", source=value.source, severity=severity)

    def _in_other_letters(self, robot: Robot, ros_files: RosFiles) -> Found:
        known = {*robot.joints, *robot.frames, *robot.links}
        alike = {name.lower(): name for name in known}
        for one in (one for one in ros_files.controllers if not one.others):
            listed = {id(value) for key in JOINT_KEYS for value in one.names(key)}
            for value in one.parameters.walk() if one.parameters else ():
                name = alike.get(value.text.lower(), value.text)
                if value.text and value.text not in known and name in known and id(value) not in listed:
                    message = f"{value.text!r} differs from {name!r} of the robot in capital letters"
                    yield self.finding(message, f"controller {one.name!r}", source=value.source, severity="warning")


def _virtual(robot: Robot) -> Iterator[str]:
    """Yield the names of virtual joints, and of the variables that MoveIt gives to joints of several coordinates."""
    virtual = {joint.name: joint.type for joint in robot.semantic.virtual_joints} if robot.semantic else {}
    yield from virtual
    for name, kind in ({joint.name: joint.type for joint in robot.joints.values()} | virtual).items():
        yield from (f"{name}/{variable}" for variable, of in VARIABLES.items() if of == kind)


class LimitFlags(FileRule):
    """A joint that has a limit of MoveIt has its number, and no lower limit is above the upper one.

    has_velocity_limits without max_velocity leaves the joint at a default, and a maximum of zero lets it stand still.
    Nothing is between limits in the wrong order.
    """

    code = "MVT-003"
    clause = "has_velocity_limits, max_velocity and the like; min and max"
    good = "joint_limits:\n  joint_1:\n    has_velocity_limits: true\n    max_velocity: 2.0\n"
    bad = "joint_limits:\n  joint_1:\n    has_velocity_limits: true\n"

    def check(self, ros_files: RosFiles) -> Found:
        """A flag without a number, a maximum that is no positive number. In any parameters, a number of min or lower
        above that of max or upper; a maximum of -1 may mean none."""
        for part in (part for document in ros_files.documents for part in document.walk()):
            for key, first in part.items:
                upper = key.replace("min", "max").replace("lower", "upper")
                ends = [one.number for one in (first, part.get(upper)) if one and one.number is not None]
                if len(ends) == 2 and ends[0] > ends[1] != -1:
                    least, most = numbers(ends)
                    yield self.about(f"{key} {least} is above {upper} {most}", f"key {key!r}", first)
        for name, value in ros_files.limits:
            element = f"joint {name!r}"
            for quantity in QUANTITIES:
                flag, low, high = (
                    value.get(f"{key}_{quantity}{s}") for key, s in (("has", "_limits"), ("min", ""), ("max", ""))
                )
                if flag is None or not flag.is_true:
                    continue
                if high is None and low is None:
                    yield self.about(f"has_{quantity}_limits is true, but max_{quantity} is missing", element, flag)
                for bound in (low, high):
                    if bound is not None and bound.number is None:
                        message = f"the limit of {quantity} is {bound.text!r}; expected a number"
                        yield self.about(message, element, bound)
                if high is not None and high.number is not None and high.number <= 0 and quantity != "position":
                    message = f"max_{quantity} is {number(high.number)}; expected a positive number"
                    yield self.about(message, element, high)


class LimitsInside(FileRule):
    """The limits of MoveIt are inside those of the robot.

    MoveIt takes them instead of the robot's, and plans motions that the robot cannot follow.
    """

    code = "MVT-004"
    thresholds = (ROOM, LEAST, CONVERTED)
    clause = "joint_limits.yaml overrides the limits of the URDF"
    good = "joint_limits:\n  joint_1:\n    has_velocity_limits: true\n    max_velocity: 2.0\n"
    bad = "joint_limits:\n  joint_1:\n    has_velocity_limits: true\n    max_velocity: 172\n"

    def check(self, robot: Robot, ros_files: RosFiles) -> Found:
        """A velocity, effort or position beyond the joint's. Numbers whose flag is false, and joints without a limit,
        are not judged."""
        for name, value in ros_files.limits:
            joint = robot.joints.get(name)
            if joint is None or joint.kind.nv != 1:
                continue
            limit = joint.limit
            bounds = [("max_velocity", limit.velocity, 1), ("max_effort", limit.effort, 1)]
            bounds += [("max_position", limit.upper, 1), ("min_position", limit.lower, -1)]
            for key, bound, sign in bounds:
                written, flag = value.get(key), value.get(f"has_{key[4:]}_limits")
                found = written.number if written is not None and (flag is None or flag.is_true) else None
                if written is None or found is None or abs(bound) == inf or (bound <= 0 and "_pos" not in key):
                    continue
                if sign * (found - bound) > ROOM * max(abs(bound), LEAST):
                    is_degrees = bound != 0 and isclose(found, degrees(bound), rel_tol=CONVERTED) and not written.tag
                    unit = "; it looks like degrees" if is_degrees else ""
                    message = f"{key} is {number(found, 4)}; the robot's limit is {number(bound, 4)}{unit}"
                    yield self.about(message, f"joint {name!r}", written)


class Kinematics(GroupRule):
    """Solvers of kinematics are for planning groups that exist, and are named.

    Without its solver a group cannot be moved to a pose.
    """

    code = "MVT-005"
    level = "MUST"
    clause = "a group of the SRDF, and kinematics_solver"
    url = "https://moveit.picknik.ai/main/doc/examples/kinematics_configuration/kinematics_configuration_tutorial.html"
    good = "manipulator:\n  kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin\n"
    bad = "manipulater:\n  kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin\n"

    def check(self, ros_files: RosFiles, groups: Mapping[str, tuple[str, ...]]) -> Found:
        """A group that no SRDF has, if there is one; settings of a solver without kinematics_solver."""
        for name, value in ros_files.kinematics:
            if groups and name not in groups:
                message = f"the group does not exist; {nearest_names(name, list(groups))}"
                yield self.about(message, f"group {name!r}", value)
            solver = value.get("kinematics_solver")
            if solver is None or not solver.text:
                yield self.about("kinematics_solver is missing; name the plug-in of a solver", f"group {name!r}", value)


class MoveitControllers(FileRule):
    """The controllers of MoveIt are listed, described, and those of the controller manager.

    MoveIt waits for a controller that does not exist, and sends nothing to one that is not listed.
    """

    code = "MVT-006"
    clause = "controller_names, and a block for each"
    url = CONTROLLERS
    good = (
        "moveit_simple_controller_manager:\n  controller_names: [arm_controller]\n"
        "  arm_controller:\n    type: FollowJointTrajectory\n    joints: [joint_1, joint_2]\n"
    )
    bad = good.replace("[arm_controller]", "[manipulator_controller]")

    def check(self, ros_files: RosFiles) -> Found:
        """A listed name without a block and a block that is not listed; a name that the controller manager does not
        have; joints that differ from those of the controller of ros2_control."""
        listed, described = ros_files.listed, {one.name: one for one in ros_files.moveit}
        names = [one.text for one in listed]
        for one in listed if described or listed else ():
            if one.text not in described:
                near = nearest_names(one.text, list(described)) if described else "none is"
                message = f"the controller is listed in controller_names, but not described; {near}"
                yield self.about(message, f"controller {one.text!r}", one)
        running = {one.name: one for one in ros_files.controllers if one.managed}
        serving = any(one.names("joints") or one.names("joint") for one in running.values())
        for name, controller in described.items():
            element = f"controller {name!r}"
            if listed and name not in names:
                yield self.about("the controller is not listed in controller_names", element, controller)
            own = name.rpartition("/")[2]
            if serving and own and controller.type and own not in running:
                message = f"the controller manager has no controller of this name; {nearest_names(own, list(running))}"
                yield self.about(message, element, controller)
            elif own in running and controller.type == "FollowJointTrajectory":
                wanted, has = ({one.text for one in c.names("joints")} for c in (controller, running[own]))
                if has and wanted != has:
                    odd = ", ".join(sorted(wanted ^ has))
                    message = f"MoveIt and the controller manager give it different joints: {odd}"
                    yield self.about(message, element, controller)


class GroupControllers(GroupRule):
    """Each joint of a planning group has a controller of MoveIt.

    MoveIt plans for the group and cannot execute the plan.
    """

    code = "MVT-007"
    evidence = "heuristic"
    clause = "controllers that cover all joints of a group"
    url = CONTROLLERS
    good = (
        "controller_list:\n  - name: arm_controller\n    type: FollowJointTrajectory\n"
        "    joints: [joint_1, joint_2, joint_3, joint_4, joint_5, joint_6]\n"
    )
    bad = good.replace(", joint_6", "")

    def check(self, ros_files: RosFiles, groups: Mapping[str, tuple[str, ...]]) -> Found:
        """Joints of a group without a controller, where others of the group have one."""
        moved = {one.text for controller in ros_files.moveit for one in controller.names("joints")}
        reported: set[str] = set()
        for name, joints in sorted(groups.items(), key=lambda pair: len(pair[1])):
            missing = [joint for joint in joints if joint not in moved]
            if missing and len(missing) < len(joints) and not reported.issuperset(missing):
                whole = [g for g, inside in groups.items() if g != name and inside and set(inside) <= set(missing)]
                reported.update(missing)
                if not whole:
                    message = f"no controller of MoveIt moves {', '.join(missing)}"
                    yield self.about(message, f"group {name!r}", ros_files.moveit[0])


class Parameters(FileRule):
    """A controller that is loaded has its parameters, under its own name.

    A trajectory controller without joints does not start.
    """

    code = "MVT-008"
    thresholds = (NEARLY, LETTERS)
    evidence = "heuristic"
    clause = "the parameters of a controller stand under its name"
    url = "https://control.ros.org/rolling/doc/ros2_controllers/joint_trajectory_controller/doc/parameters.html"
    good = (
        "controller_manager:\n  ros__parameters:\n"
        "    arm_controller:\n      type: joint_trajectory_controller/JointTrajectoryController\n"
        "arm_controller:\n  ros__parameters:\n    joints: [joint_1, joint_2]\n    command_interfaces: [position]\n"
    )
    bad = good.replace("\narm_controller:", "\narm_controler:")

    def check(self, ros_files: RosFiles) -> Found:
        """A type without parameters, where others have nearly its name; no joints, if others of the type have some."""
        wanting = [one for one in ros_files.controllers if one.type.endswith("JointTrajectoryController")]
        having = {one.source.file for one in wanting if one.names("joints")}
        wanting = [one for one in wanting if one.source.file in having and not one.names("joints")]
        unused = [one.name for one in ros_files.controllers if not one.type and one.parameters]
        for controller in ros_files.controllers:
            if near := nearly(controller.name, unused) if controller.parameters is None else "":
                message = f"there are no parameters of this name; did you mean {near!r}?"
                yield self.about(message, f"controller {controller.name!r}", controller)
            elif controller in wanting and not (controller.parameters and controller.parameters.get("joints")):
                message = f"the controller has no joints, which its type needs: {controller.type}"
                yield self.about(message, f"controller {controller.name!r}", controller)


class Positions(FileRule):
    """Initial positions are inside the limits of their joints, and where the joints that they follow put them.

    Simulated hardware starts there, and planners refuse to move from there.
    """

    code = "MVT-011"
    thresholds = (ROOM, LEAST, TURN, FOLLOWS)
    clause = "initial positions of joints"
    url = "https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/mock_components_userdoc.html"
    good = "initial_positions:\n  joint_3: 0.5\n"
    bad = "initial_positions:\n  joint_3: 45\n"

    def check(self, robot: Robot, ros_files: RosFiles) -> Found:
        """A position outside of the range of a joint, or of a follower away from that of its leader, by more than
        rounding."""
        values = {name: value.number for name, value in ros_files.positions if value.number is not None}
        for name, value in ros_files.positions:
            joint, found = robot.joints.get(name), value.number
            if joint is None or joint.kind.nv != 1 or found is None:
                continue
            lower, upper = joint.limit.lower, joint.limit.upper
            if not lower - ROOM * max(abs(lower), LEAST) <= found <= upper + ROOM * max(abs(upper), LEAST):
                unit = "; it looks like degrees" if abs(found) > TURN else ""
                between = f"{number(lower, 4)} to {number(upper, 4)}"
                message = f"the initial position {number(found, 4)} is outside of {between}{unit}"
                yield self.about(message, f"joint {name!r}", value)
            elif fault := off_leader(robot, joint, values):
                yield self.about(fault, f"joint {name!r}", value)

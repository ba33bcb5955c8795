"""YAML files beside a robot."""

from dataclasses import replace
from math import cos, radians, sin
from typing import Any

from kinetree.rules.examples import CART
from kinetree.rules.parameters.controllers import TYPES
from rule_cases.case import Cases, Model
from rule_cases.ros2_control import made, system

SRDF = """<robot name="r"><group name="arm"><joint name="a"/><joint name="b"/></group>
<group name="hand"><joint name="b"/></group></robot>"""
PASSIVE = '<passive_joint name="a"/></robot>'
HARDWARE = system(
    '<joint name="a"><command_interface name="position"/><state_interface name="position"/></joint>'
    '<joint name="b"><command_interface name="velocity"/><state_interface name="position"/></joint>'
)


SIDED = made(HARDWARE).replace('"a"', '"right_a"').replace('"b"', '"left_a"')


def case(text: str, says: str = "", count: int | None = None, name: str = "x.yaml", other: str = "") -> Model:
    """A robot with an SRDF, a file, and perhaps another file."""
    files = {name: text} | ({"other.yaml": other} if other else {})
    return Model(made(HARDWARE), srdf=SRDF, files=files, says=says, count=count)


def following(says: str = "", joints: str = "joints: [a, b]", hardware: str = "", **more: Any) -> Model:
    """A controller of b, which follows a."""
    kind = more.pop("type", "joint_trajectory_controller/JointTrajectoryController")
    name, under = more.pop("name", "hand"), more.pop("under", "ros__parameters")
    text = (
        f"{name}: {{ros__parameters: {{type: {kind}, {joints}}}}}\n"
        if under
        else f"{name}: {{type: {kind}, {joints}}}\n"
    )
    own = manager("hand", type=kind) if under and name == "hand" else ""
    return Model(made(hardware, mimic=MIMIC), files={"x.yaml": own + text}, says=says, **more)


def limits(inside: str, joint: str = "a") -> str:
    return f"joint_limits:\n  {joint}: {{{inside}}}\n"


def of_base(name: str, kind: str) -> Model:
    """Limits of a coordinate, with an SRDF that has a virtual joint `spot`."""
    joint = f'<virtual_joint name="spot" type="{kind}" parent_frame="odom" child_link="base"/></robot>'
    return replace(case(limits("max_velocity: 1", name)), srdf=SRDF.replace("</robot>", joint))


def manager(*names: str, type: str = "joint_trajectory_controller/JointTrajectoryController") -> str:
    rows = "".join(f"    {name}: {{type: {type}}}\n" for name in names)
    return f"controller_manager:\n  ros__parameters:\n    update_rate: 100\n{rows}"


def section(inside: str = "joints: [a, b]", name: str = "arm") -> str:
    return f"{name}:\n  ros__parameters: {{{inside}}}\n"


def tips(left: str, right: str = "right_finger_1") -> str:
    return f"sensors:\n  left_tip: {{joint: {left}, frame: tip}}\n  right_tip: {{joint: {right}, frame: tip}}\n"


def simple(listed: str, *blocks: str) -> str:
    rows = "".join(f"  {name}: {{type: FollowJointTrajectory, joints: [a, b]}}\n" for name in blocks)
    return f"moveit_simple_controller_manager:\n  controller_names: [{listed}]\n{rows}"


def listed(joints: str, name: str = "arm") -> str:
    return f"controller_list:\n  - {{name: {name}, type: FollowJointTrajectory, joints: [{joints}]}}\n"


def wheels(inside: str, says: str = "", right: str = "right_wheel_joint", was: str = "", now: str = "") -> Model:
    """A cart, and a controller of its wheels."""
    names = f"left_wheel_names: [left_wheel_joint], right_wheel_names: [{right}]"
    return Model(
        CART.replace(was, now) if was else CART, files={"x.yaml": section(f"{names}, {inside}", "base")}, says=says
    )


def small(text: str, says: str = "") -> Model:
    """The joint a from -1 to 0.01, and a file."""
    return replace(case(text, says), text=made(HARDWARE).replace("upper='2'", "upper='0.01'"))


def boxed(height: float) -> Model:
    """Wheels of boxes of 0.2 m by another height, and a controller that has a wrong radius."""
    wrong = wheels("wheel_radius: 0.2")
    return replace(wrong, text=wrong.text.replace(TYRE, f'<box size="0.2 {height} 0.04"/>'))


def leaning(degrees: float, inside: str, sign: int = 1) -> Model:
    """The axis of the right wheel leans by an angle."""
    axis = f"0 {sign * cos(radians(degrees))!r} {sin(radians(degrees))!r}"
    return wheels(inside, was='right_wheel"/><axis xyz="0 1 0"', now=f'right_wheel"/><axis xyz="{axis}"')


def skidding(separation: float) -> Model:
    """A cart with a third wheel, and a controller with a distance of wheels."""
    more = '<link name="w"/><joint name="rear_wheel" type="continuous"><parent link="base_link"/><child link="w"/>'
    return wheels(f"wheel_separation: {separation}", was="</robot>", now=f"{more}</joint></robot>")


MIMIC = '<mimic joint="a"/>'


def follows(value: float, says: str = "") -> Model:
    """Initial positions of a joint and of one that follows it."""
    return replace(case(f"initial_positions: {{a: 0.5, b: {value}}}", says), text=made(HARDWARE, mimic=MIMIC))


def shared(*names: str, joint: str = "a") -> Model:
    """Controllers with one joint."""
    return case(manager(*names) + "".join(section(f"joints: [{joint}]", name) for name in names))


KEYS = (
    *("command_joints", "controller_joint_names", "dof_names", "extra_joints", "front_wheels_names", "joints"),
    *("left_wheel", "left_wheel_names", "rear_wheels_names", "right_wheel", "right_wheel_names"),
    *("steering_joints_names", "traction_joints_names"),
)
FLAGS = ", ".join(f"has_{one}_limits: true" for one in ("position", "velocity", "acceleration", "jerk", "effort"))
TYRE = '<cylinder radius="0.1" length="0.04"/>'

CASES = {
    "MVT-001": Cases(
        found={
            "a key twice": case("x: {a: 1, a: 2}", "the key 'a' is already on line 1"),
            "no YAML": case("x: [1", "cannot be read"),
            "aliases without end": case(
                "a: &a [x,x,x,x,x,x,x,x]\n"
                + "".join(f"{k}: &{k} [{','.join(8 * [f'*{j}'])}]\n" for j, k in zip("abcde", "bcdef", strict=True)),
                "more than 30000 values",
            ),
        },
        silent={
            "two nodes of one name": case("/**: {a: 1}\n/**: {b: 1}\n"),
            "two documents": case("a: 1\n---\na: 2\n"),
        },
    ),
    "MVT-002": Cases(
        remarked={"in limits of a macro": case("joint_limits:\n  z: {max_position: !degrees 90}\n")},
        found={
            "every list of joints": case(section(", ".join(f"{key}: [z]" for key in (*KEYS, "joint"))), count=13),
            "of a gripper": case("r:\n  hand: {type: position_controllers/GripperActionController, joint: z}\n"),
            "a link in other letters": Model(
                made(HARDWARE),
                files={"x.yaml": section("joints: [a, b], feet: [O, p]")},
                element="controller 'arm'",
                says="'O' differs from 'o' of the robot in capital letters",
                severity="warning",
                count=1,
            ),
            "a joint in other letters": case(section("joints: [A, b]"), "the joint does not exist", count=1),
            "in limits": case(limits("max_velocity: 1", "ab"), "the joint does not exist (in joint_limits)"),
            "of a controller of ROS 2": case(section("joints: [a, z]") + manager("arm"), "controller 'arm'"),
            "of a controller of ROS 1": case(
                "r:\n  arm: {type: effort_controllers/JointPositionController, joint: z}\n"
            ),
            "of MoveIt": case(listed("a, z")),
            "wheels": case(section("left_wheel_names: [z]")),
            "a variable of no virtual joint": case(limits("max_velocity: 1", "spot/x")),
            "one of another type": of_base("spot/theta", "floating"),
            "one that no joint has": of_base("spot/trans_x", "planar"),
            "a coordinate that is none": replace(case(limits("max_velocity: 1", "spot/w")), srdf=None),
            "a variable of a joint that turns": replace(case(limits("max_velocity: 1", "a/x"))),
        },
        silent={
            **{f"planar: {name}": of_base(f"spot/{name}", "planar") for name in ("x", "y", "theta")},
            **{f"floating: {name}": of_base(f"spot/{name}", "floating") for name in ("trans_z", "rot_w")},
            "a virtual joint by its name": of_base("spot", "planar"),
            "a variable without an SRDF": replace(case(limits("max_velocity: 1", "spot/trans_y")), srdf=None),
            "limits of something else": case("other:\n  z: {max_velocity: 1}\n"),
            "no limits": case("joint_limits:\n  z: {colour: red}\n"),
            "another type": case(
                "r:\n  arm: {type: pkg/Thing, joints: [z]}\n  hand: {type: controller, joint_names: [z]}\n"
            ),
            "limits of a macro in radians": Model(
                made(HARDWARE).replace("'a'", "'left_a'").replace('"a"', '"left_a"'),
                files={"x.yaml": "joint_limits:\n  a: {max_position: !radians 1}\n"},
            ),
            "joints": case(section() + limits("max_velocity: 1") + listed("a, b")),
            "a fixed joint": case(section("joints: [c]")),
            "interfaces of other controllers": case(section("joints: [pid/a]")),
            "a name to be made": case(section("joints: ['$(var prefix)a']")),
            "of another name space": case(section("joints: [z]", "/other/arm")),
            "of every name space": case(section("joints: [a]", "/**/arm")),
            "limits of a macro with a prefix": Model(
                made(HARDWARE).replace("'a'", "'left_a'").replace('"a"', '"left_a"'),
                files={"x.yaml": "joint_limits:\n  a: {max_position: !degrees 90}\n"},
            ),
            "initial positions of a macro": case("initial_positions: {z: 1}"),
            "a virtual joint": case(section("type: twist_controller/TwistController, joint: tcp")),
        },
    ),
    "MVT-003": Cases(
        found={
            "a minimum that is a word": case(
                limits("has_position_limits: true, min_position: low, max_position: 1"),
                "the limit of position is 'low'; expected a number",
                count=1,
            ),
            "a maximum that is a word": case(
                limits("has_position_limits: true, min_position: 0, max_position: up"),
                "the limit of position is 'up'",
                count=1,
            ),
            "no number of all": case(
                limits(FLAGS), "has_position_limits is true, but max_position is missing", count=5
            ),
            "hardly the wrong way round": case(
                limits("has_position_limits: yes, min_position: 1.0001, max_position: 1"),
                "min_position 1.0001 is above max_position 1",
            ),
            "no number": case(limits("has_velocity_limits: true"), "max_velocity is missing"),
            "zero": case(limits("has_velocity_limits: true, max_velocity: 0"), "expected a positive number"),
            "a word": case(limits("has_velocity_limits: true, max_velocity: fast"), "expected a number"),
            "the wrong way round": case(
                limits("has_position_limits: yes, min_position: 1, max_position: 0"), "is above"
            ),
            "of any node": Model(
                made(HARDWARE),
                files={"x.yaml": "steering:\n  limits: {min: 3.1415, max: -3.1415}\n"},
                element="key 'min'",
                says="min 3.14 is above max -3.14",
                count=1,
            ),
            "with the words of URDF": case("a: {pan_lower: 0, pan_upper: -2}", "pan_lower 0 is above pan_upper -2"),
            "the word in the middle": case("a: {vel_min_x: 0.1, vel_max_x: -0.9}", count=1),
        },
        silent={
            "a minimum alone": case(limits("has_position_limits: true, min_position: 0")),
            "a maximum that means none": case("a: {min: 0, max: -1}"),
            "in order, or equal": case("a: {min: 0, max: 0, lower: -2, upper: 3, z_min: -.inf, z_max: 0}"),
            "words": case("a: {min: x, max: -2, lower: 3, upper: y}"),
            "in different parts": case("a: {min: 1, b: {max: 0}}"),
            "a number": case(limits("has_velocity_limits: true, max_velocity: 1")),
            "no limit": case(limits("has_acceleration_limits: false, max_acceleration: 0")),
        },
    ),
    "MVT-004": Cases(
        found={
            "with a flag": case(limits("has_velocity_limits: true, max_velocity: 9")),
            "radians that look like degrees": case(
                limits("max_velocity: !radians 172"), "max_velocity is 172; the robot's limit is 3", count=1
            ),
            "hardly more than one percent": case(
                limits("max_velocity: 3.0303"), "max_velocity is 3.03; the robot's limit is 3"
            ),
            "of a small limit": small(
                limits("max_position: 0.01101"), "max_position is 0.01101; the robot's limit is 0.01"
            ),
            "hardly degrees": case(
                limits("max_velocity: 177.15"), "is 177.2; the robot's limit is 3; it looks like degrees"
            ),
            "hardly less like degrees": case(limits("max_velocity: 177.3"), "is 177.3; the robot's limit is 3"),
            "a velocity": case(limits("max_velocity: 3.04"), "max_velocity is 3.04; the robot's limit is 3"),
            "in degrees": case(limits("max_velocity: 172"), "it looks like degrees"),
            "a position": case(limits("min_position: -1.1")),
        },
        silent={
            "of a joint without velocity": replace(
                case(limits("max_velocity: 1")), text=made(HARDWARE).replace("velocity='3'", "velocity='0'")
            ),
            "of no joint": case(limits("max_velocity: 99", "z")),
            "of a fixed joint": case(limits("max_velocity: 99", "c")),
            "no number": case(limits("max_velocity: fast")),
            "hardly one percent": case(limits("max_velocity: 3.0297")),
            "of a small limit": small(limits("max_position: 0.01099")),
            "the limit": case(limits("max_velocity: 3, min_position: -1, max_position: 2, max_effort: 4")),
            "one percent": case(limits("max_velocity: 3.029")),
            "a limit that is off": case(limits("has_velocity_limits: false, max_velocity: 9")),
            "degrees that are said": case(limits("max_velocity: !degrees 90")),
            "an acceleration": case(limits("max_acceleration: 99")),
            "a joint without limits": case(limits("max_position: 99", "b")),
        },
    ),
    "MVT-005": Cases(
        found={
            "an empty solver": case(
                'arm: {kinematics_solver: "", kinematics_solver_timeout: 1}',
                "kinematics_solver is missing; name the plug-in",
            ),
            "no group": case("leg: {kinematics_solver: x/Y}", "the group does not exist"),
            "no solver": case("arm: {kinematics_solver_timeout: 1}", "kinematics_solver is missing"),
            "below parameters": case(
                "/**: {ros__parameters: {robot_description_kinematics: {leg: {kinematics_solver: x}}}}"
            ),
        },
        silent={
            "a group": case("arm: {kinematics_solver: x/Y, kinematics_solver_timeout: 1}"),
            "no groups at all": Model(made(), files={"x.yaml": "leg: {kinematics_solver: x/Y}"}),
        },
    ),
    "MVT-006": Cases(
        found={
            "not described": case(simple("arm, hand", "arm"), "not described"),
            "not listed": case(simple("arm", "arm", "hand"), "is not listed"),
            "not running": case(
                simple("arm", "arm"), "no controller of this name", other=manager("arms") + section(name="arms")
            ),
            "other joints": case(
                simple("arm", "arm"), "different joints: b", other=manager("arm") + section("joints: [a]")
            ),
        },
        silent={
            "of a list": case(listed("a, b")),
            "other joints of a gripper": case(
                simple("arm", "arm").replace("FollowJointTrajectory", "GripperCommand"),
                other=manager("arm") + section("joints: [a]"),
            ),
            "running without joints": case(simple("arm", "arm"), other=manager("arm") + section("rate: 1")),
            "listed and described": case(simple("arm", "arm")),
            "running": case(simple("arm", "arm"), other=manager("arm") + section("joints: [b, a]")),
            "only a broadcaster runs": case(simple("arm", "arm"), other=manager("states")),
            "another list of names": case("walk: {controller_names: [arm]}"),
        },
    ),
    "MVT-007": Cases(
        found={
            "a part of two groups, once": replace(
                case(listed("b"), "no controller of MoveIt moves a", count=1),
                srdf=SRDF.replace("</robot>", '<group name="whole"><joint name="a"/><joint name="b"/></group></robot>'),
            ),
            "a part": case(listed("b"), "no controller of MoveIt moves a"),
        },
        silent={
            "all": case(listed("a, b")),
            "none": case(section()),
            "the group without its hand": case(listed("a")),
            "a joint without a motor": replace(case(listed("b")), srdf=SRDF.replace("</robot>", PASSIVE)),
        },
    ),
    "MVT-008": Cases(
        found={
            "a typing error": case(manager("arm_controller") + section(name="arm_controler"), "did you mean 'arm_con"),
            "without joints, which another has": Model(
                made(HARDWARE),
                files={"x.yaml": manager("arm", "second") + section()},
                element="controller 'second'",
                says="the controller has no joints, which its type needs: joint_trajectory_controller/Joint",
                count=1,
            ),
            "with a type behind a point": case(
                manager("arm") + "    second.type: x/JointTrajectoryController\n" + section(), "has no joints"
            ),
            "with other parameters": case(
                manager("arm", "second") + section() + section("gains: {a: {p: 1.0}}", "second"), "has no joints"
            ),
        },
        silent={
            "of another controller with a type": case(
                manager("arm_controller") + section("type: x/Y, joints: [a]", "arm_controler")
            ),
            "with parameters of its own": case(
                manager("arm_controller") + section(name="arm_controler") + section(name="arm_controller")
            ),
            "its own": case(manager("arm") + section()),
            "in another file": case(manager("arm"), other=section()),
            "nowhere": case(manager("arm")),
            "joints to be made": case(manager("arm", "second") + section() + section('joints: ["${j}"]', "second")),
            "another type": case(
                manager("arm") + section() + "controller_manager: {ros__parameters: {b: {type: x/Y}}}"
            ),
            "joints of another file": case(manager("arm", "second"), other=section(name="arm")),
            "another node": case(manager("arm") + section(name="executor")),
        },
    ),
    "MVT-009": Cases(
        found={
            "by a type for positions": case(
                manager("arm", type="position_controllers/JointGroupPositionController") + section("joints: [b]"),
                "command_interface 'position' for b",
            ),
            "by a type for velocities": case(
                manager("arm", type="velocity_controllers/JointGroupVelocityController") + section("joints: [a]"),
                "command_interface 'velocity' for a",
            ),
            "a command": case(section("joints: [a, b], command_interfaces: [position]"), "'position' for b"),
            "a state": case(
                section("joints: [a], state_interfaces: [position, velocity]"), "state_interface 'velocity'"
            ),
            "by its type": case(manager("arm", type="effort_controllers/JointGroupEffortController") + section()),
            "a slip": case(section("joints: [b], command_interfaces: [velocty]"), "command_interfaces has 'velocty'"),
            "a slip without hardware": Model(
                made(),
                files={"x.yaml": section("joints: [a], command_interfaces: [positon], state_interfaces: [position]")},
                says="command_interfaces has 'positon'; did you mean 'position'?",
                severity="warning",
                count=1,
            ),
            "a slip in the name of one": Model(
                made(), files={"x.yaml": section("joints: [a], interface_name: efort")}, severity="warning"
            ),
            "a slip behind a joint": Model(
                made(), files={"x.yaml": section("state_interfaces: [a/velocty]")}, severity="warning"
            ),
            "a slip deeper": Model(
                made(), files={"x.yaml": section("gains: {state_interfaces: [velocty]}")}, severity="warning"
            ),
            "a forwarded one": case(
                manager("arm", type="forward_command_controller/ForwardCommandController")
                + section("joints: [a], interface_name: effort")
            ),
        },
        silent={
            "of a controller without parameters": case(manager("arm")),
            "the hardware's own": Model(
                made(HARDWARE.replace('"velocity"', '"velocty"')),
                files={"x.yaml": section("joints: [b], command_interfaces: [velocty]")},
            ),
            "something else": case(section("joints: [a], reference_names: [positon]")),
            "a name of another controller": case(
                manager("arm", type="x/Y") + section("joints: [a], interface_name: effort")
            ),
            "offered": case(section("joints: [a], command_interfaces: [position], state_interfaces: [position]")),
            "no hardware": Model(made(), files={"x.yaml": section("joints: [a], command_interfaces: [effort]")}),
            "a joint of no hardware": case(section("joints: [c], command_interfaces: [effort]")),
            "of another name space": case(section("joints: [a], command_interfaces: [effort]", "/other/arm")),
        },
    ),
    "MVT-010": Cases(
        found={
            "twice": case(section("joints: [a, b, a]"), "the joint 'a' is named twice"),
            "left and right": case(section("left_wheel_names: [a], right_wheel_names: [a]")),
            "constraints": case(
                manager("arm") + section("joints: [a], constraints: {goal_time: 1, b: {goal: 1}}"),
                "constraints are set for 'b', not among the joints of the controller",
            ),
            "of MoveIt": case(listed("a, a")),
            "of arm and hand": case(
                manager("arm", "hand") + section("joints: [a, b]") + section("joint: b, joints: [b]", "hand"),
                "the controller 'arm' has 'b' too; keep a joint in one",
                count=1,
            ),
            "of arm and gripper in MoveIt": case(simple("arm, gripper", "arm", "gripper")),
            "of both sides": replace(shared("left", "right", joint="right_a"), text=SIDED, srdf=None, count=2),
            "of the other side": replace(
                case(section("joints: [right_a]", name="left_arm"), "expected 'left_a'"), text=SIDED, srdf=None
            ),
            "a follower": following("the joint 'b' follows 'a' and takes no commands; leave it out"),
            "a follower with a state alone": following(
                hardware=HARDWARE.replace('<command_interface name="velocity"/>', "")
            ),
            "a follower that a hand closes": following(
                type="position_controllers/GripperActionController", joints="joint: b"
            ),
            "of two followers one is named": following(joints="joints: [b, b]", count=2),
        },
        silent={
            "a follower with a command interface": following(hardware=HARDWARE),
            "a follower of ROS 1": following(under=""),
            "a follower that is seen": following(type="joint_state_broadcaster/JointStateBroadcaster"),
            "a follower of another robot": following(name="/other/hand"),
            "a leader": following(joints="joints: [a]"),
            "gains of a controller of another kind": case(
                manager("arm", type="pid_controller/PidController") + section("joints: [a], gains: {b: {p: 1}}")
            ),
            "gains of a controller without joints": case(manager("arm") + section("gains: {b: {p: 1}}")),
            "once": case(section("left_wheel_names: [a], right_wheel_names: [b]")),
            "of its own side": replace(case(section("joints: [right_a]", name="right_arm")), text=SIDED, srdf=None),
            "of one part": shared("arm", "other_arm"),
            "of an arm and all": shared("arm", "whole_body"),
            "of arms and torso": shared("arm_torso", "torso_head"),
            "of both sides, in the middle": shared("left", "right"),
            "of a broadcaster": case(
                manager("arm")
                + section("joints: [a, b]")
                + manager("hand", type="joint_state_broadcaster/JointStateBroadcaster").replace(
                    "controller_", "/x/controller_"
                )
                + section("joints: [b], type: joint_state_broadcaster/JointStateBroadcaster", "hand")
            ),
            "of arm and hand of two robots": case(
                manager("arm") + section("joints: [a]") + section("type: x/Y, joints: [a]", "/other/hand")
            ),
            "its own constraints": case(
                manager("arm") + section("joints: [a], constraints: {goal_time: 1, a: {goal: 1}}")
            ),
        },
    ),
    "MVT-011": Cases(
        found={
            "hardly in degrees": case(
                "initial_positions: {a: 6.35}", "initial position 6.35 is outside of -1 to 2; it looks"
            ),
            "hardly in radians": case(
                "initial_positions: {a: 6.25}", "the initial position 6.25 is outside of -1 to 2"
            ),
            "above": case("initial_positions: {a: 2.1}", "the initial position 2.1 is outside of -1 to 2"),
            "in degrees": case("initial_positions: {a: 90}", "it looks like degrees"),
            "away from its leader": follows(
                0.5203, "the joint 'b' is at 0.52 rad; it follows 'a', which puts it at 0.5"
            ),
            "at the top": case("a: 2.1\nb: 0\n", name="initial_positions.yaml"),
        },
        silent={
            "near its leader": follows(0.5197),
            "a follower alone": replace(case("initial_positions: {b: 1}"), text=made(HARDWARE, mimic=MIMIC)),
            "a word": case("initial_positions: {a: home}"),
            "positions of no joints": case("z: 90\n", name="positions.yaml"),
            "of no joint": case("initial_positions: {z: 9}"),
            "of a fixed joint": case("initial_positions: {c: 9}"),
            "the limit": case("initial_positions: {a: 2.01}"),
            "a joint without limits": case("initial_positions: {b: 90}"),
            "numbers of something else": case("a: 90\nb: 0\n", name="velocities.yaml"),
        },
    ),
    "MVT-013": Cases(
        found={
            "no type": case(manager() + section(), "the controller has no type"),
            "of wheels": case(manager("other") + section("left_wheel_names: [a]", "base"), count=1),
            "a slip in the class": case(
                manager("arm", type="joint_trajectory_controller/JointTrajectoryControler") + section(),
                "did you mean 'joint_trajectory_controller/JointTrajectoryController'?",
                count=1,
            ),
            "a slip in the package": case(
                manager("arm", type="joint_trajectry_controller/JointTrajectoryController"), "'joint_trajectory_contr"
            ),
        },
        silent={
            "a type": case(manager("arm") + section()),
            "a type of its own": case(manager() + section("joints: [a], type: a/B")),
            "another class of a package": case(manager("arm", type="joint_trajectory_controller/Scaled")),
            "every known type": case(
                "".join(
                    manager(f"c{i}", type=t)
                    for i, t in enumerate(f"{package}/{name}" for package, names in TYPES.items() for name in names)
                ).replace("\ncontr", "\n---\ncontr")
            ),
            "in another file": case(section(), other=manager("arm")),
            "types may be elsewhere": case(section()),
            "no controller": case(manager() + section("rate: 3", "node")),
            "a type with a point": case(manager() + "    arm.type: a/B\n" + section()),
            "a type in another name space": case(
                manager() + "/**/arm: {ros__parameters: {type: a/B}}\n/one/arm: {ros__parameters: {joints: [a, b]}}\n"
            ),
        },
    ),
    "MVT-015": Cases(
        found={
            "no side": case(tips("finger_1"), "joint is 'finger_1'; expected 'left_finger_1', as the other side has"),
            "the other side": case(tips("right_finger_1"), "joint is 'right_finger_1'; expected 'left_finger_1'"),
            "of the right": case(tips("l_finger", "finger"), "joint is 'finger'; expected 'r_finger'", count=1),
            "keys by side": case("left_arm: {left_end: right_a}\nright_arm: {right_end: right_a}\n", count=1),
            "a value by side": case("left_joint: right_a\nright_joint: right_a\n", "left_joint is 'right_a'"),
        },
        silent={
            "each its own": case(tips("left_finger_1")),
            "a file of both": case("left_clav: {file: right.dae}\nright_clav: {file: right.dae}\n"),
            "another name": case(tips("thumb")),
            "none of both": case(tips("finger", "finger")),
            "exchanged": case(tips("right_finger", "left_finger")),
            "no other side": case("left_tip: {joint: right_finger}\n"),
            "lists": case("left_tip: {joints: [right_a]}\nright_tip: {joints: [right_a]}\n"),
        },
    ),
    "MVT-014": Cases(
        found={
            "a whole number": case(
                section("wheel_radius: 1"), "wheel_radius is 1; expected a number with a point: 1.0"
            ),
            "a text": case(section('wheel_radius: "0.1"'), "wheel_radius is '0.1'; expected a number with a point"),
            "a name": case(section("joints: a"), "joints is 'a'; expected a list of names"),
            "a list": case(section("robot_base_frame: [a]"), "robot_base_frame is a list of names; expected a text"),
            "a number for a truth": case(section("open_loop: 0"), "open_loop is 0; expected true or false"),
            "a truth in quotes": case(section('open_loop: "true"')),
            "a rate with a point": case(
                "controller_manager: {ros__parameters: {update_rate: 100.0}}", "a whole number"
            ),
            "of a trajectory": case(manager("arm") + section("joints: [a], gains: {a: {p: 100}}"), "p is 100"),
            "in a costmap": case("x: {y: {ros__parameters: {inflation_radius: 1}}}", "expected a number with a point"),
            "below": case(section("layer: {inflation_radius: -3}"), "is -3; expected"),
        },
        silent={
            "right types": case(
                section("wheel_radius: 0.1, joints: [a], open_loop: yes, robot_base_frame: base, cmd_vel_timeout: 1e-3")
            ),
            "without end": case(section("cmd_vel_timeout: -.inf, wheel_radius: .NaN")),
            "of ROS 1": case("arm: {type: a/B, wheel_radius: 1, joints: a}"),
            "a text that is made": case(section("wheel_radius: $(var r), joints: '<joints>'")),
            "settings of joints": case(section("joints: {a: {x: 1}}")),
            "of another controller": case(section("type: x/Gains, p: 100, state_publish_rate: 25")),
            "a whole rate": case("controller_manager: {ros__parameters: {update_rate: 100}}"),
            "a rate of others": case(section("update_rate: 10.0")),
        },
    ),
    "MVT-012": Cases(
        found={
            "exchanged": replace(
                wheels(
                    "rate: 1",
                    "'left_wheel_joint' is on the right of 'right_wheel_joint'; exchange them, or turn their axes",
                ),
                text=CART.replace("0 0.2 0", "X").replace("0 -0.2 0", "0 0.2 0").replace("X", "0 -0.2 0"),
            ),
            "wheels that skid, even so": skidding(1.21),
            "nearly one place": wheels(
                "wheel_separation: 0.4",
                "at the same place; expected them 0.4 m apart",
                was="0 -0.2 0",
                now="0 0.19901 0",
            ),
            "nearly opposite axes": replace(leaning(25.6, "rate: 1", -1), says="turn about opposite axes"),
            "hardly one place": wheels(
                "wheel_separation: 0.4", "the wheels are 0.00101 m apart", was="0 -0.2 0", now="0 0.19899 0"
            ),
            "nearly round": boxed(0.220832),
            "an axis nearly along y": leaning(8.0, "wheel_radius: 0.2"),
            "too near": wheels("wheel_separation: 0.26", "wheel_separation is 0.26 m, but the wheels are 0.4 m apart"),
            "too far": wheels("wheel_separation: 0.61"),
            "too small": wheels("wheel_radius: 0.066", "the radius of the wheels is 0.1 m"),
            "a diameter": wheels("wheel_radius: 0.2"),
            "opposite axes": wheels(
                "rate: 1",
                "turn about opposite axes",
                was='right_wheel"/><axis xyz="0 1',
                now='right_wheel"/><axis xyz="0 -1',
            ),
            "a fixed joint": wheels(
                "rate: 1",
                "is fixed",
                was='"right_wheel_joint" type="continuous"',
                now='"right_wheel_joint" type="fixed"',
            ),
            "one place": wheels("wheel_separation: 0.4", "are at the same place", was="0 -0.2 0", now="0 0.2 0"),
        },
        silent={
            "of another name space": Model(
                CART,
                files={
                    "x.yaml": section(
                        "left_wheel_names: [left_wheel_joint], right_wheel_names: [right_wheel_joint], wheel_radius: 9",
                        "/other/base",
                    )
                },
            ),
            "wheels that skid": skidding(1.19),
            "axes that are less opposite": leaning(26.1, "rate: 1", -1),
            "not round": boxed(0.221274),
            "an axis less along y": leaning(8.2, "wheel_radius: 0.2"),
            "about so far": wheels("wheel_separation: 0.59"),
            "about so near": wheels("wheel_separation: 0.27"),
            "about so large": wheels("wheel_radius: 0.14"),
            "not given": wheels("wheel_separation: 0"),
            "other wheels": wheels("wheel_separation: 4", right="other"),
        },
    ),
}

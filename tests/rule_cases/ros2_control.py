"""Components of ros2_control and transmissions."""

from collections.abc import Iterable

from rule_cases.builders import joint, limit, link, robot
from rule_cases.case import Cases, Model

PLUGIN = "<hardware><plugin>mock</plugin></hardware>"
COMMAND = '<command_interface name="position"/>'
STATE = '<state_interface name="position"/>'


def made(*blocks: str, mimic: str = "") -> str:
    """The joint a from -1 to 2, 3/s, 4; b, which may mimic it; a fixed joint c; and blocks."""
    parts = [link(name) for name in "opqr"]
    parts.append(joint("a", "o", "p", limit(-1, 2, 3, 4), kind="revolute"))
    parts += [joint("b", "p", "q", mimic, kind="continuous"), joint("c", "q", "r")]
    return robot(*parts, *blocks)


def system(inside: str, name: str = "s", kind: str = "system", hardware: str = PLUGIN) -> str:
    return f'<ros2_control name="{name}" type="{kind}">{hardware}{inside}</ros2_control>'


def driven(inside: str = COMMAND + STATE, name: str = "a", more: str = "") -> str:
    return f'<joint name="{name}"{more}>{inside}</joint>'


def ranged(low: object, high: object, interface: str = "position") -> str:
    params = f'<param name="min">{low}</param><param name="max">{high}</param>'
    return made(system(driven(f'<command_interface name="{interface}">{params}</command_interface>{STATE}')))


def starting(value: object, interface: str = "position", name: str = "a") -> str:
    param = f'<param name="initial_value">{value}</param>'
    return made(system(driven(f'<state_interface name="{interface}">{param}</state_interface>', name)))


TWICE = f"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="o"/>
  <xacro:macro name="m">{system("")}</xacro:macro>
  <xacro:m/>
  <xacro:m/></robot>"""


def transmission(joint: str, actuator: str = "", kind: str = "SimpleTransmission", reduction: str = "1") -> str:
    interface = f"<hardwareInterface>{joint}</hardwareInterface>"
    other = f"<hardwareInterface>{actuator}</hardwareInterface>" if actuator else ""
    return made(
        f'<transmission name="t"><type>transmission_interface/{kind}</type><joint name="a">{interface}</joint>'
        f'<actuator name="m">{other}<mechanicalReduction>{reduction}</mechanicalReduction></actuator></transmission>'
    )


TYPE, MOTOR = "<type>transmission_interface/SimpleTransmission</type>", '<actuator name="m"/>'
EFFORT = "<hardwareInterface>EffortJointInterface</hardwareInterface>"
DRIVE = f'<transmission name="{{}}">{TYPE}<joint name="b">{{}}</joint>{MOTOR}</transmission>'


def simulated(hardware: str, *files: str) -> str:
    """Hardware of a simulator, and plug-ins of Gazebo."""
    plugins = "".join(f'<gazebo><plugin filename="{file}" name="p"/></gazebo>' for file in files)
    return made(system("", hardware=f"<hardware><plugin>{hardware}</plugin></hardware>"), plugins)


NEW = "gz_ros2_control-system"
FOLLOWS = '<mimic joint="a" multiplier="2"/>'
SAID = '<param name="mimic">a</param><param name="multiplier">{}</param>'


def named(tag: str, names: Iterable[str]) -> str:
    """Transmissions with a name in an element each."""
    kind, drives = "<type>transmission_interface/SimpleTransmission</type>", ""
    effort = "<hardwareInterface>EffortJointInterface</hardwareInterface>"
    for name in names:
        text = f"<{tag}>{name}</{tag}>"
        inside = f"<joint name='b'>{text if tag == 'hardwareInterface' else effort}</joint><actuator name='m'/>"
        inside += text if tag != "hardwareInterface" else ""
        drives += f'<transmission name="{name}">{kind if tag != "type" else ""}{inside}</transmission>'
    return made(drives)


HARDWARE = (
    *("JointStateInterface", "ActuatorStateInterface", "PositionJointInterface", "VelocityJointInterface"),
    *("EffortJointInterface", "PosVelJointInterface", "PosVelAccJointInterface"),
)
KINDS = tuple(f"transmission_interface/{name}Transmission" for name in ("Simple", "Differential", "FourBarLinkage"))
ALL = ("position", "velocity", "acceleration", "effort")

CASES = {
    "CTL-001": Cases(
        found={
            "twice in one": Model(made(system(driven() + driven(STATE))), says="listed twice"),
            "in two": Model(
                made(system(driven()), system(driven(), "t")), says="'position' already belongs to ros2_control 's'"
            ),
            "once for each joint": Model(made(system(driven() + driven())), count=1),
        },
        silent={
            "two interfaces in two": made(
                system(driven()), system(driven('<command_interface name="effort"/>' + STATE), "t")
            ),
            "states in two": made(system(driven(STATE)), system(driven(STATE), "t")),
            "two joints": made(system(driven() + driven(name="b"))),
        },
    ),
    "CTL-002": Cases(
        found={
            "all in capitals": Model(
                made(system(driven(COMMAND + "".join(STATE.replace("position", one.upper()) for one in ALL)))), count=4
            ),
            "two letters left out": Model(
                made(system(driven(COMMAND + STATE.replace("position", "acclertion")))),
                says="did you mean 'acceleration'",
            ),
            "letters swapped": Model(
                made(system(driven(COMMAND.replace("position", "posiiton") + STATE))), says="did you mean 'position'"
            ),
            "a capital": made(system(driven(COMMAND.replace("position", "Position") + STATE))),
            "of a state": made(system(driven(COMMAND + STATE.replace("position", "velocty")))),
        },
        silent={
            "of another controller": made(system(driven(STATE.replace("position", "x/position")))),
            "two letters left out of a short word": made(system(driven(COMMAND + STATE.replace("position", "posion")))),
            "three letters more": made(system(driven(COMMAND + STATE.replace("position", "accelerationxyz")))),
            "the common ones": made(
                system(
                    driven("".join(STATE.replace("position", one) for one in ("velocity", "effort", "acceleration")))
                )
            ),
            "one of the hardware's own": made(system(driven(STATE.replace("position", "temperature")))),
            "one with a number": made(system(driven(STATE.replace("position", "position_demand")))),
            "of a gpio": made(system('<gpio name="g"><state_interface name="positoin"/></gpio>')),
        },
    ),
    "CTL-003": Cases(
        found={"commands alone": made(system(driven(COMMAND)))},
        silent={
            "neither": made(system(driven(""))),
            "both": made(system(driven())),
            "a state alone": made(system(driven(STATE))),
            "a state in another component": made(system(driven(COMMAND)), system(driven(STATE), "t", "sensor")),
        },
    ),
    "CTL-004": Cases(
        found={
            "a minimum alone": Model(
                made(
                    system(
                        driven(
                            '<command_interface name="position"><param name="min">-2</param></command_interface>'
                            + STATE
                        )
                    )
                ),
                says="'position' has min -2, outside of the joint's limits -1 to 2",
            ),
            "a maximum alone": Model(
                made(
                    system(
                        driven(
                            '<command_interface name="position"><param name="max">3</param></command_interface>' + STATE
                        )
                    )
                ),
                says="'position' has max 3, outside",
            ),
            "hardly above": Model(ranged(-1, 2.00202), says="has max 2.002, outside of the joint's limits -1 to 2"),
            "below": Model(ranged(-1.1, 2), says="'position' has min -1.1, outside of the joint's limits -1 to 2"),
            "both": Model(ranged(-2, 3), says="min -2 and max 3", count=1),
            "a velocity": ranged(-3.1, 3, "velocity"),
            "an effort": ranged(-4, 4.1, "effort"),
            "the wrong way round": Model(ranged(1, 0), says="min of 'position' is 1, above its max 0"),
            "hardly the wrong way round": Model(ranged(1.0001, 1), says="min of 'position' is 1.0001, above its max 1"),
            "no number": Model(ranged("${-pi}", 0), says="expected a number"),
        },
        silent={
            "another parameter": made(
                system(
                    driven(
                        '<command_interface name="position"><param name="gain">x</param></command_interface>' + STATE
                    )
                )
            ),
            "of a joint that does not exist": ranged(-9, 9).replace(
                '<ros2_control name="s" type="system"><hardware><plugin>mock</plugin></hardware><joint name="a">',
                '<ros2_control name="s" type="system"><hardware><plugin>mock</plugin></hardware><joint name="z">',
            ),
            "of a joint without limits": ranged(-9, 9).replace(
                '</hardware><joint name="a">', '</hardware><joint name="b">'
            ),
            "hardly rounded": ranged(-1, 2.00198),
            "the limits": ranged(-1, 2),
            "rounded": ranged(-1.0005, 2.001),
            "a velocity": ranged(-3, 3, "velocity"),
            "another interface": ranged(-9, 9, "torque"),
        },
    ),
    "CTL-005": Cases(
        found={
            "hardly above": Model(starting(2.00202), says="starts at 2.002, outside of its limits -1 to 2"),
            "above": Model(starting(2.1), says="starts at 2.1, outside of its limits -1 to 2"),
            "no number": starting("x"),
        },
        silent={
            "of a joint that does not exist": starting(9, name="z"),
            "another parameter": starting("x").replace("initial_value", "unit"),
            "the limit": starting(2),
            "hardly rounded": starting(2.00198),
            "rounded": starting(2.001),
            "a velocity": starting(9, "velocity"),
            "a joint without limits": starting(9, name="b"),
        },
    ),
    "CTL-006": Cases(
        found={
            "of a fixed joint": Model(
                made(system(driven('<param name="mimic">a</param>', "c"))), says="has no <mimic>"
            ),
            "another joint": Model(
                made(
                    system(driven('<param name="mimic">c</param><param name="multiplier">2</param>' + STATE, "b")),
                    mimic=FOLLOWS,
                ),
                says="the joint mimics 'c' times 2 here, and 'a' times 2",
            ),
            "a multiplier left out": Model(
                made(system(driven('<param name="mimic">a</param>' + STATE, "b")), mimic=FOLLOWS),
                says="'a' times 1 here, and 'a' times 2",
            ),
            "a multiplier with fewer digits": Model(
                made(system(driven(SAID.format(1.23) + STATE, "b")), mimic=FOLLOWS.replace('"2"', '"1.2345"')),
                says="'a' times 1.23 here, and 'a' times 1.2345 in its <joint>",
            ),
            "hardly another multiplier": made(system(driven(SAID.format(2.00202) + STATE, "b")), mimic=FOLLOWS),
            "commands": Model(
                made(system(driven(name="b")), mimic=FOLLOWS), says="mimics 'a' and has a command_interface"
            ),
            "another multiplier": Model(
                made(system(driven(SAID.format(-2) + STATE, "b")), mimic=FOLLOWS),
                says="'a' times -2 here, and 'a' times 2",
            ),
            "no mimic": Model(made(system(driven(name="b", more=' mimic="true"'))), says="has no <mimic>"),
        },
        silent={
            "of a joint that does not exist": made(system(driven(STATE, "z", ' mimic="true"'))),
            "a fixed joint": made(system(driven(STATE, "c"))),
            "a parameter of a joint that moves by itself": made(
                system(driven('<param name="mimic">a</param>' + STATE, "b"))
            ),
            "a multiplier of one, left out": made(
                system(driven('<param name="mimic">a</param>' + STATE, "b")), mimic='<mimic joint="a"/>'
            ),
            "no number for a multiplier that is not given": made(system(driven(STATE, "b")), mimic=FOLLOWS),
            "a rounded multiplier": made(system(driven(SAID.format(2.00198) + STATE, "b")), mimic=FOLLOWS),
            "states alone": made(system(driven(STATE, "b")), mimic=FOLLOWS),
            "commands in spite of it": made(system(driven(name="b", more=' mimic="false"')), mimic=FOLLOWS),
            "the same": made(system(driven(SAID.format("2.0") + STATE, "b")), mimic=FOLLOWS),
            "no follower": made(system(driven(name="b"))),
        },
    ),
    "CTL-007": Cases(
        found={"commands": Model(made(system(driven(name="c"))), says="is fixed")},
        silent={
            "a joint that does not exist": made(system(driven(name="z"))),
            "states": made(system(driven(STATE, "c"))),
            "a joint that moves": made(system(driven())),
        },
    ),
    "CTL-008": Cases(
        found={
            "no hardware": Model(made(system("", hardware="")), says="no <hardware><plugin>"),
            "an empty plug-in": made(system("", hardware="<hardware><plugin/></hardware>")),
            "an unknown type": Model(made(system("", kind="robot")), says="the type is 'robot'"),
            "two joints of an actuator": made(system(driven() + driven(name="b"), kind="actuator")),
            "commands of a sensor": made(system(driven(), kind="sensor")),
            "one name": Model(made(system(""), system("")), says="already a ros2_control of this name on line 1"),
            "a macro called twice": Model(TWICE, format="xacro", says="of this name from the same line"),
        },
        silent={
            "two actuators": made(system(driven(), kind="actuator"), system(driven(name="b"), "t", "actuator")),
            "a system": made(system(driven() + driven(name="b"))),
            "an actuator": made(system(driven(), kind="actuator")),
            "a sensor": made(system(driven(STATE), kind="sensor")),
            "two": made(system(""), system("", "t")),
        },
    ),
    "CTL-011": Cases(
        found={
            "old hardware, with the plug-in of Ignition": simulated(
                "gazebo_ros2_control/GazeboSystem", "libign_ros2_control-system.so"
            ),
            "old hardware": Model(
                simulated("gazebo_ros2_control/GazeboSystem", NEW), says="'gz_ros2_control-system' cannot"
            ),
            "new hardware": simulated("ign_ros2_control/IgnitionSystem", "libgazebo_ros2_control.so"),
        },
        silent={
            "no hardware": made(system("", hardware=""), f'<gazebo><plugin filename="{NEW}" name="p"/></gazebo>'),
            "both old": simulated("gazebo_ros2_control/GazeboSystem", "libgazebo_ros2_control.so"),
            "both new": simulated("ign_ros2_control/IgnitionSystem", NEW),
            "two plug-ins": simulated("gazebo_ros2_control/GazeboSystem", "libgazebo_ros2_control.so", NEW),
            "a mock": simulated("mock_components/GenericSystem", NEW),
            "no plug-in": simulated("gz_ros2_control/GazeboSimSystem"),
        },
    ),
    "CTL-009": Cases(
        found={
            "every interface, in small letters": Model(
                named("hardwareInterface", [name.lower() for name in HARDWARE]),
                count=7,
                says="did you mean 'JointStateInterface'?",
            ),
            "every type, in small letters": Model(
                named("type", [name.lower() for name in KINDS]),
                count=3,
                says="did you mean 'transmission_interface/SimpleTransmission'?",
            ),
            "an interface": Model(
                transmission("hardware_interface/EffortJoinInterface"), says="'EffortJointInterface'"
            ),
            "a type": transmission("EffortJointInterface", kind="SimpelTransmission"),
            "two that differ": Model(
                transmission("EffortJointInterface", "hardware_interface/PositionJointInterface"),
                says="the actuator Pos",
            ),
            "of the actuator alone": Model(
                transmission("", "EffortJointInterface"), says="'a' stands in the <actuator>"
            ),
            "none, beside another": Model(
                transmission("EffortJointInterface").replace(
                    "</robot>",
                    DRIVE.format("u", "") + "</robot>",
                ),
                says="'b' is missing",
            ),
            "none of two": Model(
                transmission("").replace("</robot>", f"{DRIVE.format('u', '')}</robot>"),
                says="joint 'a' is missing",
                count=1,
            ),
            "no type": Model(made(DRIVE.format("t", EFFORT).replace(TYPE, "")), says="has no <type>"),
            "an empty type": Model(made(DRIVE.format("t", EFFORT).replace(TYPE, "<type/>")), says="has no <type>"),
            "no actuator": Model(made(DRIVE.format("t", EFFORT).replace(MOTOR, "")), says="has no <actuator>"),
            "no joint, no actuator": Model(
                made(f'<transmission name="t">{TYPE}</transmission>'), says="has no <joint> and no <actuator>", count=1
            ),
            "no type of ros2_control": Model(
                made(system(""), DRIVE.format("t", "").replace(TYPE, "")), says="has no <type>", count=1
            ),
        },
        silent={
            "of ros2_control, which has no interfaces": made(system(""), DRIVE.format("t", "")),
            "of the PR2": made('<transmission name="t" type="pr2/Wrist"><rightActuator name="m"/></transmission>'),
            "of the PR2, with a joint": made(
                '<transmission name="t" type="pr2/Simple"><joint name="a"/></transmission>'
            ),
            "a word of another element": made(
                "<transmission name='t'><type>x/Y</type><actuator name='m'/>"
                "<note>transmission_interface/SimpelTransmission</note><joint name='a'>"
                "<hardwareInterface>EffortJointInterface</hardwareInterface></joint></transmission>"
            ),
            "none, with a plug-in of ros2_control": transmission("EffortJointInterface").replace(
                "</robot>",
                "<transmission name='u'><plugin>x/Y</plugin><joint name='b'/><actuator name='n'/>"
                "</transmission></robot>",
            ),
            "every interface": named("hardwareInterface", HARDWARE),
            "every type": named("type", KINDS),
            "with and without package": transmission("EffortJointInterface", "hardware_interface/EffortJointInterface"),
            "an interface of one's own": transmission("my_hardware/PressureInterface"),
            "another type": transmission("EffortJointInterface", kind="HalfDifferentialTransmission"),
        },
    ),
    "CTL-010": Cases(
        found={
            "in ros2_control": made(
                system("<transmission name='t'><mechanical_reduction>0</mechanical_reduction></transmission>")
            ),
            "zero": transmission("EffortJointInterface", reduction="0"),
            "a word": transmission("x", reduction="n"),
        },
        silent={
            "inside of what is not ros2_control": made(
                "<gazebo><transmission name='t'><mechanicalReduction>0</mechanicalReduction></transmission></gazebo>"
            ),
            "negative": transmission("EffortJointInterface", reduction="-100"),
        },
    ),
}

"""The tree, and blocks of other tools."""

from rule_cases.builders import inertial, joint, link, pair, robot
from rule_cases.case import Cases, Model

HEAVY = inertial(2, 1, 1, 1)
BODY = f"<link name='a'>{HEAVY}</link>"
IN_SDF = "<inertial><mass>2</mass></inertial>"


def with_block(block: str) -> str:
    """A robot with the links a and b, the joint drive, and a block."""
    return robot(link("a"), link("b"), joint("drive", "a", "b", kind="continuous"), block)


def transmission(*joints: str) -> str:
    return f'<transmission name="t">{"".join(f"<joint name={name!r}/>" for name in joints)}</transmission>'


def control(inside: str) -> str:
    return f'<ros2_control name="c" type="system">{inside}</ros2_control>'


def plugin(inside: str) -> str:
    return f'<gazebo><plugin name="p" filename="p.so">{inside}</plugin></gazebo>'


def sdf(plugin: str, outside: str = "") -> str:
    revolute = '<joint name="drive" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>'
    model = f'<model name="m"><link name="a"/><link name="b"/>{revolute}</joint>{plugin}</model>'
    return f'<sdf version="1.9"><world name="w">{model}{outside}</world></sdf>'


IN_MODEL = '<plugin name="p" filename="p.so"><joint_name>{}</joint_name></plugin>'
TAGS = ("joint_name", "jointName", "left_joint", "right_joint", "leftJoint", "rightJoint", "mimicJoint")

FORCE = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="drive" type="fixed"><parent link="a"/>'
    '<child link="b"/></joint><gazebo><plugin name="p" filename="libgazebo_ros_ft_sensor.so">'
    "<jointName>drive</jointName></plugin></gazebo></robot>"
)
PRESERVED = '<gazebo reference="{}"><preserveFixedJoint>true</preserveFixedJoint></gazebo></robot>'

CASES = {
    "TRE-001": Cases(
        found={
            "a root of ten grams and a bit, and no inertia": Model(
                robot(link("a", inertial("0.0101", 0, 0, 0))), says="a mass of 0.0101 kg"
            ),
            "a root of less than ten grams, and no inertia": Model(
                robot(link("a", inertial("0.0099", 0, 0, 0))), says="a mass of 0.0099 kg"
            ),
            "a root of two kilograms": Model(robot(BODY), says="mass of 2 kg", element="link 'a'"),
            "a root of a milligram": robot(link("a", inertial("1e-6", 1, 1, 1))),
        },
        silent={
            "a root with a mass of zero": robot(link("a", inertial(0, 1, 1, 1))),
            "a root without an inertial": robot(link("a")),
            "another link with a mass": pair(HEAVY),
            "a root of SDF": Model(
                f'<sdf version="1.9"><model name="m"><link name="a">{IN_SDF}</link></model></sdf>', format="sdf"
            ),
        },
    ),
    "XML-001": Cases(
        found={
            "neither link nor joint": Model(
                with_block('<gazebo reference="c"/>'), says="the reference 'c' is neither a link nor a joint"
            ),
            "two of them, of which the first gets a hint": Model(
                with_block('<gazebo reference="driv"/><gazebo reference="driva"/>'),
                count=2,
                says="did you mean 'drive'",
            ),
            "a link of a block of Gazebo": Model(
                with_block('<gazebo><link name="c"/></gazebo><gazebo reference="c"/>'),
                says="'c' is made inside of <gazebo>, where settings by reference do not reach it",
            ),
        },
        silent={
            "a link of a branch that is not taken": Model(
                '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/>'
                '<xacro:if value="0"><link name="b"/></xacro:if><gazebo reference="b"/></robot>',
                format="xacro",
            ),
            "a link": with_block('<gazebo reference="b"/>'),
            "a joint": with_block('<gazebo reference="drive"/>'),
            "no reference": with_block("<gazebo/>"),
            "an empty reference": with_block('<gazebo reference=""/>'),
            "a reference in another block": with_block('<transmission name="t" reference="c"/>'),
        },
    ),
    "XML-002": Cases(
        found={
            "no joint": Model(with_block(transmission("c")), says="the joint 'c' does not exist"),
            "a link": with_block(transmission("b")),
            "the second of two": Model(with_block(transmission("drive", "c")), says="'c'"),
            "two": Model(with_block(transmission("c", "d")), count=2),
        },
        silent={
            "a joint": with_block(transmission("drive")),
            "no joint at all": with_block(transmission()),
            "in a block of ros2_control": with_block(control(transmission("c"))),
            "an actuator": with_block('<transmission name="t"><actuator name="c"/></transmission>'),
        },
    ),
    "XML-003": Cases(
        found={
            "no joint": Model(with_block(control('<joint name="c"/>')), says="the joint 'c' does not exist"),
            "in its transmission": with_block(control(transmission("c"))),
            "one that it mimics": with_block(control('<joint name="drive"><param name="mimic"> c </param></joint>')),
        },
        silent={
            "a joint": with_block(control('<joint name="drive"/>')),
            "in its transmission, one that is there": with_block(control(transmission("drive"))),
            "one that it mimics and that is there": with_block(
                control('<joint name="drive"><param name="mimic"> drive </param></joint>')
            ),
            "another parameter": with_block(control('<joint name="drive"><param name="min">c</param></joint>')),
            "a sensor": with_block(control('<sensor name="c"/>')),
            "in another block": with_block(transmission("c")),
        },
    ),
    "XML-004": Cases(
        found={
            **{
                f"in <{tag}>": Model(
                    with_block(plugin(f"<{tag}>c</{tag}>")), says=f"the joint 'c' in <{tag}> does not exist"
                )
                for tag in TAGS
            },
            "two of three": Model(with_block(plugin("<joint_name>c drive d</joint_name>")), count=2),
            "in another model": with_block(plugin("<joint_name>other::c</joint_name>")),
            "in a model of SDF": Model(sdf(IN_MODEL.format("c")), format="sdf"),
            "a force sensor at a fixed joint": Model(
                FORCE, says="the joint 'drive' is fixed, and Gazebo removes it; set preserveFixedJoint for it", count=1
            ),
            "of the new Gazebo": FORCE.replace("gazebo_ros_ft_sensor", "gz-sim-forcetorque-system"),
            "another joint preserved": FORCE.replace("</robot>", PRESERVED.format("other")),
        },
        silent={
            "a joint": with_block(plugin("<joint_name>drive</joint_name>")),
            "a joint of a model": with_block(plugin("<joint_name>model::drive</joint_name>")),
            "another element": with_block(plugin("<joint>c</joint>")),
            "nothing": with_block(plugin("<joint_name/>")),
            "a force sensor at a joint that moves": FORCE.replace('"fixed"', '"continuous"'),
            "another plug-in at a fixed joint": FORCE.replace("ft_sensor", "joint_state"),
            "a fixed joint that is preserved": FORCE.replace("</robot>", PRESERVED.format("drive")),
            "another element of the sensor": FORCE.replace("jointName", "bodyName"),
            "in a block that is not Gazebo's": with_block(control("<joint_name>c</joint_name>")),
            "a joint in a model of SDF": Model(sdf(IN_MODEL.format("m::drive")), format="sdf"),
            "beside the model of SDF": Model(sdf("", IN_MODEL.format("c")), format="sdf"),
        },
    ),
}

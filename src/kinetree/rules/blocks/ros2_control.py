"""Rules about the hardware of ros2_control and about transmissions: joints, interfaces and limits."""

from math import inf, isclose
from typing import NamedTuple

from kinetree.model.robot import UNLIMITED, Joint, Robot
from kinetree.rules.blocks.gazebo import on_line, repeated
from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly, number_of
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Threshold, fact, number, numbers
from kinetree.rules.structure import Block

COMPONENTS = "https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/hardware_components_userdoc.html"
INTERFACE_TYPES = (
    "https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/hardware_interface_types_userdoc.html"
)
SAME = Threshold(1e-3, "", "largest relative difference of two multipliers that are the same")
ROUNDED = Threshold(1e-3, "", "largest excess over a limit, as a part of the larger limit, at least of 1 rad or m")
INTERFACES = ("position", "velocity", "acceleration", "effort")
"""The interfaces that controllers ask of joints; hardware may have others."""
BLOCK = """\
  <ros2_control name="arm" type="system">
    <hardware><plugin>mock_components/GenericSystem</plugin></hardware>
    <joint name="joint_3">
      <command_interface name="position"><param name="min">-3</param><param name="max">1.2</param></command_interface>
      <state_interface name="position"><param name="initial_value">0.5</param></state_interface>
      <state_interface name="velocity"/>
    </joint>
  </ros2_control>"""


class ComponentJoint(NamedTuple):
    """A joint in a component of ros2_control, and that joint of the robot if it exists."""

    component: Element
    element: Element
    joint: Joint | None

    @property
    def name(self) -> str:
        """Its name as written."""
        return self.element.get("name") or ""

    def interfaces(self, kind: str) -> list[Element]:
        """Return its elements of "command_interface" or "state_interface"."""
        return self.element.find_all(kind)


class ControlRule(Quality):
    """A rule about ros2_control."""

    base = with_blocks(BLOCK)
    url = COMPONENTS


class OneComponent(ControlRule):
    """Each command interface of a joint belongs to one component of ros2_control.

    The controller manager refuses a second component that offers the same interface, or a joint twice in one.
    """

    code = "CTL-001"
    level = "MUST"
    clause = "the names of interfaces are unique"
    good = """    </joint>\n  </ros2_control>"""
    bad = """    </joint>\n    <joint name="joint_3"><state_interface name="effort"/></joint>\n  </ros2_control>"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A joint twice in a component, or a command interface of two, once for a joint."""
        found = set()
        for first, later in repeated(driven, lambda one: (one.component.start, one.name)):
            found.add(later.name)
            message = f"the joint is listed twice in this component, first{on_line(first.element, later.element)}"
            yield self.finding(message, later.element)
        commands = [(one, part.get("name")) for one in driven for part in one.interfaces("command_interface")]
        for (first, _), (later, interface) in repeated(commands, lambda pair: (pair[0].name, pair[1])):
            if later.name not in found:
                found.add(later.name)
                owner = first.component.get("name")
                line = on_line(first.element, later.element)
                message = f"the command interface {interface!r} already belongs to ros2_control {owner!r}{line}"
                yield self.finding(message, later.element)


class InterfaceNames(ControlRule):
    """Interfaces of joints are spelt as controllers ask for them.

    A controller that asks for position finds no interface called posiiton, and is not activated.
    """

    code = "CTL-002"
    thresholds = (NEARLY, LETTERS)
    evidence = "heuristic"
    clause = "position, velocity, acceleration, effort"
    url = INTERFACE_TYPES
    good = """<command_interface name="position">"""
    bad = """<command_interface name="posiiton">"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A name that differs from a common one by a letter or two; other names are the hardware's own."""
        for one in driven:
            for part in (*one.interfaces("command_interface"), *one.interfaces("state_interface")):
                name = part.get("name") or ""
                if near := nearly(name, INTERFACES):
                    message = f"the joint's <{part.tag}> is called {name!r}; did you mean {near!r}?"
                    yield self.finding(message, one.element, source=part.source)


class States(ControlRule):
    """A joint that takes commands reports its state.

    Most controllers need the state of what they command.
    """

    code = "CTL-003"
    evidence = "heuristic"
    clause = "a joint has command and state interfaces"
    good = f"""<joint name="joint_3">{BLOCK.partition('"joint_3">')[2].partition("</joint>")[0]}"""
    bad = good.partition("      <state_interface")[0]

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A joint with commands and no state, in whatever component."""
        reported = {one.name for one in driven if one.interfaces("state_interface")}
        for one in driven:
            if one.interfaces("command_interface") and one.name not in reported:
                message = "the joint has a command_interface and no state_interface; most controllers need one"
                yield self.finding(message, one.element)


class CommandLimits(ControlRule):
    """The range of a command interface is inside the limits of its joint.

    Commands beyond the joint's limits pass, or are cut off elsewhere without notice.
    """

    code = "CTL-004"
    thresholds = (ROUNDED,)
    clause = "min and max of a command interface"
    good = """<param name="min">-3</param>"""
    bad = """<param name="min">-3.5</param>"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A min or max beyond the limit in the <joint>, the wrong way round, or no number."""
        for one in driven:
            for part in one.interfaces("command_interface"):
                fault = _range_fault(part, one.joint)
                if fault:
                    yield self.finding(fault, one.element, source=part.source)


class InitialValues(ControlRule):
    """The initial position of a joint is inside its limits.

    Simulated hardware starts there; controllers and planners refuse to move from a place outside the limits.
    """

    code = "CTL-005"
    thresholds = (ROUNDED,)
    clause = "initial_value of a state interface"
    good = """<param name="initial_value">0.5</param>"""
    bad = """<param name="initial_value">1.5</param>"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """An initial_value of position outside the joint's range, or one that is no number."""
        for one in driven:
            for part in one.interfaces("state_interface"):
                for param in (param for param in part.find_all("param") if param.get("name") == "initial_value"):
                    value = number_of(param.text)
                    if value is None:
                        message = f"the initial_value of {part.get('name')!r} is {param.text.strip()!r}"
                        yield self.finding(f"{message}; expected a number", one.element, source=param.source)
                    elif part.get("name") == "position" and one.joint and not _inside(value, one.joint):
                        there, low, high = numbers((value, one.joint.limit.lower, one.joint.limit.upper))
                        message = f"the joint starts at {there}, outside of its limits {low} to {high}"
                        yield self.finding(message, one.element, source=param.source)


class Followers(ControlRule):
    """A joint that mimics another is described alike in ros2_control, and takes no commands.

    Its position follows from that of the other; with a command of its own the two contradict each other.
    """

    code = "CTL-006"
    thresholds = (SAME,)
    clause = "mimic joints have no command interfaces"
    url = "https://control.ros.org/rolling/doc/ros2_control/hardware_interface/doc/mimic_joint.html"
    base = with_blocks(BLOCK.replace('"joint_3">', '"joint_3" mimic="false">')).replace(
        'effort="66"/>', 'effort="66"/>\n    <mimic joint="joint_2"/>'
    )
    good = """<joint name="joint_3" mimic="false">"""
    bad = """<joint name="joint_3">"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A command interface of a joint with <mimic>, unless mimic="false"; parameters that say something else."""
        for one in driven:
            if one.joint is None:
                continue
            said = {param.get("name"): param.text.strip() for param in one.element.find_all("param")}
            mimic = one.joint.mimic
            attribute = (one.element.get("mimic") or "").lower()
            place = one.element.source
            if mimic is None:
                if attribute == "true" or (one.joint.kind.nv == 0 and "mimic" in said):
                    message = "the joint is to mimic another, but its <joint> has no <mimic>"
                    yield self.finding(message, one.element, source=place)
            elif attribute != "false" and one.interfaces("command_interface"):
                message = f"the joint mimics {mimic.joint!r} and has a command_interface; remove the command_interface"
                yield self.finding(message, one.element, source=place)
            elif (leader := said.get("mimic", mimic.joint)) != mimic.joint or (
                "mimic" in said and not _is(said.get("multiplier"), mimic.multiplier)
            ):
                message = f"the joint mimics {leader!r} times {said.get('multiplier', '1')} here, and "
                message += f"{mimic.joint!r} times {number(mimic.multiplier, 6)} in its <joint>"
                yield self.finding(message, one.element, source=place)


class FixedCommands(ControlRule):
    """Only joints that move take commands.

    The controller manager refuses a command interface of a fixed joint.
    """

    code = "CTL-007"
    level = "MUST"
    clause = "a fixed joint has no command interface"
    good = """<joint name="joint_3">\n      <command"""
    bad = """<joint name="link_6-flange">\n      <command"""

    def check(self, driven: tuple[ComponentJoint, ...]) -> Found:
        """A command interface of a fixed joint."""
        for one in driven:
            if one.joint and one.joint.kind.nv == 0 and one.interfaces("command_interface"):
                message = "the joint is fixed and has a command_interface; remove it, or let the joint move"
                yield self.finding(message, one.element)


class Complete(ControlRule):
    """Each component of ros2_control names its hardware, and has the parts of its type.

    Without a plug-in there is nothing to load, though a xacro file may have one for other arguments. An actuator has
    one joint, and a sensor takes no commands.
    """

    code = "CTL-008"
    level = "MUST"
    evidence = "heuristic"
    clause = "type system, actuator or sensor, with a hardware plug-in"
    good = """<hardware><plugin>mock_components/GenericSystem</plugin></hardware>"""
    bad = """<hardware/>"""

    def check(self, components: tuple[Element, ...], driven: tuple[ComponentJoint, ...]) -> Found:
        """No plug-in, no known type, several joints of an actuator, commands of a sensor, or a name twice."""
        for component in components:
            hardware = component.find("hardware")
            plugin = hardware.find("plugin") if hardware else None
            kind = component.get("type") or ""
            joints = [one for one in driven if one.component is component]
            if not plugin or not plugin.text.strip():
                message = "the component has no <hardware><plugin>; name the plug-in of the hardware"
                yield self.finding(message, component)
            if kind not in ("system", "actuator", "sensor"):
                yield self.finding(f"the type is {kind!r}; expected system, actuator or sensor", component)
            if kind == "actuator" and len(joints) > 1:
                yield self.finding(f"an actuator has one joint, this one {len(joints)}", component)
            if kind == "sensor" and any(one.interfaces("command_interface") for one in joints):
                yield self.finding("a sensor has no command_interface, and this one does", component)
        for first, later in repeated(components, lambda component: component.get("name")):
            yield self.finding(f"there is already a ros2_control of this name{on_line(first, later)}", later)


class SimulatedHardware(ControlRule):
    """Hardware of a simulator belongs to the plug-in of Gazebo in the same file.

    The plug-in loads only the hardware of its own generation of Gazebo, and starts no controller without it.
    """

    code = "CTL-011"
    level = "MUST"
    clause = "gz_ros2_control/GazeboSimSystem with gz_ros2_control-system"
    url = "https://control.ros.org/rolling/doc/gz_ros2_control/doc/index.html"
    base = with_blocks(
        BLOCK.replace("mock_components/GenericSystem", "gz_ros2_control/GazeboSimSystem")
        + '\n  <gazebo><plugin filename="gz_ros2_control-system" '
        'name="gz_ros2_control::GazeboSimROS2ControlPlugin"/></gazebo>'
    )
    good = """<plugin>gz_ros2_control/GazeboSimSystem</plugin>"""
    bad = """<plugin>gazebo_ros2_control/GazeboSystem</plugin>"""

    def check(self, components: tuple[Element, ...], programs: tuple[Element, ...]) -> Found:
        """Hardware of Gazebo Classic and a plug-in of Gazebo Sim, or the other way about."""
        files = [plugin.get("filename") or "" for plugin in programs]
        classic = [file for file in files if file.endswith("gazebo_ros2_control.so")]
        modern = [file for file in files if "gz_ros2_control-system" in file or "ign_ros2_control-system" in file]
        for component in components if bool(classic) != bool(modern) else ():
            hardware = component.find("hardware")
            plugin = hardware.find("plugin") if hardware else None
            name = plugin.text.strip() if plugin else ""
            wrong = ("gazebo_ros2_control/",) if modern else ("gz_ros2_control/", "ign_ros2_control/")
            if plugin and name.startswith(wrong):
                expected = "gz_ros2_control/GazeboSimSystem" if modern else "gazebo_ros2_control/GazeboSystem"
                message = f"{(classic or modern)[0]!r} cannot load the hardware {name!r}; expected {expected}"
                yield self.finding(message, component, source=plugin.source)


@fact
def components(blocks: tuple[Block, ...]) -> tuple[Element, ...]:
    """Return the components of ros2_control in a URDF file."""
    return tuple(element for _, element in blocks if element.tag == "ros2_control")


@fact
def driven(robot: Robot, components: tuple[Element, ...]) -> tuple[ComponentJoint, ...]:
    """Return the joints in the components of ros2_control."""
    return tuple(
        ComponentJoint(component, element, robot.joints.get(element.get("name") or ""))
        for component in components
        for element in component.find_all("joint")
    )


def _is(text: str | None, value: float) -> bool:
    found = 1.0 if text is None else number_of(text)
    return found is not None and isclose(found, value, rel_tol=SAME)


def _inside(value: float, joint: Joint) -> bool:
    """Return whether a position is inside the limits of a joint, as numbers are rounded."""
    if joint.kind.nv != 1:
        return True
    return _within(value, joint.limit.lower, joint.limit.upper)


def _within(value: float, lower: float, upper: float) -> bool:
    """Return whether a number is in a range, both rounded to three digits."""
    room = ROUNDED * max([1.0, *(abs(bound) for bound in (lower, upper) if abs(bound) < inf)])
    return lower - room <= value <= upper + room


def _range_fault(part: Element, joint: Joint | None) -> str:
    """Return what is wrong with min and max of a command interface, or ""."""
    interface = part.get("name") or ""
    texts = {param.get("name"): param.text for param in part.find_all("param") if param.get("name") in ("min", "max")}
    values = {name: number_of(text) for name, text in texts.items()}
    for name, text in texts.items():
        if values[name] is None:
            return f"{name} of {interface!r} is {text.strip()!r}; expected a number"
    low, high = values.get("min"), values.get("max")
    if low is not None and high is not None and low > high:
        least, most = numbers((low, high))
        return f"min of {interface!r} is {least}, above its max {most}"
    limit = joint.limit if joint and joint.kind.nv == 1 else UNLIMITED
    ranges = {
        "position": (limit.lower, limit.upper),
        "velocity": (-limit.velocity, limit.velocity),
        "effort": (-limit.effort, limit.effort),
    }
    lower, upper = ranges.get(interface, (-inf, inf))
    beyond = {name: value for name, value in values.items() if value is not None and not _within(value, lower, upper)}
    if not beyond:
        return ""
    least, most, *found = numbers((lower, upper, *beyond.values()))
    has = " and ".join(f"{name} {text}" for name, text in zip(beyond, found, strict=True))
    return f"the command interface {interface!r} has {has}, outside of the joint's limits {least} to {most}"

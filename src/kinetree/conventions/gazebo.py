"""Rules about blocks of other tools: what they set once, and which links, frames and classes they name."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import numpy as np

from kinetree.conventions.facts import fact
from kinetree.conventions.quality import Quality, with_blocks
from kinetree.conventions.structure import BLOCK_TAGS, Block, Plugin
from kinetree.errors import Finding, nearest_names
from kinetree.formats.xml import Element
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array, pose_from_xyz_rpy

T = TypeVar("T")

_SETTINGS = (
    "mu mu1 mu2 fdir1 kp kd maxVel minDepth maxContacts material selfCollide self_collide gravity turnGravityOff "
    "dampingFactor laserRetro stopCfm stopErp cfmDamping fudgeFactor provideFeedback implicitSpringDamper "
    "springStiffness springReference initial_joint_position disableFixedJointLumping preserveFixedJoint"
)
SETTINGS = frozenset(_SETTINGS.split())
"""Elements of a <gazebo> block that a link or joint has once."""
LINK_TAGS = ("bodyName", "body_name", "link_name", "gripper_link", "palm_link")
FRAME_TAGS = ("frameName", "frame_name", "robotBaseFrame", "robot_base_frame")
"""Elements of plug-ins that name a link or a frame."""
TOPIC_TAGS = ("topicName", "topic_name", "imageTopicName", "bumperTopicName", "pointCloudTopicName", "remapping")
NAMESPACE_TAGS = ("robotNamespace", "namespace", "cameraName", "camera_name", "serviceName")
"""Elements of plug-ins that name a topic, and what stands before it."""
IMAGE_TAGS = ("frameName", "frame_name", "optical_frame_id", "gz_frame_id", "ignition_frame_id")
"""Elements of a camera that name the frame of its images."""
CAMERAS = ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera", "multicamera")
OF_THE_WORLD = frozenset(("map", "odom", "world", "earth", "base_footprint", "default_world"))
"""Frames that plug-ins and other programs publish."""
OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""R_sensor_optical (3, 3): a camera of Gazebo looks along x with z up, an image has z forward, x right and y down."""
COSINE = 0.5
"""Least cosine between the axes of a frame of images and those of its camera; tilts of a calibration are small."""

_DOCUMENTATION = "https://gazebosim.org/api/sim/9/namespacegz_1_1sim_1_1systems.html"
_SYSTEMS = (
    "AckermannSteering AcousticComms AdvancedLiftDrag AirPressure AirSpeed Altimeter ApplyJointForce ApplyLinkWrench "
    "LinearBatteryPlugin Breadcrumbs Buoyancy BuoyancyEngine CameraVideoRecorder ColladaWorldExporter CommsEndpoint "
    "Contact CpuLidar DetachableJoint DiffDrive DriveToPoseController Elevator EntitySemantics EnvironmentPreload "
    "FollowActor ForceTorque FreeSpaceExplorer Hydrodynamics Imu JointController JointPositionController "
    "JointStatePublisher JointTrajectoryController KineticEnergyMonitor Label LedPlugin LensFlare LiftDrag "
    "LighterThanAirDynamics LogVideoRecorder LogicalAudioSensorPlugin LogicalCamera LookupWheelSlip Magnetometer "
    "MecanumDrive ModelPhotoShoot MulticopterMotorModel NavSat OdometryPublisher OpticalTactilePlugin ParticleEmitter "
    "PerfectComms PerformerDetector Physics PosePublisher PythonSystemLoader RFComms SceneBroadcaster Sensors "
    "ShaderParam SpacecraftThrusterModel Thermal ThermalSensor Thruster TouchPlugin TrackController TrackedVehicle "
    "TrajectoryFollower TriggeredPublisher UserCommands VelocityControl WheelSlip WindEffects"
)
_NAMED_OTHERWISE = {
    **dict.fromkeys(("LogPlayback", "LogRecord"), "log"),
    **{name: name.lower() for name in ("ForceTorque", "LinearBatteryPlugin", "LogicalAudioSensorPlugin", "NavSat")},
    **{name: name.lower() for name in ("OpticalTactilePlugin", "TouchPlugin")},
    "DopplerVelocityLogSystem": "dvl",
    "EnvironmentalSystem": "environmental-sensor",
    "LighterThanAirDynamics": "lighter_than_air_dynamics",
    "MulticopterVelocityControl": "multicopter-control",
    "RFComms": "rf-comms",
}
SYSTEMS: Mapping[str, str] = {
    **{name: re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() for name in _SYSTEMS.split()},
    **_NAMED_OTHERWISE,
}
"""Classes of Gazebo Sim's own systems to NAME in their libraries, gz-sim-NAME-system."""
_LIBRARY = re.compile(r"(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system\d*(?:\.so)?")
_CLASS = re.compile(r"(?:gz::sim|ignition::gazebo)(?:::v\d+)?::systems::(\w+)")
_ROS2_CONTROL = re.compile(r"(?:lib)?(\w+_ros2_control)-system(?:\.so)?")


class OneTransmission(Quality):
    """Each transmission has a name of its own, and each joint one transmission.

    Of two transmissions of one name, or for one joint, loaders take either, or refuse both.
    """

    code = "XML-005"
    clause = "a transmission describes the relation between an actuator and a joint"
    url = "http://wiki.ros.org/urdf/XML/Transmission"
    base = with_blocks(
        '  <transmission name="drive_1"><type>transmission_interface/SimpleTransmission</type>\n'
        '    <joint name="joint_1"/><actuator name="motor_1"/></transmission>\n'
        '  <transmission name="drive_2"><type>transmission_interface/SimpleTransmission</type>\n'
        '    <joint name="joint_2"/><actuator name="motor_2"/></transmission>'
    )
    good = """<transmission name="drive_2">"""
    bad = """<transmission name="drive_1">"""

    def check(self, blocks: tuple[Block, ...]) -> Iterator[Finding]:
        """A name, or a joint, of an earlier transmission; those inside of a ros2_control among themselves."""
        within = [element.find_all("transmission") for _, element in blocks if element.tag == "ros2_control"]
        for group in ([element for _, element in blocks if element.tag == "transmission"], *within):
            named = [element for element in group if element.get("name")]
            for first, later in repeated(named, lambda element: element.get("name")):
                yield self.finding(
                    f"the name is also that of the transmission{on_line(first)}; expected a name of its own",
                    later.label,
                    source=later.source,
                )
            driven = [(joint.get("name"), element) for element in group for joint in element.find_all("joint")]
            for (name, first), (_, later) in repeated(driven, lambda pair: pair[0]):
                if name and first is not later and first.get("name") != later.get("name"):
                    message = f"joint {name!r} already has a transmission, {first.get('name')!r}{on_line(first)}"
                    yield self.finding(message, later.label, source=later.source)


class SetOnce(Quality):
    """The gazebo elements of a link or joint set each property once.

    Which of two values is used depends on the order in which the simulator's converter comes across them.
    """

    code = "XML-006"
    clause = "an element contains the value of a property of the link or joint"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    base = with_blocks(
        '  <gazebo reference="link_2"><mu1>0.9</mu1></gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>'
    )
    good = """<gazebo reference="link_3"><mu1>0.2</mu1>"""
    bad = """<gazebo reference="link_2"><mu1>0.2</mu1>"""

    def check(self, blocks: tuple[Block, ...]) -> Iterator[Finding]:
        """Another value of a property; the same value is a remark, once for a link or joint."""
        set_here: dict[tuple[str, str], Element] = {}
        remarked = set()
        for _, block in blocks:
            owner = block.get("reference") or ""
            for part in block.children if block.tag == "gazebo" else ():
                first = set_here.setdefault((owner, part.tag), part)
                if part.tag not in SETTINGS or part is first:
                    continue
                label = f"<gazebo reference={owner!r}>" if owner else "<gazebo>"
                if _written(part) != _written(first):
                    message = (
                        f"<{part.tag}> is {_written(part)!r} here and {_written(first)!r}{on_line(first)}; set it once"
                    )
                    yield self.finding(message, label, source=part.source)
                elif owner not in remarked:
                    remarked.add(owner)
                    message = f"<{part.tag}> is set twice to the same value{on_line(first)}"
                    yield self.finding(message, label, source=part.source, severity="info")


class SensorNames(Quality):
    """The sensors of a link have different names.

    A simulator keeps one of two sensors of the same name on a link, or refuses the model.
    """

    code = "XML-007"
    clause = "a unique name for the sensor"
    url = "http://sdformat.org/spec?ver=1.11&elem=sensor"
    base = with_blocks(
        '  <gazebo reference="link_6"><sensor name="front" type="camera"/><sensor name="rear" type="camera"/></gazebo>'
    )
    good = """<sensor name="rear" """
    bad = """<sensor name="front" """

    def check(self, blocks: tuple[Block, ...]) -> Iterator[Finding]:
        """The name of an earlier sensor of the link."""
        sensors = [
            (block.get("reference"), sensor)
            for _, block in blocks
            if block.tag == "gazebo" and block.get("reference")
            for sensor in block.find_all("sensor")
        ]
        for (link, first), (_, later) in repeated(sensors, lambda pair: (pair[0], pair[1].get("name"))):
            message = f"link {link!r} already has a sensor of this name{on_line(first)}"
            yield self.finding(message, later.label, source=later.source)


class BlockPlaces(Quality):
    """Blocks of Gazebo and of controllers are children of the robot.

    Programs look for them there, and leave them out elsewhere.
    """

    code = "XML-008"
    clause = "the gazebo element is an extension of the robot, whose reference names a link or joint"
    url = "http://sdformat.org/tutorials?tut=sdformat_urdf_extensions"
    base = with_blocks(
        '  <gazebo reference="link_2"><mu1>0.9</mu1></gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>'
    )
    good = """</gazebo>\n  <gazebo reference="link_3"><mu1>0.2</mu1></gazebo>"""
    bad = """<gazebo reference="link_3"><mu1>0.2</mu1></gazebo></gazebo>"""

    def check(self, document: Element | None) -> Iterator[Finding]:
        """A block in a link or joint, or a gazebo in a gazebo."""
        for owner in document.children if document is not None else ():
            wrong = BLOCK_TAGS if owner.tag in ("link", "joint") else ("gazebo",) if owner.tag == "gazebo" else ()
            for part in (part for part in owner.walk() if part is not owner and part.tag in wrong):
                message = (
                    f"<{part.tag}> stands inside of <{owner.tag}>, where it is left out; make it a child of <robot>"
                )
                yield self.finding(message, owner.label, source=part.source)


class PluginLinks(Quality):
    """The links and frames that plug-ins of Gazebo name are links and frames of the robot.

    Plug-ins stop without their link; data in a frame that does not exist cannot be transformed.
    """

    code = "XML-009"
    evidence = "heuristic"
    clause = "the name of the link, or of the frame in which data are published"
    url = "https://github.com/ros-simulation/gazebo_ros_pkgs/wiki"
    base = with_blocks(
        '  <gazebo><plugin filename="libgazebo_ros_p3d.so" name="p3d"><bodyName>link_6</bodyName></plugin></gazebo>'
    )
    good = """<bodyName>link_6</bodyName>"""
    bad = """<bodyName>wrist</bodyName>"""

    def check(self, robot: Robot, plugins: tuple[Plugin, ...]) -> Iterator[Finding]:
        """A name that no link and no frame has, but for frames such as map; a collision of a contact sensor whose name
        has that of no link and no collision."""
        known = {_last(name) for name in (*robot.frames, *robot.sensors)}
        bodies = {
            *robot.links,
            *(shape.name for link in robot.links.values() for shape in link.collisions if shape.name),
        }
        for label, _, block in plugins:
            for part in block.walk():
                name = _last(part.text)
                if not name or part.children or "$" in name:
                    continue
                if part.tag in (*LINK_TAGS, *FRAME_TAGS) and name not in known and name not in OF_THE_WORLD:
                    what = "link" if part.tag in LINK_TAGS else "frame"
                    near = nearest_names(name, list(robot.frames))
                    message = f"<{part.tag}> names the {what} {name!r}, which does not exist; {near}"
                    yield self.finding(message, label, source=part.source)
            for contact in (part for part in block.walk() if part.tag == "contact"):
                for part in contact.find_all("collision"):
                    if part.text.strip() and not any(body in part.text for body in bodies):
                        what = part.text.strip()
                        message = (
                            f"<collision> names {what!r}, which begins with no link's name; expected LINK_collision"
                        )
                        yield self.finding(message, label, source=part.source)


class PluginClass(Quality):
    """The class of a plug-in is one of its file.

    Gazebo loads the file, does not find the class in it, and goes on without the plug-in.
    """

    code = "XML-010"
    level = "MUST"
    clause = "filename is the library, name is the class in it"
    url = _DOCUMENTATION
    base = with_blocks(
        '  <gazebo><plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive"/></gazebo>'
    )
    good = """filename="gz-sim-diff-drive-system" """
    bad = """filename="gz-sim-joint-controller-system" """

    def check(self, plugins: tuple[Plugin, ...]) -> Iterator[Finding]:
        """A class of Gazebo Sim's own systems, or of its ros2_control, and another file."""
        for _, _, block in plugins:
            for plugin in (part for part in block.walk() if part.tag == "plugin"):
                file, name = plugin.get("filename") or "", plugin.get("name") or ""
                if wrong := _wrong_file(file, name):
                    message = f"the file {file!r} has no class {name!r}; {wrong}"
                    yield self.finding(message, plugin.label, source=plugin.source)


class ImageFrame(Quality):
    """The frame of a camera's images has z forward, x right and y down.

    Programs that take images for seen along x of a frame see what stands above the camera in front of it.
    """

    code = "XML-011"
    evidence = "heuristic"
    clause = "optical frames: z forward, x right, y down"
    url = "https://www.ros.org/reps/rep-0103.html#suffix-frames"
    base = with_blocks(
        '  <link name="eye"/>\n  <joint name="link_6-eye" type="fixed">\n    <origin rpy="-1.5707963 0 -1.5707963"/>\n'
        '    <parent link="link_6"/>\n    <child link="eye"/>\n  </joint>\n'
        '  <gazebo reference="link_6"><sensor name="eye" type="camera">\n'
        '    <plugin filename="libgazebo_ros_camera.so" name="eye"><frameName>eye</frameName></plugin>\n'
        "  </sensor></gazebo>"
    )
    good = """<frameName>eye</frameName>"""
    bad = """<frameName>link_6</frameName>"""

    def check(self, robot: Robot, blocks: tuple[Block, ...], poses: Mapping[str, Array]) -> Iterator[Finding]:
        """A frame turned by more than 60 degrees from the camera's axes of images."""
        for _, block in blocks:
            link = block.get("reference") or ""
            for sensor in block.find_all("sensor") if block.tag == "gazebo" and link in robot.links else ():
                for part in sensor.walk() if (sensor.get("type") or "").lower() in CAMERAS else ():
                    frame = _last(part.text)
                    if part.tag in IMAGE_TAGS and frame in poses:
                        R = poses[link][:3, :3] @ _rotation(sensor) @ OPTICAL
                        if float(np.diag(R.T @ poses[frame][:3, :3]).min()) < COSINE:
                            message = (
                                f"<{part.tag}> names {frame!r}, which does not look where the camera does; "
                                "expected a frame with z forward, x right and y down in the image"
                            )
                            yield self.finding(message, sensor.label, source=part.source)


class SensorTopics(Quality):
    """Each sensor and plug-in publishes to a topic of its own.

    Who listens gets the data of both, one after the other.
    """

    code = "XML-012"
    evidence = "heuristic"
    clause = "the topic to which the data are published"
    url = "https://github.com/ros-simulation/gazebo_ros_pkgs/wiki"
    base = with_blocks(
        '  <gazebo reference="link_5"><sensor name="a" type="imu"><topic>imu_5</topic></sensor></gazebo>\n'
        '  <gazebo reference="link_6"><sensor name="b" type="imu"><topic>imu_6</topic></sensor></gazebo>'
    )
    good = """<topic>imu_6</topic>"""
    bad = """<topic>imu_5</topic>"""

    def check(self, plugins: tuple[Plugin, ...], sensors: tuple[Element, ...]) -> Iterator[Finding]:
        """Equal topics of two sensors; equal topics, namespaces and names of two plug-ins of one file."""
        inside = [part for _, _, block in plugins for part in block.walk() if part.tag == "plugin"]
        published: list[tuple[object, str, Element]] = [
            (topic.text.strip(), topic.text.strip(), sensor) for sensor in sensors for topic in sensor.find_all("topic")
        ]
        for plugin in inside:
            said = [(part.tag, part.text.strip()) for part in plugin.walk() if part.text.strip()]
            where = tuple((tag, text) for tag, text in said if tag in (*TOPIC_TAGS, *NAMESPACE_TAGS))
            if topics := [text for tag, text in said if tag in TOPIC_TAGS]:
                published.append(((plugin.get("filename") or "", *where), topics[0], plugin))
        for (_, _, first), (_, topic, later) in repeated(published, lambda row: row[0]):
            message = f"topic {topic!r} is also that of {first.label}{on_line(first)}; expected a topic of its own"
            yield self.finding(message, later.label, source=later.source)


@fact
def sensors(blocks: tuple[Block, ...], sdf_document: Element | None) -> tuple[Element, ...]:
    """Return the sensors in the blocks of Gazebo of a URDF file, or in the model of an SDF file."""
    tops = [block for _, block in blocks if block.tag == "gazebo"] + ([sdf_document] if sdf_document else [])
    return tuple(part for top in tops for part in top.walk() if part.tag == "sensor")


def repeated(things: Iterable[T], key: Callable[[T], object]) -> Iterator[tuple[T, T]]:
    """Yield each thing whose key an earlier one has, after that."""
    known: dict[object, T] = {}
    for thing in things:
        first = known.setdefault(key(thing), thing)
        if first is not thing:
            yield first, thing


def _wrong_file(file: str, name: str) -> str:
    """Return which file has the class of a plug-in, or "" if it is this one or unknown."""
    library, system = _LIBRARY.fullmatch(file), _CLASS.fullmatch(name)
    if system and library:
        found, wanted = library[1].lower(), SYSTEMS.get(system[1], system[1].lower())
        known = system[1] in SYSTEMS or _letters(found) in map(_letters, SYSTEMS.values())
        return f"expected gz-sim-{wanted}-system" if known and _letters(wanted) != _letters(found) else ""
    control = _ROS2_CONTROL.fullmatch(file)
    space = name.partition("::")[0]
    if control and "::" in name and space != control[1]:
        return f"expected a class of {control[1]}"
    return ""


def _letters(name: str) -> str:
    return name.replace("-", "").replace("_", "")


def _rotation(sensor: Element) -> Array:
    """Return R_link_camera (3, 3) from the <pose> of a sensor and its <camera>; the identity where there is none."""
    camera = sensor.find("camera")
    return _rotation_of(sensor.find("pose")) @ _rotation_of(camera.find("pose") if camera else None)


def _rotation_of(pose: Element | None) -> Array:
    try:
        numbers = [float(word) for word in pose.text.split()] if pose else []
    except ValueError:
        numbers = []
    return np.asarray(pose_from_xyz_rpy(numbers[:3], numbers[3:])[:3, :3]) if len(numbers) == 6 else np.eye(3)


def _written(element: Element) -> str:
    """Return the text of an element with single spaces; or its value."""
    return " ".join((element.text.strip() or element.get("value") or "").split())


def _last(text: str) -> str:
    """Return a name without those of its models and namespaces."""
    return text.strip().rpartition("::")[2].rpartition("/")[2]


def on_line(element: Element) -> str:
    """Return " on line 12", or "" if the line is unknown."""
    line = element.source.line
    return f" on line {line}" if line else ""

"""Rules about plug-ins of Gazebo: the links, frames and classes that they name."""

import re
from collections.abc import Mapping
from functools import cache

import numpy as np

from kinetree.errors import nearest_names
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Poses, Robot, Threshold
from kinetree.rules.structure import Block, Plugin
from kinetree.spatial.se3 import Array, pose_from_xyz_rpy

LINK_TAGS = ("bodyName", "body_name", "link_name", "gripper_link", "palm_link")
FRAME_TAGS = ("frameName", "frame_name", "robotBaseFrame", "robot_base_frame")
NAMING = frozenset((*LINK_TAGS, *FRAME_TAGS))
"""Elements of plug-ins that name a link or a frame."""
IMAGE_TAGS = ("frameName", "frame_name", "optical_frame_id", "gz_frame_id", "ignition_frame_id")
"""Elements of a camera that name the frame of its images."""
CAMERAS = ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera", "multicamera")
OF_THE_WORLD = frozenset(("map", "odom", "world", "earth", "base_footprint", "default_world"))
"""Frames that plug-ins and other programs publish."""
OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""R_sensor_optical (3, 3): a camera of Gazebo looks along x with z up, an image has z forward, x right and y down."""
TILTED = Threshold(0.5, "cosine", "largest angle between the axes of the frame and those of the image")

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
_LIBRARY = r"(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system\d*(?:\.so)?"
_CLASS = r"(?:gz::sim|ignition::gazebo)(?:::v\d+)?::systems::(\w+)"
_ROS2_CONTROL = r"(?:lib)?(gz_ros2_control|ign_ros2_control)-system(?:\.so)?"
CONTROL_CLASSES = {
    "gz_ros2_control": (
        "gz_ros2_control::GazeboSimROS2ControlPlugin",
        "ign_ros2_control::IgnitionROS2ControlPlugin",  # an alias
    ),
    "ign_ros2_control": ("ign_ros2_control::IgnitionROS2ControlPlugin",),
}
"""Libraries of ros2_control for Gazebo to their classes, the own one first."""


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

    def check(self, robot: Robot, inside: tuple[Plugin, ...]) -> Found:
        """A name that no link and no frame has, but for frames such as map; a collision of a contact sensor whose name
        has that of no link and no collision. Names with $ are not judged."""
        known = {_last(name) for name in (*robot.frames, *robot.sensors)}
        bodies = {shape.name for link in robot.links.values() for shape in link.collisions if shape.name}
        bodies |= robot.links.keys()
        for label, part in ((label, part) for label, _, part in inside if part.tag in NAMING and not part.children):
            name = _last(part.text)
            if name and "$" not in name and name not in known and name not in OF_THE_WORLD:
                what = "link" if part.tag in LINK_TAGS else "frame"
                near = nearest_names(name, list(robot.frames))
                message = f"<{part.tag}> names the {what} {name!r}, which does not exist; {near}"
                yield self.finding(message, label, source=part.source)
        contacts = ((label, contact) for label, _, contact in inside if contact.tag == "contact")
        for label, part in ((label, part) for label, contact in contacts for part in contact.find_all("collision")):
            if (what := part.text.strip()) and not any(body in what for body in bodies):
                message = f"<collision> names {what!r}, which begins with no link's name; expected LINK_collision"
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

    def check(self, programs: tuple[Element, ...]) -> Found:
        """A class of Gazebo Sim's own systems, or of its ros2_control, and another file."""
        for plugin in programs:
            file, name = plugin.get("filename") or "", plugin.get("name") or ""
            if wrong := _wrong_file(file, name):
                yield self.finding(f"the file {file!r} has no class {name!r}; {wrong}", plugin)


class ImageFrame(Quality):
    """The frame of a camera's images has z forward, x right and y down.

    In a frame with the axes of the camera's body, everything in front of the camera appears above it.
    """

    code = "XML-011"
    thresholds = (TILTED,)
    of_robot = True
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

    def check(self, robot: Robot, blocks: tuple[Block, ...], poses: Poses) -> Found:
        """A frame that is turned from the camera's axes of images by more than this."""
        for _, block in blocks:
            link = block.get("reference") or ""
            for sensor in block.find_all("sensor") if block.tag == "gazebo" and link in robot.links else ():
                for part in sensor.walk() if (sensor.get("type") or "").lower() in CAMERAS else ():
                    frame = _last(part.text)
                    if part.tag in IMAGE_TAGS and frame in poses:
                        R = poses[link][:3, :3] @ _rotation(sensor) @ OPTICAL
                        if float(np.diag(R.T @ poses[frame][:3, :3]).min()) < TILTED:
                            message = (
                                f"<{part.tag}> names {frame!r}, which does not look where the camera does; "
                                "expected a frame with z forward, x right and y down in the image"
                            )
                            yield self.finding(message, sensor, source=part.source)


def _wrong_file(file: str, name: str) -> str:
    """Return which file has the class of a plug-in, or "" if it is this one or unknown."""
    library, system = re.fullmatch(_LIBRARY, file), re.fullmatch(_CLASS, name)
    if system and library:
        found, wanted = library[1].lower(), _systems().get(system[1], system[1].lower())
        known = system[1] in _systems() or _letters(found) in map(_letters, _systems().values())
        return f"expected gz-sim-{wanted}-system" if known and _letters(wanted) != _letters(found) else ""
    control = re.fullmatch(_ROS2_CONTROL, file)
    if control and name not in CONTROL_CLASSES[control[1]]:
        return f"expected {CONTROL_CLASSES[control[1]][0]}"
    return ""


@cache
def _systems() -> Mapping[str, str]:
    """Return classes of Gazebo Sim's own systems to NAME in their libraries, gz-sim-NAME-system."""
    names = {name: re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() for name in _SYSTEMS.split()}
    return {**names, **_NAMED_OTHERWISE}


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


def _last(text: str) -> str:
    """Return a name without those of its models and namespaces."""
    return text.strip().rpartition("::")[2].rpartition("/")[2]

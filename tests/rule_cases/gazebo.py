"""What blocks of other tools set once, and which links, frames and classes they name."""

from collections.abc import Iterable

from kinetree.rules.examples import CART
from rule_cases.builders import joint, link, robot
from rule_cases.case import Cases, Model
from rule_cases.of_mjcf import SILENT_NUMBERS
from rule_cases.structure import plugin, sdf, with_block

OPTICAL = "-1.5707963 0 -1.5707963"


def transmission(name: str, *joints: str) -> str:
    return f'<transmission name="{name}">{"".join(f"<joint name={one!r}/>" for one in joints)}</transmission>'


def sensor(name: str, inside: str = "", reference: str = "a", kind: str = "imu") -> str:
    return f'<gazebo reference="{reference}"><sensor name="{name}" type="{kind}">{inside}</sensor></gazebo>'


def system(file: str, name: str) -> str:
    return with_block(f'<gazebo><plugin filename="{file}" name="{name}"/></gazebo>')


def camera(rpy: str, frame: str = "eye", pose: str = "", kind: str = "camera", tag: str = "frameName") -> str:
    """A camera on the link a, and a frame on it."""
    named = f'<plugin name="p" filename="libgazebo_ros_camera.so"><{tag}>{frame}</{tag}></plugin>'
    eye = joint("j", "a", "eye", rpy=rpy)
    return robot(link("a"), link("eye"), eye, sensor("s", pose + named, kind=kind))


def topics(first: str, second: str, file: str = "p.so") -> str:
    """Two plug-ins with topics."""
    return with_block(plugin(first) + f'<gazebo><plugin name="q" filename="{file}">{second}</plugin></gazebo>')


FOV = "<camera><horizontal_fov>{}</horizontal_fov></camera>"
TOPIC = "<topicName>scan</topicName>"
COLLISION = "<contact><collision>{}</collision></contact>"


def drive(inside: str, left: str = "left_wheel_joint") -> str:
    """A cart with a drive plug-in. inside: an element whose end tag lacks its name."""
    end = f"/{inside[1:].partition('>')[0]}>"
    joints = f"<leftJoint>{left}</leftJoint><rightJoint>right_wheel_joint</rightJoint>"
    return CART.replace(
        "</robot>", f'<gazebo><plugin filename="p.so" name="p">{joints}{inside}{end}</plugin></gazebo></robot>'
    )


SETTINGS = [
    "mu",
    "mu1",
    "mu2",
    "fdir1",
    "kp",
    "kd",
    "maxVel",
    "minDepth",
    "maxContacts",
    "material",
    "selfCollide",
    "self_collide",
    "gravity",
    "turnGravityOff",
    "dampingFactor",
    "laserRetro",
    "stopCfm",
    "stopErp",
    "cfmDamping",
    "fudgeFactor",
    "provideFeedback",
    "implicitSpringDamper",
    "springStiffness",
    "springReference",
    "initial_joint_position",
    "disableFixedJointLumping",
    "preserveFixedJoint",
]
TOPICS = ("topicName", "topic_name", "imageTopicName", "bumperTopicName", "pointCloudTopicName", "remapping")
SPACES = ("robotNamespace", "namespace", "cameraName", "camera_name", "serviceName")
LINKS = ("bodyName", "body_name", "link_name", "gripper_link", "palm_link")
FRAMES = ("frameName", "frame_name", "robotBaseFrame", "robot_base_frame")
IMAGES = ("frameName", "frame_name", "optical_frame_id", "gz_frame_id", "ignition_frame_id")
CAMERAS = ("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "wideanglecamera", "multicamera")
WORLD = ("map", "odom", "world", "earth", "base_footprint", "default_world")
OTHERWISE = {
    "LogPlayback": "log",
    "ForceTorque": "forcetorque",
    "LinearBatteryPlugin": "linearbatteryplugin",
    "LogicalAudioSensorPlugin": "logicalaudiosensorplugin",
    "NavSat": "navsat",
    "TouchPlugin": "touchplugin",
    "OpticalTactilePlugin": "opticaltactileplugin",
    "DopplerVelocityLogSystem": "dvl",
    "RFComms": "rf-comms",
    "EnvironmentalSystem": "environmental-sensor",
    "LighterThanAirDynamics": "lighter_than_air_dynamics",
    "MulticopterVelocityControl": "multicopter-control",
    "LogRecord": "log",
}
"""Classes whose file is not named after them."""
OF_IMU = ("enable_orientation", "orientation_reference_frame", "angular_velocity", "linear_acceleration")
OF_CAMERA = ("horizontal_fov", "image", "clip", "distortion", "lens", "depth_camera")
OF_RAY = ("scan", "range")
ANGLES = ("min_angle", "max_angle", "horizontal_fov")
COUNTS = ("samples", "width", "height")
LENGTHS = ("update_rate", "near", "far")
NUMBERS = ("mu", "mu1", "mu2", "kp", "kd", "maxVel", "minDepth", "dampingFactor")
LOGICAL = ("gravity", "turnGravityOff", "selfCollide", "self_collide", "provideFeedback", "implicitSpringDamper")
TYPES = [
    "air_pressure",
    "air_speed",
    "altimeter",
    "boundingbox",
    "boundingbox_camera",
    "camera",
    "contact",
    "custom",
    "depth",
    "depth_camera",
    "force_torque",
    "gps",
    "gpu_lidar",
    "gpu_ray",
    "imu",
    "lidar",
    "logical_camera",
    "magnetometer",
    "multicamera",
    "navsat",
    "ray",
    "rfid",
    "rfidtag",
    "rgbd",
    "rgbd_camera",
    "segmentation",
    "segmentation_camera",
    "sonar",
    "thermal",
    "thermal_camera",
    "wide_angle_camera",
    "wideanglecamera",
    "wireless_receiver",
    "wireless_transmitter",
]


def elements(tags: Iterable[str], text: object = "") -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for tag in tags)


def twice(tags: Iterable[str], first: str, second: str) -> str:
    """Two plug-ins for each tag, of a file of its own."""
    plugins = (
        f'<plugin name="{tag}" filename="{tag}.so">{text.format(tag)}</plugin>'
        for tag in tags
        for text in (first, second)
    )
    return with_block(f"<gazebo>{''.join(plugins)}</gazebo>")


def looking(rpy: str, kinds: Iterable[str] = ("camera",), tags: Iterable[str] = ("frameName",)) -> str:
    """Cameras of some kinds on the link a, and a frame on it that plug-ins name in some elements."""
    named = f'<plugin name="p" filename="p.so">{elements(tags, "eye")}</plugin>'
    cameras = (sensor(f"s_{kind}", named, kind=kind) for kind in kinds)
    return robot(link("a"), link("eye"), joint("j", "a", "eye", rpy=rpy), *cameras)


def in_files(files: dict[str, str]) -> str:
    """Plug-ins of Gazebo Sim: classes to their files."""
    plugins = (
        f'<plugin filename="gz-sim-{file}-system" name="gz::sim::systems::{name}"/>' for name, file in files.items()
    )
    return with_block(f"<gazebo>{''.join(plugins)}</gazebo>")


def setting(tags: Iterable[str], text: object) -> str:
    return with_block(f'<gazebo reference="a">{elements(tags, text)}</gazebo>')


SCRIPT = "<material><script><uri>file://x</uri><name>Gazebo/Grey</name></script></material>"
MORE = '<gazebo reference="b"><material>Gazebo/Red</material></gazebo>'
HARDWARE = "<hardware><plugin>gz_ros2_control/GazeboSimSystem</plugin></hardware>"
MODERN = ("libignition-gazebo-imu-system.so", "ign_ros2_control-system", "gz_ros2_control-system", "gz-sim-imu-system")


def coloured(inside: str, plugin: str = "gz-sim-imu-system") -> str:
    """Links a and b, a block of a with something in it, and one with a plug-in."""
    blocks = f'<gazebo reference="a">{inside}</gazebo><gazebo><plugin filename="{plugin}" name="p"/></gazebo>'
    return f'<robot name="r"><link name="a"/><link name="b"/>{joint("j", "a", "b")}{blocks}</robot>'


def grey(plugin: str, beside: str = "") -> str:
    """A model of SDF with a script as material, perhaps with colours beside it, and a plug-in."""
    shape = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    material = SCRIPT.replace("</material>", f"{beside}</material>") if beside else SCRIPT
    visual = f'<link name="a"><visual name="v">{shape}{material}</visual></link>'
    return f'<sdf version="1.9"><model name="m">{visual}<plugin filename="{plugin}" name="p"/></model></sdf>'


CASES = {
    "XML-005": Cases(
        found={
            "one name for one joint": Model(
                with_block(transmission("t", "drive") + transmission("t", "drive")), count=1
            ),
            "one name": Model(
                with_block(transmission("t", "drive") + transmission("t", "b")), says="the name is also that"
            ),
            "one joint": Model(
                with_block(transmission("t", "drive") + transmission("u", "drive")),
                says="joint 'drive' already has a transmission, 't'",
                element="transmission 'u'",
            ),
        },
        silent={
            "without names": with_block(
                f"<transmission>{transmission('', 'drive')[22:]}<transmission>{transmission('', 'b')[22:]}"
            ),
            "one joint twice in one": with_block(transmission("t", "drive", "drive")),
            "of two plug-ins": with_block(
                transmission("t", "drive").replace("<joint", "<plugin>x</plugin><joint")
                + transmission("u", "drive").replace("<joint", "<plugin>y</plugin><joint")
            ),
            "of two attributes": with_block(
                transmission("t", "drive").replace("name=", 'type="x" name=', 1)
                + transmission("u", "drive").replace("name=", 'type="y" name=', 1)
            ),
            "two": with_block(transmission("t", "drive") + transmission("u", "other")),
            "of two types": with_block(
                transmission("t", "drive")
                + '<transmission name="u"><type>x/StateInterface</type><joint name="drive"/></transmission>'
            ),
            "one of two joints": with_block(transmission("t", "drive", "other")),
            "one in ros2_control": with_block(
                transmission("t", "drive") + f'<ros2_control name="c">{transmission("t", "drive")}</ros2_control>'
            ),
        },
    ),
    "XML-006": Cases(
        found={
            "of the robot": Model(with_block("<gazebo><kp>1</kp><kp>2</kp></gazebo>"), element="<gazebo>"),
            "every setting": Model(
                with_block(f'<gazebo reference="a">{elements(SETTINGS, 1)}{elements(SETTINGS, 2)}</gazebo>'), count=27
            ),
            "two values": Model(
                with_block('<gazebo reference="a"><mu1>1</mu1></gazebo><gazebo reference="a"><mu1>2</mu1></gazebo>'),
                says="<mu1> is '2' here and '1'",
            ),
            "in one block": with_block('<gazebo reference="a"><kp>1</kp><kp>2</kp></gazebo>'),
            "attributes": with_block('<gazebo reference="a"><material value="x"/><material value="y"/></gazebo>'),
        },
        remarked={
            "one value twice": Model(
                with_block('<gazebo reference="a"><mu1>1</mu1><kp>2</kp><mu1> 1 </mu1><kp>2</kp></gazebo>'), count=1
            ),
        },
        silent={
            "of two links": with_block(
                '<gazebo reference="a"><mu1>1</mu1></gazebo><gazebo reference="b"><mu1>2</mu1></gazebo>'
            ),
            "two properties": with_block('<gazebo reference="a"><mu1>1</mu1><mu2>2</mu2></gazebo>'),
            "two sensors": with_block('<gazebo reference="a"><sensor name="x"/><sensor name="y"/></gazebo>'),
        },
    ),
    "XML-007": Cases(
        found={"on one link": with_block(sensor("s") + sensor("s", kind="camera"))},
        silent={
            "on no link": with_block((sensor("s") + sensor("s")).replace(' reference="a"', "")),
            "on two links": with_block(sensor("s") + sensor("s", reference="b")),
            "two names": with_block(sensor("s") + sensor("t")),
        },
    ),
    "XML-008": Cases(
        found={
            "a gazebo in a gazebo": Model(
                with_block('<gazebo><gazebo reference="a"/></gazebo>'), says="<gazebo> is inside <gazebo>"
            ),
            "in a link": Model(robot(link("a", "<gazebo><mu1>1</mu1></gazebo>")), element="link 'a'"),
            "a transmission in a joint": robot(link("a"), link("b"), joint("j", "a", "b", transmission("t", "j"))),
        },
        silent={
            "a child of the robot": with_block('<gazebo reference="a"/>'),
            "a transmission in ros2_control": with_block(
                f'<ros2_control name="c">{transmission("t", "drive")}</ros2_control>'
            ),
        },
    ),
    "XML-009": Cases(
        found={
            "no link, in every element": Model(with_block(plugin(elements(LINKS, "c"))), count=5),
            "no frame, in every element": Model(with_block(plugin(elements(FRAMES, "c"))), count=4),
            "no link": Model(with_block(plugin("<bodyName>c</bodyName>")), says="<bodyName> names the link 'c'"),
            "no frame": Model(with_block(plugin("<frame_name>eye</frame_name>")), says="names the frame 'eye'"),
            "a collision of no link": with_block(sensor("s", COLLISION.format("q_collision"), "b")),
            "in SDF": Model(sdf('<plugin name="p" filename="p.so"><link_name>q</link_name></plugin>'), format="sdf"),
        },
        silent={
            "a name with elements": with_block(plugin("<bodyName>c<x/></bodyName>")),
            "an empty collision": with_block(sensor("s", COLLISION.format(""), "b")),
            "a collision by its name": with_block(sensor("s", COLLISION.format("shell"), "b")).replace(
                '<link name="b"></link>',
                link("b", '<collision name="shell"><geometry><sphere radius="1"/></geometry></collision>'),
            ),
            "frames of the world": with_block(plugin("".join(elements(FRAMES[:1], name) for name in WORLD))),
            "a name that is made": with_block(plugin("<bodyName>$(arg body)</bodyName>")),
            "a sensor": with_block(sensor("s") + plugin("<bodyName>a</bodyName>")),
            "a link": with_block(plugin("<bodyName>a</bodyName>")),
            "a link of a model": with_block(plugin("<bodyName>r::a</bodyName>")),
            "a frame behind a name space": with_block(plugin("<frameName>/robot/a</frameName>")),
            "a frame of the world": with_block(
                plugin("<frameName>map</frameName><robotBaseFrame>odom</robotBaseFrame>")
            ),
            "nothing": with_block(plugin("<bodyName/>")),
            "another element": with_block(plugin("<odometryFrame>c</odometryFrame>")),
            "a collision of a link": with_block(sensor("s", COLLISION.format("b_collision_1"), "b")),
            "a link of SDF": Model(
                sdf('<plugin name="p" filename="p.so"><link_name>a</link_name></plugin>'), format="sdf"
            ),
        },
    ),
    "XML-010": Cases(
        found={
            "of an unknown file": Model(
                system("gz-sim-mine-system", "gz::sim::systems::DiffDrive"), says="expected gz-sim-diff-drive-system"
            ),
            "whose file is not named after them": Model(in_files(dict.fromkeys(OTHERWISE, "imu")), count=13),
            "of an old ros2_control": Model(
                system("libign_ros2_control-system.so", "gz_ros2_control::GazeboSimROS2ControlPlugin"),
                says="expected ign_ros2_control::IgnitionROS2ControlPlugin",
            ),
            "another system": Model(
                system("gz-sim-imu-system", "gz::sim::systems::DiffDrive"),
                says="has no class 'gz::sim::systems::DiffDrive'",
            ),
            "an old name": system("libignition-gazebo6-imu-system.so", "ignition::gazebo::systems::Contact"),
            "an unknown class": system("gz-sim-imu-system", "gz::sim::systems::Mine"),
            "of ros2_control": system("libgz_ros2_control-system.so", "gz_ros2_control::IgnitionROS2ControlPlugin"),
        },
        silent={
            "of another library": system("libmine.so", "gz::sim::systems::DiffDrive"),
            "whose file is not named after them": in_files(OTHERWISE),
            "of an old ros2_control": system(
                "libign_ros2_control-system.so", "ign_ros2_control::IgnitionROS2ControlPlugin"
            ),
            "with hyphens": system(
                "gz-sim-joint-position-controller-system", "gz::sim::systems::JointPositionController"
            ),
            "with a name of its own": system("gz-sim-log-system", "gz::sim::systems::LogRecord"),
            "with an underscore": system(
                "gz-sim-lighter_than_air_dynamics-system", "gz::sim::systems::LighterThanAirDynamics"
            ),
            "an old name": system("libignition-gazebo-wheel-slip-system.so", "ignition::gazebo::systems::WheelSlip"),
            "somebody else's": system("gz-sim-yarp-imu-system", "gzyarp::Imu"),
            "both unknown": system("gz-sim-mine-system", "gz::sim::systems::Yours"),
            "of Gazebo Classic": system("libgazebo_ros_imu.so", "anything"),
            "of ros2_control": system("gz_ros2_control-system", "gz_ros2_control::GazeboSimROS2ControlPlugin"),
            "its alias": system("gz_ros2_control-system", "ign_ros2_control::IgnitionROS2ControlPlugin"),
            "of a copy": system("franka_ign_ros2_control-system", "ign_ros2_control::IgnitionROS2ControlPlugin"),
        },
    ),
    "XML-016": Cases(
        found={
            "in a block": Model(
                coloured("<material>Gazebo/Blue</material>"),
                says="the material 'Gazebo/Blue' is of Gazebo Classic; write <ambient>",
                element="<material>",
            ),
            "of a script": Model(coloured(f"<visual>{SCRIPT}</visual>"), says="'Gazebo/Grey'"),
            "two, said once": Model(
                coloured("<material>A/B</material>").replace("</robot>", MORE + "</robot>"), says="(also 'Gazebo/Red')"
            ),
            **{f"with {name}": coloured("<material>A</material>", name) for name in MODERN},
            "with the hardware of ros2_control": coloured("<material>A</material>", "").replace(
                "</robot>",
                f'<ros2_control name="s" type="system">{HARDWARE}</ros2_control></robot>',
            ),
            "in SDF": Model(grey("gz-sim-imu-system"), format="sdf"),
            "in SDF, with a map of light": Model(grey("gz-sim-imu-system", "<lighting>true</lighting>"), format="sdf"),
        },
        silent={
            "for Gazebo Classic": coloured("<material>A</material>", "libgazebo_ros_camera.so"),
            "for both": coloured("<material>A</material>", "libgazebo_ros_camera.so").replace(
                "</robot>", f'<gazebo><plugin filename="{MODERN[0]}" name="q"/></gazebo></robot>'
            ),
            "for neither": coloured("<material>A</material>", "libmine.so"),
            "without a name": coloured("<material> </material>"),
            **{
                f"with <{tag}>": Model(grey("gz-sim-imu-system", f"<{tag}>1 0 0 1</{tag}>"), format="sdf")
                for tag in ("ambient", "diffuse", "pbr")
            },
            "in SDF, without a script": Model(grey("gz-sim-imu-system").replace(SCRIPT, ""), format="sdf"),
            "in SDF, for Gazebo Classic": Model(grey("libgazebo_ros_imu_sensor.so"), format="sdf"),
        },
    ),
    "XML-011": Cases(
        found={
            "in every element": Model(looking("0 0 0", tags=IMAGES), count=5),
            "of every kind of camera": Model(looking("0 0 0", CAMERAS), count=7),
            "turned by hardly more than 60 degrees": camera("-1.5707963 0 -0.5131"),
            "the axes of the link": Model(camera("0 0 0"), says="<frameName> names 'eye'"),
            "the link itself": camera(OPTICAL, "a"),
            "in another element": camera("0 0 0", tag="optical_frame_id", kind="depth_camera"),
            "turned by the pose": camera(OPTICAL, pose="<pose>0 0 0 0 1.6 0</pose>"),
            "turned by 62 degrees": camera("-1.5707963 0 -0.49"),
        },
        silent={
            "turned with the pose of its camera": camera(
                "-1.5707963 0 0", pose="<camera><pose>0 0 0 0 0 1.5707963</pose></camera>"
            ),
            "on a joint": camera("0 0 0").replace('reference="a"', 'reference="j"'),
            "a pose that cannot be read": camera(OPTICAL, pose="<pose>0 0 x</pose>"),
            "of another element": camera("0 0 0", tag="robotNamespace"),
            "turned by hardly 60 degrees": camera("-1.5707963 0 -0.5341"),
            "optical axes": camera(OPTICAL),
            "turned by 58 degrees": camera("-1.5707963 0 -0.56"),
            "turned with the pose": camera("-1.5707963 0 0", pose="<pose>0 0 0 0 0 1.5707963</pose>"),
            "no camera": camera("0 0 0", kind="ray"),
            "a frame that is elsewhere": camera("0 0 0", frame="other"),
        },
    ),
    "XML-012": Cases(
        found={
            "of every element": Model(twice(TOPICS, "<{0}>t</{0}>", "<{0}>t</{0}>"), count=6),
            "of two elements": Model(
                topics(f"{TOPIC}<imageTopicName>scan</imageTopicName>", ""), says="'scan' is also that of <topicName>"
            ),
            "of commands and odometry": topics("<topic>t</topic><odom_topic>t</odom_topic>", ""),
            "of two remappings": topics("<remapping>a:=t</remapping><remapping>b:=t</remapping>", ""),
            "of two plug-ins": Model(topics(TOPIC, TOPIC), says="topic 'scan' is also that of plugin 'p'"),
            "of two sensors": with_block(sensor("s", "<topic>x</topic>") + sensor("t", "<topic>x</topic>", "b")),
        },
        silent={
            "topics that Gazebo names": with_block(
                sensor("s", "<topic>__default__</topic>") + sensor("t", "<topic>__default__</topic>")
            ),
            "two remappings": topics("<remapping>a:=t</remapping><remapping>b:=u</remapping>", ""),
            "an element twice": topics("<topic>t</topic><topic>t</topic>", ""),
            "empty elements": topics("<topic/><odom_topic/>", ""),
            "a frame and a topic": topics("<topic>t</topic><frameName>t</frameName>", ""),
            "empty topics": topics("<topicName/>", "<topicName/>"),
            "in every name space": twice(
                SPACES, "<topicName>t</topicName><{0}>x</{0}>", "<topicName>t</topicName><{0}>y</{0}>"
            ),
            "two topics": topics(TOPIC, "<topicName>image</topicName>"),
            "two name spaces": topics(TOPIC, f"{TOPIC}<robotNamespace>r</robotNamespace>"),
            "of two files": topics(TOPIC, TOPIC, "q.so"),
            "no topic": topics("<robotNamespace>r</robotNamespace>", "<robotNamespace>r</robotNamespace>"),
            "of two sensors": with_block(sensor("s", "<topic>x</topic>") + sensor("t", "<topic>y</topic>", "b")),
        },
    ),
    "XML-014": Cases(
        found={
            "all of an imu": Model(with_block(sensor("s", f"<imu/>{elements(OF_IMU)}")), count=4),
            "all of a camera": Model(
                with_block(sensor("s", f"<camera/>{elements(OF_CAMERA)}", kind="camera")), count=6
            ),
            "all of a ray": Model(with_block(sensor("s", f"<ray/>{elements(OF_RAY)}", kind="ray")), count=2),
            "all of a lidar": Model(with_block(sensor("s", f"<lidar/>{elements(OF_RAY)}", kind="lidar")), count=2),
            "all of a sensor": Model(
                with_block(
                    "".join(
                        sensor(
                            f"s_{kind}",
                            f"<{kind}>{elements(('always_on', 'update_rate', 'visualize', 'plugin'))}</{kind}>",
                            kind=kind,
                        )
                        for kind in ("imu", "camera", "ray", "lidar")
                    )
                ),
                count=16,
            ),
            "outside of the imu": Model(
                with_block(sensor("s", "<enable_orientation>0</enable_orientation><imu/>")), says="put it into <imu>"
            ),
            "without a camera": with_block(sensor("s", "<clip/>", kind="camera")),
            "inside of the lidar": Model(
                with_block(sensor("s", "<lidar><update_rate>9</update_rate></lidar>", kind="gpu_lidar")),
                says="put it into <sensor>",
            ),
        },
        silent={
            "of no type": with_block(sensor("s", "<clip/>").replace(' type="imu"', "")),
            "where they belong": with_block(sensor("s", "<update_rate>9</update_rate><camera><clip/></camera>")),
            "of another kind": with_block(sensor("s", "<range>9</range><sonar/><imu/>")),
        },
    ),
    "XML-015": Cases(
        found={
            **SILENT_NUMBERS.found,
            "beyond a turn": Model(with_block(sensor("s", elements(ANGLES, 6.3))), count=3),
            "beyond a turn, backwards": Model(with_block(sensor("s", elements(ANGLES, -6.3))), count=3),
            "no field of view": with_block(sensor("s", FOV.format(0))),
            "less than one": Model(with_block(sensor("s", elements(COUNTS, 0.9))), count=3),
            "less than zero": Model(with_block(sensor("s", elements(LENGTHS, -0.1))), count=3),
            "no numbers": Model(setting(NUMBERS, "x"), count=8),
            "not even infinite": setting(("kp",), "nan"),
            "neither true nor false, all": Model(setting(LOGICAL, "yes"), count=6),
            "angles exchanged": Model(
                with_block(sensor("s", "<scan><min_angle>1</min_angle><max_angle>0</max_angle></scan>")),
                says="<min_angle> is 1, above <max_angle>, which is 0",
            ),
            "planes exchanged": Model(
                with_block(sensor("s", "<clip><near>9</near><far>1</far></clip>")),
                says="<near> is 9, above <far>, which is 1",
            ),
            "every type, in capitals": Model(
                with_block("".join(sensor(f"s_{kind}", kind=kind.upper()) for kind in TYPES)), count=34
            ),
            "hardly more than a turn": Model(
                with_block(sensor("s", FOV.format(6.3), kind="camera")),
                says="<horizontal_fov> is '6.3'; expected an angle in radians",
            ),
            "degrees": Model(with_block(sensor("s", FOV.format(80), kind="camera")), says="is '80'; expected an angle"),
            "a type": Model(with_block(sensor("s", kind="cammera")), says="did you mean 'camera'?"),
            "exchanged": Model(
                with_block(sensor("s", "<ray><range><min>9</min><max>0.1</max></range></ray>", kind="ray")),
                says="<min> is 9, above <max>, which is 0.1",
            ),
            "a negative rate": with_block(sensor("s", "<update_rate>-1</update_rate>")),
            "no number": with_block('<gazebo reference="a"><mu1>0.2.0</mu1></gazebo>'),
            "neither true nor false": with_block('<gazebo reference="a"><selfCollide>ture</selfCollide></gazebo>'),
        },
        silent={
            **SILENT_NUMBERS.silent,
            "an empty rate": with_block(sensor("s", "<update_rate/>")),
            "one of two": with_block(sensor("s", "<clip><near>9</near></clip>")),
            "a minimum that is no number": with_block(sensor("s", "<range><min>x</min><max>1</max></range>")),
            "a maximum that is no number": with_block(sensor("s", "<range><min>1</min><max>x</max></range>")),
            "a turn backwards": with_block(sensor("s", elements(ANGLES[:1], -6.2832))),
            "from one": with_block(sensor("s", elements(COUNTS, 1))),
            "from zero": with_block(sensor("s", elements(LENGTHS, 0))),
            "without end": setting(NUMBERS, "inf"),
            "true": setting(LOGICAL, "True"),
            "false": setting(LOGICAL, "0"),
            "the same": with_block(sensor("s", "<clip><near>1</near><far>1</far></clip>")),
            "every type": with_block("".join(sensor(f"s_{kind}", kind=kind) for kind in TYPES)),
            "in a noise": with_block(sensor("s", "<imu><noise><x><far>-1</far></x></noise></imu>")),
            "a setting of no link": with_block("<gazebo><kp>x</kp></gazebo>"),
            "a number that is made": setting(NUMBERS, "${mu}"),
            "radians": with_block(sensor("s", FOV.format(1.4), kind="camera")),
            "a whole turn": with_block(sensor("s", FOV.format(6.2832), kind="camera")),
            "one angle": with_block(sensor("s", "<ray><min_angle>0</min_angle><max_angle>0</max_angle></ray>")),
            "in a plug-in": with_block(sensor("s", "<plugin><update_rate>-1</update_rate></plugin>")),
            "a number": with_block('<gazebo reference="a"><kp>1e+13</kp><gravity>1</gravity></gazebo>'),
        },
    ),
    "XML-013": Cases(
        found={
            "several wheels on joints that do not turn": drive("<wheelSeparation>1.1<").replace(
                "</robot>",
                '<link name="w"/><joint name="rear_wheel" type="fixed"><parent link="base_link"/><child link="w"/>'
                "</joint></robot>",
            ),
            "several joints that are no wheels": drive("<wheelSeparation>1.1<").replace(
                "</robot>",
                '<link name="w"/><joint name="lidar" type="continuous"><parent link="base_link"/><child link="w"/>'
                "</joint></robot>",
            ),
            "a fixed joint": Model(
                drive("<rate>1<").replace('"left_wheel_joint" type="continuous"', '"left_wheel_joint" type="fixed"'),
                says="the joint 'left_wheel_joint' is fixed; expected a joint that turns",
                element="plugin 'p'",
            ),
            "too near": Model(drive("<wheel_separation>0.26<"), says="wheel_separation is 0.26 m, but the wheels are"),
            "a radius for a diameter": Model(drive("<wheelDiameter>0.1<"), says="the diameter of the wheels is 0.2 m"),
            "a diameter for a radius": drive("<wheel_radius>0.2<"),
        },
        silent={
            "a radius of zero": drive("<wheel_radius>0<"),
            "a negative radius": drive("<wheel_radius>-0.2<"),
            "one wheel": drive("<wheel_radius>0.2<").replace("rightJoint", "otherJoint"),
            "another size": drive("<wheel_width>0.2<"),
            "wheels that are not on one axle": drive("<wheelSeparation>1<").replace("0 -0.2 0", "0.5 -0.2 0"),
            "as far as the shapes": drive("<wheelSeparation>1<")
            .replace('<origin rpy="1.5708 0 0"/>', '<origin xyz="0 0.3 0" rpy="1.5708 0 0"/>', 2)
            .replace('<origin rpy="1.5708 0 0"/>', '<origin xyz="0 -0.3 0" rpy="1.5708 0 0"/>', 2),
            "as they are": drive("<wheelSeparation>0.4<"),
            "a diameter": drive("<wheelDiameter>0.2<"),
            "no number": drive("<wheelDiameter>x<"),
            "other wheels": drive("<wheelDiameter>x<", "a"),
            "several wheels that skid": Model(
                drive("<wheelSeparation>1.1<").replace(
                    "</robot>",
                    '<link name="w"/><joint name="rear_wheel" type="continuous"><parent link="base_link"/>'
                    '<child link="w"/></joint></robot>',
                )
            ),
        },
    ),
}

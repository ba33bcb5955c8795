"""Rules about sensors and settings of Gazebo: where their elements stand, and which values they may have."""

from collections.abc import Callable, Iterator, Mapping
from math import pi

from kinetree.rules.blocks.spelling import LETTERS, NEARLY, nearly, number_of
from kinetree.rules.mjcf import Parts, keyframe_faults, numbers_out_of_range
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Robot, Threshold
from kinetree.rules.structure import Block

OF_KIND = {
    **dict.fromkeys(
        ("enable_orientation", "orientation_reference_frame", "angular_velocity", "linear_acceleration"), ("imu",)
    ),
    **dict.fromkeys(("horizontal_fov", "image", "clip", "distortion", "lens", "depth_camera"), ("camera",)),
    **dict.fromkeys(("scan", "range"), ("ray", "lidar")),
}
"""Elements to the parts of a sensor in which they stand."""
OF_SENSOR = ("always_on", "update_rate", "visualize", "plugin")
"""Elements that stand in the sensor itself."""
KINDS = ("imu", "camera", "ray", "lidar")
TURN = Threshold(2 * pi + 1e-3, "rad", "largest angle of a sensor, a rounded turn")
RANGES: Mapping[str, tuple[Callable[[float], bool], str]] = {
    **dict.fromkeys(("min_angle", "max_angle"), (lambda value: abs(value) <= TURN, "an angle in radians")),
    "horizontal_fov": (lambda value: 0 < value <= TURN, "an angle in radians"),
    **dict.fromkeys(("samples", "width", "height"), (lambda value: value >= 1, "a number from 1")),
    **dict.fromkeys(("update_rate", "near", "far"), (lambda value: value >= 0, "a number from 0")),
    **dict.fromkeys(
        ("mu", "mu1", "mu2", "kp", "kd", "maxVel", "minDepth", "dampingFactor"),
        (lambda value: value == value, "a number"),
    ),
}
"""Elements to whether a number is in their range, and to what is expected."""
LOGICAL = ("gravity", "turnGravityOff", "selfCollide", "self_collide", "provideFeedback", "implicitSpringDamper")
IN_ORDER = {"min_angle": "max_angle", "min": "max", "near": "far"}
"""Elements to the ones beside them whose number is larger."""
_TYPES = (
    "air_pressure air_speed altimeter boundingbox boundingbox_camera camera contact custom depth depth_camera "
    "force_torque gps gpu_lidar gpu_ray imu lidar logical_camera magnetometer multicamera navsat ray rfid "
    "rfidtag rgbd rgbd_camera segmentation segmentation_camera sonar thermal thermal_camera wide_angle_camera "
    "wideanglecamera wireless_receiver wireless_transmitter"
)
SENSORS = tuple(_TYPES.split())
"""Types of sensors in SDF."""


class SensorParts(Quality):
    """Each element of a sensor stands where the simulator looks for it.

    Elsewhere it is ignored, and the sensor has the default.
    """

    code = "XML-014"
    clause = "the elements of sensor, and those of its imu, camera or ray"
    url = "http://sdformat.org/spec?ver=1.11&elem=sensor"
    base = with_blocks(
        '  <gazebo reference="link_6"><sensor name="imu" type="imu">\n'
        "    <imu><enable_orientation>0</enable_orientation></imu>\n  </sensor></gazebo>"
    )
    good = """<imu><enable_orientation>0</enable_orientation></imu>"""
    bad = """<enable_orientation>0</enable_orientation><imu/>"""

    def check(self, sensors: tuple[Element, ...]) -> Found:
        """An element of an imu, a camera or a ray in the sensor, or the other way about."""
        for sensor in (one for one in sensors if one.get("type")):
            kinds = [part for part in sensor.children if part.tag in KINDS]
            for part in sensor.children:
                owners = OF_KIND.get(part.tag, ())
                if owners and (not kinds or any(kind.tag in owners for kind in kinds)):
                    message = f"<{part.tag}> has no effect here; put it into <{owners[0]}>"
                    yield self.finding(message, sensor, source=part.source)
            for kind in kinds:
                for part in (part for part in kind.children if part.tag in OF_SENSOR):
                    message = f"<{part.tag}> has no effect in <{kind.tag}>; put it into <sensor>"
                    yield self.finding(message, sensor, source=part.source)


class SensorValues(Quality):
    """The values of sensors, actuators and settings are in their range.

    A simulator refuses the model, has a sensor that sees nothing, or a motor without limits.
    """

    code = "XML-015"
    thresholds = (TURN, NEARLY, LETTERS)
    clause = "angles in radians; min below max"
    url = SensorParts.url
    base = with_blocks(
        '  <gazebo reference="link_6"><sensor name="eye" type="camera">\n'
        "    <camera><horizontal_fov>1.39</horizontal_fov></camera>\n  </sensor></gazebo>"
    )
    good = """<horizontal_fov>1.39<"""
    bad = """<horizontal_fov>80<"""

    def check(self, robot: Robot, sensors: Parts, blocks: tuple[Block, ...], mjcf_parts: Parts) -> Found:
        """An angle beyond a turn, a negative rate or distance, a limit below the one before it, a type of sensor that
        differs from a known one by a letter; a setting of a link that is no number, or neither true nor false.
        Plug-ins, noise and texts with $ are not judged. In MJCF, ranges in the wrong order, and negative gains,
        damping, friction and timesteps, which MuJoCo reads without a word, and lists in keyframes that are too long or
        too short, which it refuses or takes for the first joints; not what the reader reports there."""
        said = {note.source for note in robot.notes}
        for message, element, name in (*numbers_out_of_range(mjcf_parts), *keyframe_faults(robot, mjcf_parts)):
            if (place := element.place(name)) not in said:
                yield self.finding(message, element, source=place)
        for sensor in sensors:
            if near := nearly(sensor.get("type") or "", SENSORS):
                message = f"the type is {sensor.get('type')!r}; did you mean {near!r}?"
                yield self.finding(message, sensor, source=sensor.place("type"))
            for owner in _written(sensor):
                for part in owner.children:
                    if fault := _fault(part) or _out_of_order(part, owner):
                        yield self.finding(fault, sensor, source=part.source)
        for _, block in blocks:
            for part in block.children if block.tag == "gazebo" and block.get("reference") else ():
                if fault := _fault(part):
                    yield self.finding(fault, block, source=part.source)


def _written(element: Element) -> Iterator[Element]:
    """Yield an element and those inside, without plug-ins and noise, which have values of their own."""
    yield element
    for child in element.children:
        if child.tag not in ("plugin", "noise") and child.children:
            yield from _written(child)


def _fault(part: Element) -> str:
    text = part.text.strip()
    if not text or part.children or "$" in text:
        return ""
    if part.tag in LOGICAL:
        is_known = text.lower() in ("true", "false", "0", "1")
        return "" if is_known else f"<{part.tag}> is {text!r}; expected true or false"
    if part.tag not in RANGES:
        return ""
    is_inside, expected = RANGES[part.tag]
    value = number_of(text)
    is_right = value is not None and is_inside(value)
    return "" if is_right else f"<{part.tag}> is {text!r}; expected {expected}"


def _out_of_order(part: Element, owner: Element) -> str:
    other = owner.find(IN_ORDER[part.tag]) if part.tag in IN_ORDER else None
    low, high = number_of(part.text), number_of(other.text) if other else None
    if other is None or low is None or high is None or low <= high:
        return ""
    return f"<{part.tag}> is {part.text.strip()}, above <{other.tag}>, which is {other.text.strip()}"

"""Rule about the parts of sensors of Gazebo: which stand in the sensor, and which in its <imu>, <camera> or <ray>."""

from collections.abc import Iterator

from kinetree.conventions.quality import Quality, with_blocks
from kinetree.errors import Finding
from kinetree.formats.xml import Element

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

    def check(self, sensors: tuple[Element, ...]) -> Iterator[Finding]:
        """An element of an imu, a camera or a ray in the sensor, or the other way about."""
        for sensor in (one for one in sensors if one.get("type")):
            kinds = [part for part in sensor.children if part.tag in KINDS]
            for part in sensor.children:
                owners = OF_KIND.get(part.tag, ())
                if owners and (not kinds or any(kind.tag in owners for kind in kinds)):
                    message = f"<{part.tag}> has no effect here; put it into <{owners[0]}>"
                    yield self.finding(message, sensor.label, source=part.source)
            for kind in kinds:
                for part in (part for part in kind.children if part.tag in OF_SENSOR):
                    message = f"<{part.tag}> has no effect in <{kind.tag}>; put it into <sensor>"
                    yield self.finding(message, sensor.label, source=part.source)

"""<sensor>: sensors at a site become sensors on its frame; the others are kept."""

from kinetree.formats.mjcf.context import Context, attributes_extension, name_or_free
from kinetree.model.robot import Sensor
from kinetree.syntax.xml.reader import Element

AT_SITE = ("accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "touch", "rangefinder")
BETWEEN = ("force", "torque")  # measured between the site's body and its parent
KEPT = ("noise", "cutoff", "nsample", "interp", "delay", "interval", "user", "data")


def read_sensors(context: Context, root: Element) -> list[Element]:
    """Add the sensors at sites to the parts; return the other elements."""
    others = []
    frames = {frame.name: frame for frame in context.parts.frames}
    joint_to = {joint.child: joint.name for joint in context.parts.joints}
    for element in (e for section in root.find_all("sensor") for e in section.children):
        if element.tag not in AT_SITE or "camera" in element.attributes:
            others.append(element)
            continue
        site = element.get("site") or ""
        if not site:
            message = f"<{element.tag}> needs site=…, which is missing; it is kept unchanged"
            context.report.warning("unknown-name", message, element)
        frame = frames.get(context.names.here("site", site))
        if frame is None:  # unknown names are reported elsewhere, all together
            others.append(element)
            continue
        kept = {k: element.attributes[k] for k in KEPT if k in element.attributes}
        context.parts.sensors.append(
            Sensor(
                name_or_free(context, element, f"{frame.name}_{element.tag}", context.names.sensors),
                element.tag,
                frame.name,
                joint=joint_to.get(frame.link) if element.tag in BETWEEN else None,
                extensions=attributes_extension(element, kept),
                source=element.source,
            )
        )
    return others

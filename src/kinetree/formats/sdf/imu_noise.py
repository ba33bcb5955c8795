"""What is kept of sensors, with the noise of an IMU for each axis."""

from collections.abc import Iterable
from html import escape

from kinetree.model.robot import Extension
from kinetree.syntax.xml.reader import Element

QUANTITIES = {"rate": "angular_velocity", "accel": "linear_acceleration"}
VALUES = ("mean", "stddev", "bias_mean", "bias_stddev")


def kept_of_sensor(elements: Iterable[Element]) -> tuple[Extension, ...]:
    """Return elements of a sensor as they stand, but for <noise> in an <imu>, which SDF had until 1.5.

    Since 1.6 each axis has its own, and Gazebo ignores the old one, which sdformat's conversion of URDF leaves.
    Source: sdformat's conversion from 1.5 to 1.6.
    """
    return tuple(Extension("sdf", e.tag, _imu(e) if e.tag == "imu" else e.kept, e.source) for e in elements)


def _imu(imu: Element) -> str:
    old = imu.find("noise")
    if old is None or any(imu.find(tag) is not None for tag in QUANTITIES.values()):
        return imu.kept
    kind = old.find("type")
    kind_text = escape(kind.text.strip() if kind is not None else "gaussian")
    made = ""
    for tag, quantity in QUANTITIES.items():
        given = old.find(tag)
        if given is not None:
            values = "".join(child.kept for child in given.children if child.tag in VALUES)
            axes = "".join(f'<{axis}><noise type="{kind_text}">{values}</noise></{axis}>' for axis in "xyz")
            made += f"<{quantity}>{axes}</{quantity}>"
    rest = "".join(child.kept for child in imu.children if child is not old)
    return f"<imu>{rest}{made}</imu>"

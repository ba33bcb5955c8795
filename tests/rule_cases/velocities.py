"""Velocity limits in degrees, turns and millimetres."""

from rule_cases.builders import limit
from rule_cases.case import Cases, Model
from rule_cases.limits import several


def fast(*velocities: object, kind: str = "revolute") -> str:
    """Joints with these velocity limits."""
    return several(*(limit(velocity=one) for one in velocities), kind=kind)


CASES = {
    "LIM-013": Cases(
        found={
            "degrees": Model(
                fast(98, 180, 140),
                says="is 180 rad/s; is it in deg/s (3.14 rad/s) or in rpm (18.8 rad/s)? (also 'j0', 'j2')",
                element="joint 'j1'",
            ),
            "of one joint": Model(fast(3.1, 3.1, 175), says="rad/s)?", element="joint 'j2'"),
            "half degrees": fast(157.5),
            "turns a minute, with slower ones": Model(fast(33, 65), says="6.81 rad/s)? (also 'j0')"),
            "round ones of two sizes": fast(100, 200),
            "millimetres": Model(
                fast(250, 250, kind="prismatic"), says="250 m/s; is it in mm/s (0.25 m/s)? (also 'j1')"
            ),
            "millimetres and degrees": Model(fast(175, 250).replace('type="revolute"', 'type="prismatic"', 1), count=2),
            "hardly fast enough": fast(50.5),
            "hardly fast enough to slide": fast(25, kind="prismatic"),
            "hardly the most": fast(2950.5),
            "hardly a fifth of another": Model(
                fast(20.2, 100.5), says="(1.75 rad/s) or in rpm (10.5 rad/s)? (also 'j0')"
            ),
            "hardly less than a fifth": Model(fast(20, 100.5), says="(10.5 rad/s)?"),
            "degrees of a slow arm": Model(
                fast(15, 30, 45), says="is 45 rad/s; is it in deg/s (0.785 rad/s)", options={"kind": "arm"}
            ),
            "of SDF": Model(
                '<sdf version="1.7"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
                "<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper>"
                "<velocity>175</velocity></limit></axis></joint></model></sdf>",
                format="sdf",
            ),
        },
        silent={
            "radians": fast(3, 8, 49),
            "a fast joint of an arm": Model(fast(14.9, 30, 45), options={"kind": "arm"}),
            "one round number of an arm": Model(fast(20, 20, 20), options={"kind": "arm"}),
            "fast legs": Model(fast(16, 30, 45), options={"kind": "legged"}),
            "a fast slide of an arm": Model(fast(16, 20, kind="prismatic"), options={"kind": "arm"}),
            "one round number, which LIM-008 is about": fast(100, 100),
            "a round number of each kind": fast(100, 200).replace('type="revolute"', 'type="prismatic"', 1),
            "hardly too slow": fast(49),
            "hardly too slow to slide": fast(24.5, kind="prismatic"),
            "no limit in any unit": fast(3050.5),
            "neither whole nor half": fast(100.7),
            "without an end": fast(175, kind="continuous"),
            "a wheel": fast(175).replace("j0", "left_wheel_joint"),
            "a propeller": fast(175).replace("l0", "Prop_1"),
        },
    ),
}

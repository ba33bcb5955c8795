"""Axes, endless joints and friction."""

from math import cos, pi, radians, sin

from rule_cases.builders import box, cylinder, felt, joint, link, pair, robot, turning
from rule_cases.case import Cases, Model


def about(axis: str, kind: str = "continuous") -> str:
    """A joint about an axis."""
    where = f'<parent link="a"/><child link="b"/><axis xyz="{axis}"/>'
    return robot(link("a"), link("b"), f'<joint name="j" type="{kind}">{where}</joint>')


def leaning(x: float, y: float = 0.0, scale: float = 1.0) -> str:
    """A joint nearly about z."""
    z = (1 - x * x - y * y) ** 0.5
    return about(f"{x * scale!r} {y * scale!r} {z * scale!r}")


def tilted(degrees: float) -> str:
    """A wheel whose axis leans by an angle against its cylinder."""
    return wheel(f"0 {cos(radians(degrees))!r} {sin(radians(degrees))!r}")


TWO = robot(
    link("a"),
    link("b"),
    link("c"),
    joint("good", "a", "b", kind="continuous", axis="0 1 0"),
    joint("bad", "b", "c", kind="continuous", axis="0 3 0"),
)


def turns(lower: float, upper: float) -> str:
    return turning(lower=repr(lower), upper=repr(upper))


def braked(dynamics: str) -> str:
    return pair(inside=f"<dynamics {dynamics}/>")


def at(size: float, xyz: str, child: str | None = None) -> str:
    """Two boxes on a joint at a place."""
    links = link("a", felt(box(size))), link("b", felt(box(size)) if child is None else child)
    return robot(*links, joint("j", "a", "b", kind="continuous", xyz=xyz))


def wheel(axis: str, name: str = "wheel", length: str = "0.04") -> str:
    """A cylinder along y, of 0.1 m in radius, on an endless joint."""
    cylinder = f'<cylinder radius="0.1" length="{length}"/>'
    shape = f'<visual><origin rpy="{pi / 2} 0 0"/><geometry>{cylinder}</geometry></visual>'
    return robot(link("a"), link(name, shape), joint("j", "a", name, kind="continuous", axis=axis))


CASES = {
    "JNT-001": Cases(
        found={
            "a slip": Model(about("1 9 0"), says="the axis has length 9.05539; expected a unit vector"),
            "a minus that does not count": Model(about("-1 1 0.1")),
        },
        remarked={
            "twice as long": Model(about("0 0 2"), says="the axis has length 2; expected a unit vector"),
            "a little longer": Model(about("0 0 1.0011"), says="the axis has length 1.0011"),
            "a little shorter": about("0 0 0.9989"),
            "along no axis": about("1 1 0"),
            "along another diagonal": about("1 -1 1"),
            "in the other quotes": about("0 0 2").replace('"0 0 2"', "'0 0 2'"),
            "the second of two": Model(TWO, element="joint 'bad'", says="length 3"),
            "of a joint that slides": turning(kind="prismatic").replace("0 0 1", "0 0 2"),
        },
        silent={
            "a thousandth longer": about("0 0 1.0009"),
            "a thousandth shorter": about("0 0 0.9991"),
            "three decimals": about("0.577 0.577 0.577"),
            "the other way": about("0 0 -1"),
            "of a fixed joint": about("0 0 2", "fixed"),
            "none, of a fixed joint": about("0 0 0", "fixed"),
            "of SDF, which says that it is normalised": Model(
                '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
                "<parent>a</parent><child>b</child><axis><xyz>0 0 2</xyz></axis></joint></model></sdf>",
                format="sdf",
            ),
        },
    ),
    "JNT-002": Cases(
        found={
            "hardly more than noise": leaning(1.01e-8),
            "just more than noise": Model(leaning(1.1e-8), says="1e-8 rad off 0 0 1; expected exactly 0 0 1"),
            "just less than meant": leaning(0.99e-4),
            "the other way": leaning(-5e-5),
            "off x": Model(about("1 0 -5e-5"), says="rad off 1 0 0"),
            "off y, backwards": Model(about("5e-5 -1 0"), says="rad off 0 -1 0"),
            "by both, together": Model(leaning(3e-5, 4e-5), says="5e-5 rad off 0 0 1"),
        },
        silent={
            "hardly noise": leaning(0.99e-8),
            "exactly": about("0 0 1"),
            "noise": leaning(0.9e-8),
            "meant": leaning(1.01e-4),
            "meant by both together": leaning(8e-5, 8e-5),
            "far": about("0.6 0 0.8"),
        },
    ),
    "JNT-003": Cases(
        found={
            "both ways without end": Model(turns(-999, 999), says="the limits -999 to 999 rad are many turns"),
            "farther one way": turns(-999, 5000),
            "farther the other way": turns(-5000, 999),
            "one way alone": turns(0, 1998),
        },
        remarked={
            "hardly more on one side": turns(-4 * pi - 9.9e-4, 4 * pi),
            "hardly whole": turns(-4 * pi + 0.00622, 4 * pi - 0.00622),
            "two whole turns": Model(turns(-4 * pi, 4 * pi), says="the limits are 2 whole turns each way"),
            "three, nearly": Model(turns(-18.8496, 18.8496), says="the limits are 3 whole turns"),
            "a little more on one side": turns(-4 * pi - 9e-4, 4 * pi),
            "a little less than whole": turns(-4 * pi + 0.006, 4 * pi - 0.006),
        },
        silent={
            "a little more on one side": turns(-4 * pi - 1.01e-3, 4 * pi),
            "hardly less than whole": turns(-4 * pi + 0.00635, 4 * pi - 0.00635),
            "a little less": turns(-998.9, 999),
            "a little less the other way": turns(-999, 998.9),
            "half of a little less": turns(0, 1997),
            "one turn": turns(-2 * pi, 2 * pi),
            "one and a half": turns(-3 * pi, 3 * pi),
            "two and a half": turns(-5 * pi, 5 * pi),
            "more on one side": turns(-4 * pi - 2e-3, 4 * pi),
            "more on the other": turns(-4 * pi, 4 * pi + 2e-3),
            "not whole": turns(-4 * pi + 0.007, 4 * pi - 0.007),
            "a joint that slides": turning(kind="prismatic", lower=-1000, upper=1000),
            "a continuous one": turning(kind="continuous", lower=None, upper=None),
        },
    ),
    "JNT-004": Cases(
        found={
            "damping": Model(braked('damping="-1e-9"'), says="the damping is -1e-9; expected 0 or more"),
            "friction": Model(braked('friction="-1"'), says="the friction is -1"),
            "both": Model(braked('damping="-1" friction="-1"'), count=2),
            "more friction than effort": Model(
                turning(effort=40).replace("</joint>", '<dynamics friction="40.1"/></joint>'),
                says="the friction 40.1 is more than the effort 40: the motor cannot move the joint",
                severity="warning",
            ),
            "armature and stiffness in MJCF": Model(
                '<mujoco><worldbody><body><joint name="j" armature="-1" stiffness="-2"/><geom size="1"/></body>'
                "</worldbody></mujoco>",
                format="mjcf",
                says="the stiffness is -2",
                count=2,
            ),
        },
        silent={
            "none": braked('damping="0" friction="0"'),
            "both": braked('damping="1" friction="1"'),
            "as much friction as effort": turning(effort=40).replace("</joint>", '<dynamics friction="40"/></joint>'),
            "no effort": turning(effort=0).replace("</joint>", '<dynamics friction="40"/></joint>'),
            "nothing said": pair(),
        },
    ),
    "JNT-006": Cases(
        found={
            "with a hub that is a box": wheel("0 0 1").replace("</visual>", f"</visual>{felt(box(0.1))}"),
            "more than 20 degrees off": tilted(20.2),
            "along the cylinder's length": Model(
                wheel("0 0 1"), says="the axis is 0 0 1, but the cylinder of the wheel"
            ),
            "25 degrees off": wheel("0 0.9063 0.4226"),
        },
        silent={
            "that does not turn without end": wheel("0 0 1")
            .replace('type="continuous"', 'type="revolute"')
            .replace("<axis", '<limit lower="0" upper="1" velocity="1" effort="1"/><axis'),
            "with a long axle": wheel("0 0 1").replace("</visual>", f"</visual>{felt(cylinder(0.1, 0.5))}"),
            "less than 20 degrees off": tilted(19.7),
            "its own": wheel("0 1 0"),
            "the other way": wheel("0 -1 0"),
            "15 degrees off": wheel("0 0.9659 0.2588"),
            "as long as its radius": wheel("0 0 1", length="0.1"),
            "a roller": wheel("0 0 1", length="0.3"),
            "no wheel": wheel("0 0 1", name="disc"),
        },
    ),
    "JNT-005": Cases(
        found={
            "half a metre and a little, of small shapes": Model(at(0.01, "0.512 0 0"), says="is 0.507 m away"),
            "hardly three times the size": at(1, "6.25 0 0"),
            "far from both": Model(
                at(0.1, "1 0 0"), says="the joint is 0.95 m away from the shapes of its parent link 'a'"
            ),
            "four times the size": at(1, "8 0 0"),
        },
        silent={
            "that slides": at(0.1, "1 0 0")
            .replace('type="continuous"', 'type="prismatic"')
            .replace("<axis", '<limit lower="0" upper="1" velocity="1" effort="1"/><axis'),
            "hardly half a metre, of small shapes": at(0.01, "0.502 0 0"),
            "hardly less than three times the size": at(1, "6.15 0 0"),
            "near": at(0.1, "0.5 0 0"),
            "half a metre": at(0.1, "0.54 0 0"),
            "less than three times the size": at(1, "5.5 0 0"),
            "whose shapes reach the parent": at(0.1, "1 0 0", felt(box(2))),
            "without shapes": at(0.1, "1 0 0", ""),
            "fixed": at(0.1, "1 0 0").replace("continuous", "fixed"),
        },
    ),
}

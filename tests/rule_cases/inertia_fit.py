"""Inertias that are too small for the shapes, and masses of zero with shapes."""

from rule_cases.builders import box, cylinder, felt, inertial, joint, link, mesh, robot, seen, sphere
from rule_cases.case import Cases, Model
from rule_cases.inertia import FREE, MUJOCO, both, fixed, moved


def part(of_solid: float, *shapes: str, xyz: str = "0 0 0", **products: object) -> str:
    """A moved cube of 12 kg and 0.5 m, with a part of the inertia of a solid one, 0.5 kg m² about each axis."""
    moment = repr(0.5 * of_solid)
    return moved(*(shapes or (felt(box(0.5)),)), inertial(12, moment, moment, moment, xyz=xyz, **products))


def round_part(of_solid: float, shape: str, *moments: float) -> str:
    """A moved link of 1 kg with a shape, and a part of its moments."""
    return moved(felt(shape), inertial(1, *(repr(of_solid * moment) for moment in moments)))


def mark(size: float) -> str:
    """A moved cube of a gram, with a part of the inertia of a solid one."""
    return moved(felt(box(size)), inertial(0.001, *[repr(0.001 * 0.6 * size**2 / 6)] * 3))


MARKER = 0.02 / 3**0.5
ZERO = inertial(0, 0, 0, 0)
SOME = inertial(1, 1, 1, 1.5)
ONES = inertial(1, 1, 1, 1)
PLACED = robot(link("a"), link("b", felt(box(8)), ONES), joint("j", "a", "b"))
OTHER = PLACED.replace('izz="1"', 'izz="1.01"')


def with_block(text: str, block: str) -> str:
    """A robot with one more block."""
    return text.replace("</robot>", f"{block}</robot>")


CASES = {
    "INR-018": Cases(
        found={
            "of a box": Model(
                part(0.69), says="the sum of the moments is 1.03 kg m², but 1.5 kg m² for a solid body of this size"
            ),
            "of a cylinder": round_part(0.69, cylinder(0.1, 0.3), 0.005, 0.01, 0.01),
            "of a sphere": round_part(0.69, sphere(0.5), 0.1, 0.1, 0.1),
            "of an ellipsoid": Model(
                MUJOCO.format("ellipsoid", "0.9 1.8 2.7"), format="mjcf", says="is 3.1 kg m², but 4.54 kg m²"
            ),
            "of two shapes that are one": part(0.69, seen(box(0.5)), felt(box(0.5))),
            "of two shapes, less than the smaller": part(0.69, seen(box(0.6)), felt(box(0.5))),
            "hardly in the middle": part(0.69, xyz="0.00035 0 0"),
            "with a centre elsewhere, a tenth": part(0.099, xyz="0.1 0 0"),
            "with products, a tenth": part(0.099, xy=1e-3),
            "of two shapes at one time": part(0.099, felt(box(0.5)), felt(box(0.1))),
            "of a mark that is hardly large enough": mark(1.01 * MARKER),
            "two alike, said once": Model(
                both(felt(box(0.5)), inertial(12, 0.2, 0.2, 0.2)), says="for a solid body of this size (also 'c')"
            ),
            "fixed to another": Model(fixed(felt(box(0.5)), inertial(12, 0.2, 0.2, 0.2)), element="link 'c'"),
            "fixed to another, of ten grams": fixed(felt(box(0.5)), inertial(0.0101, *["2e-4"] * 3)),
            "of a free body": Model(
                FREE.format("", 12, 0.2, 0.2, 0.2).replace(
                    "</inertial>",
                    '</inertial><collision name="c"><geometry><box><size>0.5 0.5 0.5</size></box></geometry>'
                    "</collision>",
                ),
                format="sdf",
            ),
            "of scenery with another inertia": OTHER,
            "of a block about one link": with_block(OTHER, '<gazebo reference="b"><static>true</static></gazebo>'),
            "of a static plug-in": with_block(OTHER, "<other><static>true</static></other>"),
            "of scenery with another mass": PLACED.replace('value="1"', 'value="1.01"'),
            "of what Gazebo moves": PLACED.replace("</robot>", "<gazebo><static>false</static></gazebo></robot>"),
            "of a part that moves": PLACED.replace("fixed", "continuous"),
            "of a free shape with ones": robot(link("a", felt(box(8)), ONES)),
            "of a shape that is hardly huge": moved(felt(box(57.2)), inertial(1, 1, 1, 1)),
            "hardly too heavy": moved(felt(box(1.5)), inertial(9900, 2000, 2000, 2000)),
            "light and moved": moved(felt(box(0.5)), inertial(0.001, *["2e-5"] * 3)),
        },
        silent={
            "solid": part(1),
            "hardly less": part(0.71),
            "of a cylinder": round_part(0.71, cylinder(0.1, 0.3), 0.005, 0.01, 0.01),
            "of a sphere": round_part(0.71, sphere(0.5), 0.1, 0.1, 0.1),
            "with a centre elsewhere": part(0.101, xyz="0.1 0 0"),
            "hardly beside the middle": part(0.69, xyz="0.000357 0 0"),
            "with products": part(0.69, xy=1e-3),
            "of two shapes": part(0.69, felt(box(0.5)), felt(box(0.1))),
            "of two shapes in one place": part(0.69, felt(box(0.5)), felt(box(0.6))),
            "of two shapes that are only seen": part(0.69, seen(box(0.5)), seen(box(0.1))),
            "with a mesh": part(0.05, felt(box(0.5)), seen(mesh("a.stl"))),
            "without shapes": moved(inertial(12, 0.2, 0.2, 0.2)),
            "of a mark": mark(0.99 * MARKER),
            "of a huge shape, which GEO-003 is about": moved(felt(box(58.2)), inertial(1, 1, 1, 1)),
            "too heavy, which INR-007 is about": moved(felt(box(0.5)), inertial(10100, 200, 200, 200)),
            "beside a huge shape that is only seen": moved(
                seen(box(9)), felt(box(0.5)), inertial(12, 0.5, 0.5, 0.5, xyz="0.1 0 0")
            ),
            "nothing, which INR-003 is about": moved(felt(box(0.5)), inertial(12, 0, 0, 0)),
            "too dense, which INR-012 is about": moved(felt(box(0.5)), inertial(12, 1e-6, 1e-6, 1e-6)),
            "of scenery with ones for an inertia": PLACED,
            "of what Gazebo never moves": with_block(OTHER, "<gazebo>\n<a/><static> True </static></gazebo>"),
            "of what Gazebo never moves, as a number": with_block(OTHER, "<gazebo><static>1</static></gazebo>"),
            "of a shape without contact": robot(link("a", seen(box(8)), ONES)),
            "light and fixed to another": fixed(felt(box(0.5)), inertial(0.0099, *["2e-5"] * 3)),
        },
    ),
    "INR-019": Cases(
        found={
            "fixed to another": Model(
                moved(SOME, fixed=(felt(box(0.2)), ZERO)),
                says="a collision shape, but its mass is 0",
                element="link 'c'",
            ),
            "above another": robot(
                *(link("a", SOME), link("b", felt(box(0.2)), ZERO), link("c", SOME)),
                *(joint("i", "a", "b"), joint("j", "b", "c", kind="continuous")),
            ),
            "at the root": robot(link("a", felt(box(0.2)), ZERO), link("b", SOME), joint("j", "a", "b")),
            "two, said once": Model(
                moved(SOME, fixed=(felt(box(0.2)), ZERO)).replace(
                    "</robot>", link("d", felt(box(0.2)), ZERO) + joint("l", "b", "d") + "</robot>"
                ),
                says="its mass is 0 (also 'd')",
            ),
            "just large enough": moved(SOME, fixed=(felt(box(0.0117)), ZERO)),
        },
        silent={
            "with mass": moved(SOME, fixed=(felt(box(0.2)), SOME)),
            "without an inertial, which INR-014 is about": moved(SOME, fixed=(felt(box(0.2)),)),
            "only seen": moved(SOME, fixed=(seen(box(0.2)), ZERO)),
            "with inertia, which INR-015 is about": moved(SOME, fixed=(felt(box(0.2)), inertial(0, 1, 1, 1))),
            "of a body without mass, which INR-005 is about": moved(felt(box(0.2)), ZERO),
            "of a mark": moved(SOME, fixed=(felt(box(0.0114)), ZERO)),
            "a mass that is not given, which the reader says": moved(
                SOME, fixed=(felt(box(0.2)), ZERO.replace('<mass value="0"/>', ""))
            ),
        },
    ),
}

"""Masses and inertias."""

from math import pi

from rule_cases.builders import box, felt, inertial, joint, link, mesh, pair, robot, seen, sphere
from rule_cases.case import Cases, Model
from rule_cases.geometry import PACKAGES

SOME = inertial(1, 1, 1, 1.5)
OSMIUM = 22590.0


def moved(*parts: str, fixed: tuple[str, ...] = ()) -> str:
    """A link that a joint moves, and one that is fixed to it."""
    more = (link("c", *fixed), joint("k", "b", "c")) if fixed else ()
    return robot(link("a"), link("b", *parts), joint("j", "a", "b", kind="continuous"), *more)


def both(*parts: str) -> str:
    """Two moved links alike, on links of their own."""
    return robot(
        *(link("a"), link("b", *parts), link("c", *parts)),
        *(joint("j", "a", "b", kind="continuous"), joint("k", "a", "c", kind="continuous")),
    )


def diagonal(xx: object, yy: object, zz: object, mass: object = 1) -> str:
    """A moved link with these moments."""
    return moved(inertial(mass, xx, yy, zz))


def ball(mass: float, density: float) -> str:
    """The inertial of a solid ball."""
    moment = 2 / 5 * mass * (3 * mass / (4 * pi * density)) ** (2 / 3)
    return inertial(mass, repr(moment), repr(moment), repr(moment))


def cube(moment: object, mass: float, *size: object) -> str:
    """A moved box with the same moment about every axis."""
    return moved(felt(box(*size)), inertial(mass, moment, moment, moment))


def fixed(*parts: str) -> str:
    """A link that is fixed to another, which a joint moves."""
    return moved(inertial(2, 1, 1, 1.5), fixed=parts)


def round_(radius: float, mass: float = 1) -> str:
    """An inertial with a radius of gyration, and its half about the others."""
    moment = mass * radius**2
    return inertial(mass, repr(0.7 * moment), repr(0.8 * moment), repr(moment))


def part(of_solid: float, *shapes: str, xyz: str = "0 0 0") -> str:
    """A moved cube of 12 kg and 0.5 m, with a multiple of the inertia of a solid one, 0.5 kg m² about each axis."""
    return moved(*(shapes or (felt(box(0.5)),)), inertial(12, *[repr(0.5 * of_solid)] * 3, xyz=xyz))


def with_mesh(scale: str, *parts: str) -> Model:
    """A moved link with a triangle of 1 m by 1 m in a mesh file."""
    return Model(moved(felt(mesh("package://arm/whole.stl", scale)), *parts), options=PACKAGES)


SHAPED = seen(box(1)) + felt(box(1))
LONG = felt(box(1, 0.1, 0.1))


def cart(*parts: str, fixed: str = "") -> str:
    """A root with a link fixed to it and two wheels."""
    wheels = [link(name, SOME) + joint(f"j{name}", "a", name, kind="continuous") for name in "bc"]
    return robot(link("a", *parts), link("d", fixed), joint("f", "a", "d"), *wheels)


def pair_of(*parts: str) -> str:
    """A root and one link on a joint."""
    return robot(link("a", *parts), link("b", SOME), joint("j", "a", "b", kind="continuous"))


def long(**moments: object) -> str:
    """A moved link of 1 m by 0.1 m by 0.1 m and 12 kg."""
    return moved(LONG, inertial(12, **moments))  # type: ignore[arg-type]


def chain(count: int, first: float, size: float, others: int = 0) -> str:
    """Links on joints, the first of another size, with one inertia, and others with their own."""
    own = [felt(box(first if i == 0 else size)) + inertial(1, 0.1, 0.2, 0.25) for i in range(count)]
    own += [felt(box(size)) + inertial(i + 2, 0.1, 0.2, 0.25) for i in range(others)]
    links = [link("l0"), *(link(f"l{i}", part) for i, part in enumerate(own, 1))]
    joints = [joint(f"j{i}", f"l{i - 1}", f"l{i}", kind="continuous") for i in range(1, len(links))]
    return robot(*links, *joints)


def rounded(first: str, *others: str) -> str:
    """A moved link with the same moment about every axis, and others whose largest moments are these."""
    parts = [inertial(0.1354, first, first, first), *(inertial(2, "0.0102", "0.0043", one) for one in others)]
    links = [link("l0"), *(link(f"l{i}", part) for i, part in enumerate(parts, 1))]
    return robot(*links, *(joint(f"j{i}", "l0", f"l{i}", kind="continuous") for i in range(1, len(links))))


def in_thousandths(mass: float) -> str:
    """A moved link with a moment of 0.001 about every axis, and others with moments of three decimals."""
    parts = [inertial(mass, *["0.001"] * 3), *[inertial(2, "0.012", "0.013", "0.011")] * 3]
    links = [link("l0"), *(link(f"l{i}", part) for i, part in enumerate(parts, 1))]
    return robot(*links, *(joint(f"j{i}", "l0", f"l{i}", kind="continuous") for i in range(1, len(links))))


def exchanged(x: float, y: float, z: float) -> str:
    """A box of 12 kg, with its moments about x and z exchanged."""
    moments = [repr(moment) for moment in (x**2 + y**2, x**2 + z**2, y**2 + z**2)]
    return moved(felt(box(x, y, z)), inertial(12, *moments))


CUBE = felt(box(2))  # reaches √3 m from its centre
SMALL = felt(box(0.2)) + felt(box(0.1))  # 0.17320508 m
THIN = Model(
    '<mujoco><worldbody><body name="b"><joint/><inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/></body>'
    "</worldbody></mujoco>",
    format="mjcf",
)
AUTO = (
    '<sdf version="1.11"><model name="m"><link name="a"/><link name="b"><inertial auto="true"/></link>'
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
    "</model></sdf>"
)
ROWS = """\
convention = "dh"
units = { length = "m", angle = "rad" }
rows = [{ joint = "a", a = 1, d = 0, alpha = 0, theta = 0 }]
"""
HEAVY_ROWS = """\
convention = "dh"
units = { length = "m", angle = "rad" }
rows = [
  { a = 1, d = 0, alpha = 0, theta = 0, m = 1, r = [0, 0, 0], I = [1, 1, 1.1] },
  { a = 1, d = 0, alpha = 0, theta = 0 },
  { a = 1, d = 0, alpha = 0, theta = 0, m = 1, r = [0, 0, 0], I = [1, 1, 1.1] },
]
"""
TABLE = "# convention: dh\njoint,theta (rad),d (m),a (m),alpha (rad)\nq1,0,0.1,0.2,0\n"

MUJOCO = (
    '<mujoco><worldbody><body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1.1"/>'
    '<geom type="{}" size="{}"/></body></worldbody></mujoco>'
)

STATIC = (
    '<sdf version="1.7"><model name="m"><static>true</static><link name="a"><inertial><mass>1</mass><inertia>'
    "<ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link></model></sdf>"
)
FREE = (
    '<sdf version="1.7"><model name="m">{}<link name="a"><inertial><mass>{}</mass><inertia><ixx>{}</ixx><iyy>{}</iyy>'
    "<izz>{}</izz></inertia></inertial></link></model></sdf>"
)
WIDE = STATIC.replace("<ixx>1<", "<ixx>5.5<").replace("<iyy>1<", "<iyy>6<")
WIDE = WIDE.replace("<izz>1<", "<izz>7<")
FAR_ABOVE = link("c") + link("d") + joint("k", "a", "c") + joint("l", "c", "d")
FOOT = robot(
    *(link("world"), link("a", inertial(1, 1, 1, 1)), link("b")),
    *(joint("i", "world", "a"), joint("j", "a", "b", kind="{}")),
)

CASES = {
    "INR-001": Cases(
        found={
            "two millionths": Model(diagonal("-2e-6", 1, 1), says="-2e-6, 1, 1 kg m²; none can be negative"),
            "below what is nothing": diagonal("-1.1e-15", "1e-10", "1e-10"),
            "all of them": diagonal(-1, -1, -1),
            "by what stands beside the diagonal": moved(inertial(1, "1.0", "1.0", "1.0", xy="1.2")),
        },
        silent={
            "zero": diagonal(0, 1, 1),
            "half a millionth": diagonal("-5e-7", 1, 1),
            "nothing": diagonal("-0.9e-15", "1e-10", "1e-10"),
            "explained by digits": moved(inertial(1, "1.0", "1.0", "1.0", xy="1.1")),
            "explained by digits beside a larger moment": moved(inertial(1, "1.0", "1.0", "3.0", xy="1.1")),
        },
    ),
    "INR-002": Cases(
        found={
            "by hardly more than a hundredth": diagonal("0.10000", "0.10000", "0.20204"),
            "by more than a hundredth": Model(
                diagonal("0.10000", "0.10000", "0.20210"),
                says="0.1, 0.1, 0.202 kg m²; the largest cannot exceed the sum",
            ),
            "of small ones": diagonal(0, 0, "1.1e-15"),
            "beside one slightly below zero": diagonal("-5e-7", 1, 2),
        },
        silent={
            "by hardly a hundredth": diagonal("0.10000", "0.10000", "0.20200"),
            "by less": diagonal("0.10000", "0.10000", "0.20190"),
            "of nothing": diagonal(0, 0, "1.0e-15"),
            "not broken": diagonal(1, 1, 2),
            "beside one below zero, which another rule says": diagonal("-3e-6", 1, 2),
            "explained by digits": diagonal("0.1", "0.1", "0.3"),
        },
    ),
    "INR-003": Cases(
        found={
            "a point": Model(diagonal(0, 0, 0), says="has mass, but its inertia is zero", element="link 'b'"),
            "noise": diagonal("1e-15", "1e-15", "1e-15"),
            "of a free body": Model(FREE.format("", 1, 0, 0, 0), format="sdf", element="link 'a'"),
            "a point, and something without mass": moved(inertial(1, 0, 0, 0), fixed=(inertial(0, 0, 0, 0),)),
        },
        silent={
            "a little": diagonal("2e-15", "2e-15", "2e-15"),
            "beside the diagonal": moved(inertial(1, 0, 0, 0, xy=1)),
            "two points": moved(inertial(1, 0, 0, 0), fixed=(inertial(1, 0, 0, 0),)),
            "inertia of what is fixed to it": moved(inertial(1, 0, 0, 0), fixed=(inertial(0, 1, 1, 1),)),
            "no mass": diagonal(0, 0, 0, mass=0),
            "of a free body with inertia": Model(FREE.format("", 1, 1, 1, 1), format="sdf"),
            "of a static body": Model(FREE.format("<static>1</static>", 1, 0, 0, 0), format="sdf"),
            "of a body on the ground": Model(
                FREE.format('<joint name="j" type="fixed"><parent>world</parent><child>a</child></joint>', 1, 0, 0, 0),
                format="sdf",
            ),
            "a mass below zero": diagonal(0, 0, 0, mass=-1),
            "of what does not move": robot(link("a"), link("b", inertial(1, 0, 0, 0)), joint("j", "a", "b")),
            "put in by the reader": moved('<inertial><mass value="1"/></inertial>'),
        },
    ),
    "INR-004": Cases(
        found={"a little": Model(diagonal(1, 1, 1, mass="-1e-9"), says="the mass is -1e-9 kg")},
        silent={"zero": diagonal(1, 1, 1, mass=0), "more": diagonal(1, 1, 1)},
    ),
    "INR-005": Cases(
        found={
            "zero": Model(diagonal(1, 1, 1, mass=0), says="the link moves, but its mass is 0"),
            "zero of what is fixed to it, too": moved(inertial(0, 0, 0, 0), fixed=(inertial(0, 0, 0, 0),)),
            "said of what is fixed to it": Model(moved("", fixed=(inertial(0, 0, 0, 0),)), element="link 'c'"),
            "of MuJoCo": THIN,
            "of a free body": Model(FREE.format("", 0, 1, 1, 1), format="sdf"),
        },
        silent={
            "a little": diagonal(1, 1, 1, mass="1e-9"),
            "of a free body with another mass that follows from shapes": Model(
                FREE.format("", 0, 1, 1, 1).replace(
                    "</model>",
                    '<link name="b"><inertial auto="true"/></link><joint name="j" type="fixed"><parent>a</parent>'
                    "<child>b</child></joint></model>",
                ),
                format="sdf",
            ),
            "of a free body without an inertial": Model(
                '<sdf version="1.7"><model name="m"><link name="a"/></model></sdf>', format="sdf"
            ),
            "of what is fixed to it": moved(inertial(0, 0, 0, 0), fixed=(SOME,)),
            "of what does not move": robot(link("a", inertial(0, 0, 0, 0))),
            "nothing said": moved(),
            "put in by the reader": moved('<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>'),
        },
    ),
    "INR-006": Cases(
        found={
            "of a model that is not static": Model(STATIC.replace("true", "0"), format="sdf"),
            "of a foot in a world": FOOT.replace("{}", "continuous"),
            "of a foot far below a joint": FOOT.replace('parent link="a"', 'parent link="d"')
            .replace("</robot>", FAR_ABOVE + "</robot>")
            .replace("{}", "continuous"),
            "wider than a rounded moment explains": in_thousandths(0.099),
            "hardly more than that of a shell": cube(1, 4.95, 1),
            "one": Model(diagonal(1, 1, 1), says="the inertia is 1 kg m² about every axis"),
            "a hundredth, rounded by a program": diagonal("0.009999999999999998", "0.01", "0.01"),
            "a thousandth": diagonal("0.001", "0.001", "0.001"),
            "two alike, said once": Model(both(inertial(1, 1, 1, 1)), says="which looks like a placeholder (also 'c')"),
            "two of two sizes": Model(moved(inertial(1, 1, 1, 1), fixed=(inertial(1, 10, 10, 10),)), count=2),
            "less than that of a ball": cube(1, 12.6, 1),
            "more than that of a shell": cube(1, 4.9, 1),
            "of a box that is longer than wide": cube(1, 6, 1, 1, 1.06),
            "of a cube without mass": cube(1, 0, 1),
            "of what is fixed to another, whose shapes are not all": fixed(CUBE, inertial(6, 1, 1, 1)),
            "beside moments with more digits": rounded("0.0001", "0.0121", "0.0107", "0.01071"),
            "beside two others": rounded("0.0001", "0.0121", "0.0107"),
            "of a light link, rounded to one place": rounded("0.01", "0.12", "0.13", "0.14"),
        },
        silent={
            "of a static model": Model(STATIC, format="sdf"),
            "of a static model in a world": Model(
                STATIC.replace("<model", '<world name="w"><model').replace("</model>", "</model></world>"), format="sdf"
            ),
            "of a wall in a world": FOOT.replace("{}", "fixed"),
            "a moment that may be rounded": in_thousandths(0.101),
            "rounded to the place of all others": rounded("0.0001", "0.0121", "0.0107", "0.0133"),
            "of a slight link fixed to another": fixed(inertial("0.001", "1e-6", "1e-6", "1e-6")),
            "nearly equal, to more than rounding": diagonal("0.00999999", "0.01", "0.01"),
            "another number": diagonal(2, 2, 2),
            "nearly": diagonal("1.00001", "1.00001", "1.00001"),
            "one about two axes": diagonal(1, 1, "1.1"),
            "nothing": diagonal("1e-15", "1e-15", "1e-15"),
            "that of a ball": cube(1, 12.4, 1),
            "that of a shell": cube(1, 5.1, 1),
            "that of a box as good as a cube": cube(1, 6, 1, 1, 1.04),
            "where nothing is simulated": Model(diagonal(1, 1, 1), profile="ros"),
        },
    ),
    "INR-007": Cases(
        found={
            "hardly less than a milligram": diagonal(1, 1, 1, mass="9.9e-7"),
            "more than ten tonnes": Model(
                diagonal(1e6, 1e6, 1.5e6, mass=10001), says="10,001 kg, more than ten tonnes; is it in grams?"
            ),
            "of what does not move, too": robot(link("a", inertial(10001, 1e6, 1e6, 1.5e6))),
            "less than a milligram": Model(diagonal(1, 1, 1, mass="9e-7"), says="9e-7 kg, less than a milligram"),
            "denser than osmium": moved(felt(box(1)), inertial(22591, 4e3, 4e3, 5e3)),
            "in shapes that are too large": moved(felt(box(60)), inertial(22000, 4e3, 4e3, 5e3)),
            "less altogether": moved(inertial("4e-7", 1, 1, 1), fixed=(inertial("4e-7", 1, 1, 1),)),
        },
        silent={
            "a large body": moved(felt(box(1)), inertial(22589, 4e3, 4e3, 5e3)),
            "ten tonnes": diagonal(1e6, 1e6, 1.5e6, mass=10000),
            "a milligram": diagonal(1, 1, 1, mass="1e-6"),
            "a milligram altogether": moved(inertial("6e-7", 1, 1, 1), fixed=(inertial("6e-7", 1, 1, 1),)),
            "nothing, which another rule says": diagonal(1, 1, 1, mass=0),
            "less, of what does not move": robot(link("a", inertial("9e-7", 1, 1, 1))),
            "less, on what weighs something": moved(SOME, fixed=(inertial("9e-7", 1, 1, 1),)),
        },
    ),
    "INR-008": Cases(
        found={
            "of a model that is not static": Model(WIDE.replace("true", "0"), format="sdf"),
            "more than two metres": Model(
                moved(round_(2.001, 3)),
                says="12 kg m², is too large for the mass, 3 kg: the radius of gyration is 2.001 m, more than 2 m",
            ),
            "of what does not move, too": robot(link("a", round_(2.001))),
            "in g mm², by its shapes": Model(
                moved(SMALL, inertial(1, 6e6, 7e6, 8e6)), says="more than 2 m; is it in g mm²?"
            ),
            "in g cm²": Model(moved(SMALL, inertial(1, 6e4, 7e4, 8e4)), says="; is it in g cm²?"),
            "in kg mm²": Model(moved(SMALL, inertial(1, 6e3, 7e3, 8e3)), says="; is it in kg mm²?"),
            "in kg cm², hardly": Model(
                moved(SMALL, inertial(1, 60, 60, 78)), says="m, more than 2 m; is it in kg cm²?"
            ),
            "in kg cm², hardly, too": Model(moved(SMALL, inertial(1, 18, 18.8, 30.5)), says="; is it in kg cm²?"),
            "more than its shapes": Model(moved(felt(box(3.4641016)), round_(3.01)), says="is 3.01 m, more than 2 m"),
            "of shapes that are too large": moved(felt(box(60)), round_(3)),
            "in no unit": Model(moved(SMALL, inertial(1, 195, 200, 211)), says="is 14.5 m, more than 2 m"),
            "in g mm², by the next joint": Model(
                moved(inertial(1, 6e6, 7e6, 8e6)).replace(
                    "</robot>", link("d") + joint("l", "b", "d", xyz="0.3464 0 0") + "</robot>"
                ),
                says="; is it in g mm²?",
            ),
            "in g mm², by its centre": Model(
                moved(inertial(1, 6e6, 7e6, 8e6, xyz="0.1732 0 0")), says="; is it in g mm²?"
            ),
            "a placeholder in no unit": Model(moved(SMALL, inertial(1, 100, 100, 100)), says="is 10 m, more than 2 m"),
            "a cube in a unit": Model(moved(SMALL, inertial(1, 66, 66, 66)), says="; is it in kg cm²?"),
        },
        silent={
            "of a static model": Model(WIDE, format="sdf"),
            "two metres": moved(inertial(3, 8, 10, 12)),
            "a body as wide": moved(felt(box(3.4641016)), round_(2.999)),
            "no mass": moved(inertial(0, 8, 10, 12)),
            "a mass below zero": moved(inertial(-1, 8, 10, 12)),
        },
    ),
    "INR-009": Cases(
        found={
            "of an ellipsoid": Model(
                MUJOCO.format("ellipsoid", "0.1 0.2 0.3"), format="mjcf", says="reach at most 0.374 m from"
            ),
            "of a capsule": Model(
                MUJOCO.format("capsule", "0.1 0.2"), format="mjcf", says="reach at most 0.332 m from"
            ),
            "farther": Model(
                moved(SMALL, round_(0.2265)), says="is 0.227 m, but the shapes reach at most 0.173 m from the centre"
            ),
            "from its centre": moved(felt(box(0.2), xyz="0.1 0 0"), round_(0.521).replace("0 0 0", "0.1 0 0")),
            "as far as two metres": moved(SMALL, inertial(1, 3, 3.5, 4)),
            "of shapes that are only seen": moved(seen(box(0.2)), round_(0.521)),
            "of five milligrams": moved(SMALL, round_(0.521, 5.05e-6)),
            "fixed to another": Model(fixed(SMALL, round_(0.2265)), element="link 'c'", says="at most 0.173 m"),
            "fixed to another, as a sensor of examples": fixed(
                felt(box(0.05, 0.05, 0.08)), inertial("1e-5", "1e-6", "1e-6", "1e-6")
            ),
            "fixed to another, beside one without shapes": fixed(SMALL, round_(0.521)).replace(
                "</robot>", link("d") + joint("l", "c", "d") + "</robot>"
            ),
            "two alike, said once": Model(
                both(SMALL, round_(0.521)), says="reach at most 0.173 m from the centre (also 'c')"
            ),
            "in g m²": Model(moved(SMALL, inertial(1, 2.3, 2.4, 2.5)), says="0.173 m from the centre; is it in g m²?"),
            "of shapes just large enough": moved(felt(box(0.0116)), round_(0.521)),
            "of a mesh": with_mesh("0.5 0.5 0.5", round_(0.928)),
            "of balls": moved(felt(sphere(0.1)), round_(0.521)),
            "more than any hollow box": Model(
                part(3.12), says="the sum of the moments is 4.68 kg m², but 1.5 kg m² for a solid body of this size"
            ),
            "more than any hollow ball": Model(moved(felt(sphere(0.5)), inertial(1, 0.32, 0.31, 0.31)), count=1),
            "of a hollow one, of the larger of two shapes": part(3.12, seen(box(0.5)), felt(box(0.4))),
            "of a hollow one, hardly in the middle": part(3.12, xyz="0.00035 0 0"),
            "of a hollow one of ten grams": moved(felt(box(0.5)), inertial(0.0101, *["1.35e-3"] * 3)),
            "of a hollow one, fixed to another": fixed(felt(box(0.5)), inertial(12, 1.6, 1.6, 1.6)),
            "two hollow ones alike, said once": Model(
                both(felt(box(0.5)), inertial(12, 1.6, 1.6, 1.6)), says="a solid body of this size (also 'c')"
            ),
        },
        silent={
            "of a hollow box": part(3.05),
            "of a hollow one of the larger of two shapes": part(3.12, seen(box(0.6)), felt(box(0.5))),
            "of a hollow one, hardly beside the middle": part(3.12, xyz="0.000357 0 0"),
            "of a hollow one that weighs nothing": moved(felt(box(0.5)), inertial(0.0099, *["1.35e-3"] * 3)),
            "of a hollow one that carries a shape without an inertial": part(3.12).replace(
                "</robot>", link("d", seen(box(1))) + joint("l", "b", "d") + "</robot>"
            ),
            "of a hollow one with a mesh": part(3.12, felt(box(0.5)), seen(mesh("a.stl"))),
            "of hardly less than five milligrams": moved(SMALL, round_(0.521, 4.95e-6)),
            "less": moved(SMALL, round_(0.2240)),
            "farther from its centre": moved(felt(box(0.2), xyz="0.01 0 0"), round_(0.231)),
            "farther than two metres, which another rule says": moved(SMALL, round_(2.001)),
            "without a mass": moved(SMALL, inertial(0, 1, 1, 1.5)),
            "with a mesh beside": moved(SMALL, seen(mesh("a.stl")), round_(0.521)),
            "with a larger shape beside": moved(SMALL, seen(box(0.22)), round_(0.246)),
            "without a shape": moved(round_(0.521)),
            "of no size": moved(felt(box(0)), round_(0.521)),
            "of a mark": moved(felt(box(0.0115)), round_(0.521)),
            "fixed to another, and less": fixed(SMALL, round_(0.2240)),
            "fixed to another, carrying a shape without an inertial": fixed(SMALL, round_(0.521)).replace(
                "</robot>", link("d", SMALL) + joint("l", "c", "d") + "</robot>"
            ),
            "of a mesh as large": with_mesh("0.5 0.5 0.5", round_(0.91)),
            "with a larger shape fixed to it": moved(SMALL, round_(0.521), fixed=(seen(box(0.5)),)),
        },
    ),
    "INR-010": Cases(
        found={
            "more than three times the size away": Model(
                moved(CUBE, inertial(1, 1, 1, 1.5, xyz="11.4 0 0")),
                says="10.4 m outside of the shapes, which are 3.46 m in size",
            ),
            "the other way": moved(CUBE, inertial(1, 1, 1, 1.5, xyz="0 -11.4 0")),
            "fixed to another": Model(fixed(CUBE, inertial(1, 1, 1, 1.5, xyz="11.4 0 0")), element="link 'c'"),
            "of shapes just large enough": moved(felt(box(0.0117)), inertial(1, 1, 1, 1.5, xyz="1 0 0")),
            "of shapes that lie elsewhere": moved(felt(box(2), xyz="0 0 5"), inertial(1, 1, 1, 1.5, xyz="0 0 -6.4")),
        },
        silent={
            "less": moved(CUBE, inertial(1, 1, 1, 1.5, xyz="11.3 0 0")),
            "of shapes that lie there": moved(felt(box(2), xyz="0 0 5"), inertial(1, 1, 1, 1.5, xyz="0 0 15")),
            "without a mass": moved(CUBE, inertial(0, 1, 1, 1.5, xyz="20 0 0")),
            "of no size": moved(felt(box(0)), inertial(1, 1, 1, 1.5, xyz="20 0 0")),
            "with a mesh beside": moved(CUBE, seen(mesh("a.stl")), inertial(1, 1, 1, 1.5, xyz="20 0 0")),
            "of a mark": moved(felt(box(0.0115)), inertial(1, 1, 1, 1.5, xyz="1 0 0")),
            "of a mark, too": fixed(felt(box(0.0113)), inertial(1, 1, 1, 1.5, xyz="1 0 0")),
        },
    ),
    "INR-011": Cases(
        found={
            "none": Model(
                moved(), says="the link moves, but has no inertial; simulators refuse or remove it", element="link 'b'"
            ),
            "none on what is fixed to it": Model(moved("", fixed=("",)), element="link 'b'"),
            "two": Model(both(), count=2),
            "of a row among rows with masses": Model(HEAVY_ROWS, format="dh", element="link 'q2_link'"),
            "of SDF, which puts one in": Model(
                AUTO.replace('<inertial auto="true"/>', ""), format="sdf", says="SDF gives it 1 kg"
            ),
        },
        silent={
            "of a chain of transforms": Model("Rz(q1) tx(1) Ry(q2) tx(1)", format="ets"),
            "of rows": Model(
                ROWS,
                format="dh",
            ),
            "of nothing": diagonal(0, 0, 0, mass=0),
            "on what is fixed to it": moved("", fixed=(SOME,)),
            "of what does not move": pair(kind="fixed"),
            "of SDF, left to the simulator": Model(AUTO, format="sdf"),
            "of a table of joints": Model(TABLE, format="dh-csv"),
            "where nothing is simulated": Model(moved(), profile="ros"),
        },
    ),
    "INR-012": Cases(
        found={
            "more than twice as dense as osmium": Model(moved(ball(1, 2.001 * OSMIUM)), says="2 times as dense"),
            "of ten tonnes": moved(ball(1e4, 2.01 * OSMIUM)),
            "two alike, said once": Model(both(ball(1, 1e6)), says="as dense as osmium (also 'c')"),
            "two of two masses": Model(moved(ball(1, 1e6), fixed=(ball(2, 1e6),)), count=2),
            "fixed to another, of a hundred grams": fixed(ball(0.1, 1e6)),
            "light and moved": moved(ball(0.001, 1e6)),
        },
        silent={
            "less": moved(ball(1, 1.999 * OSMIUM)),
            "of more than ten tonnes, which another rule says": moved(ball(10001, 1e6)),
            "fixed to another, and lighter": fixed(ball(0.099, 1e6)),
            "of no inertia, which another rule says": diagonal(0, 0, 0),
            "of no mass": diagonal(1, 1, 1, mass=0),
            "of moments below zero altogether": diagonal(-1, -1, "0.1"),
        },
    ),
    "INR-013": Cases(
        found={
            "no mass": Model(cart(SHAPED), says="neither it nor a link fixed to it has mass", element="link 'a'"),
            "mass without inertia": Model(cart(SHAPED, inertial(1, 0, 0, 0)), says="no inertia about any axis"),
            "mass without inertia of an arm": pair_of(SHAPED, inertial(1, 0, 0, 0)),
        },
        silent={
            "mass of the root alone": cart(SHAPED, inertial(1, 0, 0, 0)).replace(SOME, ""),
            "an arm with a frame": robot(
                link("a", SHAPED),
                link("b", SOME),
                link("c"),
                joint("j", "a", "b", kind="continuous"),
                joint("k", "a", "c"),
            ),
            "an arm of two joints": robot(
                link("a", SHAPED),
                link("b", SOME),
                link("c", SOME),
                joint("j", "a", "b", kind="continuous"),
                joint("k", "b", "c", kind="continuous"),
            ),
            "a mass alone, which the reader reports": cart(SHAPED, '<inertial><mass value="1"/></inertial>'),
            "mass and inertia": cart(SHAPED, SOME),
            "mass of what is fixed to it": cart(SHAPED, fixed=SOME),
            "an arm, which stands on something": pair_of(SHAPED),
            "no shape": cart(),
            "fixed to the world": cart(SHAPED).replace("'a'", "'world'").replace('"a"', '"world"'),
            "no masses at all": cart(SHAPED).replace(SOME, ""),
            "inertia without mass, which INR-015 is about": cart(SHAPED, inertial(0, 1, 1, 1)),
            "for planning": Model(cart(SHAPED), profile="ros"),
        },
    ),
    "INR-014": Cases(
        found={
            "a shape": Model(moved(SOME, fixed=(SHAPED,)), element="link 'c'"),
        },
        silent={
            "with mass": moved(SOME, fixed=(SHAPED, SOME)),
            "only felt": moved(SOME, fixed=(felt(box(1)),)),
            "only seen": moved(SOME, fixed=(seen(box(1)),)),
            "a body without mass": moved(fixed=(SHAPED,)),
            "moved by a joint": moved(SHAPED),
            "for planning": Model(moved(SOME, fixed=(SHAPED,)), profile="ros"),
        },
    ),
    "INR-015": Cases(
        found={
            "of what is fixed": Model(moved(SOME, fixed=(inertial(0, 1, 1, 1.5),)), says="up to 1.5 kg m²"),
            "of the root": robot(link("a", inertial(0, 1, 1, 1.5))),
        },
        silent={
            "with mass": moved(SOME, fixed=(inertial(1, 1, 1, 1.5),)),
            "neither": moved(SOME, fixed=(inertial(0, 0, 0, 0),)),
            "of a moved body, which INR-005 is about": moved(inertial(0, 1, 1, 1.5)),
            "a mass that is not given, which the reader says": moved(
                SOME, fixed=(inertial(0, 1, 1, 1.5).replace('<mass value="0"/>', ""),)
            ),
        },
    ),
    "INR-017": Cases(
        found={
            "four": Model(
                chain(4, 0.1, 0.2), says="the mass, 1 kg, and the inertia are the same on links of different sizes"
            ),
            "half": chain(4, 0.1, 0.2, others=4),
        },
        silent={
            "three": chain(3, 0.1, 0.2),
            "less than half": chain(4, 0.1, 0.2, others=5),
            "nearly as large": chain(4, 0.1, 0.199),
            "without shapes": chain(4, 0.1, 0.2).replace("collision", "anything"),
            "for planning": Model(chain(4, 0.1, 0.2), profile="ros"),
        },
    ),
}

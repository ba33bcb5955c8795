"""Shapes and files of meshes."""

from pathlib import Path

from rule_cases.builders import box, cylinder, felt, joint, link, mesh, pair, robot, seen, shape, sphere
from rule_cases.case import Cases, Model

PACKAGES = {"packages": {"arm": Path(__file__).parent / "meshes"}}
BALL = '<body><geom size="1"/></body>'
PLANE = '<mujoco><worldbody><geom type="plane" size="0 0 1"/></worldbody></mujoco>'
BOTH = '<mujoco><worldbody><body><joint/><geom type="sphere" size="200"/></body></worldbody></mujoco>'
SKY = '<mujoco><worldbody><geom type="sphere" size="200"/><geom type="box" size="300 300 3"/></worldbody></mujoco>'

SIZES = ("1200 800 750", "250 250 0.1", "250 250 100", "500 5 1", "0.5 500 100")
"""Sizes of static boxes: a table in millimetres, and things as large as they may be."""


def sdf(size: str) -> Model:
    """A static model of a box."""
    box = f'<link name="a"><collision name="c"><geometry><box><size>{size}</size></box></geometry></collision></link>'
    return Model(f'<sdf version="1.7"><model name="m"><static>true</static>{box}</model></sdf>', format="sdf")


def twice(*parts: str, other: str = "", kind: str = "fixed", second: str = "", place: str = "0 0 0") -> str:
    """Links b and c on a, with these parts, or c with others."""
    links = link("a"), link("b", *parts), link("c", *([other] if other else parts))
    return robot(*links, joint("j", "a", "b", kind=kind), joint("k", "a", "c", kind=second or kind, xyz=place))


def in_world(shape: str, on: str, kind: str = "fixed") -> str:
    """Links a on a world, b on a by a joint of a kind, and c on a; one has a shape."""
    links = [link(name, *([felt(shape)] if name == on else [])) for name in ("world", "a", "b", "c")]
    return robot(*links, joint("i", "world", "a"), joint("j", "a", "b", kind=kind), joint("k", "a", "c"))


def files(*names: str, **more: object) -> Model:
    """A robot with these mesh files, of a package that has there.stl, empty.stl, pointer.stl and long.stl."""
    return Model(robot(link("a", *(seen(mesh(name)) for name in names))), options=PACKAGES, **more)  # type: ignore[arg-type]


def sdf_mesh(uri: str, **more: object) -> Model:
    """A model of SDF with a mesh."""
    shape = f'<visual name="v"><geometry><mesh><uri>{uri}</uri></mesh></geometry></visual>'
    text = f'<sdf version="1.9"><model name="m"><link name="a">{shape}</link></model></sdf>'
    return Model(text, format="sdf", **more)  # type: ignore[arg-type]


def named_file(name: str, **more: object) -> Model:
    """Plug-ins, one of which is in a file."""
    plugins = f'<plugin name="p" filename="{name}"/><plugin name="q" filename="m.so"/>'
    return Model(robot(link("a"), f"<gazebo>{plugins}</gazebo>"), **more)  # type: ignore[arg-type]


def twins(xyz: str, scale: str = "1 1 1", seen_scale: str = "1 1 1") -> Model:
    """A triangle that is seen as STL and felt as OBJ somewhere."""
    shapes = (seen(mesh("package://arm/whole.stl", seen_scale)), felt(mesh("package://arm/whole.obj", scale), xyz=xyz))
    return Model(robot(link("a", *shapes)), options=PACKAGES)


def scaled(scale: str, uses: int = 1, **more: object) -> Model:
    """A robot with a triangle in a mesh file, of 1 m by 1 m by 0 m."""
    shapes = [seen(mesh("package://arm/whole.stl", scale))] * uses
    return Model(robot(link("a", *shapes)), options=PACKAGES, **more)  # type: ignore[arg-type]


def of(name: str) -> str:
    return f"package://arm/{name}.stl"


def on(part: str, *fixed: str) -> str:
    """A moved link, and one that is fixed to it."""
    return robot(
        *(link("a"), link("b", part), link("c", *fixed)),
        *(joint("j", "a", "b", kind="continuous"), joint("k", "b", "c")),
    )


def coloured(rgba: str, uses: int = 1) -> str:
    """Shapes of one colour."""
    material = f'<material name="m"><color rgba="{rgba}"/></material>'
    return robot(link("a", *[f"<visual>{box(1)}{material}</visual>"] * uses))


def with_file(name: str) -> str:
    """A robot with a plug-in that names a file."""
    inside = f"<parameters>{name}</parameters>"
    return robot(link("a"), f'<gazebo><plugin name="p" filename="p.so">{inside}</plugin></gazebo>')


MAPS = "".join(
    f"<{tag}>package://arm/{tag}.stl</{tag}>"
    for tag in (
        *("albedo_map", "normal_map", "roughness_map", "metalness_map", "environment_map", "emissive_map", "light_map"),
    )
)
TEXTURE = "package://arm/no.yaml"

INVISIBLE = '<material name="none"><color rgba="0 0 0 0"/></material>'


def ground(place: str) -> str:
    """A height map that is seen, and felt at a place."""
    parts = (
        f'<{tag} name="{tag}"><geometry><heightmap><uri>file://media/a.png</uri><size>9 9 1</size><pos>{at}</pos>'
        f"</heightmap></geometry></{tag}>"
        for tag, at in (("visual", "0 0 0"), ("collision", place))
    )
    return f'<sdf version="1.9"><model name="m"><link name="a">{"".join(parts)}</link></model></sdf>'


def bodies(bare: int, whole: int) -> str:
    """So many links that move and are only seen, and so many with collision shapes too."""
    shapes = [seen(box(1))] * bare + [seen(box(1)) + felt(box(1))] * whole
    links = [
        part
        for i, own in enumerate(shapes)
        for part in (link(f"b{i}", own), joint(f"j{i}", "a", f"b{i}", kind="continuous"))
    ]
    return robot(link("a"), *links)


PART = '<{} name="p">{}<geometry><box><size>1 1 1</size></box></geometry></{}>'
TURNED = """<sdf version="1.7"><model name="m"><link name="a"/><link name="b">{}</link><joint name="j" type="revolute">
<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


def part_of_sdf(tag: str, pose: str = "") -> str:
    """A box that is seen or felt, perhaps at a pose that cannot be read."""
    return PART.format(tag, pose, tag)


def geoms(more: str) -> Model:
    """A body with a geom that is only seen, and another."""
    shown = '<geom size="1" contype="0" conaffinity="0"/>'
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = f'<mujoco><worldbody><body name="b"><joint/>{inertial}{shown}{more}</body></worldbody></mujoco>'
    return Model(text, format="mjcf")


SHORT = "<pose>1 2 3 4 5</pose>"
CASES = {
    "GEO-001": Cases(
        found={
            "of SDF": Model(TURNED.format(part_of_sdf("visual")), format="sdf"),
            "of which a visual is left out": Model(
                TURNED.format(part_of_sdf("visual") + part_of_sdf("visual", SHORT).replace('"p"', '"q"')), format="sdf"
            ),
            "of MuJoCo": geoms('<geom size="2" contype="0" conaffinity="0"/>'),
            "seen only": Model(pair(seen(box(1))), element="link 'b'"),
            "seen only, fixed to what has no shape": Model(on("", seen(box(1))), element="link 'c'"),
            "three of four": Model(bodies(3, 1), count=3),
            "all of five": Model(bodies(5, 0), count=5),
        },
        remarked={
            "four of five": Model(bodies(4, 1), severity="info", says="(also 'b1', 'b2', 'b3')", element="link 'b0'"),
            "31 of 41": Model(bodies(31, 10), severity="info"),
        },
        silent={
            "seen and felt": pair(seen(box(1)), felt(box(1))),
            "with a collision shape that is left out": Model(
                TURNED.format(part_of_sdf("visual") + part_of_sdf("collision", SHORT)), format="sdf"
            ),
            "with a geom that is left out": geoms('<geom type="mesh" mesh="gone"/>'),
            "felt by what is fixed to it": on(seen(box(1)), felt(box(1))),
            "no shape": pair(),
            "felt only": pair(felt(box(1))),
            "invisible": pair(seen(box(1)).replace("</visual>", INVISIBLE + "</visual>")),
            "not moved": pair(seen(box(1)), kind="fixed"),
            "where nothing is simulated": Model(pair(seen(box(1))), profile="ros"),
        },
    ),
    "GEO-002": Cases(
        found={
            "a box of no height": Model(
                pair(felt(box(1, 1, 0))), says="the size of <box> is 1 1 0; expected numbers above 0"
            ),
            "a ball turned inside out": Model(pair(felt(sphere(-1))), says="the radius of <sphere> is -1"),
            "a cylinder of no length": Model(pair(felt(cylinder(1, 0))), says="the length of <cylinder> is 0"),
            "two sizes": Model(pair(felt(cylinder(0, 0))), count=2),
            "less than nothing that is only seen": pair(seen(box(1, -1, 0))),
            "a scale of nothing": Model(
                pair(felt(mesh("a.stl", "1 0 1"))), says="the scale of <mesh> is 1 0 1; expected no zeros"
            ),
        },
        remarked={
            "a point": Model(pair(felt(sphere(0))), severity="warning"),
            "nothing that is only seen": Model(pair(seen(box(1, 1, 0))), severity="warning"),
            "nothing at all, for viewers that need a visual": Model(pair(seen(box(0, 0, 0))), severity="info"),
        },
        silent={
            "little": pair(felt(box("1e-9"))),
            "a mirrored mesh": pair(felt(mesh("a.stl", "1 -1 1"))),
            "a plane without end": Model(PLANE, format="mjcf"),
        },
    ),
    "GEO-003": Cases(
        found={
            "hardly less than a hundredth of a millimetre": Model(
                pair(seen(sphere("9.9e-6"))), says="is 9.9e-6 m; expected metres"
            ),
            "more than a hundred metres": Model(
                pair(felt(box(1, 101, 1))), says="the size of <box> is 1 101 1 m; is it in millimetres?"
            ),
            "less than a hundredth of a millimetre": pair(felt(cylinder(1, "9e-6"))),
            "of what is only seen": pair(seen(sphere(101))),
            "seen and felt, written once": Model(BOTH, format="mjcf"),
            "seen and felt, written twice": Model(pair(seen(sphere(101)), felt(sphere(101))), count=2),
            "a foot in millimetres": robot(link("a", felt(box(400, 120, 120)))),
            "as thick as may be": pair(felt(box(250, 250, 1))),
            "hardly flat": robot(link("a", felt(box(200, 200, 20.2)))),
            "a static box in millimetres": sdf(SIZES[0]),
            "the same in a world": in_world(box(1200, 800, 750), "a"),
            "a tank in a world": Model(in_world(cylinder(400, 500), "a"), count=2),
            "what carries a joint in a world": in_world(box(400, 120, 120), "a", "continuous"),
            "what is fixed to what carries one": in_world(box(400, 120, 120), "c", "continuous"),
        },
        silent={
            "a ground": pair(felt(box(250, 250, 0.99))),
            "a round ground": pair(felt(cylinder(150, 0.5))),
            "a flat model without joints that move": robot(link("a", felt(box(200, 200, 20)))),
            **{f"static: {size}": sdf(size) for size in SIZES[1:]},
            "a wall in a world": in_world(box(300, 1, 20), "a"),
            "on what is fixed to a wall": in_world(box(300, 1, 20), "c"),
            "of a world": Model(SKY, format="mjcf"),
            "a hundred metres": pair(felt(box(100))),
            "a hundredth of a millimetre": pair(seen(sphere("1e-5"))),
            "a point of contact": pair(felt(sphere("1e-9"))),
            "nothing, which another rule says": pair(felt(sphere(0))),
            "a scale": pair(felt(mesh("a.stl", "1000 1000 1000"))),
            "a small scale": pair(felt(mesh("a.stl", "1e-6 1e-6 1e-6"))),
        },
    ),
    "MSH-002": Cases(
        found={
            "a package and slashes": files("package://arm//", says="names no file in the package"),
            "of this computer": files("file://localhost/no.stl", says="'file://localhost/no.stl' does not exist"),
            "as many slips as may be": files("pckagexx://arm/there.stl", says="begins with 'pckagexx'"),
            "one of two": files(of("there"), of("no"), says="the mesh file 'package://arm/no.stl' does not exist"),
            "two of three": files(of("no"), of("there"), of("nor"), count=2),
            "the only one": files(of("no"), says="does not exist"),
            "once, however often it is used": files(of("no"), of("no")),
            "out of its package": files(of("there"), of("../out"), says="leads out of its package"),
            "out by a way round": files(of("in/../../out"), says="leads out of its package"),
            "backslashes": files("package://arm\\there.stl", says="has backslashes"),
            "a package without a file": files("package://body.stl", says="names no file in the package"),
            "a package and a slash": files("package://arm/", says="names no file in the package"),
            "no package": files("package:///meshes/a.stl", says="names no package"),
            "another computer": files("file://computer/a.stl", says="has no path after file://"),
            "no model in SDF": sdf_mesh(
                "model:///table/meshes/t.dae", says="names no model; expected model://name/path"
            ),
            "no path in SDF": sdf_mesh("file://model/meshes/t.dae", says="has no path after file://"),
            "a slip in package://": files("pakage://arm/there.stl", says="begins with 'pakage'"),
        },
        remarked={
            "two slashes": files("package://arm//there.stl", says="has two slashes in a row"),
            "in packages that are not there": files(
                *("package://elsewhere/no.stl", "package://elsewhere/nor.stl", "package://other/no.stl"),
                says="the package 'elsewhere' is not found",
                count=2,
            ),
            "in SDF, too": sdf_mesh(
                "model://elsewhere/a.dae", options=PACKAGES, says="the model 'elsewhere' is not found"
            ),
            "none of two": files(of("no"), of("nor"), says="none of the 2 mesh files exists; the first is"),
        },
        silent={
            "package in capitals": files("PACKAGE://arm/there.stl"),
            "a scheme that is not like package": files("packageabcd://arm/there.stl"),
            "there": files(of("there")),
            "there, by a way round": files(of("in/../there")),
            "a drive": files("file://C:/no.stl"),
            "a name that only begins with two dots": files(of("..there/../there")),
            "no file": Model(robot(link("a", seen(shape("box", size="1 1 1")))), options=PACKAGES),
            "astray in SDF, which has folders of its own": sdf_mesh("file://media/a.dae"),
        },
    ),
    "MSH-008": Cases(
        found={
            "once, however often it is named": Model(
                with_file(TEXTURE).replace("</plugin>", f"<parameters>{TEXTURE}</parameters></plugin>"),
                options=PACKAGES,
            ),
            "every map of a material": Model(
                '<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><sphere>'
                "<radius>1</radius></sphere></geometry><material><pbr><metal>"
                f"{MAPS}</metal></pbr></material></visual></link></model></sdf>",
                format="sdf",
                options=PACKAGES,
                count=7,
            ),
            "parameters": Model(with_file("package://arm/no.yaml"), options=PACKAGES, says="'package://arm/no.yaml'"),
            "a texture": Model(
                with_file("").replace(
                    "</robot>", f'<material name="m"><texture filename="{TEXTURE}"/></material></robot>'
                ),
                options=PACKAGES,
            ),
        },
        silent={
            "there": Model(with_file("package://arm/there.stl"), options=PACKAGES),
            "another package": Model(with_file("package://elsewhere/no.yaml"), options=PACKAGES),
            "an image where there are none": Model(with_file("package://arm/no.png"), options=PACKAGES),
            "a name that is not whole": Model(with_file("package://arm/$(arg a).yaml"), options=PACKAGES),
        },
    ),
    "MSH-009": Cases(
        found={
            "a home": named_file("/home/user/a.so", says="the path '/home/user/a.so' exists on one computer only"),
            "of a Mac": named_file("/Users/user/a.so"),
            "of root": named_file("file:///root/a.so", says="the path 'file:///root/a.so'"),
            "a drive": named_file("C:/a.so"),
            "a drive of Windows": named_file("file:///d:\\\\a.so"),
            "as a text": Model(
                robot(link("a"), "<gazebo><a> /home/user/a.b </a></gazebo>"), says="the path '/home/user/a.b' exists"
            ),
            "two": Model(named_file("/home/b").text.replace("m.so", "/home/c"), says="only (also '/home/c')", count=1),
        },
        silent={
            "a package": named_file("package://arm/home/a.so"),
            "of the system": named_file("/usr/share/a.so"),
            "an address": named_file("https://x.org/home/a.so"),
            "within a path": named_file("x/home/a.so"),
            "a comment": Model(robot(link("a"), '<!-- <a b="/home/user/a.so"/> -->')),
            "Gazebo's own": named_file("file://media/a.so"),
        },
    ),
    "MSH-003": Cases(
        found={
            "of no bytes": files(of("empty"), says="the mesh file 'package://arm/empty.stl' is empty"),
            "once, however often it is used": files(of("empty"), of("there"), of("empty")),
        },
        silent={"of some bytes": files(of("there")), "not there": files(of("no"))},
    ),
    "MSH-004": Cases(
        found={
            "a pointer": files(of("pointer"), says="is only a pointer of git-lfs"),
            "among others": files(of("there"), of("pointer"), of("empty")),
        },
        silent={
            "a mesh": files(of("there")),
            "longer than a pointer": files(of("long")),
            "empty": files(of("empty")),
            "not there": files(of("no")),
        },
    ),
    "MSH-005": Cases(
        found={
            "a header and less": files(of("cut"), says="is cut off: it has 123 bytes of 184"),
            "shorter than a header": files(of("short"), says="is cut off: it has 40 bytes of 84"),
            "once, however often it is used": files(of("cut"), of("cut")),
        },
        silent={
            "whole": files(of("whole")),
            "text": files(of("there")),
            "another format": files("package://arm/short.dae"),
            "not there": files(of("no"), of("there")),
        },
    ),
    "MSH-006": Cases(
        found={
            "hardly less than a hundredth of a millimetre": scaled(
                "9.9e-6 9.9e-6 9.9e-6", says="by 0 m; expected metres"
            ),
            "more than a hundred metres": scaled("101 1 1", says="is 101 by 1 by 0 m; is it in millimetres?"),
            "less than a hundredth of a millimetre": scaled("9e-6 9e-6 9e-6"),
            "mirrored": scaled("-101 1 1"),
            "once, however often it is used": scaled("101 1 1", 2),
        },
        silent={
            "a hundred metres": scaled("100 100 100"),
            "a hundredth of a millimetre": scaled("1e-5 1e-5 1e-5"),
            "thin": scaled("1 1e-9 1"),
            "what cannot be read": files(of("there"), of("cut")),
            "not there": files(of("no"), of("there")),
        },
    ),
    "GEO-004": Cases(
        found={
            "of 255": Model(coloured("255 128 0 1"), says="the colour is 255 128 0 1"),
            "a little above": coloured("1.01 0 0 1"),
            "negative": coloured("-0.1 0 0 1"),
            "the last": coloured("0 0 0 255"),
            "once, however often it is used": Model(coloured("255 128 0 1", uses=2)),
            "of MuJoCo": Model(BOTH.replace("<geom", '<geom rgba="2 0 0 1"'), format="mjcf"),
        },
        silent={
            "from 0 to 1": coloured("0 1 0.5 1"),
            "rounded": coloured("1.0000001 0 0 1"),
            "none": pair(seen(box(1))),
        },
    ),
    "GEO-005": Cases(
        found={
            "hardly five times as large": pair(seen(box(0.1)), felt(box(0.505))),
            "hardly 0.8 of the size away": pair(seen(box(0.1)), felt(sphere(0.05), xyz="0.14 0 0")),
            "visuals hardly ten times as large": Model(
                pair(seen(box(1.01)), felt(box(0.1))), says="are 0.173 m large, the visuals 1.75 m"
            ),
            "a visual mesh in another scale": Model(
                pair(seen(mesh(of("whole"), "0.0099 0.0099 0.0099")), felt(mesh(of("whole")))), options=PACKAGES
            ),
            "a collision mesh in another scale": Model(
                pair(seen(mesh(of("whole"))), felt(mesh(of("whole"), "0.0099 0.0099 0.0099"))), options=PACKAGES
            ),
            "six times as large": Model(pair(seen(box(0.1)), felt(box(0.6))), says="collision shapes are 1.04 m large"),
            "elsewhere": Model(
                pair(seen(box(0.1)), felt(sphere(0.05), xyz="0.6 0 0")), says="the collision shapes are 0.6 m away"
            ),
            "a scale left out": Model(
                pair(seen(mesh(of("whole"), "0.1 0.1 0.1")), felt(mesh(of("whole")))), options=PACKAGES
            ),
        },
        silent={
            "hardly less than five times as large": pair(seen(box(0.1)), felt(box(0.495))),
            "hardly less than 0.8 of the size away": pair(seen(box(0.1)), felt(sphere(0.05), xyz="0.137 0 0")),
            "one shape at two places, which GEO-006 names": pair(seen(box(0.1)), felt(box(0.1), xyz="0.6 0 0")),
            "away, but not apart": pair(seen(box(1, 0.1, 0.1)), felt(box(1, 0.1, 0.1), xyz="0.95 0 0")),
            "visuals hardly less than ten times as large": pair(seen(box(0.99)), felt(box(0.1))),
            "a visual mesh that marks a place": Model(
                pair(seen(mesh(of("whole"), "0.0101 0.0101 0.0101")), felt(mesh(of("whole")))), options=PACKAGES
            ),
            "a small collision mesh": Model(
                pair(seen(mesh(of("whole"))), felt(mesh(of("whole"), "0.0101 0.0101 0.0101"))), options=PACKAGES
            ),
            "less than five times as large": pair(seen(box(0.1)), felt(box(0.49))),
            "smaller": pair(seen(box(1)), felt(box(0.01))),
            "a mark": pair(seen(box(0.011)), felt(box(1))),
            "beside": pair(seen(box(0.1)), felt(box(0.1), xyz="0.1 0 0")),
            "seen only": pair(seen(box(0.1))),
            "a mesh that is not there": pair(seen(box(0.1)), felt(mesh("a.stl")), felt(box(1))),
        },
    ),
    "GEO-007": Cases(
        found={
            "boxes": Model(twice(felt(box(1))), says="the shapes and the place of 'b'; check its", element="link 'c'"),
            "only seen": twice(seen(mesh("a.stl"))),
            "of the collisions alone": twice(felt(box(1)), seen(box(1)), other=felt(box(1)) + seen(box(2))),
            "of meshes that look otherwise": twice(
                felt(mesh("a.stl")), seen(mesh("b.stl")), other=felt(mesh("a.stl")) + seen(mesh("c.stl"))
            ),
            "several shapes, in another order": twice(felt(box(1)), felt(box(2)), other=felt(box(2)) + felt(box(1))),
            "that turn": twice(felt(box(1)), kind="continuous"),
            "of a wheel and another": twice(felt(box(1)), kind="continuous", second="fixed"),
            "three, said once": Model(
                twice(felt(box(1))).replace("</robot>", link("d", felt(box(1))) + joint("l", "a", "d") + "</robot>"),
                says="(also 'd')",
            ),
            "at one place by other origins": twice(felt(box(1)), other=felt(box(1), xyz="-1 0 0"), place="1 0 0"),
            "on two links of one body": twice(felt(box(1)))
            .replace(
                "</robot>",
                link("d", felt(box(1))) + link("e") + joint("l", "a", "e") + joint("m", "e", "d") + "</robot>",
            )
            .replace(link("c", felt(box(1))), link("c", felt(box(3)))),
            "hardly small": twice(felt(box(0.0116))),
            "in MJCF": Model(
                f"<mujoco><worldbody><body><joint/><geom size='2'/>{2 * BALL}</body></worldbody></mujoco>",
                format="mjcf",
            ),
        },
        silent={
            "elsewhere": twice(felt(box(1)), place="0.001 0 0"),
            "turned": twice(felt(box(1)), other=felt(box(1), rpy="0 0 0.001")),
            "of other sizes": twice(felt(box(1)), other=felt(box(1.001))),
            "of other kinds": twice(felt(sphere(1)), other=felt(box(1))),
            "without shapes": twice(),
            "that slide": twice(felt(box(1)), kind="prismatic"),
            "that stand on the world": twice(felt(box(1))).replace('"a"', '"world"'),
            "that are free": twice(felt(box(1)), kind="floating"),
            "that slide in a plane": twice(felt(box(1)), kind="planar"),
            "small": twice(felt(box(0.0115))),
            "of which one has more": twice(felt(box(1)), other=felt(box(1)) + felt(box(2))),
            "one on the other": robot(
                link("a"),
                link("b", felt(box(1))),
                link("c", felt(box(1))),
                joint("j", "a", "b", kind="continuous"),
                joint("k", "b", "c", kind="continuous"),
            ),
        },
    ),
    "GEO-006": Cases(
        found={
            "a mesh in another format": twins("0.05 0 0", "1.028 1 1"),
            "hardly moved, in another format": Model(
                twins("0.0286 0 0").text, options=PACKAGES, says="is 0.0286 m from the visual 'package://arm/whole.stl'"
            ),
            "a height map": Model(ground("0 0 1"), format="sdf", says="the collision heightmap is 1 m from the visual"),
            "hardly a millimetre": pair(seen(mesh("a.stl")), felt(mesh("a.stl"), xyz="0 0 0.00101")),
            "moved, and turned by hardly a degree": pair(seen(box(1)), felt(box(1), xyz="0 0 0.002", rpy="0 0 0.0198")),
            "moved": Model(
                pair(seen(mesh("a.stl")), felt(mesh("a.stl"), xyz="0 0 0.002")), says="is 0.002 m from the visual"
            ),
            "turned": Model(
                pair(seen(mesh(of("whole"))), felt(mesh(of("whole")), rpy="0 1 0")), options=PACKAGES, says="is turned"
            ),
        },
        silent={
            "a mesh in another format at one place": twins("0 0 0"),
            "hardly at another, in another format": twins("0.028 0 0"),
            "of another size": twins("0.1 0 0", "1.0286 1 1"),
            "small, in another format": twins("0.03 0 0", "0.01 0.01 0.01", "0.01 0.01 0.01"),
            "of another name": pair(seen(mesh("a.stl")), felt(mesh("b.dae"), xyz="0 0 0.1")),
            "a height map at one place": Model(ground("0 0 0"), format="sdf"),
            "hardly less than a millimetre": pair(seen(mesh("a.stl")), felt(mesh("a.stl"), xyz="0 0 0.00099")),
            "moved, and turned to nearly the same box": pair(
                seen(box(1)), felt(box(1), xyz="0 0 0.002", rpy="0 0 0.0202")
            ),
            "rounded": pair(seen(mesh("a.stl")), felt(mesh("a.stl"), xyz="0 0 0.0009")),
            "another": pair(seen(mesh("a.stl")), felt(mesh("b.stl"), xyz="0 0 0.1")),
            "in another scale": pair(seen(mesh("a.stl")), felt(mesh("a.stl", "2 2 2"), xyz="0 0 0.1")),
            "twice": pair(seen(mesh("a.stl")), felt(mesh("a.stl")), felt(mesh("a.stl"), xyz="0 0 0.1")),
            "turned, and not known": pair(seen(mesh("a.stl")), felt(mesh("a.stl"), rpy="0 1 0")),
            "a ball that is turned": pair(seen(sphere(1)), felt(sphere(1), rpy="0 1 0")),
            "a cylinder that is turned about its axis": pair(seen(cylinder(1, 3)), felt(cylinder(1, 3), rpy="0 0 0.7")),
        },
    ),
    "MSH-007": Cases(
        found={
            "100,000": Model(robot(link("a", felt(mesh(of("many_triangles"))))), options=PACKAGES, says="has 100,000"),
            "seen too": Model(
                robot(link("a", felt(mesh(of("many_triangles"))), seen(mesh(of("many_triangles"))))),
                options=PACKAGES,
                says="is that of the visuals",
            ),
        },
        silent={
            "fewer": Model(robot(link("a", felt(mesh(of("fewer_triangles"))))), options=PACKAGES),
            "seen only": files(of("many_triangles")),
            "few": Model(robot(link("a", felt(mesh(of("whole"))))), options=PACKAGES),
        },
    ),
}

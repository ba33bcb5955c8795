"""REP-103: units, and the axes of frames."""

from dataclasses import replace
from math import pi

from rule_cases.builders import (
    box,
    cylinder,
    felt,
    inertial,
    joint,
    limit,
    link,
    mesh,
    pair,
    robot,
    seen,
    sphere,
    turning,
)
from rule_cases.case import Cases, Model
from rule_cases.of_mjcf import RADIANS


def at(xyz: str) -> str:
    """A link some way from its parent."""
    return robot(link("a"), link("b"), joint("j", "a", "b", xyz=xyz))


def turned(*angles: object) -> str:
    """A link that is turned so in its parent, of which the texts of the angles matter."""
    return robot(link("a"), link("b"), joint("j", "a", "b", rpy=" ".join(map(str, angles))))


def heavy(mass: float, *shapes: str) -> str:
    return robot(link("a", inertial(mass, 1, 1, 1.5), *shapes))


def sliding(lower: float, upper: float, *parts: str, size: str = "0 0 0", inside: str = "", more: str = "") -> str:
    """A link that slides, at some place on a root."""
    slides = joint("j", "a", "b", limit(lower, upper), inside, kind="prismatic", xyz=size)
    return robot(link("a", *parts), link("b"), slides, more)


def carried(upper: float, *kinds: str, size: str = "3 0 0") -> str:
    """A link that slides behind joints of some kinds."""
    names = [f"l{i}" for i in range(len(kinds) + 1)]
    joints = [joint(f"c{i}", names[i], names[i + 1], kind=kind) for i, kind in enumerate(kinds)]
    slides = joint("j", names[-1], "b", limit(0, upper), kind="prismatic", xyz=size)
    return robot(*map(link, names), link("b"), *joints, slides)


def scaled(*scales: str) -> str:
    """One mesh file at several scales."""
    return robot(link("a", *(seen(mesh("a.stl", scale)) for scale in scales)))


BEHIND = (link("c"), joint("k", "b", "c", kind="revolute"))


def beside(*places: tuple[str, str], base: str = "base_link", kind: str = "continuous") -> str:
    """Links at places on a base."""
    links = [link(name) + joint(f"to_{name}", base, name, kind=kind, xyz=xyz) for name, xyz in places]
    return robot(link(base), *links)


def sides(left: str, right: str, base: str = "base_link") -> str:
    """Two wheels on a base."""
    return beside(("left_wheel", left), ("right_wheel", right), base=base)


def far(left: str) -> str:
    """A left and a right wheel on an arm that a joint moves on the base."""
    arms = link("arm") + joint("to_arm", "base_link", "arm", kind="continuous")
    wheels = link("left_wheel") + joint("l", "arm", "left_wheel", kind="continuous", xyz=left)
    return robot(
        link("base_link"), arms, wheels, link("right_wheel"), joint("r", "arm", "right_wheel", kind="continuous")
    )


def second(first: str, name: str, rpy: str, kind: str = "fixed") -> str:
    """A frame and its second one."""
    return robot(link(first), link(name), joint("j", first, name, kind=kind, rpy=rpy))


def camera(rpy: str, first: str = "camera_link", name: str = "camera_optical_frame") -> str:
    return second(first, name, rpy)


def optical_in_sdf(rpy: str, of_joint: str) -> Model:
    """A camera and its optical frame in SDF, on a fixed joint that is turned itself."""
    joint = '<joint name="j" type="fixed"><parent>camera_link</parent><child>camera_optical_frame</child>'
    text = (
        '<sdf version="1.9"><model name="m"><link name="camera_link"/><link name="camera_optical_frame">'
        f"<pose>0 0 0 {rpy}</pose></link>{joint}<pose>0 0 0 {of_joint}</pose></joint></model></sdf>"
    )
    return Model(text, format="sdf")


def ned(rpy: str) -> str:
    return second("imu_link", "imu_link_ned", rpy)


def sdf(pose: str) -> Model:
    """A model whose link has a pose."""
    text = f'<sdf version="1.9"><model name="m"><pose>0 0 0 1.57 0 0</pose><link name="a">{pose}</link></model></sdf>'
    return Model(text, format="sdf")


def in_mjcf(euler: str, inside: str = "", says: str = "") -> Model:
    """A body at angles in radians."""
    body = f'<body name="b" euler="{euler}"><geom size="1"/>{inside}</body>'
    text = f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>'
    return Model(text, format="mjcf", says=says)


QUARTER = -pi / 2
ROUND = 4 / 3 * pi * 0.1**3 * 2e5  # kg, the most that a ball of 0.1 m may have
TUBE = pi * 0.1**2 * 0.1 * 2e5
STATIC = (
    '<sdf version="1.7"><model name="m"><static> True </static><link name="a"><collision name="c">'
    "<pose>30 0 0 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"
)
CARRIES_ALL = (
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><joint type='slide' axis='1 0 0' range='-100 200'/>"
    "{}<geom size='1'/></body></worldbody></mujoco>"
)

CASES = {
    "R103-001": Cases(
        found={
            "one": Model(scaled("1 -1 1"), says="negative scale 1 -1 1 mirrors the mesh 'a.stl'"),
            "three": scaled("-1 -1 -1"),
            "of what is felt": pair(felt(mesh("a.stl", "-1 1 1"))),
            "two of them": Model(scaled("-1 1 1", "1 1 -2"), count=2),
        },
        silent={
            "none": scaled("1 1 1"),
            "two": scaled("-1 -1 1"),
            "zero": scaled("-1 0 1"),
            "no mesh": pair(felt(box(1))),
            "in MJCF, which turns the faces": Model(
                "<mujoco><asset><mesh name='m' file='m.stl' scale='1 -1 1'/></asset><worldbody>"
                "<geom type='mesh' mesh='m'/></worldbody></mujoco>",
                format="mjcf",
            ),
        },
    ),
    "R103-002": Cases(
        found={
            **RADIANS.found,
            "euler in MJCF": in_mjcf("0 90 0", says="euler 90 is more than a whole turn"),
            "far in a model that is not static": Model(STATIC.replace("True", "false"), format="sdf"),
            "far behind what is in a world": robot(
                *(link("d"), joint("l", "c", "d", kind="continuous")),
                link("world"),
                link("b"),
                link("c"),
                joint("j", "world", "b"),
                joint("k", "b", "c", xyz="50 0 0"),
            ),
            "hardly more than a turn": turned(0, "6.284195", 0),
            "what slides on a part in MJCF": Model(
                CARRIES_ALL.replace(
                    "{}", "<joint/><geom size='1'/><body><joint type='slide' range='-100 200'/>"
                ).replace("</body>", "</body></body>"),
                format="mjcf",
                says="the limits -100 to 200 m are too wide",
            ),
            "many digits of no fraction": turned(0, "7.06858350", 0),
            "a multiple of half a degree above a hundred": turned(0, repr(11520 * pi / 360), 0),
            "degrees that nearly are a fraction of π in radians": turned(0, "11", 0),
            "hardly a thousand times": scaled("1 1 1", "1000.99 1000.99 1000.99"),
            "a joint that turns more than twice": Model(
                turning(lower=-12.57, upper=1),
                says="the limits -12.6 to 1 rad are more than two turns; are they in degrees?",
            ),
            "the other way": turning(lower=0, upper=12.57),
            "two turns in degrees": turning(lower=0, upper=720),
            "a joint twenty metres away": Model(at("0 20.01 0"), says="the origin is 20 m from the parent link"),
            "along all three": at("11.6 11.6 11.6"),
            "an rpy of more than a turn": Model(
                turned(0, "6.2845", "-90"), says="rpy 6.2845, -90 is more than a whole turn; is it in degrees?"
            ),
            "a shape twenty metres away": Model(
                pair(seen(box(1), xyz="0 0 20.01")), says="a part of the link is 20 m from"
            ),
            "a shape for collisions": pair(felt(box(1), xyz="-20.01 0 0")),
            "a centre of mass": pair(inertial(1, 1, 1, 1.5, xyz="0 20.01 0")),
            "a dense body": Model(heavy(201, felt(box(0.1))), says="201 kg in a volume of 1 litres; is it in grams?"),
            "two boxes": heavy(401, felt(box(0.1)), felt(box(0.1))),
            "a dense ball": heavy(ROUND + 1, felt(sphere(0.1))),
            "a dense tube": heavy(TUBE + 1, felt(cylinder(0.1, 0.1))),
            "a dense body that is only seen": heavy(201, seen(box(0.1))),
            "a dense body, seen larger than it is": heavy(201, felt(box(0.1)), seen(box(1))),
            "a small body of more than ten kilograms": heavy(10.1, felt(box(0.01))),
            "a slide of a hundred metres, where nothing tells the size": Model(
                sliding(0, 101), says="the limits 0 to 101 m are too wide for a robot of unknown size"
            ),
            "just less than no limit": sliding(0, 9999),
            "a hundred times the robot": Model(sliding(0, 301, size="3 0 0"), says="too wide for a robot of 3 m"),
            "a hundred times a ball": sliding(0, 347, felt(sphere(1))),
            "a hundred times a tube": sliding(0, 347, seen(cylinder(1, 2))),
            "a hundred times a box": sliding(0, 347, felt(box(2))),
            "a hundred times a box that lies off its frame": sliding(0, 347, felt(box(2), xyz="1 0 0")),
            "ten times the robot, behind a joint that turns": carried(30.1, "revolute"),
            "behind one, with a fixed joint between": carried(30.1, "continuous", "fixed"),
            "behind one, with a slide between": carried(30.1, "revolute", "prismatic"),
            "hardly longer one way": sliding(-200, 201),
            **{
                f"{ratio} times": Model(
                    scaled("1 1 1", f"{ratio} {ratio} {ratio}"), says=f"the scale of the mesh 'a.stl' is {ratio} here"
                )
                for ratio in ("10", "25.4", "39.37", "100", "1000")
            },
            "a thousand times, nearly, and mirrored": scaled("1000.9 -1000.9 1", "1 1 1"),
            "three scales": scaled("0.001 0.001 0.001", "0.001 0.001 0.001", "1 1 1"),
        },
        silent={
            **RADIANS.silent,
            "far in a static model": Model(STATIC, format="sdf"),
            "far on a wall": robot(
                *(link("world"), link("b"), link("c", felt(box(1), xyz="0 0 30"))),
                *(joint("j", "world", "b"), joint("k", "b", "c", xyz="50 0 0")),
            ),
            "far in a world": robot(link("world"), link("b"), joint("j", "world", "b", xyz="50 0 0")),
            "hardly a turn": turned(0, "6.284175", 0),
            "a little more than a thousand times": scaled("1 1 1", "1001.01 1001.01 1001.01"),
            "twice": turning(lower=-12.56, upper=12.56),
            "more than two turns in degrees, which means no limit": turning(lower=0, upper=720.1),
            "a slide of thirteen metres": sliding(0, 13),
            "twenty metres": at("0 0 20"),
            "a turn": turned(0, 0, "6.283185"),
            "a turn, rounded up": turned(0, 0, "-6.2832"),
            "a turn, rounded up to three decimals": turned("6.284", 0, 0),
            "a shape at twenty metres": pair(seen(box(1), xyz="0 0 20")),
            "as dense as may be": heavy(200, felt(box(0.1))),
            "two boxes as dense": heavy(400, felt(box(0.1)), felt(box(0.1))),
            "a ball as dense": heavy(ROUND - 1, felt(sphere(0.1))),
            "a tube as dense": heavy(TUBE - 1, felt(cylinder(0.1, 0.1))),
            "ten kilograms in a small body": heavy(10, felt(box(0.01))),
            "a dense body, felt larger than it is seen": heavy(201, felt(box(1)), seen(box(0.1))),
            "a dense body with a mesh": heavy(201, felt(box(0.1)), felt(mesh("a.stl"))),
            "no volume": heavy(201, felt(box(0))),
            "what carries a whole robot in MJCF": Model(
                CARRIES_ALL.replace("{}", "<joint type='slide' axis='0 1 0' range='-100 200'/>"), format="mjcf"
            ),
            "a fraction of π that was computed": turned(0, "7.0685834705770345", 0),
            "a multiple of half a degree below a hundred": turned(0, repr(11400 * pi / 360), 0),
            "half a degree more than two turns": turned(0, repr(721 * pi / 360), 0),
            "a slide of a hundred metres": sliding(0, 100),
            "as far either way": sliding(-200, 200),
            "no limit": sliding(0, 10000),
            "of one that follows": sliding(0, 101, inside='<mimic joint="k"/>', more="".join(BEHIND)),
            "a hundred times the robot, nearly": sliding(0, 299, size="3 0 0"),
            "a hundred times a ball, nearly": sliding(0, 346, felt(sphere(1))),
            "a hundred times a tube, nearly": sliding(0, 346, seen(cylinder(1, 2))),
            "a hundred times a box, nearly": sliding(0, 346, felt(box(2))),
            "a hundred times a box that is turned": sliding(0, 347, felt(box(2), rpy="0 0 0.7854")),
            "eleven metres, of a robot that may be larger than it tells": carried(9.9, "revolute", size="0.5 0 0"),
            "ten times the robot, nearly": carried(29.9, "revolute"),
            "ten times the robot, behind no joint that turns": carried(30.1, "fixed", "prismatic"),
            "ten times the robot, before a joint that turns": sliding(0, 30.1, size="3 0 0", more="".join(BEHIND)),
            "behind a joint that turns, where nothing tells the size": carried(11, "revolute", size="0 0 0"),
            "one scale": scaled("10 10 10", "10 10 10"),
            "a scale of no unit": scaled("1 1 1", "998 998 998"),
            "a scale of no unit, more": scaled("1 1 1", "1002 1002 1002"),
            "a scale of zero": scaled("0 0 0", "1 1 1"),
        },
    ),
    "R103-003": Cases(
        found={
            "hardly along x": sides("0.8712 0.4909 0", "0 0 0"),
            "backwards": Model(
                sides("0 -1 0", "0 1 0"),
                says="links named left are in direction -y from those named right; expected +y",
            ),
            "along x, more or less": Model(sides("0.88 0.47 0", "0 0 0"), says="in direction +x"),
            "above": Model(sides("0 0 1", "0 0 0"), says="in direction +z"),
            "front behind": Model(
                beside(("front", "-1 0 0"), ("rear", "1 0 0")),
                says="links named front are in direction -x from those named rear; expected +x",
            ),
            "front beside back": Model(beside(("front", "0 1 0"), ("back", "0 0 0")), says="in direction +y"),
            "in short": beside(("wheel_l", "0 -1 0"), ("wheel_r", "0 1 0")),
            "in short for two sides": Model(
                beside(("fl_leg", "1 -1 0"), ("fr_leg", "1 1 0"), ("rl_leg", "-1 -1 0"), ("rr_leg", "-1 1 0"))
            ),
            "in short, with the side before": beside(
                ("lf_leg", "1 -1 0"), ("rf_leg", "1 1 0"), ("lh_leg", "-1 -1 0"), ("rh_leg", "-1 1 0")
            ),
            "fronts with the side before": Model(
                beside(("lf_leg", "-1 1 0"), ("rf_leg", "-1 -1 0"), ("lb_leg", "1 1 0"), ("rb_leg", "1 -1 0")),
                says="named front are in direction -x",
            ),
            "front and hind": beside(("front", "-1 0 0"), ("hind", "1 0 0")),
            "fixed to the base": beside(("left_wheel", "0 -1 0"), ("right_wheel", "0 1 0"), kind="fixed"),
            "three of four pairs and more": beside(
                *((f"left_{i}", "0 -1 0") for i in range(4)),
                *((f"right_{i}", "0 0 0") for i in range(4)),
                ("left_4", "0 1 0"),
                ("right_4", "0 0 0"),
            ),
            "on another root": sides("0 -1 0", "0 1 0", base="hub"),
        },
        silent={
            "as base_link has them, on a root that is turned": robot(
                link("base_footprint"),
                joint("base", "base_footprint", "base_link", rpy="0 0 1.5708"),
                sides("0 1 0", "0 -1 0").partition(">")[2].rpartition("<")[0],
            ),
            "hardly along y": sides("0.8607 0.509 0", "0 0 0"),
            "as it should be": sides("0 1 0", "0 -1 0"),
            "along y, more or less": sides("0.85 0.53 0", "0 0 0"),
            "front before": beside(("front", "1 0 0"), ("rear", "-1 0 0")),
            "at one place": sides("0 0 0", "0 0 0"),
            "as many one way as the other": beside(
                ("left_a", "0 -1 0"), ("right_a", "0 1 0"), ("left_b", "0 1 0"), ("right_b", "0 -1 0")
            ),
            "three of four pairs": beside(
                *((f"left_{i}", "0 -1 0") for i in range(3)),
                *((f"right_{i}", "0 0 0") for i in range(3)),
                ("left_3", "0 1 0"),
                ("right_3", "0 0 0"),
            ),
            "no pair": beside(("left_wheel", "0 -1 0"), ("wheel", "0 1 0")),
            "letters within words": beside(("elbow", "0 -1 0"), ("erbow", "0 1 0")),
            **{
                f"a {finger}": beside((f"left_{finger}", "0 -1 0"), (f"right_{finger}", "0 1 0"))
                for finger in ("finger", "knuckle", "thumb")
            },
            **{f"on the {world}": sides("0 -1 0", "0 1 0", base=world) for world in ("world", "ground", "map")},
            "on what a joint carries": far("0 -1 0"),
            "where nobody asks": Model(sides("0 -1 0", "0 1 0"), profile="sim"),
        },
    ),
    "R103-004": Cases(
        found={
            "in the axes of the camera": Model(
                camera("0 0 0"), says="is 120 degrees off; expected rpy -π/2 0 -π/2 in 'camera_link'"
            ),
            "a little more than calibration": camera(f"{QUARTER + 0.051} 0 {QUARTER}"),
            "of SDF, where the joint is not turned as its links are": optical_in_sdf("0 0 0", "1 0 0"),
            "_link": camera("0 0 0", name="camera_optical_link"),
            "_optical alone": camera("0 0 0", name="camera_optical"),
            "on a frame called so": camera("0 0 0", first="camera"),
            "on a parent whose name begins so": camera("0 0 0", first="camera_body"),
            "on a parent, past underscores": camera("0 0 0", first="camera_body", name="_camera_optical"),
        },
        silent={
            "as it should be": camera(f"{QUARTER} 0 {QUARTER}"),
            "of SDF, where the joint is not turned as its links are": optical_in_sdf(f"{QUARTER} 0 {QUARTER}", "1 0 0"),
            "calibrated": camera(f"{QUARTER + 0.049} 0 {QUARTER}"),
            "of a camera that is not known": camera("0 0 0", first="head"),
            "on another optical frame": camera("0 0 0", first="camera_left_optical"),
            "on a joint that moves": second("camera_link", "camera_optical_frame", "0 0 0", kind="continuous"),
            "another ending": camera("0 0 0", name="camera_optical_table"),
            "another beginning": camera("0 0 0", name="optical_frame"),
        },
    ),
    "R103-007": Cases(
        found={
            "four decimals of three halves": Model(turned("4.7124", 0, 0), says="4.7124 is not exactly 3π/2 ="),
            "two decimals of a right angle": Model(
                turned(0, "1.57", 0),
                says="1.57 is not exactly π/2 = 1.5707963267948966: the error is 0.8 mrad, or 0.8 mm at",
            ),
            "backwards": Model(turned("-3.14", 0, 0), says="-3.14 is not exactly -π ="),
            "two, said once": Model(
                turned("1.57", "3.14", "1.57"), says="mm at a distance of 1 m; 3.14 is not exactly π"
            ),
            "three decimals of a third": Model(turned("2.094", 0, 0), says="is not exactly 2π/3"),
            "of a shape": Model(robot(link("a", seen(box(1), rpy="0 0 1.57"))), severity="info"),
            "of an inertial": Model(
                robot(link("a", inertial(1, 1, 1, 1.5).replace("<origin", '<origin rpy="1.57 0 0"'))), severity="info"
            ),
            "of a body in MJCF": in_mjcf("1.57 0 0", says="euler 1.57 is not exactly π/2"),
            "of a shape in MJCF": replace(in_mjcf("0 0 0", '<site euler="0 3.14 0"/>'), severity="info"),
            "of a pose in SDF": sdf("<pose>0 0 0 0 1.57 0</pose>"),
            "of a static model": Model(STATIC.replace("30 0 0 0 0 0", "0 0 0 0 0 1.57"), format="sdf", severity="info"),
            "of a link of a static model": Model(
                STATIC.replace('name="a">', 'name="a"><pose>0 0 0 0 0 1.57</pose>'), format="sdf", severity="info"
            ),
            "of a link in SDF": sdf("<pose>0 0 0 0 0 1.57</pose>"),
            "of a shape in SDF": replace(sdf("<visual name='v'><pose>0 0 0 0 1.57 0</pose></visual>"), severity="info"),
        },
        silent={
            "four decimals of four thirds": turned("4.1888", 0, 0),
            "exact": turned(0, repr(pi / 2), 0),
            "exact enough": turned(0, "1.5708", 0),
            "measured": turned(0, "1.5702", 0),
            "one decimal": turned(0, "1.6", 0),
            "two decimals of a third": turned(0, "1.05", 0),
            "no angle": at("1.57 3.14 0"),
            "degrees in SDF": sdf('<pose degrees="true">0 0 0 0 1.57 0</pose>'),
            "a quaternion in SDF": sdf('<pose rotation_format="quat_xyzw">0 0 0 0 1.57 0 1</pose>'),
            "in a plug-in": sdf("<plugin name='p' filename='f'><pose>0 0 0 0 1.57 0</pose></plugin>"),
            "where the model stands in its world": sdf(""),
            "exact in MJCF": in_mjcf("1.5708 0 0"),
            "degrees in MJCF": replace(
                in_mjcf("90 0 1.57"), text=in_mjcf("90 0 1.57").text.replace("radian", "degree")
            ),
        },
    ),
}

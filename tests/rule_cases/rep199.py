"""REP-199: the frames of industrial arms.

The arm of the examples has no fault. `edited` plants faults in its elements; `trees` are arms in a line a joint, with
all axes along x and without shapes.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from math import pi, radians

from arm_trees import Text, chain, in_words, single, tree_text
from kinetree.conventions.examples import ARM
from kinetree.conventions.rep199.groups import TWO_ARMS
from rule_cases.builders import arm, box, cylinder, felt, joint, link, mesh, robot, seen, sphere
from rule_cases.case import Cases, Model

Fault = Callable[[Text], None]
FOOT = '<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision>'
LAST = '<origin xyz="0.08 0 0"/><geometry><box size="0.02 0.08 0.08"/></geometry>'
SEEN, FELT = f"<visual>{LAST}</visual>", f"<collision>{LAST}</collision>"
"""The shapes of the last link."""
QUARTER = pi / 2


def edited(*faults: Fault, text: str = ARM) -> str:
    """The arm with faults planted in it."""
    planted = Text(text)
    for fault in faults:
        fault(planted)
    return ET.tostring(planted.root, encoding="unicode")


def renamed(old: str, new: str) -> Fault:
    return lambda text: text.rename(old, new)


def placed(child: str, xyz: str | None = None, rpy: str | None = None) -> Fault:
    return lambda text: text.place(child, xyz=xyz, rpy=rpy)


def hung(child: str, parent: str) -> Fault:
    return lambda text: text.hang(child, parent)


def turning(child: str) -> Fault:
    return lambda text: text.turning(child)


def shaped(name: str) -> Fault:
    return lambda text: text.shape(name)


def added(name: str, parent: str, *, solid: bool = False) -> Fault:
    """A link on another, a body or a frame."""

    def fault(text: Text) -> None:
        text.add(name, parent)
        if solid:
            text.shape(name)

    return fault


def between(name: str, child: str) -> Fault:
    return lambda text: text.between(name, child)


def axis(child: str, xyz: str) -> Fault:
    """Another axis of the joint that carries a link."""
    return lambda text: text.joint_of(child).find("axis").set("xyz", xyz)  # type: ignore[union-attr]


def kind(child: str, type_: str) -> Fault:
    return lambda text: text.joint_of(child).set("type", type_)


def foot(*shapes: str) -> str:
    """The arm with other shapes of base_link."""
    return arm((FOOT, "".join(shapes)))


def two(*edits: tuple[str, str]) -> str:
    """Two arms on one foot, without a fault, with texts of them replaced."""
    text = TWO_ARMS
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def leaning(degrees: float) -> Fault:
    angle = radians(degrees)
    return placed("link_1", rpy=f"{angle!r} 0 0")


def chained(n: int, *more: str) -> str:
    """A chain of n joints without names of REP-199."""
    return tree_text(*(f"j{i} *j{i + 1}" for i in range(n)), *more)


def fork(n: int) -> str:
    """A way of n joints to a body from which a chain of four joints and one of three go on."""
    way = [f"j{i} *j{i + 1}" for i in range(n)]
    sides = [f"{f'{side}{i}' if i else f'j{n}'} *{side}{i + 1}" for side, k in (("a", 4), ("b", 3)) for i in range(k)]
    return tree_text(*way, *sides)


def legs(n: int) -> str:
    return tree_text(*(f"{'body' if i == 0 else f'leg{k}_{i}'} *leg{k}_{i + 1}" for k in range(n) for i in range(5)))


def on_a_body(lean: float) -> str:
    """Two arms of one base_link and of no prefix, whose first axes lean."""
    sides = [
        text
        for side in ("l", "r")
        for i in range(6)
        for text in (
            link(f"{side}{i + 1}"),
            joint(
                f"{side}{i + 1}",
                f"{side}{i}" if i else "base_link",
                f"{side}{i + 1}",
                kind="continuous",
                xyz="0 0 0.1",
                rpy=f"{radians(lean) if i == 0 else 0!r} 0 0",
            ),
        )
    ]
    return robot(link("base_link"), *sides)


def standing(n: int, lean: float = 0, first: str = "continuous", reach: str = "0 0 0.1") -> str:
    """An arm of n joints on base_link, of which the first leans; each link is some way from the one before."""
    parts = [
        link(f"link_{i + 1}")
        + joint(
            f"joint_{i + 1}",
            f"link_{i}" if i else "base_link",
            f"link_{i + 1}",
            kind="continuous" if i else first,
            xyz=reach if i else "0 0 0",
            rpy=f"{radians(lean)!r} 0 0" if i == 0 else "0 0 0",
        )
        for i in range(n)
    ]
    return robot(link("base_link"), *parts, link("flange"), joint("end", f"link_{n}", "flange"))


def strict(text: str, **more: object) -> Model:
    """A model of which what is missing is an error."""
    return Model(text, profile="industrial-strict", **more)  # type: ignore[arg-type]


def of(vendor: str, text: str, **more: object) -> Model:
    return Model(text, vendor=vendor, **more)  # type: ignore[arg-type]


OWN = (
    *("cover", "cap", "shell", "housing", "bumper", "skin", "cable", "hose", "dress", "dresspack", "guide", "camera"),
    *("sensor", "light", "led", "label", "logo", "counterweight", "motor", "brake", "gear", "encoder", "bearing"),
    *("seal", "screw", "bolt", "washer", "wrist_cover", "left-cover2", "cover_left", "covers"),
)
EMPTY = (
    *("frame", "link", "dummy", "tmp", "temp", "test", "mate", "new_frame", "newlink", "tool_frame", "tcp-frame"),
    *("tool", "tcp", "ee", "eef", "end_effector", "endeffector_", "Frame2", "dummy_12", "tool_0"),
)
IN_WORDS = tuple(renamed(f"link_{i}", in_words(f"link_{i}")) for i in range(1, 7))
"""Names of the maker's own for the links."""
CLEAN = arm()
JOINT_1 = '<joint name="joint_1" type="revolute">\n    <origin xyz="0 0 0.3"/>\n    <parent link="base_link"/>'
PLATE = (
    '<link name="plate"/><joint name="plate" type="{}"><parent link="{}"/><child link="{}"/><axis xyz="1 0 0"/></joint>'
)
TORCH = added("torch", "flange", solid=True)

CASES = {
    "R199-001": Cases(
        found={
            "three joints": chained(3),
            "a flange behind one joint": tree_text("base_link *link_1", "link_1 flange"),
            "three numbered links": tree_text(*chain("", "base_link", 3)),
            "four numbered links on two ways": tree_text(
                "base_link *link_1", "link_1 *link_2", "base_link *link_3", "link_3 *link_4"
            ),
            "three legs": legs(3),
            "four joints of which one slides and turns at once": tree_text(
                *(f"j{i} *j{i + 1}" for i in range(4))
            ).replace('<joint name="j2_joint" type="continuous">', '<joint name="j2_joint" type="planar">'),
        },
        silent={
            "four joints": chained(4),
            "a flange behind two joints": tree_text(*chain("", "base_link", 2), "link_2 flange"),
            "a tool0 behind two joints": tree_text(*chain("", "base_link", 2), "link_2 tool0"),
            "four numbered links": tree_text(*chain("", "base_link", 4)),
            "two legs": legs(2),
            "a gripper's finger behind four": chained(4, "j4 *finger"),
        },
    ),
    "R199-101": Cases(
        found={
            "on the first link": Model(
                edited(renamed("base_link", "foot"), added("base_link", "link_1")),
                says="is on 'link_1', but the arm begins on 'foot'",
            ),
            "none": strict(edited(renamed("base_link", "foot")), says="arm has none", element="frame 'base_link'"),
        },
        remarked={
            "none, where that is no error": Model(edited(renamed("base_link", "foot")), severity="warning"),
            "another frame with that name behind its own": Model(
                edited(renamed("base_link", "foot"), added("camera_base_link", "link_3")),
                severity="warning",
                says="'camera_base_link' is something else",
            ),
        },
        silent={"there": CLEAN, "on what carries the first joint": edited(between("mount", "link_1"))},
    ),
    "R199-102": Cases(
        found={
            "above": Model(
                foot(felt(box(0.2), xyz="0 0 0.1205")), says="the lowest point of its shapes is at z = 0.0205"
            ),
            "below": foot(felt(box(0.2), xyz="0 0 0.0795")),
            "a ball": foot(felt(sphere(0.1), xyz="0 0 0.1205")),
            "a tube": foot(felt(cylinder(1, 0.2), xyz="0 0 0.1205")),
            "a tube that lies": foot(felt(cylinder(0.1, 1), xyz="0 0 0.1205", rpy=f"{QUARTER} 0 0")),
            "a box that leans": foot(felt(box(0.2), xyz="0 0 0.1", rpy=f"{pi / 4} 0 0")),
            "the lower of two": foot(felt(box(0.2), xyz="0 0 0.1"), felt(box(0.2), xyz="0 0 0.07")),
            "two arms on one, said once": on_a_body(0).replace(link("base_link"), link("base_link", felt(box(0.2)))),
        },
        silent={
            "two centimetres above": foot(felt(box(0.2), xyz="0 0 0.1195")),
            "two centimetres below": foot(felt(box(0.2), xyz="0 0 0.0805")),
            "a tube that lies": foot(felt(cylinder(0.1, 1), xyz="0 0 0.1", rpy=f"{QUARTER} 0 0")),
            "a box on its side": foot(felt(box(0.2, 0.2, 1), xyz="0 0 0.1", rpy=f"{QUARTER} 0 0")),
            "with a mesh": foot(felt(box(0.2)), felt(mesh("a.stl"))),
            "only seen": foot(seen(box(5))),
            "no base_link": edited(renamed("base_link", "foot")),
        },
    ),
    "R199-105": Cases(
        found={
            "leans": Model(standing(6, 5.1), says="the first joint, 'joint_1', leans 5.1 degrees from its z"),
            "leans, of five joints": standing(5, 5.1),
            "leans the other way": standing(6, -5.1),
            "lies": edited(axis("link_1", "1 0 0")),
        },
        remarked={
            "reaches backwards": Model(
                standing(6, reach="-0.1 0 0"),
                severity="info",
                says="with all joints at zero the arm reaches to x = -0.5, y = 0",
            ),
            "reaches sideways": standing(6, reach="0.09 0.1 0"),
            "reaches sideways, mostly up": standing(6, reach="0 0.033 0.1"),
        },
        silent={
            "upright": standing(6),
            "leans a little": standing(6, 4.9),
            "upside down": standing(6, 180),
            "leans, of four joints": standing(4, 5.1),
            "slides along": standing(6, 5.1, first="prismatic"),
            "two arms on one body": on_a_body(30),
            "without base_link": edited(renamed("base_link", "foot"), axis("link_1", "1 0 0")),
            "reaches forwards, more or less": standing(6, reach="0.1 0.09 0"),
            "reaches up, mostly": standing(6, reach="0 0.03 0.1"),
        },
    ),
    "R199-106": Cases(
        found={
            "turned": of("abb", edited(placed("base", rpy="0 0 0.0011")), says="that of ABB is not turned"),
            "not turned": of(
                "universal_robots",
                CLEAN,
                says="is turned by 0 degrees in 'base_link'; that of Universal Robots is turned by 180",
            ),
            "of one who has it at a height": of("fanuc", edited(placed("base", rpy="0.0011 0 0"))),
        },
        silent={
            "turned a little": of("abb", edited(placed("base", rpy="0 0 0.0009"))),
            "turned as that maker does": of("universal_robots", edited(placed("base", rpy=f"0 0 {pi}"))),
            "of nobody": edited(placed("base", rpy="0 0 1")),
            "of one of whom that is not known": of("denso", edited(placed("base", rpy="0 0 1"))),
            "no base_link": of("abb", edited(renamed("base_link", "foot"), placed("base", rpy="0 0 1"))),
            "no base": of("abb", edited(renamed("base", "frame"), placed("frame", rpy="0 0 1"))),
            "not fixed, which another rule says": of(
                "abb", edited(hung("base", "link_1"), placed("base", rpy="0 0 1"))
            ),
        },
    ),
    "R199-108": Cases(
        found={
            "on a plate below": Model(
                arm((JOINT_1, PLATE.format("fixed", "plate", "base_link") + JOINT_1.replace("base_link", "plate"))),
                says="the first joint, 'joint_1', hangs on 'plate', which is not behind it",
            ),
        },
        silent={
            "on base_link": CLEAN,
            "on a plate above": edited(between("plate", "link_1")),
            "no base_link": edited(renamed("base_link", "foot")),
        },
    ),
    "R199-201": Cases(
        found={
            "a millimetre up": of(
                "fanuc", edited(placed("base", xyz="0 0 0.5011")), says="is 0.0011 m from where models of"
            ),
            "a millimetre aside": of("fanuc", edited(placed("base", xyz="0.0011 0 0.5"))),
            "up, of one who has it in base_link": of(
                "abb", CLEAN, says="is 0.5 m from where models of ABB have it, 0 0 0 m"
            ),
        },
        silent={
            "less than a millimetre": of("fanuc", edited(placed("base", xyz="0 0 0.5009"))),
            "in base_link": of("abb", edited(placed("base", xyz="0.0009 0 0"))),
            "of nobody": edited(placed("base", xyz="0 0 0.1")),
            "of one of whom that is not known": of("denso", edited(placed("base", xyz="0 0 0.1"))),
            "no base_link": of("fanuc", edited(renamed("base_link", "foot"), placed("base", xyz="0 0 0.1"))),
            "no base": of("fanuc", edited(renamed("base", "frame"), placed("frame", xyz="0 0 0.1"))),
        },
    ),
    "R199-203": Cases(
        found={
            "on the first link": Model(
                edited(hung("base", "link_1")), says="is fixed to 'link_1', which moves against 'base_link'"
            ),
            "behind a joint of its own": Model(
                edited(turning("base")), says="'base_link-base', which carries it, is continuous"
            ),
            "on the first link, without base_link": Model(
                edited(renamed("base_link", "foot"), hung("base", "link_1")), says="which moves against 'foot'"
            ),
        },
        silent={
            "fixed": CLEAN,
            "on a plate": edited(between("mount", "base")),
            "none": edited(renamed("base", "frame")),
        },
    ),
    "R199-205": Cases(
        found={
            "on a plate": Model(edited(between("mount", "base")), says="hangs on 'mount', not on 'base_link'"),
            "below base_link": Model(
                tree_text(*single()[1:], "base base_link"), says="carries 'base_link'", element="link 'base'"
            ),
        },
        silent={
            "on base_link": CLEAN,
            "no base": edited(renamed("base", "frame"), between("mount", "frame")),
            "no base_link": edited(renamed("base_link", "foot"), between("mount", "base")),
        },
    ),
    "R199-206": Cases(
        found={
            "seen": Model(edited(shaped("base")), says="has geometry, which belongs to base_link"),
            "felt": arm(('<link name="base"/>', link("base", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("base", "frame"), shaped("frame"))},
    ),
    "R199-208": Cases(
        found={"none": strict(edited(renamed("base", "frame")), says="arm has none", element="frame 'base'")},
        remarked={"none, where that is no error": Model(edited(renamed("base", "frame")), severity="warning")},
        silent={"there": CLEAN},
    ),
    "R199-301": Cases(
        found={
            "one": Model(
                edited(renamed("link_3", "elbow")),
                says="of the chain: not called 'link_N' (elbow)",
                element="link 'elbow'",
            ),
            "two": Model(
                edited(renamed("link_3", "elbow"), renamed("link_6", "wrist")),
                says="of the chain and 1 more: not called 'link_N' (elbow, wrist)",
            ),
            "a zero before the number": edited(renamed("link_3", "link_03")),
            "no underscore": edited(renamed("link_3", "link3")),
            "another prefix": two(('"left_link_3"', '"right_link_30"')),
            "two chains behind a way that is no longer than they are, of which one is longer": Model(
                fork(4), says="of the chain and 7 more"
            ),
            "two fingers of three joints and more behind a longer way": Model(fork(5), says="of the chain and 4 more"),
            "a flange behind a joint, which is a frame": Model(edited(turning("flange"), *IN_WORDS), says="and 5 more"),
            "a flange behind a joint that is seen, a link": Model(
                edited(turning("flange"), shaped("flange"), *IN_WORDS), says="and 6 more"
            ),
            "a flange behind a joint that is felt, a link": Model(
                edited(
                    turning("flange"), *IN_WORDS, text=arm(('<link name="flange"/>', link("flange", felt(box(0.1)))))
                ),
                says="and 6 more",
            ),
            "nine, of which eight are named": Model(
                tree_text("base_link *a1", *(f"a{i} *a{i + 1}" for i in range(1, 9)), "a9 flange"),
                says="and 8 more: not called 'link_N' (a1, a2, a3, a4, a5, a6, a7, a8)",
            ),
        },
        silent={
            "all": CLEAN,
            "from zero": tree_text("base_link *link_0", "link_0 *link_1", "link_1 flange"),
            "with their prefix": two(),
        },
    ),
    "R199-302": Cases(
        found={
            "one left out": Model(
                edited(renamed("link_6", "link_7")), says="follows 'link_5' in the chain", element="link 'link_7'"
            ),
            "one too early": Model(
                edited(renamed("link_3", "x"), renamed("link_4", "link_3"), renamed("x", "link_4")), count=3
            ),
            "from two": Model(tree_text(*chain("", "base_link", 6)).replace('"link_1"', '"link_7"'), count=2),
            "from two on": Model(
                tree_text("base_link *link_2", "link_2 *link_3", "link_3 flange"),
                says="is the first of the chain, which begins with link_1",
                element="link 'link_2'",
            ),
        },
        remarked={
            "from zero": Model(
                tree_text("base_link *link_0", "link_0 *link_1", "link_1 flange"),
                severity="info",
                element="link 'link_0'",
            )
        },
        silent={
            "from one": CLEAN,
            "one of another name, which another rule says": edited(renamed("link_3", "elbow")),
            "the first of another name": edited(renamed("link_1", "shoulder")),
        },
    ),
    "R199-303": Cases(
        found={
            "one": Model(
                edited(placed("link_6", rpy=f"{radians(0.11)!r} 0 0")),
                says="is turned by 0.11 degrees with all joints at zero (its",
            ),
            "all from one on": Model(
                edited(placed("link_3", rpy=f"0 0 {QUARTER!r}")),
                says="by 90 degrees with all joints at zero, the first of 4 such links (its axes lie along y x z)",
                element="link 'link_3'",
            ),
            "without base_link": edited(renamed("base_link", "foot"), placed("link_6", rpy="0 1 0")),
        },
        silent={"none": CLEAN, "a little": edited(placed("link_6", rpy=f"{radians(0.09)!r} 0 0"))},
    ),
    "R199-306": Cases(
        found={
            "one": Model(
                arm((SEEN, ""), (FELT, "")),
                element="link 'link_6'",
            ),
            "all": Model(tree_text(*single()), count=6),
        },
        silent={
            "all have": CLEAN,
            "seen only": arm((FELT, "")),
            "felt only": arm((SEEN, "")),
            "on what is fixed to it": edited(
                added("cover", "link_6", solid=True),
                text=arm((SEEN, ""), (FELT, "")),
            ),
        },
    ),
    "R199-401": Cases(
        found={
            "a body on tool0": Model(
                edited(added("torch", "tool0", solid=True)), says="hangs on 'tool0', not on 'flange'"
            ),
            "a body on the last link": Model(edited(added("torch", "link_6", solid=True)), element="link 'torch'"),
            "what moves, without a shape": edited(added("jaw", "link_6"), turning("jaw")),
            "what carries what moves": Model(
                edited(added("palm", "link_6"), added("jaw", "palm"), turning("jaw")), element="link 'palm'"
            ),
            "a cover on tool0": edited(added("cover", "tool0", solid=True)),
            "a cover with a body on it": edited(
                added("cover", "link_6", solid=True), added("torch", "cover", solid=True)
            ),
            "a body on what is before flange": Model(
                edited(between("adapter", "flange"), added("torch", "adapter", solid=True)), element="link 'torch'"
            ),
            "a body on what is before what is before flange": edited(
                between("adapter", "flange"), between("plate", "adapter"), added("torch", "plate", solid=True)
            ),
            "two": Model(edited(added("torch", "link_6", solid=True), added("light2x", "tool0", solid=True)), count=2),
        },
        remarked={
            "no flange": Model(edited(renamed("flange", "hand"), hung("tool0", "link_6")), count=1, severity="warning")
        },
        silent={
            "a body on flange": edited(TORCH),
            "a frame on the last link": edited(added("torch", "link_6")),
            **{f"a {name} on the last link": edited(added(name, "link_6", solid=True)) for name in OWN},
            "a body on a link before": edited(added("torch", "link_5", solid=True)),
            "a body before flange": edited(between("adapter", "flange"), shaped("adapter")),
        },
    ),
    "R199-402": Cases(
        found={
            "on its side": Model(
                edited(placed("flange", rpy=f"{QUARTER} 0 0")),
                says="with all joints at zero its Z is 90 degrees from up",
            ),
            "a little": edited(placed("flange", rpy=f"{radians(2.6)} 0 0")),
            "pointing up by less than half": edited(placed("link_4", rpy=f"{radians(20)} {radians(-29)} 0")),
            "without base_link": edited(renamed("base_link", "foot"), placed("flange", rpy=f"{QUARTER} 0 0")),
        },
        silent={
            "up": CLEAN,
            "nearly": edited(placed("flange", rpy=f"{radians(2.5)} 0 0")),
            "pointing up by more than half": edited(placed("link_4", rpy=f"{radians(20)} {radians(-31)} 0")),
            "pointing down by more than half": edited(placed("link_4", rpy=f"{radians(20)} {radians(31)} 0")),
            "not along the last axis, which another rule says": edited(placed("flange", rpy=f"0 {QUARTER} 0")),
            "no flange": edited(renamed("flange", "hand"), placed("hand", rpy="1 0 0")),
        },
    ),
    "R199-403": Cases(
        found={
            "aside": Model(
                edited(placed("flange", rpy=f"0 {QUARTER} 0")),
                says="its X+ is 90 degrees off the way out of the last link, along 'joint_6'",
            ),
            "a little": edited(placed("flange", rpy=f"0 {radians(2.6)} 0")),
            "back into the arm": Model(edited(placed("flange", rpy=f"0 0 {pi}")), says="180 degrees off"),
            "with the axis the other way": edited(axis("link_6", "-1 0 0"), placed("flange", rpy=f"0 0 {pi}")),
        },
        silent={
            "outwards": CLEAN,
            "nearly": edited(placed("flange", rpy=f"0 {radians(2.5)} 0")),
            "with the axis the other way": edited(axis("link_6", "-1 0 0")),
            "of an arm that stands behind the root": edited(placed("link_1", xyz="-5 0 0.3")),
            "behind a joint of its own, which another rule says": edited(
                placed("flange", rpy=f"0 {QUARTER} 0"), turning("flange")
            ),
            "the last joint slides": edited(kind("link_6", "prismatic"), placed("flange", rpy=f"0 {QUARTER} 0")),
        },
    ),
    "R199-404": Cases(
        found={
            "behind a joint of its own": Model(
                edited(turning("flange")), says="'link_6-flange', which carries it, is continuous"
            ),
            "behind a joint of its own, of links without numbers": edited(turning("flange"), *IN_WORDS),
            "on the link before": Model(
                edited(hung("flange", "link_5"), hung("tool0", "link_6")),
                says="is fixed to 'link_5', and the arm ends with 'link_6'",
            ),
        },
        silent={
            "fixed": CLEAN,
            "on an adapter": edited(between("adapter", "flange")),
            "none": edited(renamed("flange", "hand")),
        },
    ),
    "R199-406": Cases(
        found={
            "on an adapter": Model(edited(between("adapter", "flange")), says="hangs on 'adapter', not on 'link_6'")
        },
        silent={
            "on the last link": CLEAN,
            "on the link before, which another rule says": edited(hung("flange", "link_5"), hung("tool0", "link_6")),
            "none": edited(renamed("flange", "hand"), between("adapter", "hand")),
            "the last link itself": tree_text(*chain("", "base_link", 5), "link_5 *flange", "flange tool0"),
        },
    ),
    "R199-408": Cases(
        found={
            "seen": Model(edited(shaped("flange")), says="has geometry, which belongs to the last link"),
            "felt": arm(('<link name="flange"/>', link("flange", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("flange", "hand"), shaped("hand"))},
    ),
    "R199-501": Cases(
        found={"none": strict(edited(renamed("tool0", "tip")), says="arm has none", element="frame 'tool0'")},
        remarked={
            "none, where that is no error": Model(edited(renamed("tool0", "tip")), severity="warning"),
            "turned otherwise": of(
                "abb",
                edited(placed("tool0", rpy="0 0 0")),
                severity="warning",
                says="is turned 90 degrees off from how models of ABB",
            ),
            "turned a little": of("abb", edited(placed("tool0", rpy=f"0 {QUARTER + 0.0011} 0")), severity="warning"),
            "turned as by another": of("fanuc", CLEAN, severity="warning"),
            "turned off the way out, without flange": of(
                "abb",
                edited(
                    renamed("flange", "hand"),
                    hung("tool0", "link_6"),
                    placed("tool0", "0.09 0 0", f"0 {QUARTER + 0.0011} 0"),
                ),
                severity="warning",
                says="degrees off the way out of the last link, against ABB's",
            ),
            "turned otherwise, with a flange on another link": of(
                "abb", edited(hung("flange", "link_5"), placed("tool0", rpy="0 0 0")), severity="warning"
            ),
            "of two arms": Model(two(('"left_tool0"', '"left_tip"')), severity="warning", element="frame 'left_tool0'"),
        },
        silent={
            "there": CLEAN,
            "turned as by ABB": of("abb", CLEAN),
            "turned a little less": of("abb", edited(placed("tool0", rpy=f"0 {QUARTER + 0.0009} 0"))),
            "turned about the way out, without flange": of(
                "abb",
                edited(
                    renamed("flange", "hand"),
                    hung("tool0", "link_6"),
                    placed("tool0", "0.09 0 0", f"{QUARTER} 0 {QUARTER}"),
                ),
            ),
            "of nobody": edited(placed("tool0", rpy="0 0 0")),
            "of one of whom that is not known": of("denso", edited(placed("tool0", rpy="0 0 0"))),
            "on another body, which another rule says": of(
                "abb", edited(placed("tool0", rpy="0 0 0"), hung("tool0", "link_5"))
            ),
        },
    ),
    "R199-503": Cases(
        found={
            "a micrometre and more": Model(edited(placed("tool0", "0 0 0.0000011")), says="is 1.1e-06 m from 'flange'"),
            "aside": edited(placed("tool0", "0 -0.1 0")),
        },
        silent={
            "one origin": CLEAN,
            "less than a micrometre": edited(placed("tool0", "0 0 0.0000009")),
            "no flange": edited(renamed("flange", "hand"), placed("tool0", "0 0 1")),
            "on another body, which another rule says": edited(hung("tool0", "link_5"), placed("tool0", "0 0 1")),
        },
    ),
    "R199-504": Cases(
        found={
            "behind a joint of its own": Model(
                edited(turning("tool0")), says="'flange-tool0', which carries it, is continuous"
            ),
            "on the link before": Model(
                edited(hung("tool0", "link_5")), says="is fixed to 'link_5', and the arm ends with 'link_6'"
            ),
        },
        silent={
            "fixed": CLEAN,
            "on an adapter": edited(between("adapter", "tool0")),
            "none": edited(renamed("tool0", "tip")),
            "without flange": edited(renamed("flange", "hand")),
        },
    ),
    "R199-505": Cases(
        found={
            "on the last link": Model(edited(hung("tool0", "link_6")), says="hangs on 'link_6', not on 'flange'"),
            "on an adapter": edited(between("adapter", "tool0")),
        },
        silent={
            "on flange": CLEAN,
            "without flange": edited(renamed("flange", "hand")),
            "behind a joint of its own, which another rule says": edited(turning("tool0"), hung("tool0", "link_6")),
        },
    ),
    "R199-508": Cases(
        found={
            "a frame": Model(
                edited(added("tip", "tool0")), says="hangs on 'tool0', not beside it on 'flange'", element="link 'tip'"
            ),
            "two": Model(edited(added("tip", "tool0"), added("torch", "tool0")), count=2),
            "without flange": Model(
                edited(renamed("flange", "hand"), added("tip", "tool0")), says="not beside it on 'the flange'"
            ),
        },
        silent={
            "on flange": edited(added("tip", "flange")),
            "flange itself": tree_text(*single()[:-2], "link_6 tool0", "tool0 flange"),
            "without tool0": edited(renamed("tool0", "hand"), added("tip", "hand")),
        },
    ),
    "R199-509": Cases(
        found={
            "seen": Model(edited(shaped("tool0")), says="has geometry"),
            "felt": arm(('<link name="tool0"/>', link("tool0", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("tool0", "hand"), shaped("hand"))},
    ),
    "R199-601": Cases(
        found={
            **{name: edited(added(name, "flange")) for name in ("tool1", "tool12", "Tool_2", "tool-01", "tool_00")},
            "on the last link": edited(added("tool1", "link_6")),
            "with the arm's prefix": two(
                ("</robot>", link("left_tool1") + joint("t", "left_flange", "left_tool1") + "</robot>")
            ),
        },
        silent={
            "tool0": CLEAN,
            "no number": edited(added("tool", "flange")),
            "a name before it": edited(added("big_tool1", "flange")),
            "a body": edited(added("tool1", "flange", solid=True)),
            "with something on it": edited(added("tool1", "flange"), added("tip", "tool1")),
            "on the link before": edited(added("tool1", "link_5")),
            "the last link": tree_text(*chain("", "base_link", 5), "link_5 *tool1", "tool1 flange"),
        },
    ),
    "R199-602": Cases(
        found={name: edited(added(name, "flange")) for name in EMPTY},
        silent={
            "a word that says something": edited(added("welding_tip", "flange")),
            "a number, which another rule says": edited(added("tool1", "flange")),
            "on the last link, called like no tool": edited(added("new_frame", "link_6")),
            "a body": edited(added("frame", "flange", solid=True)),
        },
    ),
    "R199-603": Cases(
        found={
            "a hyphen": Model(edited(added("welding-tip", "flange")), says="is not a legal name of ROS"),
            "a digit first": edited(added("2nd_tip", "flange")),
            "a dot": edited(added("tip.1", "flange")),
            "of a frame called like a tool": edited(added("my-tcp", "link_6")),
        },
        silent={
            "legal": edited(added("Welding_tip2/a", "flange")),
            "a slash first": edited(added("/tip", "flange")),
            "of a frame called like no tool": edited(added("my-mark", "link_6")),
            "of a body": edited(added("welding-tip", "flange", solid=True)),
        },
    ),
    "R199-604": Cases(
        found={
            "on the last link": Model(edited(added("torch_tcp", "link_6")), says="hangs on 'link_6', not on 'flange'"),
            **{
                name: edited(added(name, "link_6"))
                for name in ("tcp", "my_tool", "torch", "gripper_tip", "ee", "eef", "end_effector", "endeffector2")
            },
        },
        silent={
            "on flange": edited(added("torch_tcp", "flange")),
            "on an adapter": edited(added("adapter", "link_6"), added("torch_tcp", "adapter")),
            "called like no tool": edited(added("mark", "link_6")),
            "called like one within a word": edited(added("stool", "link_6")),
            "without flange": edited(renamed("flange", "hand"), added("torch_tcp", "link_6")),
            "a body": edited(added("torch_tcp", "link_6", solid=True)),
            "where flange is the last link": tree_text(
                *chain("", "base_link", 5), "link_5 *flange", "flange tool0", "flange torch_tcp"
            ),
        },
    ),
    "R199-701": Cases(
        found={
            "a joint": Model(
                two(('"left_joint_3"', '"elbow"')),
                says="has not the prefix 'left_' of its arm",
                element="joint 'elbow'",
            ),
            "a link": Model(two(('"left_link_3"', '"upper"')), element="link 'upper'"),
            "a frame that no REP names": Model(two(('"left_link_6-flange"', '"mount"')), element="joint 'mount'"),
            "the same prefix": Model(
                tree_text(*(f"{'b' if i == 0 else f'b{k}{i}'} *b{k}{i + 1}" for k in "xy" for i in range(4))),
                says="the arms that end with 'bx4' and 'by4' have the same prefix, ''",
                element="robot 'r'",
            ),
        },
        silent={
            "all have it": two(),
            "a bare flange": two(('"left_flange"', '"flange"')),
            "one arm": edited(renamed("link_3", "elbow")),
        },
    ),
    "R199-702": Cases(
        found={
            "tool0": Model(
                two(('"left_tool0"', '"tool0"')), says="has not the prefix 'left_' of its arm", element="link 'tool0'"
            ),
            "flange": Model(two(('"right_flange"', '"flange"')), element="link 'flange'"),
        },
        silent={
            "with their prefixes": two(),
            "one arm": edited(renamed("link_3", "left_link_3")),
            "on another link": two(("</robot>", link("tool0") + joint("t", "base_link", "tool0") + "</robot>")),
        },
    ),
}

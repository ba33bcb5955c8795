"""Names that contradict the tree, and left and right parts."""

import re

from kinetree.rules.names.mirror import LEGS
from rule_cases.case import Cases, Model


def joint(name: str, parent: str, child: str, kind: str = "fixed") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<axis xyz="0 0 1"/></joint>'


def chain(*joints: str, links: str = "abcd") -> str:
    """A robot of links a, b, c, d and joints."""
    return f'<robot name="r">{"".join(f"<link name={name!r}/>" for name in links)}{"".join(joints)}</robot>'


def named(name: str, kind: str = "fixed") -> str:
    """A robot in which a joint of a name joins c and d, behind two joints."""
    return chain(joint("first", "a", "b", kind), joint("second", "b", "c", kind), joint(name, "c", "d", kind))


def legs(old: str, new: str, **more) -> Model:
    """A walker with a change in one place."""
    assert LEGS.count(old) == 1, old
    return Model(LEGS.replace(old, new), **more)


SHIN = '<link name="right_shin"><inertial><mass value="2"/><inertia ixx="0.012" ixy="0" ixz="0" iyy="0.011" iyz="0"'
ANKLE = '<link name="right_ankle"/><origin xyz="0 0 -0.1"/>'
SKEW = LEGS.replace('<mass value="2"/>', '<origin xyz="0.01 0.02 0"/><mass value="2"/>')
LEFT, RIGHT = SKEW.split('<link name="right_hip">')
SIGNED = LEFT + '<link name="right_hip">' + RIGHT.replace('"0.01 0.02 0"', '"0.01 -0.02 0"')
FOOT = '<link name="right_foot"><inertial><origin xyz="0.01 -0.02 0"/>'
ARMS = LEFT + '<link name="right_hip">' + RIGHT


def sided(parent: str, child: str = "right_b") -> str:
    """Links of both sides, and one more."""
    others = "".join(joint(f"j_{name}", "o", name) for name in ("left_a", "right_a", "left_c"))
    links = "".join(f'<link name="{name}"/>' for name in ("o", "left_a", "right_a", "left_c", child))
    return f'<robot name="r">{links}{others}{joint("last", parent, child)}</robot>'


def wheels(radius: float) -> str:
    """A left wheel of a radius, and a right one of 0.035 m."""
    return chain(joint("j", "a", "left_wheel"), joint("k", "a", "right_wheel"), links="a").replace(
        "</robot>",
        "".join(
            f'<link name="{side}_wheel"><collision><geometry><cylinder radius="{r}" length="0.02"/></geometry>'
            "</collision></link>"
            for side, r in (("left", radius), ("right", 0.035))
        )
        + "</robot>",
    )


def heavy_wheels(mass: float) -> str:
    """A left wheel of a mass, and a right one of 1 kg."""
    inertial = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    text = wheels(0.035)
    for side, value in (("left", mass), ("right", 1)):
        text = text.replace(f'<link name="{side}_wheel">', f'<link name="{side}_wheel">{inertial.format(value)}')
    return text


def rolling(more: str) -> str:
    """Wheels on joints that turn, the left one with another limit."""
    limit = '<limit lower="-1" upper="1" velocity="5" effort="5"/>'
    name = more.partition("=")[0]
    left = limit.replace(f'{name}="5"', more) if name in limit else limit.replace("/>", f"{more}/>")
    text = wheels(0.035).replace('"fixed"', '"continuous"')
    head, middle, end = text.split("</joint>", 2)
    return f"{head}{left}</joint>{middle}{limit}</joint>{end}"


def masses(shin: float, foot: float = 2.0) -> str:
    """A walker with other masses on the right."""
    text = legs(SHIN, SHIN.replace('"2"', f'"{shin}"')).text
    old = '<link name="right_foot"><inertial><mass value="2"/>'
    assert old in text
    return text.replace(old, old.replace('"2"', f'"{foot}"'))


def apart(y: float) -> str:
    """A walker whose legs stand a little apart, with another mass on the right."""
    return masses(2.1).replace('"0 0.1 -0.1"', f'"0 {y} -0.1"').replace('"0 -0.1 -0.1"', f'"0 {-y} -0.1"')


def heavier_at(z: float) -> Model:
    """A walker with the centre of a mass elsewhere on the right."""
    return legs(SHIN, SHIN.replace("<inertial>", f'<inertial><origin xyz="0 0 {z}"/>'))


LIMIT = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
TURNING = LEGS.replace('type="fixed">', f'type="revolute">{LIMIT}')


def turning(upper: float, **more) -> Model:
    """A walker whose joints turn, with another limit on the right."""
    return other_limit('upper="1"', f'upper="{upper}"', **more)


def other_limit(old: str, new: str, part: str = "shin", **more) -> Model:
    """A walker whose joints turn, with another text in a limit on the right."""
    whole = f'<joint name="right_{part}_joint" type="revolute">{LIMIT}'
    assert whole in TURNING
    return Model(TURNING.replace(whole, whole.replace(old, new)), **more)


def moved(part: str, xyz: str, text: str = TURNING, **more) -> Model:
    """A walker with a joint elsewhere on the right."""
    head, own, rest = text.partition(f'<joint name="right_{part}_joint"')
    placed = re.sub('<origin xyz="[^"]*"', f'<origin xyz="{xyz}"', rest, count=1)
    return Model(head + own + placed, **more)


ACROSS = re.sub('(_foot_joint" type="revolute"><axis xyz=)"0 1 0"', r'\1"1 0 0"', TURNING)
"""A walker whose feet turn about x, and all else about y."""


def mirrored(copies: int = 1, images: int = 2, part: str = "shin") -> str:
    """A walker whose joints turn about x; some ranges are copied from the left, some are mirrored, others are even."""
    text, parts = (
        TURNING.replace("0 1 0", "1 0 0"),
        [part, *(p for p in ("hip", "thigh", "ankle", "foot") if p != part)],
    )
    for i, name in enumerate(parts):
        for side in ("left", "right"):
            low, high = ("-0.7", "1") if side == "left" or i < copies else ("-1", "0.7")
            if i < copies + images:
                old = f'<joint name="{side}_{name}_joint" type="revolute">{LIMIT.replace("0 1 0", "1 0 0")}'
                assert old in text
                text = text.replace(old, old.replace('"-1" upper="1"', f'"{low}" upper="{high}"'))
    return text


def pointing(axis: str, part: str = "shin", more: str = 'lower="-1" upper="1"', text: str = TURNING, **said) -> Model:
    """The walker, with another axis and range of the right joint of a part."""
    before, name, after = text.partition(f'<joint name="right_{part}_joint"')
    now = LIMIT.replace("0 1 0", axis).replace('lower="-1" upper="1"', more)
    own = LIMIT if LIMIT in after else after[after.index("<axis") : after.index("/>", after.index("<limit")) + 2]
    return Model(before + name + after.replace(own, now, 1), **said)


SIDEWAYS = TURNING.replace("0 1 0", "1 0 0")
HAND = masses(2.1).replace("shin", "hand")


def four(text: str) -> str:
    """A walker of four legs: those of another, and the same behind."""
    text = text.replace("left_", "fl_").replace("right_", "fr_")
    legs = text[text.index('<link name="fl_hip">') :]
    return text.replace("</robot>", legs.replace('"fl_', '"rl_').replace('"fr_', '"rr_'))


FOUR = four(masses(2.1))


SDF_LINK = (
    '<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><sphere><radius>1</radius></sphere>'
    "</geometry></visual>{}</link></model></sdf>"
)

JOINT_LIKE_LINK = (
    '<sdf version="1.6"><model name="m"><link name="a"/><link name="b"/><joint name="b" type="revolute">'
    "<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
)

CASES = {
    "NAM-008": Cases(
        found={
            "a and b": named("a-b", "continuous"),
            "with an ending": named("a_to_b_joint", "continuous"),
            "another link than its child": named("c-b", "continuous"),
            "a joint and a link": named("first-c", "continuous"),
        },
        silent={
            "its ends": named("c-d", "continuous"),
            "its ends with an ending": named("c_to_d_joint", "continuous"),
            "its ends the other way about": named("d-c", "continuous"),
            "the joint before it and its child": named("second-d", "continuous"),
            "a link that is fixed to its parent": named("a-d"),
            "links that do not exist": named("x-y", "continuous"),
        },
    ),
    "NAM-009": Cases(
        found={
            "a joint": named("upper_link"),
            "a joint with a number": named("upper_link_2"),
            "a link": chain(joint("j", "a", "b_joint"), links=["a", "b_joint"]),
        },
        silent={
            "a joint that ends with its child": chain(joint("my_b_link", "a", "b_link"), links=["a", "b_link"]),
            "a joint that is named after two numbered links": named("arm__j_link_1_link_2"),
            "a joint to a link": named("base_to_upper_link"),
            "a joint that is named after its child": chain(joint("to_b_link", "a", "b_link"), links=["a", "b_link"]),
            "a word that ends so": named("blink"),
            "a joint": named("upper_joint"),
        },
    ),
    "NAM-011": Cases(
        found={
            "the right one": Model(
                sided("right_a", "left_b"), says="attaches 'left_b' to 'right_a'; expected 'left_a'"
            ),
            "with capitals": Model(
                sided("left_a").replace("left", "Left").replace("right", "Right"), says="expected 'Right_a'"
            ),
            "with capitals, the right one": Model(
                sided("right_a", "left_b").replace("left", "Left").replace("right", "Right"), says="expected 'Left_a'"
            ),
            "in capitals": Model(
                sided("left_a").replace("left", "LEFT").replace("right", "RIGHT"), says="expected 'RIGHT_a'"
            ),
            "in capitals, the right one": Model(
                sided("right_a", "left_b").replace("left", "LEFT").replace("right", "RIGHT"), says="expected 'LEFT_a'"
            ),
            "the left one": Model(sided("left_a"), says="attaches 'right_b' to 'left_a'; expected 'right_a'"),
        },
        silent={
            "the right one": sided("right_a"),
            "the middle": sided("o"),
            "both words": sided("left_a", "left_finger_of_right"),
            "no other": sided("left_c"),
        },
    ),
    "NAM-012": Cases(
        found={
            "a joint and a link": Model(named("a", "floating"), element="joint 'a'"),
        },
        remarked={
            "in an older SDF": Model(JOINT_LIKE_LINK, format="sdf", says="which Gazebo changes"),
            "a sensor of a link": Model(
                SDF_LINK.format('<sensor name="v" type="imu"/>'), format="sdf", says="a <visual> of this link has"
            ),
            "a light of a link": Model(
                SDF_LINK.format('<light name="v" type="point"/>'), format="sdf", says="a <visual> of this link has"
            ),
            "parts of a link": Model(
                '<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><sphere>'
                '<radius>1</radius></sphere></geometry></visual><collision name="v"><geometry><sphere>'
                "<radius>1</radius></sphere></geometry></collision></link></model></sdf>",
                format="sdf",
                says="a <visual> of this link has the same name",
            ),
        },
        silent={
            "in MuJoCo, which keeps them apart": Model(
                '<mujoco><worldbody><body name="a"><joint name="a"/><geom size="0.1"/></body></worldbody></mujoco>',
                format="mjcf",
            ),
            "a part of another kind": Model(SDF_LINK.format('<audio_source name="v"/>'), format="sdf"),
            "two of a kind, which the reader reports": Model(SDF_LINK.format(""), format="sdf"),
            "another name": named("e", "floating"),
            "a fixed joint": named("a"),
        },
    ),
    "NAM-010": Cases(
        remarked={
            "a limit, by a little": turning(1.099, says="upper limit 1.1 here, 1 by the mirror image"),
        },
        found={
            "by letters": masses(2.1).replace("left_", "l_").replace("right_", "r_"),
            "by capital letters": masses(2.1).replace("left_", "L_").replace("right_", "R_"),
            "by a letter before a word": re.sub(
                "(left|right)_(.)", lambda match: match[1][0].upper() + match[2].upper(), masses(2.1)
            ),
            "with capitals": masses(2.1).replace("left", "Left").replace("right", "Right"),
            "in capitals": masses(2.1).replace("left", "LEFT").replace("right", "RIGHT"),
            "wheels, by a little": Model(wheels(0.0350001), says="is 0.035 m, that of 'left_wheel' 0.0350001 m"),
            "a mass, by hardly more than rounding": masses(2.0625),
            "a mass, beside one that is hardly rounded": masses(2.1, 2.001982),
            "of legs a little apart": apart(0.000505),
            "the place of a centre of mass, by hardly more than rounding": heavier_at(0.000303),
            "a limit": turning(
                1.101, says="upper limit 1.1 here, 1 by the mirror image", element="joint 'right_shin_joint'"
            ),
            "wheels": Model(wheels(0.0352), says="is 0.035 m, that of 'left_wheel' 0.0352 m"),
            "wheels with letters": wheels(0.0352).replace("left_wheel", "wheel_fl").replace("right_wheel", "wheel_fr"),
            "masses of wheels": Model(heavy_wheels(1.04), says="the mass is 1 kg, that of 'left_wheel' 1.04 kg"),
            "velocities of wheels": Model(rolling('velocity="9"'), says="is 5, that of 'j' 9", element="joint 'k'"),
            "efforts of wheels": Model(rolling('effort="5.2"'), says="the effort limit is 5, that of 'j' 5.2"),
            "damping of wheels": Model(rolling("/><dynamics damping='1'"), says="the damping is 0, that of 'j' 1"),
            "a hand": Model(HAND, says="mass 2.1 here, 2 by the mirror image", element="link 'right_hand'"),
            "masses, beside those of hands": Model(
                four(masses(2.1, 3)).replace("foot", "hand"), count=2, element="link 'fr_shin'"
            ),
            "a limit of a hand": Model(
                turning(1.2).text.replace("shin", "hand"), says="upper limit 1.2", element="joint 'right_hand_joint'"
            ),
            "front and rear legs alike": Model(
                FOUR.replace('"rr_foot"', '"other_foot"'), count=2, element="link 'fr_shin'"
            ),
            "legs with the side before": Model(
                FOUR.replace('"fl_', '"lf_').replace('"fr_', '"rf_').replace('"rl_', '"lh_').replace('"rr_', '"rh_'),
                count=2,
            ),
            "an effort": other_limit('effort="1"', 'effort="10"', says="effort limit 10 here, 1 by the mirror image"),
            "a velocity": other_limit(
                'velocity="1"', 'velocity="10"', says="velocity limit 10 here, 1 by the mirror image"
            ),
            "a damping": other_limit("/>", "/><dynamics damping='2'/>", says="damping 2 here, 0 by the mirror image"),
            "a copied range": Model(
                mirrored(),
                says="lower limit -0.7 here, -1 by the mirror image; upper limit 1 here, 0.7 by the mirror image",
            ),
            "a joint and a link of one name": Model(
                turning(1.2).text.replace(SHIN, SHIN.replace('"2"', '"2.1"')).replace("shin_joint", "shin"), count=2
            ),
            "a mass": legs(
                SHIN,
                SHIN.replace('"2"', '"2.1"'),
                says="mass 2.1 here, 2 by the mirror image",
                element="link 'right_shin'",
            ),
            "a moment": legs(SHIN, SHIN.replace('ixx="0.012"', 'ixx="0.014"')),
            "an axis": pointing(
                "0 -1 0", says="axis y -1 here, 1 by the mirror image", element="joint 'right_shin_joint'"
            ),
            "an origin": moved(
                "foot", "0.01 0 -0.1", says="origin x 0.01 here, 0 by", element="joint 'right_foot_joint'"
            ),
            "an origin across its axis and that before": moved("foot", "0 0 -0.11", ACROSS, says="origin z -0.11 here"),
            "an origin along an axis that slides": moved(
                "foot", "0 0.01 -0.1", TURNING.replace("revolute", "prismatic"), says="origin y 0.01 here, 0 by"
            ),
            "an origin across the mirror, on two links": moved(
                "foot", "0 0.01 -0.1", TURNING.replace("0 1 0", "1 0 0"), says="origin y 0.01 here, 0 by"
            ),
            "an axis along another": pointing(
                "0 0 1", says="axis y 0 here, 1 by the mirror image; axis z 1 here, 0 by"
            ),
            "an axis of a slide": pointing(
                "0 1 0", text=TURNING.replace("revolute", "prismatic").replace(LIMIT, LIMIT.replace("0 1 0", "0 0 1"))
            ),
            "an axis whose range shows nothing": pointing("0 -1 0", more='lower="-1" upper="1.5"', count=1),
            "an axis in the mirror": pointing("-1 0 0", text=SIDEWAYS, says="axis x -1 here, 1 by the mirror image"),
            "a centre of mass with the sign of the left": Model(
                SIGNED.replace(FOOT, FOOT.replace("-0.02", "0.02")),
                says="centre of mass y 0.02 here, -0.02 by the mirror image",
            ),
        },
        silent={
            "an origin along its own axis": moved("foot", "0.01 0 -0.1", ACROSS),
            "an origin along the axis before": moved("foot", "0 0.01 -0.1", ACROSS),
            "an origin across the mirror, on one link": moved("hip", "0 -0.11 -0.1", TURNING.replace("0 1 0", "1 0 0")),
            "two axes": pointing("0 -1 0", text=pointing("0 -1 0", "foot").text),
            "an axis, as its range shows": pointing(
                "0 -1 0",
                more='lower="-1.5" upper="1"',
                text=TURNING.replace('lower="-1" upper="1"', 'lower="-1" upper="1.5"'),
            ),
            "oblique axes": pointing("0 -0.6 0.8", text=TURNING.replace("0 1 0", "0 0.6 0.8")),
            "an axis that is not along another": pointing("0 0.6 0.8"),
            "an axis beside three": pointing("0 -1 0", text=TURNING.replace("right_foot", "other")),
            "masses of wheels, rounded": heavy_wheels(1.02),
            "wheels on joints of two types": rolling('velocity="9"').replace('"continuous"', '"revolute"', 1),
            "two copied ranges of three": mirrored(2, 2),
            "a copied range, and one mirrored": mirrored(1, 1),
            "a copied range of a hand": mirrored(part="shin").replace("shin", "hand"),
            "another place of a hand": legs(
                '<child link="right_shin"/><origin xyz="0 0 -0.1"/>',
                '<child link="right_shin"/><origin xyz="0 0 -0.2"/>',
            ).text.replace("shin", "hand"),
            "wheels of two kinds": wheels(0.05).replace(
                '<cylinder radius="0.05" length="0.02"/>', '<sphere radius="0.05"/>'
            ),
            "wheels of boxes": re.sub("<cylinder[^>]*>", '<box size="1 1 1"/>', wheels(0.05)),
            "two words for the left": masses(2.1)
            .replace("left_shin", "left_left_shin")
            .replace("right_shin", "right_left_shin"),
            "a mass, by hardly no more than rounding": masses(2.06122),
            "a mass, beside one that is not rounded": masses(2.1, 2.002022),
            "of legs at one place": apart(0.000495),
            "the place of a centre of mass, hardly": heavier_at(0.000297),
            "a mass, of four pairs": masses(2.1).replace("right_foot", "other_foot"),
            "wheels of one size": wheels(0.035),
            "equal": LEGS,
            "rounded": legs(SHIN, SHIN.replace('"2"', '"2.05"')),
            "two masses of five": legs(SHIN, SHIN.replace('"2"', '"2.1"')).text.replace(
                '<link name="right_foot"><inertial><mass value="2"/>',
                '<link name="right_foot"><inertial><mass value="3"/>',
            ),
            "mirrored centers of mass": SIGNED,
            "the same leg on both sides": ARMS,
            "fingers": legs(SHIN, SHIN.replace('"2"', '"2.1"')).text.replace("shin", "finger"),
            "without right": LEGS.replace("right", "other"),
        },
    ),
}

"""REP-199: flange."""

from math import pi, radians

from arm_trees import chain, tree_text
from rule_cases.arms import (
    CLEAN,
    IN_WORDS,
    OWN,
    QUARTER,
    TORCH,
    added,
    axis,
    between,
    edited,
    hung,
    kind,
    placed,
    renamed,
    shaped,
    turning,
)
from rule_cases.builders import arm, box, felt, link
from rule_cases.case import Cases, Model


def positioner(xyz):
    """Two joints, and a flange in the frame of the last link."""
    old, new = '<child link="flange"/><origin xyz="0.0 0 0"/>', f'<child link="flange"/><origin xyz="{xyz}"/>'
    text = tree_text("base_link *link_1", "link_1 *link_2", "link_2 flange")
    assert old in text
    return text.replace(old, new)


def serial(n: int, xyz: str) -> str:
    """An arm of n joints with a flange on the last link, 0.1 m from joint to joint."""
    old, new = '<child link="flange"/><origin xyz="0.0 0 0"/>', f'<child link="flange"/><origin xyz="{xyz}"/>'
    return tree_text(*chain("", "base_link", n), f"link_{n} flange").replace(old, new)


CASES = {
    "R199-405": Cases(
        found={
            "of four joints": serial(4, "0.09 0.05 0"),
            "hardly farther than half of the arm": edited(placed("flange", xyz="0.7955 0 0")),
            "hardly farther than half a metre, of a short arm": serial(4, "0.505 0 0"),
            "beside the axis": Model(
                edited(placed("flange", xyz="0.09 0.7 0")),
                says="is 0.7 m beside the axis of 'joint_6'; expected on it",
                element="link 'flange'",
            ),
            "a little beside it": edited(placed("flange", xyz="0.09 0 0.0201")),
            "a metre in front": Model(
                edited(placed("flange", xyz="1.08 0 0")),
                says="is 1.08 m along the axis of 'joint_6', of an arm",
            ),
            "a metre behind": edited(placed("flange", xyz="-1.08 0 0")),
        },
        silent={
            "of three joints": serial(3, "0.09 0.05 0"),
            "hardly half of the arm away": edited(placed("flange", xyz="0.7805 0 0")),
            "hardly half a metre away, of a short arm": serial(4, "0.495 0 0"),
            "there": CLEAN,
            "of a positioner": positioner("0.09 0.05 0"),
            "nearly on the axis": edited(placed("flange", xyz="0.09 0 0.0199")),
            "half of the arm away": edited(placed("flange", xyz="0.75 0 0")),
            "none": edited(renamed("flange", "hand"), placed("hand", xyz="0.09 0.7 0")),
            "one that moves, which another rule says": edited(turning("flange"), placed("flange", xyz="0.09 0.7 0")),
        },
    ),
    "R199-401": Cases(
        found={
            "a body on the last link": Model(
                edited(added("torch", "link_6", solid=True)),
                says="this end effector is attached to 'link_6'; attach it to 'flange'",
                element="link 'torch'",
            ),
            "what moves, without a shape": edited(added("jaw", "link_6"), turning("jaw")),
            "what carries what moves": Model(
                edited(added("palm", "link_6"), added("jaw", "palm"), turning("jaw")), element="link 'palm'"
            ),
            "a cover with a body on it": edited(
                added("cover", "link_6", solid=True), added("torch", "cover", solid=True)
            ),
            "a body on what is before flange": Model(
                edited(between("adapter", "flange"), added("torch", "adapter", solid=True)), element="link 'torch'"
            ),
            "a body on what is before what is before flange": edited(
                between("adapter", "flange"), between("plate", "adapter"), added("torch", "plate", solid=True)
            ),
            "two": Model(edited(added("torch", "link_6", solid=True), added("light2x", "link_6", solid=True)), count=2),
        },
        remarked={
            "no flange": Model(edited(renamed("flange", "hand"), hung("tool0", "link_6")), count=1, severity="warning")
        },
        silent={
            "a body on flange": edited(TORCH),
            "a body on tool0, which another rule says": edited(added("torch", "tool0", solid=True)),
            "a frame on the last link": edited(added("torch", "link_6")),
            **{f"a {name} on the last link": edited(added(name, "link_6", solid=True)) for name in OWN},
            "a body on a link before": edited(added("torch", "link_5", solid=True)),
            "a body before flange": edited(between("adapter", "flange"), shaped("adapter")),
        },
    ),
    "R199-402": Cases(
        found={
            "pointing up by hardly less than half": edited(placed("link_4", rpy=f"{radians(20)} {radians(-29.7)} 0")),
            "on its side": Model(
                edited(placed("flange", rpy=f"{QUARTER} 0 0")),
                says="with all joints at zero its z axis is 90 degrees from vertical; expected up",
            ),
            "a little": edited(placed("flange", rpy=f"{radians(2.6)} 0 0")),
            "pointing up by less than half": edited(placed("link_4", rpy=f"{radians(20)} {radians(-29)} 0")),
            "without base_link": edited(renamed("base_link", "foot"), placed("flange", rpy=f"{QUARTER} 0 0")),
        },
        silent={
            "pointing up by hardly half": edited(placed("link_4", rpy=f"{radians(20)} {radians(-30.3)} 0")),
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
            "of a quill": edited(
                kind("link_6", "prismatic"), axis("link_5", "1 0 0"), placed("flange", rpy=f"0 {QUARTER} 0")
            ),
            "aside": Model(
                edited(placed("flange", rpy=f"0 {QUARTER} 0")),
                says="its x axis is 90 degrees off the axis of 'joint_6'; expected along it, away from the arm",
            ),
            "a little": edited(placed("flange", rpy=f"0 {radians(2.6)} 0")),
            "back into the arm": Model(edited(placed("flange", rpy=f"0 0 {pi}")), says="180 degrees off"),
            "with the axis the other way": edited(axis("link_6", "-1 0 0"), placed("flange", rpy=f"0 0 {pi}")),
        },
        silent={
            "hardly outwards": edited(placed("flange", rpy=f"0 {radians(2.55)} 0")),
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
                edited(turning("flange")), says="the joint 'link_6-flange' to this frame is continuous; expected fixed"
            ),
            "behind a joint of its own, of links without numbers": edited(turning("flange"), *IN_WORDS),
            "on the link before": Model(
                edited(hung("flange", "link_5"), hung("tool0", "link_6")),
                says="this frame moves with 'link_5'; expected fixed to 'link_6', where the arm ends",
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
            "on an adapter": Model(
                edited(between("adapter", "flange")), says="is attached to 'adapter'; expected 'link_6', the last link"
            )
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
            "seen": Model(edited(shaped("flange")), says="this frame has geometry, which belongs to the last link"),
            "felt": arm(('<link name="flange"/>', link("flange", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("flange", "hand"), shaped("hand"))},
    ),
}

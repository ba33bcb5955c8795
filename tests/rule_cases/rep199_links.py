"""REP-199: whether there is an arm, its links, and several arms."""

from math import radians

from arm_trees import chain, single, tree_text
from kinetree.rules.examples import SMALL_ARM
from rule_cases.arms import (
    CLEAN,
    FELT,
    IN_WORDS,
    QUARTER,
    SEEN,
    added,
    chained,
    edited,
    following,
    fork,
    legs,
    placed,
    renamed,
    shaped,
    turning,
    two,
)
from rule_cases.builders import arm, box, felt, joint, link
from rule_cases.case import Cases, Model

LOCKED = '<limit lower="0" upper="0" velocity="1" effort="1"/>'

CASES = {
    "R199-001": Cases(
        found={
            "flange and tool0 and no joint": Model(
                SMALL_ARM.replace("continuous", "fixed"),
                says="there are flange and tool0, but no joint moves",
            ),
            "said to be one": Model(chained(3), options={"kind": "arm"}, says="although the kind is arm"),
        },
        remarked={
            "four joints of which one has no range": chained(4).replace(
                '<joint name="j2_joint" type="continuous">', f'<joint name="j2_joint" type="revolute">{LOCKED}'
            ),
            "three joints": Model(chained(3), says="no arm was found, so nothing was checked by REP-199"),
            "a flange behind one joint": tree_text("base_link *link_1", "link_1 flange"),
            "flange and tool0 behind one joint, as of a positioner": tree_text(*single(n=1)),
            "three numbered links": tree_text(*chain("", "base_link", 3)),
            "four numbered links on two ways": tree_text(
                "base_link *link_1", "link_1 *link_2", "base_link *link_3", "link_3 *link_4"
            ),
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
            "three legs": legs(3),
            "an object": tree_text("a b"),
            "said to be something else": Model(chained(3), options={"kind": "other"}),
            "a gripper's finger behind four": chained(4, "j4 *finger"),
        },
    ),
    "R199-301": Cases(
        found={
            "both of two": Model(
                SMALL_ARM.replace("link_1", "lower").replace("link_2", "upper"),
                says="links of this arm are not called link_1 and link_2: lower, upper",
            ),
            "one": Model(
                edited(renamed("link_3", "elbow")),
                says="this link of an arm is not called link_3",
                element="link 'elbow'",
            ),
            "two": Model(
                edited(renamed("link_3", "elbow"), renamed("link_6", "wrist")),
                says="links of this arm are not called link_1 … link_6: elbow, wrist",
            ),
            "a zero before the number": edited(renamed("link_3", "link_03")),
            "no underscore": edited(renamed("link_3", "link3")),
            "another prefix": two(('"left_link_3"', '"right_link_30"')),
            "two chains behind a way that is no longer than they are, of which one is longer": Model(
                fork(4), says="not called link_1 … link_8: j1, j2, j3, j4, a1, a2, a3, …"
            ),
            "two fingers of three joints and more behind a longer way": Model(
                fork(5), says="not called link_1 … link_5: j1, j2, j3, j4, j5"
            ),
            "a flange behind a joint, which is a frame": Model(
                edited(turning("flange"), *IN_WORDS), says="not called link_1 … link_6: "
            ),
            "a flange behind a joint that is seen, a link": Model(
                edited(turning("flange"), shaped("flange"), *IN_WORDS), says="not called link_1 … link_7: "
            ),
            "a flange behind a joint that is felt, a link": Model(
                edited(
                    turning("flange"), *IN_WORDS, text=arm(('<link name="flange"/>', link("flange", felt(box(0.1)))))
                ),
                says="not called link_1 … link_7: ",
            ),
            "nine, of which seven are named": Model(
                tree_text("base_link *a1", *(f"a{i} *a{i + 1}" for i in range(1, 9)), "a9 flange"),
                says="links of this arm are not called link_1 … link_9: a1, a2, a3, a4, a5, a6, a7, …",
            ),
        },
        silent={
            "all": CLEAN,
            "one that follows another": edited(renamed("link_6", "link_5b"), following("link_5b", "joint_5")),
            "from zero": tree_text("base_link *link_0", "link_0 *link_1", "link_1 flange"),
            "with their prefix": two(),
        },
    ),
    "R199-302": Cases(
        found={
            "one left out": Model(
                edited(renamed("link_6", "link_7")),
                says="comes after 'link_5'; expected link_6",
                element="link 'link_7'",
            ),
            "one too early": Model(
                edited(renamed("link_3", "x"), renamed("link_4", "link_3"), renamed("x", "link_4")), count=3
            ),
            "from two": Model(tree_text(*chain("", "base_link", 6)).replace('"link_1"', '"link_7"'), count=2),
            "from two on": Model(
                tree_text("base_link *link_2", "link_2 *link_3", "link_3 flange"),
                says="is the first link of the arm; expected link_1",
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
            "two": Model(
                edited(placed("link_5", rpy="0 0 1")),
                says="expected the same axes; 1 more link of the arm is rotated too",
                element="link 'link_5'",
            ),
            "hardly turned": edited(placed("link_6", rpy=f"{radians(0.101)!r} 0 0")),
            "one": Model(
                edited(placed("link_6", rpy=f"{radians(0.11)!r} 0 0")),
                says="is rotated 0.11 degrees in 'base_link' with all joints at zero; expected the same axes",
            ),
            "all from one on": Model(
                edited(placed("link_3", rpy=f"0 0 {QUARTER!r}")),
                says="is rotated 90 degrees in 'base_link' with all joints at zero; expected the same axes; 3 more",
                element="link 'link_3'",
            ),
            "without base_link": edited(renamed("base_link", "foot"), placed("link_6", rpy="0 1 0")),
        },
        silent={
            "hardly straight": edited(placed("link_6", rpy=f"{radians(0.099)!r} 0 0")),
            "none": CLEAN,
            "a little": edited(placed("link_6", rpy=f"{radians(0.09)!r} 0 0")),
        },
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
    "R199-701": Cases(
        found={
            "a joint": Model(
                two(('"left_joint_3"', '"elbow"')),
                says="the name lacks the prefix of its arm; expected 'left_elbow'",
                element="joint 'elbow'",
            ),
            "a link": Model(two(('"left_link_3"', '"upper"')), element="link 'upper'"),
            "a frame that no REP names": Model(two(('"left_link_6-flange"', '"mount"')), element="joint 'mount'"),
            "the same prefix": Model(
                tree_text(*(f"{'b' if i == 0 else f'b{k}{i}'} *b{k}{i + 1}" for k in "xy" for i in range(4))),
                says="the arms that end with 'bx4' and 'by4' have no prefixes of their own",
                element="robot 'r'",
            ),
        },
        silent={
            "a bare base": two(('"left_base"', '"base"')),
            "a bare tool0": two(('"left_tool0"', '"tool0"')),
            "all have it": two(),
            "a bare flange": two(('"left_flange"', '"flange"')),
            "one arm": edited(renamed("link_3", "elbow")),
        },
    ),
    "R199-702": Cases(
        found={
            "tool0": Model(
                two(('"left_tool0"', '"tool0"')),
                says="the name lacks the prefix of its arm; expected 'left_tool0'",
                element="link 'tool0'",
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

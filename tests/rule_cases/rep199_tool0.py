"""REP-199: tool0."""

import re

from arm_trees import single, tree_text
from rule_cases.arms import (
    CLEAN,
    QUARTER,
    added,
    between,
    edited,
    hung,
    of,
    placed,
    renamed,
    shaped,
    strict,
    turning,
    two,
)
from rule_cases.builders import arm, box, felt, link
from rule_cases.case import Cases, Model

CASES = {
    "R199-501": Cases(
        found={
            "none": strict(
                edited(renamed("tool0", "tip")),
                says="has no tool0, the controller's TCP if no tool is set",
                element="frame 'tool0'",
            )
        },
        remarked={
            "without the prefix of its arm": Model(
                re.sub('(name|link)="(?!arm")', r'\1="a_', CLEAN).replace('"a_tool0"', '"tool0"'),
                severity="warning",
                says="has no a_tool0, the controller's TCP if no tool is set; 'tool0' lacks the prefix 'a_'",
            ),
            "none, where that is no error": Model(edited(renamed("tool0", "tip")), severity="warning"),
            "turned otherwise": of(
                "abb",
                edited(placed("tool0", rpy="0 0 0")),
                severity="warning",
                says="is rotated 90 degrees against tool0 in other models of ABB",
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
                says="degrees off the last axis, unlike in other models of ABB",
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
            "hardly more than a micrometre": edited(placed("tool0", "0 0 0.00000101")),
            "a micrometre and more": Model(
                edited(placed("tool0", "0 0 0.0000011")), says="is 1.1e-6 m from 'flange'; expected the same origin"
            ),
            "aside": edited(placed("tool0", "0 -0.1 0")),
        },
        silent={
            "hardly a micrometre": edited(placed("tool0", "0 0 0.00000099")),
            "one origin": CLEAN,
            "less than a micrometre": edited(placed("tool0", "0 0 0.0000009")),
            "no flange": edited(renamed("flange", "hand"), placed("tool0", "0 0 1")),
            "on another body, which another rule says": edited(hung("tool0", "link_5"), placed("tool0", "0 0 1")),
        },
    ),
    "R199-504": Cases(
        found={
            "behind a joint of its own": Model(
                edited(turning("tool0")), says="the joint 'flange-tool0' to this frame is continuous; expected fixed"
            ),
            "on the link before": Model(
                edited(hung("tool0", "link_5")),
                says="this frame moves with 'link_5'; expected fixed to 'link_6', where the arm ends",
            ),
        },
        silent={
            "fixed": CLEAN,
            "on an adapter": edited(between("adapter", "tool0")),
            "on a flange that turns, which another rule says": edited(turning("flange")),
            "none": edited(renamed("tool0", "tip")),
            "without flange": edited(renamed("flange", "hand")),
        },
    ),
    "R199-505": Cases(
        found={
            "on the last link": Model(
                edited(hung("tool0", "link_6")), says="is attached to 'link_6'; expected 'flange'"
            ),
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
            "a jaw": Model(
                edited(added("jaw", "tool0"), turning("jaw")),
                says="this gripper is attached to 'tool0'",
                element="link 'jaw'",
            ),
            "a frame": Model(
                edited(added("tip", "tool0")),
                says="this frame is attached to 'tool0'; attach it to 'flange', and keep tool0 for the controller",
                element="link 'tip'",
            ),
            "a body": Model(
                edited(added("torch", "tool0", solid=True)), says="this end effector is attached to 'tool0'; attach"
            ),
            "a cover": Model(edited(added("cover", "tool0", solid=True)), says="this body is attached to"),
            "a gripper": Model(
                edited(added("palm", "tool0", solid=True), added("jaw", "palm"), turning("jaw")),
                says="this gripper is attached to 'tool0'; attach it to 'flange'",
                element="link 'palm'",
            ),
            "two": Model(edited(added("tip", "tool0"), added("torch", "tool0")), count=2),
            "without flange": Model(
                edited(renamed("flange", "hand"), added("tip", "tool0")),
                says="attach it to a flange, which is missing, and keep tool0",
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
            "seen": Model(edited(shaped("tool0")), says="this frame has geometry, which belongs to the last link, or"),
            "felt": arm(('<link name="tool0"/>', link("tool0", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("tool0", "hand"), shaped("hand"))},
    ),
}

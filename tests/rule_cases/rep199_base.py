"""REP-199: base_link and base."""

from math import pi

from arm_trees import single, tree_text
from rule_cases.arms import (
    CLEAN,
    JOINT_1,
    PLATE,
    QUARTER,
    added,
    axis,
    between,
    edited,
    foot,
    hung,
    of,
    on_a_body,
    placed,
    renamed,
    shaped,
    standing,
    strict,
    turning,
    two,
)
from rule_cases.builders import arm, box, cylinder, felt, joint, link, mesh, seen, sphere
from rule_cases.case import Cases, Model

NO_BASES = (('"left_base"', '"left_x"'), ('"right_base"', '"right_x"'))

CASES = {
    "R199-101": Cases(
        found={
            "on the first link": Model(
                edited(renamed("base_link", "foot"), added("base_link", "link_1")),
                says="this frame moves with 'link_1'; expected on 'foot', where the arm begins",
            ),
            "none": strict(
                edited(renamed("base_link", "foot")),
                says="the arm that ends with 'link_6' has no base_link, the frame at its foot",
                element="frame 'base_link'",
            ),
        },
        remarked={
            "none, where that is no error": Model(edited(renamed("base_link", "foot")), severity="warning"),
            "another frame with that name behind its own": Model(
                edited(renamed("base_link", "foot"), added("camera_base_link", "link_3")),
                severity="warning",
                says="'camera_base_link' is another frame",
            ),
        },
        silent={"there": CLEAN, "on what carries the first joint": edited(between("mount", "link_1"))},
    ),
    "R199-102": Cases(
        found={
            "hardly above": foot(felt(box(0.2), xyz="0 0 0.1202")),
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
            "hardly at the bottom": foot(felt(box(0.2), xyz="0 0 0.1198")),
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
            "hardly leans": Model(standing(6, 5.05), says="is 5.05 degrees off z"),
            "leans": Model(
                standing(6, 5.1), says="the axis of 'joint_1', the first joint, is 5.1 degrees off z; expected along z"
            ),
            "leans, of five joints": standing(5, 5.1),
            "leans the other way": standing(6, -5.1),
            "lies": edited(axis("link_1", "1 0 0")),
        },
        remarked={
            "reaches sideways, hardly": standing(6, reach="0 0.0318 0.1"),
            "reaches backwards": Model(
                standing(6, reach="-0.1 0 0"),
                severity="info",
                says="with all joints at zero the arm reaches to x = -0.5, y = 0",
            ),
            "reaches sideways": standing(6, reach="0.09 0.1 0"),
            "reaches sideways, mostly up": standing(6, reach="0 0.033 0.1"),
        },
        silent={
            "reaches up, hardly": standing(6, reach="0 0.0311 0.1"),
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
            "turned by as much about another axis": of(
                "universal_robots",
                edited(placed("base", rpy=f"{pi} 0 0")),
                says="is rotated 180 degrees from the expected orientation in 'base_link', as in models of Uni",
            ),
            "hardly turned": of("abb", edited(placed("base", rpy="0 0 0.00101"))),
            "turned": of(
                "abb",
                edited(placed("base", rpy="0 0 0.0011")),
                says="is rotated 0.063 degrees in 'base_link'; expected 0 degrees, as in models of ABB",
            ),
            "not turned": of(
                "universal_robots",
                CLEAN,
                says="is rotated 0 degrees in 'base_link'; expected 180 degrees, as in models of Universal Robots",
            ),
            "of one who has it at a height": of("fanuc", edited(placed("base", rpy="0.0011 0 0"))),
        },
        silent={
            "hardly straight": of("abb", edited(placed("base", rpy="0 0 0.00099"))),
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
                says="the first joint, 'joint_1', begins on 'plate'; expected on base_link",
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
            "a millimetre up, high up": of(
                "fanuc",
                edited(placed("link_2", xyz="0.15 0 1.2"), placed("base", xyz="0 0 1.5011")),
                says="is at 0 0 1.501 m in 'base_link'; expected 0 0 1.5 m, as in models of FANUC",
            ),
            "a millimetre up": of(
                "fanuc",
                edited(placed("base", xyz="0 0 0.5011")),
                says="is at 0 0 0.501 m in 'base_link'; expected 0 0 0.5 m, as in models of",
            ),
            "a millimetre aside": of("fanuc", edited(placed("base", xyz="0.0011 0 0.5"))),
            "up, of one who has it in base_link": of(
                "abb", CLEAN, says="is at 0 0 0.5 m in 'base_link'; expected 0 0 0 m, as in models of ABB"
            ),
        },
        remarked={
            "of nobody, hardly far": Model(
                edited(placed("base", xyz="0 0 1.01")), says="is at 0 0 1.01 m in 'base_link'", severity="info"
            ),
            "of one of whom that is not known": of(
                "denso",
                edited(placed("base", xyz="0 0 0.1")),
                says="is at 0 0 0.1 m in 'base_link', which is not judged, because no place is known for DENSO",
            ),
            "of nobody, in a strict profile": strict(
                edited(placed("base", xyz="0 0 0.1")), says="which is not judged, because the controller is not known"
            ),
            "of nobody, far away": Model(edited(placed("base", xyz="5 0 0")), says="is at 5 0 0 m", severity="info"),
        },
        silent={
            "less than a millimetre": of("fanuc", edited(placed("base", xyz="0 0 0.5009"))),
            "in base_link": of("abb", edited(placed("base", xyz="0.0009 0 0"))),
            "of nobody, near": edited(placed("base", xyz="0 0 0.99")),
            "no base_link": of("fanuc", edited(renamed("base_link", "foot"), placed("base", xyz="0 0 0.1"))),
            "no base": of("fanuc", edited(renamed("base", "frame"), placed("frame", xyz="0 0 0.1"))),
        },
    ),
    "R199-203": Cases(
        found={
            "on the first link": Model(
                edited(hung("base", "link_1")), says="this frame moves with 'link_1'; expected fixed to 'base_link'"
            ),
            "on the last link": Model(edited(hung("base", "link_6")), says="this frame moves with 'link_6'"),
            "behind a joint of its own": Model(
                edited(turning("base")), says="the joint 'base_link-base' to this frame is continuous; expected fixed"
            ),
            "on the first link, without base_link": Model(
                edited(renamed("base_link", "foot"), hung("base", "link_1")), says="expected fixed to 'foot'"
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
            "on a plate": Model(edited(between("mount", "base")), says="is attached to 'mount'; expected 'base_link'"),
            "below base_link": Model(
                tree_text(*single()[1:], "base base_link"),
                says="is the parent of 'base_link'; expected its child",
                element="link 'base'",
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
            "seen": Model(edited(shaped("base")), says="this frame has geometry, which belongs to base_link"),
            "felt": arm(('<link name="base"/>', link("base", felt(box(0.1))))),
        },
        silent={"none": CLEAN, "of another frame": edited(renamed("base", "frame"), shaped("frame"))},
    ),
    "R199-208": Cases(
        found={
            "none": strict(
                edited(renamed("base", "frame")),
                says="the arm that ends with 'link_6' has no base, the frame in which",
                element="frame 'base'",
            )
        },
        remarked={
            "a body of two arms": Model(
                two(*NO_BASES, ("</robot>", f"{link('base', seen(box(1)))}{joint('b', 'base_link', 'base')}</robot>")),
                count=2,
                severity="warning",
            ),
            "of two arms, on the hand of one": Model(
                two(*NO_BASES, ("</robot>", f"{link('base')}{joint('b', 'left_link_6', 'base')}</robot>")),
                count=2,
                severity="warning",
            ),
            "a body of this name": Model(
                edited(renamed("base", "frame"), renamed("base_link", "base")),
                says="the link 'base' is a body of the arm that ends with 'link_6', not the frame",
                severity="warning",
            ),
            "none, where that is no error": Model(edited(renamed("base", "frame")), severity="warning"),
        },
        silent={
            "one of two arms": two(*NO_BASES, ("</robot>", f"{link('base')}{joint('b', 'base_link', 'base')}</robot>")),
            "there": CLEAN,
            "with another prefix": edited(renamed("base", "group/base")),
        },
    ),
}

"""Comments that excuse."""

from rule_cases.builders import arm
from rule_cases.case import Cases, Model

FLANGE = '<link name="flange"/>'


def flange(comment: str, rpy: str = "0 -1.5707963267948966 0", **more: object) -> Model:
    """The arm with a flange that points the wrong way (R199-403), and a comment before its link."""
    turned = ('<origin xyz="0.09 0 0" rpy="0 0 0"/>', f'<origin xyz="0.09 0 0" rpy="{rpy}"/>')
    return Model(arm(turned, (FLANGE, f"<!-- kinetree: {comment} -->{FLANGE}")), **more)  # type: ignore[arg-type]


BECAUSE = "because the maker mounts it so"
GOOD = flange(f"ignore R199-403 {BECAUSE}")

CASES = {
    "SUP-001": Cases(
        found={
            "a family": flange(f"ignore R199 {BECAUSE}", says="several codes begin with R199"),
            "no code": flange(f"ignore {BECAUSE}"),
            "no such code": flange(f"ignore R199-999 {BECAUSE}", says="does not exist"),
            "its own code": flange(f"ignore SUP-004 {BECAUSE}", says="is about suppressions"),
            "another word": flange(f"forgive R199-403 {BECAUSE}", says="the comment is not understood"),
            "two codes that do not exist": flange(f"ignore R199-998, R199-999 {BECAUSE}", count=2),
        },
        silent={
            "a code": GOOD,
            "two codes": flange(f"ignore R199-403, no-texture {BECAUSE}"),
            "what readers remark": flange(f"ignore no-texture {BECAUSE}"),
        },
    ),
    "SUP-002": Cases(
        found={
            "what must be": flange("ignore R199-403", says="R199-403 is mandatory, but no reason is given"),
            "a reason of no words": flange("ignore R199-403 because …"),
        },
        silent={
            "with a reason": GOOD,
            "what should be": flange("ignore R199-505"),
            "of a reader": flange("ignore no-texture"),
        },
    ),
    "SUP-003": Cases(
        found={
            "what should be": flange("ignore R199-505", says="no reason is given for R199-505;"),
            "two": flange("ignore R199-505, no-texture", says="no reason is given for R199-505, no-texture"),
        },
        silent={
            "with a reason": GOOD,
            "what must be, which another rule says": flange("ignore R199-403"),
            "what should be, with a reason": flange(f"ignore R199-505 {BECAUSE}"),
        },
    ),
    "SUP-004": Cases(
        found={
            "what is right": flange(f"ignore R199-403 {BECAUSE}", rpy="0 0 0", says="R199-403 is not found there"),
            "one of two": flange(f"ignore R199-403, R199-505 {BECAUSE}", says="R199-505 is not found there"),
            "of a reader": flange(f"ignore no-texture {BECAUSE}", says="errors of readers cannot be excused"),
        },
        silent={
            "what is found": GOOD,
            "what is not asked": flange(f"ignore ICUB-101 {BECAUSE}"),
            "what must be, without a reason": flange("ignore R199-404"),
        },
    ),
}

"""Clauses of REP-199 that no rule judges: questions for a person, or why there is none."""

from dataclasses import dataclass

from kinetree.rules.rule import Level


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that only a person can judge.

    level: None for one that only allows something. question: for the person, or "". because: why no program can judge
    it, or the purpose of the clause.
    """

    code: str
    level: Level | None
    clause: str
    question: str
    because: str


CLAUSES: tuple[Clause, ...] = (
    Clause(
        "R199-103",
        "MAY",
        "it is acceptable to place base_link in a different location",
        "Is the arm mounted with another part than its foot, and is this documented?",
        "allows the places that R199-102 advises against",
    ),
    Clause(
        "R199-104",
        None,
        "this frame is not required to be coincident with the origin of the controller's Cartesian frame",
        "",
        "base_link and base may differ; R199-106 and R199-201 check how",
    ),
    Clause("R199-107", "MAY", "base_link may optionally have geometry", "", "allows both"),
    Clause(
        "R199-202",
        None,
        "this frame is exempt from the requirement to follow orientation conventions",
        "",
        "base is compared only with the controller's frame",
    ),
    Clause(
        "R199-204",
        "MUST",
        "always correspond to the controller's internal default Cartesian frame",
        "Can an argument of the xacro files or a launch file move base? It must not.",
        "R199-106 and R199-201 check where base is now; `kinetree calibrate` finds it from poses of the real robot",
    ),
    Clause(
        "R199-207", "MAY", "base may be part of the (main) kinematic chain, but this is not required", "", "allows both"
    ),
    Clause(
        "R199-304",
        "MAY",
        "may be resolved by defining a rigid transform between link_n and a suitably named proxy-frame",
        "",
        "allows frames besides those that R199-303 checks",
    ),
    Clause(
        "R199-305",
        "SHOULD",
        "should strive to make the location of link_n frames coincident with those frames",
        "Does the controller show frames of its links, and are the model's in the same places?",
        "no published model has the places of the controller's link frames",
    ),
    Clause(
        "R199-407",
        "SHOULD",
        "recommend robot model authors to do so in those cases",
        "Does the controller have a flange frame, and is the model's in the same place?",
        "the controllers' own flange frames are not published",
    ),
    Clause(
        "R199-502",
        None,
        "this frame is exempt from the requirement to follow orientation conventions",
        "",
        "tool0 is compared only with the controller's frame",
    ),
    Clause(
        "R199-506",
        "SHOULD",
        "such deviations should be well justified and well documented",
        "Is the reason for another parent of tool0 a good one?",
        "a suppression of R199-505 contains the reason; only a person can judge it",
    ),
    Clause(
        "R199-507",
        "MUST",
        "Neither the location nor the orientation of tool0 in a robot model may be changed by users",
        "Is tool0 where the maker's own model has it? `kinetree compare UPSTREAM MODEL` shows it.",
        "the model before the change is not in the file",
    ),
    Clause(
        "R199-605",
        "SHOULD",
        "ignoring this recommendation should be well justified and documented",
        "Are the reasons for empty names of tools good ones?",
        "suppressions of R199-601 and R199-602 contain the reasons",
    ),
    Clause(
        "R199-801",
        None,
        "recommends to overlay REP 103 compliant coordinate frames … and use conversion functions on the boundaries",
        "Does the controller have left-handed coordinates, and does its driver convert them?",
        "URDF is always right-handed; `kinetree.controllers` mirrors poses if the entry of a controller requires it",
    ),
    Clause(
        "R199-901",
        None,
        "the frame authority is expected to be an instance of robot_state_publisher",
        "Are all these frames in the model, and not only in a launch file?",
        "launch files are not read",
    ),
    Clause(
        "R199-902",
        "SHOULD",
        "choosing different conventions should be well justified, well documented, and is discouraged",
        "Are the reasons in the justification report good ones?",
        "suppressions contain the reasons",
    ),
)
"""In the order of their codes in the table of clauses."""

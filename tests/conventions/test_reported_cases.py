"""Inputs after reports of users: each finds its kind, and nothing that is false."""

from pathlib import Path

from each import each
from kinetree.checker.files import files_of, once_in_all, without_parts
from kinetree.checker.job import Job, check_job
from kinetree.load import load
from kinetree.rules.facts import kinds_of
from support import shared

CASES = {
    "recall/21": ({"XAC-011", "several-roots"}, {"xacro-macros-only"}),
    "recall/22": ({"XML-014", "macro-not-called"}, {"xacro-macros-only"}),
    "recall/23": ({"gazebo-model"}, {"include-not-found", "no-model"}),
    "recall/24": (set(), {"LIM-012", "no-model"}),
    "files/ground.sdf": ({"no-inertial"}, {"GEO-003", "R103-002"}),
    "files/hand.urdf": ({"LIM-011"}, {"TRE-001", "NAM-006"}),
    "files/v13.sdf": ({"default-inertial"}, {"sdf-version"}),
}


@each("case", CASES)
def test_what_is_found_in_a_reported_case(case: str) -> None:
    path = shared("cases", *case.split("/"))
    files = [*files_of([str(path)])]
    results = once_in_all([without_parts(check_job(Job(file)), files) for file in files])
    codes = {finding.code for result in results for finding in result.findings}
    wanted, unwanted = CASES[case]
    assert wanted <= codes
    assert codes.isdisjoint(unwanted)


def test_a_reported_hand_is_a_hand() -> None:
    assert kinds_of(load(Path(shared("cases", "files", "hand.urdf")))).kind == "hand"

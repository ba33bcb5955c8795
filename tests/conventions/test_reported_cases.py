"""Inputs after reports of users: each finds its kind, and nothing that is false."""

from pathlib import Path

from each import each
from kinetree.checker.files import files_of, once_in_all, without_parts
from kinetree.checker.job import Job, check_job
from kinetree.formats.registry import ReadOptions
from kinetree.load import load
from kinetree.rules.facts import kinds_of
from kinetree.rules.options import CheckOptions
from support import shared

CASES = {
    "recall/21": ({"XAC-011", "several-roots"}, {"xacro-macros-only"}),
    "recall/22": ({"XML-014", "macro-not-called"}, {"xacro-macros-only"}),
    "recall/23": ({"gazebo-model"}, {"include-not-found", "no-model"}),
    "recall/24": (set(), {"LIM-012", "no-model"}),
    "files/ground.sdf": ({"no-inertial"}, {"GEO-003", "R103-002"}),
    "files/hand.urdf": ({"LIM-011"}, {"TRE-001", "NAM-006"}),
    "files/abs.urdf.xacro": ({"MSH-009"}, set()),
    "files/blank.urdf": ({"NAM-002"}, set()),
    "files/eul.xml": ({"R103-007"}, {"R103-002"}),
    "formats/F17-transmission-c": ({"CTL-009"}, set()),
    "formats/F17-transmission-g": ({"CTL-009"}, set()),
    "formats/F17-transmission-j": ({"CTL-009"}, set()),
    "formats/F17-transmission-k": ({"CTL-009"}, set()),
    "formats/F23-euler-degrees": ({"R103-002"}, set()),
    "formats/F25-ref-outside": ({"range"}, set()),
    "formats/F27-armature": ({"JNT-004"}, set()),
    "formats/F27-forcerange": ({"XML-015"}, set()),
    "recall/07": ({"MSH-002"}, set()),
    "recall/11": ({"XML-012"}, set()),
    "recall/13": ({"GEO-006"}, set()),
    "recall/15": ({"MSH-002"}, {"MSH-009"}),
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


BESIDE = {
    **{f"formats/F19-state-mimic-{one}/m.urdf": ("m.srdf", "SRD-007") for one in ("a", "a2", "a5", "a6")},
    "formats/F21-two-states/m.urdf": ("m.srdf", "SRD-013"),
    "recall/19/two.urdf": ("two2.yaml", "MVT-010"),
}


@each("case", BESIDE)
def test_what_is_found_in_a_file_beside_a_reported_robot(case: str) -> None:
    model = shared("cases", *case.split("/"))
    name, code = BESIDE[case]
    file = str(model.parent / name)
    semantic = file if name.endswith(".srdf") else None
    options = CheckOptions(also=() if semantic else (file,), read=ReadOptions(srdf=semantic))
    assert code in {finding.code for finding in check_job(Job(str(model), options)).findings}

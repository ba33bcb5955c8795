"""Every code of a finding in the source has a row in `kinetree.codes`, and every row is a code of the source."""

import ast
import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.checker.report.pretty import more_about
from kinetree.codes import CODES, REMARKS, page_of
from kinetree.errors import Finding
from kinetree.formats.losses.parts import PARTS

PLACES = {
    "fail": (0,),
    "Finding": (0,),
    "wrong_type": (0,),
    "error": (0,),
    "warning": (0,),
    "add": (1,),
    "note": (1,),
    "wrong": (0,),
    "numbers": (1,),
    "fault": (1,),
    "Fault": (0,),
    "_refused": (1,),
    "_refuse": (2,),
    "_error": (0, 2),
    "refused": (2,),
    "choice_of": (5,),
    "value": (4,),
    "_RefusedError": (0,),
}
"""Which arguments of a function can be the code of a finding."""
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
COMPUTED = {
    *(f"cannot-say-{part}" for part in (*PARTS, "joint", "link")),  # formats/losses/
    *(f"unknown-{kind}" for kind in ("link", "joint", "group", "frame", "parent", "child")),  # model/, formats/mjcf/
    *(f"missing-{what}" for what in ("mesh", "texture", "file")),  # shapes/copy_assets.py
    *(f"motion-{what}" for what in ("velocity", "acceleration", "jerk", "torque")),  # trajectories/rates.py
    "usd-variant",  # formats/usd/compose.py
    *("frame", "measure-direction"),  # formats/force_torque.py
    *("package", "model"),  # files/packages.py
    *("xacro", "xacro-recursion", "xacro-include", "xacro-macro", "xacro-expression", "xacro-scope"),  # faults.py
    *("left-over-xacro", "settings", "table", "argument", "argument-number", "argument-shape"),
}
"""Codes that are made of parts, or passed on."""
RULES = {"rules", "repairs", "robot_kinds", "xacro_text"}
"""Packages whose codes are those of rules."""
ELSEWHERE = {"baseline-gone", "board-limits", "published-limits", "other-source", "sources-differ", "unplaced", "empty"}
ELSEWHERE |= {
    "srdf-alone",
    "simple-shapes",
    "motion-line",
    "motion-clearance",
    "motion-contact",
    "motion-torque",
    "usd-variant",
}
"""Remarks on a baseline, on robots that come with the package, on a robot which limits hold still, on an SRDF without a
model, which is an error if it is named, and on motions."""


def constants(node):
    if isinstance(node, ast.IfExp):
        return constants(node.body) | constants(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def codes_of(call):
    """The codes of a call that makes a finding, and whether it is an error."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    found = {code for at in PLACES.get(name, ()) for part in call.args[at : at + 1] for code in constants(part)}
    found |= {code for k in call.keywords if k.arg == "code" for code in constants(k.value)}
    severity = {
        "warning": {"warning"},
        **dict.fromkeys(("add", "note"), constants(call.args[0]) if call.args else set()),
    }.get(name, {"error"})
    if name == "Finding":
        severity = constants(call.args[1]) if len(call.args) > 1 else set()
    return {code for code in found if CODE.fullmatch(code)}, severity


def assigned(node):
    """The codes of an assignment to `code` or, as a first part, to `code, message`."""
    target = node.targets[0]
    if getattr(target, "id", "") == "code":
        return {code for code in constants(node.value) if CODE.fullmatch(code)} | nested(node.value)
    pair = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
    return constants(node.value.elts[0]) if pair and getattr(target.elts[0], "id", "") == "code" else set()


def nested(value):
    return {c for part in ast.walk(value) if isinstance(part, ast.IfExp) for c in constants(part)}


def sources(*left_out):
    package = Path(kt.__file__).parent
    for file in sorted(package.rglob("*.py")):
        if not set(left_out) & set(file.relative_to(package).parts):
            yield file, ast.walk(ast.parse(file.read_text("utf-8")))


@pytest.mark.slow
@pytest.mark.nightly
def test_every_code_has_a_row_and_every_row_is_a_code():
    found = set(COMPUTED) | ELSEWHERE
    for file, nodes in sources("codes"):
        for node in nodes:
            if isinstance(node, ast.Call):
                codes, severity = codes_of(node)
                found |= codes
                if "error" in severity and not RULES & set(file.parts):
                    wrong = {code for code in codes if CODES.get(code) and CODES[code].use == "remark"}
                    assert not wrong, f"{file}:{node.lineno}: {wrong} is an error here, but a remark in kinetree.codes"
            elif isinstance(node, ast.Assign) and not RULES & set(file.parts):
                found |= assigned(node)
    assert found == set(CODES)


def remarked(call):
    """The codes of a call that notes a warning or a remark."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    first, second = [*map(constants, call.args[:2]), set(), set()][:2]
    if name == "warning":
        return first
    if name in ("add", "note") and first & {"info", "warning"}:
        return second
    return first if name == "Finding" and len(call.args) > 1 and second != {"error"} else set()


@pytest.mark.slow
def test_every_remark_can_be_left_out():
    found = set()
    for _, nodes in sources(*RULES, "cli"):
        found |= {code for node in nodes if isinstance(node, ast.Call) for code in remarked(node)}
    assert found | ELSEWHERE == set(REMARKS)
    robots = [kt.load(f"icub:{version}") for version in ("1.7", "2.0", "2.10", "3.0")]
    assert {note.code for robot in robots for note in robot.notes} <= set(REMARKS)


def test_a_row_has_two_sentences():
    assert list(CODES) == sorted(CODES)
    for code, row in CODES.items():
        assert CODE.fullmatch(code.replace("_", "-")), code
        assert re.fullmatch(r"[A-Z].{,127}\.", row.meaning), code
        assert re.fullmatch(r"[A-Z].{,128}", row.remedy), code


def test_a_code_of_an_argument_has_the_page_of_arguments():
    assert page_of("unknown-child") == "unknown-child"
    assert page_of("q-shape") == "q-shape"
    assert page_of("tau-shape") == "argument-shape"
    assert page_of("tau-number") == "argument-number"
    assert page_of("expressed-in") == "argument"
    assert page_of("R199-403") == "R199-403"


def test_a_finding_has_the_address_of_its_page_and_prints_none():
    finding = Finding("tau-shape", "error", "m")
    assert finding.url == "https://kinetree.github.io/kinetree/latest/e/argument-shape"
    assert str(finding) == "error: m [tau-shape]"
    assert "https" not in str(kt.KinetreeError(finding))


def test_only_findings_graver_than_a_remark_get_a_line():
    findings = [Finding(code, "warning", "m") for code in ("no-limit", "zero-axis", "no-limit", "limits")]
    remark = Finding("merged", "info", "m")
    address = "https://kinetree.github.io/kinetree/latest/e/no-limit"
    assert more_about([remark], None) == ""
    assert more_about([remark, findings[0]], None) == f"More about no-limit: {address}"
    assert more_about(findings[:2], None) == f"More about no-limit (others: kinetree rule zero-axis): {address}"
    assert more_about(findings, None) == f"More about no-limit (others: kinetree rule zero-axis …): {address}"
    assert more_about(findings, 60).splitlines()[-1] == f"    {address}"

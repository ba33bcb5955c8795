"""All rules of all profiles: each explains itself, fires on its bad example and is silent on its good one."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.errors import Finding
from kinetree.files.opener import snapshot
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.load import examine
from kinetree.rules.examples import ARM
from kinetree.rules.facts import Subject
from kinetree.rules.parameters.moveit import EXAMPLE, FileRule
from kinetree.rules.profiles import ALWAYS, FAMILIES, PROFILES, family, rules_of
from kinetree.rules.rule import Rule
from kinetree.rules.srdf.contents import ROBOT
from rule_cases.case import Model, findings
from support import ask

RULES = [rule for letters in FAMILIES if letters not in ALWAYS for rule in family(letters)]


def example(rule: type[Rule], text: str) -> kt.Robot:
    """The robot of a rule's good or bad text."""
    if rule.base_format == "srdf":
        assert rule.good in rule.base
        (robot, _) = examine(ROBOT, ReadOptions("urdf", srdf=rule.base.replace(rule.good, text)), True)
        return robot
    if rule.base is None:
        return kt.load(text, format=rule.base_format)
    if rule.base.startswith("<"):
        assert rule.good in rule.base
        return kt.load(rule.base.replace(rule.good, text), format=rule.base_format)
    base = written(rule.base, rule.base_format, **rule.base_options)
    assert rule.good in base
    return kt.load(base.replace(rule.good, text), format=rule.base_format)


@cache
def written(name: str, format: str, **options: str) -> str:
    """A robot of the package as a text."""
    without = () if format == "dh" else ("geometry", "group", "coupled_limit")
    return FORMATS[format].write(kt.load(name, **options), without)


def alone(rule: type[Rule], robot: kt.Robot) -> list[Finding]:
    """What a rule finds, whatever it requires."""
    return list(rule().check(**Subject(robot, rule.context).facts(rule.check)))


def found_in_example(rule: type[Rule], text: str) -> list[Finding]:
    """What a rule finds in its good or bad text."""
    if not issubclass(rule, FileRule):
        return alone(rule, example(rule, text))
    robot, _ = examine(rule.base, ReadOptions(rule.base_format, srdf=rule.srdf), True)
    with snapshot({Path(EXAMPLE): text.encode()}):
        return alone(rule, robot)


@pytest.fixture(scope="module", params=FAMILIES)
def examples(request):
    """Each rule of a family with what it finds in its good and in its bad example."""
    if request.param in ALWAYS:
        return {
            rule: ([], findings(rule.code, Model((rule.base or "").replace(rule.good, rule.bad))))
            for rule in family(request.param)
        }
    return {
        rule: (found_in_example(rule, rule.good), found_in_example(rule, rule.bad)) for rule in family(request.param)
    }


class TestEveryRule:
    def test_it_fires_on_its_bad_example_and_not_on_its_good_one(self, examples):
        for rule, (good, bad) in examples.items():
            assert not [finding for finding in good if finding.severity != "info"], rule
            assert len(bad) > len(good), rule
            assert any(finding.severity == rule.severity() for finding in bad), rule
            assert {finding.code for finding in bad} == {rule.code}, rule
            assert all(finding.element and finding.message for finding in bad), rule

    @each("rule", RULES)
    def test_it_explains_itself(self, rule):
        assert re.fullmatch(r"[A-Z]+\d*-\d{3}", rule.code)
        assert rule.title().endswith((".", "?"))
        assert rule.url.startswith("http")
        assert rule.clause
        assert set(rule.requires) <= {other.code for other in RULES}
        assert rule.good != rule.bad


def test_every_message(examples, golden):
    """All that the rules of a family say about their bad examples; read it from top to bottom after a change."""
    said = []
    for rule, (good, bad) in examples.items():
        known = set(map(str, good))
        found = (str(replace(one, source=None)) for one in bad if str(one) not in known)
        said += [f"# {rule.code}: {rule.title()}", *found]
    golden(f"messages/{rule.code.rpartition('-')[0]}.txt", "\n".join(said) + "\n")


def test_codes_are_unique():
    assert len({rule.code for rule in RULES}) == len(RULES)


class TwoStep(Rule):
    """Needs another rule to pass."""

    code = "TEST-002"
    level = "SHOULD"
    clause = url = good = bad = ""
    requires = ("TEST-001",)

    def check(self, robot):
        yield self.finding(f"asked about {robot.name}", next(iter(robot.links.values())))


class ThreeSteps(TwoStep):
    """Needs the rule that needs another."""

    code = "TEST-003"
    requires = ("TEST-002",)


class OneStep(TwoStep):
    """Fails on robots called bad."""

    code = "TEST-001"
    level = "MUST"
    requires = ()

    def check(self, robot, poses):
        assert list(poses) == list(robot.frames)
        if robot.name == "bad":
            yield self.finding("bad", robot)


def test_a_rule_whose_requirement_failed_is_not_asked():
    good, bad = (kt.load(f'<robot name="{n}">\n<link name="a"/></robot>', format="urdf") for n in ("good", "bad"))
    (found,) = ask(bad, (OneStep, TwoStep, ThreeSteps))
    assert (found.code, found.severity, found.message, found.element) == ("TEST-001", "error", "bad", "robot 'bad'")
    found = [str(finding) for finding in ask(good, (OneStep, TwoStep, ThreeSteps))]
    assert found[0] == "<text>:2:1: warning: link 'a': asked about good [TEST-002]"
    assert len(found) == 1  # its own fault makes the second step fail, which the third requires


def test_a_fault_that_is_no_error_fails_too():
    good = kt.load('<robot name="bad"><link name="a"/></robot>', format="urdf")
    Heuristic = type("Heuristic", (OneStep,), {"evidence": "heuristic"})
    (found,) = ask(good, (Heuristic, TwoStep))
    assert (found.code, found.severity) == ("TEST-001", "warning")


def test_what_is_missing_has_the_place_of_the_robot(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text('\n<robot name="arm"><link name="a"/></robot>')
    (found,) = check(path, profile="icub")
    assert str(found.source) == f"{path}:2:1"


@each(
    "level, evidence, severity",
    [
        ("MUST", "certain", "error"),
        ("MUST", "heuristic", "warning"),
        ("MUST", "advice", "info"),
        ("SHOULD", "certain", "warning"),
        ("SHOULD", "heuristic", "warning"),
        ("SHOULD", "advice", "info"),
        ("MAY", "certain", "info"),
    ],
)
def test_severity_is_the_level_but_no_graver_than_the_evidence(level, evidence, severity):
    rule = type("Made", (OneStep,), {"level": level, "evidence": evidence})
    assert rule.severity() == severity


def test_the_example_arm_is_beyond_reproach():
    robot = kt.load(ARM, format="urdf")
    assert robot.notes == ()
    profiles = [profile for profile in PROFILES if profile not in ("icub", "humanoid")]
    found = [(profile, f) for profile in profiles for f in check(robot, profile=profile)]
    assert [(profile, f.code, "which is not judged" in f.message) for profile, f in found] == [
        ("industrial-strict", "R199-201", True)  # a strict profile says that the place of base is not known
    ]


def test_options_of_reading_are_refused_with_a_robot():
    with pytest.raises(kt.KinetreeError, match=r"format, srdf: a robot is not read again"):
        kt.check(kt.load("icub"), format="urdf", srdf="arm.srdf")


class TestSelecting:
    @pytest.mark.slow
    def test_by_the_beginning_of_codes(self):
        robot = kt.load(text_of_a_bad_icub(), format="urdf")
        found = [finding.code for finding in check(robot, profile="icub")]
        assert {"ICUB-101", "ICUB-201", "ICUB-302", "not-understood"} <= set(found)
        select = [f.code for f in check(robot, profile="icub", select=["ICUB-1", "ICUB-201"])]
        assert select == [code for code in found if code.startswith(("ICUB-1", "ICUB-201"))]
        ignore = [f.code for f in check(robot, profile="icub", ignore=["ICUB", "not-"])]
        assert ignore == [code for code in found if not code.startswith(("ICUB", "not-"))]
        both = [f.code for f in check(robot, profile="icub", select="ICUB-1", ignore="ICUB-102")]
        assert both == [code for code in select if code.startswith("ICUB-1") and code != "ICUB-102"]

    @each("code", sorted({rule.code for rule in rules_of("icub")} - {"ICUB-001"}))
    def test_what_is_not_reported_is_asked_all_the_same(self, code):
        arm = kt.load('<robot name="arm"><link name="a"/></robot>', format="urdf")
        assert check(arm, profile="icub", select=code) == []

    def test_what_is_unknown_lists_what_is_known(self):
        with pytest.raises(kt.KinetreeError, match=r"no rule of profile 'icub' begins with 'ICUB-110'; .*'ICUB-101'"):
            check("icub", profile="icub", select=["ICUB-110"])
        with pytest.raises(kt.KinetreeError, match="no profile 'icubb'; did you mean 'icub'"):
            check("icub", profile="icubb")
        with pytest.raises(kt.KinetreeError, match="profile 'ros' begins with 'R199-4'; those of industrial and "):
            check("icub", ignore=["R199-4"])
        for code in ("", "zero-axs", "r199-4", "NOT-"):
            with pytest.raises(kt.KinetreeError, match=f"no rule of profile 'icub' begins with '{code}'") as caught:
                check("icub", profile="icub", ignore=[code])
            assert "; those of " not in str(caught.value)  # no other profile's either


def text_of_a_bad_icub() -> str:
    text = FORMATS["urdf"].write(kt.load("icub"), ("group",))
    return text.replace('"l_hip_3"', '"l_hip_x"').replace('<joint name="l_elbow"', '<joint colour="red" name="x"')


class TestReading:
    def test_a_file_that_cannot_be_read_gives_its_faults(self, tmp_path):
        path = tmp_path / "bad.urdf"
        path.write_text('<robot name="r" colour="red"><link name="a"/><joint/></robot>')
        findings = check(path, profile="icub")
        assert findings
        assert all(f.source.file == str(path) for f in findings)
        assert {f.severity for f in findings} == {"error", "warning", "info"}
        assert [f.code for f in findings if f.severity == "info"] == ["not-asked"]
        assert {f.severity for f in check(path, profile="icub", select="ICUB")} == {"error"}

    def test_no_file_is_an_error(self, tmp_path):
        with pytest.raises(kt.KinetreeError):
            check(tmp_path / "nowhere.urdf", profile="icub")

    def test_what_the_reader_noted_is_listed_and_errors_come_first(self, tmp_path):
        path = tmp_path / "r.urdf"
        path.write_text('<robot name="r" colour="red"><link name="a"/></robot>')
        findings = check(path, profile="icub")
        assert [f.severity for f in findings] == ["error", "warning"]
        assert findings[0].code == "ICUB-001"
        assert isinstance(findings[1], Finding)

    def test_a_robot_is_as_good_as_its_file(self):
        assert check(kt.load("icub"), profile="icub") == check("icub", profile="icub")

"""All rules of all profiles: each explains itself, fires on its bad example and is silent on its good one."""

import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.conventions.check import PROFILES, ask, check, rules_of, selected
from kinetree.conventions.rule import Rule, Subject
from kinetree.errors import Finding
from kinetree.load import FORMATS

RULES = [rule for profile in PROFILES for rule in rules_of(profile)]


def example(rule: type[Rule], text: str) -> kt.Robot:
    """The robot of a rule's good or bad text."""
    if rule.base is None:
        return kt.load(text, format=rule.base_format)
    base = kt.load(rule.base, **rule.base_options)
    written = FORMATS[rule.base_format].write(base, () if rule.base_format == "dh" else ("group", "coupled_limit"))
    assert rule.good in written
    return kt.load(written.replace(rule.good, text), format=rule.base_format)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
class TestEveryRule:
    def test_it_fires_on_its_bad_example_and_not_on_its_good_one(self, rule):
        good = list(rule().ask(Subject(example(rule, rule.good))))
        bad = list(rule().ask(Subject(example(rule, rule.bad))))
        assert not [finding for finding in good if finding.severity != "info"]
        assert len(bad) > len(good)
        assert max(bad, key=lambda finding: finding.severity == rule.severity()).severity == rule.severity()
        assert {finding.code for finding in bad} == {rule.code}
        assert all(finding.element and finding.message for finding in bad)

    def test_it_explains_itself(self, rule):
        assert re.fullmatch(r"[A-Z]+\d*-\d{3}", rule.code)
        assert rule.title().endswith((".", "?"))
        assert rule.link.startswith("http")
        assert rule.clause
        assert set(rule.requires) <= {other.code for other in RULES}
        assert rule.good != rule.bad


def test_every_rule_has_its_row_in_the_docs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "checking.md").read_text("utf-8")
    rows = re.findall(r"^\| ([A-Z]+\d*-\d{3}) \| (\w+) \| (.*) \|$", page, re.MULTILINE)
    assert rows == [(rule.code, rule.level, rule.title()) for rule in RULES]


def test_codes_are_unique():
    assert len({rule.code for rule in RULES}) == len(RULES)


class TwoStep(Rule):
    """Needs another rule to pass."""

    code = "TEST-002"
    level = "SHOULD"
    clause = link = good = bad = ""
    requires = ("TEST-001",)

    def check(self, robot):
        yield self.finding(f"asked about {robot.name}", next(iter(robot.links.values())))


class OneStep(TwoStep):
    """Fails on robots called bad."""

    code = "TEST-001"
    level = "MUST"
    requires = ()

    def check(self, robot, poses):
        assert list(poses) == list(robot.frames)
        if robot.name == "bad":
            yield self.finding("bad", fix="be good")


def test_a_rule_whose_requirement_failed_is_not_asked():
    good, bad = (kt.load(f'<robot name="{n}">\n<link name="a"/></robot>', format="urdf") for n in ("good", "bad"))
    (found,) = ask(bad, (OneStep, TwoStep))
    assert (found.code, found.severity, found.message, found.fix) == ("TEST-001", "error", "bad", "be good")
    (found,) = ask(good, (OneStep, TwoStep))
    assert str(found) == "<text>:2:1: warning: link 'a': asked about good [TEST-002]"


@pytest.mark.parametrize(
    ("level", "evidence", "severity"),
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


class TestSelecting:
    def test_by_the_beginning_of_codes(self):
        codes = [rule.code for rule in rules_of("icub")]
        assert [r.code for r in selected("icub", ["ICUB-1"])] == [c for c in codes if c.startswith("ICUB-1")]
        assert [r.code for r in selected("icub", "ICUB-2", "ICUB-203")] == ["ICUB-201", "ICUB-202", "ICUB-204"]
        assert [r.code for r in selected("icub")] == codes

    def test_what_is_unknown_lists_what_is_known(self):
        with pytest.raises(kt.KinetreeError, match=r"no rule of profile 'icub' begins with 'ICUB-110'; .*'ICUB-101'"):
            selected("icub", ["ICUB-110"])
        with pytest.raises(kt.KinetreeError, match="no profile 'icubb'; did you mean 'icub'"):
            check("icub", profile="icubb")


class TestReading:
    def test_a_file_that_cannot_be_read_gives_its_faults(self, tmp_path):
        path = tmp_path / "bad.urdf"
        path.write_text('<robot name="r"><link name="a"/><joint/></robot>')
        findings = check(path, profile="icub")
        assert findings
        assert all(f.severity == "error" and f.source.file == str(path) for f in findings)

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

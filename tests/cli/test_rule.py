"""The command `rule`."""

import json
import shlex
from collections import Counter

import pytest

from kinetree.codes import CODES, RETIRED
from kinetree.rules.explain import PRECISION, explanations
from kinetree.rules.profiles import FAMILIES, TITLES, codes_of, family

BODY = '<robot name="a"><link name="a"/></robot>'


def test_it_explains(run):
    result = run("rule", "r199-403")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "R199-403  The x axis of flange points away from the last link.\n\nModels of grippers"
    )
    for said in (
        'MUST: "must always point away',
        "https://",
        "at most error; certain",
        "industrial-strict",
        "finds     X of a flange is not the axis of the last joint, away from the wrist.\n",
        "\n\nnumbers:\n    largest angle between two directions that are the same: 2.56 degrees\n\ngood:",
        "good:\n    <joint",
        "bad:\n",
    ):
        assert said in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 120


@pytest.mark.slow
def test_it_lists_all_by_family(run):
    lines = run("rule", "--all").stdout.splitlines()
    for letters in FAMILIES:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{letters}  "))
        rules = family(letters)
        below = [line.split()[:2] for line in lines[at + 1 : at + 1 + len(rules)]]
        assert below == sorted([rule.code, rule.severity()] for rule in rules)
    assert "expected no CODE" in run("rule", "--all", "LIM").stderr


def test_alone_it_lists_families_with_counts_and_how_to_go_on(run):
    lines = run("rule").stdout.splitlines()
    assert len(lines) < 50
    expected = ["Rules  (number of rules, and of those that `kinetree fix` repairs)"]
    for letters in FAMILIES:
        repaired = [rule for rule in explanations(letters) if rule.repaired != "no"]
        expected.append(f"  {letters:4}  {len(family(letters)):3}  {len(repaired):3}  {TITLES[letters]}")
    expected += ["", "Codes of readers and commands  (number of codes)"]
    counts = Counter(row.family for row in CODES.values())
    expected += [f"  {number:3}  {title}" for title, number in sorted(counts.items())]
    assert lines[:-5] == [*expected, ""]
    for line in lines[-5:]:
        assert line.startswith("kinetree rule ")
        assert run(*shlex.split(line[len("kinetree ") : 30])).exit_code == 0


def test_a_family_lists_its_codes(run):
    codes = [line.split()[0] for line in run("rule", "URDF, SRDF and XRDF").stdout.splitlines()]
    assert codes == [code for code, row in CODES.items() if row.family == "URDF, SRDF and XRDF"]
    assert [line.split()[0] for line in run("rule", "LIM").stdout.splitlines()] == sorted(r.code for r in family("LIM"))


@pytest.mark.slow
def test_it_explains_every_rule(run):
    codes = [rule.code for letters in FAMILIES for rule in family(letters)]
    result = run("rule", *codes)
    assert (result.exit_code, result.stderr) == (0, "")
    assert all(f"{code}  " in result.stdout for code in codes)
    assert "`kinetree fix --unsafe`; other files" in result.stdout


def test_it_explains_a_clause_for_people(run):
    result = run("rule", "R199-407", "R199-107")
    assert result.exit_code == 0
    assert "judged by a person: Does the controller have a flange frame" in result.stdout
    assert "judged by nobody" in result.stdout
    (clause,) = json.loads(run("rule", "r199-407", "--json").stdout)["clauses"]
    assert (clause["code"], clause["level"]) == ("R199-407", "SHOULD")


@pytest.mark.slow
def test_it_explains_what_readers_remark(run):
    result = run("rule", "no-limit")
    assert result.exit_code == 0
    assert result.stdout.startswith("no-limit  A joint that must have a limit has none")
    assert "to do     Add <limit>, or make the joint continuous." in result.stdout
    assert "can be ignored or excused by its code" in result.stdout
    assert "page      https://kinetree.github.io/kinetree/latest/e/no-limit" in result.stdout
    assert "no-limit    " in run("rule", "--all").stdout


@pytest.mark.slow
def test_it_explains_errors(run):
    result = run("rule", "unknown-child", "tau-shape", "R199-403")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "unknown-child  A joint names a child link that does not exist.\n\nto do     Correct"
    )
    assert "\nargument-shape  An array has a wrong shape.\n" in result.stdout
    assert "page      https://kinetree.github.io/kinetree/latest/e/R199-403\n" in result.stdout
    lines = run("rule", "--all").stdout.splitlines()
    assert set(CODES) <= {line.split()[0] for line in lines if line}
    begin = run("rule", "xacro-").stdout.splitlines()
    assert [line.split()[0] for line in begin] == [code for code in CODES if code.startswith("xacro-")]


def test_what_several_begin_with_lists_them(run):
    lines = run("rule", "r199-4").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        rule.code for rule in sorted(family("R199"), key=lambda rule: rule.code) if rule.code.startswith("R199-4")
    ]
    assert json.loads(run("rule", "R199-4", "--json").stdout)["rules"][0]["why"]


@pytest.mark.slow
def test_several_as_json(run):
    said = json.loads(run("rule", "ICUB-101", "no-limit", "R199-403", "--json").stdout)
    assert [rule["code"] for rule in said["rules"]] == ["ICUB-101", "R199-403"]
    assert said["codes"] == [
        {
            "code": "no-limit",
            "family": "URDF, SRDF and XRDF",
            "use": "remark",
            "meaning": CODES["no-limit"].meaning,
            "remedy": CODES["no-limit"].remedy,
            "page": "https://kinetree.github.io/kinetree/latest/e/no-limit",
        }
    ]
    assert {"clause", "url", "why", "good", "bad", "profiles", "repaired", "severity", "page"} <= set(said["rules"][0])
    all_of_them = json.loads(run("rule", "--json").stdout)
    assert [row["code"] for row in all_of_them["codes"]] == list(CODES)
    assert len(all_of_them["rules"]) == sum(len(family(letters)) for letters in FAMILIES)


@pytest.mark.parametrize("code", ["R199-440", "r199-440", "FOO-1", "not a code", "zero-axs", ""])
def test_an_unknown_code_names_the_nearest(run, code):
    result = run("rule", code)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"no rule {code!r}; " in result.stderr


def test_it_says_how_a_rule_did_on_public_files(run):
    judged = PRECISION["R103-002"]
    said = " ".join(run("rule", "R103-002").stdout.split())
    assert f"judged findings in {judged.findings_in} of {judged.checked} public files; of {judged.read} read, " in said
    assert f"{judged.false} false; known: {judged.known}" in said
    (rule,) = json.loads(run("rule", "r103-002", "--json").stdout)["rules"]
    assert rule["precision"]["questionable"] == judged.questionable
    assert "judged    not on public files yet" in run("rule", "MSH-002").stdout
    assert str(PRECISION["CTL-007"]) == f"findings in 0 of {PRECISION['CTL-007'].checked} public files"


def test_rows_about_public_files_are_of_rules_and_add_up():
    assert set(PRECISION) <= set(codes_of())
    for code, row in PRECISION.items():
        assert row.read == row.true + row.questionable + row.false, code
        assert min(row.checked - row.findings_in, row.findings_in - bool(row.read), row.true, row.false) >= 0, code
        assert bool(row.known) >= bool(row.false), code


def test_a_removed_rule_is_known_and_named(run, tmp_path):
    assert not set(RETIRED) & {*codes_of(), *CODES}
    for code, row in RETIRED.items():
        said = " ".join(run("rule", code.lower()).stdout.split())
        assert said.startswith(f"{code} {row.meaning} to do {row.remedy} severity none; ")
        assert "this rule was removed" in said
    assert "XAC-009" not in run("rule", "XAC").stdout
    (tmp_path / "a.urdf").write_text(f"<!-- kinetree: ignore {min(RETIRED)} because it was so -->{BODY}")
    result = run("check", str(tmp_path / "a.urdf"), "--ignore", "XAC-009")
    assert (result.exit_code, result.stdout) == (0, "nothing found\n")
    assert result.stderr == f"XAC-009 was removed: {RETIRED['XAC-009'].remedy}\n"

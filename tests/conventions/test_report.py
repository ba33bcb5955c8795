"""Reports: what they say, and that what stands in a file cannot make them say anything else."""

import io
import json
import os
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from each import each
from kinetree.checker.job import CheckReport, Excuse, Job, check_job
from kinetree.checker.report import _excerpts, formats, report
from kinetree.checker.report._paths import as_shown, in_words, relative, with_relative_path
from kinetree.checker.report.sarif import _artifact
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from support import unstyled

SCHEMA = Path(__file__).with_name("sarif-2.1.0-rtm.4.json")
"""The official schema, as the source package sarif-om 1.0.4 has it, under the MIT licence; no wheel brings it."""


@cache
def sarif() -> Any:
    """The validator of SARIF; the schema itself is checked once."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


HOSTILE = "\x1b[2J\r\n::error::x\u202e\x00\ud800<&\"'>%0A]]>--[l](http://e.vil){0}"


@pytest.fixture
def bad(tmp_path, monkeypatch):
    """An arm whose flange points down, in the working folder."""
    monkeypatch.chdir(tmp_path)
    good = '<origin xyz="0.09 0 0" rpy="0 0 0"/>'
    text = ARM.replace(
        good, good.replace("0 0 0", "0 1.5707963267948966 0").replace("0.09 0 1.5707963267948966 0", "0.09 0 0")
    )
    Path("bad.urdf").write_text(text)
    return check_job(Job("bad.urdf", CheckOptions("industrial")))


@pytest.fixture
def mixed(bad):
    """Findings of all severities, one of a reader, one excused, one without a place, in two files."""
    (flange,) = (f for f in bad.findings if f.code == "R199-403")
    reader = Finding("zero-axis", "warning", "no axis", Source("bad.urdf", 4), "joint 'j'", fix="give one")
    remark = Finding("R199-403", "info", "look", None, None)
    excused = Excuse(flange, "the maker's drawing says so", Source("bad.urdf", 3, 1))
    return [CheckReport("bad.urdf", (flange, reader, remark), (excused,)), CheckReport("a folder/good.urdf", ())]


def text_of(format, results, width=None):
    return "\n".join(report(format, results, width))


def found_in(format, results):
    """The report without the line about its first code."""
    return "\n".join(line for line in text_of(format, results).split("\n") if not line.startswith("More about "))


def test_every_format_is_there():
    assert formats() == ["concise", "github", "json", "junit", "pretty", "sarif", "statistics"]


def test_paths_are_those_of_the_working_folder(tmp_path, monkeypatch):
    """Also above it where that is shorter; JSON and findings on their own never lead upwards."""
    here = tmp_path / "here"
    (here / "deep").mkdir(parents=True)
    monkeypatch.chdir(here)
    root, top = os.sep, str(tmp_path)
    for file, shown, upwards, not_upwards in (
        (f"{here}/a.urdf", "a.urdf", "a.urdf", "a.urdf"),
        (f"{here}/deep/a.urdf", "deep/a.urdf", "deep/a.urdf", "deep/a.urdf"),
        (f"{top}/a.urdf", f"{top}/a.urdf", "../a.urdf", f"{top}/a.urdf"),
        (f"{top}/heretic/a.urdf", f"{top}/heretic/a.urdf", "../heretic/a.urdf", f"{top}/heretic/a.urdf"),
        (f"{root}a.urdf", f"{root}a.urdf", f"{root}a.urdf", f"{root}a.urdf"),  # shorter than the way up
        ("a.urdf", "a.urdf", "a.urdf", "a.urdf"),
        ("../a.urdf", "../a.urdf", "../a.urdf", "../a.urdf"),
        ("<text>", "<text>", "<text>", "<text>"),
    ):
        assert as_shown(file) == (shown if os.path.isabs(file) else as_shown(here / file))
        assert (relative(file), relative(file, upwards=False)) == (upwards, not_upwards)
        finding = with_relative_path(Finding("a", "error", f"see {here}/b.stl", Source(file, 3)))
        assert (finding.source, finding.message) == (Source(not_upwards, 3), "see b.stl")
        assert with_relative_path(finding, upwards=True).source.file == relative(not_upwards)
    assert with_relative_path(Finding("a", "error", "nowhere")).source is None
    for text, words in {
        f"{here}/a b/c.stl and '{here}/d.stl', {here}/e": "a b/c.stl and 'd.stl', e",
        f"file://{here}/a x{here}/a {top}/a {here} {here}/ ~{here}/a": (
            f"file://{here}/a x{here}/a {top}/a {here} {here}/ ~{here}/a"
        ),
    }.items():
        assert in_words(text) == words


class TestVariants:
    """A finding of a file that is checked with several arguments stands once, and says in which variants it is."""

    @pytest.mark.parametrize("format", ["sarif", "junit", "json"])
    def test_programs_get_each(self, bad, format):
        plain, short, long = (text_of(format, [replace(bad, name=name)]) for name in ("", "stubby", "long"))
        assert "stubby" not in plain
        assert "stubby" in short
        assert "long" in long
        assert "stubby" not in long

    @pytest.mark.parametrize("format", ["pretty", "concise", "github"])
    def test_people_get_one(self, bad, format):
        variants = [replace(bad, name=name) for name in ("stubby", "long", "other")]
        all_of_them, alone = found_in(format, variants), found_in(format, [bad])
        assert all_of_them.count("R199-403") == alone.count("R199-403") == 1
        assert "variant" not in all_of_them
        some = found_in(format, [*variants[:2], CheckReport(bad.file, (), name="other")])
        assert some.count("R199-403") == 1
        assert "(only in variants 'stubby', 'long')" in some.replace("%2C", ",")

    def test_pretty_counts_models(self, bad):
        text = text_of("pretty", [replace(bad, name=name) for name in ("short", "forearm=0.8")])
        assert text.splitlines()[-1].endswith("in 2 of 2 models")
        assert text.splitlines()[-1].startswith(text_of("pretty", [bad]).splitlines()[-1])

    def test_models_with_a_common_part_have_its_findings_once(self, bad):
        others = [replace(bad, file=f"arm{i}.urdf") for i in range(5)]
        text = text_of("concise", [bad, *others])
        assert text.count("R199-403") == 1
        assert "(in 6 models: bad.urdf, arm0.urdf, arm1.urdf and 3 more)" in text
        elsewhere = replace(bad, file=str(Path.cwd().parent / "arm.urdf"))
        assert "(in 2 models: bad.urdf, ../arm.urdf)" in text_of("concise", [bad, elsewhere])

    def test_json_has_it_in_a_field(self, bad, mixed):
        data = json.loads(text_of("json", [bad, replace(mixed[0], name="long")]))
        assert [row["variant"] for row in data["files"]] == ["", "long"]
        assert {row["variant"] for row in data["findings"]} == {"", "long"}
        assert [row["variant"] for row in data["excused"]] == ["long"]


class TestPretty:
    def test_a_finding_of_a_rule_shows_its_line(self, bad):
        lines = text_of("pretty", [bad]).splitlines()
        at = next(i for i, line in enumerate(lines) if "[R199-403]" in line)
        number = next(i for i, line in enumerate(ARM.splitlines(), 1) if '<link name="flange"/>' in line)
        assert lines[at].startswith(f"bad.urdf:{number}:3: error: link 'flange': its x axis is 90 degrees")
        assert lines[at + 1 : at + 3] == ['    <link name="flange"/>', "    ~~~~~~~~~~~~~~~~~~~~^"]

    def test_findings_are_counted(self, mixed):
        last = text_of("pretty", mixed).splitlines()[-1]
        assert last == "1 error, 1 warning, 1 remark, 1 excused in 1 of 2 files"
        assert text_of("pretty", [mixed[1]]) == "nothing found"
        assert text_of("pretty", [mixed[1]] * 2) == "nothing found in 2 files"

    def test_codes_are_links_in_terminals_that_may_know_them(self, mixed, monkeypatch):
        monkeypatch.setenv("TERM", "xterm")
        assert "\x1b]8;;https://kinetree.github.io/kinetree/latest/e/zero-axis\x1b\\[zero-axis]\x1b]8;;" in text_of(
            "pretty", mixed, 80
        )
        monkeypatch.setenv("TERM", "dumb")
        assert "\x1b]8" not in text_of("pretty", mixed, 80)

    def test_colours_are_for_terminals(self, mixed):
        assert "\x1b[31m" in text_of("pretty", mixed, 80)
        assert "\x1b" not in text_of("pretty", mixed)
        lines = unstyled(text_of("pretty", mixed, 60)).splitlines()
        assert max(len(line) for line in lines if "https://" not in line) <= 60
        assert "    https://kinetree.github.io/kinetree/latest/e/R199-403" in lines

    def test_a_place_in_a_xacro_file_shows_the_line_of_that_file(self, tmp_path):
        part, main = tmp_path / "part.xacro", tmp_path / "main.xacro"
        part.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n  <link name="a" odd="1"/>\n</robot>')
        main.write_text(
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="part.xacro"/></robot>'
        )
        finding = Finding("C", "error", "m", Source(str(part), 2, 3, Source(str(main), 90, 2)), "link 'a'")
        lines = text_of("pretty", [CheckReport(str(main), (finding,))]).splitlines()
        assert lines[1] == '    <link name="a" odd="1"/>'

    def test_no_excerpt_where_the_text_is_no_file_or_is_not_there_any_more(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("icub-2.0.toml").write_text("another\n")
        Path("icub").write_text("another\n")
        Path("short.urdf").write_text("<robot/>")
        for checked, file in (("icub", "icub-2.0.toml"), ("short.urdf", "short.urdf"), ("gone.urdf", "gone.urdf")):
            finding = Finding("C", "error", "m", Source(file, 7, 3))
            assert found_in("pretty", [CheckReport(checked, (finding,))]) == f"{file}:7:3: error: m [C]\n1 error"

    def test_each_file_is_read_once(self, bad, monkeypatch):
        read = []
        whole = _excerpts.open_plain
        monkeypatch.setattr(_excerpts, "open_plain", lambda path: read.append(path) or whole(path))
        (flange,) = (f for f in bad.findings if f.code == "R199-403")
        list(report("pretty", [CheckReport("bad.urdf", (flange,) * 5)]))
        assert read == [Path("bad.urdf")]


class TestGroups:
    """Equal findings are one, with a count and the first places."""

    def findings(self, count, message="is {} long; expected 1"):
        return [
            Finding("JNT-001", "warning", message.format(i), Source("bad.urdf", i + 1), f"joint 'j{i}'")
            for i in range(count)
        ]

    def test_pretty_prints_the_first_and_the_places_of_others(self, bad):
        lines = text_of("pretty", [CheckReport("bad.urdf", tuple(self.findings(9)))]).splitlines()
        at = next(i for i, line in enumerate(lines) if "8 findings like it" in line)
        assert "bad.urdf:1: warning: joint 'j0': is 0 long" in lines[0]
        places = "joint 'j1' (line 2), joint 'j2' (line 3), joint 'j3' (line 4) and 5 more"
        assert lines[at] == f"    8 findings like it: {places}; --show-all prints each"
        assert lines[-1] == "9 warnings"
        assert sum("[JNT-001]" in line for line in lines) == 1
        assert lines[-2] == "More about JNT-001: https://kinetree.github.io/kinetree/latest/e/JNT-001"

    def test_all_of_them_when_asked(self, bad):
        text = "\n".join(report("pretty", [CheckReport("bad.urdf", tuple(self.findings(9)))], show_all=True))
        assert text.count("[JNT-001]") == 10  # the first again as the most important
        assert "like it" not in text

    def test_other_words_are_another_finding(self, bad):
        findings = [*self.findings(2), *self.findings(2, "has no length at all, {}")]
        assert text_of("pretty", [CheckReport("bad.urdf", tuple(findings))]).count("[JNT-001]") == 2

    def test_the_most_important_come_first_and_last(self, bad):
        codes = [("NAM-001", "error"), ("TRE-001", "warning"), ("INR-001", "warning"), ("R199-508", "warning")]
        found = [
            Finding(code, severity, f"m{i}", Source("bad.urdf", 9 - i)) for i, (code, severity) in enumerate(codes)
        ]
        found.append(Finding("zero-axis", "error", "no axis", Source("bad.urdf", 40)))
        lines = text_of("pretty", [CheckReport("bad.urdf", tuple(found))]).splitlines()
        printed = [line.partition("[")[2].rstrip("]") for line in lines if line.startswith("bad.urdf")]
        assert printed == ["zero-axis", "NAM-001", "R199-508", "INR-001", "TRE-001"]
        assert lines[-1].endswith("; most important: no axis [zero-axis] (bad.urdf:40)")

    def test_files_of_other_packages_come_last_and_are_marked(self, tmp_path, monkeypatch):
        for name in ("cell", "ur_description"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "package.xml").write_text("<package/>")
        monkeypatch.chdir(tmp_path / "cell")
        own = Finding("NAM-001", "info", "m", Source("cell.xacro", 1))
        other = Finding("R199-508", "error", "n", Source(str(tmp_path / "ur_description" / "ur.xacro"), 1))
        lines = found_in("pretty", [CheckReport("cell.xacro", (other, own))]).splitlines()
        assert lines == [
            "cell.xacro:1: info: m [NAM-001]",
            "In files of other packages (ur_description):",
            "../ur_description/ur.xacro:1: error: n [R199-508]",
            "1 error, 1 remark",
        ]

    def test_a_file_that_is_named_with_a_model_is_of_its_own(self, tmp_path, monkeypatch):
        for name in ("cell", "cell_moveit_config"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "package.xml").write_text("<package/>")
        monkeypatch.chdir(tmp_path)
        srdf = str(tmp_path / "cell_moveit_config" / "cell.srdf")
        finding = Finding("SRD-001", "error", "m", Source(srdf, 1))
        lines = found_in("pretty", [CheckReport("cell/cell.xacro", (finding,), beside=(srdf,))]).splitlines()
        assert lines == ["cell_moveit_config/cell.srdf:1: error: m [SRD-001]", "1 error"]

    def test_paths_in_messages_are_shortened_alone(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        here = str(tmp_path)
        found = CheckReport("a.urdf", (Finding("file", "info", f"not {here}/a, file://{here}/a, /b{here}/a"),))
        assert f"not a, file://{here}/a, /b{here}/a" in text_of("pretty", [found])

    def test_names_of_packages_are_whole_in_the_root_folder(self, monkeypatch):
        monkeypatch.chdir(os.path.abspath(os.sep))
        found = CheckReport("a.urdf", (Finding("MSH-002", "info", "the mesh 'package://a/b.stl'"),))
        assert "'package://a/b.stl'" in text_of("pretty", [found])


def test_statistics_are_a_line_a_code(mixed):
    lines = text_of("statistics", [*mixed, replace(mixed[0], file="other.urdf")]).splitlines()
    assert [line.split()[:3] for line in lines[:-1]] == [
        ["1", "error", "R199-403"],
        ["1", "warning", "zero-axis"],
        ["1", "info", "R199-403"],
    ]
    assert "flange" in lines[0]


def test_statistics_have_the_gravest_first_and_then_the_most():
    def many(code, severity, count):
        return [Finding(code, severity, f"m{i}", Source("a.urdf", i + 1)) for i in range(count)]

    found = [*many("zero-axis", "info", 3), *many("MSH-002", "warning", 2), *many("MSH-003", "warning", 11)]
    found += many("R199-403", "error", 1)
    lines = text_of("statistics", [CheckReport("a.urdf", tuple(found))]).splitlines()
    assert [line[:24] for line in lines[:4]] == [
        " 1  error    R199-403   ",
        "11  warning  MSH-003    ",
        " 2  warning  MSH-002    ",
        " 3  info     zero-axis  ",
    ]
    assert lines[4:] == ["1 error, 13 warnings, 3 remarks"]
    short = text_of("statistics", [CheckReport("a.urdf", tuple(found))], 20).splitlines()
    assert [len(line) for line in short[:4]] == [20] * 4
    assert text_of("statistics", [CheckReport("a.urdf", ())]) == "nothing found"


def test_concise_is_one_line_a_finding(mixed):
    lines = text_of("concise", mixed).splitlines()
    assert len(lines) == 3
    assert lines[1] == "bad.urdf:4: warning: joint 'j': no axis [zero-axis]"


def test_json_has_paths_as_seen_from_the_working_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    finding = Finding("xacro-include", "error", f"cannot include {tmp_path / 'b.xacro'}", Source("a.xacro"))
    (said,) = json.loads(text_of("json", [CheckReport("a.xacro", (finding,))]))["findings"]
    assert said["message"] == "cannot include b.xacro"


def test_json_is_as_the_page_says(mixed):
    said = json.loads(text_of("json", mixed))
    assert {*said} == {"schema", "files", "findings", "excused"}
    assert said["files"] == [
        {"file": "bad.urdf", "variant": "", "error": 1, "warning": 1, "info": 1, "excused": 1},
        {"file": "a folder/good.urdf", "variant": "", "error": 0, "warning": 0, "info": 0, "excused": 0},
    ]
    fields = {"checked", "variant", "code", "severity", "message", "source", "element", "fix", "excerpt", "url"}
    assert all({*finding} == fields for finding in said["findings"])
    assert said["findings"][1]["source"] == {"file": "bad.urdf", "line": 4, "column": None}
    (excused,) = said["excused"]
    assert {*excused} == fields | {"reason", "excused_at"}
    assert (excused["reason"], excused["excused_at"]["line"]) == ("the maker's drawing says so", 3)
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "checking.md").read_text("utf-8")
    assert all(f"`{field}`" in page for field in fields | {*said, "reason", "excused_at", "made"})


class TestSarif:
    def run_of(self, results, valid=True):
        log = json.loads(text_of("sarif", results))
        if valid:
            sarif().validate(log)
        return log["runs"][0]

    def test_a_rule_a_code_and_an_excuse(self, mixed):
        """Rules with reasons and examples, codes of readers with what to do, and where the reason of an excuse is."""
        run = self.run_of(mixed, valid=False)
        rules = run["tool"]["driver"]["rules"]
        assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
            "R199-403",
            "zero-axis",
            "R199-403",
            "R199-403",
        ]
        known = {rule["id"]: rule for rule in rules}
        reader, rule = known["zero-axis"], known["R199-403"]
        meaning, remedy = (reader["shortDescription"]["text"], reader["help"]["text"])
        assert meaning.startswith("The axis of a joint has no direction")
        assert reader["fullDescription"]["text"] == f"{meaning} {remedy}"
        assert reader["helpUri"].endswith("/e/zero-axis")
        assert rule["help"]["text"].endswith(
            rule["help"]["markdown"].split("Bad:\n\n```xml\n")[1].removesuffix("\n```")
        )
        assert rule["defaultConfiguration"] == {"level": "error"}
        assert rule["properties"]["tags"] == ["R199"]
        *others, excused = run["results"]
        assert [result["level"] for result in others] == ["error", "warning", "note"]
        assert not any("suppressions" in result for result in others)
        (suppression,) = excused["suppressions"]
        assert (suppression["kind"], suppression["justification"]) == ("inSource", "the maker's drawing says so")
        assert suppression["location"]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 1}
        assert _artifact("/else where/a.urdf") == {"uri": "file:///else%20where/a.urdf"}
        assert _artifact("else where/a.urdf") == {"uri": "else%20where/a.urdf"}

    @pytest.mark.slow
    def test_it_is_valid_and_knows_all_rules(self, mixed):
        run = self.run_of(mixed)
        rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
        assert {"R199-403", "ICUB-101", "zero-axis"} <= set(rules)
        assert rules["R199-403"]["helpUri"] == "https://kinetree.github.io/kinetree/latest/e/R199-403"
        assert "Bad:" in rules["R199-403"]["help"]["markdown"]
        assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "bad.urdf"}
        assert run["artifacts"][1]["location"] == {"uri": "a%20folder/good.urdf"}

    @pytest.mark.slow
    def test_it_is_valid_where_a_file_has_variants(self, bad):
        run = self.run_of([replace(bad, name=name) for name in ("short", "long")])
        assert [one["location"]["uri"] for one in run["artifacts"]] == ["bad.urdf"]
        assert len({result["partialFingerprints"]["kinetree/v1"] for result in run["results"]}) == 2

    @pytest.mark.slow
    def test_a_fingerprint_stays_when_lines_are_added_above(self, bad):
        before = self.fingerprints([bad])
        text = Path("bad.urdf").read_text()
        Path("bad.urdf").write_text(text.replace("<link", "<!-- one\nmore -->\n<link", 1))
        shifted = check_job(Job("bad.urdf", CheckOptions("industrial")))
        assert shifted.findings[0].source.line == bad.findings[0].source.line + 2
        assert self.fingerprints([shifted]) == before
        Path("bad.urdf").write_text(text.replace('<link name="flange"/>', '<link   name="flange"></link>'))
        assert self.fingerprints([check_job(Job("bad.urdf", CheckOptions("industrial")))]) == before
        renamed = replace(bad, findings=tuple(replace(f, element="link 'other'") for f in bad.findings))
        assert not set(self.fingerprints([renamed])) & set(before)

    @pytest.mark.slow
    def test_fingerprints_of_equal_findings_differ(self, bad):
        twice = replace(bad, findings=bad.findings[:1] * 2)
        assert len(set(self.fingerprints([twice]))) == 2

    def fingerprints(self, results):
        return [result["partialFingerprints"]["kinetree/v1"] for result in self.run_of(results)["results"]]

    @pytest.mark.slow
    def test_a_file_elsewhere_has_a_whole_reference(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = CheckReport("/else where/a.urdf", (Finding("c", "error", "m", Source("/else where/a.urdf", 1, 1)),))
        location = self.run_of([result])["results"][0]["locations"][0]["physicalLocation"]
        assert location["artifactLocation"] == {"uri": "file:///else%20where/a.urdf"}


def test_github_commands(mixed):
    error, warning, notice = text_of("github", mixed).splitlines()
    assert error.startswith("::error file=bad.urdf,line=")
    assert ",title=R199-403::link 'flange': its x axis is" in error
    assert warning == "::warning file=bad.urdf,line=4,title=zero-axis::joint 'j': no axis%0Afix: give one"
    assert notice == "::notice file=bad.urdf,title=R199-403::look"


def test_what_divides_a_github_command_is_escaped():
    finding = Finding("x,y:z", "error", "a, b: 100%\nc", Source("a,b:c%.urdf", 1))
    assert text_of("github", [CheckReport("f", (finding,))]) == (
        "::error file=a%2Cb%3Ac%25.urdf,line=1,title=x%2Cy%3Az::a, b: 100%25\\nc"
    )


def test_junit_is_a_case_a_finding(mixed):
    suites = ET.fromstring(text_of("junit", mixed))
    assert (suites.get("tests"), suites.get("failures")) == ("5", "2")
    bad, good = suites
    assert {k: bad.get(k) for k in ("name", "tests", "failures", "skipped")} == {
        "name": "bad.urdf",
        "tests": "4",
        "failures": "2",
        "skipped": "1",
    }
    kinds = [child.tag for case in bad for child in case]
    assert kinds == ["failure", "failure", "system-out", "skipped"]
    assert '<link name="flange"/>' in bad[0][0].text
    assert bad[3][0].get("message") == "the maker's drawing says so"
    assert [list(case) for case in good] == [[]]


def test_nor_can_it_in_the_text_of_an_error():
    error = KinetreeError(Finding("c", "error", HOSTILE, Source(HOSTILE, 1, 1), HOSTILE, HOSTILE, HOSTILE))
    assert all(line.isprintable() for line in str(error).split("\n"))


@pytest.mark.slow
@each("format", formats())
@each("width", [None, 80])
def test_what_stands_in_a_file_cannot_speak_for_us(format, width):
    file = HOSTILE.replace("\ud800", "\udcff")  # how a byte of a name that is no UTF-8 is read
    source = Source(file, 1, 1)
    finding = Finding("c", "error", HOSTILE, source, HOSTILE, HOSTILE, f"{HOSTILE}\n{HOSTILE}")
    result = CheckReport(file, (finding,), (Excuse(finding, HOSTILE, source),))
    text = text_of(format, [result], width)
    text.encode("utf-8")
    plain = unstyled(text)
    assert all(line.isprintable() for line in plain.split("\n"))
    assert not any(line.startswith("::error::x") for line in plain.split("\n"))
    if format == "concise":
        assert plain.count("\n") == 0
    if format == "github":
        assert plain.startswith("::error file=")
        assert plain.count("\n") == 0
        assert "%250A" in plain
    if format == "junit":
        ET.parse(io.StringIO(text))
    if format == "json":
        assert json.loads(text)["findings"][0]["message"] == HOSTILE
    if format == "sarif":
        log = json.loads(text)
        sarif().validate(log)
        assert "\\[l](http" in log["runs"][0]["results"][0]["message"]["text"]

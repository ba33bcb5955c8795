"""Baselines: what is in one is no news, whatever its line; what is new is; what is gone is said."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.checker.baseline import (
    KEYS,
    check_baseline,
    check_replaceable,
    entry_of,
    model_key,
    read_baseline,
    relative,
    write_baseline,
)
from kinetree.checker.job import CheckReport, Job, check_job, gone_from_baselines
from kinetree.checker.pool import check_all
from kinetree.errors import Finding, Source
from kinetree.rules.options import CheckOptions
from kinetree.rules.suppressions import ASKEW, EXCUSED
from support import shared

WRONG = ASKEW.replace(EXCUSED, '<link name="flange"/>')
ODD = WRONG.replace("</robot>", "<odd/><odd/></robot>")


def write(file, *checked: CheckReport) -> int:
    folder = os.path.dirname(file)
    return write_baseline(str(file), [(model_key(c.file, c.name, folder), (*c.findings, *c.known)) for c in checked])


def codes(found: CheckReport) -> list[str]:
    return sorted(finding.code for finding in found.findings)


@pytest.fixture
def job(tmp_path):
    """The job of a file with three findings, for which `known.json` is the baseline."""
    (tmp_path / "arm.urdf").write_text(ODD)
    return Job(str(tmp_path / "arm.urdf"), CheckOptions("industrial"), baseline=str(tmp_path / "known.json"))


@pytest.fixture
def known(job):
    """The same, when what it finds has been written there."""
    assert write(job.baseline, check_job(replace(job, baseline=None))) == 3
    return job


def test_paths_are_relative_to_the_folder_if_there_is_a_way(tmp_path, monkeypatch):
    (tmp_path / "arm.urdf").write_text("")
    (tmp_path / "sub").mkdir()
    file = str(tmp_path / "sub" / ".." / "arm.urdf")
    assert relative(file, str(tmp_path)) == "arm.urdf"
    assert relative(file, str(tmp_path / "sub")) == "../arm.urdf"
    assert relative("<text>", str(tmp_path)) == "<text>"

    def other_drive(_path, _start):
        raise ValueError("path is on another drive")

    monkeypatch.setattr(os.path, "relpath", other_drive)
    assert relative(file, str(tmp_path)) == Path(os.path.realpath(file)).as_posix()


def test_what_is_in_it_is_no_news(known):
    found = check_job(known)
    assert found.findings == ()
    assert sorted(finding.code for finding in found.known) == ["R199-403", "not-understood", "not-understood"]


def test_the_file_is_made_for_people_and_for_diffs(known, tmp_path):
    text = (tmp_path / "known.json").read_text()
    lines = text.splitlines()
    assert len([line for line in lines if '"code"' in line]) == 2
    assert lines[3:-2] == sorted(lines[3:-2])
    row = json.loads(text)["findings"][-1]
    assert row == {
        "model": "arm.urdf",
        "variant": "",
        "file": "arm.urdf",
        "code": "not-understood",
        "element": "<odd>",
        "message": row["message"],
        "count": 2,
    }
    assert write(tmp_path / "again.json", check_job(known)) == 3  # what is known is written again
    assert (tmp_path / "again.json").read_text() == text


def test_lines_may_shift_and_the_file_may_be_seen_from_elsewhere(known, tmp_path, monkeypatch):
    (tmp_path / "arm.urdf").write_text(ODD.replace("<robot", "\n\n<!-- new -->\n<robot"))
    assert check_job(known).findings == ()
    monkeypatch.chdir(tmp_path)
    for file, baseline in (("arm.urdf", "known.json"), ("./arm.urdf", "./known.json")):
        assert check_job(replace(known, file=file, baseline=baseline)).findings == ()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("arm.urdf", "known.json"):
        (tmp_path / name).rename(moved / name)
    monkeypatch.chdir(moved)
    assert check_job(replace(known, file="arm.urdf", baseline="known.json")).findings == ()


def test_one_more_of_a_kind_is_new(known, tmp_path):
    (tmp_path / "arm.urdf").write_text(ODD.replace("</robot>", "<odd/></robot>"))
    found = check_job(known)
    assert codes(found) == ["not-understood"]
    assert found.findings[0].source.column == 13  # the last of the three
    assert len(found.known) == 3


def test_another_element_another_message_and_another_file_are_new(known, tmp_path):
    (tmp_path / "arm.urdf").write_text(ODD.replace("<odd/><odd/>", "<even/>"))
    assert codes(check_job(known)) == ["baseline-gone", "not-understood"]
    (tmp_path / "other.urdf").write_text(ODD)
    assert len(check_job(replace(known, file=str(tmp_path / "other.urdf"))).findings) == 3


def test_what_is_gone_is_a_remark(known, tmp_path):
    (tmp_path / "arm.urdf").write_text(WRONG)
    (gone,) = check_job(known).findings
    assert (gone.code, gone.severity, gone.source.file) == ("baseline-gone", "info", known.baseline)
    assert gone.message == "2 in the baseline are gone: not-understood <odd>"
    assert gone.element == "model 'arm.urdf'"
    assert write(tmp_path / "known.json", check_job(known)) == 1
    assert check_job(known).findings == ()


@pytest.mark.parametrize(("count", "named"), [(3, "<c>"), (4, "<c> and 1 more"), (5, "<c> and 2 more")])
def test_of_what_is_gone_three_are_named(count, named, job, tmp_path):
    tags = "".join(f"<{tag}/>" for tag in "abcde"[:count])
    (tmp_path / "arm.urdf").write_text(ASKEW.replace("</robot>", f"{tags}</robot>"))
    write(job.baseline, check_job(replace(job, baseline=None)))
    (tmp_path / "arm.urdf").write_text(ASKEW)
    (gone,) = check_job(job).findings
    codes = "not-understood <a>, not-understood <b>, not-understood "
    assert gone.message == f"{count} in the baseline are gone: {codes}{named}"


def test_what_was_not_asked_is_not_gone(known, tmp_path):
    for leave_out in ({"select": ("R199-5",)}, {"ignore": ("R199", "not-")}, {"profile": "icub", "ignore": ("not-",)}):
        assert "baseline-gone" not in codes(check_job(replace(known, options=replace(known.options, **leave_out))))
    (tmp_path / "arm.urdf").write_text("<robot>")
    assert codes(check_job(known)) == ["xml-syntax"]


def test_errors_of_the_reader_are_no_part_of_it(job, tmp_path):
    (tmp_path / "arm.urdf").write_text("<robot>")
    assert write(job.baseline, check_job(replace(job, baseline=None))) == 0
    assert codes(check_job(job)) == ["xml-syntax"]
    (fault,) = check_job(job).findings
    written = dict(zip(KEYS, entry_of(fault, ("arm.urdf", ""), str(tmp_path)), strict=True), count=1)
    (tmp_path / "known.json").write_text(json.dumps({"kinetree-baseline": 1, "findings": [written]}))
    assert codes(check_job(job)) == ["xml-syntax"]  # even where somebody has written it there


def test_what_is_excused_is_no_part_of_it(job, tmp_path):
    (tmp_path / "arm.urdf").write_text(ASKEW)
    found = check_job(replace(job, baseline=None))
    assert len(found.excused) == 1
    assert write(job.baseline, found) == 0


def test_variants_of_a_file_have_their_own(known):
    assert check_job(known).findings == ()
    assert len(check_job(replace(known, name="ur_type=ur5e")).findings) == 3


@each(
    "one, other",
    [
        ("already at arm.urdf:12:3", "already at arm.urdf:14:3"),
        ("with another content on line 12", "with another content on line 7"),
        ("looked in /home/a/ws/src, /opt/x", "looked in /build/b/ws/src, /opt/x"),
        (r"looked in C:\ws\src", r"looked in D:\b\src"),
    ],
)
def test_a_message_counts_without_its_lines_and_folders(one, other):
    first, second = (Finding("x", "warning", message, Source("a", 1)) for message in (one, other))
    assert entry_of(first, ("a", ""), "") == entry_of(second, ("a", ""), "")


@each("message", ["X+ points 12.5 degrees off", "80 N m/s", "package://a/b", "lower 3 > upper 2"])
def test_but_with_all_else(message):
    assert entry_of(Finding("x", "warning", message), ("a", ""), "")[-1] == message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file; --write-baseline makes one"),
        ("{", "known.json:1:2: error: this is no JSON"),
        ("[" * 100_000, "it is nested too deep"),
        ('{"kinetree-baseline": 1' + "0" * 5000 + "}", "too long a number"),
        ("[]", "no version of a baseline is said"),
        ('{"kinetree-baseline": 2, "findings": []}', "a baseline of version 2; expected"),
        ('{"kinetree-baseline": true, "findings": []}', "a baseline of version True"),
        ('{"kinetree-baseline": 1}', 'there are no "findings"'),
        (
            '{"kinetree-baseline": 1, "findings": [3]}',
            "finding 1 is not understood; expected texts for model, variant, file",
        ),
        ('{"kinetree-baseline": 1, "findings": [{"model": "a"}]}', "finding 1 is not understood"),
        (b"\xff", "the text is not UTF-8"),
        ('{"kinetree-baseline": 1, "findings": [], "findings": []}', "the key 'findings' stands twice"),
        ('{"kinetree-baseline": 1, "findings": [{"code": "a", "code": "b"}]}', "the key 'code' stands twice"),
        ('{"kinetree-baseline": 1, "findings": [], "date": 3}', "'date' is an unknown key; expected 'kinetree-base"),
    ],
    ids=range(14),
)
def test_what_is_no_baseline_is_refused(job, tmp_path, text, said):
    if text is not None:
        (tmp_path / "known.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(kt.KinetreeError) as refused:
        check_job(job)
    assert said in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["count", "model", "message"])
@pytest.mark.parametrize("value", [None, True, 0, -1, 1.5, [], {}])
def test_entries_have_their_types(known, tmp_path, key, value):
    data = json.loads((tmp_path / "known.json").read_text())
    data["findings"][1][key] = value
    (tmp_path / "known.json").write_text(json.dumps(data))
    with pytest.raises(kt.KinetreeError, match="finding 2 is not understood"):
        read_baseline(known.baseline)


def test_a_folder_is_no_baseline(job, tmp_path):
    with pytest.raises(kt.KinetreeError, match="this is a folder; expected a file"):
        check_job(replace(job, baseline=str(tmp_path)))


def test_what_is_wrong_with_a_baseline_is_said_once_and_first(known, tmp_path):
    (tmp_path / "known.json").write_text("<<<<<<< HEAD")
    with pytest.raises(kt.KinetreeError, match=r"known\.json:1:1: error: this is no JSON") as refused:
        check_all([known, known])
    assert len(refused.value.findings) == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [("R199-4030", "did you mean 'R199-403'"), ("r199-403", "no rule has the code 'r199-403'"), ("R199", "no rule")],
)
def test_a_code_that_does_not_exist_has_its_place(known, tmp_path, code, said):
    text = (tmp_path / "known.json").read_text()
    (tmp_path / "known.json").write_text(text.replace("R199-403", code))
    with pytest.raises(kt.KinetreeError, match=said) as refused:
        check_baseline(known.baseline)
    (fault,) = refused.value.findings
    assert text.splitlines()[fault.source.line - 1].count("R199-403") == 1
    (tmp_path / "known.json").write_text(text.replace("R199-403", "some-reader"))
    check_baseline(known.baseline)  # codes of readers are not listed anywhere


class TestWhatHasGoneForGood:
    def said(self, *jobs):
        return [
            (one.file, finding.code, finding.element, finding.message)
            for one in gone_from_baselines(jobs)
            for finding in one.findings
        ]

    @pytest.fixture
    def other(self, known, tmp_path):
        """A job of another file with the same baseline."""
        (tmp_path / "other.urdf").write_text("<robot/>")
        return replace(known, file=str(tmp_path / "other.urdf"))

    def test_a_file(self, known, other, tmp_path):
        assert self.said(other) == []  # the first is there, though it was not checked
        (tmp_path / "arm.urdf").rename(tmp_path / "arm-2.urdf")
        message = "3 in the baseline are gone with their file: R199-403 link 'flange', not-understood <odd>"
        expected = [(known.baseline, "baseline-gone", "model 'arm.urdf'", message)]
        assert self.said(other, other) == expected
        assert self.said(replace(other, options=CheckOptions("industrial", ignore=("baseline",)))) == []

    def test_a_variant(self, known, other, tmp_path):
        variants = [replace(known, name=name) for name in ("long", "short")]
        write(known.baseline, *(check_job(replace(job, baseline=None)) for job in variants))
        assert self.said(*variants) == []
        assert self.said(other) == []
        ((_, _, element, message),) = self.said(variants[0])
        assert element == "model 'arm.urdf' (short)"
        assert message.startswith("3 in the baseline are gone with their variant: R199-403")
        (tmp_path / "arm.urdf").unlink()
        ((_, _, element, message),) = self.said(other)  # one remark for both
        assert (element, message[:44]) == ("model 'arm.urdf'", "6 in the baseline are gone with their file: ")

    def test_a_robot_of_the_package_is_there(self, known, other):
        write(known.baseline, check_job(Job("icub", CheckOptions("icub"))))
        assert read_baseline(known.baseline)
        assert self.said(other) == []


@pytest.mark.parametrize("text", ["", " \n", '{\n "kinetree-baseline": 1,\n<<<<<<< HEAD\n', "{sorted}"])
def test_what_may_be_replaced_by_a_baseline(known, tmp_path, text):
    data = json.loads((tmp_path / "known.json").read_text())
    (tmp_path / "new.json").write_text(text.replace("{sorted}", json.dumps(data, sort_keys=True)))
    check_replaceable(str(tmp_path / "new.json"))
    check_replaceable(str(tmp_path / "nowhere.json"))


@pytest.mark.parametrize("text", ["<robot/>", "{}", "[1]", '{"findings": []}', '"kinetree-baseline"', "\xff"])
def test_what_is_no_baseline_is_not_replaced(tmp_path, text):
    (tmp_path / "new.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(kt.KinetreeError, match="is no baseline and not replaced by one; delete it first"):
        check_replaceable(str(tmp_path / "new.json"))


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(kt.KinetreeError, match="cannot be written"):
        write_baseline(str(tmp_path / "nowhere" / "known.json"), [])


def test_one_that_is_read_only_stays(known, monkeypatch):
    before = Path(known.baseline).read_text()
    held = Path(known.baseline).resolve()
    monkeypatch.setattr("os.access", lambda asked, _: asked != held)  # root may write everywhere
    with pytest.raises(kt.KinetreeError, match="error: this file is read-only"):
        write_baseline(known.baseline, [])
    assert Path(known.baseline).read_text() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "pattern", "found"),
    [
        ("ros-industrial+fanuc", "m430*.xacro", 4),
        ("ros-industrial+kuka_experimental", "lbr_iiwa*.xacro", 1),
        ("ros-industrial+motoman", "*.xacro", 30),
    ],
)
def test_real_models_are_quiet_with_their_baseline(tmp_path, where, pattern, found):
    files = sorted(map(str, shared("corpus", where).rglob(pattern)))[:40]
    jobs = [Job(file, CheckOptions("industrial-strict")) for file in files]
    baseline = tmp_path / "known.json"
    assert write(baseline, *map(check_job, jobs)) >= found
    for job in jobs:
        left = check_job(replace(job, baseline=str(baseline)))
        assert all(finding.severity == "error" and finding.code.islower() for finding in left.findings)

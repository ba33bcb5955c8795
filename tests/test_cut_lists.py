"""Lists of names in messages: all of as many as are shown, and of one more the first and how many there are besides."""

from collections import Counter

import pytest

from kinetree.checker import after_error, baseline, pool
from kinetree.checker.job import Job
from kinetree.cli._findings import SHOWN, print_findings
from kinetree.confine import Confinement, refusal
from kinetree.display import listed, some
from kinetree.errors import Finding, Findings, KinetreeError, Source, nearest_names
from kinetree.labels import _some
from kinetree.rules import rule
from kinetree.rules.icub import page
from kinetree.rules.options import CheckOptions
from kinetree.rules.srdf import states


def names(count):
    return [f"{'abcdefghijklmnopqrstuvwxyz'[i]}{i}" for i in range(count)]


def plain(shown):
    return ", ".join(names(shown))


def quoted(shown):
    return ", ".join(map(repr, names(shown)))


def gone(named):
    return baseline._remark(Counter({("m", "", "", name, "", ""): 1 for name in named}), "b.toml", ("m", "")).message


LISTS = {
    "confined folders": (
        4,
        lambda named: refusal("'x'", "/x", Confinement([f"/{n}" for n in named])).findings[0].message,
        lambda shown, more: (
            "'x', which is /x, lies outside of the workspace; read are files in "
            f"{', '.join(f'/{n}' for n in names(shown))}{more} and in packages"
        ),
    ),
    "known names": (
        12,
        lambda named: nearest_names("?", named),
        lambda shown, more: f"there are {quoted(shown)}{more}",
    ),
    "names": (3, listed, lambda shown, more: plain(shown) + more),
    "labels": (8, _some, lambda shown, more: quoted(shown) + more),
    "what is gone": (
        3,
        gone,
        lambda shown, more: f"{shown + bool(more)} in the baseline are gone: {plain(shown)}{more}",
    ),
    "others": (8, rule.others, lambda shown, more: f" (also {quoted(shown)}{more})"),
    "of a page": (
        12,
        lambda named: page.listed(named, "joint", "joints"),
        lambda shown, more: f"{shown + bool(more)} joints: {plain(shown)}{more}",
    ),
    "pairs": (states.MOST, states._listed, lambda shown, more: quoted(shown) + more),
    "what is not asked": (
        after_error.MOST,
        after_error._listed,
        lambda shown, more: f"{plain(shown)}{more}" if more else f"{plain(shown - 1)} and {names(shown)[-1]}",
    ),
}


@pytest.mark.parametrize("what", LISTS)
def test_a_list_is_cut_after_so_many(what):
    most, function, expected = LISTS[what]
    assert function(names(most)) == expected(most, "")
    assert function(names(most + 1)) == expected(most, " and 1 more")


def test_short_lists():
    assert [nearest_names("?", names(n)) for n in range(3)] == [
        "there are none",
        "there is only 'a0'",
        "there are 'a0', 'b1'",
    ]
    assert [rule.others(names(n)) for n in range(2)] == ["", " (also 'a0')"]
    assert page.listed(names(1), "joint", "joints") == "1 joint: a0"
    assert [after_error._listed(names(n)) for n in (1, 2)] == ["a0", "a0 and b1"]
    assert listed(["b", "a", "b"]) == "b, a"
    assert states._listed(["'a' and 'b'", "c"]) == "'a' and 'b', 'c'"
    assert some(["ab", "cd"], 6) == "ab, cd"
    assert [some(["ab", "cd", "ef"], most) for most in (8, 9)] == ["ab, … 3 in all", "ab, cd, … 3 in all"]
    assert some(["abcdef", "x"], 4) == "abc…, … 2 in all"


def test_findings_are_cut_after_so_many(capsys):
    def kinds(count):
        return [Finding(f"c{i}", "error", f"message {chr(97 + i)}") for i in range(count)]

    print_findings(kinds(SHOWN))
    assert "more" not in capsys.readouterr().err
    print_findings([*kinds(SHOWN + 2), kinds(SHOWN + 1)[-1]])
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[-1]) == (SHOWN + 1, "and 3 more (--json gives them all)")
    print_findings(kinds(SHOWN + 2), everything=True)
    assert len(capsys.readouterr().err.splitlines()) == SHOWN + 2
    for count, shown, more in ((9, 9, []), (10, 8, ["  and 2 more"]), (11, 8, ["  and 3 more"])):
        lines = repr(Findings(kinds(count))).splitlines()
        assert (lines[0], len(lines) - 1 - len(more)) == (f"{count} findings: {count} errors", shown)
        assert lines[1 + shown :] == more
    like = [Finding("c", "error", "is wrong", Source("a.urdf", i), f"joint 'j{i}'") for i in range(2)]
    assert str(KinetreeError(like)).splitlines()[-1] == "(all in .findings)"
    assert str(KinetreeError([*like, *kinds(2)])).splitlines()[-1] == "(2 more in .findings)"
    assert str(KinetreeError(like[:1])) == str(like[0])


def test_small_files_are_checked_in_this_process(tmp_path):
    """Up to 300 kB together, and no xacro."""
    options = CheckOptions("ros")
    for sizes, name, expected in (
        ((pool.SMALL,), "a.urdf", False),
        ((pool.SMALL + 1,), "a.urdf", True),
        ((pool.SMALL - 10, 10), "a.urdf", False),
        ((pool.SMALL - 10, 11), "a.urdf", True),
        ((1,), "a.urdf.xacro", True),
    ):
        jobs = []
        for i, size in enumerate(sizes):
            (tmp_path / f"{i}{name}").write_bytes(b" " * size)
            jobs.append(Job(str(tmp_path / f"{i}{name}"), options))
        assert pool.needs_children(jobs) is expected, (sizes, name)

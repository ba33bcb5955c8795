"""The mutation run, on a package of a few lines; see docs/explanation/testing.md."""

import subprocess
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

import mutants
from each import each
from mutation.draw import added, draw, equivalent, sources
from mutation.judge import SURVIVED, Settings
from mutation.nearest import Measured, measured
from mutation.operators import apply, changes
from mutation.together import together
from mutation.trial import run, set_up

ROOT = Path(__file__).resolve().parents[1]

TOY = '''"""A package."""


def inside(x: float) -> bool:
    """Whether a number is at most 1."""
    return x <= 1.0


def untested() -> int:
    return 5
'''
TESTS = """import toy


def test_inside():
    assert toy.inside(0.9) and toy.inside(1.0) and not toy.inside(1.4)


def test_nothing():
    toy.untested()
"""


def become(text):
    found = (apply(text.encode(), change) for change in changes(text.encode()))
    return {new.decode() for new in found if new is not None}


@each(
    "text, faults",
    [
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = a is not b", {"x = a is b"}),
        ("x = (a) - (b)", {"x = (a) + (b)"}),
        ("x = a and b or c", {"x = a or b or c", "x = a and b and c"}),
        ("x = c or not (a and b)", {"x = c and not (a and b)", "x = c or not (a or b)", "x = c or (a and b)"}),
        ("x = not a", {"x = a"}),
        ("x = -a", {"x = a"}),
        ("x = 3", {"x = 4", "x = 2"}),
        ("x = 0.5", {"x = 0.25", "x = 1.5"}),
        ("x = True", {"x = False"}),
        ("x = 'word'", {'x = ""'}),
        ("if a: b()", {"if True: b()", "if False: b()", "if a: pass"}),
        ("while a: b += c", {"while False: b += c", "while a: b -= c", "while a: pass"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if True]", "x = [a for a in b if False]"}),
        ("def f(): return a", {"def f(): return None"}),
        ("def f(): return a or b", {f"def f(): return {x}" for x in ("None", "not (a or b)", "a and b")}),
        ("def f(): yield a", {"def f(): yield from ()"}),
        ("def f(): raise E('word', 1)", {"def f(): pass"}),
        ("a.b = c", {"pass"}),
        ("x = f(a, key=b)", {"x = f(a)"}),
        ("x = f(key=b, other=c)", {"x = f(other=c)", "x = f(key=b)"}),
        ("x = max(a, b)", {"x = min(a, b)"}),
        ("x = sorted(a, key=b)", {"x = list(a)", "x = sorted(a)"}),
        ("x = a[b:c]", {"x = a[:c]", "x = a[b:]"}),
        ("x = 'é', a + b", {'x = "", a + b', "x = 'é', a - b"}),
    ],
)
def test_faults(text, faults):
    assert become(text) == faults


@each(
    "text",
    [
        '"""Documentation."""',
        "x: Literal['a'] = y",
        "def f(a: 'int') -> 'A | B': ...",
        "X = Literal['a', 'b']",
        "X = A | B",
        "import a",
        "from a import b",
        "__all__ = ['a']",
        "x = f'the {a + 1}' 'of'",
        "x = 'a text of several words'",
        "assert a > 1, 'word'",
        "warnings.warn('word', stacklevel=2)",
        "if TYPE_CHECKING:\n    x = 1",
        "x = zip(a, strict=True)",
    ],
)
def test_what_is_no_fault(text):
    assert become(text) == set()


@pytest.mark.slow
def test_the_lot_is_the_same_for_a_seed_and_takes_a_line_once():
    files = sources(ROOT, ["spatial/euler"])
    places = [(mutant.file, mutant.line, mutant.diff) for mutant in islice(draw(files, 1), 9)]
    assert places == [(mutant.file, mutant.line, mutant.diff) for mutant in islice(draw(files, 1), 9)]
    assert places != [(mutant.file, mutant.line, mutant.diff) for mutant in islice(draw(files, 2), 9)]
    assert len({place[:2] for place in places}) == 9


def test_by_file_every_file_is_drawn_before_one_is_drawn_again():
    files = {"src/a/long.py": b"x = 1\n" * 50, "src/a/b/short.py": b"x = 1\n" * 2, "src/a/empty.py": b""}
    drawn = list(draw(files, 1, "file"))
    assert {mutant.file for mutant in drawn[:2]} == {mutant.file for mutant in drawn[2:4]}
    assert Counter(mutant.package for mutant in drawn) == {"a": 50, "b": 2}


def test_only_lines_that_a_change_adds(tmp_path):
    def git(*command):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)

    path = tmp_path / "src" / "a.py"
    path.parent.mkdir()
    path.write_text("x = 1\ny = 2\nz = 3\n")
    git("init", "-q")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "a")
    path.write_text("x = 1\nw = 4\ny = 5\nz = 3\nv = 6\n")
    lines = added(tmp_path, "HEAD")
    assert lines == {"src/a.py": {2, 3, 5}}
    assert {mutant.line for mutant in draw(sources(tmp_path), 1, only=lines)} == {2, 3, 5}
    assert not list(draw(sources(tmp_path), 1, only={}))


def test_what_is_excused_is_still_there():
    for (file, diff), reason in equivalent().items():
        assert reason
        lines = {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
        assert {line[2:] for line in diff if line.startswith("- ")} <= lines, file


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of the package, in which pytest starts fast."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "checkout"
    for path, text in {"src/toy/__init__.py": TOY, "tests/test_toy.py": TESTS, "pytest.ini": "[pytest]\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_run_prints_the_survivors_and_leaves_the_checkout_alone(checkout, capsys):
    before = contents(checkout)
    assert mutants.main(["--root", str(checkout), "--draw", "2", "--at-least", "60"]) == 1
    table, survivors = capsys.readouterr().out.split("survivors:\n")
    assert "src/toy/__init__.py:6" in table
    assert "tests/test_toy.py::test_inside" in table
    assert "toy                    2         1       0       0         1\n" in table
    assert "killed: 50.0 %" in table
    assert survivors.startswith("src/toy/__init__.py:10 (")
    assert "\n  - return 5\n  + return " in survivors
    assert contents(checkout) == before


@pytest.mark.slow
@pytest.mark.nightly
def test_several_are_tried_at_once_and_each_that_is_noticed_is_named(checkout, tmp_path):
    (checkout / "src/toy/more.py").write_text("def more():\n    return 7\n\n\ndef less():\n    return -7\n")
    (checkout / "tests/test_more.py").write_text(
        "from toy import more\n\ndef test_more():\n    assert more.more() == 7\n"
    )
    lines = {"src/toy/__init__.py": {6, 10}, "src/toy/more.py": {2, 6}}
    lot = list(draw(sources(checkout), 1, only=lines))
    place = set_up(checkout, tmp_path / "work")
    known = Measured({}, frozenset(), tmp_path)
    verdicts = {(v.mutant.file, v.mutant.line): v for v in together(lot, "quick", place, known, Settings(), 1)}
    assert {place: verdict.by for place, verdict in verdicts.items()} == {
        ("src/toy/__init__.py", 6): "quick",
        ("src/toy/__init__.py", 10): SURVIVED,
        ("src/toy/more.py", 2): "quick",
        ("src/toy/more.py", 6): SURVIVED,
    }
    assert verdicts["src/toy/__init__.py", 6].reason == "tests/test_toy.py::test_inside"
    assert verdicts["src/toy/more.py", 2].reason == "tests/test_more.py::test_more"


@pytest.mark.slow
def test_tests_that_fail_once_take_part_and_what_is_built_is_there(checkout, tmp_path):
    (checkout / "src/toy/viewing/bundle").mkdir(parents=True)
    (checkout / "src/toy/viewing/bundle/viewer.js").write_text("1")
    (checkout / ".gitignore").write_text("*.js")
    subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)
    (checkout / "tests/test_more.py").write_text(
        "import os\n\ndef test_never():\n    assert False\n\n"
        "def test_once():\n    assert os.path.exists('there') or os.mkdir('there')\n"
    )
    place = set_up(checkout, tmp_path / "work")
    assert (place.copy / "src/toy/viewing/bundle/viewer.js").read_text() == "1"
    assert measured(place).failing == {"tests/test_more.py::test_never"}


@pytest.mark.slow
def test_what_takes_too_long_is_ended_and_counts_as_noticed(checkout, tmp_path):
    place = set_up(checkout, tmp_path / "work")
    done = run(place, ["-c", "print('started', flush=True); import time; time.sleep(60)"], limit=1.0)
    assert (done.output, done.passed, done.reason) == ("started\n", False, "out of time")

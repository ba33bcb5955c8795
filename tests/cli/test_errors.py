"""What is wrong goes to the standard error stream, without a traceback, all at once; the exit status says so."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from kinetree.checker.report.pretty import pretty
from kinetree.cli._findings import print_findings
from kinetree.errors import Finding, Source, address
from support import unstyled

SOURCES = Path(__file__).resolve().parents[2] / "src"
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
BROKEN = (
    '<robot name="r"><link name="a"/>\n'
    + "".join(f'<joint name="j{i}" type="bent"><parent link="a"/><child link="a"/></joint>\n' for i in range(30))
    + "</robot>"
)


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text(BROKEN)
    return path


def test_many_findings_are_counted(run, broken):
    result = run("inspect", broken)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("[joint-type]") == 1
    assert f"{broken}:2:24: error: joint 'j0': type='bent' is not legal" in result.stderr
    assert result.stderr.splitlines()[-2:] == [
        "    29 findings like it: joint 'j1' (line 3), joint 'j2' (line 4), joint 'j3' (line 5) and 26 more",
        "More about joint-type: https://kinetree.github.io/kinetree/latest/e/joint-type",
    ]


def test_many_causes_are_counted(capsys):
    findings = [Finding("code", "error", f"fault {'x' * (3 + i)}", None, None) for i in range(30)]
    print_findings([*findings, *findings])
    told = capsys.readouterr().err.splitlines()
    assert told[::2] == [f"error: {one.message} [code]" for one in findings[:20]] + [
        "and 20 more (--json gives them all)"
    ]
    assert {*told[1::2]} == {"    1 finding like it: robot"}
    print_findings(findings, everything=True)
    assert len(capsys.readouterr().err.splitlines()) == 30


def test_json_gives_all_findings(run, broken):
    result = run("inspect", broken, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    findings = json.loads(result.stderr)["findings"]
    assert [finding["element"] for finding in findings] == [f"joint 'j{i}'" for i in range(30)]
    assert findings[0]["source"] == {"file": str(broken), "line": 2, "column": 24}
    assert {*findings[0]} == {"code", "severity", "message", "source", "element", "fix", "excerpt", "url"}
    assert findings[0]["url"] == address("joint-type")


@pytest.mark.parametrize("command", ["inspect", "convert", "fk"])
def test_a_model_that_is_not_there(run, tmp_path, command):
    more = {"inspect": [], "convert": [tmp_path / "out.urdf"], "fk": ["a"]}[command]
    for model, said in ((tmp_path / "no.urdf", "No such file"), (tmp_path, "cannot be read"), ("nosuch", "nosuch")):
        result = run(command, model, *more)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert said in result.stderr


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("can't start new thread"), OSError(12, "Cannot allocate memory")]
)
def test_too_little_memory(run, mixed, monkeypatch, error):
    def load(*_, **__):
        raise error

    monkeypatch.setattr("kinetree.cli._model.load", load)
    result = run("inspect", mixed)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "there is not enough memory for this\n")


def test_wrong_use(run, mixed):
    for arguments in ([], ["bogus"], ["inspect"], ["inspect", mixed, "--bogus"], ["inspect", mixed, "--format", "x"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "Usage: kinetree" in result.stderr + result.stdout
    for pair in ("name", "=value"):
        assert "is not of the form NAME=VALUE" in run("inspect", mixed, "--arg", pair).stderr
    assert run("--help").exit_code == run("inspect", "--help").exit_code == 0


def test_a_finding_is_wrapped_for_a_terminal_and_its_underlining_stays():
    excerpt = "<joint name='j' type='bent' and='many' more='attributes' here='to' fill='the line'>\n       ~~~^"
    finding = Finding("code", "error", "word " * 30, Source("a.urdf", 3, 4), "joint 'j'", "correct it", excerpt)
    lines = pretty(finding, 50).splitlines()
    plain = [unstyled(line) for line in lines]
    assert max(map(len, plain)) <= 50
    assert plain[0].startswith("a.urdf:3:4: error: joint 'j': word word")
    assert plain[-2] == "           ~~~^"
    assert plain[-3] == "    " + excerpt[:46]
    assert plain[-1] == "    fix: correct it"
    assert "\x1b[31m" in lines[0]
    assert plain[-4] == "    [code]"
    assert lines[-4].endswith(f" \x1b]8;;{finding.url}\x1b\\[code]\x1b]8;;\x1b\\")
    far = replace(finding, excerpt=excerpt.replace(" ~~~^", " " * 40 + "~~~^"))  # under the word "more"
    line, marks = pretty(far, 50).splitlines()[-3:-1]
    assert line[marks.index("~")] == excerpt[46]
    assert line[marks.index("~") - 8 :].startswith(excerpt[38:60])


# as a process of its own


@pytest.mark.slow
def test_plain_in_a_pipe(process, mixed):
    for environment in ({}, {"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "200", "TERM": "xterm-256color"}):
        out, err = process("inspect", mixed, env=environment).communicate(timeout=60)
        text = out.decode("ascii")
        assert text.startswith("Robot mixed")
        assert "\x1b" not in text
        assert err == b""


@pytest.mark.slow
def test_other_letters_in_ascii(process, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text("<robot name='n…é'><link name='a'/></robot>", encoding="utf-8")
    run = process("inspect", path, env={"PYTHONIOENCODING": "ascii"})
    assert run.communicate(timeout=60)[0].startswith(b"Robot n...\\xe9")
    assert run.returncode == 0
    run = process("inspect", path, env={"PYTHONIOENCODING": "utf-8"})
    assert run.communicate(timeout=60)[0].decode().startswith("Robot n…é")


def test_an_error_is_no_traceback(process, broken):
    run = process("inspect", broken)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 2
    assert out == b""
    assert b"Traceback" not in err
    assert b"[joint-type]" in err
    assert b"\x1b" not in err


@posix
@pytest.mark.slow
def test_a_reader_that_goes_away(process, tmp_path):
    path = tmp_path / "big.urdf"  # more output than a pipe holds
    path.write_text("<robot name='r'><link name='a'/>" + "<odd/>" * 3000 + "</robot>")
    run = process("inspect", path, "--json")
    assert run.stdout.read(10) == b'{"schema":'
    run.stdout.close()
    assert run.wait(timeout=60) == 141
    assert run.stderr.read() == b""
    run.stderr.close()


def is_interrupted(run):
    out, err = run.communicate(timeout=60)
    return (run.returncode, out, err) == (130, b"", b"interrupted\n")


@posix
def test_interrupted_at_work(process, interruptible):
    run = process("inspect", "/dev/stdin", "--format", "urdf", stdin=subprocess.PIPE)
    run.stdin.write(b"<robot" + b" " * 2**20)  # more than a pipe holds: all is written once the command reads
    run.stdin.flush()
    run.send_signal(signal.SIGINT)
    assert is_interrupted(run)


STOPPED = """
import builtins, os, signal, sys
usual, wanted = builtins.__import__, [sys.argv.pop()]
def stopping(name, *rest):
    if wanted == [name]:
        wanted.pop()
        signal.raise_signal(signal.SIGINT)
    return usual(name, *rest)
builtins.__import__ = stopping
sys.argv[0] = "/usr/bin/kinetree"
from kinetree.cli import main
main()
"""


@posix
@pytest.mark.parametrize("module", ["numpy", "click", "kinetree.cli._exit", "scipy.optimize"])
@pytest.mark.slow
def test_interrupted_while_it_starts(module, interruptible):
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", STOPPED, "limits" if "scipy" in module else "inspect", "icub", module]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert is_interrupted(run)


def test_a_program_that_imports_the_package_keeps_its_handlers(process):
    program = "import signal; before = signal.getsignal(2); import kinetree; print(signal.getsignal(2) is before)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "True\n"


@posix
@pytest.mark.parametrize(
    ("arguments", "redirection", "status"),
    [
        ("inspect mixed.urdf", "2>&-", 0),
        ("inspect broken.urdf", "2>/dev/full", 2),
        ("--help", ">/dev/full", 74),
        pytest.param("inspect broken.urdf", "2>&-", 2, marks=pytest.mark.slow),
        pytest.param("nothing", "2>/dev/full", 2, marks=pytest.mark.slow),
        pytest.param("inspect mixed.urdf", "<&- 2>/dev/full", 0, marks=pytest.mark.slow),
        pytest.param("check mixed.urdf", "<&- 2>&-", 1, marks=pytest.mark.slow),
        pytest.param("check mixed.urdf", ">/dev/full 2>/dev/full", 74, marks=pytest.mark.slow),
        pytest.param("inspect mixed.urdf", ">&- 2>&-", 74, marks=pytest.mark.slow),
        pytest.param("inspect --help", ">/dev/full", 74, marks=pytest.mark.slow),
        pytest.param("--version", ">/dev/full", 74, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
@pytest.mark.sampled
def test_streams_that_are_closed_or_full(arguments, redirection, status, mixed, broken):
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("no full disk to write to")
    command = f"{sys.executable} -m kinetree {arguments} {redirection}"
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    run = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=mixed.parent, env=environment)
    assert run.returncode == status
    assert "Traceback" not in run.stdout + run.stderr
    assert bool(run.stdout) is (status in (0, 1))


@posix
@pytest.mark.slow
def test_a_note_to_a_closed_stream_does_not_end_in_a_file(arm):
    command = f"{sys.executable} -m kinetree convert arm.urdf out.sdf 2>&-"
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    assert subprocess.run(command, shell=True, cwd=arm.parent, env=environment).returncode == 0
    assert "wrote" not in (arm.parent / "out.sdf").read_text()


def test_the_module_is_the_command(process):
    out, _ = process("--version").communicate(timeout=60)
    assert out.decode().startswith("kinetree, version ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
@pytest.mark.slow
def test_an_output_that_cannot_be_written_is_no_traceback():
    program = f"{sys.executable} -m kinetree inspect icub"
    for redirection in ("> /dev/full", ">&-"):
        run = subprocess.run(f"{program} {redirection}", shell=True, capture_output=True, text=True)
        assert run.returncode == 74
        assert run.stderr.startswith("the output cannot be written")
        assert "Traceback" not in run.stderr


def test_errors_in_a_part_that_is_left_out_do_not_count(run, tmp_path):
    """Commands that load take --without; one that writes leaves the part out of both."""
    file = tmp_path / "r.urdf"
    file.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="x"/></inertial></link><link name="b"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    )
    assert run("fk", file, "b").exit_code == 2
    assert run("fk", file, "b", "--without", "inertial").exit_code == 0
    assert run("convert", file, tmp_path / "r.sdf").exit_code == 2
    assert run("convert", file, tmp_path / "r.sdf", "--without", "inertial").exit_code == 0


def test_a_server_without_its_library_says_what_to_install(run, monkeypatch):
    served = []
    server = SimpleNamespace(serve=lambda: served.append("once"))
    monkeypatch.setitem(sys.modules, "kinetree.lsp.server", server)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    result = run("lsp")
    assert (result.exit_code, served) == (2, [])
    assert result.stderr == (
        "error: a language server needs pygls 2 [lsp]\n    fix: pip install 'kinetree[lsp]'\n"
        "More about lsp: https://kinetree.github.io/kinetree/latest/e/lsp\n"
    )
    for name in ("pygls", "pygls.lsp", "pygls.lsp.server"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    result = run("lsp")
    assert (result.exit_code, result.stdout, result.stderr, served) == (0, "", "", ["once"])


def test_wrong_options_of_a_repair_come_before_the_file(run, tmp_path):
    """Nothing is read."""
    for options, said in (
        (("--flange", "1 2"), "flange is given as '1 2': 2 words, expected 6; expected a pose X Y Z R P Y"),
        (("--base", "0 0 0 0 0 x"), "base is given as '0 0 0 0 0 x': 'x' is not a number; expected a pose"),
        (("--tool0", "a=x", "--tool0", "a=y"), "tool0 is given twice for the prefix 'a'; expected a pose"),
    ):
        result = run("fix", tmp_path / "nothing.urdf", *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: {said}"), result.stderr
        assert result.stderr.count("error") == 1

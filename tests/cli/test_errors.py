"""What is wrong goes to the standard error stream, without a traceback, all at once; the exit status says so."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kinetree.conventions.report.pretty import pretty
from kinetree.errors import Finding, Source

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
    assert result.stderr.count("[joint-type]") == 20
    assert f"{broken}:2:24: error: joint 'j0': type='bent' is not legal" in result.stderr
    assert result.stderr.splitlines()[-1] == "and 10 more (--json gives them all)"


def test_json_gives_all_findings(run, broken):
    result = run("inspect", broken, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    findings = json.loads(result.stderr)["findings"]
    assert [finding["element"] for finding in findings] == [f"joint 'j{i}'" for i in range(30)]
    assert findings[0]["source"] == {"file": str(broken), "line": 2, "column": 24}
    assert {*findings[0]} == {"code", "severity", "message", "source", "element", "fix", "excerpt"}


@pytest.mark.parametrize("command", ["inspect", "convert", "fk"])
def test_a_model_that_is_not_there(run, tmp_path, command):
    more = {"inspect": [], "convert": [tmp_path / "out.urdf"], "fk": ["a"]}[command]
    for model, said in ((tmp_path / "no.urdf", "No such file"), (tmp_path, "cannot be read"), ("nosuch", "nosuch")):
        result = run(command, model, *more)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert said in result.stderr


def test_wrong_use(run, mixed):
    for arguments in ([], ["bogus"], ["inspect"], ["inspect", mixed, "--bogus"], ["inspect", mixed, "--format", "x"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "Usage: kinetree" in result.stderr + result.stdout
    for pair in ("name", "=value"):
        assert "is not of the form name=value" in run("inspect", mixed, "--arg", pair).stderr
    assert run("--help").exit_code == run("inspect", "--help").exit_code == 0


def test_every_command_explains_itself(run):
    lines = run("--help").stdout.split("Commands:")[1].strip().splitlines()
    assert {"convert", "fk", "inspect"} <= {line.split()[0] for line in lines}
    for line in lines:
        name, help = line.split(maxsplit=1)
        assert help
        assert run(name, "--help").exit_code == 0


def test_a_finding_is_wrapped_for_a_terminal_and_its_underlining_stays():
    excerpt = "<joint name='j' type='bent' and='many' more='attributes' here='to' fill='the line'>\n       ~~~^"
    finding = Finding("code", "error", "word " * 30, Source("a.urdf", 3, 4), "joint 'j'", "mend it", excerpt)
    lines = pretty(finding, 50).splitlines()
    plain = [line.replace("\x1b[31m\x1b[1m", "").replace("\x1b[0m", "") for line in lines]
    assert max(map(len, plain)) <= 50
    assert plain[0].startswith("a.urdf:3:4: error: joint 'j': word word")
    assert plain[-2] == "           ~~~^"
    assert plain[-3] == "    " + excerpt[:46]
    assert plain[-1] == "    fix: mend it"
    assert "\x1b[31m" in lines[0]
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
def test_a_reader_that_goes_away(process, tmp_path):
    path = tmp_path / "big.urdf"  # more output than a pipe holds
    path.write_text("<robot name='r'><link name='a'/>" + "<odd/>" * 3000 + "</robot>")
    run = process("inspect", path, "--json")
    assert run.stdout.read(10) == b'{"schema":'
    run.stdout.close()
    assert run.wait(timeout=60) == 141
    assert run.stderr.read() == b""
    run.stderr.close()


@posix
def test_interrupted(process, tmp_path):
    path = tmp_path / "pipe.urdf"
    os.mkfifo(path)
    # a test run that was started in the background ignores the signal, and so would the command
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = process("inspect", path)
    signal.signal(signal.SIGINT, before)
    with path.open("wb"):  # opens once the command reads
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert out == b""
    assert err == b"interrupted\n"


def test_the_module_is_the_command(process):
    out, _ = process("--version").communicate(timeout=60)
    assert out.decode().startswith("kinetree, version ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_an_output_that_cannot_be_written_is_no_traceback():
    program = f"{sys.executable} -m kinetree inspect icub"
    for redirection in ("> /dev/full", ">&-"):
        run = subprocess.run(f"{program} {redirection}", shell=True, capture_output=True, text=True)
        assert run.returncode == 74
        assert run.stderr.startswith("the output cannot be written")
        assert "Traceback" not in run.stderr

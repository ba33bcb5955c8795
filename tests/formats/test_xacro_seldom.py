"""xacro: arguments that are asked for in expressions, chains and powers without end, values that no file can have."""

from __future__ import annotations

import os

import pytest

import kinetree as kt
from each import each
from kinetree.formats.xacro import files
from kinetree.formats.xacro.budget import Budget
from kinetree.formats.xacro.expressions import evaluate
from kinetree.formats.xacro.package import private_copy

NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def links(body: str, **options) -> list[str]:
    return [*kt.load(f'<robot name="r" {NS}>\n{body}\n</robot>', format="xacro", **options).links]


def refusal(body: str) -> kt.Finding:
    with pytest.raises(kt.KinetreeError) as caught:
        links(body)
    (finding,) = caught.value.findings
    return finding


@each("text", ["$(arg x)", "${xacro.arg('x')}"])
def test_an_argument_without_a_value_is_named_wherever_it_is_asked_for(text):
    found = refusal(f'<link name="a{text}"/>')
    assert found.code == "xacro-argument"
    assert found.message.startswith("the argument 'x' needs a value")
    assert found.fix == "pass args={'x': …}, or to the command --arg x=…"
    assert links(f'<link name="a{text}"/>', args={"x": "1"}) == ["a1"]
    assert links(f'<xacro:arg name="x" default="2"/><link name="a{text}"/>') == ["a2"]


def test_the_folder_of_the_process_is_a_value(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert links('<link name="$(cwd)/a"/>') == [f"{os.getcwd()}/a"]


@each(
    "character, legal",
    [(r"\ud800", False), (r"\udbff", False), (r"\udfff", False), (r"\ud7ff", True), (r"\ue000", True)],
)
def test_half_a_character_is_no_value(character, legal):
    text = f"""<link name="${{'{character}'}}"/>"""
    if legal:
        assert links(text) == [character.encode().decode("unicode_escape")]
        return
    found = refusal(text)
    message = "a value contains half a character (a surrogate), which no file can have"
    assert (found.code, found.message, found.source.line) == ("xacro-expression", message, 2)


@each(
    "text, message",
    [
        ("2 ** 4095", ""),
        ("-2 ** 4094", ""),
        ("2 ** 4096", "a number"),
        ("2 ** 4097", "2 ** 4097 is a number"),
        ("7 ** 7 ** 7", "7 ** 823543 is a number"),
    ],
)
def test_a_power_of_too_many_bits_is_refused(text, message):
    try:
        value = evaluate(text, dict[str, object]().__getitem__, Budget())
    except kt.KinetreeError as error:
        (found,) = error.findings
        assert (found.code, found.message) == ("xacro-size", f"{message} of more than 4096 bits")
    else:
        assert message == ""
        assert abs(value) == 2 ** (4095 if text.startswith("2") else 4094)


@each("value", [object, b"1", object()])
def test_a_name_of_something_else_than_a_value_is_refused(value):
    with pytest.raises(kt.KinetreeError) as caught:
        evaluate("x", {"x": value}.__getitem__, Budget())
    (found,) = caught.value.findings
    kind = type(value).__name__
    message = f"'x' is {kind}, which is not a value of an expression"
    assert (found.code, found.message) == ("xacro-expression", message)


@each("length, ends", [(20, True), (400, False)])
def test_properties_that_lead_to_each_other(length, ends):
    chain = "".join(f'<xacro:property name="a{i}" value="${{a{i + 1}}}"/>' for i in range(length))
    body = f'{chain}<xacro:property name="a{length}" value="x"/><link name="${{a0}}"/>'
    if ends:
        assert links(body) == ["x"]
    else:
        found = refusal(body)
        message = "goes on without end, or is nested too deep to expand"
        assert (found.code, found.message) == ("xacro-recursion", message)


def test_the_last_yaml_files_are_remembered(monkeypatch):
    read = []
    real = files._read

    def counted(content, *rest):
        read.append(content)
        return real(content, *rest)

    monkeypatch.setattr(files, "_read", counted)
    monkeypatch.setattr(files, "_KEPT", type(files._KEPT)())
    monkeypatch.setattr(files, "REMEMBERED", 2)
    for name in "abcbca":
        data = files.read_yaml(f"{name}: [1]".encode(), "x.yaml", (), Budget())
        assert data == {name: [1]}
        data[name].append(2)  # of a copy
    assert read == [b"a: [1]", b"b: [1]", b"c: [1]", b"a: [1]"]
    assert len(files._KEPT) == 2


def test_a_copy_of_the_package_can_run_and_open_nothing():
    made = private_copy("xacro")
    left = made.__dict__["__builtins__"]
    assert not {"eval", "exec", "compile", "open", "input", "breakpoint", "__import__"} & {*left}
    assert left["len"] is len
    assert made is not private_copy("xacro")

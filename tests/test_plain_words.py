"""No message about a file has words of Python's inside: each kind of wrong value, in each reader of values."""

import json
import re

import pytest

import kinetree as kt
from each import each
from kinetree.syntax.plain_words import plain_words

INSIDE = re.compile(
    r"(?<!JSON )\bobject\b|NoneType|__\w+__|<class|<locals>|instances of|unhashable|codec|positional|'(int|str|list)'"
)
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="${{{}}}"/></robot>'


def message_of(text, format):
    with pytest.raises(kt.KinetreeError) as error:
        kt.load(text, format=format)
    assert not INSIDE.search(str(error.value)), str(error.value)
    return error.value.findings[0].message


@each(
    "expression, expected",
    [
        ("'a'+1", "+ of a text and an integer has no meaning"),
        ("1+[2]", "+ of an integer and a list has no meaning"),
        ("2**'a'", "** of an integer and a text has no meaning"),
        ("-'a'", "- of a text has no meaning"),
        ("'a' &lt; 1", "a text and an integer cannot be compared by <"),
        ("[1].shift()", "a list has no 'shift' in an expression; expected append, clear,"),
        ("5[0]", "an integer has no items to be read with [ ]"),
        ("5()", "an integer is not a function"),
        ("len(3)", "an integer has no length"),
        ("[1,2]['a']", "items of a list have numbers, which a text is not"),
        ("range('a')", "expected an integer, not a text"),
        ("sin('a')", "expected a number, not a text"),
        ("round('x')", "round() does not take a text"),
        ("int([])", "int() does not take a list"),
        ("list(3)", "expected several values, not an integer"),
        ("[x for x, y in [1]]", "expected several values, not an integer"),
        ("'a'.split(3)", "expected a text, not an integer"),
        ("', '.join([1])", "expected texts, not an integer"),
        ("[1][5]", "there are not so many items"),
        ("dict(a=1)['b']", "there is no 'b'"),
        ("1/0", "division by zero"),
        ("sqrt(-1)", "the function has no such value"),
        ("int('x')", "'x' is not an integer"),
        ("float('a b')", "'a b' is not a number"),
        ("int(1e400)", "infinity is not an integer"),
        ("2.0**10000", "the number is too large"),
        ("xacro.load_yaml()", "it needs 'filename'"),
        ("(", "'(' was never closed"),
        ("'a", "a text without its closing quote"),
    ],
)
def test_expressions(expression, expected):
    assert message_of(XACRO.format("", expression), "xacro").startswith(expected)


def test_substitutions_and_includes():
    assert "+ of an integer and a list has no meaning" in message_of(XACRO.format("$(eval 1+[])", 1), "xacro")
    wrong = XACRO.format('<xacro:include filename="${3}"/>', 1)
    assert message_of(wrong, "xacro") == "the xacro package fails here: expected the path of a file, not an integer"


@each("data", [["joint_order"], {"joint_order": 3}, {"header": []}, {"header": {"a": 3}}, {"name": []}, {"x": None}, 3])
@each("of", ["robot", "link", "joint", "frame", "group", "sensor", "loop"])
def test_carried_records(of, data):
    record = f'<kinetree_carried of="{of}" name="l">{json.dumps(data)}</kinetree_carried>'
    notes = kt.load(f'<robot name="r"><link name="l"/>{record}</robot>', format="urdf").notes
    assert [note.message for note in notes if INSIDE.search(note.message)] == []


@each("key", ["name", "convention", "units", "base", "gravity", "limits", "joint"])
@each("value", ["3", '"x"', "[1]", "[[1]]", "{a = 1}", "true", "nan", "1979-05-27"])
def test_toml(key, value):
    text = f"{key} = {value}\n" + ("" if key == "joint" else "[[joint]]\na = 1\n")
    try:
        notes = kt.load(text, format="dh").notes
    except kt.KinetreeError as error:
        notes = error.findings
    assert not any(INSIDE.search(note.message) for note in notes)


def test_an_encoding_that_is_not_there(tmp_path):
    (tmp_path / "a.urdf").write_bytes(b"\xff\xfe\x80")
    with pytest.raises(kt.KinetreeError, match="cannot be decoded: byte 0x80 at 0 is no text"):
        kt.load(tmp_path / "a.urdf")


def test_other_words_of_python_are_replaced():
    assert plain_words(TypeError("Foo.__bar__() wants NoneType")) == "a value is of a kind that does not fit here"
    assert plain_words(ValueError("3 values for 2 names")) == "3 values for 2 names"

"""The reader of flat OpenUSD text: why and at which line it refuses one, and what values it finds."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.usd.text import TextError, parse

HEAD = "#usda 1.0\n"
A = f'{HEAD}def Xform "a"\n{{\n'


def values_of(lines: str, about: str = "") -> dict[str, object]:
    ((_, _, _, values, *_),) = parse(f'{HEAD}def Xform "a" {about}\n{{\n{lines}\n}}')[1]
    return values


@each(
    "text, line, message",
    [
        ("usda", 1, "it does not begin with #usda 1.0"),
        (f"{A}float x = %%\n}}", 4, "'%%\\n}' is not understood"),
        (f"{A}float x = {'%' * 30}", 4, f"'{'%' * 20}' is not understood"),
        (f'{HEAD}def Xform "a"\n\n=\n', 4, "'=' stands where '{' is expected"),
        (f'{HEAD}def Xform "a" (\nkind "x")\n', 3, "'\"x\"' stands where '=' is expected"),
        (f'{HEAD}def Xform "a" (\nkind {"k" * 50})\n', 3, f"'{'k' * 40}' stands where '=' is expected"),
        (f"{HEAD}Xform\n", 2, "'Xform' stands where a prim is expected"),
        (f"{HEAD}def Xform a\n", 2, "a prim has no name between quotes"),
        (f'{HEAD}def Xform "a b" {{', 2, "'a b' is no name of a prim"),
        (f'{A}}}\ndef "a"\n{{\n}}', 6, "'a' is the name of two prims"),
        (f"{A}float x = 2 kg\n}}", 5, "'}' stands where a property is expected"),
        (f"{A}float x = }}", 4, "'}' stands where a value is expected"),
        (f"{A}float x = [1, e]", 4, "an array has something that is not a number"),
        (f"{A}dictionary x = {{ int b = 1", 4, "a bracket is not closed"),
        (f"{A}rel physics:x = <b>", 4, "a path is relative, or a list is in several pieces"),
        (f"{A}rel physics:x = </b>\nrel physics:x = </c>", 5, "a path is relative, or a list is in several pieces"),
        (f'{HEAD}def "a" (references = @b.usda@)', 2, "references composes it of several parts"),
        (f'{HEAD}def "a" (kind = "x"\nkind = "y")', 3, "kind composes it of several parts"),
        (f"{A}variantSet x", 4, "variantSet composes it of several parts"),
    ],
)
def test_a_text_that_is_not_read_says_why_and_where(text, line, message):
    with pytest.raises(TextError) as error:
        parse(text)
    assert str(error.value) == message
    assert error.value.line == line


B, BC = 'def "b"\n{\n}', 'def "b"\n{\ndef "c"\n{\n}\n}'


@each(
    "limit, enough, message, text",
    [
        ("MAX_BYTES", len(A) + 1, "it has more than {} characters", f"{A}}}"),
        ("MAX_TOKENS", 6, "it has more than {} words, numbers and marks outside of arrays of numbers", f"{A}}}"),
        ("MAX_PRIMS", 2, "there are more than {} prims, or 200 above each other", f"{A}{BC}}}"),
        ("MAX_DEPTH", 2, "there are more than 100000 prims, or {} above each other", f"{A}{BC}}}"),
        ("MAX_DEPTH", 3, "there are more than {} brackets in each other", f'{A}float x = ((("a")))\n}}'),
    ],
)
def test_as_much_is_read_and_no_more(limit, enough, message, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"kinetree.formats.usd.text.{limit}", enough)
        assert parse(text)[1]
        patch.setattr(f"kinetree.formats.usd.text.{limit}", enough - 1)
        with pytest.raises(TextError) as error:
            parse(text)
    assert str(error.value) == message.format(enough - 1)
    assert error.value.wrong == (limit != "MAX_BYTES")


def test_of_a_prim_has_comments_and_names_in_its_metadata():
    about = '(\n"a comment"\ndisplayName = "the a"; kind = "component", active = true\n)'
    ((path, type, schemas, values, targets, title, line),) = parse(f'{HEAD}\ndef "a" {about} {{\nfloat size = 2\n}}')[1]
    assert (path, type, schemas, values, targets, title, line) == ("/a", "", (), {"size": 2}, {}, "the a", 3)


def test_of_a_property_may_have_metadata():
    values = values_of('float radius = 2 (\n"how far"\ndoc = "x"\n); float height = 3 ( kind = "x" )')
    assert values == {"radius": 2, "height": 3}


@each(
    "line, value",
    [
        ("bool physics:x = true", True),
        ("bool physics:x = false", False),
        ('bool physics:x = "true"', True),
        ('uniform bool physics:x = "false"', False),
        ('string physics:x = "true"', "true"),
        ("bool physics:x = 1", 1.0),
        ("token physics:x = some", "some"),
        ("float[] physics:x = []", ()),
        ("token[] physics:x = [None]", ()),
        ("float[] physics:x = [None, 1]", ()),
        ('token[] physics:x = ["a", "b"]', ("a", "b")),
        ("asset physics:x = @a.png@", "a.png"),
        ("string physics:x = 'it\\n'", "it\n"),
        ('string physics:x = """a "b" c"""', 'a "b" c'),
        ("dictionary physics:x = { int a = 1\ndictionary b = { } }", "none"),
        ("float physics:x.timeSamples = { 0: 1, 1: 2 }", "none"),
        ("float other = 3", "none"),
    ],
)
def test_values(line, value):
    found = values_of(f"{line}\nfloat radius = 4")
    assert found.pop("radius") == 4.0
    assert found.get("physics:x", "none") == value
    assert type(found.get("physics:x", "none")) is type(value)


def test_axes_of_an_inertia_come_back():
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/>'
    inertia = '<inertia ixx="1" iyy="1.2" izz="1.3" ixy="0.1" ixz="0.05" iyz="0"/>'
    for where in (origin, ""):
        link = f'<link name="l"><inertial>{where}<mass value="2"/>{inertia}</inertial></link>'
        given = kt.load(f'<robot name="a">{link}</robot>', format="urdf")
        text = kt.text(given, "usd")
        assert ("inertiaAxes" in text) == bool(where)
        ours, back = (robot.links["l"].inertial for robot in (given, kt.load(text, format="usd")))
        np.testing.assert_allclose(back.origin, ours.origin, atol=1e-15)
        np.testing.assert_allclose(back.inertia, ours.inertia, atol=1e-15)


def test_sizes_of_shapes_come_back():
    """None is that of OpenUSD where a shape says nothing."""
    sizes = ('box size="0.3 0.4 0.5"', 'sphere radius="0.3"', 'cylinder radius="0.3" length="0.7"')
    shapes = "".join(
        f"<{kind}><geometry><{one}/></geometry></{kind}>" for kind in ("visual", "collision") for one in sizes
    )
    given = kt.load(f'<robot name="a"><link name="l">{shapes}</link></robot>', format="urdf")
    back = kt.load(kt.text(given, "usd"), format="usd")
    for kind in ("visuals", "collisions"):
        ours, theirs = ([repr(one.shape) for one in getattr(robot.links["l"], kind)] for robot in (given, back))
        assert ours == theirs

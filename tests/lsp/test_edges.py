"""Edges of the language server: places without an answer, ends of lines, names, and what is kept."""

from collections import OrderedDict
from types import SimpleNamespace

import pytest

from each import each
from kinetree.errors import KinetreeError
from kinetree.lsp import child, completion, hover, page, rename
from kinetree.lsp.answers import Change
from kinetree.lsp.fixes import _least, changes_of
from kinetree.lsp.names import fits, names_in
from kinetree.lsp.scan import scan
from kinetree.lsp.text import Text, decoded


@each(
    "old, new, start, stop, put",
    [
        ("ab", "axb", 1, 1, "x"),
        ("ab\r\ncd", "ab\rxcd", 3, 4, "x"),
        ("ab\r\ncd", "abx\r\ncd", 2, 2, "x"),
        ("ab\ncd", "abx\ncd", 2, 2, "x"),
        ("a\r\n", "a\n", 1, 3, "\n"),
        ("a\n", "a\r\n", 1, 1, "\r"),
        ("same", "same", 4, 4, ""),
    ],
)
def test_a_change_is_as_short_as_an_editor_may_have_it(old, new, start, stop, put):
    """The end of a line, \\r\\n, is not split."""
    text = Text(old)
    found = _least(text, 0, len(old), new)
    assert old[:start] + put + old[stop:] == new
    assert text.changed(found.span, found.new).content == new
    split = {i for i in range(1, len(old)) if old[i - 1 : i + 1] == "\r\n"}
    assert split.isdisjoint(text.offset(place) for place in found.span)
    if not split:
        assert found == Change(text.span(start, stop), put)


def test_changes_of_lines_end_where_lines_end():
    text = Text("one\r\ntwo\r\nthree\r\n")
    for after in ("one\r\n2\r\nthree\r\n", "one\ntwo\r\nthree\r\n", "one\r\ntwo\r\nthree\r\nfour"):
        found = text
        for change in sorted(changes_of(text, after), reverse=True):
            found = found.changed(change.span, change.new)
        assert found.content == after


@each("data, text", [(b"\xef\xbb\xbfa", "a"), ("é".encode(), "é"), (b"\xff\xfea", "\ufffd\ufffda")])
def test_bytes_that_are_no_text_are_replaced(data, text):
    assert decoded(data) == text


@each(
    "text, name, fitting",
    [
        ("left_arm_tip", "${side}_arm_${end}", True),
        ("left_leg_tip", "${side}_arm_${end}", False),
        ("a_b_c", "${x}_b_${y}_c", False),
        ("a_b_x_c", "${x}_b_${y}_c", True),
        ("arm", "arm", True),
        ("arms", "arm", False),
        ("arm", "a${x}m", True),
        ("am", "am${x}m", False),
    ],
)
def test_names_with_expressions(text, name, fitting):
    assert fits(text, name) is fitting


def test_groups_of_an_srdf_are_named_where_they_are_used():
    text = """<robot name="r"><group name="arm"/><group_state name="home" group="arm"/>
<end_effector name="hand" parent_link="tip" group="hand" parent_group="arm"/></robot>"""
    found = [(name.text, name.kinds) for name in names_in(scan(Text(text), "r.srdf")) if "group" in name.kinds]
    assert sorted(text for text, _ in found) == ["arm", "arm", "arm", "hand"]


def test_properties_inside_a_macro_are_its_own():
    text = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r"><xacro:property name="outside" value="1"/>
<xacro:macro name="finger" params="size"><xacro:property name="half" value="1"/>
<xacro:property name="everywhere" value="1" scope="global"/>
<a x="${half}" y="${size}" z="${outside}" w="${everywhere}"/></xacro:macro></robot>"""
    names = names_in(scan(Text(text), "r.xacro"))
    used = {name.text: name.scope for name in names if name.kinds == {"property"} and name.scope}
    assert used == {"half": "finger", "size": "finger"}


NOTHING = SimpleNamespace(scan=lambda file: None, text=lambda file: None, robot=None)


def test_a_file_that_is_not_read_has_no_answers():
    assert completion.completions([NOTHING], "a.urdf", (0, 0)) == ()
    assert hover.hover([NOTHING], "a.urdf", (0, 0)) is None
    with pytest.raises(KinetreeError, match=r"a\.urdf makes no robot that could be shown; open the file that incl"):
        page.page([NOTHING], "/folder/a.urdf", None)


def test_a_text_with_a_tag_before_the_place_is_not_completed():
    for text, offered in (("<model><link><pose>", True), ("<sdf><x></x ", False), ("", False)):
        found = completion._of_text([], scan(Text(text), "r.sdf"), len(text))
        assert isinstance(found, tuple)
        assert offered or found == ()


@each("number, more", [(hover.MOST, ()), (hover.MOST + 2, ("… and 2 more",))])
def test_most_parts_of_a_name_are_said(number, more):
    name = SimpleNamespace(kinds=hover.PARTS, text="tip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hover, "_of_robot", lambda robot, name: [f"part {i}" for i in range(number)])
        found = list(hover._about([SimpleNamespace(robot="robot")], name))
        assert found[-1 - len(more) :] == [f"part {hover.MOST - 1}", *more]
        assert len(found) == hover.MOST + len(more)
    (said,) = hover._about([NOTHING], name)
    assert said == "`tip`: open a file that makes a robot of this one to see where it is"


def test_the_latest_models_are_kept(monkeypatch):
    models = OrderedDict((str(i), SimpleNamespace(read=(), jobs=())) for i in range(child.MOST_MODELS))

    def current(path, *_):
        models[path] = SimpleNamespace(read=(), jobs=())
        return path

    monkeypatch.setattr(child, "_models", models)
    monkeypatch.setattr(child, "_current", current)
    assert child._read("check", "new", (), {}, "utf-16") == ["new"]
    assert list(models) == [*map(str, range(1, child.MOST_MODELS)), "new"]


def test_models_that_do_not_read_the_file_are_not_compared():
    other = SimpleNamespace(read=(), failed=True)
    with pytest.raises(KinetreeError, match="no robot is made of this file alone; open one that includes it"):
        rename._check([other], {"a.urdf": []}, None, "new")


def test_a_robot_with_other_parts_is_another():
    one = SimpleNamespace(frames={"a": 1, "b": 2}, joints={"j": 1})
    name = SimpleNamespace(kinds=hover.PARTS, text="a")
    for frames, joints, said in (
        ({"c": 1}, {"j": 1}, "it would have 1 links or frames instead of 2"),
        ({"c": 1, "b": 2}, {}, "it would have 0 joints or frames instead of 1"),
    ):
        assert rename._difference(one, SimpleNamespace(frames=frames, joints=joints), name, "c") == said

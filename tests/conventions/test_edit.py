"""Edits at exact bytes, in files of all encodings, and the constructors from elements."""

import pytest

from each import each
from kinetree.errors import KinetreeError
from kinetree.repairs.edit import (
    Edit,
    New,
    applied,
    edited,
    insert_after,
    insert_inside,
    on_disk,
    remove,
    replace_attribute,
    set_attribute,
)
from kinetree.syntax.xml.reader import Element, Report, parse

TEXT = """<?xml version="1.0"?>
<!-- ä: a name > another -->
<robot name = 'é'>
  <link name="a"/> <!-- stays -->
  <joint name="j" note="xyz='7' &gt;">
    <origin   xyz = "0 0 1"
              rpy='0 0 0' />
  </joint>
  <link name="b"><visual/></link><link name="c"></link>
</robot>
"""


def root_of(text: str | bytes) -> Element:
    root = parse(text, "r.urdf", Report())
    assert root is not None
    return root


def after(text: str, make) -> str:
    """The text after the edits that `make` gives for its root."""
    made = make(root_of(text))
    return applied(text.encode(), made if isinstance(made, list) else [made]).decode()


def joint(root: Element) -> Element:
    found = root.find("joint")
    assert found is not None
    return found


class TestAttributes:
    @each(
        "tag, name, value, old, new",
        [
            ("origin", "xyz", "1 2 3", 'xyz = "0 0 1"', 'xyz = "1 2 3"'),
            ("origin", "rpy", "it's", "rpy='0 0 0'", "rpy='it&apos;s'"),
            ("origin", "quat", '<"', "rpy='0 0 0' />", "rpy='0 0 0' quat=\"&lt;&quot;\" />"),
            ("joint", "type", "fixed", '&gt;">\n    <origin', '&gt;" type="fixed">\n    <origin'),
            ("joint", "name", "é", '<joint name="j"', '<joint name="é"'),
            ("visual", "name", "v", "<visual/>", '<visual name="v"/>'),
        ],
    )
    def test_one_is_set_where_it_stands_or_behind_the_others(self, tag, name, value, old, new):
        assert TEXT.count(old) == 1
        result = after(TEXT, lambda root: set_attribute(next(e for e in root.walk() if e.tag == tag), name, value))
        assert result == TEXT.replace(old, new)

    def test_what_stands_in_the_value_of_another_is_none(self):
        """note="xyz='7'" has no attribute xyz in it."""
        result = after(TEXT, lambda root: set_attribute(joint(root), "xyz", "1"))
        assert 'note="xyz=\'7\' &gt;" xyz="1">' in result

    def test_one_takes_the_place_of_another(self):
        result = after(TEXT, lambda root: replace_attribute(joint(root).children[0], "rpy", "quat_xyzw", "0 0 0 1"))
        assert result == TEXT.replace("rpy='0 0 0'", 'quat_xyzw="0 0 0 1"')


class TestElements:
    def test_behind_another_on_lines_of_their_own(self):
        new = New("joint", {"name": "k"}, (New("parent", {"link": "a"}), New("child", {"link": "b"})))
        result = after(TEXT, lambda root: insert_after(joint(root), New("link", {"name": "d"}), new))
        lines = '  <link name="d"/>\n  <joint name="k">\n    <parent link="a"/>\n    <child link="b"/>\n  </joint>\n'
        assert result == TEXT.replace("  </joint>\n", "  </joint>\n" + lines)

    def test_behind_the_comments_on_the_line(self):
        result = after(TEXT, lambda root: insert_after(root.children[0], New("link", {"name": "d"})))
        assert result == TEXT.replace("<!-- stays -->\n", '<!-- stays -->\n  <link name="d"/>\n')

    def test_with_the_indentation_and_the_ends_of_lines_of_the_file(self):
        text = TEXT.replace("    ", "\t\t").replace("  ", "\t").replace("\n", "\r\n")
        new = New("link", {"name": "d"}, (New("inertial", {}, (New("mass", {"value": "1"}),)),))
        result = after(text, lambda root: insert_after(joint(root), new))
        lines = '\t<link name="d">\r\n\t\t<inertial>\r\n\t\t\t<mass value="1"/>\r\n\t\t</inertial>\r\n\t</link>\r\n'
        assert result == text.replace("\t</joint>\r\n", "\t</joint>\r\n" + lines)

    def test_on_the_same_line_where_there_are_no_others(self):
        text = '<robot name="r"><link name="a"/></robot>'
        result = after(text, lambda root: insert_after(root.children[0], New("link", {"name": "b"})))
        assert result == '<robot name="r"><link name="a"/><link name="b"/></robot>'

    def test_inside_another(self):
        """Behind its children, before them, between its tags, or where it had no end."""
        new, links = New("x", {}), lambda root: root.find_all("link")
        assert '<visual/><x/></link><link name="c">' in after(TEXT, lambda root: insert_inside(links(root)[1], new))
        first = after(TEXT, lambda root: insert_inside(joint(root), new, first=True))
        assert first == TEXT.replace("    <origin", "    <x/>\n    <origin")
        assert '<link name="c"><x/></link>\n' in after(TEXT, lambda root: insert_inside(links(root)[2], new))
        empty = after(TEXT, lambda root: insert_inside(links(root)[0], new))
        assert empty == TEXT.replace('<link name="a"/>', '<link name="a">\n    <x/>\n  </link>')

    def test_removed_with_their_lines_if_nothing_else_stands_there(self):
        result = after(TEXT, lambda root: remove(joint(root)))
        assert result == TEXT[: TEXT.index("  <joint")] + TEXT[TEXT.index('  <link name="b"') :]
        result = after(TEXT, lambda root: remove(root.find_all("link")[0]))
        assert result == TEXT.replace('<link name="a"/>', "")
        text = TEXT.replace("\n", "\r\n")
        result = after(text, lambda root: remove(joint(root)))
        assert result == text[: text.index("  <joint")] + text[text.index('  <link name="b"') :]

    def test_moved_with_edits_inside(self):
        def move(root):
            text = edited(joint(root), [set_attribute(joint(root).children[0], "xyz", "5 5 5")])
            return [remove(joint(root)), insert_inside(root.find_all("link")[0], text)]

        result = after(TEXT, move)
        assert result.count("<joint") == 1
        assert (
            '  <link name="a">\n    <joint name="j" note="xyz=\'7\' &gt;">\n      <origin   xyz = "5 5 5"\n' in result
        )
        assert "\n    </joint>\n  </link> <!-- stays -->\n" in result
        assert root_of(result).find("link").find("joint").get("note") == "xyz='7' >"


ENCODINGS = {
    "utf-8": (b"", "utf-8", TEXT),
    "mark": (b"\xef\xbb\xbf", "utf-8", TEXT),
    "utf-16-le": (b"\xff\xfe", "utf-16-le", TEXT.replace('"1.0"', '"1.0" encoding="UTF-16"')),
    "utf-16-be": (b"\xfe\xff", "utf-16-be", TEXT),
    "latin-1": (b"", "latin-1", TEXT.replace('"1.0"', '"1.0" encoding="ISO-8859-1"')),
    "declared": (b"\xef\xbb\xbf", "utf-8", TEXT.replace('"1.0"', '"1.0" encoding="utf-8"')),
}


class TestOnDisk:
    @each("name", ENCODINGS)
    @each("newline", ["\n", "\r\n"])
    def test_nothing_else_changes_in_any_encoding(self, name, newline):
        mark, encoding, text = ENCODINGS[name]
        text = text.replace("\n", newline)
        content = mark + text.encode(encoding)
        origin = joint(root_of(content)).children[0]
        edits = [set_attribute(origin, "rpy", "1 1 1"), set_attribute(origin, "xyz", "ö")]
        expected = text.replace("'0 0 0'", "'1 1 1'").replace("0 0 1", "ö")
        assert on_disk(content, edits) == mark + expected.encode(encoding)
        assert on_disk(content, []) == content

    def test_what_the_encoding_cannot_say_is_refused(self):
        content = '<?xml version="1.0" encoding="ISO-8859-1"?><r/>'.encode("latin-1")
        with pytest.raises(KinetreeError, match="'ψ' cannot be said in ISO-8859-1"):
            on_disk(content, [set_attribute(root_of(content), "n", "ψ")])

    def test_an_encoding_with_several_spellings_is_refused(self):
        """In Big5 the number ten may stand in two ways, so that bytes cannot be told from the text."""
        content = b'<?xml version="1.0" encoding="big5"?><r a="\xa2\xcc"/>'
        with pytest.raises(KinetreeError, match="nothing can be edited in place"):
            on_disk(content, [])

    def test_overlapping_edits_are_refused(self):
        a, b = Edit("f", 2, 5, "x"), Edit("f", 4, 6, "y")
        with pytest.raises(KinetreeError, match="two edits want to change bytes 4 to 6 of f"):
            on_disk(b"0123456789", [b, a])
        with pytest.raises(KinetreeError, match="two edits"):
            on_disk(b"0123456789", [a, Edit("f", 2, 5, "z")])
        with pytest.raises(KinetreeError, match="two edits"):
            on_disk(b"0123456789", [a, Edit("f", 3, 3, "z")])

    def test_those_at_one_place_keep_their_order_and_are_made_once(self):
        edits = [Edit("f", 2, 2, "b"), Edit("f", 2, 2, "a"), Edit("f", 2, 4, ""), Edit("f", 2, 2, "b")]
        assert on_disk(b"0123456789", edits) == b"01ba456789"

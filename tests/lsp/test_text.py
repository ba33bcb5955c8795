"""Positions as an editor counts them, and texts that change."""

import random

import pytest

from each import each
from kinetree.lsp.answers import Change
from kinetree.lsp.fixes import changes_of
from kinetree.lsp.session import Document
from kinetree.lsp.text import Text, decoded, encoded

ROBOT = 'é🤖\r\n\tx = "a\u2028b"\rlast 😀 line\n'


@each("encoding, columns", [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_count_in_the_units_of_the_editor(encoding, columns):
    text = Text(ROBOT, encoding)
    assert text.position(2) == (0, columns)
    assert text.offset((0, columns)) == 2
    assert text.offset((0, 99)) == 2  # the end of a line is before its \r\n
    assert text.offset((99, 0)) == len(ROBOT)


@each("encoding", ["utf-8", "utf-16", "utf-32"])
def test_every_offset_that_an_editor_can_name_comes_back(encoding):
    text = Text(ROBOT, encoding)
    for offset in range(len(ROBOT) + 1):
        if ROBOT[offset - 1 : offset + 1] != "\r\n":
            assert text.offset(text.position(offset)) == offset


def test_lines_end_as_the_protocol_says_and_not_as_python_does():
    assert Text("a\u2028b\x0cc\rd\ne\r\nf").starts == [0, 6, 8, 11]


def test_half_a_character_is_not_split():
    assert Text("🤖x").offset((0, 1)) == 0


def test_a_place_of_a_reader_counts_characters_and_line_feeds():
    text = Text("a\rb\n🤖<link/>")
    assert text.content[text.place(2, 2) :] == "<link/>"
    assert text.place(1, 99) == 3
    assert text.place(9, 1) == len(text.content)


def test_typing_is_what_a_list_of_characters_does():
    chance = random.Random(1)
    text, letters = Text(""), []
    for _ in range(300):
        a, b = sorted(chance.randrange(len(letters) + 1) for _ in range(2))
        new = chance.choice(["x", "é", "🤖", "\n", "ab", ""])
        text = text.changed(text.span(a, b), new)
        letters[a:b] = new
        assert text.content == "".join(letters)
    assert text.changed(None, "all").content == "all"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_changes_turn_one_text_into_the_other(end):
    chance = random.Random(2)
    for _ in range(200):
        before, after = (
            end.join(chance.choice(["<a>", "<b/>", "é🤖", "", "x y"]) for _ in range(chance.randrange(12)))
            for _ in range(2)
        )
        text = Text(before)
        found = list(changes_of(text, after))
        for change in reversed(found):
            text = text.changed(change.span, change.new)
        assert text.content == after


def test_a_change_has_only_the_characters_that_differ():
    assert list(changes_of(Text('<axis xyz="0 0 2"/>\n'), '<axis xyz="0 0 1"/>\n')) == [Change(((0, 15), (0, 16)), "1")]


def test_a_text_is_read_in_the_encoding_that_it_declares():
    latin = '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="é"/>'
    assert encoded(latin) == latin.encode("latin-1")
    assert decoded(encoded(latin)) == latin
    assert encoded(latin.replace("é", "🤖")) == latin.replace("é", "🤖").encode()
    assert decoded(b"\xef\xbb\xbf<robot/>") == "<robot/>"


def test_a_text_in_utf16_gets_its_mark():
    text = '<?xml version="1.0" encoding="UTF-16"?><robot name="é"/>'
    assert encoded(text) == b"\xff\xfe" + text.encode("utf-16-le")
    assert decoded(encoded(text)) == text
    assert decoded(b"\xfe\xff" + text.encode("utf-16-be")) == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_a_file_that_declares_utf16_wrongly_is_not_mended(tmp_path, encoding):
    path, text = tmp_path / "a.urdf", '<?xml version="1.0" encoding="UTF-16"?><robot/>'
    new = Document(path.as_uri(), str(path), Text(text), 1)
    assert new.content == b"\xff\xfe" + text.encode("utf-16-le")  # there is no such file
    path.write_bytes(text.encode(encoding))
    assert Document(path.as_uri(), str(path), Text(text), 1).content == path.read_bytes()


def test_half_a_pair_of_surrogates_is_a_column():
    """Editors may send a text that was cut within a pair."""
    assert [Text("é\ud83ex").position(offset) for offset in (1, 2, 3)] == [(0, 1), (0, 2), (0, 3)]
    assert Text("é\ud83ex", "utf-8").position(2) == (0, 5)

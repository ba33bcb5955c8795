"""YAML files as values with places."""

import math

import pytest

import kinetree as kt
from each import each
from kinetree.syntax.yaml import Yaml, read_yaml_values


def read(text: str) -> Yaml:
    (document,) = read_yaml_values(text.encode(), "x.yaml")
    return document


def test_values_have_their_places():
    document = read("a: 1\nb:\n  c: [x, !degrees 90]\n")
    assert (document.get("a").number, str(document.get("a").source)) == (1, "x.yaml:1:1")
    assert [one.text for one in document.get("b").get("c").texts] == ["x", "90"]
    angle = document.get("b").get("c").values[1]
    assert (angle.number, str(angle.source)) == (math.pi / 2, "x.yaml:3:10")


def test_of_a_key_twice_both_are_kept_and_the_last_is_found():
    document = read("a: 1\na: true\n")
    assert [value.text for _, value in document.items] == ["1", "true"]
    assert document.get("a").is_true
    assert document.get("a").number is None
    assert document.get("b") is None


def test_keys_that_are_no_texts_and_empty_files():
    assert read("? [a]\n: b\n").items[0][0] == ""
    assert read_yaml_values(b"# nothing\n", "x.yaml") == []


def test_values_are_counted_as_they_are_written_and_as_aliases_repeat_them(monkeypatch):
    monkeypatch.setattr("kinetree.syntax.yaml.MAX_YAML_VALUES", 6)
    assert len(read("[1, 2, 3, 4, 5]").values) == 5
    for text, factor, said, place in (
        ("[1, 2, 3, 4, 5, 6]", 1, "has more than 6 values, or 50 levels", "x.yaml"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", 2, "has more than 12 values, or 50 levels", "x.yaml"),
        ("[&a [1, 2], *a, *a]", 1, "has more than 6 values, or 50 levels", "x.yaml:1:9"),
        ("[" * 1000, 9999, "is nested too deeply", "x.yaml"),
    ):
        with pytest.raises(kt.KinetreeError) as caught:
            read_yaml_values(text.encode(), "x.yaml", factor)
        (finding,) = caught.value.findings
        assert (finding.code, finding.message) == ("yaml", said)
        assert str(finding.source).startswith(place)
        assert (finding.source.line is None) is (place == "x.yaml")
    assert len(read_yaml_values(b"[1, 2, 3, 4, 5, 6]", "x.yaml", 2)) == 1


@pytest.mark.slow
@each(
    "text, says",
    [
        ("a: [1", "x.yaml:1:6"),
        ("[" * 1000, "nested too deeply"),
        ("&a [*a]", "more than 30000 values, or 50 levels"),
        ("a: " + "x" * 1_000_000, "more than 1000000 bytes"),
        ("".join(f"{' ' * i}a:\n" for i in range(60)) + " " * 60 + "b: 1", "50 levels"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(kt.KinetreeError, match=says):
        read(text)

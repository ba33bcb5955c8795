"""Several values in one test: all are used, and a failure names its values."""

import pytest

from each import each


def test_every_combination_is_used():
    seen = []

    @each("a, b", [(1, 2), (3, 4)])
    @each("c", "xy")
    def run(a, b, c, more):
        seen.append((a, b, c, more))

    run(more=0)
    assert seen == [(1, 2, "x", 0), (1, 2, "y", 0), (3, 4, "x", 0), (3, 4, "y", 0)]


def test_a_failure_names_the_values():
    @each("number", [1, 2])
    def run(number):
        assert number == 1

    with pytest.raises(AssertionError) as error:
        run()
    assert error.value.__notes__ == ["with {'number': 2}"]


@each("number", [1, 2])
def test_fixtures_come_as_usual(number, tmp_path):
    (tmp_path / str(number)).touch()
    assert len(list(tmp_path.iterdir())) == number

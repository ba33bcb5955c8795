"""Paragraphs of docstrings that describe names are lists on the site."""

from docstrings import with_lists

PARAMETERS = ("robot", "goal", "tolerance", "lower", "upper")


def test_names_of_parameters_begin_items():
    text = "Return it.\n\ngoal: one\nof two. lower, upper (k, 2): ends; rad. Raises KinetreeError: never.\n\n"
    text += "Examples:\n    >>> 1"
    items = "- `goal`: one of two.\n- `lower`, `upper` (k, 2): ends; rad."
    after = "Raises KinetreeError: never.\n\nExamples:\n    >>> 1"
    assert with_lists(text, PARAMETERS) == f"Return it.\n\n{items}\n\n{after}"


def test_other_text_stays():
    for text in ("Return it: goal.", "Return it.\n\nRows: x.", "Return it.\n\nArgs:\n    goal: one.", "goal: one."):
        assert with_lists(text, PARAMETERS) == text
    assert with_lists("Return it.\n\nBoth move. goal: one.", PARAMETERS) == "Return it.\n\nBoth move.\n\n- `goal`: one."


def test_columns_are_a_list():
    text = "Dynamics.\n\nenergy, mass  the robot\nstep          a step"
    assert with_lists(text) == "Dynamics.\n\n- `energy`, `mass`: the robot\n- `step`: a step"

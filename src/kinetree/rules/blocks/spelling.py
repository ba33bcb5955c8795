"""Spelling of words and numbers in texts of other tools."""

from collections.abc import Sequence

from kinetree.rules.rule import Threshold

NEARLY = Threshold(0.87, "of 1", "smallest similarity to a known word that is a slip")
LETTERS = Threshold(2, "letters", "largest difference of the lengths of the two words")


def nearly(name: str, known: Sequence[str]) -> str:
    """Return the known name that another resembles but for a letter or two, or ""."""
    likely = [one for one in known if abs(len(one) - len(name)) <= LETTERS]
    if not likely or name in known or name.rpartition("/")[2] in known:
        return ""
    from difflib import get_close_matches  # takes 6 ms and is rarely needed

    near = [one for one in likely if name.lower() == one.lower()] or get_close_matches(name, likely, n=1, cutoff=NEARLY)
    return next(iter(near), "")


def number_of(text: str) -> float | None:
    """Return the number that a text is, or None."""
    try:
        return float(text)
    except ValueError:
        return None

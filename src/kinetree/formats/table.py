"""Lines of CSV files: their separator and their cells."""

import csv
import re

SEPARATORS = ";\t,"
"""Characters that separate cells, if they stand in the line of names; the first found is taken."""


def separator_of(names: str) -> str:
    """Return the separator of a line of names; a comma if there is one name."""
    outside = re.sub(r'"[^"]*"', "", names)
    return next((separator for separator in SEPARATORS if separator in outside), ",")


def cells_of(line: str, separator: str = ",", strict: bool = False) -> list[str]:
    """Return the cells of a line, or the line as one cell if one of them has more than 100,000 characters.

    strict: raise ValueError for such a cell, and for one that continues after its quotes.
    """
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=strict))
    except csv.Error as error:
        if strict:
            raise ValueError(str(error)) from None
        return [line]

"""Python's messages about values in plain words, for people who wrote a file and not a program."""

import re

KINDS = {
    "bool": "a truth value",
    "dict": "a table",
    "float": "a number",
    "Function": "a function",
    "int": "an integer",
    "list": "a list",
    "NoneType": "nothing",
    "str": "a text",
    "string": "a text",
    "tuple": "a tuple",
    "YamlDict": "a table",
    "YamlList": "a list",
}
"""Types of Python in words of people."""

_K = r"['\"]?([\w.]+)['\"]?"
WORDS = [
    (r"<class '[\w.]+'>: (.*) \1", "{0}"),
    (rf"unsupported operand type\(s\) for (\S+)(?: or pow\(\))?: {_K} and {_K}", "{0} of {k1} and {k2} has no meaning"),
    (rf"can only concatenate \w+ \(not {_K}\) to {_K}", "+ of {k1} and {k0} has no meaning"),
    (rf"can't multiply sequence by non-int of type {_K}", "a text or list is repeated by an integer, not by {k0}"),
    (rf"bad operand type for (?:unary )?(\S+): {_K}", "{0} of {k1} has no meaning"),
    (rf"'(\S+)' not supported between instances of {_K} and {_K}", "{k1} and {k2} cannot be compared by {0}"),
    (rf"{_K} object has no attribute {_K}", "{k0} has no {1!r}"),
    (rf"{_K} object is not subscriptable", "{k0} has no items to be read with [ ]"),
    (rf"{_K} object is not callable", "{k0} is not a function"),
    (rf"expected str, bytes or os.PathLike object, not {_K}", "expected the path of a file, not {k0}"),
    (r"found unhashable key", "a list or a table cannot be a key"),
    (rf"unhashable type: {_K}", "{k0} cannot be a key"),
    (rf"(?:argument of type )?{_K}(?: object)? is not (?:iterable|a mapping)", "expected several values, not {k0}"),
    (rf"cannot unpack non-iterable {_K} object", "expected several values, not {k0}"),
    (rf"object of type {_K} has no len\(\)", "{k0} has no length"),
    (rf"(\w+) indices must be integers(?: or slices)?, not {_K}", "items of {k0} have numbers, which {k1} is not"),
    (rf"{_K} object cannot be interpreted as an integer", "expected an integer, not {k0}"),
    (rf"(\w+)\(\) argument .*?(?:number|str|string), not {_K}", "{0}() does not take {k1}"),
    (rf"(?:%\w format: )?(?:a |must be )?(?:real )?number(?: is required)?,? not {_K}", "expected a number, not {k0}"),
    (rf"(?:\w+\(\) argument )?(?:\d+ )?must be (str|int) or None, not {_K}", "expected {k0}, not {k1}"),
    (rf"sequence item \d+: expected str instance, {_K} found", "expected texts, not {k0}"),
    (rf"type {_K} doesn't define __(\w+)__ method", "{1}() does not take {k0}"),
    (r"\w+ index out of range", "there are not so many items"),
    (r"(?:integer |float )?(?:division or modulo|floor division|division|modulo) by zero", "division by zero"),
    (r"math domain error|expected a (?:nonnegative|positive) input.*?(?= when|$)", "the function has no such value"),
    (r"invalid literal for int\(\) with base \d+: ('.*?')", "{0} is not an integer"),
    (r"could not convert string to float: ('.*?')", "{0} is not a number"),
    (r"cannot convert float (infinity|NaN) to integer", "{0} is not an integer"),
    (r"int too large to convert to float|\(34, [^)]*\)|math range error", "the number is too large"),
    (r"\S*<lambda>\(\) missing .*?: ('\w+')", "it needs {0}"),
    (r"\S*<lambda>\(\) ", "it "),
    (r" \(<(?:expression|string|unknown)>, line \d+\)", ""),
    (r"unterminated string literal(?: \(detected at line \d+\))?", "a text without its closing quote"),
    (r"zip\(\) argument \d+ is (?:shorter|longer) than .*", "it has another number of items than expected"),
    (r"dictionary update sequence element.*?(?= when|$)", "expected pairs of a key and a value"),
    (r"'[\w-]+' codec can't decode bytes? (\S+) in position (\S+): .*?(?= when|$)", "byte {0} at {1} is no text"),
    (r"maximum recursion depth exceeded.*?(?= when|$)", "it is nested too deep"),
]  # fmt: skip
"""Patterns of Python's messages, and plain words for them; {k0} is the kind that the first group names."""

_INTERNAL = r"\bobjects?\b.*\b(?:type|attribute)|NoneType|__\w+__|<locals>|\binstances? of\b|\bnon-\w+able\b"
"""Words of Python's inside that are left."""


LONGEST = 1000
"""Characters of a message that are read: the patterns take the square of its length."""


def kind_of(value: object) -> str:
    """Return the kind of a value in plain words."""
    return KINDS.get(type(value).__name__, f"a {type(value).__name__}")


def plain_words(error: BaseException) -> str:
    """Return the message of an error without the words of Python's inside."""
    text = " ".join(str(error)[:LONGEST].split())
    if isinstance(error, KeyError) and error.args:
        return f"there is no {error.args[0]!r}"
    for pattern, words in WORDS:

        def plain(found: re.Match[str], words: str = words) -> str:
            groups = [group or "" for group in found.groups()]
            return words.format(*groups, **{f"k{i}": KINDS.get(g, g and f"a {g}") for i, g in enumerate(groups)})

        text = re.sub(pattern, plain, text)
    return "a value is of a kind that does not fit here" if not text or re.search(_INTERNAL, text) else text

"""What stands here for the functions of other libraries, said where somebody tries their names."""

from functools import cache
from importlib.resources import files


def no_attribute(owner: str, name: str) -> str:
    """Return the message about an attribute that an owner, such as "module 'kinetree'", lacks."""
    known = "" if name.startswith("_") else _known().get(name, "")
    return f"{owner} has no attribute {name!r}" + (f"; here it is {known}" if known else "")


@cache
def _known() -> dict[str, str]:
    import tomllib

    return tomllib.loads(files(__package__).joinpath("other_names.toml").read_text("utf-8"))

"""Names of other libraries, and what the message about them says."""

import inspect
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import kinetree as kt

KNOWN = tomllib.loads(files("kinetree").joinpath("other_names.toml").read_text("utf-8"))
PAGES = Path(__file__).parents[1] / "docs/migrating"
OURS = re.compile(r"\b(?:kt|robot)(?:\.\w+)+")


@pytest.mark.parametrize("owner", [kt, kt.load("icub")], ids=["module", "robot"])
def test_a_name_of_another_library_is_answered(owner: object) -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'fkine'; here it is kt\.fk\(robot, frame\)\(q\)$"):
        _ = owner.fkine
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_like_it'$") as raised:
        _ = owner.nothing_like_it
    assert not hasattr(owner, "_fkine")
    assert owner is kt or (raised.value.name, raised.value.obj) == ("nothing_like_it", owner)


@pytest.mark.parametrize(
    "name", ["fdyn", "n", "qz", "RevoluteDH", "nonLinearEffects", "loadURDF", "getLinkState", "mj_fullM", "MjModel"]
)
def test_names_that_people_try_first_have_an_answer(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; here it is "):
        getattr(kt, name)


@pytest.mark.parametrize("module", [kt.dynamics, kt.kinematics, kt.motion, kt.edit], ids=lambda one: one.__name__)
def test_a_function_of_a_module_is_found_from_the_package(module: object) -> None:
    own = [name for name, one in vars(module).items() if inspect.isfunction(one) and not name.startswith("_")]
    missing = [name for name in own if not hasattr(kt, name) and "kt." not in KNOWN.get(name, "")]
    assert own
    assert not missing


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_what_stands_here_exists(name: str) -> None:
    roots = {"kt": kt, "robot": kt.load("icub")}
    assert not hasattr(kt, name) or name == "inertia"
    for found in OURS.findall(KNOWN[name]):
        first, *rest = found.split(".")
        thing = roots[first]
        for part in rest:
            thing = getattr(thing, part)


def test_the_pages_on_other_libraries_say_the_same() -> None:
    """A row of their tables that is about one name alone has the function that the message says."""
    rows = [
        line.split("|")[2:4]
        for page in PAGES.glob("*.md")
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("|") and line.count("|") == 5
    ]
    compared = set()
    for theirs, ours in rows:
        name = re.fullmatch(r"\s*`(?:arm|rtb|pin|chain|robot|data|model)\.(\w+)\([^`;]*\)(?:\.\w+)?`\s*", theirs)
        said = name and re.search(r"kt(?:\.\w+)+", KNOWN.get(name[1], ""))
        if said and "kt." in ours:
            assert said[0] in ours, (theirs, ours)
            compared.add(name[1])
    assert {"fkine", "jacob0", "rne", "gravload", "inertia", "rnea", "crba", "aba", "plot"} <= compared

"""Options that queries share stand once in the source, and `help`, type checkers and the site show each of them."""

import inspect
import pydoc
import re
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import kinetree as kt
from kinetree.errors import WrongTypeError
from kinetree.queries.options import DEFAULTS
from kinetree.solvers.ik.stepping import ik_step

ROOT = Path(__file__).resolve().parents[1]
ARM = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
PUBLIC = [(name, getattr(module, name)) for module in (kt, kt.kinematics, kt.dynamics) for name in module.__all__]
QUERIES = dict(PUBLIC) | {"ik_step": ik_step}
QUERIES = {
    name: query
    for name, query in QUERIES.items()
    if inspect.isfunction(query) and {"joints", "at"} <= inspect.signature(query).parameters.keys()
}


def plain(query):
    """Return the signature of a query without annotations, which print differently in versions of Python."""
    signature = inspect.signature(query)
    parameters = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def test_signatures(golden):
    golden("signatures.txt", "".join(f"{name}{plain(query)}\n" for name, query in sorted(QUERIES.items())))


@pytest.mark.parametrize("name", QUERIES)
def test_each_option_has_its_type(name):
    shown = inspect.signature(QUERIES[name])
    assert not [one for one in shown.parameters.values() if one.kind is one.VAR_KEYWORD]
    types = get_type_hints(QUERIES[name])
    assert {key: types[key] for key in shown.parameters} == {
        key: one.annotation for key, one in shown.parameters.items()
    }
    for key in {"joints", "at", "parameters", "gravity"} & shown.parameters.keys():
        assert shown.parameters[key].default == DEFAULTS[key]


def test_help_shows_them():
    text = pydoc.render_doc(kt.jacobian, renderer=pydoc.plaintext)
    assert re.search(r"jacobian\(\s*robot.*base:.*expressed_in:.*joints:.*= None,\s*at:", text, re.DOTALL)
    assert "Rows: velocity of the frame's origin" in text


def test_the_robot_and_the_joints_by_name():
    whole, some = kt.fk(ARM, "tip"), kt.fk(robot=ARM, frames="tip", joints=["q2"], at=[0.5, 0.0])
    assert some([0.2]) == pytest.approx(whole([0.5, 0.2]), abs=1e-12)
    assert kt.fk(ARM, "tip", None, joints=["q2"], at=[0.5, 0.0]) is some
    assert kt.fk(robot=ARM, frames="tip", joints=None) is whole


def test_names_of_other_options_are_refused():
    for query, name in ((kt.fk, "gravity"), (kt.mass_matrix, "gravity"), (kt.mass_matrix, "needs"), (kt.fk, "nosuch")):
        with pytest.raises(TypeError, match=rf"^{query.__name__}\(\) got an unexpected keyword argument '{name}'"):
            query(ARM, **{name: ()})
    with pytest.raises(TypeError, match="keyword argument 'nosuch'"):
        kt.fk(ARM, frames="tip", nosuch=1)
    with pytest.raises(TypeError, match=r"^jacobian\(\) missing 1 required positional argument: 'frame'"):
        kt.jacobian(ARM)


def test_values_of_wrong_types_are_explained():
    with pytest.raises(WrongTypeError, match="joints is 5; expected a text or a list, each a text or None"):
        kt.fk(ARM, "tip", joints=5)
    with pytest.raises(WrongTypeError, match="wrenches is 5; expected a text or a list, each a text"):
        kt.inverse_dynamics(ARM, wrenches=5, gravity=None)
    with pytest.raises(WrongTypeError, match="frames are asked for by name, not by 5"):
        kt.fk(ARM, 5)
    with pytest.raises(kt.KinetreeError, match="not of a NoneType"):
        kt.fk(frames="tip", joints=["q1"])
    with pytest.raises(kt.KinetreeError, match="name those that move with joints="):
        kt.fk(ARM, "tip", at=[0.0, 0.0])


def test_options_are_passed_on():
    pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])
    assert kt.gravity_torques(pendulum, gravity=(0, 0, -1))([0]) == pytest.approx([1.0])
    assert kt.gravity_torques(pendulum)([0]) == pytest.approx([9.81])
    for query in (kt.inverse_dynamics, kt.mass_matrix, kt.center_of_mass, kt.dynamics.energy):
        assert [port.name for port in query(pendulum, parameters=True).inputs][-1] == "parameters"
    for query in (kt.mass_matrix, kt.center_of_mass, kt.dynamics.coriolis_matrix):
        assert "gravity" not in str(query(pendulum).output)


@pytest.mark.slow
@pytest.mark.nightly
def test_type_checkers_see_each_option(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    (tmp_path / "asks.py").write_text(
        "import kinetree as kt\n"
        "robot = kt.load('icub')\n"
        "kt.jacobian(robot, 'l_hand', 'chest', 'frame', joints=['l_elbow'], at='input')\n"
        "kt.inverse_dynamics(robot, gravity=None, parameters=True, friction=True, loops='ignore', joints='left_arm')\n"
        "kt.jacobian(robot, 'l_hand', joint='l_elbow')\n"
        "kt.jacobian(robot, 'l_hand', joints=5)\n"
        "kt.mass_matrix(robot, gravity=None)\n"
        "reveal_type(kt.jacobian)\n"
    )
    flags = ["--strict", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports", "--hide-error-codes"]
    said, _, _ = api.run([*flags, f"--cache-dir={tmp_path / 'cache'}", str(tmp_path / "asks.py")])
    wrong = dict(re.findall(r"asks\.py:(\d+): error: (.*)", said))
    assert wrong.keys() == {"5", "6", "7"}, said
    assert wrong["5"].startswith('Unexpected keyword argument "joint" for "jacobian"')
    assert wrong["6"].startswith('Argument "joints" to "jacobian" has incompatible type "int"')
    assert wrong["7"].startswith('Unexpected keyword argument "gravity" for "mass_matrix"')
    (seen,) = re.findall(r"asks\.py:8: note: Revealed type is \"def \((.*)\) -> kinetree\.\S*Kernel\"", said)
    assert re.findall(r"(\w+): ", seen) == list(inspect.signature(kt.jacobian).parameters)


@pytest.mark.slow
@pytest.mark.nightly
def test_the_site_shows_each_option():
    griffe = pytest.importorskip("griffe")
    extensions = griffe.load_extensions(str(ROOT / "docs" / "docstrings.py"))
    package = griffe.load("kinetree", search_paths=[str(ROOT / "src")], extensions=extensions)
    for name in ("motion.jacobian", "dynamics.inverse_dynamics", "momentum.energy"):
        module, _, query = name.partition(".")
        shown = inspect.signature(getattr(sys.modules[f"kinetree.queries.{module}"], query)).parameters
        written = package[f"queries.{name}"].parameters
        assert [one.name for one in written] == list(shown)
        assert [one.kind.value for one in written] == [one.kind.description for one in shown.values()]
        assert written["joints"].default == "None"

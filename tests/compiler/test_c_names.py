"""Names of constants in C: legal, different, and of bounded length, whatever labels they come from."""

import re

import numpy as np
import pytest

from c_compiler import CXX, compile_with, compilers, shared_object
from each import each
from kinetree.compiler.c import write_c
from kinetree.compiler.c_names import LONGEST, TAKEN, Constant, ascii_word, constants_of, identifiers
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace

LABELS = [
    "",
    "a",
    "A",
    "a b",
    "a.b",
    "a_b",
    "a_b_2",
    "1",
    "-1",
    "é",
    "e",
    "手首",
    "_",
    "__x__",
    "int",
    "size",
    "*/",
    "x" * 300,
]


@each(
    "text, word",
    [
        ("shoulder pan", "shoulder_pan"),
        ("left/arm-joint.1", "left_arm_joint_1"),
        ("-1 to +1", "minus_1_to_1"),
        ("l-1", "l_1"),
        ("Ellbogen_ä", "Ellbogen_a"),
        ("手", "u624b"),
        ("\ud800", "ud800"),
        ("**", ""),
    ],
)
def test_words(text, word):
    assert ascii_word(text) == word


def test_identifiers_are_legal_and_different():
    taken = {"F_Q_A"}
    names = identifiers("f", [("q", label) for label in LABELS], taken)
    assert len(set(names)) == len(names)
    assert {*names, "F_Q_A"} == taken
    for name in names:
        assert re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", name, re.ASCII)
        assert len(name) < LONGEST + 5
        assert name not in TAKEN
    assert names[:6] == ["F_Q", "F_Q_A_2", "F_Q_A_3", "F_Q_A_B", "F_Q_A_B_2", "F_Q_A_B_3"]
    assert identifiers("m", [("pi",), ("e",)], set()) == ["M_PI_3", "M_E_2"]  # M_PI and M_PI_2 are of math.h


def kernel(n):
    """A kernel of two outputs with hostile labels, and an entry whose numbers have names."""
    x, y = Port("x", (n,), tuple(LABELS)), Port("y", (n,), tuple(reversed(LABELS)))
    m = Port("m", (2, n), tuple(LABELS), rows=("a", "A"))
    state = Port("state", (), (), "of x", codes=(("state", ("free", "not free", "not-free")),))
    program = trace(lambda x: np.concatenate([x, x, x, x[:1]]), (n,))
    return Kernel("f", (x,), (y, m, state), lambda: program)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_header_of_hostile_labels_compiles(tmp_path, dtype):
    k = kernel(len(LABELS))
    ends = [Constant(("x", "a", "lower"), -0.1), Constant(("x", LABELS[-1], "lower"), -1 / 3e30)]
    text = write_c([("f", k), ("F", k)], "f.h", dtype=dtype, constants={"f": ends})
    assert max(map(len, (text.source + text.header).splitlines())) < 120
    shared_object(tmp_path, "f", text)
    compilers("c++")
    compile_with("c++", *CXX, "-c", tmp_path / "f.c", "-o", tmp_path / "f.o")
    found = dict(re.findall(r"^    (\w+) = (\d+)", text.header, re.MULTILINE))
    n = len(LABELS)
    assert (found["F_X_SIZE"], found["F_M_START"], found["F_M_COLUMNS"], found["F_STATE"]) == (
        str(n),
        str(n),
        str(n),
        str(3 * n),
    )
    assert [found[f"F_STATE_{word}"] for word in ("FREE", "NOT_FREE", "NOT_FREE_2")] == ["0", "1", "2"]
    assert f"#define F_X_A_LOWER {'(-0.1f)' if dtype == 'float32' else '(-0.1)'}\n" in text.header


def test_each_of_several_outputs_has_its_place():
    """Numbers alone have no size; a label that an input has too is told apart by the name of the whole."""
    x = Port("x", (2,), ("a", "b"))
    outputs = (Port("y", (2,), ("a", "b")), Port("z", ()), Port("x", (1,)), Port("w", ()))
    program = trace(lambda x: np.concatenate([x, x[:1], x[:1], x[:1]]), (2,))
    found = dict(constants_of(Kernel("f", (x,), outputs, lambda: program)))
    assert (found["y", "start"], found["y", "size"], found[("z",)], found[("w",)]) == (0, 2, 2, 4)
    assert found[(Kernel("f", (x,), outputs, lambda: program).output.name, "x", "start")] == 3
    alone = dict(constants_of(Kernel("f", (x,), Port("z", ()), lambda: program)))
    assert ("z",) not in alone

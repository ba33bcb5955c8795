"""Several kernels as one: the same numbers, inputs once, and what they share computed once."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.compiler.together import together

LINK = {"axis": [0, 0, 1], "m": 2.0, "r": [0.3, 0, 0], "I": [0.1, 0.2, 0.3]}
ARM = kt.chain([LINK, {**LINK, "axis": [0, 1, 0], "xyz": [0.5, 0, 0]}, {**LINK, "xyz": [0.4, 0, 0]}])


@pytest.mark.slow
def test_they_compute_what_each_computes():
    kernels = [kt.dynamics.bias_torques(ARM), kt.fk(ARM, "tip"), kt.fk(ARM, "q2_link"), kt.velocity(ARM, "tip")]
    whole = together("state", kernels, ["tau", "T_tip", "T", "V"])
    assert [port.name for port in whole.inputs] == ["q", "qd"]
    assert [(port.name, port.shape) for port in whole.outputs] == [
        ("tau", (3,)),
        ("T_tip", (4, 4)),
        ("T", (4, 4)),
        ("V", (6,)),
    ]
    q, qd = np.random.default_rng(3).uniform(-2, 2, (2, 5, 3))
    for ask in (whole, whole.interpret):
        found = ask(q, qd)
        for kernel, result in zip(kernels, found, strict=True):
            expected = kernel.interpret(*(q, qd)[: len(kernel.inputs)])
            np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)
    count, alone = (sum(sum(one.operations.values()) for one in some) for some in ([whole], kernels))
    assert max(sum(one.operations.values()) for one in kernels) < count < 0.9 * alone
    assert "STATE_T_TIP_START = 3," in whole.c_source().header


def test_inputs_of_one_name_are_one():
    a, b = (kt.dynamics.wrench(ARM, frame) for frame in ("tip", "q2_link"))
    assert len(together("one", [a, a], ["w1", "w2"]).inputs) == 2
    with pytest.raises(kt.KinetreeError, match="two has two different inputs 'w'; expected functions of the same"):
        together("two", [a, b], ["w1", "w2"])

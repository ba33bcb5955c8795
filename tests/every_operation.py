"""Programs with every operation of the compiler, for tests of its backends."""

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.compiler.ops import OPS
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program, Step, trace

AWKWARD = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.nan, np.inf, -np.inf, 1e-30]


def kernel(function, *shapes, name="f"):
    program = function if isinstance(function, Program) else trace(function, *shapes)
    inputs = tuple(Port("xyzuvw"[i], shape) for i, shape in enumerate(program.inputs))
    return Kernel(name, inputs, Port("result", program.output), lambda: program)


def every_operation():
    """Each row of OPS on three inputs, without simplification; of what is logical, which of two numbers it chooses."""
    steps, results = [], []
    for op in OPS.values():
        if op.name == "where":
            continue
        steps.append(Step(op.name, tuple(range(op.arity))))
        if op.logical:
            steps.append(Step("where", (3 + len(steps) - 1, 1, 2)))
        results.append(3 + len(steps) - 1)
    return Program(((3,),), (), tuple(steps), tuple(results), (len(results),))


def constant_operations(constants):
    """Each row of OPS on literals alone."""
    steps, results = [], []
    n = 1 + len(constants)
    for op in OPS.values():
        if op.name == "where":
            continue
        steps.append(Step(op.name, tuple(range(1, 1 + op.arity))))
        if op.logical:
            steps.append(Step("where", (n + len(steps) - 1, 1, 2)))
        results.append(n + len(steps) - 1)
    return Program(((1,),), tuple(constants), tuple(steps), tuple(results), (len(results),))


def names_of_results():
    return [op.name for op in OPS.values() if op.name != "where"]

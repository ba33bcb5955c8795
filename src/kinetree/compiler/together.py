"""Several kernels as one, which computes what they share once."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import Program, objects, trace
from kinetree.errors import fail


def together(name: str, kernels: Sequence[Kernel], names: Sequence[str]) -> Kernel:
    """Return the kernel with the outputs of several. Inputs of one name are one input.

    names: of all outputs, one after the other. Raises KinetreeError for inputs of one name that are not the same.
    """
    inputs: dict[str, Port] = {}
    for port in chain.from_iterable(kernel.inputs for kernel in kernels):
        if inputs.setdefault(port.name, port) != port:
            raise fail("option", f"{name} has two different inputs {port.name!r}; expected functions of the same input")
    outputs = [port for kernel in kernels for port in kernel.outputs]
    renamed = tuple(replace(port, name=one) for port, one in zip(outputs, names, strict=True))

    def traced() -> Program:
        def results(*arrays: Any) -> Any:
            given = dict(zip(inputs, arrays, strict=True))
            graph = next(entry for array in arrays for entry in array.ravel()).graph
            for kernel in kernels:
                entries = [entry for port in kernel.inputs for entry in given[port.name].ravel()]
                yield objects(kernel.program.run(entries, graph.constant, graph.apply))

        return trace(lambda *arrays: np.concatenate([*results(*arrays)]), *[port.shape for port in inputs.values()])

    fused = all(kernel.fused for kernel in kernels)
    return Kernel(name, tuple(inputs.values()), renamed, traced, fused=fused)

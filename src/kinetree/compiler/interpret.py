"""The reference interpreter: NumPy runs a program on all configurations at once. Every backend must agree with it."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.compiler.lookup import operation
from kinetree.compiler.program import Program


def interpret(program: Program, *inputs: Any, dtype: DTypeLike = float) -> NDArray[Any]:
    """Return the result (…, *output) of a program for inputs (…, *shape), which are broadcast against each other."""
    arrays = [np.asarray(x, dtype=dtype) for x in inputs]
    cores = [a.ndim - len(shape) for a, shape in zip(arrays, program.inputs, strict=True)]
    batch = np.broadcast_shapes(*(a.shape[:n] for a, n in zip(arrays, cores, strict=True)))
    if program.repeated:
        return _repeated(program, [np.broadcast_to(a, batch + s) for a, s in zip(arrays, program.inputs, strict=True)])
    return _once(program, arrays, batch, dtype)


def _repeated(program: Program, arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Run the program on all states, and again on those whose first number is above zero, until none is left."""
    state, *others = (np.array(a).reshape(-1, *s) for a, s in zip(arrays, program.inputs, strict=True))
    going = np.arange(len(state))
    while going.size:
        made = _once(program, [state[going], *(a[going] for a in others)], (going.size,), state.dtype)
        state[going] = made
        going = going[made.reshape(going.size, -1)[:, 0] > 0]
    return state.reshape(arrays[0].shape)


def _once(program: Program, arrays: list[NDArray[Any]], batch: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    scalars: list[Any] = []
    for array, shape in zip(arrays, program.inputs, strict=True):
        flat = np.broadcast_to(array, batch + shape).reshape(*batch, prod(shape))
        scalars += [flat[..., i] for i in range(prod(shape))]
    out = np.empty((*batch, len(program.results)), dtype=dtype)
    with np.errstate(all="ignore"):
        values = _values(program, scalars, np.dtype(dtype).type)
    for i, value in enumerate(values):
        out[..., i] = value
    return out.reshape(batch + program.output)


def _values(program: Program, inputs: list[Any], number: Any) -> list[Any]:
    """Return the results; each value is dropped after its last use, because batches are large."""
    first = len(inputs) + len(program.constants)
    last_use = {i: n for n, step in enumerate(program.steps) for i in step.args}
    kept = set(program.results)
    values: list[Any] = [*inputs, *map(number, program.constants)]
    for n, (op, args) in enumerate(program.steps):
        values.append(operation(op).meaning(*[values[i] for i in args]))
        for i in args:
            if i >= first and last_use[i] == n and i not in kept:
                values[i] = None
    return [values[i] for i in program.results]

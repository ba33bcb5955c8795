"""Kernels of derivatives of kernels."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from kinetree.arguments import explain_type_errors
from kinetree.compiler import gradients
from kinetree.compiler.kernel import Kernel
from kinetree.errors import fail, unknown_name, wrong_type

Wrt = str | int | Sequence[str | int] | None
"""Inputs of a kernel by their names or numbers; None for all."""

_kernels: WeakKeyDictionary[Kernel, dict[tuple[object, ...], Kernel]] = WeakKeyDictionary()


@explain_type_errors
def vjp(kernel: Kernel, wrt: Wrt = None, *, tangent: bool = False) -> Kernel:
    """Return the derivative of a kernel in reverse mode: a kernel that multiplies cotangents with its Jacobian.

    Its inputs are those of `kernel`, and then a cotangent for each output, such as `T_bar` (…, 4, 4). It returns a
    cotangent for each input, such as `q_bar` (…, nq), the gradient of the sum of the outputs times their cotangents;
    for more than one input a named tuple.

    wrt: inputs by name or number, if not all are wanted. tangent: whether q has a cotangent (…, nv) in the coordinates
    of qd, the derivative along the motions of `kt.dynamics.integrate`; otherwise it is in the coordinates of q, where a
    quaternion has four. They differ for ball and floating joints.

    At a kink (absolute value, minimum) it is the derivative on one side, and NaN where a derivative is infinite. A
    derivative of a derivative is legal. Raises KinetreeError for inputs that the kernel does not have, and, when it is
    first called, for a kernel that repeats its steps.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> fk = kt.fk(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip")
        >>> T_bar = np.zeros((4, 4))
        >>> T_bar[1, 3] = 1.0  # the gradient of y of the tip
        >>> kt.vjp(fk)([0.0, 0.0], T_bar).round(3)
        array([0.7, 0.3])
    """
    return _remembered("vjp", kernel, wrt, tangent=tangent)


@explain_type_errors
def jvp(kernel: Kernel, wrt: Wrt = None, *, tangent: bool = False) -> Kernel:
    """Return the derivative of a kernel in forward mode: a kernel that multiplies its Jacobian with tangents.

    Its inputs are those of `kernel`, and then a tangent for each input, such as `dq` (…, nq). It returns the tangent of
    each output, such as `dT` (…, 4, 4), which is its rate while the inputs change at these rates.

    wrt: inputs by name or number, if the others are constant. tangent: whether the tangent of q is a velocity (…, nv)
    in the coordinates of qd. See `vjp`, also for errors.

    Examples:
        >>> import kinetree as kt
        >>> fk = kt.fk(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), "tip")
        >>> dT = kt.jvp(fk)([0.0, 0.0], [1.0, 0.0])
        >>> dT[:3, 3].round(3) + 0.0  # motion of the tip, m, per rad of q1
        array([0. , 0.7, 0. ])
    """
    return _remembered("jvp", kernel, wrt, tangent=tangent)


def _remembered(mode: str, kernel: Kernel, wrt: Wrt, *, tangent: bool) -> Kernel:
    if not isinstance(kernel, Kernel):
        message = f"kernel is a {type(kernel).__name__}; expected a kernel, such as kt.fk(robot, frame)"
        raise wrong_type("kernel", message)
    if not isinstance(tangent, bool):
        raise wrong_type("tangent", f"tangent is {tangent!r}; expected True or False")
    which = _indices(kernel, wrt)
    known, key = _kernels.setdefault(kernel, {}), (mode, which, tangent)
    if key in known:
        return known[key]
    made = {"vjp": gradients.vjp_kernel, "jvp": gradients.jvp_kernel}[mode](kernel, which, tangent=tangent)
    return known.setdefault(key, made)  # of the first thread


def _indices(kernel: Kernel, wrt: Wrt) -> tuple[int, ...]:
    names = [port.name for port in kernel.inputs]
    asked = range(len(names)) if wrt is None else (wrt,) if isinstance(wrt, (str, int)) else tuple(wrt)
    which = []
    for one in asked:
        if isinstance(one, str) and one not in names:
            raise unknown_name("input", one, names)
        if not isinstance(one, str) and (isinstance(one, bool) or one not in range(len(names))):
            message = f"wrt is {one!r}; expected {', '.join(names)}, or a number from 0 to {len(names) - 1}"
            raise fail("wrt", message)
        which.append(names.index(one) if isinstance(one, str) else int(one))
    if not which or len(set(which)) < len(which):
        raise fail("wrt", f"wrt is {wrt!r}; expected one or more different inputs among {', '.join(names)}")
    return tuple(which)

"""Options that queries share: their types, their defaults, and the decorator of queries that have them.

A query names the arguments that it uses itself, and takes the others as `**options: Unpack[…]` of a class below. Type
checkers and editors read each option from the class, `help` and `inspect.signature` from the decorator.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypedDict, TypeVar, get_args, get_type_hints

from kinetree.arguments import FAULTS, raise_misfit
from kinetree.errors import fail
from kinetree.queries.joint_choice import Joints, with_moving_joints
from kinetree.queries.origins import Origins, with_origins
from kinetree.queries.query import one_of

P = ParamSpec("P")
V = TypeVar("V")

GRAVITY = (0.0, 0.0, -9.81)
"""Acceleration of free fall where z points up, m/s²."""

Gravity = Iterable[float] | None


class JointOptions(TypedDict, total=False):
    """Options of all queries, described in `kinetree.kinematics`."""

    joints: Joints
    at: Any


class OriginOptions(JointOptions, total=False):
    """Options of queries of poses, described in `kinetree.kinematics`."""

    origins: Origins


class MassOptions(OriginOptions, total=False):
    """Options of queries of masses. These and the next are described in `kinetree.dynamics`."""

    parameters: bool


class LoopOptions(MassOptions, total=False):
    """Options of queries of masses that loops would change."""

    loops: str
    driven: Joints


class LoadOptions(LoopOptions, total=False):
    """Options of queries of forces."""

    gravity: Gravity


DEFAULTS = {
    "gravity": GRAVITY,
    "parameters": False,
    "loops": "refuse",
    "driven": None,
    "joints": None,
    "at": None,
    "origins": False,
}
"""Default of each option, in the order of signatures."""


CHOICES = ("ignore", "closed")
"""What is done about loops where an answer is of the tree by default."""


def wants_closed(driven: Joints, loops: str, choices: tuple[str, ...] = CHOICES) -> bool:
    """Return whether loops shall be closed: with driven joints, unless that is refused."""
    if driven is None and loops == choices[0]:
        return False
    one_of("loops", loops, choices)
    if driven is not None and loops not in ("closed", choices[0]):
        raise fail("loops", f"loops is {loops!r}, and driven= closes them; expected loops='closed'")
    return driven is not None or loops == "closed"


def robot_query(function: Callable[P, V]) -> Callable[P, V]:
    """Return a query of which `joints` and `at` choose the joints that move, and `origins` the poses that are an input.

    The query gets the robot with these joints and inputs, and the other options as they are given, without defaults.
    Arguments of wrong types are explained, as by `explain_type_errors`.
    """
    whole = _with_each_option(signature(function))
    annotations = {name: one.annotation for name, one in whole.parameters.items()}
    names = frozenset(annotations)

    @wraps(function)
    def query(*arguments: Any, **options: Any) -> Any:
        try:
            if not names.issuperset(options):
                unknown = min(options.keys() - names)
                if unknown == "driven":
                    message = f"{function.__name__} is not computed for closed loops"
                    raise fail(
                        "driven",
                        message,
                        fix="kt.kinematics.close(robot, driven) closes them: it gives q of all joints",
                    )
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown!r}")
            if not CHOSEN.isdisjoint(options):
                return _with_choices(function, *arguments, **options)
            return function(*arguments, **options)
        except FAULTS as fault:
            raise_misfit(query, arguments, options, fault)
            raise

    vars(query)["__signature__"] = whole
    query.__annotations__ = {**annotations, "return": whole.return_annotation}
    return query


CHOSEN = {"joints", "at", "origins"}
"""Options that `robot_query` applies."""


def _with_choices(
    function: Callable[..., Any],
    robot: Any = None,
    *arguments: Any,
    joints: Joints = None,
    at: Any = None,
    origins: Origins = False,
    **options: Any,
) -> Any:
    chosen = with_moving_joints(robot, joints, at, unlocked=origins is not False)
    return function(with_origins(chosen, origins, robot), *arguments, **options)


def _with_each_option(written: Signature) -> Signature:
    """Return a signature that ends with `**options: Unpack[…]`, with the options one by one instead."""
    *parameters, last = written.parameters.values()
    (options,) = get_args(last.annotation)
    types = get_type_hints(options)
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=types[name])
        for name, default in DEFAULTS.items()
        if name in types
    ]
    return written.replace(parameters=parameters)

"""The operations with a constant table (`kinetree.compiler.lookup`) as statements of C and JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kinetree.compiler.lookup import Chosen, Column, Farthest, Leasts, Lookup, Nearest, Pairs, Part


@dataclass(frozen=True)
class Dialect:
    """How a language writes what the loops need.

    numbers, integers: beginning of an array of constants of a name, to be followed by ` = ` and `array` of its entries;
    given: likewise, of numbers that differ from call to call.
    whole, number: beginning of a variable. memory: the statement that makes room for so many numbers. literal: of a
    number. root, infinity: a square root, and the number beyond all others. as_index: a number as an index.
    """

    numbers: str
    given: str
    integers: str
    array: str
    whole: str
    number: str
    memory: str
    literal: Callable[[float], str]
    root: str
    size: str
    infinity: str
    as_index: str


def statements(op: Lookup, local: str, args: Sequence[str], d: Dialect) -> list[str]:
    """Return the statements that compute a step, and declare its result under the name `local`.

    The names of all variables that they need begin with it.
    """
    match op:
        case Nearest(pairs):
            search = _search(local, pairs, str(len(pairs.skip)), d, f"{local} = {local}_k;")
            start = [f"{d.whole}{local}_g = 0;", f"{d.number}{local}_best = {d.infinity};"]
            tables = [*_points(local, args, d), *_tables(local, pairs, d)]
            return [*tables, f"{d.number}{local} = {d.literal(0.0)};", *start, *search]
        case Leasts():
            return [
                *_points(local, args, d),
                *_tables(local, op.pairs, d),
                _integers(f"{local}_end", op.ends, d),
                d.memory.format(name=local, count=2 * len(op.ends) - 2),
                f"for ({d.whole}{local}_i = 0; {local}_i < {len(op.ends) - 1}; {local}_i++) {{",
                f"{d.whole}{local}_g = {local}_end[{local}_i];",
                f"{d.number}{local}_best = {d.literal(float(op.most[0]))};",
                f"{d.number}{local}_found = {d.literal(0.0)};",
                *_search(local, op.pairs, f"{local}_end[{local}_i + 1]", d, f"{local}_found = {local}_k;"),
                f"{local}[{local}_i] = {local}_best;",
                f"{local}[{local}_i + {len(op.ends) - 1}] = {local}_found;",
                "}",
            ]
        case Part(number):
            return [f"{d.number}{local} = {args[0]}[{number}];"]
        case Column():
            values = _numbers(f"{local}_of", op.values, d)
            return [values, f"{d.number}{local} = {local}_of[{d.as_index.format(args[0])}];"]
        case Chosen(_, axis):
            array = f"{d.given.format(f'{local}_of')} = {d.array.format(', '.join(args[1 + axis :: 3]))};"
            return [array, f"{d.number}{local} = {local}_of[{d.as_index.format(args[0])}];"]
        case Farthest():
            first, last = (d.as_index.format(arg) for arg in args[:2])
            far = " + ".join(f"{local}_row[3 * {local}_k + {axis}] * {x}" for axis, x in enumerate(args[2:]))
            return [
                _numbers(f"{local}_row", op.rows.ravel(), d),
                f"{d.number}{local} = {args[0]};",
                f"{d.number}{local}_best = -{d.infinity};",
                f"for ({d.whole}{local}_k = {first}; {local}_k < {last}; {local}_k++) {{",
                f"{d.number}{local}_far = {far};",
                f"if ({local}_far > {local}_best) {{ {local}_best = {local}_far; {local} = {local}_k; }}",
                "}",
            ]


def _numbers(name: str, values: Iterable[float], d: Dialect) -> str:
    return f"{d.numbers.format(name)} = {d.array.format(', '.join(d.literal(float(x)) for x in values))};"


def _integers(name: str, values: Iterable[int], d: Dialect) -> str:
    return f"{d.integers.format(name)} = {d.array.format(', '.join(str(x) for x in values))};"


def _points(local: str, args: Sequence[str], d: Dialect) -> list[str]:
    return [f"{d.given.format(f'{local}_at')} = {d.array.format(', '.join(args))};"]


def _tables(local: str, pairs: Pairs, d: Dialect) -> list[str]:
    integers = ("first", "second", "group_first", "group_second", "skip", "start")
    found = [_integers(f"{local}_{name}", getattr(pairs, name), d) for name in integers]
    found += [_numbers(f"{local}_{name}", getattr(pairs, name), d) for name in ("reach", "group_reach")]
    if pairs.boxes is not None:
        found.append(_numbers(f"{local}_box", pairs.boxes.ravel(), d))
    return found


def _search(local: str, pairs: Pairs, last: str, d: Dialect, note: str) -> list[str]:
    """Return the loop over groups from their number `_g` up to `last`, which lowers `_best`; note: what is done
    then."""
    k, g, best = f"{local}_k", f"{local}_g", f"{local}_best"
    group, own = f"{local}_wide", f"{local}_own"
    square = _square(own, local, f"{local}_first[{k}]", f"{local}_second[{k}]", d)
    if pairs.boxes is not None:
        square = _square_of_box(own, local, k, d)
    root = d.root.format(own)
    return [
        f"while ({g} < {last}) {{",
        *_square(group, local, f"{local}_group_first[{g}]", f"{local}_group_second[{g}]", d),
        f"{d.number}{group}_far = {best} + {local}_group_reach[{g}];",
        f"if (!({group} < {group}_far * {d.size.format(f'{group}_far')})) {{ {g} = {local}_skip[{g}]; continue; }}",
        f"for ({d.whole}{k} = {local}_start[{g}]; {k} < {local}_start[{g} + 1]; {k}++) {{",
        *square,
        f"{d.number}{own}_far = {best} + {local}_reach[{k}];",
        f"if ({own} < {own}_far * {d.size.format(f'{own}_far')}) {{ {best} = {root} - {local}_reach[{k}]; {note} }}",
        "}",
        f"{g} = {g} + 1;",
        "}",
    ]


def _square(name: str, local: str, a: str, b: str, d: Dialect) -> list[str]:
    """Return the square of the distance of two points, under a name."""
    axes = [f"{d.number}{name}_{i} = {local}_at[3 * {a} + {i}] - {local}_at[3 * {b} + {i}];" for i in range(3)]
    return [*axes, f"{d.number}{name} = {' + '.join(f'{name}_{i} * {name}_{i}' for i in range(3))};"]


def _square_of_box(name: str, local: str, k: str, d: Dialect) -> list[str]:
    """Return the square of how far a point lies outside of a box, under a name."""
    found = _square(name, local, f"{local}_first[{k}]", f"{local}_second[{k}]", d)[:3]
    for axis in range(3):
        at = f"3 * ({local}_second[{k}] + {1 + axis})"
        along = " + ".join(f"{name}_{i} * {local}_at[{at} + {i}]" for i in range(3))
        low, high = (f"{local}_box[6 * {k} + {3 * end + axis}]" for end in (0, 1))
        found += [
            f"{d.number}{name}_low{axis} = {low} - ({along});",
            f"{d.number}{name}_high{axis} = ({along}) - {high};",
            f"{d.number}{name}_out{axis} = {name}_low{axis} > 0 ? {name}_low{axis} : "
            f"{name}_high{axis} > 0 ? {name}_high{axis} : {d.literal(0.0)};",
        ]
    return [*found, f"{d.number}{name} = {' + '.join(f'{name}_out{i} * {name}_out{i}' for i in range(3))};"]

"""Expressions of xacro mean what they mean in Python: each is held to Python's own `eval`."""

import builtins
import math
import tracemalloc
from contextlib import nullcontext
from copy import deepcopy
from types import SimpleNamespace

import pytest
from hypothesis import given, settings, strategies as st

import kinetree as kt
from each import each
from kinetree.formats.xacro.budget import MAX_STEPS_IN_ALL, Budget, YamlDict, YamlList, size_of, with_dots
from kinetree.formats.xacro.expressions import NameSpace, evaluate, parse
from kinetree.formats.xacro.functions import FUNCTIONS, MATHEMATICS, OF_XACRO
from kinetree.formats.xacro.names import eval_names, global_names, is_valid_name
from support import soon

BUILTINS = (
    {name: __builtins__[name] for name in FUNCTIONS}
    if isinstance(__builtins__, dict)
    else {name: getattr(__builtins__, name) for name in FUNCTIONS}
)
DATA = {
    "a": 3,
    "b": -2.5,
    "flag": True,
    "text": "left_arm, right_arm",
    "items": [3, 1, 2],
    "pair": (1, "x"),
    "table": {"mass": 2.5, "joints": ["j1", "j2"], 1: "one"},
    "nothing": None,
}


def ours(expression):
    python = NameSpace("python", FUNCTIONS.__getitem__, FUNCTIONS)
    names = {**MATHEMATICS, **FUNCTIONS, **OF_XACRO, "python": python, **deepcopy(DATA)}

    def value(name):
        if name not in names:
            raise NameError(f"name {name!r} is not defined")
        return names[name]

    return evaluate(expression, value, Budget())


def python(expression):
    mathematics = {name: getattr(math, name) for name in MATHEMATICS}
    return eval(expression, {"__builtins__": {}, **mathematics, **BUILTINS, **deepcopy(DATA)})


def outcome(function, expression):
    """The value and its type, at every depth; or the type of the error."""
    try:
        return repr(function(expression))
    except Exception as error:
        return type(error).__name__


EXPRESSIONS = """
1 + 2 * 3 - 4 / 5 // 6 % 7
-a ** 2 + +a
2 ** -1
a ** 0.5
b % 2
7 % -3
1 / 0
a == 3 and b < 0 or nothing
not flag
0 < a < 5 < b
1 < a > 2 != 4
a if flag else b / 0
'x' if a > 5 else 'y'
a is nothing
nothing is None
1 in items
5 not in items
'left' in text
'mass' in table
1 in table
3 in range(5)
items[0] + items[-1]
items[1:]
items[::-1]
text[5:8]
pair[1]
table['mass'] * 2
table[1]
table['no']
items[9]
items['x']
items[1.5]
a[0]
[*items, *pair]
(a, b)
(a,)
{'x': a, **table}
{'x': 1, 'x': 2}
[x * 2 for x in items]
[x for x in items if x > 1 if x < 3]
[(x, y) for x in range(3) for y in range(x)]
[x + y for x, y in zip(items, range(9))]
[[x, y] for x, (y, z) in [(1, (2, 3))]]
[x for x, y in [(1, 2, 3)]]
{x: x * x for x in items}
sum(x for x in items)
[x for x in items] + [y for y in items if y > x]
list(map(str, items))
list(map(max, items, [2, 2, 2]))
list(filter(None, [0, 1, '', 'a']))
list(filter(str.isdigit, 'a1'))
list(zip(items, 'abc'))
list(zip([1], [1, 2], strict=True))
list(enumerate('ab', 1))
list(enumerate('ab', start=2))
list(reversed(items))
list(reversed(range(3)))
reversed(1)
list(3)
sorted(items)
sorted(items, reverse=True)
sorted(['b', 'A'], key=str.lower)
sorted(table)
min(items)
max(1, 2.5, a)
min(items, key=str)
min([], default=7)
max([])
sum(items, 10)
sum([0.1] * 10)
sum([[1], [2]], [])
sum(['a'])
all([1, 0])
any([0, 1])
any(x == 1 for x in [1, 2])
len(text) + len(table) + len(range(4))
len(3)
abs(b)
round(b)
round(2.675, 2)
round(1234, -2)
round('x')
divmod(7, 2)
int('12') + int(3.9) + int('ff', 16)
int('x')
float('1e3')
float(nothing)
bool('') or bool('0')
str(b) + str(items) + str(table) + str(nothing)
str(1e16) + str(0.1 + 0.2) + str(-0.0) + str(1e-7)
repr('a') + repr(1.0)
complex(1, 2) * 1j
ord('a')
ord('ab')
list('abc')
tuple(items)
set(items) - set([1])
1 in set(items)
set(items) < set([1, 2, 3, 4])
frozenset(items)
dict(x=1, y=2)
dict([('x', 1)], y=2)
dict(table, z=3)
dict([1])
{**table, 'q': 1}
{**[('x', 1)]}
{**[], 'q': 1}
{**text}
dict(**[('x', 1)])
dict(**nothing)
isinstance(a, int)
isinstance(flag, (str, int))
isinstance(a, str)
isinstance(table, dict)
items + [4]
items + (4,)
items * 2
2 * 'ab'
'ab' * 0
'ab' * -1
'a' + 1
'a' + 'b'
items < [4]
'a' < 1
[1, [2, 3]] == [1, [2, 3]]
pair == (1, 'x')
text.split(', ')
text.split(',', 1)
text.split()
text.rsplit('_', maxsplit=1)
text.upper().lower().title()
text.replace('arm', 'leg')
text.replace('arm', 'leg', 1)
text.startswith('left')
text.endswith(('arm', 'leg'))
text.find('arm') + text.rfind('arm') + text.index('r')
text.index('zzz')
text.count('arm')
text.partition('_')
text.strip('l')
text.removeprefix('left_')
text.isdigit() or 'a1'.isalnum()
' x '.strip() + 'x'.ljust(3, '-') + 'x'.rjust(3) + 'x'.center(5) + '7'.zfill(3)
'-'.join(['a', 'b'])
' '.join(map(str, items))
'-'.join(x for x in 'abc')
'-'.join([1])
str.upper('a')
list(map(str.upper, [1]))
list(map(str.strip, [' a ', 'b']))
str.join('-', ['a', 'b'])
items.index(1) + items.count(3)
items.copy()
pair.index('x')
table.get('mass') + table.get('no', 1)
table.get('no')
list(table.keys())
list(table.values())
list(table.items())
[k for k in table]
[str(k) + '=' + str(v) for k, v in table.items()]
(2.0).is_integer()
a.bit_length()
'%d %s %5.2f %-5s|%05d %x %%' % (a, text, b, 'ab', 7, 255)
'%s' % items
'%s' % (items,)
'%(mass)s' % table
'%d' % 'a'
'%s %s' % 1
'{} {} {{}}'.format(a, text)
'{1} {0} {x}'.format(a, b, x=5)
'{:.3f} {:>6} {:05d} {:<4}| {:^5} {:e} {:x} {:,} {:+} {:%}'.format(b, 'a', 7, 'b', 'c', 1.5, 255, 12345, 3, 0.5)
'{!r} {!s}'.format('a', 'b')
'{}'.format(items)
'{}'.format()
'{x}'.format(y=1)
'{:d}'.format('a')
'{:5}'.format(items)
'{!a} {!r} {!s}'.format('ä', 'ä', 'ä')
type(None) == type(None)
type(a) == int
'a' 'b'
sin(pi / 3) + cos(1) + tan(0.5) + atan2(1, -2) + hypot(3, 4, 12)
radians(180) + degrees(pi)
sqrt(-1)
log(8, 2) + log10(100) + log2(8) + exp(1)
floor(b) + ceil(b) + trunc(b)
fsum([0.1] * 10)
prod([1, 2, 3.5])
prod([2, 3], start=4)
gcd(12, 18) + lcm(4, 6) + factorial(5) + comb(5, 2) + perm(5, 2)
isclose(1.0, 1.0 + 1e-10)
isclose(1, 2, rel_tol=1)
dist([0, 0], [3, 4])
inf > 1e308
isnan(nan)
1e400
undefined
a.nothing
text.nothing
a()
1 +
)
a b
""".strip().splitlines()


REFUSED = {
    "lambda x: x": "a lambda may not be used in an expression; expected numbers, texts, names, lists,",
    "[(lambda: i)() for i in items]": "a lambda may not be used",
    "f'{a}'": "an f-string may not be used in an expression; expected",
    "{1, 2}": "a set in braces may not be used in an expression; expected",
    "{x for x in items}": "a set in braces may not be used",
    "(z := 1)": "an assignment (:=) may not be used",
    "[await x for x in items]": "await may not be used",
    "[x async for x in items]": "async may not be used",
    "(yield)": "yield may not be used",
    "(yield from items)": "yield from may not be used",
    "a & 1": "the operator & may not be used in an expression; expected + - * / // % ** and or not",
    "a | 1": "the operator | may not be used",
    "a ^ 1": "the operator ^ may not be used",
    "a << 1": "the operator << may not be used",
    "a >> 1": "the operator >> may not be used",
    "~a": "the operator ~ may not be used",
    "a @ b": "the operator @ may not be used",
    "text.__class__": "'__class__' may not be used in an expression; expected names that do not begin with two under",
    "dict(__class__=1)": "'__class__' may not be used",
    "__name": "'__name' may not be used",
    "b'x'": "a value of type 'bytes' may not be used",
    "...": "a value of type 'ellipsis' may not be used",
    "[1 for items[0] in items]": "items[0] may not be used after `for`; expected names",
    "[1 for *x, y in [pair]]": "*x may not be used after `for`",
    "text.encode()": "a text has no 'encode' in an expression; expected capitalize, casefold,",
    "items.sorted()": "a list has no 'sorted' in an expression; expected append, clear, copy,",
    "python.vars()": "name 'python.vars' is not defined; did you mean",
    "[1 for x, y in [items]]": "3 values for 2 names",
    "list.append": "a function has no 'append' in an expression",
    "type(len)": "type() takes a value, not a function",
    "str.mro()": "a function has no 'mro' in an expression",
    "'{0.real}'.format(a)": "format '{0.real}'; expected fields such as {}, {0}, {name} and {:>8.3f}, widths",
    "'{0[0]}'.format(items)": "format '{0[0]}'; expected fields",
    "'{:{}}'.format(a, 5)": "format '{:{}}'; expected fields",
    "'{:1000}'.format(a)": "format '{:1000}'; expected fields",
    "'%1000d' % a": "format '%1000d'; expected %s, %d, %5.2f and the like, widths below 1000",
    "'%*d' % (5, a)": "format '%*d'; expected %s",
    "tokenize('a', '[')": "tokenize() at '['; expected separators other than",
    "tokenize(1)": "tokenize() splits a text at the characters of another",
    "tokenize('a', 1)": "tokenize() splits a text at the characters of another",
    "dotify(1)": "dotify() takes a dictionary",
    "table.new": "a table has no 'new' in an expression; expected clear, copy, get, items,",
}


@each("expression", REFUSED)
def test_refused_with_what_is_legal(expression):
    with pytest.raises((kt.KinetreeError, AttributeError, NameError, TypeError, ValueError)) as caught:
        ours(expression)
    assert REFUSED[expression] in str(caught.value)


LIMITS = {  # at a limit, and above it
    "list(range(33000))": "list(range(50000))",
    "2 ** 4095": "2 ** 4096",
    "-1 ** 10000": "3 ** 9000",
    "[('a' * 9999).isdigit() for i in range(99)]": "[t.isdigit() for t in ['a' * 90000] for i in range(999)]",
    "'{:999}'.format(1)": "('{:999}' * 2001).format(*[1] * 2001)",
    "'%.3s' % text": "('%.0s' * 400) % (('a' * 9999,) * 400)",
    "'{!r:.3}'.format(text)": "('{0!r:.0}' * 3000).format([0] * 1000)",
    "int('9' * 1000)": "int('9' * 4301)",
    "sum(range(49000))": "sum(range(99000)) + sum(range(9000))",
    "[x == items for x in [[0] * 99] * 99]": "[x == y for x in [[0] * 9999] * 9 for y in [[0] * 9999] * 9]",
    "[0 in x for x in [[0] * 99] * 99]": "[1 in x for i in range(99) for x in [[0] * 9999]]",
    "[i in table for i in range(999)]": "[(0,) * 9999 in table for i in range(9)]",
    "[table[1] for i in range(9999)]": "[table.get((0,) * 9999) for i in range(9)]",
    "len(dict([(i, 0) for i in range(1000)]))": "dict([(i, 0) for i in range(3000)])",
    "len({i: 0 for i in range(1000)})": "{i: 0 for i in range(3000)}",
    "len(dict([(str(i), 0) for i in range(3000)]))": "dict([(str(i), 0) for i in range(60000)])",
    "[items.append(0) for i in range(50)]": "[items.append(0) for i in range(5000)]",
    "[items.extend(items) for i in range(9)]": "[items.extend(items) for i in range(20)]",
    "items.insert(0, pair)": "items.append(items)",
    "items.extend([items.copy()] * 9)": "[items.insert(0, items.copy()) for i in range(50)]",
    "table.update(x=items)": "table.update(x=table)",
    "table.setdefault('joints', table)": "table.setdefault('x', table)",
    "[table.update([(str(i), i)]) for i in range(99)]": "[table.update([(i, i)]) for i in range(9999)]",
    "map(items.append, [1, 2])": "list(map(items.append, items))",
    "sum([[1], [2]], [])": "sum([[1]] * 40000, [])",
}


@pytest.mark.slow
@each("within", LIMITS)
def test_limits(within):
    assert repr(ours(within)) != ""
    with pytest.raises(kt.KinetreeError) as caught:
        ours(LIMITS[within])
    assert caught.value.findings[0].code in ("xacro-size", "xacro-expression")


EDGES = {  # expressions, and the largest N with which they are evaluated
    "'a' * N": 100_000,
    "N * 'ab'": 100_000,
    "['ab' * N]": 100_000,
    "'a' * N + 'b'": 100_000,
    "'x'.ljust(N)": 999_999,
    "len(('a' * 990).replace('a', 'b' * N))": 1003,
    "len(('a' * 90).replace('', 'b' * N))": 10_814,
    "len(('a' * N).join(['b'] * 999))": 980,
    "len(('%999d' * N) % ((1,) * N))": 145,
    "'%Nd' % 1": 999,
    "'%.Nf' % 1.5": 999,
    "'{:.Nf}'.format(1.5)": 999,
    "prod([2] * N)": 4095,
    "prod([2 ** 100] * N) * 0": 40,
    "lcm(2 ** 4000, 2 ** N) * 0": 4095,
    "3 ** N": 2584,
    "factorial(N) * 0": 536,
    "comb(N, 0)": 1000,
    "perm(N, 1)": 1000,
    "round(5, N)": 1000,
    "round(5, -N)": 1000,
    "len(set(range(N)))": 1776,
    "(0,) * N": 33_333,
}


def test_the_largest_values():
    for text, most in EDGES.items():
        assert ours(text.replace("N", str(most))) is not None
        with pytest.raises(kt.KinetreeError) as caught:
            ours(text.replace("N", str(most + 1)))
        assert caught.value.findings[0].code in ("xacro-size", "xacro-expression"), text


NUMBERED = dict.fromkeys(range(1000), 0)
COSTS = [  # an expression, the value of x, and the fewest and most steps that it takes
    ("1 + 1", None, 4, 10),
    ("'a' in x", {str(i): 0 for i in range(1000)}, 20, 40),
    ("1 in x", NUMBERED, 20, 40),
    ("x[1]", NUMBERED, 20, 40),
    ("x['a'][0]", with_dots({"a": [0] * 1000}), 100, 150),
    ("x == 'a'", "b" * 9000, 900, 1000),
    ("'a' == x", "b" * 9000, 900, 1000),
    ("x is None", "b" * 9000, 0, 10),
    ("'%.0s' % x", "b" * 9000, 900, 1000),
    ("x[1:] is x", [0] * 1000, 1999, 2100),
    ("x.count('a' * 100)", "b" * 10_000, 1000, 1500),
    ("x.get(5)", {str(i): 0 for i in range(1000)}, 0, 1500),
    ("x.append(1)", [0] * 1000, 400, 500),
    ("x.update([(i, i) for i in range(1000)])", {}, 40_000, 60_000),
    ("len(set(range(1000)))", None, 60_000, 70_000),
    ("len([2 ** 4000] * 100)", None, 24_000, 30_000),
    ("sum(range(1000))", None, 2000, 2100),
]


@each("expression, x, fewest, most", COSTS)
def test_steps_of_an_expression(expression, x, fewest, most):
    """Steps are in proportion to the work, also if the result is small."""
    budget = Budget()
    evaluate(expression, {**FUNCTIONS, "x": deepcopy(x)}.__getitem__, budget)
    assert fewest <= MAX_STEPS_IN_ALL - budget.left <= most


@each(
    "expression",
    [
        "'x'.ljust(10**8)",
        "('a' * 9999).join(['b'] * 9999)",
        "('a' * 9999).replace('a', 'b' * 9999)",
        "'%99999999d' % 1",
        "'{:99999999}'.format(1)",
        "('%999d' * 9000) % ((1,) * 9000)",
        "[0] * 10**8",
    ],
)
def test_refused_before_it_takes_memory(expression):
    tracemalloc.start()
    try:
        with pytest.raises(kt.KinetreeError):
            ours(expression)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_an_expression_pays_for_the_properties_that_it_evaluates():
    budget = Budget()
    names = {**FUNCTIONS, "x": [0] * 99_999}

    def value(name):
        return evaluate("1 + 1", {}.__getitem__, budget) if name == "two" else names[name]

    with pytest.raises(kt.KinetreeError, match="more than 200000 steps"):
        evaluate("[[two for i in range(999)] for j in range(999)]", value, budget)
    assert budget.left > 700_000


def test_types_of_data_of_yaml():
    names = {**FUNCTIONS, "x": with_dots({"a": [1]})}
    assert (
        evaluate("[type(x) == dict, type(x.a) == list, isinstance(x.a, list)]", names.__getitem__, Budget())
        == [True] * 3
    )


def test_a_list_that_grows_is_measured_in_others():
    """Ten thousand references to a list are small until it grows; printing them would take 3 GB."""
    inner = [0]
    names = {**FUNCTIONS, "inner": inner, "outer": [inner] * 10_000}
    assert evaluate("len(outer)", names.__getitem__, Budget()) == 10_000
    evaluate("inner.extend(inner * 30)", names.__getitem__, Budget())
    for expression in ("outer", "str(outer)", "outer == [inner]", "'%s' % outer", "[outer]", "outer.count(0)"):
        with pytest.raises(kt.KinetreeError, match="a value of a size above"):
            evaluate(expression, names.__getitem__, Budget())


def test_a_list_that_has_grown_is_refused_before_a_method_compares_it():
    inner = [0] * 30_000
    names = {"twin": list(inner), "outer": [inner] * 10_000}

    def refused():
        with pytest.raises(kt.KinetreeError, match="a value of a size above"):
            evaluate("outer.count(twin)", names.__getitem__, Budget())

    soon(0.5, refused)


def test_files_and_expressions_share_their_steps():
    for in_files, refused in [(800_000, False), (950_000, True)]:
        budget = Budget()
        budget.spend_in_all(in_files)
        with pytest.raises(kt.KinetreeError) if refused else nullcontext():
            evaluate("[0] * 33_000", {}.__getitem__, budget)
    with pytest.raises(kt.KinetreeError, match="the files they read take more than 1000000 steps"):
        budget.spend_in_all(50_001)


def test_an_expression_that_is_refused_leaves_steps_to_others():
    budget = Budget()
    with pytest.raises(kt.KinetreeError):
        evaluate("[0 for i in x for j in x for k in x]", {"x": [0] * 99}.__getitem__, budget)
    assert budget.left > 700_000
    assert evaluate("1 + 1", {}.__getitem__, budget) == 2


def test_as_in_python():
    for expression in EXPRESSIONS:
        assert (expression, outcome(ours, expression)) == (expression, outcome(python, expression))


OPERATORS = ["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", "in", "and", "or", "is"]
CALLED = ["str", "len", "int", "float", "bool", "abs", "round", "sorted", "list", "tuple", "sum", "min", "max", "repr"]
SCALARS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(-3, 3).map(repr),
    st.sampled_from(["a", "b", "flag", "text", "items", "pair", "table", "nothing", "pi", "'x'", "[]", "undefined"]),
)
TREES = st.recursive(
    SCALARS,
    lambda part: st.one_of(
        st.tuples(
            part,
            st.sampled_from(OPERATORS),
            part,
        ).map("({0[0]} {0[1]} {0[2]})".format),
        st.tuples(st.sampled_from(["-", "not ", "+"]), part).map("({0[0]}{0[1]})".format),
        st.tuples(part, part, part).map("({0[0]} if {0[1]} else {0[2]})".format),
        st.tuples(part, part).map("{0[0]}[{0[1]}]".format),
        st.tuples(part, part, part).map("{0[0]}[{0[1]}:{0[2]}]".format),
        st.lists(part, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.tuples(
            st.sampled_from(CALLED),
            part,
        ).map("{0[0]}({0[1]})".format),
        st.tuples(part, part, part).map("[{0[0]} for x in {0[1]} if {0[2]}]".format),
        st.tuples(part, part).map("'{{}}-{{:>4}}'.format({0[0]}, {0[1]})".format),
        st.tuples(part, part).map("'%s-%s' % ({0[0]}, {0[1]})".format),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TREES)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.slow
def test_random_ones_as_in_python(expression):
    assert outcome(ours, expression) == outcome(python, expression)


def expand(tmp_path, value, yaml=""):
    (tmp_path / "d.yaml").write_text(yaml)
    path = tmp_path / "r.xacro"
    head = "<xacro:property name='d' value=\"${xacro.load_yaml('d.yaml')}\"/>"
    path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{head}<link name="{value}"/></robot>')
    return next(iter(kt.load(path).links))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${d.arm.mass}", "2.5"),
        ("${d['arm'].joints[0].name}", "j1"),
        ("${[j.name for j in d.arm.joints]}", "['j1', 'j2']"),
        ("${d.get('arm').mass}", "2.5"),
        ("${d.arm.items()[0]}", "('mass', 2.5)"),
        ("${d.tilt}", str(math.pi / 2)),
        ("${d.reach}", "0.03"),
        ("${xacro.dotify(dict(x=dict(y=3))).x.y}", "3"),
        ("${' '.join(xacro.tokenize('a, b;c'))}", "a b c"),
        ("${xacro.tokenize('a,,b', ',', skip_empty=False)}", "['a', '', 'b']"),
        ("${d.arm is None}${type}", None),
        ("a$b", "a$b"),
        ("$${a}", None),
        ("x${1}y${2}$", "x1y2$"),
        ("${d.day}", "2026-01-02"),
    ],
)
def test_what_a_file_sees(tmp_path, value, expected):
    yaml = (
        "arm: {mass: 2.5, joints: [{name: j1}, {name: j2}]}\n"
        "tilt: !degrees 90\nreach: !millimeters 15 * 2\nday: 2026-01-02\n"
    )
    if expected is None:
        with pytest.raises(kt.KinetreeError):
            expand(tmp_path, value, yaml)
    else:
        assert expand(tmp_path, value, yaml) == expected


def test_the_steps_of_a_file_add_up(tmp_path):
    line = '<xacro:property name="p{0}" value="${{sum(range(60000))}}"/><link name="l{0}" x="${{p{0}}}"/>'
    many = "".join(line.format(i) for i in range(40)).replace("sum", "python.sum").replace("range", "python.range")
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{many}</robot>', format="xacro")
    assert caught.value.findings[0].code == "xacro-size"


def test_sizes_of_values():
    """An item counts 2, ten characters 1, as the message has it; so do 32 bits, and keys other than texts collide."""
    sizes = {
        1: [None, True, 1.5, 0, 2**31 - 1, "a" * 9, (), {}, set(), range(0), len],
        2: [2**31, -(2**31), 2**62, "a" * 10, "a" * 19],
        3: [2**63, [0], {"a"}, range(2)],
        129: [2**4096 - 1],
    }
    functions = {len: FUNCTIONS["len"]}
    for size, values in sizes.items():
        assert [size_of(functions.get(value, value) if callable(value) else value) for value in values] == [size] * len(
            values
        )
    assert [size_of({"a": 1}), size_of([[0], [0]]), size_of(with_dots({"a": [1, "b" * 10]}))] == [4, 9, 9]
    assert [size_of(set(range(n))) for n in (7, 8, 50)] == [15, 18, 151]
    assert [size_of(dict.fromkeys(range(n))) for n in (7, 8, 50)] == [22, 26, 201]


@each(
    "part, change",
    [
        ("x.inner", ".update({'n': 5})"),
        ("x['inner']", ".clear()"),
        ("x.inner", ".setdefault('n', 5)"),
        ("x.inner.deep", ".update({'n': 5})"),
        ("x.rows", ".append(5)"),
        ("x.rows[0]", ".update({'n': 5})"),
        ("x.rows[1]", ".append(5)"),
        ("x.rows[-1]", ".clear()"),
        ("[row for row in x.rows][0]", ".clear()"),
        ("x.rows[0:1]", ".append(5)"),
    ],
)
def test_a_part_of_yaml_data_that_is_read_is_a_copy(part, change):
    data = {"inner": {"deep": {"a": 1}}, "rows": [{"b": 2}, [3]]}
    x = with_dots(data)
    before = evaluate(part, {**FUNCTIONS, "x": x}.__getitem__, Budget())
    assert evaluate(f"[{part}{change}, {part}]", {**FUNCTIONS, "x": x}.__getitem__, Budget())[1] == before
    assert x == data


def test_yaml_data_keep_their_kind_at_every_depth():
    data = with_dots({"a": [{"b": 1}]})
    assert (type(data), type(data["a"]), type(data["a"][0])) == (YamlDict, YamlList, YamlDict)


@each("name, valid", [("a_1", True), ("1a", False), ("for", False), ("match", True), ("ﬁ", False), ("a b", False)])
def test_names_of_properties(name, valid):
    assert is_valid_name(name) is valid


def test_a_chain_of_operators_has_the_same_limit_on_every_python():
    assert ours("+".join("1" * 2501)) == 2501
    with pytest.raises(kt.KinetreeError, match="nested too deep"):
        ours("+".join("1" * 2502))


@each(
    "text",
    [
        "-" * 20_000 + "1",
        "~" * 10_000 + "1",
        "not " * 4_000 + "1",
        "1" + "+1" * 9_000,
        "1" + "**1" * 6_000,
        "a" + ".b" * 6_000,
        "a" + "[0]" * 6_000,
        "1 if a else " * 1_600 + "b",
        "(" * 9_000 + "1" + ")" * 9_000,
        "[" * 9_000 + "]" * 9_000,
        "f(" * 6_000 + ")" * 6_000,
    ],
)
def test_an_expression_that_is_nested_too_deep_is_refused(text):
    """Python gives up with one of three errors, by the kind and depth of what is nested."""
    try:
        parse(text)
    except SyntaxError as error:
        assert "too many nested" in str(error)
    except kt.KinetreeError as error:
        assert error.findings[0].code == "xacro-recursion"


MISUSED = {
    "xacro.pi": "NameError: name 'xacro' is not defined",
    "python": "TypeError: 'python' is a name space; write python.NAME",
    "python['len']([1])": "1",
    "python.none": "NameError: ",
    "{**3}": "TypeError: 'int' object is not a mapping",
    "dict(**[1])": "TypeError: ",
    "isinstance(1, 2)": "TypeError: isinstance() arg 2 must be a type or a tuple of types",
    "isinstance(1, (int, len))": "TypeError: isinstance() arg 2 must be a type or a tuple of types",
    "isinstance(1, (str, int))": "True",
    "sum(['a'], '')": "TypeError: sum() can't sum strings [use ''.join(seq) instead]",
    "sum([[1], [2]], [])": "[1, 2]",
    "factorial('a')": "TypeError: factorial() takes numbers",
    "prod([2, 3], start='a')": "TypeError: prod() takes numbers",
    "prod([2, 3], start=2)": "12",
    "tokenize(1)": "TypeError: tokenize() splits a text at the characters of another",
    "tokenize('a', 1)": "TypeError: tokenize() splits a text at the characters of another",
    "tokenize('a,,b; c')": "['a', 'b', 'c']",
    "tokenize('a,,b', ',', False)": "['a', '', 'b']",
    "tokenize('a-b', '-')": "['a', 'b']",
    "dotify(1)": "TypeError: dotify() takes a dictionary",
    "type(len)": "TypeError: type() takes a value, not a function",
    "len": "<function len>",
    "str": "<class 'str'>",
    "'{0}{0.a}'.format(1)": "KinetreeError: ",
    "'{:d}'.format([])": "TypeError: unsupported format string passed to list",
    "'{} {x!r}'.format(1, x='a')": "1 'a'",
    "'%d%%' % 3": "3%",
    "'%1000d' % 3": "KinetreeError: ",
    "[1].none": "AttributeError: ",
}


def test_what_is_said_of_misused_functions():
    def said(expression):
        try:
            return str(ours(expression))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    for expression, expected in MISUSED.items():
        found = said(expression)
        assert found == expected or (expected.endswith(": ") and found.startswith(expected)), (expression, found)


def has_name(names, name: str) -> bool:
    try:
        names(name)
    except NameError as error:
        assert str(error) == f"name {name!r} is not defined"
        return False
    return True


VALUES = ("'a'", "str", "[2, 1]", "(2, 1)", "dict(a=1)", "more", "entries", "2.5", "3", "True", "set([1])", "len")


def test_all_names_of_python_that_expressions_have(golden):
    """Functions and constants, methods of each type of values, and what has no name alone."""
    of_values = {name for value in ("", [], (), {}, 1.5, 3, set()) for name in dir(value) if not name.startswith("_")}
    alone = sorted({*dir(builtins), *dir(math), "python", "xacro", "math", "tokenize", "dotify", "load_yaml"} - {"fma"})
    more = {"more": YamlDict(a=1), "entries": YamlList([1])}

    def has(expression: str) -> bool:
        names = {**MATHEMATICS, **FUNCTIONS, **OF_XACRO, **more}
        try:
            evaluate(expression, names.__getitem__, Budget())
        except (AttributeError, KeyError):
            return False
        except Exception:
            return True
        return True

    said = [f"alone: {' '.join(name for name in alone if name[0] != '_' and has(name))}"]
    said += [f"{value}: {' '.join(n for n in sorted(of_values) if has(f'({value}).{n}'))}" for value in VALUES]
    known = global_names(SimpleNamespace())
    said += [f"in a file: {' '.join(sorted({*known} - {'fma'}))}"]
    said += [f"of {name}: {' '.join(sorted({*known[name].known} - {'fma'}))}" for name in ("python", "math", "xacro")]
    in_eval = eval_names({"argument": 1}, {"find": str, "env": str})
    others = ("true", "false", "argument", "find", "env")
    said += [f"in $(eval …): {' '.join(name for name in (*alone, *others) if has_name(in_eval, name))}"]
    golden("xacro_functions.txt", "\n".join(said) + "\n")

"""Expressions of xacro mean what they mean in Python: each is held to Python's own `eval`."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetree as kt
from kinetree.formats.xacro.budget import Budget, YamlDict, YamlList, with_dots
from kinetree.formats.xacro.expressions import evaluate
from kinetree.formats.xacro.functions import FUNCTIONS, MATHEMATICS
from kinetree.formats.xacro.names import is_valid_name

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
    names = {**MATHEMATICS, **FUNCTIONS, **DATA}

    def value(name):
        if name not in names:
            raise NameError(f"name {name!r} is not defined")
        return names[name]

    return evaluate(expression, value, Budget())


def python(expression):
    mathematics = {name: getattr(math, name) for name in MATHEMATICS}
    return eval(expression, {"__builtins__": {}, **mathematics, **BUILTINS, **DATA})


def outcome(function, expression):
    """The value and its type, at every depth; or the type of the error."""
    try:
        return repr(function(expression))
    except Exception as error:
        return type(error).__name__


EXPRESSIONS = """
1 + 2 * 3 - 4 / 5 // 6 % 7
-a ** 2 + +a - ~a
2 ** -1
a ** 0.5
a << 3 >> 1
a & 1 | 4 ^ 2
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
{1, 2, 2}
{'x': a, **table}
{'x': 1, 'x': 2}
[x * 2 for x in items]
[x for x in items if x > 1 if x < 3]
[(x, y) for x in range(3) for y in range(x)]
[x + y for x, y in zip(items, range(9))]
[[x, y] for x, (y, z) in [(1, (2, 3))]]
[x for x, y in [(1, 2, 3)]]
{x: x * x for x in items}
{x % 2 for x in items}
sum(x for x in items)
[f() for f in [lambda: i for i in range(3)]]
(lambda x, y=2, *z, k=5, **o: [x, y, z, k, o])(1)
(lambda x, y=2, *z, k=5, **o: [x, y, z, k, o])(1, 3, 4, k=6, m=7)
(lambda x, /, y: x - y)(1, y=2)
(lambda x: x)()
(lambda x: lambda y: x + y)(1)(2)
list(map(lambda x: x + 1, items))
list(map(str, items))
list(map(max, items, [2, 2, 2]))
list(filter(None, [0, 1, '', 'a']))
list(filter(lambda x: x > 1, items))
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
sorted(['b', 'A'], key=lambda x: x.lower())
sorted(table)
min(items)
max(1, 2.5, a)
min(items, key=lambda x: -x)
min([], default=7)
max([])
sum(items, 10)
sum([0.1] * 10)
sum([[1], [2]], [])
sum(['a'])
all([1, 0])
any([0, 1])
any(x == 1 or 1 / 0 for x in [1, 2])
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
set(items) | {9}
set(items) & {1, 5}
set(items) - {1}
set(items) ^ {1, 5}
frozenset(items)
dict(x=1, y=2)
dict([('x', 1)], y=2)
dict(table, z=3)
dict([1])
table | {'q': 1}
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
{1, 2}.union([3]) | {1}.intersection([1, 2])
{1, 2}.issubset({1, 2, 3})
{1, 2}.issubset([1, 2, 3])
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
f'{a} {b:.1f} {text!r:>30} {items[0]:03d} {a:{2 + 3}}'
f'{a}{{}}'
f'{"ä"!a} {"ä"!r} {"ä"!s}'
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
        st.tuples(st.sampled_from(["-", "not ", "+", "~"]), part).map("({0[0]}{0[1]})".format),
        st.tuples(part, part, part).map("({0[0]} if {0[1]} else {0[2]})".format),
        st.tuples(part, part).map("{0[0]}[{0[1]}]".format),
        st.tuples(part, part, part).map("{0[0]}[{0[1]}:{0[2]}]".format),
        st.lists(part, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.tuples(
            st.sampled_from(CALLED),
            part,
        ).map("{0[0]}({0[1]})".format),
        st.tuples(part, part, part).map("[{0[0]} for x in {0[1]} if {0[2]}]".format),
        st.tuples(part, part).map("(lambda x: {0[0]})({0[1]})".format),
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


def test_yaml_data_keep_their_kind_at_every_depth():
    data = with_dots({"a": [{"b": 1}]})
    assert (type(data), type(data["a"]), type(data["a"][0])) == (YamlDict, YamlList, YamlDict)


@pytest.mark.parametrize(
    ("name", "valid"), [("a_1", True), ("1a", False), ("for", False), ("match", True), ("ﬁ", False), ("a b", False)]
)
def test_names_of_properties(name, valid):
    assert is_valid_name(name) is valid


def test_a_chain_of_operators_has_the_same_limit_on_every_python():
    assert ours("+".join("1" * 2501)) == 2501
    with pytest.raises(kt.KinetreeError, match="nested too deep"):
        ours("+".join("1" * 2502))

"""Expressions that try to get out of xacro, or to eat the machine: each is refused, soon and in little memory.

The tricks are those published for Python jails: attributes of classes, functions, generators and frames, formats that
read attributes, names that are normalised, built-in functions; and every way that we know to make a value without
measure. Rows of `ESCAPES` and `FLOODS` are one expression each.
"""

import tracemalloc
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

import kinetree as kt
from support import soon

pytestmark = pytest.mark.slow

SUBCLASSES = "().__class__.__base__.__subclasses__()"
ESCAPES = (
    # the hole that once stood open
    "(lambda T,V: V(T)['__subclasses__'](V(T(V(T)['__base__']))['__get__'](V(T)['__base__'],int)))"
    "(python.type,python.vars)",
    r'"\x7b0.gi_frame.f_globals\x7d".format((x for x in [1]))',
    # classes
    SUBCLASSES,
    f"[c for c in {SUBCLASSES} if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('true')",
    "''.__class__.__mro__[1]",
    "''.__class__.mro()",
    "str.mro()",
    "python.type.mro(int)",
    "python.type('X', (), dict())",
    "python.type(1)('__import__').__class__",
    "python.vars(int)",
    "python.vars()",
    "python.vars(xacro)",
    "python.object",
    "python.issubclass(int, int).__class__",
    "int.from_bytes",
    "float.fromhex('0x1p-2')",
    "dict.fromkeys('ab')",
    "str.maketrans('a', 'b')",
    "str.__dict__",
    "list.append",
    "python.str.__subclasses__()",
    "True.__class__.__base__",
    "(1).real.__class__",
    "1 .__reduce_ex__(4)",
    # functions, closures, methods
    "(lambda: 0).__code__",
    "(lambda: 0).__globals__",
    "(lambda: 0).func_globals",
    "(lambda: 0).__closure__",
    "(lambda: 0).call",
    "xacro.load_yaml.__globals__",
    "xacro.load_yaml.call",
    "xacro.load_yaml.__wrapped__",
    "xacro.warning.__closure__[0].cell_contents",
    "''.join.__self__",
    "math.sin.__self__",
    "math.__loader__",
    "math['__loader__']",
    "math.__spec__.loader.load_module('os')",
    "math.get('__loader__')",
    "python['__builtins__']",
    "xacro['__globals__']",
    "xacro.root",
    "math.parent",
    "python.items()",
    # generators, coroutines, frames
    "(x for x in [1]).gi_frame",
    "(x for x in [1]).gi_frame.f_back.f_back.f_globals",
    "(x for x in [1]).gi_code",
    "(x for x in [1]).items",
    "(x for x in [1]).send(None)",
    "[x for x in [1]].cr_frame",
    "map(str, [1]).__reduce__()",
    "(lambda: (yield 1))()",
    "(lambda: (await x))()",
    "[x async for x in [1]]",
    # formats
    "'{0.__class__}'.format(1)",
    "'{0.real}'.format(1)",
    "'{0[0]}'.format([1])",
    "'{a.__class__}'.format(a=1)",
    "'{a.__class__.__mro__}'.format_map(dict(a=1))",
    "str.format('{0.__class__}', 1)",
    "python.map(str.format, ['{0.__class__}'], [1])",
    "'{:{}}'.format(1, '>9.__class__')",
    "f'{(1).__class__}'",
    "f'{1!r:{python.vars}}'",
    "'%(a.__class__)s' % 1",
    # names and built-in functions
    "__import__('os').system('true')",
    "__builtins__",
    "__builtins__['eval']('1')",
    "_＿import_＿('os')",
    "()._＿class_＿",
    "ｅval('1')",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "open('/etc/passwd')",
    "getattr(1, 'real')",
    "setattr(1, 'real', 2)",
    "globals()",
    "locals()",
    "dir()",
    "vars()",
    "input()",
    "breakpoint()",
    "help()",
    "exit()",
    "object()",
    "super()",
    "iter([1])",
    "next((x for x in [1]))",
    "memoryview('a')",
    "bytes(1)",
    "os.system('true')",
    "python.os",
    "python.__import__('os')",
    "python.eval('1')",
    "python.getattr(1, 'real')",
    "python.open('x')",
    "python.hash('a')",
    "symbols",
    "self",
    # syntax that is not offered
    "(a := 1)",
    "b'abc'",
    "...",
    "1 @ 2",
    "[*range(3), *(lambda: 0)]",
    "dict(**[1])",
    "dict(__class__=1)",
    "(lambda __class__: __class__)(1)",
    "xacro",
    "math",
    "[math]",
    "str(python)",
    "xacro.tokenize('ab', '](a+)+$[')",
    "xacro.dotify([1])",
    "python.isinstance(1, 'int')",
    "(lambda f: f)(1)(2)",
    r"'\ud800'",
    "python.sum(['a', 'b'], '')",
)
NESTED = "sum(map(sum, map(lambda i: range(99999), range(99999))))"
FLOODS = (
    "b'a'*2*10**9",
    "b'%1500000000d' % 1",
    "python.vars(int)['__pow__'](10, 10**8)",
    f"python.{NESTED}",
    "python.sum(map(python.sum, map(range, range(99999))))",
    "'a' * 10**9",
    "10**9 * 'a'",
    "[0] * 10**9",
    "(0,) * 10**9",
    "'a'.ljust(10**9)",
    "'a'.rjust(10**9)",
    "'a'.center(10**9, 'b')",
    "'1'.zfill(10**9)",
    "('\\t' * 1000).expandtabs(10**6)",
    "('a' * 90000).replace('a', 'b' * 90000)",
    "('a' * 90000).replace('', 'b' * 90000)",
    "('a' * 90000).join(['b'] * 90000)",
    "''.join(['a' * 9000] * 9000)",
    "'%1000000000d' % 1",
    "'%.1000000000f' % 1",
    "'%*d' % (10**9, 1)",
    "'%(a)1000000000s' % dict(a=1)",
    "('%999d' * 9000) % ((1,) * 9000)",
    "('%(a)s' * 9000) % dict(a='b' * 90000)",
    "'{:1000000000}'.format(1)",
    "'{:{}}'.format(1, 10**9)",
    "('{0}' * 9000).format('b' * 90000)",
    "f'{1:1000000000}'",
    "f'{1:{10**9}}'",
    "9**9**9**9",
    "10**10**10",
    "(-10)**10**9",
    "1 << 10**12",
    "(2**4000)**4000",
    "(2**4000) * (2**4000)",
    "math.factorial(10**9)",
    "math.comb(10**9, 10**8)",
    "math.perm(10**9)",
    "math.prod([2**4000] * 9)",
    "math.prod([2**4000] * 90000)",
    "math.lcm(*[2**4000 - i for i in range(999)])",
    "round(5, -10**9)",
    "round(5, -10**9)**2",
    "int('9' * 100000)",
    "int('f' * 100000, 16)",
    "list(range(10**12))",
    "range(10**12)",
    "python.tuple(range(99999)) + python.tuple(range(99999))",
    "python.sum(range(99999)) + python.sum(range(99999)) + python.sum(range(99999))",
    "[1 for a in range(9999) for b in range(9999)]",
    "[[1] * 9999 for a in range(9999)]",
    "[list(range(99999)) for a in range(99999)]",
    "python.sum([[1]] * 50000, [])",
    "python.sum((x for x in [[1] * 99] * 999), [])",
    "python.set([i * (2**61 - 1) for i in range(9999)])",
    "dict([(i * (2**61 - 1), 0) for i in range(9999)])",
    "{i * (2**61 - 1) for i in range(9999)}",
    "{i * (2**61 - 1): 0 for i in range(9999)}",
    "[i in {j * (2**61 - 1) for j in range(1999)} for i in range(99999)]",
    "(lambda f: f(f))(lambda f: f(f))",
    "(lambda f: f(f, 99))(lambda f, n: f(f, n-1) + f(f, n-1))",
    "(lambda x: (lambda x: x + x + x)(x + x + x))('a' * 90000)",
    "(lambda d: [d for i in range(1000)])((lambda d: [d for i in range(1000)])([1] * 9))",
    "str([[['a' * 99] * 99] * 99] * 99)",
    "[[[[1] * 99] * 99] * 99] == [[[[1] * 99] * 99] * 99]",
    "python.sorted([[1] * 99999, [1] * 99999])",
    "max([[0] * 9999 for i in range(9999)])",
    "[all(x for x in [1] * 9999) for i in range(999)]",
    "[9 in range(9) for i in range(999999)]",
    "python.any(i == j for i in range(9999) for j in range(9999) if i != j and i == j)",
    "list(python.zip(*[range(9999)] * 9999))",
    "list(python.enumerate(python.enumerate(range(99999))))",
    "list(map(lambda *a: a, *[range(999)] * 999))",
    "xacro.tokenize('a,' * 90000 + 'b' * 9000) + xacro.tokenize('a,' * 90000)",
    "xacro.warning(*['a' * 9000] * 9000)",
    "xacro.fatal(*['a' * 9000] * 9000)",
    "(('a' * 990) * 800).rfind('ab' + ('a' * 990) * 400)",
    "(('a' * 990) * 800).rsplit('ab' + ('a' * 990) * 400)",
    "(('a' * 990) * 800).strip(('b' * 990) * 400)",
    f"[lambda {', '.join(f'a{i}' for i in range(1500))}: 0 for i in range(2500)]",
    f"[(lambda {', '.join(f'a{i}=0' for i in range(1500))}: 0)() for i in range(2500)]",
    "[(lambda **k: 1)(**dict([(str(i), i) for i in range(900)])) for j in range(9999)]",
    "(lambda t: [python.isinstance(1, t) for i in range(9999)])((str,) * 9000)",
    "(lambda t: ['a'.startswith(t) for i in range(9999)])(('b',) * 9000)",
    "(lambda a, b: a in (b for i in range(9999)))([0] * 9000, [0] * 8999 + [1])",
    "-" * 9000 + "1",
    "not " * 4000 + "1",
    "(" * 9000 + "1" + ")" * 9000,
    "[" * 9000 + "1" + "]" * 9000,
    "+".join("1" * 9000),
    "1 if " * 3000 + "1" + " else 1" * 3000,
    "9" * 19000,
    "1" * 20001,
    "'" + "a" * 20001 + "'",
    "0x" + "f" * 19000,
    "1e9" + "9" * 9000 + " ** 2 ** 'a'",
)


def expanded(expression: str, folder: Path) -> list[kt.Finding]:
    """What is found where a link has the value of an expression for its name.

    A `}` ends an expression of a file, but stands in one of a YAML file with a unit.
    """
    if "}" in expression:
        (folder / "units.yaml").write_text("a: !degrees " + quoteattr(expression, {"&": "&", "<": "<", ">": ">"}))
        text = "${xacro.load_yaml('units.yaml')}"
    else:
        text = f"${{{expression}}}"
    path = folder / "robot.xacro"
    path.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name={quoteattr(text)}/></robot>',
        encoding="utf-8",
    )
    try:
        robot = kt.load(path)
    except kt.KinetreeError as error:
        return [finding for finding in error.findings if finding.severity == "error"]
    raise AssertionError(f"was loaded: {list(robot.links)}")


def fault_of(expression: str, folder: Path) -> str | None:
    """What is wrong with how an expression is refused."""
    try:
        (finding,) = soon(1, lambda: expanded(expression, folder))
    except Exception as error:  # a foreign exception is a fault of ours
        return repr(error)
    if finding.code not in {"xacro-expression", "xacro-size", "xacro-recursion", "xacro-yaml"} or not finding.source:
        return str(finding)
    return None


@pytest.mark.parametrize("expressions", [ESCAPES, FLOODS], ids=["escapes", "floods"])
def test_refused_soon(expressions, tmp_path):
    assert {text: fault for text in expressions if (fault := fault_of(text, tmp_path))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("expression", FLOODS, ids=lambda text: text[:60])
def test_refused_in_little_memory(expression, tmp_path):
    expanded("1 +", tmp_path)  # imports
    tracemalloc.start()
    try:
        expanded(expression, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()

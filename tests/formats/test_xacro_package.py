"""Expressions have the same results as in the xacro package, also where they change a list or a mapping."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from kinetree.files.opener import Files
from xacro_reference import ours, reference

YAML = """
joints: [{name: j1, limits: [-1, 1]}, {name: j2, limits: [-2, 2]}]
sizes: [3, 1, 2]
nested: [[2, 1], [0]]
arm: {mass: 2.5, links: [a, b], material: {color: red}}
1: one
tilt: !degrees 90
"""
PROPERTIES = {
    "d": "${xacro.load_yaml('d.yaml')}",
    "sizes": "${d.sizes}",  # a copy, which is kept
    "numbers": "${[3, 1, 2]}",
    "words": "${'right_arm, left_arm'.split(', ')}",
    "table": "${dict(mass=2.5, links=['a', 'b'])}",
    "nested": "${[[1], [2]]}",
    "pair": "${(numbers, 'x')}",
    "same": "${numbers}",
    "name": "left_arm",
    "length": "0.25",
    "count": "3",
    "pattern": "{}: {:.3f}",
    "named": "{name!r:>12}|{x:+.1e}|{0:05d}",
    "braces": "{{{0}}}",
}
EXPRESSIONS = """
1 + 2 * 3 - 4 / 5 // 6 % 7
-count ** 2 + +count
2 ** -1
7 % -3
length * count
1e16
0.1 + 0.2
1e-7 * count
10 ** 20
0 < count < 5
count == 3 and length < 0 or name
not name
'x' if count > 5 else 'y'
table is None
1 / 0
undefined
name + 1
True + True
'left' in name
'mass' in table
3 not in numbers
numbers[0] + numbers[-1]
numbers[::-1]
name[-3:]
pair[1]
table['mass'] * 2
table['no']
numbers[9]
[*numbers, *pair]
max(*numbers)
dict(**table, z=3)
[x * 2 for x in numbers if x > 1]
[(x, y) for x in range(3) for y in range(x)]
[k + str(v) for k, v in table.items()]
list(x for x in numbers)
[count for count in numbers] + [count]
[[x for x in range(2)] + [x] for x in 'ab']
[x for x, y in [(1, 2, 3)]]
' '.join(map(str, numbers))
list(map(max, numbers, [2, 2, 2]))
list(map(str.upper, words))
list(python.filter(None, [0, 1, '', 'a']))
list(python.zip(numbers, 'abc'))
list(python.enumerate('ab', 1))
list(python.enumerate('ab', start=2))
list(python.reversed(numbers))
python.sorted(words, key=len, reverse=True)
min(words, key=len)
max([])
python.sum(numbers, 10)
python.sum([[1], [2]], [])
python.all([1, 0]) or python.any([0, 1])
python.isinstance(numbers, list) and python.isinstance(count, (str, int))
python.isinstance(d, dict) and python.isinstance(d.sizes, list)
python.isinstance(numbers, 'list')
python.type(numbers) == list
python.type(d.arm) == python.type(None)
python.divmod(7, 2)
python.ord('a') + python.abs(-2)
python.repr('a')
python.sorted(python.set(words) - python.set(['left_arm']))
len(python.set([1, 1, 2]))
2 in python.frozenset([1, 2])
python.complex(1, 2) * 2
round(2.675, 2)
int('12') + int(3.9) + int('ff', 16)
float('x')
sin(pi / 3) + math.cos(1) + atan2(1, -2) + hypot(3, 4)
radians(180) + degrees(pi)
sqrt(-1)
fabs(-2) + floor(-2.5) + ceil(2.1)
math['pi']
name.split('_')
name.replace('arm', 'leg').upper()
'x'.ljust(3, '-') + '7'.zfill(3) + 'x'.center(5)
'-'.join([1])
name.rstrip('_arm')
pattern.format(name, length)
named.format(7, name=name, x=12345)
named.format(7)
pattern.format(numbers, 'a')
braces.format(numbers)
'%s has %d of %5.2f %-5s|%05d%%' % (name, count, length, 'ab', 7)
'%s' % numbers
'%(mass)s' % table
'%(tilt).3f' % d
'%d' % 'a'
'%s %s' % 1
numbers.append(4)
numbers.append(numbers.pop())
numbers.pop(0)
numbers.pop(9)
numbers.insert(1, 'x')
numbers.extend(words)
numbers.extend(numbers)
numbers.sort()
words.sort(key=len, reverse=True)
numbers.remove(1)
numbers.remove(9)
numbers.reverse()
numbers.clear()
numbers.count(3) + numbers.index(2)
numbers.copy().append(4)
same.append(same.copy())
pair[0].append(4)
nested[0].append(5)
[x.append(9) for x in nested]
[numbers.pop() for i in range(2)]
table.update(mass=3, z=1)
table.update([('z', 1)])
table.update(d.arm)
table.setdefault('z', [])
table.setdefault('links', []).append('c')
table.pop('mass')
table.pop('no', 5)
table.popitem()
table.clear()
table.get('mass') + table.get('no', 1)
table.copy().clear()
table['links'].append('c')
list(table.keys()) + list(table.values())
d.arm.mass + d['arm']['mass']
d.arm.no
d[1]
d.tilt
d.joints[0].name
[j.name for j in d.joints]
[j.limits[1] for j in d['joints'][1:]]
d.arm.links.append('c')
d.arm.material.update(color='blue')
d.get('arm').pop('mass')
d.get('sizes').append(4)
list(d.values())[1].append(4)
[j.pop('name') for j in d.joints]
[x.append(3) for x in d.nested]
[x.append(3) for x in d.nested[:1]]
d.nested[:1][0].append(3)
d.nested.copy()[0].append(3)
(d.nested + [])[0].append(3)
python.sorted(d.nested)[0].append(3)
list(map(list, d.nested))
d.pop('sizes')
d.update(sizes=[0])
d.setdefault('new', [1]).append(2)
d.sizes.sort()
sizes.sort()
sizes.append(4)
xacro.dotify(table).links.append('c')
xacro.dotify(table).mass
xacro.tokenize('a, b;c')
xacro.tokenize('a,,b', ',', skip_empty=False)
""".strip().splitlines()


def both(expression: str, folder: Path) -> tuple[str | None, str | None]:
    """Return the expansions of our code and of the package, with all properties after the expression."""
    lines = [f"<xacro:property name={quoteattr(k)} value={quoteattr(v)}/>" for k, v in PROPERTIES.items()]
    lines += [f"<result text={quoteattr(f'${{{expression}}}')} value={quoteattr(f'${{[{expression}]}}')}/>"]
    lines += [f'<{name} value="${{{name}}}"/>' for name in PROPERTIES]
    (folder / "d.yaml").write_text(YAML)
    path = folder / "robot.xacro"
    path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{"".join(lines)}</robot>')
    files = Files({})
    return ours(path, files, {})[0], reference(path, files.package, {})[0]


@pytest.mark.slow
def test_as_in_the_package(tmp_path):
    for expression in EXPRESSIONS:
        own, theirs = both(expression, tmp_path)
        assert (expression, own) == (expression, theirs)


@pytest.mark.parametrize(
    "expression",
    [
        "numbers[0] | 1",
        "python.set(words) & python.set(words)",
        "[(lambda x: x)(y) for y in numbers]",
        "python.complex(1, 2).real",
        "name.encode()",
        "python.hash(1)",
    ],
)
def test_refused_though_the_package_allows_it(tmp_path, expression):
    own, theirs = both(expression, tmp_path)
    assert own is None
    assert theirs is not None

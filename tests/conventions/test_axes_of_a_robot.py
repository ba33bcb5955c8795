"""Which link has the axes by which sides are judged."""

import kinetree as kt
from each import each
from kinetree.rules.names.exchanged import _base


@each(
    "pairs, base",
    [
        ("torso-arm", "torso"),
        ("torso-base_link", "base_link"),
        ("world-torso torso-arm", "torso"),
        ("world-torso torso-base_link", "base_link"),
        ("world-one world-two", None),
        ("world-one world-base_link", "base_link"),
    ],
)
def test_it_is_base_link_or_the_root_but_no_world_of_several_robots(pairs, base):
    parts = [one.split("-") for one in pairs.split()]
    links = "".join(f'<link name="{name}"/>' for name in dict.fromkeys(name for pair in parts for name in pair))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>'
        for i, (a, b) in enumerate(parts)
    )
    assert _base(kt.load(f'<robot name="r">{links}{joints}</robot>', format="urdf")) == base

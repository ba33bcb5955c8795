"""One look a name of a material: that of the robot's material or of the first visual, as urdfdom has it."""

from itertools import pairwise

import pytest

import kinetree as kt
from each import each
from kinetree.formats.urdf.write import write
from kinetree.model.assemble import build, parts_of

RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def material(name: str, rgba: object = None) -> str:
    return f'<material name="{name}">{color(rgba)}</material>' if rgba else f'<material name="{name}"/>'


def color(rgba: object) -> str:
    return f'<color rgba="{" ".join(map(str, rgba))}"/>'  # type: ignore[call-overload]


def robot(*looks: str, top: str = "") -> kt.Robot:
    """Return a chain of links, each a ball with a material."""
    text, names = top, [f"l{i}" for i in range(len(looks))]
    for name, look in zip(names, looks, strict=True):
        text += f'<link name="{name}"><visual><geometry><sphere radius=".1"/></geometry>{look}</visual></link>'
    for a, b in pairwise(names):
        text += f'<joint name="{b}j" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>'
    return kt.load(f'<robot name="r">{text}</robot>', format="urdf")


def looks(robot: kt.Robot) -> list[object]:
    """Return the colours of the visuals, references resolved."""
    found = [g.material for link in robot.links.values() for g in link.visuals]
    return [m and (m.rgba or m.texture or getattr(robot.materials.get(m.name), "rgba", None)) for m in found]


def codes(robot: kt.Robot) -> list[str]:
    return [note.code for note in robot.notes]


# (materials of the visuals, of the robot; their colours by urdfdom 6.0; codes)
CASES = {
    "used in another link": ((material("m", RED), material("m")), "", [RED, RED], []),
    "before it is defined": ((material("m"), material("m", RED)), "", [RED, RED], []),
    "global": ((material("m", RED), material("m")), material("m", GREEN), [GREEN, GREEN], ["material-redefined"]),
    "redefined": ((material("m", RED), material("m", BLUE)), "", [RED, RED], ["material-redefined"]),
    "twice": ((material("m", RED), *2 * [material("m", BLUE)]), "", 3 * [RED], ["material-redefined"]),
    "the same again": ((material("m", RED), material("m", RED)), material("m", RED), [RED, RED], []),
    "without names": ((material("", RED), material("", BLUE)), "", [RED, BLUE], []),
    "other names": ((material("m", RED), material("n", BLUE)), "", [RED, BLUE], []),
}


@each("case", CASES)
def test_one_look_a_name(case):
    inside, top, colours, expected = CASES[case]
    made = robot(*inside, top=top)
    assert looks(made) == colours
    assert codes(made) == expected
    for text in (write(build(parts_of(made))), kt.text(made, "urdf", without=["extension"])):
        again = kt.load(text, format="urdf")
        assert looks(again) == colours
        assert codes(again) == []


@pytest.mark.slow
@each("case", CASES)
@each("format", ["sdf", "mjcf"])
def test_in_every_format(case, format):
    inside, top, colours, _ = CASES[case]
    text = kt.text(robot(*inside, top=top), format, without=["extension"])
    assert looks(kt.load(text, format=format)) == colours


def test_the_finding_names_both_places():
    text = '<robot name="r">\n<link name="l">\n<visual><geometry><sphere radius="1"/></geometry>\n@\n</visual>\n</link>'
    second = '<visual><geometry><sphere radius="1"/></geometry>\n@</visual>'.replace("@", material("m", BLUE))
    text = text.replace("@", material("m", RED)).replace("</link>", f"{second}</link>")
    (note,) = kt.load(f"{text}</robot>", format="urdf").notes
    assert (note.source.line, note.element) == (7, "material 'm'")
    assert "on line 4" in note.message


def test_a_texture_is_a_look():
    picture = '<material name="m"><texture filename="a.png"/></material>'
    made = robot(picture, material("m"), material("m", RED))
    assert looks(made) == 3 * ["a.png"]
    assert codes(made) == ["material-redefined"]


def test_two_robots_with_one_name_keep_their_looks():
    both = kt.edit.attach(robot(material("m", RED), material("m", RED)), tool(BLUE), "l1")
    text = write(both)
    again = kt.load(text, format="urdf")
    assert looks(again) == [RED, RED, BLUE, BLUE]
    assert codes(again) == []
    assert text.count('name="m"') == 2
    assert text.count('name="m_"') == 2


def tool(rgba: tuple[float, ...]) -> kt.Robot:
    return kt.edit.rename(robot(material("m", rgba), material("m", rgba)), {"l0": "t0", "l1": "t1", "l1j": "t1j"})


def test_a_look_of_gazebo_alone_is_no_material_and_no_geometry():
    script = "<script><uri>u</uri><name>Gazebo/Red</name></script>"
    visual = f'<visual name="v">{{}}<material>{script}</material></visual>'
    sdf = '<sdf version="1.7"><model name="m"><link name="l">{}</link></model></sdf>'
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    urdf = kt.text(kt.load(sdf.format(visual.format(box)), format="sdf"), "urdf")
    assert "<material name" not in urdf
    assert not [note for note in kt.load(urdf, format="urdf").notes if note.code == "unknown-material"]
    bare = kt.load(sdf.format(visual.format("")), format="sdf")
    again = kt.load(kt.text(build(parts_of(bare)), "sdf"), format="sdf")
    assert again.links["l"].visuals[0].shape.kind == "empty"
    assert not [note for note in again.notes if note.code == "geometry"]

"""Names of links and joints in texts of several kinds: which are followed, and which make a place ambiguous."""

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.repairs.edit import applied
from kinetree.repairs.rename_references import rename_references
from kinetree.syntax.xml.reader import Report, parse

LINKS = "".join(f'<link name="{name}"/>' for name in ("base", "elbow", "hand", "both"))
JOINTS = "".join(
    f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
    for name, parent, child in (("bend", "base", "elbow"), ("both", "elbow", "hand"), ("last", "hand", "both"))
)
ROBOT = kt.load(f'<robot name="arm">{LINKS}{JOINTS}</robot>', format="urdf")
NEW = {("link", "elbow"): "link_3", ("joint", "bend"): "joint_3", ("link", "both"): "link_6", ("joint", "both"): "j_5"}


def after(dialect: str, inner: str) -> str:
    """What stands inside of an element after the new names, or why nothing is renamed."""
    text = f"<robot>\n{inner}</robot>"
    try:
        edits = rename_references(parse(text.encode(), "a.srdf", Report()), dialect, NEW, ROBOT)
    except KinetreeError as error:
        (finding,) = error.findings
        place, _, why = finding.message.partition(": ")
        assert (finding.code, place.rpartition(":")[0]) == ("fix", "a.srdf:2")
        return why
    return applied(text.encode(), edits).decode().removeprefix("<robot>\n").removesuffix("</robot>")


@each(
    "dialect, inner, expected",
    [
        ("srdf", '<chain base_link="elbow" tip_link="hand"/>', '<chain base_link="link_3" tip_link="hand"/>'),
        ("srdf", '<passive_joint name="bend"/>', '<passive_joint name="joint_3"/>'),
        (
            "srdf",
            '<group name="elbow"><link name="elbow"/></group>',
            '<group name="elbow"><link name="link_3"/></group>',
        ),
        ("srdf", '<passive_joint name="both"/>', '<passive_joint name="j_5"/>'),
        ("urdf", '<gazebo reference="elbow"/>', '<gazebo reference="link_3"/>'),
        ("urdf", "<x><bodyName> elbow </bodyName></x>", "<x><bodyName> link_3 </bodyName></x>"),
        ("urdf", '<link name="hand"/>', '<link name="hand"/>'),
    ],
)
def test_names_are_followed(dialect, inner, expected):
    assert after(dialect, inner) == expected


@each(
    "dialect, inner, why",
    [
        ("srdf", '<chain base_link="${p}elbow"/>', "base_link='${p}elbow' is worked out by others"),
        ("srdf", '<passive_joint name="$(arg j)"/>', "name='$(arg j)' is worked out by others"),
        (
            "urdf",
            "<x><bodyName><!-- it -->elbow</bodyName></x>",
            "'elbow' stands there with comments or the like in it",
        ),
        ("urdf", "<x><odd>link_3</odd></x>", "'link_3' stands there already, and something else gets that name"),
        ("urdf", "<x><odd>both</odd></x>", "'both' is a link and a joint"),
        ("urdf", "<x><odd>the elbow</odd></x>", "'the elbow' has the name 'elbow' in it"),
    ],
)
def test_other_places_are_ambiguous(dialect, inner, why):
    assert after(dialect, inner) == f"{why}, and it is not plain what is meant there"

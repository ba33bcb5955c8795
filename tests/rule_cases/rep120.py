"""REP-120: the frames of humanoids."""

from kinetree.rules.rep120 import HUMANOID
from rule_cases.builders import joint, link
from rule_cases.case import Cases, Model


def humanoid(*edits: tuple[str, str], more: str = "") -> str:
    """A humanoid without a fault, with texts of it replaced, each wherever it stands."""
    text = HUMANOID
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text.replace("</robot>", f"{more}</robot>")


def floating(kind: str) -> str:
    """The humanoid on a joint of a kind in a world."""
    return humanoid(more=link("world") + joint("world", "world", "pelvis", kind=kind))


def footprint(kind: str) -> str:
    return humanoid(more=link("base_footprint") + joint("footprint", "base_link", "base_footprint", kind=kind))


def without(*names: str) -> str:
    """The humanoid with frames called otherwise."""
    return humanoid(*((f'"{name}"', f'"other_{name}"') for name in names))


def hung(frame: str, old: str, new: str) -> str:
    """The humanoid with a frame on another link."""
    child = f'\n    <child link="{frame}"/>'
    return humanoid((f'<parent link="{old}"/>{child}', f'<parent link="{new}"/>{child}'))


def toe(xyz: str) -> str:
    return link("l_toe") + joint("l_toe", "l_sole", "l_toe", xyz=xyz)


CASES = {
    "R120-001": Cases(
        found={
            "behind a joint": Model(
                humanoid(
                    ('<joint name="base_link_joint" type="fixed">', '<joint name="base_link_joint" type="continuous">')
                ),
                says="the joint 'base_link_joint' moves base_link relative to the root body 'pelvis'",
            ),
            "on a world, on which the body turns": Model(
                humanoid(more=link("world") + joint("world", "world", "pelvis", kind="revolute")), count=2
            ),
        },
        remarked={
            "none": Model(
                without("base_link"), severity="warning", says="has no base_link", element="robot 'humanoid'"
            ),
            **{
                f"a {name} behind a joint": Model(
                    humanoid(more=link(name) + joint(name, "torso", name)), severity="info", element=f"link '{name}'"
                )
                for name in ("waist", "Pelvis_link", "hip", "hips")
            },
        },
        silent={
            "on the root": humanoid(),
            "floating in a world": floating("floating"),
            "driving in a world": floating("planar"),
            "a waist on the root": humanoid(more=link("waist") + joint("waist", "pelvis", "waist")),
            "another link behind a joint": humanoid(more=link("hip_left") + joint("hip_left", "torso", "hip_left")),
        },
    ),
    "R120-002": Cases(
        found={"fixed": Model(footprint("fixed"), element="link 'base_footprint'", says="is fixed to base_link")},
        silent={
            "moved": footprint("floating"),
            "none": humanoid(),
            "fixed to another body": humanoid(more=link("base_footprint") + joint("f", "l_ankle", "base_footprint")),
        },
    ),
    "R120-003": Cases(
        found={
            "the torso missing": Model(without("torso"), count=1, says="has no frames torso"),
            "all missing": Model(
                without(
                    "l_wrist",
                    "r_wrist",
                    "l_gripper",
                    "r_gripper",
                    "l_ankle",
                    "r_ankle",
                    "l_sole",
                    "r_sole",
                    "torso",
                    "gaze",
                ),
                says="has no frames l_wrist, r_wrist, l_gripper, r_gripper, l_ankle, r_ankle, l_sole, r_sole, torso",
            ),
            "one missing": Model(without("gaze"), says="has no frames gaze", element="robot 'humanoid'"),
            "three missing": Model(
                without("r_gripper", "l_wrist", "torso"), says="has no frames l_wrist, r_gripper, torso"
            ),
            "a gripper on the base": Model(
                hung("l_gripper", "l_wrist", "base_link"), count=2, says="is not carried by 'l_wrist'"
            ),
            "a gripper on the torso": Model(hung("r_gripper", "r_wrist", "torso"), says="is not carried by 'r_wrist'"),
            "a wrist on the base": Model(hung("l_wrist", "torso", "base_link"), count=2, says="is not carried by"),
            "a sole on the base": Model(hung("l_sole", "l_ankle", "base_link"), says="is not carried by 'l_ankle'"),
            "a head on the base": Model(hung("gaze", "torso", "base_link"), count=2, says="is not carried by 'torso'"),
            "a toe on the other foot": Model(
                humanoid(more=link("l_toe") + joint("l_toe", "r_ankle", "l_toe", xyz="0 0 -0.05")),
                says="is not carried by 'l_sole'",
            ),
            "arms and head on a body behind the torso": Model(
                humanoid(
                    ('"torso"', '"chest"'),
                    (
                        '<parent link="pelvis"/>\n    <child link="chest"/>',
                        '<parent link="torso"/>\n    <child link="chest"/>',
                    ),
                    more=link("torso") + joint("spine", "pelvis", "torso", kind="revolute"),
                ),
                says="on the body of 'torso'; expected 'chest', the last body that carries l_gripper, r_gripper, gaze",
            ),
        },
        silent={
            "all in their order": humanoid(),
            "on one body the other way round": humanoid(
                ("l_gripper", "SWAP"), ("l_wrist", "l_gripper"), ("SWAP", "l_wrist")
            ),
            "a toe": humanoid(more=toe("0.1 0 0")),
        },
    ),
}

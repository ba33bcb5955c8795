"""REP-199: frames of tools."""

from arm_trees import chain, tree_text
from rule_cases.arms import CLEAN, EMPTY, added, edited, renamed, two
from rule_cases.builders import joint, link
from rule_cases.case import Cases, Model


def felt(text):
    """A tool with a shape that is felt, which is a body."""
    text.add("tool1", "flange")
    text.shape("tool1")
    (tool,) = (element for element in text.root.findall("link") if element.get("name") == "tool1")
    tool.find("visual").tag = "collision"


CASES = {
    "R199-601": Cases(
        found={
            **{name: edited(added(name, "flange")) for name in ("tool1", "tool12", "Tool_2", "tool-01", "tool_00")},
            "on the last link": edited(added("tool1", "link_6")),
            **{
                f"{name}, by another word": edited(added(name, "flange"))
                for name in ("my_tool1", "robot_tool1", "big-tool2", "tool1_frame", "tool_2_tcp", "left_tool1_tip")
            },
            "by another word, on the last link": edited(added("robot_tool1", "link_6")),
            "marked by a shape": edited(added("tool1", "flange", solid=True)),
            "with the arm's prefix": two(
                ("</robot>", link("left_tool1") + joint("t", "left_flange", "left_tool1") + "</robot>")
            ),
        },
        silent={
            "tool0": CLEAN,
            "no number": edited(added("tool", "flange")),
            "a number of another thing": edited(added("tool_for_link_1", "flange")),
            "a body": edited(felt),
            "with something on it": edited(added("tool1", "flange"), added("tip", "tool1")),
            "on the link before": edited(added("tool1", "link_5")),
            "the last link": tree_text(*chain("", "base_link", 5), "link_5 *tool1", "tool1 flange"),
        },
    ),
    "R199-602": Cases(
        found={name: edited(added(name, "flange")) for name in EMPTY},
        silent={
            "a word that says something": edited(added("welding_tip", "flange")),
            "a number, which another rule says": edited(added("tool1", "flange")),
            "on the last link, called like no tool": edited(added("new_frame", "link_6")),
            "a body": edited(added("frame", "flange", solid=True)),
        },
    ),
    "R199-603": Cases(
        found={
            "a hyphen": Model(
                edited(added("welding-tip", "flange")), says="is not a legal name of ROS; expected letters"
            ),
            "a digit first": edited(added("2nd_tip", "flange")),
            "a dot": edited(added("tip.1", "flange")),
            "of a frame called like a tool": edited(added("my-tcp", "link_6")),
        },
        silent={
            "legal": edited(added("Welding_tip2/a", "flange")),
            "a slash first": edited(added("/tip", "flange")),
            "of a frame called like no tool": edited(added("my-mark", "link_6")),
            "of a body": edited(added("welding-tip", "flange", solid=True)),
        },
    ),
    "R199-604": Cases(
        found={
            "on the last link": Model(
                edited(added("torch_tcp", "link_6")),
                says="this frame of a tool is attached to 'link_6'; attach it to 'flange'",
            ),
            **{
                name: edited(added(name, "link_6"))
                for name in ("tcp", "my_tool", "torch", "gripper_tip", "ee", "eef", "end_effector", "endeffector2")
            },
        },
        silent={
            "on flange": edited(added("torch_tcp", "flange")),
            "on an adapter": edited(added("adapter", "link_6"), added("torch_tcp", "adapter")),
            "called like no tool": edited(added("mark", "link_6")),
            "called like one within a word": edited(added("stool", "link_6")),
            "without flange": edited(renamed("flange", "hand"), added("torch_tcp", "link_6")),
            "a body": edited(added("torch_tcp", "link_6", solid=True)),
            "where flange is the last link": tree_text(
                *chain("", "base_link", 5), "link_5 *flange", "flange tool0", "flange torch_tcp"
            ),
        },
    ),
}

"""`kinetree srdf`: the semantic description of a robot, with the pairs of links that need not be tested."""

from collections import Counter
from pathlib import Path

from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._model import assignments, configuration, joint_values, json_option, robot_argument
from kinetree.cli._output import check_new, check_no_input, force_option, print_json
from kinetree.cli._page import print_page
from kinetree.cli._say import remark
from kinetree.cli._semantic import with_parts
from kinetree.contact.make import coarse
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair
from kinetree.saving import save
from kinetree.viewing.section import Section

SCHEMA = 1
"""Version of the JSON, as that of `kinetree inspect`."""


@kinetree_command(
    "Convert and write", "kinetree srdf arm.urdf --group arm=base_link:tool0 -o arm.srdf", hides=("inertias",)
)
@robot_argument
@assignments("--group", "groups", "NAME=BASE:TIP", "Add a group of joints: the chain from a link to a frame.")
@assignments("--state", "states", "NAME=GROUP", "Add a state of a group: its joints as at --q.")
@joint_values()
@option("--deg", "Read angles in --q in degrees.", "in_degrees")
@option("--skip LINK", "Leave this link out if its shapes cannot be used. Repeatable.")
@option("-o, --output", "Write a new SRDF file, which has what --srdf has too.", type=FILE)
@force_option
@json_option
def command(
    robot: Robot,
    groups: dict[str, str],
    states: dict[str, str],
    values: dict[str, str],
    in_degrees: bool,
    skip: tuple[str, ...],
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write an SRDF with the pairs of links that need no test.

    These are links that are adjacent, always or never in contact, or in contact in the neutral configuration. Never is
    proved where at most three joints lie between two links, and else searched for. Pairs that --srdf disables stay;
    those that collide though they should not are warnings. Without -o, the pairs are printed with the evidence."""
    if output is not None:
        if output.suffix.lower() != ".srdf":
            raise fail("format", f"cannot write an SRDF to {output.name!r}; expected the ending .srdf")
        check_new(output, force)
        semantic = robot.semantic
        sources = [robot.source, semantic.source if semantic else None]
        check_no_input(str(output), [source.file for source in sources if source])
    if not robot.nq:
        raise fail("contact-pairs", "no joint moves, so that no two links are tested", element=f"robot {robot.name!r}")
    robot = with_parts(robot, groups, states, configuration(robot, values, in_degrees))
    found = coarse(robot, without=skip).semantic()
    assert found.semantic is not None
    pairs, own = found.semantic.disabled_collisions, robot.semantic and robot.semantic.source
    read = [note for note in robot.notes if own and note.source and note.source.file == own.file]
    notes = [*read, *found.notes[len(robot.notes) :]]
    if output is not None:
        save(found, output)
        reasons = Counter(pair.reason or "without a reason" for pair in pairs)
        words = ", ".join(f"{n} {reason}" for reason, n in reasons.items())
        remark(f"wrote {output}: {counted(len(pairs), 'disabled pair')}: {words}")
    if as_json:
        rows = [{name: getattr(pair, name) for name in ("link1", "link2", "reason", "evidence")} for pair in pairs]
        print_json({"schema": SCHEMA, "robot": robot.name, "disabled": rows, "notes": notes})
    elif output is None:
        print_page(_page(pairs))
    if not as_json:
        print_findings(notes)


def _page(pairs: tuple[CollisionPair, ...]) -> list[Section]:
    rows = [(one.link1, one.link2, one.reason, one.evidence or "the SRDF has it") for one in pairs]
    title = f"{counted(len(pairs), 'pair')} of links need not be tested"
    return [Section(title, ("link", "link", "reason", "because"), rows or [("none", "", "", "")])]

"""Rules about names of links and joints.

Names of links become frames, those of moving joints become parameters and entries of messages. Names of fixed joints
appear nowhere else, so they are not checked.
"""

import re
from collections.abc import Sequence

from kinetree.rules.quality import Quality, is_free, is_made
from kinetree.rules.rule import Found, Joint, Link, Robot, fact

NAMES = "http://wiki.ros.org/Names"

OTHER = r"[^A-Za-z0-9_/\s-]"
"""Characters that names in ROS may not have, besides hyphens and white space, which have their own rules."""
LEGAL = "names in ROS have only letters, digits and underscores"


class Hyphen(Quality):
    """Names have no hyphens.

    Frames and joints with hyphens work, but topics, services, nodes and variables cannot have such names.
    """

    code = "NAM-001"
    evidence = "advice"
    clause = "letters, digits, underscores and slashes"
    url = NAMES
    good = '"link_4"'
    bad = '"link-4"'

    def check(self, named: tuple[Link | Joint, ...]) -> Found:
        """A hyphen in a name."""
        for thing in named:
            if "-" in thing.name:
                yield self.finding(f"the name has a hyphen; {LEGAL}", thing)


class Space(Quality):
    """Names have no white space.

    White space is lost, or splits the name, in lists of joints, in command lines and in YAML.
    """

    code = "NAM-002"
    clause = "letters, digits, underscores and slashes"
    url = NAMES
    good = '"link_4"'
    bad = '"link 4"'

    def check(self, robot: Robot, named: tuple[Link | Joint, ...]) -> Found:
        """White space in a name, that of the robot in URDF included; in the names of models around it, none in ROS."""
        of_urdf = (robot,) if robot.text and robot.text.format == "urdf" and re.search(r"\s", robot.name) else ()
        for thing in (*of_urdf, *_with(r"\s", named)):
            own = thing.name.rpartition("::")[2]
            where = "begins or ends with" if own != own.strip() else "has"
            found = f"the name {where} white space; {LEGAL}"
            is_ros = re.search(r"\s", own) and not (robot.text and robot.text.format == "mjcf")
            yield self.finding(found, thing) if is_ros else self.remark(found, thing)


class OtherCharacter(Quality):
    """Names have only letters, digits, underscores and slashes.

    A dot separates levels in names of parameters: ROS reads the gains of `joint.1` as those of `1` in `joint`.
    """

    code = "NAM-003"
    clause = "letters, digits, underscores and slashes"
    url = NAMES
    good = '"joint_4"'
    bad = '"joint.4"'

    def check(self, named: tuple[Link | Joint, ...]) -> Found:
        """Any other character, without the :: of nested models in SDF; a remark on links, which name no parameters."""
        for thing in _with(OTHER, named):
            if strange := sorted(set(re.findall(OTHER, thing.name.replace("::", "")))):
                characters = ", ".join(map(repr, strange))
                message = f"the name has {characters}; {LEGAL}"
                yield self.finding(message, thing) if isinstance(thing, Joint) else self.remark(message, thing)


class LeadingSlash(Quality):
    """Names of links do not begin with a slash.

    tf2 refuses such frames. If a publisher removes the slash, the frame has another name than the link.
    """

    code = "NAM-004"
    level = "MUST"
    clause = "frame_ids cannot start with a slash"
    url = "http://wiki.ros.org/tf2/Migration"
    good = '"link_4"'
    bad = '"/link_4"'

    def check(self, robot: Robot) -> Found:
        """A slash at the beginning; a remark in SDF and MJCF, whose links are no frames of ROS by themselves."""
        report = self.remark if robot.text and robot.text.format in ("sdf", "mjcf") else self.finding
        for link in robot.links.values():
            if link.name.startswith("/"):
                yield report("the name begins with a slash, which tf2 refuses; remove the slash", link)


class LeadingDigit(Quality):
    """Names begin with a letter.

    Topics and variables cannot begin with a digit, and YAML reads a name of digits alone as a number. A name that
    begins with an underscore is hidden: tools do not list its topics.
    """

    code = "NAM-005"
    evidence = "advice"
    clause = "the first character is a letter"
    url = NAMES
    good = '"link_4"'
    bad = '"4_link"'

    def check(self, named: tuple[Link | Joint, ...]) -> Found:
        """A digit or an underscore at the beginning."""
        for thing in named:
            if (first := thing.name[0]).isdigit() or first == "_":
                what = "an underscore" if first == "_" else "a digit"
                yield self.finding(f"the name begins with {what}; names in ROS begin with a letter", thing)


class UpperCase(Quality):
    """Names are in lower case.

    ROS distinguishes upper and lower case, and its own names are in lower case, so capitals are easily mistyped.
    """

    code = "NAM-006"
    level = "MAY"
    clause = "names are lower case with underscores"
    url = "http://wiki.ros.org/ROS/Patterns/Conventions"
    good = '"link_4"'
    bad = '"Link_4"'

    def check(self, robot: Robot, named: tuple[Link | Joint, ...]) -> Found:
        """One finding for all names with capitals."""
        capital = [thing for thing in named if thing.name.lower() != thing.name]
        if capital:
            have = "have" if len(capital) > 1 else "has"
            message = f"{len(capital)} of {len(named)} names of links and moving joints {have} capital letters, such as"
            expected = "expected lower case and underscores"
            yield self.finding(f"{message} {capital[0].name!r}; {expected}", robot, source=capital[0].source)


@fact
def named(robot: Robot) -> tuple[Link | Joint, ...]:
    """Return the links and the joints that move, if the file names them."""
    made = {"world"} if robot.text and robot.text.format == "sdf" else ()
    links = (link for link in robot.links.values() if link.name not in made and not is_made(link, robot))
    return (*links, *(joint for joint in robot.joints.values() if joint.kind.nv and not is_free(joint, robot)))


def _with(pattern: str, named: Sequence[Link | Joint]) -> list[Link | Joint]:
    """Return the things whose names match a pattern of one character; a first search over all is quick if there are
    none."""
    if not re.search(pattern, "/".join(thing.name for thing in named)):
        return []
    return [thing for thing in named if re.search(pattern, thing.name)]

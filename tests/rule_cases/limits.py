"""Limits, and joints that follow others."""

from rule_cases.builders import joint, limit, link, robot, turning
from rule_cases.case import Cases, Model


def several(*limits: str, kind: str = "revolute") -> str:
    """Joints j0, j1, … on one root."""
    links = [link(f"l{i}") for i in range(len(limits))]
    joints = [joint(f"j{i}", "root", f"l{i}", one, kind=kind) for i, one in enumerate(limits)]
    return robot(link("root"), *links, *joints)


def following(
    follower: str, leader: str = limit(), multiplier: object = 1, offset: object = 0, kind: str = "revolute"
) -> str:
    """A joint that follows another: the first limit is its own."""
    mimic = f'<mimic joint="leader" multiplier="{multiplier}" offset="{offset}"/>'
    return robot(
        link("a"),
        link("b"),
        link("c"),
        joint("leader", "a", "b", leader, kind=kind),
        joint("follower", "b", "c", follower, mimic, kind="revolute"),
    )


def safe(lower: object, upper: object, *, hard: tuple[object, object] = (-1, 1), k: float = 0) -> str:
    """Soft limits within hard ones; k: how the position slows the joint down."""
    soft = f'<safety_controller k_velocity="1" k_position="{k}" soft_lower_limit="{lower}" soft_upper_limit="{upper}"/>'
    return turning(soft, lower=hard[0], upper=hard[1])


EQUAL = '<safety_controller k_velocity="1" k_position="9" soft_lower_limit="-1" soft_upper_limit="1"/>'
TEN = several(*[limit(effort=0)] * 10)
NINE = several(*[limit(effort=0)] * 9)
LISTED = "(also 'j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7', 'j8'"
CHAIN = robot(
    *map(link, "abcd"),
    joint("one", "a", "b", kind="revolute"),
    joint("two", "b", "c", '<mimic joint="one"/>', kind="revolute"),
    joint("three", "c", "d", '<mimic joint="two"/>', kind="revolute"),
)


def alike(count: int, **limits: object) -> str:
    """Joints in a row with one limit."""
    links = [link(f"l{i}") for i in range(count + 1)]
    return robot(
        *links, *(joint(f"j{i}", f"l{i}", f"l{i + 1}", limit(**limits), kind="revolute") for i in range(count))
    )


def actuated(attributes: str, tag: str = "position") -> str:
    """A joint of MuJoCo with an actuator."""
    return (
        '<mujoco><compiler angle="radian"/><worldbody><body><joint name="j" range="-1 1" actuatorfrcrange="-5 5"/>'
        f'<geom size="0.1"/></body></worldbody><actuator><{tag} joint="j" {attributes}/></actuator></mujoco>'
    )


def coupled(coefficients: str, bounds: str = "-0.5 0.5") -> Model:
    """A joint of MuJoCo that follows another by a polynomial, with a range of its own."""
    body = '<body name="{0}"><joint name="{0}" range="{1}"/><geom size="0.1"/></body>'
    bodies = body.format("leader", "-1 1") + body.format("follower", bounds)
    equal = f'<joint joint1="follower" joint2="leader" polycoef="{coefficients}"/>'
    text = f'<compiler angle="radian"/><worldbody>{bodies}</worldbody><equality>{equal}</equality>'
    return Model(f"<mujoco>{text}</mujoco>", format="mjcf")


LOOSE = '<link name="z"/><joint name="z" type="{}"><parent link="l4"/><child link="z"/><axis xyz="0 0 1"/>{}</joint>'
HANDS = LOOSE.format("revolute", limit(effort=50) + '<mimic joint="j0"/>')


def in_gazebo(reference: str, tag: str) -> str:
    """A joint without a range, and a setting of Gazebo."""
    block = f'<gazebo reference="{reference}"><{tag}>1</{tag}></gazebo></robot>'
    return turning(lower=0, upper=0).replace("</robot>", block)


CASES = {
    "LIM-001": Cases(
        found={
            "just the wrong way round": Model(
                turning(lower=0.5, upper=0.4999), says="the lower limit 0.5 is above the upper limit 0.4999"
            ),
            "of a joint that slides": turning(kind="prismatic", lower=1, upper=-1),
            "of one that follows": following(limit(1, -1)),
        },
        silent={"one position": turning(lower=0.5, upper=0.5), "the right way round": turning()},
    ),
    "LIM-002": Cases(
        found={
            "one position": Model(turning(lower=0.5, upper=0.5), says="both limits are 0.5"),
            "zero, where it is said": turning(lower=0, upper=0),
            "where other numbers are not said": turning(lower=0.5, upper=0.5, velocity=None),
            "in SDF": Model(
                "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>"
                "<joint name='j' type='revolute'><parent>a</parent><child>b</child>"
                "<axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>0</upper></limit></axis></joint></model></sdf>",
                format="sdf",
                severity="info",
            ),
            "of a joint whose force Gazebo reads": Model(in_gazebo("j", "provideFeedback"), severity="info"),
            "of another joint than Gazebo reads": Model(in_gazebo("k", "provideFeedback"), severity="warning"),
            "of a joint of which Gazebo reads something else": Model(in_gazebo("j", "stopErp"), severity="warning"),
        },
        silent={
            "a small range": turning(lower=0.5, upper=0.5001),
            "where no range is said": turning(lower=None, upper=None),
            "where only one end is said": turning(lower=None, upper=0),
            "of a joint that follows": following(limit(0, 0)),
            "a reversed range": turning(lower=1, upper=-1),
        },
    ),
    "LIM-003": Cases(
        found={
            "begins above zero": Model(turning(lower=0.001, upper=1), says="zero is outside the limits 0.001 to 1 rad"),
            "ends below zero": turning(lower=-1, upper=-0.001),
            "of a joint that slides": turning(kind="prismatic", lower=1, upper=2),
        },
        silent={
            "one position above, which LIM-002 names": turning(lower=1, upper=1),
            "one position below": turning(lower=-1, upper=-1),
            "begins at zero": turning(lower=0, upper=1),
            "ends at zero": turning(lower=-1, upper=0),
            "of a joint that follows": following(limit(0.5, 1)),
            "reversed above": turning(lower=2, upper=1),
            "reversed below": turning(lower=-1, upper=-2),
        },
    ),
    "LIM-004": Cases(
        found={
            "none": Model(turning(effort=0), says="the effort limit is 0; expected more than 0", element="joint 'j'"),
            "two, said once": Model(several(limit(effort=0), limit(), limit(effort=0)), says="(also 'j2'"),
            "nine, all named": Model(NINE, says=LISTED),
            "ten, of which nine are named": Model(TEN, says=f"{LISTED} and 1 more"),
            "of a continuous joint": turning(kind="continuous", lower=None, upper=None, effort=0),
        },
        silent={
            "little": turning(effort="1e-9"),
            "of a joint that follows": following(limit(effort=0)),
            "where simulators do not matter": Model(turning(effort=0), profile="ros"),
        },
    ),
    "LIM-005": Cases(
        found={
            "none": Model(turning(velocity=0), says="the velocity limit is 0; expected more than 0"),
            "two, said once": Model(several(limit(velocity=0), limit(velocity=0)), says="(also 'j1'"),
        },
        silent={
            "little": turning(velocity="1e-9"),
            "of a joint that follows": following(limit(velocity=0)),
            "where there is no range": turning(velocity=0, lower=0.5, upper=0.5),
        },
    ),
    "LIM-006": Cases(
        found={
            "rates of URDF 1.2": Model(
                turning()
                .replace("<robot ", '<robot version="1.2" ')
                .replace("effort='1'", "effort='1' acceleration='-1' deceleration='-2' jerk='-3'"),
                count=3,
                says="the jerk limit is -3; expected more than 0",
            ),
            "velocity": Model(turning(velocity="-1e-9"), says="the velocity limit is -1e-9"),
            "effort": Model(turning(effort=-1), says="the effort limit is -1"),
            "both": Model(turning(velocity=-1, effort=-1), count=2),
            "two of one number, said once": Model(several(limit(effort=-1), limit(effort=-1)), says="(also 'j1'"),
            "two of two numbers": Model(several(limit(effort=-1), limit(effort=-2)), count=2),
        },
        silent={"zero": turning(velocity=0, effort=0), "minus zero": turning(velocity="-0.0", effort="-0.0")},
    ),
    "LIM-007": Cases(
        found={
            "hardly ten times that": Model(
                turning(effort=101000), says="is 101,000 N m, which looks like a placeholder"
            ),
            "of a joint that slides": Model(
                turning(kind="prismatic", effort=1e5), says="is 100,000 N, which", element="joint 'j'"
            ),
            "hardly ten times that of one that slides": turning(kind="prismatic", effort=1010000),
            "ten thousand": Model(
                turning(effort=10000), says="the effort limit is 10,000 N m, which looks like a placeholder"
            ),
            "two of one number, said once": Model(several(limit(effort=1e5), limit(effort=1e5)), says="(also 'j1'"),
            "two of two numbers": Model(several(limit(effort=1e5), limit(effort=1e6)), count=2),
        },
        silent={
            "hardly less than ten times that": turning(effort=99000),
            "hardly less than ten times that of one that slides": turning(kind="prismatic", effort=990000),
            "less": turning(effort=9000),
            "a number from a data sheet": turning(effort=11600),
            "a lifting screw": turning(effort=20000).replace('"revolute"', '"prismatic"'),
        },
    ),
    "LIM-008": Cases(
        found={
            "hardly ten times that": turning(velocity=505.3),
            "of a joint that slides": Model(
                turning(kind="prismatic", velocity=50), says="is 50 m/s, which", element="joint 'j'"
            ),
            "fifty": Model(turning(velocity=50), says="the velocity limit is 50 rad/s, which looks like a placeholder"),
            "no round number, but far too large": turning(velocity=512.3),
            "two of one number, said once": Model(several(limit(velocity=90), limit(velocity=90)), says="(also 'j1'"),
            "two of two numbers": Model(several(limit(velocity=90), limit(velocity=7000)), count=2),
        },
        silent={
            "hardly less than ten times that": turning(velocity=495.3),
            "less": turning(velocity=40),
            "a number from a data sheet": turning(velocity=111.2),
            "two that LIM-013 is about": several(limit(velocity=90), limit(velocity=80)),
            "of an endless joint, which may be a wheel": turning(
                kind="continuous", lower=None, upper=None, velocity=100
            ),
        },
    ),
    "LIM-009": Cases(
        found={
            "below": Model(
                safe(-1.00001, 1), says="the soft limits -1.00001 to 1 rad are not inside the limits -1 to 1 rad"
            ),
            "above": safe(-1, 1.00001),
            "with nothing between": Model(
                safe(0.5, 0.4), says="the lower soft limit 0.5 is above the upper soft limit 0.4"
            ),
            "zero for one of them": safe(0, 1.5),
            "zero for the other": safe(-1.5, 0),
            "reversed, where the hard ones are, too": safe(1, -1, hard=(1, -1)),
            "beyond what leaves one position": safe(0.4, 0.6, hard=(0.5, 0.5)),
            "the same": Model(safe(-1, 1, k=100), says="the soft limits are equal to the limits; expected them inside"),
            "the same, within rounding": safe(-1.0000009, 1.0000009, k=1),
            "the same of two, said once": Model(
                several(limit(), limit()).replace("</joint>", f"{EQUAL}</joint>"),
                says="expected them inside (also 'j1')",
            ),
        },
        silent={
            "the same, without effect": safe(-1, 1),
            "the same on one side": safe(-1, 0.9, k=1),
            "the same on the other": safe(-0.9, 1, k=1),
            "hardly inside": safe(-0.9999985, 0.9999985, k=1),
            "the same of one position": safe(0.5, 0.5, hard=(0.5, 0.5), k=1),
            "within rounding": safe(-1.0000009, 1.0000009),
            "one position within": safe(0.5, 0.5),
            "none said": safe(0, 0, hard=(1, 2)),
            "where the hard ones are reversed": safe(-2, 2, hard=(1, -1)),
            "no soft ones": turning(),
        },
    ),
    "MIM-001": Cases(
        found={
            "by a polynomial of the first degree": coupled("0 1 0 0 0"),
            "hardly more": following(limit(), offset=0.0202),
            "too far above": Model(
                following(limit(-3, 1), multiplier=1.05), says="'leader' moves the joint from -1.05 to 1.05 rad"
            ),
            "too far below": following(limit(-1, 3), multiplier=1.05),
            "an offset up": following(limit(), offset=0.021),
            "an offset down": following(limit(), offset=-0.021),
            "backwards": following(limit(-1, 3), multiplier=-1.05),
            "backwards, of a range to one side": following(limit(0, 2), limit(0, 1), multiplier=-1),
            "a leader without end": following(limit(), limit(None, None), kind="continuous"),
            "one position": following(limit(0, 0), limit(-1, 1)),
        },
        silent={
            "by a polynomial of the second degree": coupled("0 1 1 0 0"),
            "hardly as much": following(limit(), offset=0.0198),
            "the same range": following(limit()),
            "within rounding above": following(limit(), offset=0.019),
            "within rounding below": following(limit(), offset=-0.019),
            "backwards": following(limit(-2, 0), limit(0, 2), multiplier=-1),
            "a multiplier of zero": following(limit(1, 2), multiplier=0),
            "reversed limits of its own": following(limit(0.1, -0.1)),
            "reversed limits of its leader": following(limit(-0.1, 0.1), limit(1, -1)),
            "one that follows nothing": turning(),
        },
    ),
    "MIM-002": Cases(
        found={
            "a follower of a follower": Model(CHAIN, element="joint 'three'", says="'two', which itself follows 'one'")
        },
        silent={
            "a follower": following(limit()),
            "no follower": turning(),
            "of MuJoCo, which solves them all": Model(
                "<mujoco><worldbody><body><joint name='a'/><geom size='1'/><body><joint name='b'/><geom size='1'/>"
                "<body><joint name='c'/><geom size='1'/></body></body></body></worldbody><equality>"
                "<joint joint1='b' joint2='a'/><joint joint1='c' joint2='b'/></equality></mujoco>",
                format="mjcf",
            ),
        },
    ),
    "LIM-011": Cases(
        found={
            "of onshape-to-robot": Model(
                alike(2, effort=1, velocity=20),
                says="all 2 joints have effort 1 and velocity 20, which onshape-to-robot writes; expected those of the",
            ),
            "of fusion2urdf": alike(3, effort=100, velocity=100),
            "of the tutorial": alike(2, effort=1000, velocity=0.5),
            "of an example": alike(5, effort=30, velocity="1.0"),
        },
        remarked={
            "beside one that follows": alike(4, effort=100, velocity=1).replace("</robot>", f"{HANDS}</robot>"),
            "powers of ten": Model(
                alike(4, effort=100, velocity=1), says="all 4 joints have effort 100 and velocity 1, which look like"
            ),
            "zero": alike(4, effort=0, velocity=0),
        },
        silent={
            "one joint": alike(1, effort=1, velocity=20),
            "one that differs from an exporter's": alike(3, effort=1, velocity=20).replace(
                "effort='1'", "effort='2'", 1
            ),
            "two powers of ten": alike(4, effort=100, velocity=1).replace("effort='100'", "effort='10'", 1),
            "beside one without a limit": alike(4, effort=100, velocity=1).replace(
                "</robot>", f"{LOOSE.format('continuous', '')}</robot>"
            ),
            "three joints": alike(3, effort=100, velocity=1),
            "other numbers": alike(4, effort=87, velocity=1),
            "another velocity": alike(4, effort=100, velocity=2.5),
            "zero and one": alike(4, effort=0, velocity=1),
            "one that differs": alike(4, effort=100, velocity=1).replace("effort='100'", "effort='50'", 1),
        },
    ),
    "LIM-012": Cases(
        found={
            "above": Model(
                actuated('ctrlrange="-1 1.03"'), format="mjcf", says="is -1 to 1.03; the joint allows -1 to 1"
            ),
            "a name": Model(
                actuated('name="motor" ctrlrange="-9 9"'), format="mjcf", says="of actuator 'motor' is -9 to 9"
            ),
            "hardly more": Model(
                actuated('ctrlrange="-1.0202 1"'), format="mjcf", says="is -1.02 to 1; the joint allows -1 to 1"
            ),
            "degrees": Model(
                actuated('ctrlrange="-90 90"'), format="mjcf", says="is -90 to 90; the joint allows -1 to 1"
            ),
            "a force": Model(actuated('forcerange="-6 5"'), format="mjcf", says="is -6 to 5; the joint allows -5 to 5"),
            "a little": Model(actuated('ctrlrange="-1.03 1"'), format="mjcf"),
            "of a class": Model(
                actuated('class="sub"').replace(
                    "<compiler",
                    '<default><default class="sub"><position ctrlrange="-9 9"/></default></default><compiler',
                ),
                format="mjcf",
            ),
            "with a gear": Model(
                actuated('ctrlrange="-90 90" gear="-57"'),
                format="mjcf",
                says="is -90 to 90; the joint allows -57 to 57",
            ),
            "a force with a gear": Model(
                actuated('forcerange="-6 5" gear="2"'), format="mjcf", says="the joint allows -2.5 to 2.5"
            ),
        },
        silent={
            "of a ball": Model(
                actuated('ctrlrange="-90 90"').replace(
                    '<joint name="j" range="-1 1" actuatorfrcrange="-5 5"/>', '<joint name="j" type="ball"/>'
                ),
                format="mjcf",
            ),
            "hardly as much": Model(actuated('ctrlrange="-1.0198 1"'), format="mjcf"),
            "within": Model(actuated('ctrlrange="-1 1" forcerange="-5 5"'), format="mjcf"),
            "rounded": Model(actuated('ctrlrange="-1.01 1.01"'), format="mjcf"),
            "with a gear that explains it": Model(actuated('ctrlrange="-57 57" gear="57"'), format="mjcf"),
            "a force with a small gear": Model(actuated('forcerange="-10 10" gear="0.5"'), format="mjcf"),
            "a motor": Model(actuated('ctrlrange="-90 90"', "motor"), format="mjcf"),
            "without a limit": Model(actuated('ctrlrange="-90 90"').replace('range="-1 1"', ""), format="mjcf"),
        },
    ),
}

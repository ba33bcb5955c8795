"""Contact: a ball that two joints carry round a post, so that it is known where it touches the ball of the base."""

from __future__ import annotations

from math import asin

from rule_cases.builders import felt, joint, limit, link, robot, sphere
from rule_cases.case import Cases, Model

AT = 2 * asin(0.1)
"""From where on balls of 0.1 m touch, of which one is 1 m from the axis, rad."""


def swing(lower: object = -3, upper: object = 3, at: float = 1.0, radius: object = 0.1, kind: str = "revolute") -> str:
    """The ball of `base` is where the one of `ball` comes at an angle, or a length, of joint `a`."""
    place = f"{at} 0 0" if kind == "prismatic" else "0.5403023058681398 0.8414709848078965 0" if at == 1 else "1 0 0"
    return robot(
        link("base", felt(sphere(radius), xyz=place)),
        link("post", felt(sphere(0.1), xyz="0 0 3")),
        link("ball", felt(sphere(radius))),
        joint("a", "base", "post", limit(lower, upper), kind=kind, axis="1 0 0" if kind == "prismatic" else "0 0 1"),
        joint("b", "post", "ball", kind="revolute", xyz="0 0 0" if kind == "prismatic" else "1 0 0"),
    )


def disabled(
    reason: str | None, text: str = swing(), pair: tuple[str, str] = ("base", "ball"), more: str = ""
) -> Model:
    """The ball with an SRDF that disables a pair, and has more."""
    why = "" if reason is None else f' reason="{reason}"'
    srdf = f'<disable_collisions link1="{pair[0]}" link2="{pair[1]}"{why}/>{more}'
    return Model(text, srdf=f'<robot name="r">{srdf}</robot>')


def state(value: object, text: str = swing(), name: str = "a") -> Model:
    """The ball with a state."""
    group = '<group name="g"><joint name="a"/><joint name="b"/></group>'
    own = f'<group_state name="s" group="g"><joint name="{name}" value="{value}"/></group_state>'
    return Model(text, srdf=f'<robot name="r">{group}{own}</robot>')


def keyframe(qpos: str, numbers: str = "", body: str = "") -> Model:
    """The same as an MJCF with a keyframe."""
    ball = f'<body name="ball" pos="1 0 0"><joint name="b" range="-1 1"/><geom type="sphere" size=".1"/>{body}</body>'
    post = f'<joint name="a" range="-3 3"/><geom type="sphere" size=".1" pos="0 0 3"/>{ball}'
    base = f'{numbers}<geom type="sphere" size=".1" pos=".5403 .8415 0"/><body name="post">{post}</body>'
    world = (
        f'<worldbody><body name="base">{base}</body></worldbody><keyframe><key name="home" qpos="{qpos}"/></keyframe>'
    )
    return Model(f'<mujoco model="r"><compiler angle="radian" autolimits="true"/>{world}</mujoco>', format="mjcf")


TIP = '<body name="tip" pos="0 .2 0"><joint name="t" type="ball"/><geom type="sphere" size=".05" pos=".2 0 0"/></body>'
"""A ball on a ball joint, which comes to the post where that is turned by 90 degrees about z."""

CASES = {
    "CON-001": Cases(
        found={
            "never": Model(**{**vars(disabled("Never")), "says": "as 'Never', but touches in about 6.9 %"}),
            "in small letters": disabled("never"),
            "without a reason": Model(**{**vars(disabled(None)), "says": "is disabled without a reason"}),
            "default": Model(
                **{**vars(disabled("Default")), "says": "but not in the neutral posture; it does at --deg"}
            ),
            "never, in the neutral posture": disabled("Never", swing(at=0.0)),
            "so small that no sample meets it": Model(
                **{
                    **vars(disabled("Never", swing(radius=0.0001))),
                    "says": "but touches rarely; it does at --deg --q a=57.3",
                }
            ),
        },
        silent={
            "a user's choice": disabled("User"),
            "always, as is said": disabled("Always"),
            "adjacent": disabled("Adjacent"),
            "out of reach": disabled("Never", swing(upper=1 - AT - 0.001)),
            "default, in the neutral posture": disabled("Default", swing(at=0.0)),
            "without a reason, in the neutral posture": disabled(None, swing(at=0.0)),
            "neighbours": disabled("Never", pair=("base", "post")),
            "always in contact": disabled("Never", swing(-0.1, 0.1, at=0.0)),
            "no links of the robot": disabled("Never", pair=("base", "wall")),
            "not asked for": Model(**{**vars(disabled("Never")), "options": {"contact": False}}),
        },
    ),
    "CON-002": Cases(
        found={
            "the neutral posture": Model(
                swing(at=0.0), says="touch in this posture: 'base' and 'ball'", element="robot 'r'"
            ),
            "a state": Model(
                **{**vars(state(1.1)), "says": "'base' and 'ball', at --deg --q a=63", "element": "group_state 's'"}
            ),
            "a state that touches by hardly 0.01 rad": state(1 + AT - 0.0101),
            "a keyframe": Model(**{**vars(keyframe("1.1 0.2")), "element": "keyframe 'home'"}),
            "a keyframe with a quaternion, w first": Model(
                **{
                    **vars(keyframe("0 0 0 1 0 0 0 0.62 0 0.7071 0 0 0.7071", "<freejoint name='f'/>", TIP)),
                    "says": "touch in this posture: 'base' and 'tip'",
                }
            ),
        },
        silent={
            "apart": swing(),
            "a state apart": state(1 + AT + 0.001),
            "a state that touches by hardly less than 0.01 rad": state(1 + AT - 0.0099),
            "a state outside of the limits": state(1.1, swing(upper=1.05)),
            "a state of another joint, while the neutral posture touches": Model(
                **{**vars(state(0.1, swing(at=0.0), "b")), "about": "group_state 's'"}
            ),
            "a disabled pair": disabled("Never", swing(at=0.0)),
            "a link that is disabled with all": disabled(
                "Never", swing(at=0.0), ("base", "post"), '<disable_default_collisions link="ball"/>'
            ),
            "always in contact": swing(-0.1, 0.1, at=0.0),
            "a keyframe apart": keyframe("0.5 0"),
            "a keyframe with too few numbers": keyframe("1.1"),
            "a keyframe with words": keyframe("1.1 x"),
        },
    ),
    "CON-003": Cases(
        found={
            "hardly 0.1 rad inside": Model(
                swing(upper=1 - AT + 0.1005),
                says="at 0.9 rad, an end of its range, and 0.1 rad inside",
                element="joint 'a'",
            ),
            "the lower end": Model(swing(lower=1 + AT - 0.11), says="at 1.09 rad"),
            "hardly 5 mm inside": Model(swing(0, 0.80505, kind="prismatic"), says="at 0.805 m, an end of its range"),
            "14 of 30 elsewhere": swing(0.49, 1.0),
            "an enabled pair": disabled(
                "Never", swing(upper=0.95), more='<enable_collisions link1="base" link2="ball"/>'
            ),
        },
        silent={
            "hardly less than 0.1 rad inside": swing(upper=1 - AT + 0.0995),
            "hardly less than 5 mm inside": swing(0, 0.80495, kind="prismatic"),
            "15 of 30 elsewhere": swing(0.5, 1.0),
            "beyond": swing(),
            "endless": swing().replace('type="revolute"', 'type="continuous"'),
            "a disabled pair": disabled("Never", swing(upper=0.95)),
            "a short range": swing(0.85, 1.0),
        },
    ),
}

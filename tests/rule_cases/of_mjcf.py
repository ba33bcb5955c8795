"""MJCF files: units of angles, order of ranges, negative numbers."""

from dataclasses import replace

from rule_cases.case import Cases, Model


def world(inside: str, beside: str = "", angle: str = "", says: str = "", count: int | None = None) -> Model:
    """A body with elements in it, elements beside the world, and the unit of angles."""
    compiler = f'<compiler angle="{angle}"/>' if angle else ""
    body = f'<worldbody><body name="b"><geom name="g" size="0.1"/>{inside}</body></worldbody>'
    return Model(f"<mujoco>{compiler}{beside}{body}</mujoco>", format="mjcf", says=says, count=count)


def turned(angles: str, angle: str = "", says: str = "") -> Model:
    return world(f'<site euler="{angles}"/>', angle=angle, says=says)


def hinge(attributes: str, **more: str) -> Model:
    return world(f"<joint {attributes}/>", **more)


def actuated(attributes: str, tag: str = "motor", says: str = "") -> Model:
    return world('<joint name="j"/>', f'<actuator><{tag} joint="j" {attributes}/></actuator>', says=says)


def keyed(key: str, actuators: str = '<motor joint="j"/>', more: str = "", says: str = "") -> Model:
    """A hinge, a free body, a ball, a body that the user moves, actuators of the hinge, and a keyframe."""
    bodies = '<body name="f"><freejoint/><geom size="0.1"/></body><body name="m" mocap="true"/>'
    bodies += '<body name="p"><joint type="ball"/><geom size="0.1"/></body>'
    text = f'<worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body>{bodies}</worldbody>'
    text += f"<actuator>{actuators}</actuator><keyframe><key {key}/></keyframe>"
    return Model(f"<mujoco>{more}{text}</mujoco>", format="mjcf", says=says)


def scene(more: str = "", **counts: int) -> Model:
    """A free body and a keyframe with as many zeros."""
    body = '<worldbody><body name="b"><freejoint/><geom size="0.1"/></body></worldbody>'
    return Model(f"<mujoco>{more}{body}<keyframe><key {zeros(**counts)}/></keyframe></mujoco>", format="mjcf")


WHOLE = ("compiler", "option", "default", "actuator")


def zeros(**counts: int) -> str:
    """Attributes of as many zeros."""
    return " ".join(f'{name}="{"0 " * count}"' for name, count in counts.items())


DEFAULTS = '<default><joint range="1 -1"/><motor ctrlrange="1 -1"/></default>'
TENDON = '<tendon><fixed {}><joint joint="j" coef="1"/></fixed></tendon>'

RADIANS = Cases(
    found={
        "a rounded right angle": turned("0 1.57 0", says="euler is 0 1.57 0° here, a fraction of π; is it in radians?"),
        "an exact one": turned("1.5707963267948966 0 0"),
        "four decimals": turned("0.7854 0 0"),
        "with the unit": turned("-3.14 0 0", "degree"),
        "an angle about an axis": world('<site axisangle="0 0 1 1.57"/>', says="axisangle is 1.57°"),
        "a range": hinge('range="-1.57 1.57"', says="range is -1.57 1.57°"),
        "a range, beside types of shapes": world(
            '<joint range="0 1.57"/>', '<default><geom type="sphere"/><joint type="hinge"/></default>'
        ),
        "a ref": hinge('ref="0.785" range="-1 2"', says="ref is 0.785°"),
        "two attributes of two": world('<site euler="1.57 0 0"/><joint ref="1.57"/><site euler="3.14 0 0"/>', count=2),
        "of a class": world("", '<default><geom euler="1.57 0 0"/></default>'),
    },
    silent={
        "degrees": turned("90 1.5 -45.5"),
        "radians": turned("1.57 0 0", "radian"),
        "the last unit": world('<site euler="1.57 0 0"/>', '<compiler angle="radian"/>', "degree"),
        "an axis": world('<site axisangle="0 1.57 1 90"/>'),
        "a slide": hinge('type="slide" range="-1.57 1.57"'),
        "perhaps a slide": world(
            '<joint class="s" range="0 1.57"/>', '<default><default class="s"><joint type="slide"/></default></default>'
        ),
        "no angle": world('<site pos="1.57 0 0"/>'),
        "near no fraction": turned("1.5753 1.51 0"),
    },
)
SILENT_NUMBERS = Cases(
    found={
        "a force": actuated('forcerange="5 -5"', says="forcerange is '5 -5'; expected the lower number first"),
        **{name: actuated(f'{name}="1 -1"', "general") for name in ("ctrlrange", "actrange", "lengthrange")},
        "of classes": world("", DEFAULTS, count=2),
        "of a tendon that the reader leaves": world('<joint name="j"/>', TENDON.format('actuatorfrcrange="1 -1"')),
        "a gain": actuated('kp="-1"', "position", says="kp is '-1'; expected 0 or more"),
        "a velocity's gain": actuated('kv="-1e-9"', "velocity"),
        "friction": world('<geom size="1" friction="1 -0.1 0"/>', says="friction is '1 -0.1 0'"),
        "a step": world("", '<option timestep="-0.001"/>'),
        "a tendon's damping": world('<joint name="j"/>', TENDON.format('damping="-1"')),
        "a cylinder": actuated('area="-1"', "cylinder"),
        "a long posture": keyed(zeros(qpos=13), says="qpos has length 13; expected 12, that of the model"),
        "a short one": keyed(zeros(qpos=11), says="qpos has length 11; expected 12"),
        "velocities": keyed(zeros(qvel=12), says="qvel has length 12; expected 10"),
        "controls": keyed(zeros(ctrl=2), says="ctrl has length 2; expected 1"),
        "controls of none": keyed(zeros(ctrl=1), "", says="ctrl has length 1; expected 0"),
        "activations": keyed(zeros(act=1), says="act has length 1; expected 0"),
        "moved bodies": keyed(zeros(mpos=2), says="mpos has length 2; expected 3"),
        "turned bodies": keyed(zeros(mquat=3), says="mquat has length 3; expected 4"),
        "a short one of a scene": scene(qpos=6),
        "controls of a scene": scene(ctrl=1),
        **{f"a long one of a model with {tag}": scene(f"<{tag}/>", qpos=8) for tag in WHOLE},
        "two lists of one": replace(keyed(zeros(qpos=3, ctrl=3)), count=2),
    },
    silent={
        "in order": actuated('ctrlrange="-1 1" forcerange="-1 0"'),
        "right lists": keyed(zeros(qpos=12, qvel=10, ctrl=1, act=0, mpos=3, mquat=4)),
        "long lists of a scene": scene(qpos=8, qvel=7),
        "no lists": keyed('name="home"'),
        "the posture that the writer chooses": keyed(
            'name="home" qpos="0 0 0 0 1 0 0 0 1 0 0 0" ctrl="0"', '<motor name="m" joint="j"/>'
        ),
        "a list of a model that copies": keyed(
            zeros(qpos=13), more='<worldbody><replicate count="2"><body><geom size="1"/></body></replicate></worldbody>'
        ),
        **{
            f"activations of {tag}": keyed(zeros(act=1), f'<{tag} joint="j" {more}/>')
            for tag, more in {
                "intvelocity": 'actrange="0 1"',
                "position": 'timeconst="1"',
                "general": 'dyntype="filter"',
            }.items()
        },
        "activations of a class": keyed(zeros(act=1), more='<default><motor/><position timeconst="1"/></default>'),
        "none": actuated('ctrlrange="0 0" forcerange="1 1"'),
        "no gain": actuated('kp="0"', "position"),
        "of a joint, which the reader reports": hinge('range="1 -1"'),
        "of a tendon, which it reports": world('<joint name="j"/>', TENDON.format('range="1 -1"')),
        "of a class of a joint, which it reports": hinge("", beside='<default><joint range="1 -1"/></default>'),
        "of others": world('<site pos="-1 0 0"/>', '<option gravity="0 0 -9.81"/>'),
    },
)

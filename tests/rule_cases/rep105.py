"""REP-105: the frames of mobile platforms."""

from kinetree.rules.examples import CART
from rule_cases.builders import joint, link, robot
from rule_cases.case import Cases, Model

SPRUNG = CART.replace('<parent link="base_link"/>', '<parent link="strut"/>').replace(
    "</robot>",
    '<link name="strut"/><joint name="strut_joint" type="prismatic"><parent link="base_link"/><child link="strut"/>'
    '<axis xyz="0 0 1"/><limit lower="0" upper="0.03" effort="9" velocity="1"/></joint></robot>',
)
"""The cart with wheels on a suspension."""


def on_one_another(*links: str, kind: str = "fixed") -> str:
    """Links on one another."""
    return robot(
        *map(link, links),
        *(joint(f"j{i}", links[i], name, kind=kind) for i, name in enumerate(links[1:])),
    )


CASES = {
    "R105-002": Cases(
        found={
            "odom below base_link": Model(
                on_one_another("base_link", "odom"),
                says="the frame is below 'base_link'; the order is earth -> map -> odom -> base_link",
            ),
            "map below odom": Model(on_one_another("odom", "map"), count=2, severity="error", element="link 'map'"),
            "earth below map, with a link between": Model(on_one_another("map", "plate", "earth"), count=2),
            "map behind a joint that moves": on_one_another("base_link", "map", kind="floating"),
        },
        remarked={
            "map alone": Model(
                on_one_another("map", "a"), severity="warning", says="localisation broadcasts this frame; remove it"
            ),
            "in their order": Model(on_one_another("earth", "map", "odom", "base_link"), count=3, severity="warning"),
            "odom below map, with a link between": Model(on_one_another("map", "x", "odom"), count=2),
        },
        silent={
            "none": on_one_another("base_link", "a"),
            "names that have these in them": on_one_another("map_case", "odom_", "base_link"),
        },
    ),
    "R105-004": Cases(
        found={
            "hardly below": CART.replace("0 0 0.1", "0 0 0.0798"),
            "with wheels that lean": CART.replace('axis xyz="0 1 0"', 'axis xyz="0 0.99509 0.099"').replace(
                "0 0 0.1", "0 0 0"
            ),
            "below the floor": Model(CART.replace("0 0 0.1", "0 0 0.07"), says="ends 0.03 m below this frame"),
            "above the floor": Model(CART.replace("0 0 0.1", "0 0 0.13"), says="ends 0.03 m above this frame"),
            "below, on suspensions": Model(SPRUNG.replace("0 0 0.1", "0 0 0.04"), says="ends 0.06 m below this frame"),
        },
        silent={
            "below, on joints that steer": SPRUNG.replace("prismatic", "revolute").replace("0 0 0.1", "0 0 0"),
            "wheels with limits": CART.replace(
                '"left_wheel_joint" type="continuous"', '"left_wheel_joint" type="floating"'
            ).replace("0 0 0.1", "0 0 0"),
            "hardly on the floor": CART.replace("0 0 0.1", "0 0 0.0802"),
            "with wheels that lean too much": CART.replace('axis xyz="0 1 0"', 'axis xyz="0 0.99488 0.101"').replace(
                "0 0 0.1", "0 0 0"
            ),
            "one wheel below": CART.replace('<link name="left_wheel">', '<link name="left_drum">')
            .replace('child link="left_wheel"', 'child link="left_drum"')
            .replace("0 0 0.1", "0 0 0"),
            "on the floor": CART,
            "below by no more than the stroke": SPRUNG.replace("0 0 0.1", "0 0 0.06"),
            "a little below": CART.replace("0 0 0.1", "0 0 0.081"),
            "one wheel": CART.replace('<link name="left_wheel">', '<link name="left_drum">').replace(
                'child link="left_wheel"', 'child link="left_drum"'
            ),
            "no base_footprint": CART.replace("base_footprint", "body"),
            "wheels that lie": CART.replace('axis xyz="0 1 0"', 'axis xyz="0 0 1"').replace("0 0 0.1", "0 0 0"),
        },
    ),
}

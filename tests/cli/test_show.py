"""`kinetree show`."""

import pytest

from kinetree.viewing import page, show

ARM = """<robot name="arm"><link name="base"/><link name="tip"><visual><geometry><mesh filename="a.stl"/></geometry>
</visual></link><joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""

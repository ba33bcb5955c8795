"""Reader of xacro, XML with macros (github.com/ros/xacro): expansion to the text of another format."""

from kinetree.formats.xacro.expand import Expansion as Expansion, read as read

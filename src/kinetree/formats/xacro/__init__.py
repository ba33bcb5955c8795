"""xacro, XML with macros (github.com/ros/xacro): expanded to the text of another format, never written."""

from kinetree.formats.xacro.expand import Expanded as Expanded
from kinetree.formats.xacro.expand import read as read

"""What the kernel of Linux refuses the child process that checks files; nothing on other systems."""

from kinetree.conventions.sandbox.restrict import Restricted as Restricted
from kinetree.conventions.sandbox.restrict import restrict as restrict

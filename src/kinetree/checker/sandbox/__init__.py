"""What the kernel of Linux refuses the child process that checks files; nothing on other systems."""

from kinetree.checker.sandbox.restrict import Restricted as Restricted
from kinetree.checker.sandbox.restrict import restrict as restrict

"""Restrictions by the Linux kernel of the child process that checks files; none on other systems."""

from kinetree.checker.sandbox.restrict import Restricted as Restricted
from kinetree.checker.sandbox.restrict import restrict as restrict

"""Child processes that call a function of this package on untrusted input, within limits.

The parent names the function, sends pickled arguments, and takes only classes that it names itself from the answer.
Time and memory are limited, and Linux (Landlock, seccomp) refuses the child to write files, to read elsewhere, and to
start programs or use the network. A child that exceeds a limit is ended; nothing of it reaches the parent.
"""

from kinetree.isolated.child import Child as Child, ChildError as ChildError, call as call, watched as watched
from kinetree.isolated.protection import Protection as Protection

"""What is said of an address where no server can listen."""

import errno

from each import each
from kinetree.serving.server import _cannot_listen


@each(
    "error, why, option",
    [
        (OSError("no words of the system"), ": no words of the system", "--host"),
        (OSError(-2, "Name or service not known"), ": Name or service not known", "--host"),
        (OSError(errno.EADDRINUSE, "in other words"), "in use", "--port"),
        (OSError(errno.EACCES, "in other words"), "denied", "--port"),
        (OSError(errno.EADDRNOTAVAIL, "in other words"), "assign", "--host"),
    ],
)
def test_the_reason_and_the_option_that_helps(error, why, option):
    (finding,) = _cannot_listen("here", 7, error).findings
    assert finding.message.startswith("cannot listen on port 7 of 'here': ")
    assert why in finding.message
    assert finding.fix is not None
    assert finding.fix.startswith(f"pass {option} with ")

"""ssik: the module that `ssik build` makes of the arm's URDF; solutions inside the limits. Arms of six or seven joints.

"nearest" gets the middle of the ranges as its seed and gives the solution nearest to it; "all branches" has no start,
and gives one solution a branch, of which the first is taken.
"""

import importlib.util
from contextlib import redirect_stdout
from io import StringIO

from ik_peers import Chain, Peer, RefusedError

PACKAGES = ("ssik",)


def make(chain: Chain) -> list[Peer]:
    if len(chain.names) not in (6, 7):
        raise RefusedError("it has only arms of six or seven joints")
    arm, middle = built(chain), chain.middle

    def nearest(T):
        return first(arm.solve(T, max_solutions=1, q_seed=middle))

    def branches(T):
        return first(arm.solve(T, enumerate_windings=False))

    return [chain.peer("ssik, nearest", nearest, 1000), chain.peer("ssik, all branches", branches, 1000)]


def built(chain: Chain):
    """The module for this arm, beside its URDF."""
    from ssik.cli import main

    file = chain.urdf.with_name("arm_ik.py")
    ends = ["--base", chain.base, "--ee", chain.frame]
    with redirect_stdout(StringIO()) as said:
        if main(["build", str(chain.urdf), *ends, "--out", str(file), "--no-validate"]):
            raise RefusedError(said.getvalue())
    spec = importlib.util.spec_from_file_location("arm_ik", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first(solutions):
    return solutions[0].q if solutions else None

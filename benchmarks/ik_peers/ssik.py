"""ssik: the module that `ssik build` makes of the arm's URDF, solutions inside the limits. Arms of six or seven joints.

The first way is handed the middle of the ranges and returns the solution nearest to it; the second begins nowhere and
returns one solution a branch, of which the first is taken.
"""

import importlib.util
from contextlib import redirect_stdout
from io import StringIO

from ik_peers import Chain, Peer, RefusedError

PACKAGES = ("ssik",)


def make(chain: Chain) -> list[Peer]:
    from ssik.cli import main

    if len(chain.names) not in (6, 7):
        raise RefusedError("only arms of six or seven joints")
    file = chain.urdf.with_name("arm_ik.py")
    with redirect_stdout(StringIO()) as said:
        ends = ["--base", chain.base, "--ee", chain.frame]
        if main(["build", str(chain.urdf), *ends, "--out", str(file), "--no-validate"]):
            raise RefusedError(said.getvalue())
    spec = importlib.util.spec_from_file_location("arm_ik", file)
    arm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(arm)
    middle = chain.middle

    def first(solutions):
        return solutions[0].q if solutions else None

    return [
        chain.peer("ssik, nearest to the middle", lambda T: first(arm.solve(T, max_solutions=1, q_seed=middle)), 1000),
        chain.peer("ssik, all branches", lambda T: first(arm.solve(T, enumerate_windings=False)), 1000),
    ]

"""Many threads that use the package at once, from the first import on; run as a program it prints what they got.

python threads_driver.py THREADS
"""

import hashlib
import json
import sys
import threading
import warnings

ARM = """<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="9" velocity="2"/></joint>
<joint name="j2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="9" velocity="2"/></joint>
<joint name="j3" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="9" velocity="2"/></joint>
<joint name="e" type="fixed"><parent link="c"/><child link="tip"/><origin xyz="0.4 0 0"/></joint>
<link name="tip"/></robot>"""


def together(work, count):
    """What `work(number)` returns or raises in each of so many threads that begin at once and are switched often."""
    begin, results = threading.Barrier(count), [None] * count

    def run(number):
        begin.wait()
        try:
            results[number] = work(number)
        except BaseException as error:
            results[number] = error

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    failed = [result for result in results if isinstance(result, BaseException)]
    if failed:
        raise failed[0]
    return results


def questions(kt):
    """Functions of a robot and configurations (n, 3) to arrays, in an order of their own for each thread."""
    return {
        "fk": lambda robot, q: kt.fk(robot, "tip")(q),
        "base": lambda robot, q: kt.fk(robot, ["a", "tip"], base="b")(q[0]),
        "single": lambda robot, q: kt.fk(robot, "tip")(q, dtype="float32"),
        "jacobian": lambda robot, q: kt.jacobian(robot, "tip")(q),
        "mass": lambda robot, q: kt.mass_matrix(robot)(q[1]),
        "torques": lambda robot, q: kt.inverse_dynamics(robot)(q, q, q),
        "gradient": lambda robot, q: kt.vjp(kt.fk(robot, "tip"))(q, kt.fk(robot, "tip")(q)),
        "ik": lambda robot, q: kt.ik(robot, "tip", goal="position")(kt.fk(robot, "tip")(q)[:, :3, 3], q0=0.9 * q).q,
        "limits": lambda robot, q: robot.limits.margin(q),
        "moved": lambda robot, q: kt.jacobian(robot, "tip", joints=["j3", "j1"], at=q[0])(q[1, :2]),
        "own": lambda robot, q: kt.fk(kt.load(ARM, format="urdf"), "tip")(q),
        "found": lambda robot, q: [len(kt.check(robot))],
    }


def digests(robot, number=0, rounds=1):
    """A digest of the bytes of each answer."""
    import numpy as np

    import kinetree as kt

    asked, found = list(questions(kt).items()), {}
    asked = asked[number % len(asked) :] + asked[: number % len(asked)]
    q = np.random.default_rng(1).uniform(-1.5, 1.5, (8, 3))
    for _ in range(rounds):
        for name, ask in asked:
            digest = hashlib.sha256(np.ascontiguousarray(ask(robot, q)).tobytes()).hexdigest()
            assert found.setdefault(name, digest) == digest, f"{name} changes"
    return found


def main(count):
    def work(number):
        import kinetree as kt  # by all threads at once

        return digests(kt.load(ARM, format="urdf") if number % 2 else shared(kt), number, 3)

    lock, made = threading.Lock(), []

    def shared(kt):
        with lock:
            if not made:
                made.append(kt.load(ARM, format="urdf"))
        return made[0]

    found = together(work, count)
    assert all(one == found[0] for one in found), "threads differ"
    silent = [filter for filter in warnings.filters if filter[:4] == ("ignore", None, Warning, None)]
    assert not silent, "all warnings are off, although no call that changes them is under way"
    print(json.dumps(found[0]))


if __name__ == "__main__":
    main(int(sys.argv[1]))

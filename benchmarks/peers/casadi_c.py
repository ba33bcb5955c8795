"""C code by CasADi of the expressions of adam, built by the system's C compiler: straight-line code without SIMD."""

import ctypes
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import casadi
import numpy as np
from adam.casadi import KinDynComputations

import peers

LOOP = """
void {name}_batch(const double *q, double *out, long n) {{
  for (long i = 0; i < n; i++) {{
    const double *arguments[1] = {{q + i * {inputs}}};
    double *results[1] = {{out + i * {outputs}}};
    {name}(arguments, results, 0, 0, 0);
  }}
}}
"""


class Peer(peers.Peer):
    packages = ("adam-robotics", "casadi", "numpy")
    about = "adam's expressions, `casadi.CodeGenerator`, cc -O3 -march=native, called by ctypes; batches looped in C"

    def functions(self):
        if not self.case.frames:
            return {}
        frames, n = self.case.frames, len(self.case.joints)
        robot = load(self.case)
        q, H = casadi.SX.sym("q", n), casadi.SX.eye(4)
        T = casadi.horzcat(*(robot.forward_kinematics_fun(name)(H, q).T for name in frames))
        results = {"fk": (T, (4, 4) if len(frames) == 1 else (len(frames), 4, 4))}
        if len(frames) == 1:
            J = robot.jacobian_fun(frames[0])(H, q)[:, 6:]  # the first six columns move the base
            results["jacobian"] = J.T, (6, n)
        # CasADi stores columns, NumPy rows: hence the transposes.
        made = {name: casadi.Function(name, [q], [casadi.densify(x)]) for name, (x, _) in results.items()}
        library = build(made, n)
        found = {}
        for name, (_, shape) in results.items():
            found |= wrapped(name, getattr(library, f"{name}_batch"), shape)
        return found


def load(case):
    """adam fails on inertias and joints without an origin, which URDF lets be left out."""
    tree = ET.parse(case.urdf)
    for element in (*tree.iter("inertial"), *tree.iter("joint")):
        if element.find("origin") is None:
            ET.SubElement(element, "origin", xyz="0 0 0", rpy="0 0 0")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "robot.urdf")
        tree.write(file)
        return KinDynComputations(str(file), list(case.joints))


def build(functions, n):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler:
        raise peers.NotHereError("a C compiler")
    with tempfile.TemporaryDirectory() as folder:
        generator = casadi.CodeGenerator("kinematics.c")
        for function in functions.values():
            generator.add(function)
        generator.generate(folder + os.sep)
        source = Path(folder, "kinematics.c")
        loops = (LOOP.format(name=k, inputs=n, outputs=f.nnz_out(0)) for k, f in functions.items())
        source.write_text(source.read_text() + "".join(loops))
        library = source.with_suffix(".so")
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(library))


def wrapped(query, function, shape):
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long], None

    def into(Q, out):
        function(Q.ctypes.data, out.ctypes.data, len(Q))

    def batch(Q):
        out = np.empty((len(Q), *shape))
        function(Q.ctypes.data, out.ctypes.data, len(Q))
        return out

    def one(q):
        out = np.empty(shape)
        function(q.ctypes.data, out.ctypes.data, 1)
        return out

    return {f"{query} one": one, f"{query} batch": batch, f"{query} into": into}

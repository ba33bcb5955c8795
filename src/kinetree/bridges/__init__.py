"""Robots and kernels in other libraries. Import the module of a library: `from kinetree.bridges import mujoco`.

    pinocchio, mujoco, drake, roboticstoolbox    export(robot): a model of the library, with maps to and from it
    trimesh                                      export(robot, q): a scene of the visual shapes, with maps
    casadi                                       wrap(kernel): a function of CasADi
    torch, jax                                   wrap(kernel): a function with gradients, of `kt.ik` too

Each needs its library: `pip install kinetree[mujoco]`, and likewise for the others; trimesh comes with
Kinetree.
"""

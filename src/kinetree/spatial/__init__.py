"""Mathematics of rigid bodies on plain arrays, without robots. Import a module: `from kinetree.spatial import se3`.

    se3            rotations R (3, 3), poses T (4, 4), quaternions (4,), roll, pitch and yaw
    euler          three angles about moving axes, such as "zyx"
    exponential    products of quaternions, rotation vectors (axis times angle) and their Jacobians
    plucker        6-D vectors and inertias of Featherstone
    dh             screws of Denavit and Hartenberg, common normal of two lines
    handedness     left-handed coordinates to right-handed ones
    polytope       sets {x : A x <= b}: volume, corners, projection, samples

Metres, radians, kilograms. `T_AB` maps coordinates in B to coordinates in A: p_A = T_AB p_B. It is the pose of B in A.
Quaternions are x y z w. Roll, pitch and yaw are about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). Twists and wrenches
are linear first, as everywhere in Kinetree, except for the motion vectors and inertias of `plucker`, where the angular
part is first.
"""

from kinetree.spatial.se3 import Array as Array

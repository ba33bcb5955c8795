/**
 * Poses as 16 numbers by rows, in full precision.
 *
 * @typedef {ArrayLike<number>} Pose
 */

import { eulerOf } from "./euler.js";

/** Return the product of two poses, T_AC of T_AB and T_BC.
 * @param {Pose} A @param {Pose} B @returns {number[]} */
export function multiply(A, B) {
  const C = new Array(16).fill(0);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
  return C;
}

/** Return T_BA of T_AB.
 * @param {Pose} T @returns {number[]} */
export function inverse(T) {
  const R = [0, 1, 2].map((i) => [T[i], T[4 + i], T[8 + i]]);
  const p = R.map((row) => -(row[0] * T[3] + row[1] * T[7] + row[2] * T[11]));
  return [...R[0], p[0], ...R[1], p[1], ...R[2], p[2], 0, 0, 0, 1];
}

/** Return the rotation vector from the axes of A to those of B, in the axes of the base; at most pi long.
 * @param {Pose} A @param {Pose} B @returns {number[]} */
export function rotationBetween(A, B) {
  const R = (/** @type {number} */ i, /** @type {number} */ j) =>
    B[4 * i] * A[4 * j] + B[4 * i + 1] * A[4 * j + 1] + B[4 * i + 2] * A[4 * j + 2];
  const matrix = [R(0, 0), R(0, 1), R(0, 2), 0, R(1, 0), R(1, 1), R(1, 2), 0, R(2, 0), R(2, 1), R(2, 2), 0, 0, 0, 0, 1];
  const [x, y, z, w] = quaternion(matrix);
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, w);
  const factor = sine < 1e-12 ? 2 : angle / sine;
  return [x * factor, y * factor, z * factor];
}

/** Return the quaternion xyzw of a pose, with w >= 0.
 * @param {Pose} T @returns {number[]} */
export function quaternion(T) {
  const [a, b, c] = [T[0], T[5], T[10]];
  const squares = [1 + a - b - c, 1 - a + b - c, 1 - a - b + c, 1 + a + b + c];
  const most = squares.indexOf(Math.max(...squares));
  const d = 2 * Math.sqrt(squares[most]);
  const [u, v, w] = [T[9] - T[6], T[2] - T[8], T[4] - T[1]];
  const [xy, xz, yz] = [T[1] + T[4], T[2] + T[8], T[6] + T[9]];
  const found = [
    [d / 4, xy / d, xz / d, u / d],
    [xy / d, d / 4, yz / d, v / d],
    [xz / d, yz / d, d / 4, w / d],
    [u / d, v / d, w / d, d / 4],
  ][most];
  return found[3] < 0 ? found.map((value) => -value) : found;
}

/** Return the angles about the fixed axes x, y, z (URDF's rpy) of a pose, rad; yaw is zero at gimbal lock.
 * @param {Pose} T @returns {number[]} */
export function rpy(T) {
  return eulerOf(T, "zyx").reverse();
}

/** Return the pose of a place and of angles about the fixed axes x, y, z.
 * @param {number[]} p @param {number[]} angles @returns {number[]} */
export function poseOf(p, angles) {
  const [[a, b, c], [d, e, f]] = [angles.map(Math.cos), angles.map(Math.sin)];
  return [
    ...[c * b, c * e * d - f * a, c * e * a + f * d, p[0]],
    ...[f * b, f * e * d + c * a, f * e * a - c * d, p[1]],
    ...[-e, b * d, b * a, p[2]],
    ...[0, 0, 0, 1],
  ];
}

/** Return the rotation of a quaternion of any length, as a pose.
 * @param {ArrayLike<number>} xyzw @returns {number[]} */
export function fromQuaternion(xyzw) {
  const length = Math.hypot(xyzw[0], xyzw[1], xyzw[2], xyzw[3]) || 1;
  const [x, y, z, w] = Array.from(xyzw, (value) => value / length);
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0],
    ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0],
    ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0],
    ...[0, 0, 0, 1],
  ];
}

/** Return the quaternion xyzw of angles about the fixed axes x, y, z.
 * @param {number[]} angles @returns {number[]} */
export function toQuaternion(angles) {
  const [[a, b, c], [d, e, f]] = [
    angles.map((angle) => Math.cos(angle / 2)),
    angles.map((angle) => Math.sin(angle / 2)),
  ];
  return [d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c, a * b * c + d * e * f];
}

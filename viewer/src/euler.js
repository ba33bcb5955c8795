/** Three angles about moving axes, as src/kinetree/spatial/euler.py extracts them: one after the other. */

/** @typedef {import("./poses.js").Pose} Pose */

const LOCKED = 1e-13;

/** Return the angles of R = R_i(a) R_j(b) R_k(c), rad, about axes such as "zyx". zero: 0 or 2, the outer angle that is
 * zero at gimbal lock.
 * @param {Pose} T @param {string} axes @param {number} [zero] @returns {number[]} */
export function eulerOf(T, axes, zero = 0) {
  if (zero === 2) {
    const turned = [T[0], T[4], T[8], 0, T[1], T[5], T[9], 0, T[2], T[6], T[10], 0, 0, 0, 0, 1];
    return eulerOf(turned, [...axes].reverse().join(""))
      .reverse()
      .map((angle) => wrapped(-angle) + 0);
  }
  const R = (/** @type {number} */ row, /** @type {number} */ column) => T[4 * row + column];
  const [i, j] = ["xyz".indexOf(axes[0]), "xyz".indexOf(axes[1])];
  const k = 3 - i - j;
  const s = (j - i + 3) % 3 === 1 ? 1 : -1;
  const same = axes[0] === axes[2];
  const [sine, cosine, along] = same ? [R(j, i), -s * R(k, i), R(i, i)] : [-s * R(j, k), R(k, k), s * R(i, k)];
  const a = Math.hypot(sine, cosine) < LOCKED ? 0 : Math.atan2(sine, cosine);
  const across = Math.max(Math.cos(a) * cosine + Math.sin(a) * sine, 0);
  const b = same ? Math.atan2(across, along) : Math.atan2(along, across);
  const row = [0, 1, 2].map((column) => Math.cos(a) * R(j, column) + s * Math.sin(a) * R(k, column));
  const c = same ? Math.atan2(-s * row[k], row[j]) : Math.atan2(s * row[i], row[j]);
  return [wrapped(a), b, wrapped(c)];
}

/** @param {number} angle */
function wrapped(angle) {
  if (angle <= -Math.PI) return angle + 2 * Math.PI;
  return angle > Math.PI ? angle - 2 * Math.PI : angle;
}

/** A second robot that follows the first: coordinates of paired joints have equal values, inside its own limits. */

import { marginOf, nearest, setQ } from "./model.js";

/** @typedef {import("./model.js").Model} Model */

/** Let the second model follow the first one. Return a function that lists the coordinates of the second that its
 * limits keep from following.
 * @param {Model} first @param {Model} second @param {[number, number][]} pairs of their coordinates
 * @returns {() => string[]} */
export function follow(first, second, pairs) {
  const { lower, upper, rows } = second.robot.limits;
  function update() {
    const q = Float64Array.from(second.q);
    for (const [i, j] of pairs) q[j] = Math.min(Math.max(first.q[i], lower[j] ?? -Infinity), upper[j] ?? Infinity);
    if (rows.some((row) => marginOf(row, q) < 0)) {
      q.set(second.q);
      for (const [i, j] of pairs) q[j] = nearest({ ...second, q }, j, first.q[i]);
    }
    setQ(second, q);
  }
  first.listeners.push(update);
  update();
  return () =>
    pairs.flatMap(([i, j]) => (Math.abs(first.q[i] - second.q[j]) > 1e-9 ? [second.robot.coordinates[j].name] : []));
}

/** Numbers as a person wants them: degrees and millimetres. */

/** @typedef {{name: string, factor: number, digits: number}} Unit */

/** Units by that of the coordinate. @type {Record<string, Unit>} */
export const UNITS = {
  rad: { name: "°", factor: 180 / Math.PI, digits: 1 },
  m: { name: "mm", factor: 1000, digits: 1 },
  quaternion: { name: "", factor: 1, digits: 4 },
};

/** Return a number with as many digits as fit its unit, without "-0".
 * @param {number} value in rad or m @param {Unit} unit @param {number} [digits] */
export function written(value, unit, digits = unit.digits) {
  return (value * unit.factor).toFixed(digits).replace(/^-(0(?:\.0*)?)$/, "$1");
}

/** Return a number with one digit after the point, or with a power of ten if it is large.
 * @param {number} value */
export function short(value) {
  return Math.abs(value) < 1e4 ? value.toFixed(1) : value.toExponential(1);
}

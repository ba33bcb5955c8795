/** The camera follows a robot that moves freely, so that it stays in the picture. */

import { Vector3 } from "three";

import { tick } from "../dom.js";
import { poseOfLink } from "../model.js";

/** @typedef {import("../app.js").App} App */

/** Return a box to tick for the first floating or planar joint that the motion moves; nothing without one.
 * @param {App} app @param {import("../motion.js").Motion} motion @returns {HTMLElement[]} */
export function followTick({ models: [model], stage }, { columns }) {
  const { joints, coordinates, links } = model.robot;
  const joint = columns
    .map(({ coordinate }) => joints[coordinates[coordinate].joint])
    .find(({ type }) => type === "floating" || type === "planar");
  if (!joint || !stage) return [];
  let follows = true;
  const place = () => {
    const T = poseOfLink(model, joint.child);
    return new Vector3(T[3], T[7], T[11]);
  };
  let before = place();
  model.listeners.push(() => {
    const now = place();
    const moved = now.clone().sub(before);
    before = now;
    if (!follows || !moved.lengthSq()) return;
    stage.orbit.target.add(moved);
    stage.camera.position.add(moved);
    stage.orbit.update();
  });
  return [tick(`The camera follows ${links[joint.child].name}`, true, (checked) => (follows = checked))];
}

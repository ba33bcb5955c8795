/** Names in the picture, as text over the canvas. Those that would cover another are left out, the first come first. */

import { Vector3 } from "three";

import { element } from "./dom.js";

/** @typedef {import("three").Object3D} Object3D */
/** @typedef {{text: string, kind: string, object: Object3D, shown: () => boolean, pressed: () => void}} Label */

/** Return a function that adds a label to the stage; labels with a lower rank come first.
 * @param {import("./stage.js").Stage} stage @param {HTMLElement} parent
 * @returns {(label: Label, rank?: number) => void} */
export function createLabels(stage, parent) {
  const layer = element("div", { className: "labels", "aria-hidden": "true" });
  parent.append(layer);
  /** @type {(Label & {rank: number, tag: HTMLElement})[]} */
  const labels = [];
  const at = new Vector3();
  stage.painters.push(() => {
    stage.scene.updateMatrixWorld();
    const { clientWidth, clientHeight } = parent;
    /** @type {number[][]} */
    const taken = [];
    for (const { object, shown, tag, text } of labels) {
      at.setFromMatrixPosition(object.matrixWorld).project(stage.camera);
      const [x, y] = [((at.x + 1) / 2) * clientWidth + 8, ((1 - at.y) / 2) * clientHeight - 8];
      const box = [x, y, x + 7 * Math.min(text.length, 30) + 10, y + 18];
      const free = taken.every(([a, b, c, d]) => box[2] < a || box[0] > c || box[3] < b || box[1] > d);
      tag.hidden = !(shown() && Math.abs(at.z) < 1 && free);
      if (tag.hidden) continue;
      taken.push(box);
      tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  });
  return (label, rank = 1) => {
    const tag = element("button", { type: "button", tabIndex: -1, className: `label ${label.kind}`, textContent: label.text, onclick: label.pressed });
    layer.append(tag);
    labels.push({ ...label, rank, tag });
    labels.sort((a, b) => a.rank - b.rank);
  };
}

/** Names in the picture, as text over the canvas. None covers another: each has the first free place around its object,
 * those of the selected part and of the lowest rank first; a label without a free place is left out. */

import { Object3D, Vector3 } from "three";

import { element, legible } from "./dom.js";
import { span } from "./marks.js";

/** Chosen: whether the label's part is selected, never by default.
 * @typedef {{text: string, kind: string, object: Object3D, shown: () => boolean, pressed: () => void,
 *   chosen?: () => boolean}} Label */
/** @typedef {Label & {rank: number, tag: HTMLElement, size: [number, number] | null, place: number}} Placed */

const HEIGHT = 22;
/** Left upper corners of a label of some width, seen from its object. @type {((width: number) => [number, number])[]} */
const PLACES = [-1, 0, -2, 1, -3, 2].flatMap((row) => {
  const y = row * HEIGHT + (row < 0 ? -3 : 3);
  return [
    () => /** @type {[number, number]} */ ([8, y]),
    (/** @type {number} */ width) => /** @type {[number, number]} */ ([-8 - width, y]),
  ];
});

/** Return a function that adds a label to the stage; labels with a lower rank come first.
 * @param {import("./stage.js").Stage} stage @param {HTMLElement} parent
 * @returns {import("./app.js").AddLabel} which returns a function to change the text */
export function createLabels(stage, parent) {
  const layer = element("div", { className: "labels", "aria-hidden": "true" });
  parent.append(layer);
  /** @type {Placed[]} */
  const labels = [];
  const at = new Vector3();
  stage.painters.push(() => {
    stage.scene.updateMatrixWorld();
    const { clientWidth, clientHeight } = parent;
    /** @type {number[][]} */
    const taken = [];
    const chosen = labels.filter((label) => label.chosen?.());
    for (const label of [...chosen, ...labels.filter((one) => !chosen.includes(one))]) {
      at.setFromMatrixPosition(label.object.matrixWorld).project(stage.camera);
      const [x, y] = [((at.x + 1) / 2) * clientWidth, ((1 - at.y) / 2) * clientHeight];
      const inside = Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && Math.abs(at.z) < 1;
      label.tag.hidden = !(inside && label.shown());
      const box = label.tag.hidden ? null : freePlace(label, x, y, [clientWidth, clientHeight], taken);
      label.tag.hidden = box === null;
      if (!box) continue;
      taken.push(box);
      label.tag.classList.toggle("chosen", chosen.includes(label));
      label.tag.style.transform = `translate(${box[0].toFixed(1)}px, ${box[1].toFixed(1)}px)`;
    }
  });
  return (label, rank = 1) => {
    const tag = element("button", {
      type: "button",
      tabIndex: -1,
      className: `label ${label.kind}`,
      textContent: label.text,
      onclick: label.pressed,
    });
    layer.append(tag);
    /** @type {Placed} */
    const own = { ...label, rank, tag, size: null, place: 0 };
    labels.push(own);
    labels.sort((a, b) => a.rank - b.rank);
    return (text) => {
      tag.textContent = legible(text);
      own.size = null;
    };
  };
}

/** Return the corners of a place for a label that is shown, the last one if it is still free; null if none is free.
 * @param {Placed} label @param {number} x @param {number} y @param {[number, number]} view @param {number[][]} taken */
function freePlace(label, x, y, [width, height], taken) {
  label.size ??= [label.tag.offsetWidth, label.tag.offsetHeight];
  const [w, h] = label.size;
  for (let i = 0; i < PLACES.length; i++) {
    const place = (label.place + i) % PLACES.length;
    const [dx, dy] = PLACES[place](w);
    const box = [x + dx, y + dy, x + dx + w, y + dy + h];
    const seen = box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height;
    if (!seen || taken.some(([a, b, c, d]) => box[2] > a && box[0] < c && box[3] > b && box[1] < d)) continue;
    label.place = place;
    return box;
  }
  return null;
}

/** Return the function that draws the line between two points of the root, with a text, or nothing.
 * @param {import("./app.js").App} app @param {string} colour @returns {(points: number[][] | null, text: string) => void} */
export function lineMark({ pictures: [picture], addLabel }, colour) {
  if (!picture) return () => {};
  const { object, set } = span(0.006 * picture.model.robot.size, colour);
  const middle = new Object3D();
  object.visible = false;
  picture.root.add(object, middle);
  const shown = () => object.visible;
  const say = addLabel?.({ text: "", kind: "name", object: middle, shown, pressed: () => {} }, -1);
  return (points, text) => {
    object.visible = points !== null;
    if (!points) return;
    const [a, b] = points.map(([x, y, z]) => new Vector3(x, y, z));
    set(a, b);
    middle.position.copy(a).add(b).divideScalar(2);
    say?.(text);
  };
}

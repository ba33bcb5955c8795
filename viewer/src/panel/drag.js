/** Drag a frame: inverse kinematics inside the limits, with the pointer or by typed numbers. */

import { Object3D } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";

import { nameOf } from "../app.js";
import { button, element, section, tick } from "../dom.js";
import { poseOfFrame, setQ } from "../model.js";
import { poseOf, rpy } from "../poses.js";
import { reach } from "../reach.js";
import { matrixOf } from "../shapes.js";
import { UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */

const RESTARTS = 30;
const FIELDS = /** @type {const} */ (["x", "y", "z", "roll", "pitch", "yaw"]);

/** @param {App} app */
export function dragPanel(app) {
  const [model] = app.models;
  const names = [...model.frames.keys()];
  let held = "";
  let rotate = false;
  const left = element("p", { className: "quiet", role: "status" });
  const handle = createHandle(
    app,
    () => move(handle?.pose() ?? [], 0),
    () => move(handle?.pose() ?? [], RESTARTS),
  );
  const choice = element("input", {
    type: "text",
    placeholder: "Name of a frame",
    "aria-label": "Frame to drag",
    onchange: () => hold(choice.value),
  });
  const list = element("datalist", { id: "frames-to-drag" }, ...names.map((value) => element("option", { value })));
  choice.setAttribute("list", list.id);
  const fields = FIELDS.map((name, i) => {
    const unit = i < 3 ? UNITS.m : UNITS.rad;
    const input = element("input", {
      type: "number",
      step: "any",
      "aria-label": `${name} of the goal in ${unit.name}`,
      onchange: () => typed(i),
    });
    return {
      input,
      unit,
      label: element("label", {}, element("span", { textContent: `${name} ${unit.name}` }), input),
    };
  });
  const goals = element("div", { className: "goal", hidden: true }, ...fields.map(({ label }) => label));

  /** Move to the goal with one number replaced; the others keep all their digits. @param {number} i */
  function typed(i) {
    const { input, unit } = fields[i];
    const values = numbersOf(poseOfFrame(model, held));
    values[i] = Number(input.value) / unit.factor;
    if (input.value !== "" && values.every(Number.isFinite))
      move(poseOf(values.slice(0, 3), values.slice(3)), RESTARTS);
    else refresh();
  }
  /** @param {number[]} goal @param {number} restarts */
  function move(goal, restarts) {
    if (!held) return;
    const found = reach(model, held, goal, rotate, restarts);
    setQ(model, found.q);
    const near = found.distance < 1e-4 && (!rotate || found.angle < 1e-3);
    left.textContent = near
      ? "Reached."
      : `${written(found.distance, UNITS.m)} mm${rotate ? ` and ${written(found.angle, UNITS.rad)}°` : ""} are left: ${restarts ? "no place inside the limits was found nearer" : "let go to search"}.`;
    if (!handle?.dragging()) refresh();
  }
  function refresh() {
    if (!held) return;
    const T = poseOfFrame(model, held);
    const values = numbersOf(T);
    fields.forEach(({ input, unit }, i) => {
      if (document.activeElement !== input) input.value = written(values[i], unit);
    });
    handle?.put(T);
    app.stage?.draw();
  }
  /** @param {string} name */
  function hold(name) {
    held = model.frames.has(name) ? name : "";
    choice.value = name;
    left.textContent = name && !held ? "There is no frame of this name." : "";
    goals.hidden = !held;
    document.body.classList.toggle("held", held !== "");
    handle?.show(held !== "", rotate);
    refresh();
  }
  model.listeners.push(() => {
    if (!handle?.dragging()) refresh();
  });
  app.selectionListeners.push((part) => {
    if (part)
      choice.value =
        part.kind === "joint"
          ? model.robot.links[model.robot.joints[part.index].child].name
          : nameOf(model.robot, part);
  });
  const turn = tick("Orientation, too", false, (checked) => {
    rotate = checked;
    handle?.show(held !== "", rotate);
  });
  const buttons = element(
    "div",
    { className: "line" },
    button("Drag", () => hold(choice.value)),
    button("Let go", () => hold("")),
  );
  return section("Drag a frame", false, choice, list, buttons, turn, goals, left);
}

/** Return the place and the angles about the fixed axes of a pose. @param {number[]} T */
function numbersOf(T) {
  return [T[3], T[7], T[11], ...rpy(T)];
}

/** Return the arrows and rings to pull, null without WebGL.
 * @param {App} app @param {() => void} pulled @param {() => void} released */
function createHandle(app, pulled, released) {
  const { stage } = app;
  if (!stage) return null;
  const target = new Object3D();
  const move = new TransformControls(stage.camera, stage.renderer.domElement);
  const turn = new TransformControls(stage.camera, stage.renderer.domElement);
  turn.setMode("rotate");
  for (const control of [move, turn]) {
    control.setSize(0.7);
    stage.scene.add(target, control.getHelper());
    control.addEventListener("change", stage.draw);
    control.addEventListener("objectChange", pulled);
    control.addEventListener("dragging-changed", () => {
      stage.orbit.enabled = !control.dragging;
      if (!control.dragging) released();
    });
  }
  return {
    dragging: () => move.dragging || turn.dragging,
    pose: () => {
      target.updateMatrix();
      return target.matrix.clone().transpose().toArray();
    },
    /** @param {number[]} T */
    put: (T) => matrixOf(T).decompose(target.position, target.quaternion, target.scale),
    /** @param {boolean} shown @param {boolean} rotate */
    show: (shown, rotate) => {
      for (const control of [move, turn]) control.detach();
      if (shown) move.attach(target);
      if (shown && rotate) turn.attach(target);
    },
  };
}

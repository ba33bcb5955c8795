/** The page: reads its scene, builds the picture and the panel. */

import { Vector2, Vector3 } from "three";

import { nameOf, select } from "./app.js";
import { button, element } from "./dom.js";
import { createContact } from "./contact.js";
import { createLabels } from "./labels.js";
import { createLoops, setCoordinate } from "./loops.js";
import { inflated, unpack } from "./meshes.js";
import { exchange } from "./messages.js";
import { createModel, poseOfFrame, setQ } from "./model.js";
import { unpackMotion } from "./motion.js";
import { createOverlay } from "./overlay.js";
import { contactPanel } from "./panel/contact.js";
import { differencesPanel } from "./panel/differences.js";
import { dragPanel } from "./panel/drag.js";
import { findingsPanel } from "./panel/findings.js";
import { layersPanel } from "./panel/layers.js";
import { loopsPanel } from "./panel/loops.js";
import { measurePanel } from "./panel/measure.js";
import { motionPanel } from "./panel/motion.js";
import { posePanel } from "./panel/pose.js";
import { selectionPanel } from "./panel/selection.js";
import { slidersPanel } from "./panel/sliders.js";
import { treePanel } from "./panel/tree.js";
import { voxelsPanel } from "./panel/voxels.js";
import { addCover, boundsOf, createPicture, linkAt } from "./picture.js";
import { reach } from "./reach.js";
import { createStage } from "./stage.js";
import { createVoxels } from "./voxels.js";

/** @typedef {import("./app.js").App} App */

/** @param {string} id */
const textOf = (id) => document.getElementById(id)?.textContent ?? "";

async function main() {
  const text = new TextDecoder().decode(await inflated(textOf("kinetree-scene")));
  const scene = /** @type {import("./types.js").Scene} */ (JSON.parse(text));
  const shared = /** @type {any} */ (globalThis).kinetree;
  const models = scene.robots.map((robot) => createModel(robot, shared.functions[robot.fk]));
  models[0].loops = createLoops(scene.robots[0], shared.functions);
  const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("canvas"));
  const view = /** @type {HTMLElement} */ (canvas.parentElement);
  const stage = createStage(canvas);
  /** @type {App} */
  const app = {
    scene,
    models,
    stage,
    pictures: [],
    addLabel: null,
    overlay: null,
    selected: null,
    selectionListeners: [],
    motion: await unpackMotion(models[0]),
    player: null,
    voxels: null,
    find: null,
    showContact: () => {},
    namesShown: false,
    findingsShown: true,
  };
  const meshes = await unpack(scene.meshes, textOf("kinetree-meshes"));
  if (scene.contact?.pairs.length) app.find = createContact(models[0], scene.contact, shared.functions.gjk, meshes);
  if (stage) await fill(app, stage, view, meshes);
  else
    view.replaceChildren(
      element("p", {
        className: "without",
        role: "alert",
        textContent:
          "This browser shows no 3-D pictures here: WebGL is switched off or missing. Everything beside the picture works.",
      }),
    );
  if (scene.comparison) app.overlay = createOverlay(app, scene.comparison);
  panels(app);
  if (scene.selected) select(app, scene.selected);
  shared.view = viewOf(app);
  if (stage) lookAtAll(app, stage);
  exchange(app.models[0]);
  document.body.dataset.ready = String(Math.round(performance.now()));
}

/** Look at all robots, once the panels have left the picture its place.
 * @param {App} app @param {import("./stage.js").Stage} stage */
function lookAtAll(app, stage) {
  const [box, ...others] = app.pictures.map((picture) => boundsOf(picture));
  for (const other of others) box.union(other);
  if (app.voxels) box.union(app.voxels.bounds());
  const whole = box.clone();
  for (const { layers, shown } of app.pictures)
    for (const layer of shown) for (const mark of layers.get(layer) ?? []) whole.expandByObject(mark);
  stage.fit(whole, box);
  stage.paint();
}

/** @param {App} app @param {import("./stage.js").Stage} stage @param {HTMLElement} view
 * @param {import("three").BufferGeometry[]} meshes */
async function fill(app, stage, view, meshes) {
  app.pictures = app.models.map((model) => createPicture(model, meshes));
  for (const { root } of app.pictures) stage.scene.add(root);
  for (const model of app.models) model.listeners.push(stage.draw);
  if (app.scene.contact) addCover(app.pictures[0], app.scene.contact.solids);
  app.addLabel = createLabels(stage, view);
  if (app.scene.reach) {
    app.voxels = await createVoxels(app.scene.reach, app.models[0]);
    stage.scene.add(app.voxels.root);
  }
  followTheme(stage);
  pickByClick(app, stage);
}

/** @param {App} app */
function panels(app) {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const { robot } = app.models[0];
  const { comparison } = app.scene;
  const head = element(
    "header",
    {},
    element("h1", { textContent: comparison?.names.join(" and ") ?? robot.name }),
    themeButton(),
    ...(comparison ? [] : [element("p", { textContent: robot.about })]),
  );
  const found = comparison && app.overlay ? differencesPanel(app, app.overlay, comparison) : findingsPanel(app);
  const left = element(
    "aside",
    { "aria-label": "Parts and findings" },
    head,
    selectionPanel(app),
    found,
    treePanel(app),
  );
  const right = element(
    "aside",
    { "aria-label": "Joints and view" },
    ...motionPanel(app),
    ...voxelsPanel(app),
    ...loopsPanel(app),
    slidersPanel(app),
    layersPanel(app),
    ...contactPanel(app),
    dragPanel(app),
    measurePanel(app),
    posePanel(app),
    element("footer", { textContent: app.scene.made_by }),
  );
  main.prepend(left);
  main.append(right);
}

function themeButton() {
  const root = document.documentElement;
  return button(
    "Light or dark",
    () => {
      root.dataset.theme = isDark() ? "light" : "dark";
    },
    { className: "theme" },
  );
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {import("./stage.js").Stage} stage */
function followTheme(stage) {
  const follow = () => stage.setTheme(isDark());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
  new MutationObserver(follow).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
}

/** @param {App} app @param {import("./stage.js").Stage} stage */
function pickByClick(app, stage) {
  const canvas = stage.renderer.domElement;
  const down = new Vector2();
  canvas.addEventListener("pointerdown", (event) => down.set(event.clientX, event.clientY));
  canvas.addEventListener("click", (event) => {
    if (down.distanceTo(new Vector2(event.clientX, event.clientY)) > 4) return;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const place = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    const hit = linkAt(app.pictures, place, stage.camera);
    const index = hit && hit.picture !== app.pictures[0] ? app.overlay?.partnerOf(hit.link) : hit?.link;
    select(app, index === undefined || index === null ? null : { kind: "link", index });
  });
}

/** Return the functions for notebooks and tests.
 * @param {App} app */
function viewOf(app) {
  const [model] = app.models;
  return {
    app,
    get q() {
      return Array.from(model.q);
    },
    contact: () => app.find?.() ?? null,
    /** @param {number[]} q */
    setQ: (q) => setQ(model, q),
    /** @param {number} i @param {number} value */
    setCoordinate: (i, value) => setCoordinate(model, i, value),
    /** @param {string} name */
    poseOf: (name) => poseOfFrame(model, name),
    /** @param {string} name @param {number[]} T @param {boolean} rotate @param {number} restarts */
    reach: (name, T, rotate = true, restarts = 0) => {
      const found = reach(model, name, T, rotate, restarts);
      setQ(model, found.q);
      return found;
    },
    /** Return where a frame is on the screen, in pixels. @param {string} name */
    screenOf: (name) => {
      const T = poseOfFrame(model, name);
      const { left, top, width, height } = app.stage?.renderer.domElement.getBoundingClientRect() ?? new DOMRect();
      const at = new Vector3(T[3], T[7], T[11]).project(/** @type {import("./stage.js").Stage} */ (app.stage).camera);
      return [left + ((at.x + 1) / 2) * width, top + ((1 - at.y) / 2) * height];
    },
    selected: () => app.selected && nameOf(model.robot, app.selected),
  };
}

main().catch((error) => {
  document.body.dataset.failed = String(error);
  document.body.append(
    element("p", { className: "without", role: "alert", textContent: `The page could not be built: ${error}` }),
  );
  throw error;
});

/** The boxes to show and hide layers of the picture. */

import { Object3D } from "three";

import { select } from "../app.js";
import { element, section, tick } from "../dom.js";
import { turnsOf } from "../marks.js";
import { short } from "../units.js";
import { LAYERS, showLayer } from "../picture.js";
import { matrixOf } from "../shapes.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../picture.js").Layer} Layer */

const MANY_TURNS = 2.01; // the range of many wrists is two turns
/** Roles whose frames always have their names. */
const NAMED = ["base_link", "base", "flange", "tool0"];

/** @param {App} app */
export function layersPanel(app) {
  const draw = () => app.stage?.draw();
  const known = /** @type {[Layer, string][]} */ (Object.entries(LAYERS)).filter(([layer]) =>
    app.pictures.some((picture) => picture.layers.get(layer)),
  );
  const boxes = known.map(([layer, text]) =>
    tick(text, app.pictures[0]?.shown.has(layer) ?? false, (checked) => {
      for (const picture of app.pictures) showLayer(picture, layer, checked);
      draw();
    }),
  );
  addNames(app);
  const more = [
    tick("Names of links", false, (checked) => ((app.namesShown = checked), draw())),
    tick(
      app.scene.comparison ? "Names of differences" : "Findings",
      true,
      (checked) => ((app.findingsShown = checked), draw()),
    ),
  ];
  return section("Show", true, element("div", { className: "ticks" }, ...boxes, ...more));
}

/** Add the names of links, of frames with roles, and of what is selected.
 * @param {App} app */
function addNames(app) {
  const [picture] = app.pictures;
  if (!picture || !app.addLabel) return;
  const { robot } = app.models[0];
  const marked = (/** @type {string | null} */ role) => NAMED.includes(role ?? "") && picture.shown.has("roles");
  robot.links.forEach(({ name, role }, index) => {
    const chosen = () => app.selected?.kind === "link" && app.selected.index === index;
    app.addLabel?.(
      {
        text: name,
        kind: "name",
        object: picture.links[index],
        shown: () => app.namesShown || marked(role) || chosen(),
        pressed: () => select(app, { kind: "link", index }),
      },
      role ? 1 : 2,
    );
  });
  robot.joints.forEach(({ child }, index) => {
    const turns = turnsOf(robot, index);
    if (turns > MANY_TURNS)
      app.addLabel?.(
        {
          text: `${short(turns)} turns`,
          kind: "name",
          object: picture.links[child],
          shown: () => picture.shown.has("joints"),
          pressed: () => select(app, { kind: "joint", index }),
        },
        1,
      );
  });
  robot.frames.forEach(({ name, link, T, role }, index) => {
    const anchor = new Object3D();
    anchor.applyMatrix4(matrixOf(T));
    picture.links[link].add(anchor);
    const chosen = () => app.selected?.kind === "frame" && app.selected.index === index;
    app.addLabel?.(
      {
        text: name,
        kind: `name ${role ?? ""}`,
        object: anchor,
        shown: () => marked(role) || chosen(),
        pressed: () => select(app, { kind: "frame", index }),
      },
      1,
    );
  });
}

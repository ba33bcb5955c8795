/** The section of a reach map: which share of orientations, and where the cubes are cut. */

import { element, section, tick } from "../dom.js";
import { short } from "../units.js";
import { colourOf } from "../voxels.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../voxels.js").Section} Section */

const AXES = ["x", "y", "z"];

/** Return the part of the panel about the reach map; nothing without one.
 * @param {App} app @returns {HTMLElement[]} */
export function voxelsPanel(app) {
  const { reach } = app.scene;
  const { voxels } = app;
  if (!reach || !voxels) return [];
  const state = voxels.section;
  const least = slider("Least share of orientations", 0, 100, 0);
  const at = slider("Place of the cut", 0, reach.shape[state.axis ?? 0] - 1, state.at);
  const axis = element(
    "select",
    { "aria-label": "Cut across" },
    element("option", { value: "", textContent: "no cut" }),
    ...AXES.map((name, i) => element("option", { value: String(i), textContent: `cut across ${name}` })),
  );
  axis.value = String(state.axis ?? "");
  const share = element("output", {});
  const place = element("output", {});
  const found = element("p", { className: "quiet", role: "status" });

  /** @param {Partial<Section>} changed */
  function show(changed) {
    const count = voxels?.show(changed) ?? 0;
    share.textContent = reach?.several ? `${Math.round(100 * state.least)} %` : "";
    const near = (reach?.first[state.axis ?? 0] ?? 0) + state.at * (reach?.voxel ?? 0);
    place.textContent = state.axis === null ? "" : `${short(near)} m`;
    at.disabled = state.axis === null;
    found.textContent = `${count} voxels`;
    app.stage?.draw();
  }
  least.oninput = () => show({ least: Number(least.value) / 100 });
  at.oninput = () => show({ at: Number(at.value) });
  const side = () => (other.checked ? -1 : 1) * reach.cut.sides[state.axis ?? 0];
  const other = element("input", { type: "checkbox", onchange: () => show({ side: side() }) });
  axis.onchange = () => {
    state.axis = axis.value === "" ? null : Number(axis.value);
    const last = reach.shape[state.axis ?? 0] - 1;
    at.max = String(last);
    at.value = String(Math.ceil(last / 2));
    show({ at: Number(at.value), side: side() });
  };
  show({});
  const lines = [
    tick("Cubes", true, (checked) => ((voxels.root.visible = checked), app.stage?.draw())),
    ...(reach.several ? [legend(reach.colours), line("At least", least, share)] : []),
    line(axis, at, place),
    element("label", { className: "tick" }, other, "Other side of the cut"),
    found,
  ];
  return [section("Reach", true, element("p", { className: "quiet", textContent: reach.about }), ...lines)];
}

/** @param {string} label @param {number} min @param {number} max @param {number} value */
function slider(label, min, max, value) {
  const input = element("input", { type: "range", "aria-label": label });
  Object.assign(input, { min: String(min), max: String(max), step: "1" }).value = String(value);
  return input;
}

/** @param {(Node | string)[]} parts */
function line(...parts) {
  return element("div", { className: "line reach" }, ...parts);
}

/** Return a bar with the colours of shares. @param {number[][]} colours */
function legend(colours) {
  const bar = element("span", {
    className: "ramp",
    role: "img",
    "aria-label": "Colours, from red for few to blue for all",
  });
  const stops = colours.map((_, i) => `#${colourOf(i / (colours.length - 1), colours).getHexString()}`);
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return line("few", bar, "all orientations");
}

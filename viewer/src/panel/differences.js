/** The list of differences between two robots, by element; a click selects one and looks at it. */

import { nameOf, partOf, select } from "../app.js";
import { element, section } from "../dom.js";
import { COLOURS } from "../overlay.js";
import { UNITS, written } from "../units.js";
import { anchorOf } from "./findings.js";
import { limitsOf } from "./selection.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../overlay.js").Overlay} Overlay */
/** @typedef {import("../types.js").Comparison} Comparison */
/** @typedef {import("../types.js").Difference} Difference */
/** @typedef {import("../types.js").Part} Part */

/** @param {App} app @param {Overlay} overlay @param {Comparison} comparison */
export function differencesPanel(app, overlay, comparison) {
  /** @type {{entry: HTMLElement, parts: [Part[], Part[]]}[]} */
  const entries = [];
  /** @param {string} title @param {HTMLElement[]} made */
  const group = (title, made) =>
    made.length ? [element("h3", { textContent: `${title}: ${made.length}` }), ...made] : [];
  /** @param {[Part[], Part[]]} parts @param {string} kind @param {(Node | string)[]} text */
  function entry(parts, kind, text) {
    const properties = { className: `finding ${kind}` };
    if (!parts.flat().length) return element("div", properties, ...text);
    const made = element(
      "button",
      {
        type: "button",
        ...properties,
        onclick: () => {
          select(app, parts[0][0] ?? null);
          overlay.lookAt(parts);
          mark((one) => one.entry === made);
        },
      },
      ...text,
    );
    entries.push({ entry: made, parts });
    return made;
  }
  /** @param {(one: {entry: HTMLElement, parts: [Part[], Part[]]}) => boolean} isChosen */
  function mark(isChosen) {
    for (const one of entries) {
      if (isChosen(one)) one.entry.setAttribute("aria-current", "true");
      else one.entry.removeAttribute("aria-current");
    }
  }
  /** @param {Difference} difference */
  const asEntry = (difference) =>
    entry(difference.parts, difference.counts ? "warning" : "info", [
      element("b", { textContent: difference.element }),
      ` ${difference.message}`,
      ...numbers(app, difference).map((line) => element("small", { textContent: line })),
    ]);
  /** @param {number} side @param {number[]} which */
  const findings = (side, which) =>
    which.map((i) => {
      const finding = app.models[side].robot.findings[i];
      const part = partOf(finding);
      const parts = /** @type {[Part[], Part[]]} */ (side ? [[], part ? [part] : []] : [part ? [part] : [], []]);
      return entry(parts, finding.severity, [
        element("b", { textContent: finding.code }),
        ` ${finding.element ?? ""} ${finding.message}`,
        element("small", { textContent: finding.where }),
      ]);
    });
  const { differences } = comparison;
  const list = element(
    "div",
    { className: "findings" },
    ...group("Differences", differences.filter(({ counts }) => counts).map(asEntry)),
    ...group("Shapes", differences.filter(({ kind }) => kind === "shape").map(asEntry)),
    ...group("Remarks", differences.filter(({ counts, kind }) => !counts && kind !== "shape").map(asEntry)),
    ...group("New findings of the second robot", findings(1, comparison.new)),
    ...group("Findings of the first robot that are gone", findings(0, comparison.gone)),
  );
  app.selectionListeners.push((part) =>
    mark(
      ({ parts }) => part !== null && parts[0].some(({ kind, index }) => kind === part.kind && index === part.index),
    ),
  );
  addLabels(app, overlay, differences);
  const late = element("p", { className: "quiet", role: "status" });
  const follow = () => {
    const names = overlay.late();
    const text = names.length ? `The second robot is stopped by its own limits: ${names.join(", ")}.` : "";
    if (late.textContent !== text) late.textContent = text;
  };
  app.models[1].listeners.push(follow);
  follow();
  return section(
    "Differences",
    true,
    element("p", { textContent: sentence(comparison.verdict) }),
    choice(overlay, comparison),
    late,
    list,
    ...distances(app, overlay, comparison),
  );
}

/** @param {string} text */
function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** Return the choice of what is shown, with the colours.
 * @param {Overlay} overlay @param {Comparison} comparison */
function choice(overlay, { names }) {
  const options = /** @type {[import("../overlay.js").Shown, string, string][]} */ ([
    ["both", "both", ""],
    ["first", names[0], COLOURS.first],
    ["second", names[1], COLOURS.second],
  ]);
  const radios = options.map(([value, text, colour]) => {
    const input = element("input", {
      type: "radio",
      name: "shown-robots",
      value,
      checked: value === overlay.shown,
      onchange: () => overlay.show(value),
    });
    return element(
      "label",
      { className: "tick" },
      input,
      ...(colour ? [swatch(colour)] : []),
      element("span", { textContent: text }),
    );
  });
  const key = element(
    "p",
    { className: "quiet legend" },
    swatch(COLOURS.same),
    "the same ",
    swatch(COLOURS.inPlace),
    "differs, in the same place",
  );
  return element("fieldset", {}, element("legend", { textContent: "Show" }), ...radios, key);
}

/** @param {string} colour */
function swatch(colour) {
  const made = element("span", { className: "swatch", "aria-hidden": "true" });
  made.style.background = colour;
  return made;
}

/** Return the limits of joints that differ, in the units of the sliders.
 * @param {App} app @param {Difference} difference */
function numbers(app, { kind, parts }) {
  if (kind !== "limit") return [];
  const [ours, theirs] = parts.map((list, side) =>
    list.map(({ index }) => limitsOf(app.models[side].robot, app.models[side].robot.joints[index])),
  );
  return ours.flatMap((rows, i) =>
    rows.flatMap(([name, value], k) => {
      const other = theirs[i]?.[k]?.[1];
      return other === undefined || other === value ? [] : [`${name}: ${value} → ${other}`];
    }),
  );
}

/** Return the frames that the same values of the joints bring to other places.
 * @param {App} app @param {Overlay} overlay @param {Comparison} comparison */
function distances(app, overlay, { apart }) {
  if (!apart.length) return [];
  const parts = app.models.slice(0, 2).map(({ robot }) => {
    /** @type {Map<string, Part>} */
    const known = new Map();
    robot.links.forEach(({ name }, index) => known.set(name, { kind: "link", index }));
    robot.frames.forEach(({ name }, index) => known.set(name, { kind: "frame", index }));
    return known;
  });
  const rows = apart.map(({ name, distance, angle }) => {
    const ours = parts[0].get(name);
    const look = () => {
      select(app, ours ?? null);
      overlay.lookAt(
        /** @type {[Part[], Part[]]} */ (parts.map((known) => [known.get(name)].flatMap((part) => part ?? []))),
      );
    };
    return element(
      "tr",
      {},
      element("td", {}, element("button", { type: "button", className: "part", textContent: name, onclick: look })),
      element("td", { textContent: written(distance, UNITS.m) }),
      element("td", { textContent: written(angle, UNITS.rad) }),
    );
  });
  const head = element(
    "tr",
    {},
    ...["Frame", "mm", "°"].map((text) => element("th", { scope: "col", textContent: text })),
  );
  return [
    element(
      "details",
      {},
      element("summary", { textContent: `Frames elsewhere: ${apart.length}` }),
      element("p", { className: "quiet", textContent: "The most that they are apart, with joints at equal values." }),
      element("table", { className: "apart" }, element("thead", {}, head), element("tbody", {}, ...rows)),
    ),
  ];
}

/** Add a label at each part that differs; one in both robots has it in the first, unless only the second is shown.
 * @param {App} app @param {Overlay} overlay @param {Difference[]} differences */
function addLabels(app, overlay, differences) {
  const known = new Set();
  for (const { kind, parts } of differences) {
    parts.forEach(([part], side) => {
      const key = part && `${side} ${part.kind} ${part.index}`;
      if (!part || known.has(key) || kind === "order" || !app.addLabel) return;
      known.add(key);
      const anchor = anchorOf(app, part, side);
      const { root, model } = app.pictures[side];
      const inBoth = side === 1 && parts[0].length > 0;
      const shown = () => app.findingsShown && root.visible && (!inBoth || overlay.shown === "second");
      const pressed = () => {
        select(app, parts[0][0] ?? null);
        overlay.lookAt(parts);
      };
      app.addLabel(
        { text: `≠ ${nameOf(model.robot, part)}`, kind: side ? "warning" : "info", object: anchor, shown, pressed },
        0,
      );
    });
  }
}

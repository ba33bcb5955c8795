/** The tree of links with the joints between them, and a search for any name. */

import { nameOf, select } from "../app.js";
import { element, scrollTo, section } from "../dom.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../types.js").Part} Part */

/** @param {App} app */
export function treePanel(app) {
  const { robot } = app.models[0];
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  /** @type {number[][]} */
  const children = robot.links.map(() => []);
  robot.joints.forEach((joint, i) => children[joint.parent].push(i));
  const frames = robot.links.map((_, link) => robot.frames.flatMap((frame, i) => (frame.link === link ? [i] : [])));

  /** @param {Part} part @param {string} note */
  function entry(part, note) {
    const made = element(
      "button",
      { type: "button", className: `part ${part.kind}`, onclick: () => select(app, part) },
      element("span", { textContent: nameOf(robot, part) }),
      element("small", { textContent: note }),
    );
    buttons.set(`${part.kind} ${part.index}`, made);
    return made;
  }
  /** @param {number} link @returns {HTMLElement} */
  function branch(link) {
    const inside = [
      ...frames[link].map((i) =>
        element("li", {}, entry({ kind: "frame", index: i }, robot.frames[i].role ?? "frame")),
      ),
      ...children[link].map((i) =>
        element("li", {}, entry({ kind: "joint", index: i }, robot.joints[i].type), branch(robot.joints[i].child)),
      ),
    ];
    return element(
      "div",
      {},
      entry({ kind: "link", index: link }, robot.links[link].role ?? "link"),
      element("ul", {}, ...inside),
    );
  }
  const roots = robot.links.flatMap(({ joint }, i) => (joint === null ? [i] : []));
  const tree = element("div", { className: "tree" }, ...roots.map(branch));
  const matches = element("ul", { className: "matches", hidden: true });
  const parts = partsOf(robot);
  const search = element("input", {
    type: "search",
    placeholder: "Find a link, joint or frame",
    "aria-label": "Find a link, joint or frame",
    oninput: () => {
      const text = search.value.toLowerCase();
      [tree.hidden, matches.hidden] = [text !== "", text === ""];
      const found = text ? parts.filter((part) => nameOf(robot, part).toLowerCase().includes(text)) : [];
      matches.replaceChildren(
        ...found
          .slice(0, 50)
          .map((part) =>
            element(
              "li",
              {},
              element(
                "button",
                { type: "button", className: `part ${part.kind}`, onclick: () => select(app, part) },
                element("span", { textContent: nameOf(robot, part) }),
                element("small", { textContent: part.kind }),
              ),
            ),
          ),
      );
      if (text && !found.length)
        matches.append(element("li", { className: "quiet", textContent: "No name has this in it." }));
    },
  });
  app.selectionListeners.push((part) => {
    for (const one of buttons.values()) one.removeAttribute("aria-current");
    const chosen = part && buttons.get(`${part.kind} ${part.index}`);
    chosen?.setAttribute("aria-current", "true");
    if (!tree.hidden && chosen) scrollTo(tree, chosen);
  });
  return section("Tree", robot.links.length <= 40, search, matches, tree);
}

/** @param {import("../types.js").Robot} robot @returns {Part[]} */
function partsOf(robot) {
  return [
    ...robot.links.map((_, index) => /** @type {Part} */ ({ kind: "link", index })),
    ...robot.joints.map((_, index) => /** @type {Part} */ ({ kind: "joint", index })),
    ...robot.frames.map((_, index) => /** @type {Part} */ ({ kind: "frame", index })),
  ];
}

/** Closed loops: how far each is open, and whether joints of loops follow those that are driven. */

import { button, element, section, tick } from "../dom.js";
import { lineMark } from "../labels.js";
import { closeNow, gapText } from "../loops.js";
import { poseOfLink, setQ } from "../model.js";
import { multiply } from "../poses.js";

/** @typedef {import("../app.js").App} App */

const RED = "#d50000";

/** Return the panel; nothing for a robot without loops.
 * @param {App} app @returns {HTMLElement[]} */
export function loopsPanel(app) {
  const [model] = app.models;
  const { loops, robot } = model;
  if (!loops || !robot.loops) return [];
  const { closer, tolerance } = loops;
  const rows = robot.loops.loops.map(({ name, ends }) => {
    const answer = element("span", { className: "number" });
    const row = element("li", {}, element("span", { className: "name", textContent: name, title: name }), answer);
    return { ends, answer, row, mark: lineMark(app, RED) };
  });
  const stop = element("p", { className: "stop", role: "status" });
  const close = button("Close them", () => closeNow(model));
  function update() {
    const gaps = loops?.gaps(model.q) ?? [];
    rows.forEach(({ ends, answer, row, mark }, i) => {
      const open = gaps[i].some((gap, k) => !(gap <= tolerance[k]));
      const far = open ? `open by ${gapText(gaps[i], tolerance)}` : "closed";
      answer.textContent = far;
      row.classList.toggle("stopped", open);
      const points = ends.map(([link, T]) => multiply(poseOfLink(model, link), T)).map((T) => [T[3], T[7], T[11]]);
      mark(open ? points : null, far);
    });
    close.hidden = !closer || rows.every(({ row }) => !row.classList.contains("stopped"));
    const why = loops?.why ?? "";
    if (stop.textContent !== why) stop.textContent = why;
  }
  model.listeners.push(update);
  update();
  const named = (/** @type {number[]} */ joints) => joints.map((joint) => robot.joints[joint].name).join(", ");
  const keep = tick("Keep loops closed", loops.kept, (checked) => {
    loops.kept = checked;
    setQ(model, model.q);
  });
  const quiet = (/** @type {string} */ textContent) => element("p", { className: "quiet", textContent });
  const list = element("ul", { className: "rows loops" }, ...rows.map(({ row }) => row));
  if (!closer) return [section("Closed loops", true, list, quiet(`The page does not close them: ${robot.loops.why}.`))];
  const about = quiet(`${named(closer.driven)} can be moved; other joints in loops follow (↳).`);
  return [section("Closed loops", true, keep, list, close, stop, about)];
}

/** The motion of the page: a time line below the picture, with the places outside of the limits marked. */

import { button, element, section, tick } from "../dom.js";
import { setQ } from "../model.js";
import { configurationAt, limitsLeft, runsOutside, sampleAt } from "../motion.js";
import { followTick } from "./camera.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../motion.js").Motion} Motion */
/**
 * A motion that plays.
 * @typedef {object} Player
 * @property {Motion} motion
 * @property {number} time s from the first sample, or samples
 * @property {boolean} playing
 * @property {number} speed
 * @property {boolean} again whether it begins again at its end
 * @property {import("../motion.js").Run[]} outside
 * @property {(time: number) => void} seek
 * @property {(playing: boolean) => void} play
 */

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const SAMPLES = 30; // a second, of a motion without times
const SVG = "http://www.w3.org/2000/svg";

/** Return the part of the panel about the motion, and put its time line below the picture; nothing without a motion.
 * @param {App} app @returns {HTMLElement[]} */
export function motionPanel(app) {
  const [model] = app.models;
  const { motion } = app;
  if (!motion) return [];
  const player = playerOf(model, motion);
  app.player = player;
  const bar = timeLine(model, player);
  document.getElementById("view")?.append(bar.root);
  document.addEventListener("keydown", (event) => {
    const free = event.target === document.body || event.target instanceof HTMLCanvasElement;
    if (event.code !== "Space" || !free) return;
    event.preventDefault();
    player.play(!player.playing);
  });
  const outside = element("p", { role: "status" });
  const nextOutside = button("Next place outside", () => {
    player.play(false);
    const run = player.outside.find(({ first }) => motion.times[first] > player.time) ?? player.outside[0];
    player.seek(motion.times[run.first]);
  });
  const count = () => {
    bar.mark();
    const samples = player.outside.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const places = player.outside.length === 1 ? "1 place" : `${player.outside.length} places`;
    outside.textContent = samples
      ? `Outside of the limits in ${places}, marked on the time line: ${samples} of ${motion.times.length} samples.`
      : "Inside of all limits.";
    nextOutside.hidden = !samples;
  };
  followStill(model, player, count);
  return [
    section(
      "Motion",
      true,
      element("p", { className: "quiet", textContent: described(motion) }),
      ...still(model, motion),
      ...followTick(app, motion),
      outside,
      nextOutside,
    ),
  ];
}

/** @param {Motion} motion */
function described({ timed, times }) {
  const end = times[times.length - 1];
  return timed
    ? `${times.length} samples in ${seconds(end)}.`
    : `${times.length} samples. The file has no times: ${SAMPLES} samples are played in a second.`;
}

/** Return words about coordinates without a column.
 * @param {Model} model @param {Motion} motion @returns {HTMLElement[]} */
function still({ robot }, { columns }) {
  const moving = new Set(columns.map(({ coordinate }) => coordinate));
  const names = robot.coordinates.filter((_, i) => !moving.has(i)).map(({ name }) => name);
  if (!names.length) return [];
  const many =
    names.length === 1
      ? "1 coordinate is not in the file and stays as it is"
      : `${names.length} coordinates are not in the file and stay as they are`;
  return [
    element(
      "details",
      {},
      element("summary", { textContent: many }),
      element("p", { className: "quiet names", textContent: names.join(", ") }),
    ),
  ];
}

/** Keep the marks true when a coordinate changes that rows couple with those of the motion.
 * @param {Model} model @param {Player} player @param {() => void} counted called after each count */
function followStill(model, player, counted) {
  const moving = new Set(player.motion.columns.map(({ coordinate }) => coordinate));
  const others = player.motion.rows.flatMap(({ terms }) => terms.map(([i]) => i).filter((i) => !moving.has(i)));
  const before = Float64Array.from(model.q);
  const count = () => {
    player.outside = runsOutside(player.motion, model.q);
    counted();
  };
  model.listeners.push(() => {
    if (others.every((i) => before[i] === model.q[i])) return;
    before.set(model.q);
    count();
  });
  count();
}

/** @param {Model} model @param {Motion} motion @returns {Player} */
function playerOf(model, motion) {
  const end = motion.times[motion.times.length - 1];
  let [before, frame] = [0, 0];
  /** @param {number} now ms */
  function step(now) {
    if (!player.playing) return;
    const passed = Math.min(now - before, 1000) / 1000;
    before = now;
    let time = player.time + passed * player.speed * (motion.timed ? 1 : SAMPLES);
    if (time >= end && player.again && end > 0) time %= end;
    else if (time >= end) player.playing = false;
    player.seek(Math.min(time, end));
    if (player.playing) frame = requestAnimationFrame(step);
  }
  /** @type {Player} */
  const player = {
    motion,
    time: 0,
    playing: false,
    speed: 1,
    again: false,
    outside: [],
    seek: (time) => {
      player.time = Math.min(Math.max(time, 0), end);
      setQ(model, configurationAt(motion, player.time, model.q));
    },
    play: (playing) => {
      if (playing === player.playing) return;
      player.playing = playing;
      cancelAnimationFrame(frame);
      if (!playing) return player.seek(player.time);
      before = performance.now();
      player.seek(player.time >= end ? 0 : player.time);
      frame = requestAnimationFrame(step);
    },
  };
  return player;
}

/** Return the bar with the time line.
 * @param {Model} model @param {Player} player */
function timeLine(model, player) {
  const { motion } = player;
  const { times } = motion;
  const end = times[times.length - 1];
  const toggle = button("Play", () => player.play(!player.playing), { className: "play" });
  const range = element("input", {
    type: "range",
    min: "0",
    max: String(end),
    step: "any",
    value: "0",
    "aria-label": "Time of the motion",
    oninput: () => player.seek(Number(range.value)),
    onkeydown,
  });
  const marks = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  marks.setAttribute("viewBox", "0 0 1000 1");
  marks.setAttribute("preserveAspectRatio", "none");
  marks.setAttribute("aria-hidden", "true");
  marks.append(path);
  const clock = element("span", { className: "clock" });
  const limits = element("p", { className: "stop", role: "status" });
  const speeds = SPEEDS.map((value) =>
    element("option", { value: String(value), textContent: `${value} ×`, selected: value === 1 }),
  );
  const speed = element(
    "select",
    { "aria-label": "Speed", onchange: () => (player.speed = Number(speed.value)) },
    ...speeds,
  );
  const line = element(
    "div",
    {
      className: "timeline",
      onpointermove: (/** @type {PointerEvent} */ event) => point(event),
      onpointerleave: () => update(),
    },
    range,
    marks,
  );
  const root = element(
    "section",
    { className: "motion", "aria-label": "Motion" },
    toggle,
    line,
    clock,
    speed,
    tick("Repeat", false, (checked) => (player.again = checked)),
    limits,
  );

  /** Step from sample to sample by the arrows, play by the space bar. @param {KeyboardEvent} event */
  function onkeydown(event) {
    const i = sampleAt(motion, player.time);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => player.seek(times[Math.max(0, times[i] < player.time ? i : i - 1)]),
      ArrowRight: () => player.seek(times[Math.min(i + 1, times.length - 1)]),
      PageDown: () => player.seek(player.time - end / 10),
      PageUp: () => player.seek(player.time + end / 10),
      Home: () => player.seek(0),
      End: () => player.seek(end),
      " ": () => player.play(!player.playing),
    };
    keys.ArrowDown = keys.ArrowLeft;
    keys.ArrowUp = keys.ArrowRight;
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }
  /** Write which limits the robot is outside of, here or where the pointer is.
   * @param {ArrayLike<number>} q @param {string} where */
  function write(q, where) {
    const names = limitsLeft(motion, q);
    const shown = names.length > 4 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
    const text = names.length ? `${where}utside of the ${shown.join(", ")}` : "";
    if (limits.textContent !== text) limits.textContent = text;
  }
  /** @param {PointerEvent} event */
  function point(event) {
    const { left, width } = marks.getBoundingClientRect();
    const time = Math.min(Math.max((event.clientX - left) / width, 0), 1) * end;
    write(configurationAt(motion, time, model.q), `${placeText(motion, time)}: o`);
  }
  function update() {
    range.value = String(player.time);
    range.setAttribute("aria-valuetext", `${placeText(motion, player.time)} of ${placeText(motion, end)}`);
    clock.textContent = `${placeText(motion, player.time)} / ${placeText(motion, end)}`;
    toggle.textContent = player.playing ? "Pause" : "Play";
    write(model.q, "O");
  }
  function mark() {
    const x = (/** @type {number} */ i) => (end > 0 ? (1000 * times[i]) / end : 0).toFixed(2);
    path.setAttribute(
      "d",
      player.outside.map(({ first, last }) => `M${x(first)} 0H${x(last)}V1H${x(first)}Z`).join(""),
    );
  }
  model.listeners.push(update);
  update();
  return { root, mark };
}

/** Return a time in words. @param {Motion} motion @param {number} time */
function placeText(motion, time) {
  return motion.timed ? seconds(time) : `sample ${sampleAt(motion, time)}`;
}

/** @param {number} time */
function seconds(time) {
  return `${time.toFixed(2)} s`;
}

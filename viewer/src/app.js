/** The state that the parts of the page share: models, pictures, selection. */

/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {(label: import("./labels.js").Label, rank?: number) => (text: string) => void} AddLabel */
/**
 * @typedef {object} App
 * @property {import("./types.js").Scene} scene
 * @property {Model[]} models
 * @property {Picture[]} pictures one a model; none without WebGL
 * @property {Stage | null} stage
 * @property {AddLabel | null} addLabel
 * @property {import("./overlay.js").Overlay | null} overlay of two robots that are compared
 * @property {Part | null} selected a part of the first robot
 * @property {((part: Part | null) => void)[]} selectionListeners
 * @property {import("./motion.js").Motion | null} motion of the first robot
 * @property {import("./panel/motion.js").Player | null} player of the motion
 * @property {import("./voxels.js").Voxels | null} voxels of the reach map
 * @property {(() => import("./contact.js").Contact) | null} find what finds contact in the first robot as it stands
 * @property {() => void} showContact switch contact on
 * @property {boolean} namesShown
 * @property {boolean} findingsShown
 */

/** Select a part of the first robot, or nothing.
 * @param {App} app @param {Part | null} part */
export function select(app, part) {
  app.selected = part;
  for (const listener of app.selectionListeners) listener(part);
  app.stage?.draw();
}

/** Return the link that a part belongs to: itself, the child of a joint, the link of a frame.
 * @param {import("./types.js").Robot} robot @param {Part} part */
export function linkOf(robot, { kind, index }) {
  if (kind === "joint") return robot.joints[index].child;
  return kind === "frame" ? robot.frames[index].link : index;
}

/** Return the name of a part. @param {import("./types.js").Robot} robot @param {Part} part */
export function nameOf(robot, { kind, index }) {
  return { link: robot.links, joint: robot.joints, frame: robot.frames }[kind][index].name;
}

/** Return the part that a finding is about, null if it is about the whole robot.
 * @param {import("./types.js").Finding} finding @returns {Part | null} */
export function partOf({ link, joint, frame }) {
  if (frame !== null) return { kind: "frame", index: frame };
  if (joint !== null) return { kind: "joint", index: joint };
  return link === null ? null : { kind: "link", index: link };
}

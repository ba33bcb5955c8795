/** The objects of a robot on the stage, by layers. */

import { Box3, Group, InstancedMesh, Matrix4, Raycaster, SphereGeometry, Vector3 } from "three";

import { axes, crossedBox, dot, ellipsoid, jointMarks, ROLES, stick } from "./marks.js";
import { IDENTITY, poseOfLink } from "./model.js";
import { inverse } from "./poses.js";
import { paint, placed, setPose, solidOf } from "./shapes.js";

/** @typedef {import("three").Mesh} Mesh */
/** @typedef {import("three").MeshStandardMaterial} MeshStandardMaterial */
/** @typedef {import("three").Object3D} Object3D */
/** @typedef {import("three").Vector2} Vector2 */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {"visual" | "collision" | "missing" | "roles" | "frames" | "joints" | "sensors" | "inertia" | "masses" | "cover"} Layer */
/** @typedef {{emissive: number, emissiveIntensity: number}} Glow */
/**
 * @typedef {object} Picture
 * @property {Model} model
 * @property {Object3D} root
 * @property {Object3D[]} links
 * @property {Map<Layer, Object3D[]>} layers
 * @property {Set<Layer>} shown
 * @property {Glow} marked how links that are selected glow
 * @property {Set<number>} lit links that glow
 * @property {Map<number, string>} alarms colours of links instead of their own
 * @property {Mesh[]} solids what is seen of links: visual shapes, or collision shapes if there are none; userData.link is
 *   their link
 */

export const LAYERS = /** @type {Record<Layer, string>} */ ({
  visual: "Visual shapes",
  collision: "Collision shapes",
  missing: "Shapes left out",
  roles: "Frames with roles",
  frames: "All frames",
  joints: "Joints and limits",
  sensors: "Sensors",
  inertia: "Inertia ellipsoids",
  masses: "Centres of mass",
  cover: "Cover",
});
const LARGER = 1.8;
const GREY = [0.72, 0.74, 0.78, 1];
const MARKED = { emissive: 0xffa000, emissiveIntensity: 0.6 };

/** Return the picture of a model; it follows the model's q.
 * @param {Model} model @param {import("three").BufferGeometry[]} meshes @returns {Picture} */
export function createPicture(model, meshes) {
  const { robot } = model;
  const root = new Group();
  const bodies = robot.bodies.map(() => placed(IDENTITY));
  root.add(...bodies);
  const links = robot.links.map(({ body, T }) => {
    const group = placed(T);
    bodies[body].add(group);
    return group;
  });
  /** @type {Picture} */
  const picture = {
    model,
    root,
    links,
    layers: new Map(),
    shown: new Set(["visual", "missing", "roles", "joints"]),
    marked: MARKED,
    lit: new Set(),
    alarms: new Map(),
    solids: [],
  };
  addShapes(picture, meshes);
  addMarks(picture);
  addMasses(picture);
  for (const layer of picture.layers.keys()) showLayer(picture, layer, picture.shown.has(layer));
  const follow = () => bodies.forEach((body, i) => setPose(body, model.poses.subarray(16 * i, 16 * i + 16)));
  model.listeners.push(follow);
  follow();
  root.updateMatrixWorld(true);
  return picture;
}

/** @param {Picture} picture @param {Layer} layer @param {boolean} visible */
export function showLayer(picture, layer, visible) {
  for (const object of picture.layers.get(layer) ?? []) object.visible = visible;
  if (visible) picture.shown.add(layer);
  else picture.shown.delete(layer);
}

/** Return a box around everything visible and what is left out, or around one link; of a robot without shapes around
 * its frames.
 * @param {Picture} picture @param {number} [link] */
export function boundsOf(picture, link) {
  picture.root.updateMatrixWorld(true);
  const box = new Box3();
  const solids = picture.solids.filter(({ geometry }) => geometry.type !== "PlaneGeometry"); // a floor is no robot
  for (const solid of solids)
    if ((link ?? solid.userData.link) === solid.userData.link) box.expandByObject(solid, true);
  picture.model.robot.links.forEach(({ missing }, i) => {
    if (missing.length && (link ?? i) === i) box.expandByPoint(placeOf(picture, i));
  });
  if (box.isEmpty()) {
    const own = picture.links.map((_, i) => ({ link: i, T: IDENTITY }));
    for (const { link: i, T } of [...own, ...picture.model.robot.frames, ...loopEnds(picture)])
      if ((link ?? i) === i)
        box.expandByPoint(new Vector3(T[3], T[7], T[11]).applyMatrix4(picture.links[i].matrixWorld));
  }
  const least = picture.model.robot.size / 10;
  return box.getSize(new Vector3()).length() < least ? box.expandByScalar(least) : box;
}

/** Return about where a link is: its centre of mass, or the first shape that is left out, or its own frame.
 * @param {Picture} picture @param {number} link */
function placeOf(picture, link) {
  const { inertia, missing } = picture.model.robot.links[link];
  const [x, y, z] = [3, 7, 11].map((k) => (inertia ?? missing[0])?.T[k] ?? 0);
  return new Vector3(x, y, z).applyMatrix4(picture.links[link].matrixWorld);
}

/** Return a box around a link, or around the place of a joint or a frame.
 * @param {Picture} picture @param {Part} part */
export function boundsOfPart(picture, { kind, index }) {
  if (kind === "link") return boundsOf(picture, index);
  const { robot } = picture.model;
  picture.root.updateMatrixWorld(true);
  const { link, T } =
    kind === "frame"
      ? robot.frames[index]
      : { link: robot.joints[index].child, T: inverse(robot.joints[index].child_origin) };
  const place = new Vector3(T[3], T[7], T[11]).applyMatrix4(picture.links[link].matrixWorld);
  return new Box3(place.clone(), place).expandByScalar(robot.size / 10);
}

/** Return the nearest link under a place of the screen (from -1 to 1), and its picture; null if there is none.
 * @param {Picture[]} pictures @param {Vector2} place @param {import("three").Camera} camera
 * @returns {{picture: Picture, link: number} | null} */
export function linkAt(pictures, place, camera) {
  const ray = new Raycaster();
  ray.setFromCamera(place, camera);
  const found = pictures
    .filter(({ root }) => root.visible)
    .flatMap((picture) => {
      const seen = picture.solids.filter(({ parent }) => parent?.visible);
      return ray
        .intersectObjects(seen, false)
        .map(({ distance, object }) => ({ picture, distance, link: object.userData.link }));
    });
  return found.sort((a, b) => a.distance - b.distance)[0] ?? null;
}

/** Draw the marks of one joint larger than those of the others.
 * @param {Picture} picture @param {number | null} joint */
export function enlarge(picture, joint) {
  for (const marks of picture.layers.get("joints") ?? [])
    for (const part of marks.children) part.scale.setScalar(marks.userData.joint === joint ? LARGER : 1);
}

/** Let the shapes of some links glow.
 * @param {Picture} picture @param {Set<number>} links */
export function glow(picture, links) {
  picture.lit = links;
  for (const solid of picture.solids) {
    const { plain, link } = solid.userData;
    const colour = picture.alarms.get(link);
    const own =
      colour === undefined ? plain : variant(plain, { color: colour, emissive: colour, emissiveIntensity: 0.35 });
    solid.material = links.has(link) ? variant(own, picture.marked) : own;
  }
}

/** Give some links another colour, and those that are not seen show their collision shapes.
 * @param {Picture} picture @param {Map<number, string>} alarms */
export function alarm(picture, alarms) {
  picture.alarms = alarms;
  glow(picture, picture.lit);
  const seen = new Set(picture.solids.map(({ userData }) => userData.link));
  for (const object of picture.layers.get("collision") ?? []) {
    const { link } = object.userData;
    object.visible = picture.shown.has("collision") || (alarms.has(link) && !seen.has(link));
  }
}

/** @type {WeakMap<MeshStandardMaterial, Map<string, MeshStandardMaterial>>} */
const VARIANTS = new WeakMap();

/** @param {MeshStandardMaterial} plain @param {Record<string, any>} values */
function variant(plain, values) {
  const known = VARIANTS.get(plain) ?? new Map();
  const made = known.get(JSON.stringify(values)) ?? plain.clone();
  made.setValues(values);
  VARIANTS.set(plain, known.set(JSON.stringify(values), made));
  return made;
}

/** @param {Picture} picture @param {Layer} layer @param {Object3D} parent @param {Object3D} object */
function add(picture, layer, parent, object) {
  parent.add(object);
  picture.layers.set(layer, [...(picture.layers.get(layer) ?? []), object]);
}

/** @param {Picture} picture @param {import("three").BufferGeometry[]} meshes */
function addShapes(picture, meshes) {
  const { links } = picture.model.robot;
  const bare = links.every(({ visuals }) => !visuals.length);
  if (bare) picture.shown.add("collision");
  links.forEach(({ visuals, collisions }, i) => {
    for (const shape of visuals) addShape(picture, "visual", i, solidOf(shape, meshes, paint(shape.rgba)), true);
    const look = bare ? paint(GREY) : paint([0.9, 0.5, 0.1, 0.5], { wireframe: true });
    for (const shape of collisions) addShape(picture, "collision", i, solidOf(shape, meshes, look), bare);
  });
  if (!picture.solids.length) addSticks(picture);
}

/** Draw a robot without shapes as rods from each link to its joints, those that close loops, too, and from a last link
 * to its farthest frame.
 * @param {Picture} picture */
function addSticks(picture) {
  const { joints, frames, size } = picture.model.robot;
  const rod = (/** @type {number} */ link, /** @type {ArrayLike<number>} */ T) => {
    const to = [T[3], T[7], T[11]];
    if (Math.hypot(...to)) add(picture, "visual", picture.links[link], stick(to, 0.008 * size));
  };
  for (const { link, T } of loopEnds(picture)) rod(link, T);
  for (const { parent, origin, child, child_origin } of joints) {
    rod(parent, origin);
    rod(child, inverse(child_origin)); // as of DH tables
  }
  const carrying = new Set(joints.map(({ parent }) => parent));
  const far = (/** @type {ArrayLike<number>} */ T) => Math.hypot(T[3], T[7], T[11]);
  /** @type {Map<number, ArrayLike<number>>} */
  const ends = new Map();
  for (const { link, T } of frames)
    if (!carrying.has(link) && far(T) > far(ends.get(link) ?? IDENTITY)) ends.set(link, T);
  for (const [link, T] of ends) rod(link, T);
}

/** Return where links carry ends of loops. @param {Picture} picture */
function loopEnds({ model }) {
  return (model.robot.loops?.loops ?? []).flatMap(({ ends }) => ends.map(([link, T]) => ({ link, T })));
}

/** @param {Picture} picture @param {Layer} layer @param {number} link @param {Object3D | null} object
 * @param {boolean} seen whether a click on it selects its link */
function addShape(picture, layer, link, object, seen) {
  if (!object) return;
  add(picture, layer, picture.links[link], object);
  object.userData.link = link;
  if (!seen) return;
  const solid = /** @type {Mesh} */ (object.children[0]);
  Object.assign(solid.userData, { link, plain: solid.material });
  solid.castShadow = solid.geometry.type !== "PlaneGeometry";
  picture.solids.push(solid);
}

/** Add the spheres that contain the collision shapes, as a layer.
 * @param {Picture} picture @param {import("./types.js").Solid[]} solids */
export function addCover(picture, solids) {
  const look = paint([0.1, 0.55, 0.5, 0.13], { depthWrite: false, flatShading: false });
  for (const { link, T, cover } of solids.filter(({ cover: own }) => own.length)) {
    const balls = new InstancedMesh(new SphereGeometry(1, 20, 14), look, cover.length / 4);
    for (let i = 0; i < cover.length; i += 4) {
      const [x, y, z, radius] = cover.slice(i, i + 4);
      balls.setMatrixAt(i / 4, new Matrix4().makeScale(radius, radius, radius).setPosition(x, y, z));
    }
    add(picture, "cover", picture.links[link], placed(T, balls));
  }
  showLayer(picture, "cover", picture.shown.has("cover"));
}

/** @param {Picture} picture */
function addMarks(picture) {
  const { robot } = picture.model;
  const size = robot.size;
  const own = robot.links.map(({ role }, link) => ({ link, T: IDENTITY, role }));
  const named = [...own, ...robot.frames];
  for (const { link, T, role } of named)
    if (role) add(picture, "roles", picture.links[link], placed(T, axes(0.1 * size), dot(0.008 * size, ROLES[role])));
  for (const { link, T } of named) add(picture, "frames", picture.links[link], placed(T, axes(0.05 * size)));
  robot.links.forEach(({ missing, inertia }, i) => {
    if (missing.length)
      add(picture, "missing", picture.links[i], placed((inertia ?? missing[0]).T, crossedBox(0.06 * size)));
  });
  for (const { link, T } of robot.sensors)
    add(picture, "sensors", picture.links[link], placed(T, axes(0.05 * size), dot(0.008 * size, ROLES.sensor)));
  const moving = robot.joints.filter(({ first, leader }) => first !== null || leader).length;
  const radius = 0.055 * size * Math.min(1, 16 / moving);
  robot.joints.forEach((joint, i) => {
    if (joint.first === null && !joint.leader) return;
    const marks = jointMarks(robot, i, radius);
    marks.fixed.userData.joint = marks.moving.userData.joint = i;
    add(picture, "joints", picture.links[joint.parent], marks.fixed);
    add(picture, "joints", picture.links[joint.child], marks.moving);
  });
}

/** @param {Picture} picture */
function addMasses(picture) {
  const { model, links, root } = picture;
  const { robot } = model;
  let total = 0;
  robot.links.forEach(({ inertia }, i) => {
    if (!inertia) return;
    total += inertia.mass;
    add(picture, "masses", links[i], placed(inertia.T, dot(0.006 * robot.size, 0x202020)));
    if (inertia.radii) add(picture, "inertia", links[i], placed(inertia.T, ellipsoid(inertia.radii)));
  });
  if (!(total > 0)) return;
  const whole = dot(0.014 * robot.size, 0xc62828);
  add(picture, "masses", root, whole);
  const follow = () => {
    const [x, y, z] = centreOfMass(model);
    whole.position.set(x, y, z);
  };
  model.listeners.push(follow);
  follow();
}

/** Return the centre of mass of the whole robot, in m.
 * @param {Model} model */
export function centreOfMass(model) {
  const sum = [0, 0, 0, 0];
  model.robot.links.forEach(({ inertia }, i) => {
    if (!inertia) return;
    const T = poseOfLink(model, i);
    const [x, y, z] = [inertia.T[3], inertia.T[7], inertia.T[11]];
    for (let r = 0; r < 3; r++)
      sum[r] += inertia.mass * (T[4 * r] * x + T[4 * r + 1] * y + T[4 * r + 2] * z + T[4 * r + 3]);
    sum[3] += inertia.mass;
  });
  return sum.slice(0, 3).map((value) => value / sum[3]);
}

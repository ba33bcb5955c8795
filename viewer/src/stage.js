/** The camera, the light and the loop that paints. */

import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  Mesh,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** @typedef {import("three").Box3} Box3 */

/** The camera looks from here at the middle of the robot, as in src/kinetree/viewing/projection.py. */
const DIRECTION = new Vector3(1, -0.9, 0.6).normalize();
const ANGLE = 40;
const DISTANCE = 1.15; // of the diagonal of the bounds, or farther to see all
const FILLED = 0.9; // of the picture at most
const NEAR = 5; // the same, at most, for one part

/**
 * @typedef {object} Stage
 * @property {Scene} scene
 * @property {PerspectiveCamera} camera
 * @property {WebGLRenderer} renderer
 * @property {OrbitControls} orbit
 * @property {() => void} draw paint soon
 * @property {() => void} paint paint now
 * @property {(box: Box3, robot?: Box3) => void} fit look at all of a box, with the floor below that of the robot
 * @property {(box: Box3) => void} turnTo look at the middle of a box from the same side, and come near if it is small
 * @property {(dark: boolean) => void} setTheme
 * @property {(() => void)[]} painters called before each picture
 */

/** Return how far the camera must be from the middle of a box to see its corners, as projection.py computes it.
 * @param {Box3} box @param {number} aspect width by height of the picture */
function distanceTo(box, aspect) {
  const right = new Vector3(0, 0, 1).cross(DIRECTION).normalize();
  const up = DIRECTION.clone().cross(right);
  const half = box.getSize(new Vector3()).divideScalar(2);
  const filled = FILLED * Math.tan((ANGLE * Math.PI) / 360);
  const signs = [-1, 1];
  const corners = signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => new Vector3(x, y, z).multiply(half))));
  const sides = corners.map((one) => Math.max(Math.abs(one.dot(right)) / aspect, Math.abs(one.dot(up))));
  return Math.max(...corners.map((one, i) => one.dot(DIRECTION) + sides[i] / filled));
}

/** Return the next 1, 2 or 5 times a power of ten.
 * @param {number} length */
function round(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * ([1, 2, 5].find((step) => length <= step * power) ?? 10);
}

/** Return the stage of a canvas, null where there is no WebGL.
 * @param {HTMLCanvasElement} canvas @returns {Stage | null} */
export function createStage(canvas) {
  if (!document.createElement("canvas").getContext("webgl2")) return null;
  const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  const scene = new Scene();
  const camera = new PerspectiveCamera(ANGLE, 1, 0.001, 1000);
  camera.up.set(0, 0, 1);
  const sun = new DirectionalLight(0xffffff, 2.1);
  sun.position.set(1, 2, 3);
  camera.add(sun);
  const above = new DirectionalLight(0xffffff, 0.4); // its shadow shows where the robot is over the floor
  const floor = new Mesh(new PlaneGeometry(), new ShadowMaterial({ depthWrite: false }));
  above.castShadow = floor.receiveShadow = renderer.shadowMap.enabled = true;
  above.shadow.mapSize.set(1024, 1024);
  renderer.shadowMap.autoUpdate = false;
  scene.add(camera, new HemisphereLight(0xffffff, 0x8088a0, 1.8), new AmbientLight(0xffffff, 0.4));
  scene.add(above, above.target, floor);
  const orbit = new OrbitControls(camera, canvas);
  let asked = false;
  /** @type {GridHelper | null} */
  let grid = null;
  /** @type {Box3 | null} */
  let whole = null;
  /** @type {Box3 | null} */
  let below = null;
  let dark = false;
  /** @type {Stage} */
  const stage = { scene, camera, renderer, orbit, painters: [], draw, paint, fit, turnTo, setTheme };

  function draw() {
    renderer.shadowMap.needsUpdate = true;
    ask();
  }
  function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(paint);
  }
  function paint() {
    asked = false;
    for (const painter of stage.painters) painter();
    renderer.render(scene, camera);
  }
  function resize() {
    const { clientWidth, clientHeight } = /** @type {HTMLElement} */ (canvas.parentElement);
    renderer.setPixelRatio(devicePixelRatio);
    renderer.setSize(clientWidth, clientHeight, false);
    camera.aspect = clientWidth / Math.max(clientHeight, 1);
    camera.updateProjectionMatrix();
    if (whole) place(whole);
    draw();
  }
  /** @param {Box3} box @param {Box3} [robot] */
  function fit(box, robot = box) {
    whole = box; // until the camera is moved
    resize();
    layFloor(robot);
  }
  /** @param {Box3} box */
  function place(box) {
    const [middle, diagonal] = [box.getCenter(new Vector3()), box.getSize(new Vector3()).length()];
    orbit.target.copy(middle);
    camera.position
      .copy(middle)
      .addScaledVector(DIRECTION, Math.max(DISTANCE * diagonal, distanceTo(box, camera.aspect)));
    [camera.near, camera.far] = [diagonal / 500, diagonal * 50];
    camera.updateProjectionMatrix();
    orbit.update();
  }
  /** @param {Box3} box */
  function turnTo(box) {
    whole = null;
    const [middle, diagonal] = [box.getCenter(new Vector3()), box.getSize(new Vector3()).length()];
    const away = camera.position.clone().sub(orbit.target);
    camera.position.copy(middle).add(away.clampLength(0, Math.max(NEAR * diagonal, 2 * camera.near)));
    orbit.target.copy(middle);
    orbit.update();
    draw();
  }
  /** Lay a floor with a shadow below a box. @param {Box3 | null} box */
  function layFloor(box) {
    if (grid) scene.remove(grid);
    below = box;
    if (!box) return;
    const middle = box.getCenter(new Vector3());
    const diagonal = box.getSize(new Vector3()).length();
    const size = 20 * round(diagonal / 8);
    grid = new GridHelper(size, 20, dark ? 0x7a8494 : 0xa8aeb8, dark ? 0x4a525f : 0xd8dce2);
    grid.rotateX(Math.PI / 2);
    grid.position.set(middle.x, middle.y, box.min.z);
    scene.add(grid);
    floor.position.copy(grid.position).setZ(box.min.z - diagonal / 1000);
    floor.scale.setScalar(size);
    floor.material.opacity = dark ? 0.35 : 0.16;
    above.target.position.copy(middle);
    above.position.copy(middle).setZ(middle.z + 2 * diagonal);
    const eye = above.shadow.camera;
    [eye.left, eye.right, eye.bottom, eye.top] = [-diagonal, diagonal, -diagonal, diagonal];
    [eye.near, eye.far] = [0, 4 * diagonal];
    eye.updateProjectionMatrix();
    renderer.shadowMap.needsUpdate = true;
  }
  /** @param {boolean} value */
  function setTheme(value) {
    dark = value;
    scene.background = new Color(dark ? 0x323945 : 0xf3f4f6);
    layFloor(below);
    draw();
  }
  new ResizeObserver(resize).observe(/** @type {HTMLElement} */ (canvas.parentElement));
  orbit.addEventListener("change", ask); // the shadow stays as it is
  orbit.addEventListener("start", () => (whole = null));
  resize();
  return stage;
}

/**
 * What a page is made of, as src/kinetree/viewing writes it. Poses are 16 numbers by rows; m, rad, kg.
 *
 * @typedef {{kind: string, mesh?: number | null, values: number[], scale: number[], T: number[], rgba: number[]}} Shape
 * @typedef {{mass: number, T: number[], radii: number[] | null}} Inertia
 * @typedef {{name: string, role: string | null, body: number, T: number[], joint: number | null, visuals: Shape[],
 *   collisions: Shape[], missing: {T: number[], why: string}[], inertia: Inertia | null}} Link
 * Missing: places of shapes that are not shown.
 * @typedef {{name: string, link: number, T: number[], role: string | null}} Frame
 * @typedef {{joint: number, multiplier: number, offset: number}} Leader
 * @typedef {{name: string, type: string, parent: number, child: number, origin: number[],
 *   child_origin: number[], axes: number[][],
 *   first: number | null, coordinates: number, leader: Leader | null}} Joint
 * @typedef {{name: string, joint: number, unit: "rad" | "m" | "quaternion"}} Coordinate
 * @typedef {{name: string, terms: [number, number][], h: number}} Row
 * @typedef {{lower: (number | null)[], upper: (number | null)[], rows: Row[]}} Limits
 * @typedef {{name: string, link: number, T: number[]}} Sensor
 * @typedef {{code: string, severity: "error" | "warning" | "info", message: string, element: string | null, where: string,
 *   fix: string | null, link: number | null, joint: number | null, frame: number | null, q: number[] | null}} Finding
 * PackedMotion: data is base64; digits are those after the point, null for numbers of 64 bits.
 * @typedef {{samples: number, columns: {coordinate: number, digits: number | null}[],
 *   times: {digits: number | null} | null, data: string}} PackedMotion
 * @typedef {{name: string, about: string, fk: string, size: number, bodies: string[], links: Link[], frames: Frame[],
 *   joints: Joint[], coordinates: Coordinate[], groups: {name: string, joints: string[]}[], limits: Limits,
 *   q: number[], sensors: Sensor[], findings: Finding[], rules: string | null, motion: PackedMotion | null,
 *   loops?: Loops}} Robot
 * @typedef {{vertices: number, triangles: number, at: number, low: number[], step: number}} PackedMesh
 * Controller: metre and radian are the units in its own; axes, places and zero are those of its turns.
 * @typedef {{key: string, name: string, components: string[], digits: [number, number], metre: number, radian: number,
 *   mirrored: string, kind: "turns" | "quaternion" | "exp", axes: string, places: number[], zero: number}} Controller
 * @typedef {{kind: string, element: string, message: string, counts: boolean, parts: [Part[], Part[]]}} Difference
 * Comparison: of the two robots. links and coordinates are pairs; gone and new are numbers of their findings.
 * @typedef {{verdict: string, names: [string, string], differences: Difference[], links: [number, number][],
 *   coordinates: [number, number][], gone: number[], new: number[],
 *   apart: {name: string, distance: number, angle: number}[]}} Comparison
 * Reach: a map in the axes of its base. first: centre of the first voxel; data: base64, a byte a voxel, see voxels.py.
 * @typedef {{frame: string, base: string, about: string, first: number[], voxel: number, shape: number[],
 *   flat: boolean[], several: boolean, colours: number[][], cut: {axis: number, sides: number[]}, data: string}} Reach
 * Solid: of a link, see src/kinetree/viewing/scene/contact.py; hull and mesh are numbers of meshes; cover: four numbers
 * a sphere. Contacts: of the first robot; pairs and left_out by numbers of links.
 * @typedef {{link: number, T: number[], plane: boolean, ball: number[], points: number[], hull: number | null,
 *   disc: number, radius: number, radii: number[], mesh: number | null, parts: number[], closed: boolean, rough: boolean,
 *   cover: number[]}} Solid
 * @typedef {{solids: Solid[], pairs: number[][], left_out: {links: number[], reason: string}[], notes: string[],
 *   cover: boolean}} Contacts
 * Closer: numbers of joints, places in q of the driven ones, and sizes of what the functions that close loops take.
 * Loops: an end is a link and a pose in it; the two ends of a closed loop are in one place.
 * @typedef {{driven: number[], following: number[], columns: number[], sizes: number[]}} Closer
 * @typedef {{loops: {name: string, ends: [number, number[]][]}[], tolerance: number[], why: string,
 *   closer: Closer | null}} Loops
 * @typedef {{made_by: string, robots: Robot[], meshes: PackedMesh[], controllers: Controller[],
 *   comparison: Comparison | null, contact: Contacts | null, reach: Reach | null, selected?: Part | null}} Scene
 * @typedef {(q: ArrayLike<number>, T: Float64Array) => Float64Array} ForwardKinematics
 * @typedef {{kind: "link" | "joint" | "frame", index: number}} Part
 */
export {};

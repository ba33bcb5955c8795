"""Result of `kt.verify`, and its sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kinetree.display import MOST, Brief, number, shortened, visible
from kinetree.lab.identify.poses import SMALL
from kinetree.lab.identify.search import Found
from kinetree.model.edit.origins import COLUMNS
from kinetree.spatial.se3 import Array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelFault(Brief):
    """One thing wrong with a model.

    kind: of poses "zero", "length", "joint pose", "base pose", "tool pose", "sign", "order", "unit" or "delay"; of
    inertial sensors also "sensor pose", "gravity", "imu sign", "imu unit" or "imu delay"; of force/torque sensors also
    "mass", "centre", "inertia", "sensor turn", "wrench sign" or "wrench delay"; of torques also "payload", "viscous
    friction", "Coulomb friction", "armature", "delay", "effort scale", "effort sign", "effort order" or "effort unit".
    element: the joint, link, frame or sensor. value: what is to be added to the number of the model, in `unit`: the
    position of a joint, its length, its row in `kt.kinematics.origins` (6,), the pose of a base, tool or sensor as such
    a row (6,), of a measured point (3,), the rotation vector of a force/torque sensor (3,); the mass of a link, its
    centre (3,) in its axes, its Ixx Ixy Iyy Ixz Iyz Izz (6,) about the centre, the mass of a payload and its centre in
    the frame (4,), gravity (3,) in the root; for a delay, by how much what was measured is later than q; for a scale or
    unit, by which factor numbers of the log are too large, 0 if they have no relation to the model's; None for the
    other kinds. std: the standard deviation of the value, infinite if the log does not determine it. explains: the part
    of the error that it explains, 0 to 1. alike: other faults, (kind, element), that explain the log as well. unit: of
    the value, "" for rows of a pose and for none.
    """

    kind: str
    element: str
    value: float | Array | None = None
    std: float | Array | None = None
    explains: float = 1.0
    alike: tuple[tuple[str, str], ...] = ()
    unit: str = ""


def fault_of(found: Found, i: int, value: Array, covariance: Array, unit: str) -> ModelFault:
    """Return a cause that a search has found as a fault, with a value (k,) and its covariance (k, k)."""
    cause, std = found.causes[i], np.sqrt(covariance.diagonal().clip(0.0))
    alike = tuple((other.kind, other.element) for other in found.alike[i])
    one = len(value) == 1
    number, deviation = (float(value[0]), float(std[0])) if one else (value, std)
    return ModelFault(cause.kind, cause.element, number, deviation, found.shares[i], alike, unit)


def correlated(found: Found) -> tuple[tuple[str, ...], Array]:
    """Return the names of the numbers of all faults of a search, and their correlation (k, k); nan where the log does
    not determine a number."""
    names, places = list[str](), list[int]()
    for cause in found.causes:
        parts = PARTS.get(cause.kind, COLUMNS[: len(cause.places)]) if len(cause.places) > 1 else ("",)
        names += [f"{cause.kind} {cause.element} {part}".rstrip() for part in parts]
        places += cause.places
    C = found.covariance[np.ix_(places, places)]
    std = np.sqrt(C.diagonal())
    with np.errstate(invalid="ignore"):
        return tuple(names), np.asarray(C / np.outer(std, std))


PARTS = {"inertia": ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"), "payload": ("m", "x", "y", "z")}
"""Names of the numbers of a fault."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verification:
    """Result of `kt.verify`.

    explained: whether the faults explain the log; if not, there are none. faults: what is wrong, those that explain the
    most first. together: sets of (kind, element), of which a log like this one cannot tell which is wrong, because one
    has the effect of the others, or of which a single one has no effect. still: joints that did not move, of those that
    the log is about. error, left, noise (2,), or (1,) by positions alone: root mean square of the error of the model in
    position, m, and rotation, rad, with the unknown poses at their best; what is left with the faults corrected; and
    what the noise of the log alone would leave; of several frames together. outliers: numbers of the samples that do
    not fit the others. base (4, 4), tool (4, 4), or (f, 4, 4) of f frames: T_world_root and T_frame_measured. readings:
    the same three of s sensors: "imu" (3, s, 6), angular velocity, rad/s, and acceleration, m/s², nan for none;
    "wrenches" (3, s, 6), force, N, and moment, N m. sensor_offsets: of these, by name, the constant part (6,) of
    readings, which is no fault of the model. torques (3, nv): root mean square of the error of the model, of what is
    left with the faults corrected, and the noise of the log, N m or N, nan for a joint without torques. offsets:
    constant part of the torques of each joint, such as that of a sensor, which is no fault of the model. gaps: numbers
    of the samples before which times have a gap. blind: "poses", "imu", "wrenches" or "torques" if no fault could have
    shown itself in them. incomplete: these if much more than the noise is left of them, so that more is wrong than is
    named. residuals: errors of each sample, of the model and with the faults corrected: "poses" (2, n, 2), m and rad,
    or (2, n, 1); at the means of windows "imu" and "wrenches" (2, m, s, 6) at "times of imu" and "times of wrenches"
    (m,), s, and "torques" (2, m, nv), N m or N, at "times". numbers, correlation (k, k): numbers of the faults that
    were fitted, and how far the log cannot tell them apart, -1 to 1.
    What poses show is None without poses, torques without torques.
    """

    explained: bool
    faults: tuple[ModelFault, ...] = ()
    together: tuple[tuple[tuple[str, str], ...], ...] = ()
    still: tuple[str, ...] = ()
    error: Array | None = None
    left: Array | None = None
    noise: Array | None = None
    outliers: tuple[int, ...] = ()
    base: Array | None = None
    tool: Array | None = None
    readings: Mapping[str, Array] = field(default_factory=dict)
    sensor_offsets: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)
    torques: Array | None = None
    offsets: Mapping[str, float] | None = None
    gaps: tuple[int, ...] = ()
    blind: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    residuals: Mapping[str, Array] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    correlation: Array | None = None

    @property
    def agrees(self) -> bool:
        """Return whether the log shows that nothing is wrong."""
        parts = (self.error is not None) + (self.torques is not None) + len(self.readings)
        return self.explained and not self.faults and len(self.blind) < parts

    def __repr__(self) -> str:
        agrees = "the model agrees" if self.agrees else "the log shows nothing" if self.explained else "not explained"
        faults = ", ".join(f"{fault.kind} of {fault.element}" for fault in self.faults)
        return visible(shortened(f"Verification: {faults or agrees}", MOST))

    def __str__(self) -> str:
        return "\n".join(visible(shortened(line, 5 * MOST)) for line in self._lines())

    def _lines(self) -> Iterator[str]:
        if not self.explained:
            yield f"The model does not agree: {self._sizes(0)} rms. No faults that are known here explain that."
            return
        verdict = "The model agrees" if self.agrees else "This log cannot show whether the model agrees"
        yield f"{'The model does not agree' if self.faults else verdict}: {self._sizes(0)} rms."
        masses = {one.element for one in self.faults if one.kind == "mass"}
        for one in self.faults:
            small = np.abs(np.asarray(one.value, float)) < 3 * np.asarray(one.std, float)
            is_same = one.kind == "inertia" and one.element in masses and bool(small.all())
            same = (
                f"The inertia of {one.element} is as in the model, without its mass; this explains {one.explains:.0%}."
            )
            yield f"- {same if is_same else _sentence(one)}"
        if self.faults:
            yield f"With that corrected {self._sizes(1)} rms is left."
        yield f"The noise of the log alone would leave {self._sizes(2)} rms."
        for part in self.incomplete:
            yield f"More is wrong than that: the {part} of this log are off by more than its noise."
        for part in self.blind:
            yield f"The {part} of this log show no fault of the model: move more joints, farther."
        if self.offsets and self.torques is not None:
            noise = zip(self.offsets.items(), self.torques[2], strict=True)
            far = [f"{name} {number(size, 3)}" for (name, size), least in noise if abs(size) > OFFSET * least]
            if far:
                yield f"Torques of the log have constant offsets, as sensors do, N m or N: {', '.join(far)}."
        if apart := tuple(one for one in self.together if len(one) > 1):
            yield f"This log cannot tell {_apart(apart)}."
        if alone := [_named(*one[0]) for one in self.together if len(one) == 1]:
            yield f"This log does not show {', '.join(alone)}."
        if self.still:
            yield f"Did not move, so that little is known about: {', '.join(self.still)}."
        if self.gaps:
            yield f"Times have gaps before samples {_first(self.gaps)}; rates are not found across them."
        if self.outliers:
            yield f"Samples that do not fit the others: {_first(self.outliers)}."

    def _sizes(self, row: int) -> str:
        of_poses = (self.error, self.left, self.noise)[row]
        sizes = [] if of_poses is None else [_errors(of_poses)]
        for kind, values in self.readings.items():
            parts = np.sqrt((values[row].reshape(-1, 2, 3) ** 2).sum(axis=(0, 2)) / len(values[row]))
            units = zip(parts, READ[kind], strict=True)
            sizes.append(f"{kind} {', '.join(f'{number(x, 3)} {unit}' for x, unit in units if x == x)}")
        if self.torques is not None:
            sizes.append(f"torques {' '.join(number(x, 3) for x in self.torques[row] if x == x)} N m")
        return ", ".join(sizes)


def joined(first: Verification, then: Verification) -> Verification:
    """Return two answers of one log as one; what the first has of poses and torques counts, if it has some."""
    explained, incomplete = first.explained and then.explained, (*first.incomplete, *then.incomplete)
    named = {"gravity"} & {fault.kind for fault in first.faults}  # which the next part shows, too
    faults = (*first.faults, *(fault for fault in then.faults if fault.kind not in named)) if explained else ()
    k, n = len(first.numbers), len(then.numbers)
    correlation = np.zeros((k + n, k + n))  # of parts of a log that have no numbers together
    correlation[:k, :k], correlation[k:, k:] = (0 if x is None else x for x in (first.correlation, then.correlation))
    return replace(
        first,
        explained=explained and bool(faults or not incomplete),
        faults=faults,
        together=(*first.together, *then.together),
        still=tuple(dict.fromkeys((*first.still, *then.still))),
        outliers=tuple(dict.fromkeys((*first.outliers, *then.outliers))),
        readings={**first.readings, **then.readings},
        sensor_offsets={**first.sensor_offsets, **then.sensor_offsets},
        torques=then.torques if first.torques is None else first.torques,
        offsets=then.offsets if first.offsets is None else first.offsets,
        gaps=first.gaps or then.gaps,
        blind=(*first.blind, *then.blind),
        incomplete=incomplete,
        residuals={**first.residuals, **then.residuals},
        numbers=(*first.numbers, *then.numbers),
        correlation=correlation,
    )


def _errors(values: Array) -> str:
    sizes = zip(np.where(values < SMALL / 100, 0.0, values), SHOWN.values(), strict=False)
    return ", ".join(f"{factor * size:.3g} {unit}" for size, (unit, factor) in sizes)


def _first(samples: tuple[int, ...]) -> str:
    return ", ".join(map(str, samples[:10])) + (f" and {len(samples) - 10} more" if len(samples) > 10 else "")


def _apart(together: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """Return which faults of sets have the effect of which others."""
    found = dict[tuple[str, str], list[str]]()
    for (kind, element), *rest in together:
        others = [_named(*one) if one[1] != element else f"the {one[0]}" for one in rest]
        found.setdefault((kind, " and ".join(others)), []).append(element)
    return "; ".join(f"{_named(kind, ', '.join(names))} from {others}" for (kind, others), names in found.items())


def _named(kind: str, element: str) -> str:
    return f"the {kind} of {element}"


OFFSET = 2.0
"""Offset of torques, in parts of their noise, from which on it is printed."""
SHOWN = {"m": ("mm", 1000.0), "rad": ("deg", float(np.rad2deg(1.0))), "s": ("ms", 1000.0), "1": ("", 1.0)}
"""Units in sentences, and their factors."""
READ = {"imu": ("rad/s", "m/s²"), "wrenches": ("N", "N m")}
"""Units of both parts of a reading."""
PLAIN = {
    "sign": "Joint {} counts the other way.",
    "order": "Joints {} are in each other's place in q.",
    "unit": "q is in degrees.",
    "effort sign": "The torque of {} has the other sign.",
    "wrench sign": "Wrenches of {} have the other sign, as if the other side of the sensor were measured.",
    "imu sign": "Accelerations of {} have the other sign.",
    "effort order": "The torques of {} are in each other's place.",
}


def _sentence(fault: ModelFault) -> str:
    alike = f" So would {' or '.join(_named(*one) for one in fault.alike)}." if fault.alike else ""
    if fault.kind in PLAIN:
        others = f" Half a turn of {', '.join(one for _, one in fault.alike)} would do, too." if fault.alike else ""
        others = alike if any(kind != "zero" for kind, _ in fault.alike) else others
        return PLAIN[fault.kind].format(fault.element) + others
    if fault.kind == "imu unit":
        what = (
            "Accelerations of {} are in g."
            if np.asarray(fault.value) < 1.0
            else "Angular velocities of {} are in deg/s."
        )
        return what.format(fault.element)
    unit, factor = SHOWN.get(fault.unit, (fault.unit, 1.0))
    value, std = factor * np.asarray(fault.value), factor * np.asarray(fault.std)
    if fault.kind == "effort scale" and fault.value == 0.0:
        return f"Torques of {fault.element} of the log have no relation to those of the model; they are left out."
    if fault.kind == "payload":
        where, spread = (" ".join(f"{1000 * x:.{n}g}" for x in row[1:]) for row, n in ((value, 3), (std, 2)))
        said = f"{fault.element} carries {value[0]:.4g} ± {std[0]:.2g} kg more, centred at {where} ± {spread} mm"
    elif fault.kind == "delay":
        what = "Torques" if fault.element == "effort" else f"Poses of {fault.element}"
        said = f"{what} are {value:.4g} ± {std:.2g} ms later than q"
    elif fault.kind in ("imu delay", "wrench delay"):
        said = f"Readings of {fault.element} are {value:.4g} ± {std:.2g} ms later than q"
    elif fault.kind in ("effort scale", "effort unit"):
        whose = "Torques" if fault.kind == "effort unit" else f"Torques of {fault.element}"
        said = f"{whose} of the log are {value:.4g} ± {std:.2g} times those of the model"
    else:
        if value.ndim == 0:
            size = f"{value:.4g} ± {std:.2g} {unit}"
        elif unit:
            size = f"{' '.join(f'{x:.3g}' for x in value)} ± {' '.join(f'{x:.2g}' for x in std)} {unit}"
        else:
            moved, turned = (float(np.linalg.norm(part)) for part in np.split(value, 2))
            place = f"{1000 * moved:.3g} mm and " if np.isfinite(std).all() or moved else ""  # else it is not shown
            size = f"{place}{np.rad2deg(turned):.3g} deg"
        said = f"The {fault.kind} of {fault.element} is off by {size}"
    return f"{said}; this explains {fault.explains:.0%}.{alike}"

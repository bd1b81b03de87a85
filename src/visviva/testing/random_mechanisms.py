"""Mechanisms drawn at random, as scripts: trees and loops of all joints, with all that can act on them.

A tree is consistent as built, whatever its joints; what closes a loop is added where its ends are as built, if enough
motion is left. Units of length, time and mass are drawn as well, so that nothing may depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism import Mechanism

FREEDOMS = {
    "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3,
    "fixed": 0, "free": 6, "distance": 5, "point_on_plane": 5, "point_on_line": 4,
}  # fmt: skip
OF_POINTS = ("distance", "point_on_plane", "point_on_line")  # orientation does not matter: for particles, too
TURNING = ("revolute", "cylindrical", "screw")  # joints whose first coordinate is an angle
CLOSING = ("spherical", "distance", "point_on_plane", "point_on_line")  # they leave a loop with the motion it has


@final
@dataclass(frozen=True)
class Source:
    """A value as Python text, such as a function."""

    text: str

    def __repr__(self) -> str:
        return self.text

    @property
    def value(self) -> Any:
        """What the text means."""
        import visviva

        return eval(self.text, {"np": np, "vv": visviva})


@final
@dataclass(frozen=True)
class Call:
    """One call of the builder."""

    method: str
    name: str
    ends: tuple[str, ...]
    options: dict[str, Any]

    def __str__(self) -> str:
        given = [repr(self.name), *map(repr, self.ends), *(f"{key}={value!r}" for key, value in self.options.items())]
        return f"m.{self.method}({', '.join(given)})"

    def apply(self, m: Mechanism) -> None:
        """Add the part to a mechanism."""
        options = {key: value.value if isinstance(value, Source) else value for key, value in self.options.items()}
        getattr(m, self.method)(self.name, *self.ends, **options)


@final
@dataclass(frozen=True)
class RandomMechanism:
    """A mechanism as the calls that build it, with inputs by port and a step that resolves its motion.

    length, time, mass: the units that it was drawn in [m, s, kg].
    dissipates:         whether it may have friction and dampers.
    """

    seed: int
    gravity: list[float]
    calls: tuple[Call, ...]
    inputs: dict[str, Source]
    h: float
    length: float
    time: float
    mass: float
    dissipates: bool

    def build(self) -> Mechanism:
        """The mechanism, made anew."""
        m = Mechanism(f"random {self.seed}", gravity=self.gravity)
        for call in self.calls:
            call.apply(m)
        return m

    @cached_property
    def input_functions(self) -> dict[str, Callable[[float], Any]]:
        """The inputs, for `simulate`."""
        return {name: source.value for name, source in self.inputs.items()}

    def script(self, steps: int = 20) -> str:
        """A program that builds it and runs it."""
        inputs = ", ".join(f"{name!r}: {source!r}" for name, source in self.inputs.items())
        lines = [
            "import numpy as np",
            "import visviva as vv",
            "",
            f"m = vv.Mechanism('random {self.seed}', gravity={self.gravity!r})",
            *map(str, self.calls),
            "motion, _ = m.assemble(fixed=())",
            f"run = vv.simulate(m, t_end={steps} * {self.h!r}, h={self.h!r}, initial=motion, inputs={{{inputs}}})",
            "print(run.audit())",
        ]
        return "\n".join(lines)


def random_mechanism(
    seed: int, bodies: int | None = None, *, dissipates: bool | None = None, scaled: bool = True
) -> RandomMechanism:
    """The mechanism of a seed: 1 to 8 bodies, unless their number is given.

    dissipates: whether there may be friction, dampers, motors, stops and heat; drawn by default.
    scaled:     draw units of length and time between 1e-3 and 1e3, and of mass between 1e-6 and 1e6; else SI.
    """
    dice = np.random.default_rng([seed, bodies or 0])
    count = int(dice.integers(1, 9)) if bodies is None else bodies
    units = (10.0 ** dice.uniform(-3, 3), 10.0 ** dice.uniform(-3, 3), 10.0 ** dice.uniform(-6, 6))
    rough = bool(dice.random() < 0.5) if dissipates is None else dissipates
    length, time, mass = units if scaled else (1.0, 1.0, 1.0)
    draw = _Draw(dice, length, time, mass, rough)
    for i in range(count):
        draw.member(f"b{i}", last=i == count - 1)
    for i in range(int(dice.integers(0, 2 + count // 3))):
        draw.loop(f"loop{i}")
    for i in range(int(dice.integers(0, 3 + count // 3))):
        draw.element(f"element{i}")
    for i in range(int(dice.integers(0, 2))):
        draw.condition(f"condition{i}")
    for i in range(int(dice.integers(0, 3))):
        draw.port(f"port{i}")
    h = draw.round(10.0 ** dice.uniform(-3.0, -1.7) * draw.T)
    L, T, M = (draw.round(unit) for unit in (draw.L, draw.T, draw.M))
    return RandomMechanism(seed, draw.gravity, tuple(draw.calls), draw.inputs, h, L, T, M, draw.dissipates)


@final
@dataclass
class _Draw:
    """A mechanism that grows, and the dice. Lengths are multiples of L, times of T, masses of M."""

    dice: np.random.Generator
    L: float
    T: float
    M: float
    dissipates: bool
    calls: list[Call] = field(default_factory=list)
    places: dict[str, Array] = field(default_factory=lambda: {"ground": np.zeros(3)})  # of all that can carry a joint
    kinds: dict[str, str] = field(default_factory=dict)  # of joints
    solid: list[str] = field(default_factory=list)  # bodies
    inputs: dict[str, Source] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)  # joints that conditions act on
    free: int = 0  # velocities that the joints leave

    def __post_init__(self) -> None:
        g = self.dice.normal(size=3) * 5 * (self.dice.random() < 0.8)
        self.gravity = self.vector(g * self.L / self.T**2)
        self.warm = self.dissipates and self.dice.random() < 0.25
        if self.warm:
            c = self.round(self.energy * 10.0 ** self.dice.uniform(-3, 0))
            self.add("thermal", "node", capacity=c, conductance_to_environment=self.round(0.3 * c / self.T))

    @property
    def energy(self) -> float:
        """The unit of energy [J]."""
        return self.M * self.L**2 / self.T**2

    # -- numbers --

    def round(self, value: float) -> float:
        """Four digits are enough, and can be read."""
        return float(f"{value:.4g}")

    def vector(self, values: Array) -> list[float]:
        """A list of such numbers."""
        return [self.round(value) for value in np.asarray(values).ravel()]

    def between(self, low: float, high: float, unit: float = 1.0) -> float:
        """A number."""
        return self.round(self.dice.uniform(low, high) * unit)

    def direction(self) -> Array:
        """A unit vector, uniform over the sphere."""
        v = self.dice.normal(size=3)
        return v / np.linalg.norm(v)

    def rotation(self) -> Source:
        """Any rotation."""
        return Source(f"vv.geometry.SO3.exp({self.vector(2.0 * self.direction() * self.dice.random())})")

    def either(self, *names: str) -> str:
        """One of them."""
        return str(self.dice.choice(names))

    def pair(self) -> tuple[str, str]:
        """Two carriers, the ground first if it is one of them."""
        a, b = (str(name) for name in self.dice.choice(list(self.places), 2, replace=False))
        return (b, a) if b == "ground" else (a, b)

    def near(self, carrier: str, distance: float = 0.2) -> list[float]:
        """A point some way off a carrier."""
        return self.vector(self.places[carrier] + distance * self.L * self.direction())

    def add(self, method: str, name: str, *ends: str, **options: Any) -> None:
        """Write down one call."""
        self.calls.append(Call(method, name, ends, options))

    # -- bodies and the joints of the tree --

    def member(self, name: str, *, last: bool) -> None:
        """One more body and the joint that holds it; the last one may be a particle."""
        kind = self.either(*(kind for kind in FREEDOMS if kind != "fixed" or len(self.places) > 1))
        parent = str(self.dice.choice(list(self.places)[-3:]))
        at = self.places[parent] + self.L * (0.6 * self.direction() + 0.2 * self.dice.normal(size=3))
        mass = self.round(self.M * 10.0 ** self.dice.uniform(-1, 1))
        if last and kind in OF_POINTS:
            velocity = self.vector(0.5 * self.dice.normal(size=3) * self.L / self.T)
            self.add("particle", name, mass=mass, at=self.vector(at), velocity=velocity)
            self.free -= 3
        else:
            self.body(name, at, mass)
        self.join(f"{name}_joint", kind, parent, name, 0.5 * (at + self.places[parent]) if name in self.solid else at)
        self.places[name] = at

    def body(self, name: str, at: Array, mass: float) -> None:
        """A body, one in five flat, its frame in its principal axes and away from its centre of mass."""
        parts = self.vector(self.dice.uniform(0.02, 0.2, 3) * mass * self.L**2)
        if self.dice.random() < 0.2:
            parts[0] = 0.0
        twist = np.concatenate([0.8 * self.dice.normal(size=3), 0.5 * self.L * self.dice.normal(size=3)]) / self.T
        self.add(
            "body", name, mass=mass, inertia=[parts[1] + parts[2], parts[2] + parts[0], parts[0] + parts[1]],
            com=self.vector(0.1 * self.L * self.dice.normal(size=3)), at=self.vector(at), rotation=self.rotation(),
            twist=self.vector(twist),
        )  # fmt: skip
        self.solid.append(name)

    def join(self, name: str, kind: str, parent: str, child: str, at: Array) -> None:
        """A joint of the given kind at a point."""
        self.kinds[name], place = kind, self.vector(at)
        self.free += FREEDOMS[kind]
        d = self.direction()
        match kind:
            case "free":
                self.add(kind, name, parent, child)
            case "fixed":
                self.add(kind, name, parent, child, at=place)
            case "spherical":
                self.add(kind, name, parent, child, at=place, **self.rub(self.L**2))
            case "universal":
                axes = (self.vector(d), self.vector(np.cross(d, self.direction())))
                axes = Source(f"({axes[0]}, np.cross({axes[0]}, {axes[1]}))")  # type: ignore[assignment]
                self.add(kind, name, parent, child, at=place, axes=axes, **self.rub(self.L**2, axes=2))
            case "planar" | "point_on_plane":
                self.add(kind, name, parent, child, at=place, normal=self.vector(d))
            case "cylindrical" | "point_on_line":
                self.add(kind, name, parent, child, at=place, axis=self.vector(d))
            case "distance":
                away = self.near(parent, 0.15)
                self.add(kind, name, parent, child, at_a=away, at_b=place)
            case _:
                arm = 1.0 if kind == "prismatic" else self.L
                pitch = {"pitch": self.between(0.05, 0.4, self.L)} if kind == "screw" else {}
                stops = self.stops(arm, kind)
                self.add(kind, name, parent, child, at=place, axis=self.vector(d), **pitch, **self.rub(arm**2), **stops)

    def rub(self, arm_squared: float, *, axes: int = 1) -> dict[str, Any]:
        """Friction of a joint: a constant, or a law; its heat may warm the node."""
        if not self.dissipates or self.dice.random() < 0.5:
            return {}
        c = self.between(0.02, 0.3, self.M / self.T * arm_squared)
        rate = (self.L if arm_squared == 1.0 else 1.0) / self.T
        level, slow = self.round(c * rate), self.round(0.1 * rate)
        law = self.either("constant", "viscous", "coulomb", "stribeck") if axes == 1 else "constant"
        friction: Any = {
            "constant": c if axes == 1 else axes * [c],
            "viscous": Source(f"vv.friction.viscous({c})"),
            "coulomb": Source(f"vv.friction.coulomb({level}, v_reg={slow})"),
            "stribeck": Source(
                f"vv.friction.stribeck(coulomb={level}, static={self.round(1.4 * level)}, "
                f"speed={self.round(4 * slow)}, v_reg={slow})"
            ),
        }[law]
        return {"friction": friction} | ({"heat_to": "node"} if self.warm and self.dice.random() < 0.5 else {})

    def stops(self, arm: float, kind: str) -> dict[str, Any]:
        """End stops, one in five."""
        if self.dice.random() > 0.2:
            return {}
        far = self.between(0.05, 0.4, self.L if kind == "prismatic" else 1.0)
        k = self.between(20, 100, self.M / self.T**2 * arm**2)
        loss = {"stop_damping": self.round(0.1 * k * self.T)} if self.dissipates else {}
        return {"limits": (-far, far), "stop_stiffness": k} | loss

    # -- loops --

    def loop(self, name: str) -> None:
        """One more joint between two carriers, a second hinge beside the first, or four parallel hinges."""
        kind = self.either("closure", "closure", "four_bar", "door")
        hinges = [call for call in self.calls if call.method == "revolute" and isinstance(call.options["at"], list)]
        if kind == "four_bar":
            self.four_bar(name)
        elif kind == "door" and hinges:
            hinge = hinges[int(self.dice.integers(len(hinges)))]
            at, axis = hinge.options["at"], hinge.options["axis"]
            along = Source(f"np.array({at}) + {self.between(0.2, 0.5, self.L)} * np.array({axis})")
            self.add("revolute", name, *hinge.ends, at=along, axis=axis)
        elif len(self.places) > 2:
            kind, (a, b) = self.either(*CLOSING), self.pair()
            if not {a, b} <= {"ground", *self.solid}:
                return
            if self.free - (6 - FREEDOMS[kind]) < 2:
                return
            middle = 0.5 * (self.places[a] + self.places[b])
            self.free -= 6
            self.join(name, kind, a, b, middle + 0.2 * self.L * self.direction())

    def four_bar(self, name: str) -> None:
        """Three bars on four parallel hinges, in any plane, on any carrier: three rows too many."""
        base = str(self.dice.choice([place for place in self.places if place in ("ground", *self.solid)]))
        z = self.direction()
        x = np.cross(z, self.direction())
        x /= np.linalg.norm(x)
        flat = np.array([(0, 0), (0.1, 0.5), (0.8, 0.7), (0.9, 0)]) * self.L
        origin = self.places[base] + 0.3 * self.L * self.direction()
        corners = flat @ np.array([x, np.cross(z, x)]) + origin
        ring = [base, *(f"{name}_{i}" for i in range(3)), base]
        for link, a, b in zip(ring[1:4], corners, corners[1:], strict=False):
            self.body(link, 0.5 * (a + b), self.between(0.5, 3, self.M))
            self.places[link] = 0.5 * (a + b)
        for i, corner in enumerate(corners):
            self.calls.append(
                Call(
                    "revolute", f"{name}_hinge{i}", (ring[i], ring[i + 1]), {"at": corner.tolist(), "axis": z.tolist()}
                )
            )
            self.kinds[f"{name}_hinge{i}"] = "revolute"
            self.held.add(f"{name}_hinge{i}")
        self.free += 1

    # -- what acts --

    def element(self, name: str) -> None:
        """A spring or damper of a random kind between two carriers, or about a joint; a motor."""
        if len(self.places) < 2:
            return
        a, b = self.pair()
        damped = bool(self.dissipates and self.dice.random() < 0.5)
        k, c = self.between(5, 40, self.M / self.T**2), self.between(0.1, 1.0, self.M / self.T) if damped else 0.0
        node = {"heat_to": "node"} if damped and self.warm and self.dice.random() < 0.5 else {}
        turning = [joint for joint, kind in self.kinds.items() if kind in TURNING]
        framed = a in ("ground", *self.solid) and b in self.solid
        kinds = ["spring", "hardening"] + ["bushing", "trace_spring", "point_springs"] * framed
        kinds += (
            ["torsion", "twisting"] * bool(turning)
            + ["motor"] * bool(turning and self.dissipates)
            + ["drag"] * (damped and a in ("ground", *self.solid))
        )
        turn = k * self.L**2 / 10
        match self.either(*kinds):
            case "spring":
                length = self.between(0.2, 1, self.L)
                self.add("spring", name, a, b, k=k, length=length, damping=c, **self.ends(a, b), **node)
            case "hardening":
                law = Source(
                    f"lambda l: {k} * (l - {self.round(0.5 * self.L)}) ** 2 + {self.round(k / self.L**2)} * l**4"
                )
                self.add("spring", name, a, b, energy=law, **self.ends(a, b))
            case "bushing":
                K = np.concatenate([self.dice.uniform(1, 4, 3) * self.L**2, self.dice.uniform(10, 40, 3)])
                K *= self.M / self.T**2
                D = {"D": self.vector(0.02 * self.T * K)} if damped else {}
                self.add("bushing", name, a, b, K=self.vector(K), rotation=self.rotation(), **D, **node)
            case "trace_spring":
                G, K = self.dice.uniform(0.5, 2, 3) * self.energy, self.dice.uniform(10, 40, 3) * self.M / self.T**2
                G_text, K_text = Source(f"np.diag({self.vector(G)})"), Source(f"np.diag({self.vector(K)})")
                self.add("trace_spring", name, a, b, G=G_text, K=K_text, at=self.near(b))
            case "point_springs":
                ends = {
                    side: [self.near(end, 0.3) for _ in range(4)] for side, end in (("at_parent", a), ("at_child", b))
                }
                stiffness = self.vector(self.dice.uniform(2, 10, 4) * self.M / self.T**2)
                self.add("point_springs", name, a, b, k=stiffness, **ends, damping=0.3 * c, **node)
            case "torsion":
                loss = self.round(c * self.L**2 / 10)
                self.add(
                    "torsion",
                    name,
                    self.either(*turning),
                    k=self.round(turn),
                    angle=self.between(-1, 1),
                    damping=loss,
                    **node,
                )
            case "twisting":
                law = Source(f"lambda q: {self.round(turn)} * (1 - np.cos(q)) + {self.round(turn)} * q**4")
                self.add("torsion", name, self.either(*turning), energy=law)
            case "motor":
                k_t = self.round(self.T)  # [V s] in volts: current and power follow
                current = self.energy / self.T
                R, inductance = self.between(1, 3, 1 / current), self.between(0.2, 1, self.T / current)
                warm = {"heat_to": "node"} if self.warm else {}
                self.add("motor", name, self.either(*turning), resistance=R, inductance=inductance, k=k_t, **warm)
                self.inputs[name] = self.wave(1, 1.0)
            case "drag":
                points = Source(f"np.array([{self.near(b)}])") if b in self.solid else None
                options = {} if points is None else {"points": points}
                self.add("damper", name, a, b, d=c, **options, **node)

    def ends(self, a: str, b: str) -> dict[str, Any]:
        """Points on both; a particle is one itself."""
        points = {"at_a": a, "at_b": b}
        return {side: self.near(end) for side, end in points.items() if end in ("ground", *self.solid)}

    def condition(self, name: str) -> None:
        """A gear, a rack, a drive or a row of one's own, on joints that nothing else holds."""
        if self.free < 3:
            return
        one = ("revolute", "screw")  # coordinate
        turning = [joint for joint, kind in self.kinds.items() if kind in one and joint not in self.held]
        sliding = [joint for joint, kind in self.kinds.items() if kind == "prismatic" and joint not in self.held]
        kinds = ["gear"] * (len(turning) > 1) + ["rack"] * bool(turning and sliding) + ["drive"] * bool(turning)
        kinds += ["knife_edge", "constraint", "velocity_constraint"] * bool(self.solid)
        if not kinds:
            return
        self.free -= 1
        match self.either(*kinds):
            case "gear":
                a, b = (str(joint) for joint in self.dice.choice(turning, 2, replace=False))
                self.held |= {a, b}
                self.add("gear", name, a, b, ratio=self.between(-2, -0.5))
            case "rack":
                a, b = self.either(*turning), self.either(*sliding)
                self.held |= {a, b}
                self.add("rack", name, a, b, radius=self.between(0.1, 0.5, self.L))
            case "drive":
                joint = self.either(*turning)
                self.held.add(joint)
                w, rate = self.between(1, 4, 1 / self.T), self.between(-1, 1, 1 / self.T)
                self.add("drive", name, joint, rate=Source(f"lambda t: {rate} * np.cos({w} * t)"))
            case "knife_edge":
                body = self.either(*self.solid)
                self.add(
                    "knife_edge", name, "ground", body, at=self.near(body), direction=self.vector(self.direction())
                )
            case "constraint":
                body, n = self.either(*self.solid), self.vector(self.direction())
                height = float(np.dot(n, self.vector(self.places[body])))
                self.add("constraint", name, body, g=Source(f"lambda a: a.r @ np.array({n}) - {height!r}"))
            case "velocity_constraint":
                body, n = self.either(*self.solid), self.vector(self.direction())
                self.add("velocity_constraint", name, body, A=Source(f"lambda a: [0, 0, 0, {n[0]}, {n[1]}, {n[2]}]"))

    def port(self, name: str) -> None:
        """A torque, a force or a wrench that varies in time."""
        turning = [joint for joint, kind in self.kinds.items() if kind in (*TURNING, "planar")]
        sliding = [joint for joint, kind in self.kinds.items() if kind in ("prismatic", "cylindrical")]
        on = {"wrench": self.solid, "torque": turning, "force": sliding}
        kinds = [kind for kind, carriers in on.items() if carriers]
        if not kinds:
            return
        kind = self.either(*kinds)
        self.add(kind, name, self.either(*on[kind]))
        force, torque = self.energy / self.L, self.energy
        self.inputs[name] = {
            "wrench": lambda: self.wave(6, np.array(3 * [torque] + 3 * [force])),
            "torque": lambda: self.wave(1, torque),
            "force": lambda: self.wave(1, force),
        }[kind]()

    def wave(self, width: int, unit: float | Array) -> Source:
        """A sine of time."""
        size, pace = self.vector(self.dice.normal(size=width) * unit), self.between(2, 9, 1 / self.T)
        amplitude = size[0] if width == 1 else f"np.array({size})"
        return Source(f"lambda t: {amplitude} * np.sin({pace} * t + 0.3)")

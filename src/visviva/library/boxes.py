"""Composites that sit in a mechanism by `m.box`: friction with a memory, gearboxes, actuators, gas springs, water.

Each has outer ports of momenta for joints or bodies, `s` for its heat, and inputs. They are systems of the language
like others, and can be wired into composites as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_array, finite_number
from visviva.errors import ModelError
from visviva.geometry.definite import semidefinite, symmetric
from visviva.language import Composite, Quantity, compose, irreversible, reversible, storage
from visviva.language.starting import starting
from visviva.library import electric, gas, hydraulic, rotation, thermal, translation
from visviva.library.multibody.friction import viscous
from visviva.library.multibody.spatial import hat
from visviva.library.onsager import heating
from visviva.library.quantities import (
    angle,
    angular_momentum,
    displacement,
    entropy,
    flux,
    momentum,
    momentum3,
    momentum6,
    volume,
)
from visviva.library.stops import stop_energy, stop_force, stop_resistance

__all__ = ["added_mass", "backlash_gearbox", "drag", "gas_spring", "hydraulic_cylinder", "lugre", "thermal_motor"]

MOMENTA = {3: momentum3, 6: momentum6}


def lugre(
    sigma0: float,
    F_c: float,
    F_s: float,
    *,
    v_st: float,
    sigma1: float = 0.0,
    sigma2: float = 0.0,
    v_reg: float | None = None,
    of: Quantity = angular_momentum,
) -> Composite:
    """Friction with a memory: bristles that bend by z, and slip.

        ż = v - (|v|/g(v)) σ0 z,   F = σ0 z + (σ1 exp(-(v/v_st)²) + σ2) v,   g(v) = F_c + (F_s - F_c) exp(-(v/v_st)²)

    Canudas de Wit, Olsson, Åström, Lischinsky (1995), in its passive form: the damping σ1 of the bristles acts on v,
    and fades where they slip. Energy σ0 z²/2; slip turns (|v|/g) (σ0 z)² into heat, the damping (σ1 ... + σ2) v².

    sigma0: stiffness of the bristles [N m/rad].   F_c, F_s: friction of sliding and of breaking loose [N m], F_s ≥ F_c.
    v_st: Stribeck's speed [rad/s].   sigma1, sigma2: damping of bristles, and viscous friction [N m s/rad].
    v_reg: |v| is √(v² + v_reg²) - v_reg, smooth at rest; default: a thousandth of v_st.
    of: the momentum that is rubbed off; units of a slide are N/m, N, m/s and N s/m.
    Ports: p, s (the heat).   State: z.
    """
    numbers = {
        "sigma0": finite_number(sigma0, "sigma0 of LuGre friction [N m/rad]", positive=True),
        "F_c": finite_number(F_c, "F_c of LuGre friction [N m]", positive=True),
        "v_st": finite_number(v_st, "v_st of LuGre friction [rad/s]", positive=True),
    }
    numbers["F_s"] = finite_number(F_s, "F_s of LuGre friction [N m]", minimum=F_c)
    small = 1e-3 * v_st if v_reg is None else v_reg
    slip = {key: numbers[key] for key in ("F_c", "F_s", "v_st")}
    slip["smooth"] = finite_number(small, "v_reg of LuGre friction [rad/s]", positive=True)
    damping = {
        "sigma1": finite_number(sigma1, "sigma1 of LuGre friction [N m s/rad]", minimum=0.0),
        "sigma2": finite_number(sigma2, "sigma2 of LuGre friction [N m s/rad]", minimum=0.0),
    }
    place = angle if of == angular_momentum else displacement

    def slipping(e: Any, theta: Any, F_c: Any, F_s: Any, v_st: Any, smooth: Any) -> Any:
        speed = np.sqrt(e.p**2 + smooth**2) - smooth
        rows = heating(speed / (F_c + (F_s - F_c) * np.exp(-((e.p / v_st) ** 2))), e.z, theta.s)
        return [[*row, 0] for row in rows] + [[0, 0, 0]]

    def rubbing(e: Any, theta: Any, sigma1: Any, sigma2: Any, v_st: Any) -> Any:
        return heating(sigma1 * np.exp(-((e.p / v_st) ** 2)) + sigma2, e.p, theta.s)

    bending = rotation.kinematic() if of == angular_momentum else translation.kinematic()
    boxes = {
        "bristles": storage({"z": place}, H=lambda x, sigma0: 0.5 * sigma0 * x.z**2, sigma0=numbers["sigma0"]),
        "bending": bending,
        "slip": irreversible({"z": place, "s": entropy, "p": of}, M=slipping, **slip),
    }
    junctions = {"z": ["bristles.z", "bending.q", "slip.z"], "p": ["bending.p", "slip.p"], "s": ["slip.s"]}
    if sigma1 or sigma2:
        boxes["damping"] = irreversible({"p": of, "s": entropy}, M=rubbing, **damping, v_st=numbers["v_st"])
        junctions["p"].append("damping.p")
        junctions["s"].append("damping.s")
    return compose("LuGre friction", boxes, junctions, outer=("p", "s"))


def backlash_gearbox(
    ratio: float, *, play: float, stiffness: float, loss: float = 0.0, friction: float = 0.0, width: float | None = None
) -> Composite:
    """A gear stage whose teeth have play: q̇ = ω_a - ratio ω_b, with a torque τ(q) of the teeth where |q| > play/2.

    Shaft a feels -τ, shaft b ratio·τ. The teeth store k δ²/2 of the indentation δ on either flank, as end stops do, see
    `stops`; their contact loses energy, and never pulls. Friction acts on shaft a. Both make heat.

    ratio: turns of a for one turn of b, not zero.   play: free angle at a [rad], positive.   stiffness: k at a
    [N m/rad], positive.   loss: β, damping of the contact over its stiffness [s/rad].   friction: [N m s/rad].
    width: over which contact sets in [rad]; default: a twentieth of the play.
    Ports: a, b (shafts), s (the heat).   State: q, the angle between the teeth.
    """
    if finite_number(ratio, "ratio of a gearbox") == 0:
        raise ModelError("a gearbox of ratio 0 would leave its shaft b free: give the turns of a for one of b.")
    play = finite_number(play, "play of a gearbox [rad]", positive=True)
    soft = finite_number(play / 20 if width is None else width, "width of a gearbox [rad]", positive=True)
    k = finite_number(stiffness, "stiffness of a gearbox [N m/rad]", positive=True)
    loss = finite_number(loss, "loss of a gearbox [s/rad]", minimum=0.0)
    friction = finite_number(friction, "friction of a gearbox [N m s/rad]", minimum=0.0)
    shafts = {"a": angular_momentum, "b": angular_momentum}

    def H(x: Any, k: Any, half: Any, width: Any) -> Any:
        return stop_energy(x.q, -half, half, k, width)

    def contact(x: Any, e: Any, theta: Any, k: Any, half: Any, width: Any, loss: Any, ratio: Any) -> Any:
        r = e.a - ratio * e.b
        mu = stop_resistance(stop_force(x.q - half, k, width), r, loss)
        mu = mu + stop_resistance(stop_force(-x.q - half, k, width), -r, loss)
        return _between(mu, r, theta.s, ratio)

    teeth = {"k": k, "half": 0.5 * play, "width": soft}
    boxes: dict[str, Any] = {
        "teeth": storage({"q": angle}, H=H, **teeth),
        "mesh": reversible(
            {"q": angle, **shafts}, J=lambda ratio: np.array([[0, 1, -ratio], [-1, 0, 0], [ratio, 0, 0]]), ratio=ratio
        ),
    }
    junctions = {"q": ["teeth.q", "mesh.q"], "a": ["mesh.a"], "b": ["mesh.b"]}
    if loss:
        ports = {"q": angle.state, **shafts, "s": entropy}
        boxes["contact"] = irreversible(ports, M=contact, **teeth, loss=loss, ratio=ratio)
        junctions["q"].append("contact.q")
        junctions["a"].append("contact.a")
        junctions["b"].append("contact.b")
    if friction:
        boxes["bearing"] = rotation.damper(friction)
        junctions["a"].append("bearing.p")
    hot = [f"{name}.s" for name in ("contact", "bearing") if name in boxes]
    return compose("gearbox", boxes, junctions | ({"s": hot} if hot else {}), outer=("a", "b", *(["s"] if hot else [])))


def hydraulic_cylinder(area_a: float, area_b: float, *, compliance: float, leak: float = 0.0) -> Composite:
    """A double-acting cylinder: pressures p_a and p_b push its rod with p_a A_a - p_b A_b.

    Each chamber holds an elastic volume V, p = V/C; the leak past the piston lets the flow (p_a - p_b) leak through and
    makes heat of it. Positive velocity makes room in chamber a.

    area_a, area_b: [m²], positive.   compliance: C of each chamber [m³/Pa].   leak: [m³/(s Pa)], at least 0.
    Ports: rod, a, b (inputs: flows into the chambers [m³/s]), s (the heat, with a leak).   States: a, b.
    """
    leak = finite_number(leak, "leak of a cylinder [m³/(s Pa)]", minimum=0.0)
    area_b = finite_number(area_b, "area_b of a cylinder [m²]", positive=True)
    boxes: dict[str, Any] = {
        "chamber_a": hydraulic.compliance(compliance),
        "chamber_b": hydraulic.compliance(compliance),
        "piston_a": hydraulic.cylinder(area_a),
        "piston_b": reversible({"V": volume, "p": momentum}, J=lambda A: np.array([[0, A], [-A, 0]]), A=area_b),
    }
    junctions = {
        "a": ["chamber_a.V", "piston_a.V"],
        "b": ["chamber_b.V", "piston_b.V"],
        "rod": ["piston_a.p", "piston_b.p"],
    }
    if leak:
        boxes["gap"] = irreversible(
            {"a": volume, "b": volume, "s": entropy},
            M=lambda e, theta, leak: _between(leak, e.a - e.b, theta.s, 1),
            leak=leak,
        )
        junctions["a"].append("gap.a")
        junctions["b"].append("gap.b")
        junctions["s"] = ["gap.s"]
    return compose("cylinder", boxes, junctions, outer=("rod", "a", "b", *(["s"] if leak else [])))


def thermal_motor(
    resistance: float,
    inductance: float,
    K: float,
    *,
    capacity: float,
    conductance: float,
    alpha: float = 0.0039,
    theta_ref: float = 300.0,
) -> Composite:
    """A direct-current motor whose winding gets warm and resists more, R (1 + α (θ - θ_ref)), so that it gives less.

    The winding has a heat capacity and hands its heat on to the port s, a housing.

    resistance: R at theta_ref [Ω].   inductance: [H].   K: [N m/A].   capacity: of the winding [J/K].   conductance: to
    the port s [W/K].   alpha: α [1/K], that of copper.   theta_ref: [K], where the entropy of the winding is zero.
    Ports: shaft, supply (input: voltage [V]), s (the heat).   States: supply (its flux linkage), winding (entropy).
    """
    R = finite_number(resistance, "resistance of a motor [Ω]", positive=True)
    alpha = finite_number(alpha, "alpha of a motor [1/K]", minimum=0.0)

    def M(e: Any, theta: Any, R: Any, alpha: Any, theta_ref: Any) -> Any:
        return heating(R * (1 + alpha * (theta.s - theta_ref)), e.phi, theta.s)

    boxes = {
        "coil": electric.inductor(inductance),
        "wire": irreversible({"phi": flux, "s": entropy}, M=M, R=R, alpha=alpha, theta_ref=theta_ref),
        "emf": electric.motor(K),
        "winding": thermal.capacity(capacity, theta_ref),
        "insulation": thermal.conduction(conductance),
    }
    junctions = {
        "supply": ("coil.phi", "wire.phi", "emf.phi"),
        "shaft": ("emf.p",),
        "winding": ("wire.s", "winding.s", "insulation.s1"),
        "s": ("insulation.s2",),
    }
    motor = compose("motor", boxes, junctions, outer=("supply", "shaft", "s"))
    return starting(motor, {"supply": 0.0, "winding": 0.0})


def gas_spring(
    area: float, *, volume: float, pressure: float, temperature: float = 300.0, conductance: float = 1.0, side: int = 1
) -> Composite:
    """A cylinder with an ideal gas that pushes its rod, gets warm when compressed, and hands heat on through its wall.

    area: of the piston [m²].   volume, pressure, temperature: at the start [m³, Pa, K].   conductance: of the wall
    [W/K].   side: 1 where a positive velocity expands the gas, -1 where it compresses it.
    Ports: rod, s (the wall).   State: gas, (entropy, volume), see `gas.IdealGas`.
    """
    numbers = {
        "volume": finite_number(volume, "volume of a gas spring [m³]", positive=True),
        "pressure": finite_number(pressure, "pressure of a gas spring [Pa]", positive=True),
        "temperature": finite_number(temperature, "temperature of a gas spring [K]", positive=True),
    }
    n = numbers["pressure"] * numbers["volume"] / (gas.R * numbers["temperature"])
    filling = gas.IdealGas(n, theta_ref=numbers["temperature"], V_ref=numbers["volume"])
    boxes = {"filling": filling.system(), "piston": gas.piston(area, side), "wall": thermal.conduction(conductance)}
    junctions = {
        "gas": ("filling.gas", "piston.gas"),
        "inside": ("filling.s", "wall.s1"),
        "rod": ("piston.p",),
        "s": ("wall.s2",),
    }
    spring = compose("gas spring", boxes, junctions, outer=("rod", "s"))
    return starting(spring, filling.initial("filling", "gas", numbers["temperature"], numbers["volume"]))


def drag(D: ArrayLike) -> Composite:
    """Viscous forces D e against three or six rates e: of the spin of a ball or of a point, or of a twist (ω; v).

    D: symmetric, positive semidefinite, (3, 3) or (6, 6), or its diagonal.   Ports: p, s (the heat).
    """
    matrix = finite_array(D, "D of a drag")
    k = len(matrix) if matrix.ndim else 1
    if k not in MOMENTA:
        raise ModelError(f"D of a drag must be (3, 3) or (6, 6), or a diagonal of 3 or 6; got shape {matrix.shape}.")
    matrix = semidefinite(symmetric(matrix, k, "D of a drag"), "D of a drag")
    return compose("drag", {"d": viscous({"p": MOMENTA[k]}, matrix)}, {"p": ("d.p",), "s": ("d.s",)}, outer=("p", "s"))


def added_mass(M: ArrayLike) -> Composite:
    """The fluid around a body that has to move along: its momenta P = (L; p) = M V in axes of the body, V = (ω; v).

        Ṗ = [[L̂, p̂], [p̂, 0]] V + F,   H = ½ P·M⁻¹ P,   the wrench of the fluid on the body is -F

    Kirchhoff's equations; Lamb, Hydrodynamics, §124. It sits in axes of the body: m.box("water", ..., {"p": ("hull",
    "body")}), and moves with it from the start.

    M: symmetric, positive definite, (6, 6), or its diagonal [kg m², kg m, kg].   Port: p.   State: p.
    """
    matrix = symmetric(M, 6, "M of an added mass")
    lowest = float(np.linalg.eigvalsh(matrix).min())
    if not lowest > 0:
        raise ModelError(f"M of an added mass must be positive definite; its smallest eigenvalue is {lowest:.6g}.")
    inverse = np.linalg.inv(matrix)

    def carried(x: Any) -> Any:
        L, p = hat(x.p[:3]), hat(x.p[3:])
        return np.block([[L, p], [p, np.zeros((3, 3))]])

    boxes = {
        "fluid": storage({"p": momentum6}, H=lambda x: 0.5 * (x.p @ (inverse @ x.p))),
        "turning": reversible({"p": momentum6}, J=carried),
    }
    return compose("added mass", boxes, {"p": ("fluid.p", "turning.p")}, outer=("p",))


def _between(mu: Any, r: Any, theta: Any, ratio: Any) -> list[list[Any]]:
    """M over two ports a, b and an entropy port: a resistance μ against r = e_a - ratio e_b, see `onsager.heating`."""
    n = ratio
    return [
        [mu * theta, -n * mu * theta, -mu * r],
        [-n * mu * theta, n**2 * mu * theta, n * mu * r],
        [-mu * r, n * mu * r, mu * r**2 / theta],
    ]

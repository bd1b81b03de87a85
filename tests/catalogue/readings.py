"""Every reading of a mechanism, as a function that compares it with the Model at one generic state.

A reading raises an AssertionError where it disagrees and a VisvivaError where it refuses.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from parts import Sample, sample
from scipy.linalg import block_diag

import visviva as vv
from visviva.geometry import SO3
from visviva.linear.mechanism_names import increment_names
from visviva.mechanism import Motion

READINGS: dict[str, Callable[[Sample], None]] = {}
H = 2e-4  # [s] of steps from which accelerations are taken


def reading(name: str):
    def register(check):
        READINGS[name] = check
        return check

    return register


# -- the state, and what the Model says there --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Instant:
    """A consistent state in no special pose, with what the Model in Lie form has there.

    q, xi, s, motion: the same state in minimal velocities, and for mechanisms.   heat, power: [W] lost, and supplied.
    v_dot, s_dot:     rates of velocities, and of fluxes, entropies and angles.
    """

    form: Any
    q: Any
    xi: Any
    s: Any
    x: Any
    u: Any
    u_dot: Any
    motion: Motion
    v_dot: Any
    H: float
    heat: float
    power: float
    s_dot: Any

    @property
    def model(self) -> vv.Model:
        return self.form.model

    @property
    def scale(self) -> float:
        return float(np.abs(self.v_dot).max())

    @property
    def xi_dot(self) -> Any:
        """Accelerations of the Model in minimal velocities: V̇ = S ξ̇ + Ṡ ξ."""
        point = self.form.at(self.q, self.xi, self.s)
        return np.linalg.lstsq(point.S, self.v_dot - point.S_dot @ self.xi, rcond=None)[0]


@cache
def instant(given: Sample) -> Instant:
    form = vv.analytical(given.mechanism, inputs=given.inputs)
    rng = np.random.default_rng(7)
    eps, xi = (size * rng.uniform(0.5, 1.5, form.n) * rng.choice([-1, 1], form.n) for size in (0.1, 0.5))
    q, _, s = form.initial
    q, xi, s = form.projected(0.0, form.advance_q(q, eps), xi, s)
    for _ in range(2):  # to rounding: the first step of a run would count what is left of constraints as work
        point = form.at(q, xi, s)
        q = form.advance_q(q, -np.linalg.lstsq(point.Z, form.open.g(point.x), rcond=1e-9)[0])
    q, xi, s = form.projected(0.0, q, xi, s)
    x, model = form.x(q, xi, s), form.model
    u, u_dot = form.inputs_at(0.0, form.at(q, xi, s))
    assert np.abs(model.g(x)).max(initial=0.0) <= 1e-14
    assert np.abs(model.g_v(x, u)).max(initial=0.0) <= 1e-12
    found = model.accelerations(x, u=u, u_dot=u_dot)
    z = model.z(x, found.w)
    flow = model.flow(x, z, u)
    return Instant(
        form, q, xi, s, x, u, u_dot, form.motion(q, xi, s),
        found.v_dot, float(model.H(x)), float(model.heats(x, z).sum()), float(model.outputs(x, z) @ u),
        np.concatenate([np.zeros(0), *(flow[model.layout.z[name]] for name in form.states.s)]),
    )  # fmt: skip


def close(ours, theirs, what, size=0.0, accuracy=1e-9):
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-3, size)
    assert_allclose(ours, theirs, rtol=0, atol=accuracy * scale, err_msg=what)


# -- integrators -------------------------------------------------------------------------------------------------------

SCHEMES = {"PHMP": vv.PHMP, "PHMPGGL": vv.PHMPGGL, "LieMidpoint": vv.LieMidpoint}


def simulated(given: Sample, t_end: float, h: float, **options):
    """A run, without warnings: what they would say is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return vv.simulate(given.mechanism, t_end, h, inputs=given.inputs, **options)


@cache
def run_of(given: Sample, scheme: str, compiled: bool, h: float = 1e-2, steps: int = 3):
    run = simulated(given, steps * h, h, integrator=SCHEMES[scheme](compiled=compiled), initial=instant(given).motion)
    if compiled and run.engine != "compiled":
        raise vv.ModelError("; ".join(run.notes))
    return run


def at_the_start(values, h):
    """The rate at the first of four values, by a difference of third order."""
    return (-11 * values[0] + 18 * values[1] - 9 * values[2] + 2 * values[3]) / (6 * h)


def gap_of(given: Sample, scheme: str, h: float) -> float:
    """How far accelerations, heat and work of a run at its start are from those of the Model, relatively.

    Where a drive prescribes rates, what errors of single steps do to its force cancels in pairs of them.
    """
    now, pairs = instant(given), 2 if any(part.law for part in given.mechanism.conditions) else 1
    run = run_of(given, scheme, False, h, 3 * pairs)
    audit, span, size = run.audit(), pairs * h, max(abs(now.heat), abs(now.power), 1.0)
    assert audit.first_law <= 1e-13
    assert audit.g <= 1e-12
    V_dot = at_the_start(run.motion.tangent_velocities[::pairs], span)
    heat, work = (at_the_start(run[name][::pairs], span) for name in ("heat", "work"))
    return max(np.abs(V_dot - now.v_dot).max() / now.scale, abs(heat - now.heat) / size, abs(work - now.power) / size)


def in_numpy(scheme: str):
    def check(given: Sample) -> None:
        coarse, fine = (gap_of(given, scheme, h) for h in (2 * H, H))
        assert fine <= 1e-5
        assert coarse / fine >= 3.5  # order 2

    return check


def compiled(scheme: str):
    def check(given: Sample) -> None:
        fast, plain = (run_of(given, scheme, flag) for flag in (True, False))
        audit = fast.audit()
        assert audit.first_law <= 1e-13
        assert audit.g <= 1e-12
        scale = np.maximum(np.abs(plain.record.x).max(0), 1.0)
        assert_allclose(fast.record.x / scale, plain.record.x / scale, rtol=0, atol=1e-11)
        for name in ("heat", "work", "energy"):
            assert_allclose(fast[name], plain[name], rtol=1e-9, atol=1e-12 * max(1.0, plain.energy_unit), err_msg=name)

    return check


for _scheme in SCHEMES:
    READINGS[f"{_scheme} in NumPy"] = in_numpy(_scheme)
    READINGS[f"{_scheme} compiled"] = compiled(_scheme)


@reading("continuation")
def continuation(given: Sample) -> None:
    """A run to the middle and on from there is the whole run, bit for bit."""
    whole = run_of(given, "PHMP", True, steps=6)
    half = run_of(given, "PHMP", True)
    rest = simulated(given, 6e-2, 1e-2, initial=half.final)
    assert_array_equal(rest.final.x, whole.final.x)
    assert_array_equal(rest.final.w, whole.final.w)


# -- equations ---------------------------------------------------------------------------------------------------------


@reading("directors")
def directors(given: Sample) -> None:
    """The Model in directors: v = N(q) V, hence v̇ = N V̇ + Ṅ V."""
    now, model = instant(given), vv.compile(given.mechanism, "directors")
    x, expected = np.zeros(model.layout.size), []
    for variable in model.variables:
        if variable.name not in model.kinetic:
            x[model.layout.x[variable.name]] = now.x[now.model.layout.x[variable.name]]
    for body, V_dot in zip(given.mechanism.bodies, split_by_body(now, now.v_dot), strict=True):
        q, V, space = now.motion.q[body.name], now.motion.V[body.name], now.model.spaces[f"{body.name}.q"]
        x[model.layout.x[f"{body.name}.v"]] = space.lift(q) @ V
        turned = slope(lambda h, q=q, V=V, space=space: space.lift(space.retract(q, h * V)) @ V)
        expected.append(space.lift(q) @ V_dot + turned)
    close(model.accelerations(x, u=now.u, u_dot=now.u_dot).v_dot, np.concatenate(expected), "accelerations")
    close(float(model.H(x)), now.H, "energy", 1.0, 1e-11)


@reading("minimal velocities")
def minimal(given: Sample) -> None:
    now = instant(given)
    check_form(given, "minimal")
    if not given.mechanism.thermals:  # there energy and exergy differ
        close(now.form.energy(now.q, now.xi, now.s), now.H, "energy", 1.0, 1e-11)
        close(now.form.power(0.0, now.q, now.xi, now.s), now.power - now.heat, "power", 1.0)


def check_form(given: Sample, kind: str) -> None:
    now = instant(given)
    form = vv.analytical(given.mechanism, kind, inputs=given.inputs)
    found = form.solve(form.at(now.q, now.xi, now.s), now.u, now.u_dot)
    close(found.V_dot, now.v_dot, "accelerations")
    close(found.s_dot, now.s_dot, "other states", 1.0)


@reading("Hamel's form")
def hamel(given: Sample) -> None:
    check_form(given, "hamel")


@reading("Kane's velocities")
def kane(given: Sample) -> None:
    check_form(given, "kane-velocity")


@reading("partially Lagrangian")
def partially(given: Sample) -> None:
    check_form(given, "partially-lagrangian")


@reading("Kane's momenta")
def momenta(given: Sample) -> None:
    """ṗ = d(M ξ)/dt = M ξ̇ + Ṁ ξ."""
    now = instant(given)
    form = vv.analytical(given.mechanism, "kane-momentum", inputs=given.inputs)
    p_dot, s_dot = form.rates(0.0, now.q, form.momenta(now.q, now.xi), now.s)
    point = now.form.at(now.q, now.xi, now.s)
    size = np.abs(point.M @ now.xi_dot).max() + np.abs(point.force(now.u)).max()
    close(p_dot, point.M @ now.xi_dot + point.kane.A_dot @ now.xi, "momenta", size)
    close(s_dot, now.s_dot, "other states", 1.0)


@reading("symbols")
def symbols(given: Sample) -> None:
    now = instant(given)
    e = vv.symbols(given.mechanism)
    point = now.form.at(now.q, now.xi, now.s)
    ports = sum(port.width for port in given.mechanism.ports)
    drives = [e.names[symbol] for symbol in e.u[ports::2]]
    laws = [now.form.inputs.laws[name] for name in drives]
    u = np.concatenate([now.u[:ports], *((law.rate(0.0), law.acceleration(0.0)) for law in laws)])
    found = point.S @ e.accelerations(now.q, now.xi, now.s, u) + point.S_dot @ now.xi
    close(found, now.v_dot, "accelerations")
    T, V, s_dot = e.function("T", "V", "s_dot")(now.q, now.xi, now.s, u, 0.0)
    heat = sum(node.capacity * node.temperature for node in given.mechanism.thermals)  # its differences round
    close(T + V, now.H, "energy", 1.0 + heat, 1e-11)
    close(s_dot, now.s_dot, "other states", 1.0)


@reading("bond graph")
def bond_graph(given: Sample) -> None:
    now = instant(given)
    form = now.form
    flow = vv.bond_graph(given.mechanism, inputs=given.inputs).flow()
    states = dict(zip((*form.q_names, *form.xi_names, *form.s_names), (*now.q, *now.xi, *now.s), strict=True))
    for variable in form.model.variables:
        values = now.x[form.model.layout.x[variable.name]]
        names = [variable.name] if len(values) == 1 else [f"{variable.name}[{k}]" for k in range(len(values))]
        states = dict(zip(names, values, strict=True)) | states
    y, t = np.array([states[name] for name in flow.plan.independent]), np.zeros(1)
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, t)[0], strict=True))
    rates = np.concatenate([form.q_dot(now.q, now.xi), now.xi_dot, now.s_dot])
    expected = dict(zip((*form.q_names, *form.xi_names, *form.s_names), rates, strict=True))
    shown = [name for name in expected if name in found]
    assert {*form.q_names} <= {*shown}
    close([found[name] for name in shown], [expected[name] for name in shown], "rates", np.abs(rates).max())
    if not given.mechanism.thermals:  # there the energy of the graph is no exergy
        close(flow.energy(np.zeros(0), y, t), now.H, "energy", 1.0, 1e-10)
        close(flow.power(0.0, np.zeros(0), y, t), now.power - now.heat, "power", 1.0)


def increments(form, q0, q):
    """ε with q = q0 advanced by ε."""
    found = np.zeros(form.n)
    for link, place in zip(form.tree.links, form.spanning.places, strict=True):
        a, b = q0[place.q], q[place.q]
        if link.kind in ("ball", "free"):
            R0, R = (SO3.from_quat(one[-4:]).R for one in (a, b))
            turn = SO3(R0.T @ R).log()
            found[place.xi] = np.concatenate([turn, R0.T @ (b[:3] - a[:3])]) if link.kind == "free" else turn
        else:
            found[place.xi] = b - a
    return found


def slope(f, h=2e-4):
    """Derivative at zero, by a central difference of order four."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


@reading("linearisation")
def linearisation(given: Sample) -> None:
    """A and B against differences of the accelerations, between states that satisfy all constraints."""
    now = instant(given)
    form, rng = now.form, np.random.default_rng(4)
    lin = vv.linearise(given.mechanism, (now.q, now.xi, now.s), operating=given.inputs, residual_ok=True)
    p = [increment_names(form).index(name) for name in lin.states if name in increment_names(form)]
    eta = [form.xi_names.index(name) for name in lin.states if name in form.xi_names]
    kept = [form.s_names.index(name) for name in lin.states if name in form.s_names]
    eps, zeta, sigma = rng.normal(size=form.n), rng.normal(size=form.n), 1e-2 * rng.normal(size=len(kept))

    def there(h):
        s = now.s.copy()
        s[kept] += h * sigma
        return form.projected(0.0, form.advance_q(now.q, h * eps), now.xi + h * zeta, s)

    def states(h):
        q, xi, s = there(h)
        return np.concatenate([increments(form, now.q, q)[p], xi[eta], s[kept]])

    def rates(h):
        xi_dot, s_dot = form.rates(0.0, *there(h))
        return np.concatenate([xi_dot[eta], s_dot[kept]])

    close(lin.A[len(p) :] @ slope(states), slope(rates), "A", np.abs(lin.A).max(), 1e-6)
    ports = [port for port in form.open.ports if port.name in {name.partition("[")[0] for name in lin.inputs}]
    columns = [k for port in ports for k in range(*form.open.port_columns[port.name].indices(len(now.u)))]
    assert len(columns) == len(lin.inputs)
    for j, column in enumerate(columns):
        unit = np.eye(len(now.u))[column]
        ahead, behind = (form.solve(form.at(now.q, now.xi, now.s), now.u + k * unit, now.u_dot) for k in (0.5, -0.5))
        expected = np.concatenate([(ahead.xi_dot - behind.xi_dot)[eta], (ahead.s_dot - behind.s_dot)[kept]])
        close(lin.B[len(p) :, j], expected, "B", 1.0, 1e-8)


@reading("equilibrium")
def equilibrium(given: Sample) -> None:
    """At rest where it was found, without inputs and currents, the Model has no accelerations."""
    m = sample(given.joint, given.element, held=True).mechanism
    found, model = vv.equilibrium(m), vv.compile(m)
    form = vv.analytical(m)
    start = form.x(*form.initial)  # of what no pose decides: temperatures, offsets of couplings
    values = {name: start[at] for name, at in model.layout.x.items() if name not in model.measured}
    values |= {f"{name}.q": q for name, q in found.motion.q.items()}
    values |= {f"{name}.v": 0.0 * V for name, V in found.motion.V.items()}
    x = model.pack(values | {f"{motor.name}.flux": np.zeros(1) for motor in m.motors})
    assert np.abs(model.g(x)).max(initial=0.0) <= 1e-12
    assert np.abs(model.accelerations(x).v_dot).max() <= 1e-6
    if not m.thermals:
        close(found.energy, float(model.H(x)), "energy", 1.0)


# -- structure ---------------------------------------------------------------------------------------------------------


@reading("implicit system")
def implicit(given: Sample) -> None:
    """Rates, efforts and flows of the Model satisfy the implicit port-Hamiltonian system, and its power balance."""
    now = instant(given)
    network = given.mechanism.kinestatics(now.motion)
    system = network.implicit()
    reactions = now.form.reactions(now.q, now.xi, now.s)
    inputs = given.inputs | {part.name: reactions[part.name] for part in given.mechanism.conditions if part.law}
    V_dot = dict(zip((body.name for body in given.mechanism.bodies), split_by_body(now, now.v_dot), strict=True))
    x_dot, dH = network.x_dot(V_dot, inputs), network.dH()
    f, e = network.flows(), network.efforts(inputs)
    size = max(np.abs(part).max(initial=0.0) for part in (*x_dot.values(), *dH.values(), *f.values(), *e.values()))
    assert np.abs(system.residual(x_dot, dH, f, e)).max() <= 1e-11 * size
    stored = sum(dH[name] @ x_dot[name] for name in system.states)
    close(stored, sum(e[name] @ f[name] for name in system.ports), "power", size)


def split_by_body(now: Instant, values):
    widths = [len(now.motion.V[body.name]) for body in now.form.mechanism.bodies]
    return np.split(values, np.cumsum(widths)[:-1])


def world_twists(now: Instant):
    """Twists of all bodies in the world at its origin over the velocities of the Model, (6 or 3 per body, m)."""
    blocks = []
    for body in now.form.mechanism.bodies:
        q = now.motion.q[body.name]
        if len(q) == 3:
            blocks.append(np.eye(3))
            continue
        R, r = q[3:].reshape(3, 3).T, q[:3]
        hat = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        blocks.append(np.block([[R, np.zeros((3, 3))], [hat @ R, np.eye(3)]]))
    return block_diag(*blocks)


def admissible(now: Instant):
    """Orthonormal basis of the velocities that the rows of the Model allow, drives at rest."""
    C = now.model.C(now.x)[:, now.form.at_z]
    if not len(C):
        return np.eye(C.shape[1])
    _, sizes, Vt = np.linalg.svd(C)
    return Vt[int((sizes > 1e-9 * sizes[0]).sum()) :].T


@reading("kinestatics")
def kinestatics(given: Sample) -> None:
    """The twists that the network allows are those of the null space of the Model's constraint rows."""
    now = instant(given)
    network = vv.kinestatics(given.mechanism, now.motion)
    N = admissible(now)
    assert network.mobility() == N.shape[1]
    G = network.kinestatics.constraints()
    assert np.abs(G @ world_twists(now) @ N).max(initial=0.0) <= 1e-10
    assert network.rank() == len(N) - N.shape[1]


@reading("interconnection")
def interconnection(given: Sample) -> None:
    """The velocities that ports admit, and those that pairs admit, are those of the Model."""
    now = instant(given)
    joined = given.mechanism.interconnection(now.motion)
    N = admissible(now)
    spaces = (now.model.spaces[f"{body.name}.q"] for body in given.mechanism.bodies)
    lifts = [space.lift(q) for space, q in zip(spaces, now.motion.q.values(), strict=True)]
    Q = np.linalg.qr(block_diag(*lifts) @ N)[0]
    for found in (joined.admissible(), joined.admissible_by_pairs()):
        assert found.shape == Q.shape
        assert np.abs(found @ found.T - Q @ Q.T).max(initial=0.0) <= 1e-9


@reading("composite")
def composite(given: Sample) -> None:
    """Momenta of the composite change as those of the Model; energy, heat and work are the same."""
    now = instant(given)
    model = vv.compile(given.mechanism.system())
    x = model.pack(given.mechanism.system_state(now.motion))
    u = np.concatenate([np.zeros(0), *(np.atleast_1d(given.inputs[port.name]) for port in model.ports)])
    xi, z = rates_of(model, x, u)
    close(float(model.H(x)), now.H, "energy", 1.0, 1e-11)
    close(float(model.heats(x, z).sum()), now.heat, "heat", 1.0)
    close(float(model.outputs(x, z) @ u), now.power, "work", 1.0)
    masses = split_by_body(now, now.form.masses * now.v_dot)
    for body, p_dot in zip(given.mechanism.bodies, masses, strict=True):
        if body.mass:
            close(xi[model.layout.z[f"p_{body.name}"]], p_dot, f"momentum of {body.name}", now.scale, 1e-7)


def rates_of(model: vv.Model, x, u):
    """ξ and z of a Model with junctions: its rows C(x) (e, w) = 0 hold, and go on to hold.

    E ξ = f - C_eᵀλ,   0 = f_w - C_wᵀλ,   d/dt (C_e e + C_w w) = 0
    """
    dim, solved = model.layout.dim, model.layout.solved
    z, C = np.array(model.z(x)), model.C(x)
    m = C.shape[1]
    z[dim:m] = np.linalg.lstsq(C[:, dim:], -C[:, :dim] @ z[:dim], rcond=None)[0]
    assert np.abs(C @ z[:m]).max(initial=0.0) <= 1e-10
    f, inverse = model.flow(x, z, u), np.linalg.inv(model.E(x)[:dim, :dim])

    def rows(h):
        """At the states next to x, along each of its increments."""
        moved = model.retract(np.tile(x, (dim, 1)), h * np.eye(dim))
        efforts = np.concatenate([model.z(moved)[:, :dim], np.tile(z[dim:m], (dim, 1))], axis=1)
        return np.einsum("kij,kj->ik", model.C(moved), efforts)

    A = slope(rows)
    zeros = np.zeros((m - dim, m - dim))
    K = np.block([[A @ inverse @ C[:, :dim].T, -C[:, dim:]], [C[:, dim:].T, zeros]])
    found = np.linalg.lstsq(K, np.concatenate([A @ inverse @ f[:dim], f[dim:m]]), rcond=1e-11)[0]
    z[m:solved] = found[: len(C)]
    return inverse @ model.flow(x, z, u)[:dim], z

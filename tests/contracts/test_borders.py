"""Arrays belong to who made them: what a user writes into an array after having passed it on changes nothing, and
what is read from a model or a run cannot be written to, or is a copy.
"""

import numpy as np
import pytest

import visviva as vv
from visviva.bonds import I, R, Se, one
from visviva.compiler import initial_x
from visviva.forms import (
    Acceleration,
    Damping,
    Link,
    Loop,
    Moments,
    Parameterisation,
    ParticleSystem,
    Pfaffian,
    RigidSystem,
    Stiffness,
    Tie,
    Tree,
    TreeDynamics,
    coordinates,
)
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.springs import ChordEnergy, LineEnergy, LogarithmEnergy, Spring
from visviva.geometry import SE2, SE3, SO3, Momentum, Twist, Wrench
from visviva.geometry.embedding import Flat
from visviva.geometry.screws import Screw
from visviva.language import Quantity, compose, reversible, starting, storage
from visviva.mechanism import assemble
from visviva.model import Dissipation, Kinetic, Linear, Model, Port, QuadraticEnergy, Routing, Rows, Variable
from visviva.structure import Dirac, Onsager

TURN = SO3.exp((0.1, -0.2, 0.3)).R
POSE = SE3.exp((0.1, -0.2, 0.3, 0.4, 0.5, 0.6))
POINT, AXIS = np.array([0.3, 0.1, -0.2]), np.array([0.0, 1.0, 0.0])


def observed(model):
    """All that a model is at its start."""
    x = initial_x(model, assemble(model.definition)[0]) if model.definition is not None else model.pack(model.start)
    z = model.z(x)
    return np.concatenate([np.ravel(part) for part in (x, z, model.H(x), model.E(x), model.J(x), model.R(x, z),
                                                      model.B(x), model.g(x), model.theta0)])  # fmt: skip


# -- mechanisms: what is given to a method of the builder --------------------------------------------------------------


def two_bodies(**given):
    m = vv.Mechanism(gravity=given.pop("gravity", (0, 0, -9.81)))
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25))
    m.body("b", mass=2.0, inertia=(0.3, 0.3, 0.4), at=(1.0, 0.2, 0.0), twist=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    m.free("rail", "ground", "a")
    return m


def with_joint(method, **more):
    def build(**given):
        m = two_bodies()
        getattr(m, method)("part", "a", "b", **more, **given)
        return m

    return build


def with_body(**given):
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    body = m.body("a", mass=1.0, **({"inertia": (0.1, 0.2, 0.25)} | given))
    m.frame("tip", body, at=(1, 0, 0))
    m.spring("s", m.ground, "tip", k=3.0, at_a=(0, 0, 3.0))
    return m


def with_frame(**given):
    m = two_bodies()
    m.frame("tip", "b", **given)
    m.spring("s", "ground", "tip", k=3.0, length=0.5, at_a=(0, 0, 3.0))
    m.bushing("rubber", "a", "tip", K=np.ones(6))
    return m


def with_particle(**given):
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.particle("p", mass=1.0, **given)
    m.spring("s", m.ground, "p", k=3.0, at_a=(0, 0, 3.0))
    return m


def with_stream(**given):
    m = two_bodies()
    m.free("other", "ground", "b")
    m.stream("wind", **given)
    m.damper("drag", "wind", "b", D=np.eye(4))
    return m


def with_port(**given):
    m = two_bodies()
    m.revolute("hinge", "a", "b", at=given["at"], axis=given["axis"])
    m.torque("motor", "hinge")
    return m


def rolling(method, **more):
    def build(**given):
        m = vv.Mechanism(gravity=(0, 0, -9.81))
        m.body("b", mass=2.0, inertia=(0.3, 0.3, 0.4), at=(0, 0, 0.5))
        getattr(m, method)("part", "ground", "b", **more, **given)
        return m

    return build


MECHANISMS = {
    "gravity": (two_bodies, {"gravity": POINT}),
    "body": (
        with_body,
        {"at": POINT, "rotation": TURN, "com": POINT, "inertia": np.diag([0.1, 0.2, 0.25]), "twist": np.ones(6)},
    ),
    "body with principal moments": (with_body, {"inertia": np.array([0.1, 0.2, 0.25])}),
    "particle": (with_particle, {"at": POINT, "velocity": AXIS}),
    "frame": (with_frame, {"at": POINT, "rotation": TURN}),
    "stream": (with_stream, {"twist": np.ones(6)}),
    "torque": (with_port, {"at": POINT, "axis": AXIS}),
    "fixed": (with_joint("fixed"), {"at": POINT}),
    "revolute": (with_joint("revolute", friction=0.3), {"at": POINT, "axis": AXIS}),
    "prismatic": (with_joint("prismatic", friction=0.3), {"at": POINT, "axis": AXIS}),
    "cylindrical": (with_joint("cylindrical"), {"at": POINT, "axis": AXIS, "friction": np.array([0.1, 0.2])}),
    "cylindrical with rates": (with_joint("cylindrical"), {"at": POINT, "axis": AXIS, "rate": np.array([0.1, 0.2])}),
    "screw": (with_joint("screw", pitch=0.1), {"at": POINT, "axis": AXIS}),
    "universal": (with_joint("universal"), {"at": POINT, "axes": np.array([[0.0, 1, 0], [0, 0, 1]])}),
    "spherical": (with_joint("spherical"), {"at": POINT}),
    "planar": (with_joint("planar"), {"at": POINT, "normal": AXIS}),
    "distance": (with_joint("distance"), {"at_a": POINT, "at_b": POINT + 1.0}),
    "point_on_plane": (with_joint("point_on_plane"), {"at": POINT, "normal": AXIS}),
    "point_on_line": (with_joint("point_on_line"), {"at": POINT, "axis": AXIS}),
    "spring": (with_joint("spring", k=2.0, length=0.4, damping=0.1), {"at_a": POINT, "at_b": POINT + 1.0}),
    "point_springs": (
        with_joint("point_springs"),
        {"k": np.array([1.0, 2.0]), "at_parent": np.eye(3)[:2], "at_child": np.ones((2, 3)), "damping": np.ones(2)},
    ),
    "bushing": (with_joint("bushing"), {"K": np.eye(6), "D": np.ones(6), "at": POINT, "rotation": TURN}),
    "trace_spring": (
        with_joint("trace_spring", rest=None),
        {"G": np.eye(3), "K": np.ones(3), "at": POINT, "rotation": TURN},
    ),
    "stiffness": (with_joint("stiffness"), {"K": np.eye(4), "at": POINT, "rotation": TURN}),
    "pose_spring": (
        with_joint("pose_spring", energy=lambda R, p: p @ p - R[2, 2]),
        {"D": np.eye(6), "at": POINT, "rotation": TURN},
    ),
    "damper": (with_joint("damper"), {"d": np.array([1.0, 2.0]), "points": np.eye(3)[:2]}),
    "damper by moments": (with_joint("damper"), {"D": np.eye(4), "at": POINT, "rotation": TURN}),
    "knife_edge": (rolling("knife_edge"), {"at": POINT, "direction": AXIS}),
    "rolling_disc": (
        rolling("rolling_disc", radius=0.5),
        {"axis": AXIS, "at": np.array([0, 0, 0.5]), "normal": np.array([0.0, 0, 1]), "point": np.zeros(3)},
    ),
}


def fresh(given):
    return {name: np.array(value, dtype=float) for name, value in given.items()}


def spoil(arrays):
    for array in arrays.values():
        array += 0.25 + np.arange(array.size).reshape(array.shape)


@pytest.mark.parametrize(("build", "given"), MECHANISMS.values(), ids=MECHANISMS)
def test_a_mechanism_keeps_what_it_was_given(build, given):
    arrays = fresh(given)
    m = build(**arrays)
    model = vv.compile(m)
    spoil(arrays)
    wanted = observed(vv.compile(build(**fresh(given))))
    np.testing.assert_array_equal(observed(vv.compile(m)), wanted)
    np.testing.assert_array_equal(observed(model), wanted)


def test_a_place_that_is_moved_on_places_every_body_where_it_was():
    m, at = vv.Mechanism(), np.zeros(3)
    for k in range(3):
        m.particle(f"p{k}", mass=1.0, at=at)
        at += (1, 0, 0)
    assert [part.r_W[0] for part in m.bodies] == [0, 1, 2]


# -- everything else: what is made of the arrays, and how it is seen ---------------------------------------------------


def value(make, see):
    """What is seen later of what is made now."""

    def made(**given):
        thing = make(**given)
        return lambda: see(thing)

    return made


def oscillator(J, start):
    q, p = Quantity("R", "displacement"), Quantity("R", "momentum")
    boxes = {
        "spring": storage({"q": q}, H=lambda x, k: 0.5 * k * x.q**2, k=2.0),
        "mass": storage({"p": p}, H=lambda x, m: x.p**2 / (2 * m), m=1.0),
        "link": reversible({"q": q, "p": p}, J=J),
    }
    system = compose("osc", boxes, junctions={"q": ("spring.q", "link.q"), "p": ("mass.p", "link.p")})
    system = starting(system, {"q": start, "p": start})
    return lambda: observed(vv.compile(system))


def model_by_hand(M, K, c, J, R, B, C, start):
    storages = Kinetic("T", "v", M), QuadraticEnergy("V", "q", K), Linear("G", "q", c)
    structures = (
        Routing("J", ("q", "v"), J),
        Dissipation("R", ("v",), R),
        Port("u", ("v",), 1, B),
        Rows("C", ("v",), 1, C),
    )
    plane = Variable("q", Flat(2)), Variable("v", Flat(2))
    model = Model("by hand", plane, storages, structures, start={"q": start, "v": start})
    return lambda: observed(model)


def lagrangian(M, B, R, q0, v0):
    model = vv.lagrangian("two", ("x", "y"), M=M, V=lambda q: q.x**2 + q.y, inputs={"u": B}, damping=R, q0=q0, v0=v0)
    return lambda: observed(model)


def kane(inertia, v_xi):
    body = vv.KaneBody(mass=1.0, v_xi=v_xi, w=lambda xi: [0, xi[0], 0], inertia=inertia)
    return lambda: vv.kane("k", "a", bodies={"body": body}).at([0.1], [0.2]).A


def particle(**given):
    parts = {"gravity": (0, -9.81, 0)} | given
    p = Parameterisation(
        ("x", "y"),
        ("vx", "vy"),
        A=parts.pop("A", np.eye(2)),
        q0=parts.pop("q0", (0, 0)),
        edges={("ground", "mass"): lambda q: [[1, 0, 0, q.x], [0, 1, 0, q.y], [0, 0, 1, 0], [0, 0, 0, 1]]},
    )
    return RigidSystem(p, bodies={"mass": parts.pop("body", Moments.from_parts(1.5))}, **parts)


def rigid(build):
    """What is seen of a rigid system in the plane: all terms of its equations, and its rows."""

    def make(**given):
        system = build(**given)

        def seen():
            terms = system.terms((0.3, 0.2), (0.1, 0.5), t=0.7)
            rows = [
                row for rows in system.rows(system.instant((0.3, 0.2), (0.1, 0.5))).values() for row in (rows.Z, rows.z)
            ]
            parts = (terms.M, terms.c, terms.D, terms.f_D, terms.f_K, terms.f_G, terms.f_E, terms.V_K, terms.V_G)
            return np.concatenate([np.ravel(part) for part in (*parts, *rows, system.parameterisation.q0)])

        return seen

    return make


def particles(gravity, to, drift):
    tie = Tie("p", to, k=2.0, length=0.5, d=0.3, drift=drift)
    system = ParticleSystem(
        particle().parameterisation, {"p": (1.0, lambda q: [q.x, q.y, 0])}, gravity=gravity, ties=[tie]
    )
    return lambda: system.acceleration(np.array([0.3, 0.2]), np.array([0.1, 0.5]))


def tree(X_PJ, com, inertia, gravity, damping, stiffness, relaxed):
    link = Link("arm", -1, "hinge", X_PJ, 1.0, com, inertia)
    dynamics = TreeDynamics(Tree((link,), gravity), damping, stiffness, relaxed)
    q = np.array([0.3])
    return lambda: np.array([*dynamics.accelerations(q, q), dynamics.energy_size(q, q)])


def pose_energy(make):
    def energy(**given):
        law = make(**given)
        return lambda: np.array([law.energy(POSE), *law.wrench(POSE)])

    return energy


def rest_of(R, r):
    return SE3(R, r)


def linear(A, B, C, D):
    system = vv.LinearSystem("lin", A, B, C, D, ("a", "b"), ("u",), ("y",))
    return lambda: np.concatenate([np.ravel(part) for part in (system.A, system.B, system.C, system.D)])


def bonds(m, r, e):
    elements = {"e": Se(e), "v": one(), "m": I(m), "r": R(r)}
    graph = vv.BondGraph("bonds", elements, ["e -> v", "v -> m", "v -> r"])
    return lambda: np.concatenate([np.ravel(graph.elements[name].given) for name in ("e", "m", "r")])


def port_hamiltonian(J, R, G):
    system = PortHamiltonian(2, lambda x: x[0] ** 2 + x[1] ** 2, J, R=R, G=G)
    return lambda: np.concatenate(system.rates((0.3, 0.2), (0.1,)))


def onsager(M):
    process = Onsager.from_matrix(M, {"p": 1, "s": 1}, dE={"p": [2.0], "s": [300.0]}, entropy=("s",), theta0=300.0)
    return lambda: process.flows()


FRICTION = np.outer((300.0, -2.0), (300.0, -2.0))
SKEW = np.array([[0.0, 1.0], [-1.0, 0.0]])
VALUES = {
    "composite": (oscillator, {"J": SKEW, "start": np.array([0.3])}),
    "model by hand": (
        model_by_hand,
        {"M": np.eye(2), "K": np.eye(2), "c": np.ones(2), "J": np.kron(SKEW, np.eye(2)), "R": np.eye(2),
         "B": np.ones((2, 1)), "C": np.ones((1, 2)), "start": np.array([0.3, -0.3])},
    ),
    "lagrangian": (
        lagrangian,
        {"M": np.diag([1.0, 2.0]), "B": np.ones(2), "R": np.eye(2), "q0": np.ones(2), "v0": np.ones(2)},
    ),
    "kane": (kane, {"inertia": np.diag([0.1, 0.2, 0.25]), "v_xi": np.ones((3, 1))}),
    "rigid system": (rigid(particle), {"gravity": POINT, "q0": np.zeros(2), "A": np.eye(2)}),
    "moments of a body": (rigid(particle), {"body": np.diag([0.1, 0.2, 0.3, 2.0])}),
    "rows of velocities": (rigid(lambda rows: particle().constrain(Pfaffian("c", rows))), {"rows": np.ones((1, 2))}),
    "rows of accelerations": (
        rigid(lambda Z, z: particle().constrain(Acceleration("c", Z, z))),
        {"Z": np.ones((1, 2)), "z": np.ones(1)},
    ),
    "stiffness of a pair": (
        rigid(
            lambda matrix, R, r: particle(springs=[Stiffness("ground", "mass", Moments(matrix), rest_of(R, r))])
        ),
        {"matrix": np.eye(4), "R": TURN, "r": POINT},
    ),
    "springs between points": (
        rigid(lambda k, p, h: particle(springs=[Stiffness.of_springs("ground", "mass", k, p, h)])),
        {"k": np.ones(3), "p": np.eye(3), "h": np.eye(3)},
    ),
    "damping in a stream": (
        rigid(lambda twist: particle(dampers=[Damping.in_stream("ground", "mass", Moments.from_parts(1.0), twist)])),
        {"twist": np.ones(6)},
    ),
    "damping of points": (
        rigid(
            lambda d, h: particle(dampers=[Damping.of_points("ground", "mass", d, h, lambda t, r: np.ones_like(r))])
        ),
        {"d": np.ones(2), "h": np.eye(3)[:2]},
    ),
    "loop": (
        rigid(lambda R, r: particle().constrain(Loop("c", "ground", "mass", "planar", rest_of(R, r)))),
        {"R": TURN, "r": POINT},
    ),
    "spring of any energy": (
        rigid(
            lambda K, R, r: particle(springs=[Spring("ground", "mass", LogarithmEnergy(K, rest_of(R, r)))])
        ),
        {"K": np.eye(6), "R": TURN, "r": POINT},
    ),
    "particles": (particles, {"gravity": POINT, "to": POINT, "drift": POINT}),
    "tree": (
        tree,
        {"X_PJ": POSE.matrix, "com": POINT, "inertia": np.eye(3), "gravity": POINT, "damping": np.ones(1),
         "stiffness": np.ones(1), "relaxed": np.ones(1)},
    ),
    "joined coordinates": (
        value(
            lambda **given: coordinates.joined({("ground", "a"): coordinates.revolute("j", **given)}),
            lambda p: p.edges[0].pose(p.q0),
        ),
        {"at": POSE.matrix, "to": POSE.matrix, "axis": AXIS},
    ),
    "chord energy": (
        pose_energy(lambda G, K, R, r: ChordEnergy.trace(G, K, rest_of(R, r))),
        {"G": np.eye(3), "K": np.eye(3), "R": TURN, "r": POINT},
    ),
    "logarithm energy": (
        pose_energy(lambda K, R, r: LogarithmEnergy(K, rest_of(R, r))), {"K": np.ones(6), "R": TURN, "r": POINT}
    ),
    "line energy": (
        pose_energy(lambda p, h: LineEnergy(2.0, p, h, 0.3)), {"p": POINT, "h": POINT + 1.0}
    ),
    "linear system": (
        linear, {"A": SKEW, "B": np.ones((2, 1)), "C": np.ones((1, 2)), "D": np.zeros((1, 1))}
    ),
    "bond graph": (bonds, {"m": np.eye(2), "r": np.eye(2), "e": np.ones(2)}),
    "port-Hamiltonian system": (port_hamiltonian, {"J": SKEW, "R": np.eye(2), "G": np.ones((2, 1))}),
    "Onsager structure": (onsager, {"M": FRICTION}),
    "Dirac structure": (
        value(lambda J: Dirac.input_output(J, {"a": 1, "b": 1}), lambda d: np.concatenate([d.F, d.E])), {"J": SKEW}
    ),
    "inertia": (
        value(lambda J, com: vv.inertia.Inertia(1.0, J, com), lambda i: i.matrix()), {"J": np.eye(3), "com": POINT}
    ),
    "rotation": (value(SO3.from_matrix, lambda X: X.R), {"R": TURN}),
    "pose": (value(SE3.from_matrix, lambda X: X.matrix), {"X": POSE.matrix}),
    "pose by parts": (value(SE3.from_parts, lambda X: X.matrix), {"R": TURN, "r": POINT}),
    "pose in the plane": (value(SE2.from_parts, lambda X: X.matrix), {"R": np.eye(2), "r": np.ones(2)}),
    "twist": (
        value(lambda vector: Twist(vector, of="b", wrt="w", frame="b"), lambda V: V.vector), {"vector": np.ones(6)}
    ),
    "wrench": (value(lambda vector: Wrench(vector, on="b", frame="b"), lambda F: F.vector), {"vector": np.ones(6)}),
    "momentum": (
        value(lambda vector: Momentum(vector, of="b", frame="b"), lambda P: P.vector), {"vector": np.ones(6)}
    ),
    "screw": (value(Screw, lambda s: s.vector), {"vector": np.ones(6)}),
}  # fmt: skip


@pytest.mark.parametrize(("make", "given"), VALUES.values(), ids=VALUES)
def test_a_value_keeps_what_it_was_given(make, given):
    arrays = fresh(given)
    seen = make(**arrays)
    spoil(arrays)
    np.testing.assert_array_equal(np.array(seen()), np.array(make(**fresh(given))()))


# -- runs ------------------------------------------------------------------------------------------------------------


def pendulum():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0))
    m.torque("motor", "hinge")
    return m


def flow():
    return vv.HandFlow(lambda t, q, v: -q, 1, energy=lambda q, v: 0.5 * float(q @ q + v @ v))


def arrays_of(state):
    values = [value for part in vars(state).values() for value in (part if isinstance(part, tuple) else (part,))]
    return [value for value in values if isinstance(value, np.ndarray) and value.size]


SYSTEMS = {"mechanism": (pendulum, None), "flow": (flow, ([1.0], [0.5])), "minimal form": (
    lambda: vv.analytical(pendulum()), None)}  # fmt: skip


@pytest.mark.parametrize(("make", "initial"), SYSTEMS.values(), ids=SYSTEMS)
def test_nothing_that_a_run_shows_can_be_written_to(make, initial):
    run = vv.simulate(make(), 0.02, 0.01, initial=initial)
    for array in (*arrays_of(run.final), *run.select("*").values(), run.t):
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 7.0


@pytest.mark.parametrize(("make", "initial"), SYSTEMS.values(), ids=SYSTEMS)
def test_a_run_keeps_where_it_started(make, initial):
    """From a state whose arrays can be written to, since it was unpickled or is a copy."""
    import copy

    system = make()
    final = copy.deepcopy(vv.simulate(system, 0.02, 0.01, initial=initial).final)
    whole = vv.simulate(system, 0.04, 0.01, initial=final)
    values = {name: value.copy() for name, value in whole.select("*").items()}
    for array in arrays_of(final):
        if array.dtype == float:
            array += 1.0
    for name, value in values.items():
        np.testing.assert_array_equal(whole[name], value)


def test_a_run_keeps_its_inputs_and_initial_values():
    system, torque = pendulum(), np.array([0.5])
    model = vv.compile(system)
    x = initial_x(model, system.assemble()[0])
    start = {name: x[at].copy() for name, at in model.layout.x.items()}
    run = vv.simulate(model, 0.02, 0.01, initial=start, inputs={"motor": torque}, integrator=vv.LieMidpoint())
    torque += 1.0
    for array in start.values():
        array += 1.0
    again = vv.simulate(system, 0.02, 0.01, inputs={"motor": 0.5}, integrator=vv.LieMidpoint())
    np.testing.assert_allclose(run["hinge.q"], again["hinge.q"], rtol=0, atol=1e-15)
    assert run["motor.power"][0] == pytest.approx(again["motor.power"][0], rel=1e-13)


def test_rates_by_hand_may_come_in_one_array_that_is_written_again():
    out = np.zeros(1)

    def rates(t, q, v):
        out[:] = -q
        return out

    runs = [vv.simulate(vv.HandFlow(f, 1), 1.0, 0.1, initial=([1.0], [0.0])) for f in (rates, lambda t, q, v: -q)]
    np.testing.assert_array_equal(runs[0]["q"], runs[1]["q"])


# -- what is read from a mechanism -------------------------------------------------------------------------------------


def test_handles_cannot_be_written_to():
    m = pendulum()
    m.frame("tip", "arm", at=(1, 0, 0))
    m.particle("p", mass=1.0, at=(0, 0, 1), velocity=(1, 0, 0))
    m.bushing("rubber", "arm", m.ground, K=np.ones(6), D=np.ones(6))
    arrays = [array for part in m.parts.values() for array in arrays_of(part)]
    arrays += [m.gravity, m["arm"].R_WC, m["arm"].r_WC]
    assert len(arrays) > 15
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 7.0


def test_assembling_gives_arrays_of_its_own():
    m = pendulum()
    first = m.assemble()[0]
    wanted = observed(vv.compile(m))
    for array in (*first.q.values(), *first.V.values()):
        array += 1.0
    np.testing.assert_array_equal(observed(vv.compile(m)), wanted)

"""The index-1 form against textbook equations, and integrated by DOP853 as an independent formulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.compiler import FORMS, compile_mechanism, initial_x
from visviva.geometry.embedding import Flat
from visviva.model import Energy, Junction, Kinetic, Variable, canonical

G = 9.81
ANGLES = st.floats(-3, 3)
RATES = st.floats(-5, 5).map(lambda rate: rate if abs(rate) > 1e-12 else 0.0)
VECTORS = st.tuples(*[st.floats(-2, 2)] * 3).map(np.array)
both_forms = pytest.mark.parametrize("form", FORMS)


def compiled(m: vv.Mechanism, form: str = "lie"):
    model = compile_mechanism(m, form)
    return model, initial_x(model, m.assemble()[0])


def rod(m: vv.Mechanism, name: str, start: np.ndarray, angle: float, mass: float = 1.0, length: float = 1.0) -> None:
    """A rod from `start`, turned by `angle` about z from the x axis."""
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    turn = vv.geometry.SO3.exp((0, 0, angle))
    moments = (1e-3, mass * length**2 / 12, mass * length**2 / 12)
    m.body(name, mass=mass, inertia=moments, at=start + length / 2 * direction, rotation=turn)


def pendulum(angles, rates=None) -> vv.Mechanism:
    """Rods in a row under gravity -y; angles against x, rates absolute too."""
    m = vv.Mechanism("pendulum", gravity=(0, -G, 0))
    rates = np.zeros(len(angles)) if rates is None else np.asarray(rates)
    start, parent = np.zeros(3), "ground"
    for k, angle in enumerate(angles):
        name = f"rod{k}"
        rod(m, name, start, angle)
        rate = rates[k] - (rates[k - 1] if k else 0.0)
        m.revolute(f"hinge{k}", parent, name, at=start, axis=(0, 0, 1), rate=rate)
        start, parent = start + np.array([np.cos(angle), np.sin(angle), 0.0]), name
    return m


def parallelogram(angle: float, rate: float) -> vv.Mechanism:
    """M4: cranks m = a = 1, coupler and base 2 long, coupler m = 2; 20 rows of rank 17."""
    m = vv.Mechanism("parallelogram", gravity=(0, -G, 0))
    B = np.array([np.cos(angle), np.sin(angle), 0.0])
    base = np.array([2.0, 0.0, 0.0])
    rod(m, "left", np.zeros(3), angle)
    rod(m, "right", base, angle)
    rod(m, "coupler", B, 0.0, mass=2.0, length=2.0)
    m.revolute("A", m.ground, "left", at=(0, 0, 0), axis=(0, 0, 1), rate=rate)
    m.revolute("B", "left", "coupler", at=B, axis=(0, 0, 1))
    m.revolute("C", "coupler", "right", at=B + base, axis=(0, 0, 1))
    m.revolute("D", m.ground, "right", at=base, axis=(0, 0, 1))
    return m


def q_ddot(model, x, u=None):
    """Accelerations of the embedding coordinates of every body, N V̇ + Ṅ V, shape (size / 3, 3), by name."""
    v_dot, at, result = model.accelerations(x, u=u).v_dot, 0, {}
    for variable in model.kinetic:
        name = variable.removesuffix(".v")
        space = next(v.space for v in model.variables if v.name == f"{name}.q")
        q, V = x[model.layout.x[f"{name}.q"]], x[model.layout.x[variable]]
        bend = space.lift(q) @ v_dot[at : at + len(V)] + space.drift(q, V)
        result[name] = bend.reshape(-1, 3)
        at += len(V)
    return result


def spin_rate(model, x, name, u=None):
    """Angular acceleration of a body in world axes: ½ Σ d_i x d̈_i."""
    d = x[model.layout.x[f"{name}.q"]].reshape(4, 3)[1:]
    return 0.5 * np.cross(d, q_ddot(model, x, u)[name][1:]).sum(0)


# -- textbook equations -----------------------------------------------------------------------------------------


@given(angle=ANGLES, rate=RATES)
def test_a_pendulum_falls_as_its_equation_says(angle, rate):
    """θ̈ = -(3g/2l) cos θ; the joint holds the rod by mg sin θ - ½ml θ̇² along and by ¼mg cos θ across."""
    model, x = compiled(pendulum([angle], [rate]))
    found = model.accelerations(x)
    assert_allclose(spin_rate(model, x, "rod0"), (0, 0, -1.5 * G * np.cos(angle)), rtol=0, atol=1e-12)
    along, across = G * np.sin(angle) - 0.5 * rate**2, 0.25 * G * np.cos(angle)
    force = np.array([np.cos(angle), np.sin(angle)]) * along + np.array([-np.sin(angle), np.cos(angle)]) * across
    assert_allclose(-found.w[:2], force, rtol=0, atol=1e-12)  # the multiplier is the force on the other side
    assert found.rank == 5


def test_a_rod_released_from_the_horizontal_is_carried_by_a_quarter_of_its_weight():
    model, x = compiled(pendulum([0.0]))
    assert_allclose(-model.accelerations(x).w[:3], (0, 2.4525, 0), rtol=0, atol=1e-14)


def double_pendulum_accelerations(a, b, a_dot, b_dot):
    """The 2 x 2 equations of two equal rods, absolute angles against the horizontal, m = l = 1."""
    c, s = np.cos(a - b), np.sin(a - b)
    M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
    f = np.array([-s / 2 * b_dot**2 - 1.5 * G * np.cos(a), s / 2 * a_dot**2 - 0.5 * G * np.cos(b)])
    return np.linalg.solve(M, f)


@given(a=ANGLES, b=ANGLES, a_dot=RATES, b_dot=RATES)
def test_a_double_pendulum_falls_as_its_equations_say(a, b, a_dot, b_dot):
    model, x = compiled(pendulum([a, b], [a_dot, b_dot]))
    expected = double_pendulum_accelerations(a, b, a_dot, b_dot)
    assert_allclose([spin_rate(model, x, name)[2] for name in ("rod0", "rod1")], expected, rtol=0, atol=1e-11)


@both_forms
@given(w=VECTORS, v=VECTORS, moment=VECTORS, force=VECTORS)
def test_a_free_body_obeys_euler_and_newton(form, w, v, moment, force):
    """J ω̇ = -ω x J ω + m in principal axes, and its centre of mass feels the force alone."""
    m = vv.Mechanism()
    J, turn = np.array([2.0, 3.0, 4.0]), vv.geometry.SO3.exp((0.3, -0.5, 0.2)).matrix
    m.body("top", mass=2.0, inertia=J, rotation=turn, twist=[*w, *v])
    m.wrench("load", "top")
    model, x = compiled(m, form)
    u = np.concatenate([moment, force])
    expected = turn @ ((turn.T @ moment - np.cross(w, J * w)) / J)
    assert_allclose(spin_rate(model, x, "top", u), expected, rtol=0, atol=1e-12)
    assert_allclose(q_ddot(model, x, u)["top"][0], force / 2.0, rtol=0, atol=1e-12)


@given(angle=ANGLES, torque=RATES)
def test_a_motor_turns_its_rod(angle, torque):
    m = pendulum([angle])
    m.torque("motor", "hinge0")
    model, x = compiled(m)
    found = spin_rate(model, x, "rod0", [torque])[2]
    assert_allclose(found, 3 * torque - 1.5 * G * np.cos(angle), rtol=0, atol=1e-12)


@given(rate=RATES, friction=st.floats(0, 5))
def test_friction_brakes_what_its_joint_connects(rate, friction):
    """Two equal discs on one axis, free to fly: each feels the torque d (ω2 - ω1)."""
    m = vv.Mechanism()
    m.body("a", inertia=vv.inertia.cylinder(1.0, 1.0, 0.1), twist=np.zeros(6))
    m.body("b", inertia=vv.inertia.cylinder(1.0, 1.0, 0.1))
    m.revolute("hinge", "a", "b", at=(0, 0, 0), axis=(0, 0, 1), rate=rate, friction=friction)
    model, x = compiled(m)
    expected = friction * rate / 0.5
    assert_allclose([spin_rate(model, x, name)[2] for name in "ab"], [expected, -expected], rtol=0, atol=1e-12)


# -- redundant rows ---------------------------------------------------------------------------------------------


@given(angle=ANGLES.filter(lambda a: abs(np.sin(a)) > 0.05), rate=RATES)
def test_a_parallelogram_falls_as_its_single_equation_says(angle, rate):
    """(8/3) θ̈ = -3 g cos θ, with three of the twenty rows redundant."""
    model, x = compiled(parallelogram(angle, rate))
    assert model.accelerations(x).rank == 17
    theta_ddot = -9 / 8 * G * np.cos(angle)
    found = [spin_rate(model, x, name)[2] for name in ("left", "right", "coupler")]
    assert_allclose(found, [theta_ddot, theta_ddot, 0.0], rtol=0, atol=1e-11)


@both_forms
def test_multipliers_balance_all_forces_and_are_the_shortest_that_do(form):
    model, x = compiled(parallelogram(-0.5, 1.0), form)
    found = model.accelerations(x)
    at = model.layout.act(tuple(model.kinetic))
    z, C, M = model.z(x), model.C(x)[:, at], model.E(x)[np.ix_(at, at)]
    applied = model.flow(x, z, np.zeros(0))[at] - M @ found.v_dot
    assert_allclose(C.T @ found.w, applied, rtol=0, atol=1e-11)
    assert_allclose(found.w, np.linalg.lstsq(C.T, applied, rcond=1e-9)[0], rtol=0, atol=1e-11)


# -- both forms -------------------------------------------------------------------------------------------------


def spatial() -> vv.Mechanism:
    """Skew hinges, a ball joint, a particle and given rates."""
    m = vv.Mechanism("spatial", gravity=(1, -2, -9.81))
    m.body("upper", inertia=vv.inertia.box(1.0, (1.0, 0.2, 0.3)), at=(0.5, 0, 0))
    m.body("lower", inertia=vv.inertia.box(2.0, (0.2, 0.5, 0.3)), at=(1.2, 0.4, 0.1))
    m.particle("tip", mass=0.5, at=(1.5, 0.5, 0))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=(0.2, 1, 0.3), rate=1.5)
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis=(1, 0.2, 0.4), rate=-2.0)
    m.spherical("ball", "lower", "tip", at=(1.5, 0.5, 0))
    return m


@pytest.mark.parametrize("m", [spatial(), parallelogram(-0.5, 2.0)], ids=["spatial", "redundant"])
def test_directors_accelerate_as_the_bodies_they_describe(m):
    lie, directors = (q_ddot(*compiled(m, form)) for form in FORMS)
    for part in m.bodies:
        assert_allclose(directors[part.name], lie[part.name], rtol=0, atol=1e-11)


@both_forms
def test_the_bias_of_a_constraint_is_the_rate_of_its_rows_at_constant_velocities(form):
    model, x = compiled(spatial(), form)
    at_x, at_z = model.layout.read(tuple(model.kinetic)), model.layout.act(tuple(model.kinetic))
    z = model.z(x)
    bias = np.concatenate([part.bias(*model.local(part, x, z)) for part in model.constraints])
    rate, step = np.zeros(model.layout.dim), 1e-5
    rate[: len(rate) - len(at_z)] = x[at_x]  # positions come first and move with the velocities
    ahead, behind = model.retract(x, step * rate), model.retract(x, -step * rate)
    difference = (model.C(ahead) - model.C(behind))[:, at_z] @ x[at_x] / (2 * step)
    assert_allclose(bias, difference, rtol=0, atol=1e-8)


# -- integrated by DOP853 ---------------------------------------------------------------------------------------


def integrated(m: vv.Mechanism, t_end: float, form: str = "lie"):
    """The state at t_end from the index-1 form as an ordinary differential equation."""
    model, x0 = compiled(m, form)
    positions = [variable for variable in model.variables if variable.name not in model.kinetic]
    at_v = model.layout.read(tuple(model.kinetic))

    def rate(_, x):
        x_dot = np.empty_like(x)
        for variable in positions:
            q, v = x[model.layout.x[variable.name]], x[model.layout.x[variable.name.removesuffix(".q") + ".v"]]
            x_dot[model.layout.x[variable.name]] = variable.space.lift(q) @ v
        x_dot[at_v] = model.accelerations(x).v_dot
        return x_dot

    return model, solve_ivp(rate, (0, t_end), x0, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]


def part(model, x, name):
    return x[model.layout.x[name]]


def world_velocity(model, x, name):
    """(ω, velocity of the centre of mass) of a body in world axes."""
    space = next(v.space for v in model.variables if v.name == f"{name}.q")
    q = part(model, x, f"{name}.q")
    q_dot = (space.lift(q) @ part(model, x, f"{name}.v")).reshape(4, 3)
    return 0.5 * np.cross(q.reshape(4, 3)[1:], q_dot[1:]).sum(0), q_dot[0]


@both_forms
def test_M1_a_free_body_tumbles_to_its_known_twist(form):
    m = vv.Mechanism()
    m.body("body", mass=2.0, inertia=(2, 3, 4), twist=(0.1, 2, 0.1, 1, 0, 0.5))
    model, x = integrated(m, 10.0, form)
    w, v = world_velocity(model, x, "body")
    R = part(model, x, "body.q")[3:].reshape(3, 3).T
    expected = (-0.471885, -1.927805, 0.341083, 0.981652, -0.328929, -0.422097)
    assert_allclose([*(R.T @ w), *(R.T @ v)], expected, rtol=0, atol=6e-7)
    assert_allclose(model.H(x), 7.28, rtol=0, atol=1e-8)
    assert_allclose(part(model, x, "body.q")[:3], (10, 0, 5), rtol=0, atol=1e-8)


@both_forms
def test_M2_a_pendulum_swings_to_its_known_angle(form):
    model, x = integrated(pendulum([0.0]), 1.0, form)
    d1 = part(model, x, "rod0.q")[3:6]
    assert_allclose(np.arctan2(d1[1], d1[0]), -3.1334180448, rtol=0, atol=1e-9)


def test_M3_a_double_pendulum_swings_to_its_known_angles_and_rates():
    model, x = integrated(pendulum([0.0, 0.0]), 1.0)
    directors = [part(model, x, f"rod{k}.q")[3:6] for k in (0, 1)]
    angles = [np.arctan2(d[1], d[0]) for d in directors]
    assert_allclose(angles, (-2.7785125650, -2.3851873499), rtol=0, atol=2e-9)
    rates = [world_velocity(model, x, f"rod{k}")[0][2] for k in (0, 1)]
    assert_allclose(rates, (-3.4065175330, -0.5160454721), rtol=0, atol=2e-8)


def test_M4_a_redundant_parallelogram_swings_to_its_known_angle():
    m = parallelogram(-np.pi / 6, 0.0)
    model, x = integrated(m, 0.5)
    d1 = part(model, x, "left.q")[3:6]
    assert_allclose(np.arctan2(d1[1], d1[0]), -1.5460910800, rtol=0, atol=1e-9)
    assert_allclose(model.H(x), model.H(compiled(m)[1]), rtol=0, atol=1e-9)


def test_M7_a_heavy_top_precesses_regularly():
    """mgl = Ω (J3 ω3 - J1 Ω cos θ) with J1 about the pivot: the tilt stays, the azimuth turns at Ω."""
    tilt, precession, spin = np.pi / 3, 2.0, 56.05
    m = vv.Mechanism("top", gravity=(0, 0, -G))
    turn = vv.geometry.SO3.exp((0, tilt, 0))
    w = turn.matrix.T @ (0, 0, precession)
    w[2] = spin
    twist = np.concatenate([w, np.cross(w, (0, 0, 0.5))])
    m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.05), at=turn.act((0, 0, 0.5)), rotation=turn, twist=twist)
    m.spherical("pivot", m.ground, "top", at=(0, 0, 0))
    model, x = integrated(m, 0.5)
    axis = 2 * part(model, x, "top.q")[:3]
    assert_allclose(axis[2], 0.5, rtol=0, atol=1e-9)
    assert_allclose(np.arctan2(axis[1], axis[0]), precession * 0.5, rtol=0, atol=1e-8)


# -- errors -----------------------------------------------------------------------------------------------------


def test_only_mechanical_models_have_accelerations():
    line = Variable("p", Flat(1))
    loose = vv.Model("circuit", (line,), (Kinetic("coil", "p", np.eye(1)),), junctions=(Junction("knot", 1),))
    with pytest.raises(vv.ModelError, match=r"'circuit' has junctions without storage \(knot\)"):
        loose.accelerations(np.zeros(1))
    spring = Energy("spring", "q", lambda q: (q**2).sum(-1), lambda q: 2 * q)
    still = vv.Model("still", (Variable("q", Flat(1)),), (spring,))
    with pytest.raises(vv.ModelError, match="'still' has no velocities: accelerations need a kinetic storage"):
        still.accelerations(np.zeros(1))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": np.zeros(3)}, r"x must have shape \(2,\), got \(3,\)"),
        ({"x": [0.0, np.nan]}, "x must be finite"),
        ({"x": np.zeros(2), "v": np.zeros(2)}, r"v must have shape \(1,\), got \(2,\)"),
        ({"x": np.zeros(2), "u": np.zeros(1)}, r"u must have shape \(0,\), got \(1,\)"),
    ],
    ids=["x shape", "x NaN", "v shape", "u shape"],
)
def test_states_velocities_and_inputs_have_the_right_shape(values, message):
    variables = (Variable("q", Flat(1)), Variable("v", Flat(1)))
    model = vv.Model("mass", variables, (Kinetic("mass", "v", np.eye(1)),), (canonical("mass", "q", "v", 1),))
    with pytest.raises(vv.ModelError, match=message):
        model.accelerations(**values)


def test_given_velocities_replace_those_of_the_state_and_leave_it_alone():
    model, x = compiled(pendulum([0.3], [0.0]))
    spinning, y = compiled(pendulum([0.3], [4.0]))
    before = x.copy()
    v = y[model.layout.read(tuple(model.kinetic))]
    assert_allclose(model.accelerations(x, v).w, spinning.accelerations(y).w, rtol=0, atol=1e-12)
    assert (x == before).all()


@pytest.mark.parametrize("length", [1e-2, 1e-4])
def test_accelerations_of_flat_bodies_in_directors_do_not_depend_on_the_unit_of_length(length):
    """A director of a plate has no inertia: its velocity is measured by what joints make of those that have."""

    def chain(size: float) -> np.ndarray:
        m = vv.Mechanism("plates", gravity=(0, 0, -G * size))
        for k in range(3):
            turn = vv.geometry.SO3.exp((0.3, k, -0.2))
            moments = 0.1 * size**2 * np.array([0.1, 0.2, 0.3])
            m.body(f"plate{k}", mass=0.1, inertia=moments, at=(size * (k + 0.5), 0.1 * size * k, 0), rotation=turn)
            m.spherical(f"ball{k}", f"plate{k - 1}" if k else "ground", f"plate{k}", at=(size * k, 0.05 * size, 0))
        m.distance("rod", "ground", "plate2", at_a=(3 * size, size, size), at_b=(3 * size, 0.2 * size, 0))
        model, x = compiled(m, "directors")
        return model.accelerations(x).v_dot.reshape(-1, 12) / np.repeat((size, 1.0), (3, 9))

    assert_allclose(chain(length), chain(1.0), rtol=0, atol=1e-11)


def test_a_motion_that_nothing_resists_has_no_acceleration_and_is_named():
    variables = (Variable("q", Flat(2)), Variable("v", Flat(2)))
    inertia = Kinetic("mass", "v", np.diag([1.0, 0.0]))
    model = vv.Model("light", variables, (inertia,), (canonical("mass", "q", "v", 2),))
    with pytest.raises(vv.ModelError, match=r"'light' has a motion without inertia, in v: its acceleration"):
        model.accelerations(np.zeros(4))

"""What is no description of a system in minimal velocities is refused where it is given, in the user's own names."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError
from visviva.forms import (
    Damping,
    Geometric,
    Hamel,
    HamelFlow,
    Legendre,
    Loop,
    Metric,
    Moments,
    Parameterisation,
    ParticleSystem,
    RigidSystem,
    Stiffness,
    attitude,
    commutation,
    computed_torque,
    coordinates,
    linearised,
    nearest_configuration,
    particle_tracking_force,
    restoring_rate,
)

PLANE = Parameterisation(
    ("x", "y"),
    ("u", "v"),
    A=np.eye(2),
    q0=(0, 0),
    edges={("ground", "m"): lambda q: [[1, 0, 0, q.x], [0, 1, 0, q.y], [0, 0, 1, 0], [0, 0, 0, 1]]},
)
BALL = coordinates.joined({("ground", "a"): coordinates.spherical("a")})
POINT = Moments.from_parts(1.0)
SYSTEM = RigidSystem(PLANE, bodies={"m": POINT}, gravity=(0, -9.8, 0))
FREE = Hamel(PLANE, lambda xi: 0.5 * xi @ xi)
REST = np.zeros(2)
STILL = ([0, 0], [0, 0], [0, 0])


def rigid(**given):
    return RigidSystem(PLANE, **({"bodies": {"m": POINT}} | given))


def line(A, **given):
    return Parameterisation(("x",), ("u",), A=A, q0=(0,), **given)


def hand(rates=lambda t, q, xi: -q, n=1, **given):
    return vv.HandFlow(rates, n, **given)


def run_of(flow, *states, **given):
    return vv.simulate(flow, 1.0, 0.1, initial=states or ([0.0], [1.0]), **given)


def kane(**given):
    body = vv.KaneBody(mass=1, v=lambda xi: [xi.x_dot, 0])
    return vv.kane("k", q=("x",), **({"bodies": {"b": body}} | given))


CASES = {
    # parameterisations
    "names that are no names": (lambda: Parameterisation(3, ("u",), A=[[1]], q0=(0,)), "each coordinate has a name"),
    "edges without poses": (lambda: line([[1]], edges=[("ground", "b")]), "edges must be a dict such as"),
    "an index too many": (lambda: line(lambda q: [[q[4]]]), "A cannot be evaluated: index 4 is out of bounds"),
    "a function that fails": (lambda: line(lambda q: [[int("a")]]), "A cannot be evaluated: invalid literal"),
    "a division by zero": (lambda: line(lambda q: [[1 / q.x]]), "A must be finite"),
    "coordinates of another system": (
        lambda: PLANE.A(np.zeros(5)),
        "q must have shape",
    ),
    "coordinates too few": (lambda: commutation(BALL, np.zeros(3)), "q must have shape"),
    "velocities too many": (lambda: linearised(BALL, lambda xi: [xi[0]], BALL.q0, np.zeros(5)), "xi must have shape"),
    # joints
    "a joint in words": (lambda: coordinates.joined({("ground", "a"): "hinge"}), "the joint between 'ground' and 'a'"),
    "joints without frames": (lambda: coordinates.joined([coordinates.revolute("a")]), "joints must be a dict"),
    "one frame": (lambda: coordinates.joined({"ground": coordinates.revolute("a")}), "between two frames"),
    "a joint without a name": (lambda: coordinates.revolute(3), "the name of a joint must be a string, got 3"),
    "a list of charts": (lambda: coordinates.spherical("a", by=["matrix"]), "joint 'a' is given by one of"),
    "no rotation at all": (lambda: nearest_configuration(BALL, np.zeros(4)), "'a' are all zero"),
    "two rates": (lambda: restoring_rate(BALL, BALL.q0, np.zeros(3), (1, 2)), "rate must be one number"),
    # Lagrangians, metrics, particles
    "a metric that is none": (lambda: Metric(PLANE, np.diag([1.0, -1])), "M is no metric: .* the eigenvalue -1"),
    "a singular metric": (lambda: Metric(PLANE, np.zeros((2, 2))), "M is no metric"),
    "states of other lengths": (lambda: FREE.acceleration(np.zeros(2), np.zeros(1)), "xi must have shape"),
    "a state that is not finite": (lambda: FREE.acceleration(np.array([np.nan, 0]), REST), "q must be finite"),
    "a time that is none": (lambda: FREE.acceleration(REST, REST, "noon"), "t must be numbers"),
    "a flow of no Lagrangian": (lambda: HamelFlow(PLANE), "what HamelFlow moves must be a Hamel"),
    "momenta of no Lagrangian": (lambda: Legendre(PLANE), "what Legendre transforms must be a Hamel"),
    "a Lagrangian on nothing": (lambda: Hamel("plane", 0), "p must be a Parameterisation, got 'plane'"),
    "a particle without a place": (lambda: ParticleSystem(PLANE, {"a": 1.0}), r"particle 'a' is given by .* \(m, r\)"),
    "a reference without acceleration": (
        lambda: computed_torque(FREE, np.eye(2), STILL[:2], (1, 1), REST, REST),
        "reference is",
    ),
    "inputs that move nothing": (
        lambda: computed_torque(FREE, np.zeros((2, 2)), STILL, (1, 1), REST, REST),
        "B has rank 0",
    ),
    "a negative mass": (
        lambda: particle_tracking_force(([0] * 3,) * 3, [0] * 3, [0] * 3, mass=-1, gains=(1, 1)),
        "mass must be positive",
    ),
    "no inertia about x": (lambda: attitude.euler_acceleration((0, 1, 1), (1, 1, 1)), "three positive moments"),
    "two angles": (lambda: attitude.attitude((0, 1)), "angles must have shape"),
    # rigid systems
    "a system on nothing": (lambda: RigidSystem("x", bodies={}), "the first argument must be a Parameterisation"),
    "bodies without frames": (lambda: rigid(bodies=[POINT]), "bodies must be a dict"),
    "a spring that is none": (lambda: rigid(springs=[3]), "a spring must be a Stiffness or a Spring, got 3"),
    "a spring alone": (lambda: rigid(springs=Stiffness("ground", "m", POINT)), "a spring: give a list of them"),
    "a damper in words": (lambda: rigid(dampers=["oil"]), "a damper must be a Damping, got 'oil'"),
    "a constraint that is a function": (lambda: SYSTEM.constrain(lambda q: [q.x]), "a constraint must be a Geometric"),
    "a list of constraints": (
        lambda: SYSTEM.constrain([Geometric("x", lambda q: [q.x])]),
        "a constraint must be a",
    ),
    "a constraint without a name": (lambda: SYSTEM.constrain(Geometric(3, lambda q: [q.x])), "name of a constraint"),
    "a force that is none": (lambda: rigid(force=[1, 2]), r"force must be a function of \(t, q, xi\), got \[1, 2\]"),
    "an unknown method": (lambda: rigid(method="magic"), "method must be one of 'auto'"),
    "a time in words": (lambda: SYSTEM.accelerations(REST, REST, t="now"), "t must be numbers"),
    "a loop of one frame": (lambda: Loop("l", "m", "m", "fixed"), "loop 'l' joins 'm' with itself"),
    "stiffness by a number": (lambda: Stiffness("ground", "m", 10.0), "moments of the springs .* must be Moments"),
    "energy that is not finite": (lambda: Stiffness("ground", "m", POINT, V_0=np.nan), "V_0 of the springs"),
    "damping by a number": (lambda: Damping("ground", "m", 1.0), "moments of the damping of 'm' must be Moments"),
    # flows
    "half a velocity": (lambda: hand(n=1.5), "numbers of coordinates, 'ball' or 'free', got 1.5"),
    "a configuration in one word": (lambda: hand(n=None, configuration="ball"), "configuration="),
    "less than no states": (lambda: hand(extra=-1), "extra of 'flow'"),
    "rates that are no function": (lambda: hand(3), "rates of 'flow' must be a function"),
    "names of two": (lambda: hand(names=("a", "a")), "must be different"),
    "names of the run": (lambda: hand(names=("x", "energy")), "none of q, xi, s, t, energy"),
    "rates in words": (lambda: run_of(hand(lambda t, q, xi: ["a"])), "must be numbers"),
    "rates of half of it": (lambda: run_of(hand(lambda t, q, xi, s: q, extra=1), [0], [0], [0]), r"a pair \(xi_dot"),
    "an energy that is not finite": (
        lambda: run_of(hand(energy=lambda q, xi: np.nan), integrator=vv.Relaxed()),
        "energy of 'flow' must be finite",
    ),
    "an energy that is a vector": (lambda: run_of(hand(energy=lambda q, xi: xi)), "must be one number"),
    # Kane
    "bodies of Kane in a list": (lambda: kane(bodies=[1]), "bodies must be a dict"),
    "forces of Kane in a list": (lambda: kane(forces=[1]), "forces must be a dict"),
    "parameters in a list": (lambda: kane(parameters=["m"]), "parameters must be a dict"),
    "a start at no time": (lambda: run_of(kane().form("velocity"), [0], [0], "noon"), "time t must be numbers"),
}


@pytest.mark.parametrize(("make", "said"), CASES.values(), ids=CASES)
def test_it_is_refused(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_lists_do_as_well_as_arrays():
    m = vv.Mechanism()
    m.body("b", mass=1, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    m.revolute("j", m.ground, "b", at=(0, 0, 0), axis=(0, 1, 0))
    form = vv.analytical(m)
    np.testing.assert_array_equal(form.advance_q([0.1], [0.2]), [0.1 + 0.2])  # no list of two
    with pytest.raises(ModelError, match="time t must be finite"):
        form.accelerations([0.1], [0.2], t=np.nan)

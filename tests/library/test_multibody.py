"""Bodies and joints as composites: patterns of the paper, a pendulum that moves as it must, errors."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.library.joints import MEET, TURN, along, cosine, rod
from visviva.library.multibody import (
    LOWER_PAIRS,
    SPIN,
    coordinate_spring,
    ground,
    joint,
    massless_body,
    multibody,
    particle,
    rate_coupling,
    rigid_body,
    spring,
    tie,
)
from visviva.library.multibody.friction import viscous
from visviva.library.multibody.tie import rate_quantity
from visviva.library.quantities import angular_momentum, momentum
from visviva.views.equations import equations

J = [0.3, 0.4, 0.5]
ROD = {"mass": 1.0, "inertia": [1e-3, 1 / 12, 1 / 12], "gravity": (0, -9.81, 0)}


def make(kind, **options):
    return joint(kind, **({"pitch": 0.1} if kind == "screw" else {}), **options)


# -- patterns


def test_a_body_is_the_pattern_of_figure_2():
    body = rigid_body(1.0, J)
    assert {name: box.kind for name, box in body.boxes.items()} == {
        "pe": "storage",
        "ke": "storage",
        "pkc": "reversible",
        "lp": "reversible",
    }
    assert list(body.interface) == ["p"]
    assert body.junctions["p"].ends == (("pkc", "p"), ("ke", "p"), ("lp", "p"))


@pytest.mark.parametrize("kind", LOWER_PAIRS)
def test_a_joint_is_the_pattern_of_figure_3(kind):
    friction = np.eye({"spherical": 3, "planar": 3, "cylindrical": 2}.get(kind, 1))
    one = make(kind, friction=friction)
    assert set(one.boxes) == {"pe", "pkc", "hc", "o1", "o2", "mf", "env"}
    assert list(one.interface) == ["p_1", "p_2"]
    assert not one.boxes["hc"].interface["q_r"].power


def test_a_joint_without_friction_makes_no_heat():
    assert set(joint("revolute").boxes) == {"pe", "pkc", "hc", "o1", "o2"}


def test_heat_can_leave_through_a_port():
    one = joint("revolute", friction=0.3, theta0=None)
    assert list(one.interface) == ["p_1", "p_2", "s"]
    system = multibody("m", {"a": rigid_body(1, J), "b": rigid_body(1, J)}, {"j": (one, "a", "b")})
    assert list(system.interface) == ["s_j"]


@pytest.mark.parametrize("kind", LOWER_PAIRS)
def test_on_the_direct_product_poses_are_shared(kind):
    one = make(kind, group="SO3xR3")
    assert [port.power for port in one.interface.values()] == [False, False, True, True]
    body = rigid_body(1.0, J, group="SO3xR3")
    system = multibody("m", {"a": body, "b": body}, {"j": (one, "a", "b")})
    assert [port for _, port in system.junctions["q_a"].ends] == ["q", "q_1"]


def test_a_quarter_turn_leaves_no_rounding_in_the_equations():
    eqs = equations(joint("revolute", SE3.exp([np.pi / 2, 0, 0, 0, 0, 0])))
    assert not [path for path in eqs.parameters if path.startswith("o1.R")]


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_joints_of_a_kind_share_a_law_if_asked(group):
    """With `general`, offsets with zeros and without have the same expression, and their own numbers."""
    skew, straight = SE3.exp([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), SE3.identity()
    one, two = (joint("prismatic", o, o, group=group, general=True) for o in (skew, straight))
    for box in ("o1", "o2", "hc"):
        assert (one.boxes[box].C.values == two.boxes[box].C.values).all()
    assert one.boxes["o1"].C.parameters["r1"][1] == pytest.approx(skew.r[0])
    assert two.boxes["o1"].C.parameters["r1"][1] == 0


def test_a_tie_has_offsets_on_bodies_only():
    bar = tie((rod(),), particles=(False, True))
    assert set(bar.boxes) == {"hc", "o1"}
    assert [str(port.quantity) for port in bar.interface.values()] == [
        "(SO3xR3, pose)",
        "(so3xr3*, momentum)",
        "(R3, position)",
        "(R3, momentum)",
    ]
    ball = tie(MEET, particles=(True, True))
    assert list(ball.interface) == ["p_1", "p_2"]


def test_a_tie_shows_rates_with_the_quantity_of_what_moves():
    rub = viscous({"angle": angular_momentum}, np.eye(1))
    hinge = tie((*MEET, cosine(2, 0), cosine(2, 1)), rates={"angle": (TURN,)}, losses={"mf": rub})
    assert list(hinge.interface) == ["q_1", "p_1", "q_2", "p_2", "angle"]
    assert set(hinge.boxes) == {"hc", "o1", "o2", "mf", "env"}
    assert hinge.interface["angle"].quantity == angular_momentum
    slide = tie((along(0),), rates={"slide": (along(2),)})
    assert slide.interface["slide"].quantity == momentum
    ball = tie(
        MEET, rates={"spin": SPIN}, losses={"mf": viscous({"spin": rate_quantity(SPIN)}, np.eye(3))}, theta0=None
    )
    assert list(ball.interface) == ["q_1", "p_1", "q_2", "p_2", "s", "spin"]
    assert ball.interface["spin"].quantity.dim == 3


def test_a_damper_without_a_spring_keeps_its_measure():
    damper = spring((rod(),), damping=np.eye(1), line=True)
    assert set(damper.boxes) == {"pe", "pkc", "hc", "o1", "o2", "mf", "env"}
    assert damper.boxes["pe"].H.values.item() == 0


def test_what_has_no_mass_and_what_has_no_rotation():
    assert list(massless_body().interface) == list(particle(1.0).interface) == ["q", "p"]


def test_a_thin_rod_has_no_momentum_about_its_own_axis():
    needle = rigid_body(1.0, [0.2, 0, 0.2], group="SO3xR3")
    assert set(needle.boxes) == {"pe", "ke", "axes", "pkc", "lp"}
    assert needle.junctions["p_k"].quantity.dim == 5
    assert list(needle.interface) == ["q", "p"]


def test_what_acts_along_coordinates_has_a_port_for_each():
    both = coordinate_spring(("rad", "m"), damping=np.eye(2))
    assert {name: port.quantity for name, port in both.interface.items()} == {"r1": angular_momentum, "r2": momentum}
    assert list(coordinate_spring(("m",), damping=np.eye(1), theta0=None).interface) == ["r1", "s"]
    assert list(rate_coupling(("rad", "m"), (1.0, -0.3)).interface) == ["r1", "r2"]


# -- the pendulum M10: its motion is that of one equation, (1/3) ω' = -g/2 cos θ - μ ω


class Pendulum:
    """The equations of a rod on a hinge at the origin, evaluated on its one freedom."""

    def __init__(self, group: str, mu: float) -> None:
        hinge = joint("revolute", o2=SE3.from_parts(np.eye(3), [-0.5, 0, 0]), friction=mu, group=group)
        bodies = {"ground": ground(group), "rod": rigid_body(**ROD, group=group)}
        self.eqs = equations(multibody("pendulum", bodies, {"hinge": (hinge, "ground", "rod")}))
        self.direct = group == "SO3xR3"
        eqs, v = self.eqs, self.eqs.variables
        self.q = "q_rod" if self.direct else "rod.q"
        lam = sympy.Matrix(eqs.multipliers["hinge.hc"])
        efforts = {s: e for vector, entries in v.abbreviations for s, e in zip(vector.entries, entries, strict=True)}
        rows = sympy.Matrix(
            [*eqs.rates["p_rod"], eqs.algebraic["hinge.p_r"], eqs.rates["hinge.s"], *eqs.constraints["hinge.hc"]]
        )
        rows = rows.xreplace(efforts).subs(eqs.values)
        arguments = [*eqs.states[self.q], *eqs.states["p_rod"], *eqs.states["hinge.q_r"], *eqs.efforts["hinge.p_r"]]
        if self.direct:
            arguments += eqs.states["q_ground"]
        at_zero = rows.subs(dict.fromkeys(lam, 0))
        self.evaluate = sympy.lambdify(arguments, [at_zero, rows.jacobian(lam)], "numpy")

    def momentum(self, theta: float, omega: float):
        turn = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
        v = np.array([0, 0.5 * omega, 0])
        return turn, np.r_[0, 0, omega / 12, turn @ v if self.direct else v]

    def accelerations(self, theta: float, omega: float):
        """ω', the wrench λ on the rod, s' and the residual of the constraint."""
        turn, p = self.momentum(theta, omega)
        q = [*(turn @ [0.5, 0, 0]), *turn.T.ravel()]
        world = [0.0, 0, 0, *np.eye(3).ravel()] if self.direct else []
        c, s = np.cos(theta), np.sin(theta)
        rows, slope = (np.asarray(a, float) for a in self.evaluate(*q, *p, c, s, -s, c, omega, *world))
        p_omega = self.momentum(theta, 1.0)[1]
        drift = (self.momentum(theta + 1e-6, omega)[1] - self.momentum(theta - 1e-6, omega)[1]) / 2e-6 * omega
        A = np.zeros((7, 7))
        A[:6, 0], A[:, 1:] = p_omega, -slope[:7]
        right = rows[:7, 0] - np.r_[drift, 0.0]
        solution = np.linalg.solve(A, right)
        return solution[0], solution[1:], rows[7, 0], rows[8:, 0]


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize(("theta", "omega"), [(0.0, 0.0), (-0.7, 1.3), (2.5, -0.4)])
def test_a_pendulum_accelerates_as_it_must(group, theta, omega):
    omega_dot, _, s_dot, residual = Pendulum(group, 0.3).accelerations(theta, omega)
    assert omega_dot == pytest.approx(3 * (-9.81 / 2 * np.cos(theta) - 0.3 * omega), abs=1e-8)
    assert s_dot == pytest.approx(0.3 * omega**2 / 300)
    assert np.abs(residual).max() < 1e-15


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_the_multiplier_is_the_wrench_on_body_2(group):
    """Released from rest, the hinge carries a quarter of the weight."""
    _, lam, _, _ = Pendulum(group, 0.3).accelerations(0.0, 0.0)
    np.testing.assert_allclose(lam, [0, 0, 0, 0, 9.81 / 4, 0], atol=1e-9)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_a_damped_pendulum_reaches_the_published_state(group):
    from scipy.integrate import solve_ivp

    pendulum = Pendulum(group, 0.3)

    def rate(_, y):
        omega_dot, _, s_dot, _ = pendulum.accelerations(y[0], y[1])
        return [y[1], omega_dot, s_dot]

    end = solve_ivp(rate, (0, 1), [0, 0, 0], rtol=1e-10, atol=1e-12, method="DOP853").y[:, -1]
    np.testing.assert_allclose(end, [-2.53881655, 0.80634857, 0.00890811], rtol=0, atol=1e-7)


# -- errors


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: rigid_body(0, J), "mass must be positive"),
        (lambda: rate_coupling(("rad",), (1.0, 2.0)), "coupling of 1 rates has 2 coefficients"),
        (lambda: rigid_body(1, [1, 1, 5]), "inertia"),
        (lambda: rigid_body(1, J, gravity=9.81), "gravity must have shape"),
        (lambda: rigid_body(1, J, group="SO3"), "is 'SE3' or 'SO3xR3', got 'SO3'"),
        (lambda: rigid_body(1, J, potential=lambda x, w3: w3 * x.q.r[0], w3=1.0), "parameter 'w3' of the potential"),
        (lambda: rigid_body(1, J, k=2.0), "does not depend on its parameter 'k'"),
        (lambda: joint("gear"), "no joint 'gear'; there is spherical, planar, .*universal, table, screw"),
        (lambda: joint("screw"), "a screw joint needs its pitch"),
        (lambda: joint("revolute", pitch=0.1), "a revolute joint has no pitch"),
        (lambda: joint("revolute", np.eye(4)), "o1 of a joint must be one pose"),
        (lambda: joint("revolute", SE3.identity((2,))), "o1 of a joint must be one pose"),
        (lambda: joint("planar", friction=0.3), r"units rad, m, m.\n.*Give 3 numbers"),
        (lambda: joint("planar", friction=np.eye(2)), r"must be a number, \(3,\) or \(3, 3\)"),
        (lambda: joint("revolute", friction=-0.1), "symmetric and positive semidefinite"),
        (lambda: joint("spherical", friction=np.triu(np.ones((3, 3)))), "symmetric and positive semidefinite"),
        (lambda: joint("revolute", friction=0.0), "friction of a revolute joint is zero"),
        (lambda: joint("revolute", friction=0.1, theta0=-3), "theta0 of an environment .* must be positive"),
        (lambda: joint("revolute", group="SE2"), "got 'SE2'"),
        (lambda: particle(0), "mass of a particle .* must be positive"),
        (lambda: particle(1, gravity=9.81), "gravity must have shape"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_a_joint_at_an_unknown_body_is_refused():
    with pytest.raises(ModelError, match="joint 'j' of 'm' ends at 'c'; the bodies are a"):
        multibody("m", {"a": rigid_body(1, J)}, {"j": (joint("revolute"), "a", "c")})


def test_bodies_and_joints_of_different_groups_do_not_fit():
    bodies = {"a": rigid_body(1, J), "b": rigid_body(1, J)}
    with pytest.raises(ModelError, match=r"needs port 'q' of body 'a', which has p.\n.*same group"):
        multibody("m", bodies, {"j": (joint("revolute", group="SO3xR3"), "a", "b")})

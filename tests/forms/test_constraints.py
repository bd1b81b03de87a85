import numpy as np
import pytest
import scipy.integrate
import scipy.special
import sympy
from numpy.testing import assert_allclose
from rigid_models import G, particle

from visviva.errors import AssemblyError, ModelError
from visviva.forms import coordinates
from visviva.forms.rigid.constraints import Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.system import RigidSystem

ROD = Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 1) / 2])
METHODS = ("auto", "null space", "kkt", "range space")


def motion(system, q, xi, t_end):
    start = np.concatenate([q, xi])
    found = scipy.integrate.solve_ivp(system.rhs, (0, t_end), start, method="DOP853", rtol=1e-8, atol=1e-10)
    return np.split(found.y[:, -1], [system.size_q])


def skate(slope=2.0):
    """A blade of mass and moment 1 on an incline that falls along x, no velocity across itself."""
    p = coordinates.joined({("ground", "skate"): coordinates.planar("s")})
    body = Moments.from_parts(1.0, moment=(0.5, 0.5, 1.0))
    return RigidSystem(p, bodies={"skate": body}, gravity=(slope, 0, 0)).constrain(Pfaffian("blade", [[0, 0, 1]]))


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_from_the_horizontal_has_its_period(method):
    system = particle().constrain(ROD, method=method)
    period = 4 * scipy.special.ellipk(0.5) / np.sqrt(G)
    assert period == pytest.approx(2.369049722, abs=1e-9)
    q, xi = motion(system, (1, 0), (0, 0), period / 4)
    assert_allclose(q, [0, -1], atol=1e-8)
    assert_allclose(xi, [-np.sqrt(2 * G), 0], atol=1e-7)


def test_the_reaction_of_a_rod_is_its_tension():
    """At the lowest point of a swing from the horizontal, 3 m g, upwards."""
    system, v = particle(2.0).constrain(ROD), np.sqrt(2 * G)
    solution = system.solve((0, -1), (v, 0))
    assert_allclose(solution.reactions["rod"], [0, 3 * 2.0 * G], atol=1e-12)
    assert_allclose(-solution.multipliers["rod"] * np.array([0.0, -1.0]), solution.reactions["rod"], atol=1e-12)


def by_hand():
    return Geometric(
        "rod",
        lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2],
        slope=lambda q: [[q[0], q[1]]],
        curvature=lambda q, q_dot: [q_dot @ q_dot],
    )


def by_symbols():
    x, y = sympy.symbols("x y")
    return Geometric("rod", [(x**2 + y**2 - 1) / 2])


@pytest.mark.parametrize("rod", [by_hand(), by_symbols(), Pfaffian("rod", lambda q: [[q.x, q.y]])])
def test_every_way_to_say_it_gives_the_same_rows(rod):
    system, reference = particle().constrain(rod), particle().constrain(ROD)
    state = (0.6, -0.8), (0.4, 0.3)
    assert_allclose(system.accelerations(*state), reference.accelerations(*state), atol=1e-13)


def test_derivatives_by_hand_in_velocities_that_turn():
    """A ring about the origin for a skate without its blade: Ȧ ξ is not zero there."""
    plain = RigidSystem(skate().parameterisation, bodies=skate().bodies, gravity=(2, 0, 0))
    ring = Geometric("ring", lambda q: [(q.s_x**2 + q.s_y**2 - 1) / 2])
    hand = Geometric(
        "ring",
        lambda q: [(q[0] ** 2 + q[1] ** 2 - 1) / 2],
        slope=lambda q: [[q[0], q[1], 0, 0]],
        curvature=lambda q, q_dot: [q_dot[:2] @ q_dot[:2]],
    )
    q, xi = (0.6, 0.8, np.cos(0.7), np.sin(0.7)), (1.5, 0.8, 0.4)
    found, expected = (plain.constrain(each).accelerations(q, xi) for each in (hand, ring))
    assert_allclose(found, expected, atol=1e-13)


def test_rows_in_coordinates_and_in_velocities_are_the_same():
    """N q̇ = 0 of a skate, N = (-s, c) on (x, y), is v_y = 0; Konz (3.125b)."""
    in_q = RigidSystem(skate().parameterisation, bodies=skate().bodies, gravity=(2, 0, 0)).constrain(
        Pfaffian("blade", lambda q: [[-q.s_s, q.s_c, 0, 0]], of="q_dot")
    )
    q, xi = (0.3, 0.1, np.cos(0.7), np.sin(0.7)), (1.5, 0.8, 0.0)
    assert_allclose(in_q.accelerations(q, xi), skate().accelerations(q, xi), atol=1e-13)


def test_a_skate_on_an_incline_draws_a_cycloid():
    """x = g'/(2ω²) sin² ωt, y = g'/(2ω²)(ωt - ½ sin 2ωt): it does not slide down."""
    system, w, g, t = skate(), 1.5, 2.0, 3.0
    q, xi = motion(system, (0, 0, 1, 0), (w, 0, 0), t)
    exact = g / (2 * w**2) * np.array([np.sin(w * t) ** 2, w * t - np.sin(2 * w * t) / 2])
    assert_allclose(exact, [0.424695614, 1.908418114], atol=1e-9)
    assert_allclose(q[:2], exact, atol=1e-8)
    assert pytest.approx(w**2 / 2, abs=1e-7) == system.terms(q, xi).H  # no work of the blade


def test_baumgarte_pulls_positions_back():
    """ψ̈ + 10 ψ̇ + 25 ψ = 0 from ψ = 0.01 at rest: ψ(1) = 0.06 e⁻⁵; Konz (A.13)."""
    rod = Geometric("rod", ROD.psi, baumgarte=(10.0, 25.0))
    q, _ = motion(particle().constrain(rod), (np.sqrt(1.02), 0), (0, 0), 1.0)
    assert (q @ q - 1) / 2 == pytest.approx(4.0427682e-4, abs=1e-9)
    free, _ = motion(particle().constrain(ROD), (np.sqrt(1.02), 0), (0, 0), 0.3)
    assert (free @ free - 1) / 2 == pytest.approx(0.01, abs=1e-8)  # kept, not corrected


def test_baumgarte_pulls_velocities_back():
    """η̇ + L η = 0."""
    system = particle().constrain(Kinematic("speed", lambda xi: [xi.vx - xi.vy], baumgarte=(3.0, 0.0)))
    _, xi = motion(system, (0, 0), (0.5, 0.0), 0.8)
    assert xi[0] - xi[1] == pytest.approx(0.5 * np.exp(-3.0 * 0.8), abs=1e-8)


def test_a_nonlinear_condition_on_velocities_holds_and_does_work():
    """|v|² = 1 + t: the reaction has power d/dt T - f·v = ½ - f·v."""
    system = particle().constrain(Kinematic("speed", lambda xi, t: [xi.vx**2 + xi.vy**2 - 1 - t]))
    _, xi = motion(system, (0, 0), (1, 0), 0.5)
    assert xi @ xi == pytest.approx(1.5, abs=1e-7)
    solution = system.solve((0, 0), (0.6, 0.8))
    assert solution.reactions["speed"] @ (0.6, 0.8) == pytest.approx(0.5 + 0.8 * G)


def test_a_constraint_may_move_in_time():
    """A bead on a rod that turns, angle ωt: r̈ = ω² r without gravity."""
    w = 2.0
    system = particle(gravity=(0, 0, 0)).constrain(
        Geometric("rod", lambda q, t: [q.y * np.cos(w * t) - q.x * np.sin(w * t)])
    )
    q, _ = motion(system, (1, 0), (0, w), 0.7)
    r = np.cosh(w * 0.7)
    assert_allclose(q, [r * np.cos(w * 0.7), r * np.sin(w * 0.7)], atol=1e-8)


def test_an_acceleration_may_be_prescribed():
    system = particle().constrain(Acceleration("lift", [[0.0, 1.0]], lambda t, q, xi: [3.0 + t]))
    assert_allclose(system.accelerations((0, 0), (0, 0), (1, 0), t=1.0), [1, 4])
    assert_allclose(system.solve((0, 0), (0, 0)).reactions["lift"], [0, 3 + G])


def test_reactions_add_up_to_what_is_missing():
    system = particle().constrain(ROD, Pfaffian("slot", [[1.0, 0.0]]))
    state = (0.6, -0.8), (0.0, 0.0)
    solution, terms = system.solve(*state), system.terms(*state)
    assert_allclose(sum(solution.reactions.values()), terms.M @ solution.xi_dot - terms.b, atol=1e-12)
    assert_allclose(solution.xi_dot, 0, atol=1e-12)


def test_the_same_constraint_twice_changes_nothing():
    system = particle().constrain(ROD, Geometric("again", ROD.psi))
    state = (0.6, -0.8), (0.4, 0.3)
    assert_allclose(system.accelerations(*state), particle().constrain(ROD).accelerations(*state), atol=1e-12)
    assert_allclose(
        sum(system.solve(*state).reactions.values()),
        particle().constrain(ROD).solve(*state).reactions["rod"],
        atol=1e-12,
    )


def test_contradicting_constraints_are_refused_by_name():
    system = particle().constrain(Acceleration("up", [[0.0, 1.0]], [1.0]), Acceleration("down", [[0.0, 1.0]], [-1.0]))
    with pytest.raises(AssemblyError, match="contradict each other: up, down"):
        system.accelerations((0, 0), (0, 0))


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: particle().constrain(ROD, ROD), "two constraints are called 'rod'"),
        (lambda: particle().constrain(Geometric("rod", ROD.psi, baumgarte=5.0)), r"must be two rates \(L1, L0\)"),
        (lambda: particle().constrain(Geometric("rod", ROD.psi, baumgarte=(1, -1))), "not negative"),
        (lambda: Geometric("rod", ROD.psi, slope=lambda q: q), "give both slope and curvature"),
        (lambda: Pfaffian("blade", [[1, 0]], of="q"), "rows are of 'xi' or of 'q_dot'"),
        (lambda: particle().constrain(Pfaffian("blade", [[1, 0, 0]])), r"constraint 'blade' must have shape \(m, 2\)"),
        (lambda: particle().constrain(Geometric("rod", lambda z: [z])), "constraint 'rod' asks for the argument 'z'"),
        (
            lambda: particle().constrain(Geometric("rod", lambda q: q.x)).accelerations((1, 0), (0, 0)),
            "constraint 'rod' must have shape",
        ),
        (
            lambda: particle().constrain(Acceleration("lift", [[1.0]], [0.0])).accelerations((0, 0), (0, 0)),
            r"constraint 'lift' has rows of shape \(1, 1\)",
        ),
        (
            lambda: particle().constrain(Geometric("rod", lambda q: [np.sqrt(q.x)])).accelerations((-1, 0), (0, 0)),
            "constraint 'rod'",
        ),
    ],
)
def test_wrong_constraints_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()

"""What cannot be Kane's equations is refused, in the user's own names."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from kane_systems import driven_pendulum, sleigh

import visviva as vv
from visviva import KaneBody, ModelError, kane

BALL = KaneBody(mass=1.0, v=lambda xi: [xi.u, xi.w])
GOOD = {"q": ("x", "y"), "xi": ("u", "w"), "bodies": {"ball": BALL}}


def build(**changes):
    return kane("ball game", **(GOOD | changes))


def test_the_good_one_is_good():
    assert build().at([0, 0], [1, 2]).kinetic == 2.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bodies": {}}, "'ball game' has no bodies"),
        ({"bodies": {"ball": 3}}, r"body 'ball' of 'ball game' must be a KaneBody"),
        ({"bodies": {"ball": KaneBody(mass=1.0)}}, "velocity of body 'ball' of 'ball game' must be given once"),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=[0, 0], v_xi=np.eye(2))}},
            "velocity of body 'ball' of 'ball game' must be given once",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [xi.u, xi.w], w=lambda xi: xi.w)}},
            "body 'ball' of 'ball game' has an angular velocity but no inertia",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [xi.u, xi.w], inertia=2.0)}},
            "has an inertia but no angular velocity",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=-1.0, v=lambda xi: [xi.u, xi.w])}},
            "mass of body 'ball' must not be negative",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=lambda q: q.x, v=lambda xi: [xi.u, xi.w])}},
            "mass of body 'ball' of 'ball game' asks for the argument 'q'",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [xi.u, xi.w, 0, 0])}},
            r"velocity of body 'ball' of 'ball game' must have shape \(3,\) or \(2,\), got \(4,\)",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v_xi=np.eye(3))}},
            r"partials of the velocity of body 'ball' of 'ball game' must have shape \(3, 2\) or \(2, 2\)",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [xi.u * xi.w, xi.w])}},
            "velocity of body 'ball' of 'ball game' must be affine in the velocities; in w it is not",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [np.abs(xi.u), xi.w])}},
            "must be affine in the velocities; in u it is not",
        ),
        (
            {"bodies": {"ball": KaneBody(mass=1.0, v=lambda xi: [xi.u, 0])}},
            "A is singular: the velocity w moves no mass",
        ),
        (
            {
                "bodies": {
                    "ball": KaneBody(1.0, v=lambda xi: [xi.u, xi.w], w=lambda xi: [0, 0, xi.w], inertia=(1, -1, 1))
                }
            },
            "inertia of body 'ball' of 'ball game' must be symmetric and positive semidefinite",
        ),
        (
            {"bodies": {"ball": KaneBody(1.0, v=lambda xi: [xi.u, xi.w], axes="earth")}},
            "axes of body 'ball' must be 'world', 'body' or an angular velocity, got 'earth'",
        ),
        ({"q": ("x",)}, r"'ball game' has 1 coordinates and 2 velocities: give q_dot"),
        ({"q_dot": lambda xi: [xi.u]}, r"q_dot of 'ball game' must have shape \(2,\), got \(1,\)"),
        (
            {"q_dot": lambda xi: [xi.u**2, xi.w]},
            "q_dot of 'ball game' must be affine in the velocities; in u it is not",
        ),
        ({"q": ("x", "x")}, "'ball game' has two things called 'x'"),
        ({"q": ("x", "u")}, "'ball game' has two things called 'u'"),
        ({"q": ("x", "T")}, "a coordinate of 'ball game' cannot be called 'T'"),
        ({"xi": ("u", "p_w")}, "cannot be called 'p_w': momenta of a run have such names"),
        ({"q": ("x", "2 y")}, "a coordinate of 'ball game' cannot be called '2 y'"),
        ({"parameters": {"xi": 1.0}}, "a parameter of 'ball game' cannot be called 'xi'"),
        ({"parameters": {"k": 1.0}}, "nothing in 'ball game' depends on its parameter 'k': a misprint"),
        ({"parameters": {"k": np.nan}}, "parameter 'k' of 'ball game' must be finite"),
        ({"V": lambda q: q.z}, "it asks for the coordinate 'z'; there are x, y"),
        ({"V": lambda xi: xi.u}, "potential energy V of 'ball game' asks for the argument 'xi'"),
        ({"V": sympy.Symbol("u")}, "potential energy V of 'ball game' depends on 'u'; it may depend on q and t"),
        ({"V": sympy.Symbol("k")}, "has the symbol 'k', which 'ball game' does not know"),
        (
            {"forces": {"push": ("bal", [1, 0])}},
            "where force 'push' acts on a body or point, has no 'bal'. Did you mean 'ball'",
        ),
        (
            {"forces": {"push": [1, 0]}},
            r"force 'push' of 'ball game' must be a pair \(name of a body or point, components\)",
        ),
        (
            {"forces": {"push": ("ball", 1.0)}},
            r"force 'push' of 'ball game' must have shape \(3,\) or \(2,\), got \(\)",
        ),
        (
            {"torques": {"twist": ("tip", 1.0)}, "points": {"tip": [1, 0]}},
            "torque 'twist' acts on a body, has no 'tip'",
        ),
        ({"points": {"ball": [0, 0]}}, "the name 'ball' is taken already"),
        ({"tau": {"x": 1.0}}, "on whose velocities tau= acts, has no 'x'"),
        ({"tau": {"u": [1.0, 2.0]}}, "tau of 'u' of 'ball game' must have shape one number"),
        ({"known": {"x": 1.0}}, "whose velocities known= prescribes, has no 'x'"),
        ({"known": {"u": lambda q: q.x}}, "known velocity 'u' of 'ball game' asks for the argument 'q'"),
        ({"known": {"u": sympy.Symbol("x")}}, "known velocity 'u' of 'ball game' depends on 'x'; it may depend on t"),
        ({"forces": {"push": ("ball", lambda q: [max(q.x, 0), 0])}}, "force 'push' of 'ball game' cannot be traced"),
    ],
)
def test_description_that_is_none_is_refused(changes, message):
    with pytest.raises(ModelError, match=message):
        build(**changes)


def test_coordinates_and_velocities_have_their_numbers():
    with pytest.raises(ModelError, match=r"coordinates q of 'sleigh' must have shape \(3,\)"):
        sleigh().at([0, 0], [1, 2])
    with pytest.raises(ModelError, match=r"velocities xi of 'driven pendulum' \(w\) must have shape \(1,\)"):
        driven_pendulum().at([0, 0], [1, 2])
    with pytest.raises(ModelError, match=r"momenta p of 'sleigh' \(w, v\)"):
        sleigh().at_momentum([0, 0, 0], [1, 2, 3])


def test_state_without_a_value_is_named():
    system = build(V=lambda q: np.log(q.x))
    with pytest.raises(ModelError, match=r"the expressions of 'ball game' have no finite value at x = 0, y = 1"):
        system.at([0, 1], [0, 0])
    with pytest.raises(ModelError, match=r"no finite value at x = -1"):
        build(V=lambda q: np.sqrt(q.x)).at([-1, 1], [0, 0])


def test_velocities_that_move_the_same_mass_are_named():
    both = KaneBody(mass=1.0, v=lambda xi: [xi.u + 2 * xi.w, 0])
    system = build(bodies={"ball": both})
    with pytest.raises(ModelError, match="a combination of the velocities u and w moves no mass here"):
        system.at([0, 0], [1, 2]).xi_dot  # noqa: B018
    with pytest.raises(ModelError, match="a combination of the velocities u and w moves no mass here"):
        system.at_momentum([0, 0], [1, 2])


def test_start_of_a_run_is_checked():
    form = sleigh().form()
    with pytest.raises(ModelError, match=r"'sleigh' starts from initial=\(q, xi\), coordinates \(x, y, theta\)"):
        vv.simulate(form, 1.0, 0.1, initial=None)
    with pytest.raises(ModelError, match=r"velocities xi of 'sleigh' \(w, v\)"):
        vv.simulate(form, 1.0, 0.1, initial=([0, 0, 0], [1]))


def test_end_of_another_run_is_no_start():
    run = vv.simulate(sleigh().form(), 0.1, 0.1, initial=([0, 0, 0], [1, 1]))
    with pytest.raises(ModelError, match="'driven pendulum' cannot continue a run of something else"):
        vv.simulate(driven_pendulum().form(), 1.0, 0.1, initial=run.final)


def test_force_that_starts_infinite_spoils_no_other_time():
    system = build(tau={"u": lambda t: 1 / t})
    run = vv.simulate(system.form(), 2.0, 0.05, initial=([0, 0], [0, 0], 1.0))
    assert run["u"][-1] == pytest.approx(np.log(2), abs=1e-9)
    assert run["energy"][-1] == pytest.approx(np.log(2) ** 2 / 2, abs=1e-9)
    with pytest.raises(ModelError, match="have no finite value at x = 0, y = 0, u = 0, w = 0, t = 0"):
        system.at([0, 0], [0, 0])


def test_velocity_without_mass_may_be_known():
    """A drive of something that weighs nothing needs no force."""
    light = KaneBody(mass=1.0, v=lambda xi: [xi.u, 0])
    point = build(bodies={"ball": light}, known={"w": lambda t: t}).at([0, 0], [1.0], 2.0)
    assert point.drives == {"w": 0.0}
    assert point.q_dot.tolist() == [1.0, 2.0]


def test_everything_known_is_a_question_of_forces():
    point = build(known={"u": lambda t: t**2, "w": 0}).at([0, 0], [], 3.0)
    assert point.drives == {"u": 6.0, "w": 0.0}
    assert point.power == 54.0

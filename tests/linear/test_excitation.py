"""Drives as inputs: bases that shake, pivots that move, tables that turn faster."""

import numpy as np
import pytest
from linear_models import G
from numpy.testing import assert_allclose

import visviva as vv

W = np.array([0.5, 3.0, 5.7, 20.0, 100.0])
S = 1j * W
FACTOR = {"position": 1.0, "rate": S, "acceleration": S**2}  # s^(k) = FACTOR s
MASS, STIFFNESS, DAMPING = 1.5, 50.0, 2.0


def shaker(**law):
    """A mass on spring and damper on a base that is driven along x."""
    m = vv.Mechanism("shaker")
    m.body("base", mass=3.0, inertia=(1, 1, 1))
    m.body("mass", mass=MASS, inertia=(1, 1, 1), at=(1, 0, 0))
    m.prismatic("slide", m.ground, "base", axis=(1, 0, 0))
    m.prismatic("rail", "base", "mass", axis=(1, 0, 0))
    m.spring("spring", "base", "mass", at_a=(0, 0, 0), at_b=(1, 0, 0), k=STIFFNESS, damping=DAMPING)
    m.drive("shake", "slide", **(law or {"position": 0.0}))
    return m


@pytest.mark.parametrize("word", FACTOR)
@pytest.mark.parametrize(
    "law",
    [{"position": 0.2}, {"position": lambda t: 0.01 * np.sin(3 * t)}, {"rate": lambda t: 0.1 + t}],
    ids=["still", "shaking", "moving"],
)
def test_a_shaken_mass_has_its_transmissibility(word, law):
    """x/s = (c λ + k)/(m λ² + c λ + k), whatever the drive does in a run, and by whichever of its derivatives."""
    lin = vv.linearise(shaker(**law), inputs=[f"shake.{word}"], outputs=["mass.r", "mass.twist", "rail.q"])
    response, bottom = lin.frequency_response(W), MASS * S**2 + DAMPING * S + STIFFNESS
    whole = (DAMPING * S + STIFFNESS) / bottom
    name = f"shake.{word}"
    assert lin.inputs == (name,)
    assert_allclose(response["mass.r[0]", name] * FACTOR[word], whole, rtol=1e-9)
    assert_allclose(response["mass.twist[3]", name] * FACTOR[word], S * whole, rtol=1e-9)
    assert_allclose(response["rail.q", name] * FACTOR[word], -MASS * S**2 / bottom, rtol=1e-9)
    assert lin.unit(name) == {"position": "m", "rate": "m/s", "acceleration": "m/s²"}[word]


@pytest.mark.parametrize("word", FACTOR)
def test_a_spring_to_the_ground_feels_the_place_of_the_base(word):
    """x/s = (c λ + k)/(m λ² + c λ + k + k'): seen from the base, its position is a force."""
    m = shaker()
    m.spring("wall", m.ground, "mass", at_a=(2, 0, 0), at_b=(1, 0, 0), k=30.0)
    lin = vv.linearise(m, inputs=[f"shake.{word}"], outputs=["mass.r"])
    expected = (DAMPING * S + STIFFNESS) / (MASS * S**2 + DAMPING * S + STIFFNESS + 30.0)
    found = lin.frequency_response(W)["mass.r[0]", f"shake.{word}"]
    assert_allclose(found * FACTOR[word], expected, rtol=1e-9)


def test_states_are_added_only_where_they_matter():
    """Seen from the base, only its acceleration is felt; from the ground, its rate and position as well."""
    relative = vv.linearise(shaker(), inputs=["shake.acceleration"], outputs=["rail.q", "rail.rate"])
    assert relative.states == ("rail.q", "rail.rate")
    assert_allclose(relative.B, [[0], [-1]], atol=1e-12)
    assert relative.stable
    absolute = vv.linearise(shaker(), inputs=["shake.acceleration"], outputs=["mass.r"])
    assert absolute.states == ("rail.q", "rail.rate", "shake.position", "shake.rate")
    assert vv.linearise(shaker(), inputs=["shake"], outputs=["mass.r"]).states[-1] == "shake.position"
    place = vv.linearise(shaker(), inputs=["shake.position"])
    assert place.states == ("rail.q*", "rail.rate*")
    assert place.unit("rail.rate*") == "m/s"
    assert_allclose(sorted(place.poles().imag), sorted(relative.poles().imag))


def pendulum(axis):
    m = vv.Mechanism("pivot", gravity=(0, 0, -G))
    m.body("cart", massless=True)
    m.body("bob", mass=2.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, -0.7))
    m.prismatic("slide", m.ground, "cart", axis=axis)
    m.revolute("hinge", "cart", "bob", at=(0, 0, 0), axis=(0, 1, 0))
    m.drive("pivot", "slide", rate=0.0)
    return m


def test_a_pendulum_follows_its_pivot():
    """(J + m l²) θ̈ + m g l θ = m l s̈, θ about y."""
    lin = vv.linearise(pendulum((1, 0, 0)), inputs=["pivot.position"], outputs=["hinge.q", "bob.r"])
    response = lin.frequency_response(W)
    angle = 2.0 * 0.7 * S**2 / ((0.2 + 2.0 * 0.7**2) * S**2 + 2.0 * G * 0.7)
    assert_allclose(response["hinge.q", "pivot.position"], angle, rtol=1e-8)
    assert_allclose(response["bob.r[0]", "pivot.position"], 1 - 0.7 * angle, rtol=1e-7)


def test_a_pivot_that_moves_up_and_down_excites_nothing_at_first_order():
    lin = vv.linearise(pendulum((0, 0, 1)), inputs=["pivot.acceleration"], outputs=["hinge.q"])
    assert not lin.B.any()
    assert lin.n == 2


def test_a_base_that_accelerates_is_a_gravity_that_leans():
    """Of a loop under load: the input column is the slope of accelerations over the gravity, M̈ = -s̈."""

    def make(lean):
        m = vv.Mechanism("five bar", gravity=(lean, 0, -G))
        m.body("base", mass=1.0, inertia=(1, 1, 1))
        m.prismatic("slide", m.ground, "base", axis=(1, 0, 0))
        m.drive("shake", "slide", position=0.0)
        points = [(-0.4, 0, 0), (-0.9, 0, -0.8), (0.1, 0, -1.6), (1.0, 0, -0.7), (0.4, 0, 0)]
        names = ["base", *(f"bar{k}" for k in range(4)), "base"]
        for k in range(4):
            a, b = np.array(points[k]), np.array(points[k + 1])
            m.body(
                names[k + 1], inertia=vv.inertia.rod(1.0 + k, float(np.linalg.norm(b - a)), axis=b - a), at=(a + b) / 2
            )
        for k in range(5):
            m.revolute(f"hinge{k}", names[k], names[k + 1], at=points[k], axis=(0, 1, 0))
        return m

    m = make(0.0)
    lin = vv.linearise(m, inputs=["shake.acceleration"], outputs=["hinge0.rate", "hinge1.rate", "hinge4.rate"])
    assert len(lin.mechanics.M) == 2
    at, h = vv.equilibrium(m), 1e-3
    rates = []
    for lean in (h, -h):
        form = vv.analytical(make(lean))
        q, _, s = form.coordinates(at.motion)
        rates.append(form.accelerations(q, np.zeros(form.n), s))
    slope = (rates[0] - rates[1]) / (2 * h)
    found = {name: -slope[form.xi_names.index(name)] for name in lin.states[2:]}
    assert_allclose(lin.B[2:, 0], list(found.values()), rtol=1e-6)


def test_a_table_that_turns_faster_throws_a_mass_out():
    """r̈ + (k/m - Ω²) r = k l/m: with δΩ, δr̈ + (k/m - Ω²) δr = 2 Ω r δΩ."""
    speed, k, mass, length = 3.0, 60.0, 1.2, 0.5
    r = k * length / (k - mass * speed**2)
    m = vv.Mechanism("table")
    m.body("table", mass=1.0, inertia=(1, 1, 1))
    m.body("mass", mass=mass, inertia=(0.01, 0.01, 0.01), at=(r, 0, 0))
    m.revolute("shaft", m.ground, "table", at=(0, 0, 0), axis=(0, 0, 1))
    m.prismatic("rail", "table", "mass", axis=(1, 0, 0))
    m.spring("spring", "table", "mass", at_a=(0, 0, 0), at_b=(r, 0, 0), k=k, length=length)
    m.drive("turn", "shaft", rate=speed)
    lin = vv.linearise(m, inputs=["turn"], outputs=["rail.q", "shaft.rate"], steady=True)
    response = lin.frequency_response(W)
    assert_allclose(response["rail.q", "turn.rate"], 2 * speed * r / (k / mass - speed**2 + S**2), rtol=1e-8)
    assert_allclose(response["shaft.rate", "turn.rate"], 1.0, rtol=1e-12)
    assert lin.n == 2


def test_a_run_follows_the_linear_system():
    """When all that a start from rest leaves has died out."""
    lin = vv.linearise(shaker(), inputs=["shake.position"], outputs=["mass.r"])
    m = shaker(position=lambda t: 1e-3 * np.sin(5.0 * t))
    run = vv.simulate(m, t_end=20.0, h=4e-3)
    gain = lin.frequency_response([5.0])["mass.r[0]", "shake.position"][0]
    late = run.t > 18.0
    assert_allclose(run["mass.r"][late, 0] - 1.0, 1e-3 * (gain * np.exp(5j * run.t[late])).imag, atol=2e-6)


def test_forms_and_other_inputs_go_together():
    m = shaker()
    m.force("push", "rail")
    both = vv.linearise(vv.analytical(m), at=([0.0, 0.0], [0.0, 0.0]), inputs=["shake.acceleration", "push"])
    assert both.inputs == ("shake.acceleration", "push")
    assert_allclose(both.B[-1], [-1.0, 1 / MASS], rtol=1e-9)
    assert vv.linearise(m).inputs == ("push",)


def test_what_cannot_be_an_input_says_why():
    with pytest.raises(vv.ModelError, match=r"'rail.rate' follows the rate of drive 'shake' at once"):
        vv.linearise(shaker(), inputs=["shake.position"], outputs=["rail.rate"])
    with pytest.raises(vv.ModelError, match="'shake' is given twice among the inputs"):
        vv.linearise(shaker(), inputs=["shake.position", "shake.rate"])
    with pytest.raises(vv.ModelError, match=r"has no 'shake.jerk'"):
        vv.linearise(shaker(), inputs=["shake.jerk"])
    with pytest.raises(vv.ModelError, match=r"has no 'shake.y'"):
        vv.linearise(shaker(), outputs=["shake.y"])


def test_a_quarter_car_on_a_road_at_its_origin():
    """Two masses in line on a base that stands at zero, where its drive has terms of rounding only."""
    m = vv.Mechanism("quarter car", gravity=(0, 0, -G))
    road = m.body("road", mass=1.0, inertia=(1, 1, 1))
    wheel = m.body("wheel", mass=40.0, inertia=(1, 1, 1), at=(0, 0, 0.3))
    car = m.body("car", mass=300.0, inertia=(1, 1, 1), at=(0, 0, 0.8))
    for name, body in (("ramp", road), ("hop", wheel), ("heave", car)):
        m.prismatic(name, m.ground, body, axis=(0, 0, 1))
    m.drive("shake", "ramp", position=0.0)
    m.spring("tyre", road, wheel, k=2e5, length=0.32, damping=100.0)
    m.spring("strut", wheel, car, k=2e4, length=0.65, damping=1500.0)
    found = vv.linearise(m, inputs=["shake.position"], outputs=["heave.q", "hop.q"]).frequency_response(W)
    tyre, strut = 2e5 + 100.0 * S, 2e4 + 1500.0 * S
    a, b = 300.0 * S**2 + strut, 40.0 * S**2 + tyre + strut
    hop = tyre * a / (a * b - strut**2)
    assert_allclose(found["hop.q", "shake.position"], hop, rtol=1e-7)
    assert_allclose(found["heave.q", "shake.position"], strut / a * hop, rtol=1e-7)

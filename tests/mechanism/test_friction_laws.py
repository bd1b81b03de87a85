"""Laws of friction of joints: what they are as numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.compiler.traced import rate_law_of
from visviva.mechanism.friction import law_of


def force(law, rate, theta=300.0):
    return law.evaluate(np.asarray(rate, dtype=float), np.asarray(theta))


RATE = np.array([-1.0, -0.1, -1e-3, 0.0, 1e-3, 0.1, 1.0])


def test_the_force_is_the_law():
    dry = RATE / np.sqrt(RATE**2 + 0.02**2)
    assert_allclose(force(vv.friction.viscous(0.3), RATE), 0.3 * RATE)
    assert_allclose(force(vv.friction.coulomb(2.0, v_reg=0.02, viscous=0.1), RATE), 2.0 * dry + 0.1 * RATE)
    law = vv.friction.stribeck(coulomb=1.0, static=1.5, speed=0.2, v_reg=0.02)
    assert_allclose(force(law, RATE), (1.0 + 0.5 * np.exp(-((RATE / 0.2) ** 2))) * dry)
    thin = vv.friction.viscous(0.3, factor=lambda theta: np.exp(-(theta - 300) / 40))
    assert_allclose(force(thin, 1.0, 340.0), 0.3 * np.exp(-1))
    assert thin.warm
    assert not law.warm


@pytest.mark.parametrize("rate", [0.0, 1e-200, 1e-12, 0.3])
def test_the_coefficient_has_its_limit_at_rest(rate):
    law, numbers = rate_law_of(law_of(lambda r: 2.0 * np.tanh(r / 0.1), "friction", ""))
    expected = 20.0 if rate < 1e-9 else 2.0 * np.tanh(rate / 0.1) / rate
    assert law.coefficient(np.array(rate), np.array(0.0), numbers) == pytest.approx(expected, rel=1e-12)


def test_laws_of_one_kind_share_their_code():
    one, first = rate_law_of(vv.friction.coulomb(2.0, v_reg=0.02))
    two, second = rate_law_of(vv.friction.coulomb(3.0, v_reg=0.5))
    assert one is two
    assert not np.array_equal(first, second)


BAD = {
    "level": (lambda: vv.friction.coulomb(-1.0, v_reg=0.1), "level of Coulomb friction", "positive"),
    "v_reg": (lambda: vv.friction.coulomb(1.0, v_reg=0.0), "v_reg of Coulomb friction", "positive"),
    "viscous part": (lambda: vv.friction.coulomb(1.0, v_reg=0.1, viscous=-1), "viscous part of Coulomb", "at least 0"),
    "viscous": (lambda: vv.friction.viscous(-0.1), "d of viscous friction", "positive"),
    "static": (
        lambda: vv.friction.stribeck(coulomb=2.0, static=1.0, speed=1.0, v_reg=0.1),
        "static of Stribeck friction",
        "at least 2",
    ),
    "speed": (
        lambda: vv.friction.stribeck(coulomb=1.0, static=2.0, speed=0.1, v_reg=0.2),
        "speed = 0.1",
        "Reduce v_reg",
    ),
    "factor": (lambda: vv.friction.viscous(1.0, factor=lambda theta: theta - 260.0), "add energy", "200 K"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_numbers_are_refused_by_name(case):
    make, *words = BAD[case]
    with pytest.raises(vv.ModelError) as error:
        make()
    assert all(word in str(error.value) for word in words), error.value


@pytest.fixture
def m():
    m = vv.Mechanism("arm")
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    return m


FUNCTIONS = {
    "adds energy": (lambda rate: -0.1 * rate, ("friction of joint 'hinge'", "add energy", "at rate = ")),
    "adds energy when fast": (lambda rate: rate * (1 - rate / 50), ("add energy", "at rate = ")),
    "not zero at rest": (lambda rate: 0.5 + rate, ("friction of joint 'hinge'", "at rest", "vv.friction.coulomb")),
    "not finite": (lambda rate: 1 / rate, ("friction of joint 'hinge'", "not finite at rate = 0")),
    "branches": (lambda rate: 1.0 if rate > 0 else -1.0, ("cannot be traced",)),
    "three arguments": (lambda a, b, c: a, ("function of the rate, or of rate and temperature", "3 arguments")),
    "two numbers": (lambda rate: np.array([rate, rate]), ("must return one number",)),
    "no numbers": (lambda rate: "viscous", ("must return numbers",)),
    "temperature of the environment": (
        lambda rate, theta: rate * 300 / theta,
        ("depends on the temperature", "heat_to"),
    ),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions_that_are_no_friction_are_refused(m, case):
    function, words = FUNCTIONS[case]
    with pytest.raises(vv.ModelError) as error:
        m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), friction=function)
    assert all(word in str(error.value) for word in words), error.value
    assert "hinge" not in m.parts


def test_a_law_that_adds_energy_says_at_which_rate(m):
    with pytest.raises(vv.ModelError, match="at rate = ") as error:
        m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), friction=lambda r: r * (1 - r**2 / 100))
    rate = float(str(error.value).split("rate = ")[1].split(":")[0])
    assert 10.0 < abs(rate) < 13.0


def test_each_coordinate_has_its_own_law(m):
    dry = vv.friction.coulomb(1.0, v_reg=0.1)
    joint = m.planar("table", m.ground, "rod", at=(0, 0, 0), normal=(0, 0, 1), friction=(0.5, dry, lambda v: v**3))
    assert_array_equal(joint.friction, (0.5, 0, 0))
    assert joint.laws[0] is None
    assert joint.laws[1] is dry
    assert_allclose(force(joint.laws[2], RATE), RATE**3)
    viscous = m.universal("cross", m.ground, "rod", at=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)), friction=(0.1, 0.2))
    assert_array_equal(viscous.friction, (0.1, 0.2))
    assert viscous.laws == ()


WRONG = {
    "one law for two": ({"friction": vv.friction.viscous(1.0)}, "is one law, but the joint has 2 coordinates"),
    "three for two": ({"friction": (vv.friction.viscous(1.0), 0, 0)}, "must be 2 numbers or laws, got 3"),
    "negative": ({"friction": (0.1, -0.2)}, "at least 0"),
    "text": ({"friction": ("a", "b")}, "must be numbers"),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_number_of_laws_is_that_of_the_coordinates(m, case):
    options, words = WRONG[case]
    with pytest.raises(vv.ModelError, match=words):
        m.cylindrical("sleeve", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), **options)

"""Units of elements: converted to SI, checked by the domains of bonds, and balanced in laws."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.bonds import GY, RS, TF, BondGraph, C, I, R, Se, Sf, one, zero
from visviva.bonds.units import BASE, UNITS, measured, unit


def osc(**changes):
    elements = {"F": Se(1.0), "v": one(), "m": I(2.0), "k": C(0.1), "d": R(0.3)} | changes
    return BondGraph("osc", elements, ["F -> v -> m", "v -> k", "v -> d"], domain="translation")


def motor(**units):
    given = {"u": 12.0, "L": 0.1, "Ra": 1.0, "K": 0.3, "J": 0.02, "b": 0.01, "n": 0.1, "k": 0.002} | units
    elements = {
        "u": Se(given["u"], domain="electric"),
        "i": one(),
        "L": I(given["L"]),
        "Ra": R(given["Ra"]),
        "K": GY(given["K"]),
        "w": one(domain="rotation"),
        "J": I(given["J"]),
        "b": R(given["b"]),
        "n": TF(given["n"]),
        "v": one(domain="translation"),
        "k": C(given["k"]),
    }
    return BondGraph("motor", elements, ["u -> i -> L", "i -> Ra", "i -> K -> w -> J", "w -> b", "w -> n -> v -> k"])


WRITTEN = {
    "u": "12 V",
    "L": "100 mH",
    "Ra": "1 Ω",
    "K": "0.3 N m/A",
    "J": "200 kg cm²",
    "b": "0.01 N m s/rad",
    "n": "10 cm/rad",
    "k": "2 mm/N",
}


def test_units_are_converted_and_fit():
    plain, written = motor().equations(), motor(**WRITTEN).equations()
    assert plain.rates == written.rates
    for symbol, value in plain.values.items():
        assert written.values[symbol] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("name", WRITTEN)
def test_each_unit_is_checked_by_the_domain(name):
    with pytest.raises(vv.ModelError, match=f"{name!r} of 'motor' is given in mol, but has the unit"):
        motor(**WRITTEN | {name: "1 mol"})


def test_units_of_hydraulic_and_thermal_elements():
    elements = {
        "Q": Sf("6 L/min"),
        "z": zero(),
        "tank": C("1e-5 m^3/Pa"),
        "r": R("2 bar s/L"),
        "s": one(),
        "pipe": I("1e6 kg/m^4"),
    }
    graph = BondGraph("h", elements, ["Q -> z -> tank", "z -> s -> pipe", "s -> r"], domain="hydraulic")
    values = {str(symbol): value for symbol, value in graph.equations().values.items()}
    assert values == pytest.approx({"Q": 1e-4, "tank": 1e-5, "r": 2e8, "pipe": 1e6}, rel=1e-14)
    heat = {"T": Se("300 K"), "j": one(), "r": RS("2 K^2/W"), "z": zero(), "c": C(H=lambda q: 300 * np.exp(q))}
    graph = BondGraph("t", heat, ["T -> j -> r -> z -> c"], domain="thermal")
    assert graph.elements["r"].given == 2.0


def test_matrices_have_one_unit():
    graph = BondGraph(
        "m",
        {"v": one(), "m": I([[2000.0, 0.0], [0.0, 1000.0]], unit="g"), "k": C(1.0)},
        ["v -> m", "v -> k"],
        domain="translation",
    )
    assert np.array_equal(graph.elements["m"].given, np.diag([2.0, 1.0]))
    assert BondGraph.from_text(graph.to_text()).to_text() == graph.to_text()


def test_laws_whose_parameters_have_units_balance():
    graph = osc(
        k=C(H=lambda q, k, c: 0.5 * k * q**2 + 0.25 * c * q**4, k="3 N/m", c="2 N/m^3"),
        d=R(lambda f, d, v: d * np.sqrt(1 + (f / v) ** 2), d="0.3 N s/m", v="10 cm/s"),
        F=Se(lambda t, a, w: a * np.sin(w * t), a="2 kN", w="60 rpm"),
        m=I(H=lambda p, m: p**2 / (2 * m), m="2 kg"),
    )
    values = {str(symbol): value for symbol, value in graph.equations().values.items()}
    assert values == pytest.approx(
        {"k_k": 3.0, "c": 2.0, "d_d": 0.3, "v_d": 0.1, "a": 2000.0, "w": 2 * np.pi, "m_m": 2.0}, rel=1e-14
    )
    assert BondGraph.from_text(graph.to_text()).to_dict() == graph.to_dict()
    assert BondGraph.from_dict(graph.to_dict()).to_text() == graph.to_text()


SAME = {
    "N": "kg m/s^2",
    "J": "N m",
    "W": "V A",
    "Pa": "N/m²",
    "V": "W/A",
    "C": "A s",
    "F": "C/V",
    "Ohm": "V/A",
    "S": "A/V",
    "H": "V s/A",
    "Wb": "V s",
    "T": "Wb/m^2",
    "Hz": "1/s",
    "Ω": "Ohm",
    "m s^-1": "m/s",
    "(m/s)^2": "m²/s²",
    "kg·m": "g m",
}


@pytest.mark.parametrize("one_way", SAME)
def test_units_are_made_of_each_other(one_way):
    a, b = unit(one_way, "a"), unit(SAME[one_way], "b")
    assert a.fits(b)
    assert a.size == pytest.approx(b.size * (1000 if one_way == "kg·m" else 1), rel=1e-14)


def test_prefixes_and_other_units():
    sizes = {
        "1 km": 1e3,
        "1 mm": 1e-3,
        "2 cm": 0.02,
        "1 µF": 1e-6,
        "1 uF": 1e-6,
        "3 GPa": 3e9,
        "2 MHz": 2e6,
        "5 nF": 5e-9,
        "1 bar": 1e5,
        "6 L/min": 1e-4,
        "60 rpm": 2 * np.pi,
        "180 deg": np.pi,
        "1 h": 3600.0,
        "7 min": 420.0,
        "2 g": 2e-3,
        "-1.5e3 N": -1500.0,
        ".5 m": 0.5,
    }
    assert {text: measured(text, "x")[0] for text in sizes} == pytest.approx(sizes, rel=1e-14)
    assert len(BASE) == 6
    assert not UNITS["N"].fits(UNITS["J"])

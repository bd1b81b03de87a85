"""One rule decides about rank: all readings of a mechanism agree, at any pose and in any units."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from catalogue import MECHANISMS
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose

import visviva as vv
from visviva.forms.minimal.form import MinimalForm
from visviva.geometry.se3 import SE3
from visviva.linear.equations import Reference
from visviva.linear.of_mechanisms import MechanismEquations
from visviva.linear.reduction import chosen
from visviva.numerics import rank as ranks
from visviva.numerics.nullspace import split

LOOPS = {name: entry.build for name, entry in CATALOGUE.items() if entry.traits & {"loop", "coupled", "driven"}}
LOOPS |= {name: MECHANISMS[name] for name in ("four bar", "table", "flyers", "sleeve")}
STRETCHED = (1e-3, 1e-5, 1e-6, 1e-7, 3e-8, 1e-8, 5e-9, 3e-9, 1e-9, 0.0)


@dataclass(frozen=True)
class Units:
    """What one unit of length, mass and time is: a mechanism of lengths 1 to 3 in them."""

    L: float = 1.0
    M: float = 1.0
    T: float = 1.0


SI = Units()
OTHERS = {
    "mm, t, ms": Units(1e3, 1e-3, 1e3),
    "small": Units(L=1e-3),
    "heavy": Units(M=1e6),
    "small, light, fast": Units(1e-3, 1e-6, 1e-3),
    "large, heavy, slow": Units(1e3, 1e6, 1e3),
}
CODE = [("numpy", "SI"), ("numpy", "mm, t, ms"), ("numpy", "small"), ("numba", "SI"), ("c", "SI")]


def start(u, name):
    return vv.Mechanism(name, gravity=(0, 0, -9.81 * u.L / u.T**2))


def parallelogram(u=SI, angle=0.5):
    """Hinges about one axis in space; at the angle zero it is stretched, and may leave in two ways."""
    m = start(u, "parallelogram")
    O, D = np.zeros(3), u.L * np.array([1.7, 0, 0])
    A = u.L * np.array([np.cos(angle), np.sin(angle), 0])
    B = A + D
    for name, a, b in (("crank", O, A), ("coupler", A, B), ("rocker", D, B)):
        (c, s, _), l = (b - a) / np.linalg.norm(b - a), np.linalg.norm(b - a)
        axes = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        m.body(name, inertia=vv.inertia.box(u.M, (l, 0.1 * l, 0.12 * l)), at=(a + b) / 2, rotation=axes)
    ends = {"a": ("ground", "crank", O), "b": ("crank", "coupler", A), "c": ("coupler", "rocker", B)}
    for name, (parent, child, at) in (ends | {"d": ("ground", "rocker", D)}).items():
        m.revolute(name, parent, child, at=at, axis=(0, 0, 1))
    return m


def bennett(u=SI):
    """Four skew hinges, one mobility that no count of rows sees."""
    alpha, beta, theta = np.radians(30), np.radians(70), 0.7
    b = np.sin(beta) / np.sin(alpha)
    other = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    X, frames = SE3.identity(), []
    links = ((theta, 1.0, alpha), (other, b, beta), (2 * np.pi - theta, 1.0, alpha), (2 * np.pi - other, b, beta))
    for angle, length, twist in links:
        frames.append(X)
        X = X @ SE3.exp([0, 0, angle, 0, 0, 0]) @ SE3.exp([0, 0, 0, length * u.L, 0, 0])
        X = X @ SE3.exp([twist, 0, 0, 0, 0, 0])
    m = start(u, "Bennett")
    names = ("ground", "l1", "l2", "l3", "ground")
    for k in range(3):
        J = 0.1 * u.M * u.L**2 * np.ones(3)
        m.body(names[k + 1], mass=u.M, inertia=J, at=(frames[k].r + frames[k + 1].r) / 2)
    for k, frame in enumerate(frames):
        rate = {"rate": 1 / u.T} if k == 0 else {}
        m.revolute(f"j{k + 1}", names[k], names[k + 1], at=frame.r, axis=frame.R[:, 2], **rate)
    return m


def press(u=SI):
    """A screw, a rail beside it, and a rack: couplings, rows of them redundant."""
    m = start(u, "press")
    J = u.M * u.L**2 * np.array([0.3, 0.4, 0.35])
    m.body("nut", mass=u.M, inertia=J, at=(0, 0, u.L))
    m.body("wheel", mass=0.5 * u.M, inertia=0.4 * J, at=(u.L, 0, 0))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.2 * u.L, rate=1 / u.T)
    m.revolute("axle", m.ground, "wheel", at=(u.L, 0, 0), axis=(0, 0, 1))
    m.gear("teeth", "thread", "axle", ratio=2.0)
    m.point_on_line("rail", m.ground, "nut", at=(0, 0, u.L), axis=(0, 0, 1))
    return m


def slide_in_plane(u=SI):
    """A slide whose motion a planar joint beside it allows: all rows of the second are redundant, and rounding."""
    m = start(u, "slide in a plane")
    m.body("a", mass=u.M, inertia=u.M * u.L**2 * np.array([1, 2, 2.5]), at=(0.5 * u.L, 0, 0))
    m.body("b", mass=2 * u.M, inertia=u.M * u.L**2 * np.array([1, 1.2, 1.4]), at=u.L * np.array([1, 0.3, 0.2]))
    m.prismatic("slide", "a", "b", axis=(0.36, 0.48, 0.8))
    m.planar("plane", "a", "b", at=u.L * np.array([0.7, 0.1, 0]), normal=(0.8, -0.6, 0))
    return m


SIZED = {"parallelogram": parallelogram, "Bennett": bennett, "press": press, "slide in a plane": slide_in_plane}


def decisions(m):
    """Ranks that readings of a mechanism as assembled find, all as the number of independent rows over its bodies."""
    analysis, network, form = m.analysis(), m.kinestatics(), MinimalForm(m)
    n, q = len(form.masses), form.initial.q
    point, tree = form.at(q), n - form.n
    Z = point.Z
    found = {
        "mobility": n - analysis.mobility,
        "redundancy": analysis.rows - sum(analysis.redundant.values()),
        "self-stress": analysis.rows - len(analysis.stresses),
        "network": network.rank(),
        "mobility of the network": n - network.mobility(),
        "motions": n - network.account().mobility,
        "minimal velocities": tree + form.rank_at(q),
        "their accelerations": tree + form.constrained(point, np.zeros(form.n), np.zeros(len(Z))).rank,
        "index 1": form.model.accelerations(point.x).rank,
    }
    still = Reference(0.0, q, np.zeros(form.n), form.initial.s, np.zeros(form.n), np.zeros(len(Z)))
    equations = MechanismEquations(form, (), {})
    if form.rank_at(q) == form.rank:  # else it is refused, as singular
        found["linearisation"] = tree + form.n - len(chosen(equations, still).eta)
    return found


@cache
def in_si(name):
    m = SIZED[name]()
    return agreed(m), m.analysis()


def agreed(m):
    found = decisions(m)
    assert len(set(found.values())) == 1, found
    return next(iter(found.values()))


@pytest.mark.parametrize("name", LOOPS)
def test_all_readings_of_a_mechanism_find_one_rank(name):
    agreed(LOOPS[name]())


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("angle", STRETCHED)
def test_all_readings_agree_as_near_to_a_stretched_pose_as_one_likes(angle, size):
    """Singular values grow with the angle: near the tolerance one reading decides for all."""
    rank = agreed(parallelogram(Units(L=size), angle))
    if not 1e-9 < angle < 1e-7:
        assert rank == (17 if angle > 1e-8 else 16)


@pytest.mark.parametrize("angle", [1e-6, 1e-10])
def test_a_stretched_pose_is_linearised_or_refused_as_its_mobility_says(angle):
    m = parallelogram(Units(), angle)
    if m.analysis().mobility == 1:
        assert len(vv.linearise(m, residual_ok=True).A) == 2
    else:
        with pytest.raises(vv.AssemblyError, match="singular in this configuration"):
            vv.linearise(m, residual_ok=True)


@pytest.mark.parametrize("units", OTHERS)
@pytest.mark.parametrize("name", SIZED)
def test_ranks_do_not_depend_on_units(name, units):
    m, (rank, ours) = SIZED[name](OTHERS[units]), in_si(name)
    theirs = m.analysis()
    assert agreed(m) == rank
    assert (ours.redundant, ours.warning) == (theirs.redundant, theirs.warning)
    assert_allclose(ours.margin, theirs.margin, rtol=1e-9)


@pytest.mark.parametrize(("target", "named"), CODE)
def test_symbols_with_redundant_rows_of_rounding_accelerate_as_numbers_do(target, named):
    if target == "c" and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("no C compiler")
    units = OTHERS.get(named, SI)
    m = slide_in_plane(units)
    form, e, rng = MinimalForm(m), vv.symbols(m), np.random.default_rng(0)
    sizes = np.where(np.arange(form.n) < 3, 1.0, units.L)  # the first body flies, the second slides
    q = form.advance_q(form.initial.q, sizes * rng.normal(size=form.n))
    xi = sizes / units.T * rng.normal(size=form.n)
    expected = form.accelerations(q, xi)
    assert e.rank == 0
    assert np.abs(e.function("Z")(q, xi)).max() < 1e-12 * max(1.0, units.L)
    assert_allclose(e.accelerations(q, xi, target=target) / sizes, expected / sizes, atol=1e-9 / units.T**2)


def test_rows_of_rounding_are_zero_and_rows_in_other_units_are_not():
    e1, e2, e3 = np.eye(3)
    assert ranks.rank(np.array([e1, 1e-15 * e2])) == 1
    assert ranks.rank(np.array([e1, 1e-9 * e2])) == 2
    assert ranks.rank(np.array([1e-15 * e2])) == 1  # nothing beside it says what it is made of …
    assert ranks.rank(np.array([1e-15 * e2]), terms=np.ones(1)) == 0  # … but its terms do
    assert ranks.rank(np.array([e1, e1 + 1e-7 * e2, e3])) == 3
    assert ranks.rank(np.array([e1, e1 + 1e-8 * e2, e3])) == 2
    assert ranks.rank(np.zeros((2, 3))) == ranks.rank(np.zeros((0, 3))) == 0


def test_multipliers_of_redundant_rows_are_least_in_their_own_units():
    C = np.array([[2.0, 0, 0], [1000.0, 0, 0], [0, 1, 0]])
    parts = split(C)
    y = parts.solve_transposed(np.array([5.0, 7.0, 0.0]))
    assert_allclose(y, np.linalg.pinv(C.T) @ [5.0, 7.0, 0.0], rtol=1e-10)
    assert_allclose(parts.solve(C @ [1.0, 2.0, 0.0]), [1.0, 2.0, 0.0], rtol=1e-12)

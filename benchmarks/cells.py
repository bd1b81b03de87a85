"""The line of cells that the benchmarks step: in the language, and as a right-hand side written by hand.

A cell is a mass on a spring that stiffens, with friction whose heat warms the cell and is conducted to the next one:

    q̇ᵢ = vᵢ - vᵢ₋₁,   ṗᵢ = Fᵢ₊₁ - Fᵢ - d vᵢ,   ṡᵢ = (d vᵢ² + κ (θᵢ₋₁ - θᵢ) + κ (θᵢ₊₁ - θᵢ))/θᵢ,
    v = p/m,   F = k q + k₃ q³,   θ = θ₀ exp(s/c);   the first spring is held by a wall, the last mass is free.
"""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.language import compose
from visviva.library.thermal import capacity, conduction
from visviva.library.translation import damper, hard_spring, kinematic, mass

M, K, K3, D, C, THETA, KAPPA = 1.0, 1.5, 0.7, 0.1, 2.0, 300.0, 0.05


def line(N: int) -> vv.Model:
    """N cells of six components; the first one has no neighbour to conduct from."""
    inert, spring, heat, friction, wire = mass(M), hard_spring(K, K3), capacity(C, THETA), damper(D), conduction(KAPPA)
    wall, between = kinematic(), kinematic(p=1, before=-1)
    boxes, junctions = {}, {}
    for i in range(N):
        boxes |= {f"spring{i}": spring, f"mass{i}": inert, f"heat{i}": heat, f"friction{i}": friction}
        boxes[f"stretch{i}"] = between if i else wall
        junctions[f"q{i}"] = [f"spring{i}.q", f"stretch{i}.q"]
        junctions[f"p{i}"] = [f"mass{i}.p", f"friction{i}.p", f"stretch{i}.p"]
        junctions[f"s{i}"] = [f"heat{i}.s", f"friction{i}.s"]
        if i:
            boxes[f"wire{i}"] = wire
            junctions[f"p{i - 1}"].append(f"stretch{i}.before")
            junctions[f"s{i - 1}"].append(f"wire{i}.s1")
            junctions[f"s{i}"].append(f"wire{i}.s2")
    return vv.compile(compose("line", boxes, junctions))


def components(N: int) -> int:
    """How many a line has."""
    return 6 * N - 1


def start(N: int) -> Array:
    """Some generic state: (q, p, s) of each cell in turn, (3N,)."""
    return (np.random.default_rng(0).normal(size=(N, 3)) * (0.3, 1.0, 0.1)).ravel()


def right_hand_side(t: float, x: Array) -> Array:
    """The equations above for all cells at once, as a careful user of SciPy would write them."""
    q, p, s = x.reshape(-1, 3).T
    v, F, theta = p / M, K * q + K3 * q**3, THETA * np.exp(s / C)
    conducted, heat = KAPPA * np.diff(theta), D * v**2
    heat[:-1] += conducted
    heat[1:] -= conducted
    x_dot = np.empty((len(q), 3))
    x_dot[:, 0] = v
    x_dot[1:, 0] -= v[:-1]
    x_dot[:, 1] = -F - D * v
    x_dot[:-1, 1] += F[1:]
    x_dot[:, 2] = heat / theta
    return x_dot.ravel()


def pattern(N: int) -> Array:
    """Which entries of the derivative of `right_hand_side` may differ from zero, (3N, 3N)."""
    q, p, s = (3 * np.arange(N) + k for k in range(3))
    full = np.zeros((3 * N, 3 * N))
    full[q, p] = full[p, q] = full[p, p] = full[s, p] = full[s, s] = 1.0
    full[q[1:], p[:-1]] = full[p[:-1], q[1:]] = full[s[1:], s[:-1]] = full[s[:-1], s[1:]] = 1.0
    return full

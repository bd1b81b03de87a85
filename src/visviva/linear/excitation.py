"""Excitation by drives: motions that are prescribed, as inputs of a linear system.

A displacement s of a drive enters with its rate and its acceleration,

    ẋ = A x + B u + B₀ s + B₁ ṡ + B₂ s̈,   y = C x + D u + D₀ s + D₁ ṡ,

and one of the three is the input. Those below it are states, where they matter. Those above it are taken into the
states: with x = x̃ + B₂ ṡ, x̃' = A x̃ + B₀ s + (B₁ + A B₂) ṡ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.linear.reduction import Basis
from visviva.linear.second_order import SecondOrder
from visviva.linear.variation import Variation

ORDERS = ("position", "rate", "acceleration")
NOISE = 1e-9  # of the terms that add up: what is left where they cancel


@final
@dataclass(frozen=True, eq=False)
class Excitation:
    """B₀, B₁, B₂ (3, states, drives) and D₀, D₁, D₂ (3, outputs, drives)."""

    B: Array
    D: Array


@final
@dataclass(frozen=True, eq=False)
class Excited:
    """A, B, C, D with drives as inputs; taken: states from which something was taken.   added: names of states."""

    A: Array
    B: Array
    C: Array
    D: Array
    taken: set[int]
    added: tuple[str, ...]


def excitation(
    v: Variation, b: Basis, m: SecondOrder, M: Array, turn: Array, W: Array, rate: Basis | None
) -> Excitation:
    """What displacements, rates and accelerations of drives do; arguments as of `assembly.second_order`.

    ε = H p + H_s s and ζ = N η + Q p + N_s ṡ + Q_s s, hence ṗ = E η + F p + E_s ṡ + F_s s.
    """
    E_s, F_s = b.N_s[b.choice.p], (b.Q_s - (turn - W) @ b.H_s)[b.choice.p]
    by_rate, by_place = b.Q @ E_s + b.Q_s - W @ b.N_s, b.Q @ F_s - W @ b.Q_s
    if rate is not None:
        by_rate, by_place = by_rate + rate.N_s, by_place + rate.Q_s
    forces = [M @ by_place + v.force.s, M @ by_rate + v.force.s_dot, M @ b.N_s]
    eta = [-np.linalg.solve(m.M, b.N.T @ force) for force in forces]
    none, others = np.zeros_like(F_s), np.zeros_like(v.rates.s)
    parts = zip((F_s, E_s, none), eta, (v.rates.s, v.rates.s_dot, others), strict=True)
    B = np.array([np.vstack(part) for part in parts])
    return Excitation(B, np.array([v.outputs.s, v.outputs.s_dot, np.zeros_like(v.outputs.s)]))


def excited(
    system: tuple[Array, Array, Array, Array], by: Excitation, drives: Mapping[str, int], outputs: tuple[str, ...]
) -> Excited:
    """The system with one of s, ṡ and s̈ of each drive as a further input.

    drives: which of the three, by name.
    """
    A, B, C, D = system
    taken, added, columns = set[int](), dict[str, list[tuple[int, Array, Array]]](), list[tuple[Array, Array]]()
    for k, (name, order) in enumerate(drives.items()):
        Bk, Dk = list(_clean(by.B[:, :, k], A)), list(by.D[:, :, k].copy())
        for i in range(2, order, -1):
            if Dk[i].any():
                raise _improper(name, outputs[int(np.abs(Dk[i]).argmax())], ORDERS[i])
            taken |= set(np.flatnonzero(Bk[i]).tolist())
            Bk[i - 1] = _sum(Bk[i - 1], A, Bk[i])
            Dk[i - 1] = _sum(Dk[i - 1], C, Bk[i])
        columns.append((Bk[order], Dk[order]))
        first = next((i for i in range(order) if Bk[i].any() or Dk[i].any()), order)
        added[name] = [(i, Bk[i], Dk[i]) for i in range(first, order)]
    return _joined((A, B, C, D), columns, added, taken)


def _joined(
    system: tuple[Array, Array, Array, Array],
    columns: list[tuple[Array, Array]],
    added: dict[str, list[tuple[int, Array, Array]]],
    taken: set[int],
) -> Excited:
    """With the further states s, ṡ of drives below and to the right."""
    A, B, C, D = system
    names = [f"{name}.{ORDERS[i]}" for name, chain in added.items() for i, _, _ in chain]
    n, extra, inputs = len(A), len(names), B.shape[1]
    A2, C2 = np.zeros((n + extra, n + extra)), np.zeros((len(C), n + extra))
    B2, D2 = np.zeros((n + extra, inputs + len(columns))), np.zeros((len(C), inputs + len(columns)))
    A2[:n, :n], B2[:n, :inputs], C2[:, :n], D2[:, :inputs] = A, B, C, D
    at = n
    for k, ((Bk, Dk), chain) in enumerate(zip(columns, added.values(), strict=True)):
        B2[:n, inputs + k], D2[:, inputs + k] = Bk, Dk
        for j, (_, column, seen) in enumerate(chain):
            A2[:n, at], C2[:, at] = column, seen
            last = j == len(chain) - 1
            (B2 if last else A2)[at, inputs + k if last else at + 1] = 1.0
            at += 1
    return Excited(A2, B2, C2, D2, taken, tuple(names))


def _clean(B: Array, A: Array) -> Array:
    """B₀, B₁, B₂ without what only rounding leaves, against the coefficients of the same rate."""
    size = np.abs(A).max(axis=1, initial=0.0)
    return np.where(np.abs(B) > NOISE * np.stack([size, np.sqrt(size), np.zeros(len(A))]), B, 0.0)


def _sum(a: Array, C: Array, b: Array) -> Array:
    """a + C b, zero where they cancel."""
    total = a + C @ b
    return np.asarray(np.where(np.abs(total) > NOISE * (np.abs(a) + np.abs(C) @ np.abs(b)), total, 0.0))


def _improper(name: str, output: str, order: str) -> ModelError:
    return ModelError(
        f"output {output!r} follows the {order} of drive {name!r} at once, and its position is the input:\n"
        "no A, B, C, D describe a derivative of an input. Take another output, or the input "
        f"'{name}.rate' or '{name}.acceleration'."
    )

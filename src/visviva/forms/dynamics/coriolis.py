"""The matrix of Coriolis forces that makes Ṁ - 2 C skew."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.point import Point
from visviva.geometry.hat import skew


def coriolis_matrix(point: Point) -> Array:
    """C = Sᵀ(M_b Ṡ + G S), (n, n), with c = C ξ.

    M = SᵀM_b S with constant M_b, so that Ṁ = ṠᵀM_b S + SᵀM_b Ṡ and Ṁ - 2 C = ṠᵀM_b S - SᵀM_b Ṡ - 2 SᵀG S, which is
    skew if G is. The moments ω × Jω = -(Jω) × ω of the bodies are G V with G = -(Jω)^ for each.
    """
    form = point.form
    both = np.zeros(6 * len(form.rigid))
    both[form.moving] = point.V
    w, J = both.reshape(-1, 6)[:, :3], np.diagonal(form.inertias, axis1=1, axis2=2)[:, :3]
    columns = np.zeros((6 * len(form.rigid), form.n))
    columns[form.moving] = point.S
    turned = np.zeros((len(form.rigid), 6, form.n))
    turned[:, :3] = -skew(J * w) @ columns.reshape(-1, 6, form.n)[:, :3]
    gyration = turned.reshape(-1, form.n)[form.moving]
    return np.asarray(point.S.T @ (form.masses[:, None] * point.S_dot + gyration))

"""What is accounted for at every step: both balances, the scale of energy, and how well constraints are kept."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.linear import apply
from visviva.geometry.quadratic import stacked
from visviva.model import Model
from visviva.model.closure import largest_opening
from visviva.model.driven import row_inputs
from visviva.model.holonomic import Holonomic
from visviva.model.structure import AbstractConstraint
from visviva.results.columns import row_lowest, row_sums
from visviva.results.powers import entropy_names
from visviva.results.rounding import entropic_terms, larger_end, reaction_terms, start_terms, step_rounding, step_terms
from visviva.results.tallies import Tallies

TOGETHER = 4000  # bodies times states that are looked at together


@final
class Accounts:
    """Adds up the steps of a run, however many come at a time.

    x: the state before the first.   H_start: energies there, where they are known.
    """

    def __init__(self, model: Model, x: Array, H_start: Array | None = None) -> None:
        self.model = model
        self.x_start = x
        self.H_start = start_terms(model, x)[0] if H_start is None else H_start
        self.work = 0.0
        at = [np.full(part.dim, part.entropy) for part in model.reservoirs]
        self._entropic = np.concatenate([np.zeros(0, dtype=bool), *at]).astype(bool)
        self._rest = model.plain_energies[1]
        self._hot_inputs = bool(model.entropy_inputs.any())
        self._natural = np.array([model.storages[k].has_zero for k in self._rest], dtype=bool)
        self._hot_sources = _entropy_sources(model)
        numbers = {part.name: k for k, part in enumerate(model.constraints)}
        self._driven = [(numbers[p.name], model.port_columns[p.name].start) for p in model.prescribed.values()]

    def anew(self, x: Array) -> Accounts:
        """Others of the same model, from another state on."""
        other = copy.copy(self)
        other.x_start, other.H_start, other.work = x, start_terms(self.model, x)[0], 0.0
        return other

    def of(
        self,
        x: Array,
        u: Array,
        taken: Array,
        heat: Array,
        work: Array,
        inflow: Array,
        w: Array,
        h: Array,
        counted: Tallies | None = None,
    ) -> dict[str, Array]:
        """Columns of a record for n steps, from the n + 1 states around them and what each step did.

        u: inputs at the nodes.   inflow: inputs times step size, (n, inputs).   w: multipliers, (n, rows).
        h: step sizes, (n,).
        counted: what the steps have counted themselves.
        """
        model = self.model
        carried, supplied = np.zeros((len(heat), len(model.ports))), row_sums(work)
        if self._hot_inputs:
            brought = model.theta0 * (inflow * model.entropy_inputs)
            carried[:] = np.array([brought[:, model.port_columns[port.name]].sum(-1) for port in model.ports]).T
        for k, rows in self._hot_sources.items():  # what a source of temperature gives are flows: its multipliers
            carried[:, k] = -model.theta0 * h * w[:, rows].sum(-1)
        total_work = self.work + np.cumsum(supplied)
        self.work = float(total_work[-1]) if len(total_work) else self.work
        columns = self._of_states(x, u, w) if counted is None else self._of_tallies(x, u, counted)
        terms = columns.pop("terms")
        gap = self._gaps(x, taken, columns.pop("H"), row_sums(heat), supplied, carried)
        columns["scale"] = columns["scale"] + np.abs(total_work)
        return columns | {
            "carried": carried,
            "closure": np.abs(gap),
            "drift": gap,
            "rounding": step_rounding(terms, heat, work),
            "lowest_heat": row_lowest(heat),
        }

    def _of_states(self, x: Array, u: Array, w: Array) -> dict[str, Array]:
        """Energies and constraints at the ends of all steps; H: total, at the start of the first as well.

        Energies count from the start of the run.
        """
        model = self.model
        H, sizes = model.exergy_changes(self.x_start, x)
        g_v, terms, rows = rate_violations(model, x[1:], u[1:])
        return {
            "H": H.sum(-1),
            "g": _violations(model, x[1:]),
            "scale": energy_scale(model, H[1:], self.H_start),
            "terms": step_terms(model, x, sizes) + reaction_terms(model, x[1:], w),
            "g_v": g_v,
            "g_v_terms": terms,
            "g_v_rows": rows,
        }

    def _of_tallies(self, x: Array, u: Array, counted: Tallies) -> dict[str, Array]:
        """The same, where bodies and joints have been counted: what is left are energies of elements, and ṡ."""
        model, rest = self.model, self._rest
        H, sums = np.zeros((len(x), 0)), np.zeros(len(x))
        if rest:
            H, magnitudes = model.other_energies(x)
            sums = row_sums(magnitudes)
        kinetic, gravity, changes, terms = counted.energy.T
        if model.is_thermal:
            terms = terms + entropic_terms(model, x)
        scale = changes + kinetic + row_sums(np.abs(H - self.H_start[rest])) + row_sums(H[:, self._natural])
        return {
            "H": kinetic + gravity + row_sums(H),
            "g": counted.g,
            "scale": scale[1:],
            "terms": larger_end(terms + sums),
            "g_v": self._driven_rates(counted.g_v[..., 0], u),
            "g_v_terms": counted.g_v[..., 1],
            "g_v_rows": counted.g_v[..., 2],
        }

    def _driven_rates(self, counted: Array, u: Array) -> Array:
        """|C v| per constraint; where an input drives it, steps have counted C v, and |C v - ṡ| is meant."""
        if not self._driven:
            return counted
        rates = counted.copy()
        for k, column in self._driven:
            rates[:, k] = np.abs(counted[:, k] - u[1:, column])
        return rates

    def _gaps(self, x: Array, taken: Array, H: Array, heat: Array, supplied: Array, carried: Array) -> Array:
        """What each step misses in the balance of exergy; with entropy, also in that of energy: the larger.

        heat, supplied: sums over all components.
        """
        dH = H[1:] - H[:-1]
        exergy = dH + heat - supplied
        if not self.model.is_thermal:
            return exergy
        entropy = np.diff(self.model.entropy(x)) + np.diff(taken[:, self._entropic].sum(-1))
        energy = dH + self.model.theta0 * entropy - supplied - carried.sum(-1)
        return np.where(np.abs(energy) > np.abs(exergy), energy, exergy)


def _violations(model: Model, x: Array) -> Array:
    """Largest |g| at each state, relative to its terms; where rows are on velocities only, how far joints are open."""
    if model.closures and not model.has_g.any():
        return largest_opening(model, x)
    return (np.abs(model.g(x)) / model.g_scale(x)).max(-1, initial=0.0)


def _entropy_sources(model: Model) -> dict[int, slice]:
    """Ports that prescribe temperatures, by number, with the places of their multipliers."""
    hot, dim = entropy_names(model), model.layout.dim
    places = {name: model.layout.z[rows.name] for name, rows in model.sources.items() if set(rows.acts) <= hot}
    return {
        k: slice(places[port.name].start - dim, places[port.name].stop - dim)
        for k, port in enumerate(model.ports)
        if port.name in places
    }


def energy_scale(model: Model, changes: Array, H_start: Array) -> Array:
    """Σ|H_i - H_i(0)| + energies with a natural zero (kinetic, quadratic) [J]; work counts as well.

    changes: H_i - H_i(0).
    """
    natural = np.array([part.has_zero for part in model.storages], dtype=bool)
    return np.abs(changes).sum(-1) + (H_start + changes)[..., natural].sum(-1)


def rated_constraints(model: Model) -> Mask:
    """Which constraints have rates that follow from a state; efforts of junctions without storage belong to steps."""
    algebraic = {junction.name for junction in model.junctions}
    return np.array([not algebraic & set(part.acts) for part in model.constraints], dtype=bool)


def rate_violations(model: Model, x: Array, u: Array) -> tuple[Array, Array, Array]:
    """Per constraint: largest |C v|, largest |C| |v| (the terms that cancel in it), largest |C|; (..., constraints).

    Of rows that are driven |C v + B u|.
    Rows without a rate at states, see `rated_constraints`, are left out.
    """
    result = np.zeros((3, *x.shape[:-1], len(model.constraints)))
    if not model.constraints:
        return result[0], result[1], result[2]
    z, driven, rated = model.z(x), row_inputs(model, x, u), rated_constraints(model)
    ends = np.cumsum([0, *(part.rows for part in model.constraints)])
    alike, others = _alike(model, np.flatnonzero(rated).tolist(), x[..., 0].size)
    for rows_of, which in alike:
        places = [model.places[model.constraints[k]] for k in which]
        q, e = x[..., np.array([reads for reads, _ in places])], z[..., np.array([acts for _, acts in places])]
        C = rows_of.C(q)
        size, rows = np.abs(C), ends[which][:, None] + np.arange(rows_of.rows)
        result[0][..., which] = np.abs(apply(C, e) + driven[..., rows]).max(-1)
        result[1][..., which] = apply(size, np.abs(e)).max(-1)
        result[2][..., which] = size.max((-1, -2))
    for k in others:
        part = model.constraints[k]
        q, e = model.local(part, x, z)
        C = np.broadcast_to(part.C(q), (*x.shape[:-1], part.rows, e.shape[-1]))
        size = np.abs(C)
        result[0, ..., k] = np.abs(apply(C, e) + driven[..., ends[k] : ends[k + 1]]).max(-1)
        result[1, ..., k] = apply(size, np.abs(e)).max(-1)
        result[2, ..., k] = size.max((-1, -2))
    return result[0], result[1], result[2]


def _alike(model: Model, numbers: list[int], states: int) -> tuple[list[tuple[Holonomic, list[int]]], list[int]]:
    """Constraints with as many functions of the same spaces as one, few enough for so many states; and the others."""
    kinds: dict[object, list[int]] = {}
    others = []
    for k in numbers:
        part = model.constraints[k]
        if isinstance(part, Holonomic):
            kinds.setdefault((part.rows, part.spaces), []).append(k)
        else:
            others.append(k)
    most = max(1, TOGETHER // max(1, states))
    groups = [group[k : k + most] for group in kinds.values() for k in range(0, len(group), most)]
    return [(_together([model.constraints[k] for k in group]), group) for group in groups], others


def _together(parts: list[AbstractConstraint]) -> Holonomic:
    """One with the functions of all of them."""
    own = [part for part in parts if isinstance(part, Holonomic)]
    return own[0] if len(own) == 1 else replace(own[0], g=stacked([part.g for part in own]))

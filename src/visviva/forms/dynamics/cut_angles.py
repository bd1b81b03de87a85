"""Angles over many turns of joints that close loops, from the coordinates of the tree.

A configuration says such an angle up to whole turns. Where every axis about which joints of the cycle turn is parallel
to that of the joint, rotations about them commute, and with q of the tree and signs σ_i = ±1

    θ - θ_built = Σ σ_i (q_i - q_i,built)

on every way that leads there: the turns of the tree are those of the joint. In other cycles, of axes in space,
ways to one configuration may differ by whole turns of the joint: nothing but a state of its own, s, says how often it
has turned. There the angle nearest to that as built is taken, with a warning from `NEARLY` half a turn on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import RunWarning
from visviva.forms.dynamics.cycles import joint_cycle
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.library.joints import Angle
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.parts import Joint
from visviva.model.linked import configuration
from visviva.numerics.rank import TOLERANCE

PLANAR = ("hinge", "slider", "fixed")  # links of which all turns have one direction, where axes of hinges have it
NEARLY = 0.75  # of half a turn


@final
class CutAngles:
    """States s of a mechanism at configurations, where angles of joints that close loops are among them.

    jacobian: of a carrier by name, in world axes, (6, n).
    """

    def __init__(self, form: MinimalForm, jacobian: Callable[[str, Array], Array]) -> None:
        self._form, self._jacobian = form, jacobian
        states = form.states
        own = {name: states.angles[name] for name in states.s if name in states.angles}
        self._places = {name: states.s[name].start for name in own}
        self._turning = np.zeros((form.extra, form.size_q))  # σ
        self._spatial = dict[str, Joint]()
        for name, (joint, coordinate) in own.items():
            row = self._combination(joint, coordinate)
            if row is None:
                self._spatial[name] = joint
            else:
                self._turning[self._places[name]] = row

    def at(self, q: Array) -> Array:
        """States s (..., ns): angles of planar cycles with their turns, all else as built."""
        form, built = self._form, self._form.initial.s
        if not self._places:
            return built
        if self._spatial:
            self._warn(q)
        return built + (q - form.initial.q) @ self._turning.T

    def _combination(self, joint: Joint, coordinate: int) -> Array | None:
        """σ over q, (nq,), of a cycle that turns about one direction; None for others."""
        form, q = self._form, self._form.initial.q
        cycle = joint_cycle(form, joint)
        links = [
            (link.kind, place)
            for link, place in zip(form.tree.links, form.spanning.places, strict=True)
            if cycle[place.xi].any()
        ]
        single = sum(isinstance(part, Angle) for part in joint.joint.coordinates) == 1
        if not single or any(kind not in PLANAR for kind, _ in links):
            return None
        spins = self._spin(joint.child.name, q) - self._spin(joint.parent.name, q)
        point = Point(form, q, np.zeros(form.n), form.initial.s)
        rates = JointRates(form.definition.bodies, [joint])
        rate = np.asarray(rates.matrix(configuration(form.model, form.linkage, point.x)) @ point.S)[coordinate]
        row = np.zeros(form.size_q)
        for kind, place in links:
            if kind != "hinge":
                continue
            k = place.xi.start
            if abs(abs(rate[k]) - np.linalg.norm(spins[:, k])) > TOLERANCE:  # not about its own axis alone
                return None
            row[place.q.start] = np.rint(rate[k])
        return row

    def _spin(self, carrier: str, q: Array) -> Array:
        """(3, n)."""
        if carrier == self._form.definition.ground.name:
            return np.zeros((3, self._form.n))
        return self._jacobian(carrier, q)[:3]

    def _warn(self, q: Array) -> None:
        form, s = self._form, self._form.initial.s
        x = Point(form, q, np.zeros((*q.shape[:-1], form.n)), np.broadcast_to(s, (*q.shape[:-1], len(s)))).x
        for name, joint in self._spatial.items():
            part, built = form.model.measured[name], s[self._places[name]]
            angle = part.value(x[..., form.model.layout.read(part.reads)])[..., 0] - built
            far = float(np.abs(np.angle(np.exp(1j * angle))).max(initial=0.0))
            if far > NEARLY * np.pi:
                warnings.warn(
                    f"{name!r} is {far:.3g} rad from where it was built, or a whole number of turns more: joint "
                    f"{joint.name!r} closes a loop of axes that are not parallel, where q does not say how often it "
                    f"has turned.\nGive the angle by s=, in the order of d.s_names; or name this joint among the "
                    "independent ones of vv.dynamics(m, independent=...), so that q has its angle.",
                    RunWarning,
                    stacklevel=4,
                )

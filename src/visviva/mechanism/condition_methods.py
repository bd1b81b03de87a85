"""The builder's methods for constraints beyond joints: gears, couplers, racks, drives, and functions of placements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.mechanism.builder import Builder
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coordinates import as_built
from visviva.mechanism.coupling import Coupling, Term
from visviva.mechanism.function_condition import FunctionCondition, traced_function
from visviva.mechanism.inventory import Coordinate, kind_of
from visviva.mechanism.motion_laws import law_of_position, law_of_rate
from visviva.mechanism.parts import Body, Frame, Joint, Particle
from visviva.mechanism.placements import placements_of


class ConditionMethods(Builder):
    """Where a coordinate of a joint is asked for: a joint that has one, or (joint, number), counted from 0."""

    def gear(self, name: str, joint_a: Coordinate, joint_b: Coordinate, *, ratio: float = 1.0) -> Coupling:
        """q_a = ratio q_b + const: joint a turns `ratio` times as fast as joint b; negative for outer gears.

        The constant is as assembled. Its reaction is the torque (or force) on the coordinate of joint a.
        """
        self._new_name(name, "gear")
        factor = finite_number(ratio, f"ratio of gear {name!r}")
        if factor == 0:
            raise ModelError(
                f"ratio of gear {name!r} is 0: it would hold the first joint and leave the second alone.\n"
                "Give the ratio of the speeds, first over second; to hold a joint use m.fixed(...) or a drive."
            )
        where = f"gear {name!r}"
        terms = self._term(joint_a, 1.0, where), self._term(joint_b, -factor, where)
        _check_distinct(terms, where)
        return self._add(Coupling(name, terms))

    def rack(self, name: str, pinion: Coordinate, slide: Coordinate, *, radius: float) -> Coupling:
        """A rack and its pinion: displacement of the slide = radius · angle of the pinion + const, as assembled.

        radius: pitch radius of the pinion [m]; negative where a positive angle moves the rack back.
        Its reaction is the force on the displacement of the slide.
        """
        self._new_name(name, "rack")
        r = finite_number(radius, f"radius of rack {name!r} [m]")
        if r == 0:
            raise ModelError(f"radius of rack {name!r} is 0: the rack would not move. Give the pitch radius [m].")
        turning, sliding = self._term(pinion, -r, f"rack {name!r}"), self._term(slide, 1.0, f"rack {name!r}")
        for term, turns, word in ((turning, True, "pinion"), (sliding, False, "slide")):
            if term.turns is not turns:
                raise ModelError(
                    f"the {word} of rack {name!r} is a coordinate of joint {term.joint.name!r} that "
                    f"{'slides' if turns else 'turns'}: give one that {'turns' if turns else 'slides'}."
                )
        return self._add(Coupling(name, (sliding, turning)))

    def coupler(self, name: str, terms: Mapping[Any, float], *, offset: float | None = None) -> Coupling:
        """Σ c_k q_k = offset for coordinates of joints, {joint or (joint, number): coefficient, ...}.

        offset: default: as assembled. A differential is {left: 1, right: 1, carrier: -2}, for angles against the
        ground. Angles count over many turns. Its reaction f acts on each coordinate as c_k f.
        """
        self._new_name(name, "coupler")
        where = f"coupler {name!r}"
        if not isinstance(terms, Mapping) or not terms:
            raise ModelError(f"{where} needs its terms as {{joint: coefficient, ...}}, got {terms!r}.")
        found = []
        for key, value in terms.items():
            c = finite_number(value, f"coefficient of {_shown(key)} in {where}")
            if c == 0:
                raise ModelError(f"the coefficient of {_shown(key)} in {where} is 0: leave it out.")
            found.append(self._term(key, c, where))
        _check_distinct(found, where)
        shift = None if offset is None else finite_number(offset, f"offset of {where}")
        return self._add(Coupling(name, tuple(found), shift))

    def drive(
        self,
        name: str,
        joint: Coordinate,
        *,
        rate: float | Callable[[float], Any] | None = None,
        position: float | Callable[[float], Any] | None = None,
    ) -> Coupling:
        """Prescribed motion of one coordinate of a joint, with its reaction and power.

        rate:     [rad/s, m/s], a number or a function of time; the coordinate begins as assembled.
        position: [rad, m], a number or a function of time; assembling brings the joint to its value at t = 0. If the
                  function cannot be traced, give its rate as well.
        It is an input port too: `inputs={name: function}` of a run replaces the law by another rate.
        Its reaction is the torque or force on the coordinate, its power what it supplies.
        """
        self._new_name(name, "drive")
        if rate is None and position is None:
            raise ModelError(f"drive {name!r} has no law: give rate=... or position=..., a number or function of time.")
        term = self._term(joint, 1.0, f"drive {name!r}")
        law = (
            self._traced(law_of_rate, name, rate)
            if position is None
            else self._traced(law_of_position, name, position, rate)
        )
        return self._add(Coupling(name, (term,), law=law))

    def constraint(
        self, name: str, parts: Body | Particle | Frame | str | Sequence[Any], *, g: Callable[..., Any]
    ) -> AbstractCondition:
        """Rows g = 0, for a function of the placements of some parts that returns one number or several.

        g gets one argument per part: `a.r` and `a.R`, origin and orientation R_WB of a body or frame, `a.r` of a
        particle, in the world. It is traced: arithmetic and NumPy's functions only. Example: a point on a sphere,
        m.constraint("sphere", (p,), g=lambda p: p.r @ p.r - 1.0).
        """
        self._new_name(name, "constraint")
        given = parts if isinstance(parts, Sequence) and not isinstance(parts, str) else (parts,)
        found = []
        for part in given:
            one = self._find(part, f"constraint {name!r}")
            if not isinstance(one, Body | Particle | Frame):
                raise ModelError(f"constraint {name!r} cannot hold {kind_of(one)} {one.name!r}: give bodies or frames.")
            found.append(one)
        placements = placements_of(found)
        if not placements.movers:
            raise ModelError(f"constraint {name!r} holds nothing that moves: give at least one body or particle.")
        function = self._once(g, (traced_function, id(g), name), lambda: traced_function(name, placements, g))
        condition = FunctionCondition(name, placements, function)
        q = np.concatenate([as_built(mover) for mover in placements.movers])
        with np.errstate(all="ignore"):
            values = condition.value(q, np.zeros(0))
        if not np.isfinite(values).all():
            raise ModelError(
                f"g of constraint {name!r} is {values.tolist()} as built: it must be finite there.\n"
                "Place its parts inside the domain of g, or write g without the division or root that fails."
            )
        return self._add(condition)

    def _term(self, given: Coordinate, coefficient: float, where: str) -> Term:
        """A coordinate of a joint that was named in one of the ways in which it can be."""
        one = self._coordinate(given, where)
        return Term(one.joint, one.scalar, coefficient)


def _check_distinct(terms: Sequence[Term], where: str) -> None:
    """An error that names a coordinate which is there twice: as a name and as a handle, or in a gear with itself."""
    found: list[tuple[Joint, object]] = []
    for term in terms:
        if (term.joint, term.coordinate) in found:
            raise ModelError(
                f"{where} has the same coordinate of joint {term.joint.name!r} twice.\n"
                "Give each coordinate once, with the sum of its coefficients; a gear needs two joints."
            )
        found.append((term.joint, term.coordinate))


def _shown(key: object) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(_shown(part) for part in key)})"
    return repr(getattr(key, "name", key))

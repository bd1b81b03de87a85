"""The report of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError, VisvivaError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.build import FORMS, of_mechanism
from visviva.forms.symbols.director_build import director_equations
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.text import equation_terms, latex_lines, spelled_lines
from visviva.integrate import equilibrium
from visviva.integrate.equilibrium import Equilibrium
from visviva.linear import linearise
from visviva.mechanism import Mechanism
from visviva.mechanism.builder import kind_of
from visviva.mechanism.parts import Body, Joint
from visviva.reports.blocks import Block, Figure, Formulas, Paragraph, Section, Table
from visviva.reports.report import Report
from visviva.views import draw
from visviva.views.equations_names import Label

SHOWN = 20  # modes
MANY = 40  # definitions that are shown at once; more are folded
TITLES = {
    "minimal": "minimal velocities",
    "kane-velocity": "Kane's velocity form",
    "kane-momentum": "Kane's momentum form",
    "lagrange": "Lagrange's form",
    "hamilton": "Hamilton's form",
    "directors": "directors",
}


def mechanism_report(m: Mechanism, form: str, numeric: bool) -> Report:
    """All sections."""
    if form not in FORMS:
        raise ModelError(f"there is no symbolic form {form!r}; there are {', '.join(FORMS)}.")
    source = MinimalForm(m)
    e: SymbolicEquations | DirectorEquations
    e = director_equations(m, numeric) if form == "directors" else of_mechanism(source, form, numeric, None)
    counts = f"{len(m.bodies)} bodies, {len(m.joints)} joints, mobility {m.mobility()}"
    return Report(
        m.name,
        f"A mechanism of {counts}; equations in {TITLES[form]}.",
        (
            Section("Mechanism", tuple(_parts(m))),
            Section("Parameters", tuple(_parameters(e))),
            Section("Coordinates and velocities", tuple(_variables(e, source))),
            Section("Equations of motion", tuple(_equations(e))),
            Section("Energies", tuple(_energies(e))),
            Section("Mobility", tuple(_mobility(m))),
            Section("Equilibrium and modes", tuple(_equilibrium(m, source))),
        ),
    )


# -- parts ------------------------------------------------------------------------------------------------------------


def _parts(m: Mechanism) -> Iterator[Block]:
    yield Figure(draw(m), f"The mechanism {m.name!r} as built.")
    yield Table(
        "Bodies: mass, centre of mass in the world as built, principal moments of inertia.",
        ("body", "mass [kg]", "centre of mass [m]", "moments [kg m²]"),
        tuple(
            (
                body.name,
                _number(body.mass),
                _vector(body.r_WC if isinstance(body, Body) else body.r_W),
                _vector(body.J_C) if isinstance(body, Body) else "–",
            )
            for body in m.bodies
        ),
        frozenset({1}),
    )
    if m.joints:
        yield Table(
            "Joints: place and axis \\(z\\) in the world as built.",
            ("joint", "kind", "parent", "child", "at [m]", "axis"),
            tuple(_joint(joint) for joint in m.joints),
        )
    others = [part for part in m.parts.values() if part not in m.bodies and not isinstance(part, Joint)]
    others = [part for part in others if part not in m.frames]
    if others:
        yield Table("Other parts.", ("name", "what it is"), tuple((part.name, kind_of(part)) for part in others))
    if m.gravity.any():
        yield Paragraph(f"Gravity is the acceleration {_vector(m.gravity)} m/s² in world axes.")


def _joint(joint: Joint) -> tuple[str, ...]:
    axis = "–" if joint.joint.kind in ("spherical", "free", "fixed", "distance") else _vector(joint.R_W[:, 2])
    return joint.name, joint.joint.kind.replace("_", " "), joint.parent.name, joint.child.name, _vector(joint.r_W), axis


# -- symbols ----------------------------------------------------------------------------------------------------------


def _parameters(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    if not e.values:
        yield Paragraph("All numbers stand in the equations themselves.")
        return
    yield Paragraph(
        "Symbols of lengths are components in the axes of the link or body that carries them; each stands for the size "
        "of its number, and signs are written out in the equations. Directions are numbers."
    )
    spelling = e.steps.spelling
    used = _used(e)
    rows = [
        (f"\\({spelling[symbol]}\\)", _number(value), e.units.get(symbol, "") or "SI")
        for symbol, value in e.values.items()
        if symbol in used
    ]
    half = -(-len(rows) // 2)
    if len(rows) > 12:  # two columns side by side
        padded = [*rows, ("", "", "")][: 2 * half]
        rows = [(*a, *b) for a, b in zip(padded[:half], padded[half:], strict=True)]  # type: ignore[misc]
        head: tuple[str, ...] = ("symbol", "value", "unit") * 2
        yield Table("Parameters.", head, tuple(rows), frozenset({1, 4}))
    else:
        yield Table("Parameters.", ("symbol", "value", "unit"), tuple(rows), frozenset({1}))


def _used(e: SymbolicEquations | DirectorEquations) -> set[Any]:
    """Symbols of the equations and energies; an inertia about an axis that nothing turns about is none."""
    terms = (
        [e.M, e.V_q, e.R_v, e.B_v, e.g, e.G, e.h_v] if isinstance(e, DirectorEquations) else [*equation_terms(e), e.V]
    )
    entries = [entry for term in terms for entry in (term if isinstance(term, Iterable) else [term])]
    known = e.steps.needed(entries).values()
    return set().union(set(), *(entry.free_symbols for entry in (*entries, *known)))


def _variables(e: SymbolicEquations | DirectorEquations, source: MinimalForm) -> Iterator[Block]:
    spelling = e.steps.spelling
    if isinstance(e, DirectorEquations):
        yield Paragraph(
            r"Every body has the centre of mass \(\phi\) and the directors \(d_1, d_2, d_3\), its principal axes, in "
            rf"world axes: {len(e.q)} coordinates \(q\) with velocities \(v = \dot{{q}}\). There are {len(e.lam)} "
            r"multipliers \(\lambda\), one for each row of the constraints \(g\)."
        )
        return
    start = source.initial
    rows = [
        (f"\\({spelling[s]}\\)", e.names[s], _number(value), unit)
        for symbols, values, rate in ((e.q, start.q, ""), (e.xi, start.xi, "/s"), (e.s, start.s, "SI"))
        for s, value, unit in zip(symbols, values, _units(e, source, len(symbols), rate), strict=True)
    ]
    yield Table("Coordinates, velocities and other states, with their values at the start.",
                ("symbol", "name in results", "at the start", "unit"), tuple(rows), frozenset({2}))  # fmt: skip
    if e.turns:
        yield Paragraph(
            "Orientations are quaternions \\((w, x, y, z)\\); their velocities \\(\\omega\\) are in body axes."
        )
    if e.u:
        inputs = tuple((f"\\({spelling[s]}\\)", e.names[s]) for s in e.u)
        yield Table("Inputs.", ("symbol", "port"), inputs)


def _units(e: SymbolicEquations, source: MinimalForm, count: int, rate: str) -> list[str]:
    if rate == "SI":
        return ["SI"] * count
    found: list[str] = []
    for link, place in zip(source.tree.links, source.spanning.places, strict=True):
        size = place.xi.stop - place.xi.start if rate else place.q.stop - place.q.start
        match link.kind:
            case "hinge":
                found += [f"rad{rate}"] * size
            case "slider":
                found += [f"m{rate}"] * size
            case "ball":
                found += [f"rad{rate}" if rate else "1"] * size
            case "free":
                found += [f"rad{rate}"] * 3 + [f"m{rate}"] * 3 if rate else ["m"] * 3 + ["1"] * 4
    return found


def _equations(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    if isinstance(e, DirectorEquations):
        lines, where, definitions = e.lines()
    else:
        lines, where, definitions = latex_lines(e)
        yield Paragraph(_explained(e))
    yield Formulas(tuple(lines), numbered=True)
    yield Paragraph("with")
    yield Formulas(tuple(where))
    if definitions:
        folded = f"{len(definitions)} definitions" if len(definitions) > MANY else ""
        if not folded:
            yield Paragraph("and the abbreviations")
        yield Formulas(tuple(definitions), folded=folded)


def _explained(e: SymbolicEquations) -> str:
    """What stands in the equations, in words."""
    text = {
        "minimal": r"\(M\) is the mass matrix, \(c\) are inertia forces without accelerations, \(f\) is all that acts.",
        "kane-velocity": r"\(A\) is the mass matrix, \(D\) Kane's, \(\dot{A} = D + D^{\top}\); \(f\) is what acts.",
        "kane-momentum": r"\(p\) are momenta and \(D^{\top} \xi\) is the gyration force; \(f\) is what acts.",
        "lagrange": r"\(Q\) are the forces that have no potential; derivatives are along the velocities.",
        "hamilton": r"\(p\) are momenta, \(Q\) forces that have no potential; derivatives are along the velocities.",
    }[e.form]
    if e.Z.rows:
        names = ", ".join(f"{part.name} ({len(part.z)})" for part in e.rows)
        text += f" The rows \\(Z\\) with multipliers \\(\\lambda\\) are those of {names}."
    return text


def _energies(e: SymbolicEquations | DirectorEquations) -> Iterator[Block]:
    writer = e.writer
    if isinstance(e, DirectorEquations):
        yield Formulas((("T", r"\frac{1}{2} v^{\top} M v"), ("V", writer.expression(e.V))))
        return
    lines = list(spelled_lines(writer, "T", e.T, ""))
    for name, energy in e.energies.items():
        lines += spelled_lines(writer, Label("V", (name,)).latex, energy, "")
    yield Formulas(tuple(lines))


# -- what follows -----------------------------------------------------------------------------------------------------


def _mobility(m: Mechanism) -> Iterator[Block]:
    a = m.analysis()
    rows = [
        ("bodies, particles", f"{a.bodies}, {a.particles}"),
        ("joints, independent loops", f"{a.joints}, {a.loops}"),
        ("rows of all constraints, rank", f"{a.rows}, {a.rank}"),
        ("mobility by Grübler and Kutzbach", str(a.gruebler)),
        ("mobility", str(a.mobility)),
    ]
    rows += [(f"redundant rows of {name}", str(count)) for name, count in a.redundant.items()]
    yield Table("Mobility as assembled.", ("quantity", "value"), tuple(rows), frozenset({1}))
    if a.warning:
        yield Paragraph(a.warning)


def _equilibrium(m: Mechanism, source: MinimalForm) -> Iterator[Block]:
    drives = ", ".join(part.name for part in m.conditions if part.law is not None)
    if drives:
        yield Paragraph(f"There is none to report: {drives} prescribes the motion.")
        return
    try:
        found = equilibrium(m)
    except VisvivaError as reason:
        yield Paragraph(f"There is none to report: {reason}")
        return
    text = f"The {found.stability} equilibrium next to the start has the potential energy {_number(found.energy)} J."
    if found.lowest is not None and found.stable:
        text += f" The lowest frequency of small oscillations is {_number(np.sqrt(found.lowest) / (2 * np.pi))} Hz."
    yield Paragraph(text)
    q = source.coordinates(found.motion).q
    places = tuple((name, _number(value)) for name, value in zip(source.q_names, q, strict=True))
    yield Table("Coordinates in equilibrium [rad, m].", ("coordinate", "value"), places, frozenset({1}))
    forces = [(name, _vector(F[:3]), _vector(F[3:])) for name, F in found.reactions.items() if len(F) == 6]
    if forces:
        yield Table(
            "Reactions on the child in equilibrium, in the joint's frame.",
            ("joint", "moment [N m]", "force [N]"),
            tuple(forces),
        )
    yield from _modes(m, found)


def _modes(m: Mechanism, found: Equilibrium) -> Iterator[Block]:
    """Small motions about the equilibrium."""
    try:
        modes = linearise(m, found.motion).modes()
    except VisvivaError as reason:
        yield Paragraph(f"Small motions about it have no linear equations: {reason}")
        return
    rows = []
    for k, mode in enumerate(modes.modes[:SHOWN]):
        rate = f"{_number(mode.eigenvalue.real)} {'+-'[mode.eigenvalue.imag < 0]} {_number(abs(mode.eigenvalue.imag))}i"
        moving = sorted(mode.shares.items(), key=lambda item: -item[1])[:3]
        who = ", ".join(f"{name} {100 * share:.0f} %" for name, share in moving if share >= 0.02)
        rows.append((str(k + 1), rate, _number(mode.frequency), _number(mode.damping_ratio), who))
    yield Table(
        "Modes of small motions, slowest first; shares are those of kinetic energy.",
        ("mode", "eigenvalue [1/s]", "frequency [Hz]", "damping ratio", "what moves"),
        tuple(rows),
        frozenset({1, 2, 3}),
    )


def _number(value: float) -> str:
    short = f"{float(value):.6g}"
    return "0" if short in ("-0", "0") or abs(float(value)) < 1e-12 else short


def _vector(values: Array) -> str:
    return f"({', '.join(_number(value) for value in values)})"

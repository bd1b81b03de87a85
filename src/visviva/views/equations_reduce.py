"""Reduction: what only passes efforts and flows on leaves the equations."""

from __future__ import annotations

from typing import Any

from visviva.views.equations_flows import Balance
from visviva.views.equations_pattern import ends
from visviva.views.equations_terms import Form, Term, Vector, solved, substituted, value
from visviva.views.equations_variables import Variables


def reduced(v: Variables, given: Balance) -> Balance:
    """Eliminate transformers: boxes of one or two power ports whose rows say that one effort is given by the other.

    With 0 = A e1 ± e2 at a junction 2 without state the rows give e2, and the balance of junction 2 gives the
    multiplier: both leave the equations, as (27) does on the way to (31) in Lohmayer, Capobianco and Leyendecker.
    So does the effort of a source at such a junction; what it gives there is kept.
    """
    flows, rows, sources, efforts = dict(given.flows), dict(given.rows), dict(given.sources), {}
    at = ends(v.flat)
    for name in given.rows:
        ports = [at[name, port.name] for port in v.flat.boxes[name].power_ports]
        for junction in reversed(ports) if len(ports) <= 2 else ():
            if junction in v.holder or junction in v.outer_flows or junction in efforts:
                continue
            e, lam = v.efforts[junction], v.multipliers[name]
            e_is, lam_is = solved(rows[name], e), solved(flows[junction], lam)
            if e_is is None or lam_is is None:
                continue
            del rows[name], flows[junction]
            efforts[junction] = e_is
            if name in v.given:
                sources[name] = lam_is
            for vector, form in ((e, e_is), (lam, lam_is)):
                flows, rows, sources, efforts = (
                    _without(vector, form, forms) for forms in (flows, rows, sources, efforts)
                )
            break
    return _in_what_is_left(v, Balance(flows, rows, sources), efforts)


def _without(vector: Vector, form: Form, forms: dict[str, Form]) -> dict[str, Form]:
    return {name: substituted(one, vector, form) for name, one in forms.items()}


def _in_what_is_left(v: Variables, given: Balance, efforts: dict[str, Form]) -> Balance:
    """The entries of vectors without a name, such as friction, in the efforts that are left; zeros dropped."""
    swap: dict[Any, Any] = {}
    for junction, form in efforts.items():
        e = v.efforts[junction]
        swap |= dict(zip(e.entries, value(form, e.n), strict=True))

    def left(term: Term) -> Term:
        if term.vector.label is not None:
            return term
        return Term(term.sign, term.factors, Vector(tuple(entry.xreplace(swap) for entry in term.vector.entries)))

    def kept(forms: dict[str, Form]) -> dict[str, Form]:
        return {name: tuple(t for t in map(left, form) if not t.vector.is_zero) for name, form in forms.items()}

    return Balance(kept(given.flows), kept(given.rows), kept(given.sources))

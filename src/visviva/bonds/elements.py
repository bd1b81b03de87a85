"""Elements of bond graphs, as people write them: C(0.02), I(H=...), R(3.0), Se(10.0), MTF(lambda x: ...), one().

Signs.   A bond a -> b has its half arrow at b: e·f is the power from a to b.
C, I     q̇ = f, e = ∂H/∂q;   ṗ = e, f = ∂H/∂p. A number is the capacitance q = C e, the inertia p = I f.
R        e = R f.   RS the same, and the entropy flow e·f/θ leaves through its second bond.
TF       in -> T -> out:  f_out = n f_in,  e_in = nᵀ e_out;   GY:  e_in = r f_out,  e_out = rᵀ f_in.
0, 1     one effort, flows balance;   one flow, efforts balance.
IC, NIC  fields with an I-port and a C-port; Phillips and Amirouche, section 3.6.
Units    SI where none is written; I("100 mH"), C(H=lambda q, k: 0.5 * k * q**2, k="50 N/m"), I(M, unit="kg").
Source:  Karnopp, Margolis and Rosenberg, System Dynamics; Breedveld (1985) for multibonds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from visviva.bonds.domains import check_domain
from visviva.bonds.given import Given, check_width, in_si, is_expression, is_law, parameters_in_si, reads
from visviva.bonds.units import Unit
from visviva.errors import ModelError
from visviva.language import Irreversible, Storage

PORTS: dict[str, tuple[str, ...]] = {
    "C": ("",), "I": ("",), "R": ("",), "Se": ("",), "Sf": ("",), "TF": ("in", "out"), "GY": ("in", "out"),
    "RS": ("in", "heat"), "IC": ("I", "C"), "NIC": ("I", "C"), "T*": ("I", "C"), "0": (), "1": (),
}  # fmt: skip
STORES = ("IC", "NIC", "T*")


@final
@dataclass(frozen=True, eq=False)
class Element:
    """One element, not yet in a graph.

    kind:       one of C I R RS Se Sf TF GY 0 1 IC NIC T*.
    given:      its law: a number or matrix, a function, expressions; None is an input of its own name.
    energy:     whether the law is an energy (C, I, IC).   conductance: whether it is one of R, f = G e.
    modulated:  shown as MTF, MGY, MSe, MSf.   parameters: numbers by name.
    widths:     of the bonds at its ports, None where they follow from the neighbours.
    ports:      names of its ports; () for junctions, which have any number.
    free:       of a 1-junction: its flow is a state, and its balance of efforts determines the rate of it.
    system:     the primitive system of the language that it was made from.
    names:      of its states, where they are not p_name or q_name.   inputs: of what its law reads of its own bond.
    units:      those that were written, by parameter; "" is the value itself.
    reads:      names of states at the state ports of `system`.
    """

    kind: str
    given: Given = None
    parameters: dict[str, float] = field(default_factory=dict)
    domain: str | None = None
    widths: tuple[int | None, ...] = (None,)
    ports: tuple[str, ...] = ("",)
    energy: bool = False
    conductance: bool = False
    modulated: bool = False
    free: bool = False
    label: str = ""
    system: Storage | Irreversible | None = None
    names: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    units: dict[str, Unit] = field(default_factory=dict)
    reads: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """How pictures call its kind."""
        return f"M{self.kind}" if self.modulated else self.kind

    @property
    def functional(self) -> bool:
        """Whether its law is a function or an expression, not a number."""
        return callable(self.given) or isinstance(self.given, tuple) or is_expression(self.given)

    @property
    def junction(self) -> bool:
        """Whether it is a 0- or 1-junction."""
        return self.kind in ("0", "1")


def C(C: Given = None, *, H: Given = None, **options: Any) -> Element:
    """A capacitor, a spring, a tank: capacitance C with q = C e (a symmetric matrix on a multibond), or energy H(q)."""
    return _storage("C", C, H, options)


def I(I: Given = None, *, H: Given = None, **options: Any) -> Element:  # noqa: E743 - the name of the element
    """A mass, a coil: inertia I with p = I f (a symmetric matrix on a multibond), or energy H(p)."""
    return _storage("I", I, H, options)


def _storage(kind: str, value: Given, H: Given, options: dict[str, Any]) -> Element:
    if (value is None) == (H is None):
        raise ModelError(f"{kind} takes either a number, e.g. {kind}(2.0), or an energy, {kind}(H=lambda ...).")
    if H is None and is_law(value):
        letter = "q" if kind == "C" else "p"
        raise ModelError(f"a function of {kind} is its energy: {kind}(H=lambda {letter}: ...).")
    if H is not None:
        _check_function(f"the energy H of {kind}", H)
    return _one_port(kind, value if H is None else H, options, energy=H is not None)


def R(R: Given = None, *, G: Given = None, **options: Any) -> Element:
    """A resistor, a damper: e = R f, with a number or a function R(f) >= 0; or f = G e with G or G(e) >= 0.

    The heat goes to the environment; RS shows where it goes.
    """
    if (R is None) == (G is None):
        raise ModelError("R takes either a resistance, R(3.0) or R(lambda f: ...), or a conductance, R(G=...).")
    return _one_port("R", R if G is None else G, options, conductance=G is not None)


def RS(R: Given, **options: Any) -> Element:
    """A resistor with its heat: in -> RS -> thermal, e = R f, and the entropy flow e·f/θ into the thermal bond."""
    return _made("RS", R, options, widths=(1, 1), ports=PORTS["RS"])


def Se(e: Given = None, **options: Any) -> Element:
    """A source of effort: a number, a function of t, x (states by name) and f (its own flow), or an input."""
    return _one_port("Se", e, options, modulated=reads(e, options))


def Sf(f: Given = None, **options: Any) -> Element:
    """A source of flow: a number, a function of t, x (states by name) and e (its own effort), or an input."""
    return _one_port("Sf", f, options, modulated=reads(f, options))


def TF(n: Given, **options: Any) -> Element:
    """A transformer in -> TF -> out: f_out = n f_in, e_in = nᵀ e_out."""
    return _two_port("TF", n, options, False)


def MTF(n: Callable[..., Any] | Given, **options: Any) -> Element:
    """A transformer whose modulus depends on states: MTF(lambda x, l: l * np.cos(x.theta), l=0.5)."""
    return _two_port("TF", n, options, True)


def GY(r: Given, **options: Any) -> Element:
    """A gyrator in -> GY -> out: e_in = r f_out, e_out = rᵀ f_in. With one multibond: e = r f, r skew."""
    return _two_port("GY", r, options, False)


def MGY(r: Callable[..., Any] | Given, **options: Any) -> Element:
    """A gyrator whose modulus depends on states."""
    return _two_port("GY", r, options, True)


def IC(H: Given, **options: Any) -> Element:
    """A field of energy H(q, p): its I-port has ṗ = e and f = ∂H/∂p, its C-port q̇ = f and e = ∂H/∂q."""
    _check_function("the energy H of IC", H)
    width = options.get("width") or 1
    return _made("IC", H, options, widths=(width, width), ports=PORTS["IC"], energy=True)


def NIC(A: Given, gyration: Given, **options: Any) -> Element:
    """A field of kinetic energy ½ pᵀA⁻¹p whose C-port has the gyration force: f = A⁻¹p, ṗ = e_I; e_C = -gyration.

    A, gyration: of x (states by name), and of f for gyration; f·gyration = ½ fᵀȦ f, or energy would not be conserved.
    Source:      Phillips and Amirouche (38).
    """
    _check_function("the gyration force of NIC", gyration)
    width = options.get("width") or 1
    return _made("NIC", (A, gyration), options, widths=(width, width), ports=PORTS["NIC"])


def zero(*, domain: str | None = None, width: int | None = None) -> Element:
    """A 0-junction: all bonds have one effort, their flows balance."""
    return Element("0", None, {}, check_domain(domain, "a 0-junction"), (check_width(width, "0"),), PORTS["0"])


def one(*, domain: str | None = None, width: int | None = None, free: bool = False) -> Element:
    """A 1-junction: all bonds have one flow, their efforts balance."""
    if not isinstance(free, bool):
        raise ModelError(f"free of a 1-junction is True or False, got {free!r}.")
    return Element(
        "1", None, {}, check_domain(domain, "a 1-junction"), (check_width(width, "1"),), PORTS["1"], free=free
    )


def _one_port(kind: str, given: Given, options: dict[str, Any], **flags: Any) -> Element:
    return _made(kind, given, options, widths=(options.get("width"),), ports=("",), **flags)


def _two_port(kind: str, given: Given, options: dict[str, Any], modulated: bool) -> Element:
    if options.get("domain") is not None:
        raise ModelError(f"a {kind} joins two domains: give those of the elements at its ends, not its own.")
    if modulated and (isinstance(given, str) or np.isscalar(given)):
        raise ModelError(f"an M{kind} has a function of states, M{kind}(lambda x: ...); {kind}({given!r}) is constant.")
    return _made(kind, given, options, widths=(None, None), ports=PORTS[kind], modulated=modulated)


def _made(kind: str, given: Given, options: dict[str, Any], **fields: Any) -> Element:
    """An element from a value or law and keywords: domain, width, label, unit; all others are parameters."""
    if given is None and kind not in ("Se", "Sf"):
        raise ModelError(f"{kind} needs a value or a law, e.g. {kind}(2.0); got None.")
    kept = dict(options)
    domain, width, by = (kept.pop(key, None) for key in ("domain", "width", "unit"))
    label = str(kept.pop("label", ""))
    check_width(width, kind)
    value, unit = in_si(given, by, kind)
    numbers, units = parameters_in_si(kept, value if isinstance(value, tuple) else (value,), kind)
    units |= {} if unit is None else {"": unit}
    return Element(kind, value, numbers, check_domain(domain, kind), label=label, units=units, **fields)


def _check_function(what: str, given: Given) -> None:
    if not is_law(given):
        raise ModelError(f"{what} is a function, e.g. lambda q: q**2, got {given!r}.")

"""Bond graphs: elements and bonds as data, causality, equations, pictures; to and from systems and mechanisms."""

from visviva.bonds.causality import Causality
from visviva.bonds.domains import DOMAINS, Domain
from visviva.bonds.elements import GY, IC, MGY, MTF, NIC, RS, TF, C, Element, I, R, Se, Sf, one, zero
from visviva.bonds.graph import Bond, BondGraph

__all__ = [
    "DOMAINS",
    "GY",
    "IC",
    "MGY",
    "MTF",
    "NIC",
    "RS",
    "TF",
    "Bond",
    "BondGraph",
    "C",
    "Causality",
    "Domain",
    "Element",
    "I",
    "R",
    "Se",
    "Sf",
    "one",
    "zero",
]

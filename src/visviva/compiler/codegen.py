"""Source text of the compiled function of a law: it treats all instances of the law in one call.

Per instance there is a row of whole numbers `T` that says where its entries live; see `kernels.calls` for what the
arrays are. Derivatives are exact, and only entries that are not zero by structure are touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from visviva.compiler.flows import FlowLaw, is_flat, rotation_of
from visviva.compiler.laws import EnergyLaw, InputLaw, RateLaw, symbols
from visviva.compiler.printing import HELPERS, shared
from visviva.language.slopes import slope


@final
@dataclass(frozen=True)
class FlowLayout:
    """What one row of T holds, in this order.

    reads:   per space read, its place in s; with its place in the derivatives where it is not flat.
    ends:    per space read whose end is used, its place in the states at the end.
    acts:    per effort block, its place in z and in dE.
    then     the places of the parameters, of the inputs and of the power in `out`.
    pairs:   per (row block, column) that is not zero, the place of that block in V; columns are acts, then reads.
    """

    reads: tuple[bool, ...]  # whether each is flat
    ends: tuple[int, ...]
    acts: int
    pairs: tuple[tuple[int, int], ...]

    @property
    def width(self) -> int:
        """Numbers per instance."""
        return sum(1 if flat else 2 for flat in self.reads) + len(self.ends) + 2 * self.acts + 3 + len(self.pairs)


def energy_source(law: EnergyLaw) -> str:
    """The discrete gradient of an energy between xa and xb, and its derivative by xb. T: places in x, e, dE, P."""
    n = law.size
    a, b = symbols("a", n), symbols("b", n)
    lines = [f"{symbol} = xa[T[o] + {k}]" for k, symbol in enumerate(a)]
    lines += [f"{symbol} = xb[T[o] + {k}]" for k, symbol in enumerate(b)]
    lines += [f"p{k} = P[T[o + 3] + {k}]" for k in range(law.width)]
    if law.differences is None:
        (first, second), (efforts, slopes) = _gonzalez(law)
    else:
        D = law.differences
        (first, second), (efforts, slopes) = shared([D, [slope(d, x) for d in D for x in b]])
    lines += first
    lines += [f"e[T[o + 1] + {k}] += {value}" for k, value in enumerate(efforts)]
    lines += ["if mode == 1:", "    pass", *(f"    {line}" for line in second)]
    lines += [f"    dE[T[o + 2] + {k}] += scale * ({v})" for k, v in enumerate(slopes) if v not in ("0", "0.0")]
    return _module("n, T, P, xa, xb, e, dE, scale, mode", 4, lines)


def gradient_source(law: EnergyLaw) -> str:
    """The gradient of an energy at xb, or with mode 2 the energy itself in the first place. T: as `energy_source`."""
    x = symbols("x", law.size)
    (first, second), (values, (stored,)) = shared([law.slopes, [law.H]])
    lines = [f"{symbol} = xb[T[o] + {k}]" for k, symbol in enumerate(x)]
    lines += [f"p{k} = P[T[o + 3] + {k}]" for k in range(law.width)]
    lines += [*first, "if mode == 2:", *(f"    {line}" for line in second), f"    e[T[o + 1]] += {stored}"]
    lines += ["else:", *(f"    e[T[o + 1] + {k}] += {value}" for k, value in enumerate(values))]
    return _module("n, T, P, xa, xb, e, dE, scale, mode", 4, lines)


def rate_source(law: RateLaw) -> str:
    """The force of a friction, and its derivatives by rate and temperature. T: its number, and the place in P."""
    (first,), (values,) = shared([[law.F, *law.slopes]])
    lines = ["k = T[o]", "r0, t0 = rates[k], temperatures[k]", *(f"p{i} = P[T[o + 1] + {i}]" for i in range(law.width))]
    lines += [*first, *(f"out[3 * k + {i}] = {value}" for i, value in enumerate(values))]
    return _module("n, T, P, rates, temperatures, out", 2, lines)


def input_source(law: InputLaw) -> str:
    """Inputs by feedback. T: place in P and in u, places in x of what is read and of what is felt."""
    (first,), (values,) = shared([law.values])
    n, m = law.reads, law.feels
    lines = [f"x{k} = x[T[o + {2 + k}]]" for k in range(n)] + [f"e{k} = x[T[o + {2 + n + k}]]" for k in range(m)]
    lines += [f"p{k} = P[T[o] + {k}]" for k in range(law.width)]
    lines += ["t0 = t", *first, *(f"u[T[o + 1] + {k}] = {value}" for k, value in enumerate(values))]
    return _module("n, T, P, t, x, u", n + m + 2, lines)


def _gonzalez(law: EnergyLaw) -> tuple[tuple[list[str], list[str]], tuple[list[str], list[str]]]:
    """The corrected gradient at the mean, for energies without a rule; see `model.storage.secant_of_gonzalez`."""
    n = law.size
    x, a, b = symbols("x", n), symbols("a", n), symbols("b", n)
    start, end = dict(zip(x, a, strict=True)), dict(zip(x, b, strict=True))
    mean = {s: (p + q) / 2 for s, p, q in zip(x, a, b, strict=True)}
    ends = [law.H.xreplace(start), law.H.xreplace(end), *(effort.xreplace(mean) for effort in law.slopes)]
    more = [effort.xreplace(end) for effort in law.slopes]
    more += [slope(effort, s).xreplace(mean) for effort in law.slopes for s in x]
    (first, second), (values, rest) = shared([ends, more])
    first = [*first, f"H0, H1 = {values[0]}, {values[1]}"]
    first += [f"g{k}, d{k} = {values[2 + k]}, b{k} - a{k}" for k in range(n)]
    first.append("gap = H1 - H0" + "".join(f" - g{k} * d{k}" for k in range(n)))
    first.append("square = " + " + ".join(f"d{k} * d{k}" for k in range(n)))
    first.append("live = abs(gap) > 1.7763568394002505e-15 * max(abs(H0), abs(H1)) and square > 0.0")
    first.append("phi = gap / square if live else 0.0")
    for m in range(n):
        bend = "".join(f" - 0.5 * ({rest[n + k * n + m]}) * d{k}" for k in range(n))
        second.append(f"phi{m} = (({rest[m]}) - g{m}{bend} - 2.0 * phi * d{m}) / square if live else 0.0")
    slopes = [
        f"0.5 * ({rest[n + k * n + m]}) + d{k} * phi{m}" + (" + phi" if k == m else "")
        for k in range(n)
        for m in range(n)
    ]
    return (first, second), ([f"g{k} + phi * d{k}" for k in range(n)], slopes)


def flow_source(law: FlowLaw, stages: int) -> str:
    """The flows of a structure and their derivatives by the unknowns of a step with some stages.

    PAIRS and ENDS of the module are those of its `FlowLayout`.
    """
    return _FlowWriter(law, stages).source()


class _FlowWriter:
    def __init__(self, law: FlowLaw, stages: int) -> None:
        self.law = law
        self.stages = stages
        self.flat = tuple(is_flat(space) for space in law.reads)
        self.x, self.y, self.c = self._coordinates("x"), self._coordinates("y"), self._turns()
        self.e = self._efforts()
        used = set().union(set(), *(flow.free_symbols for flow in law.flows))
        self.ends = tuple(k for k, coordinates in enumerate(self.y) if used & set(coordinates))
        self.used = used

    def _coordinates(self, letter: str) -> list[list[Any]]:
        every = iter(symbols(letter, sum(space.size for space in self.law.reads)))
        return [[next(every) for _ in range(space.size)] for space in self.law.reads]

    def _turns(self) -> list[list[Any]]:
        sizes = [space.n**2 if (space := rotation_of(read)) else 0 for read in self.law.reads]
        every = iter(symbols("c", sum(sizes)))
        return [[next(every) for _ in range(size)] for size in sizes]

    def _efforts(self) -> list[list[Any]]:
        every = iter(symbols("e", sum(self.law.acts)))
        return [[next(every) for _ in range(dim)] for dim in self.law.acts]

    def source(self) -> str:
        law, S = self.law, self.stages
        rows = [(k, a) for k, dim in enumerate(law.acts) for a in range(dim)]
        partials = [self._partials(flow) for flow in law.flows]
        coupled = [(k, column) for (k, _), parts in zip(rows, partials, strict=True) for column in parts]
        pairs = tuple(dict.fromkeys(coupled))
        layout = FlowLayout(self.flat, self.ends, len(law.acts), pairs)
        flat = [w for parts in partials for column in parts.values() for _, w in column]
        (first, second, third), (flows, slopes, given) = shared([law.flows, flat, law.supplied])
        lines = [*self._loads(layout), *first, *(f"f{k} = {value}" for k, value in enumerate(flows))]
        e = [symbol for block in self.e for symbol in block]
        lines += [
            "if mode == 2:",
            f"    out[T[o + {self.tail + 2}]] = " + " + ".join(f"{s} * f{k}" for k, s in enumerate(e)),
        ]
        lines += [f"    {line}" for line in (*second, *third)] if given else []  # all that they need
        lines += [f"    u[T[o + {self.tail + 1}] + {k}] = {value}" for k, value in enumerate(given)]
        lines += ["else:"]
        lines += [f"    r[(z{k} + {a}) * {S} + stage] -= f{i}" for i, (k, a) in enumerate(rows)]
        sizes = [f"rs[(z{k} + {a}) * {S} + stage] += abs(f{i})" for i, (k, a) in enumerate(rows)]
        lines += ["    if mode == 1:", *(f"        {line}" for line in (*sizes, *second))]
        values = iter(slopes)
        for i, ((k, a), parts) in enumerate(zip(rows, partials, strict=True)):
            for column, terms in parts.items():
                named = [(l, f"j{i}_{column}_{l}", next(values)) for l, _ in terms]
                lines += [f"        {name} = {value}" for _, name, value in named]
                place = f"T[o + {self.tail + 3 + pairs.index((k, column))}]"
                block = self._scatter(place, k, a, column, [(l, name) for l, name, _ in named])
                lines += [f"        {line}" for line in block]
        head = "n, T, P, s, end, z, u, dE, dX, cx, amp, t, k, stage, mode, r, rs, V, out"
        return _module(head, layout.width, lines, f"PAIRS = {pairs!r}\nENDS = {self.ends!r}")

    def _loads(self, layout: FlowLayout) -> list[str]:
        lines, at = [], 0
        for k, flat in enumerate(self.flat):
            lines += [f"{symbol} = s[T[o + {at}] + {l}]" for l, symbol in enumerate(self.x[k]) if symbol in self.used]
            size = len(self.x[k])
            lines += [f"{c} = s[T[o + {at}] + {size + l}]" for l, c in enumerate(self.c[k]) if c in self.used]
            if not flat:
                lines.append(f"q{k} = T[o + {at + 1}]")
            at += 1 if flat else 2
        for k in self.ends:
            lines += [f"{symbol} = end[T[o + {at}] + {l}]" for l, symbol in enumerate(self.y[k]) if symbol in self.used]
            at += 1
        for k, block in enumerate(self.e):
            lines += [f"z{k} = T[o + {at}]", f"d{k} = T[o + {at + 1}]"]
            lines += [f"{symbol} = z[z{k} + {l}]" for l, symbol in enumerate(block)]
            at += 2
        self.tail = at
        lines += [f"p{l} = P[T[o + {at}] + {l}]" for l in range(self.law.width)]
        lines += [f"u{l} = u[T[o + {at + 1}] + {l}]" for l in range(self.law.inputs)]
        lines.append("t0 = t")
        return lines

    def _partials(self, flow: Any) -> dict[int, list[tuple[int, Any]]]:
        """Derivatives that are not zero, by column: efforts first, then the spaces read.

        Within a space read, places count its coordinates at the mean, then Q, then its coordinates at the end.
        """
        columns = list(self.e)
        columns += [[*x, *c, *y] for x, c, y in zip(self.x, self.c, self.y, strict=True)]
        found: dict[int, list[tuple[int, Any]]] = {}
        for column, variables in enumerate(columns):
            terms = [(l, slope(flow, v)) for l, v in enumerate(variables) if v in flow.free_symbols]
            terms = [(l, w) for l, w in terms if w != 0]
            if terms:
                found[column] = terms
        return found

    def _scatter(self, place: str, k: int, a: int, column: int, terms: list[tuple[int, str]]) -> list[str]:
        S, acts = self.stages, len(self.law.acts)
        size = f"rs[(z{k} + {a}) * {S} + stage]"
        if column < acts:
            dim = self.law.acts[column]
            width = S * dim
            lines = [f"{size} += abs({w}) * amp[z{column} + {l}]" for l, w in terms]
            row = f"{place} + ({a} * {S} + stage) * {width}" if S > 1 else f"{place} + {a * width}"
            if width == 1:
                return [*lines, f"V[{row}] -= {terms[0][1]} * dE[d{column}]"]
            total = " + ".join(f"{w} * dE[d{column} + {l * width} + i]" for l, w in terms)
            return [*lines, f"for i in range({width}):", f"    V[{row} + i] -= {total}"]
        read = column - acts
        space, size_x = self.law.reads[read], len(self.x[read])
        if self.flat[read]:
            lines = []
            for l, w in terms:
                end = l >= size_x
                lines += [f"{size} += abs({w} * {self.y[read][l - size_x]})"] if end else []
                lane = l - size_x if end else l
                row = f"{place} + ({a} * {S} + stage) * {S * space.dim} + {lane * S}"
                row = row if S > 1 else f"{place} + {a * space.dim + lane}"
                factor = f"cx[{S} + j]" if end else "cx[j]"
                lines += [f"for j in range({S}):", f"    V[{row} + j] -= {w} * {factor}"]
            return lines
        turned = size_x + len(self.c[read])
        parts, lines = [], []
        for l, w in terms:
            lines += [f"{size} += abs({w} * {self.y[read][l - turned]})"] if l >= turned else []
            factor, lane = ("0.5 * ", l) if l < size_x else ("", l) if l < turned else ("", l - turned)
            parts.append(f"{factor}{w} * dX[q{read} + {lane * space.dim} + i]")
        lines += [f"for i in range({space.dim}):", f"    V[{place} + {a * space.dim} + i] -= " + " + ".join(parts)]
        return lines


def _module(arguments: str, width: int, lines: list[str], constants: str = "") -> str:
    body = [f"        {line}" for line in lines]
    used = [name for name in HELPERS if any(f"{name}(" in line for line in lines)]
    helpers = [f"from visviva.kernels.elementary import {', '.join(used)}"] if used else []
    head = [
        "import math",
        *helpers,
        "",
        *([constants] if constants else []),
        "",
        f"def law({arguments}):",
        "    for instance in range(n):",
    ]
    return "\n".join([*head, f"        o = instance * {width}", *body, ""])

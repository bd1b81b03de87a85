"""A tracking law as text: template, matching, feasibility, poles, limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.compiled_law import beyond_compiled
from visviva.control.transport import SingularTemplateError

if TYPE_CHECKING:
    from visviva.control.tracking import TrackingLaw

ZERO = 1e-7  # relative: matching below is exact
REAL = 1e-5  # relative: imaginary parts below are rounding, which double poles enlarge to its root
SHOWN = 12  # inputs or poles in a line
_SINGULAR = (
    "as built the desired inertia is singular: pairs and joints with gains do not determine all velocities there.",
    "Poles and matching elsewhere: law.matching(q_R)",
)


def law_text(law: TrackingLaw) -> str:
    """A block of lines, about the mechanism as built."""
    d, n = law.d, law.d.nv
    try:
        found = law.matching()
    except SingularTemplateError:
        return "\n".join(_head(law, "") + [f"  {line}" for line in _SINGULAR] + _limits(law, None))
    missing = found.Lambda_K.shape[0]
    rank, nu = n - missing, len(law.input_names)
    kind = "fully actuated" if not missing else f"under-actuated by {missing}"
    kind += f", {nu - rank} inputs to choose by weight" if nu > rank else ""
    lines = _head(law, f": {kind}")
    if missing:
        _, D_bar, K_bar = law.template.linear(np.array(d.q_built))
        scales = [max(1e-300, float(np.abs(bar).max())) for bar in (D_bar, K_bar)]
        for name, value, scale in (("Λ_D", found.Lambda_D, scales[0]), ("Λ_K", found.Lambda_K, scales[1])):
            size = float(np.abs(value).max())
            lines.append(
                f"  matching {name}: {'0' if size < ZERO * scale else f'{size:.3g}'}" + _verdict(size < ZERO * scale)
            )
        weight = max(float(np.abs(d.bias(np.array(d.q_built), np.zeros(n))).max()), 1e-6 * scales[1])
        off = float(np.abs(found.infeasible).max())
        held = "can be held" if off <= ZERO * max(weight, 1e-300) else f"cannot be held: {off:.3g} of force is missing"
        lines.append(f"  as built it {held}")
    lines.append(f"  poles of the loop:     {_poles(found.poles)}")
    if missing:
        lines.append(f"  poles of the template: {_poles(found.template_poles)}")
    holding = ", ".join(f"{name} {u:.4g}" for name, u in zip(law.input_names[:SHOWN], found.u_R, strict=False))
    lines.append(f"  inputs that hold it: {holding}{' …' if nu > SHOWN else ''}")
    return "\n".join(lines + _limits(law, found.u_R))


def _head(law: TrackingLaw, kind: str) -> list[str]:
    d = law.d
    lines = [f"Tracking of {d.name!r}: {law.template.title}"]
    lines.append(f"  {d.nv} velocities, {len(law.input_names)} inputs{kind}")
    return lines + [f"  {line}" for line in law.template.lines()]


def _limits(law: TrackingLaw, u_R: Array | None) -> list[str]:
    if law.limits is None:
        return ["  inputs are not limited", _engine(law)]
    W, l = law.limits
    slack = "" if u_R is None else f"; as built the least slack is {(l - W @ u_R).min():.4g}"
    return [f"  {len(l)} limits W u ≤ l{slack}", _engine(law)]


def _engine(law: TrackingLaw) -> str:
    """What asks it in runs."""
    reason = beyond_compiled(law)
    return f"  asked in Python: compiled laws do not take {reason}" if reason else "  compiled"


def _verdict(exact: bool) -> str:
    return ", small errors follow the template" if exact else ", small errors do not follow the template"


def _poles(poles: NDArray[np.complex128]) -> str:
    counted = dict[str, int]()
    for pole in poles:
        size = max(1e-300, abs(pole))
        real = f"{pole.real:.4g}" if abs(pole.real) > REAL * size else "0"
        if pole.imag > REAL * size:
            counted[f"{real} ± {pole.imag:.4g}i"] = counted.get(f"{real} ± {pole.imag:.4g}i", 0) + 1
        elif pole.imag >= -REAL * size:
            counted[real] = counted.get(real, 0) + 1
    return ", ".join(own if count == 1 else f"{own} (×{count})" for own, count in counted.items())

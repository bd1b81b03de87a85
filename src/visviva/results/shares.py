"""Where energy or exergy came from and went over a run: the two sides of its Sankey picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from visviva.errors import ModelError
from visviva.results.powers import entropy_names

if TYPE_CHECKING:
    from visviva.results.run import Run

WHAT = ("energy", "exergy")
FEWEST = 0.015  # of the whole: smaller shares are put together
MOST = 12  # shares on a side that can be told apart
ROUNDING = 1e-9  # of the energy scale: less has not flowed


@final
@dataclass(frozen=True)
class Share:
    """What came from (or went to) one place [J], positive.   kind: "stored", "input", "heat" or "environment"."""

    name: str
    kind: str
    amount: float


def shares(run: Run, what: str) -> tuple[list[Share], list[Share]]:
    """Sources and sinks, largest first; both sides have the same sum, to rounding. Empty if nothing flowed."""
    if what not in WHAT:
        raise ModelError(f'what of a Sankey picture is "energy" or "exergy", got {what!r}.')
    gains = [*_stored(run, what), *_taken(run, what), *_made(run, what), *_supplied(run, what)]
    return two_sides(gains, ROUNDING * run.energy_unit)


def two_sides(gains: list[Share], least: float) -> tuple[list[Share], list[Share]]:
    """Sources and sinks of gains, which are negative where something came from; least: what is none [J]."""
    sources = [Share(part.name, part.kind, -part.amount) for part in gains if part.amount < -least]
    sinks = [part for part in gains if part.amount > least]
    return _merged(sources), _merged(sinks)


def _stored(run: Run, what: str) -> list[Share]:
    """Gains of the storages; a body's kinetic and potential energy are told apart."""
    model, ends, hot = run.model, run.record.x[[0, -1]], entropy_names(run.model)
    H, names = model.exergies(ends), [part.name for part in model.storages]
    moving = {part.name for part in model.kinetic.values()}
    result: dict[str, float] = {}
    for k, part in enumerate(model.storages):
        gain = float(H[1, k] - H[0, k])
        if what == "energy" and part.variable in hot:
            gain += model.theta0 * float((ends[1] - ends[0])[model.layout.x[part.variable]].sum())
        kind = "kinetic" if part.variable in model.kinetic else "potential"
        name = f"{part.name}, {kind}" if names.count(part.name) > 1 and part.name in moving else part.name
        result[name] = result.get(name, 0.0) + gain
    return [Share(name, "stored", gain) for name, gain in result.items()]


def _taken(run: Run, what: str) -> list[Share]:
    """What environments took up: energy without exergy."""
    if what == "exergy":
        return []
    model, taken = run.model, run.record.taken[-1] - run.record.taken[0]
    parts = [part for part in model.reservoirs if part.entropy]
    amounts = [
        model.theta0 * float(taken[model.layout.act((part.name,)) - model.layout.solved].sum()) for part in parts
    ]
    return [
        Share("environment" if run.model.definition else f"environment at {part.name}", "environment", amount)
        for part, amount in zip(parts, amounts, strict=True)
    ]


def _made(run: Run, what: str) -> list[Share]:
    """Exergy destroyed by each dissipation; as energy it is heat to the environment, unless the model has entropy."""
    if what == "energy" and run.model.is_thermal:
        return []
    label = "heat of" if what == "energy" else "destroyed by"
    heats = dict.fromkeys((part.name for part in run.model.dissipations), 0.0)
    for part, heat in zip(run.model.dissipations, run.record.heat.sum(0), strict=True):
        heats[part.name] += float(heat)  # a joint may have several
    return [Share(f"{label} {name}", "heat", heat) for name, heat in heats.items()]


def _supplied(run: Run, what: str) -> list[Share]:
    """What inputs took out of the system: minus their work."""
    work = run.record.work.sum(0) + (run.record.carried.sum(0) if what == "energy" else 0.0)
    return [Share(f"input {port.name}", "input", -float(w)) for port, w in zip(run.model.ports, work, strict=True)]


def _merged(side: list[Share]) -> list[Share]:
    """Largest first; then the small ones, put together by kind."""
    side = sorted(side, key=lambda share: -share.amount)
    least = FEWEST * sum(share.amount for share in side)
    kept = min(sum(share.amount >= least for share in side), MOST)
    merged: list[Share] = []
    for kind in dict.fromkeys(share.kind for share in side[kept:]):
        rest = [share for share in side[kept:] if share.kind == kind]
        others = Share(f"{len(rest)} others, {kind}", kind, sum(share.amount for share in rest))
        merged.append(others if len(rest) > 1 else rest[0])  # one alone keeps its name
    return [*side[:kept], *merged]

"""What each component of a run took, holds and made, over the whole run."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from visviva.results.powers import entropy_names, input_name

if TYPE_CHECKING:
    from visviva.results.run import Run


@final
@dataclass(frozen=True)
class Account:
    """One component over the whole run [J]; `energy_in` adds up to zero over all components, to rounding.

    energy_in: what it took from the others.   stored: of that, what it holds now more than at the start.
    exergy_destroyed: of that, what became heat at the temperature of the environment.
    exergy_stored: change of the exergy it holds.
    entropy_stored, entropy_produced: change of the entropy it holds, and what it made of entropy [J/K].
    """

    energy_in: float = 0.0
    stored: float = 0.0
    exergy_destroyed: float = 0.0
    exergy_stored: float = 0.0
    entropy_stored: float = 0.0
    entropy_produced: float = 0.0

    def __add__(self, other: Account) -> Account:
        return Account(
            self.energy_in + other.energy_in,
            self.stored + other.stored,
            self.exergy_destroyed + other.exergy_destroyed,
            self.exergy_stored + other.exergy_stored,
            self.entropy_stored + other.entropy_stored,
            self.entropy_produced + other.entropy_produced,
        )


def accounts(run: Run) -> dict[str, Account]:
    """Storages, environments, dissipations, inputs, then constraints and couplings, which keep nothing."""
    model, record = run.model, run.record
    found: defaultdict[str, Account] = defaultdict(Account)
    gained = model.exergy_changes(record.x[0], record.x[-1])[0]
    hot = entropy_names(model)
    for storage, exergy in zip(model.storages, gained.tolist(), strict=True):
        entropy = 0.0
        if storage.variable in hot:
            first, last = record.x[[0, -1], model.layout.x[storage.variable]]
            entropy = float((last - first).sum())
        gain = exergy + model.theta0 * entropy
        found[storage.name] += Account(gain, gain, exergy_stored=exergy, entropy_stored=entropy)
    for reservoir in model.reservoirs:
        at = model.layout.act((reservoir.name,)) - model.layout.solved
        taken = float((record.taken[-1, at] - record.taken[0, at]).sum()) if reservoir.entropy else 0.0
        found[reservoir.name] += Account(model.theta0 * taken, entropy_stored=taken)
    for k, part in enumerate(model.dissipations):
        heat = float(record.heat[:, k].sum())
        left = 0.0 if model.is_thermal else heat  # else it passes the energy on, as heat to some junction
        found[part.name] += Account(left, exergy_destroyed=heat, entropy_produced=heat / model.theta0)
    for k, port in enumerate(model.ports):
        found[input_name(model, port)] += Account(-float(record.work[:, k].sum() + record.carried[:, k].sum()))
    for passing in (*(part for part in model.constraints if not part.internal), *model.routings):
        found.setdefault(passing.name, Account())
    return dict(found)

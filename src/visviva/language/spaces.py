"""State spaces by name: what a quantity's value can be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import final

from visviva.errors import ModelError
from visviva.geometry.embedding import (
    SE2_SPACE,
    SE3_SPACE,
    SO2_SPACE,
    SO3_SPACE,
    AbstractSpace,
    Flat,
    ProductSpace,
    SO3xR3_SPACE,
)

_GROUPS: dict[str, AbstractSpace] = {
    "SO2": SO2_SPACE,
    "SO3": SO3_SPACE,
    "SE2": SE2_SPACE,
    "SE3": SE3_SPACE,
    "SO3xR3": SO3xR3_SPACE,
}
RULE = "Spaces are R, R2, R3, …, SO2, SO3, SE2, SE3, SO3xR3, duals of their algebras (se3*, so3*, …) and products AxB."


@final
@dataclass(frozen=True)
class StateSpace:
    """A named space with its embedding; `group` is the group whose dual algebra it is, for spaces such as se3*."""

    name: str
    embedding: AbstractSpace
    group: str | None = None

    @property
    def dim(self) -> int:
        """Dimension of flows and efforts."""
        return self.embedding.dim

    def __str__(self) -> str:
        return self.name


@cache
def state_space(name: str) -> StateSpace:
    """The space with a given name; parentheses and carets are optional, "SO(3)" is "SO3" and "R^3" is "R3"."""
    short = re.sub(r"[()^_ ]", "", name)
    if match := re.fullmatch(r"R([1-9]\d*)?", short):
        n = int(match[1] or 1)
        return StateSpace("R" if n == 1 else f"R{n}", Flat(n))
    if short in _GROUPS:
        return StateSpace(short, _GROUPS[short])
    if short.endswith("*"):
        group = next((g for g in _GROUPS if g.lower() == short[:-1].lower()), None)
        if group is not None:
            return StateSpace(f"{group.lower()}*", Flat(_GROUPS[group].dim), group)
    if "x" in short and not short.endswith("*"):
        factors = [state_space(part) for part in short.split("x")]
        return StateSpace(short, ProductSpace(tuple(factor.embedding for factor in factors)))
    raise ModelError(f"there is no state space {name!r}. {RULE}")

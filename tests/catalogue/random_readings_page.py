"""How many mechanisms drawn at random agree in each reading, as the documentation shows it.

`python tests/catalogue/random_readings_page.py 500` reads that many of them, which takes some seconds each.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from refusals import LIGHT, NO_BOX, NO_CONDITION, NO_MOMENTUM, NO_PORTS, NUMPY_ONLY, Refusal

from visviva.testing import Verdict, check_readings, varied_mechanism
from visviva.testing.readings import READINGS

PAGE = Path(__file__).parents[2] / "docs" / "random_readings_table.txt"
REASONS = (
    NUMPY_ONLY, NO_PORTS, NO_CONDITION, NO_BOX, NO_MOMENTUM, LIGHT,
    Refusal("A drive prescribes what joints determine.", "prescribes what is determined without it"),
    Refusal("Joints cannot be closed: what was drawn does not fit together.", "(?s)cannot be (assembled|closed)"),
    Refusal("Redundant loops with screws have no form that stays closed.", "redundant constraints .* and screws"),
    Refusal("The graph has two parts: nothing heats the thermal node.", "is not connected"),
    Refusal("The start is a singular configuration.", "singular"),
    Refusal("A step has no solution.", "could not be solved"),
)  # fmt: skip


def page(verdicts: Iterable[Verdict]) -> str:
    """Counts by reading, and what refusals say."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("assembly", *READINGS)}
    reasons: dict[str, Counter[str]] = {name: Counter() for name in counts}
    for verdict in verdicts:
        counts[verdict.reading][verdict.outcome] += 1
        if verdict.outcome == "refused":
            reasons[verdict.reading][reason(verdict.text)] += 1
    lines = ["| Reading | agrees | refused | fails | why refused |", "|---|---|---|---|---|"]
    for name, found in counts.items():
        why = " ".join(f"{text} ({n})" for text, n in reasons[name].most_common())
        lines.append(f"| {name} | {found['agrees'] or ''} | {found['refused'] or ''} | {found['failed']} | {why} |")
    return "\n".join(lines) + "\n"


def reason(text: str) -> str:
    """That of an error, in the words of the documentation, else its own first line."""
    known = (refusal.reason for refusal in REASONS if re.search(refusal.says, text))
    return next(known, text.partition("\n")[0])


if __name__ == "__main__":
    found: list[Verdict] = []
    for seed in range(int(sys.argv[1])):
        table = check_readings(varied_mechanism(seed))
        found += table.verdicts
        if table.failed:
            print(table, flush=True)
    PAGE.write_text(page(found), encoding="utf-8")

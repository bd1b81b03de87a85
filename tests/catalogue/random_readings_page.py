"""How many mechanisms drawn at random agree in each reading, as the documentation shows it.

    python tests/catalogue/random_readings_page.py draw 0 500 found.jsonl --symbols-every 5
    python tests/catalogue/random_readings_page.py table found.jsonl more.jsonl

The first reads mechanisms, which takes some seconds each, and adds one line to the file for each of them; those that
are in the file are not read again; `--only "composite" "joined composite"` makes some readings alone. The second makes
the table of such files; of a seed the last line counts, and readings that no file has keep the row they have.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

from refusals import LIGHT, NUMPY_ONLY, Refusal

from visviva.testing import Verdict, check_readings, varied_mechanism
from visviva.testing.readings import READINGS

PAGE = Path(__file__).parents[2] / "docs" / "random_readings_table.txt"
REASONS = (
    NUMPY_ONLY, LIGHT,
    Refusal("A drive prescribes what joints determine.", "prescribes what is determined without it"),
    Refusal("Joints cannot be closed: what was drawn does not fit together.", "(?s)cannot be (assembled|closed)"),
    Refusal("Redundant loops with screws have no form that stays closed.", "redundant constraints .* and screws"),
    Refusal("The start is a singular configuration.", "singular"),
    Refusal("A step has no solution.", "could not be solved"),
)  # fmt: skip


def page(verdicts: Iterable[Verdict], before: Mapping[str, str] = MappingProxyType({})) -> str:
    """Counts by reading, and what refusals say; of readings without verdicts the rows before."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("assembly", *READINGS)}
    reasons: dict[str, Counter[str]] = {name: Counter() for name in counts}
    for verdict in verdicts:
        counts[verdict.reading][verdict.outcome] += 1
        if verdict.outcome == "refused":
            reasons[verdict.reading][reason(verdict.text)] += 1
    lines = ["| Reading | agrees | refused | fails | why refused |", "|---|---|---|---|---|"]
    for name, found in counts.items():
        if not found and name in before:
            lines.append(before[name])
            continue
        why = " ".join(f"{text} ({n})" for text, n in reasons[name].most_common())
        lines.append(f"| {name} | {found['agrees'] or ''} | {found['refused'] or ''} | {found['failed']} | {why} |")
    return "\n".join(lines) + "\n"


def reason(text: str) -> str:
    """That of an error, in the words of the documentation, else its own first line."""
    known = (refusal.reason for refusal in REASONS if re.search(refusal.says, text))
    return next(known, text.partition("\n")[0])


def rows_of(table: str) -> dict[str, str]:
    """The rows of a table by reading."""
    return {row.split("|")[1].strip(): row for row in table.splitlines()[2:]}


def draw(seeds: Iterable[int], file: Path, symbols_every: int, only: Sequence[str] = ()) -> None:
    """Read mechanisms and write down what was found; symbols, which take most of the time, of every so many."""
    known = _found([file]) if file.exists() else {}
    with file.open("a", encoding="utf-8") as lines:
        for seed in seeds:
            if seed in known:
                continue
            names = list(only) or [name for name in READINGS if name != "symbols" or seed % symbols_every == 0]
            table = check_readings(varied_mechanism(seed), readings=names)
            verdicts = [asdict(verdict) for verdict in table.verdicts]
            lines.write(json.dumps({"seed": seed, "verdicts": verdicts}) + "\n")
            lines.flush()
            if table.failed:
                print(table, flush=True)


def _found(files: Sequence[Path]) -> dict[int, list[Verdict]]:
    """Verdicts by seed."""
    lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {line["seed"]: [Verdict(**verdict) for verdict in line["verdicts"]] for line in lines}


def failures(found: dict[int, list[Verdict]]) -> str:
    """One line for each reading that fails."""
    return "\n".join(
        f"seed {seed}, {verdict.reading}: {verdict.text.partition(chr(10))[0]}"
        for seed, verdicts in sorted(found.items())
        for verdict in verdicts
        if verdict.outcome == "failed"
    )


def main() -> None:
    """Of the command line."""
    parser = argparse.ArgumentParser(description="Readings of mechanisms drawn at random.")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("first", type=int)
    drawing.add_argument("end", type=int)
    drawing.add_argument("file", type=Path)
    drawing.add_argument("--symbols-every", type=int, default=1)
    drawing.add_argument("--only", nargs="+", default=())
    commands.add_parser("table").add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "draw":
        draw(range(given.first, given.end), given.file, given.symbols_every, given.only)
        return
    found = _found(given.files)
    before = rows_of(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page((one for verdicts in found.values() for one in verdicts), before), encoding="utf-8")
    print(f"{len(found)} mechanisms\n{failures(found)}")


if __name__ == "__main__":
    main()

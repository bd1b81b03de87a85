"""`python -m benchmarks`: every table, or those that are named; with --docs also for the page about performance."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import (
    accuracy,
    boxes,
    calls,
    chains,
    diagram,
    dynamics,
    explicit,
    first_runs,
    geometry,
    in_hand,
    latency,
    line,
    loops,
    motor,
    multicopters,
    quadratic_program,
    rates,
    report,
    rollouts,
    shipped,
    spreads,
    tracking,
    trees,
    vertical_loops,
    work_precision,
)

MODULES = [
    line,
    motor,
    boxes,
    work_precision,
    chains,
    explicit,
    loops,
    rates,
    accuracy,
    trees,
    rollouts,
    dynamics,
    quadratic_program,
    tracking,
    multicopters,
    vertical_loops,
    spreads,
    in_hand,
    latency,
    first_runs,
    shipped,
    calls,
    geometry,
]
DOCS = Path(__file__).parent.parent / "docs"


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and keep the results where the page finds them."""
    modules = {module.__name__.rpartition(".")[2]: module for module in MODULES}
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed against peers, as tables.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(modules)}; default: all")
    parser.add_argument("--quick", action="store_true", help="small and not repeated: shows that it works, no more")
    parser.add_argument("--docs", type=Path, nargs="?", const=DOCS, help="keep tables and pictures for the page")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in modules]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(modules)}")
    for name in given.names or modules:
        module = modules[name]
        print(report.title(module), flush=True)
        if module in (work_precision, accuracy):
            curves = module.curves(given.quick)
            rows = module.table(curves)
            if given.docs:
                diagram.draw(curves, given.docs / f"performance_{name}.svg", module.ERROR)
        elif module is spreads:
            flown = spreads.fly_all(given.quick)
            rows = spreads.table(flown)
            if given.docs:
                spreads.draw(flown, given.docs / f"performance_{name}.svg")
        else:
            rows = module.rows(given.quick)
        print(*report.text(rows), "", sep="\n", flush=True)
        if given.docs:
            text = "\n".join([*report.markdown(rows), ""])
            (given.docs / f"performance_{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The command line: `visviva demo` and what else needs no script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import visviva as vv


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="visviva", description="Model and simulate mechanical systems with every joule accounted for."
    )
    parser.add_argument("--version", action="version", version=f"visviva {vv.__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    demo = commands.add_parser("demo", help="simulate a double pendulum and a four-bar, audit and plot them")
    demo.add_argument("--out", type=Path, default=Path("out"), help="folder for plots and pages (default: out)")
    choice = parser.parse_args(arguments)
    try:
        return run_demo(choice.out)
    except (vv.VisvivaError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def run_demo(out: Path) -> int:
    """Two mechanisms, their audits, energy plots and pages; 0 if every joule is accounted for."""
    import matplotlib

    from visviva.demo import double_pendulum, four_bar

    matplotlib.use("Agg")
    out.mkdir(parents=True, exist_ok=True)
    closed = True
    for m, t_end, h in ((double_pendulum(), 6.0, 0.01), (four_bar(), 2.0, 0.005)):
        run = vv.simulate(m, t_end=t_end, h=h)
        audit = run.audit()
        print(audit, end="\n\n")
        stem = out / m.name.replace(" ", "_")
        run.plot("energy", stem.with_suffix(".png"))
        run.page(stem.with_suffix(".html"))
        print(f"wrote {stem}.png and {stem}.html\n")
        closed = closed and audit.ok
    return 0 if closed else 1

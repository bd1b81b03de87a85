"""The command `visviva`: what needs no script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import visviva as vv


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    choice = _parser().parse_args(arguments)
    try:
        if choice.command == "demo":
            return run_demo(choice.out)
        if choice.command == "cache":
            return run_cache(choice.check, choice.clear)
        return run_precompile(choice.clean)
    except (vv.VisvivaError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="visviva", description="Model and simulate physical systems with every joule accounted for."
    )
    parser.add_argument("--version", action="version", version=f"visviva {vv.__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    demo = commands.add_parser(
        "demo", help="simulate a double pendulum, a four-bar and a motor that drives a loop; audit and plot them"
    )
    demo.add_argument("--out", type=Path, default=Path("out"), help="folder for plots and pages (default: out)")
    keeping = commands.add_parser("cache", help="show what is shipped and what is compiled on this machine")
    action = keeping.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="look for damaged files, and remove them")
    action.add_argument("--clear", action="store_true", help="remove all that was compiled on this machine")
    compiling = commands.add_parser("precompile", help="compile now what a first run would have to wait for")
    compiling.add_argument(
        "--clean", action="store_true", help="instead, remove compiled code of other versions, unused for 30 days"
    )
    return parser


def run_demo(out: Path) -> int:
    """Three systems, their audits, plots and pages; 0 if every joule is accounted for."""
    from visviva.demo.show import show

    return 0 if show(out) else 1


def run_cache(check: bool, clear: bool) -> int:
    """Show, check or clear the cache of compiled code; 1 where something in it was damaged."""
    from visviva.cli import cache

    if clear:
        cache.clear()
        return 0
    if check:
        return 0 if cache.check() else 1
    cache.show()
    return 0


def run_precompile(clean: bool) -> int:
    """Fill the cache of compiled code, or remove what is stale in it."""
    from visviva.cli.precompile import clean_cache, precompile

    if clean:
        clean_cache()
    else:
        precompile()
    return 0

"""What a simulation returns: trajectories by name, the audit, pictures and pages."""

from visviva.results.audit import Audit
from visviva.results.components import Account
from visviva.results.run import Run
from visviva.results.singularity import loop_margin
from visviva.results.snapshot import Snapshot

__all__ = ["Account", "Audit", "Run", "Snapshot", "loop_margin"]

"""What a simulation returns: trajectories by name, the audit, pictures and pages."""

from visviva.results.audit import Audit
from visviva.results.run import Run, Snapshot

__all__ = ["Audit", "Run", "Snapshot"]

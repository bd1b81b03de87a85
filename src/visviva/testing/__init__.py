"""The package's own laws as public checks: a user's group, joint or component is tested as ours are."""

from visviva.testing.groups import check_adjoint_cayley, check_group

__all__ = ["check_adjoint_cayley", "check_group"]

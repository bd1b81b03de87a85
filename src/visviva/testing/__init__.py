"""The package's own laws as public checks: a user's group, joint or component is tested as ours are."""

from visviva.testing.conditions import check_condition
from visviva.testing.groups import check_adjoint_cayley, check_group
from visviva.testing.integrators import check_conservation, measured_order
from visviva.testing.joints import check_joint
from visviva.testing.models import check_model
from visviva.testing.random_laws import check_mechanism
from visviva.testing.random_mechanisms import RandomMechanism, random_mechanism
from visviva.testing.random_readings import ReadingsTable, Verdict, check_readings
from visviva.testing.random_variations import varied_mechanism
from visviva.testing.spaces import check_space
from visviva.testing.storages import check_storage
from visviva.testing.structures import check_dirac, check_onsager

__all__ = [
    "RandomMechanism",
    "ReadingsTable",
    "Verdict",
    "check_adjoint_cayley",
    "check_condition",
    "check_conservation",
    "check_dirac",
    "check_group",
    "check_joint",
    "check_mechanism",
    "check_model",
    "check_onsager",
    "check_readings",
    "check_space",
    "check_storage",
    "measured_order",
    "random_mechanism",
    "varied_mechanism",
]

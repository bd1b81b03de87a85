"""How an accelerometer is mounted, and its bias, from poses at rest; Konz 5.4.1.

    ā_i = -R_B R_iᵀ a_G + a_B        minimise  Σ |ā_i + R_B g_i - a_B|²,  g_i = R_iᵀ a_G

(5.49) prints +a_B, which finds the negative bias. With a_B = mean(ā) + R_B mean(g) it is Wahba's problem of deviations
from the means, -(g_i - ḡ) turned into ā_i - mean(ā), which has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, freeze
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry.rotations import checked_rotation
from visviva.geometry.trace_function import TraceFunction

FEWEST = 3  # poses: two deviations that are not parallel
SPREAD = 1e-3  # least eigenvalue of Wahba's problem, of the largest
LEFT = 0.05  # of g: rms of what a component may be off by
ENOUGH = 6  # poses whose residuals tell alone
BIASED = 2.0  # [m/s²], the largest bias that fewer may tell: of three, opposite signs leave no residuals


@final
@dataclass(frozen=True, eq=False)
class Misalignment:
    """What was found.

    R_B: of the vehicle's axes to those of the sensor.   a_B: bias in axes of the sensor [m/s²].
    residuals: ā_i + R_B g_i - a_B, (n, 3) [m/s²].
    raw, compensated: |ā_i| and |ā_i - a_B|, (n,), which should be g [m/s²].
    """

    R_B: Array
    a_B: Array
    residuals: Array
    raw: Array
    compensated: Array

    def __post_init__(self) -> None:
        freeze(self, "R_B", "a_B", "residuals", "raw", "compensated")

    @property
    def angle(self) -> float:
        """Of R_B [rad]."""
        R = self.R_B
        axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return float(np.arctan2(np.linalg.norm(axial), np.trace(R) - 1))

    @property
    def bias(self) -> Array:
        """R_Bᵀ a_B: what is left of the bias once measurements are `aligned` [m/s²]."""
        return np.asarray(self.R_B.T @ self.a_B)

    def aligned(self, measured: ArrayLike) -> Array:
        """R_Bᵀ x of measurements (..., 3) of gyroscope or accelerometer: the same in axes of the vehicle."""
        return finite_array(measured, "measurements of the sensor", (3,)) @ self.R_B

    def compensated_gravity(self, R: ArrayLike, a: ArrayLike) -> Array:
        """-R R_Bᵀ (a - a_B), (..., 3): a_G as poses R and means a of them have it; for validation."""
        R, a = finite_array(R, "attitudes", (3, 3)), finite_array(a, "accelerations", (3,))
        return -np.einsum("...ij,...j->...i", R, (a - self.a_B) @ self.R_B)


@helpful
def calibrate_misalignment(R: ArrayLike, a: ArrayLike, g: float = 9.81) -> Misalignment:
    """R: attitudes (n, 3, 3) of n poses at rest.   a: mean of the accelerometer in each, (n, 3) [m/s²].   g: [m/s²].

    Three poses at least, in which the vertical has different directions in axes of the vehicle; twenty are good. Axes
    have z up where R = 1, and accelerometers tell +g along it at rest.

    Errors: residuals above 5 % of g, or with less than six poses a bias above 2 m/s², which units, signs or transposed
    attitudes make.
    """
    R = checked_rotation(R, "attitudes of poses", 3)
    if R.ndim != 3 or len(R) < FEWEST:
        raise ModelError(f"attitudes must have shape (n, 3, 3) with at least {FEWEST} poses, got {R.shape}.")
    a = finite_array(a, "mean accelerations of poses", (len(R), 3))
    if a.ndim != 2:
        raise ModelError(f"mean accelerations of poses must have shape ({len(R)}, 3), got {a.shape}.")
    size = finite_number(g, "gravity g [m/s²]", positive=True)
    found, lam = _fit(R, a, size)
    if lam[0] <= SPREAD * lam[2]:
        raise ModelError(
            "poses do not tell the misalignment: the vertical stays near one line, in axes of the vehicle or of the "
            f"sensor (eigenvalues {np.array2string(lam, precision=3)}).\n"
            "Add poses turned about other horizontal axes, such as on each side and upside down."
        )
    if not _plausible(found, size):
        raise ModelError(
            f"attitudes and accelerations are not those of one sensor at rest: its bias would be "
            f"{np.linalg.norm(found.a_B):.3g} m/s², and components of accelerations would still be off by "
            f"{_rms(found.residuals):.3g} m/s² (at most {LEFT * size:.2g} m/s² is noise).\n{_cause(R, a, size)}"
        )
    return found


def _fit(R: Array, a: Array, g: float) -> tuple[Misalignment, Array]:
    """The best of all, and the eigenvalues (3,) of Wahba's problem."""
    gravity = -g * R[:, 2, :]  # R_iᵀ a_G
    problem = TraceFunction.wahba(a - a.mean(axis=0), gravity.mean(axis=0) - gravity)
    R_B = problem.minimum().rotation()
    a_B = a.mean(axis=0) + R_B @ gravity.mean(axis=0)
    found = Misalignment(
        R_B,
        a_B,
        a + gravity @ R_B.T - a_B,
        np.linalg.norm(a, axis=1),
        np.linalg.norm(a - a_B, axis=1),
    )
    return found, problem.eigenvalues


def _plausible(found: Misalignment, g: float) -> bool:
    told = len(found.residuals) >= ENOUGH or np.linalg.norm(found.a_B) <= BIASED
    return bool(told) and _rms(found.residuals) <= LEFT * g


def _cause(R: Array, a: Array, g: float) -> str:
    """What makes them one sensor at rest, found by trying."""
    transposed = np.swapaxes(R, 1, 2)
    causes = (
        (R, g * a, f"They are in units of g: multiply them by {g:g}."),
        (R, -a, "They have the opposite sign, as in axes that point down (NED, FRD) or as gravity: an accelerometer at "
         "rest tells +g along the axis that is up."),
        (transposed, a, "Attitudes are transposed: columns of R are axes of the vehicle in the world."),
        (transposed, -a, "Attitudes are transposed, and accelerations have the opposite sign."),
        (R, -g * a, f"They are in units of g with the opposite sign: multiply them by {-g:g}."),
    )  # fmt: skip
    for turned, told, words in causes:
        if _plausible(_fit(turned, told, g)[0], g):
            return words
    return "See whether the vehicle was at rest in each pose, and whether poses and means are in the same order."


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))

"""A motor that drives a spatial loop, by hand: one degree of freedom and heat balances, no code of the package.

The crank turns by φ about a1 and carries the ball B. The rocker turns by ψ about a4 and guides the coupler, which turns
by χ about the guide and slides by s along it. The loop is closed where both chains put the ball at one point:

    B(φ) = D + exp(ψ â4) (C - D + s t + exp(χ t̂) (B - C))          C: the coupler's end of the guide, as built

Rates follow from a linear equation, a4 x (B - D) ψ' + t x (B - C) χ' + t s' = a1 x (B - A), with vectors where they
are now. With the velocities of the bodies per unit of φ' the mechanism, the motor and the heat obey

    m φ'' + m_φ φ'²/2 = N K i + Σ m_i γ·v_i - d φ',   m = N² J + Σ m_i v_i² + w_i·J_i w_i,   d = Σ μ_j u_j²
    L i'     = V - R(θ_w) i - N K φ',                 R(θ_w) = R (1 + α (θ_w - θ0))
    c_w θ_w' = R(θ_w) i² - Λ_wh (θ_w - θ_h)
    c_h θ_h' = d φ'² + Λ_wh (θ_w - θ_h) - Λ_he (θ_h - θ0)

and every process makes the entropy heat/θ, or heat (1/θ_cold - 1/θ_warm). m_φ is taken by a complex step: everything
above is an analytic function of φ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

A, B = np.array([0, 0, 0]), np.array([0, 0.04, 0.12])  # the crank's bearing, the ball
C, P = np.array([0.03, 0.08, 0]), np.array([0.45, 0.10, 0.15])  # on the guide: of the coupler, of the rocker
D, E = np.array([0.45, 0.05, 0.10]), C + 1.4 * (P - C)  # the rocker's hinge, the far end of the coupler
a1, a4, t = (np.array(v) / np.linalg.norm(v) for v in ([0, 1, 0], [0.6, 1, 0.5], P - C))
GRAVITY = np.array([0, 0, -9.81])
V, L, R, ALPHA, K, J, N = 24.0, 0.1, 4.0, 0.004, 0.2, 2e-4, 10.0  # V, H, Ω, 1/K, N m/A, kg m², gear
MU_BEARING, MU_BALL, MU_TURN, MU_SLIDE, MU_HINGE = 0.1, 0.1, 0.05, 5.0, 0.5  # N m s/rad; the slide N s/m
C_W, C_H, LAMBDA_WH, LAMBDA_HE, THETA0 = 1.5, 1.0, 0.5, 0.25, 300.0  # J/K, W/K, K


def rods(*parts):
    """Mass, centre of mass and tensor about it of round rods (mass, radius, end, end)."""
    mass = sum(m for m, *_ in parts)
    com = sum(m * (a + b) / 2 for m, _, a, b in parts) / mass
    tensor = np.zeros((3, 3))
    for m, radius, a, b in parts:
        length, arm = np.linalg.norm(b - a), (a + b) / 2 - com
        across, along, u = m * (length**2 / 12 + radius**2 / 4), m * radius**2 / 2, (b - a) / length
        tensor += across * np.eye(3) + (along - across) * np.outer(u, u) + m * (arm @ arm * np.eye(3))
        tensor -= m * np.outer(arm, arm)
    return mass, com, tensor


CRANK = rods((0.8, 0.02, A, B))
COUPLER = rods((0.3, 0.01, B, C), (0.7, 0.01, C, E))
ROCKER = rods((0.6, 0.02, D, P))


def turn(axis, angle):
    """exp(angle axis^)."""
    hat = np.cross(axis, np.eye(3)).T
    return np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat


@dataclass(frozen=True, eq=False)
class Loop:
    """The loop at some φ, ψ, χ and s, closed or not; real or complex."""

    psi_chi_s: np.ndarray
    R_WB: tuple[np.ndarray, ...]  # of crank, coupler and rocker
    ball: np.ndarray  # on the crank
    foot: np.ndarray  # C of the coupler, now

    @classmethod
    def at(cls, phi, psi_chi_s):
        psi, chi, s = psi_chi_s
        R_crank, R_rocker = turn(a1, phi), turn(a4, psi)
        foot = D + R_rocker @ (C - D + s * t)
        return cls(psi_chi_s, (R_crank, R_rocker @ turn(t, chi), R_rocker), A + R_crank @ (B - A), foot)

    @property
    def guide(self):
        return self.R_WB[2] @ t

    @property
    def arm(self):
        return self.R_WB[1] @ (B - C)

    def gap(self):
        return self.foot + self.arm - self.ball

    def columns(self):
        """Velocities of the ball on the coupler by ψ', χ' and s'."""
        return np.stack([np.cross(a4, self.foot + self.arm - D), np.cross(self.guide, self.arm), self.guide], axis=1)

    def rates(self):
        """ψ', χ' and s' per unit of φ'."""
        return np.linalg.solve(self.columns(), np.cross(a1, self.ball - A))

    def centres(self):
        bodies = zip((CRANK, COUPLER, ROCKER), (A, C, D), (A, self.foot, D), self.R_WB, strict=True)
        return [now + turned @ (com - built) for (_, com, _), built, now, turned in bodies]

    def coefficients(self):
        """m, the torque of the weights on the crank, and d by joint: bearing, ball, guide, hinge."""
        psi, chi, s = self.rates()
        spins = a1, psi * a4 + chi * self.guide, psi * a4
        starts = np.zeros(3), np.cross(psi * a4, self.foot - D) + s * self.guide, np.zeros(3)
        m, torque = N**2 * J, 0.0
        bodies = zip((CRANK, COUPLER, ROCKER), self.centres(), (A, self.foot, D), self.R_WB, spins, starts, strict=True)
        for (mass, _, tensor), centre, point, turned, w, start in bodies:
            v, w_body = start + np.cross(w, centre - point), turned.T @ w
            m, torque = m + mass * v @ v + w_body @ tensor @ w_body, torque + mass * GRAVITY @ v
        slip = spins[1] - spins[0]
        d = MU_BEARING, MU_BALL * slip @ slip, MU_TURN * chi**2 + MU_SLIDE * s**2, MU_HINGE * psi**2
        return m, torque, np.array(d)


def closed(phi, guess):
    """The loop at φ with ψ, χ and s nearest to a guess."""
    loop = Loop.at(phi, np.asarray(guess, dtype=type(phi)))
    for _ in range(50):
        change = np.linalg.solve(loop.columns(), loop.gap())
        loop = Loop.at(phi, loop.psi_chi_s - change)
        if np.abs(change).max() < 1e-14:
            return loop
    raise ArithmeticError(f"the loop does not close at φ = {phi}")


def rate(_, y):
    """y = φ, ψ, χ, s, φ', i, θ_w, θ_h, work of the supply, heat lost, and the entropies made by

    resistance, bearing, ball, guide, hinge, mount and fins. ψ, χ and s are only the guess of `closed`.
    """
    phi, guess, (omega, i, theta_w, theta_h) = float(y[0]), y[1:4], y[4:8]
    loop = closed(phi, guess)
    m, torque, d = loop.coefficients()
    m_phi = closed(complex(phi, 1e-30), loop.psi_chi_s).coefficients()[0].imag / 1e-30
    volts, rubbed = R * (1 + ALPHA * (theta_w - THETA0)) * i, d * omega**2
    passed, lost = LAMBDA_WH * (theta_w - theta_h), LAMBDA_HE * (theta_h - THETA0)
    return np.array(
        [
            omega,
            *(loop.rates() * omega),
            (N * K * i + torque - d.sum() * omega - m_phi * omega**2 / 2) / m,
            (V - volts - N * K * omega) / L,
            (volts * i - passed) / C_W,
            (rubbed.sum() + passed - lost) / C_H,
            V * i,
            lost,
            volts * i / theta_w,
            *(rubbed / theta_h),
            passed * (1 / theta_h - 1 / theta_w),
            lost * (1 / THETA0 - 1 / theta_h),
        ]
    )


def energy(y):
    """What is stored at y, plus the heat lost, minus the work of the supply: a constant."""
    loop, (omega, i, theta_w, theta_h, work, lost) = closed(float(y[0]), y[1:4]), y[4:10]
    bodies = zip((CRANK, COUPLER, ROCKER), loop.centres(), strict=True)
    moving = loop.coefficients()[0] * omega**2 / 2 - sum(mass * GRAVITY @ r for (mass, *_), r in bodies)
    return moving + L * i**2 / 2 + C_W * theta_w + C_H * theta_h + lost - work


def solve(t_end=1.0, rtol=1e-12):
    """The motion from rest, as built, without current, at the temperature of the environment; columns are y."""
    start = np.zeros(17)
    start[6:8] = THETA0
    return solve_ivp(rate, (0.0, t_end), start, method="DOP853", rtol=rtol, atol=1e-13).y

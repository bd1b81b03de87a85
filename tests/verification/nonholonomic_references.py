"""Rolling disc, Chaplygin sleigh and snakeboard by equations of their own, derived by hand and solved by DOP853.

Rolling disc of radius ρ, mass m, moments C about its axis a and A about a diameter. With the plane's normal n, the
angle θ of the axis against it, and e1 = n × a/sin θ, e2 = a × e1: ω = ω1 e1 + ω2 e2 + ω3 a, θ̇ = ω1, heading
ψ̇ = ω2/sin θ, velocity of the centre ρ (ω1 a - ω3 e1), and the moments about the centre give

    (A + mρ²) ω̇1 = A cot θ ω2² - (C + mρ²) ω2 ω3 - m g ρ cos θ
    A ω̇2 = (C ω3 - A cot θ ω2) ω1
    (C + mρ²) ω̇3 = m ρ² ω1 ω2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from visviva._arrays import Array

EXACT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}


@dataclass(frozen=True)
class Disc:
    """A disc on a horizontal plane."""

    mass: float = 2.0
    radius: float = 0.3
    axial: float = 0.09
    diametral: float = 0.045
    g: float = 9.81

    def steady(self, theta: float, turning: float) -> tuple[float, float]:
        """ω3 of a steady turn with the rate ψ̇ of its heading, and the radius on which its centre goes round."""
        s, c, C = np.sin(theta), np.cos(theta), self.axial + self.mass * self.radius**2
        w3 = c * (self.diametral * turning**2 * s - self.mass * self.g * self.radius) / (C * turning * s)
        return w3, abs(self.radius * w3 / turning)

    def rates(self, t: float, y: Array) -> Array:
        """Of (θ, ψ, x, y, ω1, ω2, ω3), with x, y of the centre; n is the z axis, e1 = (cos ψ, sin ψ, 0)."""
        theta, psi, _, _, w1, w2, w3 = y
        A, m, r = self.diametral, self.mass, self.radius
        C, s, c = self.axial, np.sin(theta), np.cos(theta)
        a, e1 = self.axes(theta, psi)
        v = r * (w1 * a - w3 * e1)
        w1_dot = A * c / s * w2**2 - (C + m * r**2) * w2 * w3 - m * self.g * r * c
        w2_dot = (C * w3 - A * c / s * w2) * w1 / A
        return np.array([w1, w2 / s, v[0], v[1], w1_dot / (A + m * r**2), w2_dot, m * r**2 * w1 * w2 / (C + m * r**2)])

    def axes(self, theta: float, psi: float) -> tuple[Array, Array]:
        """The axis of the disc and e1."""
        e1 = np.array([np.cos(psi), np.sin(psi), 0.0])
        return np.array([np.sin(theta) * e1[1], -np.sin(theta) * e1[0], np.cos(theta)]), e1

    def motion(self, y0: Array, t: Array) -> Array:
        """The motion at some times, (times, 7)."""
        return solve_ivp(self.rates, (0.0, t[-1]), y0, t_eval=t, **EXACT).y.T


def sleigh(mass: float, J: float, a: float, t: Array, w0: float, v0: float) -> Array:
    """(ω, v, heading, x, y) of Chaplygin's sleigh: v of the blade, the centre of mass a ahead of it, x, y of the blade.

    v̇ = a ω²,   ω̇ = -m a v ω/(J + m a²)
    """

    def rates(_: float, y: Array) -> Array:
        w, v, angle = y[:3]
        return np.array([-mass * a * v * w / (J + mass * a**2), a * w**2, w, v * np.cos(angle), v * np.sin(angle)])

    return solve_ivp(rates, (0.0, t[-1]), [w0, v0, 0.0, 0.0, 0.0], t_eval=t, **EXACT).y.T


@dataclass(frozen=True)
class Snakeboard:
    """A board with a rotor in its middle and two wheel sets at distance l before and behind, which turn on it.

    Coordinates (x, y, θ, ψ, α, β): place and heading of the board, rotor, front and rear wheel set against the board.
    """

    mass: float = 3.0  # of the board
    J: float = 0.2
    rotor_mass: float = 1.0
    rotor: float = 0.1
    wheel_mass: float = 0.5
    wheel: float = 0.02
    length: float = 0.4

    def mass_matrix(self) -> Array:
        """Constant: the centres of all but the wheels stay in the middle, and the wheels are placed evenly."""
        M = np.zeros((6, 6))
        M[0, 0] = M[1, 1] = self.mass + self.rotor_mass + 2 * self.wheel_mass
        M[2, 2] = self.J + 2 * self.wheel_mass * self.length**2
        for k, J in ((3, self.rotor), (4, self.wheel), (5, self.wheel)):
            M[2, 2] += J
            M[2, k] = M[k, 2] = M[k, k] = J
        return M

    def rows(self, q: Array) -> Array:
        """No velocity across the wheels: -sin(θ+α) ẋ + cos(θ+α) ẏ ± l cos α θ̇ = 0."""
        _, _, theta, _, alpha, beta = q
        front, rear = theta + alpha, theta + beta
        return np.array(
            [
                [-np.sin(front), np.cos(front), self.length * np.cos(alpha), 0, 0, 0],
                [-np.sin(rear), np.cos(rear), -self.length * np.cos(beta), 0, 0, 0],
            ]
        )

    def rows_dot(self, q: Array, v: Array) -> Array:
        """Their time derivative."""
        _, _, theta, _, alpha, beta = q
        front, rear = theta + alpha, theta + beta
        wf, wr = v[2] + v[4], v[2] + v[5]
        return np.array(
            [
                [-np.cos(front) * wf, -np.sin(front) * wf, -self.length * np.sin(alpha) * v[4], 0, 0, 0],
                [-np.cos(rear) * wr, -np.sin(rear) * wr, self.length * np.sin(beta) * v[5], 0, 0, 0],
            ]
        )

    def motion(self, q0: Array, v0: Array, torques: object, t: Array) -> Array:
        """(q, v) at some times for torques(t) on (ψ, α, β)."""
        M = self.mass_matrix()

        def rates(now: float, y: Array) -> Array:
            q, v = y[:6], y[6:]
            A = self.rows(q)
            K = np.block([[M, A.T], [A, np.zeros((2, 2))]])
            f = np.concatenate([np.zeros(3), torques(now), -self.rows_dot(q, v) @ v])  # type: ignore[operator]
            return np.concatenate([v, np.linalg.solve(K, f)[:6]])

        return solve_ivp(rates, (0.0, t[-1]), np.concatenate([q0, v0]), t_eval=t, **EXACT).y.T

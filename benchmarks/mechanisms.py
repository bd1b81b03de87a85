"""The mechanisms that the benchmarks step: chains, a net, a platform, and three that are published with numbers.

The flying pair, the loop of four bars and the slider-crank are those of Latussek, Kinon, Betsch, "Port-Hamiltonian
multibody dynamics", sections 7.1 to 7.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.geometry import SO3
from visviva.mechanism.parts import Body

GRAVITY = (0.0, 0.0, -9.81)
LINK = vv.inertia.box(1.0, (1.0, 0.1, 0.1))
JOINTS = "spherical", "revolute"


def chain(N: int, joint: str) -> vv.Mechanism:
    """N links of 1 m and 1 kg that hang together, the first one on the ground, at rest in a bent shape.

    joint: "spherical", or "revolute" about axes of which neighbours are not parallel.
    """
    m = vv.Mechanism(f"chain of {N} links, {joint}", gravity=GRAVITY)
    parent, end, R = m.ground, np.zeros(3), np.eye(3)
    for i in range(N):
        axis = np.array([0.2, np.cos(0.5 * np.pi * i), np.sin(0.5 * np.pi * i)])
        axis /= np.linalg.norm(axis)
        bend = np.array([np.sin(i + 0.3), np.cos(2.0 * i), np.sin(3.0 * i + 1.0)])
        turn = 0.4 * bend if joint == "spherical" else 0.4 * np.cos(1.3 * i) * axis
        axis_W, R = R @ axis, R @ SO3.exp(turn).R
        link = m.body(f"link{i}", inertia=LINK, at=end + 0.5 * R[:, 0], rotation=R)
        if joint == "spherical":
            m.spherical(f"joint{i}", parent, link, at=end)
        else:
            m.revolute(f"joint{i}", parent, link, at=end, axis=axis_W)
        parent, end = link, end + R[:, 0]
    return m


def net(N: int) -> vv.Mechanism:
    """N by N nodes, rods of 1 m between neighbours, ball joints where rods meet, hung at two corners, at rest.

    The node (i, j) is at a_i + b_j with polygons a and b of unit sides: every rod fits, and none is in line with the
    next, which would leave no first-order motion across them.
    """
    m = vv.Mechanism(f"net of {N} x {N} nodes", gravity=GRAVITY)
    sag = np.linspace(-0.6, 0.6, N - 1)  # slopes of the rods of a row, that hang between two corners
    a = _polygon(np.stack([np.cos(sag), np.zeros(N - 1), np.sin(sag)], axis=1))
    tilt = np.linspace(0.9, 1.3, N - 1)
    b = _polygon(np.stack([np.zeros(N - 1), np.cos(tilt), -np.sin(tilt)], axis=1))
    rods = dict[tuple[int, int], list[Body]]()
    for i in range(N):
        for j in range(N):
            for k, l in ((i + 1, j), (i, j + 1)):
                if k < N and l < N:
                    start, end = a[i] + b[j], a[k] + b[l]
                    name = f"rod{i}_{j}_{k}_{l}"
                    rod = m.body(name, inertia=LINK, at=0.5 * (start + end), rotation=_frame_along(end - start))
                    rods.setdefault((i, j), []).append(rod)
                    rods.setdefault((k, l), []).append(rod)
    for (i, j), meeting in rods.items():
        held = [m.ground] if (i, j) in ((0, 0), (N - 1, 0)) else []
        for n, (first, second) in enumerate(zip([*held, *meeting], [*held, *meeting][1:], strict=False)):
            m.spherical(f"node{i}_{j}_{n}", first, second, at=a[i] + b[j])
    return m


def stewart() -> vv.Mechanism:
    """A platform on six legs of two tubes each, universal + prismatic + spherical joints, a spring along each leg."""
    m = vv.Mechanism("Stewart platform", gravity=GRAVITY)
    tube = vv.inertia.box(0.5, (0.6, 0.05, 0.05))
    top = m.body("platform", mass=5.0, inertia=(0.45, 0.45, 0.9), at=(0, 0, 1.0), twist=(0.2, 0, 0.5, 0, 0.3, 0))
    for i in range(6):
        pair, side = divmod(i, 2)
        low, high = (2 * np.pi * pair / 3 + s * w for s, w in ((2 * side - 1, 0.2), (2 * side - 1, 0.85)))
        foot, head = np.array([np.cos(low), np.sin(low), 0.0]), np.array([0.6 * np.cos(high), 0.6 * np.sin(high), 1.0])
        along = (head - foot) / np.linalg.norm(head - foot)
        across = np.cross((0, 0, 1), along)
        across /= np.linalg.norm(across)
        R = _frame_along(along)
        outer = m.body(f"outer{i}", inertia=tube, at=foot + 0.3 * along, rotation=R)
        inner = m.body(f"inner{i}", inertia=tube, at=head - 0.3 * along, rotation=R)
        m.universal(f"foot{i}", m.ground, outer, at=foot, axes=(across, np.cross(along, across)))
        m.prismatic(f"slide{i}", outer, inner, at=head, axis=along)
        m.spherical(f"head{i}", inner, top, at=head)
        m.spring(f"spring{i}", m.ground, top, at_a=foot, at_b=head, k=2e3, length=1.05 * np.linalg.norm(head - foot))
    return m


def cylindrical_pair() -> vv.Mechanism:
    """Two bodies that slide and turn along a common axis while they fly."""
    m = vv.Mechanism("flying cylindrical pair")
    m.body("A", mass=4.0, inertia=(304, 304, 8), twist=(-1, -1.5, 0, 0, 50, 0))
    m.body("B", mass=3.0, inertia=(18.75, 18.75, 19.5), at=(0, 0, -11), twist=(-1, -1.5, 100, 16.5, 39, 35.5))
    m.cylindrical("sleeve", "A", "B", at=(0, 0, 0), axis=(0, 0, 1))
    return m


def four_bar(thrown: bool = False) -> vv.Mechanism:
    """A square of four bars and four ball joints in free space, with a port "load" for a wrench on the first bar.

    thrown: its first bar moves at the start, which stands for a load that has been.
    """
    m = vv.Mechanism("loop of four bars")
    J = 10.0 / 12.0 * np.array([2.0, 101.0, 101.0])
    centres = ((5, 0, 0), (0, 5, 0), (-5, 0, 0), (0, -5, 0))
    for i, at in enumerate(centres):
        moments = J if i % 2 else J[[1, 0, 2]]
        twist = (0.6, 0.2, -0.3, 2.0, 0.0, 1.0) if thrown and i == 0 else None
        m.body(f"bar{i}", mass=10.0, inertia=moments, at=at, twist=twist)
    for i, at in enumerate(((5, 5, 0), (-5, 5, 0), (-5, -5, 0), (5, -5, 0))):
        m.spherical(f"corner{i}", f"bar{i}", f"bar{(i + 1) % 4}", at=at)
    m.wrench("load", "bar0")
    return m


def load(t: float) -> Array:
    """The wrench (m; f) on the four-bar: up for half a second, down for half a second."""
    f = 200.0 * max(0.0, min(t, 1.0 - t))
    return f * np.array([6.0, 0, 0, 8.0, 0, 0])


def slider_crank() -> vv.Mechanism:
    """Crank, rod and slider in space; the rod's small moment is along its axis, its pin is d2 = n x e1."""
    m = vv.Mechanism("spatial slider-crank", gravity=GRAVITY)
    n, a = np.array([2.0, -1.0, -2.0]) / 3.0, np.array([0.0, -2.0, 1.0]) / np.sqrt(5.0)
    R = np.stack([n, a, np.cross(n, a)], axis=1)
    m.body("crank", mass=0.12, inertia=(1e-4, 1e-4, 1e-5), at=(0, 0.1, 0.16))
    m.body("rod", mass=0.5, inertia=(4e-4, 4e-3, 4e-3), at=(0.1, 0.05, 0.1), rotation=R)
    m.body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), at=(0.2, 0, 0))
    m.revolute("main", m.ground, "crank", at=(0, 0.1, 0.12), axis=(1, 0, 0), rate=6.0)
    m.spherical("pin", "crank", "rod", at=(0, 0.1, 0.2))
    m.universal("wrist", "slider", "rod", at=(0.2, 0, 0), axes=((1, 0, 0), a))
    m.prismatic("guide", m.ground, "slider", at=(0.2, 0, 0), axis=(1, 0, 0))
    return m


Builder = Callable[[], vv.Mechanism]
PUBLISHED: dict[str, tuple[Builder, float, float, bool]] = {  # builder, step [s], end [s], loaded
    "flying cylindrical pair": (cylindrical_pair, 1e-3, 0.7, False),
    "loop of four bars": (four_bar, 0.1, 10.0, True),
    "spatial slider-crank": (slider_crank, 1e-2, 5.0, False),
}


def _polygon(sides: Array) -> Array:
    return np.concatenate([np.zeros((1, 3)), np.cumsum(sides, axis=0)])


def _frame_along(direction: Array) -> Array:
    """A right-handed frame whose x points along a unit vector."""
    y = np.cross((0.36, 0.48, 0.8), direction)
    y /= np.linalg.norm(y)
    return np.stack([direction, y, np.cross(direction, y)], axis=1)

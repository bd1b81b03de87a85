"""Trees at random, and their equations projected in plain NumPy, in world axes; complex numbers go through."""

from __future__ import annotations

import numpy as np

from visviva.geometry import SO3
from visviva.mechanism.spanning.tree import Link, Tree

SIZES = {"hinge": (1, 1), "slider": (1, 1), "ball": (4, 3), "free": (7, 6), "fixed": (0, 0)}
KINDS = ("hinge", "screw", "slider", "ball", "free", "fixed")


def random_pose(rng, size=0.5):
    X = np.eye(4)
    X[:3, :3] = SO3.exp(rng.normal(size=3)).R
    X[:3, 3] = size * rng.normal(size=3)
    return X


def random_link(rng, name, parent, kind, *, massless=False):
    B = 0.3 * rng.normal(size=(3, 3))
    second = B @ B.T + 0.02 * np.eye(3)
    inertia = np.trace(second) * np.eye(3) - second
    return Link(
        name,
        parent,
        "hinge" if kind == "screw" else kind,
        random_pose(rng),
        0.0 if massless else rng.uniform(0.5, 2.0),
        np.zeros(3) if massless else 0.3 * rng.normal(size=3),
        np.zeros((3, 3)) if massless else inertia,
        pitch=0.2 * rng.normal() if kind == "screw" else 0.0,
    )


def random_tree(seed, N, kinds=KINDS, branching=True, massless=True):
    """N links; some that carry others are massless, where their joint is simple."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(max(-1, i - 4) if branching else i - 1, i)) for i in range(1, N))]
    links = []
    for i, parent in enumerate(parents):
        kind = str(rng.choice(kinds if i else [kind for kind in kinds if kind != "fixed"]))
        carried = [k for k in range(i + 1, N) if parents[k] == i]
        light = massless and kind in ("hinge", "slider") and len(carried) > 0 and rng.random() < 0.3
        links.append(random_link(rng, f"link{i}", parent, kind, massless=light))
    for i in reversed(range(N)):  # a massless link needs something heavy behind it
        behind = [k for k in range(i + 1, N) if parents[k] == i]
        if links[i].mass == 0.0 and not any(links[k].mass > 0.0 and links[k].kind != "free" for k in behind):
            links[i] = random_link(rng, links[i].name, links[i].parent, links[i].kind)
    return Tree(tuple(links), np.array([0.3, -0.2, -9.81]))


def random_state(tree, seed):
    rng = np.random.default_rng(seed)
    q = []
    for link in tree.links:
        size, _ = SIZES[link.kind]
        value = rng.normal(size=size)
        if size >= 4:
            value[-4:] /= np.linalg.norm(value[-4:])
        q.append(value)
    n = sum(SIZES[link.kind][1] for link in tree.links)
    return np.concatenate([np.zeros(0), *q]), rng.normal(size=n), rng.normal(size=n)


def quaternion_matrix(q):
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_product(p, q):
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def advance(tree, q, delta):
    """The configuration at local coordinates δ: q + δ, R exp(δ̂), r + R δ_r; to first order in complex parts."""
    found, at, k = [], 0, 0
    for link in tree.links:
        size, n = SIZES[link.kind]
        old, d = q[at : at + size], delta[k : k + n]
        if size < 4:
            found.append(old + d)
        else:
            half = 0.5 * np.sqrt(d[:3] @ d[:3])
            factor = 0.5 * np.sin(half) / half if half else 0.5
            turned = quaternion_product(old[-4:], np.concatenate([[np.cos(half)], factor * d[:3]]))
            if size == 7:
                found.append(old[:3] + quaternion_matrix(old[3:]) @ d[3:])
            found.append(turned)
        at, k = at + size, k + n
    return np.concatenate(found)


def joint(link, q, xi):
    """R_JL, r_JL, unit velocities (ω; v) of the link, relative velocity, all but R and r in link axes."""
    if link.kind == "fixed":
        return np.eye(3), np.zeros(3), np.zeros((6, 0))
    if link.kind == "ball":
        return quaternion_matrix(q), np.zeros(3), np.eye(6)[:, :3]
    if link.kind == "free":
        return quaternion_matrix(q[3:]), q[:3], np.eye(6)
    turn, shift = (1.0, link.pitch) if link.kind == "hinge" else (0.0, 1.0)
    c, s = np.cos(turn * q[0]), np.sin(turn * q[0])
    S = np.array([0, 0, turn, 0, 0, shift])[:, None]
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([0, 0, shift * q[0]]), S


def motion(tree, q, xi):
    """Of each link: R, r, ω, v, α, a at ξ̇ = 0 (all in the world) and columns of ω and v by ξ."""
    n = len(xi)
    ground = (np.eye(3), *np.zeros((5, 3)), np.zeros((3, n)), np.zeros((3, n)))
    found, at, k = [], 0, 0
    for link in tree.links:
        R_P, r_P, w_P, v_P, alpha_P, a_P, Jw, Jv = found[link.parent] if link.parent >= 0 else ground
        size, m = SIZES[link.kind]
        R_JL, r_JL, S = joint(link, q[at : at + size], xi[k : k + m])
        R_J = R_P @ link.X_PJ[:3, :3]
        R = R_J @ R_JL
        arm = R_P @ link.X_PJ[:3, 3] + R_J @ r_JL
        w_rel, v_rel = R @ (S[:3] @ xi[k : k + m]), R @ (S[3:] @ xi[k : k + m])
        w, v = w_P + w_rel, v_P + np.cross(w_P, arm) + v_rel
        alpha = alpha_P + np.cross(w_P, w_rel)  # d/dt of R S ξ is ω × (R S ξ), of which ω_rel × ω_rel vanishes
        a = a_P + np.cross(alpha_P, arm) + np.cross(w_P, np.cross(w_P, arm)) + 2 * np.cross(w_P, v_rel)
        a = a + np.cross(w_rel, v_rel)
        Jw_new, Jv_new = Jw.astype(R.dtype), Jv - np.array([np.cross(arm, c) for c in Jw.T]).reshape(n, 3).T
        Jw_new[:, k : k + m] += R @ S[:3]
        Jv_new = Jv_new.astype(R.dtype)
        Jv_new[:, k : k + m] += R @ S[3:]
        found.append((R, r_P + arm, w, v, alpha, a, Jw_new, Jv_new))
        at, k = at + size, k + m
    return found


def projected(tree, q, xi, wrenches=None):
    """M = Σ JᵀMJ and b = Σ Jᵀ(...) with gravity, springs aside; w: (m; f) in link axes at link origins."""
    n = len(xi)
    M, b = np.zeros((n, n), dtype=q.dtype), np.zeros(n, dtype=q.dtype)
    for i, (link, (R, _, w, _, alpha, a, Jw, Jv)) in enumerate(zip(tree.links, motion(tree, q, xi), strict=True)):
        c, I = R @ link.com, R @ link.inertia @ R.T
        Jc = Jv - np.array([np.cross(c, column) for column in Jw.T]).reshape(n, 3).T
        a_c = a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - tree.gravity
        M = M + link.mass * Jc.T @ Jc + Jw.T @ I @ Jw
        b = b + link.mass * Jc.T @ a_c + Jw.T @ (I @ alpha + np.cross(w, I @ w))
        if wrenches is not None:
            b = b - Jw.T @ (R @ wrenches[i, :3]) - Jv.T @ (R @ wrenches[i, 3:])
    return M, b


def kinetic_and_potential(tree, q, xi):
    T = V = 0.0
    for link, (R, r, w, v, *_) in zip(tree.links, motion(tree, q, xi), strict=True):
        c, I = R @ link.com, R @ link.inertia @ R.T
        v_c = v + np.cross(w, c)
        T += 0.5 * link.mass * v_c @ v_c + 0.5 * w @ I @ w
        V -= link.mass * tree.gravity @ (r + c)
    return T + V

"""Links and joints as a tree: one root, one parent for each other link, no ring."""

from __future__ import annotations

from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name
from visviva.robots.description import Joint, Link
from visviva.robots.markup import shortened

SHOWN = 6  # names in an error


def in_order(
    links: dict[str, Link], joints: dict[str, Joint], where: str
) -> tuple[str, dict[str, Link], dict[str, Joint]]:
    """The root, the links with parents before children, and the joints in the same order; or why it is no tree."""
    above: dict[str, Joint] = {}
    below: dict[str, list[Joint]] = {name: [] for name in links}
    for joint in joints.values():
        for end in (joint.parent, joint.child):
            if end not in links:
                raise unknown_name(shortened(end), links, f"{joint.where}: the robot")
        if joint.parent == joint.child:
            raise ModelError(f"{joint.where} joins the link {joint.child!r} with itself: its links must differ.")
        if joint.child in above:
            first = above[joint.child]
            raise ModelError(
                f"the link {joint.child!r} has two parents: {first.parent!r} by the joint {first.name!r}, and\n"
                f"{joint.parent!r} by {joint.where}. A URDF is a tree: close loops\n"
                "in the Mechanism that is read, with m.revolute(...), m.spherical(...) or m.fixed(...)."
            )
        above[joint.child] = joint
        below[joint.parent].append(joint)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise ModelError(
            f"{where} has {len(roots)} links that no joint carries: {some_names(roots)}.\n"
            "A URDF has one root: join the others to it, by fixed or floating joints."
        )
    order, waiting = list[str](), list(roots)
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += [joint.child for joint in reversed(below[name])]
    if len(order) < len(links):
        reached = set(order)
        raise ModelError(_ring(next(name for name in links if name not in reached), above))
    return roots[0], {name: links[name] for name in order}, {above[n].name: above[n] for n in order if n in above}


def _ring(start: str, above: dict[str, Joint]) -> str:
    """The ring that a link hangs on, which has no root."""
    path: list[str] = []
    name = start
    seen: dict[str, int] = {}
    while name not in seen:
        seen[name] = len(path)
        path.append(name)
        name = above[name].parent
    ring = path[seen[name] :][::-1]
    return (
        f"links hang on each other in a ring: {some_names([*ring, ring[0]], ' → ')}.\n"
        "A URDF is a tree with one root: remove a joint of the ring, and close the loop in the Mechanism that is read."
    )


def some_names(names: list[str], between: str = ", ") -> str:
    """The first of some names, as errors list them."""
    shown = [repr(shortened(name)) for name in names[:SHOWN]]
    return between.join(shown) + (f"{between}…" if len(names) > SHOWN else "")

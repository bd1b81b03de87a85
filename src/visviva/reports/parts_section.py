"""What a mechanism is made of, and how it can move."""

from __future__ import annotations

from collections.abc import Iterator

from visviva.mechanism import Definition
from visviva.mechanism.analysis import analyse
from visviva.mechanism.inventory import kind_of
from visviva.mechanism.parts import Body, Joint
from visviva.reports.blocks import Block, Figure, Paragraph, Table
from visviva.reports.numbers import number, vector
from visviva.views import draw


def parts(m: Definition) -> Iterator[Block]:
    """Its picture, bodies, joints and other parts."""
    yield Figure(draw(m), f"The mechanism {m.name!r} as built.")
    yield Table(
        "Bodies: mass, centre of mass in the world as built, principal moments of inertia.",
        ("body", "mass [kg]", "centre of mass [m]", "moments [kg m²]"),
        tuple(
            (
                body.name,
                number(body.mass),
                vector(body.r_WC if isinstance(body, Body) else body.r_W),
                vector(body.J_C) if isinstance(body, Body) else "–",
            )
            for body in m.bodies
        ),
        frozenset({1}),
    )
    if m.joints:
        yield Table(
            "Joints: place and axis \\(z\\) in the world as built.",
            ("joint", "kind", "parent", "child", "at [m]", "axis"),
            tuple(_joint(joint) for joint in m.joints),
        )
    others = [part for part in m.parts.values() if part not in m.bodies and not isinstance(part, Joint)]
    others = [part for part in others if part not in m.frames]
    if others:
        yield Table("Other parts.", ("name", "what it is"), tuple((part.name, kind_of(part)) for part in others))
    if m.gravity.any():
        yield Paragraph(f"Gravity is the acceleration {vector(m.gravity)} m/s² in world axes.")


def _joint(joint: Joint) -> tuple[str, ...]:
    axis = "–" if joint.joint.glyph in ("ball", "nothing", "weld", "rod") else vector(joint.R_W[:, 2])
    return joint.name, joint.joint.kind.replace("_", " "), joint.parent.name, joint.child.name, vector(joint.r_W), axis


def mobility(m: Definition) -> Iterator[Block]:
    """Counts of rows and freedoms."""
    a = analyse(m)
    rows = [
        ("bodies, particles", f"{a.bodies}, {a.particles}"),
        ("joints, independent loops", f"{a.joints}, {a.loops}"),
        ("rows of all constraints, rank", f"{a.rows}, {a.rank}"),
        ("mobility by Grübler and Kutzbach", str(a.gruebler)),
        ("mobility", str(a.mobility)),
    ]
    rows += [(f"redundant rows of {name}", str(count)) for name, count in a.redundant.items()]
    yield Table("Mobility as assembled.", ("quantity", "value"), tuple(rows), frozenset({1}))
    if a.warning:
        yield Paragraph(a.warning)

"""Bodies and joints wired to a multibody system."""

from __future__ import annotations

from collections.abc import Mapping

from visviva.errors import ModelError
from visviva.language import AbstractSystem, Composite, compose


def multibody(
    name: str, bodies: Mapping[str, AbstractSystem], joints: Mapping[str, tuple[AbstractSystem, str, str]]
) -> Composite:
    """Bodies that share their momentum with joints: multibody("mbs", dict(b1=…, b2=…), dict(j=(joint, "b1", "b2"))).

    The junction of body b is p_b, and q_b where bodies and joints show poses. An entropy port s of a joint stays
    open as the outer port s_joint.
    Source: Lohmayer, Capobianco and Leyendecker, Fig. 1.
    """
    junctions: dict[str, list[str]] = {}
    for body, system in bodies.items():
        for port in system.interface:
            junctions[f"{port}_{body}"] = [f"{body}.{port}"]
    outer = []
    for joint, (system, *ends) in joints.items():
        for k, body in enumerate(ends, start=1):
            if body not in bodies:
                raise ModelError(f"joint {joint!r} of {name!r} ends at {body!r}; the bodies are {', '.join(bodies)}.")
            for port in [port for port in system.interface if port.endswith(f"_{k}")]:
                shared = port.removesuffix(f"_{k}")
                if f"{shared}_{body}" not in junctions:
                    raise ModelError(
                        f"joint {joint!r} of {name!r} needs port {shared!r} of body {body!r}, which has "
                        f"{', '.join(bodies[body].interface)}.\nMake bodies and joints with the same group."
                    )
                junctions[f"{shared}_{body}"].append(f"{joint}.{port}")
        if "s" in system.interface:
            junctions[f"s_{joint}"] = [f"{joint}.s"]
            outer.append(f"s_{joint}")
    return compose(name, {**bodies, **{joint: end[0] for joint, end in joints.items()}}, junctions, outer)

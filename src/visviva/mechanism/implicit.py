"""The implicit port-Hamiltonian system of a mechanism at a motion, composed from its parts.

States, by name: `<body>.H`, `<body>.P` are the pose of the body frame and the momentum in it, `<particle>.r`,
`<particle>.p` position and momentum; `<spring>` is the pose of the frame on its child in the one on its parent,
`<torsion>` and `<stop>` are coordinates of joints, `<motor>.flux` is a flux linkage and `<node>.s` an entropy. Rates
are left-trivialised. Ports: the input ports, drives, what dissipates, see `losses`, and `<node>.heat`, where entropy
enters a thermal node at f = θ - θ0: a Dirac structure holds no laws of friction and no heat, but it holds their ports.
Boxes are joined to it at ports `<box>.<port>`, with the rate of a coordinate and the force that they have along it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import skew
from visviva.geometry.linear import block_diagonal
from visviva.mechanism.body_twists import body_pose, inertia_of, momentum_of, pair_rates, twist_of
from visviva.mechanism.elements import Element, JointElement
from visviva.mechanism.joint_pairs import friction_rates
from visviva.mechanism.losses import ENTROPY, FLUX, FRICTION, HEAT, LOSS, RESISTANCE, rubbing
from visviva.mechanism.parts import Body, Force, Joint, Motor, Particle, Torque, WrenchPort
from visviva.mechanism.placement import frame_pose
from visviva.mechanism.port_values import element_ports
from visviva.structure import Dirac, Implicit, compose, transformer
from visviva.structure.ports import Ports, spans
from visviva.structure.subspace import range_and_complement

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.network import MechanismNetwork


def implicit_of(network: MechanismNetwork) -> Implicit:
    """Bodies, springs and what acts on joints, joined to the kinestatic structure.

    It is composed of twists in units of τ and wrenches in units of 1/τ, in which both are of one size, and momenta at
    most about one: they do not follow from geometry, and would else be all that is seen of the rows of a heavy body.

    Source: Stramigioli, Maschke and Bidard (35) to (38); the structures of bodies and springs from (21) and (22).
    """
    m, tau = network.definition, _twist_unit(network)
    parts, joined, names = {"": network.structure()}, dict[str, tuple[str, str]](), dict[str, str]()
    for body in m.bodies:
        if body.mass:
            ports = [port for port in m.ports if isinstance(port, WrenchPort) and port.carrier is body]
            parts[body.name] = _body(body, network, ports, tau)
            joined[body.name] = (f".{body.name}", f"{body.name}.motion")
            names |= {f"{body.name}.{port.name}": port.name for port in ports}
    for element in m.elements:
        frame = transformer(frame_pose(element, element.child, network.motion).inverse().Ad(), "edge", "end")
        for edge, stores in _edges(element).items():
            parts[edge] = frame.flip("end") if stores else frame
            joined[edge] = (f".{edge}", f"{edge}.edge")
            names[f"{edge}.end"] = edge
    for line in (one for box in m.boxes for one in box.pairs.values()):
        parts[line.name] = transformer(pair_rates(line, network.motion), "edge", "end")
        joined[line.name] = (f".{line.name}", f"{line.name}.edge")
        names[f"{line.name}.end"] = line.name
    several = [part for part in m.joint_elements if len({one.joint.name for one in part.coordinates}) > 1]
    across = {port for part in several for port in element_ports(part)}  # at several joints
    for name, joint in network.actuated().items():
        acting = _acting(network, joint)
        stored = [name for name in _coordinate_states(m) if name in acting]
        parts[name] = _hub(network.kinestatics.pairs[name].freedom, acting).flip(*(set(stored) - across))
        joined[name] = (f".{name}", f"{name}.pair")
        names |= {f"{name}.{inner}": inner for inner in acting if inner not in across}
    for part in m.joint_elements:
        for port in element_ports(part):
            if port in across:
                box = f"across {port}"
                parts[box] = _gathered(part).flip("y") if port == part.name else _gathered(part)
                for at in dict.fromkeys(one.joint.name for one in part.coordinates):
                    joined[f"{box} {at}"] = (f"{at}.{port}", f"{box}.{at}")
                names[f"{box}.y"] = port
    for motor in m.motors:
        box = f"motor {motor.name}"
        parts[box] = _motor(motor, tau)
        joined[box] = (f"{motor.joint.name}.{motor.name}", f"{box}.shaft")
        names |= {f"{box}.flux": f"{motor.name}{FLUX}", f"{box}.voltage": motor.name}
        names |= {f"{box}.resistance": f"{motor.name}{RESISTANCE}"}
        del names[f"{motor.joint.name}.{motor.name}"]
    for node in m.thermals:
        parts[f"node {node.name}"] = _node()
        names |= {f"node {node.name}.s": f"{node.name}{ENTROPY}", f"node {node.name}.heat": f"{node.name}{HEAT}"}
    names |= {f".{drive}": drive for drive, part in network.kinestatics.conditions.items() if part.driven}
    structure = _in_si(compose(parts, joined).rename(names), m, tau)
    outside = _outside(network)
    states = {name: dim for name, dim in structure.ports.items() if name not in outside}
    return Implicit.of(structure, states, constraints_of(network, states))


def _twist_unit(network: MechanismNetwork) -> float:
    """τ, a power of two: τ² is the largest twist over the largest wrench, of springs, weights and P∧ T; 1 at rest.

    By momenta alone, wrenches of springs would round in the rows of twists wherever they are larger than P∧ T.
    """
    efforts, momenta, twists = network.dH(), [0.0], [0.0]
    for body in network.definition.bodies:
        if body.mass:
            twist = efforts.pop(momentum_of(body))
            P = inertia_of(body) @ twist if isinstance(body, Body) else np.zeros(0)
            momenta.append(float(np.abs(P).max(initial=0.0)))
            twists.append(float(np.abs(twist).max(initial=0.0)))
    if not max(twists) > 0:
        return 1.0
    inner = {f"{part.name}{FLUX}" for part in network.definition.motors}
    inner |= {f"{part.name}{ENTROPY}" for part in network.definition.thermals}
    wrenches = [float(np.abs(e).max(initial=0.0)) for name, e in efforts.items() if name not in inner]
    size = max(*momenta, max([0.0, *wrenches]) / max(twists))
    return float(2.0 ** -np.round(0.5 * np.log2(size))) if size > 0 else 1.0


def _in_si(structure: Dirac, m: Definition, tau: float) -> Dirac:
    """A structure over twists in units of τ, wrenches in units of 1/τ, in SI; voltages and entropies are so already."""
    momenta = {momentum_of(body) for body in m.bodies}
    still = {f"{node.name}{word}" for node in m.thermals for word in (ENTROPY, HEAT)}
    still |= {f"{motor.name}{word}" for motor in m.motors for word in (FLUX, RESISTANCE, "")}
    units = [np.full(dim, 1.0 if name in still else 1 / tau if name in momenta else tau)
             for name, dim in structure.ports.items()]  # fmt: skip
    unit = np.concatenate([np.zeros(0), *units])
    return Dirac(structure.F / unit, structure.E * unit, structure.ports)


def constraints_of(network: MechanismNetwork, states: Ports) -> dict[str, Array]:
    """Rows C over the efforts dH of `implicit_of(network)` with C dH = 0, by joint; Cᵀ are the rates of its reactions.

    Joints at one massless body act as one, under the names of all of them, and so do conditions such as gears. Rows may
    depend on those of other joints. Drives are no constraints of efforts alone: they are ports.
    """
    m, kinestatics = network.definition, network.kinestatics
    at, columns = spans(states), spans({part.name: 6 if isinstance(part, Body) else 3 for part in m.bodies})
    G, n, found = kinestatics.constraints(), sum(states.values()), dict[str, Array]()
    rows = {name: G[part] for name, part in kinestatics.rows().items()}
    for cluster in _clusters(network):
        block = np.vstack([rows[name] for name in cluster])
        loose = np.hstack([np.zeros((len(block), 0)), *(block[:, columns[name]] for name in network.massless)])
        block = range_and_complement(loose)[1].T @ block
        C = np.zeros((len(block), n))
        for part in m.bodies:
            if part.mass:
                Ad = body_pose(part, network.motion).Ad() if isinstance(part, Body) else np.eye(3)
                C[:, at[momentum_of(part)]] = block[:, columns[part.name]] @ Ad
        if len(C):
            found[" + ".join(cluster)] = C
    return found


def _clusters(network: MechanismNetwork) -> list[list[str]]:
    """Joints and conditions in groups that hang together by massless bodies; without drives."""
    groups: list[tuple[list[str], set[str]]] = []
    ends = {joint.name: {joint.parent.name, joint.child.name} for joint in network.definition.joints}
    ends |= {name: {*part.rows} for name, part in network.kinestatics.conditions.items() if not part.driven}
    for name, touched in ends.items():
        names, at = [name], touched & set(network.massless)
        apart = []
        for others, where in groups:
            if at & where:
                names, at = others + names, at | where
            else:
                apart.append((others, where))
        groups = [*apart, (names, at)]
    return [names for names, _ in groups]


def _outside(network: MechanismNetwork) -> set[str]:
    """Ports that are no states: input ports, and what dissipates."""
    m = network.definition
    found = {box.variable(port) for box in m.boxes for port in box.along}
    found |= {port.name for port in m.ports} | {
        name for name, part in network.kinestatics.conditions.items() if part.driven
    }
    found |= {f"{joint.name}{FRICTION}" for joint in m.joints} | {f"{motor.name}{RESISTANCE}" for motor in m.motors}
    found |= {f"{element.name}{LOSS}" for element in m.elements} | {f"{name}{LOSS}" for name in _coordinate_states(m)}
    return found | {f"{node.name}{HEAT}" for node in m.thermals}


def _coordinate_states(m: Definition) -> list[str]:
    """Springs and stops at coordinates of joints."""
    return [part.name for part in m.joint_elements] + [stop.name for stop in m.stops]


def _edges(element: Element) -> dict[str, bool]:
    """The open edges of a spring, and whether energy is stored there."""
    edges = {element.name: True} if element.energy is not None else {}
    return edges | ({f"{element.name}{LOSS}": False} if element.damping is not None else {})


def _body(body: Body | Particle, network: MechanismNetwork, ports: list[WrenchPort], tau: float) -> Dirac:
    """Ḣ = T, Ṗ = P∧ T - e_H + Adᵀ W + Kᵀ u, with the twist Ad T at the port motion and K T at the input ports.

    K takes the twist to that of the centre of mass in axes of the port. Signs as of the wrench on the network, which is
    minus that on the body.
    """
    if isinstance(body, Body):
        X = body_pose(body, network.motion)
        P = tau**2 * inertia_of(body) @ twist_of(body, network.motion)
        gyroscopic = np.block([[skew(P[:3]), skew(P[3:])], [skew(P[3:]), np.zeros((3, 3))]])
        axes = [np.eye(3) if port.frame == "body" else X.R for port in ports]
        outputs = [X.Ad(), *(np.block([[R, np.zeros((3, 3))], [-R @ skew(body.com), R]]) for R in axes)]
        states = ("H", "P")
    else:
        gyroscopic = np.zeros((3, 3))
        outputs = [np.eye(3)] * (1 + len(ports))
        states = ("r", "p")
    n, K = len(gyroscopic), np.vstack(outputs)
    J = block_diagonal([np.zeros((n, n)), gyroscopic, np.zeros((len(K), len(K)))])
    J[:n, n : 2 * n], J[n : 2 * n, :n] = np.eye(n), -np.eye(n)
    J[n : 2 * n, 2 * n :], J[2 * n :, n : 2 * n] = K.T, -K
    return Dirac.input_output(J, dict.fromkeys([*states, "motion", *(port.name for port in ports)], n)).flip("motion")


def _acting(network: MechanismNetwork, joint: Joint) -> dict[str, Array]:
    """What acts on the coordinates of a joint: by name of its port, the rows over the freedoms of the pair."""
    S = network.kinestatics.pairs[joint.name].S
    m, rows, acting = network.definition, np.eye(S.shape[1]), dict[str, Array]()
    if rubbing(joint):
        acting[f"{joint.name}{FRICTION}"] = friction_rates(joint, network.motion, S) @ S
    for part in m.joint_elements:
        own = [one.number for one in part.coordinates if one.joint is joint]
        acting |= {name: rows[own] for name in element_ports(part) if own}
    for stop in m.stops:
        if stop.joint is joint:
            acting[stop.name] = rows[[stop.at.number]]
            acting |= {f"{stop.name}{LOSS}": acting[stop.name]} if stop.loss else {}
    for port in m.ports:
        if isinstance(port, Torque | Force | Motor) and port.joint is joint:
            acting[port.name] = rows[[port.at.number]]
    for box in m.boxes:
        acting |= {box.variable(port): rows[[one.number]] for port, one in box.along.items() if one.pair is joint}
    return acting


def _gathered(part: JointElement) -> Dirac:
    """Rates of the coordinates of several joints as one vector, and its forces shared out to them."""
    joints = list(dict.fromkeys(one.joint.name for one in part.coordinates))
    order = [k for name in joints for k, one in enumerate(part.coordinates) if one.joint.name == name]
    whole = transformer(np.eye(len(order))[:, order], "joints", "y")
    widths = {name: sum(one.joint.name == name for one in part.coordinates) for name in joints}
    return Dirac(whole.F, whole.E, {**widths, "y": len(order)})


def _hub(freedom: int, acting: dict[str, Array]) -> Dirac:
    """All that acts on a joint has its rates, and its forces add up."""
    whole = transformer(np.vstack([*acting.values()]), "pair", "acting")
    return Dirac(whole.F, whole.E, {"pair": freedom, **{name: len(rows) for name, rows in acting.items()}})


def _motor(motor: Motor, tau: float) -> Dirac:
    """τ = k i at the shaft, φ_dot = u + u_R - k θ_dot, and the current i at the ports of both voltages."""
    F, E = np.zeros((4, 4)), np.zeros((4, 4))
    E[0, 0], E[0, 1] = 1.0, -tau * motor.k
    F[1, 2], E[1, 1] = 1.0, -1.0
    F[2, 3], E[2, 1] = 1.0, -1.0
    F[3, 1], F[3, 0], E[3, 2], E[3, 3] = 1.0, tau * motor.k, 1.0, 1.0
    return Dirac.kernel(F, E, {"shaft": 1, "flux": 1, "voltage": 1, "resistance": 1})


def _node() -> Dirac:
    """ṡ is the entropy that enters, at the effort θ - θ0."""
    F, E = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    return Dirac.kernel(F, E, {"s": 1, "heat": 1})

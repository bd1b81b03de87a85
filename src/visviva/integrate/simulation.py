"""simulate: from a description and a time span to a Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.inputs import AllInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.march import Wanted, whole_number
from visviva.integrate.parameters import changed
from visviva.integrate.prepared import prepared
from visviva.integrate.sampled import Sampled, sampled_laws
from visviva.integrate.start import Initial
from visviva.integrate.stopping import Stop
from visviva.integrate.system import AbstractSystem
from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.model import Model
from visviva.results import Run
from visviva.results.trajectory import Trajectory


@overload
def simulate(
    what: Mechanism | Definition | Composite | Model,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Initial = None,
    inputs: AllInputs | None = None,
    parameters: Mapping[str, Any] | None = None,
    sampled: Sampled | Sequence[Sampled] | None = None,
    record: str | Sequence[str] | None = None,
    every: int = 1,
    stop: Stop | None = None,
    progress: bool | None = None,
) -> Run: ...


@overload
def simulate(
    what: AbstractSystem,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Any,
    every: int = 1,
) -> Trajectory: ...


@helpful
def simulate(
    what: Mechanism | Definition | Composite | Model | AbstractSystem,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Any = None,
    inputs: AllInputs | None = None,
    parameters: Mapping[str, Any] | None = None,
    sampled: Sampled | Sequence[Sampled] | None = None,
    record: str | Sequence[str] | None = None,
    every: int = 1,
    stop: Stop | None = None,
    progress: bool | None = None,
) -> Run | Trajectory:
    """Integrate until t_end [s] with steps of h [s], and return the Run. With `Adaptive`, h is the longest step.

    what:       a Mechanism, a composite system of the language, or a Model; or equations of motion by hand, a `Flow`:
                it starts from initial=(q, xi) and gives a `Trajectory`. Of the arguments below it takes integrator (by
                default DOP853) and every. Systems of `vv.kane`, particles, rigid systems and Lagrangians of
                `forms.Hamel` run as flows; Kane's also as Models, where the integrator is one of theirs, and
                port-Hamiltonian systems by default.
    integrator: PHMP() by default for mechanisms, DiscreteGradient() for composites and Lagrangian systems; for another
                Model give one.
    initial:    of a mechanism values by the names of a run, any subset of {"hinge.q": 0.3, "hinge.rate": 1.0,
                "tool.r": ..., "dc.current": ...}: they are kept, loops are closed, the rest stays as near as built.
                Or a run, or a `State` such as `run.final`, which continues exactly in the same scheme and in any other
                from there; a motion from `m.assemble()`, an equilibrium. For a Model or a composite the values of its
                variables by name. Default for a mechanism: as built.
    inputs:     by port name, a constant or a function of time: its value at the midpoint of a step acts over the step
                (schemes with several stages or substeps: one value each; of sources the mean effort between both ends,
                and functions of time alone). It is evaluated at the nodes as well, the
                start included, for what is read there, such as reactions. Or a law of (t, x), traced and solved inside
                the step: of a mechanism x["hinge.q"], x["hinge.rate"], x["tool.r"], x["tool.R"], x["arm.twist"]; of
                other models x the states and z the efforts by name. Or one law that returns inputs by port name.
                Functions of time may be asked at any time and in any order, but with `stop`: see there. Schemes that
                choose their steps end them where an input jumps, as far as that is known; `Jumping` says where.
    parameters: other numbers of a mechanism by name, {"arm.mass": 2.0, "spring.k": 40.0, "gravity": (0, 0, -1.6)}, for
                this run alone: see `Mechanism.with_parameters`.
    sampled:    a control law in any Python that is asked at ticks and held between them, `vv.Sampled(law, period=...)`,
                or a list of them, each of ports of its own; what it returns goes before `inputs`.
    record:     names or patterns of the quantities to keep, e.g. ("rod.r", "energy*"); the audit is complete all the
                same. Default: everything can be asked for. With it the memory of a long run is bounded.
    every:      keep each n-th node; energy, heat and work are still accounted for at every step.
    stop:       called with a `Snapshot` of each step's end; the run ends at the first step where it is true. Beside
                functions in `inputs` steps are made one by one, and the order of calls is: the inputs of a step in the
                order of its stages, those at its end, then `stop` there, then the inputs of the next step. So what an
                input remembers of the last snapshot is never older than one step. `Adaptive` makes its steps in pairs,
                and asks for inputs within a pair in any order.
    progress:   show a progress bar; default: where there is a terminal and the run takes more than a second.

    If a step cannot be solved, or on Ctrl-C, an error is raised whose `.run` holds the part that is valid. What may
    make a run another than it was meant to be is issued as a `RunWarning` each, and is in `run.warnings`.
    """
    if isinstance(what, AbstractSystem):
        model = what.model_for(integrator)
        if model is None:
            _check_plain(inputs=inputs, parameters=parameters, sampled=sampled, record=record, stop=stop)
            return what.simulated(t_end, h, integrator=integrator, initial=initial, every=whole_number(every))
        initial, integrator = what.model_start(initial), integrator or DiscreteGradient()
        what = model
    wanted = Wanted.of(t_end, record=record, every=every, stop=stop, progress=progress)
    laws = () if sampled is None else sampled_laws(sampled)
    if parameters is not None:
        what = changed(definition_of(what), parameters)
    with prepared(what, h, integrator, inputs) as simulator:
        return simulator.simulated(wanted, laws, initial, h)


def _check_plain(**given: object) -> None:
    named = [f"{name}=" for name, value in given.items() if value is not None]
    if named:
        raise ModelError(
            f"{', '.join(named)} of simulate() are for mechanisms, composites and Models. Equations by hand take their "
            "inputs\nfrom their own functions of t, bond graphs from laws of sources or vv.bond_graph(m, inputs=...)."
        )

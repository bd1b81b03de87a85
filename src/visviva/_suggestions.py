"""Nearest names: what was probably meant by a name, a keyword or an attribute that there is not.

One rule for all of them: words that mean the same in other programs, then words that are spelt alike.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from visviva.errors import ArgumentError

ALIKE = (  # words for one thing, those of this package among them
    ("h", "dt", "step", "stepsize", "timestep", "deltat"),
    ("t_end", "tend", "tf", "tfinal", "tstop", "tmax", "tspan", "duration", "time"),
    ("t", "time", "times"),
    ("n", "steps", "nsteps", "count", "times"),
    ("steps", "n", "nsteps", "count", "horizon"),
    ("tolerance", "tol", "rtol", "atol", "accuracy", "eps"),
    ("period", "dt", "h", "ts", "sampletime", "rate", "frequency"),
    ("integrator", "solver", "method", "scheme", "stepper"),
    ("initial", "x0", "q0", "y0", "initialstate", "state", "start"),
    ("state", "initial", "at", "q"),
    ("inputs", "input", "u", "control", "controls", "forces", "torques"),
    ("at", "position", "pos", "origin", "location", "point", "anchor", "xyz", "r"),
    ("r", "position", "pos", "origin", "location", "x", "xyz", "p"),
    ("rotation", "orientation", "R", "quat", "quaternion", "rpy", "attitude"),
    ("R", "rotation", "orientation", "quat", "quaternion", "attitude"),
    ("axis", "direction", "normal", "z"),
    ("normal", "axis", "direction"),
    ("friction", "damping", "viscous", "d", "b"),
    ("damping", "friction", "viscous", "d", "c", "b"),
    ("k", "stiffness", "springconstant", "spring"),
    ("length", "restlength", "naturallength", "l0", "rest"),
    ("mass", "m", "weight"),
    ("inertia", "moments", "moment", "I", "J", "tensor"),
    ("com", "cog", "cm", "centerofmass", "centreofmass"),
    ("gravity", "g"),
    ("rate", "v", "velocity", "speed", "omega", "w", "qd", "qdot", "dq", "angularvelocity", "angularspeed"),
    ("twist", "v", "velocity", "speed", "omega", "w", "angularvelocity"),
    ("v", "velocity", "speed", "twist"),
    ("q", "angle", "theta", "phi", "position", "displacement", "coordinate"),
    ("angle", "q", "theta", "phi"),
    ("reaction", "force", "wrench", "lambda", "multiplier", "constraintforce"),
    ("ground", "world", "earth", "universe", "base", "inertial"),
    ("revolute", "hinge", "pin", "rotary"),
    ("prismatic", "slider", "slide", "translational", "linear"),
    ("spherical", "ball", "socket"),
    ("fixed", "weld", "rigid"),
    ("universal", "cardan", "hooke"),
    ("free", "floating", "freejoint", "sixdof"),
    ("distance", "rod", "massless_rod"),
    ("body", "link", "rigidbody"),
    ("particle", "pointmass", "mass"),
    ("frame", "marker", "site", "sensor"),
    ("torque", "actuator", "moment", "motor"),
    ("force", "actuator"),
    ("gear", "mimic", "transmission"),
    ("stop", "limit", "limits"),
)
ELSEWHERE = {  # functions, by names that attributes of mechanisms have in other programs
    "model": "compile",
    "run": "simulate",
    **{
        name: name
        for name in ("simulate", "compile", "draw", "equations", "linearise", "equilibrium", "dynamics", "analytical",
                     "bond_graph", "report")
    },
}  # fmt: skip
PREFIXES = ("add_", "new_", "create_", "make_", "get_", "set_", "compute_")

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that a name may have been meant to be, the likeliest first; none where nothing is near.

    Of a dotted name, "arm.v", the last part is compared: it may be "arm.twist".
    """
    names = list(dict.fromkeys(known))
    head, dot, tail = name.rpartition(".")
    words = [tail, *(tail.removeprefix(start) for start in PREFIXES if tail.startswith(start))]
    there = set(names)
    found = [head + dot + word for word in words[1:] if head + dot + word in there]
    for word in words:
        plain = word.replace("_", "").replace(" ", "")
        for own, *others in ALIKE:
            if head + dot + own in there and (plain in others or plain.lower() in others):
                found.append(head + dot + own)
    lower = {known.lower(): known for known in reversed(names)}
    found += [lower[near] for near in difflib.get_close_matches(name.lower(), lower, n=most)]
    return [one for one in dict.fromkeys(found) if one != name][:most]


def hint_of(name: str, known: Iterable[str], otherwise: str = "Known") -> str:
    """ "Did you mean …?", or all that is known."""
    names = sorted(set(known))
    near = nearest(name, names)
    if near:
        return f"Did you mean {' or '.join(repr(one) for one in near)}?"
    return f"{otherwise}: {', '.join(names) or 'none'}."


def helpful(function: F) -> F:
    """The same function, whose arguments are explained where a call does not fit them; of a class, those of its values.

    A call that fits costs nothing more. Only an error of the call itself is changed, none from inside.
    """
    if isinstance(function, type):
        made: Any = function
        made.__init__ = helpful(made.__init__)
        return function

    @functools.wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as cause:
            if cause.__traceback__ is None or cause.__traceback__.tb_next is not None:
                raise
            error = _misfit(function, arguments, keywords, cause)
        raise error

    return called  # type: ignore[return-value]


def _misfit(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], cause: TypeError
) -> ArgumentError:
    """What is wrong with the arguments of a call."""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    bound = len(arguments) - ("self" in inspect.signature(function).parameters)
    called = f"{function.__name__.replace('__init__', function.__qualname__.partition('.')[0])}()"
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    names = [each.name for each in named]
    unknown = [word for word in keywords if word not in names]
    listed = f"Its arguments: {', '.join(names)}."
    if unknown:
        open_names = [word for word in names if word not in keywords]
        near = nearest(unknown[0], open_names)
        hint = f" Did you mean {' or '.join(repr(one) for one in near)}?" if near else ""
        return ArgumentError(f"{called} has no argument {unknown[0]!r}.{hint}\n{listed}")
    given = {*names[:bound], *keywords}
    missing = [each.name for each in named if each.default is each.empty and each.name not in given]
    if missing:
        return ArgumentError(f"{called} needs {' and '.join(repr(name) for name in missing)}.\n{listed}")
    places = [each.name for each in named if each.kind is each.POSITIONAL_OR_KEYWORD]
    if bound > len(places):
        keyed = [name for name in names if name not in places]
        others = f", and {', '.join(keyed)} by name" if keyed else ""
        takes = f"{', '.join(places) or 'none'} by place{others}"
        return ArgumentError(f"{called} got {bound} arguments by place: it takes {takes}.")
    return ArgumentError(f"{called}: {cause}.")


class _Nothing:
    """What has no attributes that could be suggested."""

    def __dir__(self) -> Iterable[str]:
        return ()


def missing_attribute(text: str, name: str) -> AttributeError:
    """An error whose own suggestion is the only one: Python adds those of the object that it names."""
    return AttributeError(text, name=name, obj=_Nothing())


def suggesting(cls: C) -> C:
    """A class whose public methods are `helpful`, and whose missing attributes come with the nearest ones.

    An object that answers to names, run["energy"], says so where one is asked for as an attribute.
    """
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, helpful(member))

    def missing(self: Any, name: str) -> Any:
        if name.startswith("__") or hasattr(cls, name):
            return object.__getattribute__(self, name)  # its own error
        if vars(self) and not name.startswith("_") and hasattr(cls, "__contains__") and name in self:
            raise missing_attribute(f"{cls.__name__} has no attribute {name!r}: it is a result, run[{name!r}].", name)
        if name in ELSEWHERE:
            raise missing_attribute(
                f"{cls.__name__} has no attribute {name!r}: vv.{ELSEWHERE[name]}(...) makes it.", name
            )
        known = {word for word in (*dir(cls), *vars(self)) if not word.startswith("_")}
        raise missing_attribute(f"{cls.__name__} has no attribute {name!r}. {hint_of(name, known, 'It has')}", name)

    cls.__getattr__ = missing  # type: ignore[attr-defined]
    return cls

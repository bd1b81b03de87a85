"""Numbers, vectors and poses in the attributes of elements, checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.robots.markup import Element, shortened

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
DEGREES = 10.0  # [rad]: no file turns a frame by more, but those in degrees do
NEAR = 0.72  # likeness of a word to another that it was meant to be


def text_of(element: Element, attribute: str) -> str:
    """An attribute that must be there and say something."""
    value = element.attributes.get(attribute)
    if value is None:
        raise ModelError(f'{element} has no attribute {attribute}: write {attribute}="…".')
    if not value.strip():
        raise ModelError(f"the attribute {attribute} of {element} is empty.")
    return value.strip()


def numbers_of(element: Element, attribute: str, count: int) -> Array:
    """As many finite numbers, separated by blanks."""
    text = text_of(element, attribute)
    words, what = text.split(), f'{attribute}="{shortened(text)}" of {element}'
    if len(words) != count:
        wanted = "one number" if count == 1 else f"{count} numbers, separated by blanks"
        raise ModelError(f"{what} must be {wanted}.")
    found = np.empty(count)
    for k, word in enumerate(words):
        if not NUMBER.fullmatch(word):
            if NOT_FINITE.fullmatch(word):
                raise ModelError(f"{what} is not finite. Give a number, or leave out what has no bound.")
            hint = " Macros are to be expanded first: run xacro." if "$" in text else ""
            raise ModelError(f"{what} must be numbers with a decimal point, such as 0.5 or 1e-3.{hint}")
        found[k] = float(word)
    if not np.isfinite(found).all():
        raise ModelError(f"{what} is too large for a number: it must be finite.")
    return found


def number_of(element: Element, attribute: str, default: float | None = None, *, minimum: float | None = None) -> float:
    """One finite number; the default where the attribute is missing, an error where there is no default."""
    if default is not None and attribute not in element.attributes:
        return default
    value = float(numbers_of(element, attribute, 1)[0])
    if minimum is not None and value < minimum:
        raise ModelError(f"{attribute} of {element} is {value:g}: it must be at least {minimum:g}.")
    return value


def optional_number(element: Element, attribute: str, *, minimum: float | None = None) -> float | None:
    """One finite number, None where the attribute is missing."""
    return None if attribute not in element.attributes else number_of(element, attribute, minimum=minimum)


def rotation_of(roll: float, pitch: float, yaw: float) -> Array:
    """R = R_z(yaw) R_y(pitch) R_x(roll): about the fixed axes x, then y, then z."""
    (a, b, c), (s, p, w) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    return np.array(
        [
            [c * b, c * p * s - w * a, c * p * a + w * s],
            [w * b, w * p * s + c * a, w * p * a - c * s],
            [-p, b * s, b * a],
        ]
    )


def origin_of(element: Element, words: Words) -> SE3:
    """The pose of its <origin>; the identity where there is none."""
    origin = element.one("origin")
    if origin is None:
        return SE3.identity()
    words.check(origin, ("xyz", "rpy", "quat_xyzw"), ())
    r = numbers_of(origin, "xyz", 3) if "xyz" in origin.attributes else np.zeros(3)
    if "quat_xyzw" in origin.attributes:
        if "rpy" in origin.attributes:
            raise ModelError(f"{origin} has both rpy and quat_xyzw: give one of them.")
        return SE3(SO3.from_quat(numbers_of(origin, "quat_xyzw", 4)[[3, 0, 1, 2]], f"quat_xyzw of {origin}").R, r)
    rpy = numbers_of(origin, "rpy", 3) if "rpy" in origin.attributes else np.zeros(3)
    if np.abs(rpy).max() > DEGREES:
        raise ModelError(
            f'rpy="{origin.attributes["rpy"]}" of {origin} turns by more than {DEGREES:g} rad.\n'
            "Angles of a URDF are in radians: these seem to be degrees."
        )
    return SE3(rotation_of(*rpy.tolist()), r)


@final
class Words:
    """What a file says beyond what is read: a word that is nearly a known one is an error, others are counted."""

    def __init__(self) -> None:
        self.ignored: dict[str, int] = {}

    def check(self, element: Element, attributes: Iterable[str], children: Iterable[str]) -> None:
        """An error for a misspelt attribute or child of an element; what is merely unknown is noted."""
        for kind, known, found in (
            ("attribute", tuple(attributes), list(element.attributes)),
            ("element", tuple(children), [child.tag for child in element.children]),
        ):
            missing = [word for word in known if word not in found]
            for word in found:
                if word in known or word.partition(":")[0] == "xmlns":
                    continue
                if word.partition(":")[0] == "xacro":
                    raise ModelError(
                        f"{element} has the macro {shortened(word)!r}. It is to be expanded first: run\n"
                        "xacro robot.xacro > robot.urdf, and read that."
                    )
                near = difflib.get_close_matches(word.lower(), missing, n=1, cutoff=NEAR)
                if near:
                    raise ModelError(f"{element} has no {kind} {shortened(word)!r}. Did you mean {near[0]!r}?")
                shown = f"<{shortened(word)}>" if kind == "element" else f"{shortened(word)} of <{element.tag}>"
                self.ignored[shown] = self.ignored.get(shown, 0) + 1

    def skip(self, element: Element, tag: str) -> None:
        """Count children that are known and not read."""
        count = len(element.all(tag))
        if count:
            self.ignored[f"<{tag}>"] = self.ignored.get(f"<{tag}>", 0) + count

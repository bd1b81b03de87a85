"""Functions that only compute are told from others by their code, and are run on copies of what is around them."""

import math
from functools import partial

import numpy as np
import pytest

from visviva.language.pure import on_copies, read_around
from visviva.language.trace import UntraceableError

NUMBERS = [1.0, 2.0]
STATE = {"n": 0}


def plain(x, k=2.0):
    return {name: k * x + math.sin(a) for name, a in zip("ab", NUMBERS, strict=True)}


def test_what_is_around_a_function_is_seen_to_change():
    gain, table = np.array([1.0, 2.0]), {"a": (1, 2)}

    def law(x):
        return plain(x) if table["a"][0] else gain[0] * x

    before = read_around(law)
    assert before == read_around(law)
    for change in (lambda: gain.put(0, 3.0), lambda: table.update(a=(1, 3)), lambda: NUMBERS.append(3.0)):
        change()
        assert read_around(law) != before
        before = read_around(law)
    NUMBERS.pop()
    assert read_around(partial(plain, k=1.0)) != read_around(partial(plain, k=2.0))


def appends(x):
    NUMBERS.append(x)


def assigns(x):
    STATE["n"] = STATE["n"] + 1
    return x


def sets(x):
    global NUMBERS
    NUMBERS = [x]


def imports(x):
    import random

    return random.random()


def catches(x):
    try:
        return x
    except TypeError:
        return 0.0


def opens(x):
    return open(x)


def yields(x):
    yield x


class Counter:
    n = 0

    def __call__(self, x):
        self.n += 1
        return x

    def law(self, x):
        return x


def calls_an_object(x, counter=Counter()):  # noqa: B008
    return counter(x)


def builds_an_attribute(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (appends, "append"), (sets, "global"), (imports, "import"), (catches, "catches"), (opens, "open"),
        (yields, "yields"), (Counter(), "Counter"), (Counter().law, "law"), (calls_an_object, "Counter"),
        (builds_an_attribute, "flags"), (print, "print"), (lambda x: STATE.get(x), "get"), (max, "max"),
    ],
)  # fmt: skip
def test_a_function_that_may_do_more_is_refused_before_it_is_run(function, why):
    with pytest.raises(UntraceableError, match=why):
        read_around(function)


def test_what_a_function_stores_is_stored_in_copies():
    before = read_around(assigns)
    copied = on_copies(assigns)
    copied(1.0)
    assert STATE == {"n": 0}
    assert read_around(assigns) == before
    assert read_around(copied) != before


def test_functions_that_call_each_other_are_copied_once():
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    assert read_around(even)
    assert on_copies(even)(10) is True
    assert on_copies(even)(7) is False


def test_a_variable_without_a_value_is_named():
    def law(x):
        return later * x

    with pytest.raises(UntraceableError, match="later"):
        read_around(law)
    later = 2.0
    assert on_copies(law)(1.5) == 3.0

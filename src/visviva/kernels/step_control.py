"""Lengths of steps by their estimated errors: what NumPy and compiled code have in common.

With the error e of a step in units of the tolerance, the step is kept where e ≤ 1, and the next one is

    SAFETY e^(0.75 MEMORY - 1/8) e_before^MEMORY

times as long, within LEAST and MOST, and not longer after one that was refused. A step that is refused is made again,
max(LEAST, SAFETY e^(-1/8)) times as long, or FAILED times where its rates are not finite.
Source: the PI controller of Hairer, Wanner (1996), section IV.2, and Gustafsson (1991), ACM TOMS 17, 533-554.
"""

from __future__ import annotations

SAFETY = 0.9
LEAST, MOST = 1.0 / 3.0, 6.0  # by how much the length of a step changes at a time
MEMORY = 0.04  # weight of the error before in the next length: the PI controller's β
FAILED = 0.25  # of the length of a step whose rates are not finite
SHORTEST = 1e-9  # of the longest step

"""A snakeboard gets going by twisting: all of its kinetic energy and heat is work of its own motors."""

import visviva as vv
from visviva.demo import gait, snakeboard

run = vv.simulate(snakeboard(), t_end=6.0, h=0.01, inputs=gait())

gone = run["board.r"][-1, 0]
books = run["energy"][-1] - run["energy"][0] + run["heat"][-1] - run["work"][-1]
assert gone > 1.0
assert abs(books) < 1e-12 * run.energy_scale
print(f"it rolled {gone:.2f} m; work {run['work'][-1]:.3f} J less heat and energy leaves {abs(books):.0e} J")

"""Compiled dynamics of trees in minimal velocities: forward, inverse, derivatives, and loops over time."""

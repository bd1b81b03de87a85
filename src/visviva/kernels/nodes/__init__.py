"""Mechanisms at one instant: joints as rows over velocities, the nearest motion that satisfies them, what is read."""

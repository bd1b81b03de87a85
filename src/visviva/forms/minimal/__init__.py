"""Mechanisms in minimal velocities, on a spanning tree of their joints."""

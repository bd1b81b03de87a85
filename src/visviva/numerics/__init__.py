"""Numerical decisions that the whole package takes in one way: rank, constrained solves, spanning trees, step sizes."""

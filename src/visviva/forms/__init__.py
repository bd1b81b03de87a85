"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

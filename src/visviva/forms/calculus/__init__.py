"""Redundant coordinates with minimal velocities: parameterisations, and calculus on them."""

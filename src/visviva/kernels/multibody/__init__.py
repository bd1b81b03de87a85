"""Compiled steps of mechanisms: six unknowns per body, rows of joints, springs, and two ways of elimination."""

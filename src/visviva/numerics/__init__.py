"""Numerical decisions that the whole package takes in one way.

rank           how many rows say something of their own, and which
nullspace      what rows leave, and motions by some of their columns
constrained    M a + Zᵀw = b, Z a = z; the least change in a metric
projection     the nearest point with g(q) = 0, the nearest velocities with Z v = 0
convergence    when an iteration of Newton's has done what it can;   levenberg: the same with damped steps
saddle         the constrained solve with sparse rows of many bodies;   saddle_series: many of one pattern
spanning_trees what hangs on what, and which edges close loops;   step_control: lengths of steps
"""

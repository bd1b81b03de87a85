"""Compiled code: functions on flat arrays in the subset that Numba compiles, and what prepares their arrays.

They are shipped as object code (`shipped`), or compiled when they are first called (`functions`, `jit`, `cache`); laws
are generated, and compiled by a front end of their own (`laws`, `direct`). Numba is imported by `jit` alone.
"""

"""Compiled code: Numba functions on flat arrays, and the analysis that prepares their arrays.

Numba is imported when the first module of this folder is, so upper layers import these modules where they need them.
"""

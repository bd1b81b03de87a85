"""Kernels that are compiled ahead of time, as object code in this folder: what they are, how they are called, made.

The first run of a machine needs no compiler with them, and Numba is not even imported. They are used only where they
are exactly what would be compiled: the sources of all kernels have a digest, so have the objects, and an entry takes
arguments of one layout. In any other case Numba compiles as if they were not there.
"""

"""Compiled code: Numba functions on flat arrays, and the analysis that prepares their arrays.

Numba is imported when the first module of this folder with such functions is, so upper layers import these modules
where they need them. Generated laws, files of the cache and object code (`laws`, `direct`, `signatures`, `files`,
`object_code`) do without it.
"""

"""Generated laws from their syntax trees straight to machine code, by LLVM alone.

A compiler of the part of Python that laws and the functions of `kernels.elementary` are written in: whole numbers,
floats, pointers to both, loops over ranges, branches. What it makes has the bits of what Numba makes, in a tenth of the
time: types follow from the arguments, and nothing of Python is wrapped around the code.

    writer       lines of LLVM's language: values, variables, blocks
    operations   arithmetic and functions of `math`, each as Numba has them
    translation  statements and expressions of a syntax tree
    module       laws with the functions they call
    emission     the text of a module optimised, as an object file
"""

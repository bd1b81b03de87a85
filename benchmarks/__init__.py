"""Speed against peers, measured in one run: CPU time of the thread, minima of interleaved repeats, one BLAS thread."""

import os

# Before NumPy is imported: with two threads on busy cores, dense solves of this size take up to ten times as long.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

"""`make kernels`: the kernels of all samples, compiled ahead of time for every level of processors.

    python -m visviva.cli.ship [folder]

Nothing is taken from the cache, so that the same sources and versions give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from visviva.kernels.shipped.load import FOLDER

COMPILED_FOR = "x86-64-v3"  # by Numba; LLVM makes of it what is best for each level
SECOND = "VISVIVA_SHIPPING"  # set in the process that compiles


def ship(folder: Path) -> None:
    """Write objects and manifest anew, in a process of its own."""
    for path in (*folder.glob("*.o.xz"), *folder.glob("manifest.json")):
        path.unlink()
    with tempfile.TemporaryDirectory() as cache:
        settings = {
            "NUMBA_CPU_NAME": COMPILED_FOR, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0",
            "VISVIVA_SHIPPED": "0", "VISVIVA_CACHE_DIR": cache, SECOND: "1",
        }  # fmt: skip
        command = [sys.executable, "-m", "visviva.cli.ship", str(folder)]
        subprocess.run(command, env=os.environ | settings, check=True)


def compile_samples(folder: Path) -> None:
    """Run all samples while Numba compiles, and write the objects of what they have called."""
    from visviva.cli.kernel_samples import KERNELS
    from visviva.cli.precompile import compile_laws
    from visviva.cli.samples import DOMAINS
    from visviva.kernels.shipped.build import Objects, Recording, write

    recording = Recording()
    for systems in DOMAINS.values():
        compile_laws(systems())
    for name, run in KERNELS.items():
        began = time.process_time()
        run()
        print(f"{name:<44}{time.process_time() - began:6.1f} s", flush=True)
    began = time.process_time()
    objects = Objects(recording)
    sizes = write(objects, folder)
    entries, spent = sum(map(len, objects.entries.values())), time.process_time() - began
    print(f"{entries} entries and {len(objects.functions)} functions, optimised and written in {spent:.1f} s")
    for level, size in sizes.items():
        print(f"{level}: {size / 1e3:.0f} kB")


if __name__ == "__main__":
    wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    (compile_samples if os.environ.get(SECOND) else ship)(wanted)

"""`make kernels`: the kernels of all samples, compiled ahead of time for every level of processors.

    python -m visviva.cli.ship [folder]

Each level has a process of its own, because Numba takes the processor from the environment. Nothing is taken from the
cache, so that the same sources and versions give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from visviva.kernels.shipped.load import FOLDER, LEVELS


def ship(folder: Path) -> None:
    """Write objects and manifest anew."""
    for path in (*folder.glob("*.o.xz"), *folder.glob("manifest.json")):
        path.unlink()
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as cache:
            settings = {
                "NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "VISVIVA_SHIPPED": "0", "VISVIVA_CACHE_DIR": cache,
                "PYTHONHASHSEED": "0",
            }  # fmt: skip
            subprocess.run(
                [sys.executable, "-m", "visviva.cli.ship", str(folder), level], env=os.environ | settings, check=True
            )


def ship_level(folder: Path, level: str) -> None:
    """Run all samples while Numba compiles for one level, and write the object of what they have called."""
    from visviva.cli.kernel_samples import KERNELS
    from visviva.kernels.shipped.build import Objects, Recording, write

    recording = Recording()
    for name, run in KERNELS.items():
        began = time.process_time()
        run()
        print(f"{level}: {name:<44}{time.process_time() - began:6.1f} s", flush=True)
    began = time.process_time()
    objects = Objects(recording)
    size = write(objects, level, folder)
    entries = sum(map(len, objects.entries.values()))
    print(
        f"{level}: {entries} entries, {len(objects.functions)} functions, {size / 1e3:.0f} kB in "
        f"{time.process_time() - began:.1f} s",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        ship_level(Path(sys.argv[1]), sys.argv[2])
    else:
        ship(Path(sys.argv[1]) if len(sys.argv) == 2 else FOLDER)

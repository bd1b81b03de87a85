from __future__ import annotations

import subprocess
import sys


def test_geometry_and_its_checkers_are_imported_with_numpy_alone():
    code = "import visviva.geometry, visviva.testing, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

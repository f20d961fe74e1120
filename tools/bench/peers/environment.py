# SPDX-License-Identifier: Apache-2.0
"""The interpreter that has the peers: a virtual environment with numpy 2 and scikit-image of today from PyPI,
made once."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def in_virtual_environment(build, folder=None):
    """Runs this program again under an interpreter that has the peers, unless it runs there already."""
    made = folder is None
    folder = os.path.abspath(folder or os.path.join(build, "bench-venv"))
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    python = os.path.join(folder, "bin", "python3")
    if made and not os.path.exists(os.path.join(folder, "complete")):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy>=2", "scikit-image"], check=True)
        open(os.path.join(folder, "complete"), "w").close()
    sys.stdout.flush()
    os.execv(python, [python, os.path.dirname(os.path.abspath(__file__))] + sys.argv[1:])

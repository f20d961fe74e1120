# SPDX-License-Identifier: Apache-2.0
"""The libraries that tests compare tegu with (peers.txt): those of the interpreter at hand if it has them,
else pinned ones from PyPI in a folder of the build, venv-peers, that the first test makes. Offline, or where
PyPI has no wheels for this Python, a test goes on with what there is, and skips what it cannot ask.

Builds with a sanitizer make no such folder: the same comparisons run without one."""

import fcntl
import importlib.util
import os
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.txt")


def go_on_with(*modules):
    """Returns if all modules can be imported, or nobody can provide them. Else starts this script again with
    an interpreter that has them."""
    build = os.environ.get("TEGU_BUILD_DIR")
    here = all(importlib.util.find_spec(module) is not None for module in modules)
    if here or not build or os.environ.get("TEGU_SANITIZE") or "TEGU_PEERS" in os.environ:
        return
    python = _python_of(os.path.join(build, "venv-peers"))
    if python is not None:
        sys.stdout.flush()
        os.execve(python, [python] + sys.argv, dict(os.environ, TEGU_PEERS=python))


def _python_of(venv):
    """The interpreter of an environment with peers.txt, made if need be; None if it cannot be."""
    with open(LIST) as file:
        wanted = file.read()
    python, made = os.path.join(venv, "bin", "python3"), os.path.join(venv, "made-of.txt")
    with open(venv + ".lock", "w") as lock:  # tests run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(made):
            with open(made) as file:
                if file.read() == wanted:
                    return python
        commands = (
            [sys.executable, "-m", "venv", "--clear", venv],
            [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--retries",
                "1",
                "--timeout",
                "10",
                "--only-binary",
                ":all:",
                "-r",
                LIST,
            ],
        )
        for command in commands:
            if subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) != 0:
                return None
        with open(made, "w") as file:
            file.write(wanted)
    return python

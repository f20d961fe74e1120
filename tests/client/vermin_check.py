#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package needs no more than Python 3.6: it is of that grammar, and vermin finds nothing newer in
the library: the one installed, or one from PyPI in a folder of the build; skipped where there is neither."""

import ast
import os
import subprocess
import sys

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "client", "python")
SKIPPED = 77


def python_with_vermin():
    """An interpreter that can import vermin, or None."""
    venv = os.path.join(os.environ["TEGU_BUILD_DIR"], "venv-vermin")
    python = os.path.join(venv, "bin", "python3")
    for candidate in (sys.executable, python):
        if (
            os.path.exists(candidate)
            and subprocess.call([candidate, "-c", "import vermin"], stderr=subprocess.DEVNULL) == 0
        ):
            return candidate
    made = (
        subprocess.call(
            [sys.executable, "-m", "venv", venv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        == 0
        and subprocess.call(
            [python, "-m", "pip", "install", "--quiet", "vermin==1.6.0"], stderr=subprocess.DEVNULL
        )
        == 0
    )
    return python if made else None


def check_grammar():
    """Parses every file as Python 3.6 does, as far as this Python can."""
    options = {"feature_version": (3, 6)} if sys.version_info >= (3, 8) else {}
    for folder, _, files in os.walk(PACKAGE):
        for name in files:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    ast.parse(file.read(), os.path.join(folder, name), **options)


check_grammar()
interpreter = python_with_vermin()
if interpreter is None:
    print("skipped: vermin is not installed and cannot be fetched")
    sys.exit(SKIPPED)
sys.exit(
    subprocess.call(
        [interpreter, "-c", "import vermin; vermin.main()", "--no-tips", "--violations", "-t=3.6-", PACKAGE]
    )
)

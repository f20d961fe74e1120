# SPDX-License-Identifier: Apache-2.0
"""The version: of the project, as its CMakeLists.txt says. Building a wheel puts the answer in the place of
this file, which has a checkout around it."""

import os
import re

from . import _abi


def _of_checkout() -> str:
    try:
        with open(os.path.join(_abi.checkout(), "CMakeLists.txt"), encoding="utf-8") as file:
            found = re.search(r"^project\(tegu VERSION ([\d.]+)", file.read(), re.M)
    except OSError:
        found = None
    return found.group(1) if found else "0+unknown"


__version__ = _of_checkout()

# SPDX-License-Identifier: Apache-2.0
"""One module for each operation: the class Parameters, and a function named after the operation, which is a
method of Client and of client.submit."""

import importlib

from .. import _abi

MODULES = {name: importlib.import_module("." + name, __name__) for name in _abi.OPERATIONS}

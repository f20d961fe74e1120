# SPDX-License-Identifier: Apache-2.0
"""One module for each operation: the class Parameters, and a function named after the operation, which is a
method of Client, of client.submit and of aio.Client: _calls.py."""

import importlib
from typing import Any, Dict

from .. import _abi

MODULES: Dict[str, Any] = {name: importlib.import_module("." + name, __name__) for name in _abi.OPERATIONS}

# SPDX-License-Identifier: Apache-2.0
"""python3 tegu_compare FILE...: the package without its starter."""

import os
import sys

if not __package__:  # started by its path
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tegu_compare.cli import main  # noqa: E402

sys.exit(main())

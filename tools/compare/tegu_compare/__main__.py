# SPDX-License-Identifier: Apache-2.0
"""python3 tegu_compare FILE...: the program by its folder, as `tegu-bench compare` starts it."""

import os
import sys

if sys.version_info < (3, 9):
    sys.exit("tegu-bench compare: needs Python 3.9, this is %d.%d" % sys.version_info[:2])
sys.dont_write_bytecode = True  # nothing is left in the folder where it is installed
if not __package__:  # by its folder: the modules here must not stand before those of Python
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
from tegu_compare.cli import main  # noqa: E402

sys.exit(main())

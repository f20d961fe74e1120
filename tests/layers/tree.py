# SPDX-License-Identifier: Apache-2.0
"""The files of this repository, for the checks of the house."""

import os
import re

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_OURS = {"build", "__pycache__"}


def source_files(pattern):
    """Sorted paths, relative to SOURCE, that match the pattern. Build folders and hidden ones are left out.
    The walk needs no git, so it works in an unpacked archive."""
    found = []
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.startswith(".")]
        paths = [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names]
        found += [path for path in paths if re.search(pattern, path)]
    if len(found) < 100:
        raise SystemExit("only %d files match %s: this is not the tree of this check" % (len(found), pattern))
    return sorted(found)


def lines_of(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read().splitlines()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++, CUDA and C file is laid out as clang-format does it. Other versions lay out some lines
differently, so the check needs the version of Debian 12 and is skipped without it."""

import re
import shutil
import subprocess
import sys

from tree import SOURCE, source_files

VERSION = 14
SKIPPED = 77


def formatter():
    """The program, or None if there is none of VERSION."""
    for name in ("clang-format-%d" % VERSION, "clang-format"):
        path = shutil.which(name)
        if path:
            text = subprocess.run([path, "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout
            found = re.search(r"version (\d+)", text)
            if found and int(found.group(1)) == VERSION:
                return path
    return None


def main():
    program = formatter()
    if program is None:
        print("clang-format %d is not installed" % VERSION)
        return SKIPPED
    files = source_files(r"\.(c|h|hpp|cpp|cu|cuh)$")
    return subprocess.run([program, "--dry-run", "-Werror"] + files, cwd=SOURCE).returncode


if __name__ == "__main__":
    sys.exit(main())

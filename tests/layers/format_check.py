#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C++ text of some folders is what clang-format makes of it. Another version of clang-format lays out
some lines otherwise, so only the one of Debian 12 judges, and where it is not installed the check is skipped.
The other folders, and a few headers of these, have tables and comments that are aligned by hand, which
clang-format would tear apart: there the style is a habit, not a test."""

import glob
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("config", "daemon", "wire", "client", "tools")  # and those of tests that mirror them
BY_HAND = ("client/tegu.h", "tools/bench/gpu/", "wire/messages.h", "wire/protocol.h")
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
    by_hand = tuple(os.path.join(SOURCE, path) for path in BY_HAND)
    files = [
        path
        for top in ("", "tests")
        for folder in FOLDERS
        for kind in ("h", "hpp", "cpp")
        for path in glob.glob(os.path.join(SOURCE, top, folder, "**", "*." + kind), recursive=True)
        if not path.startswith(by_hand)
    ]
    if len(files) < 250:
        sys.exit("only %d files were found: the folders are not those of this check any more" % len(files))
    return subprocess.run([program, "--dry-run", "-Werror"] + sorted(files)).returncode


if __name__ == "__main__":
    sys.exit(main())

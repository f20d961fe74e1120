#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every Python file is laid out as ruff does it and passes its lint; ruff.toml has the rules. The version of
ruff is that of tests/peers.txt: the check is skipped where it cannot be had."""

import importlib.util
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import peers  # noqa: E402

SKIPPED = 77
RUFF = [sys.executable, "-m", "ruff"]


def wanted_version():
    with open(peers.LIST) as file:
        return re.search(r"^ruff==(\S+)$", file.read(), re.M).group(1)


def main():
    peers.go_on_with("ruff")
    if importlib.util.find_spec("ruff") is None:
        print("ruff is not installed and could not be fetched")
        return SKIPPED
    version = subprocess.run(RUFF + ["--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    if version.split()[-1:] != [wanted_version()]:
        print("the ruff here is %s, not %s" % (version.strip(), wanted_version()))
        return SKIPPED
    commands = (["format", "--check", "--no-cache", SOURCE], ["check", "--no-cache", SOURCE])
    return max([subprocess.run(RUFF + command).returncode for command in commands])


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzzers of health, tests/data/corpus/{health,board}, from the boards in
tests/data/boards. How it is called: tests/seeds.py."""

import os
import posixpath
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import seeds  # noqa: E402

BOARDS = os.path.join(seeds.ROOT, "tests", "data", "boards")
SAMPLES = (  # of each parser, in the order of fuzz_health.cpp
    b"53968\n",
    b"48500\n",
    b"32760 ma\n",
    b"schedutil\n",
    b"# R36 (release), REVISION: 4.4, GCID: 41062509, BOARD: generic, EABI: aarch64, DATE: x\n",
    b"pmode:0002 fmode:fan_mode_quiet\n",
    b"# modes\n< POWER_MODEL ID=0 NAME=MAXN >\nCPU_ONLINE CORE_0 1\n< POWER_MODEL ID=3 NAME=20W >\n",
    b"nvidia,p3767\0nvidia,tegra234\0nvidia,tegra23x\0",
    b"0-3,5\n",
    b"cpu  1 1 1 1\ncpu0 10 1 5 100 20 1 2 3 4 5\ncpu12 1 0 0 9\n",
    b"MemTotal:        4059412 kB\nSwapCached: 7 kB\n",
    b"some avg10=1.25 avg60=0.33 avg300=0.05 total=12345\nfull avg10=0.50 avg60=0.10 avg300=0.01 "
    b"total=2345\n",
)


def expanded(lines):
    """The files of a tree, links replaced by what they lead to: path -> content as it is written there."""
    plain, links = {}, []
    for line in lines:
        if " -> " in line:
            path, target = line.split(" -> ", 1)
            links.append((path, posixpath.normpath(posixpath.join(posixpath.dirname(path), target))))
        elif "\t" in line:
            path, content = line.split("\t", 1)
            plain[path] = content if content.endswith("\\0") or not content else content + "\\n"
    for path, target in links:
        for name in list(plain):
            if name == target or name.startswith(target + "/"):
                plain[path + name[len(target) :]] = plain[name]
    return plain


def tree_seed(board):
    with open(os.path.join(BOARDS, board + ".tree"), encoding="utf-8") as tree:
        lines = [line for line in tree.read().split("\n") if line and not line.startswith("#")]
    later = lines.index("@later") if "@later" in lines else len(lines)
    parts = [expanded(part) for part in (lines[:later], lines[later + 1 :])]
    return "@\n".join("".join("%s\t%s\n" % item for item in part.items()) for part in parts).encode()


def files():
    """Relative path -> content."""
    wanted = {"health/%02d" % i: bytes([i]) + sample for i, sample in enumerate(SAMPLES)}
    for board in ("nano", "tx2", "xavier-nx", "orin-nano", "agx-orin", "thor", "pc"):
        wanted["board/" + board] = tree_seed(board)
    return wanted


if __name__ == "__main__":
    seeds.main(files())

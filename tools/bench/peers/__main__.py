#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tegu beside its peers (numpy 2, scikit-image, Redis) against its goals, and writes a report.

Peer and tegu take turns, round by round, on the same machine in the same run; a ratio is taken within a
round, so that both sides see the same moods of the machine, and the report gives the median of the ratios
with its noise. numpy and scikit-image come from PyPI into a virtual environment under the build folder; Redis
is the system's redis-server on a Unix socket in a temporary folder.

usage: python3 tools/bench/peers [--build build/release] [--rounds 5] [--only SECTION,...] [--output FILE.md]
[--json FILE]"""

import argparse
import importlib
import os
import sys
import time

from environment import ROOT, in_virtual_environment
from report import Report
from tegu import Tegu

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sections")
SECTIONS = sorted(name[: -len(".py")] for name in os.listdir(FOLDER) if name.endswith(".py"))


def options_of(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="peers"
    )
    parser.add_argument(
        "--build", default=os.path.join(ROOT, "build", "release"), help="the build folder with bin/tegu-bench"
    )
    parser.add_argument(
        "--venv", help="an environment with numpy 2 and scikit-image; default: bench-venv in the build folder"
    )
    parser.add_argument("--rounds", type=int, default=5, help="of most pairs; slow ones get fewer")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default=",".join(SECTIONS), help="some of: " + ",".join(SECTIONS))
    parser.add_argument(
        "--cases", action="store_true", help="append the table of every case of tegu-bench: a minute more"
    )
    parser.add_argument("--quick", action="store_true", help="one short round of each: to see that all work")
    parser.add_argument("--output", help="the report, as Markdown; default: standard output")
    parser.add_argument("--json", help="the figures, for programs")
    options = parser.parse_args(arguments)
    unknown = set(options.only.split(",")) - set(SECTIONS)
    if unknown:
        parser.error(
            "--only: there is no section %s (allowed: %s)" % (", ".join(sorted(unknown)), ", ".join(SECTIONS))
        )
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads must be at least 1")
    if options.quick:
        options.rounds = 1
    return options


def main():
    options = options_of(sys.argv[1:])
    in_virtual_environment(options.build, options.venv)
    began, load = time.time(), os.getloadavg()[0]
    tegu = Tegu(options.build, options.threads, options.quick)
    report = Report(tegu, options.rounds)
    for name in SECTIONS:
        if name in options.only.split(","):
            importlib.import_module("sections." + name).measure(report)
    report.finish(" ".join(["tools/bench/peers"] + sys.argv[1:]), load, time.time() - began, options.cases)
    text = report.markdown()
    if options.output:
        with open(options.output, "w", encoding="utf-8") as out:
            out.write(text)
    else:
        print(text)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            out.write(report.json())


if __name__ == "__main__":
    main()

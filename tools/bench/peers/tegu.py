# SPDX-License-Identifier: Apache-2.0
"""tegu-bench as a function: names of cases in, figures out."""

import json
import os
import re
import subprocess
import sys


class Tegu:
    def __init__(self, build, threads, quick=False):
        self.program = os.path.join(build, "bin", "tegu-bench")
        self.threads, self.quick = threads, quick
        if not os.path.exists(self.program):
            sys.exit("peers: %s is missing: scripts/build.sh release" % self.program)

    def run(self, *arguments):
        pace = ["--quick"] if self.quick else []
        return subprocess.run(
            [self.program, "--threads", str(self.threads)] + pace + list(arguments),
            check=True,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        ).stdout

    def report(self, names, seconds):
        """The whole report of tegu-bench for cases of the given names."""
        pattern = "^(" + "|".join(re.escape(name).replace("\\-", "-") for name in names) + ")$"
        pace = [] if self.quick else ["--repetitions", "3", "--seconds", "%g" % seconds]
        return json.loads(self.run("--json", "--filter", pattern, *pace))

    def cases(self, names, threads=None, seconds=0.15):
        """Name -> figures of cases of the kernels, on all threads unless `threads` says how many."""
        suffix = "/threads=%d" % (threads or self.threads)
        found = {
            case["name"]: case for case in self.report([name + suffix for name in names], seconds)["cases"]
        }
        return {name: found[name + suffix] for name in names}

    def daemon_case(self, name):
        return self.report([name], 0.15)["cases"][0]

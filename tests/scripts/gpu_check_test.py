# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu-check.sh with stand-ins for the driver's tools, CTest, compute-sanitizer and the programs of a
build: what it runs, and what it reports."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

NVIDIA_SMI = """#!/bin/sh
case $1 in
-L) echo "GPU 0: Test Board (UUID: 1)" ;;
*) echo "Test Board, 580.1, 1000 MiB, 1000 MHz, 2000 MHz" ;;
esac
"""

# A program of GoogleTest, as far as the script looks at one.
PROGRAM = """#!/bin/sh
case "$*" in
*list_tests*) printf 'Sums.\\n  Slow\\n  Right\\n  Wrong\\n  NoGpu/0  # GetParam() = 1\\n' ;;
*Sums.Right) echo "elements $TEGU_TEST_ELEMENTS one in $TEGU_TEST_ONE_IN"; exit 0 ;;
*Sums.Wrong) echo "1 is not 2"; exit 1 ;;
*Sums.Slow) echo "[ RUN      ] Sums.Slow"; sleep 60 ;;
*Sums.NoGpu/0) printf 'a_test.cpp:1: Skipped\\nno memory\\n\\n[  SKIPPED ] Sums.NoGpu/0 (0 ms)\\n' ;;
*) exit 64 ;;
esac
"""

# memcheck finds nothing, racecheck a hazard, and synccheck says nothing.
SANITIZER = """#!/bin/sh
for program; do :; done
while [ "${1##*/}" != gpu_sums_test ]; do [ "$1" = --tool ] && tool=$2; shift; done
"$@" || exit $?
case $tool in
memcheck) echo "========= ERROR SUMMARY: 0 errors" ;;
racecheck)
    echo '========= Error: Race reported'
    echo '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)'
    exit 87 ;;
esac
"""

BENCH = """#!/bin/sh
echo "case of $2 takes 7 us"
"""


class Machine:
    """A folder with a build and a PATH of stand-ins."""

    def __init__(self, has_gpu=True):
        self.folder = tempfile.mkdtemp(prefix="tegu-gpu-check-")
        self.build = os.path.join(self.folder, "build")
        program = os.path.join(self.build, "tests", "gpu_sums_test")
        tests = [
            {
                "name": "gpu_sums_test",
                "command": [program],
                "properties": [{"name": "TIMEOUT", "value": 10.0}],
            },
            {"name": "gpu_script", "command": ["/bin/sh", "-c", "echo no peer; exit 77"], "properties": []},
        ]
        self.write("bin/ctest", "#!/bin/sh\ncat <<'END'\n" + json.dumps({"tests": tests}) + "\nEND\n")
        if has_gpu:
            self.write("bin/nvidia-smi", NVIDIA_SMI)
        else:
            self.write("bin/nvidia-smi", "#!/bin/sh\nexit 9\n")
        self.write("bin/compute-sanitizer", SANITIZER)
        self.write("build/tests/gpu_sums_test", PROGRAM)
        self.write("build/bin/tegu-bench-gpu", BENCH)
        self.write("build/bin/tegu-bench", "#!/bin/sh\necho no GPU for $1; exit 69\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)

    def check(self, *arguments):
        """(exit code, what it said, its report or None)"""
        report = os.path.join(self.folder, "report")
        environment = dict(os.environ, PATH=os.path.join(self.folder, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(
            [os.path.join(SOURCE, "scripts", "gpu-check.sh"), "--build", self.build, "--report", report]
            + list(arguments),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        path = os.path.join(report, "report.json")
        if not os.path.exists(path):
            return done.returncode, done.stdout.decode(), None
        with open(path) as source:
            return done.returncode, done.stdout.decode(), json.load(source)

    def close(self):
        shutil.rmtree(self.folder)


def states(rows):
    return {row["name"] + (" " + row["tool"] if "tool" in row else ""): row["state"] for row in rows}


class GpuCheck(unittest.TestCase):
    def machine(self, **options):
        machine = Machine(**options)
        self.addCleanup(machine.close)
        return machine

    def test_without_a_gpu_it_is_skipped(self):
        if os.path.exists("/dev/nvhost-gpu") or os.path.exists("/dev/nvgpu"):
            self.skipTest("a Jetson has a GPU")
        code, said, report = self.machine(has_gpu=False).check()
        self.assertEqual((77, None), (code, report))
        self.assertIn("SKIPPED", said)

    def test_every_state_of_a_test_is_reported(self):
        code, said, report = self.machine().check(
            "--sanitize", "none", "--bench", "none", "--jobs", "4", "--commit", "abc"
        )
        self.assertEqual(1, code, said)
        self.assertEqual(
            {
                "gpu_sums_test:Sums.Right": "passed",
                "gpu_sums_test:Sums.Wrong": "failed",
                "gpu_sums_test:Sums.Slow": "timeout",
                "gpu_sums_test:Sums.NoGpu/0": "skipped",
                "gpu_script": "skipped",
            },
            states(report["tests"]),
        )
        for text in (
            "NOT good",
            "1 is not 2",
            "Skipped (no memory)",
            "Skipped (no peer)",
            "Test Board",
            "580.1",
            "| commit | abc |",
        ):
            self.assertIn(text, said)

    def test_a_filter_chooses_tests(self):
        code, said, report = self.machine().check("--tests", "Right", "--sanitize", "none", "--bench", "none")
        self.assertEqual(0, code, said)
        self.assertEqual({"gpu_sums_test:Sums.Right": "passed"}, states(report["tests"]))
        self.assertIn("GPU check: good", said)

    def test_the_tools_run_small_tests(self):
        code, said, report = self.machine().check(
            "--tests",
            "none",
            "--sanitize-tests",
            "Right",
            "--bench",
            "none",
            "--elements",
            "11",
            "--sample",
            "3",
        )
        self.assertEqual(1, code)
        self.assertEqual(
            {
                "gpu_sums_test:Sums.Right memcheck": "clean",
                "gpu_sums_test:Sums.Right racecheck": "errors",
                "gpu_sums_test:Sums.Right initcheck": "failed",
                "gpu_sums_test:Sums.Right synccheck": "failed",
            },
            states(report["sanitizers"]),
        )
        self.assertIn("elements 11 one in 3", said)
        self.assertIn("Race reported", said)

    def test_a_tool_can_be_chosen(self):
        code, said, report = self.machine().check(
            "--tests", "Right", "--sanitize", "memcheck", "--bench", "none"
        )
        self.assertEqual(0, code, said)
        self.assertEqual({"gpu_sums_test:Sums.Right memcheck": "clean"}, states(report["sanitizers"]))
        code, said, report = self.machine().check("--sanitize", "magic")
        self.assertEqual(2, code)
        self.assertIn("there is no tool 'magic'", said)

    def test_what_no_time_is_left_for_is_not_good(self):
        code, said, report = self.machine().check(
            "--tests",
            "Slow|Wrong",
            "--test-seconds",
            "6",
            "--jobs",
            "1",
            "--sanitize",
            "none",
            "--bench",
            "none",
        )
        self.assertEqual(1, code)
        self.assertEqual(
            {"gpu_sums_test:Sums.Slow": "timeout", "gpu_sums_test:Sums.Wrong": "not run"},
            states(report["tests"]),
            said,
        )

    def test_benchmarks_are_quoted(self):
        code, said, report = self.machine().check(
            "--tests", "none", "--sanitize", "none", "--bench", "topk,add,round-trip"
        )
        self.assertEqual(0, code, said)
        self.assertEqual(
            {"topk": "passed", "add": "passed", "round-trip": "skipped"}, states(report["benchmarks"])
        )
        self.assertIn("case of topk takes 7 us", said)
        self.assertIn("no GPU for round-trip", said)


if __name__ == "__main__":
    sys.exit(unittest.main())

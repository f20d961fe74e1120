# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/gpu-check.sh on a ready build: tests, sanitizers, benchmarks, and one report of all.

Each test of a GoogleTest program is a process of its own, so that a lost device or a time limit costs one
test, and the cores are kept busy by many at once. Under the sanitizers the same tests run with small inputs
($TEGU_TEST_ELEMENTS) and one in so many of their jobs ($TEGU_TEST_ONE_IN)."""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import gpu_report

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
FOUND = 87  # what compute-sanitizer exits with when it found something
SKIPPED = 77
NO_GPU = 69  # what tegu-bench exits with
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Unit:
    """A test: one of a GoogleTest program, or a whole script."""

    def __init__(self, name, command, environment, seconds, single, alone=False):
        self.name, self.command, self.environment, self.seconds, self.single = (
            name,
            command,
            environment,
            seconds,
            single,
        )
        self.alone = alone  # it takes all that the device has
        # Its GPU work is done by a daemon that it starts.
        self.has_daemon = any(variable.startswith("TEGU_TEST_CUDA=") for variable in environment)


def run(command, seconds, environment=(), folder=None):
    """(exit code or None after `seconds`, output, seconds). What it started ends with it."""
    variables = dict(os.environ)
    variables.update(variable.split("=", 1) for variable in environment)
    began = time.time()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=variables,
        cwd=folder,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=max(seconds, 1))
        code = process.returncode
    except subprocess.TimeoutExpired:
        code = None
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return code, output.decode("utf-8", "replace"), time.time() - began


def tests_of_program(command):
    code, listing, _ = run(command[:1] + ["--gtest_list_tests"] + command[1:], 60)
    names, suite = [], ""
    for line in listing.splitlines() if code == 0 else ():
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + line.strip())
        elif line.endswith("."):
            suite = line.strip()
    return names


def find_units(build, pattern):
    """The tests with the label gpu of CTest's list, those of GoogleTest one by one."""
    code, listing, _ = run(["ctest", "--show-only=json-v1", "-L", "^gpu$"], 60, folder=build)
    if code != 0:
        sys.exit("gpu-check: ctest cannot list the tests of %s:\n%s" % (build, listing))
    units = []
    for test in json.loads(listing[listing.index("{") :])["tests"]:
        if "command" not in test or not os.path.exists(test["command"][0]):
            units.append(Unit(test["name"], None, [], 0, True))
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", ())}
        command, environment, seconds = (
            test["command"],
            properties.get("ENVIRONMENT", []),
            properties.get("TIMEOUT", 300),
        )
        names = tests_of_program(command) if os.path.dirname(command[0]).endswith("tests") else []
        filtered = [word for word in command if not word.startswith("--gtest_filter")]
        for name in names:
            units.append(
                Unit(
                    test["name"] + ":" + name,
                    filtered + ["--gtest_filter=" + name],
                    environment,
                    seconds,
                    False,
                    properties.get("RUN_SERIAL", False),
                )
            )
        if not names:
            units.append(Unit(test["name"], command, environment, seconds, True))
    return [unit for unit in units if re.search(pattern, unit.name)]


def verdict(code, output):
    """(state, why) of a test's end."""
    if code is None:
        return "timeout", (re.findall(r"\[ RUN +\] (\S+)", output) or ["it did not begin"])[-1]
    if code == SKIPPED:
        return "skipped", (output.strip().splitlines() or [""])[-1]
    if code != 0:
        return "failed", "\n".join(output.strip().splitlines()[-40:])
    if re.search(r"^\[  SKIPPED \]", output, re.M):
        reason = re.search(r"Skipped\n(.*)", output) or re.search(r"\[  SKIPPED \](.*)", output)
        return "skipped", reason.group(1).strip()
    return "passed", ""


def sanitizer_verdict(code, output):
    counts = [int(a or b) for a, b in SUMMARY.findall(output)]
    found = sum(counts)
    if found or code == FOUND:
        lines = [line for line in output.splitlines() if line.startswith("=========")]
        return "errors", "\n".join(lines[:40] + (["..."] if len(lines) > 40 else []))
    state, why = verdict(code, output)
    if state == "passed" and not counts and "instrumented API call" not in output:
        return "failed", "no verdict:\n" + "\n".join(output.splitlines()[-20:])
    return ("clean" if state == "passed" else state), why


def side_by_side(tasks, jobs, seconds, act):
    """act(task, seconds left) for each, `jobs` at a time, none begun after `seconds`: then it is reported as
    not run."""
    end = time.time() + seconds

    def one(task):
        left = end - time.time()
        return (
            act(task, left) if left > 1 else dict(task[0], state="not run", why="no time was left", seconds=0)
        )

    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        return list(pool.map(one, tasks))


def run_tests(units, options):
    def act(task, left):
        row, unit = task
        if unit.command is None:
            return dict(row, state="failed", why="it was not built", seconds=0)
        code, output, took = run(unit.command, min(left, unit.seconds), unit.environment)
        state, why = verdict(code, output)
        return dict(row, state=state, why=why, seconds=round(took, 1))

    began = time.time()
    rows = side_by_side(
        [({"name": unit.name}, unit) for unit in units if not unit.alone],
        options.jobs,
        options.test_seconds,
        act,
    )
    left = options.test_seconds - (time.time() - began)
    return rows + side_by_side([({"name": unit.name}, unit) for unit in units if unit.alone], 1, left, act)


def run_sanitizers(units, tools, sanitizer, options):
    small = ["TEGU_TEST_ELEMENTS=%d" % options.elements, "TEGU_TEST_ONE_IN=%d" % options.sample]
    tasks = []
    for unit in units:
        for tool in tools if not (unit.single or unit.alone) and unit.command else ():
            if tool == "memcheck" or not unit.has_daemon:
                tasks.append(({"name": unit.name, "tool": tool}, unit))

    def act(task, left):
        row, unit = task
        command = [
            sanitizer,
            "--tool",
            row["tool"],
            "--error-exitcode",
            str(FOUND),
            "--require-cuda-init",
            "no",
            "--print-limit",
            "20",
            "--max-connections",
            "200",
        ]  # it looks for a free port: one for each that runs
        if row["tool"] == "memcheck":
            command += ["--report-api-errors", "no"]
        code, output, took = run(
            command + unit.command, min(left, options.unit_seconds), unit.environment + small
        )
        state, why = sanitizer_verdict(code, output)
        return dict(row, state=state, why=why, seconds=round(took, 1))

    return side_by_side(tasks, options.sanitize_jobs, options.sanitize_seconds, act)


def run_benchmarks(build, options):
    """Cases of tegu-bench-gpu by a part of their name, the daemon's round trip, and PyTorch on the same
    work."""
    kernels = os.path.join(build, "bin", "tegu-bench-gpu")
    others = {
        "round-trip": [os.path.join(build, "bin", "tegu-bench"), "round-trip"],
        "peers": [sys.executable, os.path.join(SOURCE, "tools", "bench", "gpu_peers.py")],
    }
    parts = ["", "round-trip", "peers"] if options.bench == "all" else options.bench.split(",")
    rows = []
    end = time.time() + options.bench_seconds
    for part in parts:
        command = others.get(part, [kernels] + (["--filter", part] if part else []))
        if not os.path.exists(command[0]):
            rows.append(
                {"name": part, "state": "failed", "output": command[0] + " was not built", "seconds": 0}
            )
            continue
        code, output, took = run(command, end - time.time())
        state = {0: "passed", None: "timeout", NO_GPU: "skipped", SKIPPED: "skipped"}.get(code, "failed")
        rows.append({"name": part or "kernels", "state": state, "output": output, "seconds": round(took, 1)})
    return rows


def arguments():
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(
        prog="gpu-check.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, help="a build with TEGU_TESTS and CUDA")
    parser.add_argument(
        "--report", default="", help="folder for report.md and report.json (default: gpu-check in the build)"
    )
    parser.add_argument(
        "--tests",
        default="",
        metavar="REGEX",
        help="tests whose name, PROGRAM:SUITE.TEST, has a match; none: no tests",
    )
    parser.add_argument(
        "--sanitize", default="all", metavar="LIST", help="all, none, or some of " + ",".join(TOOLS)
    )
    parser.add_argument(
        "--sanitize-tests",
        default=None,
        metavar="REGEX",
        help="tests that run under the tools (default: those of --tests)",
    )
    parser.add_argument(
        "--bench",
        default="all",
        metavar="PART,...",
        help="cases of tegu-bench-gpu whose name has a part; round-trip; peers (PyTorch); all; none",
    )
    parser.add_argument(
        "--jobs", type=int, default=max(1, cores // 2), help="tests at once (default: half the cores)"
    )
    parser.add_argument(
        "--sanitize-jobs", type=int, default=cores, help="tests under the tools at once (default: the cores)"
    )
    parser.add_argument("--test-seconds", type=float, default=150, help="for all tests (default: 150)")
    parser.add_argument(
        "--sanitize-seconds", type=float, default=200, help="for all of the tools (default: 200)"
    )
    parser.add_argument(
        "--unit-seconds", type=float, default=90, help="for one test under a tool (default: 90)"
    )
    parser.add_argument("--bench-seconds", type=float, default=120, help="for all benchmarks (default: 120)")
    parser.add_argument(
        "--elements", type=int, default=20000, help="of the largest inputs under the tools (default: 20000)"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=23,
        help="one in so many jobs of a test runs under the tools (default: 23)",
    )
    parser.add_argument("--commit", default="", help="names the sources where they are no git checkout")
    options = parser.parse_args()
    options.tools = (
        TOOLS
        if options.sanitize == "all"
        else ()
        if options.sanitize == "none"
        else tuple(options.sanitize.split(","))
    )
    for tool in options.tools:
        if tool not in TOOLS:
            parser.error("there is no tool '%s' (%s)" % (tool, ", ".join(TOOLS)))
    return options


class Report:
    """What is known so far; on disk after each phase, so that a run that is broken off leaves what it had."""

    def __init__(self, build, options):
        self.folder = options.report or os.path.join(build, "gpu-check")
        self.content = gpu_report.describe(build, options.commit, sys.argv[1:])
        self.content.update(tests=[], sanitizers=[], benchmarks=[], phases=[])
        self.began = time.time()
        os.makedirs(self.folder, exist_ok=True)

    def add(self, phase, rows):
        self.content[phase] = rows
        now = time.time()
        self.content["phases"].append("%s %.0f s" % (phase, now - self.began))
        self.began = now
        with open(os.path.join(self.folder, "report.json"), "w") as out:
            json.dump(self.content, out, indent=1, sort_keys=True)
            out.write("\n")
        with open(os.path.join(self.folder, "report.md"), "w") as out:
            out.write(gpu_report.markdown(self.content))


def sanitize(build, options):
    sanitizer = shutil.which("compute-sanitizer", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    if not sanitizer:
        return [
            {
                "name": "compute-sanitizer",
                "tool": tool,
                "state": "not run",
                "why": "it is not installed",
                "seconds": 0,
            }
            for tool in options.tools
        ]
    wanted = options.sanitize_tests
    if wanted is None:
        wanted = "" if options.tests == "none" else options.tests
    return run_sanitizers(
        find_units(build, wanted) if wanted != "none" else [], options.tools, sanitizer, options
    )


def main():
    options = arguments()
    build = os.path.abspath(options.build)
    report = Report(build, options)
    if options.tests != "none":
        report.add("tests", run_tests(find_units(build, options.tests), options))
    if options.tools:
        report.add("sanitizers", sanitize(build, options))
    if options.bench != "none":
        report.add("benchmarks", run_benchmarks(build, options))
    sys.stdout.write(gpu_report.markdown(report.content))
    return 0 if gpu_report.is_good(report.content) else 1


if __name__ == "__main__":
    sys.exit(main())

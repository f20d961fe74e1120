# SPDX-License-Identifier: Apache-2.0
"""What the three measurements have in common: where and of what they were made, numbers of a sample, and the
file that report.py reads."""

import json
import math
import os
import platform
import re
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", "")
SANITIZED = bool(os.environ.get("TEGU_SANITIZE"))
SKIPPED = 77
LOAD_CLIENT = os.path.join(BUILD, "tests", "reliability_load_client")


def first(pattern, path, default=""):
    try:
        with open(path) as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
        return found.group(1).strip() if found else default
    except OSError:
        return default


def commit():
    """Of the sources; with a + if files of them differ from it."""

    def git(*words):
        return subprocess.run(
            ("git", "-C", SOURCE) + words,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        ).stdout.strip()

    name = git("rev-parse", "--short=12", "HEAD") or "unknown"
    return name + (
        "+"
        if git(
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--",
            "base",
            "wire",
            "config",
            "kernels",
            "daemon",
            "client",
        )
        else ""
    )


def head(command):
    """What a number means nothing without. Call it before the measurement."""
    return {
        "command": command,
        "commit": commit(),
        "began": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "build": first(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", os.path.join(BUILD, "CMakeCache.txt")) or "unknown",
        "sanitizers": os.environ.get("TEGU_SANITIZE", ""),
        "machine": "%s, %d cores, Linux %s"
        % (
            first(r"^model name\s*: (.*)$", "/proc/cpuinfo", platform.machine()),
            os.cpu_count(),
            platform.release(),
        ),
        "load_before": round(os.getloadavg()[0], 2),
    }


def quantile(values, q):
    """The smallest value that at least the share q of them does not exceed. REQUIRES: there are some."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(q * len(ordered)) - 1))]


def line_through(points):
    """Least squares: (slope, its standard error, value in the middle)."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return slope, math.sqrt(rest / max(1, n - 2) / spread), mean_y


def write(path, record):
    """JSON with a line for each entry of a list or an object of the record, so that a diff can be read."""

    def lines(value):
        if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
            return "[\n  " + ",\n  ".join(json.dumps(each, sort_keys=True) for each in value) + "\n ]"
        if isinstance(value, dict) and any(isinstance(each, dict) for each in value.values()):
            return (
                "{\n  "
                + ",\n  ".join(
                    json.dumps(name) + ": " + json.dumps(value[name], sort_keys=True)
                    for name in sorted(value)
                )
                + "\n }"
            )
        return json.dumps(value, sort_keys=True)

    text = ",\n ".join(json.dumps(name) + ": " + lines(record[name]) for name in sorted(record))
    with open(path, "w") as out:
        out.write("{\n " + text + "\n}\n")


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def need_programs():
    if not BUILD:
        skip("TEGU_BUILD_DIR names the build folder")
    if not os.path.exists(LOAD_CLIENT):
        skip("no " + LOAD_CLIENT + "; build the target reliability_load_client")
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        skip(str(error))

# SPDX-License-Identifier: Apache-2.0
"""The report of scripts/gpu_check.py: what the machine and the build are, and the results as Markdown.

A report is a dict: machine (dict of words), tests, sanitizers, benchmarks (lists of rows), phases (texts).
States of a row: passed, clean, skipped, failed, errors, timeout, not run."""

import os
import platform
import re
import subprocess
import time

GOOD = ("passed", "clean", "skipped")


def first_line(*command, folder=None):
    try:
        output = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, timeout=30
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return output.decode("utf-8", "replace").strip().split("\n")[0]


def cache_entry(build, name):
    try:
        with open(os.path.join(build, "CMakeCache.txt")) as cache:
            found = re.search(r"^%s:[A-Z]+=(.*)$" % re.escape(name), cache.read(), re.M)
    except OSError:
        return ""
    return found.group(1) if found else ""


def describe(build, commit, command):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    query = first_line(
        "nvidia-smi",
        "--query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem",
        "--format=csv,noheader",
    )
    device = [word.strip() for word in query.split(",")] if query else []
    nvcc = cache_entry(build, "CMAKE_CUDA_COMPILER") or "nvcc"
    try:
        version = subprocess.run(
            [nvcc, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30
        ).stdout.decode()
    except (OSError, subprocess.TimeoutExpired):
        version = ""
    release = re.search(r"release ([0-9.]+)", version)
    machine = {
        "commit": commit or first_line("git", "rev-parse", "--short", "HEAD", folder=source) or "unknown",
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "device": device[0] if device else "unknown",
        "driver": device[1] if len(device) > 1 else "unknown",
        "device memory": device[2] if len(device) > 2 else "unknown",
        "clocks": "%s, memory %s" % (device[3], device[4]) if len(device) > 4 else "unknown",
        "toolkit": "CUDA " + release.group(1) if release else "unknown",
        "built for": "sm_" + cache_entry(build, "TEGU_CUDA_ARCHITECTURES"),
        "host": "%s, %d cores" % (platform.platform(), os.cpu_count() or 1),
        "command": "scripts/gpu-check.sh " + " ".join(command),
    }
    return {"machine": machine}


def is_good(report):
    rows = report["tests"] + report["sanitizers"] + report["benchmarks"]
    return all(row["state"] in GOOD for row in rows) and any(row["state"] != "skipped" for row in rows)


def counts(rows):
    states = {}
    for row in rows:
        states[row["state"]] = states.get(row["state"], 0) + 1
    return states


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def details(rows, label):
    """What was not good, in full; what was skipped, in a line."""
    lines, said = [], {}
    for row in rows:
        if row["state"] in GOOD:
            continue
        lines += ["**%s** %s after %.0f s" % (label(row), row["state"], row["seconds"]), ""]
        if row["why"] in said:
            lines += ["The same as %s." % said[row["why"]], ""]
        else:
            said[row["why"]] = label(row)
            lines += ["```", row["why"], "```", ""]
    reasons = {}
    for row in rows:
        if row["state"] == "skipped":
            reasons.setdefault(row["why"], []).append(label(row))
    for why, names in sorted(reasons.items()):
        lines += ["Skipped (%s): %s" % (why, ", ".join(names)), ""]
    return lines


def test_part(rows):
    states = counts(rows)
    words = ", ".join(
        "%d %s" % (states[state], state)
        for state in ("passed", "failed", "timeout", "not run", "skipped")
        if state in states
    )
    lines = ["## Tests", "", words or "none", ""]
    slowest = sorted(rows, key=lambda row: -row["seconds"])[:8]
    if slowest:
        lines += ["Longest: " + ", ".join("%s %.0f s" % (row["name"], row["seconds"]) for row in slowest), ""]
    return lines + details(rows, lambda row: row["name"])


def sanitizer_part(rows):
    lines = ["## compute-sanitizer", ""]
    states = ("clean", "errors", "failed", "timeout", "not run", "skipped")
    table_rows = []
    for tool in sorted({row["tool"] for row in rows}):
        mine = [row for row in rows if row["tool"] == tool]
        found = counts(mine)
        table_rows.append(
            [tool, len(mine)]
            + [found.get(state, 0) for state in states]
            + ["%.0f s" % sum(row["seconds"] for row in mine)]
        )
    lines += table(("tool", "tests") + states + ("time of all",), table_rows)
    slowest = sorted(rows, key=lambda row: -row["seconds"])[:8]
    lines += [
        "Longest: "
        + ", ".join("%s %s %.0f s" % (row["tool"], row["name"], row["seconds"]) for row in slowest),
        "",
    ]
    return lines + details(rows, lambda row: row["tool"] + " " + row["name"])


def bench_part(rows):
    lines = ["## Benchmarks", ""]
    for row in rows:
        lines += [
            "%s: %s, %.0f s" % (row["name"], row["state"], row["seconds"]),
            "",
            "```",
            row["output"].rstrip(),
            "```",
            "",
        ]
    return lines


def markdown(report):
    lines = ["# GPU check: " + ("good" if is_good(report) else "NOT good"), ""]
    lines += table(("what", "is"), sorted(report["machine"].items()))
    if report["tests"]:
        lines += test_part(report["tests"])
    if report["sanitizers"]:
        lines += sanitizer_part(report["sanitizers"])
    if report["benchmarks"]:
        lines += bench_part(report["benchmarks"])
    return "\n".join(lines + ["Took: " + ", ".join(report["phases"]), ""])

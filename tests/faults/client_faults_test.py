#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each allocation and each system call of a client fails once: in the library (faults_client.cpp), and each
allocation in the command, which must say so and end with an exit code of its own, or print the right result.
Only its static objects may find no memory before main(), which ends it.

Of the command a sample, from a seed that is printed; with TEGU_FAULTS_LONG=1 every allocation.
"""

import json
import os
import random
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(FOLDER), "daemon"))

from fault_driver import MOST_CALLS, Faults  # noqa: E402
from rawclient import Daemon  # noqa: E402

BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
PROGRAM = os.path.join(BUILD, "tests", "faults_tegu")
STEP = 23  # of a sample: about every so many faults
FRAMES = 24  # of a trace, at most


def result_of(output):
    """What "tegu reduce --json" prints, but for times and how it was computed."""
    said = json.loads(output.decode())
    return {name: said[name] for name in said if name not in ("timing_us", "policy")}


def without_time(output):
    return re.sub(rb"[0-9.]+ [a-z]+", b"", output)


def names_of_lines(output):
    """Of "tegu health", whose values change all the time."""
    return output[-1:], [line[:10] for line in output.splitlines()]


# words, what of the output is always the same
COMMANDS = (
    (["reduce", "--json", "--stats", "sum,max", "-"], result_of),
    (["ping", "--count", "1"], without_time),
    (["health"], names_of_lines),
)


def run_command(daemon, words, environment):
    return subprocess.run(
        [PROGRAM] + words + ["--socket", daemon.path],
        input=npy(),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=60,
    )


def npy():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + b"\0\0\x80\x3f" * 4


def places_of_main():
    """Where main() lies in the program, and the parts that the compiler has moved away from it: (first, last)
    of each."""
    lines = subprocess.check_output(["nm", "-S", "--defined-only", PROGRAM]).decode().splitlines()
    symbols = [line.split() for line in lines if re.search(r" main(\.\S+)?$", line)]
    return [
        (int(words[0], 16), int(words[0], 16) + int(words[1], 16)) for words in symbols if len(words) == 4
    ]


def failed_before_main(daemon, faults, words, environment, number):
    """Whether that allocation is made while main() is not on the stack: it fails once more, and says where it
    is made."""
    faults.arm("allocate", number, "ENOMEM")
    done = run_command(daemon, words, dict(environment, TEGU_FAULTS_TRACE="1"))
    if not faults.disarm() or done.stdout:
        return False
    trace = [line for line in done.stderr.splitlines() if re.search(rb"\[0x[0-9a-f]+\]$", line)]
    within = [
        int(found.group(1), 16)
        for found in (re.search(rb"faults_tegu\(\+0x([0-9a-f]+)\)", line) for line in trace)
        if found
    ]
    places = places_of_main()
    assert places, "nm knows no main() in " + PROGRAM
    return (
        0 < len(trace) < FRAMES
        and not any(b"(main+" in line for line in trace)
        and not any(first < address <= last for first, last in places for address in within)
    )


def check_command(daemon, faults, words, same, chosen):
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment["TEGU_FAULTS"] = faults.path

    def usual():
        done = run_command(daemon, words, environment)
        assert done.returncode == 0, (words, done)
        return same(done.stdout)

    expected = usual()
    good, count, early = True, 0, 0
    for number in range(1, MOST_CALLS * 10):
        if not chosen(number):
            continue
        faults.arm("allocate", number, "ENOMEM")
        done = run_command(daemon, words, environment)
        if not faults.disarm():
            break
        count += 1
        if done.returncode == 0:
            right = (
                same(done.stdout) == expected or same(done.stdout) == usual()
            )  # what health has lines for may change
        elif done.returncode == -6 and not done.stdout:
            right = failed_before_main(daemon, faults, words, environment, number)
            early += right
        else:
            right = done.returncode > 0 and bool(done.stderr + done.stdout)
        if not right:
            good = False
            print(
                "FAILED tegu %s: allocation %d: exit code %d\n%s%s"
                % (
                    " ".join(words),
                    number,
                    done.returncode,
                    done.stdout.decode(errors="replace"),
                    done.stderr.decode(errors="replace"),
                )
            )
    print("tegu %s: %d faults, %d of them before main()" % (words[0], count, early))
    return good


def main():
    long = os.environ.get("TEGU_FAULTS_LONG")
    seed = int(os.environ.get("TEGU_FAULTS_SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print("seed %d" % seed, flush=True)
    daemon, faults = Daemon('[executor]\nbackend = "cpu"\n'), Faults()  # no GPU is missed, so health is ok
    try:
        client = subprocess.run(
            [os.path.join(BUILD, "tests", "faults_client"), daemon.path],
            env=dict(os.environ, TEGU_FAULTS=faults.path),
            timeout=500,
        )
        good = client.returncode == 0
        for words, same in COMMANDS:
            good = (
                check_command(daemon, faults, words, same, lambda number: long or chance.randrange(STEP) == 0)
                and good
            )
    finally:
        faults.close()
        code = daemon.stop()
    return 0 if good and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

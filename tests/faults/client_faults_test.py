#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each allocation and each system call of a client fails once: in the library (faults_client.cpp), and each allocation in the command, which must
say so and end with an exit code of its own, or print the right result.

Of the command a sample, from a seed that is printed; with TEGU_FAULTS_LONG=1 every allocation.
"""
import os
import random
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(FOLDER), "daemon"))

from fault_driver import MOST_CALLS, Faults  # noqa: E402
from rawclient import Daemon  # noqa: E402

BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
STEP = 23  # of a sample: about every so many faults
COMMANDS = (["reduce", "--json", "--stat", "sum,max", "-"], ["ping", "--count", "1"], ["health"])


def run_command(daemon, words, environment):
    return subprocess.run([os.path.join(BUILD, "tests", "faults_tegu")] + words + ["--socket", daemon.path], input=npy(), env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def npy():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + b"\0\0\x80\x3f" * 4


def check_command(daemon, faults, words, chosen):
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment["TEGU_FAULTS"] = faults.path
    good, count = True, 0
    for number in range(1, MOST_CALLS * 10):
        if not chosen(number):
            continue
        faults.arm("allocate", number, "ENOMEM")
        done = run_command(daemon, words, environment)
        if not faults.disarm():
            break
        count += 1
        # Static objects of the option parser allocate before main(), where nothing can be caught.
        before_main = done.returncode == -6 and not done.stdout and done.stderr.count(b"\n") <= 2
        if (done.returncode < 0 and not before_main) or (done.returncode != 0 and not done.stderr + done.stdout):
            good = False
            print("FAILED tegu %s: allocation %d: exit code %d\n%s" % (" ".join(words), number, done.returncode, done.stderr.decode()))
    print("tegu %s: %d faults" % (words[0], count))
    return good


def main():
    long = os.environ.get("TEGU_FAULTS_LONG")
    seed = int(os.environ.get("TEGU_FAULTS_SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print("seed %d" % seed, flush=True)
    daemon, faults = Daemon(), Faults()
    try:
        client = subprocess.run([os.path.join(BUILD, "tests", "faults_client"), daemon.path], env=dict(os.environ, TEGU_FAULTS=faults.path),
                                timeout=500)
        good = client.returncode == 0
        for words in COMMANDS:
            good = check_command(daemon, faults, words, lambda number: long or chance.randrange(STEP) == 0) and good
    finally:
        faults.close()
        code = daemon.stop()
    return 0 if good and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

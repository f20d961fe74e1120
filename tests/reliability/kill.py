#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon under mixed load, under a real systemd in namespaces of its own
(tests/systemd/service_test.py plays killed.py).
    kill.py [--kills N] [--seed N] [--output FILE]     default: 6 kills, or $TEGU_KILLS

Right if every job of every client ended with the result of before, or as the client wished (cancelled,
overdue), and no client holds more descriptors or much more memory than before. Exit 77 where namespaces
cannot be had."""

import argparse
import json
import os
import random
import subprocess
import sys

import record

SERVICE_TEST = os.path.join(record.SOURCE, "tests", "systemd", "service_test.py")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=int(os.environ.get("TEGU_KILLS", "6")))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--output")
    options = parser.parse_args()
    record.need_programs()
    print("seed %d" % options.seed, flush=True)
    made = {
        "head": record.head("kill.py --kills %d --seed %d" % (options.kills, options.seed)),
        "seed": options.seed,
    }
    environment = dict(
        os.environ,
        TEGU_KILLS=str(options.kills),
        TEGU_SEED=str(options.seed),
        TEGU_SYSTEMD_LIMIT_S=str(900 + 10 * options.kills),  # of a busy machine
    )
    environment.pop("LD_PRELOAD", None)
    done = subprocess.run(
        [sys.executable, SERVICE_TEST, "../reliability/killed.py"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        errors="replace",
    )
    for line in done.stdout.splitlines():
        if not line.startswith("record "):
            print(line)
            continue
        found = json.loads(line.split(" ", 1)[1])
        print(
            "%d kills in %.0f s; %s; recovery p50 %.3f s, p99 %.3f s, most %.3f s"
            % (
                len(found["kills"]),
                found["seconds"],
                found["totals"],
                record.quantile(found["undisturbed"], 0.5),
                record.quantile(found["undisturbed"], 0.99),
                max(found["undisturbed"]),
            )
        )
        made.update(found)
    if options.output and "kills" in made:
        record.write(options.output, made)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

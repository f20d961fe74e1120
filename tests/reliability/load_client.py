#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of the reliability tests in Python: load_client.py BOARD INDEX SEED PAUSE_MS, with $TEGU_SOCKET.
Does what the board says (board.py); writes its waits and its report as lines. Ends with 1 if one result was
wrong or one job was lost."""

import gc
import json
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "client"))
import harness  # noqa: E402

harness.preload_sanitizer()

import board  # noqa: E402
from mixed_load import make_cases, make_inputs, Worker  # noqa: E402

ACTS = {
    "on_array": 6,
    "on_buffer": 6,
    "pipelined": 4,
    "scribbled": 1,
    "cancelled": 2,
    "overdue": 2,
    "in_place": 2,
    "left": 0.5,
}
WARM_UP_S = 1.5


def main():
    path, index, seed, pause_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]) / 1000
    table = board.Board(path)
    out = sys.stdout
    watch = board.Watcher(table, index, out)
    inputs = make_inputs()
    cases = make_cases(None, inputs)
    end = time.monotonic() + WARM_UP_S
    warm = Worker(None, inputs, cases, seed, ACTS)
    warm.run(lambda: time.monotonic() < end)
    warm.leave()
    worker = Worker(None, inputs, cases, seed, ACTS, watch=watch)
    gc.collect()
    watch.set(board.READY)
    while table.command() == board.PREPARE:
        time.sleep(0.01)
    watch.set(board.WORKING)

    def renew():  # as it was when it was ready: without memory that the library keeps for more jobs
        worker.leave()
        worker.client = worker.connect()
        gc.collect()

    def keeps_on():
        watch.idle()
        if table.command() == board.BREATHE:
            renew()
            watch.set(board.READY)
            while table.command() == board.BREATHE:
                time.sleep(0.005)
            watch.set(board.WORKING)
        return table.command() == board.RUN

    worker.run(keeps_on, pause_s)
    renew()
    out.write(
        json.dumps(
            {
                "jobs": worker.jobs,
                "reconnects": worker.reconnects,
                "resent": worker.resent,
                "outcomes": worker.outcomes,
            },
            sort_keys=True,
        )
        + "\n"
    )
    out.flush()
    watch.set(board.RESTED)
    while table.command() != board.LEAVE:
        time.sleep(0.01)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        sys.exit(1)

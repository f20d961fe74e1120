#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixed load of eight clients for a long time: what the daemon and the clients hold stays flat.
    soak.py [--seconds N] [--seed N] [--pause-ms N] [--niceness N] [--output FILE]     default: 8 s, or
    $TEGU_SOAK_SECONDS

Every INTERVAL_S the clients end what they began and connect anew, and daemon and clients are measured: so
jobs in flight are no part of a sample. Flat: over the second half the line through the samples rises by no
more than the bound of its kind (BOUNDS). Memory of their own wanders by some MiB, as allocators give pages
back or keep them; a leak of the smallest block of malloc, 32 bytes, would add 30 MiB a million jobs. Short
runs (below LONG_S) are judged by their ends alone: every result right, every client alive, and when all have
gone, the daemon has the descriptors that it had before, and of memory not more than ENDS_KIB over what it had
when they were warm."""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time

import record

sys.path[:0] = [os.path.join(record.SOURCE, "tests", folder) for folder in ("client", "daemon")]
import fleet  # noqa: E402
import rawclient  # noqa: E402

LONG_S = 120
# what the daemon may have more of its own than after the warm-up: its allocator's, and areas that it uses
# again
ENDS_KIB = 16384
INTERVAL_S = 10.0
# The most that a series may rise over the second half.
BOUNDS = {
    "daemon own_kib": 4096,
    "daemon shared_kib": 64,
    "daemon descriptors": 0.5,
    "daemon mappings": 8,
    "clients own_kib": 8192,
    "clients descriptors": 0.5,
    "clients mappings": 16,
}


def series_of(daemon, clients):
    held = {"daemon " + name: value for name, value in daemon.items()}
    for name in ("own_kib", "descriptors", "mappings"):
        held["clients " + name] = sum(client[name] for client in clients)
    return held


def judge(samples):
    """name -> rise over the second half, two standard errors of it, the mean, the bound, and whether that is
    flat."""
    half = samples[len(samples) // 2 :]
    length = half[-1]["seconds"] - half[0]["seconds"]
    judged = {}
    for name, bound in BOUNDS.items():
        slope, error, mean = record.line_through([(sample["seconds"], sample[name]) for sample in half])
        judged[name] = {
            "rise": round(slope * length, 2),
            "noise": round(2 * error * length, 2),
            "mean": round(mean, 1),
            "bound": bound,
            "flat": slope * length <= bound,
        }
    return judged


def settled(daemon, witness, clients):
    """What the daemon holds when it has but the connections of the witness and of these clients, and no
    buffer that is still being given back."""

    stats = {}

    def ended():
        stats.update(witness.fields(rawclient.STATS))
        return (stats["connections"], stats["buffers"]) == (clients + 1, 0)

    try:
        daemon.wait_for(ended, "the other connections and all buffers to end")
    except AssertionError:
        print("%d clients; %s" % (clients, stats))
        raise
    return dict(fleet.resources(daemon.process.pid), descriptors=daemon.descriptors())


def settled_at_last(daemon, witness, before):
    """The same without clients; the daemon may close what it had for them a moment after it has counted
    that."""
    try:
        daemon.wait_for(lambda: daemon.descriptors() == before["descriptors"], "the descriptors")
    except AssertionError:
        pass  # check() says so
    return settled(daemon, witness, 0)


def soak(options, folder):
    made = {
        "head": record.head(
            "soak.py --seconds %g --seed %d --pause-ms %g" % (options.seconds, options.seed, options.pause_ms)
        ),
        "seconds": options.seconds,
        "seed": options.seed,
    }
    daemon = rawclient.Daemon("[timeouts]\nhello_ms = 60000\n")  # a busy machine may keep a client waiting
    clients = witness = None
    try:
        pid = daemon.process.pid
        witness = rawclient.Connection(daemon.path)
        before = settled(daemon, witness, 0)
        clients = fleet.Fleet(
            folder, record.LOAD_CLIENT, daemon.path, options.seed, options.pause_ms, niceness=options.niceness
        )
        at_rest = clients.ready()
        warm = fleet.resources(pid)
        samples, interval = [], min(INTERVAL_S, options.seconds / 4)
        began = time.monotonic()
        while time.monotonic() - began < options.seconds:
            clients.run()
            time.sleep(interval)
            held = clients.breathe()
            assert daemon.alive(), daemon.log_text()
            samples.append(
                dict(
                    series_of(settled(daemon, witness, fleet.CLIENTS), held),
                    seconds=round(time.monotonic() - began, 2),
                )
            )
        rested = clients.rest()
        reports = clients.leave()
        settled(daemon, witness, 0)
        after = settled_at_last(daemon, witness, before)
    except BaseException:
        print(daemon.log_text())
        raise
    finally:
        if clients is not None:
            clients.end()
        if witness is not None:
            witness.close()
        daemon.stop()
    made.update(
        before=before,
        warm=warm,
        after=after,
        totals=fleet.total(reports),
        clients_grew=fleet.growth(at_rest, rested),
    )
    made["columns"] = ["seconds"] + list(BOUNDS)
    made["rows"] = [[sample[name] for name in made["columns"]] for sample in samples]
    made["verdict"] = judge(samples) if options.seconds >= LONG_S else {}
    return made


def check(made):
    totals = made["totals"]
    assert totals["outcomes"]["right"] > 0 and totals["reconnects"] == 0, totals
    assert all(grown["descriptors"] == 0 for grown in made["clients_grew"]), made["clients_grew"]
    assert made["after"]["descriptors"] == made["before"]["descriptors"], (made["before"], made["after"])
    if record.SANITIZED:
        return  # its allocator keeps what was freed
    assert made["after"]["own_kib"] <= made["warm"]["own_kib"] + ENDS_KIB, (made["warm"], made["after"])
    rising = {name: verdict for name, verdict in made["verdict"].items() if not verdict["flat"]}
    assert not rising, rising


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("TEGU_SOAK_SECONDS", "8")))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--pause-ms", type=float, default=10.0)
    parser.add_argument("--niceness", type=int, default=0, help="of the clients")
    parser.add_argument("--output")
    options = parser.parse_args()
    record.need_programs()
    print("seed %d" % options.seed, flush=True)
    folder = tempfile.mkdtemp(prefix="tegu-soak-")
    try:
        made = soak(options, folder)
    finally:
        shutil.rmtree(folder)
    if options.output:
        record.write(options.output, made)
    print(
        "%d jobs, %s; the daemon before %s, warm %s, after %s"
        % (made["totals"]["jobs"], made["totals"]["outcomes"], made["before"], made["warm"], made["after"])
    )
    for name, verdict in made["verdict"].items():
        print("%-20s %s" % (name, verdict))
    check(made)


if __name__ == "__main__":
    main()

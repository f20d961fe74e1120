# SPDX-License-Identifier: Apache-2.0
"""Load for an upgrade: jobs whose answers are known, one after the other, until the file STOP is there. Then
prints how many there were and how often the connection was made anew; exits with 1 if one failed.
    load.py STOP SEED"""

import array
import os
import random
import sys

import tegu


def main():
    stop, seed = sys.argv[1], int(sys.argv[2])
    values = list(range(20000))
    random.Random(seed).shuffle(values)
    data = array.array("i", values)
    jobs = 0
    with tegu.connect() as client:
        kept = client.buffer((len(values),), "i4")  # outlives the daemon in the descriptor store of systemd
        memoryview(kept.array)[:] = memoryview(data)
        while not os.path.exists(stop):
            for source in (data, kept):
                if client.reduce(source, stats=("sum",))["sum"] != sum(values):
                    sys.exit("a wrong sum after %d jobs" % jobs)
                found = client.topk(source, 3)
                if list(found[0]) != [19999, 19998, 19997] or values[int(found[1][0])] != 19999:
                    sys.exit("wrong largest values after %d jobs" % jobs)
                jobs += 2
        print("jobs %d reconnects %d" % (jobs, client.reconnects))


if __name__ == "__main__":
    main()

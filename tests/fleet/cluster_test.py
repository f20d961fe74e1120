#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu.dask on a cluster of four worker processes, each with a tegud of its own, one of them with the guarded
GPU: the bits of one daemon on the whole array, also where a worker and a tegud are killed meanwhile."""

import os
import threading
import time
import unittest

import needs_dask  # noqa: F401  comes first: the next ones are found through it
import dask.array as da
import distributed
import harness
import tegu
import tegu.dask as td
from dask_test import CUTS, Arrays, bits, cut

WORKERS = 4


def daemons():
    guarded = os.path.exists(os.path.join(harness.BUILD, harness.GuardedDaemon.program))
    made = [harness.Daemon("[executor]\nthreads = 1\n") for _ in range(WORKERS - 1)]
    return made + [harness.GuardedDaemon() if guarded else harness.Daemon()]


def cluster_of(of):
    """Four worker processes; the tegud of each is named in its environment."""
    workers = {
        i: {
            "cls": distributed.Nanny,
            "options": {
                "nthreads": 1,
                "name": "board%d" % i,
                "env": {"TEGU_SOCKET": daemon.socket},
                "memory_limit": 0,
            },
        }
        for i, daemon in enumerate(of)
    }
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"dashboard": False, "dashboard_address": None, "port": 0, "host": "127.0.0.1"},
    }
    return distributed.SpecCluster(scheduler=scheduler, workers=workers, silence_logs="ERROR")


def slowly(block):
    time.sleep(0.05)
    return block


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemons = daemons()
        cls.cluster = cluster_of(cls.daemons)
        cls.dask = distributed.Client(cls.cluster)
        cls.dask.wait_for_workers(WORKERS, timeout=120)
        cls.client = tegu.connect(cls.daemons[0].socket)
        cls.arrays = Arrays()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.dask.close()
        cls.cluster.close()
        for daemon in cls.daemons:
            daemon.stop()

    def asked(self, x):
        """name -> (what is lazy, what one daemon says)"""
        c, whole = self.client, x.compute(scheduler="sync")
        return {
            "reduce": (td.reduce(x, "all", skip_nans=True), c.reduce(whole, "all", skip_nans=True)),
            "topk": (td.topk(x, 500), c.topk(whole, 500)),
            "quantile": (td.quantile(x, (0.1, 0.5)), c.quantile(whole, (0.1, 0.5))),
            "histogram": (td.histogram(x, 64, (-3, 3)), c.histogram(whole, 64, (-3, 3))),
            "entropy": (td.entropy(x, 64), c.entropy(whole, 64)),
            "dot": (td.dot(x, x), c.dot(whole, whole)),
        }

    def same(self, asked, what):
        found = self.dask.compute([lazy for lazy, _ in asked.values()], sync=True)
        for name, each, (_, expected) in zip(asked, found, asked.values()):
            self.assertEqual(bits(each), bits(expected), "%s %s" % (name, what))

    def test_same_bits_on_four_boards(self):
        for pieces in CUTS:
            self.same(self.asked(cut(self.arrays.f32, pieces)), "in %d" % pieces)
        self.same(self.asked(cut(self.arrays.special, 7)), "of special values")
        for board in range(WORKERS):  # wherever the tasks above went
            lazy, worker = td.reduce(cut(self.arrays.f32, 1)), [self.address("board%d" % board)]
            self.dask.compute(lazy, workers=worker, allow_other_workers=False, sync=True)
        jobs = []
        for daemon in self.daemons:
            with tegu.connect(daemon.socket) as c:
                jobs.append(c.stats()["jobs_total"])
        self.assertGreater(min(jobs), 0, "each board computes: %s" % jobs)

    def test_same_bits_on_the_board_with_a_gpu(self):
        if not isinstance(self.daemons[-1], harness.GuardedDaemon):
            self.skipTest("guard_tegud was not built")
        x = cut(self.arrays.f32, 7)
        of_gpu = {"backend": "gpu"}
        lazy = {
            "reduce": td.reduce(x, "all", skip_nans=True, **of_gpu),
            "topk": td.topk(x, 500, **of_gpu),
            "quantile": td.quantile(x, (0.1, 0.5), **of_gpu),
            "histogram": td.histogram(x, 64, (-3, 3), **of_gpu),
            "entropy": td.entropy(x, 64, **of_gpu),
            "dot": td.dot(x, x, **of_gpu),
        }
        found = self.dask.compute(
            list(lazy.values()), workers=[self.address("board3")], allow_other_workers=False, sync=True
        )
        for name, each in zip(lazy, found):
            self.assertEqual(bits(each), bits(self.asked(x)[name][1]), name)
        with tegu.connect(self.daemons[-1].socket) as c:
            self.assertGreater(c.stats()["gpu_jobs_total"], 0)

    def test_images_on_four_boards(self):
        x = da.from_array(self.arrays.image, chunks=(70, 130))
        found = self.dask.compute(td.entropy_map(x, 9), sync=True)
        self.assertEqual(bits(found), bits(self.client.entropy_map(self.arrays.image, 9)))

    def meanwhile(self, harm):
        """The same bits, though harm() is done while tasks run."""
        x = cut(self.arrays.f32, 64).map_blocks(slowly, dtype="f4")
        asked = self.asked(cut(self.arrays.f32, 64))
        lazy = {
            "reduce": td.reduce(x, "all", skip_nans=True),
            "quantile": td.quantile(x, (0.1, 0.5)),
            "topk": td.topk(x, 500),
        }
        harmed = threading.Timer(0.4, harm)
        harmed.start()
        found = self.dask.compute(list(lazy.values()), sync=True)
        harmed.join()
        for name, each in zip(lazy, found):
            self.assertEqual(bits(each), bits(asked[name][1]), name)

    def test_a_tegud_is_killed(self):
        def harm():
            self.daemons[1].kill()
            time.sleep(0.3)
            self.daemons[1].start()

        self.meanwhile(harm)

    def test_a_worker_is_killed(self):
        pids = self.dask.run(os.getpid)
        killed = max(pids, key=pids.get)
        self.meanwhile(lambda: os.kill(pids[killed], 9))
        end = time.monotonic() + 120
        while killed in self.workers() and time.monotonic() < end:  # not seen yet
            time.sleep(0.05)
        self.dask.wait_for_workers(WORKERS, timeout=120)

    def test_a_worker_without_tegud_is_named(self):
        self.daemons[2].kill()
        try:
            lazy = td.reduce(cut(self.arrays.f32, 1))
            future = self.dask.compute(lazy, workers=[self.address("board2")], allow_other_workers=False)
            with self.assertRaises(tegu.Unavailable) as raised:
                future.result(timeout=120)
            self.assertIn("board2", raised.exception.message)
        finally:
            self.daemons[2].start()

    def workers(self):
        return self.dask.scheduler_info(n_workers=-1)["workers"]

    def address(self, name):
        return [address for address, worker in self.workers().items() if worker["name"] == name][0]


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--json: the keys of every command and their order, and the numbers themselves, which must read back to the bit. These keys are a
promise: a change here is a change for every script."""
import json
import math
import random
import struct
import unittest

from daemon import Daemon
from files import npy, pgm, read_npy

JOB = ["operation", "dtype", "shape", "backend", "policy", "timing_us"]
JOB_TIMES = ["queue", "copy", "compute", "round_trip", "read"]
ERROR = ["status", "exit_code", "message", "field", "allowed", "retry_after_us"]


class JsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()
        cls.daemon.write("numbers.npy", npy("<i4", (2, 3), struct.pack("<6i", 5, -3, 9, 9, 1, 9)))
        cls.daemon.write("floats.npy", npy("<f8", (4,), struct.pack("<4d", 0.1, float("nan"), float("inf"), -float("inf"))))
        cls.daemon.write("image.pgm", pgm(4, 3, bytes(range(0, 240, 20))))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def keys(self, report, keys):
        self.assertEqual(list(report), keys)
        if "timing_us" in keys and "dtype" in keys:
            self.assertEqual(list(report["timing_us"]), JOB_TIMES)
            for name, value in report["timing_us"].items():
                self.assertGreaterEqual(value, 0, name)
            self.assertEqual(report["backend"], "cpu")
            self.assertTrue(report["policy"])
        self.assertIsNone(report["error"])

    def test_reduce(self):
        report = self.daemon.json("tegu reduce --stats sum,minmax,argmax,mean numbers.npy")
        self.keys(report, JOB + ["stats", "error"])
        self.assertEqual((report["operation"], report["dtype"], report["shape"]), ("reduce", "i32", [2, 3]))
        self.assertEqual(report["stats"], {"sum": 30, "mean": 5.0, "minmax": [-3, 9], "argmax": 2})

    def test_reduce_all_statistics_have_their_word(self):
        report = self.daemon.json("tegu reduce --stats all numbers.npy")
        self.assertEqual(list(report["stats"]), ["count", "sum", "mean", "min", "max", "minmax", "argmin", "argmax", "absmax", "l1",
                                                 "l2", "var", "std", "nonzero", "nans"])

    def test_reduce_rows(self):
        report = self.daemon.json("tegu reduce --rows --stats sum,minmax numbers.npy")
        self.keys(report, JOB + ["stats", "error"])
        self.assertEqual(report["stats"], {"sum": [11, 19], "minmax": [[-3, 9], [1, 9]]})

    def test_not_finite(self):
        report = self.daemon.json("tegu reduce --stats sum,max --skip-nans floats.npy")
        self.assertEqual(report["stats"], {"sum": "NaN", "max": "Infinity"})
        report = self.daemon.json("tegu topk -k 4 floats.npy")
        self.assertEqual(report["values"], ["NaN", "Infinity", 0.1, "-Infinity"])
        self.assertTrue(math.isnan(float(report["values"][0])))

    def test_topk(self):
        report = self.daemon.json("tegu topk -k 3 numbers.npy")
        self.keys(report, JOB + ["values", "indices", "error"])
        self.assertEqual((report["values"], report["indices"]), ([9, 9, 9], [2, 3, 5]))

    def test_topk_rows_distinct_end_where_the_values_end(self):
        report = self.daemon.json("tegu topk -k 3 --rows --distinct numbers.npy")
        self.keys(report, JOB + ["values", "indices", "error"])
        self.assertEqual((report["values"], report["indices"]), ([[9, 5, -3], [9, 1]], [[2, 0, 1], [0, 1]]))

    def test_entropy_map(self):
        report = self.daemon.json("tegu entropy-map --window 3 image.pgm")
        self.keys(report, JOB + ["stats", "unit", "values", "error"])
        self.assertEqual([len(row) for row in report["values"]], [4, 4, 4])
        self.assertEqual(list(report["stats"]), ["min", "mean", "max"])
        largest = max(max(row) for row in report["values"])
        self.assertEqual(struct.pack("f", largest), struct.pack("f", report["stats"]["max"]))

    def test_entropy_map_into_a_file(self):
        report = self.daemon.json("tegu entropy-map --base e image.pgm -o map.png --colour magma --scale 0,3")
        self.keys(report, JOB + ["stats", "unit", "output", "error"])
        self.assertEqual(report["unit"], "nat")
        self.assertEqual(report["output"], {"file": "map.png", "format": "png", "colour": "magma", "range": [0, 3]})
        report = self.daemon.json("tegu entropy-map image.pgm -o map.npy")
        self.assertEqual(report["output"], {"file": "map.npy", "format": "npy"})

    def test_numbers_read_back_to_the_bit(self):
        seed = random.randrange(1 << 32)
        values = [random.Random(seed).gauss(0, 10 ** (i % 40 - 20)) for i in range(500)]
        for descr, code in (("<f8", "d"), ("<f4", "f")):
            self.daemon.write("random.npy", npy(descr, (500,), struct.pack("<500" + code, *values)))
            report = self.daemon.json("tegu topk -k 500 random.npy -o top.npy")
            _, _, content = read_npy(self.daemon.read("top.npy"))
            exact = [value for value, _ in struct.iter_unpack("<" + code + "q", content)]
            rounded = report["values"] if code == "d" else struct.unpack("500f", struct.pack("500f", *report["values"]))
            self.assertEqual(list(rounded), exact, "seed %d" % seed)

    def test_large_integers_keep_all_digits(self):
        self.daemon.write("large.npy", npy("<u8", (2,), struct.pack("<2Q", 2 ** 64 - 1, 2 ** 53 + 1)))
        self.assertEqual(self.daemon.json("tegu topk -k 2 large.npy")["values"], [2 ** 64 - 1, 2 ** 53 + 1])

    def test_control_commands(self):
        report = self.daemon.json("tegu ping -c 2 -i 0")
        self.keys(report, ["operation", "count", "reconnects", "timing_us", "error"])
        self.assertEqual((report["count"], list(report["timing_us"])), (2, ["min", "avg", "max"]))
        report = self.daemon.json("tegu info")
        self.keys(report, ["operation", "info", "error"])
        self.assertIn("version", report["info"])
        report = self.daemon.json("tegu stats")
        self.keys(report, ["operation", "stats", "error"])
        self.assertIn("jobs_total", report["stats"])
        report = self.daemon.json("tegu buffers")
        self.keys(report, ["operation", "buffers", "error"])
        self.assertEqual(report["buffers"], [])

    def test_latency(self):
        report = self.daemon.json("tegu latency -c 50 --pipeline 4")
        self.keys(report, ["operation", "count", "seconds", "per_second", "pipeline", "size", "intrinsic", "timing_us", "error"])
        times = report["timing_us"]
        self.assertEqual(list(times), ["min", "avg", "p50", "p90", "p99", "max"])
        self.assertEqual((report["count"], report["pipeline"], report["intrinsic"]), (50, 4, False))
        self.assertTrue(0 < times["min"] <= times["p50"] <= times["p90"] <= times["p99"] <= times["max"], times)

    def test_an_error(self):
        done = self.daemon.run("tegu topk -k 7 --json numbers.npy")
        self.assertEqual(done.returncode, 65)
        report = json.loads(done.stdout.decode())
        self.assertEqual(list(report), ["operation", "error"])
        self.assertEqual(list(report["error"]), ERROR)
        error = report["error"]
        self.assertEqual((error["status"], error["exit_code"], error["field"], error["allowed"]), ("BAD_RANGE", 65, "k", "1..6"))
        self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()

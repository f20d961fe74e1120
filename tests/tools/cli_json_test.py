#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--json: the keys of every command and their order, and the numbers themselves, which must read back to the
bit. These keys are a promise: a change here is a change for every script."""

import ast
import json
import math
import os
import random
import struct
import time
import unittest

from daemon import PATIENCE, SOURCE, Daemon
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
        cls.daemon.write(
            "floats.npy", npy("<f8", (4,), struct.pack("<4d", 0.1, float("nan"), float("inf"), -float("inf")))
        )
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

    def test_default_statistics_are_those_of_python(self):
        path = os.path.join(SOURCE, "client", "python", "tegu", "_operations", "reduce.py")
        with open(path, encoding="utf-8") as source:
            tree = ast.parse(source.read())
        function = next(
            node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "reduce"
        )
        names = [argument.arg for argument in function.args.args]
        values = dict(zip(reversed(names), reversed(function.args.defaults)))
        wanted = list(ast.literal_eval(values["stats"]))
        self.assertEqual(list(self.daemon.json("tegu reduce numbers.npy")["stats"]), wanted)

    def test_reduce(self):
        report = self.daemon.json("tegu reduce --stats sum,minmax,argmax,mean numbers.npy")
        self.keys(report, JOB + ["stats", "error"])
        self.assertEqual((report["operation"], report["dtype"], report["shape"]), ("reduce", "i32", [2, 3]))
        self.assertEqual(report["stats"], {"sum": 30, "mean": 5.0, "minmax": [-3, 9], "argmax": 2})

    def test_reduce_all_statistics_have_their_word(self):
        report = self.daemon.json("tegu reduce --stats all numbers.npy")
        self.assertEqual(
            list(report["stats"]),
            [
                "count",
                "sum",
                "mean",
                "min",
                "max",
                "minmax",
                "argmin",
                "argmax",
                "absmax",
                "l1",
                "l2",
                "var",
                "std",
                "nonzero",
                "nans",
            ],
        )

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
        self.assertEqual(
            report["output"], {"file": "map.png", "format": "png", "colour": "magma", "range": [0, 3]}
        )
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
            rounded = (
                report["values"]
                if code == "d"
                else struct.unpack("500f", struct.pack("500f", *report["values"]))
            )
            self.assertEqual(list(rounded), exact, "seed %d" % seed)

    def test_large_integers_keep_all_digits(self):
        self.daemon.write("large.npy", npy("<u8", (2,), struct.pack("<2Q", 2**64 - 1, 2**53 + 1)))
        self.assertEqual(self.daemon.json("tegu topk -k 2 large.npy")["values"], [2**64 - 1, 2**53 + 1])

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
        report, end = self.daemon.json("tegu buffers"), time.monotonic() + PATIENCE
        while report["buffers"] and time.monotonic() < end:  # of a command that has ended just now
            report = self.daemon.json("tegu buffers")
        self.keys(report, ["operation", "buffers", "error"])
        self.assertEqual(report["buffers"], [])

    def test_latency(self):
        report = self.daemon.json("tegu latency -c 50 --pipeline 4")
        self.keys(
            report,
            [
                "operation",
                "count",
                "seconds",
                "per_second",
                "pipeline",
                "size",
                "intrinsic",
                "timing_us",
                "error",
            ],
        )
        times = report["timing_us"]
        self.assertEqual(list(times), ["min", "avg", "p50", "p90", "p99", "max"])
        self.assertEqual((report["count"], report["pipeline"], report["intrinsic"]), (50, 4, False))
        self.assertTrue(
            0 < times["min"] <= times["p50"] <= times["p90"] <= times["p99"] <= times["max"], times
        )

    def test_two_inputs(self):
        report = self.daemon.json("tegu add numbers.npy numbers.npy")
        self.keys(report, JOB + ["stats", "values", "error"])
        self.assertEqual(report["values"], [[10, -6, 18], [18, 2, 18]])
        self.assertEqual(report["stats"], {"min": -6, "mean": 10, "max": 18})
        self.keys(
            self.daemon.json("tegu add numbers.npy numbers.npy -o sum.npy"),
            JOB + ["stats", "output", "error"],
        )
        self.assertEqual(
            read_npy(self.daemon.read("sum.npy")), ("<i4", (2, 3), struct.pack("<6i", 10, -6, 18, 18, 2, 18))
        )
        report = self.daemon.json("tegu dot numbers.npy numbers.npy")
        self.keys(report, JOB + ["dot", "error"])
        self.assertEqual(report["dot"], 278)
        self.assertEqual(self.daemon.json("tegu dot --rows numbers.npy numbers.npy")["dot"], [115, 163])

    def test_rowscale(self):
        self.daemon.write("w.npy", npy("<f4", (2, 2), struct.pack("<4f", 1, -4, 0, 0)))
        report = self.daemon.json("tegu rowscale w.npy")
        self.keys(report, JOB + ["stats", "scales", "values", "error"])
        self.assertEqual((report["scales"], report["values"]), (4, [[0.25, -1], [0, 0]]))
        report = self.daemon.json("tegu rowscale --axis rows w.npy -o v.npy --scales s.npy")
        self.keys(report, JOB + ["stats", "scales", "output", "error"])
        self.assertEqual((report["scales"], report["output"]), ([4, 0], {"file": "v.npy", "format": "npy"}))
        self.assertEqual(
            read_npy(self.daemon.read("v.npy")), ("<f4", (2, 2), struct.pack("<4f", 0.25, -1, 0, 0))
        )
        self.assertEqual(read_npy(self.daemon.read("s.npy")), ("<f4", (2,), struct.pack("<2f", 4, 0)))

    def test_quantile(self):
        report = self.daemon.json("tegu quantile -q 0.5,0 numbers.npy")
        self.keys(report, JOB + ["q", "quantiles", "error"])
        self.assertEqual((report["q"], report["quantiles"]), ([0.5, 0], [7, -3]))
        report = self.daemon.json("tegu quantile -q 1 --rows --method higher numbers.npy -o q.npy")
        self.assertEqual(report["quantiles"], [[9], [9]])
        self.assertEqual(read_npy(self.daemon.read("q.npy")), ("<i4", (2, 1), struct.pack("<2i", 9, 9)))

    def test_histogram(self):
        report = self.daemon.json("tegu histogram --bins 2 --range 0,10 numbers.npy -o h.npy")
        self.keys(report, JOB + ["histogram", "edges", "error"])
        self.assertEqual((report["histogram"], report["edges"]), ([1, 4], [0, 5, 10]))
        descr, shape, content = read_npy(self.daemon.read("h.npy"))
        self.assertEqual((descr, shape), ([("histogram", "<u8", (2,)), ("edges", "<f8", (3,))], ()))
        self.assertEqual(struct.unpack("<2Q3d", content), (1, 4, 0, 5, 10))
        report = self.daemon.json("tegu histogram --bins 1 --rows numbers.npy")
        self.assertEqual((report["histogram"], report["edges"]), ([[3], [3]], [[-3, 9], [1, 9]]))

    def test_entropy(self):
        report = self.daemon.json("tegu entropy --levels 2 --range 0,10 numbers.npy")
        self.keys(report, JOB + ["entropy", "unit", "error"])
        self.assertAlmostEqual(report["entropy"], math.log2(6) - 2 * math.log2(2) / 6 - 4 * math.log2(4) / 6)
        self.assertEqual(report["unit"], "bit")
        report = self.daemon.json("tegu entropy --levels 2 --range 0,4 --rows --base e numbers.npy")
        self.assertAlmostEqual(report["entropy"][0], math.log(3) - 2 * math.log(2) / 3)
        self.assertEqual(report["unit"], "nat")

    def test_fused_has_the_keys_and_numbers_of_its_parts(self):
        asked = "--stats sum,std -k 2 -q 0.5 --bins 3 --range 0,9 --levels 3"
        report = self.daemon.json("tegu fused %s numbers.npy -o f.npy" % asked)
        self.keys(
            report,
            JOB
            + [
                "stats",
                "values",
                "indices",
                "q",
                "quantiles",
                "histogram",
                "edges",
                "entropy",
                "unit",
                "error",
            ],
        )
        for alone in (
            "reduce --stats sum,std",
            "topk -k 2",
            "quantile -q 0.5",
            "histogram --bins 3 --range 0,9",
            "entropy --range 0,9 --levels 3",
        ):
            part = self.daemon.json("tegu %s numbers.npy" % alone)
            for key in set(part) - set(JOB):
                self.assertEqual(report[key], part[key], (alone, key))
        descr, shape, content = read_npy(self.daemon.read("f.npy"))
        self.assertEqual(shape, ())
        self.assertEqual(
            descr,
            [
                ("sum", "<i8"),
                ("std", "<f8"),
                ("values", "<i4", (2,)),
                ("indices", "<i8", (2,)),
                ("quantiles", "<f8"),
                ("histogram", "<u8", (3,)),
                ("edges", "<f8", (4,)),
                ("entropy", "<f8"),
            ],
        )
        self.assertEqual(
            struct.unpack("<qd2i2qd3Q4dd", content)[:2], (report["stats"]["sum"], report["stats"]["std"])
        )

    def test_an_error(self):
        done = self.daemon.run("tegu topk -k 7 --json numbers.npy")
        self.assertEqual(done.returncode, 65)
        report = json.loads(done.stdout.decode())
        self.assertEqual(list(report), ["operation", "error"])
        self.assertEqual(list(report["error"]), ERROR)
        error = report["error"]
        self.assertEqual(
            (error["status"], error["exit_code"], error["field"], error["allowed"]),
            ("BAD_RANGE", 65, "k", "1..6"),
        )
        self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()

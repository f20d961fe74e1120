#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Partials as values: what is refused in merging and in reading, by the name of the field, and damaged bytes
of every kind. --no-numpy runs the same without numpy."""

import copy
import json
import os
import pickle
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case  # noqa: E402
import tegu  # noqa: E402
from case import setUpModule, tearDownModule  # noqa: E402, F401
from tegu._partials import codec, leaves, tree  # noqa: E402

DATA = struct.pack("<20000f", *(float(i % 97) for i in range(20000)))
HALF = len(DATA) // 2


class ValuesCase(case.Case):
    def samples(self):
        """One partial of each operation, of the first half of DATA."""
        place = {"dtype": "f32", "offset": 0, "total": 20000}
        first, c = DATA[:HALF], self.c
        parts = {"reduce": {"stats": "std"}, "topk": {"k": 2}}
        return {
            "reduce": c.reduce_partial(first, ("sum", "l2", "argmax", "minmax"), **place),
            "dot": c.dot_partial(first, first, **place),
            "topk": c.topk_partial(first, 5, **place),
            "histogram": c.histogram_partial(first, 10, (0, 50), **place),
            "entropy": c.entropy_partial(first, 16, (0, 97), **place),
            "fused": c.fused_partial(first, reduce=parts["reduce"], topk=parts["topk"], **place),
            "quantile": c.quantile_partial(first, tegu.Quantile(0.5, "f32").state, **place),
        }


class MergeTest(ValuesCase):
    def refused(self, field, *parts):
        self.assertRaisesTegu("BAD_REQUEST", field, tegu.merge, parts)

    def test_foreign_partials_are_refused_by_field(self):
        c, first, rest = self.c, DATA[:HALF], DATA[HALF:]
        place = {"dtype": "f32", "total": 20000}

        def reduce(stats="sum", data=rest, offset=10000, **options):
            return c.reduce_partial(data, stats, offset=offset, **dict(place, **options))

        one = c.reduce_partial(first, "sum", offset=0, **place)
        self.assertEqual(tegu.merge([one, reduce()]).result(), c.reduce(DATA, "sum", dtype="f32"))
        self.refused("operation", one, c.topk_partial(rest, 3, offset=10000, **place))
        self.refused("type", one, reduce(dtype="i32"))
        self.refused("total", one, reduce(total=20001))
        self.refused("stats", one, reduce(("sum", "max")))
        self.refused("skip_nans", one, reduce(skip_nans=True))
        self.refused("ddof", one, reduce(ddof=1))
        self.refused("ranges", one, reduce(offset=9999))
        self.refused("ranges", one, one)
        self.assertRaisesTegu("BAD_REQUEST", "parts", tegu.merge, [])
        self.assertRaisesTegu("BAD_REQUEST", "parts", tegu.merge, [one, 7])

    def test_parameters_of_others(self):
        c = self.c
        place = {"dtype": "f32", "offset": 10000}
        other = {
            "k": c.topk_partial(DATA[HALF:], 6, **place),
            "largest": c.topk_partial(DATA[HALF:], 5, largest=False, **place),
            "distinct": c.topk_partial(DATA[HALF:], 5, distinct=True, **place),
            "bins": c.histogram_partial(DATA[HALF:], 11, (0, 50), **place),
            "range": c.histogram_partial(DATA[HALF:], 10, (0, 51), **place),
            "levels": c.entropy_partial(DATA[HALF:], 17, (0, 97), **place),
            "base": c.entropy_partial(DATA[HALF:], 16, (0, 97), "e", **place),
            "parts": c.fused_partial(DATA[HALF:], topk={"k": 2}, **place),
        }
        samples = self.samples()
        for field, part in other.items():
            with self.subTest(field=field):
                self.refused(field, samples[part.operation], part)

    def test_missing_elements(self):
        for name, part in self.samples().items():
            if name != "quantile":
                with self.subTest(name=name):
                    self.assertRaisesTegu("BAD_REQUEST", "ranges", part.result)
        gap = self.c.reduce_partial(DATA[:HALF], "sum", dtype="f32", offset=5)
        self.assertRaisesTegu("BAD_REQUEST", "ranges", gap.result)

    def test_arguments_of_a_piece(self):
        c = self.c
        for field, wrong in (
            ("offset", {"offset": -1}),
            ("offset", {"offset": 2**63}),
            ("total", {"total": 19999}),
            ("total", {"total": 30000, "offset": 10001}),
        ):
            self.assertRaisesTegu("BAD_RANGE", field, c.reduce_partial, DATA, dtype="f32", **wrong)
        self.assertRaisesTegu("BAD_RANGE", "range", c.histogram_partial, DATA, dtype="f32")
        self.assertRaisesTegu("BAD_RANGE", "range", c.entropy_partial, DATA, dtype="f32")
        self.assertRaisesTegu("BAD_RANGE", "k", c.topk_partial, DATA, 0, dtype="f32")
        self.assertRaisesTegu("BAD_RANGE", "ddof", c.reduce_partial, DATA, ddof=2, dtype="f32")
        self.assertRaisesTegu("BAD_REQUEST", "parts", c.fused_partial, DATA, dtype="f32")
        self.assertRaisesTegu("UNSUPPORTED", "parts", c.fused_partial, DATA, quantile={"q": 0.5})
        if case.numpy is not None:
            gaps = case.numpy.zeros((4, 8), "f4")[:, :3]
            self.assertEqual(c.reduce_partial(gaps, "count").result(), {"count": 12})

    def test_empty_wholes(self):
        c = self.c
        self.assertEqual(c.reduce_partial(b"", ("sum", "nans"), dtype="f64").result(), {"sum": 0, "nans": 0})
        self.assertEqual(c.dot_partial(b"", b"", dtype="f64").result(), 0)
        empty = c.reduce_partial(b"", "max", dtype="f64")
        self.assertRaisesTegu("EMPTY_INPUT", "statistics", empty.result)
        self.assertRaisesTegu("EMPTY_INPUT", "cols", c.entropy_partial(b"").result)
        self.assertRaisesTegu("EMPTY_INPUT", "k", c.topk_partial(b"", 1).result)
        self.assertRaisesTegu("BAD_RANGE", "k", c.topk_partial(b"ab", 3).result)

    def test_quantile_takes_its_own_round_only(self):
        c = self.c
        found = tegu.Quantile(0.5, "f32", total=20000)
        part = c.quantile_partial(DATA, found.state, dtype="f32")
        half = c.quantile_partial(DATA[:HALF], found.state, dtype="f32")
        self.assertRaisesTegu("BAD_REQUEST", "ranges", found.add, [half])
        self.assertRaisesTegu("BAD_REQUEST", "round", part.result)
        self.assertRaisesTegu("BAD_REQUEST", "state", found.result)
        self.assertRaisesTegu("BAD_REQUEST", "type", c.quantile_partial, DATA, found.state, dtype="i32")
        found.add([part])
        self.assertRaisesTegu("BAD_REQUEST", "round", found.add, [part])
        other = c.reduce_partial(DATA, dtype="f32")
        self.assertRaisesTegu("BAD_REQUEST", "operation", found.add, other)
        self.assertRaisesTegu("BAD_RANGE", "q", tegu.Quantile, 1.5, "f32")
        self.assertRaisesTegu("BAD_RANGE", "method", tegu.Quantile, 0.5, "f32", method="best")


class BytesTest(ValuesCase):
    def test_round_trips(self):
        for name, part in self.samples().items():
            with self.subTest(name=name):
                for copied in (
                    tegu.Partial.from_bytes(part.to_bytes()),
                    tegu.Partial.from_json(part.to_json()),
                    pickle.loads(pickle.dumps(part)),
                    copy.deepcopy(part),
                ):
                    self.assertEqual(copied, part)
                    self.assertEqual(hash(copied), hash(part))
                    self.assertEqual(copied.ranges, ((0, 10000),))
                    self.assertEqual(copied.dtype, "float32")

    def test_version_and_magic(self):
        data = self.samples()["reduce"].to_bytes()
        newer = data[:8] + b"\2" + data[9:]
        self.assertRaisesTegu("BAD_REQUEST", "version", tegu.Partial.from_bytes, newer)
        self.assertRaisesTegu("BAD_REQUEST", "bytes", tegu.Partial.from_bytes, b"x" + data)
        self.assertRaisesTegu("BAD_REQUEST", "bytes", tegu.Partial.from_bytes, b"")
        self.assertRaisesTegu("BAD_REQUEST", "bytes", tegu.Partial.from_bytes, "text")
        changed = dict(json.loads(self.samples()["topk"].to_json()), version=2)
        self.assertRaisesTegu("BAD_REQUEST", "version", tegu.Partial.from_json, json.dumps(changed))
        changed.update(version=1, total=30000)
        self.assertRaisesTegu("BAD_REQUEST", "checksum", tegu.Partial.from_json, json.dumps(changed))
        self.assertRaisesTegu("BAD_REQUEST", "format", tegu.Partial.from_json, "{}")
        self.assertRaisesTegu("BAD_REQUEST", "header", tegu.Partial.from_json, "[" * 100000)

    def test_damaged_bytes(self):
        for name, part in self.samples().items():
            data = part.to_bytes()
            with self.subTest(name=name, seed=case.SEED):
                for _ in range(150):
                    damaged = bytearray(data)
                    if self.random.random() < 0.5:
                        damaged = damaged[: self.random.randrange(len(data))]
                    else:
                        at = self.random.randrange(len(data))
                        damaged[at] ^= 1 << self.random.randrange(8)
                    with self.assertRaises(tegu.Error):
                        tegu.Partial.from_bytes(bytes(damaged))

    def test_damage_with_a_right_checksum(self):
        """Whatever comes: an Error, or a partial that can be used."""
        for name, part in self.samples().items():
            header, sections = codec.from_bytes(part.to_bytes())
            with self.subTest(name=name, seed=case.SEED):
                for _ in range(150):
                    other, cut = copy.deepcopy(header), list(sections)
                    if self.random.random() < 0.5:
                        self.damage(other)
                    else:
                        at = self.random.randrange(len(cut))
                        raw = bytearray(cut[at] or b"\0")
                        for _ in range(self.random.randint(1, 8)):
                            raw[self.random.randrange(len(raw))] = self.random.randrange(256)
                        cut[at] = bytes(
                            raw[: self.random.choice((len(raw), self.random.randrange(len(raw) + 1)))]
                        )
                    try:
                        read = tegu.Partial.from_bytes(codec.to_bytes(other, cut))
                        read.to_bytes()
                        tegu.merge([read])
                        read.result()
                    except tegu.Error:
                        pass

    def test_contradictions_with_a_right_checksum(self):
        samples = self.samples()
        header, sections = codec.from_bytes(samples["reduce"].to_bytes())
        with self.assertRaises(tegu.Error) as raised:
            tegu.Partial.from_bytes(
                codec.to_bytes(header, [struct.pack("<QQ5dQ", 1 << 33, 1, *[0] * 6)] + sections[1:])
            )
        self.assertEqual(raised.exception.field, "nodes", "and nothing of that size is allocated")
        for name, where, value in (
            ("dot", "sum", "1_0"),
            ("dot", "sum", True),
            ("reduce", "facts", [0] * 4 + [19999] * 3 + ["0"] * 3),
            ("quantile", "signed_nans", 1),
        ):
            header, sections = codec.from_bytes(samples[name].to_bytes())
            header["data"][where] = value
            with self.assertRaises(tegu.Error, msg=(name, value)):
                tegu.Partial.from_bytes(codec.to_bytes(header, sections))
        header, sections = codec.from_bytes(samples["topk"].to_bytes())
        with self.assertRaises(tegu.Error) as raised:
            tegu.Partial.from_bytes(codec.to_bytes(header, [sections[0][:16] * 5]))
        self.assertEqual(raised.exception.field, "indices")
        self.assertRaises(tegu.Error, tegu.Partial.from_json, 10**9)

    def damage(self, value):
        """Changes one value somewhere in a header."""
        odd = (None, -1, 1 << 70, "nan", [], {}, True, 0.5, [[0, 1]], "x" * 50)
        while True:
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            if not keys:
                return
            key = self.random.choice(keys)
            if isinstance(value[key], (dict, list)) and value[key] and self.random.random() < 0.7:
                value = value[key]
                continue
            value[key] = self.random.choice(odd)
            return


class TreeTest(unittest.TestCase):
    def test_nodes_cover_all_but_the_edges(self):
        for offset in (0, 1, 16383, 16384, 5 * 16384, 2**32 - 1, 2**45 + 7):
            for n in (0, 1, 16383, 16384, 100000, 40 * 16384 + 3):
                for last in (False, True):
                    read = lambda begin, count: (bytes(count),)  # noqa: E731
                    edges, nodes = tree.edges_of(read, offset, n, last)
                    covered = [(begin, begin + count) for begin, count in nodes]
                    covered += [(begin - offset, begin - offset + len(raw[0])) for begin, raw in edges]
                    at = 0
                    for begin, end in sorted(covered):
                        self.assertEqual(begin, at)
                        at = end
                    self.assertEqual(at, n)
                    for begin, count in nodes:
                        whole = count % leaves.CHUNK == 0
                        self.assertTrue(whole or (last and begin + count == n))
                        self.assertEqual((offset + begin) % (count if whole else leaves.CHUNK), 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Partials through the Python package: any cut of an array into pieces, merged in any order and grouping,
gives the bits of the undivided job. --no-numpy runs the same without numpy, --gpu has the pieces computed by
the guarded device of the tests."""

import os
import pickle
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
WITH_GPU = "--gpu" in sys.argv
if WITH_GPU:
    sys.argv.remove("--gpu")
import case  # noqa: E402
import harness  # noqa: E402
import tegu  # noqa: E402
from case import tearDownModule  # noqa: E402, F401
from tegu import _types  # noqa: E402

CHUNK = 16384
FLOATS = ("f16", "f32", "f64")
TYPES = tuple(_types.WORDS.values())
STATISTICS = tegu._abi.STATISTICS
OVER = ("sum", "l1")  # of 64-bit integers these do not fit


def setUpModule():
    if not WITH_GPU:
        return case.setUpModule()
    case.daemon = harness.GuardedDaemon()


def plain(value):
    """Something that is equal for the same bits only."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, (int, str)):
        return value
    return bytes(memoryview(value))


class PartialsCase(case.Case):
    def elements(self, word, count, kind):
        """`count` elements of a type as bytes: numbers, ties, any bits, or a few special ones."""
        width, code = _types.BYTES[_types.type_number(word)], _types.FORMATS[_types.type_number(word)]
        if kind == "bits":
            return bytes(bytearray(self.random.getrandbits(8) for _ in range(64 * width))) * (
                count // 64
            ) + bytes(count % 64 * width)
        if word in FLOATS:
            some = [0.0, -0.0, 1.5, -2.25, 6.1e-5, 3e4, -1e3, 0.1, 7.0]
            if kind == "special":
                some += [float("nan"), float("inf"), -float("inf")]
            if kind == "huge" and word != "f16":
                some = [3e38, -3e38, 1e-38, 2e-45] if word == "f32" else [1e308, 1e300, -1e308, 1e-310]
        else:
            bits = 8 * width
            low, high = (0, (1 << bits) - 1) if word[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
            some = [low, high, 0, 1, high // 3, high // 2] if kind != "numbers" else [0, 1, 3, 7, 100, 42]
        if kind == "numbers":
            some = some + [type(some[0])(self.random.randint(0, 100)) for _ in range(30)]
        return struct.pack("<%d%s" % (count, code), *(self.random.choice(some) for _ in range(count)))

    def cuts(self, count, pieces, aligned=False):
        places = [self.random.randint(0, count) for _ in range(pieces - 1)]
        if aligned:
            places = [place // CHUNK * CHUNK for place in places]
        places = sorted(places)
        return list(zip([0] + places, places + [count]))

    def pieces(self, data, word, cuts, call, total="known", second=None, **options):
        width = _types.BYTES[_types.type_number(word)]
        count = len(data) // width
        made = []
        for begin, end in cuts:
            inputs = [each[begin * width : end * width] for each in (data, second) if each is not None]
            known = {"known": count, "unknown": None, "mixed": self.random.choice((count, None))}[total]
            if WITH_GPU:
                options["backend"] = "gpu"
            made.append(call(*inputs, dtype=word, offset=begin, total=known, **options))
        return made

    def merged(self, parts):
        """In any order and grouping, through bytes, JSON and pickle on the way."""
        parts = list(parts)
        self.random.shuffle(parts)
        while len(parts) > 1:
            count = self.random.randint(2, min(4, len(parts)))
            one = tegu.merge(parts[:count])
            way = self.random.choice("bjp-")
            if way == "b":
                one = tegu.Partial.from_bytes(one.to_bytes())
            elif way == "j":
                one = tegu.Partial.from_json(one.to_json())
            elif way == "p":
                one = pickle.loads(pickle.dumps(one))
            parts = parts[count:] + [one]
            self.random.shuffle(parts)
        return parts[0]

    def outcome(self, call, *arguments, **options):
        try:
            return plain(call(*arguments, **options))
        except tegu.Error as error:
            return error.status, error.field

    def assertSame(self, whole, merged):
        self.assertEqual(whole, merged, "seed %d" % case.SEED)

    def count_of(self):
        return self.random.choice((0, 1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK + 77))


class BackendTest(PartialsCase):
    def test_pieces_run_where_they_should(self):
        self.pieces(self.elements("f32", 40000, "numbers"), "f32", [(0, 40000)], self.c.reduce_partial)
        self.assertEqual(self.c.last.backend, "gpu" if WITH_GPU else "cpu")


class ReduceTest(PartialsCase):
    def check(self, data, word, cuts, stats, total="known", **options):
        parts = self.pieces(data, word, cuts, self.c.reduce_partial, total, stats=stats, **options)
        whole = self.outcome(self.c.reduce, data, dtype=word, stats=stats, **options)
        self.assertSame(whole, self.outcome(self.merged(parts).result))

    def test_every_type_and_statistic(self):
        for word in TYPES:
            for kind in ("numbers", "special"):
                stats = STATISTICS
                if word in ("u64", "i64") and kind == "special":
                    stats = tuple(name for name in STATISTICS if name not in OVER)
                count = self.random.choice((3 * CHUNK + 5, 4 * CHUNK, 2 * CHUNK - 1))
                data = self.elements(word, count, kind)
                cuts = self.cuts(count, self.random.randint(2, 4), self.random.random() < 0.3)
                for skip in (False, True):
                    with self.subTest(word=word, kind=kind, skip=skip, cuts=cuts):
                        self.check(data, word, cuts, stats, skip_nans=skip, ddof=self.random.randint(0, 1))

    def test_one_statistic_alone(self):
        for name in STATISTICS:
            word = self.random.choice(TYPES)
            data = self.elements(word, CHUNK + 900, self.random.choice(("numbers", "special")))
            cuts = self.cuts(CHUNK + 900, 3)
            with self.subTest(name=name, word=word, cuts=cuts):
                self.check(data, word, cuts, (name,), skip_nans=self.random.random() < 0.5)

    def test_any_size_and_total(self):
        for _ in range(12):
            count, word = self.count_of(), self.random.choice(TYPES)
            data = self.elements(word, count, "numbers")
            cuts = self.cuts(count, self.random.randint(1, 6))
            total = self.random.choice(("known", "unknown", "mixed"))
            with self.subTest(count=count, word=word, cuts=cuts, total=total):
                self.check(data, word, cuts, STATISTICS if count else ("sum", "nonzero", "nans"), total)

    def test_huge_values_and_pieces_of_one_element(self):
        for word in ("f32", "f64", "f16"):
            data = self.elements(word, CHUNK + 40, "huge")
            cuts = [(0, 1), (1, 2), (2, 2), (2, CHUNK - 1), (CHUNK - 1, CHUNK), (CHUNK, CHUNK + 40)]
            with self.subTest(word=word):
                self.check(data, word, cuts, STATISTICS)
                self.check(data, word, cuts, ("std", "l2"), skip_nans=True)

    def test_sums_that_do_not_fit_are_refused_at_the_end_only(self):
        data = struct.pack("<4q", 2**62, 2**62, -(2**62), -(2**62))
        parts = self.pieces(data, "i64", [(0, 2), (2, 4)], self.c.reduce_partial, stats="sum")
        self.assertEqual(tegu.merge(parts).result(), {"sum": 0})
        self.assertRaisesTegu("BAD_REQUEST", "ranges", parts[0].result)
        alone = self.c.reduce_partial(data[:16], "sum", dtype="i64", total=2)
        self.assertRaisesTegu("OVERFLOW", "sum", alone.result)

    def test_buffers_and_shapes(self):
        with self.c.buffer((3, CHUNK), "f32") as buffer:
            raw = self.elements("f32", 3 * CHUNK, "numbers")
            memoryview(buffer.array).cast("B")[:] = raw
            whole = self.c.reduce(buffer, ("sum", "var", "argmax"))
            first = self.c.reduce_partial(
                buffer, ("sum", "var", "argmax"), shape=(100, 100), offset=0, total=3 * CHUNK
            )
            rest = self.c.reduce_partial(
                raw[40000:], ("sum", "var", "argmax"), dtype="f32", offset=10000, total=3 * CHUNK
            )
            self.assertEqual(plain(tegu.merge([rest, first]).result()), plain(whole))


class OthersTest(PartialsCase):
    def test_topk(self):
        for word in TYPES:
            for distinct in (False, True):
                count = self.random.choice((500, 3 * CHUNK + 9))
                data = self.elements(word, count, self.random.choice(("numbers", "special", "bits")))
                options = {
                    "k": self.random.choice((1, 7, 300)),
                    "largest": self.random.random() < 0.5,
                    "distinct": distinct,
                }
                cuts = self.cuts(count, 5)
                with self.subTest(word=word, count=count, cuts=cuts, **options):
                    parts = self.pieces(data, word, cuts, self.c.topk_partial, "mixed", **options)
                    whole = self.outcome(self.c.topk, data, dtype=word, **options)
                    self.assertSame(whole, self.outcome(self.merged(parts).result))

    def test_histogram_and_entropy(self):
        for word in TYPES:
            for edges in ((0, 100), (-2.5, 7), (3, 3)):
                count = self.random.choice((1, 700, 70000))
                data = self.elements(word, count, self.random.choice(("numbers", "special", "bits")))
                cuts = self.cuts(count, 4)
                with self.subTest(word=word, edges=edges, count=count, cuts=cuts):
                    options = {"bins": self.random.choice((1, 10, 1000)), "range": edges}
                    parts = self.pieces(data, word, cuts, self.c.histogram_partial, **options)
                    whole = self.outcome(self.c.histogram, data, dtype=word, **options)
                    self.assertSame(whole, self.outcome(self.merged(parts).result))
                    if edges[0] == edges[1]:
                        continue
                    options = {"levels": self.random.choice((2, 256, 5000)), "range": edges}
                    options["base"] = self.random.choice((2, "e"))
                    options["skip_nans"] = self.random.random() < 0.5
                    parts = self.pieces(data, word, cuts, self.c.entropy_partial, **options)
                    whole = self.outcome(self.c.entropy, data, dtype=word, **options)
                    self.assertSame(whole, self.outcome(self.merged(parts).result))

    def test_entropy_of_whole_integer_types(self):
        for word in TYPES[:8]:
            data = self.elements(word, 5000, "bits")
            parts = self.pieces(data, word, self.cuts(5000, 3), self.c.entropy_partial, levels=64)
            self.assertSame(plain(self.c.entropy(data, 64, dtype=word)), plain(self.merged(parts).result()))

    def test_dot(self):
        for word in TYPES:
            for kind in ("numbers", "special", "huge"):
                count = self.random.choice((1, 1000, CHUNK, 2 * CHUNK + 3))
                if word in ("u64", "i64") and kind != "numbers":
                    continue
                x, y = (self.elements(word, count, kind) for _ in range(2))
                cuts = self.cuts(count, 3)
                skip = self.random.random() < 0.5
                with self.subTest(word=word, kind=kind, cuts=cuts, skip=skip):
                    parts = self.pieces(x, word, cuts, self.c.dot_partial, "mixed", second=y, skip_nans=skip)
                    whole = self.outcome(self.c.dot, x, y, dtype=word, skip_nans=skip)
                    self.assertSame(whole, self.outcome(self.merged(parts).result))

    def test_fused(self):
        options = {
            "reduce": {"stats": ("sum", "std", "argmin")},
            "topk": {"k": 5},
            "histogram": {"bins": 12, "range": (0, 100)},
            "entropy": {"levels": 16, "range": (0, 100)},
        }
        for word in TYPES:
            count = CHUNK + 3000
            data = self.elements(word, count, "numbers")
            cuts = self.cuts(count, 3) + [(count, count)]
            with self.subTest(word=word, cuts=cuts):
                parts = self.pieces(data, word, cuts, self.c.fused_partial, **options)
                whole = self.outcome(self.c.fused, data, dtype=word, **options)
                self.assertSame(whole, self.outcome(self.merged(parts).result))


class UnionTest(PartialsCase):
    def test_merged_pieces_are_the_partial_of_their_union(self):
        """To the byte, at any place in an array that nobody could hold."""
        c = self.c
        calls = {
            "reduce": (c.reduce_partial, {"stats": STATISTICS}),
            "topk": (c.topk_partial, {"k": 9}),
            "histogram": (c.histogram_partial, {"bins": 20, "range": (0, 100)}),
            "entropy": (c.entropy_partial, {"levels": 32, "range": (0, 100)}),
            "fused": (c.fused_partial, {"reduce": {"stats": ("l2", "max")}, "topk": {"k": 2}}),
        }
        for place in (0, 1, CHUNK, 2**32 - CHUNK, 2**32 - 5, 2**46 - 3 * CHUNK, 2**58 + 12345):
            for name, (call, options) in calls.items():
                word = self.random.choice(FLOATS)
                count = 3 * CHUNK + 1234
                data = self.elements(word, count, self.random.choice(("numbers", "special")))
                width = len(data) // count
                total = self.random.choice((place + count, 2**60))
                cuts = self.cuts(count, 4)
                with self.subTest(name=name, place=place, word=word, cuts=cuts, total=total):
                    options = dict(options, dtype=word, total=total)
                    whole = call(data, offset=place, **options)
                    parts = [
                        call(data[begin * width : end * width], offset=place + begin, **options)
                        for begin, end in cuts
                    ]
                    self.assertEqual(self.merged(parts).to_bytes(), whole.to_bytes())


class QuantileTest(PartialsCase):
    def check(self, data, word, cuts, q, method, skip):
        count = len(data) // _types.BYTES[_types.type_number(word)]
        found = tegu.Quantile(q, word, total=count, method=method, skip_nans=skip)
        rounds = 0
        while not found.done:
            state = found.state if self.random.random() < 0.5 else found.state.plain()
            parts = self.pieces(data, word, cuts, self.c.quantile_partial, state=state)
            found.add(self.merged(parts) if self.random.random() < 0.5 else parts)
            rounds += 1
        self.assertLessEqual(rounds, found.rounds)
        return found.result()

    def test_every_type_and_method(self):
        methods = ("linear", "lower", "higher", "nearest", "midpoint")
        for word in TYPES:
            for kind in ("numbers", "special", "bits"):
                count = self.random.choice((1, 1000, 20001))
                data = self.elements(word, count, kind)
                cuts = self.cuts(count, 3)
                for skip in (False, True):
                    method = self.random.choice(methods)
                    q = (0, 1, 0.5, self.random.random(), self.random.random())
                    with self.subTest(word=word, kind=kind, cuts=cuts, skip=skip, method=method, q=q):
                        whole = self.c.quantile(data, q, method=method, skip_nans=skip, dtype=word)
                        got = self.check(data, word, cuts, q, method, skip)
                        self.assertSame(
                            plain(
                                [
                                    float(v) if method in ("linear", "midpoint") or word in FLOATS else int(v)
                                    for v in list(whole)
                                ]
                            ),
                            plain(got),
                        )


class PageTest(PartialsCase):
    def test_the_examples_of_the_page(self):
        if case.numpy is None:
            return
        with open(os.path.join(harness.SOURCE, "docs", "partials.md"), encoding="utf-8") as page:
            examples = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.assertEqual(len(examples), 2)
        os.environ["TEGU_SOCKET"] = case.socket()
        self.addCleanup(os.environ.pop, "TEGU_SOCKET")
        names = {}
        for text in examples:
            exec(text, names)


if __name__ == "__main__":
    unittest.main()

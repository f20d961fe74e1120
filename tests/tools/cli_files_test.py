#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in and out, against readers and writers that share no code with the command: pictures of every kind,
.npy results, and large inputs that travel through buffers."""

import itertools
import random
import struct
import unittest

from daemon import Daemon
from files import CHANNELS, npy, png, read_npy, read_png


def luma(r, g, b):
    return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16


class FilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()
        cls.random = random.Random(1998)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def pixels_of(self, name, count):
        """What the command sees in a picture, in order: a stable top-k of all pixels with their indices."""
        report = self.daemon.json("tegu topk -k %d %s" % (count, name))
        pixels = [None] * count
        for value, index in zip(report["values"], report["indices"]):
            pixels[index] = value
        return report, pixels

    def check_png(self, depth, colour, interlaced, width=13, height=11):
        samples = [self.random.randrange(1 << depth) for _ in range(width * height * CHANNELS[colour])]
        code = ">%dB" if depth == 8 else ">%dH"
        self.daemon.write(
            "x.png",
            png(
                width,
                height,
                depth,
                colour,
                struct.pack(code % len(samples), *samples),
                interlaced=interlaced,
            ),
        )
        report, pixels = self.pixels_of("x.png", width * height)
        self.assertEqual((report["dtype"], report["shape"]), ("u%d" % depth, [height, width]))
        channels = CHANNELS[colour]
        groups = [samples[i : i + channels] for i in range(0, len(samples), channels)]
        expected = [luma(*group[:3]) if channels >= 3 else group[0] for group in groups]
        self.assertEqual(pixels, expected, (depth, colour, interlaced))

    def test_png_of_every_kind(self):
        for depth, colour, interlaced in itertools.product((8, 16), (0, 2, 4, 6), (False, True)):
            self.check_png(depth, colour, interlaced)

    def test_png_interlaced_and_tiny(self):
        for size in (1, 2, 3, 5, 8):
            self.check_png(8, 2, True, size, size)

    def test_png_of_few_bits_is_spread(self):
        for depth, packed, expected in (
            (1, b"\x5f", [0, 255, 0, 255]),
            (2, b"\x1b", [0, 85, 170, 255]),
            (4, b"\x0f\x17", [0, 255, 17, 119]),
        ):
            self.daemon.write("x.png", png(4, 1, depth, 0, packed))
            self.assertEqual(self.pixels_of("x.png", 4)[1], expected, depth)

    def test_png_palette_and_transparency(self):
        palette = b"\0\0\0\xff\0\0\0\xff\0\0\0\xff"
        for transparency in (None, b"\0\x80"):
            self.daemon.write("x.png", png(4, 1, 2, 3, b"\x1b", palette=palette, transparency=transparency))
            self.assertEqual(self.pixels_of("x.png", 4)[1], [0, 76, 150, 29])
        self.daemon.write("x.png", png(2, 1, 8, 0, b"ab", transparency=b"\0a"))
        self.assertEqual(self.pixels_of("x.png", 2)[1], [97, 98])

    def test_png_broken_in_every_byte_never_kills(self):
        good = png(13, 11, 8, 0, bytes(self.random.randrange(256) for _ in range(143)))
        for at in range(8, len(good), 7):
            self.daemon.write("x.png", good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :])
            self.assertIn(self.daemon.run("tegu reduce --stats sum x.png").returncode, (0, 65), at)

    def test_map_as_picture_is_the_map_scaled(self):
        self.daemon.run("tegu entropy-map --window 7 --levels 32 $DATA/camera.pgm -o map.npy")
        descr, shape, content = read_npy(self.daemon.read("map.npy"))
        self.assertEqual((descr, shape), ("<f4", (512, 512)))
        values = struct.unpack("<262144f", content)
        # full: 0 to log2(32); data: min to max
        for scale, lo, hi in (("full", 0.0, 5.0), ("data", min(values), max(values)), ("1,2.5", 1.0, 2.5)):
            done = self.daemon.run(
                "tegu entropy-map --window 7 --levels 32 --scale %s $DATA/camera.pgm -o map.png" % scale
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            width, height, depth, colour, pixels, texts = read_png(self.daemon.read("map.png"))
            self.assertEqual((width, height, depth, colour), (512, 512, 8, 0))
            factor = 255 / (hi - lo)
            expected = bytes(min(255, max(0, int((value - lo) * factor + 0.5))) for value in values)
            self.assertEqual(pixels, expected, scale)
            self.assertIn("bit from first to last colour of grey", texts["Description"])
        self.daemon.run("tegu entropy-map --window 7 --levels 32 --scale 1,2.5 $DATA/camera.pgm -o map.pgm")
        self.assertEqual(self.daemon.read("map.pgm")[-262144:], expected)

    def test_map_in_colour(self):
        self.daemon.run("tegu entropy-map $DATA/camera.pgm --colour viridis -o map.png")
        _, _, depth, colour, pixels, texts = read_png(self.daemon.read("map.png"))
        self.assertEqual((depth, colour), (8, 2))
        self.assertIn(b"\x44\x01\x54", pixels)  # entropy 0
        self.assertIn("viridis", texts["Description"])

    def test_structured_results(self):
        self.daemon.write("m.npy", npy("<i4", (2, 3), struct.pack("<6i", 5, -3, 9, 9, 1, 9)))
        self.daemon.run("tegu reduce --rows --stats sum,minmax m.npy -o r.npy")
        descr, shape, content = read_npy(self.daemon.read("r.npy"))
        self.assertEqual((descr, shape), ([("sum", "<i8"), ("minmax", "<i4", (2,))], (2,)))
        self.assertEqual(list(struct.iter_unpack("<qii", content)), [(11, -3, 9), (19, 1, 9)])
        self.daemon.run("tegu topk --rows -k 2 m.npy -o t.npy")
        descr, shape, content = read_npy(self.daemon.read("t.npy"))
        self.assertEqual((descr, shape), ([("values", "<i4"), ("indices", "<i8")], (2, 2)))
        self.assertEqual(list(struct.iter_unpack("<iq", content)), [(9, 2), (5, 0), (9, 0), (9, 2)])
        self.daemon.run("tegu reduce --rows --stats max m.npy -o x.npy")
        self.assertEqual(read_npy(self.daemon.read("x.npy")), ("<i4", (2,), struct.pack("<2i", 9, 9)))

    def test_large_inputs_in_every_order_and_way(self):
        rows, cols = 1500, 130  # beyond one tile each way, and beyond what travels in a message
        values = [self.random.randrange(-(2**31), 2**31) for _ in range(rows * cols)]
        turned = [values[r * cols + c] for c in range(cols) for r in range(rows)]
        pack = struct.Struct("<%di" % len(values)).pack
        self.daemon.write("c.npy", npy("<i4", (rows, cols), pack(*values)))
        self.daemon.write("f.npy", npy("<i4", (rows, cols), pack(*turned), fortran=True))
        self.daemon.write("r.raw", pack(*values))
        expected = [max(values[r * cols : (r + 1) * cols]) for r in range(rows)]
        for command in (
            "tegu reduce --rows --stats max %s c.npy",
            "tegu reduce --rows --stats max %s f.npy",
            "tegu reduce --rows --stats max --dtype i32 --shape 1500x130 %s r.raw",
            "cat c.npy | tegu reduce --rows --stats max %s -",
            "cat f.npy | tegu reduce --rows --stats max %s -",
            "tegu reduce --rows --stats max %s - < c.npy",
        ):
            report = self.daemon.json(command % "--timeout 100")
            self.assertEqual(report["stats"]["max"], expected, command)

    def test_deep_pgm_through_a_buffer(self):
        values = [self.random.randrange(65536) for _ in range(300 * 200)]
        self.daemon.write("d.pgm", b"P5\n300 200\n65535\n" + struct.pack(">60000H", *values))
        for command in (
            "tegu reduce --stats sum,argmax d.pgm",
            "cat d.pgm | tegu reduce --stats sum,argmax -",
        ):
            stats = self.daemon.json(command)["stats"]
            self.assertEqual(stats, {"sum": sum(values), "argmax": values.index(max(values))}, command)


if __name__ == "__main__":
    unittest.main()

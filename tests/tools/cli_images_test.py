#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images through libturbojpeg and libtiff: every kind that is read, what is refused, and a machine without
the library. A library that is not there is skipped."""

import ctypes
import json
import os
import struct
import unittest

from daemon import SOURCE, Daemon
from files import tif

IMAGES = os.path.join(SOURCE, "tests", "data", "images")
WIDTH, HEIGHT = 40, 24


def red(x, y):
    return (x * 6 + y * 3) % 256


def luma(r, g, b):
    return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16


PIXELS = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
GREY = [red(x, y) for x, y in PIXELS]
COLOURS = [luma(red(x, y), 255 - red(x, y), y * 10) for x, y in PIXELS]


def has(*names):
    for name in names:
        try:
            return ctypes.CDLL(name) is not None
        except OSError:
            pass
    return False


class ImagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None, None, None)

    def pixels(self, path):
        """(dtype, shape, elements) of an image, by way of adding nothing to it."""
        done = self.daemon.run("tegu topk --json -k 1 '%s'" % path)
        self.assertEqual(done.returncode, 0, done.stderr)
        shape = json.loads(done.stdout.decode())["shape"]
        count = shape[0] * shape[1]
        done = self.daemon.run("tegu topk --json -k %d '%s'" % (count, path))
        found = json.loads(done.stdout.decode())
        elements = [None] * count
        for value, index in zip(found["values"], found["indices"]):
            elements[index] = value
        return found["dtype"], tuple(shape), elements

    def refused(self, path, says):
        done = self.daemon.run("tegu reduce '%s'" % path)
        self.assertEqual((done.returncode, done.stdout), (65, b""), done.stderr)
        self.assertIn(says, done.stderr.decode())
        self.assertEqual(done.stderr.count(b"\n"), 1)

    @unittest.skipUnless(has("libturbojpeg.so.0"), "no libturbojpeg.so.0")
    def test_jpeg(self):
        for name, wanted in (("grey", GREY), ("colour", COLOURS), ("progressive", COLOURS)):
            dtype, shape, elements = self.pixels(os.path.join(IMAGES, name + ".jpg"))
            self.assertEqual((dtype, shape), ("u8", (HEIGHT, WIDTH)))
            # The format is lossy: here by few levels, but where the gradient jumps.
            far = sum(abs(a - b) > 12 for a, b in zip(elements, wanted))
            self.assertLess(far, len(wanted) // 10, name)
        self.refused(os.path.join(IMAGES, "cmyk.jpg"), "an image of 4 components (allowed: 1 (grey)")

    @unittest.skipUnless(has("libturbojpeg.so.0"), "no libturbojpeg.so.0")
    def test_a_damaged_jpeg_is_an_error(self):
        with open(os.path.join(IMAGES, "colour.jpg"), "rb") as image:
            content = image.read()
        for size in range(3, len(content) - 2, 41):
            self.daemon.write("short.jpg", content[:size])
            self.refused("short.jpg", "short.jpg: .jpg: ")

    @unittest.skipUnless(has("libtiff.so.6", "libtiff.so.5"), "no libtiff")
    def test_tiff_of_every_type_and_order(self):
        values = [0, 1, 2, 100, 50, 7]
        for bits, kind, code, word in (
            (8, 1, "B", "u8"),
            (8, 2, "b", "i8"),
            (16, 1, "H", "u16"),
            (16, 2, "h", "i16"),
            (32, 1, "I", "u32"),
            (32, 2, "i", "i32"),
            (64, 1, "Q", "u64"),
            (64, 2, "q", "i64"),
            (16, 3, "e", "f16"),
            (32, 3, "f", "f32"),
            (64, 3, "d", "f64"),
        ):
            for order in "<>":
                data = struct.pack("%s6%s" % (order, code), *values)
                for options in ({}, {"rows_per_strip": 1}, {"deflate": True}):
                    image = tif(3, 2, data, bits=bits, kind=kind, order=order, **options)
                    self.daemon.write("t.tif", image)
                    self.assertEqual(self.pixels("t.tif"), (word, (2, 3), values), (word, order, options))

    @unittest.skipUnless(has("libtiff.so.6", "libtiff.so.5"), "no libtiff")
    def test_tiff_of_colour_tiles_and_compressions(self):
        rgb = b"\xff\0\0\0\xff\0"
        self.daemon.write("rgb.tif", tif(2, 1, rgb, samples=3, photometric=2))
        self.assertEqual(self.pixels("rgb.tif"), ("u8", (1, 2), [76, 150]))
        rgba = b"\xff\0\0\x07\0\xff\0\x09"
        self.daemon.write("rgba.tif", tif(2, 1, rgba, samples=4, photometric=2, deflate=True))
        self.assertEqual(self.pixels("rgba.tif"), ("u8", (1, 2), [76, 150]))
        deep = struct.pack(">6H", 65535, 0, 0, 0, 65535, 0)
        self.daemon.write("deep.tif", tif(2, 1, deep, bits=16, samples=3, photometric=2, order=">"))
        self.assertEqual(self.pixels("deep.tif"), ("u16", (1, 2), [19595, 38469]))
        tiles = b"".join(bytes([tile] * 256) for tile in range(4))
        self.daemon.write("tiles.tif", tif(17, 18, tiles, tile=(16, 16)))
        wanted = [(y // 16) * 2 + x // 16 for y in range(18) for x in range(17)]
        self.assertEqual(self.pixels("tiles.tif"), ("u8", (18, 17), wanted))
        lzw = self.pixels(os.path.join(IMAGES, "lzw.tif"))
        self.assertEqual(lzw, ("u8", (HEIGHT, WIDTH), COLOURS))
        packbits = self.pixels(os.path.join(IMAGES, "packbits.tif"))
        self.assertEqual(packbits, ("u8", (HEIGHT, WIDTH), GREY))

    @unittest.skipUnless(has("libtiff.so.6", "libtiff.so.5"), "no libtiff")
    def test_tiff_refuses_by_name(self):
        for claims, says in (
            ({256: 2000000000}, "pixels, which"),
            ({258: 12}, "samples of 12 bits"),
            ({262: 5}, "photometric interpretation 5"),
            ({259: 7}, "compression 7 (allowed: none, LZW, deflate, PackBits)"),
        ):
            self.daemon.write("t.tif", tif(3, 2, b"abcdef", claims=claims))
            self.refused("t.tif", says)
        planes = tif(1, 1, b"abc", samples=3, photometric=2, claims={284: 2})
        self.daemon.write("t.tif", planes)
        self.refused("t.tif", "the channels lie in planes of their own")
        self.daemon.write("t.tif", tif(3, 2, b"abcdef")[:-1])
        self.refused("t.tif", "t.tif: .tif: ")

    def test_without_the_library_the_package_is_named(self):
        """A file of the library's name that is none is found first."""
        self.daemon.run("mkdir -p lib")
        for name in ("libtiff.so.6", "libtiff.so.5", "libturbojpeg.so.0"):
            self.daemon.write("lib/" + name, b"none")
        self.daemon.write("t.tif", tif(3, 2, b"abcdef"))
        for path, says in (
            ("t.tif", "t.tif: .tif needs libtiff.so.6: apt install libtiff6 (libtiff5"),
            (IMAGES + "/grey.jpg", "grey.jpg: .jpg needs libturbojpeg.so.0: apt install libturbojpeg0 ("),
        ):
            done = self.daemon.run("LD_LIBRARY_PATH=lib tegu reduce '%s'" % path)
            self.assertEqual((done.returncode, done.stdout), (66, b""), done.stderr)
            self.assertIn(says, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours: contrast on both backgrounds, and the distance between series for readers with each kind of
colour-blindness."""

import itertools
import unittest

import support

support.skip_without()
from tegu_compare.pictures import palette  # noqa: E402

# Machado, Oliveira, Fernandes 2009, severity 1: linear RGB to what such a reader sees.
SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
CONTRAST = 4.5  # of text, WCAG 2 AA
DISTANCE = 14.0  # CIE 1976; 2.3 is just noticeable side by side


def linear(text):
    channels = [int(text[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]


def luminance(text):
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear(text)))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (
        sum(weight * one for weight, one in zip(row, rgb)) / white
        for row, white in zip(rows, (0.9505, 1, 1.089))
    )
    x, y, z = (max(one, 0) ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(text, sight):
    rgb = linear(text)
    return lab([min(1, max(0, sum(weight * one for weight, one in zip(row, rgb)))) for row in SIGHT[sight]])


class PaletteTest(unittest.TestCase):
    def test_everything_that_is_read_stands_out_from_both_backgrounds(self):
        for scheme in (0, 1):
            paper = palette.ROLES["paper"][scheme]
            for role, values in palette.ROLES.items():
                if role not in ("paper", "rule"):
                    self.assertGreaterEqual(contrast(values[scheme], paper), CONTRAST, (role, scheme))

    def test_series_differ_for_every_reader(self):
        for scheme, sight in itertools.product((0, 1), SIGHT):
            places = {
                role: seen(values[scheme], sight)
                for role, values in palette.ROLES.items()
                if role.startswith("series")
            }
            for a, b in itertools.combinations(places, 2):
                distance = sum((p - q) ** 2 for p, q in zip(places[a], places[b])) ** 0.5
                self.assertGreaterEqual(distance, DISTANCE, (a, b, sight, scheme))

    def test_every_role_has_a_colour_that_stands_for_it(self):
        self.assertEqual(len(palette.variables()), len(palette.ROLES))
        for role in palette.ROLES:
            self.assertEqual(palette.variables()[palette.colour(role)], "var(--%s)" % role)
            self.assertIn("--%s:" % role, palette.css())
        self.assertEqual(len({palette.marker(index) for index in range(palette.SERIES)}), palette.SERIES)


class Marks(unittest.TestCase):
    def test_many_boards_differ_by_colour_and_mark_together(self):
        self.assertEqual(len(palette.MARKERS), palette.SERIES)
        for mark in (palette.marker, palette.dash):
            looks = {(palette.series(index), mark(index)) for index in range(36)}
            self.assertEqual(len(looks), 36)


if __name__ == "__main__":
    unittest.main()

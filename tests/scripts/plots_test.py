#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plots of docs/: each can be drawn again of its record, and a plot that is behind is found without
drawing."""

import importlib.util
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(SOURCE, "scripts")
sys.dont_write_bytecode = True
sys.path[:0] = [SCRIPTS, os.path.join(SOURCE, "tests", "reliability")]
import plots  # noqa: E402

LADDER = {
    "device": {"gpu": "Board <1>"},
    "cases": [
        {"name": "sum/f32/n=8/1", "policy": "1. first", "median_ns": 4.0, "bytes": 32, "of_copy": 0.5},
        {"name": "sum/f32/n=8/tegu", "policy": "tegu's", "median_ns": 2.0, "bytes": 32, "of_copy": 1.0},
        {"name": "add/f32/8x8/1", "policy": "other", "median_ns": 9.0, "bytes": 9},
    ],
}


def script(name):
    """A script as a module, whatever its name."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(SOURCE, name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PlotsTest(unittest.TestCase):
    def setUp(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("needs matplotlib")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def drawn(self, figure):
        """Texts of the plot, which is well-formed and has no colour that does not follow the screen."""
        path = os.path.join(self.folder.name, "plot.svg")
        plots.write(path, figure, "what it shows", [__file__])
        self.assertTrue(plots.is_fresh(path, [__file__]))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        root = ElementTree.fromstring(text)
        self.assertEqual(root.attrib["aria-label"], "what it shows")
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertNotRegex(text.split("</style>")[1], r"#[0-9a-f]{6}\b")
        return [element.text for element in root.iter() if element.tag.endswith("}text")]

    def test_soak(self):
        plot = script("tests/reliability/report.py")
        made = {
            "columns": ["seconds"] + [name for name, _, _ in plot.PANELS],
            "rows": [[60.0 * minute] + [1000 + minute] * len(plot.PANELS) for minute in range(10)],
        }
        self.assertIn("daemon: descriptors", self.drawn(lambda: plot.plot(made)))

    def test_ladder(self):
        plot = script("scripts/plot-ladder.py")
        title, steps, copy = plot.of_run(LADDER)
        self.assertEqual((title, copy), ("sum/f32/n=8, Board <1>", 16e9))
        self.assertEqual(steps, [("1. first", 8e9), ("tegu's", 16e9)])
        texts = self.drawn(lambda: plot.draw(title, steps, copy))
        for words in ("1. first", "tegu's", "copy 16", "sum/f32/n=8, Board <1>"):
            self.assertIn(words, texts)

    def test_the_ladder_of_the_page(self):
        plot = script("scripts/plot-ladder.py")
        with open(plot.PAGE, encoding="utf-8") as file:
            _, steps, copy = plot.of_page(file.read())
        self.assertEqual(len(steps), 10)
        self.assertEqual(steps[0][0], "1. neighboured pairs")
        self.assertGreater(copy, max(rate for _, rate in steps))

    def test_a_plot_that_is_behind_is_found(self):
        record, path = (os.path.join(self.folder.name, name) for name in ("record.tsv", "plot.svg"))
        self.assertFalse(plots.is_fresh(path, [__file__]))
        with open(record, "w") as out:
            out.write("1\n")
        plot = script("scripts/plot-ladder.py")
        plots.write(path, lambda: plot.draw("t", [("a", 1e9), ("b", 2e9)], None), "w", [record])
        self.assertTrue(plots.is_fresh(path, [record]))
        with open(record, "w") as out:
            out.write("2\n")
        self.assertFalse(plots.is_fresh(path, [record]))


if __name__ == "__main__":
    unittest.main()

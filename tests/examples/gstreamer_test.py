#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/gstreamer with videotestsrc: every frame comes through, with the map of a daemon over it."""

import glob
import os
import subprocess
import sys
import unittest

import example

example.skip_without(["numpy", "PIL", "gi"])
import numpy  # noqa: E402
from PIL import Image  # noqa: E402

PROGRAM = os.path.join(example.EXAMPLES, "gstreamer", "entropy_overlay.py")
NEEDED = """
import gi
gi.require_version("Gst", "1.0"); gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp
Gst.init(None)
missing = [name for name in ("videotestsrc", "videoconvert", "pngenc") if not Gst.ElementFactory.find(name)]
raise SystemExit(" ".join(missing) or 0)
"""
done = subprocess.run([sys.executable, "-c", NEEDED], stderr=-1, universal_newlines=True)
if done.returncode != 0:
    print("SKIPPED: GStreamer is not whole: " + done.stderr.strip().splitlines()[-1])
    sys.exit(example.harness.SKIPPED)


class Overlay(example.Case):
    def play(self, source, status=0):
        sink = "pngenc snapshot=false ! multifilesink location=%s/%%03d.png" % self.folder
        out, error = self.run_example(
            sys.executable, PROGRAM, "--source", source, "--sink", sink, status=status
        )
        pictures = [numpy.array(Image.open(path)) for path in sorted(glob.glob(self.folder + "/*.png"))]
        return out, error, pictures

    def test_each_frame_has_the_overlay_of_its_map(self):
        # The last quarter of the test picture's last rows is snow; rows of 321 grey pixels are padded.
        source = "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=321,height=240,framerate=30/1"
        out, _, pictures = self.play(source)
        self.assertEqual(out, "5 frames\n")
        self.assertEqual(len(pictures), 5)
        for pixels in pictures:
            self.assertEqual(pixels.shape, (240, 321, 3))
            redness = pixels[..., 0].astype(int) - pixels[..., 1]
            self.assertEqual(redness[:100, 10:30].max(), 0)  # a plain bar: no entropy
            self.assertGreater(redness[200:230, 270:310].mean(), 80)

    def test_the_overlay_is_that_of_a_map_computed_by_itself(self):
        import tegu

        sys.path.insert(0, os.path.dirname(PROGRAM))
        import entropy_overlay

        grey = numpy.random.RandomState(1).randint(0, 256, (30, 41)).astype("u1")
        with tegu.connect(self.daemon.socket) as client:
            rgb = entropy_overlay.Overlay(client, 41, 30).draw(grey)
            share = client.entropy_map(grey, window=9, levels=16) / 4
        self.assertTrue((abs(rgb[..., 0] - (grey + (255 - grey) * share)) < 1.01).all())
        self.assertTrue((abs(rgb[..., 2] - grey * (1 - 0.7 * share)) < 1.01).all())
        self.assertTrue((rgb[..., 1] == rgb[..., 2]).all())

    def test_errors_of_elements(self):
        for source, words in (
            ("filesrc location=/nowhere ! decodebin", "Resource not found"),
            ("no_such_element", "no element"),
        ):
            _, error, pictures = self.play(source, status=1)
            self.assertIn(words, error)
            self.assertEqual(pictures, [])


if __name__ == "__main__":
    unittest.main()

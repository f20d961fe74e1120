#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/camera_anomaly in Python and in C++: both find the same tiles of a folder and of a video, where
something crosses the scene. No camera is here: of devices only an error is tested."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import example

example.skip_without(["numpy", "PIL"], ["ffmpeg"])
import numpy  # noqa: E402
from PIL import Image  # noqa: E402

HERE = os.path.join(example.EXAMPLES, "camera_anomaly")
sys.path.insert(0, HERE)
import make_scene  # noqa: E402

PYTHON = [sys.executable, os.path.join(HERE, "camera_anomaly.py")]
CPP = [example.program("camera_anomaly")]
SIZE, COUNT, TILE = (480, 280), 16, 40
WORDS = "%dx%d" % SIZE
RED = (255, 60, 40)


def write_scene(folder):
    command = [sys.executable, os.path.join(HERE, "make_scene.py"), folder, "--size", WORDS]
    subprocess.check_call(command + ["--frames", str(COUNT)])


class Cpp(example.Case):
    """The program in C++, which runs in every build."""

    @classmethod
    def setUpClass(cls):
        cls.scene = tempfile.mkdtemp(prefix="tegu-scene-")
        write_scene(cls.scene)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scene)

    def setUp(self):
        super().setUp()
        self.picture = os.path.join(self.folder, "found.png")

    def find(self, source, **more):
        out, _ = self.run_example(*CPP, source, WORDS, self.picture, **more)
        return [json.loads(line) for line in out.splitlines()]

    def check_of_the_scene(self, frames):
        self.assertEqual([frame["frame"] for frame in frames], list(range(1, COUNT + 1)))
        quiet = max(frame["tiles"][0]["score"] for frame in frames[1 : COUNT // 2])
        for i, frame in enumerate(frames[COUNT // 2 :]):
            best = frame["tiles"][0]
            centre = SIZE[0] * (i + 1) / (COUNT // 2 + 1)
            self.assertGreater(best["score"], quiet)
            self.assertLess(abs(best["x"] + TILE / 2 - centre), 60, "frame %d" % frame["frame"])
            self.assertIn(best["y"], (160, 200, 240))
            scores = [tile["score"] for tile in frame["tiles"]]
            self.assertEqual(scores, sorted(scores, reverse=True))

    def check_of_the_picture(self, frames):
        """It is the frame with the highest score, with a frame of red around each of its tiles."""
        best = max(frames[1:], key=lambda frame: frame["tiles"][0]["score"])
        picture = Image.open(self.picture)
        self.assertEqual((picture.size, picture.mode), (SIZE, "RGB"))
        pixels = numpy.array(picture)
        red = (pixels == RED).all(axis=2)
        self.assertEqual(red.sum(), len(best["tiles"]) * (TILE**2 - (TILE - 6) ** 2))
        for tile in best["tiles"]:
            self.assertTrue(red[tile["y"], tile["x"] : tile["x"] + TILE].all())
        grey = make_scene.read_pgm(os.path.join(self.scene, "%04d.pgm" % (best["frame"] - 1)))
        self.assertTrue((pixels[~red] == grey[~red][:, None]).all())

    def test_a_folder(self):
        frames = self.find(self.scene)
        self.assertEqual({frame["dropped"] for frame in frames}, {0})
        self.check_of_the_scene(frames)
        self.check_of_the_picture(frames)

    def test_a_source_without_frames(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        for source in (empty, os.path.join(self.folder, "missing.mp4"), "/dev/null"):
            self.find(source, status=66)

    def command(self, source):
        return CPP + [source, WORDS, self.picture, "realtime"]

    def test_ctrl_c_ends_a_camera_and_leaves_the_picture(self):
        video = os.path.join(self.folder, "long.avi")  # 32 seconds, in place of a camera
        words = ["-stream_loop", "59", "-framerate", "30", "-i", os.path.join(self.scene, "%04d.pgm")]
        subprocess.check_call(["ffmpeg", "-loglevel", "error"] + words + ["-c:v", "mjpeg", video])
        running = subprocess.Popen(
            self.command(video),
            stdout=subprocess.PIPE,
            env=dict(os.environ, TEGU_SOCKET=self.daemon.socket),
            start_new_session=True,
        )
        lines = [running.stdout.readline() for _ in range(2)]
        os.killpg(running.pid, signal.SIGINT)
        lines += running.stdout.read().splitlines()
        running.stdout.close()
        self.assertEqual(running.wait(), 0)
        self.assertEqual(json.loads(lines[0])["frame"], 1)
        self.assertLess(len(lines), 900)
        self.assertEqual(Image.open(self.picture).size, SIZE)

    def test_a_size_that_is_not_of_whole_tiles(self):
        self.run_example(*CPP, self.scene, "481x280", status=64)

    def test_a_live_source_gives_each_frame_or_counts_it(self):
        out, _ = self.run_example(*self.command(self.scene))
        frames = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(frames) + frames[-1]["dropped"], COUNT)


@unittest.skipIf(example.SANITIZED, "an instrumented library in Python is tested in tests/client")
class Python(Cpp):
    """The same of the program in Python, and that both have the same results."""

    def find(self, source, status=0):
        failure = {66: 2, 0: 0}[status] if not os.path.exists(source) else {66: 1, 0: 0}[status]
        command = PYTHON + [source, "--size", WORDS, "--png", self.picture]
        out, _ = self.run_example(*command, status=failure)
        return [json.loads(line) for line in out.splitlines()]

    def command(self, source):
        return PYTHON + [source, "--size", WORDS, "--png", self.picture, "--realtime"]

    def test_both_languages_find_the_same(self):
        video = os.path.join(self.folder, "scene.avi")
        frames = ["-framerate", "30", "-i", os.path.join(self.scene, "%04d.pgm")]
        subprocess.check_call(
            ["ffmpeg", "-loglevel", "error"] + frames + ["-c:v", "mjpeg", "-q:v", "2", video]
        )
        found = [[frame["tiles"] for frame in find(video)] for find in (self.find, super().find)]
        self.assertEqual(len(found[0]), COUNT)
        self.assertEqual(found[0], found[1])

    def test_a_size_that_is_not_of_whole_tiles(self):
        _, error = self.run_example(*PYTHON, self.scene, "--size", "481x280", status=2)
        self.assertIn("two multiples of 40", error)

    def test_a_live_source_gives_each_frame_or_counts_it(self):
        out, error = self.run_example(*self.command(self.scene))
        frames = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(frames) + frames[-1]["dropped"], COUNT)
        self.assertIn("%d dropped" % frames[-1]["dropped"], error)

    def test_a_camera_is_asked_for_its_frames(self):
        import frames

        words = frames.command("/dev/null", (1280, 720), False)
        self.assertIn("-f v4l2 -video_size 1280x720 -framerate 30 -i /dev/null", " ".join(words))


if __name__ == "__main__":
    unittest.main()

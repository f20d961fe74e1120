#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ros2: the node with messages of ROS 2 in their real layout and bytes: every encoding that it
takes, and one that it does not. rclpy itself is not here: ros_stand_in.py takes its place."""

import os
import sys
import unittest

import example

sys.path.insert(0, example.TESTS)
import peers  # noqa: E402

peers.go_on_with("numpy", "rosbags", "PIL")
example.skip_without(["numpy", "rosbags", "PIL"])
import numpy  # noqa: E402
import ros_stand_in  # noqa: E402
import tegu  # noqa: E402
from PIL import Image  # noqa: E402

ros_stand_in.install()
sys.path.insert(0, os.path.join(example.EXAMPLES, "ros2"))
import entropy_node  # noqa: E402

TYPES = ros_stand_in.STORE.types
RANDOM = numpy.random.RandomState(1)
HEIGHT, WIDTH = 24, 31


def image_of(pixels, encoding, padding=0, big_endian=False):
    """A message of an array; each row has `padding` more bytes."""
    rows = numpy.ascontiguousarray(pixels.astype(pixels.dtype.newbyteorder(">" if big_endian else "<")))
    rows = rows.view("u1").reshape(pixels.shape[0], -1)
    rows = numpy.concatenate([rows, numpy.full((len(rows), padding), 77, "u1")], axis=1)
    stamp = TYPES["builtin_interfaces/msg/Time"](sec=12, nanosec=34)
    return TYPES["sensor_msgs/msg/Image"](
        header=TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id="camera"),
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding=encoding,
        is_bigendian=int(big_endian),
        step=rows.shape[1],
        data=rows.ravel(),
    )


def luma(colours):
    red, green, blue = (colours[..., i].astype(int) for i in range(3))
    return numpy.floor((299 * red + 587 * green + 114 * blue) / 1000 + 0.5).astype("u1")


class Test(example.Case):
    def setUp(self):
        super().setUp()
        os.environ["TEGU_SOCKET"] = self.daemon.socket
        self.node = entropy_node.EntropyNode()

    def map_of(self, message):
        """The array of the newest map, whose header is that of the image."""
        self.node.receive("image", message)
        self.assertEqual(self.node.logger_.errors, [])
        found = self.node.publishers_["entropy_map"].published[-1]
        self.assertEqual((found.header, found.encoding), (message.header, "32FC1"))
        self.assertEqual((found.is_bigendian, found.step), (int(sys.byteorder == "big"), 4 * found.width))
        return found.data.view("f4").reshape(found.height, found.width)

    def wanted(self, grey):
        with tegu.connect() as client:
            return client.entropy_map(grey, window=9, levels=16)


class EncodingsTest(Test):
    def test_one_channel(self):
        bytes_, words = RANDOM.randint(0, 256, (HEIGHT, WIDTH)), RANDOM.randint(0, 65536, (HEIGHT, WIDTH))
        for encoding, pixels in (
            ("mono8", bytes_.astype("u1")),
            ("8UC1", bytes_.astype("u1")),
            ("mono16", words.astype("u2")),
            ("16UC1", words.astype("u2")),
            ("32FC1", RANDOM.normal(size=(HEIGHT, WIDTH)).astype("f4")),
        ):
            for padding in (0, 5):
                for big_endian in (False, True):
                    found = self.map_of(image_of(pixels, encoding, padding, big_endian))
                    self.assertEqual(found.tobytes(), self.wanted(pixels).tobytes(), encoding)

    def test_colours(self):
        rgb = RANDOM.randint(0, 256, (HEIGHT, WIDTH, 3)).astype("u1")
        alpha = RANDOM.randint(0, 256, (HEIGHT, WIDTH, 1)).astype("u1")
        for encoding, pixels in (
            ("rgb8", rgb),
            ("bgr8", rgb[..., ::-1]),
            ("rgba8", numpy.concatenate([rgb, alpha], axis=2)),
            ("bgra8", numpy.concatenate([rgb[..., ::-1], alpha], axis=2)),
        ):
            found = self.map_of(image_of(numpy.ascontiguousarray(pixels), encoding, 3))
            self.assertEqual(found.tobytes(), self.wanted(luma(rgb)).tobytes(), encoding)


class NodeTest(Test):
    def test_the_statistics_are_those_of_the_map(self):
        entropy = self.map_of(image_of(RANDOM.randint(0, 256, (HEIGHT, WIDTH)).astype("u1"), "mono8"))
        (message,) = self.node.publishers_["entropy_statistics"].published
        (status,) = message.status
        self.assertEqual((message.header.frame_id, status.level, status.hardware_id), ("camera", 0, "tegu"))
        values = {each.key: each.value for each in status.values}
        for name, number in (
            ("mean", entropy.mean(dtype="f8")),
            ("std", entropy.std(dtype="f8")),
            ("min", entropy.min()),
            ("max", entropy.max()),
        ):
            self.assertAlmostEqual(float(values.pop(name)), float(number), 6)
        self.assertGreater(float(values.pop("round_trip_ms")), 0)
        self.assertEqual(values, {"backend": "cpu"})

    def test_memory_is_made_anew_only_for_another_size_or_type(self):
        first = RANDOM.randint(0, 256, (HEIGHT, WIDTH)).astype("u1")
        self.map_of(image_of(first, "mono8"))
        kept = self.node.frame
        self.map_of(image_of(first[::-1].copy(), "mono8"))
        self.assertIs(self.node.frame, kept)
        for other, encoding in ((first[:9].copy(), "mono8"), (first[:9].astype("u2"), "mono16")):
            found = self.map_of(image_of(other, encoding))
            self.assertEqual(found.tobytes(), self.wanted(other).tobytes())
            self.assertIsNot(self.node.frame, kept)
            kept = self.node.frame

    def test_what_is_no_image_is_left_out_and_named(self):
        good = image_of(RANDOM.randint(0, 256, (HEIGHT, WIDTH)).astype("u1"), "mono8")
        for change, words in (
            ({"encoding": "yuv422"}, "encoding is 'yuv422'"),
            ({"step": WIDTH - 1}, "step of 30"),
            ({"height": HEIGHT + 1}, "31 x 25"),
            ({"height": 0, "width": 0, "step": 0}, ""),
        ):
            message = image_of(numpy.zeros((HEIGHT, WIDTH), "u1"), "mono8")
            for name, value in change.items():
                setattr(message, name, value)
            self.node.receive("image", message)
            self.assertIn(words, self.node.logger_.errors.pop())
            self.assertEqual(self.node.logger_.errors, [])
        self.assertEqual(self.node.publishers_["entropy_map"].published, [])
        self.map_of(good)

    def test_the_picture_of_the_page(self):
        """It is the map of the camera's picture, every second pixel, as grey levels."""
        with open(os.path.join(example.DATA, "camera.pgm"), "rb") as file:
            camera = numpy.frombuffer(file.read()[-512 * 512 :], "u1").reshape(512, 512)
        levels = (self.map_of(image_of(camera, "mono8"))[::2, ::2] * 60).astype("u1")
        picture = Image.open(os.path.join(example.harness.SOURCE, "docs", "examples", "ros2.png"))
        self.assertEqual(numpy.array(picture).tolist(), levels.tolist())

    def test_parameters(self):
        self.addCleanup(setattr, ros_stand_in.Node, "parameters", {})
        ros_stand_in.Node.parameters = {"window": 8}
        node = entropy_node.EntropyNode()
        node.receive("image", image_of(numpy.zeros((HEIGHT, WIDTH), "u1"), "mono8"))
        self.assertIn("window", node.logger_.errors.pop())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder of frames to try camera_anomaly without a camera: a still scene with the noise of a sensor,
and from half of the time on something smooth that crosses it."""

import argparse
import os

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
SCENE = os.path.join(HERE, "..", "..", "tests", "data", "camera.pgm")


def read_pgm(path):
    """The pixels of a binary PGM of 8 bits without comments."""
    with open(path, "rb") as file:
        magic, size, _ = (file.readline(), file.readline().split(), file.readline())
        assert magic == b"P5\n", path
        return numpy.frombuffer(file.read(), "u1").reshape(int(size[1]), int(size[0]))


def scene(width, height):
    """The picture of the test data, as large as a frame."""
    picture = read_pgm(SCENE)
    rows = numpy.linspace(0, picture.shape[0] - 1, height).astype(int)
    columns = numpy.linspace(0, picture.shape[1] - 1, width).astype(int)
    return picture[rows][:, columns].astype("f4")


def frames(width, height, count):
    still = scene(width, height)
    random = numpy.random.RandomState(1)
    y, x = numpy.ogrid[:height, :width]
    for i in range(count):
        picture = still + random.normal(0, 4, still.shape)
        if i >= count // 2:
            centre = width * (i - count // 2 + 1) / (count - count // 2 + 1)
            near = (x - centre) ** 2 + (y - height * 0.75) ** 2 < (height / 12) ** 2
            picture[near] = 128
        yield picture.clip(0, 255).astype("u1")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--frames", type=int, default=60)
    chosen = parser.parse_args()
    width, height = map(int, chosen.size.split("x"))
    os.makedirs(chosen.folder, exist_ok=True)
    for i, picture in enumerate(frames(width, height, chosen.frames)):
        with open(os.path.join(chosen.folder, "%04d.pgm" % i), "wb") as out:
            out.write(b"P5\n%d %d\n255\n" % (width, height) + picture.tobytes())


if __name__ == "__main__":
    main()

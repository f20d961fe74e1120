#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the tiles of a camera's picture whose entropy is the most unusual: a line of JSON for each frame, and
the most unusual frame as an annotated PNG. Needs numpy, Pillow and the program ffmpeg."""

import argparse
import json
import os
import sys
import time

import numpy
import tegu
from frames import Frames
from PIL import Image, ImageDraw

TILE = 40  # pixels; divides 1280 and 720
MEMORY = 50  # frames over which the usual entropy of a tile is averaged


class Watcher:
    """Remembers the usual entropy of each tile."""

    def __init__(self, client, size):
        self.client, (self.width, self.height) = client, size
        self.map = client.buffer((self.height, self.width), "f32")
        self.usual, self.seen = None, 0

    def tiles(self, frame):
        """The mean entropy of each tile: tegu adds up the runs of TILE pixels, numpy TILE such runs."""
        self.client.entropy_map(frame, window=9, levels=16, out=self.map)
        runs = self.client.reduce(self.map, "mean", axis=1, shape=(self.map.array.size // TILE, TILE))
        return runs["mean"].reshape(self.height // TILE, TILE, self.width // TILE).mean(axis=1)

    def unusual(self, frame, k):
        """[{"x", "y", "score"}] of the k tiles that differ the most from their usual entropy, in bits. In the
        first frame it is the difference from the median tile."""
        tiles = self.tiles(frame)
        if self.usual is None:
            self.usual = numpy.full_like(tiles, numpy.median(tiles))
        score = numpy.abs(tiles - self.usual)
        self.seen += 1
        self.usual += (tiles - self.usual) / min(self.seen, MEMORY)
        values, indices = self.client.topk(score.ravel(), k)
        columns = self.width // TILE
        return [
            {"x": int(at) % columns * TILE, "y": int(at) // columns * TILE, "score": round(float(value), 4)}
            for value, at in zip(values, indices)
        ]


def annotate(pixels, tiles, path):
    picture = Image.fromarray(pixels).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for tile in tiles:
        x, y = tile["x"], tile["y"]
        draw.rectangle((x, y, x + TILE - 1, y + TILE - 1), outline=(255, 60, 40), width=3)
    picture.save(path, optimize=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="/dev/videoN, a video file, or a folder of images")
    parser.add_argument("--size", default="1280x720", help="frames are scaled to it; multiples of %d" % TILE)
    parser.add_argument("-k", type=int, default=3, help="tiles of a frame")
    parser.add_argument("--realtime", action="store_true", help="a file as fast as a camera would give it")
    parser.add_argument("--png", help="where the most unusual frame goes")
    chosen = parser.parse_args()
    try:
        chosen.size = tuple(map(int, chosen.size.split("x")))
        width, height = chosen.size
        assert width > 0 and height > 0 and width % TILE == 0 and height % TILE == 0
    except (AssertionError, ValueError):
        parser.error("--size is %s, and must be two multiples of %d" % (chosen.size, TILE))
    if not os.path.exists(chosen.source):
        parser.error("there is no %s" % chosen.source)
    return chosen


def main():
    chosen = options()
    with tegu.connect(name="camera_anomaly") as client:
        shape = chosen.size[::-1]
        frames = Frames(
            chosen.source, chosen.size, [client.buffer(shape, "u8") for _ in range(3)], chosen.realtime
        )
        watcher = Watcher(client, chosen.size)
        best, seen, begin, interrupted = None, 0, 0, False
        try:
            for number, frame, read_at in frames:
                begin = begin or read_at
                frame.commit()
                tiles = watcher.unusual(frame, chosen.k)
                seen += 1
                if seen <= 2 or tiles[0]["score"] > best[0]:  # the first frame only if there is no other
                    best = tiles[0]["score"], frame.array.copy(), tiles
                age_ms = round(1000 * (time.perf_counter() - read_at), 2)
                line = {"frame": number, "dropped": frames.dropped, "ms": age_ms, "tiles": tiles}
                print(json.dumps(dict(line, backend=client.last.backend)), flush=True)
        except KeyboardInterrupt:
            interrupted = True  # the end of a camera
        seconds = time.perf_counter() - begin
        if (frames.close() != 0 and not interrupted) or best is None:
            sys.exit("camera_anomaly: ffmpeg gave no whole frame of %s" % chosen.source)
        print(
            "%d frames in %.1f s (%.1f a second), %d dropped"
            % (seen, seconds, seen / seconds, frames.dropped),
            file=sys.stderr,
        )
        if chosen.png:
            annotate(best[1], best[2], chosen.png)


if __name__ == "__main__":
    main()

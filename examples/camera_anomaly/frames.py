# SPDX-License-Identifier: Apache-2.0
"""Frames of a V4L2 device, a video or a folder of images, as grey pixels. ffmpeg decodes and scales them;
a thread reads them straight into buffers of tegud."""

import os
import stat
import subprocess
import threading
import time


def command(source, size, realtime):
    """The ffmpeg that writes the frames of a source to its standard output."""
    if os.path.isdir(source):
        found = ["-f", "image2", "-framerate", "30", "-pattern_type", "glob"]
        found += ["-i", os.path.join(source, "*")]
    elif is_device(source):
        found = ["-f", "v4l2", "-video_size", "%dx%d" % size, "-framerate", "30", "-i", source]
    else:
        found = ["-i", source]
    if realtime:
        found = ["-re"] + found
    scale = ["-vf", "scale=%d:%d" % size, "-pix_fmt", "gray", "-f", "rawvideo", "-"]
    return ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin"] + found + scale


def is_device(source):
    return os.path.exists(source) and stat.S_ISCHR(os.stat(source).st_mode)


class Frames(threading.Thread):
    """Three buffers: one is filled, one waits, one is in use. A live source never waits: if its newest frame
    finds an older one that nobody took, the older one is dropped."""

    def __init__(self, source, size, buffers, realtime=False):
        super().__init__(daemon=True)
        self.live = realtime or is_device(source)
        self.dropped = 0
        self._free, self._waiting, self._ended = list(buffers), None, False
        self._changed = threading.Condition()
        self._ffmpeg = subprocess.Popen(command(source, size, realtime), stdout=subprocess.PIPE, bufsize=0)
        self.start()

    def run(self):
        number, buffer = 0, self._free.pop()
        while self._fill(buffer):
            number += 1
            with self._changed:
                if self.live and self._waiting is not None:
                    self.dropped += 1
                    self._free.append(self._waiting[1])
                    self._waiting = None
                self._changed.wait_for(lambda: self._waiting is None)
                self._waiting = (number, buffer, time.perf_counter())
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._free)
                buffer = self._free.pop()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _fill(self, buffer):
        left = memoryview(buffer.array).cast("B")
        while len(left):
            count = self._ffmpeg.stdout.readinto(left)
            if not count:
                return False
            left = left[count:]
        return True

    def __iter__(self):
        """(number, buffer, when it was read) of each frame. The buffer is free after the loop's body."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting is not None or self._ended)
                if self._waiting is None:
                    return
                frame, self._waiting = self._waiting, None
                self._changed.notify_all()
            yield frame
            with self._changed:
                self._free.append(frame[1])
                self._changed.notify_all()

    def close(self):
        """The exit status of ffmpeg, which is ended if it still runs."""
        if not self._ended:
            self._ffmpeg.terminate()
        return self._ffmpeg.wait()

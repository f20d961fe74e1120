#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two GStreamer pipelines with tegu between them: grey frames come from an appsink, and frames with
their entropy map as an overlay go to an appsrc. Needs numpy, PyGObject and the base and good plugins.

entropy_overlay.py                                    # the camera, in a window
entropy_overlay.py --source "filesrc location=a.mp4 ! decodebin" \\
    --sink "jpegenc ! avimux ! filesink location=b.avi"
"""

import argparse
import sys

import gi
import numpy
import tegu

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import GLib, Gst, GstApp  # noqa: E402, F401 (GstApp: methods of appsink and appsrc)

LEVELS = 16
HIGHEST = 4.0  # bits: the entropy of 16 levels that are equally frequent


class Overlay:
    """The entropy map of grey frames of one size, drawn over them: the higher, the redder."""

    def __init__(self, client, width, height):
        self.client = client
        self.frame = client.buffer((height, width), "u8")
        self.map = client.buffer((height, width), "f32")

    def draw(self, grey):
        """RGB pixels of grey ones, both as arrays of u8."""
        self.frame.array[...] = grey
        self.frame.commit()
        self.client.entropy_map(self.frame, window=9, levels=LEVELS, out=self.map)
        share = self.map.array / numpy.float32(HIGHEST)
        rgb = numpy.empty(grey.shape + (3,), "u1")
        rgb[..., 0] = grey + (255 - grey) * share
        rgb[..., 1] = rgb[..., 2] = grey * (1 - share * numpy.float32(0.7))
        return rgb


def pipeline_of(description):
    try:
        return Gst.parse_launch(description)
    except GLib.Error as error:
        sys.exit("entropy_overlay: %s: %s" % (description, error.message))


def pixels_of(sample):
    """The grey pixels of a sample as an array; GStreamer pads rows to 4 bytes."""
    form, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
    width, height = form.get_value("width"), form.get_value("height")
    data = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), "u1")
    return data.reshape(height, -1)[:, :width]


def drawn_sample(sample, rgb):
    """A sample of RGB pixels with the times and the rate of the one that it was drawn over."""
    height, width = rgb.shape[:2]
    _, frames, seconds = sample.get_caps().get_structure(0).get_fraction("framerate")
    words = "video/x-raw,format=RGB,width=%d,height=%d,framerate=%d/%d" % (width, height, frames, seconds)
    rows = numpy.zeros((height, (3 * width + 3) // 4 * 4), "u1")
    rows[:, : 3 * width] = rgb.reshape(height, -1)
    buffer = Gst.Buffer.new_wrapped(rows.tobytes())
    buffer.pts, buffer.duration = sample.get_buffer().pts, sample.get_buffer().duration
    return Gst.Sample.new(buffer, Gst.Caps.from_string(words), None, None)


def ended(pipeline, wait=0):
    """Whether a pipeline reports its end within `wait` nanoseconds. An error ends the program."""
    kinds = Gst.MessageType.ERROR | Gst.MessageType.EOS
    message = pipeline.get_bus().timed_pop_filtered(wait, kinds)
    if message is not None and message.type == Gst.MessageType.ERROR:
        text = message.parse_error()[0].message
        pipeline.set_state(Gst.State.NULL)
        sys.exit("entropy_overlay: %s: %s" % (message.src.get_name(), text))
    return message is not None


def run(source, sink, client):
    """Plays until the source has ended, or Ctrl-C; returns the number of frames that went through."""
    grey_frames, drawn_frames = source.get_by_name("grey"), sink.get_by_name("drawn")
    overlay, count = None, 0
    for pipeline in (sink, source):
        pipeline.set_state(Gst.State.PLAYING)
    try:
        while not grey_frames.is_eos():
            ended(source)
            ended(sink)
            sample = grey_frames.try_pull_sample(Gst.SECOND // 10)
            if sample is not None:
                grey = pixels_of(sample)
                overlay = overlay or Overlay(client, grey.shape[1], grey.shape[0])
                drawn_frames.push_sample(drawn_sample(sample, overlay.draw(grey)))
                count += 1
    except KeyboardInterrupt:
        pass  # the end of a camera
    ended(source)
    drawn_frames.end_of_stream()
    ended(sink, Gst.CLOCK_TIME_NONE)
    for pipeline in (sink, source):
        pipeline.set_state(Gst.State.NULL)
    return count


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", help="elements that give frames, each of which counts; else the camera")
    parser.add_argument("--sink", default="autovideosink", help="elements that take frames; else a window")
    chosen = parser.parse_args()
    Gst.init(None)
    # Of a camera only the newest frame counts.
    appsink = "appsink name=grey sync=false max-buffers=2 drop=%s" % ("false" if chosen.source else "true")
    grey = " ! videoconvert ! video/x-raw,format=GRAY8 ! " + appsink
    source = pipeline_of((chosen.source or "v4l2src") + grey)
    sink = pipeline_of("appsrc name=drawn format=time block=true ! videoconvert ! " + chosen.sink)
    with tegu.connect(name="entropy_overlay") as client:
        print("%d frames" % run(source, sink, client))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A node of ROS 2: takes sensor_msgs/Image, publishes the entropy map as another one and its statistics as
diagnostics. Parameters: window, levels. Topics: image, entropy_map, entropy_statistics.

python3 entropy_node.py --ros-args -r image:=/camera/image_raw -p window:=9
"""

import array
import sys

import numpy
import rclpy
import tegu
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

# Element type, channels, and which of these are red, green and blue.
ENCODINGS = {
    "mono8": ("u1", 1, None),
    "8UC1": ("u1", 1, None),
    "mono16": ("u2", 1, None),
    "16UC1": ("u2", 1, None),
    "32FC1": ("f4", 1, None),
    "rgb8": ("u1", 3, (0, 1, 2)),
    "bgr8": ("u1", 3, (2, 1, 0)),
    "rgba8": ("u1", 4, (0, 1, 2)),
    "bgra8": ("u1", 4, (2, 1, 0)),
}


def grey_of(image):
    """The pixels of an Image as an array of two dimensions; of colours the luma. ValueError if it is none of
    ENCODINGS, or shorter than it says."""
    if image.encoding not in ENCODINGS:
        raise ValueError("encoding is '%s', and not one of %s" % (image.encoding, " ".join(ENCODINGS)))
    kind, channels, colours = ENCODINGS[image.encoding]
    element = numpy.dtype(kind).newbyteorder(">" if image.is_bigendian else "<")
    row, data = image.width * channels * element.itemsize, numpy.frombuffer(image.data, "u1")
    if image.step < row or len(data) < image.step * image.height:
        raise ValueError(
            "%d bytes with a step of %d are no image of %d x %d %s"
            % (len(data), image.step, image.width, image.height, image.encoding)
        )
    rows = data[: image.step * image.height].reshape(image.height, image.step)[:, :row]
    pixels = numpy.ascontiguousarray(rows).view(element).astype(kind)
    if colours is None:
        return pixels
    red, green, blue = (pixels[:, at::channels].astype("u4") for at in colours)
    return ((299 * red + 587 * green + 114 * blue + 500) // 1000).astype("u1")


def map_message(header, entropy):
    image = Image()
    image.header = header
    image.height, image.width = entropy.shape
    image.encoding, image.is_bigendian = "32FC1", int(sys.byteorder == "big")
    image.step = 4 * image.width
    image.data = array.array("B", entropy.tobytes())
    return image


def statistics_message(header, numbers):
    status = DiagnosticStatus()
    status.level, status.name, status.hardware_id = DiagnosticStatus.OK, "entropy of the image", "tegu"
    for name, number in numbers.items():
        value = KeyValue()
        value.key, value.value = name, str(number)
        status.values.append(value)
    message = DiagnosticArray()
    message.header, message.status = header, [status]
    return message


class EntropyNode(Node):
    def __init__(self):
        super().__init__("tegu_entropy")
        self.window = self.declare_parameter("window", 9).value
        self.levels = self.declare_parameter("levels", 16).value
        self.client = tegu.connect(name="tegu_entropy")
        self.frame = self.map = None
        self.maps = self.create_publisher(Image, "entropy_map", qos_profile_sensor_data)
        self.statistics = self.create_publisher(DiagnosticArray, "entropy_statistics", 10)
        self.create_subscription(Image, "image", self.on_image, qos_profile_sensor_data)

    def buffers(self, pixels):
        """Shared memory for images of this size and type; it is made anew only when they change."""
        if self.frame is None or (self.frame.array.shape, self.frame.array.dtype) != (
            pixels.shape,
            pixels.dtype,
        ):
            self.frame = self.client.buffer(pixels.shape, pixels.dtype)
            self.map = self.client.buffer(pixels.shape, "f32")
        self.frame.array[...] = pixels
        self.frame.commit()
        return self.frame, self.map

    def on_image(self, image):
        try:
            frame, entropy = self.buffers(grey_of(image))
            self.client.entropy_map(frame, window=self.window, levels=self.levels, out=entropy)
            how = self.client.last
            numbers = self.client.reduce(entropy, stats=("mean", "std", "min", "max"))
        except (ValueError, tegu.Error) as error:
            self.get_logger().error("image is left out: %s" % error, throttle_duration_sec=5.0)
            return
        self.maps.publish(map_message(image.header, entropy.array))
        numbers.update(backend=how.backend, round_trip_ms=how.timing.round_trip_ns / 1e6)
        self.statistics.publish(statistics_message(image.header, numbers))


def main():
    rclpy.init()
    node = EntropyNode()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()

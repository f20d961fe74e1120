# SPDX-License-Identifier: Apache-2.0
"""A stand-in for rclpy, which no package of Debian has: nodes that keep what they publish. The messages are
those of ROS 2 Humble, from rosbags, and each goes through its bytes (CDR) as on the way between two nodes."""

import array
import sys
import types

import numpy
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_HUMBLE)


def default_of(field_type):
    """What a fresh message of rclpy has in a field."""
    kind, detail = field_type
    if kind.name == "NAME":
        return message_class(detail)()
    if kind.name == "BASE":
        return "" if detail[0] == "string" else 0
    return []


def message_class(name):
    """A message class as of rclpy: without arguments, fields with defaults, and no other field."""
    constants, fields = STORE.fielddefs[name]

    class Message:
        __slots__ = [field for field, _ in fields]
        msgtype = name

        def __init__(self):
            for field, field_type in fields:
                setattr(self, field, default_of(field_type))

    for constant, kind, value in constants:
        setattr(Message, constant, bytes([value]) if kind == "byte" else value)
    return Message


def wire_value(value):
    """A value of rclpy as rosbags writes it."""
    if hasattr(value, "msgtype"):
        return STORE.types[value.msgtype](
            **{name: wire_value(getattr(value, name)) for name in value.__slots__}
        )
    if isinstance(value, array.array):
        assert value.typecode == "B", value.typecode
        return numpy.frombuffer(value, "u1")
    if isinstance(value, bytes):
        return value[0]
    if isinstance(value, list):
        return [wire_value(each) for each in value]
    return value


def through_bytes(message, name):
    """A message as another node receives it."""
    return STORE.deserialize_cdr(STORE.serialize_cdr(message, name), name)


class Publisher:
    def __init__(self, kind):
        self.kind, self.published = kind, []

    def publish(self, message):
        assert message.msgtype == self.kind.msgtype
        self.published.append(through_bytes(wire_value(message), self.kind.msgtype))


class Logger:
    def __init__(self):
        self.errors = []

    def error(self, text, throttle_duration_sec):
        self.errors.append(text)


class Node:
    parameters = {}

    def __init__(self, name):
        self.name, self.publishers_, self.subscriptions_, self.logger_ = name, {}, {}, Logger()

    def declare_parameter(self, name, default):
        return types.SimpleNamespace(value=self.parameters.get(name, default))

    def create_publisher(self, kind, topic, qos):
        self.publishers_[topic] = Publisher(kind)
        return self.publishers_[topic]

    def create_subscription(self, kind, topic, callback, qos):
        self.subscriptions_[topic] = (kind, callback)

    def get_logger(self):
        return self.logger_

    def receive(self, topic, message):
        kind, callback = self.subscriptions_[topic]
        callback(through_bytes(message, kind.msgtype))


def install():
    """Puts the modules where `import rclpy` finds them."""

    def add(name, **content):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)

    add("rclpy")
    add("rclpy.node", Node=Node)
    add("rclpy.qos", qos_profile_sensor_data=object())
    for package, names in (
        ("sensor_msgs", ["Image"]),
        ("diagnostic_msgs", ["DiagnosticArray", "DiagnosticStatus", "KeyValue"]),
    ):
        add(package)
        add(package + ".msg", **{name: message_class("%s/msg/%s" % (package, name)) for name in names})
